# SPDX-License-Identifier: GPL-2.0-or-later
"""MPI_Barrier, MPI_Isend and MPI_Alltoall: times by hand, what Nagle's rule and idle times cost, who is late, sweeps
over processes and sizes, bounds of unequal messages."""
import collections
import csv
import json
import shutil
import sqlite3

import e2e

SCENARIOS = e2e.ROOT / "scenarios" if e2e.ROOT else None
# From host to host in barrier.yaml: two cables of 25 us, 10 us in the switch, and twice a frame of 4 bytes, 20 + 32 of
# headers and 18 of Ethernet behind 8 of preamble, at 100 Mb/s.
MESSAGE_S = 60e-6 + 2 * (4 + 52 + 18 + 8) * 8 / 100e6


class Case(e2e.Case):
    def judge(self, name, *sets):
        self.run_scenario(SCENARIOS / name, *sets)
        return json.loads(self.good("check", "out", "--json", "--exit-zero").stdout)["programs"][0]

    def operations(self):
        with open(self.dir / "out/operations.csv", newline="") as f:
            return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(f)]


class Barrier(Case):
    """Vaughan, Grove and Coddington 2003, section 6 and Fig. 11: a binomial tree up and down."""

    def test_depth_is_the_logarithm_of_the_processes(self):
        # The root is through when the fan-in is: log2 n messages one after another. The last leaf hears after as many.
        for n, depth in ((2, 1), (4, 2), (8, 3), (16, 4), (32, 5)):
            said = self.judge("barrier.yaml", f"network.hosts={n}", "traffic.tree.repeat=3")
            self.assertAlmostEqual(said["processes"]["min_s"], depth * MESSAGE_S, delta=1e-9)
            self.assertAlmostEqual(said["whole_mean_s"], 2 * depth * MESSAGE_S, delta=1e-9)

    def test_a_message_of_several_segments_is_waited_for(self):
        # Five of 1448 bytes, with gaps between them on the first link; the last one alone on the second.
        message_s = 60e-6 + (4 * 1538 + 2 * 1526) * 8 / 100e6
        said = self.judge("barrier.yaml", "network.hosts=4", "traffic.tree.repeat=3", "traffic.tree.bytes=7240B")
        self.assertAlmostEqual(said["processes"]["min_s"], 2 * message_s, delta=1e-9)

    def test_without_a_power_of_two_the_deepest_branch_decides(self):
        # Process i is as many messages from the root as it has bits set. Messages that one host sends at once follow
        # each other by a frame and its gap: less than a tenth of a message.
        for n in (3, 5, 6, 17, 88):
            depth = max(bin(i).count("1") for i in range(n))
            took = self.judge("barrier.yaml", f"network.hosts={n}", "traffic.tree.repeat=2")["whole_mean_s"]
            self.assertGreater(took, 2 * depth * MESSAGE_S - 1e-9)
            self.assertLess(took, (2 * depth + 2) * MESSAGE_S)

    def test_nobody_leaves_before_all_have_come(self):
        # Processes come within 5 ms; the last one decides when anybody is let go. Each is through once a barrier.
        said = self.judge("barrier.yaml", "traffic.tree.repeat=40", "traffic.start_spread=5ms")
        through = collections.Counter((r["operation"], r["process"]) for r in self.operations())
        self.assertEqual((len(through), set(through.values())), (40 * 16, {1}))
        took = collections.defaultdict(list)
        for r in self.operations():
            took[r["operation"]].append(r["end_s"] - r["start_s"])
        for times in took.values():
            self.assertLess(max(times) - min(times), 5 * MESSAGE_S)  # released together, however far apart they came
        self.assertGreater(said["whole_mean_s"], 4e-3)  # the largest of 16 draws of [0, 5 ms]: 16/17 of it on average

    def test_limits_are_said(self):
        run = ("run", SCENARIOS / "barrier.yaml", "-o", "out")
        self.bad(2, ["traffic.tree", "transport is gbn"], *run, "--set", "transport=gbn")
        self.bad(2, ["no barriers over a tree"], *run, "--set", "engine=ns3")
        self.bad(2, ["one of star, pairs, random, exchange, tree"], *run, "--set", "traffic.star={incoming: 1}")


