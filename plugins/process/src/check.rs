//! Whether a plugin keeps to the protocol: a recorded run is played to it in several ways, each in a process of its
//! own. A plugin that keeps every rule works with every run.

mod played;

use crate::lending::message::{Answer, Reach, Wish};
use crate::limits::Patience;
use crate::misdeed::{Awaited, Misdeed};
use crate::pipe::{Exit, Parting, Pipe};
use crate::protocol::{Asked, PROTOCOL};
use crate::talk::Talk;
use farmjank_results::event::WindowMeasured;
use farmjank_seams::window_asked::WindowAsked;
use played::{Step, nothing_ran, phone, recorded, windows, with_moments, with_news};
use std::time::Duration;

/// A version nobody speaks.
const NOBODYS: u32 = 999;
/// Bytes of a piece of a line, and how long farmjank seems to think behind each.
const PIECE: usize = 7;
const THINKS: Duration = Duration::from_millis(1);
/// How many bytes are told in pieces: some lines, not a minute of pauses.
const IN_PIECES: usize = 2_000;

/// What a plugin has to keep, in the order it is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// It answers hello.
    Hello,
    /// It refuses a version it does not speak.
    Version,
    /// It ends when its input ends.
    InputEnds,
    /// It concludes a run.
    Concludes,
    /// It answers at moments of jobs and trials.
    Hooks,
    /// It says what it makes of windows.
    Metrics,
    /// It lends a phone.
    Lends,
    /// It leaves after bye.
    Leaves,
    /// It passes over what it does not know.
    News,
    /// It takes lines in pieces.
    Pieces,
    /// It concludes a run in which nothing ran.
    NothingRan,
}

impl Rule {
    /// Every rule.
    pub const ALL: [Rule; 11] = [
        Rule::Hello,
        Rule::Version,
        Rule::InputEnds,
        Rule::Concludes,
        Rule::Hooks,
        Rule::Metrics,
        Rule::Lends,
        Rule::Leaves,
        Rule::News,
        Rule::Pieces,
        Rule::NothingRan,
    ];

    /// The rule in words.
    pub fn words(self) -> &'static str {
        match self {
            Rule::Hello => "answers hello with a version it was offered",
            Rule::Version => "refuses a version it does not speak, and says why",
            Rule::InputEnds => "ends when its input ends in the middle of a run",
            Rule::Concludes => "is told a run and concludes it with done",
            Rule::Hooks => "answers before and after jobs and trials",
            Rule::Metrics => "says a number of each window, or null and why",
            Rule::Lends => "lists phones, lends one that is free, and takes it back",
            Rule::Leaves => "leaves after bye with exit 0",
            Rule::News => "passes over events, fields and messages it does not know",
            Rule::Pieces => "waits for the end of a line that comes in pieces",
            Rule::NothingRan => "concludes a run in which nothing ran",
        }
    }
}

/// What was seen of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is kept.
    Kept,
    /// It is broken.
    Broken {
        /// What the plugin did.
        what: String,
        /// What its author can do.
        advice: String,
    },
    /// It cannot be looked at before another is kept.
    Behind(Rule),
    /// It is about what the plugin does not offer.
    NotOffered,
}

impl From<Misdeed> for Outcome {
    fn from(misdeed: Misdeed) -> Self {
        broken(misdeed.to_string(), misdeed.advice())
    }
}

fn broken(what: impl Into<String>, advice: &str) -> Outcome {
    Outcome::Broken { what: what.into(), advice: advice.to_owned() }
}

/// Looks at every rule. `start` starts the plugin anew; `tool` is name and version of this farmjank.
///
/// # Errors
/// The plugin cannot be started.
pub fn check<E>(
    start: &dyn Fn() -> Result<Box<dyn Pipe>, E>,
    patience: &Patience,
    tool: &str,
) -> Result<Vec<(Rule, Outcome)>, E> {
    let check = Check { start, patience, tool };
    let mut seen: Vec<(Rule, Outcome)> = Vec::new();
    for rule in Rule::ALL {
        let needed = match rule {
            Rule::Hello => None,
            Rule::Version | Rule::InputEnds | Rule::Concludes => Some(Rule::Hello),
            Rule::Lends => Some(Rule::Hello),
            Rule::Hooks | Rule::Metrics | Rule::Leaves | Rule::News | Rule::Pieces | Rule::NothingRan => {
                Some(Rule::Concludes)
            }
        };
        // Who only lends phones concludes no run.
        let kept = |needed: &Rule| {
            [Outcome::Kept, Outcome::NotOffered].into_iter().any(|kept| seen.contains(&(*needed, kept)))
        };
        let outcome = match needed.filter(|needed| !kept(needed)) {
            Some(needed) => Outcome::Behind(needed),
            None => check.rule(rule)?,
        };
        seen.push((rule, outcome));
    }
    Ok(seen)
}

