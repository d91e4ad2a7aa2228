#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Truth by experiment, emulated: random scenarios, each run as it is and with ACKs first at every queue, same seed.

    emulated.py CONTRAFLOW DIR [--count 1000] [--seed 1] [--jobs 2] [--keep NUMBER,...]
                [--class NAME,...] [--engine linux|native] [--cut]

writes NUMBER.yaml and NUMBER.pcap.gz (one random tap of the run as it is), truth.csv (a row a scenario) and flows.csv
(a row a flow) into DIR; scenario NUMBER depends on the seed and NUMBER alone, and what DIR already has is kept.
README.md says what the columns are. --engine linux: Linux's own TCP in virtual time, as kernels are set; native:
linuxreno and cubic alone, which are held to Linux 6.1, not older senders. --cut: of class "cut", captures begun late,
and the truth from there on; --class then says what is cut. priors.py and odds.py have classes that only --class draws. A run's
figures in its judged phase are the whole run's less those of the same run ended where the phase begins: same seed, same
beginning, so they are exact."""
import argparse
import concurrent.futures
import csv
import gzip
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

from cut import CUT, cut_pcap
from odds import ODDS
from priors import DEEP, PRIORS, SEGMENT, WIRE
from truth import FULL, LOST, truth_cause, truth_cause_yes, truth_label

KEPT = 0.98  # of its constant rate a flow gets, and more: the application set it
STOPS = 0.02  # of the phase a port stands still by PAUSE, and more: that may set the pace
LIMIT_S = 120  # of a simulation
RATES = {10: 1, 20: 1, 50: 1, 100: 3, 200: 1, 500: 1, 1000: 4, 2500: 1, 10000: 3, 25000: 1, 40000: 1, 100000: 1}
TRUTH = ("name class description host tap engine rate_bps up_bps flows_in flows_out a_in a_out b_in b_out lost_in "
         "lost_out lost_total share_in share_out saturated_in saturated_out retransmits pause_share spread label_stable "
         "asymmetry cause judged_from_s judged_to_s").split()
FLOWS = ("name flow way src sport dst goodput_mbps goodput_ack_first_mbps window_bytes floor_s data_wait_s ack_wait_s "
         "retransmits application start_s").split()


class Draw:
    """One scenario: a dict that becomes its YAML, and what is known of it."""

    def __init__(self, seed, number, attempt, engine=None, kinds=None, cut=False):
        self.r = random.Random(f"{seed}/{number}/{attempt}")
        r = self.r
        self.kind = r.choices(list(KINDS), [w for w, _ in KINDS.values()])[0]
        later = random.Random(f"{seed}/{number}/{attempt}/later")  # its own draws, so that the others stay as they are
        if later.random() < LATER_SHARE:
            self.kind = later.choice(list(LATER))
        newest = random.Random(f"{seed}/{number}/{attempt}/newest")
        if kinds or newest.random() < NEWEST_SHARE:
            self.kind = newest.choice(kinds or list(NEWEST))
        self.asked = engine
        self.cut = random.Random(f"{seed}/{number}/{attempt}/cut").uniform(*CUT) if cut else 0.0
        self.engine = engine or ("ns3" if self.kind in ("bulk", "windows", "pendulum", "window_limited")
                                 and r.random() < 0.05 else "native")
        self.rate = r.choices(list(RATES), list(RATES.values()))[0] * 1e6
        self.frames = r.uniform(8e3, 22e3)
        if self.engine == "ns3":  # some hundred times slower
            self.rate, self.frames = r.choice([1e8, 1e9]), 4e3
        self.window_share = 80  # of a flow alone: round trips behind its own data that a run lasts
        self.flows, self.notes = [], []
        self.taps, self.ports = ["h0", "h0", "sw0-h0"], {"in": "sw0-h0", "out": "h0"}  # ports of the judged link
        self.links, self.unlike = None, False  # cables of a graph; does ACKs first replace more than a FIFO?
        self.nic, self.host = {"queue": "fifo", "limit": DEEP}, {}  # what hosts do besides
        self.switch = {"queue": "fifo", "limit": DEEP}
        self.tcp = {"congestion": r.choice(["newreno", "linux24", "linux24", "newreno"]), "initial_window": "warm",
                    "delayed_ack": r.choice([1, 2, 2, 2, 2])}
        if self.engine == "ns3":
            self.tcp["congestion"] = "newreno"
        if engine == "native":  # asked for: the senders that are held to Linux 6.1
            self.tcp["congestion"] = random.Random(f"{seed}/{number}/{attempt}/modern").choice(["linuxreno", "cubic"])
        self.times()
        if self.engine == "linux":
            self.linux(random.Random(f"{seed}/{number}/{attempt}/linux"))
        self.far_s, self.host_time_s, self.datagrams = 0.0, 0.0, []
        self.peer_rate, self.up = self.rate, None
        (PRIORS.get(self.kind) or ODDS.get(self.kind) or NEWEST.get(self.kind) or LATER.get(self.kind) or KINDS[self.kind][1])(self)
        self.flows.sort(key=lambda f: f["start"])  # a run ended earlier has the first of them

    def linux(self, r):
        """What a kernel is set to."""
        self.tcp = {"congestion": r.choice(["linuxreno", "cubic", "cubic", "cubic", "bbr", "htcp", "westwood", "vegas"]),
                    "initial_window": r.choice(["warm", 10])}
        own = {"gso": r.random() < 0.7, "timestamps": r.random() < 0.8, "autotuning": r.random() < 0.3}
        self.tcp["linux"] = {k: str(v).lower() for k, v in own.items()}
        self.notes += [self.tcp["congestion"]] + [f"{k} {v}" for k, v in self.tcp["linux"].items()]

    def times(self, rate=None, frames=None, base_s=None):
        self.rate, self.frames = rate or self.rate, frames or self.frames
        self.duration = min(20.0, max(8e-3, self.frames * WIRE * 8 / self.rate))
        low, high = 2e-6 + 4 * WIRE * 8 / self.rate, self.duration / 80
        self.base_s = base_s or math.exp(self.r.uniform(math.log(low), math.log(max(low, high))))
        self.warmup = 0.35 * self.duration

    @property
    def out_rate(self):
        return self.up or self.rate

    @property
    def bdp(self):
        """Bytes of payload that the empty path holds at full rate."""
        return self.rate / 8 * (self.base_s + 3 * WIRE * 8 / self.rate) * SEGMENT / WIRE

    def window(self, share=None):
        """Of one of flows that share a full link: `share` of them to fill it, more than that else."""
        room = self.duration * self.rate / 8 / self.window_share
        low = 1.3 * self.bdp + 6 * SEGMENT
        return max(4 * SEGMENT, share * self.bdp if share else math.exp(self.r.uniform(math.log(low),
                                                                                      math.log(max(low * 1.5, room)))))

    def degrees(self, most=6, least=1):
        return self.r.randint(least, most), self.r.randint(least, most)

    def add(self, way, window, peer=None, start=None, **more):
        """`way`: in, out, or past h0, from a host of its own to `peer`."""
        i = len(self.flows)
        host = f"h{i + 1}"
        ends = {"in": {"from": peer or host, "to": "h0"}, "out": {"from": "h0", "to": peer or host},
                "past": {"from": host, "to": peer}}[way]
        f = {**ends, "window": f"{round(window)}B", "way": way, "app": "bulk", **more}
        f["start"] = self.r.uniform(0, 0.02 * self.duration) if start is None else start
        self.flows.append(f)

    def many(self, n_in, n_out, window, **more):
        for way, n in (("in", n_in), ("out", n_out)):
            for _ in range(n):
                self.add(way, window() if callable(window) else window, **more)

    def pauses(self, rate_bps):
        """An application that hands over chunks and thinks, at `rate_bps`."""
        chunk = SEGMENT * self.r.choice([1, 2, 3, 4, 8, 16, 32])
        while self.duration * rate_bps / 8 / chunk > 250:
            chunk *= 2
        busy = self.base_s + 3 * WIRE * 8 / self.rate + chunk * 8 / self.rate
        think = chunk * 8 / rate_bps - busy
        if think <= 0:
            return None
        n = int(1.6 * self.duration * rate_bps / 8 / chunk) + 5  # enough: behind the last pause it would be bulk
        return [f"{max(1, round(self.r.uniform(0.7, 1.3) * think * 1e9))}ns after {chunk * (k + 1)}B"
                for k in range(n)]

    def document(self):
        hosts = 1 + max(int(end[1:]) for f in self.flows for end in (f["from"], f["to"]))
        delay = f"{round(self.base_s / 4 * 1e12)}ps"
        network = {"topology": "star", "hosts": max(2, hosts), "link": {"rate": f"{round(self.rate)}bps",
                                                                        "delay": delay},
                   "nic": self.nic, "switch": self.switch}
        if self.far_s:  # every other host behind a backbone: a longer round trip
            near = max(1, hosts // 2)
            network = {"topology": "tree", "racks": [near + 1, max(1, hosts - near - 1)], "link": network["link"],
                       "backbone": {"rate": f"{round(10 * self.rate)}bps",
                                    "delay": f"{round(self.far_s / 2 * 1e12)}ps"},
                       "nic": self.nic, "switch": self.switch}
        if self.host_time_s:
            network["host_times"] = [f"{round(self.host_time_s * 1e12)}ps"]
        if self.links:
            network = {"links": self.links, "nic": self.nic, "switch": self.switch}
        elif self.peer_rate != self.rate or self.up:
            network |= {"uplinks": 1, "backbone": {**network["link"], "up": f"{round(self.out_rate)}bps"},
                        "link": {"rate": f"{round(self.peer_rate)}bps", "delay": delay}}
        network |= {"host": self.host} if self.host else {}
        flows = []
        for i, f in enumerate(self.flows):
            keep = {k: v for k, v in f.items() if k not in ("way", "app", "start")}
            flows.append({"name": f"f{i}", **keep, "start": f"{round(f['start'] * 1e9)}ns"})
        return {"title": f"{self.kind} {' '.join(self.notes)}".strip()[:127], "engine": self.engine,
                "duration": f"{round(self.duration * 1e9)}ns", "warmup": f"{round(self.warmup * 1e9)}ns",
                "network": network, "tcp": self.tcp, "traffic": {"flows": flows, "start_spread": "0s", "datagrams": self.datagrams}}


def draw_bulk(d):
    d.many(*d.degrees(), d.window())


def draw_windows(d):
    d.many(*d.degrees(4), d.window)


def draw_round_trips(d):
    d.far_s = d.base_s * d.r.uniform(0.5, 8)
    d.times(frames=d.frames, base_s=min(d.base_s, d.duration / 400))
    n = d.degrees(3)
    d.many(*n, lambda: max(d.window(), d.r.uniform(0.5, 2.5) * d.rate / 8 * d.far_s / max(n)))


def draw_pendulum(d):
    n = d.r.choice([1, 1, 1, 2, 3])
    d.times(base_s=d.r.uniform(30, 200) * WIRE * 8 / d.rate)
    d.times(frames=max(d.frames, 80 * d.bdp / SEGMENT), base_s=d.base_s)
    d.many(n, n, d.window(d.r.uniform(0.7, 1.6) / n))
    if d.r.random() < 0.5:
        d.tcp["delayed_ack"] = 2


def draw_window_limited(d):
    n = d.degrees(4)
    d.times(base_s=d.r.uniform(max(40, 12 * max(n)), 400) * WIRE * 8 / d.rate)
    d.times(frames=max(d.frames, 60 * d.bdp / SEGMENT), base_s=d.base_s)
    share = d.r.uniform(0.05, 0.8)
    d.many(*n, lambda: 2 * SEGMENT * max(2, round(share * d.r.uniform(0.7, 1.1) * d.bdp / max(n) / SEGMENT / 2)))
    d.notes.append(f"{share:.0%} of the link")


def draw_application(d):
    n, share = d.degrees(4), d.r.uniform(0.05, 0.9)
    for way, k in zip(("in", "out"), n):
        for _ in range(k):
            pauses = d.pauses(share * d.rate / max(n) * d.r.uniform(0.7, 1.1))
            d.add(way, d.window(), **({"pauses": pauses, "app": "paced"} if pauses else {}))
    d.notes.append(f"{share:.0%} of the link")


def draw_messages(d):
    size = round(math.exp(d.r.uniform(math.log(3e3), math.log(max(4e3, d.duration * d.rate / 8 / 100)))))
    d.many(*d.degrees(3), d.window(), bytes=f"{size}B", repeat=2000, app="messages")


def draw_losses(d):
    d.times(rate=d.r.choice([10, 50, 100, 100, 500]) * 1e6, frames=4e4)
    d.base_s = min(d.base_s, 0.02)
    n = d.degrees(4)
    window = max(2e5, 4 * d.bdp)
    limit = max(6000, round(d.r.uniform(0.1, 0.7) * max(n) * window))
    d.many(*n, window)
    d.switch["limit"] = d.nic["limit"] = f"{limit}B"
    d.tcp["initial_window"] = 10
    d.notes.append(f"buffers of {limit} B")


def draw_discipline(discipline):
    def draw(d):
        d.many(*d.degrees(4), d.window)
        d.nic["queue"] = d.switch["queue"] = discipline
    return draw


def draw_partly(d):
    d.many(*d.degrees(4), d.window())
    d.r.choice([d.nic, d.switch])["queue"] = d.r.choice(["ack-first", "fair"])


def draw_small_queues(d):
    n_in, n_out = d.degrees(4)
    d.many(n_in, n_out, d.window())
    d.tcp["small_queues"] = f"{d.r.choice([5, 10, 30, 100])}kB"


def draw_pause(d):
    d.times(base_s=min(d.base_s, 20 * WIRE * 8 / d.rate))
    d.many(*d.degrees(4), d.window())
    d.switch |= {"limit": f"{round(d.r.uniform(1.5, 8) * d.window())}B",
                 "pause": {"on": "true", "stops": d.r.choice(["senders", "everybody"])}}


def draw_late(d):
    d.many(*d.degrees(3), d.window)
    for f in d.flows:
        f["start"] = d.r.choice([0.0, d.r.uniform(0, 0.3)]) * d.duration
    d.tcp["initial_window"] = d.r.choice(["warm", 10])
    d.warmup = 0.5 * d.duration


def draw_short(d):
    d.many(*d.degrees(3), d.window())
    for _ in range(d.r.randint(3, 15)):
        d.add(d.r.choice(["in", "out"]), d.window(), start=d.r.uniform(0, 0.9) * d.duration, app="short",
              bytes=f"{round(math.exp(d.r.uniform(math.log(2e3), math.log(d.duration * d.rate / 8 / 60))))}B")


def draw_one_way(d):
    n = d.r.randint(1, 6)
    d.many(*d.r.choice([(n, 0), (0, n)]), d.window)


def draw_duplex(d):
    d.many(*d.degrees(2), d.window(), duplex="true", bytes=f"{round(d.duration * d.rate / 8)}B", app="duplex")


def draw_unlike_links(d):
    d.many(*d.degrees(5), d.window())
    d.peer_rate = d.rate * d.r.choice([0.1, 0.5, 2.5, 10])


def draw_access(d):
    """The shared host's way out is far slower than its way in."""
    unlike = d.r.uniform(3, 30)
    d.up = d.rate / unlike
    d.many(d.degrees(3)[0], 0, d.window())
    d.many(0, d.degrees(2)[0], max(4 * SEGMENT, d.window() / unlike))
    d.notes.append(f"{unlike:.1f} times slower out")


