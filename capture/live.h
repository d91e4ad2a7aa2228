/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture/live.h - inside capture/: an interface that libpcap reads from, for capture/reader.h. */
#pragma once

#include "base/error.h"

struct pcap; /* libpcap's pcap_t */

#define CAPTURE_LIVE_BYTES 192 /* of a frame: Ethernet with two tags, IPv6 with an extension, TCP with all its options */
#define CAPTURE_LIVE_WAIT_MS 100 /* for frames; so often the caller gets word */

/* All frames that pass `interface` either way, without promiscuous mode, times in nanoseconds or as fine as the system
 * has them; reading does not wait. NULL and *err: there is no such interface (ERROR_INPUT), it may not be read, is down
 * (ERROR_SYSTEM). */
struct pcap *capture_live_open(const char *interface, struct error *err);

/* Waits for frames, CAPTURE_LIVE_WAIT_MS at most, or until a signal comes. */
void capture_live_wait(struct pcap *pcap);
