/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/load_network.h"

#include "base/units.h"
#include "scenarios/traffic.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DELAY_MAX_PS (10 * UNITS_PS_PER_S)
#define SEGMENT_HEADERS 52
#define SEGMENT_OVERHEAD (SEGMENT_HEADERS + EMU_FRAME_HEADER_BYTES + EMU_FRAME_FCS_BYTES)

/* Payload of full segments back to back on the wire, to the nearest bit/s. */
static int64_t network_goodput(const struct scenario *s, int64_t rate_bps)
{
    double wire = (double)(s->tcp.segment_bytes + SEGMENT_HEADERS + EMU_FRAME_OVERHEAD_BYTES);
    return (int64_t)((double)rate_bps * (double)s->tcp.segment_bytes / wire + 0.5);
}

static bool network_link(const struct scenario *s, struct emu_link_config *link, int64_t *goodput_bps,
                         const struct schema_link *y, struct fields *f)
{
    if (!fields_rate(f, "rate", y->rate, &link->rate_bps) ||
        !fields_time(f, "delay", y->delay, 0, DELAY_MAX_PS, &link->delay_ps))
        return false;
    *goodput_bps = network_goodput(s, link->rate_bps);
    if (!fields_rate(f, "goodput", y->goodput, goodput_bps))
        return false;
    if (*goodput_bps <= link->rate_bps)
        return true;
    char key[FIELDS_PATH], rate[UNITS_TEXT];
    snprintf(key, sizeof key, "%s.goodput", f->section);
    units_format_rate(link->rate_bps, rate);
    return fields_fail_at(f, key, "'%s' is more than the link's rate of %s", y->goodput, rate);
}

/* A buffer that no full frame fits into would never carry one. */
static bool network_holds_a_frame(const struct scenario *s, int64_t bytes, const char *key, const char *text,
                                  struct fields *f)
{
    char path[FIELDS_PATH];
    snprintf(path, sizeof path, "%s.%s", f->section, key);
    if (s->transport == SCENARIO_TRANSPORT_GBN) {
        int64_t frame = s->gbn.packet_bytes + EMU_GBN_HEADER_BYTES + EMU_FRAME_HEADER_BYTES + EMU_FRAME_FCS_BYTES;
        return bytes >= frame || fields_fail_at(f, document_culprit(f->doc, path, "gbn.packet"),
                                                "a limit of '%s' holds no full frame of %" PRId64 " bytes", text,
                                                frame);
    }
    int64_t segment = s->tcp.segment_bytes;
    return bytes >= segment + SEGMENT_OVERHEAD ||
           fields_fail_at(f, document_culprit(f->doc, path, "tcp.segment"),
                          "a limit of '%s' holds no full frame: a segment of %" PRId64 " makes one of %" PRId64
                          " bytes (headers 66, FCS 4)",
                          text, segment, segment + SEGMENT_OVERHEAD);
}

static bool network_queue(const struct scenario *s, struct emu_queue_config *queue, const char *discipline_text,
                          const char *limit_text, struct fields *f)
{
    int discipline = EMU_DISCIPLINE_FIFO;
    if (!fields_choice(f, "queue", discipline_text, emu_discipline_names, "a queue", &discipline) ||
        !fields_limit(f, "limit", limit_text, queue))
        return false;
    queue->discipline = (enum emu_discipline)discipline;
    return network_holds_a_frame(s, queue->limit_bytes, "limit", limit_text, f);
}

