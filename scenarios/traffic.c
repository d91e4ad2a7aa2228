/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/traffic.h"

#include "base/units.h"
#include "scenarios/random_pattern.h"
#include "scenarios/traffic_collective.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANDOM_DRAWS 1000 /* a host: d */
#define REPEAT_MAX 1000000
#define PRECISION_REPEAT 2000 /* messages at most: maxIter of Zhu et al. 2014, section 3.1 */
#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

static bool traffic_no_memory(const struct fields *f)
{
    return error_set(f->err, ERROR_SYSTEM, "out of memory for the scenario's traffic");
}

bool traffic_repeat(const struct scenario *s, const char *text, int64_t bytes, int64_t *repeat, const struct fields *f)
{
    bool precise = s->precision > 0;
    *repeat = precise ? PRECISION_REPEAT : 1;
    if (!fields_integer(f, "repeat", text, precise ? SCENARIO_PRECISION_MESSAGES : 1, REPEAT_MAX, repeat))
        return false;
    return bytes > 0 || !text || *repeat == 1 ||
           fields_fail(f, "repeat", "%s messages of what size? give bytes, too", text);
}

/* Without network.hosts there will be one a star flow, and h0. */
static bool traffic_star_fits(const struct scenario *s, int flows, const struct fields *f)
{
    if (s->network.hosts > 0 || 1 + flows <= TRAFFIC_HOSTS)
        return true;
    return fields_fail_at(f, "traffic.star",
                          "needs %d hosts of at most %d; with network.hosts given, flows share hosts", 1 + flows,
                          TRAFFIC_HOSTS);
}

/* "3/1". */
static bool traffic_point(struct scenario *s, const char *text, int i, const struct fields *f)
{
    struct scenario_point p = {-1, -1};
    char key[24], canonical[24] = "";
    snprintf(key, sizeof key, "points.%d", i);
    if (sscanf(text, "%6d/%6d", &p.incoming, &p.outgoing) == 2)
        snprintf(canonical, sizeof canonical, "%d/%d", p.incoming, p.outgoing);
    if (strcmp(text, canonical) != 0 || p.incoming < 0 || p.outgoing < 0)
        return fields_fail(f, key, "'%s' is not a point; write in/out, such as 2/1", text);
    if (p.incoming + p.outgoing < 1 || p.incoming + p.outgoing > TRAFFIC_FLOWS)
        return fields_fail(f, key, "'%s' has %d flows; 1 to %d can run", text, p.incoming + p.outgoing,
                           TRAFFIC_FLOWS);
    for (int j = 0; j < i; j++)
        if (s->points[j].incoming == p.incoming && s->points[j].outgoing == p.outgoing)
            return fields_fail(f, key, "'%s' is there twice", text);
    s->points[i] = p;
    s->n_points = i + 1;
    return true;
}

static bool traffic_points(struct scenario *s, const struct schema_star *t, const struct fields *f)
{
    if (t->incoming || t->outgoing)
        return fields_fail(f, t->incoming ? "incoming" : "outgoing",
                           "does not go with points: each point, such as 2/1, says both numbers");
    if (t->points_count < 1 || t->points_count > TRAFFIC_POINTS)
        return fields_fail(f, "points", "%u points; give 1 to %d, such as [1/1, 2/1]", t->points_count,
                           TRAFFIC_POINTS);
    s->points = calloc(t->points_count, sizeof *s->points);
    if (!s->points)
        return traffic_no_memory(f);
    int most = 0;
    for (unsigned i = 0; i < t->points_count; i++) {
        if (!traffic_point(s, t->points[i], (int)i, f))
            return false;
        int flows = s->points[i].incoming + s->points[i].outgoing;
        most = flows > most ? flows : most;
    }
    return traffic_star_fits(s, most, f);
}

