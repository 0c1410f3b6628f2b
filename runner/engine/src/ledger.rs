//! What has come in for one window so far: rings being stitched, long gaps, the counts of the live display. No I/O.

use farmjank_measure::seen::Stitching;
use farmjank_results::cut_rules::AMBIGUOUS_FLING_GAP;
use farmjank_results::evidence::EvidenceWriter;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::frame::{Sample, SourceId, Stamp};
use farmjank_results::time::{DeviceTime, Span};
use std::collections::{BTreeMap, BTreeSet};
use tokio::time::Instant;

/// Everything of one window. One field for each thing that is told of it.
#[derive(Default)]
pub(crate) struct Ledger {
    pub(crate) writer: EvidenceWriter,
    pub(crate) stitching: Stitching,
    pub(crate) newest: BTreeMap<(SourceId, String), DeviceTime>,
    /// What was asked for and answered, by target.
    pub(crate) dumped: BTreeSet<String>,
    /// Long gaps between presents, as they come in.
    pub(crate) gaps: Vec<(DeviceTime, DeviceTime)>,
    pub(crate) doubts: Vec<String>,
    /// The first time the phone refused a dump.
    pub(crate) refusal: Option<Fault>,
    pub(crate) wrote: bool,
    /// Some of the evidence could not be written, and somebody was told.
    pub(crate) unkept: bool,
    /// Longest time between two presents so far, pauses left out: the worst hitch.
    pub(crate) longest: Span,
    pub(crate) live: LiveCounts,
}

/// Counts since the last `SampleTaken`.
#[derive(Default)]
pub(crate) struct LiveCounts {
    pub(crate) since: Option<Instant>,
    pub(crate) samples: u64,
    /// Per ring: frames, and the time they took without pauses.
    pub(crate) rings: BTreeMap<(SourceId, String), (u64, Span)>,
}

impl Ledger {
    /// Whether a long gap came in since the last call that none of these touches explains.
    pub(crate) fn puzzle(&mut self, touches: &[(DeviceTime, DeviceTime)]) -> bool {
        // The rest before a finger comes down; it may begin while the one before is perhaps still down.
        let before = |nth: usize| nth.checked_sub(1).map(|before| touches[before].1);
        let is_touched = |gap: &(DeviceTime, DeviceTime)| {
            let mut all = touches.iter().enumerate();
            all.any(|(nth, (began, _))| {
                *began > gap.0 && *began < gap.1 && before(nth).is_none_or(|ended| ended < gap.0)
            })
        };
        std::mem::take(&mut self.gaps).iter().any(|gap| !is_touched(gap))
    }

    pub(crate) fn add(
        &mut self,
        source: SourceId,
        ring: String,
        sample: &Sample,
        modes: impl FnOnce() -> Vec<f64>,
    ) {
        let key = (source, ring);
        self.live.samples += 1;
        // What the ring held before sampling began is history, not part of the counts.
        let known = self.newest.get(&key).copied();
        let mut newest = known;
        let mut frames = 0;
        let mut busy = Span::ZERO;
        let presents = sample.rows.iter().filter_map(|row| match row.present {
            Stamp::At(at) => Some(at),
            Stamp::Pending => None,
        });
        for at in presents {
            match newest.filter(|last| known.is_some() && at > *last) {
                Some(last) if at - last <= AMBIGUOUS_FLING_GAP => {
                    (frames, busy) = (frames + 1, busy + (at - last));
                    self.longest = self.longest.max(at - last);
                }
                Some(last) if key.0 == SourceId::SurfaceFlinger => self.gaps.push((last, at)),
                _ => {}
            }
            newest = newest.max(Some(at));
        }
        if frames > 0 {
            let beat = self.live.rings.entry(key.clone()).or_default();
            *beat = (beat.0 + frames, beat.1 + busy);
        }
        if let Some(newest) = newest {
            self.newest.insert(key.clone(), newest);
        }
        self.stitching.add(key, sample, modes);
    }

    /// A dump the phone refused, in its words and what they mean.
    pub(crate) fn refused(&mut self, source: SourceId, why: &str) {
        self.doubt(why);
        let (code, what) = match why.contains("DUMP TIMEOUT") {
            true => (FaultCode::DumpTimeout, "a dump timed out in the middle of the trial"),
            // An app that hangs cannot be dumped either: that is not the phone's doing.
            false if source == SourceId::Gfxinfo => return,
            false => (FaultCode::DumpRefused, "a dump was refused in the middle of the trial"),
        };
        let fault = || Fault::new(code.clone(), format!("{what}: {why}")).passing();
        self.refusal.get_or_insert_with(|| {
            fault().advise("let the phone do less beside the app; if it happens again, reboot it")
        });
    }

    pub(crate) fn doubt(&mut self, words: &str) {
        if self.doubts.len() < 20 && !self.doubts.iter().any(|known| known == words) {
            self.doubts.push(words.to_owned());
        }
    }
}
