//! What is looked at behind every window, before any number is.

use super::Trial;
use crate::android::quiet;
use farmjank_results::fault::Fault;

impl Trial<'_> {
    /// Causes that void a window, looked for before any number is: heat, a change of it, apps being compiled; a crash
    /// or another window in front is a fault.
    pub(super) async fn guard(&self) -> Result<Option<String>, Fault> {
        let session = self.session;
        let (device, patience) = (&*session.device, session.patience());
        let (sdk, own) = (session.facts.sdk, &session.env.signature());
        let mut conditions = quiet::after(device, sdk, &session.app.0, patience, own).await??;
        let before = self.conditions.take();
        {
            let mut around = self.around.borrow_mut();
            (around.thermal_status, around.battery_celsius) = (conditions.thermal, conditions.battery);
        }
        let void = conditions.voids_since(&before);
        conditions.compiling |= before.compiling;
        conditions.foreign = conditions.foreign.or(before.foreign);
        self.conditions.replace(conditions);
        Ok(void)
    }
}
