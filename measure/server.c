/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/server.h"

#include "base/memory.h"
#include "base/monotonic.h"
#include "measure/flow.h"
#include "measure/line.h"
#include "measure/proof.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define STRANGERS 32 /* connections that have proved nothing yet */
#define STRANGER_NS INT64_C(5000000000)
#define SILENCE_NS INT64_C(20000000000)
#define FLOWS (2 * MEASURE_SERVER_STREAMS) /* of a client at once, in both directions */
#define NUMBERS 1024 /* flows of a session, at most */
#define WAIT_MS 250
#define LOG_NS INT64_C(1000000000) /* between refusals that are logged */

struct stranger {
    struct measure_line line;
    int64_t since_ns;
    char nonce[MEASURE_PROOF_NONCE], theirs[MEASURE_PROOF_NONCE]; /* once it has asked for a session */
    char peer[INET6_ADDRSTRLEN + 8];
};

struct session {
    struct measure_line line;
    int64_t since_ns, heard_ns;
    char id[MEASURE_PROOF_HEX], peer[INET6_ADDRSTRLEN + 8];
    struct measure_flow flow[FLOWS];
    int64_t number[FLOWS]; /* of the client's flows */
    size_t streams;        /* each way, at once */
    char congestion[MEASURE_FLOW_CONGESTION]; /* "": the system's */
    size_t n_flows;
    bool used[NUMBERS];    /* numbers so far: none comes twice */
    int64_t all_flows, bytes[2]; /* up, down */
};

struct server {
    const struct measure_server *o;
    int fd;
    struct stranger stranger[STRANGERS];
    size_t n_strangers;
    struct session session[MEASURE_SERVER_CLIENTS];
    size_t n_sessions;
    int64_t logged_ns;
};

static int server_bind(const struct measure_server *o, struct error *err)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found = NULL;
    int failed = getaddrinfo(o->bind, o->port, &hints, &found);
    if (failed) {
        error_set(err, ERROR_INPUT, "--bind %s: %s; an address of this machine is wanted, or 0.0.0.0 or :: for all",
                  o->bind, gai_strerror(failed));
        return -1;
    }
    int fd = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    if (fd < 0 || bind(fd, found->ai_addr, found->ai_addrlen) != 0 || listen(fd, STRANGERS) != 0) {
        error_set(err, errno == EADDRINUSE || errno == EADDRNOTAVAIL || errno == EACCES ? ERROR_INPUT : ERROR_SYSTEM,
                  "%s port %s: cannot be listened at: %s", o->bind, o->port, strerror(errno));
        if (fd >= 0)
            close(fd);
        fd = -1;
    }
    freeaddrinfo(found);
    return fd;
}

static void server_tell_where(const struct server *s)
{
    struct sockaddr_storage at;
    socklen_t size = sizeof at;
    char host[INET6_ADDRSTRLEN + 16] = "?", port[8] = "?";
    if (getsockname(s->fd, (struct sockaddr *)&at, &size) == 0)
        getnameinfo((struct sockaddr *)&at, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV);
    s->o->ready(s->o->user, host, port);
}

static void server_log(const struct server *s, const char *peer, const char *words)
{
    char *line = memory_text("%s: %s", peer, words);
    s->o->log(s->o->user, line);
    free(line);
}

/* Strangers shall not fill a disk with their refusals. */
static void server_log_refusal(struct server *s, const char *peer, const char *words)
{
    int64_t now_ns = monotonic_now_ns();
    if (s->logged_ns == 0 || now_ns - s->logged_ns > LOG_NS)
        server_log(s, peer, words);
    s->logged_ns = now_ns;
}

static void server_accept(struct server *s)
{
    struct sockaddr_storage from;
    socklen_t size = sizeof from;
    int fd = accept4(s->fd, (struct sockaddr *)&from, &size, SOCK_CLOEXEC);
    if (fd < 0)
        return;
    if (s->n_strangers == STRANGERS) {
        close(fd);
        return;
    }
    struct stranger *n = &s->stranger[s->n_strangers++];
    *n = (struct stranger){.since_ns = monotonic_now_ns()};
    measure_line_open(&n->line, fd);
    if (getnameinfo((struct sockaddr *)&from, size, n->peer, sizeof n->peer, NULL, 0, NI_NUMERICHOST) != 0)
        snprintf(n->peer, sizeof n->peer, "?");
}

