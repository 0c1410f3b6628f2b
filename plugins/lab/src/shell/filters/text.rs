//! Programs about lines and words: `head tail wc cut tr sort uniq`.

use super::super::state::Shell;
use super::lines::{Lines, chomp};
use super::options::{Ended, HOLD, Options, Stop, out, refuse};
use std::collections::VecDeque;

/// `-5` is `-n 5`.
fn count_options(name: &str, args: &[String]) -> Result<Options, Stop> {
    let digits = |a: &String| {
        a.strip_prefix('-').is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()))
    };
    let args: Vec<String> =
        args.iter().map(|a| if digits(a) { format!("-n{}", &a[1..]) } else { a.clone() }).collect();
    Options::parse(name, &args, "q", "nc")
}

pub(super) async fn head(shell: &Shell, args: &[String]) -> Ended {
    let options = count_options("head", args)?;
    let (sources, status) = shell.inputs("head", &options.operands).await;
    let bytes = options.number('c')?;
    let lines = options.number('n')?.unwrap_or(10);
    for (_, source) in sources {
        if let Some(mut left) = bytes {
            while left > 0
                && let Some(chunk) = source.read().await
            {
                let take = chunk.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                out(shell).write(&chunk[..take]).await?;
                left -= take as u64;
            }
            continue;
        }
        let mut input = Lines::of(source);
        for _ in 0..lines {
            let Some(line) = input.next().await else { break };
            out(shell).write(line).await?;
        }
    }
    Ok(status)
}

pub(super) async fn tail(shell: &Shell, args: &[String]) -> Ended {
    if let [option, from, files @ ..] = args
        && option == "-c"
        && let Some(from) = from.strip_prefix('+').and_then(|from| from.parse::<u64>().ok())
    {
        return bytes_from(shell, from, files).await;
    }
    // `+N` means from line N on.
    let from = args
        .iter()
        .find_map(|a| a.strip_prefix("-n+").or(a.strip_prefix('+')))
        .and_then(|n| n.parse::<usize>().ok());
    let args: Vec<String> = args
        .iter()
        .filter(|a| !(a.starts_with("-n+") || (a.starts_with('+') && from.is_some())))
        .cloned()
        .collect();
    let args: Vec<String> =
        if from.is_some() { args.into_iter().filter(|a| a != "-n").collect() } else { args };
    let options = count_options("tail", &args)?;
    let (sources, status) = shell.inputs("tail", &options.operands).await;
    let bytes = options.number('c')?;
    let most = options.number('n')?.map_or(10, |n| usize::try_from(n).unwrap_or(usize::MAX));
    for (_, source) in sources {
        if let Some(most) = bytes {
            let all = source.read_all(HOLD).await;
            out(shell)
                .write(&all[all.len().saturating_sub(usize::try_from(most).unwrap_or(usize::MAX))..])
                .await?;
            continue;
        }
        let mut input = Lines::of(source);
        let mut kept = VecDeque::<Vec<u8>>::new();
        let mut number = 0;
        while let Some(line) = input.next().await {
            number += 1;
            if let Some(from) = from {
                if number >= from {
                    out(shell).write(line).await?;
                }
                continue;
            }
            kept.push_back(line.to_vec());
            if kept.len() > most {
                kept.pop_front();
            }
        }
        for line in kept {
            out(shell).write(&line).await?;
        }
    }
    Ok(status)
}

/// From this byte on; the first is 1.
async fn bytes_from(shell: &Shell, from: u64, files: &[String]) -> Ended {
    let (sources, status) = shell.inputs("tail", files).await;
    for (_, source) in sources {
        let mut skip = from.saturating_sub(1);
        while let Some(chunk) = source.read().await {
            let skipped = skip.min(chunk.len() as u64);
            skip -= skipped;
            out(shell).write(&chunk[skipped as usize..]).await?;
        }
    }
    Ok(status)
}

