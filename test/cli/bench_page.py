#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A page of a million packets: how large it is, how long Chromium takes to show it and to draw a frame while it zooms.

Prints figures and asserts none: they are of the machine and of what else it does. Frames are those of
`requestAnimationFrame`, of which Chromium makes 60 a second at most."""
import statistics
import time

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


class Bench(e2e.Case):
    def test_a_million_packets(self):
        self.run_scenario(e2e.ROOT / "scenarios/star.yaml", "duration=4500ms", "warmup=1s", "capture=[{at: h0}]",
                          "traffic.star.incoming=1", "network.switch.limit=200kB")
        begun = time.monotonic()
        self.good("analyze", "out/h0.pcap", "--report", "report")
        made_s = time.monotonic() - begun
        capture, = self.json("analyze", "out/h0.pcap")["captures"]
        page = self.dir / "report/report.html"
        size = page.stat().st_size
        print(f"{capture['frames']} packets; page {size / 1e6:.1f} MB, {size / capture['frames']:.1f} B a packet, made "
              f"in {made_s:.2f} s")
        opened = []
        for _ in range(5):
            with browser().page(page.as_uri(), width=1600, height=1100) as (session, logged):
                self.assertEqual(logged, [])
                opened.append(float(browser().evaluate(session, "document.documentElement.dataset.firstFrame")) / 1e3)
                frames = browser().evaluate(session, ZOOM % FRAMES)
        between, drawing = (sorted(f[k] for f in frames) for k in (0, 1))
        print(f"first frame after {statistics.median(opened):.2f} s (of {', '.join(f'{t:.2f}' for t in opened)})")
        print(f"{FRAMES} frames of zooming: {statistics.median(between):.1f} ms each, 95 % within "
              f"{between[int(0.95 * len(between))]:.1f} ms; drawing a panel takes {statistics.median(drawing):.1f} ms, "
              f"{drawing[int(0.95 * len(drawing))]:.1f} ms")


if __name__ == "__main__":
    e2e.main()
