// One window on one phone, in depth.

function limitTable(cell, detail) {
  if (cell.verdict === "unjudged") return el("p", { class: "quiet" }, "not judged yet: limits are held against all iterations together");
  if (!detail.limits.length) return el("p", { class: "quiet" }, "no limit is set on this window: it passes when every frame was seen");
  return el("table", { class: "limits" },
    el("thead", null, el("tr", null, ["", "metric", "measured", "limit", "iterations", ""].map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", null, detail.limits.map((limit) => {
      const [sign, word] = OUTCOMES[limit.outcome], about = store.metrics.get(limit.metric);
      return el("tr", { class: limit.outcome },
        el("td", { class: "sign" }, el("span", { title: word, role: "img", "aria-label": word }, sign)),
        el("th", { scope: "row" }, el("span", null, limit.metric), about ? el("small", null, about.about) : null),
        el("td", { class: "num", "data-of": "measured" }, limit.actual),
        el("td", { "data-of": "limit" }, limit.limit, limit.apart ? el("small", null, limit.apart) : null),
        el("td", { class: "spread" }, dots(limit.values, { limit: limit.at, unit: limit.unit, label: limit.metric, breached: limit.outcome === "breached" })),
        el("td", { class: "instead" }, limit.instead, limit.reason ? el("small", null, limit.reason) : null));
    })));
}

// Held against a baseline: the metric that decides first, then those that explain it.
function comparedTable(detail) {
  const SIGNS = { worse: ["✗", "breached"], good: ["✓", "held"], unknown: ["?", "unknown"] };
  const rows = [...detail.compared].sort((a, b) => (b.role === "primary") - (a.role === "primary"));
  return el("table", { class: "limits compared" },
    el("thead", null, el("tr", null, ["", "metric", "baseline → new", "difference, 95 %", ""].map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", null, rows.map((one) => {
      const [sign, look] = SIGNS[one.sign];
      return el("tr", { class: one.role === "primary" || one.sign === "worse" ? look : "aside" },
        el("td", { class: "sign" }, el("span", { title: one.state, role: "img", "aria-label": one.state }, sign)),
        el("th", { scope: "row" }, el("span", null, one.metric), el("small", null, one.role === "primary" ? "decides" : one.role === "rare" ? "rare events" : "explains")),
        el("td", { class: "num" }, `${number(one.base, one.unit)} → ${amount(one.new, one.unit)}`),
        el("td", { class: "spread" }, effect(one)),
        el("td", { class: "instead" }, el("b", null, one.state), el("small", null, one.sentence)));
    })));
}

// Pictures of the screen under the plot: warm-ups alone have any, because taking one costs frames.
function filmstrip(iteration, rest, go, marked) {
  const all = iteration.screens || [], shown = all.filter((screen) => screen.png);
  if (!all.length) return null;
  const cost = all.reduce((sum, screen) => sum + screen.cost_ms, 0);
  const words = `Screens of this warm-up: ${several(all.length, "picture", "pictures")}, ${number(cost / all.length, "ms")} ms of the phone each, ${number(cost / 1000, "ms")} s in all. Iterations that count are not photographed.`
    + (shown.length < all.length ? ` ${shown.length} of ${all.length} fit into this page; the bundle has them all.` : "");
  const source = ([from, length]) => `data:image/png;base64,${btoa(rest.subarray(from, from + length).reduce((text, byte) => text + String.fromCharCode(byte), ""))}`;
  const frames = shown.map((screen) => {
    const when = `${(screen.at / 1e6).toFixed(2)} s`;
    return el("button", { type: "button", class: screen.hitch ? "hitch" : null, "aria-label": `screen at ${when}${screen.hitch ? ", at a hitch" : ""}`, onclick: () => { go(screen.at); point(screen.at); } },
      el("img", { src: source(screen.png), alt: "", loading: "lazy" }), el("small", null, screen.hitch ? `${when} hitch` : when));
  });
  const node = el("figure", { class: "film" }, el("figcaption", { class: "quiet" }, words), el("div", { class: "strip" }, frames));
  // The picture nearest to where the cursor is.
  const point = (us) => {
    let best = -1;
    shown.forEach((screen, n) => { if (best < 0 || Math.abs(screen.at - us) < Math.abs(shown[best].at - us)) best = n; });
    frames.forEach((frame, n) => {
      if (n !== best) return frame.removeAttribute("aria-current");
      marked(shown[n].at);
      frame.setAttribute("aria-current", "true");
      frame.parentNode.scrollLeft = frame.offsetLeft - frame.parentNode.offsetLeft - frame.parentNode.clientWidth / 2 + frame.clientWidth / 2;
    });
  };
  return { node, point };
}

