# SPDX-License-Identifier: GPL-2.0-or-later
"""A path between two network namespaces, made of two TUN devices and this program between them: rates, queues, delays
and losses of each way as asked for, on any kernel, without its queue disciplines and without root.

    paths.py PATH COMMAND...    in namespaces of its own: COMMAND at the near host, 'contraflow measure serve' at the
                                far one; COMMAND's exit status. FAR in COMMAND becomes the far host's address. PATH is
                                JSON

A way is {"rate": bit/s on the wire, "queue": bytes, "discipline": fifo, ack-first or fair, "delay": s, "loss": share};
"shared": true has both ways use the queue and the rate of the first, as a medium of half duplex does. "servers": what
runs at the far host instead, a list of commands."""
import ctypes
import fcntl
import functools
import heapq
import json
import os
import random
import select
import struct
import subprocess
import sys
import time
from collections import OrderedDict, deque

NEAR, FAR = "10.77.0.1", "10.77.0.2"
TOKEN = "9c1f7a02e85b3d6494f0c7d5"
CLONE_NEWNET = 0x40000000
TUNSETIFF, IFF_TUN_NO_PI = 0x400454CA, 0x1001
WIRE = 38  # bytes of Ethernet around an IP packet: 14, FCS, preamble and gap
QUANTUM = 1500
SANDBOX = ["unshare", "--map-root-user", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]


@functools.cache
def possible():
    """May we make such namespaces, and TUN devices in them?"""
    probe = "import paths; paths.tun('probe')"
    return subprocess.run([*SANDBOX, sys.executable, "-c", probe], cwd=os.path.dirname(os.path.abspath(__file__)),
                          capture_output=True, timeout=30).returncode == 0


def require(case):
    """Ends the test that calls it where we may not."""
    if not possible():
        case.skipTest("no user and network namespaces with TUN devices here")


def require_congestion(case, name):
    """The same where the kernel lacks it: as root of its own namespaces a test may choose any that there is."""
    with open("/proc/sys/net/ipv4/tcp_available_congestion_control", encoding="ascii") as f:
        if name not in f.read().split():
            case.skipTest(f"this kernel has no {name}")


def tun(name):
    fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN_NO_PI))
    return fd


class Queue:
    """What waits for one transmitter: bytes up to a limit, tail drop; fair: a queue a flow, served by turns, and who
    has most loses (RFC 8290 without CoDel)."""

    def __init__(self, discipline, limit):
        self.discipline, self.limit, self.bytes = discipline, limit, 0
        self.first, self.rest, self.flows = deque(), deque(), OrderedDict()

    def add(self, item):
        size = len(item[0])
        if self.discipline == "fair":
            flow = item[0][12:20] + item[0][20:24]
            queue = self.flows.setdefault(flow, [deque(), 0, QUANTUM])
            queue[0].append(item)
            queue[1] += size
            self.bytes += size
            while self.bytes > self.limit:
                longest = max(self.flows.values(), key=lambda q: q[1])
                gone = len(longest[0].popleft()[0])
                longest[1] -= gone
                self.bytes -= gone
        elif self.bytes + size <= self.limit:
            self.bytes += size
            (self.first if self.discipline == "ack-first" and size < 128 else self.rest).append(item)

    def take(self):
        while self.flows:
            flow, queue = next(iter(self.flows.items()))
            if not queue[0]:
                del self.flows[flow]
            elif queue[2] <= 0:
                queue[2] += QUANTUM
                self.flows.move_to_end(flow)
            else:
                item = queue[0].popleft()
                queue[1] -= len(item[0])
                queue[2] -= len(item[0])
                self.bytes -= len(item[0])
                return item
        for queue in (self.first, self.rest):
            if queue:
                item = queue.popleft()
                self.bytes -= len(item[0])
                return item
        return None


class Transmitter:
    def __init__(self, way):
        self.rate, self.free, self.queue = way["rate"], 0.0, Queue(way["discipline"], way["queue"])

    def serve(self, now, sent):
        """What has begun by now; the line works on while this program does not run."""
        while self.free <= now:
            item = self.queue.take()
            if item is None:
                self.free = 0.0
                return
            start = max(self.free, item[2])
            self.free = start + 8 * (len(item[0]) + WIRE) / self.rate
            sent(self.free, item)


