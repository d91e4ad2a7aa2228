/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The traffic section: a star, its points, a random pattern, or flows. */
#include "base/order.h"
#include "scenarios/load_parts.h"
#include "scenarios/traffic/random_pattern.h"

#define PRECISION_REPEAT 2000 /* messages at most: maxIter of Zhu et al. 2014, section 3.1 */
#define REPEAT_MAX 1000000

bool load_repeat(const struct load *l, const char *path, int64_t bytes, int64_t *repeat)
{
    bool precise = l->s->precision > 0;
    if (!load_given(l, path))
        *repeat = precise ? PRECISION_REPEAT : 1;
    else if (precise && *repeat < SCENARIO_PRECISION_MESSAGES)
        return load_fail(l, path, "'%s' is outside %d to %d", load_text(l, path), SCENARIO_PRECISION_MESSAGES,
                         REPEAT_MAX);
    else if (bytes == 0 && *repeat > 1)
        return load_fail(l, path, "%s messages of what size? give bytes, too", load_text(l, path));
    return true;
}

/* Without network.hosts there will be one a star flow, and h0. */
static bool traffic_star_fits(const struct load *l, int flows)
{
    if (l->s->network.hosts > 0 || 1 + flows <= SCENARIO_HOSTS)
        return true;
    return load_fail(l, "traffic.star", "needs %d hosts of at most %d; with network.hosts given, flows share hosts",
                     1 + flows, SCENARIO_HOSTS);
}

static bool traffic_points(const struct load *l)
{
    const struct scenario *s = l->s;
    int most = 0;
    for (int i = 0; i < s->n_points; i++) {
        const struct scenario_point *p = &s->points[i];
        most = p->incoming + p->outgoing > most ? p->incoming + p->outgoing : most;
        for (int j = 0; j < i; j++) {
            if (s->points[j].incoming == p->incoming && s->points[j].outgoing == p->outgoing)
                return load_fail(l, load_path("traffic.star.points.%d", i).text, "'%d/%d' is there twice",
                                 p->incoming, p->outgoing);
        }
    }
    return traffic_star_fits(l, most);
}

static bool traffic_window(const struct load *l, const char *path, int64_t *window_bytes)
{
    if (!load_given(l, path))
        *window_bytes = l->s->tcp.receive_buffer_bytes;
    return load_window_fits(l, path, *window_bytes);
}

static bool traffic_star(struct load *l)
{
    struct scenario *s = l->s;
    if (!load_given(l, "traffic.star"))
        s->star = (struct scenario_point){2, 1};
    if (!traffic_window(l, "traffic.star.incoming_window", &s->incoming_window_bytes) ||
        !traffic_window(l, "traffic.star.outgoing_window", &s->outgoing_window_bytes) ||
        !load_repeat(l, "traffic.star.repeat", s->star_bytes, &s->star_repeat))
        return false;
    if (s->n_points > 0)
        return traffic_points(l);
    int flows = s->star.incoming + s->star.outgoing;
    if (flows < 1 || flows > SCENARIO_FLOWS)
        return load_fail(l, document_culprit(l->doc, "traffic.star.incoming", "traffic.star.outgoing"),
                         "%d incoming and %d outgoing flows; 1 to %d together can run", s->star.incoming,
                         s->star.outgoing, SCENARIO_FLOWS);
    if (!traffic_star_fits(l, flows))
        return false;
    scenario_list_star(s, &s->star);
    return true;
}

/* Within the flow's bytes, one after another. */
static bool traffic_pauses(const struct load *l, const struct scenario_flow *flow, const char *path)
{
    int64_t last = 0;
    if (flow->n_pauses > 0 && (flow->repeat > 1 || flow->duplex))
        return load_fail(l, path, "do not go with repeat or duplex, which wait for the other end");
    for (int k = 0; k < flow->n_pauses; k++) {
        const struct scenario_pause *p = &flow->pauses[k];
        struct load_path at = load_path("%s.%d", path, k);
        if (flow->bytes > 0 && p->after_bytes >= flow->bytes) {
            char bytes[UNITS_TEXT];
            units_format_bytes(flow->bytes - 1, bytes);
            const char *after = strstr(load_text(l, at.text), "after");
            return load_fail(l, at.text, "'%s' is outside 1B to %s", after + strspn(after, "after "), bytes);
        }
        if (p->after_bytes <= last)
            return load_fail(l, at.text, "'%s' does not come after the pause before it", load_text(l, at.text));
        last = p->after_bytes;
    }
    return true;
}

