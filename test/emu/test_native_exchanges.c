/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One endpoint of the native engine against a script: what arrives and when, what must leave and when, to the
 * picosecond, and nothing else. The scripts (exchanges/) each state what an RFC's section says; their format is in
 * exchanges/README.md.
 * usage: test_native_exchanges FILE.exchange...|DIRECTORY */
#include "emu/native/endpoint.h"

#include "base/text.h"

#include <glob.h>

#define PS_PER_US INT64_C(1000000)
#define MOST_SENT 4096

struct sent {
    int64_t time_ps;
    struct native_segment segment;
    uint32_t sack[NATIVE_SACK_BLOCKS][2];
};

/* A segment as a line of a script says it; -1: the line does not say. */
struct said {
    int64_t from, to, times, ack, window, ts_us, echo_us, ecn;
    uint8_t flags;
    int n_sack; /* -1: not said */
    uint32_t sack[NATIVE_SACK_BLOCKS][2];
};

struct exchange {
    const char *file;
    int line;
    struct native_scheduler scheduler;
    struct native_pool plain, sacked;
    struct native_endpoint_env env;
    struct native_endpoint end;
    struct emu_tcp_config config;
    bool begun;
    int64_t begin_ps; /* the handshake's end, where the script's clock starts */
    struct sent sent[MOST_SENT];
    int n_sent, n_seen;
};

static _Noreturn void fail(const struct exchange *x, const char *what, const char *found)
{
    fprintf(stderr, "%s:%d: %s%s%s\n", x->file, x->line, what, found ? ", not " : "", found ? found : "");
    exit(1);
}

static void give_back(struct exchange *x, struct native_segment *s)
{
    native_pool_give(s->n_sack ? &x->sacked : &x->plain, s);
}

static void transmit(void *user, struct native_endpoint *e, struct native_segment *s)
{
    struct exchange *x = user;
    if (s->payload_bytes > 0)
        e->tx.queued_bytes += native_endpoint_queued(e, s->payload_bytes, false, s->payload_bytes);
    if (x->n_sent == MOST_SENT)
        fail(x, "too many segments left", NULL);
    struct sent *sent = &x->sent[x->n_sent++];
    *sent = (struct sent){.time_ps = native_scheduler_now(&x->scheduler), .segment = *s};
    if (s->n_sack)
        memcpy(sent->sack, ((struct native_sacked_segment *)s)->sack, sizeof sent->sack);
    give_back(x, s);
}

static void delivered(void *user, struct native_endpoint *e, uint64_t bytes)
{
    (void)user, (void)e, (void)bytes;
}

static int64_t number(const struct exchange *x, const char *text)
{
    char *end;
    int64_t value = strtoll(text, &end, 10);
    if (end == text || *end)
        fail(x, "a whole number is wanted", text);
    return value;
}

/* Seconds of the script's clock. */
static int64_t seconds_ps(const struct exchange *x, const char *text)
{
    char *end;
    double s = strtod(text, &end);
    if (end == text || *end)
        fail(x, "a time in seconds is wanted", text);
    return llround(s * 1e6) * PS_PER_US;
}

