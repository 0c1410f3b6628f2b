//! Whether every link of a built site leads somewhere: to a file that is there, and to a place that is in it. Links to
//! other sites are read for their form alone: nobody is asked.

use super::links::resolve;
use html5gum::{DefaultEmitter, Token, Tokenizer};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Attributes that lead somewhere.
const LEADS: [&[u8]; 2] = [b"href", b"src"];

/// What was followed.
#[derive(Debug, PartialEq, Eq)]
pub struct Checked {
    pub pages: usize,
    pub links: usize,
}

/// What a page has: places that can be led to, and where it leads.
#[derive(Default)]
struct Page {
    places: BTreeSet<String>,
    leads: Vec<String>,
    /// What its links are read from instead of its own path.
    base: Option<String>,
}

/// Follows every link of every page in and below a folder.
///
/// # Errors
/// Each that leads nowhere, with its page.
pub fn check(folder: &Path) -> Result<Checked, Vec<String>> {
    let mut files = BTreeSet::new();
    walk(folder, "", &mut files);
    let mut pages = BTreeMap::new();
    for path in files.iter().filter(|path| path.ends_with(".html")) {
        let text =
            fs::read(folder.join(path)).map_err(|why| vec![format!("{path} cannot be read: {why}")])?;
        pages.insert(path.as_str(), read(&String::from_utf8_lossy(&text)));
    }
    let mut complaints = Vec::new();
    let mut count = 0;
    for (path, page) in &pages {
        for link in &page.leads {
            count += 1;
            complaints
                .extend(lost(path, page, link, &files, &pages).map(|why| format!("{path}: `{link}` {why}")));
        }
    }
    complaints.dedup();
    if complaints.is_empty() { Ok(Checked { pages: pages.len(), links: count }) } else { Err(complaints) }
}

/// Why a link leads nowhere; none where it does not.
fn lost(
    path: &str,
    page: &Page,
    link: &str,
    files: &BTreeSet<String>,
    pages: &BTreeMap<&str, Page>,
) -> Option<String> {
    if let Some((scheme, rest)) = link.split_once(':')
        && scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter))
    {
        return (!is_well_formed(scheme, rest)).then(|| "is no address".to_owned());
    }
    let (to, place) = link.split_once('#').map_or((link, None), |(to, place)| (to, Some(place)));
    let to = decoded(to.split('?').next().unwrap_or_default());
    let from = page.base.as_deref().unwrap_or(path);
    let target = match to.strip_prefix('/') {
        Some(from_root) => Some(from_root.to_owned()),
        None if to.is_empty() && page.base.is_none() => Some(path.to_owned()),
        None => resolve(from, &to),
    };
    let Some(mut target) = target else { return Some("leads out of the site".to_owned()) };
    if target.is_empty() || to.ends_with('/') {
        target = format!("{target}/index.html").trim_start_matches('/').to_owned();
    }
    if !files.contains(&target) {
        return Some(format!("leads to {target}, which is not there"));
    }
    let place = decoded(place.filter(|place| !place.is_empty() && *place != "top")?);
    let there = pages.get(target.as_str()).is_some_and(|page| page.places.contains(&place));
    (!there).then(|| format!("leads to a place that {target} does not have"))
}

/// Whether an address of the web or of mail could be one.
fn is_well_formed(scheme: &str, rest: &str) -> bool {
    let plain = |text: &str| {
        !text.is_empty() && !text.contains(|letter: char| letter.is_whitespace() || "<>\"`".contains(letter))
    };
    match scheme {
        "http" | "https" => rest.strip_prefix("//").is_some_and(|rest| {
            let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
            plain(rest) && !host.is_empty() && !host.starts_with('.') && !host.ends_with('.')
        }),
        "mailto" => {
            plain(rest) && rest.split_once('@').is_some_and(|(name, host)| plain(name) && host.contains('.'))
        }
        "data" => true,
        _ => false,
    }
}

