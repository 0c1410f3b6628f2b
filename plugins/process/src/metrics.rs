//! Plugins that compute metrics, asked about windows. Whatever one does, a metric without a number has a reason, and
//! nobody waits longer than for a hook.

use crate::hooks::PluginHooks;
use crate::misdeed::{Awaited, Misdeed};
use crate::reporter::Started;
use crate::session::Session;
use crate::values::Values;
use farmjank_results::plugin_metric::{self, FrameTold, PluginAsked, without};
use farmjank_seams::window_asked::{Computed, WindowAsked};

impl PluginHooks {
    /// What a plugin makes of a window; none of one that computes nothing.
    pub(crate) async fn compute(&self, plugin: &Started, window: &WindowAsked<'_>) -> Option<Computed> {
        let greeted = |session: &Session| session.hello().is_some();
        let met = self.wait(plugin, (Awaited::Hello, self.patience.hello), greeted).await;
        met.unwrap_or_else(|misdeed| plugin.lose(misdeed));
        let mut asked = plugin.computes()?;
        let frames = match &window.frames {
            Ok(frames) => frames,
            Err(why) => return Some(Computed { readings: without(&asked, why), asked }),
        };
        let answer = self.values(plugin, window, frames, &mut asked).await;
        let readings = match answer {
            Ok(values) => values.readings(&asked),
            Err(misdeed) => {
                let why = format!("plugin {}: {misdeed}", asked.plugin);
                plugin.lose(misdeed);
                without(&asked, &why)
            }
        };
        Some(Computed { asked, readings })
    }

    async fn values(
        &self,
        plugin: &Started,
        window: &WindowAsked<'_>,
        frames: &[FrameTold],
        asked: &mut PluginAsked,
    ) -> Result<Values, Misdeed> {
        let id = match &mut *plugin.state.borrow_mut() {
            Some(Ok(talk)) => talk.ask_of_window(window, frames)?,
            Some(Err(gone)) => return Err(gone.misdeed().clone()),
            None => return Err(Misdeed::Failed("it took leave".to_owned())),
        };
        asked.frames = Some(plugin_metric::hash(frames));
        let answered = |session: &Session| session.values(id).is_some();
        self.wait(plugin, (Awaited::Values, self.patience.hook), answered).await?;
        match &*plugin.state.borrow() {
            Some(Ok(talk)) => Ok(talk.session().values(id).cloned().unwrap_or_default()),
            Some(Err(gone)) => Err(gone.misdeed().clone()),
            None => Err(Misdeed::Failed("it took leave".to_owned())),
        }
    }
}

impl Started {
    /// What the user calls it.
    pub fn called(&self) -> &str {
        &self.called
    }

    /// What it computes, as its hello says; waits for the hello no longer than its patience.
    ///
    /// # Errors
    /// It said none in time, or that it computes nothing.
    pub fn metrics(&self, hooks: &PluginHooks) -> Result<PluginAsked, Misdeed> {
        if let Some(Ok(talk)) = &mut *self.state.borrow_mut() {
            talk.greeted(&hooks.patience)?;
        }
        self.computes().ok_or(Misdeed::NoMetrics)
    }

    fn computes(&self) -> Option<PluginAsked> {
        let state = self.state.borrow();
        let hello = match state.as_ref()? {
            Ok(talk) => talk.session().hello(),
            Err(gone) => gone.hello(),
        }?;
        let (plugin, version) = (self.called.clone(), hello.version.clone());
        let metrics = hello.metrics.clone();
        (!metrics.is_empty()).then_some(PluginAsked { plugin, version, metrics, frames: None })
    }

