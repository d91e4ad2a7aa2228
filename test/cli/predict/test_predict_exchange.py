# SPDX-License-Identifier: GPL-2.0-or-later
"""contraflow predict exchange: the models' figures by hand, windows of Tam's chapter 6, signatures back from points."""
import csv

import e2e

LINK = ("--alpha", "50us", "--beta", "8.502e-9")


def signature(network):
    with open(e2e.ROOT / "test/data/papers/steffenel2006_signatures.csv", newline="") as f:
        rows = {r["network"]: r for r in csv.DictReader(line for line in f if not line.startswith("#"))}
    return {k: float(v) for k, v in rows[network].items() if k != "network" and v}


def eq5(network, n, m):
    s = signature(network)
    late = m >= s.get("threshold_bytes", 0)
    return (n - 1) * ((50e-6 + 8.502e-9 * m) * s["gamma"] + (s["delta_s"] if late else 0))


class Exchange(e2e.Case):
    def exchange(self, *args):
        return self.json("predict", "exchange", *args)

    def times(self, *args):
        return {p["model"]: p["time_s"] for p in self.exchange(*args)["predictions"]}

    def near(self, got, want):
        self.assertAlmostEqual(got / want, 1, 9)


class Tam(Exchange):
    def test_table_5_2_is_the_default(self):
        # L = 149 + 0.3387 * 16, T_w = 12.5 + L - 123 + 20 + 7 = 70.9192; 64 * 15 * 123 = 118080 us.
        times = self.times("--processes", 16, "--packets", 64)
        for model, rounds in (("bound", 1), ("sync", 1), ("group", 3), ("pairwise", 15), ("shift", 15)):
            self.near(times["tam " + model], (118080 + rounds * 70.9192) * 1e-6)
        self.assertIn("Table 5.2", self.good("predict", "exchange", "--processes", 16, "--packets", 64).stdout)

    def test_given_parameters_replace_defaults_and_are_named(self):
        args = ("--processes", 2, "--packets", 1, "--g-s", "200us", "--like", "8275-416")
        # One packet each: O_s + L + O_r + U_r = 39.5 + 264 + 2 * 0.3413, whatever the gap.
        self.near(self.times(*args)["tam sync"], 304.1826e-6)
        self.assertIn("except --g-s", self.good("predict", "exchange", *args).stdout)

    def test_windows_are_rounded_down(self):
        for p, d2, alone, window in ((16, 2, 10, 5), (24, 3, 8, 4), (24, 4, 9, 4), (32, 4, 7, 3)):
            tree = self.exchange("--processes", p, "--packets", 1, "--switches", d2)["tree"]
            self.assertEqual((tree["data_window_packets"], tree["window_packets"]), (alone, window))

    def test_no_time_is_below_the_uplinks(self):
        # Eq. 6.4, 8x2 at 103 MB/s: 128 M / 103e6 s, more than 15 M / 12.1 MB/s.
        times = self.times("--processes", 16, "--message", "1MB", "--switches", 2, "--uplink", "824Mbps")
        self.near(times["uplink"], 128e6 / 103e6)
        self.near(times["tam sync"], times["uplink"])
        self.assertLess(times["tam bound"], times["uplink"])


