#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/experiment: the plan is balanced and its own, and the analysis finds what emulated blocks have."""
import csv
import io
import re
import subprocess
import sys

import e2e

SCRIPT = e2e.ROOT / "scripts/experiment"


class Experiment(e2e.Case):
    def script(self, *words):
        return subprocess.run([sys.executable, SCRIPT, *map(str, words)], cwd=self.dir, capture_output=True, text=True,
                              check=True).stdout

    def plan(self, seed, fours):
        text = self.script("plan", seed, fours)
        return text, list(csv.DictReader(io.StringIO(text)))

    def test_each_pair_of_settings_comes_once_in_four(self):
        text, rows = self.plan(7, 5)
        self.assertEqual(text, self.plan(7, 5)[0])
        self.assertNotEqual([r["queue"] for r in rows], [r["queue"] for r in self.plan(8, 5)[1]])
        for four in range(5):
            settings = {(r["queue"], r["offloads"]) for r in rows if int(r["four"]) == four}
            self.assertEqual(len(settings), 4)
        for r in rows:  # within its block of 60 s: after 15 s, for 20 s
            self.assertTrue(15 <= float(r["capture_at_s"]) - float(r["begins_s"]) <= 40, r)

    def test_the_effect_of_the_queue_is_found_and_that_of_nothing_is_not(self):
        """2 in, 1 out: by Eq. 6 three halves of B with FIFO queues, two of B, less ACKs, without ACKs that wait: a third
        more. Offloads change nothing here. Of the four ways to put signs to two fours two are as far off: half of them."""
        text, rows = self.plan(1, 2)
        self.write("plan.csv", text)
        for r in rows:
            self.good("run", "star", "-o", "r", "--quiet", "--seed", int(r["block"]) + 1, "--set", f"network.nic.queue={r['queue']}",
                      "--set", f"network.switch.queue={r['queue']}", "--set", "tcp.window=500kB", "--set", "duration=1s",
                      "--set", "network.link.rate=100Mbps")
            (self.dir / "r/h0.pcap").rename(self.dir / f"{r['block']}.pcap")
        out = self.script("judge", e2e.CONTRAFLOW, "plan.csv", ".")
        queue = re.search(r"ACKs first over FIFO: ([+-][0-9.]+) %, by chance ([0-9.]+), 2 fours", out)
        self.assertAlmostEqual(float(queue[1]), 100 / 3, delta=4)
        self.assertEqual(float(queue[2]), 0.5)
        self.assertLess(abs(float(re.search(r"offloads off over on: ([+-][0-9.]+) %", out)[1])), 1)
        self.assertIn("check of fifo: yes 4", out)
        self.assertIn("check of ack-first: no 4", out)


if __name__ == "__main__":
    e2e.main()
