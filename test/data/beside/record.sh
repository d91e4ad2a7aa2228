#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Captures at a host whose own uplink shaper is the bottleneck: 20 Mb/s to it, 2 Mb/s from it, the tap before the shaper.
# As root: record.sh NAME SECONDS PACKETS IPERF3-OPTIONS...; leaves NAME.pcap, NAME.ss.txt, NAME.tc.txt
set -e
out=$1 seconds=$2 limit=$3
shift 3
spaces="beside-a beside-r beside-b"
for n in $spaces; do ip netns add $n; ip -n $n link set lo up; done
trap 'for n in $spaces; do ip netns del $n; done' EXIT
ip link add a0 netns beside-a type veth peer name r0 netns beside-r
ip link add r1 netns beside-r type veth peer name b0 netns beside-b
ip -n beside-a addr add 10.80.0.1/24 dev a0
ip -n beside-r addr add 10.80.0.2/24 dev r0
ip -n beside-r addr add 10.80.1.2/24 dev r1
ip -n beside-b addr add 10.80.1.1/24 dev b0
for where in "beside-a a0" "beside-r r0" "beside-r r1" "beside-b b0"; do
    ip -n ${where% *} link set ${where#* } up gso_max_segs 1
done
ip -n beside-a route add default via 10.80.0.2
ip -n beside-b route add default via 10.80.1.2
ip netns exec beside-r sysctl -qw net.ipv4.ip_forward=1
tc -n beside-r qdisc add dev r1 root handle 1: htb default 1
tc -n beside-r class add dev r1 parent 1: classid 1:1 htb rate 2mbit burst 3k cburst 3k quantum 1514
tc -n beside-r qdisc add dev r1 parent 1:1 handle 10: pfifo limit "$limit"
tc -n beside-r qdisc add dev r0 root handle 1: htb default 1
tc -n beside-r class add dev r0 parent 1: classid 1:1 htb rate 20mbit burst 6k cburst 6k quantum 1514
tc -n beside-r qdisc add dev r0 parent 1:1 handle 10: pfifo limit 100
ip netns exec beside-b iperf3 -s -1 >/dev/null &
sleep 0.5
ip netns exec beside-a tcpdump -i a0 -s 96 -w "$out.pcap" tcp 2>/dev/null & dump=$!
sleep 0.5
ip netns exec beside-a iperf3 -c 10.80.1.1 -t "$seconds" -C cubic "$@" >/dev/null & load=$!
sleep $((seconds - 2))
ip netns exec beside-a ss -tin >"$out.ss.txt"
{ tc -n beside-r -s qdisc show dev r1; tc -n beside-r -s class show dev r1; } >"$out.tc.txt"
wait $load
kill $dump
wait $dump || true
