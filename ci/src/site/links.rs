//! Links of Markdown pages, and where they lead.

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};
use std::ops::Range;

/// One link or picture of a page, as it is written there.
pub struct Link<'t> {
    pub target: &'t str,
    /// Where that stands in the page.
    pub range: Range<usize>,
    /// From 1.
    pub line: usize,
}

impl Link<'_> {
    /// What stands before the `#`.
    pub fn path(&self) -> &str {
        self.target.split('#').next().unwrap_or_default()
    }

    /// Whether it leads out of the repository, or nowhere else in it.
    pub fn stays(&self) -> bool {
        self.path().is_empty() || self.target.contains("://") || self.target.starts_with("mailto:")
    }
}

/// The links of a page in order. What stands in code is none.
pub fn links(page: &str) -> Vec<Link<'_>> {
    let events = Parser::new_ext(page, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH);
    let mut found = Vec::new();
    for (event, range) in events.into_offset_iter() {
        if let Event::Start(
            Tag::Link { link_type: LinkType::Inline, .. } | Tag::Image { link_type: LinkType::Inline, .. },
        ) = event
            && let Some(at) = page[range.clone()].rfind("](")
        {
            let start = range.start + at + 2;
            let target = page[start..range.end].split([')', ' ']).next().unwrap_or_default();
            let line = page[..start].matches('\n').count() + 1;
            found.push(Link { target, range: start..start + target.len(), line });
        }
    }
    // A picture inside a link begins later and ends first.
    found.sort_by_key(|link| link.range.start);
    found
}

/// Where a link of a file leads, both by their paths from the same folder; none above that folder.
pub fn resolve(from: &str, to: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in to.split('/') {
        match part {
            ".." => drop(parts.pop()?),
            "." | "" => {}
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_where_readers_see_some() {
        let page = "[a](b.md#c) `[no](no.md)` ![p](q.png)\n\n```\n[no](no.md)\n```\n\n| x |\n| --- |\n| [`t|`](u.rs) |\n\n[![p](q.png)](r.md \"t\") <https://a.org> [e](https://a.org)\n";
        let found: Vec<(&str, usize)> = links(page).iter().map(|link| (link.target, link.line)).collect();
        assert_eq!(
            found,
            [("b.md#c", 1), ("q.png", 1), ("q.png", 11), ("r.md", 11), ("https://a.org", 11)],
            "a bar ends the cell of a table, also in code"
        );
        assert!(links(page).iter().all(|link| &page[link.range.clone()] == link.target));
        assert_eq!(links("| x |\n| --- |\n| [t](u.rs) |\n")[0].target, "u.rs");
    }

    #[test]
    fn a_path_is_read_from_the_folder_of_its_page() {
        assert_eq!(resolve("docs/design/lab.md", "../../x/y.rs").as_deref(), Some("x/y.rs"));
        assert_eq!(resolve("README.md", "./docs/ci.md").as_deref(), Some("docs/ci.md"));
        assert_eq!(resolve("docs/ci.md", "../../x"), None);
    }
}
