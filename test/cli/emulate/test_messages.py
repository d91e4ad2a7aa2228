# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages repeated behind a barrier until their mean time is known (traffic.precision): Zhu 2014, section 3.1."""
import collections
import csv
import io
import json
import math
import statistics

import e2e

# Two senders at one NIC: windows larger than a message, so the first to leave the barrier fills the queue, and the
# other waits for all of it.
TWO = """network: {{hosts: 3}}
tcp: {{window: 3MB}}
traffic:
  precision: {precision}
  flows:
    - {{name: a, from: h0, to: h1, bytes: 100kB}}
    - {{name: b, from: h0, to: h2, bytes: 100kB}}
"""
# Student's t, two-sided 95 %, by degrees of freedom up to 30 from any table; beyond, Abramowitz and Stegun 26.7.5
T_TABLE = {4: 2.776445, 9: 2.262157, 14: 2.144787, 19: 2.093024, 24: 2.063899, 29: 2.045230}


def t975(df):
    if df in T_TABLE:
        return T_TABLE[df]
    z = statistics.NormalDist().inv_cdf(0.975)
    return (z + (z**3 + z) / (4 * df) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * df**2)
            + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * df**3))


def width(times):
    """The full interval of the mean, over the mean."""
    return 2 * t975(len(times) - 1) * statistics.stdev(times) / math.sqrt(len(times)) / statistics.fmean(times)


class Case(e2e.Case):
    def summary(self, output="out"):
        return json.loads((self.dir / output / "summary.json").read_text())

    def operations(self, output="out"):
        """[(start_s, end_s)] of each flow, in order."""
        of = collections.defaultdict(list)
        with open(self.dir / output / "operations.csv", newline="") as f:
            for row in csv.DictReader(f):
                self.assertEqual(int(row["operation"]), len(of[row["process"]]))
                of[row["process"]].append((float(row["start_s"]), float(row["end_s"])))
        return of

    def two(self, *sets, precision="10%", **kwargs):
        self.write("two.yaml", TWO.format(precision=precision))
        return self.run_scenario("two.yaml", *sets, **kwargs)


class Alone(Case):
    def test_queues_of_a_run_that_may_take_long_are_sampled_less_often(self):
        """Every ms where all ends by itself, but no more than 50,000 times in what it may take: every 2 ms of 100 s."""
        self.two("duration=100s", "warmup=0s")
        with open(self.dir / "out/queues.csv", newline="") as f:
            times_us = sorted({round(1e6 * float(row["time_s"])) for row in csv.DictReader(f)})
        self.assertGreater(len(times_us), 5)
        self.assertEqual({at_us % 2000 for at_us in times_us}, {0})  # where nothing has changed no row is written

    def test_a_message_takes_its_frames_and_the_way(self):
        self.write("one.yaml", "network: {hosts: 2, link: {rate: 1Gbps, delay: 50us}}\ntcp: {window: 3MB}\n"
                               "traffic: {precision: 2%, flows: [{from: h0, to: h1, bytes: 1013600}]}\n")
        flow, = self.run_scenario("one.yaml")
        # 700 segments of 1448: as many frames of 1538 bytes at 8 ns, one of them once more at the switch, two links.
        # The last has arrived with its last bit, before the 12 bytes of gap behind it.
        self.assertAlmostEqual(float(flow["message_s"]), 701 * 1538 * 8e-9 + 2 * 50e-6, delta=0.2e-6)
        self.assertLess(float(flow["message_sd_s"]), 1e-12)
        self.assertEqual(flow["messages"], "5")  # nothing varies: as few as are believed
        self.assertEqual(int(flow["bytes"]), 6 * 1013600)  # the first only warms the connection
        self.assertEqual(flow["steady_goodput_bps"], "")
        benchmark = self.summary()["benchmark"]
        self.assertTrue(benchmark["converged"])
        self.assertLess(benchmark["reached"], 1e-9)


