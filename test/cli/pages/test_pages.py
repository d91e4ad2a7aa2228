# SPDX-License-Identifier: GPL-2.0-or-later
"""Every page as a person sees it: on a phone, a tablet, a laptop and a desk, by day and by night. Pictures are taken, and
boxes compared: nothing is cut, nothing lies on anything else. CONTRAFLOW_PICTURES=DIR keeps the pictures, with
CONTRAFLOW_ALL=1 those of every width by day and by night."""
import base64
import contextlib
import json
import os
import pathlib
import re
import subprocess
import tempfile

import e2e
from browser import DARK, PROGRAM, WHITE, browser

CAPTURE = e2e.ROOT / "test/data/captures/fifo-2in-1out.pcap.gz" if e2e.ROOT else None
WIDTHS = 360, 768, 1280, 1920
PICTURES = os.environ.get("CONTRAFLOW_PICTURES")
SWEEP = ("scenario: star\nset: {duration: 100ms, warmup: 30ms}\nseeds: 1..2\n"
         "axes: {traffic.star.incoming: 1..3, traffic.star.outgoing: 1..2, network.nic.queue: [fifo, ack-first]}\n")
TOKEN = "9c1f7a02e85b3d6494f0c7d5"

# What is wrong with the boxes of a page, in words; "" in a list of its own kind where nothing is.
BOXES = """
(() => {
  const seen = (e) => e.getClientRects().length > 0 && !(e.closest('details:not([open])') && !e.closest('summary'));
  const all = (what) => [...document.querySelectorAll(what)].filter(seen);
  const box = (e) => e.getBoundingClientRect(), name = (e) => `${e.tagName} ${e.textContent.trim().slice(0, 40)}`;
  const width = document.documentElement.clientWidth, wrong = [];
  // What reaches beyond the page must lie in something that scrolls.
  for (const e of all('h1, h2, h3, h4, p, li, pre, dl, table, svg, canvas, button, select, label')) {
    const r = box(e), scrolls = e.closest('.wide, figure');
    if ((r.right > width + 1 || r.left < -1) && !(scrolls && getComputedStyle(scrolls).overflowX === 'auto'))
      wrong.push(`beyond the page: ${name(e)}`);
  }
  for (const e of all('.wide, figure')) {
    if (e.scrollWidth <= e.clientWidth + 1) continue;
    if (width >= 1280) wrong.push(`cut: ${name(e)}`);
    if (!getComputedStyle(e).backgroundImage.includes('gradient')) wrong.push(`nothing shows that it scrolls: ${name(e)}`);
  }
  for (const e of all('.full .drawing'))
    if (width >= 768 && Math.abs(box(e).width - box(document.querySelector('header')).width) > 1)
      wrong.push(`does not fill the page: ${name(e)}`);
  for (const row of all('table tr'))
    if ([...row.children].filter(seen).length > 8) wrong.push(`more than eight columns: ${name(row)}`);
  const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1.5 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
  const apart = (list) => list.forEach((a, i) => list.slice(i + 1).forEach((b) => {
    if (!a.contains(b) && !b.contains(a) && over(box(a), box(b))) wrong.push(`on each other: ${name(a)} | ${name(b)}`);
  }));
  apart(all('h1, h2, h3, h4, p, pre, dl, table, svg.drawing, svg.plot, canvas'));
  for (const drawing of all('svg.drawing, svg.plot')) apart([...drawing.querySelectorAll('text')].filter(seen));
  return wrong;
})()
"""


