# SPDX-License-Identifier: GPL-2.0-or-later
"""contraflow check and fit on what other programs measured: iperf3 3.12's own files over paths whose truth an experiment
tells (test/data/iperf3/README.md), flent's, and ss's."""
import csv
import json

import e2e

IPERF3, FLENT = e2e.ROOT / "test/data/iperf3", e2e.ROOT / "test/data/flent"
# What the files show. Right or silent: where nothing is said the truth is one of the two all the same.
ANSWERS = {"access-download": ("yes", "rate_asymmetry_acks"), "access-upload": ("yes", "rate_asymmetry_acks"),
           "unequal-windows": ("yes", "acks_behind_data"), "half-duplex": ("no", "shared_medium"),
           "application": ("no", "application")}


def phases(name):
    return sorted(IPERF3.glob(f"{name}.*.json.gz"))


class Measured(e2e.Case):
    def check(self, *files):
        done = self.call("check", "--json", *files)
        self.assertEqual(done.returncode, self.answered(json.loads(done.stdout)), done.stderr)
        return json.loads(done.stdout)["resources"]

    def test_ten_paths_are_judged_right_or_not_at_all(self):
        with open(IPERF3 / "truth.csv", encoding="utf-8") as f:
            truth = {r["name"]: r["truth"] for r in csv.DictReader(f)}
        self.assertEqual(len(truth), 10)
        said = {}
        for name, true in truth.items():
            resource, = self.check(*phases(name))
            diagnosis = resource["diagnosis"]
            said[name] = diagnosis["asymmetry"], diagnosis["cause"]
            self.assertIn(diagnosis["asymmetry"], ("unknown", true if true != "near" else diagnosis["asymmetry"]), name)
            self.assertEqual((resource["host"], (resource["indegree"], resource["outdegree"])), ("10.77.0.1", (1, 1)))
        for name, answer in ANSWERS.items():
            self.assertEqual(said[name], answer, name)

    def test_a_test_of_both_alone_says_only_what_it_asked_for(self):
        for name in ANSWERS:
            resource, = self.check(IPERF3 / f"{name}.both.json.gz")
            expected = "no" if name == "application" else "unknown"
            self.assertEqual(resource["diagnosis"]["asymmetry"], expected, name)

    def test_without_a_pace_the_share_is_known_and_the_cause_is_not(self):
        resource, = self.check(*(IPERF3 / f"access-download.{phase}.json.gz" for phase in ("both", "in", "out")))
        self.assertEqual(resource["diagnosis"]["asymmetry"], "unknown")
        self.assertGreater(resource["diagnosis"]["lost_share"]["in"], 0.5)
        self.assertIn("-b ", resource["diagnosis"]["why"])

    def test_flent_s_three_tests_say_what_iperf3_s_do(self):
        files = [FLENT / f"tcp_{test}.flent.gz" for test in ("bidirectional", "download", "upload")]
        flent, = self.check(*files)
        iperf3, = self.check(*(IPERF3 / f"access-download.{phase}.json.gz" for phase in ("both", "in", "out")))
        self.assertEqual(flent["host"], "near")
        for way in ("in", "out"):
            self.assertAlmostEqual(flent["diagnosis"]["goodput_bps"][way] / iperf3["diagnosis"]["goodput_bps"][way], 1,
                                   delta=0.02)

    def test_ss_has_the_round_trip_and_both_rates(self):
        resource, = self.check(IPERF3 / "access-download.ss.txt")
        by_iperf3, = self.check(IPERF3 / "access-download.both.json.gz")
        self.assertEqual(resource["diagnosis"]["asymmetry"], "unknown")
        for way in ("in", "out"):  # of eight samples, two seconds apart
            ratio = resource["diagnosis"]["goodput_bps"][way] / by_iperf3["diagnosis"]["goodput_bps"][way]
            self.assertAlmostEqual(ratio, 1, delta=0.15)
        said = self.call("check", IPERF3 / "access-download.ss.txt", *(IPERF3 / f"access-download.{phase}.json.gz"
                                                                      for phase in ("in", "out"))).stdout
        self.assertRegex(said, "cannot tell: single figures have no interval: with both at once 7[0-9] % are lost, of data in")

    def test_captures_and_what_others_measured_in_one_call(self):
        capture = e2e.ROOT / "test/data/captures/fifo-2in-1out.pcap.gz"
        resources = self.check(IPERF3 / "application.both.json.gz", capture)
        self.assertEqual([r["host"] for r in resources], ["10.77.0.1", "10.9.0.1"])

    def test_bad_files_are_named(self):
        for text, message in (("{", "x.json:1: not JSON: "), ("{}", "x.json: no start.timestamp.timesecs"),
                              ("State Recv-Q\n", "x.json: no socket has bytes_acked")):
            self.write("x.json", text)
            self.bad(2, message, "check", "x.json")

    def test_fit_takes_files_of_one_moment_as_one_pattern(self):
        files = [IPERF3 / f"unequal-windows.{phase}.json.gz" for phase in ("both", "in", "out", "paced-in")]
        sets = ("--set", "network.link.rate=9Mbps", "--set", "tcp.window=300kB")
        links = self.json("fit", *files, *sets)["resources"]["links"]
        measured = [m for link in links for m in link["measured"]]
        self.assertEqual(sorted(m["in"] + m["out"] for m in measured), [1, 1, 2])  # none is paced
        both = next(m for m in measured if (m["in"], m["out"]) == (1, 1))
        self.assertAlmostEqual(min(both["in_bps"], both["out_bps"]) / 2e6, 1, delta=0.2)
