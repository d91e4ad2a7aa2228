# SPDX-License-Identifier: GPL-2.0-or-later
"""Databases of sweeps that somebody else wrote, or that are broken: one line and exit status 2, nothing runs that they
name, and nothing that only reads them writes."""
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import tempfile

import e2e
import test_sweep

READING = (("sweep", "export", "x.db"), ("sweep", "export", "--flows", "x.db"), ("fit", "x.db"),
           ("report", "-o", "x.html", "x.db"), ("sweep", "merge", "all.db", "x.db"))
WRITING = (("sweep", "s.yaml", "-q", "-o", "x.db"), ("sweep", "merge", "x.db", "good.db"))
POINTS, FLOWS, FIT, REPORT, MERGE = range(5)


class Case(test_sweep.Case):
    @classmethod
    def setUpClass(cls):
        cls.made = pathlib.Path(tempfile.mkdtemp(prefix="contraflow-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.made)
        (cls.made / "s.yaml").write_text(
            test_sweep.SWEEP.format(scenario=e2e.ROOT / "scenarios/star.yaml").replace("[100kB, 1MB]", "[100kB]"))
        subprocess.run([e2e.CONTRAFLOW, "sweep", "s.yaml", "-q", "-o", "good.db"], cwd=cls.made, check=True)

    def setUp(self):
        super().setUp()
        shutil.copy(self.made / "s.yaml", self.dir)
        shutil.copy(self.made / "good.db", self.dir)

    def odd(self, sql, schema=True):
        """x.db: the good one after `sql`, which no constraint kept from anything; `schema`: its tables say so."""
        for path in self.dir.glob("x.db*"):
            path.unlink()
        good, bad = sqlite3.connect(self.dir / "good.db"), sqlite3.connect(self.dir / "x.db")
        tables = good.execute("SELECT name, sql FROM sqlite_master ORDER BY type DESC, name").fetchall()
        for name, text in tables:
            bad.execute(text.replace(" NOT NULL", ""))
        for name in ("sweep", "point", "flow"):
            for row in good.execute(f"SELECT * FROM {name}"):
                bad.execute(f"INSERT INTO {name} VALUES({', '.join('?' * len(row))})", row)
        bad.executescript(sql)
        bad.executescript(f"PRAGMA user_version = {good.execute('PRAGMA user_version').fetchone()[0]};"
                          "PRAGMA writable_schema = ON")
        for name, text in tables if schema else ():
            bad.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (text, name))
        bad.commit()
        bad.close()
        good.close()

    def refuse(self, commands, *words):
        """Each says so in one line; whatever it has printed by then."""
        before = (self.dir / "x.db").read_bytes()
        for command in commands:
            done = self.call(*command, timeout=20)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), (command, done.stderr))
            for word in ("x.db", *words):
                self.assertIn(word, done.stderr, command)
            self.assertEqual((self.dir / "x.db").read_bytes(), before)
            self.assertFalse((self.dir / "all.db").exists())


