//! Several runs at once on the phones of one lab, as processes of one computer: each with claims, bundle and voice of
//! its own.

use crate::stage::{Stage, Story};
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_seams::claim::{
    Claim, Claimant, Claimer, Claims, MemoryPhoneLogs, PhoneLog, PhoneNote, Unclaimed,
};
use futures::future::join_all;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

type Held = Rc<RefCell<BTreeMap<(String, DeviceId), Claimant>>>;

/// The claims of a computer, in memory.
#[derive(Clone, Default)]
pub struct Together(Held, Rc<MemoryPhoneLogs>, Waiters, Vec<String>);

impl Together {
    /// Those of a computer on which these runs had every phone before.
    pub fn after(before: &[&str]) -> Self {
        Together(
            Held::default(),
            Rc::default(),
            Waiters::default(),
            before.iter().map(ToString::to_string).collect(),
        )
    }

    /// Phones that are claimed now.
    pub fn held(&self) -> Vec<String> {
        self.0.borrow().values().map(|by| by.who.clone()).collect()
    }
}

/// Who waits, by number.
type Waiters = Rc<RefCell<BTreeMap<u64, ((String, DeviceId), Claimant)>>>;

struct Waiter(Waiters, u64);

impl Drop for Waiter {
    fn drop(&mut self) {
        self.0.borrow_mut().remove(&self.1);
    }
}

struct One(Held, (String, DeviceId));

impl Drop for One {
    fn drop(&mut self) {
        self.0.borrow_mut().remove(&self.1);
    }
}

impl Claims for Together {
    fn claim(&self, server: &str, phone: &DeviceFacts, by: &Claimer) -> Result<Claim, Unclaimed> {
        let key = (server.to_owned(), phone.id.clone());
        if let Some(by) = self.0.borrow().get(&key) {
            return Err(Unclaimed::Held(by.clone()));
        }
        let by = Claimant { facts: Some(Box::new(phone.clone())), ..claimant(by) };
        self.0.borrow_mut().insert(key.clone(), by);
        Ok(Claim(Box::new(One(self.0.clone(), key))))
    }

    fn claimant(&self, server: &str, phone: &DeviceId) -> Option<Claimant> {
        self.0.borrow().get(&(server.to_owned(), phone.clone())).cloned()
    }

    fn before(&self, _: &str, _: &DeviceId) -> Vec<String> {
        self.3.clone()
    }

    fn wait(&self, server: &str, phone: &DeviceId, by: &Claimer) -> Option<Claim> {
        let mut all = self.2.borrow_mut();
        let number = all.keys().next_back().map_or(0, |last| last + 1);
        all.insert(number, ((server.to_owned(), phone.clone()), claimant(by)));
        Some(Claim(Box::new(Waiter(self.2.clone(), number))))
    }

    fn waiting(&self, server: &str, phone: &DeviceId) -> Vec<Claimant> {
        let all = self.2.borrow();
        let mine = all.values().filter(|((at, id), _)| at == server && id == phone);
        let mut waiting: Vec<Claimant> = mine.map(|(_, by)| by.clone()).collect();
        waiting.sort_by_key(|by| std::cmp::Reverse(by.priority));
        waiting
    }

    fn log(&self, server: &str, phone: &DeviceId, of: PhoneNote) -> Rc<dyn PhoneLog> {
        self.1.of(server, phone, of)
    }
}

fn claimant(by: &Claimer) -> Claimant {
    Claimant { who: by.who.clone(), priority: by.priority, team: by.team.clone(), ..Claimant::default() }
}

/// Plays a run on a computer on which these runs had every phone before.
pub fn after(before: &[&str], stage: Stage) -> Story {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    tokio::task::LocalSet::new().block_on(&runtime.expect("a runtime"), async {
        let lab = stage.lab.build().expect("a lab that can be built");
        stage.conducted(lab, Rc::new(Together::after(before))).await
    })
}

/// The same as [`beside`], each on a computer of its own: none knows of the others' claims.
pub fn apart(stages: Vec<(Duration, Stage)>) -> Vec<Story> {
    let alone = |(after, stage)| (after, stage, Rc::new(Together::default()) as Rc<dyn Claims>);
    played(stages.into_iter().map(alone).collect())
}

/// Plays runs in the lab of the first, each begun so long after the lab was switched on; and who holds phones when all
/// are over.
pub fn beside(stages: Vec<(Duration, Stage)>) -> (Vec<Story>, Vec<String>) {
    let claims = Together::default();
    let with = |(after, stage)| (after, stage, Rc::new(claims.clone()) as Rc<dyn Claims>);
    let stories = played(stages.into_iter().map(with).collect());
    (stories, claims.held())
}

/// Plays runs in the lab of the first, each begun so long after the lab was switched on and with such claims.
pub fn played(stages: Vec<(Duration, Stage, Rc<dyn Claims>)>) -> Vec<Story> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.expect("a runtime");
    tokio::task::LocalSet::new().block_on(&runtime, async {
        let lab = stages.first().expect("a run").1.lab.build().expect("a lab that can be built");
        let runs = stages.into_iter().map(|(after, stage, claims)| {
            let lab = lab.clone();
            async move {
                tokio::time::sleep(after).await;
                stage.conducted(lab, claims).await
            }
        });
        join_all(runs).await
    })
}
