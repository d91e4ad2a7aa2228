# SPDX-License-Identifier: GPL-2.0-or-later
"""analyze --report: what the file holds, and what a real browser makes of it, without a network."""
import csv
import json
import os
import re
import shlex
import shutil
import struct
import subprocess

import e2e
from browser import DARK, WHITE, Page, browser

CAPTURES = e2e.ROOT / "test/data/captures"
BLUE = (0x00, 0x72, 0xb2)  # --c0 in report.css


def heights_to_values(page, plot):
    """What a height in pixels from the top means, by the axis as it is labelled."""
    ticks = [(float(e["y"]) - 4, float(e["text"])) for e in page.all("text", plot) if e.get("text-anchor") == "end"]
    (low, first), *_, (high, last) = ticks
    return lambda y: first + (y - low) * (last - first) / (high - low)


def steps(path):
    """Heights of the bins a path draws, in pixels from the top."""
    return [float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)H", path)]


class Case(e2e.Case):
    def report(self, *files, output="report"):
        done = self.good("analyze", *files, "--report", output)
        self.assertEqual(done.stdout.splitlines()[-1], f"report: {output}/report.html")
        self.assertFalse((self.dir / output / "report.html.part").exists())
        return (self.dir / output / "report.html").read_text()

    def look(self, fragment="", page="report/report.html"):
        """The page after its script ran, which met no error."""
        with browser().page((self.dir / page).as_uri() + fragment) as (session, _):
            page = Page(browser().text(session))
        root = page.one("html")
        self.assertNotIn("data-error", root, root)
        self.assertEqual(int(root["data-drawn"]), len(page.all("svg", class_="plot")))
        return page

    def play(self, script):
        """The report, looked at after a script of ours has used it."""
        text = (self.dir / "report/report.html").read_text()
        self.write("report/played.html", text.replace("</body>", f"<script>{script}</script></body>"))
        return self.look(page="report/played.html")

    def command(self, text):
        """The words a shell makes of the command to copy."""
        return shlex.split(Page(text).one("pre", class_="command")["text"].replace("\\\n", ""))

    def data(self, text):
        return json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])


