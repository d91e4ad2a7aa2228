# SPDX-License-Identifier: GPL-2.0-or-later
"""What to type, and the script that tries it: it is a script, and it is of the line that was captured."""
import re
import subprocess

import e2e

FIFO = e2e.ROOT / "test/data/captures/fifo-2in-1out.pcap.gz"
ADSL = e2e.ROOT / "test/data/corpus/adsl-20-2-1in-1out.pcap.xz"
OTHER = e2e.ROOT / "test/data/corpus/udp-in-1out.pcap.xz"
NO = e2e.ROOT / "test/data/corpus/oneway-1in-100ms.pcap.xz"


class Remedy(e2e.Case):
    def test_all_that_may_be_typed_is_listed(self):
        said = self.good("remedy", FIFO).stdout
        listed = re.findall(r"^  \d\. (.*)$", said, re.M)
        diagnosis = self.json("check", FIFO)["resources"][0]["diagnosis"]
        self.assertEqual(listed, diagnosis["remedies"][1:-1])
        self.assertIn("host 10.9.0.1: yes", said)

    def script(self, *arguments):
        script = self.write("prove.sh", self.good("remedy", *arguments, "--script").stdout)
        subprocess.run(["sh", "-n", script], check=True)
        return script, dict(re.findall(r"\b([A-Z_]+)=('[^'\n]*'|\S*)", script.read_text().split("\n# What follows")[0]))

    def test_the_script_is_of_the_line_that_was_captured(self):
        script, known = self.script(ADSL)
        self.assertEqual((known["FLOWS_IN"], known["FLOWS_OUT"]), ("1", "1"))
        self.assertAlmostEqual(int(known["DOWN_KBIT"]) / 20000, 1, delta=0.02)
        self.assertAlmostEqual(int(known["UP_KBIT"]) / 2000, 1, delta=0.02)
        # 804.6 ms of 2 Mb/s wait and nothing is lost: a queue that never is full
        self.assertGreater(int(known["UP_BYTES"]), 2 * 0.8 * 2e6 / 8)
        self.assertGreater(int(known["WINDOW_OUT"]), 100000)
        text = script.read_text()
        self.assertIn("    inside router sh -c 'tc qdisc replace dev wan root cake bandwidth", text)
        self.assertEqual(known["REMEDIES"], str(len(re.findall(r"^remedy_\d+\(\) {$", text, re.M))))

    def test_a_discipline_takes_the_place_of_the_queue_that_matters(self):
        text = self.script(FIFO)[0].read_text()
        self.assertIn("    inside provider sh -c 'tc qdisc replace dev line parent ca:1 fq_codel'\n", text)
        self.assertNotIn("inside modem sh", text)

    def test_shellcheck_finds_nothing(self):
        e2e.require("shellcheck")
        subprocess.run(["shellcheck", self.script(FIFO)[0]], check=True)
        subprocess.run(["shellcheck", self.script(ADSL)[0]], check=True)

    def test_names_of_files_are_no_commands(self):
        name = self.dir / "a\necho stolen\n.pcap.xz"
        name.write_bytes(ADSL.read_bytes())
        self.assertNotIn("\necho stolen", self.script(name)[0].read_text())

    def test_of_a_run_the_line_is_the_one_where_acks_wait(self):
        self.good("run", "home", "--engine", "native", "--quiet", "-o", "home", "--set", "duration=20s", "--set", "warmup=8s")
        said = self.good("remedy", "home").stdout
        self.assertEqual(re.findall(r"^home: (\S+ \S+)", said, re.M), ["port modem-dslam"])  # one line has one answer
        known = self.script("home")[1]
        self.assertLess(int(known["UP_KBIT"]), 1000)  # not h2's 1 Gb/s: the modem's 1 Mb/s, less what ATM takes

    def test_what_a_run_is_told_to_try_gets_what_was_said(self):
        """ACKs first at every queue, the modem's own among them, as in the emulation that the answer is from."""
        self.good("run", "home", "--engine", "native", "--quiet", "-o", "home", "--set", "duration=20s", "--set", "warmup=8s")
        said = self.call("check", "home").stdout
        self.good(*re.search("try: contraflow (.*)", said)[1].split(), "--quiet")
        possible = float(re.search(r": yes: [\d.]+ of ([\d.]+) Mb/s", said)[1])
        got = sum(float(flow["steady_goodput_bps"]) for flow in self.flows("home-ack-first")) / 1e6
        self.assertAlmostEqual(got / possible, 1, delta=0.03)

    def test_what_would_show_nothing_is_refused(self):
        self.bad(2, "no queue has to be served otherwise", "remedy", NO, "--script")
        self.bad(2, "the script plays TCP flows alone", "remedy", OTHER, "--script")
        self.bad(2, "remedy takes one FILE or DIR, not 0", "remedy")

    def test_only_root_runs_it(self):
        e2e.require("setpriv")
        done = subprocess.run(["setpriv", "--reuid", "65534", "--clear-groups", "sh"], capture_output=True, text=True,
                              input=self.script(FIFO)[0].read_text())
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("needs root", done.stderr)
