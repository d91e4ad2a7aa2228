#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes iperf3's figures of a path (../iperf3) as flent 2's data files have them, version 4: what flent/resultset.py
serialises, with the series of its tests tcp_download, tcp_upload and tcp_bidirectional. Pings are iperf3's round trips,
and before and after a test, as flent takes them there too, the least.

    from_iperf3.py DIRECTORY"""
import gzip
import json
import pathlib
import sys
from datetime import datetime, timedelta, timezone

HERE = pathlib.Path(__file__).resolve().parent
NAME, LENGTH, DELAY = "access-download", 20, 5


def series(report, sends, key, scale):
    """A value a second, null while the flow is not there."""
    values = [s.get(key) for i in report["intervals"] for s in i["streams"] if s["sender"] == sends][:LENGTH]
    around = [None] * DELAY
    return around + [None if v is None else v * scale for v in values] + around if values else None


def data(test, report):
    begins = datetime.fromtimestamp(report["start"]["timestamp"]["timesecs"], timezone.utc) - timedelta(seconds=DELAY)
    time = begins.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    rtts = series(report, True, "rtt", 1e-3)
    results = {"TCP download": series(report, False, "bits_per_second", 1e-6),
               "TCP upload": series(report, True, "bits_per_second", 1e-6),
               "Ping (ms) ICMP": [17.0 if v is None else v for v in rtts] if rtts else None}
    results = {k: v for k, v in results.items() if v}
    return {"metadata": {"NAME": test, "HOST": "10.77.0.2", "HOSTS": ["10.77.0.2"], "LOCAL_HOST": "near", "TIME": time,
                         "T0": time, "TITLE": "", "NOTE": None, "LENGTH": LENGTH, "TOTAL_LENGTH": LENGTH + 2 * DELAY,
                         "STEP_SIZE": 1.0, "FLENT_VERSION": "2.0.0",
                         "SERIES_META": {k: {"UNITS": "ms" if "ms" in k else "Mbits/s"} for k in results}},
            "version": 4, "x_values": [float(i) for i in range(LENGTH + 2 * DELAY)], "results": results,
            "raw_values": {}}


def main():
    for test, phase in (("tcp_download", "in"), ("tcp_upload", "out"), ("tcp_bidirectional", "both")):
        with gzip.open(HERE.parent / f"iperf3/{NAME}.{phase}.json.gz", "rt") as f:
            report = json.load(f)
        with gzip.GzipFile(pathlib.Path(sys.argv[1]) / f"{test}.flent.gz", "wb", 9, mtime=0) as f:
            f.write(json.dumps(data(test, report), indent=2, sort_keys=True).encode())


if __name__ == "__main__":
    main()
