//! From paths to what the files hold, each recognised by its content; a trace is read in pieces, whatever its length.
//!
//! Files of rings go together as successive dumps; everything else speaks for itself and comes alone. Must not know
//! metrics, windows, or how anything is printed.

use super::Asked;
use super::evidence::{self, Opened};
use crate::host;
use farmjank_frames::frametimeline::{Trace, TraceReader};
use farmjank_frames::gfxinfo::{Summary, read_summary};
use farmjank_frames::logcat::read_saved;
use farmjank_frames::timestats::{Counted, read_counted};
use farmjank_frames::{Torn, kind, read_auto, read_frameless, torn};
use farmjank_measure::testify::Testimonies;
use farmjank_results::drawn::{DrawnStitch, window_name};
use farmjank_results::frame::{Sample, SourceId};
use farmjank_results::logged::LogWatch;
use farmjank_seams::source::Unreadable;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Largest file that is not a trace, bytes: it is read whole.
const MOST: usize = 1 << 30;

/// What all files hold together.
pub(super) enum Material {
    /// Dumps of rings.
    Rings(Box<Rings>),
    /// A Perfetto trace.
    Trace(Box<Trace>),
    /// SurfaceFlinger's counts.
    Counted(Counted),
    /// A log.
    Log(LogWatch),
    /// HWUI's counters without its rings.
    Summary(Vec<Summary>),
}

/// Dumps of rings, and what was said beside them.
#[derive(Default)]
pub(super) struct Rings {
    /// Source of the presents; none before the first file.
    pub source: Option<SourceId>,
    /// Samples of each ring by name.
    pub samples: BTreeMap<String, Vec<Sample>>,
    /// Render stages of each window by name.
    pub drawn: BTreeMap<String, DrawnStitch>,
    /// What witnesses of the same stretch said, in the evidence of a run.
    pub testimonies: Testimonies,
    /// HWUI's own counters, when there is one dump and it has them.
    pub summary: Vec<Summary>,
    /// One for each file without a frame.
    pub warnings: Vec<String>,
    /// What those files are, each kind once.
    pub empty: BTreeSet<String>,
}

impl Rings {
    /// Takes one dump's samples; framestats give render stages too, whichever source is judged by.
    pub fn add(&mut self, source: SourceId, ring: String, sample: Sample) {
        if source == SourceId::Gfxinfo {
            self.drawn.entry(window_name(&ring).to_owned()).or_default().add(&sample);
        }
        if self.source.is_none_or(|judged| judged == source) {
            self.samples.entry(ring).or_default().push(sample);
        }
    }
}

/// One file.
pub(super) enum Piece {
    /// Dumps of rings of one source, and what is missing at their end.
    Rings(SourceId, Vec<(String, Sample)>, Option<String>),
    /// The evidence of a run.
    Evidence(Box<Opened>),
    /// An empty ring, and what that means.
    Frameless(Vec<(String, Sample)>, String),
    /// What comes alone.
    Alone(Material),
}

/// A file while it is read.
enum Incoming {
    Trace(Box<TraceReader>),
    Whole(Vec<u8>),
}

/// Reads every file. One that cannot be read is named, and nothing is judged without it.
pub(super) fn read(paths: &[PathBuf], asked: &Asked) -> Result<Material, String> {
    let mut rings = Rings::default();
    let mut refused = Vec::new();
    for path in paths {
        let piece = match incoming(path, asked.source)? {
            Incoming::Trace(reader) => {
                let trace = reader.finish().map_err(|unreadable| unreadable.words().to_owned());
                trace.map(|trace| Piece::Alone(Material::Trace(Box::new(trace))))
            }
            Incoming::Whole(bytes) => {
                if paths.len() == 1 {
                    rings.summary = summary(&bytes, asked.source);
                }
                of_bytes(&bytes, asked)
            }
        };
        match piece {
            Ok(Piece::Alone(material)) if paths.len() == 1 => return Ok(material),
            Ok(piece) => rings.take(path, piece)?,
            Err(why) => refused.push(named(path, &why)),
        }
    }
    match refused.is_empty() {
        true => Ok(Material::Rings(Box::new(rings))),
        false => Err(refused.join("\nerror: ")),
    }
}

impl Rings {
    fn take(&mut self, path: &Path, piece: Piece) -> Result<(), String> {
        let (source, samples) = match piece {
            Piece::Rings(source, samples, missing) => {
                self.warnings.extend(missing.map(|why| named(path, &why)));
                (source, samples)
            }
            // An empty ring is an answer, not a refusal: it was empty then, and may fill by the next dump.
            Piece::Frameless(samples, why) => {
                self.warnings.push(named(path, &why));
                self.empty.insert(why);
                (SourceId::SurfaceFlinger, samples)
            }
            Piece::Evidence(evidence) => return self.unite(path, *evidence),
            Piece::Alone(material) => {
                let what = material.words();
                return Err(format!(
                    "{} is {what}, which cannot be put together with other files: give it alone",
                    path.display()
                ));
            }
        };
        self.agree(path, source)?;
        samples.into_iter().for_each(|(ring, sample)| self.add(source, ring, sample));
        Ok(())
    }