class Losses:
    """The share of a way's packets that never arrive: one of every 1 / share of them, any one of these, so that however
    few a test sends loses that share."""

    def __init__(self, share, chance):
        self.block, self.chance, self.left, self.lost = round(1 / share) if share else 0, chance, 0, -1

    def next(self):
        if not self.block:
            return False
        if not self.left:
            self.left, self.lost = self.block, self.chance.randrange(self.block)
        self.left -= 1
        return self.left == self.lost


def relay(near, far, path):
    """Never returns. An item is (packet, way, time of arrival)."""
    chance = random.Random(path.get("seed", 1))
    ways = [path["out"], path["in"]]
    losses = [Losses(way.get("loss", 0), chance) for way in ways]
    transmitters = [Transmitter(way) for way in ways]
    if path.get("shared"):
        transmitters[1] = transmitters[0]
    fds, under_way, count = [near, far], [], 0

    def sent(at, item):
        nonlocal count
        count += 1
        heapq.heappush(under_way, (at + ways[item[1]]["delay"], count, item))

    while True:
        times = [t.free for t in transmitters if t.free] + ([under_way[0][0]] if under_way else [])
        wait = max(0.0, min(times) - time.monotonic()) if times else None
        for fd in select.select(fds, [], [], wait)[0]:
            for _ in range(64):
                try:
                    packet = os.read(fd, 2048)
                except BlockingIOError:
                    break
                way = fds.index(fd)
                if not losses[way].next():
                    transmitters[way].queue.add((packet, way, time.monotonic()))
        now = time.monotonic()
        for transmitter in transmitters:
            transmitter.serve(now, sent)
        while under_way and under_way[0][0] <= now:
            _, _, (packet, way, _) = heapq.heappop(under_way)
            try:
                os.write(fds[1 - way], packet)
            except OSError:
                pass


def host(name, address, settings):
    for line in (f"ip addr add {address}/24 dev {name}", f"ip link set {name} txqueuelen 1000 up", "ip link set lo up"):
        subprocess.run(line.split(), check=True)
    # reno: every kernel has it, and what a path brings does not hang on which one this machine prefers
    for key, value in {"net/ipv4/tcp_no_metrics_save": 1, "net/ipv4/tcp_congestion_control": "reno", **settings}.items():
        with open("/proc/sys/" + key, "w") as f:
            f.write(str(value))


def wait_for_listeners(count):
    """Until so many sockets listen in this namespace (proc(5), 0A), for a minute at most."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        listening = 0
        for name in ("tcp", "tcp6"):
            with open("/proc/thread-self/net/" + name, encoding="ascii") as f:
                listening += sum(row.split()[3] == "0A" for row in f)
        if listening >= count:
            return
        time.sleep(0.02)


def inside(path, contraflow, command, log):
    """In the near host's namespace already."""
    libc = ctypes.CDLL(None, use_errno=True)
    near = tun("near")
    host("near", NEAR, path.get("near", {}))
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    if libc.unshare(CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "no second network namespace")
    far = tun("far")
    host("far", FAR, path.get("far", {}))
    measure = [contraflow, "measure", "serve", "--bind", FAR, "--token", TOKEN, *path.get("serve", [])]
    servers = [subprocess.Popen(s, stdout=log, stderr=log) for s in path.get("servers", [measure])]
    wait_for_listeners(len(servers))
    libc.setns(home, CLONE_NEWNET)
    if os.fork() == 0:
        relay(near, far, path)
    os.close(near), os.close(far)
    status = subprocess.run([FAR if word == "FAR" else word for word in command]).returncode
    for server in servers:
        server.terminate()
        server.wait()
    os._exit(status)  # the first process of the namespaces: the relay ends with it


def measure(contraflow, path, *options, first=(), timeout=120):
    """'contraflow measure' over a path: the finished process; its standard error has the server's lines, too."""
    return subprocess.run([*SANDBOX, sys.executable, os.path.abspath(__file__), json.dumps(path), str(contraflow),
                           "measure", *first, "FAR", "--token", TOKEN, *options], capture_output=True, text=True,
                          timeout=timeout)


def way(rate_mbps, queue, discipline="fifo", delay=0.005, loss=0.0):
    return {"rate": rate_mbps * 1e6, "queue": queue, "discipline": discipline, "delay": delay, "loss": loss}


if __name__ == "__main__":
    inside(json.loads(sys.argv[1]), sys.argv[2], sys.argv[2:], sys.stderr)
