// Every frame over time: a bar as long as it was shown and as high as the vsyncs it took, against its own deadline.

// Heights in px: the band of motions, the row of refresh rates under it, the mark over a late frame.
const FEET = 18,
  HERTZ = 16,
  MARK = 9;

// `shared` axes are those of several plots: their end in µs, their tallest frame, and who hears of a zoom. What stands
// under the plot hears where it is drawn, and at what instant the cursor is.
function framePlot(host, bars, iteration, pick, shared = {}) {
  const total = sums(bars),
    end = Math.max(total.end, ...iteration.motions.map((motion) => motion[1]), shared.end || 0, 1) / 1e6;
  const tallest = bars.reduce((most, bar) => Math.max(most, bar.vsyncs, bar.cadence), shared.tallest || 2);
  // Long freezes would flatten everything else: above eight vsyncs heights grow slower.
  const squeeze = tallest > 8;
  const up = (value) => (squeeze && value > 2 ? 2 + Math.log2(value / 2) * 1.5 : value);
  const lines = squeeze
    ? [0, 1, 2, 4, 8, 16, 32, 64, 128, 256].filter((one) => one <= tallest)
    : Array.from({ length: Math.ceil(tallest) + 1 }, (_, n) => n);
  const size = () => ({ width: Math.max(280, host.clientWidth), height: host.clientWidth < 520 ? 220 : 280 });
  // Bars end below the bands.
  const tall = size().height - 32,
    top = (up(tallest) * tall) / (tall - FEET - HERTZ - MARK - 2);
  let chosen = null,
    hovered = null,
    blank = null,
    screen = null,
    paint = {};

  const colours = () => {
    paint = {
      on: colour("--frame"),
      late: colour("--bad"),
      ink: colour("--ink"),
      quiet: colour("--quiet"),
      line: colour("--line"),
      shade: colour("--shade"),
      finger: colour("--finger"),
      fling: colour("--fling"),
      accent: colour("--accent"),
      page: colour("--page"),
      what: {
        [IDLE]: hatched(colour("--quiet"), 1),
        [AMBIGUOUS]: hatched(colour("--doubt"), 0),
        [GAP]: hatched(colour("--odd"), 2),
      },
    };
  };
  colours();

  const at = (seconds) => {
    const us = seconds * 1e6;
    let low = 0,
      high = bars.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (bars[middle].to <= us) low = middle + 1;
      else high = middle;
    }
    return bars[low] && bars[low].from <= us ? bars[low] : null;
  };

  // Where a motion shows no frame: before its first, or after its last.
  const nothing = (seconds) => {
    const us = seconds * 1e6,
      motion = iteration.motions.find(([from, to]) => from <= us && us < to);
    return motion
      ? [
          `${seconds.toFixed(3)} s`,
          "no frame",
          bars.some((bar) => bar.from < us)
            ? bars.some((bar) => bar.from > us)
              ? "until the next one"
              : "after the last one"
            : "before the first one",
          motion[2],
        ]
      : null;
  };

  const label = (pen, text, x, y, room, ink, ground) => {
    pen.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
    if (pen.measureText(text).width + 8 * devicePixelRatio > room) return;
    if (ground) {
      pen.fillStyle = ground;
      pen.fillRect(
        x + 2 * devicePixelRatio,
        y - 8 * devicePixelRatio,
        pen.measureText(text).width + 4 * devicePixelRatio,
        16 * devicePixelRatio,
      );
    }
    pen.fillStyle = ink;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    pen.fillText(text, x + 4 * devicePixelRatio, y);
  };

  const ground = (u) => {
    const { ctx: pen, bbox } = u,
      x = (us) => u.valToPos(us / 1e6, "x", true);
    pen.save();
    pen.beginPath();
    pen.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    pen.clip();
    iteration.periods.forEach(([from, period], n) => {
      const next = iteration.periods[n + 1],
        left = Math.max(x(from), bbox.left),
        right = Math.min(next ? x(next[0]) : x(end * 1e6), bbox.left + bbox.width);
      if (right <= left) return;
      if (n % 2) {
        pen.fillStyle = paint.shade;
        pen.fillRect(left, bbox.top, right - left, bbox.height);
      }
    });
    pen.restore();
  };

  // Motions and refresh rates, over the grid.
  const bands = (u) => {
    const { ctx: pen, bbox } = u,
      x = (us) => u.valToPos(us / 1e6, "x", true),
      px = devicePixelRatio;
    pen.fillStyle = paint.page;
    pen.fillRect(bbox.left, bbox.top, bbox.width, (FEET + HERTZ) * px);
    iteration.periods.forEach(([from, period], n) => {
      const next = iteration.periods[n + 1],
        left = Math.max(x(from), bbox.left),
        right = Math.min(next ? x(next[0]) : x(end * 1e6), bbox.left + bbox.width);
      if (right <= left) return;
      if (n % 2) {
        pen.fillStyle = paint.shade;
        pen.fillRect(left, bbox.top + FEET * px, right - left, HERTZ * px);
      }
      label(pen, hz(period), left, bbox.top + (FEET + HERTZ / 2 + 1) * px, right - left, paint.quiet);
    });
    for (const [from, to, phase] of iteration.motions) {
      const left = Math.max(x(from), bbox.left),
        right = Math.min(x(to), bbox.left + bbox.width),
        tall = FEET * px;
      if (right <= left) continue;
      pen.fillStyle = phase === "finger" ? paint.finger : paint.fling;
      pen.fillRect(left, bbox.top, Math.max(1, right - left - px), tall);
      label(pen, phase, left, bbox.top + tall / 2 + px, right - left, paint.ink);
    }
  };

  const draw = (u) => {
    const { ctx: pen, bbox } = u,
      zero = u.valToPos(0, "y", true),
      px = devicePixelRatio;
    const x = (us) => u.valToPos(us / 1e6, "x", true),
      y = (value) => u.valToPos(up(value), "y", true);
    const from = u.scales.x.min * 1e6,
      to = u.scales.x.max * 1e6;
    pen.save();
    pen.beginPath();
    pen.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    pen.clip();
    bands(u);
    const under = bbox.top + (FEET + HERTZ) * px;
    for (const bar of bars) {
      if (bar.to < from || bar.from > to) continue;
      const left = x(bar.from),
        width = Math.max(px, x(bar.to) - left - (x(bar.to) - left > 4 * px ? px : 0));
      if (bar.what !== FRAME) {
        pen.fillStyle = paint.what[bar.what];
        pen.fillRect(left, under, width, zero - under);
        label(pen, WHATS[bar.what], left, zero - 11 * px, width, paint.ink, paint.page);
        continue;
      }
      const due = y(Math.min(bar.cadence, bar.vsyncs)),
        high = y(bar.vsyncs);
      pen.fillStyle = paint.on;
      pen.fillRect(left, due, width, zero - due);
      if (bar.late) {
        pen.fillStyle = paint.late;
        pen.fillRect(left, high, width, due - high);
        // A mark over it: late frames are found without telling colours apart.
        const middle = left + width / 2;
        pen.beginPath();
        pen.moveTo(middle - 3.5 * px, high - 7 * px);
        pen.lineTo(middle + 3.5 * px, high - 7 * px);
        pen.lineTo(middle, high - 2 * px);
        pen.fill();
      }
    }
    // Each frame's deadline: one line where neighbours share it.
    pen.strokeStyle = paint.ink;
    pen.setLineDash([4 * px, 3 * px]);
    pen.lineWidth = px;
    pen.beginPath();
    let last = null,
      ended = null;
    for (const bar of bars) {
      if (bar.what !== FRAME || bar.to < from || bar.from > to) {
        last = null;
        continue;
      }
      const level = y(bar.cadence);
      if (last === null || last !== level || ended !== bar.from) pen.moveTo(x(bar.from), level);
      pen.lineTo(x(bar.to), level);
      [last, ended] = [level, bar.to];
    }
    pen.stroke();
    pen.setLineDash([]);
    // Where the screen was photographed: a tick each, and a line at the picture that is pointed at.
    pen.fillStyle = paint.accent;
    for (const { at } of iteration.screens || [])
      pen.fillRect(
        x(at) - px,
        zero - (at === screen ? zero - under : 7 * px),
        at === screen ? px : 2 * px,
        at === screen ? zero - under : 7 * px,
      );
    for (const [bar, ink, wide] of [
      [hovered, paint.quiet, 1],
      [chosen, paint.accent, 2],
    ]) {
      if (!bar) continue;
      const left = x(bar.from),
        high = bar.what === FRAME ? y(bar.vsyncs) : under;
      pen.strokeStyle = ink;
      pen.lineWidth = wide * px;
      pen.strokeRect(left - px, high - px, Math.max(3 * px, x(bar.to) - left + px), zero - high + px);
    }
    pen.restore();
    const { min, max } = u.scales.x;
    if (shared.drawn) shared.drawn(bbox.left / px, bbox.width / px, min, max, u.width);
  };

  const axis = (more) => ({
    font: "11px system-ui, sans-serif",
    stroke: () => paint.quiet,
    grid: { stroke: () => paint.line, width: 1 },
    ticks: { show: false },
    ...more,
  });
  const plot = new uPlot(
    {
      ...size(),
      legend: { show: false },
      padding: [4, 18, 0, 0],
      cursor: { points: { show: false }, y: false, drag: { x: true, y: false, setScale: true } },
      scales: {
        x: {
          time: false,
          min: 0,
          max: end,
          range: (u, low, high) => [Math.max(-0.02 * end, low), Math.min(end * 1.02, high)],
        },
        y: { range: [0, top] },
      },
      axes: [
        axis({ size: 28, values: (u, values) => values.map((value) => `${Number(value.toFixed(4))} s`) }),
        axis({
          size: 44,
          splits: () => lines.map(up),
          values: () => lines.map(String),
          label: "vsyncs",
          labelSize: 16,
          labelFont: "11px system-ui, sans-serif",
        }),
      ],
      series: [{}, { paths: () => null, points: { show: false } }],
      hooks: {
        drawClear: [ground],
        draw: [draw],
        setScale: [
          (u, key) => {
            if (key === "x" && shared.zoomed) shared.zoomed(u.scales.x.min, u.scales.x.max);
          },
        ],
        setCursor: [
          (u) => {
            const seconds = u.cursor.left >= 0 ? u.posToVal(u.cursor.left, "x") : null,
              bar = seconds === null ? null : at(seconds);
            if (shared.pointed) shared.pointed(seconds);
            const before = blank;
            blank = bar || seconds === null ? null : nothing(seconds);
            if (bar !== hovered || (!bar && String(blank) !== String(before)))
              pick(bar || (blank ? null : chosen), false, blank);
            if (bar !== hovered) {
              hovered = bar;
              u.redraw(false);
            }
          },
        ],
      },
    },
    [
      [0, end],
      [0, 0],
    ],
    host,
  );

  const view = () => [plot.scales.x.min, plot.scales.x.max];
  const show = (min, max) => {
    const wide = Math.min(Math.max(max - min, 0.02), end * 1.04),
      from = Math.max(-0.02 * end, Math.min(min, end * 1.02 - wide));
    plot.setScale("x", { min: from, max: from + wide });
  };
  const zoom = (factor, around) => {
    const [min, max] = view(),
      middle = around ?? (chosen ? (chosen.from + chosen.to) / 2e6 : (min + max) / 2);
    show(middle - (middle - min) * factor, middle + (max - middle) * factor);
  };
  // Where another plot went; nothing when it is there already.
  const to = (min, max) => {
    const [low, high] = view();
    if (Math.abs(low - min) + Math.abs(high - max) > 1e-9) plot.setScale("x", { min, max });
  };
  const pan = (share) => {
    const [min, max] = view();
    show(min + (max - min) * share, max + (max - min) * share);
  };
  const choose = (bar, near) => {
    chosen = bar;
    if (bar && near) {
      const [min, max] = view(),
        middle = (bar.from + bar.to) / 2e6,
        wide = near === true ? max - min : Math.max(near, (bar.length / 1e6) * 3);
      if (near !== true || middle < min || middle > max) show(middle - wide / 2, middle + wide / 2);
    }
    pick(chosen, true);
    plot.redraw(false);
  };
  const step = (by) =>
    choose(
      bars[Math.max(0, Math.min(bars.length - 1, (chosen ? chosen.nth : by > 0 ? -1 : bars.length) + by))] || null,
      true,
    );

  let down = null;
  plot.over.addEventListener(
    "mousedown",
    (event) => {
      down = [event.clientX, ...view(), event.shiftKey];
      if (event.shiftKey) event.stopImmediatePropagation();
    },
    true,
  );
  plot.over.addEventListener("mousemove", (event) => {
    if (!down || !down[3] || !(event.buttons & 1)) return;
    const by = ((down[0] - event.clientX) / plot.over.clientWidth) * (down[2] - down[1]);
    show(down[1] + by, down[2] + by);
  });
  plot.over.addEventListener("click", (event) => {
    if (down && Math.abs(event.clientX - down[0]) < 4) choose(at(plot.posToVal(plot.cursor.left, "x")), false);
  });
  plot.over.addEventListener(
    "wheel",
    (event) => {
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        zoom(event.deltaY > 0 ? 1.25 : 0.8, plot.posToVal(plot.cursor.left, "x"));
      } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        pan(event.deltaX / 1500);
      }
    },
    { passive: false },
  );
  const resized = new ResizeObserver(() => plot.setSize(size()));
  resized.observe(host);
  const themed = () => {
    colours();
    plot.redraw(false);
  };
  // Paper has colours of its own.
  const looks = [matchMedia("(prefers-color-scheme: dark)"), matchMedia("print")];
  for (const look of looks) look.addEventListener("change", themed);
  return {
    zoom,
    pan,
    choose,
    step,
    to,
    screen: (us) => {
      if (us !== screen) {
        screen = us;
        plot.redraw(false);
      }
    },
    all: () => show(-0.02 * end, end * 1.02),
    end: () => {
      resized.disconnect();
      for (const look of looks) look.removeEventListener("change", themed);
      plot.destroy();
    },
  };
}
