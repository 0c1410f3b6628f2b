//! `am` and `monkey`: starting and stopping apps (docs/design/phones.md#starting-apps). Where errors go depends on
//! `-W`.

use super::command::{Answer, Running, Work};
use super::intent::{Intent, LAUNCHER, MAIN};
use super::lab_time::LabTime;
use super::state::{MS, Phone};
use crate::app::{App, SETTINGS};
use crate::chance::{Draw, Stream};
use crate::phone_sim::acts::Act;
use crate::phone_sim::window::LaunchPlan;
use farmjank_results::time::Span;

/// How long the phone waits for a start that never draws, ns.
const START_TIMEOUT: i64 = 10_000 * MS;

/// What a start will be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Cold,
    Warm,
    Hot,
    /// It is in front already.
    Delivered,
}

pub(super) fn am(phone: &mut Phone, now: LabTime, arguments: &[String]) -> Running {
    match arguments.first().map(String::as_str) {
        Some("start" | "start-activity") => start(phone, now, &arguments[1..]),
        Some("force-stop") => {
            let name = arguments.iter().skip(1).rfind(|word| !word.starts_with('-'));
            let running = phone.served(25, Answer::default());
            if let Some(app) = name.and_then(|name| app(phone, name)) {
                phone.act(now, running.takes.ns() - 2 * MS, Act::Stop(app));
            }
            running
        }
        Some("kill" | "kill-all" | "broadcast" | "set-inactive" | "profile") => {
            phone.served(25, Answer::default())
        }
        Some("get-current-user") => phone.served(25, Answer::said("0\n")),
        Some(other) => phone.served(25, Answer::failed(format!("Unknown command: {other}\n"), 255)),
        None => phone.served(
            25,
            Answer::failed(
                "Activity manager (activity) commands:\n  help\n      Print this help text.\n",
                255,
            ),
        ),
    }
}

/// The installed app of that name (index).
pub(super) fn app(phone: &Phone, name: &str) -> Option<usize> {
    present(phone).find(|(_, app)| app.id() == name).map(|(place, _)| place)
}

/// Installed apps with their indices.
pub(super) fn present(phone: &Phone) -> impl Iterator<Item = (usize, &App)> {
    phone.sim.setup.apps.iter().enumerate().filter(|(_, app)| !app.absent)
}

fn start(phone: &mut Phone, now: LabTime, arguments: &[String]) -> Running {
    let intent = match Intent::read(arguments) {
        Ok(intent) => intent,
        Err(problem) => return phone.served(25, Answer::failed(format!("Error: {problem}\n"), 255)),
    };
    phone.commands.starts += 1;
    let overhead = phone.start_cost(25, 0x2_0000 + phone.commands.starts);
    let mut out = String::new();
    let (app, page) = match resolve(phone, &intent) {
        Ok(target) => target,
        Err(problem) => {
            out += &format!("Starting: {}\n", intent.text(0));
            return Running {
                takes: Span::from_ns(overhead),
                work: Work::Say(complain(out, &problem, intent.wait)),
            };
        }
    };
    if intent.stop {
        out += &format!("Stopping: {}\n", phone.sim.setup.apps[app].id());
        phone.act(now, overhead - 4 * MS, Act::Stop(app));
    }
    out += &format!("Starting: {}\n", intent.text(0));
    let (kind, page) = kind_of_start(phone, &intent, app, page);
    let total = total_time(phone, kind, app);
    let plan = LaunchPlan { app, page, total_ms: total, cold: kind == Kind::Cold };
    phone.act(now, overhead, Act::Launch(plan));
    let hangs = kind != Kind::Cold && phone.sim.activities.processes[app].frozen.is_some();
    let covered = phone.sim.screen.keyguard || !phone.sim.screen.awake || hangs;
    out += match kind {
        Kind::Delivered => {
            "Warning: Activity not started, intent has been delivered to currently running top-most instance.\n"
        }
        Kind::Hot => "Warning: Activity not started, its current task has been brought to the front\n",
        Kind::Cold | Kind::Warm => "",
    };
    if !intent.wait {
        return Running { takes: Span::from_ns(overhead + 6 * MS), work: Work::Say(Answer::said(out)) };
    }
    let spent = if covered { START_TIMEOUT } else { total * MS };
    out += &waited(phone, kind, app, page, total, covered);
    Running { takes: Span::from_ns(overhead + spent + 8 * MS), work: Work::Say(Answer::said(out)) }
}

/// App and page of an intent, or what the phone says instead.
fn resolve(phone: &Phone, intent: &Intent) -> Result<(usize, usize), String> {
    let unresolved =
        || format!("Error: Activity not started, unable to resolve {}\n", intent.text(0x1000_0000));
    if let Some((package, class)) = &intent.component {
        let found = app(phone, package)
            .and_then(|app| phone.sim.setup.apps[app].by_class(class).map(|page| (app, page)));
        let short =
            class.strip_prefix(package.as_str()).filter(|rest| rest.starts_with('.')).unwrap_or(class);
        let missing =
            || format!("Error type 3\nError: Activity class {{{package}/{short}}} does not exist.\n");
        let (app, page) = found.ok_or_else(missing)?;
        let spec = &phone.sim.setup.apps[app].pages[page].spec;
        if !spec.exported && !spec.launcher {
            return Err(format!(
                "java.lang.SecurityException: Permission Denial: starting {} from null (pid=8121, uid=2000) not exported from uid {}\n",
                intent.text(0x1000_0000),
                crate::dumps::package::uid(app)
            ));
        }
        return Ok((app, page));
    }
    let meant = |app: &usize| {
        intent.package.as_ref().is_none_or(|package| phone.sim.setup.apps[*app].id() == package)
    };
    let mut apps = present(phone).map(|(place, _)| place).filter(meant);
    let found = match &intent.data {
        Some(link) => apps.find_map(|app| phone.sim.setup.apps[app].by_link(link).map(|page| (app, page))),
        None if intent.action.as_deref() == Some("android.settings.SETTINGS") => {
            apps.find(|app| phone.sim.setup.apps[*app].id() == SETTINGS).map(|app| (app, 0))
        }
        None if intent.is_launcher() => {
            apps.find_map(|app| phone.sim.setup.apps[app].launcher().map(|page| (app, page)))
        }
        None => None,
    };
    found.ok_or_else(unresolved)
}