    fn agree(&mut self, path: &Path, source: SourceId) -> Result<(), String> {
        if *self.source.get_or_insert(source) != source {
            return Err(format!(
                "{} is a {source} dump and the files before it are not: give dumps of one layer and one kind",
                path.display()
            ));
        }
        Ok(())
    }

    fn unite(&mut self, path: &Path, opened: Opened) -> Result<(), String> {
        if let Some(source) = opened.source {
            self.agree(path, source)?;
        }
        opened.samples.into_iter().for_each(|(source, ring, sample)| self.add(source, ring, sample));
        let beside = |one: &Testimonies| one.tally.is_some() || one.log.is_some();
        if beside(&self.testimonies) && beside(&opened.testimonies) {
            // Each is of its own window.
            self.testimonies = Testimonies::default();
            self.warnings.push(
                "counts and log are of one window each: give one evidence file alone to see them".to_owned(),
            );
        } else if beside(&opened.testimonies) {
            self.testimonies = opened.testimonies;
        }
        self.warnings.extend(opened.warnings.iter().map(|why| named(path, why)));
        Ok(())
    }
}

impl Material {
    /// What it is, with its article.
    fn words(&self) -> &'static str {
        match self {
            Material::Rings(_) => "a dump",
            Material::Trace(_) => "a Perfetto trace",
            Material::Counted(_) => "a timestats dump",
            Material::Log(_) => "a log",
            Material::Summary(_) => "a gfxinfo summary without framestats",
        }
    }
}

fn named(path: &Path, why: &str) -> String {
    format!("{}: {why}", path.display())
}

fn incoming(path: &Path, hint: Option<SourceId>) -> Result<Incoming, String> {
    let mut incoming = None;
    host::read_pieces(path, &mut |piece| {
        let begun = incoming.get_or_insert_with(|| match hint.or_else(|| kind(piece)) {
            Some(SourceId::FrameTimeline) => Incoming::Trace(Box::default()),
            _ => Incoming::Whole(Vec::new()),
        });
        match begun {
            Incoming::Trace(reader) => reader.feed(piece),
            Incoming::Whole(bytes) if bytes.len() + piece.len() > MOST => {
                return Err(format!("{}: larger than {} MiB", path.display(), MOST >> 20));
            }
            Incoming::Whole(bytes) => bytes.extend_from_slice(piece),
        }
        Ok(())
    })?;
    Ok(incoming.unwrap_or(Incoming::Whole(Vec::new())))
}

/// HWUI's counters in a gfxinfo dump.
fn summary(bytes: &[u8], hint: Option<SourceId>) -> Vec<Summary> {
    let gfxinfo = hint.or_else(|| kind(bytes)) == Some(SourceId::Gfxinfo);
    // Evidence keeps dumps as differences: its lines are not those of one dump.
    if gfxinfo && !evidence::is_evidence(bytes) { read_summary(bytes) } else { Vec::new() }
}

/// One file that is no trace.
fn of_bytes(bytes: &[u8], asked: &Asked) -> Result<Piece, String> {
    if evidence::is_evidence(bytes) {
        return evidence::read(bytes, asked).map(|opened| Piece::Evidence(Box::new(opened)));
    }
    let words = |unreadable: Unreadable| unreadable.words().to_owned();
    match asked.source.or_else(|| kind(bytes)) {
        Some(SourceId::TimeStats) => {
            read_counted(bytes).map(Material::Counted).map(Piece::Alone).map_err(words)
        }
        Some(SourceId::Logcat) => {
            read_saved(bytes, asked.package.as_deref()).map(Material::Log).map(Piece::Alone).map_err(words)
        }
        _ => of_ring(bytes, asked.source),
    }
}

/// Dumps of rings; what has none may be an empty ring or a summary.
fn of_ring(bytes: &[u8], hint: Option<SourceId>) -> Result<Piece, String> {
    let unreadable = match read_auto(bytes, hint) {
        Ok((source, samples)) => {
            return match torn(bytes, source) {
                Some(Torn::Inside(why)) => Err(why),
                Some(Torn::End(why)) => Ok(Piece::Rings(source, samples, Some(why))),
                None => Ok(Piece::Rings(source, samples, None)),
            };
        }
        Err(unreadable) => unreadable,
    };
    let why = unreadable.words().to_owned();
    if let Some(samples) = read_frameless(bytes).filter(|_| hint != Some(SourceId::Gfxinfo)) {
        return Ok(Piece::Frameless(samples, why));
    }
    match (unreadable, summary(bytes, hint)) {
        (Unreadable::Garbled(_) | Unreadable::Empty(_), blocks) if !blocks.is_empty() => {
            Ok(Piece::Alone(Material::Summary(blocks)))
        }
        _ => Err(why),
    }
}
