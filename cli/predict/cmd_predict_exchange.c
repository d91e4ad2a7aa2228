/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/predict/predict.h"

#define FIELD(name) offsetof(struct study_exchange_request, name)

/* Every option that sets a number, and the field it sets. The models that have one of its `needs` look at it. */
static const struct setting {
    const char *name;
    enum cli_options_unit unit;
    size_t field;
    int needs;
} settings[] = {
    {"processes", CLI_OPTIONS_COUNT, FIELD(processes), STUDY_EXCHANGE_ANY},
    {"packets", CLI_OPTIONS_COUNT, FIELD(packets), STUDY_EXCHANGE_ANY},
    {"message", CLI_OPTIONS_BYTES, FIELD(message_bytes), STUDY_EXCHANGE_ANY},
    {"switches", CLI_OPTIONS_COUNT, FIELD(switches), STUDY_EXCHANGE_ANY},
    {"buffer", CLI_OPTIONS_COUNT, FIELD(buffer_packets), STUDY_EXCHANGE_ANY},
    {"control", CLI_OPTIONS_NUMBER, FIELD(control_packets), STUDY_EXCHANGE_ANY},
    {"uplink", CLI_OPTIONS_RATE, FIELD(uplink_bps), STUDY_EXCHANGE_ANY},
    {"alpha", CLI_OPTIONS_TIME, FIELD(alpha_s), STUDY_EXCHANGE_LINK | STUDY_EXCHANGE_GAPS},
    {"beta", CLI_OPTIONS_TIME_PER_BYTE, FIELD(beta_s_per_byte), STUDY_EXCHANGE_LINK},
    {"rate", CLI_OPTIONS_RATE, FIELD(rate_bps), STUDY_EXCHANGE_LINK},
    {"beta-free", CLI_OPTIONS_TIME_PER_BYTE, FIELD(beta_free_s_per_byte), STUDY_EXCHANGE_GAPS},
    {"beta-contended", CLI_OPTIONS_TIME_PER_BYTE, FIELD(beta_contended_s_per_byte), STUDY_EXCHANGE_GAPS},
    {"rho", CLI_OPTIONS_NUMBER, FIELD(rho), STUDY_EXCHANGE_GAPS},
    {"gamma", CLI_OPTIONS_NUMBER, FIELD(gamma), STUDY_EXCHANGE_SIGNATURE},
    {"delta", CLI_OPTIONS_TIME, FIELD(delta_s), STUDY_EXCHANGE_SIGNATURE},
    {"threshold", CLI_OPTIONS_BYTES, FIELD(threshold_bytes), STUDY_EXCHANGE_SIGNATURE},
    {"group", CLI_OPTIONS_COUNT, FIELD(group), STUDY_EXCHANGE_TAM},
    {"o-s", CLI_OPTIONS_TIME, FIELD(tam.send_overhead_s), STUDY_EXCHANGE_TAM},
    {"g-s", CLI_OPTIONS_TIME, FIELD(tam.send_gap_s), STUDY_EXCHANGE_TAM},
    {"o-r", CLI_OPTIONS_TIME, FIELD(tam.receive_overhead_s), STUDY_EXCHANGE_TAM},
    {"g-r", CLI_OPTIONS_TIME, FIELD(tam.receive_gap_s), STUDY_EXCHANGE_TAM},
    {"u-r", CLI_OPTIONS_TIME, FIELD(tam.user_overhead_s), STUDY_EXCHANGE_TAM},
    {"l", CLI_OPTIONS_TIME, FIELD(tam.latency_s), STUDY_EXCHANGE_TAM},
    {"l-per-process", CLI_OPTIONS_TIME, FIELD(tam.latency_per_process_s), STUDY_EXCHANGE_TAM},
    {"packet", CLI_OPTIONS_BYTES, FIELD(tam.packet_bytes), STUDY_EXCHANGE_ANY},
};
enum { SETTINGS = sizeof settings / sizeof *settings, WORDS = 6 };

/* -1: there is no such model. */
static int exchange_model_at(const char *name, size_t length)
{
    for (int m = 0; m < STUDY_EXCHANGE_MODELS; m++) {
        const char *known = study_exchange_models[m].name;
        if (strlen(known) == length && strncmp(known, name, length) == 0)
            return m;
    }
    return -1;
}

static bool exchange_models(const struct cli_option *option, const char *text, struct error *err)
{
    struct study_exchange_request *r = option->to;
    if (*text == '\0')
        return error_set(err, ERROR_INPUT, "--model: names no model; try --model tam");
    while (*text) {
        size_t n = strcspn(text, ",");
        int m = exchange_model_at(text, n);
        if (m < 0) {
            char list[128] = "";
            while (++m < STUDY_EXCHANGE_MODELS)
                text_add(list, sizeof list, "%s%s", m ? ", " : "", study_exchange_models[m].name);
            return error_set(err, ERROR_INPUT, "--model %.*s: unknown; there are %s", (int)n, text, list);
        }
        r->wanted[m] = true;
        text += n + (text[n] == ',');
    }
    return true;
}

