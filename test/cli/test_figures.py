# SPDX-License-Identifier: GPL-2.0-or-later
"""The paper's figures as they must come out: Fig. 4 over its grids, Table II's models over random patterns."""
import csv
import io
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "sweep"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "emulate"))
import e2e
import test_engines
import test_fit
import test_fit_patterns


class Figure4a(test_fit.Case):
    """Measured once for all of its questions."""

    @classmethod
    def setUpClass(cls):
        case = cls("setUp")
        e2e.Case.setUp(case)
        cls.addClassCleanup(case.doCleanups)
        sweep = (e2e.ROOT / "scenarios/sweeps/fig4a.yaml").read_text().replace("../star.yaml",
                                                                               str(e2e.ROOT / "scenarios/star.yaml"))
        if not e2e.ALL:  # doc/results.md shows the whole plane, and test_documents.py what it shows
            sweep = sweep.replace("0..12", "[0, 1, 2, 4, 8, 12]")
        cls.points = 168 if e2e.ALL else 35
        case.write("fig4a.yaml", sweep)
        case.good("sweep", "fig4a.yaml", "-q")
        cls.resources = case.fit("fig4a.db")
        cls.text = case.good("fit", "fig4a.db").stdout
        exported = case.good("sweep", "export", "fig4a.db", "--flows").stdout
        cls.flows = list(csv.DictReader(io.StringIO(exported)))

    def setUp(self):
        self.link, = self.resources["links"]

    def test_eq6_holds_at_every_point_within_three_percent(self):
        self.assertEqual((self.link["resource"], self.link["rate_bps"], self.link["points"]), ("h0", 1e9, self.points))
        self.assertEqual((self.resources["starved_runs"], self.resources["unfilled_runs"]), (0, 0))
        for p in self.link["measured"]:
            wanted = e2e.B_1448 / max(p["in"], p["out"])
            wanted /= 1 + test_fit.ACKS * min(p["in"], p["out"]) / max(p["in"], p["out"])
            for way in ("in", "out"):
                if p[way]:
                    self.assertAlmostEqual(p[f"{way}_bps"] / wanted, 1, delta=0.03, msg=p)
        self.assertLess(abs(test_fit.form(self.link, "eq6", True)["worst_error"]), 0.03)

    def test_one_bandwidth_fits_points_with_acks_and_without(self):
        b = test_fit.form(self.link, "eq6", True)["fitted_rate_bps"]
        self.assertAlmostEqual(b["value"] / e2e.B_1448, 1, delta=0.01)
        self.assertLess(b["low"], e2e.B_1448)
        self.assertLess(e2e.B_1448, b["high"])
        # without them B is a mean over points: below, by at most what a full reverse direction costs
        plain = test_fit.form(self.link, "eq6", False)["fitted_rate_bps"]["value"]
        self.assertLess(plain, b["low"])
        self.assertGreater(plain, e2e.B_1448 / (1 + test_fit.ACKS))

    def test_twelve_in_one_out_move_thirteen_twelfths(self):
        p, = [p for p in self.link["measured"] if (p["in"], p["out"]) == (12, 1)]
        total = 12 * p["in_bps"] + p["out_bps"]
        self.assertAlmostEqual(total / (e2e.B_1448 * 13 / 12), 1, delta=0.03)

    def test_eq6_is_the_best_form_and_free_exponents_find_it(self):
        forms = self.link["forms"]
        self.assertEqual((forms[0]["form"], forms[0]["acks"]), ("eq6", True))
        aic = [round(f["aic"], 6) for f in forms]
        self.assertEqual(aic, sorted(aic))
        power, norm = test_fit.form(self.link, "power", True), test_fit.form(self.link, "norm", True)
        self.assertLess(power["a"]["low"], 0)
        self.assertGreater(power["a"]["high"], 0)
        self.assertLess(power["b"]["low"], 1)
        self.assertGreater(power["b"]["high"], 1)
        self.assertLess(power["b"]["high"] - power["b"]["low"], 0.01)
        self.assertLess(norm["inverse_p"]["value"], 0.01)
        # needless parameters predict no better what was left out
        best = forms[0]["cross_validated_error"]
        self.assertGreater(power["cross_validated_error"], best)
        self.assertGreater(test_fit.form(self.link, "eq5", True)["cross_validated_error"], 20 * best)

    def test_points_are_those_of_the_database(self):
        self.assertEqual(len(self.link["measured"]), self.points)
        rates = {}
        for f in self.flows:
            way = "in" if f["dst"] == "h0" else "out"
            rates.setdefault((int(f["point"]), way), []).append(float(f["steady_goodput_bps"]))
        for p in self.link["measured"]:
            for way in ("in", "out"):
                measured = rates.get((p["point"], way), [])
                self.assertEqual(p[way], len(measured))
                if measured:
                    self.assertAlmostEqual(p[f"{way}_bps"], sum(measured) / len(measured), delta=1)
                else:
                    self.assertIsNone(p[f"{way}_bps"])
            self.assertEqual(list(p["axes"].values()), [p["in"], p["out"]])
            self.assertFalse(p["lossy"])

    def test_text_says_the_same(self):
        b = test_fit.form(self.link, "eq6", True)["fitted_rate_bps"]
        self.assertIn(f"resource h0 of 1 Gb/s: {self.points} points, 0 with losses; equal windows make window eq6", self.text)
        self.assertIn(f"  best: eq6+acks, B = {b['value'] / 1e6:.2f} Mb/s, 95 % interval {b['low'] / 1e6:.2f} to "
                      f"{b['high'] / 1e6:.2f}\n", self.text)
        rows = [line.split()[0] for line in self.text.splitlines() if line.startswith("  ")]
        self.assertEqual(rows[2:12], [f["form"] + "+acks" * f["acks"] for f in self.link["forms"]])
        worst = max(self.link["measured"], key=lambda p: abs(p["worst_error"]))
        self.assertIn(f"incoming={worst['in']} outgoing={worst['out']}", self.text.split("worst points")[1])


