//! Text of a requirement to its expression, by recursive descent. Complaints carry byte ranges. Bounded in depth.

use super::{Expression, Field, Relation, RequirementComplaint, Wanted};
use crate::complaint::quoted;
use farmjank_leaf::nearest::nearest;
use std::ops::Range;

/// `!` and `(` inside each other, at most.
const DEPTH: usize = 32;

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Quoted(String),
    Relation(Relation),
    And,
    Or,
    Not,
    Open,
    Close,
}

type Answer<T> = Result<T, RequirementComplaint>;

fn wrong<T>(at: Range<usize>, what: impl Into<String>, instead: impl Into<String>) -> Answer<T> {
    Err(RequirementComplaint { at, what: what.into(), instead: instead.into() })
}

/// The expression of a text; none when it is empty.
pub(super) fn expression(text: &str) -> Answer<Option<Expression>> {
    let tokens = tokens(text)?;
    if tokens.is_empty() {
        return Ok(None);
    }
    let mut parser = Parser { text, tokens, next: 0 };
    let expression = parser.any(0)?;
    match parser.peek() {
        None => Ok(Some(expression)),
        Some((Token::Close, at)) => wrong(at, "this `)` closes nothing", "remove it"),
        Some((_, at)) => wrong(at, "two tests stand side by side", "join them with `&` (and) or `|` (or)"),
    }
}

fn tokens(text: &str) -> Answer<Vec<(Token, Range<usize>)>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let rest = &text[at..];
        let (token, length) = match fixed(rest) {
            Some(found) => found,
            None if c == '"' || c == '\'' => match rest[1..].find(c) {
                Some(end) => (Token::Quoted(rest[1..=end].to_owned()), end + 2),
                None => return wrong(at..text.len(), "a quote is opened and never closed", "close it"),
            },
            None => {
                let end = rest
                    .find(|c: char| c.is_whitespace() || "&|!()<>=~\"'".contains(c))
                    .unwrap_or(rest.len());
                let word = &rest[..end];
                let token = match word {
                    "and" => Token::And,
                    "or" => Token::Or,
                    "not" => Token::Not,
                    word => Token::Word(word.to_owned()),
                };
                (token, end)
            }
        };
        found.push((token, at..at + length));
        at += length;
    }
    Ok(found)
}

/// Tokens of fixed spelling, longest first.
fn fixed(rest: &str) -> Option<(Token, usize)> {
    let all = [
        ("&&", Token::And),
        ("||", Token::Or),
        ("==", Token::Relation(Relation::Equal)),
        ("!=", Token::Relation(Relation::Differs)),
        ("<=", Token::Relation(Relation::AtMost)),
        (">=", Token::Relation(Relation::AtLeast)),
        ("&", Token::And),
        ("|", Token::Or),
        ("!", Token::Not),
        ("(", Token::Open),
        (")", Token::Close),
        ("=", Token::Relation(Relation::Equal)),
        ("~", Token::Relation(Relation::Like)),
        ("<", Token::Relation(Relation::Below)),
        (">", Token::Relation(Relation::Above)),
    ];
    all.into_iter()
        .find(|(spelling, _)| rest.starts_with(spelling))
        .map(|(spelling, token)| (token, spelling.len()))
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(Token, Range<usize>)>,
    next: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<(Token, Range<usize>)> {
        self.tokens.get(self.next).cloned()
    }

    fn take(&mut self) -> Option<(Token, Range<usize>)> {
        let token = self.peek();
        self.next += 1;
        token
    }

    fn eat(&mut self, wanted: &Token) -> bool {
        let found = self.tokens.get(self.next).is_some_and(|(token, _)| token == wanted);
        self.next += usize::from(found);
        found
    }

    fn any(&mut self, depth: usize) -> Answer<Expression> {
        let mut parts = vec![self.all(depth)?];
        while self.eat(&Token::Or) {
            parts.push(self.all(depth)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::Any(parts) })
    }

    fn all(&mut self, depth: usize) -> Answer<Expression> {
        let mut parts = vec![self.one(depth)?];
        while self.eat(&Token::And) {
            parts.push(self.one(depth)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::All(parts) })
    }

    fn one(&mut self, depth: usize) -> Answer<Expression> {
        let end = self.text.len();
        let Some((token, at)) = self.take() else {
            return wrong(end..end, "the expression ends too early", "write a test such as `sdk >= 29`");
        };
        if depth == DEPTH {
            return wrong(at, format!("more than {DEPTH} `!` and `(` inside each other"), "simplify it");
        }
        match token {
            Token::Not => Ok(Expression::Not(Box::new(self.one(depth + 1)?))),
            Token::Open => {
                let inner = self.any(depth + 1)?;
                self.close(at)?;
                Ok(inner)
            }
            Token::Word(word) => self.test(&word, at),
            Token::Quoted(word) => {
                wrong(at, "a test begins with a field", format!("write `model = \"{word}\"`"))
            }
            _ => wrong(at, "a test is missing here", "write a test such as `sdk >= 29`"),
        }
    }

    fn close(&mut self, open: Range<usize>) -> Answer<()> {
        if self.eat(&Token::Close) {
            return Ok(());
        }
        match self.peek() {
            Some((_, at)) => {
                wrong(at, "a `)` is missing before this", "join tests with `&` or `|`, or close with `)`")
            }
            None => wrong(open, "this `(` is never closed", "add `)`"),
        }
    }

    fn test(&mut self, word: &str, at: Range<usize>) -> Answer<Expression> {
        let field = field(word, at.clone())?;
        if let Some((Token::Open, open)) = self.peek() {
            self.next += 1;
            let relation = self.relation();
            let test = self.value(field, relation, at)?;
            self.close(open)?;
            return Ok(test);
        }
        match self.relation() {
            Some((relation, place)) => self.value(field, Some((relation, place)), at),
            None => {
                let example = example(field);
                wrong(at, format!("{} is compared with nothing", quoted(word)), format!("write `{example}`"))
            }
        }
    }

    fn relation(&mut self) -> Option<(Relation, Range<usize>)> {
        match self.peek() {
            Some((Token::Relation(relation), at)) => {
                self.next += 1;
                Some((relation, at))
            }
            _ => None,
        }
    }

    fn value(
        &mut self,
        field: Field,
        relation: Option<(Relation, Range<usize>)>,
        from: Range<usize>,
    ) -> Answer<Expression> {
        let end = self.text.len();
        let (value, at) = match self.take() {
            Some((Token::Word(value) | Token::Quoted(value), at)) => (value, at),
            Some((_, at)) => {
                return wrong(at, "a value is missing here", format!("write `{}`", example(field)));
            }
            None => {
                return wrong(
                    end..end,
                    "a value is missing at the end",
                    format!("write `{}`", example(field)),
                );
            }
        };
        let glob = value.contains(['*', '?']);
        let relation = match relation {
            None if field.is_text() && glob => Relation::Like,
            None => Relation::Equal,
            Some((relation, place)) => check_relation(field, relation, place, &value)?,
        };
        let wanted =
            if field.is_text() { Wanted::Text(value.clone()) } else { number(field, &value, at.clone())? };
        if field.is_text() && glob && matches!(relation, Relation::Equal | Relation::Differs) {
            let instead = format!("write `{} ~ \"{value}\"`", field.name());
            return wrong(at, "`*` and `?` stand for other characters only after `~`", instead);
        }
        // In the call form the closing `)` is not part of the text a reason repeats.
        let text = self.text[from.start..at.end].to_owned();
        Ok(Expression::Test { field, relation, wanted, text })
    }
}

