//! `farmjank analyze`: the same metrics from dump files somebody saved by hand.

mod print;
mod spoken;
mod trusted;

use crate::USAGE;
use crate::args::{AnalyzeArgs, AnalyzeFormat};
use crate::host::{self, Streams};
use crate::settings::complain;
use crate::wiring::{readers, source_id};
use farmjank_engine::announce::Voice;
use farmjank_frames::{read_auto, read_frameless};
use farmjank_results::cut::{CutRules, cut, whole};
use farmjank_results::evidence;
use farmjank_results::frame::{Sample, SourceId, Stamp};
use farmjank_results::metric::Reading;
use farmjank_results::stitch::{Stitch, StitchRules};
use farmjank_results::timeline::FrameTimeline;
use farmjank_results::window::Window;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Largest dump file read.
const MOST: u64 = 1 << 30;

/// What the files say.
struct Answer {
    source: SourceId,
    ring: String,
    /// Other rings in the files, with the frames each holds.
    others: Vec<(String, usize)>,
    window: Window,
    readings: BTreeMap<String, Reading>,
    /// What the reader should know besides the numbers.
    warnings: Vec<String>,
}

/// Analyses dump files.
pub fn run(args: &AnalyzeArgs) -> u8 {
    match answer(args) {
        Ok(answer) => {
            let text = match args.format {
                AnalyzeFormat::Json => print::json(&answer),
                AnalyzeFormat::Table => print::table(&answer),
            };
            for warning in &answer.warnings {
                Streams.err(&format!("warning: {warning}\n"));
            }
            Streams.out(&text);
            0
        }
        Err(why) => {
            complain(&why);
            USAGE
        }
    }
}

fn answer(args: &AnalyzeArgs) -> Result<Answer, String> {
    let motions = spoken::windows(&args.window)?;
    let pins = spoken::pins(&args.vsync)?;
    let idle_gap = spoken::idle_gap(&args.idle_gap)?;
    let target_fps = spoken::target_fps(args.target_fps)?;
    let Read { source, rings, mut warnings, empty } = read_files(args)?;
    let rules = StitchRules { modes: Vec::new(), pins };
    let timelines: BTreeMap<String, FrameTimeline> =
        rings.into_iter().map(|(name, samples)| (name, stitched(&rules, &samples))).collect();
    let (ring, timeline, others) = choose(timelines, args.layer.as_deref())?;
    let spoken_for = !motions.is_empty();
    let motions = if spoken_for { motions } else { whole(&timeline) };
    let layer = (ring != "layer").then(|| ring.clone());
    let mut window =
        cut(&timeline, &motions, &CutRules { target_fps, idle_gap, layer, ..CutRules::new(source) });
    let readings = trusted::readings(&mut window, &timeline, spoken_for, &empty);
    if timeline.frames.is_empty() && warnings.is_empty() {
        warnings.extend(window.coverage.doubts.iter().cloned());
    }
    Ok(Answer { source, ring, others, window, readings, warnings })
}

fn stitched(rules: &StitchRules, samples: &[Sample]) -> FrameTimeline {
    let mut stitch = Stitch::new(rules.clone());
    for sample in samples {
        stitch.add(sample);
    }
    let mut timeline = stitch.finish();
    if let Some(oldest) = timeline.frames.first().map(|frame| frame.present)
        && timeline.watched_from.is_none()
        && samples
            .iter()
            .filter(|sample| sample.rows.iter().any(|row| row.present == Stamp::At(oldest)))
            .all(full)
    {
        // Without stamps, a full ring tells nothing about the time before its oldest row.
        timeline.watched_from = Some(oldest);
    }
    timeline
}

/// Whether a ring had no slot left: what it showed before its oldest row may have been overwritten.
fn full(sample: &Sample) -> bool {
    let printed = sample.rows.len() as u32 + sample.invalid_rows + sample.ignored_rows;
    sample.zero_rows == 0 && printed >= sample.capacity
}

