//! A file's documents: one document with header and steps, or Maestro's two, header and list of steps.

use super::ReadOptions;
use super::command::entries;
use super::fields::Fields;
use super::read_context::{Around, ReadContext};
use super::variables::is_name;
use crate::complaint::{Complaint, quoted};
use crate::node::{Entry, Kind, Node};
use crate::place::Mark;
use crate::scenario::Scenario;
use crate::source::Source;
use crate::vocabulary::HEADER;
use crate::yaml;
use farmjank_leaf::text::{acts, typed};
use farmjank_results::frame::SourceId;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

/// What a file is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A scenario: it needs an app.
    Scenario,
    /// Steps that a scenario runs: the header may be missing.
    Flow,
}

/// A file's header and list of steps.
pub(super) struct Form {
    pub(super) header: Fields,
    pub(super) steps: Node,
}

/// Reads one scenario: the scenario if it is whole, what there is to complain of, and where its name stands.
pub(super) fn scenario(
    source: &Rc<Source>,
    given: &BTreeMap<String, String>,
    options: &ReadOptions<'_>,
) -> (Option<Scenario>, Vec<Complaint>, Mark) {
    let mut context = ReadContext::new(source, given, options);
    let parsed = yaml::parse(source);
    let broken = parsed.documents.is_empty() && !parsed.complaints.is_empty();
    context.take(parsed.complaints);
    let form = if broken { None } else { split(&mut context, &parsed.documents, Shape::Scenario) };
    let name_mark =
        form.as_ref().and_then(|form| form.header.get("name")).map_or(Mark::top(), |node| node.mark);
    let scenario = form.map(|form| build(&mut context, source, &form));
    (scenario, context.complaints(), name_mark)
}

fn build(context: &mut ReadContext<'_>, source: &Source, form: &Form) -> Scenario {
    let header = &form.header;
    context.declare_env(header);
    context.app = context.text(header, "appId").unwrap_or_default();
    context.declare_pages(header);
    let section = |context: &mut ReadContext<'_>, key: &str, around: Around| {
        context.around = vec![around];
        let steps = header.get(key).cloned().map(|node| context.steps(&node)).unwrap_or_default();
        context.around.clear();
        steps
    };
    let setup = section(context, "setup", Around::Setup);
    let teardown = section(context, "teardown", Around::Teardown);
    let steps = context.steps(&form.steps);
    let scenario = Scenario {
        file: source.name.clone(),
        name: context.text(header, "name").unwrap_or_else(|| stem(&source.name)),
        app: context.app.clone(),
        tags: context.tags(header),
        properties: context.words(header, "properties"),
        devices: context.requirement(header),
        iterations: context.whole(header, "iterations").unwrap_or(5),
        warmup: context.whole(header, "warmup").unwrap_or(1),
        target_fps: context.number(header, "target_fps"),
        fling_bound: context.time(header, "fling").unwrap_or(Duration::from_secs(2)),
        source: context.source_id(header),
        layer: context.text(header, "layer"),
        setup,
        steps,
        teardown,
        pages: context.pages.clone(),
        thresholds: context.thresholds(header),
        overrides: context.overrides(header),
        effect: context.effect(header),
        hash: context.hash.hex(),
        debuggable_meant: false,
    };
    context.check(&scenario, header);
    scenario
}

/// Finds header and steps in a file's documents.
pub(super) fn split(context: &mut ReadContext<'_>, documents: &[Node], shape: Shape) -> Option<Form> {
    let example = "a scenario needs `appId:` and `steps:`";
    let (header, list) = match documents {
        [] => (None, None),
        [one] if matches!(one.kind, Kind::List(_)) => (None, Some(one)),
        [one] => (Some(one), None),
        [one, two] => (Some(one), Some(two)),
        [_, _, third, ..] => {
            context.complain(
                third.mark,
                "a third document in one file",
                "a file holds a header, `---` and a list of steps",
            );
            return None;
        }
    };
    let none: Rc<Vec<Entry>> = Rc::default();
    let (mark, entries) = match header.map(|node| (node.mark, &node.kind)) {
        Some((mark, Kind::Map(entries))) => (mark, Rc::clone(entries)),
        Some((mark, Kind::Null)) => (mark, none),
        None if list.is_some() => (list.map_or(Mark::top(), |node| node.mark), none),
        None => {
            context.complain(Mark::top(), "the file is empty", example);
            return None;
        }
        Some((mark, _)) => {
            context.complain(mark, "the file does not begin with keys", example);
            return None;
        }
    };
    if shape == Shape::Scenario && header.is_none() {
        let instead = "put `appId: com.example.shop` and a line `---` above the list";
        context.complain(mark, "the file is a list of steps without a header", instead);
        return None;
    }
    let header = context.header(mark, &entries, shape);
    let steps = match (list, header.get("steps")) {
        (Some(_), Some(inner)) => {
            context.complain(
                inner.mark,
                "steps in the header and again after `---`",
                "keep one of the two lists",
            );
            return None;
        }
        (Some(list), None) => list.clone(),
        (None, Some(inner)) => inner.clone(),
        (None, None) => {
            if header.key_mark("steps").is_none() {
                context.complain(
                    mark,
                    "the file has no steps",
                    "add `steps:`, or a line `---` and a list of steps",
                );
            }
            Node { mark, kind: Kind::List(Rc::default()) }
        }
    };
    if matches!(&steps.kind, Kind::List(items) if items.is_empty())
        && (list.is_some() || header.get("steps").is_some())
    {
        context.complain(steps.mark, "the list of steps is empty", "add a step such as `- launchApp`");
    }
    Some(Form { header, steps })
}

