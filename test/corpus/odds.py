# SPDX-License-Identifier: GPL-2.0-or-later
"""Classes of emulated.py that no weight and no threshold of the judge was made on: what a network does besides.

Each is a draw of priors.py with one thing more: cables that lose and delay at random, framings of access lines, segments of
other sizes, token buckets, buffers that ports share, dozens of flows, datagrams beside, a filter of ACKs, frames that
overtake others, transfers that come and go, equal windows on a line that is faster one way, others at home whose data the
capture does not show, interrupts that wait for more frames, captures on the way, connections with data both ways, policers,
clusters whose other hosts talk, too, lines whose rate changes."""
from priors import (DEEP, MOST_FRAMES, SEGMENT, WIRE, draw_access_line, draw_prior, prior_cable, prior_flow, prior_flows,
                    prior_line, prior_log, prior_queue, prior_round_trips, prior_star, prior_tcp, prior_time)

# DOCSIS; PPPoE and PPPoA over ATM; VDSL2; two that count less than Ethernet does.
FRAMINGS = [{"overhead": 18, "mpu": 64}, {"overhead": 40, "cells": "atm"}, {"overhead": 44, "cells": "atm"},
            {"overhead": 30, "cells": "ptm"}, {"overhead": 8, "mpu": 0}, {"overhead": 4, "mpu": 0}]
KINDS = ["flood", "bulk", "bulk", "window", "rate"]


def draw_faulty(d):
    draw_prior(d)
    for cable in d.links:
        if d.r.random() < 0.5 or cable is d.links[0]:
            faults = {"loss": f"{prior_log(d.r, 1e-5, 1e-3):.6f}"} if d.r.random() < 0.6 else {}
            if d.r.random() < 0.6 or not faults:
                faults["jitter"] = f"{round(prior_log(d.r, 0.01, 1.0) * max(d.base_s, 1e-4) * 1e9)}ns"
            cable["faults"] = faults


def draw_reorder(d):
    draw_prior(d)
    for cable in d.links:
        cable["faults"] = {"reorder": f"{prior_log(d.r, 1e-4, 2e-2):.5f}"}
    d.links[0]["faults"]["reorder_by"] = f"{round(d.r.uniform(0.1, 0.9) * 1e3)}ns"


def draw_framed(d):
    prior_tcp(d)
    d.tcp.pop("small_queues", None)
    peers, wait_s = prior_line(d, {"fifo": 8, "fq_codel": 1})
    d.links[1]["framing"] = d.r.choice(FRAMINGS)
    d.taps = ["h0"]
    prior_flows(d, d.degrees(3), peers, wait_s, KINDS)
    d.notes.append("framing " + "-".join(map(str, d.links[1]["framing"].values())))


def draw_segments(d):
    draw_prior(d)
    size = d.r.choice([536, 1220, 1360, 8948, 8948])
    d.tcp["segment"] = f"{size}B"
    for f in d.flows:
        f["window"] = f"{max(2 * size, int(f['window'].rstrip('B')))}B"
    d.notes.append(f"segments of {size} B")


def odds_bucket(d, rate, burst, wait_s):
    limit = f"{max(20 * WIRE, round(wait_s * rate / 8))}B" if d.r.random() < 0.5 else DEEP
    return {"queue": "tbf", "rate": f"{round(rate)}bps", "burst": f"{burst}B", "limit": limit}


def draw_token_bucket(d):
    """The way out and the way in are shaped by token buckets, at h0's own cable or one farther."""
    prior_tcp(d)
    d.tcp.pop("small_queues", None)
    up = prior_log(d.r, 1e6, 200e6)
    rate = up * d.r.choice([1, 1, 2, 5, 10, 20])
    frame_s = WIRE * 8 / rate
    trips = prior_round_trips(d, 1e-3, min(0.08, max(2e-3, MOST_FRAMES * frame_s / 80)), d.r.randint(1, 4))
    wait_s = prior_log(d.r, 0.01, max(0.02, min(1.0, MOST_FRAMES * frame_s / 30)))
    prior_time(d, rate, max(trips), wait_s)
    burst = round(prior_log(d.r, 3100, max(4000, min(2e6, up / 8 * 0.1))))
    fast, here = max(1e9, 3 * rate), d.r.random() < 0.4
    out, back = odds_bucket(d, up, burst, wait_s), odds_bucket(d, rate, burst, wait_s)
    d.up, d.taps = up, ["h0"]
    d.ports = {"in": "sw0-h0", "out": "h0"} if here else {"in": "isp-sw0", "out": "sw0-isp"}
    d.links = [prior_cable("h0", "sw0", fast, 1e-6, *((fast, out, back) if here else ()))]
    if not here:
        d.links.append(prior_cable("sw0", "isp", fast, min(trips) / 8, fast, out, back))
    hub, near_s = ("sw0", 0) if here else ("isp", min(trips) / 8)
    d.links += [prior_cable(f"h{i + 1}", hub, fast, trip / 2 - near_s) for i, trip in enumerate(trips)]
    prior_flows(d, d.degrees(3), [(f"h{i + 1}", trip) for i, trip in enumerate(trips)], wait_s, KINDS)
    d.notes.append(f"{rate / 1e6:.3g}/{up / 1e6:.3g} Mb/s, bursts of {burst} B")


