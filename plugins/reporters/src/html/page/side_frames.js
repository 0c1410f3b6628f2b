// The frames of several runs, on the same axes.

// The frames of each run: a plot of one iteration, and the barcodes of all, every one on the same axes.
function sideFrames(row, trial) {
  const { runs } = store.index;
  const opened = row.runs.map((part) => (part ? store.open(part.key) : null));
  const known = opened.map((one) => (one ? one.strips.map((bars) => (bars ? sums(bars) : null)) : []));
  const ends = opened.flatMap((one, at) =>
    one
      ? one.detail.iterations.flatMap((two, n) => [
          known[at][n] ? known[at][n].end : 0,
          ...two.motions.map((motion) => motion[1]),
        ])
      : [],
  );
  const span = Math.max(...ends, 1);
  const tallest = opened.reduce(
    (most, one) =>
      one
        ? one.strips.reduce(
            (high, bars) => (bars || []).reduce((top, bar) => Math.max(top, bar.vsyncs, bar.cadence), high),
            most,
          )
        : most,
    2,
  );
  const plots = runs.map(() => null);
  const zoomed = (min, max) => {
    for (const plot of plots) if (plot) plot.to(min, max);
  };
  const parts = runs.map((run, at) => {
    const head = el(
      "h3",
      null,
      `${run.letter} `,
      row.runs[at] ? mark(row.runs[at].verdict) : null,
      el("span", null, ` ${run.name}`),
    );
    const one = opened[at];
    if (!one)
      return {
        node: el(
          "section",
          { class: "run" },
          head,
          el("p", { class: "nothing" }, row.runs[at] ? store.why(row.runs[at].key) : "not in this run"),
        ),
      };
    const { detail, strips } = one;
    const worst = known[at].reduce(
      (best, sum, n) =>
        sum &&
        detail.iterations[n].counted &&
        !detail.iterations[n].void &&
        (best < 0 || sum.lateMs > known[at][best].lateMs)
          ? n
          : best,
      -1,
    );
    const asked = detail.iterations.findIndex((two, n) => two.trial === trial && strips[n]);
    const first = asked >= 0 ? asked : worst >= 0 ? worst : strips.findIndex(Boolean);
    if (first < 0)
      return {
        node: el(
          "section",
          { class: "run" },
          head,
          el(
            "p",
            { class: "nothing" },
            detail.iterations.map((two) => two.blank).find(Boolean) || "this window was not measured",
          ),
        ),
      };
    const host = el("div", {
        class: "plot",
        tabindex: "0",
        role: "img",
        "aria-label": `frames of ${run.letter} over time`,
      }),
      told = el("p", { class: "told", role: "status", "aria-live": "polite" });
    const rows = detail.iterations.map((two, n) => {
      const { name } = two;
      const words = !strips[n]
        ? two.blank || "no frames"
        : `${several(known[at][n].late.length, "hitch", "hitches")} · ${number(known[at][n].lateMs, "ms")} ms`;
      return el(
        "button",
        {
          type: "button",
          class: `row${two.counted || two.build ? "" : " warm"}${two.void ? " void" : ""}`,
          disabled: !strips[n],
          onclick: () => show(n),
        },
        el("span", { class: "name" }, name),
        strips[n] ? stripBarcode(strips[n], span, `${run.letter}, ${name}: ${words}`) : el("span", { class: "blank" }),
        el("span", { class: "sum" }, two.void ? `void: ${two.void}` : words),
      );
    });
    const show = (n) => {
      rows.forEach((node, nth) => node.setAttribute("aria-pressed", String(nth === n)));
      if (plots[at]) plots[at].end();
      host.replaceChildren();
      const sum = known[at][n];
      const summary = [
        el("b", null, several(sum.frames.length, "frame", "frames")),
        el("span", null, `${several(sum.late.length, "hitch", "hitches")}, ${number(sum.lateMs, "ms")} ms late`),
      ];
      const pick = (bar) =>
        clear(told, bar ? frameWords(bar).map((words, nth) => el(nth ? "span" : "b", null, words)) : summary);
      plots[at] = framePlot(host, strips[n], detail.iterations[n], pick, { end: span, tallest, zoomed });
      plots[at].worst = sum.worst;
      pick(null);
    };
    return {
      node: el(
        "section",
        { class: "run" },
        head,
        host,
        told,
        el("div", { class: "rows", role: "group", "aria-label": `iterations of ${run.letter}` }, rows),
      ),
      start: () => show(first),
    };
  });
  const any = () => plots.find(Boolean);
  const tool = (name, words, act) =>
    el("button", { type: "button", title: words, "aria-label": words, onclick: act }, name);
  const act = {
    "+": () => any().zoom(0.6),
    "=": () => any().zoom(0.6),
    "-": () => any().zoom(1.6),
    0: () => any().all(),
  };
  const tools = el(
    "div",
    { class: "tools" },
    tool("−", "zoom out", act["-"]),
    tool("+", "zoom in", act["+"]),
    tool("‹", "move left", () => any().pan(-0.4)),
    tool("›", "move right", () => any().pan(0.4)),
    tool("all", "show all", act[0]),
  );
  const lengths = sideLengths(row, opened);
  return {
    lengths,
    node: el(
      "section",
      { class: "frames", "aria-label": "frames" },
      el("h2", null, "Frames, on one scale"),
      parts.some(({ start }) => start) ? tools : null,
      legend(),
      parts.map(({ node }) => node),
    ),
    start: () => parts.forEach(({ start }) => start && start()),
    end: () => plots.forEach((plot) => plot && plot.end()),
    keys: (event) => {
      if (!act[event.key] || !any()) return false;
      act[event.key]();
      return true;
    },
  };
}

// How long frames were, run by run on the same axes, with the first run behind every other.
function sideLengths(row, opened) {
  const { runs } = store.index;
  const drawn = opened.map((one) =>
    one ? one.strips.filter((bars, n) => bars && detailCounts(one.detail.iterations[n])) : [],
  );
  const first = drawn.findIndex((strips) => lengthsOf(strips).length),
    scale = drawn.flat();
  if (first < 0) return null;
  const cards = runs.map((run, at) => {
    const against = at === first ? null : drawn[first],
      name = `${run.letter} ${run.name}`;
    return lengthsOf(drawn[at]).length
      ? card(name, null, histogram(drawn[at], { against, scale }), ribbon(drawn[at], { against, scale }))
      : card(name, "no frames", null);
  });
  return el(
    "section",
    { class: "lengths", "aria-label": "frame lengths" },
    el("h2", null, "Frame lengths, on one scale"),
    el(
      "p",
      { class: "quiet" },
      "ms, all counted iterations: how many frames were how long (heights are square roots), and percentiles with the spread " +
        `of the iterations; dashed behind them ${runs[first].letter}`,
    ),
    el("div", { class: "cards" }, cards),
  );
}
