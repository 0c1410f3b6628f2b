// Several runs side by side: a column per run, a row per window and phone, and the frames of a row on shared axes.

let sideMetric = "hitch_ms_per_s";

const metricOf = (row, key) => row.metrics.find((one) => one.key === key);

// A value's change against the first run that has one; colour never says it alone.
const delta = (metric, at) => (metric && metric.changes[at] ? el("span", { class: `delta${metric.worse[at] ? " worse" : metric.changes[at].endsWith("better") ? " better" : ""}` }, metric.changes[at]) : null);

// Iterations as dots and the interval of their mean, on one axis for all runs of a row.
function sideDots(metric, at) {
  const all = [...metric.iterations.flat().filter((one) => one !== null), ...metric.intervals.flat().filter((one) => one !== null && Number.isFinite(one))];
  if (!all.length || !metric.iterations[at].some((one) => one !== null)) return null;
  const low = Math.min(...all), high = Math.max(...all), pad = (high - low || Math.abs(high) || 1) * 0.08;
  return dots(metric.iterations[at], { unit: metric.unit, label: metric.key, breached: metric.worse[at], range: [low - pad, high + pad], interval: metric.intervals[at], wide: 240 });
}

function sideBanner() {
  const { run, runs } = store.index;
  return el("header", { class: `banner ${run.verdict}` },
    el("h1", null, mark(run.verdict), el("span", null, run.id), el("small", null, `worst: ${run.verdict}`)),
    el("table", { class: "columns" }, el("tbody", null, runs.map((one) => el("tr", null, el("th", { scope: "row" }, one.letter), el("td", null, mark(one.verdict), ` ${one.verdict}`),
      el("td", null, el("b", null, one.name), one.lab ? el("small", { class: "virtual" }, one.lab) : null), el("td", null, one.counts), el("td", null, el("small", null, one.lab ? one.tool : `${one.wall.replace("T", " ").replace("Z", " UTC")} · ${one.tool}`)))))));
}

function sideTable(rows) {
  const { runs } = store.index;
  const cell = (row, at) => {
    // Launches have no hitches: they show how long the app took to start.
    const part = row.runs[at], metric = metricOf(row, sideMetric) || (sideMetric === "hitch_ms_per_s" ? metricOf(row, "launch_total_ms") : undefined), { letter } = runs[at];
    if (!part) return el("td", { class: "empty", "data-of": letter }, "not in this run");
    const words = `${letter}: ${part.verdict}${metric ? `, ${metric.key} ${amount(metric.values[at], metric.unit)}${metric.changes[at] ? `, ${metric.changes[at]}` : ""}` : ""}`;
    return el("td", { "data-of": letter }, el("a", { class: `cell ${part.verdict}`, href: link.of(row), "aria-label": `${words}: ${row.window} of ${row.scenario} on ${phoneTold(row.phone)}`, title: part.why },
      el("span", { class: "top" }, mark(part.verdict), el("b", null, metric ? number(metric.values[at], metric.unit) : part.verdict), metric && metric.values[at] !== null ? el("small", null, (SUFFIX[metric.unit] || "").trim()) : null, delta(metric, at)),
      (metric && sideDots(metric, at)) || el("span", { class: "blank" })));
  };
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "every window on every phone" }, el("table", { class: "matrix side", vars: { "--cols": runs.length } },
    el("caption", null, "A dot per iteration and the 95 % interval of their mean, on one axis per row. The worst change from the first run to the last comes first; whether a change is more than noise, this page does not say."),
    el("thead", null, el("tr", null, el("th", { scope: "col", class: "corner" }, "window · phone"), runs.map((one) => el("th", { scope: "col", title: one.name }, el("span", null, one.letter), el("small", null, one.name))))),
    el("tbody", null, rows.map((row) => el("tr", null, el("th", { scope: "row" }, el("span", null, row.window), el("small", null, `${row.scenario} · ${phoneTold(row.phone)}`)), runs.map((_, at) => cell(row, at)))))));
}

