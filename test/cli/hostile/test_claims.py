# SPDX-License-Identifier: GPL-2.0-or-later
"""What a capture, a run or a sweep costs is bounded by its bytes, not by what they claim (claims.py): a command that reads
one of twice as many takes at most some three times as much of a processor and of memory. Processor time is that of it and
its engines, a constant of a second aside; memory is the most that one of them had resident. The figures of a benchmark are
those of test/README.md."""
import csv
import functools
import json
import os
import shutil
import sqlite3
import subprocess

import bench_memory
import claims
import e2e

SLACK_S = 1.0  # starts of engines
START_S = 0.3  # of the program alone
SIZES = (20000, 40000) if not e2e.ALL else (20000, 40000, 80000, 160000, 1280000)
LARGE = (400000, 800000) if not e2e.ALL else (400000, 800000, 10000000, 100000000)


@functools.lru_cache(None)
def claiming(kind, size):
    """claims.capture(), which several commands are given."""
    return claims.capture(kind, size)


class Costs(e2e.Case):
    def cost(self, *args, statuses=(0, 1, 2, 4)):
        """(seconds of a processor, bytes resident at most: of what it became when it was still this interpreter, some 30 MB
        at least)"""
        with open(self.dir / "said", "w+") as said:
            child = subprocess.Popen([str(e2e.CONTRAFLOW), *map(str, args)], cwd=self.dir, stdout=subprocess.DEVNULL,
                                     stderr=said)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            words = said.read()
        self.assertIn(child.returncode, statuses, words)
        self.assertNotIn("scenario.yaml", words)  # of its own making, which no user can mend
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024

    def doubles(self, kinds, sizes, *command, slack_s=SLACK_S):
        for kind in kinds:
            costs = []
            for size in sizes:
                (self.dir / "c.pcap").write_bytes(claiming(kind, size))
                words = [str(self.dir / "c.pcap") if w == "FILE" else w for w in command]
                costs.append(self.cost(*words))
                shutil.rmtree(self.dir / "out", ignore_errors=True)
            with self.subTest(kind, command=command[0], costs=costs):
                for (less, more), (a, b) in zip(zip(costs, costs[1:]), zip(sizes, sizes[1:])):
                    self.assertLess(more[0], 1.5 * b / a * less[0] + slack_s)
                    self.assertLess(more[1], 1.5 * b / a * less[1])

    def at_most_three_times(self, name, commands, tries=3, times=3):
        """Each command takes at most three times what the one before it does, or `times`. Where it takes more, the least of
        three tries counts: others are at work on this machine."""
        costs, memory = [float("inf")] * len(commands), []
        for _ in range(tries):
            tried = [self.cost(*words) for words in commands]
            costs, memory = [min(cost, s) for cost, (s, _) in zip(costs, tried)], [n for _, n in tried]
            # s: below, starting the program counts
            if all(more < times * max(less, 0.1) for less, more in zip(costs, costs[1:])):
                break
        else:
            self.fail(f"{name}: {costs} s")
        for less, more in zip(memory, memory[1:]):
            self.assertLess(more, 3 * less, (name, memory))

    def test_replay(self):
        self.doubles(claims.KINDS, SIZES, "replay", "FILE", "-o", "out", "-q", "-j", "1", "--anyway")

    def test_infer(self):
        """Both kinds of hypotheses where sequence numbers jump, the shorter grid on the others: each play costs the same."""
        for kind, hypotheses in zip(("jumps", "fast", "late", "friendly"), (("fifo", "pause+buffer"), *3 * (("fifo",),))):
            self.doubles((kind,), SIZES, "infer", "FILE", "-q", "-j", "1", *(w for h in (hypotheses if not e2e.ALL else
                         ("fifo", "pause+buffer")) for w in ("--hypothesis", h)))

    def test_what_reads_alone(self):
        for command in (("check", "FILE"), ("explain", "FILE"), ("analyze", "FILE"), ("fit", "FILE")):
            self.doubles(claims.KINDS, LARGE, *command, slack_s=START_S)

    def test_pcapng_of_twice_as_many_blocks(self):
        """Interfaces and sections are a reader's tables: each frame has its own."""
        sizes = (100000, 200000) if not e2e.ALL else (100000, 200000, 400000, 800000)
        for kind in ("interface", "interfaces", "sections"):
            for n in sizes:
                (self.dir / f"{n}.pcapng").write_bytes(claims.blocks(kind, n))
            with self.subTest(kind):
                self.at_most_three_times(kind, [["analyze", f"{n}.pcapng"] for n in sizes])

    def test_predictions_of_twice_as_many_transfers(self):
        """A thousand transfers among as many hosts, and two: models step from the end of one to that of the next, and
        every step looks at those that are left, so that twice as many may take four times as long; a half of that for a
        busy machine."""
        sizes = (1000, 2000) if not e2e.ALL else (1000, 2000, 4000)
        for n in sizes:
            self.write(f"{n}.yaml", f"duration: 1s\nnetwork: {{topology: star, hosts: {n}}}\ntraffic:\n  flows:\n" + "".join(
                f"    - {{from: h{i}, to: h{(7 * i + 1) % n if 6 * i % n != n - 1 else (i + 1) % n}, bytes: {10 + i % 17}MB}}\n"
                for i in range(n)))
        for model in ("maxmin", "window", "fluid"):
            with self.subTest(model):
                self.at_most_three_times(model, [["predict", f"{n}.yaml", "--model", model] for n in sizes], times=6)

    def test_tables_of_twice_as_many_rows(self):
        """What was measured, six transfers a pattern: fit predicts each pattern by every model."""
        sizes = (2000, 4000) if not e2e.ALL else (2000, 4000, 8000, 16000)
        for n in sizes:
            self.write(f"{n}.csv", "pattern,from,to,bytes,seconds\n" + "".join(
                f"p{k // 6},h{k % 6},h{k % 6 + 1},{10 + k % 7}MB,0.{2 + k % 3}\n" for k in range(n)))
        self.at_most_three_times("fit", [["fit", f"{n}.csv"] for n in sizes])

    def test_tables_to_infer_of_twice_as_many_rows(self):
        """Repeats of three transfers, which are played once; patterns, each of which is; and, where nothing is played,
        reading, which looks for a row's pattern among all: their square, and a half of that for a busy machine."""
        def table(kind, n):
            self.write(f"{kind}{n}.csv", "from,to,bytes,seconds,pattern\n" + "".join(
                f"h{k % 3 + 1},h0,1MB,0.0{20 + k % 7},{0 if kind == 'repeats' else k // 2}\n" for k in range(n)))
            return f"{kind}{n}.csv"
        more = (1, 2) if not e2e.ALL else (1, 2, 4, 8)
        for kind, n, hypothesis, times in (("repeats", 10000, "fifo", 3), ("patterns", 16, "fifo", 3),
                                           ("patterns", 8000, "eq6", 6)):
            with self.subTest(kind, n=n):
                self.at_most_three_times(kind, [["infer", table(kind, k * n), "-q", "-j", "1", "--hypothesis", hypothesis,
                                                 "--window", "100kB"] for k in more], times=times)

    def test_iperf3_of_twice_as_many_streams_and_intervals(self):
        """Each interval names all streams: looking for each stream in all of them took 4.2 times as long for twice as
        many, 4.3 s for 2000. What infer plays is a small part of what it takes at 10 Mb/s, of which each stream had 4."""
        more = (1, 2) if not e2e.ALL else (1, 2, 4)
        infer = ("infer", "-q", "-j", "1", "--hypothesis", "fifo", "--window", "100kB", "--rate", "10Mbps")
        many = [self.write(f"streams{k}.json", claims.iperf3(2000 * k, 5)) for k in more]
        long = [self.write(f"intervals{k}.json", claims.iperf3(2, 10000 * k)) for k in more]
        for command, files in ((("check",), many), (("check",), long), (infer, long)):
            with self.subTest(command[0], files=files):
                self.at_most_three_times(command[0], [[*command, file] for file in files])

    def test_json_takes_forty_times_its_bytes(self):
        """Empty objects took 81 times theirs: 64 MiB of them, which gzip packs into 64 kB, 5 GB. Texts are what takes most
        now, 33 times; 30 MB are what this interpreter has."""
        for unit in ("{},", "[],", '"",', "1,", '{"t":1,"val":2},'):
            path = self.write("dense.json", '{"start": [' + (2 ** 21 // len(unit) * unit)[:-1] + "]}")
            with self.subTest(unit):
                self.assertLess(self.cost("check", path)[1], 30e6 + 40 * path.stat().st_size)

    def test_flows_are_judged_one_after_the_other(self):
        """Each of so many bulk flows is drawn with all others' sums: summing them up for each took four times as long
        for twice as many, 37 s for 2400 and 1 s for 400. Twice as many may take three times as long: twice, and half of
        that for what grows with its logarithm and for a busy machine, of which the least of three tries has least."""
        flows = (400, 800) if not e2e.ALL else (600, 1200, 2400, 4800)
        for made in (claims.bulk, claims.begun):
            captures = [self.dir / f"{made.__name__}{n}.pcap" for n in flows]
            for n, capture in zip(flows, captures):
                capture.write_bytes(made(n))
            for command in (("check", "FILE"), ("explain", "FILE"), ("fit", "FILE"), ("analyze", "--report", "out", "FILE"),
                            ("compare", "FILE", "FILE")) if made == claims.bulk or e2e.ALL else (("check", "FILE"),):
                with self.subTest(command[0], made=made.__name__):
                    self.at_most_three_times(command[0], [[str(capture) if w == "FILE" else w for w in command]
                                                          for capture in captures])

    def test_runs_of_twice_the_time(self):
        """What reads a run reads its captures: of 20 MB and 40, where the time of a start is a small part."""
        self.write("s.yaml", "network: {link: {rate: 10Gbps}}\nwarmup: 5ms\ntraffic: {star: {incoming: 2, outgoing: 1}}\n")
        runs = []
        for ms in (40, 80) if not e2e.ALL else (40, 80, 160, 320):
            runs.append(f"run{ms}")
            self.good("run", "s.yaml", "-o", runs[-1], "-q", "--set", f"duration={ms}ms")
        for command in (("check", "RUN"), ("explain", "RUN"), ("analyze", "RUN"), ("analyze", "--report", "out", "RUN"),
                        ("fit", "RUN"), ("compare", "RUN", "RUN")):
            with self.subTest(command):
                self.at_most_three_times(command, [[run if w == "RUN" else w for w in command] for run in runs])

    def test_sweeps_of_twice_as_many_points(self):
        """Points of one sweep, written again and again under other seeds."""
        self.write("s.yaml", "duration: 4ms\nwarmup: 1ms\ncapture: []\ntraffic: {star: {incoming: 1, outgoing: 1}}\n")
        self.write("w.yaml", "scenario: s.yaml\naxes: {tcp.window: [30kB, 50kB]}\n")
        self.good("sweep", "w.yaml", "-o", "two.db", "-q")
        sizes = (400, 800) if not e2e.ALL else (400, 800, 1600, 3200)
        for n in sizes:
            shutil.copy(self.dir / "two.db", self.dir / f"{n}.db")
            db = sqlite3.connect(self.dir / f"{n}.db")
            for table in ("point", "flow"):
                key = "number" if table == "point" else "point"
                columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
                new = ", ".join({key: f"{key} + :k", "seed": "seed + :k"}.get(c, c) for c in columns)
                for k in range(2, n, 2):
                    db.execute(f"INSERT INTO {table} SELECT {new} FROM {table} WHERE {key} <= 2", {"k": k})
            db.execute("UPDATE sweep SET points = ?", (n,))
            db.commit()
            db.close()
        for command in (("report", "FILE", "-o", "page.html"), ("fit", "FILE"), ("compare", "FILE", "FILE"),
                        ("sweep", "export", "FILE")):
            with self.subTest(command):
                self.at_most_three_times(command, [[f"{n}.db" if w == "FILE" else w for w in command] for n in sizes])

    def test_flows_of_one_packet(self):
        """Memory grows with flows; how far, test_memory.py has."""
        sizes = (50000, 100000) if not e2e.ALL else (100000, 200000)
        for n in sizes:
            bench_memory.write_capture(self.dir / f"{n}.pcap", n)
        for command in (("check",), ("explain",), ("analyze",), ("replay", "-q", "-o", "out"), ("infer", "-q"), ("fit",)):
            with self.subTest(command):
                self.at_most_three_times(command, [[*command, f"{n}.pcap"] for n in sizes])

    def test_plots_of_twice_as_many_rows(self):
        """As above, of a run's queues.csv."""
        self.write("s.yaml", "duration: 20ms\nwarmup: 5ms\ntraffic: {star: {incoming: 1, outgoing: 1}}\n")
        self.good("run", "s.yaml", "-o", "run", "-q")
        head, *rows = (self.dir / "run/queues.csv").read_text().splitlines(keepends=True)
        sizes = (100000, 200000) if not e2e.ALL else (100000, 200000, 400000, 800000)
        for n in sizes:
            shutil.copytree(self.dir / "run", self.dir / f"run{n}")
            (self.dir / f"run{n}/queues.csv").write_text(head + "".join(rows[k % len(rows)] for k in range(n)))
        self.at_most_three_times("plot", [["plot", f"run{n}", "-o", "pictures"] for n in sizes])

    def test_a_kilobyte_that_claims_an_hour(self):
        """Of 738 bytes: 30 s and more of these were once lines of progress of an hour in which nothing happened."""
        data = bytearray((e2e.ROOT / "test/data/fuzz/boundless.pcap").read_bytes())
        at, n = 24, 0
        while at + 16 <= len(data):
            stamp = int.from_bytes(data[at:at + 4], "little") + 600 * n  # s
            data[at:at + 4] = stamp.to_bytes(4, "little")
            at += 16 + int.from_bytes(data[at + 8:at + 12], "little")
            n += 1
        (self.dir / "hour.pcap").write_bytes(data)
        cost, _ = self.cost("replay", "hour.pcap", "-o", "out", "-q", "-j", "1", "--anyway")
        self.assertLess(cost, 15)

    def test_more_bulk_flows_than_can_be_played(self):
        (self.dir / "many.pcap").write_bytes(claims.capture("flows", 0))
        self.bad(2, "more than 4096 bulk flows", "replay", "many.pcap", "-q")


class Frames(e2e.Case):
    def test_a_run_is_over_after_so_many_frames(self):
        """A star for 2 s at 1 Gb/s sends 160,000 segments each way; after 20,000 frames it is whole, and short."""
        scenario = self.write("s.yaml", "network: {topology: star, hosts: 2}\ntraffic: {flows: [{from: h1, to: h0}]}\n"
                                        "duration: 2s\nwarmup: 10ms\n")
        self.run_scenario(scenario)
        whole = json.loads((self.dir / "out/summary.json").read_text())
        with open(self.dir / "out/flows.csv", newline="") as f:
            before = float(next(csv.DictReader(f))["bytes"])
        done = e2e.subprocess.run([str(e2e.CONTRAFLOW.with_name("contraflow-native")), "--frames=20000", "out"],
                                  cwd=self.dir, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        short = json.loads((self.dir / "out/summary.json").read_text())
        with open(self.dir / "out/flows.csv", newline="") as f:
            row = next(csv.DictReader(f))
        self.assertTrue(whole["complete"] and short["complete"])
        self.assertLess(float(row["bytes"]), 20000 * 1448)
        self.assertGreater(float(row["bytes"]), 20000 / 1.6 * 1448 / 2)
        self.assertLess(float(row["bytes"]), before / 5)
        self.assertAlmostEqual(float(row["goodput_bps"]) / e2e.B_1448, 1, delta=0.1)
        self.assertLess(done.stdout.count("progress"), 1002)


class Budget(e2e.Case):
    def test_a_budget_is_said_and_the_nearest_so_far_shown(self):
        (self.dir / "c.pcap").write_bytes(claims.capture("jumps", 20000))
        done = self.good("replay", "c.pcap", "-o", "out", "-q", "--anyway", "--budget", "1us")
        self.assertRegex(done.stderr, r"--budget was over before \d+ more emulations, one of which may come nearer")
        self.assertIn("total", done.stdout)
        self.bad(2, "--budget 0: more than nothing", "replay", "c.pcap", "--budget", "0")
        self.bad(2, "--budget: ", "infer", "c.pcap", "--budget", "60")

    def test_what_infer_has_no_time_for_is_no_answer_or_a_part_of_one(self):
        """16 flows, 12 of which are the first patterns. Whenever time is over, the hypotheses that were emulated are all
        that are ranked, what the answer lacks is said, and nothing goes on."""
        rows = [f"h{1 + k % 2},h0,{1000000 + 1000 * k},{0.02 + 0.001 * (k % 3)},p{k // 2}" for k in range(16)]
        self.write("m.csv", "\n".join(["from,to,bytes,seconds,pattern", *rows, ""]))
        asked = [f"--hypothesis={name}" for name in ("fifo", "fair", "ack-first", "eq6")]
        words = ["infer", "m.csv", "-q", "-j", "1", "--window", "100kB", "--json", *asked]
        self.bad(4, "--budget was over before one hypothesis was emulated: 0 emulations are no answer", *words,
                 "--budget", "1us")
        whole = json.loads(self.good(*words).stdout)
        self.assertEqual((whole["lacks"], whole["left_out"], len(whole["hypotheses"])), ("nothing", 0, 4))
        for budget_ms in (30, 100, 200, 400, 800):
            done = self.call(*words, "--budget", f"{budget_ms}ms")
            if done.returncode == 4:
                continue
            self.assertEqual(done.returncode, 0, done.stderr)
            part = json.loads(done.stdout)
            self.assertEqual(len(part["hypotheses"]) + part["left_out"], 4)
            self.assertAlmostEqual(sum(h["weight"] for h in part["hypotheses"] if h["emulated"]), 1, places=9)
            self.assertLessEqual(part["emulations"], whole["emulations"])
            self.assertEqual("--budget was over" in done.stderr, part["lacks"] != "nothing" or part["left_out"] > 0)
        for budget_ms in (100, 400):  # the table has a line for each, too
            self.assertIn(self.call(*words[:7], *asked, "--budget", f"{budget_ms}ms").returncode, (0, 4))
