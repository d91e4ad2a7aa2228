/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes nobody chose, all the way from a capture file to flows, or, when they begin like no capture, as a program
 * of TCP segments: straight into analysis_flows_add(), so that mutations meet sequence numbers, not checks of file
 * headers. */
#include "analysis/rules/limit.h"
#include "test/fuzzing/captures.h"

#define INPUT_MAX 16384
#define CONNECTIONS 4 /* the last one talks to itself */
#define SEGMENTS_MAX 1000 /* single ones of a program; fewer than there may be holes: none is given up */

/* What flows.h promises whatever the capture holds. */
static void check_flow(const struct analysis_flow *f)
{
    MUST(f->payload_bytes >= 0 && f->seen_payload_bytes >= 0);
    MUST(f->missing_bytes >= 0 && f->missing_bytes <= f->payload_bytes);
    /* Every byte of the range was seen, is missing, or was a window probe's: each of these counts as a keep-alive. */
    MUST(f->payload_bytes - f->missing_bytes <= f->seen_payload_bytes + f->keepalives);
    MUST(f->data_packets > 0 && f->loss_events <= f->retransmitted_segments);
    MUST(f->reordered_segments <= f->data_packets);
    MUST(f->spurious_segments <= f->retransmitted_segments);
    MUST(f->start_s >= 0 && f->start_s <= f->end_s && isfinite(f->end_s));
    MUST(captures_amount(f->goodput_bps) && isnan(f->goodput_bps) == (f->start_s >= f->end_s));
    MUST(isnan(f->window_bytes) == (f->window_source == ANALYSIS_WINDOW_UNKNOWN));
    MUST(isnan(f->window_bytes) || (isfinite(f->window_bytes) && f->window_bytes > 0));
    MUST(isnan(f->advertised_bytes) || (f->advertised_bytes > 0 && f->advertised_bytes <= 65535 * 16384.0));
    MUST(isnan(f->steady_start_s) == isnan(f->steady_end_s));
    MUST(isnan(f->steady_start_s) == isnan(f->steady_goodput_bps.value));
    MUST(captures_amount(f->steady_goodput_bps.value) && captures_amount(f->steady_goodput_bps.ci95));
    MUST(isnan(f->steady_start_s) || (f->steady_start_s >= f->start_s && f->steady_start_s < f->steady_end_s &&
                                      f->steady_end_s <= f->end_s));
    MUST(f->steady_loss_events <= f->loss_events);
    MUST(!f->bins == (f->data_packets < 32));
    if (!f->bins)
        return;
    int64_t bytes = 0;
    MUST(f->bins->n > 0 && f->bins->n <= ANALYSIS_BINS_MAX && f->bins->first >= 0);
    for (uint32_t i = 0; i < f->bins->n; i++) {
        MUST(f->bins->bin[i].bytes >= 0 && f->bins->bin[i].window_sum >= 0);
        bytes += f->bins->bin[i].bytes;
    }
    MUST(bytes <= f->payload_bytes);
    double series[ANALYSIS_BINS_MAX];
    size_t n = analysis_bins_series(f->bins, 0, f->bins->n, series);
    for (size_t i = 0; i < n; i++)
        MUST(isfinite(series[i]) && series[i] >= 0);
}

