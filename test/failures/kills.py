#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Kills run and report at random moments: nothing that looks whole is half-written, and the next command works.

Usage: kills.py CONTRAFLOW [ITERATIONS]. The moments are drawn by a seed, from the beginning of a command to its end."""
import fcntl
import json
import os
import random
import shutil
import subprocess
import sys
import time

import failures

COMMANDS = [failures.Command(["run", "s.yaml", "-o", "out", "-q"]),
            failures.Command(["report", "s.db", "-o", "out.html"])]


def wrong(files, good):
    """What looks whole and is not: a page, or a run whose summary, the last of its files, says that it is complete."""
    named = {name: data for name, data in files.items() if not name.endswith(".part")}
    summary = named.get("out/summary.json")
    if "out.html" in named or (summary and json.loads(summary)["complete"]):
        return [name for name in good if named.get(name) != good[name]]
    return []


def judged(bench, files, directory):
    """What is wrong with how the next command takes the run: it refuses what has no summary, and says what is partial."""
    done = subprocess.run([bench.contraflow, "check", "out"], cwd=directory, capture_output=True, text=True)
    said = done.stderr.splitlines()
    complete = "out/summary.json" in files and json.loads(files["out/summary.json"])["complete"]
    partial = "out/summary.json" in files and len(said) > 0 and "this run was interrupted after" in said[0]
    if complete or partial or done.returncode == 2 and len(said) == 1:
        return []
    return [f"check: status {done.returncode}, {said}"]


def wait_for_engine(directory):
    """It ends a moment after the command that started it, and then gives the directory's lock back."""
    if directory.is_dir():
        fd = os.open(directory, os.O_RDONLY)
        fcntl.flock(fd, fcntl.LOCK_EX)
        os.close(fd)


def main():
    iterations = int(sys.argv[2]) if len(sys.argv) > 2 else 250
    bench = failures.Bench(sys.argv[1])
    rng = random.Random(17)
    counts = {"killed": 0, "ended before": 0, "left .part": 0, "bad": 0}
    goods = []
    for command in COMMANDS:
        began = time.monotonic()
        good, directory = bench.run(command)
        goods.append((good.files, time.monotonic() - began))
        shutil.rmtree(directory)
    for i in range(iterations):
        command, (good, took_s) = COMMANDS[i % len(COMMANDS)], goods[i % len(COMMANDS)]
        directory = bench.directory()
        running = subprocess.Popen([bench.contraflow, *command.words], cwd=directory, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0, took_s))
        ended = running.poll() is not None
        running.kill()
        running.wait()
        wait_for_engine(directory / "out")
        files = failures.left(directory)
        bad = wrong(files, good) + (judged(bench, files, directory) if command.words[0] == "run" else [])
        done = subprocess.run([bench.contraflow, *command.words], cwd=directory, capture_output=True, text=True)
        files = failures.left(directory)
        if done.returncode != 0 or files != good:
            bad.append(f"the next command: status {done.returncode}, {sorted(files)}, {done.stderr.strip()}")
        counts["ended before" if ended else "killed"] += 1
        counts["left .part"] += any(name.endswith(".part") for name in files)
        counts["bad"] += bool(bad)
        if bad:
            print(f"  {command.line()}, iteration {i}: {bad}")
        shutil.rmtree(directory)
    bench.close()
    print(f"{iterations} commands: {counts['killed']} killed at a random moment, {counts['ended before']} had ended; "
          f"after {counts['bad']} of them something half-written looked whole or the next command failed; "
          f"{counts['left .part']} left a .part after the next one")
    return counts["bad"] + counts["left .part"] > 0


if __name__ == "__main__":
    sys.exit(main())
