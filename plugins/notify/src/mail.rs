//! Mail: the same message as text, a letter to each, and how often one is handed over. A text is no markup to mail, so
//! nothing in it has to be disarmed.

use crate::chats::{Told, plain};
use crate::world::Undelivered;
use farmjank_leaf::hash::Fnv;
use farmjank_requests::again::pause;
use farmjank_requests::{Letter, NotTaken};
use std::future::Future;
use std::time::Duration;

/// How many news of each heading a letter tells.
const MOST: usize = 100;

/// The letter of what is told, from one to another.
pub fn letter(told: &Told<'_>, from: &str, to: &str) -> Letter {
    let text = plain(told.message, MOST);
    let name = [told.run.run.as_str(), from, to, &text]
        .iter()
        .fold(Fnv::NOTHING, |hash, one| hash.part(one.as_bytes()));
    Letter {
        from: from.to_owned(),
        to: to.to_owned(),
        subject: told.message.title.clone(),
        text,
        name: format!("farmjank-{}-{}", told.millis, name.hex()),
        millis: told.millis,
    }
}

/// What letters need of the world.
pub trait Post {
    /// Hands a letter over, within a time of its own.
    fn hand_over(&mut self, letter: &Letter) -> impl Future<Output = Result<(), NotTaken>>;

    /// Waits.
    fn wait(&mut self, time: Duration) -> impl Future<Output = ()>;

    /// How much time there is.
    fn left(&self) -> Duration;
}

/// Hands a letter over, and again while that may help and there is time. The server may have taken it before: its name
/// is the same each time.
///
/// # Errors
/// It was not taken.
pub async fn deliver<P: Post>(post: &mut P, letter: &Letter) -> Result<(), Undelivered> {
    let mut attempt = 1;
    loop {
        match post.hand_over(letter).await {
            Ok(()) => return Ok(()),
            Err(NotTaken::Never(why)) => return Err(Undelivered(why)),
            Err(NotTaken::Later(why)) if pause(attempt) > post.left() => {
                return Err(Undelivered(format!("{why}; the time for it is over")));
            }
            Err(NotTaken::Later(_)) => post.wait(pause(attempt)).await,
        }
        attempt += 1;
    }
}
