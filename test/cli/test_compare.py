# SPDX-License-Identifier: GPL-2.0-or-later
"""contraflow compare: what changed between two captures, runs or directories of runs, against the files that they left
and, for captures of Linux's TCP, against what both ends counted."""
import csv
import json
import math
import pathlib
import sys

import e2e
from browser import browser

DATA = pathlib.Path(sys.argv[2]).resolve() / "test/data/captures" if len(sys.argv) > 2 else None
SMALL = ("duration: 3s\nnetwork: {link: {rate: 100Mbps}, nic: {limit: 5MB}, switch: {limit: 5MB}}\n"
         "tcp: {window: 500kB}\ncapture: [{at: h0, snaplen: 96}]\n"
         "traffic: {start_spread: 0s, star: {incoming: 2, outgoing: 1}}\n")
ACK_FIRST = ("network.nic.queue=ack-first", "network.switch.queue=ack-first")


class Runs(e2e.Case):
    def setUp(self):
        super().setUp()
        self.write("s.yaml", SMALL)
        self.run_scenario("s.yaml", output="before")
        self.run_scenario("s.yaml", *ACK_FIRST, output="after")

    def host(self, *sources):
        hosts = self.json("compare", *sources)["hosts"]
        self.assertEqual(len(hosts), 1)
        return hosts[0]

    def test_changes_are_those_of_flows_csv(self):
        host = self.host("before", "after")
        rates = [{f["flow"]: float(f["steady_goodput_bps"]) for f in self.flows(d)} for d in ("before", "after")]
        ends = [{f["flow"]: (f["src"], f["dst"]) for f in self.flows(d)} for d in ("before", "after")]
        self.assertEqual(ends[0], ends[1])
        for name, (src, dst) in ends[0].items():
            [flow] = [f["rate_bps"] for f in host["flows"] if (f["src"], f["dst"]) == (src, dst)]
            self.assertAlmostEqual(flow["before"] / rates[0][name], 1, delta=0.01)
            self.assertAlmostEqual(flow["after"] / rates[1][name], 1, delta=0.01)
            self.assertAlmostEqual(flow["change"], flow["after"] - flow["before"], delta=1)
            self.assertAlmostEqual(flow["change_ci95"], math.hypot(flow["before_ci95"], flow["after_ci95"]), delta=1)
        total = host["both"]["rate_bps"]
        self.assertAlmostEqual(total["before"], sum(f["rate_bps"]["before"] for f in host["flows"]), delta=1)
        self.assertAlmostEqual(total["after_ci95"], sum(f["rate_bps"]["after_ci95"] for f in host["flows"]), delta=1)
        # Eq. 6 gives each flow half; with ACKs first both directions are full: 138 and 183 Mb/s of goodput and more.
        self.assertEqual(total["changed"], "more")
        self.assertAlmostEqual(total["change_share"], 1 / 3, delta=0.04)
        self.assertEqual((host["out"]["rate_bps"]["changed"], host["lost_share"]["changed"]), ("more", "less"))
        self.assertEqual([host[side]["diagnosis"]["asymmetry"] for side in ("before", "after")], ["yes", "no"])

    def test_the_answer_in_words_has_the_numbers(self):
        said = self.good("compare", "before", "after").stdout
        total = self.host("before", "after")["both"]["rate_bps"]
        self.assertTrue(said.startswith(f"host h0: {total['after'] / 1e6:.1f} instead of {total['before'] / 1e6:.1f} "
                                        f"Mb/s in both directions: {total['change'] / 1e6:+.1f} +- "), said)
        self.assertRegex(said.splitlines()[0], r"; lost to waiting ACKs: 2\d % \(ACKs wait behind the data of the "
                         r"other direction\), then no \(the link carries what it can\)$")

    def test_the_drawing_fills_the_page_and_has_the_intervals_of_its_caption(self):
        self.good("compare", "before", "after", "--report", "page")
        for width in 800, 1280, 1920:
            with browser().page((self.dir / "page/compare.html").as_uri(), width=width) as (session, logged):
                over, drawing, header, words = browser().evaluate(session, """[document.documentElement.scrollWidth,
                    ...['.drawing', 'header'].map((what) => Math.max(...[...document.querySelectorAll(what)].map((e) =>
                      e.getBoundingClientRect().width))),
                    [...document.querySelectorAll('.drawing text')].filter((e) => e.getClientRects().length)
                      .map((e) => e.textContent)]""")
            self.assertEqual((over, logged), (width, []))
            self.assertAlmostEqual(drawing, header, delta=1)
            for flow in self.host("before", "after")["flows"]:
                for side in ("before", "after"):
                    self.assertIn(f"{side} {flow['rate_bps'][side] / 1e6:.4g} \u00b1 "
                                  f"{flow['rate_bps'][side + '_ci95'] / 1e6:.2g}", words)

    def test_the_other_way_round_is_the_other_sign(self):
        there, back = self.host("before", "after"), self.host("after", "before")
        for way in ("in", "out", "both"):
            self.assertAlmostEqual(there[way]["rate_bps"]["change"], -back[way]["rate_bps"]["change"], delta=1)

    def test_nothing_changes_between_a_run_and_itself(self):
        host = self.host("before", "before")
        for way in ("in", "out", "both"):
            self.assertEqual((host[way]["rate_bps"]["change"], host[way]["rate_bps"]["changed"]), (0, "no"))
        self.assertIn("which is no change", self.good("compare", "before", "before").stdout)

    def test_what_was_changed_is_named_without_a_warning(self):
        said = self.good("compare", "before", "after").stdout
        self.assertNotIn("warning", said)
        self.assertIn("\n  what differs: network.nic.queue: fifo, then ack-first; network.switch.queue: fifo, then "
                      "ack-first\n", said)
        self.assertEqual([(d["what"], d["unlike"]) for d in self.host("before", "after")["differences"]],
                         [("network.nic.queue", False), ("network.switch.queue", False)])

    def unlike(self, *sets, **more):
        self.run_scenario("s.yaml", *sets, output="other", **more)
        self.good("compare", "before", "other", "--report", "page")
        warned = [f"{d['what']}: {d['before']}, then {d['after']}" for d in self.host("before", "other")["differences"]
                  if d["unlike"]]
        said = self.good("compare", "before", "other").stdout
        self.assertIn(f"\n  warning: before and after are unlike, which alone changes rates: {'; '.join(warned)}\n", said)
        self.assertIn("; ".join(warned), (self.dir / "page/compare.html").read_text())
        return warned

    def test_another_number_of_flows_is_warned_of(self):
        self.assertEqual(self.unlike("traffic.star.incoming=3", *ACK_FIRST),
                         ["flows in: 2, then 3", "other ends of flows out: h3, then h4", "network.hosts: 4, then 5"])

    def test_other_windows_are_warned_of(self):
        self.assertEqual(self.unlike("tcp.window=250kB"), ["window of flows in: 500kB, then 250kB",
                                                           "window of flows out: 500kB, then 250kB"])
        self.assertEqual(self.unlike("traffic.star.outgoing_window=250kB"),
                         ["window of flows out: 500kB, then 250kB"])

    def test_other_rates_are_warned_of(self):
        self.assertEqual(self.unlike("network.link.rate=50Mbps"), ["network.link.rate: 100Mbps, then 50Mbps"])

    def test_another_rate_of_a_capture_s_link_is_warned_of(self):
        self.run_scenario("s.yaml", "network.link.rate=50Mbps", output="other")
        found = [d["what"] for d in self.host("before/h0.pcap", "other/h0.pcap")["differences"] if d["unlike"]]
        self.assertIn("rate of the link in", found)
        self.assertEqual(self.host("before/h0.pcap", "after/h0.pcap")["differences"], [])

    def test_a_capture_is_compared_with_a_run_and_with_a_capture(self):
        run, mixed = self.host("before", "after"), self.host("before/h0.pcap", "after/h0.pcap")
        for way in ("in", "out"):
            for side in ("before", "after"):
                self.assertAlmostEqual(mixed[way]["rate_bps"][side] / run[way]["rate_bps"][side], 1, delta=0.01)

    def test_directories_of_runs_are_paired_by_name(self):
        for side, sets in (("old", ()), ("new", ACK_FIRST)):
            for window in ("300kB", "500kB"):
                self.run_scenario("s.yaml", f"tcp.window={window}", *sets, output=f"{side}/{window}")
        self.run_scenario("s.yaml", output="new/other")
        hosts = self.json("compare", "old", "new")["hosts"]
        found = [[host[side] and host[side]["source"] for side in ("before", "after")] for host in hosts]
        self.assertEqual(found, [["old/300kB", "new/300kB"], ["old/500kB", "new/500kB"], [None, "new/other"]])
        self.assertIsNone(hosts[2]["both"]["rate_bps"]["change"])
        self.assertIn("only after: ", self.good("compare", "old", "new").stdout)

    def test_the_page_has_what_the_table_has(self):
        self.good("compare", "before", "after", "--report", "page")
        page = (self.dir / "page/compare.html").read_text()
        total = self.host("before", "after")["both"]["rate_bps"]
        self.assertIn(f"{total['after'] / 1e6:.1f} instead of {total['before'] / 1e6:.1f} Mb/s", page)
        self.assertEqual((page.count(' before: '), page.count(' after: ')), (6, 6))  # under the pointer, of both drawings
        self.assertIn("simulated", page)
        self.assertNotIn("<script", page)

    def test_bad_input_is_one_line(self):
        self.bad(2, ["compare", "takes two"], "compare", "before")
        self.bad(2, ["nowhere"], "compare", "before", "nowhere")
        self.write("note.txt", "hello")
        self.bad(2, ["note.txt"], "compare", "note.txt", "before")


