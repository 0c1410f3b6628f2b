//! What somebody took out of the gate: entries of a file, each of a phone, a kind of phones, a scenario or a window of
//! it, with a reason, an owner and a last day; and what of a plan they hold on a day (docs/quarantine.md).
//!
//! Must not know: files, clocks, YAML; they are read by [`read::quarantine`](crate::read::quarantine).

pub mod edit;
#[cfg(test)]
mod tests;

use crate::complaint::{quoted, visible};
use crate::place::Place;
use crate::plan::Plan;
use crate::requirement::Requirement;
use farmjank_leaf::nearest::nearest;
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_results::event::{JobId, PlannedJob};
use farmjank_results::quarantine::{Quarantine, Quarantined, of_cell};
use jiff::civil::Date;
use std::collections::{BTreeMap, BTreeSet};

/// Name of the file beside the scenarios.
pub const FILE: &str = "quarantine.yaml";

/// Most entries told one by one in one notice.
const TOLD: usize = 8;

/// One entry. One field for each key.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// File as named.
    pub file: String,
    /// Where it begins there.
    pub place: Place,
    /// Only this phone.
    pub serial: Option<String>,
    /// Only phones that match.
    pub devices: Option<Requirement>,
    /// Only this scenario.
    pub scenario: Option<String>,
    /// Only this window of it.
    pub window: Option<String>,
    /// Why.
    pub reason: String,
    /// Who answers for it.
    pub owner: String,
    /// Its last day, in UTC.
    pub until: Date,
}

/// What of a plan does not gate, and what is worth saying of the entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// In order of jobs and windows.
    pub quarantined: Vec<Quarantined>,
    /// Entries that lapsed, and such as match nothing.
    pub notices: Vec<String>,
}

impl Held {
    /// Whether a job gates nothing: it is in quarantine, or each of its windows is.
    pub fn has(&self, job: &PlannedJob) -> bool {
        let windows: Vec<&str> = job.windows.iter().map(|window| window.name.as_str()).collect();
        of_cell(&self.quarantined, job.job, &windows, None).is_some()
    }
}

/// The day of a wall time in UTC (RFC 3339); none where it is no such text.
pub fn day_of(wall: &str) -> Option<Date> {
    let at: jiff::Timestamp = wall.parse().ok()?;
    Some(at.to_zoned(jiff::tz::TimeZone::UTC).date())
}

impl Entry {
    /// Whether it no longer holds on a day.
    pub fn is_lapsed(&self, today: Date) -> bool {
        self.until < today
    }

    /// What it is about: `phone R58M123ABC`, `` `Home feed` › `fling the feed` on phones with `model = "Pixel 4"` ``.
    pub fn what(&self) -> String {
        let phones = match (&self.serial, &self.devices) {
            (Some(serial), _) => Some(format!("phone {}", visible(serial))),
            (None, Some(devices)) => Some(format!("phones with {}", quoted(&devices.text))),
            (None, None) => None,
        };
        let window =
            self.window.as_deref().map_or_else(String::new, |window| format!(" › {}", quoted(window)));
        let scenario = self.scenario.as_deref().map(|name| format!("{}{window}", quoted(name)));
        match (scenario, phones) {
            (Some(scenario), Some(phones)) => format!("{scenario} on {phones}"),
            (scenario, phones) => scenario.or(phones).unwrap_or_default(),
        }
    }

    /// `scenarios/quarantine.yaml:4`.
    pub fn stands_at(&self) -> String {
        format!("{}:{}", visible(&self.file), self.place.line)
    }

    /// The terms, as events have them.
    pub fn terms(&self) -> Quarantine {
        Quarantine { reason: self.reason.clone(), owner: self.owner.clone(), until: self.until.to_string() }
    }

    /// Whether a job is one of those it is about, its window left aside.
    fn is_about(&self, job: &PlannedJob, facts: &BTreeMap<DeviceId, DeviceFacts>) -> bool {
        let of_scenario = self.scenario.as_ref().is_none_or(|name| *name == job.scenario);
        let on = |id: &DeviceId| {
            let serial = self.serial.as_ref().is_none_or(|serial| *serial == id.0);
            // A phone that told nothing of itself is of no kind: it gates.
            let kind = |devices: &Requirement| match facts.get(id) {
                Some(facts) => devices.matches(facts).is_ok(),
                None => devices.is_of(id),
            };
            serial && self.devices.as_ref().is_none_or(kind)
        };
        let of_phone = match &job.device {
            Some(id) => on(id),
            None => self.serial.is_none() && self.devices.is_none(),
        };
        of_scenario && of_phone
    }

    /// Which part of a job it holds: all of it, or a window; none where it is about another.
    fn part(&self, job: &PlannedJob, facts: &BTreeMap<DeviceId, DeviceFacts>) -> Option<Option<String>> {
        let known = |window: &String| job.windows.iter().any(|one| one.name == *window);
        (self.is_about(job, facts) && self.window.as_ref().is_none_or(known)).then(|| self.window.clone())
    }
}

/// Phones that are in quarantine on a day as a whole, whatever runs there.
pub fn phones<'f>(
    entries: &[Entry],
    facts: impl IntoIterator<Item = &'f DeviceFacts>,
    today: Date,
) -> Vec<DeviceId> {
    let whole =
        |entry: &&Entry| !entry.is_lapsed(today) && entry.scenario.is_none() && entry.window.is_none();
    let entries: Vec<&Entry> = entries.iter().filter(whole).collect();
    let is_held = |facts: &DeviceFacts| {
        entries.iter().any(|entry| {
            let serial = entry.serial.as_ref().is_none_or(|serial| *serial == facts.id.0);
            serial && entry.devices.as_ref().is_none_or(|devices| devices.matches(facts).is_ok())
        })
    };
    facts.into_iter().filter(|facts| is_held(facts)).map(|facts| facts.id.clone()).collect()
}

