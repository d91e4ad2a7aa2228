/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/flow.h"

#include "base/error.h"
#include "base/monotonic.h"
#include "measure/line.h"

#include <fcntl.h>
#include <linux/tcp.h> /* glibc's struct tcp_info ends before the fields wanted here */
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#define PIECE 262144           /* bytes sent or read at once */
#define PIECES 4               /* before others have their turn */
#define BUCKET_BITS 2e6        /* a bucket holds so much, or */
#define BUCKET_S 0.1           /* what comes in so long: longer than other connections have their turn */
#define DEBT_S 1.0             /* of a client that fills the kernel's buffers, which are known too late */

static void flow_sample(struct measure_flow *f, int64_t now_ns)
{
    struct tcp_info i = {0};
    socklen_t size = sizeof i;
    if (getsockopt(f->fd, IPPROTO_TCP, TCP_INFO, &i, &size) != 0)
        return;
    bool known = i.tcpi_rtt > 0 && f->sending;
    struct measure_sample s = {
        .at_s = (double)now_ns / 1e9,
        .bytes = f->sending ? (int64_t)i.tcpi_bytes_acked : f->received,
        .rtt_s = known ? i.tcpi_rtt / 1e6 : (double)NAN,
        .least_rtt_s = known && i.tcpi_min_rtt > 0 && i.tcpi_min_rtt < UINT32_MAX ? i.tcpi_min_rtt / 1e6 : (double)NAN,
        .delivered_bytes = f->sending ? (int64_t)i.tcpi_bytes_acked + (int64_t)i.tcpi_sacked * i.tcpi_snd_mss : 0,
        .cwnd_bytes = (double)i.tcpi_snd_cwnd * i.tcpi_snd_mss,
        .delivery_bps = 8 * (double)i.tcpi_delivery_rate,
        .busy_s = (double)i.tcpi_busy_time / 1e6,
        .rwnd_limited_s = (double)i.tcpi_rwnd_limited / 1e6,
        .sndbuf_limited_s = (double)i.tcpi_sndbuf_limited / 1e6,
        .segments = i.tcpi_segs_out,
        .retransmitted = i.tcpi_total_retrans,
    };
    if (f->samples.n == MEASURE_FLOW_SAMPLES) {
        for (size_t k = 0; k < MEASURE_FLOW_SAMPLES / 2; k++)
            f->samples.sample[k] = f->samples.sample[2 * k];
        f->samples.n = MEASURE_FLOW_SAMPLES / 2;
        f->apart_ns *= 2;
    }
    measure_flow_add(&f->samples, &s);
    f->next_ns = now_ns + f->apart_ns;
}

static double bucket_most(const struct measure_bucket *b)
{
    return fmax(BUCKET_BITS, BUCKET_S * b->rate_bps);
}

void measure_flow_bucket_fill(struct measure_bucket *b, double rate_bps, int64_t now_ns)
{
    *b = (struct measure_bucket){.rate_bps = rate_bps, .at_ns = now_ns};
    b->bits = bucket_most(b);
}

size_t measure_flow_bucket_room(struct measure_bucket *b, int64_t now_ns)
{
    b->bits = fmin(bucket_most(b), b->bits + b->rate_bps * (double)(now_ns - b->at_ns) / 1e9);
    b->at_ns = now_ns;
    return b->bits >= 8 ? (size_t)(b->bits / 8) : 0;
}

bool measure_flow_bucket_overdrawn(const struct measure_bucket *b)
{
    return b->bits < -fmax(BUCKET_BITS, DEBT_S * b->rate_bps);
}

void measure_flow_open(struct measure_flow *f, int fd, bool sending, double pace_bps, struct measure_bucket *bucket)
{
    int64_t now_ns = monotonic_now_ns();
    *f = (struct measure_flow){.fd = fd, .sending = sending, .bucket = bucket && bucket->rate_bps > 0 ? bucket : NULL,
                               .started_ns = now_ns, .apart_ns = MEASURE_FLOW_SAMPLE_NS};
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    uint64_t pace = (uint64_t)(pace_bps / 8);
    if (sending && pace_bps > 0)
        setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &pace, sizeof pace);
    flow_sample(f, now_ns);
}

bool measure_flow_congestion_name(const char *name)
{
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    return n > 0 && n < MEASURE_FLOW_CONGESTION && name[n] == '\0';
}

/* A line of names with blanks between them, from /proc; empty where it cannot be read. */
static void flow_names(const char *key, char *text, size_t size)
{
    MEMORY_LOCAL char *path = memory_text("/proc/sys/net/ipv4/%s", key);
    FILE *f = fopen(path, "r");
    *text = '\0';
    if (f && !fgets(text, (int)size, f))
        *text = '\0';
    if (f)
        fclose(f);
    text[strcspn(text, "\n")] = '\0';
}

static bool flow_names_have(const char *names, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = names; (at = strstr(at, name)) != NULL; at += n)
        if ((at == names || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

void measure_flow_controls_read(struct measure_flow_controls *c)
{
    flow_names("tcp_available_congestion_control", c->available, sizeof c->available);
    flow_names("tcp_allowed_congestion_control", c->allowed, sizeof c->allowed);
}

bool measure_flow_congestion(const struct measure_flow_controls *c, const char *name, char *why, size_t size)
{
    if (!measure_flow_congestion_name(name) || !flow_names_have(c->available, name)) {
        snprintf(why, size, "the kernel has %.200s", *c->available ? c->available : "no list of them");
        return false;
    }
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool ok = fd >= 0 && setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name)) == 0;
    error_close(fd);
    if (!ok) /* tcp(7): others than these take CAP_NET_ADMIN */
        snprintf(why, size, "without privileges there are %.200s", c->allowed);
    return ok;
}

