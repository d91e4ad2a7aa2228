#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Kills `contraflow measure` at random moments, at a server on this machine: what looks whole then is whole, the next one
writes into the same directory and leaves no .part, and the server goes on. kills.py has the commands that do not wait.

Usage: kills_measure.py CONTRAFLOW [ITERATIONS]: 200, four at once, each some 13 s of waiting. The moments are drawn by a
seed, from the beginning of a measurement to its end."""
import concurrent.futures
import csv
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

AT_ONCE = 4
TOKEN = "9c1f7a02e85b3d6494f0c7d5"
TABLES = ("phases", "samples", "echoes")


def wrong(out):
    """What looks whole and is not: summary.json comes last, and says what there is."""
    found = []
    for table in out.glob("*.csv"):
        text = table.read_text()
        lines = text.splitlines()
        rows = list(csv.reader(lines[1:]))
        if not text.endswith("\n") or len(rows) < 2 or len({len(row) for row in rows}) != 1:
            found.append(f"{table.name} is half-written")
    if (out / "summary.json").exists():
        json.loads((out / "summary.json").read_text())
        found += [f"no {name}-1-1.csv beside summary.json" for name in TABLES if not (out / f"{name}-1-1.csv").exists()]
    for page in out.parent.glob("page/*.html"):
        if not page.read_text().rstrip().endswith("</html>"):
            found.append(f"{page.name} is half-written")
    return found


def one(i, contraflow, port, top, took_s):
    """(killed while it ran, what was wrong); with no time to kill it at, it runs to its end."""
    directory = top / str(i)
    (directory / "tmp").mkdir(parents=True)
    words = [contraflow, "measure", "127.0.0.1", "--port", str(port), "--token", TOKEN, "--time", "8s", "-o", "out",
             "--report", "page", "-q"]
    environment = {**os.environ, "TMPDIR": str(directory / "tmp")}
    running = subprocess.Popen(words, cwd=directory, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    chance, killed = random.Random(i), False
    if took_s:  # half of them in the last half a second, when it judges and writes
        time.sleep(chance.uniform(0, took_s) if i % 2 else chance.uniform(took_s - 0.5, took_s))
        killed = running.poll() is None
        running.kill()
    running.wait()
    bad = wrong(directory / "out")
    again = subprocess.run(words, cwd=directory, env=environment, capture_output=True, text=True)
    if again.returncode not in (0, 1, 4) or not (directory / "out/summary.json").exists():
        bad.append(f"the next one: status {again.returncode}, {again.stderr.strip()}")
    bad += wrong(directory / "out")
    bad += [f"{path.name} stays" for path in [*directory.rglob("*.part"), *(directory / "tmp").iterdir()]]
    return killed, bad


def main():
    contraflow, iterations = str(pathlib.Path(sys.argv[1]).resolve()), int(sys.argv[2]) if len(sys.argv) > 2 else 200
    server = subprocess.Popen([contraflow, "measure", "serve", "--port", "0", "--token", TOKEN, "--max-clients", "64",
                               "--max-rate", "5M"], stderr=subprocess.PIPE, text=True)
    port = int(re.search(r"port (\d+)", server.stderr.readline())[1])
    with tempfile.TemporaryDirectory(prefix="contraflow-kills-") as top, server.stderr, \
         concurrent.futures.ThreadPoolExecutor(AT_ONCE + 1) as pool:
        pool.submit(server.stderr.read)  # a line a client
        began = time.monotonic()
        results = [one(-1, contraflow, port, pathlib.Path(top), None)]
        took_s = (time.monotonic() - began) / 2
        results += pool.map(lambda i: one(i, contraflow, port, pathlib.Path(top), took_s), range(iterations))
        ended = server.poll()
        server.terminate()
        server.wait()
    for i, (_, bad) in enumerate(results, -1):
        if bad:
            print(f"  measurement {i}: {bad}")
    killed, bad = sum(k for k, _ in results), sum(bool(b) for _, b in results)
    print(f"{iterations} measurements: {killed} killed at a random moment, {iterations - killed} had ended; after {bad} of them "
          f"something half-written looked whole, stayed, or the next one failed; the server "
          f"{'went on' if ended is None else f'ended with {ended}'}")
    return bad > 0 or ended is not None


if __name__ == "__main__":
    sys.exit(main())
