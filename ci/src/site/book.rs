//! `docs/SUMMARY.md`: which pages there are, in which order. It is read from where it lies, and written for a book
//! that holds every page under its path from the root.

use super::links::{links, resolve};
use crate::program::Failed;

/// Where it lies.
pub const SUMMARY: &str = "docs/SUMMARY.md";
/// The part that made pages stand first in.
const REFERENCE: &str = "# Reference\n";

/// A page that is made, not copied.
pub struct Made {
    /// What the list of pages calls it.
    pub title: String,
    /// Its path from the root.
    pub path: String,
    pub text: String,
}

/// The pages in order, by their paths from the root.
pub fn pages(summary: &str) -> Vec<String> {
    links(summary).iter().filter_map(|link| resolve(SUMMARY, link.path())).collect()
}

/// The same list as the book needs it, with the pages that are made.
///
/// # Errors
/// There is no part for those.
pub fn with(summary: &str, made: &[Made]) -> Result<String, Failed> {
    let mut text = summary.to_owned();
    for link in links(summary).into_iter().rev() {
        if let Some(path) = resolve(SUMMARY, link.path()) {
            text.replace_range(link.range.clone(), &path);
        }
    }
    let lines: String = made.iter().map(|page| format!("- [{}]({})\n", page.title, page.path)).collect();
    let Some((before, after)) = text.split_once(REFERENCE) else {
        return Err(Failed(format!("{SUMMARY} has no part `{}`", REFERENCE.trim_end())));
    };
    Ok(format!("{before}{REFERENCE}\n{lines}{}", after.trim_start_matches('\n')))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str =
        "# Summary\n\n[It](../README.md)\n\n# Reference\n\n- [A](ci.md)\n  - [B](design/lab.md)\n";

    #[test]
    fn pages_stand_under_their_paths_and_made_ones_first_in_the_reference() {
        assert_eq!(pages(LIST), ["README.md", "docs/ci.md", "docs/design/lab.md"]);
        let made = Made { title: "M".to_owned(), path: "reference/m.md".to_owned(), text: String::new() };
        assert_eq!(
            with(LIST, &[made]).unwrap(),
            "# Summary\n\n[It](README.md)\n\n# Reference\n\n- [M](reference/m.md)\n- [A](docs/ci.md)\n  - [B](docs/design/lab.md)\n"
        );
        assert!(with("# Summary\n", &[]).is_err());
    }
}
