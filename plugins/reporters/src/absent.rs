//! Phones nothing was measured on, told the same in every report. Those that must be there have cells of their own; the
//! ones a run may go without (`--allow-missing`) have none, and are named here, never as a pass.
//!
//! Must not know: formats. Nothing here is cleaned: the caller knows the medium.

use crate::words;
use farmjank_results::event::Absent;
use farmjank_results::record::Record;

/// What heads their list.
pub const TITLE: &str = "not measured";

/// `SERIAL: why; what to do`, one for each phone the run went without.
pub fn sentences(record: &Record) -> Vec<String> {
    record.allowed_missing().map(sentence).collect()
}

/// `SERIAL: why; what to do`.
pub fn sentence(absent: &Absent) -> String {
    let id = &absent.device.0;
    let words = absent.fault.to_string();
    format!("{id}: {}", without(id, &words))
}

/// What is said of a phone, without its serial in front.
pub fn without<'w>(id: &str, words: &'w str) -> &'w str {
    words.strip_prefix(id).map_or(words, |rest| rest.trim_start_matches(':').trim_start())
}

/// `3 phones not measured (--allow-missing)`; none where the run went without none.
pub fn count(record: &Record) -> Option<String> {
    match record.allowed_missing().count() {
        0 => None,
        count => Some(format!("{} not measured (--allow-missing)", words::several(count, "phone", "phones"))),
    }
}