class Measured(Case):
    def setUp(self):
        super().setUp()
        self.fifo = CAPTURES / "fifo-2in-1out.pcap.gz"
        self.text = self.report(self.fifo)

    def test_the_verdict_is_in_words(self):
        page = Page(self.text)
        verdict = page.one("section", class_="verdict")["text"]
        self.assertIn("Host 10.9.0.1: 2 bulk flows in, 1 out", verdict)
        host, = self.json("check", self.fifo)["resources"]
        figures, why = host["diagnosis"]["why"].split(": ", 1)
        self.assertTrue(page.one("p", class_="headline")["text"].startswith(f"Yes: {figures} ("))
        self.assertIn(f"Why: {why}.", verdict)
        loaded = host["diagnosis"]["latency"]["loaded"]["median_s"]
        self.assertRegex(verdict, rf"Round trip: idle [\d.]+ ms, loaded {1e3 * loaded:.3g} ms .*, bufferbloat: much\.")
        self.assertIn(host["diagnosis"]["display_filter"], verdict)
        self.assertRegex(host["diagnosis"]["why"], r"^[\d.]+ of [\d.]+ Mb/s; \d+ % lost to waiting ACKs: outgoing ")
        self.assertIn(host["why"], verdict)
        for remedy in host["diagnosis"]["remedies"]:
            self.assertIn(remedy, verdict)
        self.assertNotIn("PAUSE", verdict)
        out, = [f for f in self.json("explain", self.fifo)["flows"] if f["src"].startswith("10.9.0.1:")]
        self.assertIn(f"the ACKs of {out['src']} → {out['dst']} wait {out['ack_wait_s'] * 1e3:.1f} ms", verdict)
        self.assertIn("on the way into 10.9.0.1", verdict)
        said = [line.strip() for line in self.good("explain", self.fifo).stdout.splitlines() if line.startswith("  ")]
        flows = [line.replace(" > ", " → ") for line in said if " > " in line]
        phases = [line for line in said if line.startswith("limited by: ")]
        turns, = [line for line in said if line.startswith("waits over ")]
        self.assertIn(f"Over time: {turns}.", page.one("article")["text"])
        listed = [e for e in page.all("li") if not any("remedies" in i.get("class", "") for i in e["inside"])]
        self.assertEqual({e["text"] for e in listed}, {f"{f}.{p}" for f, p in zip(flows, phases, strict=True)})

    def test_the_remedy_can_be_copied_and_wins_the_bandwidth_back(self):
        words = self.command(self.text)
        self.assertEqual(words, ["contraflow", "replay", str(self.fifo), "--what-if", "ack-first"])
        variants = {v["what_if"]: v["total_bps"] for v in self.json(*words[1:], "-q")["variants"]}
        self.assertGreater(variants["ack-first"] / variants["baseline"], 1.2)

    def test_nothing_is_fetched(self):
        self.assertNotRegex(self.text, r"(?i)\b(src|href|action)\s*=(?!=)|url\(|@import|fetch\(|XMLHttp|import\(|sendBeacon")
        self.assertIn("default-src 'none'", self.text)

    def test_the_same_capture_gives_the_same_bytes(self):
        self.assertEqual(self.report(self.fifo), self.text)
        self.assertEqual(self.report(self.fifo, output="new/and/deep"), self.text)

    def test_it_is_captured_and_says_how_it_was_computed(self):
        page = Page(self.text)
        self.assertEqual([e["text"] for e in page.all("span", class_="origin")], ["captured"])
        article = page.one("article")["text"]
        self.assertIn("38008, 38008 of them TCP", article)
        self.assertIn("4.164 s", article)
        self.assertNotIn("emulated", article)
        self.assertIn("contraflow " + self.good("--version").stdout.split()[1], page.one("header")["text"])
        self.assertIn("White 1997", page.one("section", class_="how")["text"])

    def test_small_flows_are_folded_away(self):
        page = Page(self.text)
        tables = page.all("table")
        folded, = [t for t in tables if any("small flows" in i["text"] for i in t["inside"] if i["tag"] == "details")]
        bulk, = [t for t in tables if not any(i["tag"] == "details" for i in t["inside"])]
        flows = self.json("analyze", self.fifo)["flows"]
        self.assertEqual((len(page.all("tr", bulk)) - 1, len(page.all("tr", folded)) - 1), (3, len(flows) - 3))

    def test_a_browser_draws_what_analyze_says(self):
        page, flows = self.look(), self.json("analyze", self.fifo)["flows"]
        named = {f"{f['src']} → {f['dst']}": f for f in flows}
        goodput = page.plot("goodput")
        self.assertEqual(len(page.all("svg", class_="plot")), 4)
        names = [e["text"] for e in page.all("button", page.one("div", class_="legend"))]
        self.assertEqual(len(names), 3)
        for name, path in zip(names, page.paths(goodput), strict=True):
            bps, y = named[name]["bandwidth"]["bps"], steps(path)
            self.assertEqual(len(y), len(bps))
            low, high = bps.index(min(bps)), bps.index(max(bps))
            slope = (y[low] - y[high]) / (bps[high] - bps[low])
            self.assertGreater(slope, 0)
            for rate, height in zip(bps, y):
                self.assertAlmostEqual(height, y[low] - slope * (rate - bps[low]), delta=0.2)
        series = {f["name"]: f["series"] for f in self.data(self.text)[0]["flows"]}
        for name, path in zip(names, page.paths(page.plot("in flight")), strict=True):
            window = series[name]["window"]  # each bin from the first sample on, held where there is none
            self.assertEqual(len(steps(path)), len(window) - next(i for i, w in enumerate(window) if w is not None))
        self.assertEqual(len(page.all("rect", page.one("svg", class_="split"))), 9)
        self.assertEqual(page.times(goodput), [k / 2 for k in range(9)])
        self.assertIn("A capture holds no queues; the plot above shows how long data and ACKs waited",
                      page.one("article")["text"])

    def test_waits_are_drawn_as_long_as_explain_says(self):
        page, flows = self.look(), self.json("explain", self.fifo)["flows"]
        named = {f"{f['src']} → {f['dst']}": f for f in flows}
        plot, names = page.plot("wait"), [e["text"] for e in page.all("button", page.one("div", class_="legend"))]
        lanes = page.all("g", plot, class_="lane")
        waits = {f["name"]: f["waits"] for f in self.data(self.text)[0]["flows"]}
        host, = self.json("check", self.fifo)["resources"]
        self.assertIn("wait, ms", [e["text"] for e in page.all("text", plot)])
        for name, lane in zip(names, lanes, strict=True):
            value, [data, acks] = heights_to_values(page, lane), page.all("path", lane, class_="series")
            self.assertEqual([e["text"] for e in page.all("text", lane, class_="name")], [name])
            self.assertEqual(data["stroke"], acks["stroke"])
            self.assertEqual((data["stroke-dasharray"], bool(acks["stroke-dasharray"])), ("", True))
            for line, key in (data, "data_wait_s"), (acks, "ack_wait_s"):
                drawn = [value(y) for y in steps(line["d"])]
                self.assertTrue(100 < len(drawn) <= 512)
                at = [waits[name]["start_s"] + i * waits[name]["bin_s"] for i in range(len(drawn))]
                drawn = [y for t, y in zip(at, drawn) if host["steady_start_s"] <= t < host["end_s"]]
                expected = named[name][key] * 1e3
                self.assertAlmostEqual(sum(drawn) / len(drawn), expected, delta=0.02 * expected + 0.5)

    def test_waits_of_flows_do_not_hide_each_other(self):
        """Three flows wait 180 ms, each in a lane: no line of one is where a line of another is."""
        page = self.look()
        lanes = [[float(y) for line in page.all("path", lane, class_="series") for y in re.findall(r" ([\d.]+)H", line["d"])]
                 for lane in page.all("g", page.plot("wait"), class_="lane")]
        self.assertEqual(len(lanes), 3)
        for above, below in zip(lanes, lanes[1:]):
            self.assertLess(max(above) + 10, min(below))

    def test_levels_of_both_rules_are_drawn(self):
        page = self.look()
        plot = page.plot("goodput")
        low, high = sorted((float(e["y1"]) for e in page.all("line", plot, class_="level")), reverse=True)
        axis = max(float(e["y1"]) for e in page.all("line", plot, class_="grid") if e["y1"] == e["y2"])
        self.assertAlmostEqual((axis - high) / (axis - low), 2, delta=0.02)  # B/1 and B/2

    def test_the_address_zooms(self):
        page, whole = self.look("#t=1,2"), self.look()
        flow = self.data(self.text)[0]["flows"][0]
        for quantity, part in ("goodput", "series"), ("in flight", "series"), ("wait", "waits"):
            width = flow[part]["bin_s"]
            times = page.times(page.plot(quantity))
            self.assertEqual((times[0], times[-1]), (1, 2))
            for part, all_of_it in zip(page.paths(page.plot(quantity)), whole.paths(whole.plot(quantity)), strict=True):
                self.assertAlmostEqual(len(steps(part)), 1 / width, delta=2)
                self.assertLess(len(steps(part)), len(steps(all_of_it)))
        self.assertEqual(page.one("button", page.one("div", class_="tools"))["text"], "Show the whole capture")
        self.assertEqual(whole.all("button", whole.one("div", class_="tools")), [])

    POINTER = """
        Element.prototype.setPointerCapture = () => {};  // a pointer of ours is none of the system's
        const plot = document.querySelector('svg[data-plot="goodput"]'), box = plot.getBoundingClientRect();
        const at = (name, part) => plot.dispatchEvent(new PointerEvent(name, {
          clientX: box.left + part * box.width, clientY: box.top + 50, button: 0, pointerId: 1, bubbles: true}));
    """

    def test_dragging_zooms_and_a_double_click_shows_all(self):
        drag = "at('pointerdown', 0.5); at('pointermove', 0.7); at('pointerup', 0.75);"
        page = self.play(self.POINTER + drag + "document.body.dataset.hash = location.hash;")
        shown = [float(t) for t in re.fullmatch(r"#t=(.*),(.*)", page.one("body")["data-hash"]).groups()]
        self.assertAlmostEqual(shown[1] - shown[0], 4.164 / 4, delta=0.15)
        for quantity in ("goodput", "in flight"):
            times = page.times(page.plot(quantity))
            self.assertGreaterEqual(times[0], shown[0])
            self.assertLessEqual(times[-1], shown[1])
        page = self.play(self.POINTER + drag + "at('dblclick', 0.5); document.body.dataset.hash = location.hash;")
        self.assertEqual((page.one("body")["data-hash"], page.times(page.plot("goodput"))[0]), ("", 0))

    def test_the_pointer_is_told_values(self):
        page = self.play(self.POINTER + "at('pointermove', 0.5);")
        tip = page.one("div", class_="tip")
        self.assertNotIn("hidden", tip)
        self.assertEqual(len(re.findall(r"[\d.]+ Mb/s", tip["text"])), 3)
        self.assertEqual([e.get("visibility") for e in page.all("line", class_="cursor")], ["visible"] * 3)
        page = self.play(self.POINTER.replace("goodput", "wait") + "at('pointermove', 0.5);")
        rows = re.findall(r"(data|ACKs) of \S+ → \S+?\d([\d.]+) ms", page.one("div", class_="tip")["text"])
        self.assertEqual(sorted(who for who, _ in rows), ["ACKs"] * 3 + ["data"] * 3)

    def test_a_flow_can_be_hidden(self):
        page = self.play("document.querySelector('.legend button').click();")
        self.assertEqual((len(page.paths(page.plot("goodput"))), len(page.paths(page.plot("in flight")))), (2, 2))
        self.assertEqual(len(page.paths(page.plot("wait"))), 4)

    def test_it_can_be_seen_by_day_and_by_night(self):
        for ground, dark in ((WHITE, False), (DARK, True)):
            address = (self.dir / "report/report.html").as_uri()
            with browser().page(address, width=700, height=1900, dark=dark) as (session, _):
                counts = browser().colours(session)
            self.assertEqual(max(counts, key=counts.get), ground)
            self.assertGreater(len(counts), 50)
            if ground == WHITE:
                self.assertGreater(counts[BLUE], 1000)


