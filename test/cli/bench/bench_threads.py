#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does a run leave the same bytes whatever the number of its threads? Random scenarios of 32 and more hosts, each drawn
from its number alone: stars, trees, dumbbells, leaf-spine, fat-trees; short and long cables; buffers that lose and such
that do not; every native control; captures; and, one in four, what has no windows: other disciplines, faults, PAUSE,
messages. Every file of the run with one thread is compared with those with 2, 3 and 4. `meson test --benchmark` runs it;
exit status 1 where any differs.

  bench_threads.py PROGRAM [--first 1] [--count 200]
"""
import argparse
import filecmp
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

CONTROLS = ("newreno", "cubic", "linuxreno", "westwood", "linux24")


def network(rng):
    link = {"rate": f"{rng.choice((100, 1000, 10000))}Mbps", "delay": f"{rng.randint(20, 200)}us"}
    backbone = {"rate": f"{rng.choice((1, 10, 40, 400))}Gbps", "delay": rng.choice(("0s", "300ns", "1us", "50us", "1ms"))}
    kind = rng.choice(("star", "tree", "rooted tree", "dumbbell", "leaf-spine", "fat-tree"))
    racks = [rng.randint(16, 30) for _ in range(2 if kind in ("tree", "dumbbell") else 3)]
    n = {"link": link, "nic": {"queue": "fifo", "limit": "20MB"},
         "switch": {"queue": "fifo", "limit": rng.choice(("20MB", "100kB", "40p"))}}
    if kind == "star":
        n |= {"topology": "star", "hosts": rng.randint(32, 90)}
    elif kind == "fat-tree":
        n |= {"topology": "fat-tree", "k": 6, "backbone": backbone}
    else:
        n |= {"topology": kind.split()[-1], "racks": racks, "backbone": backbone}
    if kind == "rooted tree":
        n["root"] = {"queue": "fifo", "limit": "20MB"}
    elif kind == "leaf-spine":
        n["spines"] = 2
    hosts = n.get("hosts") or (54 if kind == "fat-tree" else sum(racks))
    return n, hosts


def scenario(number):
    rng = random.Random(number)
    n, hosts = network(rng)
    s = {"title": f"threads {number}", "seed": number, "duration": "40ms", "warmup": "10ms", "engine": "native",
         "network": n,
         "tcp": {"congestion": rng.choice(CONTROLS), "window": rng.choice(("30kB", "250kB", "1MB")),
                 "initial_window": rng.choice(("warm", 10))}}
    if rng.random() < 0.3:
        s["tcp"]["small_queues"] = "128kB"
    if rng.random() < 0.5:
        s["traffic"] = {"random": {"d": rng.randint(1, 3), "probability": 0.5, "bytes": rng.choice(("50kB", "1MB", "40MB"))}}
    else:
        s["traffic"] = {"flows": [dict(zip(("from", "to"), (f"h{h}" for h in rng.sample(range(hosts), 2)))) |
                                  ({"bytes": f"{rng.randint(1, 3000)}kB"} if rng.random() < 0.5 else {})
                                  for _ in range(rng.randint(20, 120))]}
    s["capture"] = [{"at": f"h{h}", "snaplen": 96} for h in rng.sample(range(hosts), rng.randint(0, 3))]
    other = rng.randrange(16)
    if other == 0:
        n["nic"]["queue"] = rng.choice(("ack-first", "fair", "codel", "fq_codel"))
    elif other == 1:
        n["link"]["faults"] = {"loss": 0.001}
    elif other == 2:
        n["switch"] |= {"limit": "20MB", "pause": {"xoff": "200kB"}}
    elif other == 3:
        s["capture"] = [{"at": "sw0-h0"}] if n["topology"] in ("star", "tree") else []
    return s


def run(program, s, threads, directory):
    (directory / "s.yaml").write_text(json.dumps(s))
    done = subprocess.run([program, "run", "s.yaml", "-o", f"t{threads}", "--quiet", "--threads", str(threads)], text=True,
                          cwd=directory, capture_output=True, timeout=600)
    return done.returncode, done.stderr.strip()


def differs(program, number):
    """What of the runs with 1 to 4 threads is not the same; None where they all are. A refusal is a difference."""
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        s = scenario(number)
        for threads in (1, 2, 3, 4):
            status, said = run(program, s, threads, directory)
            if status != 0:
                return f"--threads {threads}: exit status {status}: {said}"
            one, mine = directory / "t1", directory / f"t{threads}"
            names = sorted(os.listdir(one))
            if names != sorted(os.listdir(mine)):
                return f"--threads {threads}: other files"
            _, other, errors = filecmp.cmpfiles(one, mine, names, shallow=False)
            if other or errors:
                return f"--threads {threads}: {' '.join(other + errors)}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    options = parser.parse_args()
    program, wrong = str(pathlib.Path(options.program).resolve()), 0
    for number in range(options.first, options.first + options.count):
        found = differs(program, number)
        wrong += found is not None
        if found:
            print(f"{number}: {found}", flush=True)
    print(f"{options.count - wrong} of {options.count} scenarios leave the same bytes with 1, 2, 3 and 4 threads")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
