# SPDX-License-Identifier: GPL-2.0-or-later
"""contraflow measure against ends that mean harm: clients and strangers at a server, servers at a client. Those who know
the token are among them, and for every state of the protocol there is one who is slow in it.

What a peer may cost is counted: bytes that were carried, processor time, memory, files. Times are deadlines that the
protocol promises, with seconds to spare."""
import contextlib
import hashlib
import hmac
import inspect
import json
import os
import random
import re
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

import e2e

TOKEN = "9c1f7a02e85b3d6494f0c7d5"
MINE = "0" * 32
HELLO = f"contraflow-measure 2 {MINE}\n"


def mac(purpose, first, second):
    return hmac.new(TOKEN.encode(), f"contraflow measure {purpose} {first} {second}".encode(), hashlib.sha256).hexdigest()


class Line:
    """A connection that says and hears lines."""

    def __init__(self, sock):
        self.sock, self.file = sock, sock.makefile("rb")

    def say(self, text):
        self.sock.sendall(text.encode())

    def hear(self):
        return self.file.readline().decode(errors="replace").rstrip("\n")


def alive(s):
    """Has the other end not closed it? Without waiting, whatever the socket's timeout is."""
    if not select.select([s], [], [], 0)[0]:
        return True
    try:
        return s.recv(1) != b""
    except ConnectionError:
        return False


def gone(s):
    """Waits until the other end has closed it: at once, where others take its place, or after the 5 s that all have."""
    s.settimeout(20)
    try:
        s.recv(1)
    except ConnectionError:
        pass


class Case(e2e.Case):
    def start(self, *args, limits=None, **kwargs):
        running = subprocess.Popen([str(e2e.CONTRAFLOW), *map(str, args)], cwd=self.dir, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, preexec_fn=limits, **kwargs)

        def end():
            running.kill()
            running.communicate()
        self.addCleanup(end)
        return running

    def serve(self, *options, limits=None):
        running = self.start("measure", "serve", "--port", "0", "--token", TOKEN, *options, limits=limits)
        first = running.stderr.readline()
        self.assertIn(" port ", first)
        return int(re.search(r"port (\d+)", first)[1]), running

    def connect(self, port, source="127.0.0.1"):
        s = socket.socket()
        self.addCleanup(s.close)
        s.settimeout(30)
        s.bind((source, 0))
        s.connect(("127.0.0.1", port))
        return s

    def login(self, port):
        """(line, name of the session)"""
        line = Line(self.connect(port))
        line.say(HELLO)
        theirs = line.hear().split()[1]
        line.say(f"proof {mac('client', MINE, theirs)}\n")
        self.assertTrue(line.hear().startswith("welcome "))
        return line, mac("session", MINE, theirs)

    def flow(self, port, session, number, way, pace=0):
        what = f"{number} {way} {pace}"
        s = self.connect(port)
        s.sendall(f"flow {session} {what} {mac('flow', session, what)}\n".encode())
        return s


