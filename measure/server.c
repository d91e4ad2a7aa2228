/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/server.h"

#include "base/monotonic.h"
#include "measure/flow.h"
#include "measure/line.h"
#include "measure/proof.h"

#include <netdb.h>
#include <netinet/in.h>
#include <linux/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

/* Places of connections that have proved nothing yet. Where somebody opens r a second at an address, its places over r are
 * the time that others there have to speak; both ends of a busy machine may stand still for a fifth of a second. */
#define SHARE 128             /* of an address without a session */
#define STRANGERS (4 * SHARE) /* of all these; with a client's they are fewer than 1024, which many systems allow */
#define OWN (8 * FLOWS)       /* of an address, for each session that it has */
#define STRANGER_NS INT64_C(5000000000)
#define SILENCE_NS INT64_C(20000000000)
#define FLOWS (2 * MEASURE_SERVER_STREAMS) /* of a client at once, in both directions */
#define NUMBERS 1024 /* flows of a session, at most */
#define WAIT_MS 250
#define LOG_NS INT64_C(1000000000) /* between refusals that are logged */
#define ACCEPTS 64 /* in a turn: fewer than an address has places, or who has spoken would go before it is heard */
#define PAUSE_NS INT64_C(500000000) /* of accepting, where the system has no descriptor for another connection */
#define DESCRIPTORS 32 /* beside connections */

/* Whose: an address of IPv4, or a network of IPv6 (/64), which one host may fill (RFC 4291, 2.5.4). */
struct origin {
    uint8_t bytes[8];
    bool four;
};

struct stranger {
    struct measure_line line;
    int64_t since_ns;
    struct origin from;
    bool known; /* of an address that had a session */
    char nonce[MEASURE_PROOF_NONCE], theirs[MEASURE_PROOF_NONCE]; /* once it has asked for a session */
    char peer[INET6_ADDRSTRLEN + 8];
};

struct session {
    struct measure_line line;
    int64_t since_ns, heard_ns;
    struct origin from;
    struct place *place; /* not owned */
    char id[MEASURE_PROOF_HEX], peer[INET6_ADDRSTRLEN + 8];
    struct measure_flow flow[FLOWS];
    int64_t number[FLOWS]; /* of the client's flows */
    size_t streams;        /* each way, at once */
    char congestion[MEASURE_FLOW_CONGESTION]; /* "": the system's */
    size_t n_flows, turn; /* the flow that comes first */
    bool used[NUMBERS];    /* numbers so far, and those that are over: none comes twice */
    int64_t all_flows, bytes[2]; /* up, down */
};

/* A client's share, which sessions have one after another: who begins another one begins with what is left. */
struct place {
    bool taken;
    struct measure_bucket bucket[2]; /* up, down */
};

struct server {
    const struct measure_server *o;
    struct measure_flow_controls controls;
    int fd;
    int64_t accepts_ns; /* not before */
    struct stranger *stranger; /* owned; room for `strangers` */
    size_t n_strangers, strangers;
    struct session session[MEASURE_SERVER_CLIENTS];
    struct place place[MEASURE_SERVER_CLIENTS];
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
    if (fd >= 0 && o->congestion) /* what a connection is accepted with is its listener's */
        setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, o->congestion, (socklen_t)strlen(o->congestion));
    if (fd < 0 || bind(fd, found->ai_addr, found->ai_addrlen) != 0 || listen(fd, SOMAXCONN) != 0) {
        error_set(err, errno == EADDRINUSE || errno == EADDRNOTAVAIL || errno == EACCES ? ERROR_INPUT : ERROR_SYSTEM,
                  "%s port %s: cannot be listened at: %s", o->bind, o->port, strerror(errno));
        error_close(fd);
        fd = -1;
    }
    freeaddrinfo(found);
    return fd;
}

static void server_log(const struct server *s, const char *peer, const char *words)
{
    MEMORY_LOCAL char *line = memory_text("%s: %s", peer, words);
    s->o->log(s->o->user, line);
}

