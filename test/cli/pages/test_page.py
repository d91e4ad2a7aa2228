# SPDX-License-Identifier: GPL-2.0-or-later
"""contraflow report: the page of sweeps, what it holds, and what a real browser makes of it, without a network."""
import csv
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import urllib.parse

import e2e
from browser import DARK, WHITE, Page, browser

GRID = """title: A grid of <stars>
scenario: star.yaml
set: {duration: 300ms, warmup: 100ms, tcp.window: 100kB}
axes:
  traffic.star.incoming: 0..3
  traffic.star.outgoing: 0..2
skip: [{traffic.star.incoming: 0, traffic.star.outgoing: 0}]
"""
PATTERNS = """title: Patterns
scenario: zhu-random.yaml
set: {traffic.random.bytes: 500kB, tcp.window: 100kB, duration: 30s}
axes: {network.racks: ["[5, 5]"], traffic.random.d: [1, 3]}
seeds: 4
"""
ENGINES = """scenario: star.yaml
set: {duration: 300ms, warmup: 100ms}
axes: {network.nic.queue: [fifo, ack-first], traffic.star.incoming: [1, 2]}
"""
REGIMES = """scenario: star.yaml
set: {network.link.rate: 100Mbps, duration: 600ms, warmup: 200ms}
axes:
  tcp.window: [5kB, 100kB, 30kB]
  network.switch.limit: %s
  network.switch.queue: [fifo, ack-first]
seeds: 2
"""
# Contrast of text on what is behind it (WCAG 2.1, 1.4.3), of every text with a size; a drawing's is a cell or the page.
CONTRAST = """
const light = (c) => { const [r, g, b] = c.map((v) => v / 255)
  .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
function ground(e) {
  const cell = e.tagName === 'text' && e.closest('.cell, .sample');
  if (cell && cell.querySelector('rect')) return rgb(getComputedStyle(cell.querySelector('rect')).fill);
  for (let up = e; up; up = up.parentElement) {
    const back = rgb(getComputedStyle(up).backgroundColor);
    if (back.length < 4 || back[3] > 0) return back;
  }
  return rgb(getComputedStyle(document.body).backgroundColor);
}
let worst = [99, ''], seen = 0;
for (const e of document.querySelectorAll('body *')) {
  const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
  if (!own || !e.getClientRects().length || ['title', 'desc'].includes(e.tagName)) continue;
  const style = getComputedStyle(e), ink = light(rgb(e.tagName === 'text' ? style.fill : style.color).slice(0, 3));
  const behind = light(ground(e).slice(0, 3)), high = Math.max(ink, behind), low = Math.min(ink, behind);
  const contrast = (high + 0.05) / (low + 0.05);
  seen++;
  if (contrast < worst[0]) worst = [contrast, `${e.tagName}.${e.getAttribute('class')}: ${e.textContent.slice(0, 30)}`];
}
document.documentElement.dataset.contrast = JSON.stringify([...worst, seen]);
"""
# Size of every drawing, and of text that hangs out of its drawing or lies upon other text of it.
SIZES = """
const out = [];
for (const svg of document.querySelectorAll('svg.drawing')) {
  const box = svg.getBoundingClientRect(), boxes = [];
  const result = {id: svg.id, width: box.width, height: box.height, cut: [], over: []};
  for (const text of svg.querySelectorAll('text')) {
    const at = text.getBoundingClientRect(), slack = 1.5;
    if (at.left < box.left - slack || at.right > box.right + slack || at.top < box.top - slack ||
        at.bottom > box.bottom + slack) result.cut.push(text.textContent);
    for (const [other, words] of boxes)
      if (at.left < other.right - slack && other.left < at.right - slack && at.top < other.bottom - 4 * slack &&
          other.top < at.bottom - 4 * slack) result.over.push([words, text.textContent]);
    boxes.push([at, text.textContent]);
  }
  out.push(result);
}
document.documentElement.dataset.sizes = JSON.stringify(out);
"""


