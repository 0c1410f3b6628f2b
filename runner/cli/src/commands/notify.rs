//! `farmjank notify`: tells somebody of a run that is over.

mod page;
mod world;

use crate::args::NotifyArgs;
use crate::command_error::{CommandError, usage};
use crate::host::{self, Streams, keep_secret};
use crate::settings::{complain, refuse, time};
use farmjank_engine::scribe::Voice;
use farmjank_leaf::mask::Mask;
use farmjank_leaf::text::typed;
use farmjank_notify::pull_request::{self, Kept, PullRequest};
use farmjank_notify::{Comment, Order, Talk};
use farmjank_requests::door::{Base, Door, Token};
use farmjank_results::verdict::Verdict;
use std::time::Duration;
use world::Wire;

/// Longest time for one request.
const PATIENCE: Duration = Duration::from_secs(30);

/// Tells whom it is asked to tell.
pub fn run(args: &NotifyArgs) -> u8 {
    match told(args) {
        Ok(true) => 0,
        Ok(false) => Verdict::Broken.exit_code(),
        Err(why) => refuse(&why),
    }
}

/// Whether everybody was told.
fn told(args: &NotifyArgs) -> Result<bool, CommandError> {
    let limit = time(&args.time)?;
    let places = args.to.iter().map(|to| place(to)).collect::<Result<Vec<_>, _>>()?;
    if !Comment::is_key(&args.key) {
        return Err(usage!("--key `{}`: small letters, digits and `-`", typed(&args.key, 60)));
    }
    let comment = comment(args)?;
    if args.dry_run {
        Streams.out(&comment.body());
        return Ok(true);
    }
    let mut all = true;
    for place in places {
        match kept(&place, &comment, args, limit)? {
            Ok(kept) => Streams.out(&said(&place, &kept)),
            Err(why) => {
                complain(format!("{} is not told: {why}", place.shown()));
                all = false;
            }
        }
    }
    Ok(all)
}

fn place(to: &str) -> Result<PullRequest, CommandError> {
    let read = to.strip_prefix("pull-request:").and_then(PullRequest::parse);
    read.ok_or_else(|| usage!("--to `{}`: write pull-request:OWNER/REPO#NUMBER", typed(to, 100)))
}

fn comment(args: &NotifyArgs) -> Result<Comment, CommandError> {
    let number = |name: &str| host::env(name)?.parse().ok();
    let order = number("GITHUB_RUN_ID").map(|run| {
        let attempt = number("GITHUB_RUN_ATTEMPT").unwrap_or(1);
        Order { run, attempt }
    });
    let log = ["GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID"].map(host::env);
    let log = match log {
        [Some(server), Some(repository), Some(run)] => format!("{server}/{repository}/actions/runs/{run}"),
        _ => String::new(),
    };
    let page = page::page(args)?;
    Ok(Comment { key: args.key.clone(), order, page, commit: args.commit.clone(), log })
}

/// What became of the comment, or why nothing; only what cannot be asked at all is an error of the command.
fn kept(
    place: &PullRequest,
    comment: &Comment,
    args: &NotifyArgs,
    limit: Duration,
) -> Result<Result<Kept, String>, CommandError> {
    let own = host::env("GITHUB_API_URL").filter(|url| !url.is_empty());
    let base = args.url.clone().or(own).unwrap_or_else(|| pull_request::BASE.to_owned());
    let base = Base::parse("--url", &base).map_err(|why| usage!("{why}"))?;
    let Some(token) = token(pull_request::TOKEN)? else {
        let what =
            format!("there is no token in {}; tokens come from the environment alone", pull_request::TOKEN);
        return Ok(Err(what));
    };
    let door = Door::new(base, Some(&token), PATIENCE.min(limit)).map_err(|why| usage!("{why}"))?;
    let mut wire = Wire { door };
    let talk = async {
        let mut talk = Talk::new(&mut wire, "GitHub", limit);
        place.keep(&mut talk, comment).await.map_err(|why| why.to_string())
    };
    crate::in_runtime(false, talk).map_err(|_| usage!("requests cannot be made here"))
}

/// The token of a variable, secret from here on.
fn token(variable: &str) -> Result<Option<Token>, CommandError> {
    let given = host::env(variable).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let Some(token) = given else { return Ok(None) };
    let mask = Mask::default().and(&token).map_err(|why| {
        usage!("{variable} cannot be a token: {why}, and so it could not be blacked out of what is printed")
    })?;
    keep_secret(&mask);
    Ok(Some(Token::Bearer(token)))
}

fn said(place: &PullRequest, kept: &Kept) -> String {
    let what = match kept {
        Kept::Made(_) => "has a comment now",
        Kept::Changed(_) => "has its comment up to date",
        Kept::Same(_) => "said so already",
        Kept::Later(_) => "keeps what a later run said",
    };
    let url = if kept.url().is_empty() { String::new() } else { format!(": {}", kept.url()) };
    format!("{} {what}{url}\n", place.shown())
}
