//! Which source a window is watched by.

use crate::device_session::DeviceSession;
use farmjank_results::event::SkippedSource;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::source::Opened;

/// The first source that opens, best first. While the app `comes_up` a worse one than the best is not asked.
pub(super) async fn open(session: &DeviceSession<'_>, comes_up: impl Fn() -> bool) -> Result<Opened, Fault> {
    let mut first: Option<Fault> = None;
    let mut passed_over = Vec::new();
    for source in &session.sources {
        if first.is_some() && comes_up() {
            break;
        }
        if let Err(unfit) = source.offer(session.facts) {
            passed_over.push(SkippedSource { what: source.id().to_string(), why: unfit.0 });
            continue;
        }
        match source.open(&*session.device, session.facts, &session.app).await {
            Ok(mut opened) => {
                opened.passed_over.splice(0..0, passed_over);
                return Ok(opened);
            }
            Err(fault) if fault.is_lost() => return Err(fault),
            Err(fault) => {
                passed_over.push(SkippedSource { what: source.id().to_string(), why: fault.to_string() });
                first.get_or_insert(fault);
            }
        }
    }
    // Every failure to find something to look at may pass: the app may not have drawn yet.
    Err(first.map_or_else(|| no_source(&passed_over), Fault::passing))
}

/// Faults that mean *nothing to look at yet*, and pass when the app draws.
fn no_source(passed_over: &[SkippedSource]) -> Fault {
    let why: Vec<String> = passed_over.iter().map(|over| format!("{}: {}", over.what, over.why)).collect();
    let what = format!("no source can see frames on this phone ({})", why.join("; "));
    Fault::new(FaultCode::NoSource, what)
}
