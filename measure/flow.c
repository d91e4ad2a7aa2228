/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/flow.h"

#include "base/memory.h"
#include "base/monotonic.h"
#include "measure/line.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/tcp.h> /* glibc's struct tcp_info ends before the fields wanted here */
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PIECE 262144           /* bytes sent or read at once */
#define PIECES 4               /* before others have their turn */
#define LIMIT_BURST_BITS 2e6   /* of a reader beyond its limit */

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
    measure_flow_add(&f->samples, &s);
    f->next_ns = now_ns + MEASURE_FLOW_SAMPLE_NS;
}

void measure_flow_open(struct measure_flow *f, int fd, bool sending, double pace_bps, double limit_bps)
{
    int64_t now_ns = monotonic_now_ns();
    *f = (struct measure_flow){.fd = fd, .sending = sending, .limit_bps = limit_bps, .started_ns = now_ns};
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
    char *path = memory_text("/proc/sys/net/ipv4/%s", key);
    FILE *f = fopen(path, "r");
    *text = '\0';
    if (f && !fgets(text, (int)size, f))
        *text = '\0';
    if (f)
        fclose(f);
    text[strcspn(text, "\n")] = '\0';
    free(path);
}

static bool flow_names_have(const char *names, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = names; (at = strstr(at, name)) != NULL; at += n)
        if ((at == names || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

bool measure_flow_congestion(const char *name, char *why, size_t size)
{
    char names[256];
    flow_names("tcp_available_congestion_control", names, sizeof names);
    if (!measure_flow_congestion_name(name) || !flow_names_have(names, name)) {
        snprintf(why, size, "the kernel has %.200s", *names ? names : "no list of them");
        return false;
    }
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool ok = fd >= 0 && setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name)) == 0;
    if (fd >= 0)
        close(fd);
    flow_names("tcp_allowed_congestion_control", names, sizeof names);
    if (!ok) /* tcp(7): others than these take CAP_NET_ADMIN */
        snprintf(why, size, "without privileges there are %.200s", names);
    return ok;
}

static bool flow_may_read(const struct measure_flow *f, int64_t now_ns)
{
    return f->limit_bps <= 0 ||
           8 * (double)f->received < f->limit_bps * (double)(now_ns - f->started_ns) / 1e9 + LIMIT_BURST_BITS;
}

short measure_flow_events(const struct measure_flow *f, int64_t now_ns)
{
    if (f->fd < 0 || f->ended)
        return 0;
    return f->sending ? POLLOUT : flow_may_read(f, now_ns) ? POLLIN : 0;
}

static void flow_move(struct measure_flow *f)
{
    static char data[PIECE]; /* zeros: nothing on the way shall depend on them */
    for (int i = 0; i < PIECES; i++) {
        /* MSG_TRUNC: TCP drops what it would copy (tcp(7)). */
        ssize_t n = f->sending ? send(f->fd, data, sizeof data, MSG_NOSIGNAL | MSG_DONTWAIT)
                               : recv(f->fd, NULL, PIECE, MSG_TRUNC | MSG_DONTWAIT);
        if (n > 0 && !f->sending)
            f->received += n;
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (n <= 0)
            f->ended = true;
        if (n < PIECE)
            return; /* the next one would have to wait */
    }
}

void measure_flow_step(struct measure_flow *f, short events, int64_t now_ns)
{
    if (f->fd < 0)
        return;
    if (events && !f->ended)
        flow_move(f);
    if (now_ns >= f->next_ns)
        flow_sample(f, now_ns);
}

void measure_flow_close(struct measure_flow *f)
{
    if (f->fd < 0)
        return;
    if (!f->ended)
        flow_sample(f, monotonic_now_ns());
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

bool measure_flow_read(const char *text, struct measure_sample *s)
{
    int end = 0;
    int n = sscanf(text, "%lf %" SCNd64 " %lf %lf %lf %lf %lf %lf %lf %" SCNd64 " %" SCNd64 " %" SCNd64
                   "%n", &s->at_s, &s->bytes,
                   &s->rtt_s, &s->least_rtt_s, &s->cwnd_bytes, &s->delivery_bps, &s->busy_s, &s->rwnd_limited_s,
                   &s->sndbuf_limited_s, &s->segments, &s->retransmitted,
                   &s->delivered_bytes, &end);
    return n == 12 && text[end] == '\0' && isfinite(s->at_s) && s->bytes >= 0 && s->segments >= 0 &&
           s->retransmitted >= 0 && s->delivered_bytes >= 0 && !(s->rtt_s < 0) && isfinite(s->busy_s);
}
