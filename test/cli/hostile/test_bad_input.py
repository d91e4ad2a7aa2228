# SPDX-License-Identifier: GPL-2.0-or-later
"""Bad input, interrupted runs, full disks: one line, the right exit status, nothing half-written that looks whole."""
import gzip
import json
import os
import pathlib
import random
import re
import resource
import signal
import struct
import subprocess
import time

import e2e

SMALL = "duration: 50ms\nwarmup: 10ms\nnetwork: {link: {rate: 100Mbps}}\ntcp: {window: 100kB}\n"


class Scenario(e2e.Case):
    def bad_scenario(self, text, words):
        self.write("s.yaml", text)
        self.bad(2, words, "run", "s.yaml", "-o", "out")
        self.assertFalse((self.dir / "out").exists())

    def test_missing_empty_and_broken_files(self):
        self.bad(2, ["none.yaml", "No such file"], "run", "none.yaml")
        self.bad_scenario("", "s.yaml")
        self.bad_scenario("network: {link: [\n", "s.yaml:2")
        self.bad(2, "directory", "run", self.dir)

    def test_unknown_key_is_named_with_its_line(self):
        self.bad_scenario("seed: 1\nnetwork:\n  topolgy: star\n", ["s.yaml:3", "topolgy", "topology"])

    def test_wrong_unit(self):
        self.bad_scenario("network:\n  link:\n    rate: 1Gx\n", ["s.yaml:3", "network.link.rate", "1Gx", "Gbps"])
        self.bad_scenario("duration: 5 minutes\n", ["s.yaml:1", "duration", "minutes"])

    def test_window_of_zero(self):
        self.bad_scenario("tcp:\n  window: 0\n", ["s.yaml:2", "tcp.window"])

    def test_host_no_link_reaches(self):
        self.bad_scenario("network: {hosts: 4}\ntraffic:\n  flows:\n    - {from: h9, to: h0}\n",
                          ["s.yaml:4", "h9", "h0", "h3"])

    def test_a_topology_has_its_own_keys_and_no_others(self):
        own = {"star": "hosts: 3", "tree": "racks: [2, 2]", "mesh": "racks: [2, 2, 2]", "fat-tree": "k: 4",
               "leaf-spine": "racks: [2, 2], spines: 2", "graph": "links: [{from: h0, to: sw0}, {from: h1, to: sw0}]"}
        keys = {"hosts": ("3", ["star"]), "racks": ("[2, 2]", ["tree", "mesh", "leaf-spine"]), "k": ("4", ["fat-tree"]),
                "spines": ("2", ["leaf-spine"]), "uplinks": ("1", ["star"]),
                "links": ("[{from: h0, to: sw0}, {from: h1, to: sw0}]", ["graph"]),
                "backbone": ("{rate: 1Gbps}", ["tree", "fat-tree", "leaf-spine"])}
        for topology, others in own.items():
            for key, (value, has) in keys.items():
                if topology not in has:
                    with self.subTest(topology=topology, key=key):
                        self.bad_scenario(f"network: {{topology: {topology}, {others}, {key}: {value}}}\n", f"network.{key}")

    def test_nothing_that_is_written_over_a_shipped_scenario_crashes(self):
        """Random bytes, words and lines in shipped scenarios: it runs, or one line says what is wrong."""
        random_ = random.Random(14)
        shipped = [path.read_bytes() for path in sorted((e2e.ROOT / "scenarios").glob("*.yaml"))]
        words = re.findall(rb"[\w.-]+", b" ".join(shipped)) + [b"-1", b"99999999999999999999", b"[", b"]", b"{", b"&a",
                                                              b"*a", b"'", b"none", b"\0", b"\xff", b"1/0", b"~"]
        refused = 0
        for _ in range(150):
            text = bytearray(random_.choice(shipped))
            for _ in range(random_.choice((1, 1, 2, 5))):
                at = random_.randrange(len(text))
                spans = [m.span() for m in re.finditer(rb"[\w.-]+", text)]
                begin, end = random_.choice(spans) if spans else (at, at)
                kind = random_.randrange(4)
                if kind == 0:
                    text[begin:end] = random_.choice(words)
                elif kind == 1:
                    text[at:at + random_.randrange(4)] = bytes([random_.randrange(256)])
                elif kind == 2:
                    del text[begin:end]
                else:
                    text[at:at] = text[begin:begin + random_.randrange(80)]
            (self.dir / "s.yaml").write_bytes(bytes(text))
            done = self.call("predict", "s.yaml")
            self.assertIn(done.returncode, (0, 2), bytes(text))
            if done.returncode == 2:
                refused += 1
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertTrue(done.stderr.startswith("contraflow: "), done.stderr)
        self.assertGreater(refused, 30)

    def test_bad_set_is_blamed_on_it(self):
        self.write("s.yaml", SMALL)
        self.bad(2, ["--set", "tcp.windoe"], "run", "s.yaml", "--set", "tcp.windoe=1MB")
        self.bad(2, ["--set", "fast"], "run", "s.yaml", "--set", "network.link.rate=fast")

    def test_a_file_of_the_wrong_kind_is_named_with_its_command(self):
        self.write("s.yaml", SMALL)
        self.write("w.yaml", "title: a\nscenario: s.yaml\naxes: {tcp.window: [1MB]}\n")
        (self.dir / "c.pcap").write_bytes(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 96, 1))
        (self.dir / "d.db").write_bytes(b"SQLite format 3\0" + bytes(84))
        kinds = {"s.yaml": "a scenario: contraflow run s.yaml", "w.yaml": "a sweep: contraflow sweep w.yaml",
                 "c.pcap": "a capture: contraflow analyze c.pcap",
                 "d.db": "a sweep's database: contraflow sweep export d.db"}
        for command, own in (("run", "s.yaml"), ("predict", "s.yaml"), ("sweep", "w.yaml"), ("analyze", "c.pcap"),
                             ("check", "c.pcap"), ("explain", "c.pcap"), ("plot", "c.pcap")):
            for name, words in kinds.items():
                if name != own:
                    done = self.bad(2, f"{name}: this is {words}", command, name)
                    self.assertEqual(done.stderr.count("\n"), 1)

    def test_unknown_engine_command_and_option(self):
        self.write("s.yaml", SMALL)
        self.bad(2, "warp", "run", "s.yaml", "--engine", "warp")
        self.bad(2, "fly", "fly")
        self.assertEqual((self.call("run", "--nonsense", "s.yaml").returncode, self.call("run").returncode), (2, 2))


