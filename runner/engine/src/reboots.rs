//! How often a phone was told to boot within a day, by whichever runs of this computer
//! (docs/phones.md#a-phone-that-stops-answering). A phone that needs it again and again is not helped by it.
//!
//! Noted before it is done, beside the claim of the phone: what cannot be noted is not done. Must not know how notes
//! are kept, or what the time is.

use farmjank_leaf::text::line;
use farmjank_results::device::DeviceId;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::time::RunTime;
use farmjank_seams::claim::PhoneLog;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// What counts as a day.
const DAY: SignedDuration = SignedDuration::from_hours(24);
/// Longest name of a run shown, characters.
const WHO: usize = 100;

/// What instants the times of a run are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Day {
    zero: Timestamp,
}

impl Day {
    /// `wall`, RFC 3339, is the instant of a time of the run. One that is none counts as the first of 1970.
    pub fn of(wall: &str, at: RunTime) -> Day {
        let wall: Timestamp = wall.parse().unwrap_or_default();
        Day { zero: wall.checked_sub(SignedDuration::from_nanos(at.ns())).unwrap_or_default() }
    }

    /// The instant of another time of the run.
    pub(crate) fn at(self, at: RunTime) -> Timestamp {
        self.zero.checked_add(SignedDuration::from_nanos(at.ns())).unwrap_or(self.zero)
    }
}

/// One time a phone was told to boot.
#[derive(Serialize, Deserialize)]
struct RebootLine {
    at: String,
    who: String,
}

/// The reboots noted of one phone.
pub(crate) struct Reboots {
    pub(crate) log: Rc<dyn PhoneLog>,
    /// Who is about to boot it.
    pub(crate) who: String,
    /// When.
    pub(crate) now: Timestamp,
}

impl Reboots {
    /// Notes one more, where fewer than `most` are of the day that ends now; `why` the phone needs it.
    ///
    /// # Errors
    /// It must not be booted.
    pub(crate) fn allow(&self, phone: &DeviceId, most: u32, why: &str) -> Result<(), Fault> {
        let unknown = |error: farmjank_results::file_error::FileError| {
            let what = format!(
                "{phone} {why}, and is not booted: how often it was within 24 hours cannot be kept: {error}"
            );
            Fault::new(FaultCode::DeviceSilent, what)
                .advise("name a folder that can be written with FARMJANK_CLAIMS, or boot the phone by hand")
        };
        let today = self.today(&self.log.read().map_err(unknown)?);
        if today.len() >= usize::try_from(most).unwrap_or(usize::MAX) {
            return Err(self.spent(phone, most, why, &today));
        }
        if today.is_empty() {
            // What is older counts for nothing any more.
            self.log.clear().map_err(unknown)?;
        }
        let noted =
            RebootLine { at: self.now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(), who: self.who.clone() };
        // Two texts always have a JSON text.
        self.log.append(&(serde_json::to_string(&noted).unwrap_or_default() + "\n")).map_err(unknown)
    }

    /// Those of the day. A clock that was wrong may have written some of them in the future: those of the next day
    /// count, or the phone would be booted for ever.
    fn today(&self, text: &str) -> Vec<RebootLine> {
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let lines = whole.lines().filter_map(|line| serde_json::from_str::<RebootLine>(line).ok());
        let is_near = |line: &RebootLine| {
            line.at.parse::<Timestamp>().is_ok_and(|at| at.duration_since(self.now).abs() < DAY)
        };
        lines.filter(is_near).collect()
    }

