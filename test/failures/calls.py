#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every system call of commands on small inputs that opens, writes, names, starts or closes something fails once.

Usage: calls.py CONTRAFLOW [CASES [WORD...]]: so many of the calls, drawn by a seed, of commands whose line has the words;
without a number, all. strace makes them fail."""
import collections
import random
import re
import shutil
import sys
import time

import failures

ERRORS = {"openat": "EMFILE", "write": "ENOSPC", "pwrite64": "ENOSPC", "rename": "EACCES", "fsync": "EIO",
          "fdatasync": "EIO", "ftruncate": "EIO", "mkdir": "ENOSPC", "unlink": "EIO", "close": "EIO", "pipe2": "EMFILE",
          "dup": "EMFILE", "clone": "EAGAIN", "clone3": "EAGAIN", "vfork": "EAGAIN"}
BEGUN = re.compile(r'openat\(AT_FDCWD.*"/dev/null", O_RDONLY\)')  # the first thing a program does; before: its loading


def calls_of(bench, command):
    """The calls of a command, as (name, how many of that name before and with it), and what comes of the command."""
    good, directory = bench.run(command, before=["strace", "-qq", "-y", "-o", "calls.log", "-e", "trace=" + ",".join(ERRORS)])
    seen, begun, calls = collections.Counter(), False, []
    for line in (directory / "calls.log").read_text(errors="replace").splitlines():
        name = line.partition("(")[0]
        begun = begun or BEGUN.search(line)
        if name in ERRORS:
            seen[name] += 1
            # What is printed is another test's. A close that strace lets fail leaves the descriptor open, as the kernel
            # never does: with a pipe, its reader would wait.
            if begun and not line.startswith(("write(1<", "write(2<")) and (name != "close" or ".part>" in line):
                calls.append((name, seen[name], line[:100]))
    shutil.rmtree(directory)
    return calls, good


def main():
    if not shutil.which("strace"):
        print("strace is not installed; packages.txt lists it")
        return 77
    most = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    bench = failures.Bench(sys.argv[1])
    wanted = [c for c in failures.COMMANDS if all(word in c.line() for word in sys.argv[3:])]
    found = [(command, call, good) for command in wanted for calls, good in [calls_of(bench, command)] for call in calls]
    if 0 < most < len(found):
        found = random.Random(17).sample(found, most)
    started, counts = time.monotonic(), collections.Counter()

    def fail(case):
        command, (name, number, line), good = case
        outcome, directory = bench.run(command, before=["strace", "-qq", "-o", "/dev/null", "-e", f"trace={name}", "-e",
                                                        f"inject={name}:error={ERRORS[name]}:when={number}"])
        shutil.rmtree(directory)
        return command, name, number, line, outcome, outcome.is_as(good), outcome.is_clean_failure(good)

    for command, name, number, line, outcome, same, clean in failures.in_parallel(fail, found):
        counts["same" if same else "failed" if clean else "bad"] += 1
        if not same and not clean:
            print(f"  {command.line()}: {name} {number} {line}: status {outcome.status}, files {sorted(outcome.files)}: "
                  f"{outcome.words.strip()[:300]!r}")
    bench.close()
    print(f"{len(found)} system calls failed in {len(wanted)} commands: {counts['failed']} commands ended with status 3 "
          f"and one line, {counts['same']} did what they do otherwise, {counts['bad']} did neither; "
          f"{time.monotonic() - started:.1f} s")
    return counts["bad"] > 0


if __name__ == "__main__":
    sys.exit(main())
