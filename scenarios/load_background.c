/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traffic from tables and by chance, drawn when a scenario is loaded: what is listed then is what every engine runs, and
 * what is saved. */
#include "results/csv.h"
#include "scenarios/load_parts.h"
#include "scenarios/traffic/played.h"
#include "scenarios/traffic/sizes.h"

#define PAUSES 50000 /* of all sources: a saved scenario has room for them */

/* Flows that grow one by one. */
struct grown {
    struct scenario_flow *flows; /* owned until they are the scenario's */
    size_t n, capacity;
};

static struct scenario_flow *grown_add(struct grown *g, const struct scenario *s, const char *prefix, int from, int to)
{
    g->flows = memory_grown(g->flows, g->n, &g->capacity, 64, sizeof *g->flows, "the flows of a scenario");
    struct scenario_flow *f = &g->flows[g->n++];
    *f = (struct scenario_flow){.from = from, .to = to, .repeat = 1,
                                .tcp = scenario_flow_tcp(s, s->tcp.receive_buffer_bytes)};
    snprintf(f->name, sizeof f->name, "%s%zu", prefix, g->n);
    return f;
}

static void grown_free(struct grown *g)
{
    for (size_t i = 0; i < g->n; i++)
        free(g->flows[i].pauses);
    free(g->flows);
}

/* A quantity of a table, which may lack its unit. */
static bool csv_quantity(const struct results_csv *c, const char *column, const char *text, const char *unit,
                         bool (*parse)(const char *, int64_t *, struct error *), int64_t *value, struct error *err)
{
    char whole[2 * UNITS_TEXT];
    bool bare = strspn(text, "0123456789.") == strlen(text);
    snprintf(whole, sizeof whole, "%.32s%s", text, bare ? unit : "");
    if (parse(whole, value, err) && *value >= 0)
        return true;
    char why[sizeof err->message];
    snprintf(why, sizeof why, "%s", err->code ? err->message : "negative");
    return results_csv_fail(c, err, "%s: %.400s", column, why);
}

static bool csv_host(const struct results_csv *c, const char *column, const char *text, int *host, struct error *err)
{
    static const struct key key = {.kind = KEY_HOST, .size = sizeof(int)};
    char why[sizeof err->message];
    if (keys_kind_parse(&key, text, host, err))
        return true;
    snprintf(why, sizeof why, "%s", err->message);
    return results_csv_fail(c, err, "%s: %.400s", column, why);
}

static bool csv_flow(const struct load *l, struct grown *g, const struct results_csv *c, char *const *value)
{
    int from, to;
    int64_t bytes, start_ps, rate_bps = 0;
    if (!csv_host(c, "from", value[0], &from, l->err) || !csv_host(c, "to", value[1], &to, l->err) ||
        !csv_quantity(c, "bytes", value[2], "", units_parse_bytes, &bytes, l->err) ||
        !csv_quantity(c, "start", value[3], "s", units_parse_time, &start_ps, l->err) ||
        (*value[4] && !csv_quantity(c, "rate", value[4], "bps", units_parse_rate, &rate_bps, l->err)))
        return false;
    if (from == to)
        return results_csv_fail(c, l->err, "to: 'h%d' is also where the flow comes from", to);
    if (bytes < 1)
        return results_csv_fail(c, l->err, "bytes: a flow sends 1 or more");
    if (start_ps >= l->s->duration_ps)
        return results_csv_fail(c, l->err, "start: not before the end of the run");
    if (*value[4] && (rate_bps < SCENARIO_RATE_MIN || rate_bps > SCENARIO_RATE_MAX))
        return results_csv_fail(c, l->err, "rate: outside 1kbps to 8Tbps");
    if (g->n == SCENARIO_FLOWS)
        return results_csv_fail(c, l->err, "more than %d flows", SCENARIO_FLOWS);
    struct scenario_flow *f = grown_add(g, l->s, "f", from, to);
    f->bytes = bytes;
    f->start_ps = start_ps;
    f->rate_bps = rate_bps;
    return true;
}

