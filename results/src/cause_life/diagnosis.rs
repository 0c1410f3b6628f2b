//! A run, window by window and phone by phone: what its diagnosis tells of causes, or why it tells nothing.
//!
//! A diagnosis tells only where it is whole: a window that is void in it, frames whose events were lost, or anything
//! else that keeps the answer from being whole make it tell nothing, since what it does not show could be there.

use super::Amount;
use crate::cell::Conditions;
use crate::compare::panel_rate;
use crate::device::{DeviceFacts, DeviceId};
use crate::event::WindowMeasured;
use crate::hitch_causes::{HitchCause, HitchCauses, NamedCause};
use crate::record::{JobRecord, Record, WindowCauses};
use crate::time::Span;
use crate::verdict::Verdict;
use crate::window_causes::whole;

/// A window on phones of a class: what builds and nights are matched by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the window.
    pub window: String,
    /// [`DeviceFacts::class`] of the phones.
    pub class: String,
}

/// What it was looked at under.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Under {
    /// Hash of the scenario's content (hex).
    pub hash: String,
    /// App under test.
    pub app: String,
    /// Build of the phone's system.
    pub build: String,
    /// Refresh rate in force while the content moved, whole Hz; none where no iteration knows one.
    pub refresh: Option<u32>,
    /// The phone is simulated.
    pub simulated: bool,
}

impl Under {
    /// What differs, in words.
    pub fn differs(&self, other: &Under) -> Vec<&'static str> {
        self.conditions().differs(&other.conditions())
    }

    fn conditions(&self) -> Conditions<'_> {
        let Under { hash, app, build, refresh, simulated } = self;
        let (build, refresh) = (Some(build.as_str()), refresh.map(i64::from));
        Conditions { hash, app, build, refresh, simulated: *simulated }
    }
}

/// A cause in one diagnosis.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenCause {
    /// Its fingerprint.
    pub fingerprint: String,
    /// What it is.
    pub named: NamedCause,
    /// How much of it there is.
    pub amount: Amount,
}

/// What a whole diagnosis tells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeenCauses {
    /// Motion that was looked at.
    pub motion: Span,
    /// Late frames.
    pub late_frames: u32,
    /// Time they were late by, µs.
    pub hitch_us: i64,
    /// Causes, most first.
    pub causes: Vec<SeenCause>,
    /// The most that a cause can have that is in no list, because its log leaves out smaller ones, µs; 0 where all are
    /// listed.
    pub left_out_us: i64,
    /// Call stacks named methods in it: the same code and waits are called otherwise without. Not known of nights.
    pub methods: bool,
}

impl SeenCauses {
    /// How much of a cause there is; none where it may be there among those left out.
    pub fn amount(&self, fingerprint: &str) -> Option<Amount> {
        let found = self.causes.iter().find(|one| one.fingerprint == fingerprint);
        let most = Amount { us: self.left_out_us, ..Amount::nothing(self.motion) };
        let nothing = (!most.is_there()).then(|| Amount::nothing(self.motion));
        found.map(|one| one.amount).or(nothing)
    }
}

/// One window on one phone in one run.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowDiagnosis {
    /// The window and the class of the phone.
    pub spot: Spot,
    /// What it was looked at under.
    pub under: Under,
    /// The phone.
    pub device: DeviceId,
    /// Version of the app, where known.
    pub app_version: Option<String>,
    /// It was asked why frames were late.
    pub asked: bool,
    /// What is told of causes, or why nothing.
    pub seen: Result<SeenCauses, String>,
}

/// Whether any window of a run was asked why its frames were late.
pub fn asked_any(record: &Record) -> bool {
    record.jobs.values().any(|job| !job.causes.is_empty())
}

/// Every window of a run on every phone that is known, in order of its plan.
pub fn diagnoses(record: &Record) -> Vec<WindowDiagnosis> {
    let mut all = Vec::new();
    for job in record.jobs.values() {
        let facts = job.planned.device.as_ref().and_then(|device| record.devices.get(device));
        let Some(facts) = facts else { continue };
        let simulated = record.header.lab.is_some() || facts.is_virtual;
        all.extend(job.planned.windows.iter().map(|window| of(job, facts, &window.name, simulated)));
    }
    all
}

