//! Elements, taps and conditions: what a step looks for on the screen.

use super::fields::{Fields, fields_or};
use super::read_context::ReadContext;
use super::value;
use crate::complaint::quoted;
use crate::node::{Kind, Node};
use crate::selector::{Condition, DELAY, Relation, Selector, Size, States, Tap, Target};
use crate::template::Template;
use crate::vocabulary::{CONDITION, SELECTOR};
use std::time::Duration;

/// How long an element is waited for, as in Maestro: of a step that may fail, not so long.
const WAIT: Duration = Duration::from_secs(17);
const WAIT_OPTIONAL: Duration = Duration::from_secs(7);
/// Forms of regular expressions that ours do not know.
const LOOKS_AROUND: [&str; 4] = ["(?=", "(?!", "(?<=", "(?<!"];

/// Makes a relation to another element.
type Related = fn(Box<Selector>) -> Relation;

/// How long the step waits.
pub(super) fn timeout(ctx: &mut ReadContext<'_>, fields: &Fields) -> Duration {
    let optional = matches!(fields.get("optional").map(|node| &node.kind),
        Some(Kind::Scalar(scalar)) if scalar.text == "true");
    value::time(ctx, fields, "timeout").unwrap_or(if optional { WAIT_OPTIONAL } else { WAIT })
}

/// The element that stands under a key.
pub(super) fn under(ctx: &mut ReadContext<'_>, fields: &Fields, key: &str) -> Option<Selector> {
    let node = fields.get(key)?.clone();
    of_node(ctx, key, &node)
}

fn of_node(ctx: &mut ReadContext<'_>, of: &str, node: &Node) -> Option<Selector> {
    let fields = fields_or(ctx, of, node, SELECTOR, "text")?;
    selector(ctx, &fields)
}

/// An element by the keys of a map.
pub(super) fn selector(ctx: &mut ReadContext<'_>, fields: &Fields) -> Option<Selector> {
    let complaints = ctx.complaints_so_far();
    let text = pattern(ctx, fields, "text");
    let id = pattern(ctx, fields, "id");
    let size = ["width", "height", "tolerance"].map(|key| value::whole(ctx, fields, key));
    let states = States {
        enabled: value::flag(ctx, fields, "enabled"),
        checked: value::flag(ctx, fields, "checked"),
        focused: value::flag(ctx, fields, "focused"),
        selected: value::flag(ctx, fields, "selected"),
    };
    let mut relations = Vec::new();
    let one: [(&str, Related); 6] = [
        ("below", Relation::Below),
        ("above", Relation::Above),
        ("leftOf", Relation::LeftOf),
        ("rightOf", Relation::RightOf),
        ("containsChild", Relation::ContainsChild),
        ("childOf", Relation::ChildOf),
    ];
    for (key, relation) in one {
        relations.extend(under(ctx, fields, key).map(|other| relation(Box::new(other))));
    }
    if let Some(node) = fields.get("containsDescendants").cloned() {
        let items = match &node.kind {
            Kind::List(items) => items.to_vec(),
            _ => vec![node],
        };
        let others = items.iter().filter_map(|item| of_node(ctx, "containsDescendants", item)).collect();
        relations.push(Relation::ContainsDescendants(others));
    }
    let index = value::signed(ctx, fields, "index");
    if ctx.complaints_so_far() > complaints {
        return None;
    }
    let [width, height, tolerance] = size;
    let size = (width.is_some() || height.is_some()).then(|| Size {
        width,
        height,
        tolerance: tolerance.unwrap_or(0),
    });
    let selector = Selector { text, id, size, states, relations, index };
    if selector == (Selector { index, ..Selector::default() }) {
        let what = format!("{} does not say what to look for", quoted(&fields.of));
        ctx.complain(fields.mark, what, "add `text`, `id`, or another key of an element");
        return None;
    }
    Some(selector)
}

