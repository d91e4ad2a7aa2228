/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes nobody chose, through capture_decode() and capture_reader_open(). `test/fuzz` builds and runs it with
 * libFuzzer. Without that, main() replays seeded mutations of packets and files: a test for the sanitizers. */
#include "base/random.h"
#include "capture/reader.h"
#include "test/capture/packets.h"

#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const int link_types[] = {0, 1, 12, 14, 101, 108, 113, 228, 229, 276};

static void decode_as_every_link_type(const uint8_t *bytes, uint32_t captured, uint32_t wire)
{
    for (size_t i = 0; i < sizeof link_types / sizeof *link_types; i++) {
        struct capture_segment s;
        if (packets_decode(link_types[i], bytes, captured, wire, &s) == CAPTURE_DECODE_TCP && s.n_sack > 4)
            abort();
    }
}

static void read_as_file(const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    struct error err = {0};
    struct capture_reader *r = capture_reader_open(path, &err);
    struct capture_frame frame;
    if (!r && err.code == ERROR_NONE)
        abort();
    while (r && capture_reader_next(r, &frame, &err) == CAPTURE_NEXT_FRAME)
        decode_as_every_link_type(frame.bytes, frame.captured_bytes, frame.wire_bytes);
    capture_reader_close(r);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 65536)
        return 0;
    decode_as_every_link_type(data, (uint32_t)size, (uint32_t)size);
    decode_as_every_link_type(data, (uint32_t)size / 2, (uint32_t)size);
    read_as_file(data, size);
    return 0;
}

#ifndef CONTRAFLOW_LIBFUZZER
/* A pcap of one packet, or the packet alone, with up to eight bytes changed and maybe an end cut off. */
int main(void)
{
    struct random r = random_of(1);
    for (int i = 0; i < 20000; i++) {
        uint8_t packet[PACKETS_MAX_BYTES], data[40 + PACKETS_MAX_BYTES];
        const struct packet_wrapping *w = &packets_wrappings[random_below(&r, packets_n_wrappings)];
        uint32_t n = packets_build(w, packet);
        uint32_t header[10] = {0xa1b2c3d4, 0x00040002, 0, 0, 65535, (uint32_t)w->link_type, 1, 2, n, n};
        uint32_t at = random_below(&r, 2) ? sizeof header : 0;
        memcpy(data, header, at);
        memcpy(data + at, packet, n);
        size_t size = at + n;
        for (uint64_t k = random_below(&r, 9); k > 0; k--)
            data[random_below(&r, size)] = (uint8_t)random_next(&r);
        if (random_below(&r, 4) == 0)
            size = random_below(&r, size + 1);
        LLVMFuzzerTestOneInput(data, size);
    }
    return 0;
}
#endif
