# SPDX-License-Identifier: GPL-2.0-or-later
"""Text of others - names of files, keys and values of files - that would rather be something else: an order to the
terminal, a formula, a line of its own, a number without an end."""
import csv
import os
import re
import shutil
import subprocess

import e2e

EVIL = "a\033[2J\033]0;title\a\r\x9b31m\n=1+1"
SMALL = "duration: 50ms\nwarmup: 10ms\nnetwork: {link: {rate: 100Mbps}}\ntcp: {window: 100kB}\n"
CAPTURE = e2e.ROOT / "test/data/captures/fifo-2in-1out.pcap.gz"
COMMANDS = (["run"], ["sweep"], ["sweep", "merge", "x.db"], ["sweep", "export"], ["analyze"], ["check"], ["fit"],
            ["report"], ["explain"], ["predict"], ["predict", "loss", "--trace"], ["predict", "exchange", "--fit"],
            ["replay"], ["replay", "--port", "100M"], ["plot"])
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]")


class Terminal(e2e.Case):
    def clean(self, *args):
        """No stream holds a control character; what is an error is one line."""
        done = self.call(*args)
        for text in (done.stdout, done.stderr):
            self.assertNotRegex(text, CONTROL, args)
        if done.returncode >= 2:
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertTrue(done.stderr.startswith("contraflow: "), done.stderr)
        return done

    def test_no_name_of_a_file_moves_the_cursor_or_makes_a_line(self):
        for command in COMMANDS:
            for name in (EVIL, "-" + EVIL, "--" + EVIL, EVIL + ".db"):
                self.assertGreaterEqual(self.clean(*command, name).returncode, 2, command)
        self.clean(EVIL)
        self.clean("help", EVIL)

    def test_no_name_of_a_capture_or_a_run_does(self):
        shutil.copy(CAPTURE, self.dir / EVIL)
        self.write("s.yaml", SMALL)
        self.good("run", "s.yaml", "-o", "run", "--quiet")
        shutil.copytree(self.dir / "run", self.dir / ("run" + EVIL))
        for name in (EVIL, "run" + EVIL):
            for command in (["analyze"], ["check"], ["explain"]):
                done = self.clean(*command, name)
                self.assertNotRegex(done.stdout + done.stderr, "(?m)^=1[+]1", command)
        rows = list(csv.reader(self.good("analyze", "--csv", EVIL).stdout.splitlines()))
        self.assertEqual(len({len(row) for row in rows}), 1)

    def test_no_key_or_value_of_a_file_does(self):
        for text in ('"%s": 1', "seed: \"%s\"", "%s", "tcp: {\"%s\": 2}", "? \"%s\"", "title: [\"%s\"]"):
            for spelt in ("\\e[2J\\n=1+1", "\\u009b31m", "\\u202e", "\\0", "\x01"):
                self.write("s.yaml", text % spelt + "\n")
                for command in (["run", "--quiet"], ["predict"], ["sweep"]):
                    self.assertEqual(self.clean(*command, "s.yaml").returncode, 2, (command, text, spelt))
        self.write("s.yaml", SMALL)
        self.clean("predict", "s.yaml", "--set", EVIL)
        self.clean("predict", "s.yaml", "--set", "seed=" + EVIL)

    def test_a_title_with_escapes_is_printed_without(self):
        self.write("s.yaml", 'title: "\\e[31mred\\e[0m"\n' + SMALL)
        self.assertEqual(self.clean("run", "s.yaml", "-o", "out").returncode, 0)
        self.assertIn(self.clean("check", "out").returncode, (0, 1, 4))