class Home(e2e.Case):
    """Losses come every few seconds behind 1 Mb/s: 30 s, half of which are steady, see a handful."""

    def run_home(self, name, *sets):
        self.good("run", "home", "-q", "-o", name, *(f"--set={s}" for s in sets))

    def test_thirty_emulated_seconds_have_an_interval(self):
        self.run_home("fifo", "duration=30s")
        self.run_home("fair", "duration=30s", "network.links.2.out.port.queue=fq_codel")
        for host in self.json("compare", "fifo", "fair")["hosts"]:
            self.assertEqual(host["both"]["rate_bps"]["changed"], "more")
        said = self.good("compare", "fifo", "fair").stdout.splitlines()
        self.assertRegex(said[0], r"Mb/s in both directions: \+\d\.\d \+- \d\.\d Mb/s \(\+\d\d\.\d %\), more; ")
        self.assertEqual(said[1], "  what differs: network.links.2.out.port.queue: fifo, then fq_codel")

    def test_rough_intervals_cover_what_comes_in_the_long_run(self):
        """Of 95 % intervals, 16 of each way: 26 of 32 or fewer cover with a chance of 0.004 (binomial)."""
        self.run_home("long", "duration=600s")
        [truth, _] = self.json("compare", "long", "long")["hosts"]
        covered = 0
        for seed in range(1, 17):
            self.run_home("short", "duration=30s", "traffic.start_spread=2s", f"seed={seed}")
            [host, _] = self.json("compare", "short", "short")["hosts"]
            for way in ("in", "out"):
                rate, wanted = host[way]["rate_bps"], truth[way]["rate_bps"]
                covered += abs(rate["before"] - wanted["before"]) <= rate["before_ci95"] + wanted["before_ci95"]
        self.assertGreater(covered, 26)


