/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/load.h"

#include "base/units.h"
#include "scenarios/traffic.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DURATION_MIN_PS UNITS_PS_PER_US
#define DURATION_MAX_PS (10000 * UNITS_PS_PER_S)
#define DELAY_MAX_PS (10 * UNITS_PS_PER_S)
#define SEGMENT_MAX 1448 /* 1500 of IP packet less 20 of IPv4, 20 of TCP and 12 of its timestamps */
#define SEGMENT_HEADERS 52
#define SEGMENT_OVERHEAD (SEGMENT_HEADERS + EMU_FRAME_HEADER_BYTES + EMU_FRAME_FCS_BYTES)
#define SNAPLEN_MIN 54 /* Ethernet, IPv4 and TCP headers */

static bool load_times(struct scenario *s, const struct schema_scenario *y, const struct fields *f)
{
    s->duration_ps = 2 * UNITS_PS_PER_S;
    if (!fields_time(f, "duration", y->duration, DURATION_MIN_PS, DURATION_MAX_PS, &s->duration_ps))
        return false;
    s->warmup_ps = s->duration_ps / 10 * 3;
    if (!fields_time(f, "warmup", y->warmup, 0, DURATION_MAX_PS, &s->warmup_ps))
        return false;
    if (s->warmup_ps < s->duration_ps)
        return true;
    char warmup[UNITS_TEXT], duration[UNITS_TEXT];
    units_format_time(s->warmup_ps, warmup);
    units_format_time(s->duration_ps, duration);
    return fields_fail_at(f, document_culprit(f->doc, "warmup", "duration"),
                          "a warmup of %s leaves nothing of a duration of %s", warmup, duration);
}

static bool load_top(struct scenario *s, const struct schema_scenario *y, struct fields *f)
{
    int64_t seed = 1;
    fields_section(f, "%s", "");
    if (y->title) {
        if (strlen(y->title) >= sizeof s->title)
            return fields_fail(f, "title", "%zu bytes long; %zu fit", strlen(y->title), sizeof s->title - 1);
        memcpy(s->title, y->title, strlen(y->title) + 1);
    }
    if (!fields_integer(f, "seed", y->seed, 0, INT64_MAX, &seed))
        return false;
    s->seed = (uint64_t)seed;
    return load_times(s, y, f);
}

static bool load_tcp(struct scenario *s, const struct schema_tcp *y, struct fields *f)
{
    int sack = true, hystart = true;
    int64_t window = 3000000;
    s->tcp = (struct emu_tcp_config){
        .congestion = "newreno",
        .initial_window_segments = SCENARIO_WARM,
        .segment_bytes = SEGMENT_MAX,
        .delayed_ack = 2,
        .delayed_ack_timeout_ps = 40 * UNITS_PS_PER_MS,
        .min_rto_ps = 200 * UNITS_PS_PER_MS,
    };
    fields_section(f, "tcp");
    if (!fields_congestion(f, "congestion", y->congestion, s->tcp.congestion) ||
        !fields_bytes(f, "segment", y->segment, 1, SEGMENT_MAX, &s->tcp.segment_bytes) ||
        !fields_window(f, "window", y->window, s->tcp.segment_bytes, &window) ||
        !fields_integer(f, "delayed_ack", y->delayed_ack, 1, 2, &s->tcp.delayed_ack) ||
        !fields_time(f, "delayed_ack_timeout", y->delayed_ack_timeout, UNITS_PS_PER_US, UNITS_PS_PER_S,
                     &s->tcp.delayed_ack_timeout_ps) ||
        !fields_time(f, "min_rto", y->min_rto, UNITS_PS_PER_MS, 60 * UNITS_PS_PER_S, &s->tcp.min_rto_ps) ||
        !fields_switch(f, "sack", y->sack, &sack) || !fields_switch(f, "hystart", y->hystart, &hystart) ||
        !fields_bytes(f, "small_queues", y->small_queues, 0, INT64_C(1000000000), &s->tcp.small_queue_bytes))
        return false;
    if (y->initial_window && strcmp(y->initial_window, "warm") != 0) {
        if (strspn(y->initial_window, "0123456789") != strlen(y->initial_window))
            return fields_fail(f, "initial_window", "'%s' is neither 'warm' nor a number of segments",
                               y->initial_window);
        if (!fields_integer(f, "initial_window", y->initial_window, 1, 1000000, &s->tcp.initial_window_segments))
            return false;
    }
    s->tcp.send_buffer_bytes = s->tcp.receive_buffer_bytes = window;
    s->tcp.sack = sack;
    s->tcp.hystart = hystart;
    return true;
}

