/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/scenario.h - an experiment as plain data: network, TCP, traffic, captures.
 *
 * scenario_load() (scenarios/load.h) makes one from YAML with every default filled in,
 * every flow listed and every value checked; scenario_save() (scenarios/save.h) writes it back. */
#pragma once

#include "base/estimate.h"
#include "base/units.h"
#include "emu/engine.h"
#include "emu/network/gbn.h"
#include "emu/network/network.h"
#include "model/collective.h"

#define SCENARIO_NAME 32
#define SCENARIO_TITLE 128
#define SCENARIO_MTU 1500 /* bytes of packet, without jumbo frames */
#define SCENARIO_SEGMENT_HEADERS 52 /* IPv4 20, TCP 20, its timestamps 12 */
#define SCENARIO_SEGMENT_MAX (EMU_FRAME_MOST_PAYLOAD - SCENARIO_SEGMENT_HEADERS) /* of a packet of 9000 bytes 8948 */
#define SCENARIO_WORD 1024 /* of a command */
#define SCENARIO_WORDS 256
#define SCENARIO_PATH 1024 /* of a file, with its NUL */
#define SCENARIO_LINE 128  /* of a GOAL text, with its NUL */
#define SCENARIO_LINES 100000
#define SCENARIO_HOSTS 10000
#define SCENARIO_DELAY_PS (10 * UNITS_PS_PER_S) /* of a cable, at most */
#define SCENARIO_WINDOW INT64_C(1073725440) /* bytes that TCP can advertise: 65535 << 14 (RFC 7323, 2.3) */
#define SCENARIO_FLOWS 100000
#define SCENARIO_POINTS 1000
#define SCENARIO_LINKS 20000
#define SCENARIO_FAT_TREE 24 /* ports of a switch at most: 3456 hosts */
#define SCENARIO_DURATION_PS INT64_C(10000000000000000) /* at most */
#define SCENARIO_RATE_MIN 1000 /* bit/s, as of links; at most a byte a picosecond: event time holds nothing faster */
#define SCENARIO_RATE_MAX INT64_C(8000000000000)
#define SCENARIO_GIVEN_MAX (INT64_C(1) << 32) /* bytes of a window that is given */
#define SCENARIO_PRECISION_MESSAGES 5 /* counted at least before a mean's interval is believed */
#define SCENARIO_WARM 0 /* initial window "warm": enough segments to cover the flow's window */

enum scenario_engine { SCENARIO_ENGINE_NS3, SCENARIO_ENGINE_NATIVE, SCENARIO_ENGINE_LINUX, SCENARIO_ENGINES };
enum scenario_clock { SCENARIO_CLOCK_VIRTUAL, SCENARIO_CLOCK_WALL };
enum scenario_format { SCENARIO_FORMAT_PCAP, SCENARIO_FORMAT_PCAPNG };
extern const char *const scenario_engine_names[], *const scenario_clock_names[],
    *const scenario_format_names[]; /* for base/names.h */

/* The application waits when so many bytes of its flow, all in all, are acknowledged. */
struct scenario_pause {
    int64_t after_bytes, pause_ps;
};

/* The congestion window from then on, under the control `given`. */
struct scenario_window {
    int64_t at_ps, bytes;
};

struct scenario_flow {
    char name[SCENARIO_NAME]; /* f0, f1, ... unless named */
    int from, to;             /* hosts */
    int64_t bytes;            /* 0: until the run ends */
    int64_t start_ps;
    int64_t rate_bps; /* at which its application writes; 0: at once */
    int64_t repeat; /* messages of `bytes` on one connection: the next starts when this one is received; with
                     * precision: at most so many are counted */
    bool duplex;    /* the same both ways on the one connection */
    uint8_t traffic_class; /* of its frames, both ways */
    struct emu_tcp_config tcp; /* resolved: scenario's tcp with this flow's window and congestion */
    struct scenario_pause *pauses; /* owned; in order of bytes */
    int n_pauses;
    struct scenario_window *windows; /* owned; in order of time */
    int n_windows;
};

/* Frames without a protocol at a steady rate, which answer nothing: UDP beside the flows. */
struct scenario_datagrams {
    int from, to;
    int64_t rate_bps; /* on the wire */
    int64_t packet_bytes; /* what a frame carries */
    uint8_t traffic_class;
    int64_t start_ps, stop_ps; /* 0: when the run ends */
};

struct scenario_word {
    char text[SCENARIO_WORD];
};

/* A user's own command, whose TCP connections are the run's flows. */
struct scenario_program {
    char name[SCENARIO_NAME]; /* p0, p1, ... unless named */
    int host;
    struct scenario_word *command; /* owned; what to start and its arguments: no shell reads them */
    int n_words;
    int64_t start_ps;
};

