/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/record.h"

#include "base/units.h"
#include "scenarios/directory.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct record_queue_row {
    int64_t bytes, packets, dropped;
};

bool record_open(struct outfile *f, const char *directory, const char *name, struct error *err)
{
    char *path = scenario_directory_path(directory, name, err);
    if (!path)
        return false;
    bool ok = outfile_open(f, path, err);
    free(path);
    return ok;
}

void record_time(FILE *f, int64_t time_ps)
{
    if (time_ps >= 0)
        fprintf(f, "%" PRId64 ".%012" PRId64, time_ps / UNITS_PS_PER_S, time_ps % UNITS_PS_PER_S);
}

static void record_number(FILE *f, double value)
{
    if (!isnan(value))
        fprintf(f, "%.0f", value);
}

/* bits per second from first to last payload; NAN when nothing, or only an instant, was delivered. */
static double record_goodput(const struct emu_flow_stats *s)
{
    int64_t span_ps = s->last_delivery_ps - s->first_data_ps;
    if (s->delivered_bytes == 0 || s->first_data_ps < 0 || span_ps <= 0)
        return NAN;
    return 8.0 * (double)s->delivered_bytes / ((double)span_ps / (double)UNITS_PS_PER_S);
}

bool record_flows(const struct scenario *s, const struct record_flow *flows, const char *directory, struct error *err)
{
    struct outfile f;
    if (!record_open(&f, directory, "flows.csv", err))
        return false;
    fputs("flow,src,dst,bytes,start_s,end_s,goodput_bps,steady_goodput_bps,steady_ci95_bps,retransmitted_segments,"
          "messages,message_s,message_sd_s,message_ci95_s\n", f.stream);
    for (int i = 0; i < s->n_flows; i++) {
        const struct emu_flow_stats *stats = &flows[i].stats;
        fprintf(f.stream, "%s,h%d,h%d,%" PRId64 ",", s->flows[i].name, s->flows[i].from, s->flows[i].to,
                stats->delivered_bytes);
        record_time(f.stream, stats->first_data_ps);
        putc(',', f.stream);
        record_time(f.stream, stats->last_delivery_ps);
        putc(',', f.stream);
        record_number(f.stream, record_goodput(stats));
        putc(',', f.stream);
        record_number(f.stream, flows[i].steady_bps.value);
        putc(',', f.stream);
        record_number(f.stream, flows[i].steady_bps.ci95);
        fprintf(f.stream, ",%" PRId64 ",", stats->retransmitted_segments);
        if (s->flows[i].repeat > 1)
            fprintf(f.stream, "%zu", flows[i].message_s.n);
        struct estimate mean = estimate_of(&flows[i].message_s);
        const double figures[] = {mean.value, estimate_deviation(&flows[i].message_s), mean.ci95};
        for (int k = 0; k < 3; k++)
            fprintf(f.stream, isnan(figures[k]) ? "," : ",%.12g", figures[k]);
        putc('\n', f.stream);
    }
    return outfile_commit(&f, err);
}

bool record_queues_open(struct record_queues *r, int ports, const char *directory, struct error *err)
{
    r->last = calloc((size_t)ports, sizeof *r->last);
    if (!r->last)
        return error_set(err, ERROR_SYSTEM, "%s: out of memory", directory);
    if (!record_open(&r->file, directory, "queues.csv", err)) {
        free(r->last);
        r->last = NULL;
        return false;
    }
    fputs("time_s,port,depth_bytes,depth_packets,dropped_packets\n", r->file.stream);
    return true;
}

