//! `input`: what it injects and how long it blocks (docs/design/phones.md#input). Up to Android 11 a Java virtual
//! machine is started for every call; from 12 on a service does it.

mod cost;

use super::command::{Answer, Running, Work};
use super::keys;
use super::lab_time::LabTime;
use super::services;
use super::state::{MS, Phone};
use crate::phone_sim::acts::Act;
use crate::phone_sim::finger::{Motions, Path};
use farmjank_results::time::Span;

/// Sources that may stand before the command.
const SOURCES: &[&str] = &[
    "touchscreen",
    "touchpad",
    "touchnavigation",
    "mouse",
    "keyboard",
    "dpad",
    "stylus",
    "trackball",
    "gamepad",
    "joystick",
    "rotaryencoder",
];
/// Longest swipe, ms: what the parser of durations takes.
const LONGEST_MS: i64 = 3_600_000;

/// What one call injects.
enum Injection {
    Finger(Path),
    Single(Motions, f64, f64),
    Keys(Vec<u32>, bool),
    Text(String),
    Nothing,
}

pub(super) fn input(phone: &mut Phone, now: LabTime, arguments: &[String]) -> Running {
    phone.commands.inputs += 1;
    let start = phone.start_cost(cost::JVM_UNTIL, 0x1_0000 + phone.commands.inputs);
    let cost = cost::of(
        &phone.sim.setup.input,
        phone.sim.setup.archetype,
        phone.body.seed,
        phone.commands.inputs,
        start,
    );
    let answer = |answer: Answer| Running { takes: Span::from_ns(cost.before), work: Work::Say(answer) };
    let injection = match parse(without_source(arguments), phone.sim.setup.archetype.sdk) {
        Ok(injection) => injection,
        Err(problem) => return answer(problem),
    };
    if phone.body.quirks.injection_blocked && !matches!(injection, Injection::Nothing) {
        return answer(refused(arguments, phone.sim.setup.archetype.sdk));
    }
    let work = match &injection {
        Injection::Finger(_) => Work::Touch(phone.commands.inputs, cost.after),
        Injection::Keys(..) => Work::Key(cost.after),
        Injection::Single(..) | Injection::Text(_) | Injection::Nothing => Work::Say(Answer::default()),
    };
    let end = inject(phone, now, cost, injection) + cost.after;
    Running { takes: Span::from_ns(end), work }
}

/// How much longer a command runs than could be known when it began; none: it is over. Asked at begin + `takes`, and
/// again after every time it answers.
pub fn longer(phone: &mut Phone, now: LabTime, running: &Running) -> Option<Span> {
    let now = phone.monotonic_ns(now);
    let (done, after) = match running.work {
        Work::Touch(command, after) => {
            phone.sim.advance(now);
            (phone.sim.input.touch.lifts(command)?, after)
        }
        Work::Key(after) => {
            phone.sim.advance(now);
            (phone.sim.input.key_handled, after)
        }
        _ => return None,
    };
    let left = done + after - now;
    (left > 0).then(|| Span::from_ns(left))
}

/// Notes the events. Answers when the last one is injected, ns from now, where nothing in the app delays it.
fn inject(phone: &mut Phone, now: LabTime, cost: cost::Cost, injection: Injection) -> i64 {
    let start = cost.before;
    match injection {
        Injection::Finger(path) => {
            let end = start + path.hold + path.moves.max(MS) + cost.late;
            let path = Path {
                from: services::on_panel(phone, path.from),
                to: services::on_panel(phone, path.to),
                ..path
            };
            phone.act(now, start, Act::Down(phone.commands.inputs, path));
            phone.act(now, end, Act::Up(phone.commands.inputs));
            end
        }
        Injection::Single(kind, x, y) => {
            let (x, y) = services::on_panel(phone, (x, y));
            phone.act(now, start, Act::Motion(kind, x, y));
            start
        }
        Injection::Keys(codes, long) => {
            let mut at = start;
            for code in codes {
                phone.act(now, at, Act::Key(code));
                at += if long { 500 * MS } else { 4 * MS };
            }
            at
        }
        Injection::Text(text) => {
            let letters = text.chars().count() as i64;
            phone.act(now, start, Act::Text(text));
            start + letters * 2 * MS
        }
        Injection::Nothing => start,
    }
}

fn without_source(arguments: &[String]) -> &[String] {
    let mut rest = arguments;
    if rest.first().is_some_and(|word| SOURCES.contains(&word.as_str())) {
        rest = &rest[1..];
    }
    if rest.len() > 1 && rest[0] == "-d" {
        rest = &rest[2..];
    }
    rest
}