def number(text):
    return float(text) if text else None


class Case(e2e.Case):
    def sweep(self, name, text):
        for scenario in ("star", "zhu-random"):
            shutil.copy(e2e.ROOT / f"scenarios/{scenario}.yaml", self.dir)
        self.write(f"{name}.yaml", text)
        self.good("sweep", f"{name}.yaml", "-q")
        return f"{name}.db"

    def doctor(self, name, *statements):
        with sqlite3.connect(self.dir / f"{name}.db") as db:
            for statement in statements:
                db.execute(statement)
        db.close()

    def page(self, *sources, options=()):
        done = self.good("report", *sources, *options)
        self.assertEqual(done.stderr, "")
        path = options[1] if options else "report.html"
        self.assertEqual(done.stdout, f"report: {path}\n")
        return (self.dir / path).read_text(encoding="ascii")

    def played(self, script, key, dark=False):
        """What a script of ours finds on the page, which allows none itself."""
        text = (self.dir / "report.html").read_text().replace("style-src 'unsafe-inline'",
                                                              "style-src 'unsafe-inline'; script-src 'unsafe-inline'")
        path = self.write("played.html", text.replace("</body>", f"<script>{script}</script></body>"))
        with browser().page(path.as_uri(), width=1280, height=3000, dark=dark) as (session, _):
            return json.loads(Page(browser().text(session)).one("html")[f"data-{key}"])

    def figures(self, page):
        """Title of each figure, its element, and its data."""
        for figure in page.all("figure"):
            link, = [a for a in page.all("a", figure) if "download" in a]
            self.assertTrue(link["href"].startswith("data:text/csv;charset=utf-8,"))
            data = csv.DictReader(io.StringIO(urllib.parse.unquote(link["href"].split(",", 1)[1])))
            yield page.one("h3", figure)["text"], figure, list(data)


