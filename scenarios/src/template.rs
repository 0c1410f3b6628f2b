//! Text of a step that may hold expressions: they are evaluated when the step is carried out, since they may ask for
//! what earlier steps found.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Evaluates an expression with its variables.
pub type Evaluate<'e, E> = &'e mut dyn FnMut(&str, &BTreeMap<String, String>) -> Result<String, E>;

/// Text with expressions in it. Copies share their parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template(Arc<[Piece]>);

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// As it stands.
    Text(String),
    /// The value of an expression.
    Expression(Expression),
}

/// JavaScript and the variables it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// Its source.
    pub source: String,
    /// Variables in force where it was written, those it names.
    pub variables: BTreeMap<String, Template>,
}

impl Template {
    /// Parts in their order; neighbouring texts become one.
    pub fn new(pieces: impl IntoIterator<Item = Piece>) -> Template {
        let mut whole: Vec<Piece> = Vec::new();
        for piece in pieces {
            match (whole.last_mut(), piece) {
                (_, Piece::Text(text)) if text.is_empty() => {}
                (Some(Piece::Text(before)), Piece::Text(text)) => before.push_str(&text),
                (_, piece) => whole.push(piece),
            }
        }
        Template(whole.into())
    }

    /// Its parts.
    pub fn pieces(&self) -> &[Piece] {
        &self.0
    }

    /// The text, where nothing has to be evaluated.
    pub fn fixed(&self) -> Option<&str> {
        match &self.0[..] {
            [] => Some(""),
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// The text with every expression evaluated: `evaluate` is handed its source and its variables, evaluated already.
    ///
    /// # Errors
    /// The first that `evaluate` gives.
    pub fn fill<E>(&self, evaluate: Evaluate<'_, E>) -> Result<String, E> {
        let mut filled = String::new();
        for piece in self.0.iter() {
            match piece {
                Piece::Text(text) => filled.push_str(text),
                Piece::Expression(expression) => {
                    let variables = expression.variables(evaluate)?;
                    filled.push_str(&evaluate(&expression.source, &variables)?);
                }
            }
        }
        Ok(filled)
    }
}

impl Expression {
    /// Its variables, evaluated.
    ///
    /// # Errors
    /// The first that `evaluate` gives.
    pub fn variables<E>(&self, evaluate: Evaluate<'_, E>) -> Result<BTreeMap<String, String>, E> {
        self.variables.iter().map(|(name, value)| Ok((name.clone(), value.fill(evaluate)?))).collect()
    }
}

impl From<String> for Template {
    fn from(text: String) -> Template {
        Template::new([Piece::Text(text)])
    }
}

impl From<&str> for Template {
    fn from(text: &str) -> Template {
        Template::from(text.to_owned())
    }
}

/// As it was written.
impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|piece| match piece {
            Piece::Text(text) => f.write_str(text),
            Piece::Expression(expression) => write!(f, "${{{}}}", expression.source),
        })
    }
}
