#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A stranger's way: a line of FIFO queues, captured, judged; what is printed typed as it is printed; captured again. Is the
gain that was said the gain that is got? Where the answer is no yes, there is nothing to type, and that is said.

    strangers.py CONTRAFLOW SOURCES OUT [--lines 3,4] [--jobs 2]

Runs in the kernel of `make linux`, in virtual time and without root: its disciplines (fq_codel, CAKE) are there wherever
this is run, and figures are the same each time."""
import argparse
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

# Mb/s down and up, kB that the queues hold, round trip in ms, flows in and out, window of each in bytes (0: autotuned)
LINES = [(1, 1, 64, 64, 20, 2, 1, 24000), (2, 2, 60, 60, 20, 2, 1, 0), (2, 2, 200, 200, 20, 2, 1, 30000), (5, 1, 100, 40, 20, 1, 1, 0),
         (20, 2, 256, 64, 20, 1, 1, 0), (16, 1, 200, 40, 30, 1, 1, 0), (10, 10, 500, 500, 10, 3, 1, 64000),
         (25, 5, 300, 100, 20, 1, 1, 0), (50, 10, 600, 200, 20, 1, 1, 0), (50, 50, 2000, 2000, 5, 2, 1, 150000),
         (100, 20, 1000, 250, 10, 1, 1, 0), (100, 10, 1000, 128, 10, 1, 1, 0), (5, 5, 250, 250, 20, 2, 1, 40000),
         (25, 25, 1000, 1000, 10, 3, 1, 80000), (40, 4, 500, 150, 15, 1, 1, 0), (100, 100, 4000, 4000, 4, 2, 1, 250000)]
WITHIN = 0.15  # of the gain
ENOUGH = 10    # lines of which a gain is said, or nothing is shown

MAIN = """
build
flows before
contraflow_says() {
    "$CONTRAFLOW" remedy "$OUT/before.pcap" --script >"$OUT/proof.sh" 2>"$OUT/refused"
}
contraflow_says || exit 0
sed -n '/^remedy_1() {/,/^}/p' "$OUT/proof.sh" >"$OUT/remedy"
. "$OUT/remedy"
remedy_1
flows after
"""

INIT = """#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp
mount -t proc proc /proc && mount -t sysfs sysfs /sys && mount -t tmpfs tmpfs /run && mkdir -p /run/netns
exec 9</dev/contraflow
sh {out}/line.sh {out}/run >{out}/said 2>&1
sync
poweroff -f
"""


def strangers_kernel():
    """The kernel of `make linux`, as emu/linux/start.c finds it; None where there is none."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "contraflow"
    return max(cache.glob("kernel-*/linux"), key=lambda p: p.stat().st_mtime, default=None)


def strangers_line(sources, contraflow, line, script=MAIN):
    """The script's own functions (view/remedy.sh), with another beginning and another end."""
    down, up, down_kb, up_kb, delay, n_in, n_out, window = line
    functions = (sources / "view/remedy.sh").read_text().split("\nprintf ")[0]
    return f"""set -eu
CONTRAFLOW={contraflow}
DOWN_KBIT={1000 * down} UP_KBIT={1000 * up} DOWN_BYTES={1000 * down_kb} UP_BYTES={1000 * up_kb} DELAY_MS={delay}
FLOWS_IN={n_in} FLOWS_OUT={n_out} WINDOW_IN={window} WINDOW_OUT={window} SECONDS_EACH=12 OMIT=3
{functions}
{script}"""


def strangers_inside(kernel, out, timeout_s):
    """Runs out/line.sh as what the kernel's first process starts."""
    init = out / "init"
    init.write_text(INIT.format(out=out))
    init.chmod(0o755)
    with open(out / "console", "w") as console:
        subprocess.run([str(kernel), "mem=512M", "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "rw",
                        f"init={init}", "con=null", "con0=null,fd:1", "panic=-1", "time-travel=inf-cpu",
                        "time-travel-start=1000000000000000000", "uml_dir=.", "umid=uml", "quiet"], cwd=out,
                       stdin=subprocess.DEVNULL, stdout=console, stderr=console, timeout=timeout_s,
                       env={"UML_SEED": "1", "TMPDIR": "/tmp", "HOME": str(out)}, check=False)


