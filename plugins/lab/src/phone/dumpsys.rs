//! `dumpsys`: which service, how long it takes, and what it prints when it is done.

use super::command::{Answer, Running, Work};
use super::lab_time::LabTime;
use super::state::{MS, Phone};
use crate::chance::{Draw, Stream};
use crate::dumps::{self, gfxinfo::Asked};
use crate::spec::Refused;
use farmjank_results::time::Span;

const SERVICES: &[&str] = &[
    "SurfaceFlinger",
    "activity",
    "battery",
    "cpuinfo",
    "display",
    "gfxinfo",
    "input",
    "input_method",
    "meminfo",
    "package",
    "power",
    "thermalservice",
    "window",
];

pub(super) fn dumpsys(phone: &mut Phone, arguments: &[String]) -> Running {
    phone.commands.dumps += 1;
    let arguments = without_timeout(arguments).to_vec();
    let takes = dump_time(phone, &arguments);
    Running { takes: Span::from_ns(takes), work: Work::Dump(arguments) }
}

/// Time of one dump, ns: a bell around the model's median, one in fifty waits for something.
fn dump_time(phone: &Phone, arguments: &[String]) -> i64 {
    let draw = Draw::of(phone.body.seed, Stream::Dump, phone.commands.dumps);
    let usual = phone.sim.setup.archetype.dump_ms * (0.22 * draw.bell()).exp();
    let spike = draw.next(1).unit() < 0.02;
    let ms = if spike { draw.next(2).between(110.0, 200.0) } else { usual };
    let service = arguments.first().map_or("", String::as_str);
    let size = match service {
        "gfxinfo" if hung(phone, arguments) => return 5_000 * MS,
        "SurfaceFlinger" if arguments.len() == 1 => 3.0,
        "display" | "window" | "activity" => 1.5,
        "input" => 2.0,
        _ => 1.0,
    };
    (ms * size * phone.body.quirks.slow_dumps * 1e6) as i64
}

/// The app asked for does not answer.
fn hung(phone: &Phone, arguments: &[String]) -> bool {
    let named = |app: usize| arguments[1..].iter().any(|argument| argument == phone.sim.setup.apps[app].id());
    (0..phone.sim.setup.apps.len())
        .any(|app| phone.sim.activities.processes[app].frozen.is_some() && named(app))
}

pub(super) fn finish_dump(phone: &mut Phone, now: LabTime, arguments: &[String]) -> Answer {
    let sdk = phone.sim.setup.archetype.sdk;
    let mut answer = Answer::default();
    let Some((service, rest)) = arguments.split_first() else {
        return Answer::said(list());
    };
    let scene = phone.scene(now);
    let out = &mut answer.out;
    match service.as_str() {
        "-l" => return Answer::said(list()),
        "SurfaceFlinger" => dumps::flinger::flinger(&scene, rest, out),
        "gfxinfo" => dumps::gfxinfo::gfxinfo(&scene, &Asked::read(rest), out),
        "display" => dumps::display::display(&scene, out),
        "window" => dumps::window::window(&scene, rest, out),
        "input" => dumps::input::input(&scene, out),
        "input_method" => dumps::input_method::input_method(&scene, out),
        "power" => dumps::power::power(&scene, out),
        "battery" => dumps::battery::battery(&scene, out),
        "thermalservice" if sdk >= 29 && !phone.body.refuses.contains(&Refused::Temperature) => {
            dumps::battery::thermal(&scene, out)
        }
        "activity" => dumps::activity::activity(&scene, rest, out),
        "package" => dumps::package::package(&scene, rest.first().map_or("", String::as_str), out),
        "netstats" if sdk >= 33 => super::usage::netstats(phone, now, out),
        "meminfo" => meminfo(phone, now, rest, out),
        "cpuinfo" => out.extend_from_slice(b"Load: 4.12 / 4.31 / 4.40\n"),
        // The client says so on standard error, and still ends well.
        other => return Answer::failed(format!("Can't find service: {other}\n"), 0),
    }
    after_dump(phone, now, service, rest);
    answer
}

/// What some dumps change.
fn after_dump(phone: &mut Phone, now: LabTime, service: &str, rest: &[String]) {
    let at = phone.monotonic_ns(now);
    match (service, rest.first().map(String::as_str)) {
        ("SurfaceFlinger", Some("--latency-clear")) => {
            let name = rest.get(1);
            let meant = |name: Option<&String>, own: &str| name.is_none_or(|name| name == own);
            for layer in
                phone.sim.flinger.layers.iter_mut().flatten().filter(|layer| meant(name, &layer.name))
            {
                layer.clear(at);
            }
        }
        ("SurfaceFlinger", Some("--timestats")) if phone.sim.setup.archetype.sdk >= 28 => {
            let has = |flag: &str| rest.iter().any(|word| word == flag);
            phone.sim.flinger.count(
                at,
                super::lab_time::wall_s(now),
                has("-disable"),
                has("-clear"),
                has("-enable"),
            );
        }
        ("gfxinfo", _) => {
            let asked = Asked::read(rest);
            if asked.reset {
                for app in asked.apps(&phone.scene(now)) {
                    phone.sim.activities.reset_stats(app, at);
                }
            }
        }
        _ => {}
    }
}

fn meminfo(phone: &Phone, now: LabTime, rest: &[String], out: &mut Vec<u8>) {
    let target = rest.iter().find(|argument| !argument.starts_with('-'));
    let named = |app: &usize| {
        let pid = phone.sim.activities.processes[*app].pid;
        target.is_none_or(|target| {
            phone.sim.setup.apps[*app].id() == target
                || (pid.is_some() && target.parse() == Ok(pid.unwrap_or(0)))
        })
    };
    let apps: Vec<usize> = (0..phone.sim.setup.apps.len())
        .filter(|app| phone.sim.activities.processes[*app].pid.is_some())
        .filter(named)
        .collect();
    if let (true, Some(target)) = (apps.is_empty(), target) {
        out.extend_from_slice(format!("No process found for: {target}\n").as_bytes());
        return;
    }
    let clocks = phone.scene(now).clocks();
    out.extend_from_slice(format!("Applications Memory Usage (in Kilobytes):\n{clocks}\n").as_bytes());
    for app in apps {
        let (pid, id) =
            (phone.sim.activities.processes[app].pid.unwrap_or(0), phone.sim.setup.apps[app].id());
        let text = format!(
            "\n** MEMINFO in pid {pid} [{id}] **\n           TOTAL PSS:   151220            TOTAL RSS:   264912\n"
        );
        out.extend_from_slice(text.as_bytes());
    }
}

fn list() -> String {
    let mut text = String::from("Currently running services:\n");
    for service in SERVICES {
        text += &format!("  {service}\n");
    }
    text
}

/// `-t SECONDS` and `-T MS` say how long the client waits; they change nothing here.
fn without_timeout(arguments: &[String]) -> &[String] {
    match arguments {
        [flag, _, rest @ ..] if flag == "-t" || flag == "-T" => rest,
        all => all,
    }
}
