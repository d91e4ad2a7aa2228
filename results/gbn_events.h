/* SPDX-License-Identifier: GPL-2.0-or-later */
/* results/gbn_events.h - a Go-Back-N sender's events from a file: words P, N and TO (Tam 2001, Fig. 4.5). */
#pragma once

#include "model/loss_trace.h"

/* ERROR_INPUT when it is not there, holds another word, or no event. */
bool results_gbn_events_read(const char *path, struct model_loss_counts *counts, struct error *err);

/* The chain of model/loss.h from such files, one a sender: *chain is the mean over senders, as Tam 2001 takes it
 * (Eq. 4.11-4.13); *pooled has the events of all of them, for intervals (model_loss_trace_estimate()). */
bool results_gbn_events_chain(char *const *paths, size_t n, struct model_loss_chain *chain,
                              struct model_loss_counts *pooled, struct error *err);
