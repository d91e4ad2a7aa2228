#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The house: no circle of files; rooms and folders that are too full may only become fewer (scripts/house)."""
import ast
import importlib.machinery
import importlib.util
import json
import pathlib
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # nothing belongs into the sources
ROOT = pathlib.Path(sys.argv[1])
BUILD = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None  # one that has all tests
loader = importlib.machinery.SourceFileLoader("house", str(ROOT / "scripts/house"))
house = importlib.util.module_from_spec(importlib.util.spec_from_loader("house", loader))
loader.exec_module(house)

ROOM_LINES = 9000
# What was too large when this was written: a name goes when its room or folder has shrunk, none comes.
LARGE_ROOMS = set()
FULL_FOLDERS = set()


class Now(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.house = house.House(ROOT)

    def test_no_circle_of_files(self):
        self.assertEqual(self.house.circles(), [])

    def test_no_room_is_large_but_those_listed(self):
        lines = {room: house.lines({path: text for path, text in self.house.sources.items()
                                    if self.house.room_of(path) == room}) for room in self.house.rooms}
        self.assertGreater(min(lines.values()), 0, lines)
        self.assertLessEqual({room for room, n in lines.items() if n > ROOM_LINES}, LARGE_ROOMS)

    def test_no_folder_is_full_but_those_listed(self):
        self.assertLessEqual(set(self.house.full_folders()), FULL_FOLDERS)

    def test_every_kind_of_addition_is_found_in_its_table(self):
        costs = self.house.costs()
        self.assertEqual(len(costs), 5)
        for kind, (n, (product, _, _)) in costs.items():
            self.assertGreater(n, 3, kind)
            self.assertGreaterEqual(product, 1, kind)


class Counting(unittest.TestCase):
    """In a house of two rooms, whose numbers are plain to see."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("doc/architecture.md", "| `a/` | what | nothing |\n| `a/b/` | what | `a/` |\n")
        self.write("README.md", "one\ntwo\n")

    def write(self, path, text):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def test_a_circle_goes_through_headers_and_sources(self):
        self.write("a/one.h", "")
        self.write("a/one.c", '#include "a/one.h"\n#include "a/b/two.h"\n')
        self.write("a/b/two.h", '#include "a/three.h"\n')
        self.write("a/three.h", '#  include "a/one.h"\n')
        self.write("a/four.h", '#include "a/one.h"\n')
        self.assertEqual(house.House(self.root).circles(), [["a/b/two", "a/one", "a/three"]])

    def test_a_file_and_its_header_are_no_circle(self):
        self.write("a/one.h", "")
        self.write("a/one.c", '#include "a/one.h"\n')
        self.assertEqual(house.House(self.root).circles(), [])

    def test_the_innermost_room_has_a_file(self):
        self.write("a/b/two.c", "x\ny\n")
        self.assertEqual(house.House(self.root).room_of("a/b/two.c"), "a/b")
        self.assertEqual(house.lines(house.House(self.root).sources), 2)

    def test_forty_files_are_not_too_many_and_data_of_tests_do_not_count(self):
        for i in range(house.FULL):
            self.write(f"a/{i}.c", "")
            self.write(f"test/data/{i}.py", "x\n")
            self.write(f"test/data/{i + house.FULL}.py", "x\n")
        self.assertEqual(house.House(self.root).full_folders(), {})
        self.write("a/last.c", "")
        self.assertEqual(house.House(self.root).full_folders(), {"a": house.FULL + 1})
        self.assertEqual(house.lines(house.House(self.root).tests), 0)


def cases(path):
    """Class.test of a file of tests, classes that only exist somewhere included."""
    return {f"{c.name}.{f.name}" for c in ast.walk(ast.parse(path.read_text())) if isinstance(c, ast.ClassDef)
            for f in c.body if isinstance(f, ast.FunctionDef) and f.name.startswith("test_")}


if BUILD:
    class Asked(unittest.TestCase):
        def test_of_a_file_that_is_run_by_names_all_are_named(self):
            """Several tests of meson may share a file; one that none of them has in it is never run."""
            named = {}
            for kind in ("tests", "benchmarks"):
                for test in json.loads((BUILD / f"meson-info/intro-{kind}.json").read_text()):
                    files = [word for word in test["cmd"] if re.search(r"/test_\w+\.py$", word)]
                    if files:
                        rest = test["cmd"][test["cmd"].index(files[-1]) + 1:]
                        named.setdefault(pathlib.Path(files[-1]).resolve(), []).append(
                            [word for word in rest if re.fullmatch(r"[A-Z]\w*(\.test_\w+)?", word)])
            self.assertGreater(len(named), 50)
            for path, lists in named.items():
                if [] not in lists:  # else it is run whole
                    names = {name for words in lists for name in words}
                    self.assertEqual([case for case in sorted(cases(path)) if case not in names and
                                      case.split(".")[0] not in names], [], path)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