static bool traffic_star(struct scenario *s, const struct schema_star *t, struct fields *f)
{
    int64_t incoming = 0, outgoing = 0;
    fields_section(f, "traffic.star");
    if (!fields_window(f, "incoming_window", t->incoming_window, s->tcp.segment_bytes, &s->incoming_window_bytes) ||
        !fields_window(f, "outgoing_window", t->outgoing_window, s->tcp.segment_bytes, &s->outgoing_window_bytes) ||
        !fields_bytes(f, "bytes", t->bytes, 1, INT64_MAX, &s->star_bytes) ||
        !traffic_repeat(s, t->repeat, s->star_bytes, &s->star_repeat, f))
        return false;
    if (document_kind(f->doc, "traffic.star.points") != DOCUMENT_NONE)
        return traffic_points(s, t, f);
    if (!fields_integer(f, "incoming", t->incoming, 0, TRAFFIC_FLOWS, &incoming) ||
        !fields_integer(f, "outgoing", t->outgoing, 0, TRAFFIC_FLOWS, &outgoing))
        return false;
    if (incoming + outgoing < 1 || incoming + outgoing > TRAFFIC_FLOWS)
        return fields_fail_at(f, document_culprit(f->doc, "traffic.star.incoming", "traffic.star.outgoing"),
                              "%d incoming and %d outgoing flows; 1 to %d together can run", (int)incoming,
                              (int)outgoing, TRAFFIC_FLOWS);
    struct scenario_point point = {(int)incoming, (int)outgoing};
    return traffic_star_fits(s, point.incoming + point.outgoing, f) && scenario_list_star(s, &point, f->err);
}

/* "200ms after 1MB" */
static bool traffic_pauses(struct scenario *s, const struct schema_flow *t, int i, struct fields *f)
{
    const struct scenario_flow *flow = &s->flows[i];
    if (t->pauses_count == 0)
        return true;
    if (flow->repeat > 1 || flow->duplex)
        return fields_fail(f, "pauses", "do not go with repeat or duplex, which wait for the other end");
    struct scenario_pause *grown = realloc(s->pauses, ((size_t)s->n_pauses + t->pauses_count) * sizeof *grown);
    if (!grown)
        return traffic_no_memory(f);
    s->pauses = grown;
    int64_t last = 0;
    for (unsigned k = 0; k < t->pauses_count; k++) {
        char key[24], time[32], bytes[32];
        int length = 0;
        struct scenario_pause *p = &s->pauses[s->n_pauses];
        p->flow = i;
        snprintf(key, sizeof key, "pauses.%u", k);
        if (sscanf(t->pauses[k], "%31s after %31s%n", time, bytes, &length) != 2 || t->pauses[k][length] != '\0')
            return fields_fail(f, key, "'%s' is not a pause; write such as 200ms after 1MB", t->pauses[k]);
        if (!fields_time(f, key, time, 1, INT64_MAX / 4, &p->pause_ps) ||
            !fields_bytes(f, key, bytes, 1, flow->bytes > 0 ? flow->bytes - 1 : INT64_MAX / 4, &p->after_bytes))
            return false;
        if (p->after_bytes <= last)
            return fields_fail(f, key, "'%s' does not come after the pause before it", t->pauses[k]);
        last = p->after_bytes;
        s->n_pauses++;
    }
    return true;
}

