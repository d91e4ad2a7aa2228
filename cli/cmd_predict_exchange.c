/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/units.h"
#include "cli/cli.h"
#include "cli/predict.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: contraflow predict exchange --processes P --packets K|--message SIZE [--model NAME[,NAME]...] ...\n\n"
    "How long a complete exchange takes (MPI_Alltoall): each of P processes sends SIZE bytes, or K full packets, to\n"
    "each other one over a full-duplex network. No model here knows of the losses that a run can suffer:\n"
    "'contraflow run' emulates them.\n\n"
    "      --model NAME[,NAME]...\n"
    "  tam          Tam 2001, Eq. 5.1-5.4, from what a packet costs each part of a host (default): the lower bound,\n"
    "               and synchronous shuffle (packets to all partners in turn), group shuffle, pairwise and shift\n"
    "               exchange (a whole message a round)\n"
    "  hockney      (P - 1) (alpha + beta m), a message of m bytes after the other (Steffenel 2006, Eq. 1)\n"
    "  lower-bound  the same: no exchange that does not forward messages is faster (Proposition 1)\n"
    "  clement      (P - 1) (alpha + beta m P): all share one medium (Eq. 2 for each message)\n"
    "  two-gap      hockney, beta a mean of that without and that with contention (Eq. 3)\n"
    "  signature    the lower bound times gamma, plus P - 1 times delta for messages of M bytes or more (Eq. 5)\n"
    "Parameters of tam, each with Table 5.2 as default, measured on Fast Ethernet:\n"
    "      --like SWITCH   8275-326 (default; virtual cut-through) or 8275-416 (store and forward)\n"
    "      --o-s, --o-r, --u-r TIME   processor time to send, to receive in the kernel, in the process\n"
    "      --g-s, --g-r TIME          gap between packets sent, received\n"
    "      --l, --l-per-process TIME  network latency: L + P * that of a process\n"
    "      --packet SIZE   payload of a full packet (1492)\n"
    "      --group N       partners at a time in group shuffle (5, or P - 1 if less)\n"
    "Two levels of switches, P / D2 processes on each of D2 with one uplink (chapter 6):\n"
    "      --switches D2   also the global window: packets that a process may have under way, whoever they are for,\n"
    "                      so that all together fit the buffer of an uplink (Eq. 6.2, rounded down)\n"
    "      --buffer N      full packets which that buffer holds (45)\n"
    "      --control N     control packets for each data packet (1: each is acknowledged)\n"
    "      --uplink RATE   goodput of an uplink, both directions together: no time is shorter than Eq. 6.4\n\n"
    "Parameters of the others\n"
    "      --alpha TIME    to start a message\n"
    "      --beta TIME     of a byte; plain seconds or with a unit: 8.502e-9, 8ns. Or --rate RATE: 8 bits / RATE\n"
    "      --beta-free, --beta-contended TIME, --rho SHARE   two-gap (8.502e-9, 8.498189e-8, 0.5: the paper's)\n"
    "      --gamma G, --delta TIME, --threshold SIZE         signature: gamma, delta, M\n"
    "      --network NAME  signature as published: fast-ethernet, gigabit-ethernet, myrinet\n"
    "      --fit FILE.csv  signature fitted to measured times, with 95% intervals; a prediction is then optional.\n"
    "                      Columns processes,message_bytes,time_s[,std_error_s], named in the first line\n\n"
    "      --json          one object: \"predictions\" and what they rest on; seconds, bytes, bit/s\n\n"
    "  contraflow predict exchange --processes 16 --packets 64\n"
    "  contraflow predict exchange --processes 16 --message 100kB --g-s 12.3us --g-r 12.3us    a faster network\n"
    "  contraflow predict exchange --processes 32 --packets 64 --switches 4 --uplink 824Mbps\n"
    "  contraflow predict exchange --processes 40 --message 1MB --model hockney,two-gap,signature --alpha 50us \\\n"
    "             --rate 941Mbps --network gigabit-ethernet\n"
    "  contraflow predict exchange --fit measured.csv --alpha 50us --rate 941Mbps\n\n"
    "Exit status: 0 done; 2 bad input; 3 the system failed.\n";

