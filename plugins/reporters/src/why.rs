//! Why frames were late, in the words that every report of a run says it in.
//!
//! Must not know how a cause is found. Names of threads, locks and sections are of the phone.

use crate::clean::{NAME, SENTENCE};
use crate::paint::TextStyle;
use crate::words::several;
use farmjank_results::hitch_causes::HitchCauses;
use farmjank_results::record::WindowCauses;

/// Causes that are told of a window, at most; each is a share of the whole, one in so many.
const MOST: usize = 3;
const SHARE: i64 = 20;

/// One cause, or what nothing explains.
pub(crate) struct Why {
    /// Time charged, µs.
    pub us: i64,
    /// Who was held up by what, of the phone.
    pub what: String,
    /// In how many late frames, how much of it is usual, how sure; empty of what nothing explains.
    pub how: String,
}

/// What a report says of a window: first all together, then its largest causes, largest first.
pub(crate) fn told(found: &HitchCauses) -> (String, Vec<Why>) {
    let mut all: Vec<Why> = found
        .causes
        .iter()
        .take(MOST)
        .map(|cause| {
            let mut what = cause.named.title.clone();
            if !cause.detail.is_empty() {
                what += &format!("; {}", cause.detail);
            }
            let usual = match found.usual_known() {
                true => format!(", usually {}", ms(cause.usual_us)),
                false => String::new(),
            };
            let how = format!(
                "{} in {} of {}{usual}, {}",
                cause.named.kind,
                cause.frames,
                found.late_frames,
                cause.confidence.word()
            );
            Why { us: cause.us, what, how }
        })
        .chain(found.unexplained.iter().map(|one| Why {
            us: one.us,
            what: format!("unexplained: {}", one.reason),
            how: String::new(),
        }))
        .chain((found.unknown_us > 0).then(|| Why {
            us: found.unknown_us,
            what: "of frames nothing can be said of".to_owned(),
            how: String::new(),
        }))
        .filter(|why| why.us.saturating_mul(SHARE) >= found.hitch_us)
        .collect();
    all.sort_by_key(|why| std::cmp::Reverse(why.us));
    let head = match found.late_frames {
        0 => "no frame was late in the iteration traced for it".to_owned(),
        late => {
            let late = several(late, "late frame", "late frames");
            format!("{late}, {} in all, in the iteration traced for it", ms(found.hitch_us))
        }
    };
    (head, all)
}

/// The same as one sentence.
pub(crate) fn sentence(found: Option<&HitchCauses>, reason: Option<&str>, style: TextStyle) -> String {
    let Some(found) = found else {
        return format!(
            "why frames were late is not known: {}",
            style.text(reason.unwrap_or("no reason is given"), SENTENCE)
        );
    };
    let (head, all) = told(found);
    let parts: Vec<String> =
        all.iter().map(|why| format!("{} {}", ms(why.us), style.text(&why.what, SENTENCE))).collect();
    if parts.is_empty() { head } else { format!("{head}: {}", parts.join(" · ")) }
}

/// The same of what a run knows of a window.
pub(crate) fn of_window(causes: &WindowCauses, style: TextStyle) -> String {
    sentence(causes.causes.as_ref(), causes.reason.as_deref(), style)
}

/// A time, in ms to the tenth.
pub(crate) fn ms(us: i64) -> String {
    format!("{:.1} ms", us as f64 / 1e3)
}
