#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares two builds: every shipped scenario must leave the same bytes, every shipped sweep the same rows.

usage: test/compare_builds.py OLD/contraflow NEW/contraflow [--engine native|ns3] [--quick] [--points N]
                              [--files] [--random N] [--without COLUMN]... [NAME...]

Runs scenarios/*.yaml and some points of scenarios/sweeps/*.yaml (or the NAMEs among them) with both builds and
compares exit status, messages and every file of the run directories; version numbers and wall times may differ. What
check, analyze, explain and predict find as JSON in these runs is compared as well, unless --files asks for what runs
and sweeps leave alone. --random N runs N scenarios drawn at random instead, each on 1 to 4 threads: large ones
(cli/bench/bench_threads.py) and small ones with every discipline, switch, fault and control. --without leaves out a column
that changed on purpose, in JSON as in CSV. Prints a line a scenario, the places that differ, and a count. Exit
status: 0 all the same, 1 something differs or cannot be run, 2 usage.
"""
import argparse
import csv
import io
import json
import os
import pathlib
import random
import re
import sqlite3
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test/cli"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "cli/bench"))
import bench_threads  # noqa: E402
VERSION = re.compile(rb'("contraflow": "|"engine": "\w+ )[^"]*')
IGNORED_COLUMNS = ("wall_s", "version")
SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1}


def without(found, columns):
    """JSON without members of these names, however deep."""
    if isinstance(found, dict):
        return {k: without(v, columns) for k, v in found.items() if k not in columns}
    return [without(v, columns) for v in found] if isinstance(found, list) else found


def columns_of(text, ignored):
    table = list(csv.reader(io.StringIO(text.decode())))
    keep = [i for i, column in enumerate(table[0]) if column not in ignored] if table else []
    return "\n".join(",".join(row[i] for i in keep) for row in table).encode()


def normal(data, name, ignored):
    """The bytes that must agree: summary.json without the versions that wrote it, no column that is to be ignored."""
    if ignored and name.endswith(".csv"):
        return columns_of(data, ignored)
    if name != "summary.json":
        return data
    data = VERSION.sub(rb"\1", data)
    return json.dumps(without(json.loads(data), ignored), indent=1).encode() if ignored else data


def first_difference(old, new):
    if b"\0" in old[:4096] or b"\0" in new[:4096]:
        at = next((i for i, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
        return f"byte {at} of {len(old)} and {len(new)}"
    for number, (a, b) in enumerate(zip(old.splitlines(), new.splitlines()), 1):
        if a != b:
            return f"line {number}: {a.decode(errors='replace')[:120]!r} became {b.decode(errors='replace')[:120]!r}"
    return f"{len(old)} bytes became {len(new)}"


class Build:
    def __init__(self, program, work):
        self.program = pathlib.Path(program).resolve()
        self.work = work
        self.work.mkdir()

    def has(self, engine):
        return self.program.with_name(f"contraflow-{engine}").exists()

    def start(self, *arguments):
        return subprocess.Popen([self.program, *map(str, arguments)], cwd=self.work, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)


class Comparison:
    def __init__(self, builds, ignored):
        self.builds = builds
        self.ignored = ignored
        self.differences = []

    def differ(self, what):
        self.differences.append(what)

    def both(self, *arguments):
        """The command with both builds at once; its exit status and output of the old build."""
        running = [b.start(*arguments) for b in self.builds]
        outputs = [p.communicate() for p in running]
        command = " ".join(map(str, arguments))
        if running[0].returncode != running[1].returncode:
            self.differ(f"{command}: exit status {running[0].returncode} became {running[1].returncode}: "
                        + (outputs[1][1] or outputs[0][1]).decode(errors="replace").strip()[:300])
        for (old, new), stream in zip(zip(*outputs), ("standard output", "standard error")):
            if old != new:
                self.differ(f"{command}: {stream}: {first_difference(old, new)}")
        return running[0].returncode, *outputs[0]

    def directories(self, name):
        """Files compared; a difference is written down."""
        roots = [b.work / name for b in self.builds]
        names = [{p.relative_to(r).as_posix() for p in r.rglob("*") if p.is_file()} for r in roots]
        for missing in sorted(names[0] - names[1]):
            self.differ(f"{missing} is missing")
        for added in sorted(names[1] - names[0]):
            self.differ(f"{added} is new")
        for file in sorted(names[0] & names[1]):
            old, new = (normal((r / file).read_bytes(), pathlib.Path(file).name, self.ignored) for r in roots)
            if old != new:
                self.differ(f"{file}: {first_difference(old, new)}")
        return len(names[0] | names[1])


def tenth(scenario):
    """--set of a tenth of the duration and the warm-up that the scenario's text has."""
    sets = []
    for key, number, unit in re.findall(r"^(duration|warmup): *([\d.]+)(s|ms|us)\b", scenario.read_text(), re.M):
        sets += ["--set", f"{key}={round(float(number) * SECONDS[unit] * 1e8):d}ns"]
    return sets


def compare_scenario(scenario, builds, options):
    c = Comparison(builds, options.without)
    name = scenario.stem
    sets = ["--engine", options.engine] if options.engine else []
    if options.quick:
        # its exchange of 10 to 60 MB a message repeats until the means are known
        sets += ["--set", "duration=3s"] if name == "alltoallv" else tenth(scenario)
    status, _, errors = c.both("run", scenario, "-o", name, "--quiet", "--jobs", 1, *sets)
    files = c.directories(name)
    if status == 2 and options.engine and not c.differences:
        return c, "refused: " + errors.decode(errors="replace").strip()
    if status != 0 and not c.differences:
        c.differ(f"exit status {status}: " + errors.decode(errors="replace").strip())
    if options.files:
        return c, f"{files} files"
    c.both("predict", scenario, "--all", "--json")
    for directory in sorted({p.parent for p in (builds[0].work / name).rglob("summary.json")}):
        directory = directory.relative_to(builds[0].work)
        c.both("check", directory, "--json")
        for capture in sorted((builds[0].work / directory).glob("*.pcap*")):
            capture = capture.relative_to(builds[0].work)
            c.both("analyze", capture, "--json")
            c.both("explain", directory, capture, "--json")
    return c, f"{files} files"


def small(number):
    """A scenario of a few hosts, drawn from its number alone: what large ones seldom have."""
    rng = random.Random(number)

    def queue():
        name = rng.choice(("fifo",) * 6 + ("ack-first", "fair", "codel", "fq_codel", "pie", "red", "prio", "drr", "ack-filter",
                                           "tbf", "policer"))
        q = {"queue": name, "limit": rng.choice(("20MB", "200kB", "30p", "none"))}
        if name == "tbf":
            q |= {"limit": "200kB", "rate": "20Mbps", "burst": "10kB"}
        elif name == "policer":
            q |= {"rate": "50Mbps", "burst": "60kB"}
        elif name == "red":
            q |= {"limit": "200kB"}
        elif name == "fifo" and rng.random() < 0.2:
            q |= {"mark": "30kB"}
        return q

    link = {"rate": rng.choice(("10Mbps", "100Mbps", "1Gbps", "10Gbps", "33Mbps")), "delay": f"{rng.choice((0, 1, 50, 700))}us"}
    n = {"topology": "star", "link": link, "nic": queue(), "switch": queue()}
    if rng.random() < 0.3:
        n["switch"] = rng.choice((
            {"architecture": "shared", "pool": "300kB", "alpha": 1}, {"architecture": "input"}, {"architecture": "voq"},
            {"forwarding": "cut-through"}, {"latency": "3us"}, {"backplane": "2Gbps"}, {"pause": {"xoff": "100kB"}}))
    if rng.random() < 0.2:
        link["faults"] = rng.choice(({"loss": 0.002}, {"jitter": "200us"}, {"reorder": 0.01, "reorder_by": "30us"}))
    if rng.random() < 0.15:
        link["framing"] = rng.choice(({"overhead": 42, "vlan": 7}, {"overhead": 40, "cells": "atm"}, {"cells": "ptm"}))
    if rng.random() < 0.15:
        n["host_times"] = ["1us", "5us"]
    tcp = {"congestion": rng.choice(("newreno", "cubic", "linuxreno", "westwood", "linux24", "dctcp")),
           "window": rng.choice(("30kB", "100kB", "3MB")), "initial_window": rng.choice(("warm", 10, 2)),
           "delayed_ack": rng.choice((1, 2, 2, 2, 4)), "sack": rng.random() < 0.8, "nagle": rng.random() < 0.2,
           "ecn": rng.random() < 0.3, "idle_restart": rng.random() < 0.2, "small_queues": rng.choice(("0B", "0B", "10kB")),
           "segment": rng.choice(("1448B", "1448B", "536B", "8948B"))}
    star = {"incoming": rng.randint(1, 4), "outgoing": rng.randint(0, 3)}
    if rng.random() < 0.4:
        star |= {"bytes": f"{rng.randint(1, 2000)}kB"} | ({"repeat": rng.randint(2, 9)} if rng.random() < 0.5 else {})
    return {"title": f"small {number}", "seed": number, "duration": f"{rng.choice((200, 500, 1500))}ms", "warmup": "50ms",
            "network": n, "tcp": tcp, "traffic": {"star": star},
            "capture": [{"at": "h0", "snaplen": 96}] if rng.random() < 0.4 else []}


def compare_random(number, builds, options):
    """A refusal by both is the same; most are refused by none."""
    c = Comparison(builds, options.without)
    scenario = small(number) if number % 2 else bench_threads.scenario(number)
    for b in builds:
        (b.work / "s.yaml").write_text(json.dumps(scenario))
    status, _, errors = c.both("run", "s.yaml", "-o", "out", "--quiet", "--engine", "native", "--threads", 1 + number // 2 % 4)
    if status != 0:
        return c, "refused: " + errors.decode(errors="replace").strip()
    return c, f"{c.directories('out')} files"


def compare_sweep(sweep, builds, options):
    c = Comparison(builds, options.without)
    database = sweep.stem + ".db"
    arguments = ["sweep", sweep, "--jobs", 1, "-q"]
    status, _, errors = c.both(*arguments, "--shard", "1/1000000", "-o", "first.db")  # how many points are there?
    if status != 0:
        c.differ(f"exit status {status}: " + errors.decode(errors="replace").strip())
        return c, ""
    with sqlite3.connect(builds[0].work / "first.db") as first:
        points = first.execute("SELECT points FROM sweep").fetchone()[0]
    # an odd distance between points: axes of two values show both
    distance = max(1, points // options.points) | 1
    c.both(*arguments, "--shard", f"1/{distance}", "-o", database)
    found = 0
    for flags in ([], ["--flows"]):
        exports = [b.start("sweep", "export", database, *flags).communicate()[0] for b in builds]
        old, new = (columns_of(e, (*IGNORED_COLUMNS, *options.without)) if e else b"" for e in exports)
        if not old:
            c.differ("sweep export " + " ".join(flags) + ": the old build wrote nothing")
        elif old != new:
            c.differ(f"sweep export {' '.join(flags)}: {first_difference(old, new)}")
        found = found or old.count(b"\n")
    return c, f"{found} of {points} points"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("builds", nargs=2, metavar="BUILD/contraflow")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--engine", choices=("native", "ns3"))
    parser.add_argument("--quick", action="store_true", help="a tenth of every duration, three points of every sweep")
    parser.add_argument("--files", action="store_true", help="only what runs and sweeps leave, no command on it")
    parser.add_argument("--without", action="append", default=[], metavar="COLUMN", help="ignores it; repeatable")
    parser.add_argument("--points", type=int, help="about so many points of every sweep (default: 12)")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="so many scenarios drawn at random instead")
    options = parser.parse_intermixed_args()
    options.points = options.points or (3 if options.quick else 12)
    scenarios = sorted((ROOT / "scenarios").glob("*.yaml"))
    sweeps = sorted((ROOT / "scenarios/sweeps").glob("*.yaml")) if options.engine is None else []
    unknown = set(options.names) - {p.stem for p in scenarios + sweeps}
    if unknown:
        parser.error("no such scenario or sweep: " + " ".join(sorted(unknown)))

    counts = {"same": 0, "refused": 0, "skipped": 0, "different": 0}
    for file in range(1, options.random + 1) if options.random else scenarios + sweeps:
        if options.names and file.stem not in options.names:
            continue
        label = file if options.random else file.relative_to(ROOT / "scenarios").with_suffix("")
        with tempfile.TemporaryDirectory(prefix="contraflow-compare-") as work:
            builds = [Build(p, pathlib.Path(work, side)) for p, side in zip(options.builds, ("old", "new"))]
            wanted = options.engine
            if not options.random and re.search(r"^ *engine: .*\bns3\b", file.read_text(), re.M):
                wanted = wanted or "ns3"
            if wanted and not all(b.has(wanted) for b in builds):
                kind, what, differences = "skipped", f"a build has no contraflow-{wanted}", []
            else:
                compare = compare_random if options.random else compare_sweep if file in sweeps else compare_scenario
                c, what = compare(file, builds, options)
                differences = c.differences
                kind = "different" if differences else "refused" if what.startswith("refused") else "same"
        counts[kind] += 1
        print(f"{str(label):28} {kind:10} {what.removeprefix('refused: ')}", flush=True)
        for difference in differences:
            print(f"    {difference}", flush=True)
    print(", ".join(f"{n} {kind}" for kind, n in counts.items() if n or kind in ("same", "different")))
    return 1 if counts["different"] or counts["same"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
