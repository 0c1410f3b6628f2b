//! All limits of one window over all counted trials of a job: the window's verdict and the words for it.
//!
//! A trial is void only by a cause recorded before its result was looked at
//! (docs/design/verdicts.md#causes-come-before-numbers); void trials are set aside, never deleted, and more than a
//! fifth of them leave the window undecided.

use crate::around::{Around, BUILD};
use crate::event::{WindowJudged, WindowMeasured};
use crate::excuse::Excuse;
use crate::judge::{IterationValue, judge};
use crate::metric::{Reading, Unit};
use crate::metrics;
use crate::threshold::{Bound, Judgement, Limit, Outcome};
use crate::verdict::Verdict;
use crate::words::{amount_beside, beside, number, suffix, trimmed};
use crate::{plugin_metric, plugin_readings};

/// Largest share of void trials with which a window is still judged
/// (docs/design/verdicts.md#causes-come-before-numbers); above it, undecided.
pub const VOID_SHARE_MAX: f64 = 0.2;

/// Judges one window of one job.
///
/// `trials` are the counted trials in order, void ones included; `limits` are (metric key, limit) in the author's
/// order. The verdict, in this order: no trial counted, more than [`VOID_SHARE_MAX`] of them void, or two versions of
/// the app among them: undecided; any limit breached: fail; any unknown: undecided; else pass. Without any limit a
/// window passes when every trial's coverage is proved and shows a frame, or it timed launches alone, with a note. Its
/// name is taken from the first trial; with no trial at all it is empty and the caller, who has the plan, fills it in.
pub fn judge_window(limits: &[(String, Limit)], trials: &[WindowMeasured]) -> WindowJudged {
    let numbered = || (1usize..).zip(trials);
    let void: Vec<String> = numbered()
        .filter_map(|(number, trial)| Some(format!("iteration {number}: {}", trial.void.as_ref()?)))
        .collect();
    let counted: Vec<(usize, &WindowMeasured)> =
        numbered().filter(|(_, trial)| trial.void.is_none()).collect();
    let mut judgements: Vec<Judgement> =
        limits.iter().map(|(key, limit)| judge_metric(key, limit, &counted)).collect();
    if let Some(excuse) = Excuse::of(&counted) {
        for ((key, limit), judgement) in limits.iter().zip(&mut judgements) {
            if judgement.outcome == Outcome::Breached && excuse.covers(key, limit, &counted) {
                judgement.outcome = Outcome::Excused(excuse.words());
            }
        }
    }
    let mut reasons = Vec::new();
    let changed = other_build(&counted);
    let verdict = if invalid(trials.len(), &void, &mut reasons) {
        Verdict::Undecided
    } else if let Some(changed) = changed {
        reasons.push(changed);
        Verdict::Undecided
    } else if limits.is_empty() {
        unlimited(&counted, &mut reasons)
    } else {
        Verdict::worst(judgements.iter().map(|judgement| match judgement.outcome {
            Outcome::Held | Outcome::Excused(_) => Verdict::Pass,
            Outcome::Breached => Verdict::Fail,
            Outcome::Unknown(_) => Verdict::Undecided,
        }))
    };
    // What failed first, before what cannot be told: the first reason speaks for the window.
    let mut all: Vec<_> = limits.iter().zip(&judgements).collect();
    all.sort_by_key(|(_, judgement)| judgement.outcome != Outcome::Breached);
    reasons.extend(all.into_iter().filter_map(|((_, limit), judgement)| told(limit, judgement)));
    WindowJudged {
        window: trials.first().map(|trial| trial.window.clone()).unwrap_or_default(),
        verdict,
        judgements,
        counted: u32::try_from(counted.len()).unwrap_or(u32::MAX),
        void,
        reasons,
        new_causes: Vec::new(),
    }
}

fn judge_metric(key: &str, limit: &Limit, counted: &[(usize, &WindowMeasured)]) -> Judgement {
    let (unit, limit) = match nature(key, limit, counted) {
        Ok(nature) => nature,
        Err(why) => {
            let mut judgement = judge(key, Unit::Count, limit, &[]);
            judgement.outcome = Outcome::Unknown(why);
            return judgement;
        }
    };
    let values: Vec<IterationValue> =
        counted.iter().map(|(_, trial)| IterationValue::of(key, trial)).collect();
    let mut judgement = judge(key, unit, &limit, &values);
    if let Outcome::Unknown(why) = &mut judgement.outcome
        && let Some(cause) = counted.iter().find_map(|(number, trial)| missing(key, *number, trial))
    {
        why.push_str(&format!(" ({cause})"));
    }
    judgement
}

/// The unit of a metric, and the limit in it. What a plugin's metric is its windows say; until then nobody can read the
/// number of a limit.
fn nature(key: &str, limit: &Limit, counted: &[(usize, &WindowMeasured)]) -> Result<(Unit, Limit), String> {
    if plugin_metric::parts(key).is_none() {
        let metric = metrics::limited(key);
        let none = || "there is no such metric; `farmjank metrics` lists them".to_owned();
        return metric.map(|metric| (metric.unit, limit.clone())).ok_or_else(none);
    }
    let described = plugin_readings::described(key, counted.iter().map(|(_, trial)| *trial));
    let metric = described.map_err(|why| why.to_string())?;
    let read = Limit::parse(&limit.text, metric.unit);
    let read = read.map_err(|wrong| format!("`{}` is no limit of it: {}", limit.text, wrong.what))?;
    Ok((metric.unit, Limit { confidence: limit.confidence, ..read }))
}

