/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "results/summary.h"

#include "base/infile.h"
#include "base/units.h"
#include "results/directory.h"
#include "results/json.h"

#define RESULTS_OF results_port
static const struct results_column port_columns[] = {RESULTS_PORT_COLUMNS(RESULTS_COLUMN)};
static const struct results_columns ports = RESULTS_COLUMNS(port_columns);
#undef RESULTS_OF

static json_t *summary_rows(const struct results_columns *c, const void *rows, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, results_columns_json(c, (const char *)rows + i * c->size));
    return list;
}

static double summary_seconds(int64_t time_ps)
{
    return (double)time_ps / (double)UNITS_PS_PER_S;
}

static json_t *summary_benchmark(const struct results_benchmark *b)
{
    if (!(b->precision > 0))
        return json_null();
    return results_json("precision:f reached:f messages:l converged:b", b->precision,
                        b->reached, b->messages, b->converged);
}

static json_t *summary_lateness(const struct results_lateness *l)
{
    if (l->frames == 0)
        return json_null();
    return results_json("frames:l late:l late_by_s:f late_share:f median_s:f p99_s:f max_s:f overdue_s:f", l->frames,
                        l->late, summary_seconds(l->bound_ps), l->share, summary_seconds(l->median_ps),
                        summary_seconds(l->p99_ps), summary_seconds(l->most_ps), summary_seconds(l->overdue_ps));
}

static json_t *summary_messages(const struct results_messages *m)
{
    json_t *object = results_json("n:l time_s:f ack_wait_s:f", m->n, m->time_s, m->ack_wait_s);
    if (m->worst_bytes > 0)
        json_object_set_new(object, "worst",
                            results_json("from_rank:l to_rank:l tag:l bytes:l ack_wait_s:f", m->worst_from, m->worst_to,
                                         m->worst_tag, m->worst_bytes, m->worst_wait_s));
    return object;
}

/* Its flows and ports, which may be many, are left out unless `whole`. */
static json_t *summary_json(const struct results_summary *s, bool whole)
{
    json_t *captures = json_array();
    for (size_t i = 0; i < s->n_captures; i++)
        results_json_append(captures, "file:s at:s frames:l", s->captures[i].file, s->captures[i].at,
                            s->captures[i].frames);
    const struct results_operations *o = &s->operations;
    json_t *summary =
        results_json("contraflow:s engine:s title:s scenario:s seed:l simulated:b complete:b ended_s:f warmup_s:f "
                        "benchmark:o operations:o lateness:o flows:o ports:o captures:o",
                        s->contraflow, s->engine, s->title ? s->title : "",
                        "scenario.yaml", s->seed, true, s->complete, summary_seconds(s->ended_ps),
                        summary_seconds(s->warmup_ps), summary_benchmark(&s->benchmark),
                        o->n > 0 ? results_json("n:l mean_s:f ci95_s:f", o->n, o->mean_s, o->ci95_s) : json_null(),
                        summary_lateness(&s->lateness),
                        summary_rows(&results_flow_columns, s->flows, whole ? s->n_flows : 0),
                        summary_rows(&ports, s->ports, whole ? s->n_ports : 0), captures);
    if (s->bandwidth.bytes > 0)
        json_object_set_new(summary, "bandwidth", results_json("bytes:l algorithm_bps:f bus_bps:f", s->bandwidth.bytes,
                                                               s->bandwidth.algorithm_bps, s->bandwidth.bus_bps));
    if (s->messages.n > 0)
        json_object_set_new(summary, "messages", summary_messages(&s->messages));
    return summary;
}

json_t *results_summary_json(const struct results_summary *s)
{
    return summary_json(s, true);
}

static void summary_text(const json_t *object, const char *key, char *text, size_t size)
{
    const json_t *value = json_object_get(object, key);
    snprintf(text, size, "%s", json_is_string(value) ? json_string_value(value) : "");
}

static int64_t summary_time_ps(const json_t *object, const char *key)
{
    double seconds = json_number_value(json_object_get(object, key));
    return seconds > 0 && seconds < 9e6 ? llround(seconds * (double)UNITS_PS_PER_S) : 0;
}

