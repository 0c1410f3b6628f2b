//! The report people open: one HTML file with every window, every limit and every frame of a run, and no network.
//!
//! Record and frame logs in, one page out. [`index`] is what the first screen shows, [`detail`] is one cell in depth,
//! [packed](packing) so that a million frames stay small and are unpacked only when somebody looks; [`paper`] is the
//! same without scripts; [`page`] puts them together. A single cell can be written again alone ([`fragment`]): a live
//! view sends it to the same page. Must not know: files, sockets, clocks. Text of phones and files reaches the page as
//! data and is inserted as text.

mod causes;
mod counterfactual;
pub(crate) mod detail;
mod failure;
pub(crate) mod frames;
pub(crate) mod index;
mod lanes;
mod live_feed;
pub(crate) mod packing;
pub(crate) mod page;
pub(crate) mod paper;

pub use lanes::pictures;
pub use live_feed::LiveFeed;
pub use page::{Connect, Pages, page};

use crate::cells::{Cell, worst_first};
use farmjank_results::event::Event;
use farmjank_results::record::Record;
use farmjank_seams::reporter::{Delivery, FrameLogs, Reporter};
use serde::Serialize;

/// Name of the file in the bundle.
pub const FILE: &str = "report.html";

/// Version of the page's data.
pub(crate) const FORMAT: u32 = 1;

/// The HTML reporter.
pub struct Html;

impl Reporter for Html {
    fn name(&self) -> &str {
        "html"
    }

    fn observe(&mut self, _: &Event, _: &Record) -> Vec<Delivery> {
        Vec::new()
    }

    fn conclude(&mut self, record: &Record, frame_logs: &dyn FrameLogs) -> Vec<Delivery> {
        let bytes = html(record, frame_logs).into_bytes();
        vec![Delivery::File { path: FILE.to_owned(), bytes }]
    }
}

/// The whole report as one file.
pub fn html(record: &Record, frame_logs: &dyn FrameLogs) -> String {
    page(record, frame_logs, Connect::Never)
}

/// What changed, for a page that is open: the run as a whole, and these cells with their frames. The page takes it with
/// `farmjank.apply(fragment)`; cells it did not know are added.
pub fn fragment(record: &Record, frame_logs: &dyn FrameLogs, changed: impl Fn(&Cell<'_>) -> bool) -> String {
    #[derive(Serialize)]
    struct Fragment {
        #[serde(flatten)]
        index: index::Index,
        details: std::collections::BTreeMap<String, String>,
    }
    let cells: Vec<Cell<'_>> = worst_first(record).into_iter().filter(changed).collect();
    let seen: Vec<frames::Seen> = cells.iter().map(|cell| frames::seen(cell, frame_logs)).collect();
    let packed = |(cell, seen): (&Cell<'_>, &frames::Seen)| (index::key(cell), packing::packed(cell, seen));
    let details = cells.iter().zip(&seen).map(packed).collect();
    let fragment = Fragment { index: index::index(record, &cells, &seen), details };
    serde_json::to_string(&fragment).expect("strings and numbers always serialise")
}