/* Payload of full segments back to back on the wire, to the nearest bit/s. */
static int64_t load_goodput(const struct scenario *s, int64_t rate_bps)
{
    double wire = (double)(s->tcp.segment_bytes + SEGMENT_HEADERS + EMU_FRAME_OVERHEAD_BYTES);
    return (int64_t)((double)rate_bps * (double)s->tcp.segment_bytes / wire + 0.5);
}

static bool load_link(const struct scenario *s, struct emu_link_config *link, int64_t *goodput_bps,
                      const struct schema_link *y, struct fields *f)
{
    if (!fields_rate(f, "rate", y->rate, &link->rate_bps) ||
        !fields_time(f, "delay", y->delay, 0, DELAY_MAX_PS, &link->delay_ps))
        return false;
    *goodput_bps = load_goodput(s, link->rate_bps);
    if (!fields_rate(f, "goodput", y->goodput, goodput_bps))
        return false;
    if (*goodput_bps <= link->rate_bps)
        return true;
    char key[FIELDS_PATH], rate[UNITS_TEXT];
    snprintf(key, sizeof key, "%s.goodput", f->section);
    units_format_rate(link->rate_bps, rate);
    return fields_fail_at(f, key, "'%s' is more than the link's rate of %s", y->goodput, rate);
}

/* A queue that no full frame fits into would never carry one. */
static bool load_queue(struct emu_queue_config *queue, const struct schema_queue *y, int64_t segment_bytes,
                       struct fields *f)
{
    static const char *const disciplines[] = {[EMU_DISCIPLINE_FIFO] = "fifo",
                                              [EMU_DISCIPLINE_ACK_FIRST] = "ack-first",
                                              NULL};
    int discipline = EMU_DISCIPLINE_FIFO;
    *queue = emu_queue_config_default();
    queue->limit_bytes = 20000000;
    if (!fields_choice(f, "queue", y->queue, disciplines, "a queue", &discipline) ||
        !fields_limit(f, "limit", y->limit, queue))
        return false;
    queue->discipline = (enum emu_discipline)discipline;
    if (queue->limit_bytes >= segment_bytes + SEGMENT_OVERHEAD)
        return true;
    char path[FIELDS_PATH];
    snprintf(path, sizeof path, "%s.limit", f->section);
    return fields_fail_at(f, document_culprit(f->doc, path, "tcp.segment"),
                          "a limit of '%s' holds no full frame: a segment of %" PRId64 " makes one of %" PRId64
                          " bytes (headers 66, FCS 4)",
                          y->limit, segment_bytes, segment_bytes + SEGMENT_OVERHEAD);
}

