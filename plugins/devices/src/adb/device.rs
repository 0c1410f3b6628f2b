//! A leased phone over adb: the verbs of the seam, with the heartbeat beside them.

use crate::adb::files;
use crate::adb::link::{Server, after};
use crate::adb::liveness::{Liveness, watch_over};
use crate::adb::refusal::LinkError;
use crate::adb::shell;
use crate::adb::state::{AdbState, Key, Lease};
use crate::adb::stream::ShellStream;
use crate::adb::task::Task;
use farmjank_results::device::DeviceId;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::Work;
use farmjank_seams::device::{Device, Output, Stream};
use std::rc::Rc;
use std::time::Duration;
use tokio::time::Instant;

/// A phone held exclusively. Dropping it gives the lease back and ends its heartbeat; streams already open live on.
pub struct AdbDevice {
    state: Rc<AdbState>,
    key: Key,
    liveness: Rc<Liveness>,
    _lease: Lease,
    _heartbeat: Task,
}

impl AdbDevice {
    pub(crate) fn new(state: Rc<AdbState>, key: Key, lease: Lease) -> Self {
        let liveness = Rc::new(Liveness::new());
        let heartbeat = Task::start(watch_over(Rc::clone(&state), key.clone(), Rc::clone(&liveness)));
        AdbDevice { state, key, liveness, _lease: lease, _heartbeat: heartbeat }
    }

    fn server(&self) -> &Server {
        &self.state.servers[self.key.0]
    }

    /// Runs `work` unless the phone is given up meanwhile.
    async fn alive<T>(&self, work: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
        tokio::select! {
            biased;
            fault = self.liveness.down() => Err(fault),
            result = work => result,
        }
    }

    /// The fault for `error`. What was known of the phone's connection is forgotten when the connection is gone.
    fn fault(&self, error: LinkError) -> Fault {
        let fault = self.server().subject_of(&self.key.1).fault(error);
        if matches!(
            fault.code,
            FaultCode::DeviceLost
                | FaultCode::DeviceMissing
                | FaultCode::DeviceOffline
                | FaultCode::Closed
                | FaultCode::Refused
        ) {
            self.state.forget(&self.key);
        }
        fault
    }

    async fn call(&self, line: &str, deadline: Instant) -> Result<Output, Fault> {
        let features = self.state.features(&self.key, deadline).await?;
        let asked = shell::service(&features, line, self.state.number());
        let server = self.server();
        let heard = || self.liveness.heard();
        let place = server.place(deadline).await.map_err(|error| self.fault(error))?;
        shell::call(server, place, &self.key.1, asked, deadline, &heard)
            .await
            .map_err(|error| self.fault(error))
    }

    async fn open(&self, line: &str, deadline: Instant) -> Result<Box<dyn Stream>, Fault> {
        let features = self.state.features(&self.key, deadline).await?;
        let (service, dialect) = shell::service(&features, line, self.state.number());
        let server = self.server();
        let _place = server.place(deadline).await.map_err(|error| self.fault(error))?;
        let opened = shell::open(server, &self.key.1, &service, deadline).await;
        let link = opened.map_err(|error| self.fault(error))?;
        self.liveness.heard();
        let subject = server.subject_of(&self.key.1);
        let max = self.state.options.max_line;
        Ok(Box::new(ShellStream::new(link, dialect, max, subject, Rc::clone(&self.liveness))))
    }
}

impl Device for AdbDevice {
    fn id(&self) -> &DeviceId {
        &self.key.1
    }

    fn shell<'a>(&'a self, line: &'a str, patience: Duration) -> Work<'a, Output> {
        Box::pin(async move { self.alive(self.call(line, after(patience))).await })
    }

    fn stream<'a>(&'a self, line: &'a str, patience: Duration) -> Work<'a, Box<dyn Stream>> {
        Box::pin(async move { self.alive(self.open(line, after(patience))).await })
    }

    fn push<'a>(&'a self, bytes: &'a [u8], to: &'a str, patience: Duration) -> Work<'a, ()> {
        let phone = &self.key.1;
        Box::pin(async move { self.alive(files::push(self.server(), phone, bytes, to, patience)).await })
    }
}
