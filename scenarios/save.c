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

/* The loader bounds one of bytes and packets and lifts the other, or both. */
static char *save_level(struct save *v, int64_t bytes, int64_t packets)
{
    char text[UNITS_TEXT];
    if (bytes != EMU_QUEUE_UNLIMITED)
        return save_bytes(v, bytes);
    if (packets == EMU_QUEUE_UNLIMITED)
        return save_text(v, "none");
    snprintf(text, sizeof text, "%" PRId64 "p", packets);
    return save_text(v, text);
}

static char *save_number(struct save *v, double value)
{
    char text[UNITS_TEXT];
    snprintf(text, sizeof text, "%.17g", value);
    for (int digits = 1; strtod(text, NULL) == value && digits < 17; digits++) { /* the shortest that says it */
        char shorter[UNITS_TEXT];
        snprintf(shorter, sizeof shorter, "%.*g", digits, value);
        if (strtod(shorter, NULL) == value)
            return save_text(v, shorter);
    }
    return save_text(v, text);
}

static char *save_discipline(struct save *v, const struct emu_queue_config *queue)
{
    return save_text(v, emu_discipline_names[queue->discipline]);
}

static char **save_numbers(struct save *v, const int64_t *list, int n, unsigned *count)
{
    char **texts = save_array(v, n, sizeof *texts);
    for (int i = 0; texts && i < n; i++, ++*count)
        texts[i] = save_integer(v, list[i]);
    return texts;
}

static void save_pause(struct save *v, const struct scenario *s, const struct emu_pause_config *pause,
                       struct schema_switch *y)
{
    bool chosen = pause->xoff.bytes > 0 || pause->xoff.packets > 0; /* else the loader chooses */
    y->pause = save_array(v, 1, sizeof *y->pause);
    if (!y->pause)
        return;
    *y->pause = (struct schema_pause){
        .on = save_switch(v, true),
        .stops = save_text(v, pause->everybody ? "everybody" : "senders"),
        .xoff = chosen ? save_level(v, pause->xoff.bytes, pause->xoff.packets) : NULL,
        .xon = chosen ? save_level(v, pause->xon.bytes, pause->xon.packets) : NULL,
        .quanta = save_integer(v, pause->quanta),
    };
    if (!s->network.pause_hosts)
        return;
    y->pause->hosts = save_array(v, s->network.hosts, sizeof *y->pause->hosts);
    for (int h = 0; y->pause->hosts && h < s->network.hosts; h++)
        if (s->network.pause_hosts[h])
            y->pause->hosts[y->pause->hosts_count++] = save_host(v, h);
}

/* What means nothing to the architecture is left out, as the loader wants it. */
static void save_a_switch(struct save *v, const struct scenario *s, const struct emu_switch_config *c,
                          struct schema_switch *y)
{
    enum emu_architecture_place place = emu_architectures[c->architecture]->place;
    bool shared = place == EMU_ARCHITECTURE_IN_POOL, inputs = place == EMU_ARCHITECTURE_AT_INPUTS;
    *y = (struct schema_switch){
        .architecture = save_text(v, emu_architecture_names[c->architecture]),
        .queue = save_discipline(v, &c->queue),
        .limit = save_level(v, c->queue.limit_bytes, c->queue.limit_packets),
        .pool = shared ? save_level(v, c->pool.bytes, c->pool.packets) : NULL,
        .alpha = shared ? save_number(v, c->alpha) : NULL,
        .arbitration = inputs || c->backplane_bps > 0 ? save_text(v, emu_arbitration_names[c->arbitration]) : NULL,
        .forwarding = save_text(v, c->cut_through ? "cut-through" : "store-and-forward"),
        .latency = save_time(v, c->latency_ps),
        .backplane = c->backplane_bps > 0 ? save_rate(v, c->backplane_bps) : save_text(v, "unlimited"),
    };
    if (c->pause.on)
        save_pause(v, s, &c->pause, y);
}

