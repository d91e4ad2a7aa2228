/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A host's parameters as options: each a time of a packet, or a line of its size. */
#include "base/units.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/predict/predict.h"
#include "results/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LINE(name) offsetof(struct cli_predict_host, lines.name)
#define FIELD(name) offsetof(struct cli_predict_host, name)

enum kind { KIND_LINE, KIND_TIME, KIND_COUNT, KIND_BYTES };

static const struct setting {
    const char *name;
    enum kind kind;
    size_t field;
} settings[] = {
    {"packets", KIND_COUNT, FIELD(packets)},
    {"message", KIND_BYTES, FIELD(message_bytes)},
    {"processes", KIND_COUNT, FIELD(processes)},
    {"o-s", KIND_LINE, LINE(send_overhead)},
    {"g-s", KIND_LINE, LINE(send_gap)},
    {"o-r", KIND_LINE, LINE(receive_overhead)},
    {"g-r", KIND_LINE, LINE(receive_gap)},
    {"u-r", KIND_LINE, LINE(user_overhead)},
    {"l", KIND_LINE, LINE(latency)},
    {"l-per-process", KIND_TIME, FIELD(latency_per_process_s)},
    {"packet", KIND_BYTES, FIELD(packet_bytes)},
    {"copy", KIND_TIME, FIELD(copy_s_per_byte)},
};
enum { SETTINGS = sizeof settings / sizeof *settings, WORDS = 2 };

static bool host_time(const char *text, double *value_s, struct error *err)
{
    int64_t ps = 0;
    if (!units_parse_time(text, &ps, err))
        return false;
    *value_s = (double)ps / (double)UNITS_PS_PER_S;
    return true;
}

/* "12.5us", or "3.04us+80ns": the second for each byte. */
static bool host_line(const char *text, struct model_tam_line *line, struct error *err)
{
    char fixed[64];
    const char *plus = strchr(text, '+');
    size_t n = plus ? (size_t)(plus - text) : strlen(text);
    *line = (struct model_tam_line){0};
    if (n >= sizeof fixed)
        return error_set(err, ERROR_INPUT, "'%s' is no time; try 12.5us, or 3.04us+80ns for 80 ns more a byte", text);
    memcpy(fixed, text, n);
    fixed[n] = '\0';
    return host_time(fixed, &line->fixed_s, err) && (!plus || host_time(plus + 1, &line->per_byte_s, err));
}

static bool host_whole(enum kind kind, const char *text, int64_t *value, struct error *err)
{
    if (!(kind == KIND_BYTES ? units_parse_bytes : units_parse_integer)(text, value, err))
        return false;
    return (*value >= 1 && *value <= INT64_C(1000000000000000)) ||
           error_set(err, ERROR_INPUT, "'%s' is not 1 to 1e15", text);
}

/* `to` is the struct cli_predict_host: the row of the option has the field. */
static bool host_setting(const struct cli_option *option, const char *text, struct error *err)
{
    const struct setting *s = settings;
    while (strcmp(s->name, option->name) != 0)
        s++;
    void *field = (char *)option->to + s->field;
    bool ok = s->kind == KIND_LINE   ? host_line(text, field, err)
              : s->kind == KIND_TIME ? host_time(text, field, err)
                                     : host_whole(s->kind, text, field, err);
    return ok || error_prefix(err, "--%s: ", s->name);
}

