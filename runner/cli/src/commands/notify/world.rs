//! The world of messages: requests through their door, real time.

use crate::host;
use farmjank_notify::World;
use farmjank_requests::door::Door;
use farmjank_requests::{Answer, Lost, Request};
use std::time::Duration;

/// It.
pub struct Wire {
    pub door: Door,
}

impl World for Wire {
    async fn send(&mut self, request: &Request) -> Result<Answer, Lost> {
        self.door.send(request).await
    }

    async fn wait(&mut self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    fn now(&self) -> i64 {
        host::wall().parse().map_or(0, |now: jiff::Timestamp| now.as_second())
    }
}
