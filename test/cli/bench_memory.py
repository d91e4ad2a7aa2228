#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Memory that each command takes for a flow of one packet: captures that scan a network, or are made to fill memory.

usage: bench_memory.py CONTRAFLOW SOURCE_ROOT [FLOWS...]

A line a command and number of flows (100,000 and 1,000,000): most memory resident, bytes of it a flow beyond those of the
program at rest, and processor time. Exit status 1 when one takes more than LIMIT. `meson test --benchmark` runs it;
test_memory.py checks fewer flows.
"""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import time

LIMIT = 1000  # bytes a flow
COMMANDS = {
    "analyze": ["analyze", "FILE"],
    "analyze --all": ["analyze", "--all", "FILE"],
    "analyze --csv": ["analyze", "--csv", "FILE"],
    "analyze --json": ["analyze", "--json", "FILE"],
    "analyze --report": ["analyze", "--report", "DIR", "FILE"],
    "check": ["check", "FILE"],
    "check --json": ["check", "--json", "FILE"],
    "explain": ["explain", "FILE"],
    "explain --json": ["explain", "--json", "FILE"],
    "explain --both-ends": ["explain", "--both-ends", "FILE", "FILE"],
    "replay": ["replay", "FILE", "-q", "-o", "DIR"],
    "replay --port": ["replay", "FILE", "-q", "--port", "1Gbps"],
}


def write_capture(path, flows, packets=1):
    """A segment of 500 bytes from each of so many addresses and ports, a microsecond apart; then, where there are to be
    more packets of each, its ACK, another segment, and so on."""
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 96, 1))
        for n in range(flows * packets):
            i, k = divmod(n, packets)
            ends, ports = (0x0a000001 + i // 50000, 0x0a0a0a0a), (1024 + i % 50000, 80)
            seq, payload, way = 1 + 500 * ((k + 1) // 2), 500 if k % 2 == 0 else 0, 1 if k % 2 == 0 else -1
            tcp = (*ports[::way], *((seq, 1) if way == 1 else (1, seq)), 0x50, 16, 500, 1, 0)
            f.write(struct.pack("<IIII", 1700000000 + n // 10**6, n % 10**6 * 1000, 54, 54 + payload) + bytes(12)
                    + b"\x08\x00" + struct.pack(">BBHHHBBHII", 0x45, 0, 40 + payload, 1, 0x4000, 64, 6, 0, *ends[::way])
                    + struct.pack(">HHIIBBHHH", *tcp))


def resident_at_rest(contraflow):
    """Bytes that the program takes before a packet comes: one that waits for the rest of a capture."""
    with subprocess.Popen([str(contraflow), "analyze", "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as child:
        time.sleep(0.5)  # less than enough would make the test stricter, not looser
        kilobytes, = (int(line.split()[1]) for line in open(f"/proc/{child.pid}/status") if line.startswith("VmHWM"))
        child.stdin.close()
    return kilobytes * 1024


def measure(contraflow, command, file, directory):
    """(bytes resident at most, or what this interpreter takes if that is more: wait4() counts it until the child has
    become another program; seconds of processor time; what it said on standard error)."""
    arguments = [{"FILE": str(file), "DIR": str(directory)}.get(a, a) for a in COMMANDS[command]]
    environment = {k: v for k, v in os.environ.items() if k != "MALLOC_PERTURB_"}  # meson's: it writes to all memory
    child = subprocess.Popen([str(contraflow), *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                             env=environment)
    with child.stderr:
        said = child.stderr.read().decode()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode in (0, 1, 2, 4), (command, child.returncode, said)  # nothing is shared, or to be replayed
    return usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime, said


def main(contraflow, numbers):
    worst = 0
    with tempfile.TemporaryDirectory(prefix="contraflow-bench-") as name:
        work = pathlib.Path(name)
        base = resident_at_rest(contraflow)
        print(f"{'command':22} {'flows':>9} {'MB':>8} {'B a flow':>9} {'s':>7}")
        for flows in numbers:
            write_capture(work / "many.pcap", flows)
            for command in COMMANDS:
                resident, seconds, _ = measure(contraflow, command, work / "many.pcap", work / "out")
                worst = max(worst, (resident - base) / flows)
                print(f"{command:22} {flows:9} {resident / 1e6:8.1f} {(resident - base) / flows:9.0f} {seconds:7.2f}",
                      flush=True)
    print(f"at most {worst:.0f} bytes a flow (asked {LIMIT})")
    return 0 if worst <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], [int(n) for n in sys.argv[3:]] or [100000, 1000000]))
