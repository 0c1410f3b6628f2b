//! Which files of a bundle a fact names, and where those of a job lie. Whoever takes files from elsewhere holds them to
//! that.

use crate::event::{Fact, JobId, WindowMeasured};

/// Name of the log inside the bundle.
pub const LOG: &str = "events.ndjson";

/// The files a fact names.
pub fn named(fact: &Fact) -> Vec<&String> {
    match fact {
        Fact::TrialFinished { windows, .. } => windows.iter().flat_map(of_window).collect(),
        Fact::FailureKept { failure, .. } => failure.files().collect(),
        Fact::CausesFound { causes: Some(causes), .. } => causes.lanes.iter().collect(),
        _ => Vec::new(),
    }
}

fn of_window(window: &WindowMeasured) -> impl Iterator<Item = &String> {
    let screens = window.screens.iter().map(|screen| &screen.path);
    window.evidence.iter().chain(&window.frame_log).chain(screens)
}

/// Whether a path lies in the folder of a job, and nowhere else by some trick.
pub fn is_of_job(path: &str, job: JobId) -> bool {
    let plain = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', '\0']);
    path.strip_prefix(&format!("evidence/job-{job}/")).is_some_and(|rest| rest.split('/').all(plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_a_job_stays_in_its_folder() {
        let job: JobId = 3;
        for good in ["evidence/job-3/trial-1/w.dumps.zst", "evidence/job-3/x"] {
            assert!(is_of_job(good, job), "{good}");
        }
        for bad in [
            "evidence/job-33/x",
            "evidence/job-3",
            "evidence/job-3/",
            "evidence/job-3/../../x",
            "evidence/job-3//x",
            "evidence/job-3/a\\b",
            "/evidence/job-3/x",
            "events.ndjson",
        ] {
            assert!(!is_of_job(bad, job), "{bad}");
        }
    }
}
