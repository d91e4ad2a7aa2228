#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A page of a million packets: how large it is, how long Chromium takes to show it and to draw a frame while it zooms.

Prints figures and asserts none: they are of the machine and of what else it does. Frames are those of
`requestAnimationFrame`, of which Chromium makes 60 a second at most."""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import e2e
from browser import browser

FRAMES = 120

# A wheel that turns on and on, in and out again: [time between frames, time that drawing took], in ms, of each frame.
ZOOM = """
new Promise((done) => {
  const panel = document.querySelector('canvas.packets'), frames = [];
  panel.scrollIntoView();
  panel.focus();
  const box = panel.getBoundingClientRect();
  let last = performance.now();
  const step = () => {
    const now = performance.now();
    frames.push([now - last, Number(document.documentElement.dataset.frame)]);
    last = now;
    if (frames.length > %d) { done(frames.slice(1)); return; }
    panel.dispatchEvent(new WheelEvent('wheel', {deltaY: frames.length %% 60 < 30 ? -100 : 100, bubbles: true,
      cancelable: true, clientX: box.left + box.width / 2, clientY: box.top + 50}));
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})
"""


def main():
    if not shutil.which("chromium-headless-shell"):
        print("chromium-headless-shell is not installed; packages.txt lists it")
        raise SystemExit(77)

    def contraflow(*args):
        return subprocess.run([e2e.CONTRAFLOW, *args], check=True, stdout=subprocess.PIPE, cwd=work).stdout

    with tempfile.TemporaryDirectory(prefix="contraflow-bench-") as work:
        sets = ("duration=4500ms", "warmup=1s", "capture=[{at: h0}]", "traffic.star.incoming=1",
                "network.switch.limit=200kB")
        contraflow("run", e2e.ROOT / "scenarios/star.yaml", "-q", "-o", "out", *(w for s in sets for w in ("--set", s)))
        begun = time.monotonic()
        contraflow("analyze", "out/h0.pcap", "--report", "report")
        made_s = time.monotonic() - begun
        capture, = json.loads(contraflow("analyze", "out/h0.pcap", "--json"))["captures"]
        page = pathlib.Path(work, "report/report.html")
        size = page.stat().st_size
        print(f"{capture['frames']} packets; page {size / 1e6:.1f} MB, {size / capture['frames']:.1f} B a packet, made "
              f"in {made_s:.2f} s")
        opened, frames = [], []
        for _ in range(5):
            with browser().page(page.as_uri(), width=1600, height=1100) as (session, logged):
                opened.append(float(browser().evaluate(session, "document.documentElement.dataset.firstFrame")) / 1e3)
                frames += browser().evaluate(session, ZOOM % FRAMES)
            if logged:
                raise SystemExit(f"the page logged {logged}")
    between, drawing = (sorted(f[k] for f in frames) for k in (0, 1))
    print(f"first frame after {statistics.median(opened):.2f} s (of {', '.join(f'{t:.2f}' for t in opened)})")
    print(f"{len(frames)} frames of zooming: {statistics.median(between):.1f} ms each, 95 % within "
          f"{between[int(0.95 * len(between))]:.1f} ms; drawing a panel takes {statistics.median(drawing):.1f} ms, "
          f"95 % within {drawing[int(0.95 * len(drawing))]:.1f} ms")


if __name__ == "__main__":
    main()
