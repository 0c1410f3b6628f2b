// While a run goes on: lanes above the report, and the report drawn again where something changed.

const live = {
  lanes: new Map(),
  told: [],
  version: 0,
  over: false,
  at: "",
  left: null,
  heard: Date.now(),
  lost: false,
  waiting: null,
  fresh: new Map(),
  rows: new Map(),
  rested: 0,
  wall: false,
  root: el("section", { id: "live", "aria-label": "live" }),
};

const TOLD_MOST = 200;
// More phones than this stand as a wall of tiles, so that the report below stays in reach.
const ROWS_MOST = 12,
  LANES_MOST = 128;
// Time hitches of a trial that just ended glow, ms.
const GLOW = 2400;
const STATES = { busy: "▶", waiting: "…", gone: "∅" };
MARKS.running = "▶";

function pulses(lane) {
  const top = Math.max(lane.hz || 60, ...lane.pulses, 1);
  const most = live.wall ? 20 : 60,
    seen = lane.pulses.slice(-most);
  const bars = seen.map((fps, n) =>
    svg("path", {
      class: fps < top * 0.5 ? "slow" : null,
      d: `M${n * 4} 22V${(22 - Math.max(1, (fps / top) * 21)).toFixed(1)}h3V22z`,
    }),
  );
  return svg(
    "svg",
    {
      class: "pulses",
      viewBox: `0 0 ${most * 4} 22`,
      preserveAspectRatio: "xMinYMid meet",
      role: "img",
      "aria-label": `frames per second as they arrive: ${lane.pulses.slice(-5).map(Math.round).join(", ") || "none yet"}`,
    },
    bars,
  );
}

function lastTrial(lane) {
  const codes = lane.codes || [];
  if (!codes.length) return el("span", { class: "quiet none" }, "no trial is done yet");
  const span = Math.max(...codes.map(({ barcode: code }) => code.marks.length * code.step_ms)),
    late = codes.reduce((sum, code) => sum + code.hitches, 0);
  const words = `last trial: ${several(late, "hitch", "hitches")}`;
  // A row that is drawn again goes on glowing where it was.
  const ago = Date.now() - (live.fresh.get(lane.phone) || 0),
    fresh = ago < GLOW;
  return el(
    "span",
    { class: fresh ? "codes fresh" : "codes", title: words, vars: fresh ? { "--ago": `-${ago}ms` } : {} },
    codes
      .slice(0, 4)
      .map((code) => indexBarcode(code.barcode, span, `${code.window}: ${several(code.hitches, "hitch", "hitches")}`)),
    el("small", null, several(late, "hitch", "hitches")),
  );
}

// On a tile the serial tells phones apart; what they are called comes after it.
const brief = (lane) =>
  [phoneName(lane.phone) === lane.phone ? null : phoneName(lane.phone), lane.trial, lane.words]
    .filter(Boolean)
    .join(" · ");

function laneRow(lane) {
  const state = STATES[lane.state] || MARKS[lane.state] || "…";
  return el(
    "li",
    { class: `lane ${lane.state}` },
    el("span", { class: `mark ${lane.state}`, role: "img", "aria-label": lane.state }, state),
    el(
      "span",
      { class: "who" },
      el("b", { title: lane.name }, live.wall ? lane.phone : lane.name),
      el("small", { title: lane.words }, live.wall ? brief(lane) : lane.words),
    ),
    lane.state === "busy"
      ? el(
          "span",
          { class: "trial" },
          el("progress", { max: Math.max(lane.all, 1), value: lane.done, "aria-label": lane.trial }),
          el("small", null, lane.trial),
        )
      : el("span", { class: "trial" }),
    el(
      "span",
      { class: "arriving" },
      lane.state === "busy" ? pulses(lane) : null,
      el(
        "small",
        null,
        lane.state === "busy"
          ? [
              lane.fps === null ? null : amount(lane.fps, "fps"),
              lane.frames ? several(lane.frames, "frame", "frames") : "no frames yet",
            ]
              .filter(Boolean)
              .join(" · ")
          : "",
      ),
    ),
    lastTrial(lane),
    el("small", { class: "left" }, lane.left || ""),
  );
}

function told() {
  const loud = live.told.filter((one) => one.kind !== "progress");
  const rows = (lines) =>
    lines
      .slice()
      .reverse()
      .map((one) => el("li", { class: one.kind }, el("small", null, one.at), el("span", null, one.text)));
  return el(
    "div",
    { class: "said" },
    el("ul", { role: "log", "aria-label": "what happened last" }, rows(loud.slice(-4))),
    live.told.length > 4
      ? el(
          "details",
          {
            open: live.opened,
            ontoggle: (event) => {
              live.opened = event.target.open;
            },
          },
          el("summary", null, `everything told (${live.told.length})`),
          el("ul", { class: "all" }, rows(live.told)),
        )
      : null,
  );
}

function heard() {
  const quiet = Math.round((Date.now() - live.heard) / 1000);
  if (live.lost) return "the connection is lost; trying again";
  if (live.over) return "this run has ended: the report below is complete";
  return quiet >= 10 ? `nothing new for ${several(quiet, "second", "seconds")}` : "live";
}

