# SPDX-License-Identifier: GPL-2.0-or-later
"""Classes of emulated.py that are drawn from priors over networks, not from what a rule was made on.

constant_rate: applications that write at a constant rate, 20 to 100 % of a fair share each, all flows or some, deep
FIFOs. prior: a star, a tree or a home of cables as unlike as they come; queues, windows, round trips, applications and
starts each drawn by itself, so that several oddities meet. access_line: an access line whose shaper lies behind the
tap: h0 -1 Gb/s- sw0 =shaper= isp - peers, captured at h0, where data show when the stack sends them."""
import math

WIRE, SEGMENT = 1538, 1448  # bytes: a full frame on the wire, its payload
DEEP = "20MB"
QUEUES = {"fifo": 50, "codel": 8, "fq_codel": 14, "pie": 8, "red": 8, "fair": 6, "ack-first": 6}
PAYLOAD = SEGMENT / WIRE
MOST_FRAMES = 150e3  # of the faster way of an access line, in all


def prior_log(r, low, high):
    return math.exp(r.uniform(math.log(low), math.log(max(low, high))))


def prior_queue(d, rate, wait_s, disciplines):
    """A queue that holds `wait_s` of `rate`, ten frames at least; deep in half of the cases of fifo."""
    kind = d.r.choices(list(disciplines), list(disciplines.values()))[0]
    deep = kind != "fifo" or d.r.random() < 0.5
    queue = {"queue": kind, "limit": DEEP if deep else f"{max(10 * WIRE, round(wait_s * rate / 8))}B"}
    if kind == "red":
        queue |= {"rate": f"{round(rate)}bps", "min": f"{max(3 * WIRE, round(wait_s * rate / 80))}B"}
    d.unlike |= kind not in ("fifo", "ack-first")
    d.notes.append(kind if deep else f"{kind} of {queue['limit']}")
    return queue


def prior_cable(a, b, rate, delay_s, up=None, out=None, back=None):
    """`up`, `out`: rate and queue of what `a` sends; `back`: the queue of what `b` sends."""
    cable = {"from": a, "to": b, "rate": f"{round(rate)}bps", "delay": f"{round(delay_s * 1e12)}ps"}
    for way, differs in (("out", {"rate": f"{round(up)}bps"} if up else {}), ("back", {})):
        port = out if way == "out" else back
        if port:
            differs["port"] = port
        if differs:
            cable[way] = differs
    return cable


def prior_time(d, rate, base_s, wait_s=0.0):
    """Long enough for many round trips, behind queues of `wait_s`, too."""
    d.rate = d.peer_rate = rate
    d.base_s = base_s
    d.duration = max(d.frames * WIRE * 8 / rate, 80 * base_s, 30 * wait_s)
    d.warmup = 0.45 * d.duration


def prior_tcp(d):
    if d.engine == "native" and not d.asked:
        d.tcp = {"congestion": d.r.choice(["cubic", "cubic", "linuxreno", "newreno"]),
                 "initial_window": d.r.choice([10, "warm"]), "delayed_ack": d.r.choice([1, 2, 2, 2])}
    if d.r.random() < 0.15:
        d.tcp["small_queues"] = f"{d.r.choice([10, 30, 100])}kB"


def prior_flow(d, way, mates, base_s, wait_s, kinds):
    """(window, what else) of one of `mates` flows whose way can stand `wait_s`."""
    rate = d.rate if way == "in" else d.out_rate
    held = rate / 8 * base_s * PAYLOAD  # by the empty path
    kind = d.r.choice(kinds)
    wide = max(10 * SEGMENT, (2 * held + wait_s * rate / 8) / mates)
    if kind == "flood":
        return 2 * wide, {}
    if kind == "bulk":
        return prior_log(d.r, max(6 * SEGMENT, 1.2 * held / mates), 1.5 * wide), {}
    if kind == "window":
        return max(2 * SEGMENT, d.r.choice([d.r.uniform(2, 12) * SEGMENT, d.r.uniform(0.05, 0.9) * held / mates])), {}
    share = d.r.uniform(0.2, 1.0) * rate * PAYLOAD / mates
    if kind == "paced":
        pauses = d.pauses(share)
        return wide, {"pauses": pauses, "app": "paced"} if pauses else {}
    if kind == "messages":
        size = round(prior_log(d.r, 3e3, max(4e3, d.duration * rate / 8 / 100)))
        return wide, {"bytes": f"{size}B", "repeat": 2000, "app": "messages"}
    return wide, {"rate": f"{round(share)}bps", "app": "rate"}


