#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""contraflow measure on random paths: how many answers are right, how many silent, and how many wrong.

    bench_measure.py CONTRAFLOW [PATHS] [--on linux|here] [--time 30s] [--seed 1] [--first 0] [--jobs 1] [--csv FILE]

Each path is drawn at random, off any grid. `--on linux` has both ends on the kernel of `make linux` in virtual time,
where other work on this machine changes nothing; `--on here` on the kernel that runs here, over paths.py. The truth is
an experiment, and no formula: the same path once more, with ACKs first in every queue. If that brings 5 % more of both
directions together, or 10 % of one of them, bandwidth was lost to ACKs that wait, and "yes" is right; else "no" is. Of
paths where flows have turns "no" is right by construction: no ACK waits behind data, and CoDel's losses, which ACKs
first would do without, are another matter. Where the order of service changes nothing at all, to the bit, "no" is
right, too: both runs have the same losses at the same times. Where the two runs' own intervals leave it open the path
is "near", and counts neither way. With ACKs first nothing is left to win, and "yes" is wrong."""
import argparse
import concurrent.futures
import copy
import csv
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import paths

KINDS = ("access", "symmetric", "lossy", "windows", "shared", "fair")


def draw(number, seed):
    r = random.Random(1000 * seed + number)
    kind = KINDS[number % len(KINDS)]
    rate = 10 ** r.uniform(math.log10(3), math.log10(25))
    slow = rate / 10 ** r.uniform(math.log10(1.5), math.log10(15)) if kind in ("access", "fair") else rate
    delay = 10 ** r.uniform(math.log10(0.002), math.log10(0.04))
    path = {"seed": number, "kind": kind, "congestion": r.choice(["cubic", "cubic", "cubic", "linuxreno", "bbr"])}
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
        path["window"] = size
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
    if plain["kind"] == "fair" or a == b:
        return "no"
    if any(gain - error > share * of for gain, error, of, share in gains):
        return "yes"
    if all(gain + error < share * of for gain, error, of, share in gains):
        return "no"
    return "near"


SCENARIO = """engine: linux
duration: 150s
warmup: 0s
seed: {seed}
network:
  topology: graph
  link: {{rate: 1Gbps, delay: 5us}}
  links:
    - {{from: h0, to: sw0}}
    - from: sw0
      to: sw1
      delay: {delay:.9f}s
      out: {out}
      back: {back}
    - {{from: sw1, to: h1}}
{nodes}tcp: {{congestion: {congestion}, window: {window}B, initial_window: 10}}
traffic:
  programs:
    - {{host: h1, name: server, command: [{contraflow}, measure, serve, --bind, h1, --token, {token}]}}
    - {{host: h0, name: client, start: 13s, command: [sh, -c,
       "{contraflow} measure h1 --time {time} --token {token} -o kept; pkill -INT contraflow; true"]}}
"""
DISCIPLINES = {"fifo": "fifo", "ack-first": "ack-first", "fair": "fq_codel"}


def way_of(w, shared):
    """A way of paths.py as a scenario has it. A shared medium is the switch's backplane, and its inputs' buffers."""
    rate = 1e9 if shared else w["rate"]
    faults = f", faults: {{loss: {100 * w['loss']:.6f}%}}" if w["loss"] else ""
    return (f"{{rate: {rate:.0f}bps, port: {{queue: {DISCIPLINES[w['discipline']]}, limit: {w['queue']}B}}{faults}}}")


def measure_linux(contraflow, path, time):
    """The resource, or a line on what went wrong."""
    shared = path.get("shared", False)
    medium = f"backplane: {path['out']['rate']:.0f}bps, limit: {path['out']['queue']}B"
    nodes = f"  nodes:\n    - {{name: sw0, switch: {{{medium}}}}}\n" if shared else ""
    with tempfile.TemporaryDirectory() as directory:
        where = pathlib.Path(directory)
        (where / "path.yaml").write_text(SCENARIO.format(
            seed=path["seed"] + 1, delay=path["out"]["delay"], out=way_of(path["out"], shared),
            back=way_of(path["in"], shared), nodes=nodes, congestion=path["congestion"],
            window=path.get("window", 6000000), contraflow=pathlib.Path(contraflow).resolve(), token="9c1f7a02e85b3d6494f0c7d5",
            time=time))
        done = subprocess.run([contraflow, "run", where / "path.yaml", "--allow-programs", "-q", "-o", where / "out"],
                              capture_output=True, text=True, timeout=1200)
        kept = where / "out/kept/summary.json"
        if not kept.exists():
            said = " / ".join(p.read_text().strip()[-200:] for p in where.glob("out/h*.txt"))
            return f"{done.stderr.strip()[-200:]} {said}"
        return json.loads(kept.read_text())["resources"][0]


def measure_here(contraflow, path, time):
    done = paths.measure(contraflow, path, "--json", "--time", time, timeout=600)
    return json.loads(done.stdout)["resources"][0] if done.returncode in (0, 1, 4) else done.stderr.strip()[-300:]


def trial(options, number):
    path = draw(number, options.seed)
    measure = measure_linux if options.on == "linux" else measure_here
    plain = measure(options.contraflow, path, options.time)
    first = plain if path["kind"] == "fair" else measure(options.contraflow, acks_first(path), options.time)
    for r in (plain, first):
        if isinstance(r, str):
            return number, path, None, None, r, [], None
    d, plain["kind"] = plain["diagnosis"], path["kind"]
    rates = [round(x[0] / 1e6, 3) for x in both(plain) + both(first)]
    return (number, path, d["asymmetry"], truth(plain, first), f"{d['cause']}: {d['why']}", rates,
            None if first is plain else first["diagnosis"]["asymmetry"])


def outcome(answer, true):
    if answer is None:
        return "failed"
    if true == "near":
        return "near"
    if answer == "unknown":
        return "silent"
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
    parser.add_argument("--on", choices=("linux", "here"), default="linux")
    options = parser.parse_args()
    if options.on == "here" and not paths.possible():
        print("no user and network namespaces with TUN devices here")
        return 77
    counts, rows, kinds, firsts = {}, [], {}, []
    numbers = range(options.first, options.first + options.paths)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for number, path, answer, true, why, rates, first in pool.map(
                lambda n: trial(options, n), numbers):
            firsts += [first] if first else []
            what = outcome(answer, true)
            counts[what, true] = counts.get((what, true), 0) + 1
            kinds.setdefault(path["kind"], []).append(what)
            rows.append([number, path["kind"], answer, true, what, why, *rates])
            print(f"{number:4} {path['kind']:10} {answer!s:8} truth {true!s:5} {what:9} {why} {rates}", flush=True)
    if options.csv:
        with open(options.csv, "w", newline="") as f:
            csv.writer(f).writerows([["path", "kind", "answer", "truth", "outcome", "why", "in", "out", "in_acks_first",
                                      "out_acks_first"], *rows])
    totals = {}
    for (what, _), n in counts.items():
        totals[what] = totals.get(what, 0) + n
    print(", ".join(f"{n} {what}" for what, n in sorted(totals.items())), f"of {options.paths} paths,",
          options.time, "each")
    for kind, found in sorted(kinds.items()):
        print(f"{kind}:", ", ".join(f"{found.count(what)} {what}" for what in sorted(set(found))))
    print(f"with ACKs first: {firsts.count('yes')} of {len(firsts)} yes")
    print("by truth:", ", ".join(f"{true} {what} {n}" for (what, true), n in sorted(counts.items(), key=str)))
    return 1 if totals.get("wrong yes") or "yes" in firsts else 0


if __name__ == "__main__":
    sys.exit(main())
