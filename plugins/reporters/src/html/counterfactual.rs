//! What would have passed, in words; it is found by the judge's own rules ([`farmjank_results::counterfactual`]).

use super::frames::Seen;
use crate::words::{amount, several};
use farmjank_results::counterfactual::{Counterfactual, counterfactual as found};
use farmjank_results::event::WindowMeasured;
use farmjank_results::frame_log::FrameLog;
use farmjank_results::metric::Unit;
use farmjank_results::threshold::Judgement;

/// One sentence, where a limit was breached and the frames of every iteration that counts tell.
pub(super) fn counterfactual(judgement: &Judgement, seen: &Seen<'_>) -> Option<String> {
    let counted = seen.iterations.iter().filter(|one| one.counts());
    let frames: Option<Vec<(&WindowMeasured, &FrameLog)>> =
        counted.map(|one| Some((one.window, &one.frame_log.as_ref().ok()?.1))).collect();
    found(judgement, &frames?).map(|what| sentence(what, judgement.unit))
}

fn sentence(what: Counterfactual, unit: Unit) -> String {
    match what {
        Counterfactual::Unexplained(best) => {
            format!("no number of hitches explains it: without any it would be {}", amount(best, unit))
        }
        Counterfactual::Fewer { hitches, us, of_us } => format!(
            "{} fewer would pass: {:.0} of {:.0} ms of hitch time",
            several(hitches, "hitch", "hitches"),
            us as f64 / 1000.0,
            of_us as f64 / 1000.0
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_said_in_one_sentence() {
        let said = |hitches, us| sentence(Counterfactual::Fewer { hitches, us, of_us: 90_000 }, Unit::Ms);
        assert_eq!(said(1, 60_000), "1 hitch fewer would pass: 60 of 90 ms of hitch time");
        assert_eq!(said(2, 90_000), "2 hitches fewer would pass: 90 of 90 ms of hitch time");
        let never = sentence(Counterfactual::Unexplained(Some(100.0)), Unit::Fps);
        assert_eq!(never, "no number of hitches explains it: without any it would be 100.0 fps");
    }
}
