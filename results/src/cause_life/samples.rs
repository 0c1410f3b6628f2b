//! Diagnoses for tests: one window of a shop on phones of one class.

use super::Amount;
use super::diagnosis::{SeenCause, SeenCauses, Spot, Under, WindowDiagnosis};
use crate::device::DeviceId;
use crate::hitch_causes::{Group, NamedCause};
use crate::time::Span;

/// Motion of one diagnosis.
pub(super) const MOTION: Span = Span::from_ms(10_000);

/// A phone that tells of these causes: fingerprint and late frames of 20 ms each.
pub(super) fn told(device: &str, causes: &[(&str, u32)]) -> WindowDiagnosis {
    let cause = |(print, frames): &(&str, u32)| {
        let us = i64::from(*frames) * 20_000;
        let squares = f64::from(*frames) * 4e8;
        SeenCause {
            fingerprint: (*print).to_owned(),
            named: named(print),
            amount: Amount { us, frames: *frames, squares, motion: MOTION },
        }
    };
    let causes: Vec<SeenCause> = causes.iter().map(cause).collect();
    let seen = SeenCauses {
        motion: MOTION,
        late_frames: causes.iter().map(|one| one.amount.frames).sum(),
        hitch_us: causes.iter().map(|one| one.amount.us).sum(),
        causes,
        left_out_us: 0,
        methods: false,
    };
    WindowDiagnosis {
        spot: Spot { scenario: "Shop".to_owned(), window: "fling".to_owned(), class: "Pixel 8".to_owned() },
        under: Under {
            hash: "5eed".to_owned(),
            app: "com.shop".to_owned(),
            build: "a".to_owned(),
            refresh: Some(120),
            simulated: false,
        },
        device: DeviceId(device.to_owned()),
        app_version: None,
        asked: true,
        seen: Ok(seen),
    }
}

/// A phone of which nothing is known.
pub(super) fn blind(device: &str, why: &str) -> WindowDiagnosis {
    WindowDiagnosis { seen: Err(why.to_owned()), ..told(device, &[]) }
}

fn named(print: &str) -> NamedCause {
    let (kind, thread) = ("lock.monitor".to_owned(), "main".to_owned());
    let title = format!("main waits for {print}");
    NamedCause { kind, group: Group::Waiting, title, thread, object: print.to_owned() }
}