class Values(Case):
    def test_values_that_cannot_be_are_named(self):
        everything, every_point, every_flow = (*READING, *WRITING), READING[:3], (READING[i] for i in (FLOWS, FIT))
        point = "UPDATE point SET "
        for sql, commands, *words in (
                ("UPDATE sweep SET title = NULL", everything, "NULL value in sweep.title"),
                ("DELETE FROM sweep", everything, "table sweep has 0 rows"),
                ("INSERT INTO sweep SELECT * FROM sweep", everything, "table sweep has 2 rows"),
                ("UPDATE sweep SET points = 0", everything, "points is '0' instead of a whole number from 1 to"),
                ("UPDATE sweep SET points = 3", everything, "a point 4 in a sweep of 3"),
                ("UPDATE sweep SET title = x'ff'", READING[MERGE:], "title is bytes that are no text"),
                (point + "axes = NULL", everything, "NULL value in point.axes"),
                (point + "axes = '[1'", every_point, "axes is '[1' instead of a JSON object"),
                (point + "axes = '{\"a\":{}}' WHERE number = 2", every_point, "point 2: axes is '{\"a\":{}}'"),
                (point + "axes = '{\"a\":1.5}'", every_point, "axes is '{\"a\":1.5}' instead of a JSON object of"),
                (point + "axes = '{\"a\":1}' WHERE number = 3", READING[:2], "point 3 has other axes than the first"),
                (point + "state = NULL", everything, "NULL value in point.state"),
                (point + "state = 'lost' WHERE number = 3", everything, "point 3: state is 'lost' instead of one of "
                 "waiting, running, done, failed"),
                (point + "state = x'646f6e65'", everything, "point 1: state is bytes that are no text"),
                (point + "state = 'done' || char(0)", everything, "point 1: state is 'done' and a NUL"),
                (point + "number = -number", everything, "number is '-1'"),
                (point + "scenario = NULL", everything, "NULL value in point.scenario"),
                (point + "scenario = zeroblob(9)", READING[FIT:], "point 1: scenario is bytes that are no text"),
                (point + "scenario = char(0) || scenario", READING[FIT:], "point 1: scenario is '' and a NUL"),
                (point + "scenario = CAST(x'c328' AS TEXT)", READING[FIT:], "point 1: scenario is bytes that"),
                (point + "seed = 'x'", READING, "point 1: seed is 'x' instead of a whole number from 0"),
                (point + "seed = -1", READING, "seed is '-1'"),
                (point + "wall_s = 9e999", (READING[POINTS], READING[MERGE]), "point 1: wall_s is 'Inf' instead of"),
                (point + "program = NULL", everything, "NULL value in point.program"),
                (point + "program = 'sh'", READING[MERGE:], "point 1: program is 'sh' instead of one of ns3, native"),
                ("UPDATE flow SET src = NULL", everything, "NULL value in flow.src"),
                ("UPDATE flow SET src = replace(hex(zeroblob(16)), '00', 'h0')", every_flow, "src is 'h0h0",
                 "text of at most 31 bytes"),
                ("UPDATE flow SET bytes = -5 WHERE point = 2", (READING[i] for i in (FLOWS, FIT, REPORT, MERGE)),
                 "point 2: bytes is '-5' instead of a whole number from 0"),
                ("UPDATE flow SET bytes = 9e18", READING[FIT:], "bytes is '9000000000000000000'"),
                ("UPDATE flow SET goodput_bps = 'abc'", READING[FIT:], "goodput_bps is 'abc' instead of a number"),
                ("UPDATE flow SET steady_goodput_bps = 1e308", READING[FIT:], "steady_goodput_bps is '1.0e+308'"),
                ("UPDATE flow SET end_s = 1e7", READING[FIT:], "end_s is '10000000.0' instead of a number from 0 to")):
            with self.subTest(sql=sql):
                self.odd(sql)
                self.refuse(commands, *words)

    def test_a_point_runs_on_an_engine_whatever_its_program_is_called(self):
        self.write("evil", "#!/bin/sh\ntouch ran\n").chmod(0o755)
        for program in ("/../../" * 9 + str(self.dir / "evil"), "native;touch ran", "mpi", ""):
            self.odd(f"UPDATE point SET state = 'waiting', program = '{program}'; DELETE FROM flow")
            self.bad(2, ["x.db: point 1: program is", "instead of one of ns3, native"], *WRITING[0])
        self.assertFalse((self.dir / "ran").exists())

    def test_what_is_unknown_is_an_empty_field(self):
        self.odd("UPDATE point SET engine = NULL, version = NULL, wall_s = NULL; UPDATE flow SET goodput_bps = NULL")
        for command in READING:
            self.good(*command)
        self.assertIn(",done,,,,,,,\n", self.good("sweep", "export", "x.db").stdout)


