# SPDX-License-Identifier: GPL-2.0-or-later
"""What a person at the terminal meets: Ctrl-C on a pipe, progress, tables that leave out what is small."""
import gzip
import json
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
        text = self.good(*args, e2e.ROOT / CAPTURE).stdout
        # what came through a pipe is gone: the command to try names a file that the user may have
        return text.replace(f"replay {e2e.ROOT / CAPTURE}", "replay my.pcap").replace(str(e2e.ROOT / CAPTURE), "-")

    def test_check_judges_what_came_before_the_interrupt(self):
        status, out, err = self.interrupted("check")
        self.assertEqual((status, err), (0, ""))
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
        self.assertEqual((running.returncode, out.decode()), (0, self.whole("check")))


class Progress(e2e.Case):
    def test_a_precision_run_shows_how_far_it_is(self):
        """Its duration of an hour says nothing: it ends when the means are known. Shares rise to the end."""
        said = self.on_terminal(
            "run", e2e.ROOT / "scenarios/star.yaml", "-o", "out", "--set", "capture=[]",
            "--set", "traffic={star: {incoming: 2, outgoing: 2, bytes: 10MB}, precision: 0.05%, start_spread: 20ms}",
            "--set", "warmup=0s", "--set", "duration=3600s")
        summary = json.loads((self.dir / "out/summary.json").read_text())
        self.assertLess(summary["ended_s"], 1000)
        shares = [int(s) for s in re.findall(r"(\d+) %", said)]
        self.assertGreater(len(shares), 3)
        self.assertGreater(max(shares), 60)
        self.assertLessEqual(sum(b < a - 5 for a, b in zip(shares, shares[1:])), 1 + len(shares) // 10)
        self.assertRegex(said, r"\d+ s left")


class Interrupt(e2e.Case):
    """Ctrl-C while a model computes: one line, and an end by the signal as after any interrupted run."""

    def test_predict_says_so_in_one_line(self):
        big = ("--set", "network.racks=[400, 400]", "--set", "traffic.random={d: 6, bytes: 500MB}", "--model", "fluid")
        running = subprocess.Popen([str(e2e.CONTRAFLOW), "predict", str(e2e.ROOT / "scenarios/zhu-random.yaml"), *big],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(running.kill)
        for _ in range(600):  # until it computes: it has used a second of processor time
            with open(f"/proc/{running.pid}/stat") as stat:
                if int(stat.read().rpartition(")")[2].split()[11]) > 100:
                    break
            time.sleep(0.05)
        self.assertIsNone(running.poll())
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
        self.assertEqual((running.returncode, out, err), (-signal.SIGINT, b"", b"contraflow: interrupted\n"))


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


if __name__ == "__main__":
    e2e.main()
