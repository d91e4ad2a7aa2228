#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The native engine compiled with -O0, or -O3, does the same to the last byte as the one that runs, losses, captures and all.
usage: test_determinism.py OTHER NATIVE CONTRAFLOW"""
import csv
import filecmp
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAMS, CONTRAFLOW = sys.argv[1:3], sys.argv[3]
if not pathlib.Path(PROGRAMS[0]).exists():
    subprocess.run(["meson", "compile", "-C", pathlib.Path(PROGRAMS[1]).resolve().parent,
                    f"{pathlib.Path(PROGRAMS[0]).name}:executable"], check=True)
SCENARIO = """duration: 400ms
warmup: 100ms
network: {hosts: 6, switch: {limit: 150kB}}
tcp: {congestion: %s, window: 2MB, sack: %s}
traffic: {star: {incoming: 3, outgoing: 2}}
capture: [{at: h0}, {at: sw0-h0, format: pcapng}]
"""


class Determinism(unittest.TestCase):
    def same(self, congestion, sack):
        with tempfile.TemporaryDirectory(prefix="contraflow-test-") as work:
            work = pathlib.Path(work)
            (work / "s.yaml").write_text(SCENARIO % (congestion, sack))
            resolved = subprocess.run([CONTRAFLOW, "predict", work / "s.yaml", "--yaml"], check=True,
                                      capture_output=True).stdout
            runs = []
            for program in PROGRAMS:
                directory = work / pathlib.Path(program).name
                directory.mkdir()
                (directory / "scenario.yaml").write_bytes(resolved)
                subprocess.run([program, directory], check=True, capture_output=True)
                runs.append(directory)
            names = sorted(p.name for p in runs[0].iterdir())
            self.assertEqual(names, sorted(p.name for p in runs[1].iterdir()))
            self.assertIn("h0.pcap", names)
            with open(runs[0] / "flows.csv", newline="") as f:
                self.assertGreater(sum(int(row["retransmitted_segments"]) for row in csv.DictReader(f)), 0)
            _, different, errors = filecmp.cmpfiles(*runs, names, shallow=False)
            self.assertEqual((different, errors), ([], []))

    def test_newreno(self):
        self.same("newreno", "true")

    def test_newreno_without_sack(self):
        self.same("newreno", "false")

    def test_cubic(self):
        self.same("cubic", "true")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
