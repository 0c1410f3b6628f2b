//! Several lines asked of a phone in one call, their answers told apart by marks.
//!
//! Every call to a phone waits for its place among the calls of its adb server, and for the way there and back: with a
//! hundred phones on a server, calls are what trials wait for. Must not know what the lines mean.

use super::{clip_bytes, uptime};
use farmjank_leaf::hash::Fnv;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::time::BootTime;
use farmjank_seams::device::{Device, Output};
use std::time::Duration;

/// What one of the lines answered: its standard output and its exit status. What it said on standard error is lost,
/// unless the line says `2>&1`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Standard output.
    pub out: Vec<u8>,
    /// Exit status.
    pub status: i32,
}

impl Answer {
    /// Standard output as text; bytes that are none are marked.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.out).into_owned()
    }
}

impl From<Answer> for Output {
    fn from(answer: Answer) -> Output {
        Output { status: answer.status, out: answer.out, err: Vec::new() }
    }
}

/// Asks so many lines, each in a shell of its own, one after the other whatever their statuses.
///
/// # Errors
/// What the phone's connection says; `answer_cut` where the answer of a line is missing.
pub async fn together<const N: usize>(
    device: &dyn Device,
    lines: [&str; N],
    patience: Duration,
) -> Result<[Answer; N], Fault> {
    let (answers, output) = asked(device, &lines, patience).await?;
    let whole: Option<Vec<Answer>> = answers.into_iter().collect();
    whole.and_then(|answers| answers.try_into().ok()).ok_or_else(|| {
        let said = clip_bytes(if output.err.is_empty() { &output.out } else { &output.err }, 200);
        let what = format!("the phone's shell broke off with status {}: {said}", output.status);
        let fault = Fault::new(FaultCode::AnswerCut, what).passing();
        fault.advise("what the phone sent was cut or damaged on the way: try another cable, hub or port")
    })
}

/// The same where each line may do without: nothing stands for an answer that is missing.
///
/// # Errors
/// What the phone's connection says.
pub(crate) async fn as_far_as_told(
    device: &dyn Device,
    lines: &[&str],
    patience: Duration,
) -> Result<Vec<Answer>, Fault> {
    let (answers, _) = asked(device, lines, patience).await?;
    Ok(answers.into_iter().map(Option::unwrap_or_default).collect())
}

/// One answer a line, where it came, and all that was said.
async fn asked(
    device: &dyn Device,
    lines: &[&str],
    patience: Duration,
) -> Result<(Vec<Option<Answer>>, Output), Fault> {
    // Made of what is asked: no text of the phone holds it by chance.
    let marks = Marks(nonce(lines.iter().flat_map(|line| line.bytes())));
    let output = device.shell(&marks.script(lines.iter().copied(), false, false), patience).await?;
    let pieces = marks.cut(&output.out, lines.len()).pieces;
    let answer = |piece: Option<(Vec<u8>, i32)>| piece.map(|(out, status)| Answer { out, status });
    Ok((pieces.into_iter().map(answer).collect(), output))
}

/// A number from bytes.
pub(crate) fn nonce(bytes: impl Iterator<Item = u8>) -> u64 {
    Fnv::NOTHING.and(bytes).number()
}

/// Marks between the answers of several lines run in one call.
pub(crate) struct Marks(pub(crate) u64);

/// What one call told.
pub(crate) struct MarkedOutput {
    /// `/proc/uptime` before the first line and after the last, where they were asked for.
    pub(crate) first: Option<BootTime>,
    pub(crate) last: Option<BootTime>,
    /// Output and status of each line; none when its mark is missing.
    pub(crate) pieces: Vec<Option<(Vec<u8>, i32)>>,
}

impl Marks {
    /// One script: each line in a shell of its own with its status behind it, between two stamps where wanted.
    /// `complaints`: what the lines say on standard error belongs to their answers.
    pub(crate) fn script<'l>(
        &self,
        lines: impl Iterator<Item = &'l str>,
        complaints: bool,
        stamped: bool,
    ) -> String {
        let (mark, errors) = (self.mark(), if complaints { " 2>&1" } else { "" });
        let stamp = format!("read u x </proc/uptime; echo \"{mark}t $u\"");
        let calls = lines.map(|line| format!("( {line} ){errors}; echo \"{mark}s $?\""));
        let mut parts: Vec<String> = calls.collect();
        if stamped {
            parts.insert(0, stamp.clone());
            parts.push(stamp);
        }
        parts.join("; ")
    }

    fn mark(&self) -> String {
        format!("@fj:{:016x} ", self.0)
    }

    /// Tells the answers apart.
    pub(crate) fn cut(&self, out: &[u8], lines: usize) -> MarkedOutput {
        let mark = self.mark().into_bytes();
        let mut told = MarkedOutput { first: None, last: None, pieces: Vec::new() };
        let mut rest = out;
        while let Some(at) = memchr::memmem::find(rest, &mark) {
            let (before, after) = (&rest[..at], &rest[at + mark.len()..]);
            let end = memchr::memchr(b'\n', after).unwrap_or(after.len());
            let words = String::from_utf8_lossy(&after[..end]);
            rest = after.get(end + 1..).unwrap_or_default();
            match words.trim_end().split_once(' ') {
                Some(("t", stamp)) => {
                    let stamp = uptime(stamp);
                    told.first = told.first.or(stamp);
                    told.last = stamp.or(told.last);
                }
                Some(("s", status)) if told.pieces.len() < lines => {
                    told.pieces.push(status.parse().ok().map(|status| (before.to_vec(), status)));
                }
                _ => {}
            }
        }
        told.pieces.resize(lines, None);
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told_apart_even_without_a_last_line_end() {
        let marks = Marks(7);
        let script = marks.script(["one", "two"].into_iter(), true, true);
        assert!(script.contains("( one ) 2>&1; echo \"@fj:0000000000000007 s $?\""), "{script}");
        let mark = marks.mark();
        let out = format!("{mark}t 10.25\nfirst\nline{mark}s 0\n{mark}s 127\n{mark}t 10.50\n");
        let told = marks.cut(out.as_bytes(), 3);
        assert_eq!(told.first, Some(BootTime::from_ns(10_250_000_000)));
        assert_eq!(told.last, Some(BootTime::from_ns(10_500_000_000)));
        assert_eq!(told.pieces, [Some((b"first\nline".to_vec(), 0)), Some((Vec::new(), 127)), None]);
    }

    #[test]
    fn marks_of_another_call_are_text() {
        let told = Marks(7).cut(b"@fj:0000000000000008 s 0\n", 1);
        assert_eq!((told.first, told.pieces), (None, vec![None]));
    }

    #[test]
    fn without_stamps_the_lines_are_all_there_is() {
        assert_eq!(
            Marks(7).script(["one"].into_iter(), false, false),
            "( one ); echo \"@fj:0000000000000007 s $?\""
        );
    }
}
