//! The live view: the page of `report.html`, served on loopback, following a run's log as it grows.
//!
//! It reads the bundle and nothing else, so it shows a run of this process, of another one, and a finished one in the
//! same way, and no browser can slow a run: the server has a thread and a clock of its own ([`door`]). [`tail`] reads
//! the log, [`show`] folds it and says what is new, [`answer`] is HTTP. Nothing can be written through it, and whoever
//! does not know the token in the address is told nothing.

mod answer;
mod door;
mod show;
mod tail;

use crate::args::UiArgs;
use crate::command_error::{CommandError, usage};
use crate::host::Streams;
use farmjank_engine::scribe::Voice;
use farmjank_leaf::text::name as shown;
use show::Show;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

/// A served live view; it ends with the process.
pub struct Ui {
    url: String,
    thread: door::Thread,
}

impl Ui {
    /// Serves the bundle in this folder, and says where on standard error. `watched` asks that there is a run to see
    /// already.
    ///
    /// # Errors
    /// No such run, or an address that cannot be listened on.
    pub fn open(root: &Path, args: &UiArgs, watched: bool) -> Result<Ui, CommandError> {
        let UiArgs { ui_address: address, ui_port: port, .. } = *args;
        let show = Show::new(root, args.pages());
        let read = show.catch_up();
        if watched {
            read?;
            if show.is_blank() {
                return Err(usage!("{} holds no run", shown(root)));
            }
        }
        let listener = door::listen(SocketAddr::new(address, port))?;
        let token = door::token()?;
        let url = format!("http://{}/{token}/", listener.address);
        let thread = door::serve(listener, Arc::new(answer::Server::new(show, token)))?;
        Streams.err(&format!("live view: {url}\n"));
        if !address.is_loopback() {
            Streams.err("note: it can be reached from other machines; whoever has the address above can read this run\n");
        }
        Ok(Ui { url, thread })
    }

    /// Says that the view outlives what it showed.
    pub fn announce_stay(&self) {
        Streams.err(&format!("the live view stays open at {} until you press Ctrl-C\n", self.url));
    }

    /// Goes on serving until the process is interrupted.
    pub fn stay(self) {
        self.thread.until_interrupted();
    }
}
