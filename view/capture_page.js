// SPDX-License-Identifier: GPL-2.0-or-later
// Draws the plots of a report: no library, nothing fetched. The root element's data-drawn is how many there are,
// its data-error what went wrong.
"use strict";
window.addEventListener("error", (event) => { document.documentElement.dataset.error = event.message; });

(() => {
  const SVG = document.createElementNS.bind(document, "http://www.w3.org/2000/svg");
  const COLOURS = 7, DASHES = ["", "7 3", "2 2", "9 3 2 3", "4 4"];
  const MARGIN = { left: 80, right: 40, top: 8, bottom: 40 }, HEIGHT = 240;
  const LANE = 84, LANE_NAME = 18, LANES_TALL = 6; // more lanes are two thirds as high
  const LEAST_ZOOM_S = 1e-6, TIP_ROWS = 12, SETTLED_MS = 150;
  const captures = JSON.parse(document.getElementById("data").textContent);
  const views = [];
  let zoom = null; // [from, to] in seconds, of all captures; null: whole
  let settling = 0;

  // Appends a new element; text is never read as markup.
  function add(parent, node, attributes = {}, text = "") {
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    if (text) node.textContent = text;
    parent.append(node);
    return node;
  }
  const html = (parent, tag, attributes, text) => add(parent, document.createElement(tag), attributes, text);
  const svg = (parent, tag, attributes, text) => add(parent, SVG(tag), attributes, text);
  const colour = (i) => `var(--c${i % COLOURS})`;
  const dash = (i) => DASHES[Math.floor(i / COLOURS) % DASHES.length];
  const digits = (x) => String(Number(x.toPrecision(4)));

  // 1, 2 or 5 times a power of ten: the step of about `n` ticks.
  function step(span, n) {
    const power = 10 ** Math.floor(Math.log10(span / n));
    return power * [1, 2, 5, 10].find((k) => k * power * n >= span * 0.999);
  }
  function ticks(from, to, n) {
    const by = step(to - from, n), list = [];
    for (let k = Math.ceil(from / by - 1e-9); k * by <= to + by * 1e-9; k++) list.push(k * by);
    return { by, list };
  }
  const decimals = (by) => Math.max(0, Math.min(9, -Math.floor(Math.log10(by) + 1e-9)));
  function scaleOf(top, unit) {
    return unit !== "ms" && [[1e9, "G"], [1e6, "M"], [1e3, "k"]].find(([by]) => top >= by) || [1, ""];
  }
  const wholeOf = (capture) => [0, capture.end_s > 0 ? capture.end_s : 1];
  const rangeOf = (capture) => zoom || wholeOf(capture);

  // A series: {name, slot, start, bin, values (null: none), peaks?, marks?, dash?}
  const valueAt = (s, t) => s.values[Math.floor((t - s.start) / s.bin)];
  const hold = (values) => { // a bin without a sample keeps the value before it
    let last = null;
    return values.map((v) => { last = v === null ? last : v; return last; });
  };
  function visible(s, [from, to]) {
    const first = Math.max(0, Math.floor((from - s.start) / s.bin));
    return [first, Math.min(s.values.length, Math.ceil((to - s.start) / s.bin))];
  }
  // The path of a series' bins; `back`: from right to left, as the other edge of a band that a path begun encloses.
  function steps(s, values, range, x, y, back = false) {
    const [first, end] = visible(s, range), parts = [];
    for (let i = first; i < end; i++) {
      if (values[i] === null) continue;
      const from = x(Math.max(range[0], s.start + i * s.bin)), to = x(Math.min(range[1], s.start + (i + 1) * s.bin));
      const pen = i > first && values[i - 1] !== null ? "L" : "M";
      parts.push(back ? `L${to} ${y(values[i])}H${from}` : `${pen}${from} ${y(values[i])}H${to}`);
    }
    return back ? parts.reverse().join("") : parts.join("");
  }

  // Where flows would hide each other each has a lane of its own, one below the other, all on one scale.
  function lanesOf(plot) {
    const shown = plot.series.filter((s) => !plot.view.hidden.has(s.key)), slots = [...new Set(shown.map((s) => s.slot))];
    if (!plot.lanes || slots.length < 2)
      return [{ series: shown, name: "", top: MARGIN.top, bottom: HEIGHT - MARGIN.bottom, ticks: 5 }];
    const each = slots.length > LANES_TALL ? LANE * 2 / 3 : LANE;
    return slots.map((slot, i) => ({ series: shown.filter((s) => s.slot === slot), ticks: 2,
      name: plot.view.capture.flows[slot].name, slot, top: MARGIN.top + i * each + LANE_NAME,
      bottom: MARGIN.top + (i + 1) * each }));
  }

  function drawLane(plot, lane, top, width) {
    const [by] = scaleOf(top, plot.unit), root = svg(plot.root, "g", { class: "lane" });
    lane.root = root;
    for (const v of ticks(0, top / by, lane.ticks).list) {
      svg(root, "line", { class: "grid", x1: MARGIN.left, x2: width - MARGIN.right, y1: lane.y(v * by),
        y2: lane.y(v * by) });
      svg(root, "text", { x: MARGIN.left - 6, y: lane.y(v * by) + 4, "text-anchor": "end" }, digits(v));
    }
    if (lane.name)
      svg(root, "text", { class: "name", x: MARGIN.left, y: lane.top - 5, style: `fill: ${colour(lane.slot)}` }, lane.name);
  }

  function drawAxes(plot, range, top, x, width, bottom) {
    const [, prefix] = scaleOf(top, plot.unit), root = plot.root;
    const marks = ticks(range[0], range[1], Math.max(3, Math.floor(width / 110)));
    for (const t of marks.list) {
      svg(root, "line", { class: "grid", x1: x(t), x2: x(t), y1: bottom, y2: bottom + 5 });
      svg(root, "text", { class: "time", x: x(t), y: bottom + 18, "text-anchor": "middle" },
        t.toFixed(decimals(marks.by)));
    }
    const middle = (MARGIN.left + width - MARGIN.right) / 2, upright = `translate(14 ${bottom / 2}) rotate(-90)`;
    svg(root, "text", { x: middle, y: bottom + MARGIN.bottom - 6, "text-anchor": "middle" }, "time, s");
    svg(root, "text", { transform: upright, "text-anchor": "middle" }, `${plot.quantity}, ${prefix}${plot.unit}`);
  }

  function drawTime(plot) {
    const width = Math.max(360, plot.box.clientWidth), range = rangeOf(plot.view.capture);
    let top = 0;
    for (const s of plot.series.filter((one) => !plot.view.hidden.has(one.key)))
      top = Math.max(top, ...(s.peaks || s.values).slice(...visible(s, range)));
    const shown = (level) => level.slot < 0 || !plot.view.hidden.has(`flow${level.slot}`);
    const near = (level) => level.value < 3 * top; // one far above would flatten the flows
    const levels = plot.levels.filter((level) => shown(level) && near(level));
    for (const level of levels) top = Math.max(top, level.value);
    top = top > 0 ? top * 1.06 : 1;
    const lanes = lanesOf(plot), right = width - MARGIN.right, bottom = lanes[lanes.length - 1].bottom;
    const round = (v) => Math.round(v * 10) / 10;
    const x = (t) => round(MARGIN.left + (t - range[0]) / (range[1] - range[0]) * (right - MARGIN.left));
    for (const lane of lanes) lane.y = (v) => round(lane.bottom - v / top * (lane.bottom - lane.top));
    const y = lanes[0].y;
    plot.root.replaceChildren();
    plot.root.setAttribute("viewBox", `0 0 ${width} ${bottom + MARGIN.bottom}`);
    plot.time = (px) => range[0] + (px - MARGIN.left) / (right - MARGIN.left) * (range[1] - range[0]);
    plot.x = x;
    plot.limits = [MARGIN.left, right];
    for (const lane of lanes) drawLane(plot, lane, top, width);
    drawAxes(plot, range, top, x, width, bottom);
    for (const [s, { y, root }] of lanes.flatMap((lane) => lane.series.map((one) => [one, lane]))) {
      const style = { stroke: colour(s.slot), "stroke-dasharray": s.dash ?? dash(s.slot), "data-key": s.key };
      if (s.peaks) {
        const band = steps(s, s.peaks, range, x, y) + steps(s, s.values, range, x, y, true);
        svg(root, "path", { class: "band", fill: colour(s.slot), d: band });
      }
      svg(root, "path", { class: "series", d: steps(s, s.values, range, x, y), ...style });
      if (!s.marks) continue;
      const [first, end] = visible(s, range);
      let crosses = "";
      for (let i = first; i < end; i++) {
        const t = s.start + (i + 0.5) * s.bin;
        if (s.marks[i] > 0 && s.values[i] !== null && t >= range[0] && t <= range[1])
          crosses += `M${x(t) - 4} ${y(s.values[i]) - 4}l8 8m0-8l-8 8`;
      }
      if (crosses) svg(root, "path", { class: "mark", d: crosses, stroke: colour(s.slot), "data-key": s.key });
    }
    for (const level of levels) {
      svg(plot.root, "line", { class: "level", x1: MARGIN.left, x2: right, y1: y(level.value), y2: y(level.value),
        style: level.slot < 0 ? "" : `stroke: ${colour(level.slot)}` });
      svg(plot.root, "text", { x: right + 4, y: y(level.value) + 4 }, level.name);
    }
    svg(plot.root, "line", { class: "grid", x1: MARGIN.left, x2: right, y1: bottom, y2: bottom });
    plot.cursor = svg(plot.root, "line", { class: "cursor", y1: MARGIN.top, y2: bottom, visibility: "hidden" });
    plot.brush = svg(plot.root, "rect", { class: "selected", y: MARGIN.top, height: bottom - MARGIN.top, width: 0 });
  }

  // Pixels of the drawing, which print or a narrow window may have scaled.
  function pointer(plot, event) {
    const box = plot.root.getBoundingClientRect(), width = plot.root.viewBox.baseVal.width;
    const px = (event.clientX - box.left) * width / box.width;
    return Math.min(plot.limits[1], Math.max(plot.limits[0], px));
  }

  function point(plot, event) {
    const t = plot.time(pointer(plot, event));
    for (const other of plot.view.plots) {
      other.cursor.setAttribute("x1", other.x(t));
      other.cursor.setAttribute("x2", other.x(t));
      other.cursor.setAttribute("visibility", "visible");
    }
    const rows = plot.series.filter((s) => !plot.view.hidden.has(s.key))
      .map((s) => [s, valueAt(s, t)]).filter(([, v]) => v !== undefined && v !== null).sort((a, b) => b[1] - a[1]);
    const tip = plot.view.tip;
    tip.replaceChildren();
    html(tip, "b", {}, `${t.toFixed(decimals((plot.time(1) - plot.time(0))))} s`);
    for (const [s, v] of rows.slice(0, TIP_ROWS)) {
      const row = html(tip, "div"), [by, prefix] = scaleOf(v, plot.unit);
      html(row, "span", { style: `color: ${colour(s.slot)}` }, s.name);
      html(row, "span", {}, `${digits(v / by)} ${prefix}${plot.unit}`);
    }
    if (rows.length > TIP_ROWS) html(tip, "div", {}, `and ${rows.length - TIP_ROWS} more`);
    tip.hidden = false;
    const left = event.pageX + 16, room = document.documentElement.clientWidth - tip.offsetWidth - 8;
    tip.style.left = `${left > room ? Math.max(4, event.pageX - tip.offsetWidth - 16) : left}px`;
    tip.style.top = `${event.pageY + 14}px`;
  }

  function leave(plot) {
    plot.view.tip.hidden = true;
    for (const other of plot.view.plots) other.cursor.setAttribute("visibility", "hidden");
  }

  function listen(plot) {
    let from = null; // where a drag began, in pixels
    plot.root.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      from = pointer(plot, event);
      plot.root.setPointerCapture(event.pointerId);
    });
    plot.root.addEventListener("pointermove", (event) => {
      point(plot, event);
      if (from === null) return;
      const to = pointer(plot, event);
      plot.brush.setAttribute("x", Math.min(from, to));
      plot.brush.setAttribute("width", Math.abs(to - from));
    });
    plot.root.addEventListener("pointerup", (event) => {
      const to = pointer(plot, event), begun = from;
      from = null;
      if (begun === null || Math.abs(to - begun) < 4) return;
      setZoom([plot.time(Math.min(begun, to)), plot.time(Math.max(begun, to))]);
    });
    plot.root.addEventListener("pointercancel", () => { from = null; plot.brush.setAttribute("width", 0); });
    plot.root.addEventListener("pointerleave", () => leave(plot));
    plot.root.addEventListener("dblclick", () => setZoom(null));
  }

  // Where the round trip goes: a bar a flow, on one scale, in the flow's colour; the parts are shades of it.
  const PARTS = [["floor_s", "floor", 0.22], ["data_s", "data wait", 0.55], ["ack_s", "ACKs wait", 1]];
  const split = (capture) => capture.flows.filter((flow) => flow.data_s !== null && flow.ack_s !== null);
  function drawSplit(box, capture) {
    const flows = split(capture);
    const width = Math.max(360, box.clientWidth), row = 40, left = 4, room = width - left - 80;
    const sum = (f) => PARTS.reduce((all, [key]) => all + (f[key] || 0), 0);
    const top = Math.max(...flows.map(sum)) * 1e3 || 1, height = flows.length * row + MARGIN.bottom;
    const root = svg(box, "svg", { class: "plot split", viewBox: `0 0 ${width} ${height}`, role: "img",
      "aria-label": "parts of the round trip" });
    const marks = ticks(0, top, Math.max(3, Math.floor(width / 130)));
    for (const ms of marks.list) {
      const x = left + ms / top * room;
      svg(root, "line", { class: "grid", x1: x, x2: x, y1: 0, y2: height - MARGIN.bottom });
      svg(root, "text", { x, y: height - MARGIN.bottom + 16, "text-anchor": ms ? "middle" : "start" }, digits(ms));
    }
    svg(root, "text", { x: left + room / 2, y: height - 6, "text-anchor": "middle" }, "mean round trip, ms");
    flows.forEach((flow, i) => {
      let x = left;
      svg(root, "text", { class: "name", x, y: i * row + 14 }, flow.name);
      for (const [key, , shade] of PARTS) {
        const w = Math.max(0, flow[key]) * 1e3 / top * room, fill = colour(capture.flows.indexOf(flow));
        svg(root, "rect", { x, y: i * row + 19, width: w, height: 14, fill, "fill-opacity": shade });
        x += w;
      }
      svg(root, "text", { x: x + 5, y: i * row + 30 }, `${digits(sum(flow) * 1e3)} ms`);
    });
  }

  function keyOf(parent, slot) {
    const root = svg(parent, "svg", { class: "key", viewBox: "0 0 26 10" });
    svg(root, "path", { d: "M0 5H26", stroke: colour(slot), "stroke-width": 3, "stroke-dasharray": dash(slot) });
  }

  // A button a series: a click hides or shows it, the pointer fades the others.
  function legend(parent, view, series) {
    const box = html(parent, "div", { class: "legend" });
    for (const s of series) {
      const button = html(box, "button", { type: "button", "aria-pressed": "true" });
      keyOf(button, s.slot);
      html(button, "span", {}, s.name);
      const fade = (on) => view.box.querySelectorAll("[data-key]").forEach((path) =>
        path.classList.toggle("off", on && path.dataset.key !== s.key));
      button.addEventListener("pointerenter", () => fade(true));
      button.addEventListener("pointerleave", () => fade(false));
      button.addEventListener("click", () => {
        if (!view.hidden.delete(s.key)) view.hidden.add(s.key);
        button.setAttribute("aria-pressed", String(!view.hidden.has(s.key)));
        view.plots.forEach(drawTime);
      });
    }
  }

  function addPlot(view, title, quantity, unit, series, levels = [], lanes = false) {
    html(view.box, "h4", {}, title);
    const box = html(view.box, "div");
    const root = svg(box, "svg", { class: "plot", role: "img", "aria-label": title, "data-plot": quantity });
    const plot = { view, box, root, quantity, unit, series, levels, lanes };
    view.plots.push(plot);
    drawTime(plot);
    listen(plot);
  }

  function flowSeries(capture, pick, part = "series") {
    return capture.flows.map(({ name, [part]: s }, slot) => s && {
      key: `flow${slot}`, name, slot, start: s.start_s, bin: s.bin_s, ...pick(s, name),
    }).filter((s) => s);
  }

  // Two lines a flow, of its colour; the colours' own dashes would be taken for ACKs.
  const waitSeries = (capture) => [["data_us", "data", ""], ["ack_us", "ACKs", "6 3"]].flatMap(([key, who, lines]) =>
    flowSeries(capture, (s, name) => ({ name: `${who} of ${name}`, values: s[key].map((us) => us / 1e3), dash: lines }),
      "waits"));

  function addQueues(view, hasWaits) {
    const queues = view.capture.queues;
    if (!queues) {
      if (!hasWaits) html(view.box, "h4", {}, "Queues over time");
      html(view.box, "p", {}, view.capture.run ? "This run recorded no queues." : "A capture holds no queues" +
        (hasWaits ? "; the plot above shows how long data and ACKs waited in them." : "."));
      return;
    }
    const after = view.capture.flows.length % COLOURS, rest = COLOURS - after; // no colour of a flow's, if any is left
    const slotOf = (i) => after + i % rest + COLOURS * Math.floor(i / rest);
    const series = queues.ports.map((port, slot) => ({
      key: `port${slot}`, name: port.name, slot: slotOf(slot), start: 0, bin: queues.bin_s, values: port.mean,
      peaks: port.peak }));
    addPlot(view, `Emulated queues over time: the ${series.length} deepest of ${queues.of}`, "depth", "B", series);
    legend(view.box, view, series);
  }

  function build(box, capture) {
    const view = { box, capture, plots: [], hidden: new Set() }, flows = capture.flows;
    const word = capture.origin[0].toUpperCase() + capture.origin.slice(1); // "Captured", "Emulated"
    views.push(view);
    html(box, "h3", {}, "Over time");
    view.tools = html(box, "div", { class: "tools" });
    view.tip = html(document.body, "div", { class: "tip" });
    view.tip.hidden = true;
    const bandwidth = flowSeries(capture, (s) => ({ values: s.bps }));
    if (bandwidth.length) {
      legend(box, view, bandwidth);
      const levels = [...new Set(capture.levels.map((level) => `${level.name}, ${level.says}`))].join("; ");
      addPlot(view, `${word} bandwidth (goodput)` + (levels && `; dashed: ${levels}`), "goodput", "b/s", bandwidth,
        capture.levels);
    }
    const windows = flowSeries(capture, (s) => ({ values: hold(s.window), marks: s.loss }))
      .filter((s) => s.values.some((v) => v !== null));
    if (windows.length)
      addPlot(view, `${word} bytes in flight` + (windows.some((s) => s.marks.some((n) => n > 0)) ?
        "; a cross is a loss event" : ""), "in flight", "B", windows);
    const lost = flowSeries(capture, (s) => ({ values: s.again, marks: s.loss }))
      .filter((s) => s.values.some((n) => n > 0));
    if (lost.length)
      addPlot(view, `${word} losses: segments sent again, bin by bin; a cross is a loss event`, "sent again",
        "segments", lost);
    if (flows.length) {
      const title = html(box, "h4", {}, `Where the ${capture.origin} round trip goes: `);
      for (const [, name, shade] of PARTS) {
        html(title, "span", { class: "part", style: `opacity: ${shade}` });
        title.append(name);
      }
      view.split = html(box, "div");
      const known = split(capture).length, unknown = flows.length - known;
      if (known) drawSplit(view.split, capture);
      const who = known ? `${unknown} of the flows` : "All flows";
      if (unknown) html(box, "p", {}, `${who} lack the TCP timestamps that this and waits over time are read from.`);
    }
    const waits = waitSeries(capture);
    if (waits.length) addPlot(view, `${word} waits over time; solid: data, dashed: ACKs`, "wait", "ms", waits, [], true);
    addQueues(view, waits.length > 0);
    panels.add(box, capture);
  }

  function showZoom() {
    for (const view of views.filter((one) => one.plots.length)) {
      const [from, to] = rangeOf(view.capture), by = (to - from) / 1000;
      view.tools.replaceChildren();
      html(view.tools, "span", {}, `${from.toFixed(decimals(by))} to ${to.toFixed(decimals(by))} s`);
      html(view.tools, "span", {}, zoom ? "" : "Drag across a plot to zoom in on a part of the time.");
      if (!zoom) continue;
      const button = html(view.tools, "button", { type: "button" }, "Show the whole capture");
      button.addEventListener("click", () => setZoom(null));
    }
  }

  function redraw() {
    panels.draw();
    for (const view of views) {
      view.plots.forEach(drawTime);
      if (!view.split || !split(view.capture).length) continue;
      view.split.replaceChildren();
      drawSplit(view.split, view.capture);
    }
    showZoom();
  }

  // The part shown is in the address, #t=1,2: to be shared, and kept when the page is loaded again.
  function showHash() {
    const places = zoom && Math.max(4, decimals((zoom[1] - zoom[0]) / 1000));
    history.replaceState(null, "", zoom ? `#t=${zoom.map((t) => t.toFixed(places)).join(",")}` : location.pathname);
    redraw();
  }
  // `soon`: another range follows, frame by frame; what is slow to draw waits for the last.
  function setZoom(range, soon = false) {
    zoom = range && range[1] - range[0] >= LEAST_ZOOM_S * 0.999 ? range : null;
    clearTimeout(settling);
    if (soon) settling = setTimeout(showHash, SETTLED_MS);
    else showHash();
  }
  function readZoom() {
    const match = location.hash.match(/^#t=([0-9.]+),([0-9.]+)$/), range = match && match.slice(1).map(Number);
    zoom = range && range[1] - range[0] >= LEAST_ZOOM_S ? range : null;
  }

  const panels = packetPanels({ html, svg, ticks, decimals, rangeOf, wholeOf, setZoom, left: MARGIN.left,
    right: MARGIN.right });
  readZoom();
  document.querySelectorAll(".plots").forEach((box) => build(box, captures[Number(box.dataset.capture)]));
  showZoom();
  window.addEventListener("hashchange", () => { readZoom(); redraw(); });
  window.addEventListener("resize", redraw);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape" && zoom) setZoom(null); });
  document.title = [...document.querySelectorAll("article h2")].map((title) => title.textContent).join(", ");
  document.documentElement.dataset.drawn = document.querySelectorAll("svg.plot").length;
})();
