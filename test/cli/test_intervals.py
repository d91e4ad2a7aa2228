# SPDX-License-Identifier: GPL-2.0-or-later
"""A sample of bench_intervals.py: intervals hold the mean, or are not shown; and the rates that check judges come with
intervals of the same estimator."""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "bench"))
import bench_intervals
import e2e

SEEDS = 24 if e2e.ALL else 12


class Intervals(e2e.Case):
    def bench(self):
        return bench_intervals.Bench(e2e.CONTRAFLOW, e2e.ROOT, self.dir)

    def measure(self, name, seeds=SEEDS):
        counts = self.bench().measure(bench_intervals.REGIMES[name], seeds)
        return tuple(sum(values) for values in zip(*counts.values()))

    def test_lossless_rates_are_known_to_a_segment(self):
        """Of every flow, not of a share of them: no draw to make large."""
        seeds = 6 if e2e.ALL else 2
        self.assertEqual(self.measure("lossless 2/1, 2 s", seeds), (3 * seeds, 3 * seeds, 3 * seeds))

    def assert_covered(self, n, known, covered):
        """Of 72 intervals that hold the mean with 95 %, fewer than 61 do so once in 1400 samples; of 36, fewer than 29
        once in 3000."""
        self.assertEqual(n, 3 * SEEDS)
        self.assertGreater(known, 0.7 * n)
        self.assertGreater(covered, (0.84 if e2e.ALL else 0.8) * known)

    def test_losses_leave_intervals_that_hold_the_mean(self):
        self.assert_covered(*self.measure("NewReno 2/1, 40 Mb/s, 24 kB, 20 s"))

    def test_so_do_captures(self):
        """30 s have as many losses of a CUBIC that mends them as Linux does as 20 s have of NewReno's."""
        counts = self.bench().measure(bench_intervals.REGIMES["CUBIC 2/1, 40 Mb/s, 24 kB, 30 s"], SEEDS, capture=True)
        for source in ("run", "analyze", "check"):
            self.assert_covered(*(sum(values) for values in zip(counts[source, False], counts[source, True])))
        for incoming in (False, True):
            self.assertEqual(counts["analyze", incoming], counts["check", incoming])

    def test_runs_shorter_than_their_sawtooth_show_none(self):
        """A window of 3 MB halves every 20 s or so here; of intervals from twenty fixed batches one in fifty held the
        mean."""
        for name in ("NewReno 2/1, 60 kB at the switch, 4 s", "CUBIC 2/1, 60 kB at the switch, 4 s"):
            judged = [flow for seed in range(1, SEEDS + 1)
                      for flow in self.bench().judge(bench_intervals.REGIMES[name], seed, truth=False)]
            self.assertLessEqual(sum(math.isfinite(half) for _, _, half, _ in judged), 0.06 * len(judged), name)
            self.assertEqual(len(judged), 3 * SEEDS)

    def test_a_rate_over_messages_has_the_interval_of_messages(self):
        flows = self.run_scenario(e2e.ROOT / "scenarios/star.yaml", "traffic.star.bytes=2MB", "traffic.star.repeat=12",
                                  "traffic.barrier=true", "duration=10s")
        judged = self.json("check", "out")["resources"]
        found = next(r for r in judged if r["host"] == "h0")["flows"]
        self.assertEqual(len(found), len(flows))
        for row, flow in zip(flows, found):
            self.assertAlmostEqual(flow["rate_bps"], 8 * 2e6 / float(row["message_s"]), delta=1e-6 * flow["rate_bps"])
            self.assertGreater(flow["ci95_bps"], 0)
            self.assertAlmostEqual(flow["ci95_bps"] / flow["rate_bps"],
                                   float(row["message_ci95_s"]) / float(row["message_s"]), delta=1e-6)
