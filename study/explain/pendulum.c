/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/explain/pendulum.h"

#include "base/units.h"
#include "analysis/pendulum_waits.h"

#define LEAST_BUSY_S 1e-3 /* where ticks are finer: a mean of milliseconds */

bool study_pendulum_make(const struct analysis_flows *f, const struct study_explanations *x, struct study_pendulum *s,
                         struct error *err)
{
    const struct capture_address *host = x->tap_known ? &x->tap : NULL;
    const struct study_explanation *flows = x->flow;
    MEMORY_LOCAL struct analysis_pendulum_waits_flow *at = memory_zeroed(x->n, sizeof *at, "the waits of flows");
    double from_s, to_s;
    size_t used = 0;
    *s = (struct study_pendulum){.busy_s = LEAST_BUSY_S};
    for (size_t i = 0; host && i < x->n; i++) {
        bool outgoing = capture_address_same(&flows[i].flow.src, host);
        if (!outgoing && !capture_address_same(&flows[i].flow.dst, host))
            continue;
        at[used++] = (struct analysis_pendulum_waits_flow){flows[i].slot, outgoing};
        s->busy_s = flows[i].x.tick_s > s->busy_s ? flows[i].x.tick_s : s->busy_s;
    }
    s->known = host && analysis_pendulum_waits_make(f, at, used, s->busy_s, &s->waits, &from_s, &to_s, err);
    if (s->known)
        s->host = *host;
    return s->known || err->code == ERROR_NONE;
}

void study_pendulum_say(const struct study_pendulum *s, char text[static STUDY_EXPLANATION_TEXT])
{
    const struct analysis_pendulum *p = &s->waits;
    char name[CAPTURE_ADDRESS_TEXT], correlation[32] = "", period[64] = "";
    capture_address_format(&s->host, name);
    if (isfinite(p->correlation))
        snprintf(correlation, sizeof correlation, "; correlation %+.2f", p->correlation);
    if (isfinite(p->period_s))
        snprintf(period, sizeof period, "; they take turns every %s ms", UNITS_FIGURE(p->period_s * 1e3, 3));
    snprintf(text, STUDY_EXPLANATION_TEXT,
             "waits over %.0f ms from %s and to %s: only one %.0f %% of the time, both %.0f %%, neither %.0f %%%s%s",
             s->busy_s * 1e3, name, name, 100 * p->one, 100 * p->both, 100 * fmax(0, p->neither), correlation, period);
}