/// Why the reading of a trial is no number.
fn missing(key: &str, number: usize, trial: &WindowMeasured) -> Option<String> {
    match trial.readings.get(key) {
        Some(Reading::Value(_)) => None,
        Some(Reading::List(_) | Reading::Table(_)) => {
            Some("a list cannot be held against a limit".to_owned())
        }
        Some(Reading::Unmeasurable(why)) => Some(format!("iteration {number}: {why}")),
        None => Some(format!("iteration {number}: not measured")),
    }
}

/// Whether too little is left to judge; says so.
fn invalid(total: usize, void: &[String], reasons: &mut Vec<String>) -> bool {
    if total == 0 {
        reasons.push("no iteration was counted".to_owned());
        return true;
    }
    let share = void.len() as f64 / total as f64;
    if share > VOID_SHARE_MAX {
        let most = trimmed(VOID_SHARE_MAX * 100.0, 0);
        let first = void.first().map(String::as_str).unwrap_or_default();
        reasons.push(format!(
            "invalid: {} of {total} iterations are void, more than {most} %; the first: {first}",
            void.len()
        ));
    }
    share > VOID_SHARE_MAX
}

/// Why iterations are no sample of one build: the app was updated between them, or while a run lay dead.
fn other_build(counted: &[(usize, &WindowMeasured)]) -> Option<String> {
    let change = |of: fn(&Around) -> Option<&String>| {
        let mut said =
            counted.iter().filter_map(|(number, trial)| Some((*number, of(trial.around.as_ref()?)?)));
        let (_, first) = said.next()?;
        let (number, other) = said.find(|(_, other)| *other != first)?;
        Some((first, other, number))
    };
    if let Some((first, other, number)) = change(|around| around.app_version.as_ref()) {
        return Some(format!(
            "invalid: the app was updated between iterations: {first}, and {other} from iteration {number} on"
        ));
    }
    let (first, _, number) = change(|around| around.installation.as_ref())?;
    let advice = if first.starts_with(BUILD) { "" } else { "; with --install a run puts its own back" };
    Some(format!(
        "invalid: somebody installed the app before iteration {number}, and nobody knows whether it is the same build{advice}"
    ))
}

/// A window nobody set a limit on.
fn unlimited(counted: &[(usize, &WindowMeasured)], reasons: &mut Vec<String>) -> Verdict {
    let proved = |trial: &WindowMeasured| trial.coverage.as_ref().is_some_and(|coverage| coverage.proved);
    let doubtful = counted.iter().find(|(_, trial)| !proved(trial) && !is_timed(trial));
    let Some((number, trial)) = doubtful else {
        let still =
            |trial: &WindowMeasured| trial.coverage.as_ref().is_some_and(|seen| seen.frames_seen == 0);
        if let Some((number, _)) = counted.iter().find(|(_, trial)| still(trial)) {
            reasons.push(format!("iteration {number}: nothing moved, not one frame was shown"));
            return Verdict::Undecided;
        }
        reasons.push("no limit is set on this window: measured only".to_owned());
        return Verdict::Pass;
    };
    let doubts = match &trial.coverage {
        None => "nothing could be sampled".to_owned(),
        Some(coverage) if coverage.doubts.is_empty() => "the dumps do not overlap".to_owned(),
        Some(coverage) => coverage.doubts.join("; "),
    };
    reasons.push(format!("iteration {number}: coverage is not proved: {doubts}"));
    Verdict::Undecided
}

/// Whether a trial timed launches and looked at no frames: it has values, and nothing it could not measure.
fn is_timed(trial: &WindowMeasured) -> bool {
    let values = || trial.readings.values().all(|reading| reading.value().is_some());
    trial.coverage.is_none() && !trial.readings.is_empty() && values()
}

/// What became of a limit that did not hold, as a sentence; none when it held.
fn told(limit: &Limit, judgement: &Judgement) -> Option<String> {
    let Judgement { metric, unit, text, .. } = judgement;
    let confident = |words: &str| limit.confidence.map(|percent| format!("{words}{percent} % confidence"));
    match &judgement.outcome {
        Outcome::Held => None,
        Outcome::Unknown(why) => {
            let with = confident(" with ").unwrap_or_default();
            Some(format!("{metric}: whether `{text}` holds{with} cannot be told: {why}"))
        }
        Outcome::Excused(why) => Some(format!("{metric}: breaks `{text}`, not by the app: {why}")),
        Outcome::Breached => {
            let (actual, bound) = match (judgement.actual, judgement.limit) {
                (Some(actual), Some(bound)) => beside(actual, bound, *unit),
                _ => return Some(format!("{metric}: breaks `{text}`")),
            };
            let aggregate = limit.aggregate;
            let unit_after = suffix(*unit);
            let mut words = format!("{metric}: {aggregate} is {actual}{unit_after}, limit `{text}`");
            if matches!(limit.bound, Bound::PercentOfRefresh(_)) {
                words.push_str(&format!(" = {bound}{unit_after}"));
            }
            if let (Some(with), Some(bound)) = (confident(", shown with "), judgement.confidence_bound) {
                words.push_str(&format!("{with} (bound {})", amount_beside(bound, judgement.limit, *unit)));
            }
            words.push_str(&format!("; {}", listed(judgement)));
            Some(words)
        }
    }
}

/// Values per iteration, at most twelve of them, each told apart from the limit.
fn listed(judgement: &Judgement) -> String {
    const SHOWN: usize = 12;
    let Judgement { unit, limit, values, .. } = judgement;
    let told =
        |value| limit.map_or_else(|| number(Some(value), *unit), |limit| beside(value, limit, *unit).0);
    let each = values.iter().take(SHOWN).map(|value| value.map_or("none".to_owned(), told));
    let list = each.collect::<Vec<_>>().join(", ");
    let rest = values.len().saturating_sub(SHOWN);
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    format!("iterations: {list}{more}")
}
