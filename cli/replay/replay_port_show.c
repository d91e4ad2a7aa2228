/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/order.h"
#include "cli/cli.h"
#include "cli/replay/cmd_replay.h"
#include "results/json.h"
#include "view/table.h"

#define PORT_SHOWN 20 /* rows of the table; --json has all */

static double port_seconds(int64_t time_ps)
{
    return (double)time_ps / (double)UNITS_PS_PER_S;
}

/* NAN for a single instant. */
static double port_offered_bps(const struct port_replay_result *r)
{
    return r->last_ps > 0 ? (double)r->flows.all.wire_bytes * 8 / port_seconds(r->last_ps) : NAN;
}

/* Of the time until all was sent. */
static double port_utilisation(const struct port_replay_options *o, const struct port_replay_result *r)
{
    return r->ended_ps > 0 ? (double)r->sent_wire_bytes * 8 / (double)o->rate_bps / port_seconds(r->ended_ps) : NAN;
}

static json_t *port_count_json(const struct port_flows_count *c)
{
    return results_json("frames:l wire_bytes:l dropped_frames:l mean_wait_s:f p99_wait_s:f max_wait_s:f", c->frames,
                        c->wire_bytes, c->dropped, port_flows_mean_wait_s(c), port_flows_p99_wait_s(c),
                        port_flows_max_wait_s(c));
}

static json_t *port_flows_json(const struct port_flows *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->n; i++) {
        const struct port_flow *flow = &f->flow[i];
        char src[ANALYSIS_ENDPOINT_TEXT], dst[ANALYSIS_ENDPOINT_TEXT];
        if (flow->data.frames + flow->ack.frames == 0)
            continue;
        analysis_flows_endpoint(&flow->src, flow->src_port, src);
        analysis_flows_endpoint(&flow->dst, flow->dst_port, dst);
        results_json_append(list, "src:s dst:s data:o ack:o", src, dst, port_count_json(&flow->data),
                            port_count_json(&flow->ack));
    }
    return list;
}

static json_t *port_limit_json(int64_t limit)
{
    return limit == EMU_QUEUE_UNLIMITED ? json_null() : json_integer(limit);
}

json_t *cli_replay_port_show_json(const struct port_replay_options *o, const struct port_replay_result *r)
{
    const struct port_flow *rest = &r->flows.flow[PORT_FLOWS_REST];
    json_t *port = results_json("rate_bps:l queue:s limit_bytes:o limit_packets:o offered_bps:f speed:f utilisation:f "
                                "peak_queue_bytes:l peak_queue_packets:l queued_frames:l", o->rate_bps,
                                emu_discipline_names[o->queue.discipline], port_limit_json(o->queue.limit_bytes),
                                port_limit_json(o->queue.limit_packets), port_offered_bps(r), o->speed,
                                port_utilisation(o, r), r->peak_bytes, r->peak_packets, r->queued_frames);
    return results_json("contraflow:s simulated:b complete:b truncated:b file:s captured_frames:l picked_frames:l "
                        "back_frames:l split_frames:l duration_s:f ended_s:f port:o all:o flows:o other_flows:o "
                        "other_traffic:o", CONTRAFLOW_VERSION, true, !r->interrupted, r->truncated, o->path,
                        r->captured_frames, r->picked_frames, r->back_frames, r->split_frames, port_seconds(r->last_ps),
                        port_seconds(r->ended_ps), port, port_count_json(&r->flows.all), port_flows_json(&r->flows),
                        results_json("data:o ack:o", port_count_json(&rest->data), port_count_json(&rest->ack)),
                        port_count_json(&r->flows.flow[PORT_FLOWS_OTHER].data));
}

struct show_row {
    const struct port_flow *flow;
    const struct port_flows_count *count;
    const char *kind;
};

static ORDER_OF(port_compare_rows, struct show_row, -ORDER(count->wire_bytes))

