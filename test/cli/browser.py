# SPDX-License-Identifier: GPL-2.0-or-later
"""One Chromium for all pages that a test file looks at, without a network; and a reader of their documents.

Chromium takes much longer to start than to draw a page, so it starts once and is told what to do over a pipe, in the
DevTools protocol: JSON messages that a zero byte ends, read by Chromium from descriptor 3, written to descriptor 4.
"""
import atexit
import contextlib
import html.parser
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

import e2e

WHITE, DARK = (255, 255, 255), (0x16, 0x18, 0x1b)  # --ground in report.css and page.css
VOID = {"meta", "br", "link", "img", "input", "hr"}
PATIENCE_S = 120
PROGRAM = "chromium-headless-shell"


class Page(html.parser.HTMLParser):
    """A document as the browser left it: elements as (tag, attributes, path of classes and tags, text)."""

    def __init__(self, text):
        super().__init__()
        self.source, self.elements, self.stack = text, [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        element = {"tag": tag, "text": "", "inside": list(self.stack), **{k: v or "" for k, v in attributes}}
        self.elements.append(element)
        if tag not in VOID:
            self.stack.append(element)

    def handle_endtag(self, tag):
        while self.stack and self.stack.pop()["tag"] != tag:
            pass

    def handle_data(self, data):
        if not any(e["tag"] in ("script", "style") for e in self.stack):
            for element in self.stack:
                element["text"] += data

    def all(self, tag, within=None, **attributes):
        want = {k.rstrip("_"): v for k, v in attributes.items()}
        return [e for e in self.elements if e["tag"] == tag and (within is None or any(e is not i and within is i
                for i in e["inside"])) and all(v in e.get(k, "").split() for k, v in want.items())]

    def one(self, *args, **kwargs):
        found, = self.all(*args, **kwargs)
        return found

    def plot(self, quantity, nth=0):
        return [e for e in self.all("svg", class_="plot") if e.get("data-plot") == quantity][nth]

    def paths(self, plot, kind="series"):
        return [e["d"] for e in self.all("path", plot, class_=kind)]

    def times(self, plot):
        return [float(e["text"]) for e in self.all("text", plot, class_="time")]


# Counts of the colours of a picture, by "red,green,blue".
COLOURS = """
(async () => {
  const picture = new Image();
  picture.src = 'data:image/png;base64,%s';
  await picture.decode();
  const canvas = new OffscreenCanvas(picture.width, picture.height), context = canvas.getContext('2d');
  context.drawImage(picture, 0, 0);
  const bytes = context.getImageData(0, 0, canvas.width, canvas.height).data, counts = {};
  const pixels = new Uint32Array(bytes.buffer), ends = new Map();
  // A picture is long runs of one colour: each is counted where it ends.
  for (let i = 0, from = 0; i < pixels.length; i = from) {
    while (from < pixels.length && pixels[from] === pixels[i]) from++;
    ends.set(pixels[i], (ends.get(pixels[i]) || 0) + from - i);
  }
  for (const [pixel, n] of ends) {
    const colour = [...new Uint8Array(Uint32Array.of(pixel).buffer)].slice(0, 3).join();
    counts[colour] = (counts[colour] || 0) + n;
  }
  return counts;
})()
"""


class Browser:
    def __init__(self):
        self.home = tempfile.mkdtemp(prefix="contraflow-chromium-")
        to_chromium, self.out = os.pipe()
        self.incoming, from_chromium = os.pipe()
        # The shell of Chromium that has no windows: a start takes 0.7 s of a processor, one of all Chromium 3.0, a page a fourth.
        command = [shutil.which(PROGRAM), "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
                   "--renderer-process-limit=1", "--js-flags=--single-threaded",  # a third of what six pages took
                   "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={self.home}", "--remote-debugging-pipe"]
        self.process = subprocess.Popen(["sh", "-c", f'exec 3<&{to_chromium} 4>&{from_chromium}; exec "$@"', "sh",
                                         *command], pass_fds=(to_chromium, from_chromium), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_chromium)
        os.close(from_chromium)
        self.pending, self.number, self.tabs = b"", 0, []
        atexit.register(self.close)

    def close(self):
        os.close(self.out)  # Chromium ends with its pipe
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)

    def message(self):
        deadline = time.monotonic() + PATIENCE_S
        while b"\0" not in self.pending:
            ready, _, _ = select.select([self.incoming], [], [], deadline - time.monotonic())
            got = os.read(self.incoming, 1 << 20) if ready else b""
            if not got:
                raise RuntimeError("Chromium ended" if ready else f"Chromium has been silent for {PATIENCE_S} s")
            self.pending += got
        text, self.pending = self.pending.split(b"\0", 1)
        return json.loads(text)

    def ask(self, method, session=None, events=None, **parameters):
        """The result of a method; events that come meanwhile are added to the list."""
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if session:
            request["sessionId"] = session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        while (answer := self.message()).get("id") != self.number:
            if events is not None:
                events.append(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def evaluate(self, session, expression, events=None):
        """The value of an expression in a page, of a promise once it is kept."""
        answer = self.ask("Runtime.evaluate", session, events, expression=expression, awaitPromise=True,
                          returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    @contextlib.contextmanager
    def tab(self, width, height):
        """A session of its own, with which all that was set or asked for ends, in a tab that others had before: a new
        one takes as long as a page."""
        target = self.tabs.pop() if self.tabs else self.ask("Target.createTarget", url="about:blank", newWindow=True)["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Emulation.setDeviceMetricsOverride", session, width=width, height=height, deviceScaleFactor=1,
                 mobile=False)
        try:
            yield session
        finally:
            self.ask("Page.navigate", session, url="about:blank")
            self.ask("Target.detachFromTarget", sessionId=session)
            self.tabs.append(target)

    @contextlib.contextmanager
    def page(self, address, width=1200, height=1600, dark=False):
        """The session of a page whose scripts ran, and the list of what it logs."""
        with self.tab(width, height) as session:
            events, logged = [], []
            for domain in "Page", "Runtime", "Log":
                self.ask(f"{domain}.enable", session, events)
            self.ask("Emulation.setEmulatedMedia", session, events,
                     features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
            self.ask("Page.navigate", session, events, url=address)
            while not any(e["method"] == "Page.loadEventFired" for e in events):
                events.append(self.message())
            # two frames later all that the scripts asked for is drawn
            self.evaluate(session, "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
                          ".then(() => 0)", events)
            logged += [e["params"] for e in events
                       if e["method"] in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")]
            yield session, logged

    def text(self, session):
        """The document as its scripts left it."""
        return self.evaluate(session, "document.documentElement.outerHTML")

    def colours(self, session):
        """How many pixels of the page as it is seen have each colour (red, green, blue)."""
        picture = self.ask("Page.captureScreenshot", session, format="png", optimizeForSpeed=True)["data"]
        with self.tab(100, 100) as blank:
            counts = self.evaluate(blank, COLOURS % picture)
        return {tuple(map(int, colour.split(","))): n for colour, n in counts.items()}


def browser(running=[]):
    """The Chromium of this process, which starts when it is first wanted."""
    e2e.require(PROGRAM)
    if not running:
        running.append(Browser())
    return running[0]
