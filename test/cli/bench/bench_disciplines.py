#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How near are the queue disciplines to the kernel's own? Each of 30 random points runs on the engine linux, in virtual
time, with ours at the ports (`queue`) and with the kernel's (`qdisc`); the table compares what it gave. `meson test
--benchmark` runs it where `make linux` has built the kernel; it judges nothing.

Point NUMBER is drawn from its number alone: a star whose host h0 receives and sends at once, the discipline at the
switch's ports alone or at NICs, too. Compared are the goodput of each direction and the mean wait of its data frames in
all queues, after a third of the run, as means over seeds. Where two means of so many seeds differ by less than twice
their standard error, chance may explain it.

  bench_disciplines.py PROGRAM [--first 1] [--count 30] [--seeds 3] [--only codel] [--markdown]
  bench_disciplines.py PROGRAM --first 17 --count 1 --keep DIRECTORY    one alone: its scenarios and results stay
  bench_disciplines.py PROGRAM --kernel FILE             what the kernel's gave is kept there, and not run again
"""
import argparse
import hashlib
import json
import math
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

ASKED = 0.05
BITS = 4e8  # that the bottleneck passes in a run, each way
DEEP = 20_000_000
FULL = 1518 / 1514  # of bytes in a buffer: ours count a frame's FCS
CLASSES = "priomap 0 1 2 3 4 5 6 7 7 7 7 7 7 7 7 7"  # a frame's class is its priority
MEASURES = ("there", "back", "wait_there", "wait_back")


def between(rng, low, high):
    """Log-uniform."""
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def frames(count):
    return f"{count}p"


def codel(rng, rate, _, ecn=False):
    target, limit = between(rng, 1, 20), int(between(rng, 100, 2000))
    interval = between(rng, 3, 20) * target
    target = max(target, 2 * 1538 * 8 / rate * 1e3)
    return ({"queue": "codel", "limit": frames(limit), "target": f"{target:.3f}ms", "interval": f"{interval:.3f}ms",
             "ecn": "true" if ecn else "false"},
            f"codel limit {limit} target {target:.3f}ms interval {interval:.3f}ms{' ecn' if ecn else ''}")


def fq_codel(rng, rate, _):
    target, limit = max(between(rng, 1, 20), 2 * 1538 * 8 / rate * 1e3), int(between(rng, 60, 2000))
    interval, quantum, ecn = between(rng, 3, 20) * target, rng.choice((300, 1514, 3028)), rng.random() < 0.5
    return ({"queue": "fq_codel", "limit": frames(limit), "target": f"{target:.3f}ms", "interval": f"{interval:.3f}ms",
             "quantum": f"{quantum}B", "ecn": "true" if ecn else "false"},
            f"fq_codel limit {limit} target {target:.3f}ms interval {interval:.3f}ms quantum {quantum} memory_limit 128mb "
            f"{'ecn' if ecn else 'noecn'}")


def red(rng, rate, bdp, ecn=False):
    low = int(between(rng, 10_000, max(30_000, min(300_000, bdp))))
    high, probability = int(low * rng.uniform(2, 4)), between(rng, 0.01, 0.2)
    limit = int(high * rng.uniform(1.5, 4))
    return ({"queue": "red", "limit": f"{limit * FULL:.0f}B", "min": f"{low * FULL:.0f}B", "max": f"{high * FULL:.0f}B",
             "probability": f"{probability:.4f}", "rate": f"{rate:.0f}bps", "ecn": "true" if ecn else "false"},
            f"red limit {limit} min {low} max {high} avpkt 1000 probability {probability:.4f} bandwidth {rate:.0f}bit"
            f"{' ecn' if ecn else ''}")


def prio(*_):
    return {"queue": "prio", "limit": frames(1000)}, f"prio bands 8 {CLASSES}"


def drr(rng, *_):
    quanta = [rng.choice((757, 1514, 3028, 6056)) for _ in range(8)]
    return ({"queue": "drr", "limit": frames(1000), "quanta": [f"{q}B" for q in quanta]},
            f"ets bands 8 quanta {' '.join(map(str, quanta))} {CLASSES}")


def ack_filter(*_, aggressive=False):
    """CAKE without its shaper, its flows and, at an interval of 1000 s, its drops is a FIFO."""
    mode = "ack-filter-aggressive" if aggressive else "ack-filter"
    return ({"queue": "ack-filter", "limit": f"{DEEP}B", "aggressive": "true" if aggressive else "false"},
            f"cake unlimited besteffort flowblind {mode} rtt 1000s memlimit 64mb")


def tbf(rng, rate, bdp):
    own, burst = rate * rng.uniform(0.3, 0.95), int(between(rng, 5_000, 60_000))
    limit = int(between(rng, 30_000, max(60_000, 2 * bdp)))
    return ({"queue": "tbf", "limit": f"{limit * FULL:.0f}B", "rate": f"{own:.0f}bps", "burst": f"{burst}B"}, f"tbf rate {own:.0f}bit burst {burst} limit {limit}")


def fair(*_):
    """Round robin over flows: fq without anybody's pacing."""
    return {"queue": "fair", "limit": frames(10000)}, "fq limit 10000 flow_limit 10000 quantum 1514 initial_quantum 1514"


def pie(rng, *_):
    """The kernel updates at its ticks of 4 ms, so that 16 ms are 16 ms to both."""
    target, limit, ecn = between(rng, 5, 40), rng.choice((200, 1000, 5000)), rng.random() < 0.3
    return ({"queue": "pie", "limit": frames(limit), "target": f"{target:.3f}ms", "interval": "16ms",
             "ecn": "true" if ecn else "false"},
            f"pie limit {limit} target {target:.3f}ms tupdate 16ms {'ecn' if ecn else 'noecn'}")


KINDS = {
    "codel": codel,
    "codel, ecn": lambda *a: codel(*a, ecn=True),
    "fq_codel": fq_codel,
    "red": red,
    "red, ecn": lambda *a: red(*a, ecn=True),
    "prio": prio,
    "drr": drr,
    "ack-filter": ack_filter,
    "ack-filter, aggressive": lambda *a: ack_filter(*a, aggressive=True),
    "tbf": tbf,
}
MORE = {"fair": fair, "pie": pie}  # with --only


def draw(number, only):
    """Scenarios as dictionaries, which are YAML, with ours and with the kernel's; its discipline, what it is in a line."""
    rng = random.Random(number)
    kind = only or list(KINDS)[(number - 1) % len(KINDS)]
    rate = between(rng, 1e7, 2e8)
    duration = max(4.0, min(20.0, BITS / rate))
    rtt = between(rng, 2e-3, 0.06)
    bdp = rate * rtt / 8
    there, back = (rng.choice((1, 1, 2, 3, 4)) for _ in range(2))
    classes = kind in ("prio", "drr")
    if classes:
        there, back = max(2, there), max(2, back)
    window = max(60_000, min(2_000_000, between(rng, 1.5, 6) * (bdp + 60_000) / max(there, back)))
    if classes:
        window = min(window, 900 * 1514 / max(there, back))  # a band of the kernel's holds 1000 frames
    nics, control = rng.random() < 0.5, rng.choice(("linuxreno", "cubic"))
    ours, qdisc = ({**KINDS, **MORE})[kind](rng, rate, bdp)
    flows = []
    for i in range(there + back):
        out = i >= there
        flow = {"name": f"{'back' if out else 'there'}{i}", "from": "h0" if out else f"h{i + 1}",
                "to": f"h{i + 1}" if out else "h0"}
        if classes:
            flow["class"] = (i - there if out else i) % 8
        if kind == "prio" and (i - there if out else i) < max(2, back if out else there) - 1:
            flow["rate"] = f"{rate * rng.uniform(0.1, 0.6) / (back if out else there):.0f}bps"  # or others would starve
        flows.append(flow)
    both = []
    for queue in (ours, {"qdisc": qdisc}):
        both.append({"title": f"disciplines {number}", "engine": "linux", "duration": f"{duration * 1e9:.0f}ns",
                     "warmup": f"{duration / 3 * 1e9:.0f}ns",
                     "network": {"link": {"rate": f"{rate:.0f}bps", "delay": f"{rtt / 4 * 1e9:.0f}ns"}, "switch": queue,
                                 "nic": queue if nics else {"limit": f"{DEEP}B"}},
                     "tcp": {"congestion": control, "window": f"{window:.0f}B", "initial_window": 10,
                             "small_queues": "10kB", "linux": {"ecn": "ecn" in qdisc.split()}},
                     "traffic": {"flows": flows}})
    said = (f"{there}/{back} {control}, {rate / 1e6:.0f} Mb/s, {rtt * 1e3:.1f} ms, window {window / 1e3:.0f} kB"
            f"{', NICs too' if nics else ''}: {qdisc}")
    return both, kind, said


def measure(directory):
    summary = json.loads((directory / "summary.json").read_text())
    found = {"dropped": sum(p["dropped_frames"] for p in summary["ports"])}
    for way in ("there", "back"):
        flows = [f for f in summary["flows"] if f["flow"].startswith(way)]
        trips = [f["round_trip"] for f in flows if f["round_trip"] and f["round_trip"]["steady_data_wait_s"] is not None]
        n = sum(t["data_frames"] for t in trips)
        found[way] = sum(f["steady_goodput_bps"] for f in flows)
        found["wait_" + way] = sum(t["steady_data_wait_s"] * t["data_frames"] for t in trips) / max(1, n)
    return found


def run(program, work, scenario, seeds, keep):
    found = []
    work.mkdir(parents=True, exist_ok=True)
    (work / "scenario.yaml").write_text(json.dumps(scenario) + "\n")
    for seed in range(1, seeds + 1):
        directory = work / str(seed)
        subprocess.run([program, "run", work / "scenario.yaml", "--seed", str(seed), "-q", "-o", directory], check=True)
        found.append(measure(directory))
        if not keep:
            shutil.rmtree(directory)
    return found


def mean(runs, key):
    return sum(r[key] for r in runs) / len(runs)


def error(runs, key):
    """Standard error of that mean."""
    if len(runs) < 2:
        return 0.0
    m = mean(runs, key)
    return math.sqrt(sum((r[key] - m) ** 2 for r in runs) / (len(runs) - 1) / len(runs))


def compare(ours, kernel):
    """measure: (ours, kernel's, difference as a share, whether chance may explain it)"""
    rows = {}
    for key in MEASURES:
        a, b = mean(ours, key), mean(kernel, key)
        if b > 0:
            rows[key] = a, b, a / b - 1, abs(a - b) < 2 * math.hypot(error(ours, key), error(kernel, key))
    return rows


def results_of(arguments, number, stored):
    (ours, theirs), kind, said = draw(number, arguments.only)
    key = hashlib.sha256(json.dumps([theirs, arguments.seeds]).encode()).hexdigest()[:16]
    work = pathlib.Path(arguments.keep or tempfile.mkdtemp(prefix="contraflow-bench-")) / str(number)
    try:
        if key not in stored:
            stored[key] = run(arguments.program, work / "kernel", theirs, arguments.seeds, arguments.keep)
        found = run(arguments.program, work / "ours", ours, arguments.seeds, arguments.keep)
    finally:
        if not arguments.keep:
            shutil.rmtree(work.parent)
    return compare(found, stored[key]), kind, said, (mean(found, "dropped"), mean(stored[key], "dropped"))


def cell(key, row):
    scale, digits = (1e-6, 2) if key in ("there", "back") else (1e3, 2)
    a, b, apart, chance = row
    return f"{scale * a:.{digits}f} {scale * b:.{digits}f} {100 * apart:+.1f} %{'' if abs(apart) <= ASKED else '*' if chance else '!'}"


def show(found, markdown):
    apart = {n: max(abs(r[2]) for r in rows.values()) for n, (rows, *_) in found.items()}
    chance = sum(all(abs(r[2]) <= ASKED or r[3] for r in rows.values()) for rows, *_ in found.values())
    values = [abs(r[2]) for rows, *_ in found.values() for r in rows.values()]
    print(f"{sum(a <= ASKED for a in apart.values())} of {len(found)} points within {100 * ASKED:.0f} % of the kernel's in "
          f"every figure, {chance} with what chance explains; of {len(values)} figures {sum(v <= ASKED for v in values)}, "
          f"half within {100 * sorted(values)[len(values) // 2]:.2f} %\n")
    heads = ("point", "discipline", "there, Mb/s: ours, kernel's", "back, Mb/s", "wait there, ms", "wait back, ms",
             "dropped")
    if markdown:
        print("| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    for number, (rows, kind, said, dropped) in found.items():
        cells = [str(number), kind] + [cell(k, rows[k]) if k in rows else "" for k in MEASURES]
        cells.append(f"{dropped[0]:.0f} {dropped[1]:.0f}")
        if markdown:
            print("| " + " | ".join(cells) + " |")
        else:
            print(f"{cells[0]:>5} {cells[1]:22} {cells[2]:>24} {cells[3]:>24} {cells[4]:>24} {cells[5]:>24} {cells[6]:>12}")
    print("\n*: chance may explain it; !: it does not" if not markdown else "")
    for number, (_, _, said, _) in found.items():
        print(f"{number}. {said}" if markdown else f"{number:5} {said}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", choices=[*KINDS, *MORE], help="all points are of that discipline")
    parser.add_argument("--keep", help="directory where scenarios and results stay")
    parser.add_argument("--kernel", type=pathlib.Path, help="file with what the kernel's gave before")
    parser.add_argument("--markdown", action="store_true", help="a table for the documentation")
    arguments = parser.parse_args()
    stored = json.loads(arguments.kernel.read_text()) if arguments.kernel and arguments.kernel.exists() else {}
    found = {}
    for number in range(arguments.first, arguments.first + arguments.count):
        found[number] = results_of(arguments, number, stored)
        if arguments.kernel:
            arguments.kernel.write_text(json.dumps(stored))
        print(f"{number}: {found[number][1]}", file=sys.stderr, flush=True)
    show(found, arguments.markdown)


if __name__ == "__main__":
    main()
