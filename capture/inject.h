/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture/inject.h - sends the Ethernet frames of a capture on a real interface, open loop, on time.
 *
 * A frame is due at t0 + (t - first t) / speed, or, with a rate, when a wire of that rate has carried those before
 * it (length, at least 60, and 24 bytes of FCS, preamble and gap each). The schedule is absolute: a late frame goes
 * at once and the next are due when they were. Sleeps until shortly before, then spins: one processor is busy while
 * frames are less than 60 us apart. Frames go with their length on the wire; what was not captured is zeros. */
#pragma once

#include "capture/reader.h"
#include "capture/rewrite.h"

#include <signal.h>

#define CAPTURE_INJECT_LATE_NS 1000000
#define CAPTURE_INJECT_RATE_MAX INT64_C(1000000000000000)

struct capture_inject; /* opaque: an interface open for sending */

struct capture_inject_options {
    const char *source;       /* of the frames, for messages; borrowed */
    double speed;             /* > 0; 2 is twice as fast as recorded */
    int64_t rate_bps;         /* of wire time, at most CAPTURE_INJECT_RATE_MAX; 0: recorded times */
    const struct capture_rewrite *rewrites; /* borrowed */
    size_t n_rewrites;
    const volatile sig_atomic_t *interrupted; /* stops when it is not 0; may be NULL */
    void (*progress)(void *user, int64_t frames, int64_t elapsed_ns); /* about twice a second, while there is time for
                                                                       * it; may be NULL */
    void *user;
};

struct capture_inject_result {
    int64_t frames, bytes;   /* handed to the interface; bytes without FCS */
    int64_t padded_frames;   /* captured shorter than they were */
    int64_t rewritten_frames;
    int64_t late_frames;     /* handed over more than CAPTURE_INJECT_LATE_NS after they were due */
    int64_t back_frames;     /* recorded before an earlier frame of the file: sent at once after it */
    int64_t scheduled_ns;    /* from the first frame's time to when the last one sent was due */
    int64_t elapsed_ns;      /* to when it had been handed over */
    int64_t gap_p50_ns, gap_p99_ns, gap_max_ns; /* size of (gap between two frames handed over - gap due) */
    bool interrupted;
    bool truncated;          /* the capture is cut: `stopped` says where */
    struct error stopped;
};

/* False (ERROR_INPUT naming `source` and its link type) unless the frames of the capture are Ethernet's. */
bool capture_inject_accepts(const struct capture_reader *reader, const char *source, struct error *err);

/* NULL and *err: no such interface or not an Ethernet one (ERROR_INPUT), down, or no permission (ERROR_SYSTEM). */
struct capture_inject *capture_inject_open(const char *interface, struct error *err);
void capture_inject_close(struct capture_inject *inject);

/* Gives up what opening took: capture_confine(). */
bool capture_inject_confine(const struct capture_inject *inject, struct error *err);

/* Sends every frame that `reader` still has. False and *err when a frame does not fit the interface (ERROR_INPUT,
 * with its number), or when reading or sending fails; *result tells what went out before, too. */
bool capture_inject_run(struct capture_inject *inject, struct capture_reader *reader,
                        const struct capture_inject_options *options, struct capture_inject_result *result,
                        struct error *err);

/* For tests: the frame as it is sent, with its wire length, zeros behind what was captured and other addresses.
 * False when it is shorter than an Ethernet header or does not fit `mtu` (a VLAN tag may be on top). */
bool capture_inject_frame(const struct capture_frame *frame, int64_t number, const char *interface, uint32_t mtu,
                          const struct capture_inject_options *options, uint8_t *out,
                          struct capture_inject_result *result, struct error *err);
#define CAPTURE_INJECT_FRAME_BYTES(mtu) ((size_t)(mtu) + 18)
