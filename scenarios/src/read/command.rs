//! From a command and its fields to the action: one arm per command, defaults as in Maestro where it has them.

use super::fields::Fields;
use super::read_context::{Around, ReadContext};
use super::{check, element, fields, flow, limits, page, script, value};
use crate::complaint::quoted;
use crate::gesture::{Direction, Gesture, SWIPE};
use crate::keycode::keycode;
use crate::node::Kind;
use crate::step::{Action, Argument, Condition, Permission, Random};
use crate::vocabulary::Verb;
use farmjank_leaf::nearest::nearest;
use std::collections::BTreeMap;
use std::time::Duration;

/// The action, or none when something it cannot do without is missing or wrong (which has been complained of).
pub(super) fn action(ctx: &mut ReadContext<'_>, verb: Verb, fields: &Fields) -> Option<Action> {
    Some(match verb {
        Verb::LaunchApp => launch(ctx, fields),
        Verb::StopApp => Action::StopApp(package(ctx, fields)),
        Verb::ClearState => Action::ClearState(package(ctx, fields)),
        Verb::OpenLink => {
            Action::OpenLink { link: value::template(ctx, fields, "link")?, ready: page::ready(ctx, fields) }
        }
        Verb::OpenPage => open_page(ctx, fields)?,
        Verb::KillApp => Action::KillApp(package(ctx, fields)),
        Verb::Swipe if fields.key_mark("from").is_some() => swipe_from(ctx, fields)?,
        Verb::Swipe => Action::Swipe(swipe(ctx, fields)?),
        Verb::Scroll => Action::Scroll(scroll(ctx, fields)?),
        Verb::ScrollUntilVisible => scroll_until(ctx, fields)?,
        Verb::TapOn => Action::TapOn(element::tap(ctx, fields, 1, false)?),
        Verb::DoubleTapOn => Action::TapOn(element::tap(ctx, fields, 2, false)?),
        Verb::LongPressOn => Action::TapOn(element::tap(ctx, fields, 1, true)?),
        Verb::PressKey => Action::PressKey(key(ctx, fields)?),
        Verb::InputText => Action::InputText(value::template(ctx, fields, "text")?),
        Verb::InputRandomText => Action::InputRandom(Random::Text(length(ctx, fields))),
        Verb::InputRandomNumber => Action::InputRandom(Random::Number(length(ctx, fields))),
        Verb::InputRandomEmail => Action::InputRandom(Random::Email),
        Verb::InputRandomPersonName => Action::InputRandom(Random::PersonName),
        Verb::EraseText => Action::EraseText(value::whole(ctx, fields, "charactersToErase").unwrap_or(50)),
        Verb::CopyTextFrom => Action::CopyTextFrom {
            element: element::selector(ctx, fields)?,
            timeout: element::timeout(ctx, fields),
        },
        Verb::SetClipboard => Action::SetClipboard(value::template(ctx, fields, "text")?),
        Verb::PasteText => Action::PasteText,
        Verb::HideKeyboard => Action::HideKeyboard,
        Verb::TakeScreenshot => Action::TakeScreenshot(value::template(ctx, fields, "path")?),
        Verb::EvalScript => Action::EvalScript(value::script(ctx, fields, "script")?),
        Verb::RunScript => script::run_script(ctx, fields)?,
        Verb::Back => Action::Back,
        Verb::Wait => Action::Wait(value::time(ctx, fields, "duration")?),
        Verb::WaitForAnimationToEnd => Action::WaitForAnimationToEnd(
            value::time(ctx, fields, "timeout").unwrap_or(Duration::from_secs(15)),
        ),
        Verb::AssertVisible => Action::AssertVisible {
            element: element::selector(ctx, fields)?,
            timeout: element::timeout(ctx, fields),
        },
        Verb::AssertNotVisible => Action::AssertNotVisible {
            element: element::selector(ctx, fields)?,
            timeout: element::timeout(ctx, fields),
        },
        Verb::ExtendedWaitUntil => wait_until(ctx, fields)?,
        Verb::AssertTrue => Action::AssertTrue(value::script(ctx, fields, "condition")?),
        Verb::Repeat => repeat(ctx, fields)?,
        Verb::Retry => flow::retry(ctx, fields)?,
        Verb::RunFlow => flow::run_flow(ctx, fields)?,
        Verb::Measure => measure(ctx, fields)?,
        Verb::Shell => Action::Shell(value::text(ctx, fields, "command")?),
    })
}

