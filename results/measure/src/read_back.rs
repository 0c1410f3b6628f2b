//! The kept files of a window, read: what its rings showed, and what its probes said.
//!
//! A dump is gone once its rows are taken: files of anyone unfold to many times their size (docs/limits.md, "Bundles"),
//! and no more than one of them is held at a time. Must not know files or metrics.

use crate::probe_read::{Edges, Halves, ProbeContext, SideReadings, is_trace};
use crate::readers::{NoReader, Readers};
use crate::seen::{Seen, Stitching};
use farmjank_results::evidence::{self, EvidenceError, Room};
use farmjank_results::reader::ProbeOutput;

/// What the kept files of a window hold.
pub struct ReadBack {
    /// Frames, as every source saw them.
    pub seen: Seen,
    /// What its probes said.
    pub side_readings: SideReadings,
}

/// Why kept files cannot be read back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotReadBack {
    /// A file is damaged.
    #[error("{path}: {why}")]
    Damaged {
        /// Its path in the run.
        path: String,
        /// Why.
        why: EvidenceError,
    },
    /// A source nobody here knows.
    #[error(transparent)]
    NoReader(#[from] NoReader),
}

/// Why one file cannot be read back.
enum Why {
    Evidence(EvidenceError),
    NoReader(NoReader),
}

impl From<EvidenceError> for Why {
    fn from(why: EvidenceError) -> Self {
        Why::Evidence(why)
    }
}

impl ReadBack {
    /// Reads the files of a window in the room that files of their size have.
    ///
    /// # Errors
    /// [`NotReadBack`]: which file is damaged, and where; or a source that has no reader.
    pub fn read(
        files: Vec<(String, Vec<u8>)>,
        readers: &Readers,
        how: ProbeContext<'_>,
    ) -> Result<ReadBack, NotReadBack> {
        let all = files.iter().map(|(_, bytes)| bytes.len() as u64).sum();
        ReadBack::read_in(files, readers, how, &mut Room::of_file(all))
    }

    /// The same in a room that several windows share.
    ///
    /// # Errors
    /// [`NotReadBack`], as [`ReadBack::read`].
    pub fn read_in(
        files: Vec<(String, Vec<u8>)>,
        readers: &Readers,
        how: ProbeContext<'_>,
        room: &mut Room,
    ) -> Result<ReadBack, NotReadBack> {
        let mut side_readings = SideReadings::default();
        let (mut stitching, mut doubts, mut halves) = (Stitching::default(), Vec::new(), Halves::default());
        for (path, bytes) in files {
            let is_of = |file: &str| evidence::held(&path).ends_with(file);
            let traces = readers.probes.iter().find(|probe| is_trace(probe.id()) && is_of(probe.file()));
            if let Some(probe) = traces {
                let output = ProbeOutput { bytes, mark: Vec::new(), began: None, ended: None };
                side_readings.read(&**probe, &output, Edges::default(), how);
                continue;
            }
            if readers.probes.iter().filter_map(|probe| probe.beside()).any(is_of) {
                continue;
            }
            let read = evidence::each(&bytes, room, |dump, room| {
                if readers.probe(dump.source).is_some() {
                    if let Some(both) = halves.take(dump) {
                        side_readings.read_halves(readers, both, how);
                    }
                    return Ok(());
                }
                match readers.of(dump.source).map_err(Why::NoReader)?.read(&dump, how.clock) {
                    Ok(samples) => {
                        for (ring, sample) in samples {
                            let key = (dump.source, ring);
                            room.ring(stitching.knows(&key))?;
                            stitching.add(key, &sample, || how.modes.to_vec());
                        }
                        Ok(room.allow(stitching.frames_seen())?)
                    }
                    Err(unreadable) => {
                        doubts.push(unreadable.words().to_owned());
                        Ok(())
                    }
                }
            });
            read.map_err(|why| match why {
                Why::Evidence(why) => NotReadBack::Damaged { path: path.clone(), why },
                Why::NoReader(why) => NotReadBack::NoReader(why),
            })?;
        }
        Ok(ReadBack { seen: stitching.finish(doubts), side_readings })
    }
}