static void set(struct exchange *x, const char *key, const char *value)
{
    struct emu_tcp_config *c = &x->config;
    const struct {
        const char *key;
        int64_t *to;
        bool seconds;
    } keys[] = {{"segment", &c->segment_bytes, false},      {"receive-buffer", &c->receive_buffer_bytes, false},
                {"send-buffer", &c->send_buffer_bytes, false}, {"initial-window", &c->initial_window_segments, false},
                {"delayed-ack", &c->delayed_ack, false},    {"small-queue", &c->small_queue_bytes, false},
                {"ack-timeout", &c->delayed_ack_timeout_ps, true}, {"least-rto", &c->min_rto_ps, true},
                {"most-rto", &c->max_rto_ps, true}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i].key) == 0) {
            *keys[i].to = keys[i].seconds ? seconds_ps(x, value) : number(x, value);
            return;
        }
    const struct {
        const char *key;
        bool *to;
    } switches[] = {{"sack", &c->sack}, {"ecn", &c->ecn}, {"gso", &c->linux_own.gso}, {"tail-probe", &c->linux_own.tail_probe}};
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (strcmp(key, switches[i].key) == 0) {
            *switches[i].to = number(x, value) != 0;
            return;
        }
    if (strcmp(key, "congestion") == 0)
        for (int i = 0; i < EMU_CONGESTION_COUNT; i++)
            if (strcmp(value, emu_congestion_names[i]) == 0 && native_congestions[i]) {
                c->congestion = (enum emu_congestion)i;
                return;
            }
    fail(x, "no such setting", key);
}

static void arrive(struct exchange *x, const struct native_sacked_segment *s)
{
    bool sacked = s->segment.n_sack > 0;
    struct native_segment *arrived = native_pool_take(sacked ? &x->sacked : &x->plain);
    memcpy(arrived, s, sacked ? sizeof *s : sizeof s->segment);
    native_endpoint_receive(&x->end, arrived);
}

static uint32_t now_us(const struct exchange *x)
{
    return (uint32_t)(native_scheduler_now(&x->scheduler) / PS_PER_US);
}

static void begin(struct exchange *x)
{
    x->env = (struct native_endpoint_env){&x->scheduler, &x->plain, &x->sacked, transmit, delivered, NULL, NULL, x, NULL, NULL};
    native_endpoint_init(&x->end, &x->env, &x->config, 0, 0, 1);
    x->begun = true;
}

/* Connects (or is connected to) with a round trip of rtt; the script's clock starts when that is done. */
static void handshake(struct exchange *x, bool active, int64_t rtt_ps)
{
    begin(x);
    struct native_sacked_segment s = {.segment = {.flags = NATIVE_SYN, .window = 65535}};
    if (x->end.ecn.wanted)
        s.segment.flags |= active ? NATIVE_ECE : NATIVE_ECE | NATIVE_CWR;
    if (active) {
        native_endpoint_connect(&x->end);
        native_scheduler_run(&x->scheduler, rtt_ps);
        s.segment.flags |= NATIVE_ACK;
        s.segment.ts = now_us(x);
        arrive(x, &s);
    } else {
        native_endpoint_listen(&x->end);
        arrive(x, &s);
        native_scheduler_run(&x->scheduler, rtt_ps);
        s.segment = (struct native_segment){
            .flags = NATIVE_ACK, .ts = now_us(x), .window = 65535};
        arrive(x, &s);
    }
    x->begin_ps = rtt_ps;
    x->n_sent = 0;
}

static int64_t echo_or_ts_us(const struct exchange *x, const char *text)
{
    return (x->begin_ps + seconds_ps(x, text)) / PS_PER_US;
}