class Strangers(Case):
    """Who does not know the token costs the others nothing."""

    def test_a_login_among_idle_connections(self):
        port, _ = self.serve()
        idle = [self.connect(port) for _ in range(400)]
        self.login(port)
        self.assertEqual(len(idle), 400)

    @e2e.unittest.skipUnless(socket.has_ipv6, "no IPv6 here")
    def test_an_address_has_its_share_and_no_more(self):
        """128 of an address, whether it comes as IPv4's own or as ::ffff: of it, and of a /64: the oldest goes, and nobody
        else's. In a namespace there are two hosts of one /64 and one of another."""
        port, _ = self.serve("--bind", "::")
        lonely = self.connect(port, "127.0.0.6")
        many = [self.connect(port, "127.0.0.5") for _ in range(129)]
        gone(many[0])
        self.assertEqual([alive(lonely), all(map(alive, many[1:]))], [True, True])
        inside = f"""
import os, re, select, socket, subprocess, sys, time
run = lambda *words: subprocess.run(words, check=True)
run("ip", "link", "set", "lo", "up")
for a in ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"):
    run("ip", "addr", "add", a + "/128", "dev", "lo", "nodad")
serve = subprocess.Popen([{str(e2e.CONTRAFLOW)!r}, "measure", "serve", "--bind", "::", "--port", "0", "--token", {TOKEN!r}],
                         stderr=subprocess.PIPE, text=True)
port = int(re.search(r"port (\\d+)", serve.stderr.readline())[1])
def connect(source):
    s = socket.socket(socket.AF_INET6)
    s.bind((source, 0))
    s.connect(("::1", port))
    return s
{inspect.getsource(alive)}
{inspect.getsource(gone)}
other = connect("2001:db8:0:1::1")
some = [connect("2001:db8::%d" % (1 + i % 2)) for i in range(129)]
gone(some[0])
print([alive(other), all(map(alive, some[1:]))])
serve.terminate()
serve.wait(20)
"""
        done = subprocess.run(["unshare", "--map-root-user", "--net", sys.executable, "-c", inside], capture_output=True,
                              text=True, timeout=60)
        if done.returncode != 0 and "unshare" in done.stderr:
            self.skipTest("no network namespaces here")
        self.assertEqual(done.stdout, "[True, True]\n", done.stderr)

    def test_a_test_among_a_thousand_strangers(self):
        """Half of them at the client's own address, the others at 250 more, all the time."""
        port, running = self.serve()
        over = threading.Event()

        def crowd():
            some, n = [], 0
            while not over.is_set():
                for _ in range(20):
                    s = socket.socket()
                    s.setblocking(False)
                    # Each would have a port for a minute, and after some thousands there is none for anybody.
                    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    with contextlib.suppress(OSError):
                        s.bind((f"127.0.{n % 2}.{1 + n % 2 * (n // 2 % 250)}", 0))
                        s.connect(("127.0.0.1", port))  # which goes on
                    some.append(s)
                    n += 1
                while len(some) > 500:
                    some.pop(0).close()
                time.sleep(0.02)
            for s in some:
                s.close()
            came.append(n)
        came = []
        crowding = threading.Thread(target=crowd)
        crowding.start()
        try:
            client = self.start("measure", "127.0.0.1", "--port", port, "--token", TOKEN, "--time", "8s", "--json", "--streams",
                                "8", "--exit-zero")
            said, words = client.communicate(timeout=60)
        finally:
            over.set()
            crowding.join()
        self.assertGreater(came[0], 1000)
        self.assertEqual(client.returncode, 0, words)
        self.assertEqual(json.loads(said)["resources"][0]["measured"]["streams"], 8)
        running.send_signal(signal.SIGTERM)
        self.assertIn("; done\n", running.communicate()[1])

    def test_every_place_is_taken_and_the_session_goes_on(self):
        """512 of others, 256 of the session's own address, its 32 flows, and some more than there are places for."""
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard != resource.RLIM_INFINITY and hard < 2000:
            self.skipTest("the system allows fewer open files")
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(2000, before[0]), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, before)
        port, _ = self.serve()
        line, session = self.login(port)
        line.say("streams 16\n")
        self.assertEqual(line.hear(), "streams 16")
        flows = [self.flow(port, session, 2 * i + k, way) for i in range(16) for k, way in enumerate(("down", "up"))]
        for down in flows[::2]:
            self.assertEqual(down.recv(1), b"\0")
        own = [self.connect(port) for _ in range(260)]
        others = [self.connect(port, f"127.0.1.{1 + i % 10}") for i in range(600)]
        gone(own[0])
        gone(others[0])
        line.say("ping 7\n")
        self.assertRegex(line.hear(), r"^pong 7 \d+$")
        line.say("stop 31\n")
        self.assertRegex(line.hear(), r"^flow \d+ (down|up) \d+$")

    def test_a_byte_now_and_then_does_not_live_longer(self):
        """5 s, whatever it says; and so after a nonce of its own."""
        first, second = (self.connect(self.serve()[0]) for _ in range(2))
        second.sendall(HELLO.encode())
        self.assertTrue(second.recv(100).startswith(b"challenge "))
        begun, until = [first, second], time.monotonic() + 12
        while begun and time.monotonic() < until:
            for s in begun:
                with contextlib.suppress(ConnectionError):
                    s.send(b"a")
            begun = [s for s in begun if alive(s)]
            time.sleep(0.08)
        self.assertEqual(begun, [])

    def test_descriptors_are_there_or_nobody_is_served(self):
        """One client takes fewer than the 1024 that many systems allow at most, and a soft limit is raised."""
        def limit(soft, hard):
            return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        done = self.start("measure", "serve", "--port", "0", "--token", TOKEN, limits=limit(12, 12))
        _, words = done.communicate(timeout=20)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(words, r"^contraflow: --max-clients 1 takes \d+ open files, and the system allows 12: 'ulimit -n ")
        self.assertLess(int(re.search(r"takes (\d+)", words)[1]), 1024)
        _, running = self.serve(limits=limit(12, 4096))
        with open(f"/proc/{running.pid}/limits", encoding="ascii") as f:
            limits = [line.split() for line in f if line.startswith("Max open files")][0]
        self.assertGreaterEqual(int(limits[3]), int(re.search(r"takes (\d+)", words)[1]))

    def test_who_serves_has_given_up_root_and_files(self):
        """No capability and none ever, no user's rights (of root they are sudo's or nobody's), and a filter of system
        calls. The kernel says so: capabilities(7), proc(5)."""
        port, running = self.serve()
        with open(f"/proc/{running.pid}/status", encoding="ascii") as f:
            status = dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)
        for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
            self.assertEqual(int(status[name], 16), 0, name)
        self.assertEqual(status["NoNewPrivs"], "1")
        if not e2e.SANITIZED:  # they need more than a filter leaves
            self.assertEqual(status["Seccomp"], "2")
        if os.geteuid() == 0:
            sudo = os.environ.get("SUDO_UID", "65534")
            self.assertEqual(status["Uid"].split(), [sudo] * 4)
        line, _ = self.login(port)
        line.say("congestion reno\n")  # the kernel's list was read before
        self.assertEqual(line.hear(), "congestion reno")

    def test_without_descriptors_it_waits(self):
        """Where the system has none for another connection (EMFILE) it tries twice a second, not all the time."""
        e2e.require("strace")
        running = subprocess.Popen(["strace", "-qq", "-o", "calls.log", "-e", "trace=accept4", "-e",
                                    "inject=accept4:error=EMFILE", str(e2e.CONTRAFLOW), "measure", "serve", "--port", "0",
                                    "--token", TOKEN], cwd=self.dir, stderr=subprocess.PIPE, text=True)
        port = int(re.search(r"port (\d+)", running.stderr.readline())[1])
        start = time.monotonic()
        some = [self.connect(port) for _ in range(8)]
        time.sleep(2)
        with open(f"/proc/{running.pid}/task/{running.pid}/children", encoding="ascii") as f:
            os.kill(int(f.read().split()[0]), signal.SIGTERM)
        running.communicate(timeout=20)
        calls = (self.dir / "calls.log").read_text().count("accept4(")
        self.assertGreater(calls, 0)
        self.assertLessEqual(calls, 1 + 2 * (time.monotonic() - start))
        self.assertEqual(len(some), 8)


