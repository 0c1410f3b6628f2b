//! A run as a history keeps it for news of the next: what was not well, and what it looked for. What passed is left
//! out, as it makes no difference to the next run's news.

use crate::news::{CellSeen, RunSeen};
use farmjank_results::verdict::Verdict;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Version of the form.
const FORMAT: u32 = 1;
/// The verdicts that are kept.
const KEPT: [Verdict; 3] = [Verdict::Fail, Verdict::Broken, Verdict::Undecided];

/// As it is kept.
pub fn written(run: &RunSeen) -> Vec<u8> {
    let bad = run.cells.iter().filter(|cell| cell.verdict.is_some_and(|verdict| KEPT.contains(&verdict)));
    let cells: Vec<Value> = bad
        .map(|cell| {
            let verdict = cell.verdict.map(|verdict| verdict.to_string());
            json!([cell.scenario, cell.window, cell.serial, verdict])
        })
        .collect();
    let causes = run.causes.as_ref().map(|causes| causes.keys().collect::<Vec<_>>());
    let lost: Vec<&String> = run.lost.keys().collect();
    json!({ "format": FORMAT, "run": run.run, "cells": cells, "causes": causes, "lost": lost })
        .to_string()
        .into_bytes()
}

/// What was kept; none of what another version wrote, or nobody.
pub fn read(bytes: &[u8]) -> Option<RunSeen> {
    let kept: Value = serde_json::from_slice(bytes).ok()?;
    if kept["format"] != FORMAT {
        return None;
    }
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let names = |value: &Value| -> Option<BTreeMap<String, String>> {
        value.as_array()?.iter().map(|one| Some((text(one)?, String::new()))).collect()
    };
    let cell = |cell: &Value| -> Option<CellSeen> {
        let verdict = cell[3].as_str()?;
        Some(CellSeen {
            scenario: text(&cell[0])?,
            window: text(&cell[1])?,
            serial: text(&cell[2])?,
            phone: String::new(),
            verdict: Some(KEPT.into_iter().find(|one| one.to_string() == verdict)?),
            why: String::new(),
        })
    };
    Some(RunSeen {
        run: text(&kept["run"])?,
        cells: kept["cells"].as_array()?.iter().map(cell).collect::<Option<_>>()?,
        causes: names(&kept["causes"]),
        lost: names(&kept["lost"])?,
        ..RunSeen::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::news::news;

    fn run(verdicts: &[(&str, Verdict)], causes: Option<&[&str]>, lost: &[&str]) -> RunSeen {
        let map = |all: &[&str]| all.iter().map(|one| ((*one).to_owned(), "why".to_owned())).collect();
        let cell = |(window, verdict): &(&str, Verdict)| CellSeen {
            scenario: "Feed".to_owned(),
            window: (*window).to_owned(),
            serial: "S1".to_owned(),
            phone: "Pixel 8".to_owned(),
            verdict: Some(*verdict),
            why: "because".to_owned(),
        };
        RunSeen {
            run: "r1".to_owned(),
            cells: verdicts.iter().map(cell).collect(),
            causes: causes.map(map),
            lost: map(lost),
            ..RunSeen::default()
        }
    }

    #[test]
    fn news_against_what_was_kept_are_those_against_the_run() {
        let verdicts = [Verdict::Pass, Verdict::Fail, Verdict::Broken, Verdict::Undecided];
        for was in verdicts {
            for is in verdicts {
                for causes in [None, Some(&["a"][..]), Some(&["a", "b"])] {
                    let before = run(&[("w", was), ("v", Verdict::Pass)], causes, &["S9"]);
                    let now = run(&[("w", is), ("v", Verdict::Fail)], Some(&["b", "c"]), &["S8"]);
                    let kept = read(&written(&before)).expect("what was written");
                    assert_eq!(news(Some(&kept), &now), news(Some(&before), &now), "{was} {is}");
                }
            }
        }
    }

    #[test]
    fn what_nobody_of_us_wrote_is_nothing() {
        for bytes in [
            &b""[..],
            b"\xff",
            b"[]",
            b"{}",
            b"{\"format\":2}",
            b"{\"format\":1,\"run\":\"r\",\"cells\":[[1,2]],\"lost\":[]}",
        ] {
            assert_eq!(read(bytes), None);
        }
    }
}
