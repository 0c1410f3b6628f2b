//! The messages, one JSON object per line. Those of farmjank have the key `farmjank`, those of a plugin the key
//! `plugin`; every other line that farmjank says is an event as it stands in `events.ndjson`.
//!
//! Messages and fields are added, never renamed: a plugin passes over what it does not know.

use crate::lending::message::{Answer, DEVICES, LostLine, NotTakenLine, PhonesLine, TakenLine};
pub use crate::limits::PROTOCOL;
use crate::limits::{LONGEST_CONCLUSION, WORDS};
use crate::misdeed::Misdeed;
use crate::values::{METRICS, Values, offered};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use farmjank_leaf::text::{bytes_line, line};
use farmjank_results::device::DeviceId;
use farmjank_results::event::JobId;
use farmjank_results::plugin_metric::PluginMetric;
use farmjank_seams::hook::Moment;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What a plugin offers in its hello to be told of runs.
pub const REPORTER: &str = "reporter";
/// What it offers beside to be asked before and after jobs and trials.
pub const HOOKS: &str = "hooks";
/// Longest version of a plugin, characters.
const VERSION: usize = 40;

/// What farmjank says beside events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "farmjank", rename_all = "snake_case")]
pub enum Asked {
    /// The first line: which versions it speaks, and who it is.
    Hello {
        /// Versions of this protocol.
        protocols: Vec<u32>,
        /// Name and version.
        tool: String,
    },
    /// The run is judged, and the reports before are written: what does the plugin want delivered?
    Conclude {
        /// Folder of the run bundle, as the user named it.
        bundle: String,
    },
    /// The last line.
    Bye,
}

impl Asked {
    /// The message as a line, its end included.
    pub fn line(&self) -> Vec<u8> {
        // Texts and numbers alone: nothing in it can fail.
        let mut line = serde_json::to_vec(self).unwrap_or_default();
        line.push(b'\n');
        line
    }
}

/// A moment at which a plugin with hooks is asked and waited for.
#[derive(Serialize)]
struct MomentLine<'m> {
    farmjank: &'static str,
    id: u64,
    job: JobId,
    scenario: &'m str,
    device: &'m DeviceId,
    #[serde(skip_serializing_if = "Option::is_none")]
    trial: Option<u32>,
}

/// A moment as a line, its end included; the answer has the same `id`.
pub fn moment_line(moment: &Moment, id: u64) -> Vec<u8> {
    let Moment { when, job, scenario, device, trial } = moment;
    let line = MomentLine { farmjank: when.word(), id, job: *job, scenario, device, trial: *trial };
    // Texts and numbers alone: nothing in it can fail.
    let mut line = serde_json::to_vec(&line).unwrap_or_default();
    line.push(b'\n');
    line
}

/// What a plugin says.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// Its answer to hello.
    Hello(Hello),
    /// It speaks none of the versions, and why.
    Refuse(String),
    /// One line for people, at any time.
    Notice(String),
    /// Text for people, at the end.
    Console(String),
    /// A file for the bundle.
    File {
        /// Relative path.
        path: String,
        /// What it holds.
        bytes: Vec<u8>,
    },
    /// It is ready, where it was asked with this id.
    Ready(u64),
    /// It is not, and why.
    NotReady(u64, String),
    /// What it makes of the window it was asked about with this id.
    Measured(u64, Values),
    /// What it says about phones it lends.
    OfPhones(Answer),
    /// The conclusion is whole.
    Done,
    /// There is no conclusion, and why.
    Failed(String),
}

/// A plugin's answer to hello.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The version it will speak.
    pub protocol: u32,
    /// It wants to be told of runs.
    pub is_reporter: bool,
    /// It wants to be asked before and after jobs and trials.
    pub has_hooks: bool,
    /// Its version, in its own words.
    pub version: Option<String>,
    /// What it computes of windows.
    pub metrics: Vec<PluginMetric>,
    /// It lends phones.
    pub lends_phones: bool,
    /// Longest time for its conclusion, where it says one: 1 to 600 s.
    pub patience: Option<Duration>,
    /// The same for a phone that is taken: an emulator has to boot.
    pub take: Option<Duration>,
}

/// A line as it is written.
#[derive(Deserialize)]
#[serde(tag = "plugin", rename_all = "snake_case")]
enum Line {
    Hello {
        protocol: u32,
        offers: Vec<String>,
        patience_s: Option<u32>,
        take_s: Option<u32>,
        version: Option<String>,
        #[serde(default)]
        metrics: Vec<PluginMetric>,
    },
    Refuse {
        why: String,
    },
    Notice {
        text: String,
    },
    Console {
        text: String,
    },
    File {
        path: String,
        text: Option<String>,
        base64: Option<String>,
    },
    Ready {
        id: u64,
    },
    NotReady {
        id: u64,
        why: String,
    },
    Measured {
        id: u64,
        #[serde(flatten)]
        said: Values,
    },
    Phones(PhonesLine),
    Taken(TakenLine),
    NotTaken(NotTakenLine),
    Returned {
        id: u64,
    },
    PhoneLost(LostLine),
    Done,
    Failed {
        why: String,
    },
}

