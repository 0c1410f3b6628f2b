//! Loops on the phone that read or clear its frames, told by its process list, and whose they are
//! (docs/phones.md#somebody-elses-loop).
//!
//! Every loop of farmjank begins with its run's name: this run's own are known by it, those of other runs are named.
//! Must not know what follows from a loop.

use super::clip;
use super::together::as_far_as_told;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::device::Device;
use farmjank_seams::quote::quote;
use std::time::Duration;

/// Extended expression for lines of `ps` that ask for frames; it does not match itself.
pub(crate) const LOOPS: &str = "[d]umpsys ([^;|&]* )?(SurfaceFlinger|gfxinfo)";
/// Services that tell or clear frames.
const ASKED: [&str; 2] = ["SurfaceFlinger", "gfxinfo"];
/// Begins every loop of farmjank, before the number and the name of its run.
const SIGNED: &str = ": farmjank ";
/// What stands around dumps and answers of every call of farmjank.
const MARK: &str = "@fj:";
/// What is in every loop of farmjank, also of versions that did not sign theirs.
const ENDLESS: &str = "while :;";
/// Most loops named, and the longest line of one shown, characters.
const MOST: usize = 3;
const SHOWN: usize = 160;

/// Asks for such loops. Until Android 7 `ps` tells names alone, and nothing is known.
pub(crate) fn line(sdk: u32) -> String {
    if sdk < 26 { "true".to_owned() } else { format!("ps -A -w -o PID,ARGS | grep -E '{LOOPS}'") }
}

/// The name of a run, as its loops carry it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// What it does there, such as `run 20260301-120000-5eed7a`.
    pub who: String,
    /// Unlike that of every other process, also one of the same run that was cut off.
    pub nonce: u64,
}

impl Signature {
    /// The same loop, signed. The name comes first: lines of `ps` are cut at their ends.
    pub(crate) fn sign(&self, endless: &str) -> String {
        format!("{SIGNED}{:016x} {}; {endless}", self.nonce, quote(&self.who))
    }
}

/// A loop on the phone that is not this run's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ForeignLoop {
    pub(crate) pid: u32,
    /// Its command line, or its run's name, made safe to show.
    shown: String,
    /// The run of farmjank it is of, by its signature; none where it is somebody else's.
    pub(crate) of: Option<Signature>,
}

impl ForeignLoop {
    /// Whether its run is over: it is one of those that had the phone before on this computer, where only one has it at
    /// a time; or an earlier process of the same run.
    pub(crate) fn is_left_behind(&self, own: &Signature, before: &[String]) -> bool {
        self.of.as_ref().is_some_and(|of| of.who == own.who || before.contains(&of.who))
    }
}

/// The loops that are not this run's, from what [`line`] answered.
pub(crate) fn read(text: &str, own: &Signature) -> Vec<ForeignLoop> {
    text.lines().filter_map(|line| foreign(line, own)).collect()
}

fn foreign(line: &str, own: &Signature) -> Option<ForeignLoop> {
    let (pid, args) = line.trim().split_once(' ')?;
    let pid: u32 = pid.parse().ok()?;
    // Lines that were asked for in one with other programs come along.
    let (_, asked) = args.split_once("dumpsys ")?;
    if !ASKED.iter().any(|service| asked.contains(service)) {
        return None;
    }
    let of = signature(args);
    // A question of farmjank, which is over in a moment, has marks and no name.
    let is_question = of.is_none() && args.contains(MARK) && !args.contains(ENDLESS);
    if is_question || of.as_ref().is_some_and(|of| of.nonce == own.nonce) {
        return None;
    }
    let own_words = args.trim().strip_prefix("sh -c ").unwrap_or(args.trim());
    let shown = match &of {
        Some(of) => of.who.clone(),
        None => clip(own_words, SHOWN),
    };
    Some(ForeignLoop { pid, shown, of })
}

fn signature(args: &str) -> Option<Signature> {
    let (_, rest) = args.split_once(SIGNED)?;
    let (nonce, rest) = rest.split_once(" '")?;
    let (who, _) = rest.split_once('\'')?;
    Some(Signature { who: clip(who, SHOWN), nonce: u64::from_str_radix(nonce, 16).ok()? })
}

/// Why nothing is measured as long as these loops run, and whose they are; none where there is none. A loop and the
/// shells it forked are one.
pub(crate) fn fault(loops: &[ForeignLoop]) -> Option<Fault> {
    let is_first = |nth: usize| loops[..nth].iter().all(|other| other.shown != loops[nth].shown);
    let named: Vec<&ForeignLoop> =
        loops.iter().enumerate().filter_map(|(nth, one)| is_first(nth).then_some(one)).collect();
    let first = named.first()?;
    let words = |one: &&ForeignLoop| {
        let ForeignLoop { pid, shown, of } = one;
        match of {
            Some(_) => format!("another farmjank measures on this phone ({shown}, process {pid})"),
            None => format!("another program reads or clears the phone's frames (`{shown}`, process {pid})"),
        }
    };
    let more = named.len().saturating_sub(MOST);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    let what = named.iter().take(MOST).map(words).collect::<Vec<_>>().join("; ") + &more;
    let advice = match named.iter().find(|one| one.of.is_none()) {
        Some(stranger) => format!(
            "end it (`adb shell kill {}`), or let whoever runs it wait until this run is over",
            stranger.pid
        ),
        None => format!(
            "give the phone to one of them, or point FARMJANK_CLAIMS of both to one folder: then one waits for the other ({})",
            first.shown
        ),
    };
    Some(Fault::new(FaultCode::ForeignLoop, what).advise(advice))
}

