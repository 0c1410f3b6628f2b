//! One plugin that lends phones: asked, and waited for in bounded time. One that is slow costs the phone it is asked
//! for; one that breaks the protocol or is gone costs all its phones.

use crate::lending::ledger::Ledger;
use crate::lending::message::{Answer, NotTaken, Offer, Wish};
use crate::limits::Patience;
use crate::misdeed::Misdeed;
use crate::reporter::Started;
use crate::session::Session;
use farmjank_results::device::DeviceId;
use farmjank_results::fault::{Fault, FaultCode};
use std::time::Duration;

/// How often an answer is looked for.
const LOOK: Duration = Duration::from_millis(5);

/// What was heard unasked.
#[derive(Default)]
pub(crate) struct Unasked {
    /// Phones that are not ours any more, and why.
    pub lost: Vec<(DeviceId, String)>,
    /// Phones that became ours when nobody waited for them any more.
    pub late: Vec<DeviceId>,
}

/// A plugin that lends phones.
pub(crate) struct Lender {
    started: Started,
    patience: Patience,
}

impl Lender {
    pub(crate) fn new(started: Started, patience: Patience) -> Lender {
        Lender { started, patience }
    }

    /// What it is called in messages.
    pub(crate) fn name(&self) -> String {
        self.started.name()
    }

    /// Why it lends nothing any more.
    pub(crate) fn gone(&self) -> Option<Fault> {
        match &*self.started.state.borrow() {
            Some(Ok(_)) => None,
            Some(Err(gone)) => Some(self.fault(gone.misdeed())),
            None => Some(self.failed("it took leave before".to_owned())),
        }
    }

    fn failed(&self, why: String) -> Fault {
        let name = self.name();
        Fault::new(FaultCode::PluginFailed, format!("{name}, which lends the phone, failed: {why}")).advise(
            "see what it says, and whether its phones are given back where they are booked; `farmjank plugin check` tries it \
             out",
        )
    }

    fn fault(&self, misdeed: &Misdeed) -> Fault {
        self.failed(format!("{misdeed}; {}", misdeed.advice()))
    }

    /// Its phones.
    pub(crate) async fn list(&self) -> Result<Vec<Offer>, Fault> {
        let id = self.wish(|id| Wish::ListPhones { id })?;
        match self.answer(id, self.patience.phones).await? {
            Some(Answer::Phones(_, offers)) => Ok(offers),
            _ => {
                self.with(|ledger| ledger.give_up(id, &DeviceId(String::new())));
                let seconds = self.patience.phones.as_secs();
                let what = format!("{} did not list its phones within {seconds} s", self.name());
                Err(Fault::new(FaultCode::PluginFailed, what)
                    .passing()
                    .advise("see whether what it asks for them answers"))
            }
        }
    }

    /// Has a phone; where it is to be connected to, if it says that.
    pub(crate) async fn take(&self, phone: &DeviceId) -> Result<Option<String>, Fault> {
        let id = self.wish(|id| Wish::TakePhone { id, phone: phone.clone() })?;
        let own = match &*self.started.state.borrow() {
            Some(Ok(talk)) => talk.session().hello().and_then(|hello| hello.take),
            _ => None,
        };
        let longest = own.unwrap_or(self.patience.take);
        match self.answer(id, longest).await? {
            Some(Answer::Taken(_, address)) => Ok(address),
            Some(Answer::NotTaken(_, not)) => Err(self.refused(phone, not)),
            _ => {
                self.with(|ledger| ledger.give_up(id, phone));
                let what = format!(
                    "{} did not answer within {} s whether it takes {phone}",
                    self.name(),
                    longest.as_secs()
                );
                Err(Fault::new(FaultCode::PluginFailed, what).passing().advise(
                    "see whether what it books at answers; where taking one takes longer, its hello says `take_s`",
                ))
            }
        }
    }

    fn refused(&self, phone: &DeviceId, not: NotTaken) -> Fault {
        let fault =
            Fault::new(FaultCode::DeviceBooked, format!("{} did not take {phone}: {}", self.name(), not.why));
        let fault = fault.advise("wait for it with `--wait-for-devices 30m`, or leave it out");
        if not.passes { fault.passing() } else { fault }
    }

    /// Gives a phone back.
    pub(crate) async fn give_back(&self, phone: &DeviceId) -> Result<(), Fault> {
        let id = self.wish(|id| Wish::ReturnPhone { id, phone: phone.clone() })?;
        match self.answer(id, self.patience.phones).await? {
            Some(_) => Ok(()),
            None => {
                self.with(|ledger| ledger.give_up(id, phone));
                let (name, seconds) = (self.name(), self.patience.phones.as_secs());
                let what = format!("{name} did not say within {seconds} s that {phone} is returned");
                Err(Fault::new(FaultCode::PluginFailed, what)
                    .advise("see whether it is free where it is booked"))
            }
        }
    }

    /// Hears what it says unasked; waits for nothing.
    pub(crate) fn hear(&self) -> Unasked {
        let mut unasked = Unasked::default();
        let state = &mut *self.started.state.borrow_mut();
        let Some(Ok(talk)) = state else { return unasked };
        let heard = talk.listen(Duration::ZERO, |_| false);
        (unasked.lost, unasked.late) = (talk.ledger().lost(), talk.ledger().late());
        for phone in &unasked.late {
            // Nobody waits for the answer: it came as late as this phone.
            let _ = talk
                .wish(|id| Wish::ReturnPhone { id, phone: phone.clone() })
                .map(|id| talk.ledger().give_up(id, phone));
        }
        if let Err(misdeed) = heard {
            Started::over(state, misdeed);
        }
        unasked
    }

    fn with<T>(&self, work: impl FnOnce(&mut Ledger) -> T) -> Option<T> {
        match &mut *self.started.state.borrow_mut() {
            Some(Ok(talk)) => Some(work(talk.ledger())),
            _ => None,
        }
    }

    fn wish(&self, wish: impl FnOnce(u64) -> Wish) -> Result<u64, Fault> {
        let state = &mut *self.started.state.borrow_mut();
        let asked = match state {
            Some(Ok(talk)) => talk.wish(wish),
            Some(Err(gone)) => return Err(self.fault(gone.misdeed())),
            None => return Err(self.failed("it took leave before".to_owned())),
        };
        asked.map_err(|misdeed| {
            let fault = self.fault(&misdeed);
            Started::over(state, misdeed);
            fault
        })
    }

    /// The answer, or none in so long. Others speak with it meanwhile.
    async fn answer(&self, id: u64, longest: Duration) -> Result<Option<Answer>, Fault> {
        let answered = move |session: &Session| session.has_answered(id);
        let mut end = None;
        loop {
            {
                let state = &mut *self.started.state.borrow_mut();
                let heard = match state {
                    Some(Ok(talk)) => {
                        let end = *end.get_or_insert(talk.elapsed().saturating_add(longest));
                        match talk.listen(Duration::ZERO, answered) {
                            Ok(true) => return Ok(talk.ledger().answer(id)),
                            Ok(false) if talk.elapsed() >= end => return Ok(None),
                            Ok(false) => Ok(()),
                            Err(misdeed) => Err(misdeed),
                        }
                    }
                    Some(Err(gone)) => return Err(self.fault(gone.misdeed())),
                    None => return Err(self.failed("it took leave before".to_owned())),
                };
                if let Err(misdeed) = heard {
                    let fault = self.fault(&misdeed);
                    Started::over(state, misdeed);
                    return Err(fault);
                }
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}
