//! The promises of a history store, as functions over any: each gets a fresh one.

mod causes;
mod others;
mod runs;

use farmjank_history::History;

/// One promise.
pub type Promise = fn(&mut History);

/// All promises, by name.
pub const ALL: [(&str, Promise); 21] = [
    ("a fresh store is empty", runs::a_fresh_store_is_empty),
    ("what was recorded comes back", runs::what_was_recorded_comes_back),
    ("the newest comes first", runs::the_newest_comes_first),
    ("a run twice changes nothing", runs::a_run_twice_changes_nothing),
    ("a run that differs is refused or replaces", runs::a_run_that_differs),
    ("a refused run leaves nothing", runs::a_refused_run_leaves_nothing),
    ("keys never mix", runs::keys_never_mix),
    ("cells are listed with their last night", runs::cells_are_listed),
    ("hostile text comes back as it was", runs::hostile_text),
    ("long texts are bounded and stay apart", runs::long_texts),
    ("one phone may measure a cell twice in a run", runs::twice_in_a_run),
    ("a bulk read is the reads of its cells", runs::bulk_is_each),
    ("a reader that fails ends the read", runs::a_reader_that_fails),
    ("pruning forgets old runs and keeps the newest", runs::pruning),
    ("baselines move and remember", others::baselines_move),
    ("a baseline needs a name, somebody and a reason", others::a_baseline_needs_words),
    ("calibrations answer with the newest", others::calibrations),
    ("how long iterations took goes with its run", others::iterations),
    ("a run is told against the one before it on its branch", others::told),
    ("a cause is followed over nights that looked", causes::a_cause_is_followed),
    ("causes go with their run", causes::causes_go_with_their_run),
];

/// Every query that the page about history shows, as it stands there.
pub fn queries() -> Vec<String> {
    let page = include_str!("../../../../docs/history.md");
    let blocks = page.split("```sql\n").skip(1).filter_map(|rest| rest.split("```").next());
    let queries: Vec<String> = blocks.map(|sql| sql.trim().trim_end_matches(';').to_owned()).collect();
    assert_eq!(queries.len(), 2, "the page shows other queries");
    queries
}

/// Keeps every promise with a fresh store each.
pub fn keep(mut fresh: impl FnMut(&str) -> History) {
    for (name, promise) in ALL {
        println!("{name}");
        promise(&mut fresh(name));
    }
}