def prior_flows(d, counts, peers, wait_s, kinds):
    """`peers`: [(host, base round trip)]. Flows begin together, or one after the other."""
    late, alike = d.r.random() < 0.4, d.r.random() < 0.3
    only = [d.r.choice(kinds)] if alike else kinds
    for way, n in zip(("in", "out"), counts):
        for _ in range(n):
            peer, base_s = d.r.choice(peers)
            window, more = prior_flow(d, way, n, base_s, wait_s, only)
            d.add(way, window, peer=peer, start=d.r.uniform(0, 0.4 if late else 0.02) * d.duration, **more)
    d.notes += ["one after the other"] * late + sorted({f["app"] for f in d.flows})


def prior_round_trips(d, low, high, n):
    """Of n peers: alike in a third of the cases."""
    drawn = [prior_log(d.r, low, high) for _ in range(n)]
    return [drawn[0]] * n if d.r.random() < 1 / 3 else drawn


def draw_constant_rate(d):
    n = d.degrees(4)
    every, alike, share = d.r.random() < 0.6, d.r.random() < 0.5, d.r.uniform(0.2, 1.0)
    paced = 0
    for way, k in zip(("in", "out"), n):
        for _ in range(k):
            of = share if alike else d.r.uniform(0.2, 1.0)
            rate = {"rate": f"{round(of * d.rate * PAYLOAD / k)}bps", "app": "rate"}
            rate = rate if every or d.r.random() < 0.5 else {}
            paced += bool(rate)
            d.add(way, d.window(), **rate)
    if not paced:
        d.flows[0] |= {"rate": f"{round(share * d.rate * PAYLOAD / n[0])}bps", "app": "rate"}
    d.tcp["initial_window"] = d.r.choice(["warm", 10])
    d.notes.append(f"{paced or 1} of {sum(n)}" + (f", {share:.0%}" if alike else ""))


def prior_star(d):
    """A star, or a tree of two racks, of unlike cables: [(host, base round trip)]."""
    tree = d.r.random() < 0.5
    rate = prior_log(d.r, 5e6, 1e10)
    frame_s = WIRE * 8 / rate
    wait_s = prior_log(d.r, 10 * frame_s, 600 * frame_s)
    trips = prior_round_trips(d, 8 * frame_s + 4e-6, min(0.08, 400 * frame_s), d.r.randint(2, 6))
    prior_time(d, rate, max(trips), wait_s)
    for port in (d.nic, d.switch):
        port |= prior_queue(d, rate, wait_s, QUEUES)
    d.links = [prior_cable("h0", "sw0", rate, 1e-6)]
    if tree:
        d.links.append(prior_cable("sw0", "sw1", rate * d.r.choice([0.5, 1, 1, 2.5, 10]), 1e-6))
    for i, trip in enumerate(trips):
        unlike = d.r.choice([1, 1, 1, 1, 0.2, 2.5, 10])
        d.links.append(prior_cable(f"h{i + 1}", f"sw{int(tree and d.r.random() < 0.7)}", rate * unlike, trip / 2))
    d.notes.insert(0, "tree" if tree else "star")
    return [(f"h{i + 1}", trip) for i, trip in enumerate(trips)], wait_s


