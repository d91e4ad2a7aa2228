#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What is printed, typed as it is printed, brings what was said: one line, in the kernel that `make linux` has built
(test/corpus/strangers.py has more)."""
import sys

import e2e

sys.path.insert(0, str(e2e.ROOT / "test/corpus"))
import strangers  # noqa: E402


class Stranger(e2e.Case):
    def test_what_is_printed_brings_what_was_said(self):
        kernel = strangers.strangers_kernel()
        if not kernel:
            self.skipTest("no kernel of `make linux`")
        line = next(line for line in strangers.LINES if line[:2] == (20, 2))
        found = strangers.strangers_run(kernel, e2e.CONTRAFLOW, e2e.ROOT, self.dir / "line", line)
        self.assertEqual(found.get("answer"), "yes", found)
        self.assertLess(abs(strangers.strangers_off(found)), strangers.WITHIN, found)


if __name__ == "__main__":
    e2e.main()
