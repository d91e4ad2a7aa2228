/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture/paused.h - for how long the PAUSE frames that a tap sees stop a line (IEEE 802.3, annex 31B).
 *
 * A PAUSE frame stops what sends to its sender for so many quanta of 512 bit times, unless another says 0 before. Most
 * network interfaces obey PAUSE frames and keep them: a tap between two devices sees them, a capture on a host does
 * not. Where the rate is not known, a stop counts once the frame that ends it is seen. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define CAPTURE_PAUSED_SENDERS 8 /* the first of them */

struct capture_paused {
    int64_t frames;
    struct capture_paused_sender {
        uint8_t mac[6];
        bool known, stops;
        int64_t since_ns, until_ns, stopped_ns;
    } sender[CAPTURE_PAUSED_SENDERS];
};

/* `mac`: six bytes, of its sender. `rate_bps`: of the line; 0 unknown. */
void capture_paused_add(struct capture_paused *p, const uint8_t *mac, uint32_t quanta, uint64_t rate_bps,
                         int64_t time_ns);

/* How long the sender that stops most has stopped others. */
int64_t capture_paused_ns(const struct capture_paused *p);
