//! Finds an app's layers on a phone, asks each once, and opens a loop on those that print frames.
//!
//! Must not know: which of several living layers is the right one; the sampler sees which of them advances.

use super::latency::{Block, read_latency};
use super::layer::{Candidate, Choice, Kind, belongs, choose};
use super::list::{Listed, read_list};
use super::{CAP, about};
use crate::rhythm::{Ring, fastest, rhythm};
use crate::text::shown;
use farmjank_results::device::{App, DeviceFacts};
use farmjank_results::dump::Dump;
use farmjank_results::event::SkippedSource;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::frame::SourceId;
use farmjank_results::time::{RunTime, Span};
use farmjank_seams::device::Device;
use farmjank_seams::quote::quote;
use farmjank_seams::sampling_loop::{Intake, SamplingLoop, Script};
use farmjank_seams::source::{Opened, Unreadable};
use std::time::Duration;

/// How long the list, and the one cycle of questions, may take. `dumpsys` itself gives up on a service after 10 s.
const PATIENCE: Duration = Duration::from_secs(15);
/// Cost of one dump where the phone's clock could not be read.
const USUAL_COST: Span = Span::from_ms(20);
/// The first sdk whose SurfaceFlinger may keep the 64-frame history, in which a still layer prints no row.
const HISTORY_SDK: u32 = 35;

/// What one candidate answered.
enum Answer {
    /// It prints frames.
    Frames { classic: bool, period: Option<Span> },
    /// The period only.
    Gone,
    /// Zeros only.
    Hollow,
    /// Anything else.
    Bad(Unreadable),
}

struct AskedLayer {
    candidate: Candidate,
    answer: Answer,
    cost: Span,
}

/// Opens a loop on every layer of the app that prints frames, or may yet.
pub(super) async fn open(
    device: &dyn Device,
    facts: &DeviceFacts,
    app: &App,
    pin: Option<&str>,
    seed: u64,
) -> Result<Opened, Fault> {
    let layers = list(device).await?;
    let Choice { candidates, passed_over } = choose(&layers, &app.0, pin);
    let mut passed: Vec<(String, String)> =
        passed_over.into_iter().map(|(name, why)| (name, why.to_owned())).collect();
    if candidates.is_empty() {
        return Err(nothing_listed(&layers, app, pin));
    }
    let asked = ask(device, candidates, seed).await?;
    let classic = asked.iter().any(|layer| match &layer.answer {
        Answer::Frames { classic, .. } => *classic,
        Answer::Hollow => true,
        Answer::Gone | Answer::Bad(_) => false,
    });
    let alive = asked.iter().any(|layer| matches!(layer.answer, Answer::Frames { .. }));
    // In the 64-frame history a layer that stood still prints nothing: it may be the one that moves next.
    let still_counts = alive && !classic && facts.sdk >= HISTORY_SDK;
    let mut kept = Vec::new();
    let mut left = Vec::new();
    for layer in asked {
        match layer.answer {
            Answer::Frames { .. } => kept.push(layer),
            Answer::Gone if still_counts && layer.candidate.kind > Kind::ViewContainer => kept.push(layer),
            // A surface view that has not drawn yet may be the one that moves when the gesture comes.
            Answer::Hollow if alive && layer.candidate.kind > Kind::ViewContainer => kept.push(layer),
            _ => left.push(layer),
        }
    }
    if kept.is_empty() {
        return Err(nothing_alive(&left, app, facts, classic));
    }
    passed.extend(left.iter().map(|layer| (layer.candidate.name.clone(), why(&layer.answer))));
    let passed_over = passed.into_iter().map(|(name, why)| SkippedSource {
        what: format!("{}: {}", SourceId::SurfaceFlinger, shown(name.as_bytes())),
        why,
    });
    Ok(Opened { sampling: sampling(kept, facts, seed), passed_over: passed_over.collect() })
}