/* A switch that buffers at its inputs knows who fills one; others watch their memory as a whole. */
static bool network_pause(struct scenario *s, bool inputs, struct emu_pause_config *pause,
                          const struct schema_pause *y, struct fields *f)
{
    char section[FIELDS_SECTION];
    static const char *const whom[] = {"senders", "everybody", NULL};
    int on = true, everybody = !inputs;
    int64_t quanta = 65535;
    snprintf(section, sizeof section, "%s", f->section);
    fields_section(f, "%.40s.pause", section);
    if (!fields_switch(f, "on", y->on, &on) || !fields_choice(f, "stops", y->stops, whom, "who stops", &everybody) ||
        !fields_integer(f, "quanta", y->quanta, 1, 65535, &quanta) ||
        !fields_level(f, "xoff", y->xoff, &pause->xoff) || !fields_level(f, "xon", y->xon, &pause->xon))
        return false;
    pause->on = on;
    pause->everybody = everybody;
    pause->quanta = (uint16_t)quanta;
    if (y->xon && !y->xoff)
        return fields_fail(f, "xon", "without xoff: give both, or neither for thresholds that lose nothing");
    if (y->xoff && y->xon &&
        (pause->xon.bytes > pause->xoff.bytes || pause->xon.packets > pause->xoff.packets))
        return fields_fail(f, "xon", "'%s' is above xoff, '%s', or one is in packets, the other in bytes", y->xon,
                           y->xoff);
    if (y->xoff && !y->xon)
        pause->xon = pause->xoff.bytes == EMU_QUEUE_UNLIMITED
                         ? (struct emu_level){EMU_QUEUE_UNLIMITED, pause->xoff.packets / 4 * 3}
                         : (struct emu_level){pause->xoff.bytes / 4 * 3, EMU_QUEUE_UNLIMITED};
    if (y->hosts_count == 0)
        return true;
    if (s->network.hosts == 0)
        return fields_fail(f, "hosts", "needs to know how many hosts there are: give network.hosts");
    free(s->pause_hosts);
    s->pause_hosts = calloc((size_t)s->network.hosts, sizeof *s->pause_hosts);
    if (!s->pause_hosts)
        return error_set(f->err, ERROR_SYSTEM, "out of memory for hosts");
    for (unsigned i = 0; i < y->hosts_count; i++) {
        char key[24];
        int host;
        snprintf(key, sizeof key, "hosts.%u", i);
        if (!fields_host(f, key, y->hosts[i], s->network.hosts, &host))
            return false;
        s->pause_hosts[host] = true;
    }
    s->network.pause_hosts = s->pause_hosts;
    return true;
}

/* Keys that mean nothing to this architecture are mistakes. */
static bool network_switch_consistent(const struct emu_switch_config *c, const struct schema_switch *y,
                                      struct fields *f)
{
    enum emu_architecture_place place = emu_architectures[c->architecture]->place;
    bool inputs = place == EMU_ARCHITECTURE_AT_INPUTS;
    if (place != EMU_ARCHITECTURE_IN_POOL && (y->pool || y->alpha))
        return fields_fail(f, y->pool ? "pool" : "alpha", "is for architecture: shared");
    if (inputs && !emu_disciplines[c->queue.discipline]->in_order)
        return fields_fail(f, "queue", "'%s' is for output queues; buffers at the inputs are FIFO", y->queue);
    if (y->arbitration && !inputs && c->backplane_bps == 0)
        return fields_fail(f, "arbitration", "is for inputs that wait: architecture input or voq, or a backplane");
    if (c->pause.on && !inputs && c->backplane_bps > 0)
        return fields_fail(f, "backplane", "with PAUSE, what waits for the backplane would be lost unseen: "
                                           "architecture input or voq has one buffer for both");
    return true;
}

static bool network_switch(struct scenario *s, struct emu_switch_config *c, const struct schema_switch *y,
                           const char *section, struct fields *f)
{
    static const char *const forwardings[] = {"store-and-forward", "cut-through", NULL};
    int architecture = EMU_ARCHITECTURE_OUTPUT, arbitration = EMU_ARBITRATION_ROUND_ROBIN, cut_through = 0;
    *c = emu_switch_config_default();
    c->seed = s->seed;
    fields_section(f, "%s", section);
    if (!fields_choice(f, "architecture", y->architecture, emu_architecture_names, "an architecture", &architecture))
        return false;
    c->architecture = (enum emu_architecture)architecture;
    enum emu_architecture_place place = emu_architectures[architecture]->place;
    if (place == EMU_ARCHITECTURE_IN_POOL)
        c->pool.bytes = 20000000;
    else
        c->queue.limit_bytes = 20000000;
    if (!network_queue(s, &c->queue, y->queue, y->limit, f) || !fields_level(f, "pool", y->pool, &c->pool) ||
        !network_holds_a_frame(s, c->pool.bytes, "pool", y->pool, f) ||
        !fields_number(f, "alpha", y->alpha, 0, 1000, &c->alpha) ||
        !fields_choice(f, "arbitration", y->arbitration, emu_arbitration_names, "an arbitration", &arbitration) ||
        !fields_choice(f, "forwarding", y->forwarding, forwardings, "a way of forwarding", &cut_through) ||
        !fields_time(f, "latency", y->latency, 0, UNITS_PS_PER_S, &c->latency_ps) ||
        (y->backplane && strcmp(y->backplane, "unlimited") != 0 &&
         !fields_rate(f, "backplane", y->backplane, &c->backplane_bps)))
        return false;
    c->arbitration = (enum emu_arbitration)arbitration;
    c->cut_through = cut_through;
    if (y->pause && !network_pause(s, place == EMU_ARCHITECTURE_AT_INPUTS, &c->pause, y->pause, f))
        return false;
    fields_section(f, "%s", section);
    return network_switch_consistent(c, y, f);
}

