/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What other programs measured (foreign/): of each flow its rate in each interval, as far as it lasted through it; one
 * that has no two of them has the mean of its test. */
#include "foreign/read.h"
#include "study/infer/measurement.h"

#define WHOLE 0.9 /* of the usual interval: a shorter one is the rest at the end */

static void foreign_values(const struct foreign_flow *from, struct study_measurement_flow *f)
{
    for (size_t i = 0; i < from->n; i++) {
        const struct foreign_sample *s = &from->sample[i], *usual = &from->sample[0];
        if (s->to_s - s->from_s >= WHOLE * (usual->to_s - usual->from_s))
            study_measurement_add_bps(f, s->rate_bps);
    }
    if (f->log.n < 2) {
        f->log = (struct estimate_running){.n = 0};
        study_measurement_add_bps(f, from->mean_bps);
    }
}

/* Tests that began within half of one of them are one pattern, which the first one names by its time; one whose time is
 * not known is a pattern by the name of its file. */
static void foreign_pattern(const struct study_measurement *m, const struct foreign_test *t, const char *path,
                            char name[static STUDY_MEASUREMENT_NAME])
{
    snprintf(name, STUDY_MEASUREMENT_NAME, "%.*s", STUDY_MEASUREMENT_NAME - 1, path);
    if (!isfinite(t->start_s))
        return;
    snprintf(name, STUDY_MEASUREMENT_NAME, "%.0f", t->start_s);
    for (size_t i = 0; i < m->n; i++) {
        char *rest;
        double other_s = strtod(m->patterns[i].name, &rest);
        if (rest != m->patterns[i].name && !*rest && fabs(other_s - t->start_s) < (t->to_s - t->from_s) / 2)
            snprintf(name, STUDY_MEASUREMENT_NAME, "%s", m->patterns[i].name);
    }
}

static bool foreign_paced(const struct foreign_test *t)
{
    bool any = false;
    for (size_t i = 0; i < t->n; i++)
        any = any || t->flow[i].pace_bps > 0;
    return any;
}

bool study_measurement_read_foreign(struct study_measurement *m, const char *path, bool paced, struct error *err)
{
    MEMORY_ENDS(foreign_test_fini) struct foreign_test t;
    char name[STUDY_MEASUREMENT_NAME];
    bool ok = foreign_read(&t, path, err), takes = ok && (paced || !foreign_paced(&t));
    if (takes)
        foreign_pattern(m, &t, path, name);
    struct study_measurement_pattern *p = takes ? study_measurement_pattern_of(m, name) : NULL;
    for (size_t i = 0; takes && i < t.n; i++) {
        struct study_measurement_flow like = {.spread = NAN};
        snprintf(like.name, sizeof like.name, "%s", t.flow[i].name);
        like.from = study_measurement_host(m, t.flow[i].from);
        like.to = study_measurement_host(m, t.flow[i].to);
        foreign_values(&t.flow[i], study_measurement_flow_of(m, p, &like));
    }
    return ok;
}
