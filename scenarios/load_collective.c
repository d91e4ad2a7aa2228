/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traffic that is more than a list of flows: pairs, complete exchange, and the microbenchmarks' bursts and pings. */
#include "base/infile.h"
#include "scenarios/traffic/goal.h"
#include "scenarios/load_parts.h"
#include "scenarios/traffic/played.h"

static void collective_flow(struct scenario *s, int i, int from, int to, int64_t bytes, int64_t repeat,
                            struct random *random)
{
    struct scenario_flow *flow = &s->flows[i];
    *flow = (struct scenario_flow){.from = from, .to = to, .bytes = bytes, .repeat = repeat};
    snprintf(flow->name, sizeof flow->name, "h%d-h%d", from, to);
    flow->start_ps = scenario_draw_start(s, random);
    flow->tcp = scenario_flow_tcp(s, s->tcp.receive_buffer_bytes);
}

static bool collective_hosts(const struct load *l, const char *section, int64_t needs)
{
    int hosts = l->s->network.hosts;
    if (hosts == 0)
        return load_fail(l, section, "needs to know how many hosts there are: give network.hosts");
    return hosts >= needs || load_fail(l, section, "needs %" PRId64 " hosts; there are %d", needs, hosts);
}

bool load_pairs(struct load *l)
{
    struct scenario *s = l->s;
    struct scenario_pairs *t = &s->pairs;
    struct random random = random_of(s->seed);
    bool back = load_given(l, "traffic.pairs.back");
    if (!load_given(l, "traffic.pairs.count"))
        t->count = s->network.hosts / 2;
    else if (t->count < 1 && !back)
        return load_fail(l, "traffic.pairs.count", "'%s' is outside 1 to %d", load_text(l, "traffic.pairs.count"),
                         SCENARIO_HOSTS / 2);
    if (!load_repeat(l, "traffic.pairs.repeat", t->bytes, &t->repeat))
        return false;
    if (back && t->both_ways)
        return load_fail(l, "traffic.pairs.back", "does not go with both_ways, which sends back within each pair");
    if (t->count + t->back < 1)
        return load_fail(l, document_culprit(l->doc, "traffic.pairs.count", "traffic.pairs.back"),
                         "no pair: count and back are both 0");
    if (!collective_hosts(l, "traffic.pairs", 2 * (t->count + t->back)))
        return false;
    s->flows = memory_zeroed((size_t)(t->count * (1 + t->both_ways) + t->back), sizeof *s->flows,
                             "the flows of a scenario");
    int hosts = s->network.hosts, count = (int)t->count;
    for (int i = 0; i < count; i++) {
        int to = hosts - count + i;
        collective_flow(s, s->n_flows++, i, to, t->bytes, t->repeat, &random);
        if (t->both_ways)
            collective_flow(s, s->n_flows++, to, i, t->bytes, t->repeat, &random);
    }
    for (int i = 0; i < t->back; i++) /* hosts of their own, inside of the others' */
        collective_flow(s, s->n_flows++, hosts - (int)(count + t->back) + i, count + i, t->bytes, t->repeat, &random);
    return true;
}

static bool exchange_fits(const struct load *l)
{
    const struct scenario *s = l->s;
    const struct emu_network_config *n = &s->network;
    bool gbn = s->transport == SCENARIO_TRANSPORT_GBN, either = s->exchange.algorithm == SCENARIO_ALGORITHM_PAIRWISE;
    if (!either && gbn == (s->exchange.algorithm >= SCENARIO_ALGORITHM_DIRECT))
        return load_fail(l, "traffic.exchange.algorithm",
                         gbn ? "'%s' is for TCP; over Go-Back-N: shift, pairwise, synchronous, group"
                             : "'%s' sends packet by packet, transport: gbn; over TCP: direct, rounds, pairwise",
                         scenario_algorithm_names[s->exchange.algorithm]);
    for (int i = 1; s->exchange.contention_aware && i < n->n_racks; i++)
        if (n->racks[i] != n->racks[0])
            return load_fail(l, "traffic.exchange.contention_aware", "needs racks of one size");
    return !s->exchange.contention_aware || n->topology != EMU_TOPOLOGY_STAR ||
           load_fail(l, "traffic.exchange.contention_aware",
                     "is for hosts behind several switches; the topology is star");
}

bool load_exchange(struct load *l)
{
    struct scenario *s = l->s;
    struct random random = random_of(s->seed);
    if (!load_given(l, "traffic.exchange.algorithm"))
        s->exchange.algorithm = s->transport == SCENARIO_TRANSPORT_GBN ? SCENARIO_ALGORITHM_SYNCHRONOUS
                                                                       : SCENARIO_ALGORITHM_DIRECT;
    if (!collective_hosts(l, "traffic.exchange", 2) || !exchange_fits(l))
        return false;
    int p = s->network.hosts, flows = p * (p - 1);
    if (p > 1000 || flows > SCENARIO_FLOWS)
        return load_fail(l, "traffic.exchange", "%d hosts make %d flows; at most %d can run", p, flows, SCENARIO_FLOWS);
    s->traffic = SCENARIO_TRAFFIC_EXCHANGE;
    s->flows = memory_zeroed((size_t)flows, sizeof *s->flows, "the flows of a scenario");
    for (int i = 0; i < p; i++)
        for (int j = 0; j < p; j++)
            if (i != j)
                collective_flow(s, s->n_flows++, i, j, 0, 1, &random);
    return true;
}

