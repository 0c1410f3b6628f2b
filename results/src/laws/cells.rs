//! Cells and run say one thing: every cell of every job has its verdict before the run has one, no job is worse than
//! its cells, and the run's verdict and exit code are what they add up to.

use super::{Lawful, Laws, Life, law};
use crate::event::{CellVerdict, JobId};
use crate::verdict::{Verdict, exit_code};

impl Laws {
    /// A cell is judged once, after all jobs, with a verdict.
    pub(super) fn judge_cell(&mut self, cell: &CellVerdict) -> Lawful {
        self.all_judged()?;
        let job = cell.job;
        let window = &cell.window;
        law(cell.verdict.is_some(), || format!("`{window}` of job {job} is judged without a verdict"))?;
        self.quarantined_as_planned(cell)?;
        let life = self.job(job)?;
        law(life.cells.insert((cell.whole, window.clone())), || {
            format!("`{window}` of job {job} was already judged")
        })?;
        let verdict = cell.verdict.unwrap_or(Verdict::Undecided);
        life.worst = life.worst.worse(verdict);
        if cell.quarantined.is_none() {
            life.gating = Some(life.gating.map_or(verdict, |gating| gating.worse(verdict)));
        }
        self.cells = true;
        Ok(())
    }

    /// The verdict of the run is the worst of its cells that gate (undecided where none does), or of what was said of
    /// the comparison, and the exit code that verdict's.
    ///
    /// A run whose log could not be kept is broken whatever its cells say. Logs of before have no cells to hold it
    /// against.
    pub(super) fn judge_run(&self, verdict: Verdict, code: u8, interrupted: Option<&str>) -> Lawful {
        if !self.cells {
            return Ok(());
        }
        self.jobs.iter().try_for_each(|(job, life)| life.cells_told(*job))?;
        let gating = self.jobs.values().filter_map(|life| life.gating).reduce(Verdict::worse);
        let worst = gating.unwrap_or(Verdict::Undecided);
        let worst = self.compared.map_or(worst, |compared| worst.worse(compared));
        law(verdict == worst || verdict == worst.worse(Verdict::Broken), || {
            format!("the run is judged {verdict}, and the worst of its cells is {worst}")
        })?;
        let due = exit_code(verdict, interrupted, false);
        law(code == due, || format!("exit code {code} is not that of such a run, {due}"))
    }
}

impl Life {
    fn cells_told(&self, job: JobId) -> Lawful {
        let untold = self.windows.iter().find(|window| !self.cells.contains(&(false, (*window).clone())));
        law(untold.is_none() && !self.cells.is_empty(), || {
            format!("`{}` of job {job} was never judged", untold.map_or("the whole", String::as_str))
        })?;
        let own = self.judged.unwrap_or(Verdict::Undecided);
        let worst = self.worst;
        law(worst.worse(own) == worst, || {
            format!("job {job} is {own}, and the worst of its cells is {worst}")
        })
    }
}
