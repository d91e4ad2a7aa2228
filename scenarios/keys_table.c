/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows, section by section, in the order in which a scenario is saved. */
#include "scenarios/keys.h"
#include "scenarios/traffic/schedule.h"

#include <assert.h>

#define IN(structure, member) \
    .offset = offsetof(struct structure, member), .size = sizeof(((struct structure *)0)->member)
#define OF(member) IN(scenario, member)
#define BESIDE(structure, member) .beside = offsetof(struct structure, member)

#define US UNITS_PS_PER_US
#define MS UNITS_PS_PER_MS
#define S UNITS_PS_PER_S
#define RATES .min = SCENARIO_RATE_MIN, .max = SCENARIO_RATE_MAX
#define MESSAGES .min = 1, .max = 1000000, .otherwise = "1, or 2000 with traffic.precision"
#define ENTRY(entry_kind, type) .kind = entry_kind, .size = sizeof(type)
#define GBN_PACKET_MAX (EMU_FRAME_MOST_PAYLOAD - EMU_GBN_HEADER_BYTES)
#define MARKS .min = 1, .max = 1000000000, .optional = true, .otherwise = "none"
#define SNAPLEN_MIN 54 /* Ethernet, IPv4 and TCP headers */

static_assert(offsetof(struct emu_queue_config, limit_packets) - offsetof(struct emu_queue_config, limit_bytes) ==
                  offsetof(struct emu_level, packets),
              "a queue's limits are a level");

/* What fits: see misfit in keys.h. */

static bool keys_are(const struct scenario *s, enum emu_topology topology)
{
    return s->network.topology == topology;
}

#define MISFIT(name, why)                                                                                             \
    static const char *misfit_##name(const struct key *key, const struct scenario *s, const void *section,            \
                                     const struct document *given)                                                    \
    {                                                                                                                 \
        (void)key, (void)s, (void)section, (void)given;                                                               \
        return why;                                                                                                   \
    }
#define FITS(name, condition, why) MISFIT(name, (condition) ? NULL : (why))
#define SAVED(name, condition) MISFIT(name, given || (condition) ? NULL : "")
#define SWITCH ((const struct emu_switch_config *)section)

MISFIT(hosts, keys_are(s, EMU_TOPOLOGY_STAR)        ? NULL
              : keys_are(s, EMU_TOPOLOGY_TREE)      ? "is for a star; a tree has racks, such as [5, 5]"
              : keys_are(s, EMU_TOPOLOGY_MESH)      ? "is for a star; a mesh has racks, such as [5, 5]"
              : keys_are(s, EMU_TOPOLOGY_FAT_TREE)  ? "is for a star; a fat-tree has k^3 / 4"
              : keys_are(s, EMU_TOPOLOGY_GRAPH)     ? "is for a star; a graph has those that network.links names"
                                                    : "is for a star; this topology has racks, such as [5, 5]")
MISFIT(racks, emu_topology_has_racks(s->network.topology) ? NULL
              : keys_are(s, EMU_TOPOLOGY_STAR)            ? "is for a tree; the topology is star"
                                                          : "is for topologies of racks, such as tree")
FITS(delays, keys_are(s, EMU_TOPOLOGY_STAR) || !(keys_are(s, EMU_TOPOLOGY_TREE) || keys_are(s, EMU_TOPOLOGY_MESH) ||
                                                 keys_are(s, EMU_TOPOLOGY_GRAPH)), "is for a star")
FITS(spines, keys_are(s, EMU_TOPOLOGY_LEAF_SPINE), "is for topology: leaf-spine")
FITS(k, keys_are(s, EMU_TOPOLOGY_FAT_TREE), "is for topology: fat-tree")
FITS(cables, keys_are(s, EMU_TOPOLOGY_DUMBBELL) || keys_are(s, EMU_TOPOLOGY_ACCESS) ||
                 keys_are(s, EMU_TOPOLOGY_LEAF_SPINE), "is for a dumbbell, an access line or leaf-spine")
FITS(graph, keys_are(s, EMU_TOPOLOGY_GRAPH), "is for topology: graph")
FITS(uplinks, keys_are(s, EMU_TOPOLOGY_STAR), "is for a star; a tree's are its backbone")
MISFIT(root, keys_are(s, EMU_TOPOLOGY_TREE)   ? NULL
             : keys_are(s, EMU_TOPOLOGY_STAR) ? "is for a tree; the topology is star"
             : keys_are(s, EMU_TOPOLOGY_MESH) ? "is for a tree; in a mesh every two racks share a switch"
                                              : "is for a tree")
FITS(backbone, keys_are(s, EMU_TOPOLOGY_STAR)
                   ? s->network.uplinks > 0 || (given && document_node(given, "network.uplinks"))
                   : !keys_are(s, EMU_TOPOLOGY_MESH) && !keys_are(s, EMU_TOPOLOGY_GRAPH),
     keys_are(s, EMU_TOPOLOGY_GRAPH) ? "is for a tree; a graph has network.links" : misfit_root(key, s, section, given))
FITS(shared, emu_architectures[SWITCH->architecture]->place == EMU_ARCHITECTURE_IN_POOL, "is for architecture: shared")
FITS(arbitration, emu_architectures[SWITCH->architecture]->place == EMU_ARCHITECTURE_AT_INPUTS || SWITCH->backplane_bps > 0,
     "is for inputs that wait: architecture input or voq, or a backplane")
FITS(counts, s->n_points == 0, "does not go with points: each point, such as 2/1, says both numbers")
FITS(linux, s->engine == SCENARIO_ENGINE_LINUX, "is for engine: linux")
/* Of what only Linux's TCP has, the native engine's controls that are Linux's have some. */
static const char *misfit_linux_tcp(const struct key *key UNUSED, const struct scenario *s, const void *section UNUSED,
                                    const struct document *given)
{
    bool native = s->engine == SCENARIO_ENGINE_NATIVE || (given && !document_node(given, "engine")); /* it is the first choice */
    bool own = native && s->transport == SCENARIO_TRANSPORT_TCP && s->tcp.sack &&
               (s->tcp.congestion == EMU_CONGESTION_LINUXRENO || s->tcp.congestion == EMU_CONGESTION_CUBIC ||
                s->tcp.congestion == EMU_CONGESTION_DCTCP);
    if (s->engine == SCENARIO_ENGINE_LINUX || (own && (given || s->tcp.linux_own.gro_ps > 0 || !s->tcp.linux_own.gso)))
        return NULL;
    return given ? "is for engine: linux, or for native with congestion: linuxreno, cubic or dctcp" : "";
}
FITS(wall, s->engine == SCENARIO_ENGINE_LINUX && s->clock == SCENARIO_CLOCK_WALL, "is for clock: wall")
/* `kernel`: the qdisc where a key stands. */
static const char *keys_qdisc(const struct scenario *s, const char *kernel, const struct document *given)
{
    if (!given)
        return *kernel ? NULL : "";
    return s->engine == SCENARIO_ENGINE_LINUX ? NULL : "is for engine: linux";
}

static const char *keys_no_qdisc(const char *kernel, const struct document *given)
{
    return !*kernel ? NULL : given ? "is the qdisc's" : "";
}

/* A parameter of some disciplines, where the queue is `q`. */
static const char *keys_parameter(const struct key *key, const struct emu_queue_config *q, const char *kernel,
                                  const struct document *given)
{
    static _Thread_local char why[KEYS_WORDS];
    char names[KEYS_WORDS];
    if (*kernel)
        return keys_no_qdisc(kernel, given);
    snprintf(why, sizeof why, "is for queue: %s", keys_disciplines(key->told, " or ", names));
    return emu_disciplines[q->discipline]->has & key->told ? NULL : why;
}

/* In every place where there are queues; QUEUE_PARAMETERS has the rows. */
MISFIT(nic_told, keys_parameter(key, &s->network.nic, s->network.nic_kernel, given))
MISFIT(switch_told, keys_parameter(key, &SWITCH->queue, SWITCH->kernel, given))
MISFIT(port_told, keys_parameter(key, &((const struct emu_network_port *)section)->queue, "", given))
MISFIT(nic_qdisc, keys_qdisc(s, s->network.nic_kernel, given))
MISFIT(nic_no_qdisc, keys_no_qdisc(s->network.nic_kernel, given))
MISFIT(switch_qdisc, keys_qdisc(s, SWITCH->kernel, given))
MISFIT(switch_no_qdisc, keys_no_qdisc(SWITCH->kernel, given))
FITS(packets, s->transport == SCENARIO_TRANSPORT_GBN, "is for transport: gbn; TCP counts in bytes")
FITS(reorder, ((const struct emu_fault_config *)section)->reorder > 0, "is for links that reorder")
FITS(bytes, s->transport != SCENARIO_TRANSPORT_GBN, "is for TCP; Go-Back-N counts in packets")
FITS(gbn, s->transport == SCENARIO_TRANSPORT_GBN, "is for transport: gbn")
FITS(group, s->exchange.algorithm == SCENARIO_ALGORITHM_GROUP, "is for algorithm: group")

