//! Rust text as a flat list of tokens with their lines, and the shapes the rules look for.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::ops::RangeInclusive;
use std::str::FromStr;

/// What a token is. Comments are no tokens; doc comments are attributes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name or keyword.
    Word(String),
    /// One character of punctuation.
    Mark(char),
    /// Text, number or character as written.
    Literal(String),
    /// `(`, `[` or `{`.
    Open(char),
    /// Its end, named by what it ends.
    Close(char),
}

/// One token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What.
    pub kind: Kind,
    /// Line, from 1.
    pub line: usize,
}

impl Token {
    /// This very name or keyword.
    pub fn is(&self, word: &str) -> bool {
        matches!(&self.kind, Kind::Word(own) if own == word)
    }

    /// This very mark.
    pub fn is_mark(&self, mark: char) -> bool {
        self.kind == Kind::Mark(mark)
    }

    /// The name, if it is one.
    pub fn word(&self) -> Option<&str> {
        match &self.kind {
            Kind::Word(word) => Some(word),
            _ => None,
        }
    }
}

/// The tokens of a file.
///
/// # Errors
/// When it is not Rust.
pub fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let stream = TokenStream::from_str(text).map_err(|why| format!("{why} at {:?}", why.span().start()))?;
    let mut flat = Vec::new();
    flatten(stream, &mut flat);
    Ok(flat)
}

fn flatten(stream: TokenStream, flat: &mut Vec<Token>) {
    for tree in stream {
        let line = tree.span().start().line;
        match tree {
            TokenTree::Ident(word) => flat.push(Token { kind: Kind::Word(word.to_string()), line }),
            TokenTree::Punct(mark) => flat.push(Token { kind: Kind::Mark(mark.as_char()), line }),
            TokenTree::Literal(literal) => {
                flat.push(Token { kind: Kind::Literal(literal.to_string()), line })
            }
            TokenTree::Group(group) => {
                let bracket = match group.delimiter() {
                    Delimiter::Brace => '{',
                    Delimiter::Bracket => '[',
                    Delimiter::Parenthesis | Delimiter::None => '(',
                };
                flat.push(Token { kind: Kind::Open(bracket), line: group.span_open().start().line });
                flatten(group.stream(), flat);
                flat.push(Token { kind: Kind::Close(bracket), line: group.span_close().end().line });
            }
        }
    }
}

/// The index of the bracket that closes the one at `open`.
pub fn closing(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            Kind::Open(_) => depth += 1,
            Kind::Close(_) if depth == 1 => return at,
            Kind::Close(_) => depth -= 1,
            _ => {}
        }
    }
    tokens.len().saturating_sub(1)
}

/// Where an item that begins at `from` ends: at its `;`, or at the end of its first braces, outside other brackets.
fn item_end(tokens: &[Token], from: usize) -> usize {
    let mut at = from;
    while let Some(token) = tokens.get(at) {
        match token.kind {
            Kind::Mark(';') | Kind::Close(_) => return at,
            Kind::Open('{') => return closing(tokens, at),
            Kind::Open(_) => at = closing(tokens, at) + 1,
            _ => at += 1,
        }
    }
    tokens.len().saturating_sub(1)
}

/// Attributes: the index of each `#` and of the bracket that closes it.
pub fn attributes(tokens: &[Token]) -> Vec<(usize, usize)> {
    let opens = |at: &usize| {
        tokens[*at].is_mark('#') && tokens.get(at + 1).is_some_and(|next| next.kind == Kind::Open('['))
    };
    (0..tokens.len()).filter(opens).map(|at| (at, closing(tokens, at + 1))).collect()
}

/// `#[cfg(test)]`, `#[cfg(any(test, …))]` or `#[test]`.
fn marks_test(attribute: &[Token]) -> bool {
    let has = |word: &str| attribute.iter().any(|token| token.is(word));
    has("test") && !has("not")
}

/// What each test attribute stands on: from the attribute to the index where its item begins.
fn test_items(tokens: &[Token]) -> Vec<(usize, usize)> {
    let attributes = attributes(tokens);
    let of_test = attributes.iter().filter(|(from, to)| marks_test(&tokens[*from..=*to]));
    let item = |(from, to): &(usize, usize)| {
        let mut at = to + 1;
        while let Some((_, end)) = attributes.iter().find(|(next, _)| *next == at) {
            at = end + 1;
        }
        (*from, at)
    };
    of_test.map(item).collect()
}

/// Lines that only exist in tests.
pub fn test_regions(tokens: &[Token]) -> Vec<RangeInclusive<usize>> {
    let region = |(from, item): (usize, usize)| tokens[from].line..=tokens[item_end(tokens, item)].line;
    test_items(tokens).into_iter().map(region).collect()
}

/// Names of modules in files of their own that only exist in tests.
pub fn test_modules(tokens: &[Token]) -> Vec<String> {
    let mut names = Vec::new();
    for (_, item) in test_items(tokens) {
        let end = item_end(tokens, item);
        if tokens[end].is_mark(';') {
            let pairs = tokens[item..end].windows(2);
            names.extend(
                pairs.filter(|pair| pair[0].is("mod")).filter_map(|pair| pair[1].word().map(str::to_owned)),
            );
        }
    }
    names
}

#[test]
fn test_code_is_told_from_code_that_ships() {
    let text = "fn a() {}\n#[cfg(test)]\n#[allow(x)]\nmod tests {\n fn b() {}\n}\n#[cfg(not(test))]\nfn c() {}\n\
                #[cfg(test)]\npub mod samples;\n#[cfg(test)]\nuse x::y;\nfn d() {}";
    let tokens = tokens(text).unwrap();
    assert_eq!(test_regions(&tokens), [2..=6, 9..=10, 11..=12]);
    assert_eq!(test_modules(&tokens), ["samples"]);
}
