#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures that lack something: those of a corpus as a worse tap would have made them.

    spoil.py FROM TO [--how us,100us,ms,64th,in,out,snap60,snap68,drop5,drop20] [--count N]

FROM is a corpus of emulated.py (pcap). Of each capture TO gets one for each way to spoil it, whose class it is in truth.csv:
stamps cut to that unit; frames to the judged host alone, or from it; that many bytes of each frame; frames without that
percentage of them, drawn one by one. The truth stays what it was: who cannot see it should not say it."""
import argparse
import csv
import gzip
import pathlib
import random
import struct

from truth import truth_capture

UNITS_NS = {"us": 1000, "100us": 100_000, "ms": 1_000_000, "64th": 15_625_000}  # of a second: old Windows clocks
SOURCE = slice(26, 30)  # of an Ethernet frame: its IPv4 source


def spoiled(data, how, host, seed):
    order = "<" if data[:1] in (b"\xd4", b"\x4d") else ">"
    per_s = 10**9 if data[:4] in (b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d") else 10**6
    own, drawn, kept, at = bytes(map(int, host.split("."))), random.Random(seed), [data[:24]], 24
    unit = max(1, UNITS_NS.get(how, 0) * per_s // 10**9)
    while at + 16 <= len(data):
        s, fraction, length, wire = struct.unpack_from(order + "IIII", data, at)
        frame = data[at + 16:at + 16 + length]
        at += 16 + length
        if (how in ("in", "out") and (frame[SOURCE] == own) != (how == "out")) or (
                how.startswith("drop") and drawn.random() < int(how[4:]) / 100):
            continue
        frame = frame[:int(how[4:])] if how.startswith("snap") else frame
        kept.append(struct.pack(order + "IIII", s, fraction // unit * unit, len(frame), wire) + frame)
    return b"".join(kept)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("directory")
    p.add_argument("to", type=pathlib.Path)
    p.add_argument("--how", default="us,100us,ms,64th,in,out,snap60,snap68,drop5,drop20")
    p.add_argument("--count", type=int, help="of the first N captures only")
    o = p.parse_args()
    o.to.mkdir(parents=True, exist_ok=True)
    with open(f"{o.directory}/truth.csv", newline="") as f:
        rows = list(csv.DictReader(f))[:o.count]
    with open(o.to / "truth.csv", "w", newline="") as f:
        w = csv.DictWriter(f, rows[0])
        w.writeheader()
        for row in rows:
            with truth_capture(o.directory, row["name"]) as (path, _):
                with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as g:
                    data = g.read()
            for how in o.how.split(","):
                name = f"{row['name']}-{how}"
                with gzip.GzipFile(o.to / f"{name}.pcap.gz", "wb", 1, mtime=0) as g:
                    g.write(spoiled(data, how, row["host"], name))
                w.writerow({**row, "name": name, "class": how})


if __name__ == "__main__":
    main()
