//! The windows of a scenario: those its author named, and `launch` for the launches outside them.
//!
//! `launch` exists when a step outside every `measure` launches the app and the scenario itself (not a window) limits a
//! launch metric. It holds the readings of those launches and no frames.

use crate::place::Place;
use crate::scenario::Scenario;
use crate::step::{Action, Step};
use crate::threshold::Threshold;
use crate::vocabulary::LAUNCH_WINDOW;

/// One window of a scenario, as declared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Declared<'s> {
    /// Its name, unique in the scenario.
    pub name: &'s str,
    /// Where it begins; for `launch`, the first launch outside every `measure`.
    pub place: Place,
    /// Limits written in its own block.
    pub thresholds: &'s [Threshold],
    /// Declared rate of the app, its own or the scenario's, fps.
    pub target_fps: Option<f64>,
    /// A step inside it launches the app.
    pub launches: bool,
    /// True for `launch`, which no `measure` declares.
    pub implicit: bool,
}

impl Scenario {
    /// Its windows in order of its steps; the implicit `launch`, if there is one, first.
    pub fn windows(&self) -> Vec<Declared<'_>> {
        let mut windows = Vec::new();
        let mut first_launch = None;
        self.collect(&self.steps, &mut windows, &mut first_launch);
        if let Some(place) = first_launch
            && self.times_launches
        {
            let launch = Declared {
                name: LAUNCH_WINDOW,
                place,
                thresholds: &[],
                target_fps: None,
                launches: true,
                implicit: true,
            };
            windows.insert(0, launch);
        }
        windows
    }

    fn collect<'s>(
        &'s self,
        steps: &'s [Step],
        windows: &mut Vec<Declared<'s>>,
        first_launch: &mut Option<Place>,
    ) {
        for step in steps {
            match &step.action {
                Action::Measure { name, target_fps, thresholds, steps } => windows.push(Declared {
                    name,
                    place: step.place,
                    thresholds,
                    target_fps: target_fps.or(self.target_fps),
                    launches: launches(steps),
                    implicit: false,
                }),
                Action::LaunchApp { .. } => {
                    first_launch.get_or_insert(step.place);
                }
                action => self.collect(action.steps(), windows, first_launch),
            }
        }
    }
}

/// True when a step, or a step inside it, launches the app.
pub(crate) fn launches(steps: &[Step]) -> bool {
    steps.iter().any(|step| matches!(step.action, Action::LaunchApp { .. }) || launches(step.action.steps()))
}
