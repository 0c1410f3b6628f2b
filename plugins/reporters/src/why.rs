//! Why frames were late, in the words that every report of a run says it in.
//!
//! Stalls without a frame stand beside. Must not know how a cause is found. Names of threads, locks and sections are of
//! the phone.

mod stalls;

use crate::caused::iterations;
use crate::cells::Cell;
use crate::clean::SENTENCE;
use crate::paint::{TextStyle, Tint, width, wrap};
use crate::words::{self, several};
use farmjank_results::hitch_causes::{HitchCause, HitchCauses};
use farmjank_results::metric::Unit;
use farmjank_results::record::WindowCauses;

/// Causes that are told of a window, at most; each is a share of the whole, one in so many.
const MOST: usize = 3;
/// The metric that says how late frames were, by whatever saw them.
const LATENESS: &str = "hitch_ms_per_s";
const SHARE: i64 = 20;

/// One cause, or what nothing explains.
pub(crate) struct Why {
    /// Time charged, µs.
    pub us: i64,
    /// Who was held up by what, of the phone.
    pub what: String,
    /// In how many late frames, how much of it is usual, how sure; empty of what nothing explains.
    pub how: String,
}

/// What a report says of a window: first all together, then its largest causes, largest first.
fn told(found: &HitchCauses, of: &WindowCauses) -> (String, Vec<Why>) {
    let mut all: Vec<Why> = found
        .causes
        .iter()
        .take(MOST)
        .map(|cause| {
            let mut what = cause.named.title.clone();
            if !cause.detail.is_empty() {
                what += &format!("; {}", cause.detail);
            }
            let usual = match found.usual_known() {
                true => format!(", usually {}", ms(cause.usual_us)),
                false => String::new(),
            };
            let how = format!(
                "{} in {} of {}{usual}{}, {}{}",
                cause.named.kind,
                cause.frames,
                found.late_frames,
                iterations::seen(of, &cause.fingerprint),
                cause.confidence.word(),
                owner(cause).map(|owner| format!(", {owner}")).unwrap_or_default()
            );
            Why { us: cause.us, what, how }
        })
        .chain(found.unexplained.iter().map(|one| Why {
            us: one.us,
            what: format!("unexplained: {}", one.reason),
            how: String::new(),
        }))
        .chain((found.unknown_us > 0).then(|| Why {
            us: found.unknown_us,
            what: "of frames nothing can be said of".to_owned(),
            how: String::new(),
        }))
        .filter(|why| why.us.saturating_mul(SHARE) >= found.hitch_us)
        .collect();
    all.sort_by_key(|why| std::cmp::Reverse(why.us));
    let place = iterations::place(of);
    let head = match found.late_frames {
        0 => format!("no frame was late {place}"),
        late => {
            let late = several(late, "late frame", "late frames");
            format!("{late}, {} in all, {place}", ms(found.hitch_us))
        }
    };
    (head, all)
}

/// Whose a cause is, of the phone and of a person's file.
pub(crate) fn owner(cause: &HitchCause) -> Option<String> {
    cause.owner.as_ref().map(|owner| format!("owner {owner}"))
}

/// What the tracer itself may have cost: how late frames were there, and where it counts.
pub(crate) fn cost(cell: &Cell) -> Option<String> {
    if let Some(cost) = cell.tracing_cost() {
        return Some(iterations::cost(&cost));
    }
    let of = cell.causes()?;
    let traced = cell.job.diagnoses.iter().rfind(|trial| trial.trial == of.trial)?;
    let window = traced.windows.iter().find(|window| window.window == of.window)?;
    let there = window.readings.get(LATENESS)?.value()?;
    let counted = cell.summaries().into_iter().find(|one| one.key == LATENESS)?.one()?;
    let [there, counted] = [there, counted].map(|value| words::amount(Some(value), Unit::MsPerS));
    Some(format!("{LATENESS} {there} in it, {counted} where it counts"))
}

/// The same in a few words, as a run goes on.
pub(crate) fn sentence(found: Option<&HitchCauses>, reason: Option<&str>, style: TextStyle) -> String {
    let Some(found) = found else {
        return format!(
            "why frames were late is not known: {}",
            style.text(reason.unwrap_or("no reason is given"), SENTENCE)
        );
    };
    let short = |(head, all): (String, Vec<Why>)| {
        let first = all.first().map(|why| format!(": {} {}", ms(why.us), style.text(&why.what, SENTENCE)));
        let more = if all.len() > 1 { " …" } else { "" };
        head + &first.unwrap_or_default() + more
    };
    let parts = parts(found, &WindowCauses::default()).into_iter().map(short);
    parts.collect::<Vec<_>>().join("; ")
}

/// Late frames, then stalls, where there are some.
fn parts(found: &HitchCauses, of: &WindowCauses) -> Vec<(String, Vec<Why>)> {
    std::iter::once(told(found, of)).chain(stalls::told(&found.stalls)).collect()
}

