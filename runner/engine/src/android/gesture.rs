//! Finger gestures through `input swipe`, stamped on the phone's own clock in the same shell
//! (docs/design/phones.md#input).

use super::recent::EVENTS;
use super::together::{Answer, together};
use super::{clip, uptime};
use farmjank_results::device::Screen;
use farmjank_results::fault::{Fault, FaultCode};
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

/// What the dispatcher remembered, and between which instants it was asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remembered {
    /// `/proc/uptime` just before the question.
    pub asked: BootTime,
    /// `/proc/uptime` just after the answer.
    pub answered: BootTime,
    /// What it said.
    pub text: String,
}

/// Longest answer of the dispatcher that is kept: ten events, and what stands behind them.
const MOST_TEXT: usize = 16_384;

/// Asks the dispatcher for the events it remembers, and then the app whether it answers: a key that means nothing comes
/// back when its main thread has handled it (docs/design/phones.md#input). Nothing of the events where the phone does
/// not tell them, of the key where `input` failed.
pub async fn answered(
    device: &dyn Device,
    patience: Duration,
) -> Result<(Option<Remembered>, Option<Stamped>), Fault> {
    let line = format!("{}; {}", question(), between_stamps(NOTHING));
    let output = device.shell(&line, patience).await?;
    let text = output.text();
    let before = text.rfind("@fj E ").map_or(text.as_str(), |end| &text[..end]);
    Ok((read_remembered(before), read_stamped(NOTHING, &output).ok()))
}

/// A key that no app knows.
const NOTHING: &str = "input keyevent 0";

fn question() -> String {
    format!("read u x </proc/uptime; echo \"@fj Q $u\"; {EVENTS}")
}

fn read_remembered(text: &str) -> Option<Remembered> {
    let (_, rest) = text.split_once("@fj Q ")?;
    let (asked, rest) = rest.split_once('\n')?;
    // Whatever the phone says in between, our own mark is the last.
    let (said, answered) = rest.rsplit_once("@fj B ")?;
    let said: String = said.chars().take(MOST_TEXT).collect();
    Some(Remembered { asked: uptime(asked)?, answered: uptime(answered)?, text: said })
}

/// Where a finger goes on the screen, px.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    from: (u32, u32),
    to: (u32, u32),
    ms: u128,
}

/// Slop of the most generous phones, dp: a list stands still until a finger has left it.
const SLOP_DP: f64 = 16.0;
/// Density where the phone does not tell, dpi.
const USUAL_DPI: u32 = 420;
/// A slower finger does not move content by a pixel on every refresh of a panel, px/s.
const SLOW_PX_PER_S: f64 = 330.0;

impl Stroke {
    /// Of a gesture on this screen.
    pub fn of(gesture: &Gesture, screen: Screen) -> Self {
        Stroke {
            from: gesture.start.px(screen),
            to: gesture.end.px(screen),
            ms: gesture.duration.as_millis(),
        }
    }

    /// How long after it came down the finger has surely left the slop; none where it never moves fast enough to show a
    /// frame on every refresh.
    pub fn leaves(&self, screen: Screen) -> Option<Duration> {
        let along = |from: u32, to: u32| f64::from(to) - f64::from(from);
        let px = along(self.from.0, self.to.0).hypot(along(self.from.1, self.to.1));
        let seconds = self.ms as f64 / 1e3;
        let dpi = if screen.density == 0 { USUAL_DPI } else { screen.density };
        let slop = SLOP_DP * f64::from(dpi) / 160.0;
        (px > slop && px >= SLOW_PX_PER_S * seconds).then(|| Duration::from_secs_f64(seconds * slop / px))
    }
}

