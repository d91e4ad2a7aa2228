#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What do check, explain and a report cost beside a plain analysis of the same capture? Ten million packets of three
flows, made here by the native engine: h0 of star.yaml for 60 s. Commands take turns, so that other load hits all of them; each
figure is a median, and ratios are within a round. `meson test --benchmark` runs it, it judges nothing.

With --instructions it counts those of two seconds of packets by cachegrind instead, which are the same whatever else the machine
does; exit status 1 where check takes more than N times those of analyze, 77 without valgrind. --many: likewise of what
further flows cost, of a hundred packets each: so many times more for each of the second 200 as analyze.

usage: bench_commands.py CONTRAFLOW [--seconds N] [--rounds N] [--instructions N] [--many N]
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import bench_memory

MANY = 200  # flows
SCENARIO = pathlib.Path(__file__).resolve().parents[3] / "scenarios" / "star.yaml"
COMMANDS = {
    "analyze": ["analyze", "FILE"],
    "check": ["check", "FILE"],
    "explain": ["explain", "FILE"],
    "analyze --report": ["analyze", "--report", "DIR", "FILE"],
}


def run(contraflow, command, file, directory):
    """(wall seconds, processor seconds)."""
    arguments = [{"FILE": file, "DIR": directory / "report"}.get(a, a) for a in COMMANDS[command]]
    started = time.monotonic()
    child = subprocess.Popen([contraflow, *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1, 4):
        raise SystemExit(f"{command} said {child.returncode}")
    return time.monotonic() - started, usage.ru_utime + usage.ru_stime


def capture(contraflow, directory, seconds):
    """(its file, how many packets it has)."""
    subprocess.run([contraflow, "run", SCENARIO, "--engine", "native", "-q", "-o", directory / "star", "--set",
                    f"duration={seconds}s"], check=True, stderr=subprocess.DEVNULL)
    packets, = (c["frames"] for c in json.loads((directory / "star" / "summary.json").read_text())["captures"])
    return directory / "star" / "h0.pcap", packets


def instructions(contraflow, command, file, directory):
    """How many a command runs, from its process's start to its end."""
    counts = directory / "counts"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MALLOC_")}  # meson's fills what is freed
    done = subprocess.run(["valgrind", "-q", "--tool=cachegrind", "--cache-sim=no", f"--cachegrind-out-file={counts}",
                           contraflow, command, file],
                          stdout=subprocess.DEVNULL, env=environment)
    assert done.returncode in (0, 1, 4), (command, done.returncode)
    summary, = re.findall(r"^(?:summary|totals): (\d+)", counts.read_text(), re.M)[-1:]
    return int(summary)


def count_many(contraflow, most):
    """What looks at all flows for each of them costs ever more."""
    with tempfile.TemporaryDirectory(prefix="contraflow-bench-") as name:
        work, ran = pathlib.Path(name), {}
        for flows in (MANY, 2 * MANY):
            bench_memory.write_bursts(work / "many.pcap", flows, 100)
            for command in ("analyze", "check", "explain"):
                ran[command, flows] = instructions(contraflow, command, work / "many.pcap", work)
    further = {c: (ran[c, 2 * MANY] - ran[c, MANY]) / MANY for c in ("analyze", "check", "explain")}
    print(f"a further flow of a hundred packets, of {2 * MANY}: " +
          ", ".join(f"{c} {n / 1e3:.0f} thousand instructions, {n / further['analyze']:.2f} times as many as analyze"
                    for c, n in further.items()) + f"; at most {most:g}")
    return 0 if max(further.values()) <= most * further["analyze"] else 1


def count(contraflow, most):
    with tempfile.TemporaryDirectory(prefix="contraflow-bench-") as name:
        work = pathlib.Path(name)
        file, packets = capture(contraflow, work, 2)
        analyze, check = (instructions(contraflow, c, file, work) for c in ("analyze", "check"))
    print(f"{packets} packets: analyze {analyze / packets:.0f} instructions each, check {check / packets:.0f}, "
          f"{check / analyze:.3f} times as many; at most {most:g}")
    return 0 if check <= most * analyze else 1


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].strip())
    parser.add_argument("contraflow")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--instructions", type=float)
    parser.add_argument("--many", type=float)
    options = parser.parse_args()
    if (options.instructions or options.many) and not shutil.which("valgrind"):
        print("no valgrind")
        return 77
    if options.instructions or options.many:
        return (options.instructions and count(options.contraflow, options.instructions)) or \
            (options.many and count_many(options.contraflow, options.many)) or 0
    with tempfile.TemporaryDirectory(prefix="contraflow-bench-") as name:
        work = pathlib.Path(name)
        file, packets = capture(options.contraflow, work, options.seconds)
        results = {c: [] for c in COMMANDS}
        for i in range(options.rounds):
            for command in list(COMMANDS)[::1 if i % 2 == 0 else -1]:
                results[command].append(run(options.contraflow, command, file, work))
    print(f"{packets / 1e6:.1f} million packets; medians of {options.rounds}\n"
          f"{'':18} {'wall s':>7} {'cpu s':>7} {'M packets/s':>11} {'of analyze':>10}")
    for command, mine in results.items():
        wall, cpu = (statistics.median(r[i] for r in mine) for i in range(2))
        ratio = statistics.median(a[0] / b[0] for a, b in zip(mine, results["analyze"]))
        print(f"{command:18} {wall:7.2f} {cpu:7.2f} {packets / wall / 1e6:11.2f} {ratio:10.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
