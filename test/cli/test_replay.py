# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures of real Linux played through an emulated star of 50 Mb/s, and what if."""
import csv
import itertools
import lzma
import re

import e2e

SCENARIO = e2e.ROOT / "scenarios/replay.yaml" if e2e.ROOT else None
STAR = ("--set", "network.link.rate=50Mbps")
QUEUES = {
    "fifo-2in-1out": (),
    "ackprio-2in-1out": ("--set", "network.nic.queue=ack-first", "--set", "network.switch.queue=ack-first"),
    "fifo-3in-1out": (),
    "fifo-cubic-2in-1out": (),
    "windows-2W-W-W-2in-1out": (),
    "wire-fifo-1in-2out": (),
    "shallow-2in-1out": ("--set", "network.nic.limit=60kB", "--set", "network.switch.limit=60kB"),
}


def capture(name):
    return e2e.ROOT / f"test/data/captures/{name}.pcap.gz"


def unpacked(case, folder, name):
    path = case.dir / f"{name}.pcap"
    with lzma.open(e2e.ROOT / f"test/data/{folder}/{name}.pcap.xz") as f:
        path.write_bytes(f.read())
    return path


def truth(name):
    with open(e2e.ROOT / f"test/data/captures/{name}.truth.csv", newline="") as f:
        return {f"{r['src']}:{r['sport']}": float(r["received_bps"])
                for r in csv.DictReader(line for line in f if not line.startswith("#"))}


