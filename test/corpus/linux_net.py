# SPDX-License-Identifier: GPL-2.0-or-later
"""The network of a Linux run: namespaces, a shaped link between two routers, delays, queues read while they work.

    x --- nx ===(rate out >, < rate in)=== sw --- p0, p1, ... (a host a flow)

Routers, not bridges: a bridge hands the sender's socket on with the packet, and TCP Small Queues would count what waits
in the "switch". The namespaces belong to a sandbox (linux_net_sandbox) that ends with the process, whatever ends it."""
import contextlib
import ctypes
import fcntl
import os
import select
import signal
import socket
import struct
import subprocess
import threading
import time
from collections import deque

OVERHEAD = 24  # Ethernet beyond the 14 bytes that Linux counts: FCS, preamble, gap
CLONE_NEWNET = 0x40000000
TUNSETIFF, IFF_TUN_NO_PI = 0x400454CA, 0x1001
SIOCETHTOOL = 0x8946
PR_SET_PDEATHSIG = 1
OFFLOADS = (0x17, 0x1F, 0x24, 0x2C)  # ETHTOOL_STXCSUM, STSO, SGSO, SGRO
POLICED_BURST = 30000  # bytes
RTM_GETQDISC, RTM_NEWQDISC, NLM_DUMP = 38, 36, 0x301
TCA_STATS2, TCA_STATS_BASIC, TCA_STATS_QUEUE = 7, 1, 3
DATA, ACKS, FLOW = 0x10, 0x11, 0x100  # handles of the queues: of data or of everything, of ACKs, of flow i

libc = ctypes.CDLL(None, use_errno=True)


def linux_net_sandbox(command):
    """`command` as the first process of its own network, mount and process namespaces: when it dies, they go."""
    return ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", *command]


def linux_net_die_with_parent():
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def linux_net_first():
    """The calling thread before whatever else this machine does, where that is allowed."""
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))


def linux_net_call(line, check=True):
    done = subprocess.run(line.split(), capture_output=True, text=True)
    if check and done.returncode:
        raise RuntimeError(f"{line}: {(done.stderr or done.stdout).strip()}")
    return done.returncode == 0


@contextlib.contextmanager
def linux_net_inside(name):
    """The calling thread, and what it starts, in namespace `name`."""
    with open("/proc/thread-self/ns/net") as home, open(f"/run/netns/{name}") as there:
        if libc.setns(there.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), f"cannot enter namespace {name}")
        try:
            yield
        finally:
            libc.setns(home.fileno(), CLONE_NEWNET)


def linux_net_write(path, value):
    with open(path, "w") as f:
        f.write(str(value))


def linux_net_offloads(device, on):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        for what in OFFLOADS:
            value = ctypes.create_string_buffer(struct.pack("II", what, on))
            fcntl.ioctl(s, SIOCETHTOOL, struct.pack("16sP16x", device.encode(), ctypes.addressof(value)))


def linux_net_tun(name):
    fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN_NO_PI))
    return fd


class LinuxBucket:
    """A policer: a token bucket of POLICED_BURST bytes and no queue."""

    def __init__(self, rate_mbps):
        self.bytes_per_s, self.tokens, self.at_s = rate_mbps * 1e6 / 8, POLICED_BURST, time.monotonic()

    def passes(self, size):
        now = time.monotonic()
        self.tokens = min(POLICED_BURST, self.tokens + (now - self.at_s) * self.bytes_per_s)
        self.at_s = now
        if self.tokens < size:
            return False
        self.tokens -= size
        return True


def linux_net_relay(pairs, police_in, police_out):
    """Carries packets between two TUN devices a pair, each `delay` seconds later, together no faster than a policer of
    their way lets pass (Mb/s; None: there is none); never returns."""
    ways = []
    buckets = [LinuxBucket(p) if p else None for p in (police_in, police_out)]
    for a, b, delay in pairs:
        ways += [(a, b, delay, deque(), buckets[0]), (b, a, delay, deque(), buckets[1])]
    sources = {way[0]: way for way in ways}
    linux_net_first()
    while True:
        due = min((way[3][0][0] for way in ways if way[3]), default=None)
        wait = None if due is None else max(0.0, due - time.monotonic())
        for fd in select.select(list(sources), [], [], wait)[0]:
            _, _, delay, queue, bucket = sources[fd]
            with contextlib.suppress(BlockingIOError):
                for _ in range(64):
                    packet = os.read(fd, 65536)
                    if bucket is None or bucket.passes(len(packet)):
                        queue.append((time.monotonic() + delay, packet))
        now = time.monotonic()
        for _, to, _, queue, _ in ways:
            while queue and queue[0][0] <= now:
                with contextlib.suppress(OSError):
                    os.write(to, queue.popleft()[1])


