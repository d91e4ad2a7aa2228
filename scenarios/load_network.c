/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/load_parts.h"

#include <inttypes.h>
#include <string.h>

#define SEGMENT_OVERHEAD (SCENARIO_SEGMENT_HEADERS + EMU_FRAME_HEADER_BYTES + EMU_FRAME_FCS_BYTES)
#define LIMIT_BYTES 20000000

/* Unless measured: payload of full segments back to back on the wire, to the nearest bit/s. */
static bool network_goodput(const struct load *l, const struct emu_link_config *link, int64_t *goodput_bps,
                            const char *path)
{
    double segment = (double)l->s->tcp.segment_bytes, wire = segment + SCENARIO_SEGMENT_HEADERS + EMU_FRAME_OVERHEAD_BYTES;
    if (!load_given(l, path))
        *goodput_bps = (int64_t)((double)link->rate_bps * segment / wire + 0.5);
    if (*goodput_bps <= link->rate_bps)
        return true;
    char rate[UNITS_TEXT];
    units_format_rate(link->rate_bps, rate);
    return load_fail(l, path, "'%s' is more than the link's rate of %s", load_text(l, path), rate);
}

/* A buffer that no full frame fits into would never carry one. */
static bool network_holds_a_frame(const struct load *l, int64_t bytes, const char *path)
{
    const struct scenario *s = l->s;
    if (s->transport == SCENARIO_TRANSPORT_GBN) {
        int64_t frame = s->gbn.packet_bytes + EMU_GBN_HEADER_BYTES + EMU_FRAME_HEADER_BYTES + EMU_FRAME_FCS_BYTES;
        return bytes >= frame ||
               load_fail(l, document_culprit(l->doc, path, "gbn.packet"),
                         "a limit of '%s' holds no full frame of %" PRId64 " bytes", load_text(l, path), frame);
    }
    int64_t segment = s->tcp.segment_bytes;
    return bytes >= segment + SEGMENT_OVERHEAD ||
           load_fail(l, document_culprit(l->doc, path, "tcp.segment"),
                     "a limit of '%s' holds no full frame: a segment of %" PRId64 " makes one of %" PRId64
                     " bytes (headers 66, FCS 4)",
                     load_text(l, path), segment, segment + SEGMENT_OVERHEAD);
}

static bool network_buffers(const struct emu_switch_config *c, enum emu_architecture_place place)
{
    return emu_architectures[c->architecture]->place == place;
}

/* Of so many bytes, or packets where bytes are not counted. */
static struct emu_level network_level(bool packets, int64_t most)
{
    return packets ? (struct emu_level){EMU_QUEUE_UNLIMITED, most} : (struct emu_level){most, EMU_QUEUE_UNLIMITED};
}

/* A switch that buffers at its inputs knows who fills one; others watch their memory as a whole. */
static bool network_pause(struct load *l, bool inputs, struct emu_pause_config *pause, const char *section)
{
    struct load_path xoff = load_path("%s.xoff", section), xon = load_path("%s.xon", section);
    if (!load_given(l, load_path("%s.stops", section).text))
        pause->everybody = !inputs;
    bool packets = pause->xoff.bytes == EMU_QUEUE_UNLIMITED;
    if (load_given(l, xon.text) && !load_given(l, xoff.text))
        return load_fail(l, xon.text, "without xoff: give both, or neither for thresholds that lose nothing");
    if (load_given(l, xoff.text) && !load_given(l, xon.text))
        pause->xon = network_level(packets, (packets ? pause->xoff.packets : pause->xoff.bytes) / 4 * 3);
    else if (pause->xon.bytes > pause->xoff.bytes || pause->xon.packets > pause->xoff.packets)
        return load_fail(l, xon.text, "'%s' is above xoff, '%s', or one is in packets, the other in bytes",
                         load_text(l, xon.text), load_text(l, xoff.text));
    return !load_given(l, load_path("%s.hosts.0", section).text) || l->s->network.hosts > 0 ||
           load_fail(l, load_path("%s.hosts", section).text,
                     "needs to know how many hosts there are: give network.hosts");
}