pub(super) async fn wc(shell: &Shell, args: &[String]) -> Ended {
    let options = Options::parse("wc", args, "lwcm", "")?;
    let (sources, status) = shell.inputs("wc", &options.operands).await;
    for (name, source) in sources {
        let mut lines = 0u64;
        let mut words = 0u64;
        let mut bytes = 0u64;
        let mut inside = false;
        while let Some(chunk) = source.read().await {
            bytes += chunk.len() as u64;
            for byte in chunk {
                lines += u64::from(byte == b'\n');
                let blank = byte.is_ascii_whitespace();
                words += u64::from(!blank && !inside);
                inside = !blank;
            }
        }
        let all = options.set.is_empty();
        let mut columns: Vec<String> = Vec::new();
        for (wanted, count) in [
            (all || options.has('l'), lines),
            (all || options.has('w'), words),
            (all || options.has('c') || options.has('m'), bytes),
        ] {
            if wanted {
                columns.push(count.to_string());
            }
        }
        if !name.is_empty() {
            columns.push(name);
        }
        out(shell).write(format!("{}\n", columns.join(" ")).as_bytes()).await?;
    }
    Ok(status)
}

/// `2`, `2-4`, `-3`, `5-` and lists of them; from 1.
fn ranges(text: &str) -> Result<Vec<(usize, usize)>, Stop> {
    let wrong = || refuse(format!("bad range '{text}'"));
    text.split(',')
        .map(|part| {
            let (from, to) = part.split_once('-').unwrap_or((part, part));
            let from = if from.is_empty() { 1 } else { from.parse().map_err(|_| wrong())? };
            let to = if to.is_empty() { usize::MAX } else { to.parse().map_err(|_| wrong())? };
            if from == 0 || to < from { Err(wrong()) } else { Ok((from, to)) }
        })
        .collect()
}

pub(super) async fn cut(shell: &Shell, args: &[String]) -> Ended {
    let options = Options::parse("cut", args, "s", "dfcb")?;
    let delimiter = options.value('d').and_then(|d| d.bytes().next()).unwrap_or(b'\t');
    let (fields, list) = match (options.value('f'), options.value('c').or(options.value('b'))) {
        (Some(list), None) => (true, ranges(list)?),
        (None, Some(list)) => (false, ranges(list)?),
        _ => return Err(refuse("no -cfb (see \"cut --help\")")),
    };
    let wanted = |n: usize| list.iter().any(|(from, to)| (*from..=*to).contains(&n));
    let (sources, status) = shell.inputs("cut", &options.operands).await;
    for (_, source) in sources {
        let mut input = Lines::of(source);
        while let Some(line) = input.next().await {
            let text = chomp(line);
            let mut row: Vec<u8> = if !fields {
                text.iter().enumerate().filter(|(i, _)| wanted(i + 1)).map(|(_, b)| *b).collect()
            } else if text.contains(&delimiter) {
                let kept: Vec<&[u8]> = text
                    .split(|b| *b == delimiter)
                    .enumerate()
                    .filter(|(i, _)| wanted(i + 1))
                    .map(|(_, f)| f)
                    .collect();
                kept.join(&delimiter)
            } else if options.has('s') {
                continue;
            } else {
                text.to_vec()
            };
            row.push(b'\n');
            out(shell).write(&row).await?;
        }
    }
    Ok(status)
}

/// The bytes of a `tr` set: ranges, escapes and the classes runners use.
fn set(text: &str) -> Vec<u8> {
    let text = text
        .replace("[:upper:]", "A-Z")
        .replace("[:lower:]", "a-z")
        .replace("[:digit:]", "0-9")
        .replace("[:space:]", " \\t\\n\\r\\v\\f");
    let (bytes, _) = super::super::escapes::decode(&text, super::super::escapes::Style::Printf);
    let mut all = Vec::new();
    let mut i = 0;
    while i < bytes.len() {
        if bytes.get(i + 1) == Some(&b'-') && bytes.get(i + 2).is_some_and(|to| *to >= bytes[i]) {
            all.extend(bytes[i]..=bytes[i + 2]);
            i += 3;
        } else {
            all.push(bytes[i]);
            i += 1;
        }
    }
    all
}

