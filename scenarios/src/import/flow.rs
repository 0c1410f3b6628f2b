//! One flow: what the reader complains of is taken out, step by step, until it complains of nothing; then the windows.

use super::lines::{Part, Parts, command, parts};
use super::windows::{Wrap, elsewhere, wraps};
use super::{Flows, Imported, LeftOut};
use crate::complaint::Complaint;
use crate::node::Kind;
use crate::read::{ReadOptions, SourceFile, read};
use crate::source::Source;
use crate::vocabulary::maestro::KEYS_NOTED;
use crate::yaml;
use std::collections::{BTreeMap, BTreeSet};

/// A flow on its way.
struct Mended<'a> {
    source: &'a Source,
    parts: Parts,
    /// Lines that are comments now.
    taken: BTreeSet<u32>,
    left_out: Vec<LeftOut>,
    wraps: Vec<Wrap>,
    /// What it was complained of first.
    first: Option<Complaint>,
}

/// A flow as the reader takes it.
///
/// # Errors
/// What it complains of and no step can be taken out for.
pub(super) fn mend(
    all: &mut Flows<'_>,
    name: &str,
    is_part: bool,
    given: &BTreeMap<String, String>,
) -> Result<Imported, Complaint> {
    let bytes = all.texts.get(name).cloned().unwrap_or_default();
    let source = Source::new(name, &bytes)?;
    let parsed = yaml::parse(&source);
    if let Some(broken) = parsed.complaints.into_iter().next() {
        return Err(broken);
    }
    let parts = parts(&source, &parsed.documents);
    let mut mended = Mended {
        source: &source,
        parts,
        taken: BTreeSet::new(),
        left_out: Vec::new(),
        wraps: Vec::new(),
        first: None,
    };
    while let Some(complaint) = mended.complaint(all, is_part, given) {
        mended.take_out(complaint)?;
    }
    let mut unmeasured = Vec::new();
    if !is_part {
        mended.wrap();
        while let Some(complaint) = mended.complaint(all, is_part, given) {
            let line = mended.line(&complaint);
            let Some(at) = mended.wraps.iter().position(|wrap| wrap.lines.contains(&line)) else {
                return Err(complaint);
            };
            if mended.take_tuning(line) {
                continue;
            }
            let line = *mended.wraps.remove(at).lines.start();
            unmeasured.push(LeftOut { line, what: mended.name(line), why: complaint.what });
        }
        let others =
            elsewhere(&mended.parts.steps).into_iter().filter(|(line, _)| !mended.taken.contains(line));
        unmeasured.extend(others.map(|(line, outer)| LeftOut {
            line,
            what: mended.name(line),
            why: format!("it stands in `{outer}`, which need not be the same in every trial"),
        }));
    }
    unmeasured.sort_by_key(|scroll| scroll.line);
    mended.left_out.sort_by_key(|part| part.line);
    let lines = mended.render();
    let text = lines.into_iter().map(|(_, line)| line + "\n").collect::<String>();
    all.texts.insert(name.to_owned(), text.clone().into_bytes());
    Ok(Imported {
        file: name.to_owned(),
        text,
        is_part,
        windows: mended.wraps.iter().map(|wrap| wrap.name.clone()).collect(),
        left_out: mended.left_out,
        unmeasured,
    })
}

