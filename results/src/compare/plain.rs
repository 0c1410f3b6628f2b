//! Numbers from elsewhere: plain CSV with a header naming `session`, `iteration`, `value`; columns in any order, others
//! ignored. Each session becomes one session of a cell that has only a metric.
//!
//! Knows no files. Numbers are finite; a missing one (`NA`, `null`, nothing) is a void iteration.

use crate::cell::{CellKey, CellSession};
use crate::device::DeviceId;
use thiserror::Error;

/// Most rows of one file.
const ROWS: usize = 1_000_000;
/// Longest name of a session, characters.
const NAME: usize = 200;

/// Why a file cannot be read, with its line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {what}")]
pub struct PlainError {
    /// From 1.
    pub line: usize,
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
    let (_, header) =
        lines.next().ok_or_else(|| wrong(1, "the file is empty; write `session,iteration,value`"))?;
    let names = fields(header);
    let column = |wanted: &str| {
        names.iter().position(|name| name.eq_ignore_ascii_case(wanted)).ok_or_else(|| {
            wrong(1, &format!("there is no column `{wanted}`; begin with `session,iteration,value`"))
        })
    };
    let (session, iteration, value) = (column("session")?, column("iteration")?, column("value")?);
    let mut rows: Vec<Row> = Vec::new();
    for (line, text) in lines {
        if rows.len() >= ROWS {
            return Err(wrong(line, &format!("more than {ROWS} rows; split the file")));
        }
        let cells = fields(text);
        let cell = |at: usize| {
            cells
                .get(at)
                .copied()
                .ok_or_else(|| wrong(line, &format!("{} of {} columns", cells.len(), names.len())))
        };
        let number = cell(iteration)?.parse::<u64>();
        let number = number.map_err(|_| {
            wrong(line, &format!("`{}` is no iteration; count from 0", clip(cells[iteration])))
        })?;
        let name = cell(session)?.chars().take(NAME).collect();
        rows.push(Row { line, session: name, iteration: number, value: reading(cell(value)?, line)? });
    }
    sessions(rows, metric)
}

struct Row {
    line: usize,
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
            clip(&pair[1].session)
        );
        return Err(wrong(pair[1].line, &what));
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

fn reading(text: &str, line: usize) -> Result<Option<f64>, PlainError> {
    if ["", "na", "nan", "null", "none"].contains(&text.to_ascii_lowercase().as_str()) {
        return Ok(None);
    }
    let value: Option<f64> = text.parse().ok().filter(|value: &f64| value.is_finite());
    value.map(Some).ok_or_else(|| {
        wrong(line, &format!("`{}` is no number; leave it empty when there is none", clip(text)))
    })
}

/// Cells of a line; quotes around one are taken off, and none may hold a comma.
fn fields(line: &str) -> Vec<&str> {
    let bare = |cell: &str| cell.len() >= 2 && cell.starts_with('"') && cell.ends_with('"');
    line.split(',')
        .map(str::trim)
        .map(|cell| if bare(cell) { &cell[1..cell.len() - 1] } else { cell })
        .collect()
}

fn wrong(line: usize, what: &str) -> PlainError {
    PlainError { line, what: what.to_owned() }
}

fn clip(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_come_apart_in_any_order_of_rows_and_columns() {
        let text = "value,session,iteration,note\n4,b,1,x\n\n1.5,a,1,\r\n,a,2,\n0,\"a\",0,\n";
        let read = read_plain(text, "hitch_ms_per_s").expect("a file");
        assert_eq!(read.len(), 2);
        assert_eq!((read[0].run.as_str(), &read[0].values[..]), ("b", &[4.0][..]));
        assert_eq!((read[1].run.as_str(), &read[1].values[..]), ("a", &[0.0, 1.5][..]));
        assert_eq!(read[1].void, ["iteration 2: the file has no value"]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let complaint = |text: &str| read_plain(text, "m").expect_err("wrong").to_string();
        assert!(complaint("").contains("line 1"));
        assert!(complaint("session,value\n").contains("`iteration`"));
        assert!(complaint("session,iteration,value\na,0,ten\n").contains("line 2: `ten`"));
        assert!(complaint("session,iteration,value\na,x,1\n").contains("line 2: `x`"));
        assert!(complaint("session,iteration,value\na,0,1\na,0,2\n").contains("line 3"));
        assert!(complaint("session,iteration,value\na,0\n").contains("2 of 3 columns"));
        assert!(complaint("session,iteration,value\na,0,inf\n").contains("`inf`"));
    }
}
