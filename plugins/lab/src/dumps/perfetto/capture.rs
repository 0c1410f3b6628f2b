//! One tracing session that is over: all a trace file is made of.

use super::config::Config;
use crate::truth::Truth;

/// One tracing session, over. One field for each thing a trace tells of its session.
#[derive(Clone, Copy, Debug)]
pub struct Capture<'a> {
    /// What happened.
    pub truth: &'a Truth<'a>,
    /// Android API level.
    pub sdk: u32,
    /// CPUs.
    pub cores: u32,
    /// What was asked for.
    pub config: &'a Config,
    /// The data sources ran from here …
    pub began: i64,
    /// … to here.
    pub ended: i64,
    /// CLOCK_BOOTTIME minus CLOCK_MONOTONIC.
    pub boot_offset: i64,
    /// CLOCK_REALTIME minus CLOCK_MONOTONIC.
    pub wall_offset: i64,
    /// Processes of apps in order of birth: when, pid, name.
    pub births: &'a [(i64, u32, String)],
    /// Names of the apps that may be looked into: debuggable ones, and those that say so.
    pub profiled: &'a [String],
    /// Build fingerprint.
    pub build: &'a str,
    /// Seed of cookies and losses.
    pub seed: u64,
    /// Share of chunks lost on their way.
    pub loss: f64,
    /// Share of the file that is there; 1 when it was not cut off.
    pub kept: f64,
}

impl Capture<'_> {
    /// Release of Perfetto on the phone: of Android 13 a real trace says it, the others are near by their dates.
    pub fn release(&self) -> &'static str {
        match self.sdk {
            ..=30 => "v12.1",
            31 | 32 => "v15.0",
            33 => "v25.0",
            34 => "v35.0",
            35 => "v45.0",
            _ => "v50.1",
        }
    }
}
