# SPDX-License-Identifier: GPL-2.0-or-later
"""contraflow measure: what it says of paths whose truth is known, and who a server serves.

Paths are made of namespaces and TUN devices (paths.py), for which no root is needed; skipped where nobody may make
them.
Other work on this machine may blur rates: then an answer may be "unknown", never a wrong one, and a test says which of
the two it takes."""
import contextlib
import csv
import hashlib
import hmac
import html
import json
import math
import os
import re
import signal
import socket
import subprocess

import e2e
import paths
import schemas

TOKEN = "9c1f7a02e85b3d6494f0c7d5"


class Path(e2e.Case):
    def setUp(self):
        super().setUp()
        paths.require(self)

    STATUS = {"no": 0, "yes": 1, "unknown": 4}

    def measure(self, path, *options, status=STATUS):
        """The process and the resource; the exit status is that of its answer."""
        done = paths.measure(e2e.CONTRAFLOW, path, "--json", *options)
        self.assertIn(done.returncode, status.values(), done.stdout + done.stderr)
        said = json.loads(done.stdout)
        self.assertEqual(schemas.errors(said), [])
        r = said["resources"][0]
        self.assertEqual(done.returncode, status[r["diagnosis"]["asymmetry"]])
        return done, r

    def judged(self, path, *answers, time="12s", options=(), carries_bps=0):
        """The best of three tries where data in alone had less than that: on a machine that is as busy the relay, a program
        as others, is slower than the line that it stands for."""
        for _ in range(3):
            _, r = self.measure(path, "--time", time, *options)
            d = r["diagnosis"]
            if r["measured"]["phases"]["in"]["in"]["rate_bps"]["value"] >= carries_bps:
                break
        self.assertIn(d["asymmetry"], answers, json.dumps(r, indent=1))
        return r, d


class Answers(Path):
    def test_acks_behind_data_of_an_uplink(self):
        """20 down and 2 up, 64 kB before the uplink: 260 ms of data before each ACK. In 10 ms and 260 a window of the
        downlink's 100 kB queue and of 20 ms of it brings at most 4 Mb/s in."""
        path = {"in": paths.way(20, 100000), "out": paths.way(2, 64000)}
        r, d = self.judged(path, "yes", "unknown", carries_bps=10e6)
        both, alone_bps = r["measured"]["phases"]["both"], r["measured"]["phases"]["in"]["in"]["rate_bps"]["value"]
        if alone_bps >= 10e6:  # else this machine is slower than the line all three times, and hides what the line does
            self.assertLess(both["in"]["rate_bps"]["value"], 0.6 * alone_bps)
        self.assertGreater(both["out"]["wait_s"], 0.03)  # the queue that data out fill
        self.assertLess(both["in"]["wait_s"], 0.5 * both["out"]["wait_s"])
        if d["asymmetry"] == "yes":
            # An access line is 2.5 times faster and more (check's page), where data out alone had a queue that shows what
            # the uplink has. test_measure_linux.py asks for the cause in virtual time.
            out_bps = d["capacity_bps"]["out"] or math.inf
            thin = max(d["capacity_bps"]["in"] or 0, d["possible_bps"]["in"]) > 2.5 * out_bps
            self.assertEqual(d["cause"], "rate_asymmetry_acks" if thin else "acks_behind_data", json.dumps(r, indent=1))
            self.assertGreater(d["lost_share"]["in"], 0.4)
            self.assertGreater(d["ack_wait_s"]["in"], 0.5 * both["in"]["rtt_s"])
            self.assertTrue(not thin or any("ack-filter" in text for text in d["remedies"]), d)
            self.assertFalse(any("replay" in text for text in d["remedies"]), d)  # there is no capture

    def test_flows_by_turns_lose_nothing(self):
        """The same path, with a queue a flow: no ACK waits behind others' data."""
        path = {"in": paths.way(20, 100000, "fair"), "out": paths.way(2, 64000, "fair")}
        _, d = self.judged(path, "no", "unknown")
        self.assertLess(d["ack_wait_s"]["in"], 0.02)

    def test_a_shared_medium_is_none_of_this(self):
        """Both ways through one queue of 20 Mb/s: both at once bring half of what goes alone, and ACKs wait. Yet no
        order of service would bring more."""
        path = {"in": paths.way(20, 60000), "out": paths.way(20, 60000), "shared": True}
        r, d = self.judged(path, "no", "unknown")
        both = r["measured"]["phases"]["both"]
        rates = [both[k]["rate_bps"]["value"] for k in ("in", "out")]
        self.assertLess(sum(rates), 20e6)
        if d["asymmetry"] == "no":
            self.assertEqual(d["cause"], "shared_medium")

    def test_losses_on_a_path_that_is_never_full(self):
        """8 % of packets are lost each way: no window fills 20 Mb/s, and no queue stands."""
        path = {"in": paths.way(20, 60000, loss=0.08), "out": paths.way(20, 60000, loss=0.08)}
        r, d = self.judged(path, "no", "unknown")
        alone = r["measured"]["phases"]["in"]["in"]
        self.assertGreater(alone["retransmitted"], 0.03)
        self.assertLess(alone["rate_bps"]["value"], 15e6)

    def test_small_windows_are_named(self):
        """16 kB of receive buffer over 60 ms: what a receiver offers of it brings some 1 Mb/s of 20 each way."""
        small = {"net/ipv4/tcp_rmem": "4096 16384 16384"}
        path = {"in": paths.way(20, 60000, delay=0.03), "out": paths.way(20, 60000, delay=0.03), "near": small,
                "far": small}
        r, d = self.judged(path, "no", "unknown")
        alone = r["measured"]["phases"]["in"]["in"]
        self.assertLess(alone["rate_bps"]["value"], 16384 * 8 / 0.06)
        self.assertGreater(alone["rwnd_limited"], 0.1)
        if d["asymmetry"] == "no":
            self.assertIn(d["cause"], ("window", "unknown"))


