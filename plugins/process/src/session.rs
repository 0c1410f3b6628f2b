//! Who may say what when, and how much of it: a plugin's lines in, what it wants delivered out. Knows no time.

use crate::file_name::fits;
use crate::lending::ledger::Ledger;
use crate::lending::message::Answer;
use crate::limits::{BYTES, LINES};
use crate::misdeed::{Awaited, Misdeed};
use crate::protocol::{Hello, PROTOCOL, Said};
use crate::values::{Values, Windows};
use farmjank_leaf::text::line;
use std::collections::BTreeMap;

/// How far a conversation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Stage {
    /// Its hello is to come.
    #[default]
    Greeting,
    /// It is told events.
    Listening,
    /// It was asked for its conclusion.
    Concluding,
    /// Its conclusion is whole.
    Done,
}

/// What a line comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// It is kept.
    Nothing,
    /// One line for people, now.
    Notice(String),
    /// The conclusion is whole.
    Done,
}

/// A whole conclusion.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Conclusion {
    /// Files by their relative path.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Text for people.
    pub console: String,
}

/// How much was heard.
#[derive(Clone, Copy, Debug, Default)]
struct Volume {
    lines: u32,
    bytes: u64,
}

/// One conversation.
#[derive(Clone, Debug, Default)]
pub struct Session {
    stage: Stage,
    hello: Option<Hello>,
    heard: Volume,
    conclusion: Conclusion,
    /// How often it was asked at a moment of the run.
    asked: u64,
    /// What it answered, by id; none where it was ready.
    ready: BTreeMap<u64, Option<String>>,
    /// What it was asked about windows.
    windows: Windows,
    /// What it is asked about phones.
    ledger: Ledger,
}

impl Session {
    /// Hears a line, without its end.
    ///
    /// # Errors
    /// What the plugin did wrong; the conversation is over.
    pub fn hear(&mut self, bytes: &[u8]) -> Result<Told, Misdeed> {
        self.heard.lines += 1;
        self.heard.bytes += bytes.len() as u64;
        if self.heard.lines > LINES {
            return Err(Misdeed::Lines);
        }
        if self.heard.bytes > BYTES {
            return Err(Misdeed::Bytes);
        }
        let said = Said::read(bytes)?;
        let word = said.word();
        match (said, self.stage) {
            (Said::Hello(hello), Stage::Greeting) => self.greeted(hello),
            (Said::Refuse(why), Stage::Greeting) => Err(Misdeed::Refused(why)),
            (_, Stage::Greeting) => Err(Misdeed::BeforeHello(word)),
            (Said::Hello(_) | Said::Refuse(_), _) => Err(Misdeed::HelloTwice),
            (Said::Notice(text), _) => Ok(Told::Notice(text)),
            (Said::Ready(id), _) => self.answered(id, None),
            (Said::NotReady(id, why), _) => self.answered(id, Some(why)),
            (Said::Measured(id, values), _) => self.measured(id, values),
            (Said::OfPhones(answer), _) => self.of_phones(answer, bytes.len()),
            (_, Stage::Listening) => Err(Misdeed::Unasked(word)),
            (_, Stage::Done) => Err(Misdeed::NoMessage(format!("`{word}` after `done`"))),
            (Said::Console(text), _) => {
                self.conclusion.console.push_str(&text);
                Ok(Told::Nothing)
            }
            (Said::File { path, bytes }, _) => self.file(path, bytes),
            (Said::Failed(why), _) => Err(Misdeed::Failed(why)),
            (Said::Done, _) => {
                self.stage = Stage::Done;
                Ok(Told::Done)
            }
        }
    }

    fn greeted(&mut self, hello: Hello) -> Result<Told, Misdeed> {
        if hello.protocol != PROTOCOL {
            return Err(Misdeed::Version(hello.protocol));
        }
        if !hello.is_reporter && !hello.lends_phones {
            return Err(Misdeed::NoReporter);
        }
        self.hello = Some(hello);
        self.stage = Stage::Listening;
        Ok(Told::Nothing)
    }

    fn file(&mut self, path: String, bytes: Vec<u8>) -> Result<Told, Misdeed> {
        let below =
            |folder: &str, file: &str| file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        let mut others = self.conclusion.files.keys();
        let fits = fits(&path).and_then(|()| match self.conclusion.files.contains_key(&path) {
            true => Err("it said one of that name already"),
            false if others.any(|other| below(other, &path) || below(&path, other)) => {
                Err("it is a folder of another file, or lies in one that is a file")
            }
            false => Ok(()),
        });
        fits.map_err(|why| Misdeed::File { name: line(&path, 80), why })?;
        self.conclusion.files.insert(path, bytes);
        Ok(Told::Nothing)
    }