/// The same of what a run knows of a window, as plain text of the phone.
pub(crate) fn plain(of: &WindowCauses) -> String {
    match &of.causes {
        None => unknown(of),
        Some(found) => {
            let whole = |(head, all): (String, Vec<Why>)| {
                let all: Vec<String> = all.iter().map(|why| format!("{} {}", ms(why.us), why.what)).collect();
                if all.is_empty() { head } else { format!("{head}: {}", all.join("; ")) }
            };
            parts(found, of).into_iter().map(whole).collect::<Vec<_>>().join("; ")
        }
    }
}

/// All together, or why nothing can be said.
pub(crate) fn head(of: &WindowCauses) -> String {
    of.causes.as_ref().map_or_else(|| unknown(of), |found| told(found, of).0)
}

/// All stalls together, where there are some.
pub(crate) fn stalls_head(found: &HitchCauses) -> Option<String> {
    stalls::told(&found.stalls).map(|(head, _)| head)
}

/// What stacks of calls there were to name methods, or why there were none, where somebody asked for them.
pub(crate) fn stacks(found: &HitchCauses) -> Option<String> {
    let stacks = found.stacks.as_ref()?;
    let lost = match stacks.lost {
        0 => String::new(),
        lost => format!(", {lost} more were not taken or are lost"),
    };
    Some(match &stacks.reason {
        Some(reason) => format!("no methods: {reason}"),
        None => format!("{} to name methods{lost}", several(stacks.taken, "call stack", "call stacks")),
    })
}

fn unknown(of: &WindowCauses) -> String {
    format!("why frames were late is not known: {}", of.reason.as_deref().unwrap_or("no reason is given"))
}

/// The largest cause of a cell in a few words, where it is a large part of the whole.
pub(crate) fn most(cell: &Cell) -> Option<String> {
    let found = cell.causes()?.causes.as_ref()?;
    let first = found.causes.first().filter(|cause| 4 * cause.us >= found.hitch_us)?;
    let percent = 100 * first.us / found.hitch_us.max(1);
    Some(format!("{percent} % of it because {}", first.named.title))
}

/// The largest cause of a cell, or why nothing can be said.
pub(crate) fn short(cell: &Cell) -> Option<String> {
    let of = cell.causes()?;
    let Some(found) = &of.causes else { return Some(unknown(of)) };
    let Some(first) = found.causes.first() else {
        let stalls = &found.stalls;
        let first = stalls.causes.first()?;
        return Some(format!("held up: {} of {} because {}", ms(first.us), ms(stalls.us), first.named.title));
    };
    let of = ms(found.hitch_us);
    Some(format!("late: {} of {of} because {}", ms(first.us), first.named.title))
}

/// Everything told of a cell, a sentence each, as plain text of the phone; nothing where it was not asked for.
pub(crate) fn of_cell(cell: &Cell) -> Vec<String> {
    let Some(of) = cell.causes() else { return Vec::new() };
    let Some(found) = &of.causes else { return vec![unknown(of)] };
    let one = |why: &Why| {
        let how = if why.how.is_empty() { String::new() } else { format!(" ({})", why.how) };
        format!("{}: {}{how}", ms(why.us), why.what)
    };
    let mut sentences = Vec::new();
    for (head, all) in parts(found, of) {
        sentences.push(head);
        sentences.extend(all.iter().map(one));
    }
    sentences
        .into_iter()
        .chain(iterations::untold(of))
        .chain(cost(cell))
        .chain(found.doubts.iter().cloned())
        .collect()
}

/// The same for a terminal, in columns.
pub(crate) fn lines(cell: &Cell, style: TextStyle, indent: usize) -> Vec<String> {
    let Some(of) = cell.causes() else { return Vec::new() };
    let mut lines = Vec::new();
    let margin = " ".repeat(indent);
    let mut put = |head: &str, text: &str| {
        let hang = indent + width(head);
        let mut wrapped = wrap(&style.text(text, SENTENCE), style.columns(), hang);
        wrapped[0] = format!("{margin}{head}{}", wrapped[0]);
        lines.extend(wrapped.iter().map(|line| style.paint(Tint::Quiet, line)));
    };
    let Some(found) = &of.causes else {
        put("", &unknown(of));
        return lines;
    };
    for (head, all) in parts(found, of) {
        put("", &head);
        for why in &all {
            let how = if why.how.is_empty() { String::new() } else { format!(" · {}", why.how) };
            put(&format!("{:>9}  ", ms(why.us)), &format!("{}{how}", why.what));
        }
    }
    iterations::untold(of).iter().chain(&cost(cell)).chain(&found.doubts).for_each(|told| put("", told));
    lines
}

/// A time, in ms to the tenth.
pub(crate) fn ms(us: i64) -> String {
    format!("{:.1} ms", us as f64 / 1e3)
}
