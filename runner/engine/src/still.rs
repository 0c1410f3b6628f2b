//! Waiting until nothing moves: two looks at the presents some time apart that show the same newest frame.

use crate::device_session::DeviceSession;
use farmjank_results::fault::Fault;
use farmjank_results::frame::Stamp;
use farmjank_results::time::DeviceTime;
use farmjank_seams::sampling_loop::SamplingLoop;
use farmjank_seams::source::FrameSource;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Nothing presented for this long counts as still: above the pause between two list items coming to rest.
const STILL: Duration = Duration::from_millis(400);

/// Returns when nothing was presented for a while, or after `most`: as in Maestro, running out of time is no failure.
pub async fn wait(session: &DeviceSession<'_>, most: Duration) -> Result<(), Fault> {
    let deadline = Instant::now() + most;
    let mut last = None;
    while Instant::now() < deadline {
        let newest = newest(session).await?;
        if last == Some(newest) {
            return Ok(());
        }
        last = Some(newest);
        sleep(STILL.min(deadline.saturating_duration_since(Instant::now()))).await;
    }
    Ok(())
}

/// The newest present of any layer of the app; none while it shows nothing.
async fn newest(session: &DeviceSession<'_>) -> Result<Option<DeviceTime>, Fault> {
    for source in &session.sources {
        match source.open(&*session.device, session.facts, &session.app).await {
            Ok(mut opened) => return look(session, &**source, &mut opened.sampling).await,
            Err(fault) if fault.is_lost() => return Err(fault),
            Err(_) => {}
        }
    }
    Ok(None)
}

async fn look(
    session: &DeviceSession<'_>,
    source: &dyn FrameSource,
    sampling: &mut SamplingLoop,
) -> Result<Option<DeviceTime>, Fault> {
    let output = session.device.shell(&sampling.once(), session.patience().dump).await?;
    let now = session.env.announcer.now();
    let dumps = output.out.split(|byte| *byte == b'\n').filter_map(|line| sampling.feed(line, now));
    let samples = dumps.filter_map(|dump| source.read(&dump, None).ok()).flatten();
    let presents = samples.flat_map(|(_, sample)| sample.rows).filter_map(|row| match row.present {
        Stamp::At(at) => Some(at),
        Stamp::Pending => None,
    });
    Ok(presents.max())
}
