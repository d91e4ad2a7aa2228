# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures at both ends: against what emulation's queues hold, against one end, and with clocks that disagree."""
import csv
import pathlib
import struct

import e2e

ACK_FIRST = ("network.nic.queue=ack-first", "network.switch.queue=ack-first")
HOUR = 3600


def records(path):
    """(seconds, nanoseconds, lengths, bytes) of a nanosecond pcap of this machine's byte order."""
    data = pathlib.Path(path).read_bytes()
    assert struct.unpack("=I", data[:4])[0] == 0xA1B23C4D
    at = 24
    while at < len(data):
        seconds, ns, captured, wire = struct.unpack_from("=IIII", data, at)
        yield seconds, ns, (captured, wire), data[at + 16:at + 16 + captured]
        at += 16 + captured


def pure_acks(path, source):
    """Frames from this address that are ACKs without payload."""
    address = bytes(map(int, source.split(".")))
    for _, _, _, b in records(path):
        payload = int.from_bytes(b[16:18], "big") - 20 - (b[46] >> 4) * 4
        if b[26:30] == address and b[47] == 0x10 and payload == 0:
            yield b


class Case(e2e.Case):
    def star(self, *sets, hosts=(0, 1, 2, 3)):
        taps = "capture=[" + ", ".join(f"{{at: h{i}, snaplen: 96}}" for i in hosts) + "]"
        self.run_scenario(e2e.ROOT / "scenarios/star.yaml", "tcp.initial_window=10", "duration=1s", "warmup=500ms",
                          taps, *sets)

    def ends(self, a, b, status=0):
        return self.json("explain", "--both-ends", f"out/{a}.pcap", f"out/{b}.pcap", status=status)

    def flow(self, a, b):
        """The only one that passes from host a to host b, captured at both."""
        flow, = self.ends(a, b)["both_ends"]
        self.assertEqual((flow["sender"], flow["receiver"]), (f"out/{a}.pcap", f"out/{b}.pcap"))
        return flow

    def one_end(self, host, src):
        return next(f for f in self.json("explain", f"out/{host}.pcap")["flows"] if f["src"] == src)

    def queue_s(self, port):
        """Mean wait in a queue of 1 Gb/s over the whole run, from queues.csv."""
        with open(self.dir / "out/queues.csv", newline="") as f:
            rows = [(float(r["time_s"]), int(r["depth_bytes"])) for r in csv.DictReader(f) if r["port"] == port]
        area = sum(d * (rows[i + 1][0] - t) for i, (t, d) in enumerate(rows[:-1])) + rows[-1][1] * (1 - rows[-1][0])
        return area * 8 / 1e9

    def change(self, name, to, ahead_s=0, drift=0.0, unit_ns=1):
        """A capture by another clock: ahead, faster, coarser."""
        head = bytearray((self.dir / f"out/{name}.pcap").read_bytes()[:24])
        if unit_ns == 1000:
            head[:4] = struct.pack("=I", 0xA1B2C3D4)
        with open(self.dir / f"out/{to}.pcap", "wb") as f:
            f.write(head)
            for seconds, ns, lengths, frame in records(self.dir / f"out/{name}.pcap"):
                t = seconds * 10**9 + ns
                t += ahead_s * 10**9 + int(drift * t)
                f.write(struct.pack("=IIII", t // 10**9, t % 10**9 // unit_ns, *lengths) + frame)


class Emulated(Case):
    def test_acks_that_queue_between_the_taps_wait_and_are_compressed(self):
        self.star()
        out = self.flow("h0", "h3")
        port = self.queue_s("sw0-h0")
        self.assertAlmostEqual(out["ack_wait_s"] / port, 1, delta=0.1)
        self.assertLess(out["data_wait_s"], 0.001)
        self.assertGreater(out["compressed_share"], 0.1)
        self.assertEqual(out["lost_acks"], 0)
        self.assertGreater(out["acks"], 10000)
        one = self.one_end("h0", out["src"])
        self.assertLess(abs(one["ack_share"] - out["ack_share"]), 0.1)
        self.assertLess(abs(one["compressed_share"] - out["compressed_share"]), 0.15)
        # beside the receiver, the ACKs have not queued yet
        self.assertLess(self.one_end("h3", out["src"])["compressed_share"], 0.02)
        for host in ("h1", "h2"):
            into = self.flow(host, "h0")
            self.assertAlmostEqual(into["data_wait_s"] / port, 1, delta=0.1)
            self.assertLess(into["ack_wait_s"], 0.0005)
            self.assertLess(into["compressed_share"], 0.02)
            self.assertLess(abs(self.one_end(host, into["src"])["ack_share"] - into["ack_share"]), 0.1)

    def test_acks_first_neither_wait_nor_are_compressed(self):
        for sets, last in (((), 3), (("traffic.star.incoming=1",), 2)):
            self.star(*ACK_FIRST, *sets, hosts=(0, 1, last))
            for a, b in (("h1", "h0"), ("h0", f"h{last}")):
                flow = self.flow(a, b)
                self.assertLess(flow["compressed_share"], 0.01)
                self.assertLess(flow["ack_wait_s"], 0.0005)
                self.assertLess(flow["hold_s"], 0.0005)

    def test_what_waits_in_a_hosts_own_queue_is_not_between_the_taps(self):
        self.star("traffic.star={incoming: 1, outgoing: 2}")
        into, nic = self.flow("h1", "h0"), self.queue_s("h0")
        self.assertGreater(nic, 0.01)
        self.assertLess(into["ack_wait_s"], 0.001)
        self.assertAlmostEqual(into["hold_s"] / nic, 1, delta=0.15)
        self.assertAlmostEqual(into["ack_share"], into["ack_wait_s"] / (
            into["base_s"] + into["data_wait_s"] + into["ack_wait_s"] + into["hold_s"]), delta=1e-6)
        self.assertAlmostEqual(self.one_end("h1", into["src"])["ack_wait_s"] / nic, 1, delta=0.15)
        out = self.flow("h0", "h2")
        self.assertLess(out["data_wait_s"], 0.001)
        self.assertAlmostEqual(self.one_end("h0", out["src"])["data_wait_s"] / nic, 1, delta=0.15)
        text = " ".join(self.good("help", "explain").stdout.split())
        self.assertIn("Linux shows them to tcpdump after the queue discipline", text)
        self.assertIn("So two taps miss what waits there: data at their sender, ACKs at the receiver", text)

    def test_lost_acks_are_counted(self):
        self.star("network.switch.limit=100kB", "traffic.star.incoming=10", "tcp.initial_window=warm", hosts=(0, 11))
        out = self.flow("h0", "h11")
        arrived = set(pure_acks(self.dir / "out/h0.pcap", "10.0.0.12"))
        came = [frame in arrived for frame in pure_acks(self.dir / "out/h11.pcap", "10.0.0.12")]
        while not came[-1]:
            came.pop()  # still under way at the end
        self.assertEqual((out["acks"], out["lost_acks"]), (came.count(True), came.count(False)))
        self.assertGreater(out["lost_acks"], 50)


class Clocks(Case):
    KEYS = ("src", "dst", "data", "acks", "lost_acks", "ack_groups", "compressed")
    TIMES = ("base_s", "data_wait_s", "ack_wait_s", "hold_s")

    def test_clocks_need_not_agree_nor_the_files_come_in_order(self):
        self.star()
        plain = self.flow("h0", "h3")
        self.change("h3", "ahead", ahead_s=HOUR)
        for a, b in (("h0", "ahead"), ("ahead", "h0")):
            both = self.ends(a, b)
            flow, = both["both_ends"]
            self.assertEqual(flow["sender"], "out/h0.pcap")
            for key in self.KEYS:
                self.assertEqual(flow[key], plain[key], key)
            for key in self.TIMES:
                self.assertAlmostEqual(flow[key], plain[key], delta=1e-9, msg=key)
            self.assertEqual((both["drift"], both["resolution_s"]), (0, [1e-9, 1e-9]))

    def test_drift_is_taken_off(self):
        # windows too small to queue for long: the minima of both ways stay where they are
        self.star("traffic.star={incoming: 1, outgoing: 1}", "tcp.window=10kB", hosts=(0, 1, 2))
        plain = self.flow("h0", "h2")
        self.change("h2", "drifts", ahead_s=HOUR, drift=200e-6)
        both = self.ends("h0", "drifts")
        flow, = both["both_ends"]
        self.assertAlmostEqual(both["drift"], 200e-6, delta=10e-6)
        self.assertLess(abs(flow["data_wait_s"] - plain["data_wait_s"]), 10e-6)  # of 200 us
        self.assertLess(abs(flow["ack_wait_s"] - plain["ack_wait_s"]), 10e-6)
        self.assertIn("gains 200", self.good("explain", "--both-ends", "out/h0.pcap", "out/drifts.pcap").stdout)

    def test_resolution_is_the_files(self):
        self.star()
        plain = self.flow("h0", "h3")
        self.change("h3", "coarse", unit_ns=1000)
        both = self.ends("h0", "coarse")
        flow, = both["both_ends"]
        self.assertEqual((both["resolution_s"], flow["acks"]), ([1e-9, 1e-6], plain["acks"]))
        self.assertAlmostEqual(flow["ack_wait_s"], plain["ack_wait_s"], delta=2e-6)


class BadInput(Case):
    def test_a_line_or_an_answer(self):
        self.star(hosts=(0, 1, 2))
        self.bad(2, ("1 files given", "takes two"), "explain", "--both-ends", "out/h0.pcap")
        self.bad(2, ("3 files given", "takes two"), "explain", "--both-ends", *["out/h0.pcap"] * 3)
        self.bad(2, "nothere.pcap", "explain", "--both-ends", "out/h0.pcap", "nothere.pcap")
        self.bad(2, ("out", "directory"), "explain", "--both-ends", "out/h0.pcap", "out")
        self.bad(2, ("-", "not a pipe"), "explain", "--both-ends", "-", "out/h0.pcap",
                 input=(self.dir / "out/h1.pcap").read_bytes().decode("latin-1"), encoding="latin-1")
        same = self.good("explain", "--both-ends", "out/h0.pcap", "out/h0.pcap", status=1)
        self.assertIn("no transit between them shows", same.stderr)
        self.assertIn("no bulk TCP flow passes from one to the other", same.stderr)
        self.assertEqual(self.ends("h1", "h2", status=1)["both_ends"], [])
