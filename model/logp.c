/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/logp.h"

#include "base/order.h"

static bool check_parameter(double value, const char *name, struct error *err)
{
    return (isfinite(value) && value >= 0) ||
           error_set(err, ERROR_INPUT, "%s is %g s: want a time of 0 s or more", name, value);
}

/* Finite parameters can still make a product too large for a double. */
static bool logp_set_time(double value_s, double *time_s, struct error *err)
{
    if (!isfinite(value_s))
        return error_set(err, ERROR_INPUT, "time is beyond the range of numbers: want smaller L, o, g, G or message");
    *time_s = value_s;
    return true;
}

static bool check_message(const struct model_logp_message *m, int nodes, struct error *err)
{
    if (m->src < 0 || m->src >= nodes)
        return error_set(err, ERROR_INPUT, "source is node %d: want 0 to %d", m->src, nodes - 1);
    if (m->dst < 0 || m->dst >= nodes)
        return error_set(err, ERROR_INPUT, "destination is node %d: want 0 to %d", m->dst, nodes - 1);
    if (m->src == m->dst)
        return error_set(err, ERROR_INPUT, "source and destination are both node %d: want two nodes", m->src);
    if (!isfinite(m->start_s) || m->start_s < 0)
        return error_set(err, ERROR_INPUT, "start is %g s: want 0 s or more", m->start_s);
    return (isfinite(m->bytes) && m->bytes >= 1) ||
           error_set(err, ERROR_INPUT, "message is %g bytes: want 1 or more", m->bytes);
}

static bool check_pattern(int nodes, const struct model_logp_message *messages, size_t n, struct error *err)
{
    if (nodes < 1)
        return error_set(err, ERROR_INPUT, "number of nodes is %d: want 1 or more", nodes);
    for (size_t i = 0; i < n; i++)
        if (!check_message(&messages[i], nodes, err))
            return error_prefix(err, "message %zu: ", i);
    return true;
}

/* A message's first byte reaches its destination. */
struct arrival {
    double time_s;
    int src;
    size_t index;
};

static ORDER_OF(compare_arrivals, struct arrival, 4 * ORDER(time_s) + 2 * ORDER(src) + ORDER(index))

/* From the beginning of a message until the same port may begin the next. */
static double port_busy_s(const struct model_logp *p, double bytes)
{
    return (bytes - 1) * p->gap_per_byte_s + fmax(p->gap_s, p->overhead_s);
}

/* free_s[node]: when the node's sending port may begin its next message; all 0 on entry. */
static void send_all(const struct model_logp *p, const struct model_logp_message *messages, size_t n, double *free_s,
                     struct arrival *arrivals)
{
    for (size_t i = 0; i < n; i++) {
        const struct model_logp_message *m = &messages[i];
        double begin_s = fmax(m->start_s, free_s[m->src]);
        free_s[m->src] = begin_s + port_busy_s(p, m->bytes);
        arrivals[i] = (struct arrival){begin_s + p->overhead_s + p->latency_s, m->src, i};
    }
}

/* As send_all(), for receiving ports; arrivals are in order. */
static void receive_all(const struct model_logp *p, const struct model_logp_message *messages, size_t n, double *free_s,
                        const struct arrival *arrivals, double *done_s)
{
    for (size_t i = 0; i < n; i++) {
        const struct model_logp_message *m = &messages[arrivals[i].index];
        double begin_s = fmax(arrivals[i].time_s, free_s[m->dst]);
        free_s[m->dst] = begin_s + port_busy_s(p, m->bytes);
        done_s[arrivals[i].index] = begin_s + (m->bytes - 1) * p->gap_per_byte_s + p->overhead_s;
    }
}

/* No time exceeds the latest start and all the work of all messages one after the other. */
static bool check_range(const struct model_logp *p, const struct model_logp_message *messages, size_t n,
                        struct error *err)
{
    double start_s = 0, work_s = 0, ignored;
    for (size_t i = 0; i < n; i++) {
        start_s = fmax(start_s, messages[i].start_s);
        work_s += port_busy_s(p, messages[i].bytes) + p->overhead_s;
    }
    return logp_set_time(start_s + p->latency_s + 2 * work_s, &ignored, err);
}

bool model_logp_pattern(const struct model_logp *p, int nodes, const struct model_logp_message *messages, size_t n,
                        double *done_s, struct error *err)
{
    if (!check_parameter(p->latency_s, "latency L", err) || !check_parameter(p->overhead_s, "overhead o", err) ||
        !check_parameter(p->gap_s, "gap g", err) || !check_parameter(p->gap_per_byte_s, "gap per byte G", err) ||
        !check_pattern(nodes, messages, n, err) || !check_range(p, messages, n, err))
        return false;
    if (n == 0)
        return true;
    MEMORY_LOCAL double *send_free_s = memory_zeroed((size_t)nodes, sizeof *send_free_s, "messages");
    MEMORY_LOCAL double *receive_free_s = memory_zeroed((size_t)nodes, sizeof *receive_free_s, "messages");
    MEMORY_LOCAL struct arrival *arrivals = memory_zeroed(n, sizeof *arrivals, "messages");
    send_all(p, messages, n, send_free_s, arrivals);
    qsort(arrivals, n, sizeof *arrivals, compare_arrivals);
    receive_all(p, messages, n, receive_free_s, arrivals, done_s);
    return true;
}
