//! What a search for the slower build found, for people and for programs. Text of phones and files is cleaned here.

use super::phone_time;
use farmjank_reporters::clean::line;
use farmjank_reporters::words::length;
use farmjank_results::compare::{Bisection, CellCompared, Followed, Found, Held, State};
use farmjank_results::record::Record;
use farmjank_results::time::Span;
use farmjank_results::words::several;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

/// Version of the JSON.
const FORMAT: u32 = 1;
/// Longest sentence shown.
const SHOWN: usize = 600;

/// What was done.
#[derive(Default)]
pub struct Spent {
    comparisons: usize,
    installs: usize,
    iterations: usize,
    phones: Span,
}

impl Spent {
    /// One comparison more.
    pub fn add(&mut self, record: &Record, installs: usize) {
        self.comparisons += 1;
        self.installs += installs;
        self.iterations += record.jobs.values().map(|job| job.trials.len()).sum::<usize>();
        self.phones = Span::from_ns(self.phones.ns() + phone_time(record).ns());
    }

    fn words(&self) -> String {
        format!(
            "{}, {}, {}, {} of phones",
            several(self.comparisons, "comparison", "comparisons"),
            several(self.installs, "installation", "installations"),
            several(self.iterations, "iteration", "iterations"),
            length(self.phones)
        )
    }
}

/// One comparison.
pub struct Step {
    /// The build that was held against the oldest.
    pub build: usize,
    /// What it came to.
    pub held: Held,
    /// The cell that decided; none where nothing was compared.
    pub cell: Option<CellCompared>,
    /// Its run.
    pub bundle: PathBuf,
}

impl Step {
    /// `slower: fling the feed on Pixel 7: hitch 14 → 41 ms/s (…)`.
    pub fn words(&self) -> String {
        let sentence = self.cell.as_ref().map(|cell| cell.sentence.as_str()).unwrap_or_default();
        let (word, why) = match &self.held {
            Held::Slower => ("slower", sentence),
            Held::NoSlower if self.cell.as_ref().is_some_and(|cell| cell.state == State::Inconclusive) => {
                ("no slower by half of what is searched for", sentence)
            }
            Held::NoSlower => ("no slower", sentence),
            Held::Untold(why) => ("cannot be told", why.as_str()),
        };
        format!("{word}: {}", line(why, SHOWN))
    }

    fn json(&self, builds: &[String]) -> Value {
        let held = match &self.held {
            Held::Slower => "slower",
            Held::NoSlower => "no_slower",
            Held::Untold(_) => "untold",
        };
        let cell = self.cell.as_ref();
        json!({
            "build": builds[self.build],
            "index": self.build,
            "held": held,
            "why": if let Held::Untold(why) = &self.held { Some(why) } else { None },
            "state": cell.map(|cell| cell.state.word()),
            "metric": cell.map(|cell| &cell.key.metric),
            "old": cell.and_then(|cell| cell.base),
            "new": cell.and_then(|cell| cell.new),
            "unit": cell.and_then(|cell| cell.unit),
            "estimate": cell.and_then(|cell| cell.estimate),
            "interval": cell.and_then(|cell| cell.interval),
            "mde": cell.and_then(|cell| cell.mde),
            "iterations": cell.map(|cell| cell.n),
            "sentence": cell.map(|cell| &cell.sentence),
            "run": self.bundle.to_string_lossy(),
        })
    }
}

/// All of it.
pub struct Summary<'s> {
    pub builds: Vec<String>,
    pub bisection: &'s Bisection,
    pub followed: Option<&'s Followed>,
    pub steps: &'s [Step],
    pub spent: &'s Spent,
    /// None where the search was cut off.
    pub found: Option<Found>,
    pub code: u8,
}

