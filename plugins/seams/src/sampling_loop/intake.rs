//! Cuts the lines a stamped script prints into dumps.
//!
//! Tolerant of what streams do: noise before the first mark, carriage returns, a mark glued to an unfinished line, a
//! dump cut by a restarted loop. Memory is bounded by the cap of one dump. Must not know: what a dump means.

use super::marks::{Mark, Marker, NOTE};
use farmjank_results::dump::Dump;
use farmjank_results::frame::SourceId;
use farmjank_results::time::{BootTime, RunTime};

/// Room beyond the length of the last dump, bytes.
const ROOM: usize = 512;

/// Lines in, dumps out.
#[derive(Clone, Debug)]
pub struct Intake {
    source: SourceId,
    targets: Vec<String>,
    marker: Marker,
    cap: usize,
    /// Room a dump will want: what the last one took.
    usual: usize,
    open: Option<Open>,
}

#[derive(Clone, Debug)]
struct Open {
    index: usize,
    asked: Option<BootTime>,
    text: Vec<u8>,
    overflowed: bool,
}

impl Intake {
    /// An intake for a script whose command number i asks for `targets[i]`. `cap` bounds the text of one dump, in
    /// bytes.
    pub fn new(source: SourceId, targets: Vec<String>, marker: Marker, cap: usize) -> Self {
        Intake { source, targets, marker, cap, usual: 0, open: None }
    }

    /// What is asked for, in order of the script's commands.
    pub fn targets(&self) -> &[String] {
        &self.targets
    }

    /// Takes one line without its line end; gives a dump when the line completes one.
    pub fn feed(&mut self, line: &[u8], now: RunTime) -> Option<Dump> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match self.marker.find(line) {
            None => {
                self.take(line, true);
                None
            }
            Some((Mark::Begin { index, at }, _)) => {
                // A dump still open was cut short: half a ring is no evidence of anything.
                self.open = (index < self.targets.len()).then(|| Open {
                    index,
                    asked: at,
                    text: Vec::with_capacity(self.usual),
                    overflowed: false,
                });
                None
            }
            Some((Mark::End { index, at, status }, start)) => {
                self.take(&line[..start], false);
                let open = self.open.take().filter(|open| open.index == index)?;
                self.usual = (open.text.len() + ROOM).min(self.cap);
                Some(self.close(open, at, status, now))
            }
        }
    }

    /// Takes lines with their line ends (the last may lack it) up to the first dump they complete: that dump, and how
    /// many bytes were taken. Lines between two marks are taken in one piece.
    pub fn feed_lines(&mut self, lines: &[u8], now: RunTime) -> (Option<Dump>, usize) {
        let mut rest = lines;
        while !rest.is_empty() {
            let (plain, marked) = rest.split_at(self.marker.first_line(rest));
            self.take_lines(plain);
            let end = memchr::memchr(b'\n', marked).unwrap_or(marked.len());
            rest = marked.get(end + 1..).unwrap_or_default();
            let dump = if marked.is_empty() { None } else { self.feed(&marked[..end], now) };
            if dump.is_some() {
                return (dump, lines.len() - rest.len());
            }
        }
        (None, lines.len())
    }

    /// Takes lines that hold no mark.
    fn take_lines(&mut self, lines: &[u8]) {
        let Some(open) = &mut self.open else { return };
        if open.text.len() + lines.len() < self.cap && memchr::memchr(b'\r', lines).is_none() {
            let finished = lines.is_empty() || lines.ends_with(b"\n");
            if !open.overflowed {
                open.text.extend_from_slice(lines);
                open.text.extend_from_slice(if finished { b"" } else { b"\n" });
            }
            return;
        }
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            self.take(line.strip_suffix(b"\r").unwrap_or(line), true);
        }
    }

    fn take(&mut self, piece: &[u8], whole: bool) {
        let Some(open) = &mut self.open else { return };
        if open.overflowed || open.text.len() + piece.len() >= self.cap {
            open.overflowed = true;
            return;
        }
        open.text.extend_from_slice(piece);
        if whole {
            open.text.push(b'\n');
        }
    }

    fn close(&self, open: Open, answered: Option<BootTime>, status: Option<i32>, now: RunTime) -> Dump {
        let Open { index, asked, mut text, overflowed } = open;
        // Readers refuse a dump that holds such a line: a cut ring looks like a short one.
        if overflowed {
            note(&mut text, &format!("dump cut at {} bytes", self.cap));
        }
        match status {
            Some(0) => {}
            Some(status) => note(&mut text, &format!("the command ended with status {status}")),
            None => note(&mut text, "the command ended without a status"),
        }
        Dump { source: self.source, target: self.targets[index].clone(), asked, answered, arrived: now, text }
    }
}