class Bounds(e2e.Case):
    """Options of a number: the least and the greatest that are taken, and one beyond either, which is named. What comes of those
    that are taken is another matter: files that are not there, a port at which nobody listens, an address of somebody else's."""
    TOKEN = "--token=9c1f7a02e85b3d6494f0c7d5"
    CLIENT, SERVER = ("measure", "127.0.0.1", "--port=9", TOKEN), ("measure", "serve", "--bind=192.0.2.1", TOKEN)
    NOT_THERE = ("No such file", "Connection refused", "cannot be listened at")
    BOUNDS = (
        (CLIENT, "--streams", 1, 16), (CLIENT, "--port", 1, 65535), (CLIENT, "--time", "8s", "86400s"),
        (("measure", "--study", "127.0.0.1", TOKEN), "--port", 1, 65535), (SERVER, "--port", 0, 65535),
        (SERVER, "--max-clients", 1, 64), (SERVER, "--max-rate", "1000bps", None), (SERVER, "--max-time", "8s", "86400s"),
        (("infer", "none.csv"), "--messages", 1, 2000), (("sweep", "none.yaml"), "--jobs", 1, 64),
        (("sweep", "none.yaml"), "--seed", 0, 2**62 - 1), (("replay", "none.pcap"), "--port", "1000bps", "1000000000000bps"),
        (("predict", "message", "--message=1kB"), "--processes", 2, 10**15), (("predict", "message"), "--message", "1B", f"{10**15}B"),
        (("predict", "message", "--message=1kB"), "--packet", "1B", f"{10**15}B"), (("predict", "message"), "--packets", 1, 10**15))

    def test_bounds_are_taken_and_what_is_beyond_is_not(self):
        for command, option, *bounds in self.BOUNDS:
            for bound, step in zip(bounds, (-1, 1)):
                if bound is None:
                    continue
                number, unit = re.fullmatch(r"(\d+)([a-zA-Z]*)", str(bound)).groups()
                with self.subTest(command=command, option=option, bound=bound):
                    taken = self.call(*command, f"{option}={bound}")
                    self.assertTrue(taken.returncode == 0 or any(why in taken.stderr for why in self.NOT_THERE), taken.stderr)
                    self.bad(2, option[2:], *command, f"{option}={int(number) + step}{unit}")