class Whole(Case):
    def setUp(self):
        super().setUp()
        self.sweep("grid", GRID)
        self.sweep("patterns", PATTERNS)
        self.text = self.page("grid.db", "patterns.db")

    def test_it_needs_nothing_else(self):
        self.assertNotRegex(self.text, r"(?i)<(script|link|img|iframe)|\ssrc\s*=|url\(|@import|https?:")
        self.assertIn("default-src 'none'", self.text)
        for e in Page(self.text).all("a"):
            self.assertRegex(e["href"], "^(#|data:text/csv)")
        ids = {e["id"] for e in Page(self.text).elements if "id" in e}
        for e in Page(self.text).all("a"):
            if e["href"].startswith("#"):
                self.assertIn(e["href"][1:], ids)

    def test_every_figure_has_data_a_command_and_names_what_it_shows(self):
        page = Page(self.text)
        figures = list(self.figures(page))
        self.assertEqual((len(figures), len(page.all("a", page.one("nav")))), (7, len(figures) + 2))
        for title, figure, data in figures:
            self.assertIn("emulated", title)
            self.assertTrue(data, title)
            command = page.one("pre", figure, class_="command")["text"]
            self.assertRegex(command, r"^contraflow sweep (\w+)\.yaml && contraflow fit \1\.db --json$")
            for svg in page.all("svg", figure, class_="drawing"):
                self.assertEqual(svg["role"], "img")
                named = {e["id"]: e["text"] for e in page.elements if e["tag"] in ("title", "desc") and "id" in e}
                for label in svg["aria-labelledby"].split():
                    self.assertTrue(named[label])
        for title, *_ in figures:
            self.assertEqual("measured" in title, "Table II" in title or "Links within" in title, title)
        for table in page.all("table"):
            self.assertTrue(any(table is e["inside"][-1] for e in page.all("caption")))

    def test_commands_make_the_figures_again(self):
        commands = Page(self.text).all("pre", class_="command")[0]["text"].splitlines()
        self.assertEqual((commands[0], commands[-1]), ("contraflow sweep grid.yaml", "contraflow report grid.db"))
        os.rename(self.dir / "grid.db", self.dir / "old.db")
        for command in commands[:2]:
            self.good(*command.split()[1:])
        again, before = ([data for *_, data in self.figures(Page(text))] for text in (self.page("grid.db"), self.text))
        self.assertEqual(again, before[:3])
        texts = [e["text"] for e in Page(self.text).all("pre", class_="text")]
        self.assertEqual((texts[0], texts[1]), (GRID, (self.dir / "star.yaml").read_text()))

    def test_fig4_has_the_numbers_of_fit(self):
        link, = self.json("fit", "grid.db")["resources"]["links"]
        page = Page(self.text)
        (_, lines, data), (_, maps, _), (_, _, forms), *_ = self.figures(page)
        self.assertEqual(len(data), len(link["measured"]))
        points = {(p["in"], p["out"]): p for p in link["measured"]}
        for row in data:
            point = points[int(row["in"]), int(row["out"])]
            for key in ("in_bps", "out_bps", "eq6_in_bps", "eq6_out_bps"):
                self.assertEqual(number(row[key]), point[key], (row, key))
            flows = [(point["in"], point["in_bps"]), (point["out"], point["out_bps"])]
            mean = sum(n * bps for n, bps in flows if n) / sum(n for n, _ in flows)
            self.assertAlmostEqual(number(row["mean_bps"]) / mean, 1, delta=1e-9)
        eq6, = [f for f in link["forms"] if f["form"] == "eq6" and not f["acks"]]
        one, = [p for p in link["measured"] if (p["in"], p["out"]) == (3, 1)]
        self.assertAlmostEqual(one["eq6_in_bps"] * 3 / eq6["fitted_rate_bps"]["value"], 1, delta=1e-6)
        self.assertEqual([number(f["B_bps"]) for f in forms], [f["fitted_rate_bps"]["value"] for f in link["forms"]])
        self.assertEqual(len(page.all("path", lines, class_="line")), 3 + 1)  # and one to say what lines are
        self.assertEqual(len(page.all("g", lines, class_="mark")), len(data) + 1)
        self.assertEqual([e["text"] for e in page.all("text", lines, class_="own")], ["0 out", "1 out", "2 out"])
        cells = page.all("g", maps, class_="cell")  # a number where there is a flow, and a gap elsewhere
        self.assertEqual(len(cells), sum(bool(p["in"]) + bool(p["out"]) for p in link["measured"]))
        for cell in cells:
            place, share = re.match(r"(\d+ in, \d+ out): flows (in|out) ([+-][\d.]+) %", cell["text"]).group(1, 3)
            way = re.search("flows (in|out)", cell["text"])[1]
            n = tuple(map(int, re.findall(r"\d+", place)))
            expected = 100 * (points[n][f"{way}_bps"] / points[n][f"eq6_{way}_bps"] - 1)
            self.assertAlmostEqual(float(share), expected, delta=0.0051)

    def test_patterns_have_the_numbers_of_fit_and_of_the_paper(self):
        cells, page = self.json("fit", "patterns.db")["patterns"]["cells"], Page(self.text)
        figures = {title.split(" ", 1)[1].split(" emulated")[0]: (figure, data)
                   for title, figure, data in list(self.figures(page))[3:]}
        bars, data = figures["Fig. 6 and 7: errors of predicted completion times"]
        for cell in cells:
            for model in cell["models"]:
                rows = [r for r in data if r["model"] == model["model"] and f"d = {cell['d']}," in r["patterns"]]
                self.assertEqual([int(r["links"]) for r in rows], model["histogram"]["counts"])
                self.assertAlmostEqual(sum(number(r["share"]) for r in rows), 1, delta=1e-9)
        drawn = sum(n > 0 for c in cells for m in c["models"] for n in m["histogram"]["counts"])
        self.assertEqual(len(page.all("rect", bars, class_="bar")), drawn)
        picture, data = figures["Table II"]
        marks = {e["text"] for e in page.all("title", picture)}
        for row, cell in zip(data, cells, strict=True):
            models, paper = {m["model"]: m for m in cell["models"]}, cell["zhu2014"]
            proposed, fair = models["algorithm1"], models["fairness"]
            figures_of = {"simulated_algorithm1": proposed["mean_abs_error"], "simulated_pi": proposed["precision"],
                          "simulated_algorithm1_both_ways": proposed["mean_abs_error_both_ways"],
                          "simulated_fairness_both_ways": fair["mean_abs_error_both_ways"],
                          "measured_main_pi": paper["main_precision"], "measured_grid5000_pi": paper["grid5000_precision"],
                          **{f"measured_{key}": value for key, value in paper.items() if "precision" not in key}}
            self.assertEqual({key: number(row[key]) for key in figures_of}, figures_of)
            drawn = {"simulated": "simulated", "measured_main": "measured, main testbed", "measured_grid5000":
                     "measured, Grid5000"}
            for key, said in drawn.items():
                for model in "algorithm1", "fairness":
                    self.assertIn(f"{model}, {said}: {100 * figures_of[f'{key}_{model}_both_ways']:.2f} %", marks)
        shown = {"3.83", "3.17", "10.74", "4.50", "4.47", "6.73", "558", "1.6", "0.148", "0.194"}  # 10 nodes, d = 1
        heads, first = page.all("tr", page.all("table", figures["Table II"][0])[0])[:2]
        told = [e["text"].startswith("paper") for e in page.all("th", heads)]
        self.assertEqual(sum(told), 2 + 4 * 2)
        row = zip(page.all("td", first), told, strict=True)
        self.assertEqual({e["text"] for e, of_paper in row if of_paper}, shown)
        _, data = figures["Links within 10 %"]
        self.assertEqual([number(r["measured_main_algorithm1"]) for r in data], [0.832, 0.721])  # 7.2, d = 1 and 3
        for row, cell in zip(data, cells, strict=True):
            near = {m["model"]: m["within_10_percent"] for m in cell["models"]}
            self.assertAlmostEqual(number(row["simulated_algorithm1"]), near["algorithm1"], delta=1e-9)
            self.assertAlmostEqual(number(row["simulated_fairness"]), near["fairness"], delta=1e-9)
        _, data = figures["Mean |error| of every model"]
        every = [m for c in cells for m in c["models"]]
        self.assertEqual([number(r["mean_abs_error"]) for r in data], [m["mean_abs_error"] for m in every])

    def test_a_browser_draws_it_without_an_error(self):
        with browser().page((self.dir / "report.html").as_uri(), width=1280, height=3000) as (_, logged):
            self.assertEqual(logged, [])
        sizes = self.played(SIZES, "sizes")
        self.assertEqual(len(sizes), 1 + 2 + 1 + 1)
        for drawing in sizes:
            self.assertGreater(drawing["width"], 100)
            self.assertGreater(drawing["height"], 80)
            self.assertEqual(drawing["cut"], [], drawing["id"])
            self.assertEqual(drawing["over"], [], drawing["id"])

    def test_it_can_be_read_by_day_and_by_night(self):
        for ground, dark in ((WHITE, False), (DARK, True)):
            address = (self.dir / "report.html").as_uri()
            with browser().page(address, width=700, height=900, dark=dark) as (session, _):
                counts = browser().colours(session)
            self.assertEqual(max(counts, key=counts.get), ground)
            contrast, where, seen = self.played(CONTRAST, "contrast", dark)
            self.assertGreater(seen, 200)
            self.assertGreater(contrast, 4.5, where)

    def test_headlines_are_sentences_with_the_numbers_of_fit(self):
        page = Page(self.text)
        form = self.json("fit", "grid.db")["resources"]["links"][0]["forms"][0]
        patterns = self.json("fit", "patterns.db")["patterns"]["cells"]
        heads = [e["text"] for e in page.all("p", class_="headline")]
        self.assertEqual((page.one("h1")["text"], form["form"]), (f"A grid of <stars>: {heads[0]}", "eq6"))
        self.assertEqual(heads[0], f"Flows over the link of h0 obey Eq. 6, B / max(in, out), with B = "
                         f"{form['fitted_rate_bps']['value'] / 1e6:.1f} Mb/s, to within "
                         f"{100 * form['rms_error']:.2g} % (rms).")
        errors = {}
        for name in "algorithm1", "fairness":
            models = [next(m for m in c["models"] if m["model"] == name) for c in patterns]
            links = sum(c["links"] for c in patterns)
            errors[name] = sum(m["mean_abs_error"] * c["links"] for m, c in zip(models, patterns)) / links
        self.assertEqual(heads[1], f"Algorithm 1 predicts the completion times of {links} transfers with a mean error "
                         f"of {100 * errors['algorithm1']:.1f} %, fairness those of {links} with "
                         f"{100 * errors['fairness']:.1f} %.")
        alone = Page(self.page("grid.db", options=("-o", "alone.html")))
        self.assertEqual((alone.one("h1")["text"], alone.all("p", class_="headline")), (heads[0], []))

    def test_it_uses_the_width_there_is(self):
        """Words stand beside drawings where both have room, and below them elsewhere; nothing hangs out. Where a drawing
        is wider than the window, its figure scrolls: smaller, its numbers could not be read."""
        for width in 400, 800, 1600:
            with browser().page((self.dir / "report.html").as_uri(), width=width) as (session, _):
                over, scales, places = browser().evaluate(session, """[document.documentElement.scrollWidth,
                    [...document.querySelectorAll('.drawing')].map((e) => e.getBoundingClientRect().width /
                      e.viewBox.baseVal.width), [...document.querySelectorAll('figure')].map((e) => [e.querySelector('.drawing, .wide'),
                    e.querySelector('figcaption'), e].map((part) => part.getBoundingClientRect())
                    .map(({ left, right, top, bottom }) => ({ left, right, top, bottom })))]""")
            self.assertEqual(over, width)
            self.assertGreater(min(scales), 0.99)
            for drawing, words, figure in places:
                self.assertGreater(figure["right"] - figure["left"], 0.89 * width)
                self.assertLessEqual(words["right"], width)
                if width == 1600:
                    self.assertGreaterEqual(words["left"], drawing["right"])
                    self.assertLess(words["top"], drawing["bottom"])
                else:
                    self.assertGreaterEqual(words["top"], drawing["bottom"])

    def test_the_same_databases_give_the_same_bytes(self):
        self.assertEqual(self.page("grid.db", "patterns.db", options=("-o", "again.html")), self.text)
        self.assertEqual([p.name for p in self.dir.glob("*.part")], [])

    def test_names_and_titles_stay_text(self):
        self.assertNotIn("<stars>", self.text)
        self.assertIn("A grid of &lt;stars&gt;", self.text)
        name = "a' <b>&"
        os.rename(self.dir / "grid.db", self.dir / f"{name}.db")
        text = self.page(f"{name}.db")
        self.assertNotIn("<b>&", text)
        command = Page(text).all("pre", class_="command")[0]["text"].splitlines()[1]
        words = subprocess.run(["sh", "-c", command.replace("contraflow", "printf '%s\\n'", 1)], capture_output=True,
                               text=True, check=True).stdout.splitlines()
        self.assertEqual(words, ["fit", f"{name}.db"])


