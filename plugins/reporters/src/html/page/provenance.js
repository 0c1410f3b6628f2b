// Where the numbers of a cell come from, and all of them.

const edge = (word, us) => (us === null ? "" : ` ${word} ${(us / 1e6).toFixed(3)} s`);

function provenance(cell, detail) {
  const counted = detail.iterations.filter((one) => one.counted && !one.void),
    any = counted[0] || detail.iterations[0];
  const row = (name, ...words) =>
    words.flat().filter(Boolean).length ? [el("dt", null, name), el("dd", null, words)] : null;
  const each = (list) => [...new Set(list)];
  const periods = each(
    counted.flatMap((one) =>
      one.periods.map(([, period, origin]) => `${hz(period)} (${number(period / 1e6, "ms")} ms), ${ORIGINS[origin]}`),
    ),
  );
  const gaps = counted.flatMap((one) =>
    one.gaps.map(
      ([after, before, cause]) => `${one.name}: ${CAUSES[cause] || cause}${edge("from", after)}${edge("to", before)}`,
    ),
  );
  const doubts = each(counted.flatMap((one) => one.doubts)),
    passed = each(detail.iterations.flatMap((one) => one.passed.map(([what, why]) => `${what}: ${why}`)));
  const uncertain = counted.reduce((sum, one) => sum + one.uncertain_ms, 0);
  return el(
    "section",
    { class: "provenance", "aria-label": "where the numbers come from" },
    el("h2", null, "Where the numbers come from"),
    el(
      "dl",
      null,
      row(
        "coverage",
        detail.coverage,
        any && counted.length
          ? ` — ${several(
              counted.reduce((sum, one) => sum + one.samples, 0),
              "dump",
              "dumps",
            )}, ${whole(Math.min(...counted.map((one) => one.share)) * 100)} % of the motion at worst`
          : null,
      ),
      gaps.length
        ? row(
            "gaps",
            el(
              "ul",
              null,
              gaps.slice(0, 20).map((one) => el("li", null, one)),
            ),
          )
        : null,
      doubts.length
        ? row(
            "doubts",
            el(
              "ul",
              null,
              doubts.map((one) => el("li", null, one)),
            ),
          )
        : null,
      row(
        "source",
        each(counted.map((one) => one.source))
          .filter(Boolean)
          .join(", "),
      ),
      row(
        "layer",
        each(counted.map((one) => one.layer))
          .filter(Boolean)
          .join(", "),
      ),
      row("refresh period", periods.join("; "), uncertain > 0 ? `; uncertain for ${number(uncertain, "ms")} ms` : null),
      row(
        "clock",
        any && any.clock_ms !== null
          ? `gestures lie on the clock of the frames to ±${number(any.clock_ms, "ms")} ms`
          : null,
      ),
      detail.builds ? row("builds", detail.builds.join(", ")) : null,
      row(
        "iterations",
        `${counted.length} of ${detail.planned} counted` +
          (detail.warmup ? `, ${several(detail.warmup, "warm-up", "warm-ups")} before` : "") +
          (detail.void.length ? `; void: ${detail.void.join("; ")}` : ""),
      ),
      passed.length
        ? row(
            "passed over",
            el(
              "ul",
              null,
              passed.map((one) => el("li", null, one)),
            ),
          )
        : null,
      detail.evidence.length === 0
        ? null
        : row(
            "raw",
            el(
              "details",
              null,
              el("summary", null, several(detail.evidence.length, "file", "files")),
              el(
                "ul",
                { class: "mono" },
                detail.evidence.map((one) => el("li", null, one)),
              ),
            ),
          ),
      detail.builds ? null : row("again", el("code", null, again(cell))),
    ),
  );
}

const quoted = (word) => (/^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`);

function again(cell) {
  const { run } = store.index,
    scenario = store.scenarios.get(cell.scenario);
  const lab = run.lab ? ` --lab ${quoted(run.lab)} --seed ${run.seed}` : "";
  return `farmjank run ${quoted(scenario ? scenario.file : "scenarios")}${lab}${cell.phone ? ` -s ${quoted(cell.phone)}` : ""}`;
}

function readings(detail) {
  const value = (one, unit) => {
    if (one === null || one === undefined) return "–";
    if (typeof one === "number") return number(one, unit);
    if (Array.isArray(one))
      return one.length
        ? one
            .map((part) =>
              typeof part === "number"
                ? number(part, unit)
                : Object.entries(part)
                    .map(([key, text]) => `${key} ${text}`)
                    .join(" "),
            )
            .join(" · ")
        : "none";
    return "–";
  };
  if (!Object.keys(detail.metrics).length && !detail.refused.length) return null;
  const families = store.index.families
    .map((family) => [family.title, family.metrics.filter(([key]) => detail.metrics[key])])
    .filter(([, list]) => list.length);
  const known = new Set(store.metrics.keys()),
    others = Object.keys(detail.metrics).filter((key) => !known.has(key));
  if (others.length) families.push(["Others", others.map((key) => [key, detail.metrics[key].unit, null, ""])]);
  return el(
    "details",
    { class: "readings" },
    el("summary", null, `All readings (${Object.keys(detail.metrics).length})`),
    families.map(([title, list]) =>
      el(
        "table",
        null,
        el("caption", null, title),
        el(
          "tbody",
          null,
          list.map(([key, unit, , about]) => {
            const metric = detail.metrics[key];
            return el(
              "tr",
              null,
              el("th", { scope: "row", title: about }, key, el("small", null, about)),
              el("td", { class: "num" }, value(metric.value, unit), metric.value === null ? "" : SUFFIX[unit] || ""),
              el("td", { class: "each" }, metric.values.map((one) => value(one, unit)).join(", ")),
            );
          }),
        ),
      ),
    ),
    detail.refused.length
      ? el(
          "table",
          null,
          el("caption", null, "Not measurable here"),
          el(
            "tbody",
            null,
            detail.refused.map(([why, keys]) =>
              el("tr", null, el("th", { scope: "row" }, why), el("td", { class: "each" }, keys.join(", "))),
            ),
          ),
        )
      : null,
  );
}
