/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/fluid.h - the window law in time: what model/window.h settles at, and the way there.
 *
 * Data and ACKs are fluids. A flow may have W bytes in flight: it puts them into its first queue at once when it
 * starts, and then what is acknowledged. A queue is first in, first out, of capacity C, and never drops:
 *   sent_f(t)  = min(M_f, W_f + acknowledged_f(t - d_f))
 *   D_l(t)     = min over u <= t of A_l(u) + C_l (t - u)            all bytes, A arrived and D departed
 *   D_l,f(t)   = A_l,f(v)  where  A_l(v) = D_l(t)                   one flow's
 *   ACKs: a_f bytes for every byte of payload delivered, back along f's ACK path
 * Without an end and left alone it goes to the fixed point of model/window.h where there is one (two queues of one
 * cable keep whatever split of q_up + q_down they came to). Where ACKs go first a link has two such queues.
 *
 * It matters where messages are short against what stands in queues: with 3 MB windows and 10 MB messages a transfer is
 * a few round trips long, and who came first waits least. Solved by steps of a fraction of the shortest round trip;
 * within one, a link serves what has come, links in the order of the paths. Once rates agree from one span of ten
 * turns of a queue to the next (0.1 %), steps are left out up to the next start or end, if it is more than four spans
 * away. Cost: steps times (flows times hops); steps grow with starts and ends, not with bytes.
 * The window law's domain: windows bound the flows, nothing is lost, no slow start. */
#ifndef MODEL_FLUID_H
#define MODEL_FLUID_H

#include "model/window.h"

/* completion_s[n_flows]: when the last byte reached its receiver, from time 0; INFINITY for endless ones (bytes
 * INFINITY), which only share. `network` is one that model_window_new() takes; bytes > 0, start_s >= 0. Flows that
 * start at one time put their windows into their queues in the order of order[] (flow numbers, each once; NULL: as
 * they are numbered). `progress` (NULL: none) hears after every one that is done how many are not. */
void model_fluid_run(const struct model_window_network *network, const double *bytes, const double *start_s,
                     const size_t *order, double *completion_s, void (*progress)(void *user, size_t left), void *user);

#endif
