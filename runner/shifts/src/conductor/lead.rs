//! What hosts are told of a run: that it is there, what each is to do, and that it stops. And what becomes of the line
//! of a host that is gone.

use super::Desk;
use crate::cease::Open;
use crate::note::{AGENTS, HostNote};
use crate::said::Said;
use crate::sheet::{Line, RunSheet};
use crate::shift::{ENOUGH, Offer, Offered, spoken, written};
use farmjank_engine::scribe::Voice;
use farmjank_engine::stop::{Stop, Urgency};
use farmjank_farm::digest;
use farmjank_farm::frames::{Entry, VERSION};
use farmjank_farm::gathering::{self, Gathering};
use farmjank_farm::head::Head;
use farmjank_farm::journal::Journal;
use farmjank_farm::lease::Terms;
use farmjank_farm::order::{Order, Policy};
use farmjank_farm::sending::{Sender, Step};
use farmjank_farm::spill::{Aside, BLOCK};
use farmjank_leaf::text::line;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::time::{RunTime, Span};
use farmjank_seams::claim::Priority;
use farmjank_seams::exchange::Exchange;
use futures::future::join_all;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long something new is waited for in one question.
const WAIT: Duration = Duration::from_millis(500);
/// Between two looks at which hosts are there.
const LOOKS: Duration = Duration::from_secs(5);
/// Between two offers of the same shift.
const OFFERS: Duration = Duration::from_mins(1);

/// Leads the hosts of a run. One field for each thing that is asked or told.
pub(super) struct Lead {
    pub(super) exchange: Rc<dyn Exchange>,
    pub(super) key: String,
    pub(super) patience: Duration,
    pub(super) voice: Rc<dyn Voice>,
    pub(super) stop: Stop,
    pub(super) lines: Vec<Line>,
    pub(super) gathering: Gathering,
    aside: Aside,
    /// How urgent it is, and what it is about.
    priority: Priority,
    sheet: Vec<u8>,
    /// What it brings, where that is at hand.
    brought: Vec<Arc<[u8]>>,
    /// All that, and what each host is to do, lies on the farm as far as is known.
    left: bool,
    /// It is led by somebody else, or nobody.
    pub(super) reads: bool,
    /// It was said that it cannot end by itself.
    pub(super) stuck: bool,
    begun: Instant,
    /// When it was looked at which hosts are there.
    pub(super) looked: Instant,
    /// Since when the farm keeps no more.
    full: Option<Instant>,
    /// What hosts were told of stopping.
    told: Urgency,
    /// When shifts were offered last, and how often.
    offered: Option<Instant>,
    offers: u32,
}

impl Lead {
    /// Of a run with these lines; `stays` says whether it goes on while nobody conducts it.
    ///
    /// # Errors
    /// `farm_garbled`: what it is about cannot be written down.
    pub(super) fn new(desk: Desk, sheet: &RunSheet, lines: Vec<Line>, stays: bool) -> Result<Lead, Fault> {
        let Desk { exchange, key, owner, patience, voice, stop, aside } = desk;
        let policy = if sheet.simulated { Policy::Time } else { Policy::Arrival };
        let (priority, sheet) = (sheet.priority(), written(sheet)?);
        let names: Vec<&str> = lines.iter().map(|line| line.name.as_str()).collect();
        let of = (key.as_str(), digest::of(&sheet));
        let aside = Aside::new(aside, BLOCK);
        let order = Order::new(policy, Some(aside.clone()));
        let gathering = Gathering::new((of.0, &of.1, stays), &owner, order, Terms::FARM, &names);
        let (begun, looked, told) = (Instant::now(), Instant::now(), Urgency::None);
        let (offered, offers) = (None, 0);
        Ok(Lead {
            exchange,
            key,
            patience,
            voice,
            stop,
            lines,
            gathering,
            aside,
            priority,
            sheet,
            brought: Vec::new(),
            left: false,
            reads: false,
            stuck: false,
            begun,
            looked,
            full: None,
            told,
            offered,
            offers,
        })
    }

    /// The same, of a run that brings something.
    pub(super) fn bringing(self, brought: Vec<Arc<[u8]>>) -> Lead {
        Lead { brought, ..self }
    }

    /// The same, of a run that was begun before.
    pub(super) fn late(self, head: &Head) -> Lead {
        Lead { gathering: self.gathering.late(head), ..self }
    }

    /// The same, where nobody is led: it is read what others say, and nothing is left or told.
    pub(super) fn reading(self) -> Lead {
        Lead { gathering: self.gathering.reading(), left: true, reads: true, ..self }
    }

