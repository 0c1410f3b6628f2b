//! `farmjank bisect BUILD.apk… SCENARIO`: which of many builds became slower. Each step is a whole comparison of two
//! builds in turn (`farmjank ab`), with a bundle of its own.

mod told;

use super::ab::{ab_rules, between};
use super::run::{About, Done, NoRun, once};
use crate::args::{BisectArgs, ListingFormat, RunArgs};
use crate::builds::build;
use crate::command_error::{CommandError, usage};
use crate::files_read::FilesRead;
use crate::host::{Bundle, Streams};
use crate::scenarios::{adjust, load};
use crate::settings::{Terminal, complain, refuse};
use farmjank_engine::scribe::Voice;
use farmjank_leaf::text::name as shown;
use farmjank_results::compare::{
    AbRules, Ask, Bisection, CellCompared, Comparison, Followed, Found, Held, comparison, deciding_cell,
};
use farmjank_results::event::Fact;
use farmjank_results::record::Record;
use farmjank_results::time::Span;
use farmjank_results::verdict::{EXIT_USAGE, Verdict};
use farmjank_results::words::several;
use farmjank_scenarios::plan::trial_time;
use farmjank_scenarios::scenario::Scenario;
use std::path::{Path, PathBuf};
use std::time::Duration;
use told::{Spent, Step, Summary};

/// Most builds: more are a mistake, such as a folder that was meant otherwise.
const MOST: usize = 1_000;

/// Iterations of each build for a look, where nobody says (docs/compare.md).
const CUSTOMARY: u32 = 15;
/// Iterations of each build, over all looks, below which no build is ever told to be no slower.
const NO_SLOWER: u32 = 29;

/// Searches; the exit code says how it ended.
pub fn run(args: &BisectArgs, terminal: Terminal) -> u8 {
    let search = match Search::of(args) {
        Ok(search) => search,
        Err(why) => return refuse(&why),
    };
    let Some(mut scenarios) = load(&search.run.scenarios, search.run.phones.lab.as_deref(), terminal) else {
        return EXIT_USAGE;
    };
    if let Err(why) = adjust(&mut scenarios, &search.run.select) {
        return refuse(&why);
    }
    Streams.err(&search.plan(&scenarios));
    search.go(args.format, terminal)
}

/// A search under way.
struct Search<'a> {
    args: &'a BisectArgs,
    /// Of every comparison.
    run: RunArgs,
    builds: Vec<PathBuf>,
    rules: AbRules,
    bisection: Bisection,
    followed: Option<Followed>,
    steps: Vec<Step>,
    spent: Spent,
}

impl<'a> Search<'a> {
    /// What is asked for; every build is looked at before a phone is touched.
    fn of(args: &'a BisectArgs) -> Result<Search<'a>, CommandError> {
        let is_build = |path: &&PathBuf| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("apk"));
        let (builds, paths): (Vec<PathBuf>, Vec<PathBuf>) =
            args.run.scenarios.paths.iter().cloned().partition(|path| is_build(&path));
        let mut run = args.run.clone();
        run.scenarios.paths = if paths.is_empty() { vec![PathBuf::from("scenarios")] } else { paths };
        (run.quiet, run.aside) = (true, true);
        run.least = Some(CUSTOMARY.max(NO_SLOWER.div_ceil(u32::from(args.turns.looks))));
        match builds.len() {
            0..=2 => {
                return Err(usage!(
                    "{} builds to search: name three or more (.apk), the oldest first; `farmjank ab` holds two against each other",
                    builds.len()
                ));
            }
            3..=MOST => {}
            many => return Err(usage!("{many} builds are more than {MOST}; name fewer")),
        }
        let refused = [
            (run.watch, "--watch: a search is made once"),
            (run.baseline.is_some(), "--baseline: the oldest build is what the others are held against"),
            (
                run.resume.is_some(),
                "--resume: a search is made in one go; `farmjank ab --resume` goes on with one comparison",
            ),
            (
                run.over.detach || run.over.attach.is_some(),
                "--detach, --attach: what a search asks next hangs on what was found: it stays until the end",
            ),
            (run.ui, "--ui: every comparison is a run of its own; `farmjank view` shows one"),
            (
                run.junit.is_some() || !run.reporter.is_empty(),
                "--reporter: every comparison is a run of its own; `farmjank report RUN` writes its reports",
            ),
            (
                args.turns.budget.is_some(),
                "--budget: a search takes as many comparisons as it needs; --looks 1 makes each of them shorter",
            ),
        ];
        if let Some((_, why)) = refused.into_iter().find(|(given, _)| *given) {
            return Err(why.into());
        }
        for path in &builds {
            build(path, run.phones.lab.is_some())?;
        }
        let (rules, _) = ab_rules(&args.turns, true)?;
        let bisection = Bisection::of(builds.len());
        let (followed, steps, spent) = (None, Vec::new(), Spent::default());
        Ok(Search { args, run, builds, rules, bisection, followed, steps, spent })
    }

