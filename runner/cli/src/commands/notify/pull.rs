//! The comment on a pull request: what it says, by whose token, and what became of it.

use super::given::given;
use super::not_told::NotTold;
use super::page;

use super::world::{self, Until, Wire};
use crate::args::NotifyArgs;
use crate::command_error::{CommandError, usage};
use crate::host;
use farmjank_leaf::text::typed;
use farmjank_notify::pull_request::{self, Kept, PullRequest};
use farmjank_notify::{Comment, Order, Talk};
use farmjank_requests::door::{Base, Token};

/// The comment, but for its page, which is read where it is needed.
///
/// # Errors
/// `--key` is none.
pub fn comment(args: &NotifyArgs) -> Result<Comment, CommandError> {
    let own = &args.comment;
    if !Comment::is_key(&own.key) {
        return Err(usage!("--key `{}`: small letters, digits and `-`", typed(&own.key, 60)));
    }
    let number = |name: &str| host::env(name)?.parse().ok();
    let order =
        number("GITHUB_RUN_ID").map(|run| Order { run, attempt: number("GITHUB_RUN_ATTEMPT").unwrap_or(1) });
    let log = args.link.clone().or_else(world::link).unwrap_or_default();
    Ok(Comment { key: own.key.clone(), order, page: String::new(), commit: own.commit.clone(), log })
}

/// Keeps it; what became of it in words.
///
/// # Errors
/// It could not be written.
pub fn tell(
    place: &PullRequest,
    comment: &Comment,
    args: &NotifyArgs,
    until: Until,
) -> Result<String, NotTold> {
    let comment = Comment { page: page::page(args)?.text, ..comment.clone() };
    if args.dry_run {
        return Ok(comment.body());
    }
    let mut wire = hub(args, until)?;
    let kept = world::waited(async {
        let mut talk = Talk::new(&mut wire, "GitHub", until.left());
        place.keep(&mut talk, &comment).await
    })?;
    Ok(said(&place.shown(), "comment", &kept))
}

/// GitHub, by the token of the environment.
///
/// # Errors
/// There is no token, or no way there.
pub fn hub(args: &NotifyArgs, until: Until) -> Result<Wire, NotTold> {
    let own = host::env("GITHUB_API_URL").filter(|url| !url.is_empty());
    let base = args.comment.url.clone().or(own).unwrap_or_else(|| pull_request::BASE.to_owned());
    let base = Base::parse("--url", &base)?;
    let missing = || NotTold::Missing("token", pull_request::TOKEN.to_owned());
    let token = given(pull_request::TOKEN)?.ok_or_else(missing)?;
    Ok(Wire::to(base, Some(&Token::Bearer(token)), until)?)
}

/// What became of it, in words.
pub fn said(place: &str, what: &str, kept: &Kept) -> String {
    let became = match kept {
        Kept::Made(_) => format!("has a {what} now"),
        Kept::Changed(_) => format!("has its {what} up to date"),
        Kept::Same(_) => "said so already".to_owned(),
        Kept::Later(_) => "keeps what a later run said".to_owned(),
    };
    let url = if kept.url().is_empty() { String::new() } else { format!(": {}", kept.url()) };
    format!("{place} {became}{url}\n")
}
