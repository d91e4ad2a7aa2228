# SPDX-License-Identifier: GPL-2.0-or-later
"""Small captures that claim much: bytes by sequence numbers, time by stamps, rates by frames back to back, windows."""
import json
import random
import struct

KINDS = (  # "flows": nothing but flows of twenty packets
    "jumps", "late", "fast", "turns", "windows", "many", "friendly")


def frame(src, dst, sport, dport, seq, ack, flags, window, payload, options=b"", shown=0):
    """An Ethernet frame of IPv4 and TCP whose IP header claims `payload` bytes, of which `shown` are there."""
    tcp = struct.pack(">HHIIBBHHH", sport, dport, seq & 0xffffffff, ack & 0xffffffff, (20 + len(options)) // 4 << 4, flags,
                      window, 0, 0) + options
    total = 20 + len(tcp) + payload
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, total & 0xffff, 0, 0, 64, 6, 0, bytes(src), bytes(dst))
    return b"\x02" * 6 + b"\x04" * 6 + b"\x08\x00" + ip + tcp + bytes(min(shown, payload)), 14 + total


def bulk(flows):
    """A pcap of so many flows of forty segments each, half of them to one host and half from it, at once."""
    out, at, host = [struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 1)], 10**18, (10, 0, 0, 1)
    for k in range(40):
        for i in range(flows):
            ends, port = [((10, 0, 0, 2), host), (host, (10, 0, 0, 3))][i % 2], (1000 + i, 80)
            both = [frame(*ends, *port, 1 + 1448 * k, 1, 16, 65535, 1448)]
            if k % 2:
                both.append(frame(*ends[::-1], *port[::-1], 1, 1 + 1448 * (k + 1), 16, 65535, 0))
            for data, length in both:
                at += 2000
                out.append(struct.pack("<IIII", at // 10**9, at % 10**9, len(data), length) + data)
    return b"".join(out)


def begun(flows):
    """As bulk(), but each is seen from its handshake on, with stamps in microseconds (RFC 7323), over 20 ms: what is known
    of a flow's beginning is asked of each, and of each with those that began before it."""
    frames, host, trip_ns = [], (10, 0, 0, 1), 20000000

    def put(at, heard, ends, port, *numbers, payload=0):
        stamps = b"\x01\x01\x08\x0a" + struct.pack(">II", at // 1000, heard // 1000)
        frames.append((at, *frame(*ends, *port, *numbers, 65535, payload, stamps)))
    for i in range(flows):
        ends, port, at = [((10, 0, 0, 2), host), (host, (10, 0, 0, 3))][i % 2], (1000 + i, 80), 20000 * i
        put(at, 0, ends, port, 0, 0, 2)
        put(at + trip_ns, at, ends[::-1], port[::-1], 0, 1, 18)
        put(at + trip_ns + 1000, at + trip_ns, ends, port, 1, 1, 16)
        for k in range(40):
            at += trip_ns
            put(at + 2000, at, ends, port, 1 + 1448 * k, 1, 16, payload=1448)
            put(at + trip_ns - 1000, at + 2000, ends[::-1], port[::-1], 1, 1 + 1448 * (k + 1), 16)
    out = [struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 1)]
    for at, data, length in sorted(frames):
        out.append(struct.pack("<IIII", 10**9 + at // 10**9, at % 10**9, len(data), length) + data)
    return b"".join(out)


def blocks(kind, n):
    """A pcapng of n frames, all the same: of one interface, of one each, or of a section each."""
    def block(number, body):
        body += bytes(-len(body) % 4)
        return struct.pack("<II", number, 12 + len(body)) + body + struct.pack("<I", 12 + len(body))
    section = block(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1))
    interface = block(1, struct.pack("<HHI", 1, 0, 65535) + struct.pack("<HHB3x", 9, 1, 9))  # stamps in ns
    data, length = frame((10, 0, 0, 2), (10, 0, 0, 1), 1000, 80, 1, 1, 16, 65535, 1448)
    packet = block(6, struct.pack("<IIIII", 0, 10**18 >> 32, 10**18 & 0xffffffff, len(data), length) + data)
    return {"interface": section + interface + packet * n, "interfaces": section + (interface + packet) * n,
            "sections": (section + interface + packet) * n}[kind]


def iperf3(streams, intervals):
    """What `iperf3 --json --bidir` prints of so many streams, half of them each way."""
    def stream(k, **more):
        return {"socket": 5 + k, "start": 0, "seconds": 1, "bits_per_second": 4e6 + k, "sender": k % 2 == 0, **more}
    return json.dumps({
        "start": {"connected": [{"socket": 5 + k, "local_host": "10.0.0.1", "local_port": 1024 + k,
                                 "remote_host": "10.0.0.2", "remote_port": 5201} for k in range(streams)],
                  "timestamp": {"timesecs": 1700000000}, "tcp_mss_default": 1448, "test_start": {"duration": intervals}},
        "intervals": [{"streams": [stream(k, start=i) for k in range(streams)]} for i in range(intervals)],
        "end": {"streams": [{"sender": stream(k, bytes=500000 * intervals, retransmits=2, mean_rtt=300, min_rtt=200),
                             "receiver": stream(k)} for k in range(streams)]}})


def capture(kind, size, seed=1):
    """Bytes of a pcap with nanoseconds, about `size` of them."""
    chance = random.Random(f"{kind}{seed}")
    out, at = [struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 1)], 10**18
    written = 24

    def put(bytes_and_length, after_ns):
        nonlocal at, written
        data, length = bytes_and_length
        at += int(after_ns)
        out.append(struct.pack("<IIII", at // 10**9, at % 10**9, len(data), length) + data)
        written += len(out[-1])

    host, others = (10, 0, 0, 1), [(10, 0, 0, 2 + i) for i in range(2)]
    scale = b"\x02\x04\x05\xb4\x01\x03\x03\x0e"  # MSS 1460, windows times 2^14
    flows = 300 if kind == "many" else 5000 if kind == "flows" else 2
    state = []
    for i in range(flows):
        a, b, port = others[i % 2], host, 1000 + i
        if i % 2:
            a, b = b, a
        put(frame(a, b, port, 80, 1, 0, 2, 65535, 0, scale), 1000)
        put(frame(b, a, 80, port, 1, 2, 18, 65535, 0, scale), 1e5)
        put(frame(a, b, port, 80, 2, 2, 16, 65535, 0), 1e5)
        state.append([a, b, port, 2, 2])
    k = 0
    for a, b, port, seq, acked in state if kind == "flows" else []:
        for i in range(20):
            put(frame(a, b, port, 80, seq + 1448 * i, 2, 24, 65535, 1448), 1000)
    while written < size:
        k += 1
        a, b, port, seq, acked = s = state[chance.randrange(flows)]
        claims = 1448 if kind in ("friendly", "late") else chance.choice((1448, 1448, 65495))
        gap = {"fast": 1, "late": 9e11 * 100 / size, "turns": 2e6, "friendly": 12000}.get(kind, 1000)
        if kind == "late":
            gap = min(gap, 5e9)
        put(frame(a, b, port, 80, seq, 2, 24, 65535, claims), gap)
        jump = chance.choice((0, 0, 0, 2**24, 2**28)) if kind in ("jumps", "many") else 0
        s[3] = seq + claims + jump
        if k % 2 or kind == "turns":
            put(frame(b, a, 80, port, 2, s[3], 16, 65535 if kind != "windows" else chance.choice((0, 1, 65535)), 0),
                {"fast": 1, "turns": 1e6}.get(kind, 1000))
    return b"".join(out)