class Shared(Case):
    def test_it_goes_on_until_every_interval_is_narrow(self):
        flows = self.two()
        of = self.operations()
        n = int(flows[0]["messages"])
        self.assertGreater(n, 20)
        self.assertLess(n, 2000)
        for i, flow in enumerate(flows):
            times = [end - start for start, end in of[str(i)]]
            self.assertEqual((len(times), int(flow["messages"])), (n, n))
            mean, sd = statistics.fmean(times), statistics.stdev(times)
            self.assertGreater(sd / mean, 0.2)  # first or second
            self.assertAlmostEqual(float(flow["message_s"]) / mean, 1, delta=1e-9)
            self.assertAlmostEqual(float(flow["message_sd_s"]) / sd, 1, delta=1e-9)
            self.assertAlmostEqual(float(flow["message_ci95_s"]) / (t975(n - 1) * sd / math.sqrt(n)), 1, delta=1e-4)
        # it stopped at the first message after which both were narrow
        narrow = [max(width([e - s for s, e in of[f][:k]]) for f in "01") <= 0.1 for k in range(5, n + 1)]
        self.assertEqual(narrow.index(True), len(narrow) - 1)
        benchmark = self.summary()["benchmark"]
        self.assertEqual((benchmark["precision"], benchmark["messages"], benchmark["converged"]), (0.1, n, True))
        self.assertAlmostEqual(benchmark["reached"], max(width([e - s for s, e in of[f]]) for f in "01"), delta=1e-5)
        for flow, row in zip(self.summary()["flows"], flows, strict=True):
            for key in ("messages", "message_s", "message_sd_s", "message_ci95_s"):
                self.assertAlmostEqual(flow[key], float(row[key]), delta=1e-9)

    def test_each_leaves_the_barrier_at_a_time_drawn_anew(self):
        self.two("traffic.start_spread=40us", precision="20%")
        a, b = self.operations().values()
        gaps = [start - max(a[k][1], b[k][1]) for flow in (a, b) for k, (start, _) in enumerate(flow[1:])]
        self.assertGreater(min(gaps), -1e-12)
        self.assertLess(max(gaps), 40e-6 + 1e-12)
        self.assertAlmostEqual(statistics.fmean(gaps), 20e-6, delta=4 * 40e-6 / math.sqrt(12 * len(gaps)))
        first = sum(x[0] < y[0] for x, y in zip(a, b, strict=True)) / len(a)
        self.assertAlmostEqual(first, 0.5, delta=4 * 0.5 / math.sqrt(len(a)))
        self.two("traffic.start_spread=0s", output="together")
        a, b = self.operations("together").values()
        for k in range(1, len(a)):
            self.assertEqual((a[k][0], a[k][0]), (max(a[k - 1][1], b[k - 1][1]), b[k][0]))

    def test_same_seed_same_bytes(self):
        for output, seed in (("a", 3), ("b", 3), ("c", 4)):
            self.two(output=output, options=("--seed", seed))
        for name in ("flows.csv", "operations.csv", "summary.json", "queues.csv"):
            files = [(self.dir / output / name).read_bytes() for output in "abc"]
            self.assertEqual(files[0], files[1], name)
            self.assertNotEqual(files[0], files[2], name)

    def test_what_it_resolves_to_runs_the_same(self):
        self.two()
        self.run_scenario("out/scenario.yaml", output="again")
        first, again = (self.dir / f"{d}/operations.csv" for d in ("out", "again"))
        self.assertEqual(first.read_bytes(), again.read_bytes())

    def test_repeat_bounds_it(self):
        flows = self.two("traffic.flows.0.repeat=30", "traffic.flows.1.repeat=30", precision="1%")
        self.assertEqual([f["messages"] for f in flows], ["30", "30"])
        summary = self.summary()
        self.assertTrue(summary["complete"])
        self.assertFalse(summary["benchmark"]["converged"])
        of = self.operations()
        self.assertAlmostEqual(summary["benchmark"]["reached"], max(width([e - s for s, e in of[f]]) for f in "01"),
                               delta=1e-5)
        self.assertTrue(all(f["done"] for f in summary["flows"]))

    def test_a_run_that_duration_ends_did_not_converge(self):
        self.two("duration=50ms", precision="1%")
        summary = self.summary()
        self.assertTrue(summary["complete"])
        self.assertEqual(summary["ended_s"], 0.05)
        self.assertFalse(summary["benchmark"]["converged"])
        self.assertGreater(summary["benchmark"]["reached"], 0.01)
        self.assertGreater(summary["benchmark"]["messages"], 10)
        self.assertFalse(any(f["done"] for f in summary["flows"]))
        table = self.good("run", "two.yaml", "--set", "duration=50ms", "-o", "table").stdout
        self.assertIn("did not converge to 1 %", table)
        self.two("duration=2ms", output="short")  # one message for the connection, one that counts at most
        self.assertEqual(self.summary("short")["benchmark"]["reached"], None)
        self.assertFalse(self.summary("short")["benchmark"]["converged"])


