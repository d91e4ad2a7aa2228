#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a sweep's database costs at 10,000 and 100,000 points, four flows each: to start and start again, to claim a
point and to commit it, against the same rows by bare SQLite in the same run, and to export. `meson test --benchmark`
runs it, it judges nothing. Usage: bench_sweep.py BENCH_SWEEP_DB CONTRAFLOW SOURCE_ROOT"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

BENCH, PROGRAM, ROOT = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
SWEEP = """scenario: {scenario}
set: {{duration: 50ms, warmup: 10ms}}
axes:
  traffic.star.incoming: 1..10
  tcp.window: [100kB, 200kB, 500kB, 1MB, 3MB]
seeds: {seeds}
"""


def export(db, *options):
    """Rows a second, peak resident set in MB."""
    started = time.monotonic()
    child = subprocess.Popen([PROGRAM, "sweep", "export", db, *options], stdout=subprocess.PIPE)
    rows = sum(1 for _ in child.stdout) - 1
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0
    return rows / (time.monotonic() - started), usage.ru_maxrss / 1e3


def main():
    print(f"{'points':>7} {'start s':>8} {'cpu s':>6} {'again s':>8} {'claim us':>9} {'commit us':>9} {'sum us':>7} "
          f"{'bare us':>8} {'ratio':>6} {'count ms':>8} {'MB':>6} {'points/s':>9} {'RSS MB':>7} {'flows/s':>9} "
          f"{'RSS MB':>7}")
    for points in (10000, 100000):
        with tempfile.TemporaryDirectory(prefix="contraflow-bench-") as directory:
            work = pathlib.Path(directory)
            (work / "s.yaml").write_text(SWEEP.format(scenario=ROOT / "scenarios/star.yaml", seeds=points // 50))
            words = subprocess.run([BENCH, work / "s.yaml", work / "s.db", work / "peer.db"], check=True,
                                   capture_output=True, text=True).stdout.split()
            n, start, busy, again, claim, commit, peer, count = map(float, words)
            assert n == points
            size = (work / "s.db").stat().st_size / 1e6
            rates = export(work / "s.db"), export(work / "s.db", "--flows")
        print(f"{points:7} {start:8.2f} {busy:6.2f} {again:8.3f} {claim:9.1f} {commit:9.1f} {claim + commit:7.1f} "
              f"{peer:8.1f} {(claim + commit) / peer:6.2f} {count / 1e3:8.1f} {size:6.0f} {rates[0][0]:9.0f} "
              f"{rates[0][1]:7.1f} {rates[1][0]:9.0f} {rates[1][1]:7.1f}", flush=True)


if __name__ == "__main__":
    main()