@e2e.needs_engine
class System(e2e.Case):
    def test_output_directory_that_cannot_be_made(self):
        self.write("file", "")
        self.write("s.yaml", SMALL)
        self.bad(3, "file", "run", "s.yaml", "-o", "file/out")

    def test_full_disk(self):
        """A file size limit, inherited by the engine, stands in for the full disk; it needs no root."""
        self.write("s.yaml", SMALL + "capture: [{at: h0}]\n")

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, resource.RLIM_INFINITY))

        done = self.bad(3, ["out/h0.pcap", "File too large"], "run", "s.yaml", "-o", "out", "--quiet",
                        preexec_fn=limit)
        self.assertNotIn("Traceback", done.stderr)
        for name in ("h0.pcap", "summary.json", "flows.csv", "queues.csv"):
            self.assertFalse((self.dir / "out" / name).exists(), name)

    @staticmethod
    def children_of(pid):
        found = []
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()  # state, parent, ...
            except OSError:
                continue  # it ended meanwhile
            if int(fields[1]) == pid:
                found.append(int(stat.parent.name))
        return found

    def start_long_run(self):
        self.write("s.yaml", "duration: 1000s\nnetwork: {link: {rate: 100Mbps}}\ntcp: {window: 100kB}\n"
                             "capture: [{at: h0}, {at: sw0-h0, format: pcapng}]\ntraffic: {start_spread: 0s, "
                             "star: {incoming: 2, outgoing: 1}}\n")
        process = subprocess.Popen([str(e2e.CONTRAFLOW), "run", "s.yaml", "-o", "out"], cwd=self.dir,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        for _ in range(600):
            part = self.dir / "out/h0.pcap.part"
            if part.exists() and part.stat().st_size > 2000000:  # some 2 s: long enough to be steady
                return process
            time.sleep(0.1)
        self.fail("the run wrote nothing")

    def interrupted_by(self, number):
        process = self.start_long_run()
        process.send_signal(number)
        table, words = process.communicate(timeout=60)
        self.assertEqual(process.returncode, -number)
        notice, words = words.splitlines()  # two, no more: what such a run would have taken comes first
        self.assertIn("captures may take", notice)
        self.assertIn("interrupted", words)
        summary = json.loads((self.dir / "out/summary.json").read_text())
        self.assertIs(summary["complete"], False)
        shown = [line.split()[:4] for line in table.splitlines()[2:]]
        self.assertEqual(shown, [[f["flow"], f["src"], f["dst"], "%.1f" % (float(f["goodput_bps"]) / 1e6)]
                                 for f in self.flows()])
        self.assertEqual(len(shown), 3)
        judged = self.good("check", "out", "--verbose", status=1)  # so far each flow has had half of 92 Mb/s
        self.assertIn("verdict eq6, B = 9", judged.stdout)
        self.assertRegex(judged.stderr, r"^contraflow: warning: out: this run was interrupted after [\d.]+ s; .*\n$")
        self.good("plot", "out")
        self.assertTrue((self.dir / "out/bandwidth.svg").exists() and (self.dir / "out/queues.svg").exists())
        for name in ("h0.pcap", "sw0-h0.pcapng"):
            done = self.good("analyze", f"out/{name}", "--json")
            self.assertEqual(done.stderr, "")  # not cut anywhere
            self.assertEqual(len(json.loads(done.stdout)["flows"]), 3)

    def test_sigint_leaves_a_partial_run(self):
        self.interrupted_by(signal.SIGINT)

    def test_sigterm_leaves_a_partial_run(self):
        self.interrupted_by(signal.SIGTERM)

    def engine_ended_by(self, number, words):
        process = self.start_long_run()
        children = self.children_of(process.pid)
        self.assertEqual(len(children), 1)
        os.kill(children[0], number)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3)
        notice, said = said.splitlines()
        self.assertIn("captures may take", notice)
        self.assertIn(words, said)

    def test_engine_that_is_told_to_stop_is_no_success(self):
        self.engine_ended_by(signal.SIGTERM, "told to stop")
        self.assertIs(json.loads((self.dir / "out/summary.json").read_text())["complete"], False)
        self.assertTrue((self.dir / "out/h0.pcap").exists())

    def test_death_of_the_engine_is_one_line_and_status_3(self):
        self.engine_ended_by(signal.SIGKILL, "signal 9")
        self.assertFalse((self.dir / "out/summary.json").exists())
        self.assertFalse((self.dir / "out/h0.pcap").exists())

    def test_earlier_results_do_not_survive_a_new_run(self):
        self.write("s.yaml", SMALL + "capture: [{at: h0}, {at: h1}]\n")
        self.write("other.pcap", "not ours")
        self.run_scenario("s.yaml", output=".")
        self.run_scenario("s.yaml", "capture=[{at: h0}]", output=".")
        self.assertFalse((self.dir / "h1.pcap").exists())
        self.assertTrue((self.dir / "other.pcap").exists())


