//! What a run is told about seeing why frames were late.

/// Whose frames are asked about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Diagnose {
    /// Nobody's.
    #[default]
    Never,
    /// Those of windows that fail, of which nothing can be said, or that became slower than the baseline.
    Failed,
    /// Those of every window.
    Each,
    /// Those of every window, in the iterations that count: these are traced for it themselves.
    Always,
}

impl Diagnose {
    /// Every one.
    pub const ALL: [Diagnose; 4] = [Diagnose::Never, Diagnose::Failed, Diagnose::Each, Diagnose::Always];

    /// Its word: `never`, `failed`, `each`, `always`.
    pub fn word(self) -> &'static str {
        match self {
            Diagnose::Never => "never",
            Diagnose::Failed => "failed",
            Diagnose::Each => "each",
            Diagnose::Always => "always",
        }
    }

    /// The one of a word.
    pub fn named(word: &str) -> Option<Diagnose> {
        Diagnose::ALL.into_iter().find(|one| one.word() == word)
    }
}
