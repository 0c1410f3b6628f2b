// The pictures beside the frames: lengths, percentiles, levels, culprits, stages, iterations.

const card = (title, about, ...content) =>
  el("section", { class: "card" }, el("h3", null, title), about ? el("p", { class: "quiet" }, about) : null, content);

const lengthsOf = (strips) =>
  strips.flatMap((bars) => bars.filter((bar) => bar.what === FRAME).map((bar) => bar.length / 1000));

// Steps of 1, 2, 5 that part a range into a handful.
function ticks(most, about) {
  const raw = most / about,
    power = 10 ** Math.floor(Math.log10(raw || 1));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= raw) || power;
  const made = [];
  for (let value = 0; value <= most * 1.0001; value += step) made.push(Number(value.toPrecision(8)));
  return made;
}

const longestOf = (lengths) => lengths.reduce((most, length) => Math.max(most, length), 0);

// Frames by length. Heights are square roots: one late frame among a thousand is still seen. `against` is outlined behind
// them, as if it had as many frames; `scale` is all that shares the axes.
function histogram(strips, { against = null, scale = strips } = {}) {
  const lengths = lengthsOf(strips),
    all = lengthsOf(scale).sort((a, b) => a - b);
  if (!lengths.length) return null;
  const longest = longestOf(lengths),
    most = Math.min(all[all.length - 1], Math.max(50, rank(all, 99.5) * 1.6));
  const width = most > 400 ? 10 : most > 150 ? 4 : most > 60 ? 2 : 1;
  const binned = (list) => {
    const bins = Array.from({ length: Math.floor(most / width) + 2 }, () => 0);
    for (const length of list) bins[Math.min(bins.length - 1, Math.floor(length / width))]++;
    return bins;
  };
  const bins = binned(lengths),
    old = against ? lengthsOf(against) : [];
  const ghost = old.length ? binned(old).map((count) => (count * lengths.length) / old.length) : null;
  const W = 340,
    H = 150,
    left = 34,
    bottom = 22,
    top = 6;
  const x = (value) => left + (value / (bins.length * width)) * (W - left - 4);
  const peak = Math.sqrt(Math.max(...bins, ...(ghost || []))),
    y = (count) => H - bottom - (Math.sqrt(count) / peak) * (H - bottom - top);
  // Periods that no eye tells apart are one line.
  const periods = [
    ...new Set(
      strips
        .flat()
        .filter((bar) => bar.what === FRAME && bar.period)
        .map((bar) => Math.round((bar.period * bar.cadence) / 5e5) * 5e5),
    ),
  ];
  const deadline = periods.length ? longestOf(periods) / 1e6 : 0;
  const rects = bins.map((count, n) => {
    if (!count) return null;
    const late = deadline && n * width >= deadline * 1.5,
      over = n === bins.length - 1 && longest > most;
    const words = over
      ? `${several(count, "frame", "frames")} longer than ${number(n * width, "ms")} ms, up to ${number(longest, "ms")} ms`
      : `${several(count, "frame", "frames")} of ${n * width} to ${(n + 1) * width} ms`;
    const left = (x(n * width) + 0.5).toFixed(1),
      right = (x((n + 1) * width) - 0.5).toFixed(1);
    return svg(
      "path",
      {
        class: late ? "bar bad" : "bar",
        d: `M${left} ${y(count).toFixed(1)}H${right}V${H - bottom}H${left}z`,
      },
      svg("title", null, words),
    );
  });
  const counts = [100000, 10000, 1000, 100, 10, 1]
    .filter((count) => count <= peak * peak)
    .reduce((kept, count) => (kept.length && y(count) - y(kept[kept.length - 1]) < 11 ? kept : [...kept, count]), []);
  return svg(
    "svg",
    {
      class: "chart",
      viewBox: `0 0 ${W} ${H}`,
      role: "img",
      "aria-label": `lengths of ${lengths.length} frames, from ${number(
        lengths.reduce((least, one) => Math.min(least, one)),
        "ms",
      )} to ${number(longest, "ms")} ms`,
    },
    counts.map((count) => [
      svg("path", { class: "grid", d: `M${left} ${y(count)}H${W - 4}` }),
      svg("text", { x: left - 5, y: y(count) + 3, class: "tick end" }, grouped(count)),
    ]),
    ticks(bins.length * width * 0.98, 6).map((value) =>
      svg("text", { x: x(value), y: H - 7, class: "tick middle" }, value),
    ),
    rects,
    ghost
      ? svg(
          "path",
          {
            class: "ghost",
            d: ghost
              .map(
                (count, n) =>
                  `${n ? "V" : `M${x(0).toFixed(1)} `}${y(count).toFixed(1)}H${x((n + 1) * width).toFixed(1)}`,
              )
              .join(""),
          },
          svg("title", null, "the first run, as if it had as many frames"),
        )
      : null,
    periods.map((period) =>
      svg(
        "path",
        { class: "deadline", d: `M${x(period / 1e6)} ${top}V${H - bottom}` },
        svg("title", null, `deadline: ${number(period / 1e6, "ms")} ms`),
      ),
    ),
  );
}

