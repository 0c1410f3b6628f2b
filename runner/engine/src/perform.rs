//! Carries out one step on the phone.

use crate::android::app;
use crate::android::gesture::{self, Stamped};
use crate::android::screen::{describe, elements, find};
use crate::android::{clip, refused};
use crate::device_session::DeviceSession;
use crate::log::WindowLog;
use crate::observe::{FramestatsSampler, OpenWindow};
use crate::touched::GestureStamp;
use farmjank_results::fault::{Blame, Fault, FaultCode};
use farmjank_results::time::DeviceTime;
use farmjank_scenarios::gesture::{Coordinate, Gesture, Point};
use farmjank_scenarios::page::Ready;
use farmjank_scenarios::step::{Action, Selector, Target};
use farmjank_seams::quote::quote;
use std::cell::RefCell;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How often a screen is looked at while waiting for something on it.
const LOOK_AGAIN: Duration = Duration::from_millis(300);
/// Default patience for a page to open.
const PAGE: Duration = Duration::from_secs(10);

type Stamps = Option<(DeviceTime, DeviceTime)>;

/// Carries out a step that holds no other steps. Gestures and launches are reported to the open window, launches
/// outside any window to `outside`.
pub async fn perform(
    session: &DeviceSession<'_>,
    action: &Action,
    open_window: Option<&OpenWindow<'_>>,
    outside: &RefCell<WindowLog>,
    framestats: &FramestatsSampler,
) -> Result<Stamps, Fault> {
    let (device, patience) = (&*session.device, session.patience());
    match action {
        Action::LaunchApp { app, clear_state, cold } => {
            if *clear_state {
                app::clear(device, app, patience).await?;
            }
            let launch = app::launch(device, app, *cold, patience).await?;
            let log = open_window.map_or(outside, |open_window| &open_window.log);
            log.borrow_mut().launches.push(launch);
            Ok(None)
        }
        Action::StopApp(app) => app::stop(device, app, patience).await.map(|()| None),
        Action::ClearState(app) => app::clear(device, app, patience).await.map(|()| None),
        Action::OpenLink { link, ready } => open(session, link, link, ready).await.map(|()| None),
        Action::OpenPage { page, link, ready } => open(session, page, link, ready).await.map(|()| None),
        Action::Swipe(gesture) | Action::Scroll(gesture) => swipe(session, gesture, open_window, framestats)
            .await
            .map(|stamped| Some(on_device(session, stamped))),
        Action::ScrollUntilVisible { element, gesture, timeout } => {
            scroll_until(session, element, gesture, *timeout, open_window, framestats).await.map(|()| None)
        }
        Action::TapOn(target) => tap(session, target).await.map(|stamped| Some(on_device(session, stamped))),
        Action::PressKey(key) => input(session, &format!("keyevent {}", quote(&keycode(key)))).await,
        Action::Back => input(session, "keyevent KEYCODE_BACK").await,
        Action::InputText(text) => input(session, &format!("text {}", quote(&text.replace(' ', "%s")))).await,
        Action::Wait(time) => {
            framestats.wait(session, open_window, *time).await?;
            Ok(None)
        }
        Action::WaitForAnimationToEnd(most) => crate::still::wait(session, *most).await.map(|()| None),
        Action::AssertVisible { element, timeout } => {
            visible(session, element, *timeout).await.map(|()| None)
        }
        Action::Shell(line) => {
            let output = device.shell(line, patience.launch).await?;
            match output.status {
                0 => Ok(None),
                _ => Err(Fault { blame: Blame::Scenario, ..refused(line, &output) }),
            }
        }
        Action::Repeat { .. } | Action::RunFlow { .. } | Action::Measure { .. } => {
            Err(Fault::new(FaultCode::StepNested, "a step that holds steps reached the wrong place"))
        }
    }
}

fn on_device(session: &DeviceSession<'_>, stamped: Stamped) -> (DeviceTime, DeviceTime) {
    (session.clock.to_device(stamped.began), session.clock.to_device(stamped.ended))
}

async fn input(session: &DeviceSession<'_>, words: &str) -> Result<Stamps, Fault> {
    let stamped =
        gesture::stamped(&*session.device, &format!("input {words}"), session.patience().launch).await?;
    Ok(Some(on_device(session, stamped)))
}

fn keycode(key: &str) -> String {
    let key = key.trim().to_ascii_uppercase().replace(' ', "_");
    if key.starts_with("KEYCODE_") || key.bytes().all(|byte| byte.is_ascii_digit()) {
        key
    } else {
        format!("KEYCODE_{key}")
    }
}

async fn swipe(
    session: &DeviceSession<'_>,
    gesture: &Gesture,
    open_window: Option<&OpenWindow<'_>>,
    framestats: &FramestatsSampler,
) -> Result<Stamped, Fault> {
    let screen = session.screen()?;
    if let Some(open_window) = open_window {
        framestats.before_gesture(session, open_window).await?;
    }
    let ask = open_window.is_some_and(|open_window| !open_window.log.borrow().gestures.is_empty());
    let patience = session.patience().launch;
    let (stamped, before) = gesture::swipe(&*session.device, gesture, screen, patience, ask).await?;
    if let Some(open_window) = open_window {
        let log = &mut *open_window.log.borrow_mut();
        before.iter().for_each(|told| log.remembered(told, session.clock));
        let leaves = gesture::Stroke::of(gesture, screen).leaves(screen);
        let around = on_device(session, stamped);
        log.gestures.push(GestureStamp::around(around, gesture.duration, leaves, session.clock));
    }
    Ok(stamped)
}

