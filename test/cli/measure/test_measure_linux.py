# SPDX-License-Identifier: GPL-2.0-or-later
"""contraflow measure where truth is known and time is virtual: both ends on the kernel of `make linux`, over networks
that the emulator makes. The same answer each time, whatever else this machine does; skipped without that kernel."""

import bench_measure
import e2e
import paths


def path(into, out, **more):
    return {"seed": 1, "congestion": "cubic", "in": into, "out": out, **more}


class Answers(e2e.Case):
    def resource(self, p):
        r = bench_measure.measure_linux(e2e.CONTRAFLOW, p, "20s")
        if isinstance(r, str) and "make linux" in r:
            self.skipTest("no kernel of `make linux`")
        self.assertNotIsInstance(r, str, r)
        return r

    def test_acks_wait_in_an_uplink_and_order_brings_it_back(self):
        """20 down, 2 up, 64 kB before the uplink: an ACK waits behind up to 260 ms of data. Paced, nothing waits."""
        ways = paths.way(20, 100000), paths.way(2, 64000)
        r = self.resource(path(*ways))
        d, phases = r["diagnosis"], r["measured"]["phases"]
        self.assertEqual((d["asymmetry"], d["cause"]), ("yes", "rate_asymmetry_acks"))
        self.assertGreater(d["lost_share"]["in"], 0.7)
        self.assertGreater(d["ack_wait_s"]["in"], 0.15)
        self.assertLess(d["ack_wait_s"]["out"], 0.02)
        self.assertGreater(phases["paced"]["in"]["rate_bps"]["value"], 0.85 * phases["in"]["in"]["rate_bps"]["value"])
        first = self.resource(bench_measure.acks_first(path(*ways)))
        self.assertNotEqual(first["diagnosis"]["asymmetry"], "yes")
        self.assertGreater(first["measured"]["phases"]["both"]["in"]["rate_bps"]["value"], 17e6)

    def test_turns_lose_nothing(self):
        r = self.resource(path(paths.way(10, 60000, "fair"), paths.way(5, 60000, "fair")))
        self.assertEqual((r["diagnosis"]["asymmetry"], r["diagnosis"]["cause"]), ("no", "full"))

    def test_windows_alone(self):
        """60 kB of buffer in 60 ms are 8 Mb/s of 50: nothing waits anywhere."""
        r = self.resource(path(paths.way(50, 300000, delay=0.03), paths.way(50, 300000, delay=0.03), window=60000))
        self.assertEqual((r["diagnosis"]["asymmetry"], r["diagnosis"]["cause"]), ("no", "window"))

    def test_a_shared_backplane(self):
        r = self.resource(path(paths.way(10, 60000), paths.way(10, 60000), shared=True))
        self.assertEqual((r["diagnosis"]["asymmetry"], r["diagnosis"]["cause"]), ("no", "shared_medium"))
        self.assertEqual(r["diagnosis"]["lost_share"]["total"], 0)
