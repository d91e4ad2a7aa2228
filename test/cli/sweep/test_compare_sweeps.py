# SPDX-License-Identifier: GPL-2.0-or-later
"""contraflow compare of two sweeps: every figure worked out once more from their databases, in Python."""
import json
import math
import sqlite3
import statistics

import e2e

GRID = """scenario: {star}
set: {{duration: 300ms, warmup: 100ms{sets}}}
axes:
  traffic.star.incoming: {incoming}
  tcp.window: [100kB, 300kB]
seeds: {seeds}
"""
ACK_FIRST = ", network.nic.queue: ack-first, network.switch.queue: ack-first"
T975 = {1: 12.7062, 2: 4.30265}  # Student's t, two-sided 95 %


class Sweeps(e2e.Case):
    def sweep(self, name, sets="", incoming="[1, 2]", seeds=3):
        self.write(f"{name}.yaml", GRID.format(star=e2e.ROOT / "scenarios/star.yaml", sets=sets, incoming=incoming,
                                               seeds=seeds))
        self.good("sweep", f"{name}.yaml", "-q")
        return f"{name}.db"

    def rows(self, name):
        """{axes: [(goodput of all flows, its flows' intervals together, ACK wait by rates, segments, seed) of each]}"""
        found = {}
        query = ("SELECT axes, sum(steady_goodput_bps), sum(steady_ci95_bps), count(steady_ci95_bps) = count(*), "
                 "sum(steady_goodput_bps * ack_wait_s) / sum(steady_goodput_bps), sum(retransmitted_segments), seed "
                 "FROM point JOIN flow ON point = number GROUP BY number ORDER BY number")
        with sqlite3.connect(self.dir / name) as db:
            for axes, rate, ci95, known, wait, again, seed in db.execute(query):
                found.setdefault(json.dumps(json.loads(axes), sort_keys=True), []).append(
                    (rate, ci95 if known else math.nan, wait, again, seed))
        return found

    def interval(self, runs):
        own = math.sqrt(sum(run[1] ** 2 for run in runs)) / len(runs)
        if len(runs) == 1:
            return own
        rates = [run[0] for run in runs]
        return max(T975[len(runs) - 1] * statistics.stdev(rates) / math.sqrt(len(runs)), own)

    def change_interval(self, before, after):
        """Of the same seeds, that of their changes, each with both runs' own intervals."""
        if [run[-1] for run in before] != [run[-1] for run in after]:
            return math.hypot(self.interval(before), self.interval(after))
        return self.interval([(is_[0] - was[0], math.hypot(is_[1], was[1])) for was, is_ in zip(before, after)])

    def held(self, said, before, after):
        """The points said, against the databases."""
        sides = {"before": self.rows(before), "after": self.rows(after)}
        self.assertEqual(len(said["points"]), len(sides["before"].keys() | sides["after"].keys()))
        for point in said["points"]:
            key = json.dumps(point["axes"], sort_keys=True)
            half = {}
            for side, rows in sides.items():
                self.assertEqual((point[side] or {"runs": 0})["runs"], len(rows.get(key, [])))
                if not point[side]:
                    self.assertIsNone(point["goodput_bps"][side])
                    continue
                rates, _, waits, again, _ = map(list, zip(*rows[key], strict=True))
                half[side] = self.interval(rows[key])
                self.assertAlmostEqual(point["goodput_bps"][side] / statistics.mean(rates), 1, delta=1e-9)
                self.assertAlmostEqual(point["ack_wait_s"][side], statistics.mean(waits), delta=1e-9)
                self.assertAlmostEqual(point["retransmitted_segments"][side], statistics.mean(again), delta=1e-9)
                if math.isnan(half[side]):  # losses too few to say
                    self.assertIsNone(point["goodput_bps"][side + "_ci95"])
                else:
                    self.assertAlmostEqual(point["goodput_bps"][side + "_ci95"] / half[side], 1, delta=1e-4)
            if len(half) == 2:
                change = point["goodput_bps"]["after"] - point["goodput_bps"]["before"]
                both = self.change_interval(*(rows[key] for rows in sides.values()))
                if not math.isnan(both):
                    self.assertAlmostEqual(point["goodput_bps"]["change_ci95"], both, delta=1e-4 * both)
                self.assertEqual(point["goodput_bps"]["changed"], None if math.isnan(both) else
                                 "no" if abs(change) <= both else "more" if change > 0 else "less")

    def test_every_point_is_that_of_the_databases(self):
        before, after = self.sweep("before"), self.sweep("after", ACK_FIRST)
        said = self.json("compare", before, after)
        self.held(said, before, after)
        self.assertEqual(said["figure"], "goodput_bps")
        points = said["points"]
        self.assertEqual([p["before"]["point"] for p in points], [1, 4, 7, 10])
        # One flow each way fills both directions; of 2 in and 1 out Eq. 6 leaves three halves of four (Zhu 2014).
        for p in points:
            share = p["goodput_bps"]["change_share"]
            self.assertAlmostEqual(share, 0 if p["axes"]["traffic.star.incoming"] == 1 else 1 / 3, delta=0.03)
        total = said["all"]["goodput_bps"]
        for side in ("before", "after"):
            self.assertAlmostEqual(total[side], statistics.mean(p["goodput_bps"][side] for p in points), delta=1)
            self.assertAlmostEqual(total[side + "_ci95"] * len(points) / math.sqrt(
                sum(p["goodput_bps"][side + "_ci95"] ** 2 for p in points)), 1, delta=1e-9)
        self.assertEqual((said["all"]["points"], said["all"]["more"], said["all"]["open"]), (4, 2, 0))

    def test_losses_are_counted_and_leave_changes_open(self):
        before, after = self.sweep("before", seeds=1), self.sweep("after", ", network.switch.limit: 30kB", seeds=1)
        said = self.json("compare", before, after)
        self.held(said, before, after)
        self.assertEqual(said["all"]["retransmitted_segments"]["before"], 0)
        self.assertGreater(said["all"]["retransmitted_segments"]["after"], 0)
        self.assertGreater(said["all"]["open"], 0)
        self.assertIn("without an interval", self.good("compare", before, after).stdout)

    def test_the_same_seeds_are_paired(self):
        """Seeds that differ by 100 Mb/s, of which each gains 10, 12, 8: 10 +- 4.30265 * 2 / sqrt(3). Apart, that would
        be no change."""
        def set_rates(name, rates, more=""):
            with sqlite3.connect(self.dir / name) as db:
                for seed, rate in enumerate(rates, 1):
                    db.execute("UPDATE flow SET steady_goodput_bps = ?, steady_ci95_bps = 0 WHERE point IN "
                               "(SELECT number FROM point WHERE seed = ?) AND name = 'out1'", (rate * 1e6, seed))
                db.execute("UPDATE flow SET steady_goodput_bps = 0, steady_ci95_bps = 0 WHERE name != 'out1'")
                if more:
                    db.execute(more)
            db.close()
        before, after = self.sweep("before"), self.sweep("after")
        set_rates(before, (100, 200, 300))
        set_rates(after, (110, 212, 308))
        half = 4.30265 * 2 / math.sqrt(3)
        for value, n in [(p["goodput_bps"], 1) for p in self.json("compare", before, after)["points"]] + [
                (self.json("compare", before, after)["all"]["goodput_bps"], 4)]:
            self.assertAlmostEqual(value["change"] / 1e6, 10, delta=1e-6)
            self.assertAlmostEqual(value["change_ci95"] / 1e6, half / math.sqrt(n), delta=1e-4)
            self.assertAlmostEqual(value["before_ci95"] / 1e6, 4.30265 * 100 / math.sqrt(3 * n), delta=1e-2)
            self.assertEqual(value["changed"], "more")
        set_rates(after, (110, 212, 308), "UPDATE point SET seed = seed + 3")  # other seeds
        for value in (p["goodput_bps"] for p in self.json("compare", before, after)["points"]):
            self.assertAlmostEqual(value["change_ci95"], math.hypot(value["before_ci95"], value["after_ci95"]), delta=1)
            self.assertEqual(value["changed"], "no")

    def test_levels_are_means_of_their_points(self):
        said = self.json("compare", self.sweep("before", seeds=2), self.sweep("after", ACK_FIRST, seeds=2))
        self.assertEqual([(level["axis"], level["value"]) for level in said["levels"]],
                         [("traffic.star.incoming", "1"), ("traffic.star.incoming", "2"), ("tcp.window", "100kB"),
                          ("tcp.window", "300kB")])
        for level in said["levels"]:
            points = [p for p in said["points"] if str(p["axes"][level["axis"]]) == level["value"]]
            self.assertEqual(level["points"], len(points))
            self.assertAlmostEqual(level["goodput_bps"]["change"],
                                   statistics.mean(p["goodput_bps"]["change"] for p in points), delta=1)
            self.assertEqual(level["more"], sum(p["goodput_bps"]["changed"] == "more" for p in points))

    def test_points_are_paired_by_their_values_and_others_are_shown(self):
        before, after = self.sweep("before", incoming="[1, 2]", seeds=1), self.sweep("after", incoming="[3, 2]", seeds=2)
        said = self.json("compare", before, after)
        self.held(said, before, after)
        self.assertEqual([[p[side] and p[side]["point"] for side in ("before", "after")] for p in said["points"]],
                         [[3, 5], [4, 7], [1, None], [2, None], [None, 1], [None, 3]])
        self.assertEqual(said["all"]["points"], 2)
        self.assertEqual({level["axis"] for level in said["levels"]}, {"tcp.window"})  # the other has one value
        self.assertIn("2 are only before; 2 are only after", self.good("compare", before, after).stdout)

    def test_a_sweep_is_like_itself(self):
        name = self.sweep("before", seeds=1)
        said = self.json("compare", name, name)
        self.assertEqual((said["all"]["same"], said["all"]["goodput_bps"]["changed"]), (4, "no"))
        self.assertIn("which is no change", self.good("compare", name, name).stdout)

    def test_the_page_and_the_words_have_the_numbers(self):
        before, after = self.sweep("before", seeds=1), self.sweep("after", ACK_FIRST, seeds=1)
        said = self.good("compare", before, after, "--report", "page").stdout
        total = self.json("compare", before, after)["all"]["goodput_bps"]
        headline = f"{total['after'] / 1e6:.5g} instead of {total['before'] / 1e6:.5g} Mb/s of all flows, mean of 4 points"
        self.assertTrue(said.startswith(headline), said)
        page = (self.dir / "page/compare.html").read_text()
        self.assertIn(headline, page)
        self.assertEqual(page.count("incoming=1 window="), 6)  # two points: under the pointer of two drawings, and in the table
        self.assertNotIn("<script", page)

    def test_times_of_operations_are_compared_where_there_are_no_lasting_flows(self):
        for name, sets in (("before", ""), ("after", ", network.nic.queue: ack-first")):
            self.write(f"{name}.yaml", f"scenario: {e2e.ROOT}/scenarios/allreduce-ring.yaml\nset: {{tcp.window: 20kB, "
                       f"traffic.collective.repeat: 2{sets}}}\naxes:\n  traffic.collective.bytes: [200kB, 400kB]\n")
            self.good("sweep", f"{name}.yaml", "-q")
        said = self.json("compare", "before.db", "after.db")
        self.assertEqual(said["figure"], "operation_s")
        with sqlite3.connect(self.dir / "after.db") as db:
            times = [t for t, in db.execute("SELECT operation_s FROM point ORDER BY number")]
        self.assertEqual(len(times), 2)
        for point, time_s in zip(said["points"], times, strict=True):
            self.assertAlmostEqual(point["operation_s"]["after"] / time_s, 1, delta=1e-9)
        self.assertLess(said["all"]["operation_s"]["change_share"], -0.1)  # windows of 20 kB wait for their ACKs

    def test_what_has_no_flows_has_no_goodput(self):
        """Bare frames: neither 0 b/s nor 0 retransmissions, which would be compared as the same."""
        for name in ("before", "after"):
            self.write(f"{name}.yaml", f"scenario: {e2e.ROOT}/scenarios/saturation.yaml\nset: {{duration: 50ms, warmup: 10ms}}\n"
                       "axes:\n  traffic.uniform.ports: [4]\n")
            self.good("sweep", f"{name}.yaml", "-q")
        said = self.json("compare", "before.db", "after.db")["all"]
        self.assertEqual((said["same"], said["open"]), (0, 1))
        for figure in ("goodput_bps", "retransmitted_segments"):
            self.assertEqual(set(said[figure].values()), {None}, figure)

    def test_bad_input_is_one_line(self):
        name = self.sweep("before", seeds=1)
        self.write("other.yaml", f"scenario: {e2e.ROOT}/scenarios/star.yaml\nset: {{duration: 30ms, warmup: 10ms}}\n"
                   "axes:\n  tcp.window: [50kB]\n")
        self.good("sweep", "other.yaml", "-q")
        self.bad(2, ["no point has the same axes", "tcp.window"], "compare", name, "other.db")
        self.run_scenario(e2e.ROOT / "scenarios/star.yaml", "duration=300ms", "warmup=100ms")
        self.bad(2, ["out", "before.db", "another sweep"], "compare", name, "out")
        self.bad(2, ["out", "before.db", "another sweep"], "compare", "out", name)
        with sqlite3.connect(self.dir / name) as db:
            db.execute("UPDATE point SET state = 'waiting'")
        self.bad(2, [name, "no point of this sweep is done"], "compare", name, "other.db")
