//! `farmjank causes`: why frames were late, all together and one by one, for people; and as JSON ([`json`]).
//!
//! Pure: what was found in, text out. Must not know: how a cause is found, how times are charged. Names of threads,
//! locks and sections are of the phone and are made harmless before they are shown.

mod shape;

pub use shape::json;

use crate::clean::{NAME, SENTENCE, line};
use crate::words::several;
use farmjank_causes::add::Charged;
use farmjank_causes::inquiry::{Found, Late, Total};
use farmjank_causes::kind::Group;
use farmjank_leaf::text;
use farmjank_results::words::trimmed;

/// Columns of a time and its unit, in front of what it is of.
const TIMES: usize = 11;
/// What is shown as more than nothing, µs.
const TENTH: i64 = 50;
/// Columns of the bar.
const BAR: i64 = 48;
/// Causes told in all, and of one frame, if they are this share of the whole, one in so many; late frames told one by
/// one.
const CAUSES: usize = 12;
const OF_FRAME: usize = 4;
const SHARE: i64 = 50;
const FRAMES: usize = 20;
/// Columns a sentence is wrapped to.
const WIDTH: usize = 100;

/// What is told of.
#[derive(Clone, Copy, Debug)]
pub struct CausedView<'a> {
    /// The app's processes, as the trace names them.
    pub app: &'a str,
    /// What was found.
    pub found: &'a Found,
    /// Frames that were never shown.
    pub dropped: usize,
    /// What keeps the answer from being whole, in sentences.
    pub doubts: &'a [String],
}

/// The text for people.
pub fn table(view: &CausedView<'_>) -> String {
    let found = view.found;
    let mut out = head(view);
    if found.hitch_us > found.unknown_us {
        out += &bar(found);
        out += "\nWhy\n";
        let most = shown(found.totals.iter().map(|total| total.us), found.hitch_us, CAUSES);
        found.totals[..most].iter().for_each(|total| out += &told(total, found));
        rest(&mut out, found, most);
    }
    if !found.late.is_empty() {
        out += "\nLate frames\n";
        found.late.iter().take(FRAMES).for_each(|late| out += &one(late));
        let more = found.late.len().saturating_sub(FRAMES);
        if more > 0 {
            out += &format!("  and {} (--format json tells of all)\n", several(more, "more", "more"));
        }
    }
    if !view.doubts.is_empty() {
        out += "\nTo be known\n";
        view.doubts.iter().for_each(|doubt| wrapped(&mut out, "  ", &line(doubt, SENTENCE)));
    }
    out
}

fn head(view: &CausedView<'_>) -> String {
    let found = view.found;
    let (late, in_time) = (found.late.len(), found.in_time);
    let mut out = match late {
        0 => format!("{}: no frame was late\n", line(view.app, NAME)),
        _ => format!(
            "{}: {}, {} late in all\n",
            line(view.app, NAME),
            several(late, "late frame", "late frames"),
            ms(found.hitch_us)
        ),
    };
    let in_time = match in_time {
        0 => "no frame in time to hold them against: usual work is charged too".to_owned(),
        in_time if in_time < farmjank_causes::add::FEWEST => format!(
            "only {} to hold them against: what is usual cannot be told, and is charged too",
            several(in_time, "frame in time", "frames in time")
        ),
        in_time => format!("held against {}", several(in_time, "frame in time", "frames in time")),
    };
    if late > 0 {
        out += &format!("{in_time}\n");
    }
    if view.dropped > 0 {
        let dropped = several(view.dropped, "frame was", "frames were");
        out += &format!("{dropped} replaced before being shown: they are late nowhere and have no causes\n");
    }
    out
}

/// What is charged to the app, to waits, to the phone, and to nothing.
fn bar(found: &Found) -> String {
    let of = |group: Group| -> i64 {
        let charged = found.totals.iter().filter(|total| total.cause.group() == group);
        charged.map(|total| total.us).sum::<i64>()
            + if group == Group::Unexplained { found.unexplained_us } else { 0 }
    };
    let all = (found.hitch_us - found.unknown_us).max(1);
    let (mut filled, mut drawn) = (String::new(), 0);
    let mut sum = 0;
    for (group, glyph) in Group::ALL.into_iter().zip(['█', '▓', '▒', '░']) {
        sum += of(group);
        let end = sum * BAR / all;
        filled.extend(std::iter::repeat_n(glyph, (end - drawn).max(0) as usize));
        drawn = end.max(drawn);
    }
    let words = Group::ALL.into_iter().zip(["█", "▓", "▒", "░"]).filter(|(group, _)| of(*group) >= TENTH);
    let words: Vec<String> =
        words.map(|(group, glyph)| format!("{glyph} {} {}", group.word(), ms(of(group)))).collect();
    format!("\n  {filled}\n  {}\n", words.join("  "))
}

