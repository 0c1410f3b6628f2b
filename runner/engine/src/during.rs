//! What a probe looks at while a window is open: a shell of its own that prints, beside the sampling loop.
//!
//! It ends with the window's steps, and whatever ends it early costs the window nothing: the ends were looked at too.
//! Must not know what is printed.

use crate::device_session::DeviceSession;
use crate::probes::ProbeAnswer;
use farmjank_results::frame::SourceId;
use farmjank_seams::device::Next;
use tokio::sync::Notify;

/// Most bytes kept of one window.
const MOST: usize = 1 << 20;

/// The looks of one window.
pub(crate) struct During<'a> {
    session: &'a DeviceSession<'a>,
    line: Option<(SourceId, String)>,
    over: Notify,
}

impl<'a> During<'a> {
    /// Of a window whose probe runs this; of one without, nothing.
    pub(crate) fn new(session: &'a DeviceSession<'a>, line: Option<(SourceId, String)>) -> Self {
        During { session, line, over: Notify::new() }
    }

    /// The window's steps are over.
    pub(crate) fn stop(&self) {
        self.over.notify_one();
    }

    /// What was printed until it was stopped.
    pub(crate) async fn run(&self) -> Vec<u8> {
        let mut printed = Vec::new();
        tokio::select! {
            biased;
            () = self.over.notified() => {}
            () = self.print(&mut printed) => {}
        }
        printed
    }

    async fn print(&self, printed: &mut Vec<u8>) {
        let Some((_, line)) = &self.line else { return };
        let patience = self.session.patience();
        let line = self.session.env.signature().sign(line);
        let Ok(mut stream) = self.session.device.stream(&line, patience.open).await else { return };
        while printed.len() < MOST
            && let Ok(Next::Line(line)) = stream.next(patience.silence).await
        {
            printed.extend_from_slice(&line);
            printed.push(b'\n');
        }
    }

    /// Puts what was printed before what its probe answered at the end.
    pub(crate) fn join(&self, answer: &mut ProbeAnswer, printed: &[u8]) {
        let own = self.line.as_ref().is_some_and(|(source, _)| *source == answer.probe.id());
        if own && !printed.is_empty() {
            answer.output.bytes.splice(0..0, printed.iter().copied());
        }
    }
}
