# SPDX-License-Identifier: GPL-2.0-or-later
"""No command takes more than 400 B for a flow of one packet, or a kB for one of three (bench_memory.py has more
flows); those that judge no more than 19 kB for one of a hundred."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "bench"))
import bench_memory
import e2e

FLOWS, BURSTS = 50000, 2000


class Memory(e2e.Case):
    def test_a_flow_takes_at_most_400_bytes_or_a_kilobyte(self):
        many, base = self.dir / "many.pcap", bench_memory.resident_at_rest(e2e.CONTRAFLOW)
        for packets, commands in ((1, bench_memory.COMMANDS), (3, ("check", "explain"))):
            bench_memory.write_capture(many, FLOWS, packets)
            for command in commands:
                resident, _, said = bench_memory.measure(e2e.CONTRAFLOW, command, many, self.dir / "out")
                self.assertLessEqual((resident - base) / FLOWS, bench_memory.limit(command, packets), (command, packets))
                self.assertNotIn("damaged", said)

    def test_a_flow_of_a_hundred_packets_takes_at_most_19_kilobytes(self):
        many, base = self.dir / "many.pcap", bench_memory.resident_at_rest(e2e.CONTRAFLOW)
        bench_memory.write_bursts(many, BURSTS, 100)
        for command in ("check", "explain"):
            resident, _, _ = bench_memory.measure(e2e.CONTRAFLOW, command, many, self.dir / "out")
            self.assertLessEqual((resident - base) / BURSTS, bench_memory.LIMIT_BURSTS, command)