static void save_network(struct save *v, const struct scenario *s, struct schema_network *y)
{
    const struct emu_network_config *n = &s->network;
    bool star = n->topology == EMU_TOPOLOGY_STAR;
    y->topology = save_text(v, emu_topology_names[n->topology]);
    if (!star) {
        y->racks = save_array(v, n->n_racks, sizeof *y->racks);
        for (int i = 0; y->racks && i < n->n_racks; i++, y->racks_count++)
            y->racks[i] = save_integer(v, n->racks[i]);
    } else {
        y->hosts = n->hosts > 0 ? save_integer(v, n->hosts) : NULL;
        y->uplinks = n->uplinks > 0 ? save_integer(v, n->uplinks) : NULL;
    }
    if (n->topology == EMU_TOPOLOGY_TREE || n->uplinks > 0) {
        y->backbone = save_array(v, 1, sizeof *y->backbone);
        if (y->backbone)
            *y->backbone = save_link(v, &n->backbone, s->backbone_goodput_bps);
    }
    y->link = save_link(v, &n->link, s->link_goodput_bps);
    y->nic = (struct schema_queue){save_discipline(v, &n->nic),
                                   save_level(v, n->nic.limit_bytes, n->nic.limit_packets)};
    save_a_switch(v, s, &n->sw, &y->sw);
    if (!n->root)
        return;
    y->root = save_array(v, 1, sizeof *y->root);
    if (y->root)
        save_a_switch(v, s, &n->root_sw, y->root);
}

static void save_gbn(struct save *v, const struct emu_gbn_config *g, struct schema_gbn *y)
{
    *y = (struct schema_gbn){
        .window = save_integer(v, g->window_packets),
        .timeout = save_time(v, g->timeout_ps),
        .simple = save_switch(v, g->simple),
        .sequence_bits = save_integer(v, g->sequence_bits),
        .packet = save_bytes(v, g->packet_bytes),
        .ack_every = save_integer(v, g->ack_every),
        .ack_delay = save_time(v, g->ack_delay_ps),
        .send_overhead = save_time(v, g->send_overhead_ps),
        .send_gap = save_time(v, g->send_gap_ps),
        .receive_overhead = save_time(v, g->receive_overhead_ps),
        .user_overhead = save_time(v, g->user_overhead_ps),
        .jitter = save_number(v, g->jitter),
        .preempt_every = save_time(v, g->preempt_every_ps),
        .preempt = save_time(v, g->preempt_ps),
        .ring = save_integer(v, g->ring_packets),
    };
}

