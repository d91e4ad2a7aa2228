/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/client.h"

#include "base/memory.h"
#include "base/monotonic.h"
#include "measure/figures.h"
#include "measure/line.h"
#include "measure/proof.h"
#include "measure/server.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define PATIENCE_MS 10000               /* for a server's answer */
#define ECHO_NS INT64_C(40000000)       /* between words on a control connection */
#define PROGRESS_NS INT64_C(200000000)
#define QUIET_NS INT64_C(1500000000)    /* for queues to drain after a phase, at most */
#define SETTLE 0.4                      /* of a phase: its beginning is not judged */
#define GAP_S 0.15                      /* between phases, as far as it is known before */

/* In blocks; over all of them in, out and both come equally early, so that a steady drift is no loss. The pace follows
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

struct server_end {
    const char *name;
    struct sockaddr_storage address;
    socklen_t size;
    struct measure_line line;
    char id[MEASURE_PROOF_HEX];
    double limit_bps;
    int64_t least_ns, ahead_ns;  /* the shortest echo so far, and how far the server's clock is ahead by it */
    int64_t echo_ns;             /* the next echo's time */
    int64_t echoed_ns;           /* round trip of the last one; 0: none yet */
    struct measure_echo *to;     /* not owned */
    bool stopped;                /* said all about a phase */
    struct measure_end *told;    /* the flow whose samples come now */
    size_t telling;
};

struct client {
    const struct measure_client *o;
    struct server_end server[MEASURE_HOSTS];
    int64_t flows; /* so far */
    struct measure_test *test;
    struct measure_phase *phase;
    struct measure_flow flow[2 * MEASURE_HOSTS];
    int64_t number[2 * MEASURE_HOSTS];
    int64_t began_ns, progress_ns;
    int64_t shown[2]; /* bytes at the last progress */
};

static int client_connect(const struct server_end *s)
{
    int fd = socket(s->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    if (connect(fd, (const struct sockaddr *)&s->address, s->size) != 0) {
        struct pollfd p = {.fd = fd, .events = POLLOUT};
        int failed = errno == EINPROGRESS ? ETIMEDOUT : errno;
        socklen_t size = sizeof failed;
        if (failed == ETIMEDOUT && poll(&p, 1, PATIENCE_MS) == 1)
            getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &size);
        if (failed) {
            close(fd);
            errno = failed;
            return -1;
        }
    }
    return fd;
}

static bool client_find(struct server_end *s, const char *port, struct error *err)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    int failed = getaddrinfo(s->name, port, &hints, &found);
    if (failed)
        return error_set(err, ERROR_INPUT, "%s: %s; a name or an address of a machine that runs 'contraflow measure "
                         "serve' is wanted", s->name, gai_strerror(failed));
    int fd = -1;
    for (const struct addrinfo *a = found; a && fd < 0; a = a->ai_next) {
        memcpy(&s->address, a->ai_addr, a->ai_addrlen);
        s->size = a->ai_addrlen;
        fd = client_connect(s);
    }
    freeaddrinfo(found);
    if (fd < 0)
        return error_set(err, ERROR_INPUT, "%s port %s: %s; does 'contraflow measure serve --bind ADDRESS' run there, "
                         "and may it be reached?", s->name, port, strerror(errno));
    measure_line_open(&s->line, fd);
    return true;
}

/* Waits for a line; NULL and *err when none comes. */
static const char *client_wait(struct server_end *s, struct error *err)
{
    int64_t until_ns = monotonic_now_ns() + PATIENCE_MS * INT64_C(1000000);
    for (;;) {
        const char *line = measure_line_next(&s->line);
        if (line)
            return line;
        struct pollfd p = {.fd = s->line.fd, .events = POLLIN};
        int64_t left_ns = until_ns - monotonic_now_ns();
        if (s->line.ended || left_ns <= 0 || poll(&p, 1, (int)(left_ns / 1000000) + 1) < 0) {
            error_set(err, ERROR_SYSTEM, "%s: %s", s->name, s->line.ended
                          ? "closed the connection without an answer: no server of this version of contraflow"
                          : "no answer within 10 s: no server of contraflow measure");
            return NULL;
        }
        measure_line_fill(&s->line);
    }
}

