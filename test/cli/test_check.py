#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""contraflow check on runs: the same verdict from flows.csv and from the capture alone."""
import json

import e2e

QUICK = ("duration=1500ms", "warmup=500ms", "network.link.rate=100Mbps", "tcp.window=300kB")


@e2e.needs_engine
class Verdicts(e2e.Case):
    def both(self, verdict, scenario, *sets, status=0):
        """The resource of the run directory; the capture at h0 must say the same."""
        self.run_scenario(e2e.ROOT / "scenarios" / scenario, *QUICK, *sets)
        by_run = next(r for r in self.json("check", "out", status=status)["resources"] if r["host"] == "h0")
        by_capture = self.json("check", "out/h0.pcap", status=status)["resources"][0]
        for resource in (by_run, by_capture):
            self.assertEqual(resource["verdict"], verdict, resource["why"])
        self.assertEqual(by_capture["host"], "10.0.0.1")
        for key in ("indegree", "outdegree"):
            self.assertEqual(by_run[key], by_capture[key])
        said, by_itself = by_run["diagnosis"], by_capture["diagnosis"]
        self.assertEqual(said["asymmetry"], by_itself["asymmetry"], said["why"])
        if verdict in ("eq5", "eq6"):  # as many segments in flight each way: the capture shows both rates
            self.assertAlmostEqual(said["lost_share"]["total"], by_itself["lost_share"]["total"], delta=0.02)
        self.assertEqual(said["capacity_bps"], {"in": 1e8, "out": 1e8, "source": "known"})
        if verdict != "loss":
            self.assertAlmostEqual(by_capture["fitted_rate_bps"] / by_run["fitted_rate_bps"], 1, delta=0.02)
        return by_run, by_capture

    def test_equal_windows_are_eq6(self):
        run, capture = self.both("eq6", "star.yaml")
        for flow in capture["flows"]:  # bytes in flight, read off the capture
            self.assertAlmostEqual(flow["window_bytes"] / 300000, 1, delta=0.02)
        # B: 100 Mb/s of wire, 1538 bytes for 1448, and the ACKs of half as much the other way (90 bytes for 2 segments)
        self.assertAlmostEqual(run["fitted_rate_bps"] / (1e8 / (1538 / 1448 + 0.5 * 45 / 1448)), 1, delta=0.01)
        self.assertTrue(run["rules"]["window"]["holds"])
        self.assertFalse(run["rules"]["eq5"]["holds"])

        # 46 of the 91.5 that the outgoing flow would have, and nothing of the incoming ones': 0.25 of both
        self.assertEqual(run["diagnosis"]["cause"], "acks_behind_data")
        self.assertAlmostEqual(run["diagnosis"]["lost_share"]["out"], 0.5, delta=0.02)

    def test_jumbo_frames(self):
        """The capture's MSS tells of them, and where there is none (ns-3's SYNs have no such option) the frames do: 8948
        bytes in 9038 on the wire both ways, less the ACKs of as much (90 bytes for 2 segments), at 10 Gb/s."""
        engines = ["native"] + (["ns3"] if e2e.CONTRAFLOW.with_name("contraflow-ns3").exists() else [])
        for engine in engines:
            with self.subTest(engine):
                self.run_scenario(e2e.ROOT / "scenarios/star.yaml", "duration=100ms", "warmup=40ms", "network.link.rate=10Gbps",
                                  "tcp.segment=8948", output=engine, options=("--engine", engine))
                diagnosis = self.json("check", f"{engine}/h0.pcap")["resources"][0]["diagnosis"]
                self.assertEqual((diagnosis["asymmetry"], diagnosis["cause"]), ("yes", "acks_behind_data"))
                for way in ("in", "out"):
                    self.assertAlmostEqual(diagnosis["capacity_bps"][way] / 1e10, 1, delta=1e-3)
                    self.assertAlmostEqual(diagnosis["possible_bps"][way] / (1e10 * 8948 / (9038 + 45)), 1, delta=1e-3)

    def test_acks_first_are_eq5(self):
        run, _ = self.both("eq5", "ack-first.yaml")
        self.assertEqual((run["diagnosis"]["asymmetry"], run["diagnosis"]["cause"]), ("no", "full"))
        self.assertFalse(run["rules"]["eq6"]["holds"])

    def test_a_host_that_cannot_keep_up(self):
        """It takes 50,000 frames a second: of two flows in a segment each, and for two segments out an ACK. All get the
        same: 20,000 segments of 1448 bytes a second. ACKs first in every queue wins nothing. If it takes them four
        times as fast, ACKs wait behind data."""
        scenario = e2e.ROOT / "scenarios/slow-host.yaml"
        for more in ((), ("network.nic.queue=ack-first", "network.switch.queue=ack-first")):
            self.run_scenario(scenario, "duration=500ms", "warmup=200ms", *more)
            for name in ("out", "out/h0.pcap"):
                r = json.loads(self.call("check", "--json", name).stdout)["resources"][0]
                said = r["diagnosis"]
                self.assertEqual((said["asymmetry"], said["cause"]), ("no", "slow_host"), (name, said["why"]))
                for flow in r["flows"]:
                    self.assertAlmostEqual(flow["rate_bps"] / (20000 * 1448 * 8), 1, delta=0.02)
                    there, back = ("data_wait_s", "ack_wait_s")[::1 if flow["direction"] == "in" else -1]
                    self.assertGreater(flow[there], 9e-3)  # 900 kB in flight at 695 Mb/s: 10.3 ms, all on one side
                    self.assertLess(flow[back], 1e-3)
        self.run_scenario(scenario, "duration=500ms", "warmup=200ms", "network.host_times=[5us]")
        for name in ("out", "out/h0.pcap"):
            said = self.json("check", name)["resources"][0]["diagnosis"]
            self.assertEqual((said["asymmetry"], said["cause"]), ("yes", "acks_behind_data"), (name, said["why"]))

    def test_a_host_whose_peer_cannot_keep_up(self):
        """A flow each way, and one host or both need 20 us a frame: three frames for two segments, two in and an ACK for
        two out, make 33,333 segments a second each way. ACKs first win nothing, so no host of a run loses by them."""
        flows = "traffic={flows: [{from: h0, to: h1}, {from: h1, to: h0}]}"
        for slow in ("[20us]", "[0s, 20us]", "[20us, 20us]"):
            for more in ((), ("network.nic.queue=ack-first", "network.switch.queue=ack-first")):
                for flow in self.run_scenario(e2e.ROOT / "scenarios/slow-host.yaml", flows, "duration=500ms",
                                              "warmup=200ms", f"network.host_times={slow}", *more):
                    self.assertAlmostEqual(float(flow["steady_goodput_bps"]) / (33333 * 1448 * 8), 1, delta=0.02)
                for r in json.loads(self.call("check", "--json", "out").stdout)["resources"]:
                    said = r["diagnosis"]
                    own = "20us" in slow.strip("[]").split(", ")[int(r["host"][1]):][:1]
                    self.assertEqual((said["asymmetry"], said["cause"]), ("no", "slow_host" if own else "other_link"),
                                     (slow, r["host"], said["why"]))

    def test_a_line_that_pause_stops(self):
        """h1's line to h0 and h4 stands still half of the time, although only h0's is full: what is for h4 would have
        470 Mb/s and more. Without PAUSE, or to one peer, whose link is full, nothing says so."""
        scenario, sets = e2e.ROOT / "scenarios/pause-victim.yaml", ("duration=800ms", "warmup=400ms",
                                                                    "capture=[{at: h1}]")
        self.run_scenario(scenario, *sets)
        said = self.host("10.0.0.2")
        self.assertEqual((said["asymmetry"], said["cause"]), ("no", "pause"), said["why"])
        self.assertTrue(any("ethtool -S" in text for text in said["remedies"]), said["remedies"])
        for other in (("network.switch.pause.on=false", "network.switch.limit=20MB"),
                      ("network.switch.architecture=voq",)):
            self.run_scenario(scenario, *sets, *other)
            self.assertNotEqual(self.host("10.0.0.2")["cause"], "pause", other)

    def host(self, name):
        """What is said of it by the capture at h1."""
        resources = json.loads(self.call("check", "--json", "out/h1.pcap").stdout)["resources"]
        return next(r for r in resources if r["host"] == name)["diagnosis"]

    def test_unequal_windows_are_the_window_law(self):
        self.both("window", "star.yaml", "traffic.star.outgoing_window=150kB")
        self.both("window", "star.yaml", "traffic.star.outgoing_window=600kB")

    def test_shallow_ports_are_losses(self):
        self.both("loss", "star.yaml", "network.switch.limit=50kB", status=1)

    def test_a_pendulum_loses_on_a_link_that_no_rule_divides(self):
        """30 % are lost, 640 of 912 Mb/s each way, and Eq. 6 with B = 640 held for every flow."""
        self.run_scenario(e2e.ROOT / "scenarios/pendulum.yaml")
        for name in ("out", "out/h0.pcap"):
            resource = next(r for r in self.json("check", name)["resources"] if r["host"] in ("h0", "10.0.0.1"))
            said = resource["diagnosis"]
            self.assertEqual((said["asymmetry"], said["cause"]), ("yes", "acks_behind_data"))
            self.assertAlmostEqual(said["lost_share"]["total"], 1 - 1280 / 1825, delta=0.01)
            self.assertEqual((said["saturated"], resource["verdict"]), ({"in": False, "out": False}, "unsaturated"))
            self.assertFalse(any(rule["holds"] for rule in resource["rules"].values()))
        text = self.good("check", "out").stdout
        self.assertIn("out: host h0: yes: 1279.7 of 1829.4 Mb/s; 30 % lost to waiting ACKs", text.splitlines()[0])
        self.assertNotIn("B =", text)

    def test_windows_and_pauses_are_no_asymmetry(self):
        """What holds these flows is known of a run: a window of 6 segments, an application that thinks."""
        for flow, cause in (("window: 9kB", "window"), ("window: 300kB, pauses: [" + ", ".join(
                f"20ms after {14480 * k}B" for k in range(1, 100)) + "]", "application")):
            self.write("idle.yaml", f"""
network: {{topology: star, hosts: 3, link: {{rate: 100Mbps, delay: 1ms}}}}
duration: 1500ms
warmup: 500ms
traffic: {{flows: [{{from: h0, to: h1, {flow}}}, {{from: h2, to: h0, {flow}}}]}}
""")
            self.run_scenario("idle.yaml")
            resource = next(r for r in self.json("check", "out")["resources"] if r["host"] == "h0")
            said = resource["diagnosis"]
            self.assertEqual((said["asymmetry"], said["cause"]), ("no", cause), said["why"])
            self.assertEqual(resource["verdict"], "unsaturated")

    def test_a_full_link_elsewhere_is_the_limit(self):
        """The backbone at a fifth of its rate: the hosts' own links are full."""
        self.write("tree.yaml", """
network: {topology: tree, racks: [2, 2], link: {rate: 100Mbps}, backbone: {rate: 1Gbps}}
tcp: {window: 300kB}
duration: 1500ms
warmup: 500ms
traffic: {flows: [{from: h0, to: h2}, {from: h1, to: h3}]}
""")
        self.run_scenario("tree.yaml")
        backbone, = self.json("check", "out")["resources"]
        said = backbone["diagnosis"]
        self.assertEqual((backbone["host"], said["asymmetry"], said["cause"]), ("sw0-sw1", "no", "other_link"))
        self.assertEqual((said["capacity_bps"]["out"], backbone["verdict"]), (1e9, "unsaturated"))

    def test_flows_of_other_times_are_diagnosed_while_all_are_there(self):
        """With ACKs first the flow out gets all the link, meanwhile as before and after."""
        self.write("apart.yaml", """
network: {topology: star, hosts: 4, link: {rate: 100Mbps}}
duration: 1600ms
traffic: {flows: [{from: h1, to: h0, bytes: 6MB}, {from: h2, to: h0, bytes: 6MB}, {from: h0, to: h3}]}
""")
        self.run_scenario("apart.yaml")
        self.run_scenario("apart.yaml", "network.nic.queue=ack-first", "network.switch.queue=ack-first", output="first")
        resource, first = (next(r for r in json.loads(self.call("check", run, "--json").stdout)["resources"]
                                if r["host"] == "h0") for run in ("out", "first"))
        said, got = resource["diagnosis"], first["diagnosis"]["goodput_bps"]
        self.assertEqual((said["asymmetry"], said["cause"]), ("yes", "acks_behind_data"))
        self.assertEqual((resource["indegree"], resource["outdegree"]), (2, 1))
        self.assertAlmostEqual(said["lost_share"]["out"], 1 - said["goodput_bps"]["out"] / got["out"], delta=0.03)
        self.assertLess(resource["end_s"], 1.2)  # 12 MB take 1 s

        (self.dir / "out/progress.csv").unlink()  # of an earlier version
        resource = next(r for r in self.json("check", "out", status=1)["resources"] if r["host"] == "h0")
        self.assertEqual(resource["diagnosis"]["asymmetry"], "unknown")
        self.assertIn("different times", resource["diagnosis"]["why"])

    def test_the_links_rate_can_be_given(self):
        """A window of 12 segments on a link that is never full: its rate does not show."""
        self.write("thin.yaml", """
network: {topology: star, hosts: 3, link: {rate: 100Mbps, delay: 2ms}}
tcp: {window: 18kB}
duration: 1s
traffic: {flows: [{from: h0, to: h1}, {from: h2, to: h0}]}
capture: [{at: h0, snaplen: 96}]
""")
        self.run_scenario("thin.yaml")
        for text, rates in (("100M", [1e8, 1e8]), ("200M/80Mbps", [2e8, 8e7])):
            resource, = self.json("check", "out/h0.pcap", "--rate", text)["resources"]
            self.assertEqual(resource["diagnosis"]["capacity_bps"],
                             {"in": rates[0], "out": rates[1], "source": "known"})
            self.assertEqual(resource["verdict"], "unsaturated")
        for text in ("fast", "20M/", "0M"):
            self.assertIn("--rate", self.good("check", "out/h0.pcap", "--rate", text, status=2).stderr)
        # less than what passes: not this link's
        resource, = self.json("check", "out/h0.pcap", "--rate", "5M")["resources"]
        self.assertNotEqual(resource["diagnosis"]["capacity_bps"]["source"], "known")

    def test_a_pcapng_has_the_interfaces_rate(self):
        """Data of these small windows wait nowhere, so it is the link's."""
        self.write("thin.yaml", """
network: {topology: star, hosts: 4, link: {rate: 100Mbps, delay: 2ms}}
tcp: {window: 3kB}
duration: 1s
traffic: {flows: [{from: h0, to: h1}, {from: h2, to: h0, start: 1ms}]}
capture: [{at: h0, snaplen: 96, format: FORMAT}]
""")
        for form, capacity in (("pcapng", {"in": 1e8, "out": 1e8, "source": "the capture's interface"}),
                               ("pcap", {"in": None, "out": None, "source": "unknown"})):
            text = (self.dir / "thin.yaml").read_text().replace("FORMAT", form)
            self.write(f"{form}.yaml", text)
            self.run_scenario(f"{form}.yaml", output=form)
            resource, = self.json("check", f"{form}/h0.{form}")["resources"]
            self.assertEqual(resource["diagnosis"]["capacity_bps"], capacity)

    def test_backbone_of_a_tree_is_a_shared_resource(self):
        self.write("tree.yaml", """
network: {topology: tree, racks: [3, 3], backbone: {rate: 100Mbps}}
tcp: {window: 300kB}
duration: 1500ms
warmup: 500ms
traffic:
  flows: [{from: h0, to: h3}, {from: h1, to: h4}, {from: h5, to: h2}]
""")
        self.run_scenario("tree.yaml")
        backbone, = self.json("check", "out")["resources"]
        self.assertEqual((backbone["host"], backbone["indegree"], backbone["outdegree"]), ("sw0-sw1", 1, 2))
        self.assertEqual(backbone["verdict"], "eq6")

    def test_nothing_shared_is_said_so(self):
        self.run_scenario(e2e.ROOT / "scenarios/star.yaml", *QUICK, "traffic.star.incoming=1",
                          "traffic.star.outgoing=0", "duration=200ms", "warmup=50ms")
        done = self.call("check", "out")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing is shared", done.stderr)
        self.assertIn("out: host h0: no: ", done.stdout)  # and its only flow is diagnosed


if __name__ == "__main__":
    e2e.main()
