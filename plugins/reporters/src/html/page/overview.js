// The first screen: verdict, what broke, and every window on every phone, the worst first.

const mark = (verdict) => el("span", { class: `mark ${verdict}`, "aria-hidden": "true" }, MARKS[verdict]);

function banner() {
  const { run, phones, scenarios, cells } = store.index;
  const exit = run.exit ? ` · exit ${run.exit[0]}, ${run.exit[1]}` : "";
  const windows = new Set(cells.map((cell) => `${cell.scenario}/${cell.window}`)).size;
  const aside = cells.filter((cell) => cell.quarantined).length;
  const late = cells.filter((cell) => cell.again && cell.again[1]).length;
  const facts = [
    run.simulated
      ? el("b", { class: "virtual" }, run.lab ? `virtual lab ${run.lab}, seed ${run.seed}` : run.simulated)
      : null,
    several(phones.length, "phone", "phones"),
    several(scenarios.length, "scenario", "scenarios"),
    several(windows, "window", "windows"),
    `${grouped(run.frames)} frames`,
    run.length,
    aside ? el("b", { class: "virtual" }, `${grouped(aside)} in quarantine`) : null,
    late ? el("b", { class: "virtual" }, `${grouped(late)} passed only when run again`) : null,
    run.baseline ? `against ${run.baseline}` : null,
    run.lab ? null : run.wall.replace("T", " ").replace("Z", " UTC"),
  ].filter(Boolean);
  return el(
    "header",
    { class: `banner ${run.verdict}` },
    el("h1", null, mark(run.verdict), el("span", null, run.verdict), el("small", null, `${run.id}${exit}`)),
    el(
      "ul",
      { class: "facts" },
      facts.map((fact) => el("li", null, fact)),
    ),
    run.interrupted
      ? el("p", { class: "notice" }, `interrupted by ${run.interrupted}: what was measured is here`)
      : null,
  );
}

function choice(label, key, options, redraw, none = "all") {
  return el(
    "label",
    null,
    el("span", null, label),
    el(
      "select",
      {
        onchange: (event) => {
          filters[key] = event.target.value;
          redraw();
        },
      },
      el("option", { value: "" }, none),
      options.map(([value, name]) => el("option", { value, selected: filters[key] === value }, name)),
    ),
  );
}

function toolbar(redraw, arranged) {
  const { run, phones, scenarios } = store.index;
  const tags = [...new Set([...scenarios, ...phones].flatMap((one) => one.tags))].sort();
  const chips = run.counts
    .filter(([, count]) => count > 0)
    .map(([verdict, count]) =>
      el(
        "button",
        {
          type: "button",
          class: `chip ${verdict}`,
          "aria-pressed": String(filters.verdict.has(verdict)),
          onclick: () => {
            if (!filters.verdict.delete(verdict)) filters.verdict.add(verdict);
            redraw();
          },
        },
        mark(verdict),
        ` ${grouped(count)} ${verdict}`,
      ),
    );
  return el(
    "form",
    { class: "toolbar", "aria-label": "filter", onsubmit: (event) => event.preventDefault() },
    el("div", { class: "chips", role: "group", "aria-label": "verdicts" }, chips),
    phones.length > 1
      ? choice(
          "phone",
          "phone",
          phones.map((phone) => [phone.serial, `${phone.model || phone.serial} (${phone.serial})`]),
          redraw,
        )
      : null,
    scenarios.length > 1
      ? choice(
          "scenario",
          "scenario",
          scenarios.map((one) => [one.name, one.name]),
          redraw,
        )
      : null,
    tags.length
      ? choice(
          "tag",
          "tag",
          tags.map((tag) => [tag, tag]),
          redraw,
        )
      : null,
    arranged ? choice("order", "sort", [["name", "by name"]], redraw, "worst first") : null,
    arranged && phones.length > 1 && store.models.size < phones.length
      ? choice(
          "rows",
          "group",
          [
            ["model", "models"],
            ["phone", "phones"],
          ],
          redraw,
          "as fits",
        )
      : null,
    el(
      "label",
      null,
      el("span", null, "find"),
      el("input", {
        type: "search",
        value: filters.text,
        oninput: (event) => {
          filters.text = event.target.value;
          redraw();
        },
      }),
    ),
  );
}

