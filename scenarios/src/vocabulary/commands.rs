//! Every command with its keys: the heart of the vocabulary.

use super::{
    APP, Command, DURATION, END, ENV, Key, READY_KEY, START, STEPS, Shape, TARGET_FPS, THRESHOLDS, Verb,
    WAIT, key, must,
};

const fn command(name: &'static str, verb: Verb, keys: &'static [Key], about: &'static str) -> Command {
    Command {
        name,
        verb,
        bare: false,
        short: None,
        keys,
        beside: false,
        element: false,
        disturbs: None,
        about,
    }
}

/// A command about an element, which it waits for.
const fn on_element(name: &'static str, verb: Verb, keys: &'static [Key], about: &'static str) -> Command {
    Command { short: Some("text"), element: true, ..command(name, verb, keys, about) }
}

/// Looking at the screen runs `uiautomator` on the phone, which takes seconds of its processor.
const LOOKS: &str = "it looks at the screen with `uiautomator`, which takes processor time from the app";
/// Scripts decide while frames are counted.
const DECIDES: &str = "what is measured must be the same in every trial and on every phone";

/// Keys of a tap beside those of its element.
const TAP: &[Key] = &[
    key("point", Shape::Point, "a point on the screen, or within the element"),
    key("repeat", Shape::Whole(1, 100), "how often it is tapped"),
    key("delay", Shape::Time(0, 60_000), "from one tap to the next; 100 ms by default"),
    key("retryTapIfNoChange", Shape::Flag, "tap once more when the screen stays as it was; false by default"),
    key("waitUntilVisible", Shape::Flag, "an element is waited for, whatever this says"),
    key("timeout", WAIT, "longest wait for the element; 17 s by default, 7 s for an optional step"),
];

/// How long something random is.
const LENGTH: Key = key("length", Shape::Whole(1, 200), "how many; 8 by default");

