/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples of 'ss -tin' (iproute2): for each socket a line of queues and addresses, and what TCP knows of it, on the line
 * after or, with -O, on the same. Counters are since the connection began: a file of several samples has what was sent
 * and received between the first and the last. Their times are lines of 'date +%s' before them; without, what was sent
 * is known for the time in which there was something to send (busy), and what was received for none. minrtt is the least
 * of every packet, within five minutes. */
#include "base/infile.h"
#include "foreign/parts.h"
#include "foreign/sockets.h"

#define BULK 20000 /* bytes: less is no flow of data, as in captures */
#define SS_WORD 128
#define SOCKETS 4096 /* of a file; the rest is left out */
#define SOCKETS_MOST ((size_t)64 << 20) /* bytes of a file */
#define LATEST_S 1e11 /* of a time since the epoch; in milliseconds it would be later */
#define PAYLOAD 1448.0
#define MAPPED "::ffff:"

/* A socket at a moment; NAN: not said. */
struct ss_counters {
    double at_s;
    double acked, received, again; /* bytes */
    double busy_s, rwnd_s, sndbuf_s;
    double cwnd, unacked, notsent; /* segments, segments, bytes */
    bool idle;                     /* app_limited */
};

struct ss_socket {
    char local[SS_WORD], peer[SS_WORD]; /* with ports */
    struct ss_counters now, first, last;
    size_t samples, floods, idles;
    double rtt_sum_s, rtts, least_s, mss;
    struct foreign_flow series[2]; /* samples of what is sent, and of what is received */
};

struct ss_file {
    struct ss_socket *socket;
    size_t n, capacity;
    struct ss_socket *at; /* whose line was read last; NULL none */
    double now_s;         /* NAN: samples have no times */
};

/* The next word of a line; NULL after the last. */
static const char *ss_word(const char *text, char word[static SS_WORD])
{
    size_t n = 0;
    text += strspn(text, " \t\r");
    while (*text && !isspace((unsigned char)*text)) {
        if (n < SS_WORD - 1)
            word[n++] = *text;
        text++;
    }
    word[n] = '\0';
    return n > 0 ? text : NULL;
}

/* A socket's line: "[tcp] [STATE] RECV-Q SEND-Q LOCAL:PORT PEER:PORT ...". Returns what comes after; NULL: none. */
static const char *ss_addresses(const char *line, char local[static SS_WORD], char peer[static SS_WORD], bool *established)
{
    char word[SS_WORD];
    size_t columns = 0;
    *established = true;
    if (isspace((unsigned char)*line))
        return NULL;
    for (line = ss_word(line, word); line && isalpha((unsigned char)*word) && columns < 2; columns++) {
        *established = strcmp(word, "ESTAB") == 0 || (*established && strcmp(word, "tcp") == 0);
        line = ss_word(line, word);
    }
    for (int i = 0; i < 2 && line; i++) {
        if (word[strspn(word, "0123456789")])
            return NULL;
        line = ss_word(line, i == 0 ? word : local);
    }
    line = line ? ss_word(line, peer) : NULL;
    return line && strchr(local, ':') && strchr(peer, ':') ? line : NULL;
}

bool foreign_ss_line(const char *line)
{
    char local[SS_WORD], peer[SS_WORD], word[SS_WORD];
    bool established;
    return (ss_word(line, word) && (strcmp(word, "State") == 0 || strcmp(word, "Recv-Q") == 0 ||
                                    strcmp(word, "Netid") == 0)) ||
           ss_addresses(line, local, peer, &established) != NULL;
}

static struct ss_socket *ss_socket_of(struct ss_file *f, const char *local, const char *peer)
{
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->socket[i].local, local) == 0 && strcmp(f->socket[i].peer, peer) == 0)
            return &f->socket[i];
    if (f->n == SOCKETS)
        return NULL;
    f->socket = memory_grown(f->socket, f->n, &f->capacity, 8, sizeof *f->socket, "sockets");
    struct ss_socket *s = &f->socket[f->n++];
    *s = (struct ss_socket){.least_s = NAN, .mss = PAYLOAD};
    snprintf(s->local, sizeof s->local, "%s", local);
    snprintf(s->peer, sizeof s->peer, "%s", peer);
    return s;
}

