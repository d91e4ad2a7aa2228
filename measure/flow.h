/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure/flow.h - one end of a connection that carries data as fast as TCP lets it, and what this end sees of it. */
#pragma once

#include "base/std.h"

#define MEASURE_FLOW_SAMPLE_NS 25000000 /* between samples, of a connection younger than 100 s */
#define MEASURE_FLOW_SAMPLES 4096 /* of a connection, at most: where it has more, every other one is forgotten */

/* One end at a moment. What comes from TCP_INFO is Linux's: times since the connection began; NAN or 0 where an older
 * kernel does not say. */
struct measure_sample {
    double at_s;                /* CLOCK_MONOTONIC of one host for all samples of a phase */
    int64_t bytes;              /* read so far at the receiver; acknowledged so far at the sender */
    int64_t delivered_bytes;    /* a sender's: what arrived, also beyond a gap (SACK, in full segments); 0 unknown */
    double rtt_s, least_rtt_s;  /* smoothed, and the least so far; NAN before the first */
    double cwnd_bytes;
    double delivery_bps;        /* of the latest round trip */
    double busy_s, rwnd_limited_s, sndbuf_limited_s; /* had data to send; of that, held by the receiver; by itself */
    int64_t segments, retransmitted; /* sent, ACKs counted; sent again */
};

struct measure_samples {
    struct measure_sample *sample; /* owned */
    size_t n, room;
};

/* What one direction of all of a client's connections may carry, one after another included: in any time t no more than
 * rate_bps t, and what the bucket holds when it is full. */
struct measure_bucket {
    double rate_bps; /* 0: no limit */
    double bits;     /* there now; < 0: a debt */
    int64_t at_ns;   /* filled until then */
};

/* A full one. */
void measure_flow_bucket_fill(struct measure_bucket *b, double rate_bps, int64_t now_ns);
/* Bytes that may go now, 0 in debt. */
size_t measure_flow_bucket_room(struct measure_bucket *b, int64_t now_ns);
/* More than a second's worth, and more than a bucket holds: whoever measures is never that far behind. */
bool measure_flow_bucket_overdrawn(const struct measure_bucket *b);

struct measure_flow {
    int fd;               /* owned; -1: closed */
    bool sending;
    bool ended;           /* the other end is gone */
    int64_t received;
    struct measure_bucket *bucket; /* borrowed; NULL: no limit */
    int64_t started_ns, next_ns; /* its beginning; its next sample */
    int64_t apart_ns;     /* between samples */
    struct measure_samples samples;
};

/* Takes a connected socket. `pace_bps`: what a sender keeps to, 0 nothing. */
void measure_flow_open(struct measure_flow *f, int fd, bool sending, double pace_bps, struct measure_bucket *bucket);

/* Names of congestion controls as Linux has them, TCP_CA_NAME_MAX with the NUL. */
#define MEASURE_FLOW_CONGESTION 16

/* What /proc says of them, names with blanks between: read once, before a process gives up to open files. */
struct measure_flow_controls {
    char available[256], allowed[256];
};

void measure_flow_controls_read(struct measure_flow_controls *c);

/* May a socket of this machine have it? False with words that say what there is, for a line. Names that the kernel does
 * not have at hand are never asked for: the asking would load a module, and a client shall not choose those of a
 * server. */
bool measure_flow_congestion(const struct measure_flow_controls *c, const char *name, char *why, size_t size);

/* May a text be the name of one: 1 to 15 letters, digits, '-' and '_'? */
bool measure_flow_congestion_name(const char *name);

/* What poll() should wait for now. */
short measure_flow_events(const struct measure_flow *f, int64_t now_ns);

/* Sends or reads what goes without waiting, and takes a sample when it is time. */
void measure_flow_step(struct measure_flow *f, short events, int64_t now_ns);

/* Takes a last sample and closes: what is still to be sent is dropped (RFC 9293, 3.10.4 ABORT), so that the network is
 * free for what comes next. The samples stay. */
void measure_flow_close(struct measure_flow *f);
void measure_flow_fini(struct measure_flow *f);

/* A sample as words of a line, and back; false when it is none, or no host's: all numbers have ranges. */
#define MEASURE_FLOW_TEXT 256
void measure_flow_write(const struct measure_sample *s, char text[static MEASURE_FLOW_TEXT]);
bool measure_flow_read(const char *text, struct measure_sample *s);
void measure_flow_add(struct measure_samples *all, const struct measure_sample *s);