fn check_relation(field: Field, relation: Relation, at: Range<usize>, value: &str) -> Answer<Relation> {
    let ordered =
        matches!(relation, Relation::Below | Relation::AtMost | Relation::Above | Relation::AtLeast);
    match field.is_text() {
        true if ordered => {
            let instead = format!("write `{} = {value}` or `{} ~ \"{value}*\"`", field.name(), field.name());
            wrong(at, format!("`{}` is text and has no order", field.name()), instead)
        }
        false if relation == Relation::Like => wrong(
            at,
            format!("`{}` is a number; `~` compares text", field.name()),
            format!("write `{}`", example(field)),
        ),
        _ => Ok(relation),
    }
}

fn field(word: &str, at: Range<usize>) -> Answer<Field> {
    if let Some((_, field)) = Field::ALL.iter().find(|(name, _)| *name == word) {
        return Ok(*field);
    }
    let meant = match word.to_ascii_lowercase().as_str() {
        "api" | "android" | "level" | "version" | "os" => Some("sdk"),
        "hz" | "fps" | "rate" | "refresh_rate" | "refreshrate" => Some("refresh"),
        "brand" | "vendor" | "make" => Some("manufacturer"),
        "memory" | "mem" => Some("ram"),
        "name" | "device" | "phone" => Some("model"),
        "id" => Some("serial"),
        "tags" => Some("tag"),
        lower => nearest(lower, Field::ALL.iter().map(|(name, _)| *name)),
    };
    let instead = match meant {
        Some(meant) => format!("write `{meant}`"),
        None => format!("fields are {}", Field::ALL.map(|(name, _)| name).join(", ")),
    };
    wrong(at, format!("unknown field {}", quoted(word)), instead)
}

fn example(field: Field) -> &'static str {
    match field {
        Field::Serial => "serial = emulator-5554",
        Field::Model => "model ~ \"Pixel*\"",
        Field::Manufacturer => "manufacturer = Google",
        Field::Sdk => "sdk >= 29",
        Field::Refresh => "refresh >= 90",
        Field::Ram => "ram >= 4GB",
        Field::Tag => "tag = smoke",
    }
}

fn number(field: Field, value: &str, at: Range<usize>) -> Answer<Wanted> {
    let lower = value.to_ascii_lowercase();
    let end = lower.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(lower.len());
    let (digits, unit) = lower.split_at(end);
    let parsed = digits.parse::<f64>().ok().filter(|number| number.is_finite());
    match (parsed, field, unit) {
        (Some(mb), Field::Ram, "mb") => Ok(Wanted::Memory { mb, nominal: false }),
        (Some(gb), Field::Ram, "gb" | "g") => Ok(Wanted::Memory { mb: gb * 1024.0, nominal: true }),
        (Some(_), Field::Ram, "") => {
            wrong(at, "`ram` needs a unit", format!("write `{value}GB` or `{value}MB`"))
        }
        (Some(number), Field::Refresh, "" | "hz") | (Some(number), Field::Sdk, "") => {
            Ok(Wanted::Number(number))
        }
        _ => {
            let what = format!("{} is not a number `{}` can be compared with", quoted(value), field.name());
            wrong(at, what, format!("write `{}`", example(field)))
        }
    }
}