class Kinds(Case):
    def test_a_star_measured_so_obeys_eq6(self):
        flows = self.run_scenario(e2e.ROOT / "scenarios/star.yaml", "traffic.star.bytes=20MB", "traffic.precision=2%",
                                  "duration=60s", "tcp.window=500kB", "capture=[]")
        self.assertEqual(len({f["messages"] for f in flows}), 1)
        checked = self.json("check", "out")
        resource, = checked["resources"]
        self.assertEqual((resource["host"], resource["verdict"]), ("h0", "eq6"))
        # Every one half of the link: Eq. 6 for two in, one out; but for the first window of the message, which goes
        # before ACKs wait behind data: 500 kB of 20 MB.
        for flow in flows:
            self.assertAlmostEqual(8 * 20e6 / float(flow["message_s"]) / (e2e.B_1448 / 2), 1, delta=0.5 / 20)

    def test_random_and_points(self):
        self.write("random.yaml", "network: {hosts: 6}\n"
                   "traffic: {precision: 20%, random: {d: 2, bytes: 200kB, repeat: 9}}\n")
        flows = self.run_scenario("random.yaml")
        self.assertGreater(len(flows), 2)
        self.assertTrue(all(5 <= int(f["messages"]) <= 9 for f in flows))
        self.write("points.yaml", "traffic: {precision: 20%, star: {points: [1/1, 2/1], bytes: 200kB}}\n")
        self.good("run", "points.yaml", "-o", "points", "--quiet")
        self.assertEqual([len(self.flows(f"points/{p}")) for p in ("1in-1out", "2in-1out")], [2, 3])
        self.assertTrue(self.summary("points/2in-1out")["benchmark"]["converged"])

    def test_both_ways_count_when_both_are_there(self):
        self.write("duplex.yaml", "network: {hosts: 2}\ntraffic: {precision: 2%, flows: "
                                  "[{from: h0, to: h1, bytes: 1MB, duplex: true}]}\n")
        self.run_scenario("duplex.yaml")
        flow, = self.summary()["flows"]
        self.assertEqual(flow["delivered_bytes"], (flow["messages"] + 1) * 10**6)
        self.assertEqual(flow["delivered_back_bytes"], flow["delivered_bytes"])
        self.assertGreater(flow["message_s"], 8e6 / e2e.B_1448)

    def test_flows_without_messages_go_their_own_way(self):
        self.write("mixed.yaml", "duration: 100ms\nnetwork: {hosts: 4}\ntraffic:\n  flows:\n"
                   "    - {name: m, from: h0, to: h1, bytes: 100kB, repeat: 3}\n    - {name: bulk, from: h2, to: h3}\n")
        flows = {f["flow"]: f for f in self.run_scenario("mixed.yaml")}
        self.assertEqual((flows["m"]["messages"], flows["bulk"]["messages"], flows["bulk"]["message_s"]), ("3", "", ""))
        self.assertGreater(float(flows["bulk"]["steady_goodput_bps"]), 0.99 * e2e.B_1448)
        self.assertEqual((self.summary()["benchmark"], list(self.operations())), (None, ["0"]))


