//! Carries out one step on the phone.

mod looking;
mod opening;
mod touching;
mod typing;
mod words;

pub use self::words::words;

use self::looking::Looker;
use self::typing::Keyboard;
use crate::android::gesture::Stamped;
use crate::android::{app, clip, permissions, refused};
use crate::device_session::DeviceSession;
use crate::flow_state::{FlowState, holds};
use crate::log::WindowLog;
use crate::observe::{FramestatsSampler, OpenWindow};
use crate::thumbnail::{READABLE, thumbnail};
use farmjank_results::fault::{Blame, Fault, FaultCode};
use farmjank_results::time::DeviceTime;
use farmjank_scenarios::step::{Action, Argument, Condition};
use farmjank_seams::quote::quote;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

/// How long a condition is waited for after the last touch, as in Maestro.
const CONDITION: Duration = Duration::from_secs(7);

type Stamps = Option<(DeviceTime, DeviceTime)>;

/// What a step has at hand. One field for each thing around it.
#[derive(Clone, Copy)]
pub struct Scene<'s> {
    /// The job's hold on its phone.
    pub session: &'s DeviceSession<'s>,
    /// What the steps before it left.
    pub flow: &'s FlowState,
    /// The window it stands in.
    pub open_window: Option<&'s OpenWindow<'s>>,
    /// What happens outside every window.
    pub outside: &'s RefCell<WindowLog>,
    /// Reads framestats where they would be lost.
    pub framestats: &'s FramestatsSampler,
    /// The trial's folder of the bundle.
    pub folder: &'s str,
}

