/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flent's data files, versions 1 to 4: metadata, x_values in seconds and, aligned with them, results by series, null where
 * there is no value. Series "TCP upload..." and "TCP download..." are flows in Mbit/s, but for those that flent works out
 * of others: avg, sum, fairness, and "...::tcp_rtt" and the like, which ss gave for an upload. "Ping (ms) ICMP" is a
 * round trip that begins before the flows do. */
#include "foreign/parts.h"

#include "base/text.h"

#include <time.h>

#define VERSION 4
#define MBIT 1e6
#define PING "Ping (ms) ICMP"

static bool flent_fail(const char *path, const char *what, struct error *err)
{
    return error_set(err, ERROR_INPUT, "%s: %s; flent writes it", path, what);
}

static bool flent_is_flow(const char *name)
{
    static const char *const derived[] = {" avg", " sum", " fairness"};
    if ((strncmp(name, "TCP upload", 10) != 0 && strncmp(name, "TCP download", 12) != 0) || strstr(name, "::tcp_"))
        return false;
    for (size_t i = 0; i < sizeof derived / sizeof *derived; i++)
        if (text_ends(name, derived[i]))
            return false;
    return true;
}

/* "2017-05-30T15:42:47.075621Z"; NAN: none. */
static double flent_time(const json_t *text)
{
    struct tm tm = {.tm_isdst = 0};
    double seconds;
    const char *s = json_string_value(text);
    if (!s || sscanf(s, "%4d-%2d-%2dT%2d:%2d:%lf", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &tm.tm_hour, &tm.tm_min,
                     &seconds) != 6 || !(seconds >= 0 && seconds < 61))
        return NAN;
    tm.tm_year -= 1900;
    tm.tm_mon--;
    return (double)timegm(&tm) + seconds;
}

/* The server whose name a series ends with, where there are several; else the only one. */
static const char *flent_server(const json_t *metadata, const char *series)
{
    json_t *hosts = json_object_get(metadata, "HOSTS"), *host;
    size_t i;
    json_array_foreach(hosts, i, host)
        if (json_is_string(host) && text_ends(series, json_string_value(host)))
            return json_string_value(host);
    return json_string_value(json_object_get(metadata, "HOST"));
}

/* Mean and least of a series of milliseconds, over [from_s, to_s) and over all of it. */
static void flent_ms(const json_t *x_values, const json_t *series, double from_s, double to_s, double *mean_s,
                     double *least_s)
{
    double sum = 0, n = 0;
    json_t *value;
    size_t i;
    *least_s = NAN;
    json_array_foreach(series, i, value) {
        double s = json_number_value(value) * 1e-3, at_s = json_number_value(json_array_get(x_values, i));
        if (!(s > 0))
            continue;
        *least_s = fmin(s, *least_s);
        sum += at_s >= from_s && at_s < to_s ? s : 0;
        n += at_s >= from_s && at_s < to_s;
    }
    *mean_s = n > 0 ? sum / n : (double)NAN;
}

static bool flent_flow(struct foreign_test *t, const char *path, const json_t *root, const char *name,
                       const json_t *series, double step_s, struct error *err)
{
    const json_t *metadata = json_object_get(root, "metadata"), *x_values = json_object_get(root, "x_values");
    const json_t *meta = json_object_get(json_object_get(metadata, "SERIES_META"), name);
    const char *units = json_string_value(json_object_get(meta, "UNITS")), *server = flent_server(metadata, name);
    bool up = name[4] == 'u';
    json_t *value;
    size_t i;
    if (json_array_size(series) != json_array_size(x_values))
        return error_set(err, ERROR_INPUT, "%s: results.%.60s: not as long as x_values", path, name);
    if (units && strcmp(units, "Mbits/s") != 0)
        return error_set(err, ERROR_INPUT, "%s: metadata.SERIES_META.%.60s.UNITS: '%.20s'; must be Mbits/s", path, name,
                         units);
    if (!server || !*server)
        return flent_fail(path, "no metadata.HOST", err);
    struct foreign_flow *f = foreign_test_flow(t, name, up ? t->host : server, up ? server : t->host);
    json_array_foreach(series, i, value) {
        double at_s = json_number_value(json_array_get(x_values, i)), bps = json_number_value(value) * MBIT;
        if (at_s >= t->from_s && at_s + step_s <= t->to_s && json_is_number(value) && bps > 0 && isfinite(bps))
            foreign_test_sample(f, at_s, at_s + step_s, bps);
    }
    f->mean_bps = foreign_test_rate_bps(f, t->from_s, t->to_s);
    if (!(f->mean_bps > 0))
        return error_set(err, ERROR_INPUT, "%s: results.%.60s: no value while its flow lasts", path, name);
    return true;
}

/* What ss said of an upload, else the pings: those are of the same queues, where all share one. */
static void flent_round_trips(struct foreign_test *t, const json_t *root)
{
    const json_t *x_values = json_object_get(root, "x_values"), *results = json_object_get(root, "results");
    double ping_s, least_s, own_least_s;
    char key[FOREIGN_NAME + 16];
    flent_ms(x_values, json_object_get(results, PING), t->from_s, t->to_s, &ping_s, &least_s);
    for (size_t i = 0; i < t->n; i++) {
        struct foreign_flow *f = &t->flow[i];
        snprintf(key, sizeof key, "%s::tcp_rtt", f->name);
        flent_ms(x_values, json_object_get(results, key), t->from_s, t->to_s, &f->rtt_s, &own_least_s);
        f->rtt_s = isfinite(f->rtt_s) ? f->rtt_s : ping_s;
        f->least_rtt_s = fmin(least_s, own_least_s);
    }
}

bool foreign_flent_read(struct foreign_test *t, const char *path, const json_t *root, struct error *err)
{
    const json_t *metadata = json_object_get(root, "metadata");
    json_t *results = json_object_get(root, "results"), *series;
    double version = foreign_number(root, "version"), step_s = foreign_number(metadata, "STEP_SIZE");
    double lasts_s = foreign_number(metadata, "LENGTH"), total_s = foreign_number(metadata, "TOTAL_LENGTH");
    const char *local = json_string_value(json_object_get(metadata, "LOCAL_HOST")), *name;
    if (version > VERSION)
        return error_set(err, ERROR_INPUT, "%s: version: %g; up to %d is known", path, version, VERSION);
    if (!(lasts_s > 0) || !(step_s > 0))
        return flent_fail(path, "no metadata.LENGTH or metadata.STEP_SIZE", err);
    snprintf(t->host, sizeof t->host, "%s", local && *local ? local : "local");
    t->start_s = flent_time(json_object_get(metadata, "T0"));
    t->start_s = isfinite(t->start_s) ? t->start_s : flent_time(json_object_get(metadata, "TIME"));
    t->from_s = total_s > lasts_s ? (total_s - lasts_s) / 2 : 0; /* pings go on before and after */
    t->to_s = t->from_s + lasts_s;
    bool ok = true;
    json_object_foreach(results, name, series)
        if (ok && flent_is_flow(name))
            ok = flent_flow(t, path, root, name, series, step_s, err);
    if (ok && t->n == 0)
        return flent_fail(path, "no series 'TCP upload' or 'TCP download' in results", err);
    flent_round_trips(t, root);
    return ok;
}