function sideOverview(host) {
  const bar = el("div"), body = el("div");
  const keys = [...new Set(store.index.cells.flatMap((row) => row.metrics.map((one) => one.key)))];
  if (!keys.includes(sideMetric)) sideMetric = keys[0] || sideMetric;
  const choose = () => el("label", null, el("span", null, "metric"), el("select", { "aria-label": "metric", onchange: (event) => { sideMetric = event.target.value; redraw(); } }, keys.map((key) => el("option", { value: key, selected: key === sideMetric }, key))));
  const redraw = () => {
    const rows = store.index.cells.filter(shows), all = store.index.cells.length;
    if (!(document.activeElement && document.activeElement.type === "search")) {
      const form = toolbar(redraw);
      form.querySelector(".chips").after(choose());
      clear(bar, form);
    }
    const count = rows.length < all ? el("p", { class: "quiet", role: "status" }, `${rows.length} of ${several(all, "row", "rows")} `,
      el("button", { type: "button", class: "plain", onclick: () => { Object.assign(filters, { phone: "", scenario: "", tag: "", text: "" }); filters.verdict.clear(); document.activeElement.blur(); redraw(); } }, "show all")) : null;
    const about = store.metrics.get(sideMetric);
    clear(body, count, rows.length ? el("section", { "aria-label": "matrix" }, el("h2", null, sideMetric, about ? el("small", null, ` ${about.about}`) : null), sideTable(rows)) : el("p", { class: "nothing" }, "nothing matches these filters"));
  };
  clear(host, sideBanner(), bar, body, el("footer", null, el("p", { class: "quiet" }, "changes are against the first run that has a value", el("span", { class: "hint" }, " · press ? for keys"))));
  redraw();
}

function sideMetrics(row) {
  const { runs } = store.index;
  return el("table", { class: "limits beside" },
    el("thead", null, el("tr", null, el("th", { scope: "col" }, "metric"), runs.map((one) => el("th", { scope: "col" }, one.letter)))),
    el("tbody", null, row.metrics.map((metric) => el("tr", null,
      el("th", { scope: "row" }, el("span", null, metric.key), store.metrics.has(metric.key) ? el("small", null, store.metrics.get(metric.key).about) : null),
      runs.map((one, at) => el("td", { "data-of": one.letter }, el("span", { class: "num" }, amount(metric.values[at], metric.unit)), " ", delta(metric, at), sideDots(metric, at)))))));
}

// The frames of each run: a plot of one iteration, and the barcodes of all, every one on the same axes.
function sideFrames(row, trial) {
  const { runs } = store.index;
  const opened = row.runs.map((part) => (part ? store.open(part.key) : null));
  const known = opened.map((one) => (one ? one.strips.map((bars) => (bars ? sums(bars) : null)) : []));
  const ends = opened.flatMap((one, at) => (one ? one.detail.iterations.flatMap((two, n) => [known[at][n] ? known[at][n].end : 0, ...two.motions.map((motion) => motion[1])]) : []));
  const span = Math.max(...ends, 1);
  const tallest = opened.reduce((most, one) => (one ? one.strips.reduce((high, bars) => (bars || []).reduce((top, bar) => Math.max(top, bar.vsyncs, bar.cadence), high), most) : most), 2);
  const plots = runs.map(() => null);
  const zoomed = (min, max) => { for (const plot of plots) if (plot) plot.to(min, max); };
  const parts = runs.map((run, at) => {
    const head = el("h3", null, `${run.letter} `, row.runs[at] ? mark(row.runs[at].verdict) : null, el("span", null, ` ${run.name}`));
    const one = opened[at];
    if (!one) return { node: el("section", { class: "run" }, head, el("p", { class: "nothing" }, row.runs[at] ? "the details of this cell are not in the page" : "not in this run")) };
    const { detail, strips } = one;
    const worst = known[at].reduce((best, sum, n) => (sum && detail.iterations[n].counted && !detail.iterations[n].void && (best < 0 || sum.lateMs > known[at][best].lateMs) ? n : best), -1);
    const asked = detail.iterations.findIndex((two, n) => two.trial === trial && strips[n]);
    const first = asked >= 0 ? asked : worst >= 0 ? worst : strips.findIndex(Boolean);
    if (first < 0) return { node: el("section", { class: "run" }, head, el("p", { class: "nothing" }, detail.iterations.map((two) => two.blank).find(Boolean) || "this window was not measured")) };
    const host = el("div", { class: "plot", tabindex: "0", role: "img", "aria-label": `frames of ${run.letter} over time` }), told = el("p", { class: "told", role: "status", "aria-live": "polite" });
    const rows = detail.iterations.map((two, n) => {
      const { name } = two;
      const words = !strips[n] ? two.blank || "no frames" : `${several(known[at][n].late.length, "hitch", "hitches")} · ${number(known[at][n].lateMs, "ms")} ms`;
      return el("button", { type: "button", class: `row${two.counted || two.build ? "" : " warm"}${two.void ? " void" : ""}`, disabled: !strips[n], onclick: () => show(n) },
        el("span", { class: "name" }, name), strips[n] ? stripBarcode(strips[n], span, `${run.letter}, ${name}: ${words}`) : el("span", { class: "blank" }), el("span", { class: "sum" }, two.void ? `void: ${two.void}` : words));
    });
    const show = (n) => {
      rows.forEach((node, nth) => node.setAttribute("aria-pressed", String(nth === n)));
      if (plots[at]) plots[at].end();
      host.replaceChildren();
      const sum = known[at][n];
      const summary = [el("b", null, several(sum.frames.length, "frame", "frames")), el("span", null, `${several(sum.late.length, "hitch", "hitches")}, ${number(sum.lateMs, "ms")} ms late`)];
      const pick = (bar) => clear(told, bar ? frameWords(bar).map((words, nth) => el(nth ? "span" : "b", null, words)) : summary);
      plots[at] = framePlot(host, strips[n], detail.iterations[n], pick, { end: span, tallest, zoomed });
      plots[at].worst = sum.worst;
      pick(null);
    };
    return { node: el("section", { class: "run" }, head, host, told, el("div", { class: "rows", role: "group", "aria-label": `iterations of ${run.letter}` }, rows)), start: () => show(first) };
  });
  const any = () => plots.find(Boolean);
  const tool = (name, words, act) => el("button", { type: "button", title: words, "aria-label": words, onclick: act }, name);
  const act = { "+": () => any().zoom(0.6), "=": () => any().zoom(0.6), "-": () => any().zoom(1.6), 0: () => any().all() };
  const tools = el("div", { class: "tools" }, tool("−", "zoom out", act["-"]), tool("+", "zoom in", act["+"]), tool("‹", "move left", () => any().pan(-0.4)), tool("›", "move right", () => any().pan(0.4)), tool("all", "show all", act[0]));
  const lengths = sideLengths(row, opened);
  return {
    lengths,
    node: el("section", { class: "frames", "aria-label": "frames" }, el("h2", null, "Frames, on one scale"), parts.some(({ start }) => start) ? tools : null, legend(), parts.map(({ node }) => node)),
    start: () => parts.forEach(({ start }) => start && start()),
    end: () => plots.forEach((plot) => plot && plot.end()),
    keys: (event) => { if (!act[event.key] || !any()) return false; act[event.key](); return true; },
  };
}

