//! A window of an app, and the start of an activity that opens one.
//!
//! Times are ns on CLOCK_MONOTONIC. Must not know when windows come and go.

use super::hwui::Hwui;
use super::producer::{Paced, Producer};

/// A start of an activity, decided when it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchPlan {
    /// App (index).
    pub app: usize,
    /// Page (index).
    pub page: usize,
    /// Time to the first frame, ms.
    pub total_ms: i64,
    /// The process has to be started.
    pub cold: bool,
}

/// One window of an app. The last four fields are how it is drawn.
#[derive(Clone, Debug)]
pub struct Window {
    /// App (index).
    pub app: usize,
    /// Page (index).
    pub page: usize,
    /// Hash that texts show for it.
    pub hash: u32,
    /// Task number.
    pub task: u32,
    /// Layers that are its own, containers included (indices); empty while it is stopped.
    pub layers: Vec<usize>,
    /// Layer of its SurfaceView that gets buffers (index).
    pub surface: Option<usize>,
    /// Layer of the window itself (index).
    pub own: usize,
    /// What HWUI remembers.
    pub hwui: Hwui,
    /// Its content.
    pub ui: Producer,
    /// Its video or game.
    pub paced: Option<Paced>,
    /// In front of its task.
    pub resumed: bool,
    /// When it was opened, ns.
    pub opened: i64,
    /// Taps on it so far.
    pub taps: u32,
    /// Its switch is on.
    pub switched: bool,
    /// Launch it waits for (index into the truth's launches).
    pub launch: Option<usize>,
}
