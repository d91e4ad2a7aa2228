# SPDX-License-Identifier: GPL-2.0-or-later
"""A capture onto a real interface: a veth pair between two network namespaces, and a raw socket at its far end."""
import hashlib
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import time
import unittest

import e2e

ETHERTYPE = 0x88b5  # IEEE 802 local experimental: nothing else on the link speaks it
TIMEOUT = 40

RECEIVER = """
import socket, struct, sys
want, path = int(sys.argv[1]), sys.argv[2]
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(int(sys.argv[3], 0)))
s.setsockopt(socket.SOL_SOCKET, 33, 1 << 28)  # SO_RCVBUFFORCE
s.setsockopt(socket.SOL_SOCKET, 35, 1)  # SO_TIMESTAMPNS
s.bind(("far", 0))
print("ready", flush=True)
frames = []
s.settimeout(20)
try:
    while len(frames) < want:
        data, control, _, _ = s.recvmsg(65536, 64)
        frames.append((data, control[0][2]))
except socket.timeout:
    pass
with open(path, "wb") as f:
    for data, stamp in frames:
        seconds, ns = struct.unpack("@qq", stamp)
        f.write(struct.pack("<Iq", len(data), seconds * 10**9 + ns) + data)
"""


def can_make_namespaces():
    if os.geteuid() != 0 or not shutil.which("ip"):
        return False
    name = f"cfprobe{os.getpid()}"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True).returncode == 0
    if made:
        subprocess.run(["ip", "netns", "del", name], capture_output=True)
    return made


needs_namespaces = unittest.skipUnless(can_make_namespaces(), "not root, no ip, or no network namespaces")


def frame(index, size, ethertype=ETHERTYPE):
    head = bytes.fromhex("020000000002020000000001") + struct.pack(">HI", ethertype, index)
    return (head + hashlib.sha256(head).digest() * 300)[:size]


