// Several runs side by side: a column per run, a row per window and phone, and the frames of a row on shared axes.

let sideMetric = "hitch_ms_per_s";

const metricOf = (row, key) => row.metrics.find((one) => one.key === key);

// A value's change against the first run that has one, and what the comparison makes of it; only what it shows has a
// colour, and colour never says it alone.
const delta = (metric, at) => {
  if (!metric || !metric.changes[at]) return null;
  const words = metric.changes[at],
    state = metric.states[at];
  const shown = metric.worse[at] ? " worse" : words.endsWith("better") ? " better" : "";
  const told = shown || words === "same" ? words : `${words} · ${state || "not compared"}`;
  return el("span", { class: `delta${shown}` }, told);
};

// Iterations as dots and the interval of their mean, on one axis for all runs of a row.
function sideDots(metric, at) {
  const all = [
    ...metric.iterations.flat().filter((one) => one !== null),
    ...metric.intervals.flat().filter((one) => one !== null && Number.isFinite(one)),
  ];
  if (!all.length || !metric.iterations[at].some((one) => one !== null)) return null;
  const low = Math.min(...all),
    high = Math.max(...all),
    pad = (high - low || Math.abs(high) || 1) * 0.08;
  return dots(metric.iterations[at], {
    unit: metric.unit,
    label: metric.key,
    breached: metric.worse[at],
    range: [low - pad, high + pad],
    interval: metric.intervals[at],
    wide: 240,
  });
}

function sideBanner() {
  const { run, runs } = store.index;
  return el(
    "header",
    { class: `banner ${run.verdict}` },
    el("h1", null, mark(run.verdict), el("span", null, run.id), el("small", null, `worst: ${run.verdict}`)),
    el(
      "table",
      { class: "columns" },
      el(
        "tbody",
        null,
        runs.map((one) =>
          el(
            "tr",
            null,
            el("th", { scope: "row" }, one.letter),
            el("td", null, mark(one.verdict), ` ${one.verdict}`),
            el("td", null, el("b", null, one.name), one.lab ? el("small", { class: "virtual" }, one.lab) : null),
            el("td", null, one.counts),
            el(
              "td",
              null,
              el(
                "small",
                null,
                one.lab ? one.tool : `${one.wall.replace("T", " ").replace("Z", " UTC")} · ${one.tool}`,
              ),
            ),
          ),
        ),
      ),
    ),
  );
}

function sideTable(rows) {
  const { runs } = store.index;
  const cell = (row, at) => {
    // Launches have no hitches: they show how long the app took to start.
    const part = row.runs[at],
      metric =
        metricOf(row, sideMetric) || (sideMetric === "hitch_ms_per_s" ? metricOf(row, "launch_total_ms") : undefined),
      { letter } = runs[at];
    if (!part) return el("td", { class: "empty", "data-of": letter }, "not in this run");
    const told = metric ? [`${metric.key} ${amount(metric.values[at], metric.unit)}`, metric.changes[at]] : [];
    const words = `${letter}: ${[part.verdict, ...told].filter(Boolean).join(", ")}`;
    return el(
      "td",
      { "data-of": letter },
      el(
        "a",
        {
          class: `cell ${part.verdict}`,
          href: link.of(row),
          "aria-label": `${words}: ${row.window} of ${row.scenario} on ${phoneTold(row.phone)}`,
          title: part.why,
        },
        el(
          "span",
          { class: "top" },
          mark(part.verdict),
          el("b", null, metric ? number(metric.values[at], metric.unit) : part.verdict),
          metric && metric.values[at] !== null ? el("small", null, (SUFFIX[metric.unit] || "").trim()) : null,
          delta(metric, at),
        ),
        (metric && sideDots(metric, at)) || el("span", { class: "blank" }),
      ),
    );
  };
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "every window on every phone" },
    el(
      "table",
      { class: "matrix side", vars: { "--cols": runs.length } },
      el(
        "caption",
        null,
        "A dot per iteration and the 95 % interval of their mean, on one axis per row. What the comparison shows to be worse " +
          "comes first, then the largest change from the first run to the last.",
      ),
      el(
        "thead",
        null,
        el(
          "tr",
          null,
          el("th", { scope: "col", class: "corner" }, "window · phone"),
          runs.map((one) =>
            el("th", { scope: "col", title: one.name }, el("span", null, one.letter), el("small", null, one.name)),
          ),
        ),
      ),
      el(
        "tbody",
        null,
        rows.map((row) =>
          el(
            "tr",
            null,
            el(
              "th",
              { scope: "row" },
              el("span", null, row.window),
              el("small", null, `${row.scenario} · ${phoneTold(row.phone)}`),
            ),
            runs.map((_, at) => cell(row, at)),
          ),
        ),
      ),
    ),
  );
}