class Clients(Case):
    """Those who know the token."""

    RATE = 8e6

    def blast(self, way, flows, again):
        """Bytes that a client of 8 Mb/s moves in some three seconds by so many connections at once, and others in their
        place each time `again` seconds are over; and 1 MB for each second."""
        port, _ = self.serve("--max-rate", "8M")
        start = time.monotonic()
        line, session = self.login(port)
        line.say(f"streams {flows}\n")
        self.assertEqual(line.hear(), f"streams {flows}")
        number, moved = 0, 0
        while time.monotonic() < start + 3 and number + flows < 1000:
            open_flows = [self.flow(port, session, number + i, way) for i in range(flows)]
            number += flows
            until = min(time.monotonic() + again, start + 3)
            while time.monotonic() < until:
                reads, writes, _ = select.select(open_flows if way == "down" else [], open_flows if way == "up" else [], [],
                                                 0.05)
                for s in reads + writes:
                    with contextlib.suppress(BlockingIOError, ConnectionError):
                        moved += len(s.recv(65536, socket.MSG_DONTWAIT)) if way == "down" else \
                            s.send(bytes(65536), socket.MSG_DONTWAIT)
            with contextlib.suppress(ConnectionError):
                line.say(f"stop {number - 1}\n")
                while (said := line.hear()) not in ("end", ""):
                    pass
                if said == "":
                    break
            for s in open_flows:
                s.close()
        seconds = time.monotonic() - start
        return moved, self.RATE / 8 * seconds

    def test_all_connections_share_a_rate(self):
        """A bucket holds 250 kB."""
        moved, allowed = self.blast("down", 8, 5)
        self.assertLess(moved, allowed + 250e3)
        self.assertGreater(moved, 250e3)  # it was emptied, and the rate is what was seen

    def test_one_after_another_has_no_more(self):
        moved, allowed = self.blast("down", 16, 0.05)
        self.assertLess(moved, allowed + 250e3)

    def test_who_fills_buffers_is_shown_out(self):
        """More than a second's worth that nobody read: the session ends, and the next one begins with the debt."""
        port, running = self.serve("--max-rate", "8M")
        line, session = self.login(port)
        line.say("streams 16\n")
        line.hear()
        ended, number = False, 0
        while not ended and number < 900:
            flows = [self.flow(port, session, number + i, "up") for i in range(16)]
            number += 16
            for s in flows:
                s.setblocking(False)
                with contextlib.suppress(BlockingIOError, ConnectionError):
                    s.send(bytes(1 << 20))
            time.sleep(0.1)
            with contextlib.suppress(ConnectionError):
                line.say(f"stop {number - 1}\n")
                while (said := line.hear()) not in ("end", ""):
                    pass
            ended = said == ""
        self.assertTrue(ended)
        self.assertIn("ended: it sends more than --max-rate", running.stderr.readline())

    def test_silence_and_half_a_word_end_a_session(self):
        """20 s without a whole word."""
        port, _ = self.serve("--max-clients", "2")
        (silent, _), (slow, _) = self.login(port), self.login(port)
        until = time.monotonic() + 40
        open_lines = [silent, slow]
        while open_lines and time.monotonic() < until:
            with contextlib.suppress(ConnectionError):
                slow.say("p")
            open_lines = [line for line in open_lines if alive(line.sock)]
            time.sleep(0.2)
        self.assertEqual(open_lines, [])

    def test_who_never_reads_costs_little_memory(self):
        port, running = self.serve()
        line, _ = self.login(port)
        line.sock.setblocking(False)
        words = b"ping 1\n" * 1000
        with contextlib.suppress(ConnectionError):
            for _ in range(20000):
                select.select([], [line.sock], [], 0.2)
                with contextlib.suppress(BlockingIOError):
                    line.sock.send(words)
        with open(f"/proc/{running.pid}/status", encoding="ascii") as f:
            rss_kb = int(re.search(r"VmHWM:\s+(\d+)", f.read())[1])
        self.assertLess(rss_kb, 120000 if not e2e.SANITIZED else 1000000)

    def test_numbers_beyond_their_ranges_are_no_flows(self):
        port, _ = self.serve("--max-clients", "8")
        _, session = self.login(port)
        for what in ("-1 up 0", "1024 up 0", "99999999999999999999 up 0", "1 up 1e308", "1 up inf", "1 up nan", "1 up -1",
                     "1 up 10000000000001", "1 up 0x10", "1.5 up 0", "1 up", "up 0", "1 sideways"):
            s = self.connect(port)
            s.sendall(f"flow {session} {what} {mac('flow', session, what)}\n".encode())
            self.assertEqual(s.recv(100), b"refused a flow of no session\n", what)
            s.close()
        self.assertEqual(self.flow(port, session, 1, "down").recv(1), b"\0")


