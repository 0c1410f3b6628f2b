//! Timeouts and budgets as values, in one place.

use farmjank_results::recovery::RecoveryStep;
use std::time::Duration;

/// How long to wait for what, and how often to try again. One field for each bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// One ordinary shell call (`getprop`, `wm size`…).
    pub call: Duration,
    /// One dump of a service.
    pub dump: Duration,
    /// `am start -W` and other calls that wait for the app themselves.
    pub launch: Duration,
    /// Changing settings of a phone, or setting them back, in one call: until Android 8 `settings` starts a virtual
    /// machine, which took up to a second, three times for each of them.
    pub settings: Duration,
    /// Moving a build of the app to the phone, installing it, or compiling it; each.
    pub install: Duration,
    /// Opening a streaming shell.
    pub open: Duration,
    /// Silence of the sampling loop after which it is taken for wedged: above the ten seconds after which `dumpsys`
    /// itself gives up on a service, so that the phone's own words are heard.
    pub silence: Duration,
    /// How long the end of a window may wait for the last frames to resolve.
    pub drain: Duration,
    /// How long a phone may take to be left as it was found, where somebody waits for the end of the run: twice this is
    /// well within the 8 s a run that is told to end may take.
    pub parting: Duration,
    /// How long a phone that left may stay away before its job is given up.
    pub absence: Duration,
    /// How long a hot phone may take to cool before a trial.
    pub cooling: Duration,
    /// How often a job is tried again after a passing fault of the lab.
    pub retries: u32,
    /// Pause before such a retry.
    pub backoff: Duration,
    /// The furthest that is gone for a phone that does not answer; none: it is waited for.
    pub recover: Option<RecoveryStep>,
    /// How often a phone may be booted within 24 hours, by whichever runs of this computer.
    pub reboots_per_day: u32,
}

impl Default for Patience {
    fn default() -> Self {
        Patience {
            call: Duration::from_secs(10),
            dump: Duration::from_secs(15),
            launch: Duration::from_secs(30),
            settings: Duration::from_secs(30),
            install: Duration::from_secs(300),
            open: Duration::from_secs(10),
            silence: Duration::from_secs(13),
            drain: Duration::from_secs(5),
            parting: Duration::from_secs(3),
            absence: Duration::from_secs(60),
            cooling: Duration::from_secs(120),
            retries: 2,
            backoff: Duration::from_secs(2),
            recover: Some(RecoveryStep::Reconnect),
            reboots_per_day: 3,
        }
    }
}
