//! What is read of a run's folder, and how much of it.

use crate::reading::{inside, read_file, read_from, size_below, unpacked};
use farmjank_results::bundle_files::LOG;
use farmjank_results::event::WindowMeasured;
use farmjank_results::evidence::{PACKED, held};
use farmjank_results::file_error::{FileError, FileProblem};
use farmjank_results::frame_log::{FrameLog, MOST_BYTES};
use farmjank_results::record::Record;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Largest log read.
const MOST_LOG: u64 = 4 << 30;
/// Bytes read of a bundle in all, unpacked: so many whatever it has, and so many times what it has. Windows of a trial
/// share its trace, reports read frame logs several times, and evidence unpacks to some five times its size.
const READ_ANYWAY: u64 = 256 << 20;
const READ_OF_EACH_BYTE: u64 = 320;

/// The folder of a run, to be read.
pub struct BundleReader {
    root: PathBuf,
    budget: Mutex<Budget>,
    unbounded: bool,
}

/// What may still be read of a folder.
struct Budget {
    /// Bytes, unpacked.
    left: u64,
    /// What the folder has is counted in.
    has_looked: bool,
}

impl BundleReader {
    /// The folder of a run that anybody made. Nothing is opened yet.
    pub fn open(root: &Path) -> BundleReader {
        let budget = Mutex::new(Budget { left: READ_ANYWAY, has_looked: false });
        BundleReader { root: root.to_owned(), budget, unbounded: false }
    }