static double *exchange_field(struct study_exchange_request *r, const struct setting *s)
{
    return (double *)(void *)((char *)r + s->field);
}

/* An option that no chosen model looks at would be ignored without a word. */
static bool exchange_check_use(struct study_exchange_request *r, struct error *err)
{
    int needs = study_exchange_needs(r);
    for (int i = 0; i < SETTINGS; i++) {
        int m = 0;
        if (isnan(*exchange_field(r, &settings[i])) || settings[i].needs & needs)
            continue;
        while (!(study_exchange_models[m].needs & settings[i].needs))
            m++;
        return error_set(err, ERROR_INPUT, "--%s: no model that was chosen looks at it; --model %s does",
                         settings[i].name, study_exchange_models[m].name);
    }
    const char *unused = r->network ? "--network" : r->fit_path ? "--fit" : NULL;
    return !unused || needs & STUDY_EXCHANGE_SIGNATURE ||
           error_set(err, ERROR_INPUT, "%s: no model that was chosen looks at it; --model signature does", unused);
}

/* Table 5.2 where the command line gives nothing; o->given names what it gives. */
static bool exchange_fill_defaults(struct cli_predict_exchange_options *o, struct error *err)
{
    bool cut_through = strcmp(o->like, "8275-326") == 0;
    if (!cut_through && strcmp(o->like, "8275-416") != 0)
        return error_set(err, ERROR_INPUT, "--like %s: Table 5.2 has the switches 8275-326 and 8275-416", o->like);
    struct study_exchange_request *r = &o->request, defaults = {
        .tam = model_tam_default(cut_through ? MODEL_TAM_IBM_326 : MODEL_TAM_IBM_416)};
    for (int i = 0; i < SETTINGS; i++) {
        if (settings[i].field < FIELD(tam) || settings[i].field >= FIELD(tam) + sizeof r->tam)
            continue;
        double *field = exchange_field(r, &settings[i]);
        if (isnan(*field))
            *field = *exchange_field(&defaults, &settings[i]);
        else
            text_add(o->given, sizeof o->given, "%s--%s", *o->given ? " " : "", settings[i].name);
    }
    r->tam.buffer_packets = defaults.tam.buffer_packets;
    return true;
}

/* As cli_options_read(). */
static int exchange_read(int argc, char **argv, struct cli_predict_exchange_options *o, struct error *err)
{
    struct study_exchange_request *r = &o->request;
    struct cli_option options[WORDS + SETTINGS + 1] = {
        {"model", 0, .call = exchange_models, .to = r},
        {"like", 0, .text = &o->like},
        {"network", 0, .text = &r->network},
        {"fit", 0, .text = &r->fit_path},
        {"sizes", 0, .text = &r->sizes_path},
        {"json", 0, .flag = &o->json},
    };
    *o = (struct cli_predict_exchange_options){.like = "8275-326"};
    for (int i = 0; i < SETTINGS; i++) {
        double *field = exchange_field(r, &settings[i]);
        int64_t most = settings[i].unit == CLI_OPTIONS_COUNT ? INT64_MAX : 0;
        options[WORDS + i] = (struct cli_option){settings[i].name, .number = field, .unit = settings[i].unit, .least = 1, .most = most};
        *field = NAN;
    }
    int at = cli_options_read("predict exchange", argc, argv, options, err);
    if (at <= 0)
        return at;
    bool any = false;
    for (int m = 0; m < STUDY_EXCHANGE_MODELS; m++)
        any |= r->wanted[m];
    if (!any && !r->sizes_path) {
        const char *name = r->fit_path || r->network ? "signature" : "tam";
        r->wanted[exchange_model_at(name, strlen(name))] = true;
    }
    if (at < argc)
        error_set(err, ERROR_INPUT, "exchange: '%s' is not an option; see 'contraflow predict exchange --help'",
                  argv[at]);
    return at == argc && exchange_check_use(r, err) && exchange_fill_defaults(o, err) ? at : -1;
}

int cmd_predict_exchange(int argc, char **argv)
{
    struct cli_predict_exchange_options o;
    struct study_exchange_answer a;
    struct error err = {0};
    int at = exchange_read(argc, argv, &o, &err);
    if (at <= 0)
        return at ? cli_fail(&err) : 0;
    if (!study_exchange_predict(&o.request, &a, &err))
        return cli_fail(&err);
    cli_predict_exchange_show(&o, &a);
    return 0;
}
