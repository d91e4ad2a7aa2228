# SPDX-License-Identifier: GPL-2.0-or-later
"""Traffic from tables and by chance, end to end: flows of a CSV on two engines, Poisson arrivals, sources that go on and
off, clients and a server, and all of it beside a collective."""
import csv
import json
import math
import shutil

import e2e

SCENARIOS = e2e.ROOT / "scenarios" if e2e.ROOT else None
RATE, DELAY = 1e9, 25e-6


def message(size):
    """s from host to host: 90 bytes more a segment of 1448, two cables, the last full frame sent anew, and no gaps of 12
    bytes at its end."""
    wire = 8 * (size + 90 * math.ceil(size / 1448)) / RATE
    return wire + 2 * DELAY + 8 * (min(size, 1448) + 90 - 24) / RATE


class Case(e2e.Case):
    def scenario(self, traffic, **more):
        text = {"title": "b", "duration": "10s", "warmup": "0s",
                "network": {"hosts": 4, "link": {"rate": "1Gbps", "delay": "25us"}}, "traffic": traffic}
        text.update(more)
        self.write("b.yaml", json.dumps(text))
        return "b.yaml"

    def messages(self):
        with open(self.dir / "out/messages.csv", newline="") as f:
            return list(csv.DictReader(f))

    def again(self):
        """The run directory's own scenario gives the same bytes."""
        self.run_scenario("out/scenario.yaml", output="again")
        for name in ("flows.csv", "queues.csv", "summary.json"):
            self.assertEqual((self.dir / "out" / name).read_bytes(), (self.dir / "again" / name).read_bytes(), name)


class Table(Case):
    TEXT = "from,to,bytes,start\nh1,h0,3MB,0.01\nh2,h0,1448000,0.2\nh0,h3,700kB,210ms\n"

    def test_each_flow_sends_its_bytes_from_its_start(self):
        self.write("f.csv", self.TEXT)
        flows = self.run_scenario(self.scenario({"csv": "f.csv"}))
        self.assertEqual([int(f["bytes"]) for f in flows], [3_000_000, 1_448_000, 700_000])
        for f, start in zip(flows, (0.01, 0.2, 0.21)):
            self.assertGreater(float(f["start_s"]), start)
            self.assertLess(float(f["start_s"]), start + 1e-3)  # two ways and a handshake
        self.again()

    @e2e.needs_engine
    def test_both_engines_do_the_same(self):
        self.write("f.csv", self.TEXT)
        self.good("run", self.scenario({"csv": "f.csv"}), "-o", "out", "--cross-check", "-q")

    def test_a_rate_is_kept(self):
        self.write("f.csv", "from,to,bytes,start,rate\nh1,h0,1MB,0,20Mbps\n")
        flow = self.run_scenario(self.scenario({"csv": "f.csv"}))[0]
        self.assertAlmostEqual(float(flow["end_s"]), 8e6 / 20e6, delta=2e-3)
        self.bad(2, ["ns3 has no applications with a rate"], "run", "b.yaml", "--set", "engine=ns3")


class Chance(Case):
    def test_all_flows_of_a_background_end(self):
        shutil.copytree(SCENARIOS / "sizes", self.dir / "sizes")
        flows = self.run_scenario(self.scenario({"background": {"sizes": "sizes/web-search.csv", "load": "30%",
                                                                "stop": "1s"}}))
        self.assertGreater(len(flows), 50)
        summary = json.loads((self.dir / "out/summary.json").read_text())
        self.assertTrue(all(f["done"] for f in summary["flows"]))
        self.assertLess(summary["ended_s"], 10)
        self.again()

    def test_a_seed_is_another_draw(self):
        shutil.copytree(SCENARIOS / "sizes", self.dir / "sizes")
        name = self.scenario({"background": {"sizes": "sizes/web-search.csv", "load": "10%", "stop": "300ms"}})
        first = self.run_scenario(name)
        self.assertNotEqual(first, self.run_scenario(name, "seed=2"))
        self.assertEqual(first, self.run_scenario(name))

    def test_a_source_that_goes_on_and_off_has_its_mean(self):
        # 5 s of 10 ms on and 40 ms off: a hundred times, whose sum has a deviation of 10 %.
        flow = self.run_scenario(self.scenario({"on_off": [{"from": "h1", "to": "h0", "rate": "100Mbps", "on": "10ms",
                                                            "off": "40ms", "stop": "5s"}]}))[0]
        self.assertAlmostEqual(8 * int(flow["bytes"]) / 5, 20e6, delta=3 * 0.15 * 20e6)
        self.again()


