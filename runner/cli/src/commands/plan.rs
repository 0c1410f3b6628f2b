//! `farmjank plan`

use super::run::no_phones;
use super::survey::look as survey;
use crate::USAGE;
use crate::args::PlanArgs;
use crate::host::Streams;
use crate::scenarios::{adjust, load, selection};
use crate::settings::{Look, complain};
use farmjank_engine::announce::Voice;
use farmjank_engine::conduct::NOTHING_SELECTED;
use farmjank_reporters::clean;
use farmjank_results::verdict::Verdict;
use farmjank_scenarios::plan::{Plan, plan};
use std::collections::BTreeMap;
use std::time::Duration;

/// Shows jobs × phones.
pub async fn run(args: &PlanArgs, look: Look) -> u8 {
    let Some(mut scenarios) = load(&args.scenarios, look) else { return USAGE };
    let filter = args.phones.device_filter.as_deref();
    let selection = match adjust(&mut scenarios, &args.select).and_then(|()| selection(&args.select, filter))
    {
        Ok(selection) => selection,
        Err(why) => {
            complain(&why);
            return USAGE;
        }
    };
    // The filter is part of the plan here, so that a phone it leaves out is named with the reason.
    let phones = crate::args::PhoneArgs { device_filter: None, ..args.phones.clone() };
    let surveyed = match survey(&phones).await {
        Ok((_, surveyed)) => surveyed,
        Err(fault) => return no_phones(&fault),
    };
    let facts: Vec<_> = surveyed.iter().filter_map(|phone| phone.facts.as_ref().ok().cloned()).collect();
    let plan = plan(&scenarios, &facts, &selection);
    Streams.out(&print(&plan));
    for phone in &surveyed {
        if let Err(fault) = &phone.facts {
            Streams.out(&format!("not ready: {}\n", clean::line(&fault.to_string(), 300)));
        }
    }
    match (plan.jobs.is_empty(), plan.jobs.iter().all(|job| job.device.is_some())) {
        (true, _) => NOTHING_SELECTED,
        (false, true) => 0,
        (false, false) => Verdict::Broken.exit_code(),
    }
}

fn print(plan: &Plan) -> String {
    let mut out = String::new();
    let mut by_scenario: BTreeMap<(&str, &str), Vec<_>> = BTreeMap::new();
    for job in &plan.jobs {
        by_scenario.entry((&job.file, &job.scenario)).or_default().push(job);
    }
    for ((file, scenario), jobs) in by_scenario {
        out.push_str(&format!("{}  {}\n", clean::line(scenario, 300), clean::line(file, 300)));
        let Some(first) = jobs.first() else { continue };
        let windows: Vec<&str> = first.windows.iter().map(|window| window.name.as_str()).collect();
        let windows = if windows.is_empty() { "no window".to_owned() } else { windows.join(", ") };
        let (counted, warmup) = (first.iterations, first.warmup);
        out.push_str(&format!(
            "  {counted} iterations after {warmup} warm-up; windows: {}\n",
            clean::line(&windows, 300)
        ));
        for job in jobs {
            match &job.device {
                Some(device) => {
                    out.push_str(&format!("  job {:<3} {}\n", job.job, clean::line(&device.0, 300)))
                }
                None => out.push_str(&format!("  job {:<3} no phone qualifies\n", job.job)),
            }
        }
        for refusal in plan.refusals.iter().filter(|refusal| refusal.scenario == scenario) {
            out.push_str(&format!(
                "  not on {}: {}\n",
                clean::line(&refusal.device.0, 300),
                clean::line(&refusal.why, 300)
            ));
        }
    }
    out.push_str(&format!("{} jobs, about {}; plan {}\n", plan.jobs.len(), words(plan.time()), plan.digest));
    out
}

fn words(time: Duration) -> String {
    match time.as_secs() {
        secs if secs < 120 => format!("{secs} s"),
        secs => format!("{} min", secs.div_ceil(60)),
    }
}