def draw_shared_buffer(d):
    draw_prior(d)
    d.switch = {"queue": "fifo", "architecture": "shared", "pool": f"{round(prior_log(d.r, 2e4, 4e6))}B",
                "alpha": d.r.choice([0, 0.5, 1, 4])}
    for cable in d.links:  # ports of a shared buffer have no queue of their own
        cable.get("out", {}).pop("port", None)
        cable.get("back", {}).pop("port", None)
    d.notes.append(f"{d.switch['pool']} shared, alpha {d.switch['alpha']}")


def draw_many(d):
    prior_tcp(d)
    peers, wait_s = prior_line(d, {"fifo": 8, "fq_codel": 2}) if d.r.random() < 0.5 else prior_star(d)
    few, dozens = d.r.randint(1, 4), d.r.randint(8, 30)
    counts = d.r.choice([(dozens, few), (few, dozens), (dozens, d.r.randint(8, 30))])
    prior_flows(d, counts, peers, wait_s, KINDS + ["messages"])
    d.notes.append(f"{counts[0]} in, {counts[1]} out")


def draw_datagrams(d):
    """A call, a camera or a backup over UDP leaves h0 beside what it loads."""
    prior_tcp(d)
    d.tcp.pop("small_queues", None)
    peers, wait_s = prior_line(d, {"fifo": 8, "fq_codel": 1})
    d.taps = ["h0"]
    prior_flows(d, (d.r.randint(1, 3), d.r.choice([0, 0, 1, 2])), peers, wait_s, KINDS)
    share = d.r.choice([0.1, 0.3, 0.6, 0.8, 0.9, 0.95, 0.98, 1.02])
    d.datagrams = [{"from": "h0", "to": peers[0][0], "rate": f"{round(share * d.up)}bps",
                    "packet": f"{d.r.choice([200, 600, 1200, 1400])}B"}]
    d.notes.append(f"datagrams of {share:.0%}")


def draw_ack_filter(d):
    draw_access_line(d)
    d.links[1]["out"]["port"]["queue"] = "ack-filter"
    d.unlike = True


def draw_come_and_go(d):
    draw_prior(d)
    peers = [f["to"] if f["way"] == "out" else f["from"] for f in d.flows]
    for _ in range(d.r.randint(3, 30)):
        way = d.r.choice(["in", "out", "out"])
        rate = d.rate if way == "in" else d.out_rate
        size = prior_log(d.r, 5e3, max(6e3, 0.2 * d.duration * rate / 8))
        d.add(way, max(2 * SEGMENT, rate / 8 * d.base_s * 2), peer=d.r.choice(peers), bytes=f"{round(size)}B",
              start=d.r.uniform(0, 0.95) * d.duration, app="short")


def draw_equal_windows(d):
    """A line 1.15 to 3 times as fast one way, and as many flows with the same window either way: by Eq. 6 both ways carry
    what the slower one can."""
    prior_tcp(d)
    d.tcp.pop("small_queues", None)
    rate, trip, n = prior_log(d.r, 1e6, 200e6), prior_log(d.r, 1e-3, 0.04), d.r.choice([1, 1, 1, 2, 3])
    ways = [rate, rate * d.r.uniform(1.15, 3.0)]
    d.r.shuffle(ways)
    prior_time(d, ways[0], trip, 0.2)
    d.up, d.ports, d.taps = ways[1], {"in": "isp-sw0", "out": "sw0-isp"}, ["h0"]
    fifo, fast = {"queue": "fifo", "limit": DEEP}, max(1e9, 2 * max(ways))
    d.links = [prior_cable("h0", "sw0", fast, 1e-6), prior_cable("sw0", "isp", ways[0], trip / 8, ways[1], fifo, fifo),
               prior_cable("h1", "isp", fast, 3 * trip / 8)]
    window = max(2 * SEGMENT, prior_log(d.r, 1.3, 20) * rate / 8 * trip / n)
    d.many(n, n, window, peer="h1")
    d.notes.append(f"{ways[0] / 1e6:.3g}/{ways[1] / 1e6:.3g} Mb/s, {n} each way")


