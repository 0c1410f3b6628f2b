//! File names for the evidence of windows. Must not know who keeps it.

/// A file name from a window's name: letters, digits and dashes, bounded.
pub(crate) fn slug(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' })
        .collect();
    let words: Vec<&str> = plain.split('-').filter(|word| !word.is_empty()).collect();
    words.join("-").chars().take(48).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn slugs_are_safe_file_names() {
        assert_eq!(super::slug("fling the feed"), "fling-the-feed");
        assert_eq!(super::slug("../../etc/passwd\n"), "etc-passwd");
        assert_eq!(super::slug("滚动"), "");
    }
}
