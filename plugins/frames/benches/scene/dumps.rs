//! Successive overlapping dumps of one ring while a list is scrolled: frames on a lattice of refreshes, a missed
//! refresh now and then, a longer stall sometimes, fences that are still pending when the ring is read.

use super::Chance;
use farmjank_results::motion::{Motion, Phase};
use farmjank_results::time::DeviceTime;
use std::fmt::Write;

/// Rates that panels run at, Hz.
pub const RATES: [i64; 4] = [60, 90, 120, 144];
/// From one dump to the next, ns: two fifths of what a ring of 127 rows holds at 120 Hz.
const BETWEEN_DUMPS: i64 = 400_000_000;
/// From one touch to the next; how long the finger is down.
const GESTURE: i64 = 2_000_000_000;
const FINGER: i64 = 300_000_000;
/// A phone that has been up for some days.
const START: i64 = 314_856_700_213_169;
/// Rows of a ring of SurfaceFlinger, and of one of HWUI.
const LATENCY_ROWS: usize = 127;
const FRAMESTATS_ROWS: usize = 120;
/// What stands for a fence that has not signalled yet.
const PENDING: i64 = i64::MAX;

/// The text of one dump.
pub struct Dump {
    /// When it was asked for.
    pub asked: DeviceTime,
    /// What the phone printed.
    pub text: String,
}

/// A scroll of some seconds on one phone.
pub struct Scroll {
    period: i64,
    /// Every frame in order: when it was due and when it was shown.
    frames: Vec<(i64, i64)>,
}

impl Scroll {
    /// Of so many seconds at a refresh rate; another seed is another scroll.
    pub fn new(hz: i64, seconds: i64, seed: u64) -> Scroll {
        let mut chance = Chance(0x9e37_79b9_7f4a_7c15 ^ (seed + 1).wrapping_mul(0x2545_f491_4f6c_dd1d));
        let period = 1_000_000_000 / hz;
        let mut due = START;
        let mut frames = Vec::new();
        while due < START + seconds * 1_000_000_000 {
            let jitter = chance.below(160_000) as i64 - 80_000;
            frames.push((due, due + jitter));
            due += period
                * match chance.below(600) {
                    0 => 3 + chance.below(7) as i64,
                    1..=15 => 2,
                    _ => 1,
                };
        }
        Scroll { period, frames }
    }

    /// How many frames were shown.
    pub fn frames(&self) -> usize {
        self.frames.len()
    }

    /// Touches and the flings that follow them.
    pub fn motions(&self) -> Vec<Motion> {
        let end = self.frames.last().map_or(START, |last| last.0);
        let starts =
            (0..).map(|nth| START + BETWEEN_DUMPS + nth * GESTURE).take_while(|start| start + GESTURE <= end);
        let motion = |from: i64, to: i64, phase| Motion {
            from: DeviceTime::from_ns(from),
            to: DeviceTime::from_ns(to),
            phase,
            touch: None,
        };
        let pair = |at: i64| {
            [motion(at, at + FINGER, Phase::Finger), motion(at + FINGER, at + GESTURE, Phase::Fling)]
        };
        starts.flat_map(pair).collect()
    }

    /// When dumps are taken: from the first frame on until nothing is pending.
    fn looks(&self) -> impl Iterator<Item = i64> {
        let end = self.frames.last().map_or(START, |last| last.1) + 4 * self.period;
        (1..).map(|nth| START + nth * BETWEEN_DUMPS).take_while(move |at| *at < end + BETWEEN_DUMPS)
    }

    /// Dumps of `dumpsys SurfaceFlinger --latency LAYER`: 127 rows, the newest two may be pending.
    pub fn latency(&self) -> Vec<Dump> {
        self.looks().map(|at| Dump { asked: DeviceTime::from_ns(at), text: self.latency_at(at) }).collect()
    }

    fn latency_at(&self, at: i64) -> String {
        let queued = self.frames.partition_point(|frame| frame.0 - 2 * self.period <= at);
        let ring = &self.frames[queued.saturating_sub(LATENCY_ROWS)..queued];
        let mut text = format!("{}\n", self.period);
        for _ in ring.len()..LATENCY_ROWS {
            text.push_str("0\t0\t0\n");
        }
        for (due, shown) in ring {
            let present = if *shown < at { *shown } else { PENDING };
            let _ = writeln!(text, "{}\t{present}\t{}", due - 2 * self.period, shown - self.period);
        }
        text + "\n"
    }