static void server_forget(struct server *s, struct stranger *n)
{
    measure_line_close(&n->line);
    *n = s->stranger[--s->n_strangers];
}

static void server_refuse(struct server *s, struct stranger *n, const char *words)
{
    char *log = memory_text("refused: %s", words);
    measure_line_say(&n->line, "refused %s\n", words);
    server_log_refusal(s, n->peer, log);
    free(log);
    server_forget(s, n);
}

static void session_count(struct session *c)
{
    for (size_t k = 0; k < c->n_flows; k++) {
        const struct measure_flow *f = &c->flow[k];
        c->bytes[f->sending] += f->samples.n ? f->samples.sample[f->samples.n - 1].bytes : 0;
        measure_flow_fini(&c->flow[k]);
    }
    c->n_flows = 0;
}

static void session_end(struct server *s, struct session *c, const char *why)
{
    session_count(c);
    char *words = memory_text("%" PRId64 " flows, %.1f MB down, %.1f MB up in %.1f s; %s", c->all_flows,
                              (double)c->bytes[1] / 1e6, (double)c->bytes[0] / 1e6,
                              (double)(monotonic_now_ns() - c->since_ns) / 1e9, why);
    server_log(s, c->peer, words);
    free(words);
    measure_line_close(&c->line);
    *c = s->session[--s->n_sessions];
}

static void stranger_becomes_session(struct server *s, struct stranger *n)
{
    char proof[MEASURE_PROOF_HEX];
    struct session *c = &s->session[s->n_sessions++];
    *c = (struct session){.line = n->line, .since_ns = monotonic_now_ns(), .streams = 1};
    c->heard_ns = c->since_ns;
    snprintf(c->peer, sizeof c->peer, "%s", n->peer);
    measure_proof_make(s->o->token, "session", n->theirs, n->nonce, c->id);
    measure_proof_make(s->o->token, "server", n->theirs, n->nonce, proof);
    *n = s->stranger[--s->n_strangers];
    measure_line_say(&c->line, "welcome %s %.0f %.3f\n", proof, s->o->max_rate_bps, s->o->max_time_s);
}

static bool session_has_room(const struct session *c, bool down)
{
    size_t n = 0;
    for (size_t k = 0; k < c->n_flows; k++)
        n += c->flow[k].sending == down;
    return n < c->streams;
}

/* A flow's first line: the session that it belongs to, if it is in order, and what it says. */
static struct session *server_session_of(struct server *s, const char *words, int64_t *number, bool *down,
                                         double *pace_bps)
{
    char id[MEASURE_PROOF_HEX], way[8], mac[MEASURE_PROOF_HEX], right[MEASURE_PROOF_HEX];
    if (sscanf(words, "%64[0-9a-f] %" SCNd64 " %7[a-z] %lf %64[0-9a-f]", id, number, way, pace_bps, mac) != 5)
        return NULL;
    char *what = memory_text("%" PRId64 " %s %.0f", *number, way, *pace_bps);
    measure_proof_make(s->o->token, "flow", id, what, right);
    free(what);
    *down = strcmp(way, "down") == 0;
    for (size_t i = 0; i < s->n_sessions; i++) {
        struct session *c = &s->session[i];
        if (measure_proof_equal(c->id, id))
            return measure_proof_equal(mac, right) && *number >= 0 && *number < NUMBERS && !c->used[*number] &&
                   session_has_room(c, *down) && isfinite(*pace_bps) ? c : NULL;
    }
    return NULL;
}

static void stranger_becomes_flow(struct server *s, struct stranger *n, struct session *c, int64_t number, bool down,
                                  double pace_bps)
{
    double most_bps = s->o->max_rate_bps / (double)c->streams;
    struct measure_flow *f = &c->flow[c->n_flows];
    pace_bps = most_bps > 0 && !(pace_bps > 0 && pace_bps < most_bps) ? most_bps : fmax(pace_bps, 0);
    c->number[c->n_flows++] = number;
    c->used[number] = true;
    c->all_flows++;
    if (*c->congestion) /* it has been tried; a module that went since leaves the system's */
        setsockopt(n->line.fd, IPPROTO_TCP, TCP_CONGESTION, c->congestion, (socklen_t)strlen(c->congestion));
    measure_flow_open(f, n->line.fd, down, pace_bps, down ? 0 : most_bps);
    f->received = (int64_t)(n->line.n_in - n->line.at); /* data that came along with the line */
    n->line.fd = -1;
    server_forget(s, n);
}

