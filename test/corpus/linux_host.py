#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""One host of a Linux run: plays its ends of the flows that standard input lists, prints what its sockets counted.

The first line lists its ends; it listens, says "ready", and reads when to start and to end:
[{"flow", "role": "send" | "receive", "connects", "address", "port", ...}]
A flow's applications: bulk; paced (rate_mbps, every interval_ms); onoff (on_s, off_s; rate_mbps while on, if given);
reqresp (response_bytes, think_ms: the receiver of the data asks); udp (rate_mbps). A reader may be slow
(read_mbps)."""
import contextlib
import json
import os
import random
import socket
import struct
import sys
import threading
import time

SO_RCVBUFFORCE = 33
TCP_WINDOW_CLAMP, TCP_INFO, TCP_CONGESTION = 10, 11, 13
CHUNK = bytes(65536)


class HostEnd(threading.Thread):
    def __init__(self, spec):
        super().__init__(daemon=True)
        self.spec = spec
        self.start_s = self.born = self.end_s = 0.0
        self.received, self.info, self.error = [], [], None  # [time, bytes in all]; rows of TCP_INFO
        self.local = self.remote = None
        self.socket = self.listener = None
        if not spec["connects"]:
            self.listener = self._socket()
            self.listener.bind((spec["address"], spec["port"]))
            if spec["app"] != "udp":
                self.listener.listen(1)

    def begin(self, start_s, end_s):
        self.start_s, self.born = start_s, start_s + self.spec["start"]
        self.end_s = min(end_s, start_s + self.spec["stop"]) if self.spec.get("stop") else end_s
        self.start()

    def _socket(self):
        family = socket.AF_INET6 if ":" in self.spec["address"] else socket.AF_INET
        if self.spec["app"] == "udp":
            return socket.socket(family, socket.SOCK_DGRAM)
        s = socket.socket(family, socket.SOCK_STREAM)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, self.spec["cc"].encode())
        if self.spec["role"] == "receive":
            if self.spec.get("rcvbuf"):
                s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.spec["rcvbuf"])
            elif self.spec.get("window"):
                s.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 4000000)  # holds what a starved reader leaves
            if self.spec.get("window"):
                s.setsockopt(socket.IPPROTO_TCP, TCP_WINDOW_CLAMP, self.spec["window"])
        elif self.spec.get("sndbuf"):
            s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, self.spec["sndbuf"])
        else:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2000000)
        if self.spec.get("nodelay"):
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return s

    def run(self):
        try:
            self._play()
        except TimeoutError:
            pass
        except OSError as e:
            if time.time() < self.end_s - 0.05:
                self.error = f"{self.spec['flow']} {self.spec['role']}: {e}"

    def _play(self):
        if self.spec["app"] == "udp":
            return self._udp()
        if self.listener:
            self.listener.settimeout(max(0.1, self.end_s - time.time()))
            self.socket, _ = self.listener.accept()
            self.listener.close()
        else:
            self.socket = self._socket()
            time.sleep(max(0.0, self.born - time.time()))
            self.socket.settimeout(5)
            self.socket.connect((self.spec["address"], self.spec["port"]))
        self.local, self.remote = self.socket.getsockname()[:2], self.socket.getpeername()[:2]
        threading.Thread(target=self._sample, daemon=True).start()
        if self.spec["role"] == "receive":
            self._receive()
        else:
            getattr(self, "_" + self.spec["app"])()
        while time.time() < self.end_s:
            time.sleep(0.05)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def _left(self):
        left = self.end_s - time.time()
        if left <= 0:
            raise TimeoutError
        self.socket.settimeout(left)
        return left

    def _send(self, n):
        view = memoryview(CHUNK)
        while n > 0:
            self._left()
            n -= self.socket.send(view[:min(n, len(CHUNK))])

    def _bulk(self):
        while True:
            self._send(1 << 20)

    def _paced(self):
        step = self.spec["interval_ms"] / 1e3
        due = time.time()
        while True:
            self._send(round(self.spec["rate_mbps"] * 1e6 / 8 * step))
            due = max(due + step, time.time() - 5 * step)
            time.sleep(max(0.0, due - time.time()))

    def _onoff(self):
        draw = random.Random(self.spec["port"])
        while True:
            until = time.time() + draw.expovariate(1 / self.spec["on_s"])
            while time.time() < until:
                self._send(16384)
                if self.spec.get("rate_mbps"):
                    time.sleep(16384 * 8 / self.spec["rate_mbps"] / 1e6)
            time.sleep(min(self._left(), draw.expovariate(1 / self.spec["off_s"])))

    def _reqresp(self):
        while True:
            asked = 0
            while asked < 200:
                self._left()
                got = len(self.socket.recv(200 - asked))
                if got == 0:
                    return
                asked += got
            self._send(self.spec["response_bytes"])

    def _receive(self):
        asks = self.spec["app"] == "reqresp"
        slow = self.spec.get("read_mbps")
        buffer, waiting, due = bytearray(1 << 18), 0, time.time()
        while True:
            self._left()
            if asks and waiting == 0:
                time.sleep(min(self._left(), self.spec["think_ms"] / 1e3))
                self.socket.sendall(bytes(200))
                waiting = self.spec["response_bytes"]
            n = self.socket.recv_into(buffer, min(round(slow * 1e6 / 8 * 0.02), len(buffer)) if slow else 0)
            if n == 0:
                return
            waiting -= n if asks else 0
            if slow:
                due = max(due + n * 8 / slow / 1e6, time.time() - 0.1)
                time.sleep(max(0.0, due - time.time()))

    def _udp(self):
        if self.spec["role"] == "receive":
            self.socket = self.listener
            total = 0
            while True:
                self._left()
                total += len(self.socket.recv(65536))
                now = time.time() - self.start_s
                if not self.received or now > self.received[-1][0] + 0.02:
                    self.received.append([now, total])
        self.socket = self._socket()
        self.socket.connect((self.spec["address"], self.spec["port"]))
        self.local, self.remote = self.socket.getsockname()[:2], self.socket.getpeername()[:2]
        time.sleep(max(0.0, self.born - time.time()))
        due, step = time.time(), 1400 * 8 / self.spec["rate_mbps"] / 1e6
        while time.time() < self.end_s:
            with contextlib.suppress(OSError):
                self.socket.send(CHUNK[:1400])
            due = max(due + step, time.time() - 0.02)
            time.sleep(max(0.0, due - time.time()))

    def _sample(self):
        while time.time() < self.end_s - 0.02:
            with contextlib.suppress(OSError):
                now = time.time() - self.start_s
                raw = self.socket.getsockopt(socket.IPPROTO_TCP, TCP_INFO, 256)
                if self.spec["role"] == "receive":
                    window = self.spec.get("window")  # the kernel forgets it when it learns the segments' size
                    if window and self.socket.getsockopt(socket.IPPROTO_TCP, TCP_WINDOW_CLAMP) != window:
                        self.socket.setsockopt(socket.IPPROTO_TCP, TCP_WINDOW_CLAMP, window)
                    self.received.append([now, struct.unpack_from("=Q", raw, 128)[0]])
                else:
                    unacked, = struct.unpack_from("=I", raw, 24)
                    rtt, _, _, cwnd = struct.unpack_from("=IIII", raw, 68)
                    retransmits, = struct.unpack_from("=I", raw, 100)
                    unsent, least = struct.unpack_from("=II", raw, 144)
                    limited = struct.unpack_from("=QQQ", raw, 168)
                    self.info.append([now, rtt, least, cwnd, unacked, retransmits, *limited, unsent])
            time.sleep(0.05)


def main():
    with contextlib.suppress(OSError):  # before whatever else this machine does
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    sys.setswitchinterval(0.001)
    ends = [HostEnd(spec) for spec in json.loads(sys.stdin.readline())]
    print("ready", flush=True)
    start_s, end_s = json.loads(sys.stdin.readline())
    for e in ends:
        e.begin(start_s, end_s)
    for e in ends:
        e.join(max(0.1, end_s + 1 - time.time()))
    json.dump([{"flow": e.spec["flow"], "role": e.spec["role"], "local": e.local, "remote": e.remote,
                "received": e.received, "info": e.info, "error": e.error} for e in ends], sys.stdout)


if __name__ == "__main__":
    main()
