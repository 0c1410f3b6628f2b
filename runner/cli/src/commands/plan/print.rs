//! A plan, for people and for programs. Text of phones and files is cleaned here.

use super::held;
use crate::needs::{advised, by_scenario, told};
use farmjank_reporters::clean;
use farmjank_results::compare::{CellCompared, Compared, Need};
use farmjank_results::event::PlannedJob;
use farmjank_results::quarantine::Quarantined;
use farmjank_results::words::several;
use farmjank_scenarios::plan::Plan;
use farmjank_scenarios::quarantine::Held;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// Longest line of foreign text.
const SHOWN: usize = 300;
/// Cells told one by one for each scenario.
const CELLS: usize = 12;
/// Version of the JSON.
const FORMAT: u32 = 1;

/// What is shown.
pub struct Shown<'p> {
    /// Jobs and refusals.
    pub plan: &'p Plan,
    /// What comparing builds takes.
    pub needs: &'p [Need],
    /// What a run held against a baseline could tell, where one was named.
    pub held: Option<&'p Compared>,
    /// Phones that do not answer, in words.
    pub not_ready: Vec<String>,
    /// What does not gate.
    pub quarantine: &'p Held,
}

impl Shown<'_> {
    /// For people.
    pub fn text(&self) -> String {
        let plan = self.plan;
        let mut out = String::new();
        let mut scenarios: BTreeMap<(&str, &str), Vec<&PlannedJob>> = BTreeMap::new();
        for job in &plan.jobs {
            scenarios.entry((&job.file, &job.scenario)).or_default().push(job);
        }
        for ((file, scenario), jobs) in scenarios {
            out += &self.scenario(file, scenario, &jobs);
        }
        let (count, time) = (plan.jobs.len(), words(plan.time()));
        let known = match self.known_before() {
            0 => String::new(),
            known if known == count => ", by how long they took before".to_owned(),
            known => format!(", {known} of them by how long they took before"),
        };
        let takes = match count == 0 || plan.jobs.iter().any(|job| job.device.is_some()) {
            true => format!("about {time}{known}"),
            false => "nothing can run: no phone qualifies".to_owned(),
        };
        out += &format!("{}, {takes}; plan {}\n", several(count, "job", "jobs"), plan.digest);
        for why in &self.not_ready {
            out += &format!("not ready: {}\n", clean::line(why, SHOWN));
        }
        for what in &self.quarantine.notices {
            out += &format!("note: {}\n", clean::line(what, SHOWN * 2));
        }
        out
    }

    /// Jobs whose time is known from the history.
    fn known_before(&self) -> usize {
        self.plan.jobs.iter().filter(|job| job.usual_ms.is_some()).count()
    }

    /// What of a job does not gate.
    fn muted(&self, job: &PlannedJob) -> String {
        let own = self.quarantine.quarantined.iter().filter(|one| one.job == job.job);
        let line = |one: &Quarantined| {
            let window = one.window.as_ref().map_or_else(String::new, |window| format!(" `{window}`"));
            let words = format!("does not gate:{window} in quarantine {}", one.quarantine.words());
            format!("          {}\n", clean::line(&words, SHOWN * 2))
        };
        own.map(line).collect()
    }

    fn scenario(&self, file: &str, scenario: &str, jobs: &[&PlannedJob]) -> String {
        let mut out = format!("{}  {}\n", clean::line(scenario, SHOWN), clean::line(file, SHOWN));
        let Some(first) = jobs.first() else { return out };
        let windows: Vec<&str> = first.windows.iter().map(|window| window.name.as_str()).collect();
        let windows = if windows.is_empty() { "no window".to_owned() } else { windows.join(", ") };
        let (counted, warmup) = (first.iterations, first.warmup);
        let windows = clean::line(&windows, SHOWN);
        let shared = first.iterations_of.map_or("", |_| ", shared out by the phones of a class,");
        let all = first.iterations_of.unwrap_or(counted);
        out += &format!("  {all} iterations{shared} after {warmup} warm-up; windows: {windows}\n");
        let plan = self.plan;
        for job in jobs {
            let other = if (job.iterations, job.warmup) == (counted, warmup) {
                String::new()
            } else {
                format!(": {} iterations after {} warm-up", job.iterations, job.warmup)
            };
            out += &match &job.device {
                Some(device) if plan.absent.contains(device) => {
                    format!(
                        "  job {:<3} {}: does not answer, so it will be broken\n",
                        job.job,
                        clean::line(&device.0, SHOWN)
                    )
                }
                Some(device) => {
                    let why =
                        plan.unsure_of(job).map(|unsure| format!(": {}, so it will be broken", unsure.why));
                    let spares: Vec<&str> = job.spares.iter().map(|id| id.0.as_str()).collect();
                    let spares = if spares.is_empty() {
                        String::new()
                    } else {
                        format!(", or one of its class: {}", spares.join(", "))
                    };
                    let share =
                        job.iterations_of.map(|all| format!(": {} of {all} iterations", job.iterations));
                    let share = share.unwrap_or(other);
                    let told = format!("{device}{share}{spares}{}", why.unwrap_or_default());
                    format!("  job {:<3} {}\n", job.job, clean::line(&told, SHOWN))
                }
                None => match plan.shortfall(job) {
                    Some(short) => {
                        format!("  job {:<3} {}\n", job.job, clean::line(&short.sentence(), SHOWN))
                    }
                    None => format!("  job {:<3} no phone qualifies\n", job.job),
                },
            };
            out += &self.muted(job);
        }
        for refusal in self.plan.refusals.iter().filter(|refusal| refusal.scenario == scenario) {
            let (device, why) = (clean::line(&refusal.device.0, SHOWN), clean::line(&refusal.why, SHOWN));
            out += &format!("  not on {device}: {why}\n");
        }
        let own = by_scenario(self.needs).into_iter().find(|(name, _)| *name == scenario);
        out += &own.map(|(_, cells)| takes(&cells)).unwrap_or_default();
        if let Some(held) = self.held {
            let name = clean::line(&held.baseline.name, SHOWN);
            out += &format!("  held against {name}:\n");
            let own = held.cells.iter().filter(|cell| cell.key.scenario == scenario);
            out += &listed(own.map(held::words));
        }
        out
    }

    /// For programs. Field names are a promise (docs/compare.md): add, never rename.
    pub fn json(&self) -> String {
        let text = |text: &str| clean::line(text, SHOWN);
        let job = |job: &PlannedJob| {
            json!({
                "job": job.job, "scenario": text(&job.scenario), "file": text(&job.file),
                "device": job.device.as_ref().map(|device| text(&device.0)),
                "spares": job.spares.iter().map(|spare| text(&spare.0)).collect::<Vec<_>>(),
                "iterations": job.iterations, "iterations_of": job.iterations_of, "warmup": job.warmup, "usual_ms": job.usual_ms,
                "windows": job.windows.iter().map(|window| text(&window.name)).collect::<Vec<_>>(),
            })
        };
        let refusals = self.plan.refusals.iter().map(|refusal| {
            json!({ "scenario": text(&refusal.scenario), "device": text(&refusal.device.0), "why": text(&refusal.why) })
        });
        let advice = by_scenario(self.needs).into_iter().map(|(scenario, cells)| {
            let met = cells.iter().all(|need| need.is_met());
            json!({ "scenario": text(scenario), "iterations": advised(&cells), "planned_suffice": met })
        });
        let plan_absent = self.plan.absent.iter().map(|device| text(&device.0));
        let short = self.plan.short.iter().map(|short| {
            json!({ "scenario": text(&short.name), "wanted": short.wanted, "came": short.came, "why": text(&short.sentence()) })
        });
        let held = self.held.map(|held| held.cells.iter().map(held_json).collect::<Vec<_>>());
        let all = json!({
            "format": FORMAT,
            "digest": self.plan.digest,
            "seconds": self.plan.time().as_secs(),
            "from_history": self.known_before(),
            "jobs": self.plan.jobs.iter().map(job).collect::<Vec<_>>(),
            "refusals": refusals.collect::<Vec<_>>(),
            "not_ready": self.not_ready.iter().map(|why| text(why)).collect::<Vec<_>>(),
            "absent": plan_absent.collect::<Vec<_>>(),
            "quarantine": self.quarantine.quarantined.iter().map(quarantined).collect::<Vec<_>>(),
            "notices": self.quarantine.notices.iter().map(|what| text(what)).collect::<Vec<_>>(),
            "short": short.collect::<Vec<_>>(),
            "needs": self.needs.iter().map(need).collect::<Vec<_>>(),
            "advice": advice.collect::<Vec<_>>(),
            "held": held,
        });
        format!("{all:#}\n")
    }
}

