/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/line.h"

#include "base/error.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <linux/tcp.h>
#include <sys/socket.h>

#define OUT_LEAST 4096
#define OUT_MOST 16777216 /* for an end that never reads */

void measure_line_open(struct measure_line *l, int fd)
{
    *l = (struct measure_line){.fd = fd};
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
}

void measure_line_close(struct measure_line *l)
{
    error_close(l->fd);
    free(l->out);
    *l = (struct measure_line){.fd = -1, .ended = true};
}

void measure_line_fill(struct measure_line *l)
{
    memmove(l->in, l->in + l->at, l->n_in - l->at);
    l->n_in -= l->at;
    l->at = 0;
    if (l->n_in == sizeof l->in)
        return; /* lines that nobody has taken yet */
    ssize_t n = recv(l->fd, l->in + l->n_in, sizeof l->in - l->n_in, MSG_DONTWAIT);
    if (n > 0)
        l->n_in += (size_t)n;
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        l->ended = true;
}

char *measure_line_next(struct measure_line *l)
{
    char *line = l->in + l->at, *end = memchr(line, '\n', l->n_in - l->at);
    if (!end) {
        l->ended = l->ended || l->n_in - l->at >= MEASURE_LINE_MOST;
        return NULL;
    }
    *end = '\0';
    l->at = (size_t)(end + 1 - l->in);
    return line;
}

/* One more digit, if there is room for it. */
static bool line_digit(int64_t *n, char c)
{
    return c >= '0' && c <= '9' && !__builtin_mul_overflow(*n, 10, n) && !__builtin_add_overflow(*n, c - '0', n);
}

bool measure_line_number(const char **at, int decimals, int64_t least, int64_t most, int64_t *value)
{
    const char *c = *at;
    int64_t n = 0;
    bool negative = *c == '-';
    c += negative;
    if (!line_digit(&n, *c))
        return false;
    for (c++; *c >= '0' && *c <= '9'; c++)
        if (!line_digit(&n, *c))
            return false;
    bool point = decimals > 0 && *c == '.';
    c += point;
    for (; decimals > 0; decimals--) {
        bool digit = point && *c >= '0' && *c <= '9';
        if (!line_digit(&n, digit ? *c : '0'))
            return false;
        c += digit;
    }
    if (*c != ' ' && *c != '\0')
        return false;
    *value = negative ? -n : n;
    *at = c + strspn(c, " ");
    return *value >= least && *value <= most;
}

void measure_line_say(struct measure_line *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = memory_vtext(format, args);
    va_end(args);
    size_t n = strlen(text);
    l->ended = l->ended || l->n_out + n > OUT_MOST;
    while (!l->ended && l->n_out + n > l->room) {
        l->room = l->room ? 2 * l->room : OUT_LEAST;
        l->out = memory_resized(l->out, l->room, 1, "what is said to another end");
    }
    if (!l->ended) {
        memcpy(l->out + l->n_out, text, n);
        l->n_out += n;
    }
    free(text);
    measure_line_flush(l);
}

void measure_line_flush(struct measure_line *l)
{
    while (l->sent < l->n_out && !l->ended) {
        ssize_t n = send(l->fd, l->out + l->sent, l->n_out - l->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (n < 0)
            l->ended = true;
        else
            l->sent += (size_t)n;
    }
    l->sent = l->n_out = 0;
}

bool measure_line_waits(const struct measure_line *l)
{
    return l->sent < l->n_out;
}
