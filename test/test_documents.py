#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What README.md and doc/ show is what the program does: commands, their output, options, links.

Usage: test_documents.py CONTRAFLOW SOURCE_ROOT [figures]. With 'figures' it runs the commands that take long."""
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import documents

CONTRAFLOW = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(sys.argv[2]).resolve()
LONG = sys.argv[3:] == ["figures"]
NS3 = CONTRAFLOW.with_name("contraflow-ns3").exists()
PAGES = sorted((ROOT / "doc/commands").glob("*.md"))
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "doc").glob("*.md"))]
PROGRAMS = r"(?:build/)?contraflow(?=\s)"

# Source file that has a table of options -> the page that documents them, where that is not of its name.
TABLES = {"predict_host.c": "predict-message"}
# Examples of the pages that are not run, by a part of them, and why. Their options are checked.
NOT_RUN = {
    "sweeps/fig4a.yaml": "168 points; the figures suite runs it from doc/results.md",
    "export fig4a.db": "needs that sweep",
    "merge fig4a.db": "needs that sweep",
    "zhu-figure1.yaml --cross-check": "doc/emulation.md runs it",
    "--interface eth1": "needs an interface and CAP_NET_RAW; test_replay_open.py has both",
    "compare fifo.db": "doc/sql.md compares sweeps",
    "infer measured.csv": "a measurement of somebody's",
    "infer client.json": "likewise",
    "measure --experiment": "changes queues; test_measure_experiment.py has them",
    "measure serve --bind": "needs a second machine; test_measure.py has both, in namespaces",
    "measure 192.0.2.1": "likewise",
    "compare before after": "of these",
    "measure --study": "a minute of processors; test_measure_study.py studies smaller ones",
    "measure --mpi --study": "needs a cluster",
    "cluster.csv": "needs a cluster; test_measure_mpi.py makes one",
    "| jq": "jq is no package of packages.txt",
    "# then open": "no browser",
}


def options_of_sources():
    """{page: set of options that its table accepts; --help and -h go with every table}."""
    found = {}
    for path in sorted((ROOT / "cli").rglob("*.c")):
        text = path.read_text()
        rows = re.findall(r'\{"([a-z-]+)", (?:\'(.)\'|0), \.(?:flag|text|call|number|whole) = ', text)
        if not rows:
            continue
        accepted = {"--help", "-h"} | {"--" + name for name, _ in rows} | {"-" + letter for _, letter in rows if letter}
        if path.name == "cmd_predict_exchange.c":
            accepted |= {"--" + name for name in re.findall(r'^    \{"([a-z-]+)", ', text, re.M)}
        if path.name == "predict_host.c":
            found["predict-broadcast"] = accepted | {"--" + name for name in re.findall(r'\{tree \? "([a-z-]+)"', text)}
        found.setdefault(TABLES.get(path.name, path.stem.removeprefix("cmd_").replace("_", "-")), set()).update(accepted)
    return found


def options_of_page(path):
    section = re.search(r"^## Options\n(.*?)(?=^## |\Z)", path.read_text(), re.M | re.S)
    terms = re.findall(r"^- ((?:`[^`]*`(?:, )?)+):", section[1] if section else "", re.M)
    return {word for term in terms for word in re.findall(r"`(--?[a-z-]+)", term)}


ACCEPTED = options_of_sources()


def page_of(words):
    """The page of a command line: its words after 'contraflow'."""
    if words[:1] == ["replay"]:
        for option in ("--port", "--interface"):
            if any(word.split("=")[0] == option for word in words):
                return "replay-" + option[2:]
    if words[:2] == ["measure", "--mpi"]:
        return "measure-mpi"
    if words[:2] in (["measure", "--study"], ["measure", "--experiment"]):
        return "measure-" + words[1][2:]
    pair = "-".join(words[:2])
    return pair if pair in ACCEPTED else words[0]


def lines_of_contraflow(text):
    """The words after each 'contraflow' in a shell's line, up to what ends the command."""
    for part in re.split(r"&&|\||;|>|#|\$\(|\)|:::", text):
        match = re.search(PROGRAMS + r"\s+(.*)", part)
        if match:
            yield re.sub(r"['\"]", "", match[1]).split()


