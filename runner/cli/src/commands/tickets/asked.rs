//! What the flags and the environment of `farmjank tickets` mean: where to, by whose token, by which rules.

use crate::args::TicketsArgs;
use crate::command_error::{CommandError, usage};
use crate::host::{self, keep_secret};
use crate::settings::time;
use farmjank_leaf::mask::Mask;
use farmjank_leaf::text::typed;
use farmjank_requests::door::{Base, Token};
use farmjank_tickets::rules::Rules;
use farmjank_tickets::targets::github::{self, GitHub};
use farmjank_tickets::targets::gitlab::{self, GitLab};
use farmjank_tickets::targets::jira::{self, Jira};
use farmjank_tickets::targets::{Target, Tracker};
use std::collections::BTreeMap;
use std::time::Duration;

/// What is asked.
pub struct Asked {
    pub tracker: Box<dyn Tracker>,
    pub base: Base,
    /// None where the environment has none.
    pub token: Option<Token>,
    /// The variable it is in.
    pub variable: &'static str,
    pub patience: Duration,
    pub rules: Rules,
}

/// Longest label.
const LABEL: usize = 50;

/// Reads the flags, and the token of the environment.
///
/// # Errors
/// They make no sense, or there must be a token and is none.
pub fn asked(args: &TicketsArgs) -> Result<Asked, CommandError> {
    let to = args.to.as_deref().unwrap_or_default();
    let target = Target::parse(to).map_err(|why| usage!("--to `{}`: {why}", typed(to, 100)))?;
    let usual = match &target {
        Target::GitHub(..) => Some(github::BASE),
        Target::GitLab(_) => Some(gitlab::BASE),
        Target::Jira(_) => None,
    };
    let base = args.url.as_deref().or(usual);
    let base = base
        .ok_or_else(|| usage!("--to jira:KEY needs --url: https://NAME.atlassian.net, or your own Jira"))?;
    let base = Base::parse("--url", base).map_err(|why| usage!("{why}"))?;
    let (tracker, variable): (Box<dyn Tracker>, _) = match &target {
        Target::GitHub(owner, name) => (Box::new(GitHub::new(owner, name)), github::TOKEN),
        Target::GitLab(project) => (Box::new(GitLab::new(project)), gitlab::TOKEN),
        Target::Jira(key) => (Box::new(Jira::new(key, &base.shown(), &args.issue_type)), jira::TOKEN),
    };
    let patience = time(&args.timeout)?;
    if patience.is_zero() {
        return Err(usage!("--timeout takes a time above nothing"));
    }
    for label in &args.label {
        let plain = |c: char| !farmjank_leaf::text::acts(c) && c != ',';
        if label.trim().is_empty() || label.chars().count() > LABEL || !label.chars().all(plain) {
            return Err(usage!(
                "--label `{}`: a label is one to {LABEL} characters without commas",
                typed(label, 80)
            ));
        }
    }
    let token = token(variable)?;
    if args.apply && token.is_none() {
        return Err(usage!(
            "--apply needs a token, and there is none in {variable}; tokens come from the environment alone (docs/tickets.md)"
        ));
    }
    let rules = Rules {
        frames: args.frames,
        ms: args.ms,
        new_on: args.new_on,
        most_new: args.max_new,
        close_after: args.close_after,
        labels: args.label.clone(),
        teams: BTreeMap::new(),
    };
    Ok(Asked { tracker, base, token, variable, patience, rules })
}

/// The token of a variable, secret from here on; of Jira with the user it is of, where there is one.
fn token(variable: &str) -> Result<Option<Token>, CommandError> {
    let given =
        |name: &str| host::env(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let Some(token) = given(variable) else { return Ok(None) };
    secret(variable, &token)?;
    Ok(Some(match given(jira::USER).filter(|_| variable == jira::TOKEN) {
        Some(user) => {
            let token = Token::Basic(user, token);
            secret(variable, &token.words())?;
            token
        }
        None => Token::Bearer(token),
    }))
}

fn secret(variable: &str, text: &str) -> Result<(), CommandError> {
    let mask = Mask::default().and(text).map_err(|why| {
        usage!("{variable} cannot be a token: {why}, and so it could not be blacked out of what is printed")
    })?;
    keep_secret(&mask);
    Ok(())
}