class Order(Path):
    def test_what_who_begins_second_loses_is_said_of_such_transfers(self):
        """CUBIC both ways through 20 Mb/s, 40 ms and queues of 1 MB, which hold 400 ms. Who begins second meets ACKs
        that wait, and leaves slow start early (HyStart); `iperf3 --bidir` for 20 s shows both at the same rate at its end. A
        transfer of 2 s does not, and a yes is of such."""
        paths.require_congestion(self, "cubic")
        path = {"in": paths.way(20, 1000000, delay=0.02), "out": paths.way(20, 1000000, delay=0.02),
                "serve": ["--congestion", "cubic"]}
        r, d = self.judged(path, "yes", "unknown", "no", time="30s", options=("--congestion", "cubic"))
        m = r["measured"]
        self.assertGreater(m["transfer_s"], 1)  # of 30 s, 14 phases and the dropped one: less than 2
        self.assertLess(m["transfer_s"], 2)
        order = m["order_share"]
        said = d["why"].startswith("for transfers of 1.")
        if d["asymmetry"] == "yes":  # what remains to who begins first must be a loss beyond its interval: test_verdict
            lost, half = d["lost_share"], abs(order["value"]) / 2
            sure = lost["total"] - half > 0.05 or max(lost["in"], lost["out"]) - half > 0.1
            self.assertTrue(said or sure or 2 * half <= order["ci95"], json.dumps(r, indent=1))
            self.assertFalse(said and 2 * half <= order["ci95"], json.dumps(r, indent=1))
        idle, loaded = d["latency"]["idle"], d["latency"]["loaded"]
        self.assertGreaterEqual(idle["median_s"], 0.04)
        self.assertGreater(loaded["median_s"], idle["median_s"])
        self.assertLess(loaded["median_s"], 0.04 + 2 * 0.4 + 0.2)  # both queues full, and this machine's own delays
        for times in (idle, loaded):
            self.assertLessEqual(times["median_s"], times["p95_s"])

    def test_a_queue_by_turns_knows_no_order(self):
        """With a queue a flow, who began first has nothing of it, and the answer is no, or open."""
        path = {"in": paths.way(10, 30000, "fair"), "out": paths.way(10, 30000, "fair")}
        _, d = self.judged(path, "no", "unknown")
        self.assertFalse(d["why"].startswith("for transfers"), d["why"])