static bool traffic_starts_in_time(const struct load *l, const char *path, int64_t start_ps)
{
    char end[UNITS_TEXT];
    units_format_time(l->s->duration_ps, end);
    return start_ps < l->s->duration_ps ||
           load_fail(l, document_culprit(l->doc, path, "duration"),
                     "a start at %s is not before the end of the run at %s", load_text(l, path), end);
}

static bool traffic_flow(const struct load *l, struct scenario_flow *flow, const char *section, int i, int64_t start_ps)
{
    struct scenario *s = l->s;
    enum emu_congestion congestion = flow->tcp.congestion;
    bool quic = flow->tcp.quic;
    if (flow->from == flow->to)
        return load_fail(l, load_path("%s.%d.to", section, i).text, "'h%d' is also where the flow comes from",
                         flow->to);
    if (!*flow->name)
        snprintf(flow->name, sizeof flow->name, "%s%d", s->n_played > 0 ? "beside" : "f", i);
    if (!load_repeat(l, load_path("%s.%d.repeat", section, i).text, flow->bytes, &flow->repeat))
        return false;
    struct load_path start = load_path("%s.%d.start", section, i);
    if (!load_given(l, start.text))
        flow->start_ps = start_ps;
    if (!traffic_starts_in_time(l, start.text, flow->start_ps))
        return false;
    int64_t window = flow->tcp.receive_buffer_bytes;
    if (!traffic_window(l, load_path("%s.%d.window", section, i).text, &window))
        return false;
    flow->tcp = scenario_flow_tcp(s, window);
    if (load_given(l, load_path("%s.%d.congestion", section, i).text))
        flow->tcp.congestion = congestion;
    if (load_given(l, load_path("%s.%d.transport", section, i).text))
        flow->tcp.quic = quic;
    for (int k = 1; k < flow->n_windows; k++)
        if (flow->windows[k].at_ps <= flow->windows[k - 1].at_ps)
            return load_fail(l, load_path("%s.%d.windows.%d", section, i, k).text, "does not come after the one before");
    if (flow->rate_bps > 0 && (flow->repeat > 1 || flow->duplex))
        return load_fail(l, load_path("%s.%d.rate", section, i).text,
                         "does not go with repeat or duplex, which wait for the other end");
    return traffic_pauses(l, flow, load_path("%s.%d.pauses", section, i).text);
}

bool load_flow_beside(const struct load *l, int i)
{
    struct random random = random_of(l->s->seed + (uint64_t)i);
    return traffic_flow(l, &l->s->beside[i], "traffic.beside", i, scenario_draw_start(l->s, &random));
}

static ORDER_OF(traffic_compare_names, struct scenario_flow *const,
                2 * ORDER_TWO(strcmp((*a)->name, (*b)->name), 0) + ORDER_TWO(*a, *b))

static bool traffic_names_differ(const struct load *l)
{
    const struct scenario *s = l->s;
    MEMORY_LOCAL const struct scenario_flow **sorted = memory_zeroed((size_t)s->n_flows, sizeof *sorted, "the flows of a scenario");
    for (int i = 0; i < s->n_flows; i++)
        sorted[i] = &s->flows[i];
    qsort(sorted, (size_t)s->n_flows, sizeof *sorted, traffic_compare_names);
    bool ok = true;
    for (int i = 1; ok && i < s->n_flows; i++) {
        if (strcmp(sorted[i - 1]->name, sorted[i]->name) != 0)
            continue;
        ok = load_fail(l, load_path("traffic.flows.%d.name", (int)(sorted[i] - s->flows)).text,
                       "'%s' is also the name of flow %d", sorted[i]->name, (int)(sorted[i - 1] - s->flows));
    }
    return ok;
}

/* Names that people give differ from each other and from those of flows that are drawn. */
static bool traffic_names_fit(const struct load *l)
{
    const struct scenario *s = l->s;
    bool given = load_given(l, "traffic.flows") || s->n_beside > 0;
    return (!given && s->n_on_off == 0 && !load_given(l, "traffic.background")) || traffic_names_differ(l);
}

static bool traffic_flows(struct load *l)
{
    struct scenario *s = l->s;
    struct random random = random_of(s->seed);
    int last = 1; /* a network has two hosts at least */
    for (int i = 0; i < s->n_flows; i++) {
        /* One draw a flow, so that giving one flow its start leaves the others where they were. */
        if (!traffic_flow(l, &s->flows[i], "traffic.flows", i, scenario_draw_start(s, &random)))
            return false;
        last = s->flows[i].from > last ? s->flows[i].from : last;
        last = s->flows[i].to > last ? s->flows[i].to : last;
    }
    if (s->network.hosts == 0)
        s->network.hosts = last + 1;
    return true;
}