class Verdicts(Case):
    def verdict(self, name):
        return Page(self.report(CAPTURES / f"{name}.pcap.gz")).one("section", class_="verdict")["text"]

    def test_acks_first_are_no_asymmetry(self):
        text = self.verdict("ackprio-2in-1out")
        self.assertRegex(text, r"No: [\d.]+ of [\d.]+ Mb/s; 0 % lost to waiting ACKs \(.*\.\nWhy: the link carries what it can\.")
        self.assertNotIn("replay", text)

    def test_one_in_two_out_blames_the_way_out(self):
        text = self.verdict("wire-fifo-1in-2out")
        self.assertIn("on the way out of 10.9.0.1", text)
        self.assertIn("in 10.9.0.1's own queue", text)
        self.assertIn("on 10.9.0.1: tc qdisc replace dev DEV root fq_codel", text)
        self.assertNotIn("on a switch", text)

    def test_unequal_windows(self):
        text = self.verdict("windows-2W-W-W-2in-1out")
        self.assertRegex(text, r"Yes: .*\nWhy: outgoing data get")
        self.assertIn("Verdict window", text)
        page, resource = self.look(), self.json("check", CAPTURES / "windows-2W-W-W-2in-1out.pcap.gz")["resources"][0]
        plot = page.plot("goodput")
        lines, value = page.all("line", plot, class_="level"), heights_to_values(page, plot)
        law = sorted(f["predicted_bps"]["window"] / 1e6 for f in resource["flows"])
        self.assertEqual(len(lines), 3)  # each in its flow's colour
        self.assertEqual({e["style"] for e in lines}, {f"stroke: {e['stroke']}" for e in
                         page.all("path", plot, class_="series")})
        for drawn, expected in zip(sorted(value(float(e["y1"])) for e in lines), law, strict=True):
            self.assertAlmostEqual(drawn / expected, 1, delta=0.03)
        # its outgoing flow began behind a backlog of 80 ms, which its own stamps do not show
        for flow in self.data((self.dir / "report/report.html").read_text())[0]["flows"]:
            judged, = [f for f in resource["flows"] if flow["name"] == f"{f['src']} → {f['dst']}"]
            waits = flow["waits"]
            at = [waits["start_s"] + i * waits["bin_s"] for i in range(len(waits["ack_us"]))]
            phase = [resource["steady_start_s"] <= t < resource["end_s"] for t in at]
            for key, wait in ("data_us", "data_wait_s"), ("ack_us", "ack_wait_s"):
                drawn = [us / 1e6 for us, within in zip(waits[key], phase) if within]
                self.assertAlmostEqual(sum(drawn) / len(drawn), judged[wait], delta=0.003)

    def test_losses_are_named_and_marked(self):
        text = self.verdict("shallow-2in-1out")
        # Both directions were all but full: 90.0 of the 93.8 Mb/s that two links of 49.8 Mb/s carry. No change can win
        # much, and none is advised.
        self.assertIn("What to do: nothing for more bandwidth: the link has no room for it.", text)
        self.assertEqual(Page((self.dir / "report/report.html").read_text()).all("pre", class_="command"), [])
        replay = self.json("replay", CAPTURES / "shallow-2in-1out.pcap.gz", "--what-if", "fair", "--what-if",
                           "buffer=1MB", "-q")
        played = {v["what_if"]: v for v in replay["variants"]}
        # The buffer read off it is as shallow, but deeper ones lose less.
        for f in replay["flows"]:
            self.assertAlmostEqual(f["replayed_bps"] / f["measured_bps"], 1, delta=0.1)
        retransmitted = {name: v["retransmitted_segments"] for name, v in played.items()}
        self.assertGreater(retransmitted["baseline"], 0)
        self.assertLess(min(retransmitted.values()), 0.5 * retransmitted["baseline"])
        self.assertRegex(text, r"No: .*\nWhy: losses set the windows\.")
        page = self.look()
        flows = self.data((self.dir / "report/report.html").read_text())[0]["flows"]
        marked = sum(bool(n) for f in flows for n in f["series"]["loss"])
        crosses = sum(path.count("M") for path in page.paths(page.plot("in flight"), "mark"))
        self.assertGreater(crosses, 20)
        self.assertLessEqual(crosses, marked)
        self.assertGreater(crosses, 0.95 * marked)  # but for those before the first sample of bytes in flight
        again = {f["name"]: f["series"]["again"] for f in flows}
        analyzed = self.json("analyze", CAPTURES / "shallow-2in-1out.pcap.gz")["flows"]
        for flow in analyzed:
            if flow["retransmitted_segments"]:
                self.assertEqual(sum(again[f"{flow['src']} → {flow['dst']}"]), flow["retransmitted_segments"])
        losses = page.plot("sent again")
        self.assertEqual(len(page.paths(losses)), sum(any(n) for n in again.values()))
        self.assertEqual(sum(path.count("M") for path in page.paths(losses, "mark")), marked)


