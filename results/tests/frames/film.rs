//! Presents and dumps made to order. All numbers are ns on the phone's clock.

use farmjank_results::frame::{Row, Sample, Stamp};
use farmjank_results::period::Report;
use farmjank_results::time::{DeviceTime, Span};

/// One millisecond.
pub const MS: i64 = 1_000_000;

/// An instant.
pub fn at(ns: i64) -> DeviceTime {
    DeviceTime::from_ns(ns)
}

/// The row of a frame: queued 20 ms before its present, ready 5 ms before.
pub fn row(present: i64) -> Row {
    Row { present: Stamp::At(at(present)), ..pending(present) }
}

/// The row of the same frame while its fence is pending.
pub fn pending(present: i64) -> Row {
    Row {
        present: Stamp::Pending,
        desired: Some(at(present - 20 * MS)),
        ready: Some(at(present - 5 * MS)),
        intended: None,
    }
}

/// A dump of these presents, unstamped, ring full.
pub fn dump(presents: &[i64]) -> Sample {
    Sample { rows: presents.iter().copied().map(row).collect(), capacity: 127, ..Sample::default() }
}

/// The same dump with these empty slots.
pub fn with_zeros(zero_rows: u32, sample: Sample) -> Sample {
    Sample { zero_rows, ..sample }
}

/// The same dump, asked for then.
pub fn asked(ns: i64, sample: Sample) -> Sample {
    Sample { asked: Some(at(ns)), ..sample }
}

/// The same dump, reporting this period.
pub fn reporting(period: i64, sample: Sample) -> Sample {
    Sample { period: Some(Span::from_ns(period)), ..sample }
}

/// A small deterministic source of noise.
pub struct Noise(u64);

impl Noise {
    /// One seed, one sequence.
    pub fn new(seed: u64) -> Self {
        Noise(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// The next number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    /// Nearly Gaussian, standard deviation 0.15 ms: what fences show.
    pub fn fence(&mut self) -> i64 {
        let sum: i64 = (0..12).map(|_| self.below(1_000_000) as i64 - 500_000).sum();
        sum * 15 / 100
    }
}

/// A panel that shows frames: true vsyncs, and how many of them each frame takes.
pub struct Film {
    /// True presents, without noise.
    pub presents: Vec<i64>,
    /// True length of the frame that ends at the present of the same index, in vsyncs; 0 for the first.
    pub vsyncs: Vec<i64>,
    /// True refresh period, each from an instant on.
    pub panel: Vec<(i64, i64)>,
    now: i64,
}

impl Film {
    /// The first present.
    pub fn from(start: i64) -> Self {
        Film { presents: vec![start], vsyncs: vec![0], panel: Vec::new(), now: start }
    }

    /// One more frame, of so many refreshes that together take so long.
    pub fn held(mut self, ns: i64, vsyncs: i64) -> Self {
        self.now += ns;
        self.presents.push(self.now);
        self.vsyncs.push(vsyncs);
        self
    }

    /// Adds one frame per length, in vsyncs of this period.
    pub fn play(mut self, period: i64, lengths: impl IntoIterator<Item = i64>) -> Self {
        self.panel.push((self.now, period));
        for length in lengths {
            self.now += length * period;
            self.presents.push(self.now);
            self.vsyncs.push(length);
        }
        self
    }

    /// Nothing is presented for this long.
    pub fn rest(mut self, length: i64, period: i64) -> Self {
        self.panel.push((self.now, period));
        self.now += length;
        self.presents.push(self.now);
        self.vsyncs.push(0);
        self
    }

    /// What headers say when dumps are taken this often, the first one before the first present.
    pub fn headers(&self, every: i64) -> Vec<Report> {
        let start = self.presents[0] - every / 3;
        let times = (0..).map(|k| start + k * every).take_while(|time| *time < self.now + every);
        let period = |time: i64| {
            self.panel.iter().rev().find(|(from, _)| *from <= time).map_or(self.panel[0].1, |(_, p)| *p)
        };
        times.map(|time| Report { at: at(time), period: Span::from_ns(period(time)) }).collect()
    }

    /// The presents as fences tell them.
    pub fn noisy(&self, seed: u64) -> Vec<DeviceTime> {
        let mut noise = Noise::new(seed);
        self.presents.iter().map(|present| at(present + noise.fence())).collect()
    }
}

/// `count` frames of one vsync with a frame of two (sometimes three, four) about every `every`.
pub fn drops(count: usize, every: u64, seed: u64) -> Vec<i64> {
    let mut noise = Noise::new(seed);
    let mut length = || if noise.below(every) == 0 { 2 + noise.below(3) as i64 } else { 1 };
    (0..count).map(|_| length()).collect()
}

/// Period of a rate in Hz.
pub fn hz(rate: f64) -> i64 {
    (1e9 / rate).round() as i64
}