/// What entries hold of a plan on a day. `facts` are those of the phones that told what they are. Of several entries
/// for one thing the one that lasts longest counts.
pub fn held(entries: &[Entry], plan: &Plan, facts: &BTreeMap<DeviceId, DeviceFacts>, today: Date) -> Held {
    let mut found: BTreeMap<(JobId, Option<String>), &Entry> = BTreeMap::new();
    let (ended, held): (Vec<&Entry>, Vec<&Entry>) = entries.iter().partition(|entry| entry.is_lapsed(today));
    let mut notices: Vec<String> = ended.into_iter().map(lapsed).collect();
    let short = missing_phones(&held, plan, facts);
    for (job, own) in &short {
        found.extend(own.first().map(|entry| ((*job, None), *entry)));
    }
    let mut idle: Vec<&Entry> = Vec::new();
    for entry in held {
        let parts = plan.jobs.iter().filter_map(|job| Some((job.job, entry.part(job, facts)?)));
        let parts: Vec<_> = parts.collect();
        let elsewhere = plan.elsewhere.iter().any(|job| entry.part(job, facts).is_some());
        let misses = short.iter().any(|(_, own)| own.iter().any(|one| std::ptr::eq(*one, entry)));
        if parts.is_empty() && !elsewhere && !misses {
            idle.push(entry);
        }
        for part in parts {
            let longest = found.entry(part).or_insert(entry);
            if entry.until > longest.until {
                *longest = entry;
            }
        }
    }
    notices.extend(matching_nothing(&idle, plan));
    let quarantined = found.into_iter().map(|((job, window), entry)| Quarantined {
        job,
        window,
        quarantine: entry.terms(),
    });
    Held { quarantined: quarantined.collect(), notices }
}

/// Jobs that say too few phones came, where phones in quarantine are all that is missing: nobody waits for them. Each
/// with the entry that lasts longest.
fn missing_phones<'e>(
    entries: &[&'e Entry],
    plan: &Plan,
    facts: &BTreeMap<DeviceId, DeviceFacts>,
) -> Vec<(JobId, Vec<&'e Entry>)> {
    let here: BTreeSet<&str> = facts.keys().map(|id| id.0.as_str()).collect();
    let away = |entry: &&&Entry| {
        let serial = entry.serial.as_deref().filter(|_| entry.window.is_none());
        serial.is_some_and(|serial| !here.contains(serial))
    };
    let away: Vec<&Entry> = entries.iter().filter(away).copied().collect();
    let of_job = |job: &PlannedJob| {
        let short = plan.shortfall(job)?;
        let own = away.iter().filter(|one| one.scenario.as_ref().is_none_or(|name| *name == job.scenario));
        let mut own: Vec<&Entry> = own.copied().collect();
        own.sort_by_key(|entry| std::cmp::Reverse(entry.until));
        let phones: BTreeSet<_> = own.iter().map(|entry| &entry.serial).collect();
        let missing = usize::try_from(short.wanted.saturating_sub(short.came)).unwrap_or(usize::MAX);
        (phones.len() >= missing).then_some((job.job, own))
    };
    plan.jobs.iter().filter_map(of_job).collect()
}

fn lapsed(entry: &Entry) -> String {
    format!(
        "the quarantine of {} ended with {}: it gates again ({}; {}; {})",
        entry.what(),
        entry.until,
        visible(&entry.reason),
        visible(&entry.owner),
        entry.stands_at()
    )
}

/// One notice for all of them: a run of few scenarios has many entries that are not about it.
fn matching_nothing(idle: &[&Entry], plan: &Plan) -> Option<String> {
    let told = |entry: &&Entry| {
        let meant = near_miss(entry, plan).map_or_else(String::new, |name| format!("; did you mean {name}?"));
        format!("{} ({}{meant})", entry.what(), entry.stands_at())
    };
    let mut all: Vec<String> = idle.iter().take(TOLD).map(told).collect();
    all.extend((idle.len() > TOLD).then(|| format!("and {} more", idle.len() - TOLD)));
    let all = all.join(", ");
    match idle.len() {
        0 => None,
        1 => Some(format!("in quarantine, and not in this run: {all}")),
        count => Some(format!("{count} in quarantine, and not in this run: {all}")),
    }
}

/// What was probably meant by a name that the plan does not have.
fn near_miss(entry: &Entry, plan: &Plan) -> Option<String> {
    let jobs = || plan.jobs.iter().chain(&plan.elsewhere);
    let scenarios: BTreeSet<&str> = jobs().map(|job| job.scenario.as_str()).collect();
    let scenario = entry.scenario.as_deref()?;
    if !scenarios.contains(scenario) {
        return nearest(scenario, scenarios).map(quoted);
    }
    let windows = jobs().filter(|job| job.scenario == scenario).flat_map(|job| &job.windows);
    let windows: BTreeSet<&str> = windows.map(|window| window.name.as_str()).collect();
    let window = entry.window.as_deref().filter(|window| !windows.contains(window))?;
    nearest(window, windows).map(quoted)
}