    /// Dumps of `dumpsys gfxinfo PACKAGE framestats` with the 24 columns of Android 14.
    pub fn framestats(&self) -> Vec<Dump> {
        self.looks().map(|at| Dump { asked: DeviceTime::from_ns(at), text: self.framestats_at(at) }).collect()
    }

    fn framestats_at(&self, at: i64) -> String {
        let done = self.frames.partition_point(|frame| frame.1 <= at);
        let first = done.saturating_sub(FRAMESTATS_ROWS);
        let mut text = head(at / 1_000_000, done);
        for (nth, frame) in self.frames[first..done].iter().enumerate() {
            self.row(&mut text, first + nth, *frame);
        }
        text + TAIL
    }

    /// One row: the stages of a frame, 0.4 ms apart, that ends shortly before it is shown.
    fn row(&self, text: &mut String, nth: usize, (due, shown): (i64, i64)) {
        let completed = shown - self.period / 4;
        let at = |stage: i64| completed - (12 - stage) * 400_000;
        let (vsync, id) = (at(0), 40_000 + 2 * nth);
        let _ = writeln!(
            text,
            "0,{id},{vsync},{},0,{},{},{},{},{},{},{},11000000,{},{},{},{},{completed},21000,309000,{},{},0,{},",
            at(0),
            at(1),
            at(2),
            at(3),
            at(4),
            due + self.period,
            at(1),
            self.period,
            at(5),
            at(6),
            at(7),
            at(8),
            at(11),
            at(9),
            at(10),
        );
    }
}

const TAIL: &str = "---PROFILEDATA---\n\n\nView hierarchy:\n\n  com.example.shop/com.example.shop.FeedActivity/\
                    android.view.ViewRootImpl@73f2e63\n  412 views, 391.25 kB of render nodes\n\n\n\
                    Total ViewRootImpl   : 1\nTotal attached Views : 412\nTotal RenderNode     : 812.01 kB (used)\n\n";

const COLUMNS: &str = "Flags,FrameTimelineVsyncId,IntendedVsync,Vsync,InputEventId,HandleInputStart,AnimationStart,\
                       PerformTraversalsStart,DrawStart,FrameDeadline,FrameStartTime,FrameInterval,WorkloadTarget,\
                       SyncQueued,SyncStart,IssueDrawCommandsStart,SwapBuffers,FrameCompleted,\
                       DequeueBufferDuration,QueueBufferDuration,GpuCompleted,SwapBuffersCompleted,\
                       DisplayPresentTime,CommandSubmissionCompleted,";

/// What stands before the ring: the summary with its histograms, and the view root.
fn head(uptime: i64, frames: usize) -> String {
    let bins =
        (5..=32).chain((34..=48).step_by(2)).chain((53..=150).step_by(4)).chain((200..=4950).step_by(50));
    let mut histogram = String::new();
    bins.for_each(|bin| {
        let _ = write!(histogram, " {bin}ms={}", if bin < 20 { frames / 15 } else { 0 });
    });
    format!(
        "Applications Graphics Acceleration Info:\nUptime: {uptime} Realtime: {}\n\n** Graphics info for pid 4242 \
         [com.example.shop] **\n\nStats since: {}ns\nTotal frames rendered: {}\nJanky frames: {} (2.66%)\n\
         Janky frames (legacy): {} (31.10%)\n50th percentile: 9ms\n90th percentile: 13ms\n95th percentile: 15ms\n\
         99th percentile: 32ms\nNumber Missed Vsync: 12\nNumber High input latency: 240\nNumber Slow UI thread: 31\n\
         Number Slow bitmap uploads: 2\nNumber Slow issue draw commands: 40\nNumber Frame deadline missed: 55\n\
         Number Frame deadline missed (legacy): 61\nHISTOGRAM:{histogram}\n50th gpu percentile: 4ms\n\
         90th gpu percentile: 6ms\n95th gpu percentile: 7ms\n99th gpu percentile: 11ms\nGPU HISTOGRAM:{histogram}\n\
         Pipeline=Skia (OpenGL)\n\nProfile data in ms:\n\n\tcom.example.shop/com.example.shop.FeedActivity/\
         android.view.ViewRootImpl@73f2e63 (visibility=0)\nWindow: com.example.shop/com.example.shop.FeedActivity\n\
         Stats since: {}ns\nTotal frames rendered: {}\nJanky frames: {} (2.66%)\n50th percentile: 9ms\n\n\
         ---PROFILEDATA---\n{COLUMNS}\n",
        uptime + 1_105_000_000,
        START - 90_000_000_000,
        frames + 4_000,
        frames / 40,
        frames / 3,
        START - 80_000_000_000,
        frames + 3_990,
        frames / 40,
    )
}
