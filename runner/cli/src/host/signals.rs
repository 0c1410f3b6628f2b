//! Signals, on a thread of their own: whatever the run waits for, a pipe nobody reads or a store that does not answer,
//! a request to end is heard.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "part of the outside world, as `host.rs`"
)]

use super::Streams;
use super::system::{EndRequest, EndRequests};
use farmjank_engine::scribe::Voice;
use farmjank_engine::stop::{Stop, Urgency};
use farmjank_results::verdict::{EXIT_INTERRUPTED, EXIT_TERMINATED};
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// How long a run that is told to end may take for it.
const GRACE: Duration = Duration::from_secs(8);

/// The run is over, and what still keeps the process is not worth waiting for once somebody wants it to end.
static LEAVING: AtomicBool = AtomicBool::new(false);

/// Who is told of signals; none before the first run.
static TOLD: Mutex<Option<Told>> = Mutex::new(None);

/// A run, and how often it was interrupted.
struct Told {
    run: UnboundedSender<EndRequest>,
    interrupted: u32,
}

/// Carries signals to a run, and to none before it: the first interrupt lets running trials finish, the second cancels
/// them, the third exits. A request to terminate cancels them, and is the end of the process 8 s later.
pub fn listen(stop: Stop) {
    let (run, heard) = unbounded_channel();
    *told() = Some(Told { run, interrupted: 0 });
    leave_at_once(false);
    hear();
    tokio::task::spawn_local(obey(heard, stop));
}

/// Hears signals from here on, on a thread of its own, however often it is called.
pub fn hear() {
    static HEARING: Once = Once::new();
    HEARING.call_once(|| {
        let (ready, is_ready) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            if let Ok(runtime) = runtime {
                runtime.block_on(carry(ready));
            }
        });
        // Until both are heard, a signal is the end without a word. A thread that cannot hear has let go of its end.
        let _ = is_ready.recv();
    });
}

/// From now on the first signal ends the process.
pub fn leave_at_once(leaving: bool) {
    LEAVING.store(leaving, Ordering::Relaxed);
}

fn told() -> MutexGuard<'static, Option<Told>> {
    TOLD.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn carry(ready: Sender<()>) {
    let Ok(mut requests) = EndRequests::heard() else { return };
    let _ = ready.send(());
    loop {
        let request = requests.next().await;
        let code = match request {
            EndRequest::Interrupt => EXIT_INTERRUPTED,
            EndRequest::Terminate => EXIT_TERMINATED,
        };
        if LEAVING.load(Ordering::Relaxed) {
            exit(code.into());
        }
        let mut told = told();
        let Some(told) = told.as_mut() else { exit(code.into()) };
        // Who shows a finished run listens for itself.
        if told.run.send(request).is_err() {
            continue;
        }
        match request {
            EndRequest::Terminate => {
                std::thread::spawn(|| {
                    std::thread::sleep(GRACE);
                    exit(EXIT_TERMINATED.into());
                });
            }
            EndRequest::Interrupt => {
                told.interrupted += 1;
                if told.interrupted > 2 {
                    exit(code.into());
                }
            }
        }
    }
}

async fn obey(mut heard: UnboundedReceiver<EndRequest>, stop: Stop) {
    while let Some(told) = heard.recv().await {
        match (told, stop.urgency()) {
            (EndRequest::Terminate, _) => stop.ask(Urgency::Cancel, "SIGTERM"),
            (EndRequest::Interrupt, Urgency::None) => {
                stop.ask(Urgency::Drain, "SIGINT");
                Streams.err("interrupted: running trials are finished; press again to stop them now\n");
            }
            (EndRequest::Interrupt, _) => stop.ask(Urgency::Cancel, "SIGINT"),
        }
    }
}
