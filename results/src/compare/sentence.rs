//! A comparison in one sentence a person understands. Text of phones and files goes in as it is; reporters clean it.

use super::compared::{CellCompared, Design, State, Terrible};
use crate::metric::{Better, Unit};
use crate::words::several;

/// `fling the feed on Pixel 7: hitch 14 → 41 ms/s (+27, 95 % 19…35; 15 vs 15 iterations; would have caught +12)`.
pub(super) fn sentence(cell: &CellCompared) -> String {
    let mut text = place(cell);
    let metric = short(&cell.key.metric);
    let (unit, number) = (unit_after(&cell.key.metric, cell.unit), |value| number(value, cell.unit));
    let why = cell.reasons.join("; ");
    let told = match (cell.base, cell.new) {
        (Some(base), Some(new)) => Some(format!("{metric} {} → {}{unit}", number(base), number(new))),
        (None, Some(new)) => Some(format!("{metric} {}{unit}", number(new))),
        _ => None,
    };
    match (cell.state, told) {
        (State::Invalid, _) => text += &format!("{metric} cannot be compared: {why}"),
        (State::NoBaseline, Some(told)) if cell.too_few() => {
            text += &format!("{told}; too few to compare with: {why}")
        }
        (State::NoBaseline, Some(told)) => text += &format!("{told}; no baseline: {why}"),
        (State::NoBaseline, None) => text += &format!("{metric}: no baseline: {why}"),
        (_, Some(told)) => {
            text += &format!("{told} ({})", particulars(cell));
            if !why.is_empty() {
                text += &format!("; {why}");
            }
        }
        (_, None) => text += &format!("{metric}: {why}"),
    }
    text
}

fn place(cell: &CellCompared) -> String {
    match (cell.key.window.is_empty(), cell.key.model.is_empty()) {
        (true, _) => String::new(),
        (false, true) => format!("{}: ", cell.key.window),
        (false, false) => format!("{} on {}: ", cell.key.window, cell.key.model),
    }
}

fn particulars(cell: &CellCompared) -> String {
    let mut parts = Vec::new();
    let (number, signed) = (|value| number(value, cell.unit), |value| signed(value, cell.unit));
    if let Some(estimate) = cell.estimate {
        let interval = cell.interval.map(|(low, high)| format!(", 95 % {}…{}", number(low), number(high)));
        parts.push(format!("{}{}", signed(estimate), interval.unwrap_or_default()));
    }
    parts.extend(plain(cell));
    if let Some(phones) = cell.phones {
        parts.push(several(phones, "phone", "phones"));
    }
    parts.push(match cell.design {
        Some(Design::Stored) => format!(
            "{} vs {}",
            several(cell.sessions.0, "session", "sessions"),
            several(cell.n.1, "iteration", "iterations")
        ),
        design => {
            let each = if design == Some(Design::OneAgainstOne) { " of one session each" } else { "" };
            let looks = match cell.looks {
                _ if cell.screened_out => ", screened".to_owned(),
                Some(looks) if looks > 1 => format!(" in {looks} looks"),
                _ => String::new(),
            };
            format!("{} vs {}{each}{looks}", cell.n.0, several(cell.n.1, "iteration", "iterations"))
        }
    });
    // Where the typical iteration is worse by what matters, that says it.
    let typical = cell.estimate.zip(cell.mei).is_some_and(|(estimate, mei)| worsening(cell, estimate) >= mei);
    let untold = |found: &Terrible| found.count > 0 && cell.state != State::Pass && !typical;
    if let Some(terrible) = cell.terrible.filter(untold) {
        let beyond = cell.mei.map_or_else(String::new, |mei| format!(" by {}", number(mei)));
        parts.push(format!("{} of {} worse than the old worst{beyond}", terrible.count, terrible.of));
    }
    if let Some(nights) = cell.noise_nights {
        parts.push(format!("noise of {}", several(nights, "more night", "more nights")));
    }
    if let Some(mde) = cell.mde {
        let worse = if cell.better == Better::Lower { mde } else { -mde };
        parts.push(format!("would have caught {}", signed(worse)));
    }
    parts.join("; ")
}

/// A change of the value as a worsening: positive is worse.
fn worsening(cell: &CellCompared, change: f64) -> f64 {
    if cell.better == Better::Lower { change } else { -change }
}

/// The plain means, where they tell another story than the trimmed ones: a difference that is another by as much as
/// matters, or bounds on either side of it.
fn plain(cell: &CellCompared) -> Option<String> {
    let ((old, new), (low, high), mei) = (cell.means?, cell.mean_interval?, cell.mei?);
    let (number, signed) = (|value| number(value, cell.unit), |value| signed(value, cell.unit));
    let rules_out = |(low, high)| worsening(cell, low).max(worsening(cell, high)) < mei;
    let differs = cell.estimate.is_some_and(|estimate| (new - old - estimate).abs() >= mei);
    let other = differs || cell.interval.is_some_and(|trimmed| rules_out(trimmed) != rules_out((low, high)));
    let told =
        || format!("plain means {} → {}, 95 % {}…{}", number(old), number(new), signed(low), signed(high));
    other.then(told)
}

/// What people call a metric.
pub(crate) fn short(metric: &str) -> &str {
    match metric {
        "hitch_ms_per_s" => "hitch",
        "launch_total_ms" => "launch",
        "frozen_frames" => "frozen frames",
        other => other,
    }
}

/// The unit after a number of a metric that was named before it.
pub(crate) fn unit_after(metric: &str, unit: Option<Unit>) -> String {
    match unit {
        // `fps 60 → 52 fps` says it twice.
        Some(Unit::Fps) if metric.contains("fps") => String::new(),
        Some(Unit::Count | Unit::Ratio) | None => String::new(),
        Some(unit) => format!(" {}", unit.symbol()),
    }
}

/// Digits that say something, and no more: `41`, `4.1`, `0.41`; of rates and ratios one more.
pub(crate) fn number(value: f64, unit: Option<Unit>) -> String {
    let more = usize::from(!matches!(unit, Some(Unit::MsPerS | Unit::Ms)));
    let decimals = match value.abs() {
        large if large >= 99.5 => 0,
        middle if middle >= 9.95 => more,
        small if small >= 0.995 => 1,
        _ => 2,
    };
    let text = crate::words::trimmed(value, decimals);
    match text.strip_prefix('-') {
        Some("0") => "0".to_owned(),
        Some(rest) => format!("−{rest}"),
        None => text,
    }
}

pub(crate) fn signed(value: f64, unit: Option<Unit>) -> String {
    let text = number(value, unit);
    if text.starts_with('−') || text == "0" { text } else { format!("+{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_carry_what_helps() {
        let told =
            [41.2, 4.12, 0.412, 141.7, -27.0, -0.001, 0.0].map(|value| number(value, Some(Unit::MsPerS)));
        assert_eq!(told, ["41", "4.1", "0.41", "142", "−27", "0", "0"]);
        assert_eq!(number(59.84, Some(Unit::Fps)), "59.8");
        assert_eq!([27.04, -3.0, 0.0].map(|value| signed(value, None)), ["+27", "−3", "0"]);
    }
}
