//! One saved text, whatever it is of what phones print about frames: recognised by its content, read whole, or refused
//! in words.
//!
//! A Perfetto trace is no text: it is read in pieces. Must not know files.

use super::{Torn, kind, read_auto, read_frameless, torn};
use crate::gfxinfo::{Summary, read_summary};
use crate::logcat::read_saved;
use crate::timestats::{Counted, read_counted};
use farmjank_results::frame::{Sample, SourceId};
use farmjank_results::logcat_events::LogWatch;
use farmjank_seams::source::Unreadable;

/// What a saved text holds.
pub enum Text {
    /// Dumps of rings of one source, and what is missing at their end.
    Rings(SourceId, Vec<(String, Sample)>, Option<String>),
    /// An empty ring, and what that means.
    Frameless(Vec<(String, Sample)>, String),
    /// SurfaceFlinger's counts.
    Counted(Counted),
    /// A log.
    Log(LogWatch),
    /// HWUI's counters without its rings.
    Summary(Vec<Summary>),
}

/// Reads a saved text. `hint` names the source where the user did; otherwise the content decides. Of a log, only what
/// `package` logged counts, where one is given.
///
/// # Errors
/// What the text is when it is known to be something else, or where it was torn.
pub fn read_text(bytes: &[u8], hint: Option<SourceId>, package: Option<&str>) -> Result<Text, Unreadable> {
    match hint.or_else(|| kind(bytes)) {
        Some(SourceId::TimeStats) => read_counted(bytes).map(Text::Counted),
        Some(SourceId::Logcat) => read_saved(bytes, package).map(Text::Log),
        _ => of_ring(bytes, hint),
    }
}

/// HWUI's counters in a gfxinfo dump; none in any other text.
pub fn counters(bytes: &[u8], hint: Option<SourceId>) -> Vec<Summary> {
    let gfxinfo = hint.or_else(|| kind(bytes)) == Some(SourceId::Gfxinfo);
    if gfxinfo { read_summary(bytes) } else { Vec::new() }
}

/// Dumps of rings; what has none may be an empty ring or a summary.
fn of_ring(bytes: &[u8], hint: Option<SourceId>) -> Result<Text, Unreadable> {
    let unreadable = match read_auto(bytes, hint) {
        Ok((source, samples)) => {
            return match torn(bytes, source) {
                Some(Torn::Inside(why)) => Err(Unreadable::Garbled(why)),
                Some(Torn::End(why)) => Ok(Text::Rings(source, samples, Some(why))),
                None => Ok(Text::Rings(source, samples, None)),
            };
        }
        Err(unreadable) => unreadable,
    };
    if let Some(samples) = read_frameless(bytes).filter(|_| hint != Some(SourceId::Gfxinfo)) {
        return Ok(Text::Frameless(samples, unreadable.words().to_owned()));
    }
    match (&unreadable, counters(bytes, hint)) {
        (Unreadable::Garbled(_) | Unreadable::Empty(_), blocks) if !blocks.is_empty() => {
            Ok(Text::Summary(blocks))
        }
        _ => Err(unreadable),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Text, Unreadable> {
        read_text(text.as_bytes(), None, None)
    }

    #[test]
    fn a_ring_is_read_and_an_empty_one_says_so() {
        let ring = read("16666667\n1000000000\t1000000001\t1000000000\n0\t0\t0\n");
        assert!(
            matches!(ring, Ok(Text::Rings(SourceId::SurfaceFlinger, samples, None)) if samples.len() == 1)
        );
        let empty = read("16666667\n0\t0\t0\n0\t0\t0\n");
        assert!(matches!(empty, Ok(Text::Frameless(samples, why)) if samples.len() == 1 && !why.is_empty()));
    }

    #[test]
    fn a_text_of_another_kind_is_refused_by_its_name() {
        let why = read("DISPLAY MANAGER (dumpsys display)\n").err().unwrap().to_string();
        assert!(why.starts_with("this is a `dumpsys display` dump"), "{why}");
        assert!(counters(b"16666667\n", None).is_empty());
    }
}
