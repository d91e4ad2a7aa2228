#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every allocation of commands on small inputs fails once, of the program's own and of its libraries.

Usage: allocations.py CONTRAFLOW FAILING.so [SHARE [WORD...]]: of each command whose line has the words, a share of its
allocations, drawn by a seed; without a share, all."""
import pathlib
import random
import shutil
import sys
import time

import failures


def main():
    contraflow, library = sys.argv[1], str(pathlib.Path(sys.argv[2]).resolve())
    share = float(sys.argv[3]) if len(sys.argv) > 3 else 1
    bench = failures.Bench(contraflow)
    rng = random.Random(17)
    totals = {"failed": 0, "same": 0, "bad": 0, "leaks": 0}
    for command in failures.COMMANDS:
        if not all(word in command.line() for word in sys.argv[4:]):
            continue

        def fail(at):
            outcome, directory = bench.run(command, environment={
                "LD_PRELOAD": library, "FAILING_PROGRAM": command.program, "FAILING_AT": str(at),
                "FAILING_LOG": "allocations.log"})
            log = directory / "allocations.log"
            counts = log.read_text().split() if log.exists() else []
            shutil.rmtree(directory)
            return at, outcome, [int(count) for count in counts]

        _, good, (n, live, *_) = fail(0)
        started, counts = time.monotonic(), dict.fromkeys(totals, 0)
        drawn = sorted(rng.sample(range(1, n + 1), max(1, round(n * share))))
        for at, outcome, log in failures.in_parallel(fail, drawn):
            same, clean = outcome.is_as(good), outcome.is_clean_failure(good)
            counts["same" if same else "failed" if clean else "bad"] += 1
            # who ends for want of memory where nobody can go on frees nothing
            leaks = "out of memory for" not in outcome.words and log and log[1] > live
            counts["leaks"] += bool(leaks)
            if not (same or clean) or leaks:
                print(f"  allocation {at}: status {outcome.status}, {log}, files {sorted(outcome.files)}: "
                      f"{outcome.words.strip()[:300]!r}")
        print(f"{command.line()}: {len(drawn)} of {n} allocations: {counts['failed']} ended with status 3 and "
              f"one line, {counts['same']} changed nothing, {counts['bad']} did neither; {counts['leaks']} leaks; "
              f"{time.monotonic() - started:.1f} s", flush=True)
        for key, value in counts.items():
            totals[key] += value
    bench.close()
    print(f"all: {totals['failed'] + totals['same'] + totals['bad']} allocations failed: {totals['failed']} ended with "
          f"status 3 and one line, {totals['same']} changed nothing, {totals['bad']} did neither; "
          f"{totals['leaks']} leaks")
    return totals["bad"] + totals["leaks"] > 0


if __name__ == "__main__":
    sys.exit(main())
