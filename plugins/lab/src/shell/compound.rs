//! The compound commands: `if`, loops' bodies, `for`, `case`. Part of the parser.

use super::lexer::Token;
use super::parser::{Parser, is_name};
use super::syntax::{Kind, List, Trouble};

impl Parser<'_> {
    pub(super) fn conditional(&mut self) -> Result<Kind, Trouble> {
        self.peeked = None;
        let mut arms = Vec::new();
        loop {
            let condition = self.body("if")?;
            self.want("then", "if")?;
            arms.push((condition, self.body("if")?));
            if !self.take_word("elif")? {
                break;
            }
        }
        let otherwise = if self.take_word("else")? { Some(self.body("if")?) } else { None };
        self.want("fi", "if")?;
        Ok(Kind::If { arms, otherwise })
    }

    pub(super) fn do_group(&mut self, open: &str) -> Result<List, Trouble> {
        self.skip_newlines()?;
        self.want("do", open)?;
        let body = self.body(open)?;
        self.want("done", open)?;
        Ok(body)
    }

    pub(super) fn for_loop(&mut self) -> Result<Kind, Trouble> {
        self.peeked = None;
        let name = match self.peek()? {
            Token::Word(word) => word.bare().filter(|name| is_name(name)).map(str::to_owned),
            _ => None,
        };
        let Some(name) = name else { return self.complain("for") };
        self.peeked = None;
        self.skip_newlines()?;
        let mut words = None;
        if self.take_word("in")? {
            let mut list = Vec::new();
            while let Token::Word(word) = self.peek()? {
                list.push(word.clone());
                self.peeked = None;
            }
            words = Some(list);
        }
        if !self.take_operator(";")? && !matches!(self.peek()?, Token::Newline) && words.is_some() {
            return self.complain("for");
        }
        let body = self.do_group("for")?;
        Ok(Kind::For { name, words, body })
    }

    pub(super) fn case(&mut self) -> Result<Kind, Trouble> {
        self.peeked = None;
        let Token::Word(subject) = self.peek()?.clone() else { return self.complain("case") };
        self.peeked = None;
        self.skip_newlines()?;
        self.want("in", "case")?;
        let mut arms = Vec::new();
        loop {
            self.skip_newlines()?;
            if self.take_word("esac")? {
                return Ok(Kind::Case { subject, arms });
            }
            self.take_operator("(")?;
            let mut patterns = Vec::new();
            loop {
                let Token::Word(pattern) = self.peek()?.clone() else { return self.complain("case") };
                self.peeked = None;
                patterns.push(pattern);
                if !self.take_operator("|")? {
                    break;
                }
            }
            self.close(")", "case")?;
            arms.push((patterns, self.list()?));
            if !self.take_operator(";;")? {
                self.want("esac", "case")?;
                return Ok(Kind::Case { subject, arms });
            }
        }
    }
}
