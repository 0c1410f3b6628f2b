//! Commands the shell answers itself.

use super::escapes::{Style, decode};
use super::state::{Flow, Shell};
use super::{condition, printf};
use std::time::Duration;

/// Runs a built-in command; nothing when the name is not one.
pub(super) async fn run(shell: &mut Shell, argv: &[String]) -> Option<Flow> {
    let args = &argv[1..];
    let flow = match argv[0].as_str() {
        ":" | "true" => ended(shell, 0),
        "false" => ended(shell, 1),
        "echo" => echo(shell, args).await,
        "printf" => print(shell, args).await,
        "read" => read(shell, args).await,
        "sleep" => sleep(shell, args).await,
        "test" => test(shell, "test", args).await,
        "[" => bracket(shell, args).await,
        "break" | "continue" => leave_loop(shell, argv),
        "return" => leave(shell, args, Flow::Return),
        "exit" => leave(shell, args, Flow::Exit),
        "cd" => change_folder(shell, args).await,
        "pwd" => {
            shell.status = 0;
            let line = format!("{}\n", shell.env.cwd);
            shell.print(line.as_bytes()).await
        }
        "set" => set(shell, args).await,
        "shift" => shift(shell, args),
        "export" | "local" | "typeset" | "readonly" => export(shell, args),
        "unset" => {
            for name in args {
                shell.env.vars.remove(name);
                shell.env.functions.remove(name);
            }
            ended(shell, 0)
        }
        "kill" => kill(shell, args).await,
        "wait" => wait(shell, args).await,
        "trap" => trap(shell, args),
        "eval" => {
            let script = super::parser::parse(&args.join(" "));
            shell.status = 0;
            shell.script(&script).await
        }
        "exec" | "command" | "builtin" | "nohup" if args.first().is_some_and(|a| !a.starts_with('-')) => {
            let flow = shell.dispatch(args).await;
            if argv[0] == "exec" { Flow::Exit } else { flow }
        }
        "command" | "type" => which(shell, args).await,
        "umask" | "ulimit" | "alias" => ended(shell, 0),
        _ => return None,
    };
    Some(flow)
}

fn ended(shell: &mut Shell, status: i32) -> Flow {
    shell.status = status;
    Flow::On
}

/// mksh's echo: backslash sequences are read unless `-E` is given.
async fn echo(shell: &mut Shell, args: &[String]) -> Flow {
    let mut newline = true;
    let mut escapes = true;
    let mut args = args;
    while let Some(flags) = args.first().and_then(|a| a.strip_prefix('-')) {
        if flags.is_empty() || !flags.chars().all(|c| "neE".contains(c)) {
            break;
        }
        newline &= !flags.contains('n');
        for flag in flags.chars().filter(|c| *c != 'n') {
            escapes = flag == 'e';
        }
        args = &args[1..];
    }
    let mut text = String::with_capacity(args.iter().map(|arg| arg.len() + 1).sum::<usize>() + 1);
    for (nth, arg) in args.iter().enumerate() {
        text.push_str(if nth > 0 { " " } else { "" });
        text.push_str(arg);
    }
    let escapes = escapes && text.as_bytes().contains(&b'\\');
    let (mut bytes, silent) = if escapes { decode(&text, Style::Echo) } else { (text.into_bytes(), false) };
    if newline && !silent {
        bytes.push(b'\n');
    }
    shell.status = 0;
    shell.print(&bytes).await
}

async fn print(shell: &mut Shell, args: &[String]) -> Flow {
    let (bytes, complaints) = printf::format(args);
    shell.status = i32::from(!complaints.is_empty());
    for complaint in complaints {
        let _ = shell.io.err.write(format!("{complaint}\n").as_bytes()).await;
    }
    shell.print(&bytes).await
}