/* FLAGS FROM:TO [*TIMES] [ack N] [win N] [sack A:B,...] [ecn N] [ts T] [echo T] */
static struct said parse(struct exchange *x, char **words, int n)
{
    struct said s = {.times = 1, .ack = -1, .window = -1, .ts_us = -1, .echo_us = -1, .ecn = -1, .n_sack = -1};
    if (n < 2)
        fail(x, "flags and FROM:TO are wanted", NULL);
    for (const char *f = words[0]; *f; f++) {
        static const char letters[] = "FS.PEW";
        static const uint8_t flags[] = {NATIVE_FIN, NATIVE_SYN, NATIVE_ACK, NATIVE_PUSH, NATIVE_ECE, NATIVE_CWR};
        const char *at = strchr(letters, *f);
        if (!at)
            fail(x, "flags are of S F P E W and .", words[0]);
        s.flags |= flags[at - letters];
    }
    if (sscanf(words[1], "%" SCNd64 ":%" SCNd64, &s.from, &s.to) != 2)
        fail(x, "FROM:TO is wanted", words[1]);
    int i = 2;
    if (i < n && words[i][0] == '*')
        s.times = number(x, words[i++] + 1);
    for (; i + 1 < n; i += 2) {
        const char *key = words[i], *value = words[i + 1];
        if (strcmp(key, "ack") == 0) {
            s.ack = number(x, value);
        } else if (strcmp(key, "win") == 0) {
            s.window = number(x, value);
        } else if (strcmp(key, "ecn") == 0) {
            s.ecn = number(x, value);
        } else if (strcmp(key, "ts") == 0) {
            s.ts_us = echo_or_ts_us(x, value);
        } else if (strcmp(key, "echo") == 0) {
            s.echo_us = echo_or_ts_us(x, value);
        } else if (strcmp(key, "sack") == 0) {
            s.n_sack = 0;
            for (char *rest = words[i + 1], *block; (block = strtok_r(rest, ",", &rest)) && strcmp(block, "none");) {
                if (s.n_sack == NATIVE_SACK_BLOCKS ||
                    sscanf(block, "%" SCNu32 ":%" SCNu32, &s.sack[s.n_sack][0], &s.sack[s.n_sack][1]) != 2)
                    fail(x, "SACK blocks A:B,C:D are wanted", block);
                s.n_sack++;
            }
        } else {
            fail(x, "ack, win, sack, ecn, ts or echo is wanted", key);
        }
    }
    if (i < n)
        fail(x, "a value is missing after", words[i]);
    return s;
}

static void describe(const struct exchange *x, const struct sent *s, char *text, size_t size)
{
    const struct native_segment *g = &s->segment;
    snprintf(text, size, "%.6f > %s%s%s%s%s%s %" PRIu32 ":%" PRIu32 " ack %" PRIu32 " win %u ecn %u echo %.6f",
             (double)(s->time_ps - x->begin_ps) / 1e12, g->flags & NATIVE_SYN ? "S" : "",
             g->flags & NATIVE_FIN ? "F" : "", g->flags & NATIVE_PUSH ? "P" : "", g->flags & NATIVE_ECE ? "E" : "",
             g->flags & NATIVE_CWR ? "W" : "", g->flags & NATIVE_ACK ? "." : "", g->seq, g->seq + g->payload_bytes,
             g->ack, (unsigned)g->window << x->end.window_scale, (unsigned)g->ecn,
             ((double)g->ts_echo * 1e6 - (double)x->begin_ps) / 1e12);
    for (int i = 0; i < g->n_sack; i++)
        text_add(text, size, "%s%" PRIu32 ":%" PRIu32, i ? "," : " sack ", s->sack[i][0], s->sack[i][1]);
}

static void nothing_more(struct exchange *x)
{
    if (x->n_seen == x->n_sent)
        return;
    char text[256];
    describe(x, &x->sent[x->n_seen], text, sizeof text);
    fail(x, "nothing is to leave before this line", text);
}

static void expect(struct exchange *x, int64_t time_ps, const struct said *s)
{
    int64_t step = (s->to - s->from) / s->times;
    for (int64_t k = 0; k < s->times; k++) {
        if (x->n_seen == x->n_sent)
            fail(x, "nothing has left", NULL);
        const struct sent *found = &x->sent[x->n_seen++];
        const struct native_segment *g = &found->segment;
        uint8_t flags = s->flags;
        if (k + 1 < s->times)
            flags &= (uint8_t)~(NATIVE_PUSH | NATIVE_FIN);
        if (k > 0)
            flags &= (uint8_t)~NATIVE_CWR;
        bool same = found->time_ps == time_ps && g->flags == flags && g->seq == (uint32_t)(s->from + k * step) &&
                    g->payload_bytes == step && (s->ack < 0 || g->ack == (uint32_t)s->ack) &&
                    (s->window < 0 || (int64_t)g->window << x->end.window_scale == s->window) &&
                    (s->ecn < 0 || g->ecn == s->ecn) && (s->echo_us < 0 || g->ts_echo == (uint32_t)s->echo_us) && (s->ts_us < 0 || g->ts == (uint32_t)s->ts_us) &&
                    (s->n_sack < 0 || (g->n_sack == s->n_sack &&
                                       memcmp(found->sack, s->sack, (size_t)s->n_sack * sizeof *s->sack) == 0));
        if (!same) {
            char text[256];
            describe(x, found, text, sizeof text);
            fail(x, "this segment was to leave", text);
        }
    }
}

