//! The seams: traits between the engine and the exchangeable parts, and the values that cross them. Nothing else, but
//! for what both sides must do alike: quoting for a phone's shell, stamping what a loop on a phone prints, and waking
//! in order.
//!
//! ```
//! use farmjank_seams::quote::quote;
//!
//! // Foreign words reach a phone's shell as one word, whatever they are.
//! assert_eq!(quote("com.example/.Feed; reboot"), "'com.example/.Feed; reboot'");
//! ```

pub mod claim;
pub mod connections;
pub mod device;
pub mod exchange;
pub mod history;
pub mod hook;
pub mod host;
pub mod names;
pub mod probe;
pub mod quote;
pub mod reporter;
pub mod sampling_loop;
pub mod source;
pub mod thermal;
pub mod watched;
pub mod window_asked;

use farmjank_results::fault::Fault;
use std::future::Future;
use std::pin::Pin;

/// Work on the one scheduler: a boxed local future. Dropping it cancels it.
pub type Work<'a, T> = Pin<Box<dyn Future<Output = Result<T, Fault>> + 'a>>;
