# SPDX-License-Identifier: GPL-2.0-or-later
"""Sets of flows off the grid of linux_cases.py: what a rule was made on is not what it is judged on.

Case i of a seed is the same whatever the count. Every quantity is drawn by itself, over the range in which a run of
seven seconds settles: a standing queue of up to half a second, and rates that two cores can shape."""
import math
import random

from linux_cases import DEEP, case_make, flow
from priors import PAYLOAD

ODDITIES = {"none": 40, "fair": 7, "ack_first": 7, "own_nic": 9, "gso": 7, "no_timestamps": 6, "udp": 9, "access": 11,
            "ipv6": 4, "vlan": 4}  # shares of the cases, about percent
POLICED = 0.12  # of those without an oddity
QUEUE_S = 0.5  # the longest that all windows of a direction may stand in its queue
SEGMENT = 1500


def random_log(draw, low, high):
    return math.exp(draw.uniform(math.log(low), math.log(high)))


def random_kind(draw, bulk, way_bps, delay_ms, mates):
    """What a flow does, and what limits it then (None: the network). `mates` share its direction; `bulk`: all are."""
    share_mbps = way_bps / 1e6 / mates
    kind = draw.choices(("bulk", "paced", "onoff", "reqresp", "reader", "send_buffer"),
                        (100, 0, 0, 0, 0, 0) if bulk else (25, 22, 14, 16, 14, 9))[0]
    if kind == "paced":
        return {"app": "paced", "rate_mbps": round(share_mbps * draw.uniform(0.15, 1.1), 3),
                "interval_ms": draw.choice((5, 10, 20, 50))}, "application"
    if kind == "onoff":
        return {"app": "onoff", "on_s": round(random_log(draw, 0.05, 0.6), 3),
                "off_s": round(random_log(draw, 0.05, 0.6), 3),
                **({"rate_mbps": round(share_mbps * draw.uniform(0.3, 2), 3)} if draw.random() < 0.7 else {})}, \
            "application"
    if kind == "reqresp":
        return {"app": "reqresp", "response_bytes": round(random_log(draw, 4000, 400000)),
                "think_ms": draw.choice((0, 0, 2, 10, 40))}, "application"
    if kind == "reader":
        return {"read_mbps": round(share_mbps * draw.uniform(0.2, 1.1), 3),
                "rcvbuf": draw.choice((40000, 60000, 100000, 200000))}, "receiver"
    if kind == "send_buffer" and delay_ms > 5:
        return {"sndbuf": draw.choice((16000, 32000, 64000))}, "send_buffer"
    return {}, None


def random_window(draw, way_bps, delay_ms, mates):
    """A receiver's window of two segments to what stands in the queue for QUEUE_S; None: as the kernel likes."""
    if draw.random() < 0.3:
        return None
    most = way_bps / 8 * (QUEUE_S + delay_ms / 1e3) / mates
    return round(max(8 * SEGMENT, min(random_log(draw, 15000, 500000), most)))


def random_limit(draw, rate_bps, mates):
    """Bytes a queue holds: of 4 to 400 ms, and never less than a few segments a flow."""
    return round(max(3 * SEGMENT * (1 + mates), rate_bps / 8 * random_log(draw, 0.004, 0.4)))


def random_flows(draw, rates, counts):
    """The flows, and what limits each."""
    alike, bulk = draw.random() < 0.65, draw.random() < 0.6
    near_ms = round(random_log(draw, 0.2, 60), 2)
    control = draw.choices(("reno", "cubic", "bbr"), (40, 45, 15))[0]
    staggered = draw.random() < 0.25
    made = []
    common = {}
    for way in ("in", "out"):
        for k in range(counts[way]):
            delay = near_ms if alike or k == 0 else round(random_log(draw, 0.2, 60), 2)
            delay = 0 if delay < 0.4 else delay  # no relay at all: what veth pairs take
            key = way if alike else len(made)
            if key not in common:
                window = random_window(draw, rates[way], delay, counts[way])
                settings, limited = random_kind(draw, bulk, rates[way], delay, counts[way])
                if window and "rcvbuf" not in settings:
                    settings["window"] = window
                common[key] = settings, limited
            settings, limited = common[key]
            cc = control if alike or draw.random() < 0.6 else draw.choice(("reno", "cubic", "bbr"))
            start = round(draw.uniform(0, 2.2), 3) if staggered and draw.random() < 0.7 else 0.0
            made.append(flow(way, cc=cc, delay_ms=delay, start=start, limited=limited, **settings))
    return made


