// Which view, which keys. The address says where we are: #device/scenario/window/iteration/frame, or nothing.

let view = null,
  place = 0;
// A page of several runs brings views of its own.
const views = typeof sideViews === "undefined" ? { overview, cell: cellView, keys: cellKeys } : sideViews;
const app = document.getElementById("app");

function keysHelp() {
  const open = document.querySelector("dialog");
  if (open) return open.close();
  const rows = [
    ["j, k", "next window, previous window"],
    ["Esc", "back to every window"],
    ["← →", "frame by frame, with the plot in focus"],
    ["+ − 0", "zoom in, out, show all"],
    ["w", "worst hitch"],
    ["/", "find"],
    ["?", "these keys"],
  ];
  const dialog = el(
    "dialog",
    { "aria-label": "keys", onclose: () => dialog.remove() },
    el(
      "table",
      null,
      el(
        "tbody",
        null,
        rows.map(([key, words]) =>
          el("tr", null, el("th", { scope: "row" }, el("kbd", null, key)), el("td", null, words)),
        ),
      ),
    ),
    el("form", { method: "dialog" }, el("button", null, "close")),
  );
  document.body.append(dialog);
  dialog.showModal();
}

function neighbours(cell) {
  const shown = shownCells(),
    at = shown.findIndex((one) => one.key === cell.key);
  return at < 0 ? [null, null] : [shown[at - 1] || null, shown[at + 1] || null];
}

let asked = 0;
// Shows what the address names, when its bytes are unpacked; what was asked for meanwhile goes before it.
async function route() {
  const turn = ++asked;
  readFilters();
  const wanted = location.hash.length > 1 ? link.read(location.hash) : null;
  const waiting = wanted ? store.waiting(views.keys(wanted.cell)) : [];
  if (waiting.length) {
    app.setAttribute("aria-busy", "true");
    await store.load(waiting);
    if (turn !== asked) return;
  }
  app.removeAttribute("aria-busy");
  draw(wanted);
}

function draw(wanted) {
  if (view && view.end) view.end();
  document.title = wanted
    ? `${wanted.cell.verdict} · ${wanted.cell.window} · ${phoneTold(wanted.cell.phone)}`
    : `${store.index.run.verdict} · ${store.index.run.id} · farmjank`;
  if (wanted) {
    if (!view || !view.cell) place = scrollY;
    view = views.cell(app, wanted, neighbours(wanted.cell));
    view.cell = wanted.cell;
    scrollTo(0, 0);
    app.querySelector("h1").focus({ preventScroll: true });
  } else {
    const stray = location.hash.length > 1 && !location.hash.startsWith("#?");
    views.overview(app);
    const back = view && view.cell;
    view = null;
    if (stray)
      app.prepend(el("p", { class: "notice", role: "alert" }, "this address names a cell that is not in this run"));
    if (back) scrollTo(0, place);
  }
}

document.addEventListener("keydown", (event) => {
  const dialog = document.querySelector("dialog[open]");
  if (dialog && event.key === "Escape") {
    dialog.close();
    return;
  }
  if (event.target.closest("input, select, dialog") && event.key !== "Escape") return;
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const go = (cell) => {
    if (cell) location.hash = link.of(cell);
  };
  const act = {
    "?": keysHelp,
    j: () => view && go(neighbours(view.cell)[1]),
    k: () => view && go(neighbours(view.cell)[0]),
    Escape: () => {
      if (view) location.hash = "";
      else if (event.target.blur) event.target.blur();
    },
    "/": () => {
      const find = app.querySelector("input[type=search]");
      if (find) find.focus();
    },
  }[event.key];
  if (act) act();
  else if (!(view && view.keys(event))) return;
  event.preventDefault();
});

addEventListener("hashchange", route);
store.take(JSON.parse(document.getElementById("index").textContent));
app.classList.add("ready");
// A link into a cell waits until its bytes have arrived.
readFilters();
if (location.hash.length > 1 && document.readyState === "loading") {
  views.overview(app);
  document.addEventListener("DOMContentLoaded", route);
} else route();

// For a live run: what changed is handed in, and the view is drawn again where it shows it.
globalThis.farmjank = {
  apply(fragment) {
    store.apply(fragment);
    if (!view || !view.cell || (fragment.cells || []).some((one) => one.key === view.cell.key)) route();
  },
};
