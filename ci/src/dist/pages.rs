//! What the binary says of itself for shells and for `man`.

use super::archive::Entry;
use crate::program::{Failed, Program};
use std::path::Path;

/// Shells, and what they want the file of their completions called.
pub const SHELLS: [(&str, &str); 4] = [
    ("bash", "completions/farmjank.bash"),
    ("elvish", "completions/farmjank.elv"),
    ("fish", "completions/farmjank.fish"),
    ("zsh", "completions/_farmjank"),
];
/// PowerShell's, which nobody but Windows has by itself.
const POWERSHELL: (&str, &str) = ("powershell", "completions/_farmjank.ps1");
/// Where its pages lie.
pub const MAN: &str = "man/";

/// Completions of every shell, and a page of the program and of each of its commands.
///
/// # Errors
/// The binary is not for this machine, or does not say.
pub fn of(binary: &Path) -> Result<Vec<Entry>, Failed> {
    let said = |words: &str| Program::new(binary, &binary.display().to_string(), words).output();
    let file = |name: String, text: String| Entry { name, runs: false, bytes: text.into_bytes() };
    let mut entries = Vec::new();
    for (shell, name) in SHELLS.into_iter().chain([POWERSHELL]) {
        entries.push(file(name.to_owned(), said(&format!("completions {shell}"))?));
    }
    let page = said("man")?;
    for command in commands(&page) {
        entries.push(file(format!("{MAN}farmjank-{command}.1"), said(&format!("man {command}"))?));
    }
    entries.push(file(format!("{MAN}farmjank.1"), page));
    Ok(entries)
}

/// The commands a page names, such as `run` of `farmjank\-run(1)`.
fn commands(page: &str) -> Vec<String> {
    let name =
        |line: &str| Some(line.trim().strip_prefix("farmjank\\-")?.strip_suffix("(1)")?.replace("\\-", "-"));
    page.lines().filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_names_commands() {
        let page = ".TP\nfarmjank\\-run(1)\nMeasure\n.TP\nfarmjank\\-lab\\-health(1)\nfarmjank run\n";
        assert_eq!(commands(page), ["run", "lab-health"]);
    }
}
