//! Whether a broken limit is the app's fault, by SurfaceFlinger's frame timeline of every counted trial
//! (docs/design/trace.md#whose-fault).
//!
//! A breach that is the compositor's or the display's alone is reported and does not fail the app. For hitch time that
//! is told apart exactly: the limit is held against the part of it the app caused. Other metrics on presents are
//! excused only where the app caused no standstill at all. One trial without a trace, or one dropped frame, and there
//! is no excuse.

use crate::event::WindowMeasured;
use crate::judge::{IterationValue, judge};
use crate::metric::{Needs, Reading, Unit};
use crate::metrics;
use crate::threshold::{Limit, Outcome};
use crate::words::amount;

/// Hitch time: what one can be split by culprit.
const SPLIT: [&str; 3] = ["hitch_ms", "hitch_ms_per_s", "ft_hitch_ms_per_s"];

/// Who made the screen stand still, in every counted trial.
pub(crate) struct Excuse {
    /// Per trial, the part of the standstill that is the app's, 0..=1.
    app: Vec<f64>,
    /// Of all trials together, ms.
    app_ms: f64,
    system_ms: f64,
}

impl Excuse {
    /// What the traces tell; none where one is missing, a frame was dropped, or the system cost nothing.
    pub fn of(counted: &[(usize, &WindowMeasured)]) -> Option<Excuse> {
        let list = |trial: &WindowMeasured, key: &str| match trial.readings.get(key) {
            Some(Reading::List(values)) => <[f64; 5]>::try_from(values.as_slice()).ok(),
            _ => None,
        };
        let mut excuse = Excuse { app: Vec::new(), app_ms: 0.0, system_ms: 0.0 };
        for (_, trial) in counted {
            let [.., dropped] = list(trial, "ft_blame")?;
            let [app, compositor, display, ..] = list(trial, "ft_blame_ms")?;
            if dropped > 0.0 {
                return None;
            }
            let system = compositor + display;
            let all = app + compositor + display;
            excuse.app.push(if all > 0.0 { app / all } else { 0.0 });
            (excuse.app_ms, excuse.system_ms) = (excuse.app_ms + app, excuse.system_ms + system);
        }
        (excuse.system_ms > 0.0).then_some(excuse)
    }

    /// Whether the limit holds for what the app itself caused.
    pub fn covers(&self, key: &str, limit: &Limit, counted: &[(usize, &WindowMeasured)]) -> bool {
        let Some(metric) = metrics::find(key) else { return false };
        if SPLIT.contains(&key) {
            let of_app = |((_, trial), share): (&(usize, &WindowMeasured), &f64)| {
                let mut one = IterationValue::of(key, trial);
                one.value = one.value.map(|value| value * share);
                one
            };
            let values: Vec<_> = counted.iter().zip(&self.app).map(of_app).collect();
            return judge(key, metric.unit, limit, &values).outcome == Outcome::Held;
        }
        // The system's own misses, the renderer's stages, launches and the log are what they are.
        self.app_ms == 0.0 && matches!(metric.needs, Needs::Frames | Needs::Vsyncs | Needs::Layers)
    }

    /// Why, in words.
    pub fn words(&self) -> String {
        let system = amount(Some(self.system_ms), Unit::Ms);
        let app = match self.app_ms {
            0.0 => "never through the app".to_owned(),
            ms => format!("{} through the app, which alone would meet the limit", amount(Some(ms), Unit::Ms)),
        };
        format!(
            "the screen stood still for {system} through the compositor or the display and {app}, as SurfaceFlinger \
             judges its frames"
        )
    }
}
