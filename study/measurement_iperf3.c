/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What iperf3 --json prints: of each stream the rate at which its receiver got data, or, in a file of the client alone,
 * its sender sent them; and that of each interval, as far as the streams lasted through it. */
#include "base/infile.h"
#include "base/memory.h"
#include "study/measurement.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST ((size_t)64 << 20) /* bytes of a file */
#define WHOLE 0.9 /* of the usual interval: a shorter one is the rest at the end */

bool study_measurement_is_iperf3(const char *path)
{
    char c = 0;
    struct error ignored;
    FILE *f = infile_open(path, &ignored);
    bool json = f && fscanf(f, " %c", &c) == 1 && c == '{';
    if (f)
        fclose(f);
    return json;
}

static double iperf3_number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* Seconds since the epoch that the test began. */
static double iperf3_start_s(const json_t *root)
{
    return iperf3_number(json_object_get(json_object_get(root, "start"), "timestamp"), "timesecs");
}

static bool iperf3_fail(const char *path, const char *what, struct error *err)
{
    return error_set(err, ERROR_INPUT, "%s: %s; 'iperf3 --json' prints it", path, what);
}

/* Does the stream go from the host that wrote the file to the other? Since 3.7 each stream says so itself. */
static bool iperf3_forward(const json_t *root, const json_t *way)
{
    const json_t *sender = json_object_get(way, "sender");
    const json_t *test = json_object_get(json_object_get(root, "start"), "test_start");
    return json_is_boolean(sender) ? json_is_true(sender) : !(iperf3_number(test, "reverse") > 0);
}

/* The values of one socket: its intervals, and without several of them the mean. */
static void iperf3_values(const json_t *root, json_int_t socket, double mean_bps, struct study_measurement_flow *f)
{
    json_t *intervals = json_object_get(root, "intervals"), *interval, *stream;
    size_t i, k;
    double usual_s = NAN;
    json_array_foreach(intervals, i, interval) {
        json_array_foreach(json_object_get(interval, "streams"), k, stream) {
            double seconds = iperf3_number(stream, "seconds"), bps = iperf3_number(stream, "bits_per_second");
            if (json_integer_value(json_object_get(stream, "socket")) != socket || !(bps > 0) ||
                json_is_true(json_object_get(stream, "omitted")))
                continue;
            usual_s = isnan(usual_s) ? seconds : usual_s;
            if (seconds >= WHOLE * usual_s)
                study_measurement_add_bps(f, bps);
        }
    }
    if (f->log.n < 2) {
        f->log = (struct estimate_running){.n = 0};
        study_measurement_add_bps(f, mean_bps);
    }
}

static bool iperf3_stream(struct study_measurement *m, struct study_measurement_pattern *p, const char *path,
                          const json_t *root, const json_t *stream, struct error *err)
{
    json_t *connected = json_object_get(json_object_get(root, "start"), "connected"), *end = NULL, *one;
    const json_t *way = json_object_get(stream, "receiver");
    way = iperf3_number(way, "bits_per_second") > 0 ? way : json_object_get(stream, "sender");
    json_int_t socket = json_integer_value(json_object_get(json_object_get(stream, "sender"), "socket"));
    double bps = iperf3_number(way, "bits_per_second");
    size_t i;
    json_array_foreach(connected, i, one)
        if (json_integer_value(json_object_get(one, "socket")) == socket)
            end = one;
    const char *local = json_string_value(json_object_get(end, "local_host"));
    const char *remote = json_string_value(json_object_get(end, "remote_host"));
    if (!local || !remote || strlen(local) >= STUDY_MEASUREMENT_NAME || strlen(remote) >= STUDY_MEASUREMENT_NAME)
        return iperf3_fail(path, "a stream of end.streams is not among start.connected", err);
    if (!(bps > 0))
        return iperf3_fail(path, "a stream has no bits_per_second", err);
    bool forward = iperf3_forward(root, way);
    struct study_measurement_flow like = {.spread = NAN};
    snprintf(like.name, sizeof like.name, "%lld:%lld", (long long)json_integer_value(json_object_get(end, "local_port")),
             (long long)json_integer_value(json_object_get(end, "remote_port")));
    like.from = study_measurement_host(m, forward ? local : remote);
    like.to = study_measurement_host(m, forward ? remote : local);
    iperf3_values(root, socket, bps, study_measurement_flow_of(m, p, &like));
    return true;
}

bool study_measurement_read_iperf3(struct study_measurement *m, const char *path, struct error *err)
{
    size_t size, i, before = m->flows;
    char *text = infile_read(path, MOST, "iperf3's JSON", &size, err);
    if (!text)
        return false;
    json_error_t said;
    json_t *root = json_loadb(text, size, 0, &said);
    free(text);
    if (!root)
        return error_set(err, ERROR_INPUT, "%s:%d: not JSON: %.160s", path, said.line, said.text);
    json_t *streams = json_object_get(json_object_get(root, "end"), "streams"), *stream;
    const json_t *seconds = json_object_get(json_object_get(root, "start"), "test_start");
    double start_s = iperf3_start_s(root), lasts_s = iperf3_number(seconds, "duration");
    char name[STUDY_MEASUREMENT_NAME];
    bool ok = (isfinite(start_s) && json_array_size(streams) > 0) ||
              iperf3_fail(path, json_is_string(json_object_get(root, "error"))
                                    ? "the test failed: it has an \"error\""
                                    : "no start.timestamp.timesecs, or no end.streams: not a test of TCP", err);
    /* tests that began within half of one of them are one pattern, which the first one names by its time */
    snprintf(name, sizeof name, "%.0f", start_s);
    for (i = 0; ok && i < m->n; i++) {
        char *rest;
        double other_s = strtod(m->patterns[i].name, &rest);
        if (rest != m->patterns[i].name && !*rest && fabs(other_s - start_s) < lasts_s / 2)
            snprintf(name, sizeof name, "%s", m->patterns[i].name);
    }
    struct study_measurement_pattern *p = ok ? study_measurement_pattern_of(m, name) : NULL;
    json_array_foreach(streams, i, stream)
        ok = ok && iperf3_stream(m, p, path, root, stream, err);
    json_decref(root);
    return ok && (m->flows > before || iperf3_fail(path, "no stream", err));
}
