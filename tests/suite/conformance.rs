//! Perfetto's own reader and its own config descriptors, held against the lab's traces, our reader, and what we send.
//!
//! They lie beside the repository (`shared/tools`) and are not part of it; where they are absent these tests say so and
//! pass.
#![expect(clippy::disallowed_types, clippy::disallowed_methods, reason = "runs programs of others on files")]

use crate::truth::probes::facts;
use farmjank_frames::FrameTimeline;
use farmjank_frames::frametimeline::{Trace, read_trace};
use farmjank_frames::ftrace::Methods;
use farmjank_lab::archetype::ARCHETYPES;
use farmjank_results::device::App;
use farmjank_results::frame_timeline::{Prediction, PresentType, SurfaceFrame};
use farmjank_seams::probe::Probe;
use farmjank_tests::stage::Stage;
use farmjank_witnesses::perfetto::{reader, rows};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Every phone that has a frame timeline, with a compositor that is at fault now and then.
fn lab() -> String {
    let trouble =
        "slow_cpu: 0.03, slow_gpu: 0.02, display_late: 0.02, mispredicted: 0.03, dropped: 0.02, longest: 2";
    let traced = ARCHETYPES.iter().filter(|archetype| archetype.sdk >= 31);
    let phones = traced
        .map(|one| format!("  - {{ archetype: {0}, serial: {0}, compositor: {{ {trouble} }} }}\n", one.name));
    format!("name: conformance\nphones:\n{}", phones.collect::<String>())
}

const SCENARIO: &str = "
name: Feed
appId: com.example.shop
iterations: 1
warmup: 0
pages: { feed: { link: 'shop://feed', ready: { activity: .FeedActivity } } }
steps:
  - launchApp: { cold: true }
  - openPage: feed
  - measure: fling the feed
    steps: [ { repeat: { times: 4, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 700ms } ] } } ]
";

/// A file of the folder beside the repository.
fn tool(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/tools").join(name);
    if !path.is_file() {
        println!("skipped: {} is not on this machine", path.display());
        return None;
    }
    Some(path)
}

/// The rows of a query, without quotes.
fn ask(reader: &Path, trace: &Path, query: &str) -> Vec<String> {
    rows(reader, trace, query).iter().map(|row| row.replace('"', "")).collect()
}

/// Every frame with a token: times, tokens, process, layer, present of its display frame, and what is said of it.
const FRAMES: &str = "
select s.ts, s.ts + s.dur, s.surface_frame_token, p.pid, s.layer_name, s.present_type, s.on_time_finish,
  s.prediction_type, s.jank_type, iif(s.present_type = 'Dropped Frame', 'none', d.ts + d.dur), iif(e.ts is null, 'none', e.ts), iif(e.ts is null, 'none', e.ts + e.dur)
from actual_frame_timeline_slice s join process p using (upid)
left join actual_frame_timeline_slice d on d.surface_frame_token is null and d.display_frame_token = s.display_frame_token
left join expected_frame_timeline_slice e on e.surface_frame_token = s.surface_frame_token and e.layer_name = s.layer_name and e.upid = s.upid
where s.surface_frame_token > 0 and s.dur >= 0";

/// The words of the bits, as Perfetto says them.
const KINDS: [&str; 11] = [
    "None",
    "SurfaceFlinger Scheduling",
    "Prediction Error",
    "Display HAL",
    "SurfaceFlinger CPU Deadline Missed",
    "SurfaceFlinger GPU Deadline Missed",
    "App Deadline Missed",
    "Buffer Stuffing",
    "Unknown Jank",
    "SurfaceFlinger Stuffing",
    "Dropped Frame",
];

fn row(frame: &SurfaceFrame, offset: i64) -> String {
    let on_boot = |at: farmjank_results::time::DeviceTime| at.ns() + offset;
    let kinds =
        KINDS.iter().enumerate().filter(|(bit, _)| frame.jank & (1 << bit) != 0).map(|(_, kind)| *kind);
    let mut kinds: Vec<&str> = kinds.collect();
    kinds.sort_unstable();
    let present = match frame.present_type {
        PresentType::OnTime => "On-time Present",
        PresentType::Late => "Late Present",
        PresentType::Early => "Early Present",
        PresentType::Dropped => "Dropped Frame",
        PresentType::Unknown => "Unknown Present",
    };
    let prediction = match frame.prediction {
        Prediction::Valid => "Valid Prediction",
        Prediction::Expired => "Expired Prediction",
        Prediction::Unknown => "Unknown Prediction",
    };
    let or_none = |at: Option<farmjank_results::time::DeviceTime>| {
        at.map_or("none".to_owned(), |at| on_boot(at).to_string())
    };
    format!(
        "{},{},{},{},TX - {},{present},{},{prediction},{},{},{},{}",
        on_boot(frame.actual_start),
        on_boot(frame.actual_end),
        frame.token,
        frame.pid,
        frame.layer,
        u8::from(frame.on_time_finish),
        kinds.join("+"),
        or_none(frame.present),
        or_none(frame.expected_start),
        or_none(frame.expected_end),
    )
}

