# SPDX-License-Identifier: GPL-2.0-or-later
"""What people meet first: an installation that works from anywhere, scenarios by name, help where a word is misspelt."""
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import e2e
from e2e import CONTRAFLOW, ROOT

BUILD = CONTRAFLOW.parent
SCENARIOS = ROOT / "scenarios"
SHORT = ("-q", "--set", "duration=50ms", "--set", "warmup=10ms")


def listed(text):
    """{name: title} of what --list printed."""
    return dict(re.split(r"  +", line, maxsplit=1) for line in text.splitlines())


class Names(e2e.Case):
    def test_the_list_is_every_file(self):
        for command, folders in (("run", ("", "cases/")), ("sweep", ("sweeps/",))):
            shown = listed(self.good(command, "--list").stdout)
            files = {(folder if command == "run" else "") + path.stem: path
                     for folder in folders for path in (SCENARIOS / folder).glob("*.yaml")}
            self.assertEqual(set(shown), set(files))
            for name, path in files.items():
                title = re.search(r"^title: (.*)$", path.read_text(), re.M)[1]
                self.assertEqual(shown[name], title, name)

    def test_a_name_is_the_file_of_that_name(self):
        self.good("run", "star", "-o", "name", *SHORT)
        self.good("run", SCENARIOS / "star.yaml", "-o", "path", *SHORT)
        for file in ("flows.csv", "h0.pcap"):
            name, path = ((self.dir / run / file).read_bytes() for run in ("name", "path"))
            self.assertEqual(name.replace(b"run star", b""), path.replace(f"run {SCENARIOS}/star.yaml".encode(), b""))
        # Where it came from is said by its name alone: no path of this machine.
        self.assertNotIn(str(ROOT), (self.dir / "name/scenario.yaml").read_text())

    def test_results_of_an_earlier_run_hide_no_name(self):
        (self.dir / "star").mkdir()
        self.assertIn("in1", self.good("predict", "star").stdout)

    def test_a_name_comes_before_a_file(self):
        """Whatever lies here, such as the example of the library once it is built; ./star is the file."""
        (self.dir / "star").write_bytes(b"\x7fELF\x02\x01\x01\x00")
        self.assertIn("in2", self.good("predict", "star").stdout)
        self.bad(2, ["./star:1", "control characters"], "predict", "./star")
        self.write("star", "traffic: {star: {incoming: 5, outgoing: 1}}\n")
        self.assertNotIn("in5", self.good("predict", "star").stdout)
        self.assertIn("in5", self.good("predict", "./star").stdout)

    def test_a_sweep_has_a_name(self):
        self.good("sweep", "fig4b", "--shard", "1/1000", "-o", "a.db")
        self.good("sweep", SCENARIOS / "sweeps/fig4b.yaml", "--shard", "1/1000", "-o", "b.db")
        rows = [self.good("sweep", "export", "--flows", db).stdout for db in ("a.db", "b.db")]
        self.assertGreater(len(rows[0].splitlines()), 1)
        self.assertEqual(*rows)

    def test_a_copy_to_change(self):
        self.assertEqual(self.good("init", "star").stdout, (SCENARIOS / "star.yaml").read_text())
        self.good("init", "star", "-o", "my.yaml")
        self.assertEqual((self.dir / "my.yaml").read_text(), (SCENARIOS / "star.yaml").read_text())
        self.write("my.yaml", "precious\n")
        self.bad(2, "is there already", "init", "star", "-o", "my.yaml")
        self.assertEqual((self.dir / "my.yaml").read_text(), "precious\n")
        self.bad(2, ("init takes one NAME", "run --list"), "init")

    def test_what_a_copy_refers_to_is_found(self):
        for name in ("web-search", "goal", "sweeps/fig4b"):
            copy = self.dir / (pathlib.Path(name).name + ".yaml")
            self.good("init", name, "-o", copy)
            if "sweep" in name:
                self.good("sweep", copy, "--shard", "1/1000")
            else:
                self.good("run", copy, "--goal" if name == "goal" else "--yaml")
        # A file of the same name beside the copy is meant before the one that comes with contraflow.
        self.write("solver.goal", "nonsense")
        self.bad(2, "solver.goal", "run", "goal.yaml", "--goal")