class Captures(e2e.Case):
    """Of Linux's TCP, with and without ACKs first; a client has another port each time."""

    def test_change_is_what_both_ends_counted(self):
        hosts = self.json("compare", DATA / "fifo-2in-1out.pcap.gz", DATA / "ackprio-2in-1out.pcap.gz")["hosts"]
        self.assertEqual(len(hosts), 1)
        truth = {}
        for side, name in (("before", "fifo"), ("after", "ackprio")):
            with open(DATA / f"{name}-2in-1out.truth.csv", newline="") as f:
                rows = list(csv.DictReader(line for line in f if not line.startswith("#")))
            truth[side] = sum(float(row["received_bps"]) for row in rows)
        total = hosts[0]["both"]["rate_bps"]
        for side in ("before", "after"):
            self.assertAlmostEqual(total[side] / truth[side], 1, delta=0.03)
        self.assertEqual(total["changed"], "more")
        self.assertEqual(len(hosts[0]["flows"]), 3)  # all of them are paired
        self.assertNotIn(None, [f["rate_bps"]["change"] for f in hosts[0]["flows"]])

    def test_how_long_would_do_is_said_where_there_is_no_interval(self):
        """The steady part would have to last until 29 losses (base/estimate.h) of the flow that had the fewest."""
        sources = DATA / "fifo-2in-1out.pcap.gz", DATA / "shallow-2in-1out.pcap.gz"
        [resource] = json.loads(self.call("check", "--json", sources[1]).stdout)["resources"]
        times = 29 / min(f["loss_events"] for f in resource["flows"] if f["ci95_bps"] is None and f["loss_events"])
        self.assertGreater(times, 1)
        settling, end = resource["steady_start_s"] - resource["start_s"], resource["end_s"] - resource["start_s"]
        said = self.good("compare", *sources).stdout.splitlines()[0]
        self.assertRegex(said, r" Mb/s in both directions: \+\d+\.\d Mb/s \(\+\d+\.\d %\), no interval: "
                         rf"{end:.1f} s are too short, some {math.ceil(settling + times * (end - settling))} s would do;")
        self.assertNotIn("chance", said)

    def test_windows_that_bound_the_flows_are_warned_of(self):
        for window in ("600kB", "300kB"):
            self.good("run", "star", "-q", "-o", window, "--set", "duration=1s", "--set", f"tcp.window={window}")
            (self.dir / window / "h0.pcap").rename(self.dir / f"{window}.pcap")  # a file alone
        said = self.good("compare", "600kB.pcap", "300kB.pcap").stdout
        self.assertRegex(said, r"\n  warning: .*window of flows out: 59\dkB, then 29\dkB\n")

    def test_windows_whose_scale_was_cut_off_are_not(self):
        """The snap length of this capture ends in the options of its SYNs."""
        said = self.good("compare", DATA / "fifo-2in-1out.pcap.gz", DATA / "windows-2W-W-W-2in-1out.pcap.gz").stdout
        self.assertNotIn("window of flows", said)


