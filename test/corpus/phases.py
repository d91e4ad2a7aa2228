#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How often check is right about runs whose flows begin and end at different times.

    phases.py CONTRAFLOW [--count 100] [--seed 1] [--wrong]

Scenarios are drawn at random: patterns as Zhu et al. 2014 draw them, exchanges of unequal messages, and flows of any
start and size, over stars and trees. Each is run as it is (A) and with ACKs first at every queue (B), and check judges
A's directory. The truth about a host is what its judged flows got in the judged phase of A against what the same ones
got in B while all of them lived, from the same time on; where they lived for less than a third as long, or where the
phase cut to B's length says something else, nobody knows ("unclear")."""
import argparse
import concurrent.futures
import csv
import json
import math
import os
import random
import subprocess
import sys
import tempfile

from truth import truth_label

LEAST = 1 / 3  # of the judged phase


def phases_draw(seed):
    """The text of a scenario."""
    r = random.Random(seed)

    def between(least, most):
        return math.exp(r.uniform(math.log(least), math.log(most)))

    rate, delay, hosts = between(20e6, 1e9), between(10e-6, 2e-3), r.randint(4, 12)
    pipe = rate / 8 * (4 * delay + 4 * 1538 * 8 / rate)
    window = max(between(0.5, 30) * pipe, 6000)
    size = between(0.1, 1) * rate / 8  # a second of the link
    tree = r.random() < 0.4
    racks = [hosts // 2, hosts - hosts // 2]
    lines = [f"seed: {r.randint(1, 9999)}", "duration: 60s", f"warmup: {r.choice([0, 50, 200])}ms", "network:",
             f"  topology: tree\n  racks: {racks}\n  backbone: {{rate: {round(rate * r.choice([1, 2.5, 10]))}bps}}"
             if tree else f"  topology: star\n  hosts: {hosts}",
             f"  link: {{rate: {round(rate)}bps, delay: {round(delay * 1e9)}ns}}",
             "  nic: {limit: 100MB}", "  switch: {limit: 100MB}",
             f"tcp: {{window: {round(window)}B, initial_window: {r.choice(['warm', 'warm', 10])}, "
             f"delayed_ack: {r.choice([1, 2, 2])}, congestion: {r.choice(['newreno', 'newreno', 'cubic'])}}}",
             "traffic:"]
    kind = r.choice(["zhu", "exchange", "listed", "listed"])
    if kind == "zhu":
        lines += [f"  start_spread: {r.choice([0, 1, 50])}ms",
                  f"  random: {{d: {r.randint(1, 3)}, probability: {r.choice([0.5, 0.8, 1])}, bytes: {round(size)}B}}"]
    elif kind == "exchange":
        lines += [f"  start_spread: {r.choice([0, 1])}ms",
                  f"  random: {{d: all, probability: 1, bytes: {round(size / hosts)}B..{round(4 * size / hosts)}B}}"]
    else:
        lines += ["  flows:"]
        for _ in range(r.randint(3, 3 * hosts)):
            a, b = r.sample(range(hosts), 2)
            start = r.choice([0, r.uniform(0, 1), r.uniform(0, 2)])
            lines += [f"    - {{from: h{a}, to: h{b}, start: {round(start * 1e6)}us, "
                      f"bytes: {round(size * between(0.3, 3))}B}}"]
    return "\n".join(lines) + "\n"


class Progress:
    """What the flows of a run had had delivered by any time."""

    def __init__(self, directory):
        with open(f"{directory}/flows.csv", newline="") as f:
            rows = [r for r in csv.DictReader(f) if r["start_s"]]
        self.ends = {(r["src"], r["dst"], r["flow"]): (float(r["start_s"]), float(r["end_s"])) for r in rows}
        self.points = {k: [(v[0], 0.0)] for k, v in self.ends.items()}
        name = {k[2]: k for k in self.ends}
        with open(f"{directory}/progress.csv", newline="") as f:
            for r in csv.DictReader(f):
                if r["flow"] in name:
                    key = name[r["flow"]]
                    self.points[key].append((min(float(r["time_s"]), self.ends[key][1]), float(r["bytes"])))

    def by(self, key, t):
        points = self.points[key]
        if t <= points[0][0]:
            return 0.0
        for (t0, b0), (t1, b1) in zip(points, points[1:]):
            if t <= t1:
                return b0 + (b1 - b0) * (t - t0) / (t1 - t0) if t1 > t0 else b1
        return points[-1][1]

    def rates(self, keys, begin, end):
        return {w: sum(8 * (self.by(k, end) - self.by(k, begin)) / (end - begin) for k in keys[w]) for w in keys}


def phases_truth(a, b, keys, begin, end):
    """(label, lost share in all)"""
    total = 1 - sum(a.rates(keys, begin, end).values()) / sum(b.rates(keys, begin, end).values())
    until = min([end] + [b.ends[k][1] for w in keys for k in keys[w]])
    if until - begin < LEAST * (end - begin) or any(b.ends[k][0] > begin for w in keys for k in keys[w]):
        return "unclear", total
    labels = set()
    for last in (end, until):
        was, would = a.rates(keys, begin, last), b.rates(keys, begin, until)
        lost = {w: 1 - was[w] / would[w] if would[w] > 0 else 0.0 for w in keys}
        shares = [lost[w] for w in keys if would[w] > 0.05 * sum(would.values())]
        lost_all = 1 - sum(was.values()) / sum(would.values())
        labels.add(truth_label(lost_all, shares))
        total = lost_all if last == end else total
    return (labels.pop() if len(labels) == 1 else "unclear"), total


def phases_one(job):
    """[(label, answer, lost, said, text)] of every host of a scenario; None where it does not run."""
    contraflow, seed = job
    with tempfile.TemporaryDirectory() as t:
        with open(f"{t}/s.yaml", "w") as f:
            f.write(phases_draw(seed))
        first = ("--set", "network.nic.queue=ack-first", "--set", "network.switch.queue=ack-first")
        for run, sets in (("a", ()), ("b", first)):
            done = subprocess.run([contraflow, "run", f"{t}/s.yaml", "-q", "--engine", "native", "-o", f"{t}/{run}",
                                   *sets], capture_output=True, text=True)
            if done.returncode:
                print(f"{seed}: {done.stderr.strip()}", file=sys.stderr)
                return None
        a, b = Progress(f"{t}/a"), Progress(f"{t}/b")
        out = subprocess.run([contraflow, "check", f"{t}/a", "--json"], capture_output=True, text=True).stdout
    results = []
    for resource in json.loads(out)["resources"] if out else []:
        d, begin, end = resource["diagnosis"], resource["steady_start_s"], resource["end_s"]
        keys = {"in": [], "out": []}
        for f in resource["flows"]:
            keys[f["direction"]] += [k for k, life in a.ends.items() if k[:2] == (f["src"], f["dst"]) and
                                     life[0] <= resource["start_s"] + 1e-6 and life[1] >= end - 1e-6 and
                                     k not in keys[f["direction"]]][:1]
        label, lost = phases_truth(a, b, keys, begin, end)
        text = f"{seed} {resource['host']}: {d['asymmetry']} ({d['cause']}), lost {lost:.3f}: {d['why']}"
        results.append((label, d["asymmetry"], lost, d["lost_share"]["total"], text))
    return results


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("contraflow")
    p.add_argument("--count", type=int, default=100)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--wrong", action="store_true", help="list what is answered wrong")
    o = p.parse_args()
    jobs = [(os.path.abspath(o.contraflow), 1000 * o.seed + i) for i in range(o.count)]
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        scenarios = [r for r in pool.map(phases_one, jobs) if r]
    hosts = [h for s in scenarios for h in s]
    sure = [h for h in hosts if h[0] in ("yes", "no")]
    print(f"{len(scenarios)} scenarios with shared links, {len(hosts)} links, {len(sure)} with a clear truth")
    for label in ("yes", "no"):
        print(f"  {label:3}: " + ", ".join(f"{sum(h[:2] == (label, x) for h in sure)} {x}"
                                           for x in ("yes", "no", "unknown")))
    right = sum(h[0] == h[1] for h in sure) / len(sure)
    false_yes = sum(h[:2] == ("no", "yes") for h in sure) / len(sure)
    unknown = sum(h[1] == "unknown" for h in sure) / len(sure)
    print(f"  right {right:.1%}, false yes {false_yes:.1%}, unknown {unknown:.1%}; of all links "
          f"{sum(h[1] == 'unknown' for h in hosts) / len(hosts):.1%} unknown")
    errors = sorted(abs(h[2] - h[3]) for h in sure if h[3] is not None)
    print(f"  lost within 3 points {sum(e <= 0.03 for e in errors) / len(errors):.1%}, "
          f"90th percentile {errors[math.ceil(0.9 * len(errors)) - 1]:.3f}")
    if o.wrong:
        for h in sure:
            if h[0] != h[1]:
                print(f"  {h[0]:3} -> {h[4]}")


if __name__ == "__main__":
    main()
