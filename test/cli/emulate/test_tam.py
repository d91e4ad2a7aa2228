# SPDX-License-Identifier: GPL-2.0-or-later
"""Tam's systems as emulated, against his figures (test/data/papers), and what PAUSE and TCP's timers do."""
import csv
import json

import e2e

SCENARIOS = e2e.ROOT / "scenarios" if e2e.ROOT else None
G_R = 123e-6  # s: his receive gap, the unit of his timeouts


def table(name):
    with open(e2e.ROOT / "test/data/papers" / name, newline="") as f:
        return list(csv.DictReader(line for line in f if not line.startswith("#")))


class Case(e2e.Case):
    def judge(self, name, *sets, status=(0, 1, 4)):
        """The one program of a run, as `check --json` says it."""
        self.run_scenario(SCENARIOS / name, *sets)
        done = self.call("check", "out", "--json")
        self.assertIn(done.returncode, status, done.stderr)
        return json.loads(done.stdout)["programs"][0]

    def summary(self):
        return json.loads((self.dir / "out/summary.json").read_text())

    def dropped(self):
        return sum(p["dropped_frames"] for p in self.summary()["ports"])


def many_to_one(row, buffer=None):
    sets = [f"traffic.star.incoming={row['senders']}", "traffic.star.outgoing=0", f"gbn.window={row['window']}",
            f"gbn.timeout={round(int(row['to_gr']) * G_R * 1e9)}ns"]
    return sets + ([f"network.switch.limit={buffer}p"] if buffer else [])


class OutputBuffered(Case):
    """Table 4.1: one set of host parameters, that of tam-output.yaml, for all 18 rows; then other switches."""

    def test_every_row_of_table_4_1(self):
        rows = table("tam2001_table4_1.csv")
        self.assertEqual(len(rows), 18)
        if not e2e.ALL:  # the corners: what he measured is held against each row by test/papers/record.py
            rows = [row for row in rows if row["senders"] != "11" and row["window"] != "24"]
        reached = {}
        differences = []
        for row in rows:
            said = self.judge("tam-output.yaml", *many_to_one(row))
            reached[row["senders"], row["window"], row["to_gr"]] = said["efficiency"]
            differences.append(abs(said["efficiency"] - float(row["teff_measured"])))
            # the Markov chain, with this run's own transitions
            self.assertAlmostEqual(said["predicted"] / said["efficiency"], 1, delta=0.10, msg=row)
            self.assertIn("Eq. 4.9", said["rule"])
        self.assertLess(sum(differences) / len(rows), 0.07)
        self.assertLess(max(differences), 0.15)
        for (p, w, to), efficiency in reached.items():  # rises with TO, falls with P and W
            if to == "400":
                self.assertGreater(reached[p, w, "1600"], efficiency)
            for wider in ("24", "36"):
                if int(wider) > int(w) and (p, wider, to) in reached:
                    self.assertGreater(efficiency, reached[p, wider, to])
            for more in ("11", "15"):
                if int(more) > int(p) and (more, w, to) in reached:
                    self.assertGreater(efficiency + 0.015, reached[more, w, to])  # a tie within its interval

    def test_other_switches_with_nothing_refitted(self):
        rows = table("tam2001_switches.csv")
        self.assertEqual(len(rows), 18)
        rows, differences = e2e.some(rows, 6), []  # the record of the papers has each
        for row in rows:
            if row["switch"] == "uplink":
                p = int(row["senders"])
                sets = many_to_one(row) + [f"network.racks=[1, {p - p // 2}, {p // 2}]"]
                said = self.judge("tam-uplink.yaml", *sets)
                self.assertIn("Eq. 4.9", said["rule"])
            else:
                said = self.judge("tam-output.yaml", *many_to_one(row, row["buffer_packets"]))
            differences.append(abs(said["efficiency"] - float(row["teff_measured"])))
        self.assertLess(sum(differences) / len(rows), 0.10)

    def test_nothing_is_lost_while_all_windows_fit(self):
        said = self.judge("tam-output.yaml", "traffic.star.incoming=5", "traffic.star.outgoing=0", "gbn.window=19",
                          "duration=3s", "warmup=500ms", status=(0,))
        self.assertEqual(self.dropped(), 0)
        self.assertGreater(said["efficiency"], 0.999)
        self.assertEqual(said["nacks"] + said["timeouts"], 0)

    def test_timeouts_alone_leave_less_than_half(self):
        for row in e2e.some(table("tam2001_table4_1.csv"), 3):
            fast = self.judge("tam-output.yaml", *many_to_one(row))["efficiency"]
            simple = self.judge("tam-output.yaml", *many_to_one(row), "gbn.simple=true")["efficiency"]
            self.assertLess(simple, 0.5)
            self.assertLess(simple, fast - 0.2)

    def test_the_same_on_both_engines_to_the_bit(self):
        if not e2e.CONTRAFLOW.with_name("contraflow-ns3").exists():
            self.skipTest("contraflow-ns3 is not built")
        for name, *sets in (("tam-output.yaml", "duration=2s", "warmup=200ms"),
                            ("tam-input.yaml", "duration=2s", "warmup=200ms"),
                            ("tam-exchange.yaml", "traffic.exchange.packets=16"),
                            ("tam-pingpong.yaml", "traffic.pingpong.rounds=10"),
                            ("tam-burst.yaml", "traffic.burst.packets=[256, 512, 1024]",
                             "traffic.burst.sources=[2, 4]"),
                            ("saturation.yaml", "traffic.uniform.ports=4", "duration=1s", "warmup=100ms")):
            for engine in ("native", "ns3"):
                self.run_scenario(SCENARIOS / name, *sets, output=engine, options=("--engine", engine))
            files = sorted(p.name for p in (self.dir / "native").iterdir())
            self.assertEqual(files, sorted(p.name for p in (self.dir / "ns3").iterdir()))
            for file in set(files) - {"scenario.yaml", "summary.json"}:
                self.assertEqual((self.dir / "native" / file).read_bytes(), (self.dir / "ns3" / file).read_bytes(),
                                 f"{name}: {file}")
            for engine in ("native", "ns3"):
                for p in (self.dir / engine).iterdir():
                    p.unlink()


