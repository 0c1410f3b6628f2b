//! Programs about files: `cat tee ls rm touch mkdir`.

use super::super::state::Shell;
use super::super::stream::Sink;
use super::super::{absolute, is_folder};
use super::options::{Ended, Options, out, refuse};

/// Copies inputs to the output as they arrive.
pub(super) async fn cat(shell: &Shell, args: &[String]) -> Ended {
    let options = Options::parse("cat", args, "u", "")?;
    let (sources, status) = shell.inputs("cat", &options.operands).await;
    for (_, source) in sources {
        while let Some(chunk) = source.read().await {
            out(shell).write(&chunk).await?;
        }
    }
    Ok(status)
}

/// Copies the input to the output and to files.
pub(super) async fn tee(shell: &Shell, args: &[String]) -> Ended {
    let options = Options::parse("tee", args, "ai", "")?;
    let mut sinks = vec![out(shell)];
    let mut status = 0;
    for file in &options.operands {
        let path = absolute(&shell.env.cwd, file);
        if path == "/dev/null" {
            continue;
        }
        if !shell.phone.writable(&path) {
            let line = format!("tee: {file}: Read-only file system\n");
            let _ = shell.io.err.write(line.as_bytes()).await;
            status = 1;
            continue;
        }
        if !options.has('a') {
            shell.phone.write(&path, Vec::new());
        }
        sinks.push(Sink::File(shell.phone.clone(), path.into()));
    }
    while let Some(chunk) = shell.io.input.read().await {
        for sink in &sinks {
            sink.write(&chunk).await?;
        }
    }
    Ok(status)
}

/// Lists files the phone knows of.
pub(super) async fn ls(shell: &Shell, args: &[String]) -> Ended {
    let options = Options::parse("ls", args, "1ald", "")?;
    let here = [".".to_owned()];
    let operands = if options.operands.is_empty() { &here[..] } else { &options.operands };
    let mut status = 0;
    for operand in operands {
        let path = absolute(&shell.env.cwd, operand);
        let mut rows: Vec<(String, usize)> = Vec::new();
        if let Some(bytes) = shell.phone.file(&path) {
            rows.push((operand.clone(), bytes.len()));
        } else {
            let prefix = if path == "/" { "/".to_owned() } else { format!("{path}/") };
            let below = shell.phone.files_below(&path);
            if !is_folder(shell.phone.as_ref(), &path) {
                let line = format!("ls: {operand}: No such file or directory\n");
                let _ = shell.io.err.write(line.as_bytes()).await;
                status = 1;
                continue;
            }
            for file in &below {
                let rest = file.strip_prefix(&prefix).unwrap_or(file);
                let name = rest.split('/').next().unwrap_or(rest).to_owned();
                let size =
                    if rest.contains('/') { 4096 } else { shell.phone.file(file).map_or(0, |b| b.len()) };
                if rows.last().is_none_or(|(last, _)| *last != name) {
                    rows.push((name, size));
                }
            }
        }
        for (name, size) in rows {
            let line = if options.has('l') {
                format!("-rw-rw-rw- 1 shell shell {size} 2026-01-01 00:00 {name}\n")
            } else {
                format!("{name}\n")
            };
            out(shell).write(line.as_bytes()).await?;
        }
    }
    Ok(status)
}

/// `stat -c FORMAT FILE…`: sizes and names.
pub(super) async fn stat(shell: &Shell, args: &[String]) -> Ended {
    let options = Options::parse("stat", args, "L", "c")?;
    let Some(format) = options.value('c') else {
        return Err(refuse("only -c FORMAT is done here"));
    };
    let mut status = 0;
    for operand in &options.operands {
        let Some(bytes) = shell.phone.file(&absolute(&shell.env.cwd, operand)) else {
            let line = format!("stat: '{operand}': No such file or directory\n");
            let _ = shell.io.err.write(line.as_bytes()).await;
            status = 1;
            continue;
        };
        let text = format.replace("%s", &bytes.len().to_string()).replace("%n", operand);
        out(shell).write(format!("{text}\n").as_bytes()).await?;
    }
    Ok(status)
}

/// Removes files.
pub(super) async fn rm(shell: &Shell, args: &[String]) -> Ended {
    let options = Options::parse("rm", args, "frRv", "")?;
    let recursive = options.has('r') || options.has('R');
    let mut status = 0;
    for operand in &options.operands {
        let path = absolute(&shell.env.cwd, operand);
        let mut removed = shell.phone.remove(&path);
        if recursive {
            for file in shell.phone.files_below(&path) {
                removed |= shell.phone.remove(&file);
            }
        }
        if !removed && !options.has('f') {
            let line = format!("rm: {operand}: No such file or directory\n");
            let _ = shell.io.err.write(line.as_bytes()).await;
            status = 1;
        }
    }
    Ok(status)
}

/// `touch` makes empty files. Folders exist as soon as something is in them, so `mkdir` only checks.
pub(super) async fn make(shell: &Shell, name: &str, args: &[String]) -> Ended {
    let options = Options::parse(name, args, if name == "mkdir" { "p" } else { "ac" }, "m")?;
    for operand in &options.operands {
        let path = absolute(&shell.env.cwd, operand);
        if !shell.phone.writable(&path) {
            return Err(refuse(format!("'{operand}': Read-only file system")));
        }
        if name == "touch" && shell.phone.file(&path).is_none() {
            shell.phone.write(&path, Vec::new());
        }
    }
    Ok(0)
}
