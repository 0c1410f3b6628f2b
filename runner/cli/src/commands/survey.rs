//! Asks the phones what they are, for the verbs that only look.

use crate::args::PhoneArgs;
use crate::plugin_targets;
use crate::settings::{serials, time};
use crate::wiring::{self, Phones};
use farmjank_engine::patience::Patience;
use farmjank_engine::survey::{Surveyed, Wanted, survey};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_scenarios::requirement::Requirement;

/// The phones the flags name, with what is known of each. `phones` is how many there should be, 0 where nobody says:
/// so many are waited for.
pub async fn look(args: &PhoneArgs, phones: usize) -> Result<(Phones, Vec<Surveyed>), Fault> {
    let usage = |what: String| Fault::new(FaultCode::Usage, what);
    let wait = time(&args.wait_for_devices).map_err(|why| usage(why.to_string()))?;
    let filter = args.device_filter.as_deref().map(Requirement::parse).transpose();
    let filter = filter
        .map_err(|complaint| usage(format!("--device-filter: {}; {}", complaint.what, complaint.instead)))?;
    let source = wiring::phones(args, &plugin_targets::lenders(args)?).await?;
    let mut arrivals = source.provider.watch().await?;
    let inventory = source.inventory.phones.clone();
    let wanted = Wanted { serials: serials(args), phones, inventory, wait };
    let patience = Patience::default();
    let mut surveyed = survey(&*source.provider, &mut *arrivals, &wanted, &patience, &*source.claims).await?;
    if let Some(filter) = filter {
        // One that told nothing of itself may be meant.
        surveyed.retain(|phone| match &phone.facts {
            Ok(facts) => filter.matches(facts).is_ok(),
            Err(_) => filter.may_match(&phone.sighting.id).is_ok(),
        });
    }
    Ok((source, surveyed))
}
