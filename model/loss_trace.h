/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/loss_trace.h - transition probabilities of model/loss.h's chain, estimated from senders' event traces.
 *
 * Tam 2001, Eq. 4.11-4.13:
 *   c   = PN transitions / P events
 *   1-a = N-to-TO transitions / P..PN sequences      (as many as PN transitions)
 *   f   = TO-to-P transitions / TO events */
#pragma once

#include "model/loss.h"

enum model_loss_event { MODEL_LOSS_PACK, MODEL_LOSS_NACK, MODEL_LOSS_TIMEOUT };

struct model_loss_counts {
    int64_t packs, nacks, timeouts; /* events */
    int64_t pack_nack, nack_timeout, timeout_pack; /* transitions the estimators count */
    int64_t foreign; /* transitions the chain has not: P-TO, N-N, TO-N. Many of them: the chain does not fit */
    enum model_loss_event last; /* of a sender's trace so far */
};

/* Counts one sender's next event. A zeroed counts is a trace not begun. */
void model_loss_trace_add(struct model_loss_counts *counts, enum model_loss_event event);

/* Adds another sender's events and transitions to `sum`. */
void model_loss_trace_merge(struct model_loss_counts *sum, const struct model_loss_counts *sender);

/* hits / trials with its 95 % interval by Wilson's score (Wilson 1927), which stays inside [0, 1] and is fit for
 * few trials; it takes events as independent. trials = 0: value NAN, interval [0, 1]. 0 <= hits <= trials. */
struct model_loss_proportion {
    double value, low, high;
    int64_t hits, trials;
};
struct model_loss_proportion model_loss_trace_proportion(int64_t hits, int64_t trials);

struct model_loss_estimate {
    struct model_loss_proportion c, one_minus_a, f;
};
struct model_loss_estimate model_loss_trace_estimate(const struct model_loss_counts *counts);

/* The chain of several senders, as Tam takes it (section 4.3.3.1): the mean of each sender's estimates. Those
 * without the trials for a probability are left out of its mean; if all are, no Nack happened (1-a = 0, f = 1).
 * ERROR_INPUT when n is 0 or no sender has a Pack. */
bool model_loss_trace_chain(const struct model_loss_counts *senders, size_t n, struct model_loss_chain *chain,
                            struct error *err);
