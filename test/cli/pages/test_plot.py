# SPDX-License-Identifier: GPL-2.0-or-later
"""contraflow plot: figures show the numbers of the run, need nothing else, and read names of others as text."""
import csv
import json
import os
import re
import xml.etree.ElementTree

import e2e
from browser import DARK, WHITE, Page, browser

from test_page import SIZES  # noqa: E402  a script that finds text which is cut or lies on other text

QUICK = ("duration=300ms", "warmup=100ms", "network.link.rate=100Mbps", "tcp.window=300kB")
SVG = "{http://www.w3.org/2000/svg}"
SCALE = {"b/s": 1, "kb/s": 1e3, "Mb/s": 1e6, "Gb/s": 1e9, "B": 1, "kB": 1e3, "MB": 1e6}


class Figure:
    """An SVG file: its elements by class, and what heights mean by the numbers at the axis on the left."""

    def __init__(self, path):
        self.source = path.read_text(encoding="utf-8")
        self.root = xml.etree.ElementTree.fromstring(self.source)
        self.text = " ".join(e.text for e in self.root.iter(SVG + "text"))

    def all(self, tag, class_):
        return [e for e in self.root.iter(SVG + tag) if set(class_.split()) <= set(e.get("class", "").split())]

    def words(self, class_):
        return [e.text for e in self.all("text", class_)]

    def value(self, y):
        """By the ticks of the panel around this height: numbers stand 4 pixels below their line."""
        panels, ticks = [], []
        for e in self.all("text", "end"):
            if re.fullmatch(r"[\d.]+", e.text):
                tick = (float(e.get("y")) - 4, float(e.text))
                if tick[1] == 0:
                    ticks = []
                    panels.append(ticks)
                ticks.append(tick)
        ticks = next(t for t in panels if y <= t[0][0] + 1)
        (low, _), (high, first) = ticks[:2]
        unit = next(w.split(", ")[1] for w in self.words("mid") if re.match(r"(goodput|queue), ", w))
        return SCALE[unit] * first * (low - y) / (low - high)


class Case(e2e.Case):
    def star(self, *sets, output="out"):
        return self.run_scenario(e2e.ROOT / "scenarios/star.yaml", *QUICK, "capture=[{at: h0}]", *sets, output=output)

    def figure(self, name, directory="out"):
        return Figure(self.dir / directory / f"{name}.svg")