/* One "key:value" of a socket. */
static void ss_value(struct ss_socket *s, const char *word)
{
    const struct {
        const char *key;
        double *to, scale;
    } keys[] = {
        {"bytes_acked:", &s->now.acked, 1},      {"bytes_received:", &s->now.received, 1},
        {"bytes_retrans:", &s->now.again, 1},    {"busy:", &s->now.busy_s, 1e-3},
        {"rwnd_limited:", &s->now.rwnd_s, 1e-3}, {"sndbuf_limited:", &s->now.sndbuf_s, 1e-3},
        {"mss:", &s->mss, 1},                    {"cwnd:", &s->now.cwnd, 1},
        {"unacked:", &s->now.unacked, 1},        {"notsent:", &s->now.notsent, 1},
    };
    s->now.idle = s->now.idle || strcmp(word, "app_limited") == 0;
    double ms = strncmp(word, "rtt:", 4) == 0 ? strtod(word + 4, NULL) : 0;
    double least_ms = strncmp(word, "minrtt:", 7) == 0 ? strtod(word + 7, NULL) : 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t n = strlen(keys[i].key);
        double value = strncmp(word, keys[i].key, n) == 0 ? strtod(word + n, NULL) : -1;
        if (value >= 0 && isfinite(value))
            *keys[i].to = value * keys[i].scale;
    }
    if (ms > 0 && isfinite(ms)) {
        s->rtt_sum_s += ms * 1e-3;
        s->rtts++;
    }
    if (least_ms > 0 && isfinite(least_ms))
        s->least_s = fmin(least_ms * 1e-3, s->least_s);
}

/* Rates since the sample before. */
static void ss_rates(struct ss_socket *s, const struct ss_counters *from, const struct ss_counters *to)
{
    double seconds = to->at_s - from->at_s;
    double sent = to->acked - from->acked, received = to->received - from->received;
    if (!(seconds > 0))
        return;
    if (sent > 0 && isfinite(sent * 8 / seconds))
        foreign_test_sample(&s->series[0], from->at_s, to->at_s, sent * 8 / seconds);
    if (received > 0 && isfinite(received * 8 / seconds))
        foreign_test_sample(&s->series[1], from->at_s, to->at_s, received * 8 / seconds);
}

/* The socket's words of this sample are all read. */
static void ss_close(struct ss_file *f)
{
    struct ss_socket *s = f->at;
    f->at = NULL;
    if (!s)
        return;
    if (s->samples > 0)
        ss_rates(s, &s->last, &s->now);
    else
        s->first = s->now;
    s->last = s->now;
    s->samples++;
    s->idles += s->now.idle;
    s->floods += !s->now.idle && (s->now.notsent > 0 || (s->now.cwnd > 0 && s->now.unacked >= s->now.cwnd));
}

/* False: none that ss prints, nor the time before a sample. */
static bool ss_line(struct ss_file *f, const char *line)
{
    char local[SS_WORD], peer[SS_WORD], word[SS_WORD];
    bool established, words = isspace((unsigned char)*line);
    const char *rest = words ? line : ss_addresses(line, local, peer, &established);
    double at_s = isdigit((unsigned char)*line) ? strtod(line, NULL) : 0;
    if (!words)
        ss_close(f);
    if (!rest) {
        bool alone = isdigit((unsigned char)*line) && !line[strspn(line, "0123456789.\r")];
        f->now_s = alone && at_s > 0 && at_s < LATEST_S ? at_s : f->now_s;
        return alone || !line[strspn(line, " \t\r")] || foreign_ss_line(line);
    }
    if (!words && established) {
        f->at = ss_socket_of(f, local, peer);
        if (f->at)
            f->at->now = (struct ss_counters){.at_s = f->now_s};
    }
    while (f->at && (rest = ss_word(rest, word)))
        ss_value(f->at, word);
    return true;
}

