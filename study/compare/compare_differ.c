/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/compare/compare.h"

#include "base/text.h"
#include "results/directory.h"
#include "scenarios/differ.h"

#define MEASURED 0.1   /* a link's rate as seen in a capture: closer ones may be one */
#define IN_FLIGHT 0.25 /* windows of two captures: a receiver's buffer grows with its round trip */
#define DIGITS 3
#define ENDS 160

/* Takes `what`. */
static void differ_add(struct study_compare_host *h, bool unlike, char *what, const char *before, const char *after)
{
    h->difference = memory_resized(h->difference, h->n_differences + 1, sizeof *h->difference, "what differs");
    h->difference[h->n_differences++] = (struct study_compare_difference){
        .what = what, .side = {memory_text("%s", before), memory_text("%s", after)}, .unlike = unlike};
}

static const char *differ_way(int incoming)
{
    return incoming ? "in" : "out";
}

static size_t differ_count(const struct analysis_resource *r, bool incoming)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++)
        n += r->flows[i].incoming == incoming;
    return n;
}

/* The other ends of flows that only one side has: "h1, h5". */
static void differ_ends(const struct study_compare_host *h, bool incoming, enum study_compare_side side,
                        char text[static ENDS])
{
    *text = '\0';
    for (size_t i = 0; i < h->n; i++) {
        const struct study_compare_flow *flow = &h->flow[i];
        if (flow->incoming == incoming && !isfinite(flow->rate_bps.mean[!side]))
            text_add(text, ENDS, "%s%s", *text ? ", " : "", incoming ? flow->src : flow->dst);
    }
}

static void differ_degrees(struct study_compare_host *h)
{
    const struct analysis_resource *before = h->side[STUDY_COMPARE_BEFORE], *after = h->side[STUDY_COMPARE_AFTER];
    if (strcmp(before->host, after->host) != 0)
        differ_add(h, true, memory_text("host"), before->host, after->host);
    for (int incoming = 1; incoming >= 0; incoming--) {
        size_t n = differ_count(before, incoming), m = differ_count(after, incoming);
        char count[2][24], ends[STUDY_COMPARE_SIDES][ENDS];
        snprintf(count[0], sizeof *count, "%zu", n);
        snprintf(count[1], sizeof *count, "%zu", m);
        if (n != m) {
            differ_add(h, true, memory_text("flows %s", differ_way(incoming)), count[0], count[1]);
            continue;
        }
        for (int side = 0; side < STUDY_COMPARE_SIDES; side++)
            differ_ends(h, incoming, (enum study_compare_side)side, ends[side]);
        if (*ends[0] && strcmp(before->host, after->host) == 0)
            differ_add(h, true, memory_text("other ends of flows %s", differ_way(incoming)), ends[0], ends[1]);
    }
}

/* The least and the largest window of the flows one way; false where they are not known to matter. */
static bool differ_range(const struct analysis_resource *r, bool incoming, bool run, double range[2])
{
    bool known = false;
    range[0] = INFINITY;
    range[1] = 0;
    for (size_t i = 0; i < r->n; i++) {
        if (r->flows[i].incoming != incoming)
            continue;
        /* Does a window bound the flow, so that another one would have given another rate? Of an emulation every window
         * is set; of a measurement none is known. */
        if (r->flows[i].window_bytes <= 0 || (!run && r->flows[i].limit != ANALYSIS_LIMIT_RECEIVER))
            return false;
        range[0] = fmin(range[0], r->flows[i].window_bytes);
        range[1] = fmax(range[1], r->flows[i].window_bytes);
        known = true;
    }
    return known;
}

static void differ_bytes(double bytes, bool run, char text[static UNITS_TEXT])
{
    double unit = run ? 1 : pow(10, floor(log10(bytes)) + 1 - DIGITS);
    units_format_bytes(llround(bytes / unit) * llround(fmax(1, unit)), text);
}

