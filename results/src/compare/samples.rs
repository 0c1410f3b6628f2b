//! Sessions for tests.

use crate::cell::{CellKey, CellSession};
use crate::device::DeviceId;

/// A session of hitch times on a Pixel 7.
pub(crate) fn session(run: &str, device: &str, values: &[f64]) -> CellSession {
    let own = str::to_owned;
    CellSession {
        key: CellKey {
            model: own("Pixel 7"),
            build: own("google/panther:14/AP1A/1:user/release-keys"),
            refresh: 90,
            scenario: own("Home feed"),
            hash: own("00"),
            window: own("fling the feed"),
            metric: own("hitch_ms_per_s"),
            metric_version: 1,
            source: own("surfaceflinger"),
        },
        run: own(run),
        wall: own("2026-03-01T00:00:00Z"),
        device: DeviceId(own(device)),
        app_version: None,
        values: values.to_vec(),
        seconds: vec![20.0; values.len()],
        void: Vec::new(),
        effect: None,
    }
}
