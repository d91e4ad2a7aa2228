/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/client.h"

#include "base/monotonic.h"
#include "measure/figures.h"
#include "measure/server.h"
#include "measure/session.h"

#include <poll.h>
#include <sys/resource.h>

#define LATE 2.0                        /* a test may take so many times what was asked for, and MEASURE_SESSION_PATIENCE_MS */
#define ECHO_NS INT64_C(30000000)       /* between words on a control connection: a hundred in four phases of 2 s */
#define IDLE_ECHO_NS INT64_C(10000000)  /* while nothing else is on the way */
#define IDLE_S 1.5                      /* for so long before the first phase: a hundred words have one beyond 99 % */
#define IDLE_SHARE 0.0625               /* of a short test, at most */
#define PROGRESS_NS INT64_C(200000000)
#define QUIET_S 1.5                     /* for queues to drain after a phase, at most, */
#define QUIET_SHARE 0.07                /* and of a short test */
#define WORDS 1024                      /* to one server, on their way */
#define CLOCK_S 60                      /* a server's time may seem so far outside of the test */
#define SAMPLES_MORE 8                  /* than time allows: a flow's first and last, and what clocks differ */
#define SETTLE 0.4                      /* of a phase: its beginning is not judged */
#define GAP_S 0.15                      /* between phases, as far as it is known before */

/* In blocks; over all of them in, out and both come equally early, so that a steady drift is no loss. Of phases of both
 * at once data in begin first in the first and in the last one, data out in those between. The pace follows
 * from the blocks before. The first phase is short, and dropped: Linux keeps what a connection learned (ssthresh) for
 * the next one to the same host, and it has none before. */
#define DROPPED 0.5 /* of a phase */
static const enum measure_kind schedule[] = {
    MEASURE_BOTH,
    MEASURE_IN, MEASURE_OUT, MEASURE_BOTH, MEASURE_PACED,
    MEASURE_BOTH, MEASURE_OUT, MEASURE_IN,
    MEASURE_OUT, MEASURE_BOTH, MEASURE_IN, MEASURE_PACED,
    MEASURE_IN, MEASURE_BOTH, MEASURE_OUT,
};
enum { PHASES = sizeof schedule / sizeof *schedule };
static const bool client_out_first[MEASURE_BLOCKS] = {false, true, true, false}; /* by the kind's phases */

/* A phase's time, as a multiple of how old its younger connections become. */
static double client_weight(size_t i)
{
    bool both = schedule[i] == MEASURE_BOTH || schedule[i] == MEASURE_PACED;
    return (i ? 1 : DROPPED) * (both ? 1 + MEASURE_LEAD : 1);
}

struct server_end {
    struct measure_session at;
    int64_t least_ns, ahead_ns;  /* the shortest echo so far, and how far the server's clock is ahead by it */
    int64_t echo_ns;             /* the next echo's time */
    int64_t echoed_ns;           /* round trip of the last one; 0: none yet */
    int64_t word[WORDS];         /* sent and not answered yet: n_words from first_word on, in a ring */
    size_t first_word, n_words;
    bool stopped;                /* said all about a phase, or was not asked yet */
    size_t accounts;             /* of flows, since it was asked */
    struct measure_end *told;    /* the flow whose samples come now */
    size_t telling;
    int64_t told_ahead_ns;       /* its clock's lead, the same for all of them */
    int64_t flows;               /* so far */
};

struct client {
    const struct measure_client *o;
    struct server_end server[MEASURE_HOSTS];
    struct measure_test *test;
    struct measure_phase *phase;
    struct measure_flow flow[MEASURE_FLOWS];
    int64_t number[MEASURE_FLOWS];
    bool idle;        /* nothing but words is on the way */
    int64_t began_ns, progress_ns, phase_ns, until_ns; /* of the test; ...; of the phase; the test's deadline */
    int64_t shown[2]; /* bytes at the last progress */
};

