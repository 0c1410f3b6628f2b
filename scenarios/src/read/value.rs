//! Single values: text, numbers, times, points. Each complains at its own place and says what it would take.

use super::fields::Fields;
use super::read_context::ReadContext;
use super::variables;
use crate::complaint::quoted;
use crate::gesture::{Coordinate, Direction, Point};
use crate::node::{Kind, Node};
use crate::place::{Mark, Place};
use crate::template::{Piece, Template};
use crate::vocabulary::{NAME_CHARS, Shape, TEXT_CHARS};
use std::ops::Range;
use std::time::Duration;

/// A single value with its variables filled in.
pub(super) struct Text {
    pub(super) value: String,
    pub(super) mark: Mark,
    /// Characters from the mark to the value's first, while value and source agree character by character.
    offset: Option<u32>,
}

impl Text {
    /// The place of a byte range of the value; the whole value when the source differs from it.
    pub(super) fn part(&self, range: Range<usize>) -> Mark {
        let (Some(offset), Some(before), Some(inside)) =
            (self.offset, self.value.get(..range.start), self.value.get(range.clone()))
        else {
            return self.mark;
        };
        let column = self.mark.place.column + offset + before.chars().count() as u32;
        Mark { place: Place { column, ..self.mark.place }, length: (inside.chars().count() as u32).max(1) }
    }
}

/// A single value as text; `of` names it in messages.
pub(super) fn scalar(ctx: &mut ReadContext<'_>, of: &str, node: &Node) -> Option<Text> {
    let (template, mut text) = filled(ctx, of, node)?;
    let Some(value) = template.fixed() else {
        let what = format!("{} is read before anything runs, so it takes no expression", quoted(of));
        ctx.complain(text.mark, what, "write the value, or `${NAME}` of a variable that holds it");
        return None;
    };
    if value != text.value {
        (text.value, text.offset) = (value.to_owned(), None);
    }
    Some(text)
}

/// A single value that may hold expressions, and as it was written.
pub(super) fn filled(ctx: &mut ReadContext<'_>, of: &str, node: &Node) -> Option<(Template, Text)> {
    let Kind::Scalar(scalar) = &node.kind else {
        let what = format!("{} takes a single value, and this is {}", quoted(of), node.kind_name());
        ctx.complain(
            node.mark,
            what,
            "write one value; quote text that contains `: ` or begins with `[` or `{`",
        );
        return None;
    };
    let text = Text { value: scalar.text.clone(), mark: node.mark, offset: scalar.offset };
    let filled = match variables::fill_in(&ctx.scope, &scalar.text) {
        Err((at, what, instead)) => {
            ctx.complain(text.part(at), what, instead);
            return None;
        }
        Ok(filled) => filled,
    };
    if filled.fixed().unwrap_or(&scalar.text).chars().nth(TEXT_CHARS).is_some() {
        let what = format!("{} has more than {TEXT_CHARS} characters", quoted(of));
        ctx.complain(node.mark, what, "shorten it");
        return None;
    }
    Some((filled, text))
}

/// Text of a key that may hold expressions. Within a window it may not: what is measured is the same in every trial.
pub(super) fn template(ctx: &mut ReadContext<'_>, fields: &Fields, key: &str) -> Option<Template> {
    let (template, written) = filled(ctx, key, fields.get(key)?)?;
    if template.fixed().is_some() {
        return text(ctx, fields, key).map(Template::from);
    }
    ctx.not_in_window(
        written.mark,
        "an expression",
        "what is measured must be the same in every trial and on every phone",
    );
    Some(template)
}

/// A script under a key: what stands within `${…}`, or the whole.
pub(super) fn script(ctx: &mut ReadContext<'_>, fields: &Fields, key: &str) -> Option<Template> {
    let found = template(ctx, fields, key)?;
    let Some(source) = found.fixed().filter(|source| !source.trim().is_empty()) else {
        return Some(found);
    };
    // Maestro takes what is left when `${…}` is evaluated for a value, and only `evalScript` needs none.
    if fields.of != "evalScript" {
        return Some(found);
    }
    let mark = fields.get(key).map_or(fields.mark, |node| node.mark);
    match variables::expression(&ctx.scope, source, 0..source.len()) {
        Ok(expression) => Some(Template::new([Piece::Expression(expression)])),
        Err((_, what, instead)) => {
            ctx.complain(mark, what, instead);
            None
        }
    }
}