fn package(ctx: &mut ReadContext<'_>, fields: &Fields) -> String {
    value::text(ctx, fields, "appId").unwrap_or_else(|| ctx.scope.app.clone())
}

fn launch(ctx: &mut ReadContext<'_>, fields: &Fields) -> Action {
    let (stop, cold) = (value::flag(ctx, fields, "stopApp"), value::flag(ctx, fields, "cold"));
    if let (Some(stop), Some(cold), Some(mark)) = (stop, cold, fields.key_mark("cold"))
        && stop != cold
    {
        ctx.complain(mark, "`cold` and `stopApp` say different things", "keep one of them");
    }
    Action::LaunchApp {
        app: package(ctx, fields),
        clear_state: value::flag(ctx, fields, "clearState").unwrap_or(false),
        cold: cold.or(stop).unwrap_or(true),
        arguments: arguments(ctx, fields),
        permissions: permissions(ctx, fields),
    }
}

/// Extras of the intent: what looks like a flag or a whole number is one, as in Maestro.
fn arguments(ctx: &mut ReadContext<'_>, fields: &Fields) -> BTreeMap<String, Argument> {
    let mut found = BTreeMap::new();
    let Some(node) = fields.get("arguments").cloned() else { return found };
    for entry in fields::entries(ctx, "arguments", &node).unwrap_or_default() {
        let Some((template, _)) = value::filled(ctx, &entry.key, &entry.value) else { continue };
        let quoted = matches!(&entry.value.kind, Kind::Scalar(scalar) if scalar.offset != Some(0));
        let argument = match template.fixed().filter(|_| !quoted) {
            Some("true") => Argument::Flag(true),
            Some("false") => Argument::Flag(false),
            Some(text) => text.parse().map_or(Argument::Text(template), Argument::Whole),
            None => Argument::Text(template),
        };
        found.insert(entry.key.clone(), argument);
    }
    found
}

fn permissions(ctx: &mut ReadContext<'_>, fields: &Fields) -> BTreeMap<String, Permission> {
    let mut found = BTreeMap::new();
    let Some(node) = fields.get("permissions").cloned() else { return found };
    for entry in fields::entries(ctx, "permissions", &node).unwrap_or_default() {
        let Some(text) = value::scalar(ctx, &entry.key, &entry.value) else { continue };
        let permission = match text.value.as_str() {
            "allow" => Permission::Allow,
            "deny" | "unset" => Permission::Deny,
            other => {
                let what = format!("{} is nothing a permission can be", quoted(other));
                ctx.complain(text.mark, what, "write `allow` or `deny`");
                continue;
            }
        };
        found.insert(entry.key.clone(), permission);
    }
    found
}

fn length(ctx: &mut ReadContext<'_>, fields: &Fields) -> u32 {
    value::whole(ctx, fields, "length").unwrap_or(8)
}

fn wait_until(ctx: &mut ReadContext<'_>, fields: &Fields) -> Option<Action> {
    let visible = element::under(ctx, fields, "visible");
    let not_visible = element::under(ctx, fields, "notVisible");
    if fields.key_mark("visible").or(fields.key_mark("notVisible")).is_none() {
        let what = "`extendedWaitUntil` does not say what to wait for";
        ctx.complain(fields.mark, what, "add `visible` or `notVisible`");
        return None;
    }
    let timeout = element::timeout(ctx, fields);
    let until = Condition { visible, not_visible, script: None };
    Some(Action::ExtendedWaitUntil { until, timeout })
}

