//! Phones for programs, as `devices` and `doctor` print them. Field names are a promise (docs/listings.md): add, never
//! rename.

use crate::wiring::Phones;
use farmjank_engine::survey::Surveyed;
use farmjank_results::fault::Fault;
use serde_json::{Value, json};

/// Version of the form.
const FORMAT: u32 = 1;

/// What was found of a phone, where somebody looked.
pub struct Examined {
    /// What ails it, each with what to do.
    pub ills: Vec<String>,
    /// What it can tell of why frames are late; none where it told no facts.
    pub causes: Option<Value>,
}

/// The whole: the lab behind the phones, and each of them.
pub fn phones(phones: &Phones, surveyed: &[Surveyed], examined: Option<&[Examined]>) -> String {
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
        let own = examined.and_then(|all| all.get(at));
        if let (Some(own), Some(said)) = (own, said.as_object_mut()) {
            said.insert("ready".to_owned(), json!(own.ills.is_empty()));
            said.insert("ills".to_owned(), json!(own.ills));
            said.insert("causes".to_owned(), json!(own.causes));
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
