//! Simple commands: assignments, redirections, and who answers — a function, the shell itself, a filter, the phone.

use super::expand;
use super::shell_error::ShellError;
use super::state::{Flow, Io, Shell};
use super::stream::{Sink, Source};
use super::syntax::{Part, Redirect, Target, Word};
use super::{absolute, builtin, filters};

/// Folders whose programs are also known by their bare name.
const PROGRAM_FOLDERS: [&str; 5] =
    ["/system/bin/", "/system/xbin/", "/vendor/bin/", "/product/bin/", "/bin/"];

/// Most bytes of input a program of the phone takes in.
const INPUT_MOST: usize = 1 << 20;

pub(super) async fn simple(
    shell: &mut Shell,
    assigns: &[(String, Word)],
    words: &[Word],
    redirects: &[Redirect],
) -> Flow {
    shell.pay().await;
    let argv = match expand::fields(shell, words).await {
        Ok(argv) => argv,
        Err(complaint) => return shell.fatal(&complaint).await,
    };
    let mut kept: Vec<(String, Option<String>)> = Vec::new();
    for (name, word) in assigns {
        let value = match expand::text(shell, word).await {
            Ok(value) => value,
            Err(complaint) => return shell.fatal(&complaint).await,
        };
        let old = shell.env.vars.insert(name.clone(), value);
        kept.push((name.clone(), old));
    }
    // `x=$(false)` has the status of the substitution; a line of assignments alone has 0, once `$?` was read by them.
    let runs = |(_, word): &(String, Word)| word.0.iter().any(|part| matches!(part, Part::Command { .. }));
    if argv.is_empty() && !words.iter().any(|word| word.bare().is_none()) && !assigns.iter().any(runs) {
        shell.status = 0;
    }
    let before = (!redirects.is_empty()).then(|| shell.io.clone());
    if let Err(complaint) = redirect(shell, redirects).await {
        shell.complain(&complaint.to_string()).await;
        shell.status = 1;
        restore(shell, before);
        return Flow::On;
    }
    let Some(name) = argv.first() else {
        restore(shell, before);
        return Flow::On;
    };
    let flow = match name.as_str() {
        "exec" if argv.len() == 1 => return Flow::On, // the redirections stay
        _ => dispatch(shell, &argv).await,
    };
    restore(shell, before);
    for (name, old) in kept.into_iter().rev() {
        match old {
            Some(value) => shell.env.vars.insert(name, value),
            None => shell.env.vars.remove(&name),
        };
    }
    flow
}

fn restore(shell: &mut Shell, before: Option<Io>) {
    if let Some(before) = before {
        shell.io = before;
    }
}

/// Runs a command whose words are known.
pub(super) async fn dispatch(shell: &mut Shell, argv: &[String]) -> Flow {
    let Some(name) = argv.first() else { return Flow::On };
    if let Some(body) = shell.env.functions.get(name).cloned() {
        return shell.call(body, argv).await;
    }
    if let Some(flow) = builtin::run(shell, argv).await {
        return flow;
    }
    outside(shell, argv).await
}

/// A program: a filter of the phone's toolbox or a program of the phone.
async fn outside(shell: &mut Shell, argv: &[String]) -> Flow {
    let mut argv = std::borrow::Cow::Borrowed(argv);
    if let Some(bare) = PROGRAM_FOLDERS.iter().find_map(|folder| argv[0].strip_prefix(folder)) {
        let bare = bare.to_owned();
        argv.to_mut()[0] = bare;
    }
    if let Some(flow) = filters::run(shell, &argv).await {
        return flow;
    }
    let input = match shell.phone.reads_input(&argv) {
        true => shell.io.input.read_all(INPUT_MOST).await,
        false => Vec::new(),
    };
    let Some(job) = shell.phone.start_fed(&argv, input, shell.process.job) else {
        shell.complain(&format!("{}: inaccessible or not found", argv[0])).await;
        shell.status = 127;
        return Flow::On;
    };
    let said = job.await;
    shell.status = said.status;
    if shell.io.err.write(&said.err).await.is_err() || shell.io.out.write(&said.out).await.is_err() {
        // The program was killed by SIGPIPE; the shell itself finds out when it prints.
        shell.status = 141;
    }
    Flow::On
}

/// Applies redirections to this shell's streams.
///
/// # Errors
/// A file that cannot be opened or made, or a word that comes to nothing.
pub(super) async fn redirect(shell: &mut Shell, redirects: &[Redirect]) -> Result<(), ShellError> {
    for redirect in redirects {
        match &redirect.target {
            Target::Read(word) => {
                let path = expand::text(shell, word).await?;
                shell.io.input = open(shell, &path)?;
            }
            Target::Text(word) => shell.io.input = Source::of(expand::text(shell, word).await?.into_bytes()),
            Target::Write(word) | Target::Append(word) => {
                let path = expand::text(shell, word).await?;
                let sink = create(shell, &path, matches!(redirect.target, Target::Append(_)))?;
                set(shell, redirect.fd, sink);
            }
            Target::Copy(0) => {}
            Target::Copy(from) => {
                let sink = if *from == 1 { shell.io.out.clone() } else { shell.io.err.clone() };
                set(shell, redirect.fd, sink);
            }
            Target::Close => set(shell, redirect.fd, Sink::Null),
        }
    }
    Ok(())
}

fn set(shell: &mut Shell, fd: u8, sink: Sink) {
    match fd {
        1 => shell.io.out = sink,
        2 => shell.io.err = sink,
        _ => shell.io.input = Source::Empty,
    }
}

fn open(shell: &Shell, path: &str) -> Result<Source, ShellError> {
    if path == "/dev/null" {
        return Ok(Source::Empty);
    }
    match shell.phone.file(&absolute(&shell.env.cwd, path)) {
        Some(bytes) => Ok(Source::of(bytes)),
        None => Err(ShellError::Missing(path.to_owned())),
    }
}

fn create(shell: &Shell, path: &str, append: bool) -> Result<Sink, ShellError> {
    if path == "/dev/null" {
        return Ok(Sink::Null);
    }
    let whole = absolute(&shell.env.cwd, path);
    if !shell.phone.writable(&whole) {
        return Err(ShellError::ReadOnly(path.to_owned()));
    }
    if !append || shell.phone.file(&whole).is_none() {
        shell.phone.write(&whole, Vec::new());
    }
    Ok(Sink::File(shell.phone.clone(), whole.into()))
}
