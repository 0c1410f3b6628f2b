// What a script finds: `output`, `maestro`, `json`, `console`, and no way out. `farmjank` is told once and taken away.
(function (told) {
  "use strict";
  const lines = [];
  const say = (...words) => {
    if (lines.length < told.lines) lines.push(words.map(String).join(" ").slice(0, told.letters));
  };
  const refused = (what) => () => {
    throw new Error(
      `${what} is not there: scripts of a scenario reach no network; give what they would ask for with -e NAME=VALUE`,
    );
  };
  // Chance that repeats with the seed of the run (mulberry32).
  let state = told.seed >>> 0;
  Math.random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const Real = Date;
  const now = () => told.now;
  globalThis.Date = class Date extends Real {
    constructor(...given) {
      super(...(given.length ? given : [now()]));
    }
    static now() {
      return now();
    }
  };
  const http = {};
  for (const verb of ["get", "post", "put", "patch", "delete", "request", "multipartForm"]) {
    http[verb] = refused(`http.${verb}`);
  }
  const set = (name, value) => Object.defineProperty(globalThis, name, { value, writable: true, enumerable: true });
  set("output", {});
  set("maestro", { platform: "android", copiedText: "" });
  set("console", { log: say, info: say, warn: say, error: say, debug: say });
  set("http", http);
  set("fetch", refused("fetch"));
  set("json", (text) => JSON.parse(text));
  return {
    evaluate: (source) => String((0, eval)(source)),
    tick: (ms) => void (told.now = ms),
    said: () => lines.splice(0),
    copied: (text) => void (maestro.copiedText = text),
  };
})
