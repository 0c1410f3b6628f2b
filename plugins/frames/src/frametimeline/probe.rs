//! The frame timeline as a probe: recorded around a trial, printed and taken away at its end. Sizes in kB.

use super::of_app::frames_of;
use super::recorder::{self, LONGEST_MS};
use super::trace::TraceReader;
use crate::ftrace::{CauseTrace, Methods};
use crate::text::shown;
use farmjank_results::device::{App, DeviceFacts};
use farmjank_results::frame::SourceId;
use farmjank_results::side_reading::SideReading;
use farmjank_results::time::ClockMap;
use farmjank_seams::probe::{Probe, ProbeOutput, ProbeReader, Scope};
use farmjank_seams::quote::quote;
use farmjank_seams::source::{Unfit, Unreadable};
use std::rc::Rc;

/// Ring buffer: hours of frames, as frame timeline alone writes a few hundred bytes a frame.
const BUFFER_KB: u32 = 32 * 1024;

/// Records SurfaceFlinger's frame timeline.
#[derive(Clone, Debug, Default)]
pub struct FrameTimeline {
    /// How methods are told where it is asked why frames are late.
    pub methods: Methods,
}

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

impl ProbeReader for FrameTimeline {
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

impl Probe for FrameTimeline {
    fn scope(&self) -> Scope {
        Scope::Trial
    }

    fn offer(&self, facts: &DeviceFacts) -> Result<(), Unfit> {
        recorder::offer(facts)
    }

    fn begin(&self, facts: &DeviceFacts, _app: &App, nonce: u64) -> String {
        let begin = recorder::begin(facts, &config(), None, nonce);
        // A run that was killed may have left its profiler running: on phones that are recorded so.
        match u64::from(facts.sdk) < crate::stacks::SDK {
            true => crate::stacks::sweep() + &begin,
            false => begin,
        }
    }

    fn end(&self, _facts: &DeviceFacts, _app: &App, nonce: u64, mark: &[u8]) -> String {
        let left = recorder::left(nonce);
        let (path, discard) = (quote(&left.path), left.discard);
        format!("{}cat {path}; s=$?; {discard}; exit $s", recorder::stop(mark))
    }

    fn for_causes(&self) -> Option<Rc<dyn Probe>> {
        Some(Rc::new(CauseTrace { methods: self.methods.clone() }))
    }
}
