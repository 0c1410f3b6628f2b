//! A whole trace: fed in pieces, finished into the frames of every process. Times on CLOCK_MONOTONIC, ns.

use super::clocks::Clocks;
use super::framing::{Framing, Met};
use super::gather::{Gathered, Moment};
use super::join::{self, Displays};
use farmjank_results::frame_timeline::{SurfaceFrame, SurfaceFrames};
use farmjank_results::time::{DeviceTime, Span};
use farmjank_seams::source::Unreadable;
use std::collections::BTreeMap;

/// What a trace says, process by process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Frames of each process that was shown, by its number.
    pub processes: BTreeMap<i32, SurfaceFrames>,
    /// Names of processes, by number: from the process tree, else from the layers.
    pub names: BTreeMap<i32, String>,
    /// BOOTTIME minus MONOTONIC at the end of the trace, where it tells.
    pub offset: Option<Span>,
    /// Packets read.
    pub packets: u64,
    /// Packets, compressed runs and events that could not be read.
    pub unreadable: u64,
    /// The file ends inside a packet.
    pub cut: bool,
    clocks: Clocks,
}

impl Trace {
    /// The instant on CLOCK_BOOTTIME, the clock of what the kernel says; none where the trace does not tell both.
    pub fn boottime(&self, at: DeviceTime) -> Option<i64> {
        self.clocks.boottime(at.ns())
    }

    /// The same by name; a process that died and came back is one, one without a name is `pid:N`.
    pub fn by_name(&self) -> BTreeMap<String, SurfaceFrames> {
        let mut named: BTreeMap<String, SurfaceFrames> = BTreeMap::new();
        for (pid, frame_timeline) in &self.processes {
            let name = self.names.get(pid).cloned().unwrap_or_else(|| format!("pid:{pid}"));
            let known = named
                .entry(name)
                .or_insert_with(|| SurfaceFrames { frames: Vec::new(), ..frame_timeline.clone() });
            known.frames.extend(frame_timeline.frames.iter().cloned());
            known.frames.sort_by_key(|frame| (join::when(frame), frame.pid, frame.token));
        }
        named
    }
}

/// Reads a whole trace file. See [`TraceReader`].
///
/// # Errors
/// When it is no trace, or holds no frame timeline.
pub fn read_trace(bytes: &[u8]) -> Result<Trace, Unreadable> {
    let mut reader = TraceReader::default();
    reader.feed(bytes);
    reader.finish()
}

/// Reads a trace piece by piece, in memory that grows with its frames and not with its bytes.
#[derive(Default)]
pub struct TraceReader {
    framing: Framing,
    gathered: Gathered,
}

impl TraceReader {
    /// Takes the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        let gathered = &mut self.gathered;
        self.framing.feed(bytes, &mut |packet| gathered.take(packet));
    }

    /// Everything the trace says.
    ///
    /// # Errors
    /// [`Unreadable::Garbled`] when not one packet could be read, [`Unreadable::Empty`] when none is of the frame
    /// timeline.
    pub fn finish(self) -> Result<Trace, Unreadable> {
        let (met, cut) = self.framing.finish();
        let mut gathered = self.gathered;
        if met.packets == 0 {
            return Err(Unreadable::Garbled("not a Perfetto trace, or an empty one".to_owned()));
        }
        gathered.clocks.settle();
        let displays = Displays::new(&gathered);
        let frames = gathered.app_frames.iter().filter_map(|frame| join::frame(&gathered, &displays, frame));
        let mut frames: Vec<SurfaceFrame> = frames.collect();
        if frames.is_empty() && displays.reach().is_none() {
            return Err(Unreadable::Empty(
                "the trace holds no frame timeline; record it with the data source \
                 android.surfaceflinger.frametimeline (Android 12 and newer)"
                    .to_owned(),
            ));
        }
        frames.sort_by_key(|frame| (join::when(frame), frame.pid, frame.token));
        join::mark_first_draws(&mut frames, &gathered.scanned);
        Ok(assembled(&gathered, &displays, frames, (met, cut)))
    }
}

