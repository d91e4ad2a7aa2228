#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a probe tells: emulated captures whose last part has pulses of load, as `check -i --probe` sends them.

    pulsed.py CONTRAFLOW DIR [--count 60] [--first 0] [--seed 1] [--jobs 2] [--class constant_rate,...] [--cut] [--native] [--again]

Each scenario is drawn by emulated.py, on links of up to 200 Mb/s. As it is, and with ACKs first, it has the truth of its
judged phase. Then it goes on for three quarters of its time, without and with pulses that a host of its own behind the same
switch sends to h0 and from it, by turns: four connections, eight, and sixteen, of ten segments each. Both captures are
judged. NUMBER.pcap and NUMBERp.pcap are kept in DIR, and truth.json."""
import argparse
import concurrent.futures
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

import emulated
from cut import cut_pcap
from emulated import Draw, Phase, emulated_label, emulated_lost, emulated_most, emulated_pair, emulated_run

DOSES = (4, 4, 8, 8, 16, 16)  # connections of a pulse, of ten segments each
AT_ONCE, SEGMENT = 10, 1448
PERIOD = 1 / 8  # of the scenario, from one pulse to the next
MOST_RATE = 2e8  # bit/s: of faster links the stamps' ticks of 1 ms hide what pulses do
PORT = 4717


def pulsed(document, draw, pulses=True):
    """The scenario with pulses after its end, or as long without, and their host's number."""
    d = json.loads(json.dumps(document))
    host = int(max([d["network"].get("hosts", 0)] + [1 + int(e[1:]) for f in d["traffic"]["flows"]
                                                      for e in (f["from"], f["to"])]))
    probe = f"h{host}"
    if "links" in d["network"]:
        far = any("isp" in (c["from"], c["to"]) for c in d["network"]["links"])  # behind the line that is asked about
        d["network"]["links"].append({"from": probe, "to": "isp" if far else "sw0", "rate": "1Gbps", "delay": "1us"})
    elif d["network"]["topology"] == "tree":
        d["network"]["racks"][1] += 1
    else:
        d["network"]["hosts"] = host + 1
    for k, streams in enumerate(DOSES if pulses else ()):
        for i in range(streams):
            ends = {"from": probe, "to": "h0"} if k % 2 == 0 else {"from": "h0", "to": probe}
            start = draw.duration * (1 + k * PERIOD) + i * 1e-9
            d["traffic"]["flows"].append({"name": f"p{k}x{i}", **ends, "window": f"{AT_ONCE * SEGMENT}B",
                                          "bytes": f"{AT_ONCE * SEGMENT}B", "start": f"{round(start * 1e9)}ns"})
    d["duration"] = f"{round(draw.duration * (1 + len(DOSES) * PERIOD) * 1e9)}ns"
    return d, host


def pulsed_ports(data, host):
    """The capture with the probe's server at its port, whatever the emulation gave it."""
    data, at = bytearray(data), 24
    order = "<" if data[:1] in (b"\xd4", b"\x4d") else ">"
    address = bytes([10, 0, 0, host + 1])
    while at + 16 <= len(data):
        kept = struct.unpack_from(order + "I", data, at + 8)[0]
        ip = at + 16 + 14
        ports = ip + 4 * (data[ip] & 15)
        for offset, port in ((12, 0), (16, 2)):
            if data[ip + offset:ip + offset + 4] == address and data[ip + 9] == 6:
                struct.pack_into(">H", data, ports + port, PORT)
        at += 16 + kept
    return bytes(data), "10.0.0." + str(host + 1)


def pulsed_check(contraflow, path, *options):
    done = subprocess.run([contraflow, "check", "--json", str(path), *options], capture_output=True, text=True)
    for r in json.loads(done.stdout or '{"resources": []}')["resources"]:
        if r["host"] == "10.0.0.1" and r["diagnosis"]:
            return r["diagnosis"]
    return {"asymmetry": "unknown", "why": done.stderr.strip()[-200:]}


