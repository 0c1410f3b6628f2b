//! The messages of a `FrameTimelineEvent` (field 76 of a packet), as written. Must not know times or how they are joined.

use super::wire::{Value, fields};

/// Names of layers begin with this in the frame timeline and nowhere else.
const PREFIX: &[u8] = b"TX - ";
/// Longest layer name kept, in bytes.
const LONGEST_NAME: usize = 512;

/// What SurfaceFlinger says of an actual frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Told {
    /// `PresentType`.
    pub present_type: u64,
    /// The work was done before its deadline.
    pub on_time_finish: bool,
    /// Bits of `JankType`.
    pub jank: u32,
    /// `PredictionType`.
    pub prediction: u64,
    /// It carried a buffer; absent on the oldest: it did.
    pub is_buffer: bool,
    /// `JankSeverityType` (Android 14+).
    pub severity: u64,
    /// Present minus expected present, ms (Android 16).
    pub present_delay_ms: Option<f32>,
}

/// Whose frame it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface<'a> {
    /// Token of the app's vsync.
    pub token: i64,
    /// Token of the display frame; 0 when there is none.
    pub display_token: i64,
    /// Process.
    pub pid: i32,
    /// Layer, without its prefix.
    pub layer: &'a [u8],
}

/// One event.
#[derive(Clone, Debug, PartialEq)]
pub enum Event<'a> {
    /// When a display frame was to be begun and shown.
    ExpectedDisplay {
        /// Token.
        token: i64,
    },
    /// When it was.
    ActualDisplay {
        /// Token.
        token: i64,
        /// What is said of it.
        told: Told,
    },
    /// When an app's frame was to be begun and done.
    ExpectedSurface(Surface<'a>),
    /// When it was.
    ActualSurface(Surface<'a>, Told),
    /// The end of one of these.
    End,
}

/// Reads an event: its cookie and what it is. None for what is not known or holds no cookie.
pub fn read(message: &[u8]) -> Option<(i64, Event<'_>)> {
    let (kind, body) = fields(message).find_map(|(number, value)| Some((number, value.bytes()?)))?;
    let number = |wanted: u64| {
        fields(body).find(|(number, _)| *number == wanted).and_then(|(_, value)| value.signed())
    };
    let cookie = number(1)?;
    let event = match kind {
        1 => Event::ExpectedDisplay { token: number(2)? },
        2 => Event::ActualDisplay { token: number(2)?, told: told(body, 4) },
        3 => Event::ExpectedSurface(surface(body)),
        4 => Event::ActualSurface(surface(body), told(body, 6)),
        5 => Event::End,
        _ => return None,
    };
    Some((cookie, event))
}

fn surface(body: &[u8]) -> Surface<'_> {
    let mut surface = Surface { token: 0, display_token: 0, pid: 0, layer: b"" };
    for (number, value) in fields(body) {
        match (number, value) {
            (2, Value::Number(token)) => surface.token = token as i64,
            (3, Value::Number(token)) => surface.display_token = token as i64,
            (4, Value::Number(pid)) => surface.pid = pid as i32,
            (5, Value::Bytes(name)) => {
                let name = name.strip_prefix(PREFIX).unwrap_or(name);
                surface.layer = &name[..name.len().min(LONGEST_NAME)];
            }
            _ => {}
        }
    }
    surface
}

/// What is told from field `first` on; surfaces have it two fields later than displays, and one field more.
fn told(body: &[u8], first: u64) -> Told {
    let of_surface = first == 6;
    let severity = if of_surface { 12 } else { 9 };
    let mut told = Told { is_buffer: true, ..Told::default() };
    for (number, value) in fields(body).filter(|(number, _)| *number >= first) {
        match (number - first, value) {
            (0, Value::Number(kind)) => told.present_type = kind,
            (1, Value::Number(flag)) => told.on_time_finish = flag != 0,
            (3, Value::Number(bits)) => told.jank = bits as u32,
            (4, Value::Number(kind)) => told.prediction = kind,
            (5, Value::Number(flag)) if of_surface => told.is_buffer = flag != 0,
            (_, Value::Number(kind)) if number == severity => told.severity = kind,
            (_, Value::Fixed32(_)) if number == severity + 1 => told.present_delay_ms = value.float(),
            _ => {}
        }
    }
    told
}
