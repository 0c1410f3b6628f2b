//! Where the code of processes lies: which file is mapped to an address, and where in it the address is.

use std::collections::BTreeMap;
use std::rc::Rc;

/// The kernel's own maps are those of this process.
pub const KERNEL: i32 = -1;
/// Most maps of one process; what is mapped later has no name.
const MOST: usize = 200_000;

/// A stretch of addresses a file is mapped to.
#[derive(Clone, Debug)]
pub struct Map {
    /// First address.
    pub start: u64,
    /// How many.
    pub length: u64,
    /// Where in the file they begin.
    pub offset: u64,
    /// The file.
    pub file: Rc<str>,
}

/// Maps of all processes.
#[derive(Debug, Default)]
pub struct Maps(BTreeMap<i32, BTreeMap<u64, Map>>);

impl Maps {
    /// A file is mapped. It takes the place of what was there.
    pub fn map(&mut self, process: i32, map: Map) {
        let all = self.0.entry(process).or_default();
        let end = map.start.saturating_add(map.length);
        let hidden: Vec<u64> = all.range(map.start..end).map(|(start, _)| *start).collect();
        hidden.iter().for_each(|start| drop(all.remove(start)));
        // What began before is cut where the new one begins; its rest behind the new one is rarely code.
        if let Some((_, before)) = all.range_mut(..map.start).next_back() {
            before.length = before.length.min(map.start - before.start);
        }
        if all.len() < MOST && map.length > 0 {
            all.insert(map.start, map);
        }
    }

    /// A process begins as another one is.
    pub fn fork(&mut self, parent: i32, process: i32) {
        if parent != process
            && let Some(maps) = self.0.get(&parent).cloned()
        {
            self.0.insert(process, maps);
        }
    }

    /// The file at an address of a process, and the place in it.
    pub fn find(&self, process: i32, address: u64) -> Option<(&Map, u64)> {
        let (_, map) = self.0.get(&process)?.range(..=address).next_back()?;
        let within = address - map.start;
        (within < map.length).then(|| (map, within.saturating_add(map.offset)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_mapped_over_another_takes_its_place_and_a_child_begins_as_its_parent_is() {
        let mut maps = Maps::default();
        let map = |start, length, file: &str| Map { start, length, offset: 0x10, file: Rc::from(file) };
        maps.map(7, map(0x1000, 0x1000, "old.so"));
        maps.map(7, map(0x1800, 0x100, "new.so"));
        maps.fork(7, 8);
        let of = |process, address| maps.find(process, address).map(|(map, place)| (&*map.file, place));
        assert_eq!(of(7, 0x17ff), Some(("old.so", 0x80f)));
        assert_eq!(of(8, 0x1800), Some(("new.so", 0x10)));
        assert_eq!(of(8, 0x1900), None);
        assert_eq!(of(9, 0x1800), None);
    }
}