class Full(e2e.Case):
    def test_every_command_sees_that_its_output_is_lost(self):
        self.write("s.yaml", SMALL)
        self.good("run", "s.yaml", "-o", "run", "--quiet")
        commands = [["--version"], ["--help"], ["help"], ["help", "run"], ["run", "--keys"], ["predict", "s.yaml"],
                    ["analyze", CAPTURE], ["analyze", "--csv", CAPTURE], ["analyze", "--json", CAPTURE],
                    ["check", "run"], ["explain", "run"], ["fit", "run"]]
        commands += [[*dict.fromkeys(c[:2] if c[0] == "predict" else c[:1]), "--help"] for c in COMMANDS]
        for command in commands:
            with open("/dev/full", "w") as full:
                done = subprocess.run([str(e2e.CONTRAFLOW), *map(str, command)], cwd=self.dir, stdout=full,
                                      stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(done.returncode, 3, command)
            self.assertRegex(done.stderr, "^contraflow: standard output: cannot be written: No space left.*\n$")
        for engine in ("native", "ns3"):
            if os.access(program := f"{e2e.CONTRAFLOW}-{engine}", os.X_OK):
                with open("/dev/full", "w") as full:
                    self.assertEqual(subprocess.run([program, "--help"], stdout=full).returncode, 3)


class Files(e2e.Case):
    def refused(self, text, *words, command=("predict",), name="s.yaml"):
        (self.dir / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        before = os.times().children_user
        done = self.bad(2, list(words), *command, name)
        self.assertLess(os.times().children_user - before, 1)  # sanitized, too
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertGreater(len(done.stderr), len("contraflow: s.yaml: "))

    def test_what_is_no_scenario_is_said(self):
        for text in ('""', "!x", "|", "&a", "&a \n", "~", "*a", "? ", "- ", "---", "...", "%YAML 1.1", "!!str", "{", "]",
                     "", "#", "\ufeff", "\0"):
            for command in (("predict",), ("run", "-o", "out"), ("sweep",)):
                self.refused(text, "s.yaml", command=command)

    def test_what_would_take_long_is_refused_soon(self):
        for text in ("[" * 50000, "{a: " * 50000, "- " * 50000, "? " * 50000,
                     "".join(" " * i + "a:\n" for i in range(3000)),
                     "\n".join(f"k{i}: &a{i} x" for i in range(40000)),
                     "[" + ",".join(f"&a{i} x" for i in range(40000)) + "]",
                     "a: &a [x]\nb: [" + ",".join(["*a"] * 40000) + "]",
                     "".join(f"%TAG !a{i}! x\n" for i in range(200000)) + "--- {}\n",
                     'title: &a "' + "x" * 4000000 + '"\nb: [' + ",".join(["*a"] * 300) + "]\n",
                     'title: "' + "\n" * 4000000 + '"\n', "[" * 30 + '"a" , ' * 1000000, "x" * 20000000):
            self.refused(text, "s.yaml")

    def test_a_byte_order_mark_is_passed_over(self):
        (self.dir / "s.yaml").write_text("\ufeff" + SMALL, encoding="utf-8")
        (self.dir / "w.yaml").write_text("\ufefftitle: a\nscenario: s.yaml\naxes: {tcp.window: [1MB]}\n",
                                         encoding="utf-8")
        self.good("run", "s.yaml", "-o", "run", "--quiet")
        self.good("sweep", "w.yaml", "--quiet")
        flows = self.dir / "run/flows.csv"
        lines = [line for line in flows.read_text().splitlines() if not line.startswith("#")]
        flows.write_text("\ufeff" + "\n".join(lines) + "\n", encoding="utf-8")
        self.assertIn("h1", self.call("check", "--verbose", "run").stdout)

    def test_nobody_is_blamed_for_a_set_that_is_not_typed(self):
        self.write("list.yaml", "[seed]\n")
        self.write("s.yaml", SMALL)
        self.write("w.yaml", "title: a\nscenario: s.yaml\naxes: {tcp.window: [0]}\n")
        for args in (("predict", "list.yaml"), ("run", "s.yaml", "--engine", "warp"), ("predict", "s.yaml", "--seed", "x"),
                     ("sweep", "w.yaml"), ("sweep", "w.yaml", "--seed", "5")):
            self.assertNotIn("--set", self.bad(2, [], *args).stderr)

    def test_numbers_of_a_run_are_in_range(self):
        self.write("s.yaml", SMALL)
        self.good("run", "s.yaml", "-o", "run", "--quiet")
        flows = self.dir / "run/flows.csv"
        whole = flows.read_text().splitlines()
        head = next(i for i, line in enumerate(whole) if line.startswith("flow,"))
        for column in ("bytes", "start_s", "end_s", "goodput_bps", "steady_goodput_bps"):
            at = whole[head].split(",").index(column)
            for number in ("1e308", "-1", "nan", "inf", "1e999", "9" * 400, "12x"):
                row = head + 1 if number == "-1" else len(whole) - 1
                cells = whole[row].split(",")
                cells[at] = number
                flows.write_text("\n".join(whole[:row] + [",".join(cells)] + whole[row + 1:]) + "\n")
                done = self.bad(2, [f"run/flows.csv:{row + 1}: ", column], "check", "run")
                self.assertLess(len(done.stderr), 200)
        self.bad(2, f"run/flows.csv:{row + 1}: ", "plot", "run")
        flows.write_text("\n".join(whole) + "\n" + "7" * 5000000)
        self.bad(2, ["run/flows.csv", "longer than"], "check", "run")

    def test_a_transfer_of_any_size_ends(self):
        for size in ("10GB", "1TB", "9000000TB"):
            done = self.good("predict", e2e.ROOT / "scenarios/star.yaml", "--model", "fluid", "--set",
                             f"traffic.star.bytes={size}", timeout=60)
            self.assertRegex(done.stdout, r"in1 +h1 +h0 +\d+\.\d +463\.95 ")


class Sources(e2e.Case):
    def test_no_shell_and_no_command_language_sees_text_of_others(self):
        """Programs are started by their arguments; gnuplot's scripts and SQLite's are none of ours."""
        for path in sorted(e2e.ROOT.glob("*/**/*.[ch]")) + sorted(e2e.ROOT.glob("*/**/*.cc")):
            folder = path.relative_to(e2e.ROOT).parts[0]
            if folder in ("test", "demo") or folder.startswith("build"):
                continue
            code = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
            self.assertNotRegex(code, r"\b(system|popen|wordexp|gnuplot)\s*\(|\"/bin/(ba)?sh|\"(ba)?sh\"|\"gnuplot", path)
            self.assertNotRegex(code, r"\bexec[vl]pe?\s*\(", path)  # they have a shell run what is no program

    def test_nothing_but_the_guarded_streams_writes_to_a_terminal(self):
        """Descriptors 1 and 2 by number, in a process that people see: cli/cli.c alone."""
        for path in sorted(e2e.ROOT.glob("cli/**/*.c")):
            code = path.read_text()
            if path.name != "cli.c":
                self.assertNotRegex(code, r"\\033|\\x1b|\\r\b|dprintf|\bwrite\(|/dev/tty", path)
        for name in ("main.c", "mpi_main.c"):
            self.assertIn("cli_start();", next(e2e.ROOT.glob(f"cli/**/{name}")).read_text())


class Programs(e2e.Case):
    """traffic.programs: a scenario of somebody else's would start anything."""
    EVIL = "traffic: {programs: [{host: h0, command: [touch, 'a b', \"x\\e[2J\"]}, {host: h1, command: [touch, %s]}]}\n"

    def setUp(self):
        super().setUp()
        self.mark = self.dir / "mark"
        self.write("s.yaml", self.EVIL % self.mark)

    def refused(self, *args):
        done = self.bad(2, ["s.yaml: traffic.programs: ", f"touch 'a b' x\\x1b[2J, touch {self.mark}; "], *args)
        self.assertNotRegex(done.stderr, CONTROL)
        self.assertFalse(self.mark.exists())
        return done.stderr

    def test_nothing_starts_without_the_user_s_word(self):
        self.assertIn("--allow-programs", self.refused("run", "s.yaml", "-o", "out"))
        self.refused("run", "s.yaml", "-o", "out", "--engine", "linux", "--quiet")
        self.assertFalse((self.dir / "out").exists())

    def test_nothing_but_run_starts_any(self):
        self.write("w.yaml", "title: a\nscenario: s.yaml\naxes: {tcp.window: [1MB]}\n")
        shutil.copy(CAPTURE, self.dir / "c.pcap.gz")
        for args in (["sweep", "w.yaml"], ["infer", "c.pcap.gz", "--scenario", "s.yaml"],
                     ["run", "s.yaml", "--allow-programs", "--cross-check", "--engines", "linux,native"]):
            self.assertNotIn("give --allow-programs", self.refused(*args))
        self.bad(2, ["s.yaml: traffic.programs: "], "predict", "s.yaml")
        self.good("replay", "c.pcap.gz", "--scenario", "s.yaml")  # takes the network alone
        self.assertFalse(self.mark.exists())

    def test_no_command_hides_others(self):
        many = ", ".join(f"{{host: h0, command: [{'x' * 1000}{i}]}}" for i in range(3)) + \
            ", {host: h1, command: [rm, -rf, /]}"
        self.write("s.yaml", f"traffic: {{programs: [{many}]}}\n")
        self.bad(2, ["x..., ", "rm -rf /; read them"], "run", "s.yaml")
        self.write("s.yaml", "traffic: {programs: [" + ", ".join(["{host: h0, command: [ls, -l]}"] * 1 +
                   [f"{{host: h{i}, command: [{'x' * 1000}]}}" for i in range(1, 4000)]) + "]}\n")
        self.bad(2, ["ls -l, xxx", " and 39", " more; read them"], "run", "s.yaml")

    def test_no_engine_starts_any_by_itself(self):
        """A directory of somebody else's, with a scenario in it."""
        (self.dir / "d").mkdir()
        self.write("d/scenario.yaml", "engine: linux\n" + self.EVIL % self.mark)
        for engine in ("native", "ns3", "linux"):
            program = f"{e2e.CONTRAFLOW}-{engine}"
            if os.access(program, os.X_OK):
                done = subprocess.run([program, "d"], cwd=self.dir, capture_output=True, text=True)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("traffic.programs", done.stderr)
                self.assertFalse(self.mark.exists())
