//! The frames of a window as columns: numbers as memory that Python, and whatever counts there, reads without copying.

use farmjank_results::frame_log::{Bar, FrameLog, What};
use farmjank_results::frame_timeline::JankOwner;
use farmjank_results::metrics::STAGE_NAMES;
use farmjank_results::motion::Phase;
use farmjank_results::window::Why;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyMemoryView, PyString};

/// A column of whole numbers, and what of a bar it holds.
type Number = (&'static str, fn(&Bar) -> u64);
/// A column of words, and which; none where a bar has none.
type Word = (&'static str, fn(&Bar) -> Option<&'static str>);

const NUMBERS: [Number; 8] = [
    ("from_us", |bar| bar.from_us),
    ("to_us", Bar::to_us),
    ("length_us", |bar| bar.length_us),
    ("period_ns", |bar| bar.period_ns),
    ("vsyncs", |bar| bar.vsyncs.into()),
    ("due_vsyncs", |bar| bar.cadence.into()),
    ("late_vsyncs", |bar| bar.late().into()),
    ("late_us", Bar::late_us),
];
const WORDS: [Word; 4] = [
    ("what", |bar| Some(what(bar.what))),
    ("phase", |bar| Some(phase(bar.phase))),
    ("owner", |bar| bar.owner.map(|owner| owner.word())),
    ("stage", |bar| bar.stage.map(|stage| STAGE_NAMES.get(usize::from(stage)).copied().unwrap_or(SEVERAL))),
];

/// Stages that ate a frame together.
const SEVERAL: &str = "several";

/// Every word that a column of words may have, in the order of the format.
pub(crate) fn words() -> [(&'static str, Vec<&'static str>); 4] {
    let why = [Why::Idle, Why::Ambiguous, Why::Gap].map(What::Uncounted);
    let phases = [Phase::Finger, Phase::Fling, Phase::Scroll, Phase::Free];
    [
        ("what", [What::Frame].into_iter().chain(why).map(what).collect()),
        ("phase", phases.map(phase).to_vec()),
        ("owner", JankOwner::ALL.map(JankOwner::word).to_vec()),
        ("stage", STAGE_NAMES.into_iter().chain([SEVERAL]).collect()),
    ]
}

/// All columns by name, and the instant their times count from.
pub(crate) fn of<'py>(py: Python<'py>, frames: &FrameLog) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    columns.set_item("origin_ns", frames.origin.ns())?;
    for (name, number) in NUMBERS {
        columns.set_item(name, numbers(py, frames.bars.iter().map(number))?)?;
    }
    for (name, word) in WORDS {
        let words = frames.bars.iter().map(|bar| word(bar).map(|word| PyString::intern(py, word)));
        columns.set_item(name, PyList::new(py, words.collect::<Vec<_>>())?)?;
    }
    Ok(columns)
}

/// Signed, so that what is subtracted of them stays what it is; no bar has a number that does not fit.
fn numbers<'py>(py: Python<'py>, values: impl Iterator<Item = u64>) -> PyResult<Bound<'py, PyAny>> {
    let signed = values.map(|value| i64::try_from(value).unwrap_or(i64::MAX));
    let bytes: Vec<u8> = signed.flat_map(i64::to_ne_bytes).collect();
    PyMemoryView::from(&PyBytes::new(py, &bytes))?.call_method1("cast", ("q",))
}

fn what(what: What) -> &'static str {
    match what {
        What::Frame => "frame",
        What::Uncounted(Why::Idle) => "idle",
        What::Uncounted(Why::Ambiguous) => "ambiguous",
        What::Uncounted(Why::Gap) => "gap",
    }
}

fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Finger => "finger",
        Phase::Fling => "fling",
        Phase::Scroll => "scroll",
        Phase::Free => "free",
    }
}
