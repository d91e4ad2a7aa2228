#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Draws the rate of each flow of a capture with its 95 % interval, by libcontraflow and matplotlib.

usage: rates.py CAPTURE PICTURE.png
"""
import ctypes
import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

library = ctypes.CDLL("libcontraflow.so.0")
library.contraflow_flows.restype = ctypes.c_void_p
library.contraflow_flows.argtypes = (ctypes.c_char_p, ctypes.c_char_p)
library.contraflow_free.argtypes = (ctypes.c_void_p,)


def flows(capture):
    why = ctypes.create_string_buffer(512)
    text = library.contraflow_flows(capture.encode(), why)
    if not text:
        raise SystemExit(why.value.decode())
    try:
        return json.loads(ctypes.string_at(text))
    finally:
        library.contraflow_free(text)


def main(capture, picture):
    known = [f for f in flows(capture) if f["steady_goodput_bps"]]
    names = [f"{f['src']}\n{f['dst']}" for f in known]
    figure, axes = plt.subplots(figsize=(8, 1.5 + 0.5 * len(known)), layout="constrained")
    axes.errorbar([f["steady_goodput_bps"] / 1e6 for f in known], names,
                  xerr=[(f["steady_ci95_bps"] or 0) / 1e6 for f in known], fmt="o", capsize=4)
    axes.set_xlim(left=0)
    axes.set_xlabel("goodput, Mb/s, with 95 % interval")
    axes.invert_yaxis()
    figure.savefig(picture)
    for f in known:
        print(f"{f['src']} > {f['dst']}: {f['steady_goodput_bps'] / 1e6:.2f} Mb/s")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
