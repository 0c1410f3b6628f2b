//! The trace of a trial that is to tell of causes, in the bundle: read for frames, and once more for what held them up.

use crate::companion::Accompanied;
use crate::device_session::DeviceSession;
use crate::probes::{Fetched, ProbeAnswer};
use farmjank_results::event::{TraceSize, WindowMeasured};
use farmjank_results::evidence::{PACKED, held};
use farmjank_results::frame::SourceId;
use farmjank_results::hitch_causes::HitchCauses;
use farmjank_results::motion::Motion;
use farmjank_results::reader::{CauseReader, Explained, Unreadable};
use farmjank_results::side_reading::SideReading;

/// What was found of one window, or why nothing.
pub struct FoundCauses {
    /// Its name.
    pub window: String,
    /// Why its frames were late.
    pub causes: Result<HitchCauses, String>,
    /// What the trace took; none where none came.
    pub size: Option<TraceSize>,
}

/// The trace of a trial in the bundle, read for frames, and to be read again for what held them up.
pub(crate) struct TracedCauses {
    reader: Box<dyn CauseReader>,
    fetched: Fetched,
    /// What it says of frames, to be taken.
    pub frames: Option<Result<SideReading, Unreadable>>,
}

impl TracedCauses {
    /// Reads the trace that is among the answers, if one came.
    pub async fn read(
        session: &DeviceSession<'_>,
        answers: &[ProbeAnswer],
        accompanied: Vec<Accompanied>,
    ) -> Option<TracedCauses> {
        let (answer, fetched) = answers.iter().find_map(|answer| Some((answer, answer.fetched.clone()?)))?;
        let mut reader = answer.probe.causes(&session.app, Some(session.clock))?;
        for Accompanied { fetched, mut said } in accompanied {
            if let Some(path) = fetched
                && let Err(why) = feed(session, &path, &mut |piece| reader.beside(piece)).await
            {
                said = Err(why);
            }
            reader.beside_said(said.as_deref().map_err(String::as_str));
        }
        let frames = match feed(session, &fetched.path, &mut |piece| reader.feed(piece)).await {
            Ok(0) => Err(Unreadable::Empty("perfetto wrote no trace".to_owned())),
            Ok(_) => reader.frames(),
            Err(why) => Err(Unreadable::Refused(why)),
        };
        Some(TracedCauses { reader, fetched, frames: Some(frames) })
    }

    /// Why the frames of these windows were late.
    pub async fn of(mut self, session: &DeviceSession<'_>, windows: &[WindowMeasured]) -> Vec<FoundCauses> {
        let moved: Vec<&WindowMeasured> = windows.iter().filter(|one| !one.motions.is_empty()).collect();
        let motions: Vec<&[Motion]> = moved.iter().map(|one| one.motions.as_slice()).collect();
        let mut read = Ok(0);
        if self.reader.ask(&motions) {
            let reader = &mut self.reader;
            read = feed(session, &self.fetched.path, &mut |piece| reader.feed(piece)).await;
        }
        let mut causes = self.reader.causes().into_iter();
        let found = |one: &WindowMeasured| {
            let causes = match (&read, one.motions.is_empty()) {
                (Err(why), _) => Err(why.clone()),
                (_, true) => Err("nothing moved in it".to_owned()),
                _ => causes.next().unwrap_or_else(|| Err(unread(one))),
            };
            let causes = causes.map(|found| doubted(kept(session, found, one), one));
            FoundCauses { window: one.window.clone(), causes, size: Some(self.fetched.size) }
        };
        windows.iter().map(found).collect()
    }
}

/// Keeps the pictures of late frames beside the window's dumps.
fn kept(session: &DeviceSession<'_>, found: Explained, window: &WindowMeasured) -> HitchCauses {
    let Explained { mut causes, lanes } = found;
    let dumps = window.evidence.iter().find_map(|path| held(path).strip_suffix(".dumps"));
    let Some(place) = dumps.filter(|_| !lanes.pictures.is_empty()) else { return causes };
    let path = format!("{place}.lanes{PACKED}");
    match session.env.files.write(&path, &lanes.encode()) {
        Ok(()) => causes.lanes = Some(path),
        Err(why) => {
            let words = format!("the pictures of late frames could not be kept for the report: {why}");
            session.env.announcer.notice(Some(session.job), words);
        }
    }
    causes
}

/// Why a window has nothing of a trace.
pub(crate) fn unread(window: &WindowMeasured) -> String {
    let skipped = |what: &str| what == SourceId::FrameTimeline.to_string();
    let why = window.passed_over.iter().find(|over| skipped(&over.what));
    why.map_or_else(|| "no trace of it could be read".to_owned(), |over| over.why.clone())
}

/// What is wrong with the window, beside what was found.
fn doubted(mut causes: HitchCauses, window: &WindowMeasured) -> HitchCauses {
    causes.doubts.extend(window.void.iter().map(|void| format!("the window is void: {void}")));
    causes
}

/// Reads a file of the bundle once, giving way to other phones between its pieces; how many bytes it has.
async fn feed(session: &DeviceSession<'_>, path: &str, take: &mut dyn FnMut(&[u8])) -> Result<u64, String> {
    let words = |why| format!("the trace in the bundle cannot be read: {why}");
    let mut bytes = 0;
    for piece in session.env.files.pieces(path).map_err(words)? {
        let piece = piece.map_err(words)?;
        bytes += piece.len() as u64;
        take(&piece);
        tokio::task::yield_now().await;
    }
    Ok(bytes)
}
