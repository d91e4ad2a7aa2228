#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Kills what writes at random moments: nothing that looks whole is half-written, the next command works and prints what
it does otherwise, and leaves neither a .part nor what the killed one had in TMPDIR. test/sweep/kill.py has sweeps.

Usage: kills.py CONTRAFLOW [ITERATIONS [WORD]]: so many in turn, of those commands with the word alone. The moments are drawn by a seed, from the beginning of a command to its end."""
import fcntl
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

import failures

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import claims  # pylint: disable=wrong-import-position

COMMANDS = [failures.Command(["run", "s.yaml", "-o", "out", "-q"]),
            failures.Command(["report", "s.db", "-o", "out.html"]),
            failures.Command(["plot", "run", "-o", "out"]),
            failures.Command(["analyze", "run", "--report", "out"]),
            failures.Command(["replay", "--port", "1Gbps", "run/h0.pcap", "-o", "out", "-q"]),
            failures.Command(["replay", "bulk.pcap", "-o", "out", "-q", "-j", "1", "--anyway"]),
            failures.Command(["check", "run"]),
            failures.Command(["infer", "m.csv", "-q", "--hypothesis", "fifo", "--window", "50kB"])]
LINUX = failures.Command(["run", "s.yaml", "-o", "out", "-q", "--engine", "linux"])  # where its kernel is built


def wrong(files, good):
    """What looks whole and is not: a page or a picture, or a file in a directory whose summary, the last of its files,
    says that it is complete. A replay plays much into one directory, of which the last is what stays."""
    def whole(name):
        summary = files.get(f"{pathlib.PurePath(name).parent}/summary.json")
        return name.endswith((".html", ".svg", ".png")) or (summary and json.loads(summary).get("complete"))
    if any("baseline" in name or "assumed" in name for name in good):
        return [name for name in files if name.endswith("summary.json") and not json.loads(files[name])]
    return [name for name in files if name in good and whole(name) and files[name] != good[name]]


def judged(bench, files, directory):
    """What is wrong with how the next command takes the run: it refuses what has no summary, and says what is partial."""
    done = subprocess.run([bench.contraflow, "check", "out"], cwd=directory, capture_output=True, text=True)
    said = done.stderr.splitlines()
    complete = "out/summary.json" in files and json.loads(files["out/summary.json"])["complete"]
    partial = "out/summary.json" in files and len(said) > 0 and "this run was interrupted after" in said[0]
    if complete or partial or done.returncode == 2 and len(said) == 1:
        return []
    return [f"check: status {done.returncode}, {said}"]


def wait_for_children(directory, temporary):
    """They end a moment after the command that started them, and then give the locks of directories and files back."""
    # Meanwhile they remove what is theirs; os.walk() passes over what is gone.
    parts = [pathlib.Path(at, name) for at, folders, files in os.walk(directory) for name in folders + files
             if name.endswith(".part")]
    for path in (directory / "out", *temporary.iterdir(), *parts):
        try:
            fd = os.open(path, os.O_RDONLY)
        except FileNotFoundError:
            continue
        fcntl.flock(fd, fcntl.LOCK_EX)
        os.close(fd)


def main():
    iterations = int(sys.argv[2]) if len(sys.argv) > 2 else 250
    bench = failures.Bench(sys.argv[1])
    (bench.sources / "bulk.pcap").write_bytes(claims.capture("friendly", 20000))
    (bench.sources / "m.csv").write_text("from,to,bytes,seconds\nh1,h0,100000,0.002\n")
    temporary = bench.top / "tmp"
    temporary.mkdir()
    os.environ["TMPDIR"] = str(temporary)
    commands = [c for c in COMMANDS if len(sys.argv) < 4 or sys.argv[3] in c.words]
    linux = bench.directory()
    if subprocess.run([bench.contraflow, *LINUX.words], cwd=linux, capture_output=True).returncode == 0:
        commands += [LINUX] * (len(sys.argv) < 4 or sys.argv[3] in LINUX.words)
    shutil.rmtree(linux)
    rng = random.Random(17)
    counts = {"killed": 0, "ended before": 0, "left .part": 0, "left in TMPDIR": 0, "bad": 0}
    goods = []
    for command in commands:
        began = time.monotonic()
        good, directory = bench.run(command)
        goods.append((good, time.monotonic() - began))
        shutil.rmtree(directory)
    for i in range(iterations):
        command, (good, took_s) = commands[i % len(commands)], goods[i % len(commands)]
        directory = bench.directory()
        running = subprocess.Popen([bench.contraflow, *command.words], cwd=directory, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0, took_s))
        ended = running.poll() is not None
        running.kill()
        running.wait()
        wait_for_children(directory, temporary)
        files = failures.left(directory)
        bad = wrong(files, good.files) + (judged(bench, files, directory) if command.words[0] == "run" else [])
        done = subprocess.run([bench.contraflow, *command.words], cwd=directory, capture_output=True, text=True)
        files = failures.left(directory)
        if (done.returncode, done.stdout, files) != (good.status, good.output, good.files):
            bad.append(f"the next command: status {done.returncode}, {sorted(files)}, {done.stderr.strip()}")
        counts["ended before" if ended else "killed"] += 1
        counts["left .part"] += any(name.endswith(".part") for name in files)
        left = [path.name for path in temporary.iterdir() if not path.name.startswith("vm_file")]
        counts["left in TMPDIR"] += bool(left)
        subprocess.run(["rm", "-rf", *(temporary / name for name in left)], check=True)
        counts["bad"] += bool(bad)
        if bad:
            print(f"  {command.line()}, iteration {i}: {bad}")
        shutil.rmtree(directory)
    bench.close()
    print(f"{iterations} commands: {counts['killed']} killed at a random moment, {counts['ended before']} had ended; "
          f"after {counts['bad']} of them something half-written looked whole or the next command failed; "
          f"{counts['left .part']} left a .part after the next one, {counts['left in TMPDIR']} something in TMPDIR")
    return counts["bad"] + counts["left .part"] + counts["left in TMPDIR"] > 0


if __name__ == "__main__":
    sys.exit(main())
