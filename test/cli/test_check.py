# SPDX-License-Identifier: GPL-2.0-or-later
"""contraflow check on runs: the same verdict from flows.csv and from the capture alone."""
import csv
import json
import os
import pathlib
import shutil
import signal
import subprocess

import e2e

QUICK = ("duration=1500ms", "warmup=500ms", "network.link.rate=100Mbps", "tcp.window=300kB")


@e2e.needs_engine
class Verdicts(e2e.Case):
    def both(self, verdict, scenario, *sets):
        """The resource of the run directory; the capture at h0 must say the same."""
        self.run_scenario(e2e.ROOT / "scenarios" / scenario, *QUICK, *sets)
        by_run = next(r for r in self.json("check", "out")["resources"] if r["host"] == "h0")
        by_capture = self.json("check", "out/h0.pcap")["resources"][0]
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
        for engine in e2e.ENGINES:
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
        self.both("loss", "star.yaml", "network.switch.limit=50kB")

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
        text = self.good("check", "out", "--verbose", status=1).stdout
        self.assertIn("out: host h0 (the same flows at h1): yes: 1279.7 of 1829.4 Mb/s; 30 % lost to waiting ACKs", text.splitlines()[0])
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
        resource = next(r for r in self.json("check", "out")["resources"] if r["host"] == "h0")
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

    def test_equal_windows_hide_how_fast_the_faster_way_is(self):
        """By Eq. 6 both ways carry what the slower one can: that the faster is full would be a mere guess."""
        self.write("line.yaml", """
engine: native
duration: 3s
warmup: 1s
tcp: {window: 300kB}
network:
  nic: {queue: QUEUE, limit: 20MB}
  switch: {queue: QUEUE, limit: 20MB}
  links:
    - {from: h0, to: modem, rate: 1Gbps, delay: 1us}
    - {from: modem, to: isp, rate: 34Mbps, delay: 1ms, out: {rate: 55Mbps}}
    - {from: h1, to: isp, rate: 1Gbps, delay: 4ms}
traffic: {start_spread: 0s, flows: [{from: h1, to: h0}, {from: h0, to: h1, start: 3ms}]}
capture: [{at: h0, snaplen: 96}]
""")
        carried = {}
        text = (self.dir / "line.yaml").read_text()
        for queue in ("ack-first", "fifo"):
            self.write("line.yaml", text.replace("QUEUE", queue))
            self.run_scenario("line.yaml")
            carried[queue] = sum(float(f["steady_goodput_bps"]) for f in self.flows())
        lost = 1 - carried["fifo"] / carried["ack-first"]
        self.assertGreater(lost, 0.15)
        said = self.json("check", "out/h0.pcap")["resources"][0]["diagnosis"]
        self.assertEqual(said["asymmetry"], "unknown", said["why"])
        self.assertIn("--rate", said["why"])
        self.assertEqual(said["remedies"], [])
        said = self.json("check", "out/h0.pcap", "--rate", "34M/55M")["resources"][0]["diagnosis"]
        self.assertEqual(said["asymmetry"], "yes", said["why"])
        self.assertAlmostEqual(said["lost_share"]["total"], lost, delta=said["lost_share"]["ci95"])

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
        self.assertEqual(done.returncode, 0)
        self.assertIn("nothing is shared", done.stderr)
        self.assertIn("out: host h0 (the same flows at h1): no: ", done.stdout)  # and its only flow is diagnosed


