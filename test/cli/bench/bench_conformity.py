#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How near is the native engine to Linux itself? Random scenarios run on both; the table says how many agree, and which
do not. `meson test --benchmark` runs it where `make linux` has built the kernel; it judges nothing.

Scenario NUMBER is drawn from its number alone: two-way traffic over one bottleneck, a star's shared host or a cable
between two racks. Both engines lose nothing in a run: the goodput of each direction, and of each flow, is compared, the
round trip, too. Otherwise chance rules: means over seeds (of start times within 0.1 ms), the same for both, of the goodput of
each direction, retransmitted segments, and the first loss. A sample is 1/500 of a run: so exactly the time of a loss is known.

Round trips are what the frames of a sample waited, data there and ACKs back, with the floor of an empty path; median
and 95th percentile are over the data frames of all flows.

  bench_conformity.py PROGRAM [--first 1] [--count 300] [--minutes M]
  bench_conformity.py PROGRAM --first 17 --count 1 --keep DIRECTORY     one alone: its scenario and results stay
  bench_conformity.py PROGRAM --linux FILE               what Linux gave is kept there, and not run again
"""
import argparse
import csv
import hashlib
import json
import math
import pathlib
import random
import shutil
import subprocess
import tempfile
import time

BITS = 5e8  # that the bottleneck passes in a run, each way: some 100,000 frames, 3 s of processor time for Linux
DEEP = 20_000_000
WINDOWS = 10_000_000 # of all flows: their send buffers must not come near the kernel's tcp_mem, of all hosts together
SEEDS = 3 # where something is lost, for both engines: one seed is one run, on either
MEASURES = (  # name, what is asked
    ("goodput of a direction, nothing lost", 0.01),
    ("goodput of a flow, nothing lost", 0.01),
    ("median round trip, nothing lost", 0.1),
    ("95th percentile, nothing lost", 0.1),
    ("goodput of a direction, losses", 0.05),
    ("retransmitted segments", 0.2),
    ("median round trip, losses", 0.1),
    ("95th percentile, losses", 0.1),
    ("time of the first loss", 0.1),
)


def between(rng, low, high):
    """Log-uniform."""
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def draw(number):
    """A scenario as a dictionary, which is YAML, and what it is in a line."""
    rng = random.Random(number)
    rate = between(rng, 1e7, 1e10)
    duration = min(20.0, BITS / rate)
    rtt = between(rng, 1e-4, max(2e-4, min(0.1, duration / 40)))
    bdp = rate * rtt / 8
    buffer = DEEP if rng.random() < 0.25 else between(rng, 10_000, max(50_000, min(DEEP, 4 * bdp)))
    there, back = (rng.choice((1, 1, 2, 2, 3, 4, 6, 8, 12)) for _ in range(2))
    fits = rng.random() < 0.4
    most = rng.uniform(0.2, 0.7) if fits else between(rng, 1.2, 6)
    window = max(15_000, min(WINDOWS / (there + back), most * (bdp + buffer) / max(there, back)))
    star, small, deep_nic = rng.random() < 0.5, rng.random() < 0.5, rng.random() < 0.5
    warm = rng.random() < 0.25
    control = rng.choice(("linuxreno", "cubic"))
    staggered, mixed = rng.random() < 0.5, rng.random() < 0.3
    limit = f"{buffer:.0f}B"
    network = {"nic": {"limit": limit if star and not deep_nic else f"{DEEP}B"}, "switch": {"limit": limit}}
    if star:
        network |= {"topology": "star", "link": {"rate": f"{rate:.0f}bps", "delay": f"{rtt / 4 * 1e9:.0f}ns"}}
        paths = [(i + 1, 0) for i in range(there)] + [(0, there + i + 1) for i in range(back)]
    else:
        n = there + back
        network |= {"topology": "tree", "racks": [n, n],
                    "link": {"rate": f"{min(1e10, rate * rng.choice((1, 2, 10))):.0f}bps",
                             "delay": f"{rtt / 8 * 1e9:.0f}ns"},
                    "backbone": {"rate": f"{rate:.0f}bps", "delay": f"{rtt / 8 * 1e9:.0f}ns"}}
        paths = [(i, n + i) for i in range(there)] + [(n + i, i) for i in range(there, n)]
    flows = []
    for i, (source, sink) in enumerate(paths):
        flow = {"name": f"{'there' if i < there else 'back'}{i}", "from": f"h{source}", "to": f"h{sink}"}
        if staggered and i not in (0, there):
            flow["start"] = f"{rng.uniform(0, duration / 3) * 1e9:.0f}ns"
        if mixed and i not in (0, there) and rng.random() < 0.6:
            flow["bytes"] = f"{between(rng, 10_000, max(20_000, rate * duration / 8 / 4)):.0f}B"
        flows.append(flow)
    scenario = {"title": f"conformity {number}", "duration": f"{duration * 1e9:.0f}ns",
                "warmup": f"{duration / 3 * 1e9:.0f}ns", "network": network,
                "tcp": {"congestion": control, "window": f"{window:.0f}B", "initial_window": "warm" if warm else 10,
                        "small_queues": "10kB" if small else "0B"},
                "traffic": {"flows": flows}, "capture": []}
    said = (f"{there}/{back} {control}{' warm' if warm else ''}, {'star' if star else 'tree'}, {rate / 1e6:.0f} Mb/s, "
            f"{rtt * 1e3:.2f} ms, buffer {buffer / 1e3:.0f} kB{'' if not star or deep_nic else ', NIC too'}, window "
            f"{window / 1e3:.0f} kB{', small queues' if small else ''}{', staggered' if staggered else ''}"
            f"{', short ones' if mixed else ''}")
    return scenario, said


def quantiles(samples, shares):
    """Of (value, weight), where the weights reach these shares."""
    samples.sort()
    whole, reached, found = sum(w for _, w in samples), 0, []
    for value, weight in samples:
        reached += weight
        while len(found) < len(shares) and reached >= shares[len(found)] * whole:
            found.append(value)
    return found + [math.nan] * (len(shares) - len(found))


def measure(directory):
    """What a run gave."""
    summary = json.loads((directory / "summary.json").read_text())
    warmup, span = summary["warmup_s"], summary["ended_s"] - summary["warmup_s"]
    floors = {f["flow"]: f["round_trip"]["floor_s"] for f in summary["flows"] if f.get("round_trip")}
    begun, ended, before, trips = {}, {}, {}, []
    with open(directory / "progress.csv", newline="") as f:
        for row in csv.DictReader(f):
            name, now = row["flow"], float(row["time_s"])
            ended[name] = int(row["bytes"])
            if now <= warmup:
                begun[name] = ended[name]
            seen = (int(row["data_frames"]), float(row["data_wait_s"]), int(row["ack_frames"]), float(row["ack_wait_s"]))
            frames, wait, acks, ack_wait = (a - b for a, b in zip(seen, before.get(name, (0, 0, 0, 0))))
            if frames > 0 and acks > 0:
                before[name] = seen
                if now > warmup and name in floors:
                    trips.append((floors[name] + wait / frames + ack_wait / acks, frames))
    first, dropped = math.nan, sum(p["dropped_frames"] for p in summary["ports"])
    with open(directory / "queues.csv", newline="") as f:
        for row in csv.DictReader(f):
            if int(row["dropped_packets"]) > 0 and math.isnan(first):
                first = float(row["time_s"])
    median, high = quantiles(trips, (0.5, 0.95))
    rates = {name: 8 * (ended[name] - begun.get(name, 0)) / span for name in ended}
    return {"flows": rates, "there": sum(v for k, v in rates.items() if k.startswith("there")),
            "back": sum(v for k, v in rates.items() if k.startswith("back")), "dropped": dropped, "first": first,
            "median": median, "high": high, "retransmitted": sum(f["retransmitted_segments"] for f in summary["flows"])}


def run(program, work, engine, seed, keep):
    directory = work / f"{engine}-{seed}"
    subprocess.run([program, "run", work / "scenario.yaml", "--engine", engine, "--seed", str(seed), "-q", "-o", directory],
                   check=True)
    found = measure(directory)
    if not keep:
        shutil.rmtree(directory)
    return found


def mean(runs, key):
    values = [r[key] for r in runs if not math.isnan(r[key])]
    return sum(values) / len(values) if values else math.nan


def error(runs, key):
    """Standard error of that mean."""
    values = [r[key] for r in runs if not math.isnan(r[key])]
    if len(values) < 2:
        return math.nan
    m = sum(values) / len(values)
    return math.sqrt(sum((v - m) ** 2 for v in values) / (len(values) - 1) / len(values))


def compare(native, linux, sample_s):
    """(measure, difference as a share of Linux's, whether chance may explain it) for what the two gave."""
    lost = any(r["dropped"] for r in native + linux)
    rows = []

    def add(name, key, less=0.0):
        a, b = mean(native, key), mean(linux, key)
        if math.isnan(a) or math.isnan(b) or b == 0:
            return
        apart = max(0.0, abs(a - b) - less) * (1 if a > b else -1)
        scatter = math.hypot(error(native, key), error(linux, key))
        rows.append((name, apart / b, abs(a - b) < 2 * scatter))
    what = "losses" if lost else "nothing lost"
    for key in ("there", "back"):
        add(f"goodput of a direction, {what}", key)
    if not lost:
        for name in native[0]["flows"]:
            for r in native + linux:
                r[name] = r["flows"].get(name, math.nan)
            if mean(linux, name) > 0.02 * mean(linux, "there" if name.startswith("there") else "back"):
                add("goodput of a flow, nothing lost", name)
    add(f"median round trip, {what}", "median")
    add(f"95th percentile, {what}", "high")
    if lost:
        if max(mean(native, "retransmitted"), mean(linux, "retransmitted")) >= 10:
            add("retransmitted segments", "retransmitted")
        add("time of the first loss", "first", sample_s)
    worst = {}
    for name, apart, chance in rows:
        if name not in worst or abs(apart) > abs(worst[name][0]):
            worst[name] = (apart, chance)
    return worst


def results_of(arguments, number, stored):
    """Comparison of scenario `number`, what it is, and both engines' means."""
    scenario, said = draw(number)
    text = json.dumps(scenario)
    key = hashlib.sha256(text.encode()).hexdigest()[:16]
    work = pathlib.Path(arguments.keep or tempfile.mkdtemp(prefix="contraflow-bench-")) / str(number)
    work.mkdir(parents=True, exist_ok=True)
    (work / "scenario.yaml").write_text(text + "\n")
    runs = {}
    try:
        for engine in ("linux", "native"):
            if engine == "linux" and key in stored:
                runs[engine] = stored[key]
                continue
            runs[engine] = [run(arguments.program, work, engine, 1, arguments.keep)]
            if any(r[0]["dropped"] for r in runs.values()):
                runs[engine] += [run(arguments.program, work, engine, s, arguments.keep) for s in range(2, SEEDS + 1)]
    finally:
        if not arguments.keep:
            shutil.rmtree(work.parent)
    stored[key] = runs["linux"]
    duration_s = float(scenario["duration"][:-2]) / 1e9
    return compare(runs["native"], runs["linux"], duration_s / 500), said, runs


def show_one(number, said, worst, runs):
    print(f"\n{number}: {said}\n{'':34}{'Linux':>12} {'native':>12}")
    for key, name, unit in (("there", "there, Mb/s", 1e-6), ("back", "back, Mb/s", 1e-6), ("median", "median, ms", 1e3),
                            ("high", "95th percentile, ms", 1e3), ("retransmitted", "retransmitted segments", 1),
                            ("dropped", "dropped frames", 1), ("first", "first loss, ms", 1e3)):
        print(f"  {name:32}{unit * mean(runs['linux'], key):12.3f} {unit * mean(runs['native'], key):12.3f}")
    for name, (apart, chance) in worst.items():
        print(f"  {name:40} {100 * apart:+8.1f} %{' (chance may explain it)' if chance else ''}")


def show(found):
    print(f"\n{'':38} {'asked':>6} {'within':>9} {'+chance':>8} {'median':>8} {'worst':>9}")
    for name, asked in MEASURES:
        seen = [(abs(worst[name][0]), number, *worst[name]) for number, (worst, _) in found.items() if name in worst]
        if not seen:
            continue
        seen.sort()
        within = sum(s[0] <= asked for s in seen)
        chance = sum(s[0] <= asked or s[3] for s in seen)
        print(f"{name:38} {100 * asked:4.0f} % {within:4}/{len(seen):<4} {chance:8} {100 * seen[len(seen) // 2][0]:6.1f} % "
              f"{100 * seen[-1][2]:+7.1f} %")
    asked = dict(MEASURES)
    far = sorted(((abs(apart) / asked[name], number, name, apart) for number, (worst, _) in found.items()
                  for name, (apart, _) in worst.items()), reverse=True)
    print("\nfarthest apart, in units of what is asked:")
    told = set()
    for times, number, name, apart in far:
        if number in told or len(told) == 10:
            continue
        told.add(number)
        print(f"{number:5} {100 * apart:+8.1f} % {name} ({times:.1f})\n      {found[number][1]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--minutes", type=float, default=math.inf, help="draw no more after that")
    parser.add_argument("--keep", help="directory where scenarios and results stay")
    parser.add_argument("--linux", type=pathlib.Path, help="file with what Linux gave before")
    arguments = parser.parse_args()
    stored = json.loads(arguments.linux.read_text()) if arguments.linux and arguments.linux.exists() else {}
    found, began = {}, time.monotonic()
    for number in range(arguments.first, arguments.first + arguments.count):
        if time.monotonic() - began > 60 * arguments.minutes:
            break
        worst, said, runs = results_of(arguments, number, stored)
        found[number] = (worst, said)
        if arguments.linux:
            arguments.linux.write_text(json.dumps(stored))
        if arguments.count == 1:
            show_one(number, said, worst, runs)
        else:
            print(f"{number:5} {said}\n      " + "; ".join(f"{name} {100 * apart:+.1f} %" for name, (apart, _) in
                                                         worst.items()), flush=True)
    if arguments.count > 1:
        print(f"\n{len(found)} scenarios, from {arguments.first} on")
        show(found)


if __name__ == "__main__":
    main()
