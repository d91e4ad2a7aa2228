#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""contraflow predict loss: Tam's loss models from flags and from traces; what has no answer says so."""
import e2e


class Loss(e2e.Case):
    CHAIN = ("--to-gr", 400, "--c", 0.0218, "--one-minus-a", 0.0547, "--f", 0.5329)

    def predict(self, *arguments):
        return self.json("predict", "loss", *arguments)

    def test_input_buffered(self):
        # (43 * 15 - 59)/14 + 1 = 42.857 packets of 90.79 are good
        done = self.predict("--senders", 15, "--window", 60, "--buffer", 43)
        self.assertAlmostEqual(done["efficiency"], 0.4720, delta=0.0001)
        self.assertAlmostEqual(done["approximate"], 40 / 85, places=9)
        done = self.predict("--senders", 15, "--window", 43, "--buffer", 43)
        self.assertTrue(done["lossless"])
        self.assertEqual(done["efficiency"], 1)
        text = self.good("predict", "loss", "--senders", 15, "--window", 43, "--buffer", 43).stdout
        self.assertIn("nothing is lost", text)

    def test_first_row_of_table_4_1(self):
        done = self.predict("--senders", 7, "--window", 18, "--buffer", 95, *self.CHAIN)
        self.assertAlmostEqual(done["efficiency"], 0.7639, delta=0.0005)

    def test_probabilities_from_traces(self):
        self.write("a", "P P P N P P N TO TO P\n")
        self.write("b", "P\nP\nP\nP\nN\nP\n")
        done = self.predict("--window", 60, "--buffer", 43, "--to-gr", 400, "--trace", "a", "b")
        self.assertAlmostEqual(done["c"], (2 / 6 + 1 / 5) / 2)
        self.assertAlmostEqual(done["one_minus_a"], (1 / 2 + 0) / 2)
        self.assertAlmostEqual(done["f"], 1 / 2)
        by_hand = self.predict("--senders", 2, "--window", 60, "--buffer", 43, "--to-gr", 400, "--c", done["c"],
                               "--one-minus-a", done["one_minus_a"], "--f", done["f"])
        self.assertAlmostEqual(done["efficiency"], by_hand["efficiency"])

    def test_bad_input(self):
        flow = ("predict", "loss", "--senders", 15, "--window", 60, "--buffer", 43)
        self.bad(2, "--buffer", "predict", "loss", "--senders", 15, "--window", 60)
        self.bad(2, ["--senders", "many"], "predict", "loss", "--senders", "many")
        self.bad(2, ["c: 1.5", "0 to 1"], *flow, "--to-gr", 400, "--c", 1.5, "--one-minus-a", 0.1, "--f", 0.5)
        self.bad(2, "--f is missing", *flow, "--to-gr", 400, "--c", 0.5, "--one-minus-a", 0.1)
        self.bad(2, "--to-gr", *flow, "--c", 0.5, "--one-minus-a", 0.1, "--f", 0.5)
        self.bad(2, ["window: 600", "87"], "predict", "loss", "--senders", 2, "--window", 600, "--buffer", 43)
        self.bad(2, "senders: 0", "predict", "loss", "--senders", 0, "--window", 60, "--buffer", 43)
        self.write("t", "P N X")
        self.bad(2, ["t: event 3", "'X'"], *flow[:2], "--window", 60, "--buffer", 43, "--to-gr", 400, "--trace", "t")
        self.bad(2, ["none", "No such file"], *flow[:2], "--window", 60, "--buffer", 43, "--to-gr", 4,
                 "--trace", "none")
        self.write("empty", "")
        self.bad(2, "Pack", *flow[:2], "--window", 60, "--buffer", 43, "--to-gr", 4, "--trace", "empty")


if __name__ == "__main__":
    e2e.main()
