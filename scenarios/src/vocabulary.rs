//! The words of the language: every command and key, the form of its value, its bounds. One table drives the reader,
//! its suggestions and the JSON schema, so that they cannot disagree. Knows neither YAML nor phones.

mod commands;
pub mod lab_files;
mod launches;
pub mod maestro;

pub use commands::COMMANDS;
pub(crate) use launches::{LAUNCH_METRICS, LAUNCH_WINDOW, is_launch_metric};

/// The form of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Text of at most [`TEXT_CHARS`] characters, not empty.
    Text,
    /// Name of at most [`NAME_CHARS`] characters on one line.
    Name,
    /// A package name, `com.example.shop`.
    AppId,
    /// A link with its scheme, `shop://feed`.
    Link,
    /// `true` or `false`.
    Flag,
    /// `true`, `false` or `iterations`.
    Spread,
    /// A whole number within bounds.
    Whole(u32, u32),
    /// A number within bounds.
    Number(f64, f64),
    /// A length of time within bounds in ms: a number of ms, or text as `250ms`, `2s`, `1m`.
    Time(u32, u32),
    /// A point: `"50%, 80%"` of the screen, or `"540, 1600"` px.
    Point,
    /// `UP`, `DOWN`, `LEFT` or `RIGHT`.
    Direction,
    /// The name of a key, `HOME`.
    KeyName,
    /// `auto`, `frametimeline`, `surfaceflinger`, `gfxinfo` or `timestats`.
    Source,
    /// A requirement, `sdk >= 29 & refresh >= 60`.
    Requirement,
    /// A list of tags, or one.
    Tags,
    /// A map of names to single values.
    Map,
    /// A list of steps.
    Steps,
    /// When a page counts as open: an activity, or a map of [`READY`].
    Ready,
    /// An element: its text, or a map of [`SELECTOR`].
    Element,
    /// A list of elements.
    Elements,
    /// A map of [`CONDITION`].
    Condition,
    /// A whole number that may be negative.
    Signed,
    /// JavaScript, plain or within `${}`.
    Script,
    /// A phone's system: `Android`, `iOS` or `Web`.
    Platform,
    /// Pages by name: a link, or a map of [`PAGE`].
    Pages,
    /// Limits by metric key: text, a map of [`LIMIT`], or a list of these.
    Thresholds,
    /// A list of maps of [`OVERRIDE`].
    Overrides,
    /// A map of [`BASELINE`].
    Baseline,
    /// A map of [`CAUSES`].
    Causes,
    /// `fail` or `warn`.
    OnNew,
    /// A day, `2026-12-31`.
    Day,
    /// A list of maps of [`lab_files::QUARANTINED`].
    Quarantined,
    /// A list of maps of [`lab_files::INVENTORY_PHONE`].
    InventoryPhones,
    /// Owners by name or pattern.
    Owners,
    /// Maps of [`lab_files::TEAM`] by owner.
    Teams,
    /// A map of [`PREPARE`].
    Prepare,
    /// One of [`farmjank_results::resources::Resource`], or a list of them.
    Resources,
}

/// Longest text of a value, characters.
pub(crate) const TEXT_CHARS: usize = 4096;

/// Longest name, characters.
pub(crate) const NAME_CHARS: usize = 120;

/// One key of a map.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// As written.
    pub name: &'static str,
    /// Other spellings, understood as the same.
    pub also: &'static [&'static str],
    /// Form of its value.
    pub shape: Shape,
    /// It must be given.
    pub required: bool,
    /// One line for people.
    pub about: &'static str,
}

/// What a command does: the closed set the reader builds steps from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is the command of the same name in COMMANDS")]
pub enum Verb {
    LaunchApp,
    StopApp,
    ClearState,
    OpenLink,
    OpenPage,
    Swipe,
    Scroll,
    ScrollUntilVisible,
    TapOn,
    PressKey,
    InputText,
    Back,
    Wait,
    WaitForAnimationToEnd,
    AssertVisible,
    AssertNotVisible,
    AssertTrue,
    ExtendedWaitUntil,
    DoubleTapOn,
    LongPressOn,
    HideKeyboard,
    EraseText,
    CopyTextFrom,
    PasteText,
    SetClipboard,
    InputRandomText,
    InputRandomNumber,
    InputRandomEmail,
    InputRandomPersonName,
    TakeScreenshot,
    EvalScript,
    RunScript,
    KillApp,
    Retry,
    Repeat,
    RunFlow,
    Measure,
    Shell,
}

