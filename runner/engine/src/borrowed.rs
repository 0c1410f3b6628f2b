//! Phones that somebody lent for this run: given back when nobody here needs them any more, beside the work of others.

use farmjank_results::device::DeviceId;
use farmjank_seams::device::Provider;
use futures::future::join_all;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::pin::Pin;

/// A phone on its way back: what went wrong with that.
type Errand<'a> = Pin<Box<dyn Future<Output = Option<String>> + 'a>>;

/// Begins to give back what is not needed any more; `returning` has those that are on their way.
pub(crate) fn idle<'a>(
    provider: &'a dyn Provider,
    returning: &'a RefCell<BTreeSet<DeviceId>>,
    needed: impl Fn(&DeviceId) -> bool,
) -> Vec<Errand<'a>> {
    let begun = |id: &DeviceId| returning.borrow_mut().insert(id.clone());
    let idle = provider.borrowed().into_iter().filter(|id| !needed(id)).filter(begun);
    let errand = |id: DeviceId| -> Errand<'a> {
        Box::pin(async move {
            let given = provider.give_back(&id).await;
            returning.borrow_mut().remove(&id);
            given.err().map(|fault| fault.to_string())
        })
    };
    idle.map(errand).collect()
}

/// Gives back everything that was lent; what went wrong with that.
pub async fn give_back_all(provider: &dyn Provider) -> Vec<String> {
    let borrowed = provider.borrowed();
    let given = join_all(borrowed.iter().map(|id| provider.give_back(id))).await;
    given.into_iter().filter_map(|given| given.err().map(|fault| fault.to_string())).collect()
}
