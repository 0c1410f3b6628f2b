//! Traces of a run, handed by the live view to Perfetto's page, and call stacks to the Firefox Profiler: a page that
//! keeps their rules of talking stands in for them, on another origin, and says what it got.

use crate::live::view_with;
use crate::world::{run, write};
use farmjank_witnesses::browser::Browser;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Longest wait for something to be told: only a broken build takes that long.
const PATIENCE: Duration = Duration::from_secs(60);
const LAB: &str = "
name: late
phones:
  - { archetype: pixel-8, serial: P8, apps: [ { id: com.example.shop, pages: {
      main: { activity: .MainActivity, link: 'shop://home', launcher: true },
      feed: { activity: .FeedActivity, link: 'shop://feed', hitch_rate: 0.06, causes: [ { kind: lock } ] } } } ] }
";
const FEED: &str = "
name: Feed
appId: com.example.shop
iterations: 1
warmup: 0
pages: { feed: { link: 'shop://feed', ready: { activity: .FeedActivity } } }
thresholds: { hitch_ms_per_s: 'mean < 1' }
steps:
  - launchApp: { cold: true }
  - openPage: feed
  - measure: fling the feed
    steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 900ms } ]
";
/// What those pages do with messages, and what Perfetto's would be looking at: it answers questions once it is ready,
/// and takes nothing from others than who opened it.
const PAGE: &str = r#"<!doctype html><title>another page</title><script>
let asked = 0;
const tell = (what, body) => fetch(`/told/${what}`, { method: "POST", body });
addEventListener("message", ({ source, data }) => {
  if (source !== opener) return;
  if (data === "PING") { if (++asked > 2) source.postMessage("PONG", "*"); return; }
  if (data.name === "ready:request") { if (++asked > 2) source.postMessage({ name: "ready:response" }, "*"); return; }
  if (data.name === "inject-profile") { tell("profile", JSON.stringify(data.profile)); return; }
  const { buffer, timeStart, timeEnd, ...rest } = data.perfetto;
  if (buffer) tell("trace", buffer).then(() => tell("about", JSON.stringify({ ...rest, hash: location.hash })));
  else tell("range", JSON.stringify({ timeStart, timeEnd, asked }));
});
</script>"#;

/// What such a page told of: what it is, and its bytes.
type Told = (String, Vec<u8>);

/// Such a page, on a port of its own.
fn page() -> (String, Receiver<Told>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let (tell, told) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Some(heard) = stream.ok().and_then(answer) else { continue };
            if tell.send(heard).is_err() {
                return;
            }
        }
    });
    (address, told)
}

/// Answers one request; what was told with it.
fn answer(mut stream: TcpStream) -> Option<Told> {
    let mut from = BufReader::new(stream.try_clone().ok()?);
    let mut first = String::new();
    from.read_line(&mut first).ok()?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        from.read_line(&mut line).ok()?;
        let line = line.trim().to_lowercase();
        if line.is_empty() {
            break;
        }
        length = line.strip_prefix("content-length: ").and_then(|size| size.parse().ok()).unwrap_or(length);
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body).ok()?;
    let is_page = ["GET / ", "GET /from-post-message/ "].iter().any(|start| first.starts_with(start));
    let words = if is_page { PAGE } else { "" };
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{words}",
        words.len()
    )
    .ok()?;
    let what = first.strip_prefix("POST /told/")?.split(' ').next()?.to_owned();
    Some((what, body))
}

fn next(told: &Receiver<Told>, what: &str) -> Vec<u8> {
    let (of, bytes) = told.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no {what} came"));
    assert_eq!(of, what);
    bytes
}

fn told_json(told: &Receiver<Told>, what: &str) -> Value {
    serde_json::from_slice(&next(told, what)).expect("JSON")
}

/// A run whose late frames were traced, and the path of its trace in the bundle.
fn traced(folder: &Path) -> (PathBuf, String) {
    traced_with(folder, LAB, &["--causes"])
}

/// The same on this lab, with these flags.
fn traced_with(folder: &Path, lab: &str, flags: &[&str]) -> (PathBuf, String) {
    write(folder, "lab.yaml", lab);
    write(folder, "s.yaml", FEED);
    let command = ["run", "s.yaml", "--lab", "lab.yaml", "--no-history", "--quiet", "--out", "run"];
    assert_eq!(run(folder, &[&command[..], flags].concat()).code, 1);
    let bundle = folder.join("run");
    let log = std::fs::read_to_string(bundle.join("events.ndjson")).expect("a log");
    let mut traces = log.split('"').filter(|word| word.ends_with(".perfetto-trace.zst"));
    let trace = traces.next_back().expect("the last iteration was traced for it").to_owned();
    (bundle, trace)
}

