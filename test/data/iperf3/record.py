#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What iperf3 3.12 itself writes over paths whose truth is known by experiment (README.md).

    record.py DIRECTORY [NAME...]     of all paths, or of those named: DIRECTORY/NAME.both.json.gz and so on, and a line
                                      of truth.csv

Nothing is changed in a file: its JSON is written without blanks, and packed."""
import csv
import gzip
import json
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "cli"))
import paths  # noqa: E402

PORTS = (5201, 5202)
SECONDS = 20
COMMON = ["iperf3", "-c", "FAR", "--json", "-t", str(SECONDS), "-i", "1", "-l", "8K", "-C", "cubic"]
SS = "access-download"  # of this one also what ss says: blanks at ends of lines are left out
PACE = 0.9  # of what is possible, when both directions keep to a pace


def window(size):
    return {"net/ipv4/tcp_rmem": f"4096 {size} {size}"}


def path(rate_in, rate_out, queue_s, discipline="fifo", delay=0.008, **more):
    """Queues as deep as they last so many seconds, of a way in and out."""
    loss = more.pop("loss", 0.0)
    ways = {name: paths.way(mbps, max(6000, int(mbps * 1e6 / 8 * s)), discipline, delay, loss)
            for name, mbps, s in (("in", rate_in, queue_s[0]), ("out", rate_out, queue_s[1]))}
    return {**ways, "servers": [["iperf3", "-s", "-p", str(port)] for port in PORTS], **more}


# name: path, options of iperf3, does the truth follow from how the path is made
PATHS = {
    "access-download": (path(14, 1.4, (0.1, 0.6), near=window(250000), far=window(120000)), [], None),
    "access-upload": (path(1.4, 14, (0.6, 0.1), near=window(120000), far=window(250000)), [], None),
    "unequal-windows": (path(9, 9, (0.5, 0.5), near=window(70000), far=window(300000)), [], None),
    "symmetric-deep": (path(8, 8, (0.3, 0.3), delay=0.015), [], None),
    "access-fair": (path(14, 1.4, (0.1, 0.4), "fair"), [], "no"),
    "access-acks-first": (path(14, 1.4, (0.1, 0.4), "ack-first"), [], "no"),
    "lossy": (path(12, 12, (0.1, 0.1), loss=0.01), [], "no"),
    "half-duplex": (path(10, 10, (0.1, 0.1), shared=True), [], "no"),
    "small-windows": (path(14, 14, (0.2, 0.2), delay=0.02, near=window(60000), far=window(60000)), [], "no"),
    "application": (path(10, 10, (0.2, 0.2)), ["-b", "2M"], None),
}


def rate(report, incoming):
    """Of all streams, as their receivers have it."""
    streams = [s["receiver"]["bits_per_second"] for s in report["end"]["streams"] if s["sender"]["sender"] != incoming]
    return sum(streams)


def steady(report, incoming):
    """Mbit/s from the fifth second on, with half its 95 % interval over four pieces."""
    rates = [sum(s["bits_per_second"] for s in i["streams"] if s["sender"] != incoming) / 1e6
             for i in report["intervals"][4:SECONDS]]
    pieces = [sum(rates[i:i + 4]) / 4 for i in range(0, len(rates), 4)]
    mean = sum(pieces) / len(pieces)
    spread = (sum((p - mean) ** 2 for p in pieces) / (len(pieces) - 1) / len(pieces)) ** 0.5
    return mean, 3.182 * spread  # Student's t, 3 degrees of freedom


def samples():
    """Of 'ss -tin' while iperf3 runs, every other second, with their times."""
    text = ""
    for _ in range(SECONDS // 2 - 2):
        time.sleep(2)
        text += subprocess.run(["date", "+%s.%N"], stdout=subprocess.PIPE, text=True).stdout
        text += subprocess.run(["ss", "-tin"], stdout=subprocess.PIPE, text=True).stdout
    return text


def once(far, commands, sockets=None):
    """At the near host: iperf3's reports, of all commands at once; sockets[0] gets what ss says meanwhile."""
    for _ in range(4):
        running = [subprocess.Popen([far if w == "FAR" else w for w in c], stdout=subprocess.PIPE, text=True)
                   for c in commands]
        if sockets is not None:
            sockets[:] = [samples()]
        reports = [json.loads(p.communicate(timeout=4 * SECONDS)[0]) for p in running]
        if not any("error" in r for r in reports):
            return reports
        print(*[r.get("error") for r in reports], file=sys.stderr)
        time.sleep(3)  # a server that is still busy with the test before
    sys.exit("iperf3 fails again and again")


