//! Writes small traces by the rules of the protobuf wire format, independent of the reader's code.

use std::io::Write;

/// BOOTTIME minus MONOTONIC: seventeen hours.
pub const OFFSET: i64 = 62_091_862_325_480;
/// Period of the display, ns.
pub const P: i64 = 8_333_333;
/// When frame 0 is shown, ns of CLOCK_MONOTONIC.
pub const ZERO: i64 = 95_387_613_230_087;
/// What the compositor takes, ns.
pub const SF: i64 = 10_500_000;
/// Process of the app, of SurfaceFlinger.
pub const APP: i64 = 4242;
pub const SURFACEFLINGER: i64 = 611;
pub const LAYER: &str = "com.shop/com.shop.Main#77";

pub fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 127 {
        bytes.push(value as u8 | 128);
        value /= 128;
    }
    bytes.push(value as u8);
    bytes
}

/// A number field.
pub fn number(field: u64, value: i64) -> Vec<u8> {
    [varint(field * 8), varint(value as u64)].concat()
}

/// A field of bytes, text or a message.
pub fn bytes(field: u64, body: &[u8]) -> Vec<u8> {
    [varint(field * 8 + 2), varint(body.len() as u64), body.to_vec()].concat()
}

/// A field of a fraction.
pub fn float(field: u64, value: f32) -> Vec<u8> {
    [varint(field * 8 + 5), value.to_le_bytes().to_vec()].concat()
}

/// A packet of a trace.
pub fn packet(fields: &[Vec<u8>]) -> Vec<u8> {
    bytes(1, &fields.concat())
}

/// A clock snapshot: clock and value.
pub fn snapshot(clocks: &[(i64, i64)]) -> Vec<u8> {
    let clock = |(id, value): &(i64, i64)| bytes(1, &[number(1, *id), number(2, *value)].concat());
    packet(&[bytes(6, &clocks.iter().map(clock).collect::<Vec<_>>().concat()), number(10, 1)])
}

/// The snapshot of a phone that slept seventeen hours, at an instant of CLOCK_MONOTONIC.
pub fn usual_clocks(at: i64) -> Vec<u8> {
    snapshot(&[(6, at + OFFSET), (3, at), (1, at + 1_661_450_927_702_076_705), (5, at + 82)])
}

/// A frame timeline packet on BOOTTIME, of writer 4.
pub fn event(at: i64, kind: u64, body: &[u8]) -> Vec<u8> {
    let fields = [number(8, at + OFFSET), number(58, 6), bytes(76, &bytes(kind, body)), number(10, 4)];
    packet(&fields)
}

/// What the tests vary of a frame.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Token; it is due at `ZERO + token * P`.
    pub token: i64,
    /// Whole vsyncs it is late by the app's fault.
    pub app: i64,
    /// Whole vsyncs it is late by the display frame's fault.
    pub sf: i64,
    /// It is dropped.
    pub dropped: bool,
}

impl Frame {
    pub fn in_time(token: i64) -> Frame {
        Frame { token, app: 0, sf: 0, dropped: false }
    }

    pub fn due(&self) -> i64 {
        ZERO + self.token * P
    }

    /// Vsync of the display frame that shows it.
    pub fn vsync(&self) -> i64 {
        self.due() + self.app * P
    }

    pub fn present(&self) -> i64 {
        self.vsync() + self.sf * P + 70_000
    }

    pub fn display_token(&self) -> i64 {
        100_000 + self.token + self.app
    }

    pub fn bits(&self) -> i64 {
        match (self.dropped, self.app, self.sf) {
            (true, ..) => 1024,
            (_, 0, 0) => 1,
            (_, 0, _) => 16,
            (_, _, 0) => 64,
            _ => 64 | 16,
        }
    }

