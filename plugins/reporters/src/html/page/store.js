// The data of the page: the index, the cells by key, and each cell's depth, unpacked when it is opened.

const store = {
  index: null,
  cells: new Map(),
  phones: new Map(),
  models: new Set(),
  scenarios: new Map(),
  metrics: new Map(),
  sent: new Map(),
  opened: new Map(),

  take(index) {
    this.index = index;
    for (const cell of index.cells) this.cells.set(cell.key, cell);
    for (const phone of index.phones) this.phones.set(phone.serial, phone);
    this.models = new Set([...this.phones.values()].map((phone) => phone.model || phone.serial));
    for (const scenario of index.scenarios) this.scenarios.set(scenario.name, scenario);
    for (const family of index.families)
      for (const [key, unit, better, about] of family.metrics) {
        this.metrics.set(key, { key, unit, better, about, family: family.title });
      }
  },

  // What changed, from a live run: the run, some cells, their depth. Cells not named stay as they are.
  apply(fragment) {
    this.take(fragment);
    for (const [key, packed] of Object.entries(fragment.details || {})) {
      this.sent.set(key, packed);
      this.opened.delete(key);
    }
    // What was held against no limit has no excess, and comes last.
    const excess = (cell) => (cell.excess === null ? -Number.MAX_VALUE : cell.excess);
    this.index.cells = [...this.cells.values()].sort(
      (a, b) => this.badness(a) - this.badness(b) || excess(b) - excess(a),
    );
  },

  // What is in quarantine comes after everything that counts against the run.
  badness(cell) {
    const place = ["fail", "broken", "undecided", "unjudged", "pass"].indexOf(cell.verdict);
    return cell.quarantined ? (place === 4 ? 4.5 : 3.5) : place;
  },

  // What a cell was packed into; null where the page has no details of it.
  packed(key) {
    const node = document.getElementById(`cell-${key}`);
    return this.sent.get(key) || (node && node.textContent) || null;
  },

  // Unpacks cells that are not yet. A cell whose bytes cannot be read is remembered by the reason.
  async load(keys) {
    const one = async (key) => {
      const packed = this.packed(key);
      const made = await unpack(packed).catch((why) => ({ broken: why.message }));
      if (this.packed(key) === packed) this.opened.set(key, made);
    };
    await Promise.all(keys.map(one));
  },

  // Which of these cells have bytes and are not unpacked.
  waiting(keys) {
    return keys.filter((key) => !this.opened.has(key) && this.packed(key));
  },

  // One cell in depth, once it is loaded: { detail, strips: bars per iteration or null }; null where it cannot be had.
  open(key) {
    const made = this.opened.get(key);
    return made && !made.broken ? made : null;
  },

  // Why it cannot.
  why(key) {
    const made = this.opened.get(key);
    return made && made.broken
      ? `the details of this cell cannot be read: ${made.broken}`
      : "the details of this cell are not in the page";
  },
};

// The bytes of a cell: the length of its JSON, its JSON, the frames of its iterations, the pictures.
async function unpack(packed) {
  if (typeof DecompressionStream === "undefined") {
    throw new Error("this browser unpacks nothing; use one of 2023 or newer (Chrome 103, Firefox 113, Safari 16.4)");
  }
  const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const buffer = await new Response(plain).arrayBuffer().catch(() => {
    throw new Error("its data are damaged");
  });
  const length = new DataView(buffer).getUint32(0, true);
  const detail = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const rest = new Uint8Array(buffer, 4 + length);
  const strips = detail.iterations.map(({ strip }) =>
    strip ? readStrip(rest.subarray(strip[0], strip[0] + strip[1])) : null,
  );
  return { detail, strips, rest };
}

// Permalinks: #device/scenario/window/iteration/frame; iteration as printed (its trial), frame from 1.
const link = {
  of(cell, trial, frame) {
    const parts = [cell.phone || "-", cell.scenario, cell.window];
    if (trial !== undefined && trial !== null) parts.push(trial);
    if (frame) parts.push(frame);
    return `#${parts.map(encodeURIComponent).join("/")}`;
  },
  read(hash) {
    let parts;
    try {
      parts = hash.replace(/^#/, "").split("/").map(decodeURIComponent);
    } catch {
      return null;
    }
    if (parts.length < 3) return null;
    const [phone, scenario, window, trial, frame] = parts;
    const cell = store.index.cells.find(
      (one) => (one.phone || "-") === phone && one.scenario === scenario && one.window === window,
    );
    const whole = (text) => (/^\d+$/.test(text || "") ? Number(text) : null);
    return cell ? { cell, trial: whole(trial), frame: whole(frame) } : null;
  },
};
