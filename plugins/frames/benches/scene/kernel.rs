//! A trace of the kernel's tracer, as bytes: bundles of eight CPUs in turn, switches and wakings in columns, marks of
//! apps, binder calls.

use super::trace::{bytes, number, varint};

fn column(field: u64, values: impl Iterator<Item = u64>, out: &mut Vec<u8>) {
    let mut packed = Vec::new();
    values.for_each(|value| varint(value, &mut packed));
    bytes(field, &packed, out);
}

fn event(at: u64, tid: u64, kind: u64, body: &[u8], out: &mut Vec<u8>) {
    let mut event = Vec::new();
    number(1, at, &mut event);
    number(2, tid, &mut event);
    bytes(kind, body, &mut event);
    bytes(2, &event, out);
}

fn mark(at: u64, tid: u64, text: &[u8], out: &mut Vec<u8>) {
    let mut body = Vec::new();
    number(1, 18_446_743_798_831_644_844, &mut body);
    bytes(2, text, &mut body);
    event(at, tid, 3, &body, out);
}

/// A quarter of a second of one CPU: 180 switches, 110 wakings, 210 marks, 40 binder messages.
pub fn bundle(nth: u64, out: &mut Vec<u8>) {
    let (cpu, from) = (nth % 8, 157_479_470_410_065 + nth / 8 * 250_000_000 + nth % 8 * 1_000);
    let (mut body, mut compact) = (Vec::new(), Vec::new());
    number(1, cpu, &mut body);
    let step = |nth: u64, every: u64| if nth == 0 { from } else { every };
    column(1, (0..180).map(|nth| step(nth, 1_380_000)), &mut compact);
    column(2, (0..180).map(|nth| nth % 3), &mut compact);
    column(3, (0..180).map(|nth| if nth % 2 == 0 { 0 } else { 1_000 + cpu * 200 + nth }), &mut compact);
    column(4, (0..180).map(|_| 120), &mut compact);
    (0..12).for_each(|_| bytes(5, b"binder:1858_20", &mut compact));
    column(6, (0..180).map(|nth| nth % 12), &mut compact);
    column(7, (0..110).map(|nth| step(nth, 2_200_000)), &mut compact);
    column(8, (0..110).map(|nth| 1_000 + cpu * 200 + nth), &mut compact);
    column(9, (0..110).map(|nth| nth % 8), &mut compact);
    column(10, (0..110).map(|_| 120), &mut compact);
    column(11, (0..110).map(|nth| nth % 12), &mut compact);
    bytes(4, &compact, &mut body);
    for nth in 0..105 {
        let at = from + nth * 2_300_000;
        mark(at, 1_000 + nth, b"B|4242|Choreographer#doFrame - resynced to 191058 in 16.3s\n", &mut body);
        mark(at + 900_000, 1_000 + nth, b"E|4242\n", &mut body);
    }
    for nth in 0..40_u64 {
        let mut message = Vec::new();
        number(1, nth / 2, &mut message);
        let kind = if nth % 2 == 0 { 50 } else { 51 };
        event(from + nth * 6_000_000, 1_000 + nth % 7, kind, &message, &mut body);
    }
    let mut packet = Vec::new();
    bytes(1, &body, &mut packet);
    number(10, 3, &mut packet);
    bytes(1, &packet, out);
}
