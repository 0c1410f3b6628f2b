//! Shells as processes of a phone: who is listed by `ps`, and who is gone once it is killed or the phone boots again.
//! One that nobody at this computer has opened is somebody else's.
//!
//! Must not know what the lines mean.

use crate::hand::Hand;
use crate::live_phone::LivePhone;
use crate::shell::state::{Io, Shell};
use crate::shell::stream::{Sink, Source};
use std::rc::Rc;

/// A shell that runs, listed until this is dropped.
pub(crate) struct ShellProcess {
    phone: Rc<LivePhone>,
    pid: u32,
}

impl ShellProcess {
    /// Lists a shell that was started for a line; an empty one is an interactive shell.
    pub(crate) fn new(phone: &Rc<LivePhone>, pid: u32, line: &str) -> Self {
        let line = if line.is_empty() { "sh".to_owned() } else { format!("sh -c {line}") };
        phone.model_mut().shells.insert(pid, line);
        ShellProcess { phone: phone.clone(), pid }
    }

    /// Waits until it is killed, or the phone boots again.
    pub(crate) async fn gone(&self) {
        self.phone.signalled_until(|phone| !phone.shells.contains_key(&self.pid)).await;
    }
}

impl Drop for ShellProcess {
    fn drop(&mut self) {
        self.phone.model_mut().shells.remove(&self.pid);
    }
}

/// Somebody else's shell runs a line on the phone, whatever becomes of the cable.
pub(crate) fn begin_foreign(phone: &Rc<LivePhone>, line: &str) {
    let (phone, line) = (phone.clone(), line.to_owned());
    tokio::task::spawn_local(async move {
        let io = Io { input: Source::Empty, out: Sink::Null, err: Sink::Null };
        let mut shell = Shell::new(Rc::new(Hand(phone.clone())), io);
        let process = ShellProcess::new(&phone, shell.pid(), &line);
        tokio::select! {
            biased;
            _ = shell.run(&line) => {}
            () = process.gone() => {}
        }
    });
}

/// Who runs that line ends it.
pub(crate) fn end_foreign(phone: &LivePhone, line: &str) {
    let line = format!("sh -c {line}");
    let own = |(pid, shell): (&u32, &String)| (*shell == line).then_some(*pid);
    let pids: Vec<u32> = phone.model().shells.iter().filter_map(own).collect();
    for pid in pids {
        phone.signal(pid, 15);
    }
}
