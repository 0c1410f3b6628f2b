//! The head of a run: where its log is, and what it is about, while nobody conducts it. It stands on a line of its own
//! that no generation begins anew, so that whoever takes the run up finds both.
//!
//! The run's lease is believed first: it says who conducts the run now. Must not know: what a run is about.

use crate::frames::VERSION;
use crate::run_note::garbled;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::exchange::{Appended, Exchange, LogLine, Place};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The line heads stand on. No host is called so: `subjects::escaped` writes no `_` alone.
const HEAD: &str = "_head";

/// What is known of a run without its conductor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Of these words.
    pub v: u32,
    /// Where its log is.
    pub generation: u32,
    /// The object that says what it is about.
    pub object: String,
    /// It goes on though nobody conducts it.
    pub stays: bool,
    /// It came to its end.
    pub over: bool,
    /// Nothing more of it is to be measured.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cancelled: bool,
}

/// So often a head is written behind another's.
const TURNS: u32 = 8;

fn line_of(run: &str) -> LogLine {
    LogLine { run: run.to_owned(), generation: 0, line: HEAD.to_owned() }
}

impl Head {
    /// That of a run, where it stands, if the farm knows the run.
    ///
    /// # Errors
    /// Those of the exchange, `farm_garbled`, `farm_skew`.
    pub async fn of(exchange: &dyn Exchange, run: &str) -> Result<Option<(Place, Head)>, Fault> {
        let Some(last) = exchange.last(&line_of(run)).await? else { return Ok(None) };
        Ok(Some((last.place, Head::read(&last.body)?)))
    }

    /// When the first was written of a run, ns of the store's clock; none where the farm does not know it.
    ///
    /// # Errors
    /// Those of the exchange.
    pub async fn first(exchange: &dyn Exchange, run: &str) -> Result<Option<u64>, Fault> {
        let heads = exchange.follow(run, line_of(run).generation, Place(0), Duration::ZERO).await?;
        Ok(heads.first().map(|first| first.stamp))
    }

    /// Those of all runs that the farm knows, by run, with when each was written: ns of the store's clock. Of a run
    /// that is not over and speaks otherwise it is why it cannot be told: a farm that is updated knows those of before
    /// for a month.
    ///
    /// # Errors
    /// Those of the exchange.
    pub async fn all(exchange: &dyn Exchange) -> Result<Vec<(String, u64, Result<Head, Fault>)>, Fault> {
        let lasts = exchange.lasts(0, HEAD).await?.into_iter();
        Ok(lasts.map(|(run, last)| (run, last.stamp, Head::told(&last.body))).collect())
    }

    fn told(body: &[u8]) -> Result<Head, Fault> {
        let head: Head = serde_json::from_slice(body).map_err(|_| garbled())?;
        if head.over { Ok(head) } else { Head::read(body) }
    }

    fn read(body: &[u8]) -> Result<Head, Fault> {
        let head: Head = serde_json::from_slice(body).map_err(|_| garbled())?;
        if head.v != VERSION {
            let what = format!("the run speaks protocol {} of the farm, this farmjank {VERSION}", head.v);
            return Err(Fault::new(FaultCode::FarmSkew, what).advise("update the older of both"));
        }
        Ok(head)
    }

    /// Writes it behind the last, unless that says the same or more. Only who holds the run's lease may; what is over
    /// or cancelled stays so. What is over may lie in a later generation: a store that lost it was told it anew.
    ///
    /// # Errors
    /// Those of the exchange, `farm_garbled`; `farm_unreachable` where others write all the time. It can be written
    /// again.
    pub async fn write(&self, exchange: &dyn Exchange, run: &str) -> Result<(), Fault> {
        let further = |last: &Head| last.over && !self.over || last.generation > self.generation;
        let to = |last: Option<Head>| match last {
            Some(last) if further(&last) => last,
            last => Head { cancelled: last.is_some_and(|last| last.cancelled), ..self.clone() },
        };
        Head::change(exchange, run, to).await
    }

    /// Says that nothing more of a run is to be measured. Whoever may conduct it may.
    ///
    /// # Errors
    /// As [`Head::write`].
    pub async fn cancel(&self, exchange: &dyn Exchange, run: &str) -> Result<(), Fault> {
        let to = |last: Option<Head>| Head { cancelled: true, ..last.unwrap_or_else(|| self.clone()) };
        Head::change(exchange, run, to).await
    }

    async fn change(
        exchange: &dyn Exchange,
        run: &str,
        to: impl Fn(Option<Head>) -> Head,
    ) -> Result<(), Fault> {
        for _ in 0..TURNS {
            let last = Head::of(exchange, run).await?;
            let (after, last) = last.map_or((Place(0), None), |(at, last)| (at, Some(last)));
            let head = to(last.clone());
            if last.is_some_and(|last| last == head) {
                return Ok(());
            }
            let body = serde_json::to_vec(&head).map_err(|_| garbled())?;
            if let Appended::At(_) = exchange.append(&line_of(run), after, &body).await? {
                return Ok(());
            }
        }
        let what = format!("what is known of the run {run} changes all the time");
        Err(Fault::new(FaultCode::FarmUnreachable, what).passing())
    }
}