/// A regular expression, where it can be seen now whether it is one of ours.
fn pattern(ctx: &mut ReadContext<'_>, fields: &Fields, key: &str) -> Option<Template> {
    let template = value::template(ctx, fields, key)?;
    if let Some(form) =
        LOOKS_AROUND.iter().find(|form| template.fixed().is_some_and(|text| text.contains(**form)))
    {
        let what = format!(
            "`{form}…)` is not understood in {}: texts are matched without looking around",
            quoted(key)
        );
        let mark = fields.get(key).map_or(fields.mark, |node| node.mark);
        ctx.complain(mark, what, "describe what matches, as `(Save|OK)`, or use `id`");
        return None;
    }
    Some(template)
}

/// A tap on an element or a point, so many times unless the map says otherwise.
pub(super) fn tap(ctx: &mut ReadContext<'_>, fields: &Fields, times: u32, long: bool) -> Option<Tap> {
    let point = fields.get("point").is_some().then(|| value::point(ctx, fields, "point"));
    let named = SELECTOR.iter().any(|key| fields.key_mark(key.name).is_some());
    let target = match (point, named) {
        (Some(point), false) => Target::Point(point?),
        (Some(point), true) => Target::Element(Box::new(selector(ctx, fields)?), Some(point?)),
        (None, _) => Target::Element(Box::new(selector(ctx, fields)?), None),
    };
    let retry = value::flag(ctx, fields, "retryTapIfNoChange").unwrap_or(false);
    if retry && let Some(mark) = fields.key_mark("retryTapIfNoChange") {
        ctx.not_in_window(mark, "`retryTapIfNoChange`", "it looks at the screen before and after each tap");
    }
    value::flag(ctx, fields, "waitUntilVisible");
    let times = value::whole(ctx, fields, "repeat").unwrap_or(times);
    let delay = value::time(ctx, fields, "delay").unwrap_or(DELAY);
    Some(Tap { target, times, delay, long, retry, timeout: timeout(ctx, fields) })
}

/// A condition under a key, and whether it can hold on an Android phone at all.
pub(super) fn condition(ctx: &mut ReadContext<'_>, fields: &Fields, key: &str) -> Option<(Condition, bool)> {
    let node = fields.get(key)?.clone();
    let Kind::Map(entries) = &node.kind else {
        let what = format!("{} takes a map, and this is {}", quoted(key), node.kind_name());
        ctx.complain(node.mark, what, "write such as `visible: Skip`, indented below it");
        return None;
    };
    let fields = super::fields::fields(ctx, key, node.mark, entries, &[CONDITION]);
    let here = platform(ctx, &fields);
    if let Some(mark) = fields.key_mark("visible").or(fields.key_mark("notVisible")).filter(|_| here) {
        ctx.not_in_window(
            mark,
            quoted(key),
            "it looks at the screen with `uiautomator`, which takes processor time from the app",
        );
    }
    let condition = Condition {
        visible: under(ctx, &fields, "visible"),
        not_visible: under(ctx, &fields, "notVisible"),
        script: value::script(ctx, &fields, "true"),
    };
    if condition == Condition::default() && CONDITION.iter().all(|key| fields.key_mark(key.name).is_none()) {
        ctx.complain(
            node.mark,
            format!("{} does not say what must hold", quoted(key)),
            "add `visible`, `notVisible` or `true`",
        );
    }
    Some((condition, here))
}

fn platform(ctx: &mut ReadContext<'_>, fields: &Fields) -> bool {
    let Some(text) = fields.get("platform").and_then(|node| value::scalar(ctx, "platform", node)) else {
        return true;
    };
    match text.value.to_ascii_lowercase().as_str() {
        "android" => true,
        "ios" | "web" => false,
        _ => {
            ctx.complain(
                text.mark,
                format!("{} is not a platform", quoted(&text.value)),
                "write `Android`, `iOS` or `Web`",
            );
            true
        }
    }
}
