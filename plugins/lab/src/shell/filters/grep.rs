//! `grep` with basic, extended and fixed patterns.

use super::super::state::Shell;
use super::around::Around;
use super::lines::{Lines, chomp};
use super::options::{Ended, Options, Stop, out, refuse};
use memchr::memmem::Finder;
use regex_lite::{Regex, RegexBuilder};

/// What a line is asked for. Finders are made once for all lines: a dump has thousands.
enum Matcher {
    /// A plain text anywhere in the line, or any of several, `one|two`.
    Texts(Vec<Finder<'static>>),
    Expression(Regex),
}

impl Matcher {
    fn hit<'a>(&self, line: &'a [u8]) -> Option<&'a [u8]> {
        match self {
            // The leftmost; where several begin there, POSIX takes the longest.
            Matcher::Texts(finders) => {
                let found =
                    finders.iter().filter_map(|finder| Some((finder.find(line)?, finder.needle().len())));
                let (at, length) = found.min_by_key(|(at, length)| (*at, usize::MAX - length))?;
                Some(&line[at..at + length])
            }
            Matcher::Expression(regex) => match std::str::from_utf8(line) {
                Ok(text) => regex.find(text).map(|found| &line[found.range()]),
                Err(_) => regex.is_match(&String::from_utf8_lossy(line)).then_some(line),
            },
        }
    }
}

/// One that needs nothing of the pattern any more.
fn finder(text: &str) -> Finder<'static> {
    Finder::new(text).into_owned()
}

/// Prints lines that match. Status 0 when one did, 1 when none did, 2 on errors.
pub(super) async fn grep(shell: &Shell, name: &str, args: &[String]) -> Ended {
    let mut options = Options::parse(name, args, "EFGivcqnoshHxwl", "meABC")?;
    let mut patterns: Vec<String> =
        options.set.iter().filter(|(l, _)| *l == 'e').map(|(_, v)| v.clone()).collect();
    if patterns.is_empty() {
        if options.operands.is_empty() {
            return Err(Stop::Refused("no REGEX".to_owned(), 2));
        }
        patterns.push(options.operands.remove(0));
    }
    let matchers = patterns
        .iter()
        .flat_map(|p| p.split('\n'))
        .map(|p| matcher(name, p, &options))
        .collect::<Result<Vec<_>, _>>()?;
    let (sources, missing) = shell.inputs(name, &options.operands).await;
    let most = options.number('m')?.unwrap_or(u64::MAX);
    let named = (options.operands.len() > 1 || options.has('H')) && !options.has('h');
    let around = options.number('C')?.unwrap_or(0) as usize;
    let [above, below] = [options.number('B')?, options.number('A')?]
        .map(|lines| lines.map_or(around, |lines| lines as usize));
    // Where only parts of lines or counts are wanted, lines around them are not.
    let bare = ['o', 'c', 'l'].into_iter().any(|letter| options.has(letter));
    let mut any = false;
    for (file, source) in sources {
        let mut lines = Lines::of(source);
        let mut hits = 0;
        let mut number = 0u64;
        let mut near = Around::new(above, below);
        while (hits < most || near.follows())
            && let Some(line) = lines.next().await
        {
            number += 1;
            let text = chomp(line);
            let found = matchers.iter().find_map(|matcher| matcher.hit(text));
            let prefix = |mark: char| {
                let file = if named { format!("{file}{mark}") } else { String::new() };
                if options.has('n') { format!("{file}{number}{mark}") } else { file }
            };
            if found.is_some() == options.has('v') || hits >= most {
                let row = || [prefix('-').as_bytes(), text, b"\n"].concat();
                if let Some(row) = near.missed(row).filter(|_| !bare) {
                    out(shell).write(&row).await?;
                }
                continue;
            }
            hits += 1;
            any = true;
            if options.has('q') {
                return Ok(0);
            }
            if options.has('c') || options.has('l') {
                continue;
            }
            let before = near.found();
            let mut row = if bare { Vec::new() } else { before };
            row.extend(prefix(':').into_bytes());
            row.extend_from_slice(if options.has('o') { found.unwrap_or(text) } else { text });
            row.push(b'\n');
            out(shell).write(&row).await?;
        }
        if options.has('c') {
            let prefix = if named { format!("{file}:") } else { String::new() };
            out(shell).write(format!("{prefix}{hits}\n").as_bytes()).await?;
        } else if options.has('l') && hits > 0 {
            out(shell).write(format!("{file}\n").as_bytes()).await?;
        }
    }
    Ok(if missing != 0 { 2 } else { i32::from(!any) })
}

