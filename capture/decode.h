/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture/decode.h - from the bytes of a frame to its TCP segment.
 *
 * Link layers: Ethernet, Linux cooked v1 and v2, raw IP, BSD loopback. On top: 802.1Q and
 * QinQ tags, PPPoE session, VXLAN (UDP 4789), IPv4, IPv6 with extension headers, IP
 * fragments (the first only). Lengths come from the IP header, not from what was captured;
 * an IP length of 0 (BIG TCP, TSO) means "to the end of the frame". Never reads past
 * `captured_bytes`. */
#pragma once

#include "capture/segment.h"

/* True when capture_decode() knows the link type (a DLT_ value). */
bool capture_decode_supports(int link_type);

/* Addresses are there for any other IP packet, too, and ports of a UDP datagram; family 0: it is none, or cut or malformed. */
enum capture_decode_result capture_decode(int link_type, const uint8_t *bytes, uint32_t captured_bytes,
                                          uint32_t wire_bytes, struct capture_segment *out);

/* Of an Ethernet frame that capture_decode() does not know: is it PAUSE (IEEE 802.3, annex 31B: EtherType 0x8808, opcode
 * 1)? *quanta: for how many times of 512 bits its sender's peer is to stop. */
bool capture_decode_pause(int link_type, const uint8_t *bytes, uint32_t captured_bytes, uint32_t *quanta);
