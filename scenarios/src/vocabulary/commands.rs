//! Every command with its keys: the heart of the vocabulary.

use super::{
    APP, Command, DURATION, END, ENV, ID, Key, READY_KEY, START, STEPS, Shape, TARGET_FPS, TEXT, THRESHOLDS,
    Verb, key, must,
};

const fn command(name: &'static str, verb: Verb, keys: &'static [Key], about: &'static str) -> Command {
    Command { name, verb, bare: false, short: None, keys, beside: false, about }
}

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
        &[key("direction", Shape::Direction, "where the finger goes"), START, END, DURATION],
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
    Command {
        short: Some("text"),
        ..command(
            "tapOn",
            Verb::TapOn,
            &[TEXT, ID, key("point", Shape::Point, "a point on the screen")],
            "taps on an element or a point",
        )
    },
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
    Command {
        short: Some("text"),
        ..command(
            "assertVisible",
            Verb::AssertVisible,
            &[TEXT, ID, key("timeout", Shape::Time(1, 600_000), "longest wait; 7 s by default")],
            "fails the trial unless an element is on the screen",
        )
    },
    command(
        "repeat",
        Verb::Repeat,
        &[must("times", Shape::Whole(1, 10_000), "how often"), Key { required: true, ..STEPS }],
        "repeats steps",
    ),
    Command {
        short: Some("file"),
        ..command(
            "runFlow",
            Verb::RunFlow,
            &[key("file", Shape::Text, "file whose steps are run, relative to this one"), ENV, STEPS],
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
