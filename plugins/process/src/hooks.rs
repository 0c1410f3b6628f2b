//! Plugins that are asked before and after jobs and trials, and about windows, and waited for in bounded time. One that
//! is not ready is a notice of the run; one that does not answer is asked no more.

use crate::limits::Patience;
use crate::misdeed::{Awaited, Misdeed};
use crate::reporter::Started;
use crate::session::Session;
use farmjank_seams::hook::{Hooks, Moment, When};
use farmjank_seams::window_asked::{Computed, WindowAsked};
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

/// How often an answer is looked for while phones are at work beside.
const LOOK: Duration = Duration::from_millis(5);

/// What happens while a plugin is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meanwhile {
    /// Other phones go on.
    OthersWork,
    /// Simulated time stands still: nothing of the run depends on how long a plugin takes.
    NothingMoves,
}

/// All plugins of a run.
pub struct PluginHooks {
    plugins: Vec<Started>,
    meanwhile: Meanwhile,
    pub(crate) patience: Patience,
}

impl PluginHooks {
    /// Of these plugins.
    pub fn of(plugins: &[Started], meanwhile: Meanwhile) -> PluginHooks {
        PluginHooks { plugins: plugins.to_vec(), meanwhile, patience: Patience::default() }
    }

    /// Whether any of them wants to be asked; waits for their hellos.
    pub fn are_wanted(&self) -> bool {
        let wants = |one: &Started| match &mut *one.state.borrow_mut() {
            // What goes wrong here is told when the run tells it its first event.
            Some(Ok(talk)) => {
                let _ = talk.listen(self.patience.hello, |session| session.hello().is_some());
                talk.session().hello().is_some_and(|hello| hello.has_hooks || !hello.metrics.is_empty())
            }
            _ => false,
        };
        self.plugins.iter().any(wants)
    }

    /// What to say of one that was not ready.
    async fn ask(&self, plugin: &Started, moment: &Moment) -> Option<String> {
        let answered = self.answer(plugin, moment).await;
        let state = &mut *plugin.state.borrow_mut();
        if let Err(misdeed) = &answered {
            Started::over(state, misdeed.clone());
        }
        match (answered, state) {
            (Ok(Some(why)), _) => Some(format!("{} is not ready {}: {why}", plugin.name(), words(moment))),
            (_, Some(Err(gone))) => {
                let why = gone.told()?;
                Some(format!("{} {}: {why}; the run goes on without it", plugin.name(), words(moment)))
            }
            _ => None,
        }
    }

    /// Why it is not ready, where it says so.
    async fn answer(&self, plugin: &Started, moment: &Moment) -> Result<Option<String>, Misdeed> {
        let greeted = |session: &Session| session.hello().is_some();
        if !self.wait(plugin, (Awaited::Hello, self.patience.hello), greeted).await? {
            return Ok(None);
        }
        let id = match &mut *plugin.state.borrow_mut() {
            Some(Ok(talk)) if talk.session().hello().is_some_and(|hello| hello.has_hooks) => {
                talk.ask(moment)?
            }
            _ => return Ok(None),
        };
        let answered = |session: &Session| session.answer(id).is_some();
        self.wait(plugin, (Awaited::Ready, self.patience.hook), answered).await?;
        Ok(match &*plugin.state.borrow() {
            Some(Ok(talk)) => talk.session().answer(id).and_then(Result::err).map(str::to_owned),
            _ => None,
        })
    }

