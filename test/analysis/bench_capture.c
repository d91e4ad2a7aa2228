/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How fast is the whole analysis, and how large does it grow, on one CPU and on two, against a bare loop over libpcap and
 * against tcptrace and tshark where they are installed? On captures made here: 4 flows, 100,000 flows, everything out of
 * order. Likewise what explain, check and report keep of them.
 * Every measurement is a process of its own, on a file that is in the page cache.
 * usage: bench_capture [PACKETS]. `meson test --benchmark` runs it; it judges nothing. */
#include "analysis/flows/flows.h"
#include "base/random.h"
#include "capture/writer.h"

#include <pcap/pcap.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#define ROUNDS 5
#define FRAME_BYTES 96
#define SHUFFLED 64      /* packets put out of order together */
#define TSHARK_SHARE 10  /* tshark gets a tenth of the packets: it would take minutes */

struct capture_case {
    const char *name;
    uint32_t flows;
    bool reordered;
    double asked;          /* million packets/s on two CPUs */
    double asked_tcptrace; /* times as fast */
};

static const struct capture_case cases[] = {
    {"4 flows", 4, false, 16, 2},
    {"100000 flows", 100000, false, 16, 2},
    {"4 flows out of order", 4, true, 16, 4},
};

struct measured {
    double seconds;   /* negative when it failed or is not installed */
    double processor; /* seconds of all CPUs: what other load does not lengthen as much */
    long peak_kb;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void put(uint8_t *p, uint32_t value, int bytes)
{
    for (int i = bytes; i-- > 0; value >>= 8)
        p[i] = (uint8_t)value;
}

struct frame {
    uint8_t bytes[FRAME_BYTES];
    uint32_t captured, wire;
};

/* Ethernet, IPv4 and TCP with timestamps: a segment of 1448 bytes, or the ACK of everything so far. */
static void make_frame(struct frame *f, uint32_t flow, uint32_t segments, bool ack, int64_t time_ns)
{
    uint32_t payload = ack ? 0 : 1448, seq = segments * 1448;
    uint32_t ends[2] = {0x0a000001u + flow / 20000, 0x0a010001u}, ports[2] = {40000 + flow % 20000, 5001};
    memset(f, 0, sizeof *f);
    put(f->bytes + 12, 0x0800, 2);
    uint8_t *ip = f->bytes + 14, *tcp = ip + 20;
    ip[0] = 0x45;
    put(ip + 2, 52 + payload, 2);
    put(ip + 4, segments + 1, 2);
    ip[8] = 64;
    ip[9] = 6;
    put(ip + 12, ends[ack], 4);
    put(ip + 16, ends[!ack], 4);
    put(tcp, ports[ack], 2);
    put(tcp + 2, ports[!ack], 2);
    put(tcp + 4, ack ? 1 : seq, 4);
    put(tcp + 8, ack ? seq : 1, 4);
    tcp[12] = 0x80;
    tcp[13] = 0x10;
    put(tcp + 14, 60000, 2);
    put(tcp + 20, 0x0101080a, 4);
    put(tcp + 24, (uint32_t)(time_ns / 1000000), 4);
    put(tcp + 28, (uint32_t)(time_ns / 1000000) - 5, 4);
    f->wire = 66 + payload;
    f->captured = ack ? 66 : FRAME_BYTES;
}

/* Two data segments and their ACK of one flow, then of another picked at random. */
static bool write_capture(const char *path, const struct capture_case *k, long packets, struct error *err)
{
    struct capture_writer_config config = {.format = CAPTURE_FORMAT_PCAP, .snaplen = FRAME_BYTES};
    struct capture_writer *w = capture_writer_open(path, &config, err);
    uint32_t *segments = calloc(k->flows, sizeof *segments), flow = 0;
    static struct frame frames[SHUFFLED];
    struct random r = random_of(1);
    bool ok = w && segments;
    int64_t time_ns = INT64_C(1700000000000000000);
    for (long i = 0; ok && i < packets; i += SHUFFLED) {
        long n = packets - i < SHUFFLED ? packets - i : SHUFFLED;
        for (long j = 0; j < n; j++) {
            if ((i + j) % 3 == 0)
                flow = (uint32_t)random_below(&r, k->flows);
            bool ack = (i + j) % 3 == 2;
            make_frame(&frames[j], flow, segments[flow], ack, time_ns + j * 10000);
            segments[flow] += !ack;
        }
        for (long j = n; k->reordered && j > 1; j--) {
            long other = (long)random_below(&r, (uint64_t)j);
            struct frame swap = frames[j - 1];
            frames[j - 1] = frames[other];
            frames[other] = swap;
        }
        for (long j = 0; ok && j < n; j++, time_ns += 10000)
            ok = capture_writer_write(w, time_ns, frames[j].bytes, frames[j].captured, frames[j].wire,
                                      CAPTURE_DIRECTION_UNKNOWN, err);
    }
    free(segments);
    if (w && !ok)
        capture_writer_discard(w);
    return ok && capture_writer_close(w, err);
}

static bool bare_loop(const char *path)
{
    char said[PCAP_ERRBUF_SIZE];
    struct pcap_pkthdr *header;
    const u_char *bytes;
    long packets = 0;
    pcap_t *p = pcap_open_offline(path, said);
    while (p && pcap_next_ex(p, &header, &bytes) == 1)
        packets++;
    if (p)
        pcap_close(p);
    return packets > 0;
}

static bool analysis(const char *path, bool explains)
{
    struct error err;
    struct analysis_capture capture;
    struct analysis_flow flow;
    struct analysis_flows *f = analysis_flows_new();
    if (explains)
        analysis_flows_keep_explanations(f);
    bool ok = f && analysis_flows_read(f, path, NULL, NULL, &capture, &err);
    for (size_t i = 0; ok && i < analysis_flows_slots(f); i++)
        analysis_flows_get(f, i, &flow);
    analysis_flows_free(f);
    return ok;
}

/* One of those this process may run on. */
static bool keep_to_one_cpu(void)
{
    cpu_set_t all, one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return false;
    for (size_t i = 0; CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
}

static bool analysis_on_one(const char *path)
{
    return keep_to_one_cpu() && analysis(path, false);
}

static bool analysis_on_all(const char *path)
{
    return analysis(path, false);
}

static bool explanations_on_one(const char *path)
{
    return keep_to_one_cpu() && analysis(path, true);
}

static bool explanations_on_all(const char *path)
{
    return analysis(path, true);
}

static bool shell(const char *command, const char *path)
{
    char line[256];
    snprintf(line, sizeof line, "exec timeout 120 %s %s >/dev/null 2>&1", command, path);
    execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    return false;
}

static bool tcptrace(const char *path)
{
    return shell("tcptrace -n -l", path);
}

static bool tshark(const char *path)
{
    return shell("tshark -n -q -z conv,tcp -r", path);
}

/* The best of `rounds`: other load on the machine only adds. */
static struct measured measure(bool (*work)(const char *path), const char *path, int rounds)
{
    struct measured best = {.seconds = -1};
    for (int i = 0; i < rounds; i++) {
        fflush(stdout);
        double start = now();
        pid_t child = fork();
        if (child == 0)
            _exit(work(path) ? 0 : 1);
        int status;
        struct rusage usage;
        if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0)
            return (struct measured){.seconds = -1};
        double seconds = now() - start;
        best.seconds = best.seconds < 0 || seconds < best.seconds ? seconds : best.seconds;
        best.processor = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
        best.peak_kb = usage.ru_maxrss > best.peak_kb ? usage.ru_maxrss : best.peak_kb;
    }
    return best;
}

static void say_peer(const char *name, struct measured peer, long packets, double ours, double asked)
{
    if (peer.seconds < 0)
        printf("  %-24s not installed, or did not end well within 2 minutes\n", name);
    else
        printf("  %-24s %8.3f million packets/s, %5.1f MB; ours on one CPU is %.1f times as fast (asked %.0f)\n", name,
               (double)packets / peer.seconds * 1e-6, (double)peer.peak_kb / 1000,
               ours / ((double)packets / peer.seconds * 1e-6), asked);
}

/* In a process of its own, so that this one, whose memory every measurement starts from, stays small. */
static bool generate(const char *path, const struct capture_case *k, long packets)
{
    fflush(stdout);
    pid_t child = fork();
    struct error err = {.message = "out of memory"};
    if (child == 0) {
        bool ok = write_capture(path, k, packets, &err);
        if (!ok)
            fprintf(stderr, "bench_capture: %s\n", err.message);
        _exit(ok ? 0 : 1);
    }
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

enum { BARE, ONE, ALL, EXPLAINS_ONE, EXPLAINS_ALL, WORKS };

static const struct {
    const char *name;
    bool (*work)(const char *path);
} works[WORKS] = {
    [BARE] = {"bare pcap_next_ex loop", bare_loop},
    [ONE] = {"analysis, one CPU", analysis_on_one},
    [ALL] = {"analysis, all CPUs", analysis_on_all},
    [EXPLAINS_ONE] = {"with explanations, one", explanations_on_one},
    [EXPLAINS_ALL] = {"with explanations, all", explanations_on_all},
};

static bool run(const char *path, const struct capture_case *k, long packets)
{
    if (!generate(path, k, packets))
        return false;
    struct measured best[WORKS];
    for (int i = 0; i < ROUNDS; i++) /* in turn: load that comes and goes hits all */
        for (int w = 0; w < WORKS; w++) {
            struct measured m = measure(works[w].work, path, 1);
            if (m.seconds < 0)
                return false;
            double processor = i == 0 || m.processor < best[w].processor ? m.processor : best[w].processor;
            if (i == 0 || m.seconds < best[w].seconds)
                best[w] = m;
            best[w].processor = processor;
        }
    printf("%s, %ld packets (asked of all CPUs: %.0f million/s, the bare loop's time, %.1f MB; of explanations 1.3 times "
           "the analysis')\n", k->name, packets, k->asked, 32 + k->flows * 1e-3);
    for (int w = 0; w < WORKS; w++)
        printf("  %-24s %8.3f million packets/s, %5.1f MB, %5.2f times the bare loop's time, %5.2f times the "
               "analysis'; %4.0f ns of processor a packet\n", works[w].name, (double)packets / best[w].seconds * 1e-6,
               (double)best[w].peak_kb / 1000, best[w].seconds / best[BARE].seconds,
               best[w].seconds / best[w == EXPLAINS_ONE ? ONE : ALL].seconds,
               best[w].processor / (double)packets * 1e9);
    double ours = (double)packets / best[ONE].seconds * 1e-6; /* as they run */
    say_peer("tcptrace -l", measure(tcptrace, path, 1), packets, ours, k->asked_tcptrace);
    if (!generate(path, k, packets / TSHARK_SHARE))
        return false;
    say_peer("tshark conv, a tenth", measure(tshark, path, 1), packets / TSHARK_SHARE, ours, 50);
    return true;
}

int main(int argc, char **argv)
{
    long packets = argc > 1 ? atol(argv[1]) : 2000000;
    char path[] = "/tmp/contraflow-bench-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0 || packets < TSHARK_SHARE) {
        fputs("bench_capture: no temporary file, or too few packets\n", stderr);
        return 1;
    }
    close(fd);
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof cases / sizeof *cases; i++)
        ok = run(path, &cases[i], packets);
    unlink(path);
    return ok ? 0 : 1;
}
