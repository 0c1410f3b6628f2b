//! The evidence file of one window of a run: raw dumps of rings, and what its probes said at its beginning and end.
//!
//! Read by the functions of the run itself. Must not know metrics.

use super::Asked;
use super::error::SavedError;
use crate::probe_read::{ProbeContext, SideReadings, of_evidence};
use crate::readers::Readers;
use farmjank_results::device::App;
use farmjank_results::dump::Dump;
use farmjank_results::evidence;
use farmjank_results::frame::{Sample, SourceId};

/// An evidence file, read.
pub struct Opened {
    /// Source to judge by; none when nothing in it shows single frames.
    pub source: Option<SourceId>,
    /// What every dump shows, by source and ring.
    pub samples: Vec<(SourceId, String, Sample)>,
    /// What was said beside it.
    pub side_readings: SideReadings,
    /// What could not be read, and why.
    pub warnings: Vec<String>,
}

/// Whether a file is the evidence of a run.
pub fn is_evidence(bytes: &[u8]) -> bool {
    bytes.starts_with(evidence::HEADER.as_bytes())
}

/// The rings of the best source that saw single frames, unless one is asked for, and everything beside them.
///
/// # Errors
/// [`SavedError`]: the file is damaged, empty, or holds nothing of the source asked for.
pub fn open(bytes: &[u8], asked: &Asked, readers: &Readers) -> Result<Opened, SavedError> {
    let dumps = evidence::read(bytes)?;
    if dumps.is_empty() {
        return Err(SavedError::Empty);
    }
    let app = App(asked.package.clone().or_else(|| package(&dumps)).unwrap_or_default());
    let framestats = dumps.iter().filter(|dump| dump.source == SourceId::Gfxinfo);
    let clock = framestats.rev().find_map(|dump| readers.of(dump.source).ok()?.clock(dump));
    let how = ProbeContext { app: &app, clock, modes: &[] };
    let files = [("evidence".to_owned(), bytes.to_vec())];
    let (dumps, side_readings) = of_evidence(&files, readers, how)?;
    let best = dumps.iter().map(|dump| dump.source).min();
    let source = match asked.source.filter(|source| *source < SourceId::TimeStats) {
        Some(source) if dumps.iter().any(|dump| dump.source == source) => Some(source),
        Some(source) => return Err(SavedError::NoneOf(source)),
        None => best,
    };
    let unavailable = side_readings
        .unavailable
        .iter()
        .map(|unavailable| format!("{}: {}", unavailable.what, unavailable.why));
    let warnings = unavailable.collect();
    if source.is_none() && side_readings.timestats.is_none() && side_readings.log.is_none() {
        return Err(SavedError::Nothing);
    }
    let mut samples = Vec::new();
    for dump in &dumps {
        let reader = readers.of(dump.source)?;
        // Stamps are left out: they need the offset of the phone's clocks, which only the run's log has.
        let read = reader.read(dump, None).unwrap_or_default();
        samples.extend(read.into_iter().map(|(ring, sample)| (dump.source, ring, sample)));
    }
    Ok(Opened { source, samples, side_readings, warnings })
}

/// The app the dumps are of: what gfxinfo was asked for, else the package in a layer's name.
fn package(dumps: &[Dump]) -> Option<String> {
    let of = |source| dumps.iter().filter(move |dump| dump.source == source).map(|dump| dump.target.as_str());
    let in_layer = |layer: &str| {
        let (before, _) = layer.split_once('/')?;
        let letter = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '_');
        before.rsplit(|next| !letter(next)).next().filter(|package| package.contains('.')).map(str::to_owned)
    };
    of(SourceId::Gfxinfo)
        .map(str::to_owned)
        .next()
        .or_else(|| of(SourceId::SurfaceFlinger).find_map(in_layer))
}

#[cfg(test)]
mod tests {
    use super::*;
    use farmjank_results::time::RunTime;

    #[test]
    fn the_app_is_told_by_what_was_asked_for() {
        let dump = |source, target: &str| Dump {
            source,
            target: target.to_owned(),
            asked: None,
            answered: None,
            arrived: RunTime::default(),
            text: Vec::new(),
        };
        let layer = dump(SourceId::SurfaceFlinger, "SurfaceView[com.a.b/com.a.b.Main](BLAST)#3");
        assert_eq!(package(std::slice::from_ref(&layer)).as_deref(), Some("com.a.b"));
        assert_eq!(package(&[layer, dump(SourceId::Gfxinfo, "com.c")]).as_deref(), Some("com.c"));
        assert_eq!(package(&[dump(SourceId::SurfaceFlinger, "StatusBar#0")]), None);
    }
}