// The list keeps the rows that did not change: sixty-four phones tell something several times a second.
function laneList(lanes) {
  const list = (live.list ||= el("ol", { "aria-label": "phones" }));
  const wall = lanes.length > ROWS_MOST;
  if (wall !== live.wall) live.rows.clear();
  live.wall = wall;
  list.className = wall ? "lanes wall" : "lanes";
  const wanted = lanes.slice(0, LANES_MOST).map((lane) => {
    const row = live.rows.get(lane.phone);
    if (row && row.lane === lane) return row.node;
    const node = laneRow(lane);
    if (row && row.node.parentNode === list) row.node.replaceWith(node);
    live.rows.set(lane.phone, { lane, node });
    return node;
  });
  if (wanted.length !== list.children.length || wanted.some((node, n) => list.children[n] !== node))
    list.replaceChildren(...wanted);
  return list;
}

function drawLive() {
  const many = live.lanes.size > LANES_MOST,
    order = new Intl.Collator(undefined, { numeric: true }).compare;
  // Phones keep their places; only where not all fit do those at work come first.
  const lanes = [...live.lanes.values()].sort(
    (a, b) => (many ? (b.state === "busy") - (a.state === "busy") : 0) || order(a.name, b.name),
  );
  const busy = lanes.filter((lane) => lane.state === "busy").length,
    gone = lanes.filter((lane) => lane.state === "gone").length;
  const { simulated } = store.index.run;
  const facts = live.over
    ? []
    : [
        simulated ? "virtual phones" : null,
        `${busy} of ${several(lanes.length, "phone", "phones")} busy`,
        gone ? `${gone} gone` : null,
        live.at,
        live.left,
      ].filter(Boolean);
  live.root.className = live.lost ? "lost" : live.over ? "over" : "on";
  if (!live.head)
    fill(live.root, null, [(live.head = el("p", { class: "air" })), (live.body = el("div")), (live.foot = el("div"))]);
  clear(
    live.head,
    el("b", { role: "status" }, heard()),
    facts.map((fact) => el("span", null, fact)),
  );
  const list = live.over ? null : laneList(lanes);
  if (live.body.firstChild !== list) clear(live.body, list);
  clear(
    live.foot,
    many && !live.over ? el("p", { class: "quiet" }, `and ${lanes.length - LANES_MOST} more phones`) : null,
    told(),
  );
}

// A run that is not judged yet is running, not unjudged.
function named(run) {
  if (run.verdict === "unjudged" && !live.over) run.verdict = "running";
  return run;
}

// Whoever is typing is not disturbed; what came is kept and shown afterwards.
const busyHands = () => document.activeElement && document.activeElement.matches("#app input, #app select");

function applyFragments() {
  // Drawing takes at most a tenth of the time, however many phones tell something at once; the end is shown at once.
  if (!live.waiting || busyHands() || (performance.now() < live.rested && !live.over)) return;
  const [fragments, at, focus, began] = [live.waiting, scrollY, document.activeElement, performance.now()];
  live.waiting = null;
  for (const fragment of fragments.slice(0, -1)) store.apply(fragment);
  const last = fragments[fragments.length - 1],
    shown = view && view.cell && fragments.some(({ cells }) => cells.some((one) => one.key === view.cell.key));
  if (shown) {
    store.apply(last);
    route();
  } else globalThis.farmjank.apply(last);
  scrollTo(0, at);
  if (focus && !focus.isConnected && focus.matches("a.cell, .worst a")) {
    const same = [...app.querySelectorAll(focus.matches(".cell") ? "a.cell" : ".worst a")].find(
      (one) => one.getAttribute("href") === focus.getAttribute("href"),
    );
    if (same) same.focus({ preventScroll: true });
  }
  live.rested = performance.now() + Math.max(500, 10 * (performance.now() - began));
}

function hear(update) {
  if (update.all) {
    live.lanes.clear();
    live.rows.clear();
    live.told = [];
  }
  for (const lane of update.lanes) {
    const before = live.lanes.get(lane.phone);
    if (lane.codes === null) lane.codes = before ? before.codes : [];
    else if (!update.all && lane.codes.length) live.fresh.set(lane.phone, Date.now());
    live.lanes.set(lane.phone, lane);
  }
  live.told = [...live.told, ...update.told].slice(-TOLD_MOST);
  Object.assign(live, {
    version: update.version,
    over: update.over,
    at: update.at,
    left: update.left,
    heard: Date.now(),
  });
  if (update.fragment) {
    named(update.fragment.run);
    (live.waiting ||= []).push(update.fragment);
  } else if (update.over) named(store.index.run);
  drawLive();
  applyFragments();
  document.title = document.title.replace(/^unjudged/, "running");
}

function listen() {
  const version = document.querySelector('meta[name="farmjank-version"]').content;
  const source = new EventSource(`events?since=${encodeURIComponent(version)}`);
  source.addEventListener("update", (event) => {
    live.lost = false;
    hear(JSON.parse(event.data));
    if (live.over) source.close();
  });
  source.onerror = () => {
    live.lost = true;
    drawLive();
  };
  source.onopen = () => {
    live.lost = false;
    drawLive();
  };
}

document.body.insertBefore(live.root, app);
named(store.index.run);
route();
drawLive();
listen();
setInterval(() => {
  const status = live.root.querySelector(".air b");
  if (status && status.textContent !== heard()) status.textContent = heard();
  applyFragments();
}, 1000);
