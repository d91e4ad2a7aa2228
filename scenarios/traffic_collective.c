/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traffic that is more than a list of flows: pairs, complete exchange, and the microbenchmarks' bursts and pings. */
#include "scenarios/traffic_collective.h"

#include "base/units.h"
#include "scenarios/traffic.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define REPEAT_MAX 100000
#define PACKETS_MAX INT64_C(100000000)
#define LIST_MAX 64

static bool collective_no_memory(const struct fields *f)
{
    return error_set(f->err, ERROR_SYSTEM, "out of memory for the scenario's traffic");
}

static void collective_flow(struct scenario *s, int i, int from, int to, int64_t bytes, int64_t repeat,
                            struct random *random)
{
    struct scenario_flow *flow = &s->flows[i];
    *flow = (struct scenario_flow){.from = from, .to = to, .bytes = bytes, .repeat = repeat};
    snprintf(flow->name, sizeof flow->name, "h%d-h%d", from, to);
    flow->start_ps = scenario_draw_start(s, random);
    flow->tcp = scenario_flow_tcp(s, s->tcp.receive_buffer_bytes);
}

static bool collective_hosts(const struct scenario *s, const char *section, int64_t needs, const struct fields *f)
{
    if (s->network.hosts == 0)
        return fields_fail_at(f, section, "needs to know how many hosts there are: give network.hosts");
    return s->network.hosts >= needs || fields_fail_at(f, section, "needs %" PRId64 " hosts; there are %d", needs,
                                                       s->network.hosts);
}

bool traffic_pairs(struct scenario *s, const struct schema_pairs *t, struct fields *f)
{
    int both = false;
    int64_t count = s->network.hosts / 2, back = 0, bytes = 0, repeat;
    struct random random;
    random_init(&random, s->seed);
    fields_section(f, "traffic.pairs");
    if (!fields_integer(f, "count", t->count, t->back ? 0 : 1, TRAFFIC_HOSTS / 2, &count) ||
        !fields_integer(f, "back", t->back, 0, TRAFFIC_HOSTS / 2, &back) ||
        !fields_switch(f, "both_ways", t->both_ways, &both) ||
        !fields_bytes(f, "bytes", t->bytes, 1, INT64_MAX, &bytes) ||
        !traffic_repeat(s, t->repeat, bytes, &repeat, f))
        return false;
    if (t->back && both)
        return fields_fail(f, "back", "does not go with both_ways, which sends back within each pair");
    if (count + back < 1)
        return fields_fail_at(f, document_culprit(f->doc, "traffic.pairs.count", "traffic.pairs.back"),
                              "no pair: count and back are both 0");
    if (!collective_hosts(s, "traffic.pairs", 2 * (count + back), f))
        return false;
    s->flows = calloc((size_t)(count * (1 + both) + back), sizeof *s->flows);
    if (!s->flows)
        return collective_no_memory(f);
    for (int i = 0; i < count; i++) {
        int to = s->network.hosts - (int)count + i;
        collective_flow(s, s->n_flows++, i, to, bytes, repeat, &random);
        if (both)
            collective_flow(s, s->n_flows++, to, i, bytes, repeat, &random);
    }
    for (int i = 0; i < back; i++) /* hosts of their own, inside of the others' */
        collective_flow(s, s->n_flows++, s->network.hosts - (int)(count + back) + i, (int)count + i, bytes, repeat,
                        &random);
    return true;
}