class InputBuffered(Case):
    """Section 4.3.2, B_L = 43."""

    def efficiency(self, p, w, *sets):
        return self.judge("tam-input.yaml", f"traffic.star.incoming={p}", "traffic.star.outgoing=0", f"gbn.window={w}",
                          f"gbn.timeout={round(3 * 43 * p * G_R * 1e6)}us", *sets)

    def test_eq_4_2_over_the_plane(self):
        for p in e2e.some((5, 9, 14, 23), 2):
            for w in e2e.some((50, 75, 120), 2):
                said = self.efficiency(p, w)
                self.assertIn("Eq. 4.2", said["rule"])
                self.assertAlmostEqual(said["efficiency"], said["predicted"], delta=0.03, msg=f"P {p}, W {w}")
                self.assertLess(said["efficiency"], 0.5)

    def test_no_loss_up_to_the_buffer(self):
        for p in (5, 23):
            said = self.efficiency(p, 43, "duration=5s", "warmup=1s")
            self.assertEqual(self.dropped(), 0)
            self.assertGreater(said["efficiency"], 0.999)

    def test_timeouts_alone_are_tied_to_the_timeout(self):
        # every loss waits for a timer: twice the timeout costs nearly as much as the packets between two of them
        short = self.efficiency(11, 85, "gbn.simple=true")["efficiency"]
        long = self.efficiency(11, 85, "gbn.simple=true", "gbn.timeout=700ms")["efficiency"]
        fast = self.efficiency(11, 85)["efficiency"], self.efficiency(11, 85, "gbn.timeout=700ms")["efficiency"]
        self.assertLess(short, 0.5)
        self.assertLess(long, 0.6 * short)
        self.assertAlmostEqual(*fast, delta=0.02)


