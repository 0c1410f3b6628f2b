//! A probe: asked at both ends of a stretch instead of being sampled in between, so it costs nothing while frames move.
//!
//! `timestats`, a Perfetto trace and the phone's log are of this kind. A probe is pure: it names the shell lines and
//! reads what they print; the engine runs them, keeps the bytes as evidence, and reads them again when asked to.

use crate::source::Unfit;
use farmjank_results::device::{App, DeviceFacts};
use farmjank_results::resources::Resource;
use std::collections::BTreeSet;
use std::rc::Rc;

pub use farmjank_results::reader::{ProbeOutput, ProbeReader};

/// The stretch a probe is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// One whole trial; its windows are cut out afterwards.
    Trial,
    /// One window.
    Window,
}

/// Whether a probe watches where nobody asks for it.
pub enum Only {
    /// It always does.
    Always,
    /// Nothing that it can tell is asked for.
    Never,
    /// As this one, of what is asked for.
    This(Rc<dyn Probe>),
}

/// A way of learning about frames by asking twice.
pub trait Probe: ProbeReader {
    /// What it is asked about.
    fn scope(&self) -> Scope;
    /// What of it is left where only this is asked for of the phone's resources.
    fn only(&self, _asked: &BTreeSet<Resource>) -> Only {
        Only::Always
    }
    /// Whether it can work on this phone at all.
    fn offer(&self, facts: &DeviceFacts) -> Result<(), Unfit>;
    /// Shell line run once before the first stretch of a job (settings to enable); its output is kept for
    /// [`Probe::disable`].
    fn enable(&self, _facts: &DeviceFacts, _app: &App) -> Option<String> {
        None
    }
    /// Shell line that undoes [`Probe::enable`], given what that printed, and ends what a stretch without an end left
    /// on. Run whatever happened.
    fn disable(&self, _facts: &DeviceFacts, _app: &App, _enabled: &[u8]) -> Option<String> {
        None
    }
    /// Shell line at the beginning of a stretch. `nonce` makes names on the phone unique. Exit status not 0: unfit,
    /// with the words it printed.
    fn begin(&self, facts: &DeviceFacts, app: &App, nonce: u64) -> String;
    /// Shell line that runs in a shell of its own from the beginning to the end of a stretch and is ended with it: what
    /// it prints comes before what [`Probe::end`] does. It must halt no app and cost next to nothing, for frames move
    /// meanwhile.
    fn during(&self, _facts: &DeviceFacts, _app: &App) -> Option<String> {
        None
    }
    /// Shell line at its end, given what the beginning printed; its standard output is what the reader gets. It must
    /// leave nothing behind on the phone, except what [`Probe::left`] names.
    fn end(&self, facts: &DeviceFacts, app: &App, nonce: u64, mark: &[u8]) -> String;
    /// What its end leaves on the phone instead of printing it, because it may be long.
    fn left(&self, _nonce: u64) -> Option<Left> {
        None
    }
    /// The same, recording also what tells why frames were late: costlier, and for trials that do not count.
    fn for_causes(&self) -> Option<Rc<dyn Probe>> {
        None
    }
    /// Another recorder that runs beside it in windows of trials that do not count: what it records is handed to the
    /// reader of causes, too.
    fn companion(&self, _facts: &DeviceFacts, _app: &App, _nonce: u64) -> Option<Companion> {
        None
    }
}

/// A recorder beside a probe's own, of one window. That it cannot record costs the trial nothing: what it says of that
/// is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Companion {
    /// What the name of its evidence file ends with.
    pub file: &'static str,
    /// Shell line that begins it, and ends one that an earlier run left behind.
    pub begin: String,
    /// Shell line that ends it, and prints what it said.
    pub end: String,
    /// What it leaves.
    pub left: Left,
}

/// A file on the phone, to be fetched in pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// Where it is.
    pub path: String,
    /// Shell line that takes it away.
    pub discard: String,
}
