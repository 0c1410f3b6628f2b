//! A cell: the smallest thing numbers may be compared within (docs/design/statistics.md#cells). Two numbers with
//! different keys answer different questions, so they never meet; [`CellKey::differs`] says in words what stands
//! between them. Where runs are only laid side by side, such numbers do meet, and [`Conditions::differs`] says what to
//! hold against that.

use crate::compare::Effect;
use crate::device::DeviceId;
use serde::{Deserialize, Serialize};

/// What must be equal before two sessions are compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CellKey {
    /// Model of the phone, `ro.product.model`. Several phones of one model are sessions of one cell.
    pub model: String,
    /// Build of the phone's system, `ro.build.fingerprint`.
    pub build: String,
    /// Refresh rate in force over the counted motion, whole Hz.
    pub refresh: u32,
    /// Name of the scenario.
    pub scenario: String,
    /// Hash of the scenario's content (hex).
    pub hash: String,
    /// Name of the window.
    pub window: String,
    /// Metric key.
    pub metric: String,
    /// Version of the metric's definition, from 1.
    pub metric_version: u32,
    /// Frame source the numbers come from.
    pub source: String,
}

/// One session of a cell: what one run measured on one phone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellSession {
    /// The cell.
    pub key: CellKey,
    /// Id of the run.
    pub run: String,
    /// Wall time of the run's start, RFC 3339 in UTC.
    pub wall: String,
    /// The phone.
    pub device: DeviceId,
    /// Version of the app under test, where known.
    pub app_version: Option<String>,
    /// One value per counted iteration that is not void, in order, in the metric's unit.
    pub values: Vec<f64>,
    /// Time in motion of each such iteration, s; rates of rare events are per this time.
    pub seconds: Vec<f64>,
    /// Causes of the void iterations, one each; causes are recorded before a result is looked at.
    pub void: Vec<String>,
    /// The least change that matters, where the scenario says one; of the metric that decides in its window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
}

impl CellKey {
    /// What differs between two keys, in words and in order of the fields: `OS build`, `refresh rate`, …; empty when
    /// equal.
    pub fn differs(&self, other: &CellKey) -> Vec<&'static str> {
        let fields = [
            (self.model != other.model, "phone model"),
            (self.build != other.build, "OS build"),
            (self.refresh != other.refresh, "refresh rate"),
            (self.scenario != other.scenario, "scenario"),
            (self.hash != other.hash, "content of the scenario"),
            (self.window != other.window, "window"),
            (self.metric != other.metric, "metric"),
            (self.metric_version != other.metric_version, "definition of the metric"),
            (self.source != other.source, "frame source"),
        ];
        fields.into_iter().filter(|(differs, _)| *differs).map(|(_, words)| words).collect()
    }
}

/// What a window was measured under in one run, scenario, window and phone apart: those are what runs are matched by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conditions<'a> {
    /// Hash of the scenario's content (hex).
    pub hash: &'a str,
    /// App under test.
    pub app: &'a str,
    /// Build of the phone's system; none where nothing is known of the phone.
    pub build: Option<&'a str>,
    /// Refresh rate of the first counted iteration that knows one, whole Hz.
    pub refresh: Option<i64>,
    /// The phone is simulated.
    pub simulated: bool,
}

impl Conditions<'_> {
    /// What differs, in words; empty where the numbers answer one question. Refresh rates differ only where both are
    /// known.
    pub fn differs(&self, other: &Conditions) -> Vec<&'static str> {
        let rates = self.refresh.zip(other.refresh);
        let fields = [
            (self.hash != other.hash, "content of the scenario"),
            (self.app != other.app, "app"),
            (self.build != other.build, "OS build"),
            (rates.is_some_and(|(one, another)| one != another), "refresh rate"),
            (self.simulated != other.simulated, "simulated or real"),
        ];
        fields.into_iter().filter(|(differs, _)| *differs).map(|(_, words)| words).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_what_differs() {
        let key = CellKey {
            model: "Pixel 7".into(),
            build: "a".into(),
            refresh: 90,
            scenario: "Home feed".into(),
            hash: "00".into(),
            window: "fling".into(),
            metric: "hitch_ms_per_s".into(),
            metric_version: 1,
            source: "surfaceflinger".into(),
        };
        assert!(key.differs(&key).is_empty());
        let other = CellKey { build: "b".into(), refresh: 120, ..key.clone() };
        assert_eq!(key.differs(&other), ["OS build", "refresh rate"]);
    }

    #[test]
    fn runs_side_by_side_differ_in_what_they_were_measured_under() {
        let one =
            Conditions { hash: "00", app: "com.shop", build: Some("a"), refresh: Some(90), simulated: false };
        assert!(one.differs(&one).is_empty());
        assert!(
            one.differs(&Conditions { refresh: None, ..one }).is_empty(),
            "an unknown rate differs from none"
        );
        let other =
            Conditions { hash: "01", app: "com.shop.beta", build: None, refresh: Some(120), simulated: true };
        let all = ["content of the scenario", "app", "OS build", "refresh rate", "simulated or real"];
        assert_eq!(one.differs(&other), all);
    }
}