/// One line into variables, the rest of it into the last one.
async fn read(shell: &mut Shell, args: &[String]) -> Flow {
    let raw = args.first().is_some_and(|a| a == "-r");
    let names = if raw { &args[1..] } else { args };
    if let Some(flag) = names.first().filter(|name| name.starts_with('-')) {
        let complaint = format!("read: {flag}: unknown option");
        shell.complain(&complaint).await;
        return ended(shell, 2);
    }
    let source = shell.io.input.clone();
    let mut line = String::new();
    let mut ended_by_newline = false;
    while let Some((bytes, newline)) = source.line().await {
        match String::from_utf8(bytes) {
            Ok(whole) if line.is_empty() => line = whole,
            Ok(more) => line.push_str(&more),
            Err(other) => line.push_str(&String::from_utf8_lossy(other.as_bytes())),
        }
        ended_by_newline = newline;
        // Without -r a backslash at the end joins lines.
        if raw || !line.ends_with('\\') || !newline {
            break;
        }
        line.pop();
        ended_by_newline = false;
    }
    if !raw && line.contains('\\') {
        line = unescape(&line);
    }
    let separators = shell.env.separators();
    let blank = |c: char| separators.contains(c) && c.is_whitespace();
    let mut rest = line.trim_matches(blank);
    let reply;
    let names = if names.is_empty() {
        reply = ["REPLY".to_owned()];
        &reply
    } else {
        names
    };
    for (i, name) in names.iter().enumerate() {
        let value = if i + 1 == names.len() {
            std::mem::take(&mut rest)
        } else {
            let end = rest.find(|c| separators.contains(c)).unwrap_or(rest.len());
            let (value, after) = rest.split_at(end);
            let mut after = after.trim_start_matches(blank);
            if let Some(c) = after.chars().next().filter(|c| separators.contains(*c)) {
                after = after[c.len_utf8()..].trim_start_matches(blank);
            }
            rest = after;
            value
        };
        match shell.env.vars.get_mut(name) {
            Some(known) => value.clone_into(known),
            None => _ = shell.env.vars.insert(name.clone(), value.to_owned()),
        }
    }
    ended(shell, i32::from(!ended_by_newline))
}

fn unescape(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut escaped = false;
    for c in line.chars() {
        if c == '\\' && !escaped {
            escaped = true;
        } else {
            text.push(c);
            escaped = false;
        }
    }
    text
}

async fn sleep(shell: &mut Shell, args: &[String]) -> Flow {
    let mut total = 0.0;
    for arg in args {
        let (digits, unit) = match arg.strip_suffix(['s', 'm', 'h', 'd']) {
            Some(digits) => (
                digits,
                match arg.as_bytes().last() {
                    Some(b'm') => 60.0,
                    Some(b'h') => 3600.0,
                    Some(b'd') => 86_400.0,
                    _ => 1.0,
                },
            ),
            None => (arg.as_str(), 1.0),
        };
        let plain = digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        match digits.parse::<f64>().ok().filter(|_| plain) {
            Some(seconds) => total += seconds * unit,
            None => {
                let line = format!("sleep: invalid time interval '{arg}'\n");
                let _ = shell.io.err.write(line.as_bytes()).await;
                return ended(shell, 1);
            }
        }
    }
    if args.is_empty() {
        let _ = shell.io.err.write(b"sleep: Needs 1 argument (see \"sleep --help\")\n").await;
        return ended(shell, 1);
    }
    // A year is for ever here, and keeps the timer within its range.
    tokio::time::sleep(Duration::from_secs_f64(total.min(31_536_000.0))).await;
    ended(shell, 0)
}

async fn test(shell: &mut Shell, name: &str, args: &[String]) -> Flow {
    match condition::evaluate(shell, args) {
        Ok(held) => ended(shell, i32::from(!held)),
        Err(complaint) => {
            shell.complain(&format!("{name}: {complaint}")).await;
            ended(shell, 2)
        }
    }
}

async fn bracket(shell: &mut Shell, args: &[String]) -> Flow {
    match args.split_last() {
        Some((last, inner)) if last == "]" => test(shell, "[", inner).await,
        _ => {
            shell.complain("[: missing ]").await;
            ended(shell, 2)
        }
    }
}

fn leave_loop(shell: &mut Shell, argv: &[String]) -> Flow {
    let levels = argv.get(1).and_then(|n| n.parse().ok()).filter(|n| *n > 0).unwrap_or(1);
    shell.status = 0;
    if argv[0] == "break" { Flow::Break(levels) } else { Flow::Continue(levels) }
}

fn leave(shell: &mut Shell, args: &[String], flow: Flow) -> Flow {
    if let Some(status) = args.first().and_then(|n| n.parse::<i32>().ok()) {
        shell.status = status & 0xff;
    }
    flow
}

async fn change_folder(shell: &mut Shell, args: &[String]) -> Flow {
    let home = "/".to_owned();
    let to = args.first().unwrap_or(&home);
    let path = super::absolute(&shell.env.cwd, to);
    let known = super::is_folder(shell.phone.as_ref(), &path);
    if !known {
        shell.complain(&format!("cd: {to}: No such file or directory")).await;
        return ended(shell, 2);
    }
    shell.env.cwd = path;
    ended(shell, 0)
}

