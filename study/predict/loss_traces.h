/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/predict/loss_traces.h - the chain of model/loss.h, estimated from files of Go-Back-N events, one a sender. */
#pragma once

#include "model/loss_trace.h"

/* *chain is the mean over senders, as Tam 2001 takes it (Eq. 4.11-4.13); *pooled has the events of all of them, for
 * intervals (model_loss_trace_estimate()). */
bool study_loss_traces_estimate(char *const *paths, size_t n, struct model_loss_chain *chain,
                                struct model_loss_counts *pooled, struct error *err);