impl Scene<'_> {
    /// Carries out a step that holds no other steps. Gestures and launches are reported to the open window, launches
    /// outside any window to `outside`.
    pub async fn perform(&self, action: &Action) -> Result<Stamps, Fault> {
        let stamps = match action {
            Action::LaunchApp { .. }
            | Action::StopApp(_)
            | Action::KillApp(_)
            | Action::ClearState(_)
            | Action::OpenLink { .. }
            | Action::OpenPage { .. }
            | Action::Shell(_) => self.handle_app(action).await.map(|()| None)?,
            Action::Swipe(_)
            | Action::Scroll(_)
            | Action::SwipeFrom { .. }
            | Action::ScrollUntilVisible { .. }
            | Action::TapOn(_) => self.touch(action).await?,
            Action::PressKey(_)
            | Action::Back
            | Action::HideKeyboard
            | Action::InputText(_)
            | Action::InputRandom(_)
            | Action::PasteText
            | Action::EraseText(_) => Keyboard(self).carry_out(action).await?,
            Action::Repeat { .. }
            | Action::Retry { .. }
            | Action::RunFlow { .. }
            | Action::Measure { .. } => {
                return Err(nested());
            }
            // After the others the screen may show something else.
            _ => return self.ask(action).await.map(|()| None),
        };
        self.flow.touched();
        let note = |window: &OpenWindow<'_>| window.touched(action, stamps, self.session.clock);
        self.open_window.into_iter().for_each(note);
        Ok(stamps)
    }

    async fn handle_app(&self, action: &Action) -> Result<(), Fault> {
        let (device, patience) = (&*self.session.device, self.session.patience());
        match action {
            Action::LaunchApp { .. } => self.launch(action).await,
            Action::StopApp(app) => app::stop(device, app, patience).await,
            Action::KillApp(app) => {
                device.shell(&format!("am kill {}", quote(app)), patience.call).await.map(drop)
            }
            Action::ClearState(app) => app::clear(device, app, patience).await,
            Action::OpenLink { link, ready } => {
                let link = self.flow.text(self.session, link).await?;
                self.open(&link, &link, ready).await
            }
            Action::OpenPage { page, link, ready } => self.open(page, link, ready).await,
            Action::Shell(line) => {
                let output = device.shell(line, patience.launch).await?;
                match output.status {
                    0 => Ok(()),
                    _ => Err(Fault { blame: Blame::Scenario, ..refused(line, &output) }),
                }
            }
            _ => Err(nested()),
        }
    }

    async fn touch(&self, action: &Action) -> Result<Stamps, Fault> {
        let stamped = match action {
            Action::Swipe(gesture) | Action::Scroll(gesture) => self.swipe(gesture).await?,
            Action::SwipeFrom { element, direction, duration, timeout } => {
                self.swipe_from(element, *direction, *duration, *timeout).await?
            }
            Action::ScrollUntilVisible { element, gesture, timeout } => {
                return self.scroll_until(element, gesture, *timeout).await.map(|()| None);
            }
            Action::TapOn(tap) => self.tap(tap).await?,
            _ => return Err(nested()),
        };
        Ok(Some(self.on_device(stamped)))
    }

    fn looker(&self) -> Looker<'_> {
        Looker { session: self.session, flow: self.flow }
    }

    /// What leaves the app alone: waiting, looking, scripts.
    async fn ask(&self, action: &Action) -> Result<(), Fault> {
        let (session, flow) = (self.session, self.flow);
        match action {
            Action::Wait(time) => self.framestats.wait(session, self.open_window, *time).await,
            Action::WaitForAnimationToEnd(most) => crate::still::wait(session, *most).await,
            Action::AssertVisible { element, timeout } => {
                self.looker().find(element, *timeout, "see").await.map(drop)
            }
            Action::AssertNotVisible { element, timeout } => self.looker().gone(element, *timeout).await,
            Action::ExtendedWaitUntil { until, timeout } => self.looker().wait_until(until, *timeout).await,
            Action::CopyTextFrom { element, timeout } => self.looker().copy(element, *timeout).await,
            Action::SetClipboard(text) => flow.copy(&flow.text(session, text).await?),
            Action::TakeScreenshot(name) => self.screenshot(&flow.text(session, name).await?).await,
            Action::EvalScript(script) => flow.text(session, script).await.map(drop),
            Action::AssertTrue(expression) => {
                let value = flow.text(session, expression).await?;
                if holds(&value) {
                    return Ok(());
                }
                let written = clip(&expression.to_string(), 120);
                let what = format!("`{written}` does not hold: it is `{}`", clip(&value, 80));
                Err(Fault::new(FaultCode::ConditionFalse, what))
            }
            Action::RunScript { file, script, when } => {
                if !self.condition_holds(when).await? {
                    return Ok(());
                }
                for line in flow.run(session, script).await? {
                    let words = format!("{}: {}", clip(file, 120), clip(&line, 300));
                    session.env.announcer.notice(Some(session.job), words);
                }
                Ok(())
            }
            _ => Err(nested()),
        }
    }

    /// Whether a condition holds, or comes to hold soon after the last touch.
    pub async fn condition_holds(&self, condition: &Condition) -> Result<bool, Fault> {
        let until = self.flow.until(CONDITION);
        if let Some(element) = &condition.visible
            && self.looker().seen_by(element, until).await?.is_none()
        {
            return Ok(false);
        }
        if let Some(element) = &condition.not_visible
            && !self.looker().gone_by(element, until).await?
        {
            return Ok(false);
        }
        match &condition.script {
            Some(script) => self.flow.text(self.session, script).await.map(|value| holds(&value)),
            None => Ok(true),
        }
    }

    async fn launch(&self, action: &Action) -> Result<(), Fault> {
        let Action::LaunchApp { app, clear_state, cold, arguments, permissions } = action else {
            return Ok(());
        };
        let (device, patience) = (&*self.session.device, self.session.patience());
        if *clear_state {
            app::clear(device, app, patience).await?;
        }
        if !permissions.is_empty() {
            permissions::set(device, app, permissions, patience).await?;
        }
        let extras = self.extras(arguments).await?;
        let launch = app::launch(device, app, *cold, &extras, patience).await?;
        let log = self.open_window.map_or(self.outside, |open_window| &open_window.log);
        log.borrow_mut().launches.push(launch);
        Ok(())
    }

    /// Extras of an intent as words of `am start`.
    async fn extras(&self, arguments: &BTreeMap<String, Argument>) -> Result<String, Fault> {
        let mut words = String::new();
        for (key, argument) in arguments {
            let (flag, value) = match argument {
                Argument::Flag(flag) => ("--ez", flag.to_string()),
                Argument::Whole(number) => ("--ei", number.to_string()),
                Argument::Text(text) => ("--es", self.flow.text(self.session, text).await?),
            };
            words += &format!(" {flag} {} {}", quote(key), quote(&value));
        }
        Ok(words)
    }

    /// Keeps a picture beside the evidence of the trial, unless something secret may be on the screen.
    async fn screenshot(&self, name: &str) -> Result<(), Fault> {
        let session = self.session;
        if !session.env.pictures.failures {
            let words = "no screenshot is taken where the run has secrets: one may be on the screen";
            session.env.announcer.notice(Some(session.job), words);
            return Ok(());
        }
        let picture = session.device.shell("screencap -p", session.patience().dump).await?;
        let number = self.flow.next_shot();
        let path = format!("{}/shots/{number}-{}.png", self.folder, crate::slug::slug(name));
        let kept = thumbnail(&picture.out, READABLE)
            .map_err(|why| why.to_string())
            .and_then(|small| session.env.files.write(&path, &small).map_err(|why| why.to_string()));
        if let Err(why) = kept {
            let words = format!("screenshot `{}` was not kept: {why}", clip(name, 80));
            session.env.announcer.notice(Some(session.job), words);
        }
        Ok(())
    }

    fn on_device(&self, stamped: Stamped) -> (DeviceTime, DeviceTime) {
        (self.session.clock.to_device(stamped.began), self.session.clock.to_device(stamped.ended))
    }
}

fn nested() -> Fault {
    Fault::new(FaultCode::StepNested, "a step that holds steps reached the wrong place")
}
