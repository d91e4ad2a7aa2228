# SPDX-License-Identifier: GPL-2.0-or-later
"""scenarios/cases: every command that a case shows gives what the case says, and doc/casebook.md says the same.

A case's comment has its source and what was reported, and after each command
    # gives NAME RATE, ...; reported NAME RATE, ...; within 1 %
in Mb/s: the sum of the steady goodput of flows whose names begin with NAME, as printed, and for a check
    # says ANSWER: WORDS
Nothing of this is written a second time here: emulated figures are the files', reported ones, too."""
import re
import shlex
import sys

import e2e

sys.path.insert(0, str(e2e.ROOT / "test"))
import documents  # noqa: E402

CASES = sorted((e2e.ROOT / "scenarios/cases").glob("*.yaml"))
FIELDS = ("Source", "Read", "Reported", "Assumed")  # what a case's comment must have


def comment(path):
    return [line[1:].strip() for line in path.read_text().splitlines() if line.startswith("#")]


def commands(path, split=True):
    """The words of each command, or its text, and what is said of it."""
    for line in documents.join(comment(path)):
        if line.startswith("contraflow "):
            shown, _, said = line.partition(" # ")
            yield shlex.split(shown) if split else shown.strip(), said.strip()


def part(said, word):
    """What follows a word; empty without it."""
    found = re.search(rf"(?:^|; ){word} ([^;]*)", said)
    return found[1].strip() if found else ""


def rates(said, word):
    """{name: Mb/s} after a word."""
    return {name: float(rate) for name, rate in (pair.split() for pair in part(said, word).split(",") if pair)}


class Casebook(e2e.Case):
    def measured(self, directory, name):
        of = [f for f in self.flows(directory) if f["flow"].startswith(name)]
        self.assertTrue(of, name)
        return sum(float(f["steady_goodput_bps"]) for f in of) / 1e6

    def run_as_shown(self, words, said):
        self.assertEqual(words[1], "run")
        words[2] = e2e.ROOT / words[2]
        self.good(*words[1:], "-q", "-o", words[2].stem + "-run")
        gives, reported = rates(said, "gives"), rates(said, "reported")
        self.assertTrue(gives, said)
        for name, expected in gives.items():
            self.assertAlmostEqual(self.measured(words[2].stem + "-run", name), expected,
                                   delta=0.051 if expected < 1000 else 0.51, msg=f"{words} {name}")
        within = re.search(r"within ([\d.]+) %", said)
        for name, expected in reported.items() if within else ():
            self.assertLess(abs(gives[name] / expected - 1), float(within[1]) / 100, f"{words} {name}")

    def check_as_shown(self, words, said):
        self.assertEqual(words[1], "check")
        answer, _, why = said.removeprefix("says ").partition(": ")
        found = self.json("check", *words[2:])["resources"]
        shared = next(r for r in found if r["host"] in ("h0", "10.0.0.1"))  # of a run, of its capture
        self.assertEqual(shared["diagnosis"]["asymmetry"], answer, shared["diagnosis"]["why"])
        self.assertIn(why, shared["diagnosis"]["why"])

    def case(self, path):
        shown = list(commands(path))
        self.assertGreater(len(shown), 1)
        for words, said in shown:
            (self.run_as_shown if words[1] == "run" else self.check_as_shown)(words, said)

    def test_every_case_names_its_source_and_what_is_assumed(self):
        self.assertGreaterEqual(len(CASES), 14)
        for path in CASES:
            for field in FIELDS:
                self.assertTrue([x for x in comment(path) if x.startswith(field + ": ")], f"{path.name}: {field}")

    def test_what_is_not_this_is_answered_no_from_its_capture(self):
        for path in CASES:
            said = [said for words, said in commands(path) if words[1] == "check" and words[2].endswith("h0.pcap")]
            if path.stem.startswith("not-"):
                self.assertTrue([s for s in said if s.startswith("says no: ")], path.name)

    def test_the_chapter_has_every_case_and_its_figures(self):
        """A row of the first table and a section each, with the figures that the file says are given."""
        text = (e2e.ROOT / "doc/casebook.md").read_text()
        for path in CASES:
            row = re.search(rf"^\| \[{path.stem}\]\(#{path.stem}\) \|.*$", text, re.M)
            section = re.search(rf"^## {path.stem}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
            self.assertTrue(row and section, path.name)
            self.assertIn(next(line for line in comment(path) if "https://" in line).split()[1], section[1])
            for index, (shown, said) in enumerate(commands(path, split=False)):
                if shown.startswith("contraflow check"):
                    continue
                self.assertIn(part(said, "gives"), row[0] if index == 0 else section[1], path.name)
                sets = shown.partition(path.name)[2].strip()
                self.assertIn(f"| `{sets or shown}` | {part(said, 'gives')} | {part(said, 'reported')} |", section[1])


def add(path):
    setattr(Casebook, "test_" + path.stem.replace("-", "_"), lambda self: self.case(path))


for each in CASES:
    add(each)
