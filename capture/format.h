/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture/format.h - what a capture file that is written shall be. */
#pragma once

#include <stdint.h>

enum capture_format { CAPTURE_FORMAT_PCAP, CAPTURE_FORMAT_PCAPNG };
enum capture_direction { CAPTURE_DIRECTION_UNKNOWN, CAPTURE_DIRECTION_IN, CAPTURE_DIRECTION_OUT };

struct capture_writer_config {
    enum capture_format format;
    uint32_t snaplen;           /* longest captured length */
    const char *interface;      /* pcapng: if_name; borrowed, may be NULL; cut to 255 bytes */
    const char *application;    /* pcapng: shb_userappl; borrowed, may be NULL; cut to 255 bytes */
    int64_t link_rate_bps;      /* pcapng: if_speed; 0 when unknown */
};