pub(super) async fn tr(shell: &Shell, args: &[String]) -> Ended {
    let options = Options::parse("tr", args, "dsc", "")?;
    let (from, to) = match options.operands.as_slice() {
        [from] if options.has('d') || options.has('s') => (set(from), Vec::new()),
        [from, to] => (set(from), set(to)),
        _ => return Err(refuse("Needs 2 arguments (see \"tr --help\")")),
    };
    let hit = |b: u8| from.iter().position(|f| *f == b);
    let mut last = None;
    while let Some(chunk) = shell.io.input.read().await {
        let mut kept = Vec::with_capacity(chunk.len());
        for byte in chunk {
            let found = hit(byte).is_some() != options.has('c');
            let at = hit(byte).unwrap_or(usize::MAX);
            if found && options.has('d') {
                continue;
            }
            let byte = if found && !to.is_empty() { to[at.min(to.len() - 1)] } else { byte };
            if options.has('s') && found && last == Some(byte) {
                continue;
            }
            last = Some(byte);
            kept.push(byte);
        }
        out(shell).write(&kept).await?;
    }
    Ok(0)
}

pub(super) async fn sort(shell: &Shell, args: &[String]) -> Ended {
    let options = Options::parse("sort", args, "nru", "")?;
    let (sources, status) = shell.inputs("sort", &options.operands).await;
    let mut all = Vec::new();
    for (_, source) in sources {
        let bytes = source.read_all(HOLD).await;
        all.extend(chomp(&bytes).split(|b| *b == b'\n').filter(|_| !bytes.is_empty()).map(<[u8]>::to_vec));
    }
    let number = |line: &[u8]| {
        let text = String::from_utf8_lossy(line);
        let text = text.trim_start();
        let end = text
            .bytes()
            .enumerate()
            .take_while(|(i, b)| b.is_ascii_digit() || *b == b'.' || (*i == 0 && *b == b'-'))
            .count();
        text[..end].parse::<f64>().unwrap_or(0.0)
    };
    if options.has('n') {
        all.sort_by(|a, b| number(a).total_cmp(&number(b)).then_with(|| a.cmp(b)));
    } else {
        all.sort();
    }
    if options.has('r') {
        all.reverse();
    }
    if options.has('u') {
        all.dedup();
    }
    for mut line in all {
        line.push(b'\n');
        out(shell).write(&line).await?;
    }
    Ok(status)
}

pub(super) async fn uniq(shell: &Shell, args: &[String]) -> Ended {
    let options = Options::parse("uniq", args, "cdu", "")?;
    let (sources, status) = shell.inputs("uniq", &options.operands).await;
    let wanted = |count: u64| (!options.has('d') || count > 1) && (!options.has('u') || count == 1);
    let row = |line: &[u8], count: u64| {
        let mut row = if options.has('c') { format!("{count:7} ").into_bytes() } else { Vec::new() };
        row.extend_from_slice(line);
        row.push(b'\n');
        row
    };
    for (_, source) in sources {
        let mut input = Lines::of(source);
        let mut last: Option<(Vec<u8>, u64)> = None;
        while let Some(line) = input.next().await {
            let text = chomp(line);
            match &mut last {
                Some((kept, count)) if kept == text => *count += 1,
                _ => {
                    if let Some((kept, count)) = last.replace((text.to_vec(), 1)).filter(|(_, n)| wanted(*n))
                    {
                        out(shell).write(&row(&kept, count)).await?;
                    }
                }
            }
        }
        if let Some((kept, count)) = last.filter(|(_, n)| wanted(*n)) {
            out(shell).write(&row(&kept, count)).await?;
        }
    }
    Ok(status)
}