class Stalls(Case):
    """Of an honest server, which a busy machine makes."""

    def test_a_server_that_stands_still_for_longer_than_a_phase(self):
        """Of 8 s a phase has some 0.3. What is asked of it comes late and in another order, and no test breaks."""
        port, serving = self.serve("--max-rate", "5M")
        client = self.start("measure", "127.0.0.1", "--port", port, "--token", TOKEN, "--time", "8s", "--exit-zero", "-q")
        chance = random.Random(5)
        try:
            while client.poll() is None:
                serving.send_signal(signal.SIGSTOP)
                time.sleep(chance.uniform(0.1, 0.8))
                serving.send_signal(signal.SIGCONT)
                time.sleep(chance.uniform(0, 0.3))
        finally:
            serving.send_signal(signal.SIGCONT)
        self.assertEqual(client.returncode, 0, client.stderr.read())


class FakeServer:
    """Serves as it should, but for what `wrong` says by the name of a word: a function of (line, words) that says
    something else, or None for silence."""

    def __init__(self, wrong):
        self.wrong, self.listening = wrong, socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listening.getsockname()[1]
        self.threads, self.flows, self.open = [], {}, []
        self.over = threading.Event()
        self.accepting = threading.Thread(target=self.accept, daemon=True)
        self.accepting.start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                s, _ = self.listening.accept()
                self.open.append(s)
                threading.Thread(target=self.quietly, args=(s,), daemon=True).start()

    def quietly(self, s):
        with contextlib.suppress(OSError, ValueError, IndexError):
            self.talk(s)

    def close(self):
        self.over.set()
        for s in [self.listening, *self.open]:
            with contextlib.suppress(OSError):
                s.shutdown(socket.SHUT_RDWR)
            s.close()

    def answer(self, line, word, words, right):
        if word in self.wrong:
            other = self.wrong[word]
            return other(self, line, words) if other else None
        return right()

    def talk(self, s):
        line = Line(s)
        words = line.hear().split()
        if words and words[0] == "flow":
            self.answer(line, "flow", words, lambda: self.carry(s, words))
            return
        theirs, nonce = "1" * 32, words[2]
        self.answer(line, "hello", words, lambda: line.say(f"challenge {theirs}\n"))
        while words := line.hear().split():
            if words[0] == "proof":
                self.answer(line, "proof", words, lambda: line.say(f"welcome {mac('server', nonce, theirs)} 0 600.000\n"))
            elif words[0] in ("streams", "congestion"):
                self.answer(line, words[0], words, lambda: line.say(" ".join(words) + "\n"))
            elif words[0] == "ping":
                self.answer(line, "ping", words, lambda: line.say(f"pong {words[1]} {time.monotonic_ns()}\n"))
            elif words[0] == "stop":
                self.answer(line, "stop", words, lambda: self.stop(line))

    def carry(self, s, words):
        number, down = int(words[2]), words[3] == "down"
        samples, bytes_so_far = [], 0
        self.flows[number] = (words[3], samples)
        s.settimeout(1)
        while not self.over.is_set():
            samples.append(f"{time.monotonic():.9f} {bytes_so_far} 0.001 0.001 14480 0 1 0 0 5 0 0")
            try:
                bytes_so_far += s.send(bytes(20000)) if down else len(s.recv(200000))
            except TimeoutError:
                pass
            time.sleep(0.03)

    def stop(self, line):
        for number, (way, samples) in sorted(self.flows.items()):
            line.say(f"flow {number} {way} {len(samples)}\n" + "".join(f"{sample}\n" for sample in samples))
        self.flows.clear()
        line.say("end\n")


