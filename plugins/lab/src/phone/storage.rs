//! Files that commands made.

use std::collections::BTreeMap;

/// Files that commands made, by the name the shell knows them by.
#[derive(Debug, Default)]
pub struct Storage {
    files: BTreeMap<String, Vec<u8>>,
}

impl Storage {
    /// Puts a file there.
    pub fn write(&mut self, path: &str, bytes: Vec<u8>) {
        self.files.insert(place(path), bytes);
    }

    /// What is in a file.
    pub fn read(&self, path: &str) -> Option<&[u8]> {
        self.files.get(&place(path)).map(Vec::as_slice)
    }

    /// Paths, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Takes over what another has.
    pub fn append(&mut self, other: &mut Storage) {
        self.files.append(&mut other.files);
    }

    /// Takes a file away; says whether there was one.
    pub fn remove(&mut self, path: &str) -> bool {
        self.files.remove(&place(path)).is_some()
    }
}

/// The shared storage goes by several names.
fn place(path: &str) -> String {
    for alias in ["/storage/emulated/0/", "/mnt/sdcard/", "/storage/self/primary/"] {
        if let Some(rest) = path.strip_prefix(alias) {
            return format!("/sdcard/{rest}");
        }
    }
    path.to_owned()
}
