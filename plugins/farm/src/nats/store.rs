//! What is kept on the server, and how: four streams, made where they are missing.

use super::Terms;
use super::calls::{Link, api, lost, no_room};
use crate::subjects::Names;
use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::context::{CreateStreamErrorKind, GetStreamErrorKind};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy};
use farmjank_results::fault::{Fault, FaultCode};
use std::time::Duration;

/// How long the same offer made again is the same.
const SAME: Duration = Duration::from_mins(2);
const DAY: Duration = Duration::from_hours(24);
/// So often is everything kept where servers are several: one may be gone.
const COPIES: usize = 3;

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
        subjects: vec![Names::all_leases().to_owned()],
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

/// A copy less than it is to have is none that is made: nobody would add it later.
fn too_few(name: &str) -> Fault {
    let what = format!("{name} cannot be made: fewer than {COPIES} servers of the farm's cluster are there");
    let fault = Fault::new(FaultCode::FarmUnreachable, what).passing();
    fault.advise(format!("start the others; a farm has one server, or {COPIES} and more"))
}

impl Link {
    /// All of them, of a team, as they are kept on such a server.
    pub(super) fn configs(&self) -> [Config; 4] {
        let is_one_of_several = self.context.client().server_info().cluster.is_some();
        let (names, terms) = (&self.names, &self.terms);
        [work(), leases(terms), logs(names, terms), objects(names, terms)]
            .map(|config| Config { num_replicas: if is_one_of_several { COPIES } else { 1 }, ..config })
    }

    /// Makes what is missing on the server; what is there stays as it is.
    ///
    /// # Errors
    /// `farm_refused`: something is missing that these credentials may not make. `farm_unreachable` (passing).
    pub(super) async fn prepare(&self) -> Result<(), Fault> {
        for config in self.configs() {
            let name = config.name.clone();
            if self.stream(&name).await?.is_none() {
                let making = format!("{name} cannot be made");
                let made = self.context.get_or_create_stream(config);
                let made = self.in_time(&making, &api("STREAM.CREATE", &name), Duration::ZERO, made).await?;
                made.map_err(|why| match why.kind() {
                    CreateStreamErrorKind::JetStream(error)
                        if error.error_code() == ErrorCode::CLUSTER_NO_PEERS =>
                    {
                        too_few(&name)
                    }
                    _ => no_room(&making, &why),
                })?;
            }
        }
        Ok(())
    }

    /// How a stream is kept; none where it is not there.
    pub(super) async fn stream(&self, name: &str) -> Result<Option<Config>, Fault> {
        Ok(self.kept(name).await?.map(|(config, _)| config))
    }

    /// The same, and how much it takes, bytes.
    pub(super) async fn kept(&self, name: &str) -> Result<Option<(Config, u64)>, Fault> {
        let asked = self.context.get_stream(name);
        match self.in_time("asking for a stream", &api("STREAM.INFO", name), Duration::ZERO, asked).await? {
            Ok(stream) => {
                let told = stream.cached_info();
                Ok(Some((told.config.clone(), told.state.bytes)))
            }
            Err(why) => match why.kind() {
                GetStreamErrorKind::JetStream(error) if error.error_code() == ErrorCode::STREAM_NOT_FOUND => {
                    Ok(None)
                }
                _ => Err(lost("asking for a stream", &why)),
            },
        }
    }
}