enum kind { KIND_COUNT, KIND_NUMBER, KIND_TIME, KIND_TIME_PER_BYTE, KIND_BYTES, KIND_RATE };

#define FIELD(name) offsetof(struct study_exchange_request, name)

/* Every option that sets a number, and the field it sets. The models that have one of its `needs` look at it. */
static const struct setting {
    const char *name;
    enum kind kind;
    size_t field;
    int needs;
} settings[] = {
    {"processes", KIND_COUNT, FIELD(processes), STUDY_EXCHANGE_ANY},
    {"packets", KIND_COUNT, FIELD(packets), STUDY_EXCHANGE_ANY},
    {"message", KIND_BYTES, FIELD(message_bytes), STUDY_EXCHANGE_ANY},
    {"switches", KIND_COUNT, FIELD(switches), STUDY_EXCHANGE_ANY},
    {"buffer", KIND_COUNT, FIELD(buffer_packets), STUDY_EXCHANGE_ANY},
    {"control", KIND_NUMBER, FIELD(control_packets), STUDY_EXCHANGE_ANY},
    {"uplink", KIND_RATE, FIELD(uplink_bps), STUDY_EXCHANGE_ANY},
    {"alpha", KIND_TIME, FIELD(alpha_s), STUDY_EXCHANGE_LINK | STUDY_EXCHANGE_GAPS},
    {"beta", KIND_TIME_PER_BYTE, FIELD(beta_s_per_byte), STUDY_EXCHANGE_LINK},
    {"rate", KIND_RATE, FIELD(rate_bps), STUDY_EXCHANGE_LINK},
    {"beta-free", KIND_TIME_PER_BYTE, FIELD(beta_free_s_per_byte), STUDY_EXCHANGE_GAPS},
    {"beta-contended", KIND_TIME_PER_BYTE, FIELD(beta_contended_s_per_byte), STUDY_EXCHANGE_GAPS},
    {"rho", KIND_NUMBER, FIELD(rho), STUDY_EXCHANGE_GAPS},
    {"gamma", KIND_NUMBER, FIELD(gamma), STUDY_EXCHANGE_SIGNATURE},
    {"delta", KIND_TIME, FIELD(delta_s), STUDY_EXCHANGE_SIGNATURE},
    {"threshold", KIND_BYTES, FIELD(threshold_bytes), STUDY_EXCHANGE_SIGNATURE},
    {"group", KIND_COUNT, FIELD(group), STUDY_EXCHANGE_TAM},
    {"o-s", KIND_TIME, FIELD(tam.send_overhead_s), STUDY_EXCHANGE_TAM},
    {"g-s", KIND_TIME, FIELD(tam.send_gap_s), STUDY_EXCHANGE_TAM},
    {"o-r", KIND_TIME, FIELD(tam.receive_overhead_s), STUDY_EXCHANGE_TAM},
    {"g-r", KIND_TIME, FIELD(tam.receive_gap_s), STUDY_EXCHANGE_TAM},
    {"u-r", KIND_TIME, FIELD(tam.user_overhead_s), STUDY_EXCHANGE_TAM},
    {"l", KIND_TIME, FIELD(tam.latency_s), STUDY_EXCHANGE_TAM},
    {"l-per-process", KIND_TIME, FIELD(tam.latency_per_process_s), STUDY_EXCHANGE_TAM},
    {"packet", KIND_BYTES, FIELD(tam.packet_bytes), STUDY_EXCHANGE_ANY},
};
enum { SETTINGS = sizeof settings / sizeof *settings, WORDS = 6 };

static bool exchange_number(const char *text, double *value, struct error *err)
{
    char *end;
    *value = strtod(text, &end);
    return (end != text && *end == '\0' && isfinite(*value)) ||
           error_set(err, ERROR_INPUT, "'%s' is not a number; try 0.5", text);
}

