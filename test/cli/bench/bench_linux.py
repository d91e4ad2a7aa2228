#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames that --engine linux delivers for each second of processor time: 2 in, 1 out, 1 Gb/s, 600 kB, 2 s.
usage: bench_linux.py CONTRAFLOW SOURCE_ROOT"""
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

SETS = ["duration=2s", "network.link.rate=1Gbps", "network.link.delay=5us", "tcp.window=600kB", "tcp.initial_window=10",
        "tcp.congestion=linuxreno", "traffic.star.incoming=2", "traffic.star.outgoing=1"]
for name, more, wanted in (("small queues off", [], 35000), ("small queues on", ["tcp.small_queues=1MB"], 20000)):
    with tempfile.TemporaryDirectory() as work:
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run([sys.argv[1], "run", pathlib.Path(sys.argv[2]) / "scenarios/star.yaml", "-q", "--engine", "linux",
                        "-o", f"{work}/out", *(x for s in SETS + more for x in ("--set", s))], check=True)
        after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - began
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        ports = json.loads(pathlib.Path(work, "out/summary.json").read_text())["ports"]
        frames = sum(p["delivered_frames"] for p in ports if "-" in p["port"])  # those of the switch: to hosts
        print(f"{name}: {frames} frames delivered to hosts, {cpu:.1f} CPU s, {frames / cpu:.0f} a CPU second "
              f"(wanted: {wanted}), {wall:.1f} s")