static bool exchange_fits(const struct scenario *s, const struct schema_exchange *t, const struct fields *f)
{
    bool gbn = s->transport == SCENARIO_TRANSPORT_GBN;
    bool tcp_algorithm = s->exchange.algorithm >= SCENARIO_ALGORITHM_DIRECT;
    if (gbn == tcp_algorithm)
        return fields_fail(f, "algorithm",
                           gbn ? "'%s' is for TCP; over Go-Back-N: shift, pairwise, synchronous, group"
                               : "'%s' sends packet by packet, transport: gbn; over TCP: direct, rounds",
                           t->algorithm ? t->algorithm : "synchronous");
    if (gbn ? t->bytes != NULL : t->packets != NULL)
        return fields_fail(f, gbn ? "bytes" : "packets", gbn ? "is for TCP; Go-Back-N counts in packets"
                                                             : "is for transport: gbn; TCP counts in bytes");
    if (!gbn && (t->global_window || t->contention_aware))
        return fields_fail(f, t->global_window ? "global_window" : "contention_aware", "is for transport: gbn");
    if (t->group && s->exchange.algorithm != SCENARIO_ALGORITHM_GROUP)
        return fields_fail(f, "group", "is for algorithm: group");
    if (!s->exchange.contention_aware)
        return true;
    const struct emu_network_config *n = &s->network;
    for (int i = 1; i < n->n_racks; i++)
        if (n->racks[i] != n->racks[0])
            return fields_fail(f, "contention_aware", "needs racks of one size");
    return n->topology != EMU_TOPOLOGY_STAR ||
           fields_fail(f, "contention_aware", "is for hosts behind several switches; the topology is star");
}

bool traffic_exchange(struct scenario *s, const struct schema_exchange *t, struct fields *f)
{
    static const char *const algorithms[] = {[SCENARIO_ALGORITHM_SHIFT] = "shift",
                                             [SCENARIO_ALGORITHM_PAIRWISE] = "pairwise",
                                             [SCENARIO_ALGORITHM_SYNCHRONOUS] = "synchronous",
                                             [SCENARIO_ALGORITHM_GROUP] = "group",
                                             [SCENARIO_ALGORITHM_DIRECT] = "direct",
                                             [SCENARIO_ALGORITHM_ROUNDS] = "rounds",
                                             NULL};
    bool gbn = s->transport == SCENARIO_TRANSPORT_GBN;
    struct scenario_exchange *e = &s->exchange;
    int algorithm = gbn ? SCENARIO_ALGORITHM_SYNCHRONOUS : SCENARIO_ALGORITHM_DIRECT, aware = false;
    *e = (struct scenario_exchange){.packets = 64, .bytes = 16384, .group = 5, .repeat = 1};
    fields_section(f, "traffic.exchange");
    if (!fields_choice(f, "algorithm", t->algorithm, algorithms, "an algorithm", &algorithm) ||
        !fields_integer(f, "packets", t->packets, 1, PACKETS_MAX, &e->packets) ||
        !fields_bytes(f, "bytes", t->bytes, 1, INT64_C(1000000000), &e->bytes) ||
        !fields_integer(f, "group", t->group, 1, TRAFFIC_HOSTS, &e->group) ||
        !fields_integer(f, "global_window", t->global_window, 0, PACKETS_MAX, &e->global_window) ||
        !fields_switch(f, "contention_aware", t->contention_aware, &aware) ||
        !fields_integer(f, "repeat", t->repeat, 1, REPEAT_MAX, &e->repeat) ||
        !fields_time(f, "period", t->period, 0, 1000 * UNITS_PS_PER_S, &e->period_ps) ||
        !collective_hosts(s, "traffic.exchange", 2, f))
        return false;
    e->algorithm = (enum scenario_algorithm)algorithm;
    e->contention_aware = aware;
    int p = s->network.hosts, flows = p * (p - 1);
    if (!exchange_fits(s, t, f))
        return false;
    if (p > 1000 || flows > TRAFFIC_FLOWS)
        return fields_fail_at(f, "traffic.exchange", "%d hosts make %d flows; at most %d can run", p, flows,
                              TRAFFIC_FLOWS);
    struct random random;
    random_init(&random, s->seed);
    s->traffic = SCENARIO_TRAFFIC_EXCHANGE;
    s->flows = calloc((size_t)flows, sizeof *s->flows);
    if (!s->flows)
        return collective_no_memory(f);
    for (int i = 0; i < p; i++)
        for (int j = 0; j < p; j++)
            if (i != j)
                collective_flow(s, s->n_flows++, i, j, 0, 1, &random);
    return true;
}

