# SPDX-License-Identifier: GPL-2.0-or-later
"""Where round trips go: against what emulation's queues hold, and on captures of real Linux."""
import csv
import gzip
import struct

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
                self.assertLess(flow["compressed_share"], 0.05)

    def test_one_each_way_the_backlog_is_on_one_side(self):
        waits = [(f["data_wait_s"], f["ack_wait_s"]) for f in self.star("traffic.star.incoming=1")]
        for data, ack in waits:
            self.assertAlmostEqual(data + ack, 0.0249, delta=0.002)  # two windows of 3 MB less what is on the wire


class Estimates(Case):
    """What a capture at one end says, against what the emulation knows exactly."""

    def compare(self, scenario, *sets, hosts=(0, 1)):
        captures = ", ".join(f"{{at: h{h}}}" for h in hosts)
        self.run_scenario(e2e.ROOT / "scenarios" / scenario, f"capture=[{captures}]", *sets)
        exact = self.json("explain", "out")["simulated"]
        for flow in exact:
            flow["estimates"] = []
        for host in hosts:
            for estimate in self.explained(f"out/h{host}.pcap"):
                flow = exact[int(estimate["dst"].rsplit(":", 1)[1]) - 5001]
                self.assertLess(abs(estimate["ack_share"] - flow["ack_share"]), 0.1)
                # ACKs that wait beyond the tap do not show beside the receiver
                beyond = estimate["tap"] == "receiver" and flow["dst"] != "h0" and scenario == "star.yaml"
                if estimate["compressed_share"] is not None and not beyond:
                    self.assertLess(abs(estimate["compressed_share"] - flow["compressed_share"]), 0.1)
                    flow["estimates"].append(estimate)
        return exact

    def test_two_in_one_out(self):
        for sets in ((), ("tcp.initial_window=10",)):
            flows = self.compare("star.yaml", *sets, hosts=(0, 1, 2, 3))
            self.assertEqual([len(f["estimates"]) for f in flows], [2, 2, 1])
            self.assertGreater(flows[2]["ack_share"], 0.9)
        for flow in flows:  # windows that grew by and by: bursts of ACKs
            self.assertGreater(flow["compressed_share"], 0.25)

    def test_one_each_way(self):
        large = "tcp.window=3MB", "network.link.delay=50us", "traffic={flows: [{from: h0, to: h1}, {from: h1, to: h0}]}"
        for sets in (), large:
            for flow in self.compare("pendulum.yaml", *sets):
                self.assertEqual(len(flow["estimates"]), 2)
                self.assertGreater(flow["compressed_share"], 0.5)
                for estimate in flow["estimates"]:  # the symptom alone costs nothing
                    self.assertEqual(estimate["goodput_bps"] > 900e6, sets == large)

    def test_acks_first_compress_and_wait_for_nothing(self):
        for scenario, hosts in (("star.yaml", (0, 1, 2, 3)), ("pendulum.yaml", (0, 1))):
            for flow in self.compare(scenario, *ACK_FIRST, hosts=hosts):
                self.assertLess(flow["compressed_share"], 0.02)
                self.assertLess(flow["ack_share"], 0.02)
                for estimate in flow["estimates"]:
                    self.assertLess(estimate["compressed_share"], 0.05)

    @e2e.needs_engine
    def test_both_engines_wait_alike(self):
        short = "duration=600ms", "warmup=300ms"  # of twelve swings (Pendulum, below)
        native = self.compare("pendulum.yaml", *short)
        other = self.compare("pendulum.yaml", *short, "engine=ns3")
        for a, b in zip(native, other, strict=True):
            self.assertEqual(a["floor_s"], b["floor_s"])
            for key in "data_wait_s", "ack_wait_s", "compressed_share":
                self.assertAlmostEqual(a[key] / b[key], 1, delta=0.05)


class Answers(Case):
    """A server answers over the connections that ask: data both ways, one after the other, so that no ACK waits."""

    def test_data_that_carry_no_new_acknowledgement_are_no_acks_that_wait(self):
        self.write("asks.yaml", """
duration: 1s
warmup: 400ms
network: {topology: star, hosts: 2, link: {rate: 100Mbps, delay: 1ms}, nic: {queue: fifo, limit: 20MB}}
tcp: {congestion: cubic, window: 60kB}
traffic: {requests: {server: h0, clients: [h1], request: 60kB, response: 200kB, think: 8ms, count: 90}}
capture: [{at: h0}, {at: h1}]
""")
        self.run_scenario("asks.yaml")
        exact, = self.json("explain", "out")["simulated"]
        self.assertLess(exact["ack_wait_s"], 1e-4)
        for host in "h0", "h1":
            for flow in self.explained(f"out/{host}.pcap"):
                with self.subTest(host=host, flow=flow["src"]):
                    self.assertLess(flow["ack_share"], 0.1)  # 7 to 40 % where the answers themselves pass for ACKs
        self.assertEqual(self.json("check", "out/h0.pcap", status=None)["resources"][0]["diagnosis"]["asymmetry"], "no")


