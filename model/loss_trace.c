/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/loss_trace.h"

#define Z_975 1.959963984540054 /* upper 2.5 % of the normal distribution */

void model_loss_trace_add(struct model_loss_counts *k, enum model_loss_event e)
{
    bool first = k->packs + k->nacks + k->timeouts == 0;
    enum model_loss_event before = k->last;
    k->packs += e == MODEL_LOSS_PACK;
    k->nacks += e == MODEL_LOSS_NACK;
    k->timeouts += e == MODEL_LOSS_TIMEOUT;
    k->last = e;
    if (first)
        return;
    k->pack_nack += before == MODEL_LOSS_PACK && e == MODEL_LOSS_NACK;
    k->nack_timeout += before == MODEL_LOSS_NACK && e == MODEL_LOSS_TIMEOUT;
    k->timeout_pack += before == MODEL_LOSS_TIMEOUT && e == MODEL_LOSS_PACK;
    k->foreign += (before == MODEL_LOSS_PACK && e == MODEL_LOSS_TIMEOUT) ||
                  (before != MODEL_LOSS_PACK && e == MODEL_LOSS_NACK);
}

void model_loss_trace_merge(struct model_loss_counts *sum, const struct model_loss_counts *sender)
{
    sum->packs += sender->packs;
    sum->nacks += sender->nacks;
    sum->timeouts += sender->timeouts;
    sum->pack_nack += sender->pack_nack;
    sum->nack_timeout += sender->nack_timeout;
    sum->timeout_pack += sender->timeout_pack;
    sum->foreign += sender->foreign;
}

struct model_loss_proportion model_loss_trace_proportion(int64_t hits, int64_t trials)
{
    if (trials == 0)
        return (struct model_loss_proportion){NAN, 0, 1, 0, 0};
    double n = (double)trials, p = (double)hits / n, z2 = Z_975 * Z_975;
    double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
    double half = Z_975 / (1 + z2 / n) * sqrt(p * (1 - p) / n + z2 / (4 * n * n));
    return (struct model_loss_proportion){p, fmax(0, middle - half), fmin(1, middle + half), hits, trials};
}

struct model_loss_estimate model_loss_trace_estimate(const struct model_loss_counts *k)
{
    /* A trace that breaks off within a sequence, or one with foreign transitions, cannot count above 1: what
     * follows a Nack that no Pack went before is none of the P..PN sequences. */
    int64_t to_timeout = k->nack_timeout < k->pack_nack ? k->nack_timeout : k->pack_nack;
    return (struct model_loss_estimate){
        .c = model_loss_trace_proportion(k->pack_nack, k->packs),
        .one_minus_a = model_loss_trace_proportion(to_timeout, k->pack_nack),
        .f = model_loss_trace_proportion(k->timeout_pack, k->timeouts),
    };
}

/* Mean of the estimates that exist; `otherwise` when none does. */
struct loss_mean {
    double sum;
    size_t n;
};

static void loss_mean_add(struct loss_mean *m, const struct model_loss_proportion *p)
{
    if (p->trials == 0)
        return;
    m->sum += p->value;
    m->n++;
}

static double loss_mean_value(const struct loss_mean *m, double otherwise)
{
    return m->n > 0 ? m->sum / (double)m->n : otherwise;
}

bool model_loss_trace_chain(const struct model_loss_counts *senders, size_t n, struct model_loss_chain *chain,
                            struct error *err)
{
    struct loss_mean c = {0, 0}, one_minus_a = {0, 0}, f = {0, 0};
    for (size_t i = 0; i < n; i++) {
        struct model_loss_estimate e = model_loss_trace_estimate(&senders[i]);
        loss_mean_add(&c, &e.c);
        loss_mean_add(&one_minus_a, &e.one_minus_a);
        loss_mean_add(&f, &e.f);
    }
    if (c.n == 0)
        return error_set(err, ERROR_INPUT, "%zu traces without a Pack event; c cannot be estimated", n);
    *chain = (struct model_loss_chain){
        loss_mean_value(&c, 0), loss_mean_value(&one_minus_a, 0), loss_mean_value(&f, 1)};
    return true;
}
