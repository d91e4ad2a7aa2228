#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Truth by experiment on real Linux: every case of linux_cases.py as it is, and with ACKs first at every shaped queue.

    linux.py DIR [--only TEXT] [--jobs 2] [--repeats 2] [--random COUNT --seed S [--class access_line]]

runs them, or COUNT cases drawn off their grid (linux_random.py), and writes NAME.pcap.xz (of the first run as it is), NAME.flows.csv, NAME.series.csv and truth.csv into DIR; what DIR
already has is kept. README.md says what the columns are. Needs root, for namespaces of its own that end with it; status
77 when it cannot run here. Runs in which the CPU, not the shaper, was the bottleneck are repeated, then flagged."""
import argparse
import bisect
import contextlib
import csv
import json
import lzma
import math
import os
import pathlib
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

from linux_cases import cases
from linux_net import (ACKS, DATA, OVERHEAD, LinuxNet, LinuxQueues, linux_net_die_with_parent, linux_net_inside,
                       linux_net_sandbox)
from linux_random import CLASSES, random_cases
from truth import FULL, LOST, truth_cause, truth_cause_yes, truth_label

HERE = pathlib.Path(__file__).resolve().parent
SKIP = 77
SNAPLEN = 100
JUDGED = 0.4  # of a run is left out at its start
SEGMENT = 1428  # bytes, and more: a full one
MOSTLY = 0.5  # of the time
TAKES = 0.95  # of what its reader takes, and more: that is its limit
STARVED = 0.97  # a queue that held data all the time and sent less of its rate than this
TRIES = 3
TRUTH = ("name class description host capture rate_in rate_out flows_in flows_out a_in a_out b_in b_out captured_in "
         "captured_out lost_in lost_out lost_total share_in share_out saturated_in saturated_out ack_wait_in_ms "
         "ack_wait_out_ms drops retransmits udp_in udp_out a_spread b_spread label_stable cpu_share starved asymmetry "
         "cause judged_from_s judged_to_s start_epoch_s").split()
FLOWS = ("way protocol src sport dst dport congestion_control receive_window_bytes goodput_mbps base_rtt_ms min_rtt_ms "
         "mean_rtt_ms retransmits application data_wait_ms ack_wait_ms busy rwnd_limited sndbuf_limited "
         "unsent start_s").split()


def linux_cannot():
    if os.geteuid() != 0:
        return "not root"
    for tool in ("ip", "tc", "unshare", "chrt", "dumpcap"):
        if not shutil.which(tool):
            return f"{tool} is not installed"
    probe = ("mount -t tmpfs none /run/netns && ip link add va type veth peer name vb && "
             "tc qdisc add dev va root handle 1: htb && tc class add dev va parent 1: classid 1:1 htb rate 1mbit && "
             "tc filter add dev va parent 1: protocol ip prio 1 u32 match ip protocol 6 0xff flowid 1:1")
    os.makedirs("/run/netns", exist_ok=True)
    done = subprocess.run(linux_net_sandbox(["sh", "-c", probe]), capture_output=True, text=True)
    return f"the kernel refuses: {done.stderr.strip()}" if done.returncode else None


def linux_ends(case, net):
    """What each host plays: {namespace: its ends}."""
    hosts = {}
    for i, f in enumerate(case["flows"]):
        sender, receiver = (f["peer"], None) if f["way"] == "in" else (None, f["peer"])
        asks = f["app"] == "reqresp"
        server = sender if asks else receiver
        for role, host in (("send", sender), ("receive", receiver)):
            connects = (role == "receive") == asks
            name = "x" if host is None else f"p{host}"
            hosts.setdefault(name, []).append({**f, "flow": i, "role": role, "connects": connects,
                                               "address": net.host(server), "port": 5201 + i})
    return hosts


def linux_capture(case, net, directory):
    places = {"capture": ("x", "wire") if case["tap"] == "host" else ("nx", "wire")}
    if case["far"] is not None:
        places["far"] = (f"p{case['far']}", "wire")
    taps = {}
    for name, (namespace, device) in places.items():
        with linux_net_inside(namespace):
            path = f"{directory}/{name}"
            command = ["chrt", "-r", "1", "dumpcap", "-q", "-s", str(SNAPLEN), "-B", "16", "-i", device, "-w", path]
            command += ["-P"] if case["format"] == "pcap" else []
            hidden = [f"port {5201 + i}" for i, f in enumerate(case["flows"]) if f.get("hidden")]
            command += ["-f", f"not ({' or '.join(hidden)})"] if hidden else []
            taps[path] = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return taps


def linux_run(case, acks_first, directory):
    """One run; {"ends": ..., "queues": ..., "start_s", "end_s"}. Captured into `directory`, if one is given."""
    net = LinuxNet(case, acks_first)
    taps, agents = {}, {}
    try:
        net.start()
        if directory:
            taps = linux_capture(case, net, directory)
        for name, ends in linux_ends(case, net).items():
            with linux_net_inside(name):
                agents[name] = subprocess.Popen([sys.executable, str(HERE / "linux_host.py")], stdin=subprocess.PIPE,
                                                stdout=subprocess.PIPE, text=True)
            agents[name].stdin.write(json.dumps(ends) + "\n")
            agents[name].stdin.flush()
        for agent in agents.values():
            agent.stdout.readline()
        time.sleep(0.5 if directory else 0)  # dumpcap says nothing that can be waited for
        start_s = time.time() + 0.2
        end_s = start_s + case["duration"]
        for agent in agents.values():
            agent.stdin.write(json.dumps([start_s, end_s]) + "\n")
            agent.stdin.flush()
        queues = LinuxQueues(net)
        ends = []
        for agent in agents.values():
            output, _ = agent.communicate(timeout=case["duration"] + 15)
            ends += json.loads(output)
        samples = queues.stop()
        for e in ends:
            if e["error"]:
                raise RuntimeError(f"{case['name']}: {e['error']}")
        return {"ends": ends, "queues": samples, "start_s": start_s, "end_s": end_s}
    finally:
        for p in list(taps.values()) + list(agents.values()):
            if p.poll() is None:
                p.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                p.wait(5)
            if p.poll() is None:
                p.kill()
        net.stop()


def linux_judges(flow):
    """Is the flow one that the answer is about? Those of somebody else, whom the same line serves, are not captured."""
    return flow["app"] != "udp" and not flow.get("hidden")


def linux_judged(case):
    return JUDGED * case["duration"], case["duration"] - 0.1  # the last samples come before the end


def linux_goodput(run, i, from_s, to_s):
    """Of flow `i` by its receiver's counter, Mb/s."""
    received = [[0.0, 0]] + next(e["received"] for e in run["ends"] if e["flow"] == i and e["role"] == "receive")

    def until(t):
        k = bisect.bisect_left(received, [t, 0])
        if k in (0, len(received)):
            return received[max(0, k - 1)][1]
        (t0, n0), (t1, n1) = received[k - 1:k + 1]
        return n0 + (n1 - n0) * (t - t0) / (t1 - t0)

    return (until(to_s) - until(from_s)) * 8 / (to_s - from_s) / 1e6