/* "WORD SERVER_NS": words come back as they went, each once. */
static bool client_echoed(struct client *c, size_t host, const char *line)
{
    struct server_end *s = &c->server[host];
    int64_t now_ns = monotonic_now_ns(), sent_ns, server_ns;
    if (s->n_words == 0 || !measure_line_number(&line, 0, 0, INT64_MAX, &sent_ns) ||
        !measure_line_number(&line, 0, 0, INT64_MAX / 2, &server_ns) || *line || sent_ns != s->word[s->first_word])
        return false;
    s->first_word = (s->first_word + 1) % WORDS;
    s->n_words--;
    int64_t round_ns = now_ns - sent_ns;
    s->echoed_ns = round_ns;
    if (s->least_ns == 0 || round_ns < s->least_ns) {
        s->least_ns = round_ns;
        s->ahead_ns = server_ns - (sent_ns + round_ns / 2);
    }
    struct measure_test *t = c->test;
    struct measure_echo e = {.at_s = (double)sent_ns / 1e9, .there_s = (double)(server_ns - sent_ns) / 1e9,
                             .back_s = (double)(now_ns - server_ns) / 1e9};
    t->there_s[host] = fmin(t->there_s[host], e.there_s);
    t->back_s[host] = fmin(t->back_s[host], e.back_s);
    struct measure_phase *p = c->phase;
    if (c->idle) {
        struct measure_idle *idle = &t->idle;
        idle->round_s = memory_grown(idle->round_s, idle->n, &idle->room, 64, sizeof *idle->round_s, "echoes");
        idle->round_s[idle->n++] = (double)round_ns / 1e9;
    }
    if (!p)
        return true;
    p->echo[host] = memory_grown(p->echo[host], p->n_echoes[host], &p->room[host], 64, sizeof e, "echoes");
    p->echo[host][p->n_echoes[host]++] = e;
    return true;
}

/* As many as time allows since the phase began. */
static int64_t client_samples_most(const struct client *c)
{
    int64_t most = (monotonic_now_ns() - c->phase_ns) / MEASURE_FLOW_SAMPLE_NS + SAMPLES_MORE;
    return most < MEASURE_FLOW_SAMPLES ? most : MEASURE_FLOW_SAMPLES;
}

static bool client_sampled(const struct client *c, struct server_end *s, const char *line)
{
    struct measure_sample sample;
    s->telling--;
    if (!measure_flow_read(line, &sample))
        return false;
    sample.at_s -= (double)s->told_ahead_ns / 1e9;
    if (sample.at_s < (double)c->began_ns / 1e9 - CLOCK_S || sample.at_s > (double)monotonic_now_ns() / 1e9 + CLOCK_S)
        return false;
    if (!s->told)
        return true;
    const struct measure_samples *far = &s->told->far;
    if (far->n && sample.at_s < far->sample[far->n - 1].at_s)
        return false;
    measure_flow_add(&s->told->far, &sample);
    return true;
}

/* "flow K down N" announces N samples of one of the phase's flows; of another one they are dropped. */
static bool client_told(struct client *c, struct server_end *s, const char *line)
{
    int64_t number, samples;
    char way[8];
    int end = 0;
    if (s->telling > 0)
        return client_sampled(c, s, line);
    if (!s->stopped && strcmp(line, "end") == 0)
        return s->stopped = true;
    if (s->stopped || s->accounts++ == 2 * MEASURE_STREAMS || strncmp(line, "flow ", 5) != 0)
        return false;
    line += 5;
    if (!measure_line_number(&line, 0, 1, s->flows, &number) || sscanf(line, "%7[a-z] %n", way, &end) != 1 || end == 0)
        return false;
    line += end;
    if (!measure_line_number(&line, 0, 0, client_samples_most(c), &samples) || *line)
        return false;
    s->telling = (size_t)samples;
    s->told_ahead_ns = s->ahead_ns;
    s->told = NULL;
    for (size_t i = 0; c->phase && i < c->phase->n; i++)
        if (c->number[i] == number && s == &c->server[c->phase->end[i].host] && c->phase->end[i].far.n == 0)
            s->told = &c->phase->end[i];
    return true;
}

static bool client_hear(struct client *c, size_t host, struct error *err)
{
    struct server_end *s = &c->server[host];
    measure_line_fill(&s->at.line);
    for (const char *line; (line = measure_line_next(&s->at.line)) != NULL;) {
        bool ok = strncmp(line, "pong ", 5) == 0 ? client_echoed(c, host, line + 5) : client_told(c, s, line);
        if (!ok)
            return error_set(err, ERROR_SYSTEM, "%s: '%.40s': not what a server says", s->at.name, line);
    }
    return !s->at.line.ended || error_set(err, ERROR_SYSTEM, "%s: the server went away in the middle of the test; its "
                                       "log says why", s->at.name);
}

