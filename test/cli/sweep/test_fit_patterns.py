# SPDX-License-Identifier: GPL-2.0-or-later
"""How far off models are over random patterns: recomputed, beside the paper's columns, and as good as they claim."""
import csv
import io
import statistics

import e2e

SWEEP = """title: Small
scenario: {scenario}
set: {{traffic.random.bytes: {bytes}, tcp.window: {window}, duration: 3000s, network.nic.limit: 100MB,
      network.switch.limit: 100MB{sets}}}
axes:
  network.racks: {racks}
  traffic.random.d: {d}
{axes}
seeds: {seeds}
"""
MODELS = ["fluid", "window", "algorithm1", "fairness", "maxmin"]


def student_975(df):
    """Cornish and Fisher's expansion of the quantile, Abramowitz and Stegun 26.7.5; to 1e-3 from 10 degrees on."""
    x = 1.959964
    return x + (x ** 3 + x) / 4 / df + (5 * x ** 5 + 16 * x ** 3 + 3 * x) / 96 / df ** 2


class Case(e2e.Case):
    def sweep(self, bytes, window, racks='["[5, 5]"]', d="1..3", seeds=3, sets="", axes="", name="s"):
        self.write(f"{name}.yaml", SWEEP.format(scenario=e2e.ROOT / "scenarios/zhu-random.yaml", bytes=bytes,
                                                window=window, racks=racks, d=d, seeds=seeds, sets=sets, axes=axes))
        self.good("sweep", f"{name}.yaml", "-q")
        return self.json("fit", f"{name}.db")

    def cells(self, *args, **kwargs):
        cells = self.sweep(*args, **kwargs)["patterns"]["cells"]
        for cell in cells:
            self.assertEqual([m["model"] for m in cell["models"]], MODELS)
            self.assertEqual((cell["lossy_links"], cell["unfinished_links"]), (0, 0))
            self.assertEqual(len(cell["each"]), cell["links"])
        return cells

    def errors(self, cells, model):
        return [e["predicted_s"][model] / e["simulated_s"] - 1 for c in cells for e in c["each"]]


class Recomputed(Case):
    def test_means_shares_and_worst_are_those_of_the_transfers(self):
        cells = self.cells("1MB", "50kB", seeds=4)
        exported = self.good("sweep", "export", "s.db", "--flows").stdout
        flows = {(row["point"], row["flow"]): row for row in csv.DictReader(io.StringIO(exported))}
        self.assertEqual(sum(c["links"] for c in cells), len(flows))
        for cell in cells:
            for model in cell["models"]:
                errors = self.errors([cell], model["model"])
                self.assertAlmostEqual(model["mean_abs_error"], statistics.fmean(map(abs, errors)), places=9)
                self.assertAlmostEqual(model["bias"], statistics.fmean(errors), places=9)
                # pi(epsilon) of Zhu et al. 2014, Table II: Student's interval of the mean |error|, over that mean
                sizes = [abs(e) for e in errors]
                half = student_975(len(sizes) - 1) * statistics.stdev(sizes) / len(sizes) ** 0.5
                self.assertAlmostEqual(model["precision"], half / statistics.fmean(sizes), delta=1e-3)
                self.assertAlmostEqual(model["within_10_percent"], statistics.fmean(abs(e) <= 0.1 for e in errors))
                self.assertAlmostEqual(model["worst_error"], max(errors, key=abs), places=9)
                counts = model["histogram"]["counts"]
                self.assertEqual(sum(counts), len(errors))
                for i, count in enumerate(counts[:-1]):
                    low = model["histogram"]["from"] + i * model["histogram"]["step"]
                    inside = sum(low + 1e-9 < e < low + model["histogram"]["step"] - 1e-9 for e in errors)
                    self.assertLessEqual(inside, count)
                points = {e["point"] for e in cell["each"]}
                self.assertEqual(len(points), cell["patterns"])
                slowest = [max(e[key] if key == "simulated_s" else e[key][model["model"]] for e in cell["each"]
                               if e["point"] == p) for p in sorted(points) for key in ("predicted_s", "simulated_s")]
                self.assertAlmostEqual(model["slowest_mean_abs_error"], statistics.fmean(
                    abs(p / s - 1) for p, s in zip(slowest[::2], slowest[1::2])), places=9)
            for e in cell["each"]:
                flow = flows[str(e["point"]), e["flow"]]
                self.assertAlmostEqual(e["simulated_s"], float(flow["end_s"]) - float(flow["start_s"]), places=9)

    def test_predictions_are_those_of_predict(self):
        cell, = self.cells("1MB", "50kB", d="[2]", seeds="[7]", sets=", traffic.precision: 50%")
        self.write("p.yaml", self.good("predict", e2e.ROOT / "scenarios/zhu-random.yaml", "--seed", "7", "--set",
                                       "traffic.random.d=2", "--set", "traffic.random.bytes=1MB", "--set",
                                       "tcp.window=50kB", "--yaml").stdout)
        for model in MODELS:
            links = self.json("predict", "p.yaml", "--model", model)["links"]
            self.assertEqual([e["flow"] for e in cell["each"]], [x["link"] for x in links])
            for e, x in zip(cell["each"], links):
                self.assertAlmostEqual(e["predicted_s"][model], x["completion_s"], places=9)
        self.assertGreater(max(e["simulated_ci95_s"] for e in cell["each"]), 0)

    def test_cells_of_table_2_have_the_papers_figures_beside_them(self):
        cells = self.cells("100kB", "50kB", racks='["[5, 5]", "[10, 10]", "[15, 15]", "[2, 2]"]', seeds=1)
        with open(e2e.ROOT / "test/data/papers/zhu2014_table2.csv", newline="") as f:
            table = {(int(r["nodes"]), int(r["d"])): r for r in csv.DictReader(x for x in f if not x.startswith("#"))}
        self.assertEqual(len(cells), 12)
        text = self.good("fit", "s.db").stdout
        for cell in cells:
            row = table.get((cell["nodes"], cell["d"]))
            self.assertEqual(row is None, cell["nodes"] == 4)
            if row is None:
                self.assertIsNone(cell["zhu2014"])
                continue
            paper = {"links": "main_trials", "steps": "main_steps", "main_algorithm1": "main_err",
                     "main_algorithm1_both_ways": "main_err_asym", "main_fairness_both_ways": "main_err_fair",
                     "grid5000_algorithm1": "g5k_err", "grid5000_algorithm1_both_ways": "g5k_err_asym",
                     "grid5000_fairness_both_ways": "g5k_err_fair", "main_precision": "main_prec",
                     "grid5000_precision": "g5k_prec"}
            self.assertEqual(cell["zhu2014"].keys(), paper.keys())
            for key, column in paper.items():
                share = 1 if key in ("links", "steps") or "precision" in key else 100
                self.assertAlmostEqual(cell["zhu2014"][key] * share, float(row[column]), places=9)
            self.assertIn(row["main_err"], text)
            self.assertIn(row["g5k_prec"], text)


@e2e.needs_engine
class Engines(Case):
    def test_ns3_and_native_differ_little(self):
        fitted = self.sweep("1MB", "50kB", d="[1]", seeds=2, axes="  engine: [native, ns3]")
        both = fitted["engines"]
        self.assertEqual(both["flows"], fitted["patterns"]["cells"][0]["links"])
        self.assertGreater(both["flows"], 4)
        self.assertLess(both["max_abs_difference"], 0.02)
        for d in both["differences"]:
            self.assertAlmostEqual(d["difference"], d["native_s"] / d["ns3_s"] - 1, places=9)
        self.assertIn("native against ns-3", self.good("fit", "s.db").stdout)