class Settings(Case):
    def test_cells_of_other_settings_are_apart(self):
        queues = PATTERNS.replace("d: [1, 3]", "d: [1], network.nic.queue: [fifo, ack-first]")
        self.sweep("queues", queues)
        cells = {c["axes"]["network.nic.queue"]: c for c in self.json("fit", "queues.db")["patterns"]["cells"]}
        figures = {t: d for t, _, d in self.figures(Page(self.page("queues.db")))}
        self.assertEqual(len(figures), 3 + 3 + 1)
        for queue, cell in cells.items():
            data, = [d for t, d in figures.items() if "Fig. 6 and 7" in t and f"; queue={queue} " in t]
            counts = [int(r["links"]) for r in data if r["model"] == "fluid"]
            model, = [m for m in cell["models"] if m["model"] == "fluid"]
            self.assertEqual(counts, model["histogram"]["counts"])
            (row,), = [d for t, d in figures.items() if "Table II" in t and f"; queue={queue} " in t]
            self.assertEqual(int(row["simulated_links"]), cell["links"])


class Regimes(Case):
    LETTERS = {"eq6": "E", "window": "W", "eq5": "F", "loss": "L", "none": "N", "unsaturated": "U", "unknown": "?"}

    def test_sweeps_with_the_same_axes_are_one_map(self):
        self.sweep("deep", REGIMES % "[2MB, 300kB]")
        self.sweep("flat", REGIMES % "[20kB]")
        self.doctor("deep", "UPDATE flow SET steady_goodput_bps = 1e6 WHERE point IN (SELECT number FROM point WHERE "
                    "axes LIKE '%100kB%2MB%fifo%')")  # of 100 Mb/s: what no closed form says
        page = Page(self.page("deep.db", "flat.db"))
        points = [p for name in ("deep", "flat") for p in self.json("fit", f"{name}.db")["regimes"]["points"]]
        self.assertEqual(len(points), 18)
        figures = {t: (f, d) for t, f, d in self.figures(page)}
        (maps, data), = [v for t, v in figures.items() if "Regimes: tcp.window against switch.limit" in t]
        self.assertEqual(len(page.all("svg", maps, class_="drawing")), 2)  # a queue each
        keys = ("tcp.window", "network.switch.limit", "network.switch.queue")
        rows = {tuple(row[k] for k in keys): row for row in data}
        seen = []
        for p in points:
            row = rows[tuple(p["axes"][k] for k in keys)]
            self.assertEqual((row["most"], row["predicted"]), (p["most"], p["predicted"]))
            self.assertEqual(number(row["in_bps_mean"]), p["in_bps"]["mean"])
            most, predicted = self.LETTERS[p["most"]], self.LETTERS[p["predicted"]]
            off = "" if most == predicted else "?" if predicted == "?" else f"/{predicted}"
            seen.append(most + "*" * (len(p["observed"]) > 1) + off)
        shown = [page.one("text", g)["text"] for g in page.all("g", maps, class_="cell")]
        self.assertEqual(sorted(shown), sorted(seen))
        self.assertIn("U/E", shown)
        self.assertIn("E?", shown)
        for svg in page.all("svg", maps, class_="drawing"):
            names = [e["text"] for e in page.all("text", svg, class_="small")]
            self.assertEqual(names, ["20kB", "300kB", "2MB"])  # by size, and upwards
            self.assertEqual([e["text"] for e in page.all("text", svg, class_="tiny")], ["5kB", "30kB", "100kB"])
        (spread, _), = [v for t, v in figures.items() if "Spread of rates" in t]
        self.assertEqual(len(page.all("g", spread, class_="cell")), 18)
        shades = re.findall(r"\d+ %(?: and more)?", spread["text"])
        self.assertEqual(shades[:5], ["0 %", "10 %", "20 %", "30 %", "40 % and more"])  # of the mean, the darkest from 0.4 on
        (counts, _), = [v for t, v in figures.items() if "seen against the closed form" in t]
        known = [p for p in points if p["predicted"] != "unknown"]
        agree = sum(p["most"] == p["predicted"] for p in known)
        self.assertIn(f"{agree} of {len(known)} points that have a closed form agree with it: {100 * agree / len(known):.2f} %. "
                      f"{18 - len(known)} points have none.", counts["text"])
        first, second = (section["text"] for section in page.all("section"))
        self.assertIn("together with those of flat.db", first)
        self.assertIn("together with those above", second)
        for drawing in self.played(SIZES, "sizes"):
            self.assertEqual((drawing["cut"], drawing["over"]), ([], []), drawing["id"])


