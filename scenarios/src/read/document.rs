//! A file's documents: one document with header and steps, or Maestro's two, header and list of steps.

use super::ReadOptions;
use super::fields::{Fields, entries};
use super::form::{self, Form, Shape, split};
use super::read_context::{Around, ReadContext};
use super::{check, limits, page, prepare, secret, step, value};
use crate::complaint::{Complaint, quoted};
use crate::node::{Entry, Kind};
use crate::place::Mark;
use crate::scenario::{Scenario, Spread};
use crate::source::Source;
use crate::yaml;
use farmjank_leaf::text::{acts, typed};
use farmjank_results::frame::SourceId;
use farmjank_results::resources::Resource;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

/// Reads one scenario: the scenario if it is whole, what there is to complain of, and where its name stands.
pub(super) fn scenario(
    source: &Rc<Source>,
    given: &BTreeMap<String, String>,
    options: &ReadOptions<'_>,
) -> (Option<Scenario>, Vec<Complaint>, Mark) {
    let mut ctx = ReadContext::new(source, given, options, step::steps);
    let parsed = yaml::parse(source);
    let broken = parsed.documents.is_empty() && !parsed.complaints.is_empty();
    ctx.take(parsed.complaints);
    let form = if broken { None } else { split(&mut ctx, &parsed.documents, Shape::Scenario) };
    let name_mark =
        form.as_ref().and_then(|form| form.header.get("name")).map_or(Mark::top(), |node| node.mark);
    let scenario = form.map(|form| build(&mut ctx, source, &form));
    (scenario, ctx.complaints(), name_mark)
}

fn build(ctx: &mut ReadContext<'_>, source: &Source, form: &Form) -> Scenario {
    let header = &form.header;
    secret::declare_secrets(ctx, header);
    form::declare_env(ctx, header);
    ctx.scope.app = value::text(ctx, header, "appId").unwrap_or_default();
    page::declare_pages(ctx, header);
    let section = |ctx: &mut ReadContext<'_>, key: &str, around: Around| {
        ctx.scope.around = vec![around];
        let steps = header.get(key).cloned().map(|node| step::steps(ctx, &node)).unwrap_or_default();
        ctx.scope.around.clear();
        steps
    };
    let setup = section(ctx, "setup", Around::Setup);
    let teardown = section(ctx, "teardown", Around::Teardown);
    let steps = step::steps(ctx, &form.steps);
    let mut scenario = Scenario {
        file: source.name.clone(),
        name: value::text(ctx, header, "name").unwrap_or_else(|| stem(&source.name)),
        app: ctx.scope.app.clone(),
        tags: tags(ctx, header, "tags"),
        properties: words(ctx, header, "properties"),
        devices: limits::requirement(ctx, header),
        phones: value::whole(ctx, header, "phones"),
        spread: spread(ctx, header),
        iterations: value::whole(ctx, header, "iterations").unwrap_or(5),
        warmup: value::whole(ctx, header, "warmup").unwrap_or(1),
        target_fps: value::number(ctx, header, "target_fps"),
        fling_bound: value::time(ctx, header, "fling").unwrap_or(Duration::from_secs(2)),
        source: source_id(ctx, header),
        layer: value::text(ctx, header, "layer"),
        prepare: prepare::prepare(ctx, header),
        beside: resources(ctx, header),
        setup,
        steps,
        teardown,
        pages: ctx.scope.pages.clone(),
        thresholds: limits::thresholds(ctx, header),
        overrides: limits::overrides(ctx, header),
        effect: limits::effect(ctx, header),
        on_new: limits::on_new(ctx, header),
        hash: ctx.digest.hash.hex(),
        notices: Vec::new(),
        times_launches: false,
        debuggable_meant: false,
        for_phones: Vec::new(),
    };
    scenario.times_launches =
        scenario.thresholds.iter().any(|limit| crate::vocabulary::is_launch_metric(&limit.metric));
    check::check(ctx, &scenario, header);
    scenario.notices = ctx.notices();
    scenario
}

