# SPDX-License-Identifier: GPL-2.0-or-later
"""contraflow predict timers: Tam 2001, section 4.3.4 and Eq. 6.2, by hand, and its windows against emulated drops."""
import json

import e2e

GIVEN = ("predict", "timers", "--rate", "100Mbps", "--rtt", "300us", "--buffer", "95p", "--hosts", 15)


class Timers(e2e.Case):
    def test_an_emulated_port_loses_from_the_next_window_on(self):
        # Empty round trip: a packet on two wires, 2 * 123.04, its ACK likewise, 2 * 6.72, the switch twice, 2 * 18,
        # four links' delay and 3 us of the hosts. 15 hosts over long links overflow it at once, the others later.
        for hosts, delay_us, packets in ((15, 1, 6), (15, 1000, 6), (3, 1, 32), (3, 1000, 43)):
            rtt = 2 * 123.04 + 2 * 6.72 + 2 * 18 + 4 * delay_us + 3
            said = self.json(*GIVEN, "--hosts", hosts, "--rtt", f"{rtt:.2f}us")
            self.assertEqual(said["lossless_packets"], packets)
            for window, lost in ((packets, False), (packets + 1, True)):
                out = f"{hosts}-{delay_us}-{window}"
                self.run_scenario(e2e.ROOT / "scenarios/tam-output.yaml", "duration=2s", "warmup=1s", "gbn.jitter=0",
                                  "gbn.send_gap=123.04us", "gbn.send_overhead=1us", "gbn.receive_overhead=1us",
                                  "gbn.user_overhead=1us", f"gbn.window={window}", f"traffic.star.incoming={hosts}",
                                  f"network.link.delay={delay_us}us", output=out)
                ports = json.loads((self.dir / out / "summary.json").read_text())["ports"]
                self.assertEqual(sum(port["dropped_frames"] for port in ports) > 0, lost, out)

    def test_timeouts_and_what_to_type(self):
        # 95 * 123.04 us = 11.6888 ms; times e 31.773, times e^2 86.369; less 0.3 and rounded up 87
        said = self.json(*GIVEN, "--window", "24p")
        for key, ms in (("output_low_s", 31.773), ("output_high_s", 86.369), ("drained_s", 11.989)):
            self.assertAlmostEqual(said[key] * 1e3, ms, 3)
        self.assertEqual((said["linux"], said["rto_min_ms"], said["hosts_that_fit"]), ("too long", 87, 4))
        self.assertAlmostEqual(said["excess_packets"], 15 * 24 - 300 / 123.04 - 95, 6)
        text = self.good(*GIVEN).stdout
        self.assertIn("rto_min 87ms", text)
        self.assertIn("tcp_rto_min_us=87000", text)
        # 400 packets: 133.8 to 363.7 ms; 1000: from 334.5
        self.assertNotIn("rto_min", self.good(*GIVEN, "--buffer", "400p").stdout)
        text = self.good(*GIVEN, "--buffer", "1000p").stdout
        self.assertIn("rto_min 909ms", text)
        self.assertNotIn("sysctl", text)

    def test_global_window(self):
        # Section 6.2.2: 4x4 and B_L = 30: nu 3.2, W_g 9. One switch: 95 / 15 = 6.33
        said = self.json(*GIVEN, "--buffer", "30p", "--hosts", 16, "--switches", 4)
        self.assertEqual((said["packets_per_step"], said["global_window_packets"]), (3.2, 9))
        self.assertEqual(self.json(*GIVEN)["global_window_packets"], 6)

    def test_sizes_in_bytes(self):
        # A packet of 1538 bytes takes 1518 of the buffer and carries 1448.
        said = self.json(*GIVEN, "--buffer", 15180, "--window", 14480)
        self.assertEqual((said["buffer_packets"], said["window_packets"]), (10, 10))

    def test_bad_options_are_named(self):
        self.bad(2, "--rtt is missing", "predict", "timers", "--rate", "1Gbps")
        self.bad(2, ["--buffer", "95x"], *GIVEN, "--buffer", "95x")
        self.bad(2, "--switches", *GIVEN, "--switches", 4)
        self.bad(2, "hosts: -1", *GIVEN, "--hosts", -1)
        self.bad(2, "--packet", *GIVEN, "--packet", 90)
        self.bad(2, "'x' is not an option", *GIVEN, "x")
