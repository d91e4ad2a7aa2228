# SPDX-License-Identifier: GPL-2.0-or-later
"""Networks of any shape, from the scenario to the answer: cables one by one, builders spelt out, frames longer than
Ethernet's, tags, and links between switches judged. test/emu/test_graph.c has paths and framings alone."""
import random
import subprocess

import e2e
import bench_networks

GRAPH = """duration: 2s
warmup: 600ms
network:
  link: {rate: 1Gbps, delay: 10us}
  links:
    - {from: h0, to: left}
    - {from: h1, to: left}
    - {from: h2, to: right}
    - {from: h3, to: right}
    - {from: left, to: right, rate: 100Mbps, delay: 1ms%s}
tcp: {window: 250kB}
traffic: {flows: [{from: h0, to: h2}, {from: h1, to: h3}, {from: h3, to: h0}]}
capture: [{at: left-right}]
"""


class Networks(e2e.Case):
    def rates(self, *sets, output="out"):
        return [float(f["steady_goodput_bps"]) / 1e6 for f in self.run_scenario("s.yaml", *sets, output=output)]

    def test_a_saturated_cable_between_switches_is_judged_and_named(self):
        """Two there and one back: 100 Mb/s over max(2, 1), as Eq. 6 has it for a backbone."""
        self.write("s.yaml", GRAPH % "")
        for rate in self.rates():
            self.assertAlmostEqual(rate / (94.15 / 2), 1, delta=0.05)
        judged = self.good("check", "out", "--verbose", status=1).stdout
        self.assertRegex(judged, r"(?m)^out: port left-right[^:]*: yes: ")
        self.assertIn("port left-right: 1 in, 2 out", judged)
        self.assertNotIn("host left-right", judged)
        remedies = [line for line in judged.splitlines() if "what to do" in line]
        self.assertTrue(remedies and all("the queue of the port left-right" in line for line in remedies), remedies)

    def test_each_way_has_its_own_queue(self):
        """ACKs first on the cable alone, there only: what comes back no longer waits."""
        self.write("s.yaml", GRAPH % ", out: {port: {queue: ack-first}}")
        self.assertGreater(self.rates()[2], 85)

    def test_a_builder_spelt_out_is_the_same_network(self):
        rng = random.Random(5)
        for topology in ("star", "tree", "dumbbell", "access", "leaf-spine", "fat-tree"):
            with self.subTest(topology=topology):
                hosts = ", hosts: 8" if topology == "star" else ""
                self.write("s.yaml", f"seed: {rng.randint(1, 99)}\nnetwork: {{topology: {topology}{hosts}}}\n"
                                     "traffic: {random: {probability: 1, bytes: 300kB}}\n")
                self.run_scenario("s.yaml", output="named")
                self.write("cables.yaml", self.good("run", "s.yaml", "--yaml").stdout)
                self.good("run", "cables.yaml", "-q", "-o", "spelt")
                self.assertEqual((self.dir / "named/flows.csv").read_bytes(), (self.dir / "spelt/flows.csv").read_bytes())

    def test_cells_take_their_share(self):
        """1500 bytes and 40 of overhead in 33 ATM cells of 53 bytes: 1448 of 1749 (tc-cake(8))."""
        self.write("s.yaml", "duration: 20s\nwarmup: 6s\nnetwork: {link: {rate: 10Mbps, delay: 1ms, framing: "
                             "{overhead: 40, mpu: 0, cells: atm}}}\ntraffic: {flows: [{from: h1, to: h0}]}\n")
        self.assertAlmostEqual(self.rates()[0] / (10 * 1448 / 1749), 1, delta=0.002)

    def test_tags_are_in_the_capture(self):
        e2e.require("tshark")
        self.write("s.yaml", (GRAPH % ", framing: {vlan: 42}") + "  ")
        self.rates("capture.0.snaplen=100")
        done = subprocess.run(["tshark", "-r", self.dir / "out/left-right.pcap", "-c", "200", "-T", "fields", "-e", "vlan.id",
                               "-e", "tcp.len", "-e", "frame.len"], capture_output=True, text=True)
        rows = [line.split("\t") for line in done.stdout.splitlines() if line.strip()]
        self.assertEqual({r[0] for r in rows}, {"42"})
        self.assertIn(["42", "1448", "1518"], rows)

    def test_a_segment_that_a_cable_does_not_take_is_refused(self):
        self.write("s.yaml", GRAPH % ", mtu: 1500")
        self.bad(2, "--set tcp.segment=8948: a segment of 8948 bytes makes IP packets of 9000, but left-right takes 1500 (mtu) "
                    "at most: a segment of 1448", "run", "s.yaml", "--set", "tcp.segment=8948")

    def test_what_is_no_network_is_refused(self):
        for links, words in (
                ("[{from: h0, to: a}, {from: h2, to: a}]", "h1 has no cable, but h2 has"),
                ("[{from: h0, to: a}, {from: h1, to: b}]", "no cables lead from h0 to h1"),
                ("[{from: h0, to: h0}]", "'h0' is where the cable comes from"),
                ("[{from: h0, to: core-1}, {from: h1, to: core-1}]", "'core-1' has '-'")):
            with self.subTest(links=links):
                self.write("s.yaml", f"network: {{links: {links}}}\ntraffic: {{flows: [{{from: h0, to: h1}}]}}\n")
                self.bad(2, words, "run", "s.yaml")
        self.write("s.yaml", "network: {topology: fat-tree, k: 3}\ntraffic: {flows: [{from: h0, to: h1}]}\n")
        self.bad(2, "'3' is odd", "run", "s.yaml")

    def test_the_window_law_knows_it(self):
        """Where data meet ACKs on a cable between switches: flows within 3 % of what the window law predicts."""
        self.write("s.yaml", GRAPH % "")
        measured = self.rates()
        for flow, rate in zip(self.json("predict", "s.yaml")["links"], measured):
            self.assertAlmostEqual(flow["rates_bps"][0] / 1e6 / rate, 1, delta=0.03)


class Random(e2e.Case):
    """Of the program as it is: under sanitizers other tests see the same code at work (test/cli/meson.build)."""

    def test_random_networks_agree_on_both_engines(self):
        """A few of `meson test --benchmark 'random networks on both engines'`, of the quick ones."""
        if not e2e.CONTRAFLOW.with_name("contraflow-ns3").exists():
            self.skipTest("without ns-3")
        for number in (3, 30):
            with self.subTest(number=number):
                _, result = bench_networks.run(e2e.CONTRAFLOW, number, self.dir)
                self.assertNotIsInstance(result, str)
                self.assertLess(max(result[:2]), bench_networks.BOUND)