class Schema(Case):
    def test_other_tables_than_those_of_a_sweep_are_refused(self):
        recursive = ("ALTER TABLE point RENAME TO other; CREATE VIEW point AS WITH RECURSIVE r AS (SELECT * FROM other "
                     "UNION ALL SELECT number + 1, axes, scenario, seed, state, pid, pid_start, error, program, wall_s,"
                     " engine, version FROM r) SELECT * FROM r")
        wide = "".join(f"ALTER TABLE flow ADD COLUMN column_number_{i};" for i in range(400))
        for sql, *words in (
                (recursive, "has a view 'point' where a sweep has a table 'flow'"),
                (wide, "too many columns on flow"),
                ("ALTER TABLE flow ADD COLUMN more TEXT", "its table flow has"),
                ("ALTER TABLE point RENAME COLUMN error TO errors", "its table point has"),
                ("DROP TABLE flow", "where a sweep has a table 'flow'"),
                ("DROP INDEX point_state", "has no index 'point_state'"),
                ("CREATE TABLE other(x)", "has a table 'other'"),
                ("CREATE TRIGGER t AFTER UPDATE ON point BEGIN DELETE FROM point; END", "has a trigger 't'"),
                ("CREATE INDEX i ON flow(abs(bytes))", "has a index 'i'"),
                ("ALTER TABLE sweep ADD COLUMN g AS (hex(zeroblob(1e8)))", "its table sweep has")):
            with self.subTest(sql=sql[:60]):
                self.odd(sql, schema=False)
                with sqlite3.connect(self.dir / "x.db") as db:
                    # All else is as it should be.
                    db.execute("PRAGMA writable_schema = ON")
                    for name, text in self.query("SELECT name, sql FROM sqlite_master", "good.db"):
                        db.execute("UPDATE sqlite_master SET sql = ? WHERE name = ? AND replace(?, ' NOT NULL', '') = "
                                   "sql", (text, name, text))
                db.close()
                self.refuse((*READING, *WRITING), *words)

    def test_a_program_may_look_closer_at_its_own(self):
        with sqlite3.connect(self.dir / "good.db") as db:
            db.execute("ANALYZE")
        db.close()
        self.good("sweep", "export", "good.db")