class Others(Case):
    def test_engines_stand_against_each_other(self):
        self.sweep("both", ENGINES)
        # As if a second engine had run the other half: it is not built everywhere.
        self.doctor("both", "UPDATE point SET engine = 'ns-3.37' WHERE axes LIKE '%ack-first%'",
                    "UPDATE point SET axes = replace(axes, 'network.nic.queue', 'engine')",
                    "UPDATE point SET axes = replace(replace(axes, 'ack-first', 'ns3'), 'fifo', 'native')")
        engines = self.json("fit", "both.db")["engines"]
        self.assertEqual(engines["flows"], 2 + 3)
        for d in engines["differences"]:  # these flows have no end
            self.assertIsNone(d["native_s"])
            self.assertAlmostEqual(d["difference"], d["native_bps"] / d["ns3_bps"] - 1, delta=1e-9)
        page = Page(self.page("both.db"))
        (figure, data), = [(f, d) for t, f, d in self.figures(page) if "Both engines" in t]
        self.assertEqual([number(r["difference"]) for r in data], [d["difference"] for d in engines["differences"]])
        self.assertEqual(len(page.all("g", figure, class_="mark")), engines["flows"])

    def test_what_is_not_done_is_counted_and_makes_no_figure(self):
        self.sweep("grid", GRID)
        self.sweep("left", GRID)
        self.doctor("left", "UPDATE point SET state = 'waiting'", "DELETE FROM flow",
                    "UPDATE point SET state = 'failed', error = 'x' WHERE number = 1")
        (self.dir / "sweeps").mkdir()
        for name in ("grid", "left"):
            os.rename(self.dir / f"{name}.db", self.dir / f"sweeps/{name}.db")
        page = Page(self.page("sweeps"))
        first, second = page.all("section")
        self.assertIn("11 done, 0 failed, 0 waiting, of 11", first["text"])
        self.assertIn("0 done, 1 failed, 10 waiting, of 11", second["text"])
        self.assertIn("no point is done yet", second["text"])
        self.assertEqual(page.all("figure", second), [])

    def test_bad_input_is_one_line(self):
        self.bad(2, "no database or directory", "report")
        self.bad(2, ["nothere.db", "cannot be read"], "report", "nothere.db")
        (self.dir / "empty").mkdir()
        self.write("empty/.db", "hidden, as a file of no name is")
        self.bad(2, ["empty", "no *.db", "contraflow sweep"], "report", "empty")
        self.write("text.db", "no database\n" * 100)
        self.bad(2, "text.db", "report", "text.db")
        self.good("run", e2e.ROOT / "scenarios/star.yaml", "-o", "run", "-q", "--set", "duration=50ms", "--set",
                  "warmup=10ms", "--set", "capture=[]")
        self.bad(2, ["run", "analyze", "--report"], "report", "run")
        self.sweep("grid", GRID)
        self.doctor("grid", "UPDATE point SET state = 'waiting'", "DELETE FROM flow")
        self.bad(2, ["grid.db", "no point", "contraflow sweep"], "report", "grid.db")
        self.assertFalse((self.dir / "report.html").exists())

    def test_a_page_that_cannot_be_written_leaves_nothing(self):
        self.sweep("grid", GRID)
        self.bad(3, "nowhere/page.html", "report", "grid.db", "-o", "nowhere/page.html")
        self.write("report.html", "before")
        # No room for all of it (SIGXFSZ is ignored): the old page stays.
        done = subprocess.run(["sh", "-c", f"ulimit -f 8; '{e2e.CONTRAFLOW}' report grid.db"], cwd=self.dir,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual((len(done.stderr.splitlines()), (self.dir / "report.html").read_text()), (1, "before"))
        self.assertEqual(list(self.dir.glob("*.part")), [])
