/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "judge/cause.h"

#include <stddef.h>

/* A pure ACK of IPv4: TCP, and shorter than 128 bytes. */
#define ACKS_FIRST                                                                                                     \
    "tc qdisc replace dev DEV root handle 1: prio bands 2 priomap 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 && tc filter add "   \
    "dev DEV parent 1: protocol ip u32 match ip protocol 6 0xff match u16 0 0xff80 at 2 flowid 1:1"

static const struct judge_cause_row causes[JUDGE_CAUSES] = {
    [JUDGE_CAUSE_UNKNOWN] =
        {"unknown", "the evidence does not tell",
         "capture at HOST itself, from before its flows begin, with TCP timestamps on", JUDGE_GAINS_NOTHING, NULL,
         {{JUDGE_REMEDY_ANY, "tcpdump -i DEV -s 128 -w my.pcap"},
          {JUDGE_REMEDY_ANY, "on both ends: sysctl -w net.ipv4.tcp_timestamps=1"},
          {JUDGE_REMEDY_ANY, "ethtool -S DEV | grep -i pause  # PAUSE frames stop data, too"}}},
    [JUDGE_CAUSE_ACKS] =
        {"acks_behind_data", "ACKs wait behind the data of the other direction",
         "serve small ACKs first, or flows by turns, in WHERE", JUDGE_GAINS_WAITS, "--what-if ack-first",
         {{JUDGE_REMEDY_IN, "on a Linux router or bridge there: tc qdisc replace dev DEV root fq_codel"},
          {JUDGE_REMEDY_IN, "on a switch, at the port to HOST: strict priority for TCP segments under 128 bytes"},
          {JUDGE_REMEDY_IN,
           "on HOST alone, which moves that queue there: ip link add ifb0 up type ifb && tc qdisc add dev ifb0 root "
           "cake bandwidth RATE ingress && tc qdisc add dev DEV clsact && tc filter add dev DEV ingress matchall "
           "action mirred egress redirect dev ifb0"},
          {JUDGE_REMEDY_OUT, "on HOST: tc qdisc replace dev DEV root fq_codel"},
          {JUDGE_REMEDY_OUT,
           "on HOST, when the queue is in a slower device after it: tc qdisc replace dev DEV root cake bandwidth "
           "RATE"},
          {JUDGE_REMEDY_OUT, "on HOST, ACKs first and nothing else: " ACKS_FIRST},
          {JUDGE_REMEDY_OUT,
           "on HOST, less of its own data in the queue: sysctl -w net.ipv4.tcp_limit_output_bytes=65536"}}},
    [JUDGE_CAUSE_THIN_ACKS] =
        {"rate_asymmetry_acks", "ACKs of the fast direction wait in the slow one's queue",
         "shape the slow direction to RATE, a little below its own, and serve ACKs first there",
         JUDGE_GAINS_WAITS, "--what-if ack-first",
         {{JUDGE_REMEDY_ANY,
           "where the slow line begins: tc qdisc replace dev DEV root cake bandwidth RATE ack-filter"},
          {JUDGE_REMEDY_ANY, "without CAKE: tc qdisc replace dev DEV root handle 1: tbf rate RATE burst 15kb "
                                "latency 1s && tc qdisc add dev DEV parent 1: fq_codel"}}},
    [JUDGE_CAUSE_OTHER] =
        {"other_traffic", "ACKs wait behind traffic that is not data of these flows",
         "move UDP and small flows out of WHERE: into a queue of their own, or to a lower rate", JUDGE_GAINS_WAITS, NULL,
         {{JUDGE_REMEDY_IN, "on a Linux router or bridge there: tc qdisc replace dev DEV root fq_codel"},
          {JUDGE_REMEDY_IN, "on a switch, at the port to HOST: a class of its own, served by turns"},
          {JUDGE_REMEDY_OUT, "on HOST: tc qdisc replace dev DEV root fq_codel"}}},
    [JUDGE_CAUSE_THIN_PATH] =
        {"thin_ack_path", "the way back is full of ACKs alone", "fewer ACKs where the slow direction begins", JUDGE_GAINS_UNSEEN, NULL,
         {{JUDGE_REMEDY_ANY, "where the slow line begins: tc qdisc replace dev DEV root cake bandwidth RATE "
                                "ack-filter"},
          {JUDGE_REMEDY_ANY, "on the receivers, one ACK for many segments: ethtool -K DEV gro on"}}},
    [JUDGE_CAUSE_LOSSES] =
        {"losses", "losses set the windows", "give the queues that overflow more room, or let them mark (ECN)",
         JUDGE_GAINS_ROOM, "--what-if fair --what-if buffer=1MB",
         {{JUDGE_REMEDY_ANY, "on a switch: more of the shared buffer for the ports that drop"},
          {JUDGE_REMEDY_ANY, "on a Linux router or bridge: tc qdisc replace dev DEV root fq_codel, with sysctl -w "
                                "net.ipv4.tcp_ecn=1 on both ends"},
          {JUDGE_REMEDY_ANY, "to see who drops: tc -s qdisc show dev DEV; ethtool -S DEV | grep -i -e drop -e "
                                "discard"}}},
    [JUDGE_CAUSE_POLICING] =
        {"policing", "a policer drops what is beyond its rate", "shape the senders to the policer's rate, so that "
         "data wait instead of being dropped", JUDGE_GAINS_UNSEEN, NULL,
         {{JUDGE_REMEDY_ANY, "where the data come from: tc qdisc replace dev DEV root cake bandwidth RATE"},
          {JUDGE_REMEDY_ANY, "to find it: tc -s filter show dev DEV ingress; policy-map counters of routers"}}},
    [JUDGE_CAUSE_APPLICATION] =
        {"application", "the applications send no more", "nothing in the network: the senders have to offer more",
         JUDGE_GAINS_NOTHING, NULL,
         {{JUDGE_REMEDY_ANY, "on the senders: ss -tin  # app_limited: TCP had nothing to send"}}},
    [JUDGE_CAUSE_RECEIVER] =
        {"receiver", "readers take their data no faster", "nothing in the network: the readers have to be faster",
         JUDGE_GAINS_NOTHING, NULL,
         {{JUDGE_REMEDY_ANY, "on the receivers: ss -tn  # a Recv-Q that stays full: a slow reader"}}},
    [JUDGE_CAUSE_WINDOW] =
        {"window", "windows are too small for the round trip", "let TCP have larger windows", JUDGE_GAINS_ROOM, "--what-if window=4MB",
         {{JUDGE_REMEDY_ANY, "on both ends: sysctl -w net.ipv4.tcp_rmem='4096 131072 33554432' "
                                "net.ipv4.tcp_wmem='4096 16384 33554432'"},
          {JUDGE_REMEDY_ANY, "in applications that set SO_SNDBUF or SO_RCVBUF: larger ones, or none"}}},
    [JUDGE_CAUSE_SEND_BUFFER] =
        {"send_buffer", "send buffers are too small for the round trip", "let TCP have larger send buffers",
         JUDGE_GAINS_ROOM, "--what-if window=4MB",
         {{JUDGE_REMEDY_ANY, "in applications that set SO_SNDBUF: a larger one, or none"},
          {JUDGE_REMEDY_ANY, "on the senders: sysctl -w net.ipv4.tcp_wmem='4096 16384 33554432'"}}},
    [JUDGE_CAUSE_FULL] =
        {"full", "the link carries what it can", "nothing, but for a faster link", JUDGE_GAINS_NOTHING, NULL,
         {{JUDGE_REMEDY_ANY, "ethtool DEV  # the rate in use, and those on offer"}}},
    [JUDGE_CAUSE_ONE_WAY] =
        {"one_way", "all data go one way, and the link carries what it can", "nothing, but for a faster link", JUDGE_GAINS_NOTHING, NULL,
         {{JUDGE_REMEDY_ANY, "ethtool DEV  # the rate in use, and those on offer"}}},
    [JUDGE_CAUSE_LINK] =
        {"other_link", "another link on the way is full", "nothing here, but for a faster link there", JUDGE_GAINS_NOTHING, NULL,
         {{JUDGE_REMEDY_ANY, "ethtool DEV on every hop  # the rates in use"}}},
    [JUDGE_CAUSE_PAUSE] =
        {"pause", "PAUSE frames stop the senders", "turn PAUSE off, or give the port that sends it more buffer", JUDGE_GAINS_UNSEEN, NULL,
         {{JUDGE_REMEDY_ANY, "ethtool -S DEV | grep -i pause  # who sends it, and who obeys"},
          {JUDGE_REMEDY_ANY, "ethtool -a DEV  # on or off; ethtool -A DEV rx off tx off  # off"},
          {JUDGE_REMEDY_ANY, "on a switch: flow control off, or more of the buffer for the port that is full"}}},
    [JUDGE_CAUSE_SLOW_HOST] =
        {"slow_host", "the host cannot keep up with the frames that it receives",
         "spread the frames over more CPUs of HOST, and let it take more of them at once", JUDGE_GAINS_UNSEEN, NULL,
         {{JUDGE_REMEDY_ANY, "ethtool -S DEV | grep -i -e drop -e miss -e fifo; cat /proc/net/softnet_stat  # what "
                                "it loses, and where"},
          {JUDGE_REMEDY_ANY, "more queues: ethtool -L DEV combined N; cat /proc/interrupts  # and which CPUs serve "
                                "them; with one queue: echo ff > /sys/class/net/DEV/queues/rx-0/rps_cpus"},
          {JUDGE_REMEDY_ANY, "fewer, larger packets: ethtool -K DEV gro on tso on; ip link set DEV mtu 9000 on all "
                                "hosts of the network"},
          {JUDGE_REMEDY_ANY, "longer bursts without loss: ethtool -g DEV; ethtool -G DEV rx 4096"}}},
    [JUDGE_CAUSE_SHARED] =
        {"shared_medium", "both directions share one medium, or one processor",
         "a medium that carries both directions at once: a cable in place of radio, full duplex in place of half", JUDGE_GAINS_UNSEEN, NULL,
         {{JUDGE_REMEDY_ANY, "ethtool DEV | grep -i duplex  # of every hop; half: mend auto-negotiation"},
          {JUDGE_REMEDY_ANY, "where the medium is radio: fewer ACKs, ethtool -K DEV gro on at the receivers"}}},
    [JUDGE_CAUSE_ONE_SIDED] =
        {"one_sided_capture", "the packets of one way alone were captured",
         "capture both ways: no direction in the filter, both directions of a mirrored port", JUDGE_GAINS_NOTHING, NULL,
         {{JUDGE_REMEDY_ANY, "tcpdump -i DEV -s 128 -w my.pcap"}}},
    [JUDGE_CAUSE_COARSE] =
        {"coarse_clock", "the capture's clock ticks too slowly for such a link",
         "capture with finer stamps", JUDGE_GAINS_NOTHING, NULL,
         {{JUDGE_REMEDY_ANY, "tcpdump -i DEV -s 128 --time-stamp-precision nano -w my.pcap"}}},
};

