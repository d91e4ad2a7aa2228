# SPDX-License-Identifier: GPL-2.0-or-later
"""A star of network namespaces, each with a name of its own as a machine has, made of TUN devices and this program as
the switch between them: queues before every host's link, both ways, on any kernel, without root. For mpirun, which
starts processes on the hosts by this program, as it would by ssh.

    stars.py STAR COMMAND...    in namespaces of its own: COMMAND at h0, and its exit status. STAR is JSON: {"hosts": n,
                                "rate": bit/s on the wire, "queue": bytes, "discipline": as of paths.py, "delay": s of a
                                cable, one way}
    stars.py hN COMMAND         with CONTRAFLOW_STAR set: COMMAND at hN"""
import contextlib
import ctypes
import heapq
import json
import os
import select
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import paths

CLONE_NEWUTS, CLONE_NEWNET = 0x04000000, paths.CLONE_NEWNET
SPACES = ("net", "uts")
NET = "10.77.0"
libc = ctypes.CDLL(None, use_errno=True)


def checked(result):
    if result:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


class Switch:
    """Each host's NIC, its queue and a cable; then the port towards another host, likewise."""

    def __init__(self, fds, star):
        way = {"rate": star["rate"], "discipline": star["discipline"], "queue": star["queue"]}
        self.fds, self.delay = fds, star["delay"]
        self.nics = [paths.Transmitter(way) for _ in fds]
        self.ports = [paths.Transmitter(way) for _ in fds]
        self.under_way, self.count = [], 0

    def send(self, at, step, packet):
        """To `step` when the cable has been passed: "port", "host"."""
        self.count += 1
        heapq.heappush(self.under_way, (at + self.delay, self.count, step, packet))

    def read(self, fd):
        for _ in range(64):
            try:
                packet = os.read(fd, 2048)
            except BlockingIOError:
                return
            if packet[0] >> 4 == 4 and packet[19] - 1 in range(len(self.fds)):
                self.nics[self.fds.index(fd)].queue.add((packet, None, time.monotonic()))

    def serve(self, now):
        for nic in self.nics:
            nic.serve(now, lambda at, item: self.send(at, "port", item[0]))
        while self.under_way and self.under_way[0][0] <= now:
            at, _, step, packet = heapq.heappop(self.under_way)
            port = self.ports[packet[19] - 1]
            if step == "port":
                port.serve(at, lambda at, item: self.send(at, "host", item[0]))  # what left before it came
                port.queue.add((packet, None, at))
            else:
                try:
                    os.write(self.fds[packet[19] - 1], packet)
                except OSError:
                    pass
        for port in self.ports:
            port.serve(now, lambda at, item: self.send(at, "host", item[0]))

    def run(self):
        """Never returns."""
        while True:
            times = [t.free for t in self.nics + self.ports if t.free] + [u[0] for u in self.under_way[:1]]
            wait = max(0.0, min(times) - time.monotonic()) if times else None
            for fd in select.select(self.fds, [], [], wait)[0]:
                self.read(fd)
            self.serve(time.monotonic())


def enter(host):
    for pid, space, fd in host:
        with open(f"/proc/{pid}/fd/{fd}") as f:
            checked(libc.setns(f.fileno(), 0))


def inside(star, command):
    """In namespaces already."""
    with contextlib.ExitStack() as stack:
        names = stack.enter_context(tempfile.NamedTemporaryFile("w"))
        names.write("127.0.0.1 localhost\n" + "".join(f"{NET}.{i + 1} h{i}\n" for i in range(star["hosts"])))
        names.flush()
        if os.path.exists("/etc/hosts"):
            subprocess.run(["mount", "--bind", names.name, "/etc/hosts"], check=True)
        else: # a bare system has none to mount on: then a copy of what can be read in /etc, with one
            copy = stack.enter_context(tempfile.TemporaryDirectory())
            subprocess.run(["cp", "-a", "/etc/.", copy], stderr=subprocess.DEVNULL, check=False)
            shutil.copy(names.name, f"{copy}/hosts")
            subprocess.run(["mount", "--bind", copy, "/etc"], check=True)
        # Open MPI's files are named after host and process, which are the same in every star.
        subprocess.run(["mount", "-t", "tmpfs", "star", "/mnt"], check=True)
        fds, hosts = [], {}
        for i in range(star["hosts"]):
            checked(libc.unshare(CLONE_NEWNET | CLONE_NEWUTS))
            checked(libc.sethostname(f"h{i}".encode(), len(f"h{i}")))
            fds.append(paths.tun("cable"))
            paths.host("cable", f"{NET}.{i + 1}", star.get("settings", {}))
            hosts[f"h{i}"] = [(os.getpid(), s, os.open(f"/proc/self/ns/{s}", os.O_RDONLY)) for s in SPACES]
        if os.fork() == 0:
            Switch(fds, star).run()
        for fd in fds:
            os.close(fd)
        enter(hosts["h0"])
        status = subprocess.run(command, env={**os.environ, "TMPDIR": "/mnt",
                                              "CONTRAFLOW_STAR": json.dumps(hosts)}).returncode
    os._exit(status if status >= 0 else 128 - status)  # the first process of the namespaces: the switch ends with it


AGENT = f"{sys.executable} {os.path.abspath(__file__)}"  # of mpirun


def start(star, *command, **kwargs):
    """The running process; in a session of its own, without a terminal."""
    return subprocess.Popen([*paths.SANDBOX, sys.executable, os.path.abspath(__file__), json.dumps(star),
                             *map(str, command)], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            start_new_session=True, **kwargs)


if __name__ == "__main__":
    if "CONTRAFLOW_STAR" in os.environ:
        enter(json.loads(os.environ["CONTRAFLOW_STAR"])[sys.argv[1]])
        words = shlex.split(" ".join(sys.argv[2:]))
        os.execvp(words[0], words)
    inside(json.loads(sys.argv[1]), sys.argv[2:])