/* The same traffic is saved once: as what it is, or as its flows. */
SAVED(never, false)
SAVED(star_repeat, s->star_bytes > 0)
SAVED(star, s->traffic == SCENARIO_TRAFFIC_FLOWS && s->n_points > 0)
SAVED(flows, s->traffic == SCENARIO_TRAFFIC_FLOWS && s->n_points == 0)
SAVED(exchange, s->traffic == SCENARIO_TRAFFIC_EXCHANGE)
SAVED(tree, s->traffic == SCENARIO_TRAFFIC_TREE)
SAVED(collective, s->traffic == SCENARIO_TRAFFIC_COLLECTIVE)
SAVED(goal, s->traffic == SCENARIO_TRAFFIC_GOAL)
FITS(halo, s->collective.algorithm == MODEL_COLLECTIVE_HALO, "is for algorithm: halo")
FITS(tree_of_root, s->collective.algorithm == MODEL_COLLECTIVE_BINOMIAL_BROADCAST ||
                       s->collective.algorithm == MODEL_COLLECTIVE_BINOMIAL_REDUCE,
     "is for algorithm: binomial-broadcast or binomial-reduce")
SAVED(burst, s->traffic == SCENARIO_TRAFFIC_BURST)
SAVED(pingpong, s->traffic == SCENARIO_TRAFFIC_PINGPONG)
SAVED(uniform, s->traffic == SCENARIO_TRAFFIC_UNIFORM)

static const char *const forwarding_names[] = {"store-and-forward", "cut-through", NULL};
static const char *const stops_names[] = {"senders", "everybody", NULL};

static const struct key framing_keys[] = {
    {"overhead", KEY_INTEGER, IN(emu_framing, overhead_bytes), .min = -64, .max = 256, .usual = "38",
     .meaning = "bytes on the wire around an IP packet, as tc-cake's: Ethernet 38, docsis 18, pppoe-llcsnap 40"},
    {"mpu", KEY_INTEGER, IN(emu_framing, least_bytes), .max = 256, .usual = "84",
     .meaning = "bytes that a packet takes with that at least"},
    {"cells", KEY_CHOICE, IN(emu_framing, cells), .names = emu_cells_names, .noun = "a kind of cells",
     .usual = "none", .meaning = "what carries them: cells of 53 bytes for 48 (atm), 65 for 64 (ptm)"},
    {"vlan", KEY_INTEGER, IN(emu_framing, vlan), .max = 4094, .optional = true, .otherwise = "none",
     .meaning = "IEEE 802.1Q tag of the link's frames, 4 bytes more"},
    {0},
};

/* What every cable has; `s`, `m`: struct and member that hold a struct emu_link_config. */
#define CABLE_KEYS(s, m)                                                                                              \
    {"mtu", KEY_BYTES, IN(s, m.mtu_bytes), .min = 68, .max = 65535, .optional = true, .otherwise = "what is sent",    \
     .meaning = "longest IP packet; a segment that makes longer ones is refused"},                                    \
    {"faults", KEY_OPTION, IN(s, m.faults), BESIDE(s, m.faults.on), .keys = fault_keys,                               \
     .meaning = "what goes wrong on a cable, each way by itself"},                                                    \
    {"framing", KEY_OPTION, IN(s, m.framing), BESIDE(s, m.framing.on), .keys = framing_keys,                          \
     .meaning = "where the wire is not Ethernet's"}

#define CHANCE .optional = true, .otherwise = "none"

static const struct key burst_loss_keys[] = {
    {"to_bad", KEY_SHARE, IN(emu_fault_burst, to_bad), .required = "bursty loss goes {to_bad: 1%, to_good: 20%}",
     .meaning = "probability a frame that a good link turns bad (netem's p)"},
    {"to_good", KEY_SHARE, IN(emu_fault_burst, to_good), .required = "bursty loss goes {to_bad: 1%, to_good: 20%}",
     .meaning = "and a bad one good (netem's r)"},
    {"loss_bad", KEY_SHARE, IN(emu_fault_burst, loss_bad), .usual = "1",
     .meaning = "of frames that find it bad (netem's 1-h)"},
    {"loss_good", KEY_SHARE, IN(emu_fault_burst, loss_good), CHANCE,
     .meaning = "of frames that find it good (netem's 1-k)"},
    {0},
};

/* Of any section with a link: a row with a struct emu_fault_config. */
static const struct key fault_keys[] = {
    {"loss", KEY_SHARE, IN(emu_fault_config, loss), CHANCE, .meaning = "of frames, at random"},
    {"burst_loss", KEY_OPTION, IN(emu_fault_config, burst), BESIDE(emu_fault_config, burst.on),
     .keys = burst_loss_keys, .meaning = "in bursts (Gilbert and Elliott; netem's gemodel)"},
    {"jitter", KEY_TIME, IN(emu_fault_config, jitter_ps), .max = 10 * S, .usual = "0s",
     .meaning = "a frame takes longer by up to so much, drawn for each; their order stays"},
    {"distribution", KEY_CHOICE, IN(emu_fault_config, shape), .names = emu_fault_jitter_names,
     .noun = "a distribution", .usual = "uniform",
     .meaning = "of the jitter; normal: about its half, three standard deviations either way"},
    {"reorder", KEY_SHARE, IN(emu_fault_config, reorder), CHANCE, .meaning = "of frames, at random, that overtake others"},
    {"reorder_by", KEY_TIME, IN(emu_fault_config, reorder_by_ps), .max = 10 * S, .optional = true,
     .otherwise = "the link's delay", .misfit = misfit_reorder, .meaning = "so much sooner they arrive"},
    {0},
};

static const struct key quantum_entry = {ENTRY(KEY_BYTES, int64_t), .min = 64, .max = 1000000000};

/* What disciplines can be told, beside `queue` and `limit`: `config` is the struct emu_queue_config's member of
 * `structure`, `place` as in misfit_PLACE_told. */
#define QUEUE_OF(structure, config, member) IN(structure, config.parameters.member)
#define TOLD(what, place) .told = EMU_DISCIPLINE_HAS_##what, .misfit = misfit_##place##_told
#define QUEUE_SIZES .min = 64, .max = 1000000000, .optional = true
#define QUEUE_PARAMETERS(structure, config, place)                                                                    \
    {"target", KEY_TIME, QUEUE_OF(structure, config, target_ps), .min = US, .max = 10 * S, .optional = true,          \
     .otherwise = "5ms; pie: 15ms", TOLD(TARGET, place),                                                              \
     .meaning = "frames may wait so long (RFC 8289)"},                                                                \
    {"interval", KEY_TIME, QUEUE_OF(structure, config, interval_ps), .min = US, .max = 1000 * S, .optional = true,    \
     .otherwise = "100ms; pie: 15ms", TOLD(TARGET, place),                                                            \
     .meaning = "for so long before one is lost; pie: between updates"},                                              \
    {"quantum", KEY_BYTES, QUEUE_OF(structure, config, quantum_bytes), QUEUE_SIZES, .otherwise = "1514B",             \
     TOLD(QUANTUM, place), .meaning = "bytes of a flow's turn"},                                                      \
    {"quanta", KEY_ARRAY, QUEUE_OF(structure, config, quanta_bytes), BESIDE(structure, config.parameters.n_quanta),   \
     .entry = &quantum_entry, .min = 1, .max = EMU_FRAME_CLASSES, .otherwise = "1514B each", .noun = "quanta",        \
     TOLD(QUANTA, place), .meaning = "bytes of the turns of classes 0, 1, ..."},                                      \
    {"min", KEY_BYTES, QUEUE_OF(structure, config, min_bytes), QUEUE_SIZES, .otherwise = "a third of max",            \
     TOLD(MEAN, place), .meaning = "mean length from which frames are lost by chance"},                               \
    {"max", KEY_BYTES, QUEUE_OF(structure, config, max_bytes), QUEUE_SIZES, .otherwise = "3 min, or limit / 4",       \
     TOLD(MEAN, place), .meaning = "mean length from which all are"},                                                 \
    {"probability", KEY_SHARE, QUEUE_OF(structure, config, probability), .optional = true, .otherwise = "2%",         \
     TOLD(MEAN, place), .meaning = "of a loss just below max"},                                                       \
    {"rate", KEY_RATE, QUEUE_OF(structure, config, rate_bps), RATES, .optional = true, .otherwise = "red: 10Mbps",    \
     TOLD(RATE, place),                                                                                               \
     .meaning = "of the token bucket; red: of the link, by which the mean falls while nothing comes"},                \
    {"burst", KEY_BYTES, QUEUE_OF(structure, config, burst_bytes), QUEUE_SIZES, .otherwise = "none: it must be given",\
     TOLD(BURST, place), .meaning = "what the token bucket holds"},                                                   \
    {"ecn", KEY_CHOICE, QUEUE_OF(structure, config, ecn), .names = emu_discipline_ecn_names, .noun = "a choice",      \
     .optional = true, .otherwise = "true with fq_codel", TOLD(ECN, place),                                           \
     .meaning = "marks frames that can take it, instead of losing them (RFC 3168)"},                                  \
    {"aggressive", KEY_SWITCH, QUEUE_OF(structure, config, aggressive), .optional = true, .otherwise = "false",       \
     TOLD(AGGRESSIVE, place), .meaning = "keeps one ACK where it would keep two"}

