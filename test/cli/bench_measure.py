#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""contraflow measure on random paths: how many answers are right, how many silent, and how many wrong.

    bench_measure.py CONTRAFLOW [PATHS] [--time 30s] [--seed 1] [--jobs 1] [--csv FILE]

Each path is drawn at random, off any grid (paths.py). The truth is an experiment, and no formula: the same path once
more, with ACKs first in every queue. If that brings 5 % more of both directions together, or 10 % of one of them,
bandwidth was lost to ACKs that wait, and "yes" is right; else "no" is. Where the two runs' own intervals leave it open
the path counts as "near": neither answer is wrong there. Times are wall times: a busy machine makes answers silent."""
import argparse
import concurrent.futures
import copy
import csv
import json
import math
import random
import sys

import paths

KINDS = ("access", "symmetric", "lossy", "windows", "shared", "fair")


def draw(number, seed):
    r = random.Random(1000 * seed + number)
    kind = KINDS[number % len(KINDS)]
    rate = 10 ** r.uniform(math.log10(3), math.log10(25))
    slow = rate / 10 ** r.uniform(math.log10(1.5), math.log10(15)) if kind in ("access", "fair") else rate
    delay = 10 ** r.uniform(math.log10(0.002), math.log10(0.04))
    path = {"seed": number, "kind": kind}
    for name, mbps in (("in", rate), ("out", slow)):
        queue = mbps * 1e6 / 8 * 10 ** r.uniform(math.log10(0.01), math.log10(0.4))
        path[name] = paths.way(mbps, int(max(queue, 6000)), "fair" if kind == "fair" else "fifo", delay)
    if r.random() < 0.3:  # the fast way is the shared host's own
        path["in"], path["out"] = path["out"], path["in"]
    if kind == "lossy":
        for name in ("in", "out"):
            path[name]["loss"] = 10 ** r.uniform(-3, -1.2)
    if kind == "windows":
        size = int(10 ** r.uniform(math.log10(16e3), math.log10(200e3)))
        path["near"] = path["far"] = {"net/ipv4/tcp_rmem": f"4096 {size} {size}"}
    if kind == "shared":
        path["shared"] = True
    return path


def acks_first(path):
    other = copy.deepcopy(path)
    for name in ("in", "out"):
        other[name]["discipline"] = "ack-first"
    return other


def both(resource):
    """(rate, interval) of each direction with both at once."""
    phases = resource["measured"]["phases"]["both"]
    return [(phases[k]["rate_bps"]["value"], phases[k]["rate_bps"]["ci95"]) for k in ("in", "out")]


def truth(plain, first):
    """yes, no or near."""
    a, b = both(plain), both(first)
    gains = [(b[i][0] - a[i][0], math.hypot(a[i][1], b[i][1]), b[i][0], 0.1) for i in range(2)]
    gains.append((sum(g[0] for g in gains), math.hypot(gains[0][1], gains[1][1]), b[0][0] + b[1][0], 0.05))
    if any(gain - error > share * of for gain, error, of, share in gains):
        return "yes"
    if all(gain + error < share * of for gain, error, of, share in gains):
        return "no"
    return "near"


def trial(contraflow, number, options):
    path = draw(number, options.seed)
    done = [paths.measure(contraflow, p, "--json", "--time", options.time, timeout=600)
            for p in (path, acks_first(path))]
    if any(d.returncode not in (0, 1) for d in done):
        return number, path, None, None, " / ".join(d.stderr.strip().splitlines()[-1] for d in done), []
    plain, first = (json.loads(d.stdout)["resources"][0] for d in done)
    d = plain["diagnosis"]
    rates = [round(x[0] / 1e6, 3) for x in both(plain) + both(first)]
    return number, path, d["asymmetry"], truth(plain, first), f"{d['cause']}: {d['why']}", rates


def outcome(answer, true):
    if answer is None:
        return "failed"
    if answer == "unknown":
        return "silent"
    if true == "near":
        return "near"
    return "right" if answer == true else f"wrong {answer}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("contraflow")
    parser.add_argument("paths", nargs="?", type=int, default=20)
    parser.add_argument("--time", default="30s")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--csv")
    options = parser.parse_args()
    if not paths.possible():
        print("no user and network namespaces with TUN devices here")
        return 77
    counts, rows = {}, []
    numbers = range(options.first, options.first + options.paths)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for number, path, answer, true, why, rates in pool.map(
                lambda n: trial(options.contraflow, n, options), numbers):
            what = outcome(answer, true)
            counts[what, true] = counts.get((what, true), 0) + 1
            rows.append([number, path["kind"], answer, true, what, why, *rates])
            print(f"{number:4} {path['kind']:10} {answer!s:8} truth {true!s:5} {what:9} {why} {rates}", flush=True)
    if options.csv:
        with open(options.csv, "w", newline="") as f:
            csv.writer(f).writerows([["path", "kind", "answer", "truth", "outcome", "why", "in", "out", "in_acks_first",
                                      "out_acks_first"], *rows])
    totals = {}
    for (what, _), n in counts.items():
        totals[what] = totals.get(what, 0) + n
    print(", ".join(f"{n} {what}" for what, n in sorted(totals.items())), f"of {options.paths} paths, {options.time} each")
    print("by truth:", ", ".join(f"{true} {what} {n}" for (what, true), n in sorted(counts.items(), key=str)))
    return 1 if totals.get("wrong yes") else 0


if __name__ == "__main__":
    sys.exit(main())
