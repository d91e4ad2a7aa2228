# SPDX-License-Identifier: GPL-2.0-or-later
"""A capture into an emulated port, against queues computed here from the capture's own times and lengths."""
import collections
import csv
import fcntl
import functools
import gzip
import json
import math
import random
import signal
import struct
import subprocess
import sys
import termios
import time

import e2e

T0 = 1700000000 * 10**9
ACK, SYN = 16, 2
OUTER = 38  # header, FCS, preamble, gap around what an Ethernet frame carries


@functools.lru_cache(None)
def address(text):
    return bytes(map(int, text.split(".")))


def ip(payload, protocol=6, src="10.0.0.1", dst="10.0.0.2", fragment=0):
    total = 20 + len(payload)
    return struct.pack(">BBHHHBBH", 0x45, 0, total if total < 65536 else 0, 0, fragment, 64, protocol,
                       0) + address(src) + address(dst) + payload


def ethernet(packet, ethertype=0x0800):
    return bytes.fromhex("020000000002020000000001") + struct.pack(">H", ethertype) + packet


def tcp(payload, sport=1, dport=80, flags=ACK, options=b"", **where):
    header = struct.pack(">HHIIBBHHH", sport, dport, 0, 0, (20 + len(options)) * 4, flags, 0, 0, 0)
    return ethernet(ip(header + options + bytes(payload), **where))


def mss(bytes_):
    return b"\2\4" + struct.pack(">H", bytes_)


def write_pcap(path, packets, snaplen=262144, link_type=1, wire=None):
    """packets: (ns, frame). `wire`: the length that each claims."""
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, snaplen, link_type))
        header = struct.Struct("<IIII").pack
        for t, data in packets:
            f.write(header(*divmod(t, 10**9), min(len(data), snaplen), wire or len(data)) + data[:snaplen])


def read_pcap(path):
    """(ns, captured bytes, wire length), by nobody's library."""
    data = gzip.open(path).read() if str(path).endswith(".gz") else open(path, "rb").read()
    magic = struct.unpack_from("<I", data)[0]
    scale = {0xa1b23c4d: 1, 0xa1b2c3d4: 1000}[magic]
    at, packets = 24, []
    while at < len(data):
        s, fraction, n, wire = struct.unpack_from("<IIII", data, at)
        packets.append((s * 10**9 + fraction * scale, data[at + 16:at + 16 + n], wire))
        at += 16 + n
    return packets


def buffer_bytes(wire):
    return max(46, wire - 14) + 18


def service_ps(wire, rate):
    """Exact: the rates of these tests divide."""
    return (buffer_bytes(wire) + 20) * 8 * 10**12 // rate


def tail_drop(arrivals, rate, limit=math.inf, frames=math.inf):
    """Waits in ps (None: dropped) and the deepest queue. arrivals: (ps, wire length). Lindley's recursion where nothing
    is dropped; a frame in the transmitter has left the queue."""
    waits, queued, before, free, peak = [], collections.deque(), 0, 0, (0, 0)
    for t, wire in arrivals:
        while queued and queued[0][0] <= t:
            before -= queued.popleft()[1]
        depth = before + buffer_bytes(wire)
        if depth > limit or len(queued) + 1 > frames:
            waits.append(None)
            continue
        peak = (max(peak[0], depth), max(peak[1], len(queued) + 1))
        start = max(t, free)
        free = start + service_ps(wire, rate)
        queued.append((start, buffer_bytes(wire)))
        before = depth
        waits.append(start - t)
    return waits, peak, free


def lindley(arrivals, rate):
    wait, waits = 0, []
    for i, (t, wire) in enumerate(arrivals):
        if i:
            before, size = arrivals[i - 1]
            wait = max(0, wait + service_ps(size, rate) - (t - before))
        waits.append(wait)
    return waits


def ps(seconds):
    return round(seconds * 1e12)


