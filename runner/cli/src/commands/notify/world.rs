//! The world of messages: requests through their door, real time, and where a CI says that its job is.

use super::not_told::NotTold;
use crate::host;
use farmjank_notify::{Undelivered, World};
use farmjank_requests::door::{Base, Door, NoDoor, Token};
use farmjank_requests::{Answer, Lost, Request};
use std::future::Future;
use std::time::Duration;

/// Longest time for one request.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Until when everybody must be told, ms since 1970.
#[derive(Clone, Copy)]
pub struct Until(i64);

impl Until {
    /// From now on.
    pub fn within(time: Duration) -> Until {
        Until(millis().saturating_add(i64::try_from(time.as_millis()).unwrap_or(i64::MAX)))
    }

    /// What is left of it.
    pub fn left(self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(millis())).unwrap_or(0))
    }
}

/// The way to one system.
pub struct Wire {
    door: Door,
}

impl Wire {
    /// To this place, as this one.
    ///
    /// # Errors
    /// There can be no connection.
    pub fn to(base: Base, token: Option<&Token>, until: Until) -> Result<Wire, NoDoor> {
        let patience = PATIENCE.min(until.left()).max(Duration::from_secs(1));
        Ok(Wire { door: Door::new(base, token, patience)? })
    }
}

impl World for Wire {
    async fn send(&mut self, request: &Request) -> Result<Answer, Lost> {
        self.door.send(request).await
    }

    async fn wait(&mut self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    fn now(&self) -> i64 {
        millis().div_euclid(1000)
    }
}

/// Now, ms since 1970.
pub fn millis() -> i64 {
    host::wall().parse().map_or(0, |now: jiff::Timestamp| now.as_millisecond())
}

/// What comes of a talk, which runs on a scheduler of its own.
///
/// # Errors
/// Nobody was told.
pub fn waited<T>(talk: impl Future<Output = Result<T, Undelivered>>) -> Result<T, NotTold> {
    let ended = crate::in_runtime(false, talk).map_err(|_| NotTold::NoScheduler)?;
    Ok(ended?)
}

/// The page of the job, where a CI names it.
pub fn link() -> Option<String> {
    let github = ["GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID"].map(host::env);
    if let [Some(server), Some(repository), Some(run)] = github {
        return Some(format!("{server}/{repository}/actions/runs/{run}"));
    }
    // GitLab, Buildkite, Jenkins.
    let named = ["CI_JOB_URL", "BUILDKITE_BUILD_URL", "BUILD_URL"].into_iter().find_map(host::env);
    named.filter(|url| !url.is_empty())
}
