# SPDX-License-Identifier: GPL-2.0-or-later
"""What is printed, typed as it is printed, brings what was said: one line, in the kernel that `make linux` has built
(test/corpus/strangers.py has more)."""
import sys

import e2e

sys.path.insert(0, str(e2e.ROOT / "test/corpus"))
import strangers  # noqa: E402


class Stranger(e2e.Case):
    def kernel(self):
        return strangers.strangers_kernel() or self.skipTest("no kernel of `make linux`")

    def test_offloads_on_and_off_have_one_answer(self):
        """50 Mb/s each way, two flows in and one out, equal windows: the lone one has half of what goes in, and its
        direction half of what it could (Zhu et al. 2014, Eq. 6), 25 % of all."""
        line = next(line for line in strangers.LINES if line[:2] == (50, 50))
        off, on = (strangers.strangers_judged(self.kernel(), e2e.CONTRAFLOW, e2e.ROOT, self.dir / name, line, name == "on")
                   for name in ("off", "on"))
        self.assertEqual(off["offloads"]["in"]["longest_bytes"], 0)
        self.assertGreater(on["offloads"]["in"]["share"], 0.9)
        for d in (off, on):
            self.assertEqual((d["asymmetry"], d["cause"]), ("yes", "acks_behind_data"))
            self.assertAlmostEqual(d["lost_share"]["total"], 0.25, delta=0.03)

    def test_what_is_printed_brings_what_was_said(self):
        kernel = self.kernel()
        line = next(line for line in strangers.LINES if line[:2] == (20, 2))
        found = strangers.strangers_run(kernel, e2e.CONTRAFLOW, e2e.ROOT, self.dir / "line", line)
        self.assertEqual(found.get("answer"), "yes", found)
        self.assertLess(abs(strangers.strangers_off(found)), strangers.WITHIN, found)
