//! What a run says that the one before did not: windows that fail and did not, that pass again, that can no longer be
//! told; causes that are new; phones that are lost and back.

use farmjank_results::verdict::Verdict;
use std::collections::{BTreeMap, BTreeSet};

/// A run, as far as news are about it. Names in it are those of phones and apps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunSeen {
    /// Its id.
    pub run: String,
    /// Its verdict; none where it was not judged.
    pub verdict: Option<Verdict>,
    /// Its exit code.
    pub exit_code: Option<u8>,
    /// How many windows came to what, in words.
    pub counts: String,
    /// What is to be said of a virtual lab; none where phones are real.
    pub lab: Option<String>,
    /// Every window on every phone that gates.
    pub cells: Vec<CellSeen>,
    /// Titles of the causes of late frames, by fingerprint; none where nobody asked for causes.
    pub causes: Option<BTreeMap<String, String>>,
    /// Why phones told nothing of themselves, by serial.
    pub lost: BTreeMap<String, String>,
}

/// One window on one phone.
#[derive(Clone, Debug, PartialEq)]
pub struct CellSeen {
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the window.
    pub window: String,
    /// Serial of the phone; empty where there is none.
    pub serial: String,
    /// The phone, as people call it.
    pub phone: String,
    /// Its verdict.
    pub verdict: Option<Verdict>,
    /// Why, with numbers.
    pub why: String,
}

/// One thing that is told, and why it is so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What.
    pub what: String,
    /// Why; empty where there is no more to say.
    pub why: String,
}

/// What is new.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct News {
    /// The run they are told against; none where it is the first.
    pub against: Option<String>,
    /// Windows that fail, and did not.
    pub failing: Vec<Item>,
    /// Windows that pass, and did not.
    pub passing: Vec<Item>,
    /// Windows of which it cannot be told any more.
    pub untold: Vec<Item>,
    /// Causes of late frames that were not there.
    pub causes: Vec<Item>,
    /// Phones that are not there any more.
    pub lost: Vec<Item>,
    /// Phones that are there again.
    pub back: Vec<Item>,
}

impl News {
    /// Whether there is anything to say.
    pub fn is_any(&self) -> bool {
        self.sections().iter().any(|(_, items)| !items.is_empty())
    }

    /// All of it under its headings, what matters most first.
    pub fn sections(&self) -> [(&'static str, &[Item]); 6] {
        let first = self.against.is_none();
        [
            (if first { "Failing" } else { "Newly failing" }, &self.failing),
            (if first { "Cannot be told" } else { "Can no longer be told" }, &self.untold),
            ("New causes of late frames", &self.causes),
            (if first { "Phones not there" } else { "Phones lost" }, &self.lost),
            ("Passing again", &self.passing),
            ("Phones back", &self.back),
        ]
    }
}

impl CellSeen {
    fn key(&self) -> (&str, &str, &str) {
        (&self.scenario, &self.window, &self.serial)
    }

    fn item(&self) -> Item {
        let what = format!("{} › {} on {}", self.scenario, self.window, self.phone);
        Item { what, why: self.why.clone() }
    }
}

/// What a run says that the one before did not. Of a first run all that is not well is new.
pub fn news(before: Option<&RunSeen>, now: &RunSeen) -> News {
    let known: BTreeMap<_, _> =
        before.iter().flat_map(|run| &run.cells).map(|cell| (cell.key(), cell.verdict)).collect();
    let was = |cell: &CellSeen| known.get(&cell.key()).copied().flatten();
    let mut news = News { against: before.map(|run| run.run.clone()), ..News::default() };
    for cell in &now.cells {
        match (was(cell), cell.verdict) {
            (Some(Verdict::Fail), Some(Verdict::Fail)) => {}
            (_, Some(Verdict::Fail)) => news.failing.push(cell.item()),
            (Some(was), Some(Verdict::Pass)) if was != Verdict::Pass => {
                news.passing.push(Item { why: String::new(), ..cell.item() });
            }
            (_, Some(Verdict::Pass)) | (Some(Verdict::Broken | Verdict::Undecided), _) => {}
            _ => news.untold.push(cell.item()),
        }
    }
    // Where nobody looked before, nothing is known to be new.
    if let (Some(old), Some(causes)) = (before.and_then(|run| run.causes.as_ref()), &now.causes) {
        let new = causes.iter().filter(|(fingerprint, _)| !old.contains_key(*fingerprint));
        news.causes = new.map(|(_, title)| Item { what: title.clone(), why: String::new() }).collect();
    }
    let none = BTreeMap::new();
    let lost = before.map_or(&none, |run| &run.lost);
    let gone = now.lost.iter().filter(|(serial, _)| !lost.contains_key(*serial));
    news.lost = gone.map(|(serial, why)| Item { what: serial.clone(), why: why.clone() }).collect();
    let here: BTreeSet<&str> = now.cells.iter().map(|cell| cell.serial.as_str()).collect();
    let back = lost.keys().filter(|serial| !now.lost.contains_key(*serial) && here.contains(serial.as_str()));
    news.back = back.map(|serial| Item { what: serial.clone(), why: String::new() }).collect();
    news
}

#[cfg(test)]
mod tests {
    use super::*;
    use Verdict::{Broken, Fail, Pass, Undecided};

