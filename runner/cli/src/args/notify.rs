//! Flags of `farmjank notify`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

const EXAMPLES: &str = "Examples:
  farmjank notify out --to pull-request:acme/shop#12      one comment, kept up to date
  farmjank notify out --to check-run:acme/shop --commit 4f2d…   a check run on the commit
  farmjank notify results/runs/20260301-120000 --to slack --to webhook
  farmjank notify out --to teams:FEED_TEAM_HOOK --against night --dry-run

Addresses, tokens and secrets come from the environment alone: GITHUB_TOKEN, FARMJANK_SLACK_URL and the like.
Exit codes: 0 told, or nothing to tell · 2 flags, or the run · 3 somebody could not be told. Who can be told, what, and
by which variables: docs/notifications.md";

/// `farmjank notify`
#[derive(Args, Debug, Clone)]
#[command(after_help = EXAMPLES)]
pub struct NotifyArgs {
    /// The run bundle.
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Who is told: pull-request:OWNER/REPO#NUMBER; check-run:OWNER/REPO, on --commit; slack, teams, feishu, dingtalk,
    /// webhook or mail, whose address is in FARMJANK_SLACK_URL and so on, or of slack:NAME in the variable NAME;
    /// repeatable.
    #[arg(long, value_name = "WHO", required = true)]
    pub to: Vec<String>,
    /// The run that changes are told against; without it, of one in results/runs, the one before.
    #[arg(long, value_name = "RUN")]
    pub against: Option<PathBuf>,
    /// A history store that the run is in: changes are told against the run of its branch before it, as it was kept
    /// there; a SQLite file, or `postgres://user@host/database`.
    #[arg(long, value_name = "PATH|URL", conflicts_with = "against")]
    pub store: Option<String>,
    /// Of --store: the branch, as `branch=NAME`, that the run was kept with.
    #[arg(long, value_name = "NAME=VALUE", requires = "store")]
    pub label: Vec<String>,
    /// Tell chats also that nothing changed.
    #[arg(long)]
    pub always: bool,
    /// Where more is to be read: what messages link to. Without it the job's page, where a CI names it.
    #[arg(long, value_name = "URL")]
    pub link: Option<String>,
    /// Only print what would be said.
    #[arg(long)]
    pub dry_run: bool,
    /// How long telling everybody may take (`2m`), with all that is tried again.
    #[arg(long, value_name = "TIME", default_value = "2m")]
    pub time: String,
    #[command(flatten)]
    pub comment: CommentArgs,
}

/// What is only for GitHub.
#[derive(Args, Debug, Clone)]
pub struct CommentArgs {
    /// What tells the comment or check run from others of farmjank there: small letters, digits, `-`.
    #[arg(long, value_name = "NAME", default_value = "gate")]
    pub key: String,
    /// The commit that was measured; of a check run all of its hash.
    #[arg(long, value_name = "SHA", default_value = "", hide_default_value = true)]
    pub commit: String,
    /// How the command ended that should have left the bundle: where there is none, the comment says that.
    #[arg(long, value_name = "CODE")]
    pub ended: Option<u8>,
    /// Verdicts that are a neutral check run, which lets a pull request through; without it, what was not proved holds
    /// it up.
    #[arg(long, value_name = "VERDICT", value_delimiter = ',')]
    pub neutral: Vec<NeutralVerdict>,
    /// Base of GitHub's interface: https://HOST/api/v3 of GitHub Enterprise. Default GITHUB_API_URL, which jobs there
    /// have, else https://api.github.com.
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
}

/// A verdict that proves nothing of the app.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeutralVerdict {
    /// Nothing is proved.
    Undecided,
    /// A fault of the lab.
    Broken,
}
