# SPDX-License-Identifier: GPL-2.0-or-later
"""A sweep on many machines: by mpirun or in shards, it gives the rows of `--jobs 1`. And by ns-3, and on a terminal."""
import json
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import time
import unittest

import e2e
import test_sweep

needs_mpi = unittest.skipUnless(e2e.CONTRAFLOW and e2e.CONTRAFLOW.with_name("contraflow-mpi").exists(),
                                "contraflow-mpi is not built")
MPIRUN = ["mpirun", "--oversubscribe", *(["--allow-run-as-root"] if os.getuid() == 0 else []), "-n"]


class Case(test_sweep.Case):
    def setUp(self):
        super().setUp()
        self.tmp = self.dir / "tmp"
        self.tmp.mkdir()

    def mpi(self, n, *args, program=e2e.CONTRAFLOW, tmp=None):
        """mpirun in a session of its own; the others' TMPDIR is one of the test's. What MPI_Finalize() leaks is not
        AddressSanitizer's business with us."""
        e2e.require("mpirun")
        return subprocess.Popen([*MPIRUN, str(n), "env", f"TMPDIR={tmp or self.tmp}", "ASAN_OPTIONS=detect_leaks=0",
                                 str(program), "sweep", *map(str, args)], cwd=self.dir, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)

    def words(self, process, status=0):
        """What it said on standard error, without what mpirun adds."""
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, status, out + err)
        return [line for line in err.splitlines() if "contraflow" in line or "points" in line]

    def longer(self, duration):
        self.write("s.yaml", self.sweep.read_text().replace("duration: 50ms", f"duration: {duration}"))

    def states(self, database="s.db"):
        """Points by state; none while there is no database."""
        return dict(self.query("SELECT state, count(*) FROM point GROUP BY 1", database)
                    if (self.dir / database).exists() else [])

    def wait_for(self, process, state):
        while not self.states().get(state):
            self.assertIsNone(process.poll(), process.communicate() if process.poll() is not None else "")
            time.sleep(0.02)

    def processes(self):
        """Those that run in the test's directory."""
        found = []
        for p in pathlib.Path("/proc").iterdir():
            try:
                if p.name.isdigit() and (p / "cwd").resolve() == self.dir.resolve():
                    found.append(int(p.name))
            except OSError: # it has ended
                pass
        return found