type Rings = BTreeMap<String, Vec<Sample>>;

/// What all files hold together.
struct Read {
    source: SourceId,
    rings: Rings,
    /// One for each file without a frame.
    warnings: Vec<String>,
    /// What those files are, each kind once.
    empty: BTreeSet<String>,
}

/// Reads every file; all must be of one source. A file that cannot be read is named, and nothing is judged without it.
fn read_files(args: &AnalyzeArgs) -> Result<Read, String> {
    let hint = source_id(args.source);
    let mut source = None;
    let (mut rings, mut refused) = (Rings::new(), Vec::new());
    let (mut warnings, mut empty) = (Vec::new(), BTreeSet::new());
    for path in &args.files {
        let bytes = host::read_file(path, MOST)?;
        let (found, samples) = match read_one(&bytes, hint) {
            Ok(read) => read,
            // An empty ring is an answer, not a refusal: it was empty then, and may fill by the next dump.
            Err(why) => match read_frameless(&bytes).filter(|_| hint != Some(SourceId::Gfxinfo)) {
                Some(samples) => {
                    warnings.push(named(path, &why));
                    empty.insert(why);
                    (SourceId::SurfaceFlinger, samples)
                }
                None => {
                    refused.push(named(path, &why));
                    continue;
                }
            },
        };
        if *source.get_or_insert(found) != found {
            return Err(format!(
                "{} is a {found} dump and the files before it are not: give dumps of one layer and one kind",
                path.display()
            ));
        }
        for (ring, sample) in samples {
            rings.entry(ring).or_default().push(sample);
        }
    }
    match source.filter(|_| refused.is_empty()) {
        Some(source) => Ok(Read { source, rings, warnings, empty }),
        None => Err(refused.join("\nerror: ")),
    }
}

fn named(path: &Path, why: &str) -> String {
    format!("{}: {why}", path.display())
}

/// One file: a dump as the phone printed it, or the evidence of a run bundle.
fn read_one(bytes: &[u8], hint: Option<SourceId>) -> Result<(SourceId, Vec<(String, Sample)>), String> {
    if !bytes.starts_with(evidence::HEADER.as_bytes()) {
        return read_auto(bytes, hint).map_err(|unreadable| unreadable.words().to_owned());
    }
    let dumps = evidence::read(bytes)?;
    let source =
        hint.or_else(|| dumps.iter().map(|dump| dump.source).min()).ok_or("the evidence file is empty")?;
    let reader =
        readers().into_iter().find(|reader| reader.id() == source).ok_or("no reader for this source")?;
    let of_source = dumps.iter().filter(|dump| dump.source == source);
    let samples = of_source.filter_map(|dump| reader.read(dump, None).ok()).flatten();
    Ok((source, samples.collect()))
}

/// A ring's name, its timeline, and the other rings with the frames each holds.
type Chosen = (String, FrameTimeline, Vec<(String, usize)>);

/// The ring asked for, else the one with most frames.
fn choose(mut timelines: BTreeMap<String, FrameTimeline>, wanted: Option<&str>) -> Result<Chosen, String> {
    let counts: Vec<(String, usize)> =
        timelines.iter().map(|(name, timeline)| (name.clone(), timeline.frames.len())).collect();
    let fits = |name: &str| wanted.is_none_or(|wanted| name.contains(wanted));
    let best = counts.iter().rev().filter(|(name, _)| fits(name)).max_by_key(|(_, frames)| *frames);
    let Some((name, _)) = best.cloned() else {
        let known: Vec<&str> = counts.iter().map(|(name, _)| name.as_str()).collect();
        return Err(match known.is_empty() {
            true => "the dump holds no window with frames".to_owned(),
            false => format!("no layer or window is called like that; there are: {}", known.join(", ")),
        });
    };
    let others = counts.into_iter().filter(|(other, _)| *other != name).collect();
    timelines.remove_entry(&name).map(|(name, timeline)| (name, timeline, others)).ok_or_else(String::new)
}