/* All lines; stops at the first that ss does not print, if `bad` wants its number. Returns that line; NULL. */
static const char *ss_lines(struct ss_file *f, const char *text, size_t *bad)
{
    size_t room = strlen(text) + 1, number = 1;
    MEMORY_LOCAL char *line = memory_zeroed(room, 1, "a line");
    for (; *text; number++) {
        size_t n = strcspn(text, "\n");
        snprintf(line, room, "%.*s", (int)n, text);
        if (!ss_line(f, line) && bad) {
            *bad = number;
            break;
        }
        text += n + (text[n] == '\n');
    }
    ss_close(f);
    return *text ? text : NULL;
}

static void ss_fini(struct ss_file *f)
{
    for (size_t i = 0; i < f->n; i++)
        MEMORY_FREE(f->socket[i].series[0].sample, f->socket[i].series[1].sample);
    free(f->socket);
}

/* An address without its port, its brackets and its scope; of IPv6 that stands for IPv4, that. */
static void ss_host(const char *address, char host[static FOREIGN_NAME])
{
    const char *port = strrchr(address, ':');
    size_t n = port ? (size_t)(port - address) : strlen(address);
    if (n >= 2 && *address == '[' && address[n - 1] == ']') {
        address++;
        n -= 2;
    }
    if (n > strlen(MAPPED) && strncmp(address, MAPPED, strlen(MAPPED)) == 0) {
        address += strlen(MAPPED);
        n -= strlen(MAPPED);
    }
    n = strcspn(address, "%") < n ? strcspn(address, "%") : n;
    snprintf(host, FOREIGN_NAME, "%.*s", (int)n, address);
}

static double ss_share(double of_s, double first_s, double last_s)
{
    double share = (last_s - first_s) / of_s;
    return of_s > 0 && share >= 0 ? fmin(1, share) : (double)NAN;
}

/* One direction of a socket as a flow, if it carried data. */
static void ss_flow(struct foreign_test *t, struct ss_socket *s, bool sent, double start_s)
{
    char peer[FOREIGN_NAME], name[FOREIGN_NAME];
    struct ss_counters none = {.at_s = s->last.at_s}, *first = s->samples > 1 ? &s->first : &none;
    double bytes = sent ? s->last.acked - first->acked : s->last.received - first->received;
    double busy_s = s->last.busy_s - first->busy_s, lasts_s = s->last.at_s - first->at_s;
    double seconds = lasts_s > 0 ? lasts_s : sent ? busy_s : 0;
    if (!(bytes >= BULK))
        return;
    if (!isfinite(bytes * 8 / seconds) || !(bytes * 8 / seconds > 0)) {
        t->unrated = true;
        return;
    }
    ss_host(s->peer, peer);
    snprintf(name, sizeof name, "%.30s%.30s", strrchr(s->local, ':') + 1, strrchr(s->peer, ':'));
    struct foreign_flow *f = foreign_test_flow(t, name, sent ? t->host : peer, sent ? peer : t->host);
    f->mean_bps = bytes * 8 / seconds;
    for (size_t i = 0; i < s->series[!sent].n; i++) {
        const struct foreign_sample *sample = &s->series[!sent].sample[i];
        foreign_test_sample(f, sample->from_s - start_s, sample->to_s - start_s, sample->rate_bps);
    }
    t->to_s = fmax(t->to_s, seconds);
    if (!sent)
        return;
    f->rtt_s = s->rtts > 0 ? s->rtt_sum_s / s->rtts : (double)NAN;
    f->least_rtt_s = s->least_s;
    f->least_known = isfinite(s->least_s);
    f->retransmitted = fmax(0, s->last.again - first->again) / bytes;
    f->segments_again = fmax(0, s->last.again - first->again) / fmax(1, s->mss);
    f->busy = ss_share(seconds, first->busy_s, s->last.busy_s);
    f->rwnd_limited = ss_share(seconds, first->rwnd_s, s->last.rwnd_s);
    f->sndbuf_limited = ss_share(seconds, first->sndbuf_s, s->last.sndbuf_s);
}

