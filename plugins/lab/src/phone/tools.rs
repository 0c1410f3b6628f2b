//! `uiautomator`, `screencap`, `df`.

use super::command::{Answer, Running, Work};
use super::lab_time::LabTime;
use super::state::{MS, Phone};
use crate::chance::{Draw, Stream};
use crate::phone_sim::acts::Act;
use farmjank_results::time::Span;

const DEFAULT_PATH: &str = "/sdcard/window_dump.xml";

/// `uiautomator dump [--compressed] [PATH]`: a Java virtual machine, then a wait until nothing moves.
pub(super) fn uiautomator(phone: &mut Phone, arguments: &[String]) -> Running {
    phone.commands.starts += 1;
    let draw = Draw::of(phone.body.seed, Stream::Start, 0x4_0000 + phone.commands.starts);
    let takes = Span::from_ns(
        (draw.between(1_300.0, 1_900.0) * phone.sim.setup.archetype.slowness.clamp(0.7, 2.0) * 1e6) as i64,
    );
    let mut words = arguments.iter().map(String::as_str).filter(|word| !word.starts_with("--"));
    match words.next() {
        Some("dump") => {
            let path = words.next().unwrap_or(DEFAULT_PATH).to_owned();
            Running { takes, work: Work::Screen(path) }
        }
        _ => Running {
            takes,
            work: Work::Say(Answer::failed("Usage: uiautomator <subcommand> [options]\n", 1)),
        },
    }
}

/// `df [-k] [PATH…]`, as toybox prints it: what the storage holds and how much is left, in KiB.
pub(super) fn df(phone: &mut Phone, arguments: &[String]) -> Running {
    let total = u64::from(phone.sim.setup.archetype.ram_mb) * 16 * 1_024;
    let told = phone.body.free_mb.map_or(total * 2 / 5, |mb| mb * 1_024);
    let free = if phone.storage.is_full() { 0 } else { told.min(total) };
    let used = total - free;
    let mut out = "Filesystem     1K-blocks     Used Available Use% Mounted on\n".to_owned();
    let paths: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    for path in if paths.is_empty() { vec!["/data", "/sdcard"] } else { paths } {
        let (device, place) = match path.starts_with("/sdcard") || path.starts_with("/storage") {
            true => ("/dev/fuse", "/storage/emulated"),
            false => ("/dev/block/dm-44", "/data"),
        };
        let percent = used * 100 / total;
        out += &format!("{device:<14} {total:>9} {used:>8} {free:>9} {percent:>3}% {place}\n");
    }
    phone.native(Answer::said(out))
}

/// `screencap -p`: the screen is composed once more, read back and packed by the processor, which the app in front has
/// to share: it loses a frame or two.
pub(super) fn screencap(phone: &mut Phone, now: LabTime, arguments: &[String]) -> Running {
    phone.commands.starts += 1;
    let draw = Draw::of(phone.body.seed, Stream::Start, 0x5_0000 + phone.commands.starts);
    let slowness = phone.sim.setup.archetype.slowness.clamp(0.6, 2.5);
    let takes = Span::from_ns((draw.between(160.0, 320.0) * slowness * 1e6) as i64);
    if arguments != ["-p"] {
        let usage = "usage: screencap [-ahp] [-d display-id] [FILENAME]\n";
        return Running { takes: Span::from_ns(9 * MS), work: Work::Say(Answer::failed(usage, 1)) };
    }
    let held = (draw.next(1).between(18.0, 45.0) * slowness * 1e6) as i64;
    phone.act(now, takes.ns() / 3, Act::Hold(held));
    Running { takes, work: Work::Picture }
}

pub(super) fn finish_screen(phone: &mut Phone, now: LabTime, path: &str) -> Answer {
    let at = phone.monotonic_ns(now);
    let moving = phone
        .sim
        .front_window()
        .and_then(|index| phone.sim.activities.window(index))
        .is_some_and(|window| window.ui.motion.moving(at).is_some());
    if moving || !phone.sim.screen.awake {
        return Answer::failed("ERROR: could not get idle state.\n", 0);
    }
    let document = crate::dumps::screen::hierarchy(&phone.scene(now));
    if path == "/dev/tty" {
        return Answer::said(format!("{document}UI hierchary dumped to: /dev/tty\n"));
    }
    phone.storage.write(path, document.into_bytes());
    // The platform's own spelling.
    Answer::said(format!("UI hierchary dumped to: {path}\n"))
}