def draw_thin_acks(d):
    """Too slow out for the ACKs of what comes in: an ACK takes 84 bytes of wire, two segments 3076."""
    thin = d.r.uniform(50, 200)
    d.up = d.rate / thin
    d.many(d.degrees(3)[0], 0, d.window())
    d.notes.append(f"{thin:.0f} times slower out")


def draw_same_peer(d):
    n = d.degrees(3)
    d.many(*n, d.window(), peer="h1")


def draw_mixed(d):
    n = d.degrees(4)
    for way, k in zip(("in", "out"), n):
        for _ in range(k):
            what = d.r.choice(["bulk", "bulk", "paced", "window"])
            pauses = d.pauses(d.r.uniform(0.05, 0.6) * d.rate / k) if what == "paced" else None
            window = d.window(d.r.uniform(0.05, 0.5)) if what == "window" else d.window()
            start = d.r.choice([0.0, 0.0, d.r.uniform(0, 0.3)]) * d.duration
            d.add(way, window, start=start, **({"pauses": pauses, "app": "paced"} if pauses else
                                               {"app": "window"} if what == "window" else {}))
    d.warmup = 0.45 * d.duration
    d.nic["queue"] = d.r.choice(["fifo", "fifo", "fifo", "fair"])
    d.switch["queue"] = d.r.choice(["fifo", "fifo", "fifo", "fair"])
    if d.r.random() < 0.3:
        d.tcp["small_queues"] = "10kB"


