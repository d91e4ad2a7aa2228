# SPDX-License-Identifier: GPL-2.0-or-later
"""The sets of flows that linux.py runs."""

DEEP = 4000000
CASE = {"queue": "fifo", "shaped_at": "router", "tap": "wire", "limit_in": DEEP, "limit_out": DEEP, "duration": 7.0,
        "ipv6": False, "timestamps": True, "gso": False, "vlan": False, "format": "pcap", "far": None,
        "police_in": None, "police_out": None}
FLOW = {"app": "bulk", "cc": "reno", "delay_ms": 0, "start": 0.0, "stop": None, "interval_ms": 10}
cases = []


def flow(way, **settings):
    return {**FLOW, "way": way, **settings}


def flows(n_in, n_out, **settings):
    return [flow("in", **settings) for _ in range(n_in)] + [flow("out", **settings) for _ in range(n_out)]


def case_make(name, group, description, traffic, rate=20, **settings):
    """Flows with a `peer` share that host; the others have one each. `police_in`, `police_out`, in Mb/s, work where
    round trips are set."""
    c = {**CASE, "name": name, "class": group, "description": description, "rate_in": rate, "rate_out": rate,
         **settings}
    c["flows"], c["delays_ms"] = [], []
    named = {}
    for i, f in enumerate(traffic):
        peer = f.get("peer")
        if peer is None or peer not in named:
            named[peer if peer is not None else f"own{i}"] = len(c["delays_ms"])
            c["delays_ms"].append(f["delay_ms"])
        number = named[peer if peer is not None else f"own{i}"]
        c["flows"].append({**f, "peer": number, "start": f["start"] or 0.004 * i})
    c["peers"] = len(c["delays_ms"])
    return c


def case(*what, **settings):
    cases.append(case_make(*what, **settings))


def cases_bulk():
    window = {"window": 200000}
    for n_in, n_out in ((1, 1), (2, 1), (1, 2), (2, 2), (3, 1), (1, 3), (3, 2), (4, 1)):
        case(f"reno-{n_in}in-{n_out}out", "bulk", "equal windows of 200 kB, deep FIFO", flows(n_in, n_out, **window))
    case("cubic-2in-1out", "bulk", "CUBIC, windows of 200 kB", flows(2, 1, cc="cubic", **window), tap="host")
    case("cubic-3in-2out", "bulk", "CUBIC, windows of 150 kB", flows(3, 2, cc="cubic", window=150000))
    case("cubic-1in-2out", "bulk", "CUBIC, windows of 150 kB", flows(1, 2, cc="cubic", window=150000))
    for rate in (10, 50, 100, 150):
        case(f"rate{rate}-2in-1out", "bulk", f"{rate} Mb/s, windows of 300 kB", flows(2, 1, window=300000), rate=rate,
             tap="host" if rate == 50 else "wire")
    case("rate100-1in-2out", "bulk", "100 Mb/s, windows of 300 kB", flows(1, 2, window=300000), rate=100)
    case("windows-out2x-2in-1out", "windows", "W, W in and 2W out",
         flows(2, 0, window=150000) + flows(0, 1, window=300000))
    case("windows-out-small-2in-1out", "windows", "200 kB in, 40 kB out",
         flows(2, 0, window=200000) + flows(0, 1, window=40000))
    case("windows-unlike-2in-1out", "windows", "100 and 300 kB in, 200 kB out",
         [flow("in", window=100000), flow("in", window=300000), flow("out", window=200000)])
    case("windows-in-small-1in-1out", "windows", "40 kB in, 200 kB out",
         [flow("in", window=40000), flow("out", window=200000)])


def cases_round_trips():
    case("rtt-2in-1out", "round_trips", "base round trips 0 and 40 ms in, 10 ms out",
         [flow("in", window=200000), flow("in", window=200000, delay_ms=40), flow("out", window=200000, delay_ms=10)])
    case("rtt-1in-1out-unlike", "round_trips", "base round trips 5 ms in, 60 ms out; windows 120 kB",
         [flow("in", window=120000, delay_ms=5), flow("out", window=120000, delay_ms=60)])
    case("rtt-2in-2out-unlike", "round_trips", "base round trips 2, 50 ms in, 10, 80 ms out; windows 100 kB",
         [flow("in", window=100000, delay_ms=2), flow("in", window=100000, delay_ms=50),
          flow("out", window=100000, delay_ms=10), flow("out", window=100000, delay_ms=80)])
    case("rtt-3in-1out-100", "round_trips", "100 ms all, windows 400 kB",
         flows(3, 1, window=400000, delay_ms=100), duration=9.0)
    for rtt, window, n, m in ((20, 50000, 1, 1), (40, 100000, 1, 1), (40, 50000, 2, 2), (20, 65000, 1, 1),
                              (60, 50000, 3, 3)):
        case(f"pendulum-{n}in-{m}out-{rtt}ms-{window // 1000}kB", "pendulum",
             f"round trip {rtt} ms, windows {window // 1000} kB, about the bandwidth-delay product",
             flows(n, m, window=window, delay_ms=rtt), far=0 if (rtt, window) == (40, 100000) else None)
    case("pendulum-rate50", "pendulum", "50 Mb/s, 20 ms, 125 kB", flows(1, 1, window=125000, delay_ms=20), rate=50)
    case("half-bdp-1in-1out", "window_limited", "round trip 40 ms, windows 40 kB: 40 % of the link",
         flows(1, 1, window=40000, delay_ms=40))


