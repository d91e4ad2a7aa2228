# SPDX-License-Identifier: GPL-2.0-or-later
"""Links that lose, delay and reorder frames: TCP over them as theory says, and no frame unaccounted for."""
import json

import e2e

LINE = """duration: %s
warmup: 5s
network: {link: {rate: 1Gbps, delay: 5ms, faults: {%s}}}
tcp: {window: 8MB, congestion: linuxreno, initial_window: 10%s}
traffic: {star: {incoming: 1, outgoing: 0}}
"""
RTT_S = 0.02


class Faults(e2e.Case):
    def line(self, faults, duration="60s", tcp="", *sets, **options):
        self.write("s.yaml", LINE % (duration, faults, tcp))
        flow, = self.run_scenario("s.yaml", *sets, **options)
        return flow

    def ports(self, output="out"):
        return json.loads((self.dir / output / "summary.json").read_text())["ports"]

    def test_goodput_falls_with_the_square_root_of_the_loss(self):
        """Mathis et al. 1997: MSS / RTT * sqrt(3/2 / p), for a sender that grows by a segment a round trip. Two links
        lose the data. The time between losses scatters it by some per cent."""
        for loss in (0.0002, 0.0008):
            flow = self.line(f"loss: {loss}", "600s")
            expected = 1448 * 8 / RTT_S * (1.5 / (2 * loss)) ** 0.5
            self.assertAlmostEqual(float(flow["steady_goodput_bps"]) / expected, 1, delta=0.15, msg=str(loss))
        sent, lost = (sum(p[key] for p in self.ports()) for key in ("delivered_frames", "lost_frames"))
        self.assertAlmostEqual(lost / (sent + lost), loss, delta=5 * (loss / sent) ** 0.5)

    def test_bursts_cost_less_than_as_many_losses_one_by_one(self):
        """A window is halved once for losses of one round trip: bursts of 5 frames of the same loss leave more."""
        single = self.line("loss: 0.1%", "300s")
        bursts = self.line("burst_loss: {to_bad: 0.0002, to_good: 20%}", "300s")
        self.assertGreater(float(bursts["steady_goodput_bps"]), 1.5 * float(single["steady_goodput_bps"]))

    def test_every_frame_is_accounted_for(self):
        for engine in e2e.ENGINES:
            self.line("loss: 0.1%, jitter: 1ms, reorder: 1%", "6s", "", f"engine={engine}")
            ports = self.ports()
            for p in ports:
                self.assertEqual(p["offered_frames"], p["dropped_frames"] + p["queued_frames"] + p["on_wire_frames"] +
                                 p["delivered_frames"] + p["lost_frames"], engine)
            self.assertGreater(sum(p["lost_frames"] for p in ports), 0, engine)

    def test_jitter_is_part_of_the_round_trip(self):
        """One segment at a time, acknowledged at once: a round trip is two cables each way, each late by half of the
        jitter on average."""
        for jitter in ("jitter: 4ms", "jitter: 4ms, distribution: normal"):
            self.write("s.yaml", (LINE % ("60s", jitter, ", delayed_ack: 1")).replace("linuxreno", "given").replace(
                "star: {incoming: 1, outgoing: 0}", "flows: [{from: h1, to: h0, windows: [{at: 0s, bytes: 1448B}]}]"))
            flow, = self.run_scenario("s.yaml")
            round_trip_s = RTT_S + 4 * 0.002 + 2 * (1526 + 90) * 8e-9
            self.assertAlmostEqual(float(flow["steady_goodput_bps"]) * round_trip_s / (1448 * 8), 1, delta=0.01)

    def test_who_counts_duplicates_takes_reordering_for_loss(self):
        """Three duplicate ACKs are a loss to RFC 6582; Linux waits once it has seen frames overtake (RFC 8985)."""
        counting = self.line("reorder: 5%, reorder_by: 1ms", "10s", "", "tcp.window=500kB", "tcp.congestion=newreno")
        self.assertEqual(sum(p["lost_frames"] + p["dropped_frames"] for p in self.ports()), 0)
        timing = self.line("reorder: 5%, reorder_by: 1ms", "10s", "", "tcp.window=500kB")
        self.assertGreater(int(counting["retransmitted_segments"]), 5)
        self.assertEqual(timing["retransmitted_segments"], "0")
        self.assertGreater(float(timing["steady_goodput_bps"]), 5 * float(counting["steady_goodput_bps"]))

    def test_the_seed_decides(self):
        for output, seed in (("a", 1), ("b", 1), ("c", 2)):
            self.line("loss: 0.1%, jitter: 1ms", "10s", "", f"seed={seed}", output=output)
        a, b, c = ((self.dir / d / "flows.csv").read_text().splitlines()[-1] for d in "abc")
        self.assertEqual(a, b)
        self.assertNotEqual(a, c)

    def test_without_faults_nobody_speaks_of_them(self):
        self.write("s.yaml", LINE.replace(", faults: {%s}", "") % ("6s", ""))
        self.run_scenario("s.yaml")
        self.assertNotIn("lost_frames", self.ports()[0])
        self.assertNotIn("faults", (self.dir / "out/scenario.yaml").read_text())

    def test_a_full_receive_ring_loses_what_is_sent_again(self):
        """A processor that takes 20 us for each frame has 1.5 of them for each that it receives: 33000 a second. Two senders
        with such processors have twice as many: h0's ring of 64 overflows, nothing else does, and what is lost is sent
        again. Every engine has the same host."""
        for engine in e2e.ENGINES:
            self.write("s.yaml", (LINE.replace(", faults: {%s}", "") % ("1s", "")).replace("5s", "300ms").replace("5ms", "1ms")
                       .replace("incoming: 1", "incoming: 2"))
            flows = self.run_scenario("s.yaml", "network.host.processor=20us", "network.host.rx_ring=64",
                                      f"engine={engine}")
            h0, h1 = self.ports()[:2]
            self.assertGreater(h0["ring_lost_frames"], 10, engine)
            self.assertEqual(h1["ring_lost_frames"], 0, engine)
            self.assertEqual(sum(p["dropped_frames"] for p in self.ports()), 0, engine)
            again = sum(int(flow["retransmitted_segments"]) for flow in flows)
            self.assertAlmostEqual(h0["ring_lost_frames"] / again, 1, delta=0.1, msg=engine)
            self.assertNotIn("ring_lost_frames", self.ports()[3])
        self.run_scenario("s.yaml", "network.host.processor=20us")
        self.assertNotIn("ring_lost_frames", self.ports()[0])

    def test_models_that_know_no_faults_say_so(self):
        self.write("s.yaml", LINE % ("6s", "loss: 1%", ""))
        self.bad(2, "links without faults", "predict", "s.yaml")
