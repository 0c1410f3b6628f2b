//! Periods: that the header and the frames themselves keep the period of a mode of the panel.

use super::Case;
use super::rows::printed;
use crate::prove::Belief;
use farmjank_results::period::PeriodOrigin;
use std::collections::BTreeSet;

/// How far a period may be off that of a mode, as a share: it is rounded where it is reported, and a panel called 60 Hz
/// runs at 60.95.
const OFF: f64 = 0.02;
/// A panel may be driven at a whole part of its mode's rate, down to a twelfth (10 of 120 Hz) …
const PARTS: u32 = 12;
/// … and from this sdk on adaptive panels tick at twice the rate of their only mode (80 is a third of 240 Hz).
const ADAPTIVE_SDK: u32 = 35;

pub fn beliefs(case: &Case<'_>) -> Vec<Belief> {
    vec![header(case), fitted(case)]
}

/// The mode nearest to a period, and how far it is off, as a share; none where the phone tells no mode.
fn nearest(case: &Case<'_>, period_ns: f64) -> Option<(f64, f64)> {
    let phone = &case.proof.answers.phone;
    let modes = phone.modes.iter().map(|mode| mode.hz).chain(phone.active_hz);
    let ticks = if phone.sdk >= ADAPTIVE_SDK { 2 } else { 1 };
    let rates =
        modes.flat_map(|hz| (1..=ticks * PARTS).map(move |part| hz * f64::from(ticks) / f64::from(part)));
    rates.map(|hz| (hz, (period_ns * hz / 1e9 - 1.0).abs())).min_by(|a, b| a.1.total_cmp(&b.1))
}

fn header(case: &Case<'_>) -> Belief {
    let (key, what) = (
        "period.header",
        "the first line of a dump is the period of a mode of the panel, or of a whole part of its rate",
    );
    let periods: BTreeSet<i64> =
        case.rings.iter().filter_map(|(dump, _)| printed(&dump.text).period).collect();
    judged(case, key, what, &periods)
}

fn fitted(case: &Case<'_>) -> Belief {
    let (key, what) =
        ("period.frames", "frames keep the period of a mode of the panel, or of a whole part of its rate");
    let segments = case.list.iter().flat_map(|(_, timeline)| &timeline.periods.segments);
    let fitted = segments.filter(|segment| segment.origin == PeriodOrigin::Fitted);
    let periods: BTreeSet<i64> = fitted.map(|segment| segment.period.ns()).collect();
    judged(case, key, what, &periods)
}

fn judged(case: &Case<'_>, key: &'static str, what: &str, periods: &BTreeSet<i64>) -> Belief {
    let modes = case
        .proof
        .answers
        .phone
        .modes
        .iter()
        .map(|mode| format!("{:.2}", mode.hz))
        .collect::<Vec<_>>()
        .join(", ");
    let words = |period: &i64| format!("{:.3} ms", *period as f64 / 1e6);
    let seen: Vec<String> = periods.iter().map(words).collect();
    let near = |period: &i64| nearest(case, *period as f64).map(|(_, share)| share <= OFF);
    let known: Option<Vec<bool>> = periods.iter().map(near).collect();
    match known {
        Some(known) if !known.is_empty() => {
            let evidence = format!("{}; modes {modes} Hz", seen.join(", "));
            Belief::of(key, what, known.iter().all(|near| *near), evidence)
        }
        Some(_) => Belief::untold(key, what, "no period was told"),
        None => Belief::untold(key, what, "the phone tells no mode of its panel"),
    }
}