class Simulated(Case):
    def star(self, *sets, output="out"):
        self.run_scenario(e2e.ROOT / "scenarios/star.yaml", "tcp.initial_window=10", "duration=1s", "warmup=300ms",
                          "capture=[{at: h0}]", *sets, output=output)

    def test_a_run_is_shown_as_emulated_with_its_queues(self):
        self.star("capture=[{at: h0}, {at: h1}]")
        text = self.report("out")
        page = self.look()
        self.assertEqual([e["text"] for e in page.all("span", class_="origin")], ["emulated"] * 2)
        self.assertEqual([e["text"] for e in page.all("h2")][:2], ["out/h0.pcap emulated", "out/h1.pcap emulated"])
        for article in page.all("article"):
            self.assertNotIn("measured", article["text"].lower())
            self.assertNotIn("captured", article["text"].lower())
            self.assertIn("Emulated bandwidth", article["text"])
        self.assertEqual(len(page.all("svg", class_="plot")), 10)
        for article in page.all("article"):
            drawn = [e["data-plot"] for e in page.all("svg", article) if "data-plot" in e]
            self.assertEqual(drawn, ["goodput", "in flight", "wait", "depth"])
            self.assertNotIn("holds no queues", article["text"])
        with open(self.dir / "out/queues.csv", newline="") as f:
            rows = [(float(r["time_s"]), int(r["depth_bytes"])) for r in csv.DictReader(f) if r["port"] == "sw0-h0"]
        area = sum(d * (rows[i + 1][0] - t) for i, (t, d) in enumerate(rows[:-1])) + rows[-1][1] * (1 - rows[-1][0])
        ports = {p["name"]: p for p in self.data(text)[0]["queues"]["ports"]}
        mean = sum(ports["sw0-h0"]["mean"]) / len(ports["sw0-h0"]["mean"])
        self.assertAlmostEqual(mean / area, 1, delta=0.01)
        self.assertEqual(max(ports["sw0-h0"]["peak"]), max(d for _, d in rows))
        self.assertEqual(len(page.paths(page.plot("depth"))), len(ports))
        for article in page.all("article"):  # a colour means a flow, or a queue
            plots = {e["data-plot"]: e for e in page.all("svg", article) if "data-plot" in e}
            flows, queues = ([e["stroke"] for e in page.all("path", plots[name], class_="series")]
                             for name in ("goodput", "depth"))
            self.assertEqual(set(flows) & set(queues), set())
            bars = page.all("rect", next(e for e in page.all("svg", article) if "split" in e["class"]))
            self.assertEqual([e["fill"] for e in bars], [stroke for stroke in flows for _ in range(3)])
        self.assertEqual(len(page.paths(page.plot("depth"), "band")), len(ports))

    def test_its_remedy_is_its_own_network_otherwise(self):
        self.star()
        words = self.command(self.report("out/h0.pcap"))
        self.assertEqual(words[4], "out/scenario.yaml")
        self.assertNotIn("--set", words)
        variants = {v["what_if"]: v["total_bps"] for v in self.json(*words[1:], "-q")["variants"]}
        self.assertGreater(variants["ack-first"] / variants["baseline"], 1.2)

    def test_full_both_ways_nothing_is_lost(self):
        self.star("traffic.star.incoming=1")
        verdict = Page(self.report("out")).one("section", class_="verdict")["text"]
        self.assertRegex(verdict, r"No: .* 0 % lost to waiting ACKs \(.*\.\nWhy: the link carries what it can\.")
        self.assertRegex(self.look().one("article")["text"], r"its ACKs wait .* for [\d.]+ ms, at no cost")

    def test_a_copy_is_never_called_measured(self):
        self.star()
        shutil.copy(self.dir / "out/h0.pcap", self.dir / "copy.pcap")
        page = Page(self.report("copy.pcap"))
        self.assertEqual([e["text"] for e in page.all("span", class_="origin")], ["captured"])
        self.assertNotIn("measured", page.one("article")["text"])
        self.assertIn("captured on a network or emulated is not known", page.one("article")["text"])
        # So is all of 1970; the first second of 1971 is a date.
        data, at, first_ns = bytearray((self.dir / "copy.pcap").read_bytes()), 24, None
        while at < len(data):
            s, ns, length = struct.unpack_from("<III", data, at)
            first_ns = s * 10**9 + ns if first_ns is None else first_ns
            struct.pack_into("<II", data, at, *divmod(s * 10**9 + ns - first_ns + 365 * 86400 * 10**9, 10**9))
            at += 16 + length
        for later_ns, said in (0, ", from 1971-01-01 00:00:00 UTC"), (-1, "captured on a network or emulated is not known"):
            first = struct.unpack_from("<II", data, 24)
            struct.pack_into("<II", data, 24, *divmod(first[0] * 10**9 + first[1] + later_ns, 10**9))
            (self.dir / "copy.pcap").write_bytes(data)
            self.assertIn(said, Page(self.report("copy.pcap")).one("article")["text"])

    def test_many_flows_are_cut_to_those_with_most_bytes(self):
        self.star("traffic.star.incoming=40", "tcp.window=100kB", "duration=300ms", "warmup=100ms")
        text = self.report("out")
        page = self.look()
        self.assertIn("The 32 of 41 with the most bytes", page.one("article")["text"])
        self.assertEqual(len(page.paths(page.plot("goodput"))), 32)
        sizes = sorted((f["payload_bytes"] for f in self.json("analyze", "out/h0.pcap")["flows"]), reverse=True)
        drawn = [sum(f["series"]["bps"]) * f["series"]["bin_s"] / 8 for f in self.data(text)[0]["flows"]]
        for size, bytes_drawn in zip(sizes, drawn):
            self.assertAlmostEqual(bytes_drawn / size, 1, delta=0.01)
        self.assertEqual(len(page.paths(page.plot("wait"))), 64)
        self.assertLess(len(text), 500_000)

    def test_one_host_alone(self):
        self.star()
        self.good("analyze", "out", "--host", "10.0.0.2", "--report", "report")
        page = self.look()
        self.assertEqual((len(page.paths(page.plot("goodput"))), page.all("section", class_="verdict")), (1, []))
        self.assertNotIn("Over time: waits", page.one("article")["text"])  # they are the tap's, at another host
        self.good("analyze", "out", "--host", "10.0.0.1", "--report", "report")
        self.assertIn("Over time: waits over 1 ms from 10.0.0.1", self.look().one("article")["text"])


