//! FrameTimeline packets: the slices of a display frame and of the surfaces in it, as SurfaceFlinger traces them.
//!
//! Times go in as ns on CLOCK_MONOTONIC and come out on the clock of the release. Must not know the rest of a trace.

use super::SURFACEFLINGER_PID;
use super::proto::Message;
use super::ring::Ring;
use crate::truth::verdict::{self, PRESENT_THRESHOLD};
use crate::truth::{Prediction, TruthDisplay, TruthDropped, TruthFrame};

const EXPECTED_DISPLAY: u32 = 1;
const ACTUAL_DISPLAY: u32 = 2;
const EXPECTED_SURFACE: u32 = 3;
const ACTUAL_SURFACE: u32 = 4;
const FRAME_END: u32 = 5;

const ON_TIME: u64 = 1;
const LATE: u64 = 2;
const EARLY: u64 = 3;
const GIVEN_UP: u64 = 4;
const UNTOLD: u64 = 5;

/// An expired promise has no start: the slice begins this long before its end, ns.
const EXPIRED_SLICE: i64 = 2_000_000;

/// Who a surface belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    /// `TX - NAME#id`.
    pub layer: &'a str,
    /// Process.
    pub pid: u32,
}

/// What a frame came to, beside its verdict.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    present: u64,
    in_time: bool,
    gpu: bool,
    jank: u32,
    prediction: Prediction,
    /// Present minus promise, ns; none where there is no promise.
    delta: Option<i64>,
    period: i64,
}

/// Writes the packets of one data source instance.
pub struct Frames {
    sdk: u32,
    boot_offset: i64,
    sequence: u32,
    cookie: u64,
    first: bool,
    event: Message,
    inner: Message,
    head: Message,
}

impl Frames {
    /// For a release; `boot_offset` is CLOCK_BOOTTIME minus CLOCK_MONOTONIC. Cookies go on from `cookie`.
    pub fn new(sdk: u32, boot_offset: i64, sequence: u32, cookie: u64) -> Frames {
        let [event, inner, head] = Default::default();
        Frames { sdk, boot_offset, sequence, cookie, first: true, event, inner, head }
    }

    /// The slices of a display frame.
    pub fn display(&mut self, display: &TruthDisplay, ring: &mut Ring) {
        self.begin(display.token, None);
        self.inner.number(3, u64::from(SURFACEFLINGER_PID));
        self.slice(EXPECTED_DISPLAY, display.wake, display.expected, ring);
        let delta = display.present - display.expected;
        self.begin(display.token, None);
        self.inner.number(3, u64::from(SURFACEFLINGER_PID));
        let outcome = Outcome {
            present: punctuality(delta),
            in_time: display.in_time,
            gpu: display.gpu,
            jank: display.jank,
            prediction: Prediction::Valid,
            delta: Some(delta),
            period: display.period,
        };
        self.outcome(&outcome, [4, 5, 6, 7, 8, 9], [10, 11]);
        self.slice(ACTUAL_DISPLAY, display.wake, display.present, ring);
    }

    /// The slices of a frame that was shown. Surfaces without a vsync id have none before Android 13.
    pub fn shown(&mut self, frame: &TruthFrame, display: &TruthDisplay, of: Surface<'_>, ring: &mut Ring) {
        if frame.token.is_none() && self.sdk <= 32 {
            return;
        }
        if frame.prediction == Prediction::Valid {
            self.expected(frame.token, frame.display, of, [frame.intended, frame.deadline], ring);
        }
        let delta = (frame.prediction == Prediction::Valid).then(|| display.present - frame.expected);
        let outcome = Outcome {
            present: delta.map_or(UNTOLD, punctuality),
            in_time: frame.in_time && delta.is_some(),
            gpu: display.gpu,
            jank: frame.jank,
            prediction: frame.prediction,
            delta,
            period: display.period,
        };
        let end = frame.ready.max(frame.desired.min(frame.latch));
        let start = if frame.prediction == Prediction::Expired { end - EXPIRED_SLICE } else { frame.start };
        self.actual(frame.token, frame.display, of, &outcome, [start, end], ring);
    }

    /// The slices of a frame that was never shown.
    pub fn dropped(&mut self, dropped: &TruthDropped, of: Surface<'_>, period: i64, ring: &mut Ring) {
        if dropped.token.is_none() {
            return;
        }
        self.expected(dropped.token, dropped.display, of, [dropped.intended, dropped.deadline], ring);
        let outcome = Outcome {
            present: GIVEN_UP,
            in_time: dropped.ready <= dropped.deadline,
            gpu: false,
            jank: verdict::DROPPED,
            prediction: Prediction::Valid,
            delta: None,
            period,
        };
        self.actual(dropped.token, dropped.display, of, &outcome, [dropped.intended, dropped.at], ring);
    }

