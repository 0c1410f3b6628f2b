//! Methods for what a thread ran, by looks at its calls: code that nothing else names is cut where the method changes,
//! and what has a name of its own is told with the method of the app it was in.
//!
//! Pieces of a stretch of code that waits for a CPU for a moment lie apart only for the scheduler: looks into one of
//! them tell of all (docs/causes.md, "Methods in a trace").

use super::Labelled;
use crate::fact::Thread;
use crate::kind::{Group, Kind};
use crate::stacks::Looks;
use std::collections::BTreeMap;

/// A thread's labels, in order, with methods where looks tell any.
pub(super) fn named(all: Vec<Labelled>, looks: &Looks, thread: Thread, tid: i32) -> Vec<Labelled> {
    if looks.many() == 0 {
        return all;
    }
    let mut told = Vec::with_capacity(all.len());
    let together = |one: &Labelled, next: &Labelled| {
        one.to == next.from && (one.kind, &one.object, one.thread) == (next.kind, &next.object, next.thread)
    };
    for run in all.chunk_by(together) {
        let (first, last) = (&run[0], &run[run.len() - 1]);
        let parts = match first.kind {
            kind if first.thread != thread || kind.group() != Group::App => Vec::new(),
            // Named already, by looks at another hop.
            Kind::Method => Vec::new(),
            _ => looks.ran(tid, first.from, last.to),
        };
        if first.kind != Kind::Code {
            let most = most(parts.iter().filter_map(|(from, to, key)| {
                key.filter(|key| key.own).map(|key| (key.object.as_str(), key.method(), to - from))
            }));
            let named = |one: &Labelled| match most {
                Some((object, method)) if one.detail.is_empty() => {
                    Labelled { detail: format!("in {object}"), method: method.to_owned(), ..one.clone() }
                }
                _ => one.clone(),
            };
            told.extend(run.iter().map(named));
            continue;
        }
        for one in run {
            if parts.is_empty() {
                told.push(one.clone());
            }
            for (from, to, key) in &parts {
                let (from, to) = ((*from).max(one.from), (*to).min(one.to));
                if from >= to {
                    continue;
                }
                told.push(match key {
                    None => Labelled { from, to, ..one.clone() },
                    Some(key) => {
                        let detail = match one.object.as_str() {
                            "" => key.path.clone(),
                            section => format!("in \"{section}\": {}", key.path),
                        };
                        let (object, method) = (key.object.clone(), key.method().to_owned());
                        Labelled { from, to, kind: Kind::Method, object, detail, method, ..one.clone() }
                    }
                });
            }
        }
    }
    told
}

/// The one with most time in all, and its method.
fn most<'a>(all: impl Iterator<Item = (&'a str, &'a str, i64)>) -> Option<(&'a str, &'a str)> {
    let mut sums: BTreeMap<(&str, &str), i64> = BTreeMap::new();
    all.for_each(|(name, method, ns)| *sums.entry((name, method)).or_default() += ns);
    sums.into_iter().max_by_key(|(_, ns)| *ns).map(|(name, _)| name)
}
