#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Coverage of the 95 % intervals of steady goodput: how many of those that are shown hold the true mean?

usage: bench_intervals.py CONTRAFLOW SOURCE_ROOT [--seeds N] [--jobs N] [--capture] [--draw SEED] [REGIME...]

Every regime is a star that is run once a seed. A flow's true mean is that of the same run over the time that follows,
seven times as long: flows under losses may lock each other out, so that another seed has another mean and no single run
shows it. That mean errs, too, by a tenth of the variance of the run's, and intervals are held against both errors. A
line a regime, direction and source: flows, the share that shows an interval, and the share of these that holds the mean
with its own 95 % interval (Wilson 1927). "lost" is lost_share of `check`, of both directions together; its truth is what
that following time carries, against what the same run with ACKs first at every queue does. --capture also has `analyze` and `check` judge a capture taken at h0. --draw
takes other random regimes than those of seed 1. `meson test --benchmark` runs it over 200 seeds; test_intervals.py
checks a sample.
"""
import argparse
import concurrent.futures
import csv
import json
import math
import os
import pathlib
import random
import subprocess
import tempfile

LONGER = 8  # times the duration; the first of them is the run
ERROR = math.sqrt(1 + 0.7 / (LONGER - 1))  # of the difference of both means, over that of the run's


class Regime:
    def __init__(self, incoming, outgoing, duration, *sets):
        self.sets = (f"traffic.star.incoming={incoming}", f"traffic.star.outgoing={outgoing}", *sets)
        self.duration = duration


SHALLOW = ("network.nic.limit=200kB", "network.switch.limit=200kB", "tcp.initial_window=10")
SLOW = ("network.link.rate=100Mbps", "network.nic.limit=60kB", "network.switch.limit=60kB", "tcp.window=400kB",
        "traffic.start_spread=100ms")
SMALL = ("network.link.rate=40Mbps", "network.nic.limit=24kB", "network.switch.limit=24kB", "tcp.window=100kB",
         "traffic.start_spread=100ms")
CUBIC = "tcp.congestion=cubic"
FIRST = ("network.nic.queue=ack-first", "network.switch.queue=ack-first")
REGIMES = {
    "lossless 2/1, 2 s": Regime(2, 1, 2),
    "lossless CUBIC that still grows, 4 s": Regime(2, 1, 4, CUBIC, "tcp.window=1MB", "tcp.initial_window=10"),
    "NewReno 2/1, 100 Mb/s, 60 kB, 20 s": Regime(2, 1, 20, *SLOW),
    "CUBIC 2/1, 100 Mb/s, 60 kB, 20 s": Regime(2, 1, 20, *SLOW, CUBIC),
    "NewReno 2/1, 40 Mb/s, 24 kB, 20 s": Regime(2, 1, 20, *SMALL),
    "CUBIC 2/1, 40 Mb/s, 24 kB, 30 s": Regime(2, 1, 30, *SMALL, CUBIC),
    "NewReno 2/1, 60 kB at the switch, 4 s": Regime(2, 1, 4, "network.switch.limit=60kB"),
    "CUBIC 2/1, 60 kB at the switch, 4 s": Regime(2, 1, 4, "network.switch.limit=60kB", CUBIC),
    "CUBIC 2/1, 200 kB everywhere, 20 s": Regime(2, 1, 20, *SHALLOW, CUBIC),
}


def draw(seed, count=24):
    """Regimes that no constant was chosen by: rates, delays, windows, buffers and durations at random. A window that
    alone fills link and buffer falls every pipe^2 * 8 / (segment * rate) seconds or so, which sets the pipe."""
    rng = random.Random(seed)

    def between(least, most):
        return math.exp(rng.uniform(math.log(least), math.log(most)))

    regimes = {}
    for i in range(count):
        kind = ("NewReno", "CUBIC", "lossless")[i % 3 if i % 6 < 3 else i % 2]
        incoming, outgoing = rng.choice([(1, 1), (2, 1), (1, 2), (3, 2), (2, 2), (4, 1), (2, 0), (3, 0)])
        bps, duration = between(20e6, 120e6), round(rng.uniform(4, 20), 2)
        pipe = max(math.sqrt(0.7 * duration / between(30, 600) * bps * 1448 / 8), 8 * 1448 * max(incoming, outgoing))
        share = rng.uniform(0.1, 0.6)
        buffer = max((1 - share) * pipe, 5 * 1448 * max(incoming, outgoing))
        window = pipe * between(2, 8)
        if kind == "lossless":
            buffer, window = 20e6, pipe * between(0.3, 3)
        regimes[f"{seed}.{i:02} {kind} {incoming}/{outgoing}, {bps / 1e6:.0f} Mb/s, {duration:.0f} s"] = Regime(
            incoming, outgoing, duration, f"network.link.rate={bps / 1e6:.2f}Mbps",
            f"network.link.delay={2e6 * share * pipe / bps:.0f}us", f"network.switch.limit={buffer:.0f}B",
            f"network.nic.limit={buffer * rng.choice([1, 1, 10]):.0f}B", f"tcp.window={window:.0f}B",
            f"traffic.start_spread={rng.choice([100, 500])}ms", *((CUBIC,) if kind == "CUBIC" else ()),
            *(("tcp.initial_window=10",) if rng.random() < 0.5 else ()))
    return regimes


def wilson(hits, n):
    """95 % interval of a share."""
    z2 = 1.96 ** 2
    middle = (hits + z2 / 2) / (n + z2)
    half = 1.96 / (n + z2) * math.sqrt(hits * (n - hits) / n + z2 / 4)
    return middle - half, middle + half


def rate(row, value, half):
    """(goodput, half-width or NaN) of a flow in JSON."""
    return (math.nan if row[k] is None else row[k] for k in (value, half))


class Bench:
    def __init__(self, program, root, work):
        self.program, self.star, self.work = program, pathlib.Path(root, "scenarios/star.yaml").resolve(), work

    def run(self, regime, seed, directory, duration, warmup, capture=False, more=()):
        """(source address, destination's, goodput, half-width or NaN) of every flow."""
        sets = [f"duration={duration:.6g}s", f"warmup={warmup:.6g}s", f"seed={seed}", *regime.sets, *more,
                "capture=" + ("[{at: h0, snaplen: 96}]" if capture else "[]")]
        subprocess.run([self.program, "run", self.star, "--engine", "native", "-q", "-o", directory,
                        *(x for s in sets for x in ("--set", s))], check=True)
        with open(directory / "flows.csv", newline="") as f:
            return [(f"10.0.0.{int(flow['src'][1:]) + 1}", f"10.0.0.{int(flow['dst'][1:]) + 1}",
                     float(flow["steady_goodput_bps"]), float(flow["steady_ci95_bps"] or "nan"))
                    for flow in csv.DictReader(f)]

    def ask(self, command, path):
        return json.loads(subprocess.run([self.program, command, path, "--json"], capture_output=True,
                                         text=True).stdout)

    def lost(self, path):
        """(share, half-width) that the shared host loses."""
        for r in self.ask("check", path)["resources"]:
            if r["host"] in ("h0", "10.0.0.1"):
                return rate(r["diagnosis"]["lost_share"], "total", "ci95")
        return math.nan, math.nan

    def read(self, capture):
        """{source: {(source address, destination's): (goodput, half-width)}} of a capture."""
        def ends(flow):
            return flow["src"].rpartition(":")[0], flow["dst"].rpartition(":")[0]

        judged = (flow for resource in self.ask("check", capture)["resources"] if resource["host"] == "10.0.0.1"
                  for flow in resource["flows"])
        return {"analyze": {ends(flow): rate(flow, "steady_goodput_bps", "steady_ci95_bps")
                            for flow in self.ask("analyze", capture)["flows"]},
                "check": {ends(flow): rate(flow, "rate_bps", "ci95_bps") for flow in judged}}

    def judge(self, regime, seed, capture=False, truth=True, lost=False):
        """(source, incoming, half-width or NaN, whether the mean is inside) of every flow, in each source; of what is
        lost, too, with None for both directions."""
        with tempfile.TemporaryDirectory(dir=self.work) as work:
            short, seconds = pathlib.Path(work, "short"), regime.duration
            flows = self.run(regime, seed, short, seconds, 0.3 * seconds, capture)
            seen = {"run": {(src, dst): (value, half) for src, dst, value, half in flows}}
            if capture:
                seen |= self.read(short / "h0.pcap")
            later = self.run(regime, seed, pathlib.Path(work, "long"), LONGER * seconds, seconds) if truth else flows
            share = []
            if lost:
                first = self.run(regime, seed, pathlib.Path(work, "long"), LONGER * seconds, seconds, more=FIRST)
                true = 1 - sum(flow[2] for flow in later) / sum(flow[2] for flow in first)
                said = [("run", self.lost(short))] + ([("check", self.lost(short / "h0.pcap"))] if capture else [])
                share = [(f"{source} lost", None, half, abs(value - true) <= ERROR * half)
                         for source, (value, half) in said]
        return share + [(source, dst == "10.0.0.1", half, abs(value - mean) <= ERROR * half)
                for source, rates in seen.items() for src, dst, mean, _ in later
                for value, half in [rates.get((src, dst), (math.nan, math.nan))]]

    def measure(self, regime, seeds, capture=False, jobs=None, lost=False):
        """{(source, incoming): (flows, with an interval, of these with the mean inside)}"""
        counts = {}
        with concurrent.futures.ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
            for flows in pool.map(lambda seed: self.judge(regime, seed, capture, lost=lost), range(1, seeds + 1)):
                for source, incoming, half, hit in flows:
                    n, known, covered = counts.get((source, incoming), (0, 0, 0))
                    counts[source, incoming] = n + 1, known + math.isfinite(half), covered + hit
        return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("root")
    parser.add_argument("regimes", nargs="*", metavar="REGIME", help="words that the names of regimes contain")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--draw", type=int, default=1, metavar="SEED", help="of the random regimes")
    parser.add_argument("--capture", action="store_true", help="captures too")
    options = parser.parse_intermixed_args()
    print(f"{'regime':42} {'flows':>15} {'n':>5} {'with interval':>13} {'of these covered':>24}")
    totals = {}
    with tempfile.TemporaryDirectory(prefix="contraflow-bench-") as work:
        bench = Bench(pathlib.Path(options.program).resolve(), options.root, work)
        for name, regime in (REGIMES | draw(options.draw)).items():
            if options.regimes and not any(word in name for word in options.regimes):
                continue
            counts = bench.measure(regime, options.seeds, options.capture, options.jobs, lost=True)
            for (source, incoming), values in counts.items():
                show(name, source, {None: "both", True: "in", False: "out"}[incoming], *values)
                key = source, next(kind for kind in ("lossless", "CUBIC", "NewReno") if kind in name)
                totals[key] = [a + b for a, b in zip(totals.get(key, (0, 0, 0)), values)]
    for (source, kind), values in sorted(totals.items()):
        show("all " + kind, source, "both", *values)


def show(name, source, way, n, known, covered):
    share = "-"
    if known:
        low, high = wilson(covered, known)
        share = f"{100 * covered / known:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
    print(f"{name:42} {source + ' ' + way:>15} {n:5} {100 * known / n:11.1f} % {share:>24}", flush=True)


if __name__ == "__main__":
    main()