function framesSection(cell, detail, strips, wanted, rest) {
  const known = strips.map((bars) => (bars ? sums(bars) : null));
  const worst = known.reduce((best, sum, n) => (sum && detail.iterations[n].counted && !detail.iterations[n].void && (best < 0 || sum.lateMs > known[best].lateMs) ? n : best), -1);
  const asked = detail.iterations.findIndex((one, n) => one.trial === wanted.trial && strips[n]);
  let current = asked >= 0 ? asked : worst >= 0 ? worst : strips.findIndex(Boolean);
  const section = el("section", { class: "frames", "aria-label": "frames" }, el("h2", null, "Frames"));
  if (current < 0) {
    const why = detail.iterations.map((one) => one.blank).find(Boolean);
    fill(section, null, [el("p", { class: "nothing" }, why || "this window was not measured")]);
    return { section, end: () => {}, keys: () => false };
  }
  const host = el("div", { class: "plot", tabindex: "0", role: "img", "aria-label": "frames over time; arrow keys go from frame to frame, + and - zoom, 0 shows all, w goes to the worst hitch" });
  const told = el("p", { class: "told", role: "status", "aria-live": "polite" });
  const reel = el("div");
  let plot = null, film = null;
  const pick = (bar, keep, blank) => {
    if (film && bar) film.point((bar.from + bar.to) / 2);
    const words = bar ? frameWords(bar) : blank;
    clear(told, words ? words.map((one, n) => el(n ? "span" : "b", null, one)) : summary());
    if (keep && bar) history.replaceState(null, "", link.of(cell, detail.iterations[current].trial, bar.nth + 1));
  };
  const summary = () => {
    const sum = known[current];
    return [el("b", null, several(sum.frames.length, "frame", "frames")), el("span", null, `${several(sum.late.length, "hitch", "hitches")}, ${number(sum.lateMs, "ms")} ms late`),
      el("span", null, sum.worst ? `worst ${ms((sum.worst.late * sum.worst.period) / 1000)} at ${(sum.worst.from / 1e6).toFixed(2)} s` : "none late"),
      el("span", { class: "quiet hint" }, "point at a frame; drag to zoom, shift-drag to move")];
  };
  const toWorst = () => { if (known[current].worst) plot.choose(known[current].worst, 0.6); };
  const span = Math.max(...known.map((sum) => (sum ? sum.end : 0)), 1);
  const rows = detail.iterations.map((one, n) => {
    const { name } = one;
    const words = !strips[n] ? one.blank || "no frames" : `${several(known[n].late.length, "hitch", "hitches")} · ${number(known[n].lateMs, "ms")} ms${one.screens ? ` · ${several(one.screens.length, "screen", "screens")}` : ""}`;
    return el("button", { type: "button", class: `row${one.counted || one.build ? "" : " warm"}${one.void ? " void" : ""}`, disabled: !strips[n], onclick: () => show(n) },
      el("span", { class: "name" }, name), strips[n] ? stripBarcode(strips[n], span, `${name}: ${words}`) : el("span", { class: "blank" }),
      el("span", { class: "sum" }, one.void ? `void: ${one.void}` : words));
  });
  const show = (n, frame) => {
    current = n;
    rows.forEach((row, at) => row.setAttribute("aria-pressed", String(at === n)));
    if (plot) plot.end();
    host.replaceChildren();
    const bars = strips[n];
    film = filmstrip(detail.iterations[n], rest, (us) => plot.choose(bars.find((bar) => bar.to > us) || bars[bars.length - 1], true), (us) => plot.screen(us));
    clear(reel, film ? film.node : null);
    plot = framePlot(host, strips[n], detail.iterations[n], pick);
    pick(null, false);
    if (frame && strips[n][frame - 1]) plot.choose(strips[n][frame - 1], 0.8);
    else if (section.isConnected) history.replaceState(null, "", link.of(cell, detail.iterations[n].trial));
  };
  const tool = (name, words, act) => el("button", { type: "button", title: words, "aria-label": words, onclick: act }, name);
  const tools = el("div", { class: "tools" }, tool("−", "zoom out", () => plot.zoom(1.6)), tool("+", "zoom in", () => plot.zoom(0.6)),
    tool("‹", "move left", () => plot.pan(-0.4)), tool("›", "move right", () => plot.pan(0.4)), tool("all", "show all", () => plot.all()), tool("worst hitch", "go to the worst hitch", toWorst));
  const keys = (event) => {
    const act = { ArrowLeft: () => plot.step(-1), ArrowRight: () => plot.step(1), "+": () => plot.zoom(0.6), "=": () => plot.zoom(0.6), "-": () => plot.zoom(1.6), 0: () => plot.all(), w: toWorst }[event.key];
    if (!act || (event.key.startsWith("Arrow") && document.activeElement !== host)) return false;
    act();
    return true;
  };
  fill(section, null, [tools, host, told, reel, legend(), el("div", { class: "rows", role: "group", "aria-label": "iterations" }, rows)]);
  return { section, start: () => show(current, asked >= 0 ? wanted.frame : null), end: () => plot && plot.end(), keys };
}