def draw_stopped(d):
    """PAUSE stops h0, too: what it sends to one port, others send there as well."""
    d.times(base_s=min(d.base_s, 20 * WIRE * 8 / d.rate))
    d.many(d.r.choice([0, 0, 0, 1, 2, 3]), d.r.randint(1, 4), d.window())
    to = d.r.choice([f["to"] for f in d.flows if f["way"] == "out"])
    for _ in range(d.r.randint(1, 4)):
        d.add("past", d.window(), peer=to)
    d.switch |= {"limit": f"{round(d.r.uniform(1.5, 8) * d.window())}B",
                 "pause": {"on": "true", "stops": d.r.choice(["senders", "everybody"])}}


def draw_slow_host(d):
    """h0 takes frames more slowly than its link brings them, or nearly so."""
    d.times(rate=d.r.choice([1e9, 2.5e9, 1e10, 1e10, 2.5e10]))
    d.peer_rate = d.rate
    d.host_time_s = WIRE * 8 / d.rate / d.r.uniform(0.2, 1.3)
    n_in, n_out = d.r.randint(0, 4), d.r.randint(0, 4)
    d.many(max(n_in, 1 - n_out), n_out, d.window)
    d.notes.append(f"{WIRE * 8 / d.rate / d.host_time_s:.0%} of the link")


