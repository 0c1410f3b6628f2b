//! Phones that plugins lend, beside those of the adb servers: listed, taken when they are first needed, held between
//! the jobs of a run, and given back when nobody needs them any more.
//!
//! A lent phone is reached through the adb servers and called as its plugin calls it, wherever it is connected to. What
//! an adb server lists by the same name is not used: that would pass by whoever lends it.

use crate::lending::arrivals::LentArrivals;
use crate::lending::desk::{Desk, Hold, Told};
use crate::lending::device::{LentDevice, Ours};
use crate::lending::lender::Lender;
use crate::lending::message::{Offer, Reach};
use crate::limits::Patience;
use crate::reporter::Started;
use farmjank_results::device::DeviceId;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::recovery::RecoveryStep;
use farmjank_seams::Work;
use farmjank_seams::connections::Connections;
use farmjank_seams::device::{Arrivals, Device, Provider};
use farmjank_seams::watched::Watched;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// How often it is heard what plugins say unasked.
const HEAR: Duration = Duration::from_millis(100);
/// How often they are asked for their phones again.
const LIST: Duration = Duration::from_secs(10);
/// How long a phone that was taken may need until adb lists it as ready.
const COMES: Duration = Duration::from_secs(30);
/// How often that is looked at.
const AGAIN: Duration = Duration::from_millis(250);

/// Plugins that lend phones, and what each lists: known before the adb servers are asked, because a phone may be on one
/// of its own.
pub struct Lenders {
    lenders: Vec<Lender>,
    listed: Vec<Result<Vec<Offer>, Fault>>,
}

impl Lenders {
    /// Those of these plugins that lend phones; waits for their hellos, and asks them for their phones.
    pub async fn of(plugins: &[Started]) -> Lenders {
        let patience = Patience::default();
        let lend = plugins.iter().filter(|one| one.lends(&patience));
        let lenders: Vec<Lender> = lend.map(|one| Lender::new(one.clone(), patience)).collect();
        let mut listed = Vec::new();
        for lender in &lenders {
            listed.push(lender.list().await);
        }
        Lenders { lenders, listed }
    }

    /// Whether nobody lends anything.
    pub fn is_empty(&self) -> bool {
        self.lenders.is_empty()
    }

    /// Every phone that is listed.
    pub fn offers(&self) -> impl Iterator<Item = &Offer> {
        self.listed.iter().flatten().flatten()
    }

    /// Their phones beside those of a provider, which reaches both; `connections` tells its server of phones on the
    /// network, and `own_servers` are used for lent phones alone.
    pub fn beside(
        self,
        inner: Rc<dyn Provider>,
        connections: Rc<dyn Connections>,
        own_servers: Vec<String>,
    ) -> LentPhones {
        let mut desk = Desk::of(self.lenders.iter().map(Lender::name).collect(), own_servers);
        self.listed.into_iter().enumerate().for_each(|(lender, listed)| desk.listed(lender, listed));
        let desk = Rc::new(Watched::new(desk));
        let lenders: Rc<[Lender]> = self.lenders.into();
        LentPhones { inner, connections, lenders, desk, listening: RefCell::new(None) }
    }
}

/// Ends a task when dropped.
struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Lent phones beside others. Needs a tokio `LocalSet` around it.
pub struct LentPhones {
    inner: Rc<dyn Provider>,
    connections: Rc<dyn Connections>,
    lenders: Rc<[Lender]>,
    desk: Rc<Watched<Desk>>,
    /// Hears what plugins say unasked.
    listening: RefCell<Option<Task>>,
}

/// Hears plugins for ever, and asks them for their phones again.
async fn listen(lenders: Rc<[Lender]>, desk: Rc<Watched<Desk>>, connections: Rc<dyn Connections>) {
    let mut due = Instant::now() + LIST;
    loop {
        tokio::time::sleep(HEAR).await;
        for (number, lender) in lenders.iter().enumerate() {
            let mut lost = lender.hear().lost;
            let ended = lender.gone().filter(|_| desk.borrow().end_of(number).is_none());
            if let Some(fault) = ended {
                lost.extend(desk.borrow().ours_of(number).into_iter().map(|id| (id, fault.what.clone())));
                desk.change(|desk| desk.ended(number, fault));
            }
            for (phone, why) in lost {
                let mut at = None;
                // Nobody speaks with it from here on, whatever adb still has of it.
                desk.change(|desk| at = desk.freed(&phone, Some(why)));
                if let Some(at) = at.filter(|at| *at != phone) {
                    // A connection that stays would reach the phone when it is somebody else's.
                    let _ = connections.disconnect(&at.0).await;
                }
            }
        }
        if Instant::now() < due {
            continue;
        }
        for (number, lender) in lenders.iter().enumerate().filter(|(_, lender)| lender.gone().is_none()) {
            let listed = lender.list().await;
            desk.change(|desk| desk.listed(number, listed));
        }
        due = Instant::now() + LIST;
    }
}

impl LentPhones {
    fn begin_to_listen(&self) {
        let work = || listen(self.lenders.clone(), self.desk.clone(), self.connections.clone());
        self.listening.borrow_mut().get_or_insert_with(|| Task(tokio::task::spawn_local(work())));
    }

