# SPDX-License-Identifier: GPL-2.0-or-later
"""What a person at the terminal meets: Ctrl-C on a pipe, progress, tables that leave out what is small."""
import gzip
import json
import os
import re
import signal
import subprocess
import time

import e2e

CAPTURE = "test/data/captures/fifo-2in-1out.pcap.gz"


class Pipe(e2e.Case):
    """A capture comes through a pipe that nobody closes, as from a tcpdump that still runs."""

    def interrupted(self, *args, share=1.0):
        data = gzip.decompress((e2e.ROOT / CAPTURE).read_bytes())
        data = data[:int(share * len(data))]
        running = subprocess.Popen([str(e2e.CONTRAFLOW), *args, "-"], cwd=self.dir, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(running.kill)
        running.stdin.write(data)
        running.stdin.flush()
        self.wait_until_idle(running)
        running.send_signal(signal.SIGINT)
        out, err = running.stdout.read().decode(), running.stderr.read().decode()
        running.wait(60)
        for stream in (running.stdin, running.stdout, running.stderr):
            stream.close()
        return running.returncode, out, err

    def wait_until_idle(self, running):
        """Until it has read all there is: it sleeps in a read of the pipe, four times in a row."""
        asleep = 0
        for _ in range(600):
            with open(f"/proc/{running.pid}/wchan") as wchan, open(f"/proc/{running.pid}/stat") as stat:
                state = stat.read().rpartition(")")[2].split()[0]
                asleep = asleep + 1 if state == "S" and wchan.read() in ("0", "pipe_read", "anon_pipe_read") else 0
            if asleep == 4:
                return
            time.sleep(0.1)
        self.fail("it never waits")

    def whole(self, *args):
        text = self.call(*args, e2e.ROOT / CAPTURE).stdout
        # what came through a pipe is gone: the command to try names a file that the user may have
        return text.replace(f"replay {e2e.ROOT / CAPTURE}", "replay my.pcap").replace(str(e2e.ROOT / CAPTURE), "-")

    def test_check_judges_what_came_before_the_interrupt(self):
        status, out, err = self.interrupted("check")
        self.assertEqual((status, err), (1, ""))  # something is lost
        self.assertEqual(out, self.whole("check"))

    def test_analyze_and_explain_show_it(self):
        for command in ("analyze", "explain"):
            status, out, err = self.interrupted(command)
            self.assertEqual((status, err), (0, ""), command)
            self.assertEqual(out, self.whole(command))

    def test_a_frame_cut_in_half_is_told(self):
        status, out, err = self.interrupted("analyze", "--json", share=0.7)
        self.assertEqual(status, 0)
        capture = json.loads(out)["captures"][0]
        self.assertEqual(capture["truncated"], "stops inside packet" in err)
        self.assertGreater(capture["tcp_segments"], 1000)

    def test_nothing_yet_is_an_error(self):
        running = subprocess.Popen([str(e2e.CONTRAFLOW), "check", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        self.wait_until_idle(running)
        running.send_signal(signal.SIGINT)
        self.assertEqual(running.wait(60), 2)
        self.assertIn(b"-: is empty", running.stderr.read())
        running.stdin.close()
        running.stderr.close()

    def test_the_writer_may_finish_its_last_frames(self):
        data = gzip.decompress((e2e.ROOT / CAPTURE).read_bytes())
        running = subprocess.Popen([str(e2e.CONTRAFLOW), "check", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        running.stdin.write(data[:len(data) // 2])
        running.stdin.flush()
        self.wait_until_idle(running)
        running.send_signal(signal.SIGINT)
        out, _ = running.communicate(data[len(data) // 2:], timeout=60)
        self.assertEqual((running.returncode, out.decode()), (1, self.whole("check")))


class Progress(e2e.Case):
    def test_a_precision_run_shows_how_far_it_is(self):
        """Its duration of an hour says nothing: it ends when the means are known. Shares rise to the end."""
        said = self.on_terminal(
            "run", e2e.ROOT / "scenarios/star.yaml", "-o", "out", "--set", "capture=[]",
            "--set", "traffic={star: {incoming: 2, outgoing: 2, bytes: 4MB}, precision: 0.05%, start_spread: 20ms}",
            "--set", "warmup=0s", "--set", "duration=3600s")
        summary = json.loads((self.dir / "out/summary.json").read_text())
        self.assertLess(summary["ended_s"], 1000)
        shares = [int(s) for s in re.findall(r"(\d+) %", said)]
        self.assertGreater(len(shares), 3)
        self.assertGreater(max(shares), 60)
        self.assertLessEqual(sum(b < a - 5 for a, b in zip(shares, shares[1:])), 1 + len(shares) // 10)
        self.assertRegex(said, r"\d+ s left")


    def test_infer_and_sweep_show_the_time_left(self):
        self.write("m.csv", "pattern,from,to,bytes,seconds\np,h1,h0,50MB,0.9\np,h2,h0,50MB,0.9\np,h0,h3,50MB,0.8\n")
        said = self.on_terminal("infer", "m.csv", "--rate", "1Gbps", "--jobs", "1", "--hypothesis", "fifo")
        self.assertRegex(said, r"\d+ of \d+ emulations, \d+ s, \d+ s left")
        self.write("s.yaml", "duration: 400ms\nwarmup: 100ms\ncapture: []\ntraffic: {star: {incoming: 2, outgoing: 1}}\n")
        self.write("w.yaml", "scenario: s.yaml\nseeds: 1..15\naxes: {tcp.window: [1MB, 2MB]}\n")
        self.assertRegex(self.on_terminal("sweep", "w.yaml", "--jobs", "1"), r"running, \d+ s left")


class Computing(e2e.Case):
    """Commands that compute for long, and start no other process."""

    # ten thousand transfers among two thousand hosts: seconds for every model that follows queues
    BIG = ("predict", e2e.ROOT / "scenarios/zhu-random.yaml", "--set", "network.racks=[1000, 1000]",
           "--set", "traffic.random={d: 10, bytes: 500MB}", "--set", "traffic.start_spread=0")

    def many_patterns(self, n):
        """What was measured of n patterns, of six transfers each, which `fit` sets beside what models predict."""
        rows = [f"p{k},h{i},h{i + 1},{10 + k % 7}MB,0.{2 + k % 3}" for k in range(n) for i in range(6)]
        return self.write("many.csv", "pattern,from,to,bytes,seconds\n" + "\n".join(rows) + "\n")

    def used_s(self, running):
        with open(f"/proc/{running.pid}/stat") as stat:
            return int(stat.read().rpartition(")")[2].split()[11]) / os.sysconf("SC_CLK_TCK")


class ModelsProgress(Computing):
    def test_predict_counts_orders_and_steps(self):
        """Of a fluid, orders and transfers that are not done; of a rule, steps. The line is wiped at the end."""
        sets = ("predict", e2e.ROOT / "scenarios/zhu-random.yaml", "--set", "network.racks=[400, 400]",
                "--set", "traffic.start_spread=0", "--set", "traffic.random={d: 4, bytes: 20MB}")
        said = self.on_terminal(*sets, "--model", "fluid")
        orders = re.findall(r"\r\x1b\[Kfluid: order (\d+) of 16 at most, (\d+) of (\d+) transfers under way", said)
        self.assertGreater(len(orders), 1, said)
        self.assertEqual(sorted(orders, key=lambda x: (int(x[0]), -int(x[1]))), orders)
        self.assertEqual(len({of for _, _, of in orders}), 1)
        self.assertTrue(said.endswith("\r\x1b[K"), said)
        links = len(self.json(*sets, "--model", "maxmin")["links"])
        self.assertEqual(int(orders[0][2]), links)
        steps = re.findall(r"\r\x1b\[Kmaxmin: step (\d+), (\d+) of (\d+) transfers under way",
                           self.on_terminal(*sets, "--model", "maxmin"))
        self.assertGreater(len(steps), 0)
        for step, active, of in steps:
            self.assertLessEqual(int(active), int(of))
            self.assertGreater(int(step), 0)

    def test_fit_counts_patterns(self):
        patterns = 3000
        said = self.on_terminal("fit", self.many_patterns(patterns))
        counts = [int(n) for n in re.findall(r"\r\x1b\[K(\d+) points", said)]
        self.assertGreater(len(counts), 0, said)
        self.assertEqual(sorted(set(counts)), counts)
        self.assertLessEqual(counts[-1], patterns)
        self.assertTrue(said.endswith("\r\x1b[K"), said)

    def test_nobody_looks(self):
        for words in (self.BIG + ("--model", "maxmin"), ("fit", self.many_patterns(800))):
            self.assertEqual(self.good(*words).stderr, "")


class Interrupt(Computing):
    """Ctrl-C while a model computes: one line, and an end by the signal as after any interrupted run."""

    def interrupted(self, *args, **kwargs):
        """After it has used half a second of processor time."""
        running = subprocess.Popen([str(e2e.CONTRAFLOW), *map(str, args)], cwd=self.dir, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, **kwargs)
        self.addCleanup(running.kill)
        for _ in range(1200):
            if running.poll() is not None or self.used_s(running) > 0.5:
                break
            time.sleep(0.05)
        self.assertIsNone(running.poll())
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
        self.assertEqual((running.returncode, out, err), (-signal.SIGINT, b"", b"contraflow: interrupted\n"), args)

    def test_predict_says_so_in_one_line(self):
        for model in ("window", "fluid"):
            self.interrupted(*self.BIG, "--model", model)
        self.interrupted(*self.BIG, "--all", "--json")

    def test_fit_says_so_in_one_line(self):
        self.interrupted("fit", self.many_patterns(4000))
        self.interrupted("fit", "many.csv", "--json")

    def test_fit_waiting_for_a_capture_says_so(self):
        """It reads a pipe into which nobody writes any more, and has used next to no processor time."""
        os.mkfifo(self.dir / "now.pcap")
        running = subprocess.Popen([str(e2e.CONTRAFLOW), "fit", "now.pcap"], cwd=self.dir, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        self.addCleanup(running.kill)
        with open(self.dir / "now.pcap", "wb") as pipe:  # open: fit has opened it, too
            pipe.write(gzip.decompress((e2e.ROOT / CAPTURE).read_bytes())[:1000000])
            running.send_signal(signal.SIGINT)
            out, err = running.communicate(timeout=60)
        self.assertEqual(((running.returncode, out), err), ((-signal.SIGINT, b""), b"contraflow: interrupted\n"))


class Small(e2e.Case):
    def test_small_flows_share_a_line(self):
        """iperf3's three control connections, both ways, beside three bulk flows."""
        capture = e2e.ROOT / CAPTURE
        flows = self.json("analyze", capture)["flows"]
        small = [f["payload_bytes"] for f in flows if f["payload_bytes"] < 20000]
        self.assertEqual((len(flows) - len(small), len(small) > 1), (3, True))
        lines = self.good("analyze", capture).stdout.splitlines()
        self.assertEqual(len(lines), 1 + 3 + 1)
        self.assertEqual(lines[-1], f"and {len(small)} small flows, {sum(small) / 1e3:.3g} kB in all "
                                    "(--all lists them)")
        self.assertEqual(len(self.good("analyze", "--all", capture).stdout.splitlines()), 1 + len(flows))
