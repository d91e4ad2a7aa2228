# SPDX-License-Identifier: GPL-2.0-or-later
"""Every command's JSON is what doc/schemas says, and every schema says no more than its command's JSON has.

e2e.Case.json() holds all other end-to-end tests' JSON against the schemas, too."""
import copy
import json
import re
import sys
import unittest

import e2e
import schemas

CAPTURES = e2e.ROOT / "test/data/captures" if e2e.ROOT else None
SMALL = ("duration=300ms", "warmup=100ms")
# Schemas some of whose keys take long to make: the tests that make them all.
ELSEWHERE = {
    "urn:contraflow:measure:1": "test_measure.py", "urn:contraflow:measure-mpi:1": "test_measure_mpi.py",
    "urn:contraflow:measure-study:1": "test_measure_study.py", "urn:contraflow:measure-experiment:1": "test_measure_experiment.py",
    "urn:contraflow:common:1#/$defs/measured": "test_measure.py",
    "urn:contraflow:common:1#/$defs/round_trips": "test_measure.py",
    "urn:contraflow:common:1#/$defs/estimate": "test_measure.py", "urn:contraflow:fit:1": "test_fit*.py",
    "urn:contraflow:replay-interface:1": "test_replay_open.py", "urn:contraflow:infer:1": "test_infer.py",
    "urn:contraflow:replay:1": "test_replay.py", "urn:contraflow:cross-check:1": "test_engines.py",
    "urn:contraflow:explain-both-ends:1": "test_explain_ends.py",
    "urn:contraflow:run:1#/properties/runs/items/properties/lateness": "test_linux_wall.py",
    "urn:contraflow:check:1#/properties/programs": "test_tam.py", "urn:contraflow:check:1#/$defs": "test_tam.py",
    "urn:contraflow:common:1#/$defs/resource/properties/measured": "test_measure.py",
}
SWEEP = """scenario: {star}
set: {{duration: 300ms, warmup: 100ms}}
axes:
  traffic.star.incoming: [1, 2]
  tcp.window: [100kB, 10kB]
"""
RING = """scenario: {ring}
set: {{tcp.window: 20kB, traffic.collective.repeat: 1, traffic.collective.bytes: 200kB}}
axes:
  network.nic.queue: [fifo, ack-first]
  network.switch.queue: [fifo, ack-first]
"""


def elsewhere(where, key):
    return any(f"{where}/properties/{key}".startswith(name) for name in ELSEWHERE)