fn matcher(name: &str, pattern: &str, options: &Options) -> Result<Matcher, Stop> {
    let fixed = name == "fgrep" || options.has('F');
    let extended = name == "egrep" || options.has('E');
    let special = |c: char| "\\^$.[]|()?*+{}".contains(c);
    let whole = options.has('x') || options.has('w');
    if !options.has('i') && !whole && (fixed || !pattern.contains(special)) {
        return Ok(Matcher::Texts(vec![finder(pattern)]));
    }
    let texts = || pattern.split('|');
    if extended
        && !options.has('i')
        && !whole
        && texts().all(|text| !text.is_empty() && !text.contains(special))
    {
        return Ok(Matcher::Texts(texts().map(finder).collect()));
    }
    let mut expression = match (fixed, extended) {
        (true, _) => regex_lite::escape(pattern),
        (_, true) => pattern.to_owned(),
        _ => basic(pattern),
    };
    if options.has('w') {
        expression = format!(r"\b(?:{expression})\b");
    }
    if options.has('x') {
        expression = format!("^(?:{expression})$");
    }
    compile(&expression, options.has('i'))
        .ok_or_else(|| Stop::Refused(format!("bad REGEX '{pattern}'"), 2))
        .map(Matcher::Expression)
}

/// Compiles an expression with bounded size; nothing when it is wrong or too big.
pub(super) fn compile(expression: &str, ignore_case: bool) -> Option<Regex> {
    RegexBuilder::new(&classes(expression))
        .case_insensitive(ignore_case)
        .size_limit(1 << 20)
        .nest_limit(50)
        .build()
        .ok()
}

/// A `[` inside a bracket expression is plain in POSIX and special in the crate; `[[:digit:]]` stays.
fn classes(expression: &str) -> String {
    let chars: Vec<char> = expression.chars().collect();
    let mut out = String::with_capacity(expression.len());
    let mut i = 0;
    while i < chars.len() {
        let c = chars[i];
        out.push(c);
        i += 1;
        if c == '\\' {
            out.extend(chars.get(i));
            i += 1;
            continue;
        }
        if c != '[' {
            continue;
        }
        if chars.get(i) == Some(&'^') {
            out.push('^');
            i += 1;
        }
        let first = i;
        while let Some(&inner) = chars.get(i) {
            i += 1;
            match inner {
                ']' if i - 1 > first => {
                    out.push(']');
                    break;
                }
                '[' if chars.get(i) == Some(&':') => {
                    out.push('[');
                    while let Some(&k) = chars.get(i) {
                        out.push(k);
                        i += 1;
                        if k == ']' {
                            break;
                        }
                    }
                }
                '[' | ']' | '\\' | '&' | '~' => out.extend(['\\', inner]),
                _ => out.push(inner),
            }
        }
    }
    out
}

/// A basic regular expression in the spelling of an extended one.
pub(super) fn basic(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars().peekable();
    let mut start = true;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(c @ ('(' | ')' | '{' | '}' | '|' | '+' | '?')) => {
                    out.push(c);
                    start = matches!(c, '(' | '|');
                    continue;
                }
                Some(c) => out.extend(['\\', c]),
                None => out.push_str("\\\\"),
            },
            '(' | ')' | '{' | '}' | '|' | '+' | '?' => out.extend(['\\', c]),
            '*' if start => out.push_str("\\*"),
            '^' if !start => out.push_str("\\^"),
            '$' if chars.peek().is_some_and(|next| *next != '\\') => out.push_str("\\$"),
            '[' => {
                out.push('[');
                let mut first = true;
                for c in chars.by_ref() {
                    out.push(c);
                    if c == ']' && !first {
                        break;
                    }
                    first = first && c == '^';
                }
            }
            _ => out.push(c),
        }
        start = c == '^' && start;
    }
    out
}

/// For programs whose pattern is basic unless told otherwise.
pub(super) fn expression(pattern: &str, extended: bool, ignore_case: bool) -> Result<Regex, Stop> {
    let text = if extended { pattern.to_owned() } else { basic(pattern) };
    compile(&text, ignore_case).ok_or_else(|| refuse(format!("bad REGEX '{pattern}'")))
}
