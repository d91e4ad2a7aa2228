# SPDX-License-Identifier: GPL-2.0-or-later
"""Which rule a whole measurement obeys: the remedy, windows, losses, real captures."""
import html
import lzma
import re
import sqlite3

import e2e

GRID = """title: Small
scenario: {scenario}
set: {{duration: 300ms, warmup: 100ms, tcp.window: 300kB{sets}}}
axes:
{axes}
{more}
"""
# Goodput of a saturated direction as a share of that without ACKs: an ACK of 90 bytes on the wire for two segments of
# 1538, rho times as many as there are segments: 1 / (1 + 90 / (2 * 1538) * rho).
ACKS = 90 / (2 * 1538)


def form(link, name, acks):
    return next(f for f in link["forms"] if (f["form"], f["acks"]) == (name, acks))


class Case(e2e.Case):
    def swept(self, axes, sets="", more="", scenario="scenarios/star.yaml", name="s"):
        lines = "\n".join(f"  {k}: {v}" for k, v in axes.items())
        self.write(f"{name}.yaml", GRID.format(scenario=e2e.ROOT / scenario, axes=lines, sets=sets, more=more))
        self.good("sweep", f"{name}.yaml", "-q")
        return self.fit(f"{name}.db")

    def fit(self, *sources):
        return self.json("fit", *sources)["resources"]

    def star(self, incoming="1..3", outgoing="1..3", more_axes=None, **kwargs):
        return self.swept({"traffic.star.incoming": incoming, "traffic.star.outgoing": outgoing, **(more_axes or {})},
                          **kwargs)


