//! What a shell says on standard error in place of doing what a line asks, in mksh's words.

/// Why a word, a redirection or a condition came to nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ShellError {
    /// A redirection reads a file that is not there.
    #[error("can't open {0}: No such file or directory")]
    Missing(String),
    /// A redirection writes where nobody may.
    #[error("can't create {0}: Read-only file system")]
    ReadOnly(String),
    /// A text stands where a number should.
    #[error("{}: bad number", shown(.0))]
    Number(String),
    /// An expression divides by zero.
    #[error("{0}: divide by zero")]
    DivideByZero(String),
    /// An expression that cannot be read on.
    #[error("{}: unexpected token", shown(.0))]
    Token(String),
    /// A condition with an operator nobody knows, or one too many.
    #[error("{0}: unexpected operator/operand")]
    Operator(String),
}

/// The beginning of what was typed.
fn shown(text: &str) -> String {
    text.chars().take(60).collect()
}
