//! A trace with frame timeline in it, as bytes: mostly other packets, as traces are.

pub fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value > 127 {
        out.push(value as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
}

pub fn number(field: u64, value: u64, out: &mut Vec<u8>) {
    varint(field << 3, out);
    varint(value, out);
}

pub fn bytes(field: u64, body: &[u8], out: &mut Vec<u8>) {
    varint(field << 3 | 2, out);
    varint(body.len() as u64, out);
    out.extend_from_slice(body);
}

/// A packet that begins or ends a slice.
fn event(at: u64, kind: u64, body: &[u8], out: &mut Vec<u8>) {
    let (mut packet, mut event) = (Vec::new(), Vec::new());
    number(8, at, &mut packet);
    bytes(kind, body, &mut event);
    bytes(76, &event, &mut packet);
    number(10, 4, &mut packet);
    number(58, 6, &mut packet);
    bytes(1, &packet, out);
}

/// The eight packets of one frame at 120 Hz.
pub fn frame(nth: u64, out: &mut Vec<u8>) {
    let at = 157_479_470_410_065 + nth * 8_333_333;
    let body = |kind: u64| {
        let mut body = Vec::new();
        number(1, nth * 4 + kind, &mut body);
        number(2, nth + 1, &mut body);
        if kind > 2 {
            number(3, nth + 1, &mut body);
            number(4, 4_242, &mut body);
            bytes(5, b"TX - com.example.shop/com.example.shop.FeedActivity#1234", &mut body);
        }
        if kind == 4 {
            [6, 7, 9, 10, 11].into_iter().for_each(|field| number(field, 1, &mut body));
        }
        body
    };
    for kind in 1..=4 {
        let mut end = Vec::new();
        number(1, nth * 4 + kind, &mut end);
        event(at, kind, &body(kind), out);
        event(at + 8_000_000, 5, &end, out);
    }
}

/// A frame, then other packets of 324 bytes on average: one byte in thirty is about frames.
pub fn frame_and_noise(nth: u64, out: &mut Vec<u8>) {
    frame(nth, out);
    for other in 0..50_u64 {
        let mut packet = Vec::new();
        number(8, 157_479_470_410_065 + nth * 8_333_333, &mut packet);
        number(10, 3, &mut packet);
        bytes(1, &[7; 500][..100 + 8 * other as usize], &mut packet);
        bytes(1, &packet, out);
    }
}
