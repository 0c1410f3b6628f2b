//! Numbers from elsewhere: plain CSV with a header naming `session`, `iteration`, `value`; columns in any order, others
//! ignored. Each session becomes one session of a cell that has only a metric.
//!
//! Knows no files. Numbers are finite, bounded, and not below zero where the metric cannot be; a missing one (`NA`,
//! `null`, nothing) is a void iteration. What looks like a number of another kind is refused, never guessed.

use crate::cell::{CellKey, CellSession};
use crate::device::DeviceId;
use crate::metric::Unit;
use crate::metrics;
use farmjank_leaf::text::typed;
use thiserror::Error;

/// Most rows of one file.
const ROWS: usize = 1_000_000;
/// Longest name of a session, characters.
const NAME: usize = 200;
/// Largest value, either way: no metric and no score comes near it, and squares of what is larger leave the range of
/// numbers.
const LARGEST: f64 = 1e12;

/// Why a file cannot be read, with the place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {what}")]
pub struct PlainError {
    /// From 1.
    pub line: usize,
    /// Character in the line, from 1.
    pub column: usize,
    /// What is wrong and what to write.
    pub what: String,
}

/// Reads a file; sessions in order of their first row, iterations in order of their numbers.
///
/// # Errors
/// The first line that is wrong.
pub fn read_plain(text: &str, metric: &str) -> Result<Vec<CellSession>, PlainError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let start = |line, what: &str| wrong(line, 1, what);
    let (first, header) =
        lines.next().ok_or_else(|| start(1, "the file is empty; write `session,iteration,value`"))?;
    let names = fields(header);
    let column = |wanted: &str| {
        let found = names.iter().position(|name| name.bare().eq_ignore_ascii_case(wanted));
        let missing = || format!("there is no column `{wanted}`; begin with `session,iteration,value`");
        found.ok_or_else(|| start(first, &missing()))
    };
    let session = column("session")?;
    let iteration = column("iteration")?;
    let value = column("value")?;
    let below_zero = may_be_negative(metric);
    let mut rows: Vec<Row> = Vec::new();
    for (line, text) in lines {
        if rows.len() >= ROWS {
            return Err(start(line, &format!("more than {ROWS} rows; split the file")));
        }
        let cells = fields(text);
        if cells.len() != names.len() {
            let decimals = if cells.len() > names.len() { "; write decimals with a point" } else { "" };
            let what = format!("{} of {} columns{decimals}", cells.len(), names.len());
            return Err(start(line, &what));
        }
        let number = cells[iteration];
        let counted = number.text.parse::<u64>().map_err(|_| {
            wrong(line, number.column, &format!("`{}` is no iteration; count from 0", typed(number.text, 40)))
        })?;
        let name = cells[session].bare().chars().take(NAME).collect();
        let reading =
            reading(cells[value], below_zero).map_err(|what| wrong(line, cells[value].column, &what))?;
        rows.push(Row { line, column: number.column, session: name, iteration: counted, value: reading });
    }
    sessions(rows, metric)
}

/// Whether values of a metric may lie below zero: of one's own they may, and a frame can be early.
fn may_be_negative(metric: &str) -> bool {
    let known = metrics::find(metric);
    known.is_none_or(|known| known.unit == Unit::Ms && known.key.contains("overrun"))
}

struct Row {
    line: usize,
    column: usize,
    session: String,
    iteration: u64,
    value: Option<f64>,
}

fn sessions(mut rows: Vec<Row>, metric: &str) -> Result<Vec<CellSession>, PlainError> {
    let mut order: Vec<String> = Vec::new();
    let mut places: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    for row in &rows {
        if !places.contains_key(&row.session) {
            places.insert(row.session.clone(), order.len());
            order.push(row.session.clone());
        }
    }
    rows.sort_by_key(|row| (places[&row.session], row.iteration, row.line));
    if let Some(pair) = rows
        .windows(2)
        .find(|pair| (&pair[0].session, pair[0].iteration) == (&pair[1].session, pair[1].iteration))
    {
        let what = format!(
            "iteration {} of session `{}` was given before",
            pair[1].iteration,
            typed(&pair[1].session, 40)
        );
        return Err(wrong(pair[1].line, pair[1].column, &what));
    }
    let mut all: Vec<CellSession> = order.iter().map(|name| session(name, metric)).collect();
    for row in rows {
        let session = &mut all[places[&row.session]];
        match row.value {
            Some(value) => {
                session.values.push(value);
                session.seconds.push(1.0);
            }
            None => session.void.push(format!("iteration {}: the file has no value", row.iteration)),
        }
    }
    Ok(all)
}

fn session(name: &str, metric: &str) -> CellSession {
    let nothing = String::new;
    CellSession {
        key: CellKey {
            model: nothing(),
            build: nothing(),
            refresh: 0,
            scenario: nothing(),
            hash: nothing(),
            window: nothing(),
            metric: metric.to_owned(),
            metric_version: crate::metrics::find(metric).map_or(1, |metric| metric.version()),
            source: "csv".to_owned(),
        },
        run: name.to_owned(),
        wall: nothing(),
        device: DeviceId(name.to_owned()),
        app_version: None,
        values: Vec::new(),
        seconds: Vec::new(),
        void: Vec::new(),
        effect: None,
    }
}