impl ReadContext<'_> {
    fn header(&mut self, mark: Mark, entries: &[Entry], shape: Shape) -> Fields {
        match shape {
            Shape::Scenario => self.fields("header", mark, entries, &[HEADER]),
            Shape::Flow => {
                // A flow needs no app of its own: it runs in the scenario's.
                let app = HEADER.iter().position(|key| key.name == "appId").unwrap_or(0);
                let fields = [&HEADER[..app], FLOW_APP, &HEADER[app + 1..]];
                self.fields("header", mark, entries, &fields)
            }
        }
    }

    /// Puts the variables of a map in force; each may use those above it and those given.
    pub(super) fn declare_env(&mut self, fields: &Fields) {
        let Some(node) = fields.get("env").cloned() else { return };
        let Some(entries) = entries(self, "env", &node) else { return };
        for entry in entries {
            if !is_name(&entry.key) {
                let what = format!("{} cannot be the name of a variable", quoted(&entry.key));
                self.complain(entry.mark, what, "use letters, digits and `_`");
                continue;
            }
            let value = match &entry.value.kind {
                Kind::Null => Some(String::new()),
                _ => self.scalar(&entry.key, &entry.value).map(|text| text.value),
            };
            self.env.insert(entry.key.clone(), value.unwrap_or_default());
        }
    }

    fn words(&mut self, fields: &Fields, key: &str) -> BTreeMap<String, String> {
        let Some(node) = fields.get(key).cloned() else { return BTreeMap::new() };
        let Some(entries) = entries(self, key, &node) else { return BTreeMap::new() };
        let word = |entry: &Entry| Some((entry.key.clone(), self.scalar(&entry.key, &entry.value)?.value));
        entries.iter().filter_map(word).collect()
    }

    fn tags(&mut self, fields: &Fields) -> Vec<String> {
        let Some(node) = fields.get("tags").cloned() else { return Vec::new() };
        let items = match &node.kind {
            Kind::List(items) => items.to_vec(),
            _ => vec![node],
        };
        let mut tags: Vec<String> = Vec::new();
        for item in items {
            let Some(tag) = self.scalar("tags", &item) else { continue };
            let long = tag.value.chars().count() > 60;
            if tag.value.is_empty()
                || long
                || tag.value.contains(|c: char| c.is_whitespace() || acts(c) || c == ',')
            {
                let what = format!("{} cannot be a tag", quoted(&tag.value));
                self.complain(
                    tag.mark,
                    what,
                    "a tag is one word of at most 60 characters; write a list: `[gate, nightly]`",
                );
            } else if !tags.contains(&tag.value) {
                tags.push(tag.value);
            }
        }
        tags
    }

    fn source_id(&mut self, fields: &Fields) -> Option<SourceId> {
        let text = fields.get("source").and_then(|node| self.scalar("source", node))?;
        match text.value.to_ascii_lowercase().as_str() {
            "auto" => None,
            "surfaceflinger" => Some(SourceId::SurfaceFlinger),
            "gfxinfo" => Some(SourceId::Gfxinfo),
            "frametimeline" => Some(SourceId::FrameTimeline),
            "timestats" => Some(SourceId::TimeStats),
            _ => {
                let what = format!("{} is not a source of frames", quoted(&text.value));
                self.complain(
                    text.mark,
                    what,
                    "write `auto`, `frametimeline`, `surfaceflinger`, `gfxinfo` or `timestats`",
                );
                None
            }
        }
    }
}

/// A flow's `appId`: as a scenario's, and not required.
const FLOW_APP: &[crate::vocabulary::Key] = &[crate::vocabulary::FLOW_APP];

/// A file's name without folder and ending.
fn stem(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = name.strip_suffix(".yaml").or(name.strip_suffix(".yml")).unwrap_or(name);
    typed(stem, crate::vocabulary::NAME_CHARS)
}
