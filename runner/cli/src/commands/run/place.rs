//! Where a run's bundle lies: a folder of its own, or that of a run that came to no end and goes on.

use crate::args::RunArgs;
use crate::baselines::since;
use crate::command_error::{CommandError, usage};
use crate::commands::runs::{found as kept, newest};
use crate::host::{self, Bundle, Streams};
use farmjank_engine::builds::AbPlan;
use farmjank_engine::rerun::Rerun;
use farmjank_engine::resume::{Earlier, NotResumed};
use farmjank_engine::scribe::{LOG, Voice};
use farmjank_engine::survey::Wanted;
use farmjank_leaf::text::name as shown;
use farmjank_results::journal::BadLog;
use farmjank_scenarios::plan::Selection;
use farmjank_scenarios::quarantine::Entry;
use farmjank_scenarios::scenario::Scenario;
use std::path::{Path, PathBuf};

/// Largest log read.
const MOST_LOG: u64 = 2 << 30;
/// What `--resume` says for the newest run.
const AUTO: &str = "auto";
/// How long ago a run may have stopped that is gone on with though nobody names it: by then the app is another.
const FRESH: jiff::SignedDuration = jiff::SignedDuration::from_hours(24);

/// A run's folder, taken.
pub struct Place {
    /// The run's id.
    pub run: String,
    /// The folder.
    pub root: PathBuf,
    /// It, open for writing.
    pub bundle: Bundle,
    /// What is in it, where the run goes on.
    pub earlier: Option<Earlier>,
}

/// Why there is no folder to write into.
pub enum NoPlace {
    /// It cannot be had.
    Refused(CommandError),
    /// The run that was named is over, with this exit code.
    Over(PathBuf, u8),
    /// Nothing of the run is to be run again; why, in words.
    Nothing(PathBuf, String),
}

impl<E: Into<CommandError>> From<E> for NoPlace {
    fn from(why: E) -> Self {
        NoPlace::Refused(why.into())
    }
}

/// What a run that goes on must be about.
pub struct Asked<'a> {
    /// What to run.
    pub scenarios: &'a [Scenario],
    /// Which of it.
    pub selection: &'a Selection,
    /// What does not gate.
    pub quarantine: &'a [Entry],
    /// On which phones.
    pub wanted: &'a Wanted,
    /// Builds that take turns; none where none do.
    pub ab_plan: Option<&'a AbPlan>,
    /// The virtual lab they are of; none for real ones.
    pub lab: Option<&'a str>,
    /// Its seed.
    pub seed: u64,
}

