#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Linux's own TCP in wall time, on the kernel that runs here: skipped where nobody may make namespaces.

The machine may be busy. Then a run is void, which is an answer that these tests take; what a busy machine cannot change
is judged all the same."""
import itertools
import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import e2e

STAR = """engine: linux
clock: wall
duration: 1500ms
warmup: 500ms
network: {link: {rate: 10Mbps, delay: 5us}}
tcp: {congestion: linuxreno, window: 30kB, initial_window: 10}
traffic: {star: {incoming: 2, outgoing: 1}}
"""
LATE = "wall.late_share=100%"  # never void
NAMES = f"Linux {os.uname().release} (wall time)"


def sysctl(name):
    return pathlib.Path("/proc/sys/net", name).read_text().split()


def ones(data):
    """The sum of RFC 1071: 0xffff over what holds its own checksum."""
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total


class Case(e2e.Case):
    ordinary = False  # the user: whoever runs the tests, or certainly no root

    def setUp(self):
        super().setUp()
        (self.dir / "star.yaml").write_text(STAR)
        self.program, self.user = e2e.CONTRAFLOW, {}
        if self.ordinary and os.getuid() == 0:
            self.program = self.programs_of_nobody() / "contraflow"
            self.user = {"user": 65534, "group": 65534, "extra_groups": []}

    def call(self, *args, **kwargs):
        return subprocess.run([self.program, *args], cwd=self.dir, capture_output=True, text=True, timeout=300,
                              **self.user, **kwargs)

    def run_wall(self, *sets, scenario="star.yaml", output="out", status=0, **kwargs):
        """The finished process; void runs are judged here and are skipped."""
        arguments = ["run", scenario, "-o", output, *(x for s in sets for x in ("--set", s))]
        done = self.call(*arguments, **kwargs)
        if done.returncode == 3 and "contraflow: void: " in done.stderr:
            self.assertEqual([p.name for p in (self.dir / output).iterdir()], ["scenario.yaml"])
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def summary(self, output="out"):
        return json.loads((self.dir / output / "summary.json").read_text())

    def frames(self, name):
        """(ns, wire length, bytes) of each frame of a capture."""
        data = (self.dir / "out" / name).read_bytes()
        at = 24
        while at < len(data):
            s, ns, caught, wire = struct.unpack_from("<IIII", data, at)
            yield s * 10**9 + ns, wire, data[at + 16:at + 16 + caught]
            at += 16 + caught


class Run(Case):
    def test_rates_are_the_network_s(self):
        """2 in, 1 out, full link: together what 1448 bytes of 1538 bring, less what ACKs the other way take."""
        done = self.run_wall()
        self.assertIn(f"emulated by {NAMES}", done.stdout)
        self.assertIn("frames were late by ", done.stdout)
        self.assertIn("; above 1 % the run would be void\n", done.stdout)
        summary = self.summary()
        self.assertEqual(summary["engine"], NAMES)
        late = summary["lateness"]
        self.assertGreater(late["frames"], 1000)
        self.assertLessEqual(late["late"], 0.01 * late["frames"])
        self.assertAlmostEqual(late["late_by_s"], 1538 * 8 / 10e6)
        self.assertLessEqual(late["median_s"], late["p99_s"])
        self.assertLessEqual(late["p99_s"], late["max_s"])
        self.assertGreater(late["median_s"], 0)
        rates = [f["steady_goodput_bps"] for f in summary["flows"]]
        most = 0.01 * e2e.B_1448
        self.assertTrue(0.9 * most < rates[0] + rates[1] < most, rates)

    def test_frames_are_those_of_a_wire_and_leave_to_the_nanosecond(self):
        """Whatever is late: TCP over IPv4 alone, with the checksums that veths leave to others, no longer than the MTU,
        and a switch's port sends one after the other: n + 24 bytes at 10 Mb/s are 800 ns each."""
        self.run_wall(LATE, "duration=500ms", "warmup=100ms",
                      "capture=[{at: h0, snaplen: 2000}, {at: sw0-h0, snaplen: 64}]")
        count = 0
        for _, wire, frame in self.frames("h0.pcap"):
            self.assertLessEqual(wire, 1514)
            self.assertEqual(frame[12:14], b"\x08\0")
            ip = frame[14:14 + struct.unpack_from(">H", frame, 16)[0]]
            self.assertEqual(((ip[0], ip[9]), ones(ip[:20])), ((0x45, 6), 0xffff))
            self.assertEqual(ones(ip[12:20] + struct.pack(">HH", 6, len(ip) - 20) + ip[20:]), 0xffff)
            count += 1
        self.assertGreater(count, 100)
        out = [(t, max(w, 60) + 24) for t, w, f in self.frames("sw0-h0.pcap") if f[:6] == bytes([2, 0, 0, 0, 0, 1])]
        gaps = [(b[0] - a[0], 800 * a[1]) for a, b in itertools.pairwise(out)]
        self.assertGreater(len(gaps), 100)
        self.assertEqual([g for g in gaps if g[0] < g[1]], [])
        self.assertGreater(sum(g == w for g, w in gaps), 0)

    def test_losses_are_mended(self):
        self.run_wall(LATE, "traffic.star.bytes=200kB", "duration=20s", "warmup=0s", "network.switch.limit=10kB")
        flows = self.summary()["flows"]
        self.assertTrue(all(f["done"] and f["delivered_bytes"] == 200000 for f in flows))
        self.assertGreater(sum(f["retransmitted_segments"] for f in flows), 0)

    def test_applications_that_write_step_by_step_come_to_an_end(self):
        """Pauses wait for acknowledgements, repeated messages for deliveries, a rate for time."""
        self.write("steps.yaml", """engine: linux
clock: wall
wall: {late_share: 100%}
duration: 20s
traffic: {flows: [{from: h1, to: h0, bytes: 300kB, pauses: [50ms after 100kB, 50ms after 200kB]},
                  {from: h0, to: h2, bytes: 100kB, rate: 10Mbps},
                  {from: h0, to: h3, bytes: 20kB, repeat: 10, duplex: true}]}
""")
        self.run_wall("network.link.rate=100Mbps", scenario="steps.yaml")
        summary = self.summary()
        self.assertEqual([f["done"] for f in summary["flows"]], [True] * 3)
        self.assertLess(summary["ended_s"], 19)

    def test_what_is_late_makes_a_run_void(self):
        """Nothing is done within a nanosecond. One line, and no figures that somebody could believe."""
        self.bad(3, ["void: ", "frames were late by more than 0.001 us", "wall.late_share is 1 %"], "run", "star.yaml",
                 "-o", "out", "-q", "--set", "wall.late_by=1ns", "--set", "duration=100ms", "--set", "warmup=10ms",
                 "--set", "capture=[{at: h0}]")
        self.assertEqual([p.name for p in (self.dir / "out").iterdir()], ["scenario.yaml"])