class Options(unittest.TestCase):
    def test_every_table_of_options_has_a_page(self):
        names = {path.stem for path in PAGES}
        self.assertEqual({page for page in ACCEPTED if page not in names}, set())
        self.assertGreater(len(ACCEPTED), 10)

    def test_every_accepted_option_is_documented_and_every_documented_one_accepted(self):
        for page in sorted(ACCEPTED):
            documented = options_of_page(ROOT / f"doc/commands/{page}.md")
            self.assertEqual(documented, ACCEPTED[page], page)
            self.assertGreater(len(documented), 1, page)

    def test_every_shown_command_uses_options_that_there_are(self):
        count = 0
        for text, where in self.shown():
            for words in lines_of_contraflow(text):
                if words[0].startswith("-") or words[0] in ("help", "COMMAND"):
                    continue
                page = page_of(words)
                self.assertIn(page, ACCEPTED, f"{where}: {text}")
                for word in words[1:]:
                    if re.match(r"--?[a-z]", word):
                        self.assertIn(word.split("=")[0], ACCEPTED[page], f"{where}: {text}")
                        count += 1
        self.assertGreater(count, 40)

    @staticmethod
    def shown():
        for path in DOCUMENTS:
            for command in documents.commands(path):
                yield command.text, f"{path.name}:{command.line}"
        for path in PAGES:
            for text in page_examples(path):
                yield text, path.name
        for path in sorted((ROOT / "scenarios").rglob("*.yaml")):
            comment = "\n".join(line.lstrip("# ") for line in path.read_text().splitlines() if line.startswith("#"))
            for text in documents.join(comment.split("\n")):
                if re.match(PROGRAMS, text):
                    yield text, path.name


def page_examples(path):
    section = re.search(r"^## Examples\n(.*?)(?=^## |\Z)", path.read_text(), re.M | re.S)
    lines = [line[4:] for line in (section[1] if section else "").split("\n") if line.startswith("    ")]
    return documents.join(lines)


