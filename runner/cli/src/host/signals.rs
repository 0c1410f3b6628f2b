//! Signals, on a thread of their own: whatever the run waits for, a pipe nobody reads or a store that does not answer,
//! a request to end is heard.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "part of the outside world, as `host.rs`"
)]

use super::Streams;
use farmjank_engine::scribe::Voice;
use farmjank_engine::stop::{Stop, Urgency};
use farmjank_results::verdict::{EXIT_INTERRUPTED, EXIT_TERMINATED};
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// How long a run that is told to end may take for it.
const GRACE: Duration = Duration::from_secs(8);

/// The run is over, and what still keeps the process is not worth waiting for once somebody wants it to end.
static LEAVING: AtomicBool = AtomicBool::new(false);

#[derive(Clone, Copy, PartialEq, Eq)]
enum EndRequest {
    Interrupt,
    Terminate,
}

/// Carries signals to a run: the first interrupt lets running trials finish, the second cancels them, the third exits.
/// A request to terminate cancels them, and is the end of the process 8 s later.
pub fn listen(stop: Stop) {
    let (sender, heard) = unbounded_channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        if let Ok(runtime) = runtime {
            runtime.block_on(carry(&sender));
        }
    });
    tokio::task::spawn_local(obey(heard, stop));
}

/// From now on the first signal ends the process.
pub fn leave_at_once(leaving: bool) {
    LEAVING.store(leaving, Ordering::Relaxed);
}

async fn carry(run: &UnboundedSender<EndRequest>) {
    let (Ok(mut interrupts), Ok(mut terminations)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return;
    };
    let mut interrupted = 0;
    loop {
        let told = next(&mut interrupts, &mut terminations).await;
        let heard = run.send(told).is_ok();
        let code = match told {
            EndRequest::Interrupt => EXIT_INTERRUPTED,
            EndRequest::Terminate => EXIT_TERMINATED,
        };
        if LEAVING.load(Ordering::Relaxed) {
            exit(code.into());
        }
        match told {
            // Who shows a finished run listens for itself.
            _ if !heard => {}
            EndRequest::Terminate => {
                std::thread::spawn(|| {
                    std::thread::sleep(GRACE);
                    exit(EXIT_TERMINATED.into());
                });
            }
            EndRequest::Interrupt => {
                interrupted += 1;
                if interrupted > 2 {
                    exit(code.into());
                }
            }
        }
    }
}

async fn next(interrupts: &mut Signal, terminations: &mut Signal) -> EndRequest {
    tokio::select! {
        biased;
        _ = terminations.recv() => EndRequest::Terminate,
        _ = interrupts.recv() => EndRequest::Interrupt,
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
