# SPDX-License-Identifier: GPL-2.0-or-later
"""Whole exchanges of doc/below.md, for scripts/below: what the papers print of them, platform by platform, and what mechanisms
make of it.

A platform has figures, each with its scatter, and hypotheses with a parameter that is not known. The parameter is one for all
figures of the platform, equally likely at each point of its grid, and free from platform to platform; a hypothesis' evidence is
the mean over its grid of the product over figures of normal densities, of the logarithm for times and of the share for shares.
What the engine is off Linux itself, 5 % where frames are lost (emu/native/README.md), is added to the scatter of TCP's."""
import csv
import json
import math
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENGINE = 0.05
TIMES, SHARE = 10.0, 1.0  # "none of these": a time may be anything within a factor of ten, a share anything from 0 to 1

COLD = ["tcp.initial_window=2", "tcp.idle_restart=true"]
HELD = ["tcp.delayed_ack=2", "tcp.delayed_ack_timeout=35ms"]
BUFFERS = ["32kB", "64kB", "512kB"]
FE_BUFFERS = ["16kB", "40kB", "128kB", "512kB"]
GE_BUFFERS = ["40kB", "128kB", "512kB", "2MB", "4MB"]


def buffers(sizes, *sets):
    return [[f"network.switch.limit={b}", *sets] for b in sizes]


def signature(n, gamma, delta_s, threshold, beta_s, alpha_s=60e-6):
    """Eq. 5 of Steffenel 2006; alpha is not printed, and nearly nothing of sizes that are weighed."""
    return lambda m: (n - 1) * ((alpha_s + m * beta_s) * gamma + (delta_s if m >= threshold else 0))


def exchange(scenario, hosts, size, repeat, *sets):
    return [scenario, f"traffic.exchange.bytes={size}B", f"traffic.exchange.repeat={repeat}", *hosts, *sets]


def star(n):
    return [f"network.hosts={n}"]


def mesh(n):
    return [f"network.racks=[{n}, {n}, {n}, {n}]"]


def bunyip():
    """Vaughan, Grove and Coddington 2003, sections 6 and 7: what the text says of figures that are missing. "About half" is
    taken to 0.1, "nobody" to 0.02, "about 100 ms" and the like to 10 %: nothing is printed of their scatter."""
    one, four = "alltoall", "bunyip"
    late, first, mean = "late", "first_s", "mean_s"
    return [("4 B, 48: late", one, star(48), 4, 10, late, 0.0, 0.02), ("4 kB, 8: late", one, star(8), 4096, 20, late, 0.0, 0.02),
            ("4 kB, 32: late", one, star(32), 4096, 10, late, 0.0, 0.02), ("16 kB, 8: late", one, star(8), 16384, 40, late, 0.5, 0.1),
            ("16 kB, 8: in time", one, star(8), 16384, 40, first, 0.02, 0.1),
            ("16 kB, 32: mean", one, star(32), 16384, 10, mean, 0.06, 0.1),
            ("tetrahedron, 4 kB, 64: late", four, mesh(16), 4096, 6, late, 0.0, 0.02),
            ("tetrahedron, 16 kB, 32: mean", four, mesh(8), 16384, 10, mean, 0.05, 0.1),
            ("tetrahedron, 16 kB, 64: mean", four, mesh(16), 16384, 6, mean, 0.1, 0.1)]


def steffenel(n, sizes, gamma, delta_s, threshold, beta_s):
    """Three numbers are printed of all sizes, off by less than 10 % (Fig. 8): each time has that, times the root of sizes a
    number. Below M it is of small messages, of which the model is inaccurate, as he says (section 6): a factor of e."""
    of, scatter = signature(n, gamma, delta_s, threshold, beta_s), 0.1 * math.sqrt(len(sizes) / 3)
    return [(f"{m // 1000} kB", "alltoall", star(n), m, 2, "whole_s", of(m), scatter if m >= threshold else 1.0) for m in sizes]


