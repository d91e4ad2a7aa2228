/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge/causes.h - what may hold the flows of a host back, and what to do about it: a row a cause.
 *
 * judge/cause.h makes struct judge_cause_row of them. A cause costs its row, and the place that finds it
 * (judge/limit.c, judge/ground.c). */
#ifndef JUDGE_CAUSES_H
#define JUDGE_CAUSES_H

/* A pure ACK of IPv4: TCP, and shorter than 128 bytes. */
#define ACKS_FIRST                                                                                                     \
    "tc qdisc replace dev DEV root handle 1: prio bands 2 priomap 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 && tc filter add "   \
    "dev DEV parent 1: protocol ip u32 match ip protocol 6 0xff match u16 0 0xff80 at 2 flowid 1:1"

/* ROW(NAME, name, meaning, GAINS, what, what_if, remedies...); doc/columns.py reads name and meaning. */
#define JUDGE_CAUSE_ROWS(ROW)                                                                                         \
    ROW(UNKNOWN, "unknown", "the evidence does not tell", NOTHING,                                                    \
        "capture at HOST itself, from before its flows begin, with TCP timestamps on", NULL,                          \
        {JUDGE_REMEDY_ANY, "tcpdump -i DEV -s 128 -w my.pcap"},                                                       \
        {JUDGE_REMEDY_ANY, "on both ends: sysctl -w net.ipv4.tcp_timestamps=1"},                                      \
        {JUDGE_REMEDY_ANY, "ethtool -S DEV | grep -i pause  # PAUSE frames stop data, too"})                          \
    ROW(ACKS, "acks_behind_data", "ACKs wait behind the data of the other direction", WAITS,                          \
        "serve small ACKs first, or flows by turns, in WHERE", "--what-if ack-first",                                 \
        {JUDGE_REMEDY_IN, "on a Linux router or bridge there: tc qdisc replace dev DEV root fq_codel"},               \
        {JUDGE_REMEDY_IN, "on a switch, at the port to HOST: strict priority for TCP segments under 128 bytes"},      \
        {JUDGE_REMEDY_IN, "on HOST alone, which moves that queue there: ip link add ifb0 up type ifb && tc qdisc "    \
                          "add dev ifb0 root cake bandwidth RATE ingress && tc qdisc add dev DEV clsact && tc "       \
                          "filter add dev DEV ingress matchall action mirred egress redirect dev ifb0"},              \
        {JUDGE_REMEDY_OUT, "on HOST: tc qdisc replace dev DEV root fq_codel"},                                        \
        {JUDGE_REMEDY_OUT, "on HOST, when the queue is in a slower device after it: tc qdisc replace dev DEV root "   \
                           "cake bandwidth RATE"},                                                                    \
        {JUDGE_REMEDY_OUT, "on HOST, ACKs first and nothing else: " ACKS_FIRST},                                      \
        {JUDGE_REMEDY_OUT, "on HOST, less of its own data in the queue: sysctl -w "                                   \
                           "net.ipv4.tcp_limit_output_bytes=65536"})                                                  \
    ROW(THIN_ACKS, "rate_asymmetry_acks", "ACKs of the fast direction wait in the slow one's queue", WAITS,           \
        "shape the slow direction to RATE, a little below its own, and serve ACKs first there",                       \
        "--what-if ack-first",                                                                                        \
        {JUDGE_REMEDY_ANY, "where the slow line begins: tc qdisc replace dev DEV root cake bandwidth RATE "           \
                           "ack-filter"},                                                                             \
        {JUDGE_REMEDY_ANY, "without CAKE: tc qdisc replace dev DEV root handle 1: tbf rate RATE burst 15kb latency "  \
                           "1s && tc qdisc add dev DEV parent 1: fq_codel"})                                          \
    ROW(OTHER, "other_traffic", "ACKs wait behind traffic that is not data of these flows", WAITS,                    \
        "move UDP and small flows out of WHERE: into a queue of their own, or to a lower rate", NULL,                 \
        {JUDGE_REMEDY_IN, "on a Linux router or bridge there: tc qdisc replace dev DEV root fq_codel"},               \
        {JUDGE_REMEDY_IN, "on a switch, at the port to HOST: a class of its own, served by turns"},                   \
        {JUDGE_REMEDY_OUT, "on HOST: tc qdisc replace dev DEV root fq_codel"})                                        \
    ROW(HIDDEN, "hidden_traffic", "ACKs wait behind data of others, on a line that they share", WAITS,                 \
        "serve small ACKs first, or flows by turns, where the line that all share begins", NULL,                      \
        {JUDGE_REMEDY_ANY, "on the Linux router there: tc qdisc replace dev DEV root cake bandwidth N  # a little "    \
                           "less than the line has"},                                                                 \
        {JUDGE_REMEDY_ANY, "to see whose data these are, on that router: tcpdump -i DEV -s 128 -w my.pcap"})          \
    ROW(THIN_PATH, "thin_ack_path", "the way back is full of ACKs alone", UNSEEN,                                     \
        "fewer ACKs where the slow direction begins", NULL,                                                           \
        {JUDGE_REMEDY_ANY, "where the slow line begins: tc qdisc replace dev DEV root cake bandwidth RATE "           \
                           "ack-filter"},                                                                             \
        {JUDGE_REMEDY_ANY, "on the receivers, one ACK for many segments: ethtool -K DEV gro on"})                     \
    ROW(LOSSES, "losses", "losses set the windows", ROOM,                                                             \
        "give the queues that overflow more room, or let them mark (ECN)", "--what-if fair --what-if buffer=1MB",     \
        {JUDGE_REMEDY_ANY, "on a switch: more of the shared buffer for the ports that drop"},                         \
        {JUDGE_REMEDY_ANY, "on a Linux router or bridge: tc qdisc replace dev DEV root fq_codel, with sysctl -w "     \
                           "net.ipv4.tcp_ecn=1 on both ends"},                                                        \
        {JUDGE_REMEDY_ANY, "to see who drops: tc -s qdisc show dev DEV; ethtool -S DEV | grep -i -e drop -e "         \
                           "discard"})                                                                                \
    ROW(POLICING, "policing", "a policer drops what is beyond its rate", UNSEEN,                                      \
        "shape the senders to the policer's rate, so that data wait instead of being dropped", NULL,                  \
        {JUDGE_REMEDY_ANY, "where the data come from: tc qdisc replace dev DEV root cake bandwidth RATE"},            \
        {JUDGE_REMEDY_ANY, "to find it: tc -s filter show dev DEV ingress; policy-map counters of routers"})          \
    ROW(APPLICATION, "application", "the applications send no more", NOTHING,                                         \
        "nothing in the network: the senders have to offer more", NULL,                                               \
        {JUDGE_REMEDY_ANY, "on the senders: ss -tin  # app_limited: TCP had nothing to send"})                        \
    ROW(RECEIVER, "receiver", "readers take their data no faster", NOTHING,                                           \
        "nothing in the network: the readers have to be faster", NULL,                                                \
        {JUDGE_REMEDY_ANY, "on the receivers: ss -tn  # a Recv-Q that stays full: a slow reader"})                    \
    ROW(WINDOW, "window", "windows are too small for the round trip", ROOM, "let TCP have larger windows",            \
        "--what-if window=4MB",                                                                                       \
        {JUDGE_REMEDY_ANY, "on both ends: sysctl -w net.ipv4.tcp_rmem='4096 131072 33554432' "                        \
                           "net.ipv4.tcp_wmem='4096 16384 33554432'"},                                                \
        {JUDGE_REMEDY_ANY, "in applications that set SO_SNDBUF or SO_RCVBUF: larger ones, or none"})                  \
    ROW(SEND_BUFFER, "send_buffer", "send buffers are too small for the round trip", ROOM,                            \
        "let TCP have larger send buffers", "--what-if window=4MB",                                                   \
        {JUDGE_REMEDY_ANY, "in applications that set SO_SNDBUF: a larger one, or none"},                              \
        {JUDGE_REMEDY_ANY, "on the senders: sysctl -w net.ipv4.tcp_wmem='4096 16384 33554432'"})                      \
    ROW(FULL, "full", "the link carries what it can", NOTHING, "nothing, but for a faster link", NULL,                \
        {JUDGE_REMEDY_ANY, "ethtool DEV  # the rate in use, and those on offer"})                                     \
    ROW(ONE_WAY, "one_way", "all data go one way, and the link carries what it can", NOTHING,                         \
        "nothing, but for a faster link", NULL,                                                                       \
        {JUDGE_REMEDY_ANY, "ethtool DEV  # the rate in use, and those on offer"})                                     \
    ROW(LINK, "other_link", "another link on the way is full", NOTHING, "nothing here, but for a faster link there",  \
        NULL,                                                                                                         \
        {JUDGE_REMEDY_ANY, "ethtool DEV on every hop  # the rates in use"})                                           \
    ROW(PAUSE, "pause", "PAUSE frames stop the senders", UNSEEN,                                                      \
        "turn PAUSE off, or give the port that sends it more buffer", NULL,                                           \
        {JUDGE_REMEDY_ANY, "ethtool -S DEV | grep -i pause  # who sends it, and who obeys"},                          \
        {JUDGE_REMEDY_ANY, "ethtool -a DEV  # on or off; ethtool -A DEV rx off tx off  # off"},                       \
        {JUDGE_REMEDY_ANY, "on a switch: flow control off, or more of the buffer for the port that is full"})         \
    ROW(SLOW_HOST, "slow_host", "the host cannot keep up with the frames that it receives", UNSEEN,                   \
        "spread the frames over more CPUs of HOST, and let it take more of them at once", NULL,                       \
        {JUDGE_REMEDY_ANY, "ethtool -S DEV | grep -i -e drop -e miss -e fifo; cat /proc/net/softnet_stat  # what "    \
                           "it loses, and where"},                                                                    \
        {JUDGE_REMEDY_ANY, "more queues: ethtool -L DEV combined N; cat /proc/interrupts  # and which CPUs serve "    \
                           "them; with one queue: echo ff > /sys/class/net/DEV/queues/rx-0/rps_cpus"},                \
        {JUDGE_REMEDY_ANY, "fewer, larger packets: ethtool -K DEV gro on tso on; ip link set DEV mtu 9000 on all "    \
                           "hosts of the network"},                                                                   \
        {JUDGE_REMEDY_ANY, "longer bursts without loss: ethtool -g DEV; ethtool -G DEV rx 4096"})                     \
    ROW(SHARED, "shared_medium", "both directions share one medium, or one processor", UNSEEN,                        \
        "a medium that carries both directions at once: a cable in place of radio, full duplex in place of half",     \
        NULL,                                                                                                         \
        {JUDGE_REMEDY_ANY, "ethtool DEV | grep -i duplex  # of every hop; half: mend auto-negotiation"},              \
        {JUDGE_REMEDY_ANY, "where the medium is radio: fewer ACKs, ethtool -K DEV gro on at the receivers"})          \
    ROW(ONE_SIDED, "one_sided_capture", "the packets of one way alone were captured", NOTHING,                        \
        "capture both ways: no direction in the filter, both directions of a mirrored port", NULL,                    \
        {JUDGE_REMEDY_ANY, "tcpdump -i DEV -s 128 -w my.pcap"})                                                       \
    ROW(COARSE, "coarse_clock", "the capture's clock ticks too slowly for such a link", NOTHING,                      \
        "capture with finer stamps", NULL,                                                                            \
        {JUDGE_REMEDY_ANY, "tcpdump -i DEV -s 128 --time-stamp-precision nano -w my.pcap"})                           \
    ROW(HEADERS_CUT, "headers_cut", "frames are cut within their TCP headers", NOTHING,                               \
        "capture more of each frame", NULL,                                                                           \
        {JUDGE_REMEDY_ANY, "tcpdump -i DEV -s 128 -w my.pcap"})                                                       \
    ROW(CLOCK_SET, "clock_set", "the clock of the capture, or of a host, was set meanwhile, or its unit is unknown", NOTHING,\
        "look at what was captured before that, or after it", NULL,                                                   \
        {JUDGE_REMEDY_ANY, "editcap -B 'YYYY-MM-DD hh:mm:ss' my.pcap before.pcap  # -A for what was after it"})

#endif