/* A list of whole numbers, or the usual ones. */
static bool collective_list(const struct fields *f, const char *key, char *const *texts, unsigned count, int64_t most,
                            const int64_t *usual, int n_usual, int64_t **list, int *n)
{
    if (count > LIST_MAX)
        return fields_fail(f, key, "%u values; at most %d", count, LIST_MAX);
    *n = count > 0 ? (int)count : n_usual;
    *list = calloc((size_t)*n, sizeof **list);
    if (!*list)
        return collective_no_memory(f);
    for (int i = 0; i < *n; i++) {
        char entry[32];
        snprintf(entry, sizeof entry, "%s.%d", key, i);
        if (count == 0)
            (*list)[i] = usual[i];
        else if (!fields_integer(f, entry, texts[i], 1, most, &(*list)[i]))
            return false;
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

bool traffic_burst(struct scenario *s, const struct schema_burst *t, struct fields *f)
{
    /* Sizes to beyond what switches buffer, a factor of sqrt 2 apart. */
    static const int64_t sources[] = {2, 4, 6, 8}, sinks[] = {1, 2}, packets[] = {
        128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768};
    struct scenario_burst *b = &s->burst;
    fields_section(f, "traffic.burst");
    if (!collective_list(f, "sources", t->sources, t->sources_count, TRAFFIC_HOSTS, sources, 4, &b->sources,
                         &b->n_sources) ||
        !collective_list(f, "sinks", t->sinks, t->sinks_count, TRAFFIC_HOSTS, sinks, 2, &b->sinks, &b->n_sinks) ||
        !collective_list(f, "packets", t->packets, t->packets_count, 10000000, packets,
                         sizeof packets / sizeof *packets, &b->packets, &b->n_packets))
        return false;
    int64_t most = collective_largest(b->sources, b->n_sources) + collective_largest(b->sinks, b->n_sinks);
    if (s->network.hosts == 0 && most <= TRAFFIC_HOSTS)
        s->network.hosts = (int)most;
    s->traffic = SCENARIO_TRAFFIC_BURST;
    return collective_hosts(s, "traffic.burst", most, f);
}

bool traffic_pingpong(struct scenario *s, const struct schema_pingpong *t, struct fields *f)
{
    static const int64_t pairs[] = {1, 2, 4, 8};
    struct scenario_pingpong *p = &s->pingpong;
    p->rounds = 50;
    fields_section(f, "traffic.pingpong");
    if (s->transport != SCENARIO_TRANSPORT_GBN)
        return fields_fail_at(f, "traffic.pingpong", "is for hosts with known overheads: transport: gbn");
    if (!collective_list(f, "pairs", t->pairs, t->pairs_count, TRAFFIC_HOSTS / 2, pairs, 4, &p->pairs, &p->n_pairs) ||
        !fields_integer(f, "rounds", t->rounds, 1, 1000000, &p->rounds))
        return false;
    int64_t most = collective_largest(p->pairs, p->n_pairs);
    if (s->network.hosts == 0 && 2 * most <= TRAFFIC_HOSTS)
        s->network.hosts = (int)(2 * most);
    if (!collective_hosts(s, "traffic.pingpong", 2 * most, f))
        return false;
    struct random random;
    random_init(&random, s->seed);
    s->traffic = SCENARIO_TRAFFIC_PINGPONG;
    s->flows = calloc((size_t)(2 * most), sizeof *s->flows);
    if (!s->flows)
        return collective_no_memory(f);
    for (int i = 0; i < most; i++) { /* across the bisection */
        int far = i + s->network.hosts / 2;
        collective_flow(s, s->n_flows++, i, far, 0, 1, &random);
        collective_flow(s, s->n_flows++, far, i, 0, 1, &random);
    }
    return true;
}

bool traffic_uniform(struct scenario *s, const struct schema_uniform *t, struct fields *f)
{
    struct scenario_uniform *u = &s->uniform;
    *u = (struct scenario_uniform){.ports = s->network.hosts > 0 ? s->network.hosts / 2 : 8, .load = 1};
    fields_section(f, "traffic.uniform");
    if (!fields_integer(f, "ports", t->ports, 1, TRAFFIC_HOSTS / 2, &u->ports) ||
        !fields_number(f, "load", t->load, 0.001, 1, &u->load))
        return false;
    if (s->network.hosts == 0)
        s->network.hosts = 2 * (int)u->ports;
    s->traffic = SCENARIO_TRAFFIC_UNIFORM;
    return collective_hosts(s, "traffic.uniform", 2 * u->ports, f);
}