fn note(text: &mut Vec<u8>, what: &str) {
    if text.last().is_some_and(|&byte| byte != b'\n') {
        text.push(b'\n');
    }
    text.extend_from_slice(NOTE.as_bytes());
    text.extend_from_slice(what.as_bytes());
    text.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::super::marks::Script;
    use super::*;
    use proptest::prelude::*;

    const CAP: usize = 4096;

    fn script() -> Script {
        Script::new(vec!["one".into(), "two".into()], 3)
    }

    fn intake() -> Intake {
        let targets = vec!["layer one".into(), "layer two".into()];
        Intake::new(SourceId::SurfaceFlinger, targets, script().marker().clone(), CAP)
    }

    /// What the script's marks begin with.
    fn prefix() -> String {
        let once = script().once();
        once[once.find('@').expect("a mark")..once.find("b 0").expect("a mark")].to_owned()
    }

    /// Feeds text whose `@` stands for the marker; gives target, asked and answered in centiseconds, and text.
    fn fed(text: &str) -> Vec<(String, Option<i64>, Option<i64>, String)> {
        let mut intake = intake();
        let text = text.replace('@', &prefix());
        let centis = |boot: Option<BootTime>| boot.map(|boot| boot.ns() / 10_000_000);
        let dumps = text.split('\n').filter_map(|line| intake.feed(line.as_bytes(), RunTime::from_ns(5)));
        dumps
            .map(|dump| {
                assert_eq!(dump.arrived, RunTime::from_ns(5));
                (
                    dump.target,
                    centis(dump.asked),
                    centis(dump.answered),
                    String::from_utf8_lossy(&dump.text).into(),
                )
            })
            .collect()
    }

    #[test]
    fn dumps_come_out_with_their_stamps() {
        let dumps =
            fed("noise\n@b 0 1.00\n16666666\n1 2 3\n\n@e 0 1.02 0\n@b 1 1.03\n9\n@e 1 1.05 0\n@b 0 2");
        assert_eq!(
            dumps,
            [
                ("layer one".into(), Some(100), Some(102), "16666666\n1 2 3\n\n".into()),
                ("layer two".into(), Some(103), Some(105), "9\n".into()),
            ]
        );
    }

    #[test]
    fn a_mark_may_be_glued_to_an_unfinished_line() {
        assert_eq!(fed("@b 0 1.00\n16666666\r\nlast@e 0 1.02 0\r")[0].3, "16666666\nlast");
    }

    #[test]
    fn cut_and_mixed_up_dumps_are_dropped() {
        assert_eq!(fed("@b 0 1.00\nhalf\n@b 0 2.00\nwhole\n@e 0 2.02 0")[0].3, "whole\n");
        assert_eq!(fed("@b 0 1.00\nx\n@e 1 1.02 0\n@e 0 1.03 0"), []);
        assert_eq!(fed("@e 0 1.03 0\n@b 7 1.00\nx\n@e 7 1.01 0"), []);
    }

    #[test]
    fn a_missing_stamp_is_none_and_a_bad_end_is_noted() {
        let dumps = fed("@b 0 \nx\n@e 0  0\n@b 0 1.0\ny@e 0 1.0 137\n@b 0 1.0\nz\n@e 0 1.0 ");
        assert_eq!((dumps[0].1, dumps[0].2, dumps[0].3.as_str()), (None, None, "x\n"));
        assert_eq!(dumps[1].3, "y\n@fj: the command ended with status 137\n");
        assert_eq!(dumps[2].3, "z\n@fj: the command ended without a status\n");
    }

    #[test]
    fn memory_is_bounded_and_the_cut_is_noted() {
        let mut intake = intake();
        let prefix = prefix();
        assert_eq!(intake.feed(format!("{prefix}b 0 1.00").as_bytes(), RunTime::default()), None);
        for _ in 0..10_000 {
            intake.feed(b"1234567890123456789\t1234567890123456789\t1", RunTime::default());
            assert!(intake.open.as_ref().is_some_and(|open| open.text.len() <= CAP));
        }
        let dump = intake.feed(format!("{prefix}e 0 1.00 0").as_bytes(), RunTime::default()).expect("a dump");
        assert!(dump.text.len() < CAP + 100);
        assert!(String::from_utf8_lossy(&dump.text).ends_with("\n@fj: dump cut at 4096 bytes\n"));
    }

    proptest! {
        /// However the stream was cut into pieces, whatever line ends it has and whatever stands between the dumps,
        /// the dumps are the same.
        #[test]
        fn dumps_do_not_depend_on_how_their_lines_arrive(
            bodies in prop::collection::vec(prop::collection::vec("[0-9\t ]{0,12}", 0..6), 1..5),
            pieces in prop::collection::vec(1usize..40, 1..20),
            crlf in any::<bool>(),
            at_once in any::<bool>(),
            between in prop::collection::vec("[a-z@ ]{0,8}", 0..3),
        ) {
            let prefix = prefix();
            let mut lines: Vec<String> = Vec::new();
            for (nth, body) in bodies.iter().enumerate() {
                lines.extend(between.iter().cloned());
                lines.push(format!("{prefix}b {} {nth}.50", nth % 2));
                lines.extend(body.iter().cloned());
                lines.push(format!("{prefix}e {} {nth}.75 0", nth % 2));
            }
            let stream = lines.join(if crlf { "\r\n" } else { "\n" }) + "\n";
            let mut intake = intake();
            let mut held: Vec<u8> = Vec::new();
            let mut dumps = Vec::new();
            let mut rest = stream.as_bytes();
            let mut sizes = pieces.iter().cycle();
            while !rest.is_empty() {
                let (piece, left) = rest.split_at((*sizes.next().expect("a cycle")).min(rest.len()));
                rest = left;
                held.extend_from_slice(piece);
                if at_once && let Some(end) = memchr::memrchr(b'\n', &held) {
                    let lines: Vec<u8> = held.drain(..=end).collect();
                    let mut rest = lines.as_slice();
                    while !rest.is_empty() {
                        let (dump, taken) = intake.feed_lines(rest, RunTime::default());
                        dumps.extend(dump);
                        rest = &rest[taken..];
                    }
                }
                while let Some(end) = held.iter().position(|&byte| byte == b'\n') {
                    let line: Vec<u8> = held.drain(..=end).collect();
                    dumps.extend(intake.feed(&line[..end], RunTime::default()));
                }
            }
            let texts: Vec<String> = dumps.iter().map(|dump| String::from_utf8_lossy(&dump.text).into_owned()).collect();
            let expected: Vec<String> =
                bodies.iter().map(|body| body.iter().map(|line| format!("{line}\n")).collect()).collect();
            prop_assert_eq!(texts, expected);
        }

        /// Lines in one piece give what the same lines give one by one: glued marks, carriage returns, a full dump and
        /// all.
        #[test]
        fn lines_in_one_piece_are_the_same_lines(
            lines in prop::collection::vec(("[0-9\t]{0,9}", prop::option::of(("[be]", 0usize..3)), any::<bool>()), 0..40),
            end in any::<bool>(),
            cap in 20usize..200,
        ) {
            let prefix = prefix();
            let line = |(text, mark, cr): &(String, Option<(String, usize)>, bool)| {
                let mark = mark.as_ref().map(|(kind, index)| format!("{prefix}{kind} {index} 1.00 0"));
                let mark = mark.map(|mark| mark.replace("b 0 1.00 0", "b 0 1.00").replace("b 1 1.00 0", "b 1 1.00"));
                format!("{text}{}{}", mark.unwrap_or_default(), if *cr { "\r" } else { "" })
            };
            let mut text = lines.iter().map(line).collect::<Vec<String>>().join("\n");
            if end || text.is_empty() {
                text.push('\n');
            }
            let fresh = || Intake { cap, ..intake() };
            let mut single = fresh();
            let mut whole = fresh();
            let pieces = text.split_inclusive('\n').map(|line| line.strip_suffix('\n').unwrap_or(line));
            let singly: Vec<Dump> = pieces.filter_map(|line| single.feed(line.as_bytes(), RunTime::default())).collect();
            let mut dumps = Vec::new();
            let mut rest = text.as_bytes();
            while !rest.is_empty() {
                let (dump, taken) = whole.feed_lines(rest, RunTime::default());
                dumps.extend(dump);
                rest = &rest[taken..];
            }
            prop_assert_eq!(dumps, singly);
            prop_assert_eq!(whole.open.map(|open| open.text), single.open.map(|open| open.text));
        }

        #[test]
        fn any_lines_are_taken_without_panic(lines in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..80), 0..40)) {
            let mut intake = intake();
            for line in lines {
                intake.feed(&line, RunTime::default());
            }
        }
    }
}