/// One command. One field for each thing that can be said of one.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// As written.
    pub name: &'static str,
    /// What it does.
    pub verb: Verb,
    /// It may stand without a value (`- stopApp`).
    pub bare: bool,
    /// The key a single value stands for (`- wait: 2s` is `- wait: { duration: 2s }`).
    pub short: Option<&'static str>,
    /// Its keys.
    pub keys: &'static [Key],
    /// The keys may also stand beside the command, as in `- measure: fling` with `steps:` below it.
    pub beside: bool,
    /// It takes the keys of an element too.
    pub element: bool,
    /// Why it may not stand in a `measure`, where it may not.
    pub disturbs: Option<&'static str>,
    /// One line for people.
    pub about: &'static str,
}

impl Command {
    /// All keys of its map: its own, those of an element, those of every step.
    pub fn key_sets(&self) -> [&'static [Key]; 3] {
        [self.keys, if self.element { SELECTOR } else { &[] }, EVERY_STEP]
    }
}

const fn key(name: &'static str, shape: Shape, about: &'static str) -> Key {
    Key { name, also: &[], shape, required: false, about }
}

const fn must(name: &'static str, shape: Shape, about: &'static str) -> Key {
    Key { name, also: &[], shape, required: true, about }
}

const APP: Key =
    Key { also: &["app"], ..key("appId", Shape::AppId, "package; the scenario's app by default") };
const STEPS: Key = Key { also: &["commands"], ..key("steps", Shape::Steps, "the steps") };
const THRESHOLDS: Key =
    key("thresholds", Shape::Thresholds, "limits by metric, such as `fps: 'mean >= 95%refresh'`");
const TARGET_FPS: Key = key(
    "target_fps",
    Shape::Number(1.0, 480.0),
    "rate the app means to reach, in fps, held by its own schedule; every vsync by default",
);
const ENV: Key = key("env", Shape::Map, "variables for `${NAME}`; `-e NAME=VALUE` overrides them");
const TEXT: Key = key("text", Shape::Text, "text on the screen, a regular expression that matches the whole");
const ID: Key = key("id", Shape::Text, "resource id, with or without its package");
const DURATION: Key = key("duration", Shape::Time(1, 60_000), "from finger down to finger up");
const START: Key = key("start", Shape::Point, "where the finger goes down");
const END: Key = key("end", Shape::Point, "where it lifts");

/// Keys every command takes.
pub const EVERY_STEP: &[Key] = &[
    key("label", Shape::Name, "what reports call this step"),
    key("optional", Shape::Flag, "when it fails, the trial goes on"),
];

/// Keys of a file: its header, and its steps in the one-document form.
pub const HEADER: &[Key] = &[
    key("name", Shape::Name, "what reports call the scenario; the file's name by default"),
    Key { also: &["app"], ..must("appId", Shape::AppId, "package of the app under test") },
    key("tags", Shape::Tags, "tags to select by"),
    key("devices", Shape::Requirement, "which phones qualify, such as `sdk >= 29 & refresh >= 60`"),
    key(
        "phones",
        Shape::Whole(1, 10_000),
        "phones the fleet has that qualify; fewer are a lab fault (exit 3)",
    ),
    key(
        "spread",
        Shape::Spread,
        "`true`: one phone of each class (model, Android release, refresh rates) is enough, and another of it may step in; \
         `iterations`: the phones of a class share them out; every phone makes all by default",
    ),
    key("iterations", Shape::Whole(1, 1_000), "counted trials per phone; 5 by default"),
    key("warmup", Shape::Whole(0, 100), "trials run first and never counted; 1 by default"),
    TARGET_FPS,
    key("fling", Shape::Time(0, 30_000), "longest fling after the finger lifted; 2 s by default"),
    key("source", Shape::Source, "where frames are seen; auto by default"),
    key("layer", Shape::Text, "layer to watch, with `*`; chosen by probing by default"),
    ENV,
    key(
        "secret",
        Shape::Tags,
        "variables that are blacked out wherever they are written; give them with `--env-file` or `-e NAME`",
    ),
    key("properties", Shape::Map, "your own words, kept for reports"),
    key("pages", Shape::Pages, "target pages by name, for openPage"),
    Key { also: &["onFlowStart"], ..key("setup", Shape::Steps, "steps before each trial, never measured") },
    Key { also: &["commands"], ..key("steps", Shape::Steps, "steps of a trial") },
    Key {
        also: &["onFlowComplete"],
        ..key("teardown", Shape::Steps, "steps after each trial, whatever happened")
    },
    THRESHOLDS,
    key("overrides", Shape::Overrides, "limits for some phones; the last that matches wins, per metric"),
    key("baseline", Shape::Baseline, "how a run is held against a baseline"),
    key("causes", Shape::Causes, "what becomes of causes of late frames"),
    key(
        "beside",
        Shape::Resources,
        "what is looked at beside the frames: `cpu`, `memory`, `temperature`, `battery`, `network`; what limits need by default",
    ),
    key("prepare", Shape::Prepare, "what is changed on phones while it runs there, and set back afterwards"),
];