/* The list `key` as rows; *n counts them. */
static void *summary_list(const json_t *object, const char *key, const struct results_columns *c, size_t *n)
{
    const json_t *list = json_object_get(object, key);
    char *rows = memory_zeroed(json_array_size(list), c->size, "a summary");
    for (*n = 0; *n < json_array_size(list); ++*n)
        results_columns_from_json(c, json_array_get(list, *n), rows + *n * c->size);
    return rows;
}

void results_summary_from_json(struct results_summary *s, const json_t *object)
{
    const json_t *title = json_object_get(object, "title"), *benchmark = json_object_get(object, "benchmark");
    const json_t *captures = json_object_get(object, "captures"), *operations = json_object_get(object, "operations");
    const json_t *lateness = json_object_get(object, "lateness"), *bandwidth = json_object_get(object, "bandwidth");
    const json_t *messages = json_object_get(object, "messages"), *worst = json_object_get(messages, "worst");
    *s = (struct results_summary){
        .title = memory_text("%s", json_is_string(title) ? json_string_value(title) : ""),
        .seed = json_integer_value(json_object_get(object, "seed")),
        .complete = json_is_true(json_object_get(object, "complete")),
        .ended_ps = summary_time_ps(object, "ended_s"),
        .warmup_ps = summary_time_ps(object, "warmup_s"),
        .benchmark = {json_number_value(json_object_get(benchmark, "precision")),
                      results_json_real(benchmark, "reached"),
                      json_integer_value(json_object_get(benchmark, "messages")),
                      json_is_true(json_object_get(benchmark, "converged"))},
        .operations = {json_integer_value(json_object_get(operations, "n")), results_json_real(operations, "mean_s"),
                       results_json_real(operations, "ci95_s")},
        .bandwidth = {json_integer_value(json_object_get(bandwidth, "bytes")),
                      results_json_real(bandwidth, "algorithm_bps"), results_json_real(bandwidth, "bus_bps")},
        .messages = {json_integer_value(json_object_get(messages, "n")), results_json_real(messages, "time_s"),
                     results_json_real(messages, "ack_wait_s"), json_integer_value(json_object_get(worst, "from_rank")),
                     json_integer_value(json_object_get(worst, "to_rank")),
                     json_integer_value(json_object_get(worst, "tag")),
                     json_integer_value(json_object_get(worst, "bytes")), results_json_real(worst, "ack_wait_s")},
        .lateness = {json_integer_value(json_object_get(lateness, "frames")),
                     json_integer_value(json_object_get(lateness, "late")), summary_time_ps(lateness, "late_by_s"),
                     results_json_real(lateness, "late_share"), summary_time_ps(lateness, "median_s"),
                     summary_time_ps(lateness, "p99_s"), summary_time_ps(lateness, "max_s"),
                     summary_time_ps(lateness, "overdue_s")},
        .captures = memory_zeroed(json_array_size(captures), sizeof *s->captures, "a summary"),
    };
    summary_text(object, "contraflow", s->contraflow, sizeof s->contraflow);
    summary_text(object, "engine", s->engine, sizeof s->engine);
    s->flows = summary_list(object, "flows", &results_flow_columns, &s->n_flows);
    s->ports = summary_list(object, "ports", &ports, &s->n_ports);
    for (; s->n_captures < json_array_size(captures); s->n_captures++) {
        const json_t *entry = json_array_get(captures, s->n_captures);
        struct results_capture *c = &s->captures[s->n_captures];
        summary_text(entry, "file", c->file, sizeof c->file);
        summary_text(entry, "at", c->at, sizeof c->at);
        c->frames = json_integer_value(json_object_get(entry, "frames"));
    }
}

