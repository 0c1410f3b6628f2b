// A late frame as a picture: a lane for every thread on its way, what held it up drawn strong, all else faint.
// Times in µs since the frame should have begun.

const LANE_STATES = [
  ["running", "runs on a CPU"],
  ["ready", "is ready, has no CPU"],
  ["sleeping", "sleeps, waits for somebody"],
  ["blocked", "is blocked in the kernel"],
  ["disk", "is blocked, for the disk"],
];
const LANE_ROLES = {
  main: "makes the frame",
  render: "draws it",
  gpu: "until the buffer is done",
  compositor: "shows it",
};
// Steps told in words, of this part of the picture at least.
const STEPS = 8,
  STEP = 0.015;

const laneMs = (us) => `${(us / 1000).toFixed(1)} ms`;

// What a cause says in the lane of the thread it is of.
const ownWords = (title, lane) => (title.startsWith(`${lane.name} `) ? title.slice(lane.name.length + 1) : title);

// Where an instant and a length lie, as styles.
function laneScale(picture) {
  const [from, to] = picture.drawn,
    part = (us) => `${(100 * us) / Math.max(to - from, 1)}%`;
  return (begin, end) => ({ "--x": part(begin - from), "--w": part(end - begin) });
}

// What the picture is measured by: promises, and what became of them.
function laneMarks(picture) {
  const stall = picture.token === undefined;
  return [
    ["start", 0, stall ? "begins" : "should begin"],
    ["deadline", picture.deadline, "app's deadline"],
    ["due", picture.due, "should be shown"],
    ["end", picture.end, stall ? "ends" : "shown"],
  ].filter(([, at]) => typeof at === "number" && at >= picture.drawn[0] && at <= picture.drawn[1]);
}

// The marks in words, each on the first line where it runs into no other, on the narrowest screen too.
function laneMarkRow(picture, scale) {
  const [from, to] = picture.drawn,
    ends = [];
  const placed = laneMarks(picture).map(([look, at, words]) => {
    const text = `${words} ${laneMs(at)}`,
      wide = (100 * (text.length * 6.1 + 12)) / 300;
    let x = (100 * (at - from)) / (to - from);
    const left = x + wide > 100;
    const begin = left ? x - wide : x;
    let line = 0;
    while (line < ends.length && ends[line] > begin) line++;
    ends[line] = begin + wide;
    return el(
      "span",
      { class: `mark-${look}${left ? " left" : ""}`, vars: { ...scale(at, at), "--line-nth": line } },
      text,
    );
  });
  return el("div", { class: "lane-marks", vars: { "--lines": ends.length } }, placed);
}

// A ruler in ms: some five steps of 1, 2 or 5.
function laneRuler(picture, scale) {
  const [from, to] = picture.drawn,
    rough = (to - from) / 5;
  const size = 10 ** Math.floor(Math.log10(rough)),
    step = [1, 2, 5, 10].find((one) => one * size >= rough) * size;
  const ticks = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
    const right = (at - from) / (to - from) > 0.92;
    ticks.push(
      el("span", { class: right ? "left" : null, vars: scale(at, at) }, step >= 1000 ? `${at / 1000} ms` : laneMs(at)),
    );
  }
  const refreshes = [];
  const period = picture.period_ns / 1000;
  if (period > 0 && (to - from) / period < 120)
    for (let n = Math.ceil((from - picture.end) / period); picture.end + n * period <= to; n++)
      refreshes.push(el("i", { class: "refresh", vars: scale(picture.end + n * period, picture.end + n * period) }));
  return el("div", { class: "lane-ruler", title: "small lines: refreshes of the screen" }, refreshes, ticks);
}

function laneBand(picture, nth, scale) {
  const lane = picture.lanes[nth],
    whole = picture.drawn[1] - picture.drawn[0];
  const own = picture.way.filter((one) => one.lane === nth);
  if (!own.length) return null;
  const bars = own.map((one) => {
    const cause = picture.causes[one.cause],
      words = ownWords(cause.title, lane);
    const strong = one.meanwhile || cause.us > 0;
    const how = one.meanwhile ? "meanwhile" : cause.us > 0 ? `${ms(cause.us)} of the lateness` : "usual";
    return el(
      "i",
      {
        class: `${strong ? cause.group : "usual"}${one.meanwhile ? " meanwhile" : ""}`,
        title: `${laneMs(one.from)} to ${laneMs(one.to)}: ${words} (${how})`,
        vars: scale(one.from, one.to),
      },
      (one.to - one.from) / whole > 0.03 ? el("span", null, words) : null,
    );
  });
  return el("div", { class: "lane-band" }, bars);
}

