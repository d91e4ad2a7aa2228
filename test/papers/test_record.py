#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The record of the papers: every point has a row, every row's status is true, doc/papers.md says what the data give.

Usage: test_record.py CONTRAFLOW SOURCE_ROOT. Rows that take long are judged by the figure that `make papers` left."""
import math
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

import record

CONTRAFLOW = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(sys.argv[2]).resolve()


class Papers(unittest.TestCase):
    """The rows of this repository."""
    @classmethod
    def setUpClass(cls):
        cls.record = record.Record(ROOT)

    def test_every_row_is_whole_and_every_place_has_one(self):
        self.assertGreater(len(self.record.rows), 0)
        self.assertEqual(record.faults(self.record), [])

    def test_the_page_is_what_the_data_give(self):
        self.assertEqual((ROOT / "doc/papers.md").read_text(encoding="utf-8"), record.document(self.record))

    def test_every_quick_row_holds(self):
        """Of each place whose rows are emulated every fourth command from the first on, with all rows that it gives, and all
        where that is asked for; what is computed costs nothing."""
        quick, commands = [row for row in self.record.rows if row["cost"] == "quick"], {}
        for row in quick:
            of_place = commands.setdefault((row["paper"], row["place"]), [])
            if "contraflow run" in row["command"] and row["command"] not in of_place:
                of_place.append(row["command"])
        left = {c for place in commands.values() for i, c in enumerate(place) if i % 4 and not os.environ.get("CONTRAFLOW_ALL")}
        quick = [row for row in quick if row["command"] not in left]
        found, wrong = record.figures(quick, CONTRAFLOW, ROOT)
        self.assertEqual(wrong, [])
        for row in quick:
            with self.subTest(row=record.name(row)):
                ours = found[record.key(row)]
                self.assertEqual(list(record.verdict_faults(row, ours)), [])
                kept = self.record.ours[record.key(row)]["ours"]
                a, b = record.number(ours), record.number(kept)
                if a is None or b is None:
                    self.assertEqual(ours, kept, "ours.csv is old: make papers")
                else:
                    self.assertLessEqual(abs(a - b), record.SAME * max(abs(a), abs(b)),
                                         f"{ours} now, {kept} in ours.csv: make papers")


class Rules(unittest.TestCase):
    """What makes the test above fail, on a record of one row."""
    ROW = dict(paper="tam2001", place="Table 1", page="7", row="a", says="It is four.", published="4", unit="s",
               tolerance="0.05", scatter="none", status="reproduced", **{"class": "independent"}, command="echo '{\"list\": [{\"n\": \"x\", \"v\": 4.1}]}'",
               take="json:list[n=x].v", cost="quick", note="")
    TRIED = "at 1 it is 3; at 2 it is 5; at 3 it is 6"

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="contraflow-record-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        (self.dir / "test/data/papers/record").mkdir(parents=True)
        (self.dir / "doc").mkdir()

    def record_of(self, *rows, contents=(("tam2001", "Table 1", "7"),)):
        made = record.Record(self.dir)
        made.files = {"tam": [dict(row) for row in rows]}
        made.contents = [dict(zip(("paper", "place", "page"), c)) for c in contents]
        found, wrong = record.figures(made.rows, CONTRAFLOW, self.dir)
        made.ours = {record.key(r): {"ours": found[record.key(r)], "command": r["command"], "take": r["take"]}
                     for r in made.rows if record.key(r) in found}
        return made, wrong

    def faults(self, **changed):
        made, wrong = self.record_of({**self.ROW, **changed})
        return wrong + record.faults(made)

    def assert_fault(self, words, **changed):
        found = self.faults(**changed)
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_a_good_row_has_no_fault(self):
        self.assertEqual(self.faults(), [])

    def test_a_figure_beyond_its_tolerance_is_not_reproduced(self):
        for tolerance, published in (("0.02", "4"), ("+-0.09", "4"), ("at most", "4"), ("at least", "4.2")):
            self.assert_fault("not reproduced", tolerance=tolerance, published=published, **self.plain(tolerance))
        for tolerance, published in (("0.03", "4"), ("+-0.11", "4"), ("at most", "4.1"), ("at least", "4.1"),
                                     ("0.03", "4.2")):
            self.assertEqual(self.faults(tolerance=tolerance, published=published, **self.plain(tolerance)), [])

    def test_a_figure_within_a_tenth_is_near(self):
        self.assert_fault("not reproduced, but near", tolerance="0.02")
        self.assertEqual(self.faults(tolerance="0.02", status="near"), [])
        self.assert_fault("not near, but contradicted", tolerance="0.02", status="near", published="3.7")
        self.assert_fault("not near, but contradicted", tolerance="at least", scatter="", status="near", published="4.2")

    def test_a_figure_within_its_tolerance_is_not_contradicted(self):
        self.assert_fault("not contradicted", status="contradicted", note=self.TRIED)
        self.assertEqual(self.faults(status="contradicted", note=self.TRIED, published="5"), [])

    @staticmethod
    def plain(tolerance):
        """A bound has no scatter."""
        return {"scatter": "" if tolerance in record.BOUNDS else "none"}

    def test_a_class_is_asked_of_every_figure_and_a_scatter_of_every_tolerance(self):
        self.assert_fault("class ''", scatter="", **{"class": ""})
        self.assert_fault("class 'true'", **{"class": "true"})
        self.assert_fault("scatter: of a tolerance", scatter="")
        self.assert_fault("scatter: of a tolerance", **{"class": "formula"})
        self.assert_fault("neither", scatter="guessed")
        self.assert_fault("neither", scatter="printed")
        self.assertEqual(self.faults(scatter="printed: sd 5 %, p. 3"), [])
        self.assertEqual(self.faults(scatter="", **{"class": "formula"}), [])

    def test_a_tolerance_without_a_scatter_is_a_tenth_at_most(self):
        self.assert_fault("without a scatter", tolerance="0.11")
        self.assert_fault("without a scatter", tolerance="+-0.45")
        self.assertEqual(self.faults(tolerance="+-0.4"), [])
        self.assert_fault("without a scatter", tolerance="+-0.45", unit="share", published="4.1")

    def test_a_tolerance_that_follows_from_published_numbers_must_be_that(self):
        """Two means over four, of which one varies by 1: 1.96 sqrt(2 / 4) 1 / 4 is 0.346 of four. Of 50 % of 1500 links,
        twice: 1.96 sqrt(2 / 4 / 1500) is 3.6 %."""
        self.assertEqual(self.faults(tolerance="0.35", scatter="patterns: 1 of 4"), [])
        self.assert_fault("gives 0.35", tolerance="0.4", scatter="patterns: 1 of 4")
        self.assert_fault("does not fit", tolerance="0.4", scatter="patterns: 1")
        self.assertEqual(record.links_tolerance(None, {"published": "50"}), "+-3.6")

    def test_pi_is_the_tolerance_of_the_means_beside_it(self):
        """sqrt(2) 0.2 of a mean. Of pi itself, over 500 links: 1.96 sqrt(2 (1 / 1000 + (0.2 / 1.96)^2)) is 0.30."""
        pi = {**self.ROW, "row": "10 nodes, d 1: pi, Grid5000", "published": "0.2"}
        mean = {**self.ROW, "row": "10 nodes, d 1: proposed, Grid5000"}
        made, _ = self.record_of(pi, mean)
        self.assertEqual((record.pi_tolerance(made, mean), record.pi_tolerance(made, pi)), ("0.28", "0.3"))

    def test_a_smooth_surface_leaves_no_residual_and_noise_does(self):
        """y = P^a W^b TO^c P^(d log W) exactly; then one of 18 is off by a tenth."""
        points = [((p, w, t), p ** 0.5 * w ** -0.2 * t ** 0.1 * math.exp(0.3 * math.log(p) * math.log(w)))
                  for p in (7, 11, 15) for w in (18, 24, 36) for t in (400, 1600)]
        self.assertLess(record.surface_residual(points), 1e-9)
        at, value = points[7]
        points[7] = at, 1.1 * value
        self.assertGreater(record.surface_residual(points), 0.01)
        self.assertLess(record.surface_residual(points), 0.1 / math.sqrt(18 - 7))

    def test_a_pair_of_numbers_counts_once_and_an_alternative_never(self):
        other = {**self.ROW, "row": "b", "class": "fitted"}
        again = {**self.ROW, "row": "c", "class": "alternative"}
        made, _ = self.record_of(other, self.ROW, again)
        once, rows = record.judged_once(made)
        self.assertEqual(([row["row"] for row in once], rows), (["a"], 2))
        page = record.document(made)
        self.assertIn("2 points have a number on both sides; 1 repeat another's", page)
        self.assertIn("| independent | 1 | 1 | 0 | 0 |\n| fitted | 0 | 0 | 0 | 0 |", page)

    def test_a_constant_passes_what_its_tolerance_lets_pass(self):
        """1 +- 0.1, 1.2 +- 0.12 and 2 +- 0.2: 1.08 to 1.1 are within two."""
        rows = [{**self.ROW, "published": v, "tolerance": "0.1"} for v in ("1", "1.2", "2")]
        value, passes = record.best_constant(rows)
        self.assertEqual(passes, 2)
        self.assertTrue(1.08 <= value <= 1.1 + 1e-9)

    def test_contradicted_needs_three_conditions_with_figures(self):
        for note in ("", "at 1 it is 3; at 2 it is 5", "at 1 it is 3; at 2 it is 5; more was tried"):
            self.assert_fault("conditions", status="contradicted", published="5", note=note)

    def test_a_status_needs_what_it_claims(self):
        nothing = {"command": "", "take": "", "cost": "", "class": "", "scatter": ""}
        self.assert_fault("no command", **nothing)
        self.assert_fault("does not say why", status="not comparable", **nothing)
        self.assert_fault("does not say why", status="out of scope", **nothing)
        self.assert_fault("status 'likely'", status="likely")
        self.assertEqual(self.faults(status="out of scope", note="It is history.", **nothing), [])

    def test_fields_are_read_strictly(self):
        self.assert_fault("published 'four'", published="four")
        self.assert_fault("tolerance '5 %'", tolerance="5 %")
        self.assert_fault("give both or none", tolerance="", scatter="")
        self.assert_fault("give all or none", cost="")
        self.assert_fault("cost 'slow'", cost="slow")
        self.assert_fault("says is empty", says="")

    def test_a_place_without_row_and_a_row_without_place(self):
        made, _ = self.record_of(self.ROW, contents=(("tam2001", "Table 1", "7"), ("tam2001", "Table 2", "8")))
        self.assertEqual(record.faults(made), ["tam2001, Table 2: no row"])
        made, _ = self.record_of(self.ROW, contents=())
        self.assertEqual(record.faults(made), ["tam2001, Table 1, a: contents*.csv have no such place"])

    def test_two_rows_of_one_name(self):
        made, _ = self.record_of(self.ROW, self.ROW)
        self.assertEqual(record.faults(made), ["tam2001, Table 1, a: there are two of it"])

    def test_a_figure_of_another_command_or_none(self):
        made, _ = self.record_of(self.ROW)
        made.files["tam"][0]["command"] += " "
        self.assertIn("another command", record.faults(made)[0])
        made.ours.clear()
        self.assertIn("not in ours.csv", record.faults(made)[0])
        made, _ = self.record_of(self.ROW)
        made.files["tam"].clear()
        self.assertIn("in ours.csv alone", "\n".join(record.faults(made)))

    def test_a_command_that_fails_or_prints_something_else(self):
        def first(**changed):
            return self.record_of({**self.ROW, **changed})[1][0]
        self.assertIn("exit status 2", first(command="exit 2"))
        self.assertIn("exit status 1", first(command="false"))
        self.assertIn("not in the output", first(take="json:list[n=y].v"))
        self.assertIn("not in the output", first(take="json:list[1].v"))
        self.assertIn("no match", first(take="re:([0-9]+) ms"))
        self.assertIn("want json:PATH or re:REGEX", first(take="list"))

    def test_where_a_figure_stands(self):
        text = '{"a": {"b-c": [1, {"d": 2.5, "yes": true}]}}\nsum 7 ms\n'
        self.assertEqual(record.take(text.splitlines()[0], "json:a.b-c[1].d"), "2.5")
        self.assertEqual(record.take(text.splitlines()[0], "json:a.b-c[1].d * 1e3"), "2500")
        self.assertEqual(record.take(text.splitlines()[0], "json:a.b-c[1].yes"), "true")
        self.assertEqual(record.take(text, "re:^sum ([0-9]+)"), "7")
        self.assertEqual(record.take("output-buffered", "re:(.*)-buffered"), "output")

    def test_a_scratch_directory_of_each_command(self):
        made, wrong = self.record_of({**self.ROW, "command": "echo 4 > $T/x && cat $T/x", "take": "re:(.*)"})
        self.assertEqual(wrong + record.faults(made), [])

    def test_the_page_shows_every_row(self):
        other = {**self.ROW, "row": "b|c", "status": "contradicted", "published": "5", "note": self.TRIED}
        made, _ = self.record_of(self.ROW, other)
        page = record.document(made)
        self.assertIn("1 are reproduced, 0 near, 1 contradicted, 0 not", page)
        self.assertIn("| Table 1 (p. 7) | a | It is four. | 4 s (5 %) | 4.1 | independent | reproduced |\n"
                      "|  | b\\|c |  | 5 s (5 %) | 4.1 | independent | contradicted |\n", page)
        self.assertIn("- Table 1, b|c: at 1 it is 3;", page)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