static bool exchange_setting(enum kind kind, const char *text, double *value, struct error *err)
{
    int64_t whole = 0;
    bool ok = true;
    double scale = 1;
    switch (kind) {
    case KIND_NUMBER:
        return exchange_number(text, value, err);
    case KIND_TIME_PER_BYTE: /* published to more digits than a picosecond has: plain seconds as well */
        if (exchange_number(text, value, err))
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

static bool exchange_models(const char *text, struct study_exchange_request *r, struct error *err)
{
    if (*text == '\0')
        return error_set(err, ERROR_INPUT, "--model: names no model; try --model tam");
    while (*text) {
        size_t n = strcspn(text, ",");
        int m = exchange_model_at(text, n);
        if (m < 0) {
            char list[128] = "";
            for (size_t at = 0; ++m < STUDY_EXCHANGE_MODELS && at < sizeof list;)
                at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", m ? ", " : "",
                                       study_exchange_models[m].name);
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
        size_t used = strlen(o->given);
        if (isnan(*field))
            *field = *exchange_field(&defaults, &settings[i]);
        else
            snprintf(o->given + used, sizeof o->given - used, "%s--%s", used ? " " : "", settings[i].name);
    }
    r->tam.buffer_packets = defaults.tam.buffer_packets;
    return true;
}

static bool exchange_parse(int argc, char **argv, struct cli_predict_exchange_options *o, struct error *err)
{
    struct option list[SETTINGS + WORDS + 1] = {
        {"model", required_argument, NULL, 'm'}, {"like", required_argument, NULL, 'l'},
        {"network", required_argument, NULL, 'n'}, {"fit", required_argument, NULL, 'f'},
        {"json", no_argument, NULL, 'j'},        {"help", no_argument, NULL, 'h'},
    };
    struct study_exchange_request *r = &o->request;
    *o = (struct cli_predict_exchange_options){.like = "8275-326"};
    for (int i = 0; i < SETTINGS; i++) {
        list[WORDS + i] = (struct option){settings[i].name, required_argument, NULL, 256 + i};
        *exchange_field(r, &settings[i]) = NAN;
    }
    int c;
    bool any = false;
    optind = 1;
    while ((c = getopt_long(argc, argv, "h", list, NULL)) != -1) {
        bool ok = true;
        switch (c) {
        case 'm':
            ok = exchange_models(optarg, r, err);
            any = true;
            break;
        case 'l':
            o->like = optarg;
            break;
        case 'n':
            r->network = optarg;
            break;
        case 'f':
            r->fit_path = optarg;
            break;
        case 'j':
            o->json = true;
            break;
        case 'h':
            o->help = true;
            return true;
        case '?': /* getopt_long has printed why */
            return error_set(err, ERROR_INPUT, "'contraflow predict exchange --help' lists the options");
        default:
            ok = exchange_setting(settings[c - 256].kind, optarg, exchange_field(r, &settings[c - 256]), err);
            if (!ok)
                error_prefix(err, "--%s: ", settings[c - 256].name);
        }
        if (!ok)
            return false;
    }
    if (optind < argc)
        return error_set(err, ERROR_INPUT, "exchange: '%s' is not an option; see 'contraflow predict exchange --help'",
                         argv[optind]);
    if (!any) {
        const char *name = r->fit_path || r->network ? "signature" : "tam";
        r->wanted[exchange_model_at(name, strlen(name))] = true;
    }
    return exchange_check_use(r, err) && exchange_fill_defaults(o, err);
}

int cmd_predict_exchange(int argc, char **argv)
{
    struct cli_predict_exchange_options o;
    struct study_exchange_answer a;
    struct error err = {0};
    if (!exchange_parse(argc, argv, &o, &err))
        return cli_fail(&err);
    if (o.help) {
        fputs(help, stdout);
        return 0;
    }
    if (!study_exchange_predict(&o.request, &a, &err) || !cli_predict_exchange_show(&o, &a, &err))
        return cli_fail(&err);
    return 0;
}
