//! The files that were read for a run, as they were then, and when a change of them is one to act on. Looks at files by
//! their size and time alone, which holds over network mounts, too. Must not know what is in them.

use crate::host;
use farmjank_results::file_error::{FileError, FileProblem};
use farmjank_scenarios::read::SourceFile;
use farmjank_shifts::shift::Texts;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What a file or folder is taken by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stamp {
    /// There is none.
    Missing,
    /// A file: when it was written, ns since 1970, and its bytes.
    File(Option<u128>, usize),
    /// A folder: the scenario files below it.
    Folder(Vec<PathBuf>),
}

/// Files and folders with their stamps.
pub type Stamps = BTreeMap<PathBuf, Stamp>;

/// What was read, each as it was just before.
#[derive(Default)]
pub struct FilesRead {
    stamps: RefCell<Stamps>,
    /// Scenario files by name, in order.
    files: RefCell<Vec<(String, Vec<u8>)>>,
    /// What they run, by path.
    flows: RefCell<BTreeMap<String, Vec<u8>>>,
    /// Variables they were given.
    given: RefCell<BTreeMap<String, String>>,
}

impl FilesRead {
    /// A file or folder that is read now.
    pub fn note(&self, path: &Path) {
        let mut all = self.stamps.borrow_mut();
        // As it was when it was read first: a change since then is one.
        all.entry(path.to_owned()).or_insert_with(|| stamp(path));
    }

    /// All of them, as they were.
    pub fn stamps(&self) -> Stamps {
        self.stamps.borrow().clone()
    }

    /// These scenario files were read, with these variables.
    pub fn read(&self, files: &[SourceFile], given: &BTreeMap<String, String>) {
        *self.files.borrow_mut() = files.iter().map(|file| (file.name.clone(), file.text.clone())).collect();
        self.flows.borrow_mut().clear();
        self.given.borrow_mut().clone_from(given);
    }

    /// This is what a scenario runs.
    pub fn ran(&self, path: &str, bytes: &[u8]) {
        self.flows.borrow_mut().insert(path.to_owned(), bytes.to_vec());
    }

    /// Everything scenarios are read from, to read them elsewhere.
    ///
    /// # Errors
    /// One is no text.
    pub fn texts(&self) -> Result<Texts, FileError> {
        let text = |name: &String, bytes: &Vec<u8>| match String::from_utf8(bytes.clone()) {
            Ok(text) => Ok((name.clone(), text)),
            Err(_) => Err(FileError::new(Path::new(name), FileProblem::NotText)),
        };
        let (files, flows) = (self.files.borrow(), self.flows.borrow());
        Ok(Texts {
            files: files.iter().map(|(name, bytes)| text(name, bytes)).collect::<Result<_, _>>()?,
            flows: flows.iter().map(|(name, bytes)| text(name, bytes)).collect::<Result<_, _>>()?,
            given: self.given.borrow().clone(),
        })
    }
}

fn stamp(path: &Path) -> Stamp {
    match (host::is_folder(path), host::is_there(path)) {
        // One that cannot be walked has no files, until it can.
        (true, _) => Stamp::Folder(host::yaml_files(path).unwrap_or_default()),
        (_, true) => Stamp::File(host::written_ns(path), host::length(path)),
        _ => Stamp::Missing,
    }
}

/// The same files and folders as they are now.
pub fn again(of: &Stamps) -> Stamps {
    of.keys().map(|path| (path.clone(), stamp(path))).collect()
}

/// Looks in a row in which nothing moves before a change is acted on: editors write in bursts, and put a new file in
/// the place of the old one.
const STILL: u32 = 3;

/// Waits for files to change and then to lie still.
pub struct Waiting {
    was: Stamps,
    last: Stamps,
    still: u32,
}

impl Waiting {
    /// From what was read.
    pub fn since(was: Stamps) -> Waiting {
        Waiting { last: was.clone(), was, still: 0 }
    }

    /// What is looked at.
    pub fn files(&self) -> &Stamps {
        &self.was
    }

