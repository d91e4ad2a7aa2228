#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The arrows of the house: who may include whom; no C++ outside the shim; no GSL near ns-3."""
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(sys.argv[2])
BUILD = pathlib.Path(sys.argv[1]).parent
NOT_ROOMS = {"test"}  # folders with C sources that may include any room


def arrows():
    """Room -> rooms it may include besides itself, from the table in doc/architecture.md."""
    rows = re.findall(r"^\| `([\w/]+)/` \| [^|]+ \| ([^|]+) \|$", (ROOT / "doc/architecture.md").read_text(), re.M)
    return {room: set(re.findall(r"`([\w/]+)/`", may)) for room, may in rows}


MAY = arrows()
# The one program of cli/ that is linked with ns-3 keeps clear of rooms that may use GSL.
ENGINE_MAIN = "cli/programs/engine_main.c"
NO_GSL = {"base", "emu", "capture", "scenarios"}


def room_of(path):
    """The room of a file or an include, "emu/native" rather than "emu"; None for what has no room."""
    return max((room for room in MAY if path.startswith(room + "/")), key=len, default=None)


def sources():
    """(top folder, path) of every source in a room."""
    for folder in sorted({room.split("/")[0] for room in MAY}):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".c", ".h", ".cc"):
                yield folder, path


def includes(path):
    return re.findall(r'^\s*#\s*include\s*(["<][^">]+)', path.read_text(), re.M)


class Arrows(unittest.TestCase):
    def test_every_include_follows_an_allowed_arrow(self):
        count = 0
        for _, path in sources():
            room = room_of(str(path.relative_to(ROOT)))
            for include in includes(path):
                if include[0] == '"':
                    if include.startswith('"ns3/'):
                        self.assertEqual(room, "emu/ns3", str(path))
                        continue
                    self.assertIn(room_of(include[1:]), MAY[room] | {room}, f"{path}: {include}")
                    count += 1
        self.assertGreater(count, 50)

    def test_memory_comes_from_one_place(self):
        """Where there is none, base/memory.c ends the process: nobody goes on with less, and nobody says nothing."""
        alone = r"(?<![\w.>])(malloc|calloc|realloc|aligned_alloc|strn?dup|v?asprintf|open_memstream)\("
        for _, path in sources():
            if path.suffix == ".c" and path != ROOT / "base/memory.c":
                self.assertIsNone(re.search(alone, path.read_text()), path)

    def test_the_table_names_every_folder_with_sources_and_no_other(self):
        self.assertGreater(len(MAY), 5)
        for room, may in MAY.items():
            self.assertTrue((ROOT / room).is_dir(), room)
            self.assertLessEqual(may, set(MAY), room)
        built = {path.parent.name for path in ROOT.glob("*/meson.build") if any(path.parent.rglob("*.c"))}
        self.assertLessEqual(built - NOT_ROOMS, set(MAY))

    def test_scenarios_sees_only_plain_structs_of_model(self):
        for folder, path in sources():
            if folder == "scenarios":
                for include in includes(path):
                    self.assertNotRegex(include, r'"model/(?!collective|platform|pattern|schedule)', str(path))

    def test_gsl_stays_in_model_analysis_and_cli(self):
        for folder, path in sources():
            for include in includes(path):
                if include.startswith("<gsl"):
                    self.assertNotIn(folder, NO_GSL, str(path))
        for include in includes(ROOT / ENGINE_MAIN):
            self.assertNotRegex(include, r'gsl|"model/|"analysis/')

    def test_cplusplus_only_in_the_shim_and_not_through_its_header(self):
        for _, path in sources():
            if path.suffix == ".cc":
                self.assertIn("emu/ns3/", str(path))
        self.assertNotRegex((ROOT / "emu/engine.h").read_text(), r"ns3::|#include\s*<[a-z]+>|class |template")

    def test_only_cli_prints_or_exits(self):
        for folder, path in sources():
            if folder != "cli":
                code = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
                if path == ROOT / "base/memory.c":  # ends the process when there is no memory to go on with
                    self.assertEqual(len(re.findall(r"\bexit\(", code)), 1)
                    code = code.replace("exit(3);", "")
                self.assertNotRegex(code, r"\bexit\(|\babort\(|\bprintf\(|\bputs\(", str(path))

    def test_engine_program_asks_for_no_gsl_itself(self):
        program = BUILD / "contraflow-ns3"
        if not program.exists():
            self.skipTest("contraflow-ns3 is not built")
        needed = subprocess.run(["readelf", "-d", str(program)], capture_output=True, text=True, check=True).stdout
        self.assertIn("libns3", needed)
        self.assertNotIn("libgsl", needed)


class Files(unittest.TestCase):
    def test_every_source_names_its_license(self):
        for _, path in sources():
            self.assertIn("SPDX-License-Identifier: GPL-2.0-or-later", path.read_text()[:200], str(path))

    def test_no_string_is_built_without_a_bound(self):
        """Nor with one that wraps: snprintf() to a place within an array is base/text.h's own."""
        unbounded = re.compile(r"\b(st[rp]n?cpy|strn?cat|v?sprintf|gets|alloca)\s*\(|scanf\s*\([^;]*%l?[s[]"
                               r"|\bv?snprintf\(\s*[^,]*\w[^,]*(?<!\+)\+(?!\+)")
        for text in ("strcat(a, b)", "p = stpcpy (a, b)", "n = sprintf(a, b)", "alloca(n)", 'sscanf(a, "%s", b)',
                     "snprintf(a + n, sizeof a - n, b)", "vsnprintf(&a[n] + 1, m, b, c)"):
            self.assertRegex(text, unbounded)
        for text in ('sscanf(a, "%*s %f", b)', "snprintf(a, sizeof a + 1, b)", "snprintf(a[i++], n, b)"):
            self.assertNotRegex(text, unbounded)
        for path in sorted(ROOT.rglob("*.[ch]")) + sorted(ROOT.rglob("*.cc")):
            name = path.relative_to(ROOT)
            if not name.parts[0].startswith(("build", ".")) and str(name) != "base/text.c":
                for number, line in enumerate(path.read_text().splitlines(), 1):
                    self.assertNotRegex(line, unbounded, f"{name}:{number}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