def draw_far(d):
    """All goes to one server, where the capture is made: the queues are before the tap one way and after it the other."""
    prior_tcp(d)
    d.tcp.pop("small_queues", None)
    (peer, *_), wait_s = prior_line(d, {"fifo": 8, "fq_codel": 1}) if d.r.random() < 0.7 else prior_star(d)
    prior_flows(d, d.degrees(3), [peer], wait_s, KINDS)
    d.taps = [peer[0]]


def draw_neighbours(d):
    """Others at home load the same line, which a capture at h0 does not show."""
    prior_tcp(d)
    d.tcp.pop("small_queues", None)
    peers, wait_s = prior_line(d, {"fifo": 8, "fq_codel": 1})
    d.taps = ["h0"]
    prior_flows(d, d.r.choice([(d.r.randint(1, 3), 0), (d.r.randint(1, 3), 0), (0, d.r.randint(1, 2)), (1, 1), (2, 1)]), peers,
                wait_s, KINDS)
    home, others = f"h{len(peers) + 1}", d.r.randint(1, 4)
    d.links.append(prior_cable(home, "sw0", 1e9, 1e-6))
    for _ in range(others):
        way, (peer, base_s) = d.r.choice(["out", "out", "in"]), d.r.choice(peers)
        window, more = prior_flow(d, way, others, base_s, wait_s, KINDS)
        d.add("past", window, peer=peer, start=d.r.uniform(0, 0.3) * d.duration, **more)
        d.flows[-1] |= {"from": home, "to": peer} if way == "out" else {"from": peer, "to": home}
    d.notes.append(f"{others} of others")


def draw_middle(d):
    """The capture is made at a router, where its line begins."""
    (draw_neighbours if d.r.random() < 0.7 else draw_access_line)(d)
    d.taps = ["sw0-isp"]


def draw_server(d):
    """A server, where the capture is made, and clients, each behind a line of its own."""
    prior_tcp(d)
    d.tcp.pop("small_queues", None)
    n, most = d.r.randint(2, 5), prior_log(d.r, 5e6, 500e6)
    lines = [most] + [most * d.r.choice([1, 1, 0.5, 0.2]) for _ in range(n - 1)]
    trips = prior_round_trips(d, 4e-3, 0.08, n)
    wait_s = prior_log(d.r, 0.02, 0.4)
    prior_time(d, most, max(trips), wait_s)
    fast = d.r.choice([1, 1, 4]) * max(1e9, 2 * most)
    d.taps, d.links = ["h0"], [prior_cable("h0", "sw0", fast, 1e-6)]
    for i, (rate, trip) in enumerate(zip(lines, trips)):
        d.rate, d.up = rate, rate / d.r.choice([1, 2, 10, 10, 20])
        out, back = (prior_queue(d, r, wait_s, {"fifo": 8, "fq_codel": 2}) for r in (d.up, rate))
        d.links += [prior_cable(f"m{i}", "sw0", rate, trip / 2 - 2e-6, d.up, out, back),
                    prior_cable(f"h{i + 1}", f"m{i}", fast, 1e-6)]
        # what the client receives leaves the server, and what it sends comes in
        d.rate, d.up = d.up, rate
        counts = d.r.choice([(1, 1), (1, 1), (1, 2), (0, 1), (1, 0), (2, 2)])
        prior_flows(d, counts, [(f"h{i + 1}", trip)], wait_s, KINDS)
    d.rate = d.peer_rate = fast
    d.up = None
    d.notes = [f"{n} clients of up to {most / 1e6:.3g} Mb/s"]


def draw_coalesced(d):
    """Interrupts that wait for more frames, and a processor for both ways."""
    draw_prior(d)
    frame_s = WIRE * 8 / d.rate
    most_s = max(3e-5, min(1e-3, 30 * frame_s))
    d.host = {"interrupt_delay": f"{round(prior_log(d.r, max(1e-6, frame_s / 4), most_s) * 1e9)}ns"}
    if d.r.random() < 0.5:
        d.host["interrupt_frames"] = d.r.choice([4, 16, 64])
    if d.r.random() < 0.3:
        d.host["processor"] = f"{round(d.r.uniform(0.05, 0.45) * frame_s * 1e9)}ns"
    d.notes.append(f"interrupts after {d.host['interrupt_delay']}")


def draw_exchange(d):
    """Connections that carry data both ways, as MPI's do, beside some that do not."""
    draw_prior(d)
    for f in d.flows:
        if f["way"] != "past" and f["app"] in ("bulk", "window") and d.r.random() < 0.7:
            f |= {"duplex": "true", "bytes": f"{round(d.duration * d.rate / 8)}B", "app": "duplex"}
    d.notes.append(f"{sum(f['app'] == 'duplex' for f in d.flows)} of {len(d.flows)} both ways")