def cases_applications():
    for share, n_in, n_out in ((50, 2, 1), (80, 2, 1), (95, 2, 1), (70, 3, 1), (60, 1, 1)):
        each = 18.0 * share / 100 / max(n_in, n_out)
        case(f"paced{share}-{n_in}in-{n_out}out", "paced", f"paced to {each:.2f} Mb/s each: {share} % of the link",
             flows(n_in, n_out, app="paced", rate_mbps=each, cc="cubic"), tap="host" if share == 50 else "wire")
    case("paced-out-bulk-in", "paced", "two bulk in, one paced to 4 Mb/s out",
         flows(2, 0, window=200000) + [flow("out", app="paced", rate_mbps=4, cc="cubic")])
    case("paced-coarse-2in-1out", "paced", "paced to 5 Mb/s in bursts of 60 ms",
         flows(2, 1, app="paced", rate_mbps=5, interval_ms=60, cc="cubic"))
    case("paced-rate100", "paced", "100 Mb/s, paced to 20 Mb/s each",
         flows(3, 1, app="paced", rate_mbps=20, cc="cubic"), rate=100)
    case("paced-late", "paced", "paced to 5 Mb/s, started one after the other",
         [flow("in", app="paced", rate_mbps=5, start=s) for s in (0.0, 0.8)] +
         [flow("out", app="paced", rate_mbps=5, start=1.6)])
    for name, size, think, delay in (("reqresp-2in-1out", 40000, 40, 0), ("reqresp-small-2in-2out", 8000, 10, 5)):
        n_out = 2 if "2out" in name else 1
        case(name, "reqresp", f"requests answered with {size // 1000} kB, {think} ms to think",
             flows(2, n_out, app="reqresp", response_bytes=size, think_ms=think, window=200000, delay_ms=delay))
    case("reqresp-busy-2in-1out", "reqresp", "requests answered with 200 kB at once, no thinking",
         flows(2, 1, app="reqresp", response_bytes=200000, think_ms=0, window=200000))
    case("reqresp-out-bulk-in", "reqresp", "two bulk in; requests from outside, answered with 30 kB",
         flows(2, 0, window=100000) + [flow("out", app="reqresp", response_bytes=30000, think_ms=0, window=100000)])
    case("onoff-2in-1out", "onoff", "on for 100 ms at 12 Mb/s, off for 200",
         flows(2, 1, app="onoff", on_s=0.1, off_s=0.2, rate_mbps=12, cc="cubic"))
    case("onoff-1in-1out", "onoff", "on for 60 ms at 10 Mb/s, off for 100",
         flows(1, 1, app="onoff", on_s=0.06, off_s=0.1, rate_mbps=10, cc="cubic"))
    case("onoff-out-bulk-in", "onoff", "two bulk in, one out that is on half of the time",
         flows(2, 0, window=150000) + [flow("out", app="onoff", on_s=0.5, off_s=0.5, window=150000)])


