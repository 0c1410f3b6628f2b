//! Metrics of plugins: asked for once the trial is over and its windows are measured, and waited for. What they fail at
//! is a reading without a number.

use super::Trial;
use farmjank_results::event::WindowMeasured;
use farmjank_results::plugin_metric::{FrameTold, told};
use farmjank_results::window::Window;
use farmjank_seams::window_asked::WindowAsked;

impl Trial<'_> {
    /// Has plugins say what they make of the windows of a trial that counts; `cuts` are the windows as cut.
    pub(super) async fn compute(&self, windows: &mut [WindowMeasured], cuts: Vec<Option<Window>>) {
        if !self.asks_plugins {
            return;
        }
        let session = self.session;
        for (window, cut) in windows.iter_mut().zip(cuts) {
            let asked = WindowAsked {
                job: session.job,
                scenario: &session.scenario.name,
                device: &session.facts.id,
                trial: self.number,
                measured: window,
                frames: frames(window, cut.as_ref()),
            };
            let computed = session.env.hooks.window(&asked).await;
            for one in computed {
                window.readings.extend(one.readings.into_iter().map(|(key, reading)| (key.into(), reading)));
                window.plugins.push(one.asked);
            }
        }
    }
}

/// What plugins are told of the frames of a window, or why they are not asked.
fn frames(window: &WindowMeasured, cut: Option<&Window>) -> Result<Vec<FrameTold>, String> {
    if let Some(why) = &window.void {
        return Err(format!("not asked: the window is void: {why}"));
    }
    match cut {
        None => Err("not asked: no frame was seen".to_owned()),
        Some(cut) if !cut.coverage.proved => {
            Err(format!("not asked: coverage is not proved: {}", cut.coverage.doubts.join("; ")))
        }
        Some(cut) => Ok(told(cut)),
    }
}
