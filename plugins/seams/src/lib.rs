//! The seams: traits between the engine and the exchangeable parts, and the values that cross them. Nothing else, but for
//! what both sides must do alike: quoting for a phone's shell, and waking in order.

pub mod device;
pub mod history;
pub mod host;
pub mod probe;
pub mod quote;
pub mod reporter;
pub mod source;
pub mod watched;

use farmjank_results::fault::Fault;
use std::future::Future;
use std::pin::Pin;

/// Work on the one scheduler: a boxed local future. Dropping it cancels it.
pub type Work<'a, T> = Pin<Box<dyn Future<Output = Result<T, Fault>> + 'a>>;