static bool client_login(const struct measure_client *o, struct server_end *s, struct error *err)
{
    char mine[MEASURE_PROOF_NONCE], theirs[MEASURE_PROOF_NONCE], proof[MEASURE_PROOF_HEX], right[MEASURE_PROOF_HEX];
    double most_s;
    if (!measure_proof_draw(mine, err) || !client_find(s, o->port, err)) /* a system that has just begun draws late */
        return false;
    measure_line_say(&s->line, "contraflow-measure " MEASURE_SERVER_VERSION " %s\n", mine);
    const char *line = client_wait(s, err);
    if (!line)
        return false;
    if (sscanf(line, "challenge %32[0-9a-f]", theirs) != 1)
        return error_set(err, ERROR_INPUT, "%s port %s: '%.40s' is no server of contraflow measure", s->name, o->port,
                         line);
    measure_proof_make(o->token, "client", mine, theirs, proof);
    measure_line_say(&s->line, "proof %s\n", proof);
    if (!(line = client_wait(s, err)))
        return false;
    if (strncmp(line, "refused ", 8) == 0)
        return error_set(err, ERROR_INPUT, "%s refuses: %.80s", s->name, line + 8);
    measure_proof_make(o->token, "server", mine, theirs, right);
    if (sscanf(line, "welcome %64[0-9a-f] %lf %lf", proof, &s->limit_bps, &most_s) != 3 ||
        !measure_proof_equal(proof, right))
        return error_set(err, ERROR_INPUT, "%s: does not know the token itself: not the server that it should be",
                         s->name);
    if (!(most_s > o->time_s))
        return error_set(err, ERROR_INPUT, "%s allows %.0f s, --time is %.0f; a shorter one, or 'contraflow measure "
                         "serve --max-time %.0f' there", s->name, most_s, o->time_s, ceil(1.5 * o->time_s));
    measure_proof_make(o->token, "session", mine, theirs, s->id);
    return true;
}

static void client_echoed(struct client *c, size_t host, int64_t sent_ns, int64_t server_ns)
{
    struct server_end *s = &c->server[host];
    int64_t now_ns = monotonic_now_ns(), round_ns = now_ns - sent_ns;
    if (round_ns < 0)
        return;
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
    if (!p)
        return;
    p->echo[host] = memory_grown(p->echo[host], p->n_echoes[host], &p->room[host], 64, sizeof e, "echoes");
    p->echo[host][p->n_echoes[host]++] = e;
}

/* "flow K down N" announces N samples of one of the phase's flows. */
static bool client_told(struct client *c, struct server_end *s, const char *line)
{
    int64_t number;
    struct measure_sample sample;
    if (s->telling > 0) {
        s->telling--;
        if (!measure_flow_read(line, &sample))
            return false;
        sample.at_s -= (double)s->ahead_ns / 1e9;
        if (s->told)
            measure_flow_add(&s->told->far, &sample);
        return true;
    }
    if (sscanf(line, "flow %" SCNd64 " %*[a-z] %zu", &number, &s->telling) != 2 || s->telling > 1000000)
        return false;
    s->told = NULL;
    for (size_t i = 0; c->phase && i < c->phase->n; i++)
        if (c->number[i] == number && s == &c->server[c->phase->end[i].host])
            s->told = &c->phase->end[i];
    return true;
}

static bool client_hear(struct client *c, size_t host, struct error *err)
{
    struct server_end *s = &c->server[host];
    int64_t sent_ns, server_ns;
    measure_line_fill(&s->line);
    for (const char *line; (line = measure_line_next(&s->line)) != NULL;) {
        if (sscanf(line, "pong %" SCNd64 " %" SCNd64, &sent_ns, &server_ns) == 2)
            client_echoed(c, host, sent_ns, server_ns);
        else if (s->telling == 0 && strcmp(line, "end") == 0)
            s->stopped = true;
        else if (!client_told(c, s, line))
            return error_set(err, ERROR_SYSTEM, "%s: '%.40s': not what a server says", s->name, line);
    }
    return !s->line.ended || error_set(err, ERROR_SYSTEM, "%s: the server went away in the middle of the test; its "
                                       "log says why", s->name);
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
            c->server[h].echo_ns = now_ns + ECHO_NS;
            measure_line_say(&c->server[h].line, "ping %" PRId64 "\n", now_ns);
        }
}