static const struct key link_keys[] = {
    {"rate", KEY_RATE, OF(network.link.rate_bps), RATES, .usual = "1Gbps", .meaning = "on the wire, each way"},
    {"up", KEY_RATE, OF(network.link.up_bps), RATES, .optional = true, .otherwise = "the rate",
     .meaning = "from the host to the switch, where that is another"},
    {"delay", KEY_TIME, OF(network.link.delay_ps), .max = 10 * S, .usual = "50us", .meaning = "of the cable, one way"},
    {"goodput", KEY_RATE, OF(link_goodput_bps), RATES, .otherwise = "full segments back to back",
     .meaning = "TCP payload that a busy direction carries, as measured alone; for predictions"},
    CABLE_KEYS(scenario, network.link),
    {0},
};

static const struct key backbone_keys[] = {
    {"rate", KEY_RATE, OF(network.backbone.rate_bps), RATES, .usual = "10Gbps", .meaning = "on the wire, each way"},
    {"up", KEY_RATE, OF(network.backbone.up_bps), RATES, .optional = true, .otherwise = "the rate",
     .meaning = "from the host, or the lower switch, where that is another"},
    {"delay", KEY_TIME, OF(network.backbone.delay_ps), .max = 10 * S, .usual = "50us",
     .meaning = "of the cable, one way"},
    {"goodput", KEY_RATE, OF(backbone_goodput_bps), RATES, .otherwise = "full segments back to back",
     .meaning = "as of network.link"},
    CABLE_KEYS(scenario, network.backbone),
    {0},
};

static const struct key nic_keys[] = {
    {"queue", KEY_CHOICE, OF(network.nic.discipline), .names = emu_discipline_names, .noun = "a queue",
     .usual = "fifo", .misfit = misfit_nic_no_qdisc, .meaning = "discipline of every host's output queue"},
    {"limit", KEY_LEVEL, OF(network.nic.limit_bytes), .usual = "20MB", .misfit = misfit_nic_no_qdisc,
     .meaning = "what the queue holds"},
    QUEUE_PARAMETERS(scenario, network.nic, nic),
    {"mark", KEY_BYTES, OF(network.nic.mark_bytes), MARKS,
     .meaning = "a frame that finds more in the queue is marked (ECN, RFC 3168)"},
    {"qdisc", KEY_TEXT, OF(network.nic_kernel), .usual = "", .misfit = misfit_nic_qdisc,
     .meaning = "instead of queue and limit, a discipline of the kernel's, as tc takes it: 'fq_codel'"},
    {0},
};

static const struct key host_keys[] = {
    {"processor", KEY_TIME, OF(network.host.frame_ps), .max = S, .usual = "0s",
     .meaning = "that each frame takes, sent or received: one processor for both ways"},
    {"copy", KEY_RATE, OF(network.host.copy_bps), RATES, .zero = "unlimited", .usual = "unlimited",
     .meaning = "the processor's, for the bytes of each frame besides"},
    {"bus", KEY_RATE, OF(network.host.bus_bps), RATES, .zero = "unlimited", .usual = "unlimited",
     .meaning = "between memory and NIC: PCI of 32 bits and 33 MHz 1.056Gbps, of 64 and 66 4.224Gbps"},
    {"bus_time", KEY_TIME, OF(network.host.bus_ps), .max = S, .usual = "0s",
     .meaning = "of the bus, for each frame besides: arbitration and latency"},
    {"duplex", KEY_CHOICE, OF(network.host.duplex), .names = emu_host_duplex_names, .noun = "a duplex", .usual = "half",
     .meaning = "of the bus: half, both ways take turns (PCI, PCI-X); full, each has its own (PCI Express)"},
    {"interrupt_delay", KEY_TIME, OF(network.host.interrupt_ps), .max = S, .usual = "0s",
     .meaning = "from the first frame received to the interrupt that hands it over (ethtool -C rx-usecs)"},
    {"interrupt_frames", KEY_INTEGER, OF(network.host.interrupt_frames), .min = 1, .max = 10000, .optional = true,
     .otherwise = "however many", .meaning = "that wait raise it at once (rx-frames)"},
    {"rx_ring", KEY_INTEGER, OF(network.host.rx_ring), .min = 1, .max = 100000, .optional = true,
     .otherwise = "however many", .meaning = "frames that may wait for the processor; more are lost (ethtool -G rx)"},
    {0},
};

static const struct key pause_host = {ENTRY(KEY_HOST, int)};

static const struct key pause_class = {ENTRY(KEY_INTEGER, int), .max = EMU_FRAME_CLASSES - 1};

static const struct key pause_keys[] = {
    {"on", KEY_SWITCH, IN(emu_pause_config, on), .usual = "true", .meaning = "IEEE 802.3x flow control"},
    {"stops", KEY_CHOICE, IN(emu_pause_config, everybody), .names = stops_names, .noun = "who stops",
     .otherwise = "senders at inputs, else everybody", .meaning = "who is told to stop by a full buffer"},
    {"xoff", KEY_LEVEL, IN(emu_pause_config, xoff), .otherwise = "no frame is lost", .optional = true,
     .meaning = "level from which senders stop"},
    {"xon", KEY_LEVEL, IN(emu_pause_config, xon), .otherwise = "3/4 of xoff", .optional = true,
     .meaning = "level at which they may go on"},
    {"classes", KEY_ARRAY, IN(emu_pause_config, classes), BESIDE(emu_pause_config, n_classes), .entry = &pause_class,
     .min = 1, .max = EMU_FRAME_CLASSES, .otherwise = "PAUSE, for all", .noun = "classes",
     .meaning = "by class, as IEEE 802.1Qbb (PFC): only these stop, each by what it has in a buffer; the rest lose"},
    {"quanta", KEY_INTEGER, IN(emu_pause_config, quanta), .min = 1, .max = 65535, .usual = "65535",
     .meaning = "how long they stop, in 512 bit times, unless told again"},
    {"hosts", KEY_HOSTS, .entry = &pause_host, .max = SCENARIO_HOSTS, .otherwise = "all", .noun = "hosts",
     .meaning = "hosts whose links know PAUSE"},
    {0},
};

static const struct key switch_keys[] = {
    {"architecture", KEY_CHOICE, IN(emu_switch_config, architecture), .names = emu_architecture_names,
     .noun = "an architecture", .usual = "output", .meaning = "where frames wait"},
    {"queue", KEY_CHOICE, IN(emu_switch_config, queue.discipline), .names = emu_discipline_names, .noun = "a queue",
     .usual = "fifo", .misfit = misfit_switch_no_qdisc, .meaning = "discipline of each output's queue"},
    {"limit", KEY_LEVEL, IN(emu_switch_config, queue.limit_bytes), .otherwise = "20MB; none with architecture: shared",
     .misfit = misfit_switch_no_qdisc, .meaning = "what each port's buffer holds"},
    QUEUE_PARAMETERS(emu_switch_config, queue, switch),
    {"mark", KEY_BYTES, IN(emu_switch_config, queue.mark_bytes), MARKS,
     .meaning = "a frame that finds more in an output's queue is marked (ECN, RFC 3168)"},
    {"qdisc", KEY_TEXT, IN(emu_switch_config, kernel), .usual = "", .misfit = misfit_switch_qdisc,
     .meaning = "instead of queue and limit, a discipline of the kernel's, as tc takes it: 'cake ack-filter'"},
    {"pool", KEY_LEVEL, IN(emu_switch_config, pool), .otherwise = "20MB", .misfit = misfit_shared,
     .meaning = "what all outputs hold together"},
    {"alpha", KEY_NUMBER, IN(emu_switch_config, alpha), .high = 1000, .usual = "0", .misfit = misfit_shared,
     .meaning = "an output holds at most alpha times the free pool; 0: no such limit"},
    {"arbitration", KEY_CHOICE, IN(emu_switch_config, arbitration), .names = emu_arbitration_names,
     .noun = "an arbitration", .usual = "round-robin", .misfit = misfit_arbitration,
     .meaning = "which input an output serves next"},
    {"forwarding", KEY_CHOICE, IN(emu_switch_config, cut_through), .names = forwarding_names,
     .noun = "a way of forwarding", .usual = "store-and-forward", .meaning = "when a frame goes on"},
    {"latency", KEY_TIME, IN(emu_switch_config, latency_ps), .max = S, .usual = "0s",
     .meaning = "between a frame's arrival and its buffer"},
    {"backplane", KEY_RATE, IN(emu_switch_config, backplane_bps), RATES, .zero = "unlimited", .usual = "unlimited",
     .meaning = "frames cross to their outputs one after another at this rate"},
    {"ports", KEY_INTEGER, .min = 2, .max = SCENARIO_HOSTS + 1, .otherwise = "as many as are needed",
     .meaning = "how many there are: fewer than the network needs are refused"},
    {"pause", KEY_OPTION, IN(emu_switch_config, pause), BESIDE(emu_switch_config, pause.on), .keys = pause_keys,
     .meaning = "PAUSE frames instead of losses"},
    {0},
};