def random_settings(draw, odd, rates, traffic):
    settings = {"rate_in": rates["in"] / 1e6, "rate_out": rates["out"] / 1e6, "limit_in": DEEP, "limit_out": DEEP}
    unbounded = any("window" not in f and f["app"] in ("bulk", "udp") for f in traffic)
    if unbounded or draw.random() < 0.25:
        for way in ("in", "out"):
            settings[f"limit_{way}"] = random_limit(draw, rates[way], len(traffic))
    settings["queue"] = {"fair": "fair", "ack_first": "ack-first"}.get(odd, "fifo")
    settings["shaped_at"] = "host" if odd == "own_nic" else "router"
    settings["gso"], settings["ipv6"], settings["vlan"] = odd == "gso", odd == "ipv6", odd == "vlan"
    settings["timestamps"] = odd != "no_timestamps"
    settings["tap"] = "host" if odd == "gso" else draw.choice(("wire", "host"))
    settings["format"] = "pcapng" if odd != "vlan" and draw.random() < 0.2 else "pcap"
    return settings


def random_class(odd, counts, settings, traffic):
    """What is most particular of a case, for tables."""
    if odd != "none":
        return odd
    if settings.get("police_in") or settings.get("police_out"):
        return "policing"
    if min(counts.values()) == 0:
        return "one_way"
    if any(f["cc"] == "bbr" for f in traffic):
        return "bbr"
    if any(f["limited"] for f in traffic):
        return "limited"
    return "losses" if settings["limit_in"] < DEEP else "bulk"


def random_case(seed, i):
    draw = random.Random(f"{seed}/{i}")
    odd = draw.choices(list(ODDITIES), list(ODDITIES.values()))[0]
    counts = {"in": 0, "out": 0}
    while counts["in"] + counts["out"] == 0:
        counts = {way: draw.choices((0, 1, 2, 3, 4), (7, 36, 30, 16, 11))[0] for way in ("in", "out")}
    fast = round(random_log(draw, 5, 200), 1) * 1e6
    slow = max(2e5, round(fast / random_log(draw, 2, 40), -4)) if odd == "access" else fast
    rates = {"in": fast, "out": slow} if draw.random() < 0.8 else {"in": slow, "out": fast}
    traffic = random_flows(draw, rates, counts)
    if odd == "udp":
        way = draw.choice(("in", "out"))
        traffic.append(flow(way, app="udp", cc="", rate_mbps=round(rates[way] / 1e6 * draw.uniform(0.1, 1.15), 2),
                            limited=None))
    settings = random_settings(draw, odd, rates, traffic)
    if odd == "none" and all(f["delay_ms"] > 0 for f in traffic) and draw.random() < POLICED:  # drawn last
        settings["police_" + draw.choice(("in", "out"))] = round(draw.uniform(0.2, 0.8) * rates["in"] / 1e6, 2)
    return random_make(f"random-{seed}-{i:03}", random_class(odd, counts, settings, traffic), traffic, settings)


def random_make(name, group, traffic, settings):
    description = "; ".join(" ".join(str(v) for v in (f["way"], f["cc"] or "udp", f["app"], *(
        f"{k}={f[k]}" for k in ("delay_ms", "window", "rate_mbps", "read_mbps", "sndbuf") if f.get(k)))) for f in traffic)
    return case_make(name, group, description, traffic, **settings)


