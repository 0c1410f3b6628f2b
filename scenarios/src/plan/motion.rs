//! How long the screen moves in each window, about: fingers, and flings until the next finger, their bound, or the end
//! of the window. For planning comparisons, never for judging: what really moved is measured.

use super::estimate::step_time;
use crate::scenario::Scenario;
use crate::step::{Action, Step};
use std::time::Duration;

/// Rounds of a `repeat` walked one by one; beyond them every round is as long as the last.
const ROUNDS: u32 = 50;

/// Time in motion of each window of one trial, in order of their first appearance; of a window measured several times,
/// all of it.
pub fn motion_times(scenario: &Scenario) -> Vec<(&str, Duration)> {
    let mut found: Vec<(&str, Duration)> = Vec::new();
    let mut ahead: Vec<&Step> = scenario.steps.iter().rev().collect();
    while let Some(step) = ahead.pop() {
        if let Action::Measure { name, steps, .. } = &step.action {
            let mut motion = Motion { bound: scenario.fling_bound, ..Motion::default() };
            motion.walk(steps);
            motion.lands();
            match found.iter_mut().find(|(known, _)| known == name) {
                Some((_, time)) => *time = time.saturating_add(motion.time),
                None => found.push((name, motion.time)),
            }
        } else {
            let times =
                if let Action::Repeat { times, .. } = &step.action { (*times).min(ROUNDS) } else { 1 };
            (0..times).for_each(|_| ahead.extend(step.action.steps().iter().rev()));
        }
    }
    found
}

#[derive(Clone, Default)]
struct Motion {
    bound: Duration,
    time: Duration,
    /// How long the running fling has been going on.
    fling: Option<Duration>,
}

impl Motion {
    fn walk(&mut self, steps: &[Step]) {
        for step in steps {
            self.step(&step.action);
        }
    }

    fn step(&mut self, action: &Action) {
        match action {
            Action::Swipe(gesture) => {
                self.finger(gesture.duration);
                self.fling = Some(Duration::ZERO);
            }
            Action::Scroll(gesture) => self.finger(gesture.duration),
            Action::ScrollUntilVisible { gesture, .. } => self.finger(gesture.duration * 2),
            Action::SwipeFrom { duration, .. } => {
                self.finger(*duration);
                self.fling = Some(Duration::ZERO);
            }
            Action::Repeat { times, steps, .. } => {
                let mut last = Duration::ZERO;
                for _ in 0..(*times).min(ROUNDS) {
                    let before = self.time;
                    self.walk(steps);
                    last = self.time.saturating_sub(before);
                }
                self.time = self.time.saturating_add(last.saturating_mul(times.saturating_sub(ROUNDS)));
            }
            Action::RunFlow { steps, .. } => self.walk(steps),
            other => {
                let passes = step_time(other);
                self.fling = self.fling.map(|fling| fling.saturating_add(passes));
            }
        }
    }

    fn finger(&mut self, time: Duration) {
        self.lands();
        self.time = self.time.saturating_add(time);
    }

    /// The running fling is over.
    fn lands(&mut self) {
        if let Some(fling) = self.fling.take() {
            self.time = self.time.saturating_add(fling.min(self.bound));
        }
    }
}