/* What analysis/flows/round_trip.h and analysis/rules/limit.h promise. */
static void check_explained(const struct analysis_flows *f, size_t i, const struct analysis_flow *flow)
{
    static struct analysis_wait waits[ANALYSIS_LEG_SERIES_SLOTS];
    struct analysis_limit_phase phases[ANALYSIS_LIMIT_PHASES];
    struct analysis_round_trip_figures x;
    size_t n = analysis_limit_phases(flow, phases);
    for (size_t k = 0; k < n; k++)
        MUST(phases[k].start_s <= phases[k].end_s && (k == 0 || phases[k].start_s == phases[k - 1].end_s));
    if (!analysis_flows_explain(f, i, &x))
        return;
    for (int k = 0; k < ANALYSIS_LEGS; k++)
        MUST(captures_amount(x.wait_s[k]));
    for (int k = 0; k < 2; k++) {
        const struct compression *g = k ? &x.passed : &x.stamped;
        MUST(g->compressed >= 0 && g->compressed <= g->groups && g->groups <= INT32_MAX);
    }
    double share = analysis_flows_fast_acks(f, i);
    MUST(isnan(share) || (share >= 0 && share <= 1));
    size_t slots = analysis_flows_waits(f, i, waits);
    MUST(slots <= ANALYSIS_LEG_SERIES_SLOTS);
    for (size_t k = 0; k < slots; k++)
        MUST(captures_amount(waits[k].data_s) && captures_amount(waits[k].ack_s) && (k == 0 || waits[k].start_s > waits[k - 1].start_s));
    static struct analysis_wait runs[ANALYSIS_LEG_SERIES_SLOTS];
    size_t n_runs = analysis_flows_wait_runs(f, i, runs), at = 0;
    MUST(n_runs <= analysis_flows_wait_runs(f, i, NULL) || n_runs == 0);
    for (size_t r = 0; r < n_runs; r++) /* they are these slots, of which those without a sample are as the one before */
        for (uint32_t k = 0; k < runs[r].slots; k++, at++) {
            const double start_s = analysis_wait_start_s(&runs[r], k);
            MUST(at < slots && memcmp(&start_s, &waits[at].start_s, sizeof start_s) == 0 &&
                 memcmp(runs[r].leg_s, waits[at].leg_s, sizeof runs[r].leg_s) == 0 &&
                 memcmp(runs[r].loop_s, waits[at].loop_s, sizeof runs[r].loop_s) == 0);
        }
    MUST(at == slots);
    struct analysis_pause *pauses = analysis_flows_pauses(f, i, &n);
    for (size_t k = 0; k < n; k++)
        MUST(pauses[k].pause_ns > 0 && (k == 0 || pauses[k].after_bytes > pauses[k - 1].after_bytes));
    free(pauses);
}

static void check_flows(const struct analysis_flows *f)
{
    struct analysis_flow flow;
    char text[ANALYSIS_ENDPOINT_TEXT];
    for (size_t i = 0; i < analysis_flows_slots(f); i++) {
        if (!analysis_flows_get(f, i, &flow))
            continue;
        check_flow(&flow);
        check_explained(f, i, &flow);
        analysis_flows_endpoint(&flow.src, flow.src_port, text);
        MUST(strlen(text) > 2);
    }
}

static struct analysis_flows *new_flows(void)
{
    struct analysis_flows *f = analysis_flows_new();
    MUST(f != NULL);
    analysis_flows_keep_explanations(f);
    analysis_flows_keep_packets(f);
    return f;
}

static void read_as_file(const uint8_t *data, size_t size)
{
    char path[CAPTURES_PATH];
    int fd = captures_file(data, size, path);
    struct error err = {0};
    struct analysis_capture c;
    struct analysis_flows *f = new_flows();
    bool ok = analysis_flows_read(f, path, NULL, NULL, &c, &err);
    MUST(ok || err.code != ERROR_NONE);
    MUST(c.tcp_segments + c.other_frames + c.short_frames + c.malformed_frames == c.frames);
    int64_t span;
    MUST(!__builtin_sub_overflow(c.last_ns, c.first_ns, &span));
    check_flows(f); /* what a file that fails half-way left is sound too */
    analysis_flows_free(f);
    close(fd);
}

struct range {
    int64_t start, end;
};

struct program {
    const uint8_t *at, *end;
    struct analysis_flows *flows;
    int64_t now_ns;
    int segments, bursts;
    bool plain; /* only data and ACKs so far, all near each other: what the flows must say is known exactly */
    struct {
        uint32_t base, next;     /* next: where data of this direction goes on */
        int64_t reached;         /* next, unwrapped */
        struct range sent[SEGMENTS_MAX];
        size_t n;
        uint16_t ip_id, window;
        bool no_timestamps, no_ip_id;
    } side[CONNECTIONS][2];
    struct capture_segment last;
};

static uint8_t next_byte(struct program *p)
{
    return p->at < p->end ? *p->at++ : 0;
}

static uint32_t next_word(struct program *p)
{
    uint32_t word = next_byte(p);
    for (int i = 0; i < 3; i++)
        word = word << 8 | next_byte(p);
    return word;
}

static void wait_ns(struct program *p, int64_t ns)
{
    p->now_ns = (int64_t)((uint64_t)p->now_ns + (uint64_t)ns); /* from any time whatever: may wrap */
}

