/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "results/csv.h"
#include "study/infer/measurement.h"

/* Columns of a measurement; those of repeated values stand at the end. */
enum {
    FROM, TO, FLOW, PATTERN, SCENARIO, BYTES, WINDOW, START, SPREAD, SECONDS, BPS, SECONDS_2, BPS_2 = SECONDS_2 + 8,
    COLUMNS = BPS_2 + 8
};
static const char *const columns[COLUMNS] = {
    "from", "to", "flow", "pattern", "scenario", "bytes", "window", "start", "spread", "seconds", "bits_per_second",
    "seconds2", "seconds3", "seconds4", "seconds5", "seconds6", "seconds7", "seconds8", "seconds9",
    "bits_per_second2", "bits_per_second3", "bits_per_second4", "bits_per_second5", "bits_per_second6",
    "bits_per_second7", "bits_per_second8", "bits_per_second9",
};

/* The k-th column of seconds, of rates. */
static size_t column_of(size_t k, bool bps)
{
    return k == 0 ? (bps ? BPS : SECONDS) : (bps ? BPS_2 : SECONDS_2) + k - 1;
}

static bool csv_name(const struct results_csv *c, size_t column, const char *text, bool needed, struct error *err)
{
    if (needed && !*text)
        return results_csv_fail(c, err, "%s is empty", c->names[column]);
    return strlen(text) < STUDY_MEASUREMENT_NAME ||
           results_csv_fail(c, err, "%s is '%.20s...', longer than %d bytes", c->names[column], text,
                            STUDY_MEASUREMENT_NAME - 1);
}

/* All that a row says of its flow but the values. */
static bool csv_flow(struct study_measurement *m, const struct results_csv *c, char *const *value,
                     struct study_measurement_flow *f, struct error *err)
{
    double start_s;
    *f = (struct study_measurement_flow){.spread = NAN};
    if (!csv_name(c, FROM, value[FROM], true, err) || !csv_name(c, TO, value[TO], true, err) ||
        !csv_name(c, FLOW, value[FLOW], false, err) || !results_csv_number(c, value, START, &start_s, err))
        return false;
    if (strcmp(value[FROM], value[TO]) == 0)
        return results_csv_fail(c, err, "to is '%s', which is also where the flow comes from", value[TO]);
    if (*value[BYTES] && (!units_parse_bytes(value[BYTES], &f->bytes, err) || f->bytes < 1))
        return results_csv_fail(c, err, "bytes is '%.40s'; must be a size from 1B, such as 10MB or 10000000",
                                value[BYTES]);
    if (*value[WINDOW] && (!units_parse_bytes(value[WINDOW], &f->window_bytes, err) || f->window_bytes < 1 ||
                           f->window_bytes > STUDY_MEASUREMENT_WINDOW))
        return results_csv_fail(c, err, "window is '%.40s'; must be a size from 1B to %d, such as 400kB or 400000",
                                value[WINDOW], STUDY_MEASUREMENT_WINDOW);
    if (*value[SPREAD] && !(units_parse_share(value[SPREAD], &f->spread) && f->spread > 0 && f->spread < 1))
        return results_csv_fail(c, err, "spread is '%.40s'; must be a share such as 2%% or 0.02", value[SPREAD]);
    if (start_s > STUDY_MEASUREMENT_START_S)
        return results_csv_fail(c, err, "start is '%.40s'; must be seconds up to %d, since flows of a pattern run at the "
                                "same time", value[START], STUDY_MEASUREMENT_START_S);
    snprintf(f->name, sizeof f->name, "%s", value[FLOW]);
    f->from = study_measurement_host(m, value[FROM]);
    f->to = study_measurement_host(m, value[TO]);
    f->start_s = isfinite(start_s) ? start_s : 0;
    return true;
}

static bool csv_values(const struct results_csv *c, char *const *value, struct study_measurement_flow *f,
                       struct error *err)
{
    size_t n = 0;
    for (size_t k = 0; k < 2 * (size_t)(BPS_2 - SECONDS_2 + 1); k++) {
        size_t column = column_of(k / 2, k % 2);
        double number;
        if (!results_csv_number(c, value, column, &number, err))
            return false;
        if (!*value[column])
            continue;
        if (!(number > 0))
            return results_csv_fail(c, err, "%s is '%.40s'; must be above 0", columns[column], value[column]);
        if (k % 2 == 0 && f->bytes == 0)
            return results_csv_fail(c, err, "%s without bytes: a flow that ends has a number of them", columns[column]);
        k % 2 ? study_measurement_add_bps(f, number) : study_measurement_add_s(f, number);
        n++;
    }
    return n > 0 || results_csv_fail(c, err, "neither seconds nor bits_per_second has a value");
}

/* A pattern's own scenario, by its path from the table; all rows of the pattern say the same, or nothing. */
static bool csv_scenario(const struct results_csv *c, const char *table, const char *name,
                         struct study_measurement_pattern *p, struct error *err)
{
    const char *slash = strrchr(table, '/');
    if (!*name)
        return true;
    MEMORY_LOCAL char *path = *name == '/' || !slash ? memory_text("%s", name)
                                                     : memory_text("%.*s/%s", (int)(slash - table), table, name);
    bool ok = !p->scenario_path || strcmp(p->scenario_path, path) == 0 ||
              results_csv_fail(c, err, "scenario is '%.40s', but the pattern's other flows have another", name);
    if (ok && !p->scenario_path)
        p->scenario_path = memory_text("%s", path);
    return ok;
}

