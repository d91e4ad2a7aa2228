/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a capture says is the same, to the last bit, whether one CPU reads and analyses it or two do: of random captures,
 * sound and cut, plain and gzip. */
#include "analysis/flows/flows.h"
#include "base/random.h"
#include "capture/writer.h"
#include "test/capture/files.h"
#include "test/cm.h"

#include <sched.h>

enum { ROUNDS = 10, FRAMES = 40000, MOST_FLOWS = 3000, MOST_BYTES = 160 };

struct peer {
    uint32_t seq, ack, sent; /* of the end that sends data; sent: segments */
};

static void put(uint8_t *p, uint32_t value, int bytes)
{
    for (int i = bytes; i-- > 0; value >>= 8)
        p[i] = (uint8_t)value;
}

/* Options of 20 bytes: timestamps, then a SACK block or an MSS and a window scale, as far as they have room. */
static uint32_t put_options(uint8_t *p, struct random *r, bool syn, uint32_t ack, uint32_t stamp)
{
    put(p, 0x0101080a, 4);
    put(p + 4, stamp, 4);
    put(p + 8, stamp - (uint32_t)random_below(r, 20), 4);
    if (syn) {
        put(p + 12, 0x020405b4, 4);
        put(p + 16, 0x01030307, 4);
        return 20;
    }
    if (random_below(r, 30) != 0)
        return 12;
    put(p + 12, 0x0101050a, 4);
    put(p + 16, ack + 1448 * (uint32_t)random_below(r, 4), 4);
    put(p + 20, ack + 1448 * (uint32_t)(4 + random_below(r, 4)), 4);
    return 24;
}

/* A frame of one of the flows; *wire bytes long, of which it returns those there are. */
static uint32_t make_frame(uint8_t *b, struct random *r, struct peer *peers, uint32_t flow, uint32_t stamp,
                           uint32_t *wire)
{
    struct peer *peer = &peers[flow];
    uint64_t what = random_below(r, 100);
    bool ack = random_below(r, 3) == 0, syn = peer->sent == 0 || what == 0, udp = what == 1;
    uint32_t payload = ack || syn ? 0 : what < 20 ? (uint32_t)random_below(r, 1448) : 1448;
    uint8_t *ip = b + 14, *tcp = ip + 20;
    memset(b, 0, MOST_BYTES);
    put(b + 12, what == 2 ? 0x8808 : 0x0800, 2);
    put(b + 14, what == 2 ? 0x0001ffff : 0, 4); /* PAUSE */
    uint32_t again = what < 6 ? 1448 * (uint32_t)random_below(r, 5) : 0, ends[2] = {0x0a000001 + flow % 90, 0x0a010001};
    if (what != 2) {
        uint32_t options = put_options(tcp + 20, r, syn, peer->ack, stamp);
        put(ip, 0x45000000 + 40 + options + payload, 4);
        put(ip + 4, random_below(r, 4) ? (uint32_t)random_below(r, 65536) : 0, 2);
        put(ip + 8, udp ? 0x40110000 : 0x40060000, 4);
        put(ip + 12, ends[ack], 4);
        put(ip + 16, ends[!ack], 4);
        put(tcp, ack ? 5001 : 1024 + flow, 2);
        put(tcp + 2, ack ? 1024 + flow : 5001, 2);
        put(tcp + 4, ack ? 1 : peer->seq - again, 4);
        put(tcp + 8, ack ? peer->ack : 1, 4);
        tcp[12] = (uint8_t)((20 + options) / 4 << 4);
        tcp[13] = (uint8_t)((syn ? 2 : 16) | (what == 7 && random_below(r, 20) == 0 ? 4 : 0) | (what == 8 ? 1 : 0));
        put(tcp + 14, (uint32_t)random_below(r, 3) * 20000, 2);
    }
    *wire = 66 + payload;
    peer->ack = ack || random_below(r, 10) == 0 ? peer->seq : peer->ack;
    peer->seq += syn ? 1 : again == 0 ? payload : 0;
    if (what > 95) /* lost before the tap */
        peer->seq += 1448;
    peer->sent++;
    return *wire < MOST_BYTES ? *wire : what == 9 ? 40 : MOST_BYTES;
}

