#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""contraflow check --probe: what a steady capture cannot tell, pulses of load tell. Emulated ones (test/corpus/pulsed.py), whose
truth is known by experiment; and sent by ourselves, over a path between two namespaces (paths.py).

    test_probe.py --near FAR CASE COMMAND...    at the near host: COMMAND while iperf3 sends both ways. What it said, as JSON
    test_probe.py --inside CASE COMMAND..."""
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../corpus"))
NEAR = sys.argv[1] in ("--near", "--inside")
if not NEAR:
    import e2e  # noqa: E402
import paths  # noqa: E402

SERVERS = [["iperf3", "-s", "-p", "5201"], ["iperf3", "-s", "-p", "5202"]]
# A path, and what iperf3 is asked for beside a download.
CASES = {"pace": ({"in": paths.way(9, 400000, delay=0.008), "out": paths.way(9, 400000, delay=0.008),
                   "near": {"net/ipv4/tcp_rmem": "4096 400000 400000"}}, ["-b", "5.4M", "-l", "2K"]),
         "windows": ({"in": paths.way(9, 400000, delay=0.008), "out": paths.way(5, 200000, delay=0.008),
                      "near": {"net/ipv4/tcp_rmem": "4096 120000 120000"},
                      "far": {"net/ipv4/tcp_rmem": "4096 120000 120000"}}, [])}
BEFORE_S = 3  # the capture begins, so long after the traffic


def near(far, case, command):
    ports = ("5201", "5202")
    traffic = [subprocess.Popen(["iperf3", "-c", far, "-p", port, "-t", "60", *more], stdout=subprocess.DEVNULL)
               for port, more in zip(ports, (["-R"], CASES[case][1]))]
    time.sleep(BEFORE_S)
    done = subprocess.run([far if word == "FAR" else word for word in command], capture_output=True, text=True,
                          timeout=80)
    for t in traffic:
        t.kill()
    print(json.dumps({"code": done.returncode, "out": done.stdout, "said": done.stderr}))


if not NEAR:
    import pulsed

    class Emulated(e2e.Case):
        def answers(self, number, seed, *options):
            """Without and with pulses, and the truth."""
            done = subprocess.run([sys.executable, pulsed.__file__, str(e2e.CONTRAFLOW), str(self.dir), "--seed", str(seed),
                                   "--first", str(number), "--count", "1", "--jobs", "1", *options],
                                  capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 0, done.stderr)
            row = json.loads((self.dir / "truth.json").read_text())[0]
            self.number, self.server = row[0], row[6]
            return *(a["asymmetry"] for a in row[5]), row[3]

        def test_a_pace_is_told_from_a_window(self):
            self.assertEqual(self.answers(25, 131, "--class", "constant_rate"), ("unknown", "no", "no"))
            path = str(self.dir / f"{self.number:05}p.pcap")
            said = json.loads(self.good("check", path, "--probe", f"{self.server}:4717", "--json").stdout)
            resource = next(r for r in said["resources"] if r["host"] == "10.0.0.1")
            flows = [f["src"] + " " + f["dst"] for f in resource["flows"]]
            self.assertFalse([f for f in flows if self.server in f])  # pulses are judged by nobody
            done = self.call("check", path, "--probe", "10.0.0.1:9")
            self.assertIn("has no pulse", done.stderr)

        def test_a_loss_shows_in_a_capture_begun_late(self):
            self.assertEqual(self.answers(4, 141, "--cut", "--class", "constant_rate,bulk,windows,late,mixed"),
                             ("unknown", "yes", "yes"))

    class Sent(e2e.Case):
        def live(self, case):
            """What 'check -i --probe' says of the near host."""
            paths.require(self)
            e2e.require("iperf3")
            command = [str(e2e.CONTRAFLOW), "check", "-i", "near", "--probe", "FAR", "--token", paths.TOKEN, "--json"]
            done = subprocess.run([*paths.SANDBOX, sys.executable, os.path.abspath(__file__), "--inside", case, *command],
                                  capture_output=True, text=True, timeout=150)
            self.assertTrue(done.stdout, done.stderr)
            live = json.loads(done.stdout.splitlines()[-1])
            self.assertEqual(live["said"], "contraflow: near: captures; the last pulse ends it, and the answer follows\n")
            resource = next(r for r in json.loads(live["out"])["resources"] if r["host"] == "10.77.0.1")
            self.assertEqual((resource["indegree"], resource["outdegree"]), (1, 1))
            self.assertGreater(resource["end_s"], 6)  # the quiet time before the first pulse, and no more
            self.assertLess(resource["end_s"], 16)
            return resource["diagnosis"]

        def test_pulses_are_sent_and_end_the_capture(self):
            self.assertNotEqual(self.live("pace")["asymmetry"], "yes")  # a pace and a full link: nothing is lost

        def test_a_pulse_shows_a_link_that_windows_do_not_fill(self):
            """Windows of one size share a queue of 5 Mb/s out, so that the download brings as much as the upload: just what a
            link of 5 Mb/s in would. It has 9, and with ACKs first the download has 8.3 of them instead of 4.6. What else
            this machine does blurs what pulses show, and then nothing is sure; Emulated asks for the answer."""
            said = self.live("windows")
            self.assertIn(said["asymmetry"], ("yes", "unknown"), said)
            if said["asymmetry"] == "yes":
                self.assertGreater(said["lost_share"]["in"], 0.1)
                self.assertLess(said["lost_share"]["out"], 0.1)

    class Refused(e2e.Case):
        def test_bad_words(self):
            for text in ("", ":1", "192.0.2.1:", "192.0.2.1:0", "192.0.2.1:65536", "[::1", "[::1]4717"):
                self.bad(2, f"--probe {text}: HOST or HOST:PORT", "check", "x.pcap", "--probe", text)
            self.bad(2, "--probe no such host", "check", "x.pcap", "--probe", "no such host")

        def test_a_server_and_its_token(self):
            self.bad(2, "--probe with -i takes the --token", "check", "-i", "lo", "--probe", "127.0.0.1")

        @e2e.unittest.skipUnless(os.geteuid() == 0, "only root captures")
        def test_no_server_no_answer(self):
            done = self.call("check", "-i", "lo", "--probe", "127.0.0.1:9", "--token", paths.TOKEN)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("does 'contraflow measure serve --bind ADDRESS' run there", done.stderr)


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        serve = [sys.argv[3], "measure", "serve", "--bind", paths.FAR, "--token", paths.TOKEN]
        paths.inside({**CASES[sys.argv[2]][0], "servers": [*SERVERS, serve]}, None,
                     [sys.executable, os.path.abspath(__file__), "--near", "FAR", *sys.argv[2:]], subprocess.DEVNULL)
    elif sys.argv[1] == "--near":
        near(sys.argv[2], sys.argv[3], sys.argv[4:])
    else:
        e2e.main()
