#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does a frame-hop cost more in a large network? The star of three flows is the yardstick of its run; beside it are
random patterns on 100 and 1,000 hosts. A frame-hop is one frame from one port to the next. Several programs take turns,
so that other load hits all of them, and each figure is a median; ratios within a round survive a noisy machine. `meson
test --benchmark` runs it, it judges nothing.

usage: bench_hops.py CONTRAFLOW [OTHER...] [--rounds N] [--threads N] [--only NAME]

--threads N: each program that has `run --threads` runs every scenario on so many threads, too; its speed-up is of wall
time, against one thread in the same round. An estimate for more cores follows. In a window, which is as long as the
shortest cable of a host, parts that nobody sends to within it run first, then ports of switches that others reach in no
time; threads meet after each such level. A level takes n cores the longer of its frames' cost by n and that of the
busiest part's frames, by mean counts of this run and the mean cost of a frame-hop; a meeting takes n / 2 times what it
takes two threads, which is what the speed-up of two lacks.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

SCENARIOS = pathlib.Path(__file__).resolve().parents[3] / "scenarios"
RANDOM = ("traffic.random.bytes=10MB", "network.backbone.rate=400Gbps")  # zhu-random.yaml has d = 3, window 250 kB
STAR = "star 2/1"
DELAY_S = 60e-6  # of a host's cable in zhu-random.yaml
CORES = (2, 4, 16, 64)
CASES = {  # how often in a round: short ones suffer most from other load
    STAR: (5, "star.yaml", "duration=20s"),
    "100 hosts": (3, "zhu-random.yaml", "network.racks=[50, 50]", *RANDOM),
    "1000 hosts": (1, "zhu-random.yaml", "network.racks=[500, 500]", *RANDOM),
}


def loads(summary, delay_s):
    """(windows, [(frames, frames of the busiest part) of each level]) of a run on two racks, whose windows take delay_s.
    Hosts, each with what comes to it, and ports between the racks are the first level, ports to hosts the second."""
    frames = {p["port"]: p["delivered_frames"] for p in summary["ports"]}
    ends = {name: name.split("-")[-1] for name in frames if "-" in name}
    levels = [[], []]
    for name, end in ends.items():
        levels[end.startswith("h")].append(frames[name])
        if end.startswith("h"):
            levels[0].append(frames[name])  # the host's work
    return summary["ended_s"] / delay_s, [(sum(level), max(level)) for level in levels]


def on_paper(summary, delay_s, cost_s, speedup):
    """Prints what more cores would give, from a run's counts, the cost of a frame-hop and the speed-up of two threads."""
    windows, levels = loads(summary, delay_s)
    work = [(total / windows * cost_s, busiest / windows * cost_s) for total, busiest in levels]
    one = sum(total for total, _ in work)
    many = {n: sum(max(total / n, busiest) for total, busiest in work) for n in CORES}
    meeting = max(0.0, one / speedup - many[2]) / len(work)
    print(f"lookahead {delay_s * 1e6:.0f} us, {windows:.0f} windows of {sum(t for t, _ in levels) / windows:.0f} "
          f"frame-hops, {one * 1e6:.0f} us each on one core; of a level's frames the busiest part has "
          f"{' and '.join(f'{b / t:.2%}' for t, b in levels)}; a meeting of two takes {meeting * 1e6:.1f} us")
    print("on paper, speed-up by cores: " + ", ".join(
        f"{n}: {one / (many[n] + len(work) * meeting * n / 2):.1f} ({one / many[n]:.1f} if meetings took no time)"
        for n in CORES))


def has_threads(program):
    said = subprocess.run([program, "run", "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return "--threads" in said


def run(program, case, threads, directory):
    """(processor seconds in user mode, wall seconds, frame-hops, summary) of one run."""
    _, file, *sets = CASES[case]
    arguments = [program, "run", SCENARIOS / file, "--engine", "native", "-q", "-o", directory, "--set", "capture=[]"]
    arguments += [x for s in sets for x in ("--set", s)]
    arguments += ["--threads", str(threads)] if threads else []
    started = time.monotonic()
    child = subprocess.Popen(arguments)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.monotonic() - started
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{program} said {child.returncode} to {case}")
    summary = json.loads((pathlib.Path(directory) / "summary.json").read_text())
    return usage.ru_utime, wall, sum(p["delivered_frames"] for p in summary["ports"]), summary


def measure(columns, cases, rounds, directory):
    """A list of (user, wall, hops, summary) for each case and column, (program, threads): medians of a round, in turn."""
    results = {(case, c): [] for case in cases for c in columns}
    for _ in range(rounds):
        for case in cases:
            runs = {c: [] for c in columns}
            for i in range(CASES[case][0]):
                for column in columns[::1 if i % 2 == 0 else -1]:
                    runs[column].append(run(column[0], case, column[1], directory))
            for column, several in runs.items():
                results[case, column].append(tuple(map(statistics.median, list(zip(*several))[:3])) + several[0][3:])
    return results


def ratio(results, others, of):
    """Median over rounds of a quantity of `results` against that of `others`."""
    return statistics.median(of(a) / of(b) for a, b in zip(results, others))


def cost(result):
    return result[0] / result[2]


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--only", choices=CASES, action="append")
    options = parser.parse_args()
    programs = [pathlib.Path(p).resolve() for p in options.programs]
    plain = [(p, 1 if has_threads(p) else 0) for p in programs]
    columns = plain + [(p, options.threads) for p, one in plain if one and options.threads > 1]
    names = {p: chr(ord("A") + i) for i, p in enumerate(programs)}
    for p, one in plain:
        print(f"{names[p]}: {p}" + ("" if one or not options.threads else ", which has no --threads"))
    print(f"\n{'medians of ' + str(options.rounds):12} {'':2} {'thr':>3} {'M hops':>7} {'user s':>7} {'wall s':>7} "
          f"{'M hops/s':>8} {'ns a hop':>8} {'of star':>8} {'of A':>6} {'speed-up':>8}")
    with tempfile.TemporaryDirectory(prefix="contraflow-bench-") as directory:
        results = measure(columns, options.only or list(CASES), options.rounds, directory)
    for (case, (program, threads)), mine in results.items():
        one, star = results[case, (program, threads and 1)], results.get((STAR, (program, threads and 1)))
        user, wall, hops = (statistics.median(r[i] for r in mine) for i in range(3))
        of_star = f"{ratio(mine, star, cost):8.2f}" if star else f"{'':8}"
        print(f"{case:12} {names[program]:2} {threads or 1:3} {hops / 1e6:7.2f} {user:7.2f} {wall:7.2f} "
              f"{hops / user / 1e6:8.2f} {user / hops * 1e9:8.1f} {of_star} "
              f"{ratio(mine, results[case, columns[0]], cost):6.2f} {ratio(one, mine, lambda r: r[1]):8.2f}")
    for (case, column), mine in results.items():
        if case != STAR and column == (programs[0], 2):
            one = results[case, (programs[0], 1)]
            print(f"\n{case}:")
            on_paper(mine[0][3], DELAY_S, statistics.median(map(cost, one)), ratio(one, mine, lambda r: r[1]))


if __name__ == "__main__":
    main()
