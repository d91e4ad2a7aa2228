# SPDX-License-Identifier: GPL-2.0-or-later
"""contraflow run: what the rules promise, from scenario to flows.csv."""
import json
import hashlib
import re
import signal
import subprocess

import e2e


def steady(flow):
    return float(flow["steady_goodput_bps"])


@e2e.needs_engine
class Star(e2e.Case):
    """B: the saturated direction carries its data (1538 wire bytes per 1448) and the ACKs (90 wire bytes per two
    segments) of what flows the other way at `ratio` of its rate."""

    STAR = property(lambda self: e2e.ROOT / "scenarios/star.yaml")
    SHORT = ("duration=1200ms", "warmup=400ms")

    @staticmethod
    def b(ratio):
        return 1e9 / (1538 / 1448 + ratio * 90 / (2 * 1448))

    def assert_rates(self, flows, expected, tolerance):
        self.assertEqual(len(flows), len(expected))
        for flow, rate in zip(flows, expected):
            self.assertAlmostEqual(steady(flow) / rate, 1, delta=tolerance, msg=str(flow))

    def test_two_in_one_out_each_gets_half(self):
        flows = self.run_scenario(self.STAR, *self.SHORT)
        self.assert_rates(flows, [self.b(0.5) / 2] * 3, 0.03)
        self.assertEqual([(f["src"], f["dst"]) for f in flows], [("h1", "h0"), ("h2", "h0"), ("h0", "h3")])
        self.assertEqual([f["retransmitted_segments"] for f in flows], ["0"] * 3)
        for f in flows:
            self.assertLess(float(f["steady_ci95_bps"]), 0.05 * steady(f))

    def test_three_in_one_out_each_gets_a_third(self):
        flows = self.run_scenario(self.STAR, *self.SHORT, "traffic.star.incoming=3")
        self.assert_rates(flows, [self.b(1 / 3) / 3] * 4, 0.03)

    def test_ack_first_gives_the_outgoing_flow_its_link(self):
        flows = self.run_scenario(self.STAR, *self.SHORT, "network.nic.queue=ack-first",
                                  "network.switch.queue=ack-first")
        self.assertGreater(steady(flows[2]), 0.9 * e2e.B_1448)
        self.assert_rates(flows[:2], [self.b(1) / 2] * 2, 0.03)

    def test_a_given_window_is_what_is_in_flight(self):
        """25 kB a round trip of 20 ms for a second, 100 kB for another, through a buffer of 20 packets that loses some;
        and nothing at all from the loss."""
        self.write("given.yaml", """
duration: 2s
warmup: 1200ms
network: {link: {rate: 100Mbps, delay: 5ms}, switch: {limit: 20p}}
tcp: {congestion: given, window: 1MB}
traffic: {flows: [{from: h1, to: h0, windows: [{at: 0s, bytes: 25kB}, {at: 1s, bytes: 100kB}]}]}
""")
        flow, = self.run_scenario(self.dir / "given.yaml")
        self.assertAlmostEqual(steady(flow) / (100e3 * 8 / 0.0203), 1, delta=0.05)
        self.assertAlmostEqual(float(flow["goodput_bps"]) / (62.5e3 * 8 / 0.0203), 1, delta=0.05)

    def test_datagrams_take_their_rate_and_leave_the_rest(self):
        self.write("datagrams.yaml", """
duration: 2s
network: {link: {rate: 100Mbps}}
tcp: {window: 200kB}
traffic:
  flows: [{from: h1, to: h0}, {from: h0, to: h2}]
  datagrams: [{from: h2, to: h0, rate: 60Mbps}]
""")
        flows = self.run_scenario(self.dir / "datagrams.yaml")
        ratio = steady(flows[1]) / steady(flows[0])
        left = 40e6 / (1538 / 1448 + ratio * 90 / (2 * 1448))
        self.assertAlmostEqual(steady(flows[0]) / left, 1, delta=0.03)

    def test_twice_the_window_gets_twice_the_rate(self):
        flows = self.run_scenario(e2e.ROOT / "scenarios/windows.yaml", *self.SHORT)
        for incoming in flows[:2]:
            self.assertAlmostEqual(steady(flows[2]) / steady(incoming), 2, delta=0.06)

    def test_losses_leave_conservation_and_a_count(self):
        flows = self.run_scenario(self.STAR, "duration=600ms", "warmup=200ms", "network.switch.limit=100kB")
        self.assertGreater(sum(int(f["retransmitted_segments"]) for f in flows), 0)
        summary = json.loads((self.dir / "out/summary.json").read_text())
        for port in summary["ports"]:
            self.assertEqual(port["offered_frames"], port["dropped_frames"] + port["queued_frames"] +
                             port["on_wire_frames"] + port["delivered_frames"])
        self.assertGreater(sum(p["dropped_frames"] for p in summary["ports"]), 0)


