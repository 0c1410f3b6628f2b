//! Cells told together, for programs.

use crate::clean::json_text;
use crate::sentence;
use farmjank_results::patterns::{Pattern, Trait};
use farmjank_results::record::Record;
use farmjank_results::verdict::Verdict;
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct PatternShape {
    verdict: Verdict,
    /// The sentence every report says.
    sentence: String,
    cells: usize,
    windows: Vec<WindowShape>,
    /// Serials.
    phones: Vec<String>,
    /// Phones for which any of the windows was judged.
    of_phones: usize,
    /// Phones on which every one of the windows came to that.
    in_all_windows: usize,
    causes: Vec<CauseShape>,
    likeness: Option<LikenessShape>,
}

#[derive(Serialize)]
struct WindowShape {
    scenario: String,
    window: String,
    phones: usize,
    of_phones: usize,
}

#[derive(Serialize)]
struct CauseShape {
    cause: String,
    cells: usize,
}

#[derive(Serialize)]
struct LikenessShape {
    kind: &'static str,
    value: String,
    phones: usize,
    other_phones: usize,
}

pub(super) fn patterns(record: &Record) -> Vec<PatternShape> {
    sentence::patterns(record).0.iter().map(|(pattern, said)| shape(pattern, said)).collect()
}

fn shape(pattern: &Pattern, said: &str) -> PatternShape {
    let window = |one: &farmjank_results::patterns::PatternWindow| WindowShape {
        scenario: json_text(&one.scenario),
        window: json_text(&one.window),
        phones: one.phones,
        of_phones: one.of,
    };
    PatternShape {
        verdict: pattern.verdict,
        sentence: json_text(said),
        cells: pattern.cells,
        windows: pattern.windows.iter().map(window).collect(),
        phones: pattern.phones.iter().map(|id| json_text(&id.0)).collect(),
        of_phones: pattern.of,
        in_all_windows: pattern.everywhere,
        causes: pattern
            .causes
            .iter()
            .map(|(cause, cells)| CauseShape { cause: json_text(cause), cells: *cells })
            .collect(),
        likeness: pattern.likeness.as_ref().map(|likeness| LikenessShape {
            kind: kind(&likeness.what),
            value: json_text(&likeness.what.to_string()),
            phones: likeness.has,
            other_phones: likeness.others,
        }),
    }
}

fn kind(what: &Trait) -> &'static str {
    match what {
        Trait::Hz(_) | Trait::HzAtLeast(_) | Trait::HzAtMost(_) => "refresh_rate",
        Trait::Model(_) => "model",
        Trait::Android(_) | Trait::AndroidAtLeast(..) | Trait::AndroidAtMost(..) => "android",
        Trait::Tag(_) => "tag",
    }
}
