//! A run as news are told of it.

use farmjank_notify::news::{CellSeen, RunSeen};
use farmjank_reporters::cells::worst_first;
use farmjank_reporters::sentence;
use farmjank_results::cause_life::asked_any;
use farmjank_results::device::DeviceId;
use farmjank_results::record::Record;
use std::collections::BTreeMap;

/// What a record tells. What is in quarantine counts for nobody.
pub fn seen(record: &Record) -> RunSeen {
    let all = worst_first(record);
    let gating = all.iter().filter(|cell| cell.quarantine().is_none());
    let cells = gating.map(|cell| CellSeen {
        scenario: cell.job.planned.scenario.clone(),
        window: cell.name.to_owned(),
        serial: cell.device().map(DeviceId::to_string).unwrap_or_default(),
        phone: sentence::phone(cell),
        verdict: cell.verdict,
        why: sentence::what(cell),
    });
    let found = all.iter().filter_map(|cell| cell.causes()?.causes.as_ref());
    let causes: BTreeMap<String, String> = found
        .flat_map(|found| &found.causes)
        .map(|cause| (cause.fingerprint.clone(), cause.named.title.clone()))
        .collect();
    let lost = record.absent.iter().map(|one| (one.device.to_string(), one.fault.what.clone()));
    let header = &record.header;
    RunSeen {
        run: header.run.clone(),
        verdict: record.verdict,
        exit_code: record.exit_code,
        counts: sentence::counts(&all),
        lab: header.lab.as_ref().map(|lab| format!("virtual lab {lab}: every phone is simulated")),
        causes: asked_any(record).then_some(causes),
        lost: lost.collect(),
        cells: cells.collect(),
    }
}
