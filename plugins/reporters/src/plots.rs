//! Pictures of frames for readers that show attachments beside a failed case: an SVG for every cell that did not pass.
//!
//! Record and frame logs in, files of the bundle out (`plots/<cell>.svg`); JUnit names them. Must not know: files,
//! scripts. Text is cleaned, then escaped; nothing in a picture acts or asks for more. Times are µs of motion, heights
//! vsyncs.

use crate::barcode::{Frames, frames, late_words, worst};
use crate::cells::{Cell, phone, worst_first};
use crate::clean::xml_attribute;
use crate::html::index::key;
use crate::html::paper::text;
use crate::sentence::virtual_label;
use crate::story::trial_words;
use crate::words;
use farmjank_results::event::Event;
use farmjank_results::frame_log::{Bar, What};
use farmjank_results::record::Record;
use farmjank_results::verdict::Verdict;
use farmjank_results::window::Why;
use farmjank_seams::reporter::{Delivery, FrameLogs, Reporter};
use std::fmt::Write as _;

/// Most pictures of a run: the worst cells.
const MOST: usize = 200;
/// Longest name written, characters: what fits.
const LONG: usize = 90;

/// The picture, px: its size, and where the plot in it begins and ends.
const WIDE: f64 = 760.0;
const TALL: f64 = 200.0;
const LEFT: f64 = 50.0;
const RIGHT: f64 = 748.0;
const TOP: f64 = 52.0;
const BOTTOM: f64 = 176.0;

/// Writes the pictures when the run is complete.
pub struct Plots;

impl Reporter for Plots {
    fn name(&self) -> &str {
        "plots"
    }

    fn observe(&mut self, _: &Event, _: &Record) -> Vec<Delivery> {
        Vec::new()
    }

    fn conclude(&mut self, record: &Record, frame_logs: &dyn FrameLogs) -> Vec<Delivery> {
        let one = |(path, cell): (String, Cell<'_>)| Delivery::File {
            path,
            bytes: svg(&cell, frame_logs).into_bytes(),
        };
        drawn(record).into_iter().map(one).collect()
    }
}

/// The cells that have a picture, worst first, and its path in the bundle.
pub(crate) fn drawn(record: &Record) -> Vec<(String, Cell<'_>)> {
    let bad = |cell: &Cell<'_>| !matches!(cell.verdict, None | Some(Verdict::Pass));
    let seen = |cell: &Cell<'_>| cell.counted().any(|(_, window)| window.frame_log.is_some());
    let wanted = worst_first(record).into_iter().filter(|cell| bad(cell) && seen(cell)).take(MOST);
    wanted.map(|cell| (format!("plots/{}.svg", key(&cell)), cell)).collect()
}

/// The frames of a cell's worst iteration that counts.
pub fn svg(cell: &Cell<'_>, frame_logs: &dyn FrameLogs) -> String {
    let mut all = frames(cell, frame_logs);
    all.retain(Frames::counted);
    let named = |name: &str| text(&xml_attribute(name, LONG));
    let about = match (worst(&all), all.first()) {
        (Some((late, at, one)), _) => {
            format!("{}: {}", trial_words(cell.job, one.trial.trial), late_words(late, at))
        }
        (None, Some(one)) => format!("{}: no frame was late", trial_words(cell.job, one.trial.trial)),
        (None, None) => "its frames are not in the bundle, or cannot be read".to_owned(),
    };
    let place = virtual_label(cell.record).map_or_else(String::new, |label| format!(" · {label}"));
    let title = format!(
        "{}: {} › {}",
        words::verdict(cell.verdict),
        named(&cell.job.planned.scenario),
        named(cell.name)
    );
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDE} {TALL}\" width=\"{WIDE}\" height=\"{TALL}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"11\" role=\"img\">\n<title>{title}</title>\n<defs>{}</defs>\n\
         <rect width=\"{WIDE}\" height=\"{TALL}\" fill=\"#fff\"/>\n\
         <text x=\"12\" y=\"19\" font-size=\"14\" font-weight=\"bold\" fill=\"#1a1d21\">{title}</text>\n\
         <text x=\"12\" y=\"37\" fill=\"#626b76\">{}{} · {}</text>\n",
        HATCHES,
        named(&phone(cell.device(), cell.facts())),
        named(&place),
        text(&about),
    );
    if let Some(one) = worst(&all).map(|(.., one)| one).or(all.first()) {
        plot(&mut out, &one.frame_log.bars);
    }
    out + "</svg>\n"
}