class Results(Path):
    QUICK = {"in": paths.way(10, 30000, delay=0.002), "out": paths.way(10, 30000, delay=0.002)}

    def test_a_directory_has_both_ends_in_one_time(self):
        """Both ends' bytes of a flow, by the near host's clock: a receiver has never read what was not sent, and what
        it has read is acknowledged a round trip later. 30 kB and 4 ms at 10 Mb/s are 30 ms: a quarter of a second is
        more than all windows. An end that had no processor meanwhile has read nothing for so long as its samples lack."""
        done, r = self.measure(self.QUICK, "--time", "8s", "-o", str(self.dir / "kept"), "-i", "near",
                               "--report", str(self.dir / "page"))
        summary = json.loads((self.dir / "kept/summary.json").read_text())
        self.assertEqual((summary["resources"][0], schemas.errors(summary)), (r, []))
        self.assertRegex(done.stderr, r"contraflow: 10\.77\.0\.1: 22 flows, [0-9.]+ MB down, [0-9.]+ MB up in ")
        text = (self.dir / "kept/samples-1-1.csv").read_text().splitlines()
        self.assertRegex(text[0], r"^# contraflow measure, version \S+, 1 in, 1 out$")
        rows = list(csv.DictReader(text[1:]))
        flows = {}
        for row in rows:
            flows.setdefault((row["phase"], row["flow"], row["role"]), []).append(
                (float(row["time_s"]), int(row["bytes"])))
        self.assertEqual(len(flows), 2 * (8 + 2 * 6))  # four each alone, six phases of two flows; both ends
        for (phase, flow, role), samples in flows.items():
            self.assertEqual(samples, sorted(samples))
            if role == "sender":
                (at, acked), other = samples[-1], flows[phase, flow, "receiver"]
                before = max((b for t, b in other if t <= at + 0.03), default=0)
                times = [t for t, _ in other]
                pause = max((b - a for a, b in zip(times, times[1:])), default=0)
                self.assertLessEqual(acked, before + 10e6 / 8 * (0.25 + pause), (phase, flow))
        self.headers(done, rows)
        phases = list(csv.DictReader((self.dir / "kept/phases-1-1.csv").read_text().splitlines()[1:]))
        for kind, first in (("in", "in"), ("out", "out"), ("both", "in out out in"), ("paced", "in out")):
            said = [row["first"] for row in phases[::2] if row["kind"] == kind]
            self.assertEqual(said[:4 if " " in first else 1], first.split())
            self.begins_first(rows, [row for row in phases[::2] if row["kind"] == kind])
        kinds = [row["kind"] for row in csv.DictReader((self.dir / "kept/phases-1-1.csv").read_text().splitlines()[1:])]
        self.assertEqual(kinds[::2], "in out both paced both out in out both in paced in both out".split())
        page = (self.dir / "page/report.html").read_text()
        for part in r["diagnosis"]["why"].split(": "):  # the figures, and the reason on a line of its own
            self.assertIn(html.escape(part), page)
        self.assertIn('<span class="origin measured">', page)
        for drawing in ("rates0", "waits0"):
            svg = page[page.index(f'id="{drawing}"'):]
            self.assertEqual(re.findall(r'<text class="mid small"[^>]*>(\w+)<', svg[:svg.index("</svg>")]), kinds[::2])
            self.assertEqual(len(re.findall(r'<path class="line c-(?:in|out)"', svg[:svg.index("</svg>")])), 2)
        svg = page[page.index('id="rounds0"'):]
        self.assertEqual(len(re.findall(r'<path class="line c-c0"', svg[:svg.index("</svg>")])), 1)
        self.assertEqual(len(re.findall(r'<path class="line thin"', svg[:svg.index("</svg>")])), 1)  # idle
        echoes = list(csv.DictReader((self.dir / "kept/echoes-1-1.csv").read_text().splitlines()[1:]))
        self.assertGreater(len(echoes), 50)
        self.assertTrue(all(float(row["out_wait_s"]) >= -1e-6 and float(row["in_wait_s"]) >= -1e-6 for row in echoes))

    def begins_first(self, rows, phases):
        """Of two directions the first one's samples begin earlier: of 8 s a phase has a fifteenth or less, and 15 % of
        that are 30 ms and more, as a test is not shorter than a third of its share."""
        for phase in phases:
            began = {row["direction"]: float(row["time_s"]) for row in reversed(rows)
                     if row["phase"] == phase["phase"] and row["role"] == "sender"}
            if len(began) == 2:
                other = "out" if phase["first"] == "in" else "in"
                self.assertGreater(began[other] - began[phase["first"]], 0.15 * 8 / 45, phase)

    def headers(self, done, rows):
        """headers.pcap as tshark reads it: all connections, and what their ends read and know to have arrived. Besides
        that there are control words, and, in 22 flows, at most a window at the end of each."""
        e2e.require("tshark")
        frames = int(re.search(r"wrote \S+/headers\.pcap, (\d+) frames of near\n", done.stderr)[1])
        text = subprocess.run(["tshark", "-r", str(self.dir / "kept/headers.pcap"), "-T", "fields", "-e", "tcp.stream",
                               "-e", "ip.src", "-e", "tcp.seq", "-e", "tcp.len"], capture_output=True, text=True,
                              check=True).stdout
        ends = {}
        for line in text.splitlines():
            stream, src, seq, size = line.split("\t")
            ends[stream, src] = max(ends.get((stream, src), 0), int(seq) + int(size) - 1)
        self.assertEqual((len(text.splitlines()), len({stream for stream, _ in ends})), (frames, 22 + 1))
        for direction, src in (("in", paths.FAR), ("out", paths.NEAR)):
            last = {(row["phase"], row["flow"]): int(row["bytes"]) for row in rows
                    if row["direction"] == direction and row["role"] == "receiver"}
            sent = sum(size for (_, of), size in ends.items() if of == src)
            self.assertGreaterEqual(sent, sum(last.values()))
            self.assertLess(sent, sum(last.values()) + len(last) * 10e6 / 8 * 0.25 + 200e3)

    def test_a_server_s_limits_are_kept(self):
        """2 Mb/s of the path's 10, each way; and no longer than it says."""
        _, r = self.measure({**self.QUICK, "serve": ["--max-rate", "2M"]}, "--time", "8s")
        for way in ("in", "out"):
            self.assertLess(r["measured"]["phases"][way][way]["rate_bps"]["value"], 2.4e6)
        self.assertNotEqual(r["diagnosis"]["asymmetry"], "yes")
        _, r = self.measure({**self.QUICK, "serve": ["--max-rate", "2M"]}, "--time", "8s", "--streams", "4",
                            "--exit-zero", status=dict.fromkeys(self.STATUS, 0))
        self.assertEqual((r["measured"]["streams"], r["indegree"], r["outdegree"]), (4, 4, 4))
        for way in ("in", "out"):  # four connections share what a client may
            alone = r["measured"]["phases"][way][way]
            self.assertEqual(alone["flows"], 4)
            self.assertLess(alone["rate_bps"]["value"], 2.4e6)
        done = paths.measure(e2e.CONTRAFLOW, {**self.QUICK, "serve": ["--max-time", "9s"]}, "--time", "10s")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("allows 9 s, --time is 10", done.stderr)