impl Said {
    /// Reads a line, without its end.
    ///
    /// # Errors
    /// It is no JSON, or no message.
    pub fn read(bytes: &[u8]) -> Result<Said, Misdeed> {
        let read = serde_json::from_slice::<Line>(bytes).map_err(|why| match why.classify() {
            serde_json::error::Category::Data => Misdeed::NoMessage(line(&why.to_string(), WORDS)),
            _ => Misdeed::Garbled(match bytes_line(bytes, 60) {
                empty if empty.is_empty() => "an empty line".to_owned(),
                words => words,
            }),
        })?;
        Ok(match read {
            Line::Hello { protocol, offers, patience_s, take_s, version, metrics } => {
                let bounded = |time: u32| {
                    Duration::from_secs(time.into()).clamp(Duration::from_secs(1), LONGEST_CONCLUSION)
                };
                let (patience, take) = (patience_s.map(bounded), take_s.map(bounded));
                let offers = |what: &str| offers.iter().any(|offer| offer == what);
                let (is_reporter, has_hooks) = (offers(REPORTER), offers(HOOKS));
                let lends_phones = offers(DEVICES);
                let metrics = if offers(METRICS) { offered(metrics)? } else { Vec::new() };
                let version = version.map(|version| line(&version, VERSION));
                Said::Hello(Hello {
                    protocol,
                    is_reporter,
                    has_hooks,
                    lends_phones,
                    version,
                    metrics,
                    patience,
                    take,
                })
            }
            Line::Refuse { why } => Said::Refuse(line(&why, WORDS)),
            Line::Notice { text } => Said::Notice(line(&text, WORDS)),
            Line::Console { text } => Said::Console(text),
            Line::File { path, text, base64 } => Said::File { path, bytes: content(text, base64)? },
            Line::Ready { id } => Said::Ready(id),
            Line::NotReady { id, why } => Said::NotReady(id, line(&why, WORDS)),
            Line::Measured { id, said } => Said::Measured(id, said),
            Line::Phones(phones) => Said::OfPhones(phones.read()?),
            Line::Taken(taken) => Said::OfPhones(taken.read()?),
            Line::NotTaken(not) => Said::OfPhones(not.read()),
            Line::Returned { id } => Said::OfPhones(Answer::Returned(id)),
            Line::PhoneLost(lost) => Said::OfPhones(lost.read()?),
            Line::Done => Said::Done,
            Line::Failed { why } => Said::Failed(line(&why, WORDS)),
        })
    }

    /// The word of the message.
    pub fn word(&self) -> &'static str {
        match self {
            Said::Hello(_) => "hello",
            Said::Refuse(_) => "refuse",
            Said::Notice(_) => "notice",
            Said::Console(_) => "console",
            Said::File { .. } => "file",
            Said::Ready(_) => "ready",
            Said::NotReady(..) => "not_ready",
            Said::Measured(..) => "measured",
            Said::OfPhones(answer) => answer.word(),
            Said::Done => "done",
            Said::Failed(_) => "failed",
        }
    }
}

fn content(text: Option<String>, base64: Option<String>) -> Result<Vec<u8>, Misdeed> {
    match (text, base64) {
        (Some(text), None) => Ok(text.into_bytes()),
        (None, Some(base64)) => STANDARD
            .decode(base64)
            .map_err(|why| Misdeed::NoMessage(format!("the `base64` of a file cannot be read: {why}"))),
        _ => Err(Misdeed::NoMessage("a file has either `text` or `base64`".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Said, Misdeed> {
        Said::read(line.as_bytes())
    }

    #[test]
    fn what_farmjank_says_is_one_line_with_its_word() {
        let hello = Asked::Hello { protocols: vec![PROTOCOL], tool: "farmjank 0.1.0".to_owned() };
        assert_eq!(hello.line(), b"{\"farmjank\":\"hello\",\"protocols\":[1],\"tool\":\"farmjank 0.1.0\"}\n");
        let conclude = Asked::Conclude { bundle: "a\nb".to_owned() };
        assert_eq!(conclude.line(), b"{\"farmjank\":\"conclude\",\"bundle\":\"a\\nb\"}\n");
        assert_eq!(Asked::Bye.line(), b"{\"farmjank\":\"bye\"}\n");
    }

    #[test]
    fn fields_that_are_new_are_passed_over_and_messages_are_not() {
        assert_eq!(read(r#"{"plugin":"done","new":[1]}"#), Ok(Said::Done));
        assert_eq!(
            read(r#"{"plugin":"notice","text":"a\u001bb","new":1}"#),
            Ok(Said::Notice("a\\u{1b}b".into()))
        );
        let unknown = read(r#"{"plugin":"dance"}"#).unwrap_err().to_string();
        assert!(unknown.contains("unknown variant `dance`, expected one of `hello`"), "{unknown}");
        let other = read("{}").unwrap_err().to_string();
        assert!(other.contains("missing field `plugin`"), "{other}");
        assert_eq!(read("Traceback (most").unwrap_err(), Misdeed::Garbled("Traceback (most".into()));
        assert_eq!(read("").unwrap_err(), Misdeed::Garbled("an empty line".into()));
    }

    #[test]
    fn a_file_is_text_or_base64_and_never_both() {
        let file = |bytes: &[u8]| Ok(Said::File { path: "a".into(), bytes: bytes.to_vec() });
        assert_eq!(read(r#"{"plugin":"file","path":"a","text":"x"}"#), file(b"x"));
        assert_eq!(read(r#"{"plugin":"file","path":"a","base64":"/wA="}"#), file(&[255, 0]));
        assert!(read(r#"{"plugin":"file","path":"a"}"#).is_err());
        assert!(read(r#"{"plugin":"file","path":"a","text":"x","base64":"/wA="}"#).is_err());
        assert!(read(r#"{"plugin":"file","path":"a","base64":"no!"}"#).is_err());
    }

    #[test]
    fn patience_is_bounded() {
        let patience = |time: u64| {
            let line = format!(r#"{{"plugin":"hello","protocol":1,"offers":["x"],"patience_s":{time}}}"#);
            match read(&line) {
                Ok(Said::Hello(hello)) => hello.patience.map(|patience| patience.as_secs()),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!([0, 45, 100_000].map(patience), [Some(1), Some(45), Some(600)]);
    }
}
