# SPDX-License-Identifier: GPL-2.0-or-later
"""What queue disciplines do to a standing queue, end to end."""
import csv
import json

import e2e

STAR = e2e.ROOT / "scenarios/star.yaml" if e2e.ROOT else None
RATE = 100e6


class CoDel(e2e.Case):
    def queue_ms(self, *sets, options=()):
        """Mean wait in the port towards h0, which four flows fill, and the bandwidth they get."""
        self.run_scenario(STAR, "network.link={rate: 100Mbps, delay: 5ms}", "capture=[]", "duration=6s", "warmup=2s",
                          "traffic.star.incoming=4", "traffic.star.outgoing=0", "tcp.initial_window=10", *sets,
                          options=options)
        rows = csv.DictReader(line for line in (self.dir / "out/queues.csv").open() if line[0] != "#")
        depths = [float(row["depth_bytes"]) for row in rows if row["port"] == "sw0-h0" and float(row["time_s"]) >= 2]
        self.assertGreater(len(depths), 100)
        return (sum(depths) / len(depths) * 8 / RATE * 1e3,
                sum(float(flow["steady_goodput_bps"]) for flow in self.flows()))

    def near_the_target(self, congestion, options=()):
        wait_ms, goodput_bps = self.queue_ms("network.switch.queue=codel", "network.nic.queue=codel",
                                             f"tcp.congestion={congestion}", options=options)
        self.assertTrue(2.5 < wait_ms < 7.5, wait_ms)  # the target is 5 ms
        self.assertGreater(goodput_bps, 0.93 * RATE)   # and the link stays busy: 94.1 Mb/s are all there is

    def test_the_queue_stands_near_the_target(self):
        self.near_the_target("newreno")
        self.near_the_target("cubic")
        wait_ms, _ = self.queue_ms("tcp.congestion=newreno")
        self.assertGreater(wait_ms, 500)  # without it, 4 windows of 3 MB less what is on its way: 960 ms

    @e2e.needs_engine
    def test_ns3_runs_the_same_queue(self):
        self.near_the_target("newreno", ("--engine", "ns3"))

    def test_models_of_full_buffers_refuse_it(self):
        self.bad(2, ["fifo and ack-first", "codel"], "predict", STAR, "--set", "network.nic.queue=codel")


class Others(e2e.Case):
    """Two flows into a host of 100 Mb/s and one out of it; what a segment takes of a full link is 1448 of 1538 bytes."""
    ALL = 100 * 1448 / 1538

    def rates(self, *sets, options=()):
        self.run_scenario(STAR, "network.link={rate: 100Mbps, delay: 1ms}", "capture=[]", "duration=3s", "warmup=1s",
                          "tcp.window=300kB", "tcp.congestion=newreno", *sets, options=options)
        return [float(flow["steady_goodput_bps"]) / 1e6 for flow in self.flows()]

    def at_ports(self, *keys):
        return [f"network.{place}.{key}" for place in ("nic", "switch") for key in keys]

    def dropped(self):
        return sum(p["dropped_frames"] for p in json.loads((self.dir / "out/summary.json").read_text())["ports"])

    def test_an_ack_filter_gives_the_room_of_acks_to_data(self):
        """In plain the two have the link less the ACKs of the third, one of 90 bytes for two of its segments."""
        a, b, back = self.rates()
        self.assertAlmostEqual(a + b, self.ALL * (1 - back / 2 / 1448 * 90 / 100), delta=0.2)
        self.assertEqual(self.dropped(), 0)
        a, b, _ = self.rates(*self.at_ports("queue=ack-filter"))
        self.assertGreater(a + b, 0.995 * self.ALL)
        self.assertGreater(self.dropped(), 1000)                                              # ACKs,
        self.assertEqual(sum(int(f["retransmitted_segments"]) for f in self.flows()), 0)      # no data

    def test_classes_are_served_as_they_are_told(self):
        flows = ("traffic={flows: [{from: h1, to: h0, class: 1}, {from: h2, to: h0}, {from: h3, to: h0, class: 2}]}",
                 "tcp.window=200kB")
        first, before, last = self.rates("network.switch.queue=prio", *flows)
        self.assertAlmostEqual(before, self.ALL, delta=1)
        self.assertLess(first + last, 1)
        rates = self.rates("network.switch.queue=drr", "network.switch.quanta=[6056B, 3028B, 1514B]", *flows)
        for rate, share in zip(rates, (2 / 7, 4 / 7, 1 / 7)):
            self.assertAlmostEqual(rate, share * self.ALL, delta=0.5)

    def test_classes_of_datagrams(self):
        """60 Mb/s of frames that answer nothing leave 40 to TCP if they go first."""
        for mbps, left in ((60, 40), (90, 10)):
            (rate,) = self.rates("network.switch.queue=prio", "network.hosts=3", "traffic={flows: [{from: h1, to: h0, class: 1}], "
                                 f"datagrams: [{{from: h2, to: h0, rate: {mbps}Mbps}}]}}", "tcp.window=100kB")
            self.assertAlmostEqual(rate, left * 1448 / 1538, delta=1)

    def test_a_token_bucket_shapes_and_polices(self):
        keys = ("rate=50Mbps", "burst=20kB")
        one = ("traffic={flows: [{from: h1, to: h0}]}", "network.link.delay=100us")
        (rate,) = self.rates("network.switch.queue=tbf", *(f"network.switch.{key}" for key in keys), *one)
        self.assertAlmostEqual(rate, 50 * 1448 / 1514, delta=0.1)
        self.assertEqual(self.dropped(), 0)
        (rate,) = self.rates("network.switch.queue=policer", *(f"network.switch.{key}" for key in keys), *one)
        self.assertTrue(25 < rate < 50, rate)  # a sawtooth below it
        self.assertGreater(self.dropped(), 10)

    @e2e.needs_engine
    def test_ns3_runs_the_same_filter(self):
        ours = self.rates(*self.at_ports("queue=ack-filter"))
        theirs = self.rates(*self.at_ports("queue=ack-filter"), options=("--engine", "ns3"))
        for a, b in zip(ours, theirs):
            self.assertAlmostEqual(a, b, delta=0.02 * b)

    def test_models_refuse_what_they_do_not_know(self):
        for key in ("prio", "drr", "ack-filter", "red", "fq_codel"):
            self.bad(2, ["fifo and ack-first", key], "predict", STAR, "--set", f"network.nic.queue={key}")
