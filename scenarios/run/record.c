/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/run/record.h"

#include "results/directory.h"
#include "results/queues.h"

struct record_queue_row {
    int64_t bytes, packets, dropped;
};

/* bits per second from first to last payload; NAN when nothing, or only an instant, was delivered. */
static double record_goodput(const struct emu_flow_stats *s)
{
    int64_t span_ps = s->last_delivery_ps - s->first_data_ps;
    if (s->delivered_bytes == 0 || s->first_data_ps < 0 || span_ps <= 0)
        return NAN;
    return 8.0 * (double)s->delivered_bytes / ((double)span_ps / (double)UNITS_PS_PER_S);
}

/* What the run knows of flow `f`. */
static struct results_flow record_row(const struct scenario_flow *f, const struct record_flow *r)
{
    const struct emu_flow_stats *stats = &r->stats;
    struct estimate mean = estimate_of(&r->message_s);
    struct results_flow row = {
        .bytes = stats->delivered_bytes,
        .delivered_back_bytes = stats->delivered_back_bytes,
        .start_ps = stats->first_data_ps,
        .end_ps = stats->last_delivery_ps,
        .goodput_bps = record_goodput(stats),
        .steady_goodput_bps = r->steady_bps.value,
        .steady_ci95_bps = r->steady_bps.ci95,
        .retransmitted_segments = stats->retransmitted_segments,
        .retransmitted_bytes = stats->retransmitted_bytes,
        .connected = stats->connected,
        .done = stats->done,
        .floor_s = NAN,
        .steady_data_wait_s = waits_mean_s(&r->waits.data, &r->warm.data),
        .steady_ack_wait_s = waits_mean_s(&r->waits.ack, &r->warm.ack),
        .steady_loss_events = r->steady_loss_events,
        .messages = f->repeat > 1 ? (int64_t)r->message_s.n : -1,
        .message_s = mean.value,
        .message_sd_s = estimate_deviation(&r->message_s),
        .message_ci95_s = mean.ci95,
    };
    snprintf(row.name, sizeof row.name, "%s", f->name);
    snprintf(row.src, sizeof row.src, "h%d", f->from);
    snprintf(row.dst, sizeof row.dst, "h%d", f->to);
    if (r->waits.data.frames > 0 && r->waits.ack.frames > 0) {
        row.floor_s = waits_floor_s(&r->waits);
        row.data_wait_s = waits_mean_s(&r->waits.data, NULL);
        row.ack_wait_s = waits_mean_s(&r->waits.ack, NULL);
        row.rtt_s = row.floor_s + row.data_wait_s + row.ack_wait_s;
        row.data_frames = r->waits.data.frames;
        row.ack_frames = r->waits.ack.frames;
        row.ack_groups = (int64_t)r->waits.xi.groups;
        row.compressed_groups = (int64_t)r->waits.xi.compressed;
    }
    return row;
}

static bool record_flows(const struct results_summary *s, const char *directory, struct error *err)
{
    struct outfile f;
    if (!results_directory_create(&f, directory, "flows.csv", err))
        return false;
    results_columns_csv_head(&results_flow_columns, f.stream);
    for (size_t i = 0; i < s->n_flows; i++)
        results_columns_csv_row(&results_flow_columns, &s->flows[i], f.stream);
    return outfile_commit(&f, err);
}

bool record_queues_open(struct record_queues *r, int ports, const char *directory, struct error *err)
{
    r->last = memory_zeroed((size_t)ports, sizeof *r->last, "ports");
    if (!results_directory_create(&r->file, directory, "queues.csv", err)) {
        free(r->last);
        r->last = NULL;
        return false;
    }
    results_queues_write_head(r->file.stream);
    return true;
}

void record_queues_port(struct record_queues *r, int i, const struct emu_port *p, const struct emu_queue *buffer,
                        int64_t time_ps)
{
    struct record_queue_row row = {buffer->depth_bytes, buffer->depth_packets, p->queue.stats.dropped};
    if (row.bytes == r->last[i].bytes && row.packets == r->last[i].packets && row.dropped == r->last[i].dropped)
        return;
    r->last[i] = row;
    results_queues_write_row(r->file.stream, time_ps, p->name, row.bytes, row.packets, row.dropped);
}

void record_queues_sample(struct record_queues *r, struct emu_network *n, int64_t time_ps)
{
    int ports = emu_network_port_count(n);
    for (int i = 0; i < ports; i++) {
        struct emu_port *p = emu_network_port(n, i);
        emu_port_settle(p);
        record_queues_port(r, i, p, emu_network_buffer(n, i), time_ps);
    }
}

bool record_queues_close(struct record_queues *r, bool keep, struct error *err)
{
    bool ok = true;
    if (r->file.stream) {
        if (keep)
            ok = outfile_commit(&r->file, err);
        else
            outfile_discard(&r->file);
    }
    free(r->last);
    r->last = NULL;
    return ok;
}

