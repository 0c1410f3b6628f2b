//! Brings a phone into the state a job wants, when the job takes it: what an earlier run left changed is set back, its
//! state is looked at and put on record, what is wanted is changed (docs/prepare.md).
//!
//! Must not know trials. Nothing is changed that was not noted before, and nothing without a word.

mod decide;

use crate::android::foreign::{self, Signature};
use crate::android::settle;
use crate::announce::Announcer;
use crate::patience::Patience;
use crate::undo::{SetBack, Undo};
use decide::Wanted;
use farmjank_results::device::DeviceFacts;
use farmjank_results::event::{Fact, JobId};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::prepared::{PhoneState, SettingChange, listed};
use farmjank_scenarios::prepare::Prepare;
use farmjank_seams::device::Device;

/// A job at the door of its phone. One field for each thing it needs there.
pub(crate) struct Doorway<'a> {
    pub(crate) announcer: &'a Announcer,
    pub(crate) patience: &'a Patience,
    pub(crate) job: JobId,
    pub(crate) device: &'a dyn Device,
    pub(crate) facts: &'a DeviceFacts,
    pub(crate) undo: &'a Undo,
    /// What this run's own loops are signed with.
    pub(crate) own: &'a Signature,
    /// Who had the phone before on this computer, and is over.
    pub(crate) before: &'a [String],
}

impl Doorway<'_> {
    /// Prepares the phone: the state it is in then. The fault: it cannot be measured in the state it is in.
    pub(crate) async fn prepare(&self, wish: &Prepare) -> Result<PhoneState, Fault> {
        let patience = self.patience;
        let left = self.undo.set_back(self.device, patience.settings).await?;
        self.tell_left(&left);
        let found = settle::found(self.device, self.facts.sdk, patience, self.own).await?;
        let (left, strangers): (Vec<_>, Vec<_>) =
            found.loops.into_iter().partition(|one| one.is_left_behind(self.own, self.before));
        let ended = foreign::end(self.device, &left, patience.call).await?;
        ended.into_iter().for_each(|what| self.notice(what));
        let mut state = found.state;
        state.foreign = foreign::fault(&strangers).map(|fault| fault.what);
        let decided = match found.asleep.or_else(|| decide::unfit(wish, &state)) {
            Some(fault) => Err(fault),
            None => decide::changes(wish, &state, self.facts),
        };
        let made = match decided {
            Ok(wanted) => self.make(wanted, &found.untold).await,
            Err(fault) => Err((Vec::new(), fault)),
        };
        let (changes, fault) = match made {
            Ok(changes) => (changes, None),
            Err((changes, fault)) => (changes, Some(fault)),
        };
        let (job, device) = (self.job, self.facts.id.clone());
        let prepared = Box::new(state.clone());
        self.announcer.announce(Fact::PhonePrepared {
            job,
            device,
            state: prepared,
            changes: changes.clone(),
        });
        if !changes.is_empty() {
            self.notice(format!(
                "changed on {} for this job, and set back after it: {}",
                self.facts.id,
                listed(&changes)
            ));
        }
        for SettingChange { setting, now, .. } in changes {
            if let (crate::android::settings::SAVER, Some(battery)) = (setting.as_str(), &mut state.battery) {
                battery.saver = now.as_deref() == Some("1");
            }
        }
        fault.map_or(Ok(state), Err)
    }

    /// Makes what is wanted: what was changed, and the fault where something that was asked for could not be.
    async fn make(
        &self,
        wanted: Vec<Wanted>,
        untold: &[&str],
    ) -> Result<Vec<SettingChange>, (Vec<SettingChange>, Fault)> {
        let mut refused = Vec::new();
        let is_untold = |change: &SettingChange| untold.iter().any(|name| change.setting.starts_with(name));
        let (unknown, wanted): (Vec<Wanted>, Vec<Wanted>) =
            wanted.into_iter().partition(|one| is_untold(&one.change));
        let why = || "the phone does not tell what it is set to".to_owned();
        refused.extend(unknown.into_iter().map(|one| (one, why())));
        let changes: Vec<SettingChange> = wanted.iter().map(|one| one.change.clone()).collect();
        let mut done = Vec::new();
        match self.undo.note(&changes) {
            _ if changes.is_empty() => {}
            Err(why) => {
                let why = format!("that could not be noted, and what is not noted is not changed: {why}");
                refused.extend(wanted.into_iter().map(|one| (one, why.clone())));
            }
            Ok(()) => {
                let made = self.undo.make(self.device, &changes, self.patience.settings).await;
                for (one, (change, why)) in wanted.into_iter().zip(made.map_err(|fault| (Vec::new(), fault))?)
                {
                    match why {
                        None => done.push(change),
                        Some(why) => refused.push((one, why)),
                    }
                }
            }
        }
        match self.refusal(refused) {
            Some(fault) => Err((done, fault)),
            None => Ok(done),
        }
    }

    /// What was asked for and refused is a fault; what was only meant well is told.
    fn refusal(&self, refused: Vec<(Wanted, String)>) -> Option<Fault> {
        let mut fault = None;
        for (Wanted { change, asked }, why) in refused {
            let words = format!("{change} is not done on {}: {why}", self.facts.id);
            if !asked {
                self.notice(words);
                continue;
            }
            fault.get_or_insert_with(|| {
                Fault::new(FaultCode::SettingRefused, words).advise(
                    "allow it in the developer options (USB debugging, security settings), or take it out of `prepare`",
                )
            });
        }
        fault
    }

    fn tell_left(&self, left: &SetBack) {
        if !left.is_empty() {
            let by: Vec<&str> = left.by.iter().map(String::as_str).collect();
            let by = if by.is_empty() { "an earlier run".to_owned() } else { by.join(", ") };
            self.notice(format!("left by {by}: {}", left.words(&self.facts.id.0)));
        }
    }

    fn notice(&self, what: String) {
        self.announcer.notice(Some(self.job), what);
    }
}

/// What to say of the phone a job begins on: what it found there, and battery saver where it is on.
pub(crate) fn told(facts: &DeviceFacts, state: &PhoneState) -> Vec<String> {
    decide::worth_telling(&facts.id.0, state)
}
