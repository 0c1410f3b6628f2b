//! `test` and `[`.

use super::shell_error::ShellError;
use super::state::Shell;
use super::{absolute, is_folder};

/// Evaluates the words between `[` and `]`.
///
/// # Errors
/// An operator nobody knows, or no number (status 2).
pub(super) fn evaluate(shell: &Shell, words: &[String]) -> Result<bool, ShellError> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => Ok(false),
        [one] => Ok(!one.is_empty()),
        ["!", rest] => Ok(rest.is_empty()),
        [operator, operand] => unary(shell, operator, operand),
        [left, operator, right] if is_binary(operator) => binary(left, operator, right),
        ["!", rest @ ..] => evaluate_str(shell, rest).map(|value| !value),
        ["(", inner @ .., ")"] => evaluate_str(shell, inner),
        words => split(shell, words),
    }
}

fn evaluate_str(shell: &Shell, words: &[&str]) -> Result<bool, ShellError> {
    evaluate(shell, &words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
}

/// `-o` binds looser than `-a`.
fn split(shell: &Shell, words: &[&str]) -> Result<bool, ShellError> {
    for joint in ["-o", "-a"] {
        if let Some(at) = words.iter().position(|word| *word == joint).filter(|at| *at > 0) {
            let (left, right) = (evaluate_str(shell, &words[..at])?, evaluate_str(shell, &words[at + 1..])?);
            return Ok(if joint == "-o" { left || right } else { left && right });
        }
    }
    Err(ShellError::Operator((*words.get(1).unwrap_or(&"")).to_owned()))
}

fn unary(shell: &Shell, operator: &str, operand: &str) -> Result<bool, ShellError> {
    let path = absolute(&shell.env.cwd, operand);
    let is_file = || operand == "/dev/null" || shell.phone.file(&path).is_some();
    let is_folder = || is_folder(shell.phone.as_ref(), &path);
    Ok(match operator {
        "-n" => !operand.is_empty(),
        "-z" => operand.is_empty(),
        "-f" => shell.phone.file(&path).is_some(),
        "-e" | "-r" => is_file() || is_folder(),
        "-d" => !is_file() && is_folder(),
        "-s" => shell.phone.file(&path).is_some_and(|bytes| !bytes.is_empty()),
        "-w" => is_file() && (operand == "/dev/null" || shell.phone.writable(&path)),
        "-x" => false,
        "-t" | "-L" | "-h" => false,
        _ => return Err(ShellError::Operator(operator.to_owned())),
    })
}

fn is_binary(operator: &str) -> bool {
    matches!(operator, "=" | "==" | "!=" | "<" | ">" | "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge")
}

fn binary(left: &str, operator: &str, right: &str) -> Result<bool, ShellError> {
    Ok(match operator {
        "=" | "==" => left == right,
        "!=" => left != right,
        "<" => left < right,
        ">" => left > right,
        _ => {
            let (a, b) = (number(left)?, number(right)?);
            match operator {
                "-eq" => a == b,
                "-ne" => a != b,
                "-lt" => a < b,
                "-le" => a <= b,
                "-gt" => a > b,
                _ => a >= b,
            }
        }
    })
}

fn number(text: &str) -> Result<i64, ShellError> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Ok(0);
    }
    trimmed.parse().map_err(|_| ShellError::Number(text.to_owned()))
}