impl Mended<'_> {
    /// The first complaint about it as it stands.
    fn complaint(
        &self,
        all: &mut Flows<'_>,
        is_part: bool,
        given: &BTreeMap<String, String>,
    ) -> Option<Complaint> {
        let name = &self.source.name;
        let text: String = self.render().into_iter().map(|(_, line)| line + "\n").collect();
        all.texts.insert(name.clone(), text.clone().into_bytes());
        let file = match is_part {
            false => SourceFile { name: name.clone(), text: text.into_bytes() },
            true => runner(name),
        };
        let fetch = |path: &str| all.fetch(path);
        let options = ReadOptions { metrics: all.options.metrics, sources: &fetch };
        let complaints = read(&[file], given, &options).err()?;
        // Those of its own first: what it runs was mended before.
        let own = complaints.iter().find(|complaint| complaint.file == *name);
        own.or(complaints.first()).cloned()
    }

    /// The line of the flow that a complaint about the text as it stands is about.
    fn line(&self, complaint: &Complaint) -> u32 {
        let lines = self.render();
        lines.get(complaint.place.line.saturating_sub(1) as usize).map_or(0, |(line, _)| *line)
    }

    fn take_out(&mut self, complaint: Complaint) -> Result<(), Complaint> {
        let line = match complaint.file == self.source.name {
            true => self.line(&complaint),
            false => return Err(complaint),
        };
        let untaken = |part: &&Part| part.lines.clone().any(|line| !self.taken.contains(&line));
        let header = self.parts.header.iter().filter(|part| !["appId", "app"].contains(&part.name.as_str()));
        let found = self
            .parts
            .steps
            .iter()
            .find_map(|step| step.at(line))
            .or_else(|| header.clone().find_map(|part| part.at(line)));
        let Some(part) = found.filter(untaken).cloned() else {
            // Where nothing is left, what was wrong says more than that.
            return Err(self.first.take().filter(|_| self.left().is_empty()).unwrap_or(complaint));
        };
        self.first.get_or_insert_with(|| complaint.clone());
        self.taken.extend(part.lines.clone());
        let why = match complaint.instead.is_empty() {
            true => complaint.what,
            false => format!("{}; {}", complaint.what, complaint.instead),
        };
        self.left_out.push(LeftOut { line: *part.lines.start(), what: part.name, why });
        Ok(())
    }

    /// Steps that were not taken out.
    fn left(&self) -> Vec<Part> {
        let is_left = |step: &&Part| step.lines.clone().any(|line| !self.taken.contains(&line));
        self.parts.steps.iter().filter(is_left).cloned().collect()
    }

    /// Windows around what is left and scrolls.
    fn wrap(&mut self) {
        self.wraps = wraps(&self.left());
    }

    /// A key on a line of its own that only tunes Maestro: outside of windows it changes nothing, and within one it may
    /// not stand.
    fn take_tuning(&mut self, line: u32) -> bool {
        let Some(step) = self.parts.steps.iter().find_map(|step| step.at(line)) else { return false };
        let (name, value) = command(&step.node);
        let Some(Kind::Map(entries)) = value.map(|value| &value.kind) else { return false };
        let on_it = entries.iter().filter(|entry| entry.mark.place.line == line);
        let [entry] = on_it.collect::<Vec<_>>()[..] else { return false };
        let known = KEYS_NOTED.iter().find(|(command, key, _)| *command == name && *key == entry.key);
        let is_alone = matches!(entry.value.kind, Kind::Scalar(_)) && line > *step.lines.start();
        let Some((_, key, why)) = known.filter(|_| is_alone) else { return false };
        self.taken.insert(line);
        self.left_out.push(LeftOut { line, what: (*key).to_owned(), why: (*why).to_owned() });
        true
    }

    fn name(&self, line: u32) -> String {
        let part = self.parts.steps.iter().find_map(|step| step.at(line));
        part.map(|part| part.name.clone()).unwrap_or_default()
    }

    /// Its lines as they stand, each with the line of the flow that it comes from or stands before.
    fn render(&self) -> Vec<(u32, String)> {
        let mut lines = Vec::new();
        for (nth, text) in self.source.text.lines().enumerate() {
            let line = u32::try_from(nth + 1).unwrap_or(u32::MAX);
            for part in self.left_out.iter().filter(|part| part.line == line) {
                let why: String = part.why.chars().filter(|c| !c.is_control()).collect();
                lines.push((line, format!("# left out: {why}")));
            }
            let wrap = self.wraps.iter().find(|wrap| wrap.lines.contains(&line));
            if let Some(wrap) = wrap.filter(|wrap| *wrap.lines.start() == line) {
                let indent = " ".repeat(wrap.indent);
                lines.push((line, format!("{indent}- measure: '{}'", wrap.name.replace('\'', "''"))));
                lines.push((line, format!("{indent}  steps:")));
            }
            let text = text.trim_end_matches('\r');
            lines.push((
                line,
                match (self.taken.contains(&line), wrap) {
                    (true, _) => format!("# {text}"),
                    (false, Some(_)) if !text.is_empty() => format!("    {text}"),
                    _ => text.to_owned(),
                },
            ));
        }
        lines
    }
}

/// A scenario that runs a file which is none.
fn runner(name: &str) -> SourceFile {
    let (folder, file) =
        name.rsplit_once('/').map_or((String::new(), name), |(folder, file)| (format!("{folder}/"), file));
    let file = format!("{file:?}");
    let text = format!("appId: com.example.app\nsteps:\n- runFlow: {file}\n");
    SourceFile { name: format!("{folder}.import"), text: text.into_bytes() }
}
