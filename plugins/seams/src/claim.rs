//! Claims: which run of this computer uses a phone. One at a time, whichever process it is.
//!
//! A phone that two runs scroll at once shows each of them the other's app. So a run claims every phone before it works
//! there; the claim ends when it is dropped, and with the process that holds it, however that dies.

use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_results::file_error::FileError;
use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

/// How urgent a run is: who is more urgent and waits is given a phone between two iterations of who has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// A sweep that has all night.
    Nightly,
    /// Somebody's branch.
    #[default]
    Branch,
    /// A gate that somebody waits at.
    Gate,
}

impl Priority {
    /// Every one, the least urgent first.
    pub const ALL: [Priority; 3] = [Priority::Nightly, Priority::Branch, Priority::Gate];

    /// Its word: `nightly`, `branch`, `gate`.
    pub fn word(self) -> &'static str {
        match self {
            Priority::Nightly => "nightly",
            Priority::Branch => "branch",
            Priority::Gate => "gate",
        }
    }

    /// By its word.
    pub fn named(word: &str) -> Option<Priority> {
        Priority::ALL.into_iter().find(|priority| priority.word() == word)
    }
}

/// A run that wants phones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claimer {
    /// What it does there, such as `run 20260301-120000-5eed7a`.
    pub who: String,
    /// How urgent it is.
    pub priority: Priority,
    /// The team it is of, on a farm; empty for a run of this computer. Runs of different teams that are as urgent take
    /// turns on a phone, job by job.
    pub team: String,
}

/// Who claims a phone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claimant {
    /// What it does there, such as `run 20260301-120000-5eed7a`.
    pub who: String,
    /// Its process on this computer.
    pub pid: u32,
    /// Since when, RFC 3339 in UTC.
    pub since: String,
    /// How urgent it is.
    pub priority: Priority,
    /// The team it is of, on a farm; empty for a run of this computer.
    pub team: String,
    /// What it knows of the phone: whoever waits need not ask a phone on which somebody measures.
    pub facts: Option<Box<DeviceFacts>>,
}

impl fmt::Display for Claimant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let team = if self.team.is_empty() { String::new() } else { format!(" of team {}", self.team) };
        write!(f, "{}{team}", self.who)?;
        // Somebody of this very process needs no number.
        if !self.since.is_empty() {
            write!(f, " (process {}) since {}", self.pid, self.since)?;
        }
        match self.priority {
            Priority::Branch => Ok(()),
            other => write!(f, ", {}", other.word()),
        }
    }
}

/// Keeps a phone claimed until it is dropped.
pub struct Claim(pub Box<dyn Any>);

/// Why a phone is not claimed.
#[derive(Clone, Debug, PartialEq)]
pub enum Unclaimed {
    /// Somebody else has it.
    Held(Claimant),
    /// Who asks has as many phones as it may have, in words.
    Full(String),
    /// This computer keeps no claims, in its words: nobody can tell who else uses the phone.
    Unknown(String),
}

/// What is noted of a phone for runs to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PhoneNote {
    /// What was changed on it and is not set back yet.
    Changes,
    /// When it was told to boot, and by whom.
    Reboots,
}

/// What is noted of one phone: lines that outlive the process that wrote them. Only who has claimed the phone may touch
/// it.
pub trait PhoneLog {
    /// Everything that was kept; a last line without its end was never whole.
    ///
    /// # Errors
    /// It cannot be read.
    fn read(&self) -> Result<String, FileError>;
    /// Keeps more lines. They outlive process and power when it returns.
    ///
    /// # Errors
    /// They were not kept.
    fn append(&self, lines: &str) -> Result<(), FileError>;
    /// Forgets everything.
    ///
    /// # Errors
    /// It is still there.
    fn clear(&self) -> Result<(), FileError>;
}

/// The claims of this computer.
pub trait Claims {
    /// Claims a phone, which is reached through `server`, and leaves what is known of it to those who look. Never
    /// waits.
    fn claim(&self, server: &str, phone: &DeviceFacts, by: &Claimer) -> Result<Claim, Unclaimed>;
    /// Who has claimed a phone, if anybody.
    fn claimant(&self, server: &str, phone: &DeviceId) -> Option<Claimant>;
    /// Who had a phone before, the last first, as far as it is known; only who has claimed it may ask: all of them are
    /// over, because only one has it at a time.
    fn before(&self, server: &str, phone: &DeviceId) -> Vec<String>;
    /// Lets who has a phone know that somebody waits for it, until what is returned is dropped; none where that cannot
    /// be told.
    fn wait(&self, server: &str, phone: &DeviceId, by: &Claimer) -> Option<Claim>;
    /// Who waits for a phone: the most urgent first, and of those that are as urgent who waits longest.
    fn waiting(&self, server: &str, phone: &DeviceId) -> Vec<Claimant>;
    /// What is noted of a phone, for who has claimed it.
    fn log(&self, server: &str, phone: &DeviceId, of: PhoneNote) -> Rc<dyn PhoneLog>;
}

/// Notes in memory: as good as those on disk for phones that die with the process.
#[derive(Default)]
pub struct MemoryPhoneLog(RefCell<String>);

impl PhoneLog for MemoryPhoneLog {
    fn read(&self) -> Result<String, FileError> {
        Ok(self.0.borrow().clone())
    }

    fn append(&self, lines: &str) -> Result<(), FileError> {
        self.0.borrow_mut().push_str(lines);
        Ok(())
    }

    fn clear(&self) -> Result<(), FileError> {
        self.0.borrow_mut().clear();
        Ok(())
    }
}

/// Notes in memory, for each phone of each server.
#[derive(Default)]
pub struct MemoryPhoneLogs(RefCell<BTreeMap<(String, DeviceId, PhoneNote), Rc<MemoryPhoneLog>>>);

impl MemoryPhoneLogs {
    /// Those of a phone.
    pub fn of(&self, server: &str, phone: &DeviceId, of: PhoneNote) -> Rc<dyn PhoneLog> {
        self.0.borrow_mut().entry((server.to_owned(), phone.clone(), of)).or_default().clone()
    }
}

/// Phones nobody else can reach: those of a lab inside this process.
#[derive(Default)]
pub struct Private(MemoryPhoneLogs);

impl Claims for Private {
    fn claim(&self, _: &str, _: &DeviceFacts, _: &Claimer) -> Result<Claim, Unclaimed> {
        Ok(Claim(Box::new(())))
    }

    fn claimant(&self, _: &str, _: &DeviceId) -> Option<Claimant> {
        None
    }

    fn before(&self, _: &str, _: &DeviceId) -> Vec<String> {
        Vec::new()
    }

    fn wait(&self, _: &str, _: &DeviceId, _: &Claimer) -> Option<Claim> {
        None
    }

    fn waiting(&self, _: &str, _: &DeviceId) -> Vec<Claimant> {
        Vec::new()
    }

    fn log(&self, server: &str, phone: &DeviceId, of: PhoneNote) -> Rc<dyn PhoneLog> {
        self.0.of(server, phone, of)
    }
}