static void receive(struct exchange *x, const struct said *s)
{
    int64_t step = (s->to - s->from) / s->times;
    for (int64_t k = 0; k < s->times; k++) {
        int64_t window = s->window < 0 ? INT64_C(65535) << x->end.window_scale : s->window;
        struct native_sacked_segment g = {.segment = {
            .seq = (uint32_t)(s->from + k * step),
            .ack = s->ack < 0 ? (uint32_t)x->end.tx.una : (uint32_t)s->ack,
            .ts = s->ts_us < 0 ? now_us(x) : (uint32_t)s->ts_us,
            .ts_echo = s->echo_us >= 0 ? (uint32_t)s->echo_us
                                       : x->n_sent ? x->sent[x->n_sent - 1].segment.ts : now_us(x),
            .end = 1,
            .window = (uint16_t)(window >> x->end.window_scale),
            .payload_bytes = (uint16_t)step,
            .flags = s->flags,
            .n_sack = (uint8_t)(s->n_sack > 0 ? s->n_sack : 0),
            .ecn = (uint8_t)(s->ecn > 0 ? s->ecn : 0),
        }};
        memcpy(g.sack, s->sack, sizeof g.sack);
        arrive(x, &g);
    }
}

static void state(struct exchange *x, const char *name, const char *value)
{
    const struct native_sender *tx = &x->end.tx;
    const struct {
        const char *name;
        int64_t is;
    } names[] = {{"cwnd", (int64_t)tx->window.cwnd},
                 {"ssthresh", (int64_t)tx->window.ssthresh},
                 {"rto-us", native_rtt_rto_ps(&tx->rtt) / PS_PER_US},
                 {"srtt-us", tx->rtt.srtt_8us / 8},
                 {"recovering", tx->recovery != NATIVE_NORMAL}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i].name) == 0) {
            char found[64];
            snprintf(found, sizeof found, "%" PRId64, names[i].is);
            if (names[i].is != number(x, value))
                fail(x, "the sender's state is another", found);
            return;
        }
    fail(x, "no such state", name);
}

static void at(struct exchange *x, char **words, int n)
{
    int64_t time_ps = x->begin_ps + seconds_ps(x, words[0]);
    const char *verb = words[1];
    bool out = strcmp(verb, ">") == 0;
    if (time_ps + 1 < native_scheduler_now(&x->scheduler)) /* 1: see below */
        fail(x, "time goes back", NULL);
    if (out && x->n_seen == x->n_sent) {
        native_scheduler_run(&x->scheduler, time_ps + 1); /* timers of that very time, too */
    } else if (!out && time_ps > native_scheduler_now(&x->scheduler)) {
        native_scheduler_run(&x->scheduler, time_ps);
        nothing_more(x);
    }
    if (out) {
        struct said s = parse(x, words + 2, n - 2);
        expect(x, time_ps, &s);
    } else if (strcmp(verb, "<") == 0) {
        nothing_more(x);
        struct said s = parse(x, words + 2, n - 2);
        receive(x, &s);
    } else if (strcmp(verb, "write") == 0 && n == 3) {
        native_endpoint_write(&x->end, (uint64_t)number(x, words[2]));
    } else if (strcmp(verb, "left") == 0 && n == 3) {
        native_endpoint_departed(&x->end, number(x, words[2]));
    } else if (strcmp(verb, "close") == 0) {
        native_endpoint_close(&x->end);
    } else if (strcmp(verb, "pause") == 0 || strcmp(verb, "resume") == 0) {
        native_endpoint_pause(&x->end, verb[0] == 'p');
    } else if (strcmp(verb, "quiet") == 0) {
        nothing_more(x);
    } else if (strcmp(verb, "=") == 0 && n == 4) {
        state(x, words[2], words[3]);
    } else {
        fail(x, "<, >, =, write, left, close, pause, resume or quiet is wanted", verb);
    }
}