/// What comparing builds takes: what to ask for, then the cells that ask for most.
fn takes(cells: &[&Need]) -> String {
    let mut ordered: Vec<&&Need> = cells.iter().collect();
    ordered.sort_by_key(|need| std::cmp::Reverse(need.iterations.unwrap_or(u32::MAX)));
    let met = cells.iter().all(|need| need.is_met());
    let planned = ordered.first().map_or(0, |need| need.planned);
    let head = match advised(cells) {
        _ if met => format!(
            "  to compare builds (`farmjank ab`) the planned {planned} iterations of each will most likely do:\n"
        ),
        Some(count) => format!(
            "  to compare builds (`farmjank ab`) give --iterations {count}: the planned {planned} of each most likely end undecided\n"
        ),
        None => "  to compare builds (`farmjank ab`) these windows are too short, whatever the iterations:\n"
            .to_owned(),
    };
    head + &listed(ordered.into_iter().map(|need| told(need)))
}

fn listed(lines: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = lines.map(|line| format!("    {}\n", clean::line(&line, SHOWN * 2))).collect();
    let more = all.len().saturating_sub(CELLS);
    let rest = if more > 0 { format!("    and {more} more\n") } else { String::new() };
    all.into_iter().take(CELLS).collect::<String>() + &rest
}