class Microbenchmarks(Case):
    """Appendix A."""

    def test_the_burst_test_finds_every_buffer_of_table_a1(self):
        rows = table("tam2001_buffers.csv")
        self.assertEqual(len(rows), 8)
        for row in e2e.some(rows, 4):
            b = row["buffer_packets"]
            sets = [f"network.switch.architecture={row['architecture']}"]
            sets += (["network.switch.limit=none", f"network.switch.pool={b}p"] if row["architecture"] == "shared"
                     else [f"network.switch.limit={b}p"])
            if "uplink" in row["switch"]:  # the sources are on Gigabit ports
                sets += ["network.hosts=10", "network.uplinks=8", "network.backbone.rate=1Gbps",
                         "network.backbone.delay=1us"]
            said = self.judge("tam-burst.yaml", *sets)
            self.assertEqual(said["architecture"], row["architecture"] + "-buffered", row)
            self.assertAlmostEqual(said["buffer_packets"] / float(b), 1, delta=0.03, msg=row)
            self.assertAlmostEqual(said["receive_gap_s"], 123.04e-6, delta=1e-8)

    def test_every_pair_plays_all_its_rounds(self):
        """Beside each other on one switch as alone: there and back are twice 264 us and, at either end, 12.5 to send, 20 to
        receive and 7 of the user's (Eq. A.4)."""
        self.judge("tam-pingpong.yaml", "traffic.pingpong.rounds=10")
        with open(self.dir / "out/pingpong.csv", newline="") as f:
            rows = list(csv.DictReader(f))
        self.assertEqual([tuple(int(row[key]) for key in ("pairs", "pair", "rounds")) for row in rows],
                         [(pairs, pair, 10) for pairs in (1, 2, 4, 8, 16) for pair in range(pairs)])
        for row in rows:
            self.assertAlmostEqual(float(row["rtt_s"]), 2 * (264 + 12.5 + 20 + 7) * 1e-6, delta=1e-6)

    def test_ping_pong_finds_the_latency_of_table_5_2(self):
        said = self.judge("tam-pingpong.yaml")  # store and forward: two frames, 18 us in the switch, 1 us a cable
        self.assertAlmostEqual(said["latency_s"], 264e-6, delta=1e-6)
        said = self.judge("tam-pingpong.yaml", "network.switch.forwarding=cut-through")
        self.assertLess(said["latency_s"], 150e-6)


class Exchange(Case):
    """Chapter 5: 16 hosts, Table 5.2's parameters."""

    def of_optimum(self, name, *sets):
        return self.judge(name, *sets)["exchange"]["of_optimum"]

    def test_the_order_at_64_packets_and_the_ratios_at_4(self):
        known = {r["key"]: float(r["value"]) for r in table("tam2001_exchange.csv")}
        reached = {k: [self.of_optimum("tam-exchange.yaml", f"traffic.exchange.algorithm={a}",
                                       f"traffic.exchange.packets={k}")
                       for a in ("synchronous", "group", "pairwise", "shift")] for k in (4, 64)}
        self.assertEqual(reached[64], sorted(reached[64], reverse=True))
        self.assertGreaterEqual(reached[64][0], 0.95)
        self.assertAlmostEqual(reached[4][0], known["sync_k4_of_optimal"], delta=0.05)
        self.assertAlmostEqual(reached[4][2], known["pairwise_k4_of_optimal"], delta=0.05)

    def test_head_of_line_blocking_and_the_global_window(self):
        long = self.of_optimum("tam-hol.yaml")
        short = self.of_optimum("tam-hol.yaml", "traffic.exchange.packets=64")
        window = self.of_optimum("tam-hol.yaml", "traffic.exchange.global_window=2")
        cure = self.of_optimum("tam-hol.yaml", "network.switch.architecture=voq")
        self.assertGreater(short, 0.95)
        self.assertLess(long, 0.75)
        self.assertGreater(window, 0.80)
        self.assertGreater(cure, 0.95)

    def test_the_group_shuffle_lasts_where_its_windows_fit_an_input(self):
        """Fig. 5.6: to k = 2304. Five windows of 8 packets fit the 43 of an input; of 24 they do not."""
        group = "traffic.exchange.algorithm=group", "traffic.exchange.packets=2304", "traffic.exchange.repeat=1"
        fits = self.of_optimum("tam-hol.yaml", *group, "gbn.window=8", "gbn.ack_every=4")
        self.assertEqual(self.dropped(), 0)
        self.assertGreater(fits, 0.80)
        self.assertLess(self.of_optimum("tam-hol.yaml", *group), 0.5)

    def test_four_hierarchies_as_he_measured_them(self):
        """Figs 6.7 to 6.10: 93, 89, 88 and 92 % of what Eq. 6.4 allows a process, with his global windows. Without
        window and permutation uplinks overflow."""
        for racks, window, published in e2e.some((([8, 8], 5, 0.93 * 12.07), ([8, 8, 8], 4, 0.89 * 9.25),
                                                  ([8] * 4, 3, 7.67), ([6] * 4, 5, 0.88 * 10.96)), 2):
            sets = f"network.racks={racks}", "traffic.exchange.repeat=2"
            p = sum(racks)
            said = self.judge("tam-hierarchy.yaml", *sets, f"traffic.exchange.global_window={window}")
            mb_per_s = 256 * 1492 * (p - 1) / said["whole_mean_s"] / 1e6
            self.assertAlmostEqual(mb_per_s / published, 1, delta=0.15, msg=racks)
            if window == 5:
                self.assertEqual(self.dropped(), 0)
            neither = self.of_optimum("tam-hierarchy.yaml", *sets, "traffic.exchange.global_window=0",
                                      "traffic.exchange.contention_aware=false")
            self.assertGreater(self.dropped(), 100)
            self.assertGreater(said["exchange"]["of_optimum"], 1.3 * neither, msg=racks)