bool load_tree(struct load *l)
{
    struct scenario *s = l->s;
    struct random random = random_of(s->seed);
    if (!scenario_has_streams(s))
        return load_fail(l, "traffic.tree", "is for TCP; the transport is gbn");
    if (!collective_hosts(l, "traffic.tree", 2))
        return false;
    int p = s->network.hosts;
    s->traffic = SCENARIO_TRAFFIC_TREE;
    s->flows = memory_zeroed((size_t)(2 * (p - 1)), sizeof *s->flows, "the flows of a scenario");
    for (int i = 1; i < p; i++) {
        collective_flow(s, s->n_flows++, i, scenario_tree_parent(i), 0, 1, &random);
        collective_flow(s, s->n_flows++, scenario_tree_parent(i), i, 0, 1, &random);
    }
    return true;
}

/* Processes on hosts of their own: those that are given, or as many as `needs`, on h0, h1, ...; 0: on all. */
static bool played_ranks(struct load *l, const char *section, const char *key, int needs)
{
    struct scenario *s = l->s;
    if (s->transport != SCENARIO_TRANSPORT_TCP) /* where a message has left is read from sequence numbers */
        return load_fail(l, section, "is for TCP; the transport is %s", scenario_transport_names[s->transport]);
    if (s->n_ranks > 0) {
        MEMORY_LOCAL bool *taken = memory_zeroed(SCENARIO_HOSTS, sizeof *taken, "hosts");
        int again = -1, last = 1;
        for (int i = 0; i < s->n_ranks && again < 0; i++) {
            again = taken[s->ranks[i]] ? s->ranks[i] : -1;
            taken[s->ranks[i]] = true;
            last = s->ranks[i] > last ? s->ranks[i] : last;
        }
        if (again >= 0)
            return load_fail(l, key, "'h%d' has two ranks; each needs a host of its own", again);
        if (s->network.hosts == 0)
            s->network.hosts = last + 1;
        return needs == 0 || s->n_ranks == needs ||
               load_fail(l, key, "%d hosts for %d ranks", s->n_ranks, needs);
    }
    if (s->network.hosts == 0 && needs > 0)
        s->network.hosts = needs > 2 ? needs : 2;
    if (!collective_hosts(l, section, needs > 2 ? needs : 2))
        return false;
    s->n_ranks = needs > 0 ? needs : s->network.hosts;
    s->ranks = memory_zeroed((size_t)s->n_ranks, sizeof *s->ranks, "ranks");
    for (int i = 0; i < s->n_ranks; i++)
        s->ranks[i] = i;
    return true;
}

static bool played_flows(struct load *l, const char *section, const struct schedule *schedule)
{
    struct scenario *s = l->s;
    size_t n;
    MEMORY_LOCAL struct schedule_flow *flows = schedule_flows(schedule, s->connections_apart, &n);
    struct random random = random_of(s->seed);
    bool ok = n <= SCENARIO_FLOWS ||
              load_fail(l, section, "%zu connections; at most %d can run", n, SCENARIO_FLOWS);
    s->flows = memory_zeroed(n, sizeof *s->flows, "the flows of a scenario");
    for (size_t i = 0; ok && i < n; i++) {
        collective_flow(s, s->n_flows, s->ranks[flows[i].from], s->ranks[flows[i].to], 0, 1, &random);
        s->flows[s->n_flows++].duplex = flows[i].duplex;
    }
    s->n_played = s->n_flows;
    return ok;
}

static bool played_halo(const struct load *l)
{
    const struct scenario_collective *c = &l->s->collective;
    int64_t product = 1;
    for (int i = 0; i < c->n_dimensions; i++)
        product *= c->dimensions[i];
    if (c->n_dimensions < 2)
        return load_fail(l, load_given(l, "traffic.collective.dimensions") ? "traffic.collective.dimensions"
                                                                           : "traffic.collective",
                         "a halo needs two dimensions or three, such as [4, 4]");
    return product == l->s->n_ranks || load_fail(l, "traffic.collective.dimensions", "make %lld ranks; there are %d",
                                                 (long long)product, l->s->n_ranks);
}