def strangers_run(kernel, contraflow, sources, out, line, timeout_s=1500):
    """What was said and what was got, Mb/s both ways together; or why nothing was."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    (out / "line.sh").write_text(strangers_line(sources, contraflow, line))
    with contextlib.suppress(subprocess.TimeoutExpired):
        strangers_inside(kernel, out, timeout_s)
    before, after = out / "run/before.pcap", out / "run/after.pcap"
    if not after.exists():
        refused = out / "run/refused"
        return {"why": (refused.read_text() if refused.exists() else (out / "said").read_text()).strip()}
    judged = json.loads(subprocess.run([contraflow, "check", "--json", before], capture_output=True, text=True).stdout)
    d = next(r["diagnosis"] for r in judged["resources"] if r["host"] == "10.77.1.2")
    compared = json.loads(subprocess.run([contraflow, "compare", "--json", before, after], capture_output=True,
                                         text=True).stdout)
    rate = next(h for h in compared["hosts"] if h["before"]["host"] == "10.77.1.2")["both"]["rate_bps"]
    possible = d["possible_bps"]["in"] + d["possible_bps"]["out"]
    return {"answer": d["asymmetry"], "remedy": d["remedies"][1], "before": rate["before"] / 1e6,
            "said": possible / 1e6, "got": rate["after"] / 1e6}


def strangers_judged(kernel, contraflow, sources, out, line, offloads):
    """What is said of the host, whose capture has frames, or the segments of senders that leave cutting them to others."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    script = strangers_line(sources, contraflow, line, "\nbuild\nflows before\n")
    (out / "line.sh").write_text(script.replace("gso_max_segs 1 up", "up") if offloads else script)
    strangers_inside(kernel, out, 600)
    judged = json.loads(subprocess.run([contraflow, "check", "--json", out / "run/before.pcap"], capture_output=True,
                                       text=True).stdout)
    return next(r["diagnosis"] for r in judged["resources"] if r["host"] == "10.77.1.2")


def strangers_off(r):
    """By how much of the gain said the gain got is off."""
    return (r["got"] - r["said"]) / (r["said"] - r["before"])


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("contraflow", type=pathlib.Path)
    p.add_argument("sources", type=pathlib.Path)
    p.add_argument("out", type=pathlib.Path)
    p.add_argument("--lines", default=",".join(map(str, range(len(LINES)))))
    p.add_argument("--jobs", type=int, default=1)
    a = p.parse_args()
    kernel, lines = strangers_kernel(), [int(i) for i in a.lines.split(",")]
    if not kernel:
        raise SystemExit("no kernel of `make linux`")
    with ThreadPoolExecutor(a.jobs) as pool:
        found = list(pool.map(lambda i: strangers_run(kernel, a.contraflow.resolve(), a.sources.resolve(),
                                                      a.out.resolve() / f"line-{i}", LINES[i]), lines))
    print(f"{'Mb/s':>8} {'flows':>6} {'before':>8} {'said':>8} {'got':>8} {'off':>7}  remedy")
    wrong = said = 0
    for i, r in zip(lines, found):
        down, up, _, _, _, n_in, n_out, _ = LINES[i]
        head = f"{f'{down}/{up}':>8} {f'{n_in}/{n_out}':>6}"
        if "why" in r:
            print(f"{head} {r['why']}")
            continue
        off = strangers_off(r)
        wrong += abs(off) > WITHIN
        said += 1
        print(f"{head} {r['before']:8.2f} {r['said']:8.2f} {r['got']:8.2f} {100 * off:+6.0f} %  {r['remedy']}")
    print(f"{said} gains said, {said - wrong} of them got within {100 * WITHIN:.0f} %")
    return 1 if wrong or said < min(ENOUGH, len(lines)) else 0


if __name__ == "__main__":
    sys.exit(main())