class Said(e2e.Case):
    """What a terminal shows, and what a script learns."""
    YES, NO = (e2e.ROOT / f"test/data/captures/{name}-2in-1out.pcap.gz" for name in ("fifo", "ackprio"))
    OPEN = e2e.ROOT / "test/data/iperf3/symmetric-deep.both.json.gz"  # of both at once alone

    def test_the_exit_status_is_the_answer(self):
        for paths, status in (([self.NO], 0), ([self.YES], 1), ([self.OPEN], 4), ([self.NO, self.YES], 1),
                              ([self.OPEN, self.NO], 4), ([self.OPEN, self.YES], 1)):
            self.good("check", *paths, status=status)
            self.good("check", "--json", *paths, status=status)
            self.good("check", "--exit-zero", *paths)
        self.bad(2, "none.pcap", "check", "--exit-zero", "none.pcap")

    def test_an_answer_has_six_lines_at_most(self):
        for path in sorted((e2e.ROOT / "test/data/captures").glob("*.pcap.gz")):
            first, *more = self.good("check", "--exit-zero", path).stdout.splitlines()
            self.assertRegex(first, r": host 10\.9\.0\.1: (yes|no): [\d.]+ of [\d.]+ Mb/s; \d+ % lost to waiting ACKs "
                                    r"\(\d+ to \d+ %, [\d.]+ % sure\), in the steady part, [\d.]+ to [\d.]+ s$")
            names = [line.partition(":")[0].strip() for line in more]
            all_names = ["why", "round trip", "what to do", "try", "Wireshark"]
            self.assertEqual(names, [name for name in all_names if name in names])
            self.assertEqual("try" in names, ": yes: " in first)
            verbose = self.good("check", "--exit-zero", "--verbose", path).stdout
            self.assertTrue(verbose.startswith("\n".join([first, *more]) + "\n"))
            self.assertIn("largest error", verbose)

    def test_nothing_is_advised_that_wins_nothing(self):
        """Losses of a full link: replayed with deeper queues it carries no more."""
        shallow = e2e.ROOT / "test/data/captures/shallow-2in-1out.pcap.gz"
        [host] = self.json("check", shallow)["resources"]
        self.assertEqual((host["diagnosis"]["cause"], host["diagnosis"]["remedies_gain"]), ("losses", "no"))
        self.assertEqual(host["diagnosis"]["remedies"], ["nothing for more bandwidth: the link has no room for it"])

    HOME = """
engine: native
duration: 2.5s
warmup: 1.1s
tcp: {congestion: CONGESTION}
network:
  nic: {queue: fifo, limit: 20MB}
  switch: {queue: fifo, limit: 20MB}
  links:
    - {from: h0, to: modem, rate: 1Gbps, delay: 1us}
    - {from: modem, to: isp, rate: DOWN, delay: 5ms, out: {rate: UP, port: {queue: QUEUE, limit: 20MB}}}
    - {from: h1, to: isp, rate: 1Gbps, delay: 14ms}
    - {from: h2, to: isp, rate: 1Gbps, delay: 6ms}
traffic:
  start_spread: 0s
  flows: [FLOWS]
capture: [{at: h0, snaplen: 96}]
"""

    def home_carries(self, down, up, flows, congestion="newreno"):
        """Of such a line towards h0, by its order, in bit/s; out/h0.pcap is of a FIFO."""
        carried = {}
        for queue in ("ack-first", "fifo"):
            text = self.HOME.replace("DOWN", down).replace("UP", up).replace("CONGESTION", congestion)
            self.write("home.yaml", text.replace("QUEUE", queue).replace("FLOWS", ", ".join(flows)))
            self.run_scenario("home.yaml")
            with open(self.dir / "out/flows.csv", newline="") as f:
                carried[queue] = sum(float(r["steady_goodput_bps"]) for r in csv.DictReader(f) if r["dst"] == "h0")
        return carried

    def test_small_uploads_may_be_what_acks_wait_behind(self):
        """Eight uploads of 30 kb/s, none of which is bulk, beside two downloads. The truth: the same with ACKs first."""
        flows = ["{from: h1, to: h0, window: 250kB}", "{from: h1, to: h0, window: 250kB, start: 20ms}"]
        flows += [f"{{from: h0, to: h1, rate: 30kbps, start: {50 + 37 * i}ms}}" for i in range(8)]
        carried = self.home_carries("33.6Mbps", "839kbps", flows)
        self.assertGreater(carried["ack-first"], 1.3 * carried["fifo"])
        said = self.json("check", "out/h0.pcap")["resources"][0]["diagnosis"]
        self.assertEqual(said["asymmetry"], "yes", said["why"])
        lost = said["lost_share"]
        self.assertAlmostEqual(lost["total"], 1 - carried["fifo"] / carried["ack-first"], delta=lost["ci95"])

    NEIGHBOUR = '    - {from: h3, to: modem, rate: 1Gbps, delay: 1us}\n'

    def test_acks_may_wait_behind_data_that_the_capture_does_not_show(self):
        """h3 uploads through the line that brings h0 its download; at h0 nothing of that is seen. No line is so unlike both
        ways that ACKs at that rate would fill it. Where one might be, its rates tell."""
        home, self.HOME = self.HOME, self.HOME.replace("traffic:", self.NEIGHBOUR + "traffic:")
        for rates, window, least in (("200Mbps", "10Mbps"), "500kB", 3), (("50Mbps", "5Mbps"), "150kB", 1.5):
            carried = self.home_carries(*rates, ["{from: h1, to: h0, window: 800kB}",
                                                 f"{{from: h3, to: h1, window: {window}, start: 20ms}}"])
            self.assertGreater(carried["ack-first"], least * carried["fifo"])
            lost = 1 - carried["fifo"] / carried["ack-first"]
            for told in [], ["--rate", rates[0][:-3] + "/" + rates[1][:-3]]:
                shows = told or least > 2
                said = self.json("check", "out/h0.pcap", *told, status=1 if shows else 4)["resources"][0]["diagnosis"]
                if shows:
                    self.assertEqual(said["cause"], "rate_asymmetry_acks" if told else "hidden_traffic")
                    self.assertIn("as their ACKs wait behind data of others", said["why"])
                    self.assertAlmostEqual(said["lost_share"]["total"], lost, delta=said["lost_share"]["ci95"])
                else:
                    self.assertIn("--rate IN/OUT", said["why"])
        self.HOME = home

    def test_a_capture_at_the_router_shows_data_and_acks_of_others(self):
        """The same upload, seen where the line begins. Beside another download ACKs wait for ACKs: that is no yes."""
        home, self.HOME = self.HOME, self.HOME.replace("traffic:", self.NEIGHBOUR + "traffic:").replace("at: h0", "at: modem-isp")
        for other, window, up, least in ("h3, to: h1", "500kB", "10Mbps", 3), ("h1, to: h3", "2MB", "2Mbps", None):
            flows = [f"{{from: {peer}, to: h0, window: {400 if least else 1000}kB, start: {i}ms}}" for i, peer in enumerate(("h1", "h2"))]
            carried = self.home_carries("200Mbps", up, flows + [f"{{from: {other}, window: {window}, start: 20ms}}"])
            done = self.call("check", "out/modem-isp.pcap", "--json")
            said = next(r for r in json.loads(done.stdout)["resources"] if r["host"] == "10.0.0.1")["diagnosis"]
            if least:
                self.assertGreater(carried["ack-first"], least * carried["fifo"])
                self.assertEqual((said["asymmetry"], said["cause"]), ("yes", "hidden_traffic"), said["why"])
            else:
                self.assertLess(carried["ack-first"], 1.05 * carried["fifo"])
                self.assertNotEqual(said["asymmetry"], "yes", said["why"])
        self.HOME = home

    def begun_late(self, share):
        """late.pcap: out/h0.pcap without that share of its frames."""
        data = (self.dir / "out/h0.pcap").read_bytes()
        frames, at = [], 24
        while at < len(data):
            frames.append((data[at:at + 16], data[at + 16:at + 16 + int.from_bytes(data[at + 8:at + 12], "little")]))
            at += 16 + len(frames[-1][1])
        kept = frames[int(share * len(frames)):]
        (self.dir / "late.pcap").write_bytes(data[:24] + b"".join(head + frame for head, frame in kept))

    UPLOADS = ["{from: h0, to: h1, window: 24kB, rate: 1.04Mbps, start: 2ms}",
               "{from: h0, to: h1, window: 24kB, rate: 506kbps, start: 12ms}",
               "{from: h0, to: h1, window: 48kB, start: 31ms}", "{from: h2, to: h0, window: 733kB, start: 41ms}",
               "{from: h1, to: h0, window: 1911kB, start: 42ms}", "{from: h2, to: h0, window: 1325kB, start: 43ms}"]

    def test_waits_that_follow_bytes_show_a_full_line_that_never_ran_empty(self):
        """Nobody saw the queue before the modem empty, and no frame shows its rate; but what waits there waits as what
        passes tells, at that rate, so the line is full and what stood there is a wait."""
        carried = self.home_carries("233Mbps", "5.82Mbps", self.UPLOADS, "cubic")
        self.assertGreater(carried["ack-first"], 1.3 * carried["fifo"])
        self.begun_late(0.3)
        said = self.json("check", "late.pcap")["resources"][0]["diagnosis"]
        self.assertEqual(said["asymmetry"], "yes", said["why"])
        self.assertAlmostEqual(said["capacity_bps"]["out"], 5.82e6, delta=0.005 * 5.82e6)
        lost = said["lost_share"]
        self.assertAlmostEqual(lost["total"], 1 - carried["fifo"] / carried["ack-first"], delta=lost["ci95"])

    def test_a_way_that_is_assumed_to_be_as_fast_may_be_full(self):
        """The same, where waits follow less well. Frames show the way in alone; that the way out is as fast nobody saw."""
        self.home_carries("233Mbps", "5.82Mbps", self.UPLOADS)
        for share in (0.3, 0.45):
            self.begun_late(share)
            said = self.json("check", "late.pcap", status=4)["resources"][0]["diagnosis"]
            self.assertEqual(said["asymmetry"], "unknown", said["why"])
            self.assertGreater(said["lost_share"]["total"] + said["lost_share"]["ci95"], 0.43)

    def test_a_home_line_has_one_answer_and_one_remedy(self):
        self.run_scenario(e2e.ROOT / "scenarios/home.yaml", "duration=30s", "warmup=15s")
        said = self.good("check", "--quick", "out", status=1).stdout
        self.assertRegex(said, r"^out: port modem-dslam \(the same flows at h2\): yes: ")
        self.assertEqual(said.count("what to do: "), 1)
        self.assertNotIn("host modem", said)
        self.assertNotIn("on modem", said)
        resources = {r["host"]: r for r in self.json("check", "--quick", "out")["resources"]}
        self.assertEqual({name: r["port"] for name, r in resources.items()}, {"h2": False, "modem-dslam": True})
        self.assertEqual(resources["h2"]["diagnosis"]["same_as"], "modem-dslam")
        self.assertIsNone(resources["modem-dslam"]["diagnosis"]["same_as"])

    def test_the_filter_shows_the_acks_that_wait(self):
        """As many pure ACKs as Wireshark sees from the receiver of the outgoing flow, which loses: of the first 15,000 packets."""
        e2e.require("tshark")
        [host] = self.json("check", self.YES)["resources"]
        shown = subprocess.run(["tshark", "-r", self.YES, "-c", "15000", "-Y", host["diagnosis"]["display_filter"], "-T", "fields",
                                "-e", "ip.src", "-e", "tcp.srcport", "-e", "tcp.len"], capture_output=True, text=True, check=True)
        rows = set(shown.stdout.splitlines())
        self.assertGreater(len(shown.stdout.splitlines()), 1000)
        out, = (f for f in host["flows"] if f["direction"] == "out")
        address, port = out["dst"].rsplit(":", 1)
        self.assertEqual(rows, {f"{address}\t{port}\t0"})

    def test_round_trips_are_those_of_the_run(self):
        """Two flows in, one out, windows of 300 kB, 100 Mb/s: all wait behind 600 kB of wire, 50 ms, either on the way
        there or on that of their ACKs; through empty queues a round trip takes a fraction of a millisecond."""
        self.run_scenario(e2e.ROOT / "scenarios/star.yaml", *QUICK)
        for name in ("out", "out/h0.pcap"):
            host = next(r for r in self.json("check", "--quick", name)["resources"] if r["host"] in ("h0", "10.0.0.1"))
            latency = host["diagnosis"]["latency"]
            self.assertLess(latency["idle"]["median_s"], 2e-3)
            for q in ("median_s", "p95_s"):
                self.assertAlmostEqual(latency["loaded"][q] / (600e3 * 8 / 1e8 * 1538 / 1448), 1, delta=0.05, msg=(name, q))
            self.assertEqual(latency["bufferbloat"], "some")