class Capture(e2e.Case):
    def capture_file(self, link_type=1, records=()):
        path = self.dir / "x.pcap"
        data = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link_type)
        for second, frame in records:
            data += struct.pack("<IIII", second, 0, len(frame), len(frame)) + frame
        path.write_bytes(data)
        return path

    def both(self, status, words, path):
        for command in ("analyze", "check"):
            self.bad(status, words, command, path)

    def test_missing_empty_text_and_directory(self):
        self.both(2, ["none.pcap", "No such file"], "none.pcap")
        self.write("empty.pcap", "")
        self.both(2, ["empty.pcap", "empty"], "empty.pcap")
        self.write("text.pcap", "hello, this is a letter, not a capture\n" * 20)
        self.both(2, "text.pcap", "text.pcap")
        self.bad(2, "directory", "analyze", self.dir)

    def test_link_type_that_is_not_supported_is_named(self):
        self.both(2, ["x.pcap", "IEEE802_11"], self.capture_file(link_type=105))

    def test_interfaces_libpcap_refuses_name_editcap(self):
        def block(kind, body):
            return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)

        section = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
        ethernet, raw = (block(1, struct.pack("<HHI", link, 0, 65535)) for link in (1, 101))
        packet = block(6, struct.pack("<IIIII", 0, 0, 0, 60, 60) + bytes(60))
        for name, blocks in (("early", (section, ethernet, raw, packet)), ("late", (section, ethernet, packet, raw))):
            (self.dir / f"{name}.pcapng").write_bytes(b"".join(blocks))
            self.both(2, [f"{name}.pcapng", "editcap"], f"{name}.pcapng")

    def test_capture_without_tcp_is_an_answer(self):
        path = self.capture_file(records=[(1, bytes(12) + b"\x08\x06" + bytes(46))])
        self.assertEqual((self.json("analyze", path)["flows"], self.call("check", path).returncode), ([], 4))

    def test_capture_cut_inside_a_packet_is_analysed_up_to_there(self):
        whole = gzip.decompress((e2e.ROOT / "test/data/captures/fifo-2in-1out.pcap.gz").read_bytes())
        (self.dir / "cut.pcap").write_bytes(whole[:1000007])
        done = self.good("analyze", "cut.pcap", "--json")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("cut.pcap", done.stderr)
        self.assertIn("stops", done.stderr)
        self.assertGreater(sum(f["payload_bytes"] for f in json.loads(done.stdout)["flows"]), 1e6)
