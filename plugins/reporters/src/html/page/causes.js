// Why the frames of a window were late: the time by groups as a bar, the causes in sentences, the late frames; and
// stalls without a frame in the same way.

// The parts of a bar, in the order of the data: class, name, what it means.
const CHARGED = [
  ["app", "app", "the app's own work"],
  ["waiting", "waiting", "the app waits for somebody"],
  ["system", "system", "the phone: CPUs, memory, GPU, compositor, display"],
  ["unexplained", "unexplained", "no cause was found for it"],
  ["smaller", "smaller causes", "causes too small to be listed"],
  ["unknown", "untold", "of frames nothing can be said of"],
];
const FRAMES_SHOWN = 8;

const chargedBar = (split, whole, label) =>
  el(
    "span",
    { class: "charged", role: "img", "aria-label": label },
    split.map((us, n) =>
      us > 0
        ? el("i", {
            class: CHARGED[n][0],
            title: `${CHARGED[n][1]}: ${ms(us)}`,
            vars: { "--w": `${(100 * us) / Math.max(whole, 1)}%` },
          })
        : null,
    ),
  );

const chargedWords = (split) =>
  split
    .map((us, n) => (us > 0 ? `${CHARGED[n][1]} ${ms(us)}` : null))
    .filter(Boolean)
    .join(", ");

// A time that frames were late by, and the same per second of motion.
const lateness = (us, found) =>
  found.motion ? `${ms(us)} · ${amount(us / (found.motion / 1e6) / 1000, "ms/s")}` : ms(us);

// `of`: how many late frames, or stalls, there are, in words.
function causeRow(one, of) {
  const how = [
    `in ${one.frames} of ${of}`,
    one.usual === null ? null : `usually ${ms(one.usual)}`,
    one.confidence,
    one.owner,
  ].filter(Boolean);
  return el(
    "li",
    null,
    el("span", { class: "time" }, el("b", null, ms(one.us)), el("i", { class: `swatch ${one.group}` })),
    el(
      "div",
      null,
      el("p", null, one.title),
      one.detail ? el("p", { class: "detail" }, one.detail) : null,
      el("small", null, el("code", null, one.kind), ` · ${how.join(" · ")}`),
    ),
  );
}

const reasonRow = (us, words) =>
  el(
    "li",
    null,
    el("span", { class: "time" }, el("b", null, ms(us)), el("i", { class: "swatch unexplained" })),
    el("div", null, el("p", null, `unexplained: ${words}`)),
  );

// `open`: its picture is seen at once. `trace`: its path in the bundle, and what it is of; of several iterations each
// frame knows its own.
function lateRow(frame, longest, open, trace) {
  const [at, clock] = frame.at,
    place = frame.trace ? ` ${frame.trace}` : "";
  const told = frame.reason
    ? [el("li", { class: "quiet" }, frame.reason)]
    : frame.causes.length
      ? frame.causes.map(([title, us]) => el("li", null, el("b", null, ms(us)), ` ${title}`))
      : [el("li", { class: "quiet" }, "unexplained")];
  return el(
    "li",
    null,
    el(
      "span",
      { class: "when", title: `${(frame.of_trace[0] / 1e6).toFixed(6)} s on the clock of the trace${place}` },
      `${(at / 1e6).toFixed(2)} s `,
      el("small", null, clock),
    ),
    el("b", { class: "num" }, ms(frame.late)),
    chargedBar(frame.split, longest, chargedWords(frame.split)),
    el("ul", null, told),
    frame.lanes ? laneDetails(frame.lanes, open) : null,
    perfettoButton({ ...trace, path: frame.trace ?? trace.path }, frame.of_trace),
  );
}

// Rows, the longest first: some at once, the others folded.
function rows(frames, more, trace) {
  const list = (some) =>
    el(
      "ol",
      { class: "late" },
      some.map((one) => lateRow(one, frames[0].late, one === frames[0], trace)),
    );
  const rest = frames.slice(FRAMES_SHOWN);
  return [
    list(frames.slice(0, FRAMES_SHOWN)),
    rest.length
      ? el("details", null, el("summary", null, several(rest.length, `more ${more[0]}`, `more ${more[1]}`)), list(rest))
      : null,
  ];
}

function lateFrames(found, trace) {
  if (!found.frames.length) return null;
  return el(
    "div",
    { class: "late-frames" },
    el("h3", null, "The late frames, those late by most first"),
    rows(found.frames, ["late frame", "late frames"], trace),
    found.left_out
      ? el("p", { class: "quiet" }, `and ${several(found.left_out, "frame", "frames")} that came less late, not listed`)
      : null,
  );
}

