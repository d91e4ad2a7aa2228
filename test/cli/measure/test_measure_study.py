# SPDX-License-Identifier: GPL-2.0-or-later
"""contraflow measure --study: of emulated networks, and of one between namespaces (paths.py), where those may be made."""
import json

import e2e
import paths
import schemas

NETWORK = """seed: {seed}
duration: 2s
network: {{link: {{rate: 20Mbps, delay: 100us}}, nic: {{queue: {nic}}}, switch: {{queue: {port}}}}}
tcp: {{window: 60kB, congestion: newreno}}
traffic: {{star: {{incoming: 1, outgoing: 1}}}}
"""


class Emulated(e2e.Case):
    def study(self, nic, port):
        self.write("hidden.yaml", NETWORK.format(seed=3, nic=nic, port=port))
        done = self.call("measure", "--study", "--emulate", "hidden.yaml", "--json")
        said = json.loads(done.stdout)
        self.assertEqual((schemas.errors(said), done.returncode), ([], 4 if said["cause"] is None else 0))
        return said

    @e2e.plainly
    def test_the_place_where_acks_wait_is_named(self):
        """FIFO at hosts alone: one in and two out share the NIC with the ACKs of the one in, which has half of the link (Eq.
        6); of two in and one out nobody waits. That is what tells it from FIFO at the ports alone."""
        said = self.study("fifo", "fair")
        self.assertEqual(said["cause"], "host")
        weights = {o["cause"]: o["weight"] for o in said["odds"]}
        self.assertGreaterEqual(weights["host"], 0.7)
        self.assertAlmostEqual(sum(weights.values()) + said["none_weight"], 1)
        self.assertEqual((weights["losses"], weights["ring"]), (0, 0))  # nothing was sent again
        first, second, third, *others = said["patterns"]
        self.assertEqual([(p["in"], p["out"], p["nats"]) for p in (first, second)], [(0, 1, None), (1, 0, None)])
        self.assertEqual(third["nats"], max(p["nats"] for p in [third, *others]))  # what tells most comes first
        self.assertIn((1, 2), [(p["in"], p["out"]) for p in said["patterns"]])

    def test_bad_words(self):
        self.bad(2, "either servers or --emulate SCENARIO", "measure", "--study")
        self.bad(2, "either servers or --emulate SCENARIO", "measure", "--study", "--emulate", "star", "h")
        self.bad(2, "none.yaml", "measure", "--study", "--emulate", "none.yaml")
        self.bad(2, "needs a star: network.hosts=5: ", "measure", "--study", "--emulate", e2e.ROOT / "scenarios/home.yaml")


class Servers(e2e.Case):
    def test_a_path_is_studied(self):
        """One server: one flow each way. Whatever the machine's load, an answer has its three patterns, and rates that the
        line allows."""
        paths.require(self)
        path = {"in": paths.way(10, 40000), "out": paths.way(10, 40000)}
        done = paths.measure(e2e.CONTRAFLOW, path, "--json", first=["--study"], timeout=240)
        self.assertIn(done.returncode, (0, 4), done.stderr)
        said = json.loads(done.stdout)
        self.assertEqual(schemas.errors(said), [])
        self.assertEqual([(p["in"], p["out"]) for p in said["patterns"]][:2], [(0, 1), (1, 0)])
        self.assertLessEqual(len(said["patterns"]), 3)
        for p in said["patterns"]:
            for rate in (p["in_bps"], p["out_bps"]):
                self.assertLess(rate or 0, 10e6)
