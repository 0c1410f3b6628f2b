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
    /// What people call it.
    pub name: Option<String>,
    /// What scenarios can ask for: `tag = gate`.
    pub tags: Vec<String>,
}

impl Inventory {
    /// The phone of this serial.
    pub fn phone(&self, serial: &str) -> Option<&InventoryPhone> {
        self.phones.iter().find(|phone| phone.serial == serial)
    }
}