fn swipe_from(ctx: &mut ReadContext<'_>, fields: &Fields) -> Option<Action> {
    if let Some(mark) = fields.key_mark("start").or(fields.key_mark("end")) {
        ctx.complain(mark, "`from` is mixed with `start` and `end`", "keep the element or the two points");
        return None;
    }
    let direction = value::direction(ctx, fields, "direction");
    if direction.is_none() && fields.key_mark("direction").is_none() {
        ctx.complain(fields.mark, "`swipe` does not say where to", "add `direction: UP`");
    }
    Some(Action::SwipeFrom {
        element: element::under(ctx, fields, "from")?,
        direction: direction?,
        duration: value::time(ctx, fields, "duration").unwrap_or(SWIPE),
        timeout: element::timeout(ctx, fields),
    })
}

fn open_page(ctx: &mut ReadContext<'_>, fields: &Fields) -> Option<Action> {
    let page = value::text(ctx, fields, "page")?;
    if let Some(known) = ctx.scope.pages.get(&page) {
        return Some(Action::OpenPage { link: known.link.clone(), ready: known.ready.clone(), page });
    }
    let instead = match nearest(&page, ctx.scope.pages.keys().map(String::as_str)) {
        Some(meant) => format!("write `{meant}`"),
        None => format!("declare it: `pages: {{ {page}: {{ link: \"app://…\" }} }}`"),
    };
    let mark = fields.get("page").map_or(fields.mark, |node| node.mark);
    ctx.complain(mark, format!("unknown page {}", quoted(&page)), instead);
    None
}

fn swipe(ctx: &mut ReadContext<'_>, fields: &Fields) -> Option<Gesture> {
    let duration = value::time(ctx, fields, "duration").unwrap_or(SWIPE);
    match line(ctx, fields)? {
        (None, Some(direction)) => Some(Gesture::swipe(direction, duration)),
        (Some((start, end)), _) => Some(Gesture { start, end, duration }),
        (None, None) => {
            let instead = "write `direction: UP`, or `start: \"50%, 80%\"` and `end: \"50%, 20%\"`";
            ctx.complain(fields.mark, "`swipe` does not say where to", instead);
            None
        }
    }
}

fn scroll(ctx: &mut ReadContext<'_>, fields: &Fields) -> Option<Gesture> {
    let duration = value::time(ctx, fields, "duration");
    Some(match line(ctx, fields)? {
        (None, view) => Gesture::drag(view.unwrap_or(Direction::Down), duration),
        (Some((start, end)), _) => {
            Gesture { start, end, duration: duration.unwrap_or_else(|| Gesture::drag_time(start, end)) }
        }
    })
}

/// Where a finger goes: two points, or a direction, or neither; none when what is written is wrong.
#[allow(clippy::type_complexity, reason = "used twice, next to its definition")]
fn line(
    ctx: &mut ReadContext<'_>,
    fields: &Fields,
) -> Option<(Option<(crate::gesture::Point, crate::gesture::Point)>, Option<Direction>)> {
    let given = |key: &str| fields.key_mark(key);
    if let (Some(mark), Some(_)) = (given("direction"), given("start").or(given("end"))) {
        ctx.complain(
            mark,
            "`direction` is mixed with `start` and `end`",
            "keep the direction or the two points",
        );
        return None;
    }
    let (one, other) = match (given("start"), given("end")) {
        (None, None) => {
            let direction = value::direction(ctx, fields, "direction");
            return (direction.is_some() || given("direction").is_none()).then_some((None, direction));
        }
        (Some(_), Some(_)) => (value::point(ctx, fields, "start"), value::point(ctx, fields, "end")),
        (Some(mark), None) => {
            ctx.complain(mark, "`start` without `end`", "add `end:`");
            return None;
        }
        (None, Some(mark)) => {
            ctx.complain(mark, "`end` without `start`", "add `start:`");
            return None;
        }
    };
    let (start, end) = (one?, other?);
    if std::mem::discriminant(&start.x) != std::mem::discriminant(&end.x) {
        let mark = fields.get("end").map_or(fields.mark, |node| node.mark);
        ctx.complain(mark, "`start` and `end` mix percent and px", "write both in percent or both in px");
        return None;
    }
    Some((Some((start, end)), None))
}