    fn answered(&mut self, id: u64, why: Option<String>) -> Result<Told, Misdeed> {
        if id >= self.asked || self.windows.has(id) || self.ready.insert(id, why).is_some() {
            return Err(Misdeed::NoMessage(format!("an answer to {id}, which nobody asks")));
        }
        // As many as were asked for: a farm of many nights is no flood.
        self.heard.lines -= 1;
        Ok(Told::Nothing)
    }

    fn measured(&mut self, id: u64, values: Values) -> Result<Told, Misdeed> {
        let offered = self.hello.as_ref().map_or(&[][..], |hello| &hello.metrics);
        self.windows.answered(id, values, offered)?;
        self.heard.lines -= 1;
        Ok(Told::Nothing)
    }

    /// It is asked about a window: the id of its answer.
    pub(crate) fn ask_of_window(&mut self) -> u64 {
        let id = self.ask();
        self.windows.ask(id);
        id
    }

    /// What it said of the window it was asked about with this id, once it has answered.
    pub(crate) fn values(&self, id: u64) -> Option<&Values> {
        self.windows.answer(id)
    }

    fn of_phones(&mut self, answer: Answer, bytes: usize) -> Result<Told, Misdeed> {
        let asked_for = !matches!(answer, Answer::Lost(..));
        self.ledger.hear(answer)?;
        if asked_for {
            self.heard.lines -= 1;
            self.heard.bytes -= bytes as u64;
        }
        Ok(Told::Nothing)
    }

    /// What it is asked about phones.
    pub fn ledger(&mut self) -> &mut Ledger {
        &mut self.ledger
    }

    /// Whether it has answered what it was asked about phones with this id.
    pub fn has_answered(&self, id: u64) -> bool {
        self.ledger.has(id)
    }

    /// It is asked at a moment of the run: the id of its answer.
    pub fn ask(&mut self) -> u64 {
        self.asked += 1;
        self.asked - 1
    }

    /// Whether it was ready, or why not, once it has answered.
    pub fn answer(&self, id: u64) -> Option<Result<(), &str>> {
        self.ready.get(&id).map(|why| why.as_deref().map_or(Ok(()), Err))
    }

    /// Whether its conclusion is whole.
    pub fn is_done(&self) -> bool {
        self.stage == Stage::Done
    }

    /// It is asked for its conclusion.
    pub fn asked(&mut self) {
        self.stage = self.stage.max(Stage::Concluding);
    }

    /// Its hello, once it was said.
    pub fn hello(&self) -> Option<&Hello> {
        self.hello.as_ref()
    }

    /// What is waited for.
    pub fn awaited(&self) -> Awaited {
        match self.stage {
            Stage::Greeting => Awaited::Hello,
            Stage::Listening if self.windows.wait() => Awaited::Values,
            Stage::Listening if ((self.ready.len() + self.windows.len()) as u64) < self.asked => {
                Awaited::Ready
            }
            Stage::Listening if self.ledger.is_due() => Awaited::Phones,
            Stage::Listening => Awaited::Run,
            Stage::Concluding | Stage::Done => Awaited::Conclusion,
        }
    }

