#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""doc/below.md has a place for every table of scripts/below, names schedules that there are, and counts the papers' points as
doc/papers.md does now. The other tables take most of an hour: `make below`.

Usage: test_below.py SOURCE_ROOT."""
import importlib.machinery
import importlib.util
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
        self.assertEqual(sorted(name for name, _ in found), ["joint", "mechanisms", "optical", "papers", "printed", "tam", "zhu"])
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


unittest.main(argv=sys.argv[:1], verbosity=2)