fn sampling(kept: Vec<AskedLayer>, facts: &DeviceFacts, seed: u64) -> SamplingLoop {
    let classic = kept
        .iter()
        .all(|layer| matches!(layer.answer, Answer::Frames { classic: true, .. } | Answer::Hollow));
    let reported = kept.iter().filter_map(|layer| match layer.answer {
        Answer::Frames { period, .. } => period,
        _ => None,
    });
    let cost = kept.iter().fold(Span::ZERO, |sum, layer| sum + layer.cost);
    let ring = if classic { Ring::Latency } else { Ring::History };
    let rhythm = rhythm(ring, fastest(facts.fastest_hz(), reported.min()), cost);
    let targets: Vec<String> = kept.into_iter().map(|layer| layer.candidate.name).collect();
    let script = script(&targets, seed);
    SamplingLoop::new(SourceId::SurfaceFlinger, targets, script, rhythm, CAP)
}

fn script(layers: &[String], seed: u64) -> Script {
    let commands = layers.iter().map(|layer| format!("dumpsys SurfaceFlinger --latency {}", quote(layer)));
    Script::new(commands.collect(), seed)
}

async fn list(device: &dyn Device) -> Result<Vec<Listed>, Fault> {
    let output = device.shell("dumpsys SurfaceFlinger --list", PATIENCE).await?;
    let text = if output.out.is_empty() { &output.err } else { &output.out };
    let layers = read_list(text).map_err(|error| unreadable("the list of layers", &error))?;
    if layers.is_empty() || output.status != 0 {
        return Err(Fault::new(
            FaultCode::DumpRefused,
            format!(
                "the phone lists no layers: `dumpsys SurfaceFlinger --list` ended with status {}",
                output.status
            ),
        )
        .passing()
        .advise("see whether the screen is on and run the command by hand"));
    }
    Ok(layers)
}

/// Asks every candidate once, in one shell call.
async fn ask(device: &dyn Device, candidates: Vec<Candidate>, seed: u64) -> Result<Vec<AskedLayer>, Fault> {
    let names: Vec<String> = candidates.iter().map(|candidate| candidate.name.clone()).collect();
    let script = script(&names, seed);
    let output = device.shell(&script.once(), PATIENCE).await?;
    let mut intake = Intake::new(SourceId::SurfaceFlinger, names, script.marker().clone(), CAP);
    let lines = output.out.split(|&byte| byte == b'\n');
    let mut dumps = lines.filter_map(|line| intake.feed(line, RunTime::default())).peekable();
    if dumps.peek().is_none() {
        let said = if output.err.is_empty() { &output.out } else { &output.err };
        return Err(unreadable("the layers", &Unreadable::Garbled(shown(said))));
    }
    let mut asked = Vec::with_capacity(candidates.len());
    let mut candidates = candidates.into_iter();
    for dump in dumps {
        // Dumps come in the order asked; one that was cut is missing.
        let Some(candidate) = candidates.by_ref().find(|candidate| candidate.name == dump.target) else {
            break;
        };
        asked.push(AskedLayer { candidate, answer: answer(&dump), cost: cost(&dump) });
    }
    Ok(asked)
}

fn answer(dump: &Dump) -> Answer {
    match read_latency(&dump.text) {
        Ok(blocks) => Answer::Frames {
            classic: blocks.iter().any(Block::classic),
            period: blocks.iter().filter_map(|block| block.period).min(),
        },
        Err(Unreadable::Missing(_)) => Answer::Gone,
        Err(Unreadable::Empty(_)) => Answer::Hollow,
        Err(other) => Answer::Bad(about(&dump.target, other)),
    }
}

fn cost(dump: &Dump) -> Span {
    match (dump.asked, dump.answered) {
        (Some(asked), Some(answered)) => (answered - asked).max(Span::ZERO),
        _ => USUAL_COST,
    }
}