/* A pattern of Zhu et al. 2014, section 7.1, drawn by the scenario's seed. */
static bool traffic_random(struct load *l)
{
    struct scenario *s = l->s;
    struct scenario_random *t = &s->random;
    if (s->network.hosts == 0)
        return load_fail(l, "traffic.random", "needs to know how many hosts there are: give network.hosts");
    if (!load_repeat(l, "traffic.random.repeat", t->bytes[0], &t->repeat))
        return false;
    size_t draws = t->d == RANDOM_PATTERN_ALL ? (size_t)s->network.hosts - 1 : (size_t)t->d;
    MEMORY_LOCAL struct random_pattern_pair *pairs = memory_zeroed((size_t)s->network.hosts * draws, sizeof *pairs,
                                                        "the flows of a scenario");
    struct random random = random_of(s->seed);
    size_t n = random_pattern_draw(s->network.hosts, (int)t->d, t->probability, &random, pairs);
    s->flows = memory_zeroed(n, sizeof *s->flows, "the flows of a scenario");
    for (size_t i = 0; n <= SCENARIO_FLOWS && i < n; i++) {
        struct scenario_flow *flow = &s->flows[i];
        *flow = (struct scenario_flow){.from = pairs[i].from, .to = pairs[i].to, .repeat = t->repeat};
        flow->bytes = t->bytes[0];
        if (t->bytes[1] > t->bytes[0])
            flow->bytes += (int64_t)random_below(&random, (uint64_t)(t->bytes[1] - t->bytes[0]) + 1);
        snprintf(flow->name, sizeof flow->name, "e%zu", i + 1);
        flow->start_ps = scenario_draw_start(s, &random);
        flow->tcp = scenario_flow_tcp(s, s->tcp.receive_buffer_bytes);
    }
    s->n_flows = n <= SCENARIO_FLOWS ? (int)n : 0;
    if (n > SCENARIO_FLOWS)
        return load_fail(l, "traffic.random", "%zu transfers were drawn; at most %d can run", n, SCENARIO_FLOWS);
    return n > 0 || load_fail(l, "traffic.random", "no transfer was drawn with probability %g; try another seed",
                              t->probability);
}

/* A flow without end would never come to the barrier. With precision all send until everybody's time is known. */
static bool traffic_barrier_fits(const struct load *l)
{
    const struct scenario *s = l->s;
    const char *key = s->precision > 0 ? "traffic.precision" : "traffic.barrier";
    bool endless = s->n_points > 0 && s->star_bytes == 0;
    if (s->precision > 0 && (s->traffic != SCENARIO_TRAFFIC_FLOWS || !scenario_has_streams(s)))
        return load_fail(l, key, "is for messages over TCP: star, pairs, random or flows");
    for (int i = 0; i < s->n_flows; i++)
        endless = endless || s->flows[i].bytes == 0;
    if (s->barrier && endless)
        return load_fail(l, key, "there are flows without bytes: they would never come to %s",
                         s->precision > 0 ? "the barrier" : "it");
    for (int i = 1; i < s->n_flows && s->precision > 0; i++)
        if (s->flows[i].repeat != s->flows[0].repeat)
            return load_fail(l, key, "flows %s and %s repeat %" PRId64 " and %" PRId64 " times; all send equally many",
                             s->flows[0].name, s->flows[i].name, s->flows[0].repeat, s->flows[i].repeat);
    return true;
}

/* What only TCP's flows can. */
static bool traffic_gbn_fits(const struct load *l)
{
    const struct scenario *s = l->s;
    if (s->transport != SCENARIO_TRANSPORT_GBN)
        return true;
    for (int i = 0; i < s->n_flows; i++)
        if (s->flows[i].repeat > 1 || s->flows[i].duplex)
            return load_fail(l, "traffic.flows", "flow %s: repeat and duplex are for TCP; the transport is gbn",
                             s->flows[i].name);
        else if (s->flows[i].n_pauses > 0 || s->flows[i].rate_bps > 0)
            return load_fail(l, "traffic.flows", "flow %s: %s for TCP; the transport is gbn", s->flows[i].name,
                             s->flows[i].n_pauses > 0 ? "pauses are" : "rate is");
    return !s->barrier || load_fail(l, "traffic.barrier", "is for TCP's messages; the transport is gbn");
}

