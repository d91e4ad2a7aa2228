# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that others put there, hold or break, descriptors that are closed, disks that are full."""
import fcntl
import json
import os
import resource
import signal
import subprocess
import time

import e2e

SMALL = """duration: 4ms
warmup: 1ms
tcp: {window: 50kB}
capture: [{at: h0}]
traffic: {start_spread: 0s, star: {incoming: 1, outgoing: 1}}
"""


class HostileFiles(e2e.Case):
    def setUp(self):
        super().setUp()
        self.write("s.yaml", SMALL)

    def files(self, directory):
        return {path.name: path.read_bytes() for path in (self.dir / directory).iterdir()}

    def test_closed_descriptors_get_nothing_that_is_meant_for_files(self):
        for engine in e2e.ENGINES:
            self.good("run", "s.yaml", "-o", engine, "-q", "--engine", engine)
            good = self.files(engine)
            for closed in ([0], [1], [2], [0, 1, 2]):
                def close():
                    for fd in closed:
                        os.close(fd)
                program = e2e.CONTRAFLOW.with_name(f"contraflow-{engine}")
                for words in ([e2e.CONTRAFLOW, "run", "s.yaml", "-o", engine, "-q", "--engine", engine],
                              [program, engine]):
                    done = subprocess.run([*map(str, words)], cwd=self.dir, preexec_fn=close,
                                          stdout=subprocess.DEVNULL)
                    self.assertEqual(done.returncode, 0, (words, closed))
                    self.assertEqual(self.files(engine), good, (words, closed))

    def test_closed_standard_output_is_no_success(self):
        self.bad(3, "standard output: cannot be written", "help", preexec_fn=lambda: os.close(1))

    def test_a_directory_belongs_to_one_run_at_a_time(self):
        self.write("long.yaml", SMALL.replace("4ms", "1000s"))
        first = subprocess.Popen([str(e2e.CONTRAFLOW), "run", "long.yaml", "-o", "out", "-q"], cwd=self.dir)
        self.addCleanup(first.kill)
        while not (self.dir / "out/h0.pcap.part").exists():
            time.sleep(0.05)
        before = (self.dir / "out/scenario.yaml").read_bytes()
        words = ["out: another process writes its results there", "-o another directory"]
        self.bad(2, words, "run", "s.yaml", "-o", "out", "-q")
        self.write("points.yaml", SMALL.replace("star: {incoming: 1, outgoing: 1}", "star: {points: [1/1]}"))
        (self.dir / "points").mkdir()
        (self.dir / "points/1in-1out").symlink_to("../out")  # a run of several would put one there
        self.bad(2, words[1], "run", "points.yaml", "-o", "points", "-q")
        self.good("run", "s.yaml", "-o", "capture", "-q")
        self.bad(2, words, "replay", "--port", "1Gbps", "capture/h0.pcap", "-o", "out")
        self.bad(2, words, "replay", "capture/h0.pcap", "-o", "out", "-q")
        self.assertEqual((self.dir / "out/scenario.yaml").read_bytes(), before)
        first.send_signal(signal.SIGKILL)  # its lock goes with it, and with its engine a moment later
        first.wait()
        for _ in range(100):
            done = self.call("run", "s.yaml", "-o", "out", "-q")
            if done.returncode == 0:
                break
            self.assertIn(words[0], done.stderr)
            time.sleep(0.1)
        self.assertEqual(self.files("out"), self.files("capture"))

    def test_a_file_is_written_by_one_process_at_a_time(self):
        self.good("run", "s.yaml", "-o", "run", "-q")
        with open(self.dir / "bandwidth.svg.part", "w", encoding="ascii") as part:
            fcntl.flock(part, fcntl.LOCK_EX)
            self.bad(2, ["bandwidth.svg: another process is writing it"], "plot", "run", "-o", ".")
            self.assertTrue((self.dir / "bandwidth.svg.part").exists())
        self.good("plot", "run", "-o", ".")  # a process that is gone left it
        self.assertFalse((self.dir / "bandwidth.svg.part").exists())

    def test_links_in_the_way_of_directories_are_refused(self):
        """-o DIR may be a link, as its user says; what somebody put into it may not: files behind it would be replaced."""
        (self.dir / "victim").mkdir()
        (self.dir / "victim/flows.csv").write_text("kept")
        (self.dir / "out").mkdir()
        for name in ("1in-1out", "baseline", "assumed-nothing", "native"):
            (self.dir / "out" / name).symlink_to(self.dir / "victim")
        self.write("points.yaml", SMALL.replace("star: {incoming: 1, outgoing: 1}", "star: {points: [1/1]}"))
        self.bad(2, "out/1in-1out: a link, where a directory of results goes", "run", "points.yaml", "-o", "out", "-q")
        self.bad(2, "a link, where a directory of results goes", "replay",
                 e2e.ROOT / "test/data/captures/fifo-2in-1out.pcap.gz", "-o", "out", "-q")
        self.assertEqual((self.dir / "victim/flows.csv").read_text(), "kept")

    def swap(self, directory, run):
        """While run works in it, its name becomes a link to somebody's files; told to stop, it closes its own."""
        while not (directory / "queues.csv.part").exists():
            self.assertIsNone(run.poll())
            time.sleep(0.02)
        victim, moved = self.dir / "victim", self.dir / "moved"
        victim.mkdir()
        for name in ("flows.csv", "summary.json", "queues.csv", "scenario.yaml", "queues.csv.part"):
            (victim / name).write_text("kept")
        directory.rename(moved)
        directory.symlink_to(victim)
        run.send_signal(signal.SIGTERM)
        run.wait()
        self.assertEqual({name: data.decode() for name, data in self.files("victim").items()},
                         {name: "kept" for name in self.files("victim")})
        self.assertEqual(len(self.files("victim")), 5)
        subprocess.run(["rm", "-r", victim], check=True)
        directory.unlink(missing_ok=True)  # a sweep removes what is in the place of a point
        return moved

    def test_a_directory_that_is_swapped_for_a_link_meanwhile_is_still_the_one(self):
        """Whatever a name leads to later, files are made, replaced and removed where the run began."""
        self.write("long.yaml", SMALL.replace("4ms", "1000s").replace(
            "star: {incoming: 1, outgoing: 1}", "star: {points: [1/1]}"))
        for engine in e2e.ENGINES:
            run = subprocess.Popen([str(e2e.CONTRAFLOW), "run", "long.yaml", "-o", f"out-{engine}", "-q", "-j1",
                                    "--engine", engine], cwd=self.dir, stderr=subprocess.DEVNULL)
            self.addCleanup(run.kill)
            moved = self.swap(self.dir / f"out-{engine}/1in-1out", run)
            self.assertIs(json.loads((moved / "summary.json").read_text())["complete"], False)
            self.assertEqual([path for path in moved.iterdir() if path.suffix == ".part"], [])
            subprocess.run(["rm", "-r", moved], check=True)
        self.write("sweep.yaml", "scenario: one.yaml\naxes: {tcp.window: [50kB]}\n")
        self.write("one.yaml", SMALL.replace("4ms", "1000s"))
        sweep = subprocess.Popen([str(e2e.CONTRAFLOW), "sweep", "sweep.yaml", "-o", "s.db", "-q"], cwd=self.dir,
                                 stderr=subprocess.DEVNULL)
        self.addCleanup(sweep.kill)
        self.swap(self.dir / "s.db.point-1", sweep)

    def test_links_in_the_way_of_files_are_replaced_not_followed(self):
        self.good("run", "s.yaml", "-o", "good", "-q")
        names = sorted(self.files("good"))
        (self.dir / "out").mkdir()
        for name in names:
            precious = self.write(f"precious-{name}", "precious")
            if name == "flows.csv":
                os.link(precious, self.dir / "out" / f"{name}.part")
            else:
                (self.dir / "out" / f"{name}.part").symlink_to(precious)
        self.good("run", "s.yaml", "-o", "out", "-q")
        self.assertEqual(self.files("out"), self.files("good"))
        self.assertFalse(any((self.dir / "out" / name).is_symlink() for name in names))
        for name in names:
            self.assertEqual((self.dir / f"precious-{name}").read_text(), "precious")
        self.write("sweep.yaml", "scenario: s.yaml\naxes: {tcp.window: [30kB, 50kB]}\n")
        precious = self.write("precious.db", "precious")
        (self.dir / "s.db.part").symlink_to(precious)
        self.bad(3, "s.db: cannot be made", "sweep", "sweep.yaml", "-o", "s.db", "-q")
        self.assertEqual(precious.read_text(), "precious")

    def test_who_reads_a_run_reads_its_summary_first(self):
        self.good("run", "s.yaml", "-o", "out", "-q")
        path = self.dir / "out/summary.json"
        summary = json.loads(path.read_text())
        commands = [["check", "out"], ["fit", "out"], ["plot", "out", "-o", "."], ["explain", "out"],
                    ["analyze", "out"], ["check", "."], ["plot", "."]]
        for command in commands:
            path.unlink()
            self.bad(2, ["out: a directory without summary.json", "not a finished run"], *command)
            for broken in ("", "{", "[]", "{}", json.dumps({**summary, "complete": None}),
                           json.dumps({**summary, "flows": 1}), None):
                if broken is None:  # a directory of that name
                    path.unlink()
                    path.mkdir()
                else:
                    path.write_text(broken)
                self.bad(2, ["out/summary.json"], *command)
            path.rmdir()
            path.write_text(json.dumps({**summary, "complete": False}))
            done = self.call(*command)
            self.assertIn(done.returncode, (0, 1, 4), done.stderr)
            self.assertIn("out: this run was interrupted after 0.004 s", done.stderr)
            path.write_text(json.dumps(summary))
            self.assertNotIn("interrupted", self.call(*command).stderr)

    def test_runs_that_did_not_end_are_named(self):
        for name in ("a", "b"):
            self.good("run", "s.yaml", "-o", f"all/{name}", "-q")
        for path in (self.dir / "all/b").iterdir():
            if path.name != "scenario.yaml":
                path.unlink()
        done = self.call("check", "all")
        self.assertIn("all/a", done.stdout)
        self.assertIn("contraflow: warning: all/b: a scenario without flows.csv: not a finished run, left out\n",
                      done.stderr)

    def test_a_picture_that_does_not_fit_is_none(self):
        self.good("run", "s.yaml", "-o", "run", "-q")
        e2e.require("rsvg-convert")
        self.good("plot", "run", "-o", "good")
        good = self.files("good")
        # rsvg-convert of some versions does not look whether what it writes last is written
        careless = self.dir / "bin/rsvg-convert"
        careless.parent.mkdir()
        careless.write_text(f"#!/bin/sh\ncat {self.dir}/good/bandwidth.png 2>/dev/null\nexit 0\n")
        careless.chmod(0o755)
        limit = len(good["bandwidth.png"]) - 1
        self.assertLess(len(good["bandwidth.svg"]), limit)
        for path in (os.environ["PATH"], f"{careless.parent}:{os.environ['PATH']}"):
            self.bad(3, ["out/bandwidth.png: cannot be written: File too large"], "plot", "run", "-o", "out",
                     env={**os.environ, "PATH": path},
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            self.assertEqual(self.files("out"), {"bandwidth.svg": good["bandwidth.svg"]})

    def test_a_full_disk_leaves_whole_files_only(self):
        """A file system of so many pages, in a namespace of its own."""
        if subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode != 0:
            self.skipTest("no user namespaces here")
        self.good("run", "s.yaml", "-o", "run", "-q")
        self.good("plot", "run", "-o", "good")
        whole = {**self.files("run"), **self.files("good")}
        (self.dir / "full").mkdir()
        for command, pages in (("run s.yaml -o full/out -q", 12), ("run s.yaml -o full/out -q", 24),
                               ("plot run -o full/out", 8), ("plot run -o full/out", 20), ("plot run -o full/out", 44)):
            done = subprocess.run(
                ["unshare", "-rm", "sh", "-c", f"mount -t tmpfs -o size={pages * 4096} none full && "
                 f"{e2e.CONTRAFLOW} {command}; status=$?; mkdir -p left; cp -r full/out/. left; exit $status"],
                cwd=self.dir, capture_output=True, text=True)
            self.assertEqual(done.returncode, 3, (command, pages, done.stderr))
            said = [line for line in done.stderr.splitlines() if not line.startswith("wrote ")]
            self.assertEqual(len(said), 1, done.stderr)
            self.assertIn("No space left on device", said[0])
            left = self.files("left")
            self.assertNotIn("summary.json", left)
            for name, data in left.items():
                self.assertEqual(data, whole.get(name), (command, pages, name))
            subprocess.run(["rm", "-r", "left"], cwd=self.dir, check=True)
