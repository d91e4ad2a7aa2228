#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How much memory does a run of the native engine take for a host, for a flow and for a frame that waits? Each is the
difference of two runs that differ by it; memory is what the command and its engine have resident together, at most.
The last run is of 10,000 hosts with 100,000 flows. A leaf-spine: switches of a tree flood what they do not know, and
the first frame to each of so many hosts goes to all of them.

usage: bench_size.py CONTRAFLOW

Exit status 1 when the last run takes more than LIMIT. `meson test --benchmark` runs it.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

SCENARIO = pathlib.Path(__file__).resolve().parents[3] / "scenarios" / "zhu-random.yaml"
LIMIT = 1e9


def resident(process):
    """Bytes of a process and its children; 0 of one that has ended."""
    total = 0
    try:
        for line in open(f"/proc/{process}/status"):
            total += 1024 * int(line.split()[1]) if line.startswith("VmRSS") else 0
        for child in open(f"/proc/{process}/task/{process}/children").read().split():
            total += resident(child)
    except OSError:
        pass
    return total


def run(contraflow, racks, hosts, draws, window="30kB", duration="200us"):
    """(most bytes resident, frames that wait or are on the wire in the end, frame-hops, wall seconds)."""
    sets = ["network.topology=leaf-spine", f"network.racks={[hosts] * racks}", "network.spines=8",
            "network.backbone.rate=100Gbps", f"traffic.random.d={draws}", "traffic.random.probability=1",
            f"tcp.window={window}", f"duration={duration}", "warmup=0s", "capture=[]"]
    with tempfile.TemporaryDirectory(prefix="contraflow-bench-") as directory:
        started, most = time.monotonic(), 0
        child = subprocess.Popen([contraflow, "run", SCENARIO, "--engine", "native", "-q", "-o", directory,
                                  *(x for s in sets for x in ("--set", s))])
        while child.poll() is None:
            most = max(most, resident(child.pid))
            time.sleep(0.005)
        if child.returncode != 0:
            raise SystemExit(f"{contraflow} said {child.returncode}")
        ports = json.loads((pathlib.Path(directory) / "summary.json").read_text())["ports"]
        return (most, sum(p["queued_frames"] + p["on_wire_frames"] for p in ports),
                sum(p["delivered_frames"] for p in ports), time.monotonic() - started)


def main(contraflow):
    print(f"{'hosts':>6} {'flows':>7} {'window':>6} {'MB':>7} {'frames waiting':>14} {'M hops':>7} {'s':>6}", flush=True)

    def show(racks, hosts, draws, *rest):
        result = run(contraflow, racks, hosts, draws, *rest)
        print(f"{racks * hosts:6} {racks * hosts * draws:7} {rest[0] if rest else '30kB':>6} {result[0] / 1e6:7.1f} "
              f"{result[1]:14} {result[2] / 1e6:7.2f} {result[3]:6.1f}", flush=True)
        return result
    few, hosts, flows = show(20, 50, 20), show(50, 100, 4), show(20, 50, 40)
    short, long = show(20, 50, 20, "30kB", "2ms"), show(20, 50, 20, "500kB", "2ms")
    print(f"{(hosts[0] - few[0]) / 4000:.0f} bytes a host, {(flows[0] - few[0]) / 20000:.0f} a flow, "
          f"{(long[0] - short[0]) / (long[1] - short[1]):.0f} a frame that waits")
    most = show(50, 200, 10)[0]
    print(f"10,000 hosts and 100,000 flows take {most / 1e6:.0f} MB (asked {LIMIT / 1e6:.0f})")
    return 0 if most <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
