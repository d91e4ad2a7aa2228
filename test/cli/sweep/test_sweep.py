# SPDX-License-Identifier: GPL-2.0-or-later
"""A grid of runs in one database: what single runs give, whatever is killed, however many share it."""
import contextlib
import csv
import io
import json
import os
import pathlib
import random
import resource
import signal
import sqlite3
import subprocess
import time

import e2e

SETS = ["duration=50ms", "warmup=10ms"]
SWEEP = """title: Small
scenario: {scenario}
set: {{duration: 50ms, warmup: 10ms}}
axes:
  traffic.star.incoming: 1..2
  tcp.window: [100kB, 1MB]
seeds: 2
"""


class Case(e2e.Case):
    def setUp(self):
        super().setUp()
        self.sweep = self.write("s.yaml", SWEEP.format(scenario=e2e.ROOT / "scenarios/star.yaml"))

    def query(self, sql, database="s.db"):
        db = sqlite3.connect(self.dir / database)
        try:
            return db.execute(sql).fetchall()
        finally:
            db.close()

    def rows(self, database="s.db"):
        """Everything that is compared: all but wall_s."""
        self.assertEqual(self.query("PRAGMA integrity_check", database), [("ok",)])
        return [self.query("SELECT * FROM sweep", database),
                self.query("SELECT number, axes, scenario, seed, state, pid, pid_start, error, program, engine, "
                           "version FROM point ORDER BY number", database),
                self.query("SELECT * FROM flow ORDER BY point, name", database)]

    def start(self, *args):
        return subprocess.Popen([str(e2e.CONTRAFLOW), "sweep", "s.yaml", *args], cwd=self.dir,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def leftovers(self):
        return [p.name for p in self.dir.iterdir() if ".point-" in p.name]


class Results(Case):
    def test_rows_are_those_of_single_runs(self):
        done = self.good("sweep", "s.yaml", "--jobs", 2)
        self.assertEqual(done.stdout, "")
        self.assertIn("8 of 8 points done, 8 of them now: s.db", done.stderr)
        points = self.query("SELECT number, axes, seed, state, engine FROM point ORDER BY number")
        expected = [(i, w, seed) for i in (1, 2) for w in ("100kB", "1MB") for seed in (1, 2)]
        self.assertEqual([(json.loads(a)["traffic.star.incoming"], json.loads(a)["tcp.window"], seed)
                          for _, a, seed, _, _ in points], expected)
        for (number, _, seed, state, engine), (incoming, window, _) in zip(points, expected):
            self.run_scenario(e2e.ROOT / "scenarios/star.yaml", *SETS, f"traffic.star.incoming={incoming}",
                              f"tcp.window={window}", "capture=[]", output="one", options=("--seed", str(seed)))
            summary = json.loads((self.dir / "one/summary.json").read_text())
            self.assertEqual((state, engine), ("done", summary["engine"]))
            trip = ("floor_s", "data_wait_s", "ack_wait_s", "rtt_s", "ack_groups", "compressed_groups")
            single = [tuple([f[k] for k in ("flow", "src", "dst", "delivered_bytes", "start_s", "end_s", "goodput_bps",
                                            "steady_goodput_bps", "steady_ci95_bps", "retransmitted_segments")] +
                            [f["round_trip"][k] for k in trip]) for f in summary["flows"]]
            for trip in (f["round_trip"] for f in summary["flows"]):
                self.assertAlmostEqual(trip["rtt_s"], trip["floor_s"] + trip["data_wait_s"] + trip["ack_wait_s"], 9)
            self.assertEqual(self.query("SELECT name, src, dst, bytes, start_s, end_s, goodput_bps, steady_goodput_bps,"
                                        " steady_ci95_bps, retransmitted_segments, floor_s, data_wait_s, ack_wait_s,"
                                        f" rtt_s, ack_groups, compressed_groups FROM flow WHERE point = {number}"),
                             sorted(single))
        self.assertEqual(self.leftovers(), [])

    def test_a_point_runs_again_by_its_scenario(self):
        self.good("sweep", "s.yaml", "-q")
        (yaml,), = self.query("SELECT scenario FROM point WHERE number = 6")
        self.write("six.yaml", yaml)
        self.run_scenario("six.yaml")
        flows = json.loads((self.dir / "out/summary.json").read_text())["flows"]
        self.assertEqual([f["delivered_bytes"] for f in sorted(flows, key=lambda f: f["flow"])],
                         [b for b, in self.query("SELECT bytes FROM flow WHERE point = 6 ORDER BY name")])

    def test_export_is_the_database(self):
        self.good("sweep", "s.yaml", "-q")
        points = list(csv.DictReader(io.StringIO(self.good("sweep", "export", "s.db").stdout)))
        stored = self.query("SELECT number, axes, seed, wall_s FROM point ORDER BY number")
        self.assertEqual([(int(p["point"]), {"traffic.star.incoming": int(p["traffic.star.incoming"]),
                                             "tcp.window": p["tcp.window"]}, int(p["seed"]), float(p["wall_s"]))
                          for p in points], [(n, json.loads(a), s, w) for n, a, s, w in stored])
        flows = list(csv.DictReader(io.StringIO(self.good("sweep", "export", "s.db", "--flows").stdout)))
        keys = ["bytes", "start_s", "end_s", "goodput_bps", "steady_goodput_bps", "steady_ci95_bps",
                "retransmitted_segments", "floor_s", "data_wait_s", "ack_wait_s", "rtt_s", "ack_groups",
                "compressed_groups"]
        self.assertEqual([(int(f["point"]), f["flow"], *(float(f[k]) if f[k] else None for k in keys))
                          for f in flows],
                         self.query(f"SELECT point, name, {', '.join(keys)} FROM flow ORDER BY point, name"))
        self.assertEqual(len(flows), 2 * 2 * (2 + 3))

    def test_seeds_count_from_the_one_given(self):
        self.good("sweep", "s.yaml", "-q", "--seed", 7, "-o", "seven.db")
        self.assertEqual(self.query("SELECT DISTINCT seed FROM point ORDER BY 1", "seven.db"), [(7,), (8,)])

    def test_the_papers_grids_have_every_point_but_the_empty_one(self):
        for name, most in (("fig4a", 12), ("fig4b", 20)):
            fig, db = e2e.ROOT / f"scenarios/sweeps/{name}.yaml", f"{name}.db"
            running = subprocess.Popen([str(e2e.CONTRAFLOW), "sweep", str(fig), "-q"], cwd=self.dir,
                                       stderr=subprocess.DEVNULL)
            while not (self.dir / db).exists() or not self.query("SELECT * FROM sqlite_master", db):
                self.assertIsNone(running.poll())
                time.sleep(0.05)
            running.send_signal(signal.SIGINT)
            self.assertEqual(running.wait(60), -signal.SIGINT)
            axes = {tuple(json.loads(a).values()) for a, in self.query("SELECT axes FROM point", db)}
            self.assertEqual(axes, {(i, o) for i in range(most + 1) for o in range(most + 1)} - {(0, 0)})


class Interrupted(Case):
    def test_killed_ten_times_it_ends_as_if_undisturbed(self):
        self.good("sweep", "s.yaml", "-q", "-o", "whole.db")
        whole = self.rows("whole.db")
        draw = random.Random(4)
        killed = 0
        for _ in range(200):
            running = self.start("-o", "s.db", "-q", "--jobs", "2")
            try:
                running.wait(draw.uniform(0.001, 0.12))
            except subprocess.TimeoutExpired:
                running.kill()
                killed += 1
            running.communicate()
            if killed == 10:
                break
            if running.returncode == 0: # finished in between: once more from the start
                self.assertEqual(self.rows(), whole)
                for path in self.dir.glob("s.db*"):
                    path.unlink()
        self.assertEqual(killed, 10)
        self.good("sweep", "s.yaml", "-q", "-o", "s.db")
        self.assertEqual((self.rows(), self.leftovers()), (whole, []))

    def test_a_killed_sweeps_engine_has_its_directory_until_it_has_ended(self):
        """One that lives on for a moment must not write among the files of the next."""
        e2e.require("strace")
        self.write("s.yaml", self.sweep.read_text().replace("duration: 50ms", "duration: 20s").replace("1..2", "[1]"))
        killed = self.start("-q", "--jobs", "1")
        self.addCleanup(killed.kill)
        children = pathlib.Path(f"/proc/{killed.pid}/task/{killed.pid}/children")
        while not (self.dir / "s.db.point-1/queues.csv.part").exists():
            self.assertIsNone(killed.poll())
        engine = int(children.read_text())
        os.kill(engine, signal.SIGSTOP)
        self.addCleanup(subprocess.run, ["kill", "-KILL", str(engine)], stderr=subprocess.DEVNULL, check=False)
        killed.kill()
        killed.communicate()
        files = sorted(os.listdir(self.dir / "s.db.point-1"))
        impatient = subprocess.run(["strace", "-qq", "-o", "/dev/null", "-e", "trace=clock_nanosleep", "-e",
                                    "inject=clock_nanosleep:retval=0", str(e2e.CONTRAFLOW), "sweep", "s.yaml", "-q"],
                                   cwd=self.dir, capture_output=True, text=True, timeout=600,
                                   env=os.environ | {"ASAN_OPTIONS": "detect_leaks=0"}) # needs ptrace itself
        self.assertEqual((impatient.returncode, impatient.stderr), (
            3, "contraflow: s.db.point-1: an engine of a sweep that was killed still writes there; end it\n"))
        self.assertEqual(sorted(os.listdir(self.dir / "s.db.point-1")), files)
        waits = self.start("-q")
        self.addCleanup(waits.kill)
        fds = pathlib.Path(f"/proc/{waits.pid}/fd")
        opened = []
        while str(self.dir / "s.db.point-1") not in opened:
            self.assertIsNone(waits.poll())
            with contextlib.suppress(FileNotFoundError):  # closed between the list and the look
                opened = [os.path.realpath(fd) for fd in fds.iterdir()]
        os.kill(engine, signal.SIGCONT)
        words = waits.communicate(timeout=600)[1]
        self.assertEqual((waits.returncode, words), (0, ""))
        self.good("sweep", "s.yaml", "-q", "-o", "whole.db")
        self.assertEqual((self.rows(), self.leftovers()), (self.rows("whole.db"), []))

    def test_an_interrupt_reaches_an_engine_that_is_not_yet_one(self):
        """A child that still has the handlers of its parent must not take the signal that is to end it."""
        e2e.require("strace")
        self.write("s.yaml", self.sweep.read_text().replace("duration: 50ms", "duration: 10000s"))
        sweep = subprocess.Popen(["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", "trace=prctl", "-e",
                                  "inject=prctl:delay_enter=500000:when=1", str(e2e.CONTRAFLOW), "sweep", "s.yaml",
                                  "-q", "--jobs", "1"], cwd=self.dir) # -D: the program is our child, strace its own
        self.addCleanup(sweep.kill)
        exe = pathlib.Path(f"/proc/{sweep.pid}/exe")
        children = pathlib.Path(f"/proc/{sweep.pid}/task/{sweep.pid}/children")
        while exe.resolve().name != "contraflow" or not children.read_text():
            self.assertIsNone(sweep.poll())
            time.sleep(0.01)
        sweep.send_signal(signal.SIGINT)
        self.assertEqual(sweep.wait(60), -signal.SIGINT)
        self.assertEqual((self.query("SELECT * FROM point WHERE state != 'waiting'"), self.leftovers()), ([], []))

    def test_an_interrupt_fails_no_point_and_leaves_no_directory(self):
        self.good("sweep", "s.yaml", "-q", "-o", "whole.db")
        for _ in range(20): # at any moment of an engine's life
            running = self.start("-o", "s.db", "-q")
            try:
                running.wait(random.uniform(0.03, 0.06))
            except subprocess.TimeoutExpired:
                running.send_signal(signal.SIGINT)
            words = running.communicate(timeout=60)[1]
            self.assertIn(running.returncode, (0, -signal.SIGINT), words)
            if (self.dir / "s.db").exists() and self.query("SELECT * FROM sqlite_master"):
                self.assertEqual(self.query("SELECT * FROM point WHERE state NOT IN ('done', 'waiting')"), [])
            self.assertEqual(self.leftovers(), [])
        self.good("sweep", "s.yaml", "-q", "-o", "s.db")
        self.assertEqual(self.rows(), self.rows("whole.db"))

    def test_started_again_it_repeats_nothing(self):
        self.good("sweep", "s.yaml", "-q")
        db = sqlite3.connect(self.dir / "s.db")
        db.execute("UPDATE point SET state = 'waiting' WHERE number = 3")
        db.execute("DELETE FROM flow WHERE point = 3")
        db.execute("UPDATE point SET wall_s = -1 WHERE number <> 3")
        db.commit()
        db.close()
        self.assertIn("8 of 8 points done, 1 of them now", self.good("sweep", "s.yaml").stderr)
        self.assertEqual(self.query("SELECT number FROM point WHERE wall_s > 0"), [(3,)])

    def test_two_at_once_share_the_points(self):
        self.good("sweep", "s.yaml", "-q", "-o", "whole.db")
        both = [self.start("--jobs", "1") for _ in range(2)]
        ends = [p.communicate(timeout=120)[1] for p in both]
        self.assertEqual([p.returncode for p in both], [0, 0], ends)
        self.assertEqual(sum(int(e.split("done, ")[1].split(" of them")[0]) for e in ends), 8, ends)
        self.assertEqual(self.rows(), self.rows("whole.db"))

    def test_a_claim_of_a_live_process_is_left_alone_and_of_a_dead_one_taken(self):
        self.good("sweep", "s.yaml", "-q")
        ticks = int(pathlib.Path(f"/proc/{os.getpid()}/stat").read_text().rsplit(")", 1)[1].split()[19])
        db = sqlite3.connect(self.dir / "s.db")
        db.execute("DELETE FROM flow WHERE point = 2")
        db.execute("UPDATE point SET state = 'running', pid = ?, pid_start = ? WHERE number = 2", (os.getpid(), ticks))
        db.commit()
        waits = self.start()
        time.sleep(1)
        self.assertIsNone(waits.poll())
        db.execute("UPDATE point SET pid_start = pid_start - 1 WHERE number = 2") # the pid came again
        db.commit()
        db.close()
        self.assertIn("1 of them now", waits.communicate(timeout=60)[1])

    def test_a_full_disk_is_one_line_and_the_file_still_opens(self):
        self.good("sweep", "s.yaml", "-q", "-o", "whole.db")
        ends = set()
        for kilobytes in (8, 33, 50, 64, 80, 100):
            name = f"full{kilobytes}.db"
            done = self.call("sweep", "s.yaml", "-q", "-o", name,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1024 * kilobytes, -1)))
            ends.add(done.returncode)
            if done.returncode:
                self.assertEqual((done.returncode, done.stderr.count("\n")), (3, 1), done.stderr)
                self.assertRegex(done.stderr, "disk|File too large")
            self.good("sweep", "s.yaml", "-q", "-o", name)
            self.assertEqual(self.rows(name), self.rows("whole.db"))
        self.assertIn(3, ends)
        self.assertEqual(self.leftovers(), [])


