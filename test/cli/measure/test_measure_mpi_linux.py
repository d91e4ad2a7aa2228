# SPDX-License-Identifier: GPL-2.0-or-later
"""mpirun contraflow measure --mpi in virtual time: Open MPI on the kernel of `make linux`, over networks that the emulator
makes; skipped without that kernel. The same figures each time, whatever else this machine does."""
import csv
import re

import bench_measure_mpi
import e2e


class Rates(e2e.Case):
    def measured(self, *words):
        """Options of the benchmark, what the program printed, and its rates."""
        e2e.require("mpirun")
        o = bench_measure_mpi.options([str(e2e.CONTRAFLOW), "--bytes", "5000000", "--time", "2", *words])
        try:
            return o, *bench_measure_mpi.measured(o, self.dir)
        except SystemExit as e:
            if "make linux" in str(e):
                self.skipTest("no kernel of `make linux`")
            raise

    def as_emulated(self, o, rates, engine, delta):
        for pattern, ways in rates.items():
            own = bench_measure_mpi.emulated(o, self.dir, engine, pattern)
            for way, flows in ways.items():
                self.assertAlmostEqual(bench_measure_mpi.mean(flows) / bench_measure_mpi.mean(own[way]), 1, delta=delta,
                                       msg=f"{pattern} {way}")

    def table(self):
        with open(self.dir / "mpi/measured.csv") as f:
            return list(csv.DictReader(line for line in f if not line.startswith("#")))

    def test_they_are_those_of_the_same_messages_emulated(self):
        """Within 2 % of our own TCP, behind our own barrier; and where two share a direction, half a link each or a
        little more, for queues fill first: no flow has three quarters of it, as the lone one would by Eq. 5."""
        o, said, rates = self.measured("--degrees", "1/1,2/1,1/2", "--window", "400000")
        command = re.search(r"contraflow (fit --set \S+) measured\.csv", said)
        text = self.good(*command[1].split(), "mpi/measured.csv").stdout
        self.assertIn("Eq. 6, B / max(in, out)", text)
        self.assertIn("--model algorithm1", text)
        self.as_emulated(o, rates, "native", 0.02)
        for pattern in ("2/1", "1/2"):
            self.assertLess(max(rate for flows in rates[pattern].values() for rate in flows), 0.75 * o.goodput)
        self.assertEqual(len({row["window"] for row in self.table()}), 1)
        self.assertAlmostEqual(float(self.table()[0]["window"]), 400000, delta=2 * 1448)

    def test_small_windows_without_bursts(self):
        """A window of 150 kB has two bursts of segmentation offload, 64 kB. Without it: within 1.5 % of Linux's own TCP,
        of messages that are long enough for Open MPI's round trip before each."""
        o, _, rates = self.measured("--degrees", "1/1", "--window", "150000", "--no-gso", "--bytes", "10000000")
        self.as_emulated(o, rates, "linux", 0.015)

    def test_windows_that_differ_are_measured_and_explain_the_times(self):
        """Flows into the shared host have half the window of those out of it."""
        o, _, rates = self.measured("--degrees", "1/1,2/1,1/2", "--window", "400000", "--window-in", "200000")
        self.as_emulated(o, rates, "native", 0.02)
        rows = self.table()
        for row in rows:
            self.assertAlmostEqual(float(row["window"]), 200000 if row["to"] == "h0" else 400000, delta=2 * 1448)
        self.write("messages.csv", "from,to,flow,pattern,bits_per_second,window,bytes\n" + "".join(
            ",".join(row[k] for k in ("from", "to", "flow", "pattern", "bits_per_second", "window")) + f",{o.bytes}\n"
            for row in rows))
        cell, = self.json("fit", "messages.csv")["patterns"]["cells"]
        errors = {m["model"]: m["mean_abs_error"] for m in cell["models"]}
        self.assertLess(errors["window"], 0.03)
        self.assertGreater(errors["algorithm1"], 0.1)
        self.assertGreater(errors["fairness"], 0.1)
