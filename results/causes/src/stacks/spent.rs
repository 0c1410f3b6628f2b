//! Time of a main thread, added to what held it up.

use super::key::Keys;
use super::pieces::Doing;
use crate::cause::Cause;
use crate::frame::Way;
use crate::kind::{Kind, Place, Why};

/// Adds so much time of a thread that did this, or nobody knows what.
pub(super) fn add(way: &mut Way, doing: Option<Doing>, ns: i64, keys: &Keys) {
    if ns <= 0 {
        return;
    }
    let key = doing.and_then(|doing| keys.key(doing.stack()));
    let kind = match (doing, key) {
        (Some(Doing::Ran(_)), Some(_)) => Kind::Method,
        (Some(Doing::Off(_)), Some(_)) => Kind::OffCpu,
        (Some(Doing::Inside(_)), Some(_)) => Kind::Inside,
        _ => Kind::Unexplained(Why::NoStack),
    };
    let object = key.map(|key| key.object.clone()).unwrap_or_default();
    let cause = Cause { place: Place::App, kind, thread: "main".to_owned(), object };
    let spent = way.spent.entry(cause).or_default();
    spent.ns += ns;
    if let Some(key) = key {
        *spent.details.entry(key.path.clone()).or_default() += ns;
        *spent.methods.entry(key.method().to_owned()).or_default() += ns;
    }
}
