#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How near replays come to captures of real Linux, and their what-if to the experiment.

    replay_benchmark.py CONTRAFLOW DIR [--half development|judgement] [--flows] [--near 0.9 --what-if 0.9]

DIR is a corpus of linux.py, or of emulated.py. Each capture is played alone, nothing told; its flows' rates are held against those
measured in the capture, and the what-if "ack-first" against the run of the same flows with ACKs first at every queue:
lost is 1 - baseline / what-if of the settled phase, in points. A capture whose baseline is off by more than 10 % must
be refused: else, and beyond the limits, the exit status is 1. Where two runs of the experiment itself differ by more
than those points, it does not say what is true, and the what-if is not judged. Halves: by a hash of the name; rules are
made on the one and judged by the other."""
import argparse
import concurrent.futures
import csv
import json
import os
import pathlib
import subprocess
import sys
import zlib

from truth import truth_capture

NEAR = 0.10   # of a flow's rate
POINTS = 0.10 # of what is lost
COUNTS = 0.05 # a direction that carries less of both has no share to lose, as in truth.py
TIMEOUT_S = 600  # sanitizers take their time


def replay_half(name):
    return "development" if zlib.crc32(name.encode()) % 2 == 0 else "judgement"


def replay_one(job):
    contraflow, directory, row, options = job
    with truth_capture(directory, row["name"]) as (path, t):
        if path is None:
            return row, None, "no capture"
        try:
            done = subprocess.run([contraflow, "replay", str(path), "-q", "--json", "-j1", "-o", f"{t}/out",
                                   "--what-if", "ack-first", *options], capture_output=True, text=True,
                                  timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            return row, None, "no answer in time"
    try:
        return row, json.loads(done.stdout), done.stderr.strip()
    except json.JSONDecodeError:
        return row, None, done.stderr.strip().replace(t + "/", "")


def replay_spread(row):
    """By how much runs of the experiment itself differ: of both on Linux, of what is lost where it is emulated."""
    return max(float(row[c]) for c in ("a_spread", "b_spread", "spread") if c in row)


def replay_lost(played, host, way):
    """1 - baseline / what-if of a direction's flows; None without flows or without a what-if."""
    variants = {v["what_if"]: v["settled_bps"] for v in played["variants"]}
    ends = {"in": "dst", "out": "src"}
    mine = [i for i, f in enumerate(played["flows"])
            if way == "total" or f[ends[way]].rsplit(":", 1)[0].strip("[]") == host]
    if "ack-first" not in variants or not mine:
        return None
    after = sum(variants["ack-first"][i] or 0 for i in mine)
    return 1 - sum(variants["baseline"][i] or 0 for i in mine) / after if after else None


def replay_judge(row, played):
    """{"errors": [of each flow], "refused", "points": {way: ...}}"""
    errors = [f["replayed_bps"] / f["measured_bps"] - 1 if f["replayed_bps"] else -1 for f in played["flows"]]
    points = {}
    after = {way: float(row[f"b_{way}"]) for way in ("in", "out")}
    for way in ("in", "out", "total"):
        lost = replay_lost(played, row["host"], way)
        if lost is not None and (way == "total" or after[way] > COUNTS * sum(after.values())):
            points[way] = (lost, float(row[f"lost_{way}"]))
    return {"errors": errors, "refused": played.get("refused"), "points": points}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("contraflow")
    p.add_argument("directory", type=pathlib.Path)
    p.add_argument("--half", choices=("development", "judgement"))
    p.add_argument("--class", dest="kind", help="this class only")
    p.add_argument("--name", help="this capture only")
    p.add_argument("--flows", action="store_true", help="print each flow")
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--near", type=float, default=0, help="at least this share of captures within 10 %%")
    p.add_argument("--what-if", type=float, default=0, help="at least this share of what-ifs within 10 points")
    p.add_argument("--options", type=str.split, default=[], help="for contraflow replay, in one word")
    a = p.parse_args()
    with open(a.directory / "truth.csv", newline="") as f:
        rows = [r for r in csv.DictReader(f) if a.kind in (None, r["class"]) and a.name in (None, r["name"]) and
                a.half in (None, replay_half(r["name"]))]
    jobs = [(os.path.abspath(a.contraflow), str(a.directory), r, a.options) for r in rows]
    near = wrong = refused = nothing = what_near = what_n = silent = vague = 0
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for row, played, said in pool.map(replay_one, jobs):
            if played is None:
                nothing += 1
                print(f"{row['name']:30} -       {said[:120]}")
                continue
            j = replay_judge(row, played)
            worst = max(map(abs, j["errors"]))
            within = worst <= NEAR
            near += within
            refused += not within and bool(j["refused"])
            wrong += not within and not j["refused"]
            mark = "near   " if within else "refused" if j["refused"] else "WRONG  "
            what = ""
            if within and j["refused"]:
                silent += 1
                what = j["refused"]
            elif within and replay_spread(row) > POINTS:
                vague += 1
                what = "the experiment does not agree with itself"
            elif within and j["points"]:
                off = max(abs(x - y) for x, y in j["points"].values())
                what_n += 1
                what_near += off <= POINTS
                what = f"{'' if off <= POINTS else 'WHAT-IF '}" + ", ".join(
                    f"{w} lost {x:.2f} ({y:.2f})" for w, (x, y) in j["points"].items())
            print(f"{row['name']:30} {mark} worst {worst:6.1%}  {what}")
            if a.flows or mark == "WRONG  ":
                for f, e in zip(played["flows"], j["errors"]):
                    print(f"    {f['src']:>24} > {f['dst']:24} {f['measured_bps'] / 1e6:8.3f} measured "
                          f"{(f['replayed_bps'] or 0) / 1e6:8.3f} played {e:+7.1%}  window {f['window_bytes']} "
                          f"pauses {f['pauses']} application {f.get('application_bps', 0) / 1e6:.2f}")
            if (a.flows or mark == "WRONG  ") and played.get("link"):
                print(f"    {played['link']} assumed {played['assumed']!r} {played['refused'] or ''}")
    n = len(rows)
    print(f"{n} captures: every flow within 10 % {near} ({near / n:.1%}), refused {refused}, wrong {wrong}, "
          f"not played {nothing}")
    print(f"what-if ACKs first, of those within 10 %: within 10 points {what_near} of {what_n}"
          f" ({what_near / max(1, what_n):.1%}); refused {silent}; the experiment does not say {vague}")
    broken = near < a.near * n or what_near < a.what_if * what_n or wrong + nothing > 0
    if broken:
        print("beyond the limits")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
