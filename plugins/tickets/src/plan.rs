//! What is to be done: causes of a run, what became of them, and the tickets there are → steps, each with its reason.
//! Must not know: systems, connections.

use crate::cause::{Cause, Run};
use crate::life::{Gone, Life};
use crate::marker::Told;
use crate::post::{NewTicket, Post};
use crate::rules::{Rules, Worth};
use crate::ticket::{Known, State};
use crate::words;
use farmjank_results::cause_life::State as Became;
use farmjank_results::hitch_causes::Confidence;
use farmjank_results::words::several;
use jiff::Timestamp;
use std::collections::BTreeMap;

/// Everything that is known.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// The run.
    pub run: &'a Run,
    /// What the history tells, by cause; none without a history.
    pub lives: Option<&'a BTreeMap<String, Life>>,
    /// Tickets, by cause.
    pub known: &'a BTreeMap<String, Known>,
    /// The rules.
    pub rules: &'a Rules,
}

/// What is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// A ticket is opened.
    Open(Box<NewTicket>),
    /// One that is open gets a comment.
    Comment(Post),
    /// One that is closed is opened again, and gets a comment then.
    Reopen(Post),
    /// One that is open gets a comment, where it has none of this run, and is closed.
    Close(Option<Post>),
    /// Nothing.
    Nothing,
}

impl Action {
    /// In a word.
    pub fn word(&self) -> &'static str {
        match self {
            Action::Open(_) => "open",
            Action::Comment(_) => "comment",
            Action::Reopen(_) => "reopen",
            Action::Close(_) => "close",
            Action::Nothing => "nothing",
        }
    }
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The cause.
    pub fingerprint: String,
    /// What it is, in words of the run; empty where only its ticket is known.
    pub title: String,
    /// Its ticket; none where there is none.
    pub ticket: Option<Known>,
    /// What is done.
    pub action: Action,
    /// Why.
    pub reason: String,
}

/// All steps: causes of the run, the costliest first, then tickets of others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Them.
    pub steps: Vec<Step>,
    /// Causes that would get a ticket and get none in this run, as it opens enough.
    pub too_many: u32,
}

/// Says what is to be done.
pub fn plan(facts: &Facts<'_>) -> Plan {
    let mut plan = Plan::default();
    // Those of an earlier call for the same run count.
    let this = Told::of(&facts.run.id, None).run;
    let of_run = |known: &&Known| known.ticket.told.first().is_some_and(|told| told.run == this);
    let mut opened = u32::try_from(facts.known.values().filter(of_run).count()).unwrap_or(u32::MAX);
    for cause in &facts.run.causes {
        let known = facts.known.get(&cause.fingerprint);
        let (mut action, mut reason) = match known {
            None => unknown(facts, cause),
            Some(known) if !cause.is_there() => facts.absent(&cause.fingerprint, known),
            Some(known) => match &known.ticket.state {
                State::Open => facts.open(cause, known),
                State::Closed { at, for_good } => facts.closed(cause, known, *at, for_good.as_deref()),
            },
        };
        if matches!(action, Action::Open(_)) {
            opened = opened.saturating_add(1);
            if opened > facts.rules.most_new {
                plan.too_many += 1;
                let most = several(facts.rules.most_new, "new ticket", "new tickets");
                reason = format!("{reason}, and costlier ones already get the {most} of this run");
                action = Action::Nothing;
            }
        }
        let (fingerprint, title) = (cause.fingerprint.clone(), cause.named.title.clone());
        plan.steps.push(Step { fingerprint, title, ticket: known.cloned(), action, reason });
    }
    for (fingerprint, known) in facts.known {
        if facts.run.cause(fingerprint).is_none() {
            let (action, reason) = facts.absent(fingerprint, known);
            let (fingerprint, title, ticket) = (fingerprint.clone(), String::new(), Some(known.clone()));
            plan.steps.push(Step { fingerprint, title, ticket, action, reason });
        }
    }
    plan
}

fn unknown(facts: &Facts<'_>, cause: &Cause) -> (Action, String) {
    match facts.rules.worth(cause, facts.life(&cause.fingerprint)) {
        Worth::Ticket(why) => {
            let ticket = words::new_ticket(facts.run, cause, facts.rules, &why);
            (Action::Open(Box::new(ticket)), why)
        }
        Worth::Nothing(why) => (Action::Nothing, why),
    }
}

fn nothing(why: impl Into<String>) -> (Action, String) {
    (Action::Nothing, why.into())
}

