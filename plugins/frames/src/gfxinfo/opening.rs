//! Asks an app for its framestats once and opens a loop on it.
//!
//! Must not know: which of several windows is the right one; the sampler sees which of them advances.

use super::{CAP, about, read_framestats};
use crate::rhythm::{Ring, fastest, rhythm};
use crate::text::shown;
use farmjank_results::device::{App, DeviceFacts};
use farmjank_results::event::SkippedSource;
use farmjank_results::fault::{Blame, Fault, FaultCode};
use farmjank_results::frame::SourceId;
use farmjank_results::time::{RunTime, Span};
use farmjank_seams::device::Device;
use farmjank_seams::quote::quote;
use farmjank_seams::sampling_loop::{Intake, SamplingLoop, Script};
use farmjank_seams::source::{Opened, Unreadable};
use std::time::Duration;

/// How long the first dump may take. The system gives up on an app after 5 s, `dumpsys` on the service after 10 s.
const PATIENCE: Duration = Duration::from_secs(15);
/// Cost of one dump where the phone's clock could not be read.
const USUAL_COST: Span = Span::from_ms(40);

/// Opens a loop on the app's windows.
pub(super) async fn open(
    device: &dyn Device,
    facts: &DeviceFacts,
    app: &App,
    seed: u64,
) -> Result<Opened, Fault> {
    let script = Script::new(vec![format!("dumpsys gfxinfo {} framestats", quote(&app.0))], seed);
    let output = device.shell(&script.once(), PATIENCE).await?;
    let targets = vec![app.0.clone()];
    let mut intake = Intake::new(SourceId::Gfxinfo, targets.clone(), script.marker().clone(), CAP);
    let dump = output.out.split(|&byte| byte == b'\n').find_map(|line| intake.feed(line, RunTime::default()));
    let Some(dump) = dump else {
        let said = if output.err.is_empty() { &output.out } else { &output.err };
        return Err(fault(about(&app.0, Unreadable::Garbled(shown(said)))));
    };
    let windows = read_framestats(&dump.text, None).map_err(|error| fault(about(&app.0, error)))?;
    let drawn = |window: &super::Window| {
        window.sample.rows.len() as u32 + window.sample.ignored_rows + window.sample.invalid_rows
    };
    if windows.iter().all(|window| drawn(window) == 0) {
        return Err(fault(Unreadable::Empty(format!(
            "HWUI drew no frame in the {} windows of \"{}\": it draws by itself (Flutter, Unity, games, video, web views), \
             or nothing was drawn since its counters were reset",
            windows.len(),
            shown(app.0.as_bytes())
        ))));
    }
    let cost = match (dump.asked, dump.answered) {
        (Some(asked), Some(answered)) => (answered - asked).max(Span::ZERO),
        _ => USUAL_COST,
    };
    let reported = windows.iter().filter_map(|window| window.sample.period).min();
    let rhythm = rhythm(Ring::Framestats, fastest(facts.fastest_hz(), reported), cost);
    let hidden = windows.iter().filter(|window| !window.visible() || drawn(window) == 0);
    let passed_over = hidden.map(|window| SkippedSource {
        what: format!("{}: {}", SourceId::Gfxinfo, window.name()),
        why: if window.visible() {
            "has drawn nothing".to_owned()
        } else {
            "is not visible; shows only its history".to_owned()
        },
    });
    let passed_over = passed_over.collect();
    Ok(Opened { sampling: SamplingLoop::new(SourceId::Gfxinfo, targets, script, rhythm, CAP), passed_over })
}

fn fault(error: Unreadable) -> Fault {
    match error {
        Unreadable::Missing(what) => Fault::new(FaultCode::AppMissing, what)
            .passing()
            .advise("see whether the app id is right and the app is started before it is measured"),
        Unreadable::Empty(what) => Fault::new(FaultCode::LayerEmpty, what)
            .advise("use the source surfaceflinger, which sees every app"),
        Unreadable::Refused(what) => {
            let passing = crate::refusal::passing(what.as_bytes());
            let blame = if what.contains("while dumping") { Blame::App } else { Blame::Lab };
            let fault = Fault::new(FaultCode::DumpRefused, what)
                .blamed_on(blame)
                .advise("see whether the app still responds to touch");
            if passing { fault.passing() } else { fault }
        }
        Unreadable::Garbled(what) => Fault::new(FaultCode::DumpGarbled, what)
            .advise("run `dumpsys gfxinfo PACKAGE framestats` in the phone's shell and compare"),
    }
}
