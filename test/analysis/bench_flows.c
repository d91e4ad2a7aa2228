/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much slower than a bare loop over libpcap is the whole analysis, on the same file in the same run?
 * usage: bench_flows [PACKETS]. `meson test --benchmark` runs it; it judges nothing. */
#include "analysis/flows.h"
#include "capture/writer.h"

#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FLOWS 4
#define ROUNDS 5

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

/* Ethernet, IPv4 and TCP with timestamps: two data segments of 1448 bytes each way round, then an ACK. */
static uint32_t make_frame(uint8_t frame[static 66], long i)
{
    static uint32_t seq[FLOWS];
    int flow = (int)(i / 3 % FLOWS);
    bool ack = i % 3 == 2;
    uint32_t payload = ack ? 0 : 1448;
    memset(frame, 0, 66);
    put(frame + 12, 0x0800, 2);
    uint8_t *ip = frame + 14, *tcp = ip + 20;
    ip[0] = 0x45;
    put(ip + 2, 52 + payload, 2);
    put(ip + 4, (uint32_t)i, 2);
    ip[9] = 6;
    put(ip + 12, 0x0a000001u + (ack ? 1 : 0), 4);
    put(ip + 16, 0x0a000002u - (ack ? 1 : 0), 4);
    put(tcp + (ack ? 2 : 0), 40000u + (uint32_t)flow, 2);
    put(tcp + (ack ? 0 : 2), 5001, 2);
    put(tcp + 4, ack ? 1 : seq[flow], 4);
    put(tcp + 8, ack ? seq[flow] : 1, 4);
    tcp[12] = 0x80;
    tcp[13] = 0x10;
    put(tcp + 14, 60000, 2);
    put(tcp + 20, 0x0101080a, 4);
    put(tcp + 24, (uint32_t)(i / 100), 4);
    put(tcp + 28, (uint32_t)(i / 100), 4);
    seq[flow] += payload;
    return 66 + payload;
}

static bool write_capture(const char *path, long packets, struct error *err)
{
    struct capture_writer_config config = {.format = CAPTURE_FORMAT_PCAP, .snaplen = 66};
    struct capture_writer *w = capture_writer_open(path, &config, err);
    if (!w)
        return false;
    uint8_t frame[66];
    for (long i = 0; i < packets; i++) {
        uint32_t wire = make_frame(frame, i);
        if (!capture_writer_write(w, i * 10000, frame, 66, wire, CAPTURE_DIRECTION_UNKNOWN, err)) {
            capture_writer_abandon(w);
            return false;
        }
    }
    return capture_writer_close(w, err);
}

static double bare_loop(const char *path, long *packets)
{
    char said[PCAP_ERRBUF_SIZE];
    struct pcap_pkthdr *header;
    const u_char *bytes;
    double start = now();
    pcap_t *p = pcap_open_offline(path, said);
    for (*packets = 0; p && pcap_next_ex(p, &header, &bytes) == 1;)
        ++*packets;
    if (p)
        pcap_close(p);
    return now() - start;
}

static double whole_analysis(const char *path, struct error *err)
{
    struct analysis_capture capture;
    double start = now();
    struct analysis_flows *f = analysis_flows_new(err);
    bool ok = f && analysis_flows_read(f, path, NULL, NULL, &capture, err);
    analysis_flows_free(f);
    return ok ? now() - start : -1;
}

int main(int argc, char **argv)
{
    long packets = argc > 1 ? atol(argv[1]) : 1000000, counted = 0;
    char path[] = "/tmp/contraflow-bench-XXXXXX";
    struct error err;
    int fd = mkstemp(path);
    if (fd < 0 || !write_capture(path, packets, &err)) {
        fprintf(stderr, "bench_flows: %s\n", fd < 0 ? "no temporary file" : err.message);
        return 1;
    }
    close(fd);
    double bare = 1e9, whole = 1e9;
    for (int i = 0; i < ROUNDS; i++) { /* in turn, the best of each: other load on the machine only adds */
        double b = bare_loop(path, &counted), w = whole_analysis(path, &err);
        bare = b < bare ? b : bare;
        whole = w < whole ? w : whole;
    }
    unlink(path);
    printf("%ld packets, %d flows: bare pcap_next_ex loop %.1f, whole analysis %.1f million packets/s, ratio %.2f\n",
           counted, FLOWS, (double)counted / bare * 1e-6, (double)counted / whole * 1e-6, whole / bare);
    return whole > 0 && counted == packets ? 0 : 1;
}
