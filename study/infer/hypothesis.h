/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/infer/hypothesis.h - what may have made a measurement: a network and TCP to emulate, or a closed model, with what
 * nobody knows of it.
 *
 * In words: parts joined by '+'. A part is a change of study_replay_what_if() ("fair@nic", "cc=cubic", "pause"),
 * "autotuned" (each connection begins with ten segments), or a parameter that is searched for: "window", "buffer" of the
 * switch's ports, "ratio" of the windows of flows out of the host that most flows share to those of all others, and of
 * every host (emu/network/host.h) the rate of a half-duplex "bus", the "processor" time of a frame, how long "interrupts" wait
 * for more, and the places of its receive "ring". Where no part names window or buffer, and no
 * two others are searched for, the window is. Or it is one name of study_models[]. */
#pragma once

#include "model/posterior.h"
#include "study/predict/models.h"

#define STUDY_HYPOTHESIS_TEXT 80
#define STUDY_HYPOTHESIS_RATIO 8.0 /* and its inverse: how unequal windows may be */
#define STUDY_HYPOTHESIS_COLD 10   /* segments */

enum study_hypothesis_parameter {
    STUDY_HYPOTHESIS_WINDOW, /* bytes; of a capture: times the captured ones */
    STUDY_HYPOTHESIS_BUFFER, /* bytes */
    STUDY_HYPOTHESIS_RATIO_OUT,
    STUDY_HYPOTHESIS_BUS,        /* bit/s */
    STUDY_HYPOTHESIS_PROCESSOR,  /* s */
    STUDY_HYPOTHESIS_INTERRUPTS, /* s */
    STUDY_HYPOTHESIS_RING,       /* frames */
    STUDY_HYPOTHESIS_PARAMETERS
};
extern const char *const study_hypothesis_parameters[]; /* their names */

/* Where those of hosts may be, behind links of that rate, in range[STUDY_HYPOTHESIS_PARAMETERS]: a bus of half to eight
 * times the rate, 1/16 of a full frame's time to four of them, 5 us to 1 ms, 16 to 4096 frames. */
void study_hypothesis_host_ranges(int64_t rate_bps, double (*range)[2]);

struct study_hypothesis {
    char text[STUDY_HYPOTHESIS_TEXT];
    char changes[STUDY_HYPOTHESIS_TEXT]; /* for study_replay_what_if(); "" */
    const struct study_model *model;     /* NULL: it is emulated */
    bool cold;
    bool searched[STUDY_HYPOTHESIS_PARAMETERS];
    size_t placement; /* of the measurement; where it has some */
};

/* ERROR_INPUT when a part is not known, or there are more than MODEL_POSTERIOR_AXES to search for. */
bool study_hypothesis_parse(struct study_hypothesis *h, const char *text, struct error *err);

/* The n-th of those that are tried when nobody names any, as text; NULL after the last. Queues are every discipline that
 * loses nothing early, at NIC and at port; the rest has FIFO queues. `rate_bps` of a link decides how small small
 * queues are: 1 ms of it (Linux: tcp_tsq.c's sk_pacing_rate >> 10), but two segments. */
const char *study_hypothesis_usual(size_t n, int64_t rate_bps, char text[static STUDY_HYPOTHESIS_TEXT]);

/* Changes a scenario, which owns its flows, by values of the parameters: NAN where one is not searched for. `relative`:
 * the window's value is times each flow's own. False and *err as study_replay_what_if(). */
bool study_hypothesis_apply(const struct study_hypothesis *h, const double value[STUDY_HYPOTHESIS_PARAMETERS],
                            bool relative, struct scenario *s, struct error *err);