/// Keys of `prepare`.
pub(crate) const PREPARE: &[Key] = &[
    key("animations", Shape::Number(0.0, 10.0), "the three animation scales; left as they are by default"),
    key(
        "refresh_rate",
        Shape::Text,
        "pins the panel: a rate in Hz it has, or `highest`; left to the phone by default",
    ),
    key("battery_saver", Shape::Flag, "switches it on or off; left as it is by default"),
    key(
        "stay_awake",
        Shape::Flag,
        "keeps the screen on where it would go off within 10 min; true by default",
    ),
    key(
        "min_battery",
        Shape::Whole(0, 100),
        "charge in percent below which nothing is measured; 20 by default",
    ),
];

/// Keys of `baseline`.
pub(crate) const BASELINE: &[Key] = &[key(
    "mei",
    Shape::Text,
    "least change of hitch time that matters, such as `10 ms/s` or `20%`; max(10 ms/s, 4 √baseline) by default",
)];

/// Keys of `causes`.
pub(crate) const CAUSES: &[Key] = &[must(
    "new",
    Shape::OnNew,
    "a window with a cause that the run of --baseline has not fails (`fail`), or it is said (`warn`)",
)];

/// `appId` of a file that a scenario runs: its own only if it wants.
pub(crate) const FLOW_APP: Key = APP;

/// Keys of a page.
pub const PAGE: &[Key] = &[must("link", Shape::Link, "link that opens it"), READY_KEY];

/// How long a step waits for an element, ms.
const WAIT: Shape = Shape::Time(1, 600_000);

const READY_KEY: Key = key("ready", Shape::Ready, "when it counts as open");

/// Keys of `ready`.
pub(crate) const READY: &[Key] = &[
    key("activity", Shape::Text, "activity in front, such as `.FeedActivity`"),
    TEXT,
    ID,
    key("timeout", Shape::Time(1, 600_000), "longest wait; 10 s by default"),
];

/// Keys of an element.
pub(crate) const SELECTOR: &[Key] = &[
    TEXT,
    ID,
    key("index", Shape::Signed, "which of several, from the top and the left, from 0; negative from the end"),
    key("enabled", Shape::Flag, "whether it takes input"),
    key("checked", Shape::Flag, "whether it is checked, as a switch"),
    key("focused", Shape::Flag, "whether it has the input focus"),
    key("selected", Shape::Flag, "whether it is selected, as a tab"),
    key("below", Shape::Element, "an element above it"),
    key("above", Shape::Element, "an element below it"),
    key("leftOf", Shape::Element, "an element to its right"),
    key("rightOf", Shape::Element, "an element to its left"),
    key("containsChild", Shape::Element, "a child of it"),
    key("containsDescendants", Shape::Elements, "elements inside it, at any depth"),
    key("childOf", Shape::Element, "an element it lies in"),
    key("width", Shape::Whole(1, 20_000), "its width in px"),
    key("height", Shape::Whole(1, 20_000), "its height in px"),
    key("tolerance", Shape::Whole(0, 20_000), "how far off width and height may be, px"),
];

/// Keys of a condition.
pub(crate) const CONDITION: &[Key] = &[
    key("visible", Shape::Element, "an element that must be on the screen within 7 s of the last touch"),
    key("notVisible", Shape::Element, "an element that must not be there, or go within that time"),
    key("true", Shape::Script, "an expression that must hold"),
    key("platform", Shape::Platform, "`Android` holds; steps for others are left out"),
    key("label", Shape::Name, "what reports call it"),
];

/// Keys of a limit in its long form.
pub const LIMIT: &[Key] = &[
    Key { also: &["threshold"], ..must("limit", Shape::Text, "the limit, such as `mean < 5`") },
    key(
        "confidence",
        Shape::Number(50.0, 99.99),
        "one-sided confidence in percent with which it must be shown",
    ),
    key("backwards", Shape::Flag, "`true` where the worse value is wanted, as of a page that must be slow"),
];

/// Keys of an override.
pub(crate) const OVERRIDE: &[Key] =
    &[must("devices", Shape::Requirement, "which phones"), Key { required: true, ..THRESHOLDS }];

/// The command of this name.
pub fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

#[cfg(test)]
mod tests {
    use super::maestro::NOT_RUN;
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_name_is_used_twice_and_short_keys_exist() {
        let names: BTreeSet<_> = COMMANDS.iter().map(|command| command.name).collect();
        assert_eq!(names.len(), COMMANDS.len());
        assert!(NOT_RUN.iter().all(|(name, _)| !names.contains(name)));
        for command in COMMANDS {
            let keys: Vec<_> = command
                .key_sets()
                .into_iter()
                .flatten()
                .flat_map(|key| [&[key.name], key.also].concat())
                .collect();
            assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), keys.len(), "{}", command.name);
            assert!(command.short.is_none_or(|short| keys.contains(&short)), "{}", command.name);
        }
    }
}
