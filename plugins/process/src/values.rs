//! What a plugin may say of metrics: what its hello lists, how it is asked about a window, what its answer comes to.

use crate::limits::WORDS;
use crate::misdeed::Misdeed;
use farmjank_leaf::text::{line, typed};
use farmjank_results::device::DeviceId;
use farmjank_results::event::JobId;
use farmjank_results::frame::SourceId;
use farmjank_results::metric::{Reading, Unit};
use farmjank_results::plugin_metric::{self, FrameTold, PluginAsked, PluginMetric};
use farmjank_seams::window_asked::WindowAsked;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What a plugin offers to compute metrics.
pub const METRICS: &str = "metrics";
/// Most metrics of one plugin.
const MOST: usize = 100;
/// Longest line on what one means, characters.
const ABOUT: usize = 200;

/// What its hello says of its metrics, made safe to show.
///
/// # Errors
/// One that cannot be a metric, or none at all.
pub(crate) fn offered(metrics: Vec<PluginMetric>) -> Result<Vec<PluginMetric>, Misdeed> {
    let wrong = |what: String| Err(Misdeed::NoMessage(what));
    if metrics.is_empty() || metrics.len() > MOST {
        let found = metrics.len();
        return wrong(format!("a hello that offers `metrics` and lists {found} of them, not 1 to {MOST}"));
    }
    let mut names = BTreeSet::new();
    for PluginMetric { name, about, .. } in &metrics {
        let shown = typed(name, WORDS);
        if !plugin_metric::is_name(name) {
            let form = "small letters, digits and `_`, at most 40, a letter first";
            return wrong(format!("a metric called `{shown}`; its name has {form}"));
        }
        if about.trim().is_empty() {
            return wrong(format!("a metric `{shown}` without `about`, a line on what it means"));
        }
        if !names.insert(name) {
            return wrong(format!("the metric `{shown}` twice"));
        }
    }
    let safe = |metric: PluginMetric| PluginMetric { about: line(&metric.about, ABOUT), ..metric };
    Ok(metrics.into_iter().map(safe).collect())
}

/// What a plugin says of a window.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Values {
    /// Its numbers by metric; none where there is none.
    pub values: BTreeMap<String, Option<f64>>,
    /// Why there is none.
    #[serde(default)]
    pub why: BTreeMap<String, String>,
}

impl Values {
    /// A reading of each of its metrics, by key.
    pub(crate) fn readings(&self, asked: &PluginAsked) -> BTreeMap<String, Reading> {
        let reading = |metric: &PluginMetric| (asked.key(&metric.name), self.reading(&asked.plugin, metric));
        asked.metrics.iter().map(reading).collect()
    }

    fn reading(&self, plugin: &str, metric: &PluginMetric) -> Reading {
        match self.number(metric) {
            Ok(Ok(value)) => Reading::Value(value),
            Ok(Err(why)) | Err(why) => Reading::Unmeasurable(format!("plugin {plugin}: {why}").into()),
        }
    }

    /// Its number, or why it says that there is none.
    ///
    /// # Errors
    /// It says neither, or what can be no number of this metric.
    fn number(&self, metric: &PluginMetric) -> Result<Result<f64, String>, String> {
        let most = match metric.unit {
            Unit::Percent => 100.0,
            Unit::Ratio => 1.0,
            _ => f64::MAX,
        };
        match (self.values.get(&metric.name), self.why.get(&metric.name)) {
            (Some(Some(value)), _) if (0.0..=most).contains(value) => Ok(Ok(*value)),
            (Some(Some(value)), _) if *value < 0.0 => {
                Err(format!("it said {value}, and no metric is negative"))
            }
            (Some(Some(value)), _) => {
                Err(format!("it said {value}, and {most} is the most of {}", metric.unit))
            }
            (_, Some(why)) if !why.trim().is_empty() => Ok(Err(line(why, WORDS))),
            (Some(None), _) => Err("it said neither a number nor why there is none".to_owned()),
            (None, _) => Err("its answer does not have it".to_owned()),
        }
    }

    /// What is wrong with it as an answer of a plugin with these metrics.
    pub(crate) fn wrong(&self, metrics: &[PluginMetric]) -> Option<String> {
        let wrong = |metric: &PluginMetric| Some(format!("{}: {}", metric.name, self.number(metric).err()?));
        metrics.iter().find_map(wrong)
    }
}

/// The windows a plugin was asked about, and its answers nobody took yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Windows {
    asked: BTreeSet<u64>,
    answers: BTreeMap<u64, Values>,
    open: usize,
}

impl Windows {
    /// It is asked with this id.
    pub fn ask(&mut self, id: u64) {
        self.asked.insert(id);
        self.open += 1;
    }

    /// It answered.
    ///
    /// # Errors
    /// Nobody asked, or it says what it does not offer.
    pub fn answered(&mut self, id: u64, said: Values, offered: &[PluginMetric]) -> Result<(), Misdeed> {
        if !self.asked.contains(&id) || self.answers.contains_key(&id) {
            return Err(Misdeed::NoMessage(format!("an answer to {id}, which nobody asks")));
        }
        let mut names = said.values.keys().chain(said.why.keys());
        if let Some(other) = names.find(|name| offered.iter().all(|metric| metric.name != **name)) {
            let name = typed(other, WORDS);
            return Err(Misdeed::NoMessage(format!("the metric `{name}`, which its hello does not list")));
        }
        self.answers.insert(id, said);
        self.open -= 1;
        Ok(())
    }

    /// Whether this is the id of a window.
    pub fn has(&self, id: u64) -> bool {
        self.asked.contains(&id)
    }

    /// How many it was asked about.
    pub fn len(&self) -> usize {
        self.asked.len()
    }

    /// Whether an answer is to come.
    pub fn wait(&self) -> bool {
        self.open > 0
    }

    /// The answer with this id.
    pub fn answer(&self, id: u64) -> Option<&Values> {
        self.answers.get(&id)
    }
}

/// A question about a window.
#[derive(Serialize)]
struct MeasureLine<'m> {
    farmjank: &'static str,
    id: u64,
    job: JobId,
    scenario: &'m str,
    device: &'m DeviceId,
    trial: u32,
    window: &'m str,
    begin_ns: Option<i64>,
    end_ns: Option<i64>,
    refresh_hz: Option<f64>,
    coverage: Option<CoverageTold<'m>>,
    frames: &'m [FrameTold],
}

#[derive(Serialize)]
struct CoverageTold<'m> {
    proved: bool,
    share: f64,
    frames_seen: u64,
    source: SourceId,
    layer: Option<&'m str>,
}

/// A question as a line, its end included; the answer has the same `id`.
pub(crate) fn measure_line(asked: &WindowAsked<'_>, frames: &[FrameTold], id: u64) -> Vec<u8> {
    let WindowAsked { job, scenario, device, trial, measured, .. } = *asked;
    let coverage = measured.coverage.as_ref().map(|coverage| CoverageTold {
        proved: coverage.proved,
        share: coverage.share,
        frames_seen: coverage.frames_seen,
        source: coverage.source,
        layer: coverage.layer.as_deref(),
    });
    let line = MeasureLine {
        farmjank: "measure",
        id,
        job,
        scenario,
        device,
        trial,
        window: &measured.window,
        begin_ns: measured.span.map(|(begin, _)| begin.ns()),
        end_ns: measured.span.map(|(_, end)| end.ns()),
        refresh_hz: measured.refresh_hz,
        coverage,
        frames,
    };
    // Texts and numbers alone: nothing in it can fail.
    let mut line = serde_json::to_vec(&line).unwrap_or_default();
    line.push(b'\n');
    line
}
