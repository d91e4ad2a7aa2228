# SPDX-License-Identifier: GPL-2.0-or-later
"""Collectives by their dependencies and GOAL texts: times by closed forms written down here once more, from the papers;
bandwidths by nccl-tests' definitions; who waits for ACKs behind data; what is saved is played again to the byte."""
import csv
import json
import math
import random

import e2e

SCENARIOS = e2e.ROOT / "scenarios" if e2e.ROOT else None
RATE, DELAY = 1e9, 25e-6  # of every cable; two from host to host
SEGMENT, OVERHEAD = 1448, 90  # 52 of headers and 38 of Ethernet


def wire(size):
    """s that a message takes on one link."""
    return 8 * (size + OVERHEAD * math.ceil(size / SEGMENT)) / RATE


def alpha(size):
    """s from the end of a message at its NIC to its end at the other host: cables, and a frame sent anew by the switch,
    without the 12 bytes of gap behind it on either link."""
    return 2 * DELAY + 8 * (min(size, SEGMENT) + OVERHEAD - 2 * 12) / RATE


def rounds(*sizes, acks=True):
    """Messages one after another. ACKs of 90 bytes, one every two segments, leave behind the data of their round, for
    which they have alpha; what is left goes before the data of the next one."""
    total = left = 0
    for s in sizes:
        total += left + wire(s) + alpha(s)
        left = max(0, s // SEGMENT // 2 * 90 * 8 / RATE - alpha(s)) if acks else 0
    return total


class Case(e2e.Case):
    def collective(self, algorithm, hosts, size, *sets, queue="fifo"):
        """Windows hold whole messages, nothing is lost."""
        text = {"title": "c", "duration": "1000s", "warmup": "0s",
                "network": {"hosts": hosts, "link": {"rate": "1Gbps", "delay": "25us"},
                            "nic": {"queue": queue, "limit": "none"}, "switch": {"limit": "none"}},
                "tcp": {"window": "60MB"},
                "traffic": {"start_spread": "0s", "collective": {"algorithm": algorithm, "bytes": f"{size}B"}}}
        self.write("c.yaml", json.dumps(text))
        self.run_scenario("c.yaml", *sets)
        self.summary = json.loads((self.dir / "out/summary.json").read_text())
        return self.summary["operations"]["mean_s"]

    def messages(self):
        with open(self.dir / "out/messages.csv", newline="") as f:
            return list(csv.DictReader(f))


class ClosedForms(Case):
    """Within 2 %."""

    def judge(self, algorithm, hosts, size, expected, *sets):
        took = self.collective(algorithm, hosts, size, *sets)
        self.assertLess(abs(took / expected - 1), 0.02, (algorithm, hosts, size, took, expected))

    def test_allreduce(self):
        for n, size in ((2, 1_000_000), (5, 333_333), (8, 4_000_001), (13, 20_011), (16, 16)):
            share = math.ceil(size / n)
            self.judge("ring-allreduce", n, size, rounds(*[share] * (2 * (n - 1))))
        # Short messages do not wait for receives: of 14 = 8 + 6, more than 4 are late, so that no round is hidden.
        for n, size in ((2, 77_777), (8, 1_000_003), (7, 300_000), (12, 70_000), (14, 1000)):
            k = int(math.log2(n))
            folds = 2 if n > 2 ** k else 0
            self.judge("recursive-doubling-allreduce", n, size, rounds(*[size] * (k + folds)))
            halves = [math.ceil(size / 2 ** i) for i in range(1, k + 1)]
            self.judge("rabenseifner-allreduce", n, size, rounds(*halves, *halves, *[size] * folds))

    def test_allgather_and_reduce_scatter(self):
        for n, size in ((3, 1_000_000), (8, 777_777), (11, 20_000)):
            share = math.ceil(size / n)
            for algorithm in ("ring-allgather", "ring-reduce-scatter", "pairwise-reduce-scatter"):
                self.judge(algorithm, n, size, rounds(*[share] * (n - 1)))
            steps = [min(2 ** k, n - 2 ** k) * share for k in range(math.ceil(math.log2(n)))]
            self.judge("bruck-allgather", n, size, rounds(*steps))

    def test_trees_and_barrier(self):
        for n, size in ((2, 500_000), (8, 123_456), (16, 100)):
            for algorithm in ("binomial-broadcast", "binomial-reduce"):
                self.judge(algorithm, n, size, rounds(*[size] * int(math.log2(n)), acks=False))
        for n in (2, 6, 16, 33):
            self.judge("dissemination-barrier", n, 1, rounds(*[1] * math.ceil(math.log2(n))))

    def test_halo(self):
        for dimensions, size in (([4, 4], 200_000), ([3, 5], 1000), ([2, 3, 4], 50_001)):
            k = 2 * len(dimensions)
            self.judge("halo", math.prod(dimensions), size, k * wire(size) + alpha(size),
                       f"traffic.collective.dimensions={dimensions}")

    def test_a_tree_that_is_not_full(self):
        for n in (3, 5, 7, 11):
            took = self.collective("binomial-broadcast", n, 300_000)
            self.assertLess(took, 1.02 * rounds(*[300_000] * math.ceil(math.log2(n)), acks=False))
            self.assertGreater(took, 0.98 * rounds(*[300_000] * int(math.log2(n)), acks=False))


class Predicted(Case):
    def test_the_program_knows_the_forms(self):
        for algorithm, n, size in (("ring-allreduce", 8, 4_000_000), ("rabenseifner-allreduce", 6, 500_000),
                                   ("bruck-allgather", 9, 100_000), ("binomial-reduce", 16, 70_000)):
            took = self.collective(algorithm, n, size)
            said = self.json("predict", "c.yaml")
            self.assertLess(abs(took / said["time_s"] - 1), 0.02, algorithm)
            self.assertLessEqual(said["without_acks_s"], said["time_s"])
            self.assertAlmostEqual(said["algorithm_bps"], 8 * size / said["time_s"], delta=1)
        self.assertIn("binomial-reduce of 16 ranks, 70000 bytes", self.good("predict", "c.yaml").stdout)
        self.bad(2, ["traffic.collective", "star of equal links"], "predict", "c.yaml", "--set",
                 "network.nic.queue=ack-first")


class Bandwidth(Case):
    def test_as_nccl_tests_defines_it(self):
        for algorithm, factor in (("ring-allreduce", 2 * 3 / 4), ("bruck-allgather", 3 / 4), ("ring-reduce-scatter", 3 / 4),
                                  ("binomial-broadcast", 1), ("binomial-reduce", 1)):
            took = self.collective(algorithm, 4, 200_000)
            said = self.summary["bandwidth"]
            self.assertAlmostEqual(said["algorithm_bps"], 8 * 200_000 / took, delta=1)
            self.assertAlmostEqual(said["bus_bps"], factor * 8 * 200_000 / took, delta=1)
        self.collective("dissemination-barrier", 4, 1)
        self.assertIsNone(self.summary["bandwidth"]["bus_bps"])

    def test_it_is_printed(self):
        self.collective("ring-allreduce", 4, 200_000)
        text = self.good("run", "c.yaml", "-o", "out").stdout
        took = self.summary["operations"]["mean_s"]
        self.assertIn(f"busbw {200_000 / took * 1.5 / 1e9:.4g} GB/s", text)
        text = self.good("run", SCENARIOS / "alltoall.yaml", "-o", "a", "--set", "traffic.exchange.repeat=3").stdout
        took = json.loads((self.dir / "a/summary.json").read_text())["operations"]["mean_s"]
        self.assertIn(f"algbw {8 * 16384 / took / 1e9:.4g} GB/s, busbw {7 * 16384 / took / 1e9:.4g} GB/s", text)

    def test_repetitions_have_an_interval(self):
        self.collective("ring-allreduce", 4, 50_000, "traffic.collective.repeat=6", "traffic.start_spread=1ms")
        said = self.summary["operations"]
        self.assertEqual(said["n"], 6)
        with open(self.dir / "out/operations.csv", newline="") as f:
            rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(f)]
        ends = {}
        for r in rows:
            ends[r["operation"]] = max(ends.get(r["operation"], 0), r["end_s"] - r["start_s"])
        self.assertEqual(len(rows), 6 * 4)
        mean = sum(ends.values()) / 6
        sd = math.sqrt(sum((e - mean) ** 2 for e in ends.values()) / 5)
        self.assertAlmostEqual(said["mean_s"], mean, delta=1e-9)
        self.assertAlmostEqual(said["ci95_s"], 2.570582 * sd / math.sqrt(6), delta=1e-8)