class Refused(Case):
    def edit(self, old, new):
        self.assertIn(old, self.sweep.read_text())
        self.write("bad.yaml", self.sweep.read_text().replace(old, new))

    def test_bad_input_is_one_line_and_makes_no_database(self):
        for old, new, words in (
                ("[100kB, 1MB]", "[100kB, fast]", ["bad.yaml:6: tcp.window=fast", "'fast'"]),
                ("tcp.window:", "tcp.windows:", ["bad.yaml:6: tcp.windows", "unknown"]),
                ("duration: 50ms", "duration: soon", ["bad.yaml:3: duration=soon", "'soon'"]),
                ("1..2", "2..1", ["bad.yaml:5: axes: traffic.star.incoming", "backwards"]),
                ("1..2", "7", ["bad.yaml:5: axes: traffic.star.incoming", "'7'", "1..12"]),
                ("[100kB, 1MB]", "[1MB, 1MB]", ["bad.yaml:6:", "'1MB' is listed twice"]),
                ("seeds: 2", "seeds: 0", ["bad.yaml:7: seeds", "'0'"]),
                ("seeds: 2", "seed: 2", ["bad.yaml:7: seed: unknown", "seeds"]),
                ("seeds: 2", "skip: [{tcp.window: 2MB}]", ["bad.yaml:7: skip", "tcp.window", "'2MB'"]),
                ("seeds: 2", "skip: [{tcp.sack: 1}]", ["bad.yaml:7: skip", "tcp.sack is no axis"]),
                ("scenario: ", "scenario: none-", ["none-"]),
                ("title: Small\nscenario: ", "title: ", ["bad.yaml: scenario: is missing"])):
            with self.subTest(new=new):
                self.edit(old, new)
                self.bad(2, words, "sweep", "bad.yaml")
                self.assertFalse((self.dir / "bad.db").exists())

    def test_usage(self):
        self.bad(2, "one SWEEP.yaml", "sweep")
        self.bad(2, "one SWEEP.yaml", "sweep", "s.yaml", "--flows")
        self.bad(2, "--jobs: '0'", "sweep", "s.yaml", "--jobs", 0)
        self.bad(2, "none.db", "sweep", "export", "none.db")
        self.write("words.txt", "no database\n")
        self.bad(2, ["words.txt", "not the database"], "sweep", "export", "words.txt")
        self.bad(2, "s.yaml: this is a sweep: contraflow sweep s.yaml", "sweep", "export", "s.yaml")
        self.edit("seeds: 2", "seeds: [4, 5]")
        self.bad(2, ["bad.yaml:7", "--seed"], "sweep", "bad.yaml", "--seed", 3)

    def test_another_sweep_on_the_database_is_refused_the_same_points_are_not(self):
        self.good("sweep", "s.yaml", "-q")
        before = self.rows()
        for old, new in (("seeds: 2", "seeds: 3"), ("seeds: 2", "seeds: 1"), ("1MB", "2MB"), ("50ms", "60ms")):
            self.edit(old, new)
            self.bad(2, ["s.db", "another sweep"], "sweep", "bad.yaml", "-o", "s.db")
        self.edit("1..2", "[1, 2]")
        self.good("sweep", "bad.yaml", "-o", "s.db", "-q")
        self.assertEqual(self.rows(), before)

    def test_another_database_is_left_alone(self):
        db = sqlite3.connect(self.dir / "s.db")
        db.execute("CREATE TABLE mine(x)")
        db.commit()
        db.close()
        self.bad(2, ["s.db", "not the database of a sweep"], "sweep", "s.yaml")
        self.assertEqual(self.query("SELECT name FROM sqlite_master"), [("mine",)])


class Failed(Case):
    def test_a_crashed_engine_is_a_failed_point_and_runs_again_next_time(self):
        self.write("s.yaml", self.sweep.read_text().replace("50ms", "5s").replace("1..2", "1..1"))
        running = self.start("--jobs", "1")
        children = pathlib.Path(f"/proc/{running.pid}/task/{running.pid}/children")
        while not (pids := children.read_text().split()):
            self.assertIsNone(running.poll())
        os.kill(int(pids[0]), signal.SIGKILL)
        words = running.communicate(timeout=300)[1]
        self.assertEqual(running.returncode, 1, words)
        self.assertRegex(words, 'point 1, .*"tcp.window":"100kB".*, seed 1: the engine was ended by signal 9')
        self.assertIn("3 of 4 points done", words)
        self.assertIn("4 of 4 points done, 1 of them now", self.good("sweep", "s.yaml").stderr)