@needs_mpi
class Mpi(Case):
    def test_its_rows_are_those_of_one_job(self):
        self.good("sweep", "s.yaml", "-q", "--jobs", 1, "-o", "one.db")
        words = self.words(self.mpi(3, "s.yaml"))
        self.assertEqual(words, ["8 of 8 points done, 8 of them now: s.db; as CSV: contraflow sweep export s.db"])
        self.assertEqual((self.rows(), self.leftovers() + list(self.tmp.iterdir())), (self.rows("one.db"), []))

    def test_every_process_but_the_first_works_in_its_own_directory(self):
        self.longer("10s")
        running = self.mpi(3, "s.yaml", "-q")
        seen = 0
        while running.poll() is None:
            self.assertLessEqual(self.states().get("running", 0), 2)
            seen = max(seen, self.states().get("running", 0))
            time.sleep(0.01)
        self.assertEqual((self.words(running), seen, list(self.tmp.iterdir())), ([], 2, []))

    def test_more_processes_than_points(self):
        self.write("s.yaml", self.sweep.read_text().replace("seeds: 2", "").replace("[100kB, 1MB]", "[1MB]"))
        self.assertIn("2 of 2 points done", self.words(self.mpi(5, "s.yaml"))[0])

    def test_killed_whole_it_goes_on_and_ends_as_if_undisturbed(self):
        self.longer("10s")
        self.good("sweep", "s.yaml", "-q", "-o", "whole.db")
        draw = random.Random(5)
        for kill in range(3):
            running = self.mpi(3, "s.yaml", "-q")
            self.wait_for(running, "running")
            time.sleep(draw.uniform(0, 0.05))
            os.killpg(running.pid, signal.SIGKILL) if kill == 1 else running.kill()
            running.communicate()
            patience = time.monotonic() + 20
            while self.processes() and time.monotonic() < patience:
                time.sleep(0.05)
            self.assertEqual(self.processes(), [])
        self.assertLess(self.states().get("done", 0), 8)
        self.words(self.mpi(3, "s.yaml", "-q"))
        self.assertEqual(self.rows(), self.rows("whole.db"))

    def test_an_interrupt_leaves_no_point_running_and_no_directory(self):
        self.longer("100s")
        for whom in ("mpirun", "first", "other"):
            with self.subTest(whom=whom):
                running = self.mpi(3, "s.yaml")
                self.wait_for(running, "running")
                children = pathlib.Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()
                pids = {"mpirun": running.pid, "first": int(children[0]), "other": int(children[2])}
                os.kill(pids[whom], signal.SIGTERM)
                words = running.communicate(timeout=60)[1]
                self.assertIn("contraflow: interrupted after", words)
                self.assertNotEqual(running.returncode, 0)
                self.assertEqual((set(self.states()) - {"done"}, list(self.tmp.iterdir())), ({"waiting"}, []))

    def test_a_system_that_fails_stops_it_with_one_line(self):
        words = self.words(self.mpi(3, "s.yaml", tmp=self.dir / "none/x"), 3)
        self.assertEqual(len(words), 1, words)
        self.assertRegex(words[0], f"contraflow: point [12]: {os.uname().nodename}: .*none/x.*No such file")
        self.assertEqual(self.states(), {"waiting": 8})

    def test_bad_input_is_said_once(self):
        for args, word in ((("none.yaml",), "none.yaml"), (("s.yaml", "-j", 2), "--jobs"), ((), "one SWEEP.yaml")):
            words = self.words(self.mpi(3, *args), 2)
            self.assertEqual(len(words), 1, words)
            self.assertIn(word, words[0])
        self.assertFalse((self.dir / "s.db").exists())

    def test_a_program_without_it_does_not_race(self):
        for name in ("contraflow", "contraflow-native"):
            shutil.copy(e2e.CONTRAFLOW.with_name(name), self.dir)
        words = self.words(self.mpi(3, "s.yaml", program=self.dir / "contraflow"), 3)
        self.assertEqual(len(words), 1, words)
        self.assertRegex(words[0], "3 processes: .*contraflow-mpi is not there: build it .*libopenmpi-dev")
        self.assertFalse((self.dir / "s.db").exists())

    def test_only_its_own_program_loads_mpi(self):
        def needed(name):
            return subprocess.run(["readelf", "-d", str(e2e.CONTRAFLOW.with_name(name))], capture_output=True,
                                  text=True, check=True).stdout
        self.assertIn("libmpi", needed("contraflow-mpi"))
        self.assertNotIn("libmpi", needed("contraflow"))


