//! The world of the driver of tickets: requests through its door, real time, the journal in the run's bundle.

use crate::host;
use farmjank_requests::door::Door;
use farmjank_tickets::{Answer, Lost, Outside, Request};
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// It.
pub struct World {
    pub door: Door,
    pub journal: PathBuf,
}

impl Outside for World {
    async fn send(&mut self, request: &Request) -> Result<Answer, Lost> {
        self.door.send(request).await
    }

    async fn wait(&mut self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    fn now(&self) -> i64 {
        host::wall().parse().map_or(0, |now: jiff::Timestamp| now.as_second())
    }

    fn keep(&mut self, line: &Value) -> Result<(), String> {
        host::append_file(&self.journal, format!("{line}\n").as_bytes()).map_err(|why| why.to_string())
    }
}