fn why(answer: &Answer) -> String {
    match answer {
        Answer::Frames { .. } => "prints frames".to_owned(),
        Answer::Gone => "gone: the phone prints only the refresh period for it".to_owned(),
        Answer::Hollow => "a container: every row is zero".to_owned(),
        Answer::Bad(Unreadable::Garbled(what) | Unreadable::Refused(what)) => what.clone(),
        Answer::Bad(Unreadable::Missing(what) | Unreadable::Empty(what)) => what.clone(),
    }
}

/// No layer may show the app.
fn nothing_listed(layers: &[Listed], app: &App, pin: Option<&str>) -> Fault {
    let package = shown(app.0.as_bytes());
    let of_app = layers.iter().filter(|layer| belongs(&layer.name, &app.0)).count();
    let what = match (pin, of_app) {
        (Some(glob), _) => format!(
            "no layer matches `{}` among the {} layers of the phone; {of_app} of them belong to \"{package}\"",
            shown(glob.as_bytes()),
            layers.len()
        ),
        (None, 0) => format!("no layer of \"{package}\" among the {} layers of the phone", layers.len()),
        (None, _) => format!("\"{package}\" has {of_app} layers, and none of them can receive frames"),
    };
    Fault::new(FaultCode::LayerMissing, what).passing().advise(match pin {
        Some(_) => "compare the pinned layer with `dumpsys SurfaceFlinger --list` while the app is in front",
        None => "see whether the app is in front and has drawn; a dialog or popup may draw on a layer of another name: pin it",
    })
}

/// Layers of the app exist, and none prints a frame.
fn nothing_alive(left: &[AskedLayer], app: &App, facts: &DeviceFacts, classic: bool) -> Fault {
    let package = shown(app.0.as_bytes());
    let count = |wanted: fn(&Answer) -> bool| left.iter().filter(|layer| wanted(&layer.answer)).count();
    let hollow = count(|answer| matches!(answer, Answer::Hollow));
    let gone = count(|answer| matches!(answer, Answer::Gone));
    let bad = left.iter().find_map(|layer| match &layer.answer {
        Answer::Bad(error) => Some(error),
        _ => None,
    });
    if let Some(error) = bad.filter(|_| hollow + gone == 0) {
        return unreadable("the app's layers", error);
    }
    if hollow > 0 {
        let names: Vec<String> =
            left.iter().map(|layer| format!("`{}`", shown(layer.candidate.name.as_bytes()))).collect();
        let what =
            format!("no layer of \"{package}\" got a frame yet: every row is zero on {}", names.join(", "));
        let fault = Fault::new(FaultCode::LayerEmpty, what)
            .advise("see whether the app draws at all; its frames may go to a layer of another name: pin it");
        // A window or surface view may still get its first frame; a container never will.
        let may_draw = left.iter().any(|layer| layer.candidate.kind > Kind::ViewContainer);
        return if may_draw { fault.passing() } else { fault };
    }
    let fault = Fault::new(
        FaultCode::LayerMissing,
        format!("\"{package}\" has {gone} layers, but the phone prints only the refresh period for them"),
    );
    fault.passing().advise(if facts.sdk >= HISTORY_SDK && !classic {
        "the app may have stood still for 64 frames of the screen, or this build prints no frames: then use the source gfxinfo"
    } else {
        "the app is being restarted or its window replaced: try again when it is in front"
    })
}

/// A fault for an answer that is not data.
fn unreadable(of: &str, error: &Unreadable) -> Fault {
    let (code, what) = match error {
        Unreadable::Refused(what) => (FaultCode::DumpRefused, what.clone()),
        Unreadable::Garbled(what) | Unreadable::Missing(what) | Unreadable::Empty(what) => {
            (FaultCode::DumpGarbled, format!("the phone answered `{what}`"))
        }
    };
    let fault = Fault::new(code, format!("cannot read {of}: {what}"))
        .advise("run `dumpsys SurfaceFlinger --list` in the phone's shell and compare");
    if crate::refusal::passing(what.as_bytes()) { fault.passing() } else { fault }
}
