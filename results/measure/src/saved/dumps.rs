//! Dumps of rings that belong together, taken in one after another: those of one source, each under the name of its
//! file.
//!
//! Must not know files, or how anything is printed.

use super::error::SavedError;
use super::evidence::Opened;
use crate::probe_read::SideReadings;
use farmjank_results::frame::{Sample, SourceId};
use farmjank_results::framestats::{FrameStatsStitch, window_name};
use std::collections::{BTreeMap, BTreeSet};

/// Dumps of rings, and what was said beside them.
#[derive(Default)]
pub struct Dumps {
    /// Source of the presents; none before the first file.
    pub source: Option<SourceId>,
    /// Samples of each ring by name.
    pub samples: BTreeMap<String, Vec<Sample>>,
    /// Render stages of each window by name.
    pub framestats: BTreeMap<String, FrameStatsStitch>,
    /// What probes of the same stretch said, in the evidence of a run.
    pub side_readings: SideReadings,
    /// One for each file without a frame.
    pub warnings: Vec<String>,
    /// What those files are, each kind once.
    pub empty: BTreeSet<String>,
}

impl Dumps {
    /// Takes one dump's samples; framestats give render stages too, whichever source is judged by.
    fn add(&mut self, source: SourceId, ring: String, sample: Sample) {
        if source == SourceId::Gfxinfo {
            self.framestats.entry(window_name(&ring).to_owned()).or_default().add(&sample);
        }
        if self.source.is_none_or(|judged| judged == source) {
            self.samples.entry(ring).or_default().push(sample);
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

    fn agree(&mut self, name: &str, source: SourceId) -> Result<(), SavedError> {
        if *self.source.get_or_insert(source) != source {
            return Err(SavedError::Mixed { name: name.to_owned(), source_id: source });
        }
        Ok(())
    }

    /// Takes the evidence of one window of a run.
    ///
    /// # Errors
    /// [`SavedError::Mixed`]: it is of another source than what was taken before.
    pub fn unite(&mut self, name: &str, opened: Opened) -> Result<(), SavedError> {
        if let Some(source) = opened.source {
            self.agree(name, source)?;
        }
        opened.samples.into_iter().for_each(|(source, ring, sample)| self.add(source, ring, sample));
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