def prior_line(d, disciplines):
    """h0 behind an access line of 0.5 to 50 Mb/s up, 10 or 40 times that down."""
    up = prior_log(d.r, 0.5e6, 50e6)
    unlike = 40 if up < 8e6 and d.r.random() < 0.5 else 10
    rate = unlike * up
    frame_s = WIRE * 8 / rate
    trips = prior_round_trips(d, 4e-3, min(0.08, MOST_FRAMES * frame_s / 80), d.r.randint(1, 4))
    wait_s = prior_log(d.r, 0.02, min(1.0, MOST_FRAMES * frame_s / 30))
    prior_time(d, rate, max(trips), wait_s)
    d.up, d.ports = up, {"in": "isp-sw0", "out": "sw0-isp"}
    out, back = prior_queue(d, up, wait_s, disciplines), prior_queue(d, rate, wait_s, disciplines)
    d.links = [prior_cable("h0", "sw0", max(1e9, 2 * rate), 1e-6),
               prior_cable("sw0", "isp", rate, min(trips) / 8, up, out, back)]
    d.links += [prior_cable(f"h{i + 1}", "isp", max(1e9, 2 * rate), trip / 2 - min(trips) / 8)
                for i, trip in enumerate(trips)]
    d.notes.insert(0, f"{rate / 1e6:.3g}/{up / 1e6:.3g} Mb/s")
    return [(f"h{i + 1}", trip) for i, trip in enumerate(trips)], wait_s


def draw_prior(d):
    prior_tcp(d)
    home = d.r.random() < 1 / 3
    peers, wait_s = prior_line(d, QUEUES) if home else prior_star(d)
    prior_flows(d, d.degrees(4), peers, wait_s, ["bulk", "bulk", "bulk", "flood", "window", "rate", "rate", "paced",
                                                 "messages"])
    if home and d.r.random() < 0.4:  # somebody else at home
        k = len(d.links) - 1
        d.links.append(prior_cable(f"h{k}", "sw0", 1e9, 1e-6))
        way = d.r.choice(["from", "to"])
        d.add("past", 3e4, peer=peers[0][0])
        d.flows[-1] |= {"from": f"h{k}", "to": peers[0][0]} if way == "from" else {"from": peers[0][0], "to": f"h{k}"}


def draw_access_line(d):
    prior_tcp(d)
    d.tcp.pop("small_queues", None)  # a router's queue is beyond their reach
    if d.engine == "native":
        d.tcp["congestion"] = "cubic"
    peers, wait_s = prior_line(d, {"fifo": 8, "fq_codel": 1, "fair": 1})
    d.taps = ["h0"]
    n_in, n_out = d.degrees(3)
    both, only = d.r.random() < 0.85, d.r.choice(["in", "out"])
    prior_flows(d, (n_in * (both or only == "in"), n_out * (both or only == "out")), peers, wait_s,
                ["flood", "flood", "bulk", "window", "rate"])


def draw_medium(d):
    """One medium for both directions, as of radio: frames cross the switch one after the other, links are faster."""
    prior_tcp(d)
    rate = prior_log(d.r, 2e6, 1e9)
    frame_s = WIRE * 8 / rate
    wait_s = prior_log(d.r, 10 * frame_s, 600 * frame_s)
    trips = prior_round_trips(d, 8 * frame_s + 4e-6, min(0.08, 400 * frame_s), d.r.randint(1, 4))
    prior_time(d, rate, max(trips), wait_s)
    d.nic |= {"queue": "fifo", "limit": DEEP}
    d.switch |= {"queue": "fifo", "limit": DEEP, "backplane": f"{round(rate)}bps"}
    d.taps = ["h0"]
    fast = max(1e8, d.r.choice([2, 5, 20]) * rate)
    d.links = [prior_cable("h0", "sw0", fast, 1e-6)]
    d.links += [prior_cable(f"h{i + 1}", "sw0", fast, trip / 2) for i, trip in enumerate(trips)]
    prior_flows(d, d.degrees(3), [(f"h{i + 1}", trip) for i, trip in enumerate(trips)], wait_s,
                ["bulk", "bulk", "flood", "window", "rate"])


def draw_stretch_acks(d):
    """As prior, but an ACK answers 8 to 32 segments, as receivers and drivers do that merge them."""
    draw_prior(d)
    d.tcp["delayed_ack"] = d.r.choice([8, 16, 32])


PRIORS = {"constant_rate": draw_constant_rate, "prior": draw_prior, "access_line": draw_access_line,
          "medium": draw_medium, "stretch_acks": draw_stretch_acks}
