#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""SECURITY.md: each promise has tests that are there, and that a build runs."""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv[1])
TEXT = (ROOT / "SECURITY.md").read_text()
PROMISED = TEXT.split("## Promised")[1].split("## What it may cost")[0]


def rows():
    """Promise -> [(file, [what is in it])]."""
    found = {}
    for number, cell in re.findall(r"^\| (\d+) \| (.+) \|$", PROMISED, re.M):
        found[int(number)] = [(path, names.split()) for path, names in re.findall(r"`([^`]+)`([^`,]*)", cell)]
    return found


class Security(unittest.TestCase):
    def test_each_promise_is_held_by_a_test(self):
        promises = [int(n) for n in re.findall(r"^(\d+)\. ", PROMISED, re.M)]
        self.assertEqual(promises, list(range(1, len(promises) + 1)))
        self.assertEqual(sorted(rows()), promises)
        self.assertTrue(all(rows().values()))

    def test_those_tests_are_there_and_run(self):
        for number, cell in rows().items():
            for path, names in cell:
                with self.subTest(promise=number, path=path):
                    source = ROOT / path
                    self.assertTrue(source.is_file())
                    text = source.read_text()
                    for name in names:
                        self.assertRegex(text, rf"(?m)^\s*(def|class|static void) {name}\b")
                        if source.suffix == ".c":
                            self.assertRegex(text, rf"cmocka_unit_test\w*\({name}\b")
                    stem = source.stem.removeprefix("test_")
                    builds = [p.read_text() for p in (source.parent / "meson.build", ROOT / "test/meson.build") if p.exists()]
                    self.assertTrue(any(re.search(rf"\b{stem}\b", build) for build in builds), stem)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
