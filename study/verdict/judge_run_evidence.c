/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/verdict/judge_run_evidence.h"

#include "base/order.h"
#include "model/window/window.h"
#include "study/run_network.h"

#define HOPS 64
#define WINDOW_FULL 0.85   /* of the window is in flight: the window limits the flow, not its application */
#define PAUSES 0.05        /* of the time: its application, not its window, limits a flow */
#define LINK_FULL 0.95     /* of what a link can carry */
#define WRITES 0.97        /* of the rate at which its application writes: nothing holds it back */
#define HEADERS 90.0       /* wire bytes of a segment besides its payload; of an ACK, all */
#define PLACE_FULL 0.9    /* of its rate: ACKs wait there */
#define PLACE_OWN 1.1     /* a resource's own link counts as so much fuller */
#define STOPS 0.02         /* of the time by PAUSE */
#define LOSS_EVENTS 2
#define ALONE 1.01        /* of its own data on a link */
#define MOST_OF_TRANSFER 0.9

static ORDER_OF(links_compare, struct study_run_link *const, strcmp((*a)->name, (*b)->name))

static int links_compare_name(const void *name, const void *link)
{
    return strcmp(name, (*(const struct study_run_link *const *)link)->name);
}

static struct study_run_link *links_find(const struct study_run_links *l, const char *name)
{
    struct study_run_link **at =
        l->n > 0 ? bsearch(name, l->by_name, l->n, sizeof *l->by_name, links_compare_name) : NULL;
    return at ? *at : NULL;
}

/* The ports that a flow's data pass, or its ACKs, in order; returns how many. */
static int links_way(const struct study_run_links *l, const struct study_run_flow *f, bool acks,
                     struct emu_graph_port way[HOPS])
{
    bool turned = f->back != acks;
    int from = turned ? f->flow->to : f->flow->from, to = turned ? f->flow->from : f->flow->to;
    int hops = emu_graph_path(&l->graph, from, to, EMU_FRAME_FLOW_OF(f->flow - l->scenario->flows, turned), HOPS, way);
    return hops < HOPS ? hops : HOPS;
}

static size_t links_path(const struct study_run_links *l, const struct study_run_flow *f, bool acks,
                         struct study_run_link *path[HOPS])
{
    struct emu_graph_port way[HOPS];
    int hops = links_way(l, f, acks, way);
    size_t n = 0;
    for (int i = 0; i < hops; i++) {
        path[n] = &l->link[2 * way[i].link + way[i].side];
        n += path[n]->port != NULL;
    }
    return n;
}

bool study_run_links_use(const struct study_run_links *l, const struct study_run_flow *f, const char *resource,
                         bool *incoming)
{
    const struct study_run_link *of = links_find(l, resource);
    int from = f->back ? f->flow->to : f->flow->from, to = f->back ? f->flow->from : f->flow->to;
    int host = emu_graph_host(resource), hops;
    struct emu_graph_port way[HOPS];
    if (host >= 0) {
        *incoming = to == host;
        return from == host || to == host;
    }
    hops = of ? links_way(l, f, false, way) : 0;
    for (int i = 0; i < hops; i++)
        if (way[i].link == of->at.link) {
            *incoming = way[i].side != of->at.side;
            return true;
        }
    return false;
}

/* Is its next message what follows? Its progress is that of a first one, behind a barrier. */
static bool flow_repeats(const struct study_run_flow *f)
{
    return f->flow->repeat > 1 && !f->progress;
}

static struct results_progress_point flow_did(const struct study_run_flow *f, double from_s, double to_s)
{
    return results_progress_between(f->progress, f->index, f->start_s, f->end_s, from_s, to_s);
}

double study_run_goodput_bps(const struct study_run_flow *f, double from_s, double to_s)
{
    struct results_progress_point did = flow_did(f, from_s, to_s);
    return 8 * (f->back ? did.back_bytes : did.bytes) / (to_s - from_s);
}

