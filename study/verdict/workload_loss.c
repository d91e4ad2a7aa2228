/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Go-Back-N, many to one: the efficiency a run reached against Tam 2001, Eq. 4.2 or 4.9 with its own transitions. */
#include "study/verdict/workload.h"
#include "results/directory.h"
#include "results/gbn_events.h"
#include "results/summary.h"

#define CONTENT 2 /* times the tolerance */

/* Time a full packet takes on the receiver's link: g_r of a receiver that keeps up. */
static double loss_gap_s(const struct scenario *s, int receiver)
{
    bool uplink = s->network.topology == EMU_TOPOLOGY_STAR && receiver < s->network.uplinks;
    double wire = (double)(s->gbn.packet_bytes + EMU_GBN_HEADER_BYTES + EMU_FRAME_OVERHEAD_BYTES);
    return wire * 8 / (double)(uplink ? s->network.backbone.rate_bps : s->network.link.rate_bps);
}

/* A limit in packets, of whichever kind it is. */
static double loss_packets(const struct scenario *s, int64_t bytes, int64_t packets)
{
    double frame = (double)(s->gbn.packet_bytes + EMU_GBN_HEADER_BYTES + EMU_FRAME_HEADER_BYTES + EMU_FRAME_FCS_BYTES);
    return fmin((double)packets, bytes == EMU_QUEUE_UNLIMITED ? INFINITY : (double)bytes / frame);
}

/* Senders behind one uplink share its input buffer, which then acts as an output's (section 4.3.4). */
static void loss_buffer(const struct scenario *s, struct study_workload_receiver *k)
{
    const struct emu_switch_config *sw = &s->network.sw;
    enum emu_architecture_place place = emu_architectures[sw->architecture]->place;
    int home = 0, rack = emu_topology_rack(&s->network, k->receiver);
    for (int i = 0; i < s->n_flows; i++)
        home += s->flows[i].to == k->receiver && emu_topology_rack(&s->network, s->flows[i].from) == rack;
    k->input = place == EMU_ARCHITECTURE_AT_INPUTS && (s->network.topology == EMU_TOPOLOGY_STAR || home > 0);
    double limit = loss_packets(s, sw->queue.limit_bytes, sw->queue.limit_packets);
    k->buffer = place == EMU_ARCHITECTURE_IN_POOL ? fmin(limit, loss_packets(s, sw->pool.bytes, sw->pool.packets))
                                                  : limit;
}

static bool loss_read_flows(const char *directory, const struct scenario *s, struct study_workload_receiver *k,
                            struct error *err)
{
    struct results_flow *flows = NULL;
    size_t n = 0;
    char name[16];
    double bps = 0, variance = 0, bytes = 0, start_s = INFINITY, end_s = 0;
    snprintf(name, sizeof name, "h%d", k->receiver);
    if (!results_flow_read(directory, &flows, &n, err))
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct results_flow *f = &flows[i];
        if (strcmp(f->dst, name) != 0)
            continue;
        bps += f->steady_goodput_bps;
        variance += f->steady_ci95_bps * f->steady_ci95_bps;
        bytes += fmax(0, (double)f->bytes);
        if (f->start_ps >= 0)
            start_s = fmin(start_s, (double)f->start_ps / UNITS_PS_PER_S);
        end_s = fmax(end_s, (double)f->end_ps / UNITS_PS_PER_S);
    }
    free(flows);
    double full = (double)s->gbn.packet_bytes * 8 / loss_gap_s(s, k->receiver);
    bool bounded = s->flows[0].bytes > 0 || !isfinite(bps);
    k->efficiency = (bounded ? bytes * 8 / (end_s - start_s) : bps) / full;
    k->ci95 = bounded ? NAN : sqrt(variance) / full;
    return true;
}

/* The frames that the links to this host delivered. */
static double loss_arrived(const struct results_summary *summary, int host)
{
    char end[16];
    double frames = 0;
    size_t n = (size_t)snprintf(end, sizeof end, "-h%d", host);
    for (size_t i = 0; i < summary->n_ports; i++) {
        const struct results_port *p = &summary->ports[i];
        size_t length = strlen(p->name);
        if (length >= n && strcmp(p->name + length - n, end) == 0)
            frames += (double)p->delivered_frames;
    }
    return frames;
}

