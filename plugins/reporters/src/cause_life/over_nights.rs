//! One cause over the nights of a history, as text: a line a night, oldest first, window by window.

use super::{CauseHistory, doubtful, labelled, phones, rate, title, wrapped};
use crate::clean::{NAME, SENTENCE, line};
use crate::words::several;
use farmjank_results::cause_life::{CauseLine, CauseNight};
use farmjank_results::hitch_causes::NamedCause;

/// Nights listed of one window; the others are in the JSON.
const MOST: usize = 60;

/// The text for people.
pub fn nights(history: &CauseHistory<'_>) -> String {
    let mut out = String::new();
    match described(history) {
        Some(named) => {
            let kind = line(&named.kind, NAME);
            wrapped(&mut out, "", &format!("{kind} · {}", line(history.fingerprint, NAME)));
            wrapped(&mut out, "", &line(&named.title, SENTENCE));
        }
        None => out += &format!("{}\n", line(history.fingerprint, NAME)),
    }
    for one in history.lines {
        out += "\n";
        wrapped(&mut out, "", &heading(one));
        let left_out = one.nights.len().saturating_sub(MOST);
        if left_out > 0 {
            out +=
                &format!("  {} before (--format json tells of all)\n", several(left_out, "night", "nights"));
        }
        one.nights[left_out..].iter().for_each(|night| told(&mut out, night));
    }
    out
}

/// The cause as the newest night that has it says.
pub(super) fn described<'a>(history: &CauseHistory<'a>) -> Option<&'a NamedCause> {
    let seen = history.nights.iter().rev().flat_map(|night| &night.windows);
    let causes = seen.filter_map(|one| one.seen.as_ref().ok()).flat_map(|seen| &seen.causes);
    causes.into_iter().find(|cause| cause.fingerprint == history.fingerprint).map(|cause| &cause.named)
}

fn heading(one: &CauseLine) -> String {
    let stacks = if one.methods { ", with call stacks" } else { "" };
    let rate = one.refresh.map(|hz| format!(" at {hz} Hz")).unwrap_or_default() + stacks;
    format!("{}{rate}", title(&one.spot))
}

fn told(out: &mut String, night: &CauseNight) {
    let state = night.state.as_ref().map_or("–", |state| state.word());
    let day = night.wall.get(..10).unwrap_or(&night.wall);
    let mut parts = vec![line(day, 20), format!("run {}", line(&night.run, NAME))];
    parts.extend(night.app_version.as_deref().map(|version| format!("app {}", line(version, NAME))));
    parts.extend(night.labels.iter().map(|(name, label)| line(&format!("{name}={label}"), NAME)));
    if let Some(amount) = night.amount {
        parts.push(rate(amount.ms_per_s()));
        if amount.frames > 0 {
            let late = several(night.phones.late_frames, "late frame", "late frames");
            parts.push(format!("{} of {late}", amount.frames));
        }
    }
    if !night.devices.is_empty() {
        parts.push(phones(&night.devices));
    }
    parts.extend(night.state.as_ref().err().map(|why| line(why, SENTENCE)));
    parts.extend(doubtful(night.chance, "a night"));
    labelled(out, state, &parts.join(" · "));
}
