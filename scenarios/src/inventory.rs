//! What a lab has: the adb servers of its racks and the phones that should be there, each with the name and the tags
//! people give it (docs/inventory.md).
//!
//! Must not know: files, YAML; it is read by [`read::inventory`](crate::read::inventory).

/// Name of the file.
pub const FILE: &str = "farm.yaml";

/// A lab, as its inventory has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    /// Its adb servers, `host:port`; empty where the file says none.
    pub servers: Vec<String>,
    /// Its phones, in order of the file.
    pub phones: Vec<InventoryPhone>,
}

/// A phone that should be there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InventoryPhone {
    /// Serial, as adb lists it.
    pub serial: String,
    /// The adb server it is on, `host:port`, where several list its serial: it is called by its name then.
    pub server: Option<String>,
    /// What people call it.
    pub name: Option<String>,
    /// What scenarios can ask for: `tag = gate`.
    pub tags: Vec<String>,
}

impl Inventory {
    /// The phone that is called so in a run.
    pub fn phone(&self, id: &str) -> Option<&InventoryPhone> {
        self.phones.iter().find(|phone| phone.id() == id)
    }
}

impl InventoryPhone {
    /// What it is called in a run: its serial, or its name where that is one of several.
    pub fn id(&self) -> &str {
        self.server.as_ref().and(self.name.as_deref()).unwrap_or(&self.serial)
    }
}
