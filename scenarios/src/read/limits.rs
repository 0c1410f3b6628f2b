//! Thresholds and overrides: metric keys against the registry, limits by the grammar of the results.

use super::fields::{Fields, entries};
use super::read_context::ReadContext;
use super::{fields, value};
use crate::complaint::quoted;
use crate::node::{Entry, Kind, Node};
use crate::place::Mark;
use crate::requirement::Requirement;
use crate::scenario::Override;
use crate::threshold::Threshold;
use crate::vocabulary::{BASELINE, CAUSES, LAUNCH_METRICS, LIMIT, OVERRIDE};
use farmjank_leaf::nearest::meant;
use farmjank_results::cause_life::OnNew;
use farmjank_results::cause_selector::{SPLIT, check, parts};
use farmjank_results::compare::Effect;
use farmjank_results::metric::{Better, Unit};
use farmjank_results::plugin_metric;
use farmjank_results::threshold::{Limit, LimitComplaint};

/// Most metrics that are offered for one that there is not.
const OFFERED: usize = 4;

/// The limits under `thresholds`, in order.
pub(super) fn thresholds(ctx: &mut ReadContext<'_>, fields: &Fields) -> Vec<Threshold> {
    let Some(node) = fields.get("thresholds").cloned() else { return Vec::new() };
    let Some(entries) = entries(ctx, "thresholds", &node) else { return Vec::new() };
    entries.iter().flat_map(|entry| limits(ctx, entry)).collect()
}

fn limits(ctx: &mut ReadContext<'_>, entry: &Entry) -> Vec<Threshold> {
    if let Some((metric, pattern)) = parts(&entry.key) {
        return of_causes(ctx, entry, metric, pattern);
    }
    if let Some((plugin, metric)) = plugin_metric::parts(&entry.key) {
        return of_plugin(ctx, entry, plugin, metric);
    }
    let Some(metric) = known(ctx, entry.mark, &entry.key) else { return Vec::new() };
    listed(ctx, entry, &Of::own(metric))
}

/// Limits on what a plugin computes, which need not be here to be read.
fn of_plugin(ctx: &mut ReadContext<'_>, entry: &Entry, plugin: &str, metric: &str) -> Vec<Threshold> {
    if !plugin_metric::is_name(metric) || !plugin_metric::is_plugin(plugin) {
        let what = format!("{} is no metric of a plugin", quoted(&entry.key));
        let form = "write `NAME.metric`: the plugin as `--plugin NAME=…` calls it, a point, the metric in small letters";
        ctx.complain(entry.mark, what, form);
        return Vec::new();
    }
    listed(ctx, entry, &Of { metric: &entry.key, nature: None })
}

/// What a limit is on.
struct Of<'a> {
    metric: &'a str,
    /// Its unit and which way is better; none where a plugin says so once it is asked.
    nature: Option<(Unit, Better)>,
}

