/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A host's parameters as options: each a time of a packet, or a line of its size. */
#include "cli/options.h"
#include "cli/predict/predict.h"
#include "results/json.h"

#define MOST INT64_C(1000000000000000) /* packets, processes, bytes */

/* "12.5us", or "3.04us+80ns": the second for each byte. */
static bool host_line(const struct cli_option *option, const char *text, struct error *err)
{
    struct model_tam_line *line = option->to;
    char fixed[64];
    const char *plus = strchr(text, '+');
    size_t n = plus ? (size_t)(plus - text) : strlen(text);
    int64_t ps[2] = {0, 0};
    if (n >= sizeof fixed)
        return error_set(err, ERROR_INPUT, "--%s: '%s' is no time; try 12.5us, or 3.04us+80ns for 80 ns more a byte",
                         option->name, text);
    snprintf(fixed, sizeof fixed, "%.*s", (int)n, text);
    if (!units_parse_time(fixed, &ps[0], err) || (plus && !units_parse_time(plus + 1, &ps[1], err)))
        return error_prefix(err, "--%s: ", option->name);
    *line = (struct model_tam_line){(double)ps[0] / (double)UNITS_PS_PER_S, (double)ps[1] / (double)UNITS_PS_PER_S};
    return true;
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
    bool tree = strcmp(page, "predict broadcast") == 0; /* --copy, the last, is the tree's */
    const struct cli_option options[] = {
        {"like", 0, .text = &h->like},
        {"json", 0, .flag = &h->json},
        {"packets", 0, .whole = &h->packets, .unit = CLI_OPTIONS_COUNT, .least = 1, .most = MOST},
        {"message", 0, .whole = &h->message_bytes, .unit = CLI_OPTIONS_BYTES, .least = 1, .most = MOST},
        {"processes", 0, .whole = &h->processes, .unit = CLI_OPTIONS_COUNT, .least = 1, .most = MOST},
        {"o-s", 0, .call = host_line, .to = &h->lines.send_overhead},
        {"g-s", 0, .call = host_line, .to = &h->lines.send_gap},
        {"o-r", 0, .call = host_line, .to = &h->lines.receive_overhead},
        {"g-r", 0, .call = host_line, .to = &h->lines.receive_gap},
        {"u-r", 0, .call = host_line, .to = &h->lines.user_overhead},
        {"l", 0, .call = host_line, .to = &h->lines.latency},
        {"l-per-process", 0, .number = &h->latency_per_process_s, .unit = CLI_OPTIONS_TIME},
        {"packet", 0, .whole = &h->packet_bytes, .unit = CLI_OPTIONS_BYTES, .least = 1, .most = MOST},
        {tree ? "copy" : NULL, 0, .number = &h->copy_s_per_byte, .unit = CLI_OPTIONS_TIME},
        {0},
    };
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