/* Strangers shall not fill a disk with their refusals. */
static void server_log_refusal(struct server *s, const char *peer, const char *words)
{
    int64_t now_ns = monotonic_now_ns();
    if (s->logged_ns != 0 && now_ns - s->logged_ns <= LOG_NS)
        return;
    server_log(s, peer, words);
    s->logged_ns = now_ns;
}

static struct origin server_origin(const struct sockaddr_storage *from)
{
    struct origin o = {.four = from->ss_family == AF_INET};
    struct sockaddr_in four;
    struct sockaddr_in6 six;
    memcpy(&four, from, sizeof four);
    memcpy(&six, from, sizeof six);
    if (!o.four && IN6_IS_ADDR_V4MAPPED(&six.sin6_addr)) {
        o.four = true;
        memcpy(&four.sin_addr, &six.sin6_addr.s6_addr[12], sizeof four.sin_addr);
    }
    if (o.four)
        memcpy(o.bytes, &four.sin_addr, sizeof four.sin_addr);
    else
        memcpy(o.bytes, six.sin6_addr.s6_addr, sizeof o.bytes);
    return o;
}

static bool origin_equal(const struct origin *a, const struct origin *b)
{
    return a->four == b->four && memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

static void server_forget(struct server *s, struct stranger *n)
{
    measure_line_close(&n->line);
    *n = s->stranger[--s->n_strangers];
}

/* Of those of an origin, or of all addresses without sessions, or of all. */
static void server_forget_oldest(struct server *s, const struct origin *of, bool all)
{
    struct stranger *oldest = NULL;
    for (size_t i = 0; i < s->n_strangers; i++) {
        struct stranger *n = &s->stranger[i];
        bool one = of ? origin_equal(&n->from, of) : all || !n->known;
        if (one && (!oldest || n->since_ns < oldest->since_ns))
            oldest = n;
    }
    if (oldest)
        server_forget(s, oldest);
}

/* A place for one more of this origin. Whoever means it speaks within a round trip, so that the oldest has least to
 * lose. */
static void server_make_room(struct server *s, const struct origin *of, bool *known)
{
    size_t own = 0, same = 0, others = 0;
    for (size_t i = 0; i < s->n_sessions; i++)
        own += origin_equal(&s->session[i].from, of) ? OWN : 0;
    for (size_t i = 0; i < s->n_strangers; i++) {
        same += origin_equal(&s->stranger[i].from, of);
        others += !s->stranger[i].known;
    }
    *known = own > 0;
    if (same >= (own ? own : SHARE))
        server_forget_oldest(s, of, false);
    else if (!*known && others >= STRANGERS)
        server_forget_oldest(s, NULL, false);
    if (s->n_strangers == s->strangers) /* of sessions that ended, too */
        server_forget_oldest(s, NULL, true);
}

static void server_accept(struct server *s)
{
    struct sockaddr_storage from;
    for (int i = 0; i < ACCEPTS; i++) {
        socklen_t size = sizeof from;
        int fd = accept4(s->fd, (struct sockaddr *)&from, &size, SOCK_CLOEXEC);
        if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM))
            s->accepts_ns = monotonic_now_ns() + PAUSE_NS; /* it would be ready again at once, for ever */
        if (fd < 0)
            return;
        struct origin origin = server_origin(&from);
        bool known;
        server_make_room(s, &origin, &known);
        struct stranger *n = &s->stranger[s->n_strangers++];
        *n = (struct stranger){.since_ns = monotonic_now_ns(), .from = origin, .known = known};
        measure_line_open(&n->line, fd);
        if (getnameinfo((struct sockaddr *)&from, size, n->peer, sizeof n->peer, NULL, 0, NI_NUMERICHOST) != 0)
            snprintf(n->peer, sizeof n->peer, "?");
    }
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
    c->place->taken = false;
    *c = s->session[--s->n_sessions];
}

