//! The windows of a run with their numbers, for who wants these and nothing else.

use crate::reader::BundleReader;
use farmjank_results::cells::{counts, measured, of_job};
use farmjank_results::device::DeviceId;
use farmjank_results::event::WindowMeasured;
use farmjank_results::file_error::FileError;
use farmjank_results::verdict::Verdict;

/// A window of a run on a phone.
#[derive(Clone, Debug)]
pub struct WindowOnPhone {
    /// Scenario name.
    pub scenario: String,
    /// Window name.
    pub window: String,
    /// The phone; none where none qualified.
    pub device: Option<DeviceId>,
    /// Its verdict; none where the run came to no end.
    pub verdict: Option<Verdict>,
    /// What was measured of it in each trial that counts, in order: its readings, each with its value or why there is
    /// none.
    pub trials: Vec<WindowMeasured>,
}

impl BundleReader {
    /// Every window of the run on every phone, in the order of its jobs.
    ///
    /// ```
    /// # use farmjank_bundle::reader::BundleReader;
    /// for window in BundleReader::open("../../results/tests/run".as_ref()).windows()? {
    ///     let fps: Vec<_> = window.trials.iter().map(|trial| &trial.readings["fps"]).collect();
    ///     println!("{} on {:?}: {:?}, {fps:?}", window.window, window.device, window.verdict);
    /// }
    /// # Ok::<(), farmjank_results::file_error::FileError>(())
    /// ```
    ///
    /// # Errors
    /// As [`BundleReader::record`].
    pub fn windows(&self) -> Result<Vec<WindowOnPhone>, FileError> {
        let record = self.record()?;
        let mut all = Vec::new();
        for job in record.jobs.values() {
            for cell in of_job(&record, job).iter().filter(|cell| !cell.whole) {
                let trials = measured(job, &cell.window).into_iter();
                let counted = trials.filter(|(trial, window)| counts(trial, window));
                all.push(WindowOnPhone {
                    scenario: cell.scenario.clone(),
                    window: cell.window.clone(),
                    device: cell.device.clone(),
                    verdict: cell.verdict,
                    trials: counted.map(|(_, window)| window.clone()).collect(),
                });
            }
        }
        Ok(all)
    }
}