/* Into files_path("a"), which it returns. */
static const char *make_capture(struct random *r, int frames)
{
    struct error err;
    struct capture_writer_config config = {
        .format = random_below(r, 2) ? CAPTURE_FORMAT_PCAP : CAPTURE_FORMAT_PCAPNG, .snaplen = MOST_BYTES,
        .link_rate_bps = INT64_C(1000000000)};
    struct capture_writer *w = capture_writer_open(files_path("a"), &config, &err);
    struct peer *peers = memory_zeroed(MOST_FLOWS, sizeof *peers, "flows");
    uint32_t flows = 1 + (uint32_t)random_below(r, random_below(r, 2) ? 5 : MOST_FLOWS), flow = 0;
    int64_t time_ns = INT64_C(1700000000000000000);
    assert_non_null(w);
    for (int i = 0; i < frames; i++) {
        uint8_t bytes[MOST_BYTES];
        uint32_t wire;
        flow = random_below(r, 3) ? flow : (uint32_t)random_below(r, flows);
        uint32_t n = make_frame(bytes, r, peers, flow, (uint32_t)(time_ns / 1000000), &wire);
        assert_true(capture_writer_write(w, time_ns, bytes, n, wire, CAPTURE_DIRECTION_UNKNOWN, &err));
        time_ns += (int64_t)random_below(r, random_below(r, 50) ? 20000 : 20000000);
        time_ns -= random_below(r, 5000) ? 0 : 3000000;
    }
    free(peers);
    assert_true(capture_writer_close(w, &err));
    return files_path("a");
}

/* Cut somewhere, or gzip'ed, or both, or neither. Returns the path. */
static const char *spoil(struct random *r)
{
    static uint8_t bytes[FRAMES * (MOST_BYTES + 64)];
    long n = files_read("a", bytes, sizeof bytes);
    assert_true(n > 0 && (size_t)n < sizeof bytes);
    if (random_below(r, 2))
        n -= (long)random_below(r, (uint64_t)n / 4);
    return random_below(r, 2) ? files_write_gzip("b", bytes, (size_t)n) : files_write("b", bytes, (size_t)n);
}

static void say_doubles(FILE *f, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fprintf(f, " %a", x[i]);
}

static void say_flow(FILE *f, const struct analysis_flows *flows, size_t i)
{
    struct analysis_flow x;
    struct analysis_round_trip_figures trip;
    struct analysis_clocking_figures clocking;
    char src[ANALYSIS_ENDPOINT_TEXT];
    if (!analysis_flows_get(flows, i, &x))
        return;
    analysis_flows_endpoint(&x.src, x.src_port, src);
    fprintf(f, "%zu %s %" PRId64 " %" PRId64 " %" PRId64, i, src, x.payload_bytes, x.seen_payload_bytes,
            x.missing_bytes);
    const uint32_t counts[] = {x.data_packets, x.retransmitted_segments, x.loss_events, x.reordered_segments,
                               x.spurious_segments, x.overtaken_segments, x.network_duplicates, x.ambiguous_segments,
                               x.duplicate_frames, x.keepalives};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        fprintf(f, " %" PRIu32, counts[k]);
    say_doubles(f, (const double[]){x.start_s, x.end_s, x.steady_goodput_bps.value, x.window_bytes, x.rtt_floor_s}, 5);
    for (size_t k = 0; x.bins && k < x.bins->n; k++)
        fprintf(f, " %" PRId64, x.bins->bin[k].bytes);
    if (analysis_flows_explain(flows, i, &trip)) {
        say_doubles(f, trip.wait_s, ANALYSIS_LEGS);
        say_doubles(f, (const double[]){trip.floor_s, trip.hold_s, trip.loop_least_s[0], trip.loop_least_s[1]}, 4);
    }
    if (analysis_flows_clocking(flows, i, 0, 1e9, &clocking))
        say_doubles(f, (const double[]){clocking.flight_bytes, clocking.jitter, clocking.tight_share}, 3);
    const struct analysis_capacity_host *host = analysis_flows_capacity(flows, &x.src, x.tag);
    if (host) {
        double share, bps = analysis_capacity_bps(&host->out, &share);
        struct analysis_spacing_figures spacing;
        analysis_spacing_get(&host->in.spacing, &spacing);
        say_doubles(f, (const double[]){bps, share, host->out.other_bytes, host->in.train_bps, spacing.run_s}, 5);
    }
    fputc('\n', f);
}