    /// What to do once a farm answers that was away for too long.
    pub(super) fn goes_on(&self) -> String {
        match self.reads {
            true => "ask again once the farm answers".to_owned(),
            false => format!("once the farm answers, `--attach {}` goes on with the run", self.key),
        }
    }

    fn now(&self) -> RunTime {
        RunTime::from_ns(0) + Span::from(self.begun.elapsed())
    }

    /// Gathers what is new.
    pub(super) async fn gathered(&mut self) -> Result<(), Fault> {
        // Whoever finds the run finds what it is about.
        if !self.left {
            self.leave_objects().await?;
        }
        let now = self.now();
        match self.gathering.step(&*self.exchange, now, WAIT).await? {
            // What the store forgot may be the offers as well.
            gathering::Step::Reopened => (self.offered, self.left) = (None, false),
            // The lease is somebody's, or not to be asked for yet.
            gathering::Step::Idle if !self.gathering.is_open() => sleep(WAIT).await,
            gathering::Step::Worked | gathering::Step::Idle => {}
        }
        Ok(())
    }

    /// Tells hosts what they do not know, where it is conducted from here.
    pub(super) async fn led(&mut self, last: RunTime, stops: bool) -> Result<(), Fault> {
        if stops {
            self.pass_on_stop().await?;
        }
        if self.reads {
            return self.tell_stuck().await;
        }
        if !self.gathering.conducts() {
            return Ok(());
        }
        if self.offered.is_none_or(|at| at.elapsed() > OFFERS) && self.gathering.is_open() {
            self.offer().await?;
        }
        if self.looked.elapsed() >= LOOKS {
            self.looked = Instant::now();
            self.look(last).await?;
        }
        Ok(())
    }

    /// A step towards a run that others go on with; whether its hosts know.
    pub(super) async fn begun(&mut self) -> Result<bool, Fault> {
        self.gathered().await?;
        if !self.gathering.is_open() {
            return Ok(false);
        }
        self.offer().await?;
        self.leave().await?;
        Ok(true)
    }

    /// It is conducted from here no more. Whether it is: the log may have to be written anew before.
    pub(super) async fn leave(&mut self) -> Result<bool, Fault> {
        let is_left = self.gathering.leave(&*self.exchange).await?;
        self.left &= is_left;
        Ok(is_left)
    }

    /// Leaves what the run is about, and each host's part.
    async fn leave_objects(&mut self) -> Result<(), Fault> {
        let brought = self.brought.iter().map(|bytes| &**bytes);
        let texts = [&self.sheet].into_iter().chain(self.lines.iter().map(|line| &line.shift));
        let objects = brought.chain(texts.map(Vec::as_slice));
        let left = join_all(objects.map(|bytes| digest::leave(&*self.exchange, bytes))).await;
        left.into_iter().collect::<Result<Vec<_>, Fault>>()?;
        self.left = true;
        Ok(())
    }

    /// Offers every host its shift that has not said its last. The store may have lost the offer, or the shift: hosts
    /// that know it already pass it over.
    async fn offer(&mut self) -> Result<(), Fault> {
        self.offers += 1;
        self.leave_objects().await?;
        let floors = self.gathering.order().floors();
        let over = |line: &Line| floors.get(&line.name).is_some_and(|floor| floor.over);
        for line in self.lines.iter().filter(|line| !line.given_up && !over(line)) {
            let id = format!("{}-{}-{}-{}", self.key, line.name, self.offers, self.gathering.owner());
            self.tell(line, &id, Offered::Shift(line.object.clone())).await?;
        }
        self.offered = Some(Instant::now());
        Ok(())
    }

    pub(super) async fn tell(&self, line: &Line, id: &str, what: Offered) -> Result<(), Fault> {
        let (key, name) = (self.key.clone(), line.name.clone());
        let priority = self.priority.word().to_owned();
        let offer = Offer { v: VERSION, key, line: name, what, priority };
        self.exchange.offer(&line.host, id, &written(&offer)?).await
    }

    /// Tells every host to stop; what is not done then has the fault, or was interrupted.
    pub(super) async fn stop_all(&self, now: bool, reason: &str, fault: Option<&Fault>) -> Result<(), Fault> {
        for line in &self.lines {
            let id = format!("{}-{}-stop-{now}-{}", self.key, line.name, self.gathering.owner());
            let stop = Offered::Stop { now, reason: reason.to_owned(), fault: fault.cloned() };
            self.tell(line, &id, stop).await?;
        }
        Ok(())
    }

