# SPDX-License-Identifier: GPL-2.0-or-later
"""mpirun contraflow measure --mpi: on machines that are network namespaces (stars.py), with Open MPI's own TCP between
them; skipped where nobody may make such. Time is the wall's: rates may be too small on a busy machine, never too large.
test_measure_mpi_linux.py has them in virtual time."""
import csv
import json
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

import e2e
import paths
import schemas
import stars

RATE = 10e6
B = RATE * 1448 / 1538  # TCP's payload in full frames with timestamps
STAR = {"hosts": 4, "rate": RATE, "queue": 2000000, "discipline": "fifo", "delay": 0.0001,
        "settings": {"net/ipv4/tcp_congestion_control": "reno"}}
WINDOW = 20000
needs_mpi = unittest.skipUnless(e2e.CONTRAFLOW and e2e.CONTRAFLOW.with_name("contraflow-mpi").exists(),
                                "contraflow-mpi is not built")


def rows(path):
    with open(path) as f:
        return list(csv.DictReader(line for line in f if not line.startswith("#")))


class Usage(e2e.Case):
    def mpirun(self, *args):
        """One process, of which there is no use: options are read first."""
        e2e.require("mpirun")
        root = ["--allow-run-as-root"] if os.getuid() == 0 else []
        return subprocess.run(["mpirun", *root, "-np", "1", "env", "ASAN_OPTIONS=detect_leaks=0", e2e.CONTRAFLOW,
                               "measure", "--mpi", *args], cwd=self.dir, capture_output=True, text=True, timeout=100)

    def refused(self, words, *args):
        done = self.mpirun(*args)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(len([line for line in done.stderr.splitlines() if line.startswith("contraflow: ")]), 1)
        self.assertIn(words, done.stderr)
        self.assertEqual(os.listdir(self.dir), [])

    def test_without_mpirun_one_line_says_how(self):
        self.bad(2, "mpirun -host A,B,C contraflow measure --mpi", "measure", "--mpi")
        self.assertIn("mpirun", self.good("measure", "--mpi", "--help").stdout)

    @needs_mpi
    def test_one_host_is_no_cluster(self):
        self.refused("0 of them on other hosts than")

    @needs_mpi
    def test_words_that_are_wrong(self):
        self.refused("a name that ends in .csv", "-o", "measured.txt")
        self.refused("--bytes 0: 1 to 1073741824 bytes", "--bytes", "0")


