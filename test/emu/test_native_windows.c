/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/network/windows.h with the native engine: large random networks by windows, with one thread and with several, against one
 * event after the other. Cables' delays are drawn to the picosecond, so that hardly two frames arrive anywhere at one
 * time, and the three must agree in everything. */
#include "emu/network/windows.h"

#include "base/units.h"
#include "test/cm.h"

#define MS UNITS_PS_PER_MS
#define US UNITS_PS_PER_US
#define HOSTS 128
#define FLOWS 160
#define LINKS (HOSTS + 16)
#define PORTS (2 * LINKS)

static struct emu_engine *engine;
static struct emu_network net;

struct outcome {
    struct emu_flow_stats flows[FLOWS];
    struct emu_port_stats ports[PORTS];
    struct emu_queue_stats queues[PORTS];
    uint64_t seen; /* by a tap at h0: a sum over times, sizes and directions */
    bool windows;
};

static void transmit(void *user, int host, const struct emu_frame *frame)
{
    emu_network_transmit(&net, host, frame);
}

static void deliver(void *user, int host, const struct emu_frame *frame)
{
    emu_engine_deliver(engine, host, frame);
}

static void delivered(void *user, int flow, int64_t bytes)
{
    (void)user, (void)flow, (void)bytes;
}

static void left(void *user, const struct emu_frame *frame)
{
    emu_engine_left(engine, (int)frame->src, frame);
}

static void saw(void *user, enum emu_tap_event event, int64_t time_ps, const struct emu_frame *frame,
                const struct emu_queue *queue)
{
    uint64_t *seen = user;
    *seen = *seen * 31 + (uint64_t)(time_ps * (event + 1) + frame->payload_bytes + queue->depth_bytes);
}

/* A sample: nobody's event, and at no time that a kernel's timers like. */
static void look(void *arg)
{
    uint64_t *seen = arg;
    struct emu_clock clock = emu_engine_clock(engine);
    for (int i = 0; i < emu_network_port_count(&net); i++) {
        emu_port_settle(emu_network_port(&net, i));
        *seen = *seen * 31 + (uint64_t)emu_network_port(&net, i)->queue.depth_bytes;
    }
    emu_clock_schedule(&clock, 3 * MS + 1237, look, seen);
}

struct plan {
    struct emu_network_config network;
    struct emu_network_link links[LINKS];
    int n_links;
    struct emu_flow_config flows[FLOWS];
    int n_flows;
    int64_t until_ps;
};

static int64_t between(struct random *r, int64_t least, int64_t most)
{
    return least + (int64_t)random_below(r, (uint64_t)(most - least + 1));
}

/* Either way of a cable: 0.9 to 1.1 times the rate, and a delay. */
static void join(struct random *r, struct plan *p, const char *from, const char *to, int64_t rate_bps, int64_t least_ps,
                 int64_t most_ps)
{
    struct emu_network_link *l = &p->links[p->n_links++];
    assert_true(p->n_links <= LINKS);
    *l = (struct emu_network_link){.link = {.rate_bps = rate_bps, .delay_ps = least_ps}, .cables = 1};
    snprintf(l->from, sizeof l->from, "%s", from);
    snprintf(l->to, sizeof l->to, "%s", to);
    for (int i = 0; i < 2; i++)
        *(i ? &l->back : &l->out) = (struct emu_network_way){.on = true,
                                                             .rate_bps = rate_bps / 1000 * between(r, 900, 1100) + 7,
                                                             .delay_ps = between(r, least_ps, most_ps)};
}

/* One switch; two with a cable between them; three with a root; three with two spines. */
static void draw_links(struct random *r, struct plan *p, int hosts)
{
    static const int racks[] = {1, 2, 3, 3}, tops[] = {0, 0, 1, 2};
    size_t kind = random_below(r, 4);
    bool near = random_below(r, 2) && kind < 3; /* cables between switches that are shorter than hosts' */
    int64_t least_ps = near ? 0 : 20 * US, most_ps = near ? US : 90 * US, rate_bps = between(r, 1, 40) * INT64_C(1000000000);
    char names[2][EMU_GRAPH_NAME];
    for (int h = 0; h < hosts; h++) {
        snprintf(names[0], sizeof names[0], "h%d", h);
        snprintf(names[1], sizeof names[1], "rack%d", h % racks[kind]);
        join(r, p, names[0], names[1], 1000000000, 20 * US, 60 * US);
    }
    for (int i = 0; i < racks[kind]; i++)
        for (int t = 0; t < tops[kind]; t++) {
            snprintf(names[0], sizeof names[0], "rack%d", i);
            snprintf(names[1], sizeof names[1], "top%d", t);
            join(r, p, names[0], names[1], rate_bps, least_ps, most_ps);
        }
    if (kind == 1)
        join(r, p, "rack0", "rack1", rate_bps, least_ps, most_ps);
}

