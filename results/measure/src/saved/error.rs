//! Why a saved file has no answer.

use crate::readers::NoReader;
use farmjank_results::evidence::EvidenceError;
use farmjank_results::frame::SourceId;
use std::fmt;

/// Names listed at most when none fits.
const LISTED: usize = 20;

/// Nothing in the file is called what was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Unseen {
    /// What was looked for.
    pub what: &'static str,
    /// What there is.
    pub known: Vec<String>,
}

impl Unseen {
    /// Of names.
    pub fn of<'a>(what: &'static str, known: impl IntoIterator<Item = &'a str>) -> Unseen {
        Unseen { what, known: known.into_iter().map(str::to_owned).collect() }
    }
}

impl fmt::Display for Unseen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unseen { what, known } = self;
        if known.is_empty() {
            return write!(f, "the file holds no {what} with frames");
        }
        let more = known.len().saturating_sub(LISTED);
        let known = known[..known.len().min(LISTED)].join(", ");
        write!(f, "no {what} is called like that; there are: {known}")?;
        if more > 0 { write!(f, " and {more} more") } else { Ok(()) }
    }
}

/// Why a saved file, or several together, have no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SavedError {
    /// The evidence file cannot be read back.
    #[error(transparent)]
    Evidence(#[from] EvidenceError),
    /// Nobody here reads its source.
    #[error(transparent)]
    NoReader(#[from] NoReader),
    /// The evidence file holds not one dump.
    #[error("the evidence file is empty")]
    Empty,
    /// Not of the source that was asked for.
    #[error("the evidence holds no dump of {0}")]
    NoneOf(SourceId),
    /// Neither frames nor counts nor a log.
    #[error("the evidence holds nothing that can be read")]
    Nothing,
    /// Nothing beside the frames, where no frames are.
    #[error("the evidence holds no dump")]
    NoDump,
    /// A trace without a frame.
    #[error("the trace shows no frame of any process")]
    NoFrame,
    /// Nothing is called what was asked for.
    #[error(transparent)]
    Unseen(#[from] Unseen),
    /// A stretch was asked for of what has no single frames.
    #[error("--window needs single frames: {0}; leave it out")]
    WholeOnly(String),
    /// Files of two kinds together.
    #[error(
        "{name} is a {source_id} dump and the files before it are not: give dumps of one layer and one kind"
    )]
    Mixed {
        /// The file.
        name: String,
        /// Its source.
        source_id: SourceId,
    },
}