bool load_csv(struct load *l)
{
    static const char *const columns[] = {"from", "to", "bytes", "start", "rate"};
    struct scenario *s = l->s;
    struct results_csv c;
    struct grown g = {0};
    char *value[5], *path MEMORY_LOCAL = load_file(l, s->csv);
    enum results_csv_next next = RESULTS_CSV_FAILED;
    bool ok = results_csv_open(&c, path, columns, 5, 4, l->err), opened = ok;
    while (ok && (next = results_csv_next(&c, value, l->err)) == RESULTS_CSV_ROW)
        ok = csv_flow(l, &g, &c, value);
    ok = ok && next == RESULTS_CSV_END && (g.n > 0 || results_csv_fail(&c, l->err, "no flow"));
    if (opened)
        results_csv_close(&c);
    if (!ok) {
        grown_free(&g);
        return document_blame(l->doc, "traffic.csv", l->err);
    }
    s->flows = g.flows;
    s->n_flows = (int)g.n;
    int last = 1;
    for (int i = 0; i < s->n_flows; i++) {
        last = s->flows[i].from > last ? s->flows[i].from : last;
        last = s->flows[i].to > last ? s->flows[i].to : last;
    }
    if (s->network.hosts == 0)
        s->network.hosts = last + 1;
    return last < s->network.hosts ||
           load_fail(l, "traffic.csv", "'h%d' is not in this network; hosts are h0 to h%d", last, s->network.hosts - 1);
}

static bool load_sizes(const struct load *l, const char *key, const char *name, struct sizes *sizes)
{
    MEMORY_LOCAL char *path = load_file(l, name);
    bool ok = sizes_read(sizes, path, l->err);
    return ok || document_blame(l->doc, key, l->err);
}

/* Clients and their server as a GOAL text: think, ask, wait for the answer, again. */
bool load_requests(struct load *l)
{
    struct scenario *s = l->s;
    const struct scenario_requests *q = &s->requests;
    struct sizes sizes = {0};
    struct schedule schedule;
    struct random random = random_of(s->seed);
    if (s->network.hosts == 0 && q->n_clients == 0)
        return load_fail(l, "traffic.requests", "needs to know how many hosts there are: give network.hosts");
    s->n_ranks = 1 + (q->n_clients > 0 ? q->n_clients : s->network.hosts - 1);
    s->ranks = memory_zeroed((size_t)s->n_ranks, sizeof *s->ranks, "ranks");
    s->ranks[0] = q->server;
    for (int i = 1; i < s->n_ranks; i++)
        s->ranks[i] = q->n_clients > 0 ? q->clients[i - 1] : i - 1 + (i - 1 >= q->server);
    s->eager_bytes = SCHEDULE_BYTES; /* whoever asks waits */
    if (*q->sizes && !load_sizes(l, "traffic.requests.sizes", q->sizes, &sizes))
        return false;
    int64_t lines = 1 + 2 * s->n_ranks + (int64_t)(s->n_ranks - 1) * (10 * q->count - 2);
    if (lines > SCENARIO_LINES) {
        sizes_fini(&sizes);
        return load_fail(l, "traffic.requests.count", "%" PRId64 " operations and dependencies; at most %d can be kept", lines,
                         SCENARIO_LINES);
    }
    schedule_init(&schedule, s->n_ranks);
    for (int client = 1; client < s->n_ranks; client++)
        for (int64_t i = 0, answered = -1, sent = -1; i < q->count; i++) {
            int64_t bytes = sizes.n > 0 ? sizes_draw(&sizes, &random) : q->response_bytes;
            double think_ns = sizes_draw_exponential((double)q->think_ps / (double)UNITS_PS_PER_NS, &random);
            struct schedule_op calc = {.kind = SCHEDULE_CALC, .amount = (int64_t)fmin(think_ns, (double)SCHEDULE_NS)};
            struct schedule_op ask = {.kind = SCHEDULE_SEND, .amount = q->request_bytes};
            struct schedule_op asked = {.kind = SCHEDULE_RECEIVE, .peer = client, .amount = q->request_bytes};
            struct schedule_op answer = {.kind = SCHEDULE_SEND, .peer = client, .tag = 1, .amount = bytes};
            struct schedule_op got = {.kind = SCHEDULE_RECEIVE, .tag = 1, .amount = bytes};
            int think = schedule_add(&schedule, client, &calc), asks = schedule_add(&schedule, client, &ask);
            int hears = schedule_add(&schedule, 0, &asked), answers = schedule_add(&schedule, 0, &answer);
            if (answered >= 0)
                schedule_require(&schedule, client, think, (int)answered, false);
            if (sent >= 0)
                schedule_require(&schedule, 0, hears, (int)sent, false);
            schedule_require(&schedule, client, asks, think, false);
            schedule_require(&schedule, 0, answers, hears, false);
            answered = schedule_add(&schedule, client, &got);
            schedule_require(&schedule, client, (int)answered, asks, false);
            sent = answers;
        }
    bool ok = played_keep(s, &schedule, l->err) || document_blame(l->doc, "traffic.requests.count", l->err);
    schedule_fini(&schedule);
    sizes_fini(&sizes);
    return ok && load_played_lines(l, "traffic.requests", "traffic.requests.clients");
}

