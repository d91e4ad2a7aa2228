#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What does not matter to an answer: when a capture was made, where sequence numbers and stamps begin (both wrap soon after),
what hosts and ports are called. `check`, `explain` and `analyze` say the same of a capture that differs in these alone."""
import gzip
import lzma
import re
import struct

import e2e

# Flows both ways whose ACKs wait, and losses.
CAPTURES = ("captures/fifo-3in-1out.pcap.gz", "corpus/loss-1in-1out-reno-15kB.pcap.xz")
COMMANDS = ("check", "explain", "analyze")
NAMES = {"file", "path", "host", "src", "dst", "display_filter"}
SAME = 1e-6  # of a number, and s: times have ns, and doubles of 1e9 s have 1e-7
ALL = (1 << 32) - 1


def frames(data):
    """(byte order, header, [(seconds, fraction, wire length, bytes)]) of a pcap."""
    order, at, found = "<" if data[:1] in (b"\xd4", b"\x4d") else ">", 24, []
    while at + 16 <= len(data):
        s, fraction, kept, wire = struct.unpack_from(order + "IIII", data, at)
        found.append((s, fraction, wire, data[at + 16:at + 16 + kept]))
        at += 16 + kept
    return order, data[:24], found


class Shift:
    """Sequence numbers and stamps of each flow begin just below where they wrap."""
    def __init__(self):
        self.first, self.stamp = {}, {}

    def tcp(self, packet, at, ends):
        """Changes the segment at `at` of a packet; `ends`: (its sender, its receiver)."""
        seq, ack = struct.unpack_from(">II", packet, at + 4)
        flags = packet[at + 13]
        own = self.first.setdefault(ends, (ALL - 3000 - seq) & ALL)
        peer = self.first.setdefault(ends[::-1], (ALL - 3000 - ack) & ALL) if flags & 16 else 0
        struct.pack_into(">II", packet, at + 4, (seq + own) & ALL, (ack + peer) & ALL if flags & 16 else ack)
        option, end = at + 20, min(at + 4 * (packet[at + 12] >> 4), len(packet))
        while option + 1 < end and packet[option] != 0:
            kind, size = packet[option], packet[option + 1]
            if kind == 1:
                option += 1
                continue
            if kind == 5:
                for edge in range(option + 2, min(option + size, end - 3), 4):
                    value, = struct.unpack_from(">I", packet, edge)
                    struct.pack_into(">I", packet, edge, (value + peer) & ALL)
            elif kind == 8 and option + 10 <= end:
                value, echo = struct.unpack_from(">II", packet, option + 2)
                mine = self.stamp.setdefault(ends[0][0], (ALL - 500 - value) & ALL)
                its = self.stamp.setdefault(ends[1][0], (ALL - 500 - echo) & ALL) if echo else 0
                struct.pack_into(">II", packet, option + 2, (value + mine) & ALL, (echo + its) & ALL)
            option += max(size, 2)


def renamed(packet, at):
    """Hosts 10.x become 172.31.x of another order of bytes, ports others."""
    for where in (at + 12, at + 16):
        packet[where:where + 2] = bytes((172, 31))
    if packet[at + 9] == 6:
        for where in at + 20, at + 22:
            port, = struct.unpack_from(">H", packet, where)
            struct.pack_into(">H", packet, where, port + 1111)


def changed(data, later_s=0, shift=None, rename=False):
    """The pcap with this done to it."""
    order, header, found = frames(data)
    out = []
    for s, fraction, wire, frame in found:
        packet, at = bytearray(frame), 14
        if packet[12:14] == b"\x08\x00":
            if shift and packet[at + 9] == 6:
                hosts = bytes(packet[at + 12:at + 16]), bytes(packet[at + 16:at + 20])
                ports = struct.unpack_from(">HH", packet, at + 20)
                shift.tcp(packet, at + 20, ((hosts[0], ports[0]), (hosts[1], ports[1])))
            if rename:
                renamed(packet, at)
        out.append(struct.pack(order + "IIII", s + later_s, fraction, len(packet), wire) + packet)
    return header + b"".join(out)


class Same(e2e.Case):
    def says(self, data, *options):
        (self.dir / "c.pcap").write_bytes(data)
        return [self.json(command, "c.pcap", *options) for command in COMMANDS]

    def assert_same(self, a, b, where=""):
        """But for names, and numbers that stand in words."""
        key = where.rsplit("/", 1)[-1]
        if isinstance(a, dict):
            self.assertEqual(a.keys(), b.keys(), where)
            for k in a:
                if k not in NAMES:
                    self.assert_same(a[k], b[k], f"{where}/{k}")
        elif isinstance(a, list):
            self.assertEqual(len(a), len(b), where)
            for i, (x, y) in enumerate(zip(a, b)):
                self.assert_same(x, y, f"{where}/{i}")
        elif isinstance(a, float) or isinstance(b, float):
            self.assertIsNotNone(b, where)
            self.assertIsNotNone(a, where)
            self.assertLessEqual(abs(a - b), SAME * max(1, abs(a)), where)
        elif isinstance(a, str):
            plain = [re.sub(r"[\d.]+:\d+|\d+\.\d+\.\d+\.\d+|c\.pcap", "#", text) for text in (a, b)]
            self.assertEqual(*plain, f"{where} {key}")
        else:
            self.assertEqual(a, b, where)

    def captures(self):
        for name in CAPTURES:
            path = e2e.ROOT / "test/data" / name
            with self.subTest(name):
                yield (gzip if path.suffix == ".gz" else lzma).decompress(path.read_bytes())

    def hold(self, **changes):
        for data in self.captures():
            other = changed(data, **{k: v() if callable(v) else v for k, v in changes.items()})
            self.assertNotEqual(other, data)
            self.assert_same(self.says(data), self.says(other))

    def test_when_it_was_captured(self):
        self.hold(later_s=86400 * 365)

    def test_where_numbers_and_stamps_begin(self):
        self.hold(shift=Shift)

    def test_what_hosts_and_ports_are_called(self):
        self.hold(rename=True)


if __name__ == "__main__":
    e2e.main()