    fn spent(&self, phone: &DeviceId, most: u32, why: &str, today: &[RebootLine]) -> Fault {
        let last = today.last().map_or_else(String::new, |last| {
            format!(", last at {} by {}", line(&last.at, WHO), line(&last.who, WHO))
        });
        let often = match today.len() {
            0 => "may not be booted at all (--reboots-per-day 0)".to_owned(),
            1 => format!("was booted once within 24 hours{last}"),
            times => format!("was booted {times} times within 24 hours{last}"),
        };
        Fault::new(FaultCode::RebootsSpent, format!("{phone} {why}, and {often}: it is not booted again")).advise(format!(
            "look at the phone, its battery, cable and port, or replace it (`farmjank lab health` tells how it fared); \
             `--reboots-per-day {}` allows one more",
            most.saturating_add(1)
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farmjank_results::file_error::{FileError, FileProblem};
    use farmjank_seams::claim::MemoryPhoneLog;
    use std::path::Path;

    fn phone() -> DeviceId {
        DeviceId("P8".to_owned())
    }

    fn at(log: &Rc<dyn PhoneLog>, now: &str) -> Reboots {
        Reboots { log: log.clone(), who: format!("run {now}"), now: now.parse().expect("an instant") }
    }

    #[test]
    fn a_phone_is_booted_so_often_a_day_and_again_when_the_day_is_over() {
        let log: Rc<dyn PhoneLog> = Rc::new(MemoryPhoneLog::default());
        let allowed = |now: &str| at(&log, now).allow(&phone(), 2, "does not answer");
        assert_eq!(allowed("2026-11-01T10:00:00Z"), Ok(()));
        assert_eq!(allowed("2026-11-01T22:00:00Z"), Ok(()));
        let fault = allowed("2026-11-02T09:59:59Z").expect_err("twice within the day");
        assert_eq!(fault.code, FaultCode::RebootsSpent);
        assert_eq!(
            fault.what,
            "P8 does not answer, and was booted 2 times within 24 hours, last at 2026-11-01T22:00:00Z by run \
             2026-11-01T22:00:00Z: it is not booted again"
        );
        assert!(fault.advice.contains("--reboots-per-day 3"), "{}", fault.advice);
        assert_eq!(allowed("2026-11-02T10:00:00Z"), Ok(()));
        assert!(allowed("2026-11-02T10:00:01Z").is_err());
        assert_eq!(allowed("2026-11-20T00:00:00Z"), Ok(()));
        assert_eq!(log.read().expect("kept").lines().count(), 1, "what is over is forgotten");
    }

    #[test]
    fn wrong_clocks_and_strange_lines_neither_boot_a_phone_for_ever_nor_never_again() {
        let log: Rc<dyn PhoneLog> = Rc::new(MemoryPhoneLog::default());
        let line = |at: &str| format!("{{\"at\":\"{at}\",\"who\":\"r\"}}\n");
        log.append(&(line("2090-01-01T00:00:00Z") + "nonsense\n{\"at\":7}\n" + &line("yesterday")))
            .expect("kept");
        log.append(&line("2026-11-01T12:00:00Z")).expect("kept");
        assert!(
            at(&log, "2026-11-01T10:00:00Z").allow(&phone(), 1, "hangs").is_err(),
            "an hour ahead counts"
        );
        assert!(at(&log, "2026-11-03T10:00:00Z").allow(&phone(), 1, "hangs").is_ok(), "years ahead do not");
        let none = at(&log, "2026-11-09T10:00:00Z").allow(&phone(), 0, "hangs").expect_err("none is allowed");
        assert!(none.what.contains("may not be booted at all"), "{}", none.what);
    }

    struct Unwritable;

    impl PhoneLog for Unwritable {
        fn read(&self) -> Result<String, FileError> {
            Ok(String::new())
        }
        fn append(&self, _: &str) -> Result<(), FileError> {
            Err(FileError::new(Path::new("P8.reboots"), FileProblem::Full))
        }
        fn clear(&self) -> Result<(), FileError> {
            Ok(())
        }
    }

    #[test]
    fn what_cannot_be_noted_is_not_done() {
        let log: Rc<dyn PhoneLog> = Rc::new(Unwritable);
        let fault = at(&log, "2026-11-01T10:00:00Z").allow(&phone(), 3, "hangs").expect_err("not noted");
        assert!(fault.what.contains("is not booted") && fault.what.contains("P8.reboots"), "{}", fault.what);
    }

    #[test]
    fn a_run_that_goes_on_counts_from_the_wall_time_it_did() {
        let hour = RunTime::from_ns(3_600_000_000_000);
        let day = Day::of("2026-11-01T10:00:00Z", hour);
        assert_eq!(day.at(hour).to_string(), "2026-11-01T10:00:00Z");
        assert_eq!(day.at(RunTime::from_ns(2 * hour.ns())).to_string(), "2026-11-01T11:00:00Z");
        assert_eq!(Day::of("soon", hour).at(RunTime::from_ns(0)).to_string(), "1969-12-31T23:00:00Z");
    }
}
