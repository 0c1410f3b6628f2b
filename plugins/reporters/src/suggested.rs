//! `farmjank suggest`: limits as a block of YAML to paste into a scenario, with what each rests on beside it; and as
//! JSON ([`json`]).
//!
//! Pure: limits in, text out. Must not know: how a limit is reckoned, how a scenario is read. Lines are as long as what
//! they say: a comment that is wrapped belongs to no line.

mod comment;
mod shape;

pub use shape::json;

use crate::clean::{NAME, SENTENCE, acts, line};
use crate::words::several;
use farmjank_results::suggest::{GroupLimit, ScenarioLimits, Suggested, Untold, WindowLimits};
use farmjank_results::words::trimmed;
use std::collections::{BTreeMap, BTreeSet};

/// The window in which launches are judged that no window holds: its limits stand in the header of a scenario.
const LAUNCHES: &str = "launch";
/// Lines on what got no limit.
const MOST: usize = 40;

/// What is told of.
#[derive(Clone, Copy, Debug)]
pub struct SuggestView<'a> {
    /// The limits.
    pub suggested: &'a Suggested,
    /// Some windows may have been left out: limits are not for the whole scenario then.
    pub is_partial: bool,
    /// What else is to be known, in sentences.
    pub notes: &'a [String],
}

/// The blocks, one scenario after the other, each line a line of YAML.
pub fn yaml(view: &SuggestView<'_>) -> String {
    let suggested = view.suggested;
    let mut text = heading(suggested);
    for scenario in &suggested.scenarios {
        text += &self::scenario(scenario, is_divided(view, scenario));
    }
    let mut after = Vec::new();
    after.extend(view.notes.iter().map(|note| line(note, SENTENCE)));
    if suggested.few_sessions() {
        after.push(
            "How days differ is not in limits that rest on fewer than five runs: measure on five days or more.".to_owned(),
        );
    }
    if suggested.is_loose() {
        after.push(
            "A limit far from its mean comes from iterations that differ much: more of them, or more motion in the window, bring it nearer.".to_owned(),
        );
    }
    after.extend(aside(&suggested.aside));
    after.extend(untold(&suggested.untold));
    if !after.is_empty() {
        text.push('\n');
    }
    after.iter().for_each(|line| text += &format!("# {line}\n"));
    text
}

fn heading(suggested: &Suggested) -> String {
    let phones: usize = suggested.proposals().map(|one| one.phones.len()).sum();
    if phones == 0 {
        return "# No limit can be told.\n".to_owned();
    }
    let further: BTreeSet<u32> = suggested.proposals().map(|one| one.further).collect();
    let runs = match (further.first(), further.last()) {
        (Some(least), Some(most)) if least == most => several(*least, "iteration", "iterations"),
        (Some(least), Some(most)) => format!("{least} to {most} iterations"),
        _ => String::new(),
    };
    let share = |share: f64| format!("{} %", trimmed(share * 100.0, 3));
    format!(
        "# Limits that an unchanged build keeps (docs/suggest.md). By chance a run of {runs} breaks a limit on a phone\n\
         # in {} of runs, and any of these {phones} in {} at most.\n",
        share(suggested.asked.false_alarms),
        share(suggested.any_false_alarm()),
    )
}

/// Whether windows have limits of their own: there are several, or may be.
fn is_divided(view: &SuggestView<'_>, of: &ScenarioLimits) -> bool {
    let limited = of.windows.iter().map(|window| window.window.as_str());
    let exceptions = of.overrides.iter().flat_map(|model| &model.limits).flat_map(|shared| &shared.of);
    let untold = view.suggested.untold.iter().filter(|one| one.scenario == of.scenario);
    let all = limited.chain(exceptions.map(|one| one.key.window.as_str()));
    let all: BTreeSet<&str> = all.chain(untold.map(|one| one.window.as_str())).collect();
    view.is_partial || all.iter().filter(|window| **window != LAUNCHES).count() > 1
}

fn scenario(of: &ScenarioLimits, is_divided: bool) -> String {
    let name = line(&of.scenario, NAME);
    let of_header = |window: &&WindowLimits| !is_divided || window.window == LAUNCHES;
    let mut text = String::new();
    for window in of.windows.iter().filter(|window| !of_header(window)) {
        text += &format!("\n# {name}: beside `- measure: {}`\n", line(&window.window, NAME));
        text += &block("    thresholds:", 6, &window.limits);
    }
    let header: Vec<GroupLimit> =
        of.windows.iter().filter(of_header).flat_map(|window| window.limits.clone()).collect();
    if header.is_empty() && of.overrides.is_empty() {
        return text;
    }
    text += &format!("\n# {name}\n");
    if !header.is_empty() {
        text += &block("thresholds:", 2, &header);
    }
    if !of.overrides.is_empty() {
        text += "overrides:\n";
    }
    for model in &of.overrides {
        text += &format!("  - devices: '{}'\n", requirement(&model.model).replace('\'', "''"));
        text += &block("    thresholds:", 6, &model.limits);
    }
    text
}

