
# What follows is the same for every capture.
#
#     host === router --- modem === provider --- far end
#                         up ->     <- down
#
# The line's two queues are FIFOs at the modem and at the provider, behind shapers that count whole frames (24 bytes more
# than tc does: FCS, preamble, gap). Segments are cut by the senders, as on a wire that is slower than they are.

die() {
    echo "$0: $1" >&2
    exit "$2"
}

[ "$(id -u)" = 0 ] || die "needs root, for network namespaces: sudo sh $0" 2
for tool in ip tc iperf3 tcpdump timeout; do
    command -v "$tool" >/dev/null || die "$tool is not installed" 2
done
CONTRAFLOW=${CONTRAFLOW:-contraflow}
command -v "$CONTRAFLOW" >/dev/null || die "$CONTRAFLOW is not found; CONTRAFLOW=/path/to/contraflow sh $0" 2
OUT=${1:-remedy-proof}
mkdir "$OUT" 2>/dev/null || die "$OUT: give the name of a new directory" 2

NS=contraflow-$$
NODES="host router modem provider far"

inside() {
    node=$1
    shift
    ip netns exec "$NS-$node" "$@"
}

clean() {
    for node in $NODES; do
        for pid in $(ip netns pids "$NS-$node" 2>/dev/null); do
            kill "$pid" 2>/dev/null || :
        done
        ip netns delete "$NS-$node" 2>/dev/null || :
    done
}
trap clean EXIT
trap 'exit 1' HUP INT TERM

# wire NODE DEVICE ADDRESS NODE DEVICE ADDRESS
wire() {
    inside "$1" ip link add "$2" type veth peer name "$5" netns "$NS-$4"
    inside "$1" ip address add "$3/24" dev "$2"
    inside "$4" ip address add "$6/24" dev "$5"
    inside "$1" ip link set dev "$2" gso_max_segs 1 up
    inside "$4" ip link set dev "$5" gso_max_segs 1 up
}

# line NODE DEVICE KBIT BYTES
line() {
    inside "$1" tc qdisc add dev "$2" root handle ca: htb default 1
    inside "$1" tc class add dev "$2" parent ca: classid ca:1 htb rate "$3kbit" burst 3000 cburst 3000 overhead 24 quantum 3000
    inside "$1" tc qdisc add dev "$2" parent ca:1 bfifo limit "$4"
}

build() {
    for node in $NODES; do
        ip netns add "$NS-$node"
        inside "$node" ip link set dev lo up
        inside "$node" sysctl -qw net.ipv4.ip_forward=1 net.ipv4.tcp_no_metrics_save=1
    done
    # A receiver offers about half of its buffer. What SO_RCVBUF may ask for is one bound for the whole machine, and small.
    [ "$WINDOW_IN" = 0 ] || inside host sysctl -qw net.ipv4.tcp_rmem="4096 $((2 * WINDOW_IN)) $((2 * WINDOW_IN))"
    [ "$WINDOW_OUT" = 0 ] || inside far sysctl -qw net.ipv4.tcp_rmem="4096 $((2 * WINDOW_OUT)) $((2 * WINDOW_OUT))"
    wire host lan 10.77.1.2 router lan 10.77.1.1
    wire router wan 10.77.2.2 modem lan 10.77.2.1
    wire modem line 10.77.3.2 provider line 10.77.3.1
    wire provider core 10.77.4.1 far core 10.77.4.2
    inside host ip route add default via 10.77.1.1
    inside router ip route add default via 10.77.2.1
    inside modem ip route add default via 10.77.3.1
    inside modem ip route add 10.77.1.0/24 via 10.77.2.2
    inside provider ip route add 10.77.0.0/22 via 10.77.3.2
    inside far ip route add default via 10.77.4.1
    line modem line "$UP_KBIT" "$UP_BYTES"
    line provider line "$DOWN_KBIT" "$DOWN_BYTES"
    if [ "$DELAY_MS" != 0 ] &&
        ! inside far tc qdisc add dev core root netem delay "${DELAY_MS}ms" limit 100000 2>"$OUT/netem"; then
        echo "no netem in this kernel: the path is $DELAY_MS ms shorter than the captured one" >&2
        DELAY_MS=0
    fi
}

# goodput FILE: of all streams of a test of iperf3, bit/s, without its first seconds
goodput() {
    [ -e "$1" ] || echo 0
    [ ! -e "$1" ] || awk -F'[:,]' '/"sum_received"/ {seen = 1} seen && /"bits_per_second"/ {print $2 + 0; exit}' "$1"
}

# flows NAME DIRECTORY: both ways at once, captured at the host
flows() {
    name=$1
    mkdir "$OUT/$name"
    ip netns exec "$NS-host" tcpdump -i lan -s 128 -w "$OUT/$name.pcap" 2>"$OUT/$name/tcpdump" &
    tap=$!
    for port in 5201 5202; do
        inside far timeout $((SECONDS_EACH + 30)) iperf3 -s -1 -p "$port" >"$OUT/$name/server-$port" 2>&1 &
    done
    sleep 1
    ends=
    if [ "$FLOWS_OUT" != 0 ]; then
        inside host timeout $((SECONDS_EACH + 20)) iperf3 -c 10.77.4.2 -p 5201 -t "$SECONDS_EACH" -O "$OMIT" \
            -P "$FLOWS_OUT" -J >"$OUT/$name/out.json" &
        ends="$ends $!"
    fi
    if [ "$FLOWS_IN" != 0 ]; then
        inside host timeout $((SECONDS_EACH + 20)) iperf3 -c 10.77.4.2 -p 5202 -R -t "$SECONDS_EACH" -O "$OMIT" \
            -P "$FLOWS_IN" -J >"$OUT/$name/in.json" &
        ends="$ends $!"
    fi
    for end in $ends; do
        wait "$end" || die "$name: iperf3 failed: see $OUT/$name" 3
    done
    sleep 1
    kill "$tap" 2>/dev/null || :
    wait "$tap" 2>/dev/null || :
}

row() {
    awk -v name="$1" -v i="$(goodput "$OUT/$2/in.json")" -v o="$(goodput "$OUT/$2/out.json")" -v said="$3" \
        'BEGIN {printf "%-10s %9.2f %9.2f %9.2f %9s\n", name, i / 1e6, o / 1e6, (i + o) / 1e6, said}' >>"$OUT/table"
}

printf '%-10s %9s %9s %9s %9s\n' '' 'in Mb/s' 'out Mb/s' 'both' 'said' >"$OUT/table"
build
flows before
clean
row before before "$SAID_BEFORE"
n=0
while [ "$n" -lt "$REMEDIES" ]; do
    n=$((n + 1))
    build
    if ! "remedy_$n" 2>"$OUT/remedy-$n.err"; then
        echo "remedy $n cannot be applied by this kernel: $(head -n 1 "$OUT/remedy-$n.err")" >&2
        clean
        continue
    fi
    flows "after-$n"
    clean
    row "remedy $n" "after-$n" "$SAID_AFTER"
    echo "remedy $n:"
    "$CONTRAFLOW" compare "$OUT/before.pcap" "$OUT/after-$n.pcap" --rate "${DOWN_KBIT}k/${UP_KBIT}k" || :
done
cat "$OUT/table"
