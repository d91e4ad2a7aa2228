/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/units.h"
#include "cli/cmd_predict_exchange.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { KIND_COUNT, KIND_NUMBER, KIND_TIME, KIND_TIME_PER_BYTE, KIND_BYTES, KIND_RATE };

#define FIELD(name) offsetof(struct predict_exchange_request, name)

/* Sets of models. */
enum {
    FOR_TAM = 1 << PREDICT_EXCHANGE_TAM,
    FOR_GAPS = 1 << PREDICT_EXCHANGE_TWO_GAP,
    FOR_SIGNATURE = 1 << PREDICT_EXCHANGE_SIGNATURE,
    FOR_LINK = 1 << PREDICT_EXCHANGE_HOCKNEY | 1 << PREDICT_EXCHANGE_LOWER_BOUND | 1 << PREDICT_EXCHANGE_CLEMENT |
               FOR_SIGNATURE,
    FOR_ANY = (1 << PREDICT_EXCHANGE_MODELS) - 1
};

/* Every option that sets a number, with the field it sets and the models that use it. */
static const struct setting {
    const char *name;
    enum kind kind;
    size_t field;
    int models;
} settings[] = {
    {"processes", KIND_COUNT, FIELD(processes), FOR_ANY},
    {"packets", KIND_COUNT, FIELD(packets), FOR_ANY},
    {"message", KIND_BYTES, FIELD(message_bytes), FOR_ANY},
    {"switches", KIND_COUNT, FIELD(switches), FOR_ANY},
    {"buffer", KIND_COUNT, FIELD(buffer_packets), FOR_ANY},
    {"control", KIND_NUMBER, FIELD(control_packets), FOR_ANY},
    {"uplink", KIND_RATE, FIELD(uplink_bps), FOR_ANY},
    {"alpha", KIND_TIME, FIELD(alpha_s), FOR_LINK | FOR_GAPS},
    {"beta", KIND_TIME_PER_BYTE, FIELD(beta_s_per_byte), FOR_LINK},
    {"rate", KIND_RATE, FIELD(rate_bps), FOR_LINK},
    {"beta-free", KIND_TIME_PER_BYTE, FIELD(beta_free_s_per_byte), FOR_GAPS},
    {"beta-contended", KIND_TIME_PER_BYTE, FIELD(beta_contended_s_per_byte), FOR_GAPS},
    {"rho", KIND_NUMBER, FIELD(rho), FOR_GAPS},
    {"gamma", KIND_NUMBER, FIELD(gamma), FOR_SIGNATURE},
    {"delta", KIND_TIME, FIELD(delta_s), FOR_SIGNATURE},
    {"threshold", KIND_BYTES, FIELD(threshold_bytes), FOR_SIGNATURE},
    {"group", KIND_COUNT, FIELD(group), FOR_TAM},
    {"o-s", KIND_TIME, FIELD(tam.send_overhead_s), FOR_TAM},
    {"g-s", KIND_TIME, FIELD(tam.send_gap_s), FOR_TAM},
    {"o-r", KIND_TIME, FIELD(tam.receive_overhead_s), FOR_TAM},
    {"g-r", KIND_TIME, FIELD(tam.receive_gap_s), FOR_TAM},
    {"u-r", KIND_TIME, FIELD(tam.user_overhead_s), FOR_TAM},
    {"l", KIND_TIME, FIELD(tam.latency_s), FOR_TAM},
    {"l-per-process", KIND_TIME, FIELD(tam.latency_per_process_s), FOR_TAM},
    {"packet", KIND_BYTES, FIELD(tam.packet_bytes), FOR_ANY},
};
enum { SETTINGS = sizeof settings / sizeof *settings, WORDS = 6 };

static const char *const model_names[PREDICT_EXCHANGE_MODELS] = {"tam",     "hockney", "lower-bound",
                                                                 "clement", "two-gap", "signature"};

static bool parse_number(const char *text, double *value, struct error *err)
{
    char *end;
    *value = strtod(text, &end);
    return (end != text && *end == '\0' && isfinite(*value)) ||
           error_set(err, ERROR_INPUT, "'%s' is not a number; try 0.5", text);
}

static bool parse_setting(enum kind kind, const char *text, double *value, struct error *err)
{
    int64_t whole = 0;
    bool ok = true;
    double scale = 1;
    switch (kind) {
    case KIND_NUMBER:
        return parse_number(text, value, err);
    case KIND_TIME_PER_BYTE: /* published to more digits than a picosecond has: plain seconds as well */
        if (parse_number(text, value, err))
            return true;
        ok = units_parse_time(text, &whole, err);
        scale = UNITS_PS_PER_S;
        break;
    case KIND_TIME:
        ok = units_parse_time(text, &whole, err);
        scale = UNITS_PS_PER_S;
        break;
    case KIND_COUNT:
        ok = units_parse_integer(text, &whole, err);
        if (ok && whole < 1)
            return error_set(err, ERROR_INPUT, "'%s' is not a count; at least 1", text);
        break;
    case KIND_BYTES:
        ok = units_parse_bytes(text, &whole, err);
        break;
    case KIND_RATE:
        ok = units_parse_rate(text, &whole, err);
        break;
    }
    *value = (double)whole / scale;
    return ok;
}

