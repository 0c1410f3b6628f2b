// The frames of one cell: a plot of one iteration, and the barcodes of all.

const characters = (bytes) => bytes.reduce((text, byte) => text + String.fromCharCode(byte), "");

// Pictures of the screen under the plot: warm-ups alone have any, because taking one costs frames.
function filmstrip(iteration, rest, go, marked) {
  const all = iteration.screens || [],
    shown = all.filter((screen) => screen.png);
  if (!all.length) return null;
  const cost = all.reduce((sum, screen) => sum + screen.cost_ms, 0);
  const words =
    `Screens of this warm-up: ${several(all.length, "picture", "pictures")}, ` +
    `${number(cost / all.length, "ms")} ms of the phone each, ${number(cost / 1000, "ms")} s in all. ` +
    "Iterations that count are not photographed." +
    (shown.length < all.length ? ` ${shown.length} of ${all.length} fit into this page; the bundle has them all.` : "");
  const source = ([from, length]) => `data:image/png;base64,${btoa(characters(rest.subarray(from, from + length)))}`;
  const frames = shown.map((screen) => {
    const when = `${(screen.at / 1e6).toFixed(2)} s`;
    return el(
      "button",
      {
        type: "button",
        class: screen.hitch ? "hitch" : null,
        "aria-label": `screen at ${when}${screen.hitch ? ", at a hitch" : ""}`,
        onclick: () => {
          go(screen.at);
          point(screen.at);
        },
      },
      el("img", { src: source(screen.png), alt: "", loading: "lazy" }),
      el("small", null, screen.hitch ? `${when} hitch` : when),
    );
  });
  const node = el(
    "figure",
    { class: "film" },
    el("figcaption", { class: "quiet" }, words),
    el("div", { class: "strip" }, frames),
  );
  // The picture nearest to where the cursor is.
  const point = (us) => {
    let best = -1;
    shown.forEach((screen, n) => {
      if (best < 0 || Math.abs(screen.at - us) < Math.abs(shown[best].at - us)) best = n;
    });
    frames.forEach((frame, n) => {
      if (n !== best) return frame.removeAttribute("aria-current");
      marked(shown[n].at);
      frame.setAttribute("aria-current", "true");
      frame.parentNode.scrollLeft =
        frame.offsetLeft - frame.parentNode.offsetLeft - frame.parentNode.clientWidth / 2 + frame.clientWidth / 2;
    });
  };
  return { node, point };
}