/// Swipes: returns when the finger is up, with what the dispatcher remembered of the finger before where that was
/// wanted.
pub async fn swipe(
    device: &dyn Device,
    gesture: &Gesture,
    screen: Screen,
    extra: Duration,
    ask: bool,
) -> Result<(Stamped, Option<Remembered>), Fault> {
    let Stroke { from: (x, y), to: (to_x, to_y), ms } = Stroke::of(gesture, screen);
    let command = format!("input swipe {x} {y} {to_x} {to_y} {ms}");
    // In one call: the finger comes as soon after the one before as it would without the question.
    let question = if ask { format!("{}; ", question()) } else { String::new() };
    let line = format!("{question}{}", between_stamps(&command));
    let output = device.shell(&line, gesture.duration + extra).await?;
    let text = output.text();
    let before = text.rfind("@fj E ").map_or(text.as_str(), |end| &text[..end]);
    Ok((read_stamped(&command, &output)?, ask.then(|| read_remembered(before)).flatten()))
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
    let line = between_stamps(&format!("{NOTHING} 2>&1"));
    let took = |answer: Answer| {
        let took = read_stamped(NOTHING, &answer.into())?;
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
            Fault::new(FaultCode::InjectionBlocked, "the phone refuses injected touches (INJECT_EVENTS)");
        return Err(fault.advise("turn on `USB debugging (Security settings)` in its developer options"));
    }
    // What the phone says before our own marks may look like one.
    let stamp = |mark: &str| text.lines().rev().find_map(|line| line.trim().strip_prefix(mark));
    let began = stamp("@fj B ").and_then(uptime);
    let ended = stamp("@fj E ");
    let status =
        ended.and_then(|rest| rest.split_whitespace().nth(1)).and_then(|word| word.parse::<i32>().ok());
    match (began, ended.and_then(uptime), status) {
        (Some(began), Some(ended), Some(0)) if ended >= began => Ok(Stamped { began, ended }),
        (_, _, Some(status)) if status != 0 => {
            let words = said.lines().filter(|line| !line.contains("@fj ")).collect::<Vec<_>>().join("\n");
            let what = format!("`{}` ended with status {status}: {}", clip(command, 80), clip(&words, 200));
            Err(Fault::new(FaultCode::InputFailed, what).passing())
        }
        _ => {
            let what = format!("`{}` gave no clock stamps: {}", clip(command, 80), clip(&said, 200));
            Err(Fault::new(FaultCode::StampsMissing, what).passing())
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
    fn the_dispatcher_is_heard_before_the_gesture_and_believed_nothing_else() {
        let said =
            "@fj Q 99.90\n  RecentQueue: length=1\n@fj B 1.00\n    MotionEvent, age=5ms\n@fj B 100.10\n";
        let told = read_remembered(said).unwrap();
        assert_eq!((told.answered - told.asked).ns(), 200_000_000);
        assert!(told.text.ends_with("age=5ms\n"));
        let stamped = read_stamped("input swipe", &answer(&format!("{said}@fj E 100.42 0\n"), "")).unwrap();
        assert_eq!((stamped.ended - stamped.began).ns(), 320_000_000);
        assert_eq!((read_remembered("@fj Q x\n@fj B 1.0"), read_remembered("")), (None, None));
    }

    #[test]
    fn a_finger_leaves_the_slop_when_it_has_gone_that_far_and_a_slow_one_never_surely() {
        let screen = Screen { width: 1080, height: 2400, rotation: 0, density: 420 };
        let leaves = |px: u32, ms| Stroke { from: (0, 0), to: (0, px), ms }.leaves(screen);
        assert_eq!(leaves(420, 250).map(|time| time.as_millis()), Some(25));
        assert_eq!((leaves(400, 2_000), leaves(0, 500), leaves(30, 10)), (None, None, None));
    }

    #[test]
    fn a_blocked_injection_is_a_lab_fault_with_the_remedy() {
        let err = "java.lang.SecurityException: Injecting input events requires INJECT_EVENTS permission";
        let fault = read_stamped("input swipe", &answer("@fj B 1.00\n@fj E 1.10 255\n", err)).unwrap_err();
        assert_eq!(fault.code.word(), "injection_blocked");
        assert!(fault.advice.contains("Security settings"));
    }

    #[test]
    fn a_failed_command_is_never_a_gesture() {
        let fault = read_stamped("input swipe", &answer("@fj B 1.00\nError: Invalid\n@fj E 1.10 1\n", ""))
            .unwrap_err();
        assert_eq!(fault.code.word(), "input_failed");
        assert!(fault.what.contains("Error: Invalid"));
        assert_eq!(read_stamped("input swipe", &answer("", "")).unwrap_err().code.word(), "stamps_missing");
    }
}
