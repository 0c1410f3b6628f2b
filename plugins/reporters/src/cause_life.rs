//! The life of causes for people ([`table`]) and as JSON ([`json`]): those of two runs held against each other, and one
//! over the nights of a history ([`nights`], [`nights_json`]).
//!
//! Pure: states come from the fold, text goes out. Must not know: files, stores, how a state is decided. Names of
//! threads, locks and phones are strangers' and are made harmless before they are shown.

mod over_nights;
mod shape;

pub use over_nights::nights;
pub use shape::{json, nights_json};

use crate::clean::{NAME, SENTENCE, line};
use crate::words::several;
use farmjank_results::cause_life::{
    Amount, CauseChange, CauseLine, LEAST, Night, PhonesAsked, Spot, State, WindowChange, doubt,
};
use farmjank_results::device::DeviceId;
use farmjank_results::metric::Unit;
use farmjank_results::record::Record;
use farmjank_results::words;

/// Columns a sentence is wrapped to.
const WIDTH: usize = 100;
/// Columns of a state, with what parts it from the rest.
const STATES: usize = 8;
/// Phones named of a cause; more are counted.
const PHONES: usize = 4;
/// Causes that are known, told of a window; more are counted.
const KNOWN: usize = 3;

/// Two runs, and what became of their causes.
#[derive(Clone, Copy)]
pub struct CausesHeld<'a> {
    /// What the user calls them: the old one, the new one.
    pub names: [&'a str; 2],
    /// The runs.
    pub records: [&'a Record; 2],
    /// The windows that were asked about in one of them.
    pub windows: &'a [WindowChange],
    /// Windows that were asked about in neither.
    pub not_asked: usize,
}

/// One cause over the nights of a store.
#[derive(Clone, Copy)]
pub struct CauseHistory<'a> {
    /// The store, in words.
    pub place: &'a str,
    /// The cause.
    pub fingerprint: &'a str,
    /// Its nights, oldest first.
    pub nights: &'a [Night],
    /// Its life, window by window.
    pub lines: &'a [CauseLine],
}

/// The text for people.
pub fn table(held: &CausesHeld<'_>) -> String {
    let mut out = String::new();
    for ((letter, name), record) in ["old", "new"].into_iter().zip(held.names).zip(held.records) {
        let run = line(&record.header.run, NAME);
        wrapped(&mut out, "", &format!("{letter}: {} (run {run})", line(name, NAME)));
    }
    let (mut told, untold): (Vec<_>, Vec<_>) = held.windows.iter().partition(|one| one.causes.is_ok());
    // What changed comes first.
    told.sort_by_key(|one| {
        !one.causes.iter().flatten().any(|one| one.matters() && one.state != Ok(State::Known))
    });
    out += &format!("\n{}\n", counts(&told));
    for window in told.into_iter().chain(untold) {
        out += "\n";
        wrapped(&mut out, "", &title(&window.spot));
        match &window.causes {
            Ok(causes) => of_window(&mut out, window, causes),
            Err(why) => wrapped(&mut out, "  ", &format!("cannot be told: {}", line(why, SENTENCE))),
        }
        window
            .notes
            .iter()
            .for_each(|note| wrapped(&mut out, "  ", &format!("note: {}", line(note, SENTENCE))));
    }
    if held.not_asked > 0 {
        let windows = several(held.not_asked, "window was", "windows were");
        let text = format!("{windows} asked about in neither run; --causes=each asks every one");
        out += "\n";
        wrapped(&mut out, "", &text);
    }
    out
}

/// `2 new, 1 gone`, over all windows that are told; what is less than what is worth a word is not counted.
fn counts(told: &[&WindowChange]) -> String {
    let all = || told.iter().filter_map(|one| one.causes.as_ref().ok()).flatten().filter(|one| one.matters());
    let word = |state: State| {
        let own: Vec<&CauseChange> = all().filter(|one| one.state == Ok(state)).collect();
        let chance = own.iter().filter(|one| doubt(one.chance).is_some()).count();
        let may_be = if chance > 0 { format!(" ({chance} may be chance)") } else { String::new() };
        (!own.is_empty()).then(|| format!("{} {}{may_be}", own.len(), state.word()))
    };
    let mut words: Vec<String> = State::ALL.into_iter().filter_map(word).collect();
    let unknown = all().filter(|one| one.state.is_err()).count();
    if unknown > 0 {
        words.push(format!("{unknown} not known"));
    }
    match (told.is_empty(), words.is_empty()) {
        (true, _) => "no window can be told of".to_owned(),
        (_, true) => format!("no cause of {} or more", rate(LEAST)),
        _ => format!("causes of {} or more: {}", rate(LEAST), words.join(", ")),
    }
}

