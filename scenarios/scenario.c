/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/scenario.h"

/* In the order of their enums. */
const char *const scenario_engine_names[] = {"ns3", "native", "linux", NULL};
const char *const scenario_clock_names[] = {"virtual", "wall", NULL};
const char *const scenario_format_names[] = {"pcap", "pcapng", NULL};
const char *const scenario_transport_names[] = {"tcp", "gbn", "quic", NULL};
const char *const scenario_algorithm_names[] = {"shift", "pairwise", "synchronous", "group", "direct", "rounds", NULL};

static void scenario_free_list(struct scenario_flow *flows, int n)
{
    for (int i = 0; i < n; i++)
        MEMORY_FREE(flows[i].pauses, flows[i].windows);
    free(flows);
}

void scenario_free_flows(struct scenario *s)
{
    scenario_free_list(s->flows, s->n_flows);
    s->flows = NULL;
    s->n_flows = 0;
}

void scenario_free_programs(struct scenario *s)
{
    for (int i = 0; i < s->n_programs; i++)
        free(s->programs[i].command);
    free(s->programs);
    s->programs = NULL;
    s->n_programs = 0;
}

void scenario_fini(struct scenario *s)
{
    scenario_free_flows(s);
    free(s->datagrams);
    scenario_free_programs(s);
    MEMORY_FREE(s->points, s->captures);
    scenario_free_list(s->beside, s->n_beside);
    MEMORY_FREE(s->on_off, s->background.hosts, s->requests.clients, s->goal.lines, s->ranks, s->burst.sources,
                s->burst.sinks, s->burst.packets, s->pingpong.pairs, s->pause_hosts, s->delays_ps, s->host_times_ps,
                s->links, s->nodes);
    *s = (struct scenario){0};
}

static bool tcp_lacks_congestion(const struct emu_tcp_config *tcp, enum scenario_engine engine)
{
    const struct emu_congestion_row *control = &emu_congestion_rows[tcp->congestion];
    return engine == SCENARIO_ENGINE_NS3     ? control->ns3_type == NULL
           : engine == SCENARIO_ENGINE_LINUX ? control->linux_name == NULL
                                             : !control->native;
}

static bool scenario_tcp_lacks(const struct emu_tcp_config *tcp, enum scenario_engine engine, char what[static 96])
{
    const bool ns3 = engine == SCENARIO_ENGINE_NS3, linux_tcp = engine == SCENARIO_ENGINE_LINUX;
    const bool as_linux = !tcp->quic && (tcp->congestion == EMU_CONGESTION_LINUXRENO || tcp->congestion == EMU_CONGESTION_CUBIC);
    const struct {
        bool lacks;
        const char *what;
    } rows[] = {
        {(ns3 || linux_tcp) && tcp->quic, "QUIC (transport)"},
        {tcp->quic && (tcp->ecn || tcp->congestion == EMU_CONGESTION_DCTCP), "ECN in QUIC"},
        {(ns3 || linux_tcp) && tcp->max_rto_ps > 0, "longest timeout (tcp.max_rto)"},
        {ns3 && tcp->nagle, "Nagle's rule (tcp.nagle)"},
        {ns3 && tcp->idle_restart, "restart after idle times (tcp.idle_restart)"},
        {ns3 && tcp->small_queue_bytes > 0, "TCP Small Queues (tcp.small_queues)"},
        {linux_tcp && tcp->delayed_ack_timeout_ps != SCENARIO_TCP_ACK_DELAY_PS,
         "delayed ACKs but its own, from 40 ms on (tcp.delayed_ack_timeout)"},
        {tcp->delayed_ack > 2 && (linux_tcp || (!ns3 && as_linux)),
         "more than 2 segments per ACK in Linux's TCP (tcp.delayed_ack)"},
    };
    snprintf(what, 96, "congestion control '%s'", emu_congestion_names[tcp->congestion]);
    if (tcp_lacks_congestion(tcp, engine))
        return true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].lacks) {
            snprintf(what, 96, "%s", rows[i].what);
            return true;
        }
    return false;
}

bool scenario_engine_lacks(const struct scenario *s, enum scenario_engine engine, char what[static 96])
{
    if (s->transport == SCENARIO_TRANSPORT_GBN || s->traffic == SCENARIO_TRAFFIC_BURST ||
        s->traffic == SCENARIO_TRAFFIC_UNIFORM)
        return false; /* an engine is a clock to these */
    if (scenario_tcp_lacks(&s->tcp, engine, what))
        return true;
    const struct emu_network_config *n = &s->network;
    snprintf(what, 96, "the kernel's queue disciplines (qdisc)");
    if (engine != SCENARIO_ENGINE_LINUX && (*n->nic_kernel || *n->sw.kernel || *n->root_sw.kernel))
        return true;
    snprintf(what, 96, "programs (traffic.programs)");
    if (s->n_programs > 0 && engine != SCENARIO_ENGINE_LINUX)
        return true;
    snprintf(what, 96, "complete exchange over TCP");
    if (s->traffic == SCENARIO_TRAFFIC_EXCHANGE && engine == SCENARIO_ENGINE_NS3)
        return true;
    snprintf(what, 96, "barriers over a tree");
    if (s->traffic == SCENARIO_TRAFFIC_TREE && engine == SCENARIO_ENGINE_NS3)
        return true;
    snprintf(what, 96, "collectives by their dependencies, and GOAL");
    if (s->n_played > 0 && engine == SCENARIO_ENGINE_NS3)
        return true;
    snprintf(what, 96, "messages repeated until their mean time is known well enough (traffic.precision)");
    if (s->precision > 0 && engine == SCENARIO_ENGINE_NS3)
        return true;
    snprintf(what, 96, "repeated messages");
    if (s->star_repeat > 1 && engine == SCENARIO_ENGINE_NS3)
        return true;
    for (int i = 0; i < s->n_flows; i++) {
        const struct scenario_flow *f = &s->flows[i];
        if (scenario_tcp_lacks(&f->tcp, engine, what))
            return true;
        snprintf(what, 96, "%s", f->n_pauses > 0 ? "pauses of applications"
                                 : f->rate_bps > 0 ? "applications with a rate"
                                 : f->duplex       ? "duplex flows"
                                                   : "repeated messages");
        if (engine == SCENARIO_ENGINE_NS3 && (f->duplex || f->repeat > 1 || f->n_pauses > 0 || f->rate_bps > 0))
            return true;
    }
    return false;
}

