#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""contraflow check on runs: the same verdict from flows.csv and from the capture alone."""
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

    def test_acks_first_are_eq5(self):
        run, _ = self.both("eq5", "ack-first.yaml")
        self.assertFalse(run["rules"]["eq6"]["holds"])

    def test_unequal_windows_are_the_window_law(self):
        self.both("window", "star.yaml", "traffic.star.outgoing_window=150kB")
        self.both("window", "star.yaml", "traffic.star.outgoing_window=600kB")

    def test_shallow_ports_are_losses(self):
        self.both("loss", "star.yaml", "network.switch.limit=50kB", status=1)

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


if __name__ == "__main__":
    e2e.main()
