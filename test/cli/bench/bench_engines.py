#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How much faster than ns-3 is the native engine? Both programs on the same scenarios in the same run; `meson test
--benchmark` runs it, it judges nothing. A frame-hop is one frame from one port to the next."""
import json
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

PROGRAM, ROOT = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
STAR = ROOT / "scenarios/star.yaml"


def run(work, engine, *sets, repeat=1):
    """User seconds of the fastest of so many runs of the engine's program, frame-hops, retransmitted segments."""
    best = None
    for _ in range(repeat):
        directory = work / engine
        shutil.rmtree(directory, ignore_errors=True)
        arguments = [x for s in sets for x in ("--set", s)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run([PROGRAM, "run", STAR, "--engine", engine, "-q", "-o", directory, *arguments], check=True)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        best = seconds if best is None else min(best, seconds)
    summary = json.loads((directory / "summary.json").read_text())
    hops = sum(p["delivered_frames"] for p in summary["ports"])
    return best, hops, sum(f["retransmitted_segments"] for f in summary["flows"])


def against_ns3(work, label, *sets):
    native, hops, lost = run(work, "native", *sets, repeat=5)
    ns3, ns3_hops, ns3_lost = run(work, "ns3", *sets)
    print(f"{label:34} {hops / 1e6:6.2f} {native:8.3f} {hops / native / 1e6:8.1f} {ns3:8.2f} "
          f"{ns3_hops / ns3 / 1e6:6.2f} {ns3 / native * hops / ns3_hops:7.0f} {lost:6} {ns3_lost:6}", flush=True)


def growth(work, label, *sets):
    native, hops, _ = run(work, "native", *sets, repeat=3)
    print(f"{label:34} {hops / 1e6:6.2f} {native:8.3f} {hops / native / 1e6:8.1f} {native / hops * 1e9:8.1f} ns a hop",
          flush=True)
    return native / hops


def main():
    work = pathlib.Path(tempfile.mkdtemp(prefix="contraflow-bench-"))
    none = "capture=[]"
    print(f"{'star 2/1, 1 Gb/s, 2 s':34} {'M hops':>6} {'native s':>8} {'M hops/s':>8} {'ns-3 s':>8} {'M/s':>6} "
          f"{'ratio':>7} {'lost':>6} {'ns-3':>6}")
    against_ns3(work, "3 MB windows, no taps", none)
    against_ns3(work, "switch of 500 kB: losses", none, "network.switch.limit=500kB")
    against_ns3(work, "every port captured",
                "capture=[" + ", ".join(f"{{at: {p}}}" for h in range(4) for p in (f"h{h}", f"sw0-h{h}")) + "]")
    print(f"\n{'native alone, 20 s':34} {'M hops':>6} {'native s':>8} {'M hops/s':>8}")
    base = growth(work, "3 flows, 3 MB", none, "duration=20s")
    wide = growth(work, "3 flows, 30 MB", none, "duration=20s", "tcp.window=30MB", "network.nic.limit=200MB",
                  "network.switch.limit=200MB")
    thousand = (none, "duration=20s", "traffic.star.incoming=500", "traffic.star.outgoing=500", "tcp.window=30kB")
    many = growth(work, "1000 flows, 4 hosts, 30 kB", *thousand, "network.hosts=4")
    hosts = growth(work, "1000 flows, 1001 hosts, 30 kB", *thousand)
    print(f"30 MB against 3 MB: {wide / base:.2f}; 1000 flows against 3: {many / base:.2f} over the same hosts, "
          f"{hosts / base:.2f} with a host each")
    print(f"\n{'native by switch, 3 MB, 10 s':34} {'M hops':>6} {'native s':>8} {'M hops/s':>8}")
    fifo = growth(work, "output", none, "duration=10s")
    for label, *sets in (("shared, static", "architecture=shared"),
                         ("shared, alpha 1, port full", "architecture=shared", "pool=8MB", "alpha=1"),
                         ("input, round robin", "architecture=input"), ("input, oldest", "architecture=input",
                                                                        "arbitration=oldest"),
                         ("voq", "architecture=voq"), ("output, cut-through", "forwarding=cut-through"),
                         ("output, 10 us latency", "latency=10us"),
                         ("output, backplane of 10 Gb/s", "backplane=10Gbps"),
                         ("output, 1 MB ports, PAUSE", "limit=1MB", "pause.on=true"),
                         ("voq, 1 MB inputs, PAUSE", "architecture=voq", "limit=1MB", "pause.on=true")):
        cost = growth(work, label, none, "duration=10s", *(f"network.switch.{s}" for s in sets))
        print(f"{'':34} {fifo / cost:.2f} of the FIFO switch's speed")
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