function laneTrack(picture, nth, scale) {
  const lane = picture.lanes[nth],
    whole = picture.drawn[1] - picture.drawn[0];
  // Who waits and who is waited for are joined by a column, over the lanes between them.
  const links = picture.way
    .filter(
      ({ waits_for: peer, lane: own, cause, meanwhile }) =>
        typeof peer === "number" &&
        (meanwhile || picture.causes[cause].us > 0) &&
        nth >= Math.min(own, peer) &&
        nth <= Math.max(own, peer),
    )
    .map((one) =>
      el("i", { class: `link ${picture.causes[one.cause].group}`, vars: scale(one.from, one.to) }),
    );
  const states = lane.states.map(([from, length, state]) => {
    const words = (LANE_STATES.find(([look]) => look === state) || ["", state])[1];
    return el("i", { class: state, title: `${words}, ${laneMs(length)}`, vars: scale(from, from + length) });
  });
  const levels = [...new Set(lane.slices.map((slice) => slice[2]))].sort().map((level) =>
    el(
      "div",
      { class: "lane-level" },
      lane.slices
        .filter((slice) => slice[2] === level)
        .map(([from, length, , name]) =>
          el(
            "i",
            { title: `${picture.names[name]}, ${laneMs(length)}`, vars: scale(from, from + length) },
            length / whole > 0.04 ? el("span", null, picture.names[name]) : null,
          ),
        ),
    ),
  );
  const lines = laneMarks(picture).map(([look, at]) => el("i", { class: `line ${look}`, vars: scale(at, at) }));
  return el(
    "div",
    { class: "lane-track" },
    links,
    laneBand(picture, nth, scale),
    states.length ? el("div", { class: "lane-states" }, states) : null,
    levels,
    lines,
  );
}

// What the picture shows, step by step, for those who read: the parts of one cause in one lane together.
function laneSteps(picture) {
  const steps = new Map();
  for (const one of picture.way) {
    const key = `${one.lane}/${one.cause}/${one.meanwhile ? 1 : 0}`,
      step = steps.get(key) || { ...one, length: 0, parts: 0 };
    step.length += one.to - one.from;
    step.parts += 1;
    steps.set(key, step);
  }
  const whole = picture.drawn[1] - picture.drawn[0],
    us = (step) => picture.causes[step.cause].us;
  return [...steps.values()]
    .filter((step) => step.length / whole >= STEP && picture.causes[step.cause].title)
    .sort((a, b) => us(b) - us(a) || b.length - a.length)
    .slice(0, STEPS)
    .sort((a, b) => a.from - b.from || a.lane - b.lane);
}

function laneStep(picture, step) {
  const { title, group, us } = picture.causes[step.cause],
    charged = us > 0 && !step.meanwhile;
  const length = laneMs(step.length) + (step.parts > 1 ? ` in ${step.parts} parts` : "");
  return el(
    "li",
    { class: charged ? null : "usual" },
    el("span", { class: "num" }, laneMs(step.from)),
    el("i", { class: `swatch ${charged || step.meanwhile ? group : "none"}` }),
    el(
      "span",
      null,
      step.meanwhile ? "meanwhile " : null,
      title,
      el("small", null, ` ${length}`, step.meanwhile ? null : charged ? `, charged ${ms(us)}` : ", usual"),
    ),
  );
}

function laneLegend(picture) {
  const used = new Set(picture.lanes.flatMap((lane) => lane.states.map((span) => span[2])));
  return el(
    "ul",
    { class: "lane-legend", "aria-label": "states of threads" },
    LANE_STATES.filter(([look], n) => n < 4 || used.has(look)).map(([look, words]) =>
      el("li", null, el("span", { class: "lane-states" }, el("i", { class: look })), words),
    ),
  );
}

function lanePicture(picture) {
  const scale = laneScale(picture),
    steps = laneSteps(picture);
  const waiting = (nth) => picture.way.find((one) => one.waits_for === nth);
  const about = (lane, nth) => {
    const by = waiting(nth);
    if (lane.role !== "waited_for") return LANE_ROLES[lane.role];
    return `${lane.process ? `in ${lane.process}; ` : ""}${by ? `${picture.lanes[by.lane].name} waits for it` : "goes on with it"}`;
  };
  const told = steps.map((step) => `${laneMs(step.from)}: ${picture.causes[step.cause].title}`).join("; ");
  return el(
    "figure",
    { class: "lanes" },
    el(
      "div",
      { class: "lanes-chart", role: "img", "aria-label": `threads on the way of the frame; ${told}` },
      el("div", { class: "lane top" }, el("div", { class: "lane-name" }), laneMarkRow(picture, scale)),
      picture.lanes.map((lane, nth) =>
        el(
          "div",
          { class: `lane ${lane.role}` },
          el("div", { class: "lane-name" }, el("b", null, lane.name), el("small", null, about(lane, nth))),
          laneTrack(picture, nth, scale),
        ),
      ),
      el("div", { class: "lane bottom" }, el("div", { class: "lane-name" }), laneRuler(picture, scale)),
    ),
    laneLegend(picture),
    el(
      "ol",
      { class: "lane-steps", "aria-label": "what held it up, in order of time" },
      steps.map((step) => laneStep(picture, step)),
    ),
    icicles(picture) || null,
  );
}

// A picture behind a line to open it by; it is drawn when it is first seen.
function laneDetails(picture, open) {
  const node = el("details", { class: "lane-details" }, el("summary", null, "what its threads did"));
  const draw = () => {
    if (node.open && !node.querySelector("figure")) node.append(lanePicture(picture));
  };
  node.addEventListener("toggle", draw);
  node.open = open;
  draw();
  return node;
}
