#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Truth by experiment about hosts whose programs wait for each other: as emulated.py, for traffic that is no list of flows.

    programs.py CONTRAFLOW DIR --class collective|requests|storage [--count 50] [--seed 1] [--jobs 2]

collective: a rank of MPI, its collectives one after the other, some beside a plain flow. requests: a server and its clients,
each with a question at a time, large or small, some beside uploads and downloads. storage: reads and writes, 1 to 8 at a time
of each client, written as GOAL text. Clusters of 2 to 8 hosts, or a server behind an access line. Each scenario is run three
times as it is and with ACKs first; a label that is not that of all three is not stable. Writes what emulated.py does, but
flows.csv."""
import argparse
import concurrent.futures
import csv
import gzip
import json
import pathlib
import random
import subprocess
import sys
import tempfile

from emulated import LIMIT_S, TRUTH, emulated_acks_first, emulated_append, emulated_label, emulated_lost
from priors import DEEP, SEGMENT, WIRE, prior_cable, prior_log

ALGORITHMS = ("ring-allreduce recursive-doubling-allreduce rabenseifner-allreduce ring-allgather bruck-allgather "
              "ring-reduce-scatter pairwise-reduce-scatter halo exchange").split()
MOST_BYTES = 60e6  # of a capture
LEAST_SHARE = 0.02  # of the link is in use
FIFO = {"queue": "fifo", "limit": DEEP}


def programs_cluster(r, n):
    """(network, rate in, rate out, round trip): n hosts at one switch or two."""
    rate = r.choice([1e8, 1e9, 1e9, 1e10])
    trip_s = prior_log(r, 8 * WIRE * 8 / rate + 4e-6, 100 * WIRE * 8 / rate + 4e-6)
    links = [prior_cable(f"h{i}", f"sw{int(i > 0 and r.random() < 0.3)}", rate, trip_s / 4) for i in range(n)]
    links.append(prior_cable("sw0", "sw1", rate * r.choice([1, 1, 2, 4, 10]), 1e-6))
    ports = [{**FIFO, "queue": r.choices(["fifo", "ack-first"], [10, 1])[0]} for _ in range(2)]
    if r.random() < 0.3:
        ports[1] = {"queue": "fifo", "limit": f"{round(prior_log(r, 60e3, 2e6))}B"}
    return {"links": links, "nic": ports[0], "switch": ports[1]}, rate, rate, trip_s


def programs_line(r, n):
    """Likewise: h0 behind an access line, its peers beyond it."""
    up = prior_log(r, 2e6, 200e6)
    rate, trip_s = up * r.choice([1, 1, 2, 5, 10]), prior_log(r, 1e-3, 0.04)
    fast = max(1e9, 2 * rate)
    links = [prior_cable("h0", "sw0", fast, 1e-6), prior_cable("sw0", "isp", rate, trip_s / 8, up, FIFO, FIFO)]
    links += [prior_cable(f"h{i}", "isp", fast, 3 * trip_s / 8) for i in range(1, n)]
    return {"links": links, "nic": dict(FIFO), "switch": dict(FIFO)}, rate, up, trip_s


def programs_beside(r, share, most=1):
    ways = [{"from": "h0", "to": "h1"}, {"from": "h1", "to": "h0"}]
    return [r.choice(ways) for _ in range(r.randint(1, most))] if r.random() < share else []


def programs_collective(d, r, n):
    algorithm, size = r.choice(ALGORITHMS), round(prior_log(r, 2e4, d.rate / 8 * d.duration / 15))
    d.description = f"{algorithm} {size} B of {n}"
    if algorithm == "exchange":
        return {"exchange": {"algorithm": r.choice(["direct", "rounds", "pairwise"]), "repeat": 20000,
                             "bytes": f"{max(2000, size // n)}B"}}
    what = {"algorithm": algorithm, "bytes": f"{size}B", "repeat": 20000, "connections": r.choice(["one", "two"]),
            "eager": r.choice(["16kB", "64kB", "100MB"])}
    if algorithm == "halo":
        what |= {"dimensions": [2, max(1, n // 2)], "ranks": [f"h{i}" for i in range(max(2, n // 2 * 2))]}
    return {"collective": what, "beside": programs_beside(r, 0.3)}


def programs_requests(d, r, n):
    slower, size = min(d.rate, d.up), round(prior_log(r, 5e3, 2e6))
    server = r.choice(["h0", "h0", "h1"])
    d.description += f" server {server}, answers of {size} B"
    return {"requests": {"server": server, "clients": [h for h in (f"h{i}" for i in range(n)) if h != server],
                         "request": f"{round(prior_log(r, 100, 2e5))}B", "response": f"{size}B",
                         "think": f"{round(r.choice([0, 0.1, 1, 10]) * size * 8e9 / slower)}ns",
                         "count": max(20, min(10000, 90000 // 6 // (n - 1), round(slower / 2 * d.duration / size)))},
            "beside": programs_beside(r, 0.6, 2)}


def programs_storage(d, r, n):
    mean, depth = prior_log(r, 4e3, 5e5), r.choice([1, 2, 4, 8])
    chains = (n - 1) * depth
    ops = min(90000 // 6 // chains, max(4, round(0.75 * max(d.rate, d.up) * d.duration / mean / chains)))
    think, reads = r.choice([0, 0, 0.3, 1]) * mean * 8 / d.rate, r.choice([0, 0.3, 0.5, 0.5, 0.7, 1])
    d.description += f" {n - 1} clients, {depth} at a time of {mean:.0f} B, {reads:.0%} reads"
    lines = {rank: [] for rank in range(n)}
    counted = [0] * n

    def add(rank, what, after):
        counted[rank] += 1
        lines[rank] += [f"l{counted[rank]}: {what}"] + [f"l{counted[rank]} requires {after}"] * bool(after)
        return f"l{counted[rank]}"
    for tag in range(0, 2 * chains, 2):
        client, last = 1 + tag // 2 % (n - 1), None
        for _ in range(ops):
            size = max(64, round(prior_log(r, mean / 4, mean * 4)))
            ask, answer = (100, size) if r.random() < reads else (size, 100)
            if think:
                last = add(client, f"calc {max(1, round(r.expovariate(1 / think) * 1e9))}", last)
            add(client, f"send {ask}b to 0 tag {tag}", last)
            add(0, f"send {answer}b to {client} tag {tag + 1}", add(0, f"recv {ask}b from {client} tag {tag}", None))
            last = add(client, f"recv {answer}b from 0 tag {tag + 1}", last)
    text = [f"num_ranks {n}"] + [line for rank in range(n) for line in [f"rank {rank} {{"] + lines[rank] + ["}"]]
    return {"goal": {"connections": r.choice(["one", "one", "two"]), "eager": "100MB", "lines": text}}


CLASSES = {"collective": (programs_collective, 0), "requests": (programs_requests, 0.5), "storage": (programs_storage, 0.3)}


class Draw:
    def __init__(self, kind, seed, number, attempt):
        r = random.Random(f"{kind}/{seed}/{number}/{attempt}")
        traffic, lines = CLASSES[kind]
        n, line = r.randint(2, 8), r.random() < lines
        network, self.rate, self.up, trip_s = (programs_line if line else programs_cluster)(r, n)
        self.tap = "h0" if line else r.choice(["h0", "h0", "sw0-h0"])
        self.description = f"{self.rate / 1e6:.3g}/{self.up / 1e6:.3g} Mb/s" if line else ""
        self.duration = max(r.uniform(8e3, 22e3) * WIRE * 8 / self.rate, 60 * trip_s)
        bdp = self.rate / 8 * trip_s
        tcp = {"congestion": r.choice(["cubic", "cubic", "linuxreno", "newreno"]), "initial_window": r.choice([10, "warm"]),
               "window": f"{round(prior_log(r, max(8 * SEGMENT, bdp), max(30e3, 20 * bdp, self.rate / 8 * self.duration / 80)))}B"}
        if r.random() < 0.3:
            tcp["small_queues"] = f"{r.choice([10, 30, 100])}kB"
        what = {k: v for k, v in traffic(self, r, n).items() if v}
        self.begin = f"{round(0.4 * self.duration * 1e9)}ns"
        self.document = {"title": f"{kind} {self.description}"[:127], "duration": f"{round(self.duration * 1e9)}ns",
                         "warmup": self.begin, "network": network, "tcp": tcp, "traffic": what}


def programs_run(contraflow, document, directory, seed, acks_first, until=None, tap=None):
    d = {**json.loads(json.dumps(document)), "seed": seed}
    if acks_first:
        emulated_acks_first(d["network"])
    if until:
        d |= {"duration": until, "warmup": "0s"}
    if tap:
        d["capture"] = [{"at": tap, "snaplen": 96}]
    pathlib.Path(directory, "scenario.json").write_text(json.dumps(d))
    done = subprocess.run([contraflow, "run", f"{directory}/scenario.json", "-q", "-o", f"{directory}/run"],
                          capture_output=True, text=True, timeout=LIMIT_S)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return json.loads(pathlib.Path(directory, "run", "summary.json").read_text())


def programs_ways(before, whole):
    """Mb/s to h0 and from it in the phase between, and of how many flows; connections have two ways."""
    earlier = {f["flow"]: f for f in before["flows"]}
    bytes_, flows = {"in": 0, "out": 0}, {"in": 0, "out": 0}
    for f in whole["flows"]:
        for key, ends in (("delivered_bytes", ("src", "dst")), ("delivered_back_bytes", ("dst", "src"))):
            passed = (f[key] or 0) - (earlier.get(f["flow"], {}).get(key) or 0)
            for way, end in zip(("out", "in"), ends):
                bytes_[way] += passed if f[end] == "h0" else 0
                flows[way] += passed > 0 and f[end] == "h0"
    return {w: b * 8e-6 / (whole["ended_s"] - before["ended_s"]) for w, b in bytes_.items()}, flows


def programs_scenario(job):
    """A row of truth.csv, or None when no attempt ran."""
    contraflow, directory, kind, seed, number = job
    for attempt in range(8):
        d = Draw(kind, seed, number, attempt)
        sides = {False: [], True: []}
        with tempfile.TemporaryDirectory() as t:
            try:
                for k in range(3):
                    for acks_first, rates in sides.items():
                        tap = None if k or acks_first else d.tap
                        whole = programs_run(contraflow, d.document, t, seed + number + 1000 * k, acks_first, None, tap)
                        if tap:
                            first, capture = whole, pathlib.Path(t, "run", f"{tap}.pcap").read_bytes()
                        before = programs_run(contraflow, d.document, t, seed + number + 1000 * k, acks_first, d.begin)
                        bps, flows = programs_ways(before, whole)
                        rates.append(bps)
                        if whole["ended_s"] < 0.9 * d.duration or len(capture) > MOST_BYTES or \
                                sum(rates[0].values()) < LEAST_SHARE * d.rate / 1e6:
                            raise RuntimeError("all done before the end, too much captured, or next to nothing carried")
            except (RuntimeError, subprocess.TimeoutExpired) as e:
                print(f"{number}.{attempt} {kind}: {str(e)[:200]}", file=sys.stderr, flush=True)
                continue
        a, b = ({w: sum(x[w] for x in rates) / len(rates) for w in ("in", "out")} for rates in sides.values())
        label = emulated_label(a, b)
        with gzip.GzipFile(f"{directory}/{number:05}.pcap.gz", "wb", 1, mtime=0) as f:
            f.write(capture)
        run = {**d.document, "seed": seed + number, "capture": [{"at": d.tap, "snaplen": 96}]}
        pathlib.Path(directory, f"{number:05}.yaml").write_text(json.dumps(run))
        return {"name": f"{number:05}", "class": kind, "description": d.description.strip(), "host": "10.0.0.1",
                "tap": d.tap, "engine": "native", "rate_bps": round(d.rate), "up_bps": round(d.up),
                "flows_in": flows["in"], "flows_out": flows["out"], "a_in": a["in"],
                "a_out": a["out"], "b_in": b["in"], "b_out": b["out"], "lost_in": emulated_lost(a["in"], b["in"]),
                "lost_out": emulated_lost(a["out"], b["out"]),
                "lost_total": emulated_lost(sum(a.values()), sum(b.values())),
                "retransmits": sum(f["retransmitted_segments"] for f in first["flows"]),
                "label_stable": int({label} == {emulated_label(x, y) for x, y in zip(*sides.values())}),
                "asymmetry": label, "judged_from_s": 0.4 * d.duration, "judged_to_s": d.duration}
    return None


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("contraflow")
    p.add_argument("directory", type=pathlib.Path)
    p.add_argument("--class", dest="kind", choices=CLASSES, required=True)
    p.add_argument("--count", type=int, default=50)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--jobs", type=int, default=2)
    arguments = p.parse_args()
    arguments.directory.mkdir(parents=True, exist_ok=True)
    truth, done = arguments.directory / "truth.csv", set()
    if truth.exists():
        with open(truth, newline="") as f:
            done = {int(r["name"]) for r in csv.DictReader(f)}
    jobs = [(str(pathlib.Path(arguments.contraflow).resolve()), str(arguments.directory), arguments.kind, arguments.seed, n)
            for n in range(arguments.count) if n not in done]
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        for row in pool.map(programs_scenario, jobs):
            if row:
                emulated_append(truth, TRUTH, [row])
    return 0


if __name__ == "__main__":
    sys.exit(main())