/* Of those that are free the one that may carry most. */
static struct place *server_place(struct server *s)
{
    struct place *best = NULL;
    double best_bits = 0;
    for (int64_t i = 0; i < s->o->max_clients; i++) {
        struct place *p = &s->place[i];
        for (int way = 0; way < 2; way++)
            measure_flow_bucket_room(&p->bucket[way], monotonic_now_ns());
        double bits = fmin(p->bucket[0].bits, p->bucket[1].bits);
        if (!p->taken && (!best || bits > best_bits)) {
            best = p;
            best_bits = bits;
        }
    }
    return best;
}

static void stranger_becomes_session(struct server *s, struct stranger *n, struct place *place)
{
    char proof[MEASURE_PROOF_HEX];
    struct session *c = &s->session[s->n_sessions++];
    *c = (struct session){.line = n->line, .since_ns = monotonic_now_ns(), .from = n->from, .place = place,
                          .streams = 1};
    place->taken = true;
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
                                         int64_t *pace_bps)
{
    char id[MEASURE_PROOF_HEX], way[8], mac[MEASURE_PROOF_HEX], right[MEASURE_PROOF_HEX];
    int end = 0;
    if (sscanf(words, "%64[0-9a-f] %n", id, &end) != 1 || end == 0)
        return NULL;
    words += end;
    end = 0;
    if (!measure_line_number(&words, 0, 0, NUMBERS - 1, number) || sscanf(words, "%7[a-z] %n", way, &end) != 1 ||
        end == 0)
        return NULL;
    words += end;
    if (!measure_line_number(&words, 0, 0, MEASURE_SERVER_RATE, pace_bps) || sscanf(words, "%64[0-9a-f]", mac) != 1)
        return NULL;
    char *what = memory_text("%" PRId64 " %s %" PRId64, *number, way, *pace_bps);
    measure_proof_make(s->o->token, "flow", id, what, right);
    free(what);
    *down = strcmp(way, "down") == 0;
    for (size_t i = 0; i < s->n_sessions; i++) {
        struct session *c = &s->session[i];
        if (measure_proof_equal(c->id, id))
            return measure_proof_equal(mac, right) && !c->used[*number] && session_has_room(c, *down) ? c : NULL;
    }
    return NULL;
}

static void stranger_becomes_flow(struct server *s, struct stranger *n, struct session *c, int64_t number, bool down,
                                  double pace_bps)
{
    double most_bps = s->o->max_rate_bps / (double)c->streams;
    struct measure_flow *f = &c->flow[c->n_flows];
    pace_bps = most_bps > 0 && !(pace_bps > 0 && pace_bps < most_bps) ? most_bps : pace_bps;
    c->number[c->n_flows++] = number;
    c->used[number] = true;
    c->all_flows++;
    if (*c->congestion) /* it has been tried; a module that went since leaves the system's */
        setsockopt(n->line.fd, IPPROTO_TCP, TCP_CONGESTION, c->congestion, (socklen_t)strlen(c->congestion));
    measure_flow_open(f, n->line.fd, down, pace_bps, &c->place->bucket[down]);
    f->received = (int64_t)(n->line.n_in - n->line.at); /* data that came along with the line */
    c->place->bucket[down].bits -= 8 * (double)f->received;
    n->line.fd = -1;
    server_forget(s, n);
}

static void stranger_prove(struct server *s, struct stranger *n, const char *line)
{
    char word[MEASURE_PROOF_HEX], right[MEASURE_PROOF_HEX];
    struct place *place = server_place(s);
    measure_proof_make(s->o->token, "client", n->theirs, n->nonce, right);
    if (sscanf(line, "proof %64[0-9a-f]", word) != 1 || !measure_proof_equal(word, right))
        server_refuse(s, n, "wrong token");
    else if (!place)
        server_refuse(s, n, "as many clients as the server takes; try again later");
    else
        stranger_becomes_session(s, n, place);
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
        int64_t number, pace_bps;
        bool down;
        struct session *c = server_session_of(s, line + 5, &number, &down, &pace_bps);
        if (c)
            stranger_becomes_flow(s, n, c, number, down, (double)pace_bps);
        else
            server_refuse(s, n, "a flow of no session");
    } else if (sscanf(line, "contraflow-measure " MEASURE_SERVER_VERSION " %32[0-9a-f]", n->theirs) != 1 ||
               strlen(n->theirs) != MEASURE_PROOF_NONCE - 1 || !measure_proof_draw(n->nonce, &err)) {
        server_forget(s, n); /* not one of ours: not a word */
    } else {
        measure_line_say(&n->line, "challenge %s\n", n->nonce);
    }
}