class Outputs(e2e.Case):
    """One directory for all, whose outputs are held together."""

    def setUp(self):
        super().setUp()
        e2e.require_module("jsonschema")
        self.outputs = []

    def say(self, *args, status=(0,)):
        done = self.call(*args, "--json")
        self.assertIn(done.returncode, status, done.stdout + done.stderr)
        self.assertNotIn("NaN", done.stdout)
        self.outputs.append(json.loads(done.stdout))
        self.assertEqual(schemas.errors(self.outputs[-1]), [], args)
        return self.outputs[-1]

    def scenario(self, name, *sets, output="out"):
        sets = [word for s in sets for word in ("--set", s)]
        return self.say("run", e2e.ROOT / f"scenarios/{name}.yaml", "-q", "-o", output, *sets)

    def all(self):
        """Every command but those of ELSEWHERE, several times each."""
        self.scenario("star", *SMALL, output="star")
        self.scenario("star", *SMALL, "network.nic.queue=ack-first", "network.switch.queue=ack-first", output="after")
        self.scenario("star", *SMALL, "network.link.faults.loss=0.001", "network.host.interrupt_delay=100us",
                      "network.host.rx_ring=200", "capture=[]")
        self.scenario("pause", *SMALL, "capture=[]")
        self.scenario("zhu-benchmark", "traffic.precision=50%", "capture=[]")
        self.scenario("allreduce-ring", "tcp.window=20kB", "capture=[]")
        self.say("run", "--list")
        self.say("sweep", "--list")
        self.write("s.yaml", SWEEP.format(star=e2e.ROOT / "scenarios/star.yaml"))
        self.say("sweep", "s.yaml", "-q")
        for name in ("1/2", "2/2"):
            self.say("sweep", "s.yaml", "-q", "--shard", name)
        self.say("sweep", "merge", "m.db", "s.shard-1-of-2.db", "s.shard-2-of-2.db", "-q")
        self.say("sweep", "export", "m.db")
        self.say("sweep", "export", "m.db", "--flows")
        files = ("fifo-2in-1out.pcap.gz", "ackprio-2in-1out.pcap.gz", "shallow-2in-1out.pcap.gz")
        for path in (*(CAPTURES / name for name in files), "star/h0.pcap"):
            self.say("analyze", path)
            self.say("check", path, status=(0, 1, 4))
            self.say("explain", path)
        self.say("check", "star", status=(1,))
        self.say("check", e2e.ROOT / "test/data/corpus/udp-in-1out.pcap.xz", status=(0, 1))  # flows beside TCP
        self.say("explain", "star")
        self.say("compare", "star", "after")
        self.say("compare", "star", CAPTURES / files[0])
        self.say("compare", "s.db", "s.db")
        self.say("fit", "s.db")
        self.write("r.yaml", RING.format(ring=e2e.ROOT / "scenarios/allreduce-ring.yaml"))
        self.say("sweep", "r.yaml", "-q")
        self.say("fit", "r.db")
        self.say("predict", e2e.ROOT / "scenarios/zhu-figure1.yaml")
        self.say("predict", e2e.ROOT / "scenarios/zhu-figure1.yaml", "--all")
        self.say("predict", e2e.ROOT / "scenarios/star.yaml", "--model", "window")
        self.say("predict", e2e.ROOT / "scenarios/zhu-figure4.yaml")
        self.say("predict", e2e.ROOT / "scenarios/zhu-figure4.yaml", "--all")
        self.say("predict", e2e.ROOT / "scenarios/allreduce-ring.yaml")
        self.predict_exchange()
        self.say("predict", "message", "--message", "10kB")
        self.say("predict", "broadcast", "--message", "10kB", "--processes", "8")
        self.predict_loss()
        timers = ("predict", "timers", "--rate", "100Mbps", "--rtt", "300us", "--buffer", "95p", "--hosts", "15")
        self.say(*timers)
        self.say(*timers, "--window", "24p", "--switches", "3")
        self.say("replay", "star/h0.pcap", "--port", "1Gbps", "-q")
        self.say("replay", "star/h0.pcap", "--port", "100Mbps", "--buffer", "50kB", "-q")

    def predict_exchange(self):
        exchange = ("predict", "exchange", "--processes", "16")
        self.say(*exchange, "--packets", "64", "--switches", "4", "--uplink", "824Mbps")
        self.write("t.csv", "processes,message_bytes,time_s\n" + "".join(
            f"8,{m},{7 * (1e-4 + 9e-9 * m) * 2}\n" for m in (1000, 10000, 100000, 1000000)))
        self.say("predict", "exchange", "--fit", "t.csv", "--alpha", "100us", "--beta", "9ns")
        self.write("m.csv", "from,to,bytes\n0,1,1000\n1,2,500\n2,0,10\n")
        self.say("predict", "exchange", "--sizes", "m.csv", "--alpha", "50us", "--rate", "941Mbps")

    def predict_loss(self):
        chain = ("--to-gr", "400", "--c", "0.0218", "--one-minus-a", "0.0547", "--f", "0.5329")
        self.say("predict", "loss", "--senders", "15", "--window", "60", "--buffer", "43")
        self.say("predict", "loss", "--senders", "7", "--window", "18", "--buffer", "95", *chain)
        self.write("h1.events", "P\n" * 50 + "N\nTO\nP\n" + "P\n" * 20)
        self.say("predict", "loss", "--trace", "h1.events")
        self.say("predict", "loss", "--trace", "h1.events", "--window", "24", "--buffer", "16", "--to-gr", "400",
                 status=(0, 2))

    def test_outputs_are_as_documented_and_no_key_is_idle(self):
        self.all()
        found, documented = set(), set()
        for output in self.outputs:
            schemas.seen(output, schemas.SCHEMAS[output["schema"]], output["schema"] + "#", found)
        for name, schema in schemas.SCHEMAS.items():
            schemas.documented(schema, name + "#", documented)
        self.assertEqual((found - documented, {at for at in documented - found if not elsewhere(*at)}), (set(), set()))
        self.assertGreater(len(found), 400)
        self.lacking()

    def lacking(self):
        """A schema without one of its keys refuses an output that has it: the smallest of each command."""
        smallest = {}
        for output in self.outputs:
            known = smallest.setdefault(output["schema"], output)
            smallest[output["schema"]] = min(output, known, key=lambda o: len(json.dumps(o)))
        self.assertGreater(len(smallest), 14)
        for name, output in smallest.items():
            found = set()
            schemas.seen(output, schemas.SCHEMAS[name], name + "#", found)
            self.assertGreater(len(found), 2)
            for at, key in sorted(found)[::1 + len(found) // 20]:  # twenty of each
                short = copy.deepcopy(schemas.SCHEMAS)
                file, pointer = at.split("#")
                place = short[file]
                for part in pointer.strip("/").split("/") if pointer else []:
                    place = place[int(part)] if isinstance(place, list) else place[part]
                del place["properties"][key]
                place["required"] = [k for k in place["required"] if k != key]
                self.assertTrue(schemas.errors(output, short), f"{at} without {key}")

    def test_what_does_not_fit_is_found(self):
        good = self.scenario("star", *SMALL)
        for spoil in (lambda d: d["runs"][0].pop("seed"), lambda d: d["runs"][0].update(extra=1),
                      lambda d: d["runs"][0]["flows"][0].update(goodput_bps="464 Mb/s"),
                      lambda d: d["runs"][0]["flows"][0]["round_trip"].pop("rtt_s"),
                      lambda d: d.update(schema="urn:contraflow:check:1"),
                      lambda d: d.update(schema="urn:contraflow:run:2")):
            bad = copy.deepcopy(good)
            spoil(bad)
            self.assertTrue(schemas.errors(bad))

    def test_numbers_that_cannot_be_are_found(self):
        """At each bound, and beyond it."""
        for fits, does_not in (({"late_share": 1, "weight": 0}, {"late_share": 1.001}), ({"lost_share": -0.1}, {"weight": -0.1}),
                               ({"data_wait_s": 0}, {"data_wait_s": -1e-6}), ({"took_s": 86400e3}, {"took_s": 864e6}),
                               ({"rate_bps": 1e16}, {"rate_bps": 1.1e16}), ({"sent_bytes": 0}, {"sent_bytes": -1}),
                               ({"p50_s": 2, "p99_s": 2}, {"p50_s": 2, "p99_s": 1.9}), ({"low": 1, "value": 1}, {"value": 2, "high": 1}),
                               ({"gamma_low": 1, "gamma": 1, "gamma_high": 1}, {"gamma_low": 1, "gamma": 0.9}),
                               ({"delta_s": 3, "delta_high_s": 3}, {"delta_low_s": 2, "delta_s": 1}),
                               ({"mean_s": 1, "max_s": None}, {"mean_s": 2, "max_s": 1}), ({"start_s": 1, "end_s": 1}, {"start_s": 1, "end_s": 0})):
            self.assertEqual(list(schemas.senseless({"a": [fits]})), [])
            found, = schemas.senseless({"a": [does_not]})
            self.assertTrue(found.startswith("/a/0"), found)


class Run(e2e.Case):
    """JSON of a run, against its files."""

    def test_a_run_prints_its_summary(self):
        said = self.json("run", e2e.ROOT / "scenarios/star.yaml", "-o", "out", "--set", SMALL[0], "--set", SMALL[1])
        [run] = said["runs"]
        kept = json.loads((self.dir / "out/summary.json").read_text())
        self.assertEqual((run.pop("run"), run.pop("directory")), ("out", "out"))
        latency = run.pop("latency")  # of progress.csv
        self.assertLess(latency["idle"]["median_s"], latency["loaded"]["median_s"])
        self.assertEqual(run.keys(), kept.keys())
        for mine, its in zip(run["flows"], kept["flows"], strict=True):
            self.assertAlmostEqual(mine["steady_goodput_bps"] / its["steady_goodput_bps"], 1, delta=1e-10)
            self.assertEqual(mine["round_trip"].keys(), its["round_trip"].keys())

    def test_points_are_runs(self):
        said = self.json("run", e2e.ROOT / "scenarios/zhu-figure4.yaml", "-q", "-o", "out", "--set", "duration=30ms", "--set",
                         "warmup=10ms", "--set", "capture=[]")
        self.assertGreater(len(said["runs"]), 2)
        for run in said["runs"]:
            self.assertEqual(run["directory"], "out/" + run["run"])
            self.assertTrue(run["complete"])

    def test_export_has_the_numbers_of_the_csv(self):
        self.write("s.yaml", SWEEP.format(star=e2e.ROOT / "scenarios/star.yaml"))
        counts = self.json("sweep", "s.yaml", "-q")
        self.assertEqual((counts["points"], counts["done"], counts["missing"]), (4, 4, 0))
        rows = self.json("sweep", "export", "s.db", "--flows")["rows"]
        lines = self.good("sweep", "export", "s.db", "--flows").stdout.splitlines()
        names = lines[0].split(",")
        self.assertEqual(len(rows), len(lines) - 1)
        for row, line in zip(rows, lines[1:], strict=True):
            csv = dict(zip(names, line.split(","), strict=True))
            self.assertEqual(row["axes"]["tcp.window"], csv["tcp.window"])
            self.assertEqual(row["steady_goodput_bps"], float(csv["steady_goodput_bps"]) if csv["steady_goodput_bps"]
                             else None)


class Files(unittest.TestCase):
    """The schemas themselves."""

    def test_they_are_schemas_and_bear_their_file_s_name(self):
        e2e.require_module("jsonschema")
        from jsonschema import Draft202012Validator
        for path in sorted(schemas.FOLDER.glob("*.json")):
            schema = json.loads(path.read_text(encoding="utf-8"))
            Draft202012Validator.check_schema(schema)
            self.assertRegex(schema["$id"], rf"^urn:contraflow:{path.stem}:[1-9]\d*$")

    def test_no_object_is_open(self):
        def walk(schema, where):
            if isinstance(schema, dict):
                if "properties" in schema and "type" in schema:
                    self.assertIs(schema.get("additionalProperties"), False, where)
                for key, inner in schema.items():
                    walk(inner, f"{where}/{key}")
            elif isinstance(schema, list):
                for i, inner in enumerate(schema):
                    walk(inner, f"{where}/{i}")
        for name, schema in schemas.SCHEMAS.items():
            walk(schema, name)

    def test_every_command_with_json_has_one_and_names_it(self):
        named = set()
        for path in (e2e.ROOT / "cli").rglob("*.c"):
            text = path.read_text()
            named |= set(re.findall(r'(?:cli_json\(|CLI_JSON_NAME |#define SCHEMA )"([a-z-]+:\d+)', text))
        self.assertEqual({"urn:contraflow:" + name for name in named}, set(schemas.SCHEMAS) - {schemas.COMMON})
        pages = {path.stem for path in (e2e.ROOT / "doc/commands").glob("*.md") if "\n- `--json`" in path.read_text()}
        self.assertGreater(len(pages), 15)
        self.assertEqual({page for page in pages if f"urn:contraflow:{page}:1" not in schemas.SCHEMAS}, set())

    def test_flows_and_ports_are_described_once(self):
        """In the lists of results/*.h, from where run.json has them: with a column more it is another. So are models and causes."""
        sys.path.insert(0, str(e2e.ROOT / "doc"))
        import columns
        for path, made in columns.MADE.items():
            self.assertEqual(made(e2e.ROOT), (e2e.ROOT / path).read_text(), "make it anew: python3 doc/columns.py")
        self.assertEqual(len(columns.items("\n## A\n\n- `x`\n\n- `y`\n", "A", [("a", "b"), ("c", "d")]).splitlines()), 7)
        of_flows = columns.rows((e2e.ROOT / "results/flow.h").read_text(), "RESULTS_FLOW_COLUMNS")
        self.assertEqual(len(of_flows), 29)
        schema = copy.deepcopy(schemas.SCHEMAS["urn:contraflow:run:1"]["$defs"]["flow"])
        columns.fill(schema, [*of_flows, ("COUNT", "JSON", "shouts", "NULL", "NULL", "how often it shouts")])
        self.assertIn("shouts", schema["required"])
        self.assertEqual(schema["properties"]["shouts"]["description"], "how often it shouts")