/* Waits once for whatever comes, and does it. */
static bool client_turn(struct client *c, struct error *err)
{
    struct pollfd polls[3 * MEASURE_HOSTS];
    size_t n = 0, flows = c->phase ? c->phase->n : 0;
    int64_t now_ns = monotonic_now_ns();
    client_echo(c, now_ns);
    for (size_t i = 0; i < flows; i++) {
        short events = measure_flow_events(&c->flow[i], now_ns);
        polls[n++] = (struct pollfd){.fd = events ? c->flow[i].fd : -1, .events = events};
    }
    for (size_t h = 0; h < c->test->hosts; h++) {
        short out = measure_line_waits(&c->server[h].line) ? POLLOUT : 0;
        polls[n++] = (struct pollfd){.fd = c->server[h].line.fd, .events = (short)(POLLIN | out)};
    }
    int ready = poll(polls, n, MEASURE_FLOW_SAMPLE_NS / 1000000 / 5);
    if (ready < 0)
        return errno == EINTR || error_set_errno(err, "poll");
    now_ns = monotonic_now_ns();
    for (size_t i = 0; i < flows; i++)
        measure_flow_step(&c->flow[i], polls[i].revents, now_ns);
    for (size_t h = 0; h < c->test->hosts; h++) {
        if (polls[flows + h].revents & POLLOUT)
            measure_line_flush(&c->server[h].line);
        if ((polls[flows + h].revents & ~POLLOUT) && !client_hear(c, h, err))
            return false;
    }
    return true;
}

static bool client_open(struct client *c, size_t host, bool incoming, double pace_bps, struct error *err)
{
    struct measure_phase *p = c->phase;
    struct server_end *s = &c->server[host];
    char mac[MEASURE_PROOF_HEX];
    int fd = client_connect(s);
    if (fd < 0)
        return error_set(err, ERROR_SYSTEM, "%s: a connection for data failed: %s", s->name, strerror(errno));
    size_t i = p->n++;
    p->end[i] = (struct measure_end){.host = host, .incoming = incoming, .pace_bps = pace_bps};
    c->number[i] = ++c->flows;
    char *what = memory_text("%" PRId64 " %s %.0f", c->number[i], incoming ? "down" : "up", pace_bps);
    measure_proof_make(c->o->token, "flow", s->id, what, mac);
    char *line = memory_text("flow %s %s %s\n", s->id, what, mac);
    ssize_t n = send(fd, line, strlen(line), MSG_NOSIGNAL);
    bool sent = n == (ssize_t)strlen(line);
    free(line);
    free(what);
    double most_bps = s->limit_bps > 0 && !(pace_bps > 0 && pace_bps < s->limit_bps) ? s->limit_bps : pace_bps;
    measure_flow_open(&c->flow[i], fd, !incoming, most_bps, 0);
    return sent || error_set_errno(err, "%s: a connection for data", s->name);
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
    return fmax(room_bps, 0.1 * rate_bps / fmax(n, 1)) / (double)(incoming ? t->in : t->out);
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
        measure_line_say(&c->server[h].line, "stop\n");
        c->server[h].echoed_ns = 0;
    }
    int64_t since_ns = monotonic_now_ns();
    for (bool all = false; !all || (!client_quiet(c) && monotonic_now_ns() - since_ns < QUIET_NS);) {
        if (!client_turn(c, err))
            return false;
        if (monotonic_now_ns() - since_ns > PATIENCE_MS * INT64_C(1000000))
            return error_set(err, ERROR_SYSTEM, "no server's account of a phase within 10 s");
        all = true;
        for (size_t h = 0; h < c->test->hosts; h++)
            all = all && c->server[h].stopped;
    }
    return true;
}

