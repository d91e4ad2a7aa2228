#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Kills sweeps and merges at random moments. After each kill: what was committed before is there and as it was, nothing
is half there, and the next command works; at the end the sweep is the one that nobody disturbed. The moments follow
from SEED. Ten kills are a test; 250 are a benchmark, which prints how many points were lost.
Usage: kill.py CONTRAFLOW SOURCE_ROOT [KILLS [SEED]]"""
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

PROGRAM, ROOT = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
KILLS, SEED = (int(a) for a in [*sys.argv[3:], *("10", "1")[len(sys.argv) - 3:]])
SWEEP = f"""title: Killed
scenario: {ROOT / "scenarios/star.yaml"}
set: {{duration: 50ms, warmup: 10ms}}
axes:
  traffic.star.incoming: 1..2
  tcp.window: [100kB, 1MB]
seeds: 2
"""
POINT = "number, axes, scenario, seed, state, error, program, engine, version"
draw = random.Random(SEED)


def query(path, sql):
    """As somebody reads who does not write: not the process that repairs it."""
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return db.execute(sql).fetchall()
    finally:
        db.close()


def rows(path):
    """All but wall_s and who runs what."""
    assert query(path, "PRAGMA integrity_check") == [("ok",)], path
    return (query(path, "SELECT * FROM sweep"), query(path, f"SELECT {POINT} FROM point ORDER BY number"),
            query(path, "SELECT * FROM flow ORDER BY point, name"))


def done(path):
    """What is committed: each done point with its flows."""
    if not path.exists():
        return {}
    flows = {}
    for flow in query(path, "SELECT * FROM flow ORDER BY point, name"):
        flows.setdefault(flow[0], []).append(flow)
    return {point[0]: (point, flows.pop(point[0]))
            for point in query(path, f"SELECT {POINT} FROM point WHERE state = 'done'")} | flows


class Killer:
    def __init__(self, work):
        self.work, self.kills, self.finished, self.lost = work, 0, 0, 0

    def run(self, *args, status=(0,)):
        ended = subprocess.run([PROGRAM, *args], cwd=self.work, capture_output=True, text=True, timeout=300)
        assert ended.returncode in status, (args, ended.returncode, ended.stderr)
        return ended

    def kill(self, longest, *args):
        """True when it was killed; False when it ended first."""
        running = subprocess.Popen([PROGRAM, *args], cwd=self.work, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(draw.uniform(0, longest))
        running.kill()
        said = running.communicate()[1]
        assert running.returncode in (0, 1, -signal.SIGKILL), said
        killed = running.returncode == -signal.SIGKILL
        self.kills += killed
        self.finished += not killed
        return killed

    def check(self, path, before):
        """Whatever was done stays done and as it was; everybody can read the file."""
        after = done(path)
        self.lost += sum(after.get(number) != point for number, point in before.items())
        assert all(isinstance(point, tuple) for point in after.values()), "flows of a point that is not done"
        if path.exists():
            self.run("sweep", "export", path.name)
        return after


def main():
    work = pathlib.Path(tempfile.mkdtemp(prefix="contraflow-kill-"))
    try:
        k = Killer(work)
        (work / "s.yaml").write_text(SWEEP)
        started = time.monotonic()
        k.run("sweep", "s.yaml", "-q", "-o", "whole.db")
        sweep_s = time.monotonic() - started
        whole = rows(work / "whole.db")
        shards = [f"{i}.db" for i in (1, 2)]
        for i, shard in enumerate(shards, 1):
            k.run("sweep", "s.yaml", "-q", "--shard", f"{i}/2", "-o", shard)
        started = time.monotonic()
        k.run("sweep", "merge", "m.db", *shards, "-q")
        merge_s = time.monotonic() - started
        sweep, merge, committed = work / "s.db", work / "m.db", {}
        while k.kills < KILLS:
            if k.kills % 2 == 0:
                k.kill(0.7 * sweep_s, "sweep", "s.yaml", "-q", "-o", sweep.name, "--jobs", "2")
                committed = k.check(sweep, committed)
                if len(committed) == 8:  # from the beginning
                    k.run("sweep", "s.yaml", "-q", "-o", sweep.name)
                    assert rows(sweep) == whole
                    for path in work.glob("s.db*"):
                        shutil.rmtree(path) if path.is_dir() else path.unlink()
                    committed = {}
            else:
                fresh = draw.random() < 0.5
                for path in work.glob("m.db*"):
                    path.unlink()
                if not fresh:
                    k.run("sweep", "merge", merge.name, shards[0], "-q", status=(1,))
                before = done(merge)
                k.kill(1.2 * merge_s, "sweep", "merge", merge.name, *shards, "-q")
                after = k.check(merge, before)
                assert len(after) in ((0, 8) if fresh else (4, 8)), "half of a merge"
                k.run("sweep", "merge", merge.name, *shards, "-q")
                assert rows(merge) == whole
        k.run("sweep", "s.yaml", "-q", "-o", sweep.name)
        assert rows(sweep) == whole
        left = [p.name for p in work.iterdir() if ".point-" in p.name or p.name.endswith((".part", "-wal", "-shm"))]
        assert left == [], left
        print(f"{k.kills} kills ({k.finished} commands ended first), {k.lost} of the points committed were lost")
        sys.exit(k.lost > 0)
    finally:
        shutil.rmtree(work)


main()
