//! Stalls without a frame, for people: all together by cause, and one by one.

use super::{CAUSES, FRAMES, OF_FRAME, TENTH, TIMES, ms, part, shown, time, wrapped};
use crate::clean::{NAME, SENTENCE, line};
use crate::words::several;
use farmjank_leaf::text;
use farmjank_results::hitch_causes::{HitchCause, StallCauses, Stalled};
use farmjank_results::time::BootTime;
use farmjank_results::words::trimmed;

/// The section of the text; empty where there was none.
pub(super) fn section(found: &StallCauses) -> String {
    if found.is_none() {
        return String::new();
    }
    let count = several(found.count, "stretch", "stretches");
    let head = format!(
        "{count} in which main was held up and no frame was promised, {} in all: in none of the numbers above",
        ms(found.us)
    );
    let mut out = "\nStalls\n".to_owned();
    wrapped(&mut out, "  ", &head);
    out + &told(found, &on_clock)
}

/// When one began, on the phone's clock.
pub(super) fn on_clock(began: BootTime) -> String {
    format!("{} s", trimmed(began.ns() as f64 / 1e9, 3))
}

/// All of them together, then one by one; `when` says when one began.
pub(super) fn told(found: &StallCauses, when: &dyn Fn(BootTime) -> String) -> String {
    let mut out = String::new();
    if found.count > 1 {
        let most = shown(found.causes.iter().map(|cause| cause.us), found.us, CAUSES);
        found.causes[..most].iter().for_each(|one| out += &cause(one, found));
        rest(&mut out, found, most);
    }
    // What is known of one alone is what is known of all.
    let alone = (found.count == 1).then_some(found);
    found.list.iter().take(FRAMES).for_each(|one| out += &stall(one, alone, when));
    let more = found.list.len().saturating_sub(FRAMES) + found.left_out as usize;
    if more > 0 {
        out += &format!("  and {}\n", several(more, "more", "more"));
    }
    out
}

fn cause(one: &HitchCause, found: &StallCauses) -> String {
    let mut out = time(one.us);
    out += &format!(
        "{} · {} of {} · {}\n",
        line(&one.named.kind, NAME),
        one.frames,
        several(found.count, "stall", "stalls"),
        one.confidence.word()
    );
    let indent = " ".repeat(TIMES);
    wrapped(&mut out, &indent, &line(&one.named.title, SENTENCE));
    if !one.detail.is_empty() {
        wrapped(&mut out, &indent, &line(&one.detail, SENTENCE));
    }
    out
}

fn rest(out: &mut String, found: &StallCauses, told: usize) {
    let small = found.smaller_us + found.causes[told..].iter().map(|cause| cause.us).sum::<i64>();
    if small >= TENTH {
        let count = found.causes.len() - told + found.smaller as usize;
        *out += &format!("{}{}\n", time(small), several(count, "smaller cause", "smaller causes"));
    }
    for one in found.unexplained.iter().filter(|one| one.us >= TENTH) {
        *out += &format!("{}unexplained: {}\n", time(one.us), line(&one.reason, SENTENCE));
    }
    if found.unknown_us > 0 {
        *out += &format!("{}of stalls nothing can be said of\n", time(found.unknown_us));
    }
}

fn stall(one: &Stalled, alone: Option<&StallCauses>, when: &dyn Fn(BootTime) -> String) -> String {
    let at = when(one.began);
    let touch =
        one.touch_us.map_or_else(String::new, |us| format!("; a touch waited {} for its end", ms(us)));
    let sure = one.charged.as_ref().map_or_else(String::new, |told| format!(" · {}", told.confidence.word()));
    let mut out = format!("  at {at}: {}{touch}{sure}\n", ms(one.us));
    let Some(told) = &one.charged else {
        let why = one.reason.as_deref().unwrap_or("no reason is given");
        return out + &format!("    nothing can be said of it: {}\n", text::line(why, SENTENCE));
    };
    let most = shown(told.causes.iter().map(|one| one.us), one.us, OF_FRAME);
    let (large, small) = told.causes.split_at(most);
    for cause in large {
        part(&mut out, cause, one.us);
        if alone.is_some() && !cause.detail.is_empty() {
            wrapped(&mut out, "      ", &line(&cause.detail, SENTENCE));
        }
    }
    let more = told.smaller_us + small.iter().map(|one| one.us).sum::<i64>();
    if more >= TENTH {
        let count = small.len() + told.smaller as usize;
        out += &format!("    {}: {}\n", several(count, "smaller cause", "smaller causes"), ms(more));
    }
    if told.unexplained_us >= TENTH {
        let why = alone.and_then(|all| all.unexplained.first());
        let why = why.map_or_else(String::new, |one| format!(" ({})", line(&one.reason, SENTENCE)));
        wrapped(&mut out, "    ", &format!("unexplained: {}{why}", ms(told.unexplained_us)));
    }
    out
}
