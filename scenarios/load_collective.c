/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traffic that is more than a list of flows: pairs, complete exchange, and the microbenchmarks' bursts and pings. */
#include "base/memory.h"
#include "scenarios/load_parts.h"

#include <inttypes.h>
#include <stdlib.h>

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
    struct random random;
    random_init(&random, s->seed);
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
    struct random random;
    random_init(&random, s->seed);
    if (!load_given(l, "traffic.exchange.algorithm"))
        s->exchange.algorithm = s->transport == SCENARIO_TRANSPORT_GBN ? SCENARIO_ALGORITHM_SYNCHRONOUS
                                                                       : SCENARIO_ALGORITHM_DIRECT;
    if (!collective_hosts(l, "traffic.exchange", 2) || !exchange_fits(l))
        return false;
    int p = s->network.hosts, flows = p * (p - 1);
    if (p > 1000 || flows > SCENARIO_FLOWS)
        return load_fail(l, "traffic.exchange", "%d hosts make %d flows; at most %d can run", p, flows,
                         SCENARIO_FLOWS);
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
    struct random random;
    random_init(&random, s->seed);
    if (s->transport != SCENARIO_TRANSPORT_TCP)
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
    struct random random;
    random_init(&random, s->seed);
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