class Hostile(Case):
    NAME = b"\"'&<img src=x onerror=document.documentElement.dataset.error='owned'>\n\xff $(id).pcap"

    def test_a_file_name_stays_text(self):
        folder = os.fsencode(self.dir) + b"/a<"  # a</script>...
        os.mkdir(folder)
        path = folder + b"/script>" + self.NAME
        shutil.copy(CAPTURES / "fifo-2in-1out.pcap.gz", path)
        subprocess.run([e2e.CONTRAFLOW, "analyze", path, "--report", "report"], cwd=self.dir, check=True,
                       stdout=subprocess.DEVNULL)
        text = (self.dir / "report/report.html").read_text(encoding="utf-8")
        self.assertNotIn("<img", text)
        page = self.look()
        shown = "script>" + self.NAME.decode(errors="replace").replace("\n", "�")
        self.assertEqual(page.one("h2", page.one("article"))["text"], shown + " captured")
        self.assertEqual(len(page.all("svg", class_="plot")), 4)
        words = self.command(text)
        self.assertTrue(words[2].endswith("/a</" + shown))

    def test_data_stay_data(self):
        self.run_scenario(e2e.ROOT / "scenarios/star.yaml", "duration=200ms", "warmup=100ms", "capture=[{at: h0}]")
        queues, port = self.dir / "out/queues.csv", "</script><b id=owned>"
        queues.write_text(queues.read_text().replace("sw0-h0", port))
        self.assertNotIn(port, self.report("out"))
        page = self.look()
        self.assertEqual(page.all("b", id="owned"), [])
        self.assertIn(port, [e["text"] for e in page.all("button")])


