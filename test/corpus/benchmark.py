#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How often contraflow is right about captures whose truth is known by experiment.

    benchmark.py CONTRAFLOW DIR [--wrong] [--class NAME] [--runs | --phase] [--reliability] [--answers]
                 [--right 0.98 --false-yes 0.005 --missed 0 --unknown 0.05 --cause 0.95]

DIR is a corpus of linux.py or emulated.py. Each capture is judged alone, by `contraflow check --json`; its "diagnosis"
is held against truth.csv: the answer, the cause, what is lost, the capacity, and each flow's waits ("data_wait_s" and
"ack_wait_s" of the flow, else those of `contraflow explain --json`). A check without a diagnosis is read by its
verdict. Truth that is too close to call ("unclear", or a label that another seed turns round) is counted apart. With
limits, the exit status is 1 where one is broken. --runs: runs each scenario of emulated.py and judges its run directory
instead. --phase: holds waits of emulated.py's flows against what they were in the time that is spoken of, not in the
experiment's phase: runs each scenario again, up to where check's phase begins and to where it ends (a flow that only
explain speaks of: to where the capture ends). Beside each class stands how often "ci95" of what is lost holds the truth
("-": nothing has one). --reliability: of what has a "probability", how often waiting ACKs do cost bandwidth where so
much was said."""
import argparse
import concurrent.futures
import csv
import gzip
import json
import math
import os
import pathlib
import re
import statistics
import struct
import subprocess
import sys

from emulated import LIMIT_S, Phase
from truth import truth_capture

ANSWERS = ("yes", "no", "unknown")
WAIT = 0.03  # of the round trip
CAPACITY = 0.03
BINS = (0, 0.01, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 0.99, 1.01)  # of probabilities
TIMEOUT_S = 600  # sanitizers take their time


def benchmark_call(contraflow, command, path):
    try:
        done = subprocess.run([contraflow, command, "--json", path], capture_output=True, text=True, timeout=TIMEOUT_S)
        return json.loads(done.stdout)
    except (json.JSONDecodeError, subprocess.TimeoutExpired):
        return {}


def benchmark_old(resource):
    """What a check without a diagnosis says: its verdict, B for what each way could carry."""
    verdict, b = resource["verdict"], resource["fitted_rate_bps"]
    rates = {w: sum(f["rate_bps"] for f in resource["flows"] if f["direction"] == w) for w in ("in", "out")}
    rule = verdict in ("eq6", "window")
    answer = ("unknown" if resource.get("indistinguishable") or verdict == "none" else
              "yes" if rule else "no")
    both = min(rates.values()) > 0
    lost = {w: 1 - rates[w] / b if rule and both and b else 0.0 for w in rates}
    lost["total"] = 1 - sum(rates.values()) / (2 * b) if rule and both and b else 0.0
    cause = {"loss": "losses", "eq5": "full"}.get(verdict, "acks_behind_data" if rule else "unknown")
    wire = b * 1538 / 1448 if b else None
    return {"asymmetry": answer, "cause": cause, "lost_share": lost, "capacity_bps": {"in": wire, "out": wire}}


def benchmark_run(contraflow, directory, name, temporary, until_ns=None):
    """The run directory of a scenario, without captures; None: there is no such scenario. `until_ns`: ended there."""
    scenario = pathlib.Path(directory, f"{name}.yaml")
    if not scenario.exists():
        return None
    lines = [line for line in scenario.read_text().splitlines() if not line.startswith("capture:")]
    if until_ns is not None:
        lines = [line for line in lines if not line.startswith(("duration:", "warmup:")) and
                 not ((start := re.search(r"^    - .* start: (\d+)ns", line)) and int(start[1]) >= until_ns)]
        lines += [f"duration: {until_ns}ns", "warmup: 0s"]
    plain = pathlib.Path(temporary, "scenario.yaml")
    plain.write_text("\n".join(lines) + "\n")
    subprocess.run([contraflow, "run", plain, "-q", "-o", f"{temporary}/run"], check=True, timeout=LIMIT_S)
    return f"{temporary}/run"


def benchmark_phase_waits(job, path, resource, temporary):
    """[{"phase" or "life": (data, ack)} of each flow in order of start]: waits in the phase of `resource`, and in all
    of the run. None: no such scenario."""
    contraflow, directory, row = job[:3]
    with gzip.open(path) as f:
        first_ns = sum(a * b for a, b in zip(struct.unpack("<II", f.read(32)[24:]), (10**9, 1)))
    begin, end = (first_ns + round(resource[k] * 1e9) for k in ("steady_start_s", "end_s"))
    runs = []
    for until_ns in (begin, end, None):
        run = benchmark_run(contraflow, directory, row["name"], temporary, until_ns)
        if run is None:
            return None
        runs.append(json.loads(pathlib.Path(run, "summary.json").read_text()))
    phases = {"phase": Phase(None, *runs[:2]), "life": Phase(None, {"flows": [], "ended_s": 0}, runs[2])}
    return [{k: (p.wait(i, "data"), p.wait(i, "ack")) for k, p in phases.items() if i < len(p.whole["flows"])}
            for i in range(len(runs[2]["flows"]))]


def benchmark_one(job):
    """{"answer", "cause", "lost", "capacity", "waits"} of one capture; missing where nothing was said."""
    contraflow, directory, row, runs, phase, answers = job
    host = "h0" if runs else row["host"]
    with truth_capture(directory, row["name"]) as (path, temporary):
        if runs:
            path = benchmark_run(contraflow, directory, row["name"], temporary)
        if path is None:
            return row["name"], None
        check = benchmark_call(contraflow, "check", str(path))
        explain = {} if answers else benchmark_call(contraflow, "explain", str(path))
        resource = next((r for r in check.get("resources", []) if r["host"].strip("[]") == host), None)
        exact = benchmark_phase_waits(job, path, resource, temporary) if phase and resource else None
    if resource is None:
        return row["name"], {"answer": "unknown", "cause": "unknown", "verdict": "-", "waits": {}}
    d = resource.get("diagnosis") or benchmark_old(resource)
    waits = {f["src"]: (f.get("data_wait_s"), f.get("ack_wait_s")) for f in explain.get("flows", [])}
    judged = {f["src"]: (f["data_wait_s"], f["ack_wait_s"]) for f in resource["flows"]
              if f.get("data_wait_s") is not None}
    waits.update(judged)
    return row["name"], {"answer": d["asymmetry"], "cause": d["cause"], "lost": d.get("lost_share"),
                         "capacity": d.get("capacity_bps"), "verdict": resource["verdict"], "waits": waits,
                         "judged": set(judged), "exact": exact, "why": d.get("why"),
                         "probability": d.get("probability", resource.get("probability"))}


def benchmark_flows(directory, rows, results):
    """{capture: {"address:port": (data wait, ACK wait, round trip) in seconds}}"""
    flows = {}

    def put(name, source, data_s, ack_s, trip_s):
        if data_s is not None and ack_s is not None and trip_s > 0:
            flows.setdefault(name, {})[source] = (data_s, ack_s, trip_s)

    def number(text):
        return float(text) if text not in ("", "None", None) else None

    common = directory / "flows.csv"
    if common.exists():
        with open(common, newline="") as f:
            for r in csv.DictReader(f):
                data, ack, floor = (number(r[k]) for k in ("data_wait_s", "ack_wait_s", "floor_s"))
                source, said = f"{r['src']}:{r['sport']}", results.get(r["name"], {})
                if said.get("exact"):
                    kind = "phase" if source in said["judged"] else "life"
                    data, ack = said["exact"][int(r["flow"][1:])].get(kind, (None, None))
                put(r["name"], source, data, ack, sum(filter(None, (data, ack, floor))))
        return flows
    for row in rows:
        path = directory / f"{row['name']}.flows.csv"
        if path.exists():
            with open(path, newline="") as f:
                for r in csv.DictReader(f):
                    data, ack = number(r.get("data_wait_ms")), number(r.get("ack_wait_ms"))
                    source = f"[{r['src']}]:{r['sport']}" if ":" in r["src"] else f"{r['src']}:{r['sport']}"
                    if data is not None and ack is not None:
                        trip = (data + ack + float(r["base_rtt_ms"])) / 1e3
                        put(row["name"], source, data / 1e3, ack / 1e3, trip)
    return flows


def benchmark_table(title, rows, columns, counts):
    print(f"\n{title}")
    widths = [max(len(str(r)) for r in list(rows) + ["truth"])] + [max(7, len(c)) for c in columns]
    print("  " + "truth".ljust(widths[0]) + "".join("  " + c.rjust(w) for c, w in zip(columns, widths[1:])))
    for r in rows:
        cells = "".join("  " + str(counts.get((r, c), "") or "-").rjust(w) for c, w in zip(columns, widths[1:]))
        print("  " + str(r).ljust(widths[0]) + cells)


def benchmark_count(pairs):
    counts = {}
    for p in pairs:
        counts[p] = counts.get(p, 0) + 1
    return counts


def benchmark_share(errors, within):
    errors = sorted(errors)
    if not errors:
        return "nothing to say"
    good = sum(e <= within for e in errors) / len(errors)
    high = errors[math.ceil(0.9 * len(errors)) - 1]
    return (f"{good:6.1%} within {within:g}; median {statistics.median(errors):.3f}, 90th percentile {high:.3f} "
            f"({len(errors)})")


def benchmark_waits(rows, results, truth):
    """Linux: of the sum, because its truth is queues' mean length over time, not what a flow's packets met."""
    exact, errors, seen = "rate_bps" in rows[0], [], 0
    for r in rows:
        for source, (data, ack, trip) in truth.get(r["name"], {}).items():
            seen += 1
            said = results[r["name"]]["waits"].get(source)
            if said and said[0] is not None and said[1] is not None:
                each = (abs(said[0] - data), abs(said[1] - ack), abs(sum(said) - data - ack))
                errors.append((max(each[:2]) if exact else each[2]) / trip)
    print(f"waits{',' if exact else ' together,'} of the round trip: {benchmark_share(errors, WAIT)} of {seen} flows")


def benchmark_lost(said, way):
    """(what is lost, half of its interval's width) of "in", "out" or "total"; each may be None."""
    value, half = (said or {}).get(way), (said or {}).get("ci95")
    if isinstance(value, dict):
        value, half = value.get("value"), value.get("ci95")
    elif isinstance(half, dict):
        half = half.get(way)
    elif way != "total":
        half = said.get(f"ci95_{way}") if said else None
    return value, half


def benchmark_classes(sure, results):
    """A row a class: right, wrong, silent, and of how many the interval of what is lost holds the truth."""
    classes = sorted({r.get("class", "") for r in sure})
    ways = ("total", "in", "out")
    print("\nclass                    n  right  wrong yes  wrong no  silent" +
          "".join(f"{f'ci95 {w}':>16}" for w in ways))
    for name in classes + ["all"] * (len(classes) > 1):
        of = [r for r in sure if name in ("all", r.get("class", ""))]
        said = benchmark_count((r["asymmetry"], results[r["name"]]["answer"]) for r in of)
        silent = sum(v for (_, a), v in said.items() if a == "unknown")
        right = len(of) - silent - said.get(("no", "yes"), 0) - said.get(("yes", "no"), 0)
        cells = ""
        for way in ways:
            pairs = [(benchmark_lost(results[r["name"]].get("lost"), way), float(r[f"lost_{way}"])) for r in of
                     if way == "total" or int(r[f"flows_{way}"]) > 0 < float(r[f"b_{way}"])]
            inside = [abs(value - true) <= half for (value, half), true in pairs if None not in (value, half)]
            share = f"{sum(inside) / len(inside):.1%} of {len(inside)}" if inside else "-"
            cells += f"{share:>16}"
        print(f"{name:20} {len(of):5} {right:6} {said.get(('no', 'yes'), 0):10} {said.get(('yes', 'no'), 0):9} "
              f"{silent:7}{cells}")


def benchmark_reliability(sure, results):
    """How often waiting ACKs do cost bandwidth, by how probable that was said to be."""
    said = [(results[r["name"]].get("probability"), r["asymmetry"] == "yes") for r in sure]
    said = [s for s in said if s[0] is not None]
    print(f"\nprobability of a yes: {len(said)} of {len(sure)} have one")
    for low, high in zip(BINS, BINS[1:]):
        of = [s for s in said if low <= s[0] < high]
        if of:
            print(f"  {low:4.2f} to {min(high, 1):4.2f}: said {statistics.fmean(p for p, _ in of):5.3f}, "
                  f"true {statistics.fmean(yes for _, yes in of):5.3f} of {len(of)}")


def benchmark_report(rows, results, truth_flows, tolerance, show_wrong, reliability):
    sure = [r for r in rows if r["asymmetry"] != "unclear" and r.get("label_stable", "1") != "0"]
    answers = {r["name"]: results[r["name"]]["answer"] for r in rows}
    print(f"{len(rows)} captures, {len(sure)} with a clear truth, {sum(r.get('starved') == '1' for r in rows)} starved")
    benchmark_table("answer", ("yes", "no"), ANSWERS,
                    benchmark_count((r["asymmetry"], answers[r["name"]]) for r in sure))
    right = sum(answers[r["name"]] == r["asymmetry"] for r in sure) / len(sure)
    false_yes = sum(r["asymmetry"] == "no" and answers[r["name"]] == "yes" for r in sure) / len(sure)
    unknown = sum(answers[r["name"]] == "unknown" for r in sure) / len(sure)
    silent = sum(r["asymmetry"] == "no" and answers[r["name"]] == "unknown" for r in sure) / len(sure)
    print(f"  right {right:.1%} ({right + silent:.1%} were unknown read as no), false yes {false_yes:.1%}, "
          f"unknown {unknown:.1%}; of unclear ones: " +
          (", ".join(f"{v} {k}" for k, v in sorted(benchmark_count(
              answers[r["name"]] for r in rows if r not in sure).items())) or "none"))
    benchmark_classes(sure, results)
    causes = benchmark_count((r["cause"], results[r["name"]]["cause"]) for r in sure)
    benchmark_table("cause", sorted({c for c, _ in causes}), sorted({c for _, c in causes}), causes)
    cause = sum(v for (a, b), v in causes.items() if a == b) / max(1, sum(answers[r["name"]] != "unknown" for r in sure))
    print(f"  right {cause:.1%} of those that are answered\n")
    for way in ("total", "in", "out"):
        said = [(benchmark_lost(results[r["name"]].get("lost"), way)[0], float(r[f"lost_{way}"])) for r in sure
                if way == "total" or int(r[f"flows_{way}"]) > 0]
        errors = [abs(value - true) for value, true in said if value is not None]
        print(f"lost, {way + ':':5} points:         {benchmark_share(errors, tolerance)}")
    benchmark_waits(rows, results, truth_flows)
    errors = []
    for r in rows:
        said = results[r["name"]].get("capacity") or {}
        for way in ("in", "out"):
            rate = (float(r["up_bps" if way == "out" and "up_bps" in r else "rate_bps"]) if "rate_bps" in r else
                    float(r[f"rate_{way}"]) * 1e6)
            if r[f"saturated_{way}"] == "1" and said.get(way):
                errors.append(abs(said[way] / rate - 1))
    print(f"capacity of full links:      {benchmark_share(errors, CAPACITY)}")
    if reliability:
        benchmark_reliability(sure, results)
    if show_wrong:
        print("\nwrong, by answer or cause")
        for r in sure:
            if (answers[r["name"]], results[r["name"]]["cause"]) != (r["asymmetry"], r["cause"]):
                print(f"  {r['name']:32} {r.get('class', ''):16} {r['asymmetry']:4} {r['cause']:20} -> "
                      f"{answers[r['name']]:8} {results[r['name']]['cause']:20} lost {float(r['lost_total']):+.3f} "
                      f"in {float(r['share_in']):.2f} out {float(r['share_out']):.2f}")
    missed = sum(r["asymmetry"] == "yes" and answers[r["name"]] == "no" for r in sure) / len(sure)
    return right, false_yes, missed, unknown, cause


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("contraflow")
    p.add_argument("directory", type=pathlib.Path)
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--wrong", action="store_true", help="list what is answered wrong, or by another cause")
    p.add_argument("--runs", action="store_true", help="judge run directories, not captures")
    p.add_argument("--phase", action="store_true", help="hold waits against those of the time that is spoken of")
    p.add_argument("--reliability", action="store_true", help="said probability against frequency")
    p.add_argument("--answers", action="store_true", help="without the waits that explain alone tells")
    p.add_argument("--class", dest="kind", help="this class only")
    p.add_argument("--right", type=float, help="at least this share")
    p.add_argument("--false-yes", type=float, help="at most this share")
    p.add_argument("--missed", type=float, help="at most this share: no, where the truth is yes")
    p.add_argument("--unknown", type=float, help="at most this share")
    p.add_argument("--cause", type=float, help="right for at least this share")
    arguments = p.parse_args()
    with open(arguments.directory / "truth.csv", newline="") as f:
        rows = [r for r in csv.DictReader(f) if arguments.kind in (None, r.get("class"))]
    jobs = [(os.path.abspath(arguments.contraflow), str(arguments.directory), r, arguments.runs, arguments.phase,
             arguments.answers) for r in rows]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = {name: said for name, said in pool.map(benchmark_one, jobs) if said}
    missing = [r["name"] for r in rows if r["name"] not in results]
    if missing:
        print(f"no capture of {', '.join(missing)}", file=sys.stderr)
    rows = [r for r in rows if r["name"] in results]
    if not rows:
        print(f"{arguments.directory}: no capture to judge", file=sys.stderr)
        return 2
    tolerance = 0.03 if "rate_bps" in rows[0] else 0.05
    right, false_yes, missed, unknown, cause = benchmark_report(
        rows, results, benchmark_flows(arguments.directory, rows, results), tolerance, arguments.wrong,
        arguments.reliability)
    broken = [text for text, bad in (
        (f"right {right:.3f}", arguments.right is not None and right < arguments.right),
        (f"false yes {false_yes:.3f}", arguments.false_yes is not None and false_yes > arguments.false_yes),
        (f"missed {missed:.3f}", arguments.missed is not None and missed > arguments.missed),
        (f"unknown {unknown:.3f}", arguments.unknown is not None and unknown > arguments.unknown),
        (f"cause {cause:.3f}", arguments.cause is not None and cause < arguments.cause)) if bad]
    if broken:
        print(f"beyond the limits: {', '.join(broken)}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
