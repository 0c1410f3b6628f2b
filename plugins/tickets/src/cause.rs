//! The causes of a run, each over all windows and phones it was found on.
//!
//! Only diagnoses that are whole count; what others show is remembered, so that nothing is thought to be gone that is
//! there. Stalls without a frame have no tickets. Times are µs.

use crate::build::Build;
use farmjank_results::cause_life::{Amount, Spot, WindowDiagnosis, diagnoses};
use farmjank_results::device::DeviceId;
use farmjank_results::hitch_causes::{Confidence, HitchCause, HitchCauses, NamedCause};
use farmjank_results::record::Record;
use std::collections::{BTreeMap, BTreeSet};

/// A run, as far as tickets are about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Its id.
    pub id: String,
    /// When it began, RFC 3339.
    pub wall: String,
    /// Where it lies: what `farmjank causes` is given.
    pub place: String,
    /// The virtual lab it ran in; none where its phones were real.
    pub lab: Option<String>,
    /// Its causes, the costliest first.
    pub causes: Vec<Cause>,
    /// Fingerprints of causes that a diagnosis shows which is not whole.
    pub unclear: BTreeSet<String>,
}

/// One cause. One field for each thing that its ticket tells of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    /// What it is known by.
    pub fingerprint: String,
    /// App whose frames are late.
    pub app: String,
    /// What it is.
    pub named: NamedCause,
    /// Time charged, µs.
    pub us: i64,
    /// Late frames it is in.
    pub frames: u32,
    /// How sure, at least, half of its time or more is.
    pub confidence: Confidence,
    /// What is known beside, from where it cost most; empty where nothing is.
    pub detail: String,
    /// Whose it is; none where nobody owns it.
    pub owner: Option<String>,
    /// The newest build it was found in; none where no phone tells it.
    pub build: Option<Build>,
    /// Where it was found, the costliest first.
    pub sightings: Vec<Sighting>,
}

/// A cause in one window on one phone.
#[derive(Clone, Debug, PartialEq)]
pub struct Sighting {
    /// The window and the class of the phone.
    pub spot: Spot,
    /// The phone.
    pub device: DeviceId,
    /// Build of the app there.
    pub build: Option<Build>,
    /// How much of it there is.
    pub amount: Amount,
    /// Late frames of the window.
    pub late_frames: u32,
    /// Time it takes in the middle one of the frames in time, µs.
    pub usual_us: i64,
    /// How sure.
    pub confidence: Confidence,
    detail: String,
}

impl Cause {
    /// Whether it costs enough to be there, in any window on any phone.
    pub fn is_there(&self) -> bool {
        self.sightings.iter().any(|one| one.amount.is_there())
    }

    /// Time charged, ms.
    pub fn ms(&self) -> f64 {
        self.us as f64 / 1e3
    }
}

impl Run {
    /// What a record tells; `place` is where its bundle lies.
    pub fn of(record: &Record, place: &str) -> Run {
        let header = &record.header;
        let all = diagnoses(record);
        let mut found: BTreeMap<&str, (&HitchCause, &str, Vec<Sighting>)> = BTreeMap::new();
        let mut unclear = BTreeSet::new();
        for one in &all {
            let Some(told) = told(record, one) else { continue };
            let Ok(seen) = &one.seen else {
                unclear.extend(told.causes.iter().map(|cause| cause.fingerprint.clone()));
                continue;
            };
            for cause in &told.causes {
                let own = seen.causes.iter().find(|seen| seen.fingerprint == cause.fingerprint);
                let Some(own) = own else { continue };
                let sighting = sighting(one, cause, own.amount, told.late_frames);
                let entry = (cause, one.under.app.as_str(), Vec::new());
                found.entry(&cause.fingerprint).or_insert(entry).2.push(sighting);
            }
        }
        let mut causes: Vec<Cause> =
            found.into_values().map(|(cause, app, all)| whole(cause, app, all)).collect();
        causes.sort_by(|one, other| (-one.us, &one.fingerprint).cmp(&(-other.us, &other.fingerprint)));
        Run {
            id: header.run.clone(),
            wall: header.wall.clone(),
            place: place.to_owned(),
            lab: header.lab.clone(),
            causes,
            unclear,
        }
    }

    /// The cause of this fingerprint.
    pub fn cause(&self, fingerprint: &str) -> Option<&Cause> {
        self.causes.iter().find(|cause| cause.fingerprint == fingerprint)
    }
}

/// What was found in a window on a phone.
fn told<'r>(record: &'r Record, one: &WindowDiagnosis) -> Option<&'r HitchCauses> {
    let own = record.jobs.values().filter(|job| {
        job.planned.device.as_ref() == Some(&one.device)
            && job.planned.scenario == one.spot.scenario
            && job.planned.hash == one.under.hash
    });
    own.filter_map(|job| job.causes(&one.spot.window)?.causes.as_ref()).next_back()
}

fn sighting(one: &WindowDiagnosis, cause: &HitchCause, amount: Amount, late_frames: u32) -> Sighting {
    Sighting {
        spot: one.spot.clone(),
        device: one.device.clone(),
        build: one.app_version.as_deref().map(Build::told),
        amount,
        late_frames,
        usual_us: cause.usual_us,
        confidence: cause.confidence,
        detail: cause.detail.clone(),
    }
}

fn whole(cause: &HitchCause, app: &str, mut sightings: Vec<Sighting>) -> Cause {
    sightings.sort_by(|one, other| {
        let order = |one: &Sighting| (-one.amount.us, one.spot.clone(), one.device.clone());
        order(one).cmp(&order(other))
    });
    let us = sightings.iter().map(|one| one.amount.us).sum();
    let newest = sightings.iter().filter_map(|one| one.build.clone()).max_by_key(|build| build.code);
    Cause {
        fingerprint: cause.fingerprint.clone(),
        app: app.to_owned(),
        named: cause.named.clone(),
        us,
        frames: sightings.iter().map(|one| one.amount.frames).sum(),
        confidence: at_least(&sightings, us),
        detail: sightings
            .iter()
            .map(|one| &one.detail)
            .find(|one| !one.is_empty())
            .cloned()
            .unwrap_or_default(),
        owner: cause.owner.clone(),
        build: newest,
        sightings,
    }
}

/// How sure half of the time or more is, at least.
fn at_least(sightings: &[Sighting], us: i64) -> Confidence {
    let sure = |least: Confidence| {
        let own = sightings.iter().filter(|one| one.confidence <= least);
        2 * own.map(|one| one.amount.us).sum::<i64>() >= us
    };
    // The surest is the smallest.
    [Confidence::Sure, Confidence::Likely].into_iter().find(|one| sure(*one)).unwrap_or(Confidence::Weak)
}
