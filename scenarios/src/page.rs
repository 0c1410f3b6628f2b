//! Target pages: the link that opens one, and when it counts as open.

use std::time::Duration;

/// A target page.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// Link to open, variables substituted.
    pub link: String,
    /// When the page counts as open.
    pub ready: Ready,
}

/// When a page counts as open.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ready {
    /// Activity in front (`.FeedActivity` or a full class name).
    pub activity: Option<String>,
    /// Text on the screen (through `uiautomator dump`).
    pub text: Option<String>,
    /// Resource id on the screen.
    pub id: Option<String>,
    /// Longest wait (default 10 s).
    pub timeout: Option<Duration>,
}