/* All its flows end here, up to that number, and what was seen of them goes to the client. */
static void session_stop(struct session *c, int64_t last)
{
    char text[MEASURE_FLOW_TEXT];
    memset(c->used, true, (size_t)last + 1);
    for (size_t k = 0; k < c->n_flows; k++) {
        struct measure_flow *f = &c->flow[k];
        measure_flow_close(f);
        measure_line_say(&c->line, "flow %" PRId64 " %s %zu\n", c->number[k], f->sending ? "down" : "up", f->samples.n);
        for (size_t i = 0; i < f->samples.n; i++) {
            measure_flow_write(&f->samples.sample[i], text);
            measure_line_say(&c->line, "%s\n", text);
        }
    }
    session_count(c);
    measure_line_say(&c->line, "end\n");
}

/* "streams N" and "congestion NAME", between phases; false when it is neither, or none that may be asked for. */
static bool session_agree(const struct server *s, struct session *c, const char *line)
{
    char name[MEASURE_FLOW_CONGESTION] = "", why[256];
    int end = 0;
    if (c->n_flows > 0)
        return false;
    if (strncmp(line, "streams ", 8) == 0) {
        const char *at = line + 8;
        int64_t streams;
        if (!measure_line_number(&at, 0, 1, MEASURE_SERVER_STREAMS, &streams) || *at)
            return false;
        c->streams = (size_t)streams;
        measure_line_say(&c->line, "streams %zu\n", c->streams);
        return true;
    }
    if (sscanf(line, "congestion %15[A-Za-z0-9_-]%n", name, &end) != 1 || line[end] != '\0')
        return false;
    if ((s->o->congestion && strcmp(name, s->o->congestion) == 0) ||
        measure_flow_congestion(&s->controls, name, why, sizeof why)) {
        memcpy(c->congestion, name, sizeof name);
        measure_line_say(&c->line, "congestion %s\n", name);
    } else {
        measure_line_say(&c->line, "lacks %s\n", why);
    }
    return true;
}

/* "stop LAST". */
static bool session_stops(const char *line, int64_t *last)
{
    const char *at = line + 5;
    return strncmp(line, "stop ", 5) == 0 && measure_line_number(&at, 0, 0, NUMBERS - 1, last) && *at == '\0';
}