static bool network_racks(struct scenario *s, const struct schema_network *y, struct fields *f)
{
    struct emu_network_config *n = &s->network;
    bool tree = n->topology == EMU_TOPOLOGY_TREE, root = y->root != NULL;
    int least = root ? 1 : 2, most = tree && !root ? 2 : EMU_NETWORK_RACKS;
    n->n_racks = 2;
    n->racks[0] = n->racks[1] = 5;
    n->root = root;
    if (y->hosts)
        return fields_fail(f, "hosts", "is for a star; a %s has racks, such as [5, 5]", tree ? "tree" : "mesh");
    if (document_kind(f->doc, "network.racks") != DOCUMENT_NONE) {
        if ((int)y->racks_count < least || (int)y->racks_count > most)
            return most > 2
                       ? fields_fail(f, "racks", "%u racks; there are %d to %d", y->racks_count, least, most)
                       : fields_fail(f, "racks", "%u racks; a tree has two, such as [5, 5], or a root and 1 to %d",
                                     y->racks_count, EMU_NETWORK_RACKS);
        n->n_racks = (int)y->racks_count;
        for (int i = 0; i < n->n_racks; i++) {
            char key[16];
            int64_t hosts;
            snprintf(key, sizeof key, "racks.%d", i);
            if (!fields_integer(f, key, y->racks[i], 1, TRAFFIC_HOSTS - 1, &hosts))
                return false;
            n->racks[i] = (int)hosts;
        }
    }
    n->hosts = 0;
    for (int i = 0; i < n->n_racks; i++)
        n->hosts += n->racks[i];
    return n->hosts <= TRAFFIC_HOSTS ||
           fields_fail(f, "racks", "%d hosts together; at most %d", n->hosts, TRAFFIC_HOSTS);
}

static bool network_star(struct scenario *s, const struct schema_network *y, struct fields *f)
{
    int64_t hosts = 0, uplinks = 0;
    if (document_kind(f->doc, "network.racks") != DOCUMENT_NONE || y->root)
        return fields_fail(f, y->root ? "root" : "racks", "is for a tree; the topology is star");
    if (y->backbone && !y->uplinks)
        return fields_fail(f, "backbone", "is for a tree; the topology is star");
    if (!fields_integer(f, "hosts", y->hosts, 2, TRAFFIC_HOSTS, &hosts) ||
        !fields_integer(f, "uplinks", y->uplinks, 0, TRAFFIC_HOSTS, &uplinks))
        return false;
    if (hosts > 0 && uplinks > hosts)
        return fields_fail_at(f, document_culprit(f->doc, "network.uplinks", "network.hosts"),
                              "%" PRId64 " uplinks, but the switch has %" PRId64 " ports in use", uplinks, hosts);
    s->network.hosts = (int)hosts;
    s->network.uplinks = (int)uplinks;
    return true;
}

bool load_network(struct scenario *s, const struct schema_network *y, struct fields *f)
{
    struct emu_network_config *n = &s->network;
    int topology = EMU_TOPOLOGY_STAR;
    fields_section(f, "network");
    if (!fields_choice(f, "topology", y->topology, emu_topology_names, "a topology", &topology))
        return false;
    n->topology = (enum emu_topology)topology;
    if (topology == EMU_TOPOLOGY_STAR ? !network_star(s, y, f) : !network_racks(s, y, f))
        return false;
    if (topology == EMU_TOPOLOGY_MESH && (y->root || y->backbone))
        return fields_fail(f, y->root ? "root" : "backbone", "is for a tree; in a mesh every two racks share a switch");
    if (topology != EMU_TOPOLOGY_STAR && y->uplinks)
        return fields_fail(f, "uplinks", "is for a star; a tree's are its backbone");
    n->backbone = (struct emu_link_config){10000000000, 50 * UNITS_PS_PER_US};
    fields_section(f, "network.backbone");
    if (!network_link(s, &n->backbone, &s->backbone_goodput_bps, y->backbone ? y->backbone : &(struct schema_link){0},
                      f))
        return false;
    n->link = (struct emu_link_config){1000000000, 50 * UNITS_PS_PER_US};
    fields_section(f, "network.link");
    if (!network_link(s, &n->link, &s->link_goodput_bps, &y->link, f))
        return false;
    n->nic = emu_queue_config_default();
    n->nic.limit_bytes = 20000000;
    fields_section(f, "network.nic");
    return network_queue(s, &n->nic, y->nic.queue, y->nic.limit, f) &&
           network_switch(s, &n->sw, &y->sw, "network.switch", f) &&
           (!y->root || network_switch(s, &n->root_sw, y->root, "network.root", f));
}

