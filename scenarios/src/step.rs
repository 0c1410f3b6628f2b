//! Steps as data: the closed set of instructions a scenario is made of.

use crate::gesture::Gesture;
use crate::page::Ready;
use crate::place::Place;
use crate::threshold::Threshold;
use std::time::Duration;

/// One step and where it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Where.
    pub place: Place,
    /// File it was written in, when not the scenario's own (a `runFlow` file).
    pub file: Option<String>,
    /// The author's label, if any.
    pub label: Option<String>,
    /// A failing optional step is noticed and the trial goes on.
    pub optional: bool,
    /// What to do.
    pub action: Action,
}

/// What a step does to the phone.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Starts the app (`am start -W`), after stopping it and clearing its state where asked.
    LaunchApp {
        /// Package; the scenario's app by default.
        app: String,
        /// `pm clear` first.
        clear_state: bool,
        /// Stop the app first (cold start). Maestro's `stopApp` and our `cold` both set it; default true.
        cold: bool,
    },
    /// `am force-stop`
    StopApp(String),
    /// `pm clear`
    ClearState(String),
    /// Opens a link in the app.
    OpenLink {
        /// Link.
        link: String,
        /// When it counts as open.
        ready: Ready,
    },
    /// Opens a page declared under `pages`.
    OpenPage {
        /// Page name.
        page: String,
        /// Its link.
        link: String,
        /// When it counts as open.
        ready: Ready,
    },
    /// A finger gesture that may fling.
    Swipe(Gesture),
    /// A finger drag without fling.
    Scroll(Gesture),
    /// Scrolls until an element is on the screen.
    ScrollUntilVisible {
        /// Element.
        element: Selector,
        /// One scroll.
        gesture: Gesture,
        /// Longest time (default 20 s).
        timeout: Duration,
    },
    /// Taps.
    TapOn(Target),
    /// Presses a key: an Android keycode name without `KEYCODE_`, such as `HOME`.
    PressKey(String),
    /// Types text into the focused field.
    InputText(String),
    /// The back key.
    Back,
    /// Waits.
    Wait(Duration),
    /// Waits until nothing is presented for a while, at most this long.
    WaitForAnimationToEnd(Duration),
    /// Fails the trial unless an element is on the screen in time.
    AssertVisible {
        /// Element.
        element: Selector,
        /// Longest wait (default 7 s).
        timeout: Duration,
    },
    /// Repeats steps.
    Repeat {
        /// How often, >= 1.
        times: u32,
        /// Steps.
        steps: Vec<Step>,
    },
    /// Steps of another file, already read in.
    RunFlow {
        /// File.
        file: String,
        /// Steps.
        steps: Vec<Step>,
    },
    /// A named window: what is measured and judged.
    Measure {
        /// Name, unique in the scenario.
        name: String,
        /// Declared target rate of this window in fps.
        target_fps: Option<f64>,
        /// Limits of this window: they replace the scenario's limits of the same metric.
        thresholds: Vec<Threshold>,
        /// Steps.
        steps: Vec<Step>,
    },
    /// A line for the phone's shell; a status other than 0 fails the trial.
    Shell(String),
}

impl Action {
    /// Steps inside this one; none for most.
    pub fn steps(&self) -> &[Step] {
        match self {
            Action::Repeat { steps, .. } | Action::RunFlow { steps, .. } | Action::Measure { steps, .. } => {
                steps
            }
            _ => &[],
        }
    }

    /// The command's name, as written in a scenario.
    pub fn command(&self) -> &'static str {
        match self {
            Action::LaunchApp { .. } => "launchApp",
            Action::StopApp(_) => "stopApp",
            Action::ClearState(_) => "clearState",
            Action::OpenLink { .. } => "openLink",
            Action::OpenPage { .. } => "openPage",
            Action::Swipe(_) => "swipe",
            Action::Scroll(_) => "scroll",
            Action::ScrollUntilVisible { .. } => "scrollUntilVisible",
            Action::TapOn(_) => "tapOn",
            Action::PressKey(_) => "pressKey",
            Action::InputText(_) => "inputText",
            Action::Back => "back",
            Action::Wait(_) => "wait",
            Action::WaitForAnimationToEnd(_) => "waitForAnimationToEnd",
            Action::AssertVisible { .. } => "assertVisible",
            Action::Repeat { .. } => "repeat",
            Action::RunFlow { .. } => "runFlow",
            Action::Measure { .. } => "measure",
            Action::Shell(_) => "shell",
        }
    }
}

/// What to tap.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// A point.
    Point(crate::gesture::Point),
    /// An element.
    Element(Selector),
}

/// An element on the screen, found in a `uiautomator dump`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// By its text or content description: a regular expression that must match the whole, as in Maestro.
    Text(String),
    /// By its resource id, with or without the package prefix.
    Id(String),
}