/* Mean waits of its data and its ACKs in [from_s, to_s), or after the warm-up, or in its life. */
static void flow_waits(const struct study_run_flow *f, double from_s, double to_s, double *data_s, double *ack_s)
{
    const struct results_flow *row = f->row;
    bool steady = isfinite(row->steady_data_wait_s) && isfinite(row->steady_ack_wait_s);
    double there_s = steady ? row->steady_data_wait_s : row->data_wait_s;
    double back_s = steady ? row->steady_ack_wait_s : row->ack_wait_s;
    if (f->progress) {
        struct results_progress_point did = flow_did(f, from_s, to_s);
        there_s = did.data_wait_s / did.data_frames;
        back_s = did.ack_wait_s / did.ack_frames;
    }
    *data_s = f->back ? back_s : there_s; /* what comes back passes the queues of the ACKs */
    *ack_s = f->back ? there_s : back_s;
}

/* How many times faster its window would send if its ACKs waited for nothing. */
static double flow_faster(const struct study_run_flow *f, double from_s, double to_s)
{
    double data_s, ack_s;
    flow_waits(f, from_s, to_s, &data_s, &ack_s);
    bool window = f->flow->rate_bps == 0 && f->flow->n_pauses == 0 && f->row->steady_loss_events < LOSS_EVENTS;
    double faster = 1 + ack_s / (f->row->floor_s + data_s);
    return window && isfinite(faster) ? faster : 1;
}

static double flow_rate_bps(const struct study_run_flow *f)
{
    double share = f->back ? (double)f->row->delivered_back_bytes / (double)f->row->bytes : 1;
    return share * results_flow_rate_bps(f->row, f->flow->bytes);
}

void study_run_links_init(struct study_run_links *l, const struct scenario *s, const struct results_summary *summary)
{
    struct error unreachable; /* a scenario that was loaded has none */
    *l = (struct study_run_links){.scenario = s};
    if (!emu_topology_build(&s->network, &l->graph, &unreachable))
        return;
    l->n = 2 * (size_t)l->graph.n_links;
    l->link = memory_zeroed(l->n, sizeof *l->link, "the links of a run");
    l->by_name = memory_zeroed(l->n, sizeof *l->by_name, "the links of a run");
    for (size_t i = 0; i < l->n; i++) {
        l->by_name[i] = &l->link[i];
        l->link[i].at = (struct emu_graph_port){(int)(i / 2), (int)(i % 2)};
        emu_graph_port_name(&l->graph, l->link[i].at, l->link[i].name);
    }
    qsort(l->by_name, l->n, sizeof *l->by_name, links_compare);
    for (size_t i = 0; i < summary->n_ports; i++) {
        const struct results_port *port = &summary->ports[i];
        struct study_run_link *link = links_find(l, port->name);
        if (!link)
            continue;
        const struct emu_link_config *way = &l->graph.links[link->at.link].way[link->at.side];
        const struct emu_frame full = {.payload_bytes = (uint16_t)(s->tcp.segment_bytes + SCENARIO_SEGMENT_HEADERS)};
        link->port = port;
        link->rate_bps =
            (double)port->rate_bps * (double)emu_frame_wire_bytes(&full) / (double)emu_port_frame_bytes(way, &full);
        link->busy = 8 * (double)port->sent_wire_bytes * UNITS_PS_PER_S /
                     ((double)port->rate_bps * (double)summary->ended_ps);
        link->stopped = fmax(0, (double)port->told_to_stop_ps / (double)summary->ended_ps);
    }
}

void study_run_links_empty(struct study_run_links *l)
{
    for (size_t i = 0; i < l->n; i++)
        l->link[i].data_bps = l->link[i].ack_bps = l->link[i].wanted_bps = 0;
}

void study_run_links_add(struct study_run_links *l, const struct study_run_flow *f, double from_s, double to_s)
{
    struct study_run_link *path[HOPS];
    double rate_bps = f->progress ? study_run_goodput_bps(f, from_s, to_s) : flow_rate_bps(f);
    double data_bps = 0, ack_bps = 0;
    study_run_wire_bps(f, isfinite(rate_bps) ? rate_bps : 0, &data_bps, &ack_bps);
    for (size_t hop = links_path(l, f, false, path); hop > 0; hop--) {
        path[hop - 1]->data_bps += data_bps;
        path[hop - 1]->wanted_bps += data_bps * flow_faster(f, from_s, to_s);
    }
    for (size_t hop = links_path(l, f, true, path); hop > 0; hop--)
        path[hop - 1]->ack_bps += ack_bps;
}