/* PAUSE without thresholds: as much as leaves room for what is under way when it is said. `room`: of all links that
 * may send into the buffer, in buffer bytes. */
static bool network_pause_levels(struct emu_switch_config *c, int64_t room, const char *section, struct fields *f)
{
    struct emu_level limit = emu_architectures[c->architecture]->place == EMU_ARCHITECTURE_IN_POOL
                                 ? c->pool
                                 : (struct emu_level){c->queue.limit_bytes, c->queue.limit_packets};
    if (!c->pause.on || c->pause.xoff.bytes || c->pause.xoff.packets)
        return true;
    bool packets = limit.bytes == EMU_QUEUE_UNLIMITED;
    int64_t most = packets ? limit.packets : limit.bytes, unit = packets ? EMU_FRAME_MIN_WIRE_BYTES : 1;
    int64_t xoff = most - room / unit - 1;
    if (xoff <= 0) {
        fields_section(f, "%.40s.pause", section);
        return fields_fail(f, "xoff", "cannot be chosen: with every port sending, %" PRId64 " %s may still come after "
                                      "PAUSE is said, and the buffer holds %" PRId64 "; a larger one, or xoff and xon",
                           room / unit + 1, packets ? "packets" : "bytes", most);
    }
    int64_t unlimited = EMU_QUEUE_UNLIMITED;
    c->pause.xoff = packets ? (struct emu_level){unlimited, xoff} : (struct emu_level){xoff, unlimited};
    c->pause.xon = packets ? (struct emu_level){unlimited, xoff / 4 * 3} : (struct emu_level){xoff / 4 * 3, unlimited};
    return true;
}

static bool network_ports(const struct emu_switch_config *c, const char *text, int used, const char *section,
                          struct fields *f)
{
    int64_t ports = used;
    fields_section(f, "%s", section);
    if (!fields_integer(f, "ports", text, 2, TRAFFIC_HOSTS + 1, &ports))
        return false;
    if (used > ports)
        return fields_fail(f, "ports", "'%s' are too few for the %d links of a switch here", text, used);
    int most = emu_architectures[c->architecture]->most_ports;
    return most == 0 || used <= most ||
           fields_fail(f, "architecture", "%s with %d ports; at most %d", emu_architecture_names[c->architecture], used,
                       most);
}

static bool network_at_inputs(const struct emu_switch_config *c)
{
    return emu_architectures[c->architecture]->place == EMU_ARCHITECTURE_AT_INPUTS;
}

bool load_network_fits(struct scenario *s, const struct schema_network *y, struct fields *f)
{
    struct emu_network_config *n = &s->network;
    int hosts = n->hosts, uplinks = n->uplinks;
    for (int i = 0; i < s->n_points; i++) {
        int needs = 1 + s->points[i].incoming + s->points[i].outgoing;
        hosts = n->hosts == 0 && needs > hosts ? needs : hosts;
    }
    if (uplinks > hosts)
        return fields_fail_at(f, "network.uplinks", "%d uplinks, but the switch has %d ports in use", uplinks, hosts);
    if (n->topology != EMU_TOPOLOGY_STAR) {
        int most = 0, second = 0;
        for (int i = 0; i < n->n_racks; i++) {
            second = n->racks[i] > most ? most : n->racks[i] > second ? n->racks[i] : second;
            most = n->racks[i] > most ? n->racks[i] : most;
        }
        hosts = most + (n->topology == EMU_TOPOLOGY_MESH ? second : 0);
        uplinks = n->topology == EMU_TOPOLOGY_TREE;
    }
    bool star = n->topology == EMU_TOPOLOGY_STAR, inputs = network_at_inputs(&n->sw);
    int64_t host_room = emu_switch_headroom_bytes(&n->link), up_room = emu_switch_headroom_bytes(&n->backbone);
    int64_t all = (star ? hosts - uplinks : hosts) * host_room + uplinks * up_room;
    int64_t one = uplinks > 0 && up_room > host_room ? up_room : host_room;
    if (!network_ports(&n->sw, y->sw.ports, star ? hosts : hosts + uplinks, "network.switch", f) ||
        !network_pause_levels(&n->sw, inputs ? one : all, "network.switch", f))
        return false;
    inputs = network_at_inputs(&n->root_sw);
    return !y->root || (network_ports(&n->root_sw, y->root->ports, n->n_racks, "network.root", f) &&
                        network_pause_levels(&n->root_sw, inputs ? up_room : n->n_racks * up_room, "network.root", f));
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
