//! What is wrong with the description of a lab, a phone, an app or a build.

/// What is wrong with a lab, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LabError(pub String);

impl From<String> for LabError {
    fn from(what: String) -> Self {
        LabError(what)
    }
}
