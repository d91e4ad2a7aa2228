/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test/model/patterns.h - patterns that several model tests use. */
#pragma once

#include "model/pattern.h"

#define PATTERN_MOST 20000

/* 1 Gb/s NICs and backbone without delay, FIFO queues, 1448-byte segments with TCP timestamps (52 bytes of
 * headers; an ACK takes 90 on the wire), one ACK for two segments or after 40 ms; one rack, no nodes. Goodput is
 * model_platform_goodput_bps(). */
struct model_platform pattern_platform(void);

/* Random transfers of 10 MB after Zhu et al. 2014, section 7.1, with windows of 64 kB to 3 MB drawn too, or 250 kB
 * for all. Returns how many; the arrays are static. */
size_t pattern_random(struct model_transfer *transfers, int nodes, int d, bool unequal, uint64_t seed);

/* 1 Gb/s NICs (940 Mb/s of goodput, as the paper measured), 50 us cables, two equal racks, a 10 Gb/s backbone
 * (9.4 Gb/s of goodput). `rack` has room for `nodes`. */
struct model_platform pattern_two_racks(int nodes, int *rack);

/* Fig. 1 and Table I of Zhu et al. 2014: e1 to e5 over racks of 3 and 4, electrical backbone, 940 Mb/s.
 * X1 to X3 are nodes 0 to 2, Y1 to Y4 nodes 3 to 6. 500 kB windows. */
extern const struct model_transfer pattern_figure1[5];
struct model_platform pattern_figure1_platform(void);

/* n_in transfers into node 0 and n_out from it, each with a peer of its own, 3 MB windows; returns n_in + n_out. */
size_t pattern_star(struct model_transfer *transfers, int n_in, int n_out);
struct model_platform pattern_star_platform(int n_in, int n_out);
