# SPDX-License-Identifier: GPL-2.0-or-later
"""libcontraflow.so as somebody else meets it: installed, found by pkg-config, from C, C++ and Python; its examples
against what the program says of the same capture; its ABI against what version 0 promised."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import e2e  # noqa: E402
from e2e import CONTRAFLOW, ROOT  # noqa: E402

BUILD = CONTRAFLOW.parent
EXAMPLES = ROOT / "examples"
CAPTURE = ROOT / "test/data/captures/fifo-2in-1out.pcap.gz"
STRICT = ("-std=c17", "-Wall", "-Wextra", "-Werror")


class Library(e2e.Case):
    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(tempfile.mkdtemp(prefix="contraflow-library-"))
        cls.addClassCleanup(shutil.rmtree, cls.place)
        subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", cls.place], check=True,
                       capture_output=True)
        cls.library = next(cls.place.rglob("libcontraflow.so.0"))
        cls.environment = {**os.environ, "LD_LIBRARY_PATH": str(cls.library.parent)}

    def flags(self, which):
        config = next(self.place.rglob("contraflow.pc"))
        said = subprocess.run(["pkg-config", which, "contraflow"], capture_output=True, text=True, check=True,
                              env={**os.environ, "PKG_CONFIG_PATH": str(config.parent),
                                   "PKG_CONFIG_SYSROOT_DIR": str(self.place)})
        return said.stdout.split()

    def example(self, name, *args):
        program = self.dir / name
        subprocess.run(["cc", *STRICT, EXAMPLES / f"{name}.c", "-o", program, *self.flags("--cflags"),
                        *self.flags("--libs")], check=True)
        return subprocess.run([program, *args], capture_output=True, text=True, cwd=self.dir, env=self.environment)

    def test_flows_are_those_of_analyze(self):
        done = self.example("flows", CAPTURE)
        self.assertEqual(done.returncode, 0, done.stderr)
        shown = re.findall(r"(?m)^(\S+) > (\S+): (\S+) Mb/s", done.stdout)
        flows = [f for f in self.json("analyze", CAPTURE)["flows"] if f["steady_goodput_bps"]]
        self.assertEqual(len(flows), 3)
        for f in flows:
            [rate] = [rate for src, dst, rate in shown if (src, dst) == (f["src"], f["dst"])]
            self.assertAlmostEqual(float(rate) * 1e6 / f["steady_goodput_bps"], 1, delta=0.03)

    def test_flows_too_short_for_a_rate_have_none(self):
        """A control connection of iperf3 is a few hundred bytes."""
        shown = self.example("flows", CAPTURE).stdout
        self.assertNotIn("nan", shown)
        self.assertRegex(shown, r"(?m)^10\.9\.0\.\d:\d+ > 10\.9\.0\.\d:\d+: \d{1,3} B$")

    def test_headers_keep_tags_of_their_own(self):
        """A program may have an `error` itself."""
        self.write("own.c", "struct error { int mine; };\nenum error_code { MINE };\n"
                            "#include <analysis/rules/check_capture.h>\n"
                            "int main(void) { struct error e = {MINE}; struct contraflow_error theirs = {0};\n"
                            "  return e.mine + (int)theirs.code; }\n")
        subprocess.run(["cc", *STRICT, *self.flags("--cflags"), "-fsyntax-only", self.dir / "own.c"], check=True)

    def test_diagnosis_is_that_of_check(self):
        done = self.example("diagnosis", CAPTURE)
        [said] = self.json("check", CAPTURE)["resources"]
        self.assertEqual(done.stdout, f"host {said['host']}: {said['diagnosis']['asymmetry']}: "
                                      f"{said['diagnosis']['why']}\n")
        self.assertIn("yes", done.stdout)

    def test_star_is_emulated(self):
        done = self.example("star", "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        [host] = json.loads(done.stdout)
        self.assertEqual((host["host"], host["diagnosis"]["asymmetry"]), ("h0", "yes"))
        self.assertEqual(host["diagnosis"], self.json("check", "out", "--quick")["resources"][0]["diagnosis"])
        self.good("run", "out/scenario.yaml", "-q", "-o", "again")
        self.assertEqual((self.dir / "again/h0.pcap").read_bytes(), (self.dir / "out/h0.pcap").read_bytes())

    def test_what_fails_says_why(self):
        done = self.example("flows", "nowhere.pcap")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("nowhere.pcap", done.stderr)
        self.write("file", "")
        self.assertIn("file", self.example("star", "file").stderr)

    def test_python_draws(self):
        done = subprocess.run(["/usr/bin/python3", EXAMPLES / "rates.py", CAPTURE, "rates.png"], cwd=self.dir,
                              capture_output=True, text=True, env={**self.environment, "MPLCONFIGDIR": str(self.dir)})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 3)
        self.assertEqual((self.dir / "rates.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_every_header_stands_alone(self):
        headers = sorted(next(self.place.rglob("include/contraflow")).rglob("*.h"))
        self.assertGreater(len(headers), 100)
        text = "".join(f'#include "{h}"\n' for h in headers)
        self.write("all.c", text)
        flags = [f for f in self.flags("--cflags")] + ["-D_GNU_SOURCE", "-fsyntax-only"]
        subprocess.run(["cc", *STRICT, *flags, self.dir / "all.c"], check=True)
        for header in headers[::9]:
            self.write("one.c", f'#include "{header}"\n')
            subprocess.run(["cc", *STRICT, *flags, self.dir / "one.c"], check=True)
        self.write("door.cc", "#include <contraflow.h>\nint main() { return *contraflow_version() == 0; }\n")
        subprocess.run(["c++", "-std=c++17", "-Wall", "-Werror", *flags, self.dir / "door.cc"], check=True)

    def test_abi_is_that_of_version_0(self):
        e2e.require("abidiff")
        old, only = self.dir / "libcontraflow.so", self.write(
            "only", "[suppress_function]\n symbol_name_not_regexp = ^contraflow_\n"
                    "[suppress_variable]\n name_regexp = .*\n")
        subprocess.run(["cc", "-g", "-shared", "-fPIC", "-Wl,-soname,libcontraflow.so.0",
                        f"-Wl,--version-script={ROOT}/library/contraflow.map", ROOT / "test/library/abi_0.c", "-o", old],
                       check=True)
        done = subprocess.run(["abidiff", "--suppressions", only, old, self.library], capture_output=True, text=True)
        self.assertEqual(done.returncode & 12, 0, done.stdout)

    def test_nothing_else_is_exported(self):
        said = subprocess.run(["nm", "-D", "--defined-only", self.library], capture_output=True, text=True, check=True)
        names = [line.split()[2].split("@")[0] for line in said.stdout.splitlines()]
        rooms = ("analysis", "capture", "error", "estimate", "judge", "model", "results", "scenario", "study", "units", "view",
                 "contraflow")
        self.assertEqual([n for n in names if n.split("_")[0] not in rooms and not n.startswith("CONTRAFLOW")], [])
        self.assertIn("contraflow_diagnose", names)