/* The kernel's disciplines have bounds of their own, and no model knows what they do: as of those that lose early. */
static void network_kernel(const char *kernel, struct emu_queue_config *queue)
{
    if (!*kernel)
        return;
    queue->discipline = EMU_DISCIPLINE_CODEL;
    queue->limit_bytes = queue->limit_packets = EMU_QUEUE_UNLIMITED;
}

/* tc looks for what it does not know in files of that name. */
static bool network_kernel_named(const struct load *l, const char *kernel, const char *path)
{
    size_t n = strspn(kernel, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return kernel[n] == '\0' || kernel[n] == ' ' ||
           load_fail(l, path, "'%s' does not begin with the name of a discipline, such as fq_codel", kernel);
}

/* What the discipline of a queue needs to be told. `section`: where its keys stand. */
static bool network_discipline(const struct load *l, struct emu_queue_config *q, const char *section)
{
    const struct emu_discipline_parameters *p = &q->parameters;
    struct load_path queue = load_path("%s.queue", section), burst = load_path("%s.burst", section);
    q->seed = l->s->seed;
    if (p->max_bytes > 0 && p->min_bytes >= p->max_bytes) {
        struct load_path min = load_path("%s.min", section);
        return load_fail(l, min.text, "'%s' is not below max", load_text(l, min.text));
    }
    if (!(emu_disciplines[q->discipline]->has & EMU_DISCIPLINE_HAS_BURST))
        return true;
    if (p->rate_bps == 0 || p->burst_bytes == 0)
        return load_fail(l, queue.text, "'%s' needs a rate and a burst, such as 10Mbps and 20kB",
                         load_text(l, queue.text));
    return network_holds_a_frame(l, p->burst_bytes, burst.text);
}

/* Keys that contradict the architecture are mistakes. */
static bool network_switch_consistent(struct load *l, const struct emu_switch_config *c, const char *section)
{
    bool inputs = network_buffers(c, EMU_ARCHITECTURE_AT_INPUTS);
    if (!network_kernel_named(l, c->kernel, load_path("%s.qdisc", section).text))
        return false;
    if (*c->kernel && !network_buffers(c, EMU_ARCHITECTURE_AT_OUTPUTS))
        return load_fail(l, load_path("%s.qdisc", section).text, "'%s' is for architecture: output", c->kernel);
    if (inputs && !emu_disciplines[c->queue.discipline]->in_order)
        return load_fail(l, load_path("%s.queue", section).text,
                         "'%s' is for output queues; buffers at the inputs are FIFO",
                         emu_discipline_names[c->queue.discipline]);
    return !c->pause.on || inputs || c->backplane_bps == 0 ||
           load_fail(l, load_path("%s.backplane", section).text,
                     "with PAUSE, what waits for the backplane would be lost unseen: architecture input or voq has one "
                     "buffer for both");
}

static bool network_switch(struct load *l, struct emu_switch_config *c, const char *section)
{
    bool shared = network_buffers(c, EMU_ARCHITECTURE_IN_POOL);
    struct load_path limit = load_path("%s.limit", section), pool = load_path("%s.pool", section),
                     pause = load_path("%s.pause", section);
    c->seed = l->s->seed;
    network_kernel(c->kernel, &c->queue);
    if (!shared && !*c->kernel && !load_given(l, limit.text))
        c->queue.limit_bytes = LIMIT_BYTES;
    if (shared && !load_given(l, pool.text))
        c->pool.bytes = LIMIT_BYTES;
    return network_holds_a_frame(l, c->queue.limit_bytes, limit.text) &&
           network_holds_a_frame(l, c->pool.bytes, pool.text) && network_discipline(l, &c->queue, section) &&
           (!load_given(l, pause.text) ||
            network_pause(l, network_buffers(c, EMU_ARCHITECTURE_AT_INPUTS), &c->pause, pause.text)) &&
           network_switch_consistent(l, c, section);
}

static bool network_racks(struct load *l)
{
    struct emu_network_config *n = &l->s->network;
    bool tree = n->topology == EMU_TOPOLOGY_TREE;
    int least = n->root ? 1 : 2, most = tree && !n->root ? 2 : EMU_NETWORK_RACKS;
    if (!load_given(l, "network.racks")) {
        n->n_racks = 2;
        n->racks[0] = n->racks[1] = 5;
    }
    if (n->n_racks < least || n->n_racks > most)
        return most > 2 ? load_fail(l, "network.racks", "%d racks; there are %d to %d", n->n_racks, least, most)
                        : load_fail(l, "network.racks",
                                    "%d racks; a tree has two, such as [5, 5], or a root and 1 to %d", n->n_racks,
                                    EMU_NETWORK_RACKS);
    n->hosts = 0;
    for (int i = 0; i < n->n_racks; i++)
        n->hosts += n->racks[i];
    return n->hosts <= SCENARIO_HOSTS ||
           load_fail(l, "network.racks", "%d hosts together; at most %d", n->hosts, SCENARIO_HOSTS);
}

bool load_network(struct load *l)
{
    struct scenario *s = l->s;
    struct emu_network_config *n = &s->network;
    n->delays_ps = s->delays_ps;
    network_kernel(n->nic_kernel, &n->nic);
    n->host_times_ps = s->host_times_ps;
    if (n->topology != EMU_TOPOLOGY_STAR && !network_racks(l))
        return false;
    if (n->topology == EMU_TOPOLOGY_STAR && n->hosts > 0 && n->uplinks > n->hosts)
        return load_fail(l, document_culprit(l->doc, "network.uplinks", "network.hosts"),
                         "%d uplinks, but the switch has %d ports in use", n->uplinks, n->hosts);
    return network_goodput(l, &n->backbone, &s->backbone_goodput_bps, "network.backbone.goodput") &&
           network_goodput(l, &n->link, &s->link_goodput_bps, "network.link.goodput") &&
           network_holds_a_frame(l, n->nic.limit_bytes, "network.nic.limit") &&
           network_discipline(l, &n->nic, "network.nic") &&
           network_kernel_named(l, n->nic_kernel, "network.nic.qdisc") &&
           network_switch(l, &n->sw, "network.switch") && (!n->root || network_switch(l, &n->root_sw, "network.root"));
}

/* PAUSE without thresholds: as much as leaves room for what is under way when it is said. `room`: of all links that
 * may send into the buffer, in buffer bytes. */
static bool network_pause_levels(struct load *l, struct emu_switch_config *c, int64_t room, const char *section)
{
    struct emu_level limit = network_buffers(c, EMU_ARCHITECTURE_IN_POOL)
                                 ? c->pool
                                 : (struct emu_level){c->queue.limit_bytes, c->queue.limit_packets};
    if (!c->pause.on || c->pause.xoff.bytes || c->pause.xoff.packets)
        return true;
    bool packets = limit.bytes == EMU_QUEUE_UNLIMITED;
    int64_t most = packets ? limit.packets : limit.bytes, unit = packets ? EMU_FRAME_MIN_WIRE_BYTES : 1;
    int64_t xoff = most - room / unit - 1;
    if (xoff <= 0) {
        return load_fail(l, load_path("%s.pause.xoff", section).text,
                         "cannot be chosen: with every port sending, %" PRId64 " %s may still come after "
                         "PAUSE is said, and the buffer holds %" PRId64 "; a larger one, or xoff and xon",
                         room / unit + 1, packets ? "packets" : "bytes", most);
    }
    c->pause.xoff = network_level(packets, xoff);
    c->pause.xon = network_level(packets, xoff / 4 * 3);
    return true;
}

/* Fewer ports than `used` are refused, and more of a voq switch than it can have. */
static bool network_ports(struct load *l, const struct emu_switch_config *c, int used, const char *section)
{
    struct load_path path = load_path("%s.ports", section);
    int64_t ports = used;
    if (load_given(l, path.text) && units_parse_integer(load_text(l, path.text), &ports, l->err) && used > ports)
        return load_fail(l, path.text, "'%s' are too few for the %d links of a switch here", load_text(l, path.text),
                         used);
    int most = emu_architectures[c->architecture]->most_ports;
    return most == 0 || used <= most ||
           load_fail(l, load_path("%s.architecture", section).text, "%s with %d ports; at most %d",
                     emu_architecture_names[c->architecture], used, most);
}

bool load_network_fits(struct load *l)
{
    struct scenario *s = l->s;
    struct emu_network_config *n = &s->network;
    int hosts = n->hosts, uplinks = n->uplinks;
    for (int i = 0; i < s->n_points; i++) {
        int needs = 1 + s->points[i].incoming + s->points[i].outgoing;
        hosts = n->hosts == 0 && needs > hosts ? needs : hosts;
    }
    if (uplinks > hosts)
        return load_fail(l, "network.uplinks", "%d uplinks, but the switch has %d ports in use", uplinks, hosts);
    if (n->topology != EMU_TOPOLOGY_STAR) {
        int most = 0, second = 0;
        for (int i = 0; i < n->n_racks; i++) {
            second = n->racks[i] > most ? most : n->racks[i] > second ? n->racks[i] : second;
            most = n->racks[i] > most ? n->racks[i] : most;
        }
        hosts = most + (n->topology == EMU_TOPOLOGY_MESH ? second : 0);
        uplinks = n->topology == EMU_TOPOLOGY_TREE;
    }
    bool star = n->topology == EMU_TOPOLOGY_STAR, inputs = network_buffers(&n->sw, EMU_ARCHITECTURE_AT_INPUTS);
    int64_t packet = scenario_packet_bytes(s);
    int64_t host_room = emu_switch_headroom_bytes(&n->link, packet);
    int64_t up_room = emu_switch_headroom_bytes(&n->backbone, packet);
    int64_t all = (star ? hosts - uplinks : hosts) * host_room + uplinks * up_room;
    int64_t one = uplinks > 0 && up_room > host_room ? up_room : host_room;
    if (!network_ports(l, &n->sw, star ? hosts : hosts + uplinks, "network.switch") ||
        !network_pause_levels(l, &n->sw, inputs ? one : all, "network.switch"))
        return false;
    inputs = network_buffers(&n->root_sw, EMU_ARCHITECTURE_AT_INPUTS);
    return !n->root || (network_ports(l, &n->root_sw, n->n_racks, "network.root") &&
                        network_pause_levels(l, &n->root_sw, inputs ? up_room : n->n_racks * up_room, "network.root"));
}

bool load_place_known(const struct emu_network_config *n, int hosts, const char *at)
{
    char name[SCENARIO_NAME];
    int sw, host;
    bool tree = n->topology == EMU_TOPOLOGY_TREE, mesh = n->topology == EMU_TOPOLOGY_MESH;
    if (sscanf(at, "h%9d.%9d", &host, &sw) == 2) {
        snprintf(name, sizeof name, "h%d.%d", host, sw);
        return mesh && strcmp(at, name) == 0 && host >= 0 && host < hosts && sw >= 1 && sw < n->n_racks - 1;
    }
    if (sscanf(at, "h%9d", &host) == 1) {
        snprintf(name, sizeof name, "h%d", host);
        return host >= 0 && host < hosts && strcmp(at, name) == 0;
    }
    if (sscanf(at, "sw%9d-h%9d", &sw, &host) == 2) {
        snprintf(name, sizeof name, "sw%d-h%d", sw, host);
        if (strcmp(at, name) != 0 || host < 0 || host >= hosts)
            return false;
        if (!mesh)
            return sw == (tree ? emu_network_rack(n, host) : 0);
        int rack = emu_network_rack(n, host), at_switch = 0;
        for (int a = 0; a < n->n_racks; a++)
            for (int b = a + 1; b < n->n_racks; b++, at_switch++)
                if (at_switch == sw)
                    return rack == a || rack == b;
        return false;
    }
    for (int i = 0; tree && n->root && i < n->n_racks; i++) {
        char up[SCENARIO_NAME], down[SCENARIO_NAME];
        snprintf(up, sizeof up, "sw%d-root", i);
        snprintf(down, sizeof down, "root-sw%d", i);
        if (strcmp(at, up) == 0 || strcmp(at, down) == 0)
            return true;
    }
    return tree && !n->root && (strcmp(at, "sw0-sw1") == 0 || strcmp(at, "sw1-sw0") == 0);
}