/// Cold, warm, hot, or nothing to do; a launcher's start brings back the page the task had.
fn kind_of_start(phone: &Phone, intent: &Intent, app: usize, page: usize) -> (Kind, usize) {
    let process = &phone.sim.activities.processes[app];
    if intent.stop || process.pid.is_none() {
        return (Kind::Cold, page);
    }
    let pages: Vec<usize> = process
        .stack
        .iter()
        .filter_map(|index| phone.sim.activities.window(*index))
        .map(|window| window.page)
        .collect();
    let page = if intent.is_launcher() { pages.last().copied().unwrap_or(page) } else { page };
    if phone.sim.activities.front_shows(app, page) {
        return (Kind::Delivered, page);
    }
    (if pages.contains(&page) { Kind::Hot } else { Kind::Warm }, page)
}

/// `TotalTime`, ms.
fn total_time(phone: &Phone, kind: Kind, app: usize) -> i64 {
    let spec = &phone.sim.setup.apps[app].spec;
    let draw = Draw::of(phone.body.seed, Stream::Launch, 0x3_0000 + phone.commands.starts);
    let usual = match kind {
        Kind::Cold => spec.cold_ms,
        Kind::Warm => spec.warm_ms,
        Kind::Hot => spec.warm_ms * 0.45,
        Kind::Delivered => return 0,
    };
    (usual * phone.sim.setup.archetype.slowness * phone.sim.setup.load * (0.07 * draw.bell()).exp())
        .round()
        .max(12.0) as i64
}

/// What `-W` adds.
fn waited(phone: &Phone, kind: Kind, app: usize, page: usize, total: i64, covered: bool) -> String {
    let sdk = phone.sim.setup.archetype.sdk;
    let state = match kind {
        _ if covered => "UNKNOWN (-1)",
        Kind::Cold => "COLD",
        Kind::Warm => "WARM",
        Kind::Hot => "HOT",
        Kind::Delivered => "UNKNOWN (0)",
    };
    let mut text = format!("Status: {}\n", if covered { "timeout" } else { "ok" });
    if sdk >= 29 {
        text += &format!("LaunchState: {state}\n");
    }
    text += &format!("Activity: {}\n", phone.sim.setup.apps[app].short(page));
    if !covered {
        if sdk <= 28 {
            text += &format!("ThisTime: {total}\n");
        }
        text += &format!("TotalTime: {total}\n");
    }
    text += &format!("WaitTime: {}\nComplete\n", if covered { START_TIMEOUT / MS } else { total + 4 });
    text
}

pub(super) fn monkey(phone: &mut Phone, now: LabTime, arguments: &[String]) -> Running {
    let package = arguments.iter().position(|word| word == "-p").and_then(|place| arguments.get(place + 1));
    phone.commands.starts += 1;
    let overhead = phone.start_cost(u32::MAX, 0x2_0000 + phone.commands.starts) + 250 * MS;
    let intent = Intent {
        action: Some(MAIN.into()),
        categories: vec![LAUNCHER.into()],
        package: package.cloned(),
        ..Intent::default()
    };
    let target = package.and_then(|_| resolve(phone, &intent).ok());
    let Some((app, page)) = target else {
        let answer = Answer {
            out: b"** No activities found to run, monkey aborted.\n".to_vec(),
            status: 252,
            ..Answer::default()
        };
        return Running { takes: Span::from_ns(overhead), work: Work::Say(answer) };
    };
    let (kind, page) = kind_of_start(phone, &intent, app, page);
    let total_ms = total_time(phone, kind, app);
    let plan = LaunchPlan { app, page, total_ms, cold: kind == Kind::Cold };
    phone.act(now, overhead, Act::Launch(plan));
    let out = "Events injected: 1\n## Network stats: elapsed time=31ms (0ms mobile, 0ms wifi, 31ms not connected)\n";
    Running { takes: Span::from_ns(overhead + 60 * MS), work: Work::Say(Answer::said(out)) }
}

/// With `-W` what is wrong goes to standard output, without to standard error; exceptions always to the latter.
fn complain(mut out: String, problem: &str, wait: bool) -> Answer {
    if problem.starts_with("java.lang") {
        let err = format!("\nException occurred while executing 'start':\n{problem}");
        return Answer { out: out.into(), err: err.into(), status: 255 };
    }
    if wait {
        out += problem;
        return Answer { out: out.into(), err: Vec::new(), status: 0 };
    }
    Answer { out: out.into(), err: problem.as_bytes().to_vec(), status: 0 }
}