def tam():
    """Tam 2001, Tables 4.1, 4.2 and 4.4: what many senders of Go-Back-N get through one port. A table of senders, window and
    timeout is 2.5 % off a smooth surface (test/papers/record.py: smooth)."""
    out = []
    for table, name in (("Table 4.1", "table4_1"), ("Table 4.4", "switches")):
        with open(ROOT / f"test/data/papers/tam2001_{name}.csv", encoding="utf-8") as f:
            for r in csv.DictReader(line for line in f if not line.startswith("#")):
                if r.get("switch") == "IBM416":
                    continue  # is in Table 4.1, or has no buffer of its own here
                place = {"Cisco2980": "Table 4.2, 128 packets", "uplink": "Table 4.4, an uplink"}.get(r.get("switch"), table)
                sets = [f"gbn.window={r['window']}", f"gbn.timeout={123 * int(r['to_gr'])}us", f"traffic.star.incoming={r['senders']}"]
                if r.get("switch") == "uplink":
                    sets.append(f"network.racks=[1, 8, {int(r['senders']) - 8}]")
                elif "switch" in r:
                    sets.append(f"network.switch.limit={r['buffer_packets']}p")
                out.append((f"{place}: P {r['senders']} W {r['window']} TO {r['to_gr']}",
                            "tam-uplink" if r.get("switch") == "uplink" else "tam-output", sets, 0, 1, "efficiency",
                            float(r["teff_measured"]), 0.0255))
    return out


def changed(sets, point):
    """A point may add to timeouts, and scale buffers; all else it sets."""
    out = list(sets)
    for s in point:
        key, value = s.split("=", 1)
        if key in ("ticks", "buffers"):
            unit, name = ("us", "gbn.timeout") if key == "ticks" else ("p", "network.switch.limit")
            if key == "buffers" and not any(o.startswith(name) for o in out):
                out.append(f"{name}={45 if any('racks' in o for o in out) else 95}p")
            for i, o in enumerate(out):
                if o.startswith(name):
                    had = int(o.split("=")[1].removesuffix(unit))
                    out[i] = f"{name}={had + int(value) if key == 'ticks' else round(had * float(value))}{unit}"
        else:
            out.append(s)
    return out


FAST = ["network.link.delay=5us", "network.nic.limit=10000p", "tcp.initial_window=2", "tcp.delayed_ack=2"]
SIZES = [1000, 4000, 16000, 64000, 256000, 1000000]

JITTERS = ["0.05", "0.15", "0.3"]