function sideOverview(host) {
  const bar = el("div"),
    body = el("div");
  const keys = [...new Set(store.index.cells.flatMap((row) => row.metrics.map((one) => one.key)))];
  if (!keys.includes(sideMetric)) sideMetric = keys[0] || sideMetric;
  const choose = () =>
    el(
      "label",
      null,
      el("span", null, "metric"),
      el(
        "select",
        {
          "aria-label": "metric",
          onchange: (event) => {
            sideMetric = event.target.value;
            redraw();
          },
        },
        keys.map((key) => el("option", { value: key, selected: key === sideMetric }, key)),
      ),
    );
  const redraw = () => {
    keepFilters();
    const rows = store.index.cells.filter(shows),
      all = store.index.cells.length;
    if (!(document.activeElement && document.activeElement.type === "search")) {
      const form = toolbar(redraw);
      form.querySelector(".chips").after(choose());
      clear(bar, form);
    }
    const count =
      rows.length < all
        ? el(
            "p",
            { class: "quiet", role: "status" },
            `${rows.length} of ${several(all, "row", "rows")} `,
            el(
              "button",
              {
                type: "button",
                class: "plain",
                onclick: () => {
                  forgetFilters();
                  document.activeElement.blur();
                  redraw();
                },
              },
              "show all",
            ),
          )
        : null;
    const about = store.metrics.get(sideMetric);
    clear(
      body,
      count,
      rows.length
        ? el(
            "section",
            { "aria-label": "matrix" },
            el("h2", null, sideMetric, about ? el("small", null, ` ${about.about}`) : null),
            sideTable(rows),
          )
        : el("p", { class: "nothing" }, "nothing matches these filters"),
    );
  };
  clear(
    host,
    sideBanner(),
    bar,
    body,
    el(
      "footer",
      null,
      el(
        "p",
        { class: "quiet" },
        coded(store.index.legend),
        el("span", { class: "hint" }, " · press ? for keys"),
      ),
    ),
  );
  redraw();
}

function sideMetrics(row) {
  const { runs } = store.index;
  return el(
    "table",
    { class: "limits beside" },
    el(
      "thead",
      null,
      el(
        "tr",
        null,
        el("th", { scope: "col" }, "metric"),
        runs.map((one) => el("th", { scope: "col" }, one.letter)),
      ),
    ),
    el(
      "tbody",
      null,
      row.metrics.map((metric) =>
        el(
          "tr",
          null,
          el(
            "th",
            { scope: "row" },
            el("span", null, metric.key),
            store.metrics.has(metric.key) ? el("small", null, store.metrics.get(metric.key).about) : null,
          ),
          runs.map((one, at) =>
            el(
              "td",
              { "data-of": one.letter },
              el("span", { class: "num" }, amount(metric.values[at], metric.unit)),
              " ",
              delta(metric, at),
              sideDots(metric, at),
            ),
          ),
        ),
      ),
    ),
  );
}

const detailCounts = (iteration) => iteration.counted && !iteration.void;

function sideView(host, { cell: row, trial }, [before, after]) {
  const phone = store.phones.get(row.phone),
    scenario = store.scenarios.get(row.scenario),
    { runs } = store.index;
  const facts = [
    row.scenario,
    phone ? `${phoneName(row.phone)} (${row.phone})` : row.phone || "no phone",
    phone && phone.android ? `Android ${phone.android}` : null,
    phone && phone.virtual ? "virtual" : null,
    scenario ? scenario.file : null,
  ].filter(Boolean);
  const nav = el(
    "nav",
    { "aria-label": "rows" },
    el("a", { href: "#" }, "‹ every window"),
    el("span", { class: "grow" }),
    before ? el("a", { href: link.of(before), title: "k" }, "‹ previous") : null,
    after ? el("a", { href: link.of(after), title: "j" }, "next ›") : null,
  );
  const verdicts = runs.map((run, at) =>
    el(
      "li",
      null,
      `${run.letter} `,
      row.runs[at]
        ? [
            mark(row.runs[at].verdict),
            ` ${row.runs[at].verdict}`,
            row.runs[at].why ? [": ", coded(row.runs[at].why)] : null,
          ]
        : "not in this run",
    ),
  );
  const frames = sideFrames(row, trial);
  clear(
    host,
    nav,
    el(
      "header",
      { class: `head ${row.verdict}` },
      el(
        "h1",
        { tabindex: "-1" },
        mark(row.verdict),
        el("span", null, row.window),
        el("small", null, row.why || row.verdict),
      ),
      el(
        "ul",
        { class: "facts" },
        facts.map((fact) => el("li", null, fact)),
      ),
    ),
    el("ul", { class: "verdicts" }, verdicts),
    row.notes.length
      ? el(
          "ul",
          { class: "notice" },
          row.notes.map((note) => el("li", null, note)),
        )
      : null,
    el("section", { "aria-label": "metrics" }, el("h2", null, "Numbers"), sideMetrics(row)),
    frames.node,
    frames.lengths,
  );
  frames.start();
  return frames;
}

const sideKeys = (row) => row.runs.filter(Boolean).map((part) => part.key);
const sideViews = { overview: sideOverview, cell: sideView, keys: sideKeys };
