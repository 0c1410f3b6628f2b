// Every window by phone: the matrix of the first screen. Many phones are rows of their models, opened on demand.

// More phones than this are shown by model, where models are fewer.
const MANY_PHONES = 16;

const windowOf = (cell) => `${cell.scenario}\u0000${cell.window}`;

// The windows and phones of these cells, each with its cells by the other.
function sides(cells) {
  const windows = new Map(),
    phones = new Map();
  for (const cell of cells) {
    const name = windowOf(cell);
    if (!windows.has(name)) windows.set(name, { name: cell.window, under: cell.scenario, cells: new Map(), span: 1 });
    if (!phones.has(cell.phone))
      phones.set(cell.phone, {
        name: phoneName(cell.phone),
        under: phoneName(cell.phone) === cell.phone ? "" : cell.phone,
        cells: new Map(),
      });
    windows.get(name).cells.set(cell.phone, cell);
    windows.get(name).span = Math.max(windows.get(name).span, codeSpan(cell));
    phones.get(cell.phone).cells.set(name, cell);
  }
  return { windows, phones };
}

// Phones by model, in the order of their worst cell.
function byModel(phones) {
  const models = new Map();
  for (const phone of phones.values()) models.set(phone.name, [...(models.get(phone.name) || []), phone]);
  return models;
}

function isByModel(phones) {
  const models = new Set([...phones.values()].map((phone) => phone.name)).size;
  if (models === phones.size) return false;
  return filters.group ? filters.group === "model" : phones.size > MANY_PHONES;
}

function cellOf(cell, span) {
  const [value, unit] = worth(cell);
  return el(
    "a",
    {
      class: `cell ${cell.verdict}${cell.quarantined ? " aside" : ""}`,
      href: link.of(cell),
      "aria-label": spoken(cell),
      title:
        [cell.quarantined || cell.why || (cell.again && cell.again[0]), cell.because].filter(Boolean).join("; ") || null,
    },
    el(
      "span",
      { class: "top" },
      mark(cell.verdict),
      el("b", null, value),
      el("small", null, unit),
      cell.quarantined ? el("small", { class: "since" }, "quarantine") : since(cell),
      cell.again && cell.again[1] ? el("small", { class: "since worse" }, "run again") : null,
    ),
    indexBarcode(cell.barcode, span, "frames of its worst iteration") || el("span", { class: "blank" }),
  );
}

// How many of these cells came to what, the worst first; what is in quarantine counts for nothing.
function verdictsOf(cells) {
  const counts = new Map();
  for (const cell of cells)
    if (!cell.quarantined) counts.set(cell.verdict, (counts.get(cell.verdict) || 0) + 1);
  return Object.keys(MARKS)
    .filter((verdict) => counts.has(verdict))
    .sort((a, b) => store.badness({ verdict: a }) - store.badness({ verdict: b }))
    .map((verdict) => [verdict, counts.get(verdict)]);
}

// Many cells as one: how many of them came to the worst, and the share of each verdict as a bar.
function sumOf(cells, open) {
  const all = verdictsOf(cells),
    total = all.reduce((sum, [, count]) => sum + count, 0);
  if (!total) return el("span", { class: "sum quiet" }, cells.length ? "quarantine" : "·");
  const [verdict, count] = all[0];
  const words = all.map(([one, many]) => `${grouped(many)} ${one}`).join(", ");
  const parts = [
    el(
      "span",
      { class: "top" },
      mark(verdict),
      el("b", null, grouped(count)),
      el("small", null, count < total ? `of ${grouped(total)}` : total > 1 ? "all" : ""),
    ),
    el(
      "span",
      { class: "shares", "aria-hidden": "true" },
      all.map(([one, many]) => el("i", { class: one, vars: { "--share": `${(many / total) * 100}%` } })),
    ),
  ];
  const props = { class: `sum ${verdict}`, title: words, "aria-label": words };
  return open
    ? el("button", { ...props, type: "button", onclick: open }, parts)
    : el("span", { ...props, role: "img" }, parts);
}

