//! Recording why frames are late, around a trial: the frame timeline as ever, and what the kernel's tracer and the
//! marks of the app tell of threads. Costlier than the frame timeline alone, and long: it is fetched in pieces.
//!
//! Every word of the configuration is known to every release from Android 12 on: one that is not voids all of them
//! (docs/causes.md, "What to record"). Call stacks are asked for from Android 13 on, of apps that let themselves be
//! looked into: the phone itself says whether one does. Older phones have simpleperf record them beside it. Sizes in
//! kB, durations in ms.

use super::{Explain, Methods};
use crate::frametimeline::frames_of;
use crate::frametimeline::recorder::{self, LONGEST_MS};
use farmjank_results::device::{App, DeviceFacts};
use farmjank_results::frame::SourceId;
use farmjank_results::reader::CauseReader;
use farmjank_results::side_reading::SideReading;
use farmjank_results::time::ClockMap;
use farmjank_seams::probe::{Companion, Left, Probe, ProbeOutput, ProbeReader, Scope};
use farmjank_seams::quote::quote;
use farmjank_seams::source::{Unfit, Unreadable};

/// Buffer of the kernel's events: two minutes of the busiest second seen, ten of a usual one.
const KERNEL_KB: u32 = 64 * 1024;
/// Buffer of frames and processes, which must not be washed out by slices.
const FRAMES_KB: u32 = 8 * 1024;
/// Room for each CPU between two readings.
const PER_CPU_KB: u32 = 8 * 1024;

/// What the kernel is asked for. What a phone does not have, or does not let be traced, its tracer leaves out.
const EVENTS: [&str; 13] = [
    "sched/sched_switch",
    "sched/sched_waking",
    "sched/sched_wakeup",
    "sched/sched_blocked_reason",
    "task/task_newtask",
    "task/task_rename",
    "power/cpu_frequency",
    "power/cpu_frequency_limits",
    "binder/binder_transaction",
    "binder/binder_transaction_received",
    "vmscan/mm_vmscan_direct_reclaim_begin",
    "vmscan/mm_vmscan_direct_reclaim_end",
    "ftrace/print",
];
/// Marks of the platform: frames, views, touches, windows, activities, ART, resources, calls.
const MARKS: [&str; 8] = ["gfx", "view", "input", "wm", "am", "dalvik", "res", "binder_driver"];

/// Buffer of call stacks: the first minutes are kept, as later ones are numbered by what was said first.
const STACKS_KB: u32 = 32 * 1024;
/// Stacks a second, of each CPU: what is advised for code that ART runs.
const HERTZ: u32 = 200;
/// Room for stacks of each CPU between two readings, in pages: a busy main thread leaves its CPU some hundred times a
/// second, and every time its stack is copied.
const PAGES: u32 = 2048;
/// What the kernel keeps of a thread's name, bytes: of a process's first thread the end of it.
const COMM: usize = 15;

/// Records why frames of the app are late.
#[derive(Clone, Debug, Default)]
pub struct CauseTrace {
    /// Call stacks are recorded, too.
    pub methods: Methods,
}

/// A package's name, and nothing else.
fn is_plain(app: &App) -> bool {
    app.0.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_'))
}

/// What is recorded. No quote and nothing a shell could expand in it: of a name that is no package's nothing is asked.
fn config(app: &App) -> String {
    let list = |key: &str, names: &[&str]| -> String {
        names.iter().map(|name| format!("{key}: \"{name}\" ")).collect()
    };
    let marks_of = match is_plain(app) {
        true => format!("atrace_apps: \"{}\" ", app.0),
        false => String::new(),
    };
    format!(
        "buffers {{ size_kb: {KERNEL_KB} fill_policy: RING_BUFFER }} \
         buffers {{ size_kb: {FRAMES_KB} fill_policy: RING_BUFFER }} \
         data_sources {{ config {{ name: \"linux.ftrace\" target_buffer: 0 ftrace_config {{ \
         {}{}{marks_of}compact_sched {{ enabled: true }} buffer_size_kb: {PER_CPU_KB} }} }} }} \
         data_sources {{ config {{ name: \"linux.process_stats\" target_buffer: 1 process_stats_config {{ \
         scan_all_processes_on_start: true record_thread_names: true }} }} }} \
         data_sources {{ config {{ name: \"android.surfaceflinger.frametimeline\" target_buffer: 1 }} }} \
         data_sources {{ config {{ name: \"linux.system_info\" target_buffer: 1 }} }} \
         duration_ms: {LONGEST_MS} flush_timeout_ms: 5000",
        list("ftrace_events", &EVENTS),
        list("atrace_categories", &MARKS),
    )
}

