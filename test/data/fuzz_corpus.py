#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes the seeds of test/fuzz into test/data/fuzz: small captures, programs for test/analysis/fuzz_flows.c, captures
behind options for other harnesses; in folders named as their harness texts, words that such have, small databases of
sweeps, and SQL for test/sweep/fuzz_database.c. Inputs that once broke something lie there too, by the name
regression-*; this script leaves them alone."""
import gzip
import json
import pathlib
import re
import sqlite3
import struct

HERE = pathlib.Path(__file__).parent
OUT = HERE / "fuzz"
MACS = bytes([2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1])
FIN, SYN, RST, ACK = 1, 2, 4, 16
A, B = (1, 1000), (2, 2000)


def tcp(src, dst, seq, ack, flags=ACK, options=b"", window=500):
    options += b"\1" * (-len(options) % 4)
    return struct.pack(">HHIIBBHHH", src[1], dst[1], seq & 0xffffffff, ack & 0xffffffff, (20 + len(options)) << 2,
                       flags, window, 0xbeef, 0) + options


def stamp(value, echo):
    return b"\1\1" + struct.pack(">BBII", 8, 10, value, echo)


def sack(*blocks):
    return b"\1\1" + struct.pack(">BB", 5, 2 + 8 * len(blocks)) + b"".join(
        struct.pack(">II", a & 0xffffffff, b & 0xffffffff) for a, b in blocks)


ip_id = 0


def ipv4(src, dst, segment, payload):
    global ip_id
    ip_id += 1
    return struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(segment) + payload, ip_id, 0x4000, 64, 6, 0) + bytes(
        [10, 0, 0, src[0], 10, 0, 0, dst[0]]) + segment


def ipv6(src, dst, segment, payload):
    net = bytes([0x20, 1, 0xd, 0xb8]) + bytes(11)
    return struct.pack(">IHBB", 6 << 28, len(segment) + payload, 6, 64) + net + bytes([src[0]]) + net + bytes(
        [dst[0]]) + segment


def frame(src, dst, segment, payload=0, link=MACS, ip=ipv4):
    """(bytes captured: headers only, bytes on the wire)"""
    data = link + (b"\x08\x00" if ip is ipv4 else b"\x86\xdd") + ip(src, dst, segment, payload)
    return data, len(data) + payload


def pcap(frames, times, order="<", magic=0xa1b23c4d, link_type=1):
    out = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 96, link_type)
    for (data, wire), t in zip(frames, times):
        out += struct.pack(order + "IIII", t // 10**9, t % 10**9, len(data), wire) + data
    return out


def every(step, start=1700000000 * 10**9):
    while True:
        yield start
        start += step


def conversation(packets, isn=1000, lost=(), **how):
    """A handshake, data from A to B, an ACK for every other segment; lost ones are sent again at the end."""
    mss = b"\2\4\5\xb4\4\2" + b"\1\3\3\7"
    out = [frame(A, B, tcp(A, B, isn, 0, SYN, mss), **how), frame(B, A, tcp(B, A, 77, isn + 1, SYN | ACK, mss), **how),
           frame(A, B, tcp(A, B, isn + 1, 78, options=stamp(1, 1)), **how)]
    seq = acked = isn + 1
    for i in range(packets):
        if i not in lost:
            out.append(frame(A, B, tcp(A, B, seq, 78, options=stamp(10 + i, 10 + i - 4)), 1448, **how))
            if not lost:
                acked = seq + 1448
        seq += 1448
        if i % 2:
            blocks = sack((seq - 1448, seq)) if lost else b""
            out.append(frame(B, A, tcp(B, A, 78, acked, options=stamp(10 + i, 10 + i) + blocks), **how))
    for i in lost:
        out.append(frame(A, B, tcp(A, B, isn + 1 + 1448 * i, 78, options=stamp(99 + i, 90)), 1448, **how))
    out.append(frame(B, A, tcp(B, A, 78, seq, options=stamp(110, 110)), **how))
    out.append(frame(A, B, tcp(A, B, seq, 78, FIN | ACK), **how))
    out.append(frame(B, A, tcp(B, A, 78, seq + 1, RST), **how))
    return out


def block(kind, body):
    body += bytes(-len(body) % 4)
    return struct.pack("<II", kind, 12 + len(body)) + body + struct.pack("<I", 12 + len(body))


def interface(resolution, offset=0):
    options = struct.pack("<HHB3x", 9, 1, resolution) + (struct.pack("<HHq", 14, 8, offset) if offset else b"")
    return block(1, struct.pack("<HHI", 1, 0, 96) + options + bytes(4))


def packet(number, time, data, wire):
    return block(6, struct.pack("<IIIII", number, time >> 32 & 0xffffffff, time & 0xffffffff, len(data), wire) + data)


SECTION = block(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1))


def pcapng(frames):
    out = SECTION + interface(6) + interface(9)
    for i, (data, wire) in enumerate(frames):
        out += packet(i % 2, (1700000000 * 10**6 + i * 100) * (1000 if i % 2 else 1), data, wire)
    return out


def real():
    """Forty packets of a real transfer with losses, from its middle on."""
    whole = gzip.open(HERE / "captures" / "shallow-2in-1out.pcap.gz").read()
    out, at = whole[:24], 24
    for i in range(5040):
        n = 16 + struct.unpack_from("<I", whole, at + 8)[0]
        if i >= 5000:
            out += whole[at:at + n]
        at += n
    return out


def step_back():
    """A clock that is set back now and then."""
    return [1700000000 * 10**9 + i * 10**6 - (i // 20) * 15 * 10**6 for i in range(200)]


def program(*ops, head=bytes(9)):
    return head + b"".join(bytes(op) for op in ops)


def op(kind, connection=0, side=0, high=0):
    return high << 7 | kind << 3 | side << 2 | connection


FAST, NEAR, ACKS, DUP, CLOCK, OPTIONS, WILD, LEAP = 0, 3, 5, 10, 11, 13, 14, 15
exchange = [[op(FAST), 1, 180], [op(FAST), 1, 180], [op(ACKS, side=1), 0]]
mss = 100

seeds = {
    "handshake.pcap": pcap(conversation(34), every(100000)),
    "sack.pcap": pcap(conversation(34, lost=(5, 6, 9, 20)), every(100000)),
    "wraparound.pcap": pcap(conversation(34, isn=2**32 - 20000), every(100000)),
    "far-times.pcapng": SECTION + interface(0, 2**62 // 10**9) + interface(0, -2**62 // 10**9) + b"".join(
        packet((i + 1) % 2, 2**62 // 10**9, *f) for i, f in enumerate(conversation(34))),
    "truncated.pcap": pcap(conversation(4), every(100000))[:-30],
    "vlan.pcap": pcap(conversation(6, link=MACS + b"\x81\0\0\5") +
                      conversation(6, link=MACS + b"\x88\xa8\0\7\x81\0\0\5") + conversation(6, ip=ipv6), every(100000)),
    "step-back.pcap": pcap(conversation(40), step_back()),
    "big-endian.pcap": pcap(conversation(6), every(100000), order=">", magic=0xa1b2c3d4),
    "cooked.pcap": pcap([(b"\0\0\0\1\0\6\2\0\0\0\0\1\0\0" + data[12:], wire + 2) for data, wire in conversation(6)],
                        every(100000), link_type=113),
    "two-interfaces.pcapng": pcapng(conversation(34)),
    "gzip.pcap.gz": gzip.compress(pcap(conversation(10), every(100000)), mtime=0),
    "real-losses.pcap": real(),
    "plain.program": program(*exchange * 15, [op(NEAR), 251, 90], [op(NEAR, high=1), 5, 200], [op(DUP)], *exchange,
                             [op(FAST, 1, 1), 3, 9], [op(FAST, 2), 3, 9], [op(FAST, 3), 3, 9],
                             [op(ACKS, 3, 1, 1), 0, 2, 1, 2]),
    "connections.program": program([op(7), 0x87, mss], [op(8, side=1), 0x87, mss], *exchange, [op(9)], [op(9, side=1)],
                                   [op(7), 0x40, mss, 9], *exchange, [op(9, high=1)], head=bytes([0] + [4] * 8)),
    "probes.program": program(*exchange, [op(OPTIONS, side=1), 0, 0], [op(ACKS, side=1), 0], [op(NEAR, high=1), 0, 0],
                              [op(CLOCK), 2, 20], [op(NEAR, high=1), 255, 0], *exchange),
    "holes.program": program(*exchange, [op(LEAP, high=1), 3], *exchange),
    "leaps.program": program(*exchange, *[[op(WILD), 0x60 + i] + [7] * 20 for i in range(4)], [op(CLOCK), 3, 240],
                             *exchange, [op(LEAP), 0x10] + [0] * 7, *exchange * 12),
}

# Of fuzz_rewrite.c, fuzz_ends.c and fuzz_port.c: what comes before the capture.
def arp():
    data = MACS + b"\x08\6" + bytes.fromhex("0001080006040001020000000001") + bytes([10, 0, 0, 1]) + bytes(6) + bytes(
        [10, 0, 0, 2])
    return data, 60


def datagram(protocol, header, ip=ipv4, extension=b""):
    """Of another protocol: UDP, ICMPv6."""
    data, _ = frame(A, B, extension + header, 100, ip=ip)
    at = 23 if ip is ipv4 else 20 if not extension else 54
    data = data[:at] + bytes([protocol]) + data[at + 1:]
    return (data if not extension else data[:20] + b"\0" + data[21:]), len(data) + 100


udp = struct.pack(">HHHH", 1000, 2000, 108, 0xbeef)
kinds = [arp(), datagram(17, udp), datagram(17, udp[:6] + bytes(2)), datagram(17, udp, ipv6),
         datagram(58, struct.pack(">BBHI", 128, 0, 0xbeef, 1), ipv6), datagram(17, udp, ipv6, bytes([17, 0]) + bytes(6)),
         frame(A, B, tcp(A, B, 1, 1), 100, link=MACS + b"\x81\0\0\5"), *conversation(2, ip=ipv6)]
later = conversation(18)
there = list(zip(later, every(100000)))
back = [(f, t + (1500000 if f[0][26:30] == bytes([10, 0, 0, 1]) else -1500000)) for f, t in there]
back.sort(key=lambda x: x[1])
boundless = [(data[:16] + bytes(2) + data[18:], 524792) for data, _ in conversation(2)]
far = pcap(conversation(18), (t // 50 for t in every(100000 * 50, 0)))
seeds |= {
    "kinds.rewrite": b"\5\0" + b"10.0.0.1=192.168.7.1\n2001:db8::1=2001:db8::9\n02:00:00:00:00:01=02:00:00:00:00:09\n\n" +
                     pcap(kinds, every(100000)),
    "nonsense.rewrite": b"\0\0" + b"10.0.0.1=::1\nx=y\n10.0.0.1\n\n" + pcap(kinds[:2], every(100000)),
    "two.ends": b"2" + struct.pack(">H", len(far)) + far + pcap([f for f, _ in back], [t for _, t in back]),
    "boundless.pcap": pcap(boundless, every(100000)),
}
bulk = pcap(conversation(34, lost=(5, 9)) + kinds, every(1000))
for i, (flags, digits) in enumerate([(0, 4), (0x21, 5), (0x42, 5), (0x93, 6), (0x0c, 6), (0xb2, 4), (0xe3, 3)]):
    seeds[f"options{i}.port"] = bytes([ord("P"), flags, digits] + [9] * 4)[:3 + (flags >> 4 & 1) + (
        flags >> 4 & 2) + (flags >> 6 & 1)] + bulk
seeds |= {
    "pppoe.pcap": pcap([f for protocol, ip in ((b"\0\x21", ipv4), (b"\0\x57", ipv6), (b"\xc0\x21", ipv4))
                        for data, wire in conversation(4, ip=ip)
                        for f in ((data[:12] + b"\x88\x64\x11\0\0\5\0\0" + protocol + data[14:], wire + 8),
                                  (data[:12] + b"\x88\x64\x11\0", wire), (data[:12] + b"\x81\0\0", 60))][:40],
                       every(100000)),
    "loopback.pcap": pcap([(bytes([family, 0, 0, 0]) + data[14:], wire - 10) for family in (2, 24, 28, 30, 7)
                           for data, wire in conversation(2, ip=ipv4 if family == 2 else ipv6)], every(100000),
                          link_type=0),
}


def bare(path):
    """YAML without its comments."""
    lines = (re.sub(r"(^|\s+)#.*", "", line).rstrip() for line in path.read_text().splitlines())
    return "\n".join(line for line in lines if line) + "\n"


SCENARIOS = HERE.parent.parent / "scenarios"
flow = {"flow": "in1", "src": "h1", "dst": "h0", "bytes": 115965976, "start_s": 0.000273044, "end_s": 1.999997548,
        "goodput_bps": 463927809, "steady_goodput_bps": 463949158.5, "steady_ci95_bps": None, "connected": True,
        "round_trip": {"floor_s": 0.000226, "data_wait_s": 0.0515, "ack_groups": 12}}
port = {"port": "sw0-h0", "rate_bps": 1000000000, "offered_frames": 9, "dropped_frames": 0,
        "pause": {"sent": 1, "received": 2, "told_to_stop_s": 0.001}}
summary = {"contraflow": "0.1.0", "engine": "native 0.1.0", "title": "a", "scenario": "scenario.yaml", "seed": 1,
           "simulated": True, "complete": True, "ended_s": 2.0, "warmup_s": 0.5,
           "benchmark": {"precision": 0.02, "reached": None, "messages": 8, "converged": True}, "flows": [flow],
           "ports": [port], "captures": [{"file": "h0.pcap", "at": "h0", "frames": 12}]}
way = {"socket": 5, "seconds": 9.0, "bytes": 4e6, "bits_per_second": 3.5e6, "retransmits": 2, "mean_rtt": 20100,
       "min_rtt": 20000, "sender": True}
back = {**way, "socket": 7, "bits_per_second": 9e6, "sender": False}
ends = [{"socket": n, "local_host": "10.0.0.1", "local_port": 40000 + n, "remote_host": "10.0.0.2", "remote_port": 5201}
        for n in (5, 7)]
iperf3 = {"start": {"connected": ends, "timestamp": {"timesecs": 1700000000}, "tcp_mss_default": 1448,
                    "test_start": {"duration": 3, "reverse": 0, "bidir": 1, "target_bitrate": 0}},
          "intervals": [{"streams": [{**x, "start": i, "end": i + 1, "seconds": 1.0, "omitted": i == 0}
                                     for x in (way, back)]} for i in range(3)],
          "end": {"streams": [{"sender": x, "receiver": x} for x in (way, back)],
                  "cpu_utilization_percent": {"host_total": 3.5, "remote_total": 91.0}}}
flent = {"version": 4, "metadata": {"NAME": "tcp_bidirectional", "HOST": "b", "LOCAL_HOST": "a", "LENGTH": 2,
                                    "TOTAL_LENGTH": 4, "STEP_SIZE": 0.5, "T0": "2020-05-07T12:46:41.601887Z",
                                    "SERIES_META": {"TCP upload": {"UNITS": "Mbits/s"}}},
         "x_values": [i / 2 for i in range(8)],
         "results": {"TCP upload": [None, None, 2.5, 2.6, 2.7, 2.8, None, None], "TCP upload::tcp_rtt": [21.5] * 8,
                     "TCP download": [None, None, 9, 8, 9.5, 8.5, 1, None], "TCP download sum": [9] * 8,
                     "Ping (ms) ICMP": [20, 20, 60, 80, None, 82.5, 20, 20]}, "raw_values": {}}
SS = """%s
ESTAB 0      0               127.0.0.1:36308          127.0.0.1:5998
\t cubic wscale:10,10 rto:204 rtt:0.049/0.016 mss:1448 cwnd:18 ssthresh:7 bytes_sent:%d bytes_retrans:%d bytes_acked:%d \
send 192439836735bps delivery_rate 87310666664bps busy:%dms rwnd_limited:%dms(33.3%%) minrtt:0.006 snd_wnd:720896
ESTAB 0      0      [::ffff:127.0.0.1]:5998  [::ffff:127.0.0.1]:36308
\t cubic rtt:0.012/0.006 bytes_received:%d rcv_rtt:31.971 minrtt:0.012
"""
texts = {
    "foreign": [json.dumps(iperf3), json.dumps({**iperf3, "start": {**iperf3["start"], "test_start": {
        "duration": 3, "target_bitrate": 2000000}}}), json.dumps(flent), "State Recv-Q Send-Q" + SS % (
            "", 2621477, 0, 2621478, 12, 4, 2621477), "".join(SS % (1700000000 + i, 9e6 * i, 1448 * i, 9e6 * i, 999 * i,
                                                                    300 * i, 5e6 * i) for i in range(1, 5))],
    "units": ["1Gbps", "100 Mb/s", "9600bps", "10gbit", "25G", "3MB", "500kB", "64KiB", "1448", "600ms", "12.5ns", "0",
              "9223372036854775807", "-5", "2%", "0.02", "0.0000000000001s", "9000000TB"],
    "scenario": [bare(path) for path in sorted(SCENARIOS.glob("*.yaml"))] + [
        "\ufeffseed: 7\ntcp:\n  window: 1MB\n",
        "network: &n {hosts: 4, link: {rate: 1Gbps}}\ntcp: {window: '3MB'}\n\0tcp.window=1MB\0traffic.star={incoming: 2}"],
    "sweep": [re.sub(r"^scenario: .*", "scenario: base", bare(path), flags=re.M)
              for path in sorted((SCENARIOS / "sweeps").glob("*.yaml"))] + [
        "scenario: base\naxes: {network.link.rate: {from: 1Gbps, to: 4Gbps, points: 3, log: true}}\nseeds: [3, 5]\n"
        "skip: [{network.link.rate: 2Gbps}]\nset: {duration: 500ms}\n"],
    "results": [
        "f# contraflow\nflow,src,dst,bytes,start_s,end_s,goodput_bps,steady_goodput_bps,steady_ci95_bps,"
        "retransmitted_segments,messages,message_s,message_sd_s,message_ci95_s\n"
        "in1,h1,h0,115965976,0.000273044000,1.999997548000,463927809,463949158,10361,0,,,,\n"
        "\"a,\"\"b\",h1,h0,5,,,,,,,8,0.5,0.1,0.02\n",
        "qtime_s,port,depth_bytes,depth_packets,dropped_packets\n0,h0,0,0,0\n0.01,sw0-h0,64000,42,1\n0.02,h0,9,1,0\n",
        "s" + json.dumps(summary), "gP P N\nTO P\n", "c=1+1", "c-12.5", "c'=a,\"b\"", "c@x\033[31m"],
}
seeds |= {f"{folder}/seed-{i:02}": text.encode() for folder, list_ in texts.items() for i, text in enumerate(list_)}
words = sorted({word for text in texts["scenario"] + texts["sweep"] + texts["results"]
                for word in re.findall(r"[A-Za-z][\w.-]{2,}", text)} | {"&a", "*a", "!!str", "%TAG ", "---", "1e308"})
seeds["text.dict"] = "".join(f'"{word}"\n' for word in words).encode()

# Small runs, and changes of what they leave: four bytes each behind the NUL, see test/study/fuzz_run.c.
AT_BOTH = "capture: [{at: h0, snaplen: 96}, {at: sw0-h0, format: pcapng}]\n"
SLOW = "duration: 400ms\nwarmup: 60ms\nnetwork: {link: {rate: 10Mbps, delay: 1ms}, switch: {limit: 100kB}}\n"
GBN = ("duration: 40ms\nwarmup: 5ms\ntransport: gbn\n"
       "network: {link: {rate: 100Mbps, delay: 1us}, switch: {limit: 9p}}\n"
       "gbn: {window: 24, timeout: 2ms, send_gap: 122us, receive_overhead: 30us, jitter: 0.15, ring: 64}\n")
RUNS = [
    SLOW + "tcp: {window: 200kB}\ntraffic: {star: {incoming: 2, outgoing: 1}}\n" + AT_BOTH,
    SLOW + "tcp: {window: 30kB, initial_window: 10}\ntraffic: {star: {incoming: 1, outgoing: 1}}\n" + AT_BOTH,
    SLOW.replace("100kB", "12p") + "tcp: {window: 1MB, congestion: cubic, initial_window: 10}\n"
    "traffic: {star: {incoming: 2, outgoing: 1}}\n" + AT_BOTH,
    SLOW + "tcp: {window: 100kB, delayed_ack: 1, segment: 536}\ntraffic:\n  start_spread: 0s\n  flows:\n"
    "    - {from: h1, to: h0, rate: 2Mbps}\n    - {from: h0, to: h1, pauses: [30ms after 50kB]}\n"
    "    - {from: h2, to: h0, duplex: true, bytes: 500kB}\n" + AT_BOTH,
    SLOW.replace("switch: {", "nic: {queue: ack-first}, switch: {queue: fair, ") +
    "tcp: {window: 200kB, small_queues: 10kB}\ntraffic: {star: {incoming: 1, outgoing: 2}}\n" + AT_BOTH,
    SLOW.replace("switch: {", "switch: {queue: codel, ") + "tcp: {window: 200kB, sack: false, congestion: linuxreno}\n"
    "traffic: {star: {incoming: 2, outgoing: 1}, datagrams: [{from: h3, to: h0, rate: 5Mbps}]}\n" + AT_BOTH,
    "duration: 60ms\nwarmup: 10ms\nnetwork: {topology: tree, racks: [5, 5], link: {rate: 20Mbps, delay: 20us}, "
    "backbone: {rate: 20Mbps, delay: 5us}}\ntcp: {window: 60kB}\ntraffic: {pairs: {count: 3, back: 2}}\n"
    "capture: [{at: h0}, {at: h3}, {at: sw0-sw1}]\n",
    # Connected after 100 ms.
    *("duration: 240ms\nwarmup: 0s\nnetwork: {hosts: 3, link: {rate: 20Mbps, delay: 20us}}\n"
      "tcp: {window: 64kB, congestion: linuxreno, initial_window: 10}\n"
      f"traffic: {{exchange: {{algorithm: {name}, bytes: 2048, repeat: 5, period: 30ms}}}}\ncapture: [{{at: h0}}]\n"
      for name in ("direct", "rounds")),
    "duration: 40ms\nwarmup: 1ms\nnetwork: {hosts: 4, link: {rate: 100Mbps, delay: 20us}}\ntcp: {window: 64kB}\n"
    "traffic: {barrier: true, random: {d: 2, probability: 1, bytes: 20kB..60kB, repeat: 6}}\ncapture: [{at: h0}]\n",
    "duration: 40ms\nwarmup: 1ms\nnetwork: {hosts: 3, link: {rate: 100Mbps, delay: 20us}}\ntcp: {window: 64kB}\n"
    "traffic: {precision: 20%, flows: [{from: h0, to: h1, bytes: 9kB}, {from: h1, to: h2, bytes: 20kB}]}\n",
    GBN + "traffic: {star: {incoming: 4, outgoing: 0}, start_spread: 0s}\ncapture: [{at: h0}]\n",
    GBN.replace("network: {", "network: {hosts: 4, ") +
    "traffic: {exchange: {algorithm: synchronous, packets: 4, repeat: 3, global_window: 3}, start_spread: 50us}\n",
    GBN.replace("network: {", "network: {hosts: 6, ") +
    "traffic: {exchange: {algorithm: group, group: 2, packets: 4, repeat: 2}}\n",
    GBN + "traffic: {pingpong: {pairs: [1, 2], rounds: 6}}\n",
    "duration: 40ms\nwarmup: 0s\nnetwork: {link: {rate: 100Mbps, delay: 1us}, switch: {limit: 9p}}\n"
    "traffic: {burst: {sources: [2, 3], sinks: [1, 2], packets: [20, 40]}}\n",
    SLOW.replace("10Mbps", "10Mbps, up: 2Mbps").replace("network: {",
    "network: {hosts: 3, ") + "tcp: {congestion: given, "
    "window: 300kB}\ntraffic:\n  flows:\n    - {from: h1, to: h0, windows: [{at: 0s, bytes: 60kB}, {at: 100ms, bytes: 9kB}"
    ", {at: 250ms, bytes: 90kB}]}\n    - {from: h0, to: h2, windows: [{at: 0s, bytes: 20kB}]}\n" + AT_BOTH,
    SLOW + "traffic: {star: {points: [2/1, 1/1]}}\n" + AT_BOTH,
    "duration: 8ms\nwarmup: 1ms\nnetwork: {link: {rate: 100Mbps, delay: 0s}, "
    "switch: {architecture: input, limit: 20p, arbitration: random}}\ntraffic: {uniform: {ports: 4, load: 1}}\n",
]
CHANGES = [b"", b"\0" + bytes(range(0, 256, 3)), b"\0\1\x40\0\5\2\x80\0\5\3\xc0\0\5\4\x20\0\1"]
seeds |= {f"run/seed-{i:02}": text.encode() + CHANGES[i % len(CHANGES)] for i, text in enumerate(RUNS)}

# What a scenario is refused for, once each.
REFUSED = ["duration: 1s\nwarmup: 2s", "duration: soon", "duration: 0s", "seed: 1.5", "seed: [1]", "network: 7",
           "nothing: 1",
           "title: \"\\0\"", "a: &a {b: *a}", "a: &a 1\nb: &a 2", "a: *a", "? [a]\n: b", "seed: 1\nseed: 2", "a: [",
           "---\n---",
           "\"\\0\": 1", "network: &n {hosts: 4}\ntcp: *n", "\xff", "engine: ns3\ntcp: {congestion: given}",
           "engine: native\ntcp: {congestion: bbr}", "tcp: {segment: 0B}", "tcp: {window: 9B}", "tcp: {delayed_ack: 3}",
           "transport: gbn\ngbn: {window: 60, sequence_bits: 4}", "transport: gbn\ngbn: {window: 4, ack_every: 9}",
           "transport: gbn\ngbn: {jitter: 2}", "transport: gbn\ngbn: {jitter: x}", "gbn: {window: 4}"]
REFUSED += [f"network: {{{text}}}" for text in (
    "hosts: 1", "racks: [5, 5]", "topology: tree, hosts: 5", "topology: tree, racks: [1, 2, 3]",
    "topology: tree, racks: [5]",
    "topology: mesh, racks: [2]", "topology: tree, uplinks: 1", "uplinks: 9, hosts: 4", "delays: [1s, 2s], hosts: 5",
    "backbone: {rate: 1Gbps}", "link: {goodput: 2Gbps}", "link: {rate: 0.1bps}", "nic: {limit: 9B}", "nic: {queue: x}",
    "switch: {ports: 2}, hosts: 4", "switch: {pause: {xon: 9kB}}", "switch: {pause: {xoff: 90kB, xon: 99kB}}",
    "switch: {pause: {xoff: 90kB}}", "switch: {limit: 3kB, pause: {on: true}}",
    "switch: {architecture: input, queue: fair}",
    "switch: {architecture: output, backplane: 1Gbps, pause: {on: true}}", "switch: {pool: 9kB}, hosts: 4",
    "switch: {architecture: shared}, hosts: 4", "switch: {pause: {on: true, hosts: [h0, h1]}}, hosts: 3",
    "switch: {pause: {on: true, hosts: [h9]}}, hosts: 3", "switch: {pause: {on: true, hosts: []}}, hosts: 3",
    "topology: tree, root: {limit: 9kB}, racks: [3, 2, 2]", "topology: tree")]
REFUSED += [f"traffic: {{{text}}}" for text in (
    "star: {incoming: 0, outgoing: 0}", "star: {incoming: 9999, outgoing: 9999}", "star: {points: [2/1, 2/1]}",
    "star: {points: [x]}", "star: {points: []}", "star: {repeat: 3}", "star: {}, pairs: {}", "pairs: {}", "random: {}",
    "exchange: {}", "exchange: {algorithm: shift}", "pingpong: {}", "uniform: {}", "burst: {}", "precision: 0",
    "precision: x",
    "barrier: false, precision: 2%, star: {incoming: 1, bytes: 1kB}", "barrier: true, exchange: {}", "start_spread: 9s",
    "random: {bytes: 3kB..1kB}", "precision: 2%, star: {incoming: 1, bytes: 1kB, repeat: 2}")]
REFUSED += ["network: {hosts: 4}\ntraffic: {%s}" % text for text in (
    "pairs: {count: 9}", "pairs: {count: 0, back: 0}", "pairs: {back: 1, both_ways: true}", "pairs: {both_ways: true}",
    "random: {probability: 0}", "random: {d: all, probability: 1, bytes: 1kB..2kB}",
    "exchange: {contention_aware: true}",
    "exchange: {algorithm: group, group: 2}", "datagrams: [{from: h0, to: h0, rate: 1Mbps}], star: {incoming: 1}",
    "datagrams: [{from: h1, to: h0}], star: {incoming: 1}",
    "datagrams: [{from: h3, to: h0, rate: 1Mbps}], star: {incoming: 1}",
    "datagrams: [{from: h1, to: h0, rate: 1Mbps}], exchange: {}")]
REFUSED += ["traffic: {flows: [%s]}" % text for text in (
    "", "x", "{from: h0}", "{from: h0, to: h0}", "{from: h0, to: h9999}", "{from: h0, to: 5}",
    "{from: h0, to: h1, name: a/b}",
    "{from: h0, to: h1, name: a}, {from: h1, to: h0, name: a}", "{from: h0, to: h1, start: 9s}",
    "{from: h0, to: h1, bytes: 9B, pauses: [1s after 9B]}", "{from: h0, to: h1, pauses: [1s after 9B, 1s after 9B]}",
    "{from: h0, to: h1, pauses: [x]}", "{from: h0, to: h1, bytes: 9B, repeat: 2, pauses: [1s after 2B]}",
    "{from: h0, to: h1, duplex: true, rate: 1Mbps}", "{from: h0, to: h1, congestion: given}",
    "{from: h0, to: h1, congestion: given, windows: [{at: 1s, bytes: 9kB}, {at: 0s, bytes: 9kB}]}",
    "{from: h0, to: h1, bytes: 9B, repeat: 2}, {from: h1, to: h0, bytes: 9B, repeat: 3}], barrier: true, start_spread: [0s")]
REFUSED += ["transport: gbn\ntraffic: {flows: [{from: h0, to: h1, %s}]}" % text
            for text in ("duplex: true", "rate: 1Mbps", "pauses: [1s after 9B]")]
REFUSED += [f"capture: [{text}]" for text in ("{at: h9}", "{at: h0}, {at: h0}", "{snaplen: 9}", "{at: h0, format: x}")]
REFUSED += [f"network: {{topology: {net}}}\ntraffic: {{pairs: {{}}}}\ncapture: [{{at: {at}}}]" for net, at in (
    ("'tree', racks: [3, 3, 3], root: {}", "sw1-root"), ("tree", "sw0-sw1"), ("tree",
    "sw5-h1"), ("'mesh', racks: [3, 3, 3]", "h1.1"),
    ("'mesh', racks: [3, 3, 3]", "sw1-h1"), ("'mesh', racks: [3, 3, 3]", "sw9-h1"), ("tree", "x"))]
REFUSED += ["\0" + text for text in ("seed.x=1", "traffic.flows.x.from=h1", "traffic.flows.5.from=h1", "seed=[",
           "seed", "=", "seed=",
                                    "tcp=1", "network.link.rate=x", "duration=soon", "\udcff=1", "title=&a b")]
seeds |= {f"scenario/refused-{i:03}": text.encode("utf-8", "surrogateescape") for i, text in enumerate(REFUSED)}

for name, data in seeds.items():
    (OUT / name).parent.mkdir(exist_ok=True, parents=True)
    (OUT / name).write_bytes(data)


# One that cannot be in the cell of a row, a row too many, a table that is another.
SQL = {
    "null": "UPDATE point SET axes=NULL,state=NULL; UPDATE flow SET src=NULL",
    "axes": "UPDATE point SET axes='{\"a\":[1,{}],\"b\":1e9}'",
    "scenario": "UPDATE point SET scenario=zeroblob(9)||scenario,seed=-1",
    "state": "UPDATE point SET state='done'; UPDATE point SET program='sh' WHERE number=2",
    "numbers": "UPDATE flow SET goodput_bps=1e308,end_s=9e999,bytes=-5,messages='x',rtt_s=-1.5",
    "text": "UPDATE flow SET name=CAST(x'c328'AS TEXT); UPDATE sweep SET title=char(27)||hex(zeroblob(99))",
    "sweep": "UPDATE sweep SET points=0,shard=2,shards=1; INSERT INTO sweep SELECT * FROM sweep",
    "flows": "INSERT INTO flow SELECT 2,name,src,dst,bytes,start_s,end_s,1,1,1,1,1,1,1,1,1,1,1,1,1,1 FROM flow",
    "view": "DROP TABLE point; CREATE VIEW point AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n FROM r) "
            "SELECT n FROM r",
    "schema": "ALTER TABLE flow ADD COLUMN x; CREATE TRIGGER t AFTER UPDATE ON point BEGIN DELETE FROM flow; END",
    "master": "UPDATE sqlite_master SET rootpage=2,sql='CREATE TABLE point(number)' WHERE name='point'",
}


def database(path, rows):
    """As doc/files.md has the tables."""
    text = (HERE.parent.parent / "doc/files.md").read_text()
    path.unlink(missing_ok=True)
    db = sqlite3.connect(path)
    db.execute("PRAGMA page_size = 512")
    for sql in re.findall(r"^CREATE .*;$", text, re.M):
        db.execute(sql)
    number = re.search(r"SWEEP_DB_VERSION (\d+)", (HERE.parent.parent / "sweep/db.h").read_text())[1]
    db.execute(f"PRAGMA user_version = {number}")
    db.execute("INSERT INTO sweep VALUES('Rows', 'scenario: s.yaml', '0.1.0', 'traffic: {}', 1, ?, 1, 1)", (rows,))
    for i in range(1, rows + 1):
        db.execute("INSERT INTO point VALUES(?, ?, 'traffic: {flows: [{from: h1, to: h0}]}', 1, 'done', NULL, NULL, "
                   "NULL, 'native', 0.5, 'native 0.1.0', '0.1.0')", (i, f'{{"tcp.window":{i}}}'))
        db.execute("INSERT INTO flow(point, name, src, dst, bytes, start_s, end_s, goodput_bps) "
                   "VALUES(?, 'f0', 'h1', 'h0', 1000, 0.0, 1.0, 8e3)", (i,))
    db.commit()
    db.close()


OUT = HERE / "fuzz" / "database"
OUT.mkdir(exist_ok=True, parents=True)
for name, sql in SQL.items():
    (OUT / (name + ".sql")).write_text(sql)
database(OUT / "one.db", 1)
database(OUT / "pages.db", 20)
