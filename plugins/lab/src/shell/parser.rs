//! Tokens to a tree: lists, pipelines, compound commands, redirections. Complaints are worded as mksh words them.

use super::lexer::{Lexer, Token};
use super::syntax::{
    Chain, Command, Item, Join, Kind, List, Pipeline, Redirect, Script, Target, Trouble, Word,
};
use std::rc::Rc;

const RESERVED: [&str; 13] =
    ["if", "then", "elif", "else", "fi", "while", "until", "do", "done", "for", "case", "esac", "}"];

/// Parses a script. Never fails as a whole: what was complete before the first complaint still runs.
pub fn parse(text: &str) -> Script {
    parse_at(text, 0)
}

/// The same, for text found at a nesting depth.
pub(super) fn parse_at(text: &str, depth: u32) -> Script {
    let mut lexer = Lexer::new(text, depth);
    let mut parser = Parser { lexer: &mut lexer, peeked: None };
    let mut script = Script::default();
    if let Err(trouble) = parser.lines(&mut script.lines) {
        script.trouble = Some(trouble);
    }
    script
}

/// The list between `$(` and `)`, leaving the lexer behind the `)`.
pub(super) fn inside_parentheses(lexer: &mut Lexer) -> Result<List, Trouble> {
    let mut parser = Parser { lexer, peeked: None };
    let list = parser.list()?;
    parser.close(")", "(")?;
    Ok(list)
}

/// A parser over a lexer that it may share with an outer one.
pub(super) struct Parser<'a> {
    lexer: &'a mut Lexer,
    pub(super) peeked: Option<Token>,
}

