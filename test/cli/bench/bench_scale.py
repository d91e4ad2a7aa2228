#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What completion times of a thousand hosts cost: the window law and the fluid, beside the packets of the native engine.

usage: bench_scale.py CONTRAFLOW BENCH_MODEL_SCALE SOURCE_ROOT

First the models alone, with their numbers of solutions and steps (test/model/bench_scale.c). Then the whole commands over
the random pattern of 1,000 hosts, d = 3, 10 MB each, in one run: seconds of processor time, and their ratio to packets.
It judges nothing. `meson test --benchmark` runs it.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

SETS = ("network.racks=[500, 500]", "network.backbone={rate: 400Gbps, goodput: 376Gbps, delay: 0s}",
        "traffic.random.d=3", "traffic.random.bytes=10MB", "traffic.start_spread=0", "capture=[]")


def seconds(*command):
    """Processor time of a command and its children."""
    before = os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main():
    contraflow, models, root = sys.argv[1:]
    scenario = pathlib.Path(root) / "scenarios/zhu-random.yaml"
    subprocess.run([models, scenario], check=True)
    sets = [word for s in SETS for word in ("--set", s)]
    times = {f"predict --model {m}": seconds(contraflow, "predict", scenario, *sets, "--model", m)
             for m in ("maxmin", "window", "fluid")}
    with tempfile.TemporaryDirectory() as directory:
        packets = seconds(contraflow, "run", scenario, *sets, "-q", "-o", pathlib.Path(directory) / "run")
    print(f"\n{'command':24} {'s':>8} {'of packets':>10}")
    for name, s in {**times, "run (native)": packets}.items():
        print(f"{name:24} {s:8.2f} {100 * s / packets:9.1f}%")


if __name__ == "__main__":
    main()
