//! Tells by its content which kind of text a saved file is, reads it, or refuses it by its name.
//!
//! People save all kinds of dumps; the answer to a wrong one is what it is, not a parse error. Must not know: files,
//! windows, metrics.

mod kind;
mod text;
mod torn;

pub use kind::kind;
pub use text::{Text, counters, read_text};
pub use torn::{Torn, torn};

use crate::gfxinfo::read_framestats;
use crate::stacks::{self, matrix};
use crate::surfaceflinger::{named, read_blocks, read_latency};
use crate::text::{contains, decode, lines};
use farmjank_results::frame::{Sample, SourceId};
use farmjank_seams::source::Unreadable;

/// How much of a text is searched for what it is, bytes.
const SEARCHED: usize = 64 * 1024;
/// The name of a layer that a saved dump does not tell.
const LAYER: &str = "layer";

/// Texts that are no source of frames, by what they contain, most telling first.
const OTHERS: [(&str, &str); 24] = [
    ("DISPLAY MANAGER (dumpsys display)", "a `dumpsys display` dump"),
    ("DisplayDeviceInfo{", "a `dumpsys display` dump"),
    ("SurfaceFlinger TimeStats:", "a `dumpsys SurfaceFlinger --timestats` dump"),
    ("Legacy stats are as follows:", "a `dumpsys SurfaceFlinger --timestats` dump"),
    ("presentToPresent histogram is as below:", "a `dumpsys SurfaceFlinger --timestats` dump"),
    ("totalTimelineFrames = ", "a `dumpsys SurfaceFlinger --timestats` dump"),
    ("Build configuration: [sf", "a full `dumpsys SurfaceFlinger` dump"),
    ("Visible layers (count = ", "a full `dumpsys SurfaceFlinger` dump"),
    ("RequestedLayerState{", "a `dumpsys SurfaceFlinger --list` dump"),
    ("WINDOW MANAGER ", "a `dumpsys window` dump"),
    ("mCurrentFocus=", "a `dumpsys window` dump"),
    ("mFocusedApp=", "a `dumpsys window` dump"),
    ("POWER MANAGER (dumpsys power)", "a `dumpsys power` dump"),
    ("Applications Memory Usage", "a `dumpsys meminfo` dump"),
    ("IsStatusOverride: ", "a `dumpsys thermalservice` dump"),
    ("Thermal Status: ", "a `dumpsys thermalservice` dump"),
    ("USB powered: ", "a `dumpsys battery` dump"),
    ("Starting: Intent {", "the output of `am start`"),
    ("Davey! duration=", "a logcat with `Davey!` lines"),
    ("--------- beginning of ", "a logcat"),
    ("<?xml", "an XML file"),
    ("\"traceEvents\"", "a Chrome JSON trace"),
    ("# tracer: nop", "a systrace"),
    ("<!DOCTYPE html", "a web page"),
];

/// Reads a dump of rings that someone saved: which source it is from, and the samples of each ring in it.
///
/// `hint` names the source where the user did; otherwise the content decides. A name that comes again is a later dump
/// of the same ring. Samples carry no stamps. A latency dump does not tell its layer: its ring is called `layer`.
/// Errors say what the text is when it is known to be something else.
pub fn read_auto(
    bytes: &[u8],
    hint: Option<SourceId>,
) -> Result<(SourceId, Vec<(String, Sample)>), Unreadable> {
    if let Some(kind) = of_causes(bytes).or_else(|| binary(bytes)) {
        return Err(other(kind));
    }
    let text = decode(bytes);
    let source = hint.or_else(|| kind::of_text(&text));
    let read = match source {
        Some(SourceId::SurfaceFlinger) => {
            read_latency(&text).map(|blocks| (SourceId::SurfaceFlinger, named(LAYER, blocks, None, None)))
        }
        Some(SourceId::Gfxinfo) => read_framestats(&text, None).map(|windows| {
            (SourceId::Gfxinfo, windows.into_iter().map(|window| (window.name(), window.sample)).collect())
        }),
        Some(SourceId::FrameTimeline | SourceId::TimeStats | SourceId::Logcat | SourceId::Resources)
        | None => Err(Unreadable::Garbled(first_line(&text))),
    };
    read.map_err(|error| explain(&text, source, error))
}