fn of(job: &JobRecord, facts: &DeviceFacts, window: &str, simulated: bool) -> WindowDiagnosis {
    let asked = job.causes(window);
    let traced = asked.and_then(|asked| traced(job, asked));
    let counted = job.trials.iter().filter(|trial| trial.counted);
    let counted = counted.flat_map(|trial| &trial.windows).filter(|one| one.window == window);
    let mut measured = traced.into_iter().chain(counted);
    let refresh = measured.clone().find_map(|one| panel_rate(facts, one));
    let app_version = measured.find_map(|one| one.around.as_ref()?.app_version.clone());
    let (planned, class) = (&job.planned, facts.class());
    WindowDiagnosis {
        spot: Spot { scenario: planned.scenario.clone(), window: window.to_owned(), class },
        under: Under {
            hash: planned.hash.clone(),
            app: planned.app.clone(),
            build: facts.fingerprint.clone(),
            refresh,
            simulated,
        },
        device: facts.id.clone(),
        app_version,
        asked: asked.is_some(),
        seen: asked.map_or_else(|| Err(not_asked(job, window)), |asked| seen(asked, traced)),
    }
}

/// The window in the trial that was made to see why its frames are late.
fn traced<'r>(job: &'r JobRecord, asked: &WindowCauses) -> Option<&'r WindowMeasured> {
    let trial = job.diagnoses.iter().rfind(|trial| trial.trial == asked.trial)?;
    trial.windows.iter().find(|window| window.window == asked.window)
}

fn not_asked(job: &JobRecord, window: &str) -> String {
    let judged = job.windows.iter().find(|judged| judged.window == window);
    match judged.map(|judged| judged.verdict) {
        Some(Verdict::Pass) => "it passed, and was not asked why its frames were late",
        _ if job.fault.is_some() => "its job ended in a fault before it was asked why its frames were late",
        _ => "it was not asked why its frames were late",
    }
    .to_owned()
}

fn seen(asked: &WindowCauses, traced: Option<&WindowMeasured>) -> Result<SeenCauses, String> {
    let no_reason = || "no reason is given".to_owned();
    let found = asked.causes.as_ref().ok_or_else(|| asked.reason.clone().unwrap_or_else(no_reason))?;
    if let Some(void) = traced.and_then(|window| window.void.as_ref()) {
        return Err(format!("the window is void in its diagnosis: {void}"));
    }
    let motion = whole(found).map_err(|why| why.to_string())?;
    let cause = |one: &HitchCause| SeenCause {
        fingerprint: one.fingerprint.clone(),
        named: one.named.clone(),
        amount: Amount { us: one.us, frames: one.frames, squares: squares(found, one), motion },
    };
    Ok(SeenCauses {
        motion,
        late_frames: found.late_frames,
        hitch_us: found.hitch_us,
        causes: found.causes.iter().map(cause).collect(),
        methods: found.stacks.as_ref().is_some_and(|stacks| stacks.taken > 0),
        left_out_us: match found.causes.last() {
            // Of several put together, the least that is listed says nothing of what one of them left out.
            Some(least) if asked.iterations.is_empty() => least.us.min(found.smaller_us),
            _ => found.smaller_us,
        },
    })
}

