/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/fabric.h - buffers at a switch's inputs, and how frames cross from there to the outputs.
 *
 * input: one FIFO an input. Its first frame crosses when its output is idle, and takes its time on the faster of the
 * two links: the input sends nothing else meanwhile, and the output passes the bits on as they come. At equal rates
 * this is the crossbar of Karol, Hluchyj and Morgan 1987, whose throughput under saturated uniform traffic is 3/4 of
 * the links at 2 ports and 2 - sqrt 2 at many.
 *
 * voq: a FIFO an input and output, in one buffer an input. The fabric is fast enough that inputs never wait for
 * themselves (twice the links' rate is: Chuang, Goel, McKeown and Prabhakar 1999), so that an idle output takes
 * from any input that has something for it.
 *
 * A backplane lets frames cross one after another, in either of those, and in output and shared switches, whose
 * outputs are always ready and whose inputs buffer only what waits for the backplane.
 *
 * Which of the waiting inputs an output takes: round robin, the one whose frame came first, or at random. */
#ifndef EMU_FABRIC_H
#define EMU_FABRIC_H

#include "emu/switch.h"

struct emu_fabric *emu_fabric_new(struct emu_switch *s);
void emu_fabric_free(struct emu_fabric *f);

/* A frame comes into the input's buffer, or is dropped there; takes ownership. */
void emu_fabric_offer(struct emu_fabric *f, int in, int out, const struct emu_frame *frame);

/* The buffer of an input: its accounts. */
const struct emu_queue *emu_fabric_input(const struct emu_fabric *f, int in);

bool emu_fabric_audit(const struct emu_fabric *f, struct error *err);

#endif
