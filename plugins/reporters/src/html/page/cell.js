// One window on one phone, in depth.

function limitTable(cell, detail) {
  if (cell.verdict === "unjudged")
    return el("p", { class: "quiet" }, "not judged yet: limits are held against all iterations together");
  if (!detail.limits.length)
    return el("p", { class: "quiet" }, "no limit is set on this window: it passes when every frame was seen");
  return el(
    "table",
    { class: "limits" },
    el(
      "thead",
      null,
      el(
        "tr",
        null,
        ["", "metric", "measured", "limit", "iterations", ""].map((name) => el("th", { scope: "col" }, name)),
      ),
    ),
    el(
      "tbody",
      null,
      detail.limits.map((limit) => {
        const [sign, word] = OUTCOMES[limit.outcome],
          about = store.metrics.get(limit.metric);
        return el(
          "tr",
          { class: limit.outcome },
          el("td", { class: "sign" }, el("span", { title: word, role: "img", "aria-label": word }, sign)),
          el("th", { scope: "row" }, el("span", null, limit.metric), about ? el("small", null, about.about) : null),
          el("td", { class: "num", "data-of": "measured" }, limit.actual),
          el("td", { "data-of": "limit" }, limit.limit, limit.apart ? el("small", null, limit.apart) : null),
          el(
            "td",
            { class: "spread" },
            dots(limit.values, {
              limit: limit.at,
              unit: limit.unit,
              label: limit.metric,
              breached: limit.outcome === "breached",
            }),
          ),
          el("td", { class: "instead" }, limit.instead, limit.reason ? el("small", null, limit.reason) : null),
        );
      }),
    ),
  );
}

// Held against a baseline: the metric that decides first, then those that explain it.
function comparedTable(detail) {
  const SIGNS = { worse: ["✗", "breached"], good: ["✓", "held"], unknown: ["?", "unknown"] };
  const rows = [...detail.compared].sort((a, b) => (b.role === "primary") - (a.role === "primary"));
  return el(
    "table",
    { class: "limits compared" },
    el(
      "thead",
      null,
      el(
        "tr",
        null,
        ["", "metric", "baseline → new", "difference, 95 %", ""].map((name) => el("th", { scope: "col" }, name)),
      ),
    ),
    el(
      "tbody",
      null,
      rows.map((one) => {
        const [sign, look] = SIGNS[one.sign];
        return el(
          "tr",
          { class: one.role === "primary" || one.sign === "worse" ? look : "aside" },
          el("td", { class: "sign" }, el("span", { title: one.state, role: "img", "aria-label": one.state }, sign)),
          el(
            "th",
            { scope: "row" },
            el("span", null, one.metric),
            el("small", null, one.role === "primary" ? "decides" : one.role === "rare" ? "rare events" : "explains"),
          ),
          el("td", { class: "num" }, `${number(one.base, one.unit)} → ${amount(one.new, one.unit)}`),
          el("td", { class: "spread" }, effect(one)),
          el("td", { class: "instead" }, el("b", null, one.state), el("small", null, one.sentence)),
        );
      }),
    ),
  );
}

// What the phone showed when a step failed: its screen, what stands on it, and the end of its log.
function failureSection(failure, rest) {
  if (!failure) return null;
  const [from, length] = failure.png || [];
  const picture = failure.png
    ? el("img", {
        src: `data:image/png;base64,${btoa(characters(rest.subarray(from, from + length)))}`,
        alt: `the screen when ${failure.iteration} failed`,
      })
    : null;
  const files = el("ul", { class: "files" }, failure.files.map((path) => el("li", null, el("code", null, path))));
  return el(
    "section",
    { class: "failure", "aria-label": "what the phone showed" },
    el("h2", null, `What the phone showed when ${failure.iteration} failed`),
    el(
      "div",
      { class: "scene" },
      picture,
      el(
        "div",
        null,
        failure.front ? el("p", null, "in front: ", el("code", null, failure.front)) : null,
        failure.texts.length ? el("p", { class: "quiet" }, "on the screen, from its top:") : null,
        failure.texts.length ? el("ul", { class: "texts" }, failure.texts.map((text) => el("li", null, text))) : null,
        failure.unavailable.map(([what, why]) => el("p", { class: "quiet" }, `${what} not had: ${why}`)),
        failure.files.length ? el("p", { class: "quiet" }, "in the bundle:") : null,
        failure.files.length ? files : null,
      ),
    ),
    failure.log.length
      ? el(
          "details",
          null,
          el("summary", null, `the last ${several(failure.log.length, "line", "lines")} of its log`),
          el("pre", { tabindex: "0" }, failure.log.join("\n")),
        )
      : null,
  );
}

