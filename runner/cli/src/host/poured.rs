//! A file of a bundle for somebody who takes it bit by bit, from another thread than those who serve.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "part of the outside world, as `host.rs`"
)]

use super::Bundle;
use farmjank_results::file_error::FileError;
use farmjank_seams::host::Files as _;
use futures::Stream;
use std::path::Path;
use tokio::sync::{OwnedSemaphorePermit, mpsc};

/// Pieces of a file that wait to be taken.
const AHEAD: usize = 2;

/// What a file of a bundle holds, unpacked on a thread of its own while it is taken; whoever takes no more ends it. The
/// seat is kept until then.
///
/// # Errors
/// The file, and why nothing of it can be read. A piece that cannot be read later ends the stream.
pub async fn pour(
    root: &Path,
    path: &str,
    seat: OwnedSemaphorePermit,
) -> Result<impl Stream<Item = Result<Vec<u8>, FileError>> + use<>, FileError> {
    let (root, path) = (root.to_owned(), path.to_owned());
    let (give, mut take) = mpsc::channel(AHEAD);
    std::thread::spawn(move || {
        let _seat = seat;
        let told = |piece| give.blocking_send(piece).is_ok();
        match Bundle::open(&root).pieces(&path) {
            Err(why) => drop(told(Err(why))),
            Ok(mut pieces) => drop(pieces.all(told)),
        }
    });
    let first = take.recv().await.transpose()?;
    Ok(futures::stream::unfold((first, take), |(first, mut take)| async move {
        let piece = match first {
            Some(piece) => Ok(piece),
            None => take.recv().await?,
        };
        Some((piece, (None, take)))
    }))
}