class Pendulum(Case):
    def queues(self, scenario, *sets):
        self.run_scenario(e2e.ROOT / "scenarios" / scenario, "capture=[]", *sets)
        pair, = self.json("explain", "out")["queues"]
        self.assertAlmostEqual(pair["one_busy"] + pair["both_busy"] + pair["neither_busy"], 1)
        return pair

    def test_two_in_one_out_the_backlog_is_on_one_side(self):
        pair = self.queues("star.yaml", "duration=4s", "warmup=1s")
        self.assertEqual({pair["a"], pair["b"]}, {"sw0-h0", "h0"})
        self.assertGreater(pair["one_busy"], 0.99)
        self.assertIsNone(pair["period_s"])

    def test_one_each_way_it_swings(self):
        pair = self.queues("pendulum.yaml")
        self.assertEqual({pair["a"], pair["b"]}, {"h0", "h1"})
        self.assertGreater(pair["one_busy"], 0.5)
        self.assertLess(pair["correlation"], 0)
        self.assertAlmostEqual(pair["period_s"], 0.025, delta=0.01)  # two round trips of 12.5 ms

    def test_a_capture_alone_says_so_too(self):
        for scenario, sets in (("pendulum.yaml", ()), ("pendulum.yaml", ACK_FIRST),
                               ("star.yaml", ("tcp.initial_window=10",))):
            self.run_scenario(e2e.ROOT / "scenarios" / scenario, *sets)
            exact, = self.json("explain", "out")["queues"]
            waits, = self.json("explain", "out/h0.pcap")["queues"]
            self.assertEqual((waits["a"], waits["b"]), ("from 10.0.0.1", "to 10.0.0.1"))
            self.assertAlmostEqual(waits["one_busy"], exact["one_busy"], delta=0.15)
            if sets != ACK_FIRST:  # there is no more to swing
                self.assertLess(waits["correlation"], 0)
            if exact["period_s"]:
                self.assertAlmostEqual(waits["period_s"] / exact["period_s"], 1, delta=0.1)

    def test_acks_first_leave_both_busy(self):
        for scenario in "star.yaml", "pendulum.yaml":
            pair = self.queues(scenario, *ACK_FIRST)
            self.assertLess(pair["one_busy"], 0.01)
            self.assertGreater(pair["both_busy"], 0.99)
        self.assertIn("simulated queues", self.good("explain", "out").stdout)


class Linux(Case):
    def capture(self, name):
        return self.explained(e2e.ROOT / f"test/data/captures/{name}.pcap.gz")

    def test_fifo_is_named_acks_waiting_behind_data(self):
        flows = self.capture("fifo-2in-1out")
        out, = self.way(flows, "10.9.0.1", True)
        self.assertGreater(out["ack_share"], 0.9)
        host, = self.json("check", e2e.ROOT / "test/data/captures/fifo-2in-1out.pcap.gz")["resources"]
        judged = {(f["src"], f["dst"]): f for f in host["flows"]}
        for flow in flows:  # the legs add up to Little's law, in the phase judged
            there = judged[flow["src"], flow["dst"]]
            self.assertAlmostEqual(flow["rtt_s"] / (there["window_bytes"] * 8 / there["rate_bps"]), 1, delta=0.03)
            self.assertEqual([flow[k] for k in ("data_wait_s", "ack_wait_s")],
                             [there[k] for k in ("data_wait_s", "ack_wait_s")])
            self.assertEqual(flow["limit"], "receiver")
            self.assertEqual([p["limit"] for p in flow["phases"]], ["sender", "receiver"])  # slow start, then full
        text = self.good("explain", e2e.ROOT / "test/data/captures/fifo-2in-1out.pcap.gz").stdout
        self.assertIn(f"its ACKs wait behind other data for {1e3 * out['ack_wait_s']:.1f} ms", text)

    def test_it_begins_as_check_does(self):
        for name in "fifo-2in-1out", "ackprio-2in-1out", "shallow-2in-1out", "wire-fifo-1in-2out":
            path = e2e.ROOT / f"test/data/captures/{name}.pcap.gz"
            diagnosis = self.good("check", path, "--exit-zero").stdout
            self.assertIn("what to do: ", diagnosis)
            self.assertTrue(self.good("explain", path).stdout.startswith(diagnosis + str(path) + "\n"))
            checked = self.json("check", path)["resources"]
            explained = self.json("explain", path)["hosts"]
            self.assertEqual([(r["host"], r["diagnosis"]) for r in checked],
                             [(h["host"], h["diagnosis"]) for h in explained])

    def test_no_cost_is_claimed_where_the_answer_is_no(self):
        """One flow each way through deep queues: ACKs wait, and both directions are full."""
        self.run_scenario(e2e.ROOT / "scenarios/star.yaml", "traffic.star.incoming=1", "tcp.initial_window=10",
                          "duration=1s", "warmup=500ms", "capture=[{at: h0}]")
        host, = self.json("explain", "out/h0.pcap")["hosts"]
        self.assertEqual((host["diagnosis"]["asymmetry"], host["diagnosis"]["cause"]), ("no", "full"))
        text = self.good("explain", "out/h0.pcap").stdout
        self.assertRegex(text, r"its ACKs wait behind other data for [\d.]+ ms, at no cost: the link carries what it can")

    def test_one_file_has_one_tap(self):
        for name in "fifo-2in-1out", "shallow-2in-1out", "windows-2W-W-W-2in-1out", "wire-fifo-1in-2out":
            for flow in self.capture(name):
                here = "sender" if flow["src"].startswith("10.9.0.1:") else "receiver"
                self.assertEqual(flow["tap"], here, name)

    def waits(self, name):
        return self.json("explain", e2e.ROOT / f"test/data/captures/{name}.pcap.gz")["queues"][0]

    def test_backlog_on_one_side_or_both(self):
        self.assertGreater(self.waits("fifo-2in-1out")["one_busy"], 0.7)
        self.assertLess(self.waits("ackprio-2in-1out")["one_busy"], 0.05)
        self.assertGreater(self.waits("wire-fifo-1in-2out")["one_busy"], 0.5)

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