class Ordinary(Case):
    ordinary = True

    def test_an_ordinary_user_may(self):
        self.run_wall(LATE)
        self.assertEqual(self.summary()["engine"], NAMES)
        self.assertNotEqual((self.dir / "out/summary.json").stat().st_uid, 0)

    def test_a_window_beyond_what_the_system_lets_everybody_have(self):
        """No capability of the system is needed for it. What arrives lets the receiver advertise more and more, by Linux
        up to what it thinks fits into twice the window."""
        most = int(sysctl("core/rmem_max")[0])
        self.run_wall(LATE, f"tcp.window={2 * most}B", "duration=60s", "warmup=0s", "network.link.rate=200Mbps",
                      "traffic.star={incoming: 1, outgoing: 0, bytes: 20MB}", "capture=[{at: h0}]")
        scale = windows = 0
        for _, _, frame in self.frames("h0.pcap"):
            if struct.unpack_from(">H", frame, 34)[0] != 5001:  # not from the sink
                continue
            if frame[47] & 2:
                options = frame[54:14 + 20 + (frame[46] >> 4) * 4]
                scale = options[options.index(b"\x03\x03") + 2]
            else:
                windows = max(windows, struct.unpack_from(">H", frame, 48)[0] << scale)
        self.assertGreater(windows, 1.4 * min(most, 10_000_000))


