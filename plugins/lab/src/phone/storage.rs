//! Files that commands made.

use std::collections::BTreeMap;

/// What fits beside a file's name, bytes: it is written where no block is left for more (f2fs, inline data).
const INLINE: usize = 1_024;

/// Files that commands made, by the name the shell knows them by.
#[derive(Debug, Default)]
pub struct Storage {
    files: BTreeMap<String, Vec<u8>>,
    full: bool,
}

impl Storage {
    /// Puts a file there; an empty one where no room is left for it.
    pub fn write(&mut self, path: &str, bytes: Vec<u8>) {
        let fits = !self.full || bytes.len() <= INLINE;
        self.files.insert(place(path), if fits { bytes } else { Vec::new() });
    }

    /// No room is left from now on, or there is again.
    pub fn fill(&mut self, full: bool) {
        self.full = full;
    }

    /// Whether no room is left.
    pub fn is_full(&self) -> bool {
        self.full
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
        self.full |= other.full;
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