// The value the verdict rests on, with its unit, else its metric; the verdict alone where it rests on no number.
const worth = (cell) => (cell.rests ? [cell.rests[1], cell.rests[2]] : [cell.verdict, null]);

const spoken = (cell) => {
  const parts = [
    cell.rests ? `${cell.rests[0]} ${cell.rests[1]}` : null,
    cell.since ? `${cell.since[0]} than the baseline` : null,
    cell.quarantined,
    cell.why,
    cell.because,
    cell.again && cell.again[0],
  ];
  return [
    `${cell.verdict}: ${cell.window} of ${cell.scenario} on ${phoneTold(cell.phone)}`,
    ...parts.filter(Boolean),
  ].join(", ");
};

// What became of it against the baseline, where a change was found.
const since = (cell) =>
  cell.since ? el("small", { class: `since${cell.since[1] ? " worse" : " better"}` }, cell.since[0]) : null;

const names = (cells, of) => [...new Set(cells.map((cell) => cell[of]))];

// What broke, in sentences; what could not be told is another matter.
const worst = (cells) => [
  worstOf(
    "What broke",
    cells.filter((cell) => !cell.quarantined && (cell.verdict === "fail" || cell.verdict === "broken")),
  ),
  worstOf(
    "What could not be told",
    cells.filter((cell) => !cell.quarantined && cell.verdict === "undecided"),
  ),
  worstOf(
    "Passed only when run again",
    cells.filter((cell) => cell.again && cell.again[1]),
  ),
  worstOf(
    "In quarantine: told, and left out of the verdict",
    cells.filter((cell) => cell.quarantined),
  ),
];

// What is told together, in a sentence each, with a way to what it tells of.
function inShort() {
  const patterns = store.index.patterns || [];
  if (!patterns.length) return null;
  const address = ({ scenario, window }, verdict) =>
    `#?${new URLSearchParams([
      ["verdict", verdict],
      ["scenario", scenario],
      ["text", window],
    ])}`;
  const part = (one, verdict) =>
    el(
      "li",
      null,
      el("a", { href: address(one, verdict) }, one.window),
      el("small", null, ` ${one.scenario} · ${one.phones} of ${several(one.of, "phone", "phones")}`),
    );
  // A window alone is named in the sentence, which leads to its cells.
  const told = ({ said, verdict, windows }) =>
    windows.length === 1
      ? el("p", null, el("a", { href: address(windows[0], verdict) }, said))
      : [
          el("p", null, said),
          el(
            "ul",
            { class: "parts" },
            windows.slice(0, 12).map((one) => part(one, verdict)),
            windows.length > 12 ? el("li", { class: "quiet" }, `and ${windows.length - 12} more`) : null,
          ),
        ];
  return el(
    "section",
    { class: "short", "aria-label": "in short" },
    el("h2", null, "In short"),
    el(
      "ol",
      null,
      patterns.map((one) => el("li", null, mark(one.verdict), el("div", null, told(one)))),
    ),
    store.index.alone
      ? el("p", { class: "quiet" }, `and ${several(store.index.alone, "more cell", "more cells")} that did not pass`)
      : null,
  );
}

// Most rows of a kind.
const MOST_WORST = 10;