/// Perfetto lists the kinds of jank in an order of its own, with commas between.
fn sorted_kinds(line: &str) -> String {
    let mut cells: Vec<String> = Vec::new();
    for cell in line.split(',') {
        match cell.strip_prefix(' ') {
            Some(more) => cells.last_mut().expect("a first cell").push_str(&format!("+{more}")),
            None => cells.push(cell.to_owned()),
        }
    }
    let mut kinds: Vec<&str> = cells[8].split('+').collect();
    kinds.sort_unstable();
    cells[8] = kinds.join("+");
    cells.join(",")
}

fn ours(trace: &Trace) -> Vec<String> {
    let offset = trace.offset.expect("both clocks").ns();
    let frames = trace.processes.values().flat_map(|frame_timeline| &frame_timeline.frames);
    let mut rows: Vec<String> =
        frames.filter(|frame| frame.token > 0).map(|frame| row(frame, offset)).collect();
    rows.sort_unstable();
    rows
}

#[test]
fn perfetto_reads_the_lab_s_traces_without_an_error_and_as_we_do_row_by_row() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(reader) = reader() else { return };
    let story = Stage::lab_yaml(&lab()).scenario(SCENARIO).run();
    let (mut traces, mut rows) = (0, 0);
    for path in story.files.paths().into_iter().filter(|path| path.ends_with(".perfetto-trace.zst")) {
        let bytes = story.files.read(&path);
        let file = folder.path().join("trial.perfetto-trace");
        std::fs::write(&file, &bytes).expect("a file");
        let errors =
            "select name, severity, value from stats where severity in ('error', 'data_loss') and value > 0";
        assert_eq!(ask(reader, &file, errors), [""; 0], "{path}");
        let mut theirs: Vec<String> =
            ask(reader, &file, FRAMES).iter().map(|line| sorted_kinds(line)).collect();
        theirs.sort_unstable();
        let ours = ours(&read_trace(&bytes).expect("a trace"));
        let first = ours.iter().zip(&theirs).find(|(ours, theirs)| ours != theirs);
        assert!(
            ours == theirs,
            "{path}: {} rows, Perfetto has {}; first {first:#?}",
            ours.len(),
            theirs.len()
        );
        let named = ask(reader, &file, "select count(*) from process where name is not null");
        assert!(named[0].parse::<u32>().is_ok_and(|count| count > 200), "{path}: {named:?} processes");
        (traces, rows) = (traces + 1, rows + ours.len());
    }
    println!("{traces} traces, {rows} frames alike");
    assert!(traces > 4 && rows > 1_000, "{traces} traces, {rows} rows");
}

/// The configuration in the line that begins a recorder, with what is added to it where it may be.
fn config(probe: &dyn Probe, sdk: u32) -> String {
    let line = probe.begin(&facts("pixel-8", sdk), &App("com.example.shop".to_owned()), 1);
    let word =
        |before: &str| Some(line.split_once(before)?.1.split_once('\'').expect("its end").0.to_owned());
    word("echo '").expect("a quoted word") + "\n" + &word("printf %s '").unwrap_or_default()
}

#[test]
fn every_trace_config_we_send_is_taken_by_every_release() {
    let Some(judge) = tool("trace_config_check.py") else { return };
    let frames = FrameTimeline::default();
    let causes = frames.for_causes().expect("a probe of causes");
    let of = |probe: &dyn Probe| (31..=36).map(|sdk| config(probe, sdk)).collect::<Vec<String>>();
    let mut configs = [of(&frames), of(&*causes)].concat();
    configs.dedup();
    assert!(configs.len() == 2 && configs[1].contains("atrace_apps: \"com.example.shop\""), "{configs:?}");
    // Stacks are asked for from Android 13 on, whose release of Perfetto is the first that takes them so.
    let telling = FrameTimeline { methods: Methods { wanted: true, ..Methods::default() } };
    let telling = telling.for_causes().expect("a probe of causes");
    let stacks = of(&*telling);
    assert!(
        stacks.iter().zip(31..).all(|(config, sdk)| config.contains("linux.perf") == (sdk >= 33)),
        "{stacks:?}"
    );
    assert!(stacks[2].contains(r#"filter: "prev_comm == \"om.example.shop\"""#), "{}", stacks[2]);
    // And the one people are told to record for `farmjank causes`.
    let page = include_str!("../../docs/causes.md").split("```");
    configs.extend(
        page.filter(|block| block.starts_with("\nbuffers") && !block.contains("linux.perf\""))
            .map(str::to_owned),
    );
    assert!(configs.last().is_some_and(|last| last.contains("sched_blocked_reason")));
    let added =
        include_str!("../../docs/causes.md").split("```").find(|block| block.contains("linux.perf\""));
    let newer = [stacks[2].clone(), format!("{}{}", configs[1], added.expect("a block of the page"))];
    let every = configs.iter().map(|config| (config.clone(), true, "v12.1"));
    let newer =
        newer.into_iter().flat_map(|config| [(config.clone(), true, "v25.0"), (config, false, "v12.1")]);
    for (config, taken, from) in every.chain(newer).chain([("bufers { }".to_owned(), false, "v12.1")]) {
        let child = Command::new("python3")
            .arg(&judge)
            .args(["-", "--from", from])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut child) = child else {
            println!("skipped: no python3 to run {}", judge.display());
            return;
        };
        child.stdin.take().expect("a pipe").write_all(config.as_bytes()).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.success(), taken, "{said}{config}");
    }
}