/* Windows of some flows tell nothing: those of the others may be any. */
static void csv_settle_windows(struct study_measurement *m)
{
    bool all = true;
    for (size_t p = 0; p < m->n; p++)
        for (size_t i = 0; i < m->patterns[p].n; i++)
            all = all && m->patterns[p].flows[i].window_bytes > 0;
    for (size_t p = 0; p < m->n && !all; p++)
        for (size_t i = 0; i < m->patterns[p].n; i++)
            m->patterns[p].flows[i].window_bytes = 0;
}

bool study_measurement_read_csv(struct study_measurement *m, const char *path, struct error *err)
{
    struct results_csv c;
    char *value[COLUMNS];
    enum results_csv_next next;
    size_t before = m->flows;
    if (!results_csv_open(&c, path, columns, COLUMNS, TO + 1, err))
        return false;
    bool ok = true;
    while (ok && (next = results_csv_next(&c, value, err)) != RESULTS_CSV_END) {
        struct study_measurement_flow like;
        ok = next == RESULTS_CSV_ROW && csv_flow(m, &c, value, &like, err);
        if (ok) {
            struct study_measurement_pattern *p = study_measurement_pattern_of(m, value[PATTERN]);
            struct study_measurement_flow *f = study_measurement_flow_of(m, p, &like);
            if (isnan(f->spread))
                f->spread = like.spread;
            if (f->window_bytes == 0)
                f->window_bytes = like.window_bytes;
            ok = csv_scenario(&c, path, value[SCENARIO], p, err) && csv_values(&c, value, f, err);
        }
    }
    if (ok && m->flows == before)
        ok = results_csv_fail(&c, err, "no flow after the first line");
    results_csv_close(&c);
    csv_settle_windows(m);
    return ok;
}

enum { PLACEMENT, PLACED_FLOW, PLACED_FROM, PLACED_TO, PLACED_PATTERN, PLACED };
static const char *const placed[PLACED] = {"placement", "flow", "from", "to", "pattern"};

static struct study_measurement_placement *placement_of(struct study_measurement *m, const char *name)
{
    for (size_t i = 0; i < m->n_placements; i++)
        if (strcmp(m->placements[i].name, name) == 0)
            return &m->placements[i];
    m->placements = memory_resized(m->placements, m->n_placements + 1, sizeof *m->placements, "placements");
    struct study_measurement_placement *p = &m->placements[m->n_placements++];
    *p = (struct study_measurement_placement){memory_text("%s", name),
                                              memory_zeroed(m->flows, sizeof *p->at, "placements")};
    size_t k = 0;
    for (size_t i = 0; i < m->n; i++)
        for (size_t f = 0; f < m->patterns[i].n; f++, k++) {
            p->at[k][0] = m->patterns[i].flows[f].from;
            p->at[k][1] = m->patterns[i].flows[f].to;
        }
    return p;
}

static bool placement_row(struct study_measurement *m, const struct results_csv *c, char *const *value,
                          struct error *err)
{
    for (size_t k = 0; k < PLACED; k++)
        if (!csv_name(c, k, value[k], k < PLACED_PATTERN, err))
            return false;
    if (strcmp(value[PLACED_FROM], value[PLACED_TO]) == 0)
        return results_csv_fail(c, err, "to is '%s', which is also where the flow comes from", value[PLACED_TO]);
    struct study_measurement_placement *p = placement_of(m, value[PLACEMENT]);
    size_t k = 0, found = 0;
    for (size_t i = 0; i < m->n; i++)
        for (size_t f = 0; f < m->patterns[i].n; f++, k++) {
            if (strcmp(m->patterns[i].flows[f].name, value[PLACED_FLOW]) != 0 ||
                (*value[PLACED_PATTERN] && strcmp(m->patterns[i].name, value[PLACED_PATTERN]) != 0))
                continue;
            p->at[k][0] = study_measurement_host(m, value[PLACED_FROM]);
            p->at[k][1] = study_measurement_host(m, value[PLACED_TO]);
            found++;
        }
    return found > 0 || results_csv_fail(c, err, "flow '%s' was not measured", value[PLACED_FLOW]);
}

bool study_measurement_read_placements(struct study_measurement *m, const char *path, struct error *err)
{
    MEMORY_ENDS(results_csv_close) struct results_csv c;
    char *value[PLACED];
    enum results_csv_next next;
    bool ok = results_csv_open(&c, path, placed, PLACED, PLACED_PATTERN, err);
    while (ok && (next = results_csv_next(&c, value, err)) != RESULTS_CSV_END)
        ok = next == RESULTS_CSV_ROW && placement_row(m, &c, value, err);
    if (ok && m->n_placements == 0)
        ok = results_csv_fail(&c, err, "no placement after the first line");
    return ok;
}
