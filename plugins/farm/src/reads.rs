//! An exchange for who only looks: what would write is refused before it is asked, whatever the credentials allow.
//!
//! Must not know: servers.

use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::Work;
use farmjank_seams::exchange::{Appended, Exchange, Fence, Holder, Leased, LogLine, Place, Taken, Written};
use std::time::Duration;

/// Reads what another writes.
pub struct Reads<X>(pub X);

fn refused<'a, T: 'a>() -> Work<'a, T> {
    let what = "this command only reads, and was about to write on the farm";
    Box::pin(async move { Err(Fault::new(FaultCode::FarmRefused, what)) })
}

impl<X: Exchange> Exchange for Reads<X> {
    fn offer<'a>(&'a self, _: &'a str, _: &'a str, _: &'a [u8]) -> Work<'a, ()> {
        refused()
    }

    fn take<'a>(&'a self, _: &'a str, _: Duration) -> Work<'a, Option<Taken>> {
        refused()
    }

    fn keep<'a>(&'a self, _: &'a str) -> Work<'a, ()> {
        refused()
    }

    fn done<'a>(&'a self, _: &'a str) -> Work<'a, ()> {
        refused()
    }

    fn claim<'a>(&'a self, _: &'a str, _: &'a [u8]) -> Work<'a, Leased> {
        refused()
    }

    fn renew<'a>(&'a self, _: &'a str, _: Fence, _: &'a [u8]) -> Work<'a, Leased> {
        refused()
    }

    fn release<'a>(&'a self, _: &'a str, _: Fence) -> Work<'a, ()> {
        refused()
    }

    fn holder<'a>(&'a self, key: &'a str) -> Work<'a, Option<Holder>> {
        self.0.holder(key)
    }

    fn holders<'a>(&'a self, kind: &'a str) -> Work<'a, Vec<(String, Holder)>> {
        self.0.holders(kind)
    }

    fn append<'a>(&'a self, _: &'a LogLine, _: Place, _: &'a [u8]) -> Work<'a, Appended> {
        refused()
    }

    fn last<'a>(&'a self, line: &'a LogLine) -> Work<'a, Option<Written>> {
        self.0.last(line)
    }

    fn lasts<'a>(&'a self, generation: u32, line: &'a str) -> Work<'a, Vec<(String, Written)>> {
        self.0.lasts(generation, line)
    }

    fn follow<'a>(
        &'a self,
        run: &'a str,
        generation: u32,
        after: Place,
        wait: Duration,
    ) -> Work<'a, Vec<Written>> {
        self.0.follow(run, generation, after, wait)
    }

    fn put<'a>(&'a self, _: &'a str, _: &'a [u8]) -> Work<'a, ()> {
        refused()
    }

    /// Nothing: that is not allowed.
    fn discard<'a>(&'a self, _: &'a str) -> Work<'a, ()> {
        Box::pin(async { Ok(()) })
    }

    fn get<'a>(&'a self, digest: &'a str) -> Work<'a, Option<Vec<u8>>> {
        self.0.get(digest)
    }
}