static void perform(struct exchange *x, char **words, int n)
{
    if (n == 3 && strcmp(words[0], "set") == 0 && !x->begun) {
        set(x, words[1], words[2]);
    } else if (n == 2 && (strcmp(words[0], "connect") == 0 || strcmp(words[0], "accept") == 0) && !x->begun) {
        handshake(x, words[0][0] == 'c', seconds_ps(x, words[1]));
    } else if (n == 1 && strcmp(words[0], "open") == 0 && !x->begun) {
        begin(x);
        native_endpoint_connect(&x->end);
    } else if (n == 1 && strcmp(words[0], "listen") == 0 && !x->begun) {
        begin(x);
        native_endpoint_listen(&x->end);
    } else if (n >= 2 && x->begun) {
        at(x, words, n);
    } else {
        fail(x, "set KEY VALUE, connect RTT, accept RTT, open, listen, then TIME ... are wanted", words[0]);
    }
}

static void play(const char *file)
{
    FILE *f = fopen(file, "r");
    struct exchange *x = calloc(1, sizeof *x);
    if (!f || !x) {
        perror(file);
        exit(1);
    }
    x->file = file;
    x->config = (struct emu_tcp_config){.congestion = EMU_CONGESTION_NEWRENO,
                                        .send_buffer_bytes = 1000000, .receive_buffer_bytes = 65535,
                                        .initial_window_segments = 10, .segment_bytes = 1000, .delayed_ack = 2,
                                        .delayed_ack_timeout_ps = 40000 * PS_PER_US,
                                        .min_rto_ps = 200000 * PS_PER_US, .sack = true};
    native_scheduler_init(&x->scheduler);
    native_pool_init(&x->plain, sizeof(struct native_segment));
    native_pool_init(&x->sacked, sizeof(struct native_sacked_segment));
    char line[512];
    int performed = 0;
    while (fgets(line, sizeof line, f)) {
        x->line++;
        line[strcspn(line, "#\n")] = '\0';
        char *words[24], *rest = line;
        int n = 0;
        while (n < 24 && (words[n] = strtok_r(rest, " ", &rest)))
            n++;
        if (n > 0) {
            perform(x, words, n);
            performed++;
        }
    }
    fclose(f);
    nothing_more(x);
    if (!x->begun || performed < 3)
        fail(x, "the script does nothing", NULL);
    native_endpoint_fini(&x->end);
    native_scheduler_fini(&x->scheduler);
    native_pool_fini(&x->plain);
    native_pool_fini(&x->sacked);
    free(x);
}

int main(int argc, char **argv)
{
    int played = 0;
    for (int i = 1; i < argc; i++) {
        char pattern[4096];
        snprintf(pattern, sizeof pattern, "%s%s", argv[i], strstr(argv[i], ".exchange") ? "" : "/*.exchange");
        glob_t found;
        if (glob(pattern, 0, NULL, &found) != 0) {
            fprintf(stderr, "%s: no exchanges\n", argv[i]);
            return 1;
        }
        for (size_t k = 0; k < found.gl_pathc; k++, played++)
            play(found.gl_pathv[k]);
        globfree(&found);
    }
    printf("%d exchanges\n", played);
    return played > 0 ? 0 : 1;
}
