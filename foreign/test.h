/* SPDX-License-Identifier: GPL-2.0-or-later */
/* foreign/test.h - a test that another program ran: flows of data at the same time, and what it says of each. */
#pragma once

#include "base/std.h"

#define FOREIGN_NAME 64

/* An interval of a flow, from the beginning of its test. */
struct foreign_sample {
    double from_s, to_s;
    double rate_bps; /* payload: as the end that reports it sees it; 0 is none */
};

struct foreign_flow {
    char name[FOREIGN_NAME];                 /* "40000:5201" by ports, or the name of a series */
    char from[FOREIGN_NAME], to[FOREIGN_NAME]; /* hosts */
    double mean_bps;                         /* of all the test, at the receiver where that is known */
    double rtt_s, least_rtt_s;               /* as its sender's TCP has it; NAN unknown */
    bool least_known;                        /* least_rtt_s is of every packet, and not of a few samples */
    double retransmitted;                    /* share of the segments; NAN unknown */
    double segments_again;                   /* the same as their number; NAN unknown */
    double busy, rwnd_limited, sndbuf_limited; /* shares of the time; NAN unknown */
    double pace_bps;                         /* what it was asked to keep to; 0: nothing */
    struct foreign_sample *sample;           /* owned; those of rate 0 left out */
    size_t n, capacity;
};

struct foreign_test {
    char host[FOREIGN_NAME];  /* that wrote the file */
    double start_s;           /* since the epoch; NAN unknown */
    double from_s, to_s;      /* all flows are active, from the beginning of the test */
    bool unrated;             /* data came in besides, nobody knows in what time */
    double processor;         /* the largest share of a processor that an end took; NAN unknown */
    struct foreign_flow *flow; /* owned */
    size_t n, capacity;
};

/* A flow more: names are cut where they are too long. */
struct foreign_flow *foreign_test_flow(struct foreign_test *t, const char *name, const char *from, const char *to);
void foreign_test_sample(struct foreign_flow *f, double from_s, double to_s, double rate_bps);
void foreign_test_fini(struct foreign_test *t); /* safe on a zeroed one */

/* Mean rate over the samples that lie between these times, by their lengths; NAN without one. */
double foreign_test_rate_bps(const struct foreign_flow *f, double from_s, double to_s);

/* Were two tests under way at the same time? Those that began within half of the shorter one of each other were. */
bool foreign_test_together(const struct foreign_test *a, const struct foreign_test *b);
