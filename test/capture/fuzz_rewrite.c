/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A capture on its way to an interface: frames checked, copied and given other addresses, by rewrites that the input
 * names. The input: bytes of an MTU, OLD=NEW for a line each, an empty line, a capture; or a capture alone. */
#include "capture/inject.h"
#include "capture/packet.h"
#include "test/fuzzing/captures.h"

#define REWRITES 4
#define LINE 80
#define MTU_MOST 16383

static bool is_capture(const uint8_t *data, size_t size)
{
    static const uint8_t magic[][4] = {{0xd4, 0xc3, 0xb2, 0xa1}, {0x4d, 0x3c, 0xb2, 0xa1}, {0xa1, 0xb2, 0xc3, 0xd4},
                                       {0x0a, 0x0d, 0x0d, 0x0a}, {0x1f, 0x8b, 8, 0}};
    for (size_t i = 0; i < sizeof magic / sizeof *magic; i++)
        if (size >= 4 && memcmp(data, magic[i], 4) == 0)
            return true;
    return false;
}

/* Takes lines off the front; the rewrites that they are. */
static size_t read_rewrites(const uint8_t **data, size_t *size, struct capture_rewrite *rewrites)
{
    size_t n = 0, length;
    char line[LINE];
    do {
        for (length = 0; *size > 0 && **data != '\n' && length < LINE - 1; ++*data, --*size)
            line[length++] = (char)**data;
        line[length] = '\0';
        if (*size > 0) {
            ++*data;
            --*size;
        }
        struct error err = {0};
        bool ok = length > 0 && capture_rewrite_parse(line, &rewrites[n], &err);
        MUST(ok || length == 0 || err.code == ERROR_INPUT);
        MUST(!ok || rewrites[n].bytes == 4 || rewrites[n].bytes == 6 || rewrites[n].bytes == 16);
        n += ok;
    } while (length > 0 && n < REWRITES);
    return n;
}

/* Is the header of an IPv4 packet without VLAN tags there, and its checksum right? */
static bool is_right(const uint8_t *frame, uint32_t n)
{
    uint32_t sum = 0, header = n >= 34 ? (frame[14] & 15u) * 4 : 0;
    if (header < 20 || n < 14 + header || packet_u16(frame + 12) != 0x0800 || frame[14] >> 4 != 4)
        return false;
    for (uint32_t i = 0; i < header; i += 2)
        sum += packet_u16(frame + 14 + i);
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return sum == 0xffff;
}

/* Buffers are as large as they are said to be: AddressSanitizer watches their ends. */
static void send_frame(const struct capture_frame *frame, uint32_t mtu, const struct capture_inject_options *options)
{
    struct capture_inject_result result = {0};
    struct error err = {0};
    uint8_t *out = malloc(CAPTURE_INJECT_FRAME_BYTES(mtu)), *alone = malloc(frame->captured_bytes + 1);
    if (!capture_inject_frame(frame, 1, "eth0", mtu, options, out, &result, &err)) {
        MUST(err.code == ERROR_INPUT);
    } else {
        MUST(frame->wire_bytes <= CAPTURE_INJECT_FRAME_BYTES(mtu));
        for (uint32_t i = frame->captured_bytes; i < frame->wire_bytes; i++)
            MUST(out[i] == 0);
        memcpy(alone, frame->bytes, frame->captured_bytes);
        bool changed = capture_rewrite_frame(options->rewrites, options->n_rewrites, alone, frame->captured_bytes);
        MUST(memcmp(alone, out, frame->captured_bytes) == 0 && changed == (result.rewritten_frames == 1));
        MUST(options->n_rewrites > 0 || memcmp(out, frame->bytes, frame->captured_bytes) == 0);
        MUST(!is_right(frame->bytes, frame->captured_bytes) || is_right(out, frame->captured_bytes));
    }
    free(out);
    free(alone);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct capture_rewrite rewrites[REWRITES] = {{.from = {10, 0, 0, 1}, .to = {192, 168, 7, 1}, .bytes = 4},
                                                 {.from = {2, 0, 0, 0, 0, 1}, .to = {2, 0, 0, 0, 0, 9}, .bytes = 6}};
    struct capture_inject_options options = {.source = "fuzz", .speed = 1, .rewrites = rewrites, .n_rewrites = 2};
    uint32_t mtu = 1500;
    char path[CAPTURES_PATH];
    struct error err = {0};
    if (!is_capture(data, size)) {
        mtu = 68 + (uint32_t)captures_take(&data, &size, 2) % MTU_MOST;
        options.n_rewrites = read_rewrites(&data, &size, rewrites);
    }
    int fd = captures_file(data, size, path);
    struct capture_reader *r = capture_reader_open(path, &err);
    MUST(r || err.code != ERROR_NONE);
    struct capture_frame frame;
    if (r && !capture_inject_accepts(r, "fuzz", &err))
        MUST(err.code == ERROR_INPUT);
    while (r && capture_reader_next(r, &frame, &err) == CAPTURE_NEXT_FRAME)
        send_frame(&frame, mtu, &options); /* of any link type: it is bytes */
    capture_reader_close(r);
    close(fd);
    return 0;
}