class Steffenel(Exchange):
    def test_models_by_hand(self):
        # 39 * (50e-6 + 8.502e-9 * 1e6); a shared medium has 40 times the bytes; beta of Eq. 3 is printed as 4.6742e-8.
        models = "hockney,lower-bound,clement,two-gap"
        times = self.times("--processes", 40, "--message", "1MB", "--model", models, *LINK)
        self.near(times["hockney"], 0.333528)
        self.near(times["lower-bound"], 0.333528)
        self.near(times["clement"], 39 * (50e-6 + 40 * 8.502e-3))
        self.assertAlmostEqual(times["two-gap"] / (39 * (50e-6 + 4.6742e-8 * 1e6)), 1, 4)

    def test_published_signatures_are_those_of_the_table(self):
        for network in ("fast_ethernet", "gigabit_ethernet", "myrinet"):
            for m in (1000, 2047, 2048, 8191, 8192, 10**6):
                times = self.times("--processes", 24, "--message", m, "--network", network.replace("_", "-"), *LINK)
                self.near(times["signature"], eq5(network, 24, m))

    def points(self, network, wobble=1e-3):
        # Times alternate by a part in a thousand, so that an interval has a width.
        with open(self.dir / "t.csv", "w") as f:
            f.write("# comment\nmessage_bytes,processes,time_s\n")
            for i, m in enumerate(2**k for k in range(8, 21)):
                f.write(f"{m},40,{eq5(network, 40, m) * (1 + wobble * (-1) ** i)!r}\n")

    def test_fit_finds_gigabit_ethernet_again(self):
        self.points("gigabit_ethernet")
        done = self.exchange("--fit", "t.csv", *LINK, "--processes", 24, "--message", "1MB")
        fit = done["fit"]
        self.assertEqual((fit["shape"], fit["threshold_bytes"], fit["points"]), ("threshold", 8192, 13))
        self.assertLess(fit["threshold_above_bytes"], 8192)
        for name, value in (("gamma", 4.3628), ("delta_s", 4.93e-3)):
            self.assertLess(fit[name]["low"], value)
            self.assertGreater(fit[name]["high"], value)
            self.assertLess(abs(fit[name]["value"] / value - 1), 3e-3)
        self.assertLess(abs(done["predictions"][0]["time_s"] / eq5("gigabit_ethernet", 24, 10**6) - 1), 3e-3)

    def test_fit_of_myrinet_has_no_start_up_cost(self):
        self.points("myrinet")
        fit = self.exchange("--fit", "t.csv", *LINK)["fit"]
        self.assertEqual((fit["shape"], fit["delta_used_s"]), ("ratio", 0))
        self.assertLess(abs(fit["gamma"]["value"] / 2.49754 - 1), 3e-3)
        self.assertIn("95% interval", self.good("predict", "exchange", "--fit", "t.csv", *LINK).stdout)


class BadInput(Exchange):
    def refused(self, words, *args):
        self.bad(2, words, "predict", "exchange", *args)

    def test_requests(self):
        size = ("--processes", 4, "--message", "1kB")
        for words, *args in (
            ("--processes: not given",),
            ("no message size", "--processes", 4),
            ("both given", *size, "--packets", 1),
            ("--g-s: '3' has no unit", *size, "--g-s", 3),
            ("group: 4 partners", *size, "--group", 4),
            ("--switches 3: 4 processes", *size, "--switches", 3),
            ("--switches is not given", *size, "--buffer", 3),
            ("--model foo: unknown", *size, "--model", "foo"),
            ("names no model", *size, "--model", ""),
            ("--gamma: no model", *size, "--gamma", 3),
            ("--alpha: not given", *size, "--model", "hockney"),
            ("neither --beta nor --rate", *size, "--model", "hockney", "--alpha", "1us"),
            ("signature: wants one of", *size, "--model", "signature", *LINK),
            ("--network foo", *size, "--network", "foo", *LINK),
            ("rho is 2", *size, "--model", "two-gap", "--alpha", "1us", "--rho", 2),
        ):
            with self.subTest(args=args):
                self.refused(words, *args)

    def test_files_to_fit(self):
        head = "processes,message_bytes,time_s\n"
        for text, words in (
            ("", "t.csv:1: empty"),
            ("processes,time_s\n", "t.csv:1: no column 'message_bytes'"),
            (head + "4,5\n", "t.csv:2: only 2 fields"),
            (head + "4,5,1\n4,5,-1\n", "t.csv:3: time_s is '-1'"),
            (head + "4,5,nan\n", "t.csv:2: time_s is 'nan'"),
            (head + "2.5,5,1\n", "t.csv:2: processes is 2.5"),
            (head + "4,5,1\n", "t.csv: 1 points"),
        ):
            with self.subTest(text=text):
                (self.dir / "t.csv").write_text(text)
                self.refused(words, "--fit", "t.csv", *LINK)
        self.refused("No such file", "--fit", "nowhere.csv", *LINK)
        self.refused("Is a directory", "--fit", ".", *LINK)