class StandardInput(e2e.Case):
    STAR = (SCENARIOS / "star.yaml").read_text()

    def test_a_scenario(self):
        self.good("run", "-", *SHORT, input=self.STAR)
        self.good("run", "star", *SHORT)
        self.assertEqual(self.flows("stdin-run"), self.flows("star-run"))
        self.assertEqual(self.good("predict", "-", input=self.STAR).stdout, self.good("predict", "star").stdout)

    def test_a_sweep(self):
        sweep = "scenario: ../star.yaml\nset: {duration: 50ms, warmup: 10ms}\naxes: {traffic.star.incoming: 1..2}\n"
        self.good("sweep", "-", input=sweep)
        self.assertEqual(len(self.good("sweep", "export", "stdin.db").stdout.splitlines()), 3)

    def test_mistakes_name_standard_input_and_the_line(self):
        self.bad(2, "standard input:2: network.lnk: unknown key; did you mean link?", "run", "-",
                 input="network:\n  lnk: 3\n")
        self.bad(2, "standard input", "run", "-", input="")
        self.bad(2, "standard input: scenario: is missing", "sweep", "-", input="axes: {tcp.window: [1MB]}\n")


class Misspelt(e2e.Case):
    def test_commands(self):
        self.bad(2, "unknown command 'chekc'; did you mean check? Commands are check, explain,", "chekc")
        self.bad(2, "did you mean predict loss?", "help", "predict", "los")
        for words in (["chekc"], [], ["../schemas/check"], ["plot"]):
            self.bad(2, [f"none of '{' '.join(words)}'", "those of analyze, check,"], "help", "--schema", *words)
        self.assertNotIn("did you mean", self.bad(2, "unknown command 'zzz'; commands are check, explain,", "zzz").stderr)

    def test_help_of_two_words_is_of_both(self):
        for page in ("measure mpi", "measure serve", "replay port", "replay interface", "predict loss"):
            for option in ("--help", "-h"):
                said = self.good(*page.split(), option).stdout
                self.assertEqual(said, self.good(*page.split(), "--help").stdout)
                self.assertNotEqual(said, self.good(page.split()[0], "--help").stdout, page)
            self.assertEqual(said, self.good(*page.split(), "--anything", "1", "--help").stdout, page)
            self.assertIn({"measure mpi": "measure --mpi", "replay port": "--port RATE",
                           "replay interface": "--interface"}.get(page, page), said.splitlines()[0])
        self.assertIn("--what-if", self.good("replay", "--help").stdout)

    def test_options(self):
        self.bad(2, "run: option --ouput=x is unknown or takes no value; did you mean --output?", "run", "--ouput=x")
        for wrong in ("--zzz", "--quiet=3", "-Z"):
            self.assertNotIn("did you mean", self.bad(2, "lists the options", "run", wrong).stderr)

    def test_scenarios(self):
        self.bad(2, "stra: no such file, and no name of a scenario; did you mean star,", "run", "stra")
        self.bad(2, "star.yaml: No such file or directory; did you mean star,", "run", "star.yaml")
        self.bad(2, "fig4x: no such file, and no name of a sweep; did you mean fig4", "sweep", "fig4x")
        self.bad(2, "qqqqqq: no such file, and no name of a scenario; 'contraflow run --list'", "predict", "qqqqqq")
        self.bad(2, "../scenarios/cases", "run", "../scenarios/cases")