void study_run_links_fini(struct study_run_links *l)
{
    MEMORY_FREE(l->link, l->by_name);
    emu_graph_fini(&l->graph);
    *l = (struct study_run_links){0};
}

/* Is the link the resource's own, towards it or from it? */
static bool links_own(const struct study_run_links *l, const struct study_run_link *link, const char *resource,
                      bool incoming)
{
    int host = emu_graph_host(resource);
    if (host >= l->graph.hosts)
        return false;
    if (host >= 0)
        return incoming ? emu_graph_far(&l->graph, link->at) == host
                        : l->graph.links[link->at.link].end[link->at.side] == host;
    const struct study_run_link *of = links_find(l, resource);
    return of && link->at.link == of->at.link && (link->at.side != of->at.side) == incoming;
}

double study_run_links_rate_bps(const struct study_run_links *l, const char *resource, bool incoming)
{
    double bps = 0;
    for (size_t i = 0; i < l->n; i++)
        if (l->link[i].port && links_own(l, &l->link[i], resource, incoming))
            bps += l->link[i].rate_bps;
    return bps > 0 ? bps : (double)NAN;
}

double study_run_links_busy(const struct study_run_links *l, const char *resource, bool incoming)
{
    double busy = 0;
    for (size_t i = 0; i < l->n; i++)
        if (l->link[i].port && links_own(l, &l->link[i], resource, incoming))
            busy = fmax(busy, l->link[i].busy);
    return busy;
}

const char *study_run_links_place(const struct study_run_links *l, const struct study_run_flow *f, const char *resource)
{
    struct study_run_link *path[HOPS];
    const struct study_run_link *fullest = NULL;
    double most = PLACE_FULL;
    for (size_t hop = links_path(l, f, true, path); hop > 0; hop--) {
        const struct study_run_link *link = path[hop - 1];
        double load = link->busy;
        if (links_own(l, link, resource, true) || links_own(l, link, resource, false))
            load *= PLACE_OWN;
        fullest = link->data_bps > 0 && load > most ? link : fullest;
        most = fullest == link ? load : most;
    }
    bool own = fullest && (links_own(l, fullest, resource, true) || links_own(l, fullest, resource, false));
    return fullest && !own ? fullest->name : "";
}

/* The same of any host, by the frames of its flows. */
static double evidence_busy(const struct scenario *s, int host, const struct emu_host_load *in, const struct emu_host_load *out)
{
    return emu_host_busy(&s->network.host, host < s->network.n_host_times ? s->host_times_ps[host] : 0, in, out);
}

double study_run_host_busy(const struct scenario *s, const char *resource, const struct judge_facts *set)
{
    struct emu_host_load load[2] = {{0}}; /* out, in */
    for (size_t i = 0; i < set->n; i++) {
        const struct judge_flow *f = &set->flow[i];
        double data = f->rate_bps / 8 / set->full_bytes, acks = data / set->segments_per_ack;
        load[f->incoming].frames += data;
        load[f->incoming].bytes += data * (set->full_bytes + HEADERS - EMU_FRAME_OVERHEAD_BYTES);
        load[!f->incoming].frames += acks;
        load[!f->incoming].bytes += acks * (HEADERS - EMU_FRAME_OVERHEAD_BYTES);
    }
    return resource[0] == 'h' ? evidence_busy(s, (int)strtol(resource + 1, NULL, 10), &load[1], &load[0]) : 0;
}

void study_run_wire_bps(const struct study_run_flow *f, double goodput_bps, double *data_bps, double *ack_bps)
{
    double full = (double)f->flow->tcp.segment_bytes;
    *data_bps += goodput_bps * (full + HEADERS) / full;
    *ack_bps += goodput_bps * HEADERS / ((double)f->flow->tcp.delayed_ack * full);
}

static const struct study_run_link *links_opposite(const struct study_run_links *l, const struct study_run_link *link)
{
    return &l->link[2 * link->at.link + !link->at.side];
}