class Saturation(Case):
    def test_head_of_line_blocking(self):
        """In 0.9 s a port sends up to 7300 frames: of two, which a coin lets pass or wait, 0.75 +- 0.004."""
        for ports, known, delta in ((2, 0.75, 0.01), (64, 0.586, 0.01)):
            sets = f"traffic.uniform.ports={ports}", "duration=1s", "warmup=100ms"
            said = self.judge("saturation.yaml", *sets)
            self.assertAlmostEqual(said["throughput"], known, delta=delta)
            said = self.judge("saturation.yaml", *sets, "network.switch.architecture=voq")
            self.assertGreater(said["throughput"], 0.98)


class Pause(Case):
    def rates(self, name, *sets):
        flows = self.run_scenario(SCENARIOS / name, *sets)
        return {f["flow"]: float(f["steady_goodput_bps"]) / 1e6 for f in flows}

    def test_two_in_one_out_obey_eq_6_again(self):
        for switch in (("architecture=output",), ("architecture=shared", "limit=none", "pool=128kB")):
            rates = self.rates("pause.yaml", *(f"network.switch.{s}" for s in switch))
            self.assertEqual(self.dropped(), 0)
            for rate in rates.values():
                self.assertAlmostEqual(rate / 463.5, 1, delta=0.03)
            self.assertIn("verdict eq6", self.good("check", "out", "--verbose", "--exit-zero").stdout)

    def test_without_it_losses_set_the_rates(self):
        self.rates("pause.yaml", "network.switch.pause.on=false")
        self.assertGreater(self.dropped(), 100)
        self.assertIn("verdict loss", self.good("check", "out", "--verbose", "--exit-zero").stdout)

    def test_stopping_only_the_senders_gives_full_duplex(self):
        for architecture in ("output", "input", "voq"):
            rates = self.rates("pause.yaml", "network.switch.pause.stops=senders",
                               f"network.switch.architecture={architecture}")
            self.assertEqual(self.dropped(), 0)
            self.assertGreater(rates["out1"], 900)
            self.assertAlmostEqual(rates["in1"] + rates["in2"], 914.7, delta=10)

    def test_a_victim_and_its_cures(self):
        free = self.rates("pause-victim.yaml", "network.switch.architecture=voq")["victim"]
        victim = self.rates("pause-victim.yaml")["victim"]
        self.assertEqual(self.dropped(), 0)
        self.assertLess(victim, 0.75 * free)


