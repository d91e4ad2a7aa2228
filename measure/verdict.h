/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure/verdict.h - a test as facts for the judge (judge/trial.h): what each direction carries alone, both at once and
 * both paced, what holds their senders by TCP_INFO, and how long their ACKs wait.
 *
 * ACKs of a direction wait w of its round trip T: what words on the control connection wait that go the same way, by
 * one-way times beyond their least, and no more than the flow's round trip is beyond its own least, less what words wait
 * its own way, and a full frame takes there. A direction alone is held by its application (busy for less than four fifths
 * of the time, a processor that is full, or a limit of the servers), by the receiver's window, by the send buffer, by
 * losses on a path where nothing waits; or its link is full. Pure. */
#pragma once

#include "analysis/rules/resource.h"
#include "measure/summary.h"

void measure_verdict_decide(const struct measure_summary *s, struct judge_diagnosis *d);

/* The same as a judged resource, as `check` has it: the flows with both at once, the rule that they obey, the
 * diagnosis. `host`: the shared host's name; `server`: names of the test's servers, as many as t->hosts. Free its
 * flows. */
void measure_verdict_of(const struct measure_test *t, const struct measure_summary *s, const char *host,
                        const char *const *server, struct analysis_resource *r);
