#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does 'contraflow infer' find what made a measurement? Random truths, emulated, with 2 % noise.

    bench_infer.py CONTRAFLOW ROOT [FIRST [LAST]]      truths FIRST to LAST, 1 to 200
    bench_infer.py CONTRAFLOW ROOT sixty [NUMBER]      one truth in sixty random patterns, each measured once: how long
                                                       it takes on all processors

A truth is one of the usual hypotheses, or a bus, a processor or a receive ring in every host, with parameters between
those that infer begins with, in a star of 1 Gb/s whose rate is off by 3 % (one standard deviation). What is measured are six shapes of 3 or 4 flows of 2 to 6 MB, one of three
flows of 30 to 90 MB, and three random patterns with flows of 5 to 15 MB, among seven hosts; each five times with seeds
that infer does not take and 2 % noise, whose size infer is not told. (A single run with losses says little: its times
scatter by 40 %. And a short one does not get beyond the losses of its beginning, where all controls do the same.)

Truths that are no hypothesis of their own are not drawn: windows within 1.5 of each other as unequal, small queues
larger than the window, a bus that carries both directions, a processor that takes less than half of a frame's time, a ring
that windows do not overflow, and interrupts that wait: at this rate windows take longer than they do.
Prints a line a truth and, at the end, how often the true hypothesis is first, how often it is in the first group of those
that the measurement does not tell apart, how often it is said to miss or none of these is likelier than all, how often what
is said to be so likely is true, and how often each parameter is within its 95 % interval."""
import concurrent.futures
import json
import math
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

CONTRAFLOW, ROOT = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
SIXTY = sys.argv[3:4] == ["sixty"]
FIRST = int(sys.argv[3]) if len(sys.argv) > 3 and not SIXTY else 1
LAST = int(sys.argv[4]) if len(sys.argv) > 4 else 200
NOISE, PATTERNS, HOSTS, DRAWS, REPEATS = 0.02, 3, 7, 2, 5
RATE = 1e9
QUEUES = ["fifo", "ack-first", "fair"]
HYPOTHESES = [q if q == p else f"{q}@nic+{p}@port" for q in QUEUES for p in QUEUES] + [
    "small-queues=125kB", "window+ratio", "autotuned", "cc=linuxreno+buffer", "cc=cubic+buffer", "pause+buffer",
    "pause-senders+buffer", "bus", "processor", "processor+ring"]
LIKELY = (0, 0.5, 0.8, 0.97, 1.01)  # the bounds of classes of weights
FRAME_S = 1538 * 8 / RATE
LONG = [(1, 0), (2, 0), (0, 3)]  # as an iperf3 of seconds on 1 Gb/s


def log_uniform(r, low, high):
    return math.exp(r.uniform(math.log(low), math.log(high)))


# Around one busy host, and beyond it: what the next experiments of infer are made of.
SHAPES = [[(1, 0), (2, 0), (0, 3)], [(1, 0), (0, 2), (0, 3), (0, 4)], [(1, 0), (2, 0), (0, 3), (4, 3)],
          [(1, 0), (0, 2), (0, 3), (4, 3)], [(1, 0), (1, 4), (0, 3), (2, 3)], [(1, 0), (0, 2), (2, 3), (4, 3)]]


def shape(r, flows):
    """A shape among hosts drawn at random."""
    at = r.sample(range(HOSTS), HOSTS)
    low, high = (30e6, 90e6) if flows is LONG else (2e6, 6e6)
    return [(at[a], at[b], round(log_uniform(r, low, high))) for a, b in flows]


def pattern(r):
    """(from, to, bytes): each host draws another one twice, and half of the draws become flows; some go both ways."""
    while True:
        flows = {}
        for host in range(HOSTS):
            for _ in range(DRAWS):
                to = r.choice([h for h in range(HOSTS) if h != host])
                if r.random() < 0.5:
                    flows[host, to] = round(log_uniform(r, 5e6, 15e6))
        receives, sends = {to for _, to in flows}, {at for at, _ in flows}
        if len(flows) >= 3 and receives & sends:
            return [(a, b, n) for (a, b), n in flows.items()]


def truth(r):
    text = r.choice(HYPOTHESES)
    values = {"rate": math.exp(r.gauss(0, 0.03))}
    if "buffer" in text:
        values["buffer"] = log_uniform(r, 3e5, 1.2e6)
    else:
        values["window"] = log_uniform(r, 3e5 if "small" in text else 1e5, 7e5)
    if "ratio" in text:
        values["ratio"] = log_uniform(r, 1.5, 6) ** r.choice([-1, 1])
    if "bus" in text:
        values["bus"] = RATE * log_uniform(r, 0.6, 1.6)
    if "processor" in text:
        values["processor"] = FRAME_S * log_uniform(r, 0.5, 2 if "ring" in text else 3)
    if "ring" in text:
        values["ring"] = log_uniform(r, 16, 64)
    return text, values


def hub(flows):
    ends = [sum((a == h) + (b == h) for a, b, _ in flows) for h in range(HOSTS)]
    return ends.index(max(ends))


def scenario(text, values, flows, seed):
    """The truth as a scenario, by the keys of scenarios and not by the code of infer."""
    nic = port = "fifo"
    tcp = {"window": round(values.get("window", 3e6)), "initial_window": "warm", "congestion": "newreno"}
    sw, host = {}, {}
    if "bus" in values:
        host["bus"] = f"{round(values['bus'])}bps"
    if "processor" in values:
        host["processor"] = f"{round(1e9 * values['processor'])}ns"
    if "ring" in values:
        host["rx_ring"] = round(values["ring"])
    for part in text.split("+"):
        name, _, place = part.partition("@")
        if name in QUEUES:
            nic = name if place in ("", "nic") else nic
            port = name if place in ("", "port") else port
        elif part.startswith("small-queues"):
            tcp["small_queues"] = part.split("=")[1]
        elif part.startswith("cc="):
            tcp["congestion"] = part[3:]
        elif part == "autotuned":
            tcp["initial_window"] = 10
        elif part.startswith("pause"):
            sw["pause"] = {"on": True, "stops": "everybody" if part == "pause" else "senders"}
        elif part == "buffer":
            sw["limit"] = f"{round(values['buffer'])}B"
    ratio, at = values.get("ratio", 1), hub(flows)
    listed = [{"from": f"h{a}", "to": f"h{b}", "bytes": n,
               "window": round(tcp["window"] * (math.sqrt(ratio) if a == at else 1 / math.sqrt(ratio)))}
              for a, b, n in flows]
    return json.dumps({"seed": seed, "duration": "100s", "warmup": "0s",
                       "network": {"topology": "star", "hosts": HOSTS,
                                   "link": {"rate": f"{round(RATE * values['rate'])}bps", "delay": "50us"},
                                   "nic": {"queue": nic}, "switch": {"queue": port, **sw}, "host": host},
                       "tcp": tcp, "traffic": {"flows": listed}})


def measure(directory, number, shapes, patterns, repeats):
    r = random.Random(f"infer {number}")
    text, values = truth(r)
    rows = ["pattern,from,to,bytes,seconds"]
    for p, flows in enumerate([shape(r, f) for f in shapes] + [pattern(r) for _ in range(patterns)]):
        for _ in range(repeats):
            (directory / "s.yaml").write_text(scenario(text, values, flows, r.randrange(1 << 31)))
            subprocess.run([CONTRAFLOW, "run", "s.yaml", "-o", "s", "-q"], cwd=directory, check=True,
                           stdout=subprocess.DEVNULL)
            done = json.loads((directory / "s/summary.json").read_text())["flows"]
            for (a, b, n), flow in zip(flows, done):
                seconds = (flow["end_s"] - flow["start_s"]) * math.exp(r.gauss(0, NOISE))
                rows.append(f"p{p},h{a},h{b},{n},{seconds:.9f}")
    (directory / "m.csv").write_text("\n".join(rows) + "\n")
    return text, values


def one(number, design=(SHAPES + [LONG], PATTERNS, REPEATS), jobs=1):
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        text, values = measure(directory, number, *design)
        began = time.monotonic()
        named = [word for h in HYPOTHESES for word in ("--hypothesis", h)]
        out = subprocess.run([CONTRAFLOW, "infer", "m.csv", "--rate", "1Gbps", "--delay", "50us", "--jobs", str(jobs),
                              "--json", *named], cwd=directory, check=True, capture_output=True, text=True)
        found = json.loads(out.stdout)
        ranked = [h for h in found["hypotheses"] if h["emulated"]]
        assert sorted(h["hypothesis"] for h in ranked) == sorted(HYPOTHESES), "other hypotheses than here"
        true = next(h for h in ranked if h["hypothesis"] == text)
        inside = {}
        for p in true["parameters"]:
            inside[p["parameter"]] = p["low"] <= values[p["parameter"]] <= p["high"]
        return {"number": number, "truth": text, "values": values, "rank": true["rank"],
                "grouped": true["rank"] == 1 or true["not_told_from"] == 1, "first": ranked[0]["hypothesis"],
                "weight": ranked[0]["weight"], "behind": ranked[0]["log_evidence"] - true["log_evidence"], "inside": inside,
                "parameters": {p["parameter"]: [p["low"], p["value"], p["high"]] for p in true["parameters"]},
                "spread": true["spread"], "misses": true["misses"], "none": found["none"]["weight"], "emulations": found["emulations"], "seconds": time.monotonic() - began}


def share(n, of):
    return f"{n} of {of} ({100 * n / max(of, 1):.1f} %)"


def line(r):
    wrong = [f"{k} {r['values'][k]:.4g} not in {r['parameters'][k][0]:.4g} to {r['parameters'][k][2]:.4g}"
             for k, ok in r["inside"].items() if not ok]
    return (f"{r['number']:4} {r['truth']:26} rank {r['rank']:2}, first {100 * r['weight']:.0f} %"
            + (f" behind {r['first']} by {r['behind']:.1f} nats" if r["rank"] > 1 else "")
            + "".join(f"; {w}" for w in wrong))


def sixty(number):
    jobs = len(os.sched_getaffinity(0))
    r = one(number, ([], 60, 1), jobs)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(line(r))
    print(f"{r['emulations']} emulations in {r['seconds']:.0f} s with {jobs} jobs, {used.ru_utime + used.ru_stime:.0f} s "
          "of processor time with those that made the measurement")


def main():
    all_ = []
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for r in pool.map(one, range(FIRST, LAST + 1)):
            all_.append(r)
            print(line(r), flush=True)
    n = len(all_)
    print(f"true hypothesis first: {share(sum(r['rank'] == 1 for r in all_), n)}")
    print(f"in the first group of those not told apart: {share(sum(r['grouped'] for r in all_), n)}")
    print(f"true hypothesis said to miss: {share(sum(r['misses'] for r in all_), n)}")
    print(f"none of these likelier than all: {share(sum(r['none'] > 0.5 for r in all_), n)}")
    for low, high in zip(LIKELY, LIKELY[1:]):
        of = [r for r in all_ if low <= r["weight"] < high]
        if of:
            print(f"first, and said to be {100 * low:.0f} to {100 * min(high, 1):.0f} % likely, on average "
                  f"{100 * sum(r['weight'] for r in of) / len(of):.1f} %: true {share(sum(r['rank'] == 1 for r in of), len(of))}")
    for p in ("window", "buffer", "ratio", "bus", "processor", "ring", "rate"):
        of = [r for r in all_ if p in r["inside"]]
        print(f"{p} within its 95 % interval: {share(sum(r['inside'][p] for r in of), len(of))}")
    inside = [ok for r in all_ for ok in r["inside"].values()]
    print(f"parameters within their 95 % intervals: {share(sum(inside), len(inside))}")
    print(f"{sum(r['emulations'] for r in all_) / n:.0f} emulations and {sum(r['seconds'] for r in all_) / n:.1f} s "
          f"of one processor a measurement")


sixty(int(sys.argv[4]) if len(sys.argv) > 4 else 1) if SIXTY else main()
