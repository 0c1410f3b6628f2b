// The data of the page: the index, the cells by key, and each cell's depth, unpacked when it is opened.

const store = {
  index: null, cells: new Map(), phones: new Map(), scenarios: new Map(), metrics: new Map(), sent: new Map(), opened: new Map(),

  take(index) {
    this.index = index;
    for (const cell of index.cells) this.cells.set(cell.key, cell);
    for (const phone of index.phones) this.phones.set(phone.serial, phone);
    for (const scenario of index.scenarios) this.scenarios.set(scenario.name, scenario);
    for (const family of index.families) for (const [key, unit, better, about] of family.metrics) {
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
    this.index.cells = [...this.cells.values()].sort((a, b) => this.badness(a) - this.badness(b) || b.excess - a.excess);
  },

  badness: (cell) => ["fail", "broken", "undecided", "unjudged", "pass"].indexOf(cell.verdict),

  // One cell in depth: { detail, strips: bars per iteration or null }.
  open(key) {
    if (this.opened.has(key)) return this.opened.get(key);
    const node = document.getElementById(`cell-${key}`);
    const packed = this.sent.get(key) || (node && node.textContent);
    if (!packed) return null;
    const bytes = inflate(Uint8Array.from(atob(packed), (c) => c.charCodeAt(0)));
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    const detail = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
    const rest = bytes.subarray(4 + length);
    const strips = detail.iterations.map(({ strip }) => (strip ? readStrip(rest.subarray(strip[0], strip[0] + strip[1])) : null));
    const made = { detail, strips, rest };
    this.opened.set(key, made);
    return made;
  },
};

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
    try { parts = hash.replace(/^#/, "").split("/").map(decodeURIComponent); } catch { return null; }
    if (parts.length < 3) return null;
    const [phone, scenario, window, trial, frame] = parts;
    const cell = store.index.cells.find((one) => (one.phone || "-") === phone && one.scenario === scenario && one.window === window);
    const whole = (text) => (/^\d+$/.test(text || "") ? Number(text) : null);
    return cell ? { cell, trial: whole(trial), frame: whole(frame) } : null;
  },
};
