//! Apps that come and go while the phone lives. Their windows are closed first, so no window outlives its pages.

use super::activities::Process;
use super::acts::Act;
use super::state::PhoneSim;
use super::world;
use crate::app::App;
use crate::spec::AppSpec;
use std::rc::Rc;

/// The app a phone came with.
pub(crate) fn factory<'a>(sim: &'a PhoneSim, id: &str) -> Option<&'a AppSpec> {
    sim.acts.first.apps.iter().find(|app| app.id() == id).map(|app| &app.spec)
}

/// Takes over what is installed on the same phone before it booted again.
pub(crate) fn keep_apps(sim: &mut PhoneSim, before: &PhoneSim) {
    for (place, app) in before.setup.apps.iter().enumerate() {
        match app.absent {
            true => sim.act(sim.clock(), Act::Uninstall(place)),
            false if app.put.is_some() => sim.act(sim.clock(), Act::Install(Box::new(app.clone()))),
            false => {}
        }
    }
}

pub(super) fn install(sim: &mut PhoneSim, t: i64, app: App) {
    match sim.setup.apps.iter().position(|other| other.id() == app.id()) {
        Some(place) => {
            world::stop(sim, t, place);
            Rc::make_mut(&mut sim.setup).apps[place] = app;
        }
        None => {
            Rc::make_mut(&mut sim.setup).apps.push(app);
            sim.activities.processes.push(Process::default());
        }
    }
}

pub(super) fn uninstall(sim: &mut PhoneSim, t: i64, app: usize) {
    world::stop(sim, t, app);
    Rc::make_mut(&mut sim.setup).apps[app].absent = true;
}