/// A whole number that may be negative; Maestro's `0.0` counts as one.
pub(super) fn signed(ctx: &mut ReadContext<'_>, fields: &Fields, key: &str) -> Option<i32> {
    let text = given(ctx, fields, key)?;
    match text.value.trim().trim_end_matches(".0").parse::<i32>() {
        Ok(number) => Some(number),
        Err(_) => {
            let what = format!("{} takes a whole number, not {}", quoted(key), quoted(&text.value));
            ctx.complain(text.mark, what, "count from 0, or from -1 at the end");
            None
        }
    }
}

fn given(ctx: &mut ReadContext<'_>, fields: &Fields, key: &str) -> Option<Text> {
    scalar(ctx, key, fields.get(key)?)
}

/// Text of a key, checked by its form.
pub(super) fn text(ctx: &mut ReadContext<'_>, fields: &Fields, key: &str) -> Option<String> {
    let text = given(ctx, fields, key)?;
    let value = text.value.trim();
    if value.is_empty() {
        ctx.complain(text.mark, format!("{} is empty", quoted(key)), "write a value or remove the key");
        return None;
    }
    let holds_secret = ctx.scope.secret.iter().any(|secret| value.contains(secret));
    let wrong = match fields.shape(key) {
        Some(Shape::Name | Shape::AppId) if holds_secret => {
            ctx.complain(
                text.mark,
                format!("a secret cannot be part of {}", quoted(key)),
                "names are in every report",
            );
            return None;
        }
        Some(Shape::AppId) if !is_package(value) => {
            Some(("is not a package name", "write such as `com.example.shop`"))
        }
        Some(Shape::Link) if !is_link(value) => {
            Some(("is not a link", "write it with its scheme, such as `shop://feed`"))
        }
        Some(Shape::Name) if value.chars().nth(NAME_CHARS).is_some() => {
            Some(("is too long for a name", "use at most 120 characters"))
        }
        Some(Shape::Name) if value.chars().any(char::is_control) => {
            Some(("holds characters that cannot be shown", "write a name of one line"))
        }
        _ => None,
    };
    if let Some((what, instead)) = wrong {
        ctx.complain(text.mark, format!("{} {what}", quoted(value)), instead);
        return None;
    }
    // Only text proper may begin or end with spaces on purpose.
    Some(if fields.shape(key) == Some(Shape::Text) { text.value } else { value.to_owned() })
}

/// A flag, or its default.
pub(super) fn flag(ctx: &mut ReadContext<'_>, fields: &Fields, key: &str) -> Option<bool> {
    let text = given(ctx, fields, key)?;
    match text.value.as_str() {
        "true" => Some(true),
        "false" => Some(false),
        other => {
            let yes = ["yes", "on", "y", "1"].contains(&other.to_ascii_lowercase().as_str())
                || other == "True"
                || other == "TRUE";
            let no = ["no", "off", "n", "0", "false"].contains(&other.to_ascii_lowercase().as_str());
            let instead = if yes {
                "write `true`"
            } else if no {
                "write `false`"
            } else {
                "write `true` or `false`"
            };
            ctx.complain(
                text.mark,
                format!("{} takes true or false, not {}", quoted(key), quoted(other)),
                instead,
            );
            None
        }
    }
}

/// A whole number within the key's bounds.
pub(super) fn whole(ctx: &mut ReadContext<'_>, fields: &Fields, key: &str) -> Option<u32> {
    let Some(Shape::Whole(least, most)) = fields.shape(key) else { return None };
    let text = given(ctx, fields, key)?;
    match text.value.trim().parse::<u64>() {
        Ok(number) if (u64::from(least)..=u64::from(most)).contains(&number) => u32::try_from(number).ok(),
        _ => {
            let what = format!(
                "{} takes a whole number from {least} to {most}, not {}",
                quoted(key),
                quoted(&text.value)
            );
            ctx.complain(text.mark, what, format!("write such as `{key}: {}`", least.max(5)));
            None
        }
    }
}