# name: (figures, what all hypotheses set, {hypothesis: points of its grid})
PLATFORMS = {
    "bunyip": (bunyip(), ["traffic.exchange.period=300ms"], {
        "losses, 30 ms": buffers(BUFFERS, "tcp.min_rto=30ms", "tcp.initial_window=10"),
        "losses, 200 ms": buffers(BUFFERS, "tcp.min_rto=200ms", "tcp.initial_window=10"),
        "losses, 30 ms, cold windows": buffers(BUFFERS, "tcp.min_rto=30ms", *COLD),
        "inputs, 30 ms": buffers(BUFFERS, "network.switch.architecture=input", "tcp.min_rto=30ms", "tcp.initial_window=10"),
        "Nagle and held ACKs": buffers(BUFFERS, "tcp.min_rto=200ms", "tcp.nagle=true", *COLD, *HELD),
        "held ACKs, cold windows": buffers(BUFFERS, "tcp.min_rto=200ms", *COLD, *HELD),
        "inputs, Nagle and held ACKs": buffers(BUFFERS, "network.switch.architecture=input", "tcp.min_rto=200ms", "tcp.nagle=true",
                                               *COLD, *HELD),
        "a processor, Nagle and held ACKs": [[f"network.host.processor={p}", "network.switch.limit=512kB", "tcp.min_rto=200ms",
                                              "tcp.nagle=true", *COLD, *HELD] for p in ("20us", "40us", "60us")],
        "a processor, losses, 30 ms": [[f"network.host.processor={p}", f"network.switch.limit={b}", "tcp.min_rto=30ms",
                                        "tcp.initial_window=10"] for p, b in (("20us", "64kB"), ("60us", "64kB"), ("60us", "32kB"))]}),
    "fast": (steffenel(24, SIZES, 1.0195, 0.00823, 2048, 8.502e-8), FAST, {
        "ports": buffers(FE_BUFFERS), "ports of five switches on 1 Gbps":
            buffers(FE_BUFFERS, "network.topology=tree", "network.racks=[5, 5, 5, 5, 4]", "network.backbone.rate=1Gbps",
                    "network.root={architecture: output, limit: 512kB}"),
        "PAUSE": buffers(["128kB", "512kB"], "network.switch.pause.on=true"),
        "ports, flows by turns": buffers(FE_BUFFERS, "network.switch.queue=fair"),
        "a processor, ports": [[f"network.host.processor={p}", f"network.switch.limit={b}"]
                               for p, b in (("20us", "40kB"), ("60us", "40kB"), ("60us", "128kB"))]}),
    "gigabit": (steffenel(40, [2000] + SIZES[2:], 4.3628, 0.00493, 8192, 8.502e-9),
                ["network.link.rate=1Gbps", *FAST], {
        "ports": buffers(GE_BUFFERS), "ports of two switches on 4 Gbps":
            buffers(GE_BUFFERS, "network.topology=tree", "network.racks=[20, 20]", "network.backbone.rate=4Gbps"),
        "ports of two switches on 2 Gbps":
            buffers(GE_BUFFERS, "network.topology=tree", "network.racks=[20, 20]", "network.backbone.rate=2Gbps"),
        "PAUSE": buffers(["512kB"], "network.switch.pause.on=true"),
        "ports, flows by turns": buffers(GE_BUFFERS, "network.switch.queue=fair"),
        "a processor, ports": [[f"network.host.processor={p}", "network.switch.limit=4MB"] for p in ("10us", "30us")],
        "a processor and its ring": [[f"network.host.processor={p}", "network.host.rx_ring=256", "network.switch.limit=4MB"]
                                     for p in ("10us", "20us", "30us")]}),
    "tables": (tam(), [], {
        "as he describes it": [[f"gbn.jitter={j}"] for j in JITTERS],
        "timers of 10 ms ticks": [[f"gbn.jitter={j}", "ticks=5000"] for j in JITTERS],
        "smaller buffers": [[f"buffers={b}"] for b in ("0.7", "0.85")],
        "outputs at the uplink, too": [[f"gbn.jitter={j}", "network.switch.architecture=output"] for j in JITTERS],
        "shorter rings": [[f"gbn.ring={r}"] for r in ("16", "32")],
        "users that are slower": [[f"gbn.user_overhead={u}us"] for u in ("30", "60", "80", "100")]})}


def steps():
    """{name: (platform, what a point sets)}: one is made at a time, and kept."""
    return {f"{platform}-{text}-{i}": ("platform", platform, point) for platform, (_, _, of) in PLATFORMS.items()
            for text, points in of.items() for i, point in enumerate(points)}


def hosts_of(hosts, point):
    """A tree has racks in place of hosts."""
    return [] if any(s.startswith("network.racks=") for s in point) else hosts


def measured(contraflow, directory, platform, point):
    """What each figure is at this point: {figure: value}, and what is sent again of what is sent, over all."""
    figures, common, _ = PLATFORMS[platform]
    found, done = {}, {}
    for name, scenario, hosts, size, repeat, take, _, _ in figures:
        key = scenario, tuple(hosts), size
        if key not in done:
            words = [f"scenarios/{scenario}.yaml", *changed(hosts, point)] if platform == "tables" else \
                exchange(f"scenarios/{scenario}.yaml", hosts_of(hosts, point), size, repeat, *common, *point, "capture=[]",
                         *(["traffic.exchange.period=0s"] if platform != "bunyip" else []))
            text = (ROOT / words[0]).read_text()
            if any(s.startswith("network.racks=") for s in point):
                text = "\n".join(line for line in text.splitlines() if not line.startswith("  hosts:"))
            path = directory / "platform.yaml"
            path.write_text(text)
            run = subprocess.run([contraflow, "run", path, "-o", directory / "run", "-q", "--json",
                                  *(w for s in words[1:] for w in ("--set", s))], capture_output=True, text=True, check=False)
            if run.returncode:
                raise SystemExit(f"{' '.join(words)}: {run.stderr}")
            checked = subprocess.run([contraflow, "check", directory / "run", "--json", "--exit-zero", "--quick"], capture_output=True,
                                     text=True, check=True).stdout
            p = json.loads(checked)["programs"][0]
            done[key] = {"efficiency": p["efficiency"], "again": p["nacks"] + p["timeouts"]} if platform == "tables" else {
                "late": late(p["processes"], size, hosts), "mean_s": p["processes"]["mean_s"],
                "first_s": p["processes"]["clusters"][0]["mean_s"], "whole_s": p["whole_mean_s"],
                "again": sum(f["retransmitted_segments"] for f in json.loads(run.stdout)["runs"][0]["flows"])}
        found[name] = done[key][take]
    return {"figures": found, "again": sum(d["again"] for d in done.values())}


