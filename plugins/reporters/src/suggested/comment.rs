//! What a limit rests on, as the comment beside it.

use crate::clean::{NAME, line};
use crate::words::{amount, number, several};
use farmjank_results::metric::Unit;
use farmjank_results::metrics;
use farmjank_results::suggest::{GroupLimit, Proposal};

/// Models named that share a limit.
const NAMED: usize = 3;

/// Spreads between runs are told that are more than this part of that between iterations.
const LEAST: f64 = 10.0;

/// `from 15 iterations on Pixel 8: mean 5.1 ms/s, sd 4.2; also for OnePlus 9`.
pub(super) fn of(shared: &GroupLimit) -> String {
    let Some((first, rest)) = shared.of.split_first() else { return String::new() };
    let mut text = rests_on(first);
    // The windows of one model, or the models of one window.
    let others: Vec<&Proposal> = rest.iter().filter(|one| one.key.model != first.key.model).collect();
    if others.len() < rest.len() && first.key.model == rest[0].key.model {
        text += &format!("; the loosest of its windows, `{}`", line(&first.key.window, NAME));
    } else if !others.is_empty() {
        let named: Vec<String> = others.iter().take(NAMED).map(|one| line(&one.key.model, NAME)).collect();
        let more = others.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        text += &format!("; also for {}{more}", named.join(", "));
    }
    text
}

fn rests_on(one: &Proposal) -> String {
    let unit = metrics::find(&one.key.metric).map_or(Unit::Count, |metric| metric.unit);
    let runs = if one.sessions > 1 { format!(" of {} runs", one.sessions) } else { String::new() };
    let phones = if one.phones.len() > 1 { format!(" ({} phones)", one.phones.len()) } else { String::new() };
    let iterations = several(one.iterations, "iteration", "iterations");
    let from = format!("from {iterations}{runs} on {}{phones}", line(&one.key.model, NAME));
    let mean = amount(Some(one.mean), unit);
    match one.events {
        Some(events) => {
            let events = match unit {
                Unit::Count => events.to_string(),
                _ => several(events, "late frame", "late frames"),
            };
            let further = several(one.further, "iteration", "iterations");
            format!("{from}: mean {mean}, sd 0: no two differ, and {events} in {further} may still be chance")
        }
        None => {
            let days = match one.session_sd > one.sd / LEAST {
                true => format!(", between runs {}", number(Some(one.session_sd), unit)),
                false => String::new(),
            };
            format!("{from}: mean {mean}, sd {}{days}", number(Some(one.sd), unit))
        }
    }
}