// Percentiles of frame length: the band is the iterations, the line all of them together. `bases` are what a baseline says
// of metrics, `against` are the frames of another run, `scale` is all that shares the axes.
function ribbon(strips, { bases = new Map(), against = null, scale = strips } = {}) {
  const marks = [50, 75, 90, 95, 98, 99, 99.5, 99.9, 100];
  const each = strips.map((bars) => lengthsOf([bars]).sort((a, b) => a - b)).filter((one) => one.length);
  const all = each.flat().sort((a, b) => a - b),
    old = against ? lengthsOf(against).sort((a, b) => a - b) : [];
  if (all.length < 2) return null;
  const known = marks
    .map((mark) => bases.get(mark === 100 ? "max_ms" : `p${String(mark).replace(".", "_")}_ms`))
    .map((one) => (one && typeof one.base === "number" ? one.base : null));
  const W = 340,
    H = 150,
    left = 34,
    bottom = 22,
    top = 8;
  const most = Math.max(longestOf(lengthsOf(scale)), ...known.filter((one) => one !== null)) * 1.08;
  const x = (n) => left + 8 + (n / (marks.length - 1)) * (W - left - 24),
    y = (value) => H - bottom - (value / most) * (H - bottom - top);
  const at = (list, edge) => marks.map((mark, n) => [x(n), y(edge(list.map((one) => rank(one, mark))))]);
  const path = (points) => points.map(([a, b], n) => `${n ? "L" : "M"}${a.toFixed(1)} ${b.toFixed(1)}`).join("");
  const low = at(each, (values) => Math.min(...values)),
    high = at(each, (values) => Math.max(...values));
  const line = marks.map((mark, n) => [x(n), y(rank(all, mark)), mark]);
  return svg(
    "svg",
    {
      class: "chart",
      viewBox: `0 0 ${W} ${H}`,
      role: "img",
      "aria-label": `frame length by percentile: ${marks.map((mark) => `p${mark} ${number(rank(all, mark), "ms")} ms`).join(", ")}`,
    },
    ticks(most, 4).map((value) => [
      svg("path", { class: "grid", d: `M${left} ${y(value)}H${W - 4}` }),
      svg("text", { x: left - 5, y: y(value) + 3, class: "tick end" }, value),
    ]),
    each.length > 1
      ? svg(
          "path",
          { class: "ribbon", d: `${path(high)}${path([...low].reverse()).replace("M", "L")}z` },
          svg("title", null, `spread over ${each.length} iterations`),
        )
      : null,
    old.length
      ? svg(
          "path",
          { class: "ghost", d: path(marks.map((mark, n) => [x(n), y(rank(old, mark))])) },
          svg("title", null, "the first run"),
        )
      : null,
    svg("path", { class: "line", d: path(line) }),
    line.map(([cx, cy, mark]) =>
      svg(
        "circle",
        { class: "dot", cx, cy, r: 2.6 },
        svg("title", null, `p${mark}: ${number(rank(all, mark), "ms")} ms`),
      ),
    ),
    known.map((base, n) =>
      base === null
        ? null
        : svg(
            "path",
            { class: "base", d: `M${x(n).toFixed(1)} ${(y(base) - 5).toFixed(1)}l4 5l-4 5l-4 -5z` },
            svg("title", null, `baseline: ${number(base, "ms")} ms`),
          ),
    ),
    marks.map((mark, n) =>
      svg("text", { x: x(n), y: H - 7, class: "tick middle" }, mark === 100 ? "max" : `p${mark}`),
    ),
  );
}

// A list metric of a cell, averaged over its iterations; null where it has none.
const listOf = (detail, key) => {
  const metric = detail.metrics[key];
  return metric && Array.isArray(metric.value) && metric.value.every((one) => typeof one === "number")
    ? metric.value
    : null;
};