class Shards(Case):
    def shard(self, i, n=3, *args):
        self.good("sweep", "s.yaml", "-q", "--shard", f"{i}/{n}", *args)
        return f"s.shard-{i}-of-{n}.db"

    def change(self, database, sql):
        db = sqlite3.connect(self.dir / database)
        db.execute(sql)
        db.commit()
        db.close()

    def test_merged_they_are_the_undivided_sweep(self):
        self.good("sweep", "s.yaml", "-q", "-o", "whole.db")
        shards = [self.shard(i) for i in (1, 2, 3)]
        self.assertEqual([[n for n, in self.query("SELECT number FROM point ORDER BY number", s)] for s in shards],
                         [[1, 4, 7], [2, 5, 8], [3, 6]])
        done = self.good("sweep", "merge", "s.db", *shards)
        self.assertIn("8 of 8 points done, 0 failed, 0 missing: s.db", done.stderr)
        self.assertEqual((self.rows(), done.stdout), (self.rows("whole.db"), ""))
        self.good("sweep", "merge", "s.db", shards[1], "whole.db", "-q") # once more changes nothing
        self.assertEqual(self.rows(), self.rows("whole.db"))
        self.assertIn("0 of them now", self.good("sweep", "s.yaml").stderr)
        self.assertEqual(self.good("sweep", "export", shards[1]).stdout.count("\n"), 4)

    def test_what_is_missing_is_counted_and_runs(self):
        self.good("sweep", "s.yaml", "-q", "-o", "whole.db")
        shards = [self.shard(i) for i in (1, 3)]
        self.change(shards[1], "UPDATE point SET state = 'running', pid = 1, pid_start = 1 WHERE number = 6")
        self.change(shards[1], "DELETE FROM flow WHERE point = 6")
        self.assertIn("4 of 8 points done, 0 failed, 4 missing",
                      self.good("sweep", "merge", "s.db", *shards, status=1).stderr)
        self.assertIn("8 of 8 points done, 4 of them now", self.good("sweep", "s.yaml").stderr)
        self.assertEqual(self.rows(), self.rows("whole.db"))

    def test_a_point_done_in_one_of_two_is_done(self):
        self.good("sweep", "s.yaml", "-q", "-o", "whole.db")
        self.good("sweep", "s.yaml", "-q")
        for database, numbers in (("s.db", "1, 2"), ("two.db", "2, 3")):
            if database != "s.db":
                shutil.copy(self.dir / "whole.db", self.dir / database)
            self.change(database, f"DELETE FROM flow WHERE point IN ({numbers})")
            self.change(database, f"UPDATE point SET state = 'failed', error = 'broke' WHERE number IN ({numbers})")
        self.assertIn("7 of 8 points done, 1 failed, 0 missing",
                      self.good("sweep", "merge", "s.db", "two.db", status=1).stderr)
        self.assertEqual(self.query("SELECT number FROM point WHERE state = 'failed'"), [(2,)])

    def test_more_shards_than_points(self):
        shards = [self.shard(i, 9) for i in range(1, 10)]
        self.assertEqual(self.states(shards[8]), {})
        self.assertEqual(self.good("sweep", "export", shards[8]).stdout,
                         "point,seed,state,error,wall_s,engine,version,operations,operation_s,operation_ci95_s\n")
        self.good("sweep", "merge", "s.db", *shards)

    def test_bad_input_is_one_line_and_changes_nothing(self):
        for text in ("0/3", "4/3", "3", "1/", "/3", "-1/3", "1/3/3", "a/b", ""):
            self.bad(2, ["--shard", f"'{text}'", "1/8"], "sweep", "s.yaml", "--shard", text)
        one = self.shard(1)
        two = self.shard(2)
        self.bad(2, ["one SWEEP.yaml", "SHARD.db"], "sweep", "merge", "s.db")
        self.bad(2, "none.db", "sweep", "merge", "s.db", one, "none.db")
        self.bad(2, ["s.yaml", "this is a sweep"], "sweep", "merge", "s.db", one, "s.yaml")
        self.bad(2, [one, "holds a shard"], "sweep", "merge", one, two)
        self.bad(2, [one, "shard 1/3, not 2/3"], "sweep", "s.yaml", "--shard", "2/3", "-o", one)
        self.bad(2, [one, "shard 1/3, not 1/1"], "sweep", "s.yaml", "-o", one)
        for old, new in (("seeds: 2", "seeds: 3"), ("title: Small", "title: Other"), ("60ms", "70ms")):
            self.write("other.yaml", self.sweep.read_text().replace("50ms", "60ms").replace(old, new))
            self.good("sweep", "other.yaml", "-q", "--shard", "2/3", "-o", "other.db")
            self.bad(2, ["other.db", "another sweep"], "sweep", "merge", "s.db", one, "other.db")
            (self.dir / "other.db").unlink()
        self.good("sweep", "s.yaml", "-q", "--shard", "2/3", "--seed", 4, "-o", "other.db")
        self.bad(2, ["other.db", "--seed"], "sweep", "merge", "s.db", one, "other.db")
        self.assertEqual(sorted(p.name for p in self.dir.iterdir() if p.name.startswith("s.db")), [])

    def test_two_results_of_a_point_are_refused_and_the_file_stays(self):
        shards = [self.shard(i) for i in (1, 2, 3)]
        self.good("sweep", "merge", "s.db", *shards[:2], status=1)
        before = self.rows()
        shutil.copy(self.dir / shards[1], self.dir / "wrong.db")
        self.change("wrong.db", "UPDATE flow SET bytes = bytes + 1 WHERE point = 8")
        self.bad(2, ["wrong.db", "point 8", "other results"], "sweep", "merge", "s.db", shards[2], "wrong.db")
        self.change("wrong.db", "DELETE FROM flow WHERE point = 8")
        self.bad(2, ["wrong.db", "point 8", "other results"], "sweep", "merge", "s.db", shards[2], "wrong.db")
        self.change("wrong.db", "UPDATE point SET scenario = scenario || ' ' WHERE number = 5")
        self.bad(2, ["wrong.db", "point 5", "another one"], "sweep", "merge", "s.db", shards[2], "wrong.db")
        self.assertEqual(self.rows(), before)


