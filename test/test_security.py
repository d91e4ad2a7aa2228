#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""SECURITY.md: each promise has tests that are there, and that a build runs; its table is that of promises.tsv.

Usage: test_security.py SOURCE_ROOT [write]. With 'write' it makes the table anew."""
import csv
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv[1])
PAGE, MARKS = ROOT / "SECURITY.md", ("<!-- promises: begin -->\n", "<!-- promises: end -->\n")
BUILD = (ROOT / "test/cli/meson.build").read_text()
PROMISED = PAGE.read_text().split("## Promised")[1].split("## What it may cost")[0]


def rows():
    """Promise -> [(file, [what is in it])], in order."""
    found = {}
    with open(ROOT / "test/promises.tsv", newline="") as f:
        for row in csv.DictReader((line for line in f if line[0] != "#"), delimiter="\t"):
            found.setdefault(row["promise"], []).append((row["file"], row["tests"].split()))
    return found


def table():
    lines = ["| promise | held by |", "|---|---|"]
    for promise, cell in rows().items():
        what = "what it may cost" if promise == "cost" else promise
        lines.append(f"| {what} | " + ", ".join(" ".join([f"`{path}`", *names]) for path, names in cell) + " |")
    return "".join(line + "\n" for line in lines)


class Security(unittest.TestCase):
    def test_each_promise_is_held_by_a_test(self):
        promises = [int(n) for n in re.findall(r"^(\d+)\. ", PROMISED, re.M)]
        self.assertEqual(promises, list(range(1, len(promises) + 1)))
        self.assertEqual(list(rows()), [*map(str, promises), "cost"])

    def test_the_table_is_that_of_the_list(self):
        self.assertEqual(PAGE.read_text().split(MARKS[0])[1].split(MARKS[1])[0], table(), "test/test_security.py . write")

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
                    builds = [p.read_text()
                              for p in (source.parent / "meson.build", source.parent.parent / "meson.build",
                                        ROOT / "test/meson.build") if p.exists()]
                    self.assertTrue(any(re.search(rf"\b{stem}\b", build) for build in builds), stem)

    def test_tests_of_hostile_input_hold_a_promise(self):
        """A file of the suite `hostile` that no promise names is one that nobody has thought of."""
        named = {pathlib.PurePath(path).name for cell in rows().values() for path, _ in cell}
        for name in re.findall(r"'(\w+)': \['hostile'\]", re.search(r"suites = (\{.*?\})", BUILD, re.S)[1]):
            self.assertIn(f"test_{name}.py", named)


if __name__ == "__main__":
    if sys.argv[2:] == ["write"]:
        before, after = PAGE.read_text().split(MARKS[0])[0], PAGE.read_text().split(MARKS[1])[1]
        PAGE.write_text(before + MARKS[0] + table() + MARKS[1] + after)
    else:
        unittest.main(argv=sys.argv[:1], verbosity=2)
