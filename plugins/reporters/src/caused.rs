//! `farmjank causes`: why frames were late, all together and one by one, and what main was held up by where none was
//! promised; for people, and as JSON ([`json`]).
//!
//! Pure: what was found in, text out. Must not know: how a cause is found, how times are charged. Names of threads,
//! locks and sections are of the phone and are made harmless before they are shown.

pub(crate) mod iterations;
mod of_issues;
mod of_run;
mod of_stacks;
mod shape;
mod stalls;

pub use of_issues::{IssuesView, issues_json, issues_table};
pub(crate) use of_run::of_cell;
pub use of_run::{cells_json, cells_table};
pub use of_stacks::{StacksView, stacks_json, stacks_table};
pub use shape::json;
pub(crate) use shape::named;

use crate::clean::{NAME, SENTENCE, line};
use crate::why;
use crate::words::several;
use farmjank_leaf::text;
use farmjank_results::hitch_causes::{FrameCause, Group, HitchCause, HitchCauses, LateFrame};
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
    pub found: &'a HitchCauses,
    /// Causes are told with their fingerprints, by which a history follows them.
    pub fingerprints: bool,
}

/// The text for people.
pub fn table(view: &CausedView<'_>) -> String {
    let found = view.found;
    let mut out = head(view);
    if found.hitch_us > found.unknown_us {
        out += &bar(found);
        out += "\nWhy\n";
        let most = shown(found.causes.iter().map(|cause| cause.us), found.hitch_us, CAUSES);
        found.causes[..most].iter().for_each(|cause| out += &told(cause, view));
        rest(&mut out, found, most);
    }
    if !found.frames.is_empty() {
        out += "\nLate frames\n";
        found.frames.iter().take(FRAMES).for_each(|late| out += &one(late));
        let more = (found.late_frames as usize).saturating_sub(FRAMES);
        if more > 0 {
            out += &format!("  and {} (--format json tells of all)\n", several(more, "more", "more"));
        }
    }
    out += &stalls::section(&found.stalls);
    if !found.doubts.is_empty() {
        out += "\nTo be known\n";
        found.doubts.iter().for_each(|doubt| wrapped(&mut out, "  ", &line(doubt, SENTENCE)));
    }
    out
}

fn head(view: &CausedView<'_>) -> String {
    let found = view.found;
    let (late, in_time) = (found.late_frames, found.in_time);
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
        in_time if !found.usual_known() => format!(
            "only {} to hold them against: what is usual cannot be told, and is charged too",
            several(in_time, "frame in time", "frames in time")
        ),
        in_time => format!("held against {}", several(in_time, "frame in time", "frames in time")),
    };
    if late > 0 {
        out += &format!("{in_time}\n");
    }
    if found.dropped > 0 {
        let dropped = several(found.dropped, "frame was", "frames were");
        out += &format!("{dropped} replaced before being shown: they are late nowhere and have no causes\n");
    }
    if let Some(stacks) = why::stacks(found) {
        wrapped(&mut out, "", &line(&stacks, SENTENCE));
    }
    out
}

/// What is charged to the app, to waits, to the phone, and to nothing.
fn bar(found: &HitchCauses) -> String {
    let of = |group: Group| found.of_group(group);
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

fn told(cause: &HitchCause, view: &CausedView<'_>) -> String {
    let found = view.found;
    let mut out = time(cause.us);
    let usual = match found.usual_known() {
        true => format!(" · usually {}", ms(cause.usual_us)),
        false => String::new(),
    };
    let print = match view.fingerprints {
        true => format!(" · {}", line(&cause.fingerprint, NAME)),
        false => String::new(),
    };
    let owner = why::owner(cause).map(|owner| format!(" · {}", line(&owner, NAME))).unwrap_or_default();
    out += &format!(
        "{} · {} of {}{usual} · {}{owner}{print}\n",
        line(&cause.named.kind, NAME),
        cause.frames,
        several(found.late_frames, "late frame", "late frames"),
        cause.confidence.word()
    );
    let indent = " ".repeat(TIMES);
    wrapped(&mut out, &indent, &line(&cause.named.title, SENTENCE));
    if !cause.detail.is_empty() {
        wrapped(&mut out, &indent, &line(&cause.detail, SENTENCE));
    }
    out
}

/// What is not told cause by cause: small ones, what nothing explains, what was lost.
fn rest(out: &mut String, found: &HitchCauses, told: usize) {
    let small = found.smaller_us + found.causes[told..].iter().map(|cause| cause.us).sum::<i64>();
    if small >= TENTH {
        let count = found.causes.len() - told + found.smaller as usize;
        *out += &format!("{}{}\n", time(small), several(count, "smaller cause", "smaller causes"));
    }
    for one in found.unexplained.iter().filter(|one| one.us >= TENTH) {
        *out += &format!("{}unexplained: {}\n", time(one.us), line(&one.reason, SENTENCE));
    }
    if found.unknown_us > 0 {
        *out += &format!("{}of frames nothing can be said of\n", time(found.unknown_us));
    }
}

fn one(late: &LateFrame) -> String {
    let at = trimmed(late.shown_at.ns() as f64 / 1e9, 3);
    let mut out = format!(
        "  frame {} of {}, shown at {at} s: {} late\n",
        late.token,
        line(&late.layer, 60),
        ms(late.hitch_us)
    );
    let Some(told) = &late.charged else {
        let why = late.reason.as_deref().unwrap_or("no reason is given");
        return out + &format!("    nothing can be said of it: {}\n", text::line(why, SENTENCE));
    };
    let most = shown(told.causes.iter().map(|one| one.us), late.hitch_us, OF_FRAME);
    let (large, small) = told.causes.split_at(most);
    large.iter().for_each(|one| part(&mut out, one, late.hitch_us));
    let more = told.smaller_us + small.iter().map(|one| one.us).sum::<i64>();
    if more >= TENTH {
        let count = small.len() + told.smaller as usize;
        out += &format!("    {}: {}\n", several(count, "smaller cause", "smaller causes"), ms(more));
    }
    if told.unexplained_us >= TENTH {
        out += &format!("    unexplained: {}\n", ms(told.unexplained_us));
    }
    out
}

fn part(out: &mut String, charged: &FrameCause, hitch_us: i64) {
    let sentence = line(&charged.named.title, SENTENCE);
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
