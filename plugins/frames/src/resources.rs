//! What the app and its phone use beside the frames: `/proc`, the thermal, battery and network services.
//!
//! A probe that watches only where somebody asks. It looks at both ends of a window, and in between once a second at
//! what a shell reads by itself: nothing of it halts the app, as `dumpsys meminfo` would. Must not
//! know: metrics, limits, who asked.

mod read;
mod script;

use farmjank_results::device::{App, DeviceFacts};
use farmjank_results::frame::SourceId;
use farmjank_results::resources::Resource;
use farmjank_results::side_reading::SideReading;
use farmjank_results::time::ClockMap;
use farmjank_seams::probe::{Only, Probe, ProbeOutput, ProbeReader, Scope};
use farmjank_seams::source::{Unfit, Unreadable};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The probe of what is asked for; of nothing, before somebody asks.
#[derive(Clone, Debug, Default)]
pub struct Resources {
    asked: BTreeSet<Resource>,
}

impl ProbeReader for Resources {
    fn id(&self) -> SourceId {
        SourceId::Resources
    }

    fn file(&self) -> &'static str {
        "resources.txt"
    }

    fn read(
        &self,
        output: &ProbeOutput,
        _app: &App,
        clock: Option<ClockMap>,
    ) -> Result<SideReading, Unreadable> {
        read::watch(&output.mark, &output.bytes, clock).map(SideReading::Resources)
    }
}

impl Probe for Resources {
    fn scope(&self) -> Scope {
        Scope::Window
    }

    fn offer(&self, _facts: &DeviceFacts) -> Result<(), Unfit> {
        Ok(())
    }

    fn only(&self, asked: &BTreeSet<Resource>) -> Only {
        match asked.is_empty() {
            true => Only::Never,
            false => Only::This(Rc::new(Resources { asked: asked.clone() })),
        }
    }

    fn begin(&self, facts: &DeviceFacts, app: &App, _nonce: u64) -> String {
        script::begin(&self.asked, facts.sdk, app)
    }

    fn during(&self, _facts: &DeviceFacts, app: &App) -> Option<String> {
        script::during(&self.asked, app)
    }

    fn end(&self, facts: &DeviceFacts, app: &App, _nonce: u64, _mark: &[u8]) -> String {
        script::end(&self.asked, facts.sdk, app)
    }
}