function framesSection(cell, detail, strips, wanted, rest) {
  const known = strips.map((bars) => (bars ? sums(bars) : null));
  const worst = known.reduce(
    (best, sum, n) =>
      sum && detail.iterations[n].counted && !detail.iterations[n].void && (best < 0 || sum.lateMs > known[best].lateMs)
        ? n
        : best,
    -1,
  );
  const asked = detail.iterations.findIndex((one, n) => one.trial === wanted.trial && strips[n]);
  let current = asked >= 0 ? asked : worst >= 0 ? worst : strips.findIndex(Boolean);
  const section = el("section", { class: "frames", "aria-label": "frames" }, el("h2", null, "Frames"));
  if (current < 0) {
    const why = detail.iterations.map((one) => one.blank).find(Boolean);
    fill(section, null, [el("p", { class: "nothing" }, why || "this window was not measured")]);
    return { section, end: () => {}, keys: () => false };
  }
  const host = el("div", {
    class: "plot",
    tabindex: "0",
    role: "img",
    "aria-label":
      "frames over time; arrow keys go from frame to frame, + and - zoom, 0 shows all, w goes to the worst hitch",
  });
  const told = el("p", { class: "told", role: "status", "aria-live": "polite" });
  const reel = el("div"),
    used = el("div");
  let plot = null,
    film = null;
  const pick = (bar, keep, blank) => {
    if (film && bar) film.point((bar.from + bar.to) / 2);
    const words = bar ? frameWords(bar) : blank;
    clear(told, words ? words.map((one, n) => el(n ? "span" : "b", null, one)) : summary());
    if (keep && bar) history.replaceState(null, "", link.of(cell, detail.iterations[current].trial, bar.nth + 1));
  };
  const summary = () => {
    const sum = known[current];
    return [
      el("b", null, several(sum.frames.length, "frame", "frames")),
      el("span", null, `${several(sum.late.length, "hitch", "hitches")}, ${number(sum.lateMs, "ms")} ms late`),
      el(
        "span",
        null,
        sum.worst
          ? `worst ${ms((sum.worst.late * sum.worst.period) / 1000)} at ${(sum.worst.from / 1e6).toFixed(2)} s`
          : "none late",
      ),
      el("span", { class: "quiet hint" }, "point at a frame; drag to zoom, shift-drag to move"),
    ];
  };
  const toWorst = () => {
    if (known[current].worst) plot.choose(known[current].worst, 0.6);
  };
  const span = Math.max(...known.map((sum) => (sum ? sum.end : 0)), 1);
  const rows = detail.iterations.map((one, n) => {
    const { name } = one;
    const words = !strips[n]
      ? one.blank || "no frames"
      : [
          several(known[n].late.length, "hitch", "hitches"),
          `${number(known[n].lateMs, "ms")} ms`,
          one.screens ? several(one.screens.length, "screen", "screens") : null,
        ]
          .filter(Boolean)
          .join(" · ");
    return el(
      "button",
      {
        type: "button",
        class: `row${one.counted || one.build ? "" : " warm"}${one.void ? " void" : ""}`,
        disabled: !strips[n],
        onclick: () => show(n),
      },
      el("span", { class: "name" }, name),
      strips[n] ? stripBarcode(strips[n], span, `${name}: ${words}`) : el("span", { class: "blank" }),
      el("span", { class: "sum" }, one.void ? `void: ${one.void}` : words),
    );
  });
  const show = (n, frame) => {
    current = n;
    rows.forEach((row, at) => row.setAttribute("aria-pressed", String(at === n)));
    if (plot) plot.end();
    host.replaceChildren();
    const bars = strips[n];
    film = filmstrip(
      detail.iterations[n],
      rest,
      (us) => plot.choose(bars.find((bar) => bar.to > us) || bars[bars.length - 1], true),
      (us) => plot.screen(us),
    );
    clear(reel, film ? film.node : null);
    const lines = besideLines(detail, detail.iterations[n]);
    clear(used, lines ? lines.node : null);
    const shared = lines ? { drawn: lines.view, pointed: lines.point } : {};
    plot = framePlot(host, strips[n], detail.iterations[n], pick, shared);
    pick(null, false);
    if (frame && strips[n][frame - 1]) plot.choose(strips[n][frame - 1], 0.8);
    else if (section.isConnected) history.replaceState(null, "", link.of(cell, detail.iterations[n].trial));
  };
  const tool = (name, words, act) =>
    el("button", { type: "button", title: words, "aria-label": words, onclick: act }, name);
  const tools = el(
    "div",
    { class: "tools" },
    tool("−", "zoom out", () => plot.zoom(1.6)),
    tool("+", "zoom in", () => plot.zoom(0.6)),
    tool("‹", "move left", () => plot.pan(-0.4)),
    tool("›", "move right", () => plot.pan(0.4)),
    tool("all", "show all", () => plot.all()),
    tool("worst hitch", "go to the worst hitch", toWorst),
  );
  const keys = (event) => {
    const act = {
      ArrowLeft: () => plot.step(-1),
      ArrowRight: () => plot.step(1),
      "+": () => plot.zoom(0.6),
      "=": () => plot.zoom(0.6),
      "-": () => plot.zoom(1.6),
      0: () => plot.all(),
      w: toWorst,
    }[event.key];
    if (!act || (event.key.startsWith("Arrow") && document.activeElement !== host)) return false;
    act();
    return true;
  };
  fill(section, null, [
    tools,
    host,
    told,
    used,
    reel,
    legend(),
    el("div", { class: "rows", role: "group", "aria-label": "iterations" }, rows),
  ]);
  return { section, start: () => show(current, asked >= 0 ? wanted.frame : null), end: () => plot && plot.end(), keys };
}