def linux_way(case, run, way, udp=False):
    from_s, to_s = linux_judged(case)
    return sum(linux_goodput(run, i, from_s, to_s) for i, f in enumerate(case["flows"])
               if f["way"] == way and (f["app"] == "udp") == udp and not f.get("hidden"))


def linux_queue(case, run, way, rate_mbps):
    """Wire share of the link, mean waits of data and of ACKs, drops, and the share of its rate that the link carried
    while its queue was never empty."""
    from_s = run["start_s"] + JUDGED * case["duration"]
    judged = [s for s in run["queues"][way] if from_s <= s[0] <= run["end_s"] - 0.05]
    if len(judged) < 10:
        return {"share": 0.0, "data_ms": 0.0, "ack_ms": 0.0, "drops": 0, "cpu": 0.0}

    def wire(sample):
        return sum(q[0] + OVERHEAD * q[1] for h, q in sample[1].items() if h >= DATA)

    def wait(sample, handle):
        q = sample[1].get(handle, (0, 0, 0, 0, 0))
        return (q[3] + OVERHEAD * q[2]) * 8 / rate_mbps / 1e3

    busy_s = busy_bytes = 0.0
    for a, b in zip(judged, judged[1:]):
        if sum(q[3] for h, q in a[1].items() if h >= DATA) * 8 > (b[0] - a[0]) * rate_mbps * 1e6:  # it cannot run dry
            busy_s += b[0] - a[0]
            busy_bytes += wire(b) - wire(a)
    span = judged[-1][0] - judged[0][0]
    own = case["queue"] == "ack-first"
    return {"share": (wire(judged[-1]) - wire(judged[0])) * 8 / span / rate_mbps / 1e6,
            "data_ms": statistics.fmean(wait(s, DATA) for s in judged),
            "ack_ms": statistics.fmean(wait(s, ACKS if own else DATA) for s in judged),
            "drops": sum(q[4] for q in judged[-1][1].values()) - sum(q[4] for q in judged[0][1].values()),
            "cpu": busy_bytes * 8 / busy_s / rate_mbps / 1e6 if busy_s > 0.3 else 1.0}