/// What went wrong with an app or a screen while somebody else was at work on the phone may be that one's doing.
pub(crate) fn behind(others: Option<Fault>, seen: Fault) -> Fault {
    match others {
        Some(others) if seen.code != others.code => {
            let what = format!("{} (seen as: {})", others.what, clip(&seen.what, SHOWN));
            Fault { what, ..others }.passing()
        }
        _ => seen,
    }
}

/// Ends loops of runs that are over. What to say of it; none where there is none.
///
/// # Errors
/// The phone is lost.
pub(crate) async fn end(
    device: &dyn Device,
    left: &[ForeignLoop],
    patience: Duration,
) -> Result<Option<String>, Fault> {
    let Some(first) = left.first() else { return Ok(None) };
    let pids: Vec<String> = left.iter().map(|one| one.pid.to_string()).collect();
    let line = format!("kill {} 2>/dev/null", pids.join(" "));
    as_far_as_told(device, &[&line], patience).await?;
    let (phone, who) = (device.id(), &first.shown);
    Ok(Some(format!("left by {who} on {phone}: a loop that still read its frames; it is ended")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> Signature {
        Signature { who: "run one".to_owned(), nonce: 0x5eed }
    }

    fn listed(pid: u32, line: &str) -> String {
        format!("{pid:>5} sh -c {line}\n")
    }

    const STRANGER: &str = "while :; do dumpsys SurfaceFlinger --latency-clear; sleep 1; done";

    #[test]
    fn own_loops_and_questions_of_farmjank_are_nobody_elses() {
        let own_loop =
            own().sign("while :; do echo \"@fj:00 b 0\"; dumpsys SurfaceFlinger --latency 'x'; done");
        let question = "( dumpsys gfxinfo com.a framestats ); echo \"@fj:0000000000000001 s $?\"";
        assert_eq!(read(&(listed(7, &own_loop) + &listed(8, question)), &own()), []);
        assert_eq!(fault(&[]), None);
    }

    #[test]
    fn a_stranger_is_named_by_its_line_and_another_run_by_its_name() {
        let other = Signature { who: "run two".to_owned(), nonce: 2 }.sign(STRANGER);
        let text = listed(7, STRANGER) + &listed(9, STRANGER) + &listed(8, &other);
        let all = fault(&read(&text, &own())).expect("two");
        assert_eq!(
            all.what,
            "another program reads or clears the phone's frames (`while :; do dumpsys SurfaceFlinger --latency-clear; sleep 1; \
             done`, process 7); another farmjank measures on this phone (run two, process 8)"
        );
        assert!(all.advice.contains("`adb shell kill 7`"), "{all}");
        let of_farmjank = fault(&read(&listed(8, &other), &own())).expect("one");
        assert!(of_farmjank.advice.contains("FARMJANK_CLAIMS"), "{of_farmjank}");
        let app = Fault::new(FaultCode::AppCrashed, "it crashed");
        let behind_it = behind(Some(all.clone()), app.clone());
        assert_eq!((&behind_it.code, behind_it.blame), (&FaultCode::ForeignLoop, all.blame));
        assert!(behind_it.what.ends_with("(seen as: it crashed)"), "{behind_it}");
        assert_eq!(behind(None, app.clone()), app);
        assert_eq!(behind(Some(all.clone()), all.clone()), all, "said once");
    }

    #[test]
    fn what_a_stranger_calls_itself_is_bounded_and_acts_on_no_terminal() {
        let line = format!("\u{1b}[31mdumpsys gfxinfo {} reset", "x".repeat(5_000));
        let said = fault(&read(&format!(" 12 {line}\n"), &own())).expect("a stranger").what;
        assert!(said.len() < 300 && !said.contains('\u{1b}'), "{said}");
        let none = "x dumpsys gfxinfo\n\n12\n 13 screenrecord a\n 14 dumpsys battery\n";
        assert_eq!(read(none, &own()), [], "no process, or one that asks for no frames");
    }

    #[test]
    fn only_a_loop_of_a_run_that_is_over_is_left_behind() {
        let left = |who: &str, nonce| {
            let text = listed(7, &Signature { who: who.to_owned(), nonce }.sign(STRANGER));
            read(&text, &own()).first().is_some_and(|one| one.is_left_behind(&own(), &["run old".to_owned()]))
        };
        assert!(left("run old", 3), "it had this phone before");
        assert!(left("run one", 3), "an earlier process of the same run");
        assert!(!left("run far away", 3), "nobody knows whether it is over");
        assert!(!read(&listed(7, STRANGER), &own())[0].is_left_behind(&own(), &["run old".to_owned()]));
    }

    #[test]
    fn a_run_whose_name_has_quotes_signs_one_word() {
        let odd = Signature { who: "it's $HOME".to_owned(), nonce: 1 };
        assert!(odd.sign("true").starts_with(": farmjank 0000000000000001 'it'"));
        assert_eq!(read(&listed(7, &odd.sign(STRANGER)), &own()).len(), 1);
    }
}
