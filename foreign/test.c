/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "foreign/test.h"

#include "base/memory.h"

#define ROUNDING_S 0.05 /* ends of intervals are as punctual as the program that takes them */

struct foreign_flow *foreign_test_flow(struct foreign_test *t, const char *name, const char *from, const char *to)
{
    t->flow = memory_grown(t->flow, t->n, &t->capacity, 4, sizeof *t->flow, "flows of a test");
    struct foreign_flow *f = &t->flow[t->n++];
    *f = (struct foreign_flow){.mean_bps = NAN, .rtt_s = NAN, .least_rtt_s = NAN, .retransmitted = NAN,
                               .segments_again = NAN, .busy = NAN, .rwnd_limited = NAN, .sndbuf_limited = NAN};
    snprintf(f->name, sizeof f->name, "%s", name);
    snprintf(f->from, sizeof f->from, "%s", from);
    snprintf(f->to, sizeof f->to, "%s", to);
    return f;
}

void foreign_test_sample(struct foreign_flow *f, double from_s, double to_s, double rate_bps)
{
    f->sample = memory_grown(f->sample, f->n, &f->capacity, 16, sizeof *f->sample, "samples of a test");
    f->sample[f->n++] = (struct foreign_sample){from_s, to_s, rate_bps};
}

void foreign_test_fini(struct foreign_test *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->flow[i].sample);
    free(t->flow);
    *t = (struct foreign_test){.n = 0};
}

double foreign_test_rate_bps(const struct foreign_flow *f, double from_s, double to_s)
{
    double bits = 0, seconds = 0;
    for (size_t i = 0; i < f->n; i++) {
        const struct foreign_sample *s = &f->sample[i];
        if (s->from_s < from_s - ROUNDING_S || s->to_s > to_s + ROUNDING_S)
            continue;
        bits += s->rate_bps * (s->to_s - s->from_s);
        seconds += s->to_s - s->from_s;
    }
    return seconds > 0 ? bits / seconds : (double)NAN;
}

bool foreign_test_together(const struct foreign_test *a, const struct foreign_test *b)
{
    return fabs(a->start_s - b->start_s) < fmin(a->to_s, b->to_s) / 2;
}
