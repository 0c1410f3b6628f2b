//! Flows of Maestro as scenarios: windows around what scrolls, and what farmjank does not run commented out, with its
//! reason. Line by line, so that what the author wrote stays as it was written. The reader judges: a step is left out
//! only where it complains. Pure; files that flows run come through [`Sources`](crate::read::Sources).

mod flow;
mod lines;
mod windows;

use crate::complaint::Complaint;
use crate::node::{Kind, Node};
use crate::read::flow::beside;
use crate::read::variables::{OF_SCRIPTS, is_name};
use crate::read::{ReadOptions, SourceFile};
use crate::source::Source;
use crate::yaml;
use farmjank_results::file_error::FileProblem;
use std::collections::{BTreeMap, BTreeSet};

/// Files that are imported together, at most: a flow and all that it runs.
const FILES: usize = 1_000;

/// A step, key or scroll that is not as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its line in the flow, from 1.
    pub line: u32,
    /// Its command, or its key in the header.
    pub what: String,
    /// Why.
    pub why: String,
}

/// A flow that became a scenario, or steps for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The flow, as it was named or as it is run.
    pub file: String,
    /// The scenario's text.
    pub text: String,
    /// Only other flows run it: it has no windows.
    pub is_part: bool,
    /// Names of the windows that were put in.
    pub windows: Vec<String>,
    /// What was commented out.
    pub left_out: Vec<LeftOut>,
    /// Scrolls that are in no window.
    pub unmeasured: Vec<LeftOut>,
}

/// What became of flows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Import {
    /// Flows that were read, those that others run before those that run them.
    pub imported: Vec<Imported>,
    /// Scripts that they run: they stay as they are.
    pub scripts: BTreeMap<String, Vec<u8>>,
    /// Why the others cannot be imported.
    pub refused: Vec<Complaint>,
    /// Variables that nobody sets: whoever runs the scenarios gives them.
    pub variables: BTreeSet<String>,
}

/// Makes scenarios of flows. `given` holds variables that are known.
pub fn import(files: &[SourceFile], given: &BTreeMap<String, String>, options: &ReadOptions<'_>) -> Import {
    let mut all = Flows::gathered(files, options);
    let (variables, placed) = all.unset(given);
    let given: BTreeMap<String, String> =
        given.iter().map(|(name, value)| (name.clone(), value.clone())).chain(placed).collect();
    // What runs a part may set what it uses.
    let of_parts =
        all.declared.iter().map(|name| (name.clone(), "1".to_owned())).chain(given.clone()).collect();
    let mut import = Import { variables, scripts: all.scripts.clone(), ..Import::default() };
    for name in all.in_order() {
        let is_part = all.run.contains(&name);
        let given = if is_part { &of_parts } else { &given };
        match flow::mend(&mut all, &name, is_part, given) {
            Ok(imported) => import.imported.push(imported),
            Err(complaint) => {
                all.texts.remove(&name);
                import.refused.push(complaint);
            }
        }
    }
    import
}

/// All the flows of an import.
struct Flows<'a> {
    options: &'a ReadOptions<'a>,
    /// As they stand; one that cannot be imported is none any more.
    texts: BTreeMap<String, Vec<u8>>,
    scripts: BTreeMap<String, Vec<u8>>,
    /// Whom each runs.
    runs: BTreeMap<String, Vec<String>>,
    /// Those that others run.
    run: BTreeSet<String>,
    /// Values of keys, to find variables in.
    values: BTreeSet<String>,
    apps: BTreeSet<String>,
    declared: BTreeSet<String>,
}