static const struct key rack_entry = {ENTRY(KEY_INTEGER, int), .min = 1, .max = SCENARIO_HOSTS - 1};

static const struct key delay_entry = {ENTRY(KEY_TIME, int64_t), .max = SCENARIO_DELAY_PS};

static const struct key host_time_entry = {ENTRY(KEY_TIME, int64_t), .max = S};

static const struct key port_keys[] = {
    {"queue", KEY_CHOICE, IN(emu_network_port, queue.discipline), .names = emu_discipline_names, .noun = "a queue",
     .otherwise = "as network.nic or the switch", .meaning = "discipline"},
    {"limit", KEY_LEVEL, IN(emu_network_port, queue.limit_bytes), .otherwise = "as network.nic or the switch",
     .meaning = "what it holds"},
    QUEUE_PARAMETERS(emu_network_port, queue, port),
    {"mark", KEY_BYTES, IN(emu_network_port, queue.mark_bytes), MARKS,
     .meaning = "a frame that finds more in the queue is marked (ECN, RFC 3168)"},
    {0},
};

static const struct key way_keys[] = {
    {"rate", KEY_RATE, IN(emu_network_way, rate_bps), RATES, .otherwise = "the cable's", .meaning = "on the wire"},
    {"delay", KEY_TIME, IN(emu_network_way, delay_ps), .max = 10 * S, .otherwise = "the cable's",
     .meaning = "one way"},
    {"port", KEY_OPTION, IN(emu_network_way, port), BESIDE(emu_network_way, queues), .keys = port_keys,
     .meaning = "a queue of its own"},
    {"faults", KEY_OPTION, IN(emu_network_way, faults), BESIDE(emu_network_way, faults.on), .keys = fault_keys,
     .meaning = "what goes wrong this way"},
    {0},
};

static const struct key cable_keys[] = {
    {"from", KEY_NAME, IN(emu_network_link, from), .required = "h0, h1, ... are hosts, other names switches",
     .meaning = "one end: a host, h0, h1, ..., or a switch of any other name"},
    {"to", KEY_NAME, IN(emu_network_link, to), .required = "h0, h1, ... are hosts, other names switches",
     .meaning = "the other end"},
    {"rate", KEY_RATE, IN(emu_network_link, link.rate_bps), RATES, .otherwise = "network.link.rate",
     .meaning = "on the wire, each way"},
    {"delay", KEY_TIME, IN(emu_network_link, link.delay_ps), .max = 10 * S, .otherwise = "network.link.delay",
     .meaning = "one way"},
    {"cables", KEY_INTEGER, IN(emu_network_link, cables), .min = 1, .max = 64, .usual = "1",
     .meaning = "side by side, as bonded links; each flow takes one"},
    CABLE_KEYS(emu_network_link, link),
    {"out", KEY_OPTION, IN(emu_network_link, out), BESIDE(emu_network_link, out.on), .keys = way_keys,
     .meaning = "what differs for what `from` sends"},
    {"back", KEY_OPTION, IN(emu_network_link, back), BESIDE(emu_network_link, back.on), .keys = way_keys,
     .meaning = "what differs for what `to` sends"},
    {0},
};

static const struct key node_keys[] = {
    {"name", KEY_NAME, IN(emu_network_node, name), .required = "a switch that network.links has",
     .meaning = "a switch that network.links has"},
    {"switch", KEY_SECTION, IN(emu_network_node, sw), .keys = switch_keys, .meaning = "as network.switch"},
    {0},
};

static const struct key cable_entry = {ENTRY(KEY_SECTION, struct emu_network_link), .keys = cable_keys};

static const struct key node_entry = {ENTRY(KEY_SECTION, struct emu_network_node), .keys = node_keys};

static const struct key network_keys[] = {
    {"topology", KEY_CHOICE, OF(network.topology), .names = emu_topology_names, .noun = "a topology", .usual = "star",
     .meaning = "how hosts and switches are joined"},
    {"hosts", KEY_INTEGER, OF(network.hosts), .min = 2, .max = SCENARIO_HOSTS, .optional = true,
     .otherwise = "as many as the traffic needs", .misfit = misfit_hosts,
     .meaning = "on the star's switch: h0, h1, ..."},
    {"racks", KEY_ARRAY, OF(network.racks), BESIDE(scenario, network.n_racks), .entry = &rack_entry,
     .max = EMU_NETWORK_RACKS, .otherwise = "[5, 5]", .noun = "racks", .misfit = misfit_racks,
     .meaning = "hosts in each rack"},
    {"uplinks", KEY_INTEGER, OF(network.uplinks), .max = SCENARIO_HOSTS, .optional = true, .otherwise = "0",
     .misfit = misfit_uplinks, .meaning = "so many hosts, h0 first, are on ports of the backbone's rate"},
    {"spines", KEY_INTEGER, OF(network.spines), .min = 1, .max = 64, .usual = "2", .misfit = misfit_spines,
     .meaning = "switches above the leaves"},
    {"k", KEY_INTEGER, OF(network.k), .min = 2, .max = SCENARIO_FAT_TREE, .usual = "4", .misfit = misfit_k,
     .meaning = "ports of a switch, an even number: k^3 / 4 hosts"},
    {"cables", KEY_INTEGER, OF(network.cables), .min = 1, .max = 64, .usual = "1", .misfit = misfit_cables,
     .meaning = "of the backbone side by side, as bonded links; each flow takes one"},
    {"delays", KEY_LIST, OF(delays_ps), BESIDE(scenario, network.n_delays), .entry = &delay_entry,
     .max = SCENARIO_HOSTS, .otherwise = "their links'", .noun = "delays", .misfit = misfit_delays,
     .meaning = "of the cables of h0, h1, ..., one way"},
    {"host_times", KEY_LIST, OF(host_times_ps), BESIDE(scenario, network.n_host_times), .entry = &host_time_entry,
     .max = SCENARIO_HOSTS, .otherwise = "none", .noun = "times",
     .meaning = "what h0, h1, ... need for each frame they receive, one after the other"},
    {"link", KEY_SECTION, .keys = link_keys, .meaning = "from a host to its switch"},
    {"backbone", KEY_SECTION, .keys = backbone_keys, .misfit = misfit_backbone, .meaning = "from switch to switch"},
    {"nic", KEY_SECTION, .keys = nic_keys, .meaning = "every host's network interface"},
    {"host", KEY_SECTION, .keys = host_keys, .meaning = "what every host does between its stack and its NICs"},
    {"switch", KEY_SECTION, OF(network.sw), .keys = switch_keys, .meaning = "every switch but the root"},
    {"root", KEY_OPTION, OF(network.root_sw), BESIDE(scenario, network.root), .keys = switch_keys,
     .misfit = misfit_root, .meaning = "the switch where a tree's racks meet"},
    {"links", KEY_LIST, OF(links), BESIDE(scenario, network.n_links), .entry = &cable_entry, .min = 1,
     .max = SCENARIO_LINKS, .otherwise = "those of the topology", .noun = "links", .misfit = misfit_graph,
     .meaning = "every cable: any graph"},
    {"nodes", KEY_LIST, OF(nodes), BESIDE(scenario, network.n_nodes), .entry = &node_entry,
     .max = SCENARIO_LINKS, .otherwise = "all as network.switch", .noun = "nodes", .misfit = misfit_graph,
     .meaning = "switches that are not as the others"},
    {0},
};