class Start(Case):
    def test_a_start_that_was_killed_leaves_no_half_of_the_points(self):
        self.good("sweep", "s.yaml", "-q", "-o", "whole.db")
        self.write("s.yaml", self.sweep.read_text().replace("seeds: 2", "seeds: 2000")) # some seconds
        whole = True
        while whole:  # we may come late, and then all of it is there
            running = self.start("-q")
            while not list(self.dir.glob("s.db*")):
                self.assertIsNone(running.poll())
            time.sleep(0.1)
            running.kill()
            running.communicate()
            whole = (self.dir / "s.db").exists()
            if whole:
                self.assertEqual(sum(self.states().values()), 8000)
                for path in self.dir.glob("s.db*"):
                    path.unlink()
        self.write("s.yaml", self.sweep.read_text().replace("seeds: 2000", "seeds: 2"))
        self.good("sweep", "s.yaml", "-q")
        self.assertEqual(self.rows(), self.rows("whole.db"))
        self.assertFalse((self.dir / "s.db.part").exists())

    def test_a_changed_scenario_is_another_sweep(self):
        scenario = self.write("star.yaml", (e2e.ROOT / "scenarios/star.yaml").read_text())
        self.write("s.yaml", test_sweep.SWEEP.format(scenario="star.yaml"))
        self.good("sweep", "s.yaml", "-q")
        scenario.write_text("# the same\n" + scenario.read_text())
        self.good("sweep", "s.yaml", "-q")
        scenario.write_text(scenario.read_text() + "\ntransport: gbn\n")
        self.bad(2, ["s.db", "another sweep"], "sweep", "s.yaml")


class Terminal(Case):
    def test_a_bar_fills_and_is_gone_at_the_end(self):
        self.longer("20s")
        said = self.on_terminal("sweep", "s.yaml", "--jobs", "1")
        *shown, last = said.split("\r\x1b[K")
        bars = [re.fullmatch(r"\[(#*)(\.*)\] (\d) of 8 points done, (\d) running(, \d+ s left)?", s)
                for s in shown if s]
        self.assertNotIn(None, bars, shown)
        self.assertGreater(len(bars), 1)
        for bar in bars:
            done = int(bar[3])
            self.assertEqual((len(bar[1]), len(bar[1] + bar[2])), (20 * done // 8, 20))
            self.assertEqual((int(bar[4]) <= 1, bool(bar[5])), (True, done > 0))
        counts = [int(bar[3]) for bar in bars]
        self.assertEqual(counts, sorted(counts))
        self.assertIn("8 of 8 points done, 8 of them now", last)


@e2e.needs_engine
class Ns3(Case):
    def setUp(self):
        super().setUp()
        self.write("s.yaml", self.sweep.read_text().replace("duration: 50ms", "engine: ns3, duration: 50ms")
                   .replace("[100kB, 1MB]", "[1MB]").replace("seeds: 2", "seeds: 1"))
        self.good("sweep", "s.yaml", "-q", "--jobs", 1)

    def test_its_points_are_single_runs_too(self):
        self.run_scenario(e2e.ROOT / "scenarios/star.yaml", *test_sweep.SETS, "traffic.star.incoming=2",
                          "tcp.window=1MB", "capture=[]", options=("--seed", "1", "--engine", "ns3"))
        one = json.loads((self.dir / "out/summary.json").read_text())
        self.assertEqual(self.query("SELECT state, program, engine FROM point"), [("done", "ns3", one["engine"])] * 2)
        self.assertIn("ns-3", one["engine"])
        self.assertEqual(self.query("SELECT name, bytes FROM flow WHERE point = 2 ORDER BY name"),
                         sorted((f["flow"], f["delivered_bytes"]) for f in one["flows"]))

    @needs_mpi
    def test_and_so_they_are_under_mpirun(self):
        self.words(self.mpi(3, "s.yaml", "-q", "-o", "mpi.db"))
        self.assertEqual(self.rows("mpi.db"), self.rows())