/// Every command.
pub const COMMANDS: &[Command] = &[
    Command {
        bare: true,
        short: Some("appId"),
        ..command(
            "launchApp",
            Verb::LaunchApp,
            &[
                APP,
                key("clearState", Shape::Flag, "clear the app's data first; false by default"),
                key("stopApp", Shape::Flag, "stop the app first; true by default"),
                key("cold", Shape::Flag, "same as stopApp"),
                key(
                    "permissions",
                    Shape::Map,
                    "permissions by name, `allow` or `deny`; as they are by default",
                ),
                key("arguments", Shape::Map, "extras of the intent by key: text, whole numbers, flags"),
            ],
            "starts the app and times the launch",
        )
    },
    Command {
        bare: true,
        short: Some("appId"),
        ..command("stopApp", Verb::StopApp, &[APP], "stops the app")
    },
    Command {
        bare: true,
        short: Some("appId"),
        ..command("killApp", Verb::KillApp, &[APP], "ends the app, as the system does when memory is short")
    },
    Command {
        bare: true,
        short: Some("appId"),
        ..command("clearState", Verb::ClearState, &[APP], "clears the app's data")
    },
    Command {
        short: Some("link"),
        ..command(
            "openLink",
            Verb::OpenLink,
            &[must("link", Shape::Link, "link to open"), READY_KEY],
            "opens a link in the app",
        )
    },
    Command {
        short: Some("page"),
        ..command(
            "openPage",
            Verb::OpenPage,
            &[must("page", Shape::Name, "name under `pages`")],
            "opens a page declared under `pages`",
        )
    },
    command(
        "swipe",
        Verb::Swipe,
        &[
            key("direction", Shape::Direction, "where the finger goes"),
            START,
            END,
            key("from", Shape::Element, "an element where the finger comes down"),
            DURATION,
        ],
        "a finger gesture that may fling; 400 ms by default",
    ),
    Command {
        bare: true,
        ..command(
            "scroll",
            Verb::Scroll,
            &[
                key("direction", Shape::Direction, "where the view goes; DOWN by default"),
                START,
                END,
                DURATION,
            ],
            "a slow finger drag without fling",
        )
    },
    command(
        "scrollUntilVisible",
        Verb::ScrollUntilVisible,
        &[
            must("element", Shape::Element, "what to look for"),
            key("direction", Shape::Direction, "where the view goes; DOWN by default"),
            key("timeout", Shape::Time(1, 600_000), "longest time; 20 s by default"),
            key("speed", Shape::Whole(0, 100), "0 slow to 100 fast; 40 by default"),
        ],
        "scrolls until an element is on the screen",
    ),
    on_element("tapOn", Verb::TapOn, TAP, "taps on an element or a point"),
    on_element("doubleTapOn", Verb::DoubleTapOn, TAP, "taps twice"),
    on_element("longPressOn", Verb::LongPressOn, TAP, "keeps the finger down for 3 s"),
    Command {
        short: Some("key"),
        ..command("pressKey", Verb::PressKey, &[must("key", Shape::KeyName, "such as HOME")], "presses a key")
    },
    Command {
        short: Some("text"),
        ..command(
            "inputText",
            Verb::InputText,
            &[must("text", Shape::Text, "the text")],
            "types into the focused field",
        )
    },
    Command { bare: true, ..command("back", Verb::Back, &[], "presses the back key") },
    Command {
        bare: true,
        disturbs: Some("it asks the phone whether a keyboard is up, and hiding one draws the page anew"),
        ..command("hideKeyboard", Verb::HideKeyboard, &[], "hides the keyboard where one is up")
    },
    Command {
        bare: true,
        short: Some("charactersToErase"),
        ..command(
            "eraseText",
            Verb::EraseText,
            &[key("charactersToErase", Shape::Whole(1, 1_000), "how many; 50 by default")],
            "takes characters from the focused field",
        )
    },
    Command { bare: true, ..command("inputRandomText", Verb::InputRandomText, &[LENGTH], "types letters") },
    Command {
        bare: true,
        ..command("inputRandomNumber", Verb::InputRandomNumber, &[LENGTH], "types digits")
    },
    Command {
        bare: true,
        ..command("inputRandomEmail", Verb::InputRandomEmail, &[], "types an address of mail")
    },
    Command {
        bare: true,
        ..command("inputRandomPersonName", Verb::InputRandomPersonName, &[], "types two words")
    },
    Command {
        disturbs: Some(LOOKS),
        ..on_element(
            "copyTextFrom",
            Verb::CopyTextFrom,
            &[key("timeout", WAIT, "longest wait; 17 s by default")],
            "takes note of an element's text, as `maestro.copiedText`",
        )
    },
    Command { bare: true, ..command("pasteText", Verb::PasteText, &[], "types what was copied") },
    Command {
        short: Some("text"),
        ..command(
            "setClipboard",
            Verb::SetClipboard,
            &[must("text", Shape::Text, "the text")],
            "takes note of a text, as if it had been copied",
        )
    },
    Command {
        short: Some("path"),
        disturbs: Some(
            "it takes processor time and frames from the app; `--screens` takes pictures of warm-ups",
        ),
        ..command(
            "takeScreenshot",
            Verb::TakeScreenshot,
            &[must("path", Shape::Text, "its name; it is kept among the evidence of the trial")],
            "keeps a picture of the screen",
        )
    },
    Command {
        short: Some("script"),
        disturbs: Some(DECIDES),
        ..command(
            "evalScript",
            Verb::EvalScript,
            &[must("script", Shape::Script, "JavaScript, as `${output.n = 2}`")],
            "evaluates JavaScript",
        )
    },
    Command {
        short: Some("file"),
        disturbs: Some(DECIDES),
        ..command(
            "runScript",
            Verb::RunScript,
            &[
                must("file", Shape::Text, "a file of JavaScript, relative to this one"),
                ENV,
                key("when", Shape::Condition, "when it runs"),
            ],
            "runs a file of JavaScript",
        )
    },
    Command {
        short: Some("duration"),
        ..command("wait", Verb::Wait, &[must("duration", Shape::Time(1, 600_000), "how long")], "waits")
    },
    Command {
        bare: true,
        short: Some("timeout"),
        ..command(
            "waitForAnimationToEnd",
            Verb::WaitForAnimationToEnd,
            &[key("timeout", Shape::Time(1, 600_000), "longest wait; 15 s by default")],
            "waits until nothing moves",
        )
    },
    on_element(
        "assertVisible",
        Verb::AssertVisible,
        &[key("timeout", WAIT, "longest wait; 17 s by default, 7 s for an optional step")],
        "fails the trial unless an element is on the screen",
    ),
    Command {
        disturbs: Some(LOOKS),
        ..on_element(
            "assertNotVisible",
            Verb::AssertNotVisible,
            &[key("timeout", WAIT, "longest wait; 17 s by default, 7 s for an optional step")],
            "fails the trial while an element is on the screen",
        )
    },
    Command {
        disturbs: Some(LOOKS),
        ..command(
            "extendedWaitUntil",
            Verb::ExtendedWaitUntil,
            &[
                key("visible", Shape::Element, "an element that is to come"),
                key("notVisible", Shape::Element, "an element that is to go"),
                key("timeout", WAIT, "longest wait; 17 s by default"),
            ],
            "waits until an element is on the screen, or is not",
        )
    },
    Command {
        short: Some("condition"),
        disturbs: Some(DECIDES),
        ..command(
            "assertTrue",
            Verb::AssertTrue,
            &[must("condition", Shape::Script, "an expression")],
            "fails the trial unless an expression holds",
        )
    },
    command(
        "repeat",
        Verb::Repeat,
        &[
            key("times", Shape::Whole(1, 10_000), "how often; at most, where there is a `while`"),
            key("while", Shape::Condition, "goes on while this holds"),
            Key { required: true, ..STEPS },
        ],
        "repeats steps",
    ),
    Command {
        disturbs: Some(DECIDES),
        ..command(
            "retry",
            Verb::Retry,
            &[
                key("maxRetries", Shape::Whole(0, 3), "how often again; 1 by default"),
                key("file", Shape::Text, "file whose steps are run, relative to this one"),
                ENV,
                STEPS,
            ],
            "runs steps again when they fail",
        )
    },
    Command {
        short: Some("file"),
        ..command(
            "runFlow",
            Verb::RunFlow,
            &[
                key("file", Shape::Text, "file whose steps are run, relative to this one"),
                key("when", Shape::Condition, "when they run; always by default"),
                ENV,
                STEPS,
            ],
            "runs the steps of another file",
        )
    },
    Command {
        short: Some("name"),
        beside: true,
        ..command(
            "measure",
            Verb::Measure,
            &[
                must("name", Shape::Name, "the window's name, unique in the scenario"),
                Key { required: true, ..STEPS },
                THRESHOLDS,
                TARGET_FPS,
            ],
            "a named window: what is measured, with one verdict",
        )
    },
    Command {
        short: Some("command"),
        ..command(
            "shell",
            Verb::Shell,
            &[must("command", Shape::Text, "the line")],
            "runs a line in the phone's shell; a status other than 0 fails the trial",
        )
    },
];