def write_pcap(path, packets, link_type=1):
    """packets: (time in ns, bytes, wire length)."""
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 262144, link_type))
        for t, data, wire in packets:
            f.write(struct.pack("<IIII", t // 10**9, t % 10**9, len(data), wire) + data)


class BadInput(e2e.Case):
    def setUp(self):
        super().setUp()
        write_pcap(self.dir / "good.pcap", [(10**18, frame(0, 60), 60)])
        write_pcap(self.dir / "cooked.pcap", [(10**18, bytes(60), 60)], link_type=113)

    def test_no_interface_or_file(self):
        self.bad(2, ["no interface", "--interface NAME"], "good.pcap")
        self.bad(2, "no file", "--interface", "lo")
        self.bad(2, "one file", "--interface", "lo", "good.pcap", "good.pcap")

    def test_unknown_interface(self):
        self.bad(2, ["none-such0", "no such interface"], "good.pcap", "--interface", "none-such0")

    def test_files_that_cannot_be_sent(self):
        self.bad(2, ["none.pcap", "No such file"], "none.pcap", "--interface", "lo")
        self.bad(2, ["cooked.pcap", "LINUX_SLL", "EN10MB"], "cooked.pcap", "--interface", "lo")
        self.write("text", "no capture at all, but long enough to be read as one\n")
        self.bad(2, ["text", "not a pcap"], "text", "--interface", "lo")

    def test_options(self):
        for speed in ("0", "-1", "nan", "inf", "fast", "2x", ""):
            self.bad(2, "--speed", "good.pcap", "--interface", "lo", "--speed", speed)
        for rate in ("0bps", "100", "-1Mbps", "10000000Gbps", "fast"):
            self.bad(2, "--rate", "good.pcap", "--interface", "lo", "--rate=" + rate)
        for rewrite in ("10.0.0.1", "10.0.0.1=::1", "10.0.0.1=host", "02:00:00:00:00:01=1"):
            self.bad(2, "--rewrite", "good.pcap", "--interface", "lo", "--rewrite", rewrite)
        self.bad(2, ["--speed", "--rate"], "good.pcap", "--interface", "lo", "--speed", 2, "--rate", "1Gbps")
        self.bad(2, "--sped", "good.pcap", "--interface", "lo", "--sped", 2)
        self.bad(2, ["--interface", "value"], "good.pcap", "--interface")

    def test_help(self):
        self.assertIn("usage: contraflow replay FILE --interface NAME", self.good("--help").stdout)

    @unittest.skipUnless(os.geteuid() == 0, "not root: nobody to become")
    def test_permission(self):
        self.bad_as_nobody(3, ["raw frames on lo", "CAP_NET_RAW"], "good.pcap", "--interface", "lo")


@needs_namespaces
class Link(e2e.Case):
    def setUp(self):
        super().setUp()
        unique = f"{os.getpid()}-{time.monotonic_ns() % 10**6}"
        self.near, self.far = f"cf-near-{unique}", f"cf-far-{unique}"
        for name in (self.near, self.far):
            self.ip("netns", "add", name)
            self.addCleanup(subprocess.run, ["ip", "netns", "del", name], capture_output=True, timeout=TIMEOUT)
        self.ip("link", "add", "near", "netns", self.near, "type", "veth", "peer", "name", "far", "netns", self.far)
        self.ip("-n", self.near, "link", "set", "near", "up")
        self.ip("-n", self.far, "link", "set", "far", "up")

    def ip(self, *args):
        subprocess.run(["ip", *args], check=True, capture_output=True, timeout=TIMEOUT)

    def command(self, *args):
        return ["ip", "netns", "exec", self.near, str(e2e.CONTRAFLOW), *map(str, args), "--interface", "near"]

    def call(self, *args, **kwargs):
        return subprocess.run(self.command(*args), cwd=self.dir, capture_output=True, text=True, timeout=TIMEOUT,
                              **kwargs)

    def receiver(self, count, path, ethertype=ETHERTYPE):
        receiver = subprocess.Popen(["ip", "netns", "exec", self.far, sys.executable, "-c", RECEIVER, str(count),
                                     str(path), hex(ethertype)], stdout=subprocess.PIPE, text=True)
        self.addCleanup(receiver.stdout.close)
        self.addCleanup(receiver.kill)
        self.assertEqual(receiver.stdout.readline(), "ready\n")
        return receiver

    def receive(self, count, *args, ethertype=ETHERTYPE):
        """What arrives while a good replay with these arguments runs, and its report. By the kernel's clock self.times_s,
        from the first arrival on, and self.received_s, until the last."""
        path = self.dir / "received"
        receiver = self.receiver(count, path, ethertype)
        report = self.json(*args)
        self.assertEqual(receiver.wait(TIMEOUT), 0)
        data, at, frames, times = path.read_bytes(), 0, [], []
        while at < len(data):
            size, stamp = struct.unpack_from("<Iq", data, at)
            frames.append(data[at + 12:at + 12 + size])
            times.append(stamp)
            at += 12 + size
        first = min(times, default=None)
        self.times_s = [(at - first) / 1e9 for at in times]
        self.received_s = max(self.times_s, default=None)
        return frames, report


def stolen_s():
    """What other machines of this host had of our processors so far (proc(5))."""
    with open("/proc/stat", encoding="ascii") as f:
        return int(f.readline().split()[8]) / os.sysconf("SC_CLK_TCK")


class Timed(Link):
    def call(self, *args, **kwargs):
        """As the others', and self.waited_s: how long it had no processor though it wanted one, at most."""
        before_s = stolen_s()
        running = subprocess.Popen(self.command(*args), cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, **kwargs)
        os.waitid(os.P_PID, running.pid, os.WEXITED | os.WNOWAIT)  # some lines, which a pipe holds
        with open(f"/proc/{running.pid}/schedstat", encoding="ascii") as f:
            self.waited_s = int(f.read().split()[1]) / 1e9 + stolen_s() - before_s
        out, err = running.communicate(timeout=TIMEOUT)
        return subprocess.CompletedProcess(running.args, running.returncode, out, err)

    def test_60000_frames_in_three_seconds(self):
        """Whoever else wants the processor, lateness is what that took and does not add up: the schedule is absolute. The
        last frame is handed over a millisecond late at most, and one gap of a hundred is so far off, but for that."""
        n, t, packets = 60000, 1700000000 * 10**9, []
        rng = random.Random(1)
        for i in range(n):
            size = rng.randint(64, 1514)
            packets.append((t, frame(i, size), size))
            t += int(rng.expovariate(1 / 50000))
        write_pcap(self.dir / "long.pcap", packets)
        duration = (packets[-1][0] - packets[0][0]) / 1e9
        frames, report = self.receive(n, "long.pcap")
        us = [report[k] / 1e3 for k in ("end_error_ns", "gap_error_p50_ns", "gap_error_p99_ns", "gap_error_max_ns")]
        print("ended %.1f us after schedule, gap error p50 %.1f us, p99 %.1f us, largest %.1f us, %d late; "
              "received in %+.1f us of schedule; waited %.1f ms for a processor" %
              (*us, report["late_frames"], (self.received_s - duration) * 1e6, self.waited_s * 1e3), file=sys.stderr)
        self.assertEqual(len(frames), n)
        due = [(p[0] - packets[0][0]) / 1e9 for p in packets]
        came = [at for _, at in sorted(zip((f[14:18] for f in frames), self.times_s))]
        gaps = [abs(came[i + 1] - came[i] - (due[i + 1] - due[i])) for i in range(n - 1)]
        frames.sort(key=lambda f: f[14:18])
        self.assertTrue(frames == [p[1] for p in packets])  # what they differ in would take minutes to say
        # A clock that is being set may run 500 ppm off.
        self.assertAlmostEqual(self.received_s, duration, delta=0.005 + self.waited_s)
        self.assertEqual(report["frames"], n)
        self.assertEqual(report["bytes"], sum(p[2] for p in packets))
        self.assertAlmostEqual(report["scheduled_s"], duration, places=8)
        self.assertGreaterEqual(report["end_error_ns"], 0)
        self.assertLess(report["end_error_ns"], 1e6 + self.waited_s * 1e9)
        # A gap that is a millisecond off took a millisecond.
        self.assertLess(sum(gap > 1e-3 for gap in gaps), n / 100 + self.waited_s / 1e-3)


class Wire(Link):
    def test_speed_and_padding(self):
        packets = [(10**18 + i * 10**7, frame(i, 100), 1000) for i in range(51)]
        write_pcap(self.dir / "short.pcap", packets)
        frames, report = self.receive(51, "short.pcap", "--speed", "2.5")
        self.assertEqual((frames, report["padded_frames"]), ([p[1] + bytes(900) for p in packets], 51))
        self.assertAlmostEqual(report["scheduled_s"], 0.2, places=9)

    def test_rate(self):
        write_pcap(self.dir / "burst.pcap", [(10**18 - i, frame(i, 976), 976) for i in range(1001)])
        frames, report = self.receive(1001, "burst.pcap", "--rate", "40Mbps")
        self.assertEqual(len(frames), 1001)
        self.assertAlmostEqual(report["scheduled_s"], 0.2, places=9)  # 1000 times 1000 bytes
        self.assertEqual(report["back_frames"], 0)

    def test_rewritten_addresses(self):
        ip = bytes.fromhex("45000030000100004011") + b"\0\0" + bytes([10, 0, 0, 1, 10, 0, 0, 2])
        total = sum(struct.unpack(">10H", ip))
        total = (total & 0xffff) + (total >> 16)
        ip = ip[:10] + struct.pack(">H", ~total & 0xffff) + ip[12:]
        packet = frame(0, 12) + struct.pack(">H", 0x0800) + ip + struct.pack(">HHHH", 9, 9, 28, 0) + bytes(20)
        write_pcap(self.dir / "ip.pcap", [(10**18, packet, len(packet))])
        frames, report = self.receive(1, "ip.pcap", "--rewrite", "10.0.0.1=10.0.0.2", "--rewrite",
                                      "10.0.0.2=192.168.255.254", "--rewrite", "02:00:00:00:00:01=52:54:00:00:00:07",
                                      ethertype=0x0800)
        self.assertEqual((report["rewritten_frames"], frames[0][6:12]), (1, bytes.fromhex("525400000007")))
        self.assertEqual(frames[0][26:34], bytes([10, 0, 0, 2, 192, 168, 255, 254]))
        total = sum(struct.unpack(">10H", frames[0][14:34]))
        self.assertEqual((total & 0xffff) + (total >> 16), 0xffff)

    def test_times_that_step_back_and_a_cut_file(self):
        write_pcap(self.dir / "back.pcap", [(10**18 + t * 10**6, frame(t, 60), 60) for t in (0, 20, 10, 30)])
        with open(self.dir / "back.pcap", "ab") as f:
            f.write(b"\0\0\0\0")
        done = self.good("back.pcap")
        self.assertIn("sent 4 frames, 240 bytes on near", done.stdout)
        self.assertIn("1 frames were recorded before an earlier one", done.stderr)
        self.assertIn("stops inside packet 5", done.stderr)

    def test_frame_longer_than_the_interface_takes(self):
        write_pcap(self.dir / "big.pcap", [(10**18, frame(i, size), size) for i, size in enumerate((1514, 1515))])
        self.bad(2, ["big.pcap", "frame 2 of 1515 bytes", "MTU of 1500"], "big.pcap")

    def test_interface_that_is_down(self):
        write_pcap(self.dir / "one.pcap", [(10**18, frame(0, 60), 60)])
        self.ip("-n", self.near, "link", "set", "near", "down")
        self.bad(3, ["near", "down"], "one.pcap")

    def test_interrupted_while_waiting(self):
        write_pcap(self.dir / "slow.pcap", [(10**18 + i * 3600 * 10**9, frame(i, 60), 60) for i in range(2)])
        first = self.receiver(1, self.dir / "received")
        run = subprocess.Popen(self.command("slow.pcap"), cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
        self.addCleanup(run.kill)
        self.assertEqual(first.wait(TIMEOUT), 0)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=TIMEOUT)
        self.assertEqual(run.returncode, -signal.SIGINT)
        self.assertIn("sent 1 frames, 60 bytes", out)
        self.assertIn("interrupted", err)

    def test_nothing_is_left_to_whoever_takes_it_over(self):
        """While it sends: no capability to use, to gain, or for what it executes, and a filter of system calls."""
        write_pcap(self.dir / "slow.pcap", [(10**18 + i * 3600 * 10**9, frame(i, 60), 60) for i in range(2)])
        first = self.receiver(1, self.dir / "received")
        run = subprocess.Popen(self.command("slow.pcap"), cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
        self.addCleanup(run.kill)
        sanitized = b"__asan_init" in e2e.CONTRAFLOW.read_bytes()  # it looks for leaks in ways that a filter forbids
        confined = {"CapInh": 0, "CapPrm": 0, "CapEff": 0, "CapAmb": 0, "NoNewPrivs": 1, "Seccomp": 0 if sanitized else 2}
        for _ in range(400):  # until it has opened both
            with open(f"/proc/{run.pid}/status") as f:
                status = dict(line.split(":", 1) for line in f)
            is_now = {name: int(status[name], 16) for name in confined}
            if is_now == confined:
                break
            time.sleep(0.05)
        self.assertEqual((is_now, first.wait(TIMEOUT)), (confined, 0))
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=TIMEOUT)
        self.assertEqual(run.returncode, -signal.SIGINT)
        self.assertIn("sent 1 frames", out)

    def test_empty_capture(self):
        write_pcap(self.dir / "empty.pcap", [])
        self.assertIn("sent 0 frames", self.good("empty.pcap").stdout)