    fn seen(cells: &[(&str, Option<Verdict>)]) -> RunSeen {
        let cell = |(window, verdict): &(&str, Option<Verdict>)| CellSeen {
            scenario: "Feed".to_owned(),
            window: (*window).to_owned(),
            serial: "S1".to_owned(),
            phone: "Pixel 8 (S1)".to_owned(),
            verdict: *verdict,
            why: "because".to_owned(),
        };
        RunSeen { run: "r".to_owned(), cells: cells.iter().map(cell).collect(), ..RunSeen::default() }
    }

    fn told(before: Option<Verdict>, now: Option<Verdict>) -> [usize; 3] {
        let news = news(Some(&seen(&[("w", before)])), &seen(&[("w", now)]));
        [news.failing.len(), news.passing.len(), news.untold.len()]
    }

    #[test]
    fn of_a_window_only_a_change_is_news() {
        for same in [Fail, Broken, Undecided, Pass] {
            assert_eq!(told(Some(same), Some(same)), [0, 0, 0], "{same}");
        }
        for was in [Pass, Broken, Undecided] {
            assert_eq!(told(Some(was), Some(Fail)), [1, 0, 0], "{was}");
        }
        for was in [Fail, Broken, Undecided] {
            assert_eq!(told(Some(was), Some(Pass)), [0, 1, 0], "{was}");
        }
        for is in [Broken, Undecided] {
            assert_eq!(told(Some(Pass), Some(is)), [0, 0, 1], "{is}");
            assert_eq!(told(Some(Fail), Some(is)), [0, 0, 1], "a failure nobody can see is not mended: {is}");
        }
        assert_eq!(told(Some(Broken), Some(Undecided)), [0, 0, 0], "it could not be told before");
        assert_eq!(told(None, Some(Pass)), [0, 0, 0], "a window that is new and well");
    }

    #[test]
    fn of_a_first_run_all_that_is_not_well_is_news() {
        let run = seen(&[("a", Some(Fail)), ("b", Some(Pass)), ("c", Some(Undecided))]);
        let first = news(None, &run);
        assert_eq!((first.failing.len(), first.passing.len(), first.untold.len()), (1, 0, 1));
        assert_eq!(
            first.failing[0],
            Item { what: "Feed › a on Pixel 8 (S1)".to_owned(), why: "because".to_owned() }
        );
        assert_eq!(first.sections()[0].0, "Failing");
        assert!(!news(None, &seen(&[("b", Some(Pass))])).is_any());
        assert!(!news(Some(&run), &run).is_any());
    }

    #[test]
    fn causes_are_new_only_where_somebody_looked_before() {
        let with = |causes: Option<&[&str]>| RunSeen {
            causes: causes
                .map(|all| all.iter().map(|one| ((*one).to_owned(), format!("title {one}"))).collect()),
            ..seen(&[])
        };
        assert!(!news(Some(&with(None)), &with(Some(&["a"]))).is_any());
        assert!(!news(None, &with(Some(&["a"]))).is_any());
        let both = news(Some(&with(Some(&["a"]))), &with(Some(&["a", "b"])));
        assert_eq!(both.causes.iter().map(|one| one.what.as_str()).collect::<Vec<_>>(), ["title b"]);
        assert!(!news(Some(&with(Some(&["a"]))), &with(None)).is_any());
    }

    #[test]
    fn phones_are_lost_once_and_back_where_they_are_measured() {
        let lost = RunSeen { lost: [("S1".to_owned(), "offline".to_owned())].into(), ..seen(&[]) };
        let there = seen(&[("w", Some(Pass))]);
        assert_eq!(
            news(Some(&there), &lost).lost,
            [Item { what: "S1".to_owned(), why: "offline".to_owned() }]
        );
        assert!(!news(Some(&lost), &lost).is_any());
        assert_eq!(news(Some(&lost), &there).back.len(), 1);
        assert!(news(Some(&lost), &seen(&[])).back.is_empty(), "not asked for is not back");
    }
}
