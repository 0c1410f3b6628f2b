//! What a window's own renderer did for one frame: every stage, before anything is printed. Times are ns on the phone's
//! CLOCK_MONOTONIC. Must not know columns.

/// One frame a window drew, or a callback that drew nothing.
/// One field for each column of framestats, and what decides them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TruthHwuiFrame {
    /// Package.
    pub package: String,
    /// Layer of the window.
    pub layer: String,
    /// Bits: 1 first draw, 8 nothing was drawn.
    pub flags: u32,
    /// Vsync id.
    pub token: i64,
    /// The finger's oldest move in it; none without a finger.
    pub input: Option<i64>,
    /// Vsync it was scheduled for.
    pub intended: i64,
    /// Vsync its work used.
    pub vsync: i64,
    /// The frame callback began.
    pub start: i64,
    /// Input handling began.
    pub handle_input: i64,
    /// Animations began.
    pub animation: i64,
    /// Measure and layout began.
    pub traversals: i64,
    /// Recording began.
    pub draw: i64,
    /// Handed to the render thread.
    pub sync_queued: i64,
    /// The render thread took it.
    pub sync_start: i64,
    /// Uploads done, drawing began.
    pub issue: i64,
    /// Draw commands issued.
    pub swap: i64,
    /// The GPU has the commands.
    pub submitted: i64,
    /// The buffer was queued.
    pub queued: i64,
    /// The GPU was done.
    pub gpu: i64,
    /// What the release calls finished: the queueing before Android 12, the later of queueing and GPU since.
    pub completed: i64,
    /// When it should have been finished; an interval after what was promised where its queue was stuffed.
    pub deadline: i64,
    /// When it should have been finished if nothing were queued up.
    pub promised: i64,
    /// Its queue was stuffed: a frame before it was late, and it started earlier than it had to.
    pub stuffed: bool,
    /// Refresh period the app believed in.
    pub interval: i64,
}
