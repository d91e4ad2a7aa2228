/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/flows/spacing.h - how the frames of one way follow each other: at which rate, in what runs, after which silences.
 *
 * Two frames stand at the rate of the larger one's wire bytes over the time between them: of frames back to back at
 * least the link's, whichever end of a frame is stamped. In a run no two stand much slower. What serves a queue
 * without resting begins no new run while a frame waits, so no frame waits longer than the run before it has lasted:
 * where frames wait longer than that, something stops them.
 *
 * A wire needs as much longer for a frame as that is longer. Of a large frame and a small one back to back the tap therefore
 * sees them a small one's time apart in one order, by whichever end it stamps, and a large one's in the other. Who stamps
 * frames that a NIC hands over together (interrupt coalescing) puts all alike close, and what is between those batches is
 * the NIC's time: such stamps tell no rate. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ANALYSIS_SPACING_FULL_BITS (1538 * 8.0) /* of a full frame of Ethernet, on the wire */
#define ANALYSIS_SPACING_STEPS 120 /* from 1 kbit/s on, quarters of an octave */
#define ANALYSIS_SPACING_RUNS 30   /* octaves */
#define ANALYSIS_SPACING_APARTS 80 /* half octaves, to 18 minutes */

struct analysis_spacing {
    double bytes[ANALYSIS_SPACING_STEPS], seconds[ANALYSIS_SPACING_STEPS];
    double apart_s[ANALYSIS_SPACING_APARTS]; /* by how long, in half octaves of ns */
    double pairs[2][ANALYSIS_SPACING_STEPS]; /* of frames of about one size, and of unlike ones */
    struct {
        int64_t began_ns;        /* of a run of at least that rate */
        double since_ns, frames; /* when it began: of the frames added with its first one, up to that */
        double sum_ns, counted;  /* of so many frames, since their runs began; all frames while rare_ns is 0 */
    } run[ANALYSIS_SPACING_RUNS];
    int fastest;         /* of the runs that have more than one frame */
    int64_t rare_ns;     /* frames so far apart, and more, are few: each counts, for itself; 0: all do so far */
    int watched;         /* with that: the runs that go on being counted, those of the rate at which most bytes stand */
    int64_t last_ns;
    uint32_t last_bytes; /* 0: none yet */
    double frames;
};

/* The next n frames pass, each of so many bytes on the wire. Each stands for `weight` frames where it is counted how many
 * follow each other how; 0: others stand for them, but runs go on and what is far apart counts. Always 1 at first, and
 * never again after another. */
void analysis_spacing_add(struct analysis_spacing *w, const uint32_t *bytes, const int64_t *time_ns, size_t n,
                          unsigned weight);

struct analysis_spacing_figures {
    double line_bps;    /* at which most bytes stand; NAN without frames */
    double line_share;  /* of bytes: so fast, or faster */
    double fastest_bps; /* a fiftieth of the bytes stand so fast */
    double silent;      /* share of the time: in distances of 4 and more full frames of that rate, and of 4 mean distances */
    double run_s;       /* mean, over frames, since a run of that rate began */
    double mean_bps;    /* on the wire */
    double frame_s;     /* mean time per frame */
};

void analysis_spacing_get(const struct analysis_spacing *w, struct analysis_spacing_figures *x);

/* Share of unlike frames that follow each other neither as a wire of that rate passes them one after the other, which makes them
 * a large one's time apart or a small one's, nor after more than two large ones': a sender's pace, into which small ones fall
 * anywhere, makes it 0.41 to 0.49. NAN where there are fewer than 64. */
double analysis_spacing_between(const struct analysis_spacing *w, double bps);

/* How far apart batches of frames are that tell no rate, s: half of the time lies in such distances, and longer ones. 0: none
 * show, as where frames of few sizes pass. */
double analysis_spacing_batch_s(const struct analysis_spacing *w);
