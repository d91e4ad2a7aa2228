/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture/frame.h - a frame of a capture. */
#pragma once

#include <stdint.h>

/* A frame that is longer than what was captured of it has at most so many bytes, or the file is damaged: an IP packet
 * with the headers around it; a segment of BIG TCP with all its headers (Linux: gso_max_size <= 8 * 65535). */
#define CAPTURE_FRAME_HEADERS 512u
#define CAPTURE_FRAME_LONGEST_IP (UINT16_MAX + CAPTURE_FRAME_HEADERS)
#define CAPTURE_FRAME_LONGEST (8u * UINT16_MAX + CAPTURE_FRAME_HEADERS)

struct capture_frame {
    int64_t time_ns;         /* since the epoch; from 1823 to 2116, so that differences fit */
    uint32_t captured_bytes; /* in `bytes` */
    uint32_t wire_bytes;     /* length on the wire, without FCS; at least captured_bytes */
    const uint8_t *bytes;    /* borrowed: valid until the next call */
};