impl<'a> Of<'a> {
    fn own((metric, unit, better): (&'a str, Unit, Better)) -> Of<'a> {
        Of { metric, nature: Some((unit, better)) }
    }

    fn read(&self, text: &str, backwards: bool) -> Result<Limit, LimitComplaint> {
        match self.nature {
            Some((unit, better)) => Limit::facing(text, unit, better, backwards),
            None => plugin_metric::limit(text),
        }
    }
}

/// Limits on the part of a metric that is charged to some causes.
fn of_causes(ctx: &mut ReadContext<'_>, entry: &Entry, metric: &str, pattern: &str) -> Vec<Threshold> {
    // A quoted key is longer than its text.
    let quote = u32::from(entry.mark.length > entry.key.chars().count() as u32);
    let part = |from: &str, length: &str| {
        let mut mark = entry.mark;
        mark.place.column += quote + from.chars().count() as u32;
        mark.length = (length.chars().count() as u32).max(1);
        mark
    };
    let at_metric = part("", metric);
    let at_pattern = part(&format!("{metric}["), pattern);
    let Some((metric, unit, better)) = known(ctx, at_metric, metric) else { return Vec::new() };
    if metric != SPLIT {
        let what = format!("{} is not split by causes", quoted(metric));
        ctx.complain(at_metric, what, format!("write `{SPLIT}[{pattern}]`, the one metric that is"));
        return Vec::new();
    }
    if !entry.key.ends_with(']') {
        let what = "the bracket around causes is not closed";
        ctx.complain(at_pattern, what, format!("write `{SPLIT}[{}]`", pattern.trim_end()));
        return Vec::new();
    }
    if let Err(wrong) = check(pattern) {
        ctx.complain(at_pattern, wrong.what, format!("write `{SPLIT}[{}]`", wrong.instead));
        return Vec::new();
    }
    listed(ctx, entry, &Of::own((&entry.key, unit, better)))
}

/// The metric of a key, or a complaint with what may be meant.
fn known<'a>(ctx: &mut ReadContext<'a>, mark: Mark, key: &str) -> Option<(&'a str, Unit, Better)> {
    let known = ctx.options.metrics.iter().chain(LAUNCH_METRICS);
    let found = known.clone().find(|(own, _, _)| *own == key).copied();
    if found.is_none() {
        let keys: Vec<&str> = known.map(|(key, _, _)| *key).collect();
        let instead = match &*meant(key, &keys, OFFERED) {
            [] => "`farmjank metrics` lists them all".to_owned(),
            [one] => format!("write `{one}`"),
            several => format!("write `{}`; `farmjank metrics` lists them all", several.join("` or `")),
        };
        ctx.complain(mark, format!("unknown metric {}", quoted(key)), instead);
    }
    found
}

fn listed(ctx: &mut ReadContext<'_>, entry: &Entry, metric: &Of<'_>) -> Vec<Threshold> {
    match &entry.value.kind {
        Kind::List(items) if items.is_empty() => {
            ctx.complain(
                entry.value.mark,
                format!("{} has no limit", quoted(&entry.key)),
                "write such as `'mean < 10'`",
            );
            Vec::new()
        }
        Kind::List(items) => items.iter().filter_map(|item| limit(ctx, metric, item)).collect(),
        _ => limit(ctx, metric, &entry.value).into_iter().collect(),
    }
}

fn limit(ctx: &mut ReadContext<'_>, of: &Of<'_>, node: &Node) -> Option<Threshold> {
    let fields = fields::fields_or(ctx, "a limit", node, LIMIT, "limit")?;
    let on_purpose = value::flag(ctx, &fields, "backwards") == Some(true);
    let confidence = value::number(ctx, &fields, "confidence");
    let text = value::scalar(ctx, of.metric, fields.get("limit")?)?;
    let limit = match of.read(&text.value, on_purpose) {
        Ok(limit) => limit,
        Err(complaint) => {
            let mut instead = format!("write `{}`", complaint.instead);
            if of.read(&text.value, true).is_ok() {
                instead += ", or `{ limit: …, backwards: true }` where the worse value is wanted";
            }
            ctx.complain(text.part(complaint.at), complaint.what, instead);
            return None;
        }
    };
    let limit = match confidence.map(|percent| limit.clone().with_confidence(percent)) {
        None => limit,
        Some(Ok(limit)) => limit,
        Some(Err(complaint)) => {
            ctx.complain(text.mark, complaint.what, complaint.instead);
            return None;
        }
    };
    let (metric, place) = (of.metric.to_owned(), text.mark.place);
    Some(Threshold { metric, limit, backwards: on_purpose, place })
}

/// The overrides of a header, in order.
pub(super) fn overrides(ctx: &mut ReadContext<'_>, fields: &Fields) -> Vec<Override> {
    let Some(node) = fields.get("overrides").cloned() else { return Vec::new() };
    let Kind::List(items) = &node.kind else {
        let what = format!("`overrides` takes a list, and this is {}", node.kind_name());
        ctx.complain(node.mark, what, "write `- devices: '…'` with `thresholds:` below it");
        return Vec::new();
    };
    let mut overrides = Vec::new();
    for item in items.iter() {
        let Some(entries) = entries(ctx, "overrides", item) else { continue };
        let fields = fields::fields(ctx, "an override", item.mark, entries, &[OVERRIDE]);
        let devices = requirement(ctx, &fields);
        let thresholds = thresholds(ctx, &fields);
        overrides.push(Override { devices, thresholds });
    }
    overrides
}

/// The least change that matters, under `baseline`.
pub(super) fn effect(ctx: &mut ReadContext<'_>, fields: &Fields) -> Option<Effect> {
    let node = fields.get("baseline").cloned()?;
    let entries = entries(ctx, "baseline", &node)?;
    let fields = fields::fields(ctx, "a baseline", node.mark, entries, &[BASELINE]);
    let text = value::scalar(ctx, "mei", fields.get("mei")?)?;
    match Effect::parse(&text.value, Unit::MsPerS) {
        Ok(effect) => Some(effect),
        Err(why) => {
            ctx.complain(text.mark, why.what(), why.instead());
            None
        }
    }
}

/// What becomes of windows with new causes, under `causes`.
pub(super) fn on_new(ctx: &mut ReadContext<'_>, fields: &Fields) -> Option<OnNew> {
    let node = fields.get("causes").cloned()?;
    let entries = entries(ctx, "causes", &node)?;
    let fields = fields::fields(ctx, "causes", node.mark, entries, &[CAUSES]);
    let text = value::scalar(ctx, "new", fields.get("new")?)?;
    let found = OnNew::ALL.into_iter().find(|one| one.word() == text.value);
    if found.is_none() {
        let what = format!("`new` takes fail or warn, not {}", quoted(&text.value));
        ctx.complain(text.mark, what, "write `fail` or `warn`");
    }
    found
}

/// The requirement under `devices`; every phone when it is not given.
pub(super) fn requirement(ctx: &mut ReadContext<'_>, fields: &Fields) -> Requirement {
    let Some(text) = fields.get("devices").and_then(|node| value::scalar(ctx, "devices", node)) else {
        return Requirement::default();
    };
    Requirement::parse(&text.value).unwrap_or_else(|complaint| {
        let mark: Mark = text.part(complaint.at);
        ctx.complain(mark, complaint.what, complaint.instead);
        Requirement::default()
    })
}
