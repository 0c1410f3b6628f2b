//! What a host is told: its shift of a run, as an object; that there is one, and that a run is to stop, as offers.

use crate::brought::{Brought, FileBrought};
use crate::evidence::Evidence;
use crate::service::ServiceWord;
use crate::turns::Turns;
use farmjank_engine::deadline::Deadline;
use farmjank_engine::diagnose::Diagnose;
use farmjank_engine::options::Options;
use farmjank_engine::patience::Patience;
use farmjank_engine::pictures::Pictures;
use farmjank_engine::stop::Urgency;
use farmjank_farm::frames::VERSION;
use farmjank_farm::subjects::is_word;
use farmjank_leaf::text::line;
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_results::event::PlannedJob;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::recovery::RecoveryStep;
use farmjank_results::time::RunTime;
use farmjank_scenarios::prepare::Wishes;
use farmjank_scenarios::requirement::Requirement;
use farmjank_scenarios::scenario::{PhoneSettings, Scenario};
use farmjank_seams::claim::Priority;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// The files a run's scenarios are read from, and what they are given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Texts {
    /// Scenario files by name, in order.
    pub files: Vec<(String, String)>,
    /// What they run besides, by path.
    pub flows: BTreeMap<String, String>,
    /// Variables.
    pub given: BTreeMap<String, String>,
}

/// What is asked of the phones. One field for each flag that reaches one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// Counted iterations, instead of what scenarios say.
    pub iterations: Option<u32>,
    /// Warm-ups, likewise.
    pub warmup: Option<u32>,
    /// What is changed on phones.
    pub prepare: Vec<String>,
    /// What is looked at beside frames.
    pub beside: Vec<String>,
    /// Builds for debugging are compared, too.
    pub debuggable_meant: bool,
    /// How often a job is tried again.
    pub retries: u32,
    /// The furthest that is gone for a phone that does not answer.
    pub recover: Option<RecoveryStep>,
    /// How often a phone may be booted within 24 hours.
    pub reboots_per_day: u32,
    /// Whether one more trial tells why frames were late, by its word.
    pub causes: String,
    /// Call stacks with it.
    pub stacks: bool,
    /// Pictures of warm-ups.
    pub screens: bool,
    /// No trace, no counts, no log.
    pub no_witnesses: bool,
    /// Phones of a host at work at the same time.
    pub jobs: u32,
    /// How urgent it is, by its word.
    pub priority: String,
    /// What is put on phones first.
    pub builds: Vec<Brought>,
    /// A mapping of R8 or ProGuard, by which call stacks name methods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mapping: Option<FileBrought>,
    /// Who answers for which package.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owners: Option<FileBrought>,
    /// Of which jobs raw evidence comes along.
    #[serde(default)]
    pub evidence: Evidence,
    /// Failed cells after which nothing more is begun; none: all is run. Who conducts the run counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail_fast: Option<u32>,
    /// What stands for some phones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub for_phones: Vec<ForPhones>,
    /// Limits are not judged: what is measured answers another question.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_limits: bool,
    /// How long the run goes on at most, from when the farm knew it; none: until all is run.
    #[serde(default)]
    pub deadline: Option<Duration>,
    /// What else is asked, which this farmjank does not know: a host that measured without it would judge otherwise.
    #[serde(flatten)]
    pub beyond: BTreeMap<String, serde_json::Value>,
}

/// What stands for some phones, as `farmjank.toml` says it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForPhones {
    /// Which phones: a device filter.
    pub devices: String,
    /// Counted iterations.
    pub iterations: Option<u32>,
    /// Warm-ups.
    pub warmup: Option<u32>,
    /// What is changed on them.
    pub prepare: Vec<String>,
}

impl ForPhones {
    /// Of these settings.
    pub fn of(own: &PhoneSettings) -> ForPhones {
        let (devices, prepare) = (own.devices.text.clone(), own.wishes.said().to_vec());
        ForPhones { devices, iterations: own.iterations, warmup: own.warmup, prepare }
    }