static struct capture_segment blank(struct program *p, int c, int from)
{
    static const struct capture_address v4[] = {{{10, 0, 0, 1}, 4}, {{10, 0, 0, 2}, 4}};
    static const struct capture_address v6[] = {{{0x20, 1, 0xd, 0xb8, 1}, 6}, {{0x20, 1, 0xd, 0xb8, 2}, 6}};
    const struct capture_address *a = c == 1 ? v6 : v4;
    bool self = c == CONNECTIONS - 1;
    uint16_t id = p->side[c][from].no_ip_id ? 0 : ++p->side[c][from].ip_id;
    return (struct capture_segment){
        .src = a[self ? 0 : from], .dst = a[self ? 0 : !from],
        .src_port = self || from == 0 ? 1000 : 2000, .dst_port = self || from == 1 ? 1000 : 2000,
        .tag = c == 2 ? 5 : 0, .seq = p->side[c][from].next, .ack = p->side[c][!from].next,
        .window = p->side[c][from].window, .ip_id = id, .flags = CAPTURE_TCP_ACK,
        .has_timestamps = !p->side[c][from].no_timestamps,
        .tsval = (uint32_t)(p->now_ns / 1000000), .tsecr = (uint32_t)(p->now_ns / 1000000) - 20,
    };
}

static void add(struct program *p, const struct capture_segment *s)
{
    analysis_flows_add(p->flows, p->now_ns, s);
    p->last = *s;
}

/* Data `offset` bytes from where the direction stopped; 0 goes on. */
static void add_data(struct program *p, int c, int from, int64_t offset, uint32_t bytes)
{
    struct capture_segment s = blank(p, c, from);
    s.seq += (uint32_t)offset;
    s.payload_bytes = bytes;
    int64_t start = p->side[c][from].reached + offset, end = start + bytes;
    if (p->side[c][from].n < SEGMENTS_MAX && bytes > 0)
        p->side[c][from].sent[p->side[c][from].n++] = (struct range){start, end};
    if (end > p->side[c][from].reached) {
        p->side[c][from].next = s.seq + bytes;
        p->side[c][from].reached = end;
    }
    add(p, &s);
}

/* Alternate ones of 1200 segments: more holes than are kept. */
static void add_holes(struct program *p, int c, int from, uint8_t step)
{
    if (p->bursts++ >= 2)
        return; /* or programs of nothing else would slow the fuzzer down */
    for (int i = 0; i < 1200; i++) {
        wait_ns(p, step * INT64_C(10000));
        add_data(p, c, from, 100, 100);
    }
    for (int i = 0; i < 100; i++)
        add_data(p, c, from, -(int64_t)(1 + step) * 200 * (i + 1), 150);
}

static void add_wild(struct program *p, int c, int from)
{
    struct capture_segment s = blank(p, c, from);
    s.seq = next_word(p);
    s.ack = next_word(p);
    s.payload_bytes = next_word(p);
    s.tsval = next_word(p);
    s.tsecr = next_word(p);
    s.flags = next_byte(p) & 0x1f;
    add(p, &s);
}

static void add_control(struct program *p, int c, int from, uint8_t flags)
{
    struct capture_segment s = blank(p, c, from);
    uint8_t how = next_byte(p);
    s.flags = flags;
    if (flags & CAPTURE_TCP_SYN) {
        s.has_window_scale = how & 1;
        s.window_scale = (how >> 1) % 15;
        s.has_mss = how & 0x80;
        s.mss = (uint16_t)(next_byte(p) * 8);
        s.payload_bytes = how & 0x40 ? next_byte(p) : 0; /* TCP Fast Open */
        p->side[c][from].next = s.seq + 1 + s.payload_bytes;
        p->side[c][from].reached += 1 + s.payload_bytes;
    }
    add(p, &s);
}

static void add_ack(struct program *p, int c, int from, bool sacks)
{
    struct capture_segment s = blank(p, c, from);
    int8_t back = (int8_t)next_byte(p);
    s.ack -= (uint32_t)(back * 64);
    for (int i = sacks ? next_byte(p) % 5 : 0; i > 0; i--) {
        uint32_t start = s.ack + next_byte(p) * 64u;
        s.sack[s.n_sack++] = (struct capture_sack){start, start + next_byte(p) * 64u};
    }
    add(p, &s);
}

