//! What a trace tells of one app, and what keeps the two from being of one time.

use super::trace::Trace;
use crate::text::shown;
use farmjank_results::device::App;
use farmjank_results::frame_timeline::SurfaceFrames;
use farmjank_results::reader::Unreadable;
use farmjank_results::time::ClockMap;
use std::collections::BTreeMap;

/// A process of the app: its own, or one of those it names after a colon.
fn of_app(name: &str, app: &App) -> bool {
    name.strip_prefix(app.0.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

/// The app's frames in a trace.
///
/// # Errors
/// It shows none; which it does show.
pub(crate) fn frames_of(
    trace: &Trace,
    app: &App,
    clock: Option<ClockMap>,
) -> Result<BTreeMap<String, SurfaceFrames>, Unreadable> {
    let mut of_the_app: BTreeMap<String, SurfaceFrames> = trace.by_name();
    of_the_app.retain(|name, _| of_app(name, app));
    if let Some(doubt) = clock.and_then(|clock| apart(trace, clock)) {
        of_the_app.values_mut().for_each(|frame_timeline| frame_timeline.doubts.push(doubt.clone()));
    }
    if of_the_app.is_empty() {
        return Err(Unreadable::Missing(format!(
            "the trace shows no frame of {}; it shows {}",
            shown(app.0.as_bytes()),
            seen(trace)
        )));
    }
    Ok(of_the_app)
}

/// Why the trace and the phone do not agree on what time it is.
fn apart(trace: &Trace, clock: ClockMap) -> Option<String> {
    let off = (trace.offset? - clock.offset).ns().unsigned_abs();
    // One second: far above what either can be wrong by, far below what a phone sleeps.
    (off > 1_000_000_000).then(|| {
        format!("the phone slept while it was traced: its clocks moved {} ms apart", off / 1_000_000)
    })
}

/// The processes of a trace, in words.
fn seen(trace: &Trace) -> String {
    let names: Vec<String> = trace.by_name().keys().take(5).map(|name| shown(name.as_bytes())).collect();
    if names.is_empty() { "none of any app".to_owned() } else { names.join(", ") }
}