static bool load_racks(struct scenario *s, const struct schema_network *y, struct fields *f)
{
    struct emu_network_config *n = &s->network;
    n->racks[0] = n->racks[1] = 5;
    if (y->hosts)
        return fields_fail(f, "hosts", "is for a star; a tree has racks, such as [5, 5]");
    if (document_kind(f->doc, "network.racks") != DOCUMENT_NONE) {
        if (y->racks_count != 2)
            return fields_fail(f, "racks", "%u racks; a tree has two, such as [5, 5]", y->racks_count);
        for (int i = 0; i < 2; i++) {
            char key[16];
            int64_t hosts;
            snprintf(key, sizeof key, "racks.%d", i);
            if (!fields_integer(f, key, y->racks[i], 1, TRAFFIC_HOSTS - 1, &hosts))
                return false;
            n->racks[i] = (int)hosts;
        }
    }
    n->hosts = n->racks[0] + n->racks[1];
    if (n->hosts > TRAFFIC_HOSTS)
        return fields_fail(f, "racks", "%d hosts together; at most %d", n->hosts, TRAFFIC_HOSTS);
    n->backbone = (struct emu_link_config){10000000000, 50 * UNITS_PS_PER_US};
    fields_section(f, "network.backbone");
    return load_link(s, &n->backbone, &s->backbone_goodput_bps, y->backbone ? y->backbone : &(struct schema_link){0},
                     f);
}

/* Leaves hosts 0 when the traffic decides. */
static bool load_network(struct scenario *s, const struct schema_network *y, struct fields *f)
{
    static const char *const topologies[] = {[EMU_TOPOLOGY_STAR] = "star", [EMU_TOPOLOGY_TREE] = "tree", NULL};
    struct emu_network_config *n = &s->network;
    int topology = EMU_TOPOLOGY_STAR;
    int64_t hosts = 0;
    fields_section(f, "network");
    if (!fields_choice(f, "topology", y->topology, topologies, "a topology", &topology))
        return false;
    n->topology = (enum emu_topology)topology;
    if (topology == EMU_TOPOLOGY_TREE) {
        if (!load_racks(s, y, f))
            return false;
    } else {
        if (document_kind(f->doc, "network.racks") != DOCUMENT_NONE || y->backbone)
            return fields_fail(f, y->backbone ? "backbone" : "racks", "is for a tree; the topology is star");
        if (!fields_integer(f, "hosts", y->hosts, 2, TRAFFIC_HOSTS, &hosts))
            return false;
        n->hosts = (int)hosts;
    }
    n->link = (struct emu_link_config){1000000000, 50 * UNITS_PS_PER_US};
    fields_section(f, "network.link");
    if (!load_link(s, &n->link, &s->link_goodput_bps, &y->link, f))
        return false;
    fields_section(f, "network.nic");
    if (!load_queue(&n->nic, &y->nic, s->tcp.segment_bytes, f))
        return false;
    fields_section(f, "network.switch");
    return load_queue(&n->sw, &y->sw, s->tcp.segment_bytes, f);
}

/* Hosts that are there whatever point runs. */
static int load_hosts(const struct scenario *s)
{
    int hosts = s->network.hosts;
    for (int i = 0; s->network.hosts == 0 && i < s->n_points; i++) {
        int needs = 1 + s->points[i].incoming + s->points[i].outgoing;
        hosts = hosts == 0 || needs < hosts ? needs : hosts;
    }
    return hosts;
}

/* The ports of emu/network.h: a NIC, a switch's port towards one of its hosts, an end of the backbone. */
static bool load_place_known(const struct emu_network_config *n, int hosts, const char *at)
{
    char name[SCENARIO_NAME];
    int sw, host;
    bool tree = n->topology == EMU_TOPOLOGY_TREE;
    if (sscanf(at, "h%9d", &host) == 1) {
        snprintf(name, sizeof name, "h%d", host);
        return host >= 0 && host < hosts && strcmp(at, name) == 0;
    }
    if (sscanf(at, "sw%1d-h%9d", &sw, &host) == 2) {
        snprintf(name, sizeof name, "sw%d-h%d", sw, host);
        int home = tree && host >= n->racks[0] ? 1 : 0;
        return host >= 0 && host < hosts && sw == home && strcmp(at, name) == 0;
    }
    return tree && (strcmp(at, "sw0-sw1") == 0 || strcmp(at, "sw1-sw0") == 0);
}