    /// What it takes at most, before anything is measured.
    fn plan(&self, scenarios: &[Scenario]) -> String {
        let names: Vec<String> = self.builds.iter().map(|path| shown(path)).collect();
        let least = self.run.least.unwrap_or(CUSTOMARY);
        let given = self.run.select.iterations;
        let few = given.filter(|given| given * u32::from(self.args.turns.looks) < NO_SLOWER);
        let (mut installs, mut time) = (0, Duration::ZERO);
        for scenario in scenarios {
            let iterations = given.unwrap_or(scenario.iterations.max(least));
            let (own, trials) = AbRules { iterations, ..self.rules }.most();
            installs += own;
            time += trial_time(scenario).saturating_mul(u32::try_from(trials).unwrap_or(u32::MAX));
        }
        let warned = few.map_or_else(String::new, |few| {
            format!(
                "with --iterations {few} and {} no build can be told to be no slower: that takes {NO_SLOWER} of each build in all\n",
                several(self.args.turns.looks, "look", "looks")
            )
        });
        told::plan(&names, &self.bisection, installs, time) + &warned
    }

    fn go(mut self, format: ListingFormat, terminal: Terminal) -> u8 {
        let (found, code) = loop {
            match self.bisection.next() {
                Ask::Compare(build) => {
                    if let Err(code) = self.compare(build, terminal) {
                        break (None, code);
                    }
                }
                Ask::End(found) => break (Some(found), code_of(found)),
            }
        };
        if self.steps.is_empty() && code == EXIT_USAGE {
            return code;
        }
        let summary = Summary {
            builds: self.builds.iter().map(|path| shown(path)).collect(),
            bisection: &self.bisection,
            followed: self.followed.as_ref(),
            steps: &self.steps,
            spent: &self.spent,
            found,
            code,
        };
        match format {
            ListingFormat::Table => Streams.out(&summary.text()),
            ListingFormat::Json => Streams.out(&summary.json()),
        }
        code
    }

    /// One comparison with the oldest build; an exit code ends the search.
    fn compare(&mut self, at: usize, terminal: Terminal) -> Result<(), u8> {
        let number = self.steps.len() + 1;
        let line = if terminal.unicode { "──" } else { "--" };
        let (old, new) = (shown(&self.builds[0]), shown(&self.builds[at]));
        let most = self.bisection.usual().max(number);
        Streams.err(&format!("\n{line} comparison {number} of about {most}: {new} against {old} {line}\n"));
        let done = self.measured(number, at, terminal)?;
        self.spent.add(&done.record, installs(&done.root));
        let said = comparison(&done.record, self.followed.as_ref());
        if self.followed.is_none() && said == Comparison::Held(Held::Slower) {
            self.follow(&done.record);
        }
        let cell = deciding_cell(&done.record, self.followed.as_ref()).cloned();
        let (root, interrupted) = (done.root.clone(), done.record.interrupted.is_some());
        let code = done.over();
        if interrupted {
            return Err(code);
        }
        match said {
            Comparison::Broken(fault) => {
                complain(&fault);
                Err(Verdict::Broken.exit_code())
            }
            Comparison::Held(held) => {
                self.told(at, held, cell, root);
                Ok(())
            }
        }
    }

    fn told(&mut self, build: usize, held: Held, cell: Option<CellCompared>, bundle: PathBuf) {
        let step = Step { build, held: held.clone(), cell, bundle };
        Streams.err(&format!("{}: {}\n", shown(&self.builds[build]), step.words()));
        self.steps.push(step);
        self.bisection.told(build, held);
    }

    /// From here on only what became slower is measured, on the phones on which it did.
    fn follow(&mut self, record: &Record) {
        self.followed = Followed::of(record);
        if let Some(followed) = &self.followed {
            self.run.phones.serials = followed.phones(record).into_iter().map(|id| id.0).collect();
            self.run.select.scenario = vec![followed.scenario.clone()];
        }
    }

    fn measured(&self, number: usize, at: usize, terminal: Terminal) -> Result<Done, u8> {
        let lab = self.run.phones.lab.is_some();
        let read = |path: &Path| build(path, lab).map_err(|why| refuse(&why));
        let builds = (read(&self.builds[0])?, read(&self.builds[at])?);
        let plan = between(builds, &self.args.run.install, self.rules, None).map_err(|why| refuse(&why))?;
        let mut run = self.run.clone();
        run.out = run.out.map(|out| out.join(format!("comparison-{number}")));
        once(&run, terminal, About::Builds(plan.0, plan.1), &FilesRead::default()).map_err(|why| match why {
            NoRun::Files => EXIT_USAGE,
            NoRun::Ended(code) => code,
        })
    }
}

/// 1: it was found; what is only narrowed down is not.
fn code_of(found: Found) -> u8 {
    match found {
        Found::NoSlower => Verdict::Pass.exit_code(),
        Found::First(_) => Verdict::Fail.exit_code(),
        Found::Untold | Found::Among { .. } => Verdict::Undecided.exit_code(),
    }
}

/// Builds that were put on phones in a run, by its log.
fn installs(bundle: &Path) -> usize {
    let log = Bundle::open(bundle).log().unwrap_or_default();
    let events = Record::read_ndjson(&log).map(|(_, events)| events).unwrap_or_default();
    events.iter().filter(|event| matches!(event.fact, Fact::AppInstalled { .. })).count()
}

/// Time a job had its phone, over all jobs.
fn phone_time(record: &Record) -> Span {
    let own = record.jobs.values().filter_map(|job| Some(job.ended? - job.started?));
    own.fold(Span::ZERO, |all, one| Span::from_ns(all.ns() + one.ns()))
}
