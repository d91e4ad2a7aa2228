#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Can networks as people have them be said, and do two engines agree about them? Random networks, each drawn from its
number alone: stars, trees, meshes, dumbbells, access lines, leaf-spine, fat-trees, graphs of any cables; 1 Mb/s to
400 Gb/s, 0 to 300 ms a cable, jumbo frames or not, 2 to 60 flows. Buffers lose nothing. Native and ns-3 run each; the
table says by how much steady goodput differs. `meson test --benchmark` runs it; exit status 1 where a scenario is
refused or the goodput of all flows together, or of the median flow, is apart by more than the bound.

  bench_networks.py PROGRAM [--first 1] [--count 36] [--keep DIRECTORY]
"""
import argparse
import csv
import json
import math
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

BOUND = 0.01      # of the goodput of all flows, and of the median flow
WAIT = 0.7        # seconds that all windows together may wait for: a SYN behind them is sent again after one
# Segments. ns-3's receivers pair segments for delayed ACKs so that an even window is half a segment smaller; with fewer
# than four, delayed ACKs lock flows into one of several rhythms.
LEAST, WINDOW = 4, 120
TRIPS = 200       # round trips of the longest way in a run, unless that is
SEGMENTS = 1_000_000 # data segments
RATES = (1e6, 2e6, 5e6, 1e7, 2.5e7, 5e7, 1e8, 2.5e8, 1e9, 2.5e9, 1e10, 2.5e10, 4e10, 1e11, 2e11, 4e11)
KINDS = ("star", "tree", "rooted tree", "mesh", "dumbbell", "access", "leaf-spine", "fat-tree", "graph")


def bps(rate):
    return f"{rate:.0f}bps"


class Delay:
    """Of cables, within an order of magnitude: flows of very different round trips would need very long runs."""

    def __init__(self, rng):
        self.rng = rng
        self.usual = 0 if rng.random() < 0.1 else math.exp(rng.uniform(math.log(1e-6), math.log(0.1)))

    def __call__(self):
        return f"{self.usual * math.exp(self.rng.uniform(-math.log(3), math.log(3))) * 1e9:.0f}ns"


def graph(rng, rate, delay):
    """Hosts on switches that hang together somehow, with cables to spare, and what differs by direction."""
    switches, hosts = rng.randint(2, 9), rng.randint(4, 16)
    links = [{"from": f"sw{i}", "to": f"sw{rng.randrange(i)}"} for i in range(1, switches)]
    links += [{"from": f"sw{a}", "to": f"sw{b}"} for a, b in (rng.sample(range(switches), 2)
                                                             for _ in range(rng.randint(0, switches)))]
    links += [{"from": f"h{h}", "to": f"sw{rng.randrange(switches)}"} for h in range(hosts)]
    for link in links:
        link |= {"rate": bps(rate() if rng.random() < 0.3 else rate.usual),
                 "delay": delay()}
        if rng.random() < 0.2:
            link["cables"] = rng.randint(2, 3)
        if rng.random() < 0.2:
            link["back"] = {"rate": bps(rate()), "delay": delay()}
    return {"links": links}, hosts


class Rate:
    """A usual rate, and others not too far from it, so that a run does not last for years."""

    def __init__(self, rng):
        self.rng = rng
        self.at = rng.randrange(len(RATES))
        self.usual = RATES[self.at]

    def __call__(self):
        return RATES[min(len(RATES) - 1, max(0, self.at + self.rng.randint(-3, 3)))]


def network(rng, kind, rate, delay):
    """The network section, and how many hosts there are."""
    link = {"rate": bps(rate.usual), "delay": delay()}
    backbone = {"rate": bps(rate()), "delay": delay()}
    if kind == "star":
        hosts = rng.randint(3, 40)
        n = {"topology": "star", "hosts": hosts, "link": link}
        if rng.random() < 0.5:
            n["delays"] = [delay() for _ in range(hosts)]
        return n, hosts
    if kind == "graph":
        n, hosts = graph(rng, rate, delay)
        return n | {"topology": "graph"}, hosts
    if kind == "fat-tree":
        k = rng.choice((2, 4, 6))
        return {"topology": kind, "k": k, "link": link, "backbone": {"rate": bps(rate.usual),
                                                                      "delay": delay()}}, k ** 3 // 4
    racks = [rng.randint(1, 8) for _ in range(2 if kind in ("tree", "dumbbell", "access") else rng.randint(2, 6))]
    n = {"topology": kind.split()[-1], "racks": racks, "link": link}
    if kind != "mesh":
        n["backbone"] = backbone
    if kind == "rooted tree":
        n["root"] = {"limit": "none"}
    if kind == "access":
        n["backbone"]["up"] = bps(rate())
    if kind == "leaf-spine":
        n["spines"] = rng.randint(1, 6)
    if kind in ("dumbbell", "leaf-spine") and rng.random() < 0.3:
        n["cables"] = rng.randint(2, 4)
    return n, sum(racks)


def draw(number):
    """A scenario as a dictionary, which is YAML, and what it is in a line."""
    rng = random.Random(number)
    kind = KINDS[(number - 1) % len(KINDS)]
    usual = Delay(rng)
    n, hosts = network(rng, kind, Rate(rng), usual)
    n |= {"nic": {"limit": "none"}, "switch": {"limit": "none"}}
    segment = rng.choice((1448, 1448, 8948, rng.randint(400, 9164)))
    rates = [int(r) for r in re.findall(r'"(?:rate|up)": "(\d+)bps"', json.dumps(n))]
    frame = 8 * (segment + 90)
    count = min(rng.randint(2, 60), max(2, int(WAIT * min(rates) / (LEAST * frame))))
    most = max(LEAST, min(WINDOW, int(WAIT * min(rates) / (frame * count))))
    windows = [rng.randint((most + LEAST) // 2, most) for _ in range(count)]
    flows = []
    for i in range(count):
        a, b = rng.sample(range(hosts), 2)
        if i == 1:
            a, b = flows[0]["to"][1:], flows[0]["from"][1:]  # both ways at least once
        flows.append({"from": f"h{a}", "to": f"h{b}", "window": f"{windows[i] * segment}B"})
    longest = 2 * 6 * 3 * usual.usual + (12 + sum(windows)) * frame / min(rates)
    shortest = 2 * 2 * usual.usual / 3 + 2 * frame / max(rates)
    most = min(sum(windows) / shortest, hosts * max(rates) / frame)  # segments a second
    duration = min(TRIPS * longest, SEGMENTS / most)
    scenario = {"title": f"{kind} {number}", "seed": number, "duration": f"{duration * 1e9:.0f}ns", "network": n,
                "tcp": {"congestion": "newreno", "segment": f"{segment}B", "min_rto": "60s"},
                "traffic": {"flows": flows, "start_spread": f"{min(1e-4, duration / 100) * 1e9:.0f}ns"}}
    return scenario, f"{kind}, {hosts} hosts, {count} flows, {segment}-byte segments, {duration:.2g} s"


def goodput(directory):
    """Each flow's in bit/s after the warm-up, and how many segments were sent again."""
    rows = csv.DictReader((directory / "flows.csv").read_text().splitlines())
    return [(float(r["steady_goodput_bps"] or "nan"), int(r["retransmitted_segments"])) for r in rows]


