//! The phone's toolbox: small programs that a runner pipes things through. What an option does is toybox's; an option
//! that is not done here is refused in toybox's words, never guessed.

mod around;
mod files;
mod grep;
mod lines;
mod options;
mod sed;
mod text;

use super::absolute;
use super::state::{Flow, Shell};
use options::{Ended, HOLD, Stop, refuse, say, unknown};
use std::time::Duration;

/// The programs done here.
pub const TOOLBOX: [&str; 27] = [
    "cat", "head", "tail", "grep", "egrep", "fgrep", "wc", "cut", "tr", "sort", "uniq", "sed", "tee", "ls",
    "rm", "date", "id", "which", "mkdir", "touch", "sh", "timeout", "whoami", "basename", "dirname", "seq",
    "stat",
];

/// What starting a program costs on a phone.
const FORK: Duration = Duration::from_millis(2);

/// Runs a toolbox program; nothing when the name is not one.
pub(super) async fn run(shell: &mut Shell, argv: &[String]) -> Option<Flow> {
    let name = argv[0].as_str();
    let args = &argv[1..];
    if !TOOLBOX.contains(&name) {
        return None;
    }
    tokio::time::sleep(FORK).await;
    if name == "timeout" {
        return Some(timeout(shell, args).await);
    }
    let ended = match name {
        "cat" => files::cat(shell, args).await,
        "head" => text::head(shell, args).await,
        "tail" => text::tail(shell, args).await,
        "grep" | "egrep" | "fgrep" => grep::grep(shell, name, args).await,
        "wc" => text::wc(shell, args).await,
        "cut" => text::cut(shell, args).await,
        "tr" => text::tr(shell, args).await,
        "sort" => text::sort(shell, args).await,
        "uniq" => text::uniq(shell, args).await,
        "sed" => sed::sed(shell, args).await,
        "tee" => files::tee(shell, args).await,
        "ls" => files::ls(shell, args).await,
        "rm" => files::rm(shell, args).await,
        "touch" | "mkdir" => files::make(shell, name, args).await,
        "date" => date(shell, args).await,
        "id" => id(shell, args).await,
        "whoami" => say(shell, "shell\n").await,
        "which" => which(shell, args).await,
        "basename" | "dirname" => path_part(shell, name, args).await,
        "seq" => seq(shell, args).await,
        "stat" => files::stat(shell, args).await,
        _ => sh(shell, args).await,
    };
    shell.status = match ended {
        Ok(status) => status,
        Err(Stop::Pipe) => 141,
        Err(Stop::Refused(why, status)) => {
            let _ = shell.io.err.write(format!("{name}: {why}\n").as_bytes()).await;
            status
        }
    };
    Some(Flow::On)
}

async fn date(shell: &Shell, args: &[String]) -> Ended {
    let now = shell.phone.wall_ns();
    let (secs, nanos) = (now.div_euclid(1_000_000_000), now.rem_euclid(1_000_000_000));
    match args {
        [format] if format.starts_with('+') => {
            let text = format[1..].replace("%s", &secs.to_string()).replace("%N", &format!("{nanos:09}"));
            if text.contains('%') {
                return Err(refuse(format!("bad format '{format}'")));
            }
            say(shell, &(text + "\n")).await
        }
        _ => Err(refuse(format!("bad date '{}'", args.join(" ")))),
    }
}

async fn id(shell: &Shell, args: &[String]) -> Ended {
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => say(shell, "uid=2000(shell) gid=2000(shell) groups=2000(shell),1004(input),1007(log),1011(adb),1015(sdcard_rw),1028(sdcard_r),3001(net_bt_admin),3002(net_bt),3003(inet),3006(net_bw_stats),3009(readproc) context=u:r:shell:s0\n").await,
        ["-u"] | ["-g"] => say(shell, "2000\n").await,
        ["-un"] | ["-gn"] | ["-nu"] => say(shell, "shell\n").await,
        [other, ..] => Err(unknown("id", other.chars().nth(1).unwrap_or('?'))),
    }
}

