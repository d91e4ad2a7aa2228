/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/exchange/tam.h"

#define PACKETS_MAX 1e15 /* below 2^53: a double counts them exactly */

struct model_tam model_tam_default(enum model_tam_switch kind)
{
    struct model_tam t = {.send_overhead_s = 12.5e-6,
                          .send_gap_s = 122e-6,
                          .receive_overhead_s = 20e-6,
                          .receive_gap_s = 123e-6,
                          .user_overhead_s = 7e-6,
                          .latency_s = 149e-6,
                          .latency_per_process_s = 0.3387e-6,
                          .packet_bytes = 1492,
                          .buffer_packets = 43};
    if (kind == MODEL_TAM_IBM_416) {
        t.latency_s = 264e-6;
        t.latency_per_process_s = 0.3413e-6;
        t.buffer_packets = 95;
    }
    return t;
}

bool model_tam_check(const struct model_tam *t, struct error *err)
{
    const struct {
        const char *name, *unit;
        double value;
        bool positive;
    } rows[] = {
        {"O_s", "s", t->send_overhead_s, false},
        {"g_s", "s", t->send_gap_s, true},
        {"O_r", "s", t->receive_overhead_s, false},
        {"g_r", "s", t->receive_gap_s, true},
        {"U_r", "s", t->user_overhead_s, false},
        {"L", "s", t->latency_s, false},
        {"L per process", "s", t->latency_per_process_s, false},
        {"packet", "bytes", t->packet_bytes, true},
        {"B_L", "packets", t->buffer_packets, false},
        {"M_ctc", "s/byte", t->copy.cache_to_cache_s_per_byte, false},
        {"M_ctm", "s/byte", t->copy.cache_to_memory_s_per_byte, false},
        {"M_mtm", "s/byte", t->copy.memory_to_memory_s_per_byte, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!isfinite(rows[i].value) || rows[i].value < 0 || (rows[i].positive && rows[i].value <= 0))
            return error_set(err, ERROR_INPUT, "%s: %g %s; must be a finite number %s 0", rows[i].name, rows[i].value,
                             rows[i].unit, rows[i].positive ? "above" : "not below");
    return true;
}

static double tam_at(const struct model_tam_line *line, double bytes)
{
    return line->fixed_s + line->per_byte_s * bytes;
}

bool model_tam_of_size(const struct model_tam_lines *lines, double bytes, struct model_tam *t, struct error *err)
{
    t->send_overhead_s = tam_at(&lines->send_overhead, bytes);
    t->send_gap_s = tam_at(&lines->send_gap, bytes);
    t->latency_s = tam_at(&lines->latency, bytes);
    t->receive_gap_s = tam_at(&lines->receive_gap, bytes);
    t->receive_overhead_s = tam_at(&lines->receive_overhead, bytes);
    t->user_overhead_s = tam_at(&lines->user_overhead, bytes);
    t->packet_bytes = bytes;
    return model_tam_check(t, err);
}

double model_tam_latency_s(const struct model_tam *t, size_t processes)
{
    return t->latency_s + t->latency_per_process_s * (double)processes;
}

bool model_tam_packets(const struct model_tam *t, double message_bytes, size_t *packets, struct error *err)
{
    if (!model_tam_check(t, err))
        return false;
    if (!isfinite(message_bytes) || message_bytes <= 0)
        return error_set(err, ERROR_INPUT, "message: %g bytes; must be a finite number above 0", message_bytes);
    double k = ceil(message_bytes / t->packet_bytes);
    if (k > PACKETS_MAX)
        return error_set(err, ERROR_INPUT, "message: %g packets of %g bytes; at most %g", k, t->packet_bytes,
                         PACKETS_MAX);
    *packets = (size_t)k;
    return true;
}

static double tam_gap_s(const struct model_tam *t)
{
    return fmax(t->send_gap_s, t->receive_gap_s);
}

static double tam_host_s(const struct model_tam *t)
{
    return t->send_overhead_s + t->receive_overhead_s + t->user_overhead_s;
}

bool model_tam_is_full_duplex(const struct model_tam *t, size_t processes)
{
    double gap = tam_gap_s(t);
    return tam_host_s(t) < gap && gap < model_tam_latency_s(t, processes);
}

const char *model_tam_stage_name(enum model_tam_stage stage)
{
    switch (stage) {
    case MODEL_TAM_SEND:
        return "send";
    case MODEL_TAM_RECEIVE:
        return "receive";
    case MODEL_TAM_HOST:
        return "host";
    case MODEL_TAM_NETWORK:
        break;
    }
    return "network";
}

static bool tam_check_call(const struct model_tam *t, size_t processes, size_t packets, struct error *err)
{
    if (!model_tam_check(t, err))
        return false;
    if (processes < 2)
        return error_set(err, ERROR_INPUT, "processes: %zu; at least 2 must take part", processes);
    if (packets < 1 || (double)packets > PACKETS_MAX)
        return error_set(err, ERROR_INPUT, "packets: %zu; must be 1 to %g", packets, PACKETS_MAX);
    return true;
}

static void tam_slower(struct model_tam_cost *cost, enum model_tam_stage stage, double gap_s)
{
    if (gap_s > cost->gap_s) {
        cost->gap_s = gap_s;
        cost->stage = stage;
    }
}

static void tam_fill(const struct model_tam *t, size_t processes, size_t packets, struct model_tam_cost *cost)
{
    cost->time_s = tam_host_s(t) + (double)(packets - 1) * cost->gap_s + model_tam_latency_s(t, processes);
}

bool model_tam_point_to_point(const struct model_tam *t, size_t processes, size_t packets, struct model_tam_cost *cost,
                              struct error *err)
{
    if (!tam_check_call(t, processes, packets, err))
        return false;
    *cost = (struct model_tam_cost){.gap_s = tam_gap_s(t), .stage = MODEL_TAM_NETWORK};
    tam_slower(cost, MODEL_TAM_SEND, t->send_overhead_s);
    tam_slower(cost, MODEL_TAM_RECEIVE, t->receive_overhead_s + t->user_overhead_s);
    tam_fill(t, processes, packets, cost);
    return true;
}

bool model_tam_exchange(const struct model_tam *t, size_t processes, size_t packets, struct model_tam_cost *cost,
                        struct error *err)
{
    if (!tam_check_call(t, processes, packets, err))
        return false;
    *cost = (struct model_tam_cost){.gap_s = tam_gap_s(t), .stage = MODEL_TAM_NETWORK};
    tam_slower(cost, MODEL_TAM_HOST, tam_host_s(t));
    tam_fill(t, processes, packets, cost);
    return true;
}

static size_t tam_tree_depth(size_t processes)
{
    size_t depth = 0;
    for (size_t left = processes - 1; left > 0; left >>= 1)
        depth++;
    return depth;
}

bool model_tam_broadcast(const struct model_tam *t, size_t processes, size_t packets, struct model_tam_broadcast *b,
                         struct error *err)
{
    if (!tam_check_call(t, processes, packets, err))
        return false;
    double d = (double)tam_tree_depth(processes), more = (double)(packets - 1);
    double s = fmax(tam_gap_s(t), t->send_overhead_s), t0 = tam_host_s(t);
    double copy_s = t->copy.cache_to_memory_s_per_byte * t->packet_bytes * (double)packets;
    double tree_s = d * (model_tam_latency_s(t, processes) + t0);
    b->root_s = copy_s + tree_s + more * d * s;
    b->interference_s = copy_s + tree_s + more * (t0 + (d - 2) * s);
    b->bottleneck = t0 < 2 * s ? MODEL_TAM_BROADCAST_ROOT : MODEL_TAM_BROADCAST_INTERFERENCE;
    b->time_s = b->bottleneck == MODEL_TAM_BROADCAST_ROOT ? b->root_s : b->interference_s;
    return true;
}