// The worst of a kind: each, and of more than fit the worst of each window.
function worstOf(title, bad) {
  if (!bad.length) return null;
  const told = new Map();
  const story = (cell) =>
    // A fault that several windows or phones share is one story.
    cell.hitch === null && cell.why
      ? `${cell.verdict}/${cell.scenario}/${cell.why}/${cell.quarantined || ""}`
      : bad.length > MOST_WORST
        ? `${cell.verdict}/${cell.scenario}/${cell.window}`
        : cell.key;
  for (const cell of bad) told.set(story(cell), [...(told.get(story(cell)) || []), cell]);
  const stories = [...told.values()],
    span = Math.max(...bad.map(codeSpan), 1);
  const where = (cell, on) => {
    if (on.length === 1) return phoneTold(cell.phone);
    return cell.hitch === null ? `${on.length} phones` : `worst of ${on.length} phones: ${phoneTold(cell.phone)}`;
  };
  return el(
    "section",
    { class: "worst", "aria-label": title },
    el("h2", null, title),
    el(
      "ol",
      null,
      stories
        .slice(0, MOST_WORST)
        .map((same) => [same[0], names(same, "window"), names(same, "phone")])
        .map(([cell, windows, on]) =>
          el(
            "li",
            null,
            el(
              "a",
              { href: link.of(cell), "aria-label": spoken(cell) },
              mark(cell.verdict),
              el(
                "span",
                { class: "what" },
                el("b", null, windows.length > 1 ? `${windows.length} windows` : cell.window),
                el("small", null, `${cell.scenario} · ${where(cell, on)}`),
              ),
              el(
                "span",
                { class: "whys" },
                el(
                  "span",
                  { class: "why" },
                  coded([cell.quarantined, cell.why || (cell.again ? cell.again[0] : cell.verdict)].filter(Boolean).join("; ")),
                ),
                cell.because ? el("small", { class: "because" }, cell.because) : null,
              ),
              indexBarcode(cell.barcode, span, "frames of its worst iteration"),
            ),
          ),
        ),
    ),
    stories.length > MOST_WORST
      ? el("p", { class: "quiet" }, `and ${stories.length - MOST_WORST} more, below`)
      : null,
  );
}

function margin() {
  const { refusals, notices, run } = store.index;
  const list = (title, items) =>
    items.length
      ? el(
          "details",
          null,
          el("summary", null, `${title} (${items.length})`),
          el(
            "ul",
            null,
            items.map((one) => el("li", null, one)),
          ),
        )
      : null;
  return el(
    "footer",
    null,
    list(
      "Phones that did not qualify",
      refusals.map((one) => `${one.scenario} on ${phoneName(one.phone)}: ${one.why}`),
    ),
    list("Notices", notices),
    el("p", { class: "quiet" }, `${run.tool} · plan ${run.plan}`, el("span", { class: "hint" }, " · press ? for keys")),
  );
}

function overview(host) {
  const body = el("div");
  const bar = el("div");
  const redraw = () => {
    keepFilters();
    const cells = shownCells(),
      all = store.index.cells.length;
    const focused = document.activeElement && document.activeElement.type === "search";
    if (!focused) clear(bar, toolbar(redraw, true));
    const count =
      cells.length < all
        ? el(
            "p",
            { class: "quiet", role: "status" },
            `${cells.length} of ${several(all, "cell", "cells")} `,
            el(
              "button",
              {
                type: "button",
                class: "plain",
                onclick: () => {
                  forgetFilters();
                  redraw();
                  clear(bar, toolbar(redraw, true));
                },
              },
              "show all",
            ),
          )
        : null;
    clear(
      body,
      count,
      cells.length
        ? [
            cells.length === all ? inShort() : null,
            worst(cells),
            el(
              "section",
              { "aria-label": "matrix" },
              el("h2", null, "Every window on every phone"),
              legend(),
              matrix(cells, redraw),
            ),
          ]
        : el("p", { class: "nothing" }, "nothing matches these filters"),
    );
    headings(host);
  };
  clear(host, skip(), banner(), bar, body, margin());
  redraw();
}

// For keyboards: past the filters, to the windows.
const skip = () =>
  el(
    "button",
    { type: "button", class: "skip", onclick: () => document.querySelector(".scroll a, .worst a, .scroll").focus() },
    "skip to the windows",
  );

// Column headings stay in sight where the table fits: one that scrolls sideways has a place of its own.
function headings(host) {
  for (const place of host.querySelectorAll(".scroll")) {
    place.classList.remove("fits");
    place.classList.toggle("fits", place.scrollWidth <= place.clientWidth);
  }
}
addEventListener("resize", () => headings(document));
