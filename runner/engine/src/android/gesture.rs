//! Finger gestures through `input swipe`, stamped on the phone's own clock in the same shell (frame-sources.md 6.1, 7).

use super::together::{Answer, together};
use super::{clip, uptime};
use farmjank_results::blame::{Blame, Fault};
use farmjank_results::device::Screen;
use farmjank_results::time::BootTime;
use farmjank_scenarios::gesture::{Gesture, Point};
use farmjank_seams::device::{Device, Output};
use std::time::Duration;

/// A command that ran between two stamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamped {
    /// `/proc/uptime` just before.
    pub began: BootTime,
    /// `/proc/uptime` just after.
    pub ended: BootTime,
}

/// Swipes: returns when the finger is up.
pub async fn swipe(
    device: &dyn Device,
    gesture: &Gesture,
    screen: Screen,
    extra: Duration,
) -> Result<Stamped, Fault> {
    let (x, y) = gesture.start.px(screen);
    let (to_x, to_y) = gesture.end.px(screen);
    let ms = gesture.duration.as_millis();
    stamped(device, &format!("input swipe {x} {y} {to_x} {to_y} {ms}"), gesture.duration + extra).await
}

/// Taps a point.
pub async fn tap(
    device: &dyn Device,
    point: Point,
    screen: Screen,
    patience: Duration,
) -> Result<Stamped, Fault> {
    let (x, y) = point.px(screen);
    stamped(device, &format!("input tap {x} {y}"), patience).await
}

/// Runs an `input` command between two clock reads in one shell.
pub async fn stamped(device: &dyn Device, command: &str, patience: Duration) -> Result<Stamped, Fault> {
    read_stamped(command, &device.shell(&between_stamps(command), patience).await?)
}

fn between_stamps(command: &str) -> String {
    format!(
        "read u x </proc/uptime; echo \"@fj B $u\"; {command}; s=$?; read u x </proc/uptime; echo \"@fj E $u $s\""
    )
}

/// How long `input` takes on this phone before it can move a finger: the quicker of two no-op key events. 300-1000 ms
/// of virtual machine start on Android 11 and older, some 20 ms from 12 on.
pub async fn lead(device: &dyn Device, patience: Duration) -> Result<Duration, Fault> {
    let command = "input keyevent 0";
    let line = between_stamps(&format!("{command} 2>&1"));
    let took = |answer: Answer| {
        let took = read_stamped(command, &answer.into())?;
        Ok((took.ended - took.began).to_duration())
    };
    let [first, second] = together(device, [&line, &line], patience).await?;
    Ok(took(first)?.min(took(second)?))
}

fn read_stamped(command: &str, output: &Output) -> Result<Stamped, Fault> {
    let text = output.text();
    let said = format!("{text}\n{}", output.err_text());
    if said.contains("INJECT_EVENTS") {
        let fault =
            Fault::new(Blame::Lab, "injection_blocked", "the phone refuses injected touches (INJECT_EVENTS)");
        return Err(fault.advise("turn on `USB debugging (Security settings)` in its developer options"));
    }
    let stamp = |mark: &str| text.lines().find_map(|line| line.trim().strip_prefix(mark));
    let began = stamp("@fj B ").and_then(uptime);
    let ended = stamp("@fj E ");
    let status =
        ended.and_then(|rest| rest.split_whitespace().nth(1)).and_then(|word| word.parse::<i32>().ok());
    match (began, ended.and_then(uptime), status) {
        (Some(began), Some(ended), Some(0)) if ended >= began => Ok(Stamped { began, ended }),
        (_, _, Some(status)) if status != 0 => {
            let words = said.lines().filter(|line| !line.contains("@fj ")).collect::<Vec<_>>().join("\n");
            let what = format!("`{}` ended with status {status}: {}", clip(command, 80), clip(&words, 200));
            Err(Fault::new(Blame::Lab, "input_failed", what).passing())
        }
        _ => {
            let what = format!("`{}` gave no clock stamps: {}", clip(command, 80), clip(&said, 200));
            Err(Fault::new(Blame::Lab, "stamps_missing", what).passing())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(out: &str, err: &str) -> Output {
        Output { status: 0, out: out.as_bytes().to_vec(), err: err.as_bytes().to_vec() }
    }

    #[test]
    fn stamps_bracket_the_gesture() {
        let stamped = read_stamped("input swipe", &answer("@fj B 100.10\n@fj E 100.42 0\n", "")).unwrap();
        assert_eq!((stamped.ended - stamped.began).ns(), 320_000_000);
    }

    #[test]
    fn a_blocked_injection_is_a_lab_fault_with_the_remedy() {
        let err = "java.lang.SecurityException: Injecting input events requires INJECT_EVENTS permission";
        let fault = read_stamped("input swipe", &answer("@fj B 1.00\n@fj E 1.10 255\n", err)).unwrap_err();
        assert_eq!(fault.code, "injection_blocked");
        assert!(fault.advice.contains("Security settings"));
    }

    #[test]
    fn a_failed_command_is_never_a_gesture() {
        let fault = read_stamped("input swipe", &answer("@fj B 1.00\nError: Invalid\n@fj E 1.10 1\n", ""))
            .unwrap_err();
        assert_eq!(fault.code, "input_failed");
        assert!(fault.what.contains("Error: Invalid"));
        assert_eq!(read_stamped("input swipe", &answer("", "")).unwrap_err().code, "stamps_missing");
    }
}
