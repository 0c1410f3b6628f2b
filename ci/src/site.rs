//! The pages of `docs/` as a site: a copy of them beside pages made from what the binary says of itself, built by
//! mdBook, and every link of what was built followed.
//!
//! `docs/SUMMARY.md` is the order. Links work in the repository and on the site: a page is staged under its own path,
//! and a link to a file that is none leads to a page that shows it. Must not know: what any page says.

mod book;
mod checked;
mod exits;
mod generated;
mod links;
mod said;
mod schema;
mod shown;
mod staged;

use crate::program::{Failed, Program, root};
use std::fs;
use std::path::{Path, PathBuf};

/// Where the copy is made, from the root.
const STAGE: &str = "target/site/stage";
/// Where the site goes unless `--out` says otherwise.
const OUT: &str = "target/site/book";
/// What brings mdBook.
const INSTALL: &str = "cargo install --locked --no-default-features --features search mdbook@0.5.4";

/// Builds the site and follows its links.
///
/// # Errors
/// Arguments nobody knows, a page or link that is wrong, or mdBook is missing or fails.
pub fn build(rest: &[String]) -> Result<(), Failed> {
    let out = match rest {
        [] => root().join(OUT),
        [flag, folder] if flag == "--out" => PathBuf::from(folder),
        _ => return Err(Failed("site takes `--out FOLDER`, or nothing".to_owned())),
    };
    if !Program::new("mdbook", "mdbook", "--version").succeeds() {
        return Err(Failed(format!("mdbook is not installed; `{INSTALL}` adds it")));
    }
    Program::cargo("build --quiet --package farmjank-cli").run()?;
    let binary = binary()?;
    let mut ask = |words: &str| Program::new(&binary, "farmjank", words).output();
    let made = generated::pages(&mut ask)?;
    let staged = staged::stage(&root(), &made).map_err(told)?;
    let stage = empty(&root().join(STAGE))?;
    staged.write(&root(), &stage)?;
    // What mdBook made once and makes no more would be followed too.
    let out = empty(&out)?;
    let build = Program::new("mdbook", "mdbook", "build --dest-dir").args(&[shown(&out), shown(&stage)]);
    build.run()?;
    let found = checked::check(&out).map_err(told)?;
    println!(
        "{}: {} pages, {} links, each leads somewhere",
        shown(&out.join("index.html")),
        found.pages,
        found.links
    );
    Ok(())
}

/// Everything that is wrong, a line each.
fn told(complaints: Vec<String>) -> Failed {
    Failed(format!("{} wrong\n{}", complaints.len(), complaints.join("\n")))
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// The farmjank that was built beside this program.
fn binary() -> Result<PathBuf, Failed> {
    let own =
        std::env::current_exe().map_err(|why| Failed(format!("nobody knows where this runs: {why}")))?;
    Ok(own.with_file_name(format!("farmjank{}", std::env::consts::EXE_SUFFIX)))
}

/// A folder with nothing in it, by its whole path. One that was no site before is left alone.
fn empty(folder: &Path) -> Result<PathBuf, Failed> {
    let failed = |why: std::io::Error| Failed(format!("{} cannot be made: {why}", folder.display()));
    let is_ours = [".nojekyll", "book.toml"].iter().any(|name| folder.join(name).is_file());
    let is_empty = fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none());
    if !is_ours && !is_empty {
        return Err(Failed(format!("{} holds no site: name an empty folder", folder.display())));
    }
    if is_ours {
        fs::remove_dir_all(folder).map_err(failed)?;
    }
    fs::create_dir_all(folder).map_err(failed)?;
    folder.canonicalize().map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_folder_that_is_no_site_is_not_emptied() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("out");
        assert!(empty(&place).unwrap().is_dir());
        fs::write(place.join("thesis.txt"), "years").unwrap();
        assert!(empty(&place).unwrap_err().0.contains("holds no site"));
        fs::write(place.join(".nojekyll"), "").unwrap();
        assert_eq!(fs::read_dir(empty(&place).unwrap()).unwrap().count(), 0);
    }

    #[test]
    fn the_site_takes_a_folder_and_nothing_else() {
        for words in [&["book"][..], &["--out"], &["--out", "a", "b"]] {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            assert!(build(&words).unwrap_err().0.contains("--out FOLDER"));
        }
    }

    /// Where it were another, everything under it would be compiled once more, here and for whoever does both.
    #[test]
    fn the_program_that_is_asked_is_compiled_as_it_is_for_the_tests() {
        let features = |words: &str| {
            let shown = "--locked --quiet --no-dedupe --prefix none --format";
            let tree = Program::cargo("tree").words(shown).args(&["{p} {f}".to_owned()]).words(words);
            let said = tree.output().unwrap();
            said.lines().map(str::to_owned).collect::<BTreeSet<String>>()
        };
        let program = features("--package farmjank-cli --edges normal,build");
        let tests = features("--workspace --edges normal,build,dev");
        let alone: Vec<&String> = program.difference(&tests).collect();
        assert_eq!(alone, Vec::<&String>::new(), "a test asks a feature of theirs that farmjank does not");
        assert!(program.len() > 100, "{program:?}");
    }

    #[test]
    fn the_pipeline_fetches_the_mdbook_that_is_asked_for() {
        let pipeline = fs::read_to_string(root().join(".ci/run")).unwrap();
        let version = INSTALL.rsplit('@').next().unwrap();
        assert!(pipeline.contains(&format!("mdbook=={version} --hash=")), "{version}");
    }
}