impl Parser<'_> {
    pub(super) fn peek(&mut self) -> Result<&Token, Trouble> {
        if self.peeked.is_none() {
            self.peeked = Some(self.lexer.token()?);
        }
        Ok(self.peeked.as_ref().unwrap_or(&Token::End))
    }

    fn take(&mut self) -> Result<Token, Trouble> {
        match self.peeked.take() {
            Some(token) => Ok(token),
            None => self.lexer.token(),
        }
    }

    pub(super) fn at_operator(&mut self, operator: &str) -> Result<bool, Trouble> {
        Ok(matches!(self.peek()?, Token::Operator(o) if *o == operator))
    }

    pub(super) fn take_operator(&mut self, operator: &str) -> Result<bool, Trouble> {
        let found = self.at_operator(operator)?;
        if found {
            self.peeked = None;
        }
        Ok(found)
    }

    fn at_word(&mut self, word: &str) -> Result<bool, Trouble> {
        Ok(matches!(self.peek()?, Token::Word(w) if w.bare() == Some(word)))
    }

    pub(super) fn take_word(&mut self, word: &str) -> Result<bool, Trouble> {
        let found = self.at_word(word)?;
        if found {
            self.peeked = None;
        }
        Ok(found)
    }

    pub(super) fn skip_newlines(&mut self) -> Result<(), Trouble> {
        while matches!(self.peek()?, Token::Newline) {
            self.peeked = None;
        }
        Ok(())
    }

    /// A complaint about the next token; at the end of the text, about the construct `open` that lacks its end.
    pub(super) fn complain<T>(&mut self, open: &str) -> Result<T, Trouble> {
        Err(match self.take()? {
            Token::End if open.is_empty() => Trouble::UnexpectedEnd,
            Token::End => Trouble::Unmatched(open.to_owned()),
            Token::Newline => Trouble::Unexpected("newline".to_owned()),
            Token::Operator(operator) => Trouble::Unexpected(operator.to_owned()),
            Token::Descriptor(digit) => Trouble::Unexpected(digit.to_string()),
            Token::Word(word) => Trouble::Unexpected(word_text(&word)),
        })
    }

    /// Wants a reserved word that ends or continues the construct `open`.
    pub(super) fn want(&mut self, word: &str, open: &str) -> Result<(), Trouble> {
        if self.take_word(word)? { Ok(()) } else { self.complain(open) }
    }

    pub(super) fn close(&mut self, operator: &str, open: &str) -> Result<(), Trouble> {
        if self.take_operator(operator)? { Ok(()) } else { self.complain(open) }
    }

    /// Complete commands, one for each line of text.
    fn lines(&mut self, into: &mut Vec<List>) -> Result<(), Trouble> {
        loop {
            self.skip_newlines()?;
            if matches!(self.peek()?, Token::End) {
                return Ok(());
            }
            let mut items = Vec::new();
            loop {
                items.push(self.item("")?);
                match self.peek()? {
                    Token::End => break,
                    Token::Newline => break,
                    _ if items.last().is_some_and(|(_, ended)| *ended) => {}
                    _ => return self.complain(""),
                }
            }
            into.push(List(items.into_iter().map(|(item, _)| item).collect()));
        }
    }

    /// A list inside a construct: ends before a reserved word, `)`, `;;` or the end.
    pub(super) fn list(&mut self) -> Result<List, Trouble> {
        let mut items = Vec::new();
        loop {
            self.skip_newlines()?;
            let over = match self.peek()? {
                Token::End => true,
                Token::Operator(operator) => matches!(*operator, ")" | ";;"),
                Token::Word(word) => word.bare().is_some_and(ends_list),
                _ => false,
            };
            if over {
                return Ok(List(items));
            }
            let (item, ended) = self.item("")?;
            items.push(item);
            if !ended && !matches!(self.peek()?, Token::Newline) {
                return Ok(List(items));
            }
        }
    }

    /// A list that must not be empty, inside the construct `open`.
    pub(super) fn body(&mut self, open: &str) -> Result<List, Trouble> {
        let list = self.list()?;
        if list.0.is_empty() { self.complain(open) } else { Ok(list) }
    }

    /// A chain and whether `;` or `&` ended it.
    fn item(&mut self, open: &str) -> Result<(Item, bool), Trouble> {
        let first = self.pipeline(open)?;
        let mut rest = Vec::new();
        loop {
            let join = if self.take_operator("&&")? {
                Join::And
            } else if self.take_operator("||")? {
                Join::Or
            } else {
                break;
            };
            self.skip_newlines()?;
            rest.push((join, self.pipeline(open)?));
        }
        let background = self.take_operator("&")?;
        let ended = background || self.take_operator(";")?;
        Ok((Item { chain: Rc::new(Chain { first, rest }), background }, ended))
    }

    fn pipeline(&mut self, open: &str) -> Result<Pipeline, Trouble> {
        let mut negated = false;
        while self.take_word("!")? {
            negated = !negated;
        }
        let mut stages = vec![self.command(open)?];
        while self.take_operator("|")? {
            self.skip_newlines()?;
            stages.push(self.command(open)?);
        }
        Ok(Pipeline { negated, stages })
    }

    fn command(&mut self, open: &str) -> Result<Command, Trouble> {
        self.lexer.enter()?;
        let command = self.command_inside(open);
        self.lexer.leave();
        command
    }

    fn command_inside(&mut self, open: &str) -> Result<Command, Trouble> {
        let kind = if self.take_operator("(")? {
            let list = self.body("(")?;
            self.close(")", "(")?;
            Kind::Subshell(list)
        } else {
            let word = match self.peek()? {
                Token::Word(word) => word.bare().unwrap_or("").to_owned(),
                Token::Operator(operator)
                    if !matches!(*operator, "<" | ">" | ">>" | "&>" | ">|" | ">&" | "<&" | "<<" | "<<<") =>
                {
                    return self.complain(open);
                }
                Token::End | Token::Newline => return self.complain(open),
                _ => String::new(),
            };
            match word.as_str() {
                "{" => {
                    self.peeked = None;
                    let list = self.body("{")?;
                    self.want("}", "{")?;
                    Kind::Group(list)
                }
                "if" => self.conditional()?,
                "while" | "until" => {
                    self.peeked = None;
                    let condition = self.body(&word)?;
                    let body = self.do_group(&word)?;
                    Kind::Loop { until: word == "until", condition, body }
                }
                "for" => self.for_loop()?,
                "case" => self.case()?,
                reserved if RESERVED.contains(&reserved) => return self.complain(open),
                _ => return self.simple(),
            }
        };
        let mut redirects = Vec::new();
        while self.redirect(&mut redirects)? {}
        Ok(Command { kind, redirects })
    }

    fn simple(&mut self) -> Result<Command, Trouble> {
        let mut assigns = Vec::new();
        let mut words = Vec::new();
        let mut redirects = Vec::new();
        loop {
            if self.redirect(&mut redirects)? {
                continue;
            }
            let Token::Word(word) = self.peek()? else { break };
            if words.is_empty()
                && let Some(assign) = assignment(word)
            {
                assigns.push(assign);
            } else {
                words.push(word.clone());
            }
            self.peeked = None;
            if let [only] = words.as_slice()
                && assigns.is_empty()
                && let Some(name) = only.bare().filter(|name| is_name(name)).map(str::to_owned)
                && self.take_operator("(")?
            {
                self.close(")", "(")?;
                self.skip_newlines()?;
                let body = Rc::new(self.command("")?);
                return Ok(Command { kind: Kind::Function { name, body }, redirects });
            }
        }
        if self.at_operator("(")? {
            return self.complain("");
        }
        Ok(Command { kind: Kind::Simple { assigns, words }, redirects })
    }

    /// Takes one redirection if there is one.
    fn redirect(&mut self, into: &mut Vec<Redirect>) -> Result<bool, Trouble> {
        let descriptor = match self.peek()? {
            Token::Descriptor(digit) => Some(*digit),
            Token::Operator("<" | ">" | ">>" | ">|" | "&>" | ">&" | "<&" | "<<" | "<<-" | "<<<" | "<>") => {
                None
            }
            _ => return Ok(false),
        };
        if descriptor.is_some() {
            self.peeked = None;
        }
        let Token::Operator(operator) = self.take()? else { return self.complain("") };
        let Token::Word(word) = self.peek()?.clone() else { return self.complain("") };
        self.peeked = None;
        let fd = descriptor.unwrap_or(if operator.starts_with('<') { 0 } else { 1 });
        if fd > 2 {
            return Err(Trouble::Unexpected(format!("{fd}{operator}")));
        }
        let target = match operator {
            "<" | "<>" => Target::Read(word),
            ">" | ">|" => Target::Write(word),
            ">>" => Target::Append(word),
            "<<<" => {
                let mut text = word;
                text.0.push(super::syntax::Part::Text { text: "\n".to_owned(), quoted: true });
                Target::Text(text)
            }
            "<<" | "<<-" => {
                let verbatim = word.bare().is_none();
                Target::Text(self.lexer.here_document(&word_text(&word), operator == "<<-", verbatim)?)
            }
            "&>" => {
                into.push(Redirect { fd: 1, target: Target::Write(word) });
                into.push(Redirect { fd: 2, target: Target::Copy(1) });
                return Ok(true);
            }
            _ => match word.bare() {
                Some("-") => Target::Close,
                Some("0") => Target::Copy(0),
                Some("1") => Target::Copy(1),
                Some("2") => Target::Copy(2),
                _ => return Err(Trouble::Unexpected(word_text(&word))),
            },
        };
        into.push(Redirect { fd, target });
        Ok(true)
    }
}

