/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/explain_swing.h"

#include "analysis/swing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_BUSY_S 1e-3 /* where ticks are finer: a mean of milliseconds */

/* The host that the capture is beside, as most flows have it; NULL when unknown. */
static const struct capture_address *swing_host(const struct explained *flows, size_t n)
{
    const struct capture_address *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < n; i++) {
        if (flows[i].tap == ANALYSIS_TAP_UNKNOWN)
            continue;
        const struct analysis_flow *flow = &flows[i].flow;
        const struct capture_address *host = flows[i].tap == ANALYSIS_TAP_SENDER ? &flow->src : &flow->dst;
        size_t count = 0;
        for (size_t j = 0; j < n; j++)
            count += memcmp(&flows[j].flow.src, host, sizeof *host) == 0 ||
                     memcmp(&flows[j].flow.dst, host, sizeof *host) == 0;
        best = count > most ? host : best;
        most = count > most ? count : most;
    }
    return best;
}

bool explain_swing(const char *path, const struct analysis_flows *f, const struct explained *flows, size_t n,
                   bool as_json, json_t *queues, struct error *err)
{
    const struct capture_address *host = swing_host(flows, n);
    struct analysis_swing_flow *at = calloc(n + 1, sizeof *at);
    struct analysis_pendulum p;
    double busy_s = LEAST_BUSY_S, from_s, to_s;
    size_t used = 0;
    if (!at)
        return error_set(err, ERROR_SYSTEM, "out of memory for %zu flows", n);
    for (size_t i = 0; host && i < n; i++) {
        bool outgoing = memcmp(&flows[i].flow.src, host, sizeof *host) == 0;
        if (!outgoing && memcmp(&flows[i].flow.dst, host, sizeof *host) != 0)
            continue;
        at[used++] = (struct analysis_swing_flow){flows[i].slot, outgoing};
        busy_s = flows[i].x.tick_s > busy_s ? flows[i].x.tick_s : busy_s;
    }
    bool ok = analysis_swing_make(f, at, used, busy_s, &p, &from_s, &to_s, err);
    free(at);
    if (!ok)
        return err->code == ERROR_NONE;
    char name[CAPTURE_ADDRESS_TEXT], out[CAPTURE_ADDRESS_TEXT + 8], in[CAPTURE_ADDRESS_TEXT + 8];
    capture_address_format(host, name);
    snprintf(out, sizeof out, "from %s", name);
    snprintf(in, sizeof in, "to %s", name);
    if (as_json)
        return json_array_append_new(queues, json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:o, s:o}", "source", path, "a",
                                                       out, "b", in, "one_busy", p.one, "both_busy", p.both,
                                                       "neither_busy", p.neither, "correlation",
                                                       cli_table_json_number(p.correlation), "period_s",
                                                       cli_table_json_number(p.period_s))) == 0 ||
               error_set(err, ERROR_SYSTEM, "out of memory for JSON");
    printf("  waits over %.0f ms %s and %s: only one %.0f %% of the time, both %.0f %%, neither %.0f %%", busy_s * 1e3,
           out, in, 100 * p.one, 100 * p.both, 100 * fmax(0, p.neither));
    if (isfinite(p.correlation))
        printf("; correlation %+.2f", p.correlation);
    if (isfinite(p.period_s))
        printf("; they take turns every %.3g ms", p.period_s * 1e3);
    putchar('\n');
    return true;
}
