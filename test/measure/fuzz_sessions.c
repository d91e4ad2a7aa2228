/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What clients that nobody chose say to a server: pieces that NULs end, by their first byte on the control connection of
 * a client that has proved the token ('c'), on a new connection ('s'), or, with a proof that is right, on one of a flow
 * of that client ('u' and 'd', with its number). The server goes on whatever comes, and its log is text. The same
 * thread is both ends: the server asks between two turns whether it is to stop. `test/fuzz sessions`, or
 * test/fuzzing/replay.c. */
#include "measure/proof.h"
#include "measure/server.h"
#include "test/fuzzing/text.h"

#include <netdb.h>
#include <sys/socket.h>
#include <time.h>

#define TOKEN "a8F3kQ9zLw72PxVb5TgHnR4dYs6M"
#define OURS "00112233445566778899aabbccddeeff"
#define CONNECTIONS 24
#define TURNS 4 /* without a piece, before the end */

struct clients {
    const char *data;
    size_t size;
    int fds[CONNECTIONS], n; /* the first is the control connection */
    char id[MEASURE_PROOF_HEX], port[8];
    int turns, state;        /* of a login: 0 to say hello, 1 to prove, 2 proved */
    int waker;               /* a connection that says a byte each time, or the server would wait for long; -1 */
};

static int clients_open(const struct clients *c)
{
    struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST}, *at;
    if (getaddrinfo("127.0.0.1", c->port, &hints, &at) != 0)
        abort();
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), failed = 0;
    /* Other tests beside this one may have all of the machine's ports, each for a minute after it was closed. */
    while (fd >= 0 && (failed = connect(fd, at->ai_addr, at->ai_addrlen)) != 0 && errno == EADDRNOTAVAIL)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    if (fd < 0 || failed) {
        perror("a connection to the server under test");
        abort();
    }
    freeaddrinfo(at);
    /* Thousands a second would wait for a minute each, until there are no ports. */
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &(struct linger){.l_onoff = 1, .l_linger = 0}, sizeof(struct linger));
    return fd;
}

static int clients_connect(struct clients *c)
{
    if (c->n < CONNECTIONS)
        c->fds[c->n++] = clients_open(c);
    return c->fds[c->n - 1];
}

static void clients_wake(struct clients *c)
{
    char byte;
    bool gone = c->waker < 0 || recv(c->waker, &byte, 1, MSG_DONTWAIT) == 0 ||
                send(c->waker, "x", 1, MSG_DONTWAIT | MSG_NOSIGNAL) != 1;
    if (gone && c->waker >= 0)
        close(c->waker);
    if (gone)
        c->waker = clients_open(c);
}

static void clients_send(int fd, const void *bytes, size_t n)
{
    if (send(fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        return; /* it was cut off, or does not read: the server's right */
}

static void clients_prove(struct clients *c)
{
    char line[128] = "", nonce[MEASURE_PROOF_NONCE], proof[MEASURE_PROOF_HEX], words[96];
    ssize_t n = recv(c->fds[0], line, sizeof line - 1, MSG_DONTWAIT);
    if (n <= 0 || sscanf(line, "challenge %32[0-9a-f]", nonce) != 1)
        return;
    measure_proof_make(TOKEN, "client", OURS, nonce, proof);
    measure_proof_make(TOKEN, "session", OURS, nonce, c->id);
    clients_send(c->fds[0], words, (size_t)snprintf(words, sizeof words, "proof %s\n", proof));
    c->state = 2;
}

static void clients_flow(struct clients *c, bool down, const char *piece, size_t n)
{
    char what[64], mac[MEASURE_PROOF_HEX];
    int number = n > 0 ? (unsigned char)*piece % 32 : 0;
    snprintf(what, sizeof what, "%d %s 0", number, down ? "down" : "up");
    measure_proof_make(TOKEN, "flow", c->id, what, mac);
    MEMORY_LOCAL char *line = memory_text("flow %s %s %s\n", c->id, what, mac);
    int fd = clients_connect(c);
    clients_send(fd, line, strlen(line));
    if (n > 1)
        clients_send(fd, piece + 1, n - 1);
}

static void clients_piece(struct clients *c)
{
    size_t n = strnlen(c->data, c->size);
    const char *piece = c->data;
    c->data += n < c->size ? n + 1 : n;
    c->size -= n < c->size ? n + 1 : n;
    if (n > 0 && *piece == 's')
        clients_send(clients_connect(c), piece + 1, n - 1);
    else if (n > 0 && (*piece == 'u' || *piece == 'd'))
        clients_flow(c, *piece == 'd', piece + 1, n - 1);
    else if (n > 1)
        clients_send(c->fds[0], piece + 1, n - 1);
}

/* One step of the clients before each turn of the server; true ends it. */
static bool clients_step(void *user)
{
    struct clients *c = user;
    char bytes[4096];
    clients_wake(c);
    if (c->state == 0) {
        static const char hello[] = "contraflow-measure " MEASURE_SERVER_VERSION " " OURS "\n";
        clients_send(clients_connect(c), hello, strlen(hello));
        c->state = 1;
    } else if (c->state == 1) {
        clients_prove(c);
        if (c->turns++ > 100)
            abort(); /* who knows the token is let in */
    } else if (c->size > 0) {
        c->turns = 0;
        clients_piece(c);
    } else {
        return c->turns++ == TURNS;
    }
    for (int i = c->state == 1; i < c->n; i++)
        while (recv(c->fds[i], bytes, sizeof bytes, MSG_DONTWAIT) == sizeof bytes)
            ;
    return false;
}

static bool clients_ready(void *user, const char *address, const char *port, struct error *err)
{
    struct clients *c = user;
    (void)address, (void)err;
    snprintf(c->port, sizeof c->port, "%s", port);
    return true;
}

static void clients_log(void *user, const char *line)
{
    struct error said = {.code = ERROR_INPUT};
    (void)user;
    snprintf(said.message, sizeof said.message, "%s", line);
    text_check(&said);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct clients c = {.data = (const char *)data, .size = size, .waker = -1};
    struct measure_server s = {.bind = "127.0.0.1", .port = "0", .token = TOKEN, .max_clients = 2, .max_time_s = 60,
                               .max_rate_bps = 1e9, .user = &c, .ready = clients_ready, .log = clients_log,
                               .stopped = clients_step};
    struct error err = {0};
    if (!measure_server_run(&s, &err))
        abort();
    for (int i = 0; i < c.n; i++)
        close(c.fds[i]);
    close(c.waker);
    return 0;
}