class Refused(Case):
    ordinary = True

    def refused(self, words, *sets, scenario="star.yaml"):
        self.bad(2, words, "run", scenario, "-o", "out", "-q", *(x for s in sets for x in ("--set", s)))

    def test_other_engines(self):
        for engine in ("native", "ns3"):
            self.refused(["clock", "is for engine: linux"], f"engine={engine}")
        self.refused(["wall", "is for clock: wall"], "clock=virtual", "wall.late_share=2%")

    def test_what_only_virtual_time_has(self):
        self.refused(["tcp.small_queues", "clock: virtual"], "tcp.small_queues=1MB")
        self.refused(["clock", "TCP"], "transport=gbn", "tcp={}")

    def test_a_congestion_control_that_this_kernel_lacks(self):
        has = sysctl("ipv4/tcp_available_congestion_control")
        lacks = next((c for c in ("lp", "nv", "yeah", "cdg", "veno") if c not in has), None)
        if lacks is None:
            self.skipTest("it has them all")
        self.refused(["tcp.congestion", f"no '{lacks}'", has[0]], f"tcp.congestion={lacks}")

    def test_hystart_as_this_kernel_has_it_not(self):
        path = pathlib.Path("/sys/module/tcp_cubic/parameters/hystart")
        if not path.exists():
            self.skipTest("no CUBIC here")
        on = path.read_text().strip() == "1"
        self.refused(["tcp.hystart", str(path)], "tcp.congestion=cubic", f"tcp.hystart={'false' if on else 'true'}")

    def test_a_system_that_permits_no_namespaces(self):
        script = ('echo 0 > /proc/sys/user/max_user_namespaces && echo 0 > /proc/sys/user/max_net_namespaces && '
                  'exec "$0" run star.yaml -o out -q')
        done = subprocess.run(["unshare", "-Ur", "sh", "-c", script, self.program], cwd=self.dir, capture_output=True,
                              text=True, timeout=60, **self.user)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("namespaces", done.stderr)
        self.assertFalse((self.dir / "out/summary.json").exists())


class Left(Case):
    ordinary = True

    def start(self):
        running = subprocess.Popen([self.program, "run", "star.yaml", "-o", self.dir / "out", "-q", "--set",
                                    "duration=1000s", "--set", LATE], cwd=self.dir, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, **self.user)
        self.wait_for(lambda: (self.dir / "out/queues.csv.part").exists())
        return running

    def engines(self):
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = path.read_bytes().split(b"\0")
            except OSError:
                continue
            if words[0].endswith(b"contraflow-linux") and str(self.dir / "out").encode() in words:
                found.append(int(path.parent.name))
        return found

    def test_killing_contraflow_ends_the_engine(self):
        """Also once it is in namespaces of its own."""
        running = self.start()
        self.assertEqual(len(self.engines()), 1)
        running.kill()
        running.communicate()
        self.wait_for(lambda: not self.engines())

    def test_killing_the_engine_is_said(self):
        running = self.start()
        os.kill(self.engines()[0], signal.SIGKILL)
        _, err = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 3, err)
        self.assertEqual(len(err.splitlines()), 1, err)
        self.assertEqual(self.engines(), [])

    def test_a_run_that_is_told_to_stop_closes_its_files(self):
        running = self.start()
        time.sleep(0.5)
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
        self.assertEqual(running.returncode, -signal.SIGINT)
        self.assertIs(self.summary()["complete"], False)

    def test_the_system_s_own_interfaces_stay_as_they_are(self):
        before = sorted(os.listdir("/sys/class/net"))
        running = self.start()
        self.assertEqual(sorted(os.listdir("/sys/class/net")), before)
        running.kill()
        running.communicate()


if __name__ == "__main__":
    if subprocess.run(["unshare", "-Urn", "true"], capture_output=True, check=False).returncode != 0:
        print("nobody may make user and network namespaces here, which clock: wall needs")
        sys.exit(77)
    e2e.main()