def cases_windows():
    case("slow-reader-2in-1out", "slow_reader", "readers that take 4 Mb/s",
         flows(2, 1, read_mbps=4, rcvbuf=60000))
    case("slow-reader-1in-1out", "slow_reader", "readers that take 9 Mb/s", flows(1, 1, read_mbps=9, rcvbuf=100000),
         tap="host")
    case("slow-reader-in-bulk-out", "slow_reader", "two slow readers (5 Mb/s) in, one bulk out",
         flows(2, 0, read_mbps=5, rcvbuf=60000) + flows(0, 1, window=200000))
    case("rwnd-2in-1out", "window_limited", "windows of 20 kB, round trip 40 ms: 4 Mb/s each",
         flows(2, 1, window=20000, delay_ms=40))
    case("rwnd-3in-1out", "window_limited", "windows of 15 kB, round trip 25 ms: 70 % of the link",
         flows(3, 1, window=15000, delay_ms=25))
    case("rwnd-rate100-2in-1out", "window_limited", "100 Mb/s, windows of 100 kB, round trip 30 ms",
         flows(2, 1, window=100000, delay_ms=30), rate=100)
    case("sndbuf-2in-1out", "window_limited", "send buffers of 16 kB, round trip 30 ms",
         flows(2, 1, sndbuf=16000, delay_ms=30, cc="cubic"))
    case("sndbuf-1in-1out", "window_limited", "send buffers of 40 kB, round trip 50 ms",
         flows(1, 1, sndbuf=40000, delay_ms=50, cc="cubic"), tap="host")
    case("sndbuf-1in-1out-60ms", "window_limited", "send buffers of 16 kB, round trip 60 ms",
         flows(1, 1, sndbuf=16000, delay_ms=60))
    case("sndbuf-2in-2out-reno", "window_limited", "send buffers of 24 kB, round trip 20 ms",
         flows(2, 2, sndbuf=24000, delay_ms=20))
    case("oneway-2in", "one_way", "two in, nothing out", flows(2, 0, window=200000))
    case("oneway-2out", "one_way", "nothing in, two out", flows(0, 2, window=200000), tap="host")
    case("oneway-3in-lossy", "one_way", "three in through 40 kB, CUBIC", flows(3, 0, cc="cubic"),
         limit_in=40000, limit_out=40000)
    case("oneway-1in-100ms", "one_way", "one in, 100 ms, window 200 kB",
         flows(1, 0, window=200000, delay_ms=100))


def cases_queues():
    for n_in, n_out in ((2, 1), (3, 1), (1, 1), (2, 2)):
        case(f"fair-{n_in}in-{n_out}out", "fair", "a queue a flow and a way", flows(n_in, n_out, window=100000),
             queue="fair")
    for n_in, n_out in ((2, 1), (3, 1), (1, 2)):
        case(f"ackfirst-{n_in}in-{n_out}out", "ack_first", "ACKs first already", flows(n_in, n_out, window=100000),
             queue="ack-first")
    for n_in, n_out, cc, limit in ((3, 1, "reno", 40000), (3, 1, "cubic", 40000), (2, 1, "cubic", 60000),
                                   (2, 1, "reno", 100000), (2, 2, "cubic", 30000), (1, 1, "reno", 15000)):
        case(f"loss-{n_in}in-{n_out}out-{cc}-{limit // 1000}kB", "losses", f"buffers of {limit // 1000} kB",
             flows(n_in, n_out, cc=cc), limit_in=limit, limit_out=limit)
    case("loss-20ms-2in-1out-cubic-50kB", "losses", "buffers of 50 kB, round trip 20 ms",
         flows(2, 1, cc="cubic", delay_ms=20), limit_in=50000, limit_out=50000, duration=9.0)
    case("tsq-1in-2out", "own_nic", "the host's own NIC is the shaper: TCP Small Queues act",
         flows(1, 2, window=200000), shaped_at="host")
    case("tsq-2in-2out", "own_nic", "the host's own NIC is the shaper: TCP Small Queues act",
         flows(2, 2, window=200000), shaped_at="host")
    case("tsq-1in-1out", "own_nic", "the host's own NIC is the shaper, windows 400 kB",
         flows(1, 1, window=400000), shaped_at="host")
    for n_in, n_out, cc, delay, tap in ((2, 1, "cubic", 20, "wire"), (1, 1, "reno", 5, "host"),
                                        (2, 0, "cubic", 10, "wire")):
        case(f"police-{n_in}in-{n_out}out-{cc}", "policing", f"token buckets of 6 Mb/s each way, round trip {delay} ms",
             flows(n_in, n_out, cc=cc, delay_ms=delay), police_in=6, police_out=6, tap=tap)
    case("police-out-1in-2out-cubic", "policing", "a token bucket of 8 Mb/s outwards alone",
         flows(1, 2, cc="cubic", delay_ms=15, window=60000), police_out=8)
    case("bbr-2in-1out", "bbr", "BBR, deep buffers, 10 ms", flows(2, 1, cc="bbr", delay_ms=10), tap="host")
    case("bbr-1in-1out", "bbr", "BBR, deep buffers, 20 ms", flows(1, 1, cc="bbr", delay_ms=20))
    case("bbr-2in-2out", "bbr", "BBR, deep buffers, 5 ms", flows(2, 2, cc="bbr", delay_ms=5))
    case("bbr-cubic-2in-1out", "bbr", "CUBIC in, BBR out, windows 200 kB",
         flows(2, 0, cc="cubic", window=200000) + flows(0, 1, cc="bbr", window=200000))
    case("full-2in-2out-100", "full", "both ways full, 100 Mb/s", flows(2, 2, window=300000), rate=100)
    case("full-3in-3out", "full", "both ways full", flows(3, 3, window=120000), tap="host")