KINDS = {"bulk": (14, draw_bulk), "windows": (8, draw_windows), "round_trips": (10, draw_round_trips),
         "pendulum": (10, draw_pendulum), "window_limited": (11, draw_window_limited),
         "application": (12, draw_application), "messages": (4, draw_messages), "losses": (8, draw_losses),
         "ack_first": (4, draw_discipline("ack-first")), "fair": (5, draw_discipline("fair")),
         "partly": (4, draw_partly), "small_queues": (5, draw_small_queues), "pause": (5, draw_pause),
         "late": (7, draw_late), "short": (4, draw_short), "one_way": (5, draw_one_way), "duplex": (2, draw_duplex),
         "same_peer": (4, draw_same_peer),
         "unlike_links": (6, draw_unlike_links), "mixed": (9, draw_mixed)}
LATER = {"access": draw_access, "thin_acks": draw_thin_acks}
LATER_SHARE = 0.04
NEWEST = {"stopped": draw_stopped, "slow_host": draw_slow_host}
NEWEST_SHARE = 0.03


def emulated_shifted(document, seed):
    """Other starts, by up to 0.2 % of the run: nothing else is left to chance here."""
    d, draw = json.loads(json.dumps(document)), random.Random(seed)
    warmup, duration = (int(d[k][:-2]) for k in ("warmup", "duration"))
    for f in d["traffic"]["flows"]:
        start = int(f["start"][:-2])
        if start < warmup:  # and stays before it
            f["start"] = f"{min(start + draw.randrange(duration // 500), max(start, warmup * 99 // 100))}ns"
    return d