static void port_add_row(struct view_table *t, const struct port_flows *f, const struct show_row *row)
{
    char src[ANALYSIS_ENDPOINT_TEXT] = "other flows", dst[ANALYSIS_ENDPOINT_TEXT] = "";
    if (row->flow == &f->flow[PORT_FLOWS_OTHER]) {
        snprintf(src, sizeof src, "not TCP");
    } else if (row->flow && row->flow != &f->flow[PORT_FLOWS_REST]) {
        analysis_flows_endpoint(&row->flow->src, row->flow->src_port, src);
        analysis_flows_endpoint(&row->flow->dst, row->flow->dst_port, dst);
    } else if (!row->flow) {
        snprintf(src, sizeof src, "all");
    }
    view_table_add(t, "%s|%s|%s|%" PRId64 "|%f|%f|%f|%f|%" PRId64, src, dst, row->kind, row->count->frames,
                   (double)row->count->wire_bytes / 1e6, port_flows_mean_wait_s(row->count) / 1e-3,
                   port_flows_p99_wait_s(row->count) / 1e-3, port_flows_max_wait_s(row->count) / 1e-3,
                   row->count->dropped);
}

static void port_show_flows(const struct port_flows *f)
{
    static struct show_row rows[2 * (PORT_FLOWS + 2)];
    size_t n = 0;
    for (size_t i = 0; i < sizeof f->flow / sizeof *f->flow; i++) {
        if (f->flow[i].data.frames > 0)
            rows[n++] = (struct show_row){&f->flow[i], &f->flow[i].data, i == PORT_FLOWS_OTHER ? "" : "data"};
        if (f->flow[i].ack.frames > 0)
            rows[n++] = (struct show_row){&f->flow[i], &f->flow[i].ack, "ACKs"};
    }
    qsort(rows, n, sizeof *rows, port_compare_rows);
    struct view_table t = view_table_of("from|to||frames|wire MB|mean wait ms|p99 ms|max ms|dropped");
    for (size_t i = 0; i < n && i < PORT_SHOWN; i++)
        port_add_row(&t, f, &rows[i]);
    port_add_row(&t, f, &(struct show_row){NULL, &f->all, ""});
    view_table_print(&t, "  ", 3, stdout);
    if (n > PORT_SHOWN)
        printf("  and %zu smaller rows: --json has them\n", n - PORT_SHOWN);
}

static void port_format_limit(const struct emu_queue_config *q, char text[static UNITS_TEXT])
{
    if (q->limit_bytes != EMU_QUEUE_UNLIMITED)
        units_format_bytes(q->limit_bytes, text);
    else if (q->limit_packets != EMU_QUEUE_UNLIMITED)
        snprintf(text, UNITS_TEXT, "%" PRId64 " frames", q->limit_packets);
    else
        snprintf(text, UNITS_TEXT, "unlimited");
}

void cli_replay_port_show(const struct port_replay_options *o, const struct port_replay_result *r)
{
    char rate[UNITS_TEXT], limit[UNITS_TEXT];
    units_format_rate(o->rate_bps, rate);
    port_format_limit(&o->queue, limit);
    printf("emulated, not measured: %s into a port of %s, queue %s, buffer %s", cli_name(o->path), rate,
           emu_discipline_names[o->queue.discipline], limit);
    if (o->speed == 1)
        putchar('\n');
    else
        printf(", %g times as fast\n", o->speed);
    printf("  %" PRId64 " of %" PRId64 " frames", r->picked_frames, r->captured_frames);
    if (r->last_ps > 0)
        printf(" in %.6g s: %s Mb/s of wire time offered", port_seconds(r->last_ps),
               UNITS_FIGURE(port_offered_bps(r) / 1e6, 4));
    printf("; %.1f %% of the port used until %.6g s\n", 100 * port_utilisation(o, r), port_seconds(r->ended_ps));
    printf("  queue at most %.6g kB, %" PRId64 " frames; %" PRId64 " dropped (%.3g %%)\n", (double)r->peak_bytes / 1e3,
           r->peak_packets, r->flows.all.dropped, 100 * (double)r->flows.all.dropped / (double)r->flows.all.frames);
    if (r->split_frames)
        printf("  %" PRId64 " super-frames came in frames of the wire: %" PRId64 " frames in all\n", r->split_frames,
               r->flows.all.frames);
    putchar('\n');
    port_show_flows(&r->flows);
}