def cases_other():
    udp = {"app": "udp", "cc": ""}
    case("udp-in-1out", "udp", "one out; 22 Mb/s of UDP towards the host, 300 kB buffers",
         [flow("in", rate_mbps=22, **udp), flow("out", window=100000)], limit_in=300000)
    case("udp-in-light-1out", "udp", "one out; 10 Mb/s of UDP towards the host",
         [flow("in", rate_mbps=10, **udp), flow("out", window=100000)])
    case("udp-in-1in-1out", "udp", "one each way; 12 Mb/s of UDP towards the host",
         [flow("in", rate_mbps=12, **udp)] + flows(1, 1, window=100000))
    case("adsl-20-2-1in-1out", "access", "20 Mb/s down, 2 up", flows(1, 1, window=200000), rate_in=20, rate_out=2)
    case("own-20-2-1in-1out", "access", "20 Mb/s down, 2 up, shaped at the host itself, 20 ms; both ways are filled",
         flows(1, 1, cc="cubic", delay_ms=20), rate_in=20, rate_out=2, shaped_at="host", tap="host", gso=True,
         limit_in=750000, limit_out=75000, duration=10.0)
    case("adsl-20-1-2in-1out", "access", "20 Mb/s down, 1 up", flows(2, 1, window=100000), rate_in=20, rate_out=1)
    case("adsl-50-5-2in-1out", "access", "50 Mb/s down, 5 up, 10 ms", flows(2, 1, window=200000, delay_ms=10),
         rate_in=50, rate_out=5)
    case("adsl-20-2-2in", "access", "20 Mb/s down, 2 up, download only", flows(2, 0, window=200000), rate_in=20,
         rate_out=2)
    case("thin-20-0.3-2in", "access", "20 Mb/s down, 0.3 up: too thin for the ACKs of a download",
         flows(2, 0, window=200000), rate_in=20, rate_out=0.3)
    case("thin-50-0.5-1in", "access", "50 Mb/s down, 0.5 up, 15 ms",
         flows(1, 0, window=150000, delay_ms=15, cc="cubic"), rate_in=50, rate_out=0.5, tap="host")
    case("thin-0.4-30-2out", "access", "0.4 Mb/s down, 30 up: too thin for the ACKs of an upload",
         flows(0, 2, window=100000, delay_ms=5), rate_in=0.4, rate_out=30)
    case("late-out-2in-1out", "late", "the outgoing flow joins a standing backlog",
         flows(2, 0, window=200000) + [flow("out", window=200000, start=2.0)], duration=9.0)
    case("late-in-2in-1out", "late", "an incoming flow joins a standing backlog",
         [flow("in", window=200000), flow("in", window=150000, start=2.5), flow("out", window=200000)], duration=9.0)
    case("late-all-2in-2out", "late", "one flow after the other, 10 ms",
         [flow(way, window=150000, delay_ms=10, start=0.6 * i) for i, way in enumerate(("in", "out", "in", "out"))],
         duration=9.0)
    case("gso-2in-1out", "gso", "segmentation offload on, captured at the host", flows(2, 1, window=300000), gso=True,
         tap="host", rate=50)
    case("gso-1in-2out-paced", "gso", "segmentation offload on, paced, captured at the host",
         flows(1, 2, app="paced", rate_mbps=10, cc="cubic", interval_ms=20), gso=True, tap="host", rate=50)
    case("gso-1in-1out", "gso", "segmentation offload on, 20 ms", flows(1, 1, window=150000, delay_ms=20), gso=True,
         tap="host", rate=30)
    case("ipv6-2in-1out", "ipv6", "IPv6", flows(2, 1, window=200000), ipv6=True)
    case("ipv6-paced-2in-1out", "ipv6", "IPv6, paced to 5 Mb/s each",
         flows(2, 1, app="paced", rate_mbps=5, cc="cubic"), ipv6=True)
    case("vlan-2in-1out", "vlan", "802.1Q tags (written into the file)", flows(2, 1, window=200000), vlan=True)
    case("nots-2in-1out", "no_timestamps", "no TCP timestamps", flows(2, 1, window=200000), timestamps=False)
    case("nots-rtt-2in-1out", "no_timestamps", "no TCP timestamps, 20 ms, 60 kB: half of the link",
         flows(2, 1, window=12000, delay_ms=20), timestamps=False)
    case("nots-paced-2in-1out", "no_timestamps", "no TCP timestamps, paced to 6 Mb/s",
         flows(2, 1, app="paced", rate_mbps=6, cc="cubic"), timestamps=False, format="pcapng")
    case("pcapng-3in-1out", "bulk", "pcapng, CUBIC, windows 100 kB", flows(3, 1, cc="cubic", window=100000),
         format="pcapng")


for define in (cases_bulk, cases_round_trips, cases_applications, cases_windows, cases_queues, cases_other):
    define()
