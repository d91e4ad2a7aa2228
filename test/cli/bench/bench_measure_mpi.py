#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`mpirun contraflow measure --mpi` against the same network emulated, and against the shape of Fig. 4 (Zhu 2014).

    bench_measure_mpi.py CONTRAFLOW [--on linux|here] [--degrees LIST] [--bytes SIZE] [--window SIZE] [--rate BPS]
                         [--window-in SIZE] [--no-gso]

The program runs on hosts that have a name and a TCP of their own: `--on linux` on the kernel of `make linux`, in
virtual time, where other work on this machine changes nothing; `--on here` on the kernel that runs here, in network
namespaces (stars.py). Beside it the emulator sends the same messages by itself, behind its own barrier
(traffic.precision), on our TCP and on Linux's. Rates of flows, a pattern's directions each; asked: 3 %. With --no-gso
hosts in virtual time send without segmentation offload, whose bursts of 64 kB are much of a small window."""
import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import stars

SCENARIO = """duration: 3600s
warmup: 0s
network:
  hosts: {hosts}
  link: {{rate: {rate}bps, delay: {delay}us}}
  nic: {{limit: {queue}B}}
  switch: {{limit: {queue}B}}
tcp: {{congestion: {congestion}, window: {window}B{initial}}}
traffic:
"""
PROGRAMS = """  programs:
    - host: h0
      name: mpirun
      command: {command}
"""
MESSAGES = """  precision: 2%
  start_spread: 50us
  star: {{incoming: {into}, outgoing: {out}, bytes: {bytes}B, incoming_window: {window_in}B}}