static void draw(struct random *r, struct plan *p)
{
    static const enum emu_congestion controls[] = {EMU_CONGESTION_NEWRENO, EMU_CONGESTION_CUBIC,
                                                   EMU_CONGESTION_LINUXRENO};
    int hosts = (int)between(r, EMU_WINDOWS_LEAST_HOSTS, HOSTS);
    *p = (struct plan){.until_ps = 60 * MS};
    draw_links(r, p, hosts);
    struct emu_network_config *c = &p->network;
    *c = (struct emu_network_config){.topology = EMU_TOPOLOGY_GRAPH,
                                     .hosts = hosts,
                                     .nic = emu_queue_config_default(),
                                     .sw = emu_switch_config_default(),
                                     .links = p->links,
                                     .n_links = p->n_links};
    if (random_below(r, 2)) /* some lose */
        c->sw.queue.limit_bytes = between(r, 20000, 100000);
    p->n_flows = (int)between(r, 40, FLOWS);
    int64_t small = random_below(r, 2) ? 0 : 131072;
    enum emu_congestion control = controls[random_below(r, 3)];
    for (int i = 0; i < p->n_flows; i++) {
        struct emu_flow_config *f = &p->flows[i];
        f->source = (int)random_below(r, (uint64_t)hosts);
        f->sink = (f->source + 1 + (int)random_below(r, (uint64_t)hosts - 1)) % hosts;
        f->start_ps = between(r, 0, MS);
        f->bytes = between(r, 1, 2000000);
        f->tcp = (struct emu_tcp_config){.congestion = control,
                                         .send_buffer_bytes = 250000,
                                         .receive_buffer_bytes = 250000,
                                         .initial_window_segments = 10,
                                         .segment_bytes = 1448,
                                         .delayed_ack = 2,
                                         .delayed_ack_timeout_ps = 40 * MS,
                                         .min_rto_ps = 200 * MS,
                                         .sack = true,
                                         .small_queue_bytes = small};
    }
}

static bool ways_known(const struct plan *p)
{
    for (int i = 0; i < p->n_flows; i++)
        if (!emu_network_knows(&net, p->flows[i].source, p->flows[i].sink))
            return false;
    return true;
}

/* threads 0: one event after the other. */
static void run(const struct plan *p, int threads, struct outcome *o)
{
    struct error err;
    struct emu_engine_config config = {.seed = 1, .transmit = transmit, .delivered = delivered};
    memset(o, 0, sizeof *o);
    engine = emu_engine_new(&config, &err);
    struct emu_clock clock = emu_engine_clock(engine);
    emu_network_init(&net, &p->network, &clock, emu_engine_frame_ops(), deliver, NULL);
    assert_true(net.graph.hosts == p->network.hosts && emu_network_port_count(&net) <= PORTS);
    net.nics[0].tap = (struct emu_tap){saw, &o->seen};
    for (int h = 0; h < net.graph.hosts; h++) {
        if (p->flows[0].tcp.small_queue_bytes > 0)
            net.nics[h].watch = (struct emu_port_watch){left, NULL};
        assert_int_equal(emu_engine_add_host(engine, &err), h);
    }
    for (int i = 0; i < p->n_flows; i++)
        assert_int_equal(emu_engine_add_flow(engine, &p->flows[i], &err), i);
    uint64_t sampled = 0;
    emu_clock_schedule(&clock, MS + 1237, look, &sampled);
    struct emu_windows *w = NULL;
    for (int64_t until_ps = MS; until_ps <= p->until_ps && !w; until_ps *= 2) {
        assert_true(emu_engine_run(engine, until_ps, &err));
        if (threads > 0 && ways_known(p)) {
            assert_true(emu_windows_fit(&net));
            w = emu_windows_new(&net, engine, threads);
            assert_non_null(w);
        }
    }
    assert_true(w ? emu_windows_run(w, p->until_ps, &err) : emu_engine_run(engine, p->until_ps, &err));
    o->windows = w != NULL;
    o->seen += sampled;
    assert_true(emu_network_audit(&net, &err));
    for (int i = 0; i < p->n_flows; i++)
        o->flows[i] = emu_engine_flow_stats(engine, i);
    for (int i = 0; i < emu_network_port_count(&net); i++) {
        o->ports[i] = emu_network_port(&net, i)->stats;
        o->ports[i].delivered = 0; /* windows count it when it is on its way */
        o->queues[i] = emu_network_port(&net, i)->queue.stats;
    }
    emu_windows_free(w);
    emu_network_fini(&net);
    emu_engine_free(engine);
}

static void same(const struct plan *p, const struct outcome *a, const struct outcome *b)
{
    for (int i = 0; i < p->n_flows; i++) {
        assert_int_equal(a->flows[i].delivered_bytes, b->flows[i].delivered_bytes);
        assert_int_equal(a->flows[i].last_delivery_ps, b->flows[i].last_delivery_ps);
        assert_int_equal(a->flows[i].retransmitted_segments, b->flows[i].retransmitted_segments);
    }
    assert_memory_equal(a->ports, b->ports, sizeof a->ports);
    assert_memory_equal(a->queues, b->queues, sizeof a->queues);
    assert_true(a->seen == b->seen);
}

TEST(test_windows_are_as_one_event_after_the_other)
{
    static struct plan p;
    static struct outcome events, one, three;
    int networks = 0, windows = 0;
    int64_t lost = 0;
    for (uint64_t seed = 1; seed <= 24; seed += (uint64_t)cm_every()) {
        struct random r = random_of(seed);
        draw(&r, &p);
        run(&p, 0, &events);
        run(&p, 1, &one);
        same(&p, &events, &one);
        run(&p, 3, &three);
        same(&p, &one, &three);
        networks++;
        windows += one.windows;
        for (int i = 0; i < PORTS; i++)
            lost += one.queues[i].dropped;
    }
    assert_true(24 * windows >= 22 * networks && lost > 100);
}