def emulated_acks_first(part):
    """Every queue of a network, of ports that have their own, too: ACKs first, as deep as it is and, where it shapes, at
    that rate."""
    if part.get("queue") == "policer":
        return
    if part.get("port", {}).get("queue") == "tbf":
        part["rate"] = part["port"]["rate"]
    if "queue" in part:
        for key in ("rate", "min", "burst"):
            part.pop(key, None)
        part["queue"] = "ack-first"
    for inner in part.get("links", []) + list(part.values()):
        if isinstance(inner, dict):
            emulated_acks_first(inner)


def emulated_run(contraflow, document, directory, seed, acks_first, until=None, tap=None, spared=None):
    """summary.json of a run; `spared`: without what that cause is."""
    d = json.loads(json.dumps(document))
    d["seed"] = seed
    if spared == "pause":
        d["network"]["switch"].update({"limit": DEEP, "pause": {"on": "false"}})
    elif spared == "slow_host":
        del d["network"]["host_times"]
    if acks_first:
        emulated_acks_first(d["network"])
    if until:
        d["duration"], d["warmup"] = until, "0s"
        for kind in ("flows", "datagrams"):
            d["traffic"][kind] = [f for f in d["traffic"][kind] if int(f.get("start", "0ns")[:-2]) < int(until[:-2])]
    if tap:
        d["capture"] = [{"at": tap, "snaplen": 96}]
    path = f"{directory}/scenario.json"
    with open(path, "w") as f:
        f.write(emulated_yaml(d))
    run = f"{directory}/run"
    done = subprocess.run([contraflow, "run", path, "-q", "-o", run], capture_output=True, text=True, timeout=LIMIT_S)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    with open(f"{run}/summary.json") as f:
        return json.load(f)


def emulated_yaml(document):
    """The scenario: a key a line at the top, what is below it in one line."""
    def flow(v):
        if isinstance(v, dict):
            return "{" + ", ".join(f"{k}: {flow(w)}" for k, w in v.items()) + "}"
        return "[" + ", ".join(flow(w) for w in v) + "]" if isinstance(v, list) else str(v)
    lines = []
    for key, value in document.items():
        if key == "traffic":
            lines += ["traffic:", f"  start_spread: {value['start_spread']}", "  flows:"]
            lines += [f"    - {flow(f)}" for f in value["flows"]]
            lines += ["  datagrams:"] * bool(value["datagrams"]) + [f"    - {flow(f)}" for f in value["datagrams"]]
        else:
            lines.append(f"{key}: {flow(value)}")
    return "\n".join(lines) + "\n"


