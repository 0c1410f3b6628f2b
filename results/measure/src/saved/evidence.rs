//! The evidence file of one window of a run: raw dumps of rings, and what its probes said at its beginning and end.
//!
//! Read by the functions of the run itself. Must not know metrics.

use super::Asked;
use super::error::SavedError;
use crate::probe_read::{Halves, ProbeContext, SideReadings};
use crate::readers::Readers;
use farmjank_results::device::App;
use farmjank_results::dump::Dump;
use farmjank_results::evidence::{self, Room};
use farmjank_results::frame::SourceId;
use farmjank_results::time::ClockMap;
use std::collections::{BTreeMap, BTreeSet};

/// An evidence file, looked through: it is whole, and what is beside its rings is read. Its rings are stitched dump by
/// dump as [`Dumps::unite`](super::Dumps::unite) takes them.
pub struct Opened {
    /// The file.
    pub(super) bytes: Vec<u8>,
    /// Source to judge by; none when nothing in it shows single frames.
    pub source: Option<SourceId>,
    /// What was said beside it.
    pub side_readings: SideReadings,
    /// What could not be read, and why.
    pub warnings: Vec<String>,
}

/// What a look through an evidence file tells before anything of it is measured.
#[derive(Default)]
struct Looked {
    /// Which sources have dumps of rings.
    rings: BTreeSet<SourceId>,
    /// The app, by what gfxinfo was asked for, and by the first layer that names one.
    asked_for: Option<String>,
    in_layer: Option<String>,
    clock: Option<ClockMap>,
    /// What each probe said last.
    said: BTreeMap<SourceId, (Dump, Dump)>,
    dumps: usize,
}

impl Looked {
    fn at(bytes: &[u8], readers: &Readers) -> Result<Looked, SavedError> {
        let (mut looked, mut halves) = (Looked::default(), Halves::default());
        evidence::each(bytes, &mut Room::of_file(bytes.len() as u64), |dump, _| {
            looked.dumps += 1;
            looked.note(&dump.target, dump.source);
            if dump.source == SourceId::Gfxinfo {
                let clock = readers.of(dump.source).ok().and_then(|reader| reader.clock(&dump));
                looked.clock = clock.or(looked.clock);
            }
            if readers.probe(dump.source).is_some() {
                looked.said.extend(halves.take(dump).map(|both| (both.0.source, both)));
            } else {
                readers.of(dump.source)?;
                looked.rings.insert(dump.source);
            }
            Ok::<(), SavedError>(())
        })?;
        Ok(looked)
    }

    /// Takes note of the app a dump is of.
    fn note(&mut self, target: &str, source: SourceId) {
        match source {
            SourceId::Gfxinfo if self.asked_for.is_none() => self.asked_for = Some(target.to_owned()),
            SourceId::SurfaceFlinger if self.in_layer.is_none() => self.in_layer = in_layer(target),
            _ => {}
        }
    }

    fn package(&self) -> Option<String> {
        self.asked_for.clone().or_else(|| self.in_layer.clone())
    }
}

/// Whether a file is the evidence of a run.
pub fn is_evidence(bytes: &[u8]) -> bool {
    bytes.starts_with(evidence::HEADER.as_bytes())
}

/// The rings of the best source that saw single frames, unless one is asked for, and everything beside them.
///
/// # Errors
/// [`SavedError`]: the file is damaged, empty, or holds nothing of the source asked for.
pub fn open(bytes: Vec<u8>, asked: &Asked, readers: &Readers) -> Result<Opened, SavedError> {
    let looked = Looked::at(&bytes, readers)?;
    if looked.dumps == 0 {
        return Err(SavedError::Empty);
    }
    let app = App(asked.package.clone().or_else(|| looked.package()).unwrap_or_default());
    let how = ProbeContext { app: &app, clock: looked.clock, modes: &[] };
    let mut side_readings = SideReadings::default();
    for both in looked.said.into_values() {
        side_readings.read_halves(readers, both, how);
    }
    let source = match asked.source.filter(|source| *source < SourceId::TimeStats) {
        Some(source) if looked.rings.contains(&source) => Some(source),
        Some(source) => return Err(SavedError::NoneOf(source)),
        None => looked.rings.first().copied(),
    };
    let unavailable = side_readings
        .unavailable
        .iter()
        .map(|unavailable| format!("{}: {}", unavailable.what, unavailable.why));
    let warnings = unavailable.collect();
    if source.is_none() && side_readings.timestats.is_none() && side_readings.log.is_none() {
        return Err(SavedError::Nothing);
    }
    Ok(Opened { bytes, source, side_readings, warnings })
}

/// The package in a layer's name.
fn in_layer(layer: &str) -> Option<String> {
    let (before, _) = layer.split_once('/')?;
    let letter = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '_');
    before.rsplit(|next| !letter(next)).next().filter(|package| package.contains('.')).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_app_is_told_by_what_was_asked_for() {
        let package = |dumps: &[(SourceId, &str)]| {
            let mut looked = Looked::default();
            dumps.iter().for_each(|(source, target)| looked.note(target, *source));
            looked.package()
        };
        let layer = (SourceId::SurfaceFlinger, "SurfaceView[com.a.b/com.a.b.Main](BLAST)#3");
        assert_eq!(package(&[layer]).as_deref(), Some("com.a.b"));
        assert_eq!(package(&[layer, (SourceId::Gfxinfo, "com.c")]).as_deref(), Some("com.c"));
        assert_eq!(package(&[(SourceId::SurfaceFlinger, "StatusBar#0")]), None);
    }
}
