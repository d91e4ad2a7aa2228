/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure/verdict.h - from a test to a diagnosis: does the host lose bandwidth because ACKs wait behind data?
 *
 *   possible  what a direction carries alone, less the other's ACKs where it fills its link
 *   carried   what it carries with both at once
 *   lost      1 - carried / possible, with the 95 % interval over the blocks of the test
 * Yes takes all of three. (1) 5 % of the total are lost, or 10 % of a direction (judge/diagnosis.h), beyond the
 * interval; and where connections still change while they are judged, no less in the second half. (2) Paced, so that
 * queues stay empty, both directions at once carry what they are asked for; or x has half of its loss back, and the
 * other one carries what it is asked for, or both together have half of theirs: the path is able to, and neither
 * shares one medium with the other nor a processor that is too slow. (3) ACKs of x, the direction that loses more, or
 * the other one if that loses 10 %, wait w of its round trip T, and x T / (T - w), what its window brings without
 * that, is 10 % of what is possible more, or 5 % of what is possible both ways, or half of what x loses; or w is a
 * twentieth of T, and more, and a quarter of what T is longer than its least, its window is smaller than alone, and no
 * more is lost in a second, or nothing is while both are paced: a window that each round trip makes larger grows the
 * slower, the longer these are, a slow start that looks at delays ends the sooner, and ACKs that waited come in
 * bunches, which call for bursts of data. w is what words on the control connection wait on the ACKs' way, by one-way
 * times beyond their least, and no more than the flow's round trip is beyond its own least, less what words wait its
 * own way, and a full frame takes there; all that less the time of a full frame on the ACKs' way, which waits for no
 * order of service. And these words wait less than half as long with x alone, else it is not the other direction's
 * data that they wait for. A yes is said of transfers of
 * that length where rates depend on who began first, and who does loses too little for a yes (measure_summary_order()).
 * No: less than (1) is lost, beyond the interval; or that is open, and whatever is lost, x (T
 * / (T - w))^2 is so little more than x that waits of ACKs cannot be the reason; or w is 0 either way, nine of ten
 * words wait for no more than a frame, and what is lost is lost to something else; or (2) fails, and both at once
 * carry the same sum whatever their pace, or no more than one direction alone where two of like rates are asked for,
 * or where words wait as long with x alone: a medium that both directions share. Unknown: else. Pure. */
#ifndef MEASURE_VERDICT_H
#define MEASURE_VERDICT_H

#include "analysis/resource.h"
#include "measure/summary.h"

void measure_verdict_decide(const struct measure_summary *s, struct judge_diagnosis *d);

/* The same as a judged resource, as `check` has it: the flows with both at once, the rule that they obey, the
 * diagnosis. `host`: the shared host's name; `server`: names of the test's servers, as many as t->hosts. Free its
 * flows. */
void measure_verdict_of(const struct measure_test *t, const struct measure_summary *s, const char *host,
                        const char *const *server, struct analysis_resource *r);

#endif
