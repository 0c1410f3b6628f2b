//! What the flags of `analyze` say, as values.

use crate::command_error::{CommandError, usage};
use crate::settings::time;
use farmjank_results::motion::{Motion, Phase};
use farmjank_results::time::{DeviceTime, Span};

/// Reads every `START_NS..END_NS:PHASE`.
///
/// # Errors
/// The first that cannot be read.
pub fn windows(given: &[String]) -> Result<Vec<Motion>, CommandError> {
    given.iter().map(|text| window(text)).collect()
}

fn window(text: &str) -> Result<Motion, CommandError> {
    let wrong =
        |why: &str| usage!("--window {text}: {why}; write START_NS..END_NS:finger, :fling or :scroll");
    let (span, phase) = text.rsplit_once(':').ok_or_else(|| wrong("the phase is missing"))?;
    let phase = match phase {
        "finger" => Phase::Finger,
        "fling" => Phase::Fling,
        "scroll" => Phase::Scroll,
        _ => return Err(wrong("no such phase")),
    };
    let (from, to) = span.split_once("..").ok_or_else(|| wrong("`..` is missing"))?;
    let ns = |text: &str| {
        text.trim().parse().map(DeviceTime::from_ns).map_err(|_| wrong("not a whole number of ns"))
    };
    let (from, to) = (ns(from)?, ns(to)?);
    if from >= to {
        Err(wrong("it ends before it begins"))
    } else {
        Ok(Motion { from, to, phase, touch: None })
    }
}

/// Reads every `[FROM_NS:]PERIOD_NS`.
///
/// # Errors
/// The first that cannot be read.
pub fn pins(given: &[String]) -> Result<Vec<(Option<DeviceTime>, Span)>, CommandError> {
    given.iter().map(|text| pin(text)).collect()
}

fn pin(text: &str) -> Result<(Option<DeviceTime>, Span), CommandError> {
    let wrong = || usage!("--vsync {text}: write PERIOD_NS or FROM_NS:PERIOD_NS, for example 8333333");
    let (from, period) = match text.split_once(':') {
        Some((from, period)) => {
            (Some(from.trim().parse().map(DeviceTime::from_ns).map_err(|_| wrong())?), period)
        }
        None => (None, text),
    };
    let period: i64 = period.trim().parse().map_err(|_| wrong())?;
    // 1 Hz to 1000 Hz: anything else is a slip of the unit.
    if !(1_000_000..=1_000_000_000).contains(&period) {
        return Err(usage!("--vsync {text}: a refresh period lies between 1000000 ns and 1000000000 ns"));
    }
    Ok((from, Span::from_ns(period)))
}

/// Reads a number of milliseconds (`250`, `16.7`), a time with its unit (`1s`, `250ms`), or `none`.
///
/// # Errors
/// The text is neither a time nor `none`, or no time at all (`0`).
pub fn idle_gap(text: &str) -> Result<Option<Span>, CommandError> {
    if text.eq_ignore_ascii_case("none") {
        return Ok(None);
    }
    let gap = match milliseconds(text.trim()) {
        Some(gap) => gap,
        None => Span::from(time(text).map_err(|why| format!("--idle-gap: {why}, a number of ms, or none"))?),
    };
    if gap == Span::ZERO {
        Err("--idle-gap must be longer than nothing; write none to never split".into())
    } else {
        Ok(Some(gap))
    }
}

/// A bare number of milliseconds, as whole ns; none when it is anything else.
fn milliseconds(text: &str) -> Option<Span> {
    let bare = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let ms: f64 = text.parse().ok().filter(|_| bare)?;
    // A year is more than any file holds, and keeps the product exact.
    (ms <= 3.2e10).then(|| Span::from_ns((ms * 1e6).round() as i64))
}

/// Checks a target rate.
///
/// # Errors
/// The rate is not between 1 and 1000 fps.
pub fn target_fps(given: Option<f64>) -> Result<Option<f64>, CommandError> {
    match given {
        Some(fps) if !(fps.is_finite() && (1.0..=1000.0).contains(&fps)) => {
            Err(usage!("--target-fps {fps}: a rate lies between 1 and 1000"))
        }
        fps => Ok(fps),
    }
}

/// Checks the name of an app: letters of a package, and an ending after a colon at most.
///
/// # Errors
/// The text is no name of a package.
pub fn package(given: Option<&str>) -> Result<Option<String>, CommandError> {
    let letter = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '_' | ':' | '-');
    match given {
        Some(name) if name.is_empty() || !name.chars().all(letter) => {
            Err(usage!("--package {name}: write the app's id, such as com.example.shop"))
        }
        name => Ok(name.map(str::to_owned)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_and_pins_read_as_documented() {
        let window = window("100..2000:fling").unwrap();
        assert_eq!((window.from.ns(), window.to.ns(), window.phase), (100, 2000, Phase::Fling));
        for wrong in ["", "1..2", "2..1:finger", "1..2:free", "1-2:finger", "a..b:finger", "1..1:fling"] {
            assert!(super::window(wrong).is_err(), "{wrong}");
        }
        assert_eq!(pin("8333333").unwrap(), (None, Span::from_ns(8_333_333)));
        assert_eq!(pin("5:16666667").unwrap(), (Some(DeviceTime::from_ns(5)), Span::from_ns(16_666_667)));
        assert!(pin("16").is_err() && pin("x").is_err() && pin("1:").is_err());
        assert_eq!(idle_gap("none"), Ok(None));
        assert_eq!(idle_gap("250ms"), Ok(Some(Span::from_ms(250))));
        assert_eq!(idle_gap("1s"), Ok(Some(Span::from_ms(1_000))));
        assert_eq!(idle_gap("250"), idle_gap("250ms"));
        assert_eq!(idle_gap("16.7"), Ok(Some(Span::from_ns(16_700_000))));
        for wrong in ["0", "0s", "-5", "", ".", "1e3", "5 apples", "inf", "9999999999999"] {
            assert!(idle_gap(wrong).is_err(), "{wrong}");
        }
        assert!(package(Some("com.a b")).is_err() && package(Some("")).is_err() && package(None) == Ok(None));
        assert!(target_fps(Some(0.0)).is_err() && target_fps(Some(f64::NAN)).is_err());
    }
}