/// Sum of the squares of a cause's parts, µs²: of the frames that are told, and of the rest as if it were even, which
/// is the least it can be. Those left out are the frames that were late by least.
fn squares(found: &HitchCauses, cause: &HitchCause) -> f64 {
    let parts = found.frames.iter().filter_map(|frame| frame.charged.as_ref()).flat_map(|told| &told.causes);
    let parts: Vec<f64> = parts.filter(|part| part.named == cause.named).map(|part| part.us as f64).collect();
    let (count, sum) = (parts.len() as f64, parts.iter().sum::<f64>());
    let (more, rest) = (f64::from(cause.frames) - count, (cause.us as f64 - sum).max(0.0));
    parts.iter().map(|part| part * part).sum::<f64>()
        + if rest > 0.0 { rest * rest / more.max(1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hitch_causes::{Confidence, FrameCause, FrameCauses, Group, LateFrame};
    use crate::time::BootTime;

    fn named() -> NamedCause {
        let (kind, object) = ("lock.monitor".to_owned(), "\"db\" in Db.flush".to_owned());
        NamedCause { kind, group: Group::Waiting, title: String::new(), thread: "main".to_owned(), object }
    }

    fn frame(us: Option<i64>) -> LateFrame {
        let cause = |us| FrameCause { named: named(), us, took_us: us, usual_us: 0, detail: String::new() };
        let charged = us.map(|us| FrameCauses {
            causes: vec![cause(us)],
            smaller: 0,
            smaller_us: 0,
            unexplained_us: 0,
            confidence: Confidence::Sure,
        });
        LateFrame {
            token: 1,
            process: 2,
            layer: String::new(),
            shown_at: BootTime::from_ns(0),
            present: None,
            hitch_us: us.unwrap_or(1),
            reason: charged.is_none().then(|| "events were lost".to_owned()),
            charged,
        }
    }

    fn found(frames: Vec<LateFrame>, us: i64, count: u32) -> HitchCauses {
        let cause = HitchCause {
            named: named(),
            fingerprint: "f".to_owned(),
            us,
            frames: count,
            usual_us: 0,
            detail: String::new(),
            method: String::new(),
            owner: None,
            confidence: Confidence::Sure,
        };
        let motion = Some(Span::from_ms(1_000));
        let (causes, in_time) = (vec![cause], 100);
        HitchCauses { causes, frames, motion, late_frames: count, in_time, ..HitchCauses::default() }
    }

    fn answer(causes: HitchCauses) -> Result<SeenCauses, String> {
        let (causes, reason) = (Some(causes), None);
        seen(&WindowCauses { trial: 2, causes, reason, ..WindowCauses::default() }, None)
    }

    #[test]
    fn squares_are_of_the_frames_told_and_of_the_rest_as_if_it_were_even() {
        let told = answer(found(vec![frame(Some(30)), frame(Some(10))], 60, 4)).expect("a whole one");
        assert_eq!(told.causes[0].amount.squares, 900.0 + 100.0 + 20.0 * 20.0 / 2.0);
        assert_eq!(told.left_out_us, 0);
        let cut = HitchCauses { smaller: 3, smaller_us: 50, ..found(vec![frame(Some(30))], 30, 1) };
        assert_eq!(answer(cut).expect("a whole one").left_out_us, 30);
        let whole = answer(found(vec![frame(Some(30)), frame(Some(30))], 60, 2)).expect("a whole one");
        assert_eq!(whole.causes[0].amount.squares, 1_800.0);
    }

    #[test]
    fn what_is_not_whole_tells_nothing_and_says_why() {
        let sound = found(vec![frame(Some(30))], 30, 1);
        let why = |causes: HitchCauses| answer(causes).expect_err("not whole");
        assert!(why(found(vec![frame(Some(30)), frame(None)], 30, 2)).ends_with("events were lost"));
        assert!(why(HitchCauses { unknown_us: 5, ..sound.clone() }).contains("late frames"));
        assert!(
            why(HitchCauses { doubts: vec!["a doubt".to_owned()], ..sound.clone() }).ends_with("a doubt")
        );
        assert!(why(HitchCauses { in_time: 7, ..sound.clone() }).contains("7 frames in time"));
        assert!(why(HitchCauses { motion: None, ..sound.clone() }).contains("nothing moved"));
        let void = WindowMeasured { void: Some("it crashed".to_owned()), ..WindowMeasured::default() };
        let asked = WindowCauses { trial: 2, causes: Some(sound), ..WindowCauses::default() };
        assert!(seen(&asked, Some(&void)).is_err_and(|why| why.ends_with("it crashed")));
        let unknown = WindowCauses { causes: None, reason: Some("too old".to_owned()), ..asked };
        assert_eq!(seen(&unknown, None), Err("too old".to_owned()));
    }

    #[test]
    fn a_cause_that_may_be_among_those_left_out_is_not_absent() {
        let told = answer(found(vec![frame(Some(30))], 30, 1)).expect("a whole one");
        assert_eq!(told.amount("other"), Some(Amount::nothing(told.motion)));
        // In a second of motion 1 ms is there, and less is not.
        assert_eq!(SeenCauses { left_out_us: 1_000, ..told.clone() }.amount("other"), None);
        assert!(SeenCauses { left_out_us: 999, ..told }.amount("other").is_some());
    }
}
