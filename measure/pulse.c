/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/pulse.h"

#include "base/monotonic.h"
#include "measure/session.h"
#include "measure/test.h"

#include <poll.h>
#include <time.h>

#define TRIPS 4       /* that flows have to recover, of connections that are made */
#define STEP_MS 5
#define TIME_S 1.0    /* of a session, as its server is told */
#define PULSES 8
#define FIRST 4       /* connections */
#define AT_ONCE (10 * 1448.0) /* bytes that each of them may send at once (RFC 6928), */
#define ARRIVED 0.9   /* of which so much shows: the rest may be on its way */

struct pulse {
    const struct measure_pulse *o;
    struct measure_session s;
    int fd[MEASURE_STREAMS];
    struct measure_flow flow[MEASURE_STREAMS];
    size_t n;
    double bytes;  /* that arrived while the last one lasted */
    double trip_s; /* that its connections took to be made */
};

static double pulse_now_s(void)
{
    return (double)monotonic_now_ns() / 1e9;
}

static void pulse_wait(double until_s)
{
    for (double left_s; (left_s = until_s - pulse_now_s()) > 0;)
        nanosleep(&(struct timespec){(time_t)left_s, (long)(fmod(left_s, 1) * 1e9)}, NULL);
}

/* Its connections, all of them before data go. */
static bool pulse_connect(struct pulse *p, size_t streams, struct error *err)
{
    double since_s = pulse_now_s();
    for (size_t i = 0; i < streams; i++) {
        p->fd[i] = measure_session_dial(&p->s, NULL);
        p->n += p->fd[i] >= 0;
        if (p->fd[i] < 0)
            return error_set_errno(err, "%s: a connection for data", p->s.name);
    }
    for (size_t i = 0; i < streams; i++) {
        int failed = measure_session_dialed(p->fd[i], MEASURE_SESSION_PATIENCE_MS);
        if (failed)
            return error_set(err, ERROR_SYSTEM, "%s: a connection for data failed: %s", p->s.name, strerror(failed));
    }
    p->trip_s = pulse_now_s() - since_s;
    return true;
}

static bool pulse_go(struct pulse *p, bool incoming, struct error *err)
{
    struct pollfd polls[MEASURE_STREAMS];
    double limit_bps = p->s.limit_bps / (double)p->n, until_s = pulse_now_s() + MEASURE_PULSE_S + p->trip_s;
    for (size_t i = 0; i < p->n; i++) {
        if (!measure_session_flow(&p->s, p->o->token, p->fd[i], (int64_t)i + 1, incoming, 0, err))
            return false;
        measure_flow_open(&p->flow[i], p->fd[i], !incoming, limit_bps, NULL);
        p->fd[i] = -1;
    }
    while (pulse_now_s() < until_s) {
        for (size_t i = 0; i < p->n; i++) {
            short events = measure_flow_events(&p->flow[i], monotonic_now_ns());
            polls[i] = (struct pollfd){.fd = events ? p->flow[i].fd : -1, .events = events};
        }
        if (poll(polls, p->n, STEP_MS) < 0 && errno != EINTR)
            return error_set_errno(err, "poll");
        for (size_t i = 0; i < p->n; i++)
            measure_flow_step(&p->flow[i], polls[i].revents, monotonic_now_ns());
    }
    return true;
}

/* A session a pulse: its end is that of its connections, and nobody has to be told of them. */
static bool pulse_send(struct pulse *p, size_t streams, bool incoming, struct error *err)
{
    p->n = 0;
    p->bytes = 0;
    for (size_t i = 0; i < MEASURE_STREAMS; i++) {
        p->fd[i] = -1;
        p->flow[i] = (struct measure_flow){.fd = -1};
    }
    bool ok = measure_session_open(&p->s, p->o->host, p->o->port, p->o->token, TIME_S, err) &&
              measure_session_agree(&p->s, streams, NULL, err) && pulse_connect(p, streams, err) &&
              pulse_go(p, incoming, err);
    for (size_t i = 0; i < p->n; i++) {
        const struct measure_samples *s = &p->flow[i].samples;
        measure_flow_close(&p->flow[i]);
        p->bytes += s->n > 0 ? (double)s->sample[s->n - 1].bytes : 0;
        measure_flow_fini(&p->flow[i]);
        error_close(p->fd[i]);
    }
    if (ok)
        measure_line_say(&p->s.line, "bye\n");
    measure_line_close(&p->s.line);
    return ok;
}

bool measure_pulse_send(const struct measure_pulse *o, struct error *err)
{
    struct pulse p = {.o = o};
    size_t streams[2] = {FIRST, FIRST};
    double next_s = pulse_now_s() + MEASURE_PULSE_QUIET_S;
    bool ok = measure_session_open(&p.s, o->host, o->port, o->token, TIME_S, err);
    measure_line_close(&p.s.line);
    for (size_t i = 0; ok && i < PULSES; i++) {
        pulse_wait(next_s);
        size_t *n = &streams[i % 2];
        ok = pulse_send(&p, *n, i % 2 == 0, err);
        /* What a slow line cannot take at once would stand in its queue for long. */
        *n = p.bytes >= ARRIVED * (double)*n * AT_ONCE && *n < MEASURE_STREAMS ? 2 * *n : *n;
        next_s = pulse_now_s() + fmax(MEASURE_PULSE_APART_S - MEASURE_PULSE_S, TRIPS * p.trip_s);
    }
    if (ok)
        pulse_wait(next_s);
    return ok;
}
