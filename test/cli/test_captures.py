# SPDX-License-Identifier: GPL-2.0-or-later
"""Real Linux TCP: bytes as tshark read them off, goodput as iperf3 saw it, and the verdict."""
import csv
import gzip
import lzma
import struct

import e2e

CAPTURES = e2e.ROOT / "test/data/captures"


def rows(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(line for line in f if not line.startswith("#")))


class Real(e2e.Case):
    def flows_of(self, name):
        return {(f["src"], f["dst"]): f for f in self.json("analyze", CAPTURES / f"{name}.pcap.gz")["flows"]}

    def check(self, name):
        flows = self.flows_of(name)
        wire = rows(CAPTURES / f"{name}.wire.csv")
        self.assertEqual(len(flows), len(wire))
        for row in wire:
            flow = flows[f"{row['src']}:{row['sport']}", f"{row['dst']}:{row['dport']}"]
            self.assertEqual(flow["payload_bytes"], int(row["unique_payload_bytes"]), row)
            self.assertEqual(flow["seen_payload_bytes"], int(row["seen_payload_bytes"]), row)
            span = float(row["last_data_s"]) - float(row["first_data_s"])
            self.assertAlmostEqual(flow["goodput_bps"] / (8 * int(row["unique_payload_bytes"]) / span), 1, delta=1e-3)
        for row in rows(CAPTURES / f"{name}.truth.csv"):
            flow = flows[f"{row['src']}:{row['sport']}", f"{row['dst']}:{row['dport']}"]
            self.assertAlmostEqual(flow["goodput_bps"] / float(row["received_bps"]), 1, delta=0.03, msg=row)
        return flows

    def verdict(self, name):
        found = self.json("check", CAPTURES / f"{name}.pcap.gz")["resources"]
        return next(r for r in found if r["host"] == "10.9.0.1")

    def test_fifo_obeys_eq6(self):
        self.check("fifo-2in-1out")
        resource = self.verdict("fifo-2in-1out")
        self.assertEqual((resource["indegree"], resource["outdegree"]), (2, 1))
        self.assertTrue(resource["rules"]["eq6"]["holds"])
        self.assertFalse(resource["rules"]["eq5"]["holds"])
        self.assertEqual(resource["verdict"], "eq6")

    def test_acks_first_breaks_eq6(self):
        self.check("ackprio-2in-1out")
        resource = self.verdict("ackprio-2in-1out")
        self.assertFalse(resource["rules"]["eq6"]["holds"])
        self.assertEqual(resource["verdict"], "eq5")

    def test_shallow_buffers_are_named_a_loss_regime(self):
        flows = self.check("shallow-2in-1out")
        resource = self.verdict("shallow-2in-1out")
        self.assertEqual(resource["verdict"], "loss")
        # the tap is at the outgoing flow's sender: the kernel's own count, exactly
        outgoing = next(r for r in rows(CAPTURES / "shallow-2in-1out.truth.csv") if r["direction"] == "out")
        key = f"{outgoing['src']}:{outgoing['sport']}", f"{outgoing['dst']}:{outgoing['dport']}"
        self.assertEqual(flows[key]["retransmitted_segments"], int(outgoing["retransmits"]))

    def columns(self, said):
        """Rows of a table by their flow, and its rates."""
        lines = [line.split("  ") for line in said.splitlines()]
        lines = [[cell.strip() for cell in line if cell.strip()] for line in lines]
        head = next(line for line in lines if line[:2] == ["from", "to"])
        return {tuple(line[:2]): {name: float(cell) for name, cell in zip(head, line) if name.endswith("Mb/s")}
                for line in lines if len(line) == len(head) and line != head}

    def test_iperf3_s_own_figure_is_found_among_ours(self):
        """Bytes that its receiver got, over its time, beside whole Mb/s; the steady part may be another rate by far."""
        apart = 0
        for name in "fifo-2in-1out", "fifo-3in-1out", "shallow-2in-1out", "windows-2W-W-W-2in-1out":
            path = CAPTURES / f"{name}.pcap.gz"
            tables = [self.columns(self.call(*command, path).stdout) for command in (("check", "--verbose"), ("explain",),
                                                                                     ("analyze",))]
            for row in rows(CAPTURES / f"{name}.truth.csv"):
                flow = f"{row['src']}:{row['sport']}", f"{row['dst']}:{row['dport']}"
                own = float(row["received_bps"]) / 1e6
                for table in tables:
                    self.assertAlmostEqual(table[flow]["whole Mb/s"] / own, 1, delta=0.02, msg=(name, flow))
                    self.assertEqual(table[flow], tables[0][flow])
                apart += abs(tables[0][flow]["steady Mb/s"] / own - 1) > 0.1
        self.assertGreater(apart, 2)

    def test_the_answer_is_right_about_each(self):
        """Wherever the tap is: beside the shaper bursts pass it faster than the link."""
        for name, answer in {"ackprio-2in-1out": "no", "shallow-2in-1out": "no", "fifo-2in-1out": "yes",
                             "fifo-3in-1out": "yes", "fifo-cubic-2in-1out": "yes", "windows-2W-W-W-2in-1out": "yes",
                             "wire-fifo-1in-2out": "yes"}.items():
            diagnosis = self.verdict(name)["diagnosis"]
            self.assertEqual(diagnosis["asymmetry"], answer, name)

    def test_a_capture_that_begins_late_says_no_other_thing(self):
        """Less its first 10 to 50 % of frames the queue stands from the first on; ACKs first would still bring what iperf3
        measured as lost of the whole: 1 - (46.1 + 22.8) / (46.1 + 45.7) = 25 %, give or take 1 %. Whether the lone sender
        is held by a window does not show in all of them, as no handshake tells the scale of what it is offered: then
        nobody can tell, and the interval has the truth in it."""
        whole = gzip.decompress((CAPTURES / "fifo-2in-1out.pcap.gz").read_bytes())
        starts, at = [], 24
        while at + 16 <= len(whole):
            starts.append(at)
            at += 16 + struct.unpack_from("<I", whole, at + 8)[0]
        for share in (0.1, 0.3, 0.5):
            (self.dir / "late.pcap").write_bytes(whole[:24] + whole[starts[int(share * len(starts))]:])
            said = self.json("check", "late.pcap")["resources"][0]["diagnosis"]
            self.assertIn(said["asymmetry"], ("yes",) if share == 0.5 else ("yes", "unknown"), share)
            self.assertGreater(said["probability"], 0.5)
            lost = said["lost_share"]
            self.assertLess(abs(lost["total"] - 0.25), 0.01 + lost["ci95"], share)

    def test_a_capture_of_less_than_two_round_trips_tells_nothing(self):
        """250 ms of the same, whose round trip takes 181 ms, from any time on; 2 s are enough."""
        whole = gzip.decompress((CAPTURES / "fifo-2in-1out.pcap.gz").read_bytes())
        records, at = [], 24
        while at + 16 <= len(whole):
            s, us, captured = struct.unpack_from("<III", whole, at)
            records.append((s + us * 1e-6, whole[at:at + 16 + captured]))
            at += 16 + captured
        for start, length in ((1, 0.25), (2, 0.25), (3, 0.25), (2, 2)):
            kept = [r for t, r in records if start <= t - records[0][0] < start + length]
            (self.dir / "short.pcap").write_bytes(whole[:24] + b"".join(kept))
            said = self.json("check", "short.pcap")["resources"][0]["diagnosis"]
            self.assertEqual(said["asymmetry"], "yes" if length == 2 else "unknown", said["why"])
            self.assertEqual("of their round trips" in said["why"], length < 2)

    @staticmethod
    def clocked(whole, shown_us):
        """The same frames in their order, each with the stamp that the capturing clock shows at its time, us from the first."""
        out, at, first = bytearray(whole[:24]), 24, None
        while at + 16 <= len(whole):
            s, us, captured, wire = struct.unpack_from("<IIII", whole, at)
            first = s * 10**6 + us if first is None else first
            t = first + shown_us(s * 10**6 + us - first)
            out += struct.pack("<IIII", t // 10**6, t % 10**6, captured, wire) + whole[at + 16:at + 16 + captured]
            at += 16 + captured
        return bytes(out)

    def test_a_clock_that_is_set_meanwhile_is_told(self):
        """NTP sets it, by 50 ms and more, or the machine slept: the hosts' own timestamps show that nothing else did."""
        whole = gzip.decompress((CAPTURES / "fifo-2in-1out.pcap.gz").read_bytes())
        for step_us in (50_000, -50_000, 500_000, -500_000, 60_000_000, -3_600_000_000):
            set_us = lambda t: t + (step_us if t > 2_000_000 else 0)
            (self.dir / "set.pcap").write_bytes(self.clocked(whole, set_us))
            said = self.json("check", "set.pcap")["resources"][0]["diagnosis"]
            self.assertEqual((said["asymmetry"], said["cause"]), ("unknown", "clock_set"), step_us)

    def test_a_clock_of_another_pace_changes_nothing(self):
        """As of NTP's slew, 500 ppm, which is 2 ms in 4 s; ACKs wait for 180."""
        whole = gzip.decompress((CAPTURES / "fifo-2in-1out.pcap.gz").read_bytes())
        for ppm in (500, -500):
            (self.dir / "fast.pcap").write_bytes(self.clocked(whole, lambda t: t + t * ppm // 10**6))
            said = self.json("check", "fast.pcap", status=1)["resources"][0]["diagnosis"]
            self.assertEqual(said["asymmetry"], "yes")
            self.assertAlmostEqual(said["lost_share"]["total"], 0.24, delta=0.01)

    def test_settled_part_is_judged_not_the_slow_start(self):
        """One outgoing flow ramps up for 1.25 s of 4 s; taken whole it has 12 Mb/s, settled 15."""
        self.check("fifo-3in-1out")
        resource = self.verdict("fifo-3in-1out")
        self.assertEqual(resource["verdict"], "eq6")
        self.assertGreater(resource["steady_start_s"], 1)
        self.assertEqual(self.verdict("wire-fifo-1in-2out")["verdict"], "eq6")

    def test_windows_are_read_off_the_capture_wherever_the_tap(self):
        """For iperf3 -w 500K the receivers advertise 524288 bytes at most, for 250K half of that, and a deep FIFO keeps
        all of it in flight. Two of the flows are seen at their receiver, one at its sender."""
        resource = self.verdict("windows-2W-W-W-2in-1out")
        self.assertEqual(resource["verdict"], "window")
        windows = sorted((f["direction"], f["window_bytes"]) for f in resource["flows"])
        for (_, found), buffers in zip(windows, (262144, 524288, 262144)):
            self.assertAlmostEqual(found / buffers, 1, delta=0.02)
        self.assertLess(resource["rules"]["window"]["max_rel_error"], 0.02)

    def test_growing_windows_obey_the_window_law_too(self):
        resource = self.verdict("fifo-cubic-2in-1out")
        self.assertEqual(resource["verdict"], "window")
        self.assertFalse(resource["rules"]["eq6"]["holds"])

    def test_frames_cut_before_their_headers_end_are_told(self):
        whole = gzip.decompress((CAPTURES / "fifo-2in-1out.pcap.gz").read_bytes())
        (self.dir / "cut.pcap").write_bytes(whole[:24] + self.cut(whole[24:2_000_000], 40))
        done = self.good("analyze", "cut.pcap", "--json")
        self.assertIn("cut before the end of their TCP header", done.stderr)

    def test_frames_cut_within_their_headers_tell_nothing(self):
        """66 bytes are Ethernet's, IPv4's, TCP's and its timestamps': of 64 every stamp lacks half."""
        whole = gzip.decompress((CAPTURES / "fifo-2in-1out.pcap.gz").read_bytes())
        for snaplen in (54, 64, 66):
            (self.dir / "short.pcap").write_bytes(whole[:24] + self.cut(whole[24:], snaplen))
            said = self.json("check", "short.pcap")["resources"][0]["diagnosis"]
            self.assertEqual((said["asymmetry"], said["cause"]),
                             ("yes", "acks_behind_data") if snaplen == 66 else ("unknown", "headers_cut"), snaplen)

    @staticmethod
    def cut(records, snaplen):
        out, at = bytearray(), 0
        while at + 16 < len(records):
            seconds, fraction, captured, wire = struct.unpack_from("<IIII", records, at)
            frame = records[at + 16:at + 16 + captured]
            if len(frame) < captured:
                break
            out += struct.pack("<IIII", seconds, fraction, min(captured, snaplen), wire) + frame[:snaplen]
            at += 16 + captured
        return out

    def test_copies_are_those_of_the_shared_folder(self):
        shared = e2e.ROOT.parent / "shared/captures"
        if not shared.exists():
            self.skipTest("no shared folder beside the checkout")
        for path in sorted(shared.glob("*.pcap")):
            self.assertEqual(gzip.decompress((CAPTURES / (path.name + ".gz")).read_bytes()), path.read_bytes())

class Beside(e2e.Case):
    """What ss and tc said at the captured host meanwhile (test/data/beside/README.md)."""
    DATA = e2e.ROOT / "test/data/beside"

    def diagnosis(self, name, *options, status=0):
        found = self.json("check", self.DATA / f"{name}.pcap.gz", *options, status=status)["resources"]
        return next(r for r in found if r["host"] == "10.80.0.1")["diagnosis"]

    def test_senders_that_flood_are_no_applications_that_send_no_more(self):
        alone = self.diagnosis("upload")
        self.assertEqual((alone["asymmetry"], alone["cause"]), ("no", "application"))  # what a capture alone looks like
        ss, tc = self.DATA / "upload.ss.txt", self.DATA / "upload.tc.txt"
        self.assertEqual(self.diagnosis("upload", "--ss", ss)["cause"], "window")
        both = self.diagnosis("upload", "--ss", ss, "--qdisc", tc)
        self.assertEqual((both["asymmetry"], both["cause"]), ("no", "one_way"))  # its own shaper is full
        # 2 Mb/s of tc's, whose frames were 998031 bytes in 678 packets: 24 more each on the wire
        self.assertAlmostEqual(both["capacity_bps"]["out"], 2e6 * (998031 + 24 * 678) / 998031, delta=1)
        self.assertIsNone(both["capacity_bps"]["in"])  # not that of a shaper of the other direction

    def test_a_download_that_waits_in_the_uplink_s_shaper_is_told(self):
        self.assertEqual(self.diagnosis("both")["asymmetry"], "unknown")
        told = self.diagnosis("both", "--ss", self.DATA / "both.ss.txt", "--qdisc", self.DATA / "both.tc.txt")
        self.assertEqual(told["asymmetry"], "yes")

    def test_an_application_that_says_so_is_one(self):
        text = (self.DATA / "both.ss.txt").read_text().replace(" notsent:", " app_limited x:")
        told = self.diagnosis("both", "--ss", self.write("idle.ss", text))
        self.assertNotEqual(told["asymmetry"], "yes")

    def test_a_moment_is_not_all_of_the_time(self):
        """An application that pauses for 20 ms after every ten segments, with data to send when ss looked."""
        pauses = ", ".join(f"20ms after {14480 * k}B" for k in range(1, 100))
        self.write("idle.yaml", f"""
network: {{topology: star, hosts: 3, link: {{rate: 100Mbps, delay: 1ms}}}}
duration: 1500ms
warmup: 500ms
traffic: {{flows: [{{from: h0, to: h1, window: 300kB, pauses: [{pauses}]}}, {{from: h2, to: h0, window: 300kB}}]}}
capture: [{{at: h0}}]
""")
        self.run_scenario("idle.yaml")
        flow = next(f for f in self.json("analyze", "out/h0.pcap")["flows"] if f["src"].startswith("10.0.0.1:"))
        ss = self.write("flood.ss", f"ESTAB 0 9000 {flow['src']} {flow['dst']}\n\t cwnd:10 unacked:10 notsent:9000\n")
        found = self.json("check", "out/h0.pcap", "--ss", ss, status=1)["resources"]  # rates that obey no rule
        told = next(r for r in found if r["host"] == "10.0.0.1")
        self.assertEqual(told["diagnosis"]["cause"], "application")
        self.assertEqual([f["limit"] for f in told["flows"] if f["direction"] == "out"], ["application"])

    def test_bad_files_are_named_with_their_lines(self):
        capture, ss = self.DATA / "upload.pcap.gz", self.DATA / "upload.ss.txt"
        self.bad(2, "bad.ss:1: 'no such thing': a socket is wanted", "check", capture, "--ss",
                 self.write("bad.ss", "no such thing\n"))
        self.bad(2, "bad.tc:1: 'Error:': 'qdisc' or 'class' is wanted", "check", capture, "--ss", ss, "--qdisc",
                 self.write("bad.tc", "Error: no dev\n"))
        self.bad(2, "--qdisc", "check", capture, "--qdisc", self.DATA / "upload.tc.txt")
        self.bad(2, "none.ss", "check", capture, "--ss", "none.ss")


class Beside(e2e.Case):
    """20 Mb/s of UDP towards a host that sends TCP (test/data/corpus/udp-in-1out), and the same as QUIC: the first datagram
    begins with a long header of version 1 (RFC 9000, 17.2.2), and all come from port 443."""

    def quic(self, raw):
        out, at, first = bytearray(raw), 24, True
        while at + 16 <= len(raw):
            size = struct.unpack_from("<I", raw, at + 8)[0]
            ip = at + 16 + 14
            if raw[ip - 2:ip] == b"\x08\x00" and raw[ip + 9] == 17 and raw[ip + 20:ip + 22] == struct.pack(">H", 46779):
                struct.pack_into(">H", out, ip + 20, 443)
                if first:
                    out[ip + 28:ip + 33] = b"\xc3\x00\x00\x00\x01"
                first = False
            at += 16 + size
        self.assertFalse(first)
        return bytes(out)

    def test_who_sends_beside_tcp_is_named(self):
        raw = lzma.open(e2e.ROOT / "test/data/corpus/udp-in-1out.pcap.xz").read()
        (self.dir / "udp.pcap").write_bytes(raw)
        (self.dir / "quic.pcap").write_bytes(self.quic(raw))
        for kind, port in (("udp", 46779), ("quic", 443)):
            said = self.good("check", f"{kind}.pcap", status=1).stdout
            self.assertRegex(said, rf"  beside TCP: {kind.upper()} 10\.9\.10\.2:{port} > 10\.9\.1\.2:5201: 19\.\d+ Mb/s in .*"
                                   r"; ACKs of outgoing TCP data wait 12\d\.\d ms in the queue that it passes")
            self.assertEqual("encrypted" in said, kind == "quic")
            beside = self.json("check", f"{kind}.pcap", status=1)["resources"][0]["diagnosis"]["beside"]
            self.assertEqual([(b["kind"], b["direction"]) for b in beside], [(kind, "in")])
            self.assertGreater(beside[0]["share"], 0.9)
