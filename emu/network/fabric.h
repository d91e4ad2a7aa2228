/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/network/fabric.h - buffers at a switch's inputs, and how frames cross from there to the outputs.
 *
 * One FIFO an input (architecture input). Its first frame crosses when its output is idle, and takes its
 * time on the faster of the two links: the input sends nothing else meanwhile, and the output passes the bits on as
 * they come. At equal rates
 * this is the crossbar of Karol, Hluchyj and Morgan 1987, whose throughput under saturated uniform traffic is 3/4 of
 * the links at 2 ports and 2 - sqrt 2 at many.
 *
 * A FIFO an input and output, in one buffer an input (voq). The fabric is fast enough that inputs never wait for
 * themselves (twice the links' rate is: Chuang, Goel, McKeown and Prabhakar 1999), so that an idle output takes
 * from any input that has something for it.
 *
 * A backplane lets frames cross one after another, in either of those, and in switches whose outputs have queues: such
 * outputs are always ready, and inputs buffer only what waits for the backplane. */
#pragma once

#include "emu/network/port.h"

/* Which of the inputs that wait for an output it takes next. */
enum emu_arbitration { EMU_ARBITRATION_ROUND_ROBIN, EMU_ARBITRATION_OLDEST, EMU_ARBITRATION_RANDOM };
extern const char *const emu_arbitration_names[]; /* for base/names.h */

struct emu_fabric_config {
    struct emu_port *ports;           /* borrowed: the switch's */
    int n_ports;
    bool buffers;                     /* frames wait here until their output is idle; else outputs have queues */
    bool per_output;                  /* those for different outputs do not wait for each other */
    struct emu_queue_config queue;    /* of an input */
    enum emu_arbitration arbitration;
    int64_t backplane_bps;            /* 0: unlimited */
    uint64_t seed;                    /* of random arbitration */
    struct emu_clock clock;
    const struct emu_frame_ops *ops;  /* borrowed */
    /* What the switch hears: a frame has crossed (and is its own again); one has come into an input's buffer or left
     * it (the latter two may be NULL). */
    void (*arrive)(void *user, int in, int out, const struct emu_frame *frame);
    void (*entered)(void *user, int in, int out);
    void (*left)(void *user, int in, int out);
    void *user;                       /* borrowed */
};

struct emu_fabric;

/* Copies *config. */
struct emu_fabric *emu_fabric_new(const struct emu_fabric_config *config);
void emu_fabric_free(struct emu_fabric *f);

/* A frame comes into the input's buffer, or is dropped there; takes ownership. */
void emu_fabric_offer(struct emu_fabric *f, int in, int out, const struct emu_frame *frame);

/* The buffer of an input: its accounts. */
const struct emu_queue *emu_fabric_input(const struct emu_fabric *f, int in);

bool emu_fabric_audit(const struct emu_fabric *f, struct error *err);
