// Numbers, verdicts and causes as people read them.

const MARKS = { pass: "✓", fail: "✗", broken: "!", undecided: "?", unjudged: "…" };
const OUTCOMES = {
  held: ["✓", "held"],
  breached: ["✗", "breached"],
  excused: ["!", "excused"],
  unknown: ["?", "unknown"],
};
const CAUSES = {
  overflow: "the ring overflowed",
  ring_reset: "the ring was cleared",
  unresolved: "a frame stayed pending",
  late_start: "seen too late",
  early_end: "not seen to the end",
  interrupted: "sampling was interrupted",
};
const ORIGINS = { pinned: "pinned by hand", fitted: "fitted to the presents", reported: "told by the phone" };
const SUFFIX = {
  fps: " fps",
  ms: " ms",
  "ms/s": " ms/s",
  "%": " %",
  ratio: "",
  count: "",
  MB: " MB",
  kB: " kB",
  "°C": " °C",
  mA: " mA",
};

function number(value, unit) {
  if (typeof value !== "number" || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const places =
    unit === "count" && Number.isInteger(value)
      ? 0
      : unit === "ratio"
        ? 3
        : size >= 1000
          ? 0
          : size < 10 && unit !== "fps" && unit !== "count"
            ? 2
            : 1;
  const text = value.toFixed(places).replace(/^-(0(\.0*)?)$/, "$1");
  return size >= 10000 ? grouped(text) : text;
}

const grouped = (whole) => String(whole).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
const amount = (value, unit) => {
  const text = number(value, unit);
  return text === "–" ? text : text + (SUFFIX[unit] || "");
};
// Rounded down: 99.96 % must not read as everything.
const whole = (percent) => (percent === 100 ? "100" : (Math.floor(percent * 10) / 10).toFixed(1));
const several = (count, one, many) => `${grouped(count)} ${count === 1 ? one : many}`;
const ms = (us) => `${number(us / 1000, "ms")} ms`;
const hz = (period) => (period > 0 ? `${Math.round(1e9 / period)} Hz` : "no known rate");

function phoneName(serial) {
  const phone = store.phones.get(serial);
  return serial === null ? "no phone" : phone && phone.model ? phone.model : serial;
}

// The same where nothing else tells phones of one model apart.
function phoneTold(serial) {
  const name = phoneName(serial),
    same = [...store.phones.values()].filter((phone) => phone.model === name);
  return same.length > 1 ? `${name} (${serial})` : name;
}

// A reason in words, with limits and commands as code.
function coded(text) {
  const parts = String(text).split("`");
  return parts.length % 2 ? parts.map((part, n) => (n % 2 ? el("code", null, part) : part)) : text;
}

// A frame in one sentence.
function frameWords(bar) {
  const when = `${(bar.from / 1e6).toFixed(3)} s`;
  if (bar.what !== FRAME) {
    const why = {
      [IDLE]: "idle: nothing was due",
      [AMBIGUOUS]: "ambiguous: no one can tell a stall from rest",
      [GAP]: "gap: frames may be lost",
    };
    return [`${when}`, ms(bar.length), why[bar.what]];
  }
  const vsyncs = bar.period ? `${several(bar.vsyncs, "vsync", "vsyncs")} of ${hz(bar.period)}` : hz(bar.period);
  const late = bar.late
    ? `${several(bar.late, "vsync", "vsyncs")} late (${ms((bar.late * bar.period) / 1000)})`
    : "on time";
  const parts = [`frame ${bar.nth + 1}`, when, ms(bar.length), vsyncs, late, PHASES[bar.phase]];
  if (bar.owner >= 0) parts.push(`${OWNERS[bar.owner]} at fault`);
  if (bar.stage >= 0)
    parts.push(bar.stage < store.index.stages.length ? `mostly ${stageName(bar.stage)}` : "no single stage");
  return parts;
}

const stageName = (nth) => store.index.stages[nth].replace(/_/g, " ");