static void client_progress(struct client *c, double in_s, double total_s)
{
    int64_t now_ns = c->o->progress ? monotonic_now_ns() : 0, bytes[2] = {0};
    double since_s = (double)(now_ns - c->progress_ns) / 1e9;
    if (!c->o->progress || now_ns - c->progress_ns < PROGRESS_NS)
        return;
    for (size_t i = 0; i < c->phase->n; i++) {
        const struct measure_samples *s = &c->flow[i].samples;
        bytes[c->phase->end[i].incoming] += s->n ? s->sample[s->n - 1].bytes : 0;
    }
    struct measure_progress p = {.in = c->test->in, .out = c->test->out, .kind = c->phase->kind, .elapsed_s = in_s,
                                 .total_s = total_s,
                                 .in_bps = 8 * fmax(0, (double)(bytes[1] - c->shown[1])) / since_s,
                                 .out_bps = 8 * fmax(0, (double)(bytes[0] - c->shown[0])) / since_s};
    c->shown[0] = bytes[0];
    c->shown[1] = bytes[1];
    c->progress_ns = now_ns;
    c->o->progress(c->o->user, &p);
}

static void client_echo(struct client *c, int64_t now_ns)
{
    for (size_t h = 0; h < c->test->hosts; h++)
        if (now_ns >= c->server[h].echo_ns) {
            struct server_end *s = &c->server[h];
            s->echo_ns = now_ns + (c->idle ? IDLE_ECHO_NS : ECHO_NS);
            if (s->n_words == WORDS)
                continue; /* 30 s and more without an answer */
            s->word[(s->first_word + s->n_words++) % WORDS] = now_ns;
            measure_line_say(&s->at.line, "ping %" PRId64 "\n", now_ns);
        }
}

/* Waits once for whatever comes, and does it. */
static bool client_turn(struct client *c, struct error *err)
{
    struct pollfd polls[MEASURE_FLOWS + MEASURE_HOSTS];
    size_t n = 0, flows = c->phase ? c->phase->n : 0;
    int64_t now_ns = monotonic_now_ns();
    if (now_ns > c->until_ns)
        return error_set(err, ERROR_SYSTEM, "a test of %.0f s is not over after %.0f: servers or the network are too "
                         "slow for it; a longer --time may help", c->o->time_s, (double)(now_ns - c->began_ns) / 1e9);
    client_echo(c, now_ns);
    for (size_t i = 0; i < flows; i++) {
        short events = measure_flow_events(&c->flow[i], now_ns);
        polls[n++] = (struct pollfd){.fd = events ? c->flow[i].fd : -1, .events = events};
    }
    for (size_t h = 0; h < c->test->hosts; h++) {
        short out = measure_line_waits(&c->server[h].at.line) ? POLLOUT : 0;
        polls[n++] = (struct pollfd){.fd = c->server[h].at.line.fd, .events = (short)(POLLIN | out)};
    }
    int ready = poll(polls, n, MEASURE_FLOW_SAMPLE_NS / 1000000 / 5);
    if (ready < 0)
        return errno == EINTR || error_set_errno(err, "poll");
    now_ns = monotonic_now_ns();
    for (size_t i = 0; i < flows; i++)
        measure_flow_step(&c->flow[i], polls[i].revents, now_ns);
    for (size_t h = 0; h < c->test->hosts; h++) {
        if (polls[flows + h].revents & POLLOUT)
            measure_line_flush(&c->server[h].at.line);
        if ((polls[flows + h].revents & ~POLLOUT) && !client_hear(c, h, err))
            return false;
    }
    return true;
}