/* good / (good + error). The links of a host that sends carry Packs as well, which are neither. */
static bool loss_read_arrivals(const char *directory, const struct scenario *s, struct study_workload_receiver *k,
                               struct error *err)
{
    MEMORY_ENDS(results_summary_fini) struct results_summary summary;
    if (!results_summary_read(&summary, directory, err))
        return false;
    bool sends = false;
    double good = 0, arrived = loss_arrived(&summary, k->receiver);
    for (int i = 0; i < s->n_flows; i++)
        sends |= s->flows[i].from == k->receiver || s->flows[i].duplex;
    for (size_t i = 0; i < summary.n_flows && i < (size_t)s->n_flows; i++)
        if (s->flows[i].to == k->receiver)
            good += (double)summary.flows[i].bytes / (double)s->gbn.packet_bytes;
    k->in_order_share = sends || arrived <= 0 ? NAN : good / arrived;
    return true;
}

static void loss_read_traces(const char *directory, const struct scenario *s, struct study_workload_receiver *k)
{
    MEMORY_LOCAL struct model_loss_counts *senders = memory_zeroed((size_t)k->senders, sizeof *senders, "traces");
    size_t n = 0;
    struct error none;
    for (int i = 0; i < s->n_flows; i++) {
        char name[SCENARIO_NAME + 16];
        if (s->flows[i].to != k->receiver)
            continue;
        snprintf(name, sizeof name, "%s.events", s->flows[i].name);
        MEMORY_LOCAL char *path = results_directory_path(directory, name);
        if (results_gbn_events_read(path, &senders[n], &none)) /* a sender that never got through has no event */
            model_loss_trace_merge(&k->pooled, &senders[n++]);
    }
    k->has_chain = n > 0 && model_loss_trace_chain(senders, n, &k->chain, &none);
}

static void loss_predict(const struct scenario *s, struct study_workload_receiver *k)
{
    struct model_loss_flow flow = {k->senders, k->window, k->buffer};
    struct model_loss_input input;
    struct model_loss_output output;
    struct error none;
    k->predicted = NAN;
    k->rule = "none: what the formulas speak of is Go-Back-N with fast retransmission";
    if (k->senders == 1)
        k->rule = "one sender: what holds it back lies elsewhere";
    if (s->gbn.simple || k->senders == 1)
        return;
    if (k->input && model_loss_input_buffered(&flow, &input, &none)) {
        k->rule = input.lossless ? "W <= B_L: nothing is lost" : "Eq. 4.2, input-buffered";
        k->predicted = input.efficiency;
    } else if (!k->input && isinf(k->buffer)) {
        k->rule = "no limit: nothing is lost";
        k->predicted = 1;
    } else if (!k->input && k->has_chain && model_loss_output_buffered(&flow, &k->chain, k->to_gr, &output, &none)) {
        k->rule = output.lossless ? "P W <= B_L: nothing is lost"
                                  : "Eq. 4.9 and 4.10, output-buffered, with this run's c, 1-a and f";
        k->predicted = output.efficiency;
    }
}

bool study_workload_loss(const char *directory, const struct scenario *s, double tolerance,
                         struct study_workload_losses *l, struct error *err)
{
    l->receiver = memory_zeroed((size_t)s->network.hosts, sizeof *l->receiver, "receivers");
    for (int h = 0; h < s->network.hosts; h++) {
        struct study_workload_receiver k = {.receiver = h, .window = (double)s->gbn.window_packets,
                                            .to_gr = (double)s->gbn.timeout_ps * 1e-12 / loss_gap_s(s, h)};
        for (int i = 0; i < s->n_flows; i++)
            k.senders += s->flows[i].to == h;
        if (k.senders == 0)
            continue;
        loss_buffer(s, &k);
        if (!loss_read_flows(directory, s, &k, err) || !loss_read_arrivals(directory, s, &k, err))
            return false;
        loss_read_traces(directory, s, &k);
        loss_predict(s, &k);
        k.holds = !isfinite(k.predicted) || fabs(k.predicted / k.efficiency - 1) <= CONTENT * tolerance;
        l->receiver[l->n++] = k;
    }
    return l->n > 0 || error_set(err, ERROR_INPUT, "%s: no flow", directory);
}
