//! What is asked of a plugin that lends phones, and what it answers. Names and addresses are somebody's text: what is
//! not plain is refused, what is shown is made safe.

use crate::limits::WORDS;
use crate::misdeed::Misdeed;
use farmjank_leaf::text::line;
use farmjank_results::device::DeviceId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What a plugin offers in its hello to lend phones.
pub const DEVICES: &str = "devices";
/// Most phones it may lend.
pub const MOST_PHONES: usize = 1_000;
/// Longest name of a phone, an address or a label, bytes.
const LONGEST: usize = 200;
/// Most labels of a phone.
const MOST_LABELS: usize = 32;

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "farmjank", rename_all = "snake_case")]
pub enum Wish {
    /// Which phones there are.
    ListPhones {
        /// Of the answer.
        id: u64,
    },
    /// That this phone is ours alone until it is returned.
    TakePhone {
        /// Of the answer.
        id: u64,
        /// Which.
        phone: DeviceId,
    },
    /// That it is anybody's again.
    ReturnPhone {
        /// Of the answer.
        id: u64,
        /// Which.
        phone: DeviceId,
    },
}

impl Wish {
    /// The message as a line, its end included.
    pub fn line(&self) -> Vec<u8> {
        // Texts and numbers alone: nothing in it can fail.
        let mut line = serde_json::to_vec(self).unwrap_or_default();
        line.push(b'\n');
        line
    }

    /// Of its answer.
    pub fn id(&self) -> u64 {
        match self {
            Wish::ListPhones { id } | Wish::TakePhone { id, .. } | Wish::ReturnPhone { id, .. } => *id,
        }
    }
}

/// How adb reaches a phone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// It is to be connected to over the network, once it is taken; where, that may be known only then.
    Connect(Option<String>),
    /// An adb server lists it: `host:port`, and its serial there.
    Listed(String, String),
}

/// A phone that can be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// What it is called, in this run and in all others.
    pub phone: DeviceId,
    /// How it is reached.
    pub reach: Reach,
    /// What people call it.
    pub name: Option<String>,
    /// What scenarios can ask for: `tag = shelf-3`.
    pub labels: Vec<String>,
    /// Who has it, where somebody has.
    pub busy: Option<String>,
}

/// What is answered, or said unasked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Its phones.
    Phones(u64, Vec<Offer>),
    /// The phone is ours, at this address where it is to be connected to.
    Taken(u64, Option<String>),
    /// It is not.
    NotTaken(u64, NotTaken),
    /// It is anybody's again.
    Returned(u64),
    /// It is not ours any more, and why.
    Lost(DeviceId, String),
}

/// Why a phone cannot be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotTaken {
    /// In the plugin's words.
    pub why: String,
    /// Whether to try again.
    pub passes: bool,
}

impl Answer {
    /// The word of the message.
    pub fn word(&self) -> &'static str {
        match self {
            Answer::Phones(..) => "phones",
            Answer::Taken(..) => "taken",
            Answer::NotTaken(..) => "not_taken",
            Answer::Returned(_) => "returned",
            Answer::Lost(..) => "phone_lost",
        }
    }
}

/// `phones` as it is written.
#[derive(Deserialize)]
pub(crate) struct PhonesLine {
    id: u64,
    phones: Vec<OfferLine>,
}

#[derive(Deserialize)]
struct OfferLine {
    phone: String,
    connect: Option<String>,
    adb: Option<String>,
    serial: Option<String>,
    name: Option<String>,
    #[serde(default)]
    labels: Vec<String>,
    busy: Option<String>,
}

/// `taken` as it is written.
#[derive(Deserialize)]
pub(crate) struct TakenLine {
    id: u64,
    connect: Option<String>,
}

/// `not_taken` as it is written.
#[derive(Deserialize)]
pub(crate) struct NotTakenLine {
    id: u64,
    why: String,
    #[serde(default)]
    passes: bool,
}

/// `phone_lost` as it is written.
#[derive(Deserialize)]
pub(crate) struct LostLine {
    phone: String,
    why: String,
}

fn wrong(what: String) -> Misdeed {
    Misdeed::NoMessage(what)
}

/// A name that can stand in a path, a table and a command of adb.
fn named(what: &str, text: String) -> Result<String, Misdeed> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.:".contains(letter);
    if text.is_empty() || text.len() > LONGEST || text.starts_with('-') || !text.chars().all(plain) {
        let shown = line(&text, 60);
        return Err(wrong(format!(
            "the {what} `{shown}`: it has 1 to {LONGEST} letters, digits, `-`, `_`, `.` and `:`, and does not begin with `-`"
        )));
    }
    Ok(text)
}

fn address(text: String) -> Result<String, Misdeed> {
    let text = named("address", text)?;
    match text.rsplit_once(':').map(|(host, port)| (host.is_empty(), port.parse::<u16>())) {
        Some((false, Ok(1..))) => Ok(text),
        _ => Err(wrong(format!("the address `{text}`: it is HOST:PORT"))),
    }
}

impl PhonesLine {
    pub(crate) fn read(self) -> Result<Answer, Misdeed> {
        if self.phones.len() > MOST_PHONES {
            return Err(wrong(format!(
                "{} phones; more than {MOST_PHONES} are not looked at",
                self.phones.len()
            )));
        }
        let phones = self.phones.into_iter().map(OfferLine::read).collect::<Result<Vec<Offer>, Misdeed>>()?;
        let mut seen = BTreeSet::new();
        match phones.iter().find(|offer| !seen.insert(&offer.phone)) {
            Some(twice) => Err(wrong(format!("the phone {} twice", twice.phone))),
            None => Ok(Answer::Phones(self.id, phones)),
        }
    }
}

