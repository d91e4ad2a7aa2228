/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/save.h"

#include "base/outfile.h"
#include "base/units.h"
#include "scenarios/schema.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Texts of one schema; a failed allocation is noticed once, at the end. */
struct save {
    bool failed;
};

static char *save_text(struct save *v, const char *text)
{
    char *copy = strdup(text);
    v->failed = v->failed || !copy;
    return copy;
}

static void *save_array(struct save *v, int n, size_t size)
{
    void *array = calloc((size_t)n, size);
    v->failed = v->failed || !array;
    return array;
}

static char *save_switch(struct save *v, bool on)
{
    return save_text(v, on ? "true" : "false");
}

static char *save_integer(struct save *v, int64_t value)
{
    char text[UNITS_TEXT];
    snprintf(text, sizeof text, "%" PRId64, value);
    return save_text(v, text);
}

static char *save_rate(struct save *v, int64_t rate_bps)
{
    char text[UNITS_TEXT];
    units_format_rate(rate_bps, text);
    return save_text(v, text);
}

static char *save_bytes(struct save *v, int64_t bytes)
{
    char text[UNITS_TEXT];
    units_format_bytes(bytes, text);
    return save_text(v, text);
}

static char *save_time(struct save *v, int64_t time_ps)
{
    char text[UNITS_TEXT];
    units_format_time(time_ps, text);
    return save_text(v, text);
}

static char *save_host(struct save *v, int host)
{
    char text[UNITS_TEXT];
    snprintf(text, sizeof text, "h%d", host);
    return save_text(v, text);
}

static struct schema_link save_link(struct save *v, const struct emu_link_config *link, int64_t goodput_bps)
{
    return (struct schema_link){save_rate(v, link->rate_bps), save_time(v, link->delay_ps),
                                save_rate(v, goodput_bps)};
}

/* The loader bounds one of bytes and packets and lifts the other. */
static struct schema_queue save_queue(struct save *v, const struct emu_queue_config *queue)
{
    struct schema_queue y = {
        .queue = save_text(v, queue->discipline == EMU_DISCIPLINE_ACK_FIRST ? "ack-first" : "fifo"),
    };
    char text[UNITS_TEXT];
    if (queue->limit_packets == EMU_QUEUE_UNLIMITED) {
        y.limit = save_bytes(v, queue->limit_bytes);
    } else {
        snprintf(text, sizeof text, "%" PRId64 "p", queue->limit_packets);
        y.limit = save_text(v, text);
    }
    return y;
}

static void save_network(struct save *v, const struct scenario *s, struct schema_network *y)
{
    const struct emu_network_config *n = &s->network;
    bool tree = n->topology == EMU_TOPOLOGY_TREE;
    y->topology = save_text(v, tree ? "tree" : "star");
    if (tree) {
        y->racks = save_array(v, 2, sizeof *y->racks);
        y->backbone = save_array(v, 1, sizeof *y->backbone);
        for (int i = 0; y->racks && i < 2; i++) {
            y->racks[i] = save_integer(v, n->racks[i]);
            y->racks_count++;
        }
        if (y->backbone)
            *y->backbone = save_link(v, &n->backbone, s->backbone_goodput_bps);
    } else if (n->hosts > 0) {
        y->hosts = save_integer(v, n->hosts);
    }
    y->link = save_link(v, &n->link, s->link_goodput_bps);
    y->nic = save_queue(v, &n->nic);
    y->sw = save_queue(v, &n->sw);
}

static void save_tcp(struct save *v, const struct emu_tcp_config *tcp, struct schema_tcp *y)
{
    bool warm = tcp->initial_window_segments == SCENARIO_WARM;
    *y = (struct schema_tcp){
        .congestion = save_text(v, tcp->congestion),
        .window = save_bytes(v, tcp->receive_buffer_bytes),
        .initial_window = warm ? save_text(v, "warm") : save_integer(v, tcp->initial_window_segments),
        .segment = save_bytes(v, tcp->segment_bytes),
        .delayed_ack = save_integer(v, tcp->delayed_ack),
        .delayed_ack_timeout = save_time(v, tcp->delayed_ack_timeout_ps),
        .min_rto = save_time(v, tcp->min_rto_ps),
        .sack = save_switch(v, tcp->sack),
        .hystart = save_switch(v, tcp->hystart),
        .small_queues = save_bytes(v, tcp->small_queue_bytes),
    };
}