class Waits(Case):
    """Windows of a few frames: a sender goes on when its ACK comes, which waits behind the data of the other way."""

    def shares(self, queue, *sets):
        took = self.collective("ring-allreduce", 4, 4_000_000, "tcp.window=60kB", *sets, queue=queue)
        said = self.summary["messages"]
        return took, said["ack_wait_s"] / said["time_s"]

    def test_acks_behind_data_are_what_messages_wait_for(self):
        took, share = self.shares("fifo")
        first_took, first_share = self.shares("ack-first")
        self.assertLess(first_share, share / 3)  # an ACK that leads waits for the frame on the wire, half of one on average
        self.assertLess(first_took, took)
        self.assertEqual(self.summary["messages"]["n"], 4 * 6)
        # What messages waited is what they take longer than where ACKs lead, to a few frames each.
        self.assertAlmostEqual(share * took, took - first_took, delta=0.03 * took)

    def test_nobody_waits_one_way_or_with_a_window_for_all(self):
        # 10 kB are less than the 15 kB of a round trip: the sender waits for every ACK, none of which waits in a queue.
        self.assertGreater(self.collective("binomial-broadcast", 2, 4_000_000, "tcp.window=10kB"), 1.3 * wire(4_000_000))
        self.assertEqual(self.summary["messages"]["ack_wait_s"], 0)
        self.collective("ring-allreduce", 4, 4_000_000)
        self.assertEqual(self.summary["messages"]["ack_wait_s"], 0)

    def test_the_table_adds_up_and_begins_with_the_worst(self):
        self.shares("fifo")
        rows = self.messages()
        self.assertEqual(len(rows), 4 * 6)
        waits = [float(r["ack_wait_s"]) for r in rows]
        self.assertEqual(waits, sorted(waits, reverse=True))
        self.assertAlmostEqual(sum(waits), self.summary["messages"]["ack_wait_s"], places=9)
        self.assertEqual(self.summary["messages"]["worst"]["from_rank"], int(rows[0]["from_rank"]))
        for r in rows:
            self.assertLess(float(r["ack_wait_s"]), float(r["mean_s"]))


