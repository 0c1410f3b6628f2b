//! A lent phone that is held: the phone behind adb, as long as it is ours.

use crate::lending::desk::{Desk, lost};
use farmjank_results::device::DeviceId;
use farmjank_results::fault::Fault;
use farmjank_seams::Work;
use farmjank_seams::device::{Device, Next, Output, Stream};
use farmjank_seams::watched::Watched;
use std::future::Future;
use std::rc::Rc;
use std::time::Duration;

/// What a phone and its streams look at before they speak with it: it may be somebody else's by now.
#[derive(Clone)]
pub(crate) struct Ours {
    pub(crate) desk: Rc<Watched<Desk>>,
    pub(crate) lender: String,
    pub(crate) phone: DeviceId,
    pub(crate) at: DeviceId,
}

impl Ours {
    /// Runs `work` unless the phone is lost before, or meanwhile.
    async fn alive<T>(&self, work: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
        tokio::select! {
            biased;
            () = self.desk.until(|desk| !desk.is_ours(&self.phone, &self.at)) => Err(self.fault()),
            result = work => result.map_err(|fault| self.renamed(fault)),
        }
    }

    fn fault(&self) -> Fault {
        let desk = self.desk.borrow();
        let entry = desk.entry(&self.phone);
        if let Some(fault) = entry.and_then(|entry| desk.end_of(entry.lender)) {
            return fault.clone();
        }
        let why = entry.and_then(|entry| entry.missing.clone());
        lost(&self.phone, &self.lender, why.as_deref().unwrap_or("it was given back"))
    }

    /// The same, of the phone as a run knows it.
    pub(crate) fn renamed(&self, mut fault: Fault) -> Fault {
        if self.at != self.phone {
            fault.what = fault.what.replace(&self.at.0, &format!("{} (at {})", self.phone, self.at));
        }
        fault
    }
}

/// A lent phone.
pub(crate) struct LentDevice {
    pub(crate) inner: Rc<dyn Device>,
    pub(crate) ours: Ours,
}

impl Device for LentDevice {
    fn id(&self) -> &DeviceId {
        &self.ours.phone
    }

    fn shell<'a>(&'a self, line: &'a str, patience: Duration) -> Work<'a, Output> {
        Box::pin(self.ours.alive(self.inner.shell(line, patience)))
    }

    fn stream<'a>(&'a self, line: &'a str, patience: Duration) -> Work<'a, Box<dyn Stream>> {
        Box::pin(async move {
            let inner = self.ours.alive(self.inner.stream(line, patience)).await?;
            Ok(Box::new(LentStream { inner, ours: self.ours.clone() }) as Box<dyn Stream>)
        })
    }

    fn push<'a>(&'a self, bytes: &'a [u8], to: &'a str, patience: Duration) -> Work<'a, ()> {
        Box::pin(self.ours.alive(self.inner.push(bytes, to, patience)))
    }
}

struct LentStream {
    inner: Box<dyn Stream>,
    ours: Ours,
}

impl Stream for LentStream {
    fn next<'a>(&'a mut self, patience: Duration) -> Work<'a, Next> {
        Box::pin(self.ours.alive(self.inner.next(patience)))
    }

    fn ready(&mut self) -> Option<Vec<u8>> {
        self.inner.ready()
    }
}
