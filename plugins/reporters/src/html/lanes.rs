//! Pictures of late frames, as the page of a cell has them: those the bundle keeps, as many as the page has room for.
//!
//! Names of threads and slices are the phone's: cleaned here, and bounded. Must not know how a picture is made, nor how
//! it is drawn.

use crate::cells::Cell;
use crate::clean::{NAME, SENTENCE, line};
use farmjank_results::frame_lanes::{FRAMES, FrameLanes, Lane, LaneCause, Picture, STALLS};
use farmjank_results::record::{JobRecord, WindowCauses};
use farmjank_seams::reporter::FrameLogs;

/// Pictures in one page, of all its cells together: some 2 kB each.
const PICTURES: usize = 600;

/// The pictures of a cell, the costliest first.
pub fn pictures(cell: &Cell<'_>, files: &dyn FrameLogs) -> FrameLanes {
    let path = cell.causes().and_then(|of| of.causes.as_ref()?.lanes.as_ref());
    let Some(bytes) = path.and_then(|path| files.frame_log(path)) else { return FrameLanes::default() };
    let most = room(cell);
    let FrameLanes { mut pictures } = FrameLanes::decode(&bytes);
    for frames in [true, false] {
        let mut left = if frames { most } else { most.div_ceil(FRAMES / STALLS) };
        pictures.retain(|one| {
            let own = one.token.is_some() == frames;
            let fits = !own || left > 0;
            left -= usize::from(own && fits);
            fits
        });
    }
    FrameLanes { pictures: pictures.into_iter().map(clean).collect() }
}

/// How many of a cell's frames the page has room for.
fn room(cell: &Cell<'_>) -> usize {
    let drawn = |one: &&WindowCauses| one.causes.as_ref().is_some_and(|causes| causes.lanes.is_some());
    let of_job = |job: &JobRecord| job.causes.iter().filter(drawn).count();
    let cells: usize = cell.record.jobs.values().map(of_job).sum();
    (PICTURES / cells.max(1)).clamp(1, FRAMES)
}

fn clean(picture: Picture) -> Picture {
    let lane = |one: Lane| Lane { name: line(&one.name, NAME), process: line(&one.process, NAME), ..one };
    let cause =
        |one: LaneCause| LaneCause { kind: line(&one.kind, NAME), title: line(&one.title, SENTENCE), ..one };
    Picture {
        names: picture.names.iter().map(|name| line(name, NAME)).collect(),
        lanes: picture.lanes.into_iter().map(lane).collect(),
        causes: picture.causes.into_iter().map(cause).collect(),
        ..picture
    }
}