static bool traffic_flow(struct scenario *s, const struct schema_flow *t, int i, int hosts, int64_t start_ps,
                         struct fields *f)
{
    struct scenario_flow *flow = &s->flows[i];
    int64_t window = s->tcp.receive_buffer_bytes;
    int duplex = false;
    fields_section(f, "traffic.flows.%d", i);
    if (!t->from || !t->to)
        return fields_fail(f, t->from ? "to" : "from", "is missing; a flow goes {from: h1, to: h0}");
    if (!fields_host(f, "from", t->from, hosts, &flow->from) || !fields_host(f, "to", t->to, hosts, &flow->to))
        return false;
    if (flow->from == flow->to)
        return fields_fail(f, "to", "'%s' is also where the flow comes from", t->to);
    snprintf(flow->name, sizeof flow->name, "f%d", i);
    if (t->name) {
        size_t length = strlen(t->name);
        if (length < 1 || length >= sizeof flow->name || strspn(t->name, NAME_CHARACTERS) != length)
            return fields_fail(f, "name", "'%s' is not a name: 1 to %zu of the characters A-Z a-z 0-9 _ . -",
                               t->name, sizeof flow->name - 1);
        memcpy(flow->name, t->name, length + 1);
    }
    flow->start_ps = start_ps;
    if (!fields_bytes(f, "bytes", t->bytes, 1, INT64_MAX, &flow->bytes) ||
        !fields_time(f, "start", t->start, 0, INT64_MAX, &flow->start_ps) ||
        !fields_window(f, "window", t->window, s->tcp.segment_bytes, &window) ||
        !traffic_repeat(s, t->repeat, flow->bytes, &flow->repeat, f) ||
        !fields_switch(f, "duplex", t->duplex, &duplex))
        return false;
    flow->duplex = duplex;
    if (flow->start_ps >= s->duration_ps) {
        char path[FIELDS_PATH], end[UNITS_TEXT];
        snprintf(path, sizeof path, "%s.start", f->section);
        units_format_time(s->duration_ps, end);
        return fields_fail_at(f, document_culprit(f->doc, path, "duration"),
                              "a start at %s is not before the end of the run at %s", t->start, end);
    }
    flow->tcp = scenario_flow_tcp(s, window);
    return fields_congestion(f, "congestion", t->congestion, &flow->tcp.congestion) && traffic_pauses(s, t, i, f);
}

static int traffic_compare_names(const void *a, const void *b)
{
    const struct scenario_flow *x = *(const struct scenario_flow *const *)a;
    const struct scenario_flow *y = *(const struct scenario_flow *const *)b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x > y) - (x < y);
}

static bool traffic_names_differ(const struct scenario *s, struct fields *f)
{
    const struct scenario_flow **sorted = calloc((size_t)s->n_flows, sizeof *sorted);
    if (!sorted)
        return traffic_no_memory(f);
    for (int i = 0; i < s->n_flows; i++)
        sorted[i] = &s->flows[i];
    qsort(sorted, (size_t)s->n_flows, sizeof *sorted, traffic_compare_names);
    bool ok = true;
    for (int i = 1; ok && i < s->n_flows; i++) {
        if (strcmp(sorted[i - 1]->name, sorted[i]->name) != 0)
            continue;
        fields_section(f, "traffic.flows.%d", (int)(sorted[i] - s->flows));
        ok = fields_fail(f, "name", "'%s' is also the name of flow %d", sorted[i]->name,
                         (int)(sorted[i - 1] - s->flows));
    }
    free(sorted);
    return ok;
}

static bool traffic_flows(struct scenario *s, const struct schema_traffic *t, struct fields *f)
{
    if (t->flows_count < 1 || t->flows_count > TRAFFIC_FLOWS)
        return fields_fail_at(f, "traffic.flows", "%u flows; 1 to %d can run", t->flows_count, TRAFFIC_FLOWS);
    s->n_flows = (int)t->flows_count;
    s->flows = calloc(t->flows_count, sizeof *s->flows);
    if (!s->flows)
        return traffic_no_memory(f);
    struct random random;
    random_init(&random, s->seed);
    int last = 1; /* a network has two hosts at least */
    for (int i = 0; i < s->n_flows; i++) {
        /* One draw a flow, so that giving one flow its start leaves the others where they were. */
        int64_t start_ps = scenario_draw_start(s, &random);
        int hosts = s->network.hosts > 0 ? s->network.hosts : TRAFFIC_HOSTS;
        if (!traffic_flow(s, &t->flows[i], i, hosts, start_ps, f))
            return false;
        last = s->flows[i].from > last ? s->flows[i].from : last;
        last = s->flows[i].to > last ? s->flows[i].to : last;
    }
    if (s->network.hosts == 0)
        s->network.hosts = last + 1;
    return traffic_names_differ(s, f);
}