class Server(e2e.Case):
    """On lo; nothing is judged."""

    @e2e.unittest.skipUnless(os.geteuid() == 0, "only root captures on lo")
    def test_headers_end_with_who_wants_them(self):
        port, _ = self.serve()
        for number in (signal.SIGINT, signal.SIGKILL):
            running = subprocess.Popen([str(e2e.CONTRAFLOW), "measure", "127.0.0.1", "--port", str(port), "--token", TOKEN,
                                        "-i", "lo", "-o", "kept"], cwd=self.dir, stderr=subprocess.DEVNULL)
            part = self.dir / "kept/headers.pcap.part"
            self.wait_for(lambda: part.exists() and part.stat().st_size > 10000)
            running.send_signal(number)
            self.assertEqual(running.wait(60), -number)
            self.wait_for(lambda: not part.exists())
            self.assertFalse((self.dir / "kept/headers.pcap").exists())

    def serve(self, *options, token=TOKEN):
        """(port, process); ended by the test."""
        running = subprocess.Popen([str(e2e.CONTRAFLOW), "measure", "serve", "--port", "0",
                                    *(["--token", token] if token else []), *options], cwd=self.dir,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(running.stderr.close)
        self.addCleanup(running.wait)
        self.addCleanup(running.terminate)
        self.first = running.stderr.readline()
        return int(re.search(r"port (\d+)", self.first)[1]), running

    @staticmethod
    def connections(port):
        """That a server has: of a client that measures, more than the one for words (proc(5), 01 is ESTABLISHED)."""
        with open("/proc/net/tcp", encoding="ascii") as f:
            return sum(row[1].endswith(f":{port:04X}") and row[3] == "01" for row in map(str.split, f))

    def talk(self, port, *lines, expect=1):
        """Whole lines that come back."""
        with contextlib.closing(socket.create_connection(("127.0.0.1", port), 30)) as s:
            f = s.makefile("rw", newline="\n")
            said = []
            for line in lines:
                f.write((line(said) if callable(line) else line) + "\n")
                f.flush()
                said.append(f.readline().rstrip("\n"))
            return said

    @staticmethod
    def proof(purpose, token=TOKEN):
        return lambda said: "proof " + hmac.new(
            token.encode(), f"contraflow measure {purpose} {'0' * 32} {said[0].split()[1]}".encode(),
            hashlib.sha256).hexdigest()

    HELLO = "contraflow-measure 2 " + "0" * 32

    def test_both_ends_prove_the_token(self):
        """HMAC-SHA-256 as Python has it, over the purpose and both nonces."""
        port, _ = self.serve()
        said = self.talk(port, self.HELLO, self.proof("client"))
        theirs = said[0].split()[1]
        right = hmac.new(TOKEN.encode(), f"contraflow measure server {'0' * 32} {theirs}".encode(), hashlib.sha256)
        self.assertEqual(said[1].split(), ["welcome", right.hexdigest(), "0", "600.000"])

    def test_nobody_else_hears_a_word(self):
        """Silence to whoever says nothing or something else, and a refusal to who proves nothing. What a server itself
        proved is none of a client's proofs."""
        port, running = self.serve()
        with contextlib.closing(socket.create_connection(("127.0.0.1", port), 30)) as s:
            s.settimeout(0.5)
            self.assertRaises(TimeoutError, s.recv, 1)
        self.assertEqual(self.talk(port, "GET / HTTP/1.1"), [""])
        self.assertEqual(self.talk(port, "contraflow-measure 1 " + "0" * 32), [""])
        self.assertEqual(self.talk(port, "x" * 2000), [""])
        self.assertEqual(self.talk(port, self.HELLO, self.proof("server"))[1], "refused wrong token")
        self.assertEqual(self.talk(port, self.HELLO, self.proof("client", "9c1f7a02e85b3d6494f1"))[1],
                         "refused wrong token")
        flow = f"flow {'0' * 64} 1 down 0 {'0' * 64}"
        self.assertEqual(self.talk(port, flow), ["refused a flow of no session"])
        self.assertIn("127.0.0.1: refused: wrong token", running.stderr.readline())

    def test_a_stranger_is_cut_off(self):
        port, _ = self.serve()
        with contextlib.closing(socket.create_connection(("127.0.0.1", port), 30)) as s:
            s.settimeout(30)
            self.assertEqual(s.recv(1), b"")  # after 5 s

    def session(self, port):
        """A welcomed control connection: (what to say, and hear a line of; the session's name)."""
        s = socket.create_connection(("127.0.0.1", port), 30)
        self.addCleanup(s.close)
        f = s.makefile("rw", newline="\n")
        self.addCleanup(f.close)

        def say(line):
            f.write(line + "\n")
            f.flush()
            return f.readline().rstrip("\n")
        theirs = say(self.HELLO).split()[1]
        self.assertTrue(say(self.proof("client")([f"challenge {theirs}"])).startswith("welcome "))
        return say, hmac.new(TOKEN.encode(), f"contraflow measure session {'0' * 32} {theirs}".encode(),
                             hashlib.sha256).hexdigest()

    REFUSED = b"refused a flow of no session\n"

    def flow(self, port, name, number, way="up", within_s=30):
        """A flow's connection, and the first of what comes back: b"" is nothing but an end, None nothing so far."""
        what = f"{number} {way} 0"
        mac = hmac.new(TOKEN.encode(), f"contraflow measure flow {name} {what}".encode(), hashlib.sha256).hexdigest()
        s = socket.create_connection(("127.0.0.1", port), 30)
        self.addCleanup(s.close)
        s.sendall(f"flow {name} {what} {mac}\n".encode())
        s.settimeout(within_s)
        with contextlib.suppress(TimeoutError):
            return s.recv(100)
        return None

    def carries(self, port, name, number):
        """A flow up was not refused: half a second goes by without a word."""
        self.assertIsNone(self.flow(port, name, number, within_s=0.5))

    def test_what_a_client_asks_for_is_bounded(self):
        """1 to 16 streams, and congestion controls that the kernel has, in words that are nothing else: all other words
        end a session."""
        port, _ = self.serve("--max-clients", "64")
        for good in ("streams 1", "streams 16", "congestion reno"):
            say, _ = self.session(port)
            self.assertEqual(say(good), good)
        self.assertRegex(say("congestion nosuch"), r"^lacks the kernel has .*\breno\b")
        self.assertEqual(say("streams 2"), "streams 2")  # it goes on
        for bad in ("streams 0", "streams 17", "streams 99", "streams 100", "streams -1", "streams 4x", "streams 4 4",
                    "streams 18446744073709551617", "streams", "congestion", "congestion ../reno", "congestion reno x",
                    "congestion " + "x" * 16, "congestion %n"):
            with self.subTest(bad):
                say, _ = self.session(port)
                self.assertEqual(say(bad), "")

    def test_no_more_flows_than_streams(self):
        """One each way, unless more were asked for; and nothing is asked for while they go."""
        port, _ = self.serve("--max-clients", "64")
        say, name = self.session(port)
        self.carries(port, name, 1)
        self.assertEqual(self.flow(port, name, 2), self.REFUSED)
        self.assertEqual(self.flow(port, name, 3, "down")[:8], bytes(8))  # zeros
        self.assertEqual(say("streams 4"), "")
        say, name = self.session(port)
        self.assertEqual(say("streams 2"), "streams 2")
        self.carries(port, name, 1)
        self.carries(port, name, 2)
        self.assertEqual(self.flow(port, name, 3), self.REFUSED)

    def test_a_flow_that_comes_after_its_stop_takes_no_place(self):
        """A server that was busy meanwhile hears a phase's end before the phase's flows, which are one each way."""
        port, _ = self.serve("--max-clients", "64")
        say, name = self.session(port)
        self.assertEqual(say("stop 2"), "end")
        for late in (0, 1, 2):
            self.assertEqual(self.flow(port, name, late), self.REFUSED)
        self.carries(port, name, 3)
        self.assertRegex(say("stop 1023"), r"^flow 3 up \d+$")
        for bad in ("stop", "stop ", "stop -1", "stop 1024", "stop 1 1", "stopped 1"):
            with self.subTest(bad):
                self.assertEqual(self.session(port)[0](bad), "")

    def test_so_many_clients_and_no_more(self):
        port, _ = self.serve()
        with contextlib.closing(socket.create_connection(("127.0.0.1", port), 30)) as s:
            f = s.makefile("rw", newline="\n")
            f.write(self.HELLO + "\n")
            f.flush()
            f.write(self.proof("client")([f.readline()]) + "\n")
            f.flush()
            self.assertTrue(f.readline().startswith("welcome "))
            self.assertEqual(self.talk(port, self.HELLO, self.proof("client"))[1],
                             "refused as many clients as the server takes; try again later")
            f.write("ping 42\n")
            f.flush()
            self.assertRegex(f.readline(), r"^pong 42 \d+$")
            f.write("what else\n")
            f.flush()
            self.assertEqual(f.readline(), "")

    def test_it_listens_at_the_loopback_alone(self):
        """Unless told otherwise."""
        port, _ = self.serve()
        self.assertIn("serves at 127.0.0.1 port", self.first)
        with self.assertRaises(OSError):
            socket.create_connection(("127.0.0.2", port), 2)

    def test_a_token_is_drawn_where_none_is_given(self):
        port, running = self.serve(token=None)
        self.assertRegex(self.first, rf"contraflow measure --port {port} --token [0-9a-f]{{32}} 127\.0\.0\.1\n$")
        self.bad(2, "refuses: wrong token", "measure", "127.0.0.1", "--port", port, "--token", TOKEN)
        running.send_signal(signal.SIGINT)
        self.assertEqual(running.wait(60), 0)

    def test_who_listens_everywhere_names_an_address_that_others_reach(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            try:
                s.connect(("192.0.2.1", 9))  # RFC 5737: sends nothing
            except OSError:
                self.skipTest("this machine has no address but the loopback's")
        port, _ = self.serve("--bind", "0.0.0.0", token=None)
        self.assertIn(f"serves at 0.0.0.0 port {port}; ", self.first)
        address = self.first.split()[-1]
        self.assertRegex(address, r"^\d+\.\d+\.\d+\.\d+$")
        self.assertFalse(address.startswith("127."), self.first)
        socket.create_connection((address, port), 2).close()

    def test_an_impostor_gets_nothing(self):
        """Who does not know the token cannot welcome."""
        with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as listening:
            client = subprocess.Popen([str(e2e.CONTRAFLOW), "measure", "127.0.0.1", "--port",
                                       str(listening.getsockname()[1]), "--token", TOKEN], stderr=subprocess.PIPE,
                                      text=True)
            s, _ = listening.accept()
            with contextlib.closing(s), s.makefile("rw", newline="\n") as f:
                f.readline()
                f.write("challenge " + "1" * 32 + "\n")
                f.flush()
                f.readline()
                f.write("welcome " + "2" * 64 + " 0 600\n")
                f.flush()
                _, words = client.communicate(timeout=60)
        self.assertEqual(client.returncode, 2)
        self.assertIn("does not know the token itself", words)

    def test_a_server_that_goes_away_is_said(self):
        port, running = self.serve()
        client = subprocess.Popen([str(e2e.CONTRAFLOW), "measure", "127.0.0.1", "--port", str(port), "--token", TOKEN],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.wait_for(lambda: self.connections(port) > 1)
        running.kill()
        out, words = client.communicate(timeout=60)
        self.assertEqual((client.returncode, out), (3, ""))
        self.assertEqual(len(words.splitlines()), 1, words)
        self.assertIn("127.0.0.1: ", words)

    def test_ctrl_c_ends_a_client_in_one_line(self):
        port, _ = self.serve()
        client = subprocess.Popen([str(e2e.CONTRAFLOW), "measure", "127.0.0.1", "--port", str(port), "--token", TOKEN],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.wait_for(lambda: self.connections(port) > 1)
        client.send_signal(signal.SIGINT)
        _, words = client.communicate(timeout=60)
        self.assertEqual((client.returncode, words), (-signal.SIGINT, "contraflow: interrupted\n"))


class Usage(e2e.Case):
    def test_what_is_wrong_is_said_in_a_line(self):
        t = ("--token", TOKEN)
        self.bad(2, "no server given", "measure")
        self.bad(2, "no --token or --token-file", "measure", "127.0.0.1")
        self.bad(2, ["--token: it can be guessed (some", "80 are wanted", "openssl rand -hex 16"], "measure", "127.0.0.1", "--token", "short")
        self.bad(2, "one of them is enough", "measure", "127.0.0.1", *t, "--token-file", "x")
        self.bad(2, "no-such-file", "measure", "127.0.0.1", "--token-file", "no-such-file")
        self.bad(2, ["--time 5s", "8 s"], "measure", "127.0.0.1", *t, "--time", "5s")
        for number in ("0", "17", "-1", "x", "1.5"):
            self.bad(2, [f"--streams {number}", "1 to 16"], "measure", "127.0.0.1", *t, "--streams", number)
        self.bad(2, ["--congestion nosuch is not possible here: the kernel has ", "reno"], "measure", "127.0.0.1", *t,
                 "--congestion", "nosuch")
        self.bad(2, ["--congestion nosuch is not possible here: the kernel has ", "reno"], "measure", "serve", *t,
                 "--congestion", "nosuch")
        self.bad(2, "-i keeps headers in the directory of -o", "measure", "127.0.0.1", *t, "-i", "lo")
        self.bad(2, "nosuch0: no such interface", "measure", "127.0.0.1", *t, "-i", "nosuch0", "-o", "kept")
        self.assertFalse((self.dir / "kept").exists())
        self.bad(2, ["--time: "], "measure", "127.0.0.1", *t, "--time", "30")
        self.bad(2, "9 servers; 8", "measure", *["127.0.0.1"] * 9, *t)
        self.bad(2, ["127.0.0.1 port 1", "contraflow measure serve"], "measure", "127.0.0.1", "--port", "1", *t)
        self.bad(2, "no.such.host.invalid", "measure", "no.such.host.invalid", *t)
        self.bad(2, "'there' is no option", "measure", "serve", "there")
        self.bad(2, ["--max-clients 65", "1 to 64"], "measure", "serve", "--max-clients", "65")
        self.bad(2, "--max-rate", "measure", "serve", "--max-rate", "10")
        self.bad(2, "--bind", "measure", "serve", "--bind", "no address", *t)
        self.bad(2, "cannot be listened at", "measure", "serve", "--bind", "192.0.2.1", *t)  # RFC 5737
