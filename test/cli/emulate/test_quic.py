# SPDX-License-Identifier: GPL-2.0-or-later
"""transport: quic on a line: what fits is what headers leave, fewer ACKs win what they took, captures say QUIC."""
import re

import e2e

LINE = """duration: 12s
warmup: 3s
network: {link: {rate: 100Mbps, delay: 1ms}}
tcp: {window: 1MB}
transport: quic
"""
STAR = LINE + "traffic: {star: {incoming: %d, outgoing: %d}}\n"
BACK = LINE.replace("network: {", "network: {topology: graph, links: [{from: h1, to: s}, {from: s, to: h0, back: {rate: "
                    "1Mbps}}], ") + "traffic: {flows: [{from: h1, to: h0}]}\n"
FULL = 1538       # on the wire, of a packet of 1500 bytes of IP
STREAM = 1437     # 1500 less IP and UDP 28, flags 1, connection ID 8, number 4, tag 16, STREAM frame 6
# Of an ACK: 28, the same 29, and a frame of type 1, count 1, largest number 4 (from 2^14 on), delay and range 1 or 2 each;
# on the wire 38 more.
ACK = 28 + 29 + 6 + 3 + 38


class Quic(e2e.Case):
    def rates(self, text, *sets, output="out"):
        self.write("s.yaml", text)
        return [float(f["steady_goodput_bps"]) / 1e6 for f in self.run_scenario("s.yaml", *sets, output=output)]

    def test_a_lone_flow_has_what_headers_leave(self):
        rate, = self.rates(STAR % (1, 0))
        self.assertAlmostEqual(rate / (100 * STREAM / FULL), 1, delta=0.001)

    def test_fewer_acks_leave_their_room_to_data_both_ways(self):
        """A full line each way: x (FULL + ACK / n) / STREAM is its rate."""
        for n in (1, 2, 5, 10, 20):
            with self.subTest(n=n):
                for rate in self.rates(STAR % (1, 1), f"tcp.delayed_ack={n}"):
                    self.assertAlmostEqual(rate / (100 * STREAM / (FULL + ACK / n)), 1, delta=0.002)

    def test_the_window_law_holds_whatever_the_number_of_acks(self):
        """Two in, one out, equal windows, FIFO: each gets what each of the two gets, as the lone one's ACKs wait behind
        them (Zhu et al. 2014, Eq. 6)."""
        for n in (2, 10):
            with self.subTest(n=n):
                there, also, alone = self.rates(STAR % (2, 1), f"tcp.delayed_ack={n}")
                share = 100 * STREAM / (2 * FULL + ACK / n)
                for rate in (there, also, alone):
                    self.assertAlmostEqual(rate / share, 1, delta=0.005)

    def test_a_way_back_of_one_megabit_carries_so_many_acks(self):
        """The download gets n packets for each ACK that fits, until the line is full."""
        for n in (2, 4, 5, 10):
            with self.subTest(n=n):
                rate, = self.rates(BACK, f"tcp.delayed_ack={n}")
                self.assertAlmostEqual(rate / min(1 / ACK * n * STREAM, 100 * STREAM / FULL), 1, delta=0.02)

    def test_acks_first_spare_them_and_nothing_else(self):
        """Both directions have a link to themselves; no packet overtakes another of its own sender."""
        for rate in self.rates(STAR % (1, 1), "network.nic.queue=ack-first", "network.switch.queue=ack-first",
                               "tcp.delayed_ack=10"):
            self.assertAlmostEqual(rate / (100 * STREAM / (FULL + ACK / 10)), 1, delta=0.002)
        there, also, alone = self.rates(STAR % (2, 1), "network.nic.queue=ack-first", "network.switch.queue=ack-first",
                                        "tcp.initial_window=10")
        self.assertGreater(alone, 0.98 * (there + also))
        self.assertEqual({f["retransmitted_segments"] for f in self.flows()}, {"0"})

    def test_a_capture_says_quic_and_whose_acks_wait(self):
        self.rates("duration: 10s\nnetwork: {link: {rate: 50Mbps, delay: 2ms}}\ntcp: {window: 500kB}\n"
                   "traffic: {flows: [{from: h1, to: h0}, {from: h0, to: h2, transport: quic}]}\ncapture: [{at: h0}]\n")
        said = self.good("check", "out/h0.pcap").stdout
        self.assertRegex(said, r"beside TCP: QUIC 10.0.0.1:49153 > 10.0.0.3:443: 48\.\d+ Mb/s out on the wire, 97 % of what")
        self.assertRegex(said, r"ACKs of incoming TCP data wait \d+\.\d ms in the queue that it passes")

    def test_a_capture_of_nothing_but_quic_says_who_fills_the_link(self):
        """Two in, one out: of the shared host, each flow in has half of what comes, the lone one what leaves but ACKs."""
        self.rates(STAR % (2, 1) + "capture: [{at: h0}]\n")
        said = self.call("check", "out/h0.pcap")
        self.assertEqual(said.returncode, 4)
        self.assertIn(": host 10.0.0.1: cannot tell: ", said.stdout)
        beside = re.findall(r"beside TCP: QUIC (\S+) > (\S+): [\d.]+ Mb/s (in|out) on the wire, (\d+) %", said.stdout)
        self.assertEqual([flow for flow in beside if int(flow[3]) < 45], beside[3:])
        self.assertEqual({flow[:3] for flow in beside[:3]}, {("10.0.0.1:49154", "10.0.0.4:443", "out"),
                         ("10.0.0.2:49152", "10.0.0.1:443", "in"), ("10.0.0.3:49153", "10.0.0.1:443", "in")})
        resource, = self.json("check", "out/h0.pcap")["resources"]
        self.assertEqual(len(resource["diagnosis"]["beside"]), 4)
        self.bad(2, "no host has a bulk flow that could be judged", "remedy", "out/h0.pcap")
        self.bad(2, "nothing can be compared", "compare", "out/h0.pcap", "out/h0.pcap")

    def advice(self, text):
        """The lines `what to do` and `try` of a run, and what its engine says the latter wins."""
        before = self.rates(text)
        said = self.call("check", "out").stdout
        what, command = re.search("what to do: (.*)", said)[1], re.search("try: contraflow (.*)", said)[1].split()
        self.good(*command, "-q")
        after = [float(f["steady_goodput_bps"]) / 1e6 for f in self.flows(command[3])]
        return said, what, command, sum(after) - sum(before)

    def test_fewer_acks_are_advised_where_they_win(self):
        """ACKs alone fill 1 Mb/s back: 27.6 Mb/s pass with one for two, and one for ten lets 93.4 pass, the line."""
        said, what, command, won = self.advice(BACK)
        self.assertIn("why: the way back is full of ACKs alone", said)
        self.assertEqual(command[4:], ["--set", "tcp.delayed_ack=10"])
        wins = float(re.search(r"ACK_FREQUENCY\), which wins another ([\d.]+) Mb/s", what)[1])
        self.assertAlmostEqual(wins / won, 1, delta=0.01)
        self.assertAlmostEqual(won / (100 * STREAM / FULL - 1 / ACK * 2 * STREAM), 1, delta=0.02)

    def test_what_cannot_see_acks_is_not_advised_and_fewer_win_nothing(self):
        """Two in, one out, as fast both ways: the window law holds whatever their number, and by turns each flow has its
        direction. Fewer spare 104 bytes in 2 x 1538, less than the 5 % of a yes."""
        said, what, command, won = self.advice(STAR % (2, 1))
        self.assertRegex(said, ": yes: ")
        self.assertRegex(what, "serve flows by turns in the queue towards h0; .* fq_codel")
        self.assertNotIn("ACK_FREQUENCY", self.call("remedy", "out").stdout)
        self.assertNotIn("ack-filter", self.call("remedy", "out").stdout)
        self.assertEqual(command[4:], ["--set", "network.nic.queue=fair", "--set", "network.switch.queue=fair"])
        carried, possible = map(float, re.search(r"yes: ([\d.]+) of ([\d.]+) Mb/s", said).groups())
        self.assertAlmostEqual(won / (possible - carried), 1, delta=0.02)
        self.bad(2, "the flows of host h0 are QUIC's", "remedy", "out", "--script")

    def test_what_was_written_runs_again(self):
        flows = "traffic: {flows: [{from: h1, to: h0}, {from: h0, to: h2, transport: tcp}]}\n"
        before = self.rates(LINE + flows)
        self.run_scenario("out/scenario.yaml", output="again")
        self.assertEqual((self.dir / "out/flows.csv").read_text(), (self.dir / "again/flows.csv").read_text())
        self.assertNotEqual(before[0], before[1])
        self.assertIn("delayed_ack_timeout: 25ms", (self.dir / "out/scenario.yaml").read_text())

    def test_who_cannot_says_so(self):
        self.bad(2, "traffic.collective: is for TCP; the transport is quic", "run", "allreduce-ring", "--set",
                 "transport=quic")
        self.write("s.yaml", STAR % (1, 1))
        for sets, words in ((["engine=ns3"], "ns3 has no QUIC (transport); use native"),
                            (["tcp.congestion=dctcp"], "no ECN in QUIC"),
                            (["tcp.ecn=true"], "no ECN in QUIC"),
                            (["tcp.segment=1175"], "a segment of 1175 bytes makes packets shorter than QUIC's, which have "
                                                   "1200 bytes at least; 1176 or more")):
            self.bad(2, words, "run", "s.yaml", "-o", "o", *[x for s in sets for x in ("--set", s)])

    def test_what_waits_for_messages_has_them(self):
        """Of pairs, both ways on one connection, one message after the other, each of 100 kB."""
        self.write("s.yaml", LINE + "traffic: {barrier: true, flows: [{from: h1, to: h0, bytes: 100kB, repeat: 50, duplex: true}, "
                                    "{from: h2, to: h0, bytes: 100kB, repeat: 50}]}\n")
        self.run_scenario("s.yaml")
        self.assertEqual([(f["bytes"], f["messages"]) for f in self.flows()], [("5000000", "50")] * 2)