class Bytes(Case):
    def test_a_file_that_is_cut_or_scribbled_on_is_bad_input(self):
        """Or still readable: never a system that failed, a crash, or a wait."""
        good, draw, refused = (self.dir / "good.db").read_bytes(), random.Random(17), 0
        for i in range(40):
            data = bytearray(good)
            if i % 2:
                del data[draw.randrange(1, len(data)):]
            else:
                for _ in range(draw.choice((1, 10, 100))):
                    data[draw.randrange(100, len(data))] = draw.choice((0, 1, 5, 13, 127, 128, 255))
            (self.dir / "x.db").write_bytes(data)
            done = self.call(*READING[i // 2 % 5], timeout=20)
            self.assertIn(done.returncode, (0, 2), done.stderr)
            if done.returncode:
                self.assertRegex(done.stderr, r"\Acontraflow: x.db: .*\n\Z")
                refused += 1
            (self.dir / "all.db").unlink(missing_ok=True)
        self.assertGreater(refused, 20)

    def test_pages_that_are_their_own_children_end(self):
        self.odd("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 99) INSERT INTO flow(point, "
                 "name, src, dst) SELECT 9, i, 'h0', 'h1' FROM n")
        db = sqlite3.connect(self.dir / "x.db", isolation_level=None)
        db.executescript("PRAGMA journal_mode = OFF; PRAGMA page_size = 512; VACUUM")
        (root,), = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'flow'")
        db.close()
        data = bytearray((self.dir / "x.db").read_bytes())
        page = 512 * (root - 1)
        self.assertEqual(data[page], 2)  # inner page of an index: it has children
        data[page + 8:page + 12] = root.to_bytes(4, "big")
        (self.dir / "x.db").write_bytes(data)
        self.refuse((*READING, *WRITING), "damaged")

    def test_what_is_no_file_is_not_read(self):
        os.mkfifo(self.dir / "pipe.db")
        (self.dir / "folder.db").mkdir()
        for name in ("pipe.db", "folder.db"):
            self.bad(2, [name, "not a file"], "sweep", "export", name, timeout=20)


class Reading(Case):
    def test_reading_writes_nothing(self):
        shutil.copy(self.dir / "good.db", self.dir / "x.db")
        before = {p.name: p.read_bytes() for p in self.dir.iterdir()}
        for command in READING:
            self.good(*command)
        for name in ("x.html", "all.db"):
            (self.dir / name).unlink()
        self.assertEqual({p.name: p.read_bytes() for p in self.dir.iterdir()}, before)

    def test_a_journal_beside_it_is_not_played(self):
        """A journal says what to put back, and names a file that SQLite would remove."""
        shutil.copy(self.dir / "good.db", self.dir / "x.db")
        (self.dir / "precious").touch()
        name = str(self.dir / "precious").encode()
        journal = bytes.fromhex("d9d505f920a163d7") + bytes(4) + bytes(4) + bytes(3) + b"\x08" + b"\0\0\x02\0\0\0\x10\0"
        journal = journal.ljust(512, b"\0") + b"\0\0\0\1" + name + len(name).to_bytes(4, "big") + \
            sum(name).to_bytes(4, "big") + bytes.fromhex("d9d505f920a163d7")
        for command in (*READING, *WRITING):
            (self.dir / "x.db-journal").write_bytes(journal)
            done = self.call(*command)
            self.assertEqual((self.dir / "precious").exists(), True, (command, done.stderr))
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), (command, done.stderr))

    def test_a_finished_sweep_is_read_from_a_disk_that_cannot_be_written(self):
        e2e.require("unshare")
        self.good("sweep", "s.yaml", "-q", "-o", "x.db")
        self.good("sweep", "merge", "merged.db", "x.db", "-q")
        self.good("sweep", "merge", "merged.db", "good.db", "-q")
        self.assertEqual([p.name for p in self.dir.glob("*.db-*")], [])
        names = ("export x.db", "export --flows merged.db", "export good.db")
        script = ("mount --bind . . && mount -o remount,ro,bind . . && cd \"$PWD\" && ! touch here 2>/dev/null && " +
                  " && ".join(f"'{e2e.CONTRAFLOW}' sweep {name}" for name in names))
        done = subprocess.run(["unshare", "--map-root-user", "--user", "--mount", "sh", "-c", script], cwd=self.dir,
                              capture_output=True, text=True, timeout=60)
        if "unshare" in done.stderr:
            self.skipTest(done.stderr.strip())  # a container that gives no namespace
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.count("\n"), 2 * (1 + 4) + 1 + 2 * (2 + 3))

    def test_a_running_sweep_is_read_and_ends_as_one_file(self):
        self.write("s.yaml", self.sweep.read_text().replace("seeds: 2", "seeds: 12"))
        running = self.start("-o", "live.db", "-q")
        read = 0
        while running.poll() is None:
            if (self.dir / "live.db").exists():
                self.assertEqual(self.good("sweep", "export", "live.db").stdout.count("\n"), 1 + 24)
                read += 1
        self.assertEqual((running.communicate()[1], running.returncode), ("", 0))
        self.assertGreater(read, 0)
        self.assertEqual(self.good("sweep", "export", "live.db").stdout.count(",done,"), 24)

    def test_the_last_of_two_leaves_one_file(self):
        both = [self.start("--jobs", "1", "-o", "x.db", "-q") for _ in range(2)]
        self.assertEqual([(p.communicate(timeout=120)[1], p.returncode) for p in both], [("", 0), ("", 0)])
        self.assertEqual([p.name for p in self.dir.glob("x.db*")], ["x.db"])
        self.assertEqual((self.dir / "x.db").read_bytes()[18:20], b"\1\1")  # no WAL
