//! The check run on a commit: what it comes to, and the marks on scenarios.

use super::not_told::NotTold;
use super::page::{self, Page};
use super::pull::{hub, said};
use super::world::{self, Until};
use crate::args::{NeutralVerdict, NotifyArgs};
use crate::command_error::{CommandError, usage};
use farmjank_leaf::text::typed;
use farmjank_notify::check_run::{Check, Conclusion, Level, Mark};
use farmjank_notify::repository::Repository;
use farmjank_notify::{Comment, Talk};
use farmjank_reporters::github::{headline, marks};
use farmjank_reporters::{github, words};
use farmjank_results::verdict::Verdict;

/// Makes it; what became of it in words.
///
/// # Errors
/// It could not be made.
pub fn tell(
    place: &Repository,
    comment: &Comment,
    args: &NotifyArgs,
    until: Until,
) -> Result<String, NotTold> {
    let commit = &args.comment.commit;
    let check = check(comment, args, page::page(args)?);
    if args.dry_run {
        return Ok(format!("{:#}\n", check.body()));
    }
    let mut wire = hub(args, until)?;
    let kept = world::waited(async {
        let mut talk = Talk::new(&mut wire, "GitHub", until.left());
        check.keep(place, &mut talk).await
    })?;
    let what = format!("{} {}", place.shown(), commit.get(..8).unwrap_or_default());
    Ok(said(&what, "check run", &kept))
}

/// Looks at `--commit` before anybody is told.
///
/// # Errors
/// It is no commit as check runs want one.
pub fn on_a_commit(text: &str) -> Result<(), CommandError> {
    match Check::is_commit(text) {
        true => Ok(()),
        false => Err(usage!(
            "--commit `{}`: a check run is on a commit, named by all 40 characters of its hash",
            typed(text, 80)
        )),
    }
}

fn check(comment: &Comment, args: &NotifyArgs, page: Page) -> Check {
    let Page { record, text } = page;
    let ended = args.comment.ended.unwrap_or_default();
    let title = match &record {
        Some(record) => headline(record),
        None => format!("no verdict: exit {ended} ({})", words::exit(ended)),
    };
    let interrupted = record.as_ref().map_or(ended > 128, |record| record.interrupted.is_some());
    let verdict = match &record {
        Some(record) => record.verdict,
        // Nothing was measured, and how the command ended is all there is.
        None => [Verdict::Broken, Verdict::Undecided].into_iter().find(|one| one.exit_code() == ended),
    };
    let conclusion = match interrupted {
        true => Conclusion::Cancelled,
        false => concluded(verdict, &args.comment.neutral),
    };
    Check {
        key: comment.key.clone(),
        order: comment.order,
        commit: comment.commit.clone(),
        conclusion,
        title,
        page: text,
        marks: record.iter().flat_map(marks).map(marked).collect(),
        log: comment.log.clone(),
    }
}

/// What was not proved lets nobody through, unless that is asked for.
fn concluded(verdict: Option<Verdict>, neutral: &[NeutralVerdict]) -> Conclusion {
    match verdict {
        Some(Verdict::Pass) => Conclusion::Success,
        Some(Verdict::Undecided) if neutral.contains(&NeutralVerdict::Undecided) => Conclusion::Neutral,
        Some(Verdict::Broken) if neutral.contains(&NeutralVerdict::Broken) => Conclusion::Neutral,
        Some(Verdict::Undecided) => Conclusion::ActionRequired,
        Some(Verdict::Fail | Verdict::Broken) | None => Conclusion::Failure,
    }
}

fn marked(mark: github::Mark) -> Mark {
    let github::Mark { file, place, verdict, title, message } = mark;
    let level = match verdict {
        Some(Verdict::Fail) => Level::Failure,
        Some(_) => Level::Warning,
        None => Level::Notice,
    };
    // What is about several windows is at the head of the file.
    let row = place.map_or(1, |(row, _)| u64::from(row.max(1)));
    Mark { path: file, row, level, title, message }
}
