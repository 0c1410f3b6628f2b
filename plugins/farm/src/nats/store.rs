//! What is kept on the server, and how: four streams, made where they are missing.

use super::calls::{lost, unreachable};
use super::{Nats, Terms};
use crate::subjects::Names;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy};
use farmjank_results::fault::Fault;
use std::time::Duration;

/// How long the same offer made again is the same.
const SAME: Duration = Duration::from_mins(2);
const DAY: Duration = Duration::from_hours(24);

fn work() -> Config {
    Config {
        name: Names::WORK.to_owned(),
        subjects: vec![Names::all_work().to_owned()],
        retention: RetentionPolicy::WorkQueue,
        discard: DiscardPolicy::New,
        max_age: DAY * 7,
        duplicate_window: SAME,
        ..Config::default()
    }
}

/// As buckets of keys and values are, so that their tools read it; but never read from who may be behind.
fn leases(terms: &Terms) -> Config {
    Config {
        name: Names::LEASES.to_owned(),
        subjects: vec![Names::lease(">")],
        max_messages_per_subject: 1,
        discard: DiscardPolicy::New,
        max_age: terms.term,
        duplicate_window: terms.term.min(SAME),
        allow_rollup: true,
        deny_delete: true,
        ..Config::default()
    }
}

fn logs(names: &Names, terms: &Terms) -> Config {
    Config {
        name: names.logs(),
        subjects: vec![names.all_logs()],
        discard: DiscardPolicy::New,
        max_age: DAY * 30,
        max_bytes: terms.log_bytes,
        ..Config::default()
    }
}

fn objects(names: &Names, terms: &Terms) -> Config {
    Config {
        name: names.objects(),
        subjects: vec![names.object("*", "*")],
        max_messages_per_subject: 1,
        discard: DiscardPolicy::New,
        max_age: DAY * 14,
        max_bytes: terms.object_bytes,
        ..Config::default()
    }
}

impl Nats {
    /// Makes what is missing on the server; what is there stays as it is.
    ///
    /// # Errors
    /// `farm_refused`, `farm_unreachable` (passing).
    pub async fn prepare(&self) -> Result<(), Fault> {
        let (names, terms) = (&self.names, &self.terms);
        for config in [work(), leases(terms), logs(names, terms), objects(names, terms)] {
            let name = config.name.clone();
            let made = tokio::time::timeout(self.patience, self.context.get_or_create_stream(config)).await;
            match made {
                Ok(Ok(_)) => {}
                Ok(Err(why)) => return Err(lost(&format!("{name} cannot be made"), &why)),
                Err(_) => return Err(unreachable(&format!("{name} was not made in time"))),
            }
        }
        Ok(())
    }
}
