//! A run over a farm that goes on from here though it was begun elsewhere; and how one ends, whoever began it.

use super::inputs::{about_turns, inputs};
use super::over_farm::{self, Conducted};
use super::{About, Done, NoRun};
use crate::args::RunArgs;
use crate::history::Keeper;
use crate::in_runtime;
use crate::settings::{Terminal, refuse};
use farmjank_results::compare::AbRules;

/// What is said to who takes a run up by another command.
pub const ATTACHED: &str =
    "--attach: the farm knows what its runs are about: `farmjank run --farm URL --attach RUN`";

/// A run over a farm that was begun elsewhere: held against what the flags name, kept where they say.
pub(super) fn taken_up(args: &RunArgs, terminal: Terminal, key: &str, about: About) -> Result<Done, NoRun> {
    if !matches!(about, About::Limits) {
        return Err(NoRun::Ended(refuse(&ATTACHED.into())));
    }
    let found = in_runtime(false, over_farm::found(args, key)).flatten().map_err(NoRun::Ended)?;
    let mut scenarios = over_farm::scenarios(&found).map_err(NoRun::Ended)?;
    let about = about_turns(found.turns());
    if !matches!(about, About::Limits) && args.baseline.is_some() {
        let why = "--baseline: this run holds builds against each other, and nothing against anything else";
        return Err(NoRun::Ended(refuse(&why.into())));
    }
    let itself = if let About::Itself(ab_rules) = &about { Some(*ab_rules) } else { None };
    let mut of = args.clone();
    // Numbers of simulated phones are not kept among those of phones.
    of.phones.lab = found.lab().map(str::to_owned);
    let mut inputs =
        inputs(&of, &mut scenarios, Vec::new(), about).map_err(|why| NoRun::Ended(refuse(&why)))?;
    let keeper = inputs.keeper.take();
    over(in_runtime(false, over_farm::attached(args, terminal, found, inputs)).flatten(), itself, keeper)
}

/// A run over a farm, once it is over.
pub(super) fn over(
    conducted: Result<Conducted, u8>,
    itself: Option<AbRules>,
    keeper: Option<Keeper>,
) -> Result<Done, NoRun> {
    match conducted.map_err(NoRun::Ended)? {
        Conducted::Over(record, ui, root) => Ok(Done { record: *record, root, itself, keeper, ui }),
        Conducted::GoesOn => Err(NoRun::Ended(0)),
    }
}