static void differ_windows(struct study_compare_host *h, const char *const run[STUDY_COMPARE_SIDES])
{
    double most = run[0] && run[1] ? 0 : IN_FLIGHT;
    for (int incoming = 1; incoming >= 0; incoming--) {
        double range[STUDY_COMPARE_SIDES][2];
        char text[STUDY_COMPARE_SIDES][2 * UNITS_TEXT + 8];
        bool known = true, differ = false;
        for (int side = 0; side < STUDY_COMPARE_SIDES; side++) {
            char least[UNITS_TEXT], largest[UNITS_TEXT];
            known = known && differ_range(h->side[side], incoming, run[side], range[side]);
            if (!known)
                break;
            differ_bytes(range[side][0], run[side], least);
            differ_bytes(range[side][1], run[side], largest);
            snprintf(text[side], sizeof text[side], strcmp(least, largest) ? "%s to %s" : "%s", least, largest);
        }
        for (int i = 0; known && i < 2; i++)
            differ = differ || fabs(range[0][i] - range[1][i]) > most * fmin(range[0][i], range[1][i]);
        if (differ)
            differ_add(h, true, memory_text("window of flows %s", differ_way(incoming)), text[0], text[1]);
    }
}

/* Was the link's rate seen, and not only taken for the other direction's? */
static bool differ_seen(const struct judge_way *way)
{
    return way->capacity_bps > 0 && way->source != JUDGE_CAPACITY_UNKNOWN &&
           way->source != JUDGE_CAPACITY_ASSUMED;
}

static void differ_rates(struct study_compare_host *h)
{
    const struct analysis_resource *before = h->side[STUDY_COMPARE_BEFORE], *after = h->side[STUDY_COMPARE_AFTER];
    for (int incoming = 1; incoming >= 0; incoming--) {
        const struct judge_way *x = incoming ? &before->diagnosis.in : &before->diagnosis.out;
        const struct judge_way *y = incoming ? &after->diagnosis.in : &after->diagnosis.out;
        char text[STUDY_COMPARE_SIDES][UNITS_TEXT];
        if (!before->diagnosed || !after->diagnosed || !differ_seen(x) || !differ_seen(y) ||
            fabs(x->capacity_bps - y->capacity_bps) <= MEASURED * fmin(x->capacity_bps, y->capacity_bps))
            continue;
        units_format_rate_rounded(x->capacity_bps, DIGITS, text[0]);
        units_format_rate_rounded(y->capacity_bps, DIGITS, text[1]);
        differ_add(h, true, memory_text("rate of the link %s", differ_way(incoming)), text[0], text[1]);
    }
}

/* Is it a key of what the network is, and not of how its queues are served? A shaper's rate is one of the latter. */
static bool differ_key_unlike(const char *key)
{
    static const char *const last[] = {"rate", "up", "hosts", "topology", "from", "to", "uplinks", "spines", "k", "cables"};
    static const char *const serving[] = {"network.nic", "network.switch", "network.root", "network.nodes"};
    const char *dot = strrchr(key, '.');
    if (strncmp(key, "network.", 8) != 0 || strstr(key, ".port."))
        return strncmp(key, "traffic.", 8) == 0;
    for (size_t i = 0; i < sizeof serving / sizeof *serving; i++)
        if (strncmp(key, serving[i], strlen(serving[i])) == 0)
            return false;
    for (size_t i = 0; i < sizeof last / sizeof *last; i++)
        if (strcmp(dot + 1, last[i]) == 0)
            return true;
    return strncmp(key, "network.racks", 13) == 0;
}

static void differ_key(void *user, const char *key, const char *before, const char *after)
{
    differ_add(user, differ_key_unlike(key), memory_text("%s", key), before ? before : "none", after ? after : "none");
}

void study_compare_differ(struct study_compare_host *h, const char *const run[STUDY_COMPARE_SIDES])
{
    struct error ignored = {0};
    if (!h->side[STUDY_COMPARE_BEFORE] || !h->side[STUDY_COMPARE_AFTER])
        return;
    differ_degrees(h);
    differ_windows(h, run);
    if (!run[STUDY_COMPARE_BEFORE] || !run[STUDY_COMPARE_AFTER]) {
        differ_rates(h);
        return;
    }
    char *path[] = {results_directory_path(run[STUDY_COMPARE_BEFORE], "scenario.yaml"),
                    results_directory_path(run[STUDY_COMPARE_AFTER], "scenario.yaml")};
    scenario_differ(path[STUDY_COMPARE_BEFORE], path[STUDY_COMPARE_AFTER], differ_key, h, &ignored);
    MEMORY_FREE(path[STUDY_COMPARE_BEFORE], path[STUDY_COMPARE_AFTER]);
}
