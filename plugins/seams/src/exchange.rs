//! The exchange: where hosts of a farm meet. Work is offered and taken, leases are held, logs are written and followed,
//! objects are left for others. Whoever implements it only carries; what is true is held at both ends.
//!
//! Every call may have happened although it failed: a passing `farm_unreachable` says only that no answer came. So all
//! of them can be asked again: an append names what it comes after, a lease its fence, an object its digest, and an
//! offer that is given twice is known by what it says. Numbers given here may go back when a store is lost: a fence or
//! a place orders nothing for good.
//!
//! Faults: `farm_unreachable` (passing), `farm_full` (quota), `farm_refused` (credentials).
//!
//! Must not know: what is in the bytes, clocks, servers.

use crate::Work;
use std::time::Duration;

/// A number that grows with every grant and renewal of a lease, from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fence(pub u64);

/// Where something stands in the store of all logs, from 1; 0 is before everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place(pub u64);

/// Work that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// What to name when it is kept or done.
    pub receipt: String,
    /// What was offered.
    pub body: Vec<u8>,
    /// How often it was given to anybody, this time included.
    pub times: u64,
}

/// Who holds a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// What the holder says of itself.
    pub body: Vec<u8>,
    /// Its fence.
    pub fence: Fence,
}

/// What became of asking for a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leased {
    /// It is held with this fence.
    Granted(Fence),
    /// Somebody holds it, perhaps who asks: an answer was lost.
    Held(Holder),
    /// Nobody holds it with the fence that was named.
    Gone,
}

/// One line of a run's log: what one writer says, in one generation of the store.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogLine {
    /// The run.
    pub run: String,
    /// How often the run's log was begun anew, from 1.
    pub generation: u32,
    /// Its writer.
    pub line: String,
}

/// Something written, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Where.
    pub place: Place,
    /// By whom.
    pub line: String,
    /// When the store got it, ns of a clock of its own that never goes back as long as it is the same store.
    pub stamp: u64,
    /// What.
    pub body: Vec<u8>,
}

/// What became of an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    /// It stands there.
    At(Place),
    /// The line's last entry is another than the one named: nothing was written.
    Refused,
}

/// Where the hosts of a farm meet.
pub trait Exchange {
    /// Offers work to a host. The same `id` offered again soon is the same offer; later it may be given twice.
    fn offer<'a>(&'a self, host: &'a str, id: &'a str, body: &'a [u8]) -> Work<'a, ()>;
    /// The next work for a host, waiting so long for it. Work that is neither kept nor done in time is given again.
    fn take<'a>(&'a self, host: &'a str, wait: Duration) -> Work<'a, Option<Taken>>;
    /// Says that taken work is still being done.
    fn keep<'a>(&'a self, receipt: &'a str) -> Work<'a, ()>;
    /// Says that taken work is done: it is not given again.
    fn done<'a>(&'a self, receipt: &'a str) -> Work<'a, ()>;

    /// Asks for a lease that nobody holds.
    fn claim<'a>(&'a self, key: &'a str, body: &'a [u8]) -> Work<'a, Leased>;
    /// Holds a lease for another term, or takes it over from the holder of this fence.
    fn renew<'a>(&'a self, key: &'a str, fence: Fence, body: &'a [u8]) -> Work<'a, Leased>;
    /// Gives a lease up, if it still has this fence.
    fn release<'a>(&'a self, key: &'a str, fence: Fence) -> Work<'a, ()>;
    /// Who holds a lease now.
    fn holder<'a>(&'a self, key: &'a str) -> Work<'a, Option<Holder>>;
    /// Who holds the leases of a kind, by what follows its name and a dot.
    fn holders<'a>(&'a self, kind: &'a str) -> Work<'a, Vec<(String, Holder)>>;

    /// Writes on a line, if its last entry stands at `after`.
    fn append<'a>(&'a self, line: &'a LogLine, after: Place, body: &'a [u8]) -> Work<'a, Appended>;
    /// What was written on a line last.
    fn last<'a>(&'a self, line: &'a LogLine) -> Work<'a, Option<Written>>;
    /// What was written last on the line of this name and generation, in each run that has one; by run.
    fn lasts<'a>(&'a self, generation: u32, line: &'a str) -> Work<'a, Vec<(String, Written)>>;
    /// What was written on any line of a run's generation after a place, in order, waiting so long for the first.
    fn follow<'a>(
        &'a self,
        run: &'a str,
        generation: u32,
        after: Place,
        wait: Duration,
    ) -> Work<'a, Vec<Written>>;

    /// Leaves an object for others under its digest (SHA-256, hexadecimal).
    fn put<'a>(&'a self, digest: &'a str, bytes: &'a [u8]) -> Work<'a, ()>;
    /// Forgets an object that is not what its digest says, so that it can be left again. Nothing where that is not
    /// allowed.
    fn discard<'a>(&'a self, digest: &'a str) -> Work<'a, ()>;
    /// An object somebody left; none where a part of it is gone. Whoever asks checks that it is what its digest says.
    fn get<'a>(&'a self, digest: &'a str) -> Work<'a, Option<Vec<u8>>>;
}
