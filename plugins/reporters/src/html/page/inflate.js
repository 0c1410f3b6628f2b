// Deflate (RFC 1951), unpacked here: browsers that have it built in only have it asynchronous, and some have not.

const inflate = (() => {
  const LENGTHS = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
  const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
  const FAR = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577];
  const FAR_BITS = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13];
  const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

  // Canonical Huffman codes: how many of each length, and the symbols in order.
  const tree = (lengths) => {
    const counts = new Uint16Array(16), places = new Uint16Array(16), symbols = new Uint16Array(lengths.length);
    for (const length of lengths) counts[length]++;
    counts[0] = 0;
    for (let n = 1; n < 16; n++) places[n] = places[n - 1] + counts[n - 1];
    lengths.forEach((length, symbol) => { if (length) symbols[places[length]++] = symbol; });
    return { counts, symbols };
  };
  const fixed = [
    tree(Array.from({ length: 288 }, (_, n) => (n < 144 ? 8 : n < 256 ? 9 : n < 280 ? 7 : 8))),
    tree(new Array(30).fill(5)),
  ];

  return (input) => {
    let at = 0, held = 0, holds = 0, out = new Uint8Array(Math.max(1024, input.length * 4)), end = 0;
    const bits = (count) => {
      while (holds < count) {
        if (at >= input.length) throw new Error("the data of this cell is cut off");
        held |= input[at++] << holds;
        holds += 8;
      }
      const value = held & ((1 << count) - 1);
      held >>>= count;
      holds -= count;
      return value;
    };
    const symbol = ({ counts, symbols }) => {
      let code = 0, first = 0, place = 0;
      for (let n = 1; n < 16; n++) {
        code |= bits(1);
        const count = counts[n];
        if (code - first < count) return symbols[place + code - first];
        place += count;
        first = (first + count) << 1;
        code <<= 1;
      }
      throw new Error("the data of this cell is damaged");
    };
    const room = (more) => {
      if (end + more <= out.length) return;
      const larger = new Uint8Array(Math.max(out.length * 2, end + more));
      larger.set(out);
      out = larger;
    };
    const trees = () => {
      const literals = bits(5) + 257, distances = bits(5) + 1, codes = bits(4) + 4;
      const small = new Array(19).fill(0);
      for (let n = 0; n < codes; n++) small[ORDER[n]] = bits(3);
      const code = tree(small), lengths = [];
      while (lengths.length < literals + distances) {
        const one = symbol(code);
        if (one < 16) lengths.push(one);
        else {
          const before = one === 16 ? lengths[lengths.length - 1] : 0;
          const times = one === 16 ? 3 + bits(2) : one === 17 ? 3 + bits(3) : 11 + bits(7);
          for (let n = 0; n < times; n++) lengths.push(before);
        }
      }
      return [tree(lengths.slice(0, literals)), tree(lengths.slice(literals))];
    };
    for (let last = false; !last;) {
      last = bits(1) === 1;
      const kind = bits(2);
      if (kind === 0) {
        held = holds = 0;
        const length = input[at] | (input[at + 1] << 8);
        at += 4;
        room(length);
        out.set(input.subarray(at, at + length), end);
        at += length;
        end += length;
        continue;
      }
      const [literal, distance] = kind === 1 ? fixed : trees();
      for (;;) {
        let one = symbol(literal);
        if (one < 256) {
          room(1);
          out[end++] = one;
        } else if (one === 256) break;
        else {
          one -= 257;
          const length = LENGTHS[one] + bits(LENGTH_BITS[one]), code = symbol(distance);
          const from = end - (FAR[code] + bits(FAR_BITS[code]));
          if (!(from >= 0)) throw new Error("the data of this cell is damaged");
          room(length);
          for (let n = 0; n < length; n++) out[end++] = out[from + n];
        }
      }
    }
    return out.subarray(0, end);
  };
})();