static struct results_benchmark record_benchmark(const struct scenario *s, const struct record_flow *flows)
{
    struct results_benchmark b = {.precision = s->precision, .messages = INT64_MAX, .converged = true};
    for (int i = 0; i < s->n_flows && s->precision > 0; i++) {
        const struct estimate_running *times = &flows[i].message_s;
        double width = 2 * estimate_of(times).ci95 / times->mean;
        if (!isnan(b.reached) && !(width <= b.reached)) /* once unknown it stays so */
            b.reached = width;
        b.messages = (int64_t)times->n < b.messages ? (int64_t)times->n : b.messages;
        b.converged = b.converged && scenario_precise(s, times);
    }
    return b;
}

static struct results_port record_port(const struct emu_port *p, const struct emu_queue *buffer)
{
    const struct emu_queue_stats *q = &p->queue.stats;
    bool pauses = p->stats.pauses_sent + p->stats.pauses_received > 0;
    struct results_port port = {
        .rate_bps = p->link.rate_bps,
        .offered_frames = q->enqueued + q->dropped,
        .dropped_frames = q->dropped,
        .queued_frames = buffer->depth_packets,
        .on_wire_frames = (int64_t)emu_port_on_wire(p),
        .delivered_frames = p->stats.delivered,
        .lost_frames = p->fault ? p->stats.lost : -1,
        .sent_frame_bytes = q->dequeued_bytes,
        .sent_wire_bytes = emu_port_sent_wire_bytes(p),
        .peak_queue_bytes = buffer->stats.peak_bytes,
        .peak_queue_packets = buffer->stats.peak_packets,
        .pauses_sent = pauses ? p->stats.pauses_sent : -1,
        .pauses_received = pauses ? p->stats.pauses_received : -1,
        .told_to_stop_ps = pauses ? p->stats.paused_ps : -1,
    };
    snprintf(port.name, sizeof port.name, "%s", p->name);
    return port;
}

static struct results_lateness record_lateness(const struct scenario *s, const struct emu_lateness *l)
{
    return (struct results_lateness){.frames = l->frames,
                                     .late = l->late,
                                     .bound_ps = l->bound_ps,
                                     .share = s->late_share,
                                     .median_ps = emu_lateness_quantile_ps(l, 0.5),
                                     .p99_ps = emu_lateness_quantile_ps(l, 0.99),
                                     .most_ps = l->most_ps,
                                     .overdue_ps = l->overdue_ps};
}

/* Of traffic.collective alone: what others leave does not change. */
static struct results_bandwidth record_bandwidth(const struct scenario *s, const struct estimate_running *operations)
{
    struct results_bandwidth b = {.algorithm_bps = NAN, .bus_bps = NAN};
    if (s->traffic == SCENARIO_TRAFFIC_COLLECTIVE && operations->n > 0 && operations->mean > 0) {
        double bus = model_collective_bus(s->collective.algorithm, s->n_ranks);
        b.bytes = s->collective.bytes;
        b.algorithm_bps = bus > 0 ? 8 * (double)b.bytes / operations->mean : (double)NAN;
        b.bus_bps = bus > 0 ? bus * b.algorithm_bps : (double)NAN;
    }
    return b;
}

bool record_run(const struct scenario *s, const struct record_flow *flows, struct emu_network *n,
                struct results_progress *progress, const struct results_capture *captures,
                const struct estimate_running *operations, const struct results_messages *messages,
                const struct emu_lateness *lateness, int64_t ended_ps, bool complete, const char *directory,
                struct error *err)
{
    int ports = emu_network_port_count(n);
    struct results_summary summary = {
        .contraflow = CONTRAFLOW_VERSION,
        .title = memory_text("%s", s->title),
        .seed = (int64_t)s->seed,
        .complete = complete,
        .ended_ps = ended_ps,
        .warmup_ps = s->warmup_ps,
        .benchmark = record_benchmark(s, flows),
        .operations = {(int64_t)operations->n, operations->mean, estimate_of(operations).ci95},
        .flows = memory_zeroed((size_t)s->n_flows, sizeof *summary.flows, "a summary"),
        .ports = memory_zeroed((size_t)ports, sizeof *summary.ports, "a summary"),
        .captures = memory_zeroed((size_t)s->n_captures, sizeof *summary.captures, "a summary"),
        .n_flows = (size_t)s->n_flows,
        .n_ports = (size_t)ports,
        .n_captures = (size_t)s->n_captures,
    };
    summary.messages = *messages;
    summary.bandwidth = record_bandwidth(s, operations);
    if (lateness)
        summary.lateness = record_lateness(s, lateness);
    snprintf(summary.engine, sizeof summary.engine, "%s", emu_engine_name());
    for (int i = 0; i < s->n_flows; i++)
        summary.flows[i] = record_row(&s->flows[i], &flows[i]);
    for (int i = 0; i < ports; i++)
        summary.ports[i] = record_port(emu_network_port(n, i), emu_network_buffer(n, i));
    for (int i = 0; i < ports; i++)
        summary.ports[i].ring_lost_frames = i < emu_network_nic_count(n) ? emu_network_ring_lost(n, i) : -1;
    for (int i = 0; i < s->n_captures; i++)
        summary.captures[i] = captures[i];
    bool ok = record_flows(&summary, directory, err) &&
              results_progress_write(progress, summary.flows, directory, err);
    results_progress_fini(progress);
    ok = ok && results_summary_write(&summary, directory, err);
    results_summary_fini(&summary);
    return ok;
}