    /// Takes another look; which files changed, once they lie still.
    pub fn look(&mut self, now: Stamps) -> Option<Vec<PathBuf>> {
        self.still = if now == self.last { self.still + 1 } else { 0 };
        self.last = now;
        if self.still < STILL || self.last == self.was {
            return None;
        }
        let differs = |(path, stamp): &(&PathBuf, &Stamp)| self.was.get(*path) != Some(stamp);
        let mut changed: Vec<PathBuf> =
            self.last.iter().filter(differs).map(|(path, _)| path.clone()).collect();
        // The folder is told by its files, where one that was read is among them.
        if changed.iter().any(|path| matches!(self.last[path], Stamp::File(..))) {
            changed.retain(|path| !matches!(self.last[path], Stamp::Folder(_)));
        }
        Some(changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(files: &[(&str, usize)]) -> Stamps {
        let stamp = |bytes: usize| if bytes == 0 { Stamp::Missing } else { Stamp::File(None, bytes) };
        files.iter().map(|(name, bytes)| (PathBuf::from(name), stamp(*bytes))).collect()
    }

    fn looks(waiting: &mut Waiting, all: &[&[(&str, usize)]]) -> Vec<Option<Vec<PathBuf>>> {
        all.iter().map(|now| waiting.look(of(now))).collect()
    }

    #[test]
    fn a_change_counts_once_the_files_lie_still() {
        let (old, new): (&[_], &[_]) = (&[("a", 1), ("b", 1)], &[("a", 2), ("b", 1)]);
        let mut waiting = Waiting::since(of(old));
        assert_eq!(looks(&mut waiting, &[old, old, old, old, old]), [None, None, None, None, None]);
        let told = looks(&mut waiting, &[new, new, new, new]);
        assert_eq!(told, [None, None, None, Some(vec![PathBuf::from("a")])]);
    }

    #[test]
    fn a_burst_is_one_change_and_a_file_that_is_put_back_as_it_was_is_none() {
        let mut waiting = Waiting::since(of(&[("a", 1), ("b", 1)]));
        let burst: [&[_]; 5] = [
            &[("a", 0), ("b", 1)],
            &[("a", 0), ("b", 1)],
            &[("a", 2), ("b", 1)],
            &[("a", 2), ("b", 3)],
            &[("a", 2), ("b", 3)],
        ];
        assert!(looks(&mut waiting, &burst).iter().all(Option::is_none));
        let still: &[_] = &[("a", 2), ("b", 3)];
        assert_eq!(looks(&mut waiting, &[still, still])[1].as_ref().map(Vec::len), Some(2));
        let mut waiting = Waiting::since(of(&[("a", 1)]));
        assert_eq!(
            looks(&mut waiting, &[&[("a", 0)], &[("a", 1)], &[("a", 1)], &[("a", 1)], &[("a", 1)]]),
            [None, None, None, None, None]
        );
    }

    #[test]
    fn a_file_that_was_written_while_it_was_used_is_a_change_at_once() {
        let mut waiting = Waiting::since(of(&[("a", 1)]));
        let now: &[_] = &[("a", 9)];
        assert_eq!(looks(&mut waiting, &[now, now, now, now])[3], Some(vec![PathBuf::from("a")]));
        // One that is gone is a change, too: what runs says that it is missing.
        let mut waiting = Waiting::since(of(&[("a", 1)]));
        let now: &[_] = &[("a", 0)];
        assert_eq!(looks(&mut waiting, &[now, now, now, now])[3], Some(vec![PathBuf::from("a")]));
    }

    #[test]
    fn a_new_file_is_told_as_its_folder_and_an_old_one_by_its_name() {
        let folder = |files: &[&str]| Stamp::Folder(files.iter().map(PathBuf::from).collect());
        let with = |inside: &[&str], bytes: usize| {
            let mut all = of(&[("f/a", bytes)]);
            all.insert("f".into(), folder(inside));
            all
        };
        let mut waiting = Waiting::since(with(&["f/a"], 1));
        let told = (0..4).map(|_| waiting.look(with(&["f/a", "f/b"], 1))).last();
        assert_eq!(told, Some(Some(vec![PathBuf::from("f")])));
        let mut waiting = Waiting::since(with(&["f/a"], 1));
        let told = (0..4).map(|_| waiting.look(with(&["f/a", "f/b"], 2))).last();
        assert_eq!(told, Some(Some(vec![PathBuf::from("f/a")])));
    }
}
