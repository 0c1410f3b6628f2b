//! Recording a trace around a trial: the shell lines that start and end it, and what they leave (nothing).
//!
//! The configuration goes in by a pipe inside the phone's shell: reading a configuration file is forbidden on some
//! builds, and adb's own input may close early. Android 12 can only be told to go to the background; from 13 on the
//! line waits until every data source has started. Durations in ms, sizes in kB.
//!
//! A recorder whose end nobody asked for (a cable pulled, a run killed) goes on by itself. Its name and process are
//! noted on the phone while it runs; the next beginning ends what is noted, if it still is that recorder, and takes its
//! file away.

use super::{TraceReader, trace::Trace};
use crate::ftrace::CauseTrace;
use crate::text::shown;
use farmjank_results::device::{App, DeviceFacts};
use farmjank_results::frame::SourceId;
use farmjank_results::frame_timeline::SurfaceFrames;
use farmjank_results::side_reading::SideReading;
use farmjank_results::time::ClockMap;
use farmjank_seams::probe::{Left, Probe, ProbeOutput, ProbeReader, Scope};
use farmjank_seams::quote::quote;
use farmjank_seams::source::{Unfit, Unreadable};
use std::collections::BTreeMap;
use std::rc::Rc;

/// First release with a frame timeline.
const SDK: u32 = 31;
/// First release whose `perfetto` can wait for its data sources.
const WAITS: u32 = 33;
/// The one folder `perfetto` may write to.
const FOLDER: &str = "/data/misc/perfetto-traces";
/// Ring buffer: hours of frames, as frame timeline alone writes a few hundred bytes a frame.
const BUFFER_KB: u32 = 32 * 1024;
/// Longest trace, so that none runs on for long where its end was never asked for and nobody comes back.
const LONGEST_MS: u32 = 10 * 60 * 1000;
/// Where the recorder that runs is noted: its name, then what it printed when it began.
const NOTED: &str = "/data/local/tmp/farmjank-recorder";
/// Most digits of a process number.
const DIGITS: usize = 10;

/// Records SurfaceFlinger's frame timeline.
#[derive(Clone, Copy, Debug, Default)]
pub struct FrameTimeline;

/// What is recorded. No quote and nothing a shell could expand in it.
fn config() -> String {
    format!(
        "buffers {{ size_kb: {BUFFER_KB} fill_policy: RING_BUFFER }} \
         data_sources {{ config {{ name: \"android.surfaceflinger.frametimeline\" }} }} \
         data_sources {{ config {{ name: \"linux.process_stats\" \
         process_stats_config {{ scan_all_processes_on_start: true }} }} }} \
         duration_ms: {LONGEST_MS} flush_timeout_ms: 5000"
    )
}

/// Records what `config` says, with no quote and nothing a shell could expand in it, and tells its process.
pub(crate) fn begin(facts: &DeviceFacts, config: &str, nonce: u64) -> String {
    let config = quote(config);
    let path = quote(&path(nonce));
    let name = name(nonce);
    let (how, then) = if facts.sdk >= WAITS {
        ("--background-wait", "")
    } else {
        // Nothing tells when the data sources have started; on a slow phone it takes half a second.
        ("--background", "; sleep 1")
    };
    // The pipe's status is that of its last command.
    format!(
        "{}{{ echo {name}; echo {config} | perfetto -c - --txt {how} -o {path}; }} > {NOTED}; s=$?; \
         if [ $s = 0 ]; then cat {NOTED}{then}; else rm -f {NOTED}; fi; exit $s",
        sweep()
    )
}

/// Ends the recorder that told its process so, and waits for its file.
pub(crate) fn stop(mark: &[u8]) -> String {
    // Writing out takes as long as it takes, ten seconds at most; after that it is ended the hard way. By now the
    // number may be another process's: that is left alone.
    recorder(mark).map_or_else(String::new, |pid| {
        format!(
            "if [ ! -e /proc/{pid}/cmdline ] || grep -q perfetto /proc/{pid}/cmdline; then \
             kill -INT {pid} 2>/dev/null; n=0; \
             while kill -0 {pid} 2>/dev/null && [ $n -lt 100 ]; do sleep 0.1; n=$((n+1)); done; \
             [ $n -lt 100 ] || kill -KILL {pid} 2>/dev/null; fi; "
        )
    })
}

/// What a recorder leaves, and how it is taken away.
pub(crate) fn left(nonce: u64) -> Left {
    let path = path(nonce);
    let discard = format!("rm -f {} {NOTED}", quote(&path));
    Left { path, discard }
}

/// Why a phone records no frame timeline.
///
/// # Errors
/// [`Unfit`], in words.
pub(crate) fn offer(facts: &DeviceFacts) -> Result<(), Unfit> {
    if facts.sdk >= SDK {
        return Ok(());
    }
    let release = &facts.release;
    Err(Unfit(format!(
        "the phone has no frame timeline: it runs Android {release}, and Android 12 is the first with one"
    )))
}