    /// The eight packets SurfaceFlinger writes for it: four starts and their ends.
    pub fn packets(&self) -> Vec<Vec<u8>> {
        let cookie = self.token * 4 + 1_000;
        let ours = |nth: i64| {
            [number(1, cookie + nth), number(2, self.token), number(3, self.display_token())].concat()
        };
        let display = |nth: i64| [number(1, cookie + nth), number(2, self.display_token())].concat();
        let whose = [number(4, APP), bytes(5, format!("TX - {LAYER}").as_bytes())].concat();
        let late = if self.app + self.sf > 0 { 2 } else { 1 };
        let told = |first: u64, bits: i64, late: i64| {
            let in_time = i64::from(bits & 64 == 0);
            [number(first, late), number(first + 1, in_time), number(first + 3, bits), number(first + 4, 1)]
                .concat()
        };
        let of_display = (if self.sf > 0 { 16 } else { 1 }, if self.sf > 0 { 2 } else { 1 });
        let begin = self.vsync() - SF;
        let deadline = self.due() - SF;
        let done = deadline - 1_000_000 + self.app * P;
        let end = |nth: i64, at: i64| event(at, 5, &number(1, cookie + nth));
        let actual = [
            ours(3),
            whose.clone(),
            told(6, self.bits(), if self.dropped { 4 } else { late }),
            number(11, 1),
        ];
        let mut packets = vec![
            event(begin, 1, &[display(0), number(3, SURFACEFLINGER)].concat()),
            end(0, self.vsync()),
            event(
                begin + 500,
                2,
                &[display(1), number(3, SURFACEFLINGER), told(4, of_display.0, of_display.1)].concat(),
            ),
            end(1, self.present()),
            event(deadline - 2 * P, 3, &[ours(2), whose].concat()),
            end(2, deadline),
            event(deadline - 2 * P + 900_000, 4, &actual.concat()),
            end(3, done),
        ];
        if self.dropped {
            packets.drain(..4);
        }
        packets
    }
}

/// The process tree of a phone, the app and SurfaceFlinger among others.
pub fn tree() -> Vec<u8> {
    let process = |pid: i64, name: &str| bytes(1, &[number(1, pid), bytes(3, name.as_bytes())].concat());
    let others = (1..30).map(|pid| process(pid, "/system/bin/other"));
    let all: Vec<_> = others
        .chain([process(APP, "com.shop"), process(SURFACEFLINGER, "/system/bin/surfaceflinger")])
        .collect();
    packet(&[bytes(2, &all.concat()), number(10, 5)])
}

/// What the service writes: everything started then.
pub fn started(at: i64) -> Vec<u8> {
    packet(&[number(8, at + OFFSET), number(58, 6), bytes(69, &number(1, 1)), number(10, 1)])
}

/// The service says that the trace is over.
pub fn ended(at: i64) -> Vec<u8> {
    packet(&[number(8, at + OFFSET), number(58, 6), bytes(69, &number(5, 1)), number(10, 1)])
}

/// What the service writes at the end: totals, with this many chunks overwritten.
pub fn totals(overwritten: i64) -> Vec<u8> {
    packet(&[bytes(35, &bytes(1, &number(3, overwritten))), number(10, 1)])
}

/// A packet of another kind that the reader knows nothing of.
pub fn foreign(at: i64, size: usize) -> Vec<u8> {
    packet(&[number(8, at + OFFSET), bytes(1, &vec![0xff; size]), float(500, 1.5), number(10, 3)])
}

pub fn zlib(packets: &[Vec<u8>]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&packets.concat()).expect("memory takes it");
    packet(&[bytes(50, &encoder.finish().expect("memory takes it"))])
}

pub fn zstd(packets: &[Vec<u8>]) -> Vec<u8> {
    let run = packets.concat();
    let packed =
        ruzstd::encoding::compress_to_vec(run.as_slice(), ruzstd::encoding::CompressionLevel::Fastest);
    packet(&[bytes(133, &packed)])
}

/// Clocks, processes and these frames, each packet alone.
pub fn session(frames: &[Frame]) -> Vec<Vec<u8>> {
    let mut packets = vec![usual_clocks(ZERO - 50 * P), tree()];
    packets.extend(frames.iter().flat_map(Frame::packets));
    packets
}
