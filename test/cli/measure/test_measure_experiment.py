#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""contraflow measure --experiment: the plan, the analysis of emulated blocks whose effect is known, and all of it on live
flows through a router, between namespaces of its own.

    test_measure_experiment.py --router COMMAND...    in namespaces: COMMAND beside flows, ended twice on its way and called again
    test_measure_experiment.py --host ADDRESS PEER    at the other end of a cable; PEER none: a server"""
import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
INSIDE = sys.argv[1] in ("--router", "--host")
if not INSIDE:
    import e2e  # noqa: E402
    import paths  # noqa: E402
    import schemas  # noqa: E402

A, B, PORT = "10.78.0", "10.78.1", 5201  # hosts are .1, the router .2
RATE, WINDOW = "20Mbps", 30000  # windows of 12 ms each
# What matters of it here, where it is not installed: senders of segments, or of frames.
ETHTOOL = """#!/bin/sh
[ "$1" = -K ] && exec ip link set dev "$2" gso_max_segs "$([ "$4" = on ] && echo 65535 || echo 1)"
"""


def sends(s):
    block = bytes(65536)
    try:
        while True:
            s.sendall(block)
    except OSError:
        pass


def reads(s):
    while s.recv(65536):
        pass


def end(s, sending):
    threading.Thread(target=sends if sending else reads, args=(s,), daemon=True).start()


def windowed():
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, WINDOW)
    return s


def calls(*lines):
    for line in lines:
        subprocess.run(line.split(), check=True)


def host(net, peer):
    """One in and two out of B, which serves; who connects says who sends. Frames, so that none waits in the hosts."""
    print("here", flush=True)
    sys.stdin.readline()
    calls(f"ip addr add {net}.1/24 dev host", "ip link set host gso_max_segs 1 up", f"ip route add default via {net}.2")
    listener = windowed()
    listener.bind((f"{net}.1", PORT))
    listener.listen()
    print("listens", flush=True)
    sys.stdin.readline()
    for way in b"ioo" if peer != "none" else b"":
        s = windowed()
        s.connect((f"{peer}.1", PORT))
        s.sendall(bytes([way]))
        end(s, way == ord("i"))
    while True:
        s = listener.accept()[0]
        end(s, s.recv(1) == b"o")


def router(command):
    """The line to B is as fast as the queue of the experiment, to A, is."""
    hosts = []
    for net, peer, name in ((B, "none", "tob"), (A, B, "toa")):
        hosts.append(subprocess.Popen(["unshare", "--net", sys.executable, os.path.abspath(__file__), "--host", net, peer],
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        hosts[-1].stdout.readline()
        calls(f"ip link add {name} type veth peer name host netns {hosts[-1].pid}", f"ip addr add {net}.2/24 dev {name}",
              f"ip link set {name} up")
        print("go", file=hosts[-1].stdin, flush=True)
        hosts[-1].stdout.readline()
    calls("sysctl -qw net.ipv4.ip_forward=1", "tc qdisc add dev tob root tbf rate 20mbit burst 5k limit 1m")
    for h in hosts:
        print("go", file=h.stdin, flush=True)
    said = []
    for number in (signal.SIGINT, signal.SIGKILL, None):
        running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        before = len(list(pathlib.Path("tried").glob("*/headers.pcap")))
        while number and len(list(pathlib.Path("tried").glob("*/headers.pcap"))) < before + 2 and running.poll() is None:
            time.sleep(0.02)
        status = pathlib.Path(f"/proc/{running.pid}/status").read_text()
        if number:
            running.send_signal(number)
        out, err = running.communicate(timeout=60)
        said.append((running.returncode, out, err, subprocess.run("tc qdisc show dev toa".split(), capture_output=True,
                                                                  text=True).stdout,
                     int(re.search(r"CapEff:\s*(\w+)", status)[1], 16)))
    print(json.dumps(said), flush=True)
    os._exit(0)


def first():
    """Where we may: beside a compiler, how late readers are would be what is measured."""
    os.setsid()
    with contextlib.suppress(OSError):
        os.nice(-10)
        pathlib.Path("/proc/self/autogroup").write_text("-10")


if not INSIDE:
    class Planned(e2e.Case):
        def experiment(self, fours, seed, *more, status=0):
            return self.good("measure", "--experiment", "-o", "tried", "-i", "none", "--rate", "1Gbps", "--fours", fours,
                             "--seed", seed, *more, status=status)

        def plan(self, fours, seed):
            """Without such an interface it ends after the plan."""
            self.bad(2, ["none: cannot be set to begin, offloads on: tc: ", "CAP_NET_ADMIN"], "measure", "--experiment", "-o", "tried", "-i", "none",
                     "--rate", "1Gbps", "--fours", fours, "--seed", seed)
            said = json.loads((self.dir / "tried/plan.json").read_text())
            self.assertEqual(schemas.errors(said), [])
            self.assertIsNone(said["result"])
            return said["plan"]

        def test_each_pair_of_settings_comes_once_in_four(self):
            plan = self.plan(5, 7)
            for four in range(5):
                blocks = [b for b in plan["blocks"] if b["four"] == four]
                self.assertEqual([b["block"] for b in blocks], list(range(4 * four, 4 * four + 4)))
                self.assertEqual(len({(b["queue"], b["offloads"]) for b in blocks}), 4)
            for b in plan["blocks"]:  # within its block of 60 s: after 15 s, for 20 s
                self.assertTrue(15 <= b["capture_at_s"] <= 40, b)
            self.assertGreater(len({b["capture_at_s"] for b in plan["blocks"]}), 15)
            self.assertEqual(self.plan(5, 7), plan)
            self.bad(2, "tried/plan.json: is the plan of another experiment", "measure", "--experiment", "-o", "tried", "-i",
                     "none", "--rate", "1Gbps", "--fours", 5, "--seed", 8)

        def test_the_effect_of_the_queue_is_found_and_that_of_nothing_is_not(self):
            """2 in, 1 out: by Eq. 6 three halves of B with FIFO queues, two of B, less ACKs, without ACKs that wait: a third
            more. Offloads change nothing here. Of the four ways to put signs to two fours two are as far off: half of them."""
            for b in self.plan(2, 1)["blocks"]:
                self.good("run", "star", "-o", "r", "--quiet", "--seed", b["block"] + 1, "--set", f"network.nic.queue={b['queue']}",
                          "--set", f"network.switch.queue={b['queue']}", "--set", "tcp.window=500kB", "--set", "duration=4s",
                          "--set", "network.link.rate=100Mbps")
                folder = self.dir / "tried" / str(b["block"])
                folder.mkdir()
                (self.dir / "r/h0.pcap").rename(folder / "headers.pcap")
            said = json.loads(self.experiment(2, 1, "--json", status=4).stdout)
            self.assertEqual(schemas.errors(said), [])
            self.assertEqual(said, json.loads((self.dir / "tried/result.json").read_text()))
            self.assertEqual(said["plan"], json.loads((self.dir / "tried/plan.json").read_text())["plan"])
            result = said["result"]
            queue, offloads, both = result["effects"]
            self.assertAlmostEqual(queue["change"], 1 / 3, delta=0.04)
            self.assertEqual(queue["by_chance"], 0.5)
            self.assertTrue(queue["least"] < queue["change"] < queue["most"])
            for none in (offloads, both):
                self.assertLess(abs(none["change"]), 0.01)
            self.assertAlmostEqual(result["foretold"], queue["change"], delta=0.04)
            self.assertEqual(result["ack_first_carries_more"], "unknown")  # of two fours nobody can know
            for planned, b in zip(said["plan"]["blocks"], result["blocks"]):
                self.assertEqual(b["asymmetry"], "yes" if planned["queue"] == "fifo" else "no")
            self.assertRegex(self.experiment(2, 1, status=4).stdout,
                             r"^ACKs first over FIFO: \+3\d\.\d % \(.*\), by chance 0\.5: cannot tell; check foretold \+3")

        def test_bad_words(self):
            for more in ([], ["-o", "x"], ["-i", "lo", "--rate", "1M"], ["-o", "x", "-i", "lo", "--run", "true"],
                         ["-o", "x", "-i", "lo", "--rate", "1M", "h"]):
                self.bad(2, "takes -o DIR, -i IFACE and --rate of", "measure", "--experiment", *more)
            self.bad(2, "fours", "measure", "--experiment", "-o", "x", "-i", "lo", "--rate", "1M", "--fours", 17)
            self.assertEqual(list(self.dir.iterdir()), [])

        @e2e.unittest.skipUnless(os.geteuid() == 0, "only root can be nobody")
        def test_nobody_hears_what_it_takes(self):
            (self.dir / "x").mkdir()
            (self.dir / "x").chmod(0o777)
            self.bad_as_nobody(2, ["lo: cannot be set to begin", "CAP_NET_ADMIN"], "measure", "--experiment", "-o", self.dir / "x", "-i", "lo",
                               "--rate", "1M")

        def test_what_is_started_is_in_the_plan_word_by_word(self):
            commands = self.plan(2, 1)["commands"]
            self.assertIn(["tc", "class", "add", "dev", "none", "parent", "1:", "classid", "1:1", "htb", "rate", "1000000000"],
                          commands["begin"])
            self.assertEqual(commands["begin"][0], ["-tc", "qdisc", "del", "dev", "none", "root"])
            self.assertEqual(commands["fifo"], [["-tc", "filter", "del", "dev", "none", "parent", "1:"],
                                                ["ethtool", "-K", "none", "gso", "OFFLOADS", "tso", "OFFLOADS", "gro", "OFFLOADS"]])
            first = commands["ack-first"]
            self.assertEqual([first[0], first[3]], commands["fifo"])
            for ours in first[1:3]:
                self.assertEqual((ours[:3], ours[-2:]), (["tc", "filter", "add"], ["flowid", "1:3"]))
            self.assertEqual(commands["end"][-1], ["ethtool", "-K", "none", "gso", "on", "tso", "on", "gro", "on"])

        def run_by(self, program, *more):
            return ["measure", "--experiment", "-o", "tried", "-i", "lo", "--rate", "95Mbps", "--time", "10s", "--run", program, *more]

        def test_a_program_is_started_by_its_words_and_told_when_it_ends(self):
            """Nobody runs a shell for it: `; touch` is part of its name. After the first block's step we end it."""
            name = "./a b; touch c"
            self.write(name, '#!/bin/sh\necho "$#:$*" >> told\n').chmod(0o755)
            told = self.dir / "told"
            running = subprocess.Popen([str(e2e.CONTRAFLOW), *self.run_by(name)], cwd=self.dir, stderr=subprocess.PIPE, text=True)
            until = time.monotonic() + 60
            while (not told.exists() or told.read_text().count("\n") < 2) and time.monotonic() < until:
                time.sleep(0.02)
            running.send_signal(signal.SIGINT)
            self.assertIn("stopped with 0 of 32 blocks", running.communicate(timeout=60)[1])
            plan = json.loads((self.dir / "tried/plan.json").read_text())
            self.assertEqual(schemas.errors(plan), [])
            b = plan["plan"]["blocks"][0]
            self.assertEqual(told.read_text().splitlines(), ["4:lo begin on 95000000", f"4:lo {b['queue']} {b['offloads']} 95000000",
                                                             "4:lo end on 95000000"])
            self.assertEqual(plan["plan"]["commands"]["fifo"], [[name, "lo", "fifo", "OFFLOADS", "95000000"]])
            self.assertEqual(plan["plan"]["commands"]["end"], [[name, "lo", "end", "on", "95000000"]])
            self.assertFalse((self.dir / "c").exists())

        def test_a_program_that_fails_is_named_with_what_it_said_first(self):
            for text, said in (("#!/bin/sh\necho no such switch >&2\necho more\nexit 3\n", "no such switch"),
                               ("#!/bin/sh\nexit 1\n", "it failed without a word"), ("echo no program\n", "Exec format error"),
                               (None, "No such file or directory")):
                if text:
                    self.write("switch", text).chmod(0o755)
                else:
                    (self.dir / "switch").unlink()
                done = self.bad(2, f"lo: cannot be set to begin, offloads on: ./switch: {said}", *self.run_by("./switch"))
                self.assertTrue(done.stderr.endswith(said + "\n"), done.stderr)

    class Live(e2e.Case):
        def test_what_acks_first_bring_live_flows(self):
            """Two from B to A and one back, 20 Mb/s each way: the two fill the router's queue to A, where the one's ACKs wait,
            so that it has half of the line (Eq. 6); with ACKs first it has the line, less ACKs, 66 bytes for 3028. Together 1.5
            become 1.96 lines: 30 % more. Of 64 ways to put signs to six fours two are as far off."""
            paths.require(self)
            e2e.require("tc")
            self.write("ethtool", ETHTOOL).chmod(0o755)
            done = subprocess.run(
                [*paths.SANDBOX, sys.executable, os.path.abspath(__file__), "--router", str(e2e.CONTRAFLOW), "measure", "--experiment",
                 "-o", "tried", "-i", "toa", "--rate", RATE, "--fours", "6", "--time", "300ms", "--seed", "20261126"],
                cwd=self.dir, capture_output=True, text=True, timeout=100, preexec_fn=first,
                env={**{k: v for k, v in os.environ.items() if not k.startswith("SUDO_")}, "PATH": f"{self.dir}:{os.environ['PATH']}"})
            self.assertTrue(done.stdout, done.stderr)
            interrupted, killed, whole = json.loads(done.stdout.splitlines()[-1])
            self.assertEqual(interrupted[0], -signal.SIGINT, interrupted)
            self.assertRegex(interrupted[2], r"stopped with [2-4] of 24 blocks; the same command goes on")
            self.assertNotIn("htb", interrupted[3])
            self.assertEqual(killed[0], -signal.SIGKILL)
            self.assertEqual((interrupted[4], killed[4]), (0, 0))  # what may change queues is a process of its own
            self.assertEqual((whole[0], whole[2]), (1, ""), whole)
            self.assertNotIn("htb", whole[3])
            said = json.loads((self.dir / "tried/result.json").read_text())
            self.assertEqual(schemas.errors(said), [])
            self.assertEqual(said["plan"], json.loads((self.dir / "tried/plan.json").read_text())["plan"])
            result = said["result"]
            queue = result["effects"][0]
            self.assertEqual((result["ack_first_carries_more"], queue["by_chance"]), ("yes", 2 / 64))
            self.assertAlmostEqual(queue["change"], 1.96 / 1.5 - 1, delta=0.15)


if __name__ == "__main__":
    if sys.argv[1] == "--router":
        router(sys.argv[2:])
    elif sys.argv[1] == "--host":
        host(*sys.argv[2:])
    else:
        e2e.main()