"""


def command(o, agent, interface):
    """What mpirun is told. Windows are receivers' buffers, h0's those of flows into it: a sender's would be one with
    gaps, for the kernel calls Open MPI only when a third of it is free."""
    mca = {"plm_rsh_agent": agent, "plm_rsh_no_tree_spawn": 1, "pml": "ob1", "btl": "tcp,self",
           "btl_tcp_if_include": interface, "oob_tcp_if_include": interface, "mpi_yield_when_idle": 1,
           "btl_tcp_sndbuf": 4 * o.window, "btl_tcp_rcvbuf": o.window}
    return ["mpirun", "--allow-run-as-root", "-np", str(o.hosts), "-H", ",".join(f"h{i}" for i in range(o.hosts)),
            *(word for name, value in mca.items() for word in ("--mca", name, str(value))),
            "sh", "-c", 'test "$OMPI_COMM_WORLD_RANK" != 0 || export OMPI_MCA_btl_tcp_rcvbuf="$0"; exec "$@"',
            str(o.window_in), str(o.contraflow), "measure", "--mpi", "--bytes", str(o.bytes), "--degrees", o.degrees,
            "--time", f"{o.time}s"]


def scenario(o, engine, traffic):
    initial = ", initial_window: 10" if engine == "linux" else ", initial_window: warm"
    if engine == "linux" and o.no_gso:
        initial += ", linux: {gso: false}"
    return f"engine: {engine}\n" + SCENARIO.format(**vars(o), initial=initial) + traffic


def run(o, directory, name, text, *options):
    (directory / f"{name}.yaml").write_text(text)
    done = subprocess.run([o.contraflow, "run", directory / f"{name}.yaml", "-q", "-o", directory / name, *options],
                          capture_output=True, text=True)
    if done.returncode:
        said = [p.read_text() for p in (directory / name).glob("h*.txt")]
        raise SystemExit(f"{name}: {done.stderr} {' '.join(said)}")
    return directory / name


def measured(o, directory):
    """What the program printed, and {pattern: {way: [bit/s of each flow]}}."""
    if o.on == "linux":
        where = run(o, directory, "mpi", scenario(o, "linux", PROGRAMS.format(
            command=json.dumps(command(o, "/dev/hosts/on", "eth0")))), "--allow-programs")
        said = (where / "h0-mpirun.txt").read_text()
    else:
        where = directory
        star = {"hosts": o.hosts, "rate": o.rate, "queue": o.queue, "discipline": "fifo", "delay": o.delay / 1e6,
                "settings": {"net/ipv4/tcp_congestion_control": o.congestion.replace("linux", "")}}
        process = stars.start(star, *command(o, stars.AGENT, "cable"), cwd=directory)
        said, words = process.communicate()
        if process.returncode:
            raise SystemExit(words)
    rates = {}
    with open(where / "measured.csv") as f:
        for row in csv.DictReader(line for line in f if not line.startswith("#")):
            way = "in" if row["to"] == "h0" else "out"
            rates.setdefault(row["pattern"], {}).setdefault(way, []).append(float(row["bits_per_second"]))
    return said, rates


def emulated(o, directory, engine, pattern):
    into, out = map(int, pattern.split("/"))
    where = run(o, directory, "flows", scenario(o, engine, MESSAGES.format(into=into, out=out, bytes=o.bytes,
                                                                                     window_in=o.window_in)))
    rates = {}
    with open(where / "flows.csv") as f:
        for row in csv.DictReader(f):
            way = "in" if row["dst"] == "h0" else "out"
            rates.setdefault(way, []).append(8 * o.bytes / float(row["message_s"]))
    return rates


def mean(values):
    return sum(values) / len(values)


def options(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("contraflow", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--on", choices=("linux", "here"), default="linux")
    parser.add_argument("--degrees", default="0/1,1/0,1/1,2/1,1/2,3/1,1/3,2/2,3/2,2/3")
    parser.add_argument("--bytes", type=int)
    parser.add_argument("--window", type=int)
    parser.add_argument("--window-in", type=int, help="of flows into the shared host, where it is another")
    parser.add_argument("--rate", type=int)
    parser.add_argument("--time", type=int, default=60)
    parser.add_argument("--delay", type=int, default=50, help="us of a cable")
    parser.add_argument("--congestion", help="cubic, or linuxreno with --on here: namespaces may always have that")
    parser.add_argument("--no-gso", action="store_true")
    parser.add_argument("--engines", default="native,linux")
    o = parser.parse_args(words)
    here = o.on == "here"
    o.congestion = o.congestion or ("linuxreno" if here else "cubic")
    o.rate = o.rate or (10_000_000 if here else 1_000_000_000)
    o.bytes = o.bytes or (1_000_000 if here else 10_000_000)
    o.window = o.window or (20_000 if here else 150_000)
    o.window_in = o.window_in or o.window
    o.queue = 50 * o.window
    o.hosts = 1 + max(sum(map(int, d.split("/"))) for d in o.degrees.split(","))
    o.goodput = o.rate * 1448 / 1538
    return o


def main():
    o = options()
    engines = o.engines.split(",")
    with tempfile.TemporaryDirectory(prefix="contraflow-bench-") as name:
        directory = pathlib.Path(name)
        said, rates = measured(o, directory)
        print(said)
        print("in/out  way   MPI Mb/s " + "".join(f"  {e:>6} Mb/s   MPI/{e[:1]}" for e in engines) + "   B/max Mb/s")
        worst = {e: [] for e in engines}
        for pattern, ways in rates.items():
            own = {e: emulated(o, directory, e, pattern) for e in engines}
            for way in ways:
                line = f"{pattern:6}  {way:3}  {mean(ways[way]) / 1e6:9.2f} "
                for e in engines:
                    ratio = mean(ways[way]) / mean(own[e][way])
                    worst[e].append((abs(ratio - 1), pattern, way))
                    line += f"  {mean(own[e][way]) / 1e6:11.2f}  {ratio:6.3f}"
                print(line + f"  {o.goodput / max(map(int, pattern.split('/'))) / 1e6:11.2f}", flush=True)
        for e in engines:
            far, pattern, way = max(worst[e])
            near = sum(w[0] <= 0.03 for w in worst[e])
            print(f"{e}: {near} of {len(worst[e])} within 3 %, mean {100 * mean([w[0] for w in worst[e]]):.2f} %, worst "
                  f"{100 * far:.2f} % ({pattern} {way})")


if __name__ == "__main__":
    main()