def run(program, number, directory):
    """What two engines give: (difference of all together, of the median and of the worst flow, segments sent again)."""
    scenario, what = draw(number)
    path = directory / "scenario.yaml"
    path.write_text(json.dumps(scenario, indent=1))
    flows = {}
    for engine in ("native", "ns3"):
        done = subprocess.run([program, "run", path, "--engine", engine, "-q", "-o", directory / engine],
                              capture_output=True, text=True, timeout=900)
        if done.returncode:
            return what, done.stderr.strip()
        flows[engine] = goodput(directory / engine)
    if any(not f[0] > 0 for e in flows for f in flows[e]):
        return what, "a flow carries nothing"
    apart = sorted(abs(a[0] / b[0] - 1) for a, b in zip(flows["native"], flows["ns3"]))
    both = [sum(f[0] for f in flows[e]) for e in ("native", "ns3")]
    again = [sum(f[1] for f in flows[e]) for e in ("native", "ns3")]
    return what, (abs(both[0] / both[1] - 1), statistics.median(apart), apart[-1], again)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("program")
    p.add_argument("--first", type=int, default=1)
    p.add_argument("--count", type=int, default=36)
    p.add_argument("--keep")
    args = p.parse_args()
    rows, start = [], time.monotonic()
    for number in range(args.first, args.first + args.count):
        with tempfile.TemporaryDirectory() as scratch:
            directory = pathlib.Path(args.keep or scratch)
            directory.mkdir(parents=True, exist_ok=True)
            rows.append((number, *run(args.program, number, directory)))
            print(f"\r{number}, {time.monotonic() - start:.0f} s", end="", file=sys.stderr)
    print(file=sys.stderr)
    said = [r for r in rows if not isinstance(r[2], str)]
    within = [r for r in said if max(r[2][:2]) <= BOUND]
    every = [r for r in said if r[2][2] <= BOUND]
    print(f"{len(rows)} random networks: {len(said)} run on both engines, {len(within)} within {BOUND:.0%} (all flows "
          f"together, and the median flow), {len(every)} with every flow so; {sum(sum(r[2][3]) for r in said)} segments "
          "sent again")
    print("number  together  median  worst flow  sent again (native, ns-3)  network")
    for number, what, r in rows:
        if isinstance(r, str):
            print(f"{number:6}  refused: {r}; {what}")
        else:
            print(f"{number:6}  {r[0]:8.2%}  {r[1]:6.2%}  {r[2]:10.2%}  {r[3][0]:12} {r[3][1]:12}  {what}")
    return len(within) != len(rows)


if __name__ == "__main__":
    sys.exit(main())
