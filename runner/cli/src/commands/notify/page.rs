//! The page of a run as a comment shows it: that of the Markdown report; where there is no bundle, that there is no
//! verdict, so that nobody takes an older one for this run's.

use crate::args::NotifyArgs;
use crate::baselines::recorded;
use crate::command_error::CommandError;
use crate::host::{self, Bundle};
use farmjank_engine::scribe::{Kept, LOG};
use farmjank_reporters::markdown::{MARKER, markdown};
use farmjank_reporters::words;
use farmjank_results::record::Record;

/// Longest page, bytes: a comment has 65 536 characters, with the lines around the page.
const MOST: usize = 64_000;

/// A page, and the run it is of; none where nothing was measured.
pub struct Page {
    pub record: Option<Record>,
    pub text: String,
}

/// The page, without the marker that it has elsewhere.
///
/// # Errors
/// There is no bundle, and nobody says how the command ended; or it is damaged.
pub fn page(args: &NotifyArgs) -> Result<Page, CommandError> {
    let record = match (recorded(&args.run), args.comment.ended) {
        (Ok(record), _) => record,
        (Err(_), Some(code)) if !host::is_there(&args.run.join(LOG)) => {
            let text = format!(
                "## ❔ no verdict\n\nfarmjank ended with exit {code} ({}) before anything was measured; the log says why.\n",
                words::exit(code)
            );
            return Ok(Page { record: None, text });
        }
        (Err(why), _) => return Err(why.into()),
    };
    let bundle = Bundle::open(&args.run);
    let page = markdown(&record, &Kept(&bundle), MOST);
    let text =
        page.strip_prefix(MARKER).map_or(page.as_str(), |page| page.trim_start_matches('\n')).to_owned();
    Ok(Page { record: Some(record), text })
}
