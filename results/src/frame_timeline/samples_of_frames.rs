//! Frames for tests, made from tokens and how late they were, in ns.

use super::{Prediction, PresentType, Severity, SurfaceFrame, SurfaceFrames, jank};
use crate::time::{DeviceTime, Span};

/// One millisecond in ns.
pub const MS: i64 = 1_000_000;
/// Render period in ns.
pub const P: i64 = 16 * MS;

/// When a frame with this token should be shown.
pub fn due(token: i64) -> DeviceTime {
    DeviceTime::from_ns(1_000 * MS + token * P)
}

/// A frame of one layer, shown this much after it was due.
pub fn frame(token: i64, late: i64, bits: u32) -> SurfaceFrame {
    let dropped = bits & jank::DROPPED != 0;
    let present = due(token) + Span::from_ns(late);
    SurfaceFrame {
        token,
        display_token: Some(1_000 + token),
        pid: 7,
        layer: "com.shop/com.shop.Main#1".into(),
        expected_start: Some(due(token - 2)),
        expected_end: Some(due(token - 1)),
        actual_start: due(token - 2),
        actual_end: due(token - 1) + Span::from_ns(late),
        expected_present: Some(due(token)),
        present: (!dropped).then_some(present),
        present_type: match late {
            _ if dropped => PresentType::Dropped,
            0 => PresentType::OnTime,
            late if late > 0 => PresentType::Late,
            _ => PresentType::Early,
        },
        on_time_finish: bits & jank::APP_DEADLINE == 0,
        jank: bits,
        display_jank: jank::NONE,
        prediction: Prediction::Valid,
        is_buffer: true,
        severity: Severity::Unknown,
        first_draw: false,
    }
}

/// A trace of these frames with nothing lost, from one period before the first was due to one after the last.
pub fn trace(frames: Vec<SurfaceFrame>) -> SurfaceFrames {
    let tokens = frames.iter().map(|frame| frame.token);
    let (first, last) = (tokens.clone().min().unwrap_or(0), tokens.max().unwrap_or(0));
    SurfaceFrames {
        frames,
        period: Some(Span::from_ns(P)),
        span: Some((due(first - 1), due(last + 50))),
        ..SurfaceFrames::default()
    }
}
