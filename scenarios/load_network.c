/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/load_parts.h"

#define SEGMENT_OVERHEAD (SCENARIO_SEGMENT_HEADERS + EMU_FRAME_HEADER_BYTES + EMU_FRAME_FCS_BYTES)
#define LIMIT_BYTES 20000000
#define NETWORK_HOPS 64

/* Unless measured: payload of full segments back to back on the wire, to the nearest bit/s. */
static bool network_goodput(const struct load *l, const struct emu_link_config *link, int64_t *goodput_bps,
                            const char *path)
{
    double segment = (double)l->s->tcp.segment_bytes, wire = segment + SCENARIO_SEGMENT_HEADERS + EMU_FRAME_OVERHEAD_BYTES;
    segment -= l->s->tcp.quic ? SCENARIO_QUIC_MORE : 0;
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

#define KERNEL_WORDS 50

/* The name of a discipline and words about it, all of which tc(8) gets as they are. tc looks for what it does not know in
 * files of that name, and a distribution's name is a file's: no word leads out of a directory of tc's own. Without any
 * discipline (noqueue) the kernel inside has nothing to ask. */
static bool network_kernel_named(const struct load *l, const char *kernel, const char *path)
{
    size_t n = strspn(kernel, "abcdefghijklmnopqrstuvwxyz0123456789_"), words = 0;
    const struct {
        bool is;
        const char *what;
    } ours[] = {{load_given(l, "traffic.datagrams"), "traffic.datagrams"}, {load_given(l, "traffic.burst"), "traffic.burst"},
                {load_given(l, "traffic.uniform"), "traffic.uniform"}, {l->s->transport == SCENARIO_TRANSPORT_GBN, "transport: gbn"}};
    for (size_t i = 0; i < sizeof ours / sizeof *ours && *kernel; i++)
        if (ours[i].is)
            return load_fail(l, path, "'%s' is a kernel's, which takes packets of its own TCP alone; with %s name a queue "
                             "of ours", kernel, ours[i].what);
    if (kernel[n] != '\0' && (kernel[n] != ' ' || n == 0))
        return load_fail(l, path, "'%s' does not begin with the name of a discipline, such as fq_codel", kernel);
    if (n == strlen("noqueue") && strncmp(kernel, "noqueue", n) == 0)
        return load_fail(l, path, "'noqueue' is no discipline that holds frames, which a port needs; try pfifo");
    for (const char *c = kernel; *c; c += strspn(c, " ")) {
        size_t length = strcspn(c, " ");
        bool option = c[0] == '-' && !(c[1] >= '0' && c[1] <= '9');
        if (option || strspn(c, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.:,%") < length ||
            (length >= 2 && memmem(c, length, "..", 2)))
            return load_fail(l, path, "'%.*s' is no word of a discipline: letters, digits and _-+.:,%% without '..'",
                             (int)length, c);
        words++;
        c += length;
    }
    return words <= KERNEL_WORDS ||
           load_fail(l, path, "%zu words are more than tc gets, which is %d", words, KERNEL_WORDS);
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

/* Which topologies lack a place for a third rack. */
static bool network_has_two_racks(const struct emu_network_config *n)
{
    return (n->topology == EMU_TOPOLOGY_TREE && !n->root) || n->topology == EMU_TOPOLOGY_DUMBBELL ||
           n->topology == EMU_TOPOLOGY_ACCESS;
}

static bool network_faults(const struct load *l, struct emu_fault_config *faults, int64_t delay_ps, const char *section)
{
    char delay[UNITS_TEXT];
    units_format_time(delay_ps, delay);
    faults->seed = l->s->seed;
    if (faults->reorder > 0 && delay_ps == 0)
        return load_fail(l, load_path("%s.faults.reorder", section).text,
                         "'%s' on a link without a delay: there is nothing under way to overtake",
                         load_text(l, load_path("%s.faults.reorder", section).text));
    return faults->reorder_by_ps <= delay_ps ||
           load_fail(l, load_path("%s.faults.reorder_by", section).text, "'%s' is more than the link's delay of %s",
                     load_text(l, load_path("%s.faults.reorder_by", section).text), delay);
}

static bool network_racks(struct load *l)
{
    struct emu_network_config *n = &l->s->network;
    bool leaves = n->topology == EMU_TOPOLOGY_LEAF_SPINE, tree = n->topology == EMU_TOPOLOGY_TREE;
    int least = n->root || leaves ? 1 : 2, most = network_has_two_racks(n) ? 2 : EMU_NETWORK_RACKS;
    if (!load_given(l, "network.racks")) {
        n->n_racks = 2;
        n->racks[0] = n->racks[1] = n->topology == EMU_TOPOLOGY_ACCESS ? 1 : 5;
    }
    if (!tree && most == 2 && n->n_racks != 2)
        return load_fail(l, "network.racks", "%d racks; %s has two, such as [5, 5]", n->n_racks,
                         n->topology == EMU_TOPOLOGY_ACCESS ? "an access line" : "a dumbbell");
    if (n->n_racks < least || n->n_racks > most)
        return most > 2 ? load_fail(l, "network.racks", "%d racks; there are %d to %d", n->n_racks, least, most)
                        : load_fail(l, "network.racks",
                                    "%d racks; a tree has two, such as [5, 5], or a root and 1 to %d", n->n_racks,
                                    EMU_NETWORK_RACKS);
    int hosts = emu_topology_hosts(n);
    return hosts <= SCENARIO_HOSTS ||
           load_fail(l, "network.racks", "%d hosts together; at most %d", hosts, SCENARIO_HOSTS);
}

static bool network_node_named(const struct load *l, const char *name, const char *path)
{
    size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    int host = emu_graph_host(name);
    if (name[n] != '\0')
        return load_fail(l, path, "'%s' has '%c'; names of nodes are letters, digits and '_'", name, name[n]);
    return host < SCENARIO_HOSTS ||
           load_fail(l, path, "'%s' is no host; there are h0 to h%d at most", name, SCENARIO_HOSTS - 1);
}

/* The queue of one end of a cable: its node's but for what is given. */
static bool network_port(struct load *l, struct emu_queue_config *queue, const char *node, const char *path)
{
    const struct emu_network_config *n = &l->s->network;
    const struct emu_switch_config *sw = &n->sw;
    struct load_path limit = load_path("%s.limit", path);
    bool host = emu_graph_host(node) >= 0;
    for (int i = 0; i < n->n_nodes; i++)
        if (strcmp(n->nodes[i].name, node) == 0)
            sw = &n->nodes[i].sw;
    if (!host && !network_buffers(sw, EMU_ARCHITECTURE_AT_OUTPUTS))
        return load_fail(l, path, "a queue of its own is for architecture: output; '%s' has none at its ports", node);
    const struct emu_queue_config *of = host ? &n->nic : &sw->queue;
    if (!load_given(l, load_path("%s.queue", path).text)) {
        queue->discipline = of->discipline;
        queue->parameters = of->parameters;
    }
    if (!load_given(l, limit.text)) {
        queue->limit_bytes = of->limit_bytes;
        queue->limit_packets = of->limit_packets;
    }
    return network_holds_a_frame(l, queue->limit_bytes, limit.text) && network_discipline(l, queue, path);
}

static bool network_way(struct load *l, struct emu_network_way *way, const struct emu_link_config *link,
                        const char *node, const char *path)
{
    if (!way->on)
        return true;
    if (!load_given(l, load_path("%s.rate", path).text))
        way->rate_bps = link->rate_bps;
    if (!load_given(l, load_path("%s.delay", path).text))
        way->delay_ps = link->delay_ps;
    return network_faults(l, &way->faults, way->delay_ps, path) &&
           (!way->queues || network_port(l, &way->port.queue, node, load_path("%s.port", path).text));
}

static bool network_cable(struct load *l, struct emu_network_link *c, int number)
{
    const struct emu_network_config *n = &l->s->network;
    struct load_path at = load_path("network.links.%d", number);
    if (!network_node_named(l, c->from, load_path("%s.from", at.text).text) ||
        !network_node_named(l, c->to, load_path("%s.to", at.text).text))
        return false;
    if (strcmp(c->from, c->to) == 0)
        return load_fail(l, load_path("%s.to", at.text).text, "'%s' is where the cable comes from", c->to);
    if (!load_given(l, load_path("%s.rate", at.text).text))
        c->link.rate_bps = n->link.rate_bps;
    if (!load_given(l, load_path("%s.delay", at.text).text))
        c->link.delay_ps = n->link.delay_ps;
    if (!load_given(l, load_path("%s.mtu", at.text).text))
        c->link.mtu_bytes = n->link.mtu_bytes;
    if (!load_given(l, load_path("%s.framing", at.text).text))
        c->link.framing = n->link.framing;
    if (!load_given(l, load_path("%s.faults", at.text).text))
        c->link.faults = n->link.faults;
    return network_faults(l, &c->link.faults, c->link.delay_ps, at.text) &&
           network_way(l, &c->out, &c->link, c->from, load_path("%s.out", at.text).text) &&
           network_way(l, &c->back, &c->link, c->to, load_path("%s.back", at.text).text);
}

static bool network_node(struct load *l, struct emu_network_node *node, int number)
{
    const struct emu_network_config *n = &l->s->network;
    struct load_path name = load_path("network.nodes.%d.name", number);
    bool linked = false;
    for (int i = 0; i < n->n_links; i++)
        linked = linked || strcmp(n->links[i].from, node->name) == 0 || strcmp(n->links[i].to, node->name) == 0;
    if (!linked || emu_graph_host(node->name) >= 0)
        return load_fail(l, name.text, "'%s' is not a switch that network.links has", node->name);
    for (int i = 0; i < number; i++)
        if (strcmp(n->nodes[i].name, node->name) == 0)
            return load_fail(l, name.text, "'%s' is there twice", node->name);
    if (!load_given(l, load_path("network.nodes.%d.switch.limit", number).text))
        node->sw.queue.limit_bytes = node->sw.queue.limit_packets = EMU_QUEUE_UNLIMITED;
    if (!load_given(l, load_path("network.nodes.%d.switch.pool", number).text))
        node->sw.pool = (struct emu_level){EMU_QUEUE_UNLIMITED, EMU_QUEUE_UNLIMITED};
    return network_switch(l, &node->sw, load_path("network.nodes.%d.switch", number).text);
}

/* Which of the hosts up to the highest has no cable; -1: none. */
static int network_host_missing(const struct emu_network_config *n)
{
    int hosts = emu_topology_hosts(n), missing = -1;
    MEMORY_LOCAL bool *there = memory_zeroed((size_t)hosts, sizeof *there, "the hosts of a network");
    for (int i = 0; i < n->n_links; i++) {
        int from = emu_graph_host(n->links[i].from), to = emu_graph_host(n->links[i].to);
        if (from >= 0)
            there[from] = true;
        if (to >= 0)
            there[to] = true;
    }
    for (int h = hosts - 1; h >= 0; h--)
        missing = there[h] ? missing : h;
    return missing;
}

static bool network_graph(struct load *l)
{
    struct scenario *s = l->s;
    struct emu_network_config *n = &s->network;
    if (n->n_links == 0)
        return load_fail(l, "network.topology", "a graph needs network.links, such as [{from: h0, to: sw0}, {from: h1, "
                                                "to: sw0}]");
    for (int i = 0; i < n->n_nodes; i++)
        if (!network_node(l, &s->nodes[i], i))
            return false;
    for (int i = 0; i < n->n_links; i++)
        if (!network_cable(l, &s->links[i], i))
            return false;
    int missing = network_host_missing(n);
    if (missing >= 0)
        return load_fail(l, "network.links", "h%d has no cable, but h%d has; hosts are h0, h1, ... without a gap",
                         missing, emu_topology_hosts(n) - 1);
    return emu_topology_hosts(n) >= 2 || load_fail(l, "network.links", "fewer than two hosts, such as h0 and h1");
}

/* What each topology asks of its keys, and how many hosts it has. */
static bool network_topology(struct load *l)
{
    struct emu_network_config *n = &l->s->network;
    bool ok = n->topology == EMU_TOPOLOGY_GRAPH ? network_graph(l)
              : !emu_topology_has_racks(n->topology) || network_racks(l);
    if (ok && n->k % 2)
        return load_fail(l, "network.k", "'%d' is odd; half of a switch's ports lead up, half down", n->k);
    if (ok && n->topology != EMU_TOPOLOGY_STAR)
        n->hosts = emu_topology_hosts(n);
    return ok;
}

/* The queue of `where` can be stopped by class. */
static bool network_stops(const struct load *l, enum emu_discipline queue, const char *where, const char *path)
{
    return emu_disciplines[queue]->stop ||
           load_fail(l, path, "%s is %s, which serves no classes and cannot stop one; take prio or drr", where,
                     emu_discipline_names[queue]);
}

static bool network_way_stops(const struct load *l, const struct emu_network_way *way, int link, const char *end,
                              const char *path)
{
    return !way->on || !way->queues ||
           network_stops(l, way->port.queue.discipline, load_path("network.links.%d.%s.port.queue", link, end).text,
                         path);
}

/* PFC stops classes: queues that do not tell them apart cannot be stopped so. */
static bool network_pause_classes(const struct load *l, const struct emu_switch_config *c, const char *section)
{
    const struct emu_network_config *n = &l->s->network;
    struct load_path path = load_path("%s.pause.classes", section);
    unsigned seen = 0;
    for (int i = 0; i < c->pause.n_classes; i++) {
        if (seen >> c->pause.classes[i] & 1)
            return load_fail(l, path.text, "class %d is there twice", c->pause.classes[i]);
        seen |= 1u << c->pause.classes[i];
    }
    if (seen == 0)
        return true;
    if (network_buffers(c, EMU_ARCHITECTURE_AT_INPUTS))
        return load_fail(l, path.text, "buffers at the inputs do not tell classes apart: architecture output or shared");
    bool ok = network_stops(l, n->nic.discipline, "network.nic.queue", path.text) &&
              network_stops(l, n->sw.queue.discipline, "network.switch.queue", path.text) &&
              (!n->root || network_stops(l, n->root_sw.queue.discipline, "network.root.queue", path.text));
    for (int i = 0; ok && i < n->n_nodes; i++)
        ok = network_stops(l, n->nodes[i].sw.queue.discipline, load_path("network.nodes.%d.switch.queue", i).text,
                           path.text);
    for (int i = 0; ok && i < n->n_links; i++)
        ok = network_way_stops(l, &n->links[i].out, i, "out", path.text) &&
             network_way_stops(l, &n->links[i].back, i, "back", path.text);
    return ok;
}

static bool network_classes(const struct load *l)
{
    const struct emu_network_config *n = &l->s->network;
    bool ok = network_pause_classes(l, &n->sw, "network.switch") &&
              network_pause_classes(l, &n->root_sw, "network.root");
    for (int i = 0; ok && i < n->n_nodes; i++)
        ok = network_pause_classes(l, &n->nodes[i].sw, load_path("network.nodes.%d.switch", i).text);
    return ok;
}

bool load_network(struct load *l)
{
    struct scenario *s = l->s;
    struct emu_network_config *n = &s->network;
    n->delays_ps = s->delays_ps;
    network_kernel(n->nic_kernel, &n->nic);
    n->host_times_ps = s->host_times_ps;
    n->links = s->links;
    n->nodes = s->nodes;
    if (n->n_links > 0 && !load_given(l, "network.topology"))
        n->topology = EMU_TOPOLOGY_GRAPH;
    if (!network_topology(l))
        return false;
    if (n->topology == EMU_TOPOLOGY_STAR && n->hosts > 0 && n->uplinks > n->hosts)
        return load_fail(l, document_culprit(l->doc, "network.uplinks", "network.hosts"),
                         "%d uplinks, but the switch has %d ports in use", n->uplinks, n->hosts);
    return network_goodput(l, &n->backbone, &s->backbone_goodput_bps, "network.backbone.goodput") &&
           network_goodput(l, &n->link, &s->link_goodput_bps, "network.link.goodput") &&
           network_faults(l, &n->link.faults, n->link.delay_ps, "network.link") &&
           network_faults(l, &n->backbone.faults, n->backbone.delay_ps, "network.backbone") &&
           network_holds_a_frame(l, n->nic.limit_bytes, "network.nic.limit") &&
           network_discipline(l, &n->nic, "network.nic") &&
           network_kernel_named(l, n->nic_kernel, "network.nic.qdisc") &&
           network_switch(l, &n->sw, "network.switch") && (!n->root || network_switch(l, &n->root_sw, "network.root")) &&
           network_classes(l);
}

/* PFC: classes that do not stop have what the others, each with its room, leave, and an equal part at least. */
static void network_pause_rest(struct emu_pause_config *pause, const struct emu_level *limit, int64_t room)
{
    bool packets = pause->xoff.bytes == EMU_QUEUE_UNLIMITED;
    int64_t most = packets ? limit->packets : limit->bytes, unit = packets ? EMU_FRAME_MIN_WIRE_BYTES : 1;
    int64_t each = (packets ? pause->xoff.packets : pause->xoff.bytes) + room / unit + 1;
    int64_t part = most / (pause->n_classes + 1), rest = most;
    for (int i = 0; i < pause->n_classes; i++)
        rest -= each < rest ? each : rest;
    pause->rest = network_level(packets, rest > part ? rest : part);
}

/* PAUSE without thresholds: as much as leaves room for what is under way when it is said. `room`: of all links that
 * may send into the buffer, in buffer bytes. */
static bool network_pause_levels(struct load *l, struct emu_switch_config *c, int64_t room, const char *section)
{
    struct emu_level limit = network_buffers(c, EMU_ARCHITECTURE_IN_POOL)
                                 ? c->pool
                                 : (struct emu_level){c->queue.limit_bytes, c->queue.limit_packets};
    if (!c->pause.on)
        return true;
    if (c->pause.xoff.bytes || c->pause.xoff.packets) {
        network_pause_rest(&c->pause, &limit, room);
        return true;
    }
    bool packets = limit.bytes == EMU_QUEUE_UNLIMITED;
    int64_t most = packets ? limit.packets : limit.bytes, unit = packets ? EMU_FRAME_MIN_WIRE_BYTES : 1;
    most /= c->pause.n_classes + 1; /* each class that stops, and the others together, a part of their own */
    int64_t xoff = most - room / unit - 1;
    if (xoff <= 0) {
        return load_fail(l, load_path("%s.pause.xoff", section).text,
                         "cannot be chosen: with every port sending, %" PRId64 " %s may still come after "
                         "PAUSE is said, and the buffer holds %" PRId64 "; a larger one, or xoff and xon",
                         room / unit + 1, packets ? "packets" : "bytes", most);
    }
    c->pause.xoff = network_level(packets, xoff);
    c->pause.xon = network_level(packets, xoff / 4 * 3);
    network_pause_rest(&c->pause, &limit, room);
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

/* The graph with so many hosts, where those of a star come with its points. Delays of single cables are left out: they
 * stand for what is behind a switch's link, and PAUSE is of the link. */
static bool network_build(const struct load *l, int hosts, struct emu_graph *g)
{
    struct emu_network_config *n = &l->s->network; /* the graph borrows from it */
    int known = n->hosts, n_delays = n->n_delays;
    n->hosts = hosts;
    n->n_delays = 0;
    bool ok = emu_topology_build(n, g, l->err);
    n->hosts = known;
    n->n_delays = n_delays;
    if (ok)
        return true;
    document_blame(l->doc, "network.links", l->err);
    emu_graph_fini(g);
    return false;
}

/* Every switch of the config has ports for its cables, and room for what comes after PAUSE is said. */
static bool network_switches(struct load *l, const struct emu_graph *g, struct emu_switch_config *c,
                             const char *section)
{
    bool inputs = network_buffers(c, EMU_ARCHITECTURE_AT_INPUTS);
    int64_t packet = scenario_packet_bytes(l->s), most = 0;
    int ports = 0;
    for (int i = 0; i < g->n_switches; i++) {
        const struct emu_graph_node *node = &g->nodes[g->hosts + i];
        int64_t room = 0;
        if (g->switches[i].config != c)
            continue;
        for (int k = 0; k < node->n_ports; k++) {
            const struct emu_graph_port *p = &node->port[k];
            int64_t one = emu_switch_headroom_bytes(&g->links[p->link].way[1 - p->side], packet);
            room = inputs ? one > room ? one : room : room + one;
        }
        most = room > most ? room : most;
        ports = node->n_ports > ports ? node->n_ports : ports;
    }
    return network_ports(l, c, ports, section) && network_pause_levels(l, c, most, section);
}

/* Do packets of so many bytes pass the cable? */
static bool network_passes(const struct load *l, const struct emu_graph *g, struct emu_graph_port port, int64_t bytes)
{
    const struct emu_link_config *link = &g->links[port.link].way[port.side];
    if (link->mtu_bytes == 0 || bytes <= link->mtu_bytes)
        return true;
    char name[EMU_PORT_NAME];
    emu_graph_port_name(g, port, name);
    return load_fail(l, "tcp.segment", "a segment of %" PRId64 " bytes makes IP packets of %" PRId64 ", but %s takes %"
                     PRId64 " (mtu) at most: a segment of %" PRId64, bytes - SCENARIO_SEGMENT_HEADERS, bytes, name,
                     link->mtu_bytes, link->mtu_bytes - SCENARIO_SEGMENT_HEADERS);
}

/* Full segments of every flow pass all cables of their way; where hosts send otherwise, all cables. */
static bool network_mtu(const struct load *l, const struct emu_graph *g)
{
    const struct scenario *s = l->s;
    const int64_t bytes = s->tcp.segment_bytes + SCENARIO_SEGMENT_HEADERS;
    struct emu_graph_port path[NETWORK_HOPS];
    bool ok = true;
    if (!scenario_has_streams(s))
        return true;
    for (int i = 0; ok && i < s->n_flows; i++) {
        int hops = emu_graph_path(g, s->flows[i].from, s->flows[i].to, EMU_FRAME_FLOW_OF(i, false), NETWORK_HOPS, path);
        for (int k = 0; ok && k < hops; k++)
            ok = network_passes(l, g, path[k], bytes);
    }
    for (int i = 0; ok && s->n_flows == 0 && i < 2 * g->n_links; i++)
        ok = network_passes(l, g, (struct emu_graph_port){i / 2, i % 2}, bytes);
    return ok;
}

bool load_network_fits(struct load *l)
{
    struct scenario *s = l->s;
    struct emu_network_config *n = &s->network;
    struct emu_graph g;
    int hosts = n->hosts;
    for (int i = 0; i < s->n_points; i++) {
        int needs = 1 + s->points[i].incoming + s->points[i].outgoing;
        hosts = n->hosts == 0 && needs > hosts ? needs : hosts;
    }
    if (n->topology == EMU_TOPOLOGY_STAR && n->uplinks > hosts)
        return load_fail(l, "network.uplinks", "%d uplinks, but the switch has %d ports in use", n->uplinks, hosts);
    if (!network_build(l, hosts, &g))
        return false;
    bool ok = network_mtu(l, &g) && network_switches(l, &g, &n->sw, "network.switch");
    for (int i = 0; ok && i < n->n_nodes; i++)
        ok = network_switches(l, &g, &s->nodes[i].sw, load_path("network.nodes.%d.switch", i).text);
    if (ok && n->root)
        ok = network_switches(l, &g, &n->root_sw, "network.root");
    emu_graph_fini(&g);
    return ok;
}

bool load_place_known(const struct load *l, int hosts, const char *at)
{
    struct emu_graph_port port;
    MEMORY_ENDS(emu_graph_fini) struct emu_graph g;
    return network_build(l, hosts, &g) && emu_graph_find(&g, at, &port);
}