int64_t scenario_packet_bytes(const struct scenario *s)
{
    bool gbn = s->transport == SCENARIO_TRANSPORT_GBN;
    int64_t most = SCENARIO_MTU;
    int64_t stream = gbn ? s->gbn.packet_bytes + EMU_GBN_HEADER_BYTES : s->tcp.segment_bytes + SCENARIO_SEGMENT_HEADERS;
    most = stream > most ? stream : most;
    for (int i = 0; i < s->n_datagrams; i++)
        most = s->datagrams[i].packet_bytes > most ? s->datagrams[i].packet_bytes : most;
    return most;
}

int64_t scenario_late_by_ps(const struct scenario *s)
{
    const struct emu_network_config *n = &s->network;
    const int64_t bytes = s->tcp.segment_bytes + SCENARIO_SEGMENT_HEADERS + EMU_FRAME_OVERHEAD_BYTES;
    int64_t least_ps = emu_port_wire_ps(&n->link, bytes);
    if (n->topology == EMU_TOPOLOGY_STAR && n->uplinks > 0 && emu_port_wire_ps(&n->backbone, bytes) < least_ps)
        least_ps = emu_port_wire_ps(&n->backbone, bytes);
    for (int i = 0; i < n->n_links; i++)
        if (emu_port_wire_ps(&n->links[i].link, bytes) < least_ps)
            least_ps = emu_port_wire_ps(&n->links[i].link, bytes);
    return s->late_by_ps > 0 ? s->late_by_ps : least_ps;
}

struct emu_tcp_config scenario_flow_tcp(const struct scenario *s, int64_t window_bytes)
{
    struct emu_tcp_config tcp = s->tcp;
    tcp.send_buffer_bytes = tcp.receive_buffer_bytes = window_bytes;
    if (tcp.initial_window_segments == SCENARIO_WARM)
        tcp.initial_window_segments = (window_bytes + tcp.segment_bytes - 1) / tcp.segment_bytes;
    return tcp;
}

bool scenario_precise(const struct scenario *s, const struct estimate_running *times_s)
{
    return times_s->n >= SCENARIO_PRECISION_MESSAGES &&
           2 * estimate_of(times_s).ci95 <= s->precision * times_s->mean;
}

double scenario_precise_share(const struct scenario *s, const struct estimate_running *times_s)
{
    double enough = (double)times_s->n / SCENARIO_PRECISION_MESSAGES;
    double width = 2 * estimate_of(times_s).ci95 / times_s->mean, share = s->precision / width;
    return isfinite(width) ? fmin(fmin(enough, 1), share * share) : 0;
}

int64_t scenario_draw_start(const struct scenario *s, struct random *r)
{
    uint64_t spread_ns = (uint64_t)(s->start_spread_ps / UNITS_PS_PER_NS);
    return (int64_t)random_below(r, spread_ns + 1) * UNITS_PS_PER_NS;
}

void scenario_list_star(struct scenario *s, const struct scenario_point *point)
{
    int n = point->incoming + point->outgoing;
    s->flows = memory_zeroed((size_t)n, sizeof *s->flows, "flows");
    s->n_flows = n;
    if (s->network.hosts == 0)
        s->network.hosts = 1 + n;
    struct random random = random_of(s->seed);
    for (int i = 0; i < n; i++) {
        struct scenario_flow *f = &s->flows[i];
        bool in = i < point->incoming;
        int peer = 1 + i % (s->network.hosts - 1);
        snprintf(f->name, sizeof f->name, "%s%d", in ? "in" : "out", in ? i + 1 : i - point->incoming + 1);
        f->from = in ? peer : 0;
        f->to = in ? 0 : peer;
        f->start_ps = scenario_draw_start(s, &random);
        f->bytes = s->star_bytes;
        f->repeat = s->star_repeat;
        f->tcp = scenario_flow_tcp(s, in ? s->incoming_window_bytes : s->outgoing_window_bytes);
    }
    s->incoming_window_bytes = s->outgoing_window_bytes = s->tcp.receive_buffer_bytes; /* the flows have them now */
    s->star_bytes = 0;
    s->star_repeat = 1;
}

void scenario_at_point(const struct scenario *s, int i, struct scenario *point)
{
    *point = *s;
    point->flows = NULL;
    point->points = NULL;
    point->pause_hosts = NULL; /* the network goes on borrowing s's, and its delays */
    point->delays_ps = point->host_times_ps = NULL;
    point->links = NULL;
    point->nodes = NULL;
    point->n_flows = point->n_points = 0;
    point->captures = memory_zeroed((size_t)s->n_captures, sizeof *point->captures, "captures");
    if (s->n_captures > 0)
        memcpy(point->captures, s->captures, (size_t)s->n_captures * sizeof *point->captures);
    scenario_list_star(point, &s->points[i]);
}
