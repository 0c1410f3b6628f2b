//! What a shell line means, as data: the tree the parser builds once and the interpreter walks as often as it likes.
//!
//! Knows no text and no phone. Nodes that may outlive the line (background jobs, functions) are reference counted.

use std::fmt;
use std::rc::Rc;

/// A whole script: complete lines that run one after another, and the complaint that ends it, if any.
///
/// As in mksh, lines before a syntax error still run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// Complete commands in order.
    pub lines: Vec<List>,
    /// What could not be parsed after them.
    pub trouble: Option<Trouble>,
}

/// Commands separated by `;`, `&` or newline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct List(pub Vec<Item>);

/// One element of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What to run.
    pub chain: Rc<Chain>,
    /// Ended by `&`.
    pub background: bool,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The first.
    pub first: Pipeline,
    /// The others and what must hold for them to run.
    pub rest: Vec<(Join, Pipeline)>,
}

/// How a pipeline hangs on the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Commands joined by `|`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    /// Preceded by `!`.
    pub negated: bool,
    /// At least one.
    pub stages: Vec<Command>,
}

/// A command and its redirections.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// What it is.
    pub kind: Kind,
    /// Applied from left to right.
    pub redirects: Vec<Redirect>,
}

/// The kinds of commands.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Assignments and words.
    Simple {
        /// `name=word` before the first word.
        assigns: Vec<(String, Word)>,
        /// Program and arguments; may be empty.
        words: Vec<Word>,
    },
    /// `{ list; }`
    Group(List),
    /// `( list )`
    Subshell(List),
    /// `if … then … elif … else … fi`
    If {
        /// Conditions and what they guard.
        arms: Vec<(List, List)>,
        /// The `else` part.
        otherwise: Option<List>,
    },
    /// `while` or `until`
    Loop {
        /// True for `until`.
        until: bool,
        /// Condition.
        condition: List,
        /// Body.
        body: List,
    },
    /// `for name in words`
    For {
        /// Variable.
        name: String,
        /// Words; none means the positional parameters.
        words: Option<Vec<Word>>,
        /// Body.
        body: List,
    },
    /// `case word in pattern) list ;; esac`
    Case {
        /// What is matched.
        subject: Word,
        /// Patterns and what they guard.
        arms: Vec<(Vec<Word>, List)>,
    },
    /// `name() command`
    Function {
        /// Name.
        name: String,
        /// Body.
        body: Rc<Command>,
    },
}

/// A redirection of one descriptor.
#[derive(Clone, Debug, PartialEq)]
pub struct Redirect {
    /// Which descriptor: 0, 1 or 2.
    pub fd: u8,
    /// Where to.
    pub target: Target,
}

/// Where a redirection leads.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// `<file`
    Read(Word),
    /// `>file`
    Write(Word),
    /// `>>file`
    Append(Word),
    /// `>&n`
    Copy(u8),
    /// `>&-`
    Close,
    /// `<<<word` or a here-document: this text on standard input.
    Text(Word),
}

/// A word before expansion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Word(pub Vec<Part>);

impl Word {
    /// The text of a word that is one unquoted piece: what a reserved word or a name must be.
    pub fn bare(&self) -> Option<&str> {
        match self.0.as_slice() {
            [Part::Text { text, quoted: false }] => Some(text),
            _ => None,
        }
    }
}

/// A piece of a word.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Literal text.
    Text {
        /// Text.
        text: String,
        /// Quoted: neither split nor a pattern.
        quoted: bool,
    },
    /// `$name`, `${name}`, `${name op word}`
    Variable {
        /// Name, digit or one of `? $ ! # @ *`.
        name: String,
        /// What is done with the value.
        edit: Option<(Edit, Word)>,
        /// Inside double quotes.
        quoted: bool,
    },
    /// `$( … )` or backticks.
    Command {
        /// What runs.
        script: Rc<Script>,
        /// Inside double quotes.
        quoted: bool,
    },
    /// `$(( … ))`
    Arithmetic {
        /// The expression, to be expanded first.
        expression: Word,
        /// Inside double quotes.
        quoted: bool,
    },
}

/// Operators of `${name…}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// `${#x}`: length.
    Length,
    /// `${x:-w}` (true: also when empty) and `${x-w}`.
    Default(bool),
    /// `${x:=w}` and `${x=w}`.
    Assign(bool),
    /// `${x:+w}` and `${x+w}`.
    Alternative(bool),
    /// `${x#w}`, `${x##w}` (true: longest).
    CutFront(bool),
    /// `${x%w}`, `${x%%w}` (true: longest).
    CutBack(bool),
}

/// Why a script cannot be parsed, in mksh's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// A word or operator where none may be.
    Unexpected(String),
    /// The script ended inside this construct.
    Unmatched(String),
    /// The script ended where more was needed.
    UnexpectedEnd,
    /// A quote, `${` or backtick without its end.
    NoClosingQuote,
    /// `${…}` with something this shell does not do.
    BadSubstitution(String),
    /// Constructs inside constructs beyond what the phone's stack would take.
    TooDeep,
}

impl Trouble {
    /// Whether more text could still make the script whole (an interactive shell asks for another line).
    pub(crate) fn wants_more(&self) -> bool {
        matches!(self, Trouble::Unmatched(_) | Trouble::UnexpectedEnd | Trouble::NoClosingQuote)
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Unexpected(what) => write!(f, "syntax error: unexpected '{what}'"),
            Trouble::Unmatched(what) => write!(f, "syntax error: unmatched '{what}'"),
            Trouble::UnexpectedEnd => f.write_str("syntax error: unexpected EOF"),
            Trouble::NoClosingQuote => f.write_str("no closing quote"),
            Trouble::BadSubstitution(what) => write!(f, "{what}: bad substitution"),
            Trouble::TooDeep => f.write_str("syntax error: nested too deeply"),
        }
    }
}