async fn tap(session: &DeviceSession<'_>, target: &Target) -> Result<Stamped, Fault> {
    let point = match target {
        Target::Point(point) => *point,
        Target::Element(selector) => {
            let seen = elements(&*session.device, session.patience()).await?;
            let Some(element) = find(&seen, selector) else {
                return Err(missing(selector, seen.len(), "tap"));
            };
            let (x, y) = element.center();
            let px = |value: i64| Coordinate::Px(u32::try_from(value.max(0)).unwrap_or(0));
            Point { x: px(x), y: px(y) }
        }
    };
    gesture::tap(&*session.device, point, session.screen()?, session.patience().launch).await
}

fn missing(selector: &Selector, seen: usize, purpose: &str) -> Fault {
    let what =
        format!("nothing to {purpose}: no element with {} among {seen} on the screen", describe(selector));
    Fault::new(FaultCode::ElementMissing, what).advise("a text must match the whole text of the element")
}

async fn scroll_until(
    session: &DeviceSession<'_>,
    element: &Selector,
    gesture: &Gesture,
    most: Duration,
    open_window: Option<&OpenWindow<'_>>,
    framestats: &FramestatsSampler,
) -> Result<(), Fault> {
    let deadline = Instant::now() + most;
    loop {
        let seen = look(session, deadline).await?;
        if find(&seen, element).is_some() {
            return Ok(());
        }
        if Instant::now() >= deadline {
            let what =
                format!("{} did not come into view within {:.1} s", describe(element), most.as_secs_f64());
            return Err(Fault::new(FaultCode::ElementMissing, what));
        }
        swipe(session, gesture, open_window, framestats).await?;
    }
}

/// The screen, tried again while an animation keeps uiautomator waiting.
async fn look(
    session: &DeviceSession<'_>,
    deadline: Instant,
) -> Result<Vec<crate::android::screen::Element>, Fault> {
    loop {
        match elements(&*session.device, session.patience()).await {
            Err(fault) if fault.code == FaultCode::UiUnreadable && Instant::now() < deadline => {
                sleep(LOOK_AGAIN).await
            }
            result => return result,
        }
    }
}

async fn visible(session: &DeviceSession<'_>, element: &Selector, most: Duration) -> Result<(), Fault> {
    let deadline = Instant::now() + most;
    loop {
        let seen = look(session, deadline).await?;
        if find(&seen, element).is_some() {
            return Ok(());
        }
        if Instant::now() >= deadline {
            return Err(missing(element, seen.len(), "see"));
        }
        sleep(LOOK_AGAIN).await;
    }
}

/// Opens a link and waits until its page is ready.
async fn open(session: &DeviceSession<'_>, name: &str, link: &str, ready: &Ready) -> Result<(), Fault> {
    let (device, patience) = (&*session.device, session.patience());
    let mut front = app::open_link(device, &session.app.0, link, patience).await?;
    let most = ready.timeout.unwrap_or(PAGE);
    let deadline = Instant::now() + most;
    loop {
        // Nobody answers it: waiting for the page would be in vain.
        if let Some(fault) = app::dialog(&session.app.0, &front) {
            return Err(fault);
        }
        let shown = app::shows(&front, &session.app.0, ready.activity.as_deref());
        let selector = ready.text.clone().map(Selector::Text).or_else(|| ready.id.clone().map(Selector::Id));
        let ready_now = match selector.filter(|_| shown) {
            Some(selector) => find(&look(session, deadline).await?, &selector).is_some(),
            None => shown,
        };
        if ready_now {
            return Ok(());
        }
        if Instant::now() >= deadline {
            if let Some(fault) = app::trouble(device, &session.app.0, patience).await? {
                return Err(fault);
            }
            let what = format!(
                "page `{}` was not ready within {:.1} s; in front is {front}",
                clip(name, 80),
                most.as_secs_f64()
            );
            return Err(
                Fault::new(FaultCode::PageNotReady, what).advise("correct `ready`, or give it a timeout")
            );
        }
        sleep(LOOK_AGAIN).await;
        front = app::in_front(device, patience).await?;
    }
}

/// A step in a few words, for people.
pub fn words(action: &Action) -> String {
    match action {
        Action::LaunchApp { app, cold, .. } => format!("launch {app}{}", if *cold { " (cold)" } else { "" }),
        Action::StopApp(app) => format!("stop {app}"),
        Action::ClearState(app) => format!("clear {app}"),
        Action::OpenLink { link, .. } => format!("open {}", clip(link, 60)),
        Action::OpenPage { page, .. } => format!("open page {page}"),
        Action::Swipe(_) => "swipe".to_owned(),
        Action::Scroll(_) => "scroll".to_owned(),
        Action::ScrollUntilVisible { element, .. } => format!("scroll to {}", describe(element)),
        Action::TapOn(Target::Point(_)) => "tap".to_owned(),
        Action::TapOn(Target::Element(element)) => format!("tap {}", describe(element)),
        Action::PressKey(key) => format!("press {key}"),
        Action::InputText(_) => "type".to_owned(),
        Action::Back => "back".to_owned(),
        Action::Wait(time) => format!("wait {} ms", time.as_millis()),
        Action::WaitForAnimationToEnd(_) => "wait until nothing moves".to_owned(),
        Action::AssertVisible { element, .. } => format!("see {}", describe(element)),
        Action::Repeat { times, .. } => format!("repeat {times} times"),
        Action::RunFlow { file, .. } => format!("run {file}"),
        Action::Measure { name, .. } => format!("measure {name}"),
        Action::Shell(line) => format!("shell {}", clip(line, 60)),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn keys_are_spelled_as_android_does() {
        assert_eq!(super::keycode("home"), "KEYCODE_HOME");
        assert_eq!(super::keycode("volume up"), "KEYCODE_VOLUME_UP");
        assert_eq!(super::keycode("KEYCODE_TAB"), "KEYCODE_TAB");
        assert_eq!(super::keycode("66"), "66");
    }
}