#[test]
fn a_trace_goes_to_perfettos_page_and_is_looked_at_where_the_frame_is() {
    let Some(browser) = Browser::start("handed") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (bundle, trace) = traced(folder.path());
    let packed = std::fs::read(bundle.join(&trace)).expect("a trace");
    let unpacked = zstd::decode_all(&*packed).expect("zstd");
    let (address, told) = page();
    let served = view_with(folder.path(), &bundle, &["--perfetto-ui", &format!("{address}/")]);
    browser.visit(&format!("http://{}/{}/#P8/Feed/fling%20the%20feed", served.host, served.token));

    // The picture of a frame looks as it does in a file, whatever the view has beside it.
    let tracks = "[...new Set([...document.querySelectorAll('figure .lane-track')].map((one) => { \
                  const box = one.getBoundingClientRect(); return `${box.left} ${box.width > 400}`; }))].join()";
    let at = browser.text(tracks);
    assert!(at.ends_with(" true") && !at.contains(','), "lanes stand one above the other: {at}");

    // The worst frame first: the page gets the whole trace, and begins where that frame is.
    browser.press(".late > li .perfetto");
    assert!(next(&told, "trace") == unpacked, "the trace as it was recorded");
    let about = told_json(&told, "about");
    assert_eq!(about["title"], "Feed · fling the feed · P8");
    assert_eq!(about["fileName"], "job-0-trial-1-trial.perfetto-trace");
    assert_eq!(about["keepApiOpen"], true);
    let picture = browser.eval("document.querySelector('.late > li .when').title");
    let hash = about["hash"].as_str().expect("where to look");
    let number = |name: &str| -> f64 {
        let after = hash.split_once(name).unwrap_or_else(|| panic!("{name} is not in {hash}")).1;
        after.split('&').next().and_then(|ns| ns.parse().ok()).expect("ns")
    };
    let (from, until) = (number("visStart="), number("visEnd="));
    let seconds: f64 = picture.as_str().and_then(|words| words.split(' ').next()?.parse().ok()).expect("s");
    assert!((from / 1e9 - seconds).abs() < 1e-6, "{from} ns is {seconds} s");
    assert!((10e6..500e6).contains(&(until - from)), "{} ns of it are looked at", until - from);

    // Another frame of it: the window has the trace already.
    browser.press(".late > li:nth-child(2) .perfetto");
    let range = told_json(&told, "range");
    let (from, until) = (range["timeStart"].as_f64().expect("s"), range["timeEnd"].as_f64().expect("s"));
    assert!(from > 1.0 && (0.01..0.5).contains(&(until - from)), "{range}");
    assert_eq!(
        browser
            .text("[...document.querySelectorAll('.hand-button span')].map((one) => one.innerText).join('')"),
        ""
    );
    assert_eq!(browser.complaints(), Vec::<String>::new(), "the console is silent");

    // What cannot be read is said where it was asked for.
    std::fs::write(bundle.join(&trace), b"").expect("emptied");
    browser.visit("about:blank");
    browser.visit(&format!("http://{}/{}/#P8/Feed/fling%20the%20feed", served.host, served.token));
    browser.press(".trace .perfetto");
    let said = "new Promise((done) => { const look = () => { const said = document.querySelector('.trace .hand-button span').innerText; \
                if (said.includes('did not')) done(said); else setTimeout(look, 50); }; look(); })";
    assert!(
        browser.text(said).contains(&format!("it did not open: {trace} is empty")),
        "{}",
        browser.text(said)
    );
}

#[test]
fn a_frame_of_one_of_several_traced_iterations_opens_the_trace_of_that_one() {
    let Some(browser) = Browser::start("handed-always") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (bundle, _) = traced_with(folder.path(), LAB, &["--causes=always", "--iterations", "3"]);
    let (address, told) = page();
    let served = view_with(folder.path(), &bundle, &["--perfetto-ui", &format!("{address}/")]);
    browser.visit(&format!("http://{}/{}/#P8/Feed/fling%20the%20feed", served.host, served.token));
    let title = browser.text("document.querySelector('.late > li .when').title");
    let trace = title.rsplit(' ').next().expect("its trace");
    let unpacked = zstd::decode_all(&*std::fs::read(bundle.join(trace)).expect("it is in the bundle"));
    browser.press(".late > li .perfetto");
    assert!(next(&told, "trace") == unpacked.expect("zstd"), "the trace of its own iteration, {trace}");
    let hash = told_json(&told, "about")["hash"].as_str().expect("where to look").to_owned();
    let seconds: f64 = title.split(' ').next().and_then(|words| words.parse().ok()).expect("s");
    let from = hash.split_once("visStart=").and_then(|(_, rest)| rest.split('&').next()?.parse::<f64>().ok());
    assert!((from.expect("ns") / 1e9 - seconds).abs() < 1e-6, "{hash} and {title}");
    // Every frame has one, and they are of different iterations.
    let titles =
        browser.text("[...document.querySelectorAll('.late > li .when')].map((one) => one.title).join()");
    let traces: std::collections::BTreeSet<&str> =
        titles.split(',').filter_map(|title| title.rsplit(' ').next()).collect();
    assert!(
        traces.len() > 1 && traces.iter().all(|trace| trace.ends_with(".perfetto-trace.zst")),
        "{traces:?}"
    );
    assert_eq!(browser.complaints(), Vec::<String>::new(), "the console is silent");
}