#define WORDS_OF(number) #number
#define WORDS(number) WORDS_OF(number)
/* draft-ietf-quic-ack-frequency */
#define FEWER_ACKS                                                                                                    \
    "in the senders' QUIC: ask for one ACK of " WORDS(JUDGE_CAUSE_FEWER_ACKS) " packets (ACK_FREQUENCY), which wins " \
    "another FEWER"

static const struct judge_cause_row causes_quic[JUDGE_CAUSES] = {
    [JUDGE_CAUSE_UNKNOWN] =
        {"unknown", "the evidence does not tell", "what the ends themselves know: a qlog of QUIC's", JUDGE_GAINS_NOTHING, NULL,
         {{JUDGE_REMEDY_ANY, "contraflow measure  # what TCP of its own gets there, with what waits"}}},
    [JUDGE_CAUSE_ACKS] =
        {"acks_behind_data", "ACKs wait behind the data of the other direction", "serve flows by turns in WHERE",
         JUDGE_GAINS_WAITS, "--what-if fair",
         {{JUDGE_REMEDY_IN, "on a Linux router or bridge there: tc qdisc replace dev DEV root fq_codel"},
          {JUDGE_REMEDY_OUT, "on HOST: tc qdisc replace dev DEV root fq_codel"},
          {JUDGE_REMEDY_OUT,
           "on HOST, when the queue is in a slower device after it: tc qdisc replace dev DEV root cake bandwidth "
           "RATE"},
          {JUDGE_REMEDY_ANY, FEWER_ACKS}}},
    [JUDGE_CAUSE_THIN_ACKS] =
        {"rate_asymmetry_acks", "ACKs of the fast direction wait in the slow one's queue",
         "shape the slow direction to RATE, a little below its own, and serve flows by turns there", JUDGE_GAINS_WAITS,
         "--what-if fair",
         {{JUDGE_REMEDY_ANY, "where the slow line begins: tc qdisc replace dev DEV root cake bandwidth RATE"},
          {JUDGE_REMEDY_ANY, FEWER_ACKS}}},
    [JUDGE_CAUSE_THIN_PATH] =
        {"thin_ack_path", "the way back is full of ACKs alone", "let receivers send fewer ACKs", JUDGE_GAINS_UNSEEN, NULL,
         {{JUDGE_REMEDY_ANY, FEWER_ACKS}}},
    [JUDGE_CAUSE_LOSSES] =
        {"losses", "losses set the windows", "give the queues that overflow more room", JUDGE_GAINS_ROOM, NULL,
         {{JUDGE_REMEDY_ANY, "on a switch: more of the shared buffer for the ports that drop"},
          {JUDGE_REMEDY_ANY, "to see who drops: tc -s qdisc show dev DEV; ethtool -S DEV | grep -i -e drop -e "
                                "discard"}}},
    [JUDGE_CAUSE_APPLICATION] =
        {"application", "the applications send no more", "nothing in the network: the senders have to offer more",
         JUDGE_GAINS_NOTHING, NULL, {{JUDGE_REMEDY_ANY, "of the senders: a qlog"}}},
    [JUDGE_CAUSE_RECEIVER] =
        {"receiver", "readers take their data no faster", "nothing in the network: the readers have to be faster",
         JUDGE_GAINS_NOTHING, NULL, {{JUDGE_REMEDY_ANY, "of the receivers: a qlog"}}},
    [JUDGE_CAUSE_WINDOW] =
        {"window", "windows are too small for the round trip", "let QUIC have larger windows", JUDGE_GAINS_ROOM, NULL,
         {{JUDGE_REMEDY_ANY, "in the receivers' QUIC: more initial_max_data and initial_max_stream_data"}}},
    [JUDGE_CAUSE_SEND_BUFFER] =
        {"send_buffer", "send buffers are too small for the round trip", "let QUIC have larger send buffers",
         JUDGE_GAINS_ROOM, NULL, {{JUDGE_REMEDY_ANY, "in the applications that send: hand QUIC more data at once"}}},
};

const struct judge_cause_row *judge_cause(enum judge_cause cause)
{
    return &causes[cause];
}

const struct judge_cause_row *judge_cause_quic(enum judge_cause cause)
{
    return causes_quic[cause].name ? &causes_quic[cause] : &causes[cause];
}
