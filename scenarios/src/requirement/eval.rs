//! A requirement held against a phone's facts: yes, or why not in words. What is unknown stays unknown under `!`.

use super::{Expression, Field, Mismatch, Relation, Subject, Wanted};
use farmjank_results::device::DeviceFacts;

/// Refresh rates this close are the same: 119.98 and 120.00001 Hz are 120, 59.94 is 60.
const SAME_HZ: f64 = 0.5;

/// Memory sizes phones are sold with, GB. A phone reports less: the kernel and the GPU keep some.
const SOLD_GB: [f64; 16] =
    [0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0, 12.0, 16.0, 18.0, 20.0, 24.0, 32.0, 64.0];

enum Tri {
    Yes,
    No(String),
    Unknown(String),
}

/// Ok, or why the phone does not match.
pub(super) fn answer(expression: &Expression, subject: &Subject<'_>) -> Result<(), Mismatch> {
    match hold(expression, subject, false) {
        Tri::Yes => Ok(()),
        Tri::No(why) => Err(Mismatch::Other(why)),
        Tri::Unknown(why) => Err(Mismatch::Unknown(why)),
    }
}

/// Pushes a negation down to the tests, where it can be put in words.
fn hold(expression: &Expression, subject: &Subject<'_>, negated: bool) -> Tri {
    match expression {
        Expression::Not(inner) => hold(inner, subject, !negated),
        Expression::All(parts) if !negated => every(parts, subject, negated),
        Expression::Any(parts) if negated => every(parts, subject, negated),
        Expression::All(parts) | Expression::Any(parts) => some(parts, subject, negated),
        Expression::Test { field, relation, wanted, text } => {
            test(*field, *relation, wanted, text, subject, negated)
        }
    }
}

fn every(parts: &[Expression], subject: &Subject<'_>, negated: bool) -> Tri {
    let mut reasons = Vec::new();
    let mut refused = false;
    for part in parts {
        match hold(part, subject, negated) {
            Tri::Yes => {}
            Tri::No(why) => {
                refused = true;
                reasons.push(why);
            }
            Tri::Unknown(why) => reasons.push(why),
        }
    }
    match (refused, reasons.is_empty()) {
        (_, true) => Tri::Yes,
        (true, _) => Tri::No(reasons.join("; ")),
        (false, _) => Tri::Unknown(reasons.join("; ")),
    }
}

fn some(parts: &[Expression], subject: &Subject<'_>, negated: bool) -> Tri {
    let mut reasons = Vec::new();
    let mut unknown = false;
    for part in parts {
        match hold(part, subject, negated) {
            Tri::Yes => return Tri::Yes,
            Tri::No(why) => reasons.push(why),
            Tri::Unknown(why) => {
                unknown = true;
                reasons.push(why);
            }
        }
    }
    let why = reasons.join(", and ");
    if unknown { Tri::Unknown(why) } else { Tri::No(why) }
}

fn test(
    field: Field,
    relation: Relation,
    wanted: &Wanted,
    text: &str,
    subject: &Subject<'_>,
    negated: bool,
) -> Tri {
    let id = match subject {
        Subject::Told(facts) => &facts.id,
        Subject::Silent(id) => *id,
    };
    let found = match (field, wanted, subject) {
        (Field::Serial, Wanted::Text(text), _) => {
            compare_text(&id.0, text, relation, false).map(|held| (held, show(&id.0)))
        }
        (_, _, Subject::Silent(_)) => None,
        (Field::Tag, Wanted::Text(tag), Subject::Told(facts)) => return tags(relation, tag, facts, negated),
        (_, _, Subject::Told(facts)) => told(field, wanted, relation, facts),
    };
    let name = field.name();
    match found {
        None => {
            Tri::Unknown(format!("{name} is unknown, needs {}", needs(name, relation, wanted, text, negated)))
        }
        Some((held, _)) if held != negated => Tri::Yes,
        Some((_, has)) => {
            Tri::No(format!("{name} is {has}, needs {}", needs(name, relation, wanted, text, negated)))
        }
    }
}

