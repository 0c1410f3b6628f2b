//! Several runs at once on the phones of one lab, as processes of one computer: each with claims, bundle and voice of
//! its own.

use crate::stage::{Stage, Story};
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_seams::claim::{Claim, Claimant, Claims, Unclaimed};
use futures::future::join_all;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

type Held = Rc<RefCell<BTreeMap<(String, DeviceId), Claimant>>>;

/// The claims of a computer, in memory.
#[derive(Clone, Default)]
pub struct Together(Held);

impl Together {
    /// Phones that are claimed now.
    pub fn held(&self) -> Vec<String> {
        self.0.borrow().values().map(|by| by.who.clone()).collect()
    }
}

struct One(Held, (String, DeviceId));

impl Drop for One {
    fn drop(&mut self) {
        self.0.borrow_mut().remove(&self.1);
    }
}

impl Claims for Together {
    fn claim(&self, server: &str, phone: &DeviceFacts, who: &str) -> Result<Claim, Unclaimed> {
        let key = (server.to_owned(), phone.id.clone());
        if let Some(by) = self.0.borrow().get(&key) {
            return Err(Unclaimed::Held(by.clone()));
        }
        let by =
            Claimant { who: who.to_owned(), facts: Some(Box::new(phone.clone())), ..Claimant::default() };
        self.0.borrow_mut().insert(key.clone(), by);
        Ok(Claim(Box::new(One(self.0.clone(), key))))
    }

    fn claimant(&self, server: &str, phone: &DeviceId) -> Option<Claimant> {
        self.0.borrow().get(&(server.to_owned(), phone.clone())).cloned()
    }
}

/// Plays runs in the lab of the first, each begun so long after the lab was switched on; and who holds phones when all
/// are over.
pub fn beside(stages: Vec<(Duration, Stage)>) -> (Vec<Story>, Vec<String>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.expect("a runtime");
    tokio::task::LocalSet::new().block_on(&runtime, async {
        let lab = stages.first().expect("a run").1.lab.build().expect("a lab that can be built");
        let claims = Together::default();
        let runs = stages.into_iter().map(|(after, stage)| {
            let lab = lab.clone();
            let claims = Rc::new(claims.clone());
            async move {
                tokio::time::sleep(after).await;
                stage.conducted(lab, claims).await
            }
        });
        let stories = join_all(runs).await;
        (stories, claims.held())
    })
}