short measure_flow_events(const struct measure_flow *f, int64_t now_ns)
{
    if (f->fd < 0 || f->ended || (f->bucket && measure_flow_bucket_room(f->bucket, now_ns) == 0))
        return 0;
    return f->sending ? POLLOUT : POLLIN;
}

static void flow_move(struct measure_flow *f, int64_t now_ns)
{
    static char data[PIECE]; /* zeros: nothing on the way shall depend on them */
    for (int i = 0; i < PIECES; i++) {
        size_t room = f->bucket ? measure_flow_bucket_room(f->bucket, now_ns) : PIECE, piece = room < PIECE ? room : PIECE;
        if (piece == 0)
            return;
        /* MSG_TRUNC: TCP drops what it would copy (tcp(7)). */
        ssize_t n = f->sending ? send(f->fd, data, piece, MSG_NOSIGNAL | MSG_DONTWAIT)
                               : recv(f->fd, NULL, piece, MSG_TRUNC | MSG_DONTWAIT);
        if (n > 0 && f->bucket)
            f->bucket->bits -= 8 * (double)n;
        if (n > 0 && !f->sending)
            f->received += n;
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (n <= 0)
            f->ended = true;
        if (n < (ssize_t)piece)
            return; /* the next one would have to wait */
    }
}

void measure_flow_step(struct measure_flow *f, short events, int64_t now_ns)
{
    if (f->fd < 0)
        return;
    if (events && !f->ended)
        flow_move(f, now_ns);
    if (now_ns >= f->next_ns)
        flow_sample(f, now_ns);
}

void measure_flow_close(struct measure_flow *f)
{
    if (f->fd < 0)
        return;
    if (!f->ended)
        flow_sample(f, monotonic_now_ns());
    int unread = 0; /* it has crossed the network, too */
    if (f->bucket && !f->sending && ioctl(f->fd, FIONREAD, &unread) == 0)
        f->bucket->bits -= 8 * (double)unread;
    setsockopt(f->fd, SOL_SOCKET, SO_LINGER, &(struct linger){.l_onoff = 1}, sizeof(struct linger));
    close(f->fd);
    f->fd = -1;
}

void measure_flow_fini(struct measure_flow *f)
{
    measure_flow_close(f);
    free(f->samples.sample);
    f->samples = (struct measure_samples){0};
}

void measure_flow_add(struct measure_samples *all, const struct measure_sample *s)
{
    all->sample = memory_grown(all->sample, all->n, &all->room, 128, sizeof *all->sample, "samples of a connection");
    all->sample[all->n++] = *s;
}

void measure_flow_write(const struct measure_sample *s, char text[static MEASURE_FLOW_TEXT])
{
    snprintf(text, MEASURE_FLOW_TEXT,
             "%.9f %" PRId64 " %.6f %.6f %.0f %.0f %.6f %.6f %.6f %" PRId64 " %" PRId64 " %" PRId64, s->at_s, s->bytes,
             s->rtt_s, s->least_rtt_s, s->cwnd_bytes, s->delivery_bps, s->busy_s, s->rwnd_limited_s,
             s->sndbuf_limited_s, s->segments, s->retransmitted, s->delivered_bytes);
}

/* Times of a clock since a start, and counts of 64 bits, as far as any host has them. */
#define MOST_NS INT64_C(1000000000000000000) /* 31 years */
#define MOST_US INT64_C(1000000000000000)
#define MOST_BYTES INT64_C(1000000000000000000)

/* A time that may be unknown. */
static bool flow_read_maybe(const char **at, double *s)
{
    int64_t us = -1;
    *s = NAN;
    if (strncmp(*at, "nan", 3) == 0) {
        *at += 3 + strspn(*at + 3, " ");
        return true;
    }
    bool ok = measure_line_number(at, 6, 0, MOST_US, &us);
    *s = (double)us / 1e6;
    return ok;
}

static bool flow_read_time(const char **at, double *s)
{
    int64_t us = 0;
    bool ok = measure_line_number(at, 6, 0, MOST_US, &us);
    *s = (double)us / 1e6;
    return ok;
}

static bool flow_read_double(const char **at, double *value)
{
    int64_t n = 0;
    bool ok = measure_line_number(at, 0, 0, MOST_BYTES, &n);
    *value = (double)n;
    return ok;
}

bool measure_flow_read(const char *text, struct measure_sample *s)
{
    const char *at = text;
    int64_t at_ns = 0;
    bool ok = measure_line_number(&at, 9, 0, MOST_NS, &at_ns) && measure_line_number(&at, 0, 0, MOST_BYTES, &s->bytes) &&
              flow_read_maybe(&at, &s->rtt_s) && flow_read_maybe(&at, &s->least_rtt_s) &&
              flow_read_double(&at, &s->cwnd_bytes) && flow_read_double(&at, &s->delivery_bps) &&
              flow_read_time(&at, &s->busy_s) && flow_read_time(&at, &s->rwnd_limited_s) &&
              flow_read_time(&at, &s->sndbuf_limited_s) && measure_line_number(&at, 0, 0, MOST_BYTES, &s->segments) &&
              measure_line_number(&at, 0, 0, MOST_BYTES, &s->retransmitted) &&
              measure_line_number(&at, 0, 0, MOST_BYTES, &s->delivered_bytes);
    s->at_s = (double)at_ns / 1e9;
    return ok && *at == '\0';
}
