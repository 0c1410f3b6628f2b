//! Leads a conversation with one plugin, and never waits longer than it was told.

use crate::lending::ledger::Ledger;
use crate::lending::message::Wish;
use crate::limits::Patience;
use crate::misdeed::{Awaited, Misdeed};
use crate::pipe::{Backlog, Heard, Parting, Pipe};
use crate::protocol::{Asked, moment_line};
use crate::session::{Conclusion, Session, Told};
use crate::values::measure_line;
use farmjank_results::plugin_metric::FrameTold;
use farmjank_seams::hook::Moment;
use farmjank_seams::window_asked::WindowAsked;
use std::time::Duration;

/// How long the end of a plugin that closed its output is waited for, to tell how it ended.
const TO_END: Duration = Duration::from_millis(500);

/// A conversation under way.
pub struct Talk {
    pipe: Box<dyn Pipe>,
    session: Session,
    /// What it had to say to people, not yet told.
    notices: Vec<String>,
}

impl Talk {
    /// Greets a plugin that was started.
    pub fn open(pipe: Box<dyn Pipe>, hello: &Asked) -> Talk {
        let mut talk = Talk { pipe, session: Session::default(), notices: Vec::new() };
        // The first bytes of a queue that is empty always fit.
        let _ = talk.pipe.send(&hello.line());
        talk
    }

    /// Tells it a line, its end included, and hears what it has said so far; waits for nothing.
    ///
    /// # Errors
    /// What it did wrong; it is gone.
    pub fn tell(&mut self, line: &[u8]) -> Result<(), Misdeed> {
        self.send(line)?;
        self.listen(Duration::ZERO, |_| false).map(drop)
    }

    /// Hands over any bytes, and hears it for so long.
    ///
    /// # Errors
    /// As [`tell`](Talk::tell).
    pub fn tell_piece(&mut self, bytes: &[u8], pause: Duration) -> Result<(), Misdeed> {
        self.send(bytes)?;
        self.listen(pause, |_| false).map(drop)
    }

    /// Waits for its hello.
    ///
    /// # Errors
    /// It did not come in time, or what it did wrong; it is gone.
    pub fn greeted(&mut self, patience: &Patience) -> Result<(), Misdeed> {
        match self.listen(patience.hello, |session| session.hello().is_some())? {
            true => Ok(()),
            false => Err(self.silent(Awaited::Hello, patience.hello)),
        }
    }

    /// Asks for its conclusion and waits for it.
    ///
    /// # Errors
    /// It did not come in time, or what it did wrong; it is gone.
    pub fn concluded(&mut self, bundle: &str, patience: &Patience) -> Result<Conclusion, Misdeed> {
        self.greeted(patience)?;
        self.session.asked();
        self.send(&Asked::Conclude { bundle: bundle.to_owned() }.line())?;
        let asked = self.session.hello().and_then(|hello| hello.patience);
        let longest = asked.unwrap_or(patience.conclude);
        match self.listen(longest, Session::is_done)? {
            true => Ok(self.session.concluded()),
            false => Err(self.silent(Awaited::Conclusion, longest)),
        }
    }

    /// Takes leave: it has that long to end by itself.
    pub fn bye(&mut self, patience: &Patience) -> Parting {
        // Nobody waits for what a queue cannot take any more.
        let _ = self.pipe.send(&Asked::Bye.line());
        self.pipe.part(patience.leave)
    }

    /// What it said behind its conclusion that is no part of it, once it has left: that is lost.
    pub fn stray(&mut self) -> Option<Misdeed> {
        while let Heard::Line(line) = self.pipe.hear(TO_END) {
            if let Err(misdeed) = self.session.hear(&line) {
                return Some(misdeed);
            }
        }
        None
    }

    /// Closes its input without a word, as the end of farmjank would.
    pub fn cut(&mut self, patience: &Patience) -> Parting {
        self.pipe.part(patience.leave)
    }