class Replay(e2e.Case):
    def play(self, name, *options):
        return self.json("replay", capture(name), "--scenario", SCENARIO, *STAR, *QUEUES[name], "-q", "-o", "out",
                         *options)

    def test_every_flow_comes_within_ten_percent_of_the_truth(self):
        for name in QUEUES:
            known, played = truth(name), self.play(name)["flows"]
            self.assertEqual({f["src"] for f in played}, set(known))
            for flow in played:
                self.assertAlmostEqual(flow["replayed_bps"] / known[flow["src"]], 1, delta=0.10, msg=f"{name} {flow}")

    def test_the_place_of_the_remedy_decides(self):
        """2/1: the switch port is the right place, the shared host's NIC does nothing; real Linux gave the outgoing
        flow 46.4 Mb/s with ACKs first."""
        variants = ["ack-first", "ack-first@port", "fair@port", "ack-first@nic", "fair@nic"]
        done = self.play("fifo-2in-1out", *(x for v in variants for x in ("--what-if", v)))
        out = next(i for i, f in enumerate(done["flows"]) if f["from_host"] == 0)
        rates = {v["what_if"]: v["goodput_bps"][out] for v in done["variants"]}
        for remedy in ("ack-first", "ack-first@port", "fair@port"):
            self.assertAlmostEqual(rates[remedy] / 46.44e6, 1, delta=0.10)
        for nothing in ("ack-first@nic", "fair@nic"):
            self.assertLess(rates[nothing], 1.15 * rates["baseline"])
        # the diagnosis, which plays nothing, expects the same
        checked, = self.json("check", capture("fifo-2in-1out"))["resources"]
        self.assertEqual(done["diagnosis"], checked["diagnosis"])
        base = done["variants"][0]["total_bps"]
        for v in done["variants"]:
            self.assertAlmostEqual(base / v["total_bps"], 1 / (1 + v["expected_gain"]), delta=0.05, msg=v["what_if"])

    def test_the_diagnosis_comes_first_and_beside_each_what_if(self):
        text = self.good("replay", capture("fifo-2in-1out"), "--scenario", SCENARIO, *STAR, "-q", "-o", "out",
                         "--what-if", "ack-first", "--what-if", "buffer=2MB").stdout.splitlines()
        self.assertEqual(text[:2], self.good("check", capture("fifo-2in-1out"), status=1).stdout.splitlines()[:2])
        rows = {line.split()[0]: line.split() for line in text if "%" in line}
        self.assertIn("expected", next(line for line in text if "won back" in line))
        won, expected = (float(x) for x in (rows["ack-first"][2], rows["ack-first"][4]))
        self.assertTrue(25 < won < 36 and 25 < expected < 36, rows["ack-first"])
        self.assertRegex(" ".join(rows["buffer=2MB"]), r" % - 0")
        self.assertNotIn("measure before you rely", "\n".join(text))

    def test_pauses_of_applications_are_played(self):
        self.write("pauses.yaml", """
duration: 2s
warmup: 100ms
network: {link: {rate: 50Mbps, delay: 1ms}}
tcp: {window: 100kB}
traffic:
  flows:
    - {from: h1, to: h0, bytes: 3MB, pauses: [200ms after 1MB, 100ms after 2MB], start: 0s}
    - {from: h0, to: h2, bytes: 3MB, start: 0s}
capture: [{at: h0}, {at: h1}]
""")
        self.good("run", "pauses.yaml", "-q", "-o", "made")
        for host in "h0", "h1":  # beside the receiver, and beside the sender
            done = self.json("replay", f"made/{host}.pcap", "--scenario", SCENARIO, *STAR, "-q", "-o", "out", "--set",
                             "network.link.delay=1ms")
            self.assertEqual(sorted(f["pauses"] for f in done["flows"]), [0, 2] if host == "h0" else [2])
            for flow in done["flows"]:
                self.assertAlmostEqual(flow["replayed_bps"] / flow["measured_bps"], 1, delta=0.05)
            text = (self.dir / "out/baseline/scenario.yaml").read_text()
            asked = [int(n) * {"ns": 1, "us": 1000, "ms": 1000000}[unit]
                     for n, unit in re.findall(r"(\d+)([num]s)\s+after", text)]
            self.assertGreater(len(asked), 2)  # and again, for a change that lets the flow send more than was captured
            for pause, true in zip(asked, itertools.cycle((200e6, 100e6))):
                self.assertAlmostEqual(pause, true, delta=10e6)  # a round trip

    def test_fewer_acks_are_a_what_if(self):
        """20 Mb/s down, 2 up, FIFO queues, equal windows W. All that is in flight waits for the slow direction: W of upload, and
        ACKs of W of download, 104 bytes on the wire for N packets of 1538 with 1437 for the stream. So both flows have W in
        a round trip that takes W (1538 + 104 / N) / 1437 bytes of 2 Mb/s (test/cli/emulate/test_quic.py)."""
        said = self.json("replay", unpacked(self, "corpus", "adsl-20-2-1in-1out"), "-q", "-o", "out", "--what-if", "quic=2",
                         "--what-if", "quic=10", "--what-if", "quic=10+ack-first")
        out = next(i for i, f in enumerate(said["flows"]) if f["from_host"] == 0)
        _, two, ten, first = said["variants"]
        for n, variant in ((2, two), (10, ten)):
            law = said["link"]["out_bps"] * 1437 / (1538 + 104 / n)
            self.assertAlmostEqual(variant["settled_bps"][out] / law, 1, delta=0.02, msg=n)
        self.assertAlmostEqual(ten["goodput_bps"][out] / two["goodput_bps"][out], (1538 + 104 / 2) / (1538 + 104 / 10), delta=0.01)
        self.assertGreater(first["total_bps"], 4 * ten["total_bps"])
        self.assertEqual({v["retransmitted_segments"] for v in said["variants"]}, {0})

    def test_the_table_ranks_by_what_is_won_back(self):
        out = self.good("replay", capture("fifo-2in-1out"), "--scenario", SCENARIO, *STAR, "-q", "-o", "out",
                        "--what-if", "fair@port", "--what-if", "window=100kB+cc=newreno", "--what-if",
                        "pause+buffer=200kB@port", "--what-if", "small-queues=10kB").stdout
        rows = [line.split()[0] for line in out.split("won back")[1].splitlines()[1:]]
        self.assertEqual(rows[0], "fair@port")
        self.assertEqual(set(rows), {"baseline", "fair@port", "window=100kB+cc=newreno", "pause+buffer=200kB@port",
                                     "small-queues=10kB"})
        self.assertTrue((self.dir / "out/pause-buffer-200kB@port/summary.json").exists())

    def test_an_emulated_capture_is_played_to_the_same_rates(self):
        flows = self.run_scenario(e2e.ROOT / "scenarios/star.yaml", "duration=600ms", "warmup=200ms",
                                  "tcp.initial_window=10", "tcp.window=500kB", output="run")
        played = self.json("replay", "run/h0.pcap", "--scenario", SCENARIO, "--set", "network.link.delay=50us", "-q",
                           "--set", "tcp.congestion=newreno", "-o", "again")["flows"]
        self.assertEqual(len(played), len(flows))
        for flow in played:
            self.assertAlmostEqual(flow["replayed_bps"] / flow["measured_bps"], 1, delta=0.05, msg=flow)

    def test_the_network_is_read_off_the_capture(self):
        """Nobody says that the links carry 50 Mb/s, or that ACKs go first."""
        captures = ("fifo-2in-1out", ""), ("ackprio-2in-1out", "fair"), ("shallow-2in-1out", "buffer=")
        for name, queues in e2e.some(captures, 1 if e2e.SANITIZED else 3):
            done = self.json("replay", capture(name), "-q", "-o", "out")
            self.assertAlmostEqual(done["link"]["in_bps"] / 50e6, 1, delta=0.02)
            self.assertAlmostEqual(done["link"]["out_bps"] / 50e6, 1, delta=0.02)
            self.assertIn(queues, done["assumed"])
            tried = [path for path in (self.dir / "out").iterdir() if path.is_dir()]
            self.assertIn("calibrated", {path.name for path in tried})
            self.assertTrue(all((path / "summary.json").exists() for path in tried))  # what was prepared was played
            self.assertIsNone(done["refused"])
            known = truth(name)
            for flow in done["flows"]:
                self.assertAlmostEqual(flow["replayed_bps"] / known[flow["src"]], 1, delta=0.10, msg=f"{name} {flow}")

    def test_a_what_if_on_a_bad_baseline_is_refused(self):
        """A link of half the rate: flows get half of what was measured."""
        options = ("replay", capture("fifo-2in-1out"), "-q", "-o", "out", "--set", "network.link.rate=25Mbps",
                   "--what-if", "ack-first")
        out = self.good(*options, status=1).stdout
        self.assertIn("no what-if: the baseline gives", out)
        self.assertNotIn("won back", out)
        self.assertIn("won back", self.good(*options, "--anyway").stdout)

    def test_where_judge_and_replay_disagree_nobody_can_tell(self):
        """Windows of 14 kB and 25 ms fill nothing. Of a link that just three of them fill, and which is no longer than
        their queue, a replay comes as near, and there the fourth flow's ACKs wait: it is told a wrong network."""
        path = unpacked(self, "corpus", "rwnd-3in-1out")
        wrong = ("replay", path, "--set", "network.link.rate=14.8Mbps", "--set", "network.link.delay=1us", "-q", "-o", "out",
                 "--what-if", "ack-first")
        done = self.json(*wrong, status=4)
        self.assertEqual(done["answer"], "unknown")
        self.assertLess(done["worst_error"], 0.1)
        change = next(v for v in done["variants"] if v["what_if"] == "ack-first")
        apart = change["lost_share"] - change["expected_lost_share"]
        self.assertGreater(apart, change["lost_ci95"] + change["expected_lost_ci95"])
        self.assertAlmostEqual(change["expected_lost_share"], 0, delta=0.02)
        text = self.good(*wrong, status=4).stdout
        self.assertRegex(text, r"\n  cannot tell: without ack-first \d+ \+- \d+ % are lost by the replay, and 0 \+- \d+ % by "
                               r"the judge: they disagree by more than both intervals\n")
        self.assertRegex(text, r"\n  ack-first +\d+\.\d+ +\+\d+\.\d %")  # both figures stand there
        right = self.json("replay", path, "-q", "-o", "out", "--what-if", "ack-first")
        self.assertEqual((right["answer"], right["refused"]), ("told", None))
        self.assertEqual(self.json(*wrong, "--anyway")["answer"], "told")

    def test_what_is_assumed_is_said(self):
        done = self.json("replay", unpacked(self, "corpus", "paced50-2in-1out"), "-q", "-o", "out")
        self.assertEqual((done["link"]["in_source"], done["link"]["in_known"]), ("unknown", False))
        self.assertIn("its rate does not show, and 100 ms carried", " ".join(done["assumptions"]))
        self.assertEqual({f["limit"] for f in done["flows"]}, {"application"})
        out = self.good("replay", capture("fifo-2in-1out"), "-q", "-o", "out").stdout
        self.assertIn("\n  assumed: cc=linuxreno, which comes nearest\n", out)
        given = ("--set", "network.switch.queue=fifo", "--set", "network.nic.queue=fifo", "--set", "tcp.congestion=linuxreno")
        self.assertNotIn("assumed:", self.good("replay", capture("fifo-2in-1out"), "-q", "-o", "out", *given).stdout)

    def test_addresses_go_where_the_user_says(self):
        maps = [x for i, a in enumerate(("10.9.0.1", "10.9.0.2", "10.9.0.3", "10.9.0.4"))
                for x in ("--map", f"{a}=h{3 - i}")]
        played = self.play("fifo-2in-1out", *maps)["flows"]
        self.assertEqual(sorted((f["from_host"], f["to_host"]) for f in played), [(1, 3), (2, 3), (3, 0)])


