#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""With losses a run is chance: the mean over 20 seeds of both engines, star 2/1 with a switch of 500 kB (NewReno).
`meson test --benchmark` runs it; it judges nothing."""
import concurrent.futures
import csv
import math
import pathlib
import subprocess
import sys
import tempfile

PROGRAM, ROOT = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
SEEDS = 20
SETS = ("capture=[]", "network.switch.limit=500kB", "duration=2s", "warmup=500ms")


def run(work, engine, seed):
    """Goodput in and out, Mb/s, and segments retransmitted."""
    directory = work / f"{engine}-{seed}"
    arguments = [x for s in SETS for x in ("--set", s)]
    subprocess.run([PROGRAM, "run", ROOT / "scenarios/star.yaml", "--engine", engine, "--seed", str(seed), "-q", "-o",
                    directory, *arguments], check=True)
    with open(directory / "flows.csv", newline="") as f:
        flows = list(csv.DictReader(f))
    rates = [float(f["steady_goodput_bps"]) / 1e6 for f in flows]
    return (rates[0] + rates[1]) / 2, rates[2], sum(int(f["retransmitted_segments"]) for f in flows)


def main():
    means = {}
    with tempfile.TemporaryDirectory(prefix="contraflow-bench-") as work, \
            concurrent.futures.ThreadPoolExecutor() as pool:
        for engine in ("native", "ns3"):
            runs = list(pool.map(lambda s: run(pathlib.Path(work), engine, s), range(1, SEEDS + 1)))
            means[engine] = []
            for values, name in zip(zip(*runs), ("an incoming flow, Mb/s", "the outgoing one, Mb/s", "segments lost")):
                mean = sum(values) / SEEDS
                error = math.sqrt(sum((v - mean) ** 2 for v in values) / (SEEDS - 1) / SEEDS)
                means[engine].append(mean)
                print(f"{engine:7} {name:24} {mean:8.1f} +- {2.093 * error:.1f} (95 %)", flush=True)
    for name, a, b in zip(("incoming", "outgoing", "lost"), means["native"], means["ns3"]):
        print(f"native against ns-3, {name}: {100 * (a / b - 1):+.1f} %")


if __name__ == "__main__":
    main()
