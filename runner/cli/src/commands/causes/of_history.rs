//! `farmjank causes --history FINGERPRINT`: one cause over the runs that a history store keeps.

use crate::args::AnalyzeFormat;
use crate::command_error::{CommandError, usage};
use crate::history::open_existing;
use farmjank_leaf::text::typed;
use farmjank_reporters::cause_life::{CauseHistory, nights, nights_json};
use farmjank_results::cause_life::lines;

/// Fewest digits that name a fingerprint, and all of them.
const DIGITS: std::ops::RangeInclusive<usize> = 4..=16;
/// Fingerprints listed that begin alike.
const MOST: usize = 10;

/// What is printed.
///
/// # Errors
/// It is no fingerprint, the store cannot be read, or no run in it has such a cause.
pub fn answer(wanted: &str, place: &str, format: AnalyzeFormat) -> Result<String, CommandError> {
    let start = wanted.trim().to_ascii_lowercase();
    if !DIGITS.contains(&start.len()) || !start.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(usage!(
            "`{}` is no fingerprint: give its 16 hexadecimal digits, or the first few, as `farmjank causes RUN` shows them; \
             where the store lies is said by --store",
            typed(wanted, 80)
        ));
    }
    let mut store = open_existing(place)?;
    let place = store.place();
    let found = store.fingerprints(&start, MOST)?;
    let fingerprint = match found.as_slice() {
        [one] => one,
        [] => {
            return Err(usage!(
                "no run in {place} has a cause {start}: runs with --causes keep theirs there, those of before by \
                 `farmjank history --add RUN`"
            ));
        }
        several => {
            return Err(usage!("{start} begins several fingerprints: {}", several.join(", ")));
        }
    };
    let all = store.cause(fingerprint)?;
    let lines = lines(fingerprint, &all);
    let history = CauseHistory { place: &place, fingerprint, nights: &all, lines: &lines };
    Ok(match format {
        AnalyzeFormat::Json => nights_json(&history),
        AnalyzeFormat::Table => nights(&history),
    })
}