struct scenario_capture {
    char at[SCENARIO_NAME]; /* host ("h0": its NIC) or switch port ("sw0-h0": port of sw0 towards h0) */
    int64_t snaplen;
    enum scenario_format format;
};

/* One in/out point of a star experiment: h0 has `incoming` flows towards it and `outgoing` from it. */
struct scenario_point {
    int incoming, outgoing;
};

enum scenario_transport { SCENARIO_TRANSPORT_TCP, SCENARIO_TRANSPORT_GBN, SCENARIO_TRANSPORT_QUIC };
extern const char *const scenario_transport_names[];

/* What the hosts do. Flows: a star, pairs or a random pattern is listed as such, too. */
enum scenario_traffic {
    SCENARIO_TRAFFIC_FLOWS,
    SCENARIO_TRAFFIC_EXCHANGE, /* complete exchange among all hosts, again and again */
    SCENARIO_TRAFFIC_BURST,    /* Tam 2001, appendix A.1: bursts from S hosts to R others, frames without a protocol */
    SCENARIO_TRAFFIC_PINGPONG, /* appendix A.5: pairs of hosts at once */
    SCENARIO_TRAFFIC_TREE,     /* a barrier over a binomial tree, again and again */
    SCENARIO_TRAFFIC_UNIFORM,  /* frames without a protocol, each to an output drawn at random */
    SCENARIO_TRAFFIC_COLLECTIVE, /* a collective operation by its dependencies, again and again */
    SCENARIO_TRAFFIC_GOAL,     /* a GOAL text */
};

enum scenario_algorithm {
    SCENARIO_ALGORITHM_SHIFT,       /* Tam 2001, section 5.3.1 */
    SCENARIO_ALGORITHM_PAIRWISE,    /* 5.3.2; also over TCP (5.4.5) */
    SCENARIO_ALGORITHM_SYNCHRONOUS, /* 5.3.3 */
    SCENARIO_ALGORITHM_GROUP,       /* 5.3.4 */
    SCENARIO_ALGORITHM_DIRECT,      /* over TCP: everything at once, as MPICH did (Steffenel 2006) */
    SCENARIO_ALGORITHM_ROUNDS,      /* over TCP: to i + r, from i - r, one after another */
};
extern const char *const scenario_algorithm_names[];

/* As written; the flows they make are listed, too. */
struct scenario_random {
    int64_t d; /* RANDOM_PATTERN_ALL: every other host */
    double probability;
    int64_t bytes[2]; /* at least, at most */
    int64_t repeat;
};

struct scenario_pairs {
    int64_t count, back, bytes, repeat;
    bool both_ways;
};

struct scenario_exchange {
    enum scenario_algorithm algorithm;
    int64_t packets;       /* k: Go-Back-N, from each host to each other */
    int64_t bytes;         /* m: TCP, from each host to each other */
    int64_t group;         /* omega: partners in a round of the group shuffle */
    int64_t global_window; /* W_g: packets a host has sent beyond those it has received; 0: no such window */
    bool contention_aware; /* logical numbers of Eq. 6.3 */
    int64_t repeat;
    int64_t period_ps;     /* from one start to the next, unless it takes longer */
};

/* MPI_Barrier of all hosts over TCP: messages up a binomial tree, then down it (scenarios/run/program_tree_tcp.c). */
struct scenario_tree {
    int64_t bytes;         /* of each message */
    int64_t repeat;
    int64_t period_ps;     /* from one start to the next, unless it takes longer */
};

/* scenarios/traffic/collective.h, over TCP. */
struct scenario_collective {
    enum model_collective algorithm;
    int64_t bytes;         /* of the whole vector; barrier, halo: of each message */
    int64_t repeat;
    int64_t period_ps;     /* from one start to the next, unless it takes longer */
    int root;              /* host */
    int dimensions[3];     /* of the halo */
    int n_dimensions;
};

struct scenario_line {
    char text[SCENARIO_LINE];
};

/* scenarios/traffic/goal.h, over TCP. */
struct scenario_goal {
    char file[SCENARIO_PATH];
    struct scenario_line *lines; /* owned; what the file says, written down anew */
    int n_lines;
};

/* As written; the flows that are drawn for it are listed, too. */
struct scenario_background {
    char sizes[SCENARIO_PATH]; /* scenarios/traffic/sizes.h */
    double load;               /* of each host's link */
    int *hosts;                /* owned; who send and receive; none: all */
    int n_hosts;
    int64_t stop_ps;           /* 0: when the run ends */
};

struct scenario_on_off {
    int from, to;
    int64_t rate_bps;
    int64_t on_ps, off_ps;     /* means */
    int64_t start_ps, stop_ps; /* 0: when the run ends */
};