    /// The settings.
    ///
    /// # Errors
    /// `farm_skew`: they are read otherwise here.
    pub fn settings(&self) -> Result<PhoneSettings, Fault> {
        let skew = |why: String| {
            let what =
                format!("what stands for some phones cannot be read on this host: {}", line(&why, 200));
            Fault::new(FaultCode::FarmSkew, what).advise("update the older farmjank of both")
        };
        let devices = Requirement::parse(&self.devices).map_err(|why| skew(why.what))?;
        let wishes = Wishes::read(self.prepare.iter().map(String::as_str));
        let wishes = wishes.map_err(|why| skew(why.to_string()))?;
        Ok(PhoneSettings { devices, iterations: self.iterations, warmup: self.warmup, wishes })
    }
}

/// What one host does of a run. One field for each thing its phones are measured by.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Shift {
    /// The protocol.
    pub v: u32,
    /// Version of who conducts the run.
    pub tool: String,
    /// The run's id, as its bundle has it.
    pub run: String,
    /// Wall time of its start.
    pub wall: String,
    /// Whether its phones are simulated.
    pub simulated: bool,
    /// Its scenarios.
    pub texts: Texts,
    /// How they are measured.
    pub asked: Asked,
    /// The phones.
    pub facts: Vec<DeviceFacts>,
    /// Its jobs.
    pub jobs: Vec<PlannedJob>,
    /// How builds take turns, where the run is about that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<Turns>,
    /// When work begins, of a simulated run: all hosts have looked around by then.
    pub begins: RunTime,
    /// What else is said, which this farmjank does not know.
    #[serde(flatten)]
    pub beyond: BTreeMap<String, serde_json::Value>,
}

impl Shift {
    /// Whether everything that is asked is known here.
    ///
    /// # Errors
    /// `farm_skew`: something is not.
    pub fn understood(&self) -> Result<(), Fault> {
        let Some(unknown) = self.beyond.keys().chain(self.asked.beyond.keys()).next() else { return Ok(()) };
        let what = format!(
            "the run asks for `{}`, which this host does not know (planned by {})",
            line(unknown, 60),
            line(&self.tool, 60)
        );
        Err(Fault::new(FaultCode::FarmSkew, what).advise("update the older farmjank of both"))
    }

    /// The scenarios, if they are those the run was planned with.
    ///
    /// # Errors
    /// `farm_skew`: one is read otherwise here.
    pub fn planned_with(&self, scenarios: Vec<Scenario>) -> Result<Vec<Scenario>, Fault> {
        let other = self.jobs.iter().find(|planned| {
            let is = |scenario: &&Scenario| {
                scenario.name == planned.scenario
                    && scenario.file == planned.file
                    && scenario.hash == planned.hash
            };
            !scenarios.iter().any(|scenario| is(&scenario))
        });
        let Some(other) = other else { return Ok(scenarios) };
        let what = format!(
            "scenario {} is read otherwise on this host than where the run was planned ({})",
            line(&other.scenario, 60),
            line(&self.tool, 60)
        );
        Err(Fault::new(FaultCode::FarmSkew, what).advise("update the older farmjank of both"))
    }

    /// The phones by id.
    pub fn phones(&self) -> BTreeMap<DeviceId, DeviceFacts> {
        self.facts.iter().map(|facts| (facts.id.clone(), facts.clone())).collect()
    }

    /// What the engine is told by it.
    pub fn options(&self) -> Options {
        let Asked { retries, recover, reboots_per_day, screens, jobs, .. } = self.asked;
        Options {
            run: self.run.clone(),
            tool: self.tool.clone(),
            wall: self.wall.clone(),
            most_running: jobs.max(1) as usize,
            patience: Patience { retries, recover, reboots_per_day, ..Patience::default() },
            diagnose: Diagnose::named(&self.asked.causes).unwrap_or_default(),
            deadline: self.asked.deadline.map(Deadline::of),
            pictures: Pictures { warm_ups: screens, failures: true },
            priority: Priority::named(&self.asked.priority).unwrap_or_default(),
            ..Options::default()
        }
    }
}

/// Why a run stops that was cancelled.
pub(crate) const CANCELLED: &str = "cancelled";
/// Why a run stops of which enough has failed.
pub(crate) const ENOUGH: &str = "enough has failed";
/// Why a shift stops whose agent ends: the next one goes on with it.
pub(crate) const LEAVES: &str = "agent stopped";
/// Longest id of a run, bytes.
pub(crate) const LONGEST: usize = 200;