class LinuxNet:
    """Hosts are 10.9.1.2 (x) and 10.9.(10 + i).2, or fd09:1::2 and fd09:(10 + i)::2."""

    def __init__(self, case, acks_first):
        self.case, self.acks_first = case, acks_first
        self.relay = 0
        self.names = ["x", "nx", "sw"] + [f"p{i}" for i in range(case["peers"])]
        self.queues = {}  # way -> (namespace, device)

    def host(self, i):
        net = 1 if i is None else 10 + i
        return f"fd09:{net}::2" if self.case["ipv6"] else f"10.9.{net}.2"

    def start(self):
        for name in self.names:
            linux_net_call(f"ip netns add {name}")
            with linux_net_inside(name):
                self._settings()
        self._wire("x", "wire", "nx", "host", 1)
        self._wire("nx", "wire", "sw", "link", 2)
        delayed = []
        for i, delay in enumerate(self.case["delays_ms"]):
            if delay > 0:
                delayed.append(self._far(i, delay))
            else:
                self._wire(f"p{i}", "wire", "sw", f"q{i}", 10 + i)
        self._route("x", None, "nx")
        self._route("nx", None, "sw")
        self._route("sw", 1, "nx")
        for i in range(self.case["peers"]):
            self._route(f"p{i}", None, "sw")
        own = self.case["shaped_at"] == "host"
        self.queues = {"out": ("x" if own else "nx", "wire"), "in": ("sw", "link")}
        self._shape(*self.queues["out"], self.case["rate_out"], self.case["limit_out"])
        self._shape(*self.queues["in"], self.case["rate_in"], self.case["limit_in"])
        if delayed:
            self.relay = os.fork()
            if self.relay == 0:
                linux_net_relay(delayed, self.case["police_in"], self.case["police_out"])
            for a, b, _ in delayed:
                os.close(a), os.close(b)

    def stop(self):
        if self.relay:
            os.kill(self.relay, 9)
            os.waitpid(self.relay, 0)
        for name in self.names:
            linux_net_call(f"ip netns delete {name}", check=False)

    def _settings(self):
        linux_net_call("ip link set lo up")
        settings = {"ipv4/ip_forward": 1, "ipv6/conf/all/forwarding": 1, "ipv6/conf/default/accept_dad": 0,
                    "ipv4/tcp_no_metrics_save": 1, "ipv4/tcp_limit_output_bytes": 1048576,
                    "ipv4/tcp_timestamps": int(self.case["timestamps"]), "ipv4/tcp_rmem": "4096 131072 6291456",
                    "ipv4/tcp_wmem": "4096 16384 4194304"}
        for key, value in settings.items():
            linux_net_write(f"/proc/sys/net/{key}", value)

    def _address(self, net, end):
        return f"fd09:{net}::{end}/64 nodad" if self.case["ipv6"] else f"10.9.{net}.{end}/24"

    def _up(self, name, device, net, end):
        with linux_net_inside(name):
            version = "-6" if self.case["ipv6"] else "-4"
            linux_net_call(f"ip link set dev {device} txqueuelen 5000 up")
            linux_net_call(f"ip {version} addr add {self._address(net, end)} dev {device}")

    def _wire(self, a, device_a, b, device_b, net):
        with linux_net_inside(a):
            linux_net_call(f"ip link add name {device_a} type veth peer name {device_b} netns {b}")
        for name, device, end in ((a, device_a, 2), (b, device_b, 1)):
            with linux_net_inside(name):
                linux_net_offloads(device, int(self.case["gso"]))
            self._up(name, device, net, end)

    def _far(self, i, delay_ms):
        fds = []
        for name, device, end in ((f"p{i}", "wire", 2), ("sw", f"q{i}", 1)):
            with linux_net_inside(name):
                fds.append(linux_net_tun(device))
            self._up(name, device, 10 + i, end)
        return fds[0], fds[1], delay_ms / 2000

    def _route(self, name, net, via):
        version = "-6" if self.case["ipv6"] else "-4"
        hop = {"nx": 1, "sw": 2}[via] if name in ("x", "nx") else 2 if via == "nx" else None
        end = 2 if name == "sw" else 1
        link = hop if hop is not None else 10 + int(name[1:])
        gateway = self._address(link, end).split("/")[0]
        where = "default" if net is None else self._address(net, 0).split(" ")[0].replace("::0/", "::/")
        with linux_net_inside(name):
            linux_net_call(f"ip {version} route add {where} via {gateway}")

    def _shape(self, name, device, rate_mbps, limit):
        kind = "ack-first" if self.acks_first else self.case["queue"]
        protocol = "ipv6" if self.case["ipv6"] else "ip"
        htb = f"overhead {OVERHEAD} quantum 1600"
        rate = round(rate_mbps * 1e6)
        with linux_net_inside(name):
            def tc(what, parent):
                linux_net_call(f"tc {what.split()[0]} add dev {device} parent {parent} {what.split(' ', 1)[1]}")
            linux_net_call(f"tc qdisc add dev {device} root handle 1: htb default 10")
            tc(f"class classid 1:1 htb rate {rate}bit {htb}", "1:")
            slow = rate if kind == "fifo" else rate // 50
            tc(f"class classid 1:10 htb rate {slow}bit ceil {rate}bit prio 1 {htb}", "1:1")
            tc(f"qdisc handle {DATA:x}: bfifo limit {limit}", "1:10")
            if kind == "ack-first":
                tc(f"class classid 1:11 htb rate {rate}bit ceil {rate}bit prio 0 {htb}", "1:1")
                tc(f"qdisc handle {ACKS:x}: bfifo limit {limit}", "1:11")
                ip6 = self.case["ipv6"]
                for words in range(5, 16):  # of TCP's header, which is all of a pure ACK
                    length = f"match u16 {4 * words} 0xffff at 4" if ip6 else f"match u16 {20 + 4 * words} 0xffff at 2"
                    header = f"match u8 {16 * words} 0xf0 at {52 if ip6 else 32}"
                    tcp = f"match {'ip6' if ip6 else 'ip'} protocol 6 0xff"
                    tc(f"filter protocol {protocol} prio 1 u32 {tcp} {length} {header} flowid 1:11", "1:")
            if kind == "fair":  # a class a flow and a way: what fq_codel does, without CoDel
                for i in range(len(self.case["flows"])):
                    for k, port in enumerate(("dport", "sport")):
                        n = FLOW + 2 * i + k
                        tc(f"class classid 1:{n:x} htb rate {rate // (2 * len(self.case['flows']))}bit "
                           f"ceil {rate}bit prio 1 {htb}", "1:1")
                        tc(f"qdisc handle {n:x}: bfifo limit {limit}", f"1:{n:x}")
                        ip = "ip6" if self.case["ipv6"] else "ip"
                        tc(f"filter protocol {protocol} prio 1 u32 match {ip} {port} {5201 + i} 0xffff "
                           f"flowid 1:{n:x}", "1:")


