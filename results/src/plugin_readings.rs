//! What plugins said of a window beside its readings: what their metrics are, and which numbers stand when it is
//! measured once more.

use crate::event::WindowMeasured;
use crate::metric::Reading;
use crate::plugin_metric::{PluginAsked, PluginMetric, hash, parts, told};
use crate::window::Window;

/// Why nobody knows what a metric is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Undescribed {
    /// It is of no plugin.
    #[error("it is no metric of a plugin")]
    Ours,
    /// No window says it.
    #[error("no plugin {0} said what it is")]
    Unsaid(String),
    /// Windows say different things of it.
    #[error("plugin {0} did not always say the same of it")]
    Changed(String),
}

/// What plugins say of the metric of a key in these windows.
///
/// # Errors
/// Nobody said it, or not always the same.
pub fn described<'w>(
    key: &str,
    windows: impl IntoIterator<Item = &'w WindowMeasured>,
) -> Result<&'w PluginMetric, Undescribed> {
    let (plugin, name) = parts(key).ok_or(Undescribed::Ours)?;
    let own = |one: &&PluginAsked| one.plugin == plugin;
    let all = windows.into_iter().flat_map(|window| window.plugins.iter().filter(own));
    let mut said = all.flat_map(|one| one.metrics.iter().filter(|metric| metric.name == name));
    let first = said.next().ok_or_else(|| Undescribed::Unsaid(plugin.to_owned()))?;
    match said.find(|other| (other.unit, other.better) != (first.unit, first.better)) {
        Some(_) => Err(Undescribed::Changed(plugin.to_owned())),
        None => Ok(first),
    }
}

/// Carries what plugins answered into a window that was measured once more: where its frames are the same still. Nobody
/// can be asked again.
pub fn carry(recorded: &WindowMeasured, window: &mut WindowMeasured, cut: Option<&Window>) {
    window.plugins.clone_from(&recorded.plugins);
    let now = cut.filter(|cut| cut.coverage.proved).map(|cut| hash(&told(cut)));
    for asked in &recorded.plugins {
        for metric in &asked.metrics {
            let key = asked.key(&metric.name);
            let then = recorded.readings.get(key.as_str()).cloned();
            let reading = match then {
                Some(Reading::Value(_)) if asked.frames.is_none() || asked.frames != now => {
                    let plugin = &asked.plugin;
                    let why = format!(
                        "the frames are not those that plugin {plugin} was told; only a new run asks it"
                    );
                    Reading::Unmeasurable(why.into())
                }
                Some(reading) => reading,
                None => continue,
            };
            window.readings.insert(key.into(), reading);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::{Better, Unit};

    fn window(unit: Unit) -> WindowMeasured {
        let metric = PluginMetric {
            name: "uneven".into(),
            unit,
            better: Better::Lower,
            about: "uneven frames".into(),
        };
        let asked = PluginAsked { plugin: "a.b".into(), version: None, metrics: vec![metric], frames: None };
        WindowMeasured { plugins: vec![asked], ..WindowMeasured::default() }
    }

    #[test]
    fn what_a_metric_is_must_be_said_and_always_the_same() {
        let (ms, count) = (window(Unit::Ms), window(Unit::Count));
        assert_eq!(described("a.b.uneven", [&ms, &ms]).unwrap().unit, Unit::Ms);
        assert_eq!(
            described("a.b.uneven", [&ms, &count]).unwrap_err().to_string(),
            "plugin a.b did not always say the same of it"
        );
        assert_eq!(described("x.uneven", [&ms]).unwrap_err().to_string(), "no plugin x said what it is");
    }

    #[test]
    fn a_number_is_carried_with_its_frames_alone() {
        let mut recorded = window(Unit::Ms);
        recorded.readings.insert("a.b.uneven".into(), Reading::Value(3.0));
        recorded.plugins[0].frames = Some("0".into());
        let mut again = WindowMeasured::default();
        carry(&recorded, &mut again, None);
        assert_eq!(again.plugins, recorded.plugins);
        let Some(Reading::Unmeasurable(why)) = again.readings.get("a.b.uneven") else { panic!("{again:?}") };
        assert_eq!(&**why, "the frames are not those that plugin a.b was told; only a new run asks it");
    }
}