function provenance(cell, detail) {
  const counted = detail.iterations.filter((one) => one.counted && !one.void), any = counted[0] || detail.iterations[0];
  const row = (name, ...words) => (words.flat().filter(Boolean).length ? [el("dt", null, name), el("dd", null, words)] : null);
  const each = (list) => [...new Set(list)];
  const periods = each(counted.flatMap((one) => one.periods.map(([, period, origin]) => `${hz(period)} (${number(period / 1e6, "ms")} ms), ${ORIGINS[origin]}`)));
  const gaps = counted.flatMap((one) => one.gaps.map(([after, before, cause]) =>
    `${one.name}: ${CAUSES[cause] || cause}${after === null ? "" : ` from ${(after / 1e6).toFixed(3)} s`}${before === null ? "" : ` to ${(before / 1e6).toFixed(3)} s`}`));
  const doubts = each(counted.flatMap((one) => one.doubts)), passed = each(detail.iterations.flatMap((one) => one.passed.map(([what, why]) => `${what}: ${why}`)));
  const uncertain = counted.reduce((sum, one) => sum + one.uncertain_ms, 0);
  return el("section", { class: "provenance", "aria-label": "where the numbers come from" }, el("h2", null, "Where the numbers come from"), el("dl", null,
    row("coverage", detail.coverage, any && counted.length ? ` — ${several(counted.reduce((sum, one) => sum + one.samples, 0), "dump", "dumps")}, ${whole(Math.min(...counted.map((one) => one.share)) * 100)} % of the motion at worst` : null),
    gaps.length ? row("gaps", el("ul", null, gaps.slice(0, 20).map((one) => el("li", null, one)))) : null,
    doubts.length ? row("doubts", el("ul", null, doubts.map((one) => el("li", null, one)))) : null,
    row("source", each(counted.map((one) => one.source)).filter(Boolean).join(", ")), row("layer", each(counted.map((one) => one.layer)).filter(Boolean).join(", ")),
    row("refresh period", periods.join("; "), uncertain > 0 ? `; uncertain for ${number(uncertain, "ms")} ms` : null),
    row("clock", any && any.clock_ms !== null ? `gestures lie on the clock of the frames to ±${number(any.clock_ms, "ms")} ms` : null),
    detail.builds ? row("builds", detail.builds.join(", ")) : null,
    row("iterations", `${counted.length} of ${detail.planned} counted${detail.warmup ? `, ${several(detail.warmup, "warm-up", "warm-ups")} before` : ""}${detail.void.length ? `; void: ${detail.void.join("; ")}` : ""}`),
    passed.length ? row("passed over", el("ul", null, passed.map((one) => el("li", null, one)))) : null,
    detail.evidence.length === 0 ? null : row("raw", el("details", null, el("summary", null, several(detail.evidence.length, "file", "files")), el("ul", { class: "mono" }, detail.evidence.map((one) => el("li", null, one))))),
    detail.builds ? null : row("again", el("code", null, again(cell)))));
}