// How long frames were, run by run on the same axes, with the first run behind every other.
function sideLengths(row, opened) {
  const { runs } = store.index;
  const drawn = opened.map((one) => (one ? one.strips.filter((bars, n) => bars && detailCounts(one.detail.iterations[n])) : []));
  const first = drawn.findIndex((strips) => lengthsOf(strips).length), scale = drawn.flat();
  if (first < 0) return null;
  const cards = runs.map((run, at) => {
    const against = at === first ? null : drawn[first], name = `${run.letter} ${run.name}`;
    return lengthsOf(drawn[at]).length ? card(name, null, histogram(drawn[at], { against, scale }), ribbon(drawn[at], { against, scale })) : card(name, "no frames", null);
  });
  return el("section", { class: "lengths", "aria-label": "frame lengths" }, el("h2", null, "Frame lengths, on one scale"),
    el("p", { class: "quiet" }, `ms, all counted iterations: how many frames were how long (heights are square roots), and percentiles with the spread of the iterations; dashed behind them ${runs[first].letter}`), el("div", { class: "cards" }, cards));
}

const detailCounts = (iteration) => iteration.counted && !iteration.void;

function sideView(host, { cell: row, trial }, [before, after]) {
  const phone = store.phones.get(row.phone), scenario = store.scenarios.get(row.scenario), { runs } = store.index;
  const facts = [row.scenario, phone ? `${phoneName(row.phone)} (${row.phone})` : row.phone || "no phone", phone && phone.android ? `Android ${phone.android}` : null, phone && phone.virtual ? "virtual" : null, scenario ? scenario.file : null].filter(Boolean);
  const nav = el("nav", { "aria-label": "rows" }, el("a", { href: "#" }, "‹ every window"), el("span", { class: "grow" }), before ? el("a", { href: link.of(before), title: "k" }, "worse") : null, after ? el("a", { href: link.of(after), title: "j" }, "next") : null);
  const verdicts = runs.map((run, at) => el("li", null, `${run.letter} `, row.runs[at] ? [mark(row.runs[at].verdict), ` ${row.runs[at].verdict}`, row.runs[at].why ? [": ", coded(row.runs[at].why)] : null] : "not in this run"));
  const frames = sideFrames(row, trial);
  clear(host, nav, el("header", { class: `head ${row.verdict}` }, el("h1", { tabindex: "-1" }, mark(row.verdict), el("span", null, row.window), el("small", null, row.why || row.verdict)), el("ul", { class: "facts" }, facts.map((fact) => el("li", null, fact)))),
    el("ul", { class: "verdicts" }, verdicts), row.notes.length ? el("ul", { class: "notice" }, row.notes.map((note) => el("li", null, note))) : null,
    el("section", { "aria-label": "metrics" }, el("h2", null, "Numbers"), sideMetrics(row)), frames.node, frames.lengths);
  frames.start();
  return frames;
}

const sideViews = { overview: sideOverview, cell: sideView };