class Phase:
    """What happened between the end of `before` and the end of `whole`."""

    def __init__(self, draw, before, whole):
        self.draw, self.before, self.whole = draw, before, whole
        for f in whole["flows"][len(before["flows"]):]:  # not begun then
            before["flows"].append({"delivered_bytes": 0, "delivered_back_bytes": 0, "retransmitted_segments": 0})
        self.span = whole["ended_s"] - before["ended_s"]

    def goodput(self, i):
        """Mb/s of flow i in its way, and of a duplex one the other way."""
        a, b = self.before["flows"][i], self.whole["flows"][i]
        return [(b[k] - a[k]) * 8 / self.span / 1e6 for k in ("delivered_bytes", "delivered_back_bytes")]

    def ways(self, i):
        """[(way, Mb/s)] of flow i."""
        there, back = self.goodput(i)
        way = self.draw.flows[i]["way"]
        return [(way, there), ("out" if way == "in" else "in", back)]

    def way(self, way):
        return sum(goodput for i in range(len(self.draw.flows)) for w, goodput in self.ways(i) if w == way)

    def share(self, way):
        return self.port_share(self.draw.ports[way])

    def ports(self):
        return [p["port"] for p in self.whole["ports"]]

    def port_share(self, name):
        a, b = (next(p for p in s["ports"] if p["port"] == name) for s in (self.before, self.whole))
        return (b["sent_wire_bytes"] - a["sent_wire_bytes"]) * 8 / self.span / b["rate_bps"]

    def wait(self, i, what):
        """Mean wait of flow i's "data" or "ack" frames beyond empty queues, s; None when there were none."""
        a, b = self.before["flows"][i].get("round_trip"), self.whole["flows"][i].get("round_trip")
        if not b or b[f"{what}_wait_s"] is None:
            return None
        n, m = (a or {}).get(f"{what}_frames") or 0, b[f"{what}_frames"]
        earlier = n * a[f"{what}_wait_s"] if n else 0.0
        return (m * b[f"{what}_wait_s"] - earlier) / (m - n) if m > n else None

    def retransmits(self, *of):
        """Of the flows `of`, or of all."""
        pairs = list(zip(self.before["flows"], self.whole["flows"]))
        return sum(b["retransmitted_segments"] - a["retransmitted_segments"]
                   for a, b in ([pairs[i] for i in of] or pairs))

    def pauses(self):
        """Share of the phase for which the port that was stopped longest stood still."""
        most = 0.0
        for a, b in zip(self.before["ports"], self.whole["ports"]):
            if b["pause"]:
                most = max(most, b["pause"]["told_to_stop_s"] - (a["pause"] or {"told_to_stop_s": 0})["told_to_stop_s"])
        return most / self.span


def emulated_most(phases, way):
    """Mb/s of that way if no ACK of it waited and all else stayed: a round trip less of a flow is as much more."""
    most = []
    for p in phases:
        most.append(0.0)
        for i in range(len(p.draw.flows)):
            floor_s = (p.whole["flows"][i].get("round_trip") or {}).get("floor_s") or 0.0
            data_s, ack_s = (p.wait(i, what) or 0.0 for what in ("data", "ack"))
            most[-1] += sum(g for w, g in p.ways(i) if w == way) * (1 + ack_s / (floor_s + data_s or math.inf))
    return statistics.fmean(most)


def emulated_lost(a, b):
    return 1 - a / b if b > 0 else 0.0


def emulated_label(a, b):
    total = emulated_lost(sum(a.values()), sum(b.values()))
    ways = [emulated_lost(a[w], b[w]) for w in a if b[w] > 0.05 * sum(b.values())]
    return truth_label(total, ways)


def emulated_beyond(draw, f, ports):
    """Ports that data or ACKs of flow f cross beyond the judged link."""
    peer = f["from"] if f["to"] == "h0" else f["to"]
    if not draw.links:
        return [port for port in ports if port == peer or port.endswith(f"-{peer}")]
    ends = {c["from"]: [] for c in draw.links} | {c["to"]: [] for c in draw.links}
    for c in draw.links:
        ends[c["from"]].append(c["to"])
        ends[c["to"]].append(c["from"])
    ways = [["h0"]]  # cables make trees: one way leads there
    while ways[0][-1] != peer:
        ways = ways[1:] + [ways[0] + [node] for node in ends[ways[0][-1]] if node not in ways[0]]
    pairs = list(zip(ways[0], ways[0][1:]))
    crossed = {a if a[0] == "h" else f"{a}-{b}" for a, b in pairs + [p[::-1] for p in pairs]}
    return [port for port in ports if port in crossed - set(draw.ports.values())]


