//! Steps as data: the closed set of instructions a scenario is made of.

use crate::gesture::{Direction, Gesture};
use crate::page::Ready;
use crate::place::Place;
pub use crate::selector::{Condition, Selector, Tap, Target};
use crate::template::{Expression, Template};
use crate::threshold::Threshold;
use std::collections::BTreeMap;
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
        /// Extras of the intent, by key.
        arguments: BTreeMap<String, Argument>,
        /// Permissions by Maestro's names or Android's.
        permissions: BTreeMap<String, Permission>,
    },
    /// `am force-stop`
    StopApp(String),
    /// `am kill`, once the app is not in front
    KillApp(String),
    /// `pm clear`
    ClearState(String),
    /// Opens a link in the app.
    OpenLink {
        /// Link.
        link: Template,
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
    TapOn(Tap),
    /// A finger gesture that begins on an element: as long as a swipe of the screen goes, to its edge.
    SwipeFrom {
        /// Where it begins.
        element: Selector,
        /// Where the finger goes.
        direction: Direction,
        /// From finger down to finger up.
        duration: Duration,
        /// How long the element is waited for.
        timeout: Duration,
    },
    /// Presses a key: an Android keycode name without `KEYCODE_`, such as `HOME`.
    PressKey(String),
    /// Types text into the focused field.
    InputText(Template),
    /// Types something that was drawn.
    InputRandom(Random),
    /// Takes so many characters from the focused field.
    EraseText(u32),
    /// The back key where a keyboard is up, nothing where none is.
    HideKeyboard,
    /// Takes note of an element's text, for `pasteText` and `maestro.copiedText`.
    CopyTextFrom {
        /// Element.
        element: Selector,
        /// How long it is waited for.
        timeout: Duration,
    },
    /// Takes note of a text, in the same place.
    SetClipboard(Template),
    /// Types what was noted.
    PasteText,
    /// Keeps a picture of the screen in the bundle.
    TakeScreenshot(Template),
    /// Evaluates JavaScript for what it does.
    EvalScript(Template),
    /// Runs a script file.
    RunScript {
        /// File, for messages.
        file: String,
        /// Its text, with the variables it names.
        script: Expression,
        /// When it runs.
        when: Condition,
    },
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
    /// Fails the trial while an element is still on the screen after this long.
    AssertNotVisible {
        /// Element.
        element: Selector,
        /// Longest wait.
        timeout: Duration,
    },
    /// Waits until something holds; out of time fails the trial.
    ExtendedWaitUntil {
        /// What.
        until: Condition,
        /// Longest wait.
        timeout: Duration,
    },
    /// Fails the trial unless an expression holds.
    AssertTrue(Template),
    /// Repeats steps.
    Repeat {
        /// How often, >= 1; at most where there is a condition.
        times: u32,
        /// Goes on while this holds, asked before each round.
        condition: Option<Condition>,
        /// Steps.
        steps: Vec<Step>,
    },
    /// Runs steps again when they fail.
    Retry {
        /// How often again, 0 to 3.
        retries: u32,
        /// Steps.
        steps: Vec<Step>,
    },
    /// Steps of another file, already read in.
    RunFlow {
        /// File.
        file: String,
        /// When they run; always where there is none.
        when: Option<Condition>,
        /// Steps.
        steps: Vec<Step>,
        /// Steps of the file's `onFlowComplete`: they run whatever happened.
        teardown: Vec<Step>,
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
            Action::Repeat { steps, .. }
            | Action::Retry { steps, .. }
            | Action::RunFlow { steps, .. }
            | Action::Measure { steps, .. } => steps,
            _ => &[],
        }
    }

    /// The command's name, as written in a scenario.
    pub fn command(&self) -> &'static str {
        match self {
            Action::LaunchApp { .. } => "launchApp",
            Action::StopApp(_) => "stopApp",
            Action::KillApp(_) => "killApp",
            Action::ClearState(_) => "clearState",
            Action::OpenLink { .. } => "openLink",
            Action::OpenPage { .. } => "openPage",
            Action::Swipe(_) => "swipe",
            Action::Scroll(_) => "scroll",
            Action::ScrollUntilVisible { .. } => "scrollUntilVisible",
            Action::TapOn(tap) if tap.long => "longPressOn",
            Action::TapOn(_) => "tapOn",
            Action::SwipeFrom { .. } => "swipe",
            Action::PressKey(_) => "pressKey",
            Action::InputText(_) => "inputText",
            Action::InputRandom(Random::Text(_)) => "inputRandomText",
            Action::InputRandom(Random::Number(_)) => "inputRandomNumber",
            Action::InputRandom(Random::Email) => "inputRandomEmail",
            Action::InputRandom(Random::PersonName) => "inputRandomPersonName",
            Action::EraseText(_) => "eraseText",
            Action::HideKeyboard => "hideKeyboard",
            Action::CopyTextFrom { .. } => "copyTextFrom",
            Action::SetClipboard(_) => "setClipboard",
            Action::PasteText => "pasteText",
            Action::TakeScreenshot(_) => "takeScreenshot",
            Action::EvalScript(_) => "evalScript",
            Action::RunScript { .. } => "runScript",
            Action::Back => "back",
            Action::Wait(_) => "wait",
            Action::WaitForAnimationToEnd(_) => "waitForAnimationToEnd",
            Action::AssertVisible { .. } => "assertVisible",
            Action::AssertNotVisible { .. } => "assertNotVisible",
            Action::ExtendedWaitUntil { .. } => "extendedWaitUntil",
            Action::AssertTrue(_) => "assertTrue",
            Action::Repeat { .. } => "repeat",
            Action::Retry { .. } => "retry",
            Action::RunFlow { .. } => "runFlow",
            Action::Measure { .. } => "measure",
            Action::Shell(_) => "shell",
        }
    }
}

/// An extra of an intent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// `--ez`
    Flag(bool),
    /// `--ei`
    Whole(i32),
    /// `--es`
    Text(Template),
}

/// What becomes of a permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// Granted.
    Allow,
    /// Taken away.
    Deny,
}

/// What is typed where anything will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Random {
    /// Letters, so many.
    Text(u32),
    /// Digits, so many.
    Number(u32),
    /// An address of mail below `example.com`.
    Email,
    /// Two words, such as a name has.
    PersonName,
}