class Pages(e2e.Case):
    @classmethod
    def setUpClass(cls):
        """All pages, once."""
        e2e.require(PROGRAM)
        place = tempfile.TemporaryDirectory(prefix="contraflow-pages-")
        cls.addClassCleanup(place.cleanup)
        cls.place = pathlib.Path(place.name)

        def good(*args):
            subprocess.run([str(e2e.CONTRAFLOW), *map(str, args)], cwd=cls.place, check=True, capture_output=True)
        for name, sets in {"fifo": (), "ack": ("network.nic.queue=ack-first", "network.switch.queue=ack-first")}.items():
            good("run", "star", "-q", "-o", name, "--set", "duration=500ms", "--set", "warmup=100ms",
                 *(word for s in sets for word in ("--set", s)))
            (cls.place / f"{name}.yaml").write_text(SWEEP.replace("warmup: 30ms", "warmup: 30ms" + "".join(
                f", {s.replace('=', ': ')}" for s in sets[1:])))
            good("sweep", f"{name}.yaml", "-q")
        good("run", "star", "-q", "-o", "three", "--set", "duration=500ms", "--set", "warmup=100ms", "--set",
             "traffic.star.incoming=3")
        good("analyze", CAPTURE, "--report", "captured")
        good("analyze", "fifo", "--report", "emulated")
        good("compare", "fifo", "ack", "--report", "runs")
        good("compare", "fifo", "three", "--report", "unlike")
        good("compare", "fifo.db", "ack.db", "--report", "sweeps")
        good("report", "fifo.db", "-o", "sweep.html")
        cls.measure(good)

    @classmethod
    def measure(cls, good):
        server = subprocess.Popen([str(e2e.CONTRAFLOW), "measure", "serve", "--port", "0", "--token", TOKEN],
                                  stderr=subprocess.PIPE, text=True)
        try:
            port = re.search(r"port (\d+)", server.stderr.readline())[1]
            good("measure", "127.0.0.1", "--port", port, "--token", TOKEN, "--time", "8s", "--exit-zero", "-q", "--report",
                 "measured")
        finally:
            server.terminate()
            server.wait()
            server.stderr.close()

    @contextlib.contextmanager
    def seen(self, name, width, dark=False):
        with browser().page((self.place / name).as_uri(), width=width, height=1000, dark=dark) as (session, logged):
            yield session
            self.assertEqual(logged, [], name)

    def look(self, name):
        for width, dark in e2e.some([(width, dark) for width in WIDTHS for dark in (False, True)], 4):
            with self.subTest(width=width, dark=dark), self.seen(name, width, dark) as session:
                self.assertEqual(browser().evaluate(session, "document.documentElement.scrollWidth"), width)
                self.assertEqual(browser().evaluate(session, BOXES), [])
                counts = browser().colours(session)
                ground, other = (DARK, WHITE) if dark else (WHITE, DARK)
                self.assertGreater(counts[ground], 0.3 * sum(counts.values()))
                self.assertLess(counts.get(other, 0), 0.05 * sum(counts.values()))
                self.keep(session, f"{name.replace('/', '-')}-{width}-{'night' if dark else 'day'}.png")

    def keep(self, session, name):
        if PICTURES:
            picture = browser().ask("Page.captureScreenshot", session, format="png", captureBeyondViewport=True)["data"]
            pathlib.Path(PICTURES, name).write_bytes(base64.b64decode(picture))

    def test_a_capture(self):
        self.look("captured/report.html")

    def test_a_run(self):
        self.look("emulated/report.html")

    def test_a_comparison_of_runs(self):
        self.look("runs/compare.html")

    def test_a_comparison_of_what_is_unlike(self):
        self.look("unlike/compare.html")

    def test_a_comparison_of_sweeps(self):
        self.look("sweeps/compare.html")

    def test_a_sweep(self):
        self.look("sweep.html")

    def test_a_measurement(self):
        self.look("measured/report.html")

    def test_what_is_wrong_is_found(self):
        """The boxes see a table that is cut, a ninth column, a scroll that nothing shows, words on each other."""
        for style, words in ((".wide { max-width: 300px; }", "cut: "), ("th, td { display: table-cell !important; }", "eight"),
                             (".wide { background: none !important; max-width: 300px; }", "nothing shows"),
                             ("h4 { margin-bottom: -20px; }", "on each other"), ("h2 { margin-left: -50px; }", "beyond"),
                             (".plot text { font-size: 60px !important; }", "on each other: text")):
            with self.seen("captured/report.html", 1280) as session:
                browser().evaluate(session, f"document.head.append(Object.assign(document.createElement('style'), "
                                   f"{{textContent: {json.dumps(style)}}}))")
                self.assertIn(words, " ".join(browser().evaluate(session, BOXES)), style)

    def test_more_columns_come_by_a_switch(self):
        with self.seen("captured/report.html", 1280) as session:
            columns = """[...document.querySelectorAll('.folds')].filter((e) => !e.closest('details')).map((e) => {
                const seen = () => [...e.querySelectorAll('thead th')].filter((th) => th.getClientRects().length).length;
                const before = seen(); e.querySelector('input').click(); return [before, seen(), e.innerText]; })"""
            (before, after, said), *_ = browser().evaluate(session, columns)
            self.assertEqual(before, 8)
            self.assertIn(f"{after - 8} more columns", said)
            self.assertGreater(after, 8)

    def test_badges_are_one_style_and_success_is_green(self):
        said, styles = {}, set()
        for name in ("captured/report.html", "emulated/report.html", "runs/compare.html", "sweeps/compare.html", "sweep.html",
                     "measured/report.html"):
            with self.seen(name, 1280) as session:
                found = browser().evaluate(session, """[...document.querySelectorAll('.origin')].map((e) => {
                    const s = getComputedStyle(e);
                    return [e.textContent, [s.fontSize, s.fontWeight, s.borderRadius, s.color].join(' ')]; })""")
                verdicts = browser().evaluate(session, """[...document.querySelectorAll('.verdict')].map((e) =>
                    [e.querySelector('.headline').textContent, getComputedStyle(e).borderLeftColor])""")
            said[name] = {text for text, _ in found}
            styles |= {style for _, style in found}
            for text, colour in verdicts:
                if text.startswith("No: ") or ", more" in text:
                    self.assertEqual(colour, "rgb(95, 122, 0)", text)  # `good` of view/palette.c by day
        self.assertEqual(len(styles), 1, styles)
        self.assertEqual(list(said.values()), [{"captured"}, *[{"emulated"}] * 4, {"measured"}])