/// What is offered to a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// The protocol.
    pub v: u32,
    /// What the run is called on the farm; no two are called the same.
    pub key: String,
    /// The host's line of its log.
    pub line: String,
    /// What.
    pub what: Offered,
    /// How urgent a shift is, by its word; as usual where it is empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub priority: String,
}

/// What is offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Offered {
    /// A shift, which lies there as an object.
    Shift(String),
    /// To leave files of the line again that the farm may have lost: where each is in the bundle, and what it is called
    /// as an object.
    Again(Vec<(String, String)>),
    /// Phones go out of service, or come back; the name of the word stands in place of the run's.
    Service(ServiceWord),
    /// To stop: after what is under way, or at once; why.
    Stop {
        /// At once.
        now: bool,
        /// Why, in one word.
        reason: String,
        /// What becomes of jobs that are not done, where that is no interruption.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<Fault>,
    },
}

impl Offer {
    /// Reads an offer.
    ///
    /// # Errors
    /// `farm_garbled`, `farm_skew`.
    pub fn read(body: &[u8]) -> Result<Offer, Fault> {
        let offer: Offer = spoken("an offer", body)?;
        let sound = !matches!(&offer.what, Offered::Service(word) if !word.is_sound());
        let short = sound && offer.priority.len() <= LONGEST;
        match is_word(&offer.key) && is_word(&offer.line) && short {
            true => Ok(offer),
            false => Err(Fault::new(FaultCode::FarmGarbled, "an offer names a run that cannot be one")),
        }
    }

    /// Whether both are of the same line of the same run.
    pub fn is_of(&self, other: &Offer) -> bool {
        (&self.key, &self.line) == (&other.key, &other.line)
    }
}

impl Offered {
    /// How urgent a stop is.
    pub fn urgency(now: bool) -> Urgency {
        if now { Urgency::Cancel } else { Urgency::Drain }
    }
}

/// Reads what somebody says in a protocol this farmjank speaks.
///
/// # Errors
/// `farm_skew`: it is another one. `farm_garbled`.
pub fn spoken<T: DeserializeOwned>(what: &str, body: &[u8]) -> Result<T, Fault> {
    #[derive(Deserialize)]
    struct Version {
        v: u32,
    }
    let garbled = |why: serde_json::Error| {
        let why = line(&why.to_string(), 200);
        Fault::new(FaultCode::FarmGarbled, format!("{what} of the farm cannot be read: {why}"))
    };
    let Version { v } = serde_json::from_slice(body).map_err(garbled)?;
    if v != VERSION {
        let what = format!("{what} speaks protocol {v} of the farm, this farmjank {VERSION}");
        return Err(Fault::new(FaultCode::FarmSkew, what).advise("update the older of both"));
    }
    serde_json::from_slice(body).map_err(garbled)
}

/// As it is written.
///
/// # Errors
/// `farm_garbled`.
pub fn written<T: Serialize>(what: &T) -> Result<Vec<u8>, Fault> {
    serde_json::to_vec(what).map_err(|why| Fault::new(FaultCode::FarmGarbled, why.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_newer_farmjank_asks_for_is_refused_by_name_and_never_left_out() {
        let shift = Shift { v: VERSION, tool: "farmjank 9".to_owned(), ..Shift::default() };
        let text = String::from_utf8(written(&shift).expect("json")).expect("text");
        let again: Shift = spoken("a shift", text.as_bytes()).expect("a shift");
        assert_eq!((again.understood(), &again), (Ok(()), &shift));
        let asked = text.replace("\"asked\":{", "\"asked\":{\"colder\":true,");
        let said = text.replacen('{', "{\"sideways\":1,", 1);
        for (text, name) in [(asked, "colder"), (said, "sideways")] {
            let newer: Shift = spoken("a shift", text.as_bytes()).expect("a shift");
            let fault = newer.understood().expect_err("nobody here knows that");
            assert!(fault.code == FaultCode::FarmSkew && fault.what.contains(name), "{fault}");
            assert!(fault.what.contains("farmjank 9"), "{fault}");
        }
    }
}