GOAL = """num_ranks 3
rank 0 {
l1: calc 1000
l2: send 100b to 1 tag 5
l3: recv 70000b from 2
l2 requires l1
}
rank 1 {
r: recv 100b from 0 tag 5
s: send 10b to 2
s requires r
}
rank 2 {
a: recv 10b from 1
b: send 70000b to 0
c: calc 3000
d: calc 4000
e: calc 5000 cpu 1
b requires a
}
"""


def random_goal(seed, ranks, messages):
    """A GOAL text that ends: messages in an order of their own, every operation waits for an earlier one of its process,
    or for none."""
    draw = random.Random(seed)
    rows = [[] for _ in range(ranks)]

    def add(rank, text):
        row = rows[rank]
        label = f"x{len(row)}"
        earlier = draw.choice(row)[0] if row and draw.random() < 0.8 else None
        lines = [f"{label}: {text}"] + ([f"{label} {draw.choice(['requires', 'irequires'])} {earlier}"] if earlier else [])
        row.append((label, lines))

    for _ in range(messages):
        a, b = draw.sample(range(ranks), 2)
        tag, size = draw.randrange(3), draw.choice((1, 100, 5000, 60_000, 200_000))
        add(b, f"recv {size}b from {a} tag {tag}")
        if draw.random() < 0.3:
            add(a, f"calc {draw.randrange(100_000)} cpu {draw.randrange(2)}")
        add(a, f"send {size}b to {b} tag {tag}")
    return f"num_ranks {ranks}\n" + "".join(
        f"rank {r} {{\n" + "".join(line + "\n" for _, lines in row for line in lines) + "}\n"
        for r, row in enumerate(rows))