fn ends_list(word: &str) -> bool {
    matches!(word, "then" | "elif" | "else" | "fi" | "do" | "done" | "esac" | "}")
}

/// Whether a text can name a variable or function.
pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn assignment(word: &Word) -> Option<(String, Word)> {
    let (super::syntax::Part::Text { text, quoted: false }, rest) = word.0.split_first()? else {
        return None;
    };
    let (name, value) = text.split_once('=')?;
    if !is_name(name) {
        return None;
    }
    let mut parts = Vec::with_capacity(word.0.len());
    if !value.is_empty() {
        parts.push(super::syntax::Part::Text { text: value.to_owned(), quoted: false });
    }
    parts.extend_from_slice(rest);
    Some((name.to_owned(), Word(parts)))
}

/// A word as complaints show it: its literal text, bounded.
fn word_text(word: &Word) -> String {
    let mut shown = String::new();
    for part in &word.0 {
        match part {
            super::syntax::Part::Text { text, .. } => shown.push_str(text),
            super::syntax::Part::Variable { name, .. } => {
                shown.push('$');
                shown.push_str(name);
            }
            super::syntax::Part::Command { .. } => shown.push_str("$(...)"),
            super::syntax::Part::Arithmetic { .. } => shown.push_str("$((...))"),
        }
    }
    shown.chars().take(100).collect()
}