/// What a page has and where it leads, by its tags.
fn read(html: &str) -> Page {
    let mut page = Page::default();
    let mut tags: DefaultEmitter = DefaultEmitter::default();
    // What stands in a script or a field of text is no tag.
    tags.naively_switch_states(true);
    for token in Tokenizer::new_with_emitter(html, tags) {
        let Ok(Token::StartTag(tag)) = token else { continue };
        for (name, value) in &tag.attributes {
            let (name, value) = (&**name as &[u8], String::from_utf8_lossy(value).into_owned());
            if name == b"id" || (name == b"name" && *tag.name == b"a"[..]) {
                page.places.insert(value);
            } else if *tag.name == b"base"[..] && name == b"href" {
                page.base = Some(value.trim_start_matches('/').to_owned());
            } else if LEADS.contains(&name) {
                page.leads.push(value);
            }
        }
    }
    page
}

/// `%20` and its like as what they stand for.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let pair = after.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        match pair.filter(|_| *first == b'%').and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(byte) => (bytes.push(byte), rest = &after[2..]).1,
            None => (bytes.push(*first), rest = after).1,
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn walk(folder: &Path, below: &str, files: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = format!("{below}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            walk(&entry.path(), &format!("{path}/"), files);
        } else {
            files.insert(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A site of two pages, the first with this in it.
    fn complaints(body: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("docs")).unwrap();
        fs::write(folder.path().join("docs/a.html"), format!("<h1 id=\"a\">A</h1>{body}")).unwrap();
        let other =
            "<script>if (1 < 2 && '<a href=\"none\">') {}</script><h2 id=\"zwei-§\">B</h2><a name=old></a>";
        fs::write(folder.path().join("index.html"), other).unwrap();
        fs::write(folder.path().join("site.css"), "").unwrap();
        check(folder.path()).err().unwrap_or_default()
    }

    #[test]
    fn what_leads_somewhere_is_left_alone() {
        let good = "<a href='#a'>a</a><a href=\"../index.html#zwei-%C2%A7\">b</a><A HREF=../index.html#old>c</A>\
                    <link href=\"../site.css?v=1\"><a href=\"../\">d</a><a href=\"/docs/a.html\">e</a><a href='#'>f</a>\
                    <a href=\"https://a.org/b?c#d\">g</a><a href=\"mailto:a@b.org\">h</a><!-- <a href='none'> -->\
                    <pre>&lt;a href=\"none\"></pre><textarea><a href=none></textarea>";
        assert_eq!(complaints(good), [""; 0]);
    }

    #[test]
    fn a_broken_link_a_missing_place_and_a_wrong_address_are_each_found_with_their_page() {
        for (link, why) in [
            ("none.html", "leads to docs/none.html, which is not there"),
            ("../none/", "leads to none/index.html, which is not there"),
            ("#b", "leads to a place that docs/a.html does not have"),
            ("../index.html#a", "leads to a place that index.html does not have"),
            ("../site.css#a", "leads to a place that site.css does not have"),
            ("../../x", "leads out of the site"),
            ("a.txt", "leads to docs/a.txt, which is not there"),
            ("https:///x", "is no address"),
            ("https://a b/", "is no address"),
            ("http:a.org", "is no address"),
            ("mailto:a", "is no address"),
            ("javascript:void(0)", "is no address"),
        ] {
            let told = complaints(&format!("<p><a class=x href=\"{link}\">x</a> <img src=\"{link}\">"));
            assert_eq!(told, [format!("docs/a.html: `{link}` {why}")]);
        }
    }

    #[test]
    fn a_page_that_says_where_its_links_are_read_from_is_read_so() {
        assert!(complaints("<base href=\"/\"><a href=\"docs/a.html#a\">x</a>").is_empty());
        assert_eq!(complaints("<base href=\"/\"><a href=\"a.html\">x</a>").len(), 1);
    }
}
