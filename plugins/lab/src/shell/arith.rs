//! Integer arithmetic of `$(( … ))`: mksh's 32-bit signed numbers, wrapping.

use super::shell_error::ShellError;

/// Evaluates an expression; `value` gives a variable's text.
///
/// # Errors
/// Divided by zero, no number, or not to be read.
pub(crate) fn evaluate(expression: &str, value: &dyn Fn(&str) -> String) -> Result<i32, ShellError> {
    let mut reader = Reader { text: expression.as_bytes(), at: 0, value, depth: 0, whole: expression };
    let result = reader.ternary()?;
    reader.blanks();
    if reader.at < reader.text.len() { Err(reader.complaint()) } else { Ok(result) }
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    value: &'a dyn Fn(&str) -> String,
    depth: u32,
    whole: &'a str,
}

/// Binary operators from loosest to tightest; longer spellings first within a level.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Reader<'_> {
    fn complaint(&self) -> ShellError {
        ShellError::Token(self.whole.to_owned())
    }

    fn blanks(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn take(&mut self, what: &str) -> bool {
        self.blanks();
        let found = self.text[self.at..].starts_with(what.as_bytes());
        if found {
            self.at += what.len();
        }
        found
    }

    fn ternary(&mut self) -> Result<i32, ShellError> {
        self.depth += 1;
        if self.depth > 50 {
            return Err(self.complaint());
        }
        let condition = self.level(0)?;
        let result = if self.take("?") {
            let yes = self.ternary()?;
            if !self.take(":") {
                return Err(self.complaint());
            }
            let no = self.ternary()?;
            if condition != 0 { yes } else { no }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(result)
    }

    fn operator(&mut self, level: usize) -> Option<&'static str> {
        self.blanks();
        let rest = &self.text[self.at..];
        let found = LEVELS[level].iter().find(|op| rest.starts_with(op.as_bytes()))?;
        // `|` must not eat half of `||`, nor `<` half of `<<`.
        let next = rest.get(found.len()).copied();
        if found.len() == 1
            && matches!(found.as_bytes()[0], b'|' | b'&' | b'<' | b'>')
            && next == Some(found.as_bytes()[0])
        {
            return None;
        }
        self.at += found.len();
        Some(found)
    }

    fn level(&mut self, level: usize) -> Result<i32, ShellError> {
        if level == LEVELS.len() {
            return self.unary();
        }
        let mut left = self.level(level + 1)?;
        while let Some(operator) = self.operator(level) {
            let right = self.level(level + 1)?;
            left = apply(operator, left, right)
                .ok_or_else(|| ShellError::DivideByZero(self.whole.to_owned()))?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<i32, ShellError> {
        self.depth += 1;
        if self.depth > 50 {
            return Err(self.complaint());
        }
        let result = if self.take("!") {
            i32::from(self.unary()? == 0)
        } else if self.take("~") {
            !self.unary()?
        } else if self.take("-") {
            self.unary()?.wrapping_neg()
        } else if self.take("+") {
            self.unary()?
        } else if self.take("(") {
            let inner = self.ternary()?;
            if !self.take(")") {
                return Err(self.complaint());
            }
            inner
        } else {
            self.atom()?
        };
        self.depth -= 1;
        Ok(result)
    }

    fn atom(&mut self) -> Result<i32, ShellError> {
        self.blanks();
        let from = self.at;
        while self.text.get(self.at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_') {
            self.at += 1;
        }
        let word = &self.whole[from..self.at];
        if word.is_empty() {
            return Err(self.complaint());
        }
        if word.as_bytes()[0].is_ascii_digit() {
            return number(word).ok_or_else(|| ShellError::Number(word.to_owned()));
        }
        let text = (self.value)(word);
        let text = text.trim();
        if text.is_empty() {
            return Ok(0);
        }
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let value = number(digits).ok_or_else(|| ShellError::Number(text.to_owned()))?;
        Ok(if negative { value.wrapping_neg() } else { value })
    }
}

fn number(word: &str) -> Option<i32> {
    let wide = match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        Some(hex) => i128::from_str_radix(hex, 16).ok()?,
        None => word.bytes().all(|b| b.is_ascii_digit()).then(|| word.parse::<i128>().ok())??,
    };
    Some(wide as i32) // wraps, as the phone's 32-bit arithmetic does
}

fn apply(operator: &str, a: i32, b: i32) -> Option<i32> {
    Some(match operator {
        "||" => i32::from(a != 0 || b != 0),
        "&&" => i32::from(a != 0 && b != 0),
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "==" => i32::from(a == b),
        "!=" => i32::from(a != b),
        "<=" => i32::from(a <= b),
        ">=" => i32::from(a >= b),
        "<" => i32::from(a < b),
        ">" => i32::from(a > b),
        "<<" => a.wrapping_shl(b as u32),
        ">>" => a.wrapping_shr(b as u32),
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" if b != 0 => a.wrapping_div(b),
        "%" if b != 0 => a.wrapping_rem(b),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eval(text: &str) -> Result<i32, ShellError> {
        evaluate(text, &|name| if name == "n" { "7".to_owned() } else { String::new() })
    }

    #[test]
    fn precedence_variables_and_complaints() {
        assert_eq!(eval("1 + 2 * 3"), Ok(7));
        assert_eq!(eval("(1+2)*n-1"), Ok(20));
        assert_eq!(eval("n > 6 && missing == 0 ? 10 : 20"), Ok(10));
        assert_eq!(eval("1 << 4 | 1"), Ok(17));
        assert_eq!(eval("-n % 4"), Ok(-3));
        assert!(eval("1 / 0").is_err_and(|e| matches!(e, ShellError::DivideByZero(_))));
        assert!(eval("1 +").is_err() && eval("2 2").is_err() && eval("12ab").is_err());
        assert_eq!(eval("2147483647 + 1"), Ok(i32::MIN), "mksh counts in 32 bits");
    }
}
