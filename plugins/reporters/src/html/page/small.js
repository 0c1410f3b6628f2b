// Small pictures drawn as SVG: barcodes, dots. Height tells what colour tells.

const BAR_HEIGHT = { 1: 5, 2: 11, 3: 15, 4: 19, 5: 22, i: 9, a: 9, g: 22 };
const BAR_CLASS = { 1: "on", 2: "l1", 3: "l2", 4: "l3", 5: "l4", i: "idle", a: "amb", g: "gap" };
const TALL = 22;

// Rectangles [from, to, mark] of time in ms, as one path per mark.
function barcode(rects, spanMs, label) {
  const paths = {};
  for (const [from, to, mark] of rects) {
    const height = BAR_HEIGHT[mark];
    (paths[mark] ||= []).push(`M${from} ${TALL - height}H${to}V${TALL}H${from}z`);
  }
  const drawn = Object.entries(paths).map(([mark, d]) => svg("path", { class: BAR_CLASS[mark], d: d.join("") }));
  return svg(
    "svg",
    {
      class: "barcode",
      viewBox: `0 0 ${Math.max(spanMs, 1)} ${TALL}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": label,
    },
    svg("path", { class: "ground", d: `M0 ${TALL - 1}H${spanMs}V${TALL}H0z` }),
    drawn,
  );
}

// The barcode of the index: runs of equal marks, each stretch a little apart so that bars stay bars.
function indexBarcode(code, spanMs, label) {
  if (!code) return null;
  const rects = [],
    { marks, step_ms: step } = code;
  for (let n = 0; n < marks.length; n++) {
    if (marks[n] === "0") continue;
    let to = n + 1;
    if (marks[n] !== "1") while (to < marks.length && marks[to] === marks[n]) to++;
    rects.push([n * step, to * step - step * (marks[n] === "1" ? 0.35 : 0.1), marks[n]]);
    n = to - 1;
  }
  return barcode(rects, spanMs, label);
}

const codeSpan = (cell) => (cell.barcode ? cell.barcode.marks.length * cell.barcode.step_ms : 0);

const lateMark = (bar) => {
  if (bar.what !== FRAME) return "0iag"[bar.what];
  return bar.late === 0 ? "1" : bar.late === 1 ? "2" : bar.late < 4 ? "3" : bar.late < 9 ? "4" : "5";
};

// Every frame of an iteration; neighbours on time run together where they would be thinner than a hair.
function stripBarcode(bars, spanUs, label) {
  const hair = spanUs / 900,
    rects = [];
  for (const bar of bars) {
    const mark = lateMark(bar),
      last = rects[rects.length - 1];
    if (
      last &&
      last[2] === mark &&
      mark === "1" &&
      bar.from / 1000 - last[1] < 1 &&
      (bar.to / 1000 - last[0]) * 1000 < hair * 3
    )
      last[1] = bar.to / 1000;
    else rects.push([bar.from / 1000, bar.to / 1000, mark]);
  }
  for (const one of rects) if (one[2] === "1") one[1] -= (one[1] - one[0]) * 0.3;
  return barcode(rects, spanUs / 1000, label);
}

// One dot per iteration on a line, with the limit where there is one. Missing values are told, not drawn.
function dots(
  values,
  { limit = null, base = null, mei = null, unit, label, breached = false, range = null, interval = null, wide = 150 },
) {
  const known = values.filter((value) => value !== null);
  if (!known.length) return el("span", { class: "quiet" }, "–");
  const near = base !== null && mei ? [base - mei, base + mei] : null;
  const all = [...known, ...[limit, base].filter((one) => one !== null), ...(near || [])];
  let low = Math.min(...all),
    high = Math.max(...all);
  const pad = (high - low || Math.abs(high) || 1) * 0.12;
  low -= pad;
  high += pad;
  if (range) [low, high] = range;
  const W = wide,
    H = 26,
    x = (value) => 4 + ((value - low) / (high - low)) * (W - 8);
  const words = known.map((value) => number(value, unit)).join(", ");
  // Equal values are stacked a little apart.
  const taken = new Map();
  const circles = known.map((value) => {
    const place = Math.round(x(value) / 4),
      nth = taken.get(place) || 0;
    taken.set(place, nth + 1);
    const cy = H / 2 + (nth % 2 ? 1 : -1) * Math.ceil(nth / 2) * 3.5;
    return svg(
      "circle",
      { cx: x(value).toFixed(1), cy, r: 2.8, class: breached ? "dot bad" : "dot" },
      svg("title", null, amount(value, unit)),
    );
  });
  return svg(
    "svg",
    {
      class: "dots",
      viewBox: `0 0 ${W} ${H}`,
      width: W,
      height: H,
      preserveAspectRatio: "xMinYMid",
      role: "img",
      "aria-label": `${label}: ${words}${base === null ? "" : `; baseline ${number(base, unit)}`}`,
    },
    near
      ? svg(
          "path",
          {
            class: "ground",
            d: `M${x(near[0]).toFixed(1)} 4H${x(near[1]).toFixed(1)}V${H - 4}H${x(near[0]).toFixed(1)}z`,
          },
          svg("title", null, `less than ${amount(mei, unit)} from the baseline does not matter`),
        )
      : null,
    svg("path", { class: "axis", d: `M0 ${H / 2}H${W}` }),
    interval
      ? svg(
          "path",
          {
            class: "mean",
            d: `M${x(Math.max(low, interval[0])).toFixed(1)} 3V${H - 3}H${x(Math.min(high, interval[1])).toFixed(1)}V3z`,
          },
          svg("title", null, `mean ${amount(interval[0], unit)} to ${amount(interval[1], unit)} (95 %)`),
        )
      : null,
    limit === null
      ? null
      : svg(
          "path",
          { class: "limit", d: `M${x(limit).toFixed(1)} 1V${H - 1}` },
          svg("title", null, `limit ${amount(limit, unit)}`),
        ),
    base === null
      ? null
      : svg(
          "path",
          { class: "base", d: `M${x(base).toFixed(1)} ${H / 2 - 5}l4 5l-4 5l-4 -5z` },
          svg("title", null, `baseline ${amount(base, unit)}`),
        ),
    circles,
  );
}

// A difference with its interval around nothing at all; the shaded middle does not matter.
function effect({ estimate, interval, mei, unit, metric }) {
  if (estimate === null || !interval) return null;
  const W = 190,
    H = 26,
    most = Math.max(...[...interval, estimate, mei || 0].map(Math.abs)) * 1.15 || 1;
  const x = (value) => (W / 2 + (value / most) * (W / 2 - 3)).toFixed(1),
    signed = (value) => `${value > 0 ? "+" : ""}${number(value, unit)}`;
  return svg(
    "svg",
    {
      class: "dots",
      viewBox: `0 0 ${W} ${H}`,
      width: W,
      height: H,
      role: "img",
      "aria-label": `${metric}: difference ${signed(estimate)}, 95 % interval ${signed(interval[0])} to ${signed(interval[1])}`,
    },
    mei
      ? svg(
          "path",
          { class: "ground", d: `M${x(-mei)} 2H${x(mei)}V${H - 2}H${x(-mei)}z` },
          svg("title", null, `less than ${amount(mei, unit)} does not matter`),
        )
      : null,
    svg("path", { class: "zero", d: `M${x(0)} 0V${H}` }),
    svg("path", { class: "span", d: `M${x(interval[0])} ${H / 2}H${x(interval[1])}` }),
    svg("circle", { class: "dot", cx: x(estimate), cy: H / 2, r: 3.4 }),
  );
}

// A hatched fill: lines of an ink leaning one way, or both.
function hatched(ink, lean) {
  const tile = document.createElement("canvas"),
    size = 7 * devicePixelRatio;
  tile.width = tile.height = size;
  const pen = tile.getContext("2d");
  pen.strokeStyle = ink;
  pen.lineWidth = devicePixelRatio;
  for (const by of [-size, 0, size]) {
    pen.moveTo(by, lean ? size : 0);
    pen.lineTo(by + size, lean ? 0 : size);
    if (lean === 2) {
      pen.moveTo(by, 0);
      pen.lineTo(by + size, size);
    }
  }
  pen.stroke();
  return pen.createPattern(tile, "repeat");
}
