//! Flags of builds that take turns.

use super::{LenderFlag, PhoneArgs, RunArgs, ScenarioArgs, SelectArgs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const AB_EXAMPLES: &str = "Examples:\n  \
farmjank ab app-7.4.apk app-7.5.apk scenarios/feed.yaml\n  \
farmjank ab old.apk new.apk scenarios/ --iterations 10 --budget 45m -s R5CT40ABCDE\n  \
farmjank ab scenarios/ab/shop-7.4.apk scenarios/ab/shop-7.5.apk scenarios/gallery/search.yaml --lab demo\n  \
farmjank ab old.apk new.apk scenarios/ --resume auto                      # the one that was cut off goes on\n  \
farmjank ab old.apk new.apk scenarios/ --farm tls://farm.example:4222      # on the phones of a farm\n\n\
Exit codes: 0 no slower · 1 slower, or a limit was breached · 2 usage · 3 lab fault, or a build was refused · 4 undecided";

/// `farmjank ab`
#[derive(Args, Debug, Clone)]
#[command(after_help = AB_EXAMPLES, mut_arg("baseline", |arg| arg.hide(true)), mut_arg("fail_fast", |arg| arg.hide(true)), mut_arg("deadline", |arg| arg.hide(true)), mut_arg("one_session", |arg| arg.hide(true)), mut_arg("max_age", |arg| arg.hide(true)), mut_arg("watch", |arg| arg.hide(true)), mut_arg("attach", |arg| arg.hide(true)), mut_arg("install", |arg| arg.hide(true)))]
pub struct AbArgs {
    /// The build to compare with.
    #[arg(value_name = "OLD.apk")]
    pub old: PathBuf,
    /// The build to judge. It stays on the phones.
    #[arg(value_name = "NEW.apk")]
    pub new: PathBuf,
    /// How they take turns.
    #[command(flatten)]
    pub turns: TurnArgs,
    /// What to run, and where.
    #[command(flatten)]
    pub run: RunArgs,
}

/// Which build is installed, and how.
#[derive(Args, Debug, Clone)]
pub struct InstallArgs {
    /// Put this build of the app on every phone before it is measured there; where scenarios are of several apps,
    /// `com.example.shop=shop.apk`, once for each.
    #[arg(long, value_name = "[APP=]FILE.apk")]
    pub install: Vec<String>,
    /// How a build is compiled after every installation: speed (unless told otherwise), speed-profile, verify, or none
    /// to leave it to the phone.
    #[arg(long, value_name = "MODE")]
    pub compile: Option<String>,
    /// Uninstall the app first where a phone refuses to replace it (an older version, another key). Its data are lost.
    #[arg(long)]
    pub reinstall: bool,
}

/// How two builds take turns.
#[derive(Args, Debug, Clone)]
pub struct TurnArgs {
    /// Iterations of each build between two installations.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub per_install: u32,
    /// How often an undecided window may be looked at: each look after the first adds as many iterations again.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=3))]
    pub looks: u8,
    /// How long all of it may take (`20m`): every job gets five iterations of each build first, the rest of the time
    /// goes where doubt is.
    #[arg(long, value_name = "TIME")]
    pub budget: Option<String>,
    /// Screen every window with 10 + 10 iterations, and measure suspects afresh with 20 + 20. Done by itself where more
    /// than 20 windows are compared.
    #[arg(long, conflicts_with = "no_screen")]
    pub screen: bool,
    /// Measure every window alike, however many there are.
    #[arg(long)]
    pub no_screen: bool,
}

const CALIBRATE_EXAMPLES: &str = "Examples:\n  \
farmjank calibrate scenarios/                                        # the phones here, into results/history.sqlite\n  \
farmjank calibrate scenarios/gallery/search.yaml --lab demo --history noise.sqlite\n\n\
Exit codes: 0 kept · 2 usage · 3 lab fault · 4 a phone differed from itself twice, or nothing could be told";

/// `farmjank calibrate`
#[derive(Args, Debug, Clone)]
#[command(after_help = CALIBRATE_EXAMPLES, mut_arg("baseline", |arg| arg.hide(true)), mut_arg("fail_fast", |arg| arg.hide(true)), mut_arg("deadline", |arg| arg.hide(true)), mut_arg("one_session", |arg| arg.hide(true)), mut_arg("max_age", |arg| arg.hide(true)), mut_arg("watch", |arg| arg.hide(true)), mut_arg("attach", |arg| arg.hide(true)), mut_arg("notify", |arg| arg.hide(true)), mut_arg("install", |arg| arg.hide(true)), mut_arg("compile", |arg| arg.hide(true)), mut_arg("reinstall", |arg| arg.hide(true)))]
pub struct CalibrateArgs {
    /// Iterations in a row before the other half has its turn.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub block: u32,
    /// What to run, and where.
    #[command(flatten)]
    pub run: RunArgs,
}

/// `farmjank plan`
#[derive(Args, Debug, Clone)]
pub struct PlanArgs {
    /// Which scenarios.
    #[command(flatten)]
    pub scenarios: ScenarioArgs,
    /// Which phones.
    #[command(flatten)]
    pub phones: PhoneArgs,
    #[command(flatten)]
    pub lenders: LenderFlag,
    /// Which jobs.
    #[command(flatten)]
    pub select: SelectArgs,
    /// Say what comparing builds will take, and what it cannot tell.
    #[command(flatten)]
    pub needs: NeedArgs,
}

/// What `plan` says of comparisons.
#[derive(Args, Debug, Clone)]
pub struct NeedArgs {
    /// The history store with what `farmjank calibrate` found of the noise; `results/history.sqlite` where it is there.
    /// Without one the noise is assumed.
    #[arg(long, value_name = "PATH|URL")]
    pub history: Option<String>,
    /// Looks at most, as `farmjank ab` will be told.
    #[arg(long, value_name = "N", default_value_t = 3, hide_default_value = true, value_parser = clap::value_parser!(u8).range(1..=3))]
    pub looks: u8,
    /// Also say what a run held against this baseline could tell: a name or a file.
    #[arg(long, value_name = "NAME|FILE")]
    pub baseline: Option<PathBuf>,
    /// How to print.
    #[arg(long, value_enum, default_value = "table")]
    pub format: PlanFormat,
}

/// How `plan` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlanFormat {
    /// For people.
    Table,
    /// For programs.
    Json,
}
