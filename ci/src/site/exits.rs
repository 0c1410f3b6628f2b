//! The page of exit codes: what the help of each command says of them.

use super::said::Command;

const SAID: &str = "Exit codes: ";

/// The page.
pub fn page(commands: &[Command]) -> String {
    let mut page = "# Exit codes\n\nWhat the help of each command says of them. The first line is what all mean where nothing else is said; [Verdicts](../docs/design/verdicts.md) has what \
                    comes to which.\n\n| command | exit codes |\n| --- | --- |\n"
        .to_owned();
    for command in commands {
        if let Some(codes) = codes(&command.help) {
            page.push_str(&format!(
                "| `{}` | {} |\n",
                command.name,
                codes.replace('|', "\\|").replace('<', "&lt;")
            ));
        }
    }
    page
}

/// The paragraph of a help that tells them, on one line.
fn codes(help: &str) -> Option<String> {
    let rest = help.split(SAID).nth(1)?;
    let lines = rest.lines().take_while(|line| !line.trim().is_empty());
    Some(lines.map(str::trim).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_tells_its_codes_has_a_line_and_another_has_none() {
        let command = |name: &str, help: &str| Command { name: name.to_owned(), help: help.to_owned() };
        let page = page(&[
            command("farmjank", "Options:\n  -h\n\nExit codes: 0 pass · 1 a|b\n  and <c>\n\nMore\n"),
            command("farmjank lab", "the exit code is the run's\n"),
        ]);
        assert!(page.contains("| `farmjank` | 0 pass · 1 a\\|b and &lt;c> |\n"), "{page}");
        assert!(!page.contains("`farmjank lab`"));
    }
}
