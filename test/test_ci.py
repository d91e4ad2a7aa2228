#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""CI runs what README.md shows, and packages.txt has what each command needs.

Usage: test_ci.py CONTRAFLOW SOURCE_ROOT."""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv[2])
README = (ROOT / "README.md").read_text()
# Lines of README.md's blocks, fenced or indented, up to what they do: "make test     # every test".
SHOWN = {re.sub(r"\s+", " ", line.split("#")[0]).strip()
         for line in README.splitlines() if re.match(r"(?:    )?make ", line)}
# The shell of CI, without comments.
SHELL = {path: re.sub(r"^\s*#.*|\s#\s.*", "", (ROOT / path).read_text(), flags=re.M)
         for path in (".ci/run", "scripts/clean-room")}


def makes(text):
    """Every call of make in a shell's text, with what is set before it and stands after it."""
    return [" ".join(match[1].split()) for match in
            re.finditer(r"(?:^|&&|[{;|]|\b(?:step|then|do))\s*((?:\w+=\S*\s+)*make\b[^;&|}\n\d]*)", text, re.M)]


class Ci(unittest.TestCase):
    def test_the_readme_has_two_commands(self):
        block = README.split("\n## Two commands\n")[1].split("\n## ")[0]
        self.assertEqual(re.findall(r"^    (make [\w-]+)", block, re.M), ["make demo", "make test"])

    def test_each_make_of_ci_is_a_line_of_the_readme(self):
        calls = [call for text in SHELL.values() for call in makes(text)]
        self.assertIn("make test-linux", calls)
        for call in calls:
            self.assertIn(call, SHOWN)

    def test_a_flag_would_be_seen(self):
        for wrong in ("make test MESON_FLAGS=-Dwerror=true", "CI=1 make test", "make -k test", "make test test-linux"):
            self.assertEqual([call in SHOWN for call in makes(f"set -e\n{wrong} 2>&1 | tee log\n")], [False], wrong)

    def test_ci_configures_nothing_itself(self):
        for path, text in SHELL.items():
            self.assertNotRegex(text, r"\bmeson\b|\bninja\b|\s-D\w|MESON_FLAGS|CFLAGS|ccache|CONTRAFLOW_[A-Z]", path)

    def test_clean_room_has_an_empty_environment(self):
        """PATH, a locale and an empty HOME; it reads its commands from the README and is what CI runs."""
        self.assertIn('env -i PATH="$PATH" LC_ALL=C.UTF-8 HOME="$room/home"', SHELL["scripts/clean-room"])
        self.assertIn("scripts/clean-room && make test-linux", SHELL[".ci/run"])


class Packages(unittest.TestCase):
    SECTIONS = {part.split("]")[0]: re.findall(r"^[a-z].*", part.split("]", 1)[1], re.M)
                for part in re.split(r"^\[", (ROOT / "packages.txt").read_text(), flags=re.M)[1:]}

    def test_sections_are_those_that_commands_ask_for(self):
        asked = set(re.findall(r"scripts/setup ([a-z ]+)", (ROOT / "Makefile").read_text()))
        self.assertEqual({section for line in asked for section in line.split()}, set(self.SECTIONS))

    def test_a_package_to_build_packages_with_is_in_run_or_deb(self):
        control = (ROOT / "debian/control").read_text().split("\n\n")[0]
        needs = re.findall(r"^ ([\w.+-]+)", control.split("Build-Depends:")[1], re.M)
        self.assertGreater(len(needs), 10)
        here = set(self.SECTIONS["run"] + self.SECTIONS["deb"])
        for package in needs:
            self.assertIn({"debhelper-compat": "debhelper"}.get(package, package), here)

    def test_what_is_advised_can_be_installed(self):
        self.assertIn("tcpdump ", (ROOT / "README.md").read_text())
        self.assertIn("tcpdump", self.SECTIONS["run"])
        self.assertRegex((ROOT / "debian/control").read_text(), r"(?m)^Suggests: .*\btcpdump\b")

    def test_what_only_tests_use_is_not_installed_to_run(self):
        for package in ("chromium-headless-shell", "clang", "tshark", "libcmocka-dev", "fish", "zsh", "abigail-tools", "strace"):
            self.assertNotIn(package, self.SECTIONS["run"])
            self.assertIn(package, self.SECTIONS["test"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