class Requests(Case):
    def test_a_client_without_thoughts_waits_for_each_answer(self):
        traffic = {"start_spread": "0s", "requests": {"server": "h0", "clients": ["h2"], "request": "100B",
                                                      "response": "1MB", "think": "0s", "count": 20}}
        self.run_scenario(self.scenario(traffic))
        took = json.loads((self.dir / "out/summary.json").read_text())["operations"]["mean_s"]
        self.assertAlmostEqual(took, 20 * (message(100) + message(1_000_000)), delta=0.02 * took)
        answers = [float(r["mean_s"]) for r in self.messages() if r["from"] == "h0"]
        self.assertEqual(len(answers), 20)
        self.assertAlmostEqual(sorted(answers)[10], message(1_000_000), delta=1e-6)
        self.again()

    def test_clients_share_the_server(self):
        traffic = {"start_spread": "0s", "requests": {"server": "h0", "response": "1MB", "think": "0s", "count": 10}}
        self.run_scenario(self.scenario(traffic))
        took = json.loads((self.dir / "out/summary.json").read_text())["operations"]["mean_s"]
        self.assertGreater(took, 30 * 8e6 / e2e.B_1448)  # all answers leave by one cable
        self.assertLess(took, 1.1 * 30 * 8e6 / e2e.B_1448)


class Beside(Case):
    def test_a_collective_gives_way(self):
        ring = {"collective": {"algorithm": "ring-allreduce", "bytes": "10MB"}, "start_spread": "0s"}
        self.run_scenario(self.scenario(ring))
        alone = json.loads((self.dir / "out/summary.json").read_text())["operations"]["mean_s"]
        ring["beside"] = [{"from": "h2", "to": "h0"}]
        flows = self.run_scenario(self.scenario(ring))
        shared = json.loads((self.dir / "out/summary.json").read_text())["operations"]["mean_s"]
        self.assertEqual(flows[-1]["flow"], "beside0")
        self.assertGreater(shared, 1.5 * alone)  # h0's port is shared by the ring and a flow that never ends
        self.again()

    def test_datagrams_take_their_share(self):
        # h0's port has half of itself for the ring's 15 MB; at the end up to 20 MB of both may still wait in it, but no
        # more than windows of 3 MB and what datagrams came with them.
        ring = {"collective": {"algorithm": "ring-allreduce", "bytes": "10MB"}, "start_spread": "0s",
                "datagrams": [{"from": "h2", "to": "h0", "rate": "500Mbps"}]}
        self.run_scenario(self.scenario(ring))
        took = json.loads((self.dir / "out/summary.json").read_text())["operations"]["mean_s"]
        self.assertGreater(took, 15e6 * 8 / 0.5e9 - 6e6 * 8 / 1e9)
        self.assertLess(took, 1.1 * 15e6 * 8 / 0.5e9 * 1538 / 1448)

    def test_a_capture_has_datagrams_as_udp(self):
        """What a call sends shows in a capture of a download beside it, and the download's ACKs wait behind it."""
        traffic = {"flows": [{"from": "h1", "to": "h0"}],
                   "datagrams": [{"from": "h0", "to": "h2", "rate": "10Mbps", "packet": "1200B", "stop": "500ms"}]}
        self.run_scenario(self.scenario(traffic, duration="1s", capture=[{"at": "h0", "snaplen": 96}]))
        result = self.json("check", "out/h0.pcap")
        beside = [d for r in result["resources"] if r["host"] == "10.0.0.1" for d in r["diagnosis"]["beside"]]
        self.assertEqual([(d["kind"], d["src"].split(":")[0], d["direction"]) for d in beside],
                         [("udp", "10.0.0.1", "out")])