/* As written; what is drawn for it is a GOAL text. */
struct scenario_requests {
    int server;
    int *clients; /* owned; none: all others */
    int n_clients;
    int64_t request_bytes, response_bytes;
    char sizes[SCENARIO_PATH]; /* of responses, instead */
    int64_t think_ps;          /* mean */
    int64_t count;             /* of each client */
};

/* Every number of sources with every number of sinks below it, and every size. */
struct scenario_burst {
    int64_t *sources, *sinks, *packets; /* owned; packets: of all sources together */
    int n_sources, n_sinks, n_packets;
};

struct scenario_pingpong {
    int64_t *pairs; /* owned; how many at once, one test each */
    int n_pairs;
    int64_t rounds;
};

struct scenario_uniform {
    int64_t ports; /* the first so many hosts send, the last so many receive */
    double load;   /* of a source's link */
};

/* Members of struct scenario with the keys that set them: ROW(type, member, and what its struct key says). A key of the
 * run, of wall time and of messages costs its row here, and the place that uses it; others have a member here, or in emu/,
 * and a row in scenarios/keys_table.c. */
#define SCENARIO_RUN_KEYS(ROW)                                                                                        \
    ROW(enum scenario_transport, transport, "transport", KEY_CHOICE, .names = scenario_transport_names,               \
        .noun = "a transport", .usual = "tcp",                                                                        \
        .meaning = "tcp; quic: RFC 9000, with congestion, window and segment of tcp, and delayed_ack as its peer "    \
                   "asks for (native); gbn: the Go-Back-N protocol of Tam 2001")                                      \
    ROW(uint64_t, seed, "seed", KEY_INTEGER, .max = INT64_MAX, .usual = "1", .meaning = "of every random choice")     \
    ROW(int64_t, duration_ps, "duration", KEY_TIME, .min = US, .max = SCENARIO_DURATION_PS,                           \
        .otherwise = "2s, or 3600s with traffic.precision",                                                           \
        .meaning = "end of the run; sooner when every flow has bytes and is done")                                    \
    ROW(int64_t, warmup_ps, "warmup", KEY_TIME, .max = SCENARIO_DURATION_PS,                                          \
        .otherwise = "30 % of duration, or 0s with precision", .meaning = "steady figures count from here")

/* late_by_ps 0: than a full frame takes on the wire. */
#define SCENARIO_WALL_KEYS(ROW)                                                                                       \
    ROW(int64_t, late_by_ps, "late_by", KEY_TIME, .min = UNITS_PS_PER_NS, .max = S, .optional = true,                 \
        .otherwise = "what a full frame takes on the wire",                                                           \
        .meaning = "a frame that reaches a host later than that is late")                                             \
    ROW(double, late_share, "late_share", KEY_SHARE, .usual = "1%",                                                   \
        .meaning = "late frames, or time with one overdue, beyond that make the run void")

/* Flows without a start get one of [0, start_spread], whole ns; messages after a barrier each. precision 0: `repeat`
 * messages. */
#define SCENARIO_MESSAGES_KEYS(ROW)                                                                                   \
    ROW(int64_t, start_spread_ps, "start_spread", KEY_TIME, .max = INT64_MAX, .usual = "100us",                       \
        .meaning = "starts are drawn from so long a time by the seed")                                                \
    ROW(bool, barrier, "barrier", KEY_SWITCH, .usual = "false", .meaning = "messages wait for those of all flows")    \
    ROW(double, precision, "precision", KEY_SHARE, .optional = true, .otherwise = "no such rule",                     \
        .meaning = "messages repeat until every mean time's 95 % interval is so narrow")

