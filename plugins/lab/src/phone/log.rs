//! `logcat`, `log` and `setprop`: reading the log, writing to it, and the properties that steer it.

use super::command::{Answer, Running, Work};
use super::lab_time::LabTime;
use super::state::Phone;
use crate::dumps::logcat::Asked;
use crate::dumps::package::uid;
use crate::phone_sim::acts::Act;
use crate::phone_sim::journal::{Noted, Said};

/// Longest value of a property, bytes.
const LONGEST_VALUE: usize = 91;

/// `logcat -d [-v FORMAT] [-b RING]… [-t N] [-s] [TAG:LEVEL]…`, `logcat -c`.
pub(super) fn logcat(phone: &mut Phone, now: LabTime, arguments: &[String]) -> Running {
    let mut asked = Asked {
        rings: Vec::new(),
        monotonic: false,
        filters: Vec::new(),
        newest: None,
        cleared: phone.sim.journal.cleared,
    };
    let mut words = arguments.iter().map(String::as_str);
    while let Some(word) = words.next() {
        match word {
            "-c" => {
                phone.sim.journal.cleared = phone.monotonic_ns(now);
                return phone.native(Answer::default());
            }
            "-G" => return phone.native(Answer::default()),
            "-v" => asked.monotonic |= words.next() == Some("monotonic"),
            "-b" => asked.rings.extend(words.next().unwrap_or("main").split(',').map(str::to_owned)),
            "-t" | "-T" | "-m" => asked.newest = words.next().and_then(|count| count.parse().ok()),
            "-s" => asked.filters.insert(0, ("*".to_owned(), 'S')),
            flag if flag.starts_with('-') => {}
            filter => {
                let (tag, level) = filter.split_once(':').unwrap_or((filter, "V"));
                asked.filters.push((tag.to_owned(), level.chars().next().unwrap_or('V')));
            }
        }
    }
    if asked.rings.is_empty() {
        asked.rings = ["main", "system", "crash"].map(str::to_owned).to_vec();
    }
    let mut running = phone.native(Answer::default());
    running.work = Work::Log(asked);
    running
}

/// `log [-p LEVEL] [-t TAG] MESSAGE…`
pub(super) fn log(phone: &mut Phone, now: LabTime, arguments: &[String]) -> Running {
    let mut tag = "log".to_owned();
    let mut level = 'I';
    let mut message = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-t" if message.is_empty() => tag = words.next().cloned().unwrap_or_default(),
            "-p" if message.is_empty() => {
                let letter = words.next().and_then(|word| word.chars().next());
                level = letter.unwrap_or('I').to_ascii_uppercase();
            }
            word => message.push(word),
        }
    }
    let message = message.join(" ");
    let running = phone.native(Answer::default());
    let at = phone.monotonic_ns(now + running.takes);
    phone.sim.journal.tell(Noted { at, app: None, pid: 8_121, what: Said::Line { tag, level, message } });
    running
}

/// `setprop NAME VALUE`: the shell may set what steers logging and debugging, nothing else.
pub(super) fn setprop(phone: &mut Phone, now: LabTime, arguments: &[String]) -> Running {
    let [name, value] = arguments else {
        return phone.native(Answer::failed("usage: setprop NAME VALUE\n", 1));
    };
    let allowed = ["log.", "debug.", "persist.log.tag", "security.perf_harden", "sys.powerctl"];
    if !allowed.iter().any(|prefix| name.starts_with(prefix)) || value.len() > LONGEST_VALUE {
        let words = format!("Failed to set property '{name}' to '{value}'.\nSee dmesg for error reason.\n");
        return phone.native(Answer::failed(words, 1));
    }
    phone.settings.properties.insert(name.clone(), value.clone());
    if let Some(app) = watched_by(phone, name) {
        let slow_ms = value.parse().ok().filter(|ms| *ms > 0);
        phone.act(now, 0, Act::Watch(app, slow_ms));
    }
    phone.native(Answer::default())
}

/// The app whose main loop reads this property when it begins.
fn watched_by(phone: &Phone, name: &str) -> Option<usize> {
    let id: usize = name.strip_prefix("log.looper.")?.strip_suffix(".main.slow")?.parse().ok()?;
    (0..phone.sim.setup.apps.len()).find(|app| uid(*app) == id)
}
