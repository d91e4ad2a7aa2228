#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""contraflow check, analyze and explain read an interface: the near host's of a path between two namespaces of their own
(paths.py), while iperf3 sends both ways.

    test_live.py --near FAR SECONDS TERMINAL COMMAND...   at the near host: COMMAND while that goes on, ended as by Ctrl-C.
                                                          What it printed, said and gave up, as JSON
    test_live.py --inside PATH SECONDS TERMINAL COMMAND..."""
import json
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
NEAR = sys.argv[1] in ("--near", "--inside")
if not NEAR:
    import e2e  # noqa: E402
import paths  # noqa: E402

PORT = "5201"
# 9 Mb/s each way, data in with a small window: their ACKs wait behind data out (test/data/iperf3, unequal-windows)
PATH = {"in": paths.way(9, 560000, delay=0.008), "out": paths.way(9, 560000, delay=0.008),
        "near": {"net/ipv4/tcp_rmem": "4096 70000 70000"}, "far": {"net/ipv4/tcp_rmem": "4096 300000 300000"},
        "servers": [["iperf3", "-s", "-p", PORT]]}


def given_up(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return dict(re.findall(r"^(Uid|CapPrm|CapEff|NoNewPrivs|Seccomp):\s*(.*)$", status, re.M))


def near(far, seconds, terminal, command):
    master, slave = pty.openpty()
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=slave if terminal else subprocess.PIPE)
    os.close(slave)
    words, said = master if terminal else running.stderr.fileno(), b""
    while b"; Ctrl-C ends" not in said and (more := os.read(words, 65536)):  # it has opened the interface
        said += more
    subprocess.run(["iperf3", "-c", far, "-p", PORT, "-t", str(seconds), "--bidir", "-C", "cubic",
                    "-l", "8K"],
                   stdout=subprocess.DEVNULL, check=True)
    status = given_up(running.pid)
    running.send_signal(signal.SIGINT)
    if terminal:
        try:
            while select.select([master], [], [], 20)[0]:
                said += os.read(master, 65536)
        except OSError:  # the end of a terminal
            pass
    out, err = running.communicate(timeout=30)
    said += err or b""
    print(json.dumps({"code": running.returncode, "out": out.decode(), "said": said.decode(), "status": status}))


if not NEAR:
    class Live(e2e.Case):
        def setUp(self):
            super().setUp()
            paths.require(self)

        def live(self, seconds, terminal, *command):
            e2e.require("iperf3")
            environment = {k: v for k, v in os.environ.items() if not k.startswith("SUDO_")}
            done = subprocess.run(
                [*paths.SANDBOX, sys.executable, os.path.abspath(__file__), "--inside", json.dumps(PATH), str(seconds),
                 str(int(terminal)), str(e2e.CONTRAFLOW), *command], capture_output=True, text=True, timeout=100,
                cwd=self.dir, env=environment)
            self.assertTrue(done.stdout, done.stderr)
            return json.loads(done.stdout.splitlines()[-1])

        def test_check_ends_with_the_full_answer(self):
            live = self.live(6, False, "check", "-i", "near", "--json")
            resource = next(r for r in json.loads(live["out"])["resources"] if r["host"] == "10.77.0.1")
            self.assertEqual((resource["source"], (resource["indegree"], resource["outdegree"])), ("near", (1, 1)))
            diagnosis = resource["diagnosis"]
            self.assertEqual(diagnosis["asymmetry"], "yes", diagnosis["why"])
            self.assertLess(diagnosis["goodput_bps"]["in"], 0.6 * diagnosis["goodput_bps"]["out"])
            self.assertFalse([text for text in diagnosis["remedies"] if "contraflow replay" in text])  # of what capture?
            self.assertEqual(live["said"], "contraflow: near: captures; Ctrl-C ends it, and the answer follows\n")
            # what a fault in the reading of frames would bring: nothing
            self.assertEqual((int(live["status"]["CapPrm"], 16), int(live["status"]["CapEff"], 16)), (0, 0))
            self.assertEqual(live["status"]["NoNewPrivs"], "1")
            if e2e.CONTRAFLOW.parent.joinpath("meson-info").exists() and "address" not in self.sanitizers():
                self.assertEqual(live["status"]["Seccomp"], "2")

        @staticmethod
        def sanitizers():
            options = json.loads((e2e.CONTRAFLOW.parent / "meson-info/intro-buildoptions.json").read_text())
            return next(o["value"] for o in options if o["name"] == "b_sanitize")

        def test_a_terminal_shows_the_answer_so_far(self):
            live = self.live(4, True, "explain", "-i", "near")
            self.assertEqual(live["code"], 0, live["said"])
            self.assertRegex(live["out"], r"near: host 10\.77\.0\.1( \(the same flows at 10\.77\.0\.2\))?: ")
            self.assertNotIn("\x1b", live["out"])
            looks = re.findall(r"near: (\d+) s, \d+ frames, \d+ TCP segments; Ctrl-C ends", live["said"])
            self.assertGreaterEqual(len(looks), 2)
            self.assertEqual(looks, sorted(looks, key=int))
            self.assertRegex(live["said"], r"\x1b\[\d+A\x1b\[J")  # in place
            self.assertRegex(live["said"], r"10\.77\.0\.1:\d+ +10\.77\.0\.2:5201 +[\d.]+ Mb/s")

        def test_analyze_and_its_page(self):
            live = self.live(2, False, "analyze", "-i", "near", "--report", "page")
            self.assertEqual(live["code"], 0, live["said"])
            self.assertIn("report: page/report.html", live["out"])
            self.assertIn("10.77.0.2:5201", live["out"])
            self.assertTrue((self.dir / "page/report.html").exists())

    class Refused(e2e.Case):
        def test_what_is_no_interface(self):
            for command in ("check", "analyze", "explain"):
                self.bad(2, "nosuch0: no such interface; 'ip link' lists them", command, "-i", "nosuch0")
                self.bad(2, f"{command}: -i lo and a file", command, "-i", "lo", "x.pcap")

        @e2e.unittest.skipUnless(os.geteuid() == 0, "only root can give its capabilities up")
        def test_nobody_hears_what_would_help(self):
            self.bad_as_nobody(3, ["lo: capturing needs CAP_NET_RAW", "setcap", "tcpdump -i lo"], "check", "-i", "lo")

        @e2e.unittest.skipUnless(os.geteuid() == 0, "only root can be what sudo makes of a user")
        def test_who_called_sudo_is_who_reads(self):
            running = subprocess.Popen([str(e2e.CONTRAFLOW), "check", "-i", "lo"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True,
                                       env={**os.environ, "SUDO_UID": "12345", "SUDO_GID": "12346"})
            self.assertIn("captures", running.stderr.readline())
            status = given_up(running.pid)
            running.terminate()
            running.communicate(timeout=30)
            self.assertEqual((status["Uid"].split(), int(status["CapPrm"], 16)), (["12345"] * 4, 0))


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        paths.inside(json.loads(sys.argv[2]), None, [sys.executable, os.path.abspath(__file__), "--near", "FAR",
                                                     *sys.argv[3:]], subprocess.DEVNULL)
    elif sys.argv[1] == "--near":
        near(sys.argv[2], int(sys.argv[3]), sys.argv[4] == "1", sys.argv[5:])
    else:
        e2e.main()