static bool traffic_datagrams_fit(const struct load *l)
{
    const struct scenario *s = l->s;
    if (s->n_datagrams > 0 && (!scenario_has_streams(s) || (s->traffic != SCENARIO_TRAFFIC_FLOWS && s->n_played == 0)))
        return load_fail(l, "traffic.datagrams", "go beside TCP's flows alone");
    for (int i = 0; i < s->n_datagrams; i++) {
        const struct scenario_datagrams *d = &s->datagrams[i];
        if (d->from == d->to || d->from >= s->network.hosts || d->to >= s->network.hosts)
            return load_fail(l, load_path("traffic.datagrams.%d.to", i).text, d->from == d->to
                             ? "'h%d' is also where they come from" : "'h%d' or their source is no host of the flows",
                             d->to);
    }
    return true;
}

static bool traffic_program(const struct load *l, int i)
{
    struct scenario *s = l->s;
    struct scenario_program *p = &s->programs[i];
    struct load_path start = load_path("traffic.programs.%d.start", i);
    if (!*p->name)
        snprintf(p->name, sizeof p->name, "p%d", i);
    if (!*p->command[0].text)
        return load_fail(l, load_path("traffic.programs.%d.command.0", i).text,
                         "is empty; the first word names what to start, such as iperf3");
    for (int j = 0; j < i; j++)
        if (s->programs[j].host == p->host && strcmp(s->programs[j].name, p->name) == 0)
            return load_fail(l, load_path("traffic.programs.%d.name", i).text,
                             "'%s' is also the name of program %d on h%d", p->name, j, p->host);
    return traffic_starts_in_time(l, start.text, p->start_ps);
}

static bool traffic_programs(struct load *l)
{
    struct scenario *s = l->s;
    int last = 1; /* a network has two hosts at least */
    if (!scenario_has_streams(s))
        return load_fail(l, "traffic.programs", "are for TCP; the transport is gbn");
    if (s->barrier)
        return load_fail(l, s->precision > 0 ? "traffic.precision" : "traffic.barrier",
                         "is for messages; programs send as they like");
    for (int i = 0; i < s->n_programs; i++) {
        if (!traffic_program(l, i))
            return false;
        last = s->programs[i].host > last ? s->programs[i].host : last;
    }
    if (s->network.hosts == 0)
        s->network.hosts = last + 1;
    return true;
}

static const struct {
    const char *path;
    bool (*load)(struct load *l);
} traffic_kinds[] = {
    {"traffic.flows", traffic_flows},    {"traffic.star", traffic_star},      {"traffic.random", traffic_random},
    {"traffic.pairs", load_pairs},       {"traffic.exchange", load_exchange}, {"traffic.tree", load_tree},
    {"traffic.burst", load_burst},       {"traffic.pingpong", load_pingpong}, {"traffic.uniform", load_uniform},
    {"traffic.programs", traffic_programs}, {"traffic.collective", load_played_collective},
    {"traffic.goal", load_goal},         {"traffic.csv", load_csv},           {"traffic.requests", load_requests},
};

bool load_traffic_kind(struct load *l)
{
    const char *first = NULL;
    bool background = load_given(l, "traffic.background") || load_given(l, "traffic.on_off");
    l->list = background ? load_nothing : traffic_star;
    for (size_t i = 0; i < sizeof traffic_kinds / sizeof *traffic_kinds; i++) {
        if (!load_given(l, traffic_kinds[i].path))
            continue;
        if (first)
            return load_fail(l, document_culprit(l->doc, first, traffic_kinds[i].path),
                             "traffic is one of star, pairs, random, exchange, tree, collective, goal, requests, burst, pingpong, "
                             "uniform, flows, csv and programs");
        first = traffic_kinds[i].path;
        l->list = traffic_kinds[i].load;
    }
    return true;
}

bool load_traffic(struct load *l)
{
    struct scenario *s = l->s;
    if (load_given(l, "traffic.barrier") && !s->barrier && s->precision > 0)
        return load_fail(l, document_culprit(l->doc, "traffic.barrier", "traffic.precision"),
                         "precision has all flows start together, which is the barrier");
    s->barrier = s->barrier || s->precision > 0;
    if (s->start_spread_ps >= s->duration_ps) {
        char spread[UNITS_TEXT], duration[UNITS_TEXT];
        units_format_time(s->start_spread_ps, spread);
        units_format_time(s->duration_ps, duration);
        return load_fail(l, document_culprit(l->doc, "traffic.start_spread", "duration"),
                         "starts spread over %s do not fit into a run of %s", spread, duration);
    }
    if (l->list != traffic_star) { /* of a star alone */
        s->incoming_window_bytes = s->outgoing_window_bytes = s->tcp.receive_buffer_bytes;
        s->star_repeat = 1;
    }
    return l->list(l) && load_background(l) && traffic_names_fit(l) && traffic_barrier_fits(l) && traffic_gbn_fits(l) && traffic_datagrams_fit(l);
}