/* All that the capture says, as text. */
static char *whole(const char *path, bool explains, int64_t *frames)
{
    struct analysis_capture c;
    struct error err = {0};
    struct analysis_flows *flows = analysis_flows_new();
    char *text;
    size_t size;
    FILE *f = memory_stream(&text, &size);
    if (explains)
        analysis_flows_keep_explanations(flows);
    bool ok = analysis_flows_read(flows, path, NULL, NULL, &c, &err);
    *frames = c.frames;
    fprintf(f, "%d %s %d %s %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %a\n", ok,
            ok ? "" : err.message, c.truncated, c.truncated ? c.stopped.message : "", c.frames, c.tcp_segments,
            c.other_frames, c.short_frames, c.steps_back, c.last_ns, analysis_flows_paused(flows));
    for (size_t i = 0; i < analysis_flows_slots(flows); i++)
        say_flow(f, flows, i);
    analysis_flows_free(flows);
    memory_stream_end(f, &text);
    return text;
}

TEST(test_two_cpus_say_what_one_says)
{
    cpu_set_t all, one;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    if (CPU_COUNT(&all) < 2) {
        print_message("one CPU: nothing to compare\n");
        skip();
    }
    CPU_ZERO(&one);
    for (size_t i = 0; CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    struct random r = random_of(1);
    for (int i = 0; i < ROUNDS; i++) {
        make_capture(&r, i == 0 ? 20 : FRAMES / 2 + (int)random_below(&r, FRAMES / 2));
        const char *path = spoil(&r);
        for (int explains = 0; explains < 2; explains++) {
            int64_t frames[2];
            assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
            MEMORY_LOCAL char *alone = whole(path, explains, &frames[0]);
            assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
            MEMORY_LOCAL char *together = whole(path, explains, &frames[1]);
            assert_string_equal(alone, together);
            assert_true(i == 0 || frames[0] > 10000);
        }
    }
}

static size_t told;

static void tells(const void *user, int64_t bytes_read, int64_t file_bytes)
{
    told++;
    assert_in_range(bytes_read, 1, file_bytes);
}

/* Frames that come together of several queues step back by less than a millisecond: no clock was set. Once in 65,536 frames
 * somebody is told, who wants to be. */
TEST(test_steps_of_a_clock_are_counted)
{
    static const struct { int64_t step_us[6], back, largest_us; } rows[] = {
        {{10000, -999, 500, -1, 0, 10}, 0, 0}, {{10000, -1000, 5000, -3000, -999, -2000}, 3, 3000}, {{-1000, -5000, -1500, 0, 0, 0}, 3, 5000}};
    const uint8_t bytes[60] = {0};
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        const bool many = i % 2;
        struct capture_writer *w = capture_writer_open(files_path("a"), &(struct capture_writer_config){.snaplen = 60}, &err);
        int64_t time_ns = INT64_C(1700000000000000000);
        assert_non_null(w);
        for (int k = 0; k < (many ? 65536 : 7); k++) {
            assert_true(capture_writer_write(w, time_ns, bytes, 60, 60, CAPTURE_DIRECTION_UNKNOWN, &err));
            time_ns += k < 6 ? rows[i / 2].step_us[k] * 1000 : 0;
        }
        assert_true(capture_writer_close(w, &err));
        for (int progress = 0; progress < 2; progress++) {
            struct analysis_source source;
            struct analysis_capture capture;
            struct capture_segment s;
            told = 0;
            assert_true(analysis_source_open(&source, files_path("a"), progress ? tells : NULL, NULL, &capture, &err));
            assert_int_equal(analysis_source_next(&source, &time_ns, &s, &err), 0);
            analysis_source_close(&source);
            assert_ints({capture.frames, many ? 65536 : 7}, {capture.steps_back, rows[i / 2].back},
                        {capture.largest_step_ns, rows[i / 2].largest_us * 1000}, {told, progress && many}, {capture.other_frames, capture.frames});
        }
    }
}

CM_GROUP(files_setup, files_teardown)
