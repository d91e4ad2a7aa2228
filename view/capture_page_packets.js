// SPDX-License-Identifier: GPL-2.0-or-later
// Time and sequence numbers, packet by packet, as tcptrace has xplot draw them: a panel for a flow each way of a host,
// on the time axis of the other plots. Where a pixel has more than one packet, it has their range: ranges of 16, 256,
// 4096... packets are known, so that a frame costs as much for a million packets as for a thousand.
"use strict";

// `page` lends what capture_page.js draws with. {add(box, capture), draw()}
function packetPanels(page) {
  const { html, svg, ticks, decimals } = page; // and rangeOf, wholeOf, setZoom; left, right: margins that plots share
  const FAN = 16, HEIGHT = 300, LEAST_S = 1e-6, PICK = 10, LEAST_APART = 30, LABELS = 250, TALL = 24;
  const MARGIN = { left: page.left, right: page.right, top: 10, bottom: 36 };
  const SYN = 1, FIN = 2, AGAIN = 8, LATE = 16, UNPLACED = 32, SACK = 64;
  const LAYERS = [["segment", "segments"], ["again", "sent again (R)"], ["ack", "acknowledged"], ["sack", "SACK (S)"],
    ["offered", "window offered"]];
  const panels = [], decoded = new Map();
  let pending = false;

  // Points or spans over time, and their least and most over FAN, FAN^2... of them.
  class Spans {
    constructor(n, same = false) {
      this.t = new Float64Array(n);
      this.lo = new Float64Array(n);
      this.hi = same ? this.lo : new Float64Array(n);
      this.frame = new Uint32Array(n);
      this.n = 0;
    }
    add(t, lo, hi, frame) {
      this.t[this.n] = t;
      this.lo[this.n] = lo;
      this.hi[this.n] = hi;
      this.frame[this.n++] = frame;
    }
    finish() {
      this.key = this.t; // to search in: where the clock steps back, time so far
      for (let i = 1; i < this.n; i++) {
        if (this.key[i] >= this.key[i - 1]) continue;
        if (this.key === this.t) this.key = this.t.slice();
        this.key[i] = this.key[i - 1];
      }
      this.levels = [[this.lo, this.hi, this.n]];
      for (let [lo, hi, n] = this.levels[0]; n > FAN;) {
        const fewer = Math.ceil(n / FAN), low = new Float64Array(fewer).fill(Infinity);
        const high = new Float64Array(fewer).fill(-Infinity);
        for (let i = 0; i < n; i++) {
          const to = Math.floor(i / FAN);
          if (lo[i] < low[to]) low[to] = lo[i];
          if (hi[i] > high[to]) high[to] = hi[i];
        }
        [lo, hi, n] = [low, high, fewer];
        this.levels.push([lo, hi, n]);
      }
      return this;
    }
    // The first one not before t, from `first` on.
    after(t, first = 0) {
      let low = first, high = this.n;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (this.key[middle] < t) low = middle + 1;
        else high = middle;
      }
      return low;
    }
    // [least, most] of those from i to before end.
    range(i, end) {
      let least = Infinity, most = -Infinity, level = 0;
      const take = (from, to) => {
        const [lo, hi] = this.levels[level];
        for (let k = from; k < to; k++) {
          if (lo[k] < least) least = lo[k];
          if (hi[k] > most) most = hi[k];
        }
      };
      for (; level + 1 < this.levels.length && end - i > 2 * FAN; level++) {
        const up = Math.ceil(i / FAN), down = Math.floor(end / FAN);
        take(i, up * FAN);
        take(down * FAN, end);
        [i, end] = [up, down];
      }
      take(i, end);
      return [least, most];
    }
  }

  // What analysis/flows/packets.h packed: of each end what it sends, and what comes back for it.
  function decode(meta) {
    const digits = new Int8Array(128), letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (let i = 0; i < 64; i++) digits[letters.charCodeAt(i)] = i;
    const text = document.getElementById(meta.id).textContent, length = text.length;
    const ends = [0, 1].map((e) => ({ next: 0, ack: 0, payload: 0, window: 0, scale: 2 ** meta.shift[e] }));
    const flows = [0, 1].map((e) => ({
      data: new Spans(meta.data[e]), what: new Uint8Array(meta.data[e]), again: [],
      ack: new Spans(meta.acks[1 - e], true), sack: new Spans(meta.sacks[1 - e]),
      offered: new Spans(meta.shift[1 - e] < 0 ? 0 : meta.acks[1 - e], true) }));
    let at = 0, frame = 0, ns = 0;
    function number() { // of 30 bits, mostly, which are faster as such
      let digit = digits[text.charCodeAt(at++)], value = digit & 31;
      for (let shift = 5; digit >= 32; shift += 5) {
        digit = digits[text.charCodeAt(at++)];
        if (shift < 30) value |= (digit & 31) << shift;
        else value += (digit & 31) * 2 ** shift;
      }
      return value;
    }
    function signed() {
      const value = number();
      if (value < 0x40000000) return value & 1 ? -(value >>> 1) : value >>> 1;
      return value % 2 ? -(value - 1) / 2 : value / 2;
    }
    while (at < length) {
      const head = number(), e = head & 1, mine = ends[e];
      ns += signed();
      frame += 1 + (head & 2 ? signed() : 0);
      if (head & 8) mine.payload = number();
      if (head & 16) mine.ack += signed();
      if (head & 32) mine.window += signed();
      if (head & 64) mine.next += signed();
      const what = head & 128 ? number() : 0, t = ns / 1e9, payload = head & 12 ? mine.payload : 0;
      const forth = flows[e], back = flows[1 - e], seq = mine.next;
      if (payload > 0 || what & (SYN | FIN)) {
        if (what & AGAIN) forth.again.push(forth.data.n);
        forth.what[forth.data.n] = what;
        forth.data.add(t, seq, seq + payload + (what & (SYN | FIN) && !payload ? 1 : 0), frame);
        mine.next += payload;
      }
      if (!(what & UNPLACED)) {
        back.ack.add(t, mine.ack, mine.ack, frame);
        const top = mine.ack + mine.window * (what & SYN ? 1 : mine.scale);
        if (mine.scale >= 1) back.offered.add(t, top, top, frame);
      }
      for (let k = Math.floor(what / SACK); k > 0; k--) {
        const start = mine.ack + signed();
        back.sack.add(t, start, start + number(), frame);
      }
    }
    for (const flow of flows) for (const one of [flow.data, flow.ack, flow.offered, flow.sack]) one.finish();
    return flows;
  }

  function flowOf(panel) {
    const { connection, end } = panel.capture.flows[panel.slot], meta = panel.capture.connections[connection];
    if (!decoded.has(meta.id)) decoded.set(meta.id, decode(meta));
    return decoded.get(meta.id)[end];
  }

  // Whole numbers with their thousands apart; by 1000 or a million where ticks are.
  function bytes(value, step = 1) {
    const [by, unit] = step >= 1e6 ? [1e6, " M"] : step >= 1e3 ? [1e3, " k"] : [1, ""];
    const whole = Math.round(value / by);
    return String(whole).replace(/\B(?=(\d{3})+$)/g, "\u2009") + (whole ? unit : "");
  }

  const length = (s) => Number((s < 1e-3 ? s * 1e6 : s * 1e3).toPrecision(3)) + (s < 1e-3 ? " \u00b5s" : " ms");

  function drawAxes(p, ctx, colours) {
    ctx.font = "12px system-ui, sans-serif";
    ctx.lineWidth = 1;
    ctx.strokeStyle = colours.line;
    ctx.fillStyle = colours.faint;
    ctx.beginPath();
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    const across = ticks(p.low, p.high, 5);
    for (const v of across.list) {
      const y = Math.round(p.y(v)) + 0.5;
      ctx.moveTo(MARGIN.left, y);
      ctx.lineTo(p.right, y);
      ctx.fillText(bytes(v, across.by), MARGIN.left - 6, y);
    }
    ctx.textAlign = "center";
    const marks = ticks(p.from, p.to, Math.max(3, Math.floor(p.width / 130))), places = decimals(marks.by);
    for (const t of marks.list) {
      const x = Math.round(p.x(t)) + 0.5;
      ctx.moveTo(x, p.bottom);
      ctx.lineTo(x, p.bottom + 5);
      ctx.fillText(t.toFixed(places), x, p.bottom + 13);
    }
    ctx.stroke();
    ctx.fillText("time, s", (MARGIN.left + p.right) / 2, p.bottom + 28);
    ctx.save();
    ctx.translate(9, (MARGIN.top + p.bottom) / 2);
    ctx.rotate(-Math.PI / 2);
    ctx.fillText("sequence number, B", 0, 0);
    ctx.restore();
  }

  // Those of which any may be seen: one more on either side, whose lines lead out of the picture.
  const visible = (spans, p) => [Math.max(0, spans.after(p.from) - 1), Math.min(spans.n, spans.after(p.to) + 1)];

  // A range a pixel; `hold`: where none is, the last one goes on.
  function drawBins(p, ctx, spans, hold) {
    const each = 1 / p.scale;
    let i = spans.after(p.from), last = i > 0 ? spans.hi[i - 1] : null;
    for (let px = MARGIN.left; px < p.right; px += each) {
      const end = spans.after(p.time(px + each), i);
      let [least, most] = end > i ? spans.range(i, end) : [last, last];
      if (end > i && hold && last !== null && last < least) least = last;
      if (end > i || (hold && last !== null)) {
        const top = Math.round(p.y(most) * p.scale) * each, bottom = Math.round(p.y(least) * p.scale) * each;
        ctx.fillRect(px, top, each, Math.max(each, bottom - top));
      }
      if (end > i) last = spans.hi[end - 1];
      i = end;
    }
  }

  function drawStairs(p, ctx, spans, [first, end]) {
    ctx.beginPath();
    for (let i = first; i < end; i++) {
      const x = p.x(spans.t[i]), y = p.y(spans.lo[i]);
      if (i === first) ctx.moveTo(x, y);
      else ctx.lineTo(x, p.y(spans.lo[i - 1]));
      ctx.lineTo(x, y);
    }
    if (end === spans.n && end > first) ctx.lineTo(p.right, p.y(spans.lo[end - 1]));
    ctx.stroke();
  }

  // Each segment from its first byte to its last, with the heads of xplot's arrows where there is room.
  function drawSpans(p, ctx, spans, list, head) {
    ctx.beginPath();
    for (const i of list) {
      const x = p.x(spans.t[i]), low = p.y(spans.lo[i]), high = p.y(spans.hi[i]);
      ctx.moveTo(x, Math.max(low, high + 2));
      ctx.lineTo(x, high);
      if (!head || low - high < 7) continue;
      for (const [y, by] of [[high, 3], [low, -3]]) {
        ctx.moveTo(x - 2.5, y + by);
        ctx.lineTo(x, y);
        ctx.lineTo(x + 2.5, y + by);
      }
    }
    ctx.stroke();
  }

  function label(p, ctx, spans, list, word) {
    ctx.textAlign = "center";
    ctx.textBaseline = "bottom";
    let lastX = -99, lastY = 0;
    for (const i of list.slice(0, LABELS)) {
      const half = ctx.measureText(word(i)).width / 2 + 1, y = p.y(spans.hi[i]) - 2;
      const x = Math.min(p.right - half, Math.max(MARGIN.left + half, p.x(spans.t[i]))); // all of it is to be read
      if (Math.abs(x - lastX) < 9 && Math.abs(y - lastY) < 12) continue;
      ctx.fillText(word(i), x, y);
      [lastX, lastY] = [x, y];
    }
  }

  const from = (first, end) => Array.from({ length: end - first }, (_, k) => first + k);

  function drawData(p, ctx, flow, colours) {
    const spans = flow.data, [first, end] = visible(spans, p);
    p.again = 0;
    ctx.strokeStyle = ctx.fillStyle = colours.segment;
    ctx.lineWidth = 1.5;
    if (!p.hidden.has("segment")) {
      if (!p.exact) {
        drawBins(p, ctx, spans, false);
      } else {
        const all = from(first, end);
        drawSpans(p, ctx, spans, all, true);
        const named = all.filter((i) => flow.what[i] & (SYN | FIN | LATE));
        label(p, ctx, spans, named, (i) => flow.what[i] & SYN ? "SYN" : flow.what[i] & FIN ? "FIN" : "O");
      }
    }
    if (p.hidden.has("again")) return;
    let low = 0, high = flow.again.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (flow.again[middle] < first) low = middle + 1;
      else high = middle;
    }
    const again = [];
    for (let lastX = -9, lastY = 0; low < flow.again.length && flow.again[low] < end; low++) {
      const i = flow.again[low], x = p.x(spans.t[i]), y = p.y(spans.hi[i]); // those upon others would not be seen
      if (!p.exact && x - lastX < 1 && Math.abs(y - lastY) < 2) continue;
      [lastX, lastY] = [x, y];
      again.push(i);
    }
    ctx.strokeStyle = ctx.fillStyle = colours.again;
    ctx.lineWidth = 2;
    drawSpans(p, ctx, spans, again, p.exact);
    if (again.length <= LABELS) label(p, ctx, spans, again, () => "R");
    p.again = again.length;
  }

  function drawAcks(p, ctx, flow, colours) {
    for (const name of ["offered", "ack"]) {
      const spans = flow[name], seen = visible(spans, p);
      if (p.hidden.has(name) || !spans.n) continue;
      ctx.strokeStyle = ctx.fillStyle = colours[name];
      ctx.lineWidth = 1.5;
      if (!p.exact) {
        drawBins(p, ctx, spans, true);
        continue;
      }
      drawStairs(p, ctx, spans, seen);
      if (name === "offered") continue;
      ctx.beginPath();
      for (let i = Math.max(1, seen[0]); i < seen[1]; i++) { // duplicates, a tick each
        if (spans.lo[i] !== spans.lo[i - 1]) continue;
        ctx.moveTo(p.x(spans.t[i]), p.y(spans.lo[i]));
        ctx.lineTo(p.x(spans.t[i]), p.y(spans.lo[i]) + 5);
      }
      ctx.stroke();
    }
    const [first, end] = visible(flow.sack, p);
    if (p.hidden.has("sack") || first === end) return;
    ctx.strokeStyle = ctx.fillStyle = colours.sack;
    ctx.lineWidth = 1.5;
    if (end - first > 3 * p.width) {
      drawBins(p, ctx, flow.sack, false);
      return;
    }
    drawSpans(p, ctx, flow.sack, from(first, end), false);
    if (end - first <= LABELS) label(p, ctx, flow.sack, from(first, end), () => "S");
  }

  // From the least to the most of what is shown, or as a drag has set it; the window only while it is not far above.
  function heights(p, flow) {
    if (p.fixed) {
      [p.low, p.high] = p.fixed;
      p.above = false;
      return;
    }
    let least = Infinity, most = -Infinity;
    for (const [name, spans] of [["segment", flow.data], ["ack", flow.ack], ["sack", flow.sack]]) {
      if (p.hidden.has(name)) continue;
      const before = name === "ack" ? 1 : 0; // whose line goes on
      const [low, high] = spans.range(Math.max(0, spans.after(p.from) - before), spans.after(p.to));
      least = Math.min(least, low);
      most = Math.max(most, high);
    }
    const [bottom, top] = flow.offered.range(...visible(flow.offered, p));
    if (!(most >= least)) [least, most] = [bottom, top];
    if (!(most >= least)) [least, most] = [0, 1];
    if (most === least) most++;
    p.above = top - most > 2 * (most - least);
    if (!p.hidden.has("offered") && !p.above) most = Math.max(most, top);
    const room = (most - least) * 0.04;
    [p.low, p.high] = [least - room, most + room];
  }

  function draw(p) {
    const begun = performance.now(), flow = flowOf(p), style = getComputedStyle(document.documentElement);
    const colours = Object.fromEntries(["line", "faint", "ink", "selected", ...LAYERS.map(([name]) => name)]
      .map((name) => [name, style.getPropertyValue(`--${name}`)]));
    [p.from, p.to] = page.rangeOf(p.capture);
    p.scale = window.devicePixelRatio || 1;
    p.width = Math.max(280, p.box.clientWidth);
    [p.right, p.bottom] = [p.width - MARGIN.right, HEIGHT - MARGIN.bottom];
    p.hidden = p.group.hidden;
    heights(p, flow);
    p.x = (t) => MARGIN.left + (t - p.from) / (p.to - p.from) * (p.right - MARGIN.left);
    p.y = (v) => p.bottom - (v - p.low) / (p.high - p.low) * (p.bottom - MARGIN.top);
    p.time = (px) => p.from + (px - MARGIN.left) / (p.right - MARGIN.left) * (p.to - p.from);
    const count = (spans) => spans.after(p.to) - spans.after(p.from);
    p.exact = Math.max(count(flow.data), count(flow.ack)) <= 2 * p.width;
    const ctx = p.canvas.getContext("2d"), [w, h] = [Math.round(p.width * p.scale), Math.round(HEIGHT * p.scale)];
    if (p.canvas.width !== w || p.canvas.height !== h) [p.canvas.width, p.canvas.height] = [w, h];
    p.canvas.style.height = `${HEIGHT}px`;
    ctx.setTransform(p.scale, 0, 0, p.scale, 0, 0);
    ctx.clearRect(0, 0, p.width, HEIGHT);
    drawAxes(p, ctx, colours);
    ctx.save();
    ctx.beginPath();
    ctx.rect(MARGIN.left, 0, p.right - MARGIN.left, p.bottom);
    ctx.clip();
    drawAcks(p, ctx, flow, colours);
    drawData(p, ctx, flow, colours);
    drawChosen(p, ctx, colours);
    ctx.restore();
    const bin = (p.to - p.from) / (p.right - MARGIN.left) / p.scale;
    Object.assign(p.canvas.dataset, { mode: p.exact ? "packets" : "bins", binS: bin, segments: count(flow.data),
      acks: count(flow.ack), sacks: count(flow.sack), again: p.again, from: p.from, to: p.to, low: p.low,
      high: p.high });
    p.note.textContent = `${p.exact ? "every packet" : `ranges of ${length(bin)}`}` +
      `${p.above && !p.hidden.has("offered") ? "; the window is far above" : ""}` +
      `${flow.offered.n ? "" : "; the window's scale is not known"}`;
    document.documentElement.dataset.frame = (performance.now() - begun).toFixed(2);
  }

  function drawChosen(p, ctx, colours) {
    const { group: { chosen } } = p;
    ctx.lineWidth = 1;
    if (chosen) {
      ctx.strokeStyle = colours.ink;
      ctx.beginPath();
      ctx.moveTo(p.x(chosen.t), MARGIN.top);
      ctx.lineTo(p.x(chosen.t), p.bottom);
      ctx.globalAlpha = 0.5;
      ctx.stroke();
      ctx.globalAlpha = 1;
      if (chosen.panel === p) {
        ctx.beginPath();
        ctx.arc(p.x(chosen.t), p.y((chosen.lo + chosen.hi) / 2), 7, 0, 7);
        ctx.stroke();
      }
    }
    if (!p.brush) return;
    const { left, right, top, bottom } = p.brush;
    ctx.fillStyle = colours.selected;
    ctx.fillRect(left, top, right - left, bottom - top);
  }

  function drawAll() {
    pending = false;
    panels.forEach(draw);
  }
  function later() {
    if (!pending) requestAnimationFrame(drawAll);
    pending = true;
  }

  function choose(p, kind, i) {
    const flow = flowOf(p), spans = flow[kind], { capture } = p, there = capture.flows[p.slot];
    const [frame, t] = [spans.frame[i], spans.t[i]];
    const seq = (v) => bytes(v + 1), parts = [`${t.toFixed(9)} s`]; // Wireshark's first byte is 1
    if (kind === "data") {
      const what = flow.what[i];
      parts.push(there.name, `seq ${seq(spans.lo[i])} to ${seq(spans.hi[i])}`, `${bytes(spans.hi[i] - spans.lo[i])} B`);
      const words = [[SYN, "SYN"], [FIN, "FIN"], [AGAIN, "sent again"], [LATE, "out of order"]];
      for (const [flag, word] of words)
        if (what & flag) parts.push(word);
    } else {
      const k = flow.ack.after(t), j = flow.ack.frame.indexOf(frame, Math.max(0, k - 1));
      parts.push(`from the receiver of ${there.name}`, `ack ${seq(flow.ack.lo[j])}`);
      if (flow.offered.n) parts.push(`window ${bytes(flow.offered.lo[j] - flow.ack.lo[j])} B`);
      for (let s = flow.sack.after(t); s < flow.sack.n && flow.sack.key[s] <= t; s++)
        if (flow.sack.frame[s] === frame) parts.push(`SACK ${seq(flow.sack.lo[s])} to ${seq(flow.sack.hi[s])}`);
    }
    p.group.chosen = { panel: p, kind, i, t, lo: spans.lo[i], hi: spans.hi[i], frame };
    p.group.readout.replaceChildren();
    html(p.group.readout, "b", {}, `Packet ${frame}`);
    html(p.group.readout, "span", {}, parts.join(" \u00b7 "));
    html(p.group.readout, "code", { class: "filter", title: "a filter for Wireshark" }, `frame.number == ${frame}`);
    later();
  }

  // The packet nearest to a place of the panel, within PICK pixels in time.
  function pick(p, px, py) {
    const flow = flowOf(p);
    let best = null, least = Infinity;
    for (const [kind, layer] of [["data", "segment"], ["ack", "ack"], ["sack", "sack"], ["offered", "offered"]]) {
      const spans = flow[kind];
      if (p.hidden.has(layer)) continue;
      const end = spans.after(p.time(px + PICK));
      for (let i = spans.after(p.time(px - PICK)); i < end; i++) {
        const low = p.y(spans.lo[i]), high = p.y(spans.hi[i]), off = py > low ? py - low : py < high ? high - py : 0;
        const distance = Math.hypot(p.x(spans.t[i]) - px, off);
        if (distance < least) [least, best] = [distance, [kind, i]];
      }
    }
    if (best && least < 3 * PICK) choose(p, ...best);
  }

  function stepTo(p, by) {
    const { chosen } = p.group, flow = flowOf(p), kind = chosen && chosen.panel === p ? chosen.kind : "data";
    const spans = flow[kind], i = chosen && chosen.panel === p ? chosen.i + by : spans.after(p.from);
    if (i < 0 || i >= spans.n) return;
    choose(p, kind, i);
    const t = spans.t[i], width = p.to - p.from;
    if (t < p.from || t > p.to) zoomTo(p, t - width / 2, t + width / 2);
  }

  function zoomTo(p, from, to) {
    const whole = page.wholeOf(p.capture), width = Math.max(LEAST_S, to - from);
    if (width >= whole[1] - whole[0]) {
      page.setZoom(null, true);
    } else {
      const begin = Math.min(Math.max(whole[0], (from + to - width) / 2), whole[1] - width);
      page.setZoom([begin, begin + width], true);
    }
    later();
  }
  function zoomBy(p, factor, t = (p.from + p.to) / 2) {
    p.fixed = null;
    zoomTo(p, t - (t - p.from) * factor, t + (p.to - t) * factor);
  }
  function shift(p, part) {
    p.fixed = null;
    zoomTo(p, p.from + (p.to - p.from) * part, p.to + (p.to - p.from) * part);
  }
  function showAll() {
    for (const p of panels) p.fixed = null;
    page.setZoom(null);
  }

  // What is between two places: of all heights, unless the drag went up or down, too.
  function brushOf(p, [x0, y0], [x1, y1]) {
    const flat = Math.abs(y1 - y0) < TALL;
    return { left: Math.max(MARGIN.left, Math.min(x0, x1)), right: Math.min(p.right, Math.max(x0, x1)), flat,
      top: flat ? MARGIN.top : Math.min(y0, y1), bottom: flat ? p.bottom : Math.min(p.bottom, Math.max(y0, y1)) };
  }
  function zoomInto(p, { left, right, top, bottom, flat }) {
    const value = (y) => p.low + (p.bottom - y) / (p.bottom - MARGIN.top) * (p.high - p.low);
    p.fixed = flat ? null : [value(bottom), value(top)];
    zoomTo(p, p.time(left), p.time(right));
  }

  const KEYS = {
    "+": (p) => zoomBy(p, 0.5), "=": (p) => zoomBy(p, 0.5), "-": (p) => zoomBy(p, 2), "0": showAll, Home: showAll,
    ArrowLeft: (p) => shift(p, -0.2), ArrowRight: (p) => shift(p, 0.2),
    n: (p) => stepTo(p, 1), p: (p) => stepTo(p, -1),
  };

  function listen(p) {
    const place = (event) => {
      const box = p.canvas.getBoundingClientRect();
      return [(event.clientX - box.left) * p.width / box.width, (event.clientY - box.top) * HEIGHT / box.height];
    };
    // Fingers hold what they touched: one moves it in time, two stretch it about their middle, too.
    const fingers = new Map();
    let begun = null, held = null;
    const grip = () => {
      const [[x0, y0], [x1, y1] = [x0, y0]] = fingers.values();
      return { x: (x0 + x1) / 2, apart: Math.max(LEAST_APART, Math.hypot(x1 - x0, y1 - y0)) };
    };
    function hold() {
      const { x, apart } = grip();
      held = { t: p.time(x), stretched: (p.to - p.from) * apart };
    }
    function follow() {
      const { x, apart } = grip(), width = held.stretched / apart;
      const from = held.t - (x - MARGIN.left) / (p.right - MARGIN.left) * width;
      p.fixed = null;
      zoomTo(p, from, from + width);
    }
    function release({ pointerId }) {
      begun = p.brush = null;
      if (fingers.delete(pointerId) && fingers.size) hold();
    }
    p.canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      begun = fingers.size ? null : place(event);
      p.canvas.setPointerCapture(event.pointerId);
      if (event.pointerType !== "touch") return;
      fingers.set(event.pointerId, place(event));
      hold();
    });
    p.canvas.addEventListener("pointermove", (event) => {
      const at = place(event);
      if (begun !== null && Math.abs(at[0] - begun[0]) < 4) return;
      if (fingers.has(event.pointerId)) {
        begun = null;
        fingers.set(event.pointerId, at);
        follow();
      } else if (begun !== null) {
        p.brush = brushOf(p, begun, at);
        later();
      }
    });
    p.canvas.addEventListener("pointerup", (event) => {
      const at = place(event), start = begun;
      release(event);
      if (start === null) return;
      if (Math.abs(at[0] - start[0]) >= 4) zoomInto(p, brushOf(p, start, at));
      else pick(p, ...at);
    });
    p.canvas.addEventListener("pointercancel", (event) => { release(event); later(); });
    p.canvas.addEventListener("dblclick", showAll);
    p.canvas.addEventListener("wheel", (event) => { // without the focus it scrolls the page
      if (document.activeElement !== p.canvas && !event.ctrlKey) return;
      event.preventDefault();
      zoomBy(p, 2 ** (Math.sign(event.deltaY) * 0.4), p.time(place(event)[0]));
    }, { passive: false });
    p.canvas.addEventListener("keydown", (event) => {
      if (!KEYS[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      KEYS[event.key](p);
    });
  }

  function legend(box, group) {
    const row = html(box, "div", { class: "layers" });
    for (const [name, words] of LAYERS) {
      const button = html(row, "button", { type: "button", "aria-pressed": "true", "data-layer": name });
      const key = svg(button, "svg", { class: "key", viewBox: "0 0 26 10" });
      const path = name === "ack" || name === "offered" ? "M0 8H9V2H26" : "M13 0V10";
      svg(key, "path", { d: path, fill: "none", stroke: `var(--${name})`, "stroke-width": 2.5 });
      html(button, "span", {}, words);
      button.addEventListener("click", () => {
        if (!group.hidden.delete(name)) group.hidden.add(name);
        button.setAttribute("aria-pressed", String(!group.hidden.has(name)));
        later();
      });
    }
  }

  // The keys for those who have none: they act on the first panel, whose time is that of all.
  function buttons(box, group) {
    const row = html(box, "div", { class: "steps" });
    for (const [key, sign, words] of [["+", "+", "zoom in"], ["-", "\u2212", "zoom out"],
      ["ArrowLeft", "\u2190", "earlier"], ["ArrowRight", "\u2192", "later"], ["0", "all", "the whole capture"],
      ["p", "previous packet", "the packet before the one chosen"], ["n", "next packet", "the one after it"]]) {
      const names = { type: "button", title: words, "aria-label": words, "data-key-of": key };
      const button = html(row, "button", names, sign);
      button.addEventListener("click", () => {
        const first = panels.find((p) => p.group === group);
        KEYS[key](key === "n" || key === "p" ? group.chosen?.panel || first : first);
      });
    }
  }

  function addPanel(box, capture, group, slots, words) {
    const title = html(box, "h4", {}, `${words} `), p = { capture, group, slot: slots[0], brush: null, fixed: null };
    if (slots.length > 1) {
      const menu = html(title, "select", { "aria-label": `flow ${words}` });
      for (const slot of slots) html(menu, "option", { value: slot }, capture.flows[slot].name);
      menu.addEventListener("change", () => {
        p.slot = Number(menu.value);
        p.fixed = null;
        if (group.chosen && group.chosen.panel === p) group.chosen = null;
        later();
      });
    } else {
      html(title, "span", {}, capture.flows[slots[0]].name);
    }
    p.note = html(title, "small", { class: "note" });
    p.box = html(box, "div");
    p.canvas = html(p.box, "canvas", { class: "packets", tabindex: 0, role: "img",
      "aria-label": `sequence numbers over time, ${words}; the table of packets has their numbers` });
    listen(p);
    panels.push(p);
    draw(p);
  }

  function add(box, capture) {
    const slots = capture.flows.map((_, slot) => slot).filter((slot) => capture.flows[slot].connection !== null);
    if (!slots.length) return;
    const group = { hidden: new Set(), chosen: null }, ways = { src: {}, dst: {} };
    for (const slot of slots)
      for (const way of ["src", "dst"]) (ways[way][capture.flows[slot][way]] ||= []).push(slot);
    const of = (host) => (ways.src[host] || []).length + (ways.dst[host] || []).length;
    const hosts = [...new Set([...Object.keys(ways.src), ...Object.keys(ways.dst)])].sort((a, b) => of(b) - of(a));
    const host = capture.host && of(capture.host) ? capture.host : hosts[0];
    html(box, "h3", {}, "Packet by packet");
    html(box, "p", {}, "Drag to zoom in, double-click to see all; a click tells a packet's number and time for " +
      "Wireshark. After a click: the wheel and + - zoom, arrows move, n and p go to the next packet and to the one " +
      "before. By touch: two fingers zoom, one moves the time, a tap is a click.");
    buttons(box, group);
    legend(box, group);
    group.readout = html(box, "p", { class: "readout", "aria-live": "polite" }, "No packet chosen.");
    if (ways.src[host]) addPanel(box, capture, group, ways.src[host], `out of ${host}:`);
    if (ways.dst[host]) addPanel(box, capture, group, ways.dst[host], `into ${host}:`);
    const root = document.documentElement.dataset; // when the first frame with all of it is about to be shown, in ms
    requestAnimationFrame(() => { root.firstFrame ||= performance.now().toFixed(1); });
  }

  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", later);
  return { add, draw: later };
}
