/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/load.h"

#include "base/units.h"
#include "scenarios/load_network.h"
#include "scenarios/traffic.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DURATION_MIN_PS UNITS_PS_PER_US
#define DURATION_MAX_PS (10000 * UNITS_PS_PER_S)
#define SEGMENT_MAX 1448 /* 1500 of IP packet less 20 of IPv4, 20 of TCP and 12 of its timestamps */
#define GBN_PACKET_MAX (1500 - EMU_GBN_HEADER_BYTES)
#define SNAPLEN_MIN 54 /* Ethernet, IPv4 and TCP headers */

static bool load_times(struct scenario *s, const struct schema_scenario *y, const struct fields *f)
{
    bool loop = y->traffic.precision; /* 2000 messages of 10 MB among ten flows at 1 Gb/s take half of the hour */
    s->duration_ps = (loop ? 3600 : 2) * UNITS_PS_PER_S;
    if (!fields_time(f, "duration", y->duration, DURATION_MIN_PS, DURATION_MAX_PS, &s->duration_ps))
        return false;
    s->warmup_ps = loop ? 0 : s->duration_ps / 10 * 3; /* each message starts anew */
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
    static const char *const transports[] = {[SCENARIO_TRANSPORT_TCP] = "tcp", [SCENARIO_TRANSPORT_GBN] = "gbn", NULL};
    int64_t seed = 1;
    int transport = SCENARIO_TRANSPORT_TCP;
    fields_section(f, "%s", "");
    if (y->title) {
        if (strlen(y->title) >= sizeof s->title)
            return fields_fail(f, "title", "%zu bytes long; %zu fit", strlen(y->title), sizeof s->title - 1);
        memcpy(s->title, y->title, strlen(y->title) + 1);
    }
    if (!fields_integer(f, "seed", y->seed, 0, INT64_MAX, &seed) ||
        !fields_choice(f, "transport", y->transport, transports, "a transport", &transport))
        return false;
    s->transport = (enum scenario_transport)transport;
    s->seed = (uint64_t)seed;
    return load_times(s, y, f);
}

static bool load_tcp(struct scenario *s, const struct schema_tcp *y, struct fields *f)
{
    int sack = true, hystart = true;
    int64_t window = 3000000;
    s->tcp = (struct emu_tcp_config){
        .congestion = EMU_CONGESTION_NEWRENO,
        .initial_window_segments = SCENARIO_WARM,
        .segment_bytes = SEGMENT_MAX,
        .delayed_ack = 2,
        .delayed_ack_timeout_ps = 40 * UNITS_PS_PER_MS,
        .min_rto_ps = 200 * UNITS_PS_PER_MS,
    };
    fields_section(f, "tcp");
    if (!fields_congestion(f, "congestion", y->congestion, &s->tcp.congestion) ||
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

static bool load_gbn(struct scenario *s, const struct schema_gbn *y, struct fields *f)
{
    struct emu_gbn_config *g = &s->gbn;
    int simple = false;
    int64_t bits = 16;
    *g = (struct emu_gbn_config){
        .window_packets = 24,
        .timeout_ps = 50 * UNITS_PS_PER_MS,
        .packet_bytes = GBN_PACKET_MAX,
        .ack_every = 1,
        .ack_delay_ps = 5 * UNITS_PS_PER_MS,
        .jitter = 0.1,
        .ring_packets = 64,
        .seed = s->seed,
    };
    fields_section(f, "gbn");
    if (!fields_integer(f, "sequence_bits", y->sequence_bits, 2, EMU_GBN_SEQUENCE_BITS, &bits) ||
        !fields_integer(f, "window", y->window, 1, INT64_C(1) << EMU_GBN_SEQUENCE_BITS, &g->window_packets) ||
        !fields_time(f, "timeout", y->timeout, UNITS_PS_PER_US, 1000 * UNITS_PS_PER_S, &g->timeout_ps) ||
        !fields_switch(f, "simple", y->simple, &simple) ||
        !fields_bytes(f, "packet", y->packet, 1, GBN_PACKET_MAX, &g->packet_bytes) ||
        !fields_integer(f, "ack_every", y->ack_every, 1, INT64_C(1) << EMU_GBN_SEQUENCE_BITS, &g->ack_every) ||
        !fields_time(f, "ack_delay", y->ack_delay, 0, UNITS_PS_PER_S, &g->ack_delay_ps) ||
        !fields_time(f, "send_overhead", y->send_overhead, 0, UNITS_PS_PER_S, &g->send_overhead_ps) ||
        !fields_time(f, "send_gap", y->send_gap, 0, UNITS_PS_PER_S, &g->send_gap_ps) ||
        !fields_time(f, "receive_overhead", y->receive_overhead, 0, UNITS_PS_PER_S, &g->receive_overhead_ps) ||
        !fields_time(f, "user_overhead", y->user_overhead, 0, UNITS_PS_PER_S, &g->user_overhead_ps) ||
        !fields_number(f, "jitter", y->jitter, 0, 0.99, &g->jitter) ||
        !fields_time(f, "preempt_every", y->preempt_every, 0, 1000 * UNITS_PS_PER_S, &g->preempt_every_ps) ||
        !fields_time(f, "preempt", y->preempt, 0, UNITS_PS_PER_S, &g->preempt_ps) ||
        !fields_integer(f, "ring", y->ring, 1, 1000000, &g->ring_packets))
        return false;
    g->sequence_bits = (int)bits;
    g->simple = simple;
    int64_t most = INT64_C(1) << (bits - 1);
    if (g->window_packets > most)
        return fields_fail_at(f, document_culprit(f->doc, "gbn.window", "gbn.sequence_bits"),
                              "a window of %" PRId64 " packets with sequence numbers of %" PRId64 " bits; at most half "
                              "of the numbers, %" PRId64 ", or a repeated packet looks like a missing one",
                              g->window_packets, bits, most);
    return g->ack_every <= g->window_packets ||
           fields_fail_at(f, document_culprit(f->doc, "gbn.ack_every", "gbn.window"),
                          "an acknowledgement every %" PRId64 " packets never comes with a window of %" PRId64,
                          g->ack_every, g->window_packets);
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
                           s->network.topology == EMU_TOPOLOGY_STAR   ? "sw0-h0"
                           : s->network.topology == EMU_TOPOLOGY_MESH ? "sw0-h0 (a switch for every two racks)"
                           : s->network.root                          ? "sw0-h0, sw0-root or root-sw0"
                                                    : "sw0-h0 (sw1 for the second rack) or sw0-sw1, sw1-sw0");
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

/* Takes the document. */
static bool load_document(struct scenario *s, struct document *d, struct error *err)
{
    struct fields f = {.doc = d, .err = err};
    *s = (struct scenario){0};
    struct schema_scenario *y = d ? schema_parse(d, err) : NULL;
    bool ok = y && load_top(s, y, &f) && load_tcp(s, &y->tcp, &f) && load_gbn(s, &y->gbn, &f) &&
              load_network(s, &y->network, &f) && traffic_load(s, &y->traffic, &f) &&
              load_network_fits(s, &y->network, &f) && load_engine(s, y, &f) && load_captures(s, y, &f);
    schema_free(y);
    document_free(d);
    if (!ok)
        scenario_fini(s);
    return ok;
}

bool scenario_load(struct scenario *s, const char *path, const char *const *sets, size_t n_sets, struct error *err)
{
    return load_document(s, document_open(path, sets, n_sets, err), err);
}

bool scenario_load_text(struct scenario *s, const char *name, const char *text, struct error *err)
{
    return load_document(s, document_open_text(name, text, strlen(text), NULL, 0, err), err);
}
