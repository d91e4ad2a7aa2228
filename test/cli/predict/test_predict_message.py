# SPDX-License-Identifier: GPL-2.0-or-later
"""contraflow predict message and broadcast: Tam 2001, Eq. 2.1-2.9 and 3.1, by hand, and the figures of his text."""

import e2e

GIGABIT = ("--packet", 1500, "--g-s", "18.76us", "--g-r", "12.6us", "--o-s", "6.5us", "--o-r", "19.7us",
           "--u-r", "0.06us", "--l", "7us", "--l-per-process", "0s")  # section 3.2, uniprocessor kernel
TREE = ("--processes", 16, "--packets", 3, "--o-s", "1us", "--o-r", "1.5us", "--u-r", "0.5us", "--l", "4us",
        "--l-per-process", "0s")  # Fig. 2.3 and 2.4


class Message(e2e.Case):
    def message(self, *args):
        return self.json("predict", "message", *args)

    def test_table_5_2_is_the_default(self):
        # O_s + 9 g + L(2) + O_r + U_r = 12.5 + 9 * 123 + 149 + 2 * 0.3387 + 20 + 7 = 1296.1774 us, either way
        said = self.message("--packets", 10)
        self.assertAlmostEqual(said["one_way"]["time_s"], 1296.1774e-6, 12)
        self.assertEqual(said["one_way"]["time_s"], said["both_ways"]["time_s"])
        self.assertTrue(said["full_duplex"])
        for like in (("--like", "8275-416"), ("--like=8275-416",)):
            said = self.message("--packets", 10, *like, "--processes", 16)
            self.assertAlmostEqual(said["l_s"], (264 + 16 * 0.3413) * 1e-6, 12)

    def test_a_slow_receiver_is_eq_3_1(self):
        # 6.5 + 7 + 100 * 19.76 = 1989.5 us; both ways 100 * 26.26 + 7
        said = self.message("--packets", 100, *GIGABIT)
        self.assertAlmostEqual(said["one_way"]["time_s"], 1989.5e-6, 12)
        self.assertEqual((said["one_way"]["bottleneck"], said["one_way"]["source"]), ("receive", "Tam 2001, Eq. 3.1"))
        self.assertAlmostEqual(said["both_ways"]["time_s"], 2633e-6, 12)
        self.assertFalse(said["full_duplex"])

    def test_parameters_are_lines_of_the_size(self):
        # 38 bytes around each payload at 80 ns: 3.04 us + 80 ns a byte
        line = ("--g-s", "3.04us+80ns", "--g-r", "3.04us+80ns", "--o-s", "2us+3.5ns")
        said = self.message("--message", "10MB", "--packet", 1500, *line)
        self.assertAlmostEqual(said["g_s_s"], 123.04e-6, 12)
        self.assertAlmostEqual(said["o_s_s"], 7.25e-6, 12)
        self.assertEqual(said["packets"], 6667)
        said = self.message("--message", 46, *line)  # one packet of its own size
        self.assertEqual((said["packets"], said["packet_bytes"]), (1, 46))
        self.assertAlmostEqual(said["g_s_s"], 6.72e-6, 12)

    def test_text_says_what_bounds(self):
        text = self.good("predict", "message", "--packets", 100, *GIGABIT).stdout
        self.assertIn("does not hold", text)
        self.assertIn("Eq. 3.1", text)

    def test_bad_options_are_named(self):
        self.bad(2, "give one of --packets and --message", "predict", "message")
        self.bad(2, "give one of --packets and --message", "predict", "message", "--packets", 1, "--message", 1)
        self.bad(2, ["--o-s", "'5'"], "predict", "message", "--packets", 1, "--o-s", 5)
        self.bad(2, ["--l", "negative"], "predict", "message", "--packets", 1, "--l", "3us+-1ns")
        self.bad(2, "'0' is not 1", "predict", "message", "--packets", 0)
        self.bad(2, f"'{10**15 + 1}' is not 1 to {10**15}", "predict", "message", "--packets", 10**15 + 1)
        # the bound itself is one: g = 123 us for each, and the last bits of a double
        self.assertAlmostEqual(self.message("--packets", 10**15)["one_way"]["time_s"] / (123e-6 * 10**15), 1, 12)
        self.bad(2, "8275-326 and 8275-416", "predict", "message", "--packets", 1, "--like", "x")
        self.bad(2, "g_s: 0 s", "predict", "message", "--packets", 1, "--g-s", "0s")
        self.bad(2, "'x' is not an option", "predict", "message", "x")
        self.bad(2, "processes: 1", "predict", "message", "--packets", 1, "--processes", 1)
        self.bad(2, "--copy", "predict", "message", "--packets", 1, "--copy", "1ns")


class Broadcast(e2e.Case):
    def test_figures_2_3_and_2_4(self):
        # T_0 = 3 < 2 g = 4: 4 (2 * 2 + 4 + 3) = 44; T_0 >= 2 g = 2: (4 + 3 - 1) 3 + 4 * 4 + 2 (4 - 2) = 38
        for gap, bottleneck, time_us, number in (("2us", "root", 44, "2.8"), ("1us", "interference", 38, "2.9")):
            args = ("predict", "broadcast", *TREE, "--g-s", gap, "--g-r", gap)
            said = self.json(*args)
            self.assertEqual(said["bottleneck"], bottleneck)
            self.assertAlmostEqual(said["time_s"], time_us * 1e-6, 12)
            self.assertIn(f"Eq. {number})", self.good(*args).stdout)

    def test_the_root_copies_the_message(self):
        args = ("predict", "broadcast", *TREE, "--g-s", "2us", "--g-r", "2us", "--packet", 1500, "--copy", "1ns")
        self.assertAlmostEqual(self.json(*args)["time_s"], 48.5e-6, 12)  # 3 * 1500 ns more than 44 us

    def test_bad_options_are_named(self):
        self.bad(2, "processes: 1", "predict", "broadcast", "--packets", 1, "--processes", 1)
        self.bad(2, "give one of", "predict", "broadcast")