static const struct key linux_keys[] = {
    {"gso", KEY_SWITCH, OF(tcp.linux_own.gso), .usual = "true",
     .meaning = "segmentation offload (TSO, GSO): TCP decides about bursts of up to 64 kB; frames are the same"},
    {"gro", KEY_TIME, OF(tcp.linux_own.gro_ps), .max = 10 * MS, .usual = "0s",
     .meaning = "frames that come within so much of a first one come in at one interrupt and are merged, up to 64 kB (GRO, "
                "LRO); 0s: one by one"},
    {"timestamps", KEY_SWITCH, OF(tcp.linux_own.timestamps), .usual = "true", .misfit = misfit_linux, .meaning = "RFC 7323"},
    {"ecn", KEY_SWITCH, OF(tcp.linux_own.ecn), .usual = "false", .misfit = misfit_linux,
     .meaning = "as tcp.ecn, which was this engine's alone"},
    {"rack", KEY_SWITCH, OF(tcp.linux_own.rack), .usual = "true", .misfit = misfit_linux,
     .meaning = "losses are found by time (RFC 8985), not by three duplicates alone"},
    {"tail_probe", KEY_SWITCH, OF(tcp.linux_own.tail_probe), .usual = "true", .misfit = misfit_linux,
     .meaning = "a probe before the retransmission timeout (RFC 8985, section 7)"},
    {"autotuning", KEY_SWITCH, OF(tcp.linux_own.autotuning), .usual = "false", .misfit = misfit_linux,
     .meaning = "buffers grow as they are needed, up to tcp.window"},
    {"pacing", KEY_RATE, OF(tcp.linux_own.pacing_bps), RATES, .optional = true, .misfit = misfit_linux,
     .otherwise = "as the congestion control wants", .meaning = "most payload that a flow sends (SO_MAX_PACING_RATE)"},
    {0},
};

static const struct key tcp_keys[] = {
    {"congestion", KEY_CHOICE, OF(tcp.congestion), .names = emu_congestion_names, .noun = "a congestion control",
     .usual = "newreno", .meaning = "congestion control; one that the native engine lacks runs on ns3, or on linux"},
    {"window", KEY_WINDOW, OF(tcp.receive_buffer_bytes), .usual = "3MB",
     .meaning = "send and receive buffer of every flow"},
    {"initial_window", KEY_INTEGER, OF(tcp.initial_window_segments), .min = 1, .max = 1000000, .zero = "warm",
     .noun = "a number of segments", .usual = "warm",
     .meaning = "first congestion window, in segments; warm: it covers the buffer"},
    {"segment", KEY_BYTES, OF(tcp.segment_bytes), .min = 1, .max = SCENARIO_SEGMENT_MAX, .usual = "1448B",
     .meaning = "payload of a full segment; 8948: jumbo frames, packets of 9000 bytes; QUIC's are as long"},
    {"delayed_ack", KEY_INTEGER, OF(tcp.delayed_ack), .min = 1, .max = 64, .usual = "2",
     .meaning = "segments per ACK; more than 2 where a NIC merges segments before TCP sees them (RFC 2525, 2.13); of QUIC "
                "the ack-eliciting threshold and 1"},
    {"delayed_ack_timeout", KEY_TIME, OF(tcp.delayed_ack_timeout_ps), .min = US, .max = S, .usual = "40ms",
     .meaning = "an ACK waits no longer; 25ms with transport: quic, whose requested maximum ACK delay it is"},
    {"min_rto", KEY_TIME, OF(tcp.min_rto_ps), .min = MS, .max = 60 * S, .usual = "200ms",
     .meaning = "least retransmission timeout; Linux has 200ms"},
    {"max_rto", KEY_TIME, OF(tcp.max_rto_ps), .min = MS, .max = 120 * S, .optional = true, .otherwise = "120s",
     .meaning = "longest retransmission timeout, doubled ones too, but not below min_rto (Linux: tcp_rto_max_ms)"},
    {"sack", KEY_SWITCH, OF(tcp.sack), .usual = "true", .meaning = "selective acknowledgements"},
    {"ecn", KEY_SWITCH, OF(tcp.ecn), .optional = true, .otherwise = "false; DCTCP always has it",
     .meaning = "asked for and granted (RFC 3168): queues mark, see mark, instead of losing"},
    {"nagle", KEY_SWITCH, OF(tcp.nagle), .usual = "false",
     .meaning = "a short segment waits while anything is unacknowledged (RFC 896)"},
    {"idle_restart", KEY_SWITCH, OF(tcp.idle_restart), .usual = "false",
     .meaning = "a sender idle for a timeout begins again with initial_window (RFC 5681, 4.1)"},
    {"hystart", KEY_SWITCH, OF(tcp.hystart), .usual = "true",
     .meaning = "CUBIC leaves slow start when the delay grows"},
    {"small_queues", KEY_BYTES, OF(tcp.small_queue_bytes), .max = 1000000000, .usual = "0B",
     .meaning = "most of its own data a sender keeps in its NIC (TCP Small Queues; Linux has its own bound, as linuxreno "
                "and cubic here); 0: no bound"},
    {"linux", KEY_SECTION, .keys = linux_keys, .misfit = misfit_linux_tcp,
     .meaning = "what only engine: linux has; gso and gro native, too, with congestion: linuxreno, cubic or dctcp"},
    {0},
};

static const struct key gbn_keys[] = {
    {"window", KEY_INTEGER, OF(gbn.window_packets), .min = 1, .max = INT64_C(1) << EMU_GBN_SEQUENCE_BITS,
     .usual = "24", .meaning = "packets on their way at most"},
    {"timeout", KEY_TIME, OF(gbn.timeout_ps), .min = US, .max = 1000 * S, .usual = "50ms",
     .meaning = "a packet is sent again when it is not acknowledged by then"},
    {"simple", KEY_SWITCH, OF(gbn.simple), .usual = "false", .meaning = "timeouts alone, no Nacks"},
    {"sequence_bits", KEY_INTEGER, OF(gbn.sequence_bits), .min = 2, .max = EMU_GBN_SEQUENCE_BITS, .usual = "16",
     .meaning = "of a sequence number"},
    {"packet", KEY_BYTES, OF(gbn.packet_bytes), .min = 1, .max = GBN_PACKET_MAX, .usual = "1492B",
     .meaning = "payload of a full packet"},
    {"ack_every", KEY_INTEGER, OF(gbn.ack_every), .min = 1, .max = INT64_C(1) << EMU_GBN_SEQUENCE_BITS, .usual = "1",
     .meaning = "packets in order per acknowledgement"},
    {"ack_delay", KEY_TIME, OF(gbn.ack_delay_ps), .max = S, .usual = "5ms",
     .meaning = "an acknowledgement waits no longer"},
    {"send_overhead", KEY_TIME, OF(gbn.send_overhead_ps), .max = S, .usual = "0s",
     .meaning = "processor time to send a packet, O_s"},
    {"send_gap", KEY_TIME, OF(gbn.send_gap_ps), .max = S, .usual = "0s",
     .meaning = "least time between two packets of a NIC, g_s"},
    {"receive_overhead", KEY_TIME, OF(gbn.receive_overhead_ps), .max = S, .usual = "0s",
     .meaning = "processor time to receive a packet, O_r"},
    {"user_overhead", KEY_TIME, OF(gbn.user_overhead_ps), .max = S, .usual = "0s",
     .meaning = "processor time to hand it to the process, U_r"},
    {"jitter", KEY_NUMBER, OF(gbn.jitter), .high = 0.99, .usual = "0.1",
     .meaning = "processor times vary by so much either way"},
    {"preempt_every", KEY_TIME, OF(gbn.preempt_every_ps), .max = 1000 * S, .usual = "0s",
     .meaning = "mean time between two losses of the processor to other processes; 0: never"},
    {"preempt", KEY_TIME, OF(gbn.preempt_ps), .max = S, .usual = "0s", .meaning = "how long each takes"},
    {"ring", KEY_INTEGER, OF(gbn.ring_packets), .min = 1, .max = 1000000, .usual = "64",
     .meaning = "packets in the NIC's ring"},
    {0},
};

static const struct key point_entry = {ENTRY(KEY_POINT, struct scenario_point)};

static const struct key star_keys[] = {
    {"incoming", KEY_INTEGER, OF(star.incoming), .max = SCENARIO_FLOWS, .usual = "0", .misfit = misfit_counts,
     .meaning = "flows towards h0"},
    {"outgoing", KEY_INTEGER, OF(star.outgoing), .max = SCENARIO_FLOWS, .usual = "0", .misfit = misfit_counts,
     .meaning = "flows from h0"},
    {"incoming_window", KEY_WINDOW, OF(incoming_window_bytes), .otherwise = "tcp.window",
     .meaning = "window of the flows towards h0"},
    {"outgoing_window", KEY_WINDOW, OF(outgoing_window_bytes), .otherwise = "tcp.window",
     .meaning = "window of the flows from h0"},
    {"bytes", KEY_BYTES, OF(star_bytes), .min = 1, .max = INT64_MAX, .optional = true, .otherwise = "until the end",
     .meaning = "each flow sends"},
    {"repeat", KEY_INTEGER, OF(star_repeat), MESSAGES, .misfit = misfit_star_repeat,
     .meaning = "messages of so many bytes on one connection"},
    {"points", KEY_LIST, OF(points), BESIDE(scenario, n_points), .entry = &point_entry, .min = 1,
     .max = SCENARIO_POINTS, .noun = "points", .otherwise = "one run",
     .meaning = "several in/out points, each a run of its own"},
    {0},
};

