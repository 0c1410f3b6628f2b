//! What is left of a run that was played, and what the lab knows of it.

use crate::memory::{Ear, Memory};
use crate::oracle::{Expected, expect_before};
use farmjank_lab::lab::LiveLab;
use farmjank_results::event::WindowMeasured;
use farmjank_results::frame_log::FrameLog;
use farmjank_results::record::Record;
use std::rc::Rc;

/// A run that was.
pub struct Story {
    /// Its record.
    pub record: Record,
    /// Its bundle.
    pub files: Rc<Memory>,
    /// What it said.
    pub ear: Rc<Ear>,
    /// The lab it ran in, with its truth.
    pub lab: Rc<LiveLab>,
}

impl Story {
    /// What the truth says of a window of this phone; none where the phone or the window's layer is not known.
    pub fn expected(&self, serial: &str, window: &WindowMeasured) -> Option<Expected> {
        self.expected_before(serial, window, i64::MAX)
    }

    /// The same, if nothing was shown from this instant on.
    pub fn expected_before(&self, serial: &str, window: &WindowMeasured, until: i64) -> Option<Expected> {
        let frame_log = window
            .frame_log
            .as_ref()
            .map(|path| FrameLog::decode(&self.files.read(path)).expect("a frame log"));
        let frame_log = frame_log.unwrap_or_default();
        self.lab.truth(serial, |truth| expect_before(truth, window, &frame_log, until)).flatten()
    }
}
