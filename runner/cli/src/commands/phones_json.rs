//! Phones for programs, as `devices` and `doctor` print them. Field names are a promise (docs/listings.md): add, never
//! rename.

use crate::wiring::Phones;
use farmjank_engine::survey::Surveyed;
use farmjank_results::fault::Fault;
use serde_json::{Value, json};

/// Version of the form.
const FORMAT: u32 = 1;

/// What ails a phone, where somebody looked.
pub type Ills = Vec<String>;

/// The whole: the lab behind the phones, and each of them.
pub fn phones(phones: &Phones, surveyed: &[Surveyed], ills: Option<&[Ills]>) -> String {
    let lab = phones.lab.as_ref().map(|lab| json!({ "name": lab.name(), "seed": phones.seed }));
    let each = surveyed.iter().enumerate().map(|(at, phone)| {
        let own = phones.inventory.phone(&phone.sighting.id.0);
        let (server, id) = (&phone.sighting.server, &phone.sighting.id);
        let mut said = json!({
            "serial": id.0,
            "name": own.and_then(|own| own.name.clone()),
            "tags": own.map(|own| own.tags.clone()).unwrap_or_default(),
            "used_by": phones.claims.claimant(server, id).map(|user| user.to_string()),
            "waited_for_by": phones.claims.waiting(server, id).iter().map(ToString::to_string).collect::<Vec<_>>(),
            "facts": phone.facts.as_ref().ok(),
            "fault": phone.facts.as_ref().err(),
        });
        if let (Some(ills), Some(said)) = (ills, said.as_object_mut()) {
            let ills = ills.get(at).cloned().unwrap_or_default();
            said.insert("ready".to_owned(), json!(ills.is_empty()));
            said.insert("ills".to_owned(), json!(ills));
        }
        said
    });
    pretty(&json!({ "format": FORMAT, "lab": lab, "phones": each.collect::<Vec<_>>(), "fault": Value::Null }))
}

/// Nobody could be asked.
pub fn none(fault: &Fault) -> String {
    pretty(&json!({ "format": FORMAT, "lab": Value::Null, "phones": [], "fault": fault }))
}

fn pretty(all: &Value) -> String {
    serde_json::to_string_pretty(all).unwrap_or_default() + "\n"
}
