//! The messages of a `FrameTimelineEvent` (field 76 of a packet), as written. Must not know times or how they are
//! joined.

use super::wire::{Value, fields};

/// Names of layers begin with this in the frame timeline and nowhere else.
const PREFIX: &[u8] = b"TX - ";
/// Longest layer name kept, in bytes.
const LONGEST_NAME: usize = 512;

/// What SurfaceFlinger says of an actual frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ActualFrame {
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
        told: ActualFrame,
    },
    /// When an app's frame was to be begun and done.
    ExpectedSurface(Surface<'a>),
    /// When it was.
    ActualSurface(Surface<'a>, ActualFrame),
    /// The end of one of these.
    End,
}

/// Reads an event: its cookie and what it is. None for what is not known or holds no cookie.
pub fn read(message: &[u8]) -> Option<(i64, Event<'_>)> {
    let (kind, body) = fields(message).find_map(|(number, value)| Some((number, value.bytes()?)))?;
    let (is_surface, is_actual) = (matches!(kind, 3 | 4), matches!(kind, 2 | 4));
    // The first field of these numbers counts, whatever it holds.
    let mut cookie = None;
    let mut token = None;
    let mut surface = Surface { token: 0, display_token: 0, pid: 0, layer: b"" };
    let mut told = ActualFrame { is_buffer: true, ..ActualFrame::default() };
    for (number, value) in fields(body) {
        match number {
            1 => cookie = cookie.or(Some(value.signed())),
            2..=5 if is_surface => surface.take(number, value),
            2 => token = token.or(Some(value.signed())),
            _ if is_actual => told.take(number, value, is_surface),
            _ => {}
        }
    }
    let cookie = cookie??;
    let token = token.flatten();
    let event = match kind {
        1 => Event::ExpectedDisplay { token: token? },
        2 => Event::ActualDisplay { token: token?, told },
        3 => Event::ExpectedSurface(surface),
        4 => Event::ActualSurface(surface, told),
        5 => Event::End,
        _ => return None,
    };
    Some((cookie, event))
}

impl<'a> Surface<'a> {
    fn take(&mut self, number: u64, value: Value<'a>) {
        match (number, value) {
            (2, Value::Number(token)) => self.token = token as i64,
            (3, Value::Number(token)) => self.display_token = token as i64,
            (4, Value::Number(pid)) => self.pid = pid as i32,
            (5, Value::Bytes(name)) => {
                let name = name.strip_prefix(PREFIX).unwrap_or(name);
                self.layer = &name[..name.len().min(LONGEST_NAME)];
            }
            _ => {}
        }
    }
}

impl ActualFrame {
    /// Surfaces have what is told two fields later than displays, and one field more.
    fn take(&mut self, number: u64, value: Value<'_>, of_surface: bool) {
        let (first, severity) = if of_surface { (6, 12) } else { (4, 9) };
        let Some(nth) = number.checked_sub(first) else { return };
        match (nth, value) {
            (0, Value::Number(kind)) => self.present_type = kind,
            (1, Value::Number(flag)) => self.on_time_finish = flag != 0,
            (3, Value::Number(bits)) => self.jank = bits as u32,
            (4, Value::Number(kind)) => self.prediction = kind,
            (5, Value::Number(flag)) if of_surface => self.is_buffer = flag != 0,
            (_, Value::Number(kind)) if number == severity => self.severity = kind,
            (_, Value::Fixed32(_)) if number == severity + 1 => self.present_delay_ms = value.float(),
            _ => {}
        }
    }
}