class Said(unittest.TestCase):
    """What papers say of the program is what it is."""

    def test_the_version_is_the_same_everywhere(self):
        version = subprocess.run([CONTRAFLOW, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
        for file, line in (("CHANGELOG.md", rf"^## {version} \(\d{{4}}-\d\d-\d\d\)$"),
                           ("debian/changelog", rf"^contraflow \({version}\) "),
                           ("doc/dependencies.spdx", rf"^PackageVersion: {version}$")):
            newest = re.search(line.replace(version, r"\S+"), (ROOT / file).read_text(), re.M)
            self.assertRegex(newest[0], line, file)

    def test_dependencies_are_those_of_the_programs(self):
        """Each program's libraries, as the linker noted them, have a package in the list, and the other way round.
        Optimization across files drops a library whose caller nobody calls: then some program needs it."""
        options = json.loads((BUILD / "meson-info/intro-buildoptions.json").read_text())
        optimized = next(option["value"] for option in options if option["name"] == "b_lto")
        listed = {}
        for libraries, programs in re.findall(r"^PackageComment: <text>(lib[^;]*); ([^;<]*)",
                                              (ROOT / "doc/dependencies.spdx").read_text(), re.M):
            for program in programs.split(", "):
                listed.setdefault(program, set()).update(libraries.split())
        self.assertIn("contraflow-mpi", listed)
        absent, everywhere = {"ld-linux-x86-64.so", "libm.so"}, set()
        sanitizers = {"libasan.so", "libubsan.so", "libgcc_s.so", "libstdc++.so", "libdl.so", "librt.so",
                      "libpthread.so", "libresolv.so"}
        for program, libraries in listed.items():
            path = BUILD / program
            if path.exists():
                said = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
                needed = {re.sub(r"\.so.*", ".so", name) for name in re.findall(r"NEEDED.*\[(.*)\]", said)}
                self.assertLessEqual(needed - sanitizers, libraries, program)
                if b"__asan_init" in path.read_bytes():  # AddressSanitizer and a filter of calls do not go together
                    absent.add("libseccomp.so")
                everywhere |= needed
                if not optimized:
                    self.assertLessEqual(libraries - needed - sanitizers, absent, program)
        built = set().union(*(libraries for program, libraries in listed.items() if (BUILD / program).exists()))
        self.assertLessEqual(built - everywhere - sanitizers, absent)


class Installed(e2e.Case):
    """`meson install` into a directory nobody configured: all of it may be moved."""

    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(tempfile.mkdtemp(prefix="contraflow-installed-"))
        cls.addClassCleanup(shutil.rmtree, cls.place)
        subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", cls.place], check=True,
                       capture_output=True)
        cls.program = next(cls.place.rglob("bin/contraflow"))
        cls.prefix = cls.program.parent.parent

    def installed(self, *args, program=None):
        # PATH has no other contraflow, and nothing of the sources or the build is near.
        return subprocess.run([program or self.program, *args], cwd=self.dir, capture_output=True, text=True,
                              env={"PATH": "/usr/bin:/bin"})

    def test_only_one_program_is_for_people(self):
        self.assertEqual([path.name for path in (self.prefix / "bin").iterdir()], ["contraflow"])
        self.assertIn("contraflow-native", [path.name for path in (self.prefix / "libexec/contraflow").iterdir()])

    def test_every_scenario_is_there(self):
        shared = self.prefix / "share/contraflow/scenarios"
        kinds = (".yaml", ".csv", ".goal")
        self.assertEqual({path.relative_to(shared) for path in shared.rglob("*") if path.suffix in kinds},
                         {path.relative_to(SCENARIOS) for path in SCENARIOS.rglob("*") if path.suffix in kinds})
        self.assertFalse([path for path in shared.rglob("*") if path.is_file() and path.suffix not in kinds])

    def complete(self, *words):
        """What bash offers for the last of the words."""
        script = self.prefix / "share/bash-completion/completions/contraflow"
        return subprocess.run(
            ["bash", "-c", f'. "{script}"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _contraflow; '
             'printf "%s\\n" "${COMPREPLY[@]}"', "bash", self.program, *words],
            cwd=self.dir, capture_output=True, text=True, check=True, env={"PATH": "/usr/bin:/bin"}).stdout.split()

    def test_bash_completes(self):
        self.write("stamp.txt", "")
        self.assertEqual(self.complete("expl"), ["explain"])
        self.assertEqual(self.complete("run", "--eng"), ["--engine", "--engines"])
        self.assertEqual(self.complete("run", "--engine", "l"), ["linux"])
        self.assertEqual(self.complete("run", "sta"), ["star", "stamp.txt"])
        self.assertEqual(self.complete("check", "sta"), ["stamp.txt"])
        self.assertEqual(self.complete("sweep", "fig"), ["fig4a", "fig4b"])
        self.assertEqual(self.complete("predict", "loss", "--one"), ["--one-minus-a"])
        self.assertEqual(self.complete("run", "--set", "network.nic.que"), ["network.nic.queue="])
        self.assertEqual(self.complete("fit", "--set", "traffic.flows.0.fr"), ["traffic.flows.0.from="])
        self.assertEqual(self.complete("replay", "--what-if", "fq"), ["fq_codel"])
        self.assertEqual(self.complete("replay", "--what-if", "bu"), ["buffer="])
        self.assertIn("replay", self.complete("help", ""))
        self.assertEqual(self.complete("replay", "--po"), ["--port"])  # of a page of its own

    def test_bash_offers_every_option_of_every_command(self):
        for page in (ROOT / "doc/commands").glob("*.md"):
            words = page.read_text().splitlines()[0].split(":")[0].split()[2:]
            words = words[:1] if words[:1] == ["replay"] else words
            options = re.findall(r"^- `(?:-\w`, `)?(--[a-z-]+)", page.read_text(), re.M)
            if options:
                self.assertLessEqual(set(options), set(self.complete(*words, "--")), page)

    def test_zsh_and_fish_take_their_files(self):
        for shell, file in (("zsh", "zsh/site-functions/_contraflow"), ("fish", "fish/vendor_completions.d/contraflow.fish")):
            with self.subTest(shell):
                e2e.require(shell)
                subprocess.run([shell, "-n", self.prefix / "share" / file], check=True)
        done = subprocess.run(["fish", "--no-config", "-c", f"source {self.prefix}/share/fish/vendor_completions.d/contraflow.fish; "
                               "complete -C 'contraflow expl'; complete -C 'contraflow run --engine n'; "
                               "complete -C 'contraflow predict loss --one'; complete -C 'contraflow run sta'; "
                               "complete -C 'contraflow run --set network.nic.que'; "
                               "complete -C 'contraflow replay --what-if ack-fil'"],
                              cwd=self.dir, capture_output=True, text=True, check=True,
                              env={"PATH": f"{self.program.parent}:/usr/bin:/bin", "HOME": str(self.dir)})
        self.assertEqual([line.split("\t")[0] for line in done.stdout.splitlines()],
                         ["explain", "native", "ns3", "--one-minus-a", "star", "network.nic.queue=", "ack-filter"])

    def test_manual_pages_are_clean(self):
        e2e.require("mandoc")
        pages = sorted((self.prefix / "share/man/man1").iterdir())
        self.assertEqual({page.name for page in pages},
                         {"contraflow" + ("" if page.stem == "contraflow" else "-" + page.stem) + ".1"
                          for page in (ROOT / "doc/commands").glob("*.md")})
        done = subprocess.run(["mandoc", "-Tlint", "-Wwarning", *pages], capture_output=True, text=True)
        self.assertEqual(done.stdout, "")
        for page in pages:
            shown = subprocess.run(["mandoc", "-Tascii", page], capture_output=True, text=True, check=True).stdout
            shown = re.sub(".\b", "", shown)
            self.assertIn("EXIT STATUS", shown, page)
            self.assertIn(page.stem + " - ", " ".join(shown.split()), page)

    def test_every_schema_is_shown(self):
        book = self.prefix / "share/doc/contraflow/schemas"
        files = sorted((ROOT / "doc/schemas").glob("*.json"))
        self.assertEqual(sorted(path.name for path in book.iterdir()), [path.name for path in files])
        for path in files:
            self.assertEqual(self.installed("help", "--schema", *path.stem.split("-")).stdout, path.read_text())
            self.assertEqual((book / path.name).read_text(), path.read_text())

    def test_star_by_name(self):
        done = self.installed("run", "star", *SHORT[1:])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("out1", done.stdout)
        self.assertEqual(listed(self.installed("run", "--list").stdout), listed(self.good("run", "--list").stdout))

    def test_moved_and_linked(self):
        """A moved tree works, and so does a link to its program."""
        moved = self.dir / "elsewhere"
        shutil.copytree(self.prefix, moved)
        link = self.dir / "link"
        link.symlink_to(moved / "bin/contraflow")
        for program in (moved / "bin/contraflow", link):
            done = self.installed("run", "star", *SHORT, program=program)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(self.installed("help", "--schema", "check", program=link).stdout.startswith("{"))
        shutil.rmtree(moved / "share")
        self.assertIn("no share/contraflow/schemas", self.installed("help", "--schema", "check", program=link).stderr)
        self.assertIn("are not there", self.installed("run", "--list", program=link).stderr)