fn of_window(out: &mut String, window: &WindowChange, causes: &[CauseChange]) {
    let [before, after] = [&window.before, &window.after];
    let hitch = |side: &PhonesAsked| {
        Amount { us: side.hitch_us, motion: side.motion, ..Amount::default() }.ms_per_s()
    };
    let text = format!(
        "{} → {} of hitches, late frames {} → {}",
        words::number(Some(hitch(before)), Unit::MsPerS),
        rate(hitch(after)),
        before.late_frames,
        after.late_frames,
    );
    wrapped(out, "  ", &text);
    let (known, mut news): (Vec<_>, Vec<_>) =
        causes.iter().filter(|one| one.matters()).partition(|one| one.state == Ok(State::Known));
    let place = |one: &CauseChange| State::ALL.iter().position(|state| one.state == Ok(*state)).unwrap_or(3);
    news.sort_by_key(|one| place(one));
    news.iter().for_each(|one| cause(out, one, window));
    if !known.is_empty() {
        let told = |one: &&CauseChange| {
            let title = line(&one.named.title, SENTENCE);
            format!("{title} ({}, {})", change(one), line(&one.named.kind, NAME))
        };
        let mut parts: Vec<String> = known.iter().take(KNOWN).map(told).collect();
        if known.len() > KNOWN {
            parts.push(format!("{} more", known.len() - KNOWN));
        }
        labelled(out, State::Known.word(), &parts.join(" · "));
    }
    for (side, whose) in [(before, "old"), (after, "new")] {
        for (device, why) in &side.blind {
            let text = format!("{whose} run, {}: not known: {why}", device.0);
            wrapped(out, "  ", &line(&text, SENTENCE));
        }
    }
}

fn cause(out: &mut String, one: &CauseChange, window: &WindowChange) {
    let amount = change(one);
    let is_there = one.after.is_some_and(|after| after.is_there());
    let (side, frames) = match (one.after, one.before) {
        (Some(after), _) if is_there => (&window.after, after.frames),
        (_, before) => (&window.before, before.map_or(0, |before| before.frames)),
    };
    let frames = format!("{frames} of {}", several(side.late_frames, "late frame", "late frames"));
    let kind = line(&one.named.kind, NAME);
    let text = format!("{amount} · {kind} · {frames} · {} · {}", phones(&one.devices), one.fingerprint);
    let state = one.state.as_ref().map_or("?", |state| state.word());
    labelled(out, state, &text);
    let indent = " ".repeat(STATES + 2);
    wrapped(out, &indent, &line(&one.named.title, SENTENCE));
    if let Err(why) = &one.state {
        wrapped(out, &indent, &format!("not known: {}", line(why, SENTENCE)));
    }
    let missed = if is_there { "old" } else { "new" };
    if let Some(words) = doubtful(one.chance, &format!("the {missed} run")) {
        wrapped(out, &indent, &words);
    }
}

/// What to hold against a cause that is new or gone, where there is something.
fn doubtful(chance: Option<f64>, who: &str) -> Option<String> {
    let chance = doubt(chance)?;
    Some(format!("may be chance: {who} would miss so few frames in {:.0} of 100 tries", chance * 100.0))
}

/// `2.1 → 8.0 ms/s`.
fn change(one: &CauseChange) -> String {
    let of = |side: Option<Amount>| side.map(|amount| amount.ms_per_s()).filter(|rate| *rate > 0.0);
    match (of(one.before), of(one.after)) {
        (None, now) => rate(now.unwrap_or_default()),
        (Some(then), None) => format!("was {}", rate(then)),
        (Some(then), Some(now)) => format!("{} → {}", words::number(Some(then), Unit::MsPerS), rate(now)),
    }
}

fn title(spot: &Spot) -> String {
    [&spot.scenario, &spot.window, &spot.class].map(|name| line(name, NAME)).join(" › ")
}

fn phones(all: &[DeviceId]) -> String {
    let mut names: Vec<String> = all.iter().take(PHONES).map(|device| line(&device.0, 60)).collect();
    if all.len() > PHONES {
        names.push(format!("{} more", all.len() - PHONES));
    }
    names.join(", ")
}

fn rate(ms_per_s: f64) -> String {
    words::amount(Some(ms_per_s), Unit::MsPerS)
}

/// Behind a state, which stands alone in its column.
fn labelled(out: &mut String, state: &str, text: &str) {
    let mut state = state;
    for row in crate::paint::wrap(text, WIDTH - STATES - 2, 2) {
        *out += &format!("  {:<STATES$}{row}\n", std::mem::take(&mut state));
    }
}

fn wrapped(out: &mut String, indent: &str, text: &str) {
    for row in crate::paint::wrap(text, WIDTH - indent.len(), 2) {
        *out += &format!("{indent}{row}\n");
    }
}