/// Name of a recorder: no other process has it on its command line.
fn name(nonce: u64) -> String {
    format!("farmjank-{nonce:016x}")
}

/// Where the trace lies on the phone while it is recorded.
fn path(nonce: u64) -> String {
    format!("{FOLDER}/{}.perfetto-trace", name(nonce))
}

/// Ends the recorder that is noted, if the process of its number still is that one, and removes what it left. The note
/// is text of the phone: only names and numbers of ours are used of it.
fn sweep() -> String {
    format!(
        "if [ -e {NOTED} ]; then read -r f < {NOTED}; \
         case \"${{f#farmjank-}}\" in ''|*[!0-9a-f]*) f=none;; esac; \
         while read -r p; do case \"$p\" in ''|*[!0-9]*) ;; \
         *) case \"$(cat /proc/$p/cmdline 2>/dev/null)\" in *\"$f\"*) kill -KILL $p;; esac;; esac; done < {NOTED}; \
         rm -f {FOLDER}/$f.perfetto-trace {NOTED}; fi; "
    )
}

/// The process the beginning printed: the first line that is a number, as nothing else may become part of a shell line.
fn recorder(mark: &[u8]) -> Option<&str> {
    let lines = mark.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let mut numbers = lines.filter(|line| {
        !line.is_empty() && line.len() <= DIGITS && line.iter().all(u8::is_ascii_digit) && line[0] != b'0'
    });
    numbers.next().and_then(|line| std::str::from_utf8(line).ok())
}

/// A process of the app: its own, or one of those it names after a colon.
fn of_app(name: &str, app: &App) -> bool {
    name.strip_prefix(app.0.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

impl ProbeReader for FrameTimeline {
    fn id(&self) -> SourceId {
        SourceId::FrameTimeline
    }

    fn file(&self) -> &'static str {
        "trial.perfetto-trace"
    }

    fn read(
        &self,
        output: &ProbeOutput,
        app: &App,
        clock: Option<ClockMap>,
    ) -> Result<SideReading, Unreadable> {
        if output.bytes.is_empty() {
            return Err(Unreadable::Empty(format!(
                "perfetto wrote no trace; it said: {}",
                if output.mark.is_empty() { "nothing".to_owned() } else { shown(&output.mark) }
            )));
        }
        let mut reader = TraceReader::default();
        reader.feed(&output.bytes);
        Ok(SideReading::Timeline(frames_of(&reader.finish()?, app, clock)?))
    }
}

/// The app's frames in a trace.
///
/// # Errors
/// It shows none; which it does show.
pub(crate) fn frames_of(
    trace: &Trace,
    app: &App,
    clock: Option<ClockMap>,
) -> Result<BTreeMap<String, SurfaceFrames>, Unreadable> {
    let mut of_the_app: BTreeMap<String, SurfaceFrames> = trace.by_name();
    of_the_app.retain(|name, _| of_app(name, app));
    if let Some(doubt) = clock.and_then(|clock| apart(trace, clock)) {
        of_the_app.values_mut().for_each(|frame_timeline| frame_timeline.doubts.push(doubt.clone()));
    }
    if of_the_app.is_empty() {
        return Err(Unreadable::Missing(format!(
            "the trace shows no frame of {}; it shows {}",
            shown(app.0.as_bytes()),
            seen(trace)
        )));
    }
    Ok(of_the_app)
}

impl Probe for FrameTimeline {
    fn scope(&self) -> Scope {
        Scope::Trial
    }

    fn offer(&self, facts: &DeviceFacts) -> Result<(), Unfit> {
        offer(facts)
    }

    fn begin(&self, facts: &DeviceFacts, _app: &App, nonce: u64) -> String {
        begin(facts, &config(), nonce)
    }

    fn end(&self, _facts: &DeviceFacts, _app: &App, nonce: u64, mark: &[u8]) -> String {
        let path = quote(&path(nonce));
        format!("{}cat {path}; s=$?; rm -f {path} {NOTED}; exit $s", stop(mark))
    }

    fn for_causes(&self) -> Option<Rc<dyn Probe>> {
        Some(Rc::new(CauseTrace))
    }
}

/// Why the trace and the phone do not agree on what time it is.
fn apart(trace: &Trace, clock: ClockMap) -> Option<String> {
    let off = (trace.offset? - clock.offset).ns().unsigned_abs();
    // One second: far above what either can be wrong by, far below what a phone sleeps.
    (off > 1_000_000_000).then(|| {
        format!("the phone slept while it was traced: its clocks moved {} ms apart", off / 1_000_000)
    })
}

/// The processes of a trace, in words.
fn seen(trace: &Trace) -> String {
    let names: Vec<String> = trace.by_name().keys().take(5).map(|name| shown(name.as_bytes())).collect();
    if names.is_empty() { "none of any app".to_owned() } else { names.join(", ") }
}
