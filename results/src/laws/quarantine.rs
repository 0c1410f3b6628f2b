//! Quarantine: the plan says once of what, and every cell of that says so, with the same words.

use super::{Lawful, Laws, law};
use crate::event::{CellVerdict, PlannedJob};
use crate::quarantine::{Quarantined, of_cell};

/// What is in quarantine is planned, and said once, in order.
pub(super) fn lawful(jobs: &[PlannedJob], all: &[Quarantined]) -> Lawful {
    let key = |one: &Quarantined| (one.job, one.window.clone());
    let ordered = all.windows(2).all(|pair| key(&pair[0]) < key(&pair[1]));
    law(ordered, || "what is in quarantine is said once, in order of jobs and windows".to_owned())?;
    for one in all {
        let planned = jobs.iter().find(|planned| planned.job == one.job);
        let planned =
            planned.ok_or_else(|| format!("job {} is in quarantine, and not in the plan", one.job))?;
        let Some(window) = &one.window else { continue };
        law(planned.windows.iter().any(|known| known.name == *window), || {
            format!("`{window}` of job {} is in quarantine, and not in the plan", one.job)
        })?;
    }
    Ok(())
}

impl Laws {
    /// A cell is in quarantine where the plan says so, and nowhere else.
    pub(super) fn quarantined_as_planned(&self, cell: &CellVerdict) -> Lawful {
        let windows = self.jobs.get(&cell.job).map_or(&[][..], |life| &life.windows);
        let windows: Vec<&str> = windows.iter().map(String::as_str).collect();
        let window = (!cell.whole).then_some(cell.window.as_str());
        let planned = of_cell(&self.quarantined, cell.job, &windows, window);
        law(cell.quarantined.as_ref() == planned, || {
            let (window, job) = (&cell.window, cell.job);
            match planned {
                Some(_) => {
                    format!("`{window}` of job {job} is in quarantine by the plan, and does not say so")
                }
                None => format!("`{window}` of job {job} is in quarantine, and gates by the plan"),
            }
        })
    }
}
