#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Memory that each command takes for a flow of one packet: captures that scan a network, or are made to fill memory.

usage: bench_memory.py CONTRAFLOW SOURCE_ROOT [FLOWS...]

A line a command and number of flows (100,000 and 1,000,000): most memory resident, bytes of it a flow beyond those of the
program at rest, and processor time. Exit status 1 when one takes more than its limit(). `meson test --benchmark` runs it;
test_memory.py checks fewer flows.
"""
import fcntl
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import termios
import time

# Bytes a flow: 128 of its first segment and 25 of the table, and as much again for what lists or plays each; from its second
# segment on, and where two captures have it, 816 of a connection, 88 of a direction that is explained and some 10 for each of
# its packets.
LIMIT, LIMIT_WHOLE = 400, 1000
# Of a hundred packets, that begins when others do: 10 kB of what it did over time, which analyze takes, too; one of its packets
# (analysis/flows/explained.h), and what its host's judge has of its waits and of itself, 6 kB: 18 kB were seen, and a twentieth.
LIMIT_BURSTS = 19000
SLABS = 2 * 2**21  # bytes, of however many flows: memory that the next ones will have, and that a thread has at hand for then
HEADER = struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 96, 1)
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
        f.write(HEADER)
        for n in range(flows * packets):
            i, k = divmod(n, packets)
            ends, ports = (0x0a000001 + i // 50000, 0x0a0a0a0a), (1024 + i % 50000, 80)
            seq, payload, way = 1 + 500 * ((k + 1) // 2), 500 if k % 2 == 0 else 0, 1 if k % 2 == 0 else -1
            tcp = (*ports[::way], *((seq, 1) if way == 1 else (1, seq)), 0x50, 16, 500, 1, 0)
            f.write(struct.pack("<IIII", 1700000000 + n // 10**6, n % 10**6 * 1000, 54, 54 + payload) + bytes(12)
                    + b"\x08\x00" + struct.pack(">BBHHHBBHII", 0x45, 0, 40 + payload, 1, 0x4000, 64, 6, 0, *ends[::way])
                    + struct.pack(">HHIIBBHHH", *tcp))


def write_bursts(path, flows, packets):
    """Flows of so many packets to one host, each time two segments and their ACK of one of them, whichever, 10 us from one
    packet to the next; with stamps of a millisecond."""
    turns = [flow for flow in range(flows) for _ in range(packets // 3)]
    random.Random(7).shuffle(turns)
    sent = [0] * flows
    with open(path, "wb") as f:
        f.write(HEADER)
        for n in range(3 * len(turns)):
            flow, ack, us = turns[n // 3], n % 3 == 2, 10 * n
            ends, ports = (0x0a000001 + flow // 50000, 0x0a0a0a0a), (1024 + flow % 50000, 80)
            way, payload, seq = -1 if ack else 1, 0 if ack else 1448, 1 + 1448 * sent[flow]
            sent[flow] += not ack
            tcp = (*ports[::way], *((1, seq) if ack else (seq, 1)), 0x80, 16, 60000, 0, 0)
            f.write(struct.pack("<IIII", 1700000000 + us // 10**6, us % 10**6 * 1000, 66, 66 + payload) + bytes(12)
                    + b"\x08\x00" + struct.pack(">BBHHHBBHII", 0x45, 0, 52 + payload, sent[flow] % 65536, 0, 64, 6, 0, *ends[::way])
                    + struct.pack(">HHIIBBHHH", *tcp) + struct.pack(">HBBII", 0x0101, 8, 10, us // 1000, max(us // 1000 - 5, 0)))


def limit(command, packets=1):
    return LIMIT if packets == 1 and "--both-ends" not in command else LIMIT_WHOLE


def resident_at_rest(contraflow):
    """Bytes that the program takes before a packet comes: one that has read a capture's header and waits for the rest; and
    SLABS."""
    with subprocess.Popen([str(contraflow), "analyze", "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, bufsize=0) as child:
        child.stdin.write(HEADER)
        while any(fcntl.ioctl(child.stdin, termios.FIONREAD, bytes(4))):  # it has not been read yet
            time.sleep(0.001)
        status = pathlib.Path(f"/proc/{child.pid}/status").read_text()
        kilobytes, = (int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
        child.stdin.close()
    return kilobytes * 1024 + SLABS


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
    worst = 0  # share of its limit
    with tempfile.TemporaryDirectory(prefix="contraflow-bench-") as name:
        work = pathlib.Path(name)
        base = resident_at_rest(contraflow)
        print(f"{'command':22} {'flows':>9} {'MB':>8} {'B a flow':>9} {'s':>7}")
        for flows in numbers:
            write_capture(work / "many.pcap", flows)
            for command in COMMANDS:
                resident, seconds, _ = measure(contraflow, command, work / "many.pcap", work / "out")
                worst = max(worst, (resident - base) / flows / limit(command))
                print(f"{command:22} {flows:9} {resident / 1e6:8.1f} {(resident - base) / flows:9.0f} {seconds:7.2f}",
                      flush=True)
    print(f"at most {100 * worst:.0f} % of {LIMIT} bytes a flow, {LIMIT_WHOLE} where two captures are read")
    return 0 if worst <= 1 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], [int(n) for n in sys.argv[3:]] or [100000, 1000000]))
