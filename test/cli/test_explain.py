#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Where round trips go: against what emulation's queues hold, and on captures of real Linux."""
import csv

import e2e

ACK_FIRST = ("network.nic.queue=ack-first", "network.switch.queue=ack-first")


class Case(e2e.Case):
    def explained(self, path):
        return self.json("explain", path)["flows"]

    def way(self, flows, host, out):
        return [f for f in flows if f["src" if out else "dst"].startswith(host + ":")]


class Emulated(Case):
    def star(self, *sets):
        self.run_scenario(e2e.ROOT / "scenarios/star.yaml", "tcp.initial_window=10", "duration=1s", "warmup=500ms",
                          "capture=[{at: h0}, {at: h1}]", *sets)
        return self.explained("out/h0.pcap")

    def queue_s(self, port):
        """Mean wait in a queue of 1 Gb/s over the whole run, from queues.csv."""
        with open(self.dir / "out/queues.csv", newline="") as f:
            rows = [(float(r["time_s"]), int(r["depth_bytes"])) for r in csv.DictReader(f) if r["port"] == port]
        area = sum(d * (rows[i + 1][0] - t) for i, (t, d) in enumerate(rows[:-1])) + rows[-1][1] * (1 - rows[-1][0])
        return area * 8 / 1e9

    def test_two_in_one_out_the_outgoing_flows_acks_wait(self):
        flows = self.star()
        port = self.queue_s("sw0-h0")
        out, = self.way(flows, "10.0.0.1", True)
        self.assertAlmostEqual(out["ack_wait_s"] / port, 1, delta=0.1)
        self.assertGreater(out["ack_share"], 0.85)
        self.assertEqual((out["tap"], out["limit"]), ("sender", "receiver"))
        for flow in self.way(flows, "10.0.0.1", False):
            self.assertAlmostEqual(flow["data_wait_s"] / port, 1, delta=0.1)
            self.assertLess(flow["ack_share"], 0.1)

    def test_a_tap_at_the_other_end_says_the_same(self):
        here = self.star()
        there, = self.explained("out/h1.pcap")
        same = next(f for f in here if f["src"] == there["src"])
        self.assertEqual((there["tap"], same["tap"]), ("sender", "receiver"))
        # the tap beside the sender sees its data later than they were stamped, and none that wait there still
        self.assertAlmostEqual(there["data_wait_s"] / same["data_wait_s"], 1, delta=0.35)
        self.assertLess(abs(there["ack_wait_s"] - same["ack_wait_s"]), 0.002)

    def test_acks_first_wait_for_nothing(self):
        for sets in ((), ("traffic.star.incoming=1",)):
            for flow in self.star(*ACK_FIRST, *sets):
                self.assertLess(flow["ack_wait_s"], 0.0005)
                self.assertLess(flow["ack_share"], 0.02)
                if flow["compressed_share"] is not None:
                    self.assertLess(flow["compressed_share"], 0.05)

    def test_one_each_way_the_backlog_is_on_one_side(self):
        waits = [(f["data_wait_s"], f["ack_wait_s"]) for f in self.star("traffic.star.incoming=1")]
        for data, ack in waits:
            self.assertAlmostEqual(data + ack, 0.0249, delta=0.002)  # two windows of 3 MB less what is on the wire


class Pendulum(Case):
    def queues(self, *sets):
        self.run_scenario(e2e.ROOT / "scenarios/star.yaml", "capture=[]", "duration=4s", "warmup=1s", *sets)
        return next(q for q in self.json("explain", "out")["queues"] if q["nic"] == "h0")

    def test_two_in_one_out_the_backlog_stays_on_one_side(self):
        q = self.queues()
        self.assertGreater(q["one_busy"], 0.99)
        self.assertIsNone(q["period_s"])
        self.assertAlmostEqual(q["one_busy"] + q["both_busy"] + q["neither_busy"], 1)

    def test_acks_first_leave_both_busy(self):
        q = self.queues("traffic.star.incoming=1", *ACK_FIRST)
        self.assertGreater(q["both_busy"], 0.99)
        self.assertIn("simulated queues of hosts", self.good("explain", "out").stdout)


class Linux(Case):
    def capture(self, name):
        return self.explained(e2e.ROOT / f"test/data/captures/{name}.pcap.gz")

    def test_fifo_is_named_acks_waiting_behind_data(self):
        flows = self.capture("fifo-2in-1out")
        out, = self.way(flows, "10.9.0.1", True)
        self.assertGreater(out["ack_share"], 0.9)
        for flow in flows:  # the legs add up to Little's law: 500 kB in flight
            self.assertAlmostEqual(flow["rtt_s"] / (500e3 * 8 / flow["goodput_bps"]), 1, delta=0.08)
            self.assertEqual(flow["limit"], "receiver")
        text = self.good("explain", e2e.ROOT / "test/data/captures/fifo-2in-1out.pcap.gz").stdout
        self.assertIn("of it its ACKs wait behind other data", text)

    def test_acks_first_show_none(self):
        for flow in self.capture("ackprio-2in-1out"):
            self.assertLess(flow["ack_share"], 0.01)
            self.assertLess(flow["compressed_share"], 0.05)

    def test_shallow_buffers_are_named_losses(self):
        for flow in self.capture("shallow-2in-1out"):
            self.assertEqual(flow["limit"], "loss")
        text = self.good("explain", e2e.ROOT / "test/data/captures/shallow-2in-1out.pcap.gz").stdout
        self.assertEqual(text.count("losses set its rate"), 3)

    def test_one_in_two_out_the_incoming_flows_acks_wait(self):
        flows = self.capture("wire-fifo-1in-2out")
        into, = self.way(flows, "10.9.0.1", False)
        self.assertGreater(into["ack_share"], 0.9)
        for flow in self.way(flows, "10.9.0.1", True):
            self.assertLess(flow["ack_share"], 0.05)


class BadInput(Case):
    def test_a_line_or_an_answer(self):
        self.bad(2, "no file given", "explain")
        self.bad(2, "nothere", "explain", "nothere.pcap")
        self.run_scenario(e2e.ROOT / "scenarios/tam-output.yaml", "duration=5ms", "warmup=1ms", "capture=[{at: h0}]")
        self.assertIn("no bulk TCP flow", self.good("explain", "out/h0.pcap", status=1).stderr)


if __name__ == "__main__":
    e2e.main()