class Port(e2e.Case):
    def play(self, packets, *options, **kwargs):
        write_pcap(self.dir / "in.pcap", packets, **kwargs)
        return self.json("replay", "in.pcap", *options)

    def random_packets(self, n, gap_ns, seed=1):
        """A flow each: the report then tells every frame's wait."""
        rng, t, packets = random.Random(seed), T0, []
        for i in range(n):
            packets.append((t, tcp(rng.choice((0, 3, 536, 1460)), sport=1000 + i, flags=ACK | 1)))  # FIN: no pure ACK
            t += int(rng.expovariate(1 / gap_ns))
        return packets

    def arrivals(self, packets):
        return [((t - packets[0][0]) * 1000, len(frame)) for t, frame in packets]

    def waits(self, report):
        return {int(f["src"].rsplit(":", 1)[1]) - 1000:
                (None if f["data"]["dropped_frames"] else ps(f["data"]["max_wait_s"])) for f in report["flows"]}

    def assert_waits(self, report, expected):
        waits = self.waits(report)
        self.assertEqual(len(waits), len(expected))
        self.assertEqual([(i, waits[i], w) for i, w in enumerate(expected) if waits[i] != w][:5], [])

    def test_every_wait_is_lindleys(self):
        for seed, gap in ((1, 90000), (2, 60000)):  # 97 and 145 % of 50 Mb/s
            packets = self.random_packets(1000, gap, seed)
            report = self.play(packets, "--port", "50Mbps")
            expected = lindley(self.arrivals(packets), 50 * 10**6)
            self.assertGreater(max(expected), 10**9)
            self.assert_waits(report, expected)
            _, peak, end = tail_drop(self.arrivals(packets), 50 * 10**6)
            self.assertEqual((report["port"]["peak_queue_bytes"], report["port"]["peak_queue_packets"]), peak)
            self.assertEqual(ps(report["ended_s"]), end)
            wire = sum(buffer_bytes(len(f)) + 20 for _, f in packets)
            self.assertEqual(report["all"]["wire_bytes"], wire)
            self.assertAlmostEqual(report["port"]["offered_bps"] * (packets[-1][0] - T0) / 8e9 / wire, 1, places=12)
            self.assertAlmostEqual(report["port"]["utilisation"] * 50e6 * end / 8e12 / wire, 1, places=12)
            self.assertAlmostEqual(report["all"]["mean_wait_s"] * 1e12 / (sum(expected) / 1000), 1, places=12)
            p99 = sorted(expected)[989]
            self.assertGreaterEqual(ps(report["all"]["p99_wait_s"]), p99)
            self.assertLessEqual(report["all"]["p99_wait_s"] * 1e12, 1.033 * p99)

    def test_a_bounded_buffer_drops_what_tail_drop_says(self):
        packets = self.random_packets(1000, 60000)
        for option, bound in (("9kB", {"limit": 9000}), ("7p", {"frames": 7})):
            expected, peak, end = tail_drop(self.arrivals(packets), 50 * 10**6, **bound)
            self.assertGreater(expected.count(None), 50)
            for queue in ("fifo", "ack-first"):  # no ACK among them: the same, by the other way through the port
                report = self.play(packets, "--port", "50Mbps", "--buffer", option, "--queue", queue)
                self.assert_waits(report, expected)
                self.assertEqual(report["all"]["dropped_frames"], expected.count(None))
                self.assertEqual((report["port"]["peak_queue_bytes"], report["port"]["peak_queue_packets"]), peak)
                self.assertEqual(ps(report["ended_s"]), end)

    def test_a_frame_that_comes_as_another_leaves_finds_its_room(self):
        """1460 bytes: 1538 on the wire take 123.04 us at 100 Mb/s. With room for one frame that waits, each finds the
        one before gone."""
        packets = [(T0, tcp(1460, sport=1000))] + [(T0 + i * 123040, tcp(1460, sport=1001 + i)) for i in range(100)]
        for queue in ("fifo", "ack-first", "fair"):
            report = self.play(packets, "--port", "100Mbps", "--buffer", "1p", "--queue", queue)
            self.assertEqual(report["all"]["dropped_frames"], 0, queue)
            self.assertEqual(ps(report["all"]["max_wait_s"]), 123040000)

    def test_poisson_arrivals_wait_as_md1(self):
        """Pollaczek-Khinchine with constant service: W = rho / (2 (1 - rho)) S."""
        service = 1538 * 8 / 100e6
        for rho, n in ((0.5, 100000), (0.8, 200000)):
            rng, t, packets, frame = random.Random(7), 0.0, [], tcp(1460)
            for _ in range(n):
                packets.append((T0 + int(t * 1e9), frame))
                t += rng.expovariate(rho / service)
            report = self.play(packets, "--port", "100Mbps", snaplen=60)
            self.assertAlmostEqual(report["all"]["mean_wait_s"] / (rho / (2 * (1 - rho)) * service), 1, delta=0.04)
            self.assertAlmostEqual(report["port"]["utilisation"], rho, delta=0.02)

    def test_acks_first_wait_for_one_frame_at_most(self):
        packets = [(T0 + i * 123040, f) for i in range(400)
                   for f in (tcp(1460, sport=1000), tcp(0, sport=80, dport=1000))]
        fifo = self.play(packets, "--port", "100Mbps")["flows"]
        first = self.play(packets, "--port", "100Mbps", "--queue", "ack-first")["flows"]
        self.assertEqual([f["ack"]["frames"] for f in first], [0, 400])
        self.assertGreater(fifo[1]["ack"]["max_wait_s"], 20 * 123.04e-6)
        self.assertLessEqual(ps(first[1]["ack"]["max_wait_s"]), 123040000)
        self.assertGreater(first[0]["data"]["max_wait_s"], 20 * 123.04e-6)

    def test_a_departure_is_before_an_arrival_of_the_same_time(self):
        """The last of three data frames starts at 2 * 123.04 us, and the ACK that comes then waits for it."""
        packets = [(T0, tcp(1460))] * 3 + [(T0 + 2 * 123040, tcp(0, sport=80, dport=1))]
        for queue in ("fifo", "ack-first"):
            report = self.play(packets, "--port", "100Mbps", "--queue", queue)
            self.assertEqual(ps(report["flows"][1]["ack"]["max_wait_s"]), 123040000, queue)

    def test_fair_turns_spare_the_thin_flow(self):
        packets = [(T0 + i * 123040, tcp(1460, sport=1000 + (k == 2 and i % 4 == 0))) for i in range(400)
                   for k in range(3)]
        fair = self.play(packets, "--port", "100Mbps", "--queue", "fair", "--buffer", "50p")["flows"]
        self.assertGreater(fair[0]["data"]["dropped_frames"], 500)
        self.assertEqual(fair[1]["data"]["dropped_frames"], 0)
        self.assertLess(fair[1]["data"]["max_wait_s"], 3 * 123.04e-6)

    def test_a_short_snap_changes_nothing(self):
        packets = self.random_packets(1000, 70000)
        self.assertEqual(self.play(packets, "--port", "50Mbps"), self.play(packets, "--port", "50Mbps", snaplen=96))

    def test_times_that_step_back_come_at_the_latest_so_far(self):
        times = (0, 100000, 40000, 99000, 300000, 250000)
        packets = [(T0 + t, tcp(1460, sport=1000 + i)) for i, t in enumerate(times)]
        report = self.play(packets, "--port", "100Mbps")
        latest = [max(times[:i + 1]) * 1000 for i in range(len(times))]
        self.assert_waits(report, lindley([(t, 1514) for t in latest], 100 * 10**6))
        self.assertEqual(report["back_frames"], 3)
        self.assertIn("3 frames were recorded before an earlier one", self.good("replay", "in.pcap", "--port",
                                                                               "100Mbps").stderr)

    def test_speed(self):
        packets = self.random_packets(1000, 60000)
        report = self.play(packets, "--port", "50Mbps", "--speed", 2)
        halved = [((t - T0 + 1) // 2 * 1000, len(f)) for t, f in packets]  # half a nanosecond rounds up
        self.assert_waits(report, lindley(halved, 50 * 10**6))
        once = self.json("replay", "in.pcap", "--port", "50Mbps")
        self.assertAlmostEqual(report["port"]["offered_bps"] / once["port"]["offered_bps"], 2, places=6)

    def test_one_direction_and_cross_traffic(self):
        udp = struct.pack(">HHHH", 9, 9, 508, 0) + bytes(500)
        frames = [tcp(1000), tcp(0, src="10.0.0.2", dst="10.0.0.1"), ethernet(ip(udp, 17)),
                  ethernet(ip(bytes(800), 17, fragment=185)), ethernet(bytes(28), 0x0806),
                  ethernet(ip(udp, 17, dst="10.0.0.3")), ethernet(bytes(46), 0x88b5)[:20]]
        packets = [(T0 + i, f) for i, f in enumerate(frames)]

        def counts(*options):
            report = self.play(packets, "--port", "1Gbps", *options)
            self.assertEqual(report["picked_frames"], report["all"]["frames"])
            return (sum(f["data"]["frames"] for f in report["flows"]), sum(f["ack"]["frames"] for f in report["flows"]),
                    report["other_traffic"]["frames"])
        self.assertEqual((counts(), counts("--from", "10.0.0.1")), ((1, 1, 5), (1, 0, 3)))
        self.assertEqual((counts("--from", "10.0.0.2"), counts("--to", "10.0.0.2")), ((0, 1, 0), (1, 0, 2)))
        self.assertEqual(counts("--from", "10.0.0.1", "--to", "10.0.0.3"), (0, 0, 1))
        self.assertEqual(self.play(packets, "--port", "1Gbps", "--from", "10.0.0.2")["all"]["wire_bytes"], 46 + OUTER)

    def test_super_frames_come_as_the_wire_carries_them(self):
        """5000 bytes at an MSS of 1460: three frames of 1460 and one of 620, 40 bytes of IP and TCP each."""
        shake = [(T0, tcp(0, flags=SYN, options=mss(8960))),
                 (T0 + 10**6, tcp(0, 80, 1, flags=SYN | ACK, options=mss(1460), src="10.0.0.2", dst="10.0.0.1"))]
        report = self.play(shake + [(T0 + 2 * 10**6, tcp(5000))], "--port", "100Mbps", "--from", "10.0.0.1")
        self.assertEqual((report["split_frames"], report["flows"][0]["data"]["frames"]), (1, 1 + 4))
        self.assertEqual(report["all"]["wire_bytes"], 46 + OUTER + 5000 + 4 * (40 + OUTER))
        self.assertEqual(ps(report["all"]["max_wait_s"]), 3 * 1538 * 80000)
        stamps = tcp(2920, options=b"\1\1\10\12" + bytes(8))  # 12 bytes of every segment
        report = self.play(shake + [(T0 + 2 * 10**6, stamps)], "--port", "100Mbps", "--from", "10.0.0.1")
        self.assertEqual(report["all"]["wire_bytes"], 46 + OUTER + 2920 + 3 * (52 + OUTER))
        for size, frames in ((1460, 1), (8960, 1), (9217, 7), (64000, 44), (100000, 69)):  # no handshake seen
            report = self.play([(T0, tcp(size))], "--port", "100Mbps")
            self.assertEqual(report["all"]["frames"], frames, size)
            self.assertEqual(report["all"]["wire_bytes"], size + frames * (40 + OUTER))
        six = struct.pack(">IHBB", 6 << 28, 10020, 6, 64) + bytes(31) + b"\1" + struct.pack(
            ">HHIIBBHHH", 1, 2, 0, 0, 80, ACK, 0, 0, 0) + bytes(10000)
        report = self.play([(T0, ethernet(six, 0x86dd))], "--port", "100Mbps")  # 6 * 1440 + 1360
        self.assertEqual(report["all"]["wire_bytes"], 10000 + 7 * (60 + OUTER))
        report = self.play([(T0, ethernet(bytes(70000), 0x88b5))], "--port", "100Mbps")
        self.assertEqual(report["all"]["frames"], 47)
        out = self.good("replay", "in.pcap", "--port", "100Mbps").stdout
        self.assertIn("1 super-frames came in frames of the wire: 47 frames", out)

    def test_flows_beyond_the_table_are_counted_together(self):
        packets = [(T0 + i * 1000, tcp(100, sport=1 + i)) for i in range(3000)]
        report = self.play(packets, "--port", "1Gbps")
        self.assertEqual((len(report["flows"]), report["other_flows"]["data"]["frames"]), (1024, 3000 - 1024))
        self.assertEqual(report["all"]["frames"], 3000)

    def test_memory_does_not_grow_with_the_capture(self):
        """Ten times as many frames, little more memory: the kernel's account of a child's largest resident set."""
        frames = [tcp(1000, sport=k) for k in range(10)]

        def peak_kb(n):
            write_pcap(self.dir / "long.pcap", [(T0 + i * 10**5, frames[i % 10]) for i in range(n)], 60)
            script = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=-3); "
                      "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
            return int(subprocess.run([sys.executable, "-c", script, str(e2e.CONTRAFLOW), "replay", "long.pcap", "--port",
                                       "1Gbps", "-o", "out"], cwd=self.dir, check=True, capture_output=True).stdout)
        small = peak_kb(30000)
        self.assertLess(peak_kb(300000), small + 1500)  # kB; 270000 more frames of 32 bytes would be 8600

    def test_the_directory_has_the_queue_over_time(self):
        packets = self.random_packets(1000, 60000)
        report = self.play(packets, "--port", "50Mbps", "--buffer", "90kB", "-o", "out")
        summary = json.loads((self.dir / "out/summary.json").read_text())
        self.assertEqual(summary, report)
        self.assertTrue(summary["simulated"] and summary["complete"])
        expected, _, _ = tail_drop(self.arrivals(packets), 50 * 10**6, limit=90000)
        starts = [(t, t + w, buffer_bytes(n)) for (t, n), w in zip(self.arrivals(packets), expected) if w is not None]
        drops = [t for (t, _), w in zip(self.arrivals(packets), expected) if w is None]
        self.assertGreater(len(drops), 10)
        with open(self.dir / "out/queues.csv", newline="") as f:
            rows = list(csv.DictReader(f))
        self.assertEqual(list(rows[0]), ["time_s", "port", "depth_bytes", "depth_packets", "dropped_packets"])
        self.assertGreater(len(rows), 50)
        for row in rows:
            t = ps(float(row["time_s"]))
            waiting = [n for came, start, n in starts if came < t < start]
            self.assertEqual((int(row["depth_bytes"]), int(row["depth_packets"]), int(row["dropped_packets"])),
                             (sum(waiting), len(waiting), sum(d < t for d in drops)), row)
        self.assertEqual((rows[-1]["depth_bytes"], rows[-1]["dropped_packets"]), ("0", str(len(drops))))
        self.assertEqual([p.name for p in sorted((self.dir / "out").iterdir())], ["queues.csv", "summary.json"])
        self.good("replay", "in.pcap", "--port", "60Mbps", "-o", "out")  # once more into the same

    def test_plot_draws_it(self):
        self.play(self.random_packets(1000, 60000), "--port", "50Mbps", "-o", "out")
        self.good("plot", "out")
        drawn = (self.dir / "out/queues.svg").read_text()
        self.assertIn("simulated time", drawn)
        with open(self.dir / "out/queues.csv", newline="") as f:
            ports = {row["port"] for row in csv.DictReader(f)}
        self.assertEqual(len(ports), 1)
        self.assertIn(f">{ports.pop()}</text>", drawn)
        self.assertEqual(drawn.count('class="band'), 1)

    def test_a_long_silence_takes_neither_time_nor_resolution(self):
        """A hundred days, then 100 frames at once: 12.3 ms of queue, still seen every millisecond."""
        last = T0 + 100 * 86400 * 10**9
        report = self.play([(T0, tcp(1460))] + [(last, tcp(1460))] * 100, "--port", "100Mbps", "-o", "out")
        self.assertEqual((ps(report["all"]["max_wait_s"]), report["duration_s"]), (99 * 123040000, 100 * 86400))
        self.assertEqual(len((self.dir / "out/queues.csv").read_text().splitlines()), 1 + 12 + 1)

    def test_a_real_capture(self):
        """What tcpdump saw at the shared host: every queue of 50 Mb/s was before the tap, or behind it."""
        path = e2e.ROOT / "test/data/captures/fifo-2in-1out.pcap.gz"
        captured = read_pcap(path)
        for option, at in (("--from", 26), ("--to", 30)):
            picked = [(t, wire) for t, data, wire in captured
                      if data[12:14] == b"\x08\x00" and data[at:at + 4] == address("10.9.0.1")]
            arrivals, latest = [], 0
            for t, wire in picked:
                latest = max(latest, t - picked[0][0])
                arrivals.append((latest * 1000, wire))
            waits, peak, end = tail_drop(arrivals, 50 * 10**6)
            report = self.json("replay", path, "--port", "50Mbps", option, "10.9.0.1")
            self.assertEqual((report["picked_frames"], ps(report["all"]["max_wait_s"])), (len(picked), max(waits)))
            self.assertAlmostEqual(report["all"]["mean_wait_s"] * 1e12 / (sum(waits) / len(waits)), 1, places=11)
            self.assertEqual((report["port"]["peak_queue_bytes"], ps(report["ended_s"])), (peak[0], end))
            self.assertEqual(report["all"]["dropped_frames"], 0)

    def test_a_cut_file_and_an_interrupt(self):
        write_pcap(self.dir / "cut.pcap", [(T0 + i, tcp(100)) for i in range(5)])
        with open(self.dir / "cut.pcap", "ab") as f:
            f.write(b"\0\0\0\0")
        done = self.good("replay", "cut.pcap", "--port", "1Gbps", "--json")
        self.assertIn("stops inside packet 6", done.stderr)
        self.assertEqual(json.loads(done.stdout)["truncated"], True)
        run = subprocess.Popen([str(e2e.CONTRAFLOW), "replay", "-", "--port", "1kbps", "-o", "out", "--json"],
                               cwd=self.dir, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(run.kill)
        write_pcap(self.dir / "many.pcap", [(T0 + i * 1000, tcp(100)) for i in range(100000)])
        run.stdin.write((self.dir / "many.pcap").read_bytes())
        run.stdin.flush()
        unread = bytearray(4)
        while fcntl.ioctl(run.stdin, termios.FIONREAD, unread) or any(unread):
            self.assertIsNone(run.poll())
            time.sleep(0.02)
        run.send_signal(signal.SIGINT)  # while it waits for more
        self.assertEqual(run.wait(60), -signal.SIGINT)
        out, err = run.communicate()
        self.assertIn(b"interrupted", err)
        report = json.loads(out)
        self.assertFalse(report["complete"])
        self.assertEqual(report["all"]["frames"], report["port"]["queued_frames"] + 1)
        self.assertEqual([p.name for p in (self.dir / "out").iterdir()], ["summary.json"])


class BadInput(e2e.Case):
    def setUp(self):
        super().setUp()
        write_pcap(self.dir / "good.pcap", [(T0, tcp(100))])

    def refused(self, words, *options, file="good.pcap"):
        self.bad(2, words, "replay", file, *options)

    def test_what_cannot_be_is_said_in_a_line(self):
        write_pcap(self.dir / "empty.pcap", [])
        write_pcap(self.dir / "cooked.pcap", [(T0, bytes(60))], link_type=113)
        write_pcap(self.dir / "ages.pcap", [(0, tcp(1)), (T0, tcp(1))])
        write_pcap(self.dir / "heap.pcap", [(T0, tcp(1460))] * 800000, snaplen=54)
        at = ("--port", "50Mbps")
        for rate in ("fast", "0bps", "999bps", "1001Gbps", "-1Mbps", "50"):
            self.refused("--port", "--port=" + rate)
        for speed in ("0", "nan", "-1", "x"):
            self.refused("--speed", *at, "--speed", speed)
        for size in ("0p", "1000B", "x", "-1", "5pp"):
            self.refused(["--buffer " + size], *at, "--buffer=" + size)
        self.refused(["--queue blue", "ack-first"], *at, "--queue", "blue")
        self.refused(["--queue", "tbf needs a rate and a burst"], *at, "--queue", "tbf")
        self.refused(["--queue", "prio needs classes of flows"], *at, "--queue", "prio")
        self.refused(["--queue", "ack-filter reads TCP headers"], *at, "--queue", "ack-filter")
        self.refused(["--from 10.0.0", "address"], *at, "--from", "10.0.0")
        self.refused(["--to x", "address"], *at, "--to", "x")
        for other in ("--scenario", "--interface", "--what-if", "--set", "--map", "--jobs", "--rate", "--rewrite"):
            self.refused([other, "--port"], *at, other, "1")
            self.refused([other, "--port"], other, "1", *at)
        self.refused(["--sped", "--help"], *at, "--sped", "2")
        self.refused("--port", "--port")
        self.refused("no file", *at, file="--json")
        self.refused("one file", *at, "good.pcap")
        self.refused(["empty.pcap", "no frame"], *at, file="empty.pcap")
        self.refused(["good.pcap", "none of its 1 frames goes from 10.0.0.9"], *at, "--from", "10.0.0.9")
        self.refused(["none of its 1 frames", "from 10.0.0.1 to ::1"], *at, "--from", "10.0.0.1", "--to", "::1")
        self.refused(["cooked.pcap", "LINUX_SLL", "Ethernet"], *at, file="cooked.pcap")
        self.refused(["ages.pcap", "frame 2", "days"], *at, file="ages.pcap")
        self.refused(["heap.pcap", "104 days", "--buffer"], "--port", "1kbps", file="heap.pcap")
        self.refused("nothere.pcap", *at, file="nothere.pcap")
        # what a file claims costs it nothing: 4 GB of wire for 54 bytes; 524792 bytes in 5963 frames of 88 each
        boundless = tcp(0, flags=SYN, options=mss(1))
        boundless = boundless[:16] + bytes(2) + boundless[18:]
        write_pcap(self.dir / "wire.pcap", [(T0, boundless)], wire=2**32 - 1)
        self.refused(["wire.pcap", "packet 1", "4294967295 bytes"], *at, file="wire.pcap")
        write_pcap(self.dir / "queue.pcap", [(T0, boundless)] * 800, wire=524792)
        self.refused(["queue.pcap", "frame 705", "4194304 frames wait", "--buffer"], *at, file="queue.pcap")
        self.assertIn("usage: contraflow replay FILE --port RATE", self.good("replay", *at, "--help").stdout)

    def test_a_directory_that_holds_a_run_is_left_alone(self):
        (self.dir / "run").mkdir()
        self.write("run/flows.csv", "flow\n")
        self.refused(["run", "holds a run", "flows.csv"], "--port", "1Gbps", "-o", "run")
        self.refused("empty.pcap", "--port", "1Gbps", "-o", "out", file=self.empty())
        self.assertEqual(list((self.dir / "out").iterdir()), [])

    def empty(self):
        write_pcap(self.dir / "empty.pcap", [])
        return "empty.pcap"