/// Whether a fact holds, and what it is; none where it is not known.
fn told(field: Field, wanted: &Wanted, relation: Relation, facts: &DeviceFacts) -> Option<(bool, String)> {
    match (field, wanted) {
        (Field::Model, Wanted::Text(text)) => {
            compare_text(&facts.model, text, relation, true).map(|held| (held, show(&facts.model)))
        }
        (Field::Manufacturer, Wanted::Text(text)) => compare_text(&facts.manufacturer, text, relation, true)
            .map(|held| (held, show(&facts.manufacturer))),
        (Field::Sdk, Wanted::Number(level)) if facts.sdk > 0 => {
            Some((compare(f64::from(facts.sdk), *level, relation, 0.0), facts.sdk.to_string()))
        }
        (Field::Refresh, Wanted::Number(hz)) => facts
            .fastest_hz()
            .map(|fastest| (compare(fastest, *hz, relation, SAME_HZ), format!("{} Hz", round(fastest)))),
        (Field::Ram, Wanted::Memory { mb, nominal }) => {
            facts.ram_mb.map(|has| memory(has, *mb, *nominal, relation))
        }
        _ => None,
    }
}

/// What is asked for, without the field's name: `>= 29`, `not ~ "SM-A1*"`.
fn needs(name: &str, relation: Relation, wanted: &Wanted, text: &str, negated: bool) -> String {
    let sign = match relation {
        Relation::Equal => "=",
        Relation::Differs => "!=",
        Relation::Like => "~",
        Relation::Below => "<",
        Relation::AtMost => "<=",
        Relation::Above => ">",
        Relation::AtLeast => ">=",
    };
    let value = match wanted {
        Wanted::Text(text) => format!("\"{text}\""),
        _ => text[name.len()..]
            .trim_start_matches(|c: char| !c.is_ascii_digit() && c != '.')
            .trim_end_matches(['"', '\''])
            .to_owned(),
    };
    format!("{}{sign} {value}", if negated { "not " } else { "" })
}

fn tags(relation: Relation, wanted: &str, facts: &DeviceFacts, negated: bool) -> Tri {
    let any = facts.tags.iter().any(|tag| match relation {
        Relation::Like => glob(wanted, tag, false),
        _ => tag == wanted,
    });
    let must_have = (relation != Relation::Differs) != negated;
    if any == must_have {
        return Tri::Yes;
    }
    if any {
        return Tri::No(format!("tag {} is on it, must not be", show(wanted)));
    }
    let has = if facts.tags.is_empty() {
        "no tags".to_owned()
    } else {
        facts.tags.iter().cloned().collect::<Vec<_>>().join(", ")
    };
    Tri::No(format!("tag {} is missing (has {has})", show(wanted)))
}

/// None when the phone did not say.
fn compare_text(has: &str, wanted: &str, relation: Relation, any_case: bool) -> Option<bool> {
    if has.trim().is_empty() {
        return None;
    }
    let same = if any_case { has.eq_ignore_ascii_case(wanted) } else { has == wanted };
    Some(match relation {
        Relation::Like => glob(wanted, has, any_case),
        Relation::Differs => !same,
        _ => same,
    })
}

fn compare(has: f64, wanted: f64, relation: Relation, tolerance: f64) -> bool {
    let same = (has - wanted).abs() <= tolerance;
    match relation {
        Relation::Equal | Relation::Like => same,
        Relation::Differs => !same,
        Relation::Below => has < wanted && !same,
        Relation::AtMost => has < wanted || same,
        Relation::Above => has > wanted && !same,
        Relation::AtLeast => has > wanted || same,
    }
}

/// Written in GB, a limit means the size a phone is sold with; written in MB, what it reports.
fn memory(has_mb: u64, wanted_mb: f64, nominal: bool, relation: Relation) -> (bool, String) {
    let reported = has_mb as f64;
    if !nominal {
        return (compare(reported, wanted_mb, relation, 0.5), format!("{has_mb} MB"));
    }
    let sold = SOLD_GB.iter().find(|gb| **gb * 1024.0 >= reported).map_or(reported / 1024.0, |gb| *gb);
    (compare(sold, wanted_mb / 1024.0, relation, 0.01), format!("{}GB ({has_mb} MB reported)", round(sold)))
}

fn round(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn show(text: &str) -> String {
    format!("\"{}\"", text.chars().take(60).collect::<String>())
}

/// `*` is any text, `?` any one character. Linear in memory, `text × pattern` in time.
pub(crate) fn glob(pattern: &str, text: &str, any_case: bool) -> bool {
    let fold = |c: char| if any_case { c.to_ascii_lowercase() } else { c };
    let pattern: Vec<char> = pattern.chars().map(fold).collect();
    let text: Vec<char> = text.chars().map(fold).collect();
    let mut p = 0;
    let mut t = 0;
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(c) if *c == '?' || *c == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    p = at + 1;
                    t = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}