static void stranger_prove(struct server *s, struct stranger *n, const char *line)
{
    char word[MEASURE_PROOF_HEX], right[MEASURE_PROOF_HEX];
    measure_proof_make(s->o->token, "client", n->theirs, n->nonce, right);
    if (sscanf(line, "proof %64[0-9a-f]", word) != 1 || !measure_proof_equal(word, right))
        server_refuse(s, n, "wrong token");
    else if (s->n_sessions >= (size_t)s->o->max_clients || s->n_sessions == MEASURE_SERVER_CLIENTS)
        server_refuse(s, n, "as many clients as the server takes; try again later");
    else
        stranger_becomes_session(s, n);
}

static void stranger_hear(struct server *s, struct stranger *n)
{
    struct error err = {0};
    measure_line_fill(&n->line);
    const char *line = measure_line_next(&n->line);
    if (!line) {
        if (n->line.ended)
            server_forget(s, n);
    } else if (*n->nonce) {
        stranger_prove(s, n, line);
    } else if (strncmp(line, "flow ", 5) == 0) {
        int64_t number;
        bool down;
        double pace_bps;
        struct session *c = server_session_of(s, line + 5, &number, &down, &pace_bps);
        if (c)
            stranger_becomes_flow(s, n, c, number, down, pace_bps);
        else
            server_refuse(s, n, "a flow of no session");
    } else if (sscanf(line, "contraflow-measure " MEASURE_SERVER_VERSION " %32[0-9a-f]", n->theirs) != 1 ||
               strlen(n->theirs) != MEASURE_PROOF_NONCE - 1 || !measure_proof_draw(n->nonce, &err)) {
        server_forget(s, n); /* not one of ours: not a word */
    } else {
        measure_line_say(&n->line, "challenge %s\n", n->nonce);
    }
}

/* All its flows end here, and what was seen of them goes to the client. */
static void session_stop(struct session *c)
{
    char text[MEASURE_FLOW_TEXT];
    for (size_t k = 0; k < c->n_flows; k++) {
        struct measure_flow *f = &c->flow[k];
        measure_flow_close(f);
        measure_line_say(&c->line, "flow %" PRId64 " %s %zu\n", c->number[k], f->sending ? "down" : "up",
                         f->samples.n);
        for (size_t i = 0; i < f->samples.n; i++) {
            measure_flow_write(&f->samples.sample[i], text);
            measure_line_say(&c->line, "%s\n", text);
        }
    }
    session_count(c);
    measure_line_say(&c->line, "end\n");
}

/* "streams N" and "congestion NAME", between phases; false when it is neither, or none that may be asked for. */
static bool session_agree(struct session *c, const char *line)
{
    char name[MEASURE_FLOW_CONGESTION] = "", why[256];
    size_t streams = 0;
    int end = 0;
    if (c->n_flows > 0)
        return false;
    if (sscanf(line, "streams %2zu%n", &streams, &end) == 1 && line[end] == '\0') {
        if (streams < 1 || streams > MEASURE_SERVER_STREAMS)
            return false;
        c->streams = streams;
        measure_line_say(&c->line, "streams %zu\n", streams);
        return true;
    }
    if (sscanf(line, "congestion %15[A-Za-z0-9_-]%n", name, &end) != 1 || line[end] != '\0')
        return false;
    if (measure_flow_congestion(name, why, sizeof why)) {
        memcpy(c->congestion, name, sizeof name);
        measure_line_say(&c->line, "congestion %s\n", name);
    } else {
        measure_line_say(&c->line, "lacks %s\n", why);
    }
    return true;
}

static const char *session_hear(struct session *c)
{
    char word[32];
    measure_line_fill(&c->line);
    for (const char *line; (line = measure_line_next(&c->line)) != NULL;) {
        c->heard_ns = monotonic_now_ns();
        if (sscanf(line, "ping %31[0-9]", word) == 1)
            measure_line_say(&c->line, "pong %s %" PRId64 "\n", word, c->heard_ns);
        else if (strcmp(line, "stop") == 0)
            session_stop(c);
        else if (strcmp(line, "bye") == 0)
            return "done";
        else if (!session_agree(c, line))
            return "ended by what is no word of a client";
    }
    return c->line.ended ? "the client went away" : NULL;
}

