//! A change point in one sentence a person understands. Text of phones goes in as it is; reporters clean it.

use super::{ChangePoint, Line};
use crate::compare::sentence::{number, short, signed, unit_after};

/// `fling the feed on Pixel 7: hitch 14 → 41 ms/s since 2026-03-02 (+27, matters from 15; 8 nights after 30)`.
pub fn sentence(line: &Line, change_point: &ChangePoint) -> String {
    let unit = line.unit();
    let (number, signed) = (|value| number(value, unit), |value| signed(value, unit));
    let (after, before) = counts(line, change_point);
    format!(
        "{} on {}: {} {} → {}{} since {} ({}, matters from {}; {} after {before})",
        line.key.window,
        line.key.model,
        short(&line.key.metric),
        number(change_point.before),
        number(change_point.after),
        unit_after(&line.key.metric, unit),
        line.nights[change_point.at].wall.chars().take(10).collect::<String>(),
        signed(change_point.size()),
        number(change_point.mei),
        crate::words::several(after, "night", "nights"),
    )
}

/// Nights that count from the change point on, and before it.
fn counts(line: &Line, change_point: &ChangePoint) -> (usize, usize) {
    let (places, _) = line.levels();
    let after = places.iter().filter(|place| **place >= change_point.at).count();
    (after, places.len() - after)
}
