/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/network/fault.h - what a bad link does to frames that have crossed it: loses some, delays some, lets some overtake.
 *
 * Random loss: each frame with the same probability. Bursty loss: a chain of two states, good and bad, each with a
 * probability of its own that a frame is lost and that the chain leaves it after the frame (Gilbert 1960, Elliott 1963;
 * netem's `loss gemodel`). The share of frames that find it bad is to_bad / (to_bad + to_good), its stay there
 * 1 / to_good frames on average.
 *
 * Jitter: each frame takes longer by a time of [0, jitter_ps], and none overtakes another: it waits for those before it.
 * Uniform, or normal with a mean of jitter_ps / 2 and a standard deviation of jitter_ps / 6, drawn again beyond three of
 * them (12 uniform numbers added up).
 *
 * Reordering: a share of frames, chosen at random, arrives reorder_by_ps sooner than the link's delay says, and overtakes
 * what is under way, as under netem's `delay .. reorder ..`, where that is the whole delay.
 *
 * A port's losses and delays are drawn from streams of their own by the seed and the port's name: other faults elsewhere,
 * or jitter here, do not change which frames are lost. */
#pragma once

#include "base/random.h"
#include "emu/ring.h"

enum emu_fault_jitter { EMU_FAULT_UNIFORM, EMU_FAULT_NORMAL };
extern const char *const emu_fault_jitter_names[]; /* for base/names.h */

/* Probabilities, 0 to 1, a frame. */
struct emu_fault_burst {
    bool on;
    double to_bad, to_good; /* that the state changes after a frame */
    double loss_bad, loss_good;
};

struct emu_fault_config {
    bool on;
    double loss; /* 0 to 1 */
    struct emu_fault_burst burst; /* besides */
    int64_t jitter_ps;
    enum emu_fault_jitter shape;
    double reorder;        /* 0 to 1 */
    int64_t reorder_by_ps; /* at most the link's delay; 0: that */
    uint64_t seed;
};

struct emu_fault {
    struct emu_fault_config config;
    struct random losses, delays; /* streams */
    bool bad;                     /* the state of bursty loss */
    int64_t last_ps;              /* when the latest frame that keeps its order is due */
    struct emu_ring held;         /* owned; frames that are late, each with the time it is due */
};

/* How much sooner than its delay a link of that delay hands frames to its faults. */
int64_t emu_fault_lead_ps(const struct emu_fault_config *config, int64_t delay_ps);

/* `name`: of the port that sends into the link. The caller frees it; NULL where the link has no faults. */
struct emu_fault *emu_fault_new(const struct emu_fault_config *config, int64_t delay_ps, const char *name);
void emu_fault_free(struct emu_fault *f, const struct emu_frame_ops *ops);

/* Returns true if the next frame is lost. */
bool emu_fault_loses(struct emu_fault *f);

/* When the next frame, which has crossed the link at now_ps, is there: at once if it overtakes, never before the last
 * that did not. */
int64_t emu_fault_due_ps(struct emu_fault *f, int64_t now_ps);