    /// It is talked to no more.
    fn lose(&self, misdeed: Misdeed) -> bool {
        Started::over(&mut self.state.borrow_mut(), misdeed);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::Meanwhile;
    use crate::played_pipe::{Played, Say};
    use farmjank_results::device::DeviceId;
    use farmjank_results::event::WindowMeasured;
    use farmjank_results::metric::Reading;
    use farmjank_seams::hook::Hooks;

    const HELLO: &str = r#"{"plugin":"hello","protocol":1,"version":"2","offers":["reporter","metrics"],"metrics":[{"name":"uneven","unit":"%","better":"lower","about":"x"}]}"#;

    /// The reading of each of so many windows, and how the plugin saw it.
    fn asked(says: Vec<Say>, windows: u32) -> (Vec<Reading>, Played) {
        let played = Played::new(says).ticking(6_000);
        let started = Started::greet("pace".to_owned(), Box::new(played.clone()), "t");
        let hooks = PluginHooks::of(&[started], Meanwhile::NothingMoves);
        let (device, measured) = (DeviceId("P".to_owned()), WindowMeasured::default());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let one = |trial| {
            let (device, measured) = (&device, &measured);
            let asked =
                WindowAsked { job: 0, scenario: "S", device, trial, measured, frames: Ok(Vec::new()) };
            let computed = runtime.block_on(hooks.window(&asked));
            let [computed] = &computed[..] else { panic!("{computed:?}") };
            assert_eq!(computed.asked.version.as_deref(), Some("2"));
            computed.readings["pace.uneven"].clone()
        };
        ((0..windows).map(one).collect(), played)
    }

    fn why(says: Vec<Say>) -> String {
        match &asked(says, 1).0[..] {
            [Reading::Unmeasurable(why)] => why.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_number_is_a_reading_and_whatever_is_none_has_a_reason() {
        let said = r#"{"plugin":"measured","id":0,"values":{"uneven":2.5}}"#;
        let (readings, played) = asked(vec![Say::Now(HELLO), Say::Now(said)], 1);
        assert_eq!(readings, [Reading::Value(2.5)]);
        let told = played.told();
        let line = told.lines().nth(1).unwrap();
        assert!(
            line.starts_with(
                r#"{"farmjank":"measure","id":0,"job":0,"scenario":"S","device":"P","trial":0,"#
            )
        );
        for (said, reason) in [
            (
                r#"{"plugin":"measured","id":0,"values":{"uneven":null},"why":{"uneven":"too few"}}"#,
                "too few",
            ),
            (
                r#"{"plugin":"measured","id":0,"values":{"uneven":null}}"#,
                "it said neither a number nor why there is none",
            ),
            (r#"{"plugin":"measured","id":0,"values":{}}"#, "its answer does not have it"),
            (
                r#"{"plugin":"measured","id":0,"values":{"uneven":-1}}"#,
                "it said -1, and no metric is negative",
            ),
            (
                r#"{"plugin":"measured","id":0,"values":{"uneven":101}}"#,
                "it said 101, and 100 is the most of %",
            ),
            (
                r#"{"plugin":"measured","id":0,"values":{"other":1}}"#,
                "it said what is no message of the protocol: the metric `other`, which its hello does not list",
            ),
            (
                r#"{"plugin":"measured","id":0,"values":{"uneven":NaN}}"#,
                r#"it said what is no JSON: {"plugin":"measured","id":0,"values":{"uneven":NaN}}"#,
            ),
            (
                r#"{"plugin":"ready","id":0}"#,
                "it said what is no message of the protocol: an answer to 0, which nobody asks",
            ),
        ] {
            assert_eq!(why(vec![Say::Now(HELLO), Say::Now(said)]), format!("plugin pace: {reason}"));
        }
    }

    #[test]
    fn one_that_is_silent_or_gone_has_a_reason_in_every_window_and_is_asked_once() {
        let (readings, played) = asked(vec![Say::Now(HELLO)], 3);
        let silent = "plugin pace: it did not answer with its numbers within 30 s".to_owned();
        assert_eq!(readings, vec![Reading::Unmeasurable(silent.into()); 3]);
        assert_eq!((played.told().lines().count(), played.parted()), (2, vec![0]));
        assert_eq!(
            why(vec![Say::Now(HELLO), Say::Close]),
            "plugin pace: it ended before its numbers (exit 1); its last words: oh\\u{1b} no"
        );
    }

    #[test]
    fn what_a_hello_says_of_metrics_is_held_to_its_form() {
        let wrong = |metrics: &str| {
            let from = HELLO.find("[{").unwrap();
            let line = format!("{}{metrics}}}", &HELLO[..from]);
            Session::default().hear(line.as_bytes()).unwrap_err().to_string()
        };
        let one = r#"{"name":"a","unit":"ms","better":"lower","about":"x"}"#;
        for (metrics, why) in [
            ("[]".to_owned(), "lists 0 of them, not 1 to 100"),
            (format!("[{one},{one}]"), "the metric `a` twice"),
            (
                format!("[{}]", one.replace("\"a\"", "\"A b\"")),
                "a metric called `A b`; its name has small letters",
            ),
            (format!("[{}]", one.replace("\"x\"", "\" \"")), "a metric `a` without `about`"),
            (
                format!("[{}]", one.replace("\"ms\"", "\"parsec\"")),
                "unknown variant `parsec`, expected one of `fps`, `ms`",
            ),
        ] {
            assert!(wrong(&metrics).contains(why), "{metrics}: {}", wrong(&metrics));
        }
    }
}
