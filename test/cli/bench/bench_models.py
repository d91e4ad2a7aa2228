#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The window law where links are busy but not full, and the regimes under PAUSE, at random points off any grid, against
the native engine. `meson test --benchmark` runs it and judges nothing; the tests of predict and fit judge samples.

Usage: bench_models.py CONTRAFLOW [FIRST_SEED [POINTS]]"""
import collections
import concurrent.futures
import csv
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

SEGMENT, FRAME, ACK = 1448, 1538, 90  # payload; on the wire, with preamble and gap


def log_uniform(r, least, most):
    return math.exp(r.uniform(math.log(least), math.log(most)))


def draw_pairs(r, hosts, d, probability):
    """Each host picks another d times (Zhu et al. 2014, section 7.1)."""
    pairs = []
    for i in range(hosts):
        for _ in range(d):
            j = r.randrange(hosts - 1)
            j += j >= i
            if r.random() < probability and (i, j) not in pairs:
                pairs.append((i, j))
    return pairs or [(0, 1)]


def write(path, document):
    path.write_text(json.dumps(document))  # JSON is YAML


def busy_scenario(seed):
    """A star or two racks whose delay makes the fullest link 25 to 140 % loaded by windows over empty round trips."""
    r = random.Random(seed)
    tree, hosts = r.random() < 0.7, r.choice([3, 4, 5, 6, 8, 10, 14, 20])
    pairs = draw_pairs(r, hosts, r.choice([1, 2, 3, 4] if hosts < 14 else [1, 2]), r.choice([0.5, 0.8, 1]))
    rate, window = int(log_uniform(r, 1e8, 1e11)), log_uniform(r, 2.2 * SEGMENT, 250 * SEGMENT)
    windows = [int(max(2 * SEGMENT, window * math.exp(r.uniform(-1, 1)))) for _ in pairs] \
        if r.random() < 0.35 else [int(window)] * len(pairs)
    load, narrow, left = r.uniform(0.25, 1.4), r.choice([0.3, 1, 1, 2, 4, 10]), r.randrange(1, hosts)
    used = collections.Counter()
    for (a, b), w in zip(pairs, windows):
        for link in ("out", a), ("in", b), *([("across", a < left)] if tree and (a < left) != (b < left) else []):
            used[link] += w / (narrow if link[0] == "across" else 1)
    round_trip = 8 * max(used.values()) * FRAME / SEGMENT / rate / load
    delay = max(round_trip - (3 * FRAME + 2 * ACK) * 8 / rate, 0) / 4
    network = {"link": {"rate": f"{rate}bps", "delay": f"{delay * 1e9:.0f}ns"}}
    if tree:
        network |= {"topology": "tree", "racks": [left, hosts - left],
                    "backbone": {"rate": f"{int(rate * narrow)}bps", "delay": "0s"}}
    else:
        network |= {"topology": "star", "hosts": hosts}
    if r.random() < 0.12:
        network |= {"nic": {"queue": "ack-first"}, "switch": {"queue": "ack-first"}}
    duration = min(max(400 * round_trip, 2000 * len(pairs) * FRAME * 8 / rate), 2e10 / rate)
    return {
        "seed": seed, "duration": f"{duration * 1e9:.0f}ns", "warmup": f"{0.4 * duration * 1e9:.0f}ns",
        "network": network,
        "traffic": {"start_spread": f"{round_trip * 1e9:.0f}ns",
                    "flows": [{"from": f"h{a}", "to": f"h{b}", "window": f"{w}B"}
                              for (a, b), w in zip(pairs, windows)]},
    }


def busy_point(program, directory, seed):
    """Measured goodput of each flow, and the whole prediction."""
    path, output = directory / f"busy-{seed}.yaml", directory / f"busy-{seed}"
    write(path, busy_scenario(seed))
    subprocess.run([program, "run", path, "-o", output, "-q"], check=True)
    with open(output / "flows.csv", newline="") as f:
        measured = [float(flow["steady_goodput_bps"]) for flow in csv.DictReader(f)]
    shown = subprocess.run([program, "predict", path, "--json"], check=True, capture_output=True, text=True).stdout
    return measured, json.loads(shown)


def pause_scenario(seed):
    """A shared host under PAUSE: degrees, windows, buffers, thresholds, disciplines and delays of no grid."""
    r = random.Random(seed)
    incoming, outgoing = r.choice([2, 3, 4, 5]), r.choice([1, 1, 1, 2, 3])
    equal, w_in, w_out = r.random() < 0.5, int(log_uniform(r, 3e3, 5e5)), int(log_uniform(r, 3e3, 5e5))
    limit, delay = int(log_uniform(r, max(40e3, 25e3 * incoming), 2.5e6)), r.choice([1e-6, 1e-5, 1e-4, 1e-4, 5e-4])
    pause = {"on": True, "stops": r.choice(["senders", "everybody"])}
    room = limit - (incoming + outgoing) * (2 * FRAME + 2 * delay * 1e8 / 8 + 600) - 3000
    xoff, chosen, xon = int(room * r.uniform(0.3, 1)), r.random() < 0.5, r.uniform(0.3, 0.9)
    if chosen and xoff > 4000:
        pause |= {"xoff": f"{xoff}B", "xon": f"{int(xoff * xon)}B"}
    return {
        "duration": "4s", "warmup": "1s",
        "network": {"topology": "star", "link": {"rate": "100Mbps", "delay": f"{delay * 1e9:.0f}ns"},
                    "nic": {"queue": r.choice(["fifo", "fifo", "ack-first", "fair"])},
                    "switch": {"queue": r.choice(["fifo", "fifo", "ack-first", "fair"]), "limit": f"{limit}B",
                               "pause": pause}},
        "tcp": {"small_queues": r.choice(["0B", "0B", "10kB"])},
        "traffic": {"star": {"incoming": incoming, "outgoing": outgoing, "incoming_window": f"{w_in}B",
                             "outgoing_window": f"{w_in if equal else w_out}B"}},
    }


def pause_point(program, directory, seed):
    """The database of a sweep of this one point; None where the buffer has no room for PAUSE, which is refused."""
    scenario, sweep = directory / f"pause-{seed}-run.yaml", directory / f"pause-{seed}.yaml"
    write(scenario, pause_scenario(seed))
    write(sweep, {"title": f"{seed}", "scenario": str(scenario), "axes": {"traffic.start_spread": ["100us"]}})
    done = subprocess.run([program, "sweep", sweep.name, "-q", "--jobs", "1"], cwd=directory, capture_output=True,
                          text=True)
    if done.returncode == 2 and "pause.xoff: cannot be chosen" in done.stderr:
        return None
    done.check_returncode()
    return sweep.with_suffix(".db")


def pause_points(program, directory, seeds):
    """Regimes as `fit` has them, in the order of the seeds."""
    with concurrent.futures.ThreadPoolExecutor() as pool:
        databases = [db for db in pool.map(lambda seed: pause_point(program, directory, seed), seeds) if db]
    shown = subprocess.run([program, "fit", *databases, "--json"], check=True, capture_output=True, text=True).stdout
    return json.loads(shown)["regimes"]["points"]


CLASSES = (0.5, 0.7, 0.85, 0.985, math.inf)  # of the fullest port's predicted load


def fullest(prediction):
    return max(port["wire_bps"] / port["rate_bps"] for port in prediction["first_step_ports"])


def judge(measured, prediction):
    """Of each flow: how far off its rate is, and whether it is in its range, to 1 %."""
    for rate, link in zip(measured, prediction["links"], strict=True):
        least, most = link["first_step_range_bps"]
        yield abs(link["rates_bps"][0] / rate - 1), 0.99 * least <= rate <= 1.01 * most


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    first, points = (int(sys.argv[2]), int(sys.argv[3])) if len(sys.argv) > 3 else (1, 200)
    seeds, classes = range(first, first + points), {c: [] for c in CLASSES}
    with tempfile.TemporaryDirectory(prefix="contraflow-bench-") as work:
        work = pathlib.Path(work)
        with concurrent.futures.ThreadPoolExecutor() as pool:
            for measured, prediction in pool.map(lambda seed: busy_point(program, work, seed), seeds):
                load = fullest(prediction)
                classes[next(c for c in CLASSES if load < c)] += judge(measured, prediction)
        for c, flows in classes.items():
            if flows:
                print(f"fullest port below {c:5.3f}: {len(flows):5} flows, off by "
                      f"{100 * sum(e for e, _ in flows) / len(flows):.2f} % on average, {100 * max(flows)[0]:.1f} % at "
                      f"most; {100 * sum(ok for _, ok in flows) / len(flows):.1f} % within their range", flush=True)
        regimes = pause_points(program, work, seeds)
    known = [p for p in regimes if p["predicted"] != "unknown"]
    wrong = [p for p in known if p["predicted"] != p["most"]]
    print(f"PAUSE: {len(regimes)} points, {len(known)} with a closed form, {len(known) - len(wrong)} of them agree")
    for p in wrong:
        print(f"  {pathlib.Path(p['source']).stem}: {p['predicted']} predicted, {p['most']} observed")


if __name__ == "__main__":
    main()
