// Every window by phone: the matrix of the first screen.

// Windows × phones. The side with more goes down the page.
function matrix(cells) {
  const windows = new Map(),
    phones = new Map();
  for (const cell of cells) {
    const name = `${cell.scenario}\u0000${cell.window}`;
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
  const down = phones.size > windows.size ? phones : windows,
    across = phones.size > windows.size ? windows : phones;
  const side = down === phones ? "phone" : "window";
  const one = (cell) => {
    const span = windows.get(`${cell.scenario}\u0000${cell.window}`).span;
    return el(
      "a",
      {
        class: `cell ${cell.verdict}${cell.quarantined ? " aside" : ""}`,
        href: link.of(cell),
        "aria-label": spoken(cell),
        title: cell.quarantined || cell.why || null,
      },
      el(
        "span",
        { class: "top" },
        mark(cell.verdict),
        el("b", null, worth(cell)[0]),
        el("small", null, worth(cell)[1]),
        cell.quarantined ? el("small", { class: "since" }, "quarantine") : since(cell),
      ),
      indexBarcode(cell.barcode, span, "frames of its worst iteration") || el("span", { class: "blank" }),
    );
  };
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "every window on every phone" },
    el(
      "table",
      { class: "matrix", vars: { "--cols": across.size } },
      el(
        "caption",
        null,
        "Hitch time per second of motion (of launches: how long the app took to start), and the frames of each worst " +
          "iteration on one scale of time per window. The worst first.",
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
        ),
      ),
      el(
        "tbody",
        null,
        [...down.values()].map((row) =>
          el(
            "tr",
            null,
            el("th", { scope: "row", title: row.name }, el("span", null, row.name), el("small", null, row.under)),
            [...across.entries()].map(([key, col]) => {
              const cell = row.cells.get(key);
              return el(
                "td",
                cell ? { "data-of": col.under ? `${col.name} · ${col.under}` : col.name } : { class: "empty" },
                cell ? one(cell) : "·",
              );
            }),
          ),
        ),
      ),
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
