#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What an addition costs: in a copy of the sources each kind is made, and works; the files that it took are counted.

Usage: test_additions.py SOURCE_ROOT. The copy is built once, without tests, ns-3 and MPI: a minute of two processors.
Counted is what a person edits, in product and documents; doc/keys.md is printed by the program, columns, models and
causes are written into documents by doc/columns.py, and tests are not counted. A number here may fall."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv[1]).resolve()
PARTS = ["base", "emu", "capture", "model", "judge", "results", "analysis", "foreign", "measure", "scenarios", "sweep", "study",
         "view", "library", "doc", "cli", "scripts", "meson.build", "meson_options.txt", "CHANGELOG.md"]
# Kind -> files: at most so many.
MOST = {"discipline": 2, "control": 2, "key": 2, "column": 2, "cause": 2, "model": 2, "command": 3}
COMMAND = '''/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"
#include "cli/options.h"

#include <stdio.h>

int cmd_shout(int argc, char **argv)
{
    struct error err = {0};
    const struct cli_option options[] = {{0}};
    int at = cli_options_read("shout", argc, argv, options, &err);
    if (at <= 0)
        return at ? cli_fail(&err) : 0;
    puts("HO");
    return 0;
}
'''
PAGE = '''# contraflow shout: shout once

## Synopsis

    contraflow shout

## Description

Shouts.

## Options

- `-h`, `--help`: shows this summary
'''


class Copy:
    """Edits of the sources, each for a kind of addition."""

    def __init__(self, root):
        self.root, self.touched, self.kind = root, {}, None

    def find(self, name):
        """The one file of that name, or whose path ends so, wherever it lies."""
        found = [p for part in PARTS if (self.root / part).is_dir() for p in (self.root / part).rglob(name.split("/")[-1])
                 if p.as_posix().endswith("/" + name)]
        if len(found) != 1:
            raise AssertionError(f"{name} is {found}")
        return found[0]

    def write(self, path, text):
        path.write_text(text)
        self.touched.setdefault(self.kind, set()).add(path.relative_to(self.root).as_posix())

    def like(self, name, other, words):
        """A new file beside one that is there, which it is like but for words."""
        path = self.find(name)
        text = path.read_text()
        for a, b in words.items():
            text = text.replace(a, b)
        self.write(path.with_name(other), text)

    def after(self, path, pattern, added):
        """A line behind the first that the pattern finds."""
        path = self.find(path)
        text = path.read_text()
        found = re.search(pattern, text, re.M)
        if not found:
            raise AssertionError(f"{path} has no {pattern}")
        end = text.index("\n", found.end()) + 1
        self.write(path, text[:end] + added + text[end:])

    def discipline(self):
        self.like("fifo.c", "lifo.c", {"fifo": "lifo"})
        self.after("discipline.h", r"^    ROW\(FIFO, ", '    ROW(LIFO, lifo, "lifo", "as fifo, in a test") \\\n')

    def control(self):
        self.like("newreno.c", "oldreno.c", {"newreno": "oldreno"})
        self.after("emu/congestion.h", r"^#define EMU_CONGESTIONS",
                   '    ROW(OLDRENO, oldreno, 1, NULL, NULL, 1, "as newreno, in a test") \\\n')

    def key(self):
        """Added to the seed."""
        self.after("scenario.h", r"^    ROW\(uint64_t, seed, ", '    ROW(int64_t, loudness, "loudness", KEY_INTEGER, .max = 9, '
                   '.usual = "3", .meaning = "of those who shout") \\\n')
        self.after("run.c", r"run_port};$", "    config.seed += (uint64_t)s->loudness - 3;\n")

    def column(self):
        self.after("results/flow.h", r"^    ROW\(connected, ",
                   '    ROW(shouts, COUNT, JSON, "shouts", NULL, NULL, "how often it shouts") \\\n')
        self.after("record.c", r"^        \.connected = ", "        .shouts = 7,\n")

    def cause(self):
        self.after("judge/causes.h", r"the rate in use", '    ROW(SHOUTING, "shouting", "somebody shouts", UNSEEN, '
                   '"ask for silence", NULL, {JUDGE_REMEDY_ANY, "sh"}) \\\n')
        self.after("judge/limit.c", r"^        return f->policed ", "    if (f->rate_bps < 1)\n"
                   "        return JUDGE_CAUSE_SHOUTING;\n")

    def model(self):
        self.like("maxmin.c", "evenly.c", {"model_rule_maxmin": "model_rule_evenly"})
        self.after("model/rule.h", r"^#define MODEL_RULES", '    ROW(evenly, 0, "max-min fairness, in a test") \\\n')

    def command(self):
        path = self.find("cmd_init.c").with_name("cmd_shout.c")
        self.write(path, COMMAND)
        self.write(self.root / "doc/commands/shout.md", PAGE)
        self.after("commands/contraflow.md", r"^- `init`: ", "- `shout`: shout once\n")


