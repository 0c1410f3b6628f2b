//! The page of fault codes says what the code says.

use farmjank_results::fault::{Blame, CODES};

#[test]
fn the_page_lists_every_code_with_its_blame_and_meaning_in_order() {
    let page = include_str!("../../../docs/faults.md");
    let table = page.split_once("| --- | --- | --- |\n").expect("a table").1;
    let of_code = |code: &farmjank_results::fault::FaultCode| {
        let blame = match code.blame() {
            Blame::Scenario => "scenario",
            Blame::App => "app",
            Blame::Lab => "lab",
            Blame::Tool => "tool",
        };
        format!("| `{code}` | {blame} | {} |", code.meaning())
    };
    let expected: Vec<String> = CODES.iter().map(of_code).collect();
    assert_eq!(table.lines().collect::<Vec<_>>(), expected);
}