bool load_played_collective(struct load *l)
{
    struct scenario *s = l->s;
    struct schedule schedule;
    s->traffic = SCENARIO_TRAFFIC_COLLECTIVE;
    if (!played_ranks(l, "traffic.collective", "traffic.collective.ranks", 0))
        return false;
    if (s->n_ranks < 2)
        return load_fail(l, "traffic.collective.ranks", "one rank has nobody to talk to; give 2 or more");
    if (!load_given(l, "traffic.collective.root"))
        s->collective.root = s->ranks[0];
    bool root = false;
    for (int i = 0; i < s->n_ranks; i++)
        root = root || s->ranks[i] == s->collective.root;
    if (!root)
        return load_fail(l, "traffic.collective.root", "'h%d' has no rank", s->collective.root);
    if (s->collective.algorithm == MODEL_COLLECTIVE_HALO && !played_halo(l))
        return false;
    if (played_count(s) > SCHEDULE_OPS)
        return load_fail(l, "traffic.collective", "%" PRId64 " operations of %d ranks; at most %d can be played",
                         played_count(s), s->n_ranks, SCHEDULE_OPS);
    played_schedule(s, &schedule);
    bool ok = played_flows(l, "traffic.collective", &schedule);
    schedule_fini(&schedule);
    return ok;
}

/* The text of traffic.goal.file becomes its lines. */
static bool goal_file(struct load *l)
{
    struct schedule schedule;
    size_t size;
    MEMORY_LOCAL char *path = load_file(l, l->s->goal.file), *text = infile_read(path, GOAL_BYTES, "a GOAL text", &size, l->err);
    bool whole = text && strlen(text) == size, ok = whole && goal_read(text, l->s->eager_bytes, &schedule, l->err);
    if (text && !whole)
        error_set(l->err, ERROR_INPUT, "a NUL byte; no GOAL text");
    if (text && !ok)
        error_prefix(l->err, whole ? "%s:" : "%s: ", path);
    if (ok) {
        ok = played_keep(l->s, &schedule, l->err);
        schedule_fini(&schedule);
    }
    return ok || document_blame(l->doc, "traffic.goal.file", l->err);
}

bool load_played_lines(struct load *l, const char *section, const char *ranks_key)
{
    struct scenario *s = l->s;
    struct schedule schedule;
    s->traffic = SCENARIO_TRAFFIC_GOAL;
    if (!played_goal(s, &schedule, l->err))
        return document_blame(l->doc, section, l->err);
    bool ok = played_ranks(l, section, ranks_key, schedule.n) && played_flows(l, section, &schedule);
    schedule_fini(&schedule);
    return ok;
}

bool load_goal(struct load *l)
{
    struct scenario *s = l->s;
    bool file = *s->goal.file, lines = s->goal.n_lines > 0;
    s->traffic = SCENARIO_TRAFFIC_GOAL;
    if (file == lines)
        return load_fail(l, "traffic.goal", file ? "file and lines: one of them says what happens"
                                                 : "needs a file: {file: trace.goal}");
    return (!file || goal_file(l)) && load_played_lines(l, "traffic.goal", "traffic.goal.ranks");
}

static int64_t collective_largest(const int64_t *list, int n)
{
    int64_t largest = 0;
    for (int i = 0; i < n; i++)
        largest = list[i] > largest ? list[i] : largest;
    return largest;
}

bool load_burst(struct load *l)
{
    struct scenario *s = l->s;
    const struct scenario_burst *b = &s->burst;
    int64_t most = collective_largest(b->sources, b->n_sources) + collective_largest(b->sinks, b->n_sinks);
    if (s->network.hosts == 0 && most <= SCENARIO_HOSTS)
        s->network.hosts = (int)most;
    s->traffic = SCENARIO_TRAFFIC_BURST;
    return collective_hosts(l, "traffic.burst", most);
}

bool load_pingpong(struct load *l)
{
    struct scenario *s = l->s;
    struct random random = random_of(s->seed);
    int64_t most = collective_largest(s->pingpong.pairs, s->pingpong.n_pairs);
    if (s->transport != SCENARIO_TRANSPORT_GBN)
        return load_fail(l, "traffic.pingpong", "is for hosts with known overheads: transport: gbn");
    if (s->network.hosts == 0 && 2 * most <= SCENARIO_HOSTS)
        s->network.hosts = (int)(2 * most);
    if (!collective_hosts(l, "traffic.pingpong", 2 * most))
        return false;
    s->traffic = SCENARIO_TRAFFIC_PINGPONG;
    s->flows = memory_zeroed((size_t)(2 * most), sizeof *s->flows, "the flows of a scenario");
    for (int i = 0; i < most; i++) { /* across the bisection */
        int far = i + s->network.hosts / 2;
        collective_flow(s, s->n_flows++, i, far, 0, 1, &random);
        collective_flow(s, s->n_flows++, far, i, 0, 1, &random);
    }
    return true;
}

bool load_uniform(struct load *l)
{
    struct scenario *s = l->s;
    struct scenario_uniform *u = &s->uniform;
    if (!load_given(l, "traffic.uniform.ports"))
        u->ports = s->network.hosts > 0 ? s->network.hosts / 2 : 8;
    if (s->network.hosts == 0)
        s->network.hosts = 2 * (int)u->ports;
    s->traffic = SCENARIO_TRAFFIC_UNIFORM;
    return collective_hosts(l, "traffic.uniform", 2 * u->ports);
}
