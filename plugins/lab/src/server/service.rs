//! The services of a phone, over any byte stream: shells of both protocols, `exec`, file transfer.
//!
//! Used by the server and by the daemon, which frame differently around them.

use super::connection::{CLOSE_STDIN, Connection, Framing, Hangup, STDIN};
use super::sync;
use crate::hand::Hand;
use crate::live_phone::LivePhone;
use crate::remedy;
use crate::shell::Programs;
use crate::shell::state::{Io, Shell};
use crate::shell::stream::{Channel, Outlet, Sink, Source, WriteEnd, pipe};
use crate::shell_process::ShellProcess;
use crate::transcript::{Ending, Overheard, Tape, Taped};
use std::future::{pending, poll_fn};
use std::rc::Rc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};

/// Exit status of a shell that was killed.
const KILLED: i32 = 143;

/// Longest packet a phone takes from a client, bytes.
const PACKET_MOST: usize = 1 << 20;

/// What a client asks of a phone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Service {
    /// A shell command; an empty one is an interactive shell.
    Shell { packets: bool, terminal: bool, command: String },
    /// File transfer.
    Sync,
    /// The phone boots again.
    Reboot,
    /// The phone's daemon makes its connection anew.
    Reconnect,
}

impl Service {
    /// Reads a service's name; nothing when the phone has no such service.
    pub(crate) fn parse(name: &str) -> Option<Service> {
        match name {
            "sync:" => return Some(Service::Sync),
            "reboot:" => return Some(Service::Reboot),
            "reconnect" => return Some(Service::Reconnect),
            _ => {}
        }
        if let Some(command) = name.strip_prefix("exec:") {
            return Some(Service::Shell { packets: false, terminal: false, command: command.to_owned() });
        }
        // `shell:command` or `shell,v2,TERM=xterm,raw:command`
        let (arguments, command) = name.strip_prefix("shell")?.split_once(':')?;
        let mut packets = false;
        let mut terminal = command.is_empty();
        for argument in arguments.split(',').skip(1) {
            match argument {
                "v2" => packets = true,
                "raw" => terminal = false,
                "pty" => terminal = true,
                _ => {}
            }
        }
        Some(Service::Shell { packets, terminal, command: command.to_owned() })
    }

    /// Runs the service until it ends, the client goes, or the cable is cut (then nothing more is sent). `answer` is
    /// how long the last bytes take on their way.
    pub(crate) async fn run<W: AsyncRead + AsyncWrite + Unpin>(
        self,
        phone: Rc<LivePhone>,
        cuts: u64,
        answer: Duration,
        wire: W,
    ) {
        let work = async {
            match self {
                // Its daemon does both, whatever hangs behind it.
                Service::Reboot => remedy::reboot(&phone),
                Service::Reconnect => remedy::reconnect(&phone),
                Service::Sync => {
                    phone.answering().await;
                    // A transfer that ends badly ends the connection; the client sees that.
                    let _ = sync::serve(&Hand(phone.clone()), wire).await;
                }
                Service::Shell { packets, terminal, command } => {
                    let framing = match (packets, terminal) {
                        (true, false) => Framing::Packets,
                        (true, true) => Framing::TerminalPackets,
                        (false, false) => Framing::Bare,
                        (false, true) => Framing::Terminal,
                    };
                    shell(phone.clone(), framing, command, answer, wire).await;
                }
            }
        };
        tokio::select! {
            biased;
            () = phone.cut(cuts) => {}
            () = work => {}
        }
    }
}

async fn shell<W: AsyncRead + AsyncWrite + Unpin>(
    phone: Rc<LivePhone>,
    framing: Framing,
    command: String,
    answer: Duration,
    wire: W,
) {
    let (mut reader, mut writer) = tokio::io::split(wire);
    let connection = Rc::new(Connection::new(framing));
    let _hangup = Hangup(&connection);
    let (input, output) = pipe();
    let terminal = matches!(framing, Framing::Terminal | Framing::TerminalPackets);
    let main = {
        let (phone, connection) = (phone.clone(), connection.clone());
        async move {
            phone.answering().await;
            let tape = phone.scribe().map(|scribe| Tape::new(&command, scribe));
            let _ending = tape.clone().map(Ending);
            let hand = Hand(phone.clone());
            let (outlet, programs): (Rc<dyn Outlet>, Rc<dyn Programs>) = match tape.clone() {
                None => (connection.clone(), Rc::new(hand)),
                Some(tape) => {
                    let outlet = Overheard { outlet: connection.clone(), tape: tape.clone() };
                    (Rc::new(outlet), Rc::new(Taped { phone: hand, tape }))
                }
            };
            let io = Io {
                input: Source::Pipe(Rc::new(output)),
                out: Sink::Outlet(outlet.clone(), Channel::Out),
                err: Sink::Outlet(outlet, Channel::Err),
            };
            let mut shell = Shell::new(programs, io);
            let process = ShellProcess::new(&phone, shell.pid(), &command);
            let running = async {
                if command.is_empty() {
                    let prompt = format!("{}:/ $ ", phone.banner().device);
                    shell.run_lines(terminal.then_some(prompt.as_str())).await
                } else {
                    shell.run(&command).await
                }
            };
            let status = tokio::select! {
                biased;
                status = running => Some(status),
                () = process.gone() => None,
            };
            drop((shell, process));
            tape.iter().for_each(|tape| tape.finish(status));
            if !answer.is_zero() {
                tokio::time::sleep(answer).await;
            }
            connection.finish(status.unwrap_or(KILLED));
        }
    };
    let printing = connection.pump(&phone, &mut writer);
    let whole = async {
        let (_, printed) = tokio::join!(biased; main, printing);
        printed
    };
    let echo = terminal.then(|| connection.clone());
    let listening =
        listen(&mut reader, input, matches!(framing, Framing::Packets | Framing::TerminalPackets), echo);
    tokio::select! {
        biased;
        _ = whole => {}
        () = listening => {}
    }
}

/// Feeds the client's bytes to standard input. Ends when the client is gone and that must end the shell.
async fn listen<R: AsyncRead + Unpin>(
    reader: &mut R,
    input: WriteEnd,
    packets: bool,
    echo: Option<Rc<Connection>>,
) {
    let mut input = Some(input);
    let mut chunk = vec![0; if packets { 0 } else { 16 * 1024 }];
    loop {
        let bytes = if packets {
            let mut header = [0; 5];
            if reader.read_exact(&mut header).await.is_err() {
                return;
            }
            let length = u32::from_le_bytes([header[1], header[2], header[3], header[4]]) as usize;
            if length > PACKET_MOST {
                return;
            }
            let mut bytes = vec![0; length];
            if reader.read_exact(&mut bytes).await.is_err() {
                return;
            }
            match header[0] {
                STDIN => bytes,
                CLOSE_STDIN => {
                    input = None;
                    continue;
                }
                _ => continue, // window size and what later versions may send
            }
        } else {
            match reader.read(&mut chunk).await {
                // Without packets the end of what the client sends is the end of standard input, not of the command.
                Ok(0) | Err(_) => {
                    drop(input.take());
                    pending::<()>().await;
                    return;
                }
                Ok(length) => chunk[..length].to_vec(),
            }
        };
        if let Some(connection) = &echo {
            let _ = Sink::Outlet(connection.clone(), Channel::Out).write(&bytes).await;
        }
        let mut rest = bytes.as_slice();
        while let (Some(end), false) = (&input, rest.is_empty()) {
            match poll_fn(|cx| end.poll_put(cx, rest)).await {
                Ok(taken) => rest = &rest[taken..],
                Err(_) => input = None,
            }
        }
    }
}