/* Frames of `full` bytes of payload, and ACKs, and their IP packets. */
static struct emu_host_load links_load(const struct study_run_link *link, double full)
{
    double data = link->data_bps / (full + HEADERS) / 8, acks = link->ack_bps / HEADERS / 8;
    return (struct emu_host_load){data + acks, data * (full + HEADERS - EMU_FRAME_OVERHEAD_BYTES) +
                                                   acks * (HEADERS - EMU_FRAME_OVERHEAD_BYTES)};
}

/* Is one of the flow's hosts, other than the resource, busy with taking frames all the time? Whatever waits for it then
 * waits in no link's queue, and nothing that is served first anywhere makes it faster. */
static bool evidence_slow_peer(const struct study_run_links *l, const struct study_run_flow *f, const char *resource)
{
    const struct scenario *s = l->scenario;
    const double full = (double)f->flow->tcp.segment_bytes;
    struct study_run_link *path[HOPS];
    for (int back = 0; back < 2; back++)
        for (size_t hop = links_path(l, f, back, path); hop > 0; hop--) {
            const struct study_run_link *link = path[hop - 1];
            int host = emu_graph_far(&l->graph, link->at);
            struct emu_host_load in = links_load(link, full), out = links_load(links_opposite(l, link), full);
            if (host >= 0 && host < l->graph.hosts && host != emu_graph_host(resource) &&
                evidence_busy(s, host, &in, &out) > STUDY_RUN_BUSY)
                return true;
        }
    return false;
}

/* How much faster the flow may become before the fullest of the other links on its way is full. Alone there, it may
 * until then; with others, whose data it waits for, no more than its ACKs' waits make it slower, and of a link that is
 * full they divide what there is as what they want. *cause: what that link would be the limit by; *full: it is that
 * already. */
static double evidence_growth(const struct study_run_links *l, const struct study_run_flow *f, const char *resource,
                              bool incoming, double rate_bps, double faster, enum judge_cause *cause, bool *full)
{
    struct study_run_link *path[HOPS];
    double growth = INFINITY, wire_bps = 0, acks_bps = 0;
    study_run_wire_bps(f, rate_bps, &wire_bps, &acks_bps);
    *full = false;
    for (size_t hop = links_path(l, f, false, path); hop > 0; hop--) {
        const struct study_run_link *link = path[hop - 1];
        double open_bps = (1 - link->stopped) * (link->rate_bps - link->ack_bps);
        double alike = open_bps / link->data_bps, share = faster * open_bps / link->wanted_bps;
        if (link->data_bps > ALONE * wire_bps)
            alike = fmin(alike, faster);
        if ((link->stopped == 0 && links_own(l, link, resource, incoming)) || fmax(alike, share) >= growth)
            continue;
        growth = fmax(alike, share);
        *full = open_bps < link->data_bps / LINK_FULL;
        *cause = link->stopped > STOPS ? JUDGE_CAUSE_PAUSE : JUDGE_CAUSE_LINK;
    }
    if (evidence_slow_peer(l, f, resource)) {
        *full = true;
        *cause = JUDGE_CAUSE_LINK;
        return 1;
    }
    return growth;
}

/* What its window lets it send through empty queues. */
static double evidence_window_bps(const struct study_run_links *l, const struct study_run_flow *f, double floor_s)
{
    struct study_run_link *path[HOPS];
    const struct emu_tcp_config *tcp = &f->flow->tcp;
    struct model_window_flight flight = model_window_flight(
        study_run_network_window(tcp), (double)tcp->segment_bytes, (double)tcp->delayed_ack);
    double frame_s = 0, frame_bits = 8 * ((double)tcp->segment_bytes + HEADERS);
    for (size_t hop = links_path(l, f, false, path); hop > 0; hop--)
        frame_s = fmax(frame_s, frame_bits / path[hop - 1]->rate_bps);
    return flight.waits_timer ? INFINITY : flight.bytes * 8 / (floor_s + flight.mates * frame_s);
}

/* Do its ACKs share a queue with data? */
static bool evidence_behind(const struct study_run_links *l, const struct study_run_flow *f)
{
    struct study_run_link *path[HOPS];
    bool behind = false;
    for (size_t hop = links_path(l, f, true, path); hop > 0; hop--)
        behind = behind || path[hop - 1]->data_bps > 0;
    return behind;
}

