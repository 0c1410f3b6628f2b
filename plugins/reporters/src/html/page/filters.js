// Which cells are shown, in which order and how grouped, kept in the address: #?verdict=fail&phone=…&sort=name

const filters = { phone: "", scenario: "", tag: "", verdict: new Set(), text: "", sort: "", group: "", open: new Set() };

// What the address says once, and what it may say several times.
const SAID_ONCE = ["phone", "scenario", "tag", "text", "sort", "group"];

const shows = (cell) => {
  const scenario = store.scenarios.get(cell.scenario);
  const tags = [...(scenario ? scenario.tags : []), ...((store.phones.get(cell.phone) || {}).tags || [])];
  const words =
    `${cell.window} ${cell.scenario} ${cell.phone} ${phoneName(cell.phone)} ${cell.why || ""} ${cell.kind || ""}`.toLowerCase();
  return (
    (!filters.phone || cell.phone === filters.phone) &&
    (!filters.scenario || cell.scenario === filters.scenario) &&
    (!filters.tag || tags.includes(filters.tag)) &&
    (!filters.verdict.size || filters.verdict.has(cell.verdict)) &&
    (!filters.text || words.includes(filters.text.toLowerCase()))
  );
};

// The cells that are shown, in their order: as they stand in the index the worst come first.
function shownCells() {
  const shown = store.index.cells.filter(shows);
  if (filters.sort !== "name") return shown;
  const name = (cell) => `${phoneName(cell.phone)}\u0000${cell.phone}\u0000${cell.scenario}\u0000${cell.window}`;
  const by = new Intl.Collator("en", { numeric: true }).compare;
  return shown.sort((a, b) => by(name(a), name(b)));
}

// What hides cells; order and grouping hide none.
function forgetFilters() {
  Object.assign(filters, { phone: "", scenario: "", tag: "", text: "" });
  filters.verdict.clear();
}

// An address of the first screen says which filters are on; one of a cell leaves them as they are.
function readFilters() {
  if (!location.hash.startsWith("#?")) return;
  const said = new URLSearchParams(location.hash.slice(2));
  forgetFilters();
  filters.open.clear();
  for (const key of SAID_ONCE) filters[key] = said.get(key) || "";
  for (const model of said.getAll("open")) filters.open.add(model);
  for (const verdict of said.getAll("verdict")) if (verdict in MARKS) filters.verdict.add(verdict);
}

function keepFilters() {
  // The address of a cell whose bytes have not arrived stays.
  if (location.hash.length > 1 && !location.hash.startsWith("#?")) return;
  const said = new URLSearchParams();
  for (const verdict of filters.verdict) said.append("verdict", verdict);
  for (const key of SAID_ONCE) if (filters[key]) said.append(key, filters[key]);
  for (const model of filters.open) said.append("open", model);
  const hash = said.toString() ? `#?${said}` : "";
  if (location.hash !== hash) history.replaceState(null, "", hash || location.pathname + location.search);
}
