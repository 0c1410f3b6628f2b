//! Who reads what a phone printed: the pure half of every source and probe. The other half, which asks the phone, is a
//! seam.

use crate::device::App;
use crate::dump::Dump;
use crate::frame::{Sample, SourceId};
use crate::frame_lanes::FrameLanes;
use crate::hitch_causes::HitchCauses;
use crate::motion::Motion;
use crate::side_reading::SideReading;
use crate::time::{BootTime, ClockMap};

/// Why a dump cannot be read: what it says instead, in words for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// The layer or package does not exist (any more): period only, `No process found`.
    Missing(String),
    /// The layer exists and never gets buffers; or, before anything is known of it, has got none yet.
    Empty(String),
    /// Not the text this source prints; holds the offending line.
    Garbled(String),
    /// The phone refused or failed to dump.
    Refused(String),
}

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.words())
    }
}

impl std::error::Error for Unreadable {}

impl Unreadable {
    /// Why, in words for the user.
    pub fn words(&self) -> &str {
        match self {
            Unreadable::Missing(why)
            | Unreadable::Empty(why)
            | Unreadable::Garbled(why)
            | Unreadable::Refused(why) => why,
        }
    }
}

/// Reads the dumps of one source.
pub trait DumpReader {
    /// Which source.
    fn id(&self) -> SourceId;
    /// Reads one dump. Pure. A clock map turns its stamps into the frames' clock. One dump may hold several rings
    /// (windows of a process): each comes with its own name.
    fn read(&self, dump: &Dump, clock: Option<ClockMap>) -> Result<Vec<(String, Sample)>, Unreadable>;
    /// How the phone's clocks stand to each other, where dumps of this source say so.
    fn clock(&self, _dump: &Dump) -> Option<ClockMap> {
        None
    }
}

/// What a probe answered, as the phone printed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeOutput {
    /// What was printed at the end of the stretch, untouched.
    pub bytes: Vec<u8>,
    /// What was printed at its beginning, untouched: a mark the reader may need.
    pub mark: Vec<u8>,
    /// The phone's `/proc/uptime` just before the beginning.
    pub began: Option<BootTime>,
    /// The phone's `/proc/uptime` just after the end.
    pub ended: Option<BootTime>,
}

/// Reads the outputs of one probe.
pub trait ProbeReader {
    /// Which.
    fn id(&self) -> SourceId;
    /// Name of its evidence file, with extension: a trace other programs can open keeps its own.
    fn file(&self) -> &'static str;
    /// Name of a file that is recorded beside it, where one is: it tells of no frames.
    fn beside(&self) -> Option<&'static str> {
        None
    }
    /// Reads an output. Pure.
    fn read(
        &self,
        output: &ProbeOutput,
        app: &App,
        clock: Option<ClockMap>,
    ) -> Result<SideReading, Unreadable>;
    /// Reads what was recorded to see why frames were late, where this probe records that.
    fn causes(&self, _app: &App, _clock: Option<ClockMap>) -> Option<Box<dyn CauseReader>> {
        None
    }
}

/// Reads a trace that also tells what threads did, in pieces, as it may be long: once for its frames, and once more for
/// why those of some windows were late.
pub trait CauseReader {
    /// Takes the next bytes.
    fn feed(&mut self, bytes: &[u8]);
    /// Takes the next bytes of what a companion recorded beside the trace, before the first reading ends: of one file
    /// after the other.
    fn beside(&mut self, _bytes: &[u8]) {}
    /// Takes what the companion of this file said when it was ended; or why nothing came of it. Others may follow.
    fn beside_said(&mut self, _said: Result<&[u8], &str>) {}
    /// Ends the first reading: what it says of frames, as [`ProbeReader::read`].
    ///
    /// # Errors
    /// As of [`ProbeReader::read`].
    fn frames(&mut self) -> Result<SideReading, Unreadable>;
    /// Begins the second reading, for frames that were shown in these motions, of one window after the other. False
    /// where nothing is to be read for it.
    fn ask(&mut self, windows: &[&[Motion]]) -> bool;
    /// Ends the second reading: why frames were late, window by window; or why that cannot be told.
    fn causes(&mut self) -> Vec<Result<Explained, String>>;
}

/// Why frames of a window were late, and pictures of those that cost most.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explained {
    /// Why.
    pub causes: HitchCauses,
    /// Pictures.
    pub lanes: FrameLanes,
}
