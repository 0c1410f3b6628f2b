//! Asks the phones what they are, for the verbs that only look.

use crate::args::PhoneArgs;
use crate::settings::{serials, time};
use crate::wiring::{Phones, phones};
use farmjank_engine::patience::Patience;
use farmjank_engine::survey::{Surveyed, Wanted, survey};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_scenarios::requirement::Requirement;

/// The phones the flags name, with what is known of each.
pub async fn look(args: &PhoneArgs) -> Result<(Phones, Vec<Surveyed>), Fault> {
    let usage = |what: String| Fault::new(FaultCode::Usage, what);
    let wait = time(&args.wait_for_devices).map_err(|why| usage(why.to_string()))?;
    let filter = args.device_filter.as_deref().map(Requirement::parse).transpose();
    let filter = filter
        .map_err(|complaint| usage(format!("--device-filter: {}; {}", complaint.what, complaint.instead)))?;
    let phones = phones(args).await?;
    let mut arrivals = phones.provider.watch().await?;
    let wanted = Wanted { serials: serials(args), wait };
    let mut surveyed = survey(&*phones.provider, &mut *arrivals, &wanted, &Patience::default()).await?;
    if let Some(filter) = filter {
        surveyed.retain(|phone| phone.facts.as_ref().is_ok_and(|facts| filter.matches(facts).is_ok()));
    }
    Ok((phones, surveyed))
}