function levels(detail) {
  const counts = listOf(detail, "drop_levels60");
  if (!counts) return null;
  const names = [
    ["Best", "under 50 ms late"],
    ["Normal", "50 ms"],
    ["Middle", "150 ms"],
    ["High", "400 ms"],
    ["Frozen", "700 ms"],
  ];
  const total = counts.reduce((sum, one) => sum + one, 0) || 1;
  return el(
    "ol",
    { class: "levels" },
    names.map(([name, about], n) =>
      el(
        "li",
        {
          class: counts[n] ? `level-${n}` : "none",
          title: `${name}: ${n ? "late by " : ""}${about}${n ? " and more" : ""}`,
        },
        el("b", null, number(counts[n], "count")),
        el("span", null, name),
        el("small", null, counts[n] ? `${number((counts[n] * 100) / total, "%")} %` : about),
      ),
    ),
  );
}

// Horizontal bars: [name, value, words, part].
function bars(rows, label) {
  const most = Math.max(...rows.map((row) => row[1]), 1e-9);
  return el(
    "table",
    { class: "bars", "aria-label": label },
    el(
      "tbody",
      null,
      rows.map(([name, value, words, part]) =>
        el(
          "tr",
          null,
          el("th", { scope: "row" }, name),
          el(
            "td",
            { class: "track" },
            el("i", { vars: { "--w": `${(value * 100) / most}%` } }),
            part === undefined ? null : el("b", { vars: { "--w": `${(part * 100) / most}%` } }),
          ),
          el("td", { class: "num" }, words),
        ),
      ),
    ),
  );
}

function culprits(detail) {
  const time = listOf(detail, "ft_blame_ms"),
    frames = listOf(detail, "ft_blame");
  if (!time || !frames) return null;
  if (!frames.some((one) => one > 0)) return el("p", null, "no late frame");
  return bars(
    OWNERS.map((name, n) => [name, time[n], `${number(time[n], "ms")} ms · ${number(frames[n], "count")} fr.`]),
    "hitch time by culprit, mean of an iteration",
  );
}

function stages(detail) {
  const rows = store.index.stages
    .map((name, n) => [stageName(n), listOf(detail, `stage_${name}_ms`)])
    .filter(([, list]) => list);
  if (!rows.length) return null;
  const factors = listOf(detail, "main_factor");
  const named = factors
    ? factors
        .map((count, n) => [n < store.index.stages.length ? stageName(n) : "no single stage", count])
        .filter(([, count]) => count > 0)
    : [];
  named.sort((a, b) => b[1] - a[1]);
  return [
    bars(
      rows.map(([name, [middle, high]]) => [name, high, `${number(middle, "ms")} · ${number(high, "ms")}`, middle]),
      "render stages, p50 and p95 in ms",
    ),
    named.length
      ? el(
          "p",
          { class: "quiet" },
          `long frames, an iteration: ${named.map(([name, count]) => `${name} ${number(count, "count")}`).join(", ")}`,
        )
      : null,
  ];
}

// What people ask first, and what was asked for beside the frames: those are measured only then.
const ASKED = ["hitch_ms_per_s", "fps", "p95_ms", "max_ms", "frozen_frames", "first_frame_latency_ms"],
  BESIDE = ["cpu_ms_per_s", "device_cpu_pct", "rss_mb", "rss_peak_mb", "skin_c", "battery_c", "battery_ma"],
  NETWORK = ["network_rx_kb", "network_tx_kb"];

// Iterations as dots.
function iterations(detail, bases) {
  const keys = [...ASKED, ...BESIDE, ...NETWORK];
  const limits = new Map(detail.limits.map((limit) => [limit.metric, limit]));
  const rows = keys
    .filter((key) => detail.metrics[key])
    .map((key) => {
      const { values, value, unit } = detail.metrics[key],
        limit = limits.get(key);
      const list = values.map((one) => (typeof one === "number" ? one : null));
      return el(
        "tr",
        null,
        el("th", { scope: "row", title: (store.metrics.get(key) || {}).about }, key),
        el(
          "td",
          null,
          dots(list, {
            unit,
            label: key,
            limit: limit ? limit.at : null,
            base: bases.has(key) ? bases.get(key).base : null,
            mei: bases.has(key) ? bases.get(key).mei : null,
            breached: limit && limit.outcome === "breached",
          }),
        ),
        el("td", { class: "num" }, amount(typeof value === "number" ? value : null, unit)),
      );
    });
  return rows.length ? el("table", { class: "series" }, el("tbody", null, rows)) : null;
}
