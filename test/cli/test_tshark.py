# SPDX-License-Identifier: GPL-2.0-or-later
"""tshark as an outside judge of every file we write, and of our byte counts."""
import collections
import csv
import json
import subprocess

import e2e

STRICT = ("-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE")
FAULTS = ("_ws.malformed || ip.checksum.status == 0 || tcp.checksum.status == 0 || "
          "_ws.expert.group == \"Malformed\" || _ws.expert.group == \"Checksum\"")


def tshark(*args):
    return subprocess.run(["tshark", "-n", *map(str, args)], capture_output=True, text=True, check=True).stdout


@e2e.needs_engine
class Written(e2e.Case):
    def setUp(self):
        super().setUp()
        e2e.require("tshark")
        self.run_scenario(e2e.ROOT / "scenarios/star.yaml", "duration=300ms", "warmup=100ms",
                          "network.link.rate=100Mbps", "tcp.window=200kB", "network.switch.limit=60kB",
                          "capture=[{at: h0, snaplen: 1600}, {at: h1, format: pcapng, snaplen: 96}, "
                          "{at: sw0-h0, snaplen: 1600, format: pcapng}]")
        self.files = [self.dir / "out" / name for name in ("h0.pcap", "h1.pcapng", "sw0-h0.pcapng")]

    def test_no_malformed_packet_and_no_bad_checksum(self):
        for path in self.files:
            self.assertEqual(tshark("-r", path, *STRICT, "-Y", FAULTS), "", path.name)
        # and checksums were really looked at: whole frames have a verified TCP checksum
        good = tshark("-r", self.files[0], *STRICT, "-Y", "tcp.checksum.status == 1").count("\n")
        self.assertGreater(good, 1000)

    def test_ethernet_nanoseconds_and_interface_names(self):
        info = subprocess.run(["capinfos", "-M", str(self.files[0])], capture_output=True, text=True,
                              check=True).stdout
        self.assertIn("Ethernet", info)
        self.assertIn("nanosecond", info)
        info = subprocess.run(["capinfos", str(self.files[1])], capture_output=True, text=True, check=True).stdout
        self.assertIn("Name = h1", info)
        self.assertIn("nanosecond", info)

    def test_bytes_per_flow_equal_ours(self):
        for path in self.files:
            seen = collections.Counter()
            rows = tshark("-r", path, "-Y", "tcp.len > 0", "-T", "fields", "-E", "separator=,", "-e", "ip.src",
                          "-e", "tcp.srcport", "-e", "ip.dst", "-e", "tcp.dstport", "-e", "tcp.len")
            for src, sport, dst, dport, size in csv.reader(rows.splitlines()):
                seen[f"{src}:{sport}", f"{dst}:{dport}"] += int(size)
            ours = {(f["src"], f["dst"]): f["seen_payload_bytes"] for f in self.json("analyze", path)["flows"]}
            self.assertEqual(ours, dict(seen), path.name)

    def test_payload_equals_what_the_applications_got(self):
        """At h0's NIC the unique payload of an outgoing flow is at least what its receiver got, by at most a window;
        that of an incoming one the same the other way round is exact up to out-of-order data."""
        delivered = {(f["src"], f["dst"]): f["delivered_bytes"]
                     for f in json.loads((self.dir / "out/summary.json").read_text())["flows"]}
        for flow in self.json("analyze", self.files[0])["flows"]:
            hosts = tuple("h%d" % (int(flow[k].split(":")[0].split(".")[3]) - 1) for k in ("src", "dst"))
            self.assertGreaterEqual(flow["payload_bytes"], delivered[hosts])
            self.assertLessEqual(flow["payload_bytes"], delivered[hosts] + 200000)


class Losses(e2e.Case):
    """Retransmissions as tshark counts them, which calls those within 3 ms out of order: at every host those that
    analyze counts, at the sender those that its TCP made."""

    def count(self, path):
        seen = collections.Counter()
        rows = tshark("-r", path, "-Y", "tcp.analysis.retransmission || tcp.analysis.out_of_order", "-T", "fields",
                      "-E", "separator=,", "-e", "ip.src", "-e", "tcp.srcport")
        for address, port in csv.reader(rows.splitlines()):
            seen[f"{address}:{port}"] += 1
        return seen

    def test_retransmissions_equal_ours(self):
        e2e.require("tshark")
        for congestion in "newreno", "cubic", "linuxreno":
            flows = self.run_scenario(
                e2e.ROOT / "scenarios/star.yaml", "duration=300ms", "warmup=100ms", "network.link.rate=100Mbps",
                "tcp.window=200kB", "network.switch.limit=60kB", f"tcp.congestion={congestion}",
                "capture=[{at: h0}, {at: h1}, {at: h2}, {at: h3}]", output=congestion)
            sent = {f["src"]: int(f["retransmitted_segments"]) for f in flows}
            self.assertGreater(sum(sent.values()), 100)
            for host in "h0", "h1", "h2", "h3":
                path = self.dir / congestion / f"{host}.pcap"
                seen, ours = self.count(path), self.json("analyze", path)["flows"]
                for flow in ours:
                    self.assertEqual(flow["retransmitted_segments"], seen[flow["src"]], (congestion, host, flow["src"]))
                if host != "h0":
                    self.assertEqual(sum(seen.values()), sent.get(host, 0), (congestion, host))
