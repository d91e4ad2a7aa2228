/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/offloads.h"

#include "base/text.h"
#include "base/units.h"
#include "results/json.h"

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