class Alltoall(Case):
    """Vaughan, Grove and Coddington 2003, Fig. 22 and 26: completion times come a retransmission timer apart."""

    def test_clusters_move_with_the_minimum_rto(self):
        for rto_ms in (200, 30):
            d = self.judge("alltoall.yaml", f"tcp.min_rto={rto_ms}ms", "traffic.exchange.repeat=60")["processes"]
            self.assertGreaterEqual(len(d["clusters"]), 2)
            self.assertAlmostEqual(d["spacing_s"] * 1e3 / rto_ms, 1, delta=0.35)
            self.assertTrue(0.02 < d["outlier_share"] < 0.6, d["outlier_share"])

    def test_one_partner_at_a_time_loses_nothing(self):
        d = self.judge("alltoall.yaml", "traffic.exchange.algorithm=rounds", "traffic.exchange.repeat=20")["processes"]
        self.assertEqual((len(d["clusters"]), self.dropped()), (1, 0))

    def test_pairs_that_wait_for_each_other_lose_nothing_however_long_the_messages(self):
        """Tam 2001, section 5.4.5: MPI_Sendrecv with one partner a round. Of 8 processes each pair of links is busy
        with one message each way, and an ACK of 90 bytes on the wire for each segment of 1538."""
        m, goodput = 1 << 20, 100e6 / 8 * 1448 / (1538 + 90)
        for hosts, rounds in ((8, 7), (7, 7)):  # an odd number idles once each
            said = self.judge("alltoall.yaml", "traffic.exchange.algorithm=pairwise", f"network.hosts={hosts}",
                              f"traffic.exchange.bytes={m}", "traffic.exchange.repeat=2")
            self.assertEqual(self.dropped(), 0)
            self.assertAlmostEqual(said["whole_mean_s"] / (rounds * m / goodput), 1, delta=0.01)

    def test_mpich_order_and_pairs_on_tams_switch(self):
        """Fig. 6.5: at 1200 KB his pairwise MPI_Alltoall is twice as fast as MPICH's order (5.5 and 2.7 MB/s; there
        processors bound both); with 1 KB it is not."""
        took = {}
        for m in (1024, 1200000):
            for algorithm in ("direct", "pairwise"):
                said = self.judge("tam-mpich.yaml", f"traffic.exchange.algorithm={algorithm}",
                                  f"traffic.exchange.bytes={m}", "traffic.exchange.repeat=2")
                took[m, algorithm] = said["whole_mean_s"]
        self.assertAlmostEqual(took[1200000, "direct"] / took[1200000, "pairwise"], 5.5 / 2.7, delta=0.4)
        self.assertLess(took[1024, "direct"], took[1024, "pairwise"])

    def test_bunyip_has_a_second_hump_near_30_ms(self):
        d = self.judge("bunyip.yaml", "traffic.exchange.repeat=40")["processes"]
        self.assertEqual(len(d["clusters"]), 2)
        self.assertTrue(0.028 < d["clusters"][1]["min_s"] < 0.040)

    def test_perseus_completes(self):
        self.judge("perseus.yaml", "traffic.exchange.repeat=2", "network.racks=[6, 6]")

    def test_runs_together_have_a_contention_signature(self):
        names = []
        for n in (4, 6, 8):
            for m in (4096, 16384):
                name = f"a{n}-{m}"
                self.run_scenario(SCENARIOS / "alltoall.yaml", f"network.hosts={n}", f"traffic.exchange.bytes={m}B",
                                  "traffic.exchange.repeat=5", "network.switch.limit=1MB", output=name)
                names.append(name)
        fit = json.loads(self.good("check", *names, "--json", "--exit-zero").stdout)["programs"][-1]
        self.assertEqual((fit["kind"], fit["runs"]), ("signature", 6))
        self.assertTrue(fit["gamma_low"] <= fit["gamma"] <= fit["gamma_high"])
        self.assertTrue(0.5 < fit["gamma"] < 3, fit)
        self.assertIn("contention signature of 6 simulated", self.good("check", *names, "--exit-zero").stdout)


class BadInput(Case):
    def refused(self, words, *sets, name="tam-output.yaml"):
        self.bad(2, words, "run", SCENARIOS / name, "-o", "out", *(x for s in sets for x in ("--set", s)))

    def test_limits_are_said(self):
        self.refused(["network.switch.limit", "0p"], "network.switch.limit=0p")
        self.refused(["network.switch.limit", "no full frame"], "network.switch.limit=0B")
        self.refused(["architecture", "'crossbar'", "output, shared, input, voq"],
                     "network.switch.architecture=crossbar")
        self.refused(["uplinks", "20", "16 ports"], "network.uplinks=20")
        self.refused(["network.switch.ports", "16 links"], "network.switch.ports=8")
        self.refused(["gbn.window", "16 bits", "32768"], "gbn.window=40000")
        self.refused(["gbn.sequence_bits", "at most half"], "gbn.sequence_bits=4")
        self.refused(["pool", "architecture: shared"], "network.switch.pool=1MB")
        self.refused(["queue", "ack-first", "FIFO"], "network.switch.architecture=voq",
                     "network.switch.queue=ack-first")
        self.refused(["xoff", "64"], "network.switch.pause.on=true", "network.switch.limit=64p")
        self.refused(["algorithm", "over TCP"], "traffic.exchange.algorithm=synchronous", name="alltoall.yaml")
        self.refused(["algorithm", "is for TCP"], "traffic.exchange.algorithm=direct", name="tam-exchange.yaml")
        self.refused(["contention_aware", "star"], "traffic.exchange.contention_aware=true", name="tam-exchange.yaml")
        self.refused(["transport", "'udp'"], "transport=udp")
        self.refused(["traffic.pingpong", "transport: gbn"], "transport=tcp", name="tam-pingpong.yaml")
        self.refused(["needs 10 hosts"], "network.hosts=4", name="tam-burst.yaml")
        self.refused(["no complete exchange"], "engine=ns3", name="alltoall.yaml")

    def test_predict_knows_its_limits(self):
        for name in ("tam-output.yaml", "alltoall.yaml"):
            self.bad(2, "these models know flows over TCP", "predict", SCENARIOS / name)
