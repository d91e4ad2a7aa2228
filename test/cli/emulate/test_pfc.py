# SPDX-License-Identifier: GPL-2.0-or-later
"""PAUSE by class (IEEE 802.1Qbb), as TCP sees it: one class loses nothing, and the other is not stopped with it."""
import json

import e2e

SCENARIO = """duration: 1s
warmup: 400ms
network:
  link: {rate: 1Gbps, delay: 10us}
  nic: {queue: prio}
  switch: {queue: drr, limit: 600kB, pause: {%s}}
tcp: {window: 1MB, congestion: cubic, initial_window: 10}
traffic:
  flows:
    - {name: storage1, from: h1, to: h0, class: 3}
    - {name: storage2, from: h2, to: h0, class: 3}
    - {name: web, from: h3, to: h0}
"""


class Pfc(e2e.Case):
    def test_a_class_without_losses_beside_one_with(self):
        """Both classes have half of the link, whatever they would fill: quanta are equal (drr)."""
        for engine in e2e.ENGINES:
            with self.subTest(engine=engine):
                self.write("s.yaml", SCENARIO % "classes: [3]")
                storage1, storage2, web = self.run_scenario("s.yaml", f"engine={engine}")
                self.assertEqual(int(storage1["retransmitted_segments"]) + int(storage2["retransmitted_segments"]), 0)
                self.assertGreater(int(web["retransmitted_segments"]), 0)
                for share, flows in ((0.25, [storage1, storage2]), (0.5, [web])):
                    for f in flows:
                        self.assertAlmostEqual(float(f["steady_goodput_bps"]) / e2e.B_1448, share, delta=0.01)
                ports = {p["port"]: p for p in json.loads((self.dir / "out/summary.json").read_text())["ports"]}
                self.assertGreater(ports["h1"]["pause"]["told_to_stop_s"], 0.3)
                self.assertEqual(ports["sw0-h0"]["dropped_frames"], sum(p["dropped_frames"] for p in ports.values()))

    def test_pause_stops_all_of_a_host(self):
        self.write("s.yaml", SCENARIO % "on: true")
        self.assertEqual([f["retransmitted_segments"] for f in self.run_scenario("s.yaml")], ["0"] * 3)
