//! What HWUI remembers of one window: the last 120 frames with their stages, and counters since the last reset.
//!
//! Times are ns on CLOCK_MONOTONIC. Must not know how any of it is printed.

use super::pipeline::Stages;
use std::collections::VecDeque;

/// Frames a window's ring holds.
pub const RING: usize = 120;
/// Rows kept so that a ring slot still knows its previous occupant.
const KEPT: usize = 2 * RING;

/// From the frame callback to its input handling, and to its animations, ns.
pub(crate) const UNTIL_INPUT: i64 = 4_000;
/// See [`UNTIL_INPUT`].
pub(crate) const UNTIL_ANIMATION: i64 = 9_000;
/// From the end of issuing commands until the GPU has them, ns.
pub(crate) const UNTIL_SUBMITTED: i64 = 30_000;

/// One frame as HWUI saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HwuiFrame {
    /// Stages.
    pub stages: Stages,
    /// Bits of the Flags column.
    pub flags: u32,
    /// Vsync token.
    pub token: i64,
    /// Id of the input event, 0 none.
    pub input: u32,
    /// Time of the oldest move that was handled, 0 none.
    pub input_oldest: i64,
    /// Time of the newest input event, 0 none.
    pub input_at: i64,
    /// Present fence, for apps that listen.
    pub shown: i64,
}

impl HwuiFrame {
    /// Its deadline before HWUI moved it.
    pub fn promised(&self) -> i64 {
        self.stages.deadline - if self.stages.stuffed { self.stages.interval } else { 0 }
    }

    /// FrameCompleted as this Android version means it.
    pub fn completed(&self, sdk: u32) -> i64 {
        if sdk >= 31 { self.stages.ready.max(self.stages.queued) } else { self.stages.queued }
    }
}

/// Counters of the summary block. One field for each line of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JankCounts {
    /// Last reset.
    pub since: i64,
    /// Frames.
    pub total: u64,
    /// Janky by the rule of the release.
    pub janky: u64,
    /// Frames that missed their deadline by the rule of the release.
    pub missed: u64,
    /// Janky by the rule before Android 12.
    pub legacy: u64,
    /// Vsync later than intended, among frames that missed their deadline, as the reasons below.
    pub missed_vsync: u64,
    /// Slow UI thread.
    pub slow_ui: u64,
    /// Frames that missed the deadline by the rule before Android 12.
    pub missed_legacy: u64,
    /// When the next buffer was due, by that rule.
    swap_deadline: i64,
    /// Slow bitmap uploads.
    pub slow_upload: u64,
    /// Slow draw commands.
    pub slow_draw: u64,
    /// Frames that met their deadline in a stuffed queue.
    pub high_input: u64,
    /// Frame times by bucket.
    pub times: [u32; BUCKETS],
    /// GPU times by ms, 1..=25 and the catch-all.
    pub gpu: [u32; 26],
}

/// Buckets of the frame time histogram.
pub(crate) const BUCKETS: usize = 28 + 8 + 21 + 97;

/// The bucket's printed name, ms: 5..32 by 1, 34..48 by 2, 53..133 by 4, 150..4950 by 50.
pub(crate) fn bucket_ms(bucket: usize) -> u32 {
    match bucket {
        0..28 => 5 + bucket as u32,
        28..36 => 34 + 2 * (bucket as u32 - 28),
        36..57 => 53 + 4 * (bucket as u32 - 36),
        _ => 150 + 50 * (bucket as u32 - 57),
    }
}

fn bucket_of(ms: i64) -> usize {
    match ms {
        ..=5 => 0,
        6..=32 => (ms - 5) as usize,
        33..=49 => 28 + ((ms - 34).max(0) / 2).min(7) as usize,
        50..=138 => 36 + ((ms - 51).max(0) / 4).min(20) as usize,
        _ => (57 + ((ms - 150).max(0) / 50) as usize).min(BUCKETS - 1),
    }
}

impl JankCounts {
    /// Empty since `since`.
    pub fn new(since: i64) -> JankCounts {
        JankCounts {
            since,
            total: 0,
            janky: 0,
            missed: 0,
            legacy: 0,
            missed_legacy: 0,
            swap_deadline: i64::MIN / 2,
            missed_vsync: 0,
            slow_ui: 0,
            slow_upload: 0,
            slow_draw: 0,
            high_input: 0,
            times: [0; BUCKETS],
            gpu: [0; 26],
        }
    }

    fn add(&mut self, stages: &Stages, sdk: u32) {
        let interval = stages.interval;
        let done = if sdk >= 31 { stages.ready.max(stages.queued) } else { stages.queued };
        let total = done - stages.intended;
        self.total += 1;
        self.times[bucket_of(total / 1_000_000)] += 1;
        let gpu_ms = ((stages.ready - stages.queued) / 1_000_000).max(1);
        self.gpu[if gpu_ms > 25 { 25 } else { gpu_ms as usize - 1 }] += 1;
        let legacy = total > interval;
        self.legacy += u64::from(legacy);
        let (met, stuffed) = if legacy { self.legacy_deadline(stages, done) } else { (true, false) };
        // Janky was "longer than a refresh" before Android 12 and is "missed its deadline" from there on.
        let (janky, missed, waited) = match sdk >= 31 {
            true => (stages.ready >= stages.deadline, stages.ready >= stages.deadline, stages.stuffed),
            false => (legacy, !met, stuffed),
        };
        self.janky += u64::from(janky);
        self.missed_legacy += u64::from(!met);
        self.high_input += u64::from(waited && !missed);
        if missed {
            self.missed += 1;
            self.missed_vsync += u64::from(stages.vsync > stages.intended);
            self.slow_ui += u64::from(stages.sync_start - stages.vsync >= interval / 2);
            self.slow_upload += u64::from(stages.issue - stages.sync_start >= interval / 5);
            self.slow_draw += u64::from(done - stages.issue >= interval * 3 / 4);
        }
    }