def linux_starved(case, run):
    return min(linux_queue(case, run, way, case["rate_" + way])["cpu"] for way in ("in", "out"))


def linux_lost(a, b):
    return 1 - a / b if b > 0.05 else 0.0


def linux_label(a, b):
    """a, b: {"in", "out"} as it is and with ACKs first."""
    total = linux_lost(a["in"] + a["out"], b["in"] + b["out"])
    ways = [linux_lost(a[w], b[w]) for w in ("in", "out") if b[w] > 0.05 * (b["in"] + b["out"])]
    return truth_label(total, ways)


def linux_info(run, i, from_s):
    """Round trips and shares of time by TCP_INFO of the sender: mean and least ms, retransmits, limited by whom."""
    rows = next(e["info"] for e in run["ends"] if e["flow"] == i and e["role"] == "send")
    judged = [r for r in rows if r[0] >= from_s]
    if len(judged) < 2:
        return {"mean_rtt_ms": 0, "min_rtt_ms": 0, "retransmits": 0, "busy": 0, "rwnd_limited": 0, "sndbuf_limited": 0,
                "unsent": 0}
    span = (judged[-1][0] - judged[0][0]) * 1e6
    share = [round((judged[-1][k] - judged[0][k]) / span, 3) for k in (6, 7, 8)]
    return {"mean_rtt_ms": round(statistics.fmean(r[1] for r in judged) / 1e3, 2),
            "min_rtt_ms": round(judged[-1][2] / 1e3, 3), "retransmits": judged[-1][5] - judged[0][5],
            "busy": share[0], "rwnd_limited": share[1], "sndbuf_limited": share[2],
            "unsent": round(statistics.fmean(r[9] >= SEGMENT for r in judged), 3)}


def linux_flows(case, run):
    """Rows of flows.csv."""
    from_s, to_s = linux_judged(case)
    queue = {w: linux_queue(case, run, w, case["rate_" + w]) for w in ("in", "out")}
    rows = []
    for i, flow in enumerate(case["flows"]):
        end = next(e for e in run["ends"] if e["flow"] == i and e["role"] == "send")
        udp, info = flow["app"] == "udp", linux_info(run, i, from_s)
        other = "out" if flow["way"] == "in" else "in"
        waits = case["queue"] != "fair" and not udp
        rows.append(dict(zip(FLOWS, [
            flow["way"], "hidden" if flow.get("hidden") else "udp" if udp else "tcp", *end["local"], *end["remote"], flow["cc"], flow.get("window", ""),
            round(linux_goodput(run, i, from_s, to_s), 3), flow["delay_ms"], info["min_rtt_ms"], info["mean_rtt_ms"],
            info["retransmits"], flow["app"], round(queue[flow["way"]]["data_ms"], 2) if waits else "",
            round(queue[other]["ack_ms"], 2) if waits else "", info["busy"], info["rwnd_limited"],
            info["sndbuf_limited"], info["unsent"], flow["start"]])))
    return rows


