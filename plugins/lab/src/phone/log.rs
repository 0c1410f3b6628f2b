//! `logcat`, `log` and `setprop`: reading the log, writing to it, and the properties that steer it.

use super::{Answer, LabTime, Phone, Running, Work};
use crate::dumps::logcat::Asked;
use crate::dumps::package::uid;
use crate::phone_sim::acts::Act;
use crate::phone_sim::journal::{Noted, Said};

/// Longest value of a property, bytes.
const LONGEST_VALUE: usize = 91;

impl Phone {
    /// `logcat -d [-v FORMAT] [-b RING]… [-t N] [-s] [TAG:LEVEL]…`, `logcat -c`.
    pub(super) fn logcat(&mut self, now: LabTime, arguments: &[String]) -> Running {
        let mut asked = Asked {
            rings: Vec::new(),
            monotonic: false,
            filters: Vec::new(),
            newest: None,
            cleared: self.log_cleared,
        };
        let mut words = arguments.iter().map(String::as_str);
        while let Some(word) = words.next() {
            match word {
                "-c" => {
                    self.log_cleared = self.monotonic_ns(now);
                    return self.native(Answer::default());
                }
                "-G" => return self.native(Answer::default()),
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
        let mut running = self.native(Answer::default());
        running.work = Work::Log(asked);
        running
    }

    /// `log [-p LEVEL] [-t TAG] MESSAGE…`
    pub(super) fn log(&mut self, now: LabTime, arguments: &[String]) -> Running {
        let (mut tag, mut level, mut message) = ("log".to_owned(), 'I', Vec::new());
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
        let running = self.native(Answer::default());
        let at = self.monotonic_ns(now + running.takes);
        self.sim.journal.tell(Noted { at, app: None, pid: 8_121, what: Said::Line { tag, level, message } });
        running
    }

    /// `setprop NAME VALUE`: the shell may set what steers logging and debugging, nothing else.
    pub(super) fn setprop(&mut self, now: LabTime, arguments: &[String]) -> Running {
        let [name, value] = arguments else {
            return self.native(Answer::failed("usage: setprop NAME VALUE\n", 1));
        };
        let allowed = ["log.", "debug.", "persist.log.tag", "security.perf_harden", "sys.powerctl"];
        if !allowed.iter().any(|prefix| name.starts_with(prefix)) || value.len() > LONGEST_VALUE {
            let words =
                format!("Failed to set property '{name}' to '{value}'.\nSee dmesg for error reason.\n");
            return self.native(Answer::failed(words, 1));
        }
        self.written.insert(name.clone(), value.clone());
        if let Some(app) = self.watched_by(name) {
            let slow_ms = value.parse().ok().filter(|ms| *ms > 0);
            self.act(now, 0, Act::Watch(app, slow_ms));
        }
        self.native(Answer::default())
    }

    /// The app whose main loop reads this property when it begins.
    fn watched_by(&self, name: &str) -> Option<usize> {
        let id: usize = name.strip_prefix("log.looper.")?.strip_suffix(".main.slow")?.parse().ok()?;
        (0..self.setup.apps.len()).find(|app| uid(*app) == id)
    }
}
