//! The copy that becomes the site: every page of the list under its own path, and beside it what they link to.

use super::book::{self, Made, SUMMARY};
use super::links::{links, resolve};
use super::shown;
use crate::program::Failed;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// What is built from beside pages.
const BESIDE: [(&str, &str); 2] =
    [("docs/book.toml", "book.toml"), ("docs/theme/site.css", "theme/site.css")];
/// Folders every page of which has to stand in the list.
const WHOLE: &str = "docs";
/// Files that browsers show by themselves, by their endings.
const PICTURES: [&str; 2] = [".png", ".svg"];

/// The page of a folder, and what mdBook makes of it without telling the links to it.
const README: &str = "README.md";
const INDEX: &str = "index.md";
/// Shown where a page is asked for that is not there. Without a heading: one links to itself, and is found elsewhere.
const MISSING: &str = "There is no such page. The list has all there are, and the search what is in them.\n";

/// Everything the site is built from.
pub struct Staged {
    summary: String,
    /// Text of each page by its path.
    pages: BTreeMap<String, String>,
    /// Files that are copied as they are.
    pictures: BTreeSet<String>,
    /// Files of which a page is made.
    files: BTreeSet<String>,
}

/// Reads what the site is built from.
///
/// # Errors
/// Everything that is wrong with lists, pages and links, a line each.
pub fn stage(root: &Path, made: &[Made]) -> Result<Staged, Vec<String>> {
    let mut complaints = Vec::new();
    let summary = read(root, SUMMARY).map_err(|why| vec![why])?;
    let pages = book::pages(&summary);
    let listed: BTreeSet<&str> = pages.iter().map(String::as_str).collect();
    for page in below(root, WHOLE) {
        if page != SUMMARY && !listed.contains(page.as_str()) {
            complaints.push(format!("{page} is not in {SUMMARY}: give it a line there"));
        }
    }
    let mut staged = Staged {
        summary: book::with(&summary, made).map_err(|Failed(why)| vec![why])?,
        pages: made.iter().map(|page| (page.path.clone(), page.text.clone())).collect(),
        pictures: BTreeSet::new(),
        files: BTreeSet::new(),
    };
    for page in &pages {
        match read(root, page) {
            Ok(text) => {
                let text = staged.follow(root, page, text, &listed, &mut complaints);
                staged.pages.insert(page.clone(), text);
            }
            Err(why) => complaints.push(format!("{SUMMARY}: {why}")),
        }
    }
    if complaints.is_empty() { Ok(staged) } else { Err(complaints) }
}

impl Staged {
    /// A page with links that work on the site; what they lead to is staged too.
    fn follow(
        &mut self,
        root: &Path,
        page: &str,
        mut text: String,
        listed: &BTreeSet<&str>,
        complaints: &mut Vec<String>,
    ) -> String {
        let mut written = Vec::new();
        for link in links(&text).iter().filter(|link| !link.stays()) {
            let mut complain =
                |why: &str| complaints.push(format!("{page}:{}: `{}` {why}", link.line, link.target));
            let Some(path) = resolve(page, link.path()) else {
                complain("leads out of the repository");
                continue;
            };
            let file = root.join(&path);
            let end = link.range.start + link.path().len();
            if file.is_dir() {
                complain("is a folder, which a site cannot show: link to a file in it");
            } else if !file.is_file() {
                complain("does not exist");
            } else if path.ends_with(".md") {
                if !listed.contains(path.as_str()) {
                    complain(&format!("is no page of the site: give it a line in {SUMMARY}"));
                } else if path.ends_with(README) {
                    written.push((end - README.len()..end, INDEX));
                }
            } else if PICTURES.iter().any(|end| path.ends_with(end)) {
                self.pictures.insert(path);
            } else {
                written.push((end..end, shown::END));
                self.files.insert(path);
            }
        }
        for (range, words) in written.into_iter().rev() {
            text.replace_range(range, words);
        }
        text
    }

    /// Writes all of it into a folder.
    ///
    /// # Errors
    /// A file that cannot be read or written.
    pub fn write(&self, root: &Path, folder: &Path) -> Result<(), Failed> {
        let source = folder.join("src");
        put(&source.join("SUMMARY.md"), self.summary.as_bytes())?;
        for (path, text) in &self.pages {
            put(&source.join(path), text.as_bytes())?;
        }
        put(&source.join("404.md"), MISSING.as_bytes())?;
        for path in &self.pictures {
            put(&source.join(path), &bytes(&root.join(path))?)?;
        }
        for path in &self.files {
            let text = bytes(&root.join(path))?;
            let page = shown::page(path, &String::from_utf8_lossy(&text));
            put(&source.join(format!("{path}{}", shown::END)), page.as_bytes())?;
        }
        for (from, to) in BESIDE {
            put(&folder.join(to), &bytes(&root.join(from))?)?;
        }
        Ok(())
    }
}