static const struct key random_keys[] = {
    {"d", KEY_INTEGER, OF(random.d), .min = 1, .max = 1000, .zero = "all", .noun = "a number of draws", .usual = "1",
     .meaning = "draws of a destination per host; all: every other host once"},
    {"probability", KEY_NUMBER, OF(random.probability), .high = 1, .usual = "0.5",
     .meaning = "that a draw becomes a transfer"},
    {"bytes", KEY_RANGE, OF(random.bytes), .min = 1, .max = INT64_MAX, .usual = "10MB", .meaning = "of each transfer"},
    {"repeat", KEY_INTEGER, OF(random.repeat), MESSAGES, .meaning = "messages of so many bytes on one connection"},
    {0},
};

static const struct key pairs_keys[] = {
    {"count", KEY_INTEGER, OF(pairs.count), .max = SCENARIO_HOSTS / 2, .otherwise = "half of the hosts",
     .meaning = "flows from the first hosts to the last"},
    {"back", KEY_INTEGER, OF(pairs.back), .max = SCENARIO_HOSTS / 2, .usual = "0",
     .meaning = "flows the other way, between hosts of their own"},
    {"both_ways", KEY_SWITCH, OF(pairs.both_ways), .usual = "false", .meaning = "each pair sends back"},
    {"bytes", KEY_BYTES, OF(pairs.bytes), .min = 1, .max = INT64_MAX, .otherwise = "until the end",
     .meaning = "each flow sends"},
    {"repeat", KEY_INTEGER, OF(pairs.repeat), MESSAGES, .meaning = "messages of so many bytes on one connection"},
    {0},
};

static const struct key exchange_keys[] = {
    {"algorithm", KEY_CHOICE, OF(exchange.algorithm), .names = scenario_algorithm_names, .noun = "an algorithm",
     .otherwise = "direct; synchronous with transport: gbn", .meaning = "order in which hosts send; over TCP: direct, rounds, pairwise"},
    {"packets", KEY_INTEGER, OF(exchange.packets), .min = 1, .max = 100000000, .usual = "64",
     .misfit = misfit_packets, .meaning = "from each host to each other, Go-Back-N"},
    {"bytes", KEY_BYTES, OF(exchange.bytes), .min = 1, .max = 1000000000, .usual = "16384", .misfit = misfit_bytes,
     .meaning = "from each host to each other, TCP"},
    {"group", KEY_INTEGER, OF(exchange.group), .min = 1, .max = SCENARIO_HOSTS, .usual = "5", .misfit = misfit_group,
     .meaning = "partners in a round of the group shuffle"},
    {"global_window", KEY_INTEGER, OF(exchange.global_window), .max = 100000000, .usual = "0", .misfit = misfit_gbn,
     .meaning = "packets a host may have sent beyond those it has received; 0: no such window"},
    {"contention_aware", KEY_SWITCH, OF(exchange.contention_aware), .usual = "false", .misfit = misfit_gbn,
     .meaning = "logical host numbers that spread rounds over racks (Tam 2001, Eq. 6.3)"},
    {"repeat", KEY_INTEGER, OF(exchange.repeat), .min = 1, .max = 100000, .usual = "1", .meaning = "exchanges"},
    {"period", KEY_TIME, OF(exchange.period_ps), .max = 1000 * S, .usual = "0s",
     .meaning = "from one start to the next, unless an exchange takes longer"},
    {0},
};

static const struct key tree_keys[] = {
    {"bytes", KEY_BYTES, OF(tree.bytes), .min = 1, .max = 1000000000, .usual = "4B", .meaning = "of each message"},
    {"repeat", KEY_INTEGER, OF(tree.repeat), .min = 1, .max = 100000, .usual = "1", .meaning = "barriers"},
    {"period", KEY_TIME, OF(tree.period_ps), .max = 1000 * S, .usual = "0s",
     .meaning = "from one start to the next, unless a barrier takes longer"},
    {0},
};

static const struct key rank_entry = {ENTRY(KEY_HOST, int)};

static const struct key dimension_entry = {ENTRY(KEY_INTEGER, int), .min = 1, .max = SCENARIO_HOSTS};

static const struct key line_entry = {ENTRY(KEY_TEXT, struct scenario_line)};

static const char *const connections_names[] = {"one", "two", NULL};

#define RANKS                                                                                                        \
    {"ranks", KEY_LIST, OF(ranks), BESIDE(scenario, n_ranks), .entry = &rank_entry, .min = 1, .max = SCENARIO_HOSTS,  \
     .noun = "ranks", .otherwise = "h0, h1, ...", .meaning = "host of rank 0, rank 1, ..."},                          \
    {"connections", KEY_CHOICE, OF(connections_apart), .names = connections_names, .noun = "a number of connections", \
     .usual = "one",                                                                                                  \
     .meaning = "between two ranks: one for both ways, as MPI's; two, one each way, as NCCL's sockets"},              \
    {"eager", KEY_BYTES, OF(eager_bytes), .max = SCHEDULE_BYTES, .usual = "64kB",                                     \
     .meaning = "a longer message leaves once its receive has begun, as by MPI's rendezvous"}

static const struct key collective_keys[] = {
    {"algorithm", KEY_CHOICE, OF(collective.algorithm), .names = model_collective_names, .noun = "an algorithm",
     .required = "a collective goes {algorithm: ring-allreduce, bytes: 4MB}",
     .meaning = "who sends what to whom after what (scenarios/traffic/collective.c)"},
    {"bytes", KEY_BYTES, OF(collective.bytes), .min = 1, .max = SCHEDULE_BYTES, .usual = "1MB",
     .meaning = "of the whole vector, nccl-tests' S; of each message of a barrier or a halo"},
    {"repeat", KEY_INTEGER, OF(collective.repeat), .min = 1, .max = 1000000, .usual = "1", .meaning = "operations"},
    {"period", KEY_TIME, OF(collective.period_ps), .max = 1000 * S, .usual = "0s",
     .meaning = "from one start to the next, unless an operation takes longer"},
    {"root", KEY_HOST, OF(collective.root), .otherwise = "rank 0's", .misfit = misfit_tree_of_root,
     .meaning = "host of the root"},
    {"dimensions", KEY_ARRAY, OF(collective.dimensions), BESIDE(scenario, collective.n_dimensions),
     .entry = &dimension_entry, .max = 3, .otherwise = "none", .noun = "dimensions", .misfit = misfit_halo,
     .meaning = "of the torus, the last one fastest; their product is the number of ranks"},
    RANKS,
    {0},
};

static const struct key goal_keys[] = {
    {"file", KEY_TEXT, OF(goal.file), .usual = "", .misfit = misfit_never,
     .meaning = "GOAL text (LogGOPSim), seen from the scenario's folder; calc is in ns"},
    {"lines", KEY_LIST, OF(goal.lines), BESIDE(scenario, goal.n_lines), .entry = &line_entry, .max = SCENARIO_LINES,
     .noun = "lines", .otherwise = "the file's", .meaning = "the same text in the scenario"},
    RANKS,
    {0},
};

static const struct key burst_hosts = {ENTRY(KEY_INTEGER, int64_t), .min = 1, .max = SCENARIO_HOSTS};
static const struct key burst_packets = {ENTRY(KEY_INTEGER, int64_t), .min = 1, .max = 10000000};

static const struct key burst_keys[] = {
    {"sources", KEY_LIST, OF(burst.sources), BESIDE(scenario, burst.n_sources), .entry = &burst_hosts, .max = 64,
     .noun = "values", .usual = "2, 4, 6, 8", .meaning = "hosts that send at once, one test each"},
    {"sinks", KEY_LIST, OF(burst.sinks), BESIDE(scenario, burst.n_sinks), .entry = &burst_hosts, .max = 64,
     .noun = "values", .usual = "1, 2", .meaning = "hosts that receive, with every number of sources above"},
    /* Sizes to beyond what switches buffer, a factor of sqrt 2 apart. */
    {"packets", KEY_LIST, OF(burst.packets), BESIDE(scenario, burst.n_packets), .entry = &burst_packets, .max = 64,
     .noun = "values",
     .usual = "128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768",
     .meaning = "in a burst, of all sources together"},
    {0},
};

static const struct key pingpong_pair = {ENTRY(KEY_INTEGER, int64_t), .min = 1, .max = SCENARIO_HOSTS / 2};