static const char *session_hear(const struct server *s, struct session *c)
{
    char word[32];
    int64_t last;
    measure_line_fill(&c->line);
    for (const char *line; (line = measure_line_next(&c->line)) != NULL;) {
        c->heard_ns = monotonic_now_ns();
        if (sscanf(line, "ping %31[0-9]", word) == 1)
            measure_line_say(&c->line, "pong %s %" PRId64 "\n", word, c->heard_ns);
        else if (session_stops(line, &last))
            session_stop(c, last);
        else if (strcmp(line, "bye") == 0)
            return "done";
        else if (!session_agree(s, c, line))
            return "ended by what is no word of a client";
    }
    if (s->o->max_rate_bps > 0 && (measure_flow_bucket_overdrawn(&c->place->bucket[0]) ||
                                   measure_flow_bucket_overdrawn(&c->place->bucket[1])))
        return "ended: it sends more than --max-rate";
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

#define SESSION_POLLS (1 + FLOWS)

static size_t server_polls(const struct server *s, struct pollfd *polls, int64_t now_ns, int *wait_ms)
{
    size_t n = 0;
    *wait_ms = WAIT_MS;
    polls[n++] = (struct pollfd){.fd = now_ns < s->accepts_ns ? -1 : s->fd, .events = POLLIN};
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

/* Its flows by turns: the first one may take all that a bucket has. */
static void session_step(struct session *c, const struct pollfd *polls, int64_t now_ns)
{
    c->turn++;
    for (size_t i = 0; i < c->n_flows; i++) {
        size_t k = (c->turn + i) % c->n_flows;
        measure_flow_step(&c->flow[k], polls[k].revents, now_ns);
    }
}

/* Sessions first, and from the last one: what ends gives its place to the last. */
static void server_turn(struct server *s, const struct pollfd *polls)
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
        session_step(c, at[i] + 1, now_ns);
        if (at[i]->revents & POLLOUT)
            measure_line_flush(&c->line);
        const char *over = at[i]->revents & ~POLLOUT ? session_hear(s, c) : NULL;
        over = over ? over : session_late(s, c, now_ns);
        if (over)
            session_end(s, c, over);
    }
    for (size_t i = strangers; i-- > 0;) {
        if (now_ns - s->stranger[i].since_ns > STRANGER_NS) /* who says a byte now and then, too */
            server_forget(s, &s->stranger[i]);
        else if (polls[1 + i].revents)
            stranger_hear(s, &s->stranger[i]);
    }
    if (polls[0].revents)
        server_accept(s);
}

/* All that may be open at once: sessions' connections, and those that have not said yet whose they are. */
static bool server_descriptors(const struct server *s, struct error *err)
{
    rlim_t wanted = DESCRIPTORS + s->strangers + (rlim_t)s->o->max_clients * SESSION_POLLS;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return true;
    limit.rlim_cur = wanted;
    return (limit.rlim_max >= wanted && setrlimit(RLIMIT_NOFILE, &limit) == 0) ||
           error_set(err, ERROR_INPUT, "--max-clients %" PRId64 " takes %ju open files, and the system allows %ju: "
                     "'ulimit -n %ju' before, or fewer clients", s->o->max_clients, (uintmax_t)wanted,
                     (uintmax_t)limit.rlim_max, (uintmax_t)wanted);
}

static bool server_begin(struct server *s, struct error *err)
{
    int64_t now_ns = monotonic_now_ns();
    char why[256];
    measure_flow_controls_read(&s->controls);
    if (s->o->congestion && !measure_flow_congestion(&s->controls, s->o->congestion, why, sizeof why))
        return error_set(err, ERROR_INPUT, "--congestion %.40s is not possible here: %s", s->o->congestion, why);
    if (!server_descriptors(s, err) || (s->fd = server_bind(s->o, err)) < 0)
        return false;
    for (size_t i = 0; i < MEASURE_SERVER_CLIENTS; i++)
        for (int way = 0; way < 2; way++)
            measure_flow_bucket_fill(&s->place[i].bucket[way], s->o->max_rate_bps, now_ns);
    struct sockaddr_storage at;
    socklen_t size = sizeof at;
    char host[INET6_ADDRSTRLEN + 16] = "?", port[8] = "?";
    if (getsockname(s->fd, (struct sockaddr *)&at, &size) == 0)
        getnameinfo((struct sockaddr *)&at, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV);
    return s->o->ready(s->o->user, host, port, err);
}

bool measure_server_run(const struct measure_server *o, struct error *err)
{
    MEMORY_LOCAL struct server *s = memory_zeroed(1, sizeof *s, "a server");
    s->o = o;
    s->fd = -1;
    s->strangers = STRANGERS + (size_t)o->max_clients * OWN;
    s->stranger = memory_zeroed(s->strangers, sizeof *s->stranger, "strangers");
    struct pollfd *polls = memory_zeroed(1 + s->strangers + (size_t)o->max_clients * SESSION_POLLS, sizeof *polls,
                                         "a server");
    bool ok = server_begin(s, err);
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
    error_close(s->fd);
    MEMORY_FREE(polls, s->stranger);
    return ok;
}
