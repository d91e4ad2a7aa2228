#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What do check, explain and a report cost beside a plain analysis of the same capture? Ten million packets of three
flows, made here by the native engine: h0 of star.yaml for 60 s. Commands take turns, so that other load hits all of them; each
figure is a median, and ratios are within a round. `meson test --benchmark` runs it, it judges nothing.

usage: bench_commands.py CONTRAFLOW [--seconds N] [--rounds N]
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

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


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].strip())
    parser.add_argument("contraflow")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="contraflow-bench-") as name:
        work = pathlib.Path(name)
        subprocess.run([options.contraflow, "run", SCENARIO, "--engine", "native", "-q", "-o", work / "star", "--set",
                        f"duration={options.seconds}s"], check=True, stderr=subprocess.DEVNULL)
        file = work / "star" / "h0.pcap"
        packets, = (c["frames"] for c in json.loads((work / "star" / "summary.json").read_text())["captures"])
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


if __name__ == "__main__":
    main()
