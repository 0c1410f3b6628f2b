//! Flags of `farmjank tickets`.

use super::AnalyzeFormat;
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "Examples:
  farmjank tickets results/runs/20260301-120000 --to github:acme/shop          what would be done
  farmjank tickets results/runs/20260301-120000 --to github:acme/shop --apply  do it

The token comes from the environment alone: GITHUB_TOKEN, GITLAB_TOKEN, or JIRA_TOKEN (with JIRA_USER in the cloud).
Without one a dry run asks nobody.
Exit codes: 0 done, or nothing to do · 2 flags, or the run · 3 the system refused or was not reached; what was done
stays, and it is safe to run again. Rules, rights of the token, what is written: docs/tickets.md";

/// `farmjank tickets`
#[derive(Args, Debug, Clone)]
#[command(after_help = EXAMPLES)]
pub struct TicketsArgs {
    /// The run bundle of a run with --causes.
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Where tickets are: github:OWNER/REPO, gitlab:GROUP/PROJECT, jira:KEY.
    #[arg(long, value_name = "WHERE", required = true)]
    pub to: Option<String>,
    /// Base of the system's interface, where it is not that of github.com or gitlab.com: https://HOST/api/v3 of GitHub
    /// Enterprise, https://HOST/api/v4 of GitLab, https://NAME.atlassian.net of Jira, which needs it.
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// The history store, which tells what is new, grown, gone: a SQLite file, or `postgres://user@host/database`;
    /// default results/history.sqlite where there is one. Without a history no ticket is closed.
    #[arg(long, value_name = "PATH|URL")]
    pub store: Option<String>,
    /// Write to the tickets; without it, only say what would be done.
    #[arg(long)]
    pub apply: bool,
    /// Label of new tickets, beside `farmjank`; repeatable.
    #[arg(long, value_name = "NAME")]
    pub label: Vec<String>,
    /// Who answers for which package, an owners.yaml: tickets name the owner and get the labels of its team
    /// (docs/causes.md, "Owners"). It tells of this run's causes again, whatever the run itself was told.
    #[arg(long, value_name = "FILE")]
    pub owners: Option<PathBuf>,
    /// A cause gets a ticket that is in so many late frames of the run,
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub frames: u32,
    /// or costs so many ms in it,
    #[arg(long, value_name = "MS", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    pub ms: u32,
    /// or is new on so many phones by the history; and is at least likely.
    #[arg(long, value_name = "PHONES", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    pub new_on: u32,
    /// Most tickets opened for one run: the costliest causes get them.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub max_new: u32,
    /// Close a ticket once its cause is gone for so many nights that looked for it.
    #[arg(long, value_name = "NIGHTS", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    pub close_after: u32,
    /// Type of new issues in Jira.
    #[arg(long, value_name = "NAME", default_value = "Bug")]
    pub issue_type: String,
    /// Longest time for one request (`30s`).
    #[arg(long, value_name = "TIME", default_value = "30s")]
    pub timeout: String,
    /// How to print.
    #[arg(long, value_enum, default_value = "table")]
    pub format: AnalyzeFormat,
}
