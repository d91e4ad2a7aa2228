#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""doc/below.md has a place for every table of scripts/below, names schedules that there are, and counts the papers' points as
doc/papers.md does now. The other tables take most of an hour: `make below`.

Usage: test_below.py SOURCE_ROOT."""
import importlib.machinery
import importlib.util
import math
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv[1]).resolve()


def script():
    loader = importlib.machinery.SourceFileLoader("below", str(ROOT / "scripts/below"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("below", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


class Chapter(unittest.TestCase):
    below, text = script(), (ROOT / "doc/below.md").read_text()

    def test_every_table_has_one_place_and_is_filled(self):
        found = re.findall(r"<!-- table: (\w+) -->\n(.*?)<!-- end -->", self.text, re.S)
        self.assertEqual(sorted(name for name, _ in found), sorted(["joint", "mechanisms", "optical", "papers", "printed", "tam", "zhu",
                                                                *self.below.below_platforms.PLATFORMS]))
        for name, table in found:
            self.assertGreater(table.count("\n| "), 1, name)

    def test_schedules_that_are_named_exist(self):
        for name, _, schedule, _, _ in self.below.MECHANISMS:
            if schedule != "-":
                file, test = schedule.split(": ")
                self.assertIn(f"TEST(test_{test})", (ROOT / "test/emu" / file).read_text(), name)

    def test_points_are_counted_as_they_are_now(self):
        self.assertIn(self.below.tables({})["papers"], self.text)

    def test_every_hypothesis_of_a_table_is_one_that_is_asked(self):
        asked = set(self.below.ZHU_ALL + self.below.TAM_ALL)
        for name in ("zhu", "tam"):
            table = re.search(rf"<!-- table: {name} -->\n(.*?)<!-- end -->", self.text, re.S)[1]
            rows = re.findall(r"(?m)^\| `([^`]+)` \|", table)
            self.assertLessEqual(set(rows), asked)
            self.assertEqual(len(rows), len(self.below.ZHU_ALL if name == "zhu" else self.below.TAM_ALL))
        for name, (_, _, of) in self.below.below_platforms.PLATFORMS.items():
            table = re.search(rf"<!-- table: {name} -->\n(.*?)<!-- end -->", self.text, re.S)[1]
            self.assertEqual(set(re.findall(r"(?m)^\| (?!hypothesis)([^|:]+): ", table)), set(of), name)


class Figure8(unittest.TestCase):
    def test_patterns_have_the_sizes_that_fairness_needs(self):
        """0.851 s at 940 Mb/s are 100 MB: the most that any of four hosts sends, or gets."""
        patterns = list(script().figure8_patterns())
        self.assertEqual(len(patterns), 9)
        for sizes in patterns:
            most = [sum(int(size.removesuffix("MB")) for ends, size in sizes.items() if ends[side] == f"h{h}")
                    for side in (0, 1) for h in range(4)]
            self.assertEqual(max(most), 100, sizes)

    def test_the_likelihood_is_a_mean_over_patterns(self):
        """One of two is what was measured: half of 1 / (0.02 sqrt(2 pi)) = 9.97."""
        below = script()
        self.assertAlmostEqual(below.figure8_log([1.095, 2]), math.log(9.974), places=3)


class Platforms(unittest.TestCase):
    """What scripts/below_platforms.py makes of numbers, by hand."""
    platforms = script().below_platforms

    def test_the_signature_is_eq_5(self):
        of = self.platforms.signature(40, 4.3628, 0.00493, 8192, 8.502e-9)
        self.assertAlmostEqual(of(1e6), 1.64908745, places=6)  # doc/papers.md: by hand from the paper's formula
        self.assertAlmostEqual(of(8191), 0.0220581222, places=9)

    def test_who_all_wait_are_late(self):
        """7 messages of 16384 bytes at 100 Mb/s take 9.2 ms; half as long again and 20 ms are 33.8 ms."""
        processes = {"bin0_s": 0.01, "bin_s": 0.01, "bins": [3, 2, 0, 4, 1]}
        self.assertEqual(self.platforms.late(processes, 16384, ["network.hosts=8"]), 0.5)
        self.assertEqual(self.platforms.late({**processes, "bin0_s": 0.04}, 16384, ["network.hosts=8"]), 1)

    def test_a_point_adds_to_timeouts_and_scales_buffers(self):
        sets = ["gbn.timeout=49200us", "network.racks=[1, 8, 7]"]
        self.assertEqual(self.platforms.changed(sets, ["ticks=5000", "buffers=0.8", "gbn.ring=16"]),
                         ["gbn.timeout=54200us", "network.racks=[1, 8, 7]", "network.switch.limit=36p", "gbn.ring=16"])

    def test_the_likeliest_comes_first_and_what_is_far_off_is_in_brackets(self):
        """One figure, 0.5 +- 0.1, and 5 % of the engine: 0.5 is it, 0.9 is 3.6 deviations off: 10^(3.58^2 / 2 / ln 10) = 10^2.8
        behind."""
        self.platforms.PLATFORMS["x"] = ([("late", "", [], 0, 1, "late", 0.5, 0.1)], [], {"a": [["k=1"]], "b": [["k=2"]]})
        self.addCleanup(self.platforms.PLATFORMS.pop, "x")
        found = {"x-a-0": {"figures": {"late": 0.9}, "again": 1}, "x-b-0": {"figures": {"late": 0.5}, "again": 2}}
        measured, b, a, none = self.platforms.table("x", found, lambda head, rows: rows)
        self.assertEqual((measured[3], b[0], b[3], a[0], a[3], a[4]), ("0.50", "b: 2", "0.50", "a: 1", "(0.90)", "0 of 1"))
        self.assertEqual((b[2], a[2], none[0]), ("0.0", "-2.8", "none of these"))
        self.assertIsNone(self.platforms.table("x", {}, None))


unittest.main(argv=sys.argv[:1], verbosity=2)