def linux_write(case, run, rows, directory):
    """flows.csv and series.csv of the captured run."""
    with open(f"{directory}/{case['name']}.flows.csv", "w", newline="") as f:
        w = csv.DictWriter(f, FLOWS)
        w.writeheader()
        w.writerows(rows)
    with open(f"{directory}/{case['name']}.series.csv", "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(["t_s", "in_mbps", "out_mbps"])
        for k in range(int(case["duration"] * 10)):
            w.writerow([round(0.1 * (k + 1), 1)] + [
                round(sum(linux_goodput(run, i, 0.1 * k, 0.1 * (k + 1)) for i, flow in enumerate(case["flows"])
                          if flow["way"] == way and linux_judges(flow)), 3) for way in ("in", "out")])


def linux_tag(data):
    """A pcap file's frames with an 802.1Q tag of VLAN 5, as a trunk's mirror port would show them."""
    out, at = bytearray(data[:24]), 24
    while at + 16 <= len(data):
        s, fraction, kept, size = struct.unpack_from("=IIII", data, at)
        frame = data[at + 16:at + 16 + kept]
        tagged = (frame[:12] + b"\x81\x00\x00\x05" + frame[12:])[:SNAPLEN]
        out += struct.pack("=IIII", s, fraction, len(tagged), size + 4) + tagged
        at += 16 + kept
    return bytes(out)


def linux_bare(data):
    """A pcapng file without what dumpcap writes about the machine: packets, and the resolution of their times."""
    out, at = bytearray(), 0
    while at + 12 <= len(data):
        kind, size = struct.unpack_from("=II", data, at)
        body = data[at + 8:at + size - 4]
        if kind == 0x0A0D0D0A:
            body = body[:16]
        elif kind == 1:
            options, k = b"", 8
            while k + 4 <= len(body):
                code, length = struct.unpack_from("=HH", body, k)
                padded = 4 + (length + 3 & ~3)
                options += body[k:k + padded] if code in (0, 9) else b""  # if_tsresol
                k += padded
            body = body[:8] + options
        if kind in (0x0A0D0D0A, 1, 6):
            out += struct.pack("=II", kind, len(body) + 12) + body + struct.pack("=I", len(body) + 12)
        at += size
    return bytes(out)


def linux_store(case, temporary, directory):
    for tap in ("capture", "far"):
        if os.path.exists(f"{temporary}/{tap}"):
            data = pathlib.Path(temporary, tap).read_bytes()
            data = linux_tag(data) if case["vlan"] else linux_bare(data) if case["format"] == "pcapng" else data
            name = f"{case['name']}{'.far' if tap == 'far' else ''}.{case['format']}.xz"
            pathlib.Path(directory, name).write_bytes(lzma.compress(data, preset=6))


def linux_measure(case, acks_first, temporary=None):
    """A run that the CPU did not spoil, if `TRIES` are enough for one."""
    best = None
    for _ in range(TRIES):
        try:
            run = linux_run(case, acks_first, temporary)
        except (RuntimeError, OSError, ValueError, IndexError, subprocess.TimeoutExpired) as e:
            print(f"{case['name']}: {e}", file=sys.stderr, flush=True)
            continue
        run["cpu"] = linux_starved(case, run)
        if temporary or best is None or run["cpu"] > best["cpu"]:
            best = run
        if run["cpu"] >= STARVED:
            break
    return best


def linux_case(case, directory, repeats):
    """A row of truth.csv, or None."""
    with tempfile.TemporaryDirectory() as temporary:
        runs = {False: [], True: []}
        for k in range(repeats):
            for acks_first in (False, True):
                run = linux_measure(case, acks_first, temporary if k == 0 and not acks_first else None)
                if run is None:
                    return None
                runs[acks_first].append(run)
        linux_store(case, temporary, directory)
    rates = {side: [{w: linux_way(case, r, w) for w in ("in", "out")} for r in runs[side]] for side in runs}
    mean = {side: {w: statistics.fmean(r[w] for r in rates[side]) for w in ("in", "out")} for side in runs}
    labels = {linux_label(a, b) for a in rates[False] for b in rates[True]}
    label = linux_label(mean[False], mean[True])
    captured = runs[False][0]
    flows = linux_flows(case, captured)
    linux_write(case, captured, flows, directory)
    queue = {w: linux_queue(case, captured, w, case["rate_" + w]) for w in ("in", "out")}
    cpu = min(r["cpu"] for side in runs.values() for r in side)
    a, b = mean[False], mean[True]
    share = {w: queue[w]["share"] for w in ("in", "out")}

    def spread(side):
        return round(max((abs(r[w] - s[w]) / max(b["in"] + b["out"], 0.1) for r in rates[side] for s in rates[side]
                          for w in ("in", "out"))), 4)

    row = {"name": case["name"], "class": case["class"], "description": case["description"],
           "host": "fd09:1::2" if case["ipv6"] else "10.9.1.2", "capture": case["tap"], "rate_in": case["rate_in"],
           "rate_out": case["rate_out"],
           "flows_in": sum(f["way"] == "in" and linux_judges(f) for f in case["flows"]),
           "flows_out": sum(f["way"] == "out" and linux_judges(f) for f in case["flows"]),
           "a_in": a["in"], "a_out": a["out"], "b_in": b["in"], "b_out": b["out"],
           "captured_in": rates[False][0]["in"], "captured_out": rates[False][0]["out"],
           "lost_in": linux_lost(a["in"], b["in"]), "lost_out": linux_lost(a["out"], b["out"]),
           "lost_total": linux_lost(a["in"] + a["out"], b["in"] + b["out"]),
           "share_in": share["in"], "share_out": share["out"],
           "saturated_in": int(share["in"] >= FULL), "saturated_out": int(share["out"] >= FULL),
           "ack_wait_in_ms": round(queue["in"]["ack_ms"], 2), "ack_wait_out_ms": round(queue["out"]["ack_ms"], 2),
           "drops": queue["in"]["drops"] + queue["out"]["drops"],
           "retransmits": sum(linux_info(captured, i, 0)["retransmits"] for i, f in enumerate(case["flows"])
                              if f["app"] != "udp"),
           "udp_in": linux_way(case, captured, "in", True), "udp_out": linux_way(case, captured, "out", True),
           "a_spread": spread(False), "b_spread": spread(True), "label_stable": int(len(labels) == 1),
           "cpu_share": cpu, "starved": int(cpu < STARVED), "asymmetry": label,
           "cause": truth_cause_yes({w: linux_lost(a[w], b[w]) for w in a}, {w: case["rate_" + w] for w in a},
                                    {f["way"] for f in case["flows"] if linux_judges(f)}) if label == "yes" else
           linux_cause(case, share, queue["in"]["drops"] + queue["out"]["drops"], flows),
           "judged_from_s": JUDGED * case["duration"], "judged_to_s": case["duration"] - 0.1,
           "start_epoch_s": captured["start_s"]}
    return {k: round(v, 6 if k == "start_epoch_s" else 4) if isinstance(v, float) else v for k, v in row.items()}


def linux_limit(case, i, row, share, drops):
    """What kept flow i from sending more, by the sender's kernel and what the experiment knows; `row` of flows.csv."""
    flow = case["flows"][i]
    back = "out" if flow["way"] == "in" else "in"
    idle = row["unsent"] < MOSTLY  # a bulk sender always has more, in its buffer or beside it
    if row["goodput_mbps"] >= TAKES * flow.get("read_mbps", math.inf):
        return "receiver"
    if flow["app"] == "reqresp" or (idle and flow["app"] != "bulk"):
        return "application"
    if share[back] >= FULL and all(f["way"] != back for f in case["flows"]):  # with nothing but ACKs
        return "thin_ack_path"
    if idle or row["rwnd_limited"] >= MOSTLY:
        return "send_buffer" if idle else "window"
    lost = row["retransmits"] >= LOST
    return "policing" if lost and case[f"police_{flow['way']}"] and not drops else "losses" if lost else "window"


def linux_cause(case, share, drops, rows):
    """Of a "no"; `drops`: of the shaped queues."""
    tcp = [(i, r) for i, r in enumerate(rows) if r["protocol"] == "tcp"]
    return truth_cause({w: share[w] for w in {r["way"] for _, r in tcp}},
                       [(r["way"], r["goodput_mbps"], linux_limit(case, i, r, share, drops)) for i, r in tcp])


def linux_done(path):
    if not path.exists():
        return []
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def linux_inside(arguments, chosen):
    subprocess.run(["mount", "-t", "tmpfs", "none", "/run/netns"], check=True)
    part = pathlib.Path(arguments.directory, f".truth.{arguments.inside}.csv")
    for case in chosen:
        row = linux_case(case, arguments.directory, arguments.repeats)
        if row is None:
            print(f"{case['name']}: no run, left out", file=sys.stderr, flush=True)
            continue
        new = not part.exists()
        with open(part, "a", newline="") as f:
            w = csv.DictWriter(f, TRUTH)
            if new:
                w.writeheader()
            w.writerow(row)
        print(f"{row['name']:32} {row['a_in']:7.2f} {row['a_out']:7.2f} -> {row['b_in']:7.2f} {row['b_out']:7.2f}  "
              f"{row['asymmetry']:8} {row['cause']:20} cpu {row['cpu_share']:.3f}", flush=True)


def linux_merge(directory, known):
    """The parts that sandboxes wrote, into truth.csv, in the order of the `known` cases."""
    rows = {r["name"]: r for r in linux_done(directory / "truth.csv")}
    parts = sorted(directory.glob(".truth.*.csv"))
    for part in parts:
        rows.update({r["name"]: r for r in linux_done(part)})
    if not rows:
        return
    order = {c["name"]: i for i, c in enumerate(known)}
    with open(directory / "truth.csv", "w", newline="") as f:
        w = csv.DictWriter(f, TRUTH)
        w.writeheader()
        w.writerows(sorted(rows.values(), key=lambda r: order.get(r["name"], len(order))))
    for part in parts:
        part.unlink()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("directory")
    p.add_argument("--only", default="", help="cases whose name or class contains this")
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--repeats", type=int, default=2, help="runs as it is, and as many with ACKs first")
    p.add_argument("--again", action="store_true", help="also cases that were starved or have an unstable label")
    p.add_argument("--random", type=int, metavar="COUNT", help="cases drawn off the grid instead")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--class", dest="kind", choices=list(CLASSES), help="with --random: of this class alone")
    p.add_argument("--inside", help=argparse.SUPPRESS)
    p.add_argument("--names", help=argparse.SUPPRESS)
    arguments = p.parse_args()
    known = cases if arguments.random is None else random_cases(arguments.random, arguments.seed, arguments.kind)
    if arguments.inside is not None:
        names = arguments.names.split(",")
        return linux_inside(arguments, [c for c in known if c["name"] in names])
    reason = linux_cannot()
    if reason:
        print(f"skipped: {reason}")
        return SKIP
    directory = pathlib.Path(arguments.directory)
    directory.mkdir(parents=True, exist_ok=True)
    linux_merge(directory, known)
    done = {r["name"] for r in linux_done(directory / "truth.csv")
            if not (arguments.again and (r["starved"] == "1" or r["label_stable"] == "0"))}
    wanted = [c["name"] for c in known
              if c["name"] not in done and (arguments.only in c["name"] or arguments.only == c["class"])]
    jobs = []
    for k in range(min(arguments.jobs, len(wanted))):
        command = [sys.executable, str(pathlib.Path(__file__).resolve()), str(directory), "--inside", str(k),
                   "--repeats", str(arguments.repeats), "--names", ",".join(wanted[k::arguments.jobs])]
        if arguments.random is not None:
            command += ["--random", str(arguments.random), "--seed", str(arguments.seed)]
            command += ["--class", arguments.kind] if arguments.kind else []
        jobs.append(subprocess.Popen(linux_net_sandbox(command), preexec_fn=linux_net_die_with_parent))
    try:
        failed = [j.wait() for j in jobs]
    finally:
        for j in jobs:
            if j.poll() is None:
                j.kill()
        linux_merge(directory, known)
    return 3 if any(failed) else 0


if __name__ == "__main__":
    sys.exit(main())
