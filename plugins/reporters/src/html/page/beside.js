// What was used beside the frames, as small lines under their plot: on its clock, and following its zoom.

// Height of a line in px, and of one that only its ends tell of.
const LINE = 34,
  ENDS = 14;

// A scale that does not make a mountain of a mole hill: what is spent counts from nothing, what is had is shown over a
// twentieth of it at least. A limit belongs to it where it is near.
function lineScale(values, since, limit) {
  let low = Math.min(...values),
    high = Math.max(...values);
  if (since) low = Math.min(0, low);
  if (limit !== null && limit <= high * 2 && limit >= low / 2) [low, high] = [Math.min(low, limit), Math.max(high, limit)];
  const room = Math.max(high - low, Math.abs(high) * 0.05, 1e-9),
    middle = (low + high) / 2;
  return since ? [low, low + room * 1.1] : [middle - room * 0.6, middle + room * 0.6];
}

// The runs of points without a hole, as px; of what is spent a step from the point before.
function lineRuns({ since, points }, x, y) {
  const runs = [];
  let run = null;
  points.forEach(([us, value], n) => {
    if (value === null) {
      run = null;
      return;
    }
    if (!run) runs.push((run = []));
    if (since) run.push([x(points[n - 1][0]), y(value)]);
    run.push([x(us), y(value)]);
  });
  return runs;
}

const linePath = (run) => run.map(([a, b], n) => `${n ? "L" : "M"}${a.toFixed(1)} ${b.toFixed(1)}`).join("");

// What a line says at an instant: what was spent around it, or the look nearest to it.
function lineAt({ since, points }, us) {
  if (since) {
    const next = points.findIndex(([at]) => at >= us);
    return next > 0 ? points[next][1] : null;
  }
  return points.reduce((best, one) => (Math.abs(one[0] - us) < Math.abs(best[0] - us) ? one : best), points[0])[1];
}

// The lines of one iteration: { node, view(left, width, min, max, whole), point(seconds or null) }; null where nothing was
// asked for. Places in px of the plot, which is `whole` px wide; times in s.
function besideLines(detail, iteration) {
  if (!iteration.beside || !iteration.beside.length) return null;
  const why = (key) => (detail.refused.find(([, keys]) => keys.includes(key)) || ["not told in this iteration"])[0];
  const limits = new Map(detail.limits.map((limit) => [limit.metric, limit]));
  const rows = iteration.beside.map((line) => {
    const { metric: key, points } = line,
      known = points.map(([, value]) => value).filter((value) => value !== null),
      about = store.metrics.get(key) || { unit: null, about: null };
    const name = el("b", { title: about.about }, key);
    if (!known.length) return { node: el("div", { class: "use none" }, name, el("span", { class: "quiet" }, why(key))) };
    const low = Math.min(...known),
      high = Math.max(...known);
    const range =
      known.length > 1 && low !== high ? `${number(low, about.unit)} to ${amount(high, about.unit)}` : amount(high, about.unit);
    const tall = points.length > 2 ? LINE : ENDS,
      limit = limits.has(key) ? limits.get(key).at : null,
      [least, most] = lineScale(known, line.since, limit);
    const now = el("span", { class: "now", "aria-hidden": "true" }),
      picture = svg("svg", {
        class: "use-line",
        height: tall,
        preserveAspectRatio: "none",
        role: "img",
        "aria-label": `${key} over time: ${range}`,
      });
    const y = (value) => 2 + (1 - (value - least) / (most - least)) * (tall - 4);
    let cursor = null,
      x = null;
    return {
      node: el("div", { class: "use" }, el("div", { class: "head" }, name, el("span", { class: "quiet" }, range), now), picture),
      view: (left, width, min, max, whole) => {
        x = (us) => ((us / 1e6 - min) / (max - min)) * width;
        const runs = lineRuns(line, x, y);
        cursor = svg("path", { class: "cursor", d: "" });
        picture.setAttribute("viewBox", `0 0 ${whole} ${tall}`);
        clear(
          picture,
          svg("path", { class: "ground", d: `M${left} ${tall - 0.5}H${left + width}` }),
          // Of its own, so that nothing is drawn beyond the plot.
          svg(
            "svg",
            { x: left, y: 0, width, height: tall },
            limit === null || limit < least || limit > most ? null : svg("path", { class: "limit", d: `M0 ${y(limit)}H${width}` }),
            line.since
              ? runs.map((run) =>
                  svg("path", {
                    class: "area",
                    d: `${linePath(run)}V${tall}H${run[0][0].toFixed(1)}z`,
                  }),
                )
              : null,
            runs.map((run) => svg("path", { class: "line", d: linePath(run) })),
            // Looks are dots of a length of nothing: round however the picture is stretched.
            line.since
              ? null
              : svg("path", { class: "looks", d: runs.flat().map(([a, b]) => `M${a.toFixed(1)} ${b.toFixed(1)}h0`).join("") }),
            cursor,
          ),
        );
      },
      point: (seconds) => {
        const value = seconds === null ? null : lineAt(line, seconds * 1e6);
        now.textContent = value === null ? "" : amount(value, about.unit);
        if (cursor) cursor.setAttribute("d", seconds === null ? "" : `M${x(seconds * 1e6).toFixed(1)} 0V${tall}`);
      },
    };
  });
  const told = rows.filter((row) => row.view);
  const node = el(
    "figure",
    { class: "beside" },
    el("figcaption", { class: "quiet" }, "beside the frames, on their clock"),
    rows.map((row) => row.node),
  );
  let last = "";
  return {
    node,
    view: (...place) => {
      if (String(place) === last) return;
      last = String(place);
      node.style.setProperty("--left", `${(place[0] * 100) / place[4]}%`);
      for (const row of told) row.view(...place);
    },
    point: (seconds) => told.forEach((row) => row.point(seconds)),
  };
}