    /// Waits until something is so, or why it never will be; false where there is nobody any more.
    pub(crate) async fn wait(
        &self,
        plugin: &Started,
        (awaited, longest): (Awaited, Duration),
        until: impl Fn(&Session) -> bool,
    ) -> Result<bool, Misdeed> {
        let mut end = None;
        loop {
            // Between two looks others may speak with it: nothing is held over the pause.
            match &mut *plugin.state.borrow_mut() {
                Some(Ok(talk)) => {
                    let end = *end.get_or_insert(talk.elapsed().saturating_add(longest));
                    let at_once = match self.meanwhile {
                        Meanwhile::OthersWork => Duration::ZERO,
                        Meanwhile::NothingMoves => longest,
                    };
                    if talk.listen(at_once, &until)? {
                        return Ok(true);
                    }
                    if talk.elapsed() >= end {
                        return Err(talk.silent(awaited, longest));
                    }
                }
                _ => return Ok(false),
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}

impl Hooks for PluginHooks {
    fn at<'a>(&'a self, moment: &'a Moment) -> Pin<Box<dyn Future<Output = Vec<String>> + 'a>> {
        Box::pin(async move {
            let mut said = Vec::new();
            for plugin in &self.plugins {
                said.extend(self.ask(plugin, moment).await);
            }
            said
        })
    }

    fn window<'a>(
        &'a self,
        window: &'a WindowAsked<'a>,
    ) -> Pin<Box<dyn Future<Output = Vec<Computed>> + 'a>> {
        Box::pin(async move {
            let mut computed = Vec::new();
            for plugin in &self.plugins {
                computed.extend(self.compute(plugin, window).await);
            }
            computed
        })
    }
}

fn words(moment: &Moment) -> String {
    let when = match moment.when {
        When::BeforeJob | When::BeforeTrial => "before",
        When::AfterJob | When::AfterTrial => "after",
    };
    match moment.trial {
        Some(trial) => format!("{when} trial {} of {}", trial + 1, moment.scenario),
        None => format!("{when} the job of {}", moment.scenario),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::played_pipe::{Played, Say};
    use farmjank_results::device::DeviceId;

    const HELLO: &str = r#"{"plugin":"hello","protocol":1,"offers":["reporter","hooks"]}"#;
    const READY: &str = r#"{"plugin":"ready","id":0}"#;

    fn asked(played: &Played, meanwhile: Meanwhile, times: u32) -> Vec<String> {
        let started = Started::greet("power".to_owned(), Box::new(played.clone()), "t");
        let hooks = PluginHooks::of(&[started], meanwhile);
        let (scenario, device) = ("Feed".to_owned(), DeviceId("P".to_owned()));
        let moment = Moment { when: When::BeforeTrial, job: 3, scenario, device, trial: Some(1) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        (0..times).flat_map(|_| runtime.block_on(hooks.at(&moment))).collect()
    }

    #[test]
    fn a_run_waits_until_a_plugin_is_ready_whatever_moves_meanwhile() {
        for meanwhile in [Meanwhile::NothingMoves, Meanwhile::OthersWork] {
            let played = Played::new(vec![Say::Now(HELLO), Say::After(2_000, READY)]).ticking(500);
            assert_eq!(asked(&played, meanwhile, 1), Vec::<String>::new());
            assert_eq!(played.elapsed_ms(), 2_000, "{meanwhile:?}");
            let told = played.told();
            let moment =
                r#"{"farmjank":"before_trial","id":0,"job":3,"scenario":"Feed","device":"P","trial":1}"#;
            assert_eq!(told.lines().nth(1), Some(moment));
        }
    }

    #[test]
    fn one_that_is_not_ready_is_told_and_asked_again() {
        let not = r#"{"plugin":"not_ready","id":0,"why":"the meter is off"}"#;
        let again = r#"{"plugin":"ready","id":1}"#;
        let played = Played::new(vec![Say::Now(HELLO), Say::Now(not), Say::Now(again)]);
        let said = asked(&played, Meanwhile::NothingMoves, 2);
        assert_eq!(said, ["plugin power is not ready before trial 2 of Feed: the meter is off"]);
    }

    #[test]
    fn one_that_does_not_answer_is_ended_and_asked_no_more() {
        for meanwhile in [Meanwhile::NothingMoves, Meanwhile::OthersWork] {
            let played = Played::new(vec![Say::Now(HELLO)]).ticking(6_000);
            let said = asked(&played, meanwhile, 3);
            let words = "plugin power before trial 2 of Feed: it did not answer that it is `ready` within 30 s; the run \
                         goes on without it";
            assert_eq!(said, [words], "{meanwhile:?}");
            assert_eq!((played.told().lines().count(), played.parted()), (2, vec![0]), "{meanwhile:?}");
        }
    }

    #[test]
    fn one_without_hooks_is_not_asked() {
        let played = Played::new(vec![Say::Now(r#"{"plugin":"hello","protocol":1,"offers":["reporter"]}"#)]);
        assert_eq!(asked(&played, Meanwhile::NothingMoves, 2), Vec::<String>::new());
        assert_eq!(played.told().lines().count(), 1);
    }
}