function cellView(host, { cell, trial, frame }, neighbours) {
  const opened = store.open(cell.key),
    scenario = store.scenarios.get(cell.scenario),
    phone = store.phones.get(cell.phone);
  const [before, after] = neighbours;
  const facts = [
    cell.scenario,
    phone ? `${phoneName(cell.phone)} (${cell.phone})` : cell.phone || "no phone",
    phone && phone.android ? `Android ${phone.android}` : null,
    phone && phone.hz.length ? `up to ${Math.round(Math.max(...phone.hz))} Hz` : null,
    phone && phone.virtual ? "virtual" : null,
    scenario ? `${scenario.file}${cell.place ? `:${cell.place[0]}:${cell.place[1]}` : ""}` : null,
  ].filter(Boolean);
  const nav = el(
    "nav",
    { "aria-label": "cells" },
    el("a", { href: "#" }, "‹ every window"),
    el("span", { class: "grow" }),
    before ? el("a", { href: link.of(before), title: "k" }, "‹ previous") : null,
    after ? el("a", { href: link.of(after), title: "j" }, "next ›") : null,
  );
  const head = el(
    "header",
    { class: `head ${cell.verdict}` },
    el("h1", { tabindex: "-1" }, mark(cell.verdict), el("span", null, cell.window), el("small", null, cell.verdict)),
    cell.quarantined
      ? el("p", { class: "notice" }, `${cell.quarantined}. It is told, and left out of the verdict of the run.`)
      : null,
    cell.again ? el("p", { class: "notice" }, `${cell.again[0]}.`) : null,
    el(
      "ul",
      { class: "facts" },
      facts.map((fact) => el("li", null, fact)),
    ),
  );
  if (!opened) {
    clear(host, nav, head, el("p", { class: "nothing" }, store.why(cell.key)));
    return { end: () => {}, keys: () => false };
  }
  const { detail, strips, rest } = opened;
  // Limits say their own reasons, and a fault is told once.
  const reasons = detail.reasons.filter(
    (one) =>
      !detail.limits.some((limit) => one.startsWith(`${limit.metric}: `)) &&
      !(detail.fault && one.startsWith(detail.fault[1])),
  );
  const why = [...new Set([...(detail.fault ? [detail.fault[1]] : []), ...reasons])];
  const drawn = strips.filter((bars, n) => bars && detail.iterations[n].counted && !detail.iterations[n].void);
  const frames = framesSection(cell, detail, strips, { trial, frame }, rest);
  const held = detail.compared.length > 0,
    bases = new Map(detail.compared.map((one) => [one.metric, one]));
  const cards = [
    ["Frame lengths", "ms, all counted iterations; heights are square roots", histogram(drawn)],
    [
      "Percentiles",
      `frame lengths in ms; the band is the spread of the iterations${held ? ", a diamond the baseline" : ""}`,
      ribbon(drawn, { bases }),
    ],
    [
      "Iterations",
      held
        ? "one dot each; the dashed line is the limit, the diamond the baseline amid what does not matter"
        : "one dot each; the dashed line is the limit",
      iterations(detail, bases),
    ],
    ["Whose fault", "hitch time of a mean iteration, by the frame timeline", culprits(detail)],
    ["Render stages", "ms, by framestats; the darker part of a bar is its p50, its end the p95", stages(detail)],
    ["Drop levels", "frames of a mean iteration by how late they came", levels(detail)],
  ]
    .filter(([, , content]) => content)
    .map(([title, about, content]) => card(title, about, content));
  clear(
    host,
    nav,
    head,
    why.length
      ? el(
          "ul",
          { class: "reasons" },
          why.map((one) => el("li", null, coded(one))),
          detail.fault && detail.fault[2] ? el("li", { class: "advice" }, `try: ${detail.fault[2]}`) : null,
        )
      : null,
    failureSection(detail.failure, rest),
    el("section", { "aria-label": "limits" }, el("h2", null, "Limits"), limitTable(cell, detail)),
    causesSection(detail.causes, cell),
    detail.compared.length
      ? el(
          "section",
          { "aria-label": "baseline" },
          el("h2", null, "Against the baseline"),
          el(
            "p",
            { class: "quiet" },
            `held against ${store.index.run.baseline}; both sides as 20 % trimmed means; the shaded middle does not matter`,
          ),
          comparedTable(detail),
        )
      : null,
    frames.section,
    cards.length ? el("div", { class: "cards" }, cards) : null,
    provenance(cell, detail),
    readings(detail),
  );
  if (frames.start) frames.start();
  return frames;
}

// Whose bytes a view of a cell needs.
const cellKeys = (cell) => [cell.key];
