//! `runFlow`: steps of another file, read where they are run, with variables of their own. Cycles are refused.

use super::document::{Shape, split};
use super::fields::Fields;
use super::read_context::{FLOW_BYTES, ReadContext};
use crate::complaint::quoted;
use crate::place::Mark;
use crate::source::Source;
use crate::step::{Action, Step};
use crate::yaml;
use std::mem;
use std::rc::Rc;

/// Files that run each other, at most.
const DEPTH: usize = 16;

impl ReadContext<'_> {
    pub(super) fn run_flow(&mut self, fields: &Fields) -> Option<Action> {
        let outer = self.env.clone();
        self.declare_env(fields);
        let action = self.flow_or_steps(fields);
        self.env = outer;
        action
    }

    fn flow_or_steps(&mut self, fields: &Fields) -> Option<Action> {
        match (fields.key_mark("file"), fields.key_mark("steps")) {
            (Some(_), Some(mark)) => {
                self.complain(mark, "`runFlow` takes a file or steps, not both", "keep one");
                None
            }
            (None, None) => {
                self.complain(
                    fields.mark,
                    "`runFlow` does not say what to run",
                    "write `- runFlow: login.yaml`",
                );
                None
            }
            (None, Some(_)) => {
                let steps = self.inner_steps(fields);
                Some(Action::RunFlow { file: self.source.name.clone(), steps })
            }
            (Some(_), None) => {
                let mark = fields.get("file").map_or(fields.mark, |node| node.mark);
                let path = self.text(fields, "file")?;
                let file = beside(&self.source.name, &path);
                let steps = self.flow(&file, mark)?;
                Some(Action::RunFlow { file, steps })
            }
        }
    }

    fn flow(&mut self, file: &str, mark: Mark) -> Option<Vec<Step>> {
        if let Some(from) = self.files.iter().position(|running| running == file) {
            let chain =
                self.files[from..].iter().map(String::as_str).chain([file]).collect::<Vec<_>>().join(" → ");
            self.complain(
                mark,
                format!("{} runs itself: {chain}", quoted(file)),
                "take this step out, or use `repeat`",
            );
            return None;
        }
        if self.files.len() == DEPTH {
            self.complain(mark, format!("more than {DEPTH} files run each other"), "flatten them");
            return None;
        }
        let bytes = match self.options.sources.fetch(file) {
            Ok(bytes) => bytes,
            Err(why) => {
                let what = format!("{} cannot be read: {why}", quoted(file));
                self.complain(mark, what, "the path is relative to the folder of this file");
                return None;
            }
        };
        self.flow_bytes = self.flow_bytes.saturating_add(bytes.len());
        if self.flow_bytes > FLOW_BYTES {
            let what = format!("the files this scenario runs have more than {FLOW_BYTES} bytes together");
            self.complain(mark, what, "run each of them fewer times; use `repeat`");
            return None;
        }
        match Source::new(file, &bytes) {
            Ok(source) => self.inside(file, Rc::new(source)),
            Err(complaint) => {
                self.take([complaint]);
                None
            }
        }
    }

    /// Reads a flow with itself as the file at hand, then returns to the file that runs it.
    fn inside(&mut self, file: &str, source: Rc<Source>) -> Option<Vec<Step>> {
        if self.hashed.insert(file.to_owned()) {
            self.hash = self.hash.part(file.as_bytes());
            self.hash = self.hash.part(source.text.as_bytes());
        }
        let parsed = yaml::parse(&source);
        self.take(parsed.complaints);
        let outer = (mem::replace(&mut self.source, source), self.app.clone(), self.pages.clone());
        self.files.push(file.to_owned());
        let steps = split(self, &parsed.documents, Shape::Flow).map(|form| {
            // The flow's own variables are defaults: what runs it has the last word.
            let outer = self.env.clone();
            self.declare_env(&form.header);
            self.env.extend(outer);
            if let Some(app) = self.text(&form.header, "appId") {
                self.app = app;
            }
            self.declare_pages(&form.header);
            self.steps(&form.steps)
        });
        self.files.pop();
        (self.source, self.app, self.pages) = outer;
        steps
    }
}

/// A path relative to the folder of the file that names it, with `.` and `..` resolved; absolute paths stay.
fn beside(from: &str, path: &str) -> String {
    let folder = from.rfind('/').map_or("", |end| &from[..end]);
    let whole =
        if path.starts_with('/') || folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") };
    let absolute = whole.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match (part, parts.last()) {
            ("..", Some(last)) if *last != ".." => {
                parts.pop();
            }
            ("..", None) if absolute => {}
            _ => parts.push(part),
        }
    }
    format!("{}{}", if absolute { "/" } else { "" }, parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::beside;

    #[test]
    fn paths_are_relative_to_the_file_that_names_them() {
        assert_eq!(beside("scenarios/home.yaml", "shared/login.yaml"), "scenarios/shared/login.yaml");
        assert_eq!(beside("scenarios/a/home.yaml", "../login.yaml"), "scenarios/login.yaml");
        assert_eq!(beside("home.yaml", "./login.yaml"), "login.yaml");
        assert_eq!(beside("home.yaml", "../login.yaml"), "../login.yaml");
        assert_eq!(beside("/s/home.yaml", "../../../login.yaml"), "/login.yaml");
        assert_eq!(beside("a/b.yaml", "/abs/x.yaml"), "/abs/x.yaml");
    }
}