bool load_nothing(struct load *l)
{
    return l->s->network.hosts > 0 ||
           load_fail(l, "traffic", "needs to know how many hosts there are: give network.hosts");
}

static int64_t background_stop(const struct scenario *s, int64_t stop_ps)
{
    return stop_ps > 0 && stop_ps < s->duration_ps ? stop_ps : s->duration_ps;
}

/* Poisson arrivals at all hosts together, each flow from one of them to another. */
static bool background_poisson(struct load *l, struct grown *g)
{
    const struct scenario *s = l->s;
    const struct scenario_background *b = &s->background;
    const int64_t stop_ps = background_stop(s, b->stop_ps);
    int hosts = b->n_hosts > 0 ? b->n_hosts : s->network.hosts;
    struct sizes sizes;
    struct random random = random_of(s->seed ^ UINT64_C(0x62616b67726f756e)); /* other numbers than starts have */
    if (hosts < 2)
        return load_fail(l, "traffic.background.hosts", "one host has nobody to send to; give 2 or more");
    if (!load_sizes(l, "traffic.background.sizes", b->sizes, &sizes))
        return false;
    double gap_s = 8 * sizes_mean(&sizes) / (b->load * (double)s->link_goodput_bps * hosts), at_s = 0;
    while (g->n <= SCENARIO_FLOWS) {
        at_s += sizes_draw_exponential(gap_s, &random);
        int from = (int)random_below(&random, (uint64_t)hosts), to = (int)random_below(&random, (uint64_t)hosts - 1);
        int64_t bytes = sizes_draw(&sizes, &random);
        if (!(at_s < (double)stop_ps / (double)UNITS_PS_PER_S))
            break;
        to += to >= from; /* skip the sender itself */
        struct scenario_flow *f = grown_add(g, s, "bg", b->n_hosts > 0 ? b->hosts[from] : from,
                                            b->n_hosts > 0 ? b->hosts[to] : to);
        f->bytes = bytes;
        f->start_ps = (int64_t)(at_s * 1e9) * UNITS_PS_PER_NS;
    }
    sizes_fini(&sizes);
    return true;
}

/* A source that sends for a while and is silent for a while: a flow with a rate and pauses. */
static bool background_on_off(struct load *l, struct grown *g, int i, size_t *pauses)
{
    const struct scenario *s = l->s;
    const struct scenario_on_off *o = &s->on_off[i];
    const double stop_s = (double)background_stop(s, o->stop_ps) / (double)UNITS_PS_PER_S;
    size_t capacity = 0;
    struct random random = random_of(s->seed ^ ((uint64_t)i + 1) << 32);
    if (o->from == o->to || o->from >= s->network.hosts || o->to >= s->network.hosts)
        return load_fail(l, load_path("traffic.on_off.%d.to", i).text, o->from == o->to
                         ? "'h%d' is also where it comes from" : "'h%d' or its source is no host here", o->to);
    double at_s = (double)o->start_ps / (double)UNITS_PS_PER_S;
    if (at_s >= stop_s)
        return load_fail(l, load_path("traffic.on_off.%d.start", i).text, "not before its stop, or the end of the run");
    struct scenario_flow *f = grown_add(g, s, "on", o->from, o->to);
    snprintf(f->name, sizeof f->name, "on%d", i + 1);
    f->start_ps = o->start_ps;
    f->rate_bps = o->rate_bps;
    for (;;) {
        double on_s = sizes_draw_exponential((double)o->on_ps / (double)UNITS_PS_PER_S, &random);
        double off_s = sizes_draw_exponential((double)o->off_ps / (double)UNITS_PS_PER_S, &random);
        f->bytes += 1 + (int64_t)(fmin(on_s, stop_s - at_s) * (double)o->rate_bps / 8);
        at_s += on_s + off_s;
        if (at_s >= stop_s)
            return true;
        if (++*pauses > PAUSES)
            return load_fail(l, load_path("traffic.on_off.%d", i).text,
                             "more than %d pauses of all sources; shorten the run, or lengthen `on` and `off`", PAUSES);
        f->pauses = memory_grown(f->pauses, (size_t)f->n_pauses, &capacity, 16, sizeof *f->pauses, "pauses");
        f->pauses[f->n_pauses++] = (struct scenario_pause){f->bytes, 1 + (int64_t)(off_s * 1e9) * UNITS_PS_PER_NS};
    }
}

