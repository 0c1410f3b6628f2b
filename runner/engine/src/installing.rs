//! Which build of an app is on a phone: between two trials of a job another run may have had it, with a build of its
//! own.

use crate::android::install::Installed;
use crate::builds::Install;
use farmjank_results::around::BUILD;
use farmjank_results::device::DeviceId;
use farmjank_results::fault::{Fault, FaultCode};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The builds a run brought, and where it put them.
#[derive(Default)]
pub struct Installing {
    wanted: Arc<[Install]>,
    /// By phone and app.
    there: RefCell<BTreeMap<(DeviceId, String), There>>,
}

/// A build as it was put on a phone.
struct There {
    sha256: String,
    is: Installed,
}

impl Installing {
    /// With these builds.
    pub fn of(wanted: Arc<[Install]>) -> Installing {
        Installing { wanted, there: RefCell::default() }
    }

    /// The build of an app.
    pub(crate) fn wanted(&self, app: &str) -> Option<&Install> {
        self.wanted.iter().find(|one| one.app.as_deref().is_none_or(|own| own == app))
    }

    /// Which installation of an app a phone has, by where the phone says it lies: the build, where this run put it.
    pub(crate) fn told(&self, device: &DeviceId, app: &str, lies: Option<String>) -> Option<String> {
        let there = self.there.borrow();
        let own = there.get(&(device.clone(), app.to_owned()));
        match own.filter(|own| own.is.lies() == lies.as_deref()) {
            Some(own) => Some(format!("{BUILD}{}", own.sha256)),
            None => lies,
        }
    }

    /// Whether a phone still has the build that this run put there.
    ///
    /// # Errors
    /// `app_replaced`, which passes: a job that is tried again puts it back.
    pub(crate) fn holds(&self, app: &str, installation: Option<&str>) -> Result<(), Fault> {
        let Some(wanted) = self.wanted(app) else { return Ok(()) };
        let known = installation.and_then(|is| is.strip_prefix(BUILD));
        if installation.is_none() || known == Some(&wanted.build.sha256) {
            return Ok(());
        }
        Err(replaced(format!("somebody put another build of {app} in the place of {}", wanted.build.file)))
    }

    /// Whether this run put the build there, and nobody another one since.
    pub(crate) fn is_there(&self, device: &DeviceId, app: &str, sha256: &str, now: &Installed) -> bool {
        let there = self.there.borrow();
        there.get(&(device.clone(), app.to_owned())).is_some_and(|own| own.sha256 == sha256 && own.is == *now)
    }

    /// A build was put on a phone.
    pub(crate) fn note(&self, device: &DeviceId, app: &str, sha256: &str, is: Installed) {
        let there = There { sha256: sha256.to_owned(), is };
        self.there.borrow_mut().insert((device.clone(), app.to_owned()), there);
    }
}

/// Somebody installed the app.
pub(crate) fn replaced(what: String) -> Fault {
    Fault::new(FaultCode::AppReplaced, what).passing().advise(
        "let nobody else install it on phones that are measured; other runs of this computer wait by themselves",
    )
}
