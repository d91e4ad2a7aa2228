# SPDX-License-Identifier: GPL-2.0-or-later
"""A sweep's database as others ask it: its tables are those of doc/files.md, the queries of doc/sql.md give what the same
sweep gives in Python, and the notebook that draws them runs."""
import json
import os
import re
import sqlite3
import statistics
import sys

import e2e

PLACES = ("network.nic.queue", "network.switch.queue")


class Questions(e2e.Case):
    @classmethod
    def setUpClass(cls):
        """Two seeds of scenarios/sweeps/queues.yaml."""
        case = e2e.Case()
        case.setUp()
        cls.addClassCleanup(case.doCleanups)
        text = (e2e.ROOT / "scenarios/sweeps/queues.yaml").read_text()
        case.write("queues.yaml", text.replace("../star.yaml", str(e2e.ROOT / "scenarios/star.yaml"))
                   .replace("seeds: 8", "seeds: 2"))
        case.good("sweep", "queues.yaml", "-q")
        cls.path = case.dir / "queues.db"
        cls.rows = case.json("sweep", "export", "queues.db", "--flows")["rows"]
        assert len(cls.rows) == 4 * 2 * (2 + 3 + 4)

    def setUp(self):
        super().setUp()
        self.db = sqlite3.connect(self.path)
        self.addCleanup(self.db.close)
        self.db.row_factory = sqlite3.Row

    def ask(self, name):
        return [dict(row) for row in self.db.execute((e2e.ROOT / f"doc/sql/{name}.sql").read_text())]

    def totals(self):
        """{(flows in, NIC, port, seed): goodput of all flows}"""
        found = {}
        for row in self.rows:
            axes = row["axes"]
            key = axes["traffic.star.incoming"], *(axes[place] for place in PLACES), row["seed"]
            found[key] = found.get(key, 0) + row["steady_goodput_bps"]
        return found

    def test_the_tables_are_documented_column_by_column(self):
        text = (e2e.ROOT / "doc/files.md").read_text()
        section = text[text.index("## The database of a sweep"):]
        for table, part in zip(("sweep", "point", "flow"), re.findall(r"\|---\|---\|\n((?:\|.*\n)+)", section), strict=True):
            documented = re.findall(r"`(\w+)`", "\n".join(line.split("|")[1] for line in part.splitlines()))
            self.assertEqual(documented, [row["name"] for row in self.db.execute(f"PRAGMA table_info({table})")])
            self.assertNotIn("| |", part)

    def test_flows_columns_have_the_words_of_their_table(self):
        """Of results/flow.h, from where the schemas have them, too."""
        page = (e2e.ROOT / "doc/files.md").read_text()
        meanings = re.findall(r'ROW\(\w+, \w+, \w+, "(\w+)",[^"]*(?:"\w+",[^"]*)*"([^"]+)"\)',
                              (e2e.ROOT / "results/flow.h").read_text())
        columns = {row["name"] for row in self.db.execute("PRAGMA table_info(flow)")} - {"point", "name"}
        self.assertEqual(len(columns), 19)
        for name, meaning in meanings:
            if name in columns:
                self.assertIn(f"| `{name}` | {meaning} |", page)
                columns.remove(name)
        self.assertEqual(columns, set())

    def test_rates_by_degree(self):
        said = self.ask("eq6")
        self.assertEqual([(row["n_in"], row["way"]) for row in said], [(n, way) for n in (1, 2, 3) for way in ("in", "out")])
        for row in said:
            rates = [r["steady_goodput_bps"] for r in self.rows
                     if r["axes"]["traffic.star.incoming"] == row["n_in"] and r["flow"].startswith(row["way"])
                     and {r["axes"][place] for place in PLACES} == {"fifo"}]
            self.assertEqual(row["flows"], len(rates))
            self.assertAlmostEqual(row["mbps"], statistics.mean(rates) / 1e6, delta=0.051)
            self.assertAlmostEqual(row["eq6"], e2e.B_1448 / 1e6 / max(row["n_in"], 1), delta=0.06)

    def test_gains(self):
        totals = self.totals()
        said = self.ask("gain")
        self.assertEqual(len(said), 12)
        for row in said:
            key = row["n_in"], row["nic"], row["port"]
            gains = [totals[*key, seed] / totals[row["n_in"], "fifo", "fifo", seed] for seed in (1, 2)]
            self.assertAlmostEqual(row["gain_percent"], 100 * (statistics.mean(gains) - 1), delta=0.051)
        # Eq. 6: of n in and 1 out the one gets B / n; both directions full are 2 B, n > 1 (Zhu 2014).
        [most] = [row for row in said if (row["n_in"], row["nic"], row["port"]) == (3, "ack-first", "ack-first")]
        self.assertAlmostEqual(most["gain_percent"], 100 * (2 / (1 + 1 / 3) - 1), delta=4)

    def test_coverage(self):
        runs = {}
        for row in self.rows:
            runs.setdefault((json.dumps(row["axes"]), row["flow"]), []).append(row)
        halves = [(abs(a["steady_goodput_bps"] - b["steady_goodput_bps"]), a["steady_ci95_bps"])
                  for pair in runs.values() for a, b in (pair, pair[::-1])]
        known = [(off, half) for off, half in halves if half is not None]
        [row] = self.ask("coverage")
        self.assertEqual((row["runs"], row["with_interval"]), (len(halves), len(known)))
        self.assertAlmostEqual(row["held_percent"], 100 * sum(off <= half for off, half in known) / len(known), delta=0.051)

    def test_worst_points(self):
        totals = self.totals()
        lost = {key: 1 - bps / max(b for k, b in totals.items() if k[0] == key[0]) for key, bps in totals.items()}
        said = self.ask("worst")
        self.assertEqual(len(said), 5)
        most = sorted(lost.values(), reverse=True)
        for row, expected in zip(said, most, strict=False):
            self.assertAlmostEqual(row["lost_percent"], 100 * expected, delta=0.051)
            self.assertAlmostEqual(100 * lost[row["n_in"], row["nic"], row["port"], row["seed"]], row["lost_percent"],
                                   delta=0.051)

    def test_states(self):
        self.assertEqual(self.ask("state"), [{"state": "done", "points": 24, "reasons": 0, "first_reason": None}])

    def test_every_query_is_in_the_chapter(self):
        chapter = (e2e.ROOT / "doc/sql.md").read_text()
        names = {path.stem for path in (e2e.ROOT / "doc/sql").glob("*.sql")}
        self.assertGreaterEqual(len(names), 5)
        for name in names:
            self.assertIn(f"$ cat doc/sql/{name}.sql\n", chapter)

    def test_the_notebook_runs(self):
        """Its cells, one after another, as Jupyter would; what it draws has the database's figures."""
        e2e.require_module("matplotlib")
        path = e2e.ROOT / "examples/sweep.ipynb"
        notebook = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual((notebook["nbformat"], notebook["nbformat_minor"]), (4, 5))
        ids = [cell["id"] for cell in notebook["cells"]]
        self.assertEqual(len(ids), len(set(ids)))
        os.environ.update(MPLBACKEND="Agg", DATABASE=str(self.path), MPLCONFIGDIR=str(self.dir))
        here, stdout, names = os.getcwd(), sys.stdout, {}
        self.addCleanup(os.chdir, here)
        self.addCleanup(setattr, sys, "stdout", stdout)
        os.chdir(path.parent)
        with open(self.dir / "said", "w", encoding="utf-8") as sys.stdout:
            for cell in notebook["cells"]:
                self.assertEqual(set(cell) - {"outputs", "execution_count"}, {"cell_type", "id", "metadata", "source"})
                if cell["cell_type"] == "code":
                    self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None))  # kept small
                    exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
        names["db"].close()
        import matplotlib.pyplot as plt
        self.assertEqual(len(plt.get_fignums()), 3)
        lines = plt.figure(1).axes[0].get_lines()
        eq6 = [row for row in self.ask("eq6") if row["way"] == "in"]
        self.assertEqual([list(line.get_ydata()) for line in (lines[0], lines[2])],
                         [[row[key] for row in eq6] for key in ("mbps", "eq6")])
        self.assertEqual(len(plt.figure(2).axes[0].patches), 12)
        self.assertIn("gain_percent", (self.dir / "said").read_text())