class Help(unittest.TestCase):
    def call(self, *args):
        done = subprocess.run([str(CONTRAFLOW), *args], capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.splitlines()

    def command(self, page):
        return {"contraflow": [], "replay-port": ["replay", "f", "--port", "1Mbps"],
                "replay-interface": ["replay", "f", "--interface", "x"], "measure-mpi": ["measure", "--mpi"],
                "measure-study": ["measure", "--study"], "measure-experiment": ["measure", "--experiment"]}.get(page, page.split("-"))

    def test_help_fits_a_terminal(self):
        for path in PAGES:
            lines = self.call(*self.command(path.stem), "--help")
            self.assertLessEqual(len(lines), 40, path.stem)
            self.assertLessEqual(max(map(len, lines)), 80, path.stem)
            self.assertTrue(lines[0].startswith("usage: contraflow"), lines[0])
            self.assertEqual(self.call(*self.command(path.stem), "--help", "--no-such"), lines)  # and nothing else is done
            for option in options_of_page(path):
                self.assertRegex("\n".join(lines), rf"(?m)^ .*{option}\b", path.stem)

    def test_no_option_ends_in_the_middle(self):
        """Of a page --help prints an option's first sentence, which a list that goes on with "..." ends early."""
        for path in PAGES:
            lines = self.call(*self.command(path.stem), "--help")
            for line, after in zip(lines, lines[1:]):
                if re.match(r" *-|$", after):
                    self.assertNotRegex(line, r"[,;:]\s*$", path.stem)

    def test_help_command_shows_the_whole_page(self):
        for path in PAGES:
            if path.stem == "contraflow":
                continue
            text = " ".join(" ".join(self.call("help", *path.stem.split("-"))).split())
            for heading in re.findall(r"^## (.+)", path.read_text(), re.M):
                self.assertIn("usage:" if heading == "Synopsis" else heading.upper(), text, path.stem)
            last = re.findall(r"^## See also\n\n(.+)", path.read_text(), re.M)[0]
            self.assertIn(last, text)

    def test_man_pages_are_valid(self):
        pages = sorted((CONTRAFLOW.parent / "doc").glob("*.1"))
        self.assertEqual(len(pages), len(PAGES))
        if not shutil.which("groff"):
            self.skipTest("groff is not installed")
        for page in pages:
            done = subprocess.run(["groff", "-man", "-Tascii", "-ww", str(page)], capture_output=True, text=True)
            self.assertEqual(done.stderr, "", page.name)
            self.assertIn("SYNOPSIS", re.sub(r"\x1b\[\d*m|.\x08", "", done.stdout))


class Links(unittest.TestCase):
    def test_every_link_leads_to_a_file(self):
        links = [(path, target) for path in [*ROOT.glob("*.md"), *ROOT.glob("*/*.md"), *ROOT.glob("doc/*/*.md")]
                 for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))]
        self.assertGreater(len(links), 20)
        self.assertEqual([f"{path.relative_to(ROOT)}: {target}" for path, target in links
                          if not (path.parent / target).exists()], [])

    def test_no_blank_line_breaks_a_table(self):
        """Rows that begin anew without a line of dashes are text."""
        for path in [ROOT / "README.md", *(ROOT / "doc").glob("*.md"), *ROOT.glob("*/README.md")]:
            text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
            for table in re.findall(r"(?:^\|.*\n)+", text, re.M):
                self.assertRegex(table, r"^.*\n\|[-| :]+\|\n", path.name)

    def test_what_is_looked_for_is_in_the_book_s_index(self):
        index = (ROOT / "doc/README.md").read_text().partition("## Where words are")[2].partition("\n## ")[0]
        for word in ("incast", "bufferbloat", "PAUSE", "fq_codel", "ACK compression"):
            self.assertIn(word, index)

    def test_readme_is_a_front_page(self):
        self.assertLessEqual(len((ROOT / "README.md").read_text().splitlines()), 150)

    def test_every_chapter_and_page_is_in_the_book(self):
        book = (ROOT / "doc/README.md").read_text()
        for path in [*(ROOT / "doc").glob("*.md"), ROOT / "doc/commands/contraflow.md"]:
            if path.name != "README.md":
                self.assertIn(f"({path.relative_to(ROOT / 'doc')})", book)
        commands = re.findall(r"^- `([a-z ]+)`: ", (ROOT / "doc/commands/contraflow.md").read_text(), re.M)
        self.assertEqual(sorted(["contraflow", *(name.replace(" ", "-") for name in commands)]), sorted(p.stem for p in PAGES))