fn words(ctx: &mut ReadContext<'_>, fields: &Fields, key: &str) -> BTreeMap<String, String> {
    let Some(node) = fields.get(key).cloned() else { return BTreeMap::new() };
    let Some(entries) = entries(ctx, key, &node) else { return BTreeMap::new() };
    let word = |entry: &Entry| Some((entry.key.clone(), value::scalar(ctx, &entry.key, &entry.value)?.value));
    entries.iter().filter_map(word).collect()
}

/// A list of short words, or one.
pub(super) fn tags(ctx: &mut ReadContext<'_>, fields: &Fields, of: &str) -> Vec<String> {
    let Some(node) = fields.get(of).cloned() else { return Vec::new() };
    let items = match &node.kind {
        Kind::List(items) => items.to_vec(),
        _ => vec![node],
    };
    let mut tags: Vec<String> = Vec::new();
    for item in items {
        let Some(tag) = value::scalar(ctx, of, &item) else { continue };
        let long = tag.value.chars().count() > 60;
        if tag.value.is_empty()
            || long
            || tag.value.contains(|c: char| c.is_whitespace() || acts(c) || c == ',')
        {
            let one = if of == "tags" { "a tag".to_owned() } else { format!("one of {}", quoted(of)) };
            let what = format!("{} cannot be {one}", quoted(&tag.value));
            ctx.complain(
                tag.mark,
                what,
                "it is one word of at most 60 characters; write a list: `[gate, nightly]`",
            );
        } else if !tags.contains(&tag.value) {
            tags.push(tag.value);
        }
    }
    tags
}

fn resources(ctx: &mut ReadContext<'_>, fields: &Fields) -> BTreeSet<Resource> {
    let Some(node) = fields.get("beside").cloned() else { return BTreeSet::new() };
    let items = match &node.kind {
        Kind::List(items) => items.to_vec(),
        _ => vec![node],
    };
    let mut all = BTreeSet::new();
    for item in items {
        let Some(text) = value::scalar(ctx, "beside", &item) else { continue };
        match Resource::read(&text.value) {
            Ok(resource) => all.extend([resource]),
            Err(instead) => {
                let what = format!("{} cannot be looked at beside frames", quoted(&text.value));
                ctx.complain(text.mark, what, instead.to_string());
            }
        }
    }
    all
}

fn source_id(ctx: &mut ReadContext<'_>, fields: &Fields) -> Option<SourceId> {
    let text = fields.get("source").and_then(|node| value::scalar(ctx, "source", node))?;
    match text.value.to_ascii_lowercase().as_str() {
        "auto" => None,
        "surfaceflinger" => Some(SourceId::SurfaceFlinger),
        "gfxinfo" => Some(SourceId::Gfxinfo),
        "frametimeline" => Some(SourceId::FrameTimeline),
        "timestats" => Some(SourceId::TimeStats),
        _ => {
            let what = format!("{} is not a source of frames", quoted(&text.value));
            ctx.complain(
                text.mark,
                what,
                "write `auto`, `frametimeline`, `surfaceflinger`, `gfxinfo` or `timestats`",
            );
            None
        }
    }
}

/// What phones of one class share out.
fn spread(ctx: &mut ReadContext<'_>, fields: &Fields) -> Spread {
    let Some(text) = fields.get("spread").and_then(|node| value::scalar(ctx, "spread", node)) else {
        return Spread::Off;
    };
    match text.value.as_str() {
        "true" => return Spread::Scenarios,
        "iterations" => return Spread::Iterations,
        "false" => {}
        other => ctx.complain(
            text.mark,
            format!("`spread` takes true, false or iterations, not {}", quoted(other)),
            "write `true`, `false` or `iterations`",
        ),
    }
    Spread::Off
}

/// A file's name without folder and ending.
fn stem(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = name.strip_suffix(".yaml").or(name.strip_suffix(".yml")).unwrap_or(name);
    typed(stem, crate::vocabulary::NAME_CHARS)
}
