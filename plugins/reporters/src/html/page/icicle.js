// Which methods the threads of a late frame were in: the outermost call on top, what it called below it, as wide as the
// time it took; off its CPU hatched. Not in order of time: equal calls stand together.

// Parts of the whole that are drawn, and in which a name has room.
const DRAWN = 0.004,
  ROOM = 0.05;
// Part of the picture that the calls of a lane take, at least, to be told of.
const TOLD = 0.05;
// Levels drawn: the innermost that are needed, and methods told in words.
const DEEP = 14,
  METHODS = 4;

const callNode = (name) => ({ name, us: 0, off: 0, self: 0, selfOff: 0, below: new Map() });

// The calls of a lane as a tree.
function callTree(picture, lane) {
  const root = callNode("");
  for (const one of picture.stacks) {
    if (one.lane !== lane) continue;
    const us = one.to - one.from,
      off = one.off_cpu ? us : 0;
    let node = root;
    root.us += us;
    for (const call of one.calls) {
      const name = picture.names[call];
      if (!node.below.has(name)) node.below.set(name, callNode(name));
      node = node.below.get(name);
      node.us += us;
      node.off += off;
    }
    node.self += us;
    node.selfOff += off;
  }
  return root;
}

// Calls that all others are in say nothing: left out but for the last of them.
function callTop(root) {
  let node = root,
    outer = 0;
  for (;;) {
    const [only] = node.below.values();
    if (node.below.size !== 1 || node.self || [...only.below.values()].reduce((sum, one) => sum + one.us, 0) < only.us)
      return { node, outer };
    if (only.below.size !== 1) return { node, outer };
    node = only;
    outer += 1;
  }
}

const callTime = (us, off) =>
  `${laneMs(us)}${off === 0 ? "" : off === us ? ", off its CPU" : `, ${laneMs(off)} of it off its CPU`}`;

const lastName = (name) => name.split(".").slice(-2).join(".");

function callRows(top) {
  const rows = [],
    whole = top.us;
  const draw = (node, level, from) => {
    let at = from;
    for (const one of node.below.values()) {
      const part = one.us / whole;
      if (part >= DRAWN && level < DEEP) {
        const off = one.off > one.us / 2;
        rows[level] = rows[level] || [];
        rows[level].push(
          el(
            "i",
            {
              class: off ? "off" : null,
              title: `${one.name}: ${callTime(one.us, one.off)}`,
              vars: { "--x": `${(100 * at) / whole}%`, "--w": `${100 * part}%` },
            },
            part >= ROOM ? el("span", null, lastName(one.name)) : null,
          ),
        );
        draw(one, level + 1, at);
      }
      at += one.us;
    }
  };
  draw(top, 0, 0);
  return rows;
}

// The methods themselves, the one with most time of its own first.
function callList(root) {
  const own = new Map();
  const walk = (node) => {
    for (const one of node.below.values()) {
      if (one.self) {
        const [us, off] = own.get(one.name) || [0, 0];
        own.set(one.name, [us + one.self, off + one.selfOff]);
      }
      walk(one);
    }
  };
  walk(root);
  return [...own].sort((a, b) => b[1][0] - a[1][0]).slice(0, METHODS);
}

function icicleOf(picture, lane, nth) {
  const root = callTree(picture, nth);
  if (root.us < TOLD * (picture.drawn[1] - picture.drawn[0])) return null;
  const { node, outer } = callTop(root),
    listed = callList(root);
  const told = listed.map(([name, [us, off]]) => `${name}: ${callTime(us, off)}`);
  return el(
    "section",
    { class: "icicle", "aria-label": `methods of ${lane.name}` },
    el(
      "h4",
      null,
      `Methods of ${lane.name} `,
      el(
        "small",
        null,
        `${laneMs(root.us)} of it are known by stacks`,
        outer ? `; ${several(outer, "outer call", "outer calls")} that all are in left out` : null,
      ),
    ),
    el(
      "div",
      { class: "icicle-chart", role: "img", "aria-label": told.join("; ") },
      callRows(node).map((row) => el("div", { class: "lane-level" }, row)),
    ),
    el(
      "ul",
      { class: "icicle-own" },
      told.map((words) => el("li", null, words)),
    ),
  );
}

// One for each lane whose calls were looked at.
const icicles = (picture) => (picture.stacks || []).length && picture.lanes.map((lane, nth) => icicleOf(picture, lane, nth));
