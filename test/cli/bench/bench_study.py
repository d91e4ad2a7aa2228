#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does 'contraflow measure --study' name what is below TCP? Random networks, emulated, with one mechanism each.

    bench_study.py CONTRAFLOW ROOT [FIRST [LAST]] [--engine linux]    networks FIRST to LAST, 1 to 50

A network is a star of 100 Mb/s with cables of 10 to 200 us, windows of 100 to 700 kB, and newreno, linuxreno or CUBIC, of
which the study knows what interfaces and TCP_INFO would say: the rate, the round trip and the windows. Its mechanism, and how
strong it is, is drawn where it does something: losses and PAUSE in buffers that windows overflow, buses and processors
that do not carry both directions. Prints a line a network and how many were named right, named wrong, and not named.

With `--engine linux` hosts are Linux itself: its Reno or CUBIC, causes by turns of the number, some with merged frames (GRO),
some without bursts (GSO off), and small queues among what keeps ACKs from waiting in hosts. Hypotheses stay the native
engine's."""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import random
import subprocess
import tempfile
import time

CAUSES = ["queues", "port", "host", "apart", "losses", "pause", "bus", "processor", "ring"]
RATE = 100e6
FRAME_S = 1538 * 8 / RATE
APART = ["ack-first", "fair"]


def log_uniform(r, low, high):
    return math.exp(r.uniform(math.log(low), math.log(high)))


def mechanism(r, cause, window):
    """(network of a scenario, tcp of it)"""
    nic, port, tcp, host, sw = "fifo", "fifo", {}, {}, {}
    if cause == "queues" and r.random() < 0.5:
        host = {"interrupt_delay": f"{log_uniform(r, 20, 200):.0f}us"}
    elif cause == "port":
        nic = r.choice(APART)
    elif cause == "host":
        port = r.choice(APART)
    elif cause == "apart":
        nic, port = r.choice(APART), r.choice(APART)
    elif cause == "losses":
        sw = {"limit": f"{log_uniform(r, 20e3, window / 2):.0f}B"}
        tcp = {"congestion": r.choice(["linuxreno", "cubic"])}
    elif cause == "pause":
        sw = {"limit": f"{log_uniform(r, 60e3, max(window, 80e3)):.0f}B",
              "pause": {"stops": r.choice(["everybody", "senders"])}}
    elif cause == "bus":
        host = {"bus": f"{RATE * log_uniform(r, 0.6, 1.6):.0f}bps"}
    elif cause == "processor":
        host = {"processor": f"{1e9 * FRAME_S * log_uniform(r, 0.5, 3):.0f}ns"}
    elif cause == "ring":
        host = {"processor": f"{1e9 * FRAME_S * log_uniform(r, 0.5, 2):.0f}ns", "rx_ring": round(log_uniform(r, 16, 64))}
    return {"nic": {"queue": nic}, "switch": {"queue": port, **sw}, "host": host}, tcp


def draw(number):
    r = random.Random(f"study {number}")
    cause = r.choice(CAUSES)
    window = log_uniform(r, 100e3, 700e3)
    network, tcp = mechanism(r, cause, window)
    return cause, {"seed": number, "duration": "3s", "warmup": "1s",
                   "network": {"link": {"rate": f"{RATE:.0f}bps", "delay": f"{log_uniform(r, 10, 200):.0f}us"}, **network},
                   "tcp": {"window": f"{window:.0f}B", "initial_window": "warm",
                           "congestion": r.choice(["newreno", "linuxreno", "cubic"]), **tcp},
                   "traffic": {"star": {"incoming": 1, "outgoing": 1}}}


def draw_linux(number):
    r = random.Random(f"study of Linux {number}")
    cause = CAUSES[number % len(CAUSES)]
    window = log_uniform(r, 100e3, 700e3)
    network, tcp = mechanism(r, cause, window)
    if cause == "port" and r.random() < 0.5:
        network["nic"], tcp = {"queue": "fifo"}, {"small_queues": "10kB"}
    offloads = r.choice([{}, {"gro": "50us"}, {"gso": False}])
    scenario = {"seed": number, "engine": "linux", "duration": "3s", "warmup": "1s",
                "network": {"link": {"rate": f"{RATE:.0f}bps", "delay": f"{log_uniform(r, 10, 200):.0f}us"}, **network},
                "tcp": {"window": f"{window:.0f}B", "initial_window": "warm", "linux": offloads,
                        "congestion": r.choice(["linuxreno", "cubic"]), **tcp},
                "traffic": {"star": {"incoming": 1, "outgoing": 1}}}
    return cause, scenario


def one(contraflow, cause, scenario):
    number = scenario["seed"]
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        path = pathlib.Path(name) / "hidden.yaml"
        path.write_text(json.dumps(scenario))
        done = subprocess.run([contraflow, "measure", "--study", "--emulate", path, "--jobs", "1", "--json"],
                              capture_output=True, text=True)
    if done.returncode not in (0, 4):
        raise SystemExit(f"{number}: {done.stderr}")
    said = json.loads(done.stdout)
    weights = {o["cause"]: o["weight"] for o in said["odds"]}
    named = {"bus": "inside", "processor": "inside"}.get(cause, cause)
    verdict = "silent" if said["cause"] is None else "right" if said["cause"] == named else "WRONG"
    first = sorted(weights, key=weights.get, reverse=True)[:3]
    text = (f"{number:3} {cause:9} {verdict:6} " + ", ".join(f"{c} {100 * weights[c]:.0f} %" for c in first)
            + f"; nearest {said['nearest']}, tail {said['tail'] if said['tail'] is None else round(said['tail'], 4)}"
            + f"; {len(said['patterns'])} patterns, {said['emulations']} emulations, {time.monotonic() - began:.0f} s")
    return verdict, text


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("contraflow", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("root")
    parser.add_argument("first", type=int, nargs="?", default=1)
    parser.add_argument("last", type=int, nargs="?", default=50)
    parser.add_argument("--engine", choices=("native", "linux"), default="native")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    asked = parser.parse_args()
    count = {"right": 0, "silent": 0, "WRONG": 0}
    drawn = [(draw_linux if asked.engine == "linux" else draw)(n) for n in range(asked.first, asked.last + 1)]
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        for verdict, text in pool.map(lambda d: one(asked.contraflow, *d), drawn):
            count[verdict] += 1
            print(text, flush=True)
    print(f"of {len(drawn)} networks: {count['right']} named right, {count['WRONG']} wrong, {count['silent']} not named")


main()
