//! The hosts of a run over a farm: which are there, and what becomes of the line of one that is gone.

use super::Conductor;
use crate::cease::Open;
use crate::note::AGENTS;
use crate::said::Said;
use farmjank_farm::frames::Entry;
use farmjank_farm::journal::Journal;
use farmjank_farm::sending::{Sender, Step};
use farmjank_results::fault::{Fault, FaultCode};
use std::collections::BTreeSet;
use tokio::time::Instant;

impl Conductor {
    /// Which hosts are there. One that is away for long is given up.
    pub(super) async fn look(&mut self) -> Result<(), Fault> {
        let there: BTreeSet<String> =
            self.exchange.holders(AGENTS).await?.into_iter().map(|(name, _)| name).collect();
        let floors = self.gathering.order().floors();
        for number in 0..self.lines.len() {
            let line = &mut self.lines[number];
            let over = floors.get(&line.name).is_some_and(|floor| floor.over);
            if over || there.contains(&line.host) {
                line.away = None;
                continue;
            }
            let since = *line.away.get_or_insert_with(Instant::now);
            if since.elapsed() > self.patience {
                self.give_up(number).await?;
            }
        }
        Ok(())
    }

    /// Closes the line of a host that is gone: as an attempt of its own, so that nothing of the host comes in between.
    async fn give_up(&mut self, number: usize) -> Result<(), Fault> {
        let line = &self.lines[number];
        let (exchange, sender) = (&*self.exchange, Sender::new(&self.key, &line.name));
        let Some(before) = sender.before(exchange).await? else { return Ok(()) };
        let mut journal = Journal::goes_on(before.attempt + 1);
        while !journal.has_begun() {
            match sender.step(exchange, &mut journal).await? {
                Step::Void | Step::Waits => return Ok(()),
                Step::Worked | Step::Idle => {}
            }
        }
        let read = |entry: &Entry| Said::read(&entry.fact).ok();
        let said: Vec<Said> = journal.said().iter().filter_map(read).collect();
        let at = journal.said().last().map_or(self.last, |entry| entry.at);
        let what = format!("host {} of the farm is gone", line.host);
        let fault = Fault::new(FaultCode::HostLost, what)
            .advise("look at that host and its agent; the others' phones were measured");
        let open = Open::after(&said);
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
