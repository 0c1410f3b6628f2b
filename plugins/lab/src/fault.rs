//! What goes wrong in a lab: on schedule, from its file, or by hand, from a test.
//!
//! Every fault is an instant and, where it can end, a length; all on lab time, so one seed gives one story.

use crate::phone_fault::PhoneFault;
use std::time::Duration;

/// What goes wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// The phone leaves the list and every open stream dies; after the length it is back.
    Unplug,
    /// Everything is accepted and nothing answered.
    Wedge,
    /// Listed as `offline`; open streams die.
    Offline,
    /// Listed as `unauthorized`; open streams die.
    Unauthorized,
    /// Listed as `no permissions (…)`: udev rules of this computer are missing; open streams die.
    NoPermissions,
    /// Listed as `recovery`: it has booted into something that is not Android; open streams die.
    Recovery,
    /// Calls and commands take this many times as long.
    Slow(f64),
    /// Bytes from the phone arrive damaged.
    Garble,
    /// The adb server of the phone goes away, with every connection to it.
    ServerRestart,
    /// The phone goes away and comes back fresh: nothing runs, files stay.
    Reboot,
    /// Thermal status 0 to 6; 0 again after the length.
    Heat(u8),
    /// Apps are compiled in the background.
    Dexopt,
    /// SurfaceFlinger answers no dump for a while, so that its rings overflow.
    RingOverflow,
    /// The screen goes off, and no key wakes it before the length is over.
    ScreenOff,
    /// SurfaceFlinger hangs: `dumpsys` gives up on each dump of it after ten seconds, and says so.
    DumpTimeout,
    /// Somebody else's shell on the phone runs this line.
    ForeignLoop(String),
    /// The phone's clocks run faster by so many parts per million.
    ClockDrift(f64),
    /// Something inside the phone; see there.
    Model(PhoneFault),
}

/// Which phones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whom {
    /// Every phone.
    All,
    /// The phone with this serial.
    Phone(String),
}

/// A fault with its time.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheduled {
    /// Lab time of its begin.
    pub at: Duration,
    /// Which phones.
    pub whom: Whom,
    /// What.
    pub kind: Kind,
    /// How long; none means for ever, or as long as such a thing takes.
    pub length: Option<Duration>,
    /// What ends it before.
    pub until: Option<Remedy>,
}

/// What somebody at the computer can do for a phone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Remedy {
    /// The server makes its connection anew.
    Reconnect,
    /// The phone boots again.
    Reboot,
}

impl Kind {
    /// Whether it is about the phone's connection, which somebody at the computer may mend.
    pub fn is_of_connection(&self) -> bool {
        matches!(self, Kind::Unplug | Kind::Wedge | Kind::Offline)
    }
}
