/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/loss.h"

static bool loss_at_least(const char *what, double value, double least, struct error *err)
{
    if (isfinite(value) && value >= least)
        return true;
    return error_set(err, ERROR_INPUT, "%s: %g is not a number of %g or more", what, value, least);
}

static bool loss_size(const char *what, double value, struct error *err)
{
    if (value >= 1 && value <= MODEL_LOSS_MOST)
        return true;
    return error_set(err, ERROR_INPUT, "%s: %g is not a number of 1 to %g", what, value, MODEL_LOSS_MOST);
}

static bool loss_flow_check(const struct model_loss_flow *f, struct error *err)
{
    if (!loss_size("senders", f->senders, err) || !loss_size("window", f->window_packets, err) ||
        !loss_size("buffer", f->buffer_packets, err))
        return false;
    if (f->senders > floor(f->senders))
        return error_set(err, ERROR_INPUT, "senders: %g is not a whole number", f->senders);
    return true;
}

/* Mean of a geometric number of trials up to the first that ends the run; a run that nothing ends is infinite. */
static double loss_run(double p)
{
    return p > 0 ? 1 / p : (double)INFINITY;
}

static bool loss_probability(const char *what, double p, struct error *err)
{
    if (p >= 0 && p <= 1)
        return true;
    return error_set(err, ERROR_INPUT, "%s: %g is not a probability; it must be in 0 to 1", what, p);
}

static bool loss_chain_check(const struct model_loss_chain *c, double to_gr, struct error *err)
{
    return loss_probability("c", c->c, err) && loss_probability("1-a", c->one_minus_a, err) &&
           loss_probability("f", c->f, err) && loss_at_least("timeout in g_r", to_gr, 0, err);
}

static bool loss_input_domain(const struct model_loss_flow *f, struct error *err)
{
    if (f->window_packets - 1 <= f->senders * f->buffer_packets)
        return true;
    return error_set(err, ERROR_INPUT,
                     "window: %g packets are more than Eq. 4.2 speaks of, P B_L + 1 = %g: the buffer would never hold "
                     "a good packet", f->window_packets, f->senders * f->buffer_packets + 1);
}

/* Good packets between two Nacks; twice as many are G + 1 of Eq. 4.2. */
static double loss_input_packs(const struct model_loss_flow *f)
{
    double p = f->senders, w = f->window_packets, b = f->buffer_packets;
    return (b * p + p - w) / (2 * p - 2);
}

bool model_loss_input_buffered(const struct model_loss_flow *flow, struct model_loss_input *answer, struct error *err)
{
    if (!loss_flow_check(flow, err))
        return false;
    double p = flow->senders, w = flow->window_packets, b = flow->buffer_packets;
    if (w <= b || p <= 1) {
        *answer = (struct model_loss_input){true, 1, 1, INFINITY};
        return true;
    }
    if (!loss_input_domain(flow, err))
        return false;
    double packs = loss_input_packs(flow);
    *answer = (struct model_loss_input){
        /* Out-of-order packets that arrive in a cycle of two Nacks. */
        .efficiency = 2 * packs / (2 * packs + ((flow->window_packets - 1) / flow->senders + 1 + flow->buffer_packets)),
        .approximate = (b + 1 - w / p) / (2 * b + 2 - (b + 2) / p),
        .packs_per_nack = packs,
    };
    return true;
}

/* Eq. 4.4 from the chain's expectations, for a sender whose sequence of Packs up to a Nack takes E[S] (in g_r) and
 * whose timeout is to_gr = TO / g_r:
 *   T = E[y] E[x] / (E[y] E[S] + E[m] TO/g_r) = 1 / (c E[S] + (1 - a) c (TO/g_r) / f)
 * f = 0 with a < 1: the first timeout never ends, T = 0. */
static double loss_chain_efficiency(const struct model_loss_chain *chain, double nack_cycle_gr, double to_gr)
{
    double asleep_gr = 0;
    if (chain->one_minus_a > 0)
        asleep_gr = chain->f > 0 ? chain->one_minus_a * chain->c * to_gr / chain->f : (double)INFINITY;
    return 1 / (chain->c * nack_cycle_gr + asleep_gr);
}

bool model_loss_output_buffered(const struct model_loss_flow *flow, const struct model_loss_chain *chain,
                                double to_gr, struct model_loss_output *answer, struct error *err)
{
    if (!loss_flow_check(flow, err) || !loss_chain_check(chain, to_gr, err))
        return false;
    double w = flow->window_packets, b = flow->buffer_packets;
    if (chain->c <= 0 || flow->senders * w <= b) {
        *answer = (struct model_loss_output){
            .lossless = true,
            .contradicted = chain->c > 0,
            .packs_per_nack = INFINITY,
            .nacks_per_timeout = INFINITY,
            .nack_cycle_gr = INFINITY,
            .sender_efficiency = 1 / flow->senders,
            .efficiency = 1,
        };
        return true;
    }
    struct model_loss_output o = {
        .packs_per_nack = 1 / chain->c,
        .nacks_per_timeout = loss_run(chain->one_minus_a),
        .timeouts_in_a_row = loss_run(chain->f),
        .nack_cycle_gr = (1.5 + (1 - chain->c) / (chain->c * w)) * b,
    };
    if (!isfinite(o.nack_cycle_gr) || o.nack_cycle_gr <= 0)
        return error_set(err, ERROR_INPUT, "E[S]: %g is not a positive time", o.nack_cycle_gr);
    o.sender_efficiency = loss_chain_efficiency(chain, o.nack_cycle_gr, to_gr);
    o.efficiency = flow->senders * o.sender_efficiency;
    o.saturated = o.efficiency > 1;
    o.efficiency = fmin(o.efficiency, 1);
    *answer = o;
    return true;
}