async fn set(shell: &mut Shell, args: &[String]) -> Flow {
    shell.status = 0;
    if args.is_empty() {
        let all: String = shell.env.vars.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
        return shell.print(all.as_bytes()).await;
    }
    if let Some(at) = args.iter().position(|a| a == "--" || !a.starts_with(['-', '+'])) {
        let from = at + usize::from(args[at] == "--");
        // `set -o pipefail` and the like take a word that is no parameter.
        if at == 0 || args[at] == "--" || !args[at - 1].ends_with('o') {
            shell.env.params = args[from..].to_vec();
        }
    }
    Flow::On
}

fn shift(shell: &mut Shell, args: &[String]) -> Flow {
    let by = args.first().and_then(|n| n.parse().ok()).unwrap_or(1usize);
    if by > shell.env.params.len() {
        return ended(shell, 1);
    }
    shell.env.params.drain(..by);
    ended(shell, 0)
}

fn export(shell: &mut Shell, args: &[String]) -> Flow {
    for (name, value) in args.iter().filter_map(|arg| arg.split_once('=')) {
        shell.env.vars.insert(name.to_owned(), value.to_owned());
    }
    ended(shell, 0)
}

async fn kill(shell: &mut Shell, args: &[String]) -> Flow {
    let (signal, pids) = match args {
        [flag, name, rest @ ..] if flag == "-s" => (signal_number(name), rest),
        [flag, rest @ ..] if flag.starts_with('-') => (signal_number(&flag[1..]), rest),
        all => (Some(15), all),
    };
    let Some(signal) = signal else {
        let complaint = format!("kill: {}: bad signal", args.first().map_or("", String::as_str));
        shell.complain(&complaint).await;
        return ended(shell, 1);
    };
    let mut status = 0;
    for arg in pids {
        let pid = match arg.strip_prefix('%').map(|n| n.parse::<usize>()) {
            Some(Ok(n)) => shell.jobs.pids().get(n.wrapping_sub(1)).copied(),
            _ => arg.parse().ok(),
        };
        let known = pid.is_some_and(|pid| match shell.phone.signal(pid, signal) {
            // A program that decides for itself what a signal means; only the hard one ends its job as well.
            true => {
                if signal == 9 {
                    shell.jobs.kill(pid);
                }
                true
            }
            false if signal == 0 => shell.jobs.alive(pid),
            false => shell.jobs.kill(pid),
        });
        if !known {
            shell.complain(&format!("kill: {arg}: No such process")).await;
            status = 1;
        }
    }
    ended(shell, status)
}

/// `9`, `KILL`, `SIGKILL`.
fn signal_number(name: &str) -> Option<i32> {
    const NAMES: [(&str, i32); 8] = [
        ("EXIT", 0),
        ("HUP", 1),
        ("INT", 2),
        ("QUIT", 3),
        ("KILL", 9),
        ("USR1", 10),
        ("PIPE", 13),
        ("TERM", 15),
    ];
    let upper = name.to_ascii_uppercase();
    let bare = upper.strip_prefix("SIG").unwrap_or(&upper);
    let named = NAMES.iter().find(|(known, _)| *known == bare).map(|(_, number)| *number);
    named.or_else(|| bare.parse().ok().filter(|number| (0..=64).contains(number)))
}

async fn wait(shell: &mut Shell, args: &[String]) -> Flow {
    let mut status = 0;
    if args.is_empty() {
        for pid in shell.jobs.pids() {
            shell.jobs.wait(pid).await;
        }
    }
    for arg in args {
        status = match arg.parse() {
            Ok(pid) => shell.jobs.wait(pid).await,
            Err(_) => 127,
        };
    }
    ended(shell, status)
}

fn trap(shell: &mut Shell, args: &[String]) -> Flow {
    if let Some((action, signals)) = args.split_first()
        && signals.iter().any(|signal| matches!(signal.as_str(), "EXIT" | "0"))
    {
        shell.on_exit = (action != "-" && !action.is_empty()).then(|| action.clone());
    }
    ended(shell, 0)
}

/// `command -v NAME`: where a command would come from.
async fn which(shell: &mut Shell, args: &[String]) -> Flow {
    let names: Vec<String> = std::iter::once("which".to_owned())
        .chain(args.iter().filter(|a| !a.starts_with('-')).cloned())
        .collect();
    shell.dispatch(&names).await
}