/* Table 5.2, whose parameters are times of a full packet, before the options that replace them. */
static bool host_defaults(struct cli_predict_host *h, int argc, char **argv, struct error *err)
{
    *h = (struct cli_predict_host){.processes = 2, .like = "8275-326"};
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--like=", 7) == 0)
            h->like = argv[i] + 7;
        else if (strcmp(argv[i], "--like") == 0 && i + 1 < argc)
            h->like = argv[i + 1];
    }
    bool cut_through = strcmp(h->like, "8275-326") == 0;
    if (!cut_through && strcmp(h->like, "8275-416") != 0)
        return error_set(err, ERROR_INPUT, "--like %s: Table 5.2 has the switches 8275-326 and 8275-416", h->like);
    h->t = model_tam_default(cut_through ? MODEL_TAM_IBM_326 : MODEL_TAM_IBM_416);
    h->lines = (struct model_tam_lines){{h->t.send_overhead_s, 0},    {h->t.send_gap_s, 0},
                                        {h->t.latency_s, 0},          {h->t.receive_gap_s, 0},
                                        {h->t.receive_overhead_s, 0}, {h->t.user_overhead_s, 0}};
    h->latency_per_process_s = h->t.latency_per_process_s;
    h->packet_bytes = (int64_t)h->t.packet_bytes;
    return true;
}

int cli_predict_host_read(const char *page, int argc, char **argv, struct cli_predict_host *h, struct error *err)
{
    struct cli_option options[WORDS + SETTINGS + 1] = {{"like", 0, .text = &h->like}, {"json", 0, .flag = &h->json}};
    int tree = strcmp(page, "predict broadcast") == 0, n = SETTINGS - !tree; /* --copy, the last, is the tree's */
    for (int i = 0; i < n; i++)
        options[WORDS + i] = (struct cli_option){settings[i].name, 0, .call = host_setting, .to = h};
    if (!host_defaults(h, argc, argv, err))
        return -1;
    int at = cli_options_read(page, argc, argv, options, err);
    if (at <= 0)
        return at;
    if (at < argc) {
        error_set(err, ERROR_INPUT, "'%s' is not an option; see 'contraflow %s --help'", argv[at], page);
        return -1;
    }
    if ((h->packets > 0) == (h->message_bytes > 0)) {
        error_set(err, ERROR_INPUT, "give one of --packets and --message");
        return -1;
    }
    if (h->message_bytes > 0 && h->message_bytes < h->packet_bytes)
        h->packet_bytes = h->message_bytes;
    h->t.latency_per_process_s = h->latency_per_process_s;
    h->t.copy.cache_to_memory_s_per_byte = h->copy_s_per_byte;
    bool ok = model_tam_of_size(&h->lines, (double)h->packet_bytes, &h->t, err);
    h->k = (size_t)h->packets;
    if (h->packets > 0)
        h->message_bytes = h->packets * h->packet_bytes;
    else
        ok = ok && model_tam_packets(&h->t, (double)h->message_bytes, &h->k, err);
    return ok ? at : -1;
}

void cli_predict_host_show(const struct cli_predict_host *h)
{
    const struct model_tam *t = &h->t;
    size_t p = (size_t)h->processes;
    printf("%" PRId64 " bytes in %zu packet%s of %g bytes, %zu processes (Tam 2001, Eq. 2.1-2.5)\n", h->message_bytes,
           h->k, h->k == 1 ? "" : "s", t->packet_bytes, p);
    printf("  a packet: O_s %g, g_s %g, O_r %g, g_r %g, U_r %g, L %g us\n", t->send_overhead_s * 1e6,
           t->send_gap_s * 1e6, t->receive_overhead_s * 1e6, t->receive_gap_s * 1e6, t->user_overhead_s * 1e6,
           model_tam_latency_s(t, p) * 1e6);
    printf("  O_s + O_r + U_r < g < L %s\n", model_tam_is_full_duplex(t, p) ? "holds: the network is the bottleneck"
                                                                            : "does not hold");
}

json_t *cli_predict_host_json(const struct cli_predict_host *h)
{
    const struct model_tam *t = &h->t;
    size_t p = (size_t)h->processes;
    return results_json("message_bytes:l packets:z packet_bytes:f processes:z o_s_s:f g_s_s:f o_r_s:f g_r_s:f u_r_s:f "
                        "l_s:f full_duplex:b", h->message_bytes, h->k, t->packet_bytes, p, t->send_overhead_s,
                        t->send_gap_s, t->receive_overhead_s, t->receive_gap_s, t->user_overhead_s,
                        model_tam_latency_s(t, p), model_tam_is_full_duplex(t, p));
}
