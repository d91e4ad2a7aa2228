#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Coverage of the 95 % intervals of steady goodput: how many of the runs that show one hold the true mean?

usage: bench_intervals.py CONTRAFLOW SOURCE_ROOT [--seeds N] [--capture] [REGIME...]

Every regime is a star that is run once a seed. Its true means are those of a few runs of other seeds, twenty times as
long and longer; flows of one direction are alike and share a mean. A line a regime and direction: the runs that show
an interval, the share of these that holds the mean (with its own 95 % interval, Wilson 1927), and the share of all
flows that show one which does not. --capture also has `analyze` judge a capture taken at h0. `meson test --benchmark`
runs it over 200 seeds; test_intervals.py checks a sample.
"""
import argparse
import concurrent.futures
import csv
import json
import math
import os
import pathlib
import subprocess
import tempfile


class Regime:
    def __init__(self, incoming, outgoing, duration, *sets, long=(8, 20)):
        self.sets = (f"traffic.star.incoming={incoming}", f"traffic.star.outgoing={outgoing}", *sets)
        self.duration = duration
        self.long_runs, self.longer = long


SHALLOW = ("network.nic.limit=200kB", "network.switch.limit=200kB", "tcp.initial_window=10")
SLOW = ("network.link.rate=100Mbps", "network.nic.limit=60kB", "network.switch.limit=60kB", "tcp.window=400kB")
CUBIC = "tcp.congestion=cubic"
REGIMES = {
    "lossless 1/1, 2 s": Regime(1, 1, 2),
    "lossless 2/1, 2 s": Regime(2, 1, 2),
    "lossless 1/2, 2 s": Regime(1, 2, 2),
    "lossless 3/2, 2 s": Regime(3, 2, 2),
    "lossless 2/1, 200 kB windows, 2 s": Regime(2, 1, 2, "tcp.window=200kB"),
    "lossless CUBIC that still grows, 4 s": Regime(2, 1, 4, CUBIC, "tcp.window=1MB", "tcp.initial_window=10"),
}
for name, sets in (("NewReno", ()), ("CUBIC", (CUBIC,))):
    REGIMES |= {
        f"{name} 2/1, 200 kB everywhere, 20 s": Regime(2, 1, 20, *SHALLOW, *sets),
        f"{name} 3/2, 200 kB everywhere, 20 s": Regime(3, 2, 20, *SHALLOW, *sets),
        f"{name} 3/0, 200 kB everywhere, 20 s": Regime(3, 0, 20, *SHALLOW, *sets),
        f"{name} 2/1, 100 Mb/s, 60 kB, 20 s": Regime(2, 1, 20, *SLOW, *sets),
        f"{name} 2/1, 60 kB at the switch, 4 s": Regime(2, 1, 4, "network.switch.limit=60kB", *sets, long=(8, 100)),
        f"{name} 2/1, 150 kB at the switch, 20 s": Regime(2, 1, 20, "network.switch.limit=150kB", *sets),
        f"{name} 2/1, 400 kB at the switch, 20 s": Regime(2, 1, 20, "network.switch.limit=400kB", *sets),
    }


def wilson(hits, n):
    """95 % interval of a share."""
    z2 = 1.96 ** 2
    middle = (hits + z2 / 2) / (n + z2)
    half = 1.96 / (n + z2) * math.sqrt(hits * (n - hits) / n + z2 / 4)
    return middle - half, middle + half


class Bench:
    def __init__(self, program, root, work):
        self.program, self.star, self.work = program, pathlib.Path(root, "scenarios/star.yaml").resolve(), work

    def run(self, regime, seed, longer=1, capture=False):
        """(incoming, goodput, half-width or NaN) of every flow: as run has it, and as analyze has it."""
        seconds = regime.duration * longer
        name = f"{seed}-{longer}"
        sets = [f"duration={seconds}s", f"warmup={0.3 * regime.duration}s", f"seed={seed}", *regime.sets,
                "capture=" + ("[{at: h0, snaplen: 96}]" if capture else "[]")]
        with tempfile.TemporaryDirectory(dir=self.work) as work:
            directory = pathlib.Path(work, name)
            subprocess.run([self.program, "run", self.star, "--engine", "native", "-q", "-o", directory,
                            *(x for s in sets for x in ("--set", s))], check=True)
            with open(directory / "flows.csv", newline="") as f:
                figures = [(flow["dst"] == "h0", float(flow["steady_goodput_bps"]),
                            float(flow["steady_ci95_bps"] or "nan")) for flow in csv.DictReader(f)]
            seen = []
            if capture:
                done = subprocess.run([self.program, "analyze", directory / "h0.pcap", "--json"], check=True,
                                      capture_output=True)
                seen = [(flow["dst"].startswith("10.0.0.1:"), flow["steady_goodput_bps"] or math.nan,
                         flow["steady_ci95_bps"] or math.nan) for flow in json.loads(done.stdout)["flows"]]
        return figures, seen

    def truth(self, regime, pool):
        """Mean goodput of incoming and of outgoing flows."""
        runs = list(pool.map(lambda seed: self.run(regime, seed, regime.longer)[0],
                             range(100001, 100001 + regime.long_runs)))
        rates = {way: [rate for flows in runs for incoming, rate, _ in flows if incoming == way]
                 for way in (True, False)}
        return {way: sum(of) / len(of) for way, of in rates.items() if of}

    def measure(self, regime, seeds, capture=False):
        """{(incoming, by analyze): (flows, with an interval, of these with the mean inside)}"""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            truth = self.truth(regime, pool)
            counts = {}
            for both in pool.map(lambda seed: self.run(regime, seed, capture=capture), range(1, seeds + 1)):
                for analyzed, figures in enumerate(both):
                    for incoming, rate, half in figures:
                        n, known, covered = counts.get((incoming, bool(analyzed)), (0, 0, 0))
                        hit = abs(rate - truth[incoming]) <= half
                        counts[incoming, bool(analyzed)] = n + 1, known + math.isfinite(half), covered + hit
        return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("root")
    parser.add_argument("regimes", nargs="*", metavar="REGIME", help="words that the names of regimes contain")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--capture", action="store_true", help="captures too; about ten times as long")
    options = parser.parse_intermixed_args()
    print(f"{'regime':42} {'flows':>10} {'n':>5} {'with interval':>13} {'of these covered':>24} {'wrong of all':>12}")
    with tempfile.TemporaryDirectory(prefix="contraflow-bench-") as work:
        bench = Bench(pathlib.Path(options.program).resolve(), options.root, work)
        for name, regime in REGIMES.items():
            if options.regimes and not any(word in name for word in options.regimes):
                continue
            counts = bench.measure(regime, options.seeds, options.capture)
            for (incoming, analyzed), (n, known, covered) in sorted(counts.items(), key=lambda c: (c[0][1], -c[0][0])):
                share = "-"
                if known:
                    low, high = wilson(covered, known)
                    share = f"{100 * covered / known:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
                print(f"{name:42} {('in' if incoming else 'out') + (', pcap' if analyzed else ''):>10} {n:5} "
                      f"{100 * known / n:11.1f} % {share:>24} {100 * (known - covered) / n:10.1f} %", flush=True)


if __name__ == "__main__":
    main()