static void *background_copy(const void *from, int n, size_t size)
{
    void *copy = n > 0 ? memory_zeroed((size_t)n, size, "the flows of a scenario") : NULL;
    if (n > 0)
        memcpy(copy, from, (size_t)n * size);
    return copy;
}

/* More flows behind those of the scenario. */
static void background_append(struct scenario *s, const struct scenario_flow *flows, int n)
{
    if (n == 0)
        return;
    s->flows = memory_resized(s->flows, (size_t)(s->n_flows + n), sizeof *s->flows, "the flows of a scenario");
    for (int i = 0; i < n; i++) {
        struct scenario_flow *f = &s->flows[s->n_flows++];
        *f = flows[i];
        f->pauses = background_copy(f->pauses, f->n_pauses, sizeof *f->pauses);
        f->windows = background_copy(f->windows, f->n_windows, sizeof *f->windows);
    }
}

static bool background_fits(const struct load *l, const char *key)
{
    const struct scenario *s = l->s;
    if (!scenario_has_streams(s) || (s->traffic != SCENARIO_TRAFFIC_FLOWS && s->n_played == 0) || s->n_programs > 0)
        return load_fail(l, key, "goes beside TCP's flows, collectives and GOAL texts alone");
    if (s->barrier)
        return load_fail(l, key, "does not go with a barrier, or precision, where all flows are messages");
    return s->n_points == 0 || load_fail(l, key, "does not go with points, each a run of its own");
}

bool load_background(struct load *l)
{
    struct scenario *s = l->s;
    struct grown g = {0};
    size_t pauses = 0;
    bool poisson = load_given(l, "traffic.background"), ok = true;
    for (int i = 0; i < s->n_beside; i++)
        ok = ok && load_flow_beside(l, i);
    if (s->n_beside > 0 && s->n_played == 0)
        return load_fail(l, "traffic.beside", "is for collective, goal and requests; others' flows go into traffic.flows");
    if (poisson || s->n_on_off > 0)
        ok = ok && background_fits(l, poisson ? "traffic.background" : "traffic.on_off");
    if (ok && poisson)
        ok = background_poisson(l, &g);
    for (int i = 0; ok && i < s->n_on_off; i++)
        ok = background_on_off(l, &g, i, &pauses);
    if (ok && s->n_flows + s->n_beside + (int64_t)g.n > SCENARIO_FLOWS)
        ok = load_fail(l, "traffic.background", "makes more than the %d flows that can run; lower its load, or stop it sooner",
                       SCENARIO_FLOWS);
    if (ok && s->n_played > 0) { /* saved as such */
        struct scenario_flow *beside = s->beside;
        s->beside = memory_zeroed((size_t)s->n_beside + g.n + 1, sizeof *s->beside, "the flows of a scenario");
        if (s->n_beside > 0)
            memcpy(s->beside, beside, (size_t)s->n_beside * sizeof *beside);
        for (size_t i = 0; i < g.n; i++)
            s->beside[s->n_beside++] = g.flows[i];
        MEMORY_FREE(beside, g.flows);
        background_append(s, s->beside, s->n_beside);
        return true;
    }
    if (ok)
        background_append(s, g.flows, (int)g.n);
    grown_free(&g);
    return ok;
}