const quoted = (word) => (/^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`);
function again(cell) {
  const { run } = store.index, scenario = store.scenarios.get(cell.scenario);
  const lab = run.lab ? ` --lab ${quoted(run.lab)} --seed ${run.seed}` : "";
  return `farmjank run ${quoted(scenario ? scenario.file : "scenarios")}${lab}${cell.phone ? ` -s ${quoted(cell.phone)}` : ""}`;
}

function readings(detail) {
  const value = (one, unit) => {
    if (one === null || one === undefined) return "–";
    if (typeof one === "number") return number(one, unit);
    if (Array.isArray(one)) return one.length ? one.map((part) => (typeof part === "number" ? number(part, unit) : Object.entries(part).map(([key, text]) => `${key} ${text}`).join(" "))).join(" · ") : "none";
    return "–";
  };
  if (!Object.keys(detail.metrics).length && !detail.refused.length) return null;
  const families = store.index.families.map((family) => [family.title, family.metrics.filter(([key]) => detail.metrics[key])]).filter(([, list]) => list.length);
  const known = new Set(store.metrics.keys()), others = Object.keys(detail.metrics).filter((key) => !known.has(key));
  if (others.length) families.push(["Others", others.map((key) => [key, detail.metrics[key].unit, null, ""])]);
  return el("details", { class: "readings" }, el("summary", null, `All readings (${Object.keys(detail.metrics).length})`),
    families.map(([title, list]) => el("table", null, el("caption", null, title), el("tbody", null, list.map(([key, unit, , about]) => {
      const metric = detail.metrics[key];
      return el("tr", null, el("th", { scope: "row", title: about }, key, el("small", null, about)), el("td", { class: "num" }, value(metric.value, unit), metric.value === null ? "" : SUFFIX[unit] || ""),
        el("td", { class: "each" }, metric.values.map((one) => value(one, unit)).join(", ")));
    })))),
    detail.refused.length ? el("table", null, el("caption", null, "Not measurable here"), el("tbody", null, detail.refused.map(([why, keys]) => el("tr", null, el("th", { scope: "row" }, why), el("td", { class: "each" }, keys.join(", ")))))) : null);
}

function cellView(host, { cell, trial, frame }, neighbours) {
  const opened = store.open(cell.key), scenario = store.scenarios.get(cell.scenario), phone = store.phones.get(cell.phone);
  const [before, after] = neighbours;
  const facts = [cell.scenario, phone ? `${phoneName(cell.phone)} (${cell.phone})` : cell.phone || "no phone", phone && phone.android ? `Android ${phone.android}` : null,
    phone && phone.hz.length ? `up to ${Math.round(Math.max(...phone.hz))} Hz` : null, phone && phone.virtual ? "virtual" : null, scenario ? `${scenario.file}${cell.place ? `:${cell.place[0]}:${cell.place[1]}` : ""}` : null].filter(Boolean);
  const nav = el("nav", { "aria-label": "cells" }, el("a", { href: "#" }, "‹ every window"), el("span", { class: "grow" }),
    before ? el("a", { href: link.of(before), title: "k" }, "worse") : null, after ? el("a", { href: link.of(after), title: "j" }, "next") : null);
  const head = el("header", { class: `head ${cell.verdict}` }, el("h1", { tabindex: "-1" }, mark(cell.verdict), el("span", null, cell.window), el("small", null, cell.verdict)), el("ul", { class: "facts" }, facts.map((fact) => el("li", null, fact))));
  if (!opened) {
    clear(host, nav, head, el("p", { class: "nothing" }, "the details of this cell are not in the page"));
    return { end: () => {}, keys: () => false };
  }
  const { detail, strips, rest } = opened;
  // Limits say their own reasons, and a fault is told once.
  const reasons = detail.reasons.filter((one) => !detail.limits.some((limit) => one.startsWith(`${limit.metric}: `)) && !(detail.fault && one.startsWith(detail.fault[1])));
  const why = [...new Set([...(detail.fault ? [detail.fault[1]] : []), ...reasons])];
  const drawn = strips.filter((bars, n) => bars && detail.iterations[n].counted && !detail.iterations[n].void);
  const frames = framesSection(cell, detail, strips, { trial, frame }, rest);
  const held = detail.compared.length > 0, bases = new Map(detail.compared.map((one) => [one.metric, one]));
  const cards = [["Frame lengths", "ms, all counted iterations; heights are square roots", histogram(drawn)],
    ["Percentiles", `frame lengths in ms; the band is the spread of the iterations${held ? ", a diamond the baseline" : ""}`, ribbon(drawn, { bases })],
    ["Iterations", held ? "one dot each; the dashed line is the limit, the diamond the baseline amid what does not matter" : "one dot each; the dashed line is the limit", iterations(detail, bases)], ["Whose fault", "hitch time of a mean iteration, by the frame timeline", culprits(detail)],
    ["Render stages", "ms, by framestats; the darker part of a bar is its p50, its end the p95", stages(detail)], ["Drop levels", "frames of a mean iteration by how late they came", levels(detail)]]
    .filter(([, , content]) => content).map(([title, about, content]) => card(title, about, content));
  clear(host, nav, head, why.length ? el("ul", { class: "reasons" }, why.map((one) => el("li", null, coded(one))), detail.fault && detail.fault[2] ? el("li", { class: "advice" }, `try: ${detail.fault[2]}`) : null) : null,
    el("section", { "aria-label": "limits" }, el("h2", null, "Limits"), limitTable(cell, detail)),
    detail.compared.length ? el("section", { "aria-label": "baseline" }, el("h2", null, "Against the baseline"), el("p", { class: "quiet" }, `held against ${store.index.run.baseline}; both sides as 20 % trimmed means; the shaded middle does not matter`), comparedTable(detail)) : null, frames.section, cards.length ? el("div", { class: "cards" }, cards) : null, provenance(cell, detail), readings(detail));
  if (frames.start) frames.start();
  return frames;
}