void record_queues_port(struct record_queues *r, int i, const struct emu_port *p, const struct emu_queue *buffer,
                        int64_t time_ps)
{
    struct record_queue_row row = {buffer->depth_bytes, buffer->depth_packets, p->queue.stats.dropped};
    if (row.bytes == r->last[i].bytes && row.packets == r->last[i].packets && row.dropped == r->last[i].dropped)
        return;
    r->last[i] = row;
    record_time(r->file.stream, time_ps);
    fprintf(r->file.stream, ",%s,%" PRId64 ",%" PRId64 ",%" PRId64 "\n", p->name, row.bytes, row.packets, row.dropped);
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

static json_t *json_number(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *json_seconds(int64_t time_ps)
{
    return time_ps < 0 ? json_null() : json_real((double)time_ps / (double)UNITS_PS_PER_S);
}

/* Null without traffic.precision. */
static json_t *summary_benchmark(const struct scenario *s, const struct record_flow *flows)
{
    double reached = 0;
    size_t messages = SIZE_MAX;
    bool converged = true;
    if (s->precision == 0)
        return json_null();
    for (int i = 0; i < s->n_flows; i++) {
        const struct estimate_running *times = &flows[i].message_s;
        double width = 2 * estimate_of(times).ci95 / times->mean;
        if (!isnan(reached) && !(width <= reached)) /* once unknown it stays so */
            reached = width;
        messages = times->n < messages ? times->n : messages;
        converged = converged && scenario_precise(s, times);
    }
    return json_pack("{s:f, s:o, s:I, s:b}", "precision", s->precision, "reached", json_number(reached), "messages",
                     (json_int_t)messages, "converged", converged);
}

/* Null where nothing can be said. */
static json_t *summary_waits(const struct waits_flow *w)
{
    if (w->data.frames == 0 || w->ack.frames == 0)
        return json_null();
    return json_pack("{s:f, s:f, s:f, s:I, s:I, s:I, s:I}", "floor_s", waits_floor_s(w), "data_wait_s",
                     waits_mean_s(&w->data), "ack_wait_s", waits_mean_s(&w->ack), "data_frames",
                     (json_int_t)w->data.frames, "ack_frames", (json_int_t)w->ack.frames, "ack_groups",
                     (json_int_t)w->xi.groups, "compressed_groups", (json_int_t)w->xi.compressed);
}

static json_t *summary_flows(const struct scenario *s, const struct record_flow *flows)
{
    json_t *list = json_array();
    for (int i = 0; i < s->n_flows; i++) {
        const struct scenario_flow *f = &s->flows[i];
        const struct emu_flow_stats *stats = &flows[i].stats;
        char src[16], dst[16];
        struct estimate mean = estimate_of(&flows[i].message_s);
        json_t *messages = f->repeat > 1 ? json_integer((json_int_t)mean.batches) : json_null();
        snprintf(src, sizeof src, "h%d", f->from);
        snprintf(dst, sizeof dst, "h%d", f->to);
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:b, s:b, s:I, s:o, s:o, s:o, "
                            "s:o, s:o}",
                            "flow", f->name, "src",
                            src, "dst", dst, "delivered_bytes", (json_int_t)stats->delivered_bytes, "start_s",
                            json_seconds(stats->first_data_ps), "end_s", json_seconds(stats->last_delivery_ps),
                            "goodput_bps", json_number(record_goodput(stats)), "steady_goodput_bps",
                            json_number(flows[i].steady_bps.value), "steady_ci95_bps",
                            json_number(flows[i].steady_bps.ci95), "retransmitted_segments",
                            (json_int_t)stats->retransmitted_segments, "retransmitted_bytes",
                            (json_int_t)stats->retransmitted_bytes, "connected", stats->connected, "done",
                            stats->done, "delivered_back_bytes", (json_int_t)stats->delivered_back_bytes, "messages",
                            messages, "message_s", json_number(mean.value), "message_sd_s",
                            json_number(estimate_deviation(&flows[i].message_s)), "message_ci95_s",
                            json_number(mean.ci95), "round_trip", summary_waits(&flows[i].waits)));
    }
    return list;
}

static json_t *summary_ports(struct emu_network *n)
{
    json_t *list = json_array();
    for (int i = 0; i < emu_network_port_count(n); i++) {
        const struct emu_port *p = emu_network_port(n, i);
        const struct emu_queue_stats *q = &p->queue.stats;
        const struct emu_queue *buffer = emu_network_buffer(n, i);
        json_t *pause = p->stats.pauses_sent + p->stats.pauses_received > 0
                            ? json_pack("{s:I, s:I, s:o}", "sent", (json_int_t)p->stats.pauses_sent, "received",
                                        (json_int_t)p->stats.pauses_received, "told_to_stop_s",
                                        json_seconds(p->stats.paused_ps))
                            : json_null();
        json_array_append_new(
            list, json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "port", p->name, "rate_bps",
                            (json_int_t)p->link.rate_bps, "offered_frames", (json_int_t)(q->enqueued + q->dropped),
                            "dropped_frames", (json_int_t)q->dropped, "queued_frames",
                            (json_int_t)buffer->depth_packets, "on_wire_frames", (json_int_t)emu_port_on_wire(p),
                            "delivered_frames", (json_int_t)p->stats.delivered, "sent_frame_bytes",
                            (json_int_t)q->dequeued_bytes, "sent_wire_bytes", (json_int_t)emu_port_sent_wire_bytes(p),
                            "peak_queue_bytes", (json_int_t)buffer->stats.peak_bytes, "peak_queue_packets",
                            (json_int_t)buffer->stats.peak_packets, "pause", pause));
    }
    return list;
}

bool record_summary(const struct scenario *s, const struct record_flow *flows, struct emu_network *n,
                    const struct record_capture *captures, int64_t ended_ps, bool complete, const char *directory,
                    struct error *err)
{
    json_t *files = json_array();
    for (int i = 0; i < s->n_captures; i++)
        json_array_append_new(files, json_pack("{s:s, s:s, s:I}", "file", captures[i].file, "at", captures[i].at,
                                               "frames", (json_int_t)captures[i].frames));
    json_t *summary = json_pack("{s:s, s:s, s:s, s:s, s:I, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "contraflow",
                                CONTRAFLOW_VERSION, "engine", emu_engine_name(), "title", s->title, "scenario",
                                "scenario.yaml", "seed", (json_int_t)s->seed, "simulated", true, "complete", complete,
                                "ended_s", json_seconds(ended_ps), "warmup_s", json_seconds(s->warmup_ps), "benchmark",
                                summary_benchmark(s, flows), "flows",
                                summary_flows(s, flows), "ports", summary_ports(n), "captures", files);
    struct outfile f;
    bool ok = summary ? record_open(&f, directory, "summary.json", err)
                      : error_set(err, ERROR_SYSTEM, "%s/summary.json: out of memory", directory);
    if (ok) {
        json_dumpf(summary, f.stream, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
        putc('\n', f.stream);
        ok = outfile_commit(&f, err);
    }
    json_decref(summary);
    return ok;
}
