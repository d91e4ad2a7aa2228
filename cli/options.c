/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/options.h"

#include "base/names.h"
#include "base/monotonic.h"
#include "cli/cli.h"
#include "sweep/engines.h"

#include <getopt.h>

#define OPTIONS 64 /* of a command, at most */

/* The name nearest to a misspelt "--ouput=x"; NULL where none is near, or it is one. */
static const char *options_near(const struct option *list, const char *text)
{
    const char *near = NULL;
    if (strncmp(text, "--", 2) != 0)
        return NULL;
    MEMORY_LOCAL char *word = memory_text("%.*s", (int)strcspn(text + 2, "="), text + 2);
    size_t least = names_too_far(word);
    for (; list->name; list++) {
        size_t distance = names_distance(list->name, word);
        if (distance < least) {
            least = distance;
            near = distance ? list->name : NULL;
        }
    }
    return near;
}

static bool options_number(const struct cli_option *o, const char *text, struct error *err)
{
    static bool (*const parse[])(const char *, int64_t *, struct error *) = {
        [CLI_OPTIONS_COUNT] = units_parse_integer, [CLI_OPTIONS_BYTES] = units_parse_bytes, [CLI_OPTIONS_RATE] = units_parse_rate,
        [CLI_OPTIONS_TIME] = units_parse_time, [CLI_OPTIONS_TIME_PER_BYTE] = units_parse_time};
    int64_t whole = 0;
    char *end;
    double value = strtod(text, &end);
    bool plain = end != text && *end == '\0' && isfinite(value);
    if (o->unit == CLI_OPTIONS_NUMBER && !plain)
        return error_set(err, ERROR_INPUT, "--%s: '%s' is not a number; try 0.5", o->name, text);
    if (o->unit != CLI_OPTIONS_NUMBER && !(o->unit == CLI_OPTIONS_TIME_PER_BYTE && plain)) {
        if (!parse[o->unit](text, &whole, err))
            return error_prefix(err, "--%s: ", o->name);
        value = (double)whole / (o->unit >= CLI_OPTIONS_TIME ? (double)UNITS_PS_PER_S : 1);
    }
    if (o->most > 0 && (whole < o->least || whole > o->most)) {
        char bound[2][UNITS_TEXT];
        for (int i = 0; i < 2; i++)
            if (o->unit == CLI_OPTIONS_RATE)
                units_format_rate(i ? o->most : o->least, bound[i]);
            else
                snprintf(bound[i], sizeof bound[i], "%" PRId64, i ? o->most : o->least);
        bool open = o->most == INT64_MAX;
        return error_set(err, ERROR_INPUT, "--%s: '%s' is not %s %s%s", o->name, text, bound[0], open ? "or more" : "to ",
                         open ? "" : bound[1]);
    }
    if (o->whole)
        *o->whole = whole;
    else
        *o->number = value;
    return true;
}

int cli_options_read(const char *page, int argc, char **argv, const struct cli_option *options, struct error *err)
{
    struct option list[OPTIONS + 2] = {{"help", no_argument, NULL, 'h'}};
    char letters[2 * OPTIONS + 3] = ":h", *end = letters + 2; /* ':': what is wrong is said here, in one line */
    int n = 0, found, row;
    for (; options[n].name; n++) {
        const struct cli_option *o = &options[n];
        list[n + 1] = (struct option){o->name, o->flag ? no_argument : required_argument, NULL, 256 + n};
        if (o->letter)
            *end++ = o->letter;
        if (o->letter && !o->flag)
            *end++ = ':';
    }
    optind = 1;
    while ((found = getopt_long(argc, argv, letters, list, NULL)) != -1) {
        if (found == 'h')
            return cli_help(page);
        for (row = 0; row < n && found != 256 + row && found != options[row].letter; row++)
            ;
        if (row == n) {
            char letter[] = {'-', (char)optopt, '\0'};
            const char *text = optopt > 0 && optopt < 256 ? letter : argv[optind - 1], *near = options_near(list, text);
            error_set(err, ERROR_INPUT, "%s: option %s %s; %s%s%s'contraflow %s --help' lists the options", page, text,
                      found == ':' ? "needs a value" : "is unknown or takes no value", near ? "did you mean --" : "",
                      near ? near : "", near ? "? " : "", page);
            return -1;
        }
        const struct cli_option *o = &options[row];
        if (o->flag)
            *o->flag = true;
        else if (o->text)
            *o->text = optarg;
        else if (!(o->call ? o->call : options_number)(o, optarg, err))
            return -1;
    }
    return optind;
}

static bool options_add(struct cli_options_sets *s, const char *text, const char *by, struct error *err)
{
    if (s->n == CLI_OPTIONS_SETS)
        return error_set(err, ERROR_INPUT, "more than %d --set", CLI_OPTIONS_SETS);
    s->set[s->n++] = (struct document_set){text, by};
    return true;
}

bool cli_options_set(const struct cli_option *option, const char *text, struct error *err)
{
    return options_add(option->to, text, "--set ", err);
}

bool cli_options_seed(const struct cli_option *option, const char *text, struct error *err)
{
    struct cli_options_sets *s = option->to;
    snprintf(s->seed, sizeof s->seed, "seed=%s", text);
    return options_add(s, s->seed, "--", err);
}

bool cli_options_engine(const struct cli_option *option, const char *text, struct error *err)
{
    struct cli_options_sets *s = option->to;
    snprintf(s->engine, sizeof s->engine, "engine=%s", text);
    return options_add(s, s->engine, "--", err);
}

bool cli_options_jobs(const struct cli_option *option, const char *text, struct error *err)
{
    return sweep_engines_parse_jobs(option->name, text, option->to, err);
}

bool cli_options_link_rate(const struct cli_option *option, const char *text, struct error *err)
{
    double *rate_bps = option->to;
    const char *slash = strchr(text, '/');
    char in[64];
    int64_t bps[2];
    snprintf(in, sizeof in, "%.*s", slash ? (int)(slash - text) : (int)strlen(text), text);
    if (!units_parse_rate(in, &bps[0], err) || !units_parse_rate(slash ? slash + 1 : in, &bps[1], err))
        return error_prefix(err, "--%s: ", option->name);
    if (bps[0] <= 0 || bps[1] <= 0)
        return error_set(err, ERROR_INPUT, "--%s %s: a link has a rate above 0; try 50M, or 20M/2M for in and out",
                         option->name, text);
    rate_bps[0] = (double)bps[0];
    rate_bps[1] = (double)bps[1];
    return true;
}

bool cli_options_budget(const struct cli_option *option, const char *text, struct error *err)
{
    int64_t time_ps;
    if (!units_parse_time(text, &time_ps, err))
        return error_prefix(err, "--budget: ");
    *(double *)option->to = monotonic_now_s() + (double)time_ps / (double)UNITS_PS_PER_S;
    return time_ps > 0 || error_set(err, ERROR_INPUT, "--budget %s: more than nothing is wanted; try 60s", text);
}
