//! What tickets and comments say. Times are ms, rates ms of hitch per second of motion.

use crate::cause::{Cause, Run, Sighting};
use crate::marker::{Marker, Told};
use crate::post::{NewTicket, Post};
use crate::rules::Rules;
use crate::text::{Line, Piece, ours, theirs, title};
use farmjank_results::words::several;

/// Most characters of a title.
pub const TITLE: usize = 180;
/// Windows and phones listed.
const SIGHTINGS: usize = 10;

/// A new ticket, and why it is opened.
pub(crate) fn new_ticket(run: &Run, cause: &Cause, rules: &Rules, why: &str) -> NewTicket {
    let fingerprint = &cause.fingerprint;
    let known = Marker { fingerprint: fingerprint.clone(), told: None };
    let mut lines = vec![Line::of(vec![
        ours("Frames of "),
        theirs(&cause.app),
        ours(" are late: "),
        theirs(&cause.named.title),
    ])];
    lines.extend(facts(run, cause));
    lines.push(Line::of(vec![
        ours("The ticket is here because "),
        ours(why),
        ours(". Kind "),
        theirs(&cause.named.kind),
        ours(", fingerprint "),
        theirs(fingerprint),
        ours(". Night by night: "),
        theirs(format!("farmjank causes --history {fingerprint}")),
    ]));
    lines.push(Line::of(vec![ours(format!(
        "farmjank comments on this ticket when there is news, and closes it when the cause is gone for {} that looked for \
         it. It knows the ticket by its first line and its labels that begin with farmjank: leave those.",
        several(rules.close_after, "night", "nights")
    ))]));
    NewTicket {
        fingerprint: fingerprint.clone(),
        title: title(&format!("Late frames in {}: {}", cause.app, cause.named.title), TITLE),
        post: Post { markers: vec![known, told(run, cause)], lines },
        labels: rules.labels(cause),
    }
}

/// A comment on a cause that is there, with its news.
pub(crate) fn news(run: &Run, cause: &Cause, news: &str) -> Post {
    let mut lines = vec![Line::of(vec![ours("There is news of this cause: "), ours(news)])];
    lines.extend(facts(run, cause));
    Post { markers: vec![told(run, cause)], lines }
}

/// A comment on a cause that is back.
pub(crate) fn back(run: &Run, cause: &Cause) -> Post {
    let mut lines = vec![Line::of(vec![ours("This cause is back, in a later build than was told of here.")])];
    lines.extend(facts(run, cause));
    Post { markers: vec![told(run, cause)], lines }
}

/// A comment on a cause that is gone.
pub(crate) fn gone(run: &Run, fingerprint: &str, nights: u32) -> Post {
    let first = format!(
        "This cause is gone: {} looked for it in every window that ever had it, and did not find it. ",
        several(nights, "night", "nights")
    );
    let lines = vec![
        Line::of(vec![ours(first), ours("The last one is run "), theirs(&run.id)]),
        Line::of(vec![ours("Night by night: "), theirs(format!("farmjank causes --history {fingerprint}"))]),
    ];
    let told = Told::of(&run.id, None);
    Post { markers: vec![Marker { fingerprint: fingerprint.to_owned(), told: Some(told) }], lines }
}

fn told(run: &Run, cause: &Cause) -> Marker {
    Marker { fingerprint: cause.fingerprint.clone(), told: Some(Told::of(&run.id, cause.build.as_ref())) }
}

fn facts(run: &Run, cause: &Cause) -> Vec<Line> {
    let mut lines = Vec::new();
    if let Some(lab) = &run.lab {
        lines.push(Line::listed(vec![ours("simulated, in the virtual lab "), theirs(lab)]));
    }
    if !cause.detail.is_empty() {
        lines.push(Line::listed(vec![theirs(&cause.detail)]));
    }
    if let Some(owner) = &cause.owner {
        lines.push(Line::listed(vec![ours("owner "), theirs(owner)]));
    }
    lines.push(Line::listed(vec![
        ours(format!(
            "{}, {:.1} ms of hitches, ",
            several(cause.frames, "late frame", "late frames"),
            cause.ms()
        )),
        ours(cause.confidence.word()),
        ours(", in run "),
        theirs(&run.id),
        ours(" of build "),
        cause.build.as_ref().map_or_else(|| ours("unknown"), |build| theirs(build.shown())),
    ]));
    lines.extend(cause.sightings.iter().take(SIGHTINGS).map(|one| Line::listed(sighting(one))));
    let more = cause.sightings.len().saturating_sub(SIGHTINGS);
    if more > 0 {
        lines.push(Line::listed(vec![ours(format!("{} more", several(more, "window", "windows")))]));
    }
    lines.push(Line::of(vec![ours("Frame by frame: "), theirs(format!("farmjank causes {}", run.place))]));
    lines
}

fn sighting(one: &Sighting) -> Vec<Piece> {
    let numbers = format!(
        ": {:.1} ms/s, in {} of {}, usually {:.1} ms, {}",
        one.amount.ms_per_s(),
        one.amount.frames,
        several(one.late_frames, "late frame", "late frames"),
        one.usual_us as f64 / 1e3,
        one.confidence.word()
    );
    vec![
        theirs(&one.spot.scenario),
        ours(" › "),
        theirs(&one.spot.window),
        ours(" on "),
        theirs(one.device.0.as_str()),
        ours(", "),
        theirs(&one.spot.class),
        ours(numbers),
    ]
}