class Odd(Case):
    """Captures that lack something: an answer, or a clear sentence."""

    def rewrite(self, name, change):
        with gzip.open(e2e.ROOT / "test/data/captures/fifo-2in-1out.pcap.gz") as f:
            data = f.read()
        out, at, i = bytearray(data[:24]), 24, 0
        while at < len(data):
            second, micro, captured, wire = struct.unpack_from("<IIII", data, at)
            frame = data[at + 16:at + 16 + captured]
            kept = change(i, second, frame)
            if kept:
                out += struct.pack("<IIII", kept[0], micro, captured, wire) + kept[1]
            at += 16 + captured
            i += 1
        (self.dir / name).write_bytes(out)

    def test_one_direction_only(self):
        self.rewrite("from.pcap", lambda i, s, f: (s, f) if f[26:30] == bytes([10, 9, 0, 1]) else None)
        flow, = self.explained("from.pcap")
        self.assertAlmostEqual(flow["goodput_bps"], 24.01e6, delta=0.1e6)
        self.assertIsNone(flow["ack_wait_s"])
        self.assertIn("its ACKs are not in the capture", self.good("explain", "from.pcap").stdout)
        self.assertIn("\n  assumed: 1 of 1 flows, whose windows do not show, have the scenario's\n",
                      self.good("replay", "from.pcap", "--scenario", e2e.ROOT / "scenarios/replay.yaml", "-q", "-o",
                                "out").stdout)

    def test_clock_that_steps_back(self):
        self.rewrite("back.pcap", lambda i, s, f: (s - 1 if 10000 < i < 20000 else s, f))
        for command in "analyze", "check", "explain":
            self.assertIn("back.pcap: its clock steps back 1 times, by up to 1.000 s",
                          self.call(command, "back.pcap").stderr)
        self.assertEqual(self.json("analyze", "back.pcap")["captures"][0]["clock_steps_back"], 1)

    def test_no_tcp(self):
        self.rewrite("udp.pcap", lambda i, s, f: (s, f[:23] + bytes([17]) + f[24:]) if i < 500 else None)
        self.rewrite("empty.pcap", lambda i, s, f: None)
        for name, frames in ("udp.pcap", 500), ("empty.pcap", 0):
            self.assertIn(f"{name}: no TCP segment among {frames} frames", self.good("analyze", name).stderr)
            self.assertIn("no bulk TCP flow", self.good("explain", name, status=1).stderr)
            self.assertIn("no host has two bulk flows", self.good("check", name, status=4).stderr)
            self.bad(2, "no bulk flow to replay", "replay", name, "--scenario", e2e.ROOT / "scenarios/replay.yaml",
                     "-q", "-o", "out")


class BadInput(Case):
    def test_a_line_or_an_answer(self):
        self.bad(2, "no file given", "explain")
        self.bad(2, "nothere", "explain", "nothere.pcap")
        self.run_scenario(e2e.ROOT / "scenarios/tam-output.yaml", "duration=5ms", "warmup=1ms", "capture=[{at: h0}]")
        self.assertIn("no bulk TCP flow", self.good("explain", "out/h0.pcap", status=1).stderr)
