#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The programs are built so that a mistake ends them: what readelf says of each (SECURITY.md)."""
import pathlib
import subprocess
import sys
import unittest

BUILD = pathlib.Path(sys.argv[1]).parent
SANITIZED = sys.argv[2] != "none"  # FORTIFY would blind the sanitizers
PROGRAMS = [p for p in (BUILD / f"contraflow{part}" for part in ("", "-native", "-ns3", "-linux", "-mpi")) if p.exists()]


def readelf(program, *options):
    return subprocess.run(["readelf", "-W", *options, program], capture_output=True, text=True, check=True).stdout


class Hardened(unittest.TestCase):
    def setUp(self):
        self.assertGreaterEqual(len(PROGRAMS), 2)

    def test_addresses_are_random(self):
        for program in PROGRAMS:
            if not SANITIZED:  # which nobody installs, and whose start would take a sixth longer
                self.assertRegex(readelf(program, "-h"), r"Type:\s+DYN", program)
                self.assertRegex(readelf(program, "-d"), r"FLAGS_1.*\bPIE\b", program)

    def test_tables_of_functions_are_read_only(self):
        for program in PROGRAMS:
            self.assertIn("GNU_RELRO", readelf(program, "-l"), program)
            self.assertRegex(readelf(program, "-d"), r"BIND_NOW|FLAGS_1.*\bNOW\b", program)

    def test_the_stack_runs_no_code(self):
        for program in PROGRAMS:
            self.assertRegex(readelf(program, "-l"), r"GNU_STACK\s+\S+\s+\S+\s+\S+\s+\S+\s+\S+\s+RW\s", program)

    def test_stacks_and_buffers_are_watched(self):
        for program in PROGRAMS:
            symbols = readelf(program, "--dyn-syms")
            if not SANITIZED:
                self.assertIn("__stack_chk_fail", symbols, program)
                self.assertRegex(symbols, r"__\w+_chk@", program)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