class Output(Case):
    def test_figures_for_programs_stay_alone_on_standard_output(self):
        capture = CAPTURES / "fifo-2in-1out.pcap.gz"
        for option, read in (("--json", json.loads), ("--csv", lambda text: list(csv.DictReader(text.splitlines())))):
            done = self.good("analyze", capture, option, "--report", "r")
            self.assertEqual(done.stdout, self.good("analyze", capture, option).stdout)
            self.assertTrue(read(done.stdout))
            self.assertIn("report: r/report.html", done.stderr)

    def test_a_report_is_replaced_whole_or_not_at_all(self):
        self.write("r", "")
        self.bad(3, ["r", "directory cannot be made"], "analyze", CAPTURES / "fifo-2in-1out.pcap.gz", "--report", "r")
        (self.dir / "r").unlink()
        before = self.report(CAPTURES / "fifo-2in-1out.pcap.gz", output="r")
        self.bad(2, "nothere.pcap", "analyze", "nothere.pcap", "--report", "r")
        self.assertEqual([p.name for p in (self.dir / "r").iterdir()], ["report.html"])
        self.assertEqual((self.dir / "r/report.html").read_text(), before)
        self.assertNotEqual(self.report(CAPTURES / "shallow-2in-1out.pcap.gz", output="r"), before)

    def test_a_directory_must_be_a_run_with_captures(self):
        self.bad(2, ["without summary.json", "not a finished run"], "analyze", ".")
        self.run_scenario(e2e.ROOT / "scenarios/star.yaml", "duration=50ms", "warmup=10ms", "capture=[]")
        self.bad(2, "a run without captures", "analyze", "out")

    def test_without_timestamps_nothing_is_made_up(self):
        frames = [struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 96, 1)]
        for i in range(200):  # two senders to port 80 of 10.0.0.9, a segment of 1400 bytes each 10 ms, no ACKs
            for source in (1, 2):
                tcp = struct.pack(">HHIIBBHHH", 1000, 80, 1 + 1400 * i, 1, 0x50, 0x10, 1000, 0, 0)
                ip = struct.pack(">BBHHHBBHII", 0x45, 0, 1440, 0, 0, 64, 6, 0, 0x0a000000 + source, 0x0a000009)
                frame = bytes(12) + b"\x08\x00" + ip + tcp
                frames.append(struct.pack("<IIII", 1700000000 + i // 100, i % 100 * 10000, len(frame), 1454) + frame)
        (self.dir / "plain.pcap").write_bytes(b"".join(frames))
        self.report("plain.pcap")
        page = self.look()
        article = page.one("article")["text"]
        self.assertRegex(article, r"Cannot tell: 2\.2 Mb/s pass;")
        self.assertIn("the packets of one way alone were captured", article)
        self.assertEqual(article.count("All flows lack the TCP timestamps that this and waits over time"), 1)
        self.assertIn("A capture holds no queues.", article)
        self.assertNotIn("NaN", page.source)
        self.assertEqual([e.get("data-plot") for e in page.all("svg", class_="plot")], ["goodput"])

    def test_a_capture_without_bulk_flows_has_a_report(self):
        whole = subprocess.run(["zcat", CAPTURES / "fifo-2in-1out.pcap.gz"], capture_output=True, check=True).stdout
        (self.dir / "empty.pcap").write_bytes(whole[:24])  # the file header
        self.report("empty.pcap")
        page = self.look()
        self.assertIn("no host has two bulk flows", page.one("article")["text"])
        self.assertIn("None: no flow of 20 kB or more", page.one("article")["text"])
        self.assertEqual(page.all("svg", class_="plot"), [])
