/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/fluid.h - the window law in time: what model/window/window.h settles at, and the way there.
 *
 * Data and ACKs are fluids. A flow may have W bytes in flight: it puts them into its first queue at once when it
 * starts, and then what is acknowledged. A queue is first in, first out, of capacity C, and never drops:
 *   sent_f(t)  = min(M_f, W_f + acknowledged_f(t - d_f))
 *   D_l(t)     = min over u <= t of A_l(u) + C_l (t - u)            all bytes, A arrived and D departed
 *   D_l,f(t)   = A_l,f(v)  where  A_l(v) = D_l(t)                   one flow's
 *   ACKs: a_f bytes for every byte of payload delivered, back along f's ACK path
 * Without an end and left alone it goes to the fixed point of model/window/window.h where there is one (two queues of one
 * cable keep whatever split of q_up + q_down they came to). Where ACKs go first a link has two such queues.
 *
 * It matters where messages are short against what stands in queues: with 3 MB windows and 10 MB messages a transfer is
 * a few round trips long, and who came first waits least.
 *
 * How it is solved. By steps of half the shortest round trip, or a 200th of the time that the quickest window takes on
 * its slowest link if that is longer; within one, a link serves what has come, links in the order of the paths. A flow
 * costs nothing once its last ACK has come.
 *
 * What is left out, and what that costs. A turn is the time in which all windows under way pass the link where that
 * takes longest.
 * - After a start or an end, 2 turns are stepped through. Then rates are averaged over 8 turns with Hann's weights
 *   (bursts have periods of a turn at most: an error of 1e-3), and again. When two averages agree within 5e-4, on
 *   average over the flows, steps are left out up to a turn before the next start or end at these rates, if those are
 *   more than a span. Where they do not agree the span is doubled, up to 64 times: clumps may take long to find their
 *   places. Against every step made, ends are off by 5e-4 on average, the worst by 1 % (test/model/test_fluid.c).
 * - Where every transfer alone takes 2000 turns or more, nothing is stepped through: between one start or end and the
 *   next, rates are the window law's with the expected wait of bursts, solved again for what changed only. A transient
 *   moves a transfer's end by a turn at most, 0.05 % of its time; clumps that lock into each other, which the law knows
 *   on average only, matter more: over 1,475 transfers among 1,000 hosts ends are off by 0.16 % on average, the worst
 *   by 5 %.
 * - Among more than MODEL_WINDOW_FEW flows one ends in nearly every turn, and no steps can be left out. There 16 turns
 *   after the last start are stepped through, and then, if some transfer would still take as long alone, the law takes
 *   over: over 1,475 transfers of 40 MB (53 turns each)
 *   ends are off by 0.12 % on average, the worst by 1.6 %; of 1 GB by 0.013 % and 0.7 %. Which transfer of a host is
 *   first moves them by 0.10 % (40 MB).
 * So steps grow with starts and ends, not with bytes: each costs 18 turns as a rule and a thousand at most, or a
 * solution of the law. A step costs the hops of the flows under way.
 *
 * The window law's domain: windows bound the flows, nothing is lost, no slow start. */
#pragma once

#include "model/window/window.h"

/* What it took, for benchmarks. */
struct model_fluid_cost {
    size_t steps, jumps; /* jumps: times left out */
    size_t moves;        /* what one stream moved through one queue in one step */
};

/* completion_s[n_flows]: when the last byte reached its receiver, from time 0; INFINITY for endless ones (bytes
 * INFINITY), which only share. `network` is one that model_window_new() takes; bytes > 0, start_s >= 0. Flows that
 * start at one time put their windows into their queues in the order of order[] (flow numbers, each once; NULL: as
 * they are numbered). `progress` (NULL: none) hears now and then how many are not done, and after every one that is. */
struct model_fluid_cost model_fluid_run(const struct model_window_network *network, const double *bytes,
                                        const double *start_s, const size_t *order, double *completion_s,
                                        void (*progress)(void *user, size_t left), void *user);