impl<'a> Flows<'a> {
    /// The flows, and all that they run.
    fn gathered(files: &[SourceFile], options: &'a ReadOptions<'a>) -> Self {
        let mut all = Flows {
            options,
            texts: BTreeMap::new(),
            scripts: BTreeMap::new(),
            runs: BTreeMap::new(),
            run: BTreeSet::new(),
            values: BTreeSet::new(),
            apps: BTreeSet::new(),
            declared: BTreeSet::new(),
        };
        let mut waiting: Vec<(String, Vec<u8>)> =
            files.iter().map(|file| (file.name.clone(), file.text.clone())).collect();
        while let Some((name, bytes)) = waiting.pop() {
            if all.texts.contains_key(&name) || all.texts.len() == FILES {
                continue;
            }
            let mut runs = Vec::new();
            if let Ok(source) = Source::new(&name, &bytes) {
                for node in &yaml::parse(&source).documents {
                    all.look(node, &name, &mut runs);
                }
            }
            for path in &runs {
                let Ok(bytes) = options.sources.fetch(path) else { continue };
                if path.ends_with(".js") {
                    all.scripts.insert(path.clone(), bytes);
                } else if path != &name {
                    all.run.insert(path.clone());
                    waiting.push((path.clone(), bytes));
                }
            }
            all.runs.insert(name.clone(), runs);
            all.texts.insert(name, bytes);
        }
        all
    }

    /// Paths that are run, variables that are set, and values they may stand in.
    fn look(&mut self, node: &Node, file: &str, runs: &mut Vec<String>) {
        match &node.kind {
            Kind::Scalar(scalar) => {
                if scalar.text.contains("${") {
                    self.values.insert(scalar.text.clone());
                }
            }
            Kind::List(items) => items.iter().for_each(|item| self.look(item, file, runs)),
            Kind::Map(entries) => {
                for entry in entries.iter() {
                    match (entry.key.as_str(), &entry.value.kind) {
                        ("runFlow" | "runScript" | "retry", value) => {
                            runs.extend(run_by(value).map(|path| beside(file, path)));
                        }
                        ("appId" | "app", Kind::Scalar(app)) => {
                            self.apps.insert(app.text.clone());
                        }
                        ("env", Kind::Map(set)) => {
                            self.declared.extend(set.iter().map(|variable| variable.key.clone()));
                        }
                        _ => {}
                    }
                    self.look(&entry.value, file, runs);
                }
            }
            Kind::Null => {}
        }
    }

    /// Variables that nobody sets, and values in their place that any key takes: a package for an app, a number else.
    fn unset(&self, given: &BTreeMap<String, String>) -> (BTreeSet<String>, Vec<(String, String)>) {
        let named = |text: &String| -> Vec<String> {
            let parts = text.split("${").skip(1).filter_map(|part| part.split('}').next());
            parts.map(|name| name.trim().to_owned()).filter(|name| is_name(name)).collect()
        };
        let apps: BTreeSet<String> = self.apps.iter().flat_map(named).collect();
        let all: BTreeSet<String> = self.values.iter().flat_map(named).collect();
        let unset: BTreeSet<String> = all
            .into_iter()
            .filter(|name| !self.declared.contains(name) && !given.contains_key(name))
            .filter(|name| !OF_SCRIPTS.contains(&name.as_str()))
            .collect();
        let value = |name: &String| if apps.contains(name) { "com.example.app" } else { "1" };
        let placed = unset.iter().map(|name| (name.clone(), value(name).to_owned())).collect();
        (unset, placed)
    }

    /// Who is run before who runs it.
    fn in_order(&self) -> Vec<String> {
        let mut order = Vec::new();
        let mut seen = BTreeSet::new();
        for first in self.texts.keys() {
            let mut open = vec![(first.clone(), false)];
            while let Some((name, is_done)) = open.pop() {
                if is_done {
                    order.push(name);
                } else if self.texts.contains_key(&name) && seen.insert(name.clone()) {
                    open.push((name.clone(), true));
                    open.extend(self.runs.get(&name).into_iter().flatten().map(|run| (run.clone(), false)));
                }
            }
        }
        order
    }

    /// A file as it stands.
    fn fetch(&self, path: &str) -> Result<Vec<u8>, FileProblem> {
        match self.texts.get(path).or_else(|| self.scripts.get(path)) {
            Some(bytes) => Ok(bytes.clone()),
            None if self.runs.contains_key(path) => Err(FileProblem::NoScenario),
            None => self.options.sources.fetch(path),
        }
    }
}

/// The file that a step runs, by itself or under a key.
fn run_by(value: &Kind) -> Option<&str> {
    match value {
        Kind::Scalar(path) => Some(&path.text),
        Kind::Map(keys) => match &keys.iter().find(|entry| entry.key == "file")?.value.kind {
            Kind::Scalar(path) => Some(&path.text),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests;