/* A pattern of Zhu et al. 2014, section 7.1, drawn by the scenario's seed. */
static bool traffic_random(struct scenario *s, const struct schema_random *t, struct fields *f)
{
    int64_t d = 1, bytes[2] = {10000000, 10000000}, repeat;
    double probability = 0.5;
    bool all = t->d && strcmp(t->d, "all") == 0;
    fields_section(f, "traffic.random");
    if (s->network.hosts == 0)
        return fields_fail_at(f, "traffic.random", "needs to know how many hosts there are: give network.hosts");
    if ((!all && !fields_integer(f, "d", t->d, 1, RANDOM_DRAWS, &d)) ||
        !fields_number(f, "probability", t->probability, 0, 1, &probability) ||
        !fields_bytes_range(f, "bytes", t->bytes, 1, INT64_MAX, bytes) ||
        !traffic_repeat(s, t->repeat, bytes[0], &repeat, f))
        return false;
    size_t draws = all ? (size_t)s->network.hosts - 1 : (size_t)d;
    struct random_pattern_pair *pairs = calloc((size_t)s->network.hosts * draws + 1, sizeof *pairs);
    if (!pairs)
        return traffic_no_memory(f);
    struct random random;
    random_init(&random, s->seed);
    size_t n = random_pattern_draw(s->network.hosts, all ? RANDOM_PATTERN_ALL : (int)d, probability, &random, pairs);
    if (n > TRAFFIC_FLOWS) {
        free(pairs);
        return fields_fail_at(f, "traffic.random", "%zu transfers were drawn; at most %d can run", n, TRAFFIC_FLOWS);
    }
    s->flows = calloc(n + 1, sizeof *s->flows);
    for (size_t i = 0; s->flows && i < n; i++) {
        struct scenario_flow *flow = &s->flows[i];
        *flow = (struct scenario_flow){.from = pairs[i].from, .to = pairs[i].to, .repeat = repeat};
        flow->bytes = bytes[0];
        if (bytes[1] > bytes[0])
            flow->bytes += (int64_t)random_below(&random, (uint64_t)(bytes[1] - bytes[0]) + 1);
        snprintf(flow->name, sizeof flow->name, "e%zu", i + 1);
        flow->start_ps = scenario_draw_start(s, &random);
        flow->tcp = scenario_flow_tcp(s, s->tcp.receive_buffer_bytes);
    }
    free(pairs);
    s->n_flows = s->flows ? (int)n : 0;
    if (!s->flows)
        return traffic_no_memory(f);
    if (n == 0)
        return fields_fail_at(f, "traffic.random", "no transfer was drawn with probability %g; try another seed",
                              probability);
    return true;
}

/* A flow without end would never come to the barrier. With precision all send until everybody's time is known. */
static bool traffic_barrier_fits(const struct scenario *s, const struct fields *f)
{
    const char *key = s->precision > 0 ? "traffic.precision" : "traffic.barrier";
    bool endless = s->n_points > 0 && s->star_bytes == 0;
    if (s->precision > 0 && (s->traffic != SCENARIO_TRAFFIC_FLOWS || s->transport != SCENARIO_TRANSPORT_TCP))
        return fields_fail_at(f, key, "is for messages over TCP: star, pairs, random or flows");
    for (int i = 0; i < s->n_flows; i++)
        endless = endless || s->flows[i].bytes == 0;
    if (s->barrier && endless)
        return fields_fail_at(f, key, "there are flows without bytes: they would never come to %s",
                              s->precision > 0 ? "the barrier" : "it");
    for (int i = 1; i < s->n_flows && s->precision > 0; i++)
        if (s->flows[i].repeat != s->flows[0].repeat)
            return fields_fail_at(f, key, "flows %s and %s repeat %" PRId64 " and %" PRId64
                                  " times; all send equally many", s->flows[0].name, s->flows[i].name,
                                  s->flows[0].repeat, s->flows[i].repeat);
    return true;
}

