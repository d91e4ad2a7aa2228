# SPDX-License-Identifier: GPL-2.0-or-later
"""Super-segments: the same capture with frames merged as GRO and TSO do, and as they passed, gets the same answer."""
import gzip
import json
import lzma
import struct

import e2e

HOLD_S = 1e-3    # and less after the first: a NIC that moderates interrupts brings them together
MOST = 65535 - 40  # bytes of an IP packet's payload


class Merging:
    """Data segments of a flow that follow each other within HOLD_S, with one ACK and one stamp, become one (what
    Linux's tcp_gro_receive() asks for)."""

    def __init__(self, raw):
        self.order = "<" if raw[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
        self.unit = 1e-9 if raw[:4] in (b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d") else 1e-6
        self.header, self.records, self.pending, self.merged = raw[:24], [], {}, 0
        at = 24
        while at + 16 <= len(raw):
            record = struct.unpack_from(self.order + "IIII", raw, at)
            self.add(list(record), bytearray(raw[at + 16:at + 16 + record[2]]))
            at += 16 + record[2]

    def add(self, record, frame):
        ip = frame[14:]
        self.records.append([record, frame])
        if frame[12:14] != b"\x08\x00" or ip[9] != 6:
            return
        length, words = struct.unpack_from(">H", ip, 2)[0], (ip[0] & 15) * 4
        tcp = ip[words:]
        payload = length - words - (tcp[12] >> 4) * 4
        key, seq = bytes(ip[12:20]) + bytes(tcp[:4]), struct.unpack_from(">I", tcp, 4)[0]
        now = record[0] + record[1] * self.unit
        before = self.pending.get(key)
        if payload <= 0 or tcp[13] & 0x07:
            self.pending.pop(key, None)
            return
        same = bytes(tcp[8:12]) + bytes(tcp[20:(tcp[12] >> 4) * 4])  # the ACK and the options
        if before and before["end"] == seq and before["same"] == same and now - before["from"] < HOLD_S and \
                before["length"] + payload <= MOST:
            del self.records[-1]
            before["length"] += payload
            before["end"] = (seq + payload) & 0xFFFFFFFF
            before["record"][3] += payload
            struct.pack_into(">H", before["frame"], 16, before["length"])
            self.merged += 1
            return
        self.pending[key] = {"end": (seq + payload) & 0xFFFFFFFF, "same": same, "from": now, "length": length,
                             "record": record, "frame": frame}

    def write(self, path):
        with open(path, "wb") as f:
            f.write(self.header)
            for record, frame in self.records:
                f.write(struct.pack(self.order + "IIII", *record) + frame)


class Offloads(e2e.Case):
    def pair(self, name):
        source = e2e.ROOT / name
        raw = (gzip if name.endswith(".gz") else lzma).open(source).read()
        (self.dir / "frames.pcap").write_bytes(raw)
        merging = Merging(raw)
        merging.write(self.dir / "merged.pcap")
        self.assertGreater(merging.merged, 500)
        found = []
        for file in ("frames.pcap", "merged.pcap"):
            resources = json.loads(self.call("check", file, "--json").stdout)["resources"]
            found.append(max(resources, key=lambda r: r["indegree"] + r["outdegree"])["diagnosis"])
        return found

    def agree(self, frames, merged):
        for way in ("in", "out"):
            self.assertEqual(frames["offloads"][way]["longest_bytes"], 0)
        self.assertGreater(merged["offloads"]["in"]["share"], 0.9)
        self.assertEqual((frames["asymmetry"], frames["cause"]), (merged["asymmetry"], merged["cause"]))
        self.assertAlmostEqual(frames["lost_share"]["total"], merged["lost_share"]["total"], delta=0.03)
        for way in ("in", "out"):
            # groups of a dozen segments vote, and merging leaves their ends open; headers not counted would be 4 %
            self.assertAlmostEqual(merged["capacity_bps"][way] / frames["capacity_bps"][way], 1, delta=0.02, msg=way)
            self.assertAlmostEqual(merged["goodput_bps"][way] / frames["goodput_bps"][way], 1, delta=0.01)

    def test_a_fifo_of_50_mb_s(self):
        self.agree(*self.pair("test/data/captures/fifo-2in-1out.pcap.gz"))
        said = self.call("check", "merged.pcap").stdout
        self.assertRegex(said, r"  offloads: 9\d % of the incoming data passed in segments of up to [\d.]+ kB, .*"
                               "ethtool -K DEV tso off gso off gro off lro off\n")
        self.assertNotIn("offloads", self.call("check", "frames.pcap").stdout)

    def test_an_access_line(self):
        self.agree(*self.pair("test/data/corpus/adsl-20-2-1in-1out.pcap.xz"))