    /// What it had to say to people since the last time.
    pub fn notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), Misdeed> {
        let sent = self.pipe.send(bytes);
        sent.map_err(|Backlog| self.over(Misdeed::NotRead))
    }

    /// Hears it until something is so, at most so long; whether it was.
    ///
    /// # Errors
    /// What it did wrong; it is gone.
    pub fn listen(&mut self, longest: Duration, until: impl Fn(&Session) -> bool) -> Result<bool, Misdeed> {
        let end = self.pipe.elapsed().saturating_add(longest);
        while !until(&self.session) {
            let left = end.saturating_sub(self.pipe.elapsed());
            let line = match self.pipe.hear(left) {
                Heard::Line(line) => line,
                Heard::Nothing if left.is_zero() => return Ok(false),
                Heard::Nothing => continue,
                Heard::LongLine => return Err(self.over(Misdeed::LongLine)),
                Heard::Closed => {
                    let awaited = self.session.awaited();
                    return Err(Misdeed::Ended(awaited, self.pipe.part(TO_END)));
                }
            };
            if let Told::Notice(text) = self.session.hear(&line).map_err(|misdeed| self.over(misdeed))? {
                self.notices.push(text);
            }
        }
        Ok(true)
    }

    /// Asks it at a moment of the run; the id its answer will have.
    ///
    /// # Errors
    /// What it did wrong; it is gone.
    pub fn ask(&mut self, moment: &Moment) -> Result<u64, Misdeed> {
        let id = self.session.ask();
        self.send(&moment_line(moment, id))?;
        Ok(id)
    }

    /// Asks it about a window; the id its answer will have.
    ///
    /// # Errors
    /// What it did wrong; it is gone.
    pub(crate) fn ask_of_window(
        &mut self,
        window: &WindowAsked<'_>,
        frames: &[FrameTold],
    ) -> Result<u64, Misdeed> {
        let id = self.session.ask_of_window();
        self.send(&measure_line(window, frames, id))?;
        Ok(id)
    }

    /// Asks it about phones; the id its answer will have.
    ///
    /// # Errors
    /// What it did wrong; it is gone.
    pub fn wish(&mut self, wish: impl FnOnce(u64) -> Wish) -> Result<u64, Misdeed> {
        let wish = self.session.ledger().ask(wish);
        self.send(&wish.line())?;
        Ok(wish.id())
    }

    /// What it is asked about phones.
    pub fn ledger(&mut self) -> &mut Ledger {
        self.session.ledger()
    }

    /// What was heard so far.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Time since it was started.
    pub fn elapsed(&self) -> Duration {
        self.pipe.elapsed()
    }

    /// It said nothing for so long: it is ended.
    pub fn silent(&mut self, awaited: Awaited, waited: Duration) -> Misdeed {
        self.over(Misdeed::Silent(awaited, waited))
    }

    /// Whether it may hold phones for us, and needs time to give them back.
    pub fn lends(&self) -> bool {
        self.session.hello().is_some_and(|hello| hello.lends_phones)
    }

    /// Ends it, at once. One that lends phones is told to leave instead: it is ended when this conversation is dropped.
    fn over(&mut self, misdeed: Misdeed) -> Misdeed {
        if self.lends() {
            let _ = self.pipe.send(&Asked::Bye.line());
        } else {
            self.pipe.part(Duration::ZERO);
        }
        misdeed
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // Whatever ends a run: phones are given back. One that is gone already answers at once.
        if self.lends() {
            self.pipe.part(Patience::default().leave);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::played_pipe::{Played, Say};
    use crate::protocol::PROTOCOL;

    const HELLO: &str = r#"{"plugin":"hello","protocol":1,"offers":["reporter"]}"#;
    const DONE: &str = r#"{"plugin":"done"}"#;

    fn open(says: Vec<Say>) -> (Talk, Played) {
        let played = Played::new(says);
        let hello = Asked::Hello { protocols: vec![PROTOCOL], tool: "t".to_owned() };
        (Talk::open(Box::new(played.clone()), &hello), played)
    }

    #[test]
    fn events_are_told_before_the_hello_is_there_and_nobody_waits_for_it() {
        let (mut talk, played) = open(vec![Say::After(4_000, HELLO), Say::Now(DONE)]);
        talk.tell(b"{\"kind\":\"x\"}\n").unwrap();
        assert_eq!(played.elapsed_ms(), 0);
        talk.concluded("out", &Patience::default()).unwrap();
        assert_eq!(played.elapsed_ms(), 4_000);
        let told = played.told();
        let began = |(line, beginning): (&str, &str)| line.starts_with(beginning);
        let order = ["{\"farmjank\":\"hello\"", "{\"kind\":\"x\"}", "{\"farmjank\":\"conclude\""];
        assert!(told.lines().count() == 3 && told.lines().zip(order).all(began), "{told}");
    }

    #[test]
    fn a_conclusion_ends_in_its_time_however_much_is_said_meanwhile() {
        let notice = r#"{"plugin":"notice","text":"still at it"}"#;
        let chatter = std::iter::repeat_n(Say::After(7_000, notice), 100);
        let (mut talk, played) = open([Say::Now(HELLO)].into_iter().chain(chatter).collect());
        let late = talk.concluded("out", &Patience::default()).unwrap_err();
        assert_eq!(late.to_string(), "it did not end its conclusion with `done` within 30 s");
        assert_eq!((played.elapsed_ms(), talk.notices().len()), (30_000, 4));
        assert_eq!(played.parted(), [0], "it is ended at once");
    }

    #[test]
    fn a_hello_may_ask_for_another_time() {
        let hello = HELLO.replace('}', ",\"patience_s\":100}").leak();
        let (mut talk, played) = open(vec![Say::Now(hello), Say::After(90_000, DONE)]);
        talk.concluded("out", &Patience::default()).unwrap();
        assert_eq!(played.elapsed_ms(), 90_000);
    }

    #[test]
    fn one_that_does_not_read_is_given_up_and_ended() {
        let (mut talk, played) = open(vec![Say::Now(HELLO)]);
        played.fill();
        let misdeed = talk.tell(b"{}\n").unwrap_err();
        assert_eq!(misdeed.to_string(), "it does not read what it is told: more than 64 MiB wait for it");
        assert_eq!(played.parted(), [0]);
    }

    #[test]
    fn one_that_closes_its_output_says_when_and_how_it_ended() {
        let (mut talk, _) = open(vec![Say::Now(HELLO), Say::Close]);
        let misdeed = talk.tell(b"{}\n").unwrap_err().to_string();
        assert_eq!(misdeed, "it ended before the end of the run (exit 1); its last words: oh\\u{1b} no");
    }
}