static void save_points(struct save *v, const struct scenario *s, struct schema_star *y)
{
    y->points = save_array(v, s->n_points, sizeof *y->points);
    for (int i = 0; y->points && i < s->n_points; i++) {
        char text[UNITS_TEXT];
        snprintf(text, sizeof text, "%d/%d", s->points[i].incoming, s->points[i].outgoing);
        y->points[i] = save_text(v, text);
        y->points_count++;
    }
    y->incoming_window = save_bytes(v, s->incoming_window_bytes);
    y->outgoing_window = save_bytes(v, s->outgoing_window_bytes);
}

static void save_traffic(struct save *v, const struct scenario *s, struct schema_traffic *y)
{
    y->start_spread = save_time(v, s->start_spread_ps);
    y->barrier = save_switch(v, s->barrier);
    if (s->n_points > 0) {
        y->star = save_array(v, 1, sizeof *y->star);
        if (y->star)
            save_points(v, s, y->star);
        return;
    }
    y->flows = save_array(v, s->n_flows, sizeof *y->flows);
    for (int i = 0; y->flows && i < s->n_flows; i++) {
        const struct scenario_flow *f = &s->flows[i];
        y->flows[i] = (struct schema_flow){
            .name = save_text(v, f->name),
            .from = save_host(v, f->from),
            .to = save_host(v, f->to),
            .bytes = f->bytes > 0 ? save_bytes(v, f->bytes) : NULL,
            .window = save_bytes(v, f->tcp.receive_buffer_bytes),
            .congestion = save_text(v, f->tcp.congestion),
            .start = save_time(v, f->start_ps),
            .repeat = save_integer(v, f->repeat),
            .duplex = save_switch(v, f->duplex),
        };
        y->flows_count++;
    }
}

static void save_captures(struct save *v, const struct scenario *s, struct schema_scenario *y)
{
    y->capture = s->n_captures > 0 ? save_array(v, s->n_captures, sizeof *y->capture) : NULL;
    for (int i = 0; y->capture && i < s->n_captures; i++) {
        const struct scenario_capture *c = &s->captures[i];
        y->capture[i] = (struct schema_capture){
            .at = save_text(v, c->at),
            .snaplen = save_integer(v, c->snaplen),
            .format = save_text(v, c->format == SCENARIO_FORMAT_PCAPNG ? "pcapng" : "pcap"),
        };
        y->capture_count++;
    }
}

/* NULL when out of memory. */
static struct schema_scenario *save_schema(const struct scenario *s)
{
    struct save v = {.failed = false};
    struct schema_scenario *y = calloc(1, sizeof *y);
    if (!y)
        return NULL;
    y->title = save_text(&v, s->title);
    y->engine = save_text(&v, scenario_engine_name(s->engine));
    y->seed = save_integer(&v, (int64_t)s->seed);
    y->duration = save_time(&v, s->duration_ps);
    y->warmup = save_time(&v, s->warmup_ps);
    save_network(&v, s, &y->network);
    save_tcp(&v, &s->tcp, &y->tcp);
    save_traffic(&v, s, &y->traffic);
    save_captures(&v, s, y);
    if (!v.failed)
        return y;
    schema_free(y);
    return NULL;
}

/* One line that YAML readers skip: what they would choke on, control characters and bytes that
 * may be no UTF-8, is replaced. */
static void save_comment(FILE *f, const char *comment)
{
    fputs("# ", f);
    for (const unsigned char *p = (const unsigned char *)comment; *p; p++)
        putc(*p < ' ' || *p == 0x7f ? ' ' : *p > 0x7f ? '?' : *p, f);
    putc('\n', f);
}

bool scenario_write(const struct scenario *s, FILE *f, const char *comment, struct error *err)
{
    if (comment)
        save_comment(f, comment);
    struct schema_scenario *y = save_schema(s);
    bool ok = y ? schema_write(y, f, err) : error_set(err, ERROR_SYSTEM, "out of memory");
    schema_free(y);
    return ok;
}

bool scenario_save(const struct scenario *s, const char *path, const char *comment, struct error *err)
{
    struct outfile f;
    if (!outfile_open(&f, path, err))
        return false;
    if (scenario_write(s, f.stream, comment, err))
        return outfile_commit(&f, err);
    outfile_discard(&f);
    return error_prefix(err, "%s: ", path);
}
