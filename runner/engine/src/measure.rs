//! From what was harvested in a window of a trial to its record. Measuring itself is [`farmjank_measure`]'s.

use crate::collect::Harvest;
use crate::device_session::DeviceSession;
use crate::log::WindowLog;
use farmjank_measure::probe_read::SideReadings;
use farmjank_measure::weigh::{Ask, LAUNCH_TOTAL_MS, Measured, weigh};
use farmjank_results::event::WindowMeasured;

/// Measures one window of one trial.
pub fn measure(
    session: &DeviceSession<'_>,
    name: &str,
    ask: Ask<'_>,
    log: &WindowLog,
    harvest: Harvest,
    side_readings: &SideReadings,
) -> Measured {
    let Harvest { mut seen, evidence, fault, .. } = harvest;
    let mut log = log.clone();
    log.handled(seen.handled());
    seen.doubts.extend(fault.map(|fault| fault.to_string()));
    let mut measured = WindowMeasured {
        window: name.to_owned(),
        span: log.from.zip(log.to),
        motions: log.motions(session.scenario.fling_bound),
        clock: Some(session.clock),
        evidence,
        blocked: log.blocked,
        passed_over: side_readings.unavailable.clone(),
        ..WindowMeasured::default()
    };
    let cut = weigh(&mut measured, seen, ask, side_readings);
    if let Some(reading) = log.launch_reading() {
        measured.readings.insert(LAUNCH_TOTAL_MS.into(), reading);
    }
    Measured::of(measured, cut)
}