class Nagle(Case):
    """RFC 896 and RFC 1122, 4.2.3.2: 16384 bytes are 11 full segments and a short one. The receiver acknowledges every
    second at once and holds back the ACK of the eleventh, for which the short one waits. 4096 bytes are two and one."""

    def times(self, bytes_, *sets):
        flows = self.run_scenario(SCENARIOS / "isend.yaml", "traffic.pairs.count=1", "traffic.pairs.both_ways=false",
                                  "traffic.pairs.repeat=60", f"traffic.pairs.bytes={bytes_}B",
                                  "tcp.delayed_ack_timeout=35ms", *sets)
        return float(flows[0]["message_s"])

    def test_an_odd_number_of_full_segments_waits_for_the_delayed_ack(self):
        self.assertLess(self.times(16384), 5e-3)
        self.assertLess(self.times(4096, "tcp.nagle=true"), 5e-3)
        self.assertAlmostEqual(self.times(16384, "tcp.nagle=true"), 35e-3, delta=4e-3)
        self.assertLess(self.times(16384, "tcp.nagle=true", "tcp.delayed_ack=1"), 5e-3)

    def test_only_native_has_it(self):
        for key, words in (("nagle", "Nagle's rule"), ("idle_restart", "restart after idle times")):
            self.bad(2, [words], "run", SCENARIOS / "star.yaml", "-o", "out", "--set", f"tcp.{key}=true", "--set",
                     "engine=ns3")


class IdleRestart(Case):
    def test_a_pause_longer_than_the_timeout_costs_the_window(self):
        # RFC 5681, 4.1: 16 kB are 12 segments; with a window of 2 they take 2 + 4 + 6: two round trips of 20 ms more
        # than at once, each time. Without it only the first exchanges do.
        sets = ("network.hosts=2", "network.link.delay=5ms", "tcp.initial_window=2", "traffic.exchange.repeat=10")
        warm = self.judge("alltoall.yaml", *sets)["processes"]["p50_s"]
        cold = self.judge("alltoall.yaml", *sets, "tcp.idle_restart=true")["processes"]["p50_s"]
        self.assertAlmostEqual(cold - warm, 2 * 20e-3, delta=2e-3)
        busy = self.judge("alltoall.yaml", *sets, "tcp.idle_restart=true", "traffic.exchange.period=0s")
        self.assertLess(busy["processes"]["p50_s"], warm + 1e-3)


class Late(Case):
    def test_every_process_and_the_cascade(self):
        said = self.judge("alltoall.yaml", "tcp.min_rto=30ms", "traffic.exchange.repeat=40")
        shares = [p["late_share"] for p in said["by_process"]]
        self.assertEqual(len(shares), 8)
        self.assertAlmostEqual(sum(shares) / 8, said["processes"]["outlier_share"], places=9)
        cascade = said["cascade"]
        self.assertGreaterEqual(cascade["late_operations_share"], max(shares))
        self.assertAlmostEqual(cascade["ratio"], said["whole_mean_s"] / said["processes"]["mean_s"], places=9)
        self.assertGreater(cascade["ratio"], 1)
        text = self.good("check", "out").stdout
        self.assertIn("late by process, %:", text)
        self.assertIn("when all wait for the slowest", text)