/* What only TCP's flows can. */
static bool traffic_gbn_fits(const struct scenario *s, const struct fields *f)
{
    if (s->transport != SCENARIO_TRANSPORT_GBN)
        return true;
    for (int i = 0; i < s->n_flows; i++)
        if (s->flows[i].repeat > 1 || s->flows[i].duplex)
            return fields_fail_at(f, "traffic.flows", "flow %s: repeat and duplex are for TCP; the transport is gbn",
                                  s->flows[i].name);
    if (s->n_pauses > 0)
        return fields_fail_at(f, "traffic.flows", "flow %s: pauses are for TCP; the transport is gbn",
                              s->flows[s->pauses[0].flow].name);
    return !s->barrier || fields_fail_at(f, "traffic.barrier", "is for TCP's messages; the transport is gbn");
}

bool traffic_load(struct scenario *s, const struct schema_traffic *t, struct fields *f)
{
    bool flows = document_kind(f->doc, "traffic.flows") != DOCUMENT_NONE;
    s->start_spread_ps = 100 * UNITS_PS_PER_US;
    s->star_repeat = 1;
    s->incoming_window_bytes = s->outgoing_window_bytes = s->tcp.receive_buffer_bytes;
    fields_section(f, "traffic");
    int barrier = false;
    struct schema_star usual = {.incoming = (char[]){"2"}, .outgoing = (char[]){"1"}};
    if (!fields_time(f, "start_spread", t->start_spread, 0, INT64_MAX, &s->start_spread_ps) ||
        !fields_switch(f, "barrier", t->barrier, &barrier) ||
        !fields_share(f, "precision", t->precision, &s->precision))
        return false;
    if (t->barrier && !barrier && s->precision > 0)
        return fields_fail_at(f, document_culprit(f->doc, "traffic.barrier", "traffic.precision"),
                              "precision has all flows start together, which is the barrier");
    s->barrier = barrier || s->precision > 0;
    if (s->start_spread_ps >= s->duration_ps) {
        char spread[UNITS_TEXT], duration[UNITS_TEXT];
        units_format_time(s->start_spread_ps, spread);
        units_format_time(s->duration_ps, duration);
        return fields_fail_at(f, document_culprit(f->doc, "traffic.start_spread", "duration"),
                              "starts spread over %s do not fit into a run of %s", spread, duration);
    }
    const char *kinds[] = {flows ? "flows" : NULL,
                           t->star ? "star" : NULL,
                           t->random ? "random" : NULL,
                           t->pairs ? "pairs" : NULL,
                           t->exchange ? "exchange" : NULL,
                           t->burst ? "burst" : NULL,
                           t->pingpong ? "pingpong" : NULL,
                           t->uniform ? "uniform" : NULL};
    char first[48] = "";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char key[48];
        if (!kinds[i])
            continue;
        snprintf(key, sizeof key, "traffic.%s", kinds[i]);
        if (*first)
            return fields_fail_at(f, document_culprit(f->doc, first, key),
                                  "traffic is one of star, pairs, random, exchange, burst, pingpong, uniform and "
                                  "flows");
        memcpy(first, key, sizeof first);
    }
    bool ok = t->random     ? traffic_random(s, t->random, f)
              : t->pairs    ? traffic_pairs(s, t->pairs, f)
              : t->exchange ? traffic_exchange(s, t->exchange, f)
              : t->burst    ? traffic_burst(s, t->burst, f)
              : t->pingpong ? traffic_pingpong(s, t->pingpong, f)
              : t->uniform  ? traffic_uniform(s, t->uniform, f)
              : flows       ? traffic_flows(s, t, f)
                            : traffic_star(s, t->star ? t->star : &usual, f);
    return ok && traffic_barrier_fits(s, f) && traffic_gbn_fits(s, f);
}
