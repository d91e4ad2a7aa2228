# SPDX-License-Identifier: GPL-2.0-or-later
"""run --threads: the same bytes whatever their number. bench_threads.py has two hundred scenarios of these."""
import json
import pathlib
import signal
import subprocess
import time

import bench_threads
import e2e

LARGE = """duration: 100s
network: {topology: star, hosts: 40, link: {rate: 1Gbps, delay: 50us}}
tcp: {window: 250kB}
traffic: {random: {d: 3, probability: 1, bytes: 1TB}}
capture: [{at: h0, snaplen: 96}]
"""


class Threads(e2e.Case):
    def test_a_run_leaves_the_same_bytes(self):
        for number in range(301, 309):
            self.assertIsNone(bench_threads.differs(str(e2e.CONTRAFLOW), number), number)

    def test_a_large_network_has_as_many_as_asked_and_ends_when_told(self):
        self.write("large.yaml", LARGE)
        running = subprocess.Popen([e2e.CONTRAFLOW, "run", "large.yaml", "-o", "out", "-q", "--threads", "3"], cwd=self.dir,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(running.kill)
        while self.tasks() != 3:
            self.assertIsNone(running.poll(), "three threads never come")
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
        self.assertEqual(running.returncode, -signal.SIGINT, err)
        summary = json.loads((self.dir / "out/summary.json").read_text())
        self.assertFalse(summary["complete"])
        self.assertGreater(sum(f["delivered_bytes"] for f in summary["flows"]), 0)
        self.good("analyze", "out/h0.pcap")

    def tasks(self):
        """How many threads the engine has that runs here."""
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if (path / "comm").read_text().startswith("contraflow-nati") and (path / "cwd").samefile(self.dir):
                    return len(list((path / "task").iterdir()))
            except OSError:
                continue
        return 0

    def test_what_is_not_a_number_of_threads(self):
        self.write("large.yaml", LARGE)
        for text in ("0", "65", "two", "-1"):
            self.bad(2, ["--threads", text, "1 to 64"], "run", "large.yaml", f"--threads={text}")
