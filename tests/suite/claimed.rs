//! A phone on which another run measures is asked nothing by a run that comes later.

use farmjank_devices::{AdbProvider, Options};
use farmjank_engine::patience::Patience;
use farmjank_engine::survey::{Surveyed, Wanted, survey};
use farmjank_lab::dial::LabDial;
use farmjank_lab::lab::Lab;
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_results::fault::Fault;
use farmjank_seams::claim::{
    Claim, Claimant, Claimer, Claims, MemoryPhoneLog, PhoneLog, PhoneNote, Private, Unclaimed,
};
use farmjank_seams::device::Provider;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

/// One phone is somebody else's, as long as it is looked at so often.
struct Elsewhere {
    facts: Option<Box<DeviceFacts>>,
    looks: Cell<u32>,
}

impl Claims for Elsewhere {
    fn claim(&self, _: &str, _: &DeviceFacts, _: &Claimer) -> Result<Claim, Unclaimed> {
        Ok(Claim(Box::new(())))
    }

    fn claimant(&self, _: &str, _: &DeviceId) -> Option<Claimant> {
        let left = self.looks.get().checked_sub(1)?;
        self.looks.set(left);
        let (who, since) = ("run 20260301-120000-5eed7a".to_owned(), "2026-03-01T12:00:00Z".to_owned());
        Some(Claimant { who, pid: 815, since, facts: self.facts.clone(), ..Claimant::default() })
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

    fn log(&self, _: &str, _: &DeviceId, _: PhoneNote) -> Rc<dyn PhoneLog> {
        Rc::new(MemoryPhoneLog::default())
    }
}

/// What a survey finds out about the only phone, and how many lines its shells ran for that.
fn surveyed(claims: &dyn Claims, wait: Duration) -> (Result<DeviceFacts, Fault>, usize) {
    let lab = Lab::from_yaml("name: one\nphones: [ { archetype: pixel-6, serial: S1 } ]\n").expect("a lab");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    tokio::task::LocalSet::new().block_on(&runtime.expect("a runtime"), async {
        let live = lab.build().expect("a lab that can be built");
        let lines = Rc::new(RefCell::new(0));
        let count = lines.clone();
        live.transcribe(Rc::new(move |_| *count.borrow_mut() += 1));
        let dial = Rc::new(LabDial::new(live.clone()));
        let provider = AdbProvider::new(lab.servers(), dial, Options::default());
        let mut arrivals = provider.watch().await.expect("a lab that answers");
        let wanted = Wanted { wait, ..Wanted::default() };
        let all = survey(&provider, &mut *arrivals, &wanted, &Patience::default(), claims).await;
        let Surveyed { facts, .. } = all.expect("phones").remove(0);
        let lines = *lines.borrow();
        (facts, lines)
    })
}

#[test]
fn a_phone_in_use_is_known_by_what_its_run_knows_and_is_asked_nothing() {
    let (facts, lines) = surveyed(&Private::default(), Duration::ZERO);
    let facts = facts.expect("facts");
    assert!(lines > 0, "a free phone is asked");
    let used = Elsewhere { facts: Some(Box::new(facts.clone())), looks: Cell::new(u32::MAX) };
    let (told, lines) = surveyed(&used, Duration::ZERO);
    assert_eq!((told.expect("facts"), lines), (facts, 0));
}

#[test]
fn a_phone_in_use_of_which_nothing_is_known_is_waited_for_within_bounds() {
    let silent = |looks| Elsewhere { facts: None, looks: Cell::new(looks) };
    let (told, lines) = surveyed(&silent(u32::MAX), Duration::from_secs(60));
    let fault = told.expect_err("in use");
    assert_eq!((fault.code.word(), lines), ("device_in_use", 0));
    assert!(fault.what.contains("S1 is used by run 20260301-120000-5eed7a (process 815)"), "{fault}");
    assert!(fault.what.contains("still after 60 s"), "{fault}");
    let (told, lines) = surveyed(&silent(9), Duration::from_secs(60));
    assert!(told.is_ok() && lines > 0, "it is asked once it is free");
}