class Regimes(Case):
    def test_acks_first_obey_eq5(self):
        link, = self.star(sets=", network.nic.queue: ack-first, network.switch.queue: ack-first")["links"]
        best = link["forms"][0]
        self.assertEqual(best["form"], "eq5")
        self.assertAlmostEqual(form(link, "eq5", True)["fitted_rate_bps"]["value"] / e2e.B_1448, 1, delta=0.01)
        self.assertGreater(form(link, "eq6", True)["aic"], best["aic"] + 10)
        power = form(link, "power", True)
        self.assertAlmostEqual(power["a"]["value"], 1, delta=0.01)
        self.assertAlmostEqual(power["b"]["value"], 0, delta=0.01)

    def test_a_page_shows_the_forms_of_fit(self):
        link, = self.star()["links"]
        self.good("report", "s.db", "-o", "s.html")
        rows = [[html.unescape(cell) for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row)]
                for row in re.findall("<tr>(.*?)</tr>", (self.dir / "s.html").read_text(), re.S)]
        shown = {row[0]: row for row in rows}

        def text(value, digits, scale=1):
            known, low, high = (f"{value[key] / scale:.{digits}g}" for key in ("value", "low", "high"))
            return f"{known} [{low}, {high}]"

        for f in link["forms"]:
            row = shown[f["form"] + "+acks" * f["acks"]]
            exponents = {"norm": lambda f=f: f"1/p = {text(f['inverse_p'], 3)}",
                         "power": lambda f=f: f"a = {text(f['a'], 3)}, b = {text(f['b'], 3)}"}
            self.assertEqual(row[1:3], [text(f["fitted_rate_bps"], 5, 1e6), exponents.get(f["form"], lambda: "-")()])
            self.assertEqual(row[3], f"{f['aic'] - link['forms'][0]['aic']:.1f}")
            self.assertAlmostEqual(float(row[4]), 100 * f["rms_error"], delta=0.006)

    def test_unequal_windows_obey_the_window_law(self):
        link, = self.star(more_axes={"traffic.star.outgoing_window": "[150kB, 300kB, 600kB]"})["links"]
        self.assertFalse(link["equal_windows"])
        self.assertEqual((link["forms"][0]["form"], link["forms"][0]["acks"]), ("window", True))
        self.assertAlmostEqual(link["forms"][0]["fitted_rate_bps"]["value"] / e2e.B_1448, 1, delta=0.01)
        self.assertLess(link["forms"][0]["rms_error"], 0.03)
        self.assertGreater(form(link, "eq6", True)["rms_error"], 0.1)

    def test_losses_are_in_and_then_left_out(self):
        link, = self.star(more_axes={"network.switch.limit": "[500kB, 20MB]"})["links"]
        lossy = [p for p in link["measured"] if p["lossy"]]
        self.assertEqual(len(lossy), link["lossy_runs"])
        self.assertTrue(0 < len(lossy) < link["runs"])
        self.assertTrue(all(p["axes"]["network.switch.limit"] == "500kB" for p in lossy))
        free = link["loss_free"]
        self.assertEqual(free["runs"], link["runs"] - len(lossy))
        self.assertLess(form(free, "eq6", True)["rms_error"], 0.02)
        self.assertGreater(form(link, "eq6", True)["rms_error"], form(free, "eq6", True)["rms_error"])
        text = self.good("fit", "s.db").stdout
        self.assertIn("without the runs that lost segments", text)

    def test_windows_below_the_bandwidth_delay_product_are_left_out(self):
        # 200 us and three frames there and back are some 230 us: 28.7 kB fill 1 Gb/s
        axes = {"tcp.window": "[5kB, 10kB, 100kB]"}
        resources = self.star(incoming="1..2", outgoing="0..2", more_axes=axes)
        self.assertEqual((resources["links"][0]["runs"], resources["unfilled_runs"]), (6, 12))
        self.assertIn("12 runs are left out: windows do not fill the link", self.good("fit", "s.db").stdout)

    def test_a_run_with_a_starved_flow_is_left_out(self):
        self.star(incoming="1..2", outgoing="0..1")
        db = sqlite3.connect(self.dir / "s.db")
        db.execute("UPDATE flow SET steady_goodput_bps = 0 WHERE point = 4 AND dst = 'h0'")
        db.commit()
        db.close()
        resources = self.fit("s.db")
        self.assertEqual((resources["links"][0]["runs"], resources["starved_runs"]), (3, 1))
        self.assertIn("1 run is left out: a flow moved nothing", self.good("fit", "s.db").stdout)

    def test_seeds_are_replicas(self):
        one, = self.star(incoming="1..2", outgoing="0..2")["links"]
        three, = self.star(incoming="1..2", outgoing="0..2", more="seeds: 3", name="three")["links"]
        self.assertIsNone(one["seed_spread"])
        self.assertEqual((one["points"], one["runs"], three["points"], three["runs"]), (6, 6, 6, 18))
        self.assertGreater(three["seed_spread"], 0)
        self.assertLess(three["seed_spread"], 0.01)
        self.assertIn("6 points in 18 runs", self.good("fit", "three.db").stdout)

    def test_patterns_of_a_table_of_rates_are_points_each(self):
        """B / max(in, out) of 90 Mb/s, one direction alone as well: of four points each, and none is left out, for
        nobody knows the empty round trips there."""
        self.write("m.csv", "from,to,pattern,bits_per_second\nb,a,1/0,90e6\na,b,0/1,90e6\nb,a,1/1,90e6\na,c,1/1,90e6\n"
                   "b,a,2/1,45e6\nc,a,2/1,45e6\na,d,2/1,45e6\n")
        resources = self.fit("m.csv")
        link, = resources["links"]
        self.assertEqual((link["points"], link["runs"], resources["unfilled_runs"]), (4, 4, 0))
        self.assertIsNone(link["seed_spread"])
        self.assertAlmostEqual(form(link, "eq6", False)["fitted_rate_bps"]["value"], 90e6, delta=1)
        self.assertLess(form(link, "eq6", False)["rms_error"], 1e-6)

    def test_windows_of_a_table_tell_the_window_law_from_eq6(self):
        """In's of 200 kB, out's of 400 kB: B W / max(sum of W in, sum of W out) of 90 Mb/s. With equal windows, or with
        one missing, the same rates obey nothing."""
        rows = ["b,a,1/1,45e6,200kB", "a,c,1/1,90e6,400kB", "b,a,2/1,45e6,200kB", "c,a,2/1,45e6,200kB",
                "a,d,2/1,90e6,400000", "b,a,1/2,22.5e6,200kB", "a,c,1/2,45e6,400kB", "a,d,1/2,45e6,400kB"]
        for name, kept, equal, best in (("all.csv", rows, False, "window"),
                                        ("one-missing.csv", [rows[0][:-5], *rows[1:]], True, None),
                                        ("equal.csv", [row.replace("200kB", "400kB") for row in rows], True, None)):
            self.write(name, "\n".join(["from,to,pattern,bits_per_second,window", *kept, ""]))
            link, = self.fit(name)["links"]
            self.assertEqual(link["equal_windows"], equal, name)
            text = self.good("fit", name).stdout.splitlines()[-2:]
            if best:
                self.assertAlmostEqual(form(link, "window", False)["fitted_rate_bps"]["value"], 90e6, delta=1)
                self.assertLess(form(link, "window", False)["rms_error"], 1e-6)
                self.assertGreater(form(link, "eq6", False)["rms_error"], 0.2)
                self.assertRegex(text[0], r"^the window law, B W / max\(.*\), with B = 90\.00 Mb/s: rms error 0\.0 %; "
                                 r"Eq\. 6: [0-9.]+ %; Eq\. 5: [0-9.]+ %$")
                self.assertIn("--model window --set network.link.rate=1Gbps --set network.link.goodput=90Mbps", text[1])
            else:
                self.assertRegex(text[1], r"^neither Eq\. 6 .* nor Eq\. 5 .*: windows differ, or packets are lost")

    def test_one_flow_belongs_to_the_link_that_others_share(self):
        link, = self.star(incoming="0..2", outgoing="1..1")["links"]
        self.assertEqual((link["resource"], link["points"]), ("h0", 3))