#define SCENARIO_MEMBER(type, member, ...) type member;
struct scenario {
    char title[SCENARIO_TITLE];
    enum scenario_engine engine;
    enum scenario_clock clock;
    SCENARIO_WALL_KEYS(SCENARIO_MEMBER)
    SCENARIO_RUN_KEYS(SCENARIO_MEMBER)
    struct emu_network_config network; /* hosts 0 with points: as many as each point needs */
    int64_t link_goodput_bps;     /* TCP payload a busy direction carries, as measured alone: for predictions, */
    int64_t backbone_goodput_bps; /* no emulation looks at them. Without a measurement: data frames back to back */
    struct emu_tcp_config tcp; /* of flows: both buffers hold the window; initial window may be SCENARIO_WARM */
    struct scenario_flow *flows; /* owned; empty when there are points */
    int n_flows;
    struct scenario_datagrams *datagrams; /* owned; beside TCP's flows */
    int n_datagrams;
    struct scenario_program *programs; /* owned; with them there are no flows before the run */
    int n_programs;
    struct scenario_point *points; /* owned; a list of star points, each a run of its own; usually empty */
    int n_points;
    struct scenario_point star; /* without points */
    struct scenario_random random;
    struct scenario_pairs pairs;
    int64_t incoming_window_bytes, outgoing_window_bytes; /* of the points' flows; tcp's without points */
    int64_t star_bytes, star_repeat; /* of a star's flows */
    struct emu_gbn_config gbn;
    enum scenario_traffic traffic;
    struct scenario_exchange exchange;
    struct scenario_tree tree;
    struct scenario_collective collective;
    struct scenario_goal goal;
    int *ranks;               /* owned; host of each process of a collective or a GOAL text */
    int n_ranks;
    bool connections_apart;   /* of these: one for each way, not one for both */
    int64_t eager_bytes;      /* a longer message waits for its receive */
    struct scenario_requests requests;
    char csv[SCENARIO_PATH];
    struct scenario_background background;
    struct scenario_on_off *on_off; /* owned */
    int n_on_off;
    struct scenario_flow *beside; /* owned; beside these ranks' messages: the flows behind the first n_played, too */
    int n_beside;
    int n_played;             /* flows, the first ones, that carry their messages */
    struct scenario_burst burst;
    struct scenario_pingpong pingpong;
    struct scenario_uniform uniform;
    int64_t *delays_ps;       /* owned; the network borrows it */
    int64_t *host_times_ps;   /* owned; the network borrows it, as the next two */
    struct emu_network_link *links; /* owned */
    struct emu_network_node *nodes; /* owned */
    bool *pause_hosts;        /* owned; hosts whose links know PAUSE; NULL: all */
    SCENARIO_MESSAGES_KEYS(SCENARIO_MEMBER)
    struct scenario_capture *captures; /* owned */
    int n_captures;
};

/* Safe on a zeroed one. */
void scenario_fini(struct scenario *s);

/* Leaves none. */
void scenario_free_flows(struct scenario *s);

/* Frees the programs: none is left. */
void scenario_free_programs(struct scenario *s);

#define SCENARIO_TCP_ACK_DELAY_PS (40 * UNITS_PS_PER_MS)
#define SCENARIO_QUIC_ACK_DELAY_PS (25 * UNITS_PS_PER_MS) /* max_ack_delay (RFC 9000, section 18.2) */
#define SCENARIO_QUIC_SEGMENT_MIN 1176 /* a datagram of 1200 bytes (RFC 9000, section 14), IP and UDP 28, is a segment's 52 and this */

#define SCENARIO_QUIC_MORE 11 /* bytes that a full packet of QUIC has less for its stream than TCP: 28 and 35 around, not 52 */

/* Whether its flows are streams of bytes, as TCP's and QUIC's are. */
static inline bool scenario_has_streams(const struct scenario *s)
{
    return s->transport != SCENARIO_TRANSPORT_GBN;
}

/* The first thing in the scenario that an engine has not, as the end of a sentence: "congestion control 'bbr'"; false
 * when it has all. */
bool scenario_engine_lacks(const struct scenario *s, enum scenario_engine engine, char what[static 96]);

/* What the largest frames carry, in bytes: an Ethernet's 1500, or more where anybody sends more. */
int64_t scenario_packet_bytes(const struct scenario *s);

/* When a frame is late in wall time: late_by_ps, or the time that a full one takes on the fastest link of a host. */
int64_t scenario_late_by_ps(const struct scenario *s);

/* The scenario's tcp for one flow: this window in both buffers, and a warm initial window resolved
 * to ceil(window / segment) segments. */
struct emu_tcp_config scenario_flow_tcp(const struct scenario *s, int64_t window_bytes);

/* Whether the full width of the 95 % interval of a mean message time is within `precision` of it, and from enough
 * messages (Zhu et al. 2014, section 3.1). */
bool scenario_precise(const struct scenario *s, const struct estimate_running *times_s);

/* How far that is, from 0 to 1: messages over those that it will take if they scatter as before, for an interval
 * narrows with their square root. */
double scenario_precise_share(const struct scenario *s, const struct estimate_running *times_s);

/* A start for the next flow, uniform over the whole nanoseconds of [0, start_spread]. */
int64_t scenario_draw_start(const struct scenario *s, struct random *r);

/* Where host i > 0 of traffic.tree sends what it has collected: i without its lowest bit that is set. Its flow is
 * 2 (i - 1), the one back 2 (i - 1) + 1. */
static inline int scenario_tree_parent(int host)
{
    return host & (host - 1);
}

/* Lists the flows of one star point: in1, ... from h1, ... to h0, then out1, ... from h0 to the
 * hosts that follow, with the scenario's incoming and outgoing windows. Hosts 0 become as many as
 * that takes; with fewer hosts than flows, flows wrap round over h1, h2, ... */
void scenario_list_star(struct scenario *s, const struct scenario_point *point);

/* The i-th point of a scenario with points as a scenario of its own (flows listed, no points). */
void scenario_at_point(const struct scenario *s, int i, struct scenario *point);
