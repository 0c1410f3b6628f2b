//! Signs of life of a leased phone, and the heartbeat that finds one which is connected and silent.

use crate::adb::options::Heartbeat;
use crate::adb::refusal::{LinkError, shown};
use crate::adb::shell;
use crate::adb::state::{AdbState, Key};
use crate::adb::task::Task;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::watched::Watched;
use std::cell::Cell;
use std::rc::{Rc, Weak};
use tokio::time::{Instant, sleep, sleep_until};

/// When a leased phone was last heard, and whether it has been given up.
pub(crate) struct Liveness {
    heard: Cell<Instant>,
    down: Watched<Option<Fault>>,
}

impl Liveness {
    pub(crate) fn new() -> Self {
        Liveness { heard: Cell::new(Instant::now()), down: Watched::new(None) }
    }

    /// The phone said something.
    pub(crate) fn heard(&self) {
        self.heard.set(Instant::now());
    }

    /// Resolves when the phone is given up. Cancel-safe.
    pub(crate) async fn down(&self) -> Fault {
        self.down.until(Option::is_some).await;
        let fault = self.down.borrow().clone();
        match fault {
            Some(fault) => fault,
            // It was there a moment ago, so this is never reached; waiting is the harmless answer.
            None => std::future::pending().await,
        }
    }
}

/// The fault of a phone that is connected and silent.
pub(crate) fn silent(id: &str, server: &str, heartbeat: &Heartbeat) -> Fault {
    let misses = heartbeat.misses;
    let deadline = heartbeat.deadline.as_secs_f64();
    Fault::new(
        FaultCode::DeviceSilent,
        format!(
            "phone {} is connected to {server} but missed {misses} heartbeats of {deadline:.1} s",
            shown(id)
        ),
    )
    .passing()
    .advise("replug or reboot the phone; its adb daemon hangs")
}

/// Watches one leased phone until it is given up. Ended by dropping its [`Task`].
pub(crate) async fn watch_over(state: Rc<AdbState>, key: Key, liveness: Rc<Liveness>) {
    let heartbeat = state.options.heartbeat.clone();
    let mut misses = 0;
    loop {
        let quiet_until = liveness.heard.get() + heartbeat.every;
        if misses == 0 && Instant::now() < quiet_until {
            sleep_until(quiet_until).await;
            continue;
        }
        let asked = Instant::now();
        let answered = answers(&state, &key).await;
        if answered || liveness.heard.get() > asked {
            misses = 0;
            liveness.heard.set(liveness.heard.get().max(asked));
            continue;
        }
        misses += 1;
        if misses >= heartbeat.misses.max(1) {
            let fault = silent(&key.1.0, &state.servers[key.0].name, &heartbeat);
            state.silence(&key, Task::start(revive(Rc::downgrade(&state), key.clone())));
            liveness.down.change(|down| *down = Some(fault));
            return;
        }
    }
}

/// Asks a silent phone again and again until it answers, then makes it known again.
async fn revive(state: Weak<AdbState>, key: Key) {
    loop {
        let Some(pause) = state.upgrade().map(|state| state.options.heartbeat.revive) else { return };
        sleep(pause).await;
        let Some(state) = state.upgrade() else { return };
        if answers(&state, &key).await {
            state.revived(&key);
            return;
        }
    }
}

/// The phone answers, or it fails at once: then it is not silent, and tracking will tell what it is.
async fn answers(state: &AdbState, key: &Key) -> bool {
    let server = &state.servers[key.0];
    let patience = state.options.heartbeat.deadline;
    let Ok(features) = state.features(key, crate::adb::link::after(server.options.reply)).await else {
        return true;
    };
    !matches!(shell::sign_of_life(server, &key.1, &features, patience).await, Err(LinkError::Late(..)))
}
