//! What a phone showed when a step failed, for who has to find out why (docs/faults.md#what-is-kept-of-a-failure). Must
//! not know how a phone is asked.

use serde::{Deserialize, Serialize};

/// The phone at the end of a trial that a fault ended. What could not be had is `None`, and stands in `unavailable`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What was in front: `package/activity`, or what it was instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub front: Option<String>,
    /// The texts on the screen, from its top, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<String>,
    /// Path of a picture of the screen inside the bundle, a PNG.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
    /// Path of its view hierarchy, XML as `uiautomator` writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hierarchy: Option<String>,
    /// Path of the newest lines of the phone's log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// What is missing, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unavailable: Vec<Unavailable>,
}

/// Something that could not be had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unavailable {
    /// What: `picture`, `front`, `log`, `hierarchy`.
    pub what: String,
    /// Why.
    pub why: String,
}

impl Failure {
    /// Its files, the picture first.
    pub fn files(&self) -> impl Iterator<Item = &String> {
        self.picture.iter().chain(&self.hierarchy).chain(&self.log)
    }
}