// Windows × phones. The side with more goes down the page; models always do.
function matrix(cells, redraw) {
  const { windows, phones } = sides(cells);
  const summed = windows.size > 1;
  const models = isByModel(phones) ? byModel(phones) : null;
  const down = models || phones.size > windows.size ? phones : windows,
    across = down === phones ? windows : phones;
  const side = models ? "model" : down === phones ? "phone" : "window";
  const heading = (row) =>
    el("th", { scope: "row", title: row.name }, el("span", null, row.name), el("small", null, row.under));
  const named = (col) => (col.under ? `${col.name} · ${col.under}` : col.name);
  const row = (one, props) =>
    el(
      "tr",
      props,
      heading(one),
      [...across.entries()].map(([key, col]) => {
        const cell = one.cells.get(key);
        return el(
          "td",
          cell ? { "data-of": named(col) } : { class: "empty" },
          cell ? cellOf(cell, windows.get(windowOf(cell)).span) : "·",
        );
      }),
      models && summed ? el("td", { class: "empty" }) : null,
    );
  // One row for many phones: a sum per window, and one of all windows.
  const sum = (name, under, of, open) => {
    const all = of.flatMap((phone) => [...phone.cells.values()]);
    const isOpen = filters.open.has(name);
    return el(
      "tr",
      { class: open ? "group" : "totals" },
      el(
        "th",
        { scope: "row", title: name },
        open
          ? el(
              "button",
              { type: "button", class: "plain", "aria-expanded": String(isOpen), "data-open": name, onclick: open },
              el("span", { "aria-hidden": "true" }, isOpen ? "▾ " : "▸ "),
              name,
            )
          : el("span", null, name),
        el("small", null, under),
      ),
      [...across.entries()].map(([key, col]) =>
        el(
          "td",
          { "data-of": named(col) },
          sumOf(of.map((phone) => phone.cells.get(key)).filter(Boolean), open),
        ),
      ),
      models && summed ? el("td", { "data-of": "all windows" }, sumOf(all, null)) : null,
    );
  };
  const toggle = (model) => () => {
    if (!filters.open.delete(model)) filters.open.add(model);
    redraw();
    const again = [...document.querySelectorAll("[data-open]")].find((one) => one.dataset.open === model);
    if (again) again.focus({ preventScroll: true });
  };
  const count = (of) => several(of.length, "phone", "phones");
  const everyone = [...phones.values()];
  const inside = (model, of) => (filters.open.has(model) ? of.map((one) => row(one, { class: "of-group" })) : []);
  const rows = models
    ? [...models].flatMap(([model, of]) =>
        of.length === 1
          ? [row(of[0])]
          : [sum(model, count(of), of, toggle(model)), ...inside(model, of)],
      )
    : [...down.values()].map((one) => row(one));
  const totals = down === phones && everyone.length > 3 ? sum("all", count(everyone), everyone, null) : null;
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "every window on every phone" },
    el(
      "table",
      { class: "matrix", vars: { "--cols": across.size + (models && summed ? 1 : 0) } },
      el(
        "caption",
        null,
        models
          ? "How many phones came to the worst verdict; open a model for the value and the frames of each. "
          : "The value each verdict rests on, and the frames of the worst iteration on one scale of time per window. ",
        filters.sort === "name" ? "By name." : "The worst first.",
      ),
      el(
        "thead",
        null,
        el(
          "tr",
          null,
          el("th", { scope: "col", class: "corner" }, side),
          [...across.values()].map((col) =>
            el("th", { scope: "col", title: col.name }, el("span", null, col.name), el("small", null, col.under)),
          ),
          models && summed ? el("th", { scope: "col" }, el("span", null, "all windows")) : null,
        ),
      ),
      el("tbody", null, totals, rows),
    ),
  );
}

function legend() {
  const swatch = (kind, words) =>
    el(
      "li",
      null,
      svg(
        "svg",
        { class: "swatch", viewBox: `0 0 14 ${TALL}`, "aria-hidden": "true" },
        svg("path", { class: BAR_CLASS[kind], d: `M0 ${TALL - BAR_HEIGHT[kind]}H14V${TALL}H0z` }),
      ),
      words,
    );
  return el(
    "ul",
    { class: "legend", "aria-label": "barcodes" },
    swatch("1", "on time"),
    swatch("2", "1 vsync late"),
    swatch("3", "2–3"),
    swatch("4", "4–8"),
    swatch("5", "more"),
    swatch("i", "idle"),
    swatch("a", "ambiguous"),
    swatch("g", "gap: frames may be lost"),
  );
}
