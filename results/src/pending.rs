//! Rows whose fence had not signalled: remembered by the buffer's own times, matched with presents at the end.
//!
//! Must not know the order of dumps. A pending row has no present, so its place is told by `desired` (or `intended`)
//! among the frames that have one. Times in ns on the phone's clock.

use crate::frame::{Frame, Row};
use crate::time::DeviceTime;
use std::collections::BTreeMap;

/// What tells buffers apart: their own timestamp (or scheduled vsync) first.
type Order = DeviceTime;
/// An unbroken stretch, ends included.
type Stretch = (DeviceTime, DeviceTime);

/// A stretch in which frames are missing: after the first instant, before the second.
type Place = (Option<DeviceTime>, Option<DeviceTime>);

#[derive(Clone, Copy)]
struct Waiting {
    order: Option<Order>,
    ready: Option<DeviceTime>,
    /// Which dump showed it.
    dump: u32,
}

#[derive(Clone, Copy)]
struct Shown {
    /// Number of the dump among all dumps of the ring.
    number: u64,
    reach: Option<Stretch>,
    asked: Option<DeviceTime>,
}

/// Pending rows of all dumps so far.
#[derive(Default)]
pub(crate) struct Memory {
    waiting: Vec<Waiting>,
    dumps: Vec<Shown>,
    /// Second buffers shown at the same refresh: they are not frames of the timeline, but they did resolve.
    aliases: Vec<(Order, Option<DeviceTime>, DeviceTime)>,
}

/// What became of the pending rows.
pub(crate) struct Resolved {
    /// Stretches that dumps prove unbroken, counting their pending rows where they resolved.
    pub spans: Vec<Stretch>,
    /// Those that never came back.
    pub lost: Lost,
}

/// Frames that never came back.
#[derive(Default)]
pub(crate) struct Lost {
    /// How many.
    pub count: u64,
    /// Where they were presented.
    pub places: Vec<Place>,
}

fn order_of(desired: Option<DeviceTime>, intended: Option<DeviceTime>) -> Option<Order> {
    desired.or(intended)
}

impl Memory {
    /// Remembers the pending rows of the dump of this number, which shows resolved frames in `reach`.
    pub fn remember(
        &mut self,
        number: u64,
        rows: &[&Row],
        reach: Option<Stretch>,
        asked: Option<DeviceTime>,
    ) {
        let dump = self.dumps.len() as u32;
        self.dumps.push(Shown { number, reach, asked });
        self.waiting.extend(rows.iter().map(|row| Waiting {
            order: order_of(row.desired, row.intended),
            ready: row.ready,
            dump,
        }));
    }

    /// Notes that two buffers share one present.
    pub fn alias(&mut self, one: &Frame, other: &Frame) {
        if one.desired == other.desired && one.ready == other.ready {
            return;
        }
        for frame in [one, other] {
            if let Some(order) = order_of(frame.desired, frame.intended) {
                self.aliases.push((order, frame.ready, frame.present));
            }
        }
    }

    /// Matches everything remembered with the presents known at the end. `last` is the number of the last dump.
    pub fn resolve<'a>(&self, last: u64, frames: impl Iterator<Item = &'a Frame>) -> Resolved {
        if self.waiting.is_empty() {
            return Resolved { spans: Vec::new(), lost: Lost::default() };
        }
        let ordered = |frame: &Frame| {
            order_of(frame.desired, frame.intended).map(|order| (order, frame.ready, frame.present))
        };
        let mut newest = None;
        let mut index: Vec<(Order, Option<DeviceTime>, DeviceTime)> =
            frames.inspect(|frame| newest = Some(frame.present)).filter_map(ordered).collect();
        index.extend_from_slice(&self.aliases);
        index.sort();
        let mut reaches: Vec<Option<Stretch>> = self.dumps.iter().map(|dump| dump.reach).collect();
        // By identity; the value is the last instant at which it was seen still pending.
        let mut lost: BTreeMap<(Order, Option<DeviceTime>), Option<DeviceTime>> = BTreeMap::new();
        let mut nameless = 0;
        for waiting in &self.waiting {
            let Shown { asked, number, .. } = self.dumps[waiting.dump as usize];
            let Some(order) = waiting.order else {
                // Nothing tells it from others: it is lost only when no later dump could show it resolved.
                nameless += u64::from(number == last);
                continue;
            };
            match present_of(&index, order, waiting.ready) {
                Some(present) => {
                    let reach = &mut reaches[waiting.dump as usize];
                    let (lo, hi) = reach.unwrap_or((present, present));
                    *reach = Some((lo.min(present), hi.max(present)));
                }
                None => {
                    let last = lost.entry((order, waiting.ready)).or_default();
                    *last = (*last).max(asked);
                }
            }
        }
        let spans = reaches.into_iter().flatten().collect();
        let lost = self.locate(merge_unready(lost), nameless, &index, newest);
        Resolved { spans, lost }
    }

    /// Where the frames that never came back must have been presented.
    fn locate(
        &self,
        lost: BTreeMap<(Order, Option<DeviceTime>), Option<DeviceTime>>,
        nameless: u64,
        index: &[(Order, Option<DeviceTime>, DeviceTime)],
        newest: Option<DeviceTime>,
    ) -> Lost {
        let mut places: Vec<Place> = Vec::new();
        let count = lost.len() as u64 + nameless;
        for ((order, _), last_pending) in lost {
            let at = index.partition_point(|entry| entry.0 < order);
            let earlier = at.checked_sub(1).map(|at| index[at].2);
            let later = index.get(at).map(|entry| entry.2);
            // Buffers are shown in order; where timestamps say otherwise, take the wider stretch.
            let (after, before) = match (earlier, later) {
                (Some(earlier), Some(later)) => (Some(earlier.min(later)), Some(earlier.max(later))),
                ends => ends,
            };
            // A fence still pending when the dump was asked for has not signalled before that.
            let sharper = last_pending.filter(|instant| before.is_none_or(|before| *instant < before));
            places.push((after.max(sharper), before));
        }
        if nameless > 0 {
            places.push((newest.max(self.dumps.last().and_then(|dump| dump.asked)), None));
        }
        places.sort();
        places.dedup();
        Lost { count, places }
    }
}

/// The present of a buffer; a row whose `ready` was not known either matches by its timestamp alone.
fn present_of(
    index: &[(Order, Option<DeviceTime>, DeviceTime)],
    order: Order,
    ready: Option<DeviceTime>,
) -> Option<DeviceTime> {
    let first = index.partition_point(|entry| entry.0 < order);
    let mut same = index[first..].iter().take_while(|entry| entry.0 == order);
    same.find(|entry| ready.is_none() || entry.1.is_none() || entry.1 == ready).map(|entry| entry.2)
}

/// A buffer seen first without and then with its `ready` is one buffer.
fn merge_unready(
    lost: BTreeMap<(Order, Option<DeviceTime>), Option<DeviceTime>>,
) -> BTreeMap<(Order, Option<DeviceTime>), Option<DeviceTime>> {
    let mut merged = BTreeMap::new();
    for ((order, ready), last) in lost.iter().map(|(key, last)| (*key, *last)) {
        let named = ready.is_none()
            && lost
                .range((order, Some(DeviceTime::from_ns(i64::MIN)))..)
                .next()
                .is_some_and(|(key, _)| key.0 == order);
        if !named {
            let unready = lost.get(&(order, None)).copied().flatten();
            merged.insert((order, ready), last.max(unready));
        }
    }
    merged
}