class Captures(Case):
    CAPTURES = e2e.ROOT / "test/data/captures"

    def test_fifo_captures_of_real_linux_obey_eq6(self):
        files = [self.CAPTURES / f"{name}.pcap.gz" for name in ("fifo-2in-1out", "fifo-3in-1out", "wire-fifo-1in-2out")]
        link, = self.fit(*files)["links"]
        self.assertIsNone(link["rate_bps"])
        self.assertEqual([(p["in"], p["out"]) for p in link["measured"]], [(2, 1), (3, 1), (1, 2)])
        self.assertEqual([p["source"] for p in link["measured"]], [str(f) for f in files])
        eq6, eq5 = form(link, "eq6", True), form(link, "eq5", True)
        # 50 Mb/s on the wire, as the captures' README says: 47.07 Mb/s of goodput
        self.assertAlmostEqual(eq6["fitted_rate_bps"]["value"] / (e2e.B_1448 / 20), 1, delta=0.03)
        self.assertLess(eq6["rms_error"], eq5["rms_error"] / 5)
        # three points have no AIC, and none to spare for an exponent: cross-validation chooses
        self.assertTrue(all(f["aic"] is None for f in link["forms"]))
        self.assertIn(link["forms"][0]["form"], ("window", "eq6"))

    def test_links_that_are_not_full_are_left_out_and_the_diagnosis_says_why(self):
        """Three flows paced at half of the link's rate obey eq6 to the digit; a pendulum fills neither direction."""
        fifo = self.CAPTURES / "fifo-2in-1out.pcap.gz"
        for name in "paced50-2in-1out", "pendulum-1in-1out-40ms-100kB":
            with lzma.open(e2e.ROOT / f"test/data/corpus/{name}.pcap.xz") as f:
                (self.dir / f"{name}.pcap").write_bytes(f.read())
        done = self.fit("paced50-2in-1out.pcap", "pendulum-1in-1out-40ms-100kB.pcap", fifo)
        hosts = [(h["source"], h["left_out"], h["diagnosis"]["asymmetry"]) for h in done["hosts"]]
        self.assertEqual(hosts, [("paced50-2in-1out.pcap", True, "no"),
                                 ("pendulum-1in-1out-40ms-100kB.pcap", True, "yes"), (str(fifo), False, "yes")])
        link, = done["links"]
        self.assertEqual([p["source"] for p in link["measured"]], [str(fifo)])
        text = self.good("fit", "paced50-2in-1out.pcap").stdout
        self.assertRegex(text, r"^paced50\S+: host 10\.9\.1\.2: no: .*\n  why: the applications send no more\n"
                               r"  left out of the fit: its link is not full, so no rule of a full link applies\n$")

    def test_all_captures_a_database_and_a_run_at_once(self):
        self.star(incoming="1..2", outgoing="1..1")
        self.run_scenario(e2e.ROOT / "scenarios/star.yaml", "duration=300ms", "warmup=100ms")
        captures = sorted(self.CAPTURES.glob("*.pcap.gz"))
        links = {(link["resource"], link["rate_bps"]): link for link in self.fit("s.db", "out", *captures)["links"]}
        self.assertEqual((links["h0", 1e9]["runs"], links["h0", None]["runs"]), (2, 1))
        self.assertEqual(sum(link["runs"] for (name, _), link in links.items() if name != "h0"), len(captures))


class Refused(Case):
    def test_bad_input_is_one_line(self):
        self.bad(2, "no database, capture or directory", "fit")
        self.bad(2, "none.db: No such file", "fit", "none.db")
        self.write("text", "no capture")
        self.bad(2, "text", "fit", "text")
        sqlite3.connect(self.dir / "other.db").execute("CREATE TABLE mine(x)")
        self.bad(2, ["other.db", "not the database of a sweep"], "fit", "other.db")

    def test_a_database_without_done_points(self):
        self.star(incoming="1..1", outgoing="1..1")
        db = sqlite3.connect(self.dir / "s.db")
        db.execute("UPDATE point SET state = 'waiting'")
        db.commit()
        db.close()
        self.bad(2, ["s.db", "no point of this sweep is done"], "fit", "s.db")

    def test_nothing_that_is_shared(self):
        self.run_scenario(e2e.ROOT / "scenarios/star.yaml", "duration=300ms", "warmup=100ms", "traffic.star.incoming=0")
        self.bad(2, ["out", "nothing that 'contraflow fit' has a rule for"], "fit", "out")

    def test_help(self):
        text = self.good("help", "fit").stdout
        for word in ("B / max(n in, n out)", "jackknife", "cross-validated", "dAIC"):
            self.assertIn(word, text)
