# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests of failures share: small commands, and what may come of one of them when something fails in it.

Either the command does what it does otherwise, to the byte, or it ends with exit status 3 and one line on standard
error, and what it leaves is whole: no .part, no file that differs from what it should be, no summary.json without the rest.
"""
import concurrent.futures
import dataclasses
import os
import pathlib
import shutil
import subprocess
import tempfile

SCENARIO = """duration: 4ms
warmup: 1ms
network: {link: {rate: 1Gbps}}
tcp: {window: 50kB}
capture: [{at: h0}, {at: sw0-h0, format: pcapng}]
traffic: {start_spread: 0s, star: {incoming: 1, outgoing: 1}}
"""
SWEEP = "scenario: s.yaml\naxes: {tcp.window: [30kB, 50kB]}\n"


@dataclasses.dataclass
class Command:
    words: list  # out is what it writes
    program: str = "contraflow"  # in which something fails

    def line(self):
        return " ".join([self.program, *self.words])


COMMANDS = [
    Command(["run", "s.yaml", "-o", "out", "-q"]),
    Command(["out"], "contraflow-native"),
    Command(["analyze", "run/h0.pcap"]),
    Command(["analyze", "run/sw0-h0.pcapng", "--json"]),
    Command(["analyze", "run", "--report", "out"]),
    Command(["check", "--quick", "run"]),  # else it falls back to this, with a warning: test_check.py
    Command(["check", "run/h0.pcap", "--json"]),
    Command(["explain", "run"]),
    Command(["fit", "run"]),
    Command(["plot", "run", "-o", "out"]),
    Command(["replay", "--port", "1Gbps", "run/h0.pcap", "-o", "out"]),
    Command(["sweep", "sweep.yaml", "-o", "out.db", "-q", "--jobs", "1"]),
    Command(["sweep", "export", "s.db"]),
    Command(["fit", "s.db"]),
    Command(["report", "s.db", "-o", "out.html"]),
]


@dataclasses.dataclass
class Outcome:
    status: int
    output: str
    words: str
    files: dict  # name -> bytes, of what the command left

    def is_as(self, good):
        return (self.status, self.output, self.files) == (good.status, good.output, good.files)

    def is_clean_failure(self, good):
        said = [line for line in self.words.splitlines() if not line.startswith("wrote ")]
        return (self.status == 3 and len(said) == 1 and
                all(self.files[name] == good.files.get(name) for name in self.files) and
                (self.files == good.files or not any(name.endswith("summary.json") for name in self.files)))


def left(directory):
    """Files whose name begins with "out", but for a database: that has times, and directories of points beside it, which
    the next sweep removes."""
    return {str(path.relative_to(directory)): path.read_bytes() for path in sorted(directory.rglob("*"))
            if path.is_file() and path.relative_to(directory).parts[0].startswith("out") and
            (not str(path.relative_to(directory)).startswith("out.db") or path.name.endswith(".part"))}


class Bench:
    """A directory with what commands read; each of them runs in a directory of its own beside it."""

    def __init__(self, contraflow):
        self.contraflow = pathlib.Path(contraflow).resolve()
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="contraflow-failures-"))
        self.sources = self.top / "sources"
        self.sources.mkdir()
        (self.sources / "s.yaml").write_text(SCENARIO)
        (self.sources / "sweep.yaml").write_text(SWEEP)
        for words in (["run", "s.yaml", "-o", "run", "-q"], ["sweep", "sweep.yaml", "-o", "s.db", "-q"]):
            subprocess.run([self.contraflow, *words], cwd=self.sources, check=True, stdout=subprocess.DEVNULL)

    def close(self):
        shutil.rmtree(self.top)

    def directory(self):
        """A new one, which is the caller's, with links to what commands read."""
        directory = pathlib.Path(tempfile.mkdtemp(dir=self.top))
        for path in self.sources.iterdir():
            (directory / path.name).symlink_to(path)
        return directory

    def run(self, command, before=(), environment=None, timeout=60):
        """(Outcome, directory); the directory is the caller's."""
        directory = self.directory()
        if command.program != "contraflow":  # an engine has the scenario beside its results
            (directory / "out").mkdir()
            shutil.copy(self.sources / "run/scenario.yaml", directory / "out")
        program = self.contraflow.with_name(command.program)
        try:
            done = subprocess.run([*before, program, *command.words], cwd=directory, capture_output=True, text=True,
                                  errors="replace", timeout=timeout, env={**os.environ, **(environment or {})})
        except subprocess.TimeoutExpired:
            return Outcome(-1, "", f"no end within {timeout} s", left(directory)), directory
        return Outcome(done.returncode, done.stdout, done.stderr, left(directory)), directory


def in_parallel(function, cases):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, cases))