impl Summary<'_> {
    /// For people.
    pub fn text(&self) -> String {
        let mut out = format!("{}\n", self.answer());
        for (at, name) in self.builds.iter().enumerate() {
            let told = match (at, self.steps.iter().find(|step| step.build == at)) {
                (0, _) => "the oldest, which the others are held against".to_owned(),
                (_, Some(step)) => format!("{}\n      {}", step.words(), step.bundle.display()),
                (_, None) => "not measured".to_owned(),
            };
            out += &format!("  {name}  {told}\n");
        }
        if self.found.is_some_and(|found| matches!(found, Found::First(_) | Found::Among { .. })) {
            let all = several(self.steps.len(), "comparison", "comparisons");
            out += &format!("this rests on {all}, each of which is wrong in one of 20 at most\n");
        }
        out + &format!("{}; exit {}\n", self.spent.words(), self.code)
    }

    fn answer(&self) -> String {
        let name = |at: usize| self.builds[at].as_str();
        let last = self.builds.len() - 1;
        let step = |at: usize| self.steps.iter().find(|step| step.build == at);
        let words = |at: usize| step(at).map(Step::words).unwrap_or_default();
        match self.found {
            Some(Found::First(at)) => {
                let cell = step(at).and_then(|step| step.cell.as_ref());
                let sentence = cell.map(|cell| line(&cell.sentence, SHOWN)).unwrap_or_default();
                let metric = self.followed.map(|followed| line(&followed.metric, 100)).unwrap_or_default();
                format!(
                    "{} is the first that is slower, by {metric}: {sentence}, against {}; {} is no slower",
                    name(at),
                    name(0),
                    name(at - 1)
                )
            }
            Some(Found::Among { after, until }) => format!(
                "one of {} became slower, and which cannot be told: {} is no slower, {} is, what lies between says nothing",
                several(until - after, "build", "builds"),
                name(after),
                name(until)
            ),
            Some(Found::NoSlower) => format!("{} is {}", name(last), words(last)),
            Some(Found::Untold) => format!(
                "whether {} is slower than {} {}; more iterations (--iterations), looks (--looks 3) or phones tell more",
                name(last),
                name(0),
                words(last)
            ),
            None => {
                let (after, until) = self.bisection.left();
                match self.followed {
                    Some(_) => format!(
                        "the search was cut off: the first that is slower comes after {}, and is {} at the latest",
                        name(after),
                        name(until)
                    ),
                    None => "the search was cut off before anything was told".to_owned(),
                }
            }
        }
    }

    /// For programs: field names are a promise (docs/compare.md).
    pub fn json(&self) -> String {
        let (after, until) = self.bisection.left();
        let found = match self.found {
            Some(Found::First(_)) => "first",
            Some(Found::Among { .. }) => "among",
            Some(Found::NoSlower) => "no_slower",
            Some(Found::Untold) => "untold",
            None => "cut_off",
        };
        let first =
            if let Some(Found::First(at)) = self.found { Some(self.builds[at].as_str()) } else { None };
        let range =
            self.followed.map(|_| json!({ "after": self.builds[after], "until": self.builds[until] }));
        let followed = self.followed.map(|followed| {
            json!({
                "model": followed.model,
                "scenario": followed.scenario,
                "window": followed.window,
                "metric": followed.metric,
            })
        });
        let all = json!({
            "format": FORMAT,
            "builds": self.builds,
            "found": found,
            "first": first,
            "range": range,
            "followed": followed,
            "comparisons": self.steps.iter().map(|step| step.json(&self.builds)).collect::<Vec<_>>(),
            "spent": {
                "comparisons": self.spent.comparisons,
                "installations": self.spent.installs,
                "iterations": self.spent.iterations,
                "phone_seconds": self.spent.phones.secs().round(),
            },
            "exit_code": self.code,
        });
        serde_json::to_string_pretty(&all).unwrap_or_default() + "\n"
    }
}

/// What it takes, before anything is measured: the order of the builds, comparisons, and of each of them on one phone
/// at most so many installations and so long.
pub fn plan(names: &[String], bisection: &Bisection, installs: usize, time: Duration) -> String {
    let usual = bisection.usual();
    format!(
        "{} builds, the oldest first: {}\n{} in general ({} at most, where builds say nothing), each with at most {} and about {} on \
         every phone; what is told sooner takes less, and after the first only what became slower is measured\n",
        names.len(),
        names.join(", "),
        several(usual, "comparison", "comparisons"),
        bisection.most(),
        several(installs, "installation", "installations"),
        length(Span::from_ns(i64::try_from(time.as_nanos()).unwrap_or(i64::MAX))),
    )
}