@needs_mpi
class Cluster(e2e.Case):
    def setUp(self):
        super().setUp()
        e2e.require("mpirun")
        paths.require(self)

    def start(self, *options):
        """One process a host, windows of a tenth of a message."""
        mca = {"plm_rsh_agent": stars.AGENT, "plm_rsh_no_tree_spawn": 1, "pml": "ob1", "btl": "tcp,self",
               "btl_tcp_if_include": "cable", "oob_tcp_if_include": "cable", "mpi_yield_when_idle": 1,
               "btl_tcp_sndbuf": WINDOW, "btl_tcp_rcvbuf": WINDOW}
        process = stars.start(STAR, "mpirun", "--allow-run-as-root", "-np", 4, "-H", "h0,h1,h2,h3",
                              *(word for name, value in mca.items() for word in ("--mca", name, value)),
                              "env", "ASAN_OPTIONS=detect_leaks=0", e2e.CONTRAFLOW, "measure", "--mpi", *options,
                              cwd=self.dir)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        process.kill()  # and with it everything in its namespaces
        process.communicate()

    def test_the_paper_s_patterns_and_what_fit_says(self):
        """Two hundred kilobytes take 0.17 s of a link alone. In FIFO queues with equal windows 2 in and 1 out have half
        of it each: the flow out has far from all of it, as full duplex would give it."""
        process = self.start("--bytes", "200kB", "--degrees", "1/1,2/1", "--time", "2s", "-o", "own.csv")
        out, words = process.communicate(timeout=200)
        self.assertEqual(process.returncode, 0, out + words)
        self.assertEqual(words.count("contraflow: pattern "), 2, words)
        rates = {}
        for row in rows(self.dir / "own.csv"):
            self.assertIn("h0", (row["from"], row["to"]))
            way = "in" if row["to"] == "h0" else "out"
            rates.setdefault(row["pattern"], {}).setdefault(way, []).append(float(row["bits_per_second"]))
            self.assertLess(float(row["bits_per_second"]), 1.001 * B, row)
            self.assertGreaterEqual(float(row["spread"]), 0, row)
        self.assertEqual({p: {way: len(r) for way, r in ways.items()} for p, ways in rates.items()},
                         {"1/1": {"in": 1, "out": 1}, "2/1": {"in": 2, "out": 1}})
        self.assertLess(rates["2/1"]["out"][0], 0.75 * B)
        for ways in rates.values():  # and nobody hears the others' messages
            self.assertLess(max(sum(r) for r in ways.values()), 1.001 * B)
        fit = self.json("fit", "own.csv")["resources"]
        command = re.search(r"contraflow (fit --set network\.link\.rate=\S+ own\.csv)", out)
        text = self.good(*command[1].split()).stdout
        self.assertRegex(text, r"(?m)^(Eq\. [56], .*with B = [0-9.]+ Mb/s|neither Eq\. 6)")
        said = re.search(r"best: (\S+), B = ([0-9.]+) Mb/s", text)
        best = fit["links"][0]["forms"][0] if "links" in fit else fit[0]["forms"][0]
        self.assertEqual((said[1], float(said[2])), (best["form"] + "+acks" * best["acks"],
                                                     round(best["fitted_rate_bps"]["value"] / 1e6, 2)))
        self.assertEqual(sorted(p.name for p in self.dir.iterdir()), ["own.csv"])

    def test_json_has_what_the_table_has(self):
        process = self.start("--bytes", "20kB", "--degrees", "0/1,1/1", "--time", "1ms", "-o", "own.csv", "--json")
        out, words = process.communicate(timeout=200)
        self.assertEqual(process.returncode, 0, out + words)
        said = json.loads(out)
        self.assertEqual(schemas.errors(said), [])
        self.assertEqual((said["table"], said["host"], said["processes"], said["message_bytes"]),
                         ("own.csv", "h0", 4, 20000))
        table = iter(rows(self.dir / "own.csv"))
        most = 0
        for pattern, (n_in, n_out) in zip(said["patterns"], ((0, 1), (1, 1)), strict=True):
            self.assertEqual((pattern["in"], pattern["out"], pattern["messages"]), (n_in, n_out, 5))
            ways = {"in": [], "out": []}
            for flow, row in zip(pattern["flows"], table):
                self.assertEqual([flow[k] for k in ("flow", "from", "to")], [row[k] for k in ("flow", "from", "to")])
                self.assertEqual("h0", flow["to" if flow["direction"] == "in" else "from"])
                rate, time_s = flow["rate_bps"], flow["message_s"]
                self.assertEqual(round(rate["value"]), float(row["bits_per_second"]))
                self.assertAlmostEqual(rate["value"] * time_s["value"] / 1.6e5, 1)
                self.assertAlmostEqual(rate["ci95"] / rate["value"], time_s["ci95"] / time_s["value"])
                # Student's t of four degrees of freedom; the table has six digits of the spread.
                self.assertAlmostEqual(time_s["ci95"] / time_s["value"], 2.7764451052 * float(row["spread"]),
                                       delta=2.7764451052 * 0.51e-6)
                self.assertEqual(flow["window_bytes"], float(row["window"]))
                self.assertTrue(1448 < flow["window_bytes"] <= 2 * WINDOW, row)
                ways[flow["direction"]].append(rate)
            for way, flows in ways.items():
                self.assertEqual(len(flows), pattern[way])
                self.assertEqual(pattern[way + "_bps"], flows[0] if flows else {"value": None, "ci95": None})
                most = max([most, *(r["value"] for r in flows)])
            self.assertEqual(pattern["precise"], all(f["message_s"]["ci95"] <= 0.01 * f["message_s"]["value"]
                                                     for f in pattern["flows"]))
        self.assertEqual(list(table), [])
        self.assertAlmostEqual(said["link_rate_bps"] / most, 1538 / 1448)

    def test_a_study_has_the_patterns_that_processes_allow(self):
        """Four hosts: three flows at once. Rates are those of the wall's time: any cause may be named, or none."""
        process = self.start("--study", "--bytes", "100kB", "--time", "1s", "--json")
        out, words = process.communicate(timeout=280)
        said = json.loads(out[out.index("{"):out.rindex("}") + 1])
        self.assertEqual(schemas.errors(said), [])
        self.assertEqual(process.returncode, 4 if said["cause"] is None else 0, words)
        self.assertEqual([(p["in"], p["out"]) for p in said["patterns"][:2]], [(0, 1), (1, 0)])
        self.assertLessEqual({(p["in"], p["out"]) for p in said["patterns"]}, {(0, 1), (1, 0), (1, 1), (2, 1), (1, 2)})
        for p in said["patterns"]:
            self.assertLess(max(p["in"] * (p["in_bps"] or 0), p["out"] * (p["out_bps"] or 0)), 1.001 * B)
        self.assertEqual(list(self.dir.iterdir()), [])

    def test_an_interrupt_leaves_no_table(self):
        process = self.start("--bytes", "1MB", "--degrees", "0/1,2/1", "--time", "3600s")
        part = self.dir / "measured.csv.part"
        while not part.exists():
            self.assertIsNone(process.poll())
            time.sleep(0.1)
        mpirun = [int(p.name) for p in pathlib.Path("/proc").glob("[0-9]*") if self.is_mpirun(p)]
        self.assertEqual(len(mpirun), 1)
        os.kill(mpirun[0], signal.SIGINT)
        _, words = process.communicate(timeout=100)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("of 2 patterns; measured.csv is not written", words)
        self.assertEqual(list(self.dir.iterdir()), [])

    def is_mpirun(self, process):
        try:
            return (process / "cwd").resolve() == self.dir.resolve() and \
                (process / "cmdline").read_bytes().split(b"\0")[0] == b"mpirun"
        except OSError:  # it has ended
            return False
