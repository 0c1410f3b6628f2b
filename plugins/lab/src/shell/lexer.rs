//! Text to tokens: words with their quoting, operators, comments, here-documents.
//!
//! Reserved words are the parser's business; here `if` is a word like any other. Works on characters, so text that is
//! not ASCII is never cut in the middle.

use super::syntax::{Part, Trouble, Word};

/// How deep constructs may nest, so that hostile text cannot exhaust the stack.
const DEEPEST: u32 = 40;

/// One token.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// A word.
    Word(Word),
    /// An operator, spelled as written: `;` `&&` `<<` …
    Operator(&'static str),
    /// A digit directly before a redirection.
    Descriptor(u8),
    /// End of a line.
    Newline,
    /// End of the text.
    End,
}

const OPERATORS: [&str; 20] = [
    "<<<", "<<-", "&&", "||", ";;", "<<", ">>", "<&", ">&", ">|", "&>", "<>", ";", "&", "|", "(", ")", "<",
    ">", "\n",
];

/// Cuts text into tokens.
pub struct Lexer {
    pub(super) chars: Vec<char>,
    pub(super) at: usize,
    pub(super) depth: u32,
}

impl Lexer {
    /// Over a text, at nesting depth `depth`.
    pub fn new(text: &str, depth: u32) -> Self {
        Lexer { chars: text.chars().collect(), at: 0, depth }
    }

    /// Goes one construct deeper. Error when that is too deep.
    pub fn enter(&mut self) -> Result<(), Trouble> {
        self.depth += 1;
        if self.depth > DEEPEST { Err(Trouble::TooDeep) } else { Ok(()) }
    }

    /// Comes back from [`Lexer::enter`].
    pub fn leave(&mut self) {
        self.depth -= 1;
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    pub(super) fn starts_with(&self, what: &str) -> bool {
        what.chars().enumerate().all(|(i, c)| self.peek_at(i) == Some(c))
    }

    pub(super) fn take(&mut self, what: &str) -> bool {
        let found = self.starts_with(what);
        if found {
            self.at += what.chars().count();
        }
        found
    }

    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t' | '\r') => self.at += 1,
                Some('\\') if self.peek_at(1) == Some('\n') => self.at += 2,
                Some('#') => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// The next token.
    pub fn token(&mut self) -> Result<Token, Trouble> {
        self.skip_blanks();
        let Some(first) = self.peek() else { return Ok(Token::End) };
        if let (Some(digit), Some('<' | '>')) = (first.to_digit(10), self.peek_at(1)) {
            self.at += 1;
            return Ok(Token::Descriptor(digit as u8));
        }
        for operator in OPERATORS {
            if self.take(operator) {
                return Ok(if operator == "\n" { Token::Newline } else { Token::Operator(operator) });
            }
        }
        self.word().map(Token::Word)
    }

    /// The body of a here-document: lines up to one that is `end`, with leading tabs removed where asked.
    pub(crate) fn here_document(
        &mut self,
        end: &str,
        strip_tabs: bool,
        verbatim: bool,
    ) -> Result<Word, Trouble> {
        // The rest of the command's own line is kept and read on after the body.
        let line_end =
            (self.at..self.chars.len()).find(|&i| self.chars[i] == '\n').unwrap_or(self.chars.len());
        let mut body = String::new();
        let mut at = line_end + 1;
        while at < self.chars.len() {
            let stop = (at..self.chars.len()).find(|&i| self.chars[i] == '\n').unwrap_or(self.chars.len());
            let line: String = self.chars[at..stop].iter().collect();
            let line = if strip_tabs { line.trim_start_matches('\t') } else { &line };
            at = stop + 1;
            if line == end {
                break;
            }
            body.push_str(line);
            body.push('\n');
        }
        let (from, to) = (line_end.min(self.chars.len()), at.saturating_sub(1).min(self.chars.len()));
        self.chars.drain(from..to.max(from));
        if verbatim {
            return Ok(Word(vec![Part::Text { text: body, quoted: true }]));
        }
        let mut inner = Lexer::new(&body, self.depth);
        inner.quoted_until(None)
    }

    fn word(&mut self) -> Result<Word, Trouble> {
        let mut parts = Vec::new();
        let mut bare = String::new();
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' => break,
                '\\' => {
                    self.at += 1;
                    match self.peek() {
                        Some('\n') => self.at += 1,
                        Some(escaped) => {
                            self.at += 1;
                            flush(&mut bare, &mut parts, false);
                            parts.push(Part::Text { text: escaped.to_string(), quoted: true });
                        }
                        None => bare.push('\\'),
                    }
                }
                '\'' => {
                    self.at += 1;
                    flush(&mut bare, &mut parts, false);
                    let text = self.until('\'')?;
                    parts.push(Part::Text { text, quoted: true });
                }
                '"' => {
                    self.at += 1;
                    flush(&mut bare, &mut parts, false);
                    parts.extend(self.quoted_until(Some('"'))?.0);
                }
                '$' | '`' => self.dollar(&mut bare, &mut parts, false)?,
                _ => {
                    bare.push(c);
                    self.at += 1;
                }
            }
        }
        flush(&mut bare, &mut parts, false);
        Ok(Word(parts))
    }

    pub(super) fn until(&mut self, end: char) -> Result<String, Trouble> {
        let from = self.at;
        while let Some(c) = self.peek() {
            self.at += 1;
            if c == end {
                return Ok(self.chars[from..self.at - 1].iter().collect());
            }
        }
        Err(Trouble::NoClosingQuote)
    }

    /// The inside of double quotes up to `end` (none: to the end of the text). Always yields at least one part.
    pub(super) fn quoted_until(&mut self, end: Option<char>) -> Result<Word, Trouble> {
        let mut parts = Vec::new();
        let mut text = String::new();
        loop {
            let Some(c) = self.peek() else {
                if end.is_some() {
                    return Err(Trouble::NoClosingQuote);
                }
                break;
            };
            if Some(c) == end {
                self.at += 1;
                break;
            }
            match c {
                '\\' => {
                    self.at += 1;
                    match self.peek() {
                        Some('\n') => self.at += 1,
                        Some(e) if matches!(e, '$' | '`' | '\\') || Some(e) == end => {
                            text.push(e);
                            self.at += 1;
                        }
                        _ => text.push('\\'),
                    }
                }
                '$' | '`' => self.dollar(&mut text, &mut parts, true)?,
                _ => {
                    text.push(c);
                    self.at += 1;
                }
            }
        }
        if !text.is_empty() || parts.is_empty() {
            parts.push(Part::Text { text, quoted: true });
        }
        Ok(Word(parts))
    }
}

/// Ends a run of plain text.
pub(super) fn flush(text: &mut String, parts: &mut Vec<Part>, quoted: bool) {
    if !text.is_empty() {
        parts.push(Part::Text { text: std::mem::take(text), quoted });
    }
}
