//! The drawn frames of one window that are known so far, each once, in order.
//!
//! Dumps overlap and come mostly in order of time, so nearly every frame of a dump is among the last ones known or
//! newer than all of them: a sorted list, merged dump by dump. Must not know runs but as numbers.

use super::FrameStats;
use crate::time::DeviceTime;

/// What tells one frame of a window from another: written before the frame is finished, and never changed after.
type Key = (DeviceTime, Option<i64>, Option<DeviceTime>, Option<DeviceTime>);

fn key(frame: &FrameStats) -> Key {
    (frame.intended, frame.vsync_id, frame.sync_start, frame.swap)
}

/// Frames in order of what tells them apart, each with the number of the run that showed it first.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    frames: Vec<(FrameStats, usize)>,
}

impl Known {
    /// How many.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &FrameStats> {
        self.frames.iter().map(|(frame, _)| frame)
    }

    /// Adds the frames of a dump, in any order. `absorb` joins what two dumps say about one frame; the runs of the
    /// frames that were known already come back.
    pub fn merge(
        &mut self,
        frames: &[FrameStats],
        run: usize,
        absorb: impl Fn(&mut FrameStats, &FrameStats),
    ) -> Vec<usize> {
        let mut order: Vec<(Key, &FrameStats)> = frames.iter().map(|frame| (key(frame), frame)).collect();
        if !order.is_sorted_by_key(|(key, _)| *key) {
            order.sort_by_key(|(key, _)| *key);
        }
        let Some(first) = order.first().map(|(key, _)| *key) else { return Vec::new() };
        let mut at = self.frames.partition_point(|(known, _)| key(known) < first);
        let mut fresh: Vec<(FrameStats, usize)> = Vec::new();
        let mut met: Vec<usize> = Vec::new();
        let mut left = order.len();
        for (own, frame) in order {
            left -= 1;
            while self.frames.get(at).is_some_and(|(known, _)| key(known) < own) {
                at += 1;
            }
            let known = self.frames.get_mut(at).filter(|(known, _)| key(known) == own);
            match known.or(fresh.last_mut().filter(|(known, _)| key(known) == own)) {
                Some((known, of)) => {
                    absorb(known, frame);
                    if met.last() != Some(of) {
                        met.push(*of);
                    }
                }
                None => {
                    if fresh.capacity() == 0 {
                        fresh.reserve_exact(left + 1);
                    }
                    fresh.push((*frame, run));
                }
            }
        }
        self.insert(fresh);
        met
    }

    /// Inserts sorted frames that are not known yet; mostly they are newer than all that is.
    fn insert(&mut self, fresh: Vec<(FrameStats, usize)>) {
        let Some(first) = fresh.first().map(|(frame, _)| key(frame)) else { return };
        let at = self.frames.partition_point(|(known, _)| key(known) < first);
        let mut old = self.frames.split_off(at).into_iter().peekable();
        for new in fresh {
            while let Some(known) = old.next_if(|(known, _)| key(known) < key(&new.0)) {
                self.frames.push(known);
            }
            self.frames.push(new);
        }
        self.frames.extend(old);
    }
}
