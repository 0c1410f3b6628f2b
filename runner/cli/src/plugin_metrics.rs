//! Limits on what plugins compute, held against the plugins of this run before a phone is touched. Must not know: how
//! plugins are spoken to, nor what a limit comes to.

use crate::command_error::{CommandError, usage};
use farmjank_leaf::nearest::nearest;
use farmjank_leaf::text::line;
use farmjank_process::hooks::PluginHooks;
use farmjank_process::reporter::Started;
use farmjank_results::plugin_metric::{PluginMetric, parts};
use farmjank_results::threshold::Limit;
use farmjank_scenarios::scenario::Scenario;
use farmjank_scenarios::threshold::Threshold;

/// Whether the plugins of this run compute whatever limits are on.
///
/// # Errors
/// The first limit that nobody here can judge, and what to do about it.
pub fn judgeable(
    scenarios: &[Scenario],
    plugins: &[Started],
    hooks: &PluginHooks,
) -> Result<(), CommandError> {
    for scenario in scenarios {
        for limit in scenario.limits() {
            let Some((plugin, name)) = parts(&limit.metric) else { continue };
            let Threshold { metric, place, .. } = limit;
            let at = format!("{}:{}:{}", line(&scenario.file, 200), place.line, place.column);
            let metric = of(plugins, hooks, plugin, name)
                .map_err(|why| usage!("{at}: nobody can judge the limit on `{metric}`: {why}"))?;
            fits(limit, &metric).map_err(|why| usage!("{at}: {why}"))?;
        }
    }
    Ok(())
}

/// What a plugin says of a metric; why it cannot.
fn of(plugins: &[Started], hooks: &PluginHooks, plugin: &str, name: &str) -> Result<PluginMetric, String> {
    let named = || plugins.iter().map(Started::called);
    let Some(started) = plugins.iter().find(|one| one.called() == plugin) else {
        let near = nearest(plugin, named()).map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        return Err(format!(
            "this run has no plugin called {plugin}; start it with `--plugin {plugin}=COMMAND`{near}"
        ));
    };
    let metrics = started.metrics(hooks).map_err(|why| format!("plugin {plugin}: {why}"))?.metrics;
    let known: Vec<&str> = metrics.iter().map(|metric| metric.name.as_str()).collect();
    let found = metrics.iter().find(|metric| metric.name == name).cloned();
    found.ok_or_else(|| {
        let near =
            nearest(name, known.iter().copied()).map(|near| format!("; did you mean {plugin}.{near}?"));
        format!("plugin {plugin} computes {}{}", known.join(", "), near.unwrap_or_default())
    })
}

/// Whether a limit is one on this metric.
fn fits(limit: &Threshold, metric: &PluginMetric) -> Result<(), String> {
    let text = &limit.limit.text;
    let read = Limit::facing(text, metric.unit, metric.better, limit.backwards);
    let wrong = match read {
        Ok(_) => return Ok(()),
        Err(wrong) => wrong,
    };
    let mut instead = text.clone();
    if instead.is_char_boundary(wrong.at.start) && instead.is_char_boundary(wrong.at.end) {
        instead.replace_range(wrong.at.clone(), &wrong.instead);
    }
    Err(format!("`{text}` is no limit on {}: {}; write `{instead}`", limit.metric, wrong.what))
}