static const struct key pingpong_keys[] = {
    {"pairs", KEY_LIST, OF(pingpong.pairs), BESIDE(scenario, pingpong.n_pairs), .entry = &pingpong_pair, .max = 64,
     .noun = "values", .usual = "1, 2, 4, 8", .meaning = "pairs of hosts at once, one test each"},
    {"rounds", KEY_INTEGER, OF(pingpong.rounds), .min = 1, .max = 1000000, .usual = "50", .meaning = "of each pair"},
    {0},
};

static const struct key uniform_keys[] = {
    {"ports", KEY_INTEGER, OF(uniform.ports), .min = 1, .max = SCENARIO_HOSTS / 2,
     .otherwise = "half of the hosts, or 8", .meaning = "the first so many hosts send, the last so many receive"},
    {"load", KEY_NUMBER, OF(uniform.load), .low = 0.001, .high = 1, .usual = "1", .meaning = "of a source's link"},
    {0},
};

static const struct key pause_entry = {ENTRY(KEY_PAUSE, struct scenario_pause)};

static const struct key window_keys[] = {
    {"at", KEY_TIME, IN(scenario_window, at_ps), .max = INT64_MAX, .required = "a window goes {at: 1s, bytes: 60kB}",
     .meaning = "since the run began"},
    {"bytes", KEY_BYTES, IN(scenario_window, bytes), .min = 1, .max = SCENARIO_GIVEN_MAX,
     .required = "a window goes {at: 1s, bytes: 60kB}", .meaning = "in flight at most from then on"},
    {0},
};

static const struct key window_entry = {ENTRY(KEY_SECTION, struct scenario_window), .keys = window_keys};

static const char *const flow_transport_names[] = {"tcp", "quic", NULL};

static const struct key flow_keys[] = {
    {"name", KEY_NAME, IN(scenario_flow, name), .otherwise = "f0, f1, ...", .meaning = "in tables and files"},
    {"from", KEY_HOST, IN(scenario_flow, from), .required = "a flow goes {from: h1, to: h0}",
     .meaning = "host that sends"},
    {"to", KEY_HOST, IN(scenario_flow, to), .required = "a flow goes {from: h1, to: h0}",
     .meaning = "host that receives"},
    {"bytes", KEY_BYTES, IN(scenario_flow, bytes), .min = 1, .max = INT64_MAX, .optional = true,
     .otherwise = "until the end", .meaning = "to send"},
    {"window", KEY_WINDOW, IN(scenario_flow, tcp.receive_buffer_bytes), .otherwise = "tcp.window",
     .meaning = "send and receive buffer"},
    {"congestion", KEY_CHOICE, IN(scenario_flow, tcp.congestion), .names = emu_congestion_names,
     .noun = "a congestion control", .otherwise = "tcp.congestion", .meaning = "congestion control"},
    {"transport", KEY_CHOICE, IN(scenario_flow, tcp.quic), .names = flow_transport_names, .noun = "a transport",
     .otherwise = "transport", .meaning = "tcp or quic"},
    {"start", KEY_TIME, IN(scenario_flow, start_ps), .max = INT64_MAX, .otherwise = "drawn within start_spread",
     .meaning = "when it connects"},
    {"class", KEY_INTEGER, IN(scenario_flow, traffic_class), .max = EMU_FRAME_CLASSES - 1, .optional = true,
     .otherwise = "0", .meaning = "of its frames both ways, where queues serve classes: prio, drr"},
    {"repeat", KEY_INTEGER, IN(scenario_flow, repeat), MESSAGES,
     .meaning = "messages of so many bytes on one connection"},
    {"duplex", KEY_SWITCH, IN(scenario_flow, duplex), .usual = "false",
     .meaning = "the same both ways on the one connection"},
    {"pauses", KEY_LIST, IN(scenario_flow, pauses), BESIDE(scenario_flow, n_pauses), .entry = &pause_entry,
     .max = 1000000, .noun = "pauses", .otherwise = "none",
     .meaning = "the application waits so long when so many bytes are acknowledged; with a rate, written"},
    {"rate", KEY_RATE, IN(scenario_flow, rate_bps), RATES, .optional = true, .otherwise = "all at once",
     .meaning = "at which the application hands its bytes to TCP"},
    {"windows", KEY_LIST, IN(scenario_flow, windows), BESIDE(scenario_flow, n_windows), .entry = &window_entry,
     .max = 1000000, .noun = "windows", .otherwise = "slow start",
     .meaning = "congestion windows one after the other; congestion: given needs them"},
    {0},
};

static const struct key flow_entry = {ENTRY(KEY_SECTION, struct scenario_flow), .keys = flow_keys};

static const struct key background_keys[] = {
    {"sizes", KEY_TEXT, OF(background.sizes), .required = "a background goes {sizes: sizes/web-search.csv, load: 40%}",
     .meaning = "file of a distribution of bytes, seen from the scenario's folder: bytes,cdf"},
    {"load", KEY_SHARE, OF(background.load), .usual = "0.5",
     .meaning = "of each host's link, in both directions, on average; payload of network.link.goodput"},
    {"hosts", KEY_LIST, OF(background.hosts), BESIDE(scenario, background.n_hosts), .entry = &rank_entry,
     .max = SCENARIO_HOSTS, .noun = "hosts", .otherwise = "all", .meaning = "each flow goes from one to another of these"},
    {"stop", KEY_TIME, OF(background.stop_ps), .max = INT64_MAX, .otherwise = "the end of the run",
     .meaning = "no flow arrives from then on"},
    {0},
};

#define ON_OFF_REQUIRED .required = "a source goes {from: h1, to: h0, rate: 100Mbps, on: 10ms, off: 90ms}"

static const struct key on_off_keys[] = {
    {"from", KEY_HOST, IN(scenario_on_off, from), ON_OFF_REQUIRED, .meaning = "host that sends"},
    {"to", KEY_HOST, IN(scenario_on_off, to), ON_OFF_REQUIRED, .meaning = "host that receives"},
    {"rate", KEY_RATE, IN(scenario_on_off, rate_bps), RATES, ON_OFF_REQUIRED,
     .meaning = "at which the application hands its bytes to TCP while it is on"},
    {"on", KEY_TIME, IN(scenario_on_off, on_ps), .min = US, .max = 1000 * S, ON_OFF_REQUIRED,
     .meaning = "mean time that it sends, exponential"},
    {"off", KEY_TIME, IN(scenario_on_off, off_ps), .min = US, .max = 1000 * S, ON_OFF_REQUIRED,
     .meaning = "mean time that it is silent, exponential"},
    {"start", KEY_TIME, IN(scenario_on_off, start_ps), .max = INT64_MAX, .usual = "0s", .meaning = "when it connects"},
    {"stop", KEY_TIME, IN(scenario_on_off, stop_ps), .max = INT64_MAX, .otherwise = "the end of the run",
     .meaning = "no more from then on"},
    {0},
};

static const struct key on_off_entry = {ENTRY(KEY_SECTION, struct scenario_on_off), .keys = on_off_keys};

static const struct key requests_keys[] = {
    {"server", KEY_HOST, OF(requests.server), .required = "requests go {server: h0, response: 100kB}",
     .meaning = "host that answers"},
    {"clients", KEY_LIST, OF(requests.clients), BESIDE(scenario, requests.n_clients), .entry = &rank_entry,
     .max = SCENARIO_HOSTS, .noun = "hosts", .otherwise = "all others", .meaning = "hosts that ask"},
    {"request", KEY_BYTES, OF(requests.request_bytes), .min = 1, .max = SCHEDULE_BYTES, .usual = "200B",
     .meaning = "of a question"},
    {"response", KEY_BYTES, OF(requests.response_bytes), .min = 1, .max = SCHEDULE_BYTES, .usual = "100kB",
     .meaning = "of an answer"},
    {"sizes", KEY_TEXT, OF(requests.sizes), .usual = "",
     .meaning = "file of a distribution of answers' bytes, instead; as of background"},
    {"think", KEY_TIME, OF(requests.think_ps), .max = 1000 * S, .usual = "10ms",
     .meaning = "mean time before a question, exponential"},
    {"count", KEY_INTEGER, OF(requests.count), .min = 1, .max = 10000, .usual = "100", .meaning = "questions of each client"},
    {0},
};