impl OfferLine {
    fn read(self) -> Result<Offer, Misdeed> {
        let phone = named("phone", self.phone)?;
        let reach = match (self.connect, self.adb, self.serial) {
            (connect, None, None) => Reach::Connect(connect.map(address).transpose()?),
            (None, Some(adb), serial) => {
                let serial = serial.map_or_else(|| Ok(phone.clone()), |serial| named("serial", serial))?;
                Reach::Listed(address(adb)?, serial)
            }
            _ => return Err(wrong(format!("the phone {phone}: it has `connect`, or `adb` and `serial`"))),
        };
        if self.labels.len() > MOST_LABELS {
            return Err(wrong(format!("the phone {phone}: more than {MOST_LABELS} labels")));
        }
        let labels =
            self.labels.into_iter().map(|label| named("label", label)).collect::<Result<_, Misdeed>>()?;
        let (name, busy) =
            (self.name.map(|name| line(&name, LONGEST)), self.busy.map(|by| line(&by, LONGEST)));
        Ok(Offer { phone: DeviceId(phone), reach, name, labels, busy })
    }
}

impl TakenLine {
    pub(crate) fn read(self) -> Result<Answer, Misdeed> {
        Ok(Answer::Taken(self.id, self.connect.map(address).transpose()?))
    }
}

impl NotTakenLine {
    pub(crate) fn read(self) -> Answer {
        Answer::NotTaken(self.id, NotTaken { why: line(&self.why, WORDS), passes: self.passes })
    }
}

impl LostLine {
    pub(crate) fn read(self) -> Result<Answer, Misdeed> {
        Ok(Answer::Lost(DeviceId(named("phone", self.phone)?), line(&self.why, WORDS)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Said;

    fn read(text: &str) -> Result<Answer, String> {
        match Said::read(text.as_bytes()) {
            Ok(Said::OfPhones(answer)) => Ok(answer),
            Ok(other) => Err(format!("{other:?}")),
            Err(misdeed) => Err(misdeed.to_string()),
        }
    }

    fn phones(list: &str) -> Result<Answer, String> {
        read(&format!(r#"{{"plugin":"phones","id":3,"phones":[{list}]}}"#))
    }

    #[test]
    fn wishes_are_lines_with_their_word() {
        let take = Wish::TakePhone { id: 4, phone: DeviceId("R5".to_owned()) };
        assert_eq!(take.line(), b"{\"farmjank\":\"take_phone\",\"id\":4,\"phone\":\"R5\"}\n");
        assert_eq!(Wish::ListPhones { id: 0 }.line(), b"{\"farmjank\":\"list_phones\",\"id\":0}\n");
    }

    #[test]
    fn a_phone_is_connected_to_or_listed_by_a_server() {
        let one = |reach| Offer {
            phone: DeviceId("R5".to_owned()),
            reach,
            name: None,
            labels: Vec::new(),
            busy: None,
        };
        let read = |text: &str| match phones(text) {
            Ok(Answer::Phones(3, mut offers)) => offers.remove(0),
            other => panic!("{other:?}"),
        };
        assert_eq!(read(r#"{"phone":"R5"}"#), one(Reach::Connect(None)));
        assert_eq!(
            read(r#"{"phone":"R5","connect":"h:7","new":1}"#),
            one(Reach::Connect(Some("h:7".to_owned())))
        );
        let listed = |serial: &str| one(Reach::Listed("h:5037".to_owned(), serial.to_owned()));
        assert_eq!(
            read(r#"{"phone":"R5","adb":"h:5037","serial":"emulator-5554"}"#),
            listed("emulator-5554")
        );
        assert_eq!(read(r#"{"phone":"R5","adb":"h:5037"}"#), listed("R5"));
    }

    #[test]
    fn what_is_no_name_and_no_address_is_refused_and_what_is_shown_is_safe() {
        for (list, why) in [
            (r#"{"phone":"a b"}"#, "the phone `a b`"),
            (r#"{"phone":"-s"}"#, "does not begin with `-`"),
            (r#"{"phone":"\u001b[31m"}"#, "the phone `\\u{1b}[31m`"),
            (r#"{"phone":"a","connect":"nowhere"}"#, "the address `nowhere`: it is HOST:PORT"),
            (r#"{"phone":"a","connect":"h:0"}"#, "it is HOST:PORT"),
            (r#"{"phone":"a","serial":"b"}"#, "it has `connect`, or `adb` and `serial`"),
            (r#"{"phone":"a"},{"phone":"a"}"#, "the phone a twice"),
        ] {
            let refused = phones(list).unwrap_err();
            assert!(refused.contains(why) && !refused.contains('\u{1b}'), "{list}: {refused}");
        }
        let lost = read(r#"{"plugin":"phone_lost","phone":"a","why":"by\u001b"}"#);
        assert_eq!(lost, Ok(Answer::Lost(DeviceId("a".to_owned()), "by\\u{1b}".to_owned())));
        let many = vec![r#"{"phone":"a"}"#; MOST_PHONES + 1].join(",");
        assert!(phones(&many).unwrap_err().contains("more than 1000"));
    }
}
