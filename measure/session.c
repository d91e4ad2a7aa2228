/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/session.h"

#include "base/monotonic.h"
#include "measure/server.h"
#include "measure/test.h"

#include <netdb.h>
#include <netinet/in.h>
#include <linux/tcp.h>
#include <poll.h>

/* Begins a connection, by a congestion control if it is not NULL; -1 and errno. */
int measure_session_dial(const struct measure_session *s, const char *congestion)
{
    int fd = socket(s->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    if ((congestion && setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, congestion, (socklen_t)strlen(congestion)) != 0) ||
        (connect(fd, (const struct sockaddr *)&s->address, s->size) != 0 && errno != EINPROGRESS)) {
        error_close(fd);
        return -1;
    }
    return fd;
}

/* Is it made? 0: yes; ETIMEDOUT: not within so long; else why it never will be. */
int measure_session_dialed(int fd, int wait_ms)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    int failed = ETIMEDOUT;
    socklen_t size = sizeof failed;
    if (poll(&p, 1, wait_ms) == 1)
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &size);
    return failed;
}

static int session_connect(const struct measure_session *s)
{
    int fd = measure_session_dial(s, NULL), failed = fd < 0 ? errno : measure_session_dialed(fd, MEASURE_SESSION_PATIENCE_MS);
    if (failed && fd >= 0)
        close(fd);
    errno = failed;
    return failed ? -1 : fd;
}

static bool session_find(struct measure_session *s, const char *port, struct error *err)
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
        fd = session_connect(s);
    }
    freeaddrinfo(found);
    if (fd < 0)
        return error_set(err, ERROR_INPUT, "%s port %s: %s; does 'contraflow measure serve --bind ADDRESS' run there, "
                         "and may it be reached?", s->name, port, strerror(errno));
    measure_line_open(&s->line, fd);
    return true;
}

/* Waits for a line; NULL and *err when none comes. */
static const char *session_wait(struct measure_session *s, struct error *err)
{
    for (;;) {
        const char *line = measure_line_next(&s->line);
        if (line)
            return line;
        struct pollfd p = {.fd = s->line.fd, .events = POLLIN};
        int64_t left_ns = s->until_ns - monotonic_now_ns();
        if (s->line.ended || left_ns <= 0 || poll(&p, 1, (int)(left_ns / 1000000) + 1) < 0) {
            error_set(err, ERROR_SYSTEM, "%s: %s", s->name, s->line.ended
                          ? "closed the connection without an answer: no server of this version of contraflow"
                          : "no answer within 10 s: no server of contraflow measure");
            return NULL;
        }
        measure_line_fill(&s->line);
    }
}

bool measure_session_open(struct measure_session *s, const char *name, const char *port, const char *token,
                          double time_s, struct error *err)
{
    char mine[MEASURE_PROOF_NONCE], theirs[MEASURE_PROOF_NONCE], proof[MEASURE_PROOF_HEX], right[MEASURE_PROOF_HEX];
    int64_t limit_bps, most_ms;
    *s = (struct measure_session){.name = name, .line = {.fd = -1}};
    if (!measure_proof_draw(mine, err) || !session_find(s, port, err)) /* a system that has just begun draws late */
        return false;
    s->until_ns = monotonic_now_ns() + MEASURE_SESSION_PATIENCE_MS * INT64_C(1000000);
    measure_line_say(&s->line, "contraflow-measure " MEASURE_SERVER_VERSION " %s\n", mine);
    const char *line = session_wait(s, err);
    if (!line)
        return false;
    if (sscanf(line, "challenge %32[0-9a-f]", theirs) != 1)
        return error_set(err, ERROR_INPUT, "%s port %s: '%.40s' is no server of contraflow measure", s->name, port,
                         line);
    measure_proof_make(token, "client", mine, theirs, proof);
    measure_line_say(&s->line, "proof %s\n", proof);
    if (!(line = session_wait(s, err)))
        return false;
    if (strncmp(line, "refused ", 8) == 0)
        return error_set(err, ERROR_INPUT, "%s refuses: %.80s", s->name, line + 8);
    measure_proof_make(token, "server", mine, theirs, right);
    int end = 0;
    if (sscanf(line, "welcome %64[0-9a-f] %n", proof, &end) != 1 || !measure_proof_equal(proof, right))
        return error_set(err, ERROR_INPUT, "%s: does not know the token itself: not the server that it should be",
                         s->name);
    const char *at = line + end;
    if (!measure_line_number(&at, 0, 0, MEASURE_SERVER_RATE, &limit_bps) ||
        !measure_line_number(&at, 3, 0, INT64_C(1000000000000), &most_ms))
        return error_set(err, ERROR_INPUT, "%s: '%.20s': not what a server allows", s->name, line + end);
    double most_s = (double)most_ms / 1e3;
    s->limit_bps = (double)limit_bps;
    if (!(most_s > time_s))
        return error_set(err, ERROR_INPUT, "%s allows %.0f s, --time is %.0f; a shorter one, or 'contraflow measure "
                         "serve --max-time %.0f' there", s->name, most_s, time_s, ceil(1.5 * time_s));
    measure_proof_make(token, "session", mine, theirs, s->id);
    return true;
}

bool measure_session_agree(struct measure_session *s, size_t streams_each, const char *congestion, struct error *err)
{
    const char *line;
    if (streams_each > 1) {
        measure_line_say(&s->line, "streams %zu\n", streams_each);
        if (!(line = session_wait(s, err)))
            return false;
        const char *at = line + strcspn(line, " ") + (strchr(line, ' ') != NULL);
        int64_t streams = 0;
        if (strncmp(line, "streams ", 8) != 0 || !measure_line_number(&at, 0, 1, MEASURE_STREAMS, &streams) ||
            (size_t)streams != streams_each)
            return error_set(err, ERROR_INPUT, "%s: --streams %zu: '%.40s'", s->name, streams_each, line);
    }
    if (congestion) {
        measure_line_say(&s->line, "congestion %s\n", congestion);
        if (!(line = session_wait(s, err)))
            return false;
        if (strncmp(line, "congestion ", 11) != 0)
            return error_set(err, ERROR_INPUT, "%s: --congestion %s is not possible there: %.220s", s->name,
                             congestion, strncmp(line, "lacks ", 6) == 0 ? line + 6 : line);
    }
    return true;
}

bool measure_session_flow(const struct measure_session *s, const char *token, int fd, int64_t number, bool incoming,
                          double pace_bps, struct error *err)
{
    char mac[MEASURE_PROOF_HEX];
    MEMORY_LOCAL char *what = memory_text("%" PRId64 " %s %.0f", number, incoming ? "down" : "up", pace_bps);
    measure_proof_make(token, "flow", s->id, what, mac);
    MEMORY_LOCAL char *line = memory_text("flow %s %s %s\n", s->id, what, mac);
    return send(fd, line, strlen(line), MSG_NOSIGNAL) == (ssize_t)strlen(line) ||
           error_set_errno(err, "%s: a connection for data", s->name);
}