    /// The deadline rule before Android 12: a buffer is due a refresh after the one before it. Whether it was met, and
    /// whether the queue was ahead. Only for frames longer than a refresh.
    fn legacy_deadline(&mut self, stages: &Stages, done: i64) -> (bool, bool) {
        let interval = stages.interval.max(1);
        let stuffed = self.swap_deadline > stages.intended;
        self.swap_deadline = (self.swap_deadline + interval).max(stages.intended + interval);
        let met = done < self.swap_deadline;
        if !met {
            self.swap_deadline = done - (done - stages.vsync).rem_euclid(interval) + interval;
        }
        (met, stuffed)
    }

    /// Nearest bucket of a percentile; the top bucket when there are no frames.
    pub fn percentile(&self, percent: u64) -> u32 {
        percentile(&self.times, self.total, percent).map_or(4950, bucket_ms)
    }

    /// The same for GPU times, ms.
    pub(crate) fn gpu_percentile(&self, percent: u64) -> u32 {
        percentile(&self.gpu, self.total, percent)
            .map_or(4950, |bucket| if bucket == 25 { 4950 } else { bucket as u32 + 1 })
    }
}

fn percentile(counts: &[u32], total: u64, percent: u64) -> Option<usize> {
    let mut left = total - total * percent / 100;
    for (bucket, count) in counts.iter().enumerate().rev() {
        if u64::from(*count) > 0 && u64::from(*count) >= left {
            return Some(bucket);
        }
        left = left.saturating_sub(u64::from(*count));
    }
    None
}

/// One window's memory.
#[derive(Clone, Debug)]
pub struct Hwui {
    sdk: u32,
    rows: VecDeque<HwuiFrame>,
    count: u64,
    reset_at: i64,
    /// When the next frame would start if nothing were queued up (Android 12+).
    unstuffed: i64,
    /// Counters of this window.
    pub counts: JankCounts,
}

impl Hwui {
    /// Empty.
    pub fn new(sdk: u32, since: i64) -> Hwui {
        Hwui {
            sdk,
            rows: VecDeque::new(),
            count: 0,
            reset_at: i64::MIN,
            unstuffed: 0,
            counts: JankCounts::new(since),
        }
    }

    /// Remembers a frame, its deadline moved where the queue is stuffed, and answers it so; `process` are the counters
    /// of the whole process.
    pub fn push(&mut self, mut drawn: HwuiFrame, process: &mut JankCounts) -> HwuiFrame {
        if self.sdk >= 31 && drawn.flags & 8 == 0 {
            self.judge(&mut drawn.stages);
        }
        if self.rows.len() == KEPT {
            self.rows.pop_front();
        }
        if drawn.flags & 8 == 0 {
            self.counts.add(&drawn.stages, self.sdk);
            process.add(&drawn.stages, self.sdk);
        }
        self.rows.push_back(drawn);
        self.count += 1;
        drawn
    }

    /// The rule since Android 12: a miss leaves the queue stuffed; frames that start more than a tenth of an interval
    /// earlier than they would have without it get one interval more, and carry it on.
    fn judge(&mut self, stages: &mut Stages) {
        let interval = stages.interval.max(1);
        stages.stuffed = 10 * (self.unstuffed - stages.intended) > interval;
        if stages.stuffed {
            stages.deadline += interval;
        }
        if stages.ready >= stages.deadline {
            self.unstuffed = stages.ready - (stages.ready - stages.vsync) % interval + interval;
        } else if stages.stuffed {
            self.unstuffed += interval;
        }
    }

    /// The rows a dump at `now` prints, oldest first, each with the previous occupant of its slot. Frames the
    /// RenderThread has not begun are not there yet.
    pub fn visible(&self, now: i64) -> impl Iterator<Item = (&HwuiFrame, Option<&HwuiFrame>)> {
        let begun = self.rows.partition_point(|row| row.stages.sync_start <= now);
        let first = begun.saturating_sub(RING);
        (first..begun)
            .map(|index| (&self.rows[index], index.checked_sub(RING).map(|previous| &self.rows[previous])))
            .filter(|(row, _)| row.stages.sync_start > self.reset_at)
    }

    /// `reset`: ring and counters.
    pub fn reset(&mut self, now: i64) {
        self.reset_at = now;
        self.counts = JankCounts::new(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_named_as_the_platform_names_them() {
        let names: Vec<u32> = (0..BUCKETS).map(bucket_ms).collect();
        assert_eq!(
            (names[0], names[27], names[28], names[35], names[36], names[56]),
            (5, 32, 34, 48, 53, 133)
        );
        assert_eq!((names[57], *names.last().unwrap()), (150, 4950));
        assert_eq!((bucket_of(2), bucket_of(16), bucket_of(9_999)), (0, 11, BUCKETS - 1));
        assert_eq!(
            [bucket_ms(bucket_of(53)), bucket_ms(bucket_of(149)), bucket_ms(bucket_of(47))],
            [53, 150, 46]
        );
    }

    #[test]
    fn percentiles_of_nothing_are_the_top_bucket() {
        assert_eq!(JankCounts::new(0).percentile(50), 4950);
    }
}
