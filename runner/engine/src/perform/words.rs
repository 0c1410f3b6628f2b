//! A step in a few words, for people.

use crate::android::clip;
use crate::android::find::describe;
use farmjank_scenarios::step::{Action, Condition, Target};

/// A step in a few words, for people.
pub fn words(action: &Action) -> String {
    match action {
        Action::LaunchApp { app, cold, .. } => format!("launch {app}{}", if *cold { " (cold)" } else { "" }),
        Action::StopApp(app) => format!("stop {app}"),
        Action::KillApp(app) => format!("kill {app}"),
        Action::ClearState(app) => format!("clear {app}"),
        Action::OpenLink { link, .. } => format!("open {}", clip(&link.to_string(), 60)),
        Action::OpenPage { page, .. } => format!("open page {page}"),
        Action::Swipe(_) => "swipe".to_owned(),
        Action::SwipeFrom { element, .. } => format!("swipe {}", describe(element)),
        Action::Scroll(_) => "scroll".to_owned(),
        Action::ScrollUntilVisible { element, .. } => format!("scroll to {}", describe(element)),
        Action::TapOn(tap) => {
            let verb = match (tap.long, tap.times) {
                (true, _) => "press long",
                (false, 2) => "tap twice",
                _ => "tap",
            };
            match &tap.target {
                Target::Point(_) => verb.to_owned(),
                Target::Element(element, _) => format!("{verb} {}", describe(element)),
            }
        }
        Action::PressKey(key) => format!("press {key}"),
        Action::InputText(_) => "type".to_owned(),
        Action::InputRandom(_) => "type something".to_owned(),
        Action::EraseText(count) => format!("erase {count} characters"),
        Action::HideKeyboard => "hide the keyboard".to_owned(),
        Action::CopyTextFrom { element, .. } => format!("copy {}", describe(element)),
        Action::SetClipboard(_) => "copy a text".to_owned(),
        Action::PasteText => "paste".to_owned(),
        Action::TakeScreenshot(name) => format!("screenshot {}", clip(&name.to_string(), 60)),
        Action::EvalScript(script) => format!("script {}", clip(&script.to_string(), 60)),
        Action::RunScript { file, .. } => format!("script {file}"),
        Action::Back => "back".to_owned(),
        Action::Wait(time) => format!("wait {} ms", time.as_millis()),
        Action::WaitForAnimationToEnd(_) => "wait until nothing moves".to_owned(),
        Action::AssertVisible { element, .. } => format!("see {}", describe(element)),
        Action::AssertNotVisible { element, .. } => format!("see no {}", describe(element)),
        Action::ExtendedWaitUntil { until, .. } => format!("wait until {}", condition(until)),
        Action::AssertTrue(expression) => format!("hold {}", clip(&expression.to_string(), 60)),
        Action::Repeat { times, condition: None, .. } => format!("repeat {times} times"),
        Action::Repeat { condition: Some(asked), .. } => format!("repeat while {}", condition(asked)),
        Action::Retry { retries, .. } => format!("try up to {} times", retries + 1),
        Action::RunFlow { file, when: None, .. } => format!("run {file}"),
        Action::RunFlow { file, when: Some(when), .. } => format!("run {file} when {}", condition(when)),
        Action::Measure { name, .. } => format!("measure {name}"),
        Action::Shell(line) => format!("shell {}", clip(line, 60)),
    }
}

fn condition(asked: &Condition) -> String {
    let seen = asked.visible.as_ref().map(|element| format!("{} is there", describe(element)));
    let gone = asked.not_visible.as_ref().map(|element| format!("{} is not", describe(element)));
    let holds = asked.script.as_ref().map(|script| format!("{} holds", clip(&script.to_string(), 60)));
    [seen, gone, holds].into_iter().flatten().collect::<Vec<_>>().join(" and ")
}