fn read(root: &Path, path: &str) -> Result<String, String> {
    fs::read_to_string(root.join(path)).map_err(|why| format!("{path} cannot be read: {why}"))
}

fn bytes(path: &Path) -> Result<Vec<u8>, Failed> {
    fs::read(path).map_err(|why| Failed(format!("{} cannot be read: {why}", path.display())))
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), Failed> {
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    let written = folder.and_then(|()| fs::write(path, bytes));
    written.map_err(|why| Failed(format!("{} cannot be written: {why}", path.display())))
}

/// Pages in and below a folder, by their paths from the root.
fn below(root: &Path, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
    let mut found = Vec::new();
    for entry in entries {
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            found.extend(below(root, &path));
        } else if path.ends_with(".md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small repository, whose page `docs/ci.md` says this.
    fn repository(page: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let list = "# Summary\n\n[It](../README.md)\n\n# Reference\n\n- [A](ci.md)\n";
        for (path, text) in [
            (SUMMARY, list),
            ("README.md", "[a](docs/ci.md) ![p](docs/p.png)\n"),
            ("docs/ci.md", page),
            ("docs/p.png", "a picture"),
            ("docs/book.toml", ""),
            ("docs/theme/site.css", ""),
            ("x/y.rs", "fn y<T>() {}\n"),
            ("x/README.md", "# Not listed\n"),
        ] {
            put(&folder.path().join(path), text.as_bytes()).unwrap();
        }
        folder
    }

    fn complaints(page: &str) -> Vec<String> {
        stage(repository(page).path(), &[]).err().unwrap_or_default()
    }

    #[test]
    fn pages_pictures_and_files_lie_where_links_lead() {
        let from = repository("[code](../x/y.rs#L1) [up](../README.md#it)\n");
        let made =
            Made { title: "M".to_owned(), path: "reference/m.md".to_owned(), text: "# M\n".to_owned() };
        let staged = stage(from.path(), &[made]).unwrap_or_else(|why| panic!("{why:?}"));
        let to = tempfile::tempdir().unwrap();
        staged.write(from.path(), to.path()).unwrap();
        let read = |path: &str| fs::read_to_string(to.path().join("src").join(path)).unwrap();
        assert_eq!(read("docs/ci.md"), "[code](../x/y.rs.html#L1) [up](../index.md#it)\n");
        assert!(read("x/y.rs.html").contains("fn y&lt;T&gt;() {}"));
        assert!(read("SUMMARY.md").contains("- [M](reference/m.md)\n- [A](docs/ci.md)\n"));
        assert_eq!(
            (read("docs/p.png"), read("reference/m.md")),
            ("a picture".to_owned(), "# M\n".to_owned())
        );
    }

    #[test]
    fn what_is_wrong_with_a_link_is_told_with_its_place() {
        for (link, why) in [
            ("../x/z.rs", "does not exist"),
            ("../x", "is a folder"),
            ("../../x", "leads out of the repository"),
            ("../x/README.md", "is no page of the site"),
        ] {
            let told = complaints(&format!("# A\n\n[link]({link})\n"));
            assert!(
                told.len() == 1 && told[0].starts_with(&format!("docs/ci.md:3: `{link}` {why}")),
                "{told:?}"
            );
        }
        assert!(complaints("[a](https://a.org) [b](#a) [c](mailto:a@b.c) `[d](none)`\n").is_empty());
    }

    #[test]
    fn a_page_that_nobody_listed_or_that_is_not_there_is_found() {
        let folder = repository("");
        put(&folder.path().join("docs/design/log.md"), b"# New\n").unwrap();
        let told = stage(folder.path(), &[]).err().unwrap();
        assert_eq!(told, ["docs/design/log.md is not in docs/SUMMARY.md: give it a line there"]);
        fs::remove_file(folder.path().join("docs/ci.md")).unwrap();
        let told = stage(folder.path(), &[]).err().unwrap();
        assert!(
            told.iter().any(|why| why.starts_with("docs/SUMMARY.md: docs/ci.md cannot be read")),
            "{told:?}"
        );
    }

    #[test]
    fn the_pages_of_this_repository_are_all_listed_and_lead_to_what_is_there() {
        let staged = stage(&crate::program::root(), &[]).unwrap_or_else(|why| panic!("{}", why.join("\n")));
        assert!(staged.pages.len() > 50 && staged.files.len() > 50 && !staged.pictures.is_empty());
    }
}