class Incast(Case):
    """incast.yaml: sixteen messages of 64 kB at once, 1 MB, take 8.7 ms at 1 Gb/s."""

    def longest_s(self, *sets):
        self.run_scenario("incast", *sets, "capture=[]")
        found = json.loads(self.call("check", "--json", "out").stdout)
        return found["programs"][0]["processes"]["max_s"], sum(int(f["retransmitted_segments"]) for f in self.flows("out"))

    def test_a_shallow_port_costs_a_timer(self):
        longest_s, lost = self.longest_s()
        self.assertGreater(longest_s, 0.2)
        self.assertGreater(lost, 100)

    def test_room_for_all_costs_nothing(self):
        longest_s, lost = self.longest_s("network.switch.limit=2MB")
        self.assertEqual(lost, 0)
        self.assertAlmostEqual(longest_s, 16 * 64000 * 1538 / 1448 * 8 / 1e9, delta=0.0005)


class Elsewhere(Case):
    def test_a_prediction_is_of_one_message(self):
        self.write("two.yaml", TWO.format(precision="10%"))
        self.write("one.yaml", TWO.format(precision="10%").replace("  precision: 10%\n", ""))
        self.assertEqual(self.json("predict", "two.yaml", "--all"), self.json("predict", "one.yaml", "--all"))

    def test_the_paper_s_links_converge(self):
        flows = self.run_scenario(e2e.ROOT / "scenarios/zhu-benchmark.yaml")
        self.assertTrue(self.summary()["benchmark"]["converged"])
        once = self.run_scenario(e2e.ROOT / "scenarios/zhu-figure1.yaml", "capture=[]", output="once")
        for many, one in zip(flows, once, strict=True):  # one message of many: within their spread
            took = float(one["end_s"]) - float(one["start_s"])
            self.assertAlmostEqual(float(many["message_s"]), took, delta=4 * float(many["message_sd_s"]) + 1e-4)

    def test_ns3_repeats_nothing(self):
        self.write("two.yaml", TWO.format(precision="10%"))
        self.bad(2, ["ns3 has no messages repeated until", "use native"], "run", "two.yaml", "--engine", "ns3")
        self.bad(2, ["--cross-check: ns3 has no messages repeated until"], "run", "two.yaml", "--cross-check")

    def test_bad_input_is_one_line(self):
        self.write("two.yaml", TWO.format(precision="10%"))
        for words, *sets in ((["traffic.precision=0", "above 0"], "traffic.precision=0"),
                             (["traffic.precision=2", "100%"], "traffic.precision=2"),
                             (["traffic.barrier=false", "barrier"], "traffic.barrier=false"),
                             (["traffic.precision", "TCP"], "transport=gbn")):
            self.bad(2, words, "run", "two.yaml", "-o", "no", *(x for s in sets for x in ("--set", s)))
        self.bad(2, ["traffic.precision", "without bytes"], "run", e2e.ROOT / "scenarios/star.yaml", "--set",
                 "traffic.precision=2%", "-o", "no")
        self.assertFalse((self.dir / "no").exists())

    def test_a_sweep_keeps_what_messages_took(self):
        self.write("two.yaml", TWO.format(precision="10%"))
        self.write("s.yaml", "scenario: two.yaml\naxes:\n  tcp.window: [100kB, 1MB]\n")
        self.good("sweep", "s.yaml")
        rows = list(csv.DictReader(io.StringIO(self.good("sweep", "export", "s.db", "--flows").stdout)))
        flows = self.two("tcp.window=1MB")
        for row, flow in zip(rows[2:], flows, strict=True):
            for key in ("messages", "message_s", "message_sd_s", "message_ci95_s"):
                self.assertAlmostEqual(float(row[key]), float(flow[key]), delta=1e-9)
