//! Names of files that a plugin delivers: relative paths that cannot lead out of its folder, wherever that lies.

use farmjank_results::evidence::PACKED;

/// Longest name, bytes.
const LONGEST: usize = 200;
/// Most folders and the file.
const DEEPEST: usize = 8;

/// Why a file cannot be called so.
///
/// # Errors
/// The reason, in words that follow the name.
pub fn fits(name: &str) -> Result<(), &'static str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.len() > LONGEST {
        return Err("a name has 1 to 200 bytes");
    }
    if name.starts_with('/') || name.split('/').any(|part| part == "..") {
        return Err("it leads out of the plugin's folder");
    }
    if name.split('/').any(|part| part.is_empty() || part.starts_with('.') || !part.chars().all(plain)) {
        return Err("its parts have letters, digits, `-`, `_` and `.`, and do not begin with `.`");
    }
    if name.split('/').count() > DEEPEST {
        return Err("it lies more than 8 folders deep");
    }
    if name.ends_with(PACKED) {
        return Err("files of that ending are packed by farmjank itself");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_inside_its_folder() {
        for fine in ["a.csv", "worst/pixel-8_2.json", "a/b/c/d/e/f/g/h"] {
            assert_eq!(fits(fine), Ok(()), "{fine}");
        }
        for bad in [
            "",
            "/etc/passwd",
            "../a",
            "a/../../b",
            "a//b",
            "a/",
            ".ssh",
            "a/.b",
            "c:\\x",
            "a\nb",
            "ä",
            "x.zst",
        ] {
            assert!(fits(bad).is_err(), "{bad:?}");
        }
        assert!(fits(&"a".repeat(201)).is_err() && fits("a/b/c/d/e/f/g/h/i").is_err());
    }
}