@e2e.needs_engine
class Figure1(e2e.Case):
    def test_rates_are_the_fixed_point_of_the_window_law(self):
        """Five flows of equal 500 kB windows over two racks, before any ends. The fixed point
            x_f = W / (d_f + queueing along f's data path and f's ACK path),  no link overloaded
        gives 264 678 264 414 678 Mb/s (worked out by hand for 0.4 ms of round trip); Algorithm 1 of the paper says
        313 627 313 313 627."""
        flows = self.run_scenario(e2e.ROOT / "scenarios/zhu-figure1.yaml", "duration=200ms", "warmup=60ms")
        self.assertEqual([f["flow"] for f in flows], ["e1", "e2", "e3", "e4", "e5"])
        for flow, mbps in zip(flows, (264, 678, 264, 414, 678)):
            self.assertAlmostEqual(steady(flow) / (mbps * 1e6), 1, delta=0.02, msg=str(flow))

    def test_messages_end_and_the_run_with_them(self):
        flows = self.run_scenario(e2e.ROOT / "scenarios/zhu-figure1.yaml", "capture=[]")
        self.assertEqual([int(f["bytes"]) for f in flows], [10**7] + [2 * 10**7] * 4)
        summary = json.loads((self.dir / "out/summary.json").read_text())
        self.assertTrue(all(f["done"] for f in summary["flows"]))
        last = max(float(f["end_s"]) for f in flows)
        self.assertLess(last, summary["ended_s"])
        self.assertLess(summary["ended_s"], last + 0.0021)  # the next sample ends it, not `duration`


@e2e.needs_engine
class Directory(e2e.Case):
    QUICK = ("duration=50ms", "warmup=10ms", "network.link.rate=100Mbps", "tcp.window=100kB")

    def digest(self, output):
        return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in (self.dir / output).iterdir()}

    def test_same_seed_same_bytes_other_seed_other_bytes(self):
        star = e2e.ROOT / "scenarios/star.yaml"
        for output in "ab":
            self.run_scenario(star, *self.QUICK, output=output)
        self.run_scenario(star, *self.QUICK, output="c", options=("--seed", "2"))
        self.assertEqual(self.digest("a"), self.digest("b"))
        self.assertNotEqual(self.digest("a")["h0.pcap"], self.digest("c")["h0.pcap"])
        self.assertEqual(sorted(self.digest("a")),
                         ["flows.csv", "h0.pcap", "progress.csv", "queues.csv", "scenario.yaml", "summary.json"])

    def test_resolved_scenario_runs_again_to_the_same_bytes(self):
        self.run_scenario(e2e.ROOT / "scenarios/star.yaml", *self.QUICK, output="a")
        self.run_scenario(self.dir / "a/scenario.yaml", output="b")
        a, b = self.digest("a"), self.digest("b")
        self.assertEqual((a["h0.pcap"], a["flows.csv"]), (b["h0.pcap"], b["flows.csv"]))

    def test_points_run_side_by_side_in_directories_of_their_own(self):
        self.good("run", e2e.ROOT / "scenarios/zhu-figure4.yaml", "-o", "f4", "--quiet",
                  *[x for s in self.QUICK for x in ("--set", s)])
        points = ["1in-1out", "2in-1out", "3in-1out", "1in-2out", "2in-2out", "4in-2out"]
        self.assertEqual(sorted(p.name for p in (self.dir / "f4").iterdir() if p.is_dir()), sorted(points))
        for point in points:
            n_in, n_out = int(point[0]), int(point[4])
            flows = self.flows(f"f4/{point}")
            self.assertEqual(sum(f["dst"] == "h0" for f in flows), n_in)
            self.assertEqual(sum(f["src"] == "h0" for f in flows), n_out)
            self.assertTrue((self.dir / "f4" / point / "h0.pcap").exists())

    def test_fewer_hosts_than_flows_still_run(self):
        scenario = self.write("s.yaml", "network: {hosts: 4, link: {rate: 100Mbps}}\ntcp: {window: 100kB}\n"
                                        "duration: 50ms\nwarmup: 10ms\ntraffic: {star: {incoming: 2, outgoing: 1}}\n")
        flows = self.run_scenario(scenario, "traffic.star.incoming=3")
        self.assertEqual(sum(f["dst"] == "h0" for f in flows), 3)

    def test_table_is_for_people_and_names_the_directory(self):
        done = self.good("run", e2e.ROOT / "scenarios/star.yaml", "-o", "out",
                         *[x for s in self.QUICK for x in ("--set", s)])
        self.assertIn("whole Mb/s", done.stdout)
        self.assertIn("contraflow check out", done.stderr)


class Size(e2e.Case):
    """Captures that will take more than 500 MB are told of before the run."""

    FULL = ("network.nic.queue=ack-first", "network.switch.queue=ack-first", "traffic.star.incoming=1",
            "capture=[{at: h0, snaplen: 65535}]", "warmup=0s")

    def test_a_large_one_says_so_first(self):
        """Both ways of a link are full, so that it is as large as was said: as much a second as in a short run."""
        star = e2e.ROOT / "scenarios/star.yaml"
        self.run_scenario(star, *self.FULL, "duration=300ms", output="short")
        wanted = (self.dir / "short/h0.pcap").stat().st_size / 0.3 * 100
        arguments = [x for s in (*self.FULL, "duration=100s") for x in ("--set", s)]
        running = subprocess.Popen([str(e2e.CONTRAFLOW), "run", star, "-o", "long", *arguments], cwd=self.dir,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        line = running.stderr.readline()
        running.send_signal(signal.SIGINT)
        running.communicate()
        match = re.match(r"contraflow: captures may take ([0-9.]+) GB in long.*snaplen: 96 makes it [0-9.]+ GB", line)
        self.assertTrue(match, line)
        self.assertLess(wanted, 1e9 * float(match[1]) * 1.01)
        self.assertGreater(wanted, 0.9e9 * float(match[1]))

    def test_small_ones_are_not_worth_a_line(self):
        done = self.good("run", e2e.ROOT / "scenarios/star.yaml", "-o", "out", "-q", "--set", "duration=50ms", "--set",
                         "warmup=10ms")
        self.assertEqual(done.stderr, "")
