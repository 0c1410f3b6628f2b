//! `sed`: `s///[gip]` on every line, and `-n Np`, `-n N,Mp`, `-n /re/p`. Anything else is refused as a bad pattern.

use super::super::state::Shell;
use super::grep;
use super::lines::{Lines, chomp};
use super::options::{Ended, Options, Stop, out, refuse};
use regex_lite::{Captures, Regex};

enum Edit {
    Substitute { what: Regex, with: String, all: bool, print: bool },
    PrintLines(u64, u64),
    PrintMatching(Regex),
    Delete(Regex),
}

/// Edits lines as they arrive.
pub(super) async fn sed(shell: &Shell, args: &[String]) -> Ended {
    let mut options = Options::parse("sed", args, "nEr", "e")?;
    let mut scripts: Vec<String> =
        options.set.iter().filter(|(l, _)| *l == 'e').map(|(_, v)| v.clone()).collect();
    if scripts.is_empty() {
        if options.operands.is_empty() {
            return Err(refuse("no pattern"));
        }
        scripts.push(options.operands.remove(0));
    }
    let extended = options.has('E') || options.has('r');
    let edits = scripts.iter().map(|script| edit(script, extended)).collect::<Result<Vec<_>, _>>()?;
    let (sources, status) = shell.inputs("sed", &options.operands).await;
    let mut number = 0;
    for (_, source) in sources {
        let mut lines = Lines::of(source);
        while let Some(line) = lines.next().await {
            number += 1;
            let newline = line.ends_with(b"\n");
            let mut text = String::from_utf8_lossy(chomp(line)).into_owned();
            let mut prints = 0;
            let mut deleted = false;
            for edit in &edits {
                apply(edit, number, &mut text, &mut prints, &mut deleted);
            }
            prints += usize::from(!options.has('n') && !deleted);
            for i in 0..prints {
                let last = i + 1 == prints;
                out(shell).write(text.as_bytes()).await?;
                if newline || !last {
                    out(shell).write(b"\n").await?;
                }
            }
        }
    }
    Ok(status)
}

fn apply(edit: &Edit, number: u64, text: &mut String, prints: &mut usize, deleted: &mut bool) {
    match edit {
        Edit::Substitute { what, with, all, print } => {
            if what.is_match(text) {
                let put = |found: &Captures<'_>| replacement(with, found);
                *text = what.replacen(text, if *all { 0 } else { 1 }, put).into_owned();
                *prints += usize::from(*print);
            }
        }
        Edit::PrintLines(from, to) => *prints += usize::from((*from..=*to).contains(&number)),
        Edit::PrintMatching(what) => *prints += usize::from(what.is_match(text)),
        Edit::Delete(what) => *deleted |= what.is_match(text),
    }
}

/// `&` and `\1` … `\9` stand for what was found.
fn replacement(with: &str, found: &Captures<'_>) -> String {
    let group = |n: usize| found.get(n).map_or("", |m| m.as_str());
    let mut out = String::new();
    let mut chars = with.chars();
    while let Some(c) = chars.next() {
        match c {
            '&' => out.push_str(group(0)),
            '\\' => match chars.next() {
                Some(digit @ '0'..='9') => out.push_str(group(digit as usize - '0' as usize)),
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(other) => out.push(other),
                None => out.push('\\'),
            },
            _ => out.push(c),
        }
    }
    out
}

fn bad(script: &str) -> Stop {
    let first = script.chars().next().unwrap_or(' ');
    refuse(format!("bad pattern '{script}'@1 ({first})"))
}

fn edit(script: &str, extended: bool) -> Result<Edit, Stop> {
    let script = script.trim();
    if let Some(rest) = script.strip_prefix('s')
        && let Some(delimiter) =
            rest.chars().next().filter(|c| !c.is_alphanumeric() && *c != '\\' && !c.is_whitespace())
    {
        let parts = pieces(&rest[delimiter.len_utf8()..], delimiter);
        let [what, with, flags] = parts.as_slice() else { return Err(bad(script)) };
        if !flags.chars().all(|c| "gipI".contains(c)) {
            return Err(bad(script));
        }
        let what = grep::expression(what, extended, flags.contains(['i', 'I']))?;
        return Ok(Edit::Substitute {
            what,
            with: with.clone(),
            all: flags.contains('g'),
            print: flags.contains('p'),
        });
    }
    if let Some(inner) = script.strip_prefix('/')
        && let [what, command] = pieces(inner, '/').as_slice()
    {
        let what = grep::expression(what, extended, false)?;
        return match command.trim() {
            "p" => Ok(Edit::PrintMatching(what)),
            "d" => Ok(Edit::Delete(what)),
            _ => Err(bad(script)),
        };
    }
    let Some(range) = script.strip_suffix('p') else { return Err(bad(script)) };
    let (from, to) = range.split_once(',').unwrap_or((range, range));
    let to = if to == "$" { u64::MAX } else { to.parse().map_err(|_| bad(script))? };
    Ok(Edit::PrintLines(from.parse().map_err(|_| bad(script))?, to))
}

/// Text cut at unescaped delimiters; an escaped delimiter stands for itself.
fn pieces(text: &str, delimiter: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let last = parts.len() - 1;
        if c == delimiter {
            parts.push(String::new());
        } else if c == '\\' {
            match chars.next() {
                Some(next) if next == delimiter => parts[last].push(next),
                Some(next) => parts[last].extend(['\\', next]),
                None => parts[last].push('\\'),
            }
        } else {
            parts[last].push(c);
        }
    }
    parts
}
