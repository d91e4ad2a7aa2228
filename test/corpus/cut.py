#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures begun late: those of a corpus without a random share of their first frames.

    cut.py FROM TO [--places 5] [--seed 1] [--class NAME]

FROM is a corpus of linux.py or emulated.py; each of its captures is cut at so many places (5 to 60 % of its frames).
truth.csv in TO has the truth of the whole run, of class "cut", for the cuts that leave at least half of the judged
phase. That is the truth of what remains only as far as the phase is steady: emulated.py --cut makes captures whose
truth is their own."""
import argparse
import csv
import gzip
import pathlib
import random
import shutil
import struct

from truth import truth_capture

CUT = 0.05, 0.6  # share of its frames that a capture begun late lacks
LEFT = 0.5  # of the judged phase, at least


def cut_pcap(data, share):
    """(a pcap file without that share of its first frames, time of the first frame, of the first that is left, s)"""
    order = "<" if data[:1] in (b"\xd4", b"\x4d") else ">"
    unit = 1e-9 if data[:4] in (b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d") else 1e-6
    starts, times, at = [], [], 24
    while at + 16 <= len(data):
        s, fraction, kept, _ = struct.unpack_from(order + "IIII", data, at)
        starts.append(at)
        times.append(s + fraction * unit)
        at += 16 + kept
    first = int(share * len(starts))
    return data[:24] + data[starts[first]:], times[0], times[first]


def cut_pcapng(data, share):
    """Likewise; times of 64 bits in microseconds or, where the interface says so, nanoseconds."""
    blocks, at, unit = [], 0, 1e-6
    while at + 12 <= len(data):
        kind, size = struct.unpack_from("<II", data, at)
        blocks.append((kind, data[at:at + size]))
        if kind == 1 and struct.pack("<HHB", 9, 1, 9) in data[at:at + size]:
            unit = 1e-9
        at += size
    frames = [b for k, b in blocks if k == 6]
    times = [(hi << 32 | lo) * unit for hi, lo in (struct.unpack_from("<II", b, 12) for b in frames)]
    first = int(share * len(frames))
    gone = set(map(id, frames[:first]))
    return b"".join(b for _, b in blocks if id(b) not in gone), times[0], times[first]


def cut_rows(directory, to, row, places, seed):
    """Rows of the cut captures of one."""
    rows = []
    with truth_capture(directory, row["name"]) as (path, _):
        if path is None:
            return []
        with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as f:
            data = f.read()
    ng = data[:4] == b"\x0a\x0d\x0d\x0a"
    for k in range(places):
        share = random.Random(f"{seed}/{row['name']}/{k}").uniform(*CUT)
        kept, first_s, left_s = (cut_pcapng if ng else cut_pcap)(data, share)
        at_s = left_s - first_s
        begin, end = float(row["judged_from_s"]), float(row["judged_to_s"])
        if end - max(begin, at_s) < LEFT * (end - begin):
            continue
        name = f"{row['name']}-{k}"
        with gzip.GzipFile(to / f"{name}.pcap.gz", "wb", 1, mtime=0) as f:
            f.write(kept)
        flows = pathlib.Path(directory, f"{row['name']}.flows.csv")
        if flows.exists():
            shutil.copy(flows, to / f"{name}.flows.csv")
        rows.append({**row, "name": name, "class": "cut", "description": f"{row['class']} less {share:.0%}",
                     "judged_from_s": max(begin - at_s, 0.0), "judged_to_s": end - at_s})
    return rows


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("directory")
    p.add_argument("to", type=pathlib.Path)
    p.add_argument("--places", type=int, default=5)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--class", dest="kind", help="of this class only")
    o = p.parse_args()
    o.to.mkdir(parents=True, exist_ok=True)
    with open(f"{o.directory}/truth.csv", newline="") as f:
        whole = [r for r in csv.DictReader(f) if o.kind in (None, r["class"])]
    rows = [c for r in whole for c in cut_rows(o.directory, o.to, r, o.places, o.seed)]
    with open(o.to / "truth.csv", "w", newline="") as f:
        w = csv.DictWriter(f, whole[0])
        w.writeheader()
        w.writerows(rows)


if __name__ == "__main__":
    main()