static bool load_capture(struct scenario *s, const struct schema_capture *y, int i, struct fields *f)
{
    static const char *const formats[] = {[SCENARIO_FORMAT_PCAP] = "pcap",
                                          [SCENARIO_FORMAT_PCAPNG] = "pcapng",
                                          NULL};
    struct scenario_capture *c = &s->captures[i];
    int format = SCENARIO_FORMAT_PCAP, hosts = load_hosts(s);
    *c = (struct scenario_capture){.snaplen = 96};
    fields_section(f, "capture.%d", i);
    if (!y->at)
        return fields_fail(f, "at", "is missing; a capture goes {at: h0}");
    if (!load_place_known(&s->network, hosts, y->at))
        return fields_fail(f, "at", "'%s' is not a port here; a host's NIC is h0 to h%d, a switch's port %s", y->at,
                           hosts - 1,
                           s->network.topology == EMU_TOPOLOGY_TREE
                               ? "sw0-h0 (sw1 for the second rack) or sw0-sw1, sw1-sw0"
                               : "sw0-h0");
    for (int j = 0; j < i; j++)
        if (strcmp(s->captures[j].at, y->at) == 0)
            return fields_fail(f, "at", "'%s' is captured twice", y->at);
    snprintf(c->at, sizeof c->at, "%s", y->at);
    if (!fields_bytes(f, "snaplen", y->snaplen, SNAPLEN_MIN, 65535, &c->snaplen) ||
        !fields_choice(f, "format", y->format, formats, "a capture format", &format))
        return false;
    c->format = (enum scenario_format)format;
    return true;
}

static bool load_captures(struct scenario *s, const struct schema_scenario *y, struct fields *f)
{
    if (y->capture_count == 0)
        return true;
    s->captures = calloc(y->capture_count, sizeof *s->captures);
    if (!s->captures)
        return error_set(f->err, ERROR_SYSTEM, "out of memory for %u captures", y->capture_count);
    for (unsigned i = 0; i < y->capture_count; i++) {
        if (!load_capture(s, &y->capture[i], (int)i, f))
            return false;
        s->n_captures = (int)i + 1;
    }
    return true;
}

/* Native where it has what the scenario uses, unless an engine is asked for. */
static bool load_engine(struct scenario *s, const struct schema_scenario *y, struct fields *f)
{
    static const char *const engines[] = {[SCENARIO_ENGINE_NS3] = "ns3", [SCENARIO_ENGINE_NATIVE] = "native", NULL};
    char what[96], other[96];
    int engine = scenario_engine_lacks(s, SCENARIO_ENGINE_NATIVE, what) ? SCENARIO_ENGINE_NS3 : SCENARIO_ENGINE_NATIVE;
    fields_section(f, "%s", "");
    if (!fields_choice(f, "engine", y->engine, engines, "an engine", &engine))
        return false;
    s->engine = (enum scenario_engine)engine;
    if (!scenario_engine_lacks(s, s->engine, what))
        return true;
    enum scenario_engine rest = engine == SCENARIO_ENGINE_NS3 ? SCENARIO_ENGINE_NATIVE : SCENARIO_ENGINE_NS3;
    bool neither = scenario_engine_lacks(s, rest, other);
    return fields_fail_at(f, "engine", "%s has no %s%s%s", engines[engine], what,
                          neither ? ", and the other no " : "; use ",
                          neither ? other : engines[rest]);
}

bool scenario_load(struct scenario *s, const char *path, const char *const *sets, size_t n_sets, struct error *err)
{
    *s = (struct scenario){0};
    struct document *d = document_open(path, sets, n_sets, err);
    if (!d)
        return false;
    struct fields f = {.doc = d, .err = err};
    struct schema_scenario *y = schema_parse(d, err);
    bool ok = y && load_top(s, y, &f) && load_tcp(s, &y->tcp, &f) && load_network(s, &y->network, &f) &&
              traffic_load(s, &y->traffic, &f) && load_engine(s, y, &f) && load_captures(s, y, &f);
    schema_free(y);
    document_free(d);
    if (!ok)
        scenario_fini(s);
    return ok;
}
