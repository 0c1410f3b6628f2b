//! From paths to what the files hold, each recognised by its content; a trace is read in pieces, whatever its length.
//!
//! Files of rings go together as successive dumps; everything else speaks for itself and comes alone. Must not know
//! metrics, windows, or how anything is printed.

use crate::command_error::{CommandError, usage};
use crate::host;
use crate::wiring::readers;
use farmjank_frames::frametimeline::{Trace, TraceReader};
use farmjank_frames::gfxinfo::Summary;
use farmjank_frames::timestats::Counted;
use farmjank_frames::{Text, counters, kind, read_text};
use farmjank_leaf::text::name as shown;
use farmjank_measure::saved::{Asked, Dumps, Opened, is_evidence, open};
use farmjank_results::file_error::{FileError, FileProblem};
use farmjank_results::frame::{Sample, SourceId};
use farmjank_results::logcat_events::LogWatch;
use std::path::{Path, PathBuf};

/// Largest file that is not a trace, bytes: it is read whole.
const MOST: usize = 1 << 30;

/// What all files hold together.
pub(super) enum Material {
    /// Dumps of rings, and HWUI's own counters when there is one dump and it has them.
    Rings(Box<Dumps>, Vec<Summary>),
    /// A Perfetto trace.
    Trace(Box<Trace>),
    /// SurfaceFlinger's counts.
    Counted(Counted),
    /// A log.
    Log(LogWatch),
    /// HWUI's counters without its rings.
    Summary(Vec<Summary>),
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
pub(super) fn read(paths: &[PathBuf], asked: &Asked) -> Result<Material, CommandError> {
    let mut dumps = Dumps::default();
    let mut counters = Vec::new();
    let mut refused = Vec::new();
    for path in paths {
        let piece = match incoming(path, asked.source)? {
            Incoming::Trace(reader) => {
                let trace = reader.finish().map_err(|why| why.to_string().into());
                trace.map(|trace| Piece::Alone(Material::Trace(Box::new(trace))))
            }
            Incoming::Whole(bytes) => {
                if paths.len() == 1 {
                    counters = summary(&bytes, asked.source);
                }
                of_bytes(bytes, asked)
            }
        };
        match piece {
            Ok(Piece::Alone(material)) if paths.len() == 1 => return Ok(material),
            Ok(piece) => taken(&mut dumps, &shown(path), piece)?,
            Err(why) => refused.push(FileError::content(path, why).to_string()),
        }
    }
    match refused.is_empty() {
        true => Ok(Material::Rings(Box::new(dumps), counters)),
        false => Err(refused.join("\nerror: ").into()),
    }
}

fn taken(dumps: &mut Dumps, name: &str, piece: Piece) -> Result<(), CommandError> {
    match piece {
        Piece::Rings(source, samples, missing) => dumps.take(name, source, samples, missing)?,
        Piece::Frameless(samples, why) => dumps.take_empty(name, samples, why)?,
        Piece::Evidence(evidence) => dumps.unite(name, *evidence, &readers())?,
        Piece::Alone(material) => {
            let what = material.words();
            return Err(usage!(
                "{name} is {what}, which cannot be put together with other files: give it alone"
            ));
        }
    }
    Ok(())
}

impl Material {
    /// What it is, with its article.
    fn words(&self) -> &'static str {
        match self {
            Material::Rings(..) => "a dump",
            Material::Trace(_) => "a Perfetto trace",
            Material::Counted(_) => "a timestats dump",
            Material::Log(_) => "a log",
            Material::Summary(_) => "a gfxinfo summary without framestats",
        }
    }
}

fn incoming(path: &Path, hint: Option<SourceId>) -> Result<Incoming, CommandError> {
    let mut incoming = None;
    host::read_pieces::<FileError>(path, &mut |piece| {
        let begun = incoming.get_or_insert_with(|| match hint.or_else(|| kind(piece)) {
            Some(SourceId::FrameTimeline) => Incoming::Trace(Box::default()),
            _ => Incoming::Whole(Vec::new()),
        });
        match begun {
            Incoming::Trace(reader) => reader.feed(piece),
            Incoming::Whole(bytes) if bytes.len() + piece.len() > MOST => {
                return Err(FileError::new(path, FileProblem::TooLarge { most: MOST as u64 }));
            }
            Incoming::Whole(bytes) => bytes.extend_from_slice(piece),
        }
        Ok(())
    })?;
    Ok(incoming.unwrap_or(Incoming::Whole(Vec::new())))
}

/// What is damaged in a trace, in words.
pub(in crate::commands) fn damage(trace: &Trace) -> Vec<String> {
    let mut warnings = Vec::new();
    if trace.cut {
        warnings.push("the trace ends inside a packet: it was cut while it was copied".to_owned());
    }
    if trace.unreadable > 0 {
        warnings.push(format!("{} packets or events of the trace could not be read", trace.unreadable));
    }
    warnings
}

/// HWUI's counters in a gfxinfo dump.
fn summary(bytes: &[u8], hint: Option<SourceId>) -> Vec<Summary> {
    // Evidence keeps dumps as differences: its lines are not those of one dump.
    if is_evidence(bytes) { Vec::new() } else { counters(bytes, hint) }
}

/// One file that is no trace.
fn of_bytes(bytes: Vec<u8>, asked: &Asked) -> Result<Piece, CommandError> {
    if is_evidence(&bytes) {
        let opened = open(bytes, asked, &readers())?;
        return Ok(Piece::Evidence(Box::new(opened)));
    }
    Ok(match read_text(&bytes, asked.source, asked.package.as_deref()).map_err(|why| why.to_string())? {
        Text::Rings(source, samples, missing) => Piece::Rings(source, samples, missing),
        Text::Frameless(samples, why) => Piece::Frameless(samples, why),
        Text::Counted(counted) => Piece::Alone(Material::Counted(counted)),
        Text::Log(log) => Piece::Alone(Material::Log(log)),
        Text::Summary(blocks) => Piece::Alone(Material::Summary(blocks)),
    })
}
