//! What the compositor's thread did for every display frame.

use super::super::SURFACEFLINGER_PID;
use super::super::capture::Capture;
use super::play::Play;

/// Its work when nothing is wrong, ns.
const USUAL: i64 = 1_200_000;
/// It is done so long before the display shows it, at the latest, ns.
const BEFORE_SHOWN: i64 = 1_500_000;

/// Composes.
pub fn compose(capture: &Capture<'_>, play: &mut Play) {
    let displays = &capture.truth.displays;
    let sf = (SURFACEFLINGER_PID, SURFACEFLINGER_PID);
    for (nth, display) in displays.iter().enumerate() {
        if display.present < capture.began || display.wake > capture.ended {
            continue;
        }
        let next = displays.get(nth + 1).map_or(i64::MAX, |next| next.wake - 100_000);
        let from = display.wake;
        let usual = from + USUAL + play.draw(from).whole(0, 300_000);
        let late = (display.present - BEFORE_SHOWN).max(usual);
        let to = if display.in_time || display.gpu { usual } else { late }.min(next);
        if to - from < 200_000 || !play.takes(SURFACEFLINGER_PID, from, to) {
            continue;
        }
        let shown_in = (display.expected - from) as f64 / 1e6;
        let halfway = from + 400_000.min((to - from) / 2);
        play.busy((SURFACEFLINGER_PID, Some(play.composing)), (from, to), Some(None), &[]);
        let token = display.token;
        play.slice(sf, (from + 1_000, halfway), &format!("commit {token} vsyncIn {shown_in:.3}ms"));
        play.slice(sf, (halfway + 1_000, to - 1_000), &format!("composite {token}"));
    }
}
