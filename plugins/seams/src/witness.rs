//! A witness: asked at both ends of a stretch instead of being sampled in between, so it costs nothing while frames move.
//!
//! `timestats`, a Perfetto trace and the phone's log are of this kind. A witness is pure: it names the shell lines and reads
//! what they print; the engine runs them, keeps the bytes as evidence, and reads them again when asked to.

use crate::source::{Unfit, Unreadable};
use farmjank_results::device::{App, DeviceFacts};
use farmjank_results::frame::SourceId;
use farmjank_results::testimony::Testimony;
use farmjank_results::time::{BootTime, ClockMap};

/// The stretch a witness is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// One whole trial; its windows are cut out afterwards.
    Trial,
    /// One window.
    Window,
}

/// What a witness answered, as the phone printed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// What [`Witness::end`] printed, untouched.
    pub bytes: Vec<u8>,
    /// What [`Witness::begin`] printed, untouched: a mark the reader may need.
    pub mark: Vec<u8>,
    /// The phone's `/proc/uptime` just before the beginning.
    pub began: Option<BootTime>,
    /// The phone's `/proc/uptime` just after the end.
    pub ended: Option<BootTime>,
}

/// A way of learning about frames by asking twice.
pub trait Witness {
    /// Which.
    fn id(&self) -> SourceId;
    /// What it is asked about.
    fn scope(&self) -> Scope;
    /// Name of its evidence file, with extension: a trace other programs can open keeps its own.
    fn file(&self) -> &'static str;
    /// Whether it can work on this phone at all.
    fn offer(&self, facts: &DeviceFacts) -> Result<(), Unfit>;
    /// Shell line run once before the first stretch of a job (settings to arm); its output is kept for [`Witness::disarm`].
    fn arm(&self, _facts: &DeviceFacts, _app: &App) -> Option<String> {
        None
    }
    /// Shell line that undoes [`Witness::arm`], given what that printed. Run whatever happened.
    fn disarm(&self, _facts: &DeviceFacts, _app: &App, _armed: &[u8]) -> Option<String> {
        None
    }
    /// Shell line at the beginning of a stretch. `nonce` makes names on the phone unique. Exit status not 0: unfit, with
    /// the words it printed.
    fn begin(&self, facts: &DeviceFacts, app: &App, nonce: u64) -> String;
    /// Shell line at its end, given what the beginning printed; its standard output is the statement. It must leave nothing
    /// behind on the phone.
    fn end(&self, facts: &DeviceFacts, app: &App, nonce: u64, mark: &[u8]) -> String;
    /// Reads a statement. Pure.
    fn read(
        &self,
        statement: &Statement,
        app: &App,
        clock: Option<ClockMap>,
    ) -> Result<Testimony, Unreadable>;
}