fn reading(field: Field<'_>, below_zero: bool) -> Result<Option<f64>, String> {
    let text = field.text;
    if ["", "\"\"", "na", "null", "none"].contains(&text.to_ascii_lowercase().as_str()) {
        return Ok(None);
    }
    let no_number = || {
        format!("`{}` is no number; write it as 12.5, or leave it empty when there is none", typed(text, 40))
    };
    if field.bare() != text {
        return Err(format!("`{}` is text; write numbers without quotes", typed(text, 40)));
    }
    // `inf`, `nan` and `infinity` would be read as numbers.
    let plain = text.chars().all(|letter| letter.is_ascii_digit() || "+-.eE".contains(letter));
    let value = text.parse::<f64>().ok().filter(|value| plain && value.is_finite()).ok_or_else(no_number)?;
    if value.abs() > LARGEST {
        return Err(format!("`{}` is beyond anything that is measured", typed(text, 40)));
    }
    if value < 0.0 && !below_zero {
        return Err(format!("`{}` is below zero, which this metric never is", typed(text, 40)));
    }
    Ok(Some(value))
}

/// One field of a line, trimmed, and the character it begins at, from 1.
#[derive(Clone, Copy)]
struct Field<'t> {
    text: &'t str,
    column: usize,
}

impl<'t> Field<'t> {
    /// Without quotes around it.
    fn bare(self) -> &'t str {
        let inner = self.text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        inner.unwrap_or(self.text)
    }
}

/// Fields of a line; a comma inside quotes parts nothing.
fn fields(line: &str) -> Vec<Field<'_>> {
    let mut quoted = false;
    let parts = line.split(|letter: char| {
        quoted ^= letter == '"';
        letter == ',' && !quoted
    });
    let mut column = 1;
    let mut all = Vec::new();
    for part in parts {
        let before = part.chars().take_while(|letter| letter.is_whitespace()).count();
        all.push(Field { text: part.trim(), column: column + before });
        column += part.chars().count() + 1;
    }
    all
}

fn wrong(line: usize, column: usize, what: &str) -> PlainError {
    PlainError { line, column, what: what.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_come_apart_in_any_order_of_rows_and_columns() {
        let text = "value,session,iteration,note\n4,b,1,\"x, y\"\n\n1.5,a,1,\r\n,a,2,\n0,\"a\",0,\n";
        let read = read_plain(text, "hitch_ms_per_s").expect("a file");
        assert_eq!(read.len(), 2);
        assert_eq!((read[0].run.as_str(), &read[0].values[..]), ("b", &[4.0][..]));
        assert_eq!((read[1].run.as_str(), &read[1].values[..]), ("a", &[0.0, 1.5][..]));
        assert_eq!(read[1].void, ["iteration 2: the file has no value"]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let complaint = |text: &str| read_plain(text, "m").expect_err("wrong").to_string();
        assert!(complaint("").contains("line 1"));
        assert!(complaint("session,value\n").contains("`iteration`"));
        assert!(complaint("session,iteration,value\na,0,ten\n").contains("line 2, column 5: `ten`"));
        assert!(complaint("session,iteration,value\na,x,1\n").contains("line 2, column 3: `x`"));
        assert!(complaint("session,iteration,value\na,0,1\na,0,2\n").contains("line 3, column 3"));
        assert!(complaint("session,iteration,value\na,0\n").contains("2 of 3 columns"));
    }

    #[test]
    fn numbers_nobody_measured_are_refused_and_none_is_guessed() {
        let read = |value: &str, metric: &str| {
            let text = format!("value,session,iteration\n{value},a,0\n");
            read_plain(&text, metric)
                .map(|sessions| sessions[0].values.clone())
                .map_err(|why| why.to_string())
        };
        let own = [
            "nan", "NaN", "inf", "-inf", "Infinity", "1e308", "-1e300", "\"12\"", "1;5", "0x1f", "1_000",
            "١٢", "1 000",
        ];
        for value in own {
            let why = read(value, "score").expect_err(value);
            assert!(why.starts_with("line 2, column 1: "), "{value}: {why}");
        }
        // Another decimal sign makes another column.
        assert!(
            read("1,5", "score")
                .is_err_and(|why| why.contains("4 of 3 columns; write decimals with a point"))
        );
        // What a metric of ours can never be.
        assert!(read("-0.5", "hitch_ms_per_s").is_err_and(|why| why.contains("below zero")));
        assert_eq!(read("-0.5", "score"), Ok(vec![-0.5]));
        assert_eq!(read("1.5e2", "hitch_ms_per_s"), Ok(vec![150.0]));
        for missing in ["", "NA", "null", "None"] {
            assert_eq!(read(missing, "score"), Ok(vec![]), "{missing}");
        }
    }
}