def emulated_limit(draw, phase, i):
    """What keeps flow i from sending more: an application, a full link at its other end, losses, its window."""
    f = draw.flows[i]
    if f["app"] in ("paced", "messages", "short") or \
            f["app"] == "rate" and phase.goodput(i)[0] * 1e6 >= KEPT * int(f["rate"].rstrip("bps")):
        return "application"
    if any(phase.port_share(port) >= FULL for port in emulated_beyond(draw, f, phase.ports())):
        return "other_link"
    back = "out" if f["way"] == "in" else "in"
    if phase.share(back) >= FULL and all(g["way"] != back and g["app"] != "duplex" for g in draw.flows):
        return "thin_ack_path"  # with nothing but ACKs
    return "losses" if phase.retransmits(i) >= LOST else "window"


def emulated_cause(draw, phase, label, lost, holds):
    ways = {w for f in draw.flows for w in ([f["way"]] if f["app"] != "duplex" else ["in", "out"])} - {"past"}
    if label == "yes":
        return truth_cause_yes(lost, {"in": draw.rate, "out": draw.out_rate}, ways)
    if holds:
        return holds
    flows = [(w, goodput, emulated_limit(draw, phase, i)) for i in range(len(draw.flows))
             for w, goodput in phase.ways(i)]
    return truth_cause({w: phase.share(w) for w in ways}, flows)


def emulated_holds(contraflow, draw, document, directory, seed, phase, begin):
    """What sets the pace, by experiment: without it much more would pass. None: neither PAUSE nor a slow host does."""
    causes = ["pause"] if phase.pauses() > STOPS else []
    for cause in causes + (["slow_host"] if draw.host_time_s else []):
        before, whole = (emulated_run(contraflow, document, directory, seed, False, until, None, cause)
                         for until in (begin, None))
        spared = Phase(draw, before, whole)
        if emulated_label(*({w: p.way(w) for w in ("in", "out")} for p in (phase, spared))) == "yes":
            return cause
    return None


def emulated_pair(contraflow, draw, document, directory, seed, acks_first, begin):
    """The phase from `begin` of a run as it is, or with ACKs first."""
    return Phase(draw, *(emulated_run(contraflow, document, directory, seed, acks_first, until)
                         for until in (begin, None)))


def emulated_scenario(job):
    """(row of truth.csv, rows of flows.csv), or None when no attempt ran."""
    contraflow, directory, seed, number, kinds, engine, cut = job
    for attempt in range(8):
        draw = Draw(seed, number, attempt, engine, kinds, cut)
        document = draw.document()
        tap = draw.r.choice(draw.taps)
        with tempfile.TemporaryDirectory() as t:
            try:
                runs = seed + number
                whole = emulated_run(contraflow, document, t, runs, False, None, tap)
                capture = pathlib.Path(t, "run", f"{tap}.pcap").read_bytes()
                begin, draw.cut_s = document["warmup"], 0.0
                if cut:
                    capture, _, draw.cut_s = cut_pcap(capture, draw.cut)
                    begin = f"{max(int(begin[:-2]), round(draw.cut_s * 1e9))}ns"
                draw.warmup = int(begin[:-2]) / 1e9
                with gzip.GzipFile(f"{directory}/{number:05}.pcap.gz", "wb", 1, mtime=0) as f:
                    f.write(capture)
                before = emulated_run(contraflow, document, t, runs, False, begin)
                phases = {False: [Phase(draw, before, whole)],
                          True: [emulated_pair(contraflow, draw, document, t, runs, True, begin)]}
                if any(p[0].whole["ended_s"] < 0.9 * draw.duration for p in phases.values()):
                    raise RuntimeError("all done before the end")
                if any(p[0].retransmits() for p in phases.values()):  # chance decides: run it more often
                    for more in (1, 2):
                        shifted = emulated_shifted(document, f"{seed}/{number}/{more}")
                        for acks_first in (False, True):
                            phases[acks_first].append(emulated_pair(contraflow, draw, shifted, t, runs, acks_first,
                                                                    begin))
                holds = emulated_holds(contraflow, draw, document, t, runs, phases[False][0], begin)
            except (RuntimeError, subprocess.TimeoutExpired) as e:
                print(f"{number}.{attempt} {draw.kind}: {str(e)[:200]}", file=sys.stderr, flush=True)
                continue
        with open(f"{directory}/{number:05}.yaml", "w") as f:
            f.write(emulated_yaml({**document, "seed": runs, "capture": [{"at": tap, "snaplen": 96}]}))
        return emulated_row(draw, number, tap, phases, holds)
    return None


def emulated_port(draw, i):
    """Hosts of ns-3 count ports each by itself, from 49153."""
    earlier = sum(f["from"] == draw.flows[i]["from"] for f in draw.flows[:i])
    return 49153 + earlier if draw.engine == "ns3" else 49152 + i


