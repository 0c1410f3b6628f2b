//! Phones that plugins lend, among those of adb servers.

use farmjank_devices::adb::servers_named;
use farmjank_process::lending::message::{Offer, Reach};
use farmjank_process::lending::provider::Lenders;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_scenarios::inventory::{Inventory, InventoryPhone};
use farmjank_seams::host::Address;
use farmjank_seams::names::PhoneNames;

/// A virtual lab within the run has its own phones, on its own clock.
pub fn no_lab() -> Fault {
    let what = "--plugin: one of the plugins lends phones, and a virtual lab within the run (--lab) has no place for them";
    Fault::new(FaultCode::Usage, what).advise("leave out --lab; `farmjank lab serve` serves a lab as phones")
}

/// The inventory, with what plugins tell of their phones: labels are tags.
pub fn tagged(mut inventory: Inventory, lenders: &Lenders) -> Inventory {
    for offer in lenders.offers().filter(|offer| offer.name.is_some() || !offer.labels.is_empty()) {
        match inventory.phones.iter_mut().find(|phone| phone.id() == offer.phone.0) {
            Some(own) => own.tags.extend(offer.labels.iter().cloned()),
            None => inventory.phones.push(listed(offer)),
        }
    }
    inventory
}

fn listed(offer: &Offer) -> InventoryPhone {
    let Offer { phone, name, labels, .. } = offer;
    InventoryPhone { serial: phone.0.clone(), server: None, name: name.clone(), tags: labels.clone() }
}

/// Adds the servers that plugins have phones on, which are used for those alone; what phones are called there.
///
/// # Errors
/// An address that is none.
pub fn reached(
    lenders: &Lenders,
    servers: &mut Vec<Address>,
    mut names: PhoneNames,
) -> Result<(PhoneNames, Vec<String>), Fault> {
    let mut own = Vec::new();
    for offer in lenders.offers() {
        let Reach::Listed(server, serial) = &offer.reach else { continue };
        let named = servers_named(std::slice::from_ref(server));
        let named = named.map_err(|why| Fault::new(FaultCode::Servers, why.to_string()))?;
        for address in named {
            names = names.and((&address.to_string(), serial, &offer.phone));
            if !servers.contains(&address) {
                own.push(address.to_string());
                servers.push(address);
            }
        }
    }
    Ok((names, own))
}
