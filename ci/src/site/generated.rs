//! Pages made from what the binary says of itself: its commands, its exit codes, and the files it reads.

use super::book::Made;
use super::said::{Ask, Command};
use super::{exits, schema};
use crate::program::Failed;

/// All pages, in order.
///
/// # Errors
/// The binary does not say, or not in a form that is known.
pub fn pages(ask: Ask) -> Result<Vec<Made>, Failed> {
    let mut commands = Vec::new();
    asked(ask, "", &mut commands)?;
    let mut pages = vec![
        Made {
            title: "Every command".to_owned(),
            path: "reference/commands.md".to_owned(),
            text: page(&commands),
        },
        Made {
            title: "Exit codes".to_owned(),
            path: "reference/exit-codes.md".to_owned(),
            text: exits::page(&commands),
        },
    ];
    for (kind, about) in schema::kinds(ask)? {
        let text = ask(&format!("schema {kind}"))?;
        pages.push(Made {
            title: format!("Schema: {about}"),
            path: format!("reference/schema-{kind}.md"),
            text: schema::page(&kind, &about, &text)?,
        });
    }
    Ok(pages)
}

/// A command and all below it, as they list each other.
fn asked(ask: Ask, words: &str, found: &mut Vec<Command>) -> Result<(), Failed> {
    let help = ask(format!("{words} --help").trim_start())?;
    let below = named(&help);
    found.push(Command { name: format!("farmjank {words}").trim_end().to_owned(), help });
    for verb in below {
        asked(ask, format!("{words} {verb}").trim_start(), found)?;
    }
    Ok(())
}

/// The commands a help lists.
fn named(help: &str) -> Vec<String> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty());
    // What a command does may take more lines, which begin further in.
    let names = listed.filter_map(|line| line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')));
    names
        .filter_map(|rest| rest.split(' ').next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

fn page(commands: &[Command]) -> String {
    let mut page = "# Every command\n\nWhat `--help` says of each, word for word.\n\n".to_owned();
    for command in commands {
        page.push_str(&format!("- [`{}`](#{})\n", command.name, command.name.replace(' ', "-")));
    }
    for command in commands {
        page.push_str(&format!("\n## {}\n\n```text\n{}\n```\n", command.name, command.help.trim_end()));
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(words: &str) -> Result<String, Failed> {
        let text = match words {
            "--help" => {
                "Tool\n\nCommands:\n  run   Run it,\n         or not\n  lab   A lab\n  help  Help\n\nOptions:\n  -h\n\nExit codes: 0 pass · 2 usage\n"
            }
            "run --help" => "Run it\n\nExit codes: 0 ran · 1\nfailed\n",
            "lab --help" => "A lab\n\nCommands:\n  list  List\n",
            "lab list --help" => "List\n",
            "schema --help" => "Arguments:\n  [KIND]\n          Possible values:\n          - lab:  Labs\n\n",
            "schema lab" => "{\"$defs\":{},\"type\":\"object\",\"properties\":{}}",
            _ => return Err(Failed(words.to_owned())),
        };
        Ok(text.to_owned())
    }

    #[test]
    fn every_command_is_asked_and_stands_on_the_page_in_its_own_words() {
        let pages = pages(&mut said).unwrap();
        let text = &pages[0].text;
        let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("## ")).collect();
        assert_eq!(headings, ["## farmjank", "## farmjank run", "## farmjank lab", "## farmjank lab list"]);
        assert!(text.contains("- [`farmjank lab list`](#farmjank-lab-list)\n"));
        assert!(text.contains("## farmjank run\n\n```text\nRun it\n\nExit codes: 0 ran · 1\nfailed\n```\n"));
        let titles: Vec<&str> = pages.iter().map(|page| page.title.as_str()).collect();
        assert_eq!(titles, ["Every command", "Exit codes", "Schema: Labs"]);
    }
}