class Shown(unittest.TestCase):
    """Runs the commands of one document in a directory of its own."""
    swept = {}  # command -> what came of it and the files it left

    def lacks(self, done):
        """Whether what a command needs was not there: a program that is not built, or the kernel of --engine linux."""
        lacking = "no kernel of `make linux`" if done.returncode == 3 and "type 'make linux'" in done.stderr else \
            "contraflow-ns3 is not built" if "contraflow-ns3" in done.stderr and not NS3 else None
        if lacking:
            self.lacking.append(lacking)
        return lacking

    def done(self):
        """The commands that could be run did as they should. What could not be was not seen."""
        if self.lacking:
            self.skipTest(f"{len(self.lacking)} commands: {'; '.join(sorted(set(self.lacking)))}")

    def setUp(self):
        self.lacking = []
        # The kernel of --engine linux, which a page's example has, sees nothing of the system's /dev; TMPDIR may be there.
        place = "/tmp" if self._testMethodName == "test_examples_of_the_pages" else None
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="contraflow-documents-", dir=place))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        for name in ("scenarios", "test", "doc", "scripts"):
            (self.dir / name).symlink_to(ROOT / name)
        (self.dir / "build").symlink_to(CONTRAFLOW.parent)

    def shell(self, text):
        environment = dict(os.environ, PATH=f"{CONTRAFLOW.parent}:{os.environ['PATH']}", LC_ALL="C.UTF-8")
        return subprocess.run(["bash", "-c", text], cwd=self.dir, capture_output=True, text=True, timeout=3600,
                              env=environment)

    def sweep(self, text):
        """A sweep that two documents show runs once: the other finds the files it left."""
        if text not in self.swept:
            before, done = set(self.dir.iterdir()), self.shell(text)
            self.swept[text] = done, {p.name: p.read_bytes() for p in set(self.dir.iterdir()) - before}
        done, files = self.swept[text]
        for name, content in files.items():
            (self.dir / name).write_bytes(content)
        return done

    def document(self, path):
        for command in documents.commands(path):
            if command.mark == "not run" or (command.mark == "figures" and not LONG):
                continue
            where = f"{path.name}:{command.line}: {command.text}"
            text = command.argument if command.mark == "run as" else command.text
            done = self.sweep(text) if text.startswith("contraflow sweep scenarios/") else self.shell(text)
            if self.lacks(done):
                continue
            self.assertEqual(done.returncode, command.status, f"{where}\n{done.stdout}{done.stderr}")
            if command.output is not None and not documents.shows(command.output, done.stdout.splitlines()):
                self.assertEqual("\n".join(command.output), done.stdout, where)
        self.done()

    def test_a_changed_figure_is_found(self):
        self.assertTrue(documents.shows(["a", "...", "c  "], ["a", "b", "b", "c"]))
        self.assertTrue(documents.shows(["a", "..."], ["a"]))
        self.assertFalse(documents.shows(["a", "...", "d"], ["a", "b", "c"]))
        self.assertFalse(documents.shows(["a"], ["a", "b"]))
        self.assertFalse(documents.shows([], ["a"]))

    def test_examples_of_the_pages(self):
        captures = ROOT / "test/data/captures"
        self.shell("contraflow run scenarios/star.yaml -o s -q --set 'capture=[{at: h0},{at: h1}]'")
        with gzip.open(captures / "fifo-2in-1out.pcap.gz") as f:
            for name in ("capture.pcap", "my.pcap"):
                (self.dir / name).write_bytes(f.read())
                f.seek(0)
        for name, host in (("client.pcap", "h1"), ("server.pcap", "h0"), ("trace.pcap", "h0")):
            shutil.copy(self.dir / "s" / f"{host}.pcap", self.dir / name)
        (self.dir / "h1.events").write_text("P P P N P P N TO P P\n")
        (self.dir / "h2.events").write_text("P P N P P P N TO TO P\n")
        (self.dir / "measured.csv").write_text("processes,message_bytes,time_s\n" + "".join(
            f"{p},{m},{(p - 1) * (50e-6 + 8 * m / 941e6) * 1.8}\n" for p in (4, 8, 16) for m in (1000, 10000, 100000)))
        count = 0
        for path in PAGES:
            for text in page_examples(path):
                if any(part in text for part in NOT_RUN):
                    continue
                done = self.shell(text)
                if not self.lacks(done):
                    lost = 1 if "contraflow check" in text else 0  # in the capture, and in the star
                    self.assertEqual(done.returncode, lost, f"{path.name}: {text}\n{done.stdout}{done.stderr}")
                count += 1
        self.assertGreater(count, 20)
        self.done()

    def test_what_is_not_run_is_still_shown(self):
        shown = "\n".join(text for text, _ in Options.shown())
        for part in NOT_RUN:
            self.assertIn(part, shown)


def add_documents():
    for path in DOCUMENTS:
        if any(True for _ in documents.commands(path)):
            name = "test_" + path.stem.lower().replace("-", "_")
            setattr(Shown, name, lambda self, path=path: self.document(path))


add_documents()

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + (["Shown"] if LONG else []), verbosity=2)