/* Takes the i-th flow's connection, and has it begin. */
static bool client_open(struct client *c, size_t i, int fd, struct error *err)
{
    const struct measure_end *e = &c->phase->end[i];
    struct server_end *s = &c->server[e->host];
    double pace_bps = e->pace_bps, limit_bps = s->at.limit_bps / (double)c->o->streams;
    c->number[i] = ++s->flows;
    bool sent = measure_session_flow(&s->at, c->o->token, fd, c->number[i], e->incoming, pace_bps, err);
    double most_bps = limit_bps > 0 && !(pace_bps > 0 && pace_bps < limit_bps) ? limit_bps : pace_bps;
    measure_flow_open(&c->flow[i], fd, !e->incoming, most_bps, NULL);
    return sent;
}

/* Opens those connections of one direction that are made by now. */
static bool client_answered(struct client *c, int fd[static MEASURE_FLOWS], size_t *left, struct error *err)
{
    for (size_t i = 0; i < c->phase->n; i++) {
        int made = fd[i], failed = made < 0 ? ETIMEDOUT : measure_session_dialed(made, 0);
        if (failed == ETIMEDOUT)
            continue;
        if (failed)
            return error_set(err, ERROR_SYSTEM, "%s: a connection for data failed: %s",
                             c->server[c->phase->end[i].host].at.name, strerror(failed));
        fd[i] = -1;
        (*left)--;
        if (!client_open(c, i, made, err))
            return false;
    }
    return true;
}

/* All flows of a direction at once, while those of the other one go on. */
static bool client_begin(struct client *c, bool incoming, struct error *err)
{
    const struct measure_phase *p = c->phase;
    int fd[MEASURE_FLOWS];
    size_t left = 0;
    bool ok = true;
    int64_t until_ns = monotonic_now_ns() + MEASURE_SESSION_PATIENCE_MS * INT64_C(1000000);
    for (size_t i = 0; i < p->n; i++) {
        const struct server_end *s = &c->server[p->end[i].host];
        fd[i] = ok && p->end[i].incoming == incoming ? measure_session_dial(&s->at, c->o->congestion) : -1;
        if (ok && p->end[i].incoming == incoming && fd[i] < 0)
            ok = error_set(err, ERROR_SYSTEM, "%s: a connection for data failed: %s", s->at.name, strerror(errno));
        left += fd[i] >= 0;
    }
    while (ok && left > 0) {
        ok = client_answered(c, fd, &left, err) && (left == 0 || client_turn(c, err));
        if (ok && left > 0 && monotonic_now_ns() > until_ns)
            ok = error_set(err, ERROR_SYSTEM, "a connection for data was not made within 10 s");
    }
    for (size_t i = 0; i < p->n; i++)
        error_close(fd[i]);
    return ok;
}

