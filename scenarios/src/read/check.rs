//! Checks that need the whole scenario: every limit has something to judge, and a trial ends within reason.

use super::fields::Fields;
use super::read_context::ReadContext;
use crate::complaint::quoted;
use crate::place::Mark;
use crate::plan::trial_time;
use crate::scenario::Scenario;
use crate::step::Step;
use crate::threshold::Threshold;
use crate::vocabulary::{LAUNCH_WINDOW, is_launch_metric};
use crate::windows::launches;
use std::time::Duration;

/// Longest estimated trial.
const TRIAL: Duration = Duration::from_secs(4 * 3600);

pub(super) fn check(ctx: &mut ReadContext<'_>, scenario: &Scenario, header: &Fields) {
    let windows = scenario.windows();
    let measures = windows.iter().any(|window| !window.implicit);
    let launches = launches(&scenario.steps);
    for threshold in &scenario.thresholds {
        let launch = is_launch_metric(&threshold.metric);
        if launch && !launches {
            complain_limit(ctx, threshold, "nothing launches the app", "add `- launchApp` to `steps`");
        } else if !launch && !measures {
            let instead = "wrap the steps it is about: `- measure: NAME` with `steps:` below it";
            complain_limit(ctx, threshold, "no window to measure it in", instead);
        }
    }
    let implicit = windows.iter().any(|window| window.implicit);
    if let Some((file, place)) = ctx.windows.get(LAUNCH_WINDOW).filter(|_| implicit) {
        let mark = if *file == scenario.file { Mark { place: *place, length: 1 } } else { header.mark };
        let what = format!("{} is the window of the launches outside every `measure`", quoted(LAUNCH_WINDOW));
        ctx.complain(mark, what, "give this window another name");
    }
    let trial = trial_time(scenario);
    if trial > TRIAL {
        let what = format!("one trial takes about {} hours", trial.as_secs() / 3600);
        ctx.complain(header.mark, what, "repeat less, or wait less: at most 4 hours");
    }
}

/// Limits of a window on launches need a launch inside it.
pub(super) fn check_window(ctx: &mut ReadContext<'_>, thresholds: &[Threshold], steps: &[Step]) {
    if launches(steps) {
        return;
    }
    for threshold in thresholds.iter().filter(|threshold| is_launch_metric(&threshold.metric)) {
        complain_limit(
            ctx,
            threshold,
            "nothing in this window launches the app",
            "add `- launchApp` to its steps",
        );
    }
}

fn complain_limit(ctx: &mut ReadContext<'_>, threshold: &Threshold, why: &str, instead: &str) {
    let length = threshold.limit.text.chars().count() as u32;
    let what = format!("{} cannot be judged: {why}", quoted(&threshold.metric));
    ctx.complain(Mark { place: threshold.place, length }, what, instead);
}
