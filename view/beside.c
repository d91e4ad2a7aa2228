/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/beside.h"

#include "base/text.h"
#include "base/units.h"
#include "results/json.h"

#define WAITS 0.1 /* of the round trip, and more: as a wait that thins ACKs out has to be (judge/ground.c) */

bool view_beside_say(const struct analysis_resource *r, size_t i, char text[static VIEW_BESIDE_TEXT])
{
    if (i >= r->n_beside)
        return false;
    const struct analysis_udp *b = &r->beside[i];
    /* The data whose ACKs go that way. */
    const struct judge_way *w = b->incoming ? &r->diagnosis.out : &r->diagnosis.in;
    *text = '\0';
    text_add(text, VIEW_BESIDE_TEXT,
             "%s %s > %s: %s Mb/s %s on the wire, %.0f %% of what passes there, in packets of %.0f bytes",
             b->quic ? "QUIC" : "UDP", b->src, b->dst, UNITS_FIGURE(b->rate_bps / 1e6, 4), b->incoming ? "in" : "out",
             100 * b->share, b->packet_bytes);
    if (b->run_packets >= 2)
        text_add(text, VIEW_BESIDE_TEXT, ", %.0f at a time", b->run_packets);
    if (w->flows > 0 && w->ack_wait_s > WAITS * (w->floor_s + w->data_wait_s + w->ack_wait_s))
        text_add(text, VIEW_BESIDE_TEXT, "; ACKs of %s TCP data wait %.1f ms in the queue that it passes",
                 b->incoming ? "outgoing" : "incoming", 1e3 * w->ack_wait_s);
    if (b->quic)
        text_add(text, VIEW_BESIDE_TEXT, "; it is encrypted: its losses, windows and ACKs do not show");
    return true;
}

json_t *view_beside_json(const struct analysis_resource *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->n_beside; i++) {
        const struct analysis_udp *b = &r->beside[i];
        json_array_append_new(list, results_json("kind:s src:s dst:s direction:s rate_bps:f share:f packet_bytes:f "
                                                 "run_packets:f", b->quic ? "quic" : "udp", b->src, b->dst,
                                                 b->incoming ? "in" : "out", b->rate_bps, b->share, b->packet_bytes,
                                                 b->run_packets));
    }
    return list;
}

#define SHOWN 0.005 /* and more is shown as 1 % */

/* How long the longest is on the wire: by so much the times of its frames are not known. NAN: the rate is not. */
static double offloads_blur_s(const struct analysis_resource *r, bool incoming)
{
    const struct judge_way *w = incoming ? &r->diagnosis.in : &r->diagnosis.out;
    return r->merged[incoming].longest_bytes * 8 / w->capacity_bps;
}

bool view_offloads_say(const struct analysis_resource *r, char text[static VIEW_OFFLOADS_TEXT])
{
    static const char *const ways[] = {"outgoing", "incoming"};
    double blur_s = 0;
    bool any = false;
    *text = '\0';
    for (int incoming = 1; incoming >= 0; incoming--) {
        const struct analysis_merged *m = &r->merged[incoming];
        if (m->share < SHOWN)
            continue;
        text_add(text, VIEW_OFFLOADS_TEXT, "%s%.0f %% of the %s data passed in segments of up to %.1f kB", any ? ", " : "",
                 100 * m->share, ways[incoming], m->longest_bytes / 1e3);
        blur_s = fmax(blur_s, fmax(0, offloads_blur_s(r, incoming))); /* an unknown rate adds nothing */
        any = true;
    }
    if (any && blur_s > 0)
        text_add(text, VIEW_OFFLOADS_TEXT,
                 ", which the wire carries as frames: when each of them passed, is off by up to %s ms", UNITS_FIGURE(1e3 * blur_s, 2));
    if (any)
        text_add(text, VIEW_OFFLOADS_TEXT, "; to see frames: ethtool -K DEV tso off gso off gro off lro off");
    return any;
}

static json_t *offloads_way(const struct analysis_resource *r, bool incoming)
{
    return results_json("share:f longest_bytes:l blur_s:f", r->merged[incoming].share,
                        (int64_t)r->merged[incoming].longest_bytes, offloads_blur_s(r, incoming));
}

json_t *view_offloads_json(const struct analysis_resource *r)
{
    return results_json("in:o out:o", offloads_way(r, true), offloads_way(r, false));
}