    /// Enough has failed: hosts begin with nothing more, nor does who takes a shift later.
    pub(super) async fn enough(&self, fault: &Fault) -> Result<(), Fault> {
        if let Some((_, head)) = Head::of(&*self.exchange, &self.key).await? {
            head.cancel(&*self.exchange, &self.key).await?;
        }
        self.stop_all(false, ENOUGH, Some(fault)).await
    }

    /// Lets hosts know that the run is to stop.
    async fn pass_on_stop(&mut self) -> Result<(), Fault> {
        let urgency = self.stop.urgency();
        if urgency <= self.told {
            return Ok(());
        }
        let reason = self.stop.reason().unwrap_or_default();
        self.stop_all(urgency == Urgency::Cancel, &reason, None).await?;
        self.told = urgency;
        Ok(())
    }

    /// Which hosts are there, and what the farm keeps no more of each.
    pub(super) async fn there(&self) -> Result<BTreeMap<String, Option<Fault>>, Fault> {
        // One that speaks otherwise by now takes no offer of ours.
        let read = |body: &[u8]| spoken::<HostNote>("a host", body).ok();
        let found = self.exchange.holders(AGENTS).await?.into_iter();
        Ok(found.filter_map(|(name, holder)| Some((name, read(&holder.body)?.full))).collect())
    }

    /// A farm that keeps no more is told of, and waited for as one that is away; then its hosts are let go.
    async fn room(&mut self, full: Option<(String, Fault)>) -> Result<(), Fault> {
        let Some((host, fault)) = full else {
            self.full = None;
            return Ok(());
        };
        if self.full.is_none() {
            self.voice.err(&format!("host {}: {fault}; waiting\n", line(&host, 60)));
        }
        if self.full.get_or_insert_with(Instant::now).elapsed() <= self.patience {
            return Ok(());
        }
        self.stop_all(true, &fault.code.to_string(), None).await?;
        Err(fault.advise(self.goes_on()))
    }

    /// One that is away for long is given up.
    async fn look(&mut self, last: RunTime) -> Result<(), Fault> {
        let there = self.there().await?;
        let is_ours = |name: &String| self.lines.iter().any(|line| line.host == *name);
        let full = there.iter().filter(|(name, _)| is_ours(name));
        let full = full.filter_map(|(name, full)| Some((name.clone(), full.clone()?))).next();
        self.room(full).await?;
        let floors = self.gathering.order().floors();
        for number in 0..self.lines.len() {
            let line = &mut self.lines[number];
            let over = floors.get(&line.name).is_some_and(|floor| floor.over);
            if over || there.contains_key(&line.host) {
                line.away = None;
                continue;
            }
            let since = *line.away.get_or_insert_with(Instant::now);
            if since.elapsed() > self.patience {
                self.give_up(number, last).await?;
            }
        }
        Ok(())
    }

    /// Closes the line of a host that is gone: as an attempt of its own, so that nothing of the host comes in between.
    async fn give_up(&mut self, number: usize, last: RunTime) -> Result<(), Fault> {
        let line = &self.lines[number];
        let (exchange, sender) = (&*self.exchange, Sender::new(&self.key, &line.name));
        let Some(before) = sender.before(exchange).await? else { return Ok(()) };
        let mut journal = Journal::goes_on(before.attempt + 1, Some(self.aside.clone()));
        while !journal.has_begun() {
            match sender.step(exchange, &mut journal).await? {
                Step::Void | Step::Waits | Step::Behind => return Ok(()),
                Step::Worked | Step::Idle => {}
            }
        }
        let mut open = Open::default();
        journal.said().visit(|entry| {
            Said::read(&entry.fact).iter().for_each(|said| open.add(said));
            Ok(())
        })?;
        let at = journal.said().last().map_or(last, |entry| entry.at);
        let what = format!("host {} of the farm is gone", line.host);
        let fault = Fault::new(FaultCode::HostLost, what)
            .advise("look at that host and its agent; the others' phones were measured");
        let ending = open.closings("the host is gone").into_iter().chain(open.broken(&line.jobs, &fault));
        for fact in ending {
            journal.say(Entry { at, fact: Said::Fact(fact).text()? });
        }
        journal.end();
        while sender.step(exchange, &mut journal).await? == Step::Worked {}
        self.voice.err(&format!("{fault}\n"));
        self.lines[number].given_up = true;
        Ok(())
    }
}