def pulsed_scenario(job):
    o, number = job
    for attempt in range(40):
        draw = Draw(o.seed, number, attempt, "native" if o.native else None, o.kinds, o.cut)
        if draw.rate > MOST_RATE or draw.engine != "native" or draw.kind in ("pause", "stopped", "slow_host", "short", "messages"):
            continue
        document = draw.document()
        tap = "h0" if draw.taps == ["h0"] else draw.r.choice(draw.taps)
        seed = o.seed + number
        with tempfile.TemporaryDirectory() as t:
            try:
                whole = emulated_run(o.contraflow, document, t, seed, False)
                emulated_run(o.contraflow, pulsed(document, draw, False)[0], t, seed, False, None, tap)
                captures = [pathlib.Path(t, "run", f"{tap}.pcap").read_bytes()]
                begin = document["warmup"]
                share = draw.cut / (1 + len(DOSES) * PERIOD)
                if o.cut:
                    n = len(captures[0])
                    captures[0], _, cut_s = cut_pcap(captures[0], share)
                    dropped = n - len(captures[0])
                    begin = f"{max(int(begin[:-2]), round(cut_s * 1e9))}ns"
                before = emulated_run(o.contraflow, document, t, seed, False, begin)
                plain = Phase(draw, before, whole)
                first = emulated_pair(o.contraflow, draw, document, t, seed, True, begin)
                longer, host = pulsed(document, draw)
                emulated_run(o.contraflow, longer, t, seed, False, None, tap)
                data, address = pulsed_ports(pathlib.Path(t, "run", f"{tap}.pcap").read_bytes(), host)
                captures.append(data[:24] + data[24 + dropped:] if o.cut else data)
            except (RuntimeError, subprocess.TimeoutExpired) as e:
                print(f"{number}.{attempt} {draw.kind}: {str(e)[:200]}", file=sys.stderr, flush=True)
                continue
        a, b = ({w: p.way(w) for w in ("in", "out")} for p in (plain, first))
        label = emulated_label(a, b)
        if draw.unlike and emulated_label(a, {w: min(b[w], emulated_most([plain], w)) for w in b}) != label:
            label = "unclear"
        answers = []
        for k, (data, options) in enumerate(zip(captures, ([], ["--probe", f"{address}:{PORT}"]))):
            path = o.directory / f"{number:05}{'p' * k}.pcap"
            path.write_bytes(data)
            answers.append(pulsed_check(o.contraflow, path, *options))
        lost = emulated_lost(sum(a.values()), sum(b.values()))
        return number, draw.kind, tap, label, lost, answers, address
    return None


def pulsed_outcome(answer, label):
    return "unclear" if label == "unclear" else "silent" if answer == "unknown" else "right" if answer == label else \
        f"wrong {answer}"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("contraflow")
    p.add_argument("directory", type=pathlib.Path)
    p.add_argument("--count", type=int, default=60)
    p.add_argument("--first", type=int, default=0)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--class", dest="kinds", type=lambda text: text.split(","))
    p.add_argument("--cut", action="store_true")
    p.add_argument("--native", action="store_true")
    p.add_argument("--again", action="store_true", help="judge what is there once more")
    o = p.parse_args()
    o.directory.mkdir(parents=True, exist_ok=True)
    kept = o.directory / "truth.json"
    if o.again:
        rows = json.loads(kept.read_text())
        for r in rows:
            r[5] = [pulsed_check(o.contraflow, o.directory / f"{r[0]:05}{'p' * k}.pcap",
                                 *([] if k == 0 else ["--probe", f"{r[6]}:{PORT}"])) for k in (0, 1)]
        kept.write_text(json.dumps(rows))
    else:
        with concurrent.futures.ProcessPoolExecutor(o.jobs) as pool:
            rows = [r for r in pool.map(pulsed_scenario, [(o, n) for n in range(o.first, o.first + o.count)]) if r]
        kept.write_text(json.dumps(rows))
    counts = {}
    for number, kind, tap, label, lost, answers, _ in rows:
        what = [pulsed_outcome(a["asymmetry"], label) for a in answers]
        for k, w in enumerate(what):
            counts[k, w] = counts.get((k, w), 0) + 1
        if what != ["right", "right"] and label != "unclear":
            print(f"{number:4} {kind:14} {tap:7} truth {label:3} {100 * lost:5.1f} %  {what[0]:9} then {what[1]:9} "
                  f"{answers[0].get('why')} | {answers[1].get('cause')}: {answers[1].get('why')}", flush=True)
    for k, name in enumerate(("without", "with")):
        print(name, {w: n for (j, w), n in sorted(counts.items()) if j == k})
    return 0


if __name__ == "__main__":
    sys.exit(main())
