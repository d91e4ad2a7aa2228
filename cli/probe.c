/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/live.h"

#include "base/units.h"
#include "capture/confine.h"
#include "measure/pulse.h"
#include "measure/server.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#define MOST_PORT 65535

/* HOST, [HOST], HOST:PORT or [HOST]:PORT; a bare address of IPv6 has colons of its own. */
static bool probe_split(const char *text, char host[static NI_MAXHOST], char port[static 8])
{
    const char *end = *text == '[' ? strchr(text, ']') : strchr(text, ':');
    if (*text != '[' && end && strchr(end + 1, ':'))
        end = NULL;
    const char *name = text + (*text == '['), *colon = end && *end == ']' ? end + 1 : end;
    size_t length = end ? (size_t)(end - name) : strlen(name);
    const char *number = colon && *colon == ':' ? colon + 1 : MEASURE_SERVER_PORT;
    if (length == 0 || length >= NI_MAXHOST || strlen(number) > 5 || (colon && *colon && *colon != ':') ||
        (*text == '[' && !end))
        return false;
    memcpy(host, name, length);
    host[length] = '\0';
    snprintf(port, 8, "%s", number);
    return true;
}

bool cli_probe_option(const struct cli_option *option, const char *text, struct error *err)
{
    struct cli_probe *p = option->to;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    char name[NI_MAXHOST];
    int64_t port;
    if (!probe_split(text, name, p->port) || !units_parse_integer(p->port, &port, err) || port < 1 || port > MOST_PORT)
        return error_set(err, ERROR_INPUT, "--probe %.200s: HOST or HOST:PORT of a 'contraflow measure serve' is wanted",
                         text);
    int failed = getaddrinfo(name, p->port, &hints, &found);
    if (failed)
        return error_set(err, ERROR_INPUT, "--probe %.200s: %s", text, gai_strerror(failed));
    failed = getnameinfo(found->ai_addr, found->ai_addrlen, p->host, sizeof p->host, NULL, 0, NI_NUMERICHOST);
    freeaddrinfo(found);
    p->at.port = (uint16_t)port;
    return (failed == 0 && capture_address_parse(p->host, &p->at.server)) ||
           error_set(err, ERROR_INPUT, "--probe %.200s: no address of IPv4 or IPv6", text);
}

/* In its own process: what became of it goes into the pipe, and whoever interrupts us means this one, too. */
static void probe_run(const struct cli_probe *p, const char *token, int pipe)
{
    struct error err = {0};
    const struct measure_pulse pulse = {.host = p->host, .port = p->port, .token = token};
    if (capture_confine_live(false, -1, &err)) {
        prctl(PR_SET_PDEATHSIG, (unsigned long)SIGTERM, 0L, 0L, 0L); /* another user's process forgets what was set before */
        measure_pulse_send(&pulse, &err);
    }
    ssize_t written = send(pipe, &err, sizeof err, MSG_NOSIGNAL);
    _exit(written == (ssize_t)sizeof err ? 0 : 1);
}

bool cli_probe_begin(struct cli_probe *p, const char *token, struct error *err)
{
    int pipes[2];
    pid_t child;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pipes) != 0 || (child = fork()) < 0)
        return error_set_errno(err, "--probe: no process can be made for it");
    if (child == 0)
        probe_run(p, token, pipes[1]);
    close(pipes[1]);
    p->pipe = pipes[0];
    return true;
}

bool cli_probe_done(struct cli_probe *p)
{
    ssize_t n = read(p->pipe, &p->err, sizeof p->err);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (n != (ssize_t)sizeof p->err)
        fprintf(stderr, "contraflow: --probe: pulses end early; those so far count\n");
    return true;
}