class Bandwidth(Case):
    def test_marks_are_the_rates_of_flows_csv(self):
        flows = self.star("traffic.star.incoming=2")
        self.good("plot", "out")
        figure = self.figure("bandwidth")
        rates = {f"{f['src']} > {f['dst']}": f for f in flows}
        marks = figure.all("g", "mark")
        self.assertEqual(len(marks), 3)
        for mark in marks:
            name, rate, ci95 = re.fullmatch(r"(\S+ > \S+): ([\d.]+) Mb/s, \+- ([\d.]+)", mark.find(SVG + "title").text
                                            ).groups()
            flow = rates.pop(name)
            bps = float(flow["steady_goodput_bps"])
            self.assertAlmostEqual(float(rate) * 1e6, bps, delta=501)
            self.assertAlmostEqual(float(ci95) * 1e6, float(flow["steady_ci95_bps"]), delta=501)
            y = float(re.match(r"M[\d.]+ ([\d.]+)m", mark.findall(SVG + "path")[-1].get("d"))[1])
            pixel = figure.value(100) - figure.value(101)
            self.assertAlmostEqual(figure.value(y), bps, delta=pixel)
            self.assertIn("c-in" if flow["dst"] == "h0" else "c-out", mark.get("class"))
        self.assertEqual(rates, {})

    def test_levels_are_what_check_predicts(self):
        self.star("traffic.star.incoming=2")
        self.good("plot", "out")
        figure, resource = self.figure("bandwidth"), self.json("check", "out")["resources"][0]
        pixel = figure.value(100) - figure.value(101)
        for rule in ("eq5", "eq6", "window"):
            drawn = [figure.value(float(re.match(r"M[\d.]+ ([\d.]+)L", e.get("d"))[1]))
                     for e in figure.all("path", f"line c-{rule}")]
            wanted = sorted(f["predicted_bps"][rule] for f in resource["flows"])
            self.assertEqual(len(drawn), 3)
            for bps, predicted in zip(sorted(drawn), wanted):
                self.assertAlmostEqual(bps, predicted, delta=pixel)
        self.assertTrue({"Eq. 5", "Eq. 6", "window", "in", "out"} <= set(figure.words("own")))

    def test_runs_and_captures_are_in_one_plot_with_a_legend_of_what_differs(self):
        capture = e2e.ROOT / "test/data/captures/fifo-2in-1out.pcap.gz"
        flows = {"a": self.star("traffic.star.incoming=2", output="a"),
                 "b": self.star("traffic.star.incoming=2", "network.nic.queue=ack-first", "network.switch.queue=fair",
                                output="b")}
        self.good("plot", "a", "b", capture, "-o", "figures")
        figure = self.figure("totals", "figures")
        marks = {}
        for mark in figure.all("g", "mark"):
            name, way, rate, half = re.fullmatch(r"(\S+), (\w+): ([\d.]+) Mb/s, \+- ([\d.]+)", mark.find(SVG + "title").text
                                                 ).groups()
            marks[name, way] = float(rate) * 1e6, float(half) * 1e6
            y = float(re.match(r"M[\d.]+ ([\d.]+)m", mark.findall(SVG + "path")[-1].get("d"))[1])
            self.assertAlmostEqual(figure.value(y), float(rate) * 1e6, delta=figure.value(100) - figure.value(101))
        self.assertEqual(len(marks), 9)
        for run, rows in flows.items():
            for way, mine in {"in": lambda f: f["dst"] == "h0", "out": lambda f: f["src"] == "h0", "both": bool}.items():
                rate, half = marks[run, way]
                self.assertAlmostEqual(rate, sum(float(f["steady_goodput_bps"]) for f in rows if mine(f)), delta=2000)
                self.assertAlmostEqual(half, sum(float(f["steady_ci95_bps"]) for f in rows if mine(f)), delta=2000)
        total = sum(f["rate_bps"] for f in self.json("check", capture)["resources"][0]["flows"])
        self.assertAlmostEqual(marks[capture.name, "both"][0], total, delta=2000)
        words = figure.words("name")
        for line in ("1  a: network.nic.queue fifo, network.switch.queue fifo",
                     "2  b: network.nic.queue ack-first, network.switch.queue fair", f"3  {capture.name}: captured, 3 flows"):
            self.assertIn(line, words)

    def test_one_source_has_nothing_to_be_told_from(self):
        self.star("traffic.star.incoming=2")
        self.good("plot", "out")
        self.assertFalse((self.dir / "out/totals.svg").exists())

    def test_a_capture_from_elsewhere_is_measured(self):
        self.good("plot", e2e.ROOT / "test/data/captures/fifo-2in-1out.pcap.gz", "-o", "figures")
        figure = self.figure("bandwidth", "figures")
        self.assertIn("measured goodput", figure.text)
        self.assertNotIn("simulated", figure.text)
        self.assertFalse((self.dir / "figures/queues.svg").exists())

    def test_many_groups_stay_within_700_pixels(self):
        points = ", ".join(f"{i}/1" for i in range(1, 10))
        self.good("run", e2e.ROOT / "scenarios/zhu-figure4.yaml", "-o", "f4", "--quiet", "--set",
                  f"traffic.star.points=[{points}]", *[x for s in QUICK for x in ("--set", s)])
        self.good("plot", *[f"f4/{i}in-1out/h0.pcap" for i in range(1, 10)], "-o", "f4")
        figure = self.figure("bandwidth", "f4")
        self.assertEqual(len(figure.all("g", "mark")), sum(range(1, 10)) + 9)
        self.assertTrue({f"{i}in-1out" for i in range(1, 10)} <= set(figure.words("name")))
        self.assertIn("simulated goodput", figure.text)
        ticks = [float(e.text) for e in figure.all("text", "end")]
        rows = ticks.count(0)
        self.assertGreater(rows, 1)
        self.assertEqual(ticks, ticks[:len(ticks) // rows] * rows)  # one scale


class Queues(Case):
    def test_bands_are_the_depths_of_queues_csv(self):
        self.star("traffic.star.incoming=2")
        self.good("plot", "out")
        figure = self.figure("queues")
        names, bands = figure.words("own"), figure.all("path", "band")
        self.assertEqual(len(bands), len(names))
        with open(self.dir / "out/queues.csv", newline="") as f:
            rows = list(csv.DictReader(f))
        for name, band in zip(names, bands, strict=True):
            depths = [int(r["depth_bytes"]) for r in rows if r["port"] == name]
            heights = [float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)H", band.get("d"))]
            pixel = figure.value(100) - figure.value(101)
            self.assertAlmostEqual(figure.value(min(heights)), max(depths), delta=pixel)
            self.assertAlmostEqual(figure.value(max(heights)), 0, delta=pixel)
            self.assertEqual(len(heights), 2 * 612)  # the most forth and the least back, a column of pixels each

    def test_panels_share_a_scale_and_ports_their_colours(self):
        self.star("traffic.star.incoming=2", output="few")
        self.star("traffic.star.incoming=6", output="many")
        self.good("plot", "few", "many", "-o", "both")
        figure = self.figure("queues", "both")
        self.assertTrue({"few", "many"} <= set(figure.words("name")))
        ticks = [e.text for e in figure.all("text", "end") if re.fullmatch(r"[\d.]+", e.text)]
        self.assertEqual(ticks[:len(ticks) // 2], ticks[len(ticks) // 2:])
        colours = {}
        for e in figure.all("text", "own"):
            colours.setdefault(e.text, set()).add(e.get("class"))
        self.assertEqual({len(c) for c in colours.values()}, {1})
        self.assertGreater(len({frozenset(c) for c in colours.values()}), 1)


class Completion(Case):
    def test_bars_count_every_process(self):
        self.good("run", e2e.ROOT / "scenarios/alltoall.yaml", "-o", "out", "--quiet")
        self.good("plot", "out")
        with open(self.dir / "out/operations.csv", newline="") as f:
            rows = [r for r in csv.DictReader(line for line in f if not line.startswith("#"))]
        bars = self.figure("completion").all("rect", "bar")
        counts = [re.fullmatch(r"(\d+) from ([\d.e-]+) to ([\d.e-]+) s", b.find(SVG + "title").text).groups()
                  for b in bars]
        self.assertEqual(sum(int(n) for n, *_ in counts), len(rows))
        times = [float(r["end_s"]) - float(r["start_s"]) for r in rows]
        for n, low, high in counts[:-1]:
            slack = 1e-7
            self.assertLessEqual(sum(float(low) + slack < t < float(high) - slack for t in times), int(n))
            self.assertGreaterEqual(sum(float(low) - slack < t < float(high) + slack for t in times), int(n))


class Files(Case):
    def colours(self, picture, dark=False):
        with browser().page((self.dir / picture).as_uri(), width=700, height=300, dark=dark) as (session, _):
            return browser().colours(session)

    def test_they_need_nothing_else(self):
        self.star()
        self.good("plot", "out")
        for name in ("bandwidth", "queues"):
            source = self.figure(name).source
            self.assertNotRegex(source, r"(?i)href|\bsrc\b|url\(|@import|<script|<image|var\(|<!DOCTYPE|<!ENTITY")
            self.assertEqual(re.findall(r"https?:[^\"]*", source), ["http://www.w3.org/2000/svg"])

    def test_names_of_others_stay_text(self):
        self.star()
        name = "a'\n!touch owned\n\"<script>&]]>" + "\nsystem('touch owned')"
        os.rename(self.dir / "out", self.dir / name)
        queues = self.dir / name / "queues.csv"
        queues.write_text(queues.read_text().replace("sw0-h0", "<b>'`touch owned`"))
        self.good("plot", name)
        for figure in ("bandwidth", "queues"):
            drawn = self.figure(figure, name)  # well-formed
            shown = name.replace("\n", "\N{REPLACEMENT CHARACTER}")
            self.assertTrue(any(shown[:20] in w for w in drawn.words("name")), drawn.words("name"))
            self.assertEqual(list(drawn.root.iter(SVG + "script")), [])
        self.assertIn("<b>'`touch owned`", self.figure("queues", name).words("own"))
        self.assertEqual([p for p in self.dir.rglob("owned")], [])

    def test_pngs_are_whole_and_twice_as_wide(self):
        e2e.require("rsvg-convert")
        self.star()
        done = self.good("plot", "out")
        for name in ("bandwidth", "queues"):
            png = (self.dir / f"out/{name}.png").read_bytes()
            self.assertEqual((png[:8], png[-8:-4]), (b"\x89PNG\r\n\x1a\n", b"IEND"))
            self.assertEqual(int.from_bytes(png[16:20], "big"), 1400)
            self.assertIn(f"wrote out/{name}.svg, .png", done.stderr)
            self.assertGreater(len(self.colours(f"out/{name}.png")), 20)
        self.assertEqual([p.name for p in (self.dir / "out").glob("*.part")], [])

    def test_without_rsvg_convert_there_is_no_old_png(self):
        self.star()
        self.write("out/bandwidth.png", "old")
        done = self.good("plot", "out", env={**os.environ, "PATH": "/nowhere"})
        self.assertIn("apt install librsvg2-bin", done.stderr)
        self.assertTrue((self.dir / "out/bandwidth.svg").exists())
        self.assertEqual(list((self.dir / "out").glob("*.png*")), [])

    def test_a_browser_draws_it_by_day_and_by_night(self):
        self.star()
        self.good("plot", "out")
        for ground, dark in ((WHITE, False), (DARK, True)):
            counts = self.colours("out/bandwidth.svg", dark)
            self.assertEqual(max(counts, key=counts.get), ground)
            self.assertGreater(len(counts), 20)

    def test_no_text_is_cut_or_lies_on_other_text(self):
        self.good("run", e2e.ROOT / "scenarios/zhu-figure4.yaml", "-o", "f4", "--quiet", *[x for s in QUICK
                  for x in ("--set", s)])
        self.good("run", e2e.ROOT / "scenarios/alltoall.yaml", "-o", "all", "--quiet")
        runs = sorted(p.name for p in (self.dir / "f4").iterdir() if p.is_dir())
        self.assertEqual(len(runs), 6)
        self.good("plot", *[f"f4/{run}/h0.pcap" for run in runs], "all", "-o", "out")
        drawings = "".join(self.figure(name).source for name in ("bandwidth", "queues", "completion", "totals", "latency"))
        self.write("all.html", f"<!DOCTYPE html><body>{drawings}<script>{SIZES}</script></body>")
        with browser().page((self.dir / "all.html").as_uri(), width=1280, height=3000) as (session, logged):
            self.assertEqual(logged, [])
            sizes = json.loads(Page(browser().text(session)).one("html")["data-sizes"])
        self.assertEqual(len(sizes), 5)
        for drawing in sizes:
            self.assertEqual((drawing["width"], drawing["cut"], drawing["over"]), (700, [], []))

    def trips(self, directory):
        """Of latency.svg: the lines, by colour, in ms by decades of the scale; and levels, and the words below."""
        figure = self.figure("latency", directory)
        ticks = sorted((float(e.text), float(e.get("y")) - 4) for e in figure.all("text", "end") if e.text[0].isdigit())
        (low, y), (_, above) = ticks[:2]

        def ms(at):
            return low * 10 ** ((y - float(at)) / (y - above))
        self.assertTrue(all(abs(ms(at) / tick - 1) < 4e-3 for tick, at in ticks), ticks)  # a tenth of a pixel
        lines = {e.get("class").split()[-1]: [ms(at) for at in re.findall(r"[ML ][\d.]+[ ,]([\d.]+)", e.get("d"))]
                 for e in figure.all("path", "line") if "thin" not in e.get("class")}
        levels = [ms(re.match(r"M[\d.]+ ([\d.]+)", e.get("d"))[1]) for e in figure.all("path", "line thin")]
        return lines, levels, figure.words("small")

    def test_round_trips_over_time_are_those_of_the_answer(self):
        """Runs that differ, and a capture of the first, on one scale: FIFO queues fill, a capture shows the same, and
        fq_codel's do not. A line ends where the answer's median is; its level is the idle round trip."""
        self.star("duration=2s", "warmup=1s", output="fifo")
        self.star("duration=2s", "warmup=1s", "network.switch.queue=fq_codel", "network.nic.queue=fq_codel", output="fq")
        self.good("plot", "fifo", "fq", "fifo/h0.pcap", "-o", "figures")
        lines, levels, words = self.trips("figures")
        for i, source in enumerate(("fifo", "fq", "fifo/h0.pcap")):
            latency = self.json("check", source)["resources"][0]["diagnosis"]["latency"]
            ends = sorted(lines[f"c-c{i}"][-20:])
            self.assertAlmostEqual(ends[10] / 1e3 / latency["loaded"]["median_s"], 1, delta=0.1, msg=source)
            self.assertAlmostEqual(levels[i] / 1e3 / latency["idle"]["median_s"], 1, delta=0.02, msg=source)
            self.assertIn(f"idle {latency['idle']['median_s'] * 1e3:.3g} ms, loaded", words[i])
        self.assertLess(lines["c-c0"][0], 0.5 * lines["c-c0"][-1])  # it fills
        self.assertLess(lines["c-c1"][-1], 0.2 * lines["c-c0"][-1])
        self.assertEqual([w for w in self.figure("latency", "figures").words("own")], ["1", "3", "2"])

    def test_a_directory_that_cannot_be_written_is_named(self):
        self.star()
        self.write("file", "")
        self.bad(3, ["file", "directory cannot be made"], "plot", "out", "-o", "file")
