# SPDX-License-Identifier: GPL-2.0-or-later
"""What the end-to-end tests share: run the built programs in a fresh directory, judge what they leave.

run.py runs a file of them. packages.txt lists the programs that tests need; a test whose program is missing is skipped and
says so, and its file counts as skipped (scripts/test).
"""
import csv
import importlib.util
import json
import os
import pathlib
import pty
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import schemas

STARTED = pathlib.Path(getattr(sys.modules["__main__"], "__file__", ""))
if STARTED.name.startswith("test_") and "e2e.main()" not in STARTED.read_text():
    sys.exit(f"{pathlib.Path(__file__).with_name('run.py')} runs {STARTED.name}, which by itself asks nothing")
CONTRAFLOW = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 2 else None
ROOT = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
ALL = bool(os.environ.get("CONTRAFLOW_ALL"))  # `make check-long`: every test, and all cases of each
EVERY = 1 if ALL else int(os.environ.get("CONTRAFLOW_EVERY", 1))  # under sanitizers: one test in so many
SANITIZED = CONTRAFLOW is not None and CONTRAFLOW.is_file() and b"__asan_init" in CONTRAFLOW.read_bytes()
B_1448 = 1e9 * 1448 / 1538  # goodput of 1 Gb/s with 1448-byte segments, no ACKs against it

needs_engine = unittest.skipUnless(CONTRAFLOW and CONTRAFLOW.with_name("contraflow-ns3").exists(),
                                   "contraflow-ns3 is not built")
# Where tests are a sample one engine is asked: `emu ns3 engine` and `cli networks` have ns-3's code.
ENGINES = ["native"] + (["ns3"] if EVERY == 1 and CONTRAFLOW and CONTRAFLOW.with_name("contraflow-ns3").exists() else [])


def some(cases, n):
    """n of a test's cases, from the first to the last; all of them where that is asked for."""
    cases = list(cases)
    return cases if ALL or len(cases) <= n else [cases[i * (len(cases) - 1) // max(1, n - 1)] for i in range(n)]


def require(program):
    """Ends the test that calls it where the program is missing."""
    if not shutil.which(program):
        raise unittest.SkipTest(f"{program} is not installed; packages.txt lists it")


def require_module(module):
    """The same for a module of Python's."""
    if not importlib.util.find_spec(module):
        raise unittest.SkipTest(f"python3-{module} is not installed; packages.txt lists it")


def plainly(test):
    """A test that starts engines hundreds of times: of the program as it is alone. Sanitized, each start takes ten times as
    long, and other tests of its file show the same code to the sanitizers."""
    test.plainly = True
    return test


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="contraflow-test-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def programs_of_nobody(self):
        """Copies of contraflow and its Linux engine; they, and all that is here by now, are nobody's: their folder."""
        programs = self.dir / "my programs"
        programs.mkdir()
        for name in ("contraflow", "contraflow-linux"):
            shutil.copy(CONTRAFLOW.with_name(name), programs)
        for path in [self.dir, *self.dir.rglob("*")]:
            os.chown(path, 65534, 65534)
        return programs

    def call(self, *args, **kwargs):
        return subprocess.run([str(CONTRAFLOW), *map(str, args)], cwd=self.dir, capture_output=True, text=True,
                              timeout=kwargs.pop("timeout", 600), **kwargs)

    def good(self, *args, status=0, **kwargs):
        done = self.call(*args, **kwargs)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def on_terminal(self, *args):
        """What the command, which must succeed, says on a standard error that is a terminal."""
        master, slave = pty.openpty()
        running = subprocess.Popen([str(CONTRAFLOW), *map(str, args)], cwd=self.dir, stdout=subprocess.DEVNULL,
                                   stderr=slave)
        os.close(slave)
        said = b""
        try:
            while read := os.read(master, 4096):
                said += read
        except OSError:  # the end of a terminal
            pass
        os.close(master)
        self.assertEqual(running.wait(60), 0)
        return said.decode()

    def wait_for(self, condition):
        until = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), until, "it takes too long")
            time.sleep(0.05)

    def bad(self, status, words, *args, **kwargs):
        """One line on standard error with these words, this exit status, nothing on standard output."""
        done = self.call(*args, **kwargs)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        for word in [words] if isinstance(words, str) else words:
            self.assertIn(word, lines[0])
        self.assertEqual(done.stdout, "")
        return done

    def bad_as_nobody(self, status, words, *args):
        """The same of a user without any rights, whom only root can be; skipped where the program is out of its reach."""
        self.dir.chmod(0o755)
        try:
            return self.bad(status, words, *args, user=65534, group=65534, extra_groups=[])
        except PermissionError:
            self.skipTest("the build directory is closed to others")

    def run_scenario(self, scenario, *sets, output="out", options=()):
        arguments = ["run", scenario, "-o", output, "--quiet", *options]
        for s in sets:
            arguments += ["--set", s]
        self.good(*arguments)
        return self.flows(output)

    def flows(self, output="out"):
        with open(self.dir / output / "flows.csv", newline="") as f:
            return list(csv.DictReader(f))

    @staticmethod
    def answered(said):
        """The exit status of a check that said so: 1 something is lost, 4 some answer is that nobody can tell, 0."""
        answers = {r["diagnosis"]["asymmetry"] if r["diagnosis"] else "unknown" for r in said["resources"]
                   if not r["diagnosis"] or not r["diagnosis"]["same_as"]}
        broken = any(p["kind"] == "loss" and not p["holds"] for p in said["programs"])
        if not said["resources"] + said["programs"]:
            answers = {"unknown"}
        return 1 if broken or "yes" in answers else 4 if "unknown" in answers else 0

    def json(self, *args, status=None):
        """What the command prints, which is as its schema says, where that can be judged: test_schemas.py insists. Its exit
        status is 0, of check that of what it says."""
        done = self.call(*args, "--json")
        said = json.loads(done.stdout) if done.stdout else self.fail(done.stderr)
        if status is None:
            status = self.answered(said) if args[0] == "check" and "--exit-zero" not in args else 0
        self.assertEqual(done.returncode, status, (args, done.stderr))
        if importlib.util.find_spec("jsonschema"):
            self.assertEqual(schemas.errors(said), [], args)
        return said

    def write(self, name, text):
        path = self.dir / name
        path.write_text(text)
        return path


class Sample(unittest.TestLoader):
    """Every so many-th test, where the environment says so: of long files under sanitizers (test/cli/meson.build). There, none
    that is of the program as it is alone."""

    def flat(self, suite):
        for test in suite:
            if isinstance(test, unittest.TestSuite):
                yield from self.flat(test)
            elif not SANITIZED or ALL or not hasattr(getattr(test, test._testMethodName), "plainly"):
                yield test

    def loadTestsFromNames(self, *args, **more):
        return self.suiteClass(self.flat(super().loadTestsFromNames(*args, **more)))

    def loadTestsFromModule(self, module, *args, **more):
        tests = list(self.flat(super().loadTestsFromModule(module, *args, **more)))
        if EVERY > 1:
            print(f"1 in {EVERY} of {len(tests)} tests; CONTRAFLOW_ALL=1 asks for all", file=sys.stderr)
        return self.suiteClass(tests[::EVERY])


def main():
    result = unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2, exit=False, testLoader=Sample()).result
    sys.exit(1 if not result.wasSuccessful() else 77 if result.skipped else 0)
