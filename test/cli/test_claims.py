#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a capture costs is bounded by its bytes, not by what they claim (claims.py): a command that reads one of twice as
many takes at most some three times as much of a processor, which is counted in processor time of it and its engines, a
constant of a second aside. The figures of a benchmark are those of test/README.md."""
import csv
import json
import resource
import shutil

import claims
import e2e

SLACK_S = 1.0  # starts of engines
SIZES = (20000, 40000) if not e2e.ALL else (20000, 40000, 80000, 160000, 1280000)
LARGE = (400000, 800000) if not e2e.ALL else (400000, 800000, 10000000, 100000000)


class Costs(e2e.Case):
    def processor_s(self, *args, statuses=(0, 1, 2, 4)):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = self.call(*args)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertIn(done.returncode, statuses, done.stderr)
        self.assertNotIn("scenario.yaml", done.stderr)  # of its own making, which no user can mend
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done

    def doubles(self, kinds, sizes, *command):
        for kind in kinds:
            costs = []
            for size in sizes:
                (self.dir / "c.pcap").write_bytes(claims.capture(kind, size))
                words = [str(self.dir / "c.pcap") if w == "FILE" else w for w in command]
                costs.append(self.processor_s(*words)[0])
                shutil.rmtree(self.dir / "out", ignore_errors=True)
            with self.subTest(kind, command=command[0], costs=costs):
                for (less, more), (a, b) in zip(zip(costs, costs[1:]), zip(sizes, sizes[1:])):
                    self.assertLess(more, 1.5 * b / a * less + SLACK_S)

    def test_replay(self):
        self.doubles(claims.KINDS, SIZES, "replay", "FILE", "-o", "out", "-q", "-j", "1", "--anyway")

    def test_infer(self):
        self.doubles(("jumps", "fast", "late", "friendly"), SIZES, "infer", "FILE", "-q", "-j", "1", "--hypothesis", "fifo",
                     "--hypothesis", "pause+buffer")

    def test_what_reads_alone(self):
        for command in (("check", "FILE"), ("explain", "FILE"), ("analyze", "FILE"), ("fit", "FILE")):
            self.doubles(claims.KINDS, LARGE, *command)

    def test_flows_are_judged_one_after_the_other(self):
        """Each of so many bulk flows is drawn with all others' sums: summing them up for each took four times as long
        for twice as many, 37 s for 2400. Twice as many may take three times as long: twice, and half of that for what
        grows with its logarithm and for a busy machine, of which the least of three tries has least."""
        flows = (600, 1200) if not e2e.ALL else (600, 1200, 2400, 4800)
        for command in (("check", "FILE"), ("explain", "FILE"), ("fit", "FILE"), ("analyze", "--report", "out", "FILE"),
                        ("compare", "FILE", "FILE")):
            costs = []
            for n in flows:
                (self.dir / "c.pcap").write_bytes(claims.bulk(n))
                words = [str(self.dir / "c.pcap") if w == "FILE" else w for w in command]
                costs.append(min(self.processor_s(*words)[0] for _ in range(3)))
            with self.subTest(command=command[0], costs=costs):
                for less, more in zip(costs, costs[1:]):
                    self.assertLess(more, 3 * max(less, 0.1))  # s: below, starting the program counts

    def test_plots_of_twice_as_many_rows(self):
        """As above, of a run's queues.csv."""
        self.write("s.yaml", "duration: 20ms\nwarmup: 5ms\ntraffic: {star: {incoming: 1, outgoing: 1}}\n")
        self.good("run", "s.yaml", "-o", "run", "-q")
        head, *rows = (self.dir / "run/queues.csv").read_text().splitlines(keepends=True)
        costs = []
        for n in (100000, 200000) if not e2e.ALL else (100000, 200000, 400000, 800000):
            (self.dir / "run/queues.csv").write_text(head + "".join(rows[k % len(rows)] for k in range(n)))
            costs.append(min(self.processor_s("plot", "run", "-o", "pictures")[0] for _ in range(3)))
        for less, more in zip(costs, costs[1:]):
            self.assertLess(more, 3 * max(less, 0.1), costs)

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
        cost, _ = self.processor_s("replay", "hour.pcap", "-o", "out", "-q", "-j", "1", "--anyway")
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
            self.call(*words[:7], *asked, "--budget", f"{budget_ms}ms")  # the table has a line for each, too


if __name__ == "__main__":
    e2e.main()