/// Idle, ambiguous, lost: told apart by how their lines run.
const HATCHES: &str = "<pattern id=\"i\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 7L7 0\" stroke=\"#626b76\"/></pattern>\
                       <pattern id=\"a\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 0L7 7\" stroke=\"#95660a\"/></pattern>\
                       <pattern id=\"g\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 0L7 7M0 7L7 0\" stroke=\"#7a45b0\"/></pattern>";

/// Bars as long as frames were shown and as high as the vsyncs they took; above eight vsyncs heights grow slower.
fn plot(out: &mut String, bars: &[Bar]) {
    let end = bars.last().map_or(1, Bar::to_us).max(1) as f64;
    let tallest = bars.iter().map(|bar| bar.vsyncs.max(bar.cadence)).max().unwrap_or(1).max(2);
    let up = |vsyncs: u32| match f64::from(vsyncs) {
        high if tallest > 8 && high > 2.0 => 2.0 + (high / 2.0).log2() * 1.5,
        high => high,
    };
    let x = |us: u64| LEFT + us as f64 / end * (RIGHT - LEFT);
    let y = |vsyncs: u32| BOTTOM - up(vsyncs) / up(tallest) * (BOTTOM - TOP);
    let mut on = String::new();
    let mut late = String::new();
    let mut due = String::new();
    let mut run: Option<(u64, u64, u32)> = None;
    let mut close = |run: Option<(u64, u64, u32)>| {
        let Some((from, to, cadence)) = run else { return };
        let _ = write!(on, "M{:.1} {BOTTOM}V{:.1}H{:.1}V{BOTTOM}z", x(from), y(cadence), x(to));
        let _ = write!(due, "M{:.1} {:.1}H{:.1}", x(from), y(cadence), x(to));
    };
    for bar in bars {
        let (from, to) = (x(bar.from_us), x(bar.to_us()));
        if bar.what != What::Frame {
            let (hatch, word) = uncounted(bar);
            let _ = writeln!(
                out,
                "<rect x=\"{from:.1}\" y=\"{TOP}\" width=\"{:.1}\" height=\"{}\" fill=\"url(#{hatch})\"><title>{word}</title></rect>",
                to - from,
                BOTTOM - TOP
            );
        } else {
            if bar.late() > 0 {
                let _ = write!(
                    late,
                    "M{from:.1} {:.1}V{:.1}H{to:.1}V{:.1}z",
                    y(bar.cadence),
                    y(bar.vsyncs),
                    y(bar.cadence)
                );
            }
            // Frames in a row are one shape: a picture stays small however many there are.
            run = match run {
                Some((begin, ended, cadence)) if ended == bar.from_us && cadence == bar.cadence => {
                    Some((begin, bar.to_us(), cadence))
                }
                other => {
                    close(other);
                    Some((bar.from_us, bar.to_us(), bar.cadence))
                }
            };
        }
    }
    close(run);
    let _ = write!(
        out,
        "<path d=\"{on}\" fill=\"#b4bdc9\"/>\n<path d=\"{late}\" fill=\"#c0322b\" stroke=\"#fff\"/>\n\
         <path d=\"{due}\" fill=\"none\" stroke=\"#1a1d21\" stroke-dasharray=\"4 3\"/>\n<path d=\"M{LEFT} {BOTTOM}H{RIGHT}\" stroke=\"#e4e7eb\"/>\n\
         <g fill=\"#626b76\"><text x=\"{l}\" y=\"{:.1}\" text-anchor=\"end\">{tallest}</text><text x=\"{l}\" y=\"{:.1}\" text-anchor=\"end\">1</text>\
         <text x=\"{l}\" y=\"{BOTTOM}\" text-anchor=\"end\">vsyncs</text><text x=\"{LEFT}\" y=\"{t}\">0 s</text>\
         <text x=\"{RIGHT}\" y=\"{t}\" text-anchor=\"end\">{:.2} s</text></g>\n",
        y(tallest) + 4.0,
        y(1) + 4.0,
        end / 1e6,
        l = LEFT - 4.0,
        t = BOTTOM + 15.0,
    );
}

fn uncounted(bar: &Bar) -> (&'static str, &'static str) {
    match bar.what {
        What::Uncounted(Why::Ambiguous) => ("a", "ambiguous"),
        What::Uncounted(Why::Gap) => ("g", "gap: frames may be lost"),
        _ => ("i", "idle"),
    }
}
