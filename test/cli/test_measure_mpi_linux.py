#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""mpirun contraflow measure --mpi in virtual time: Open MPI on the kernel of `make linux`, over networks that the emulator
makes; skipped without that kernel. The same figures each time, whatever else this machine does."""
import re
import unittest

import bench_measure_mpi
import e2e


class Rates(e2e.Case):
    def test_they_are_those_of_the_same_messages_emulated(self):
        """Two in and one out, and one in and two out: within 3 % of our own TCP, behind our own barrier; and half a link
        each or a little more, for queues fill first: no flow has three quarters of it, as the lone one would by
        Eq. 5."""
        e2e.require("mpirun")
        o = bench_measure_mpi.options([str(e2e.CONTRAFLOW), "--degrees", "2/1,1/2", "--bytes", "5000000",
                                       "--window", "400000"])
        try:
            said, rates = bench_measure_mpi.measured(o, self.dir)
        except SystemExit as e:
            if "make linux" in str(e):
                self.skipTest(str(e))
            raise
        command = re.search(r"contraflow (fit --set \S+) measured\.csv", said)
        text = self.good(*command[1].split(), "mpi/measured.csv").stdout
        self.assertIn("Eq. 6, B / max(in, out)", text)
        self.assertIn("--model algorithm1", text)
        for pattern, ways in rates.items():
            own = bench_measure_mpi.emulated(o, self.dir, "native", pattern)
            for way, flows in ways.items():
                self.assertAlmostEqual(bench_measure_mpi.mean(flows) / bench_measure_mpi.mean(own[way]), 1, delta=0.03,
                                       msg=f"{pattern} {way}")
                self.assertLess(max(flows), 0.75 * o.goodput)


if __name__ == "__main__":
    e2e.main()