class LinuxQueues:
    """Reads both shaped queues every 20 ms: how long, how much they have sent."""

    def __init__(self, net):
        self.sockets, self.samples, self.running = {}, {"in": [], "out": []}, True
        for way, (name, device) in net.queues.items():
            with linux_net_inside(name):
                self.sockets[way] = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
                self.sockets[way].settimeout(1)
                index = socket.if_nametoindex(device)
            self.sockets[way] = (self.sockets[way], index)
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def stop(self):
        self.running = False
        self.thread.join()
        for s, _ in self.sockets.values():
            s.close()
        return self.samples

    def _run(self):
        linux_net_first()
        due = time.time()
        while self.running:
            for way, (s, index) in self.sockets.items():
                with contextlib.suppress(TimeoutError):
                    self.samples[way].append(self._read(s, index))
            due += 0.02
            time.sleep(max(0.0, due - time.time()))

    @staticmethod
    def _read(s, index):
        """(time, {handle: (bytes sent, packets sent, packets waiting, bytes waiting, drops)})"""
        s.send(struct.pack("=IHHII BBHiIII", 36, RTM_GETQDISC, NLM_DUMP, 1, 0, 0, 0, 0, 0, 0, 0, 0))
        now, found, going = time.time(), {}, True
        while going:
            data, at = s.recv(1 << 18), 0
            while at + 16 <= len(data):
                size, kind = struct.unpack_from("=IH", data, at)
                if kind == RTM_NEWQDISC:
                    device, handle = struct.unpack_from("=4xiI", data, at + 16)
                    if device == index:
                        found[handle >> 16] = LinuxQueues._stats(data[at + 36:at + size])
                else:
                    going = False
                at += (size + 3) & ~3
        return now, found

    @staticmethod
    def _attributes(data):
        at = 0
        while at + 4 <= len(data):
            size, kind = struct.unpack_from("=HH", data, at)
            yield kind & 0x3FFF, data[at + 4:at + size]
            at += max(4, (size + 3) & ~3)

    @staticmethod
    def _stats(data):
        sent, packets, waiting, backlog, drops = 0, 0, 0, 0, 0
        for kind, value in LinuxQueues._attributes(data):
            if kind == TCA_STATS2:
                for inner, stats in LinuxQueues._attributes(value):
                    if inner == TCA_STATS_BASIC:
                        sent, packets = struct.unpack_from("=QI", stats)
                    elif inner == TCA_STATS_QUEUE:
                        waiting, backlog, drops = struct.unpack_from("=III", stats)
        return sent, packets, waiting, backlog, drops
