//! Why a script gave no value.

use thiserror::Error;

/// Why a script gave no value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ScriptError {
    /// It threw, or is no JavaScript.
    #[error("{0}")]
    Threw(String),
    /// It ran for too long.
    #[error("it was stopped after some 200 million instructions")]
    Endless,
    /// It wanted more memory than there is for scripts, bytes.
    #[error("it wanted more than {} MiB of memory", .0 >> 20)]
    Memory(usize),
    /// Its value is longer than this many bytes.
    #[error("its value is longer than {} KiB", .0 >> 10)]
    Value(usize),
    /// The engine itself could not be had.
    #[error("the script engine cannot start: {0}")]
    Engine(String),
}