class Goal(Case):
    def played(self, text, *sets):
        self.write("a.goal", text)
        self.write("g.yaml", json.dumps({
            "title": "g", "duration": "10s", "warmup": "0s", "network": {"link": {"rate": "1Gbps", "delay": "25us"}},
            "traffic": {"start_spread": "0s", "goal": {"file": "a.goal"}}}))
        self.run_scenario("g.yaml", *sets)
        with open(self.dir / "out/operations.csv", newline="") as f:
            rows = list(csv.DictReader(f))
        return {int(r["process"]): float(r["end_s"]) - float(r["start_s"]) for r in rows}

    def test_a_chain_takes_the_sum_of_its_parts(self):
        ends = self.played(GOAL)
        first = 1e-6 + wire(100) + alpha(100)
        second = first + wire(10) + alpha(10)
        self.assertAlmostEqual(ends[0], second + wire(70000) + alpha(70000), delta=1e-9)
        self.assertAlmostEqual(ends[1], first, delta=1e-9)  # its message has left TCP in the same instant

    def test_calculations_of_one_processor_follow_each_other(self):
        text = "num_ranks 1\nrank 0 {\ncalc 3000\ncalc 4000\ncalc 5000 cpu 1\n}\n"
        self.assertAlmostEqual(self.played(text)[0], 7e-6, delta=1e-12)

    def test_long_messages_wait_for_their_receives(self):
        text = ("num_ranks 2\nrank 0 {\nsend 70000b to 1\n}\nrank 1 {\nc: calc 5000000\nr: recv 70000b from 0\n"
                "r requires c\n}\n")
        self.assertAlmostEqual(self.played(text)[1], 5e-3 + wire(70000) + alpha(70000), delta=1e-9)
        self.assertAlmostEqual(self.played(text, "traffic.goal.eager=70kB")[1], 5e-3, delta=1e-9)

    def test_what_is_saved_is_played_again(self):
        self.played(GOAL, "traffic.goal.ranks=[h4, h2, h0]")
        self.run_scenario("out/scenario.yaml", output="again")
        for name in ("operations.csv", "messages.csv", "flows.csv", "summary.json", "queues.csv"):
            self.assertEqual((self.dir / "out" / name).read_bytes(), (self.dir / "again" / name).read_bytes(), name)
        self.assertEqual({r["from"] for r in self.messages()}, {"h4", "h2", "h0"})

    def test_a_collective_written_down_takes_as_long(self):
        took = self.collective("rabenseifner-allreduce", 6, 100_000, "network.nic.queue=fifo")
        text = self.good("run", "c.yaml", "--goal").stdout
        self.assertTrue(text.startswith("num_ranks 6\nrank 0 {\n"))
        self.assertAlmostEqual(max(self.played(text, "tcp.window=60MB", "network.hosts=6").values()), took, delta=1e-9)

    def test_every_text_that_can_end_does(self):
        for seed in range(8):
            for connections in ("one", "two"):
                text = random_goal(seed, 2 + seed, 60)
                ends = self.played(text, f"traffic.goal.connections={connections}")
                sizes = sorted(int(line.split()[2][:-1]) for line in text.splitlines() if ": send" in line)
                self.assertEqual((len(ends), sorted(int(r["bytes"]) for r in self.messages())), (2 + seed, sizes))
                self.assertEqual({int(r["messages"]) for r in self.messages()}, {1})
                flows = json.loads((self.dir / "out/summary.json").read_text())["flows"]
                delivered = sum(f["delivered_bytes"] + (f["delivered_back_bytes"] or 0) for f in flows)
                ways = len({(r["from"], r["to"]) for r in self.messages()})
                self.assertEqual(delivered, sum(sizes) + ways)  # and a greeting each

    def test_limits_are_said(self):
        self.write("a.goal", "num_ranks 2\nrank 0 {\nsend 5b to 1\n}\n")
        self.write("g.yaml", "traffic: {goal: {file: a.goal}}\n")
        self.bad(2, ["g.yaml:1: traffic.goal.file: ", "a.goal:3: rank 0 sends to rank 1, which receives no such message"],
                 "run", "g.yaml")
        self.bad(2, ["--goal", "traffic.collective"], "run", SCENARIOS / "star.yaml", "--goal")
        self.bad(2, ["no collectives by their dependencies"], "run", SCENARIOS / "allreduce-ring.yaml", "--set",
                 "engine=ns3")