static bool parse_models(const char *text, struct predict_exchange_request *r, struct error *err)
{
    if (*text == '\0')
        return error_set(err, ERROR_INPUT, "--model: names no model; try --model tam");
    while (*text) {
        size_t n = strcspn(text, ","), m = 0;
        while (m < PREDICT_EXCHANGE_MODELS && (strlen(model_names[m]) != n || strncmp(model_names[m], text, n) != 0))
            m++;
        if (m == PREDICT_EXCHANGE_MODELS)
            return error_set(err, ERROR_INPUT,
                             "--model %.*s: unknown; there are tam, hockney, lower-bound, clement, two-gap, signature",
                             (int)n, text);
        r->wanted[m] = true;
        text += n + (text[n] == ',');
    }
    return true;
}

static double *field_of(struct predict_exchange_request *r, const struct setting *s)
{
    return (double *)(void *)((char *)r + s->field);
}

/* Refuses an option that no chosen model uses: it would be ignored silently. */
static bool check_use(struct predict_exchange_request *r, struct error *err)
{
    int wanted = 0;
    for (int m = 0; m < PREDICT_EXCHANGE_MODELS; m++)
        wanted |= r->wanted[m] ? 1 << m : 0;
    for (int i = 0; i < SETTINGS; i++) {
        if (isnan(*field_of(r, &settings[i])) || settings[i].models & wanted)
            continue;
        int m = 0;
        while (!(settings[i].models & 1 << m))
            m++;
        return error_set(err, ERROR_INPUT, "--%s: no model given uses it; --model %s does",
                         settings[i].name, model_names[m]);
    }
    const char *unused = r->network ? "--network" : r->fit_path ? "--fit" : NULL;
    return !unused || wanted & FOR_SIGNATURE ||
           error_set(err, ERROR_INPUT, "%s: no model given uses it; --model signature does", unused);
}

/* Fills what the command line left out from Table 5.2; r->given names what it set. */
static bool fill_defaults(struct predict_exchange_request *r, struct error *err)
{
    bool cut_through = strcmp(r->like, "8275-326") == 0;
    if (!cut_through && strcmp(r->like, "8275-416") != 0)
        return error_set(err, ERROR_INPUT, "--like %s: Table 5.2 has the switches 8275-326 and 8275-416", r->like);
    struct predict_exchange_request defaults = {.tam = model_tam_default(cut_through ? MODEL_TAM_IBM_326
                                                                                     : MODEL_TAM_IBM_416)};
    for (int i = 0; i < SETTINGS; i++) {
        if (settings[i].field < FIELD(tam) || settings[i].field >= FIELD(tam) + sizeof r->tam)
            continue;
        double *field = field_of(r, &settings[i]);
        size_t used = strlen(r->given);
        if (isnan(*field))
            *field = *field_of(&defaults, &settings[i]);
        else
            snprintf(r->given + used, sizeof r->given - used, "%s--%s", used ? " " : "", settings[i].name);
    }
    r->tam.buffer_packets = defaults.tam.buffer_packets;
    return true;
}

bool predict_exchange_parse(int argc, char **argv, struct predict_exchange_request *r, struct error *err)
{
    struct option options[SETTINGS + WORDS + 1] = {
        {"model", required_argument, NULL, 'm'}, {"like", required_argument, NULL, 'l'},
        {"network", required_argument, NULL, 'n'}, {"fit", required_argument, NULL, 'f'},
        {"json", no_argument, NULL, 'j'},        {"help", no_argument, NULL, 'h'},
    };
    *r = (struct predict_exchange_request){.like = "8275-326"};
    for (int i = 0; i < SETTINGS; i++) {
        options[WORDS + i] = (struct option){settings[i].name, required_argument, NULL, 256 + i};
        *field_of(r, &settings[i]) = NAN;
    }
    int c;
    bool any = false;
    optind = 1;
    while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        bool ok = true;
        switch (c) {
        case 'm':
            ok = parse_models(optarg, r, err);
            any = true;
            break;
        case 'l':
            r->like = optarg;
            break;
        case 'n':
            r->network = optarg;
            break;
        case 'f':
            r->fit_path = optarg;
            break;
        case 'j':
            r->json = true;
            break;
        case 'h':
            r->help = true;
            return true;
        case '?': /* getopt_long has said what */
            return error_set(err, ERROR_INPUT, "'contraflow predict exchange --help' lists the options");
        default:
            ok = parse_setting(settings[c - 256].kind, optarg, field_of(r, &settings[c - 256]), err);
            if (!ok)
                error_prefix(err, "--%s: ", settings[c - 256].name);
        }
        if (!ok)
            return false;
    }
    if (optind < argc)
        return error_set(err, ERROR_INPUT, "exchange: '%s' is not an option; see 'contraflow predict exchange --help'",
                         argv[optind]);
    if (!any)
        r->wanted[r->fit_path || r->network ? PREDICT_EXCHANGE_SIGNATURE : PREDICT_EXCHANGE_TAM] = true;
    return check_use(r, err) && fill_defaults(r, err);
}
