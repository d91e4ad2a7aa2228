#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How many instructions is a frame-hop of the native engine? Counted by callgrind, so that the figure is the same
whatever else the machine does: star.yaml for 200 ms, nothing captured, one process from its start to its end. A
frame-hop is one frame from one port to the next.

  bench_instructions.py PROGRAM SCENARIOS [--most N [--beside N]] [--control NAME]...

Prints a line a control: instructions a hop of the whole process, of what twice the time costs more, and how many of it
are libraries' (printing, linking). --most: exit status 1 where the first control takes more in all, or another more than
--beside times what the first takes; 77 without valgrind.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CONTROLS = ("newreno", "linuxreno", "cubic")


def count(program, scenario, directory, milliseconds, control):
    """(instructions, those of them that shared libraries and the linker ran, frame-hops) of one run of the engine."""
    out = directory / "run"
    shutil.rmtree(out, ignore_errors=True)
    subprocess.run([program, "run", scenario, "--engine", "native", "-q", "-o", out, "--set", "capture=[]", "--set",
                    f"duration={milliseconds}ms", "--set", "warmup=60ms", "--set", f"tcp.congestion={control}"], check=True)
    hops = sum(p["delivered_frames"] for p in json.loads((out / "summary.json").read_text())["ports"])
    counts = directory / "counts"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MALLOC_")}  # meson's fills what is freed
    subprocess.run(["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={counts}",
                    program.with_name("contraflow-native"), out], check=True, stdout=subprocess.DEVNULL,
                   env=environment)
    annotated = subprocess.run(["callgrind_annotate", "--threshold=100", counts], check=True, capture_output=True, text=True)
    rows = re.findall(r"^ *([\d,]+) \([ \d.]+%\) +(.*)$", annotated.stdout, re.M)
    number = lambda text: int(text.replace(",", ""))  # noqa: E731
    libraries = sum(number(n) for n, name in rows if re.search(r"\[.*\.so[.\d]*\]$", name))
    return next(number(n) for n, name in rows if name == "PROGRAM TOTALS"), libraries, hops


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("scenarios", type=pathlib.Path)
    parser.add_argument("--most", type=float)
    parser.add_argument("--beside", type=float, default=float("inf"))
    parser.add_argument("--control", action="append")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        print("no valgrind")
        return 77
    taken = {}
    with tempfile.TemporaryDirectory(prefix="contraflow-bench-") as directory:
        print(f"{'control':10} {'hops':>8} {'a hop':>7} {'libraries':>10} {'further':>8}")
        for control in options.control or CONTROLS:
            counts = [count(options.program.resolve(), options.scenarios / "star.yaml", pathlib.Path(directory), ms, control)
                      for ms in ((200,) if options.most else (200, 400))]
            instructions, libraries, hops = counts[0]
            further = (counts[-1][0] - instructions) / (counts[-1][2] - hops) if len(counts) > 1 else float("nan")
            print(f"{control:10} {hops:8} {instructions / hops:7.1f} {libraries / hops:10.1f} {further:8.1f}", flush=True)
            taken[control] = instructions / hops
    first = next(iter(taken.values()))
    bad = options.most and first > options.most
    if bad:
        print(f"{first:.1f} instructions a frame-hop are more than {options.most:g}")
    for control, a_hop in taken.items():
        if a_hop > options.beside * first:
            bad = True
            print(f"{control} takes {a_hop / first:.2f} times as many, more than {options.beside:g}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