static const struct key datagrams_keys[] = {
    {"from", KEY_HOST, IN(scenario_datagrams, from), .required = "datagrams go {from: h1, to: h0, rate: 10Mbps}",
     .meaning = "host that sends"},
    {"to", KEY_HOST, IN(scenario_datagrams, to), .required = "datagrams go {from: h1, to: h0, rate: 10Mbps}",
     .meaning = "host that receives"},
    {"rate", KEY_RATE, IN(scenario_datagrams, rate_bps), RATES,
     .required = "datagrams go {from: h1, to: h0, rate: 10Mbps}", .meaning = "on the wire"},
    {"packet", KEY_BYTES, IN(scenario_datagrams, packet_bytes), .min = EMU_FRAME_MIN_PAYLOAD, .max = EMU_FRAME_MOST_PAYLOAD,
     .usual = "1500B", .meaning = "that a frame carries"},
    {"start", KEY_TIME, IN(scenario_datagrams, start_ps), .max = INT64_MAX, .usual = "0s", .meaning = "of the first"},
    {"class", KEY_INTEGER, IN(scenario_datagrams, traffic_class), .max = EMU_FRAME_CLASSES - 1, .optional = true,
     .otherwise = "0", .meaning = "as of flows"},
    {"stop", KEY_TIME, IN(scenario_datagrams, stop_ps), .max = INT64_MAX, .optional = true,
     .otherwise = "the end of the run", .meaning = "no more from then on"},
    {0},
};

static const struct key datagrams_entry = {ENTRY(KEY_SECTION, struct scenario_datagrams), .keys = datagrams_keys};

#define PROGRAM_REQUIRED .required = "a program goes {host: h0, command: [iperf3, -s, -1]}"

static const struct key word_entry = {ENTRY(KEY_TEXT, struct scenario_word)};

static const struct key programs_keys[] = {
    {"name", KEY_NAME, IN(scenario_program, name), .otherwise = "p0, p1, ...",
     .meaning = "HOST-NAME.txt in the run's directory holds what it prints"},
    {"host", KEY_HOST, IN(scenario_program, host), PROGRAM_REQUIRED, .meaning = "where it runs"},
    {"command", KEY_LIST, IN(scenario_program, command), BESIDE(scenario_program, n_words), .entry = &word_entry,
     .min = 1, .max = SCENARIO_WORDS, .noun = "words", PROGRAM_REQUIRED,
     .meaning = "a program and its arguments, which no shell reads; hosts are known by name"},
    {"start", KEY_TIME, IN(scenario_program, start_ps), .max = INT64_MAX, .usual = "0s", .meaning = "of the command"},
    {0},
};

static const struct key programs_entry = {ENTRY(KEY_SECTION, struct scenario_program), .keys = programs_keys};

#define OF_RUN(type, member, name, kind, ...) {name, kind, OF(member), __VA_ARGS__}, /* rows of scenarios/scenario.h */

static const struct key traffic_keys[] = {
    {"star", KEY_OPTION, .keys = star_keys, .misfit = misfit_star, .otherwise = "{incoming: 2, outgoing: 1}",
     .meaning = "flows that share h0"},
    {"random", KEY_OPTION, .keys = random_keys, .misfit = misfit_never,
     .meaning = "transfers drawn by the seed (Zhu et al. 2014, section 7.1)"},
    {"pairs", KEY_OPTION, .keys = pairs_keys, .misfit = misfit_never, .meaning = "one to one, rack to rack"},
    {"exchange", KEY_OPTION, .keys = exchange_keys, .misfit = misfit_exchange,
     .meaning = "complete exchange among all hosts, as MPI_Alltoall"},
    {"tree", KEY_OPTION, .keys = tree_keys, .misfit = misfit_tree,
     .meaning = "a barrier of all hosts over a binomial tree, as MPI_Barrier (Vaughan et al. 2003, section 6)"},
    {"collective", KEY_OPTION, .keys = collective_keys, .misfit = misfit_collective,
     .meaning = "a collective operation: each process goes on as soon as what it waits for is there"},
    {"goal", KEY_OPTION, .keys = goal_keys, .misfit = misfit_goal,
     .meaning = "what processes of an application do, as GOAL text, over TCP"},
    {"requests", KEY_OPTION, .keys = requests_keys, .misfit = misfit_never,
     .meaning = "clients that ask a server, wait for its answer and ask again; drawn by the seed, saved as goal"},
    {"burst", KEY_OPTION, .keys = burst_keys, .misfit = misfit_burst,
     .meaning = "bursts of frames without a protocol (Tam 2001, appendix A.1)"},
    {"pingpong", KEY_OPTION, .keys = pingpong_keys, .misfit = misfit_pingpong,
     .meaning = "concurrent ping-pong over Go-Back-N (Tam 2001, appendix A.5)"},
    {"uniform", KEY_OPTION, .keys = uniform_keys, .misfit = misfit_uniform,
     .meaning = "frames without a protocol, each to an output drawn at random"},
    {"flows", KEY_LIST, OF(flows), BESIDE(scenario, n_flows), .entry = &flow_entry, .min = 1, .max = SCENARIO_FLOWS,
     .noun = "flows", .misfit = misfit_flows, .meaning = "flows one by one"},
    {"csv", KEY_TEXT, OF(csv), .usual = "", .misfit = misfit_never,
     .meaning = "file of flows, seen from the scenario's folder: from,to,bytes,start[,rate]; start in s, rate in bit/s, or "
                "with units"},
    {"background", KEY_OPTION, .keys = background_keys, .misfit = misfit_never,
     .meaning = "Poisson arrivals of flows, drawn by the seed, alone or beside flows, a collective or goal"},
    {"on_off", KEY_LIST, OF(on_off), BESIDE(scenario, n_on_off), .entry = &on_off_entry, .min = 1, .max = SCENARIO_HOSTS,
     .noun = "sources", .misfit = misfit_never, .otherwise = "none",
     .meaning = "sources that send and are silent in turn, drawn by the seed, alone or beside others"},
    {"beside", KEY_LIST, OF(beside), BESIDE(scenario, n_beside), .entry = &flow_entry, .min = 1, .max = SCENARIO_FLOWS,
     .noun = "flows", .otherwise = "none", .meaning = "flows beside a collective, goal or requests"},
    {"datagrams", KEY_LIST, OF(datagrams), BESIDE(scenario, n_datagrams), .entry = &datagrams_entry, .min = 1,
     .max = SCENARIO_HOSTS, .noun = "datagrams", .otherwise = "none",
     .meaning = "frames at a steady rate beside TCP's flows, as UDP's"},
    {"programs", KEY_LIST, OF(programs), BESIDE(scenario, n_programs), .entry = &programs_entry, .min = 1,
     .max = SCENARIO_HOSTS, .noun = "programs", .otherwise = "none",
     .meaning = "commands of yours, for `contraflow run --allow-programs` on linux alone; flows are the TCP connections "
                "they open"},
    SCENARIO_MESSAGES_KEYS(OF_RUN)
    {0},
};

static const struct key wall_keys[] = {
    SCENARIO_WALL_KEYS(OF_RUN)
    {0},
};

static const struct key capture_keys[] = {
    {"at", KEY_TEXT, IN(scenario_capture, at), .required = "a capture goes {at: h0}",
     .meaning = "a host's NIC, h0, or a switch's port, sw0-h0"},
    {"snaplen", KEY_BYTES, IN(scenario_capture, snaplen), .min = SNAPLEN_MIN, .max = 65535, .bare = true,
     .usual = "96", .meaning = "of each frame; 96 hold every header"},
    {"format", KEY_CHOICE, IN(scenario_capture, format), .names = scenario_format_names, .noun = "a capture format",
     .usual = "pcap", .meaning = "of the file"},
    {0},
};

static const struct key capture_entry = {ENTRY(KEY_SECTION, struct scenario_capture), .keys = capture_keys};

const struct key scenario_keys[] = {
    {"title", KEY_TEXT, OF(title), .usual = "", .meaning = "of tables and pages"},
    {"engine", KEY_CHOICE, OF(engine), .names = scenario_engine_names, .noun = "an engine",
     .otherwise = "native where it has all", .meaning = "what runs the hosts' TCP"},
    {"clock", KEY_CHOICE, OF(clock), .names = scenario_clock_names, .noun = "a clock", .usual = "virtual",
     .misfit = misfit_linux, .meaning = "wall: the kernel that runs here, as fast as time goes"},
    {"wall", KEY_SECTION, .keys = wall_keys, .misfit = misfit_wall, .meaning = "clock: wall"},
    SCENARIO_RUN_KEYS(OF_RUN)
    {"network", KEY_SECTION, .keys = network_keys, .meaning = "hosts, cables and switches"},
    {"tcp", KEY_SECTION, .keys = tcp_keys, .meaning = "the hosts' TCP"},
    {"gbn", KEY_SECTION, .keys = gbn_keys, .meaning = "transport: gbn (Tam 2001)"},
    {"traffic", KEY_SECTION, .keys = traffic_keys,
     .meaning = "one of star, pairs, random, exchange, tree, collective, goal, requests, burst, pingpong, uniform, flows, csv "
                "and programs"},
    {"capture", KEY_LIST, OF(captures), BESIDE(scenario, n_captures), .entry = &capture_entry, .max = 100000,
     .noun = "captures", .otherwise = "none", .meaning = "ports recorded to a capture file each"},
    {0},
};
