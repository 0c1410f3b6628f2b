//! The words of launches: what is measured of them beside frames.

use farmjank_results::metric::{Better, Unit};

/// Metrics of a launch, read from `am start -W`, beside the registry of frame metrics.
pub(crate) const LAUNCH_METRICS: &[(&str, Unit, Better)] = &[("launch_total_ms", Unit::Ms, Better::Lower)];

/// True for the metrics of [`LAUNCH_METRICS`].
pub(crate) fn is_launch_metric(key: &str) -> bool {
    LAUNCH_METRICS.iter().any(|(name, _, _)| *name == key)
}

/// The window that holds launches outside every `measure`.
pub(crate) const LAUNCH_WINDOW: &str = "launch";