/* All begin or end at the host where ss ran, which is called by the address of the first. */
static void ss_flows(struct foreign_test *t, struct ss_file *f)
{
    double start_s = NAN;
    for (size_t i = 0; i < f->n; i++)
        for (int way = 0; way < 2; way++)
            if (f->socket[i].series[way].n > 0)
                start_s = fmin(start_s, f->socket[i].series[way].sample[0].from_s);
    for (size_t i = 0; i < f->n; i++) {
        if (i == 0)
            ss_host(f->socket[i].local, t->host);
        ss_flow(t, &f->socket[i], true, start_s);
        ss_flow(t, &f->socket[i], false, start_s);
    }
    t->start_s = start_s;
}

bool foreign_ss_read(struct foreign_test *t, const char *path, const char *text, struct error *err)
{
    MEMORY_ENDS(ss_fini) struct ss_file f = {.now_s = NAN};
    ss_lines(&f, text, NULL);
    ss_flows(t, &f);
    if (t->n == 0 && t->unrated)
        return error_set(err, ERROR_INPUT, "%s: data come in, but nobody knows in what time: take samples with times, "
                         "'date +%%s; ss -tin'", path);
    return t->n > 0 || error_set(err, ERROR_INPUT, "%s: no socket has bytes_acked or bytes_received of %d or more; 'ss "
                                 "-tin' prints them", path, BULK);
}

/* Of "10.0.0.1:5201", and of the same in brackets. */
static unsigned ss_port(const char *address)
{
    const char *port = strrchr(address, ':');
    unsigned long value = port ? strtoul(port + 1, NULL, 10) : 0;
    return value <= UINT16_MAX ? (unsigned)value : 0;
}

static void ss_socket(const struct ss_socket *from, struct foreign_socket *to)
{
    *to = (struct foreign_socket){
        .local_port = ss_port(from->local), .peer_port = ss_port(from->peer), .samples = from->samples,
        .floods = from->floods, .idles = from->idles, .acked_bytes = from->last.acked, .again_bytes = from->last.again,
        .busy_s = from->last.busy_s, .rwnd_limited_s = from->last.rwnd_s, .sndbuf_limited_s = from->last.sndbuf_s};
    ss_host(from->local, to->local);
    ss_host(from->peer, to->peer);
}

bool foreign_sockets_read_text(struct foreign_sockets *s, const char *path, const char *text, struct error *err)
{
    MEMORY_ENDS(ss_fini) struct ss_file f = {.now_s = NAN};
    size_t number;
    const char *bad = ss_lines(&f, text, &number);
    *s = (struct foreign_sockets){.socket = memory_zeroed(f.n + 1, sizeof *s->socket, path), .n = f.n};
    for (size_t i = 0; i < f.n; i++)
        ss_socket(&f.socket[i], &s->socket[i]);
    if (bad)
        return error_set(err, ERROR_INPUT, "%s:%zu: '%.*s': a socket is wanted, as ss -tin prints it", path, number,
                         (int)(strcspn(bad, "\r\n") < 40 ? strcspn(bad, "\r\n") : 40), bad);
    return s->n > 0 || error_set(err, ERROR_INPUT, "%s:1: no established socket; 'ss -tin' prints them", path);
}

bool foreign_sockets_read(struct foreign_sockets *s, const char *path, struct error *err)
{
    size_t size;
    *s = (struct foreign_sockets){0};
    MEMORY_LOCAL char *text = infile_read(path, SOCKETS_MOST, "what ss prints", &size, err);
    return text && foreign_sockets_read_text(s, path, text, err);
}

void foreign_sockets_fini(struct foreign_sockets *s)
{
    free(s->socket);
    *s = (struct foreign_sockets){0};
}