impl Asked<'_> {
    /// Takes a folder: that of the run to go on with, or a new one.
    ///
    /// # Errors
    /// There is none to be had, or nothing is left to do.
    pub fn place(&self, args: &RunArgs) -> Result<Place, NoPlace> {
        let real = self.lab.is_none();
        let mut place = match (args.rerun.asked()?, args.resume.as_deref()) {
            (Some((rerun, named)), _) => self.rerun(args, rerun, named)?,
            (None, resume) => self.resumed_or_new(args, resume)?,
        };
        if real {
            place.bundle = place.bundle.durable();
        }
        Ok(place)
    }

    fn resumed_or_new(&self, args: &RunArgs, resume: Option<&str>) -> Result<Place, NoPlace> {
        Ok(match resume {
            None => self.begin(args)?,
            Some(AUTO) => match self.unfinished(args)? {
                Some(place) => place,
                None => self.begin(args)?,
            },
            Some(named) => self.named(args, named)?,
        })
    }

    /// A part of a run that is over: of the one that is named, the one in `--out`, or the newest of `results/runs`.
    fn rerun(&self, args: &RunArgs, rerun: Rerun, named: &str) -> Result<Place, NoPlace> {
        let flag = if rerun.failed { "--last-failed" } else { "--undecided" };
        let root = match (named, &args.out) {
            ("", Some(out)) => out.clone(),
            ("", None) => newest(&runs())
                .ok_or_else(|| usage!("{flag}: no run is kept in {}; name its folder", shown(&runs())))?,
            _ => found(args, flag, named)?,
        };
        if !host::is_there(&root.join(LOG)) {
            return Err(usage!("{flag}: {} holds no run", shown(&root)).into());
        }
        let taken = self.taken(&root, |lines| Earlier::rerun(lines, rerun))?;
        taken.map_err(|why| match why {
            NotResumed::NoneSuch(_) => NoPlace::Nothing(root, why.to_string()),
            why => usage!("{flag}: {}: {why}", shown(&root)).into(),
        })
    }

    /// The run somebody names, by its name in `results/runs` or its folder.
    fn named(&self, args: &RunArgs, named: &str) -> Result<Place, NoPlace> {
        let root = found(args, "--resume", named)?;
        match self.resumed(&root)? {
            Ok(place) => Ok(place),
            Err(NotResumed::Over { exit_code }) => Err(NoPlace::Over(root, exit_code)),
            Err(why) => {
                Err(usage!("--resume: {}: {why}; leave --resume away to begin a new run", shown(&root))
                    .into())
            }
        }
    }

    /// The run in `--out`, or the newest of `results/runs`, if it came to no end not long ago; says why not, where it
    /// did not and is not gone on with.
    fn unfinished(&self, args: &RunArgs) -> Result<Option<Place>, NoPlace> {
        let found = args.out.clone().or_else(|| newest(&runs()));
        let Some(root) = found.filter(|root| host::is_there(&root.join(LOG))) else { return Ok(None) };
        let written = host::modified(&root.join(LOG));
        let age = written.and_then(|written| since(&written, &host::wall()));
        let why = match age {
            Some(age) if age > FRESH => "it stopped more than a day ago; name it to go on with it".to_owned(),
            _ => match self.resumed(&root) {
                // A run that the lab kept from its end is over, unless it is named.
                Ok(Ok(place)) if place.ended_by_itself() => return Ok(None),
                Ok(Ok(place)) => return Ok(Some(place)),
                Ok(Err(NotResumed::Over { .. })) => return Ok(None),
                Ok(Err(why)) => why.to_string(),
                Err(why) => why.to_string(),
            },
        };
        Streams.err(&format!("--resume auto: {}: {why}; a new run begins\n", shown(&root)));
        Ok(None)
    }

    fn resumed(&self, root: &Path) -> Result<Result<Place, NotResumed>, CommandError> {
        self.taken(root, Earlier::read)
    }

    fn taken(
        &self,
        root: &Path,
        read: impl Fn(&[u8]) -> Result<Earlier, NotResumed>,
    ) -> Result<Result<Place, NotResumed>, CommandError> {
        let (bundle, lines) = Bundle::take_up(root, MOST_LOG)?;
        let earlier = match read(&lines) {
            // It died before it began: it begins.
            Err(NotResumed::Log(BadLog::Empty)) => None,
            Err(why) => return Ok(Err(why)),
            Ok(earlier) => Some(earlier),
        };
        if let Some(earlier) = &earlier
            && let Err(why) = self.same(earlier)
        {
            return Ok(Err(why));
        }
        bundle.cut(lines.len())?;
        let run = earlier.as_ref().map_or_else(|| self.run_id(), |earlier| earlier.record.header.run.clone());
        Ok(Ok(Place { run, root: root.to_owned(), bundle, earlier }))
    }

    /// Whether a run is about what is asked for.
    fn same(&self, earlier: &Earlier) -> Result<(), NotResumed> {
        let header = &earlier.record.header;
        let lab = self.lab;
        if (header.lab.as_deref(), header.seed) != (lab, self.seed) {
            let of = |lab: Option<&str>, seed: u64| {
                lab.map_or_else(
                    || "on phones".to_owned(),
                    |lab| format!("in the virtual lab {lab} with seed {seed}"),
                )
            };
            let (then, now) = (of(header.lab.as_deref(), header.seed), of(lab, self.seed));
            return Err(NotResumed::OtherPlan(format!("it ran {then}, and this one is to run {now}")));
        }
        earlier.takes_turns(self.ab_plan)?;
        if earlier.is_planned() {
            earlier.plan(self.scenarios, self.selection, self.quarantine)?;
            earlier.wanted(self.wanted)?;
        }
        Ok(())
    }

    fn begin(&self, args: &RunArgs) -> Result<Place, CommandError> {
        let run = self.run_id();
        let (root, bundle) = begun(args, &run)?;
        Ok(Place { run, root, bundle, earlier: None })
    }

    fn run_id(&self) -> String {
        run_id(self.lab, self.seed)
    }
}

impl Place {
    fn ended_by_itself(&self) -> bool {
        self.earlier.as_ref().is_some_and(Earlier::ended_by_itself)
    }
}

/// The folder of a run that is named, by its name in `results/runs` or as it is.
fn found(args: &RunArgs, flag: &str, named: &str) -> Result<PathBuf, CommandError> {
    if args.out.is_some() {
        return Err(usage!("--out: `{flag}` goes on in the folder of {named}; leave --out away"));
    }
    kept(&runs(), Path::new(named)).map_err(|why| usage!("{flag}: {why}"))
}

fn runs() -> PathBuf {
    Path::new("results").join("runs")
}

/// A run's id. Of a simulated run it is the same for the same lab and seed, wherever its bundle lies.
pub fn run_id(lab: Option<&str>, seed: u64) -> String {
    match lab {
        Some(lab) => format!("lab-{lab}-seed{seed}"),
        None => own_id(),
    }
}

/// An id no other run has, though two begin in the same second on two computers that share a history.
pub fn own_id() -> String {
    let second = host::wall().replace([':', '-'], "").replace('T', "-").replace('Z', "");
    format!("{second}-{:06x}", host::chance() & 0xff_ffff)
}

/// The folder of a run of this id that begins.
///
/// # Errors
/// It cannot be had.
pub fn begun(args: &RunArgs, id: &str) -> Result<(PathBuf, Bundle), CommandError> {
    if let Some(root) = &args.out {
        if args.overwrite {
            Bundle::remove(root)?;
        }
        return Ok((root.clone(), Bundle::create(root)?));
    }
    let runs = runs();
    for copy in 1..1000 {
        let root = runs.join(if copy == 1 { id.to_owned() } else { format!("{id}-{copy}") });
        if Bundle::take(&root)? {
            return Ok((root.clone(), Bundle::create(&root)?));
        }
    }
    Err(usage!("{} holds a thousand runs named {id}; clear some, or give --out", shown(&runs)))
}
