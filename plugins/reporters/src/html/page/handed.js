// A trace of the bundle in Perfetto's own page, and call stacks in the Firefox Profiler's: only where this page is
// served, because a file may read no other file. They go from this browser window to the other one; those pages keep
// them in the browser.

const PERFETTO = document.querySelector("meta[name=farmjank-perfetto]")?.content || null,
  FIREFOX = document.querySelector("meta[name=farmjank-firefox]")?.content || null;
// Time a page may take to answer, and between two questions, ms.
const ANSWER = 60000,
  ASK = 100;
// The window that has a trace already, by the trace's path.
const traceWindows = new Map();

// Comes once the page in that window answers a question.
function listens(target, page, question, isAnswer) {
  return new Promise((done, failed) => {
    const since = Date.now();
    const heard = (event) => {
      if (event.source !== target || !isAnswer(event.data)) return;
      over();
      done();
    };
    const asking = setInterval(() => {
      if (target.closed) return over(), failed(new Error("its window was closed"));
      if (Date.now() - since > ANSWER) {
        over();
        return failed(new Error(`nothing answers at ${page}; can this computer reach it?`));
      }
      target.postMessage(question, new URL(page).origin);
    }, ASK);
    const over = () => {
      clearInterval(asking);
      removeEventListener("message", heard);
    };
    addEventListener("message", heard);
  });
}

// A window for a page, before anything is waited for: a browser opens none long after the click.
function opened(address) {
  const target = window.open(address);
  if (!target) throw new Error("this browser opened no window; allow this page to, and click again");
  return target;
}

const addressOf = (path) => path.split("/").map(encodeURIComponent).join("/");

async function traceBytes(path) {
  const answer = await fetch(addressOf(path));
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
  const seen = range ? `#!/?visStart=${range[0]}000&visEnd=${range[1]}000` : "";
  const target = opened(`${PERFETTO}/${seen}`),
    answers = listens(target, PERFETTO, "PING", (answer) => answer === "PONG");
  const [buffer] = await Promise.all([traceBytes(path), answers]);
  const fileName = `${path.replace(/\.zst$/, "").split("/").slice(-3).join("-")}`;
  target.postMessage({ perfetto: { buffer, title, fileName, keepApiOpen: true } }, origin, [buffer]);
  traceWindows.set(path, target);
}

// `path`: of the pictures that have stacks.
async function openStacks(path) {
  const target = opened(`${FIREFOX}/from-post-message/`),
    answers = listens(target, FIREFOX, { name: "ready:request" }, (answer) => answer?.name === "ready:response");
  const fetched = fetch(`profile/${addressOf(path)}`).then(async (answer) => {
    if (!answer.ok) throw new Error((await answer.text()).trim());
    return answer.json();
  });
  const [profile] = await Promise.all([fetched, answers]);
  target.postMessage({ name: "inject-profile", profile }, new URL(FIREFOX).origin);
}

// A button that hands something over, and says what became of it.
function handButton(look, words, page, hand) {
  const said = el("span", { class: "quiet", role: "status" });
  const button = el(
    "button",
    {
      class: look,
      title: `it goes to a window of ${page}, which keeps it in this browser`,
      onclick: async () => {
        button.disabled = true;
        clear(said, "it is read…");
        // A window that is not opened is no promise yet.
        const what = await (async () => hand())().then(
          () => "",
          (why) => `it did not open: ${why.message}`,
        );
        clear(said, what);
        button.disabled = false;
      },
    },
    words,
  );
  return el("span", { class: "hand-button" }, button, said);
}

// Buttons for a trace, and for stacks; none on a page that is a file.
const perfettoButton = (trace, range) =>
  PERFETTO && trace.path ? handButton("perfetto", "open in Perfetto", PERFETTO, () => openTrace(trace, range)) : null;
const firefoxButton = (path) =>
  FIREFOX && path ? handButton("firefox", "stacks in the Firefox Profiler", FIREFOX, () => openStacks(path)) : null;