/* An application that stops and thinks: how long it has nothing to send, and what its cycles allow without any wait of
 * ACKs. A chunk takes a round trip for each window in it, and one for the rest. */
static void evidence_pauses(const struct study_run_flow *f, double from_s, double to_s, struct judge_flow *e)
{
    double end_s = f->progress ? to_s : (double)f->row->end_ps / UNITS_PS_PER_S, span_s = end_s - from_s;
    double upto = f->progress ? flow_did(f, 0, to_s).bytes : (double)f->row->bytes;
    double before = upto - e->rate_bps * span_s / 8, pause_s = 0, n = 0;
    for (int i = 0; i < f->flow->n_pauses; i++) {
        const struct scenario_pause *p = &f->flow->pauses[i];
        if ((double)p->after_bytes <= before || (double)p->after_bytes > upto)
            continue;
        pause_s += (double)p->pause_ps / UNITS_PS_PER_S;
        n++;
    }
    if (n == 0)
        return;
    double transfer_s = (span_s - pause_s) / n, chunk = e->rate_bps * span_s / 8 / n;
    double saved_s = e->ack_wait_s * ceil(chunk / study_run_network_window(&f->flow->tcp));
    e->known = pause_s > PAUSES * span_s ? JUDGE_CAUSE_APPLICATION : e->known;
    e->cycle_s = span_s / n;
    e->clocked = e->clocked_sd = 0;
    e->cycle_wait_s = fmin(saved_s, MOST_OF_TRANSFER * transfer_s);
}

/* The next message goes when this one is received: it takes the way there, and as long as its bytes last. */
static void evidence_messages(const struct study_run_flow *f, double line_bps, struct judge_flow *e)
{
    double wire = (double)f->flow->bytes * (1 + HEADERS / (double)f->flow->tcp.segment_bytes);
    e->most_bps = fmin(e->most_bps, (double)f->flow->bytes * 8 / (e->floor_s / 2 + wire * 8 / line_bps));
}

static enum judge_cause evidence_limit(const struct study_run_flow *f, bool full, enum judge_cause elsewhere,
                                          const struct judge_flow *e)
{
    double window = study_run_network_window(&f->flow->tcp);
    double flight = e->rate_bps / 8 * judge_flow_trip_s(e);
    if (f->row->steady_loss_events >= LOSS_EVENTS)
        return JUDGE_CAUSE_LOSSES;
    if (full)
        return elsewhere;
    bool writes = f->flow->rate_bps > 0 && e->rate_bps > WRITES * (double)f->flow->rate_bps;
    bool messages = flow_repeats(f) && flight < WINDOW_FULL * window;
    return writes || messages ? JUDGE_CAUSE_APPLICATION : JUDGE_CAUSE_WINDOW;
}

void study_run_evidence(const struct study_run_links *l, const struct study_run_flow *f, const char *resource,
                        double from_s, double to_s, struct judge_flow *e)
{
    const struct results_flow *row = f->row;
    enum judge_cause elsewhere = JUDGE_CAUSE_UNKNOWN;
    bool full;
    e->floor_s = row->floor_s;
    flow_waits(f, from_s, to_s, &e->data_wait_s, &e->ack_wait_s);
    e->lossless = row->retransmitted_segments == 0;
    e->behind = evidence_behind(l, f);
    double growth = evidence_growth(l, f, resource, e->incoming, e->rate_bps, flow_faster(f, from_s, to_s),
                                    &elsewhere, &full);
    e->most_bps = fmin(e->rate_bps * growth, evidence_window_bps(l, f, row->floor_s));
    e->known = evidence_limit(f, full, elsewhere, e);
    if (e->known == JUDGE_CAUSE_WINDOW && f->flow->n_pauses > 0)
        evidence_pauses(f, fmax(from_s, (double)row->start_ps / UNITS_PS_PER_S), to_s, e);
    if (flow_repeats(f))
        evidence_messages(f, study_run_links_rate_bps(l, resource, e->incoming), e);
}