fn parse(arguments: &[String], sdk: u32) -> Result<Injection, Answer> {
    let Some((command, rest)) = arguments.split_first() else {
        return Err(Answer::failed(USAGE, 1));
    };
    let invalid = || Answer::failed(format!("Error: Invalid arguments for command: {command}\n{USAGE}"), 255);
    let coordinate =
        |index: usize| rest.get(index).and_then(|word| word.parse::<f64>().ok()).filter(|px| px.is_finite());
    let pair = |index: usize| Some((coordinate(index)?, coordinate(index + 1)?));
    match command.as_str() {
        "tap" => {
            let point = pair(0).filter(|_| rest.len() == 2).ok_or_else(invalid)?;
            Ok(Injection::Finger(Path { from: point, to: point, hold: 0, moves: MS }))
        }
        "swipe" | "draganddrop" => {
            let (from, to) = pair(0).zip(pair(2)).filter(|_| rest.len() <= 5).ok_or_else(invalid)?;
            let ms = match rest.get(4) {
                Some(word) => word
                    .parse::<i64>()
                    .ok()
                    .filter(|ms| (-1..=LONGEST_MS).contains(ms))
                    .ok_or_else(invalid)?,
                None => 300,
            };
            let hold = match command.as_str() {
                "swipe" => 0,
                _ if sdk >= 29 => 400 * MS,
                _ => 500 * MS,
            };
            Ok(Injection::Finger(Path { from, to, hold, moves: if ms <= 0 { 300 } else { ms } * MS }))
        }
        "motionevent" if sdk >= 28 => {
            let kind = match rest.first().map(|word| word.to_uppercase()).as_deref() {
                Some("DOWN") => Motions::Down,
                Some("MOVE") => Motions::Move,
                Some("UP") => Motions::Up,
                Some("CANCEL") if sdk >= 29 => Motions::Cancel,
                _ => return Err(invalid()),
            };
            let (x, y) = pair(1).ok_or_else(invalid)?;
            Ok(Injection::Single(kind, x, y))
        }
        "keyevent" => keyevent(rest, &invalid),
        "text" => match rest {
            [text] => Ok(Injection::Text(text.replace("%s", " "))),
            _ => Err(invalid()),
        },
        "press" | "roll" => Ok(Injection::Nothing),
        _ => Err(Answer::failed(format!("Error: Unknown command: {command}\n{USAGE}"), 255)),
    }
}

fn keyevent(rest: &[String], invalid: &dyn Fn() -> Answer) -> Result<Injection, Answer> {
    let long = rest.first().is_some_and(|word| word == "--longpress");
    let flags = rest.iter().take_while(|word| word.starts_with("--")).count();
    let words = &rest[flags..];
    let codes: Option<Vec<u32>> = words.iter().map(|word| keys::code(word)).collect();
    codes.filter(|codes| !codes.is_empty()).map(|codes| Injection::Keys(codes, long)).ok_or_else(invalid)
}

/// What phones print that do not let the shell inject.
fn refused(arguments: &[String], sdk: u32) -> Answer {
    let command = without_source(arguments).first().map_or("", String::as_str);
    if sdk <= 30 {
        let text = "java.lang.SecurityException: Injecting to another application requires INJECT_EVENTS permission\n\
                    \tat android.os.Parcel.createException(Parcel.java:2071)\n\
                    \tat android.hardware.input.InputManager.injectInputEvent(InputManager.java:867)\n\
                    \tat com.android.commands.input.Input.injectMotionEvent(Input.java:428)\n";
        return Answer::failed(text, 1);
    }
    let text = format!(
        "\nException occurred while executing '{command}':\njava.lang.SecurityException: Injecting input events requires the \
         caller (or the source of the instrumentation, if any) to have the INJECT_EVENTS permission.\n\
         \tat com.android.server.input.InputManagerService.injectInputEventToTarget(InputManagerService.java:873)\n\
         \tat com.android.server.input.InputShellCommand.onCommand(InputShellCommand.java:226)\n"
    );
    Answer::failed(text, 255)
}

const USAGE: &str = "Usage: input [<source>] [-d DISPLAY_ID] <command> [<arg>...]\n\n\
The sources are: \n      touchscreen\n      keyboard\n      mouse\n\n\
The commands and default sources are:\n      text <string> (Default: touchscreen)\n      \
keyevent [--longpress|--doubletap] <key code number or name> ... (Default: keyboard)\n      \
tap <x> <y> (Default: touchscreen)\n      swipe <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)\n      \
draganddrop <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)\n      \
press (Default: trackball)\n      roll <dx> <dy> (Default: trackball)\n      \
motionevent <DOWN|UP|MOVE|CANCEL> <x> <y> (Default: touchscreen)\n";
