#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures that lack something: those of a corpus as a worse tap would have made them.

    spoil.py FROM TO [--how us,100us,ms,64th,in,out,snap60,snap68,drop5,drop20,tenth,fiftieth,twice,
                        set-2s,set-10ms,set10ms,set2s,slew-500,slew100,slew500,ticks,peersticks,
                        polled100us,polled1ms,unstamped] [--count N]

FROM is a corpus of emulated.py (pcap). Of each capture TO gets one for each way to spoil it, whose class it is in truth.csv:
stamps cut to that unit; frames to the judged host alone, or from it; that many bytes of each frame; frames without that
percentage of them, drawn one by one; that part of its time alone, from any place after its first fifth on; each frame twice,
some microseconds apart, as a bridge shows it to a tap of all its ports; by a clock that NTP sets by so much in its middle third,
or slews by so many ppm, in their order; with TCP timestamps that move on every 15.625 ms, as Windows' clock does: of all hosts,
or of the judged host's peers alone; stamped when a NIC hands over what came within so long, 300 ns apart; without TCP timestamps, as
hosts with Windows have it. The truth stays what it was: who cannot see it should not say it."""
import argparse
import csv
import gzip
import pathlib
import random
import struct

from truth import truth_capture

UNITS_NS = {"us": 1000, "100us": 100_000, "ms": 1_000_000, "64th": 15_625_000}  # of a second: old Windows clocks
SOURCE = slice(26, 30)  # of an Ethernet frame: its IPv4 source


PARTS = {"tenth": 0.1, "fiftieth": 0.02}
TWICE_NS = (2000, 60000)
LATE_NS = 10**10
POLLED_NS = 300
TICK_MS = 15.625  # of Windows


def stretch(records, part, drawn):
    """Of (ns, wire bytes, frame), in order of time."""
    begin, end = records[0][0], records[-1][0]
    at = begin + (end - begin) * (0.2 + drawn.random() * (0.8 - part))
    return [r for r in records if at <= r[0] <= at + part * (end - begin)]


def again(records, drawn):
    apart = drawn.uniform(*TWICE_NS)
    return sorted(records + [(ns + int(apart * drawn.uniform(0.7, 1.3)), wire, frame) for ns, wire, frame in records],
                  key=lambda r: r[0])


def clocked(records, how, drawn):
    """In their order, whatever the clock shows."""
    begin, end = records[0][0], records[-1][0]
    if how.startswith("slew"):
        return [(begin + int((ns - begin) * (1 + int(how[4:]) * 1e-6)), wire, frame) for ns, wire, frame in records]
    by_ns = int(how[3:-2]) * 10**6 if how.endswith("ms") else int(how[3:-1]) * 10**9
    at = begin + (end - begin) * drawn.uniform(1 / 3, 2 / 3)
    late_ns = LATE_NS if by_ns < 0 else 0  # the emulation begins at 0, before which no file has stamps
    return [(ns + late_ns + (by_ns if ns >= at else 0), wire, frame) for ns, wire, frame in records]


def polled(records, how, own):
    """Each way for itself: what comes within that time of the first, at its end."""
    wait_ns = int(how[6:-2]) * (1000 if how.endswith("us") else 10**6)
    due, seen, shown = {}, {}, []
    for ns, wire, frame in records:
        way = frame[SOURCE] == own
        if ns > due.get(way, -1):
            due[way], seen[way] = ns + wait_ns, 0
        shown.append((due[way] + seen[way] * POLLED_NS, wire, frame))
        seen[way] += 1
    return sorted(shown, key=lambda r: r[0])


def timestamps(frame):
    """Where a segment's TSval is (RFC 7323, section 3.2); None: nowhere."""
    if frame[12:14] != b"\x08\0" or frame[23] != 6:
        return None
    at = 14 + (frame[14] & 15) * 4
    end, at = at + (frame[at + 12] >> 4) * 4, at + 20
    while at + 10 <= end and frame[at] != 0:
        if frame[at] == 8:
            return at + 2
        at += 1 if frame[at] == 1 else max(2, frame[at + 1])
    return None


def ticked(frame, own, peers):
    """Of a host's clock: its own TSval, and what others echo of it."""
    at = timestamps(frame)
    if at is None:
        return frame
    sent = frame[SOURCE] == own
    stamp = [int(int(v / TICK_MS) * TICK_MS) if not (peers and (sent == (i == 0))) else v
             for i, v in enumerate(struct.unpack(">II", frame[at:at + 8]))]
    return frame[:at] + struct.pack(">II", *stamp) + frame[at + 8:]


def unstamped(frame):
    """As long as it was: Windows' segments have the room for data."""
    at = timestamps(frame)
    return frame if at is None else frame[:at - 2] + b"\x01" * 10 + frame[at + 8:]


def read(data):
    """(order of bytes, stamps a second, (ns, wire bytes, frame) of each) of a pcap file."""
    order = "<" if data[:1] in (b"\xd4", b"\x4d") else ">"
    per_s = 10**9 if data[:4] in (b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d") else 10**6
    header, unit_ns, records, at = struct.Struct(order + "IIII").unpack_from, 10**9 // per_s, [], 24
    while at + 16 <= len(data):
        s, fraction, length, wire = header(data, at)
        records.append((s * 10**9 + fraction * unit_ns, wire, data[at + 16:at + 16 + length]))
        at += 16 + length
    return order, per_s, records


def spoiled(head, order, per_s, records, how, host, seed):
    """The file, of which `head` is the first 24 bytes."""
    own, drawn = bytes(map(int, host.split("."))), random.Random(seed)
    if how in PARTS:
        records = stretch(records, PARTS[how], drawn)
    elif how == "twice":
        records = again(records, drawn)
    elif how.startswith(("set", "slew")):
        records = clocked(records, how, drawn)
    elif how.startswith("polled"):
        records = polled(records, how, own)
    elif how in ("in", "out"):
        records = [r for r in records if (r[2][SOURCE] == own) == (how == "out")]
    elif how.startswith("drop"):
        share = int(how[4:]) / 100
        records = [r for r in records if drawn.random() >= share]
    elif how.startswith("snap"):
        most = int(how[4:])
        records = [(ns, wire, frame[:most]) for ns, wire, frame in records]
    elif how.endswith("ticks"):
        records = [(ns, wire, ticked(frame, own, how == "peersticks")) for ns, wire, frame in records]
    elif how == "unstamped":
        records = [(ns, wire, unstamped(frame)) for ns, wire, frame in records]
    header, tick_ns, kept = struct.Struct(order + "IIII").pack, 10**9 // per_s, [head]
    unit_ns = max(tick_ns, UNITS_NS.get(how, 0))
    for ns, wire, frame in records:
        s, fraction = divmod(ns - ns % unit_ns, 10**9)
        kept += header(s, fraction // tick_ns, len(frame), wire), frame
    return b"".join(kept)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("directory")
    p.add_argument("to", type=pathlib.Path)
    p.add_argument("--how", default="us,100us,ms,64th,in,out,snap60,snap68,drop5,drop20,tenth,fiftieth,twice,"
                   "set-2s,set-10ms,set10ms,set2s,slew-500,slew100,slew500,ticks,peersticks,polled100us,polled1ms,"
                   "unstamped")
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
            there = read(data)
            for how in o.how.split(","):
                name = f"{row['name']}-{how}"
                with gzip.GzipFile(o.to / f"{name}.pcap.gz", "wb", 1, mtime=0) as g:
                    g.write(spoiled(data[:24], *there, how, row["host"], name))
                w.writerow({**row, "name": name, "class": how})


if __name__ == "__main__":
    main()