def random_writer(draw, rate_mbps, mates):
    """An application that writes at a constant rate, 20 to 100 % of a fair share."""
    return {"app": "paced", "rate_mbps": round(draw.uniform(0.2, 1.0) * rate_mbps * PAYLOAD / mates, 3),
            "interval_ms": draw.choice((1, 2, 5, 10)), "limited": "application"}


def random_constant_rate(draw):
    """Through deep FIFOs; all flows, or some beside others of fixed windows."""
    rate, delay, every = round(random_log(draw, 5, 100), 1), round(random_log(draw, 0.4, 40), 2), draw.random() < 0.6
    made = []
    for way in ("in", "out"):
        n = draw.randint(1, 3)
        for _ in range(n):
            settings = random_writer(draw, rate, n) if every or draw.random() < 0.5 else \
                {"window": round(random_log(draw, 4e4, 4e5)), "limited": None}
            made.append(flow(way, cc=draw.choice(("cubic", "cubic", "reno")), delay_ms=delay, **settings))
    return made, {"rate_in": rate, "rate_out": rate, "tap": draw.choice(("wire", "host")),
                  "gso": draw.random() < 0.3}


def random_access_line(draw):
    """Captured at the host, before the router that shapes: floods beside windows and applications."""
    up = random_log(draw, 0.5, 20)
    rates = {"out": round(up, 2), "in": round(up * (40 if up < 4 and draw.random() < 0.5 else 10), 2)}
    counts = draw.choice(({"in": 1, "out": 1}, {"in": 2, "out": 1}, {"in": 1, "out": 2}, {"in": 2, "out": 2},
                          {"in": 0, "out": 2}, {"in": 2, "out": 0}))
    made = []
    for way, n in counts.items():
        for _ in range(n):
            kind = draw.choice(("flood", "flood", "window", "writer"))
            settings = random_writer(draw, rates[way], n) if kind == "writer" else {"limited": None}
            if kind == "window":
                settings["window"] = round(random_log(draw, 6e3, 2e5))
            made.append(flow(way, cc=draw.choice(("cubic", "cubic", "bbr")), delay_ms=round(random_log(draw, 4, 60), 2),
                             start=round(draw.uniform(0, 2.5), 3) if draw.random() < 0.4 else 0.0, **settings))
    limits = {f"limit_{way}": max(15000, round(rates[way] * 1e6 / 8 * random_log(draw, 0.03, 0.8))) for way in rates}
    return made, {"rate_in": rates["in"], "rate_out": rates["out"], **limits, "tap": "host", "duration": 10.0,
                  "gso": draw.random() < 0.5, "queue": draw.choice(("fifo", "fifo", "fifo", "fair"))}


def random_neighbours(draw):
    """An access line that somebody else uses, too: what these flows carry is not captured."""
    made, settings = random_access_line(draw)
    made = [f for f in made if f["way"] == "in"] or made
    ways = [draw.choice(("out", "out", "in")) for _ in range(draw.randint(1, 3))]
    for way in ways:
        rate = settings[f"rate_{way}"]
        window = {"window": round(random_log(draw, 2e4, 4e5))} if draw.random() < 0.5 else {}
        more = window if draw.random() < 0.7 else random_writer(draw, rate, len(ways))
        made.append(flow(way, cc=draw.choice(("cubic", "cubic", "bbr")), delay_ms=round(random_log(draw, 4, 60), 2), hidden=True,
                         start=round(draw.uniform(0, 2.5), 3), **{"limited": None, **more}))
    return made, settings


CLASSES = {"constant_rate": random_constant_rate, "access_line": random_access_line, "neighbours": random_neighbours}


def random_cases(count, seed, kind=None):
    """`kind`: of this class of CLASSES alone."""
    if kind is None:
        return [random_case(seed, i) for i in range(count)]
    return [random_make(f"{kind}-{seed}-{i:03}", kind, *CLASSES[kind](random.Random(f"{seed}/{kind}/{i}")))
            for i in range(count)]