static void save_tcp(struct save *v, const struct emu_tcp_config *tcp, struct schema_tcp *y)
{
    bool warm = tcp->initial_window_segments == SCENARIO_WARM;
    *y = (struct schema_tcp){
        .congestion = save_text(v, emu_congestion_names[tcp->congestion]),
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
    y->bytes = s->star_bytes > 0 ? save_bytes(v, s->star_bytes) : NULL;
    y->repeat = s->star_bytes > 0 ? save_integer(v, s->star_repeat) : NULL;
}

static void save_exchange(struct save *v, const struct scenario *s, struct schema_exchange *y)
{
    static const char *const algorithms[] = {"shift", "pairwise", "synchronous", "group", "direct", "rounds"};
    const struct scenario_exchange *e = &s->exchange;
    bool gbn = s->transport == SCENARIO_TRANSPORT_GBN;
    *y = (struct schema_exchange){
        .algorithm = save_text(v, algorithms[e->algorithm]),
        .packets = gbn ? save_integer(v, e->packets) : NULL,
        .bytes = gbn ? NULL : save_bytes(v, e->bytes),
        .group = e->algorithm == SCENARIO_ALGORITHM_GROUP ? save_integer(v, e->group) : NULL,
        .global_window = gbn ? save_integer(v, e->global_window) : NULL,
        .contention_aware = gbn ? save_switch(v, e->contention_aware) : NULL,
        .repeat = save_integer(v, e->repeat),
        .period = save_time(v, e->period_ps),
    };
}

/* True: the traffic is no list of flows, and is written. */
static bool save_collective(struct save *v, const struct scenario *s, struct schema_traffic *y)
{
    if (s->traffic == SCENARIO_TRAFFIC_EXCHANGE) {
        y->exchange = save_array(v, 1, sizeof *y->exchange);
        if (y->exchange)
            save_exchange(v, s, y->exchange);
    } else if (s->traffic == SCENARIO_TRAFFIC_BURST) {
        const struct scenario_burst *b = &s->burst;
        struct schema_burst *t = y->burst = save_array(v, 1, sizeof *y->burst);
        if (!t)
            return true;
        t->sources = save_numbers(v, b->sources, b->n_sources, &t->sources_count);
        t->sinks = save_numbers(v, b->sinks, b->n_sinks, &t->sinks_count);
        t->packets = save_numbers(v, b->packets, b->n_packets, &t->packets_count);
    } else if (s->traffic == SCENARIO_TRAFFIC_PINGPONG) {
        struct schema_pingpong *t = y->pingpong = save_array(v, 1, sizeof *y->pingpong);
        if (!t)
            return true;
        t->pairs = save_numbers(v, s->pingpong.pairs, s->pingpong.n_pairs, &t->pairs_count);
        t->rounds = save_integer(v, s->pingpong.rounds);
    } else if (s->traffic == SCENARIO_TRAFFIC_UNIFORM) {
        y->uniform = save_array(v, 1, sizeof *y->uniform);
        if (y->uniform)
            *y->uniform = (struct schema_uniform){save_integer(v, s->uniform.ports), save_number(v, s->uniform.load)};
    }
    return s->traffic != SCENARIO_TRAFFIC_FLOWS;
}

/* Those of flow i, from s->pauses[*at] on. */
static void save_pauses(struct save *v, const struct scenario *s, int i, int *at, struct schema_flow *y)
{
    int n = 0;
    while (*at + n < s->n_pauses && s->pauses[*at + n].flow == i)
        n++;
    y->pauses = n > 0 ? save_array(v, n, sizeof *y->pauses) : NULL;
    for (int k = 0; y->pauses && k < n; k++) {
        char pause[UNITS_TEXT], bytes[UNITS_TEXT], text[2 * UNITS_TEXT + 8];
        units_format_time(s->pauses[*at + k].pause_ps, pause);
        units_format_bytes(s->pauses[*at + k].after_bytes, bytes);
        snprintf(text, sizeof text, "%s after %s", pause, bytes);
        y->pauses[k] = save_text(v, text);
        y->pauses_count++;
    }
    *at += n;
}

static void save_traffic(struct save *v, const struct scenario *s, struct schema_traffic *y)
{
    y->start_spread = save_time(v, s->start_spread_ps);
    y->barrier = save_switch(v, s->barrier);
    y->precision = s->precision > 0 ? save_number(v, s->precision) : NULL;
    if (save_collective(v, s, y))
        return;
    if (s->n_points > 0) {
        y->star = save_array(v, 1, sizeof *y->star);
        if (y->star)
            save_points(v, s, y->star);
        return;
    }
    int pause = 0;
    y->flows = save_array(v, s->n_flows, sizeof *y->flows);
    for (int i = 0; y->flows && i < s->n_flows; i++) {
        const struct scenario_flow *f = &s->flows[i];
        y->flows[i] = (struct schema_flow){
            .name = save_text(v, f->name),
            .from = save_host(v, f->from),
            .to = save_host(v, f->to),
            .bytes = f->bytes > 0 ? save_bytes(v, f->bytes) : NULL,
            .window = save_bytes(v, f->tcp.receive_buffer_bytes),
            .congestion = save_text(v, emu_congestion_names[f->tcp.congestion]),
            .start = save_time(v, f->start_ps),
            .repeat = save_integer(v, f->repeat),
            .duplex = save_switch(v, f->duplex),
        };
        save_pauses(v, s, i, &pause, &y->flows[i]);
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
    y->transport = save_text(&v, s->transport == SCENARIO_TRANSPORT_GBN ? "gbn" : "tcp");
    save_tcp(&v, &s->tcp, &y->tcp);
    save_gbn(&v, &s->gbn, &y->gbn);
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
