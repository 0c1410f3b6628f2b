//! How long a job takes, about: the durations its author wrote, and usual costs of what has none. For people who wait
//! and for splitting work, never for deadlines.

use crate::scenario::{Scenario, Trials};
use crate::step::{Action, Step, Target};
use farmjank_results::iteration_time::of_all;
use std::time::Duration;

/// Each shell command a step sends; `input` among them, from Android 12 on.
const COMMAND: Duration = Duration::from_millis(150);
/// `input` where it starts a virtual machine for each call (docs/design/phones.md#input).
const VIRTUAL_MACHINE: Duration = Duration::from_millis(850);
/// The newest of those, sdk.
const LAST_OF_THEM: u32 = 30;
/// A cold launch with `am start -W` and what settles after it.
const LAUNCH: Duration = Duration::from_millis(2_000);
/// A link opened until its page is ready.
const PAGE: Duration = Duration::from_millis(1_500);
/// `uiautomator dump`, which waits for the screen to be idle.
const LOOK: Duration = Duration::from_millis(2_500);
/// Checks before and reading after each trial.
const TRIAL: Duration = Duration::from_millis(800);
/// What is drained at the end of each window.
const WINDOW: Duration = Duration::from_millis(700);

/// About how long one trial takes, setup and teardown included. Saturates.
pub fn trial_time(scenario: &Scenario) -> Duration {
    trial_time_by(scenario, COMMAND)
}

/// The same on a phone of this release, where it is known.
fn trial_time_on(scenario: &Scenario, sdk: Option<u32>) -> Duration {
    let is_slow = sdk.is_some_and(|sdk| sdk <= LAST_OF_THEM);
    trial_time_by(scenario, if is_slow { VIRTUAL_MACHINE } else { COMMAND })
}

fn trial_time_by(scenario: &Scenario, input: Duration) -> Duration {
    [&scenario.setup, &scenario.steps, &scenario.teardown]
        .into_iter()
        .fold(TRIAL, |sum, steps| sum.saturating_add(steps_time(steps, input)))
}

/// About how long a job takes with all its trials: by how long an iteration usually took, where somebody knows, else by
/// its steps. Saturates.
pub fn job_time(scenario: &Scenario, trials: Trials, usual_ms: Option<u64>) -> Duration {
    job_time_on(scenario, trials, usual_ms, None)
}

/// The same on a phone of this release, where it is known.
pub(super) fn job_time_on(
    scenario: &Scenario,
    trials: Trials,
    usual_ms: Option<u64>,
    sdk: Option<u32>,
) -> Duration {
    let iterations = trials.warmup.saturating_add(trials.iterations);
    match usual_ms {
        Some(ms) => of_all(ms, iterations),
        None => trial_time_on(scenario, sdk).saturating_mul(iterations),
    }
}

fn steps_time(steps: &[Step], input: Duration) -> Duration {
    steps.iter().fold(Duration::ZERO, |sum, step| sum.saturating_add(step_time_by(&step.action, input)))
}

/// About how long a step takes by itself.
pub(super) fn step_time(action: &Action) -> Duration {
    step_time_by(action, COMMAND)
}

/// The same where a call of `input` takes so long.
fn step_time_by(action: &Action, input: Duration) -> Duration {
    match action {
        Action::LaunchApp { clear_state, .. } => {
            LAUNCH + if *clear_state { COMMAND * 4 } else { Duration::ZERO }
        }
        Action::OpenLink { .. } | Action::OpenPage { .. } => PAGE,
        Action::Swipe(gesture) | Action::Scroll(gesture) => gesture.duration.saturating_add(input),
        // It usually needs a few looks, rarely its whole timeout.
        Action::ScrollUntilVisible { gesture, timeout, .. } => {
            (LOOK * 3).saturating_add(gesture.duration * 2).min(timeout.saturating_add(COMMAND))
        }
        Action::TapOn(tap) => {
            let looks = u32::from(matches!(tap.target, Target::Element(..))) + 2 * u32::from(tap.retry);
            LOOK * looks + (input + tap.delay) * tap.times
        }
        Action::SwipeFrom { duration, .. } => LOOK.saturating_add(*duration).saturating_add(input - COMMAND),
        Action::AssertVisible { timeout, .. }
        | Action::AssertNotVisible { timeout, .. }
        | Action::CopyTextFrom { timeout, .. } => LOOK.min(timeout.saturating_add(COMMAND)),
        // Something that takes long is waited for.
        Action::ExtendedWaitUntil { timeout, .. } => (LOOK * 2).min(timeout.saturating_add(COMMAND)),
        Action::Wait(time) => *time,
        Action::WaitForAnimationToEnd(most) => (*most).min(Duration::from_secs(1)),
        Action::SetClipboard(_)
        | Action::EvalScript(_)
        | Action::RunScript { .. }
        | Action::AssertTrue(_) => Duration::ZERO,
        Action::StopApp(_)
        | Action::KillApp(_)
        | Action::ClearState(_)
        | Action::TakeScreenshot(_)
        | Action::Shell(_) => COMMAND,
        Action::HideKeyboard
        | Action::EraseText(_)
        | Action::InputRandom(_)
        | Action::PasteText
        | Action::PressKey(_)
        | Action::InputText(_)
        | Action::Back => input,
        Action::Repeat { times, condition: None, steps } => steps_time(steps, input).saturating_mul(*times),
        // It usually ends soon.
        Action::Repeat { times, condition: Some(_), steps } => {
            (LOOK.saturating_add(steps_time(steps, input))).saturating_mul((*times).min(3))
        }
        Action::Retry { steps, .. } => steps_time(steps, input),
        Action::RunFlow { when, steps, teardown, .. } => {
            let asked = if when.is_some() { LOOK } else { Duration::ZERO };
            asked.saturating_add(steps_time(steps, input)).saturating_add(steps_time(teardown, input))
        }
        Action::Measure { steps, .. } => {
            steps_time(steps, input).saturating_add(WINDOW).saturating_add(input - COMMAND)
        }
    }
}