static double client_processor_s(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* What each direction has room for beside the ACKs of the other one, by the phases so far. */
static double client_pace_bps(const struct measure_test *t, bool incoming)
{
    double rate_bps = 0, acks_bps = 0, n = 0, m = 0;
    for (size_t i = 0; i < t->n; i++) {
        struct measure_figures f;
        measure_figures_of(t, &t->phase[i], &f);
        if (t->phase[i].kind == (incoming ? MEASURE_IN : MEASURE_OUT)) {
            rate_bps += incoming ? f.in.rate_bps : f.out.rate_bps;
            n++;
        } else if (t->phase[i].kind == (incoming ? MEASURE_OUT : MEASURE_IN)) {
            acks_bps += incoming ? f.out.acks_bps : f.in.acks_bps;
            m++;
        }
    }
    double room_bps = n > 0 && m > 0 ? MEASURE_PACE * (rate_bps / n - acks_bps / m) : 0;
    return fmin(fmax(room_bps, 0.1 * rate_bps / fmax(n, 1)) / (double)((incoming ? t->in : t->out) * t->streams),
                (double)MEASURE_SERVER_RATE);
}

static bool client_quiet(const struct client *c)
{
    for (size_t h = 0; h < c->test->hosts; h++) {
        const struct server_end *s = &c->server[h];
        if (!s->stopped || s->echoed_ns == 0 || s->echoed_ns > s->least_ns + s->least_ns / 2 + 2000000)
            return false;
    }
    return true;
}

/* Ends the phase's flows, fetches what the servers saw, and waits until queues are empty. */
static bool client_stop(struct client *c, struct error *err)
{
    for (size_t i = 0; i < c->phase->n; i++) {
        measure_flow_close(&c->flow[i]);
        c->phase->end[i].near = c->flow[i].samples;
        c->flow[i].samples = (struct measure_samples){0};
    }
    for (size_t h = 0; h < c->test->hosts; h++) {
        c->server[h].stopped = false;
        c->server[h].accounts = 0;
        measure_line_say(&c->server[h].at.line, "stop %" PRId64 "\n", c->server[h].flows);
        c->server[h].echoed_ns = 0;
    }
    int64_t since_ns = monotonic_now_ns();
    int64_t quiet_ns = (int64_t)(1e9 * fmin(QUIET_S, QUIET_SHARE * c->o->time_s));
    for (bool all = false; !all || (!client_quiet(c) && monotonic_now_ns() - since_ns < quiet_ns);) {
        if (!client_turn(c, err))
            return false;
        if (monotonic_now_ns() - since_ns > MEASURE_SESSION_PATIENCE_MS * INT64_C(1000000))
            return error_set(err, ERROR_SYSTEM, "no server's account of a phase within 10 s");
        all = true;
        for (size_t h = 0; h < c->test->hosts; h++)
            all = all && c->server[h].stopped;
    }
    /* Words are answered in their order, so accounts come after echoes of all that was sent before the stop. */
    for (size_t h = 0; h < c->test->hosts; h++)
        if (c->server[h].least_ns == 0)
            return error_set(err, ERROR_SYSTEM, "%s: not one ping was answered, so clocks cannot be compared",
                             c->server[h].at.name);
    return true;
}

/* Its flows, none of which has begun. */
static void client_plan(struct client *c, enum measure_kind kind, double pace_in_bps, double pace_out_bps)
{
    struct measure_test *t = c->test;
    struct measure_phase *p = c->phase;
    for (size_t h = 0; h < t->hosts; h++)
        for (int incoming = 1; incoming >= 0; incoming--) {
            bool wanted = incoming ? kind != MEASURE_OUT && h < t->in : kind != MEASURE_IN && h < t->out;
            for (size_t k = 0; wanted && k < t->streams; k++) {
                c->flow[p->n] = (struct measure_flow){.fd = -1};
                c->number[p->n] = 0;
                p->end[p->n++] = (struct measure_end){.host = h, .incoming = incoming,
                                                      .pace_bps = incoming ? pace_in_bps : pace_out_bps};
            }
        }
}

static bool client_pass(struct client *c, double until_s, struct error *err)
{
    const struct measure_phase *p = c->phase;
    for (double now_s = 0; now_s < until_s;) {
        if (!client_turn(c, err))
            return false;
        now_s = (double)monotonic_now_ns() / 1e9;
        client_progress(c, now_s - (double)c->began_ns / 1e9, c->o->time_s);
        for (size_t k = 0; k < p->n; k++)
            if (c->flow[k].ended)
                return error_set(err, ERROR_SYSTEM, "%s: a connection for data broke", c->server[p->end[k].host].at.name);
    }
    return true;
}

/* For so long after its connections have been made: the packet that makes one may be lost, and a second goes by. */
static bool client_phase(struct client *c, size_t i, double length_s, struct error *err)
{
    struct measure_test *t = c->test;
    enum measure_kind kind = schedule[i];
    bool two = kind == MEASURE_BOTH || kind == MEASURE_PACED;
    size_t before = 0;
    for (size_t k = 0; k < t->n; k++)
        before += t->phase[k].kind == kind;
    double pace_in = kind == MEASURE_PACED ? client_pace_bps(t, true) : 0;
    double pace_out = kind == MEASURE_PACED ? client_pace_bps(t, false) : 0;
    struct measure_phase *p = c->phase = &t->phase[t->n++];
    *p = (struct measure_phase){.kind = kind, .out_first = two && client_out_first[before % MEASURE_BLOCKS]};
    c->shown[0] = c->shown[1] = 0;
    c->phase_ns = c->progress_ns = monotonic_now_ns();
    client_plan(c, kind, pace_in, pace_out);
    if (two && (!client_begin(c, !p->out_first, err) ||
                !client_pass(c, (double)monotonic_now_ns() / 1e9 + MEASURE_LEAD * length_s, err)))
        return false;
    if (!client_begin(c, two ? p->out_first : kind == MEASURE_IN, err))
        return false;
    double start_s = (double)monotonic_now_ns() / 1e9, processor_s = client_processor_s();
    if (!client_pass(c, start_s + length_s, err))
        return false;
    double now_s = (double)monotonic_now_ns() / 1e9;
    p->length_s = now_s - start_s;
    p->from_s = start_s + SETTLE * (now_s - start_s);
    p->to_s = now_s;
    p->processor = (client_processor_s() - processor_s) / (now_s - start_s);
    return client_stop(c, err);
}

static bool client_test(struct client *c, struct error *err)
{
    double start_s, end_s;
    c->began_ns = monotonic_now_ns();
    c->until_ns = c->began_ns + (int64_t)(1e9 * LATE * c->o->time_s) + MEASURE_SESSION_PATIENCE_MS * INT64_C(1000000);
    start_s = (double)c->began_ns / 1e9;
    end_s = start_s + c->o->time_s;
    double idle_s = fmin(IDLE_S, IDLE_SHARE * c->o->time_s);
    c->idle = true; /* an empty network's waits */
    for (int64_t until_ns = c->began_ns + (int64_t)(1e9 * idle_s); monotonic_now_ns() < until_ns;)
        if (!client_turn(c, err))
            return false;
    c->idle = false;
    double first_s = (double)monotonic_now_ns() / 1e9, judged_s = 0;
    for (size_t i = 0; i < PHASES; i++) {
        double now_s = (double)monotonic_now_ns() / 1e9, count = (double)(PHASES - i);
        double left = 0;
        for (size_t k = i; k < PHASES; k++)
            left += client_weight(k);
        double gap_s = i ? (now_s - first_s - judged_s) / (double)i : GAP_S; /* what phases take beside their time */
        double length_s = fmax((end_s - now_s - count * gap_s) / left, c->o->time_s / (3 * PHASES));
        length_s *= i ? 1 : DROPPED;
        if (!client_phase(c, i, length_s, err))
            return false;
        judged_s += client_weight(i) * length_s / (i ? 1 : DROPPED);
        if (i == 0) {
            measure_test_drop(c->test);
            c->phase = NULL;
        }
    }
    return true;
}

bool measure_client_run(const struct measure_client *o, size_t in, size_t out, struct measure_test *t,
                        struct error *err)
{
    MEMORY_LOCAL struct client *c = memory_zeroed(1, sizeof *c, "a client");
    struct measure_flow_controls controls;
    bool ok = true;
    char why[256];
    *t = (struct measure_test){.in = in, .out = out, .hosts = in > out ? in : out, .streams = o->streams};
    c->o = o;
    c->test = t;
    for (size_t h = 0; h < t->hosts; h++) {
        t->there_s[h] = t->back_s[h] = INFINITY;
        c->server[h] = (struct server_end){.at = {.name = o->host[h], .line = {.fd = -1}}, .stopped = true};
    }
    if (o->congestion)
        measure_flow_controls_read(&controls);
    if (o->congestion && !measure_flow_congestion(&controls, o->congestion, why, sizeof why))
        ok = error_set(err, ERROR_INPUT, "--congestion %.40s is not possible here: %s", o->congestion, why);
    for (size_t h = 0; ok && h < t->hosts; h++) {
        ok = measure_session_open(&c->server[h].at, o->host[h], o->port, o->token, o->time_s, err) &&
             measure_session_agree(&c->server[h].at, o->streams, o->congestion, err);
        double limit_bps = c->server[h].at.limit_bps;
        t->limit_bps = limit_bps > 0 && !(t->limit_bps > 0 && t->limit_bps < limit_bps) ? limit_bps : t->limit_bps;
    }
    ok = ok && client_test(c, err);
    t->took_s = c->began_ns ? (double)(monotonic_now_ns() - c->began_ns) / 1e9 : 0;
    for (size_t h = 0; h < t->hosts; h++) {
        if (ok)
            measure_line_say(&c->server[h].at.line, "bye\n");
        measure_line_close(&c->server[h].at.line);
    }
    for (size_t i = 0; i < MEASURE_FLOWS; i++)
        if (c->phase && i < c->phase->n)
            measure_flow_fini(&c->flow[i]);
    return ok;
}
