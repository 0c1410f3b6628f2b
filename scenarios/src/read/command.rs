//! From a command and its fields to the action: one arm per command, defaults as in Maestro where it has them.

use super::fields::Fields;
use super::read_context::{Around, ReadContext};
use crate::complaint::quoted;
use crate::gesture::{Direction, Gesture, SWIPE};
use crate::keycode::keycode;
use crate::node::{Kind, Node};
use crate::step::{Action, Selector, Target};
use crate::vocabulary::{SELECTOR, Verb};
use farmjank_leaf::nearest::nearest;
use std::time::Duration;

impl ReadContext<'_> {
    /// The action, or none when something it cannot do without is missing or wrong (which has been complained of).
    pub(super) fn action(&mut self, verb: Verb, fields: &Fields) -> Option<Action> {
        Some(match verb {
            Verb::LaunchApp => self.launch(fields),
            Verb::StopApp => Action::StopApp(self.package(fields)),
            Verb::ClearState => Action::ClearState(self.package(fields)),
            Verb::OpenLink => {
                Action::OpenLink { link: self.text(fields, "link")?, ready: self.ready(fields) }
            }
            Verb::OpenPage => self.open_page(fields)?,
            Verb::Swipe => Action::Swipe(self.swipe(fields)?),
            Verb::Scroll => Action::Scroll(self.scroll(fields)?),
            Verb::ScrollUntilVisible => self.scroll_until(fields)?,
            Verb::TapOn => Action::TapOn(self.target(fields)?),
            Verb::PressKey => Action::PressKey(self.key(fields)?),
            Verb::InputText => Action::InputText(self.text(fields, "text")?),
            Verb::Back => Action::Back,
            Verb::Wait => Action::Wait(self.time(fields, "duration")?),
            Verb::WaitForAnimationToEnd => {
                Action::WaitForAnimationToEnd(self.time(fields, "timeout").unwrap_or(Duration::from_secs(15)))
            }
            Verb::AssertVisible => Action::AssertVisible {
                element: self.selector(fields)?,
                timeout: self.time(fields, "timeout").unwrap_or(Duration::from_secs(7)),
            },
            Verb::Repeat => self.repeat(fields),
            Verb::RunFlow => self.run_flow(fields)?,
            Verb::Measure => self.measure(fields)?,
            Verb::Shell => Action::Shell(self.text(fields, "command")?),
        })
    }

    fn package(&mut self, fields: &Fields) -> String {
        self.text(fields, "appId").unwrap_or_else(|| self.app.clone())
    }

    fn launch(&mut self, fields: &Fields) -> Action {
        let (stop, cold) = (self.flag(fields, "stopApp"), self.flag(fields, "cold"));
        if let (Some(stop), Some(cold), Some(mark)) = (stop, cold, fields.key_mark("cold"))
            && stop != cold
        {
            self.complain(mark, "`cold` and `stopApp` say different things", "keep one of them");
        }
        Action::LaunchApp {
            app: self.package(fields),
            clear_state: self.flag(fields, "clearState").unwrap_or(false),
            cold: cold.or(stop).unwrap_or(true),
        }
    }

    fn open_page(&mut self, fields: &Fields) -> Option<Action> {
        let page = self.text(fields, "page")?;
        if let Some(known) = self.pages.get(&page) {
            return Some(Action::OpenPage { link: known.link.clone(), ready: known.ready.clone(), page });
        }
        let instead = match nearest(&page, self.pages.keys().map(String::as_str)) {
            Some(meant) => format!("write `{meant}`"),
            None => format!("declare it: `pages: {{ {page}: {{ link: \"app://…\" }} }}`"),
        };
        let mark = fields.get("page").map_or(fields.mark, |node| node.mark);
        self.complain(mark, format!("unknown page {}", quoted(&page)), instead);
        None
    }

    fn swipe(&mut self, fields: &Fields) -> Option<Gesture> {
        let duration = self.time(fields, "duration").unwrap_or(SWIPE);
        match self.line(fields)? {
            (None, Some(direction)) => Some(Gesture::swipe(direction, duration)),
            (Some((start, end)), _) => Some(Gesture { start, end, duration }),
            (None, None) => {
                let instead = "write `direction: UP`, or `start: \"50%, 80%\"` and `end: \"50%, 20%\"`";
                self.complain(fields.mark, "`swipe` does not say where to", instead);
                None
            }
        }
    }

    fn scroll(&mut self, fields: &Fields) -> Option<Gesture> {
        let duration = self.time(fields, "duration");
        Some(match self.line(fields)? {
            (None, view) => Gesture::drag(view.unwrap_or(Direction::Down), duration),
            (Some((start, end)), _) => {
                Gesture { start, end, duration: duration.unwrap_or_else(|| Gesture::drag_time(start, end)) }
            }
        })
    }

    /// Where a finger goes: two points, or a direction, or neither; none when what is written is wrong.
    #[allow(clippy::type_complexity)] // used twice, next to its definition
    fn line(
        &mut self,
        fields: &Fields,
    ) -> Option<(Option<(crate::gesture::Point, crate::gesture::Point)>, Option<Direction>)> {
        let given = |key: &str| fields.key_mark(key);
        if let (Some(mark), Some(_)) = (given("direction"), given("start").or(given("end"))) {
            self.complain(
                mark,
                "`direction` is mixed with `start` and `end`",
                "keep the direction or the two points",
            );
            return None;
        }
        let (one, other) = match (given("start"), given("end")) {
            (None, None) => {
                let direction = self.direction(fields, "direction");
                return (direction.is_some() || given("direction").is_none()).then_some((None, direction));
            }
            (Some(_), Some(_)) => (self.point(fields, "start"), self.point(fields, "end")),
            (Some(mark), None) => {
                self.complain(mark, "`start` without `end`", "add `end:`");
                return None;
            }
            (None, Some(mark)) => {
                self.complain(mark, "`end` without `start`", "add `start:`");
                return None;
            }
        };
        let (start, end) = (one?, other?);
        if std::mem::discriminant(&start.x) != std::mem::discriminant(&end.x) {
            let mark = fields.get("end").map_or(fields.mark, |node| node.mark);
            self.complain(
                mark,
                "`start` and `end` mix percent and px",
                "write both in percent or both in px",
            );
            return None;
        }
        Some((Some((start, end)), None))
    }

    fn scroll_until(&mut self, fields: &Fields) -> Option<Action> {
        let direction = self.direction(fields, "direction").unwrap_or(Direction::Down);
        let speed = self.whole(fields, "speed").unwrap_or(40);
        let timeout = self.time(fields, "timeout").unwrap_or(Duration::from_secs(20));
        let node: Node = fields.get("element")?.clone();
        let element = self.fields_or("element", &node, SELECTOR, "text")?;
        let element = self.selector(&element)?;
        Some(Action::ScrollUntilVisible { element, gesture: Gesture::seek(direction, speed), timeout })
    }

    /// An element by exactly one of `text` and `id`.
    fn selector(&mut self, fields: &Fields) -> Option<Selector> {
        self.only_one(fields, &["text", "id"])?;
        match fields.get("text") {
            Some(_) => self.text(fields, "text").map(Selector::Text),
            None => self.text(fields, "id").map(Selector::Id),
        }
    }

    fn target(&mut self, fields: &Fields) -> Option<Target> {
        self.only_one(fields, &["text", "id", "point"])?;
        match fields.get("point") {
            Some(_) => self.point(fields, "point").map(Target::Point),
            None => self.selector(fields).map(Target::Element),
        }
    }

    fn only_one(&mut self, fields: &Fields, keys: &[&str]) -> Option<()> {
        let mut given: Vec<_> = keys.iter().filter_map(|key| fields.key_mark(key)).collect();
        given.sort();
        let names = crate::complaint::choice(keys.iter().copied());
        match given[..] {
            [_] => Some(()),
            [] => {
                self.complain(
                    fields.mark,
                    format!("{} does not say what to look for", quoted(&fields.of)),
                    format!("add {names}"),
                );
                None
            }
            [_, second, ..] => {
                self.complain(
                    second,
                    format!("{} takes only one of {names}", quoted(&fields.of)),
                    "keep one",
                );
                None
            }
        }
    }

    fn key(&mut self, fields: &Fields) -> Option<String> {
        let name = self.text(fields, "key")?;
        match keycode(&name) {
            Ok(code) => Some(code),
            Err(near) => {
                let mark = fields.get("key").map_or(fields.mark, |node| node.mark);
                let instead = match near {
                    Some(meant) => format!("write `{meant}`"),
                    None => {
                        "write an Android key name such as `HOME`, or spell it out: `KEYCODE_F7`".to_owned()
                    }
                };
                self.complain(mark, format!("unknown key name {}", quoted(&name)), instead);
                None
            }
        }
    }

    fn repeat(&mut self, fields: &Fields) -> Action {
        let times = self.whole(fields, "times").unwrap_or(1);
        self.around.push(Around::Repeat);
        let steps = self.inner_steps(fields);
        self.around.pop();
        Action::Repeat { times, steps }
    }

    fn measure(&mut self, fields: &Fields) -> Option<Action> {
        let name = self.text(fields, "name");
        let target_fps = self.number(fields, "target_fps");
        let thresholds = self.thresholds(fields);
        let refusal = self.around.last().map(|around| match around {
            Around::Measure => {
                ("a window inside a window", "close the first window before the second begins")
            }
            Around::Repeat => {
                ("a window inside a `repeat`", "a window has one verdict: put the `repeat` inside it")
            }
            Around::Setup => ("a window in `setup`", "move it to `steps`: setup is never measured"),
            Around::Teardown => ("a window in `teardown`", "move it to `steps`: teardown is never measured"),
        });
        if let Some((what, instead)) = refusal {
            self.complain(fields.mark, what, instead);
        }
        if let Some(name) = &name {
            self.declare_window(name, fields);
        }
        self.around.push(Around::Measure);
        let steps = self.inner_steps(fields);
        self.around.pop();
        self.check_window(&thresholds, &steps);
        Some(Action::Measure { name: name?, target_fps, thresholds, steps })
    }

    fn declare_window(&mut self, name: &str, fields: &Fields) {
        let here = (self.source.name.clone(), fields.mark.place);
        if let Some((file, place)) = self.windows.get(name) {
            let what = format!("a second window is called {}", quoted(name));
            let instead =
                format!("the first stands at {file}:{}:{}; give each its own name", place.line, place.column);
            let mark = fields.get("name").map_or(fields.mark, |node| node.mark);
            return self.complain(mark, what, instead);
        }
        self.windows.insert(name.to_owned(), here);
    }
}

/// What stands under a key as entries of a map, in order; none and a complaint when it is something else.
pub(super) fn entries<'n>(
    context: &mut ReadContext<'_>,
    of: &str,
    node: &'n Node,
) -> Option<&'n [crate::node::Entry]> {
    match &node.kind {
        Kind::Map(entries) => Some(entries),
        _ => {
            let what = format!("{} takes a map, and this is {}", quoted(of), node.kind_name());
            context.complain(node.mark, what, "write `name: value` lines, indented below the key");
            None
        }
    }
}