/// How many of these are told: those that are a share of the whole worth telling, most first.
fn shown(all: impl Iterator<Item = i64>, whole: i64, most: usize) -> usize {
    all.take(most).take_while(|us| us.saturating_mul(SHARE) >= whole).count()
}

fn told(total: &Total, found: &Found) -> String {
    let cause = &total.cause;
    let mut out = time(total.us);
    let usual = match found.in_time < farmjank_causes::add::FEWEST {
        true => String::new(),
        false => format!(" · usually {}", ms(total.usual_us)),
    };
    out += &format!(
        "{} · {} of {}{usual} · {}\n",
        line(&cause.word(), NAME),
        total.frames,
        several(found.late.len(), "late frame", "late frames"),
        total.confidence.word()
    );
    let indent = " ".repeat(TIMES);
    wrapped(&mut out, &indent, &line(&cause.sentence(), SENTENCE));
    if !total.detail.is_empty() {
        wrapped(&mut out, &indent, &line(&total.detail, SENTENCE));
    }
    out
}

/// What is not told cause by cause: small ones, what nothing explains, what was lost.
fn rest(out: &mut String, found: &Found, told: usize) {
    let small: i64 = found.totals[told..].iter().map(|total| total.us).sum();
    if small >= TENTH {
        let count = found.totals.len() - told;
        *out += &format!("{}{}\n", time(small), several(count, "smaller cause", "smaller causes"));
    }
    for (why, us) in found.why.iter().filter(|(_, us)| *us >= TENTH) {
        *out += &format!("{}unexplained: {}\n", time(*us), why.words());
    }
    if found.unknown_us > 0 {
        *out += &format!("{}of frames nothing can be said of\n", time(found.unknown_us));
    }
}

fn one(late: &Late) -> String {
    let frame = &late.frame;
    let at = trimmed(frame.to as f64 / 1e9, 3);
    let mut out = format!(
        "  frame {} of {}, shown at {at} s: {} late\n",
        frame.token,
        line(&frame.layer, 60),
        ms(frame.hitch / 1_000)
    );
    match &late.charges {
        Err(why) => out += &format!("    nothing can be said of it: {}\n", text::line(why, SENTENCE)),
        Ok((charges, _)) => {
            let hitch_us = frame.hitch / 1_000;
            let most = shown(charges.charged.iter().map(|charged| charged.us), hitch_us, OF_FRAME);
            let (told, small) = charges.charged.split_at(most);
            told.iter().for_each(|charged| part(&mut out, charged, hitch_us));
            let more: i64 = small.iter().map(|charged| charged.us).sum();
            if more >= TENTH {
                let count = small.len();
                out += &format!("    {}: {}\n", several(count, "smaller cause", "smaller causes"), ms(more));
            }
            if charges.unexplained_us >= TENTH {
                out += &format!("    unexplained: {}\n", ms(charges.unexplained_us));
            }
        }
    }
    out
}

fn part(out: &mut String, charged: &Charged, hitch_us: i64) {
    let sentence = line(&charged.cause.sentence(), SENTENCE);
    let took = match (charged.us - charged.took_us).abs() < 2 * TENTH {
        true => String::new(),
        false => format!(" (it took {})", ms(charged.took_us)),
    };
    wrapped(out, "    ", &format!("{sentence}: {} of {}{took}", ms(charged.us), ms(hitch_us)));
}

fn time(us: i64) -> String {
    format!("{:>width$}  ", ms(us), width = TIMES - 2)
}

/// A time, in ms to the tenth.
fn ms(us: i64) -> String {
    format!("{:.1} ms", us as f64 / 1e3)
}

fn wrapped(out: &mut String, indent: &str, text: &str) {
    for row in crate::paint::wrap(text, WIDTH - indent.len(), 2) {
        *out += &format!("{indent}{row}\n");
    }
}
