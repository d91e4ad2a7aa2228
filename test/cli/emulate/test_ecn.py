# SPDX-License-Identifier: GPL-2.0-or-later
"""ECN from end to end (RFC 3168, 8257): queues mark, senders hear of it, captures show it, on every engine that is here."""
import json
import subprocess

import e2e

SCENARIO = """duration: 1000ms
warmup: 300ms
network: {link: {rate: 100Mbps, delay: 2ms}, switch: {mark: 60kB}}
tcp: {window: 3MB, congestion: cubic, initial_window: 10%s}
traffic: {star: {incoming: 2, outgoing: 0}}
capture: [{at: h0}]
"""
SYN, ACK, ECE, CWR = 0x02, 0x10, 0x40, 0x80
FULL = 1e8 * 1448 / 1538


class Ecn(e2e.Case):
    captures = {}  # segments of captures that another test has looked at, by what was played

    def play(self, engine, *sets, tcp=", ecn: true"):
        self.segments = self.captures.setdefault((engine, *sets, tcp), [])
        self.write("s.yaml", SCENARIO % tcp)
        self.summed = sum(float(f["steady_goodput_bps"]) for f in self.run_scenario(
            "s.yaml", f"engine={engine}", *sets))
        self.again = sum(int(f["retransmitted_segments"]) for f in self.flows())
        ports = json.loads((self.dir / "out/summary.json").read_text())["ports"]
        self.port, = (p for p in ports if p["port"] == "sw0-h0")

    def seen(self, judge):
        """How many captured TCP segments are so. SYN, ACK, ECE and CWR are bits of `flags`; `ecn` is IP's field."""
        if not self.segments:
            e2e.require("tshark")
            done = subprocess.run(["tshark", "-r", self.dir / "out/h0.pcap", "-Y", "tcp", "-o", "ip.check_checksum:TRUE",
                                   "-T", "fields", "-e", "ip.dsfield.ecn", "-e", "tcp.flags", "-e", "tcp.len", "-e",
                                   "ip.checksum.status"], capture_output=True, text=True, check=True)
            self.segments += [[int(field, 0) for field in line.split()] for line in done.stdout.splitlines()]
        return sum(judge(ecn, flags, length, good) for ecn, flags, length, good in self.segments)

    def test_marks_take_the_place_of_losses(self):
        for engine in e2e.ENGINES:
            for congestion in ("cubic", "dctcp"):
                with self.subTest(engine=engine, congestion=congestion):
                    self.play(engine, *(() if congestion == "cubic" else ("tcp.congestion=dctcp",)))
                    self.assertAlmostEqual(self.summed / FULL, 1, delta=0.05)
                    self.assertEqual((self.again, self.port["dropped_frames"]), (0, 0))
                    self.assertGreater(self.seen(lambda ecn, flags, length, good: ecn == 3), 0)

    def test_captures_tell_the_whole_story(self):
        """Two SYNs ask, their answers grant; data of port 5001 and up are capable, ACKs are not; every reduction is told,
        and marks are echoed until then."""
        for engine in e2e.ENGINES:
            with self.subTest(engine=engine):
                self.play(engine)
                self.assertEqual(self.seen(lambda ecn, flags, length, good: flags == SYN | ECE | CWR), 2)
                self.assertEqual(self.seen(lambda ecn, flags, length, good: flags == SYN | ACK | ECE), 2)
                self.assertEqual(self.seen(lambda ecn, flags, length, good: (length > 0) != (ecn != 0)), 0)
                told = self.seen(lambda ecn, flags, length, good: length > 0 and flags & CWR != 0)
                echoed = self.seen(lambda ecn, flags, length, good: length == 0 and flags & (ECE | SYN) == ECE)
                self.assertGreater(told, 1)
                self.assertGreater(echoed, told)
                self.assertEqual(self.seen(lambda ecn, flags, length, good: good != 1), 0)

    def test_who_did_not_ask_is_not_marked(self):
        for engine in e2e.ENGINES:
            with self.subTest(engine=engine):
                self.play(engine, "network.switch.limit=100kB", tcp="")
                self.assertEqual(self.seen(lambda ecn, flags, length, good: ecn != 0 or flags & ECE != 0), 0)
                self.assertGreater(self.again, 0)

    def test_dctcp_has_ecn_wherever_it_runs(self):
        """Without a word about ECN it asks for it, and keeps the queue about its mark, where a control that halves would
        let the queue of a tenth of what it needs run dry (RFC 8257, section 1)."""
        for engine in e2e.ENGINES:
            with self.subTest(engine=engine):
                self.play(engine, "tcp.congestion=dctcp", "network.switch.mark=20kB", tcp="")
                self.assertEqual(self.seen(lambda ecn, flags, length, good: flags & (SYN | ECE) == SYN | ECE), 4)
                self.assertGreater(self.summed / FULL, 0.97)
                dctcp = self.summed
                self.play(engine, "tcp.congestion=linuxreno", "network.switch.mark=20kB")
                self.assertLess(self.summed, 0.95 * dctcp)

    def test_models_that_know_no_marks_say_so(self):
        self.write("s.yaml", SCENARIO % "")
        self.bad(2, "none that mark", "predict", "s.yaml")
