/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/capture_size.h"

#define PCAP_RECORD 16
#define PCAPNG_RECORD 44 /* enhanced packet block 32, its flags 12 */
#define ROUNDS 16        /* until data and the ACKs of data the other way share the wire */
#define ETHERNET (EMU_FRAME_HEADER_BYTES + EMU_FRAME_FCS_BYTES)

/* What a direction may carry: payload bytes of streams in the run, and frames of datagrams. */
struct size_way {
    double demand_bytes, wire_bps, datagram_frames, datagram_bytes;
};

/* The host whose cable a port is at; -1: several hosts'. */
static int size_host(const char *at)
{
    const char *dash = strrchr(at, '-');
    int host = -1;
    return sscanf(dash ? dash + 1 : at, "h%9d", &host) == 1 ? host : -1;
}

/* Payload that a flow has for the run. */
static double size_demand(const struct scenario_flow *f, double duration_s)
{
    double bytes = f->bytes > 0 ? (double)f->bytes * (double)(f->repeat > 1 ? f->repeat : 1) : (double)INFINITY;
    return f->rate_bps > 0 ? fmin(bytes, (double)f->rate_bps / 8 * duration_s) : bytes;
}

/* Of a host's cable what comes from it goes up, what goes to it down; elsewhere nobody knows which way, but not twice. */
static void size_demands(const struct scenario *s, int host, struct size_way way[static 2])
{
    double duration_s = (double)s->duration_ps * 1e-12;
    for (int i = 0; i < s->n_flows; i++) {
        const struct scenario_flow *f = &s->flows[i];
        double bytes = size_demand(f, duration_s);
        for (int k = 0; k < 2; k++) {
            bool passes = host < 0 || (k ? f->to : f->from) == host || (f->duplex && (k ? f->from : f->to) == host);
            way[k].demand_bytes += !passes ? 0 : host < 0 && !f->duplex ? bytes / 2 : bytes;
        }
    }
    for (int i = 0; i < s->n_datagrams; i++) {
        const struct scenario_datagrams *d = &s->datagrams[i];
        double wire = (double)d->packet_bytes + EMU_FRAME_OVERHEAD_BYTES;
        for (int k = 0; k < 2; k++) {
            double share = host < 0 ? 0.5 : (k ? d->to : d->from) == host;
            double frames = fmin((double)d->rate_bps, way[k].wire_bps) / 8 / wire * duration_s;
            way[k].datagram_frames += share * frames;
            way[k].datagram_bytes = (double)d->packet_bytes;
        }
    }
    for (int k = 0; k < 2 && s->n_programs > 0; k++)
        way[k].demand_bytes = INFINITY;
}

/* A record of a frame that carries so many bytes. */
static double size_record(const struct scenario_capture *c, int64_t snaplen, double packet_bytes)
{
    double frame = fmax(packet_bytes, EMU_FRAME_MIN_PAYLOAD) + EMU_FRAME_HEADER_BYTES;
    bool ng = c->format == SCENARIO_FORMAT_PCAPNG;
    double captured = fmin(frame, (double)(snaplen > 0 ? snaplen : c->snaplen));
    return ng ? PCAPNG_RECORD + 4 * ceil(captured / 4) : PCAP_RECORD + captured;
}

static double size_of(const struct scenario *s, struct size_way way[static 2], const struct scenario_capture *c,
                      int64_t snaplen)
{
    const bool gbn = s->transport == SCENARIO_TRANSPORT_GBN;
    const double payload = (double)(gbn ? s->gbn.packet_bytes : s->tcp.segment_bytes);
    const double around = gbn ? EMU_GBN_HEADER_BYTES : SCENARIO_SEGMENT_HEADERS;
    const double per_ack = (double)(gbn ? s->gbn.ack_every : s->tcp.delayed_ack);
    const double wire = payload + around + EMU_FRAME_OVERHEAD_BYTES;
    const double ack_wire = fmax(around, EMU_FRAME_MIN_PAYLOAD) + EMU_FRAME_OVERHEAD_BYTES;
    double room[2], frames[2] = {0, 0}, bytes = 0;
    for (int k = 0; k < 2; k++) {
        room[k] = way[k].wire_bps / 8 * (double)s->duration_ps * 1e-12 -
                  way[k].datagram_frames * (way[k].datagram_bytes + EMU_FRAME_OVERHEAD_BYTES);
        frames[k] = fmin(way[k].demand_bytes / payload, fmax(0, room[k]) / wire);
    }
    for (int i = 0; i < 2 * ROUNDS; i++) {
        int k = i % 2;
        frames[k] = fmin(way[k].demand_bytes / payload, fmax(0, room[k] - frames[!k] / per_ack * ack_wire) / wire);
    }
    for (int k = 0; k < 2; k++)
        bytes += frames[k] * (size_record(c, snaplen, payload + around) + size_record(c, snaplen, around) / per_ack) +
                 way[k].datagram_frames * size_record(c, snaplen, way[k].datagram_bytes);
    return bytes;
}

double scenario_capture_size(const struct scenario *s, int64_t snaplen)
{
    struct emu_network_config config = s->network;
    struct emu_network net;
    double bytes = 0;
    if (s->n_captures == 0 || s->traffic != SCENARIO_TRAFFIC_FLOWS)
        return 0;
    *config.nic_kernel = *config.sw.kernel = *config.root_sw.kernel = '\0'; /* no frame will wait there */
    emu_network_init(&net, &config, &(struct emu_clock){0}, NULL, NULL, NULL);
    for (int i = 0; i < s->n_captures; i++) {
        const struct emu_port *port = emu_network_find(&net, s->captures[i].at);
        if (!port || !port->far)
            continue;
        int host = size_host(s->captures[i].at);
        bool nic = s->captures[i].at[0] == 'h';
        struct size_way way[2] = {{.wire_bps = (double)(nic ? port : port->far)->link.rate_bps},
                                  {.wire_bps = (double)(nic ? port->far : port)->link.rate_bps}};
        size_demands(s, host, way);
        bytes += size_of(s, way, &s->captures[i], snaplen);
    }
    emu_network_fini(&net);
    return bytes;
}
