//! `farmjank farm`: what there is on a farm, what one is made of, and whether it is well.

mod cancel;
mod doctor;
mod fetch;
mod gc;
mod init;
mod keep;
mod listing;
mod phones;
mod queue;
mod reading;
mod service;
mod status;
mod watch;

use crate::args::{FarmCommand, FarmCommandArgs, FarmStatusArgs, ListingFormat};
use crate::farm::{connected, failed};
use crate::host::Streams;
use crate::in_runtime;
use crate::settings::Terminal;
use farmjank_engine::scribe::Voice;
use farmjank_leaf::text::line;
use farmjank_results::fault::Fault;
use farmjank_results::verdict::Verdict;
use farmjank_shifts::note::{Host, PhoneNote, WorkNote, listed};
use farmjank_shifts::quota::Most;
use farmjank_shifts::service::Drained;

/// Longest name or reason that is shown, characters; and longest reason with what to do.
const WIDE: usize = 160;
const FULL: usize = 400;

/// Answers; 3 where nobody is there, or something is wrong.
pub fn run(args: &FarmCommandArgs, terminal: Terminal) -> u8 {
    match &args.command {
        // It writes into a store, which has a scheduler of its own.
        FarmCommand::Keep(args) => keep::run(args),
        command => in_runtime(false, answered(command, terminal)).unwrap_or_else(|code| code),
    }
}

async fn answered(command: &FarmCommand, terminal: Terminal) -> u8 {
    let answered = match command {
        FarmCommand::Init(args) => return init::run(args),
        FarmCommand::Fetch(args) => return fetch::run(args, terminal).await,
        FarmCommand::Watch(args) => return watch::run(args, terminal).await,
        FarmCommand::Cancel(args) => cancel::run(args).await,
        FarmCommand::Drain(args) => service::drain(args).await,
        FarmCommand::Undrain(args) => service::undrain(args).await,
        FarmCommand::Doctor(args) => doctor::run(args, terminal).await,
        FarmCommand::Status(args) => status(args).await.map(|hosts| {
            Streams.out(&match args.format {
                ListingFormat::Json => status::hosts(&args.of.team, &hosts),
                ListingFormat::Table => told(&hosts),
            });
            !hosts.is_empty()
        }),
        FarmCommand::Phones(args) => phones::run(args).await,
        FarmCommand::Queue(args) => queue::run(args).await,
        FarmCommand::Gc(args) => gc::run(args).await,
        // It asks by itself, each time anew.
        FarmCommand::Keep(_) => Ok(true),
    };
    match answered {
        Ok(true) => 0,
        Ok(false) => Verdict::Broken.exit_code(),
        Err(fault) => failed(&fault),
    }
}

async fn status(args: &FarmStatusArgs) -> Result<Vec<Host>, Fault> {
    let exchange = connected(&args.farm, &args.of, "status", false).await?;
    listed(&*exchange, &args.of.team).await
}

fn told(hosts: &[Host]) -> String {
    if hosts.is_empty() {
        return "no host is there; `farmjank agent` on a computer with phones makes one\n".to_owned();
    }
    let mut out = String::new();
    for host in hosts {
        let lab = host.note.lab.as_ref();
        let plays = lab.map(|part| {
            format!(
                ", plays part {}/{} of the lab {} (seed {})",
                part.part,
                part.of,
                line(&part.name, WIDE),
                part.seed
            )
        });
        let many = if host.phones.len() == 1 {
            "1 phone".to_owned()
        } else {
            format!("{} phones", host.phones.len())
        };
        let (name, tool) = (line(&host.name, WIDE), line(&host.note.tool, WIDE));
        let drained = host.note.drained.as_ref().map(|drained| format!(", {}", of_drained(drained)));
        let (plays, drained) = (plays.unwrap_or_default(), drained.unwrap_or_default());
        let most = of_most(host.note.most);
        out.push_str(&format!("{name}: {many}{most}, {tool}{plays}{drained}\n"));
        host.note.works.iter().for_each(|work| out.push_str(&format!("  {}\n", of_work(work))));
        let full = host.note.full.as_ref();
        full.iter().for_each(|fault| out.push_str(&format!("  {}\n", line(&fault.to_string(), FULL))));
        host.phones.iter().for_each(|phone| out.push_str(&format!("  {}\n", of_phone(phone))));
    }
    out
}

/// How many phones runs of the team may have at once.
fn of_most(most: Most) -> String {
    let told = |most: Option<u32>, of: &str| most.map(|most| format!("at most {most} at once for {of}"));
    let all = [told(most.team, "the team"), told(most.run, "a run")];
    let all: Vec<String> = all.into_iter().flatten().collect();
    if all.is_empty() { String::new() } else { format!(" ({})", all.join(", ")) }
}

/// A run that a host works for, as it said within the last quarter of a minute.
fn of_work(work: &WorkNote) -> String {
    let (run, priority) = (line(&work.run, WIDE), line(&work.priority, WIDE));
    let how = if work.begun { "is measured" } else { "waits for others" };
    format!("run {run} ({priority}) {how}")
}

fn of_drained(drained: &Drained) -> String {
    format!("out of service since {}: {}", line(&drained.since, WIDE), line(&drained.why, WIDE))
}

fn of_phone(phone: &PhoneNote) -> String {
    let id = line(&phone.id.0, WIDE);
    if let Some(own) = &phone.drained {
        let still = own.by.as_ref().map(|by| format!(" (still used by {})", line(by, WIDE)));
        return format!("{id}  {}{}", of_drained(&own.drained), still.unwrap_or_default());
    }
    match (&phone.facts, &phone.fault) {
        (Some(facts), _) => {
            let hz = facts.fastest_hz().map(|hz| format!(", {hz:.0} Hz")).unwrap_or_default();
            format!("{id}  {}, Android {}{hz}", line(&facts.model, WIDE), line(&facts.release, WIDE))
        }
        (None, Some(fault)) => format!("{id}  not ready: {}", line(&fault.to_string(), WIDE)),
        (None, None) => format!("{id}  tells nothing of itself"),
    }
}