/* Every number of a summary but the seed, wherever it stands. */
static bool summary_fits(json_t *value, const char *key, struct error *err)
{
    const char *inner;
    json_t *child;
    size_t i;
    bool ok = !json_is_number(value) || strcmp(key, "seed") == 0 || results_csv_fits(json_number_value(value)) ||
              error_set(err, ERROR_INPUT, "%s is %g; must be a number from 0 to %g", key, json_number_value(value),
                        RESULTS_CSV_MOST);
    json_object_foreach(value, inner, child)
        ok = ok && (summary_fits(child, inner, err) || (*key && error_prefix(err, "%s: ", key)));
    json_array_foreach(value, i, child)
        ok = ok && (summary_fits(child, "", err) || error_prefix(err, "%s %zu: ", key, i + 1));
    return ok;
}

bool results_summary_read(struct results_summary *s, const char *directory, struct error *err)
{
    json_error_t why;
    *s = (struct results_summary){.title = NULL};
    if (!results_directory_has(directory, "summary.json"))
        return error_set(err, ERROR_INPUT, "%s: a directory without summary.json, which a run writes last: not a finished run",
                         directory);
    MEMORY_LOCAL char *path = results_directory_path(directory, "summary.json");
    FILE *f = infile_open(path, err);
    json_auto_t *object = f ? json_loadf(f, 0, &why) : NULL;
    bool ok = json_is_boolean(json_object_get(object, "complete")) && json_is_array(json_object_get(object, "flows"));
    bool fits = ok && (summary_fits(object, "", err) || error_prefix(err, "%s: ", path));
    if (fits)
        results_summary_from_json(s, object);
    else if (!ok && f && ferror(f))
        infile_fail(path, err);
    else if (!ok && f)
        error_set(err, ERROR_INPUT, "%s: not the summary of a run: %s", path,
                  object ? "it has no \"complete\": true or false, or no list of flows" : why.text);
    if (f)
        fclose(f);
    return fits;
}

char *results_summary_partial(const struct results_summary *s, const char *directory)
{
    if (s->complete)
        return NULL;
    return memory_text("%s: this run was interrupted after %s s; the figures are of that part", directory,
                       UNITS_FIGURE(summary_seconds(s->ended_ps), 4));
}

#define LAYOUT (JSON_INDENT(1) | JSON_REAL_PRECISION(15))

/* Text of a row in a list of the outermost object: two places to the right. */
static int summary_put(const char *text, size_t n, void *stream)
{
    for (size_t i = 0; i < n; i++) {
        putc_unlocked(text[i], stream);
        if (text[i] == '\n')
            fputs("  ", stream);
    }
    return 0;
}

/* Writes `text` up to the end of the empty list `key`, with n rows in it; they are never all in memory as JSON. Returns
 * the rest of the text. */
static const char *summary_put_rows(FILE *f, const char *text, const char *key, const struct results_columns *c,
                                    const void *rows, size_t n)
{
    char empty[32];
    snprintf(empty, sizeof empty, "\n \"%s\": [", key); /* within a value a newline is written otherwise */
    const char *list = strstr(text, empty) + strlen(empty);
    fwrite(text, 1, (size_t)(list - text), f);
    for (size_t i = 0; i < n; i++) {
        json_auto_t *row = results_columns_json(c, (const char *)rows + i * c->size);
        fputs(i > 0 ? ",\n  " : "\n  ", f);
        json_dump_callback(row, summary_put, f, LAYOUT);
    }
    fputs(n > 0 ? "\n " : "", f);
    return list;
}

bool results_summary_write(const struct results_summary *s, const char *directory, struct error *err)
{
    struct outfile f;
    if (!results_directory_create(&f, directory, "summary.json", err))
        return false;
    json_auto_t *object = summary_json(s, false);
    MEMORY_LOCAL char *text = json_dumps(object, LAYOUT);
    if (!text)
        memory_end("a summary");
    const char *rest = summary_put_rows(f.stream, text, "flows", &results_flow_columns, s->flows, s->n_flows);
    rest = summary_put_rows(f.stream, rest, "ports", &ports, s->ports, s->n_ports);
    fprintf(f.stream, "%s\n", rest);
    return outfile_commit(&f, err);
}

void results_summary_fini(struct results_summary *s)
{
    MEMORY_FREE(s->title, s->flows, s->ports, s->captures);
    *s = (struct results_summary){.title = NULL};
}