def draw_policed(d):
    """An access line whose provider, beyond it, drops what comes faster than is paid for, one way or both, and queues
    nothing."""
    prior_tcp(d)
    d.tcp.pop("small_queues", None)
    peers, wait_s = prior_line(d, {"fifo": 8, "fq_codel": 1})
    for cable in d.links[2:]:
        cable["to"] = "pop"
    ports = {}
    for way in d.r.choice([("out",), ("back",), ("out", "back")]):
        rate = (d.up if way == "out" else d.rate) * d.r.uniform(0.4, 0.95)
        burst = round(max(6 * WIRE, rate / 8 * prior_log(d.r, 0.005, 0.2)))
        ports[way] = {"queue": "policer", "rate": f"{round(rate)}bps", "burst": f"{burst}B", "limit": DEEP}
        d.notes.append(f"policed to {rate / 1e6:.3g} Mb/s")
    d.links.append(prior_cable("isp", "pop", max(1e9, 4 * d.rate), 1e-6, None, ports.get("out"), ports.get("back")))
    d.taps = ["h0", "h0", "sw0-isp"]
    prior_flows(d, d.degrees(3), peers, wait_s, KINDS)


def draw_cluster(d):
    """Two racks whose other hosts send, too: their data share h0's peers' links and the backbone, and no capture at h0
    shows them."""
    prior_tcp(d)
    rate = d.r.choice([1e8, 1e9, 1e9, 1e10])
    frame_s, n = WIRE * 8 / rate, d.r.randint(3, 7)
    wait_s = prior_log(d.r, 20 * frame_s, 600 * frame_s)
    trip = prior_log(d.r, 8 * frame_s + 4e-6, 200 * frame_s)
    prior_time(d, rate, trip, wait_s)
    kind = prior_queue(d, rate, wait_s, {"fifo": 8, "fair": 1, "fq_codel": 1})
    d.nic |= kind
    d.switch |= kind
    hub = [f"sw{int(i and d.r.random() < 0.5)}" for i in range(n + 1)]
    d.links = [prior_cable(f"h{i}", sw, rate, trip / 4) for i, sw in enumerate(hub)]
    d.links.append(prior_cable("sw0", "sw1", rate * d.r.choice([0.5, 1, 1, 2, 10]), 1e-6))
    d.taps = ["h0"]
    prior_flows(d, (d.r.randint(0, 3), d.r.randint(1, 3)), [(f"h{i}", trip) for i in range(1, n + 1)], wait_s,
                ["bulk", "bulk", "flood", "rate"])
    others = d.r.randint(1, 2 * n)
    for _ in range(others):
        a, b = d.r.sample(range(1, n + 1), 2)
        window, more = prior_flow(d, "in", max(1, others // n), trip, wait_s, ["bulk", "bulk", "flood", "rate"])
        d.add("past", window, peer=f"h{b}", start=d.r.uniform(0, 0.1) * d.duration, **more)
        d.flows[-1] |= {"from": f"h{a}", "to": f"h{b}"}
    d.notes.append(f"{others} of others")


def draw_varying(d):
    """A line whose rate changes from time to time, as radio's does: what it lacks of its best is taken by datagrams that
    the capture does not show."""
    draw_access_line(d)
    home = 1 + max(int(end[1:]) for c in d.links for end in (c["from"], c["to"]) if end[0] == "h")
    d.links += [prior_cable(f"h{home}", "sw0", max(1e9, 2 * d.rate), 1e-6), prior_cable(f"h{home + 1}", "isp", max(1e9, 2 * d.rate), 1e-6)]
    trip_s = prior_log(d.r, 3, 100) * d.base_s
    most = d.r.uniform(0.2, 0.8)
    at, pieces = 0.0, 0
    while at < d.duration and pieces < 60:
        end = at + max(d.duration / 50, d.r.expovariate(1 / trip_s))
        lacks = d.r.uniform(0, most)
        for a, b, rate in ((home, home + 1, d.up), (home + 1, home, d.rate)):
            d.datagrams.append({"from": f"h{a}", "to": f"h{b}", "rate": f"{max(1000, round(lacks * rate))}bps",
                                "start": f"{round(at * 1e9)}ns", "stop": f"{round(end * 1e9)}ns"})
        at, pieces = end, pieces + 1
    d.notes.append(f"{pieces} rates, down to {1 - most:.0%}")


ODDS = {"faulty": draw_faulty, "reorder": draw_reorder, "framed": draw_framed, "segments": draw_segments,
        "token_bucket": draw_token_bucket, "shared_buffer": draw_shared_buffer, "many": draw_many,
        "datagrams": draw_datagrams, "ack_filter": draw_ack_filter, "come_and_go": draw_come_and_go,
        "equal_windows": draw_equal_windows, "far": draw_far,
        "neighbours": draw_neighbours, "coalesced": draw_coalesced, "server": draw_server, "middle": draw_middle,
        "exchange": draw_exchange, "policed": draw_policed, "cluster": draw_cluster, "varying": draw_varying}