class Sweeps(Case):
    def sweep(self, scenario, sets, axes):
        (self.dir / "s.yaml").write_text(f"scenario: {SCENARIOS / scenario}\nset: {json.dumps(sets)}\n"
                                         f"axes: {json.dumps(axes)}\n")
        self.good("sweep", "s.yaml", "--quiet")
        return self.json("fit", "s.db")

    def test_signatures_of_a_lossless_switch_predict_each_other(self):
        # Nothing is lost: what is beyond the bound grows with it, and a fit at one n holds at the others.
        said = self.sweep("alltoall.yaml", {"network.switch.limit": "10MB", "traffic.exchange.repeat": 2},
                          {"network.hosts": [4, 8], "traffic.exchange.bytes": ["64kB", "128kB", "256kB", "512kB"]})
        fits = {f["processes"]: f for f in said["signatures"]["fits"]}
        self.assertEqual((sorted(fits), len(said["signatures"]["measured"])), ([0, 4, 8], 8))
        for n in (4, 8):
            self.assertEqual(fits[n]["fit"]["eq5"]["points"], 4)
            self.assertLess(fits[n]["fit"]["eq5"]["mean"], 0.1)
            self.assertGreater(fits[n]["fit"]["gamma"], 1)  # no exchange is faster than Proposition 1 says
        # The point's whole operations are those of the run.
        self.run_scenario(SCENARIOS / "alltoall.yaml", "network.switch.limit=10MB", "traffic.exchange.repeat=2",
                          "network.hosts=4", "traffic.exchange.bytes=64kB")
        run = json.loads(self.good("check", "out", "--json", "--exit-zero").stdout)["programs"][0]["whole_mean_s"]
        self.assertAlmostEqual(said["signatures"]["measured"][0]["time_s"], run, places=12)
        self.assertIn("contention signatures", self.good("fit", "s.db").stdout)
        self.good("report", "s.db", "-o", "page.html")
        self.assertIn("Contention signatures", (self.dir / "page.html").read_text())

    def test_shards_that_differ_in_whole_operations_alone_are_refused(self):
        self.sweep("alltoall.yaml", {"traffic.exchange.repeat": 2}, {"network.hosts": [2, 3]})
        shutil.copy(self.dir / "s.db", self.dir / "a.db")
        self.assertIn("needs four sizes", self.good("fit", "s.db").stdout)
        self.good("sweep", "merge", "m.db", "a.db", "s.db")
        db = sqlite3.connect(self.dir / "a.db")
        db.execute("UPDATE point SET operation_s = operation_s + 1 WHERE number = 2")
        db.commit()
        db.close()
        self.bad(2, "point 2 has other results", "sweep", "merge", "n.db", "a.db", "s.db")

    def test_connections_that_meet_nobody_have_one_gap(self):
        # 1448 bytes in 1538 on the wire at 100 Mb/s: 84.97 ns a byte, however many pairs a star carries.
        said = self.sweep("isend.yaml", {"network.backbone.rate": "10Gbps", "traffic.pairs.both_ways": "false",
                                         "traffic.pairs.repeat": 1, "traffic.pairs.bytes": "4MB"},
                          {"traffic.pairs.count": [1, 4]})
        points = said["connections"]["points"]
        self.assertEqual([(p["pairs"], p["connections"]) for p in points], [(1, 1), (4, 4)])
        for p in points:
            self.assertAlmostEqual(p["beta_free_s_per_byte"] / (1538 * 8 / 100e6 / 1448), 1, delta=0.01)
            self.assertAlmostEqual(p["most_over_mean"], 1, delta=0.01)
        self.assertIn("pairs of hosts at once", self.good("fit", "s.db").stdout)


class Claims(Case):
    """Steffenel 2006, section 5.1, by hand: alpha 50 us, beta 10 ns."""

    def sizes(self, text):
        (self.dir / "w.csv").write_text("from,to,bytes\n" + text)
        return self.json("predict", "exchange", "--sizes", "w.csv", "--alpha", "50us", "--beta", "1e-8")["claims"]

    def test_bounds(self):
        # Process 0 sends 1 MB and 2 MB: two start-ups, 30 ms. 2 receives 3 MB from two, so do its messages: 30 ms.
        said = self.sizes("0,1,1000000\n0,2,2000000\n1,2,1000000\n")
        self.assertEqual((said["processes"], said["messages"], said["startups"], said["claim3"]), (3, 3, 2, True))
        self.assertAlmostEqual(said["send_s"], 30e-3, places=12)
        self.assertAlmostEqual(said["receive_s"], 30e-3, places=12)
        self.assertAlmostEqual(said["rounds_s"], 30.1e-3, places=12)

    def test_equal_sizes_are_proposition_1(self):
        n, m = 5, 10**6
        said = self.sizes("".join(f"{i},{j},{m}\n" for i in range(n) for j in range(n) if i != j))
        self.assertAlmostEqual(said["rounds_s"], (n - 1) * (50e-6 + 1e-8 * m), places=12)

    def test_a_receiver_of_one_large_message_is_not_the_sender_of_many(self):
        said = self.sizes("0,1,10\n0,2,10\n0,3,10\n3,1,1000000\n")
        self.assertFalse(said["claim3"])
        self.assertLess(said["port_s"], said["rounds_s"])
        text = self.good("predict", "exchange", "--sizes", "w.csv", "--alpha", "50us", "--beta", "1e-8").stdout
        self.assertIn("needs synchronous rounds", text)

    def test_bad_files(self):
        link = ("--alpha", "50us", "--beta", "1e-8")
        for text, words in (("", "w.csv: no message"), ("0,0,5\n", "w.csv:2: process 0 sends to itself"),
                            ("0,1.5,5\n", "w.csv:2: to is '1.5'"), ("0,1,-5\n", "w.csv:2: bytes is '-5'"),
                            ("0,10000,5\n", "w.csv:2: to is '10000'")):
            (self.dir / "w.csv").write_text("from,to,bytes\n" + text)
            self.bad(2, words, "predict", "exchange", "--sizes", "w.csv", *link)
        self.bad(2, "do not go with it", "predict", "exchange", "--sizes", "w.csv", *link, "--processes", 4)
        self.bad(2, "--alpha: not given", "predict", "exchange", "--sizes", "w.csv")