fn need(need: &Need) -> Value {
    let of = &need.of;
    json!({
        "scenario": clean::line(&of.scenario, SHOWN), "window": clean::line(&of.window, SHOWN),
        "model": clean::line(&of.model, SHOWN), "refresh": of.refresh, "phones": of.phones, "motion_s": of.motion,
        "sd": need.sd, "calibrated_on": of.calibrated.map(|known| known.iterations), "mei": need.mei,
        "planned": need.planned, "iterations": need.iterations, "per_look": need.per_look, "met": need.is_met(),
        "window_iterations": need.window.map(|(count, _)| count), "window_s": need.window.map(|(_, seconds)| seconds),
    })
}

fn quarantined(one: &Quarantined) -> Value {
    let text = |text: &str| clean::line(text, SHOWN);
    let Quarantined { job, window, quarantine } = one;
    json!({
        "job": job, "window": window.as_deref().map(text), "reason": text(&quarantine.reason),
        "owner": text(&quarantine.owner), "until": text(&quarantine.until),
    })
}

fn held_json(cell: &CellCompared) -> Value {
    json!({
        "scenario": clean::line(&cell.key.scenario, SHOWN), "window": clean::line(&cell.key.window, SHOWN),
        "model": clean::line(&cell.key.model, SHOWN), "device": Some(&cell.device.0).filter(|device| !device.is_empty()),
        "phones": cell.phones, "sessions": cell.sessions.0, "mei": cell.mei, "mde": cell.mde,
        "unchanged_ends_as": cell.state, "reasons": cell.reasons,
    })
}

fn words(time: Duration) -> String {
    match time.as_secs() {
        secs if secs < 120 => format!("{secs} s"),
        secs => format!("{} min", secs.div_ceil(60)),
    }
}
