# SPDX-License-Identifier: GPL-2.0-or-later
"""The packets on the page of a capture: as they are packed, against tshark; as a browser draws and tells them."""
import csv
import json
import math
import re
import struct
import subprocess

import e2e
from browser import Page, browser

CAPTURES = e2e.ROOT / "test/data/captures"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
FIELDS = ["frame.number", "frame.time_relative", "ip.src", "tcp.srcport", "tcp.seq", "tcp.len", "tcp.ack",
          "tcp.window_size", "tcp.options.sack_le", "tcp.options.sack_re"]
SYN, FIN, AGAIN, UNPLACED, SACK = 1, 2, 8, 32, 64


def unpack(text, shift):
    """Packets of a block as analysis/flows/packets.h has them; ack is None where there is none."""
    values = iter(LETTERS.index(c) for c in text)

    def number():
        value = by = 0
        while (digit := next(values)) >= 32:
            value += (digit & 31) << by
            by += 5
        return value + (digit << by)

    def signed():
        value = number()
        return -(value >> 1) if value & 1 else value >> 1

    ends, ns, frame = [dict(payload=0, ack=0, window=0, seq=0) for _ in range(2)], 0, 0
    for first in values:
        head = first & 31
        if first >= 32:
            head += number() << 5
        end, mine = head & 1, ends[head & 1]
        ns += signed()
        frame += 1 + (signed() if head & 2 else 0)
        mine["payload"] = number() if head & 8 else mine["payload"]
        mine["ack"] += signed() if head & 16 else 0
        mine["window"] += signed() if head & 32 else 0
        mine["seq"] += signed() if head & 64 else 0
        what = number() if head & 128 else 0
        blocks = []
        for _ in range(what // SACK):
            start = mine["ack"] + signed()
            blocks.append((start, start + number()))
        size = mine["payload"] if head & 12 else 0
        ack = None if what & UNPLACED else mine["ack"]
        window = mine["window"] << (0 if what & SYN else shift[end])
        yield dict(end=end, frame=frame, ns=ns, seq=mine["seq"], size=size, ack=ack, window=window, blocks=blocks,
                   what=what)
        mine["seq"] += size


def tshark(*args):
    return subprocess.run(["tshark", "-n", *map(str, args)], capture_output=True, text=True, check=True).stdout


class Case(e2e.Case):
    def report(self, path):
        self.good("analyze", path, "--report", "report")
        self.text = (self.dir / "report/report.html").read_text()
        self.capture, = json.loads(re.search(r'id="data">(.*?)</script>', self.text, re.S)[1])
        return self.capture

    def block(self, meta):
        packed = re.search(f'id="{meta["id"]}">([^<]*)</script>', self.text)[1]
        return list(unpack(packed, [max(0, n) for n in meta["shift"]]))

    def rows(self, path, *wanted):
        fields = [word for field in FIELDS for word in ("-e", field)]
        out = tshark("-r", path, *wanted, "-T", "fields", "-E", "separator=;", *fields)
        return list(csv.DictReader(out.splitlines(), FIELDS, delimiter=";"))

    def lossy(self, made=[]):
        """A capture in which flows lose segments, of a run that is made once."""
        if not made:
            self.run_scenario(e2e.ROOT / "scenarios/star.yaml", "duration=300ms", "warmup=100ms",
                              "network.link.rate=100Mbps", "tcp.window=200kB", "network.switch.limit=60kB",
                              "capture=[{at: h0}]")
            made.append((self.dir / "out/h0.pcap").read_bytes())
        path = self.dir / "h0.pcap"
        path.write_bytes(made[0])
        return path


class Packed(Case):
    def against_tshark(self, path):
        capture = self.report(path)
        of = {flow["connection"]: [None, None] for flow in capture["flows"]}
        for flow in capture["flows"]:
            src, dst = flow["name"].split(" → ")
            of[flow["connection"]][flow["end"]], of[flow["connection"]][1 - flow["end"]] = src, dst
        rows = {int(row["frame.number"]): row for row in self.rows(path)}
        seen = 0
        for number, meta in enumerate(capture["connections"]):
            for packet in self.block(meta):
                row, seen = rows[packet["frame"]], seen + 1
                self.assertEqual(of[number][packet["end"]], f"{row['ip.src']}:{row['tcp.srcport']}")
                self.assertEqual(packet["ns"], round(float(row["frame.time_relative"]) * 1e9), row)
                if packet["size"] or packet["what"] & (SYN | FIN):  # Wireshark's first byte is 1
                    self.assertEqual((packet["seq"] + 1, packet["size"]), (int(row["tcp.seq"]), int(row["tcp.len"])))
                else:
                    self.assertEqual(row["tcp.len"], "0")
                if packet["ack"] is not None:
                    self.assertEqual(packet["ack"] + 1, int(row["tcp.ack"]), row)
                    self.assertEqual(packet["window"], int(row["tcp.window_size"]), row)
                edges = zip(*(row[f"tcp.options.sack_{e}"].split(",") for e in ("le", "re")))
                blocks = [(start + 1, end + 1) for start, end in packet["blocks"]]
                self.assertEqual(blocks, [(int(a), int(b)) for a, b in edges if a])
        self.assertEqual(seen, len(rows))
        return capture

    def test_every_packet_is_as_tshark_reads_it(self):
        e2e.require("tshark")
        path = self.lossy()
        capture = self.against_tshark(path)
        self.assertEqual(len(capture["connections"]), 3)
        self.assertGreater(sum(sum(meta["sacks"]) for meta in capture["connections"]), 100)
        for meta in capture["connections"]:
            packets = self.block(meta)
            for end in 0, 1:
                mine = [p for p in packets if p["end"] == end]
                self.assertEqual(meta["data"][end], sum(bool(p["size"] or p["what"] & (SYN | FIN)) for p in mine))
                self.assertEqual(meta["acks"][end], sum(p["ack"] is not None for p in mine))
                self.assertEqual(meta["sacks"][end], sum(len(p["blocks"]) for p in mine))

    def test_a_measured_one_too(self):
        e2e.require("tshark")
        path = self.dir / "real.pcap"  # the bulk connections alone, which are those on the page
        whole = CAPTURES / "shallow-2in-1out.pcap.gz"
        names = {flow["name"] for flow in self.report(whole)["flows"]}
        ports = {name.split(" → ")[0].rsplit(":", 1)[1] for name in names}
        # and of them, which are 38,000 packets, the first
        tshark("-r", whole, "-c", 15000, "-Y", " || ".join(f"tcp.port == {port}" for port in ports), "-w", path)
        capture = self.against_tshark(path)
        self.assertGreater(sum(sum(meta["sacks"]) for meta in capture["connections"]), 100)

    def test_those_sent_again_are_those_of_tshark(self):
        """Which calls within 3 ms of other data out of order what we, who see timestamps, call sent again."""
        e2e.require("tshark")
        path = self.lossy()
        capture = self.report(path)
        ours = {p["frame"] for meta in capture["connections"] for p in self.block(meta) if p["what"] & AGAIN}
        seen = self.rows(path, "-Y", "tcp.analysis.retransmission || tcp.analysis.out_of_order")
        self.assertGreater(len(ours), 50)
        self.assertEqual(ours, {int(row["frame.number"]) for row in seen})
        # and the table that needs no script names the first of each flow
        page = Page(self.text)
        table, = [t for t in page.all("table") if "packets sent again" in t["text"]]
        for row in page.all("tr", table)[1:]:
            cells = [e["text"] for e in page.all("td", row)]
            flow = {int(r["frame.number"]) for r in seen if f"{r['ip.src']}:{r['tcp.srcport']}" == cells[0]}
            named, more = re.fullmatch(r"([\d, ]*|-)(?: and (\d+) more)?", cells[-1]).groups()
            named = [] if named == "-" else [int(n) for n in named.split(", ")]
            self.assertEqual((named, int(more or 0)), (sorted(flow)[:8], max(0, len(flow) - 8)))
            self.assertEqual(int(cells[-2]), len(flow))

    def test_without_a_handshake_windows_have_no_scale(self):
        path = self.lossy()
        frames = tshark("-r", path, "-Y", "tcp.flags.syn == 0", "-w", self.dir / "late.pcap")
        self.assertEqual(frames, "")
        for meta in self.report("late.pcap")["connections"]:
            self.assertEqual(meta["shift"], [-1, -1])
            self.assertTrue(self.block(meta))


class Drawn(Case):
    """In a browser: what is drawn where, and what a click says."""
    TOOLS = """
      Element.prototype.setPointerCapture = () => {};  // a pointer of ours is none of the system's
      const panel = (i) => document.querySelectorAll('canvas.packets')[i];
      const at = (i, name, x, y) => { const b = panel(i).getBoundingClientRect(); panel(i).dispatchEvent(
        new PointerEvent(name, {clientX: b.left + x, clientY: b.top + y, button: 0, pointerId: 1, bubbles: true})); };
      const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      const press = (i, key) => panel(i).dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true,
        cancelable: true}));
      const state = (i) => ({...panel(i).dataset, width: panel(i).getBoundingClientRect().width});
      const colour = (name) => { const e = document.createElement('i'); e.style.color = `var(--${name})`;
        document.body.append(e); const text = getComputedStyle(e).color; e.remove();
        return text.match(/\\d+/g).join(); };
      const pixels = (i, name) => { const c = panel(i), wanted = colour(name); let n = 0;
        const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        for (let k = 0; k < d.length; k += 4) n += d[k + 3] === 255 && `${d[k]},${d[k + 1]},${d[k + 2]}` === wanted;
        return n; };
    """

    def play(self, script, fragment="", width=1200, dark=False):
        """What a script of ours returns, which the page has run without an error."""
        address = (self.dir / "report/report.html").as_uri() + fragment
        with browser().page(address, width=width, dark=dark) as (session, logged):
            result = browser().evaluate(session, f"(async () => {{ {self.TOOLS} {script} }})()")
            self.assertEqual(logged, [])
            self.assertNotIn("data-error", Page(browser().text(session)).one("html"))
        return result

    def place(self, state, t, seq):
        """Where a time and a sequence number are, in pixels of a panel 300 high; margins as capture_page_packets.js has
        them: 80 left, 40 right, 10 above, 36 below."""
        low, high, start, end = (float(state[k]) for k in ("low", "high", "from", "to"))
        return (80 + (t - start) / (end - start) * (state["width"] - 120), 264 - (seq - low) / (high - low) * 254)

    def test_a_click_tells_the_packet_that_tshark_has(self):
        e2e.require("tshark")
        path = self.lossy()
        capture = self.report(path)
        flow = next(f for f in capture["flows"] if f["dst"] == capture["host"])  # the panel's first
        again = [p for p in self.block(capture["connections"][flow["connection"]])
                 if p["end"] == flow["end"] and p["what"] & AGAIN]
        chosen = again[len(again) // 2]
        t = chosen["ns"] / 1e9
        fragment = f"#t={t - 2e-4:.9f},{t + 2e-4:.9f}"
        state = self.play("return state(1);", fragment)
        self.assertEqual(state["mode"], "packets")
        x, y = self.place(state, t, chosen["seq"] + chosen["size"] / 2)
        said, colours = self.play(f"""at(1, 'pointerdown', {x}, {y}); at(1, 'pointerup', {x}, {y}); await drawn();
            return [document.querySelector('.readout').textContent,
                    ['segment', 'again', 'ack'].map((name) => pixels(1, name))];""", fragment)
        row, = self.rows(path, "-Y", f"frame.number == {chosen['frame']}")
        self.assertTrue(said.startswith(f"Packet {chosen['frame']}"), said)
        self.assertTrue(said.endswith(f"frame.number == {chosen['frame']}"), said)
        plain = said.replace("\u2009", "")
        self.assertIn(f"{float(row['frame.time_relative']):.9f} s", plain)
        self.assertIn(f"seq {row['tcp.seq']} to {int(row['tcp.seq']) + int(row['tcp.len'])}", plain)
        self.assertIn(f"{row['tcp.len']} B · sent again", plain)
        self.assertGreater(colours[1], 0, colours)
        self.assertGreater(colours[2], 100, colours)

    def test_a_segment_is_where_its_numbers_are(self):
        path = self.lossy()
        capture = self.report(path)
        flow = next(f for f in capture["flows"] if f["src"] == capture["host"])
        packets = [p for p in self.block(capture["connections"][flow["connection"]]) if p["end"] == flow["end"]]
        chosen = next(p for p in packets if p["size"] > 1000 and p["ns"] > 1e8)
        t = chosen["ns"] / 1e9
        # a range too short for another segment, and without the window, which makes it small
        fragment = f"#t={t - 3e-5:.9f},{t + 3e-5:.9f}"
        hide = "document.querySelector('[data-layer=offered]').click(); await drawn();"
        state = self.play(hide + "return state(0);", fragment)
        self.assertEqual(state["segments"], "1")
        x, foot = self.place(state, t, chosen["seq"])
        _, head = self.place(state, t, chosen["seq"] + chosen["size"])
        self.assertGreater(foot - head, 20)
        middle = (foot + head) / 2
        places = [(x, head - 4), (x, head + 3), (x, middle), (x, foot - 3), (x, foot + 4), (x + 12, middle)]
        ink = self.play(hide + f"""const ink = panel(0).getContext('2d'), alpha = (x, y) => [-1, 0]
            .map((k) => ink.getImageData(Math.round(x) + k, Math.round(y), 1, 1).data[3]).reduce((a, b) => a + b);
            return {json.dumps(places)}.map(([x, y]) => alpha(x, y));""", fragment)
        self.assertEqual([n > 200 for n in ink], [False, True, True, True, False, False], ink)

    def test_heights_are_from_the_least_to_the_most_of_what_is_seen(self):
        """Which the page knows by ranges of 16, 256... packets; and 4 % of room on either side."""
        path = self.lossy()
        capture = self.report(path)
        flow = next(f for f in capture["flows"] if f["dst"] == capture["host"])
        packets = [{**p, "t": p["ns"] / 1e9} for p in self.block(capture["connections"][flow["connection"]])]
        data = [(p["t"], p["seq"], p["seq"] + (p["size"] or 1)) for p in packets
                if p["end"] == flow["end"] and (p["size"] or p["what"] & (SYN | FIN))]
        acks = [p for p in packets if p["end"] != flow["end"] and p["ack"] is not None]
        blocks = [(p["t"], *block) for p in acks for block in p["blocks"]]
        self.assertGreater(len(data), 2 * 256)
        ranges = [(0.01, 0.29), (0.1, 0.17), (0.2, 0.201)]
        ranges += [(data[100 + i][0] - 1e-7, data[600 + i][0] + 1e-7) for i in range(33)]  # by one packet each
        states = self.play(f"""document.querySelector('[data-layer=offered]').click(); const states = [];
            for (const range of {json.dumps([[f"{t:.9f}" for t in r] for r in ranges])}) {{
              location.hash = `#t=${{range}}`; await new Promise((done) => setTimeout(done, 0)); await drawn();
              states.push(state(1)); }} return states;""")
        for (start, end), state in zip(ranges, states, strict=True):
            self.assertAlmostEqual(float(state["from"]), start, delta=1e-9)
            seen = [(low, high) for t, low, high in data + blocks if start <= t < end]
            line = [p["ack"] for p in acks if p["t"] < start][-1:] + [p["ack"] for p in acks if start <= p["t"] < end]
            low, high = min([s[0] for s in seen] + line), max([s[1] for s in seen] + line)
            room = 0.04 * (high - low)
            self.assertAlmostEqual(float(state["low"]), low - room, delta=0.01)
            self.assertAlmostEqual(float(state["high"]), high + room, delta=0.01)

    def test_zoom_refines_bins_down_to_packets(self):
        self.report(self.lossy())
        states = self.play("""const states = [state(0)]; panel(0).focus();
            for (let i = 0; i < 8; i++) { press(0, '+'); await drawn(); states.push(state(0)); }
            press(0, 'Home'); await drawn(); states.push(state(0)); return states;""")
        self.assertEqual((states[0]["mode"], states[-2]["mode"]), ("bins", "packets"))
        for before, after in zip(states, states[1:-1]):
            self.assertAlmostEqual(float(after["binS"]) / float(before["binS"]), 0.5, delta=1e-6)
            self.assertLess(int(after["segments"]), int(before["segments"]))
        self.assertEqual(states[-1], states[0])

    def test_both_directions_share_the_time_axis_with_the_other_plots(self):
        self.report(self.lossy())
        heads = self.play("return [...document.querySelectorAll('h4')].map((e) => e.textContent);")
        self.assertTrue(any(e.startswith("out of 10.0.0.1: 10.0.0.1:") for e in heads), heads)
        self.assertTrue(any(e.startswith("into 10.0.0.1:") for e in heads), heads)
        one, two, times, address = self.play("""at(0, 'pointerdown', 400, 100); at(0, 'pointermove', 500, 100);
            at(0, 'pointerup', 600, 100); await drawn(); await new Promise((done) => setTimeout(done, 400));
            return [state(0), state(1), [...document.querySelectorAll('svg[data-plot=goodput] .time')]
              .map((e) => Number(e.textContent)), location.hash];""")
        self.assertEqual((one["from"], one["to"]), (two["from"], two["to"]))
        start, end = float(one["from"]), float(one["to"])
        self.assertAlmostEqual((end - start) / 0.3, 200 / (one["width"] - 120), delta=0.01)
        self.assertTrue(start <= times[0] and times[-1] <= end and len(times) >= 3)
        shown = [float(t) for t in re.fullmatch(r"#t=(.*),(.*)", address).groups()]
        self.assertAlmostEqual(shown[0], start, delta=1e-3)

    def test_fingers_move_and_stretch_time_and_the_page_scrolls_elsewhere(self):
        """Chromium's own touches, of which it makes gestures of its own where the page lets it."""
        self.report(self.lossy())
        chromium = browser()
        with chromium.page((self.dir / "report/report.html").as_uri(), width=400, height=800) as (session, logged):
            chromium.ask("Emulation.setTouchEmulationEnabled", session, enabled=True, maxTouchPoints=2)

            def state():
                """Once nothing moves: a page that a finger threw goes on for a while."""
                return chromium.evaluate(session, """(async () => {
                  const panel = document.querySelector('canvas.packets');
                  const top = () => panel.getBoundingClientRect().top;
                  for (let still = 0, last = NaN; still < 10; last = top()) {
                    still = top() === last ? still + 1 : 0; await new Promise(requestAnimationFrame); }
                  const { left, width } = panel.getBoundingClientRect(), { from, to } = panel.dataset;
                  return {from: +from, to: +to, left, top: top(), width, scale: visualViewport.scale,
                    said: document.querySelector('.readout').textContent}; })()""")

            def touch(*places):
                """Fingers from the first places, from the panel's corner, to the next ones, in ten steps each; where
                there are fewer next, the last finger is lifted. What was before, and what it led to."""
                chromium.evaluate(session, "document.querySelector('canvas.packets').scrollIntoView({block: 'center'})")
                corner, tenths = state(), [k / 10 for k in range(11)]

                def send(kind, fingers, first=0):
                    points = [{"x": corner["left"] + x, "y": corner["top"] + y, "id": i}
                              for i, (x, y) in enumerate(fingers)]
                    chromium.ask("Input.dispatchTouchEvent", session, type=kind, touchPoints=points[first:])

                send("touchStart", places[0])
                for start, end in zip(places, places[1:]):
                    if len(end) < len(start):
                        send("touchEnd", start, len(end))
                    for k in tenths:
                        send("touchMove", [(a + (c - a) * k, b + (d - b) * k) for (a, b), (c, d) in zip(start, end)])
                send("touchEnd", [])
                return corner, state()

            def time(at, x):
                return at["from"] + (x - 80) / (at["width"] - 120) * (at["to"] - at["from"])

            whole = state()
            for before, after in (([(150, 100), (210, 100)], [(120, 120), (240, 120)]),  # twice as far apart
                                  ([(200, 60), (200, 110)], [(200, 110), (200, 210)]),   # likewise, and downwards
                                  ([(150, 100), (210, 100)], [(150, 200), (210, 200)])):  # as far, and downwards
                old, new = touch(before, after)
                width, by = old["to"] - old["from"], math.dist(*after) / math.dist(*before)
                self.assertAlmostEqual(width / (new["to"] - new["from"]), by, delta=0.02)
                middle = [sum(x for x, _ in places) / 2 for places in (before, after)]
                self.assertAlmostEqual(time(new, middle[1]), time(old, middle[0]), delta=0.01 * width)
                self.assertEqual(new["scale"], 1)
                self.assertAlmostEqual(new["top"], old["top"], delta=2)
            for places in ([(220, 150)], [(160, 150)]), ([(220, 150), (100, 50)], [(160, 150)]):
                old, new = touch(*places)
                self.assertAlmostEqual(new["to"] - new["from"], old["to"] - old["from"], delta=1e-9)
                self.assertAlmostEqual(time(new, 160), time(old, 220), delta=0.01 * (old["to"] - old["from"]))
                self.assertAlmostEqual(new["top"], old["top"], delta=2)
            self.assertEqual(new["said"], "No packet chosen.")
            for places in ([(200, 150)], [(200, 50)]), ([(200, -60)], [(200, -160)]):  # upwards, in the panel and above
                old, new = touch(*places)
                self.assertLess(new["top"], old["top"] - 30)
                self.assertEqual((new["from"], new["to"]), (old["from"], old["to"]))
            _, new = touch([(100, 150), (240, 150)], [(170, 150), (190, 150)])
            self.assertEqual((new["from"], new["to"]), (whole["from"], whole["to"]))
            _, new = touch([(180, 200)])
            self.assertTrue(new["said"].startswith("Packet "), new["said"])
            self.assertEqual(logged, [])

    def test_layers_hide_and_keys_step_from_packet_to_packet(self):
        path = self.lossy()
        capture = self.report(path)
        flow = next(f for f in capture["flows"] if f["src"] == capture["host"])
        data = [p["frame"] for p in self.block(capture["connections"][flow["connection"]])
                if p["end"] == flow["end"] and (p["size"] or p["what"] & (SYN | FIN))]
        said, pixels = self.play("""const said = []; panel(0).focus();
            for (const key of ['n', 'n', 'n', 'p']) { press(0, key); await drawn();
              said.push(document.querySelector('.readout b').textContent); }
            const counts = []; for (const name of ['ack', 'segment', 'offered']) {
              const before = pixels(0, name); document.querySelector(`[data-layer=${name}]`).click(); await drawn();
              counts.push([before, pixels(0, name)]); }
            return [said, counts];""")
        self.assertEqual(said, [f"Packet {data[i]}" for i in (0, 1, 2, 1)])
        for before, after in pixels:
            self.assertGreater(before, 100, pixels)
            self.assertEqual(after, 0)

    def test_buttons_do_what_keys_do(self):
        self.report(self.lossy())
        states = self.play("""const states = [];
            for (const key of ['n', '+', '+', 'ArrowRight', 'ArrowLeft', '-', '0', 'p', 'n', 'n']) {
              document.querySelector(`[data-key-of="${key}"]`).click(); await drawn();
              states.push([state(0).from, state(0).to, document.querySelector('.readout').textContent]); }
            return states;""")
        times = [(float(a), float(b)) for a, b, _ in states]
        width = [b - a for a, b in times]
        for before, after, ratio in (0, 1, 0.5), (1, 2, 0.5), (2, 3, 1), (4, 5, 2):
            self.assertAlmostEqual(width[after] / width[before], ratio, delta=1e-6)
        self.assertAlmostEqual(times[3][0] - times[2][0], 0.2 * width[2], delta=1e-9)
        self.assertAlmostEqual(times[4][0], times[2][0], delta=1e-9)
        self.assertEqual(times[6], times[0])
        said = [text for *_, text in states]
        self.assertEqual(said[7], said[0])  # there is none before the first
        self.assertNotEqual(said[8], said[0])
        self.assertNotEqual(said[9], said[8])

    def test_a_menu_has_every_flow_of_a_direction(self):
        capture = self.report(self.lossy())
        into = [f["name"] for f in capture["flows"] if f["dst"] == capture["host"]]
        self.assertEqual(len(into), 2)
        menu, before, after = self.play("""const menu = document.querySelector('.plots select'), before = state(1);
            menu.value = menu.options[1].value; menu.dispatchEvent(new Event('change')); await drawn();
            return [[...menu.options].map((o) => o.textContent), before.segments, state(1).segments];""")
        self.assertEqual(menu, into)
        sizes = [capture["connections"][f["connection"]]["data"][f["end"]] for f in capture["flows"]
                 if f["name"] in into]
        self.assertEqual([int(before), int(after)], sizes)

    def test_it_is_seen_at_every_width_by_day_and_by_night(self):
        self.report(self.lossy())
        for dark in False, True:
            for width in 400, 800, 1600:
                pixels, over = self.play("""const { scrollWidth, clientWidth } = document.documentElement;
                    return [['segment', 'ack', 'offered', 'again'].map((name) => pixels(1, name)),
                    scrollWidth - clientWidth];""", width=width, dark=dark)
                self.assertTrue(all(n > 5 for n in pixels), (width, dark, pixels))
                self.assertEqual(over, 0, (width, dark))


class Odd(Case):
    def test_times_that_step_back_do_no_harm(self):
        """tcpdump on several queues: some frames are stamped before those that came before them."""
        path = self.lossy()
        data = bytearray(path.read_bytes())
        at, number = 24, 0
        while at < len(data):
            seconds, part, size = struct.unpack_from("<III", data, at)
            if number % 7 == 3 and part > 100_000_000:
                struct.pack_into("<I", data, at + 4, part - 5_000_000)
            at, number = at + 16 + size, number + 1
        (self.dir / "back.pcap").write_bytes(data)
        capture = self.report("back.pcap")
        ns = [p["ns"] for meta in capture["connections"] for p in self.block(meta)]
        self.assertNotEqual(ns, sorted(ns))
        with browser().page((self.dir / "report/report.html").as_uri() + "#t=0.1,0.102") as (session, logged):
            self.assertEqual(logged, [])
            self.assertNotIn("data-error", Page(browser().text(session)).one("html"))
