/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/exchange/exchange.h"

#include "model/schedule.h"

#define SLOTS_MAX 1e15

/* G, its stage, T_w and Eq. 5.1; the packets one process sends in *sends. */
static bool exchange_parameters(const struct model_tam *t, const struct model_exchange *x,
                                struct model_exchange_cost *cost, double *sends, struct error *err)
{
    struct model_tam_cost packet;
    if (!model_tam_exchange(t, x->processes, x->packets, &packet, err))
        return false;
    *sends = (double)x->packets * (double)(x->processes - 1);
    if (*sends > SLOTS_MAX)
        return error_set(err, ERROR_INPUT, "packets: %zu to each of %zu processes; at most %g in all", x->packets,
                         x->processes - 1, SLOTS_MAX);
    cost->gap_s = packet.gap_s;
    cost->stage = packet.stage;
    cost->round_s = t->send_overhead_s + t->receive_overhead_s + t->user_overhead_s +
                    model_tam_latency_s(t, x->processes) - packet.gap_s;
    cost->bound_s = *sends * cost->gap_s + cost->round_s;
    return true;
}

bool model_exchange_cost(const struct model_tam *t, enum model_exchange_algorithm algorithm,
                         const struct model_exchange *x, struct model_exchange_cost *cost, struct error *err)
{
    struct model_exchange_cost c;
    double sends;
    if (!exchange_parameters(t, x, &c, &sends, err))
        return false;
    size_t slots = x->processes - 1;
    switch (algorithm) {
    case MODEL_EXCHANGE_SYNC:
        c.rounds = 1;
        break;
    case MODEL_EXCHANGE_SHIFT:
        c.rounds = slots;
        break;
    case MODEL_EXCHANGE_PAIRWISE:
        c.rounds = slots = model_schedule_rounds(x->processes);
        break;
    case MODEL_EXCHANGE_GROUP:
        if (x->group < 1 || x->group > x->processes - 1)
            return error_set(err, ERROR_INPUT, "group: %zu partners a round; must be 1 to %zu", x->group,
                             x->processes - 1);
        slots = model_schedule_rounds(x->processes);
        c.rounds = (slots - 1) / x->group + 1;
        break;
    case MODEL_EXCHANGE_ALGORITHMS:
    default:
        return error_set(err, ERROR_INPUT, "algorithm: %d; must be sync, group, pairwise or shift", (int)algorithm);
    }
    c.time_s = (double)slots * (double)x->packets * c.gap_s + c.round_s +
               (double)(c.rounds - 1) * fmax(c.round_s, 0);
    c.node_goodput_bps = 8 * t->packet_bytes * sends / c.time_s;
    c.efficiency = c.bound_s / c.time_s;
    *cost = c;
    return true;
}