    /// A folder that is read as often as one likes: this process writes it.
    pub fn unbounded(root: &Path) -> BundleReader {
        BundleReader { unbounded: true, ..BundleReader::open(root) }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Its whole log.
    ///
    /// # Errors
    /// It is not there, not inside, or too large.
    pub fn log(&self) -> Result<Vec<u8>, FileError> {
        self.read(LOG, MOST_LOG).map_err(|error| match error.why {
            FileProblem::Missing if self.root.is_dir() => FileError::new(&self.root, FileProblem::NoRun),
            _ => error,
        })
    }

    /// At most `most` bytes of its log from an offset on; none when it ends there, or is not there yet.
    ///
    /// # Errors
    /// It is not inside, or cannot be read.
    pub fn log_from(&self, offset: u64, most: u64) -> Result<Vec<u8>, FileError> {
        match inside(&self.root, LOG) {
            Ok(place) => read_from(&place, offset, most),
            Err(error) if matches!(error.why, FileProblem::Missing) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// The run, folded from its log.
    ///
    /// # Errors
    /// The log cannot be read, or is none.
    pub fn record(&self) -> Result<Record, FileError> {
        let read = Record::read_ndjson(&self.log()?);
        read.map(|(record, _)| record).map_err(|bad| FileError::content(&self.root.join(LOG), bad))
    }

    /// The frames of a window in one trial; none where none were seen or kept.
    ///
    /// ```
    /// # use farmjank_bundle::reader::BundleReader;
    /// let run = BundleReader::open("../../results/tests/run".as_ref());
    /// for window in &run.record()?.jobs[&0].trials[0].windows {
    ///     let Some(frames) = run.frames(window)? else { continue };
    ///     let late = frames.bars.iter().filter(|frame| frame.late() > 0).count();
    ///     println!("{}: {late} of {} frames came late", window.window, frames.bars.len());
    /// #   assert!(late > 0 && late < frames.bars.len() / 10);
    /// }
    /// # Ok::<(), farmjank_results::file_error::FileError>(())
    /// ```
    ///
    /// # Errors
    /// Its file is not there, not inside, too large, or damaged.
    pub fn frames(&self, window: &WindowMeasured) -> Result<Option<FrameLog>, FileError> {
        let Some(path) = &window.frame_log else { return Ok(None) };
        let bytes = self.read(path, MOST_BYTES as u64)?;
        let frames = FrameLog::decode(&bytes);
        frames.map(Some).map_err(|why| FileError::content(&self.root.join(path), why))
    }

    /// Where a file lies. Somebody may have unpacked it by hand, or packed it.
    ///
    /// # Errors
    /// It is not there, or not inside.
    pub fn place(&self, path: &str) -> Result<PathBuf, FileError> {
        let other = || match held(path) {
            plain if plain != path => inside(&self.root, plain),
            _ => inside(&self.root, &format!("{path}{PACKED}")),
        };
        match inside(&self.root, path) {
            Err(error) if error.why == FileProblem::Missing => other().map_err(|_| error),
            found => found,
        }
    }

    /// A file as it lies there, packed or not.
    ///
    /// # Errors
    /// It is not there, not inside, or too large.
    pub fn as_it_lies(&self, path: &str, most: u64) -> Result<Vec<u8>, FileError> {
        self.counted(path, read_file(&self.place(path)?, most))
    }

    /// What a file holds, unpacked; refuses more than `most` bytes.
    ///
    /// # Errors
    /// It is not there, not inside, or too large.
    pub fn read(&self, path: &str, most: u64) -> Result<Vec<u8>, FileError> {
        self.counted(path, unpacked(&self.place(path)?, most))
    }

    /// Counts what is read: a log that names one large file ten thousand times is no reason to read it so often.
    fn counted(&self, path: &str, read: Result<Vec<u8>, FileError>) -> Result<Vec<u8>, FileError> {
        let bytes = read.map_err(|error| FileError::new(&self.root.join(path), error.why))?;
        if !self.unbounded {
            let (mut budget, read) =
                (self.budget.lock().unwrap_or_else(PoisonError::into_inner), bytes.len() as u64);
            // Every folder of it is listed: whoever reads a little does not pay for that.
            if read > budget.left && !budget.has_looked {
                budget.has_looked = true;
                let more = size_below(&self.root).saturating_mul(READ_OF_EACH_BYTE);
                budget.left = budget.left.saturating_add(more);
            }
            let rest = budget.left.checked_sub(read);
            budget.left = rest.ok_or_else(|| FileError::new(&self.root, FileProblem::ReadTooOften))?;
        }
        Ok(bytes)
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_types, clippy::disallowed_methods, reason = "tests write what is read")]
mod tests {
    use super::*;

    fn example() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results/tests/run")
    }

    fn copied() -> (tempfile::TempDir, WindowMeasured) {
        let folder = tempfile::tempdir().unwrap();
        let record = BundleReader::open(&example()).record().unwrap();
        let windows = &record.jobs[&0].trials[0].windows;
        let window = windows.iter().find(|window| window.frame_log.is_some()).unwrap().clone();
        for path in [LOG, window.frame_log.as_deref().unwrap()] {
            let to = folder.path().join(path);
            std::fs::create_dir_all(to.parent().unwrap()).unwrap();
            std::fs::copy(example().join(path), to).unwrap();
        }
        (folder, window)
    }

    #[test]
    fn a_window_without_a_frame_log_has_no_frames_and_a_damaged_one_is_named() {
        let (folder, mut window) = copied();
        let run = BundleReader::open(folder.path());
        assert!(run.frames(&window).unwrap().is_some_and(|frames| !frames.bars.is_empty()));
        let file = folder.path().join(window.frame_log.as_deref().unwrap());
        std::fs::write(&file, b"fjstrip\x01\x00\x05").unwrap();
        let why = run.frames(&window).unwrap_err().to_string();
        assert!(why.ends_with(".strip: cut off or added to"), "{why}");
        window.frame_log = Some("../secret".to_owned());
        assert_eq!(run.frames(&window).unwrap_err().why, FileProblem::Outside);
        window.frame_log = None;
        assert_eq!(run.frames(&window), Ok(None));
    }

    #[test]
    fn what_is_read_over_and_over_is_refused() {
        let (folder, window) = copied();
        let path = window.frame_log.unwrap();
        let (run, own) = (BundleReader::open(folder.path()), BundleReader::unbounded(folder.path()));
        let large = std::fs::File::create(folder.path().join("large")).unwrap();
        large.set_len(64 << 20).unwrap();
        run.read(&path, 1 << 20).unwrap();
        assert!(!run.budget.lock().unwrap().has_looked, "a folder is listed for one small file");
        run.budget.lock().unwrap().left = 0;
        assert!(run.read("large", 64 << 20).is_ok());
        assert!(run.budget.lock().unwrap().has_looked);
        run.budget.lock().unwrap().left = 0;
        assert_eq!(run.read("large", 64 << 20).unwrap_err().why, FileProblem::ReadTooOften);
        assert!((0..3).all(|_| own.read("large", 64 << 20).is_ok()));
    }

    #[test]
    fn a_folder_without_a_log_holds_no_run() {
        let folder = tempfile::tempdir().unwrap();
        let why = |root: &Path| BundleReader::open(root).record().unwrap_err().why;
        assert_eq!(why(folder.path()), FileProblem::NoRun);
        assert_eq!(why(&folder.path().join("no")), FileProblem::Missing);
        std::fs::write(folder.path().join(LOG), "{}\n").unwrap();
        assert!(matches!(why(folder.path()), FileProblem::Content(_)));
    }
}