def phases(far, options, only_both):
    """At the near host: name -> report."""
    sockets = []
    reports = {"both": once(far, [[*COMMON, *options, "--bidir"]], sockets)[0]}
    if only_both:
        return reports
    reports["ss"] = sockets[0]
    reports["in"] = once(far, [[*COMMON, *options, "-R"]])[0]
    reports["out"] = once(far, [[*COMMON, *options]])[0]
    alone = [rate(reports["in"], True), rate(reports["out"], False)]
    acks = 90 / 2896  # of the other direction's payload
    pace = [str(int(PACE * max(alone[i] - acks * alone[1 - i], 0.3 * alone[i]))) for i in range(2)]
    if not options:
        both = [[*COMMON, "-p", str(PORTS[0]), "-b", pace[0], "-R"],
                [*COMMON, "-p", str(PORTS[1]), "-b", pace[1]]]
        reports["paced-in"], reports["paced-out"] = once(far, both)
    return reports


def run(way, options, only_both):
    """In namespaces of its own."""
    done = subprocess.run([*paths.SANDBOX, sys.executable, str(HERE / "record.py"), "--inside", json.dumps(way),
                           json.dumps(options), json.dumps(only_both)], capture_output=True, text=True, timeout=400)
    if done.returncode:
        sys.exit(done.stderr[-2000:])
    return json.loads(done.stdout)


def truth(plain, first):
    """As bench_measure.py has it: what ACKs first bring of either direction, or of both together."""
    a, b = ([steady(r, incoming) for incoming in (True, False)] for r in (plain, first))
    gains = [(b[i][0] - a[i][0], (a[i][1] ** 2 + b[i][1] ** 2) ** 0.5, b[i][0], 0.1) for i in range(2)]
    gains.append((sum(g[0] for g in gains), (gains[0][1] ** 2 + gains[1][1] ** 2) ** 0.5, b[0][0] + b[1][0], 0.05))
    if any(gain - error > share * of for gain, error, of, share in gains):
        return "yes"
    if all(gain + error < share * of for gain, error, of, share in gains):
        return "no"
    return "near"


def record(directory, name):
    way, options, known = PATHS[name]
    reports = run(way, options, False)
    first = run({**way, **{k: {**way[k], "discipline": "ack-first"} for k in ("in", "out")}}, options, True)["both"]
    sockets = reports.pop("ss")
    if name == SS:
        (directory / f"{name}.ss.txt").write_text("".join(line.rstrip() + "\n" for line in sockets.splitlines()))
    for phase, report in reports.items():
        with gzip.GzipFile(directory / f"{name}.{phase}.json.gz", "wb", 9, mtime=0) as f:
            f.write((json.dumps(report, separators=(",", ":")) + "\n").encode())
    columns = [f"{steady(r, incoming)[0]:.3f}" for r in (reports["both"], first) for incoming in (True, False)]
    return [name, known or truth(reports["both"], first), *columns]


def main():
    directory = pathlib.Path(sys.argv[1])
    table = directory / "truth.csv"
    rows = {r[0]: r for r in csv.reader(open(table, encoding="utf-8"))} if table.exists() else {}
    rows["name"] = ["name", "truth", "in_mbps", "out_mbps", "in_acks_first_mbps", "out_acks_first_mbps"]
    for name in sys.argv[2:] or PATHS:
        rows[name] = record(directory, name)
        print(*rows[name], flush=True)
        with open(table, "w", newline="", encoding="utf-8") as f:
            csv.writer(f, lineterminator="\n").writerows(rows[n] for n in ["name", *PATHS] if n in rows)


def report_inside(way, options, only_both):
    """In the near host's namespace: paths.inside() ends with the status of this program, called once more."""
    paths.inside(way, None, [sys.executable, str(HERE / "record.py"), "--near", "FAR", json.dumps(options),
                             json.dumps(only_both)], subprocess.DEVNULL)


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        report_inside(*(json.loads(a) for a in sys.argv[2:5]))
    elif sys.argv[1] == "--near":
        print(json.dumps(phases(sys.argv[2], json.loads(sys.argv[3]), json.loads(sys.argv[4]))))
    else:
        main()
