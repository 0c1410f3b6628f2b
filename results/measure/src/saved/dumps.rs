//! Dumps of rings that belong together, taken in one after another: those of one source, each under the name of its
//! file.
//!
//! Must not know files, or how anything is printed.

use super::error::SavedError;
use super::evidence::Opened;
use crate::probe_read::SideReadings;
use crate::readers::Readers;
use farmjank_results::evidence::{self, Room};
use farmjank_results::frame::{Sample, SourceId, Stamp};
use farmjank_results::framestats::{FrameStatsStitch, window_name};
use farmjank_results::stitch::{Stitch, StitchRules};
use farmjank_results::time::DeviceTime;
use farmjank_results::timeline::FrameTimeline;
use std::collections::{BTreeMap, BTreeSet};

/// Dumps of rings, and what was said beside them.
#[derive(Default)]
pub struct Dumps {
    /// Source of the presents; none before the first file.
    pub source: Option<SourceId>,
    /// Each ring by name.
    pub(super) rings: BTreeMap<String, Ring>,
    /// Render stages of each window by name.
    pub framestats: BTreeMap<String, FrameStatsStitch>,
    /// What probes of the same stretch said, in the evidence of a run.
    pub side_readings: SideReadings,
    /// One for each file without a frame.
    pub warnings: Vec<String>,
    /// What those files are, each kind once.
    pub empty: BTreeSet<String>,
}

/// The dumps of one ring, stitched as they come.
#[derive(Default)]
pub(super) struct Ring {
    stitch: Stitch,
    /// Its oldest present, and whether every dump that shows it was full.
    oldest: Option<(DeviceTime, bool)>,
}

impl Ring {
    fn add(&mut self, sample: &Sample) {
        self.stitch.add(sample);
        let presents = sample.rows.iter().filter_map(|row| match row.present {
            Stamp::At(present) => Some(present),
            Stamp::Pending => None,
        });
        let Some(oldest) = presents.min() else { return };
        let full = full(sample);
        self.oldest = match self.oldest {
            Some((before, _)) if before > oldest => Some((oldest, full)),
            Some((before, all)) if before == oldest => Some((oldest, all && full)),
            None => Some((oldest, full)),
            older => older,
        };
    }

    /// Its timeline.
    pub fn timeline(self, rules: StitchRules) -> FrameTimeline {
        let mut timeline = self.stitch.by(rules).finish();
        if let Some((oldest, true)) = self.oldest
            && timeline.watched_from.is_none()
        {
            // Without stamps, a full ring tells nothing about the time before its oldest row.
            timeline.watched_from = Some(oldest);
        }
        timeline
    }
}

/// Whether a ring had no slot left: what it showed before its oldest row may have been overwritten.
fn full(sample: &Sample) -> bool {
    let printed = sample.rows.len() as u32 + sample.invalid_rows + sample.ignored_rows;
    sample.zero_rows == 0 && printed >= sample.capacity
}

impl Dumps {
    /// Takes one dump's samples; framestats give render stages too, whichever source is judged by.
    fn add(&mut self, source: SourceId, ring: String, sample: Sample) {
        if source == SourceId::Gfxinfo {
            self.framestats.entry(window_name(&ring).to_owned()).or_default().add(&sample);
        }
        if self.source.is_none_or(|judged| judged == source) {
            self.rings.entry(ring).or_default().add(&sample);
        }
    }
}

impl Dumps {
    /// Takes the rings of one file, and what is missing at its end.
    ///
    /// # Errors
    /// [`SavedError::Mixed`]: it is of another source than what was taken before.
    pub fn take(
        &mut self,
        name: &str,
        source: SourceId,
        samples: Vec<(String, Sample)>,
        missing: Option<String>,
    ) -> Result<(), SavedError> {
        self.warnings.extend(missing.map(|why| named(name, &why)));
        self.agree(name, source)?;
        samples.into_iter().for_each(|(ring, sample)| self.add(source, ring, sample));
        Ok(())
    }

    /// Takes an empty ring, which is an answer and no refusal: it was empty then, and may fill by the next dump.
    ///
    /// # Errors
    /// [`SavedError::Mixed`]: it is of another source than what was taken before.
    pub fn take_empty(
        &mut self,
        name: &str,
        samples: Vec<(String, Sample)>,
        why: String,
    ) -> Result<(), SavedError> {
        self.warnings.push(named(name, &why));
        self.empty.insert(why);
        self.take(name, SourceId::SurfaceFlinger, samples, None)
    }

    fn frames_seen(&self) -> usize {
        self.rings.values().map(|ring| ring.stitch.frames_seen()).sum()
    }

    fn agree(&mut self, name: &str, source: SourceId) -> Result<(), SavedError> {
        if *self.source.get_or_insert(source) != source {
            return Err(SavedError::Mixed { name: name.to_owned(), source_id: source });
        }
        Ok(())
    }

    /// Takes the evidence of one window of a run.
    ///
    /// # Errors
    /// [`SavedError`]: it is of another source than what was taken before, or shows frames that were never printed.
    pub fn unite(&mut self, name: &str, opened: Opened, readers: &Readers) -> Result<(), SavedError> {
        if let Some(source) = opened.source {
            self.agree(name, source)?;
        }
        let before = self.frames_seen();
        let mut room = Room::of_file(opened.bytes.len() as u64);
        evidence::each(&opened.bytes, &mut room, |dump, room| {
            if readers.probe(dump.source).is_some() {
                return Ok(());
            }
            // Stamps are left out: they need the offset of the phone's clocks, which only the run's log has.
            let read = readers.of(dump.source)?.read(&dump, None).unwrap_or_default();
            for (ring, sample) in read {
                room.ring(self.rings.contains_key(&ring))?;
                self.add(dump.source, ring, sample);
            }
            Ok::<(), SavedError>(room.allow(self.frames_seen().saturating_sub(before))?)
        })?;
        let beside = |one: &SideReadings| one.timestats.is_some() || one.log.is_some();
        if beside(&self.side_readings) && beside(&opened.side_readings) {
            // Each is of its own window.
            self.side_readings = SideReadings::default();
            self.warnings.push(
                "counts and log are of one window each: give one evidence file alone to see them".to_owned(),
            );
        } else if beside(&opened.side_readings) {
            self.side_readings = opened.side_readings;
        }
        self.warnings.extend(opened.warnings.iter().map(|why| named(name, why)));
        Ok(())
    }
}

fn named(name: &str, why: &str) -> String {
    format!("{name}: {why}")
}