struct Check<'c, E> {
    start: &'c dyn Fn() -> Result<Box<dyn Pipe>, E>,
    patience: &'c Patience,
    tool: &'c str,
}

impl<E> Check<'_, E> {
    fn open(&self, protocol: u32) -> Result<Talk, E> {
        let hello = Asked::Hello { protocols: vec![protocol], tool: self.tool.to_owned() };
        Ok(Talk::open((self.start)()?, &hello))
    }

    fn rule(&self, rule: Rule) -> Result<Outcome, E> {
        let mut talk = self.open(if rule == Rule::Version { NOBODYS } else { PROTOCOL })?;
        Ok(match rule {
            Rule::Hello => talk.greeted(self.patience).map_or_else(Outcome::from, |()| Outcome::Kept),
            Rule::Version => version(talk.greeted(self.patience)),
            Rule::InputEnds => self.input_ends(&mut talk),
            Rule::Concludes => self.told(&mut talk, &recorded()),
            Rule::Hooks => self.hooks(&mut talk).unwrap_or_else(Outcome::from),
            Rule::Metrics => self.metrics(&mut talk).unwrap_or_else(Outcome::from),
            Rule::Lends => self.lends(&mut talk).unwrap_or_else(Outcome::from),
            Rule::Leaves => match self.told(&mut talk, &recorded()) {
                Outcome::Kept | Outcome::NotOffered => left(&talk.bye(self.patience), talk.stray()),
                other => other,
            },
            Rule::News => self.told(&mut talk, &with_news()),
            Rule::Pieces => self.pieces(&mut talk),
            Rule::NothingRan => self.told(&mut talk, &nothing_ran()),
        })
    }

    /// Tells a run and has it concluded.
    fn told(&self, talk: &mut Talk, lines: &[Vec<u8>]) -> Outcome {
        let told = lines.iter().try_for_each(|line| talk.tell(line));
        self.outcome(talk, told)
    }

    fn outcome(&self, talk: &mut Talk, told: Result<(), Misdeed>) -> Outcome {
        let greeted = told.and_then(|()| talk.greeted(self.patience));
        let told = match greeted {
            Ok(()) if !talk.session().hello().is_some_and(|hello| hello.is_reporter) => {
                return Outcome::NotOffered;
            }
            other => other,
        };
        let concluded = told.and_then(|()| talk.concluded("check", self.patience));
        concluded.map_or_else(Outcome::from, |_| Outcome::Kept)
    }

    fn hooks(&self, talk: &mut Talk) -> Result<Outcome, Misdeed> {
        talk.greeted(self.patience)?;
        if !talk.session().hello().is_some_and(|hello| hello.has_hooks) {
            return Ok(Outcome::NotOffered);
        }
        for step in with_moments() {
            let moment = match step {
                Step::Line(line) => {
                    talk.tell(&line)?;
                    continue;
                }
                Step::Moment(moment) => moment,
            };
            let id = talk.ask(&moment)?;
            if !talk.listen(self.patience.hook, |session| session.answer(id).is_some())? {
                return Err(talk.silent(Awaited::Ready, self.patience.hook));
            }
        }
        talk.concluded("check", self.patience).map(|_| Outcome::Kept)
    }

    /// Tells a run, and asks about a window with frames and about one without.
    fn metrics(&self, talk: &mut Talk) -> Result<Outcome, Misdeed> {
        const ADVICE: &str = "answer `measure` with every metric of its hello in `values`: a number, or null and a sentence in `why`";
        talk.greeted(self.patience)?;
        let offered = talk.session().hello().map(|hello| hello.metrics.clone()).unwrap_or_default();
        if offered.is_empty() {
            return Ok(Outcome::NotOffered);
        }
        recorded().iter().try_for_each(|line| talk.tell(line))?;
        for (trial, frames) in (0..).zip(windows()) {
            let (device, measured) = (&phone(), &WindowMeasured::default());
            let scenario = "Home feed";
            let window = WindowAsked { job: 0, scenario, device, trial, measured, frames: Ok(Vec::new()) };
            let id = talk.ask_of_window(&window, &frames)?;
            if !talk.listen(self.patience.hook, |session| session.values(id).is_some())? {
                return Err(talk.silent(Awaited::Values, self.patience.hook));
            }
            if let Some(wrong) = talk.session().values(id).and_then(|values| values.wrong(&offered)) {
                return Ok(broken(wrong, ADVICE));
            }
        }
        talk.concluded("check", self.patience).map(|_| Outcome::Kept)
    }

    /// Has it list its phones, takes one that nobody has, and gives it back.
    fn lends(&self, talk: &mut Talk) -> Result<Outcome, Misdeed> {
        const NONE: &str =
            "list at least one phone without `busy` while it is looked at, so that lending can be tried";
        talk.greeted(self.patience)?;
        if !talk.lends() {
            return Ok(Outcome::NotOffered);
        }
        let take = talk.session().hello().and_then(|hello| hello.take).unwrap_or(self.patience.take);
        let Answer::Phones(_, offers) =
            self.asked(talk, self.patience.phones, |id| Wish::ListPhones { id })?
        else {
            return Ok(Outcome::Kept);
        };
        let Some(free) = offers.into_iter().find(|offer| offer.busy.is_none()) else {
            return Ok(broken("it lists no phone that is free", NONE));
        };
        let phone = free.phone;
        let taken = self.asked(talk, take, |id| Wish::TakePhone { id, phone: phone.clone() })?;
        let address = match taken {
            Answer::NotTaken(_, not) => {
                return Ok(broken(
                    format!("it lists {phone} as free and does not lend it: {}", not.why),
                    "say who has a phone as `busy`",
                ));
            }
            Answer::Taken(_, address) => address,
            _ => None,
        };
        let nowhere = matches!(free.reach, Reach::Connect(None)) && address.is_none();
        self.asked(talk, self.patience.phones, |id| Wish::ReturnPhone { id, phone: phone.clone() })?;
        Ok(if nowhere {
            broken(
                format!("nobody knows where {phone} is reached"),
                "say `connect` in `taken` or `phones`, or `adb` and `serial` in `phones`",
            )
        } else {
            Outcome::Kept
        })
    }

    fn asked(
        &self,
        talk: &mut Talk,
        longest: Duration,
        wish: impl FnOnce(u64) -> Wish,
    ) -> Result<Answer, Misdeed> {
        let id = talk.wish(wish)?;
        if !talk.listen(longest, |session| session.has_answered(id))? {
            return Err(talk.silent(Awaited::Phones, longest));
        }
        talk.ledger().answer(id).ok_or_else(|| talk.silent(Awaited::Phones, longest))
    }

    fn pieces(&self, talk: &mut Talk) -> Outcome {
        let bytes = recorded().concat();
        let (slow, rest) = bytes.split_at(IN_PIECES.min(bytes.len()));
        let mut pieces = slow.chunks(PIECE).map(|piece| (piece, THINKS)).chain([(rest, Duration::ZERO)]);
        let told = pieces.try_for_each(|(piece, pause)| talk.tell_piece(piece, pause));
        self.outcome(talk, told)
    }

    fn input_ends(&self, talk: &mut Talk) -> Outcome {
        let lines = recorded();
        let told = lines[..lines.len() / 2].iter().try_for_each(|line| talk.tell(line));
        if let Err(misdeed) = told.and_then(|()| talk.greeted(self.patience)) {
            return misdeed.into();
        }
        match talk.cut(self.patience).exit {
            Exit::Killed => {
                let waited = self.patience.leave.as_secs_f64();
                broken(
                    format!("it still ran {waited} s after its standard input was closed"),
                    "end when standard input ends: farmjank may be gone",
                )
            }
            _ => Outcome::Kept,
        }
    }
}

