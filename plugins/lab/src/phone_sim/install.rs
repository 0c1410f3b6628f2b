//! Apps that come and go while the phone lives. Their windows are closed first, so no window outlives its pages.

use super::{Act, PhoneSim, Process};
use crate::app::App;
use crate::spec::AppSpec;
use std::rc::Rc;

impl PhoneSim {
    /// The app a phone came with.
    pub fn factory(&self, id: &str) -> Option<&AppSpec> {
        self.first.apps.iter().find(|app| app.id() == id).map(|app| &app.spec)
    }

    /// Takes over what is installed on the same phone before it booted again.
    pub fn keep_apps(&mut self, before: &PhoneSim) {
        for (place, app) in before.setup.apps.iter().enumerate() {
            match app.absent {
                true => self.act(self.clock, Act::Uninstall(place)),
                false if app.put.is_some() => self.act(self.clock, Act::Install(Box::new(app.clone()))),
                false => {}
            }
        }
    }

    pub(super) fn install(&mut self, t: i64, app: App) {
        match self.setup.apps.iter().position(|other| other.id() == app.id()) {
            Some(place) => {
                self.stop(t, place);
                Rc::make_mut(&mut self.setup).apps[place] = app;
            }
            None => {
                Rc::make_mut(&mut self.setup).apps.push(app);
                self.processes.push(Process::default());
            }
        }
    }

    pub(super) fn uninstall(&mut self, t: i64, app: usize) {
        self.stop(t, app);
        Rc::make_mut(&mut self.setup).apps[app].absent = true;
    }
}
