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

    def test_traces_alone_give_the_estimates(self):
        self.write("a", "P P P N P P N TO TO P\n")
        self.write("b", "P P P P P P N P\n")
        done = self.predict("--trace", "a", "b")["estimates"]
        c = done["c"]
        self.assertAlmostEqual(c["mean"], (2 / 6 + 1 / 7) / 2)
        self.assertAlmostEqual(c["pooled"], 3 / 13)
        self.assertEqual((c["hits"], c["trials"], done["traces"], done["events"]), (3, 13, 2, 18))
        # Wilson: 2 of 10 is the textbook case of the unit tests; here only that it lies around its share
        self.assertTrue(0 < c["pooled_low"] < 3 / 13 < c["pooled_high"] < 1)
        text = self.good("predict", "loss", "--trace", "a", "b").stdout
        self.assertIn("0.2381", text)
        self.assertIn("3 of 13", text)
        self.assertNotIn("efficiency", text)
        self.write("calm", "P P P\n")  # no Nack: nothing to take 1-a and f from
        done = self.predict("--trace", "calm")["estimates"]
        self.assertEqual((done["c"]["mean"], done["f"]["mean"], done["f"]["pooled"]), (0, None, None))

    def test_an_answer_that_its_traces_contradict_says_so(self):
        self.write("a", "P P P N P P N TO TO P\n")
        flow = ("--window", 24, "--buffer", 95, "--to-gr", 400)
        done = self.predict(*flow, "--trace", "a")
        self.assertTrue(done["lossless"] and done["contradicted"])
        self.assertIn("yet c > 0", self.good("predict", "loss", *flow, "--trace", "a").stdout)

    def test_intermediates(self):
        done = self.predict("--senders", 7, "--window", 18, "--buffer", 95, *self.CHAIN)
        self.assertAlmostEqual(done["sender_efficiency"] * 7, done["efficiency"])
        self.assertFalse(done["contradicted"])
        flow = ("--senders", 15, "--window", 24, "--buffer", 95, "--to-gr", 400)
        done = self.predict(*flow, "--c", 0.02, "--one-minus-a", "-0", "--f", "-0")
        self.assertEqual((done["nacks_per_timeout"], done["timeouts_in_a_row"]), (None, None))
        done = self.predict(*flow, "--c", 0, "--one-minus-a", 0, "--f", 0)
        self.assertEqual((done["efficiency"], done["nack_cycle_gr"]), (1, None))

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
        self.bad(2, ["empty", "no event"], *flow[:2], "--window", 60, "--buffer", 43, "--to-gr", 4, "--trace", "empty")
        self.write("asleep", "TO TO")
        self.bad(2, "Pack", *flow[:2], "--trace", "asleep")
        self.bad(2, "is a directory", *flow[:2], "--trace", ".")
        self.bad(2, "--trace needs", *flow[:2], "--trace")
        self.bad(2, "whole", *flow[:2], "--senders", 2.5, "--window", 60, "--buffer", 43)
        self.bad(2, "--to-gr goes with", *flow, "--to-gr", 4)