/// Programs that `which` finds: those of the toolbox. Whether the phone has others only starting them tells.
async fn which(shell: &Shell, args: &[String]) -> Ended {
    const KNOWN: [&str; 33] = [
        "am",
        "cat",
        "cmd",
        "cut",
        "date",
        "dumpsys",
        "echo",
        "getprop",
        "grep",
        "head",
        "id",
        "input",
        "ls",
        "pm",
        "printf",
        "rm",
        "screencap",
        "sed",
        "service",
        "settings",
        "setprop",
        "sh",
        "sleep",
        "sort",
        "tail",
        "tee",
        "timeout",
        "tr",
        "uiautomator",
        "uniq",
        "wc",
        "which",
        "wm",
    ];
    let mut status = 0;
    for arg in args {
        let bare = arg.strip_prefix("/system/bin/").unwrap_or(arg);
        if KNOWN.contains(&bare) {
            say(shell, &format!("/system/bin/{bare}\n")).await?;
        } else {
            status = 1;
        }
    }
    Ok(status)
}

async fn path_part(shell: &Shell, name: &str, args: &[String]) -> Ended {
    let Some(path) = args.first() else {
        return Err(refuse(format!("Needs 1 argument (see \"{name} --help\")")));
    };
    let trimmed = path.trim_end_matches('/');
    let (folder, file) = trimmed.rsplit_once('/').unwrap_or((".", trimmed));
    let file = args.get(1).and_then(|suffix| file.strip_suffix(suffix.as_str())).unwrap_or(file);
    let part = if name == "basename" { file } else { folder };
    say(shell, &format!("{}\n", if part.is_empty() { "/" } else { part })).await
}

async fn seq(shell: &Shell, args: &[String]) -> Ended {
    let numbers: Result<Vec<i64>, _> = args.iter().map(|a| a.parse::<i64>()).collect();
    let (first, step, last) = match numbers.as_deref() {
        Ok([last]) => (1, 1, *last),
        Ok([first, last]) => (*first, 1, *last),
        Ok([first, step, last]) if *step != 0 => (*first, *step, *last),
        _ => return Err(refuse(format!("not integer: {}", args.join(" ")))),
    };
    let mut n = first;
    while (step > 0 && n <= last) || (step < 0 && n >= last) {
        shell.pay().await;
        say(shell, &format!("{n}\n")).await?;
        let Some(next) = n.checked_add(step) else { break };
        n = next;
    }
    Ok(0)
}

/// `sh -c TEXT [NAME ARGS…]`, or a script on standard input.
async fn sh(shell: &mut Shell, args: &[String]) -> Ended {
    let mut child = shell.fork();
    let text = match args {
        [flag, text, rest @ ..] if flag == "-c" => {
            child.env.params = rest.iter().skip(1).cloned().collect();
            text.clone()
        }
        [] => String::from_utf8_lossy(&child.io.input.read_all(HOLD).await).into_owned(),
        [file, rest @ ..] if !file.starts_with('-') => {
            child.env.params = rest.to_vec();
            match shell.phone.file(&absolute(&shell.env.cwd, file)) {
                Some(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                None => return Err(Stop::Refused(format!("{file}: No such file or directory"), 127)),
            }
        }
        [flag, ..] => return Err(Stop::Refused(format!("{flag}: unknown option"), 1)),
    };
    child.script(&super::parser::parse(&text)).await;
    Ok(child.status)
}

/// `timeout SECONDS COMMAND…`: status 124 when the time is up.
async fn timeout(shell: &mut Shell, args: &[String]) -> Flow {
    let seconds = args.first().and_then(|text| text.trim_end_matches('s').parse::<f64>().ok());
    let Some(seconds) = seconds.filter(|s| s.is_finite() && *s >= 0.0 && args.len() > 1) else {
        let _ = shell.io.err.write(b"timeout: Needs 2 arguments (see \"timeout --help\")\n").await;
        shell.status = 1;
        return Flow::On;
    };
    let limit = Duration::from_secs_f64(seconds.min(31_536_000.0));
    let mut child = shell.fork();
    let done = tokio::time::timeout(limit, child.dispatch(&args[1..])).await.is_ok();
    shell.status = if done { child.status } else { 124 };
    Flow::On
}