FIRST = ("network.nic.queue=ack-first", "network.switch.queue=ack-first")
SMALL = """
engine: native
duration: 1500ms
warmup: 500ms
network: {topology: star, hosts: 4, link: {rate: 100Mbps, delay: 50us}, nic: {limit: 20MB}, switch: {limit: 20MB}}
tcp: {window: 300kB}
traffic: {flows: [{from: h1, to: h0}, {from: h2, to: h0}, {from: h0, to: h3}]}
"""


class Again(e2e.Case):
    """What was possible in a run is what it carries with ACKs first."""

    def setUp(self):
        super().setUp()
        self.write("small.yaml", SMALL)
        self.temporary = self.dir / "tmp"
        self.temporary.mkdir()
        self.environment = {**os.environ, "TMPDIR": str(self.temporary)}

    def said(self, *args, program=e2e.CONTRAFLOW):
        """The diagnosis of each host, and what is said on standard error; no directory is left."""
        done = subprocess.run([str(program), "check", "--json", *args], cwd=self.dir, capture_output=True, text=True,
                              env=self.environment, timeout=600)
        self.assertEqual(done.returncode, self.answered(json.loads(done.stdout)), done.stderr)
        self.assertEqual(list(self.temporary.iterdir()), [])
        return {r["host"]: r["diagnosis"] for r in json.loads(done.stdout)["resources"]}, done.stderr

    def by_hand(self, scenario, *sets):
        """Steady goodput of each flow of that scenario with ACKs first, bit/s, by name."""
        flows = self.run_scenario(scenario, *sets, output="by-hand")
        return {f["flow"]: float(f["steady_goodput_bps"]) for f in flows}

    def test_possible_is_what_the_run_carries_with_acks_first(self):
        for scenario, sets, more in (("small.yaml", (), FIRST),
                                     ("small.yaml", ("network.switch.queue=fq_codel", "tcp.congestion=cubic"), FIRST),
                                     (e2e.ROOT / "scenarios/star.yaml", ("engine=native", "duration=800ms",
                                                                         "warmup=300ms"), FIRST)):
            flows = self.run_scenario(scenario, *sets)
            (said, words), first = self.said("out"), self.by_hand(scenario, *sets, *more)
            said = said["h0"]
            self.assertEqual((said["possible_from"], words), ("emulated", ""))
            for way, end in (("in", "dst"), ("out", "src")):
                carries = sum(first[f["flow"]] for f in flows if f[end] == "h0")
                self.assertAlmostEqual(said["possible_bps"][way] / carries, 1, delta=1e-3)
                self.assertAlmostEqual(said["lost_share"][way], 1 - said["goodput_bps"][way] / carries, delta=1e-3)

    def test_queues_of_single_ports_and_the_backbone_are_replaced_too(self):
        """Three switches in a row, with a queue of its own at a port between two of them."""
        text = """
engine: native
duration: 1500ms
warmup: 500ms
network:
  link: {rate: 100Mbps, delay: 50us}
  nodes: [{name: b, switch: {queue: QUEUE, limit: 20MB}}]
  switch: {queue: QUEUE, limit: 20MB}
  nic: {queue: QUEUE, limit: 20MB}
  links:
    - {from: h0, to: a}
    - {from: h1, to: a}
    - {from: a, to: b, out: {port: {queue: QUEUE, limit: 20MB}}}
    - {from: b, to: c}
    - {from: h2, to: c}
    - {from: h3, to: c}
tcp: {window: 300kB}
traffic: {flows: [{from: h0, to: h2}, {from: h1, to: h3}, {from: h3, to: h0}]}
"""
        self.write("fifo.yaml", text.replace("QUEUE", "fifo"))
        self.write("first.yaml", text.replace("QUEUE", "ack-first"))
        self.run_scenario("fifo.yaml")
        first = self.by_hand("first.yaml")
        said, _ = self.said("out")
        cable = next(d for host, d in said.items() if host.startswith("a-"))
        self.assertEqual((cable["possible_from"], cable["asymmetry"]), ("emulated", "yes"))
        self.assertAlmostEqual(cable["possible_bps"]["out"] / (first["f0"] + first["f1"]), 1, delta=1e-3)
        self.assertAlmostEqual(cable["possible_bps"]["in"] / first["f2"], 1, delta=1e-3)

    def test_a_sender_with_a_constant_rate_loses_nothing(self):
        """It gets what it writes, behind 20 MB of FIFO, at 30 to 85 % of what the other way's flows leave it."""
        for share in (0.3, 0.6, 0.85):
            self.write("paced.yaml", SMALL.replace("from: h0,", f"from: h0, rate: {45.7 * share:.2f}Mbps,"))
            self.run_scenario("paced.yaml")
            said = self.said("out")[0]["h0"]
            self.assertEqual((said["asymmetry"], said["possible_from"]), ("no", "emulated"), said["why"])
            self.assertAlmostEqual(said["lost_share"]["total"], 0, delta=0.01)
            self.assertAlmostEqual(said["goodput_bps"]["out"] / (45.7e6 * share), 1, delta=0.01)

    def test_with_acks_first_already_nothing_is_emulated(self):
        """There is no engine to do it, and nobody misses one."""
        self.run_scenario("small.yaml", *FIRST)
        said, words = self.said("out", program=self.alone())
        self.assertEqual((said["h0"]["possible_from"], words), ("emulated", ""))
        self.assertEqual((said["h0"]["possible_bps"], said["h0"]["asymmetry"]), (said["h0"]["goodput_bps"], "no"))

    def test_quick_asks_the_model_as_other_commands_do(self):
        self.run_scenario("small.yaml")
        quick, words = self.said("out", "--quick")
        self.assertEqual((quick["h0"]["possible_from"], words), ("model", ""))
        compared = self.json("compare", "out", "out")
        self.assertEqual(quick["h0"]["lost_share"]["total"], compared["hosts"][0]["lost_share"]["before"])
        # the window law: each way B, of 1448 bytes in 1538 on the wire, with the ACKs of as much (90 for 2 segments)
        for way in ("in", "out"):
            self.assertAlmostEqual(quick["h0"]["possible_bps"][way] / (1e8 * 1448 / (1538 + 45)), 1, delta=1e-3)

    def test_a_capture_in_a_run_is_a_capture(self):
        self.run_scenario("small.yaml", "capture=[{at: h0, snaplen: 96}]")
        said, _ = self.said("out/h0.pcap", program=self.alone())
        self.assertEqual(said["10.0.0.1"]["possible_from"], "model")

    def alone(self):
        """The program without any engine beside it."""
        (self.dir / "alone").mkdir(exist_ok=True)
        return pathlib.Path(shutil.copy(e2e.CONTRAFLOW, self.dir / "alone"))

    def test_what_cannot_be_emulated_again_is_said(self):
        """And the model answers, as with --quick."""
        for sets, reason in (((), "contraflow-native is not there"),
                             (("network.nic.queue=tbf", "network.nic.rate=90Mbps", "network.nic.burst=20kB"),
                              "'tbf' has a rate"),
                             (("network.switch.queue=prio",), "'prio' has classes"),
                             (("network.switch.architecture=voq",), "buffers at its inputs")):
            with self.subTest(reason):
                self.run_scenario("small.yaml", *sets)
                program = e2e.CONTRAFLOW if sets else self.alone()
                said, words = self.said("out", program=program)
                self.assertEqual(said, self.said("out", "--quick")[0])
                self.assertIn(reason, words)
                self.assertEqual((len(words.splitlines()), said["h0"]["possible_from"]), (1, "model"))

    def test_flows_that_end_too_soon_with_acks_first_are_the_models(self):
        """Beside two flows the one out has half of the link, and 6.9 of its 25 MB by 1.2 s, when a third one begins. The
        rest, at a third of the link, takes 4.8 s. With ACKs first it is through after 2.2 s in all."""
        self.write("ends.yaml", SMALL.replace("{from: h0, to: h3}", "{from: h0, to: h3, bytes: 25MB}, "
                                              "{from: h3, to: h0, start: 1200ms}"))
        self.run_scenario("ends.yaml", "warmup=0s", "duration=8s")
        said, words = self.said("out")
        self.assertEqual(said["h0"]["possible_from"], "model")
        self.assertIn("live at other times", words)

    def test_an_interrupt_leaves_nothing(self):
        self.run_scenario("small.yaml", "duration=300s")
        for number in (signal.SIGINT, signal.SIGTERM):
            running = subprocess.Popen([str(e2e.CONTRAFLOW), "check", "out"], cwd=self.dir, env=self.environment,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.wait_for(lambda: list(self.temporary.glob("*/run/scenario.yaml")))
            running.send_signal(number)
            out, words = running.communicate(timeout=60)
            self.assertEqual((running.returncode, out), (-number, ""), words)
            self.assertEqual(list(self.temporary.iterdir()), [])

    def test_a_terminal_sees_how_far_it_is(self):
        self.run_scenario("small.yaml", "duration=400s")  # a second of a fast processor and more
        self.assertIn("out: emulating it again, with ACKs first: ", self.on_terminal("check", "--exit-zero", "out"))
        self.assertNotIn("emulating", self.on_terminal("check", "--quick", "--exit-zero", "out"))
