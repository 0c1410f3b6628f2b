//! Slow sessions, as Android vitals counts games.
//!
//! What: share of frames that were not followed within 50 ms (20 fps) or 34 ms (30 fps); a session is slow when that is
//! more than a quarter. Formula: 100 count(d >= 50 ms) / m; 1 iff 4 count > m. Unit: %, count (1 or 0). Better: lower.
//! Needs: every frame. Since: Android 7. Source: docs/design/metrics.md#android-vitals-for-games.

use super::sums::{counted, number};
use crate::metric::{Better, Metric, Needs, Refusal, Unit};
use crate::window::Window;

/// Not slow in the sense of 20 fps: below this, ns.
const TWENTY_NS: i64 = 50_000_000;
/// Not slow in the sense of 30 fps: below this, ns.
const THIRTY_NS: i64 = 34_000_000;

/// Slow frames of all frames.
fn slow(window: &Window, from: i64) -> Result<(u64, u64), Refusal> {
    let frames = counted(window)?;
    let slow = frames.iter().filter(|frame| frame.length.ns() >= from).count();
    Ok((slow as u64, frames.len() as u64))
}

fn percent((slow, all): (u64, u64)) -> f64 {
    slow as f64 * 100.0 / all as f64
}

fn session((slow, all): (u64, u64)) -> f64 {
    f64::from(u8::from(4 * slow > all))
}

/// Share below 20 fps.
pub(crate) static SLOW20_PCT: Metric = Metric {
    key: "slow20_pct",
    unit: Unit::Percent,
    better: Better::Lower,
    needs: Needs::Frames,
    about: "share of frames that took 50 ms or longer (20 fps)",
    formula: "100 count of d >= 50 ms / m",
    since: 7,
    origin: "Android vitals for games counts a frame as slow that is not presented less than 50 ms after the one before. \
        Vitals looks at real sessions and starts after their first minute; this looks at the measured motion from its \
        first frame. Vitals for other apps looks at render time: vitals_slow.",
    measure: |window| number(slow(window, TWENTY_NS).map(percent)),
};

/// Share below 30 fps.
pub(crate) static SLOW30_PCT: Metric = Metric {
    key: "slow30_pct",
    unit: Unit::Percent,
    better: Better::Lower,
    needs: Needs::Frames,
    about: "share of frames that took 34 ms or longer (30 fps)",
    formula: "100 count of d >= 34 ms / m",
    since: 7,
    origin: "Android vitals for games, its stricter limit: 34 ms lets a frame of two refreshes at 60 Hz (33.3 ms) pass. \
        Otherwise as slow20_pct.",
    measure: |window| number(slow(window, THIRTY_NS).map(percent)),
};

/// Slow at 20 fps.
pub(crate) static SLOW_SESSION20: Metric = Metric {
    key: "slow_session20",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Frames,
    about: "1 when more than 25 % of the frames took 50 ms or longer, else 0",
    formula: "1 if slow20_pct > 25 %, else 0",
    since: 7,
    origin: "Android vitals calls such a session of a game a slow session (20 FPS) and reports the share of sessions. \
        Here the measured window of one iteration is the session; the mean over the iterations is that share.",
    measure: |window| number(slow(window, TWENTY_NS).map(session)),
};

/// Slow at 30 fps.
pub(crate) static SLOW_SESSION30: Metric = Metric {
    key: "slow_session30",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Frames,
    about: "1 when more than 25 % of the frames took 34 ms or longer, else 0",
    formula: "1 if slow30_pct > 25 %, else 0",
    since: 7,
    origin: "Android vitals' slow session (30 FPS) for games. Otherwise as slow_session20.",
    measure: |window| number(slow(window, THIRTY_NS).map(session)),
};