    /// The plugin that lends a phone, and how; none where nobody does.
    fn offered(&self, phone: &DeviceId) -> Option<(&Lender, Reach, Hold)> {
        let desk = self.desk.borrow();
        let entry = desk.entry(phone)?;
        Some((self.lenders.get(entry.lender)?, entry.offer.reach.clone(), entry.hold.clone()))
    }

    async fn lent(&self, phone: &DeviceId) -> Result<Rc<dyn Device>, Fault> {
        let Some((lender, reach, hold)) = self.offered(phone) else { return self.inner.lease(phone).await };
        self.begin_to_listen();
        if let Some(fault) = lender.gone() {
            return Err(fault);
        }
        if let Hold::Parting(_) = hold {
            self.give(phone).await?;
        }
        let at = self.desk.borrow().reached_as(phone).cloned();
        let at = match at {
            Some(at) => at,
            None => self.take(lender, phone, reach).await?,
        };
        let ours = Ours { desk: self.desk.clone(), lender: lender.name(), phone: phone.clone(), at };
        let inner = self.come(&ours).await?;
        Ok(Rc::new(LentDevice { inner, ours }))
    }

    /// Has a phone from its plugin; what adb calls it.
    async fn take(&self, lender: &Lender, phone: &DeviceId, reach: Reach) -> Result<DeviceId, Fault> {
        let address = lender.take(phone).await?;
        let at = match (address, reach) {
            (Some(address), _) | (None, Reach::Connect(Some(address))) => DeviceId(address),
            (None, Reach::Listed(..)) => phone.clone(),
            (None, Reach::Connect(None)) => {
                let _ = lender.give_back(phone).await;
                let what =
                    format!("{} took {phone} and does not say where it is connected to", lender.name());
                let advice = "say `connect` in `taken`, or in `phones`";
                return Err(Fault::new(FaultCode::PluginFailed, what).advise(advice));
            }
        };
        self.desk.change(|desk| desk.taken(phone, at.clone()));
        Ok(at)
    }

    /// The phone behind adb, once it is there. One that does not come is kept: the next try connects anew.
    async fn come(&self, ours: &Ours) -> Result<Rc<dyn Device>, Fault> {
        let until = Instant::now() + COMES;
        let mut said = None;
        loop {
            let tried = self.inner.lease(&ours.at).await;
            let fault = match tried {
                Ok(device) => return Ok(device),
                Err(fault) if fault.code == FaultCode::DeviceLeased || Instant::now() >= until => fault,
                Err(_) if ours.at == ours.phone || said.is_some() => {
                    tokio::time::sleep(AGAIN).await;
                    continue;
                }
                Err(_) => match self.connections.connect(&ours.at.0).await {
                    Ok(words) => {
                        said = Some(words);
                        continue;
                    }
                    Err(fault) if Instant::now() >= until => fault,
                    Err(_) => {
                        tokio::time::sleep(AGAIN).await;
                        continue;
                    }
                },
            };
            return Err(ours.renamed(fault));
        }
    }

    /// Gives a phone back that is ours; nothing where it is not.
    async fn give(&self, phone: &DeviceId) -> Result<(), Fault> {
        let Some((lender, _, _)) = self.offered(phone) else { return Ok(()) };
        let at = self.desk.borrow().reached_as(phone).cloned();
        let Some(at) = at else { return Ok(()) };
        self.desk.change(|desk| desk.parting(phone));
        if at != *phone {
            // Also where it is not connected: so much the better.
            let _ = self.connections.disconnect(&at.0).await;
        }
        let given = lender.give_back(phone).await;
        self.desk.change(|desk| drop(desk.freed(phone, None)));
        given
    }
}

impl Provider for LentPhones {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn watch<'a>(&'a self) -> Work<'a, Box<dyn Arrivals>> {
        Box::pin(async move {
            let inner = self.inner.watch().await?;
            self.begin_to_listen();
            let mut told = Told::default();
            let ready: VecDeque<_> = self.desk.borrow().arrivals(&mut told).into();
            let (desk, seen) = (self.desk.clone(), self.desk.borrow().changes);
            Ok(Box::new(LentArrivals { inner, desk, told, ready, seen }) as Box<dyn Arrivals>)
        })
    }

    fn recover<'a>(&'a self, id: &'a DeviceId, step: RecoveryStep) -> Work<'a, String> {
        Box::pin(async move {
            let at = self.desk.borrow().reached_as(id).cloned();
            match (at, self.offered(id)) {
                (Some(at), _) => self.inner.recover(&at, step).await,
                (None, None) => self.inner.recover(id, step).await,
                (None, Some((lender, ..))) => {
                    let what = format!("{id} is not held: {} has it", lender.name());
                    Err(Fault::new(FaultCode::DeviceMissing, what).passing())
                }
            }
        })
    }

    fn lease<'a>(&'a self, id: &'a DeviceId) -> Work<'a, Rc<dyn Device>> {
        Box::pin(self.lent(id))
    }

    fn borrowed(&self) -> Vec<DeviceId> {
        self.desk.borrow().ours()
    }

    fn give_back<'a>(&'a self, id: &'a DeviceId) -> Work<'a, ()> {
        Box::pin(self.give(id))
    }
}
