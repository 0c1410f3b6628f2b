// A trace of the bundle in Perfetto's own page: only where this page is served, because a file may read no other file.
// The trace goes from this browser window to the other one; that page keeps it in the browser.

const PERFETTO = document.querySelector("meta[name=farmjank-perfetto]")?.content || null;
// Time a page may take to answer, and between two questions, ms.
const ANSWER = 60000,
  ASK = 100;
// The window that has a trace already, by the trace's path.
const traceWindows = new Map();

// Comes once the page in that window listens.
function listens(target) {
  return new Promise((done, failed) => {
    const since = Date.now();
    const heard = (event) => {
      if (event.source !== target || event.data !== "PONG") return;
      over();
      done();
    };
    const asking = setInterval(() => {
      if (target.closed) return over(), failed(new Error("its window was closed"));
      if (Date.now() - since > ANSWER) {
        over();
        return failed(new Error(`nothing answers at ${PERFETTO}; can this computer reach it?`));
      }
      target.postMessage("PING", new URL(PERFETTO).origin);
    }, ASK);
    const over = () => {
      clearInterval(asking);
      removeEventListener("message", heard);
    };
    addEventListener("message", heard);
  });
}

async function traceBytes(path) {
  const answer = await fetch(path.split("/").map(encodeURIComponent).join("/"));
  if (!answer.ok) throw new Error((await answer.text()).trim());
  const bytes = await answer.arrayBuffer();
  if (!bytes.byteLength) throw new Error(`${path} is empty`);
  return bytes;
}

// `range`: µs of the trace's clock, from and until.
async function openTrace({ path, title }, range) {
  const origin = new URL(PERFETTO).origin,
    known = traceWindows.get(path);
  if (known && !known.closed) {
    if (range) {
      const [timeStart, timeEnd] = range.map((us) => us / 1e6);
      known.postMessage({ perfetto: { timeStart, timeEnd, viewPercentage: 0.8, keepApiOpen: true } }, origin);
    }
    known.focus();
    return;
  }
  // Before anything is waited for: a browser opens no window long after the click.
  const seen = range ? `#!/?visStart=${range[0]}000&visEnd=${range[1]}000` : "";
  const target = window.open(`${PERFETTO}/${seen}`);
  if (!target) throw new Error("this browser opened no window; allow this page to, and click again");
  const [buffer] = await Promise.all([traceBytes(path), listens(target)]);
  const fileName = `${path.replace(/\.zst$/, "").split("/").slice(-3).join("-")}`;
  target.postMessage({ perfetto: { buffer, title, fileName, keepApiOpen: true } }, origin, [buffer]);
  traceWindows.set(path, target);
}

// A button that opens a trace; none on a page that is a file.
function perfettoButton(trace, range) {
  if (!PERFETTO || !trace) return null;
  const said = el("span", { class: "quiet", role: "status" });
  const button = el(
    "button",
    {
      class: "perfetto",
      title: `the trace goes to a window of ${PERFETTO}, which keeps it in this browser`,
      onclick: async () => {
        button.disabled = true;
        clear(said, "the trace is read…");
        const what = await openTrace(trace, range).then(
          () => "",
          (why) => `it did not open: ${why.message}`,
        );
        clear(said, what);
        button.disabled = false;
      },
    },
    "open in Perfetto",
  );
  return el("span", { class: "perfetto-button" }, button, said);
}
