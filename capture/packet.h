/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture/packet.h - inside capture/: the seam between link layers (link.c) and IP (decode.c). */
#pragma once

#include "capture/segment.h"

#define PACKET_MAX_DEPTH 4 /* tunnels inside tunnels */

static inline uint16_t packet_u16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t packet_u32(const uint8_t *p)
{
    return (uint32_t)packet_u16(p) << 16 | packet_u16(p + 2);
}

/* Mixes one more label (VLAN id, session, VNI) into the segment's tag; order matters, 0 stays "none". */
static inline void packet_tag(struct capture_segment *s, uint32_t label)
{
    s->tag = (s->tag ^ label) * UINT32_C(0x9e3779b1);
    s->tag += s->tag == 0;
}

/* `wire` bytes were sent of which `captured` are here; captured <= wire. `version`: 4 or 6 as the layer below
 * announced, 0 when it did not say. */
enum capture_decode_result packet_decode_ip(int version, const uint8_t *p, uint32_t captured, uint32_t wire, int depth,
                                            struct capture_segment *out);
enum capture_decode_result packet_decode_ethernet(const uint8_t *p, uint32_t captured, uint32_t wire, int depth,
                                                  struct capture_segment *out);