    /// What it concluded; empty unless it said `done`.
    pub fn concluded(&mut self) -> Conclusion {
        let conclusion = std::mem::take(&mut self.conclusion);
        if self.stage == Stage::Done { conclusion } else { Conclusion::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELLO: &str = r#"{"plugin":"hello","protocol":1,"offers":["reporter","dancer"]}"#;

    fn heard(session: &mut Session, lines: &[&str]) -> Result<Told, Misdeed> {
        lines.iter().try_fold(Told::Nothing, |_, line| session.hear(line.as_bytes()))
    }

    fn misdeed(before: &[&str], asked: bool, line: &str) -> String {
        let mut session = Session::default();
        heard(&mut session, before).unwrap();
        if asked {
            session.asked();
        }
        heard(&mut session, &[line]).unwrap_err().to_string()
    }

    #[test]
    fn a_conclusion_counts_once_it_is_whole() {
        let mut session = Session::default();
        heard(&mut session, &[HELLO]).unwrap();
        assert_eq!(
            heard(&mut session, &[r#"{"plugin":"notice","text":"slow"}"#]),
            Ok(Told::Notice("slow".into()))
        );
        session.asked();
        let file = r#"{"plugin":"file","path":"a/b.csv","text":"1,2\n"}"#;
        let console = r#"{"plugin":"console","text":"2 cells\n"}"#;
        assert_eq!(heard(&mut session, &[file, console]), Ok(Told::Nothing));
        assert_eq!(session.clone().concluded(), Conclusion::default());
        assert_eq!(heard(&mut session, &[r#"{"plugin":"done"}"#]), Ok(Told::Done));
        let all = session.concluded();
        assert_eq!(all.console, "2 cells\n");
        assert_eq!(all.files.into_iter().collect::<Vec<_>>(), [("a/b.csv".to_owned(), b"1,2\n".to_vec())]);
    }

    #[test]
    fn what_is_said_out_of_turn_is_named() {
        let done = r#"{"plugin":"done"}"#;
        assert_eq!(misdeed(&[], false, done), "it said `done` before its hello");
        assert_eq!(misdeed(&[HELLO], false, done), "it said `done` before it was asked to conclude");
        assert_eq!(misdeed(&[HELLO], true, HELLO), "it said hello twice");
        let other = HELLO.replace(":1", ":2");
        assert_eq!(misdeed(&[], false, &other), "it speaks protocol 2, and this farmjank speaks 1");
        assert_eq!(
            misdeed(&[], false, &HELLO.replace("reporter", "x")),
            "it does not offer to be a reporter, nor devices"
        );
        let refuse = r#"{"plugin":"refuse","why":"I speak 2"}"#;
        assert_eq!(misdeed(&[], false, refuse), "it refuses protocol 1: I speak 2");
        let failed = r#"{"plugin":"failed","why":"the server is down"}"#;
        assert_eq!(misdeed(&[HELLO], true, failed), "it says that it failed: the server is down");
        let out = r#"{"plugin":"file","path":"../x","text":""}"#;
        assert_eq!(
            misdeed(&[HELLO], true, out),
            "it wants to write the file ../x: it leads out of the plugin's folder"
        );
    }

    #[test]
    fn one_file_is_said_once() {
        let mut session = Session::default();
        heard(&mut session, &[HELLO]).unwrap();
        session.asked();
        let file = r#"{"plugin":"file","path":"a","text":""}"#;
        let again = heard(&mut session, &[file, file]).unwrap_err().to_string();
        assert!(again.ends_with("it said one of that name already"), "{again}");
    }

    #[test]
    fn answers_that_were_asked_for_are_no_flood_and_others_are_refused() {
        let mut session = Session::default();
        heard(&mut session, &[HELLO]).unwrap();
        for id in 0..u64::from(LINES) + 10 {
            assert_eq!(session.ask(), id);
            let ready = format!(r#"{{"plugin":"ready","id":{id}}}"#);
            assert_eq!(
                (session.hear(ready.as_bytes()), session.answer(id)),
                (Ok(Told::Nothing), Some(Ok(())))
            );
        }
        let id = session.ask();
        let not = format!(r#"{{"plugin":"not_ready","id":{id},"why":"off"}}"#);
        heard(&mut session, &[&not]).unwrap();
        assert_eq!(session.answer(id), Some(Err("off")));
        let again = heard(&mut session, &[&not]).unwrap_err().to_string();
        assert!(again.ends_with(&format!("an answer to {id}, which nobody asks")), "{again}");
    }

    #[test]
    fn a_flood_is_bounded_by_lines_and_by_bytes() {
        let mut session = Session::default();
        heard(&mut session, &[HELLO]).unwrap();
        let notice = br#"{"plugin":"notice","text":"x"}"#;
        let mut over = (0..).map(|_| session.hear(notice)).find(Result::is_err);
        assert_eq!(over.take(), Some(Err(Misdeed::Lines)));
        let mut session = Session::default();
        heard(&mut session, &[HELLO]).unwrap();
        let long = format!(r#"{{"plugin":"notice","text":"{}"}}"#, "x".repeat(1 << 20));
        let over = (0..).map(|_| session.hear(long.as_bytes())).find(Result::is_err);
        assert_eq!(over, Some(Err(Misdeed::Bytes)));
    }
}