class Additions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="contraflow-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.dir = pathlib.Path(folder.name)
        root = cls.dir / "sources"
        for part in PARTS:
            if (ROOT / part).is_dir():
                shutil.copytree(ROOT / part, root / part, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / part, root / part)
        cls.copy = Copy(root)
        for kind in MOST:
            cls.copy.kind = kind
            getattr(cls.copy, kind)()
        subprocess.run([sys.executable, root / "doc/columns.py", root], check=True)
        build = cls.dir / "build"
        for words in (["meson", "setup", str(build), str(root), "-Dtests=false", "-Dns3=disabled", "-Dmpi=disabled", "-Doptimization=0"],
                      ["ninja", "-j2", "-C", str(build), "contraflow", "contraflow-native"]):
            done = subprocess.run(words, capture_output=True, text=True)
            if done.returncode:
                raise AssertionError(done.stdout[-3000:] + done.stderr)
        cls.contraflow = build / "contraflow"

    def says(self, *args):
        done = subprocess.run([self.contraflow, *args], cwd=self.dir, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def run_star(self, *sets):
        shutil.rmtree(self.dir / "out", ignore_errors=True)
        return self.says("run", "star", "-q", "-o", "out", *(word for s in ("duration=100ms", "warmup=20ms", *sets)
                                                              for word in ("--set", s)))

    def test_no_kind_takes_more_files_than_it_did(self):
        counts = {kind: len(paths) for kind, paths in self.copy.touched.items()}
        print("files an addition takes:", ", ".join(f"{kind} {n}" for kind, n in counts.items()))
        for kind, most in MOST.items():
            self.assertLessEqual(counts[kind], most, (kind, self.copy.touched[kind]))

    def test_a_discipline_is_known_everywhere(self):
        self.run_star("network.switch.queue=lifo")
        keys = self.says("run", "--keys")
        self.assertIn("| `lifo` | as fifo, in a test | |", keys)
        done = subprocess.run([self.contraflow, "replay", "out/h0.pcap", "--what-if", "loud"], cwd=self.dir,
                              capture_output=True, text=True)
        self.assertIn("policer", done.stderr)
        self.assertIn("lifo", done.stderr)

    def test_a_control_runs(self):
        self.run_star("tcp.congestion=oldreno")

    def test_a_key_is_read_saved_and_explained(self):
        self.run_star("loudness=4")
        self.assertIn("loudness: 4", (self.dir / "out/scenario.yaml").read_text())
        self.assertIn("of those who shout", self.says("run", "--keys"))

    def test_a_column_is_in_the_summary(self):
        self.run_star()
        self.assertIn('"shouts": 7', (self.dir / "out/summary.json").read_text())

    def test_a_model_predicts(self):
        self.assertIn("evenly", self.says("predict", "star", "--all"))
        self.assertRegex(self.says("predict", "--help"), r"--model NAME\s+evenly, eq5,")

    def test_a_cause_is_listed(self):
        self.assertIn("somebody shouts", self.says("help", "check"))

    def test_a_command_has_its_help(self):
        self.assertEqual(self.says("shout"), "HO\n")
        self.assertIn("Shouts.", self.says("shout", "--help") + self.says("help", "shout"))
        self.assertIn("shout", self.says("help"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
