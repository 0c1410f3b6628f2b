//! Small pure things that stand once: a hash ([`hash`]), the variable-length integer of protobuf ([`varint`]), the word
//! somebody probably meant ([`nearest`]), secrets blacked out ([`mask`]), and hostile characters made safe to show
//! ([`text`]).
//!
//! Below every other crate. Must not know anything of frames, phones or files: what has a meaning here belongs above.
//!
//! ```
//! use farmjank_leaf::{nearest::nearest, text::line};
//! assert_eq!(nearest("tresholds", ["thresholds", "steps"]), Some("thresholds"));
//! assert_eq!(line("\u{1b}[2Jphone", 40), "\\u{1b}[2Jphone");
//! ```

pub mod hash;
pub mod mask;
pub mod nearest;
pub mod text;
pub mod varint;