fn scroll_until(ctx: &mut ReadContext<'_>, fields: &Fields) -> Option<Action> {
    let direction = value::direction(ctx, fields, "direction").unwrap_or(Direction::Down);
    let speed = value::whole(ctx, fields, "speed").unwrap_or(40);
    let timeout = value::time(ctx, fields, "timeout").unwrap_or(Duration::from_secs(20));
    let element = element::under(ctx, fields, "element")?;
    Some(Action::ScrollUntilVisible { element, gesture: Gesture::seek(direction, speed), timeout })
}

fn key(ctx: &mut ReadContext<'_>, fields: &Fields) -> Option<String> {
    let name = value::text(ctx, fields, "key")?;
    match keycode(&name) {
        Ok(code) => Some(code),
        Err(near) => {
            let mark = fields.get("key").map_or(fields.mark, |node| node.mark);
            let instead = match near {
                Some(meant) => format!("write `{meant}`"),
                None => "write an Android key name such as `HOME`, or spell it out: `KEYCODE_F7`".to_owned(),
            };
            ctx.complain(mark, format!("unknown key name {}", quoted(&name)), instead);
            None
        }
    }
}

/// Rounds of a `repeat` that only its condition ends.
const ROUNDS: u32 = 1_000;

fn repeat(ctx: &mut ReadContext<'_>, fields: &Fields) -> Option<Action> {
    let condition = element::condition(ctx, fields, "while");
    if fields.key_mark("times").is_none() && fields.key_mark("while").is_none() {
        ctx.complain(fields.mark, "`repeat` needs `times`", "add `times:` (how often), or `while:`");
    }
    let times = value::whole(ctx, fields, "times").unwrap_or(if condition.is_some() { ROUNDS } else { 1 });
    ctx.scope.around.push(Around::Repeat);
    let steps = fields::inner_steps(ctx, fields);
    ctx.scope.around.pop();
    let (condition, here) = condition.map_or((None, true), |(condition, here)| (Some(condition), here));
    if !here {
        ctx.notice(fields.mark, "these steps are not for Android", "they are left out");
        return None;
    }
    Some(Action::Repeat { times, condition, steps })
}

fn measure(ctx: &mut ReadContext<'_>, fields: &Fields) -> Option<Action> {
    let name = value::text(ctx, fields, "name");
    let target_fps = value::number(ctx, fields, "target_fps");
    let thresholds = limits::thresholds(ctx, fields);
    let refusal = ctx.scope.around.last().map(|around| match around {
        Around::Measure => ("a window inside a window", "close the first window before the second begins"),
        Around::Repeat => {
            ("a window inside a `repeat`", "a window has one verdict: put the `repeat` inside it")
        }
        Around::Retry => (
            "a window inside a `retry`",
            "a window has one verdict: put what may fail before it into the `retry`, and the window after it",
        ),
        Around::When => (
            "a window under a condition",
            "what is measured must be the same on every phone; choose phones with `devices`",
        ),
        Around::Setup => ("a window in `setup`", "move it to `steps`: setup is never measured"),
        Around::Teardown => ("a window in `teardown`", "move it to `steps`: teardown is never measured"),
    });
    if let Some((what, instead)) = refusal {
        ctx.complain(fields.mark, what, instead);
    }
    if let Some(name) = &name {
        declare_window(ctx, name, fields);
    }
    ctx.scope.around.push(Around::Measure);
    let steps = fields::inner_steps(ctx, fields);
    ctx.scope.around.pop();
    check::check_window(ctx, &thresholds, &steps);
    Some(Action::Measure { name: name?, target_fps, thresholds, steps })
}

fn declare_window(ctx: &mut ReadContext<'_>, name: &str, fields: &Fields) {
    let here = (ctx.scope.source.name.clone(), fields.mark.place);
    if let Some((file, place)) = ctx.windows.get(name) {
        let what = format!("a second window is called {}", quoted(name));
        let instead =
            format!("the first stands at {file}:{}:{}; give each its own name", place.line, place.column);
        let mark = fields.get("name").map_or(fields.mark, |node| node.mark);
        return ctx.complain(mark, what, instead);
    }
    ctx.windows.insert(name.to_owned(), here);
}