/// What of call stacks is recorded: of the app what runs in steps of time and where main leaves its CPU; of everybody
/// where main is woken. It goes into a buffer of its own.
fn stacks(app: &App) -> String {
    let name = &app.0;
    let comm = &name[name.len().saturating_sub(COMM)..];
    let source = |timebase: &str, sampling: &str, room: &str| {
        format!(
            " data_sources {{ config {{ name: \"linux.perf\" target_buffer: 2 perf_event_config {{ \
             timebase {{ {timebase} timestamp_clock: PERF_CLOCK_BOOTTIME }} callstack_sampling {{ {sampling}}} {room}}} }} }}"
        )
    };
    let scope = format!("scope {{ target_cmdline: \"{name}\" }} ");
    let room = format!("ring_buffer_pages: {PAGES} ");
    let at = |event: &str, field: &str| {
        // The kernel wants the name in quotes, inside a text that has its own.
        format!("period: 1 tracepoint {{ name: \"sched/{event}\" filter: \"{field} == \\\"{comm}\\\"\" }}")
    };
    [
        format!("buffers {{ size_kb: {STACKS_KB} fill_policy: DISCARD }}"),
        source(
            &format!("counter: SW_CPU_CLOCK frequency: {HERTZ}"),
            &format!("{scope}kernel_frames: false "),
            "",
        ),
        source(&at("sched_switch", "prev_comm"), &scope, &room),
        source(&at("sched_waking", "comm"), "", &room),
    ]
    .concat()
}

/// Shell lines that print what of call stacks is recorded: nothing where the phone or the app gives none. What a
/// package is only the phone knows, and only now: a build may just have been installed.
fn more(facts: &DeviceFacts, app: &App) -> Option<String> {
    if u64::from(facts.sdk) < crate::stacks::SDK || !is_plain(app) {
        return None;
    }
    // Not by `echo`: it would read what is behind a backslash.
    let print = format!("printf %s {}", quote(&stacks(app)));
    // `google/panther/panther:14/AP1A.240305/1:user/release-keys`; other builds let everything be looked into.
    let kind = facts.fingerprint.rsplit('/').nth(1).and_then(|part| part.rsplit(':').next());
    Some(match kind {
        Some("userdebug" | "eng") => print,
        _ => format!(
            "if dumpsys package {} | \
             grep -cE '^ *(flags|pkgFlags|privateFlags|privatePkgFlags)=.* (DEBUGGABLE|PROFILEABLE_BY_SHELL) ' >/dev/null; \
             then {print}; fi",
            quote(&app.0)
        ),
    })
}

impl ProbeReader for CauseTrace {
    fn id(&self) -> SourceId {
        SourceId::FrameTimeline
    }

    fn file(&self) -> &'static str {
        "trial.perfetto-trace"
    }

    fn beside(&self) -> Option<&'static str> {
        Some(crate::stacks::BESIDE)
    }

    fn read(
        &self,
        output: &ProbeOutput,
        app: &App,
        clock: Option<ClockMap>,
    ) -> Result<SideReading, Unreadable> {
        let mut reader = crate::frametimeline::TraceReader::default();
        reader.feed(&output.bytes);
        Ok(SideReading::Timeline(frames_of(&reader.finish()?, app, clock)?))
    }

    fn causes(&self, app: &App, clock: Option<ClockMap>) -> Option<Box<dyn CauseReader>> {
        Some(Box::new(Explain::new(app, clock, self.methods.clone())))
    }
}

impl Probe for CauseTrace {
    fn scope(&self) -> Scope {
        Scope::Trial
    }

    fn offer(&self, facts: &DeviceFacts) -> Result<(), Unfit> {
        recorder::offer(facts)
    }

    fn begin(&self, facts: &DeviceFacts, app: &App, nonce: u64) -> String {
        let more = self.methods.wanted.then(|| more(facts, app)).flatten();
        recorder::begin(facts, &config(app), more.as_deref(), nonce)
    }

    fn end(&self, _facts: &DeviceFacts, _app: &App, _nonce: u64, mark: &[u8]) -> String {
        format!("{}true", recorder::stop(mark))
    }

    fn left(&self, nonce: u64) -> Option<Left> {
        Some(recorder::left(nonce))
    }

    fn companion(&self, facts: &DeviceFacts, app: &App, nonce: u64) -> Option<Companion> {
        let older = u64::from(facts.sdk) < crate::stacks::SDK;
        (self.methods.wanted && older && is_plain(app)).then(|| crate::stacks::companion(app, nonce))
    }
}