def kept(into, out, answer, lost):
    """What `contraflow measure -o` keeps of a test, as far as it matters here; rates in Mb/s, with their intervals."""
    flows = [{"src": "server", "dst": "laptop", "direction": "in", "rate_bps": into[0] * 1e6, "ci95_bps": into[1] * 1e6,
              "data_wait_s": 0.001, "ack_wait_s": 0.08, "retransmitted_segments": 7},
             {"src": "laptop", "dst": "server", "direction": "out", "rate_bps": out[0] * 1e6, "ci95_bps": out[1] * 1e6,
              "data_wait_s": 0.07, "ack_wait_s": 0, "retransmitted_segments": 3}]
    return {"source": "server", "host": "laptop", "end_s": 30, "flows": flows, "measured": {},
            "diagnosis": {"asymmetry": answer, "cause": "full" if answer == "no" else "acks_behind_data", "why": "so",
                          "lost_share": {"in": lost, "out": 0, "total": lost / 2, "ci95": 0.01}}}


class Measured(e2e.Case):
    """Directories of `contraflow measure -o`."""

    def keep(self, name, *tests, **more):
        (self.dir / name).mkdir(exist_ok=True)
        (self.dir / name / "summary.json").write_text(json.dumps({**more, "resources": tests, "programs": []}))

    def test_what_a_change_brought(self):
        """3 Mb/s +- 0.3 in, then 9 +- 0.4: 6 more, +- 0.5. 10 out, then 9.9, each +- 0.1: 0.141 is no change."""
        self.keep("before", kept((3, 0.3), (10, 0.1), "yes", 0.7))
        self.keep("after", kept((9, 0.4), (9.9, 0.1), "no", 0.01), schema="urn:contraflow:measure:1")
        [host] = self.json("compare", "before", "after")["hosts"]
        into, out = host["in"]["rate_bps"], host["out"]["rate_bps"]
        self.assertAlmostEqual(into["change"], 6e6, delta=1)
        self.assertAlmostEqual(into["change_ci95"], 0.5e6, delta=1)
        self.assertEqual((into["changed"], out["changed"], host["lost_share"]["changed"]), ("more", "no", "less"))
        self.assertAlmostEqual(host["lost_share"]["change"], 0.005 - 0.35, delta=1e-9)
        self.assertAlmostEqual(host["in"]["ack_wait_s"]["before"], 0.08, delta=1e-9)
        self.assertEqual(host["retransmitted_segments"]["after"], 10)
        self.assertEqual([host[side]["diagnosis"]["asymmetry"] for side in ("before", "after")], ["yes", "no"])
        self.assertTrue(self.good("compare", "before", "after").stdout.startswith(
            "host laptop: 18.9 instead of 13.0 Mb/s in both directions: +5.9 +- "))
        self.good("compare", "before", "after", "--report", "page")
        page = (self.dir / "page/compare.html").read_text()
        self.assertIn('class="origin measured">measured<', page)
        self.assertNotIn(">captured<", page)

    def test_tests_of_several_servers_are_paired_in_order(self):
        """One to one, two to one: as often as the hosts have been measured."""
        self.keep("before", kept((3, 1), (10, 1), "yes", 0.7), kept((5, 1), (10, 1), "yes", 0.5))
        self.keep("after", kept((4, 1), (10, 1), "yes", 0.7), kept((6.5, 1), (10, 1), "yes", 0.5))
        hosts = self.json("compare", "before", "after")["hosts"]
        self.assertEqual([round(h["in"]["rate_bps"]["change"] / 1e6, 3) for h in hosts], [1, 1.5])

    def test_what_was_not_kept_by_measure_is_said(self):
        self.keep("good", kept((3, 0.3), (10, 0.1), "yes", 0.7))
        for key, value in (("direction", "up"), ("rate_bps", None), ("src", ""), ("rate_bps", -1)):
            test = kept((3, 0.3), (10, 0.1), "yes", 0.7)
            test["flows"][1][key] = value
            self.keep("bad", test)
            self.bad(2, ["bad/summary.json", "host 1", "rate_bps"], "compare", "good", "bad")
        self.keep("bad", {**kept((3, 0.3), (10, 0.1), "yes", 0.7), "flows": []})
        self.bad(2, ["bad/summary.json", "host 1"], "compare", "bad", "good")
        (self.dir / "bad/summary.json").write_text("{")
        self.bad(2, "bad", "compare", "good", "bad")