/// The samples of a latency dump that holds no frame at all: every row zero, or a period without rows. None for any
/// other text.
///
/// [`read_auto`] refuses such a dump, and rightly when it stands alone; among successive dumps of one ring it says that
/// the ring was empty then.
pub fn read_frameless(bytes: &[u8]) -> Option<Vec<(String, Sample)>> {
    let blocks = binary(bytes).is_none().then(|| read_blocks(bytes).ok()).flatten()?;
    let frameless = blocks.iter().all(|block| block.hollow() || block.printed() == 0);
    frameless.then(|| named(LAYER, blocks, None, None))
}

fn explain(text: &[u8], source: Option<SourceId>, error: Unreadable) -> Unreadable {
    let Unreadable::Garbled(line) = error else { return error };
    if text.trim_ascii().is_empty() {
        return Unreadable::Garbled("the file is empty".to_owned());
    }
    let head = &text[..text.len().min(SEARCHED)];
    if kind::is_raw_log(head) {
        return other(RAW_LOG);
    }
    if let Some((_, kind)) = OTHERS.iter().find(|(known, _)| contains(head, known.as_bytes())) {
        return other(kind);
    }
    if let Some(refusal) = lines(head).take(20).find_map(crate::refusal::refusal) {
        return Unreadable::Refused(refusal.what);
    }
    match source {
        Some(SourceId::SurfaceFlinger) => {
            Unreadable::Garbled(format!("not a `--latency` dump at this line: `{line}`"))
        }
        Some(SourceId::Gfxinfo) => Unreadable::Garbled(format!("no framestats in it: {line}")),
        Some(SourceId::FrameTimeline | SourceId::TimeStats | SourceId::Logcat | SourceId::Resources)
        | None => Unreadable::Garbled(format!("not a dump farmjank knows; it begins with `{line}`; {READS}")),
    }
}

/// What `logcat -v raw` prints: messages, and nothing of who logged them.
const RAW_LOG: &str = "a logcat saved with `-v raw`, which leaves out who logged a line and when: save it again with `-v threadtime`, \
                       or `-v monotonic`";

const READS: &str = "farmjank analyze reads `dumpsys SurfaceFlinger --latency LAYER`, \
                     `dumpsys gfxinfo PACKAGE framestats`, `dumpsys SurfaceFlinger --timestats -dump`, Perfetto traces and \
                     logcats";

fn other(kind: &str) -> Unreadable {
    Unreadable::Garbled(format!("this is {kind}; {READS}"))
}

fn first_line(text: &[u8]) -> String {
    crate::text::shown(lines(text).find(|line| !line.trim_ascii().is_empty()).unwrap_or_default())
}

/// What tells of methods and not of frames.
fn of_causes(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        _ if stacks::is_recording(bytes) => {
            Some("a recording of call stacks: `farmjank causes FILE` tells which methods held main up")
        }
        [b'{' | b'[', ..] if matrix::is_matrix(&bytes[..bytes.len().min(SEARCHED)]) => {
            Some("issues of the Matrix library: `farmjank causes FILE` tells which methods were slow")
        }
        _ => None,
    }
}

/// What a file is that is no text at all.
fn binary(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => None,
        [0x1f, 0x8b, ..] => Some("a gzip file: unpack it first"),
        [b'P', b'K', 3 | 5, ..] => Some("a zip file: unpack it first"),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Some("a zstd file: unpack it first"),
        [0x89, b'P', b'N', b'G', ..] => Some("a picture"),
        _ if !bytes[..bytes.len().min(8192)].contains(&0) => None,
        _ if kind::is_trace(bytes) => Some("a binary file, by its first bytes a Perfetto trace"),
        _ => Some("a binary file"),
    }
}
