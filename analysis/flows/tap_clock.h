/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/flows/tap_clock.h - does the capture's clock keep the pace of a host's?
 *
 * With t the tap's time and v a timestamp of ticks of d, the tap's clock is ahead of the host's by theta:
 *   a frame that the host sent passes the tap after it left:     theta < t - v
 *   what passed the tap before the host stamped its answer:      theta > t - v - d
 * whatever waits on the way. Two clocks that run on have theta = a + b t (Moon, Skelly and Towsley 1999). Where a constant
 * lies within all these bounds there is nothing to see. Where a line does, b is their pace: crystals are some 100 ppm off,
 * and one that NTP slews up to 500 more. Where none does, one of them was set meanwhile. Bounds are of the least delay either way
 * to the host and back: less than that nobody sees. */
#ifndef ANALYSIS_TAP_CLOCK_H
#define ANALYSIS_TAP_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define ANALYSIS_TAP_CLOCK_SLOTS 32

struct analysis_tap_clock_slot {
    bool has[2];
    int64_t bound_ns[2]; /* of theta, by `sent`: the most that is below it, the least that is above it */
};

struct analysis_tap_clock { /* zeroed: nothing yet */
    bool begun;
    int unit_ns;         /* of its stamps, as its pace seemed to be when they were noted */
    int64_t latest_ns, back_ns; /* when a frame of the host's passed the latest; the most that the next passed before that */
    int64_t first;       /* slot i covers [first + i, first + i + 1) << shift, in ms */
    unsigned shift;
    struct analysis_tap_clock_slot slot[ANALYSIS_TAP_CLOCK_SLOTS];
};

/* A frame passes at time_ns: the host sent it, and theta is less than this, or it answered it, and theta is more. Another tick
 * than before begins anew. */
void analysis_tap_clock_note(struct analysis_tap_clock *c, int unit_ns, int64_t time_ns, bool sent, int64_t theta_ns);

struct analysis_tap_clock_fit {
    double pace;   /* b; 0 where none shows */
    double off_ns; /* by how much theta leaves the bounds of that line at most; 0: nowhere */
};

/* As if stamps were so much older than a tick at most. */
struct analysis_tap_clock analysis_tap_clock_older(const struct analysis_tap_clock *c, double by_ns);

/* The line. Bounds that contradict each other within most slots are that much off everywhere: stamps of the
 * tap may be. A tap whose clock goes back was set. */
struct analysis_tap_clock_fit analysis_tap_clock_fit(const struct analysis_tap_clock *c);

/* The least that t - v was of frames from the host (sent), and v - t of what it answered, less what that pace made of it since
 * a time; INFINITY without any. */
double analysis_tap_clock_least_ns(const struct analysis_tap_clock *c, bool sent, double pace, int64_t since_ns);

#endif
