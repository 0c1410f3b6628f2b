//! Phones nothing was measured on, as `results.json` has them: those that told nothing of themselves, and those a
//! scenario is not for.

use crate::clean::json_text;
use farmjank_results::event::{Absent, Refusal};
use farmjank_results::fault::Blame;
use farmjank_results::record::Record;
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct AbsentShape {
    device: String,
    blame: Blame,
    code: String,
    what: String,
    advice: String,
    /// The run went without it (`--allow-missing`): it has no cell.
    allowed: bool,
}

/// Every one of them, in order of the plan.
pub(super) fn absent(record: &Record) -> Vec<AbsentShape> {
    let shape = |absent: &Absent| AbsentShape {
        device: json_text(&absent.device.0),
        blame: absent.fault.blame,
        code: json_text(absent.fault.code.word()),
        what: json_text(&absent.fault.what),
        advice: json_text(&absent.fault.advice),
        allowed: absent.allowed,
    };
    record.absent.iter().map(shape).collect()
}

#[derive(Serialize)]
pub(super) struct RefusalShape {
    scenario: String,
    device: String,
    why: String,
}

/// Every one of them, in order of the plan.
pub(super) fn refusals(record: &Record) -> Vec<RefusalShape> {
    let shape = |refusal: &Refusal| RefusalShape {
        scenario: json_text(&refusal.scenario),
        device: json_text(&refusal.device.0),
        why: json_text(&refusal.why),
    };
    record.refusals.iter().map(shape).collect()
}