impl Facts<'_> {
    fn life(&self, fingerprint: &str) -> Option<&Life> {
        self.lives?.get(fingerprint)
    }

    /// A cause that is there, and whose ticket is open.
    fn open(&self, cause: &Cause, known: &Known) -> (Action, String) {
        if known.knows_run(&Told::of(&self.run.id, None)) {
            return nothing("its ticket tells of this run already");
        }
        let states = self.life(&cause.fingerprint).map(|life| &life.states);
        let news = [Became::New, Became::Back, Became::Grown, Became::Shrunk];
        let mut news: Vec<String> = news
            .into_iter()
            .filter(|state| states.is_some_and(|states| states.contains(state)))
            .map(|state| state.word().to_owned())
            .collect();
        if let Some(build) = &cause.build {
            match known.told.iter().rev().find_map(|told| told.build.as_ref()) {
                Some(last) if last == build => {}
                Some(last) => news.push(format!("in build {}, last told of {}", build.shown(), last.shown())),
                None => news.push(format!("in build {}", build.shown())),
            }
        }
        if news.is_empty() {
            return nothing("there is no news: it is as it was, in the build that was told of");
        }
        let news = news.join(", ");
        (Action::Comment(words::news(self.run, cause, &news)), news)
    }

    /// A cause that is there, and whose ticket is closed.
    fn closed(
        &self,
        cause: &Cause,
        known: &Known,
        at: Option<Timestamp>,
        for_good: Option<&str>,
    ) -> (Action, String) {
        if let Some(why) = for_good {
            return nothing(format!("its ticket was closed as {why}, and stays closed"));
        }
        if cause.confidence > Confidence::Likely {
            return nothing(
                "its ticket is closed, and it is weak: a ticket is opened again for likely or sure",
            );
        }
        let Some(build) = &cause.build else {
            return nothing("its ticket is closed, and no phone tells which build this is");
        };
        let told = known.told.iter().filter_map(|told| told.build.as_ref());
        let Some(last) = told.max_by_key(|build| build.code) else {
            return nothing("its ticket is closed, and tells of no build that this one could be later than");
        };
        match build.is_after(last) {
            None => {
                return nothing(format!(
                    "its ticket is closed, and whether {} was made after {} cannot be told without version codes",
                    build.shown(),
                    last.shown()
                ));
            }
            Some(false) => {
                return nothing(format!(
                    "its ticket is closed and tells of build {}; {} is no later one",
                    last.shown(),
                    build.shown()
                ));
            }
            Some(true) => {}
        }
        let began: Option<Timestamp> = self.run.wall.parse().ok();
        match (began, at) {
            (Some(began), Some(at)) if began > at => {}
            (Some(_), Some(at)) => {
                return nothing(format!("its ticket was closed at {at}, after this run began"));
            }
            _ => {
                return nothing("its ticket is closed, and whether this run began after that cannot be told");
            }
        }
        let reason = format!("it is back in {}, after {}", build.shown(), last.shown());
        (Action::Reopen(words::back(self.run, cause)), reason)
    }

    /// A cause that the run does not have, or only crumbs of.
    fn absent(&self, fingerprint: &str, known: &Known) -> (Action, String) {
        if known.ticket.state != State::Open {
            return nothing("its ticket is closed, and this run does not have it");
        }
        if self.run.unclear.contains(fingerprint) {
            return nothing("a diagnosis shows it that is not whole: whether it is gone cannot be told");
        }
        let Some(lives) = self.lives else {
            return nothing(
                "without a history store no ticket is closed: one run does not tell that it is gone",
            );
        };
        let Some(life) = lives.get(fingerprint) else { return nothing("the history does not know it") };
        let after = self.rules.close_after;
        match &life.gone {
            Gone::No(why) => nothing(format!("it is not gone by the history: {why}")),
            Gone::Nights(nights) if *nights < after => {
                nothing(format!("it is gone for {nights} of {}", several(after, "night", "nights")))
            }
            Gone::Nights(nights) => {
                let told = known.knows_run(&Told::of(&self.run.id, None));
                let post = (!told).then(|| words::gone(self.run, fingerprint, *nights));
                (Action::Close(post), format!("it is gone for {}", several(*nights, "night", "nights")))
            }
        }
    }

    /// Whether the comments of a ticket must be read to say what is to be done with it.
    pub fn needs_comments(&self, known: &Known) -> bool {
        let fingerprint = &known.ticket.fingerprint;
        let there = self.run.cause(fingerprint).is_some_and(Cause::is_there);
        there || !matches!(self.absent(fingerprint, known).0, Action::Nothing)
    }
}