def emulated_row(draw, number, tap, phases, holds):
    rates = {side: [{w: p.way(w) for w in ("in", "out")} for p in phases[side]] for side in phases}
    a, b = ({w: statistics.fmean(r[w] for r in rates[side]) for w in ("in", "out")} for side in (False, True))
    label = emulated_label(a, b)
    labels = {emulated_label(x, y) for x, y in zip(rates[False], rates[True])}
    if draw.unlike:  # what more is won by having no AQM or no turns is not the ACKs': then nobody knows
        labels.add(emulated_label(a, {w: min(b[w], emulated_most(phases[False], w)) for w in b}))
    first, faster = phases[False][0], phases[True][0]
    spread = max(abs(x[w] - y[w]) / max(1e-9, sum(b.values())) for side in rates.values() for x in side for y in side
                 for w in ("in", "out"))
    name = f"{number:05}"
    row = {"name": name, "class": "cut" if draw.cut else draw.kind,
           "description": " ".join(([f"{draw.kind} less {draw.cut:.0%}"] if draw.cut else []) + draw.notes),
           "host": "10.0.0.1", "tap": tap, "engine": draw.engine, "rate_bps": round(draw.rate), "up_bps": round(draw.out_rate),
           "flows_in": sum(f["way"] == "in" for f in draw.flows),
           "flows_out": sum(f["way"] == "out" for f in draw.flows),
           "a_in": rates[False][0]["in"], "a_out": rates[False][0]["out"], "b_in": b["in"], "b_out": b["out"],
           "lost_in": emulated_lost(a["in"], b["in"]), "lost_out": emulated_lost(a["out"], b["out"]),
           "lost_total": emulated_lost(sum(a.values()), sum(b.values())),
           "share_in": first.share("in"), "share_out": first.share("out"),
           "saturated_in": int(first.share("in") >= FULL), "saturated_out": int(first.share("out") >= FULL),
           "retransmits": first.retransmits(), "pause_share": first.pauses(), "spread": spread,
           "label_stable": int(labels == {label}), "asymmetry": label,
           "cause": emulated_cause(draw, first, label, {w: emulated_lost(a[w], b[w]) for w in a}, holds),
           "judged_from_s": max(0.0, draw.warmup - draw.cut_s), "judged_to_s": draw.duration - draw.cut_s}
    flows = []
    for i, f in enumerate(draw.flows):
        whole = first.whole["flows"][i]
        flows.append({"name": name, "flow": f"f{i}", "way": f["way"], "src": f"10.0.0.{int(f['from'][1:]) + 1}",
                      "sport": emulated_port(draw, i), "dst": f"10.0.0.{int(f['to'][1:]) + 1}",
                      "goodput_mbps": first.goodput(i)[0], "goodput_ack_first_mbps": faster.goodput(i)[0],
                      "window_bytes": f["window"].rstrip("B"),
                      "floor_s": (whole.get("round_trip") or {}).get("floor_s"),
                      "data_wait_s": first.wait(i, "data"), "ack_wait_s": first.wait(i, "ack"),
                      "retransmits": whole["retransmitted_segments"], "application": f["app"], "start_s": f["start"]})
    return [row], flows


def emulated_append(path, fields, rows):
    new = not path.exists()
    with open(path, "a", newline="") as f:
        w = csv.DictWriter(f, fields)
        if new:
            w.writeheader()
        w.writerows({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in r.items()} for r in rows)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("contraflow")
    p.add_argument("directory", type=pathlib.Path)
    p.add_argument("--count", type=int, default=1000)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--class", dest="kinds", type=lambda text: text.split(","), help="of these classes only")
    p.add_argument("--engine", choices=["linux", "native"], help="not older senders, and now and then ns-3")
    p.add_argument("--keep", default="", help="these numbers only")
    p.add_argument("--cut", action="store_true", help="begun late: without 5 to 60 %% of their first frames")
    arguments = p.parse_args()
    arguments.directory.mkdir(parents=True, exist_ok=True)
    truth = arguments.directory / "truth.csv"
    done = set()
    if truth.exists():
        with open(truth, newline="") as f:
            done = {int(r["name"]) for r in csv.DictReader(f)}
    numbers = [int(n) for n in arguments.keep.split(",")] if arguments.keep else range(arguments.count)
    jobs = [(os.path.abspath(arguments.contraflow), str(arguments.directory), arguments.seed, n, arguments.kinds,
             arguments.engine, arguments.cut)
            for n in numbers if n not in done]
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        for k, result in enumerate(pool.map(emulated_scenario, jobs)):
            if result:
                emulated_append(arguments.directory / "flows.csv", FLOWS, result[1])
                emulated_append(truth, TRUTH, result[0])
            if k % 50 == 49:
                print(f"{k + 1} of {len(jobs)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
