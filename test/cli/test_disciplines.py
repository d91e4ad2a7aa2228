#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What queue disciplines do to a standing queue, end to end."""
import csv

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


if __name__ == "__main__":
    e2e.main()