    fn expected(
        &mut self,
        token: Option<i64>,
        display: i64,
        of: Surface<'_>,
        [start, end]: [i64; 2],
        ring: &mut Ring,
    ) {
        self.begin_surface(token, display, of);
        self.slice(EXPECTED_SURFACE, start, end, ring);
    }

    fn actual(
        &mut self,
        token: Option<i64>,
        display: i64,
        of: Surface<'_>,
        outcome: &Outcome,
        [start, end]: [i64; 2],
        ring: &mut Ring,
    ) {
        self.begin_surface(token, display, of);
        self.outcome(outcome, [6, 7, 8, 9, 10, 12], [13, 15]);
        self.inner.number(11, 1);
        self.slice(ACTUAL_SURFACE, start, end, ring);
    }

    fn begin_surface(&mut self, token: Option<i64>, display: i64, of: Surface<'_>) {
        self.begin(token.unwrap_or(-1), Some(token.is_some()));
        self.inner.signed(3, display).number(4, u64::from(of.pid)).field(5, of.layer.as_bytes());
    }

    /// A new cookie, and the token where there is one.
    fn begin(&mut self, token: i64, has_token: Option<bool>) {
        self.cookie += 1;
        self.inner.clear().number(1, self.cookie);
        if has_token != Some(false) {
            self.inner.signed(2, token);
        }
    }

    /// Fields in the order present type, in time, GPU, jank type, prediction, severity; then delay and score.
    fn outcome(&mut self, outcome: &Outcome, fields: [u32; 6], newer: [u32; 2]) {
        let [present, in_time, gpu, jank, prediction, severity] = fields;
        let kind = match outcome.prediction {
            Prediction::Valid => 1,
            Prediction::Expired => 2,
            Prediction::None => 3,
        };
        self.inner
            .number(present, outcome.present)
            .number(in_time, u64::from(outcome.in_time))
            .number(gpu, u64::from(outcome.gpu))
            .number(jank, u64::from(outcome.jank))
            .number(prediction, kind);
        if self.sdk >= 34 {
            let missed = outcome.delta.map(|delta| (delta.abs() > PRESENT_THRESHOLD, delta.abs()));
            let how_much = match missed {
                None => 0,
                Some((false, _)) => 1,
                Some((true, by)) if by < outcome.period => 2,
                Some(_) => 3,
            };
            self.inner.number(severity, how_much);
        }
        if let Some(delta) = outcome.delta.filter(|_| self.sdk >= 36) {
            let late = delta.max(0) as f32;
            self.inner.float(newer[0], (delta as f64 / 1e6) as f32);
            self.inner.float(newer[1], late / outcome.period.max(1) as f32);
        }
    }

    /// Commits the start packet and the end.
    fn slice(&mut self, kind: u32, start: i64, end: i64, ring: &mut Ring) {
        self.event.clear().field(kind, self.inner.bytes());
        self.packet(start, ring);
        self.inner.clear().number(1, self.cookie);
        self.event.clear().field(FRAME_END, self.inner.bytes());
        self.packet(end, ring);
    }

    /// Commits a packet with the event: its time on the clock this release uses, said the way it says it.
    fn packet(&mut self, at: i64, ring: &mut Ring) {
        let monotonic = self.sdk <= 32;
        let at = if monotonic { at } else { at + self.boot_offset };
        self.head.clear().number(8, at as u64).number(10, u64::from(self.sequence));
        match self.sdk {
            ..=32 => {
                self.head.number(58, 3);
            }
            33 => {
                self.head.number(58, 6);
            }
            // Newer writers name the clock once for the whole sequence.
            35.. if self.first => {
                self.head.field(59, &[0xd0, 0x03, 6]).number(13, 1);
            }
            _ => {}
        }
        if self.first && self.sdk >= 34 {
            self.head.number(87, 1);
        }
        self.first = false;
        self.inner.clear().field(76, self.event.bytes());
        ring.commit(&[self.head.bytes(), self.inner.bytes()]);
    }
}

fn punctuality(delta: i64) -> u64 {
    match delta {
        _ if delta.abs() <= PRESENT_THRESHOLD => ON_TIME,
        0.. => LATE,
        _ => EARLY,
    }
}
