// Strips: the frames of one window of one iteration (docs/frame-log.md). Times in µs since the first motion.

const FRAME = 0,
  IDLE = 1,
  AMBIGUOUS = 2,
  GAP = 3;
const WHATS = ["frame", "idle", "ambiguous", "gap"];
const PHASES = ["finger", "fling", "scroll", "free"];
const OWNERS = ["app", "compositor", "display", "stuffing", "dropped"];

function readStrip(bytes) {
  const magic = "fjstrip\u0001";
  for (let n = 0; n < magic.length; n++) if (bytes[n] !== magic.charCodeAt(n)) throw new Error("no strip of version 1");
  let at = magic.length;
  // Numbers are below 2^53: multiplied, not shifted.
  const varint = () => {
    let value = 0,
      scale = 1,
      byte;
    do {
      if (at >= bytes.length) throw new Error("the frames of this iteration are cut off");
      byte = bytes[at++];
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte & 128);
    return value;
  };
  varint(); // the origin: the page counts from it
  const count = Math.min(varint(), bytes.length);
  const bars = [];
  let end = 0,
    what = FRAME,
    phase = 0,
    period = 0,
    cadence = 1;
  for (let n = 0; n < count; n++) {
    const token = varint(),
      mask = token % 2 ? bytes[at++] : 0,
      folded = Math.floor(token / 2);
    const skip = mask & 1 ? varint() : 0;
    if (mask & 2) what = bytes[at++];
    if (mask & 4) phase = bytes[at++];
    if (mask & 8) period = varint();
    if (mask & 16) cadence = varint();
    const vsyncs = mask & 32 ? varint() : what === FRAME ? cadence : 0;
    const owner = mask & 64 ? bytes[at++] : -1,
      stage = mask & 128 ? bytes[at++] : -1;
    const off = folded % 2 ? -(folded + 1) / 2 : folded / 2;
    const from = end + skip,
      length = Math.floor((vsyncs * period + 500) / 1000) + off;
    end = from + length;
    const late = what === FRAME ? Math.max(0, vsyncs - cadence) : 0;
    bars.push({ nth: n, from, to: end, length, what, phase, period, cadence, vsyncs, owner, stage, late });
  }
  return bars;
}

// What a strip adds up to.
function sums(bars) {
  const frames = bars.filter((bar) => bar.what === FRAME);
  const late = frames.filter((bar) => bar.late > 0);
  const lateMs = late.reduce((sum, bar) => sum + (bar.late * bar.period) / 1e6, 0);
  const worst = late.reduce(
    (worst, bar) => (!worst || bar.late * bar.period > worst.late * worst.period ? bar : worst),
    null,
  );
  return { frames, late, lateMs, worst, end: bars.length ? bars[bars.length - 1].to : 0 };
}

// Nearest rank, as the metrics take it.
function rank(sorted, percent) {
  return sorted.length ? sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] : null;
}