#[test]
fn a_file_hands_no_trace_over_and_a_view_gives_only_traces_the_log_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let (bundle, trace) = traced(folder.path());
    let page = std::fs::read_to_string(bundle.join("report.html")).expect("a report");
    assert!(!page.contains("name=\"farmjank-perfetto\""), "a file asks nobody for anything");
    let served = view_with(folder.path(), &bundle, &[]);
    assert!(
        served.get("").body.contains("<meta name=\"farmjank-perfetto\" content=\"https://ui.perfetto.dev\">")
    );
    let log = std::fs::read_to_string(bundle.join("events.ndjson")).expect("a log");
    let dumps = log.split('"').find(|word| word.ends_with(".dumps.zst")).expect("dumps are evidence, too");
    assert!(bundle.join(dumps).is_file(), "{dumps}");
    let other = bundle.join("evidence/other.perfetto-trace");
    std::fs::write(&other, b"secret").expect("written");
    for path in [dumps, "evidence/other.perfetto-trace", &format!("../run/{trace}"), &format!("{trace}/")] {
        assert_eq!(served.get(path).status, 404, "{path}");
    }
    // A trace that leads out of the bundle is none of it.
    std::fs::remove_file(bundle.join(&trace)).expect("removed");
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path().join("s.yaml"), bundle.join(&trace)).expect("a link");
    let refused = served.get(&trace);
    assert_eq!(refused.status, 404, "{}", refused.body);
    assert!(refused.body.contains(&trace) && !refused.body.contains("appId"), "{}", refused.body);
    for wrong in ["ui.perfetto.dev", "javascript:alert(1)"] {
        let refused = run(folder.path(), &["view", "run", "--perfetto-ui", wrong]);
        assert_eq!(refused.code, 2);
        assert!(refused.err.contains("it has to be an address such as"), "{}", refused.err);
    }
}

#[test]
fn call_stacks_of_late_frames_go_to_the_firefox_profiler_and_to_programs_that_draw_them() {
    let Some(browser) = Browser::start("handed-stacks") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let lab = LAB
        .replace("{ kind: lock }", "{ kind: unknown, method: net_await }")
        .replace("id: com.example.shop,", "id: com.example.shop, profileable: true,");
    let (bundle, _) = traced_with(folder.path(), &lab, &["--stacks"]);
    let (address, told) = page();
    let served = view_with(folder.path(), &bundle, &["--firefox-ui", &address]);
    browser.visit(&format!("http://{}/{}/#P8/Feed/fling%20the%20feed", served.host, served.token));
    browser.press(".trace .firefox");
    let profile = told_json(&told, "profile");
    let thread = &profile["threads"][0];
    assert_eq!((&thread["isMainThread"], &thread["processName"]), (&true.into(), &"com.example.shop".into()));
    let text = profile.to_string();
    for method in ["com.example.shop.Net.await", "java.lang.Object.wait", "Off CPU"] {
        assert!(text.contains(method), "{method}");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new(), "the console is silent");
    for path in ["profile/events.ndjson", "profile/../run/results.json"] {
        assert_eq!(served.get(path).status, 404, "{path}");
    }

    let told = |form: &str| run(folder.path(), &["causes", "run", "P8/Feed", "--export", form]);
    let folded = told("folded");
    assert!(
        folded.out.lines().any(|line| line.contains("FeedLoader.load;com.example.shop.Net.await;")),
        "{}",
        folded.out
    );
    for form in ["speedscope", "firefox"] {
        serde_json::from_str::<Value>(&told(form).out).expect("JSON");
    }
    let other = tempfile::tempdir().expect("a folder");
    let (whole, _) = traced(other.path());
    let without = run(&whole, &["causes", ".", "P8/Feed", "--export", "folded"]);
    assert_eq!(without.code, 2);
    assert!(without.err.contains("run it with --stacks"), "{}", without.err);
}
