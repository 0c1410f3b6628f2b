//! A recorder beside the trace of a trial that does not count: begun before each of its windows, as it follows the
//! process that runs then, and ended behind it, its file brought into the bundle. Whatever becomes of it, the trial
//! goes on, and says what became of it.

use crate::android::pieces::Unfetched;
use crate::probes::Probes;
use farmjank_results::evidence::PACKED;
use farmjank_results::fault::Fault;
use farmjank_seams::probe::{Companion, Scope};

/// What came of a companion.
pub struct Accompanied {
    /// Its file in the bundle; none where nothing came.
    pub fetched: Option<String>,
    /// What it said when it was ended, or why that is not known.
    pub said: Result<Vec<u8>, String>,
}

impl Accompanied {
    /// Its file in the bundle.
    pub fn path(&self) -> Option<String> {
        self.fetched.clone()
    }
}

impl Probes<'_> {
    /// Begins what runs beside the trace, if there is such a thing on this phone.
    ///
    /// # Errors
    /// The phone was lost. Whatever else fails is told by what it leaves: nothing.
    pub(crate) async fn begin_companion(&self) -> Result<(), Fault> {
        let (facts, app) = (self.session.facts, &self.session.app);
        let find = |companion: &mut Option<Companion>| {
            *companion =
                self.of(Scope::Trial, true).find_map(|probe| probe.companion(facts, app, self.nonce()));
            companion.as_ref().map(|companion| companion.begin.clone())
        };
        let Some(line) = find(&mut self.companion.borrow_mut()) else { return Ok(()) };
        let began = self.session.device.shell(&line, self.session.patience().launch).await;
        began.map(drop).or_else(|fault| if fault.is_lost() { Err(fault) } else { Ok(()) })
    }

    /// Ends it, and brings its file to this place of the bundle; none where none was begun.
    pub(crate) async fn end_companion(&self, place: &str) -> Option<Accompanied> {
        // It stays noted while it is asked: a cancelled trial leaves nothing open.
        let companion = self.companion.borrow().clone()?;
        let said = self.session.device.shell(&companion.end, self.session.patience().launch).await;
        let came = match said {
            Err(fault) => Accompanied { fetched: None, said: Err(fault.what) },
            Ok(output) => {
                let path = format!("{place}.{}{PACKED}", companion.file);
                match self.fetched(&companion.left, path).await {
                    Ok(fetched) => Accompanied { fetched: Some(fetched.path), said: Ok(output.out) },
                    Err(Unfetched::Fault(fault)) => Accompanied { fetched: None, said: Err(fault.what) },
                    // There is no file: why, it says itself.
                    Err(Unfetched::Refused(_)) if !output.out.trim_ascii().is_empty() => {
                        Accompanied { fetched: None, said: Ok(output.out) }
                    }
                    Err(Unfetched::Refused(why)) => Accompanied { fetched: None, said: Err(why) },
                }
            }
        };
        self.companion.take();
        Some(came)
    }

    /// Ends one that a cancelled trial left running, and takes away what it left.
    pub(crate) async fn abandon_companion(&self) -> Result<(), Fault> {
        let Some(companion) = self.companion.take() else { return Ok(()) };
        let line = format!("{}; {}", companion.end, companion.left.discard);
        self.session.device.shell(&line, self.session.patience().launch).await.map(drop)
    }
}