@e2e.needs_engine
class Figure4(test_engines.Case):
    def test_both_engines_agree_at_every_point(self):
        points = e2e.some(((1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (4, 2)), 3)
        done = self.cross_check("zhu-figure4.yaml", "duration=200ms", "warmup=100ms", *test_engines.TENTH, "tcp.window=300kB",
                                f"traffic.star.points=[{', '.join(f'{a}/{b}' for a, b in points)}]")
        self.assertEqual([run["run"] for run in done["runs"]], [f"{a}in-{b}out" for a, b in points])


class Figure4b(test_fit.Case):
    def test_a_backbone_is_shared_from_ten_flows_on(self):
        counts = "[0, 4, 8, 12, 16, 20]"
        link, = self.swept({"traffic.pairs.back": counts, "traffic.pairs.count": counts},
                           more="skip: [{traffic.pairs.back: 0, traffic.pairs.count: 0}]",
                           scenario="scenarios/backbone.yaml")["links"]
        self.assertEqual((link["resource"], link["rate_bps"], link["points"]), ("sw0-sw1", 10e9, 35))
        eq6, eq5 = test_fit.form(link, "eq6", True), test_fit.form(link, "eq5", True)
        self.assertAlmostEqual(eq6["fitted_rate_bps"]["value"] / (10 * e2e.B_1448), 1, delta=0.005)
        self.assertGreater(eq6["limited_flows"], 0)
        self.assertGreater(eq5["aic"], eq6["aic"] + 100)
        for p in link["measured"]:
            most = max(p["in"], p["out"])
            shared = 10 * e2e.B_1448 / most / (1 + test_fit.ACKS * min(p["in"], p["out"]) / most)
            for way in ("in", "out"):
                if p[way]:
                    self.assertAlmostEqual(p[f"{way}_bps"] / min(e2e.B_1448, shared), 1, delta=0.01, msg=p)

    def test_a_backbone_that_nothing_fills_has_no_fit(self):
        link, = self.swept({"traffic.pairs.back": "0..3", "traffic.pairs.count": "4..5"},
                           scenario="scenarios/backbone.yaml")["links"]
        self.assertEqual((link["resource"], link["points"]), ("sw0-sw1", 8))
        self.assertFalse(any(f["applies"] for f in link["forms"]))
        self.assertIn("no form can be told", self.good("fit", "s.db").stdout)


class Table2(test_fit_patterns.Case):
    def test_long_messages_obey_the_window_law_and_not_algorithm_1(self):
        cells = self.cells("40MB", "250kB", seeds=4 if e2e.ALL else 2, sets=", traffic.precision: 4%")
        mean = {m: statistics.fmean(map(abs, self.errors(cells, m))) for m in test_fit_patterns.MODELS}
        self.assertLess(mean["window"], 0.01)
        self.assertLess(mean["fluid"], 0.005)
        self.assertGreater(mean["algorithm1"], 0.03)
        self.assertGreater(mean["fairness"], mean["algorithm1"])
        near = [abs(e) <= 0.1 for e in self.errors(cells, "window")]
        self.assertGreater(statistics.fmean(near), 0.98)

    def test_messages_of_a_few_windows_need_the_law_in_time(self):
        cells = self.cells("10MB", "3MB", d="[1, 2]", seeds=3, sets=", traffic.precision: 15%")
        mean = {m: statistics.fmean(map(abs, self.errors(cells, m))) for m in test_fit_patterns.MODELS}
        self.assertLess(mean["fluid"], 0.03)
        self.assertGreater(mean["window"], mean["fluid"])