fn version(greeted: Result<(), Misdeed>) -> Outcome {
    const ADVICE: &str = "look for a version you speak in `protocols` of hello; where there is none, answer \
        {\"plugin\":\"refuse\",\"why\":\"…\"} and leave";
    match greeted {
        Err(Misdeed::Refused(why)) if !why.trim().is_empty() => Outcome::Kept,
        Err(Misdeed::Refused(_)) => broken("it refuses and does not say why", ADVICE),
        Ok(()) => {
            broken(format!("it answered with protocol {PROTOCOL} where only {NOBODYS} was offered"), ADVICE)
        }
        Err(Misdeed::Version(version)) => {
            broken(format!("it says that it speaks protocol {version}, of which it can know nothing"), ADVICE)
        }
        Err(other) => broken(other.to_string(), ADVICE),
    }
}

fn left(parting: &Parting, stray: Option<Misdeed>) -> Outcome {
    const ADVICE: &str = "end with exit 0 behind `bye`; after it nobody reads what you say";
    match parting.exit {
        Exit::Code(0) if parting.left_behind => broken(
            "a process that it started was still there when it had left",
            "end what you start before you leave; farmjank ends what is left",
        ),
        Exit::Code(0) => match stray {
            Some(misdeed) => {
                broken(misdeed.to_string(), "say nothing but a notice behind `done`: it is lost")
            }
            None => Outcome::Kept,
        },
        Exit::Killed => broken("it did not leave after bye and had to be ended", ADVICE),
        exit => broken(format!("it left with {exit}"), ADVICE),
    }
}