static void step(struct program *p)
{
    static const int64_t units[] = {1000, 1000000, 100000000, INT64_C(100000000000)};
    uint8_t op = next_byte(p);
    int c = op & 3, from = op >> 2 & 1;
    p->segments++;
    switch (op >> 3 & 15) {
    case 0: case 1: case 2:
        wait_ns(p, next_byte(p) * INT64_C(20000));
        add_data(p, c, from, 0, 1u + next_byte(p) * 8u);
        break;
    case 3: case 4: {
        int64_t offset = (int8_t)next_byte(p);
        add_data(p, c, from, offset * (op & 0x80 ? 1 : 97), 1u + next_byte(p));
        break;
    }
    case 5: case 6:
        add_ack(p, c, from, op & 0x80);
        break;
    case 7:
        p->plain = false;
        add_control(p, c, from, CAPTURE_TCP_SYN);
        break;
    case 8:
        p->plain = false;
        add_control(p, c, from, CAPTURE_TCP_SYN | CAPTURE_TCP_ACK);
        break;
    case 9:
        p->plain = false;
        add_control(p, c, from, op & 0x80 ? CAPTURE_TCP_RST : CAPTURE_TCP_FIN | CAPTURE_TCP_ACK);
        break;
    case 10:
        add(p, &p->last);
        break;
    case 11: case 12: {
        int64_t unit = units[next_byte(p) & 3];
        wait_ns(p, (int8_t)next_byte(p) * unit);
        break;
    }
    case 13:
        p->side[c][from].window = (uint16_t)(next_byte(p) * 257);
        p->side[c][from].no_timestamps = op & 0x80;
        p->side[c][from].no_ip_id = next_byte(p) & 1;
        break;
    case 14:
        p->plain = false;
        add_wild(p, c, from);
        break;
    default:
        p->plain = false;
        if (op & 0x80)
            add_holes(p, c, from, next_byte(p));
        else
            p->now_ns = (int64_t)((uint64_t)next_word(p) << 32 | next_word(p));
        break;
    }
}

static int by_start(const void *a, const void *b)
{
    const struct range *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

/* A direction without SYN, RST and leaps: its payload is the range of its data, missing what none of them covered. */
static void check_exactly(struct program *p, const struct analysis_flow *flow, int c, int from)
{
    struct range *sent = p->side[c][from].sent;
    size_t n = p->side[c][from].n;
    MUST(n > 0);
    qsort(sent, n, sizeof *sent, by_start);
    int64_t end = sent[0].start, covered = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t fresh = sent[i].end - (sent[i].start > end ? sent[i].start : end);
        covered += fresh > 0 ? fresh : 0;
        end = sent[i].end > end ? sent[i].end : end;
    }
    if (flow->keepalives > 0)
        return; /* data of one byte that were taken for no data */
    MUST(flow->payload_bytes == end - sent[0].start);
    MUST(flow->payload_bytes - flow->missing_bytes == covered);
}

static void run_program(const uint8_t *data, size_t size)
{
    static const uint32_t bases[] = {0, 1, 0x7ffffff0, 0x80000000, 0xfffffff0, 0xffffffff, 12345, 0xffff0000};
    static struct program program; /* large, and few bytes of it need be cleared */
    struct program *p = &program;
    p->at = data;
    p->end = data + size;
    p->flows = new_flows();
    p->now_ns = next_byte(p) & 1 ? 0 : INT64_C(1700000000000000000);
    p->segments = p->bursts = 0;
    p->plain = true;
    for (int i = 0; i < 2 * CONNECTIONS; i++) {
        p->side[i / 2][i % 2].next = bases[next_byte(p) & 7];
        p->side[i / 2][i % 2].reached = 0;
        p->side[i / 2][i % 2].n = 0;
        p->side[i / 2][i % 2].ip_id = 0;
        p->side[i / 2][i % 2].window = 60000;
        p->side[i / 2][i % 2].no_timestamps = p->side[i / 2][i % 2].no_ip_id = false;
    }
    p->last = blank(p, 0, 0);
    while (p->at < p->end && p->segments < SEGMENTS_MAX)
        step(p);
    check_flows(p->flows);
    struct analysis_flow flow;
    for (size_t i = 0; p->plain && i < analysis_flows_slots(p->flows); i++) {
        if (!analysis_flows_get(p->flows, i, &flow) || flow.src_port == flow.dst_port)
            continue;
        check_exactly(p, &flow, flow.src.family == 6 ? 1 : flow.tag ? 2 : 0, flow.src_port == 2000);
    }
    analysis_flows_free(p->flows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t magic[][2] = {{0xa1, 0xb2}, {0xd4, 0xc3}, {0x4d, 0x3c},
                                       {0x34, 0xcd}, {0x0a, 0x0d}, {0x1f, 0x8b}};
    bool file = false;
    if (size > INPUT_MAX)
        return 0;
    for (size_t i = 0; i < sizeof magic / sizeof *magic; i++)
        file = file || (size > 2 && memcmp(data, magic[i], 2) == 0);
    if (file)
        read_as_file(data, size);
    else
        run_program(data, size);
    return 0;
}