def flood(text):
    """Of a word that was right once, for ten seconds or until nobody listens."""
    def wrong(server, line, words):
        until = time.monotonic() + 10
        while time.monotonic() < until:
            line.say((text(words) if callable(text) else text) * 1000)
    return wrong


def say(text):
    return lambda server, line, words: line.say(text(server, words) if callable(text) else text)


def welcome(rest):
    return say(lambda server, words: f"welcome {mac('server', server.nonce, '1' * 32)} {rest}\n")


GOOD = "1 0.001 0.001 14480 0 1 0 0 5 0 0"


def account(sample, count=1):
    """What a server saw of flow 1, in place of the truth."""
    return say(lambda server, words: f"flow 1 down {count}\n" + sample(time.monotonic()) + "\nend\n")


class Servers(Case):
    """What the client does of its own free will, and no more: one line, exit status 2 or 3, no results."""

    def attack(self, wrong, *options, hear_nonce=False):
        server = FakeServer(wrong)
        self.addCleanup(server.close)
        if hear_nonce:  # a welcome needs the client's
            right = server.talk

            def talk(s):
                with contextlib.suppress(OSError):
                    words = s.recv(200, socket.MSG_PEEK).decode().split()
                    if words and words[0] == "contraflow-measure":
                        server.nonce = words[2]
                right(s)
            server.talk = talk
        name = f"kept{server.port}"
        return name, self.start("measure", "127.0.0.1", "--port", server.port, "--token", TOKEN, "--time", "8s", "-o",
                                name, "--report", name, *options)

    def refused(self, name, client, timeout=60, statuses=(2, 3)):
        pid, status, usage = None, None, None
        until = time.monotonic() + timeout
        while pid is None:
            self.assertLess(time.monotonic(), until, f"{name}: it takes too long")
            got = os.wait4(client.pid, os.WNOHANG)
            if got[0]:
                pid, status, usage = got
            time.sleep(0.02)
        client.returncode = os.waitstatus_to_exitcode(status)
        words = client.stderr.read()
        self.assertIn(client.returncode, statuses, f"{name}: {words}")
        self.assertEqual(len(words.splitlines()), 1, f"{name}: {words}")
        self.assertEqual(client.stdout.read() if client.returncode in (2, 3) else "", "")
        self.assertLess(usage.ru_maxrss, 60000 if not e2e.SANITIZED else 1000000, name)  # kB; of a test 20000
        self.assertLess(usage.ru_utime + usage.ru_stime, 20, name)
        return words

    def test_a_right_one_is_measured(self):
        """Or the rest would prove nothing."""
        name, client = self.attack({}, "--exit-zero")
        _, words = client.communicate(timeout=60)
        self.assertEqual(client.returncode, 0, words)
        self.assertTrue((self.dir / name / "summary.json").exists())
        self.assertLess(sum(p.stat().st_size for p in (self.dir / name).iterdir()), 1e6)

    def test_words_without_number(self):
        """Of each kind, as fast as they go."""
        floods = {"pongs": {"ping": flood(lambda words: f"pong {words[1]} 5\n")},
                  "accounts": {"stop": flood(f"flow 1 down 1\n5 {GOOD}\n")},
                  "nothing": {"stop": flood("flow 1 down 0\n")},
                  "ends": {"stop": flood("end\n")},
                  "lines": {"ping": flood("x" * 100 + "\n")},
                  "no end of a line": {"ping": flood("x" * 1000)},
                  "an account of millions": {"stop": say("flow 1 down 999999\n")}}
        for name, wrong in floods.items():
            with self.subTest(name):
                kept, client = self.attack(wrong)
                self.assertIn("not what a server says" if "line" != name[-4:] else "", self.refused(name, client))
                self.assertFalse((self.dir / kept).exists())

    def test_numbers_that_no_host_has(self):
        now = time.monotonic()
        wrong = {"far future": lambda t: f"{t + 1000:.9f} {GOOD}", "long ago": lambda t: f"1.5 {GOOD}",
                 "1e308": lambda t: f"{t:.9f} 1 0.001 0.001 1e308 0 1 0 0 5 0 0",
                 "inf": lambda t: f"{t:.9f} 1 0.001 0.001 inf inf 1 0 0 5 0 0",
                 "2^63": lambda t: f"{t:.9f} 9223372036854775807 0.001 0.001 14480 0 1 0 0 5 0 0",
                 "2^64": lambda t: f"{t:.9f} 1 0.001 0.001 14480 0 1 0 0 18446744073709551616 0 0",
                 "negative": lambda t: f"{t:.9f} 1 0.001 0.001 14480 0 -1 0 0 5 0 0",
                 "nan": lambda t: f"nan {GOOD}"}
        self.assertGreater(now, 0)
        running = {name: self.attack({"stop": account(sample)}) for name, sample in wrong.items()}
        for rest in ("1e308 600.000", "inf 600", "nan nan", "-1 600", "10000000000001 600", "0 1e308", "0", "",
                     "0 99999999999999999999999"):
            running[f"welcome {rest}"] = self.attack({"proof": welcome(rest)}, hear_nonce=True)
        for pong in ("-1", "9223372036854775807", "99999999999999999999", "x", "1e18", ""):
            running[f"pong {pong}"] = self.attack({"ping": say(lambda s, w, p=pong: f"pong {w[1]} {p}\n")})
        running["another's pong"] = self.attack({"ping": say("pong 0 5\n")})
        running["the greatest pong"] = self.attack({"ping": say("pong 9223372036854775807 9223372036854775807\n")})
        running["a flow of nobody"] = self.attack({"stop": say("flow 99999999999999999999 down 0\nend\n")})
        running["an account before a phase"] = self.attack({"ping": say("flow 1 down 0\n")})
        for name, (kept, client) in running.items():
            with self.subTest(name):
                self.assertRegex(self.refused(name, client), "not what a server (says|allows)|allows 0 s")
                self.assertFalse((self.dir / kept).exists())

    def test_who_is_slow_in_any_state(self):
        """Silent, or just within the patience for a single answer: a login is over after 10 s, a test of 8 s after
        2 * 8 + 10; 20 s are for a busy machine."""
        def slow(right):
            def wrong(server, line, words):
                server.over.wait(8)
                right(server, line, words)
            return wrong

        def drip(server, line, words):
            for c in "challenge " + "1" * 32:
                line.say(c)
                if server.over.wait(0.5):
                    return
        states = {"hello": {"hello": None}, "a slow hello": {"hello": drip}, "proof": {"proof": None},
                  "both of them slowly": {"hello": slow(say(f"challenge {'1' * 32}\n")), "proof": slow(say("x\n"))},
                  "streams": {"streams": None}, "pings": {"ping": None}, "flows": {"flow": None},
                  "stop": {"stop": None}, "an account": {"stop": say("flow 1 down 3\n")},
                  "every stop": {"stop": slow(lambda server, line, words: server.stop(line))}}
        start = time.monotonic()
        running = {name: self.attack(wrong, "--streams", "2") for name, wrong in states.items()}
        for name, (kept, client) in running.items():
            with self.subTest(name):
                if name == "flows":  # nothing comes: nothing is known
                    self.refused(name, client, statuses=(4,))
                    continue
                words = self.refused(name, client, timeout=10 + 26 + 20)
                self.assertRegex(words, "within 10 s|not over after|does not know the token|not what a server says|"
                                        "not one ping was answered")
                self.assertFalse((self.dir / kept).exists(), words)
        self.assertLess(time.monotonic() - start, 10 + 26 + 20)