/* For so long after its connections have been made: the packet that makes one may be lost, and a second goes by. */
static bool client_phase(struct client *c, size_t i, double length_s, struct error *err)
{
    struct measure_test *t = c->test;
    enum measure_kind kind = schedule[i];
    double pace_in = kind == MEASURE_PACED ? client_pace_bps(t, true) : 0;
    double pace_out = kind == MEASURE_PACED ? client_pace_bps(t, false) : 0;
    struct measure_phase *p = c->phase = &t->phase[t->n++];
    *p = (struct measure_phase){.kind = kind};
    c->shown[0] = c->shown[1] = 0;
    c->progress_ns = monotonic_now_ns();
    for (size_t h = 0; h < t->hosts; h++) {
        if (kind != MEASURE_OUT && h < t->in && !client_open(c, h, true, pace_in, err))
            return false;
        if (kind != MEASURE_IN && h < t->out && !client_open(c, h, false, pace_out, err))
            return false;
    }
    double start_s = (double)monotonic_now_ns() / 1e9, processor_s = client_processor_s(), now_s = start_s;
    while (now_s < start_s + length_s) {
        if (!client_turn(c, err))
            return false;
        client_progress(c, now_s - (double)c->began_ns / 1e9, c->o->time_s);
        now_s = (double)monotonic_now_ns() / 1e9;
        for (size_t k = 0; k < p->n; k++)
            if (c->flow[k].ended)
                return error_set(err, ERROR_SYSTEM, "%s: a connection for data broke", c->server[p->end[k].host].name);
    }
    p->from_s = start_s + SETTLE * (now_s - start_s);
    p->to_s = now_s;
    p->processor = (client_processor_s() - processor_s) / (now_s - start_s);
    return client_stop(c, err);
}

static void client_drop(struct client *c)
{
    measure_test_drop(c->test);
    c->phase = NULL;
}

static bool client_test(struct client *c, struct error *err)
{
    double start_s, end_s;
    c->began_ns = monotonic_now_ns();
    start_s = (double)c->began_ns / 1e9;
    end_s = start_s + c->o->time_s;
    for (int64_t until_ns = c->began_ns + 8 * ECHO_NS; monotonic_now_ns() < until_ns;) /* an empty network's waits */
        if (!client_turn(c, err))
            return false;
    double first_s = (double)monotonic_now_ns() / 1e9, judged_s = 0;
    for (size_t i = 0; i < PHASES; i++) {
        double now_s = (double)monotonic_now_ns() / 1e9, count = (double)(PHASES - i);
        double left = i ? count : count - 1 + DROPPED;
        double gap_s = i ? (now_s - first_s - judged_s) / (double)i : GAP_S; /* what phases take beside their time */
        double length_s = fmax((end_s - now_s - count * gap_s) / left, c->o->time_s / (3 * PHASES));
        length_s *= i ? 1 : DROPPED;
        if (!client_phase(c, i, length_s, err))
            return false;
        judged_s += length_s;
        if (i == 0)
            client_drop(c);
    }
    return true;
}

bool measure_client_run(const struct measure_client *o, size_t in, size_t out, struct measure_test *t,
                        struct error *err)
{
    struct client *c = memory_zeroed(1, sizeof *c, "a client");
    bool ok = true;
    *t = (struct measure_test){.in = in, .out = out, .hosts = in > out ? in : out};
    c->o = o;
    c->test = t;
    for (size_t h = 0; h < t->hosts; h++) {
        t->there_s[h] = t->back_s[h] = INFINITY;
        c->server[h] = (struct server_end){.name = o->host[h], .line = {.fd = -1}};
    }
    for (size_t h = 0; ok && h < t->hosts; h++) {
        ok = client_login(o, &c->server[h], err);
        double limit_bps = c->server[h].limit_bps;
        t->limit_bps = limit_bps > 0 && !(t->limit_bps > 0 && t->limit_bps < limit_bps) ? limit_bps : t->limit_bps;
    }
    ok = ok && client_test(c, err);
    t->took_s = c->began_ns ? (double)(monotonic_now_ns() - c->began_ns) / 1e9 : 0;
    for (size_t h = 0; h < t->hosts; h++) {
        if (ok)
            measure_line_say(&c->server[h].line, "bye\n");
        measure_line_close(&c->server[h].line);
    }
    for (size_t i = 0; i < 2 * MEASURE_HOSTS; i++)
        if (c->phase && i < c->phase->n)
            measure_flow_fini(&c->flow[i]);
    free(c);
    return ok;
}
