//! Which version is spoken, how much a plugin may say and how long it may take. What passes a bound is the plugin's
//! failure, never a wait.

use std::time::Duration;

/// The version of the protocol this farmjank speaks.
pub const PROTOCOL: u32 = 1;
/// Longest line it may say, bytes: a file of some 12 MB as base64.
pub const LINE: usize = 16 << 20;
/// Most lines it may say in all.
pub const LINES: u32 = 10_000;
/// Most bytes it may say in all.
pub const BYTES: u64 = 64 << 20;
/// Most bytes that may wait for it to read them: more than the log of any run so far.
pub const BACKLOG: usize = 64 << 20;
/// Longest conclusion it may ask for.
pub const LONGEST_CONCLUSION: Duration = Duration::from_secs(600);
/// Longest text of a notice or a reason that is shown, characters.
pub const WORDS: usize = 400;

/// How long a plugin may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For its hello, once the run has nothing else to do.
    pub hello: Duration,
    /// For its conclusion, where its hello asks for no other time.
    pub conclude: Duration,
    /// To be ready before or after a job or a trial.
    pub hook: Duration,
    /// To list the phones it lends, and to take one back.
    pub phones: Duration,
    /// To let us have a phone, where its hello asks for no other time.
    pub take: Duration,
    /// To leave after `bye`, and after its input was closed.
    pub leave: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Patience {
            hello: Duration::from_secs(10),
            conclude: Duration::from_secs(30),
            hook: Duration::from_secs(30),
            phones: Duration::from_secs(30),
            take: Duration::from_secs(60),
            leave: Duration::from_secs(5),
        }
    }
}

impl Patience {
    /// So long for each.
    pub fn each(time: Duration) -> Self {
        Patience { hello: time, conclude: time, hook: time, phones: time, take: time, leave: time }
    }
}
