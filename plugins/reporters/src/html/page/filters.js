// Which cells are shown: by phone, scenario, tag, verdict and words, kept in the address: #?verdict=fail&phone=…

const filters = { phone: "", scenario: "", tag: "", verdict: new Set(), text: "" };

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

function forgetFilters() {
  Object.assign(filters, { phone: "", scenario: "", tag: "", text: "" });
  filters.verdict.clear();
}

// An address of the first screen says which filters are on; one of a cell leaves them as they are.
function readFilters() {
  if (!location.hash.startsWith("#?")) return;
  const said = new URLSearchParams(location.hash.slice(2));
  forgetFilters();
  for (const key of ["phone", "scenario", "tag", "text"]) filters[key] = said.get(key) || "";
  for (const verdict of said.getAll("verdict")) if (verdict in MARKS) filters.verdict.add(verdict);
}

function keepFilters() {
  // The address of a cell whose bytes have not arrived stays.
  if (location.hash.length > 1 && !location.hash.startsWith("#?")) return;
  const said = new URLSearchParams();
  for (const verdict of filters.verdict) said.append("verdict", verdict);
  for (const key of ["phone", "scenario", "tag", "text"]) if (filters[key]) said.append(key, filters[key]);
  const hash = said.toString() ? `#?${said}` : "";
  if (location.hash !== hash) history.replaceState(null, "", hash || location.pathname + location.search);
}
