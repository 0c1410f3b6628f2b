//! The tables, as numbered steps that are only ever added to: version n is what the first n steps make.
//!
//! Ids are given by us, inside the one transaction that writes. Texts that repeat, and cells, are kept once and found
//! by a fingerprint ([`crate::names`]), because their length has no bound an index would accept. A session is one row
//! with its values in a blob ([`crate::body`]); `n` and `mean` stand beside it for those who query with SQL of their
//! own. Times are µs since 1970 in UTC. A run counts its sessions, so that it can be told whole.

use crate::dialect::{Dialect, Intent};
use crate::trouble;
use farmjank_results::fault::Fault;

/// The steps. Never change one that was released.
pub const STEPS: &[&str] = &[NIGHTS, BASELINES, CALIBRATIONS, EFFECTS, ITERATIONS, CAUSES, METHODS, TOLD];

// A night is written in order of (run, cell, device) and read back as ranges of runs; the second index finds the
// history of one cell.
const NIGHTS: &str = "
create table farmjank_run (
  id {int} primary key, name text not null unique, at {int} not null, wall text not null, tool text not null,
  lab text, verdict text, labels text not null, sessions {int} not null, digest {int} not null
);
create index farmjank_run_at on farmjank_run (at);
create table farmjank_term (id {int} primary key, digest {int} not null, words text not null);
create index farmjank_term_digest on farmjank_term (digest);
create table farmjank_cell (
  id {int} primary key, digest {int} not null, model text not null, build text not null, refresh {int} not null,
  scenario text not null, hash text not null, part text not null, metric text not null,
  metric_version {int} not null, source text not null, first_at {int}, last_at {int}
);
create index farmjank_cell_digest on farmjank_cell (digest);
create table farmjank_session (
  run {int} not null, cell {int} not null, device {int} not null, turn {int} not null, at {int} not null,
  app {int}, n {int} not null, mean {real}, body {blob} not null,
  primary key (run, cell, device, turn)
){clustered};
create index farmjank_session_cell on farmjank_session (cell, at);
";

const BASELINES: &str = "
create table farmjank_pin (
  id {int} primary key, name text not null unique, who text not null, why text not null, wall text not null,
  cells {int} not null, sessions {int} not null
);
create table farmjank_pin_session (
  pin {int} not null, cell {int} not null, turn {int} not null, run text not null, wall text not null,
  device {int} not null, app {int}, body {blob} not null,
  primary key (pin, cell, turn)
){clustered};
create table farmjank_move (
  id {int} primary key, change text not null, name text not null, who text not null, why text not null,
  wall text not null, sessions {int} not null
);
";

const CALIBRATIONS: &str = "
create table farmjank_calibration (
  cell {int} not null, run text not null, at {int} not null, wall text not null, iterations {int} not null,
  sd {real} not null, session_sd {real}, mde {real} not null,
  primary key (cell, run)
);
create table farmjank_self_test (
  device {int} not null, run text not null, at {int} not null, wall text not null, cells {int} not null,
  differing {int} not null, failed {int} not null,
  primary key (device, run)
);
";

// What a scenario says matters goes with each session, as its values do: copies of sessions in baselines have it too.
const EFFECTS: &str = "
alter table farmjank_session add column effect text;
alter table farmjank_pin_session add column effect text;
";

// How long iterations took: the median of a run, by the content of the scenario and the class of the phones.
const ITERATIONS: &str = "
create table farmjank_iteration (
  run {int} not null, hash {int} not null, class {int} not null, at {int} not null, ms {int} not null,
  primary key (run, hash, class)
){clustered};
create index farmjank_iteration_hash on farmjank_iteration (hash, at);
";

// Why frames were late: windows with what they were measured under, what each told in a run or why it told nothing, and
// the causes it told of. A cause is followed by its fingerprint, a window by its place.
const CAUSES: &str = "
create table farmjank_spot (
  id {int} primary key, digest {int} not null, scenario text not null, part text not null, class text not null,
  hash text not null, app text not null, refresh {int}
);
create index farmjank_spot_digest on farmjank_spot (digest);
create table farmjank_diagnosis (
  run {int} not null, spot {int} not null, device {int} not null, at {int} not null, build {int} not null,
  app_version {int}, simulated {int} not null, asked {int} not null, reason {int}, motion_ns {int}, hitch_us {int},
  late {int}, left_out_us {int},
  primary key (run, spot, device)
){clustered};
create index farmjank_diagnosis_spot on farmjank_diagnosis (spot, at);
create table farmjank_cause (
  run {int} not null, spot {int} not null, device {int} not null, fingerprint text not null, kind {int} not null,
  side text not null, title {int} not null, thread {int} not null, object {int} not null, us {int} not null,
  squares {real} not null, frames {int} not null, ms_per_s {real} not null,
  primary key (run, spot, device, fingerprint)
){clustered};
create index farmjank_cause_fingerprint on farmjank_cause (fingerprint, run);
";

// Whether call stacks named methods: the same code and waits are called otherwise without. Of older nights nobody
// knows.
const METHODS: &str = "
alter table farmjank_diagnosis add column methods {int};
";

// What runs came to, as those read it who tell of the next one.
const TOLD: &str = "
create table farmjank_told (run {int} primary key, branch text not null, body {blob} not null);
";

/// Brings the tables to the version of these steps, all of them or none.
///
/// # Errors
/// `history_newer` when they are beyond it; nothing is touched then.
pub fn migrate(database: &mut dyn Dialect, steps: &[&str]) -> Result<(), Fault> {
    if known(database, steps)? == steps.len() {
        return Ok(());
    }
    database.begin(Intent::Write)?;
    let done = climb(database, steps).and_then(|()| database.commit());
    if done.is_err() {
        database.rollback();
    }
    done
}

/// The version that is there, if these steps lead to it.
fn known(database: &mut dyn Dialect, steps: &[&str]) -> Result<usize, Fault> {
    let version = database.version()?;
    let there = usize::try_from(version).ok().filter(|there| *there <= steps.len());
    there.ok_or_else(|| trouble::newer(&database.place(), version, steps.len()))
}

fn climb(database: &mut dyn Dialect, steps: &[&str]) -> Result<(), Fault> {
    // Asked again: another process may have been faster, before this transaction began.
    for step in &steps[known(database, steps)?..] {
        let mut sql = (*step).to_owned();
        for (word, own) in database.words() {
            sql = sql.replace(word, own);
        }
        database.batch(&sql)?;
    }
    database.set_version(i64::try_from(steps.len()).expect("a handful of steps"))
}