def late(processes, size, hosts):
    """The share of processes that take 20 ms longer than half as long again as their bytes do through one interface: where all
    wait for a timer they are one cluster."""
    n = sum(int(word) for word in re.findall(r"\d+", hosts[0]))
    after_s = 1.5 * (n - 1) * size * 8 / 100e6 + 0.02
    counts = processes["bins"]
    return sum(c for i, c in enumerate(counts) if processes["bin0_s"] + i * processes["bin_s"] >= after_s) / sum(counts)


def deviation(figure):
    return figure[7] if figure[5] == "efficiency" else math.hypot(figure[7], ENGINE)


def off(figure, value):
    """In deviations."""
    take, published, _ = figure[5:]
    return (value - published if take == "late" else math.log(value / published)) / deviation(figure)


def log_density(figure, value):
    return -off(figure, value) ** 2 / 2 - math.log(deviation(figure) * math.sqrt(2 * math.pi))


def none_density(figure):
    return -math.log(math.log(TIMES) if figure[5].endswith("_s") else SHARE)


def columns(platform):
    """{column: figures}: those of a table are one."""
    out = {}
    for f in PLATFORMS[platform][0]:
        out.setdefault(f[0].split(": P")[0], []).append(f)
    return out


def cell(figures, at):
    """A value, in brackets if it is more than two deviations off; of several their root mean square of how far they are off."""
    if len(figures) == 1:
        f, value = figures[0], at[figures[0][0]]
        text = f"{value:.2f}" if f[5] == "late" else f"{1000 * value:.3g} ms" if value < 1 else f"{value:.3g} s"
        return text if abs(off(f, value)) <= 2 else f"({text})"
    return f"{100 * math.sqrt(sum(math.log(at[f[0]] / f[6]) ** 2 for f in figures) / len(figures)):.1f} %"


FIXED = ("tcp.", "network.topology", "network.racks", "network.root", "network.backbone", "network.switch.architecture",
         "network.switch.queue", "network.switch.pause", "network.host.rx_ring", "ticks")


def table(platform, found, make):
    """A row a hypothesis at its likeliest point; figures that are more than two deviations off are in brackets."""
    figures, _, of = PLATFORMS[platform]
    shown, rows = columns(platform), []
    for text, points in of.items():
        at = [found.get(f"{platform}-{text}-{i}") for i in range(len(points))]
        if not all(at):
            return None
        logs = [sum(log_density(f, a["figures"][f[0]]) for f in figures) for a in at]
        best = max(range(len(at)), key=logs.__getitem__)
        top = max(logs)
        rows.append((top + math.log(sum(math.exp(x - top) for x in logs) / len(logs)), text, " ".join(p.split("=", 1)[1] for p in points[best] if not p.startswith(FIXED)), at[best]))
    none = sum(none_density(f) for f in figures)
    total = max([none, *(r[0] for r in rows)])
    weight = math.exp(none - total) + sum(math.exp(r[0] - total) for r in rows)
    first = max(r[0] for r in rows)
    out = [["measured", "", "", *(cell(fs, {f[0]: f[6] for f in fs}) if len(fs) == 1 else "" for fs in shown.values()), "", ""]]
    for log, text, point, at in sorted(rows, key=lambda r: -r[0]):
        within = sum(abs(off(f, at["figures"][f[0]])) <= 2 for f in figures)
        out.append([f"{text}: {point}", f"{math.exp(log - total) / weight:.3f}", f"{(log - first) / math.log(10):.1f}",
                    *(cell(fs, at["figures"]) for fs in shown.values()), f"{within} of {len(figures)}", str(at["again"])])
    out.append(["none of these", f"{math.exp(none - total) / weight:.3f}", f"{(none - first) / math.log(10):.1f}",
                *("" for _ in shown), "", ""])
    return make(["hypothesis: its best", "weight", "log10 odds", *shown, "within", "sent again"], out)
