#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""SECURITY.md: each promise and each command's cost has tests that are there, and that a build runs; its tables are those of
promises.tsv and costs.tsv.

Usage: test_security.py SOURCE_ROOT [write]. With 'write' it makes the tables anew."""
import csv
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv[1])
PAGE = ROOT / "SECURITY.md"
BUILD = (ROOT / "test/cli/meson.build").read_text()
PROMISED = PAGE.read_text().split("## Promised")[1].split("## What it may cost")[0]


def listed(name):
    with open(ROOT / "test" / name, newline="") as f:
        return list(csv.DictReader((line for line in f if line[0] != "#"), delimiter="\t", quoting=csv.QUOTE_NONE))


def rows():
    """Promise -> [(file, [what is in it])], in order."""
    found = {}
    for row in listed("promises.tsv"):
        found.setdefault(row["promise"], []).append((row["file"], row["tests"].split()))
    return found


def held(cell):
    return ", ".join(" ".join([f"`{path}`", *names]) for path, names in cell)


def tables():
    """Mark in SECURITY.md -> the table that stands there."""
    promised = [["promise", "held by"]] + [["what it may cost" if promise == "cost" else promise, held(cell)]
                                           for promise, cell in rows().items()]
    costs = [["command", "time", "memory", "held by"]] + [
        [row["command"], row["time"], row["memory"], held([(row["file"], row["tests"].split())])] for row in listed("costs.tsv")]
    found = {}
    for mark, lines in {"promises": promised, "costs": costs}.items():
        lines.insert(1, ["---"] * len(lines[0]))
        found[mark] = "".join("| " + " | ".join(line) + " |\n" for line in lines).replace("| --- |", "|---|").replace(
            " --- |", "---|")
    return found


def parts(mark):
    """SECURITY.md before, in and after a table."""
    before, _, rest = PAGE.read_text().partition(f"<!-- {mark}: begin -->\n")
    return before, *rest.split(f"<!-- {mark}: end -->\n")


class Security(unittest.TestCase):
    def test_each_promise_is_held_by_a_test(self):
        promises = [int(n) for n in re.findall(r"^(\d+)\. ", PROMISED, re.M)]
        self.assertEqual((promises, list(rows())), (list(range(1, len(promises) + 1)), [*map(str, promises), "cost"]))

    def test_the_tables_are_those_of_the_lists(self):
        for mark, table in tables().items():
            self.assertEqual(parts(mark)[1], table, "test/test_security.py . write")

    def test_each_doubling_is_the_cost_of_a_command(self):
        """A test of test_claims.py that no row names is a cost that nobody has stated."""
        named = {name for row in listed("costs.tsv") for name in row["tests"].split()}
        costs = (ROOT / "test/cli/hostile/test_claims.py").read_text().split("class Costs")[1].split("\nclass ")[0]
        self.assertEqual(set(re.findall(r"def (test_\w+)", costs)) - named, set())

    def test_those_tests_are_there_and_run(self):
        cells = [*rows().items(), *((row["command"], [(row["file"], row["tests"].split())]) for row in listed("costs.tsv"))]
        for what, cell in cells:
            for path, names in cell:
                with self.subTest(what, path=path):
                    source = ROOT / path
                    self.assertTrue(source.is_file())
                    text = source.read_text()
                    for name in names:
                        self.assertRegex(text, rf"(?m)^\s*(def |class |TEST(_WITH)?\(){name}\b")
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
        for mark, table in tables().items():
            before, _, after = parts(mark)
            PAGE.write_text(f"{before}<!-- {mark}: begin -->\n{table}<!-- {mark}: end -->\n{after}")
    else:
        unittest.main(argv=sys.argv[:1], verbosity=2)