// Main was held up while no frame was promised: in no number of late frames.
function stallsPart(stalls, trace) {
  if (!stalls) return null;
  const of = several(stalls.list.length + stalls.left_out, "stall", "stalls");
  return el(
    "div",
    { class: "late-frames stalls" },
    el("h3", null, "Main held up while no frame was promised"),
    el("p", { class: "quiet" }, `${stalls.head}; in none of the numbers of late frames`),
    chargedBar(stalls.split, stalls.us, `${ms(stalls.us)} by cause: ${chargedWords(stalls.split)}`),
    el(
      "ol",
      { class: "causes" },
      stalls.causes.filter((one, n) => n < 3 && one.us * 20 >= stalls.us).map((one) => causeRow(one, of)),
      stalls.unexplained.map(([words, one]) => reasonRow(one, words)),
    ),
    rows(stalls.list, ["stall", "stalls"], trace),
    stalls.left_out ? el("p", { class: "quiet" }, `and ${stalls.left_out} more, shorter, not listed`) : null,
  );
}

// Where the rest is to be seen: a page that is a file can only say so.
const traceWords = (trace, stacks) =>
  el(
    "p",
    { class: "trace" },
    "To see more: ",
    el("code", null, trace.path),
    " in the bundle is the trace of this iteration. ",
    el("code", null, `farmjank causes ${quoted(trace.path)}`),
    " tells it frame by frame",
    PERFETTO
      ? ". "
      : [
          "; ",
          el("code", null, "farmjank view"),
          " of the bundle opens it in Perfetto at each of these frames; unpacked (",
          el("code", null, `zstd -d ${quoted(trace.path)}`),
          ") it opens by hand in ui.perfetto.dev.",
        ],
    perfettoButton(trace),
    firefoxButton(stacks),
  );

function causesSection(found, cell) {
  if (!found) return null;
  const about = [cell.scenario, cell.window, cell.phone].filter(Boolean).join(" · "),
    trace = { path: found.trace, title: about };
  const title = el("h2", null, "Why frames were late");
  const quietly = (words) => (words ? el("p", { class: "quiet" }, words) : null);
  const section = (...parts) =>
    el(
      "section",
      { class: "why-late", "aria-label": "why frames were late" },
      title,
      parts,
      trace.path ? traceWords(trace, found.stacks) : null,
    );
  if (found.unknown) return section(el("p", { class: "notice" }, found.head));
  if (!found.late) return section(el("p", null, found.head), found.doubts.map(quietly), stallsPart(found.stalls, trace));
  const of = several(found.late_frames, "late frame", "late frames");
  // The largest are told; of the others only those that are a twentieth of the whole.
  const large = found.causes.filter((one, n) => n < 3 || (n < 6 && one.us * 20 >= found.late));
  const small = found.causes.slice(large.length);
  const [count, us] = found.smaller;
  const rest = small.reduce((sum, one) => sum + one.us, us);
  return section(
    quietly([found.head, found.cost].filter(Boolean).join("; ")),
    chargedBar(found.split, found.late, `${ms(found.late)} by cause: ${chargedWords(found.split)}`),
    el(
      "ul",
      { class: "charged-legend" },
      CHARGED.map(([look, name, about], n) =>
        found.split[n] > 0
          ? el(
              "li",
              { title: about },
              el("i", { class: `swatch ${look}` }),
              el("span", null, name),
              el("small", null, lateness(found.split[n], found)),
            )
          : null,
      ),
    ),
    el(
      "ol",
      { class: "causes" },
      large.map((one) => causeRow(one, of)),
      found.unexplained.map(([words, one]) => reasonRow(one, words)),
    ),
    small.length
      ? el(
          "details",
          null,
          el("summary", null, `${several(small.length + count, "smaller cause", "smaller causes")}, ${ms(rest)}`),
          el(
            "ol",
            { class: "causes" },
            small.map((one) => causeRow(one, of)),
          ),
        )
      : count
        ? quietly(`and ${several(count, "smaller cause", "smaller causes")}, ${ms(us)}`)
        : null,
    found.doubts.length
      ? el(
          "ul",
          { class: "doubts", "aria-label": "doubts" },
          found.doubts.map((one) => el("li", null, one)),
        )
      : null,
    lateFrames(found, trace),
    stallsPart(found.stalls, trace),
  );
}