/// A number within the key's bounds.
pub(super) fn number(ctx: &mut ReadContext<'_>, fields: &Fields, key: &str) -> Option<f64> {
    let Some(Shape::Number(least, most)) = fields.shape(key) else { return None };
    let text = given(ctx, fields, key)?;
    match text.value.trim().parse::<f64>() {
        Ok(number) if (least..=most).contains(&number) => Some(number),
        _ => {
            let what =
                format!("{} takes a number from {least} to {most}, not {}", quoted(key), quoted(&text.value));
            ctx.complain(text.mark, what, "write a plain number within these bounds");
            None
        }
    }
}

/// A length of time within the key's bounds.
pub(super) fn time(ctx: &mut ReadContext<'_>, fields: &Fields, key: &str) -> Option<Duration> {
    let Some(Shape::Time(least, most)) = fields.shape(key) else { return None };
    let text = given(ctx, fields, key)?;
    let Some(ms) = milliseconds(text.value.trim()) else {
        let what = format!("{} is not a length of time", quoted(&text.value));
        ctx.complain(text.mark, what, "write `250ms` or `2s`; a plain number is ms");
        return None;
    };
    if !(f64::from(least)..=f64::from(most)).contains(&ms) {
        let what = format!("{} takes {least} ms to {most} ms, not {}", quoted(key), quoted(&text.value));
        ctx.complain(text.mark, what, "a plain number is ms; write `2s` for two seconds");
        return None;
    }
    Some(Duration::from_micros((ms * 1e3).round() as u64))
}

/// A way across the screen.
pub(super) fn direction(ctx: &mut ReadContext<'_>, fields: &Fields, key: &str) -> Option<Direction> {
    let text = given(ctx, fields, key)?;
    match text.value.to_ascii_uppercase().as_str() {
        "UP" => Some(Direction::Up),
        "DOWN" => Some(Direction::Down),
        "LEFT" => Some(Direction::Left),
        "RIGHT" => Some(Direction::Right),
        _ => {
            let instead = "write `UP`, `DOWN`, `LEFT` or `RIGHT`";
            ctx.complain(text.mark, format!("{} is not a direction", quoted(&text.value)), instead);
            None
        }
    }
}

/// A point: both coordinates in percent, or both in px.
pub(super) fn point(ctx: &mut ReadContext<'_>, fields: &Fields, key: &str) -> Option<Point> {
    let text = given(ctx, fields, key)?;
    let parts: Vec<_> = text.value.split(',').map(coordinate).collect();
    let what = match parts[..] {
        [Some(x @ Coordinate::Percent(_)), Some(y @ Coordinate::Percent(_))]
        | [Some(x @ Coordinate::Px(_)), Some(y @ Coordinate::Px(_))] => return Some(Point { x, y }),
        [Some(_), Some(_)] => "mixes percent and px".to_owned(),
        _ => "is not a point on the screen".to_owned(),
    };
    let instead = "write `\"50%, 80%\"` of the screen, or `\"540, 1600\"` px";
    ctx.complain(text.mark, format!("{} {what}", quoted(&text.value)), instead);
    None
}

fn coordinate(text: &str) -> Option<Coordinate> {
    let text = text.trim();
    if let Some(percent) = text.strip_suffix('%') {
        let percent: f64 = percent.trim_end().parse().ok()?;
        return (0.0..=100.0).contains(&percent).then_some(Coordinate::Percent(percent));
    }
    let px: u32 = text.strip_suffix("px").unwrap_or(text).trim_end().parse().ok()?;
    (px <= 20_000).then_some(Coordinate::Px(px))
}

fn milliseconds(text: &str) -> Option<f64> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let factor = match unit.trim() {
        "" | "ms" => 1.0,
        "s" => 1e3,
        "m" | "min" => 60e3,
        _ => return None,
    };
    digits.parse::<f64>().ok().map(|number| number * factor).filter(|ms| ms.is_finite())
}

/// Android's rule: at least two segments, each a letter followed by letters, digits and `_`.
pub(super) fn is_package(text: &str) -> bool {
    let segment = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    text.len() <= 255 && text.split('.').count() >= 2 && text.split('.').all(segment)
}

fn is_link(text: &str) -> bool {
    text.split_once(':').is_some_and(|(scheme, rest)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
            && !rest.is_empty()
    }) && !text.chars().any(char::is_control)
}
