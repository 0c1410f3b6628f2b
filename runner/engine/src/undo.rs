//! What a run changed on a phone: noted before it is made, and set back by whoever has the phone next
//! (docs/prepare.md#set-back-whatever-happens).
//!
//! Must not know why anything was changed, nor where notes are kept.

use crate::android::settings::{back_line, ends, is_changed, is_same, set_line};
use crate::android::together::as_far_as_told;
use farmjank_results::fault::Fault;
use farmjank_results::file_error::FileError;
use farmjank_results::prepared::{SettingChange, listed};
use farmjank_seams::claim::PhoneLog;
use farmjank_seams::device::Device;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

/// Longest name of a run shown, characters.
const WHO: usize = 100;

/// What is changed on one phone, by who has claimed it.
pub struct Undo {
    log: Rc<dyn PhoneLog>,
    who: String,
}

/// One line of an undo log.
#[derive(Serialize, Deserialize)]
struct UndoLine {
    who: String,
    #[serde(flatten)]
    change: SettingChange,
}

/// What became of changes that were to be set back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SetBack {
    /// Whose changes they were.
    pub by: BTreeSet<String>,
    /// What is again as it was.
    pub back: Vec<SettingChange>,
    /// What is not, and why, in words.
    pub stays: Vec<String>,
}

impl SetBack {
    /// Nothing was changed any more, and nothing is to be said.
    pub fn is_empty(&self) -> bool {
        self.back.is_empty() && self.stays.is_empty()
    }

    /// In words, of a phone.
    pub fn words(&self, phone: &str) -> String {
        let mut parts = Vec::new();
        if !self.back.is_empty() {
            parts.push(format!("set back on {phone}: {}", listed(&self.back)));
        }
        parts.extend(self.stays.iter().map(|why| format!("not set back on {phone}: {why}")));
        parts.join("; ")
    }
}

/// What stands in an undo log: one change a setting, from before the first to after the last.
#[derive(Default)]
struct Noted {
    changes: Vec<SettingChange>,
    /// Whose they are.
    by: BTreeSet<String>,
    /// Lines nobody here would have written.
    strange: Vec<String>,
}

/// A change that was made, and why the phone did not take it, if it did not.
pub(crate) type Made = (SettingChange, Option<String>);

impl Undo {
    /// The changes kept in a log; `who` makes new ones.
    pub fn new(log: Rc<dyn PhoneLog>, who: &str) -> Undo {
        Undo { log, who: who.to_owned() }
    }

    /// Notes changes before they are made.
    ///
    /// # Errors
    /// They are not noted: they must not be made.
    pub(crate) fn note(&self, changes: &[SettingChange]) -> Result<(), FileError> {
        let line = |change: &SettingChange| {
            let line = UndoLine { who: self.who.clone(), change: change.clone() };
            // Text and maybe-text always have a JSON text.
            serde_json::to_string(&line).unwrap_or_default() + "\n"
        };
        self.log.append(&changes.iter().map(line).collect::<String>())
    }

    /// Makes changes that are noted, in one call.
    ///
    /// # Errors
    /// The phone is lost.
    pub(crate) async fn make(
        &self,
        device: &dyn Device,
        changes: &[SettingChange],
        patience: Duration,
    ) -> Result<Vec<Made>, Fault> {
        let lines: Vec<String> = changes.iter().map(set_line).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let answers = as_far_as_told(device, &lines, patience).await?;
        let mut made = Vec::new();
        for (change, answer) in changes.iter().zip(answers) {
            let (said, now) = ends(&answer).unwrap_or_default();
            if !is_same(now.as_deref(), change.now.as_deref()) {
                let why = match answer.text().lines().count() {
                    0 | 1 => format!("it reads {}", now.as_deref().unwrap_or("not set")),
                    _ => said.unwrap_or_default(),
                };
                made.push((change.clone(), Some(why)));
                continue;
            }
            if now != change.now {
                // The phone writes the same value in another way: that is what is ours now.
                let own = SettingChange { now, ..change.clone() };
                // The change stands already; told in the old way it may stay, which is said then.
                drop(self.note(&[own]));
            }
            made.push((change.clone(), None));
        }
        Ok(made)
    }

    fn noted(&self) -> Result<Noted, FileError> {
        let text = self.log.read()?;
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let mut noted = Noted::default();
        for line in whole.lines().filter(|line| !line.is_empty()) {
            match serde_json::from_str::<UndoLine>(line) {
                Ok(UndoLine { who, change }) if is_changed(&change.setting) => {
                    noted.by.insert(farmjank_leaf::text::line(&who, WHO));
                    match noted.changes.iter_mut().find(|known| known.setting == change.setting) {
                        Some(known) => known.now = change.now,
                        None => noted.changes.push(change),
                    }
                }
                _ => {
                    let line = farmjank_leaf::text::line(line, WHO);
                    noted.strange.push(format!("its undo log says `{line}`"));
                }
            }
        }
        Ok(noted)
    }

    /// What is changed on the phone as far as it is noted.
    pub fn open(&self) -> Vec<SettingChange> {
        self.noted().unwrap_or_default().changes
    }

    /// Sets back what is noted, in one call, where the phone still has what it was set to. What somebody else set
    /// meanwhile stays.
    ///
    /// # Errors
    /// The phone is lost: what is noted stays noted.
    pub async fn set_back(&self, device: &dyn Device, patience: Duration) -> Result<SetBack, Fault> {
        let Noted { mut changes, by, strange } = match self.noted() {
            Ok(noted) => noted,
            Err(why) => {
                let stays = vec![format!("what was changed there before cannot be read: {why}")];
                return Ok(SetBack { stays, ..SetBack::default() });
            }
        };
        let mut told = SetBack { by, stays: strange, ..SetBack::default() };
        if changes.is_empty() && told.stays.is_empty() {
            return Ok(told);
        }
        changes.reverse();
        let lines: Vec<String> = changes.iter().map(back_line).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let answers = as_far_as_told(device, &lines, patience).await?;
        let mut whole = true;
        for (change, answer) in changes.into_iter().zip(answers) {
            match ends(&answer) {
                None => whole = false,
                Some((before, after)) => told.take(change, before, after),
            }
        }
        if !whole {
            told.stays.push(
                "the phone did not say what it is set to; it is tried again when it is next used".to_owned(),
            );
        } else if let Err(why) = self.log.clear() {
            told.stays.push(format!("what was changed stays noted: {why}"));
        }
        Ok(told)
    }
}

impl SetBack {
    /// What stood there before and after.
    fn take(&mut self, change: SettingChange, before: Option<String>, after: Option<String>) {
        let SettingChange { setting, was, now } = change;
        let is = after.as_deref().unwrap_or("not set").to_owned();
        if before == now && after == was {
            self.back.push(SettingChange { setting, was: now, now: was });
        } else if before == now {
            self.stays.push(format!("the phone does not take {setting} back, it is {is}"));
        } else if !is_same(before.as_deref(), was.as_deref()) {
            self.stays.push(format!("{setting} is {is}, which somebody else set meanwhile"));
        }
    }
}