static const char *session_late(const struct server *s, const struct session *c, int64_t now_ns)
{
    if ((double)(now_ns - c->since_ns) / 1e9 > s->o->max_time_s)
        return "ended: the server's time a client was over";
    if (now_ns - c->heard_ns > SILENCE_NS)
        return "ended: the client was silent";
    return NULL;
}

enum { POLLS = 1 + STRANGERS + MEASURE_SERVER_CLIENTS * (1 + FLOWS) };

static size_t server_polls(const struct server *s, struct pollfd polls[POLLS], int64_t now_ns, int *wait_ms)
{
    size_t n = 0;
    *wait_ms = WAIT_MS;
    polls[n++] = (struct pollfd){.fd = s->fd, .events = POLLIN};
    for (size_t i = 0; i < s->n_strangers; i++)
        polls[n++] = (struct pollfd){.fd = s->stranger[i].line.fd, .events = POLLIN};
    for (size_t i = 0; i < s->n_sessions; i++) {
        const struct session *c = &s->session[i];
        short out = measure_line_waits(&c->line) ? POLLOUT : 0;
        polls[n++] = (struct pollfd){.fd = c->line.fd, .events = (short)(POLLIN | out)};
        for (size_t k = 0; k < c->n_flows; k++) {
            short events = measure_flow_events(&c->flow[k], now_ns);
            polls[n++] = (struct pollfd){.fd = events ? c->flow[k].fd : -1, .events = events};
            *wait_ms = MEASURE_FLOW_SAMPLE_NS / 1000000 / 5;
        }
    }
    return n;
}

/* Sessions first, and from the last one: what ends gives its place to the last. */
static void server_turn(struct server *s, const struct pollfd polls[POLLS])
{
    size_t strangers = s->n_strangers, sessions = s->n_sessions;
    const struct pollfd *p = &polls[1 + strangers], *at[MEASURE_SERVER_CLIENTS];
    int64_t now_ns = monotonic_now_ns();
    for (size_t i = 0; i < sessions; i++) {
        at[i] = p;
        p += 1 + s->session[i].n_flows;
    }
    for (size_t i = sessions; i-- > 0;) {
        struct session *c = &s->session[i];
        for (size_t k = 0; k < c->n_flows; k++)
            measure_flow_step(&c->flow[k], at[i][1 + k].revents, now_ns);
        if (at[i]->revents & POLLOUT)
            measure_line_flush(&c->line);
        const char *over = at[i]->revents & ~POLLOUT ? session_hear(c) : NULL;
        over = over ? over : session_late(s, c, now_ns);
        if (over)
            session_end(s, c, over);
    }
    for (size_t i = strangers; i-- > 0;) {
        if (polls[1 + i].revents)
            stranger_hear(s, &s->stranger[i]);
        else if (now_ns - s->stranger[i].since_ns > STRANGER_NS)
            server_forget(s, &s->stranger[i]);
    }
    if (polls[0].revents)
        server_accept(s);
}

bool measure_server_run(const struct measure_server *o, struct error *err)
{
    struct server *s = memory_zeroed(1, sizeof *s, "a server");
    struct pollfd polls[POLLS];
    bool ok = true;
    s->o = o;
    s->fd = server_bind(o, err);
    if (s->fd < 0) {
        free(s);
        return false;
    }
    server_tell_where(s);
    while (ok && !o->stopped(o->user)) {
        int wait_ms;
        size_t n = server_polls(s, polls, monotonic_now_ns(), &wait_ms);
        int ready = poll(polls, n, wait_ms);
        if (ready < 0 && errno != EINTR)
            ok = error_set_errno(err, "poll");
        if (ready < 0)
            continue;
        server_turn(s, polls);
    }
    while (s->n_sessions)
        session_end(s, &s->session[s->n_sessions - 1], "the server ends");
    while (s->n_strangers)
        server_forget(s, &s->stranger[s->n_strangers - 1]);
    close(s->fd);
    free(s);
    return ok;
}