fn block(title: &str, indent: usize, limits: &[GroupLimit]) -> String {
    let rows: Vec<String> = limits
        .iter()
        .map(|shared| format!("{:indent$}{}: '{}'", "", line(&shared.metric, NAME), shared.limit.text))
        .collect();
    let width = rows.iter().map(|row| row.chars().count()).max().unwrap_or(0);
    let mut text = format!("{title}\n");
    for (row, shared) in rows.iter().zip(limits) {
        text += &format!("{row:width$}  # {}\n", comment::of(shared));
    }
    text
}

/// The phones of a model, as a scenario says it. What cannot stand in a text stands as `?`, which is any character.
pub(crate) fn requirement(model: &str) -> String {
    let quote = if model.contains('"') { '\'' } else { '"' };
    let is_odd = |c: char| acts(c) || c == quote;
    if !model.contains(|c| is_odd(c) || c == '*' || c == '?') {
        return format!("model = {quote}{model}{quote}");
    }
    let plain: String = model.chars().map(|c| if is_odd(c) { '?' } else { c }).collect();
    format!("model ~ {quote}{plain}{quote}")
}

fn aside(aside: &BTreeMap<String, usize>) -> Vec<String> {
    let one = |(model, runs): (&String, &usize)| {
        format!(
            "Left aside of {}: {} with another build of Android, refresh rate, source or scenario than its newest.",
            line(model, NAME),
            several(*runs, "run", "runs")
        )
    };
    aside.iter().take(MOST).map(one).collect()
}

fn untold(all: &[Untold]) -> Vec<String> {
    let mut same: Vec<(&Untold, Vec<&str>)> = Vec::new();
    for one in all {
        let place = |one: &Untold| [&one.scenario, &one.window, &one.model, &one.why].map(String::clone);
        match same.iter_mut().find(|(first, _)| place(first) == place(one)) {
            Some((_, metrics)) => metrics.push(&one.metric),
            None => same.push((one, vec![&one.metric])),
        }
    }
    // What is said of several models alike is said once.
    let mut alike: Vec<(&Untold, Vec<&str>, Vec<&str>)> = Vec::new();
    for (one, metrics) in same {
        let place = |one: &Untold| [&one.scenario, &one.window, &one.why].map(String::clone);
        match alike.iter_mut().find(|(first, those, _)| place(first) == place(one) && *those == metrics) {
            Some((_, _, models)) => models.push(&one.model),
            None => alike.push((one, metrics, vec![&one.model])),
        }
    }
    let words = |(one, metrics, models): &(&Untold, Vec<&str>, Vec<&str>)| {
        let [scenario, window] = [&one.scenario, &one.window].map(|name| line(name, NAME));
        let [metrics, models] = [metrics, models].map(|names| line(&names.join(", "), NAME));
        format!("No limit on {metrics} of {scenario} › {window} on {models}: {}.", line(&one.why, SENTENCE))
    };
    let mut lines: Vec<String> = alike.iter().take(MOST).map(words).collect();
    if alike.len() > MOST {
        lines.push(format!("And {} more without a limit.", alike.len() - MOST));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_told_apart_whatever_it_is_called() {
        assert_eq!(requirement("SM-A146P"), "model = \"SM-A146P\"");
        assert_eq!(requirement("7\" pad"), "model = '7\" pad'");
        assert_eq!(requirement("a'b\"c"), "model ~ 'a?b\"c'");
        assert_eq!(requirement("a\n\u{202e}b"), "model ~ \"a??b\"");
        assert_eq!(requirement("what?"), "model ~ \"what?\"");
    }

    #[test]
    fn what_several_models_lack_alike_is_said_once() {
        let one = |model: &str, metric: &str| Untold {
            scenario: "Feed".to_owned(),
            window: "fling".to_owned(),
            model: model.to_owned(),
            metric: metric.to_owned(),
            why: "too few".to_owned(),
        };
        let all = [one("A", "fps"), one("A", "p95_ms"), one("B", "fps"), one("B", "p95_ms"), one("C", "fps")];
        let told = [
            "No limit on fps, p95_ms of Feed › fling on A, B: too few.",
            "No limit on fps of Feed › fling on C: too few.",
        ];
        assert_eq!(untold(&all), told);
    }
}