fn assembled(
    gathered: &Gathered,
    displays: &Displays,
    frames: Vec<SurfaceFrame>,
    (met, cut): (Met, bool),
) -> Trace {
    let mut doubts = Vec::new();
    if !gathered.clocks.known() {
        doubts.push(
            "the trace holds no clock snapshot, so its times may be of another clock than all else"
                .to_owned(),
        );
    }
    if met.unreadable > 0 {
        let runs = met.unreadable;
        doubts.push(format!(
            "{runs} packets or compressed runs of the trace could not be opened; record it again"
        ));
    }
    if met.garbage {
        doubts.push("the trace is damaged: after its last whole packet come bytes that are none".to_owned());
    }
    let base = SurfaceFrames {
        frames: Vec::new(),
        joined: None,
        period: join::span(displays.common_period()),
        span: span(gathered, displays),
        told_to: displays.whole_to(gathered.halves()).map(DeviceTime::from_ns),
        lost_at: Vec::new(),
        lost: losses(gathered),
        unfinished: gathered.unfinished() + gathered.unreadable + met.unreadable,
        doubts,
    };
    let mut processes: BTreeMap<i32, SurfaceFrames> = BTreeMap::new();
    let mut names = gathered.names.clone();
    for frame in frames {
        let pid = frame.pid;
        let unresolved = unresolved(&frame);
        if !gathered.names.contains_key(&pid)
            && let Some(package) = package(&frame.layer)
        {
            names.entry(pid).or_insert_with(|| package.to_owned());
        }
        let frame_timeline = processes.entry(pid).or_insert_with(|| base.clone());
        // A frame that was neither dropped nor has a present may have been shown: nobody knows when.
        frame_timeline.lost_at.extend(unresolved.then_some(frame.actual_end));
        frame_timeline.frames.push(frame);
    }
    processes.values_mut().for_each(|frame_timeline| frame_timeline.lost_at.sort_unstable());
    names.retain(|pid, _| processes.contains_key(pid));
    let offset = gathered.clocks.newest_offset().map(Span::from_ns);
    let unreadable = gathered.unreadable + met.unreadable;
    let clocks = gathered.clocks.clone();
    Trace { processes, names, offset, packets: met.packets, unreadable, cut, clocks }
}

fn unresolved(frame: &SurfaceFrame) -> bool {
    use farmjank_results::frame_timeline::PresentType::Dropped;
    frame.present.is_none() && frame.present_type != Dropped && frame.is_buffer
}

/// From when to when the trace holds every display frame.
fn span(gathered: &Gathered, displays: &Displays) -> Option<(DeviceTime, DeviceTime)> {
    let (first, last) = displays.reach()?;
    let at = |moment: Moment| join::instant(&gathered.clocks, moment);
    let totals = &gathered.totals;
    let from = match gathered.started.and_then(at).filter(|_| totals.given && totals.overwritten == 0) {
        Some(started) => started.min(first),
        // The beginning was overwritten: only where every writer is there again, nothing is missing.
        None if totals.overwritten > 0 => gathered
            .writers()
            .filter_map(|(begun, _)| at(begun))
            .max()
            .map_or(first, |begun| begun.max(first)),
        None => first,
    };
    let clean = totals.given && totals.discarded == 0 && !totals.flush_failed;
    // Display frames are told by later compositions only: the last one told says nothing about the end of the trace.
    let end = gathered.clocks.newest().max(gathered.over.and_then(at));
    let to = end.filter(|_| clean).map_or(last, |end| end.max(last));
    Some((DeviceTime::from_ns(from), DeviceTime::from_ns(to)))
}

/// Where writers of the frame timeline lost packets.
fn losses(gathered: &Gathered) -> Vec<(DeviceTime, DeviceTime)> {
    let at = |moment: Moment| join::instant(&gathered.clocks, moment).map(DeviceTime::from_ns);
    let of_all = gathered.writers().flat_map(|(_, losses)| losses);
    let mut losses: Vec<_> = of_all
        .filter_map(|(since, until)| {
            let (since, until) = (at(*since)?, at(*until)?);
            Some((since.min(until), since.max(until)))
        })
        .collect();
    losses.sort_unstable();
    losses
}

/// The package in a layer's name: `com.shop/com.shop.Main#1`, `SurfaceView[com.shop/com.shop.Main](BLAST)#2`.
fn package(layer: &str) -> Option<&str> {
    let inside = layer.split_once('[').map_or(layer, |(_, inside)| inside);
    let (package, _) = inside.split_once('/')?;
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_');
    (package.contains('.') && package.bytes().all(letter)).then_some(package)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_is_read_from_every_kind_of_layer() {
        assert_eq!(package("com.shop/com.shop.Main#1"), Some("com.shop"));
        assert_eq!(package("SurfaceView[com.shop/com.shop.Main](BLAST)#2"), Some("com.shop"));
        assert_eq!(package("NavigationBar0#74"), None);
        assert_eq!(package("Splash Screen com.shop#3"), None);
        assert_eq!(package("rm -rf com.shop/x#1"), None);
    }
}