class BadInput(e2e.Case):
    def refused(self, words, *options, file=None):
        self.bad(2, words, "replay", file or capture("fifo-2in-1out"), *options)

    def test_what_cannot_be_is_said_in_a_line(self):
        s = ("--scenario", SCENARIO, "-q", "-o", "out")
        self.refused("replay takes one FILE", capture("fifo-2in-1out"))
        self.refused(["--what-if warp", "ack-first, fair"], *s, "--what-if", "warp")
        self.assertFalse((self.dir / "out").exists())  # before anything is played
        self.refused(["ack-first@moon", "nic and port"], *s, "--what-if", "ack-first@moon")
        self.refused(["buffer=1B", "one full frame"], *s, "--what-if", "buffer=1B")
        self.refused("--what-if quic=65: an ACK for 1 to 64 packets", *s, "--what-if", "quic=65")
        self.refused(["cc=bbr", "cubic"], *s, "--what-if", "cc=bbr")
        self.refused(["--map 10.0.0.1", "an address and a host"], *s, "--map", "10.0.0.1")
        self.refused(["10.9.0.2 has no host", "--map"], *s, "--map", "10.9.0.1=h0")
        self.refused("--engine 'ns3': native or linux", *s, "--engine", "ns3")
        self.refused("replay: --engine linux: linux has no congestion control 'given'; windows are played as captured", "-q",
                     "-o", "out", "--engine", "linux", "--set", "tcp.congestion=given")
        self.refused("replay: --engine linux --what-if small-queues=10kB+cc=given: linux has no congestion control 'given'; "
                     "leave --engine native", "-q", "-o", "out", "--engine", "linux", "--what-if",
                     "small-queues=10kB+cc=given")
        self.refused("network.link.rate", *s, "--set", "network.link.rate=fast")
        self.refused("no bulk flow", *s, file=self.empty())
        self.refused("nothere.pcap", *s, file="nothere.pcap")
        self.bad(2, "transport", "replay", capture("fifo-2in-1out"), "--scenario",
                 e2e.ROOT / "scenarios/tam-output.yaml", "--set", "transport=udp")

    def empty(self):
        self.run_scenario(e2e.ROOT / "scenarios/tam-output.yaml", "duration=5ms", "warmup=1ms", "capture=[{at: h0}]",
                          output="gbn")
        return "gbn/h0.pcap"
